"""How often the line of associations against facts misses the truth, with errors on both sides.

    python benchmarks/facts.py [--worlds 400] [--seed 8] [--save facts]
    BAYESBIAS_DATA=... python benchmarks/facts.py --example --seed 1 [--save occupations]

Worlds have two groups of eight words and n attributes, each with a number. How much nearer an
attribute is to the first group has standard deviation .05 and correlates with its true number by 0
or .6; the number is known with an error, whose standard deviation is uniform from .2 to .6 of that
of the true numbers. Words, attributes and pairs have effects and noise as in published files. In
"topics" the attributes are of ten topics: their numbers, what the line leaves of them and a part of
the noise are alike within a topic, and vectors tell how alike. Prints the share of 89% intervals
that miss the slope and the correlation of the true values, and how often least squares with exact
numbers, and Fisher's interval of the raw correlation, do.
"""

import json
from itertools import product

import numpy as np
import pandas as pd
from saved_results import DATA
from scipy import stats
from worlds import PROB, Namespace, Records, run

import bayesbias as bb
from bayesbias.inference.design import Design
from bayesbias.pairs.profile_records import packed
from bayesbias.pairs.provenance import with_provenance

SIZE, LEAN = 8, 0.05
WORD, ATTRIBUTE, NOISE, ALIKE = 0.046, 0.078, 0.05, 0.035
N_TOPICS, N_SAMPLE = 10, 400
FILES = {
    "GoogleNews": "googlenews-16k-300d.bin",
    "GloVe 840B": "glove-840b-10k-300d-int8.bin.gz",
    "GloVe 6B, 50-d": "glove-6b-13k-50d.txt.gz",
}


def layout(n: int) -> pd.DataFrame:
    """Return the pairs of two groups and one list of attributes."""
    rows = [
        (f"{group}{word}", group, f"a{attribute}", "list", "associated", 0.0)
        for group in ("first", "second")
        for word in range(SIZE)
        for attribute in range(n)
    ]
    columns = ["protected_word", "group", "attribute", "attribute_set", "connection"]
    return pd.DataFrame(rows, columns=[*columns, "cosine_distance"])


def with_topics(frame: pd.DataFrame, n: int, rng: np.random.Generator) -> pd.DataFrame:
    """Record profiles of attributes in which those of one topic are alike."""
    topics = rng.standard_normal((N_SAMPLE, N_TOPICS))[:, np.arange(n) % N_TOPICS]
    profiles = topics + 0.7 * rng.standard_normal((N_SAMPLE, n))
    names = frame["attribute"].unique().tolist()
    record = packed(names, [f"common{i}" for i in range(N_SAMPLE)], profiles)
    return with_provenance(frame, source={"made": "by a benchmark"}, profiles=record)


def world(n: int, correlation: float, topical: bool, rng: np.random.Generator):
    """Return a frame and a table of facts; the truth is a slope of `correlation` × LEAN."""
    frame = layout(n)
    root = np.eye(n)
    if topical:
        frame = with_topics(frame, n, rng)
        spec, _ = bb.models.drop_unidentified_terms(
            bb.load_model("maximal").in_unit(0.1, 1.0), frame
        )
        design = Design.from_frame(frame, spec)
        values, vectors = np.linalg.eigh(design.similarity)
        root = vectors * np.sqrt(np.maximum(values, 0.0))
    true = root @ rng.standard_normal(n)
    rest = root @ rng.standard_normal(n)
    lean = LEAN * (correlation * true + np.sqrt(1 - correlation**2) * rest)
    side = np.repeat([-0.5, 0.5], SIZE)[:, None]
    noise = NOISE * rng.standard_normal((2 * SIZE, n))
    if topical:
        noise += ALIKE * rng.standard_normal((2 * SIZE, n)) @ root.T
    distance = 0.9 + side * lean + noise
    distance += WORD * rng.standard_normal((2 * SIZE, 1)) + ATTRIBUTE * rng.standard_normal(n)
    error = rng.uniform(0.2, 0.6, n)
    table = pd.DataFrame(
        {
            "word": frame["attribute"].unique(),
            "fact": true + error * rng.standard_normal(n),
            "error": error,
        }
    )
    made = frame.assign(cosine_distance=distance.ravel())
    made.attrs = dict(frame.attrs)
    return made, table


def naive(x: np.ndarray, y: np.ndarray) -> np.ndarray:
    """Return the intervals of least squares, and Fisher's of the correlation."""
    fitted = stats.linregress(x, y)
    reach = stats.t.ppf((1 + PROB) / 2, len(x) - 2) * fitted.stderr
    of_r = np.arctanh(fitted.rvalue) + stats.norm.ppf((1 + PROB) / 2) * np.array([-1, 1]) / np.sqrt(
        len(x) - 3
    )
    return np.array([[fitted.slope - reach, fitted.slope + reach], np.tanh(of_r)])


def records(given: Namespace) -> Records:
    """Yield for every world whether intervals, of facts and naive, miss slope and correlation."""
    kinds = product(((15, False), (60, False), (60, True)), (0.0, 0.6))
    for ((n, topical), correlation), number in product(kinds, range(given.worlds)):
        rng = np.random.default_rng([given.seed, n, int(10 * correlation), number])
        frame, table = world(n, correlation, topical, rng)
        fit = bb.fit(frame, seed=number, draws=100)
        groups = "first", "second"
        found = bb.facts(fit, table, "fact", error="error", groups=groups, draws=1000, seed=number)
        row = found.table.iloc[0]
        ends = [[row[f"{c}_low"], row[f"{c}_high"]] for c in ("slope", "correlation")]
        both = *ends, *naive(*found.words[["fact", "listed"]].to_numpy().T)
        names = "slope", "r", "slope by least squares", "r by Fisher's interval"
        truths = 2 * (correlation * LEAN, correlation)
        yield {"data": f"n = {n}, r = {correlation:g}" + ", ten topics" * topical} | {
            name: not low <= truth <= high
            for name, truth, (low, high) in zip(names, truths, both, strict=True)
        }


def shares_of_women() -> dict[str, pd.DataFrame]:
    """Return them by occupation: of the census of 2015, and of the Bureau of Labor Statistics."""
    folder = DATA / "wordlists"
    census = pd.read_csv(folder / "garg" / "occupation_percentages_gender_occ1950.csv")
    census = census[census["Census year"] == 2015]
    census = census.rename(columns={"Occupation": "word", "Female": "share"})[["word", "share"]]
    known = folder / "occupations" / "occupational_female_percentage.json"
    bls = pd.Series(json.loads(known.read_text(encoding="utf-8")), name="share") / 100
    return {"census": census, "BLS": bls.rename_axis("word").reset_index()}


def occupations(seed: int) -> pd.DataFrame:
    """Return raw and true correlations, and slopes, in three files of vectors."""
    rows, gender = [], bb.load_wordlist("gender")
    for (name, file), (source, table) in product(FILES.items(), shares_of_women().items()):
        words = gender.with_attributes(table["word"].tolist(), "occupations")
        fit = bb.fit(bb.distances(bb.load_embedding(DATA / "embeddings" / file), words), seed=seed)
        found = bb.facts(fit, table, "share", groups=("woman", "man"), seed=seed).table.iloc[0]
        row = {"vectors": name, "shares": source, "words": found["n_words"]}
        row["raw r"] = found["raw_correlation"]
        for what, form in {"correlation": ".2f", "slope": ".3f"}.items():
            mean, low, high = (f"{found[f'{what}{end}']:{form}}" for end in ("", "_low", "_high"))
            row["r of true values" if what == "correlation" else what] = f"{mean} ({low} to {high})"
        rows.append(row)
    return pd.DataFrame(rows)


if __name__ == "__main__":
    run(records, __doc__, worlds=400, seed=8, example=occupations)
