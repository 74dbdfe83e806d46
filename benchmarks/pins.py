"""The numbers that must survive a change of the code: computed, written, or compared.

Run: BAYESBIAS_DATA=... python benchmarks/pins.py [--write] [--only WORD].

Four vector files × six word lists × two models, the measures, debiasing methods, analogies and
classifiers, on the reference data. `--write` saves them in `tests/pins.csv.gz`, with `--only` some
parts of them beside the others; without it what is computed is compared with the file. Nothing is
drawn but where a key starts with ``fit`` or ``drawn``: there an interval's width is the unit, or
the standard error of a share. A key is a path, such as
``fit/google/gender/paper/connection/associated/low``.
"""

import argparse
import gzip
import os
import warnings
from collections.abc import Callable, Collection, Iterator
from pathlib import Path

import numpy as np
import pandas as pd
from gensim.models import KeyedVectors

import bayesbias as bb
from bayesbias.fits.checks import loo_of

DATA = Path(os.environ.get("BAYESBIAS_DATA", "../shared/data"))
PINS = Path(__file__).parent.parent / "tests" / "pins.csv.gz"
FILES = {
    "google": "googlenews-16k-300d.bin",
    "glove6b": "glove-6b-13k-50d.txt.gz",
    "glove840b": "glove-840b-10k-300d-int8.bin.gz",
    "twitter": "glove-twitter-12k-25d.txt.gz",
}
LISTS = ("gender", "religion", "race", "weat1", "weat6", "weat7")
MODELS = ("paper", "crossed")
METHODS = ("hard", "multiclass", "subspace", "inlp", "leace", "double_hard")
WORDS = 40

EXACT = 1e-6
"""How far a number may be off where nothing is drawn, relative to 1 or to its size."""

MEAN, END, LOG = 0.01, 0.035, 0.5
"""A mean and an end of an interval in widths of it, and log evidence.

Of an end three standard errors of a difference: from 1,000 draws of the standard deviations it has
one of up to 0.8% of the width (`paper`, race in GloVe 840B, where a standard deviation is hardly
known). From 40,000 they agree with those of a grid to a thousandth.
"""

WORD_MEAN, WORD_END = 0.035, 0.055
"""The same of words: three standard errors of a pin from 500 draws of the standard deviations and a
number of today from 1,000, where the mean given these varies most (a fifth of the width).
"""

ELPD = 3.5
"""Of an elpd, from draws of the effects: three standard errors of a difference of two runs.

Six seeds have a standard deviation of 0.8 (gender in Twitter).
"""

DRAWN_END, DRAWN_P = 0.05, 0.03
"""Three standard errors of an end from 2,000 draws, in widths; of p from 10,000, in √(p(1 − p))."""

Pins = Iterator[tuple[str, float]]


def _rows(place: str, table: pd.DataFrame, keys: list[str]) -> Pins:
    for row in table.dropna(subset="mean").to_dict("records"):  # without rows that are withheld
        name = "/".join(str(row[key]) for key in keys)
        for column in ("mean", "low", "high"):
            yield f"{place}/{name}/{column}", row[column]


def fits(vectors: dict[str, KeyedVectors]) -> Pins:
    """Yield what two models say of every list."""
    for file, kv in vectors.items():
        for name in LISTS:
            try:
                frame = bb.distances(kv, name)
            except bb.BayesBiasError:
                continue  # a group has none of its words in the file
            means = frame.groupby("connection", sort=True)["cosine_distance"].mean()
            yield from ((f"distance/{file}/{name}/{c}", v) for c, v in means.items())
            for model in MODELS:
                fit = bb.fit(frame, model, seed=1)
                place = f"fit/{file}/{name}/{model}"
                yield from _rows(f"{place}/connection", fit.summary(), ["connection"])
                words = fit.summary("word")
                words = words.sort_values(["protected_word", "group", "connection"])
                words = words.iloc[:: max(1, len(words) // WORDS)][:WORDS]
                yield from _rows(f"{place}/word", words, ["protected_word", "group", "connection"])
                contrasts = fit.contrasts().query("level == ['over all', 'controls']")
                yield from _rows(f"{place}/contrast", contrasts, ["contrast"])
                yield f"{place}/evidence", fit.log_marginal_likelihood
                yield f"{place}/elpd", float(loo_of(fit).elpd.sum())
                yield f"{place}/pareto_k", fit.diagnostics.numbers["pareto_k"]


def measures(vectors: dict[str, KeyedVectors]) -> Pins:
    """Yield the one-number measures of every list, and WEAT's p."""
    from bayesbias import measures as room

    kept = ("WEAT", "WEFAT", "MAC", "RIPA", "direct bias", "RND", "ECT", "RNSB")
    for file, kv in vectors.items():
        for name in LISTS:
            names = [one for one in kept if one in room.MEASURES]
            table = room.all_measures(kv, name, names=names, seed=1)
            for row in table[table["skipped"] == ""].itertuples():
                place = f"measure/{file}/{name}/{row.measure}/{row.applies_to.replace(', ', '+')}"
                yield f"{place}/value", row.value
                if row.p_method != "none":
                    is_exact = "exact" in row.p_method
                    yield f"{place if is_exact else 'drawn/' + place}/p", row.p_value


def debiasing(vectors: dict[str, KeyedVectors]) -> Pins:
    """Yield forty distances after each method, of the pairs that the pins have."""
    keys = read().index
    for file, kv in vectors.items():
        for name in ("gender", "religion", "race"):
            for method in METHODS:
                place = f"debias/{file}/{name}/{method}/"
                pinned = keys[keys.str.startswith(place)]
                if pinned.empty:
                    continue  # a group has none of its words, or sets of three in a method of pairs
                after = getattr(bb.debias, method)(kv, name, neutralise="listed").vectors
                for key in pinned:
                    yield key, float(after.distance(*key.removeprefix(place).split("/")))


def analogies(vectors: dict[str, KeyedVectors]) -> Pins:
    """Yield the accuracy on the common questions, by category, and two rankings."""
    questions = DATA / "analogies" / "questions-words.txt"
    for file in {"google", "glove6b"} & set(vectors):
        table = bb.analogies.accuracy(vectors[file], questions, restrict_vocab=5000).to_frame()
        for row in table.to_dict("records"):
            name = "/".join(str(v) for v in row.values() if isinstance(v, str))
            numbers = ((k, v) for k, v in row.items() if isinstance(v, int | float | np.number))
            yield from ((f"analogy/{file}/{name}/{k}", float(v)) for k, v in numbers)


def classifiers(vectors: dict[str, KeyedVectors]) -> Pins:
    """Yield Bernstein's figures, gaps on published predictions, and the protocol on them."""
    room = bb.classifiers
    for variance in (1.0, 4.0):
        settings = {"variance": variance, "confidence": 0.95, "gamma": 0.5}
        yield f"bernstein/{variance}/n", room.required_n(disparity=0.05, **settings)
        yield f"bernstein/{variance}/t", float(room.bernstein_half_width(3160, **settings))
        yield f"bernstein/{variance}/least", room.detectable_disparity(n=3160, **settings)
    people = pd.read_csv(DATA / "fairness" / "biasbios_test_predictions.csv.gz")
    people["group"] = people["gender"].map({0: "male", 1: "female"})
    options = {"true": "y_true", "predicted": "y_pred_lr", "group": "group", "reference": "male"}
    table = room.gaps(people, **options, draws=2000, seed=1).table
    for row in table.to_dict("records"):
        place = f"{row['metric']}/{row['class']}"
        yield f"gap/{place}", row["gap"]
        yield from ((f"drawn/gap/{place}/{end}", row[end]) for end in ("low", "high"))
    scores = room.resampling_protocol(
        people["y_pred_lr"].to_numpy(), people["y_true"], people["group"], lambda X, y, test: test,
        sizes=[4000, 16000], n_samples=4, reference="male", seed=1, progress=False,
    )  # fmt: skip
    table = scores.scores[scores.scores["contrast"] != ""].rename(columns={"value": "gap"})
    texts = [c for c in table if not pd.api.types.is_numeric_dtype(table[c]) or c == "size"]
    for row in table.to_dict("records"):
        place = "/".join(str(row[c]) for c in texts)
        numbers = {k: v for k, v in row.items() if k not in texts and np.isfinite(v)}
        yield from ((f"protocol/{place}/{k}", float(v)) for k, v in numbers.items())


PARTS: tuple[Callable[[dict[str, KeyedVectors]], Pins], ...] = (
    fits,
    measures,
    debiasing,
    analogies,
    classifiers,
)


def computed(only: str = "", files: Collection[str] = tuple(FILES)) -> pd.Series:
    """Return the numbers of today by key; `only` those parts whose name has it."""
    vectors = {k: bb.load_embedding(DATA / "embeddings" / FILES[k]) for k in files}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        found = dict(pin for part in PARTS if only in part.__name__ for pin in part(vectors))
    return pd.Series(found, dtype=float)


def differences(today: pd.Series, pins: pd.Series) -> pd.DataFrame:
    """Return a row for each pin: `off` is how far it is off in units of what is allowed."""
    table = pd.DataFrame({"pin": pins, "today": today}).dropna(subset="pin")
    off = (table["today"] - table["pin"]).abs() / (EXACT * np.maximum(1.0, table["pin"].abs()))
    kind = table.index.str.rsplit("/", n=1).str[-1]
    is_fit = table.index.str.startswith("fit/")
    stem = table.index.str.rsplit("/", n=1).str[0]
    width = pins.reindex(stem + "/high").to_numpy() - pins.reindex(stem + "/low").to_numpy()
    moved = (table["today"] - table["pin"]).abs()
    is_word = table.index.str.contains("/word/")
    of_mean, of_end = np.where(is_word, WORD_MEAN, MEAN), np.where(is_word, WORD_END, END)
    off = off.mask(is_fit & (kind == "mean"), moved / (of_mean * width))
    off = off.mask(is_fit & kind.isin(["low", "high"]), moved / (of_end * width))
    off = off.mask(is_fit & (kind == "evidence"), moved / LOG)
    off = off.mask(is_fit & (kind == "elpd"), moved / ELPD)
    off = off.mask(is_fit & (kind == "pareto_k"), (table["today"] >= 0.7) * 2.0)
    is_drawn, p = table.index.str.startswith("drawn/"), table["pin"]
    error = DRAWN_P * np.sqrt((p * (1 - p)).clip(lower=1e-4))
    off = off.mask(is_drawn & (kind == "p"), moved / error)
    off = off.mask(is_drawn & kind.isin(["low", "high"]), moved / (DRAWN_END * width))
    return table.assign(off=off.mask(table["today"].isna(), np.inf))


def read() -> pd.Series:
    """Return the pins by key."""
    lines = gzip.decompress(PINS.read_bytes()).decode().splitlines()
    pairs = (line.rsplit(",", 1) for line in lines)
    return pd.Series({key: float(value) for key, value in pairs})


def main() -> None:
    """Write the pins, or print what is off."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--write", action="store_true")
    parser.add_argument("--only", default="")
    arguments = parser.parse_args()
    today = computed(arguments.only)
    if arguments.write:
        parts = set(today.index.str.split("/").str[0])
        others = read()
        today = pd.concat([others[~others.index.str.split("/").str[0].isin(parts)], today])
        lines = "\n".join(f"{key},{value:.9g}" for key, value in today.items())
        PINS.write_bytes(gzip.compress(lines.encode(), mtime=0))
        print(f"{len(today)} numbers, {PINS.stat().st_size} bytes")
        return
    pins = read()
    pins = pins[pins.index.str.split("/").str[0].isin(today.index.str.split("/").str[0])]
    table = differences(today, pins)
    print(table[table["off"] > 1].to_string(max_rows=60))
    print(f"{len(table)} pins, {(table['off'] > 1).sum()} off")


if __name__ == "__main__":
    main()
