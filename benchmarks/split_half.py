"""How well one half of a shipped word list predicts the other, in real vectors.

    BAYESBIAS_DATA=../shared/data python benchmarks/split_half.py [--vectors FILE ...]
        [--lists gender ...] [--splits 10] [--models maximal ...] [--seed 1] [--jobs 1] [--pairs]
        [--change hard two_means | --facts] [--out answers.csv] [--save NAME]

Lists are split in two ways: into random halves of their words, reference words and attributes; and
whole topics apart, all words in both: attributes in n / 4 clusters (average linkage of cosines),
dealt so that each half has at least .3 of a list. Where one cluster is too large for that, the tree
is cut lower, until clusters can be dealt; such lists are counted by themselves ("finer topics"),
since what is dealt are parts of a topic, and single words. Each half is fitted by itself. If
intervals say how far words and attributes like these may differ, z = (second − first) / √(sd₁² +
sd₂²) has the root mean square 1, and lies within the ends of an 89% interval in 89%. Random halves
have topics in common, and parts of a topic more so, so that less than 1 is due there.

Two larger lists of the reference data are split besides: occupations and adjectives that people
rated as of men or of women, of which no shipped list is (`populations.py` says from where).

Prints that and the coverage of 89% and 50% for each split, method and kind of question: over all
groups, by list (its own groups against the others), by group, against neutral words, every
contrast. --pairs prints it for each list and file of vectors too.

--change asks the same of what debiasing steps change: one half's change predicts the other's. The
direction comes from a list's defining sets, or from the words of its groups in turn.
--facts asks it of the slope of associations on the share of women in occupations (Garg et al.
2018), one half of the occupations against the other.
"""

import argparse
import time
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import numpy as np
import pandas as pd
from populations import in_vectors, population
from real_lists import (
    DATA,
    KEYS,
    MODELS,
    OF_CHANGES,
    PROBS,
    Answers,
    embeddings,
    named,
    over_processes,
    part_of,
    root_mean_square,
    shown_level,
    unit,
    vectors_of,
)
from saved_results import save
from scipy.cluster.hierarchy import fcluster, linkage
from scipy.special import ndtri

import bayesbias as bb
from bayesbias.constants import (
    ATTRIBUTE,
    ATTRIBUTE_SET,
    CHANGE,
    CONNECTION,
    GROUP,
    PROTECTED_WORD,
    REFERENCE,
    STEREOTYPE_CONNECTIONS,
)
from bayesbias.debias.methods import METHODS
from bayesbias.errors import BayesBiasError, BayesBiasWarning, WordListError
from bayesbias.pairs.conditions import paired
from bayesbias.pairs.provenance import source_of
from bayesbias.pairs.word_lists import WordList
from bayesbias.studies.change import NO_CHANGE

SPLITS: Final = ("halves", "topics")
FEWEST = 4
"""Attributes a list, and for random halves words a group, without which nothing is split."""

LEAST_SHARE = 0.3
"""Share of a list's attributes that each half has at least where whole topics are dealt."""

OCCUPATIONS: Final = "occupations"

RATED: Final = ("occupations", "adjectives")
"""Populations of rated words, whole."""


def halved(n: int, rng: np.random.Generator) -> np.ndarray:
    """Return which of n are in the first half; of an odd one, it is chance which is larger."""
    first = np.zeros(n, dtype=bool)
    first[rng.permutation(n)[: n // 2 + (n % 2) * rng.integers(2)]] = True
    return first


def dealt(clusters: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Return which are in the first half where clusters of `clusters_of` are dealt whole."""
    names, code = np.unique(clusters, return_inverse=True)
    while True:
        first = (rng.random(len(names)) < 0.5)[code]
        if LEAST_SHARE <= first.mean() <= 1 - LEAST_SHARE:
            return first


def can_be_dealt(sizes: np.ndarray) -> bool:
    """Tell whether clusters of some sizes can be dealt whole into halves that are large enough."""
    sums = {0}
    for size in sizes.tolist():
        sums |= {known + size for known in sums}
    least = LEAST_SHARE * sizes.sum()
    return any(least <= known <= sizes.sum() - least for known in sums)


def n_clusters(n: int) -> int:
    """Return in how many clusters n attributes are, if these can be dealt."""
    return max(2, n // 4)


def clusters_of(vectors: np.ndarray) -> np.ndarray:
    """Return the cluster of every one of unit vectors, a fourth as many, or more to be dealt."""
    tree = linkage(vectors, "average", metric="cosine")
    for n in range(n_clusters(len(vectors)), len(vectors) + 1):
        found = np.asarray(fcluster(tree, n, "maxclust"))
        if can_be_dealt(np.bincount(found)):
            break
    return found


def are_whole(clusters: dict[str, np.ndarray]) -> bool:
    """Tell whether no list had to be cut lower."""
    return all(len(np.unique(own)) <= n_clusters(len(own)) for own in clusters.values())


def members(frame: pd.DataFrame, keys: list[str], *, reference: bool) -> pd.DataFrame:
    """Return the words of a frame and their lists, or the attributes and theirs."""
    rows = frame if reference else frame[frame[CONNECTION] != REFERENCE]
    return rows[keys].drop_duplicates().reset_index(drop=True)


def is_large_enough(frame: pd.DataFrame, split: str) -> bool:
    """Tell whether a frame has enough words and attributes for a split."""
    pairs = frame[frame[CONNECTION].isin(STEREOTYPE_CONNECTIONS)]
    words = pairs.groupby(GROUP)[PROTECTED_WORD].nunique()
    attributes = pairs.groupby(ATTRIBUTE_SET)[ATTRIBUTE].nunique()
    return attributes.min() >= FEWEST and words.min() >= (FEWEST if split == "halves" else 2)


def clusters_by_list(frame: pd.DataFrame, vectors: Any) -> dict[str, np.ndarray]:
    """Return the clusters of every list's attributes that are enough for two."""
    keys = source_of(frame).get("found_as", {})

    def spelled(word: str) -> str:  # changes do not record how a side's words were found
        return keys.get(word, word if word in vectors else word.lower())

    lists = members(frame, [ATTRIBUTE_SET, ATTRIBUTE], reference=False)
    return {
        name: clusters_of(unit(np.array([vectors[spelled(word)] for word in own], dtype=float)))
        for name, own in lists.groupby(ATTRIBUTE_SET, sort=False)[ATTRIBUTE]
        if len(own) >= FEWEST
    }


def halves_of(
    frame: pd.DataFrame, clusters: dict[str, np.ndarray] | None, rng: np.random.Generator
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Split a frame at random, or by clusters of its attributes."""
    attributes = members(frame, [ATTRIBUTE_SET, ATTRIBUTE], reference=False)
    first: set[tuple[str, str]] = set()
    for name, own in attributes.groupby(ATTRIBUTE_SET, sort=False):
        if clusters is None or name not in clusters:
            at = halved(len(own), rng)
        else:
            at = dealt(clusters[name], rng)
        first |= set(own[at].itertuples(index=False, name=None))
    both = zip(frame[ATTRIBUTE_SET], frame[ATTRIBUTE], strict=True)
    in_first = np.array([pair in first for pair in both])
    if clusters is not None:
        return part_of(frame, in_first), part_of(frame, ~in_first)
    words: set[tuple[str, str]] = set()
    for _, own in members(frame, [GROUP, PROTECTED_WORD], reference=True).groupby(
        GROUP, sort=False
    ):
        words |= set(own[halved(len(own), rng)].itertuples(index=False, name=None))
    is_word = np.array(
        [pair in words for pair in zip(frame[GROUP], frame[PROTECTED_WORD], strict=True)]
    )
    return part_of(frame, in_first & is_word), part_of(frame, ~in_first & ~is_word)


def predicted(first: pd.DataFrame, second: pd.DataFrame) -> pd.DataFrame:
    """Return what both halves say of one question, and z."""
    columns = [*KEYS, "model", "mean", "sd"]
    both = first[columns].merge(second[columns], on=[*KEYS, "model"], suffixes=("_a", "_b"))
    z = (both["mean_b"] - both["mean_a"]) / np.hypot(both["sd_a"], both["sd_b"])
    return both.assign(z=z)


def rated_list(name: str, vectors: Any) -> WordList:
    """Return all rated words that vectors have, with neutral words, as a list."""
    found = in_vectors(population(name), vectors)
    if found is None:
        raise WordListError(f"{name}: the vectors have too few of its words")
    known, controls = found
    return known.drawn(tuple(known.groups.values()), tuple(known.lists.values()), controls)


def pairs_of(name: str, vectors: Any) -> list[list[str]]:
    """Return a list's defining sets; of one that has none, words of its groups, in turn."""
    wordlist = bb.load_wordlist("gender" if name in RATED else name)
    sets = wordlist.defining_sets or zip(*(g.words for g in wordlist.groups), strict=False)
    known = [[word if word in vectors else word.lower() for word in one] for one in sets]
    return [one for one in known if all(word in vectors for word in one)]


def distances_of(path: str, name: str, step: str) -> pd.DataFrame | None:
    """Return the distances of a list in a file of vectors, or a step's change of them."""
    vectors = vectors_of(path)
    try:
        wordlist = rated_list(name, vectors) if name in RATED else bb.load_wordlist(name)
        frame = bb.distances(vectors, wordlist, fallbacks=["lower"])
        if not step:
            return frame
        every = {"neutralise": "every"} if "neutralise" in METHODS[step].options else {}
        sets = pairs_of(name, vectors)
        after = METHODS[step].function(vectors, defining_sets=sets, **every).vectors
        pairs, _ = paired(frame, bb.distances(after, wordlist, fallbacks=["lower"]))
    except BayesBiasError as error:
        print(f"{named(path)}, {name}: {error}", flush=True)
        return None
    largest = pairs[CHANGE].abs().groupby(pairs[CONNECTION]).transform("max")
    return part_of(pairs, (largest > NO_CHANGE).to_numpy())


def of_list(task: tuple[str, str, str], n_splits: int, models: tuple[str, ...], seed: int):
    """Return a row for every question, split and method about a list in a file of vectors."""
    path, name, step = task
    started, frame = time.perf_counter(), distances_of(*task)
    found = []
    for split in SPLITS if frame is not None else ():
        if not is_large_enough(frame, split):
            continue
        answers = Answers(models, change=bool(step))
        clusters = clusters_by_list(frame, vectors_of(path)) if split == "topics" else None
        kind = split
        if clusters is not None:
            stereotypes = frame[frame[CONNECTION].isin(STEREOTYPE_CONNECTIONS)][ATTRIBUTE_SET]
            if not are_whole({name: clusters[name] for name in stereotypes.unique()}):
                kind = "finer topics"
        for number in range(n_splits):
            key = f"{named(path)} {name} {split}".encode()
            rng = np.random.default_rng([seed, *key, number])
            halves = halves_of(frame, clusters, rng)
            first, second = (answers.of_frame(half, rng) for half in halves)
            found.append(predicted(first, second).assign(split=kind, number=number))
    seconds = time.perf_counter() - started
    print(f"{named(path)}, {name} {step}: {seconds:.0f} s", flush=True)
    if not found:
        return pd.DataFrame()
    rows = pd.concat(found, ignore_index=True)
    return rows.assign(vectors=named(path), list=name, step=step)


def shares_of_women() -> pd.DataFrame:
    """Return the share of women in occupations in the latest census of each, Garg et al. (2018)."""
    path = DATA / "wordlists" / "garg" / "occupation_percentages_gender_occ1950.csv"
    rows = pd.read_csv(path).sort_values("Census year")
    latest = rows.drop_duplicates("Occupation", keep="last")
    return pd.DataFrame({"word": latest["Occupation"].to_numpy(), "share": latest["Female"]})


def of_facts(task: tuple[str, str, str], n_splits: int, models: tuple[str, ...], seed: int):
    """Return a row for every split and model about the slope of associations on shares of women."""
    path, _, _ = task
    vectors, started, table = vectors_of(path), time.perf_counter(), shares_of_women()
    jobs = [word for word in table["word"] if word in vectors]
    gender = bb.load_wordlist("gender")
    jobs = [word for word in jobs if word not in {*gender.protected_words, *gender.reference}]
    frame = bb.distances(vectors, gender.with_attributes(jobs, OCCUPATIONS))
    found = []
    for split in SPLITS:
        clusters = clusters_by_list(frame, vectors)[OCCUPATIONS] if split == "topics" else None
        for number in range(n_splits):
            rng = np.random.default_rng([seed, *f"{named(path)} facts {split}".encode(), number])
            at = halved(len(jobs), rng) if clusters is None else dealt(clusters, rng)
            chosen = frame[ATTRIBUTE].isin(
                [word for word, one in zip(jobs, at, strict=True) if one]
            )
            halves = [part_of(frame, rows) for rows in (chosen, ~chosen)]
            first, second = (slopes_of(half, table, models, seed + number) for half in halves)
            found.append(predicted(first, second).assign(split=split, number=number))
    print(f"{named(path)}, facts: {time.perf_counter() - started:.0f} s", flush=True)
    return pd.concat(found, ignore_index=True).assign(vectors=named(path), list="facts", step="")


def slopes_of(
    frame: pd.DataFrame, table: pd.DataFrame, models: tuple[str, ...], seed: int
) -> pd.DataFrame:
    """Return the slope of associations on a column by several models."""
    rows = []
    for name in models:
        spec = bb.load_model("maximal" if name == "unrelated" else name)
        spec = spec.without_similarity() if name == "unrelated" else spec
        fit = bb.fit(frame, spec, seed=seed, draws=100)
        groups = ("woman", "man")
        line = bb.facts(fit, table, "share", groups=groups, draws=1000, seed=seed).table.iloc[0]
        per_unit = line["slope"] / line["mean"]
        rows.append(("slope", "", "share", name, line["slope"], line["sd"] * per_unit))
    return pd.DataFrame(rows, columns=[*KEYS, "model", "mean", "sd"])


def summary(rows: pd.DataFrame) -> pd.Series:
    """Return how well one half predicts the other, coverage in percent."""
    inside = {f"{p:.0%}": 100 * (rows["z"].abs() <= ndtri((1 + p) / 2)).mean() for p in PROBS}
    sd = rows[["sd_a", "sd_b"]].to_numpy().mean()
    return pd.Series(
        {"n": len(rows), "rms z": root_mean_square(rows["z"]), **inside, "mean sd": sd}
    )


def summarised(rows: pd.DataFrame, keys: list[str]) -> pd.DataFrame:
    """Return the summary of every method and kind of question, by some columns besides."""
    asked = pd.Series([shown_level(row) or row.contrast for row in rows.itertuples()], rows.index)
    is_slope = rows["level"] == "slope"
    kinds = ["slope"] if is_slope.all() else [*KINDS, "every contrast"]
    parts = []
    for kind in kinds:
        chosen = rows if kind in ("every contrast", "slope") else rows[asked == kind]
        if len(chosen):
            found = chosen.groupby([*keys, "model"], sort=False)[rows.columns.tolist()]
            parts.append(found.apply(summary).reset_index().assign(asked=kind))
    table = pd.concat(parts, ignore_index=True)
    first = [*keys, "asked", "model"]
    return table[[*first, *(c for c in table if c not in first)]]


KINDS: Final = ("over all", "by list", "by group", "against neutral")


def printed(table: pd.DataFrame) -> None:
    """Print a summary."""
    form = {"n": "{:.0f}".format, "rms z": "{:.2f}".format, "mean sd": "{:.4f}".format}
    form |= dict.fromkeys(("89%", "50%"), "{:.1f}".format)
    print(table.to_string(index=False, formatters=form))


def tasks_of(given: argparse.Namespace) -> Iterator[tuple[str, str, str]]:
    """Yield file of vectors, list and step."""
    for path in given.vectors:
        if given.facts:
            yield path, "facts", ""
            continue
        for name in given.lists:
            for step in given.change or [""]:
                yield path, name, step


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--vectors", nargs="+", default=embeddings())
    parser.add_argument("--lists", nargs="+", default=[*bb.list_wordlists(), *RATED])
    parser.add_argument("--splits", type=int, default=10)
    parser.add_argument("--models", nargs="+", choices=MODELS)
    parser.add_argument("--change", nargs="+", choices=METHODS)
    parser.add_argument("--facts", action="store_true")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--pairs", action="store_true")
    parser.add_argument("--out", type=Path)
    parser.add_argument("--save", metavar="NAME")
    given, started = parser.parse_args(), time.perf_counter()
    usual = ("maximal", "unrelated", *list(OF_CHANGES)[1:])
    more = () if given.facts or given.change else ("topics", "bootstrap", "words")
    how = given.splits, tuple(given.models or (*usual, *more)), given.seed

    def of_task(task: tuple[str, str, str]) -> pd.DataFrame:
        warnings.simplefilter("ignore", BayesBiasWarning)
        return of_facts(task, *how) if given.facts else of_list(task, *how)

    found = over_processes(of_task, list(tasks_of(given)), given.jobs)
    if given.out:
        found.to_csv(given.out, index=False)
    if given.pairs:
        printed(summarised(found, ["vectors", "list", "step", "split"]))
    n = len(found[["vectors", "list", "step"]].drop_duplicates())
    table = summarised(found, ["step", "split"] if given.change else ["split"])
    if given.save:
        settings = {"seed": given.seed, "splits": given.splits, "lists in vectors": n}
        save(table, given.save, settings, methods="model")
    print(f"\n{n} lists in vectors, {given.splits} splits each")
    printed(table)
    print(f"{time.perf_counter() - started:.0f} s")


if __name__ == "__main__":
    main()
