"""How much associated − different varies between corpora and between lists.

    BAYESBIAS_DATA=../shared/data python benchmarks/meta.py [--save meta]

Fits `maximal` to each of the 18 files of distances published with the Bayesian paper (three of them
debiased) and pools the contrast by random effects of corpus and list (`studies.pooling`). Estimates
are in standard deviations of a neutral pair's distance, since the corpora spread by a factor of
three.
"""

import argparse
import warnings
from pathlib import Path

import pandas as pd
from saved_results import DATA, save

import bayesbias as bb
from bayesbias.studies.pooling import pool

TITLES = {
    "overall": "overall",
    "corpus": "sd between corpora (Google, GloVe, Reddit, Reddit debiased)",
    "list": "sd between lists (gender, race, religion, WEAT 1, WEAT 7)",
    "single": "sd of single files beyond these",
}
LISTS = ("gender", "race", "religion", "weat_1", "weat_7")


def estimates(folder: Path) -> pd.DataFrame:
    """Return the contrast of every file, standardised: ``file``, ``corpus``, ``list``."""
    rows = []
    for path in sorted(folder.glob("*.csv")):
        frame = bb.read_distances(path)
        fitted = bb.fit(frame, seed=1, engine="collapsed", draws=250)
        row = fitted.contrasts().table.set_index("contrast").loc["associated − different"]
        corpus = next(c for c in ("google", "glove", "reddit") if c in path.name)
        corpus += " debiased" * path.name.startswith("debiased")
        words = next(name for name in LISTS if name in path.name)
        scale = row["mean"] / row["standardised"]
        rows.append((path.stem, corpus, words, row["standardised"], row["sd"] / scale))
    return pd.DataFrame(rows, columns=["file", "corpus", "list", "mean", "sd"])


def main() -> None:
    """Print the overall mean and how much estimates vary, then the estimates, shrunken."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--save", metavar="NAME")
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    table = estimates(DATA / "distances")
    found = pool(
        table["mean"], table["sd"], factors={"corpus": table["corpus"], "list": table["list"]}
    )
    print(found.spread.round(2).to_string(index=False))
    shown = pd.concat([table[["corpus", "list"]], found.table.round(2)], axis=1)
    print(shown.to_string(index=False))
    if given.save:
        titled = found.spread.assign(quantity=found.spread["quantity"].map(TITLES))
        print(save(titled, given.save, {"files": len(table)}))


if __name__ == "__main__":
    main()
