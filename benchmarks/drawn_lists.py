"""Lists whose answers are known, and what fits make of them: what the calibration scripts share.

A population is two groups of protected words and two lists of attributes, all that the reference
data and the shipped lists name: its contrasts in the whole are the truth of lists that are drawn
from it. Random lists are drawn from the frequent words of a file of vectors, and halves from a
list. Every fit of a file's lists uses the same sample of its vocabulary.
"""

import argparse
import csv
import dataclasses
import json
import os
import time
import warnings
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import islice
from pathlib import Path
from typing import Any, Final

import numpy as np
import pandas as pd
from saved_results import save

import bayesbias as bb
from bayesbias.constants import ATTRIBUTE, CONNECTION, STEREOTYPE_CONNECTIONS
from bayesbias.engine.adapting import unit_of
from bayesbias.errors import BayesBiasWarning
from bayesbias.fits.checks import plain_t_interval
from bayesbias.fits.contrasts import contrasts_asked
from bayesbias.fits.fit_result import Fit
from bayesbias.fits.fitting import fit_prepared, prepared
from bayesbias.models.design import Design
from bayesbias.models.specification import ModelSpec
from bayesbias.support.arguments import KeyedVectors
from bayesbias.vectors.samples import Sample, sample_of, unit
from bayesbias.words.distance_frame import keys_of_words
from bayesbias.words.profiles import profiles_of
from bayesbias.words.word_lists import AttributeSet, ProtectedGroup, WordList

DATA = Path(os.environ.get("BAYESBIAS_DATA", Path(__file__).parents[2] / "shared" / "data"))
KEYS: Final = ["level", "list", "group", "contrast"]
"""Columns of `Fit.contrasts` that name a question."""

POPULATIONS: Final = ("occupations", "adjectives", "flowers", "instruments", "names")
DESIGNS: Final = ("one by one", "topics")
N_WORDS, N_ATTRIBUTES, N_TOPIC, N_NEUTRAL = 7, 8, 4, 35
FEWEST_WORDS, FEWEST_ATTRIBUTES = 10, 16

_QUESTIONS: Final = {
    ("over all", "associated − different"): "over all",
    ("list", ""): "by list",
    ("group", "associated − different"): "by group",
    ("controls", "associated − neutral"): "against neutral",
}

N_FREQUENT, N_GROUP, N_CONTROL = 8000, 8, 60
"""Words from which random lists are drawn, those of a random group, and neutral ones."""

Words = tuple[str, ...]
Rng = np.random.Generator


def embeddings() -> list[str]:
    """Return the files of vectors of the reference data."""
    return sorted(str(path) for path in (DATA / "embeddings").glob("*") if path.is_file())


@dataclass(frozen=True)
class Embedding:
    """A file of vectors, its name without endings, and the sample of its vocabulary."""

    name: str
    vectors: KeyedVectors
    sample: Sample

    def fit(self, frame: pd.DataFrame, spec: ModelSpec, *, seed: int = 1) -> Fit:
        """Fit a model as `bb.fit` does, without random groups and with the sample taken before."""
        frame, notes = prepared(frame, spec)
        keys = keys_of_words(frame, self.vectors, ATTRIBUTE)
        return fit_prepared(
            frame,
            spec,
            profiles_of(self.vectors, keys, self.sample),
            notes=notes,
            seed=seed,
        )

    def fit_stereotypes(self, frame: pd.DataFrame, spec: ModelSpec) -> Fit:
        """Fit stereotypes alone, priors in the unit of the whole frame: the same over all, sooner.

        By list answers differ a little: without control lists less tells which attributes are close
        to all words.
        """
        rows = frame[CONNECTION].isin(STEREOTYPE_CONNECTIONS)
        part = frame[rows].reset_index(drop=True)
        part.attrs = frame.attrs
        return self.fit(part, spec.in_unit(*unit_of(frame, spec.response)))

    def units(self, words: Sequence[str]) -> np.ndarray:
        """Return the unit vectors of words."""
        return unit(np.array([self.vectors[word] for word in words], dtype=float))

    @cached_property
    def frequent(self) -> tuple[Words, np.ndarray]:
        """The first words in lower case, and their unit vectors."""
        words = (w for w in self.vectors.index_to_key if w.isalpha() and w.islower() and len(w) > 2)
        chosen = tuple(islice(words, N_FREQUENT))
        return chosen, self.units(chosen)


@cache
def embedding_of(path: str) -> Embedding:
    """Load a file of vectors, once a process."""
    vectors = bb.load_embedding(path)
    return Embedding(Path(path).name.split(".")[0], vectors, sample_of(vectors))


def observed(frame: pd.DataFrame) -> pd.DataFrame:
    """Return every contrast of the plain means of a frame: of a population, the truth."""
    spec = bb.load_model("paper")
    labels, *_ = contrasts_asked(Design(frame, dataclasses.replace(spec, terms=())))
    return labels[[*KEYS, "observed"]]


def asked(table: pd.DataFrame) -> pd.Series:
    """Return what every contrast of a table is about; "" for those that are not counted."""
    rows = zip(table["level"], table["contrast"], strict=True)
    keys = [(level, "" if level == "list" else contrast) for level, contrast in rows]
    return pd.Series([_QUESTIONS.get(key, "") for key in keys], table.index)


@dataclass(frozen=True)
class Population:
    """Two groups, the list that is associated with each, and neutral lists."""

    groups: Mapping[str, Words]
    lists: Mapping[str, Words]
    controls: tuple[AttributeSet, ...] = ()

    def word_list(
        self,
        words: Sequence[Words] | None = None,
        attributes: Sequence[Words] | None = None,
        controls: tuple[AttributeSet, ...] | None = None,
    ) -> WordList:
        """Return the list of some of the words; without a choice all of them."""
        words = list(self.groups.values()) if words is None else words
        attributes = list(self.lists.values()) if attributes is None else attributes
        groups = tuple(
            ProtectedGroup(name, own, (associated,))
            for name, own, associated in zip(self.groups, words, self.lists, strict=True)
        )
        lists = tuple(
            AttributeSet(name, "stereotype", own)
            for name, own in zip(self.lists, attributes, strict=True)
        )
        others = self.controls if controls is None else controls
        return WordList("population", "population", "", groups, (*lists, *others))

    def drawn(self, embedding: Embedding, design: str, rng: Rng) -> WordList:
        """Draw a list: its attributes one by one, or in topics of four."""
        words = [drawn_words(own, N_WORDS, rng) for own in self.groups.values()]
        attributes = [
            tuple(own[i] for i in drawn_topics(embedding.units(own), rng))
            if design == "topics"
            else drawn_words(own, N_ATTRIBUTES, rng)
            for own in self.lists.values()
        ]
        n = N_NEUTRAL // len(self.controls)
        neutral = [
            dataclasses.replace(one, words=drawn_words(one.words, n, rng)) for one in self.controls
        ]
        return self.word_list(words, attributes, tuple(neutral))


def random_list(
    embedding: Embedding, design: str, rng: Rng, owners: tuple[int, int] = (1, 1)
) -> WordList:
    """Draw a list in which nothing is associated with anything, from a file's frequent words.

    A group is a random word with its seven nearest. Attributes are dealt to the two lists by
    chance, one by one or in topics of four. `owners`: how many groups each list belongs to.
    """
    words, units = embedding.frequent
    while True:
        heads = rng.choice(len(words), sum(owners), replace=False)
        groups = np.argsort(-(units[heads] @ units.T), axis=1)[:, :N_GROUP]
        if len(np.unique(groups)) == groups.size:
            break
    others = np.setdiff1d(np.arange(len(words)), groups)
    if design == "topics":
        attributes = others[drawn_topics(units[others], rng, 2 * N_ATTRIBUTES)]
    else:
        attributes = rng.choice(others, 2 * N_ATTRIBUTES, replace=False)
    neutral = rng.choice(np.setdiff1d(others, attributes), N_CONTROL, replace=False)
    names = ["first"] * owners[0] + ["second"] * owners[1]
    sets = {"first": attributes[:N_ATTRIBUTES], "second": attributes[N_ATTRIBUTES:]}

    def of(places: np.ndarray) -> Words:
        return tuple(words[i] for i in places)

    return WordList(
        *("random", "random", ""),
        tuple(
            ProtectedGroup(f"group {i}", of(own), (name,))
            for i, (own, name) in enumerate(zip(groups, names, strict=True))
        ),
        (
            *(AttributeSet(name, "stereotype", of(own)) for name, own in sets.items()),
            AttributeSet("neutral", "neutral", of(neutral)),
        ),
    )


def drawn_words(words: Words, n: int, rng: Rng) -> Words:
    """Draw words without replacement."""
    return tuple(words[i] for i in rng.choice(len(words), min(n, len(words)), replace=False))


def drawn_topics(units: np.ndarray, rng: Rng, n: int = N_ATTRIBUTES) -> np.ndarray:
    """Draw topics of four that have no word in common: a word and its nearest of unit vectors."""
    while True:
        heads = rng.choice(len(units), n // N_TOPIC, replace=False)
        chosen = np.argsort(-(units[heads] @ units.T), axis=1)[:, :N_TOPIC].ravel()
        if len(set(chosen)) == n:
            return chosen


@cache
def population(name: str, path: str) -> Population | None:
    """Return what a file of vectors has of a population; None where that is too little."""
    vectors = embedding_of(path).vectors
    named_groups, named_lists = _SOURCES[name]()
    groups = apart({group: spelled(words, vectors) for group, words in named_groups.items()})
    taken = frozenset(word for words in groups.values() for word in words)
    lists = {label: spelled(words, vectors, taken) for label, words in named_lists.items()}
    if min(map(len, groups.values())) < FEWEST_WORDS:
        return None
    if min(map(len, lists.values())) < FEWEST_ATTRIBUTES:
        return None
    taken |= {word for words in lists.values() for word in words}
    sets = [s for s in bb.load_wordlist("gender").attribute_sets if s.kind == "neutral"]
    controls = (dataclasses.replace(s, words=spelled(s.words, vectors, taken)) for s in sets)
    return Population(groups, lists, tuple(controls))


def spelled(words: Words, vectors: KeyedVectors, without: frozenset[str] = frozenset()) -> Words:
    """Return the words as vectors spell them, those that they lack or that are taken left out."""
    keys = (word if word in vectors else word.lower() for word in words)
    return tuple(word for word in dict.fromkeys(keys) if word in vectors and word not in without)


def apart(lists: Mapping[str, Sequence[str]]) -> dict[str, Words]:
    """Return two lists without repeated words and without those of both."""
    first, second = lists.values()
    both = set(first) & set(second)
    return {
        name: tuple(word for word in dict.fromkeys(words) if word not in both)
        for name, words in lists.items()
    }


def people() -> dict[str, Words]:
    """Return words for men and for women: Bolukbasi et al. (2016) and Garg et al. (2018)."""
    pairs = [[b, a] for a, b in _read_json("bolukbasi/definitional_pairs.json")]  # woman first
    pairs += _read_json("bolukbasi/equalize_pairs.json")
    men = [man.lower() for man, _ in pairs] + _read_words("garg/male_pairs.txt")
    women = [woman.lower() for _, woman in pairs] + _read_words("garg/female_pairs.txt")
    return apart({"man": men, "woman": women})


def occupations() -> dict[str, Words]:
    """Return occupations of either stereotype: Bolukbasi et al. (2016), WinoBias (2018).

    Of professions with two ratings, from −1 (female) to 1, those that are not so by definition.
    """
    rated = _read_json("bolukbasi/professions.json")
    free = [(word, stereotype) for word, definition, stereotype in rated if abs(definition) < 0.5]
    male = [word for word, stereotype in free if stereotype > 0.1]
    female = [word for word, stereotype in free if stereotype < -0.1]
    more_male, more_female = (
        _read_words(f"winobias/{which}_occupations.txt") for which in ("male", "female")
    )
    male, female = (
        male + [word for word in more_male if word not in female],
        female + [word for word in more_female if word not in male],
    )
    return apart({"occupations of men": male, "occupations of women": female})


def adjectives() -> dict[str, Words]:
    """Return adjectives rated as of men or of women (Williams and Best, by Garg et al. 2018)."""
    with (DATA / "wordlists" / "garg" / "adjectives_williamsbest.csv").open() as file:
        rated = pd.DataFrame(row for row in csv.DictReader(file) if row["year"] == "1970")
    score = rated["score"].astype(float).groupby(rated["word"].str.strip().str.lower()).mean()
    men, women = score.index[score > 550].tolist(), score.index[score < 450].tolist()
    return apart({"adjectives of men": men, "adjectives of women": women})


def valence() -> dict[str, Words]:
    """Return the pleasant and unpleasant words of WEAT (Caliskan et al. 2017)."""
    lists = [bb.load_wordlist(name) for name in ("weat1", "weat3", "weat5", "weat10")]
    words: dict[str, list[str]] = {"pleasant": [], "unpleasant": []}
    for one in (s for wordlist in lists for s in wordlist.attribute_sets if s.name in words):
        words[one.name] += one.words
    return apart(words)


def first_names() -> dict[str, Words]:
    """Return the names of men and women of the shipped lists."""
    words = {g.name: g.words for name in ("names", "weat6") for g in bb.load_wordlist(name).groups}
    men = [*words["black_men"], *words["white_men"], *words["male_names"]]
    women = [*words["black_women"], *words["white_women"], *words["female_names"]]
    return apart({"men": men, "women": women})


def shipped_groups(name: str) -> dict[str, Words]:
    """Return the groups of a shipped list."""
    return {group.name: group.words for group in bb.load_wordlist(name).groups}


_SOURCES: Final = {
    "occupations": lambda: (people(), occupations()),
    "adjectives": lambda: (people(), adjectives()),
    "flowers": lambda: (shipped_groups("weat1"), valence()),
    "instruments": lambda: (shipped_groups("weat2"), valence()),
    "names": lambda: (first_names(), occupations()),
}


def _read_json(name: str) -> Any:
    return json.loads((DATA / "wordlists" / name).read_text(encoding="utf-8"))


def _read_words(name: str) -> list[str]:
    text = (DATA / "wordlists" / name).read_text(encoding="utf-8")
    return [word.strip() for word in text.splitlines() if word.strip()]


def root_mean_square(values: Any) -> float:
    """Return the root of the mean square."""
    return float(np.sqrt(np.mean(np.square(np.asarray(values, float)))))


def standard_error(values: pd.Series, clusters: pd.DataFrame) -> float:
    """Return the standard error of a mean whose values are alike within clusters."""
    sums = (values - values.mean()).groupby([clusters[name] for name in clusters]).sum()
    n = len(sums)
    return float(np.sqrt((sums**2).sum() * n / max(n - 1, 1)) / len(values))


def answers(fit: Fit) -> pd.DataFrame:
    """Return the contrasts of a fit and of plain t-intervals, column ``method``.

    `asked` says what a contrast is about; those about nothing that is counted, and those that are
    withheld, are left out.
    """
    columns = [*KEYS, "observed", "mean", "sd", "low", "high", "withheld"]
    plain = plain_t_interval(fit).assign(mean=lambda table: table["observed"])
    tables = {fit.spec.name: fit.contrasts(), "plain t": plain}
    table = pd.concat([t[columns].assign(method=name) for name, t in tables.items()])
    table = table[table["withheld"] == ""].drop(columns="withheld")
    return table.assign(asked=asked(table)).query("asked != ''")


def shown(table: pd.DataFrame) -> None:
    """Print a summary: counts whole, shares of columns with % in percent."""
    form = {name: "{:.1f}".format for name in table if "%" in name}
    form |= {name: "{:.4f}".format for name in table if name in ("RMSE", "mean sd")}
    form["n"] = "{:.0f}".format
    print(table.to_string(index=False, formatters=form, float_format="{:.2f}".format))


def run(
    text: str,
    rows_of: Callable[[argparse.Namespace, str], Iterable[pd.DataFrame]],
    summary: Callable[[pd.DataFrame], pd.DataFrame],
    *,
    lists: int,
    name: str,
) -> None:
    """Run a benchmark on files of vectors; print its table, and keep it with --save.

    `rows_of`: the answers about a file's lists, from the options and its path. `name`: of the
    result.
    """
    warnings.simplefilter("ignore", BayesBiasWarning)
    parser = argparse.ArgumentParser(description=text)
    parser.add_argument("--vectors", nargs="+", default=embeddings())
    parser.add_argument("--lists", type=int, default=lists)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path, help="a row per answer, as CSV")
    parser.add_argument("--save", action="store_true", help="keep the table for the pages")
    options, started = parser.parse_args(), time.perf_counter()
    parts = []
    for path in options.vectors:
        parts += rows_of(options, path)
        print(f"{embedding_of(path).name}: {time.perf_counter() - started:.0f} s", flush=True)
        if options.out:
            pd.concat(parts).to_csv(options.out, index=False)
    table = summary(pd.concat(parts, ignore_index=True))
    if options.save:
        save(table, name, {"seed": options.seed, "lists": options.lists})
    shown(table)


def rng_of(seed: int, name: str, number: int) -> Rng:
    """Return the random numbers of a list: the same whichever others are drawn."""
    return np.random.default_rng([seed, *name.encode(), number])
