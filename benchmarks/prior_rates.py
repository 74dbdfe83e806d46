"""How wide the priors of variance components should be: evidence at other rates, file by file.

    BAYESBIAS_DATA=../shared/data python benchmarks/prior_rates.py [--save prior-rates]

All exponential priors of `maximal` have their rates times a factor; 1 is the shipped model. Prints
the log marginal likelihood, summed over the shipped lists that a file of vectors has, less that of
the shipped model. Each file alone would choose the same of these factors.
"""

import argparse
import warnings
from dataclasses import replace
from typing import Final

import pandas as pd
from real_lists import embeddings, named, vectors_of
from saved_results import save

import bayesbias as bb
from bayesbias.errors import BayesBiasWarning, WordListError
from bayesbias.inference.adapting import adapt_model_to_data
from bayesbias.inference.collapsed import log_marginal_likelihood
from bayesbias.inference.design import Design

FACTORS: Final = (1 / 2, 2 / 3, 1.0, 4 / 3, 2.0)
LISTS: Final = ("gender", "race", "religion", "names", *(f"weat{n}" for n in range(1, 11)))


def evidence(path: str, factor: float) -> dict[str, float]:
    """Return the log marginal likelihood of every list that a file of vectors has."""
    spec = bb.load_model("maximal")
    wider = {
        name: replace(prior, rate=prior.rate * factor)
        for name, prior in spec.priors.items()
        if prior.distribution == "exponential"
    }
    found = {}
    for name in LISTS:
        try:
            frame = bb.distances(vectors_of(path), name)
        except WordListError:  # a group has none of its words
            continue
        fitted, _ = adapt_model_to_data(spec.replace(priors=wider), frame)
        found[name] = log_marginal_likelihood(Design.from_frame(frame, fitted), fitted, seed=1)
    return found


def main() -> None:
    """Print a row for every file of vectors."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--save", metavar="NAME")
    given = parser.parse_args()
    warnings.simplefilter("ignore", BayesBiasWarning)  # missing words
    rows = []
    for path in embeddings():
        found = pd.DataFrame({factor: evidence(path, factor) for factor in FACTORS})
        gain = found.sub(found[1.0], axis=0).sum()
        rows.append({"vectors": named(path), "lists": len(found), **gain})
    table = pd.DataFrame(rows)
    print(table.round(1).to_string(index=False))
    if given.save:
        print(save(table, given.save, {}))


if __name__ == "__main__":
    main()
