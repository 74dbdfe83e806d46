"""How often lists that differ in closeness to everything are taken for an association.

    BAYESBIAS_DATA=../shared/data python benchmarks/no_association.py [--vectors FILE ...]
        [--lists 30] [--seed 1] [--out answers.csv] [--save]

Random lists as in `random_lists.py`, one by one, that belong to one and one, three and two, or two
and one groups. All distances to the second list are larger by 0, .5 or 1.6 standard deviations of a
neutral pair's. Prints the share of lists whose 89% interval excludes 0 over all.
"""

import argparse
from collections.abc import Iterator
from typing import Final

import pandas as pd
from drawn_lists import DESIGNS, answers, embedding_of, random_list, rng_of, run
from random_lists import of_method

import bayesbias as bb
from bayesbias.constants import ATTRIBUTE_SET, DISTANCE
from bayesbias.engine.adapting import unit_of

OWNERS: Final = ((1, 1), (3, 2), (2, 1))
APART: Final = (0.0, 0.5, 1.6)


def rows_of(options: argparse.Namespace, path: str) -> Iterator[pd.DataFrame]:
    """Yield the answers about every list of a file, its lists together and apart."""
    embedding, spec = embedding_of(path), bb.load_model("maximal")
    for number in range(options.lists):
        for owners in OWNERS:
            rng = rng_of(options.seed, f"{embedding.name} {owners}", number)
            wordlist = random_list(embedding, DESIGNS[0], rng, owners)
            frame = bb.distances(embedding.vectors, wordlist)
            scale, _ = unit_of(frame, DISTANCE)
            for apart in APART:
                moved = frame.copy()
                moved.loc[moved[ATTRIBUTE_SET] == "second", DISTANCE] += apart * scale
                table = answers(embedding.fit_stereotypes(moved, spec)).query("asked == 'over all'")
                labels = {"owners": "/".join(map(str, owners)), "sds apart": apart}
                yield table.assign(vectors=embedding.name, number=number, **labels)


def summary(rows: pd.DataFrame) -> pd.DataFrame:
    """Return a row for every number of owners, distance of the lists, and method."""
    groups = rows.groupby(["owners", "sds apart", "method"], sort=False)
    return groups[rows.columns.tolist()].apply(of_method).reset_index()


if __name__ == "__main__":
    run(__doc__, rows_of, summary, lists=30, name="no-association")
