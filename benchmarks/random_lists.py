"""How often words and attributes that were drawn at random are called closer or farther.

    BAYESBIAS_DATA=../shared/data python benchmarks/random_lists.py [--vectors FILE ...]
        [--lists 400] [--seed 1] [--out answers.csv] [--save]

Of the first 8,000 lower-case words of a file of vectors, two groups are a random word and its seven
nearest each, so that the words of a group are alike as those of real lists are. Sixteen attributes
are dealt to two lists by chance, so that nothing is associated with anything by design: one by one,
or four topics of four, a random word and its three nearest, dealt whole. Prints the share of lists
whose 89% interval excludes 0, over all, with its standard error, and the root mean square of mean
over sd; and the share in which WEAT's two-sided p is below .05.
"""

import argparse
from collections.abc import Iterator
from typing import Final

import pandas as pd
from drawn_lists import (
    DESIGNS,
    N_GROUP,
    answers,
    embedding_of,
    random_list,
    rng_of,
    root_mean_square,
    run,
)

import bayesbias as bb
from bayesbias.constants import (
    ATTRIBUTE_SET,
    CONNECTION,
    DISTANCE,
    GROUP,
    PROTECTED_WORD,
    STEREOTYPE_CONNECTIONS,
)
from bayesbias.measures.association import permutation_test

WEAT: Final = "WEAT p < .05"


def rows_of(options: argparse.Namespace, path: str) -> Iterator[pd.DataFrame]:
    """Yield the answers about every random list of a file."""
    embedding, spec = embedding_of(path), bb.load_model("maximal")
    for number in range(options.lists):
        for design in DESIGNS:
            rng = rng_of(options.seed, f"{embedding.name} {design}", number)
            frame = bb.distances(embedding.vectors, random_list(embedding, design, rng))
            table = answers(embedding.fit_stereotypes(frame, spec)).query("asked == 'over all'")
            weat = pd.DataFrame({"method": [WEAT], "p": weat_p(frame)})
            table = pd.concat([table, weat], ignore_index=True)
            yield table.assign(vectors=embedding.name, design=design, number=number)


def weat_p(frame: pd.DataFrame) -> float:
    """Return WEAT's p-value, of any sign."""
    stereotypes = frame[frame[CONNECTION].isin(STEREOTYPE_CONNECTIONS)]
    means = stereotypes.pivot_table(DISTANCE, [GROUP, PROTECTED_WORD], ATTRIBUTE_SET, sort=False)
    score = (means["second"] - means["first"]).to_numpy()
    return permutation_test(score, N_GROUP, alternative="two-sided", seed=1).p_value


def of_method(rows: pd.DataFrame) -> pd.Series:
    """Return how often a method decides, in percent."""
    decides = (rows["low"] > 0) | (rows["high"] < 0)
    outside = (decides | (rows["p"] < 0.05) if "p" in rows else decides).mean()
    error = (outside * (1 - outside) / len(rows)) ** 0.5
    z = root_mean_square(rows["mean"] / rows["sd"])
    return pd.Series(
        {"n": len(rows), "false %": 100 * outside, "± %": 100 * error, "rms z": z}
        | {"mean sd": rows["sd"].mean()}
    )


def summary(rows: pd.DataFrame) -> pd.DataFrame:
    """Return a row for every design, file of vectors and method."""
    groups = rows.groupby(["design", "vectors", "method"], sort=False)
    return groups[rows.columns.tolist()].apply(of_method).reset_index()


if __name__ == "__main__":
    run(__doc__, rows_of, summary, lists=400, name="random-lists")
