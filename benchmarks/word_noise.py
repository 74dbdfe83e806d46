"""What unequal noise does to intervals, what criticism says of it, and what Student-t noise helps.

Run: python benchmarks/word_noise.py words|pairs|even [--worlds 14]
Worlds of 12 words in two groups: all pairs have the same noise (even), words have noise of their
own (its logarithm has sd .4), or one pair in twenty has three times the noise.
"""

import argparse
import warnings

import numpy as np
import pandas as pd

import bayesbias as bb
from bayesbias.pairs.provenance import with_provenance

COLUMNS = ["protected_word", "group", "attribute", "attribute_set", "connection", "cosine_distance"]


def world(seed: int, kind: str) -> tuple[pd.DataFrame, dict[tuple[str, str], float]]:
    """Return a frame, the true means, and under "noise" the noise of every word."""
    rng = np.random.default_rng(seed)
    sizes = {"list0": 8, "list1": 8, "human": 10, "neutral": 10}
    attributes = [(name, f"{name}-{j}") for name, n in sizes.items() for j in range(n)]
    of_attribute = {word: rng.normal(0, 0.05) for _, word in attributes}
    rows, truth = [], {}
    for w in range(12):
        word, own, of_word = f"w{w}", f"list{w % 2}", rng.normal(0, 0.03)
        noise = 0.05 * (np.exp(rng.normal(0, 0.4)) if kind == "words" else 1)
        truth[word, "noise"] = noise
        for connection in ("associated", "different", "human", "neutral"):
            shared = of_word if connection in ("associated", "different") else 0.0
            shift = -0.03 if connection == "associated" else 0.0
            truth[word, connection] = 1 + shift + shared + rng.normal(0, 0.02)
        for name, attribute in attributes:
            connection = name
            if name.startswith("list"):
                connection = "associated" if name == own else "different"
            error = rng.normal(0, noise)
            if kind == "pairs":
                error = rng.normal(0, 0.15 if rng.random() < 0.05 else 0.05 * 0.6**0.5)
            mean = truth[word, connection] + of_attribute[attribute]
            rows.append((word, f"group{w % 2}", attribute, name, connection, mean + error))
    frame = pd.DataFrame(rows, columns=COLUMNS)
    return with_provenance(frame, source={"made": kind}, missing=[]), truth


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kind", choices=["words", "pairs", "even"])
    parser.add_argument("--worlds", type=int, default=14)
    given = parser.parse_args()
    warnings.simplefilter("ignore")
    named, tables = [], []
    for seed in range(100, 100 + given.worlds):
        frame, truth = world(seed, given.kind)
        for model, options in (("maximal", {}), ("maximal-student-t", {"chains": 2})):
            fit = bb.fit(frame, model, seed=1, progress=False, **options)
            if model == "maximal":
                named.append(int(fit.criticism().words["out_of_line"].sum()))
            table = fit.summary(by="word").table
            true = [truth[key] for key in zip(table.protected_word, table.connection, strict=True)]
            table["missed"] = (true < table.low) | (true > table.high)
            table["width"], table["error"] = table.high - table.low, (table["mean"] - true).abs()
            noise = table.protected_word.map(lambda word, truth=truth: truth[word, "noise"])
            table["loudest"] = noise.rank(pct=True) > 0.75
            tables.append(table.assign(model=model))
    share = np.mean(np.array(named) > 0)
    print(f"words named in a world: {np.mean(named):.2f}; worlds with one: {share:.2f}")
    both = pd.concat(tables)
    print(both.groupby("model")[["missed", "width", "error"]].mean().round(4))
    print(both[both.loudest].groupby("model")["missed"].mean().round(4))


if __name__ == "__main__":
    main()
