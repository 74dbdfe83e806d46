"""The lists of twenty years, read again: every shipped English list in four files of vectors.

    BAYESBIAS_DATA=../shared/data python benchmarks/classics.py [--save classics]    # a minute

WEAT's effect size and p beside what a model says: how large the difference is for words like these,
with its interval and verdict, how often random groups of words differ as much, how many topics the
attributes are of, and the same towards each attribute list. ``classics_tables`` has the tables of
``docs/evidence/classics.md``. The files are parts of the published ones, so that a list may lack
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
from classics_tables import LISTS, OVER_ALL
from saved_results import DATA, save

import bayesbias as bb
from bayesbias.fits.fit_result import Fit
from bayesbias.support.arguments import KeyedVectors
from bayesbias.words.word_lists import WordList

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
    *("verdict", "random_groups"),
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
    counts = {"found": int(asked["found"].sum()), "words": int(asked["words"].sum())}
    fewest = asked.loc[(asked["found"] / asked["words"].clip(upper=FEWEST)).idxmin()]
    if fewest["found"] < FEWEST and 2 * fewest["found"] < fewest["words"]:
        said = f"{fewest['found']} of {fewest['words']} words of {fewest['list']}"
        yield {"row": OVER_ALL, **counts, "reason": said.replace("_", " ")}
        return
    fit = bb.analyze(vectors, wordlist, seed=1)
    contrasts = fit.contrasts()
    contrasts[["standardised_low", "standardised_high"]] = contrasts[["low", "high"]] / fit.scale[0]
    yield {"row": OVER_ALL, **counts, **_kept(contrasts.iloc[0]), **_weat(vectors, wordlist)}
    topics = topics_of(fit)
    for _, row in contrasts[contrasts["level"] == "list"].iterrows():
        yield {"row": _title(wordlist, row), **topics.loc[row["list"]], **_kept(row)}


def _kept(row: pd.Series) -> dict[str, Any]:
    return {name: row[name] for name in _KEPT}


def topics_of(fit: Fit) -> pd.DataFrame:
    """Return how many attributes and topics every attribute list of a fit has."""
    design = fit.design
    assert design.alike is not None  # made from vectors
    names = np.array(design.attribute_sets)[design.attribute_set]
    pairs = {
        "list": names,
        "attribute": design.attribute,
        "topic": design.alike.topic[design.attribute],
    }
    counts = pd.DataFrame(pairs).groupby("list").nunique()
    return counts.rename(columns={"attribute": "attributes", "topic": "topics"})


def _title(wordlist: WordList, row: pd.Series) -> str:
    """Name a row: who is closer to what."""
    titles = dict(wordlist.titles)
    said = (titles.get(row[name], row[name]) for name in ("group", "list"))
    return " to ".join(said).replace("_", " ")


def _weat(vectors: KeyedVectors, wordlist: WordList) -> dict[str, Any]:
    """Return WEAT's effect size and one-sided p; nothing where a list has no two groups."""
    found = bb.measures.all_measures(vectors, wordlist, names=["WEAT"], seed=1).iloc[0]
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


def main() -> None:
    """Print how lists lean over all, and save every answer if asked to."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--save", metavar="NAME")
    given = parser.parse_args()
    warnings.simplefilter("ignore", bb.BayesBiasWarning)
    table = compute()
    print(table.loc[table["row"] == OVER_ALL, ["vectors", "list", "mean", "verdict"]].to_string())
    if given.save:
        print(save(table, given.save, {"model": "maximal", "seed": 1}))


if __name__ == "__main__":
    main()
