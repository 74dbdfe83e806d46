"""Every public figure of the package, of small data with words as they are in earnest."""

import warnings
from collections.abc import Callable
from functools import cache, partial
from typing import Any

import numpy as np
import pandas as pd
from samples import in_copies

import bayesbias as bb
from bayesbias import analogies, classifiers
from bayesbias.errors import MissingWordsWarning
from bayesbias.pairs.provenance import with_provenance
from bayesbias.simulate import operating_characteristics
from bayesbias.simulate.assumptions import Assumptions
from bayesbias.studies.sweep_figure import plot_sweep

SMALL: dict[str, Any] = {"model": "paper", "draws": 500, "seed": 1}
QUICK: dict[str, Any] = {"seed": 1, "progress": False}
Draw = Callable[..., Any]  # from ``ax=``, ``figsize=`` or ``palette=`` to a figure


@cache
def frame() -> pd.DataFrame:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MissingWordsWarning)
        return bb.distances(bb.example_embedding(), bb.load_wordlist("gender"))


@cache
def fit() -> "bb.results.Fit":
    return bb.fit(frame(), "crossed", draws=500, seed=1)


def few() -> "bb.results.Fit":
    """A fit of few words, for what refits without each."""
    words = frame()["protected_word"].unique()[::5]
    return bb.fit(frame()[frame()["protected_word"].isin(words)], **SMALL)


def moved(amount: float) -> pd.DataFrame:
    """The pairs with stereotypes moved, as another embedding or a later one might have them."""
    table = frame()
    own = (table["connection"] == "associated") * amount
    shift = np.random.default_rng([2, round(1000 * abs(amount))]).normal(0, 0.01, len(table))
    return with_provenance(
        table.assign(cosine_distance=table["cosine_distance"] + own + shift),
        missing=[],
        source=dict(table.attrs.get("source", {})),
    )


def crossed() -> Draw:
    factors = {
        "race": {"black": ["black_women", "black_men"], "white": ["white_women", "white_men"]},
        "gender": {"women": ["black_women", "white_women"], "men": ["black_men", "white_men"]},
    }
    rng = np.random.default_rng(1)
    lean = {"black_women": -0.1, "black_men": -0.04, "white_women": -0.02, "white_men": 0.03}
    rows = [
        (f"{group}{w}", group, f"{kind}{a}", kind, place)
        for group in lean
        for w in range(4)
        for kind, place in (("pleasant", "different"), ("unpleasant", "associated"))
        for a in range(5)
    ]
    columns = ["protected_word", "group", "attribute", "attribute_set", "connection"]
    table = pd.DataFrame(rows, columns=columns)
    own = table["connection"] == "associated"
    table["cosine_distance"] = 0.9 + table["group"].map(lean) * own
    table["cosine_distance"] += 0.01 * rng.standard_normal(len(table))
    for factor, levels in factors.items():
        names = {group: level for level, groups in levels.items() for group in groups}
        table[factor] = table["group"].map(names)
    table = with_provenance(table, source={"factors": factors}, missing=[])
    return bb.fit(table, "crossed", seed=1).contrasts("factor").plot


def shares() -> Draw:
    words = frame().query("connection in ('associated', 'different')")["attribute"].unique()
    rng = np.random.default_rng(3)
    table = pd.DataFrame(
        {"word": words, "share of women": rng.uniform(0.1, 0.9, len(words)), "error": 0.05}
    )
    return bb.facts(fit(), table, "share of women", seed=1).plot


@cache
def gaps() -> "classifiers.Gaps":
    rng = np.random.default_rng(1)
    jobs = ["nurse", "surgeon", "software engineer", "professor", "attorney", "dietitian", "poet"]
    rows = []
    for number, job in enumerate(jobs):
        for group, sign in (("female", 1), ("male", -1)):
            right = rng.random(60) < 0.6 - sign * 0.03 * (number - 3)
            rows += [(job, job if r else jobs[(number + 1) % len(jobs)], group) for r in right]
    people = pd.DataFrame(rows, columns=["y", "p", "g"])
    return classifiers.gaps(people, true="y", predicted="p", group="g", seed=1)


def outcome() -> Draw:
    names = gaps().table["class"].unique()
    rng = np.random.default_rng(1)
    given = pd.DataFrame({"class": names, "mean": rng.normal(0, 0.05, len(names)), "sd": 0.01})
    given["class"] = given["class"].str.replace(" ", "_")
    return classifiers.outcome(gaps(), given, seed=1).plot


@cache
def protocol() -> Any:
    def guess(texts: Any, labels: Any, others: Any) -> list[str]:
        return ["nurse" if t.split()[-1] in "she her" else "surgeon" for t in others]

    people = classifiers.example_biographies(400, seed=1)
    return classifiers.resampling_protocol(
        people["text"], people["occupation"], people["gender"], guess, sizes=[100, 200],
        n_samples=4, seed=1,
    )  # fmt: skip


def sweep() -> Draw:
    sources = [
        f"{name}-{size}d" for name in ("glove", "word2vec", "fasttext") for size in (50, 300)
    ]
    rng = np.random.default_rng(1)
    lists = {"gender": "woman_stereotype: woman − man", "weat7": "math: male − female"}
    lists["religion"] = "jewish_stereotype: jewish − christian and muslim"
    rows = [
        (source, step, wordlist, model, lists[wordlist])
        for source in sources
        for step in ("none", "hard")
        for wordlist in lists
        for model in ("maximal", "paper")
    ]
    table = pd.DataFrame(rows, columns=["source", "step", "wordlist", "model", "what"])
    table = table.assign(table="list", trusted=True, scale=0.1)
    table["mean"] = rng.normal(-0.03, 0.04, len(table))
    verdicts = ["closer", "closer, size undecided", "undecided", "farther"]
    table["verdict"] = rng.choice(verdicts, len(table))
    failures = table.iloc[:0][["source", "step", "wordlist", "model"]]
    return partial(plot_sweep, table, failures)


def results_of_change() -> "bb.results.Change":
    return bb.compare_change(frame(), moved(0.03), model="change", seed=1)


def accuracy() -> Draw:
    words = ["he", "she", "man", "woman", "king", "queen", "boy", "girl", "father", "mother"]
    pairs = [words[i : i + 2] for i in range(0, len(words), 2)]
    asked = {
        f"{name}": [(*a, *b) for a in pairs for b in pairs if a != b][start : start + 8]
        for start, name in enumerate(("family", "capital-common-countries", "gram3-comparative"))
    }
    return analogies.accuracy(bb.example_embedding(), asked, method="all", progress=False).plot


def runs() -> Draw:
    small = frame()[frame()["protected_word"].isin(["he", "she", "man", "woman"])]
    copies = with_provenance(in_copies(small, ["run"]), missing=[], source={})
    return bb.fit(copies, "runs", draws=300, seed=1).summary("run").plot


def over_time() -> Draw:
    times = {year: moved(-0.0005 * (year - 1900)) for year in (1900, 1930, 1960, 1990)}
    return bb.over_time(times, model="change", level_model="paper", rope=0.01, seed=1).plot


def embeddings() -> Draw:
    named = {"GoogleNews": frame(), "glove-840b": moved(0.02), "fasttext-wiki": moved(0.04)}
    return bb.compare_embeddings(named, seed=1).plot


def plan() -> Draw:
    return bb.plan_wordlist(
        fit(), n_words=[8, 16, 40], n_attributes=[4, 20], simulations=5, seed=1
    ).plot


def characteristics() -> Draw:
    return operating_characteristics(
        ["weat-p", "paper-apart-neutral", "paper-verdict-different"],
        worlds=2,
        effects=[0.0, 0.1],
        n_words=4,
        n_attributes=4,
        assumptions=Assumptions(n_human=6, n_neutral=8),
        seed=1,
    ).plot


FIGURES: dict[str, Callable[[], Draw]] = {
    "contrasts of words": lambda: fit().plot_contrasts,
    "predictive": lambda: fit().plot_predictive,
    "contrasts": lambda: fit().contrasts().plot,
    "contrasts by list": lambda: fit().contrasts("list").plot,
    "contrasts by group": lambda: fit().contrasts("group").plot,
    "contrasts by factor": crossed,
    "summary": lambda: fit().summary().plot,
    "summary by list": lambda: fit().summary("list").plot,
    "summary by group": lambda: fit().summary("group").plot,
    "summary by word": lambda: fit().summary("word").plot,
    "summary by attribute": lambda: fit().summary("attribute").plot,
    "summary by term": lambda: fit().summary("term").plot,
    "summary by run": runs,
    "placebo": lambda: fit().placebo(20, **QUICK).plot,
    "sensitivity": lambda: few().sensitivity(**QUICK).plot,
    "slope effect": lambda: bb.fit(frame(), "crossed", frequency=True, seed=1).slope_effect().plot,
    "criticism": lambda: fit().criticism().plot,
    "facts": shares,
    "distances": lambda: partial(bb.pairs.plot_distances, frame(), ["he", "she"]),
    "empirical": lambda: partial(bb.pairs.plot_empirical, frame()),
    "change": lambda: results_of_change().plot,
    "left": lambda: results_of_change().plot_left,
    "over time": over_time,
    "embeddings": embeddings,
    "models": lambda: bb.compare_models(frame(), ["paper", "crossed"], seed=1).plot,
    "plan": plan,
    "sweep": sweep,
    "characteristics": characteristics,
    "accuracy": accuracy,
    "gaps": lambda: gaps().plot,
    "outcome": outcome,
    "protocol, gaps": lambda: partial(protocol().plot, classes=["nurse", "surgeon"]),
    "protocol, F1": lambda: partial(protocol().plot, "f1"),
    "protocol, accuracy": lambda: partial(protocol().plot, "accuracy"),
}
"""How to draw each, by name; `drawer` remembers what it is drawn from."""


@cache
def drawer(name: str) -> Draw:
    return FIGURES[name]()
