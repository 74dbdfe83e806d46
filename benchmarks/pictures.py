"""Draw the pictures of README and pages with the package's own plot methods.

python benchmarks/pictures.py            # all of them, and their answers to results/pictures.csv
python benchmarks/pictures.py hero ...   # these

Most are of GoogleNews, from the reference data that BAYESBIAS_DATA names; `NEEDS_NO_DATA` has those
of the shipped slice. Each is written to docs/images/NAME.png.
"""

import os
import sys
import warnings
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, Final

import evidence_pictures
import numpy as np
import pandas as pd
from saved_results import save

import bayesbias as bb
from bayesbias import debias
from bayesbias.show.narrator import by_list
from bayesbias.words.provenance import names_of

IMAGES: Final = Path(__file__).parents[1] / "docs" / "images"
DATA: Final = Path(os.environ.get("BAYESBIAS_DATA", Path(__file__).parents[2] / "shared" / "data"))
GLOVE: Final = "glove-840b-10k-300d-int8.bin.gz"
DPI: Final = 150
OWN: Final = {
    "groups": {
        "women": ["woman", "mother", "sister", "wife", "she", "her"],
        "men": ["man", "father", "brother", "husband", "he", "him"],
        "children": ["child", "children", "kid", "kids", "toddler", "teenager"],
        "old people": ["elderly", "pensioner", "grandparents", "senior", "elders", "retiree"],
    },
    "attributes": {
        "school": ["school", "teacher", "classroom", "homework", "pupil", "lesson"],
        "illness": ["hospital", "disease", "cancer", "medicine", "pain", "doctor"],
    },
}
"""Groups and lists that belong to nobody."""


@cache
def vectors(name: str = "googlenews-16k-300d.bin") -> Any:
    """Load vectors of the reference data."""
    return bb.load_embedding(DATA / "embeddings" / name)


@cache
def fit_of(wordlist: str = "gender", name: str = "") -> Any:
    """Analyse a shipped list in GoogleNews, or in other vectors."""
    return bb.analyze(vectors(name) if name else vectors(), wordlist, seed=1)


@cache
def demo() -> Any:
    """Analyse the shipped slice."""
    return bb.analyze(bb.example_embedding(), "gender", seed=1)


def steps(*methods: str) -> Any:
    """Compare GoogleNews with what methods of debiasing make of it."""
    made = {m: debias.find_method(m)(vectors(), wordlist="gender") for m in methods}
    first = "before" if len(methods) == 1 else "GoogleNews"
    return bb.compare({first: vectors(), **made}, "gender", baseline=first, seed=1)


def made_up_decades() -> Any:
    """Compare GoogleNews with itself, its gender direction shrunk from time to time."""
    kv = vectors()
    direction = debias.subspace(kv, wordlist="gender").record.basis[0]
    decades, rng = {}, np.random.default_rng(1)
    for number, decade in enumerate(range(1950, 2000, 10)):
        noise = rng.normal(0, 0.02, kv.vectors.shape) * np.linalg.norm(kv.vectors, axis=1)[:, None]
        moved = kv.vectors - 0.2 * number * np.outer(kv.vectors @ direction, direction)
        decades[decade] = bb.load_embedding((kv.index_to_key, (moved + noise / 10).astype("f4")))
    return bb.compare(decades, "gender", seed=1)


def three_embeddings() -> Any:
    """Compare the published distances of three embeddings."""
    files = {"GoogleNews": "google", "GloVe": "glove", "Reddit": "reddit"}
    places = {n: DATA / "distances" / f"gender_group_{f}_dataset.csv" for n, f in files.items()}
    frames = {name: bb.read_distances(path) for name, path in places.items()}
    return bb.compare(frames, seed=1)


def gaps() -> Any:
    """Compare the rates of the published predictions of occupations."""
    frame = pd.read_csv(DATA / "fairness" / "biasbios_test_predictions.csv.gz")
    names = pd.read_csv(DATA / "fairness" / "biasbios_occupations.csv", index_col="label")
    columns = {"true": "y_true", "group": "gender", "predicted": "y_pred_lr"}
    for column in ("y_true", "y_pred_lr"):
        frame[column] = frame[column].map(names["occupation"])
    frame["gender"] = frame["gender"].map({0: "men", 1: "women"})
    return bb.classifiers.gaps(frame, **columns, seed=1)


def questions() -> Any:
    """Ask Google's questions."""
    path = DATA / "analogies" / "questions-words.txt"
    return bb.analogies.accuracy(vectors(), path, method="all")


NEEDS_NO_DATA: Final[dict[str, Callable[[], Any]]] = {
    "demo-means": lambda: demo().plot_means(),
    "demo-group": lambda: demo().plot_means("group"),
    "demo-word": lambda: demo().plot_means("word"),
    "demo-contrasts": lambda: demo().plot_contrasts(),
    "demo-words": lambda: demo().plot_contrasts("word"),
    "demo-heatmap": lambda: demo().plot_heatmap(),
    "demo-predictive": lambda: demo().plot_predictive(),
    "demo-random": lambda: demo().plot_random_groups(),
}

PICTURES: Final[dict[str, Callable[[], Any]]] = {
    **NEEDS_NO_DATA,
    "hero": lambda: fit_of().plot(),
    "random-groups": lambda: fit_of().plot_random_groups(),
    "heatmap": lambda: fit_of().plot_heatmap(),
    "heatmap-after": lambda: (
        bb.analyze(debias.hard(vectors(), wordlist="gender").vectors, "gender", seed=1)
    ).plot_heatmap(),
    "flowers": lambda: fit_of("weat1").plot(),
    "career": lambda: fit_of("weat6").plot(),
    "religion": lambda: fit_of("religion").plot(),
    "religion-contrasts": lambda: fit_of("religion").plot_contrasts(),
    "race": lambda: fit_of("race").plot_contrasts("list"),
    "own-lists": lambda: bb.analyze(vectors(), OWN, seed=1).plot_contrasts("list"),
    "before-after": lambda: steps("hard").plot(),
    "methods": lambda: steps("hard", "leace", "inlp", "double_hard").plot(),
    "decades": lambda: made_up_decades().plot(),
    "embeddings": lambda: three_embeddings().plot(),
    "classifier-gaps": lambda: gaps().plot(),
    "analogies-accuracy": lambda: questions().plot(),
    **evidence_pictures.PICTURES,
}


ANSWERS: Final[dict[str, Callable[[], Any]]] = {
    "hero": fit_of,
    "flowers": lambda: fit_of("weat1"),
    "demo": demo,
}
"""Fits whose leading answer pages give in words beside their pictures."""


def leading_answers() -> pd.DataFrame:
    """Return the contrast over all of each fit in ANSWERS, with random groups and lists alone."""
    columns = ["mean", "low", "high", "standardised", "verdict", "random_groups"]
    rows = {}
    for name, fitted in ((name, fit()) for name, fit in ANSWERS.items()):
        table = fitted.contrasts()
        lists = by_list(table, names_of(fitted.frame))
        rows[name] = pd.concat([table.iloc[0][columns], pd.Series({"lists": lists})])
    return pd.DataFrame(rows).T.rename_axis("picture").reset_index()


def main(*names: str) -> None:
    """Draw pictures by name, all without names."""
    warnings.simplefilter("ignore", bb.BayesBiasWarning)
    if not names:
        save(leading_answers(), "pictures", {"seed": 1})
    for name in names or PICTURES:
        PICTURES[name]().savefig(IMAGES / f"{name}.png", dpi=DPI)
        print(name, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
