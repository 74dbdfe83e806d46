"""The lists of twenty years, read again: every shipped English list in four files of vectors.

    BAYESBIAS_DATA=../shared/data python benchmarks/classics.py --save classics    # a minute
    python benchmarks/classics.py    # figures alone, from what was saved

WEAT's effect size and p beside what a model says: how large the difference is for words like these,
with its interval and verdict, how often unrelated groups differ as much (``chance``), how many
topics the attributes are of, and the same towards each attribute list. ``classics_tables`` has the
tables of ``docs/classics.md``. The files are parts of the published ones, so that a list may lack
words there: where fewer than four and less than half of a group or set are left, nothing is
computed, and the table says so. Of GloVe 840B the words of WEAT are added from ``oracles/cbn``,
which has their vectors from the same file.
"""

import argparse
import warnings
from collections.abc import Iterator
from typing import Any, Final

import numpy as np
import pandas as pd
from classics_tables import BY_CHANCE, LISTS, OVER_ALL
from saved_results import DATA, IMAGES, read, save

import bayesbias as bb
from bayesbias.constants import ATTRIBUTE, ATTRIBUTE_KINDS, ATTRIBUTE_SET, GROUP, TOPIC
from bayesbias.errors import BayesBiasError
from bayesbias.pairs.topics import topics_of
from bayesbias.pairs.word_lists import WordList
from bayesbias.support.figure_style import LOOKS, Look
from bayesbias.support.forests import Forest, Mark, Row, plot_forests, span_of
from bayesbias.support.types import Figure, KeyedVectors

FILES: Final = {
    "GoogleNews": "googlenews-16k-300d.bin",
    "GloVe 840B": "glove-840b-10k-300d-int8.bin.gz",
    "GloVe 6B": "glove-6b-13k-50d.txt.gz",
    "GloVe Twitter": "glove-twitter-12k-25d.txt.gz",
}
FEWEST: Final = 4
"""Words of a group or set that are enough, however many are missing."""

_KEPT: Final = (
    *("mean", "low", "high", "standardised", "standardised_low", "standardised_high"),
    *("verdict", "on_edge", "chance"),
)


def vectors_of(name: str) -> KeyedVectors:
    """Return the vectors of a file; of GloVe 840B with those of all words of WEAT."""
    vectors = bb.load_embedding(DATA / "embeddings" / FILES[name])
    if name != "GloVe 840B":
        return vectors
    weat = bb.load_embedding(DATA / "oracles" / "cbn" / "cbn_glove840B_items.txt")
    others = [word for word in vectors.index_to_key if word not in weat.key_to_index]
    words = [*others, *weat.index_to_key]
    return bb.load_embedding((words, np.concatenate([vectors[others], weat.vectors])))


def rows_of(vectors: KeyedVectors, wordlist: WordList) -> Iterator[dict[str, Any]]:
    """Yield what is said of a list: a row over all, and those by attribute list."""
    found = bb.vocabulary_coverage(vectors, wordlist).lists
    kinds = {s.name: s.kind for s in wordlist.attribute_sets}
    asked = found[[kinds.get(name, "stereotype") == "stereotype" for name in found["list"]]]
    asked = asked[asked["role"] != "reference"]
    counts = {"found": int(asked["found"].sum()), "words": int(asked["words"].sum())}
    fewest = asked.loc[(asked["found"] / asked["words"].clip(upper=FEWEST)).idxmin()]
    if fewest["found"] < FEWEST and 2 * fewest["found"] < fewest["words"]:
        said = f"{fewest['found']} of {fewest['words']} words of {fewest['list']}"
        yield {"row": OVER_ALL, **counts, "reason": said.replace("_", " ")}
        return
    frame = bb.distances(vectors, wordlist)
    fit = bb.fit(frame, seed=1)
    whole = fit.contrasts().table.set_index("contrast").loc["associated − different"]
    yield {"row": OVER_ALL, **counts, **_kept(whole), **_weat(vectors, wordlist)}
    topics = _topics(frame)
    by = fit.contrasts("list").table
    for _, row in by[by["contrast"] == "between groups"].iterrows():
        yield {"row": _title(wordlist, row), **topics.loc[row[ATTRIBUTE_SET]], **_kept(row)}


def _kept(row: pd.Series) -> dict[str, Any]:
    return {name: row[name] for name in _KEPT}


def _topics(frame: pd.DataFrame) -> pd.DataFrame:
    """Return how many attributes and topics every stereotype list has."""
    found = topics_of(frame)
    assert found is not None  # made from vectors
    own = found[found["kind"] == ATTRIBUTE_KINDS[0]].groupby(ATTRIBUTE_SET)
    return own.agg(attributes=(ATTRIBUTE, "size"), topics=(TOPIC, "nunique"))


def _title(wordlist: WordList, row: pd.Series) -> str:
    """Name a row: who is closer to what."""
    titles = dict(wordlist.titles)
    said = (titles.get(row[name], row[name]) for name in (GROUP, ATTRIBUTE_SET))
    return " to ".join(said).replace("_", " ")


def _weat(vectors: KeyedVectors, wordlist: WordList) -> dict[str, Any]:
    """Return WEAT's effect size and one-sided p; nothing where a list has no two groups."""
    found = bb.measures.all_measures(vectors, wordlist, names=["WEAT"], seed=1).table.iloc[0]
    if found["skipped"]:
        return {}
    return {"weat_d": found["value"], "weat_p": found["p_value"]}


def compute() -> pd.DataFrame:
    """Return the rows of every list in every file: ``vectors``, ``list`` and what is said."""
    rows = []
    for name in FILES:
        vectors = vectors_of(name)
        for of_list in LISTS:
            for row in rows_of(vectors, bb.load_wordlist(of_list)):
                rows.append({"vectors": name, "list": of_list, **row})
        print(f"{name}: done", flush=True)
    return pd.DataFrame(rows).reindex(
        columns=[
            *("vectors", "list", "row", "found", "words", "reason", "attributes", "topics"),
            *(*_KEPT, "weat_d", "weat_p"),
        ]
    )


# The figure

MARKS: Final = {
    "GoogleNews": ("o", "#D55E00"),
    "GloVe 840B": ("s", "#0072B2"),
    "GloVe 6B": ("^", "#00897B"),
    "GloVe Twitter": ("D", "#5F6B73"),
}
"""Marker and colour of a file, from a palette that colour-blind eyes tell apart."""


def figure(results: pd.DataFrame, width: float) -> Figure:
    """Draw every list: a mark per file, filled where both answers say that it differs."""
    over_all = results[(results["row"] == OVER_ALL) & results["verdict"].notna()]
    lines = []
    for name, title in LISTS.items():
        found = over_all[over_all["list"] == name].to_dict("records")
        marks = tuple(
            Mark(
                row["vectors"],
                row["standardised"],
                row["standardised_low"],
                row["standardised_high"],
                filled=row["verdict"] != "undecided" and row["chance"] < BY_CHANCE,
            )
            for row in found
        )
        label = title if width > 5 else title.partition(",")[0]
        lines.append(Row(label, marks, strong=name.startswith("weat")))
    ends = over_all[["standardised_low", "standardised_high"]].to_numpy().ravel()
    forest = Forest(
        "",
        "Differences of associated and different words by list and file of vectors",
        "associated − different, in sd",
        tuple(lines),
        span_of(ends.tolist(), 0.0),
        lines=(0.0,),
    )
    looks = {**LOOKS, **{name: Look(m, c, c) for name, (m, c) in MARKS.items()}}
    return plot_forests([[forest]], figsize=(width, 6.2), looks=looks)


def main() -> None:
    """Compute and save, or read what was saved; draw the figures."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--save", metavar="NAME", help="compute first, else draw what was saved")
    given = parser.parse_args()
    if given.save:
        if not DATA.is_dir():
            raise BayesBiasError("set BAYESBIAS_DATA to the folder of reference data")
        warnings.simplefilter("ignore", bb.BayesBiasWarning)
        print(save(compute(), given.save, {"model": "maximal", "seed": 1}))
    results, _ = read(given.save or "classics")
    for name, width in (("classics", 7.0), ("classics-column", 3.5)):
        figure(results, width).savefig(IMAGES / f"{name}.png", dpi=150)


if __name__ == "__main__":
    main()
