"""Whether a part of a list's words and attributes is less sure than more of them, and honest.

    BAYESBIAS_DATA=../shared/data python benchmarks/subsets.py [--vectors FILE ...]
        [--lists 5] [--seed 1] [--out answers.csv] [--save]

Of every group and every stereotype list of eight shipped lists 2, 3 or 5 words are drawn, --lists
times, and all. Prints the median width of the 89% interval over all groups, in widths of the whole
list's, and how often the interval of a part holds the whole list's plain mean.
"""

import argparse
from collections.abc import Iterator
from typing import Final

import numpy as np
import pandas as pd
from drawn_lists import answers, drawn_words, embedding_of, rng_of, run, standard_error

import bayesbias as bb
from bayesbias.constants import (
    ATTRIBUTE,
    ATTRIBUTE_SET,
    CONNECTION,
    GROUP,
    PROTECTED_WORD,
    STEREOTYPE_CONNECTIONS,
)

LISTS: Final = ("gender", "religion", "weat1", "weat2", "weat3", "weat6", "weat7", "weat8")
SIZES: Final = (2, 3, 5)


def subset(frame: pd.DataFrame, size: int, rng: np.random.Generator) -> pd.DataFrame:
    """Return the pairs of some words of every group and list; those of controls stay."""
    stereotypes = frame[CONNECTION].isin(STEREOTYPE_CONNECTIONS)
    chosen = np.ones(len(frame), dtype=bool)
    for by, word in ((GROUP, PROTECTED_WORD), (ATTRIBUTE_SET, ATTRIBUTE)):
        for _, rows in frame[stereotypes].groupby(by, sort=False):
            some = drawn_words(tuple(rows[word].unique()), size, rng)
            inside = frame[by].eq(rows[by].iloc[0])
            chosen &= ~inside | frame[word].isin(some)
    part = frame[chosen].reset_index(drop=True)
    part.attrs = frame.attrs
    return part


def rows_of(options: argparse.Namespace, path: str) -> Iterator[pd.DataFrame]:
    """Yield the answers about parts of every list in a file, and about the whole."""
    embedding, spec = embedding_of(path), bb.load_model("maximal")
    for name in LISTS:
        try:
            frame = bb.distances(embedding.vectors, name)
        except bb.BayesBiasError as error:
            print(f"{embedding.name}, {name}: {error}", flush=True)
            continue
        whole = answers(embedding.fit_stereotypes(frame, spec)).query("asked == 'over all'")
        whole = whole.assign(width=whole["high"] - whole["low"])[["method", "observed", "width"]]
        whole = whole.rename(columns={"observed": "truth", "width": "whole"})
        for size in (*SIZES, 0):
            for number in range(options.lists if size else 1):
                rng = rng_of(options.seed, f"{embedding.name} {name} {size}", number)
                part = subset(frame, size, rng) if size else frame
                table = answers(embedding.fit_stereotypes(part, spec)).query("asked == 'over all'")
                labels = {"vectors": embedding.name, "word list": name, "words": size or "all"}
                yield table.merge(whole, on="method").assign(**labels, number=number)


def of_size(rows: pd.DataFrame) -> pd.Series:
    """Return how wide intervals are, and how often they hold the whole list's mean."""
    holds = rows["truth"].between(rows["low"], rows["high"])
    width = (rows["high"] - rows["low"]) / rows["whole"]
    error = standard_error(holds, rows[["vectors", "word list"]])
    found = {"n": len(rows), "median width": width.median()}
    return pd.Series(found | {"holds %": 100 * holds.mean(), "± %": 100 * error})


def summary(rows: pd.DataFrame) -> pd.DataFrame:
    """Return a row for every size and method."""
    groups = rows.groupby(["words", "method"], sort=False)
    return groups[rows.columns.tolist()].apply(of_size).reset_index()


if __name__ == "__main__":
    run(__doc__, rows_of, summary, lists=5, name="subsets")
