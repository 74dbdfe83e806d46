"""What the page on decisions shows: several embeddings, how many words, and sensitivity.

    BAYESBIAS_DATA=... python benchmarks/decisions.py embeddings [--save embeddings]
    BAYESBIAS_DATA=... python benchmarks/decisions.py sensitivity [--save sensitivity]
    python benchmarks/decisions.py plan [--save plan]

The gender files published with the Bayesian paper in one model; the numbers of words and attributes
that `plan_wordlist` tries; the list `gender` in the GoogleNews slice under other priors. With
--save the first and the last also draw their figures.
"""

import argparse
import warnings

import pandas as pd
from saved_results import DATA, IMAGES, save

import bayesbias as bb
from bayesbias.errors import BayesBiasWarning

FILES = {"GoogleNews": "google", "GloVe": "glove", "Reddit": "reddit"}
SIZES = [(14, 12), (14, 24), (24, 24), (50, 24), (100, 24)]
DIFFERENT, NEUTRAL = "associated − different", "associated − neutral"


def embeddings() -> tuple[pd.DataFrame, bb.results.EmbeddingComparison]:
    """Return associated − different in each of three embeddings."""
    folder = DATA / "distances"
    frames = {
        name: bb.read_distances(folder / f"gender_group_{file}_dataset.csv")
        for name, file in FILES.items()
    }
    found = bb.compare_embeddings(frames, seed=1)
    own = found.contrasts[found.contrasts["contrast"] == DIFFERENT]
    columns = {
        "embedding": own["embedding"],
        "verdict": own["verdict"],
        "in sd: mean": own["standardised"],
        "in sd: low": own["standardised_low"],
        "in sd: high": own["standardised_high"],
        "in cosine distance": own["mean"],
        "a neutral pair's sd": own["embedding"].map(found.scales),
    }
    return pd.DataFrame(columns), found


def plan() -> tuple[pd.DataFrame, None]:
    """Return how wide intervals are, and how often they decide, by numbers of words."""
    words, attributes = (sorted({size[place] for size in SIZES}) for place in (0, 1))
    found = bb.plan_wordlist(n_words=words, n_attributes=attributes, simulations=100, seed=1)
    table = found.table.set_index(["contrast", "n_words", "n_attributes"])
    rows = []
    for size in SIZES:
        one, other = (table.loc[(name, *size)] for name in (DIFFERENT, NEUTRAL))
        rows.append(
            {
                "protected words": size[0],
                "attributes": size[1],
                f"{DIFFERENT}: width": one["width"],
                f"{DIFFERENT}: direction, %": 100 * one["direction"],
                f"{DIFFERENT}: decided, %": 100 * one["decided"],
                f"{DIFFERENT}: wrong sign, %": 100 * one["sign_error"],
                f"{DIFFERENT}: times too large": one["exaggeration"],
                f"{NEUTRAL}: width": other["width"],
                f"{NEUTRAL}: direction, %": 100 * other["direction"],
            }
        )
    return pd.DataFrame(rows), None


def sensitivity() -> tuple[pd.DataFrame, bb.results.Sensitivity]:
    """Return the contrasts under other scales of one prior."""
    kv = bb.load_embedding(DATA / "embeddings" / "googlenews-16k-300d.bin")
    found = bb.fit(bb.distances(kv, "gender"), seed=1).sensitivity(progress=False)
    return found.scales, found


WHAT = {"embeddings": embeddings, "plan": plan, "sensitivity": sensitivity}
FIGURES = {"embeddings": "gender-embeddings", "sensitivity": "gender-google-sensitivity"}


def main() -> None:
    """Print a table, and save it with its figure if asked to."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("what", choices=WHAT)
    parser.add_argument("--save", metavar="NAME")
    given = parser.parse_args()
    warnings.simplefilter("ignore", BayesBiasWarning)
    table, found = WHAT[given.what]()
    print(table.round(3).to_string(index=False))
    if given.save and found is not None:
        found.plot().savefig(IMAGES / f"{FIGURES[given.what]}.png", dpi=100)
    if given.save and given.what != "sensitivity":
        print(save(table, given.save, {"seed": 1}))


if __name__ == "__main__":
    main()
