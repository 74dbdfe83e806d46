"""How often random words show as much as the example of the pages: its placebo lists.

    python benchmarks/placebo.py [--lists 200] [--save placebo]

The shipped slice of GloVe and the list `gender`: neutral words in the place of the stereotypes, in
topics as large, and the real stereotypes dealt anew. A row is a contrast over all groups, or one
of a group: the share of lists whose interval excludes 0, and the place of the real one (p). --save
also draws the real contrasts among those of the first kind.
"""

import argparse
import warnings
from typing import Final

import pandas as pd
from saved_results import IMAGES, save

import bayesbias as bb

KINDS: Final = {"neutral": "neutral", "redeal": "dealt anew"}


def main() -> None:
    """Print the rows, and save them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lists", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--save", metavar="NAME")
    given = parser.parse_args()
    warnings.simplefilter("ignore", bb.BayesBiasWarning)  # missing words
    fit = bb.fit(bb.distances(bb.example_embedding(), "gender"), seed=given.seed)
    found = {
        kind: fit.placebo(given.lists, kind=kind, seed=given.seed, progress=False) for kind in KINDS
    }
    rows = pd.concat([one.table.assign(kind=KINDS[kind]) for kind, one in found.items()])
    rows = rows[["kind", "group", "contrast", "share", "placebo_sd", "posterior_sd", "mean", "p"]]
    print(rows.round(3).to_string())
    if given.save:
        print(save(rows, given.save, {"seed": given.seed, "lists": given.lists}))
        found["neutral"].plot().savefig(IMAGES / "example-placebo.png", dpi=100)


if __name__ == "__main__":
    main()
