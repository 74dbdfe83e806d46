"""What three models say of the 18 published files of distances, and which one the data support.

    BAYESBIAS_DATA=../shared/data python benchmarks/published.py [--save published]

The files come without vectors, so that attributes count as unrelated. A row is a contrast over all
groups, with its interval, verdict and ROPE, and the log marginal likelihood of the model (the whole
fit).
"""

import argparse
import warnings
from pathlib import Path
from typing import Final

import pandas as pd
from saved_results import DATA, save

import bayesbias as bb

MODELS: Final = ("paper", "crossed", "maximal")
LISTS: Final = {"weat_1": "WEAT 1", "weat_7": "WEAT 7"}
VECTORS: Final = {"glove": "GloVe", "google": "Google", "reddit": "Reddit"}
KEPT: Final = (*("contrast", "observed", "mean", "sd", "low", "high", "standardised", "verdict"),)


def named(stem: str) -> str:
    """Return a file's name as pages have it, such as "gender, Reddit debiased"."""
    plain = stem.removeprefix("debiased_").removesuffix("_dataset").replace("_group", "")
    wordlist, _, vectors = plain.rpartition("_")
    said = f"{LISTS.get(wordlist, wordlist)}, {VECTORS[vectors]}"
    return f"{said} debiased" if stem.startswith("debiased_") else said


def contrasts(folder: Path, seed: int) -> pd.DataFrame:
    """Return the contrasts of every file under every model."""
    found = []
    for path in sorted(folder.glob("*.csv"), key=lambda path: named(path.stem).lower()):
        frame = bb.read_distances(path)
        for model in MODELS:
            fit = bb.fit(frame, model, seed=seed)
            table = fit.contrasts()
            table = table.loc[table["level"].isin(["over all", "controls"]), list(KEPT)]
            table["rope"] = fit.rule().width
            table.insert(0, "data", named(path.stem))
            table.insert(1, "model", model)
            found.append(table.assign(log_evidence=fit.settings["log_marginal_likelihood"]))
        print(path.stem, flush=True)
    return pd.concat(found, ignore_index=True)


def main() -> None:
    """Print associated − different of every file, and save all."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--save", metavar="NAME")
    given = parser.parse_args()
    warnings.simplefilter("ignore", bb.BayesBiasWarning)  # missing words and repeated pairs
    table = contrasts(DATA / "distances", given.seed)
    print(table[table["contrast"] == table["contrast"][0]].round(4).to_string())
    if given.save:
        print(save(table, given.save, {"seed": given.seed}))


if __name__ == "__main__":
    main()
