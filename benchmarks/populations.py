"""How often intervals hold the truth and decide, for lists drawn from known populations of words.

    BAYESBIAS_DATA=../shared/data python benchmarks/populations.py [--vectors FILE ...]
        [--lists 30] [--seed 1] [--out answers.csv] [--save]

A list has seven protected words a group and eight attributes a list, one by one, or in two topics
of four: a random word and its three nearest in the population. Thirty-five neutral words are the
control. The truth is the contrast of the whole population, of 26 to 201 words a list; lists are
drawn without replacement, so that honest intervals hold it a little more often than they say.

Beside the model stands a t-interval of plain means. Standard errors (±) are those of shares in
percent; lists of one population in one file of vectors are alike. `slope`: of what is estimated on
what is true.
"""

import argparse
from collections.abc import Iterator

import numpy as np
import pandas as pd
from drawn_lists import (
    DESIGNS,
    KEYS,
    POPULATIONS,
    answers,
    embedding_of,
    observed,
    population,
    rng_of,
    root_mean_square,
    run,
    standard_error,
)

import bayesbias as bb


def rows_of(options: argparse.Namespace, path: str) -> Iterator[pd.DataFrame]:
    """Yield the answers about every list drawn from a file's populations."""
    embedding, spec = embedding_of(path), bb.load_model("maximal")
    for name in POPULATIONS:
        whole = population(name, path)
        if whole is None:
            print(f"{embedding.name}, {name}: too few of its words", flush=True)
            continue
        truth = observed(bb.distances(embedding.vectors, whole.word_list()))
        truth = truth.rename(columns={"observed": "truth"})
        for number in range(options.lists):
            rng = rng_of(options.seed, f"{embedding.name} {name}", number)
            for design in DESIGNS:
                wordlist = whole.drawn(embedding, design, rng.spawn(2)[0])
                fit = embedding.fit(bb.distances(embedding.vectors, wordlist), spec)
                labels = {"vectors": embedding.name, "population": name, "design": design}
                table = answers(fit).merge(truth, on=KEYS)
                yield table.assign(**labels, number=number, scale=fit.scale[0])


def of_question(rows: pd.DataFrame) -> pd.Series:
    """Return what a method's answers to one kind of question are worth."""
    error, truth = rows["mean"] - rows["truth"], rows["truth"] / rows["scale"]
    holds = rows["truth"].between(rows["low"], rows["high"])
    outside = (rows["low"] > 0) | (rows["high"] < 0)
    right = outside & (rows["mean"] * rows["truth"] > 0)
    cells = rows[["vectors", "population"]]
    estimated = rows["mean"] / rows["scale"]
    return pd.Series(
        {
            "n": len(rows),
            "holds %": 100 * holds.mean(),
            "± %": 100 * standard_error(holds, cells),
            "rms z": root_mean_square(error / rows["sd"]),
            "slope": np.cov(estimated, truth)[0, 1] / truth.var(),
            "RMSE": root_mean_square(error),
            "mean sd": rows["sd"].mean(),
            "right %": 100 * right.mean(),
            "± right %": 100 * standard_error(right, cells),
            "wrong %": 100 * (outside & ~right).mean(),
        }
    )


def summary(rows: pd.DataFrame) -> pd.DataFrame:
    """Return a row for every design, question and method; then the model's in every file."""
    columns = rows.columns.tolist()
    table = rows.groupby(["design", "asked", "method"], sort=False)[columns].apply(of_question)
    model = rows[rows["method"] == "maximal"]
    files = model.groupby(["vectors", "asked", "method"], sort=False)[columns].apply(of_question)
    files = files.reset_index().rename(columns={"vectors": "design"})
    return pd.concat([table.reset_index(), files], ignore_index=True)


if __name__ == "__main__":
    run(__doc__, rows_of, summary, lists=30, name="populations")
