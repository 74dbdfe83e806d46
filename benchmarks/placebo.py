"""How often random words show as much as the example of the pages: its placebo lists.

    python benchmarks/placebo.py [--lists 200] [--save placebo]
    BAYESBIAS_DATA=../shared/data python benchmarks/placebo.py --published [--save NAME]

The shipped slice of GloVe and the list `gender`: neutral words in the place of the stereotypes, in
topics as large, and the real stereotypes dealt anew. A row is a contrast over all groups, or one
of a group: the share of lists whose interval excludes 0, and the place of the real one (p). --save
also draws the real contrasts among those of the first kind. With --published a row is a published
file before debiasing, with the shares of `paper` and `crossed`; words are drawn one by one.
"""

import argparse
import warnings
from typing import Final

import pandas as pd
from published import named
from saved_results import DATA, IMAGES, save

import bayesbias as bb

KINDS: Final = {"neutral": "neutral", "redeal": "dealt anew"}
MODELS: Final = ("paper", "crossed")
CONTRASTS: Final = ("associated − different", "associated − neutral")


def example(lists: int, seed: int) -> dict[str, bb.results.Placebo]:
    """Return both kinds of placebo lists of the shipped slice."""
    fit = bb.fit(bb.distances(bb.example_embedding(), "gender"), seed=seed)
    return {kind: fit.placebo(lists, kind=kind, seed=seed, progress=False) for kind in KINDS}


def published(lists: int, seed: int) -> pd.DataFrame:
    """Return, in percent, how often 89% intervals of two models exclude 0, a row for every file."""
    rows = []
    for path in sorted(
        (DATA / "distances").glob("*.csv"), key=lambda path: named(path.stem).lower()
    ):
        if path.stem.startswith("debiased"):
            continue
        frame, row = bb.read_distances(path), {"list, vectors": named(path.stem)}
        for model in MODELS:
            placebo = bb.fit(frame, model, seed=seed).placebo(lists, seed=seed, progress=False)
            table = placebo.table[placebo.table["group"] == "all"].set_index("contrast")
            row |= {f"{name}: `{model}`": 100 * table.loc[name, "share"] for name in CONTRASTS}
        print(row, flush=True)
        rows.append(row)
    heads = [f"{name}: `{model}`" for name in CONTRASTS for model in MODELS]
    return pd.DataFrame(rows)[["list, vectors", *heads]]


def main() -> None:
    """Print the rows, and save them."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--lists", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--published", action="store_true")
    parser.add_argument("--save", metavar="NAME")
    given = parser.parse_args()
    warnings.simplefilter("ignore", bb.BayesBiasWarning)  # missing words and repeated pairs
    settings = {"seed": given.seed, "lists": given.lists}
    if given.published:
        rows = published(given.lists, given.seed)
        print(rows.round(1).to_string())
        if given.save:
            print(save(rows, given.save, settings))
        return
    found = example(given.lists, given.seed)
    rows = pd.concat([one.table.assign(kind=KINDS[kind]) for kind, one in found.items()])
    rows = rows[["kind", "group", "contrast", "share", "placebo_sd", "posterior_sd", "mean", "p"]]
    print(rows.round(3).to_string())
    if given.save:
        print(save(rows, given.save, settings))
        found["neutral"].plot().savefig(IMAGES / "example-placebo.png", dpi=100)


if __name__ == "__main__":
    main()
