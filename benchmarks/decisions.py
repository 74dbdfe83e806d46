"""The published gender files: associated − different in each of three embeddings.

BAYESBIAS_DATA=... python benchmarks/decisions.py [--save embeddings]
"""

import argparse
import warnings

import pandas as pd
from saved_results import DATA, save

import bayesbias as bb
from bayesbias.errors import BayesBiasWarning

FILES = {"GoogleNews": "google", "GloVe": "glove", "Reddit": "reddit"}


def embeddings() -> pd.DataFrame:
    """Return associated − different in each of three embeddings."""
    folder = DATA / "distances"
    frames = {
        name: bb.read_distances(folder / f"gender_group_{file}_dataset.csv")
        for name, file in FILES.items()
    }
    rows = []
    for name, frame in frames.items():
        fit = bb.fit(frame, seed=1)
        row, (scale, _) = fit.contrasts().iloc[0], fit.scale
        in_sd = {f"in sd: {end}": row[end] / scale for end in ("mean", "low", "high")}
        rows.append({"embedding": name, "verdict": row["verdict"], **in_sd})
        rows[-1] |= {"in cosine distance": row["mean"], "a neutral pair's sd": scale}
    return pd.DataFrame(rows)


def main() -> None:
    """Print the table, and save it with its figure if asked to."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--save", metavar="NAME")
    given = parser.parse_args()
    warnings.simplefilter("ignore", BayesBiasWarning)
    table = embeddings()
    print(table.round(3).to_string(index=False))
    if given.save:
        print(save(table, given.save, {"seed": 1}))


if __name__ == "__main__":
    main()
