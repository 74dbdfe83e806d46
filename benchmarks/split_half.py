"""How well one half of a word list predicts the other where whole topics are apart.

    BAYESBIAS_DATA=../shared/data python benchmarks/split_half.py [--vectors FILE ...]
        [--lists 4] [--seed 1] [--out answers.csv] [--save]

The attributes of every list are in n / 4 clusters (average linkage of cosines), which are dealt
whole to two halves, --lists times, so that each has at least .3 of the list; all words are in both.
Where one cluster is too large for that, the tree is cut lower, and what is dealt are parts of a
topic ("finer"). Split are all shipped lists, and occupations and adjectives that people rated
(`drawn_lists.py`). Each half is fitted by itself. If intervals say how far attributes like these
may differ, z = (second − first) / √(sd₁² + sd₂²) has the root mean square 1, and lies within the
ends of an 89% interval in 89%. Parts of a topic have much in common, so that less than 1 is due.
"""

import argparse
from collections.abc import Iterator
from typing import Final

import numpy as np
import pandas as pd
from drawn_lists import (
    KEYS,
    Embedding,
    answers,
    embedding_of,
    population,
    rng_of,
    root_mean_square,
    run,
    standard_error,
)
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.special import ndtri

import bayesbias as bb
from bayesbias.constants import ATTRIBUTE, ATTRIBUTE_SET, CONNECTION, STEREOTYPE_CONNECTIONS
from bayesbias.errors import BayesBiasError
from bayesbias.words.distance_frame import keys_of_words

RATED: Final = ("occupations", "adjectives")
LEAST_SHARE: Final = 0.3
FEWEST: Final = 4
"""Attributes a list, without which nothing is split."""

Halves = tuple[pd.DataFrame, pd.DataFrame]


def dealt(clusters: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Return which are in the first half where clusters are dealt whole."""
    names, code = np.unique(clusters, return_inverse=True)
    while True:
        first = (rng.random(len(names)) < 0.5)[code]
        if LEAST_SHARE <= first.mean() <= 1 - LEAST_SHARE:
            return first


def can_be_dealt(sizes: np.ndarray) -> bool:
    """Tell whether clusters of some sizes can be dealt whole into halves that are large enough."""
    sums = {0}
    for size in sizes.tolist():
        sums |= {total + size for total in sums}
    least = LEAST_SHARE * sizes.sum()
    return any(least <= total <= sizes.sum() - least for total in sums)


def clusters_of(units: np.ndarray) -> tuple[np.ndarray, bool]:
    """Return the cluster of every attribute, and whether a fourth as many could be dealt."""
    tree, wanted = linkage(units, "average", metric="cosine"), max(2, len(units) // 4)
    for n in range(wanted, len(units) + 1):
        clusters = np.asarray(fcluster(tree, n, "maxclust"))
        if can_be_dealt(np.bincount(clusters)):
            break
    return clusters, n == wanted


def clusters_by_list(embedding: Embedding, frame: pd.DataFrame) -> dict[str, tuple[dict, bool]]:
    """Return the cluster of every attribute of every list, by its name."""
    keys = keys_of_words(frame, embedding.vectors, ATTRIBUTE)
    clusters = {}
    for name, rows in frame.groupby(ATTRIBUTE_SET, sort=False):
        words = rows[ATTRIBUTE].unique()
        found, whole = clusters_of(embedding.units([keys[word] for word in words]))
        clusters[name] = dict(zip(words, found, strict=True)), whole
    return clusters


def halves_of(frame: pd.DataFrame, clusters: dict, rng: np.random.Generator) -> Halves:
    """Split a frame by clusters of its attributes."""
    first = np.zeros(len(frame), dtype=bool)
    for name, (cluster, _) in clusters.items():
        is_first = dealt(np.array(list(cluster.values())), rng)
        own = [word for word, inside in zip(cluster, is_first, strict=True) if inside]
        first |= (frame[ATTRIBUTE_SET].eq(name) & frame[ATTRIBUTE].isin(own)).to_numpy()
    parts = tuple(frame[rows].reset_index(drop=True) for rows in (first, ~first))
    for part in parts:
        part.attrs = frame.attrs
    return parts


def frame_of(embedding: Embedding, path: str, name: str) -> pd.DataFrame | None:
    """Return the distances of a list, or of all rated words; None where too few are there."""
    whole = population(name, path) if name in RATED else None
    if name in RATED and whole is None:
        return None
    try:
        frame = bb.distances(embedding.vectors, name if whole is None else whole.word_list())
    except BayesBiasError as error:
        print(f"{embedding.name}, {name}: {error}", flush=True)
        return None
    sizes = frame.groupby(ATTRIBUTE_SET)[ATTRIBUTE].nunique()
    return frame if sizes.min() >= FEWEST else None


def rows_of(options: argparse.Namespace, path: str) -> Iterator[pd.DataFrame]:
    """Yield what both halves of every list in a file say of one question, and z."""
    embedding, spec = embedding_of(path), bb.load_model("maximal")
    for name in (*bb.list_wordlists(), *RATED):
        frame = frame_of(embedding, path, name)
        if frame is None:
            continue
        clusters = clusters_by_list(embedding, frame)
        stereotypes = frame[CONNECTION].isin(STEREOTYPE_CONNECTIONS)
        whole = all(clusters[s][1] for s in frame.loc[stereotypes, ATTRIBUTE_SET].unique())
        for number in range(options.lists):
            rng = rng_of(options.seed, f"{embedding.name} {name}", number)
            first, second = (
                answers(embedding.fit(half, spec)) for half in halves_of(frame, clusters, rng)
            )
            both = first.merge(second, on=[*KEYS, "asked", "method"], suffixes=("", "_b"))
            z = (both["mean_b"] - both["mean"]) / np.hypot(both["sd"], both["sd_b"])
            labels = {"vectors": embedding.name, "word list": name, "number": number}
            yield both.assign(z=z, split="whole topics" if whole else "finer", **labels)


def of_question(rows: pd.DataFrame) -> pd.Series:
    """Return how well one half predicts the other."""
    inside = rows["z"].abs() <= ndtri(0.945)
    lists = rows[["vectors", "word list"]]
    # The error of √(mean z²) is that of the mean of z² over twice the root.
    rms = root_mean_square(rows["z"])
    return pd.Series(
        {
            "n": len(rows),
            "rms z": rms,
            "± z": standard_error(rows["z"] ** 2, lists) / (2 * rms),
            "inside %": 100 * inside.mean(),
            "± %": 100 * standard_error(inside, lists),
            "mean sd": rows[["sd", "sd_b"]].to_numpy().mean(),
        }
    )


def summary(rows: pd.DataFrame) -> pd.DataFrame:
    """Return a row for every kind of split, question and method."""
    groups = rows.groupby(["split", "asked", "method"], sort=False)
    return groups[rows.columns.tolist()].apply(of_question).reset_index()


if __name__ == "__main__":
    run(__doc__, rows_of, summary, lists=4, name="split-half")
