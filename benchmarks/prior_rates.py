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
from drawn_lists import embedding_of, embeddings
from saved_results import save

import bayesbias as bb
from bayesbias.constants import ATTRIBUTE
from bayesbias.engine.adapting import adapt_model_to_data
from bayesbias.engine.collapsed import integrate_blocks
from bayesbias.errors import BayesBiasWarning, WordListError
from bayesbias.models.design import Design
from bayesbias.words.distance_frame import keys_of_words
from bayesbias.words.profiles import profiles_of

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
    found, embedding = {}, embedding_of(path)
    for name in LISTS:
        try:
            frame = bb.distances(embedding.vectors, name)
        except WordListError:  # a group has none of its words
            continue
        keys = keys_of_words(frame, embedding.vectors, ATTRIBUTE)
        alike = profiles_of(embedding.vectors, keys, embedding.sample)
        fitted, *_ = adapt_model_to_data(spec.replace(priors=wider), frame, alike)
        design = Design(frame, fitted, alike)
        _, _, record = integrate_blocks(design, fitted, draws=1, chains=1, proposals=3000)
        found[name] = record["log_marginal_likelihood"]
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
        gains = {f"rates × {factor:.2g}": gain[factor] for factor in FACTORS}
        rows.append({"vectors": embedding_of(path).name, "lists": len(found), **gains})
    table = pd.DataFrame(rows)
    print(table.round(1).to_string(index=False))
    if given.save:
        print(save(table, given.save, {}))


if __name__ == "__main__":
    main()
