"""Answers must be the same where nothing that they are about is different.

    python benchmarks/relations.py [--cases 200] [--seed 0] [--model maximal] [--dimensions 25]

A case is a word list drawn at random (one to four groups, crossed ones at times, with or without
control lists and reference words) and vectors for it: words of the shipped slice of GloVe in the
place of the list's, or normal ones, some in topics, of 25 to 300 dimensions. The list is fitted,
and again after each change that must not matter: rows in another order, vectors rotated, scaled,
each word's by itself, with empty dimensions, in another order of the vocabulary, beside words that
are no one's, in single precision, under other names, and groups, lists and words in another order.
With two groups their lists change places, and associated − different its sign; of vectors with a
constant coordinate, which brings all words nearer to each other, every distance is a quarter of
what it was, and answers in standard deviations stay. A case of changes compares the vectors with
those after a direction is taken out, as rows, rotated and nearer to each other.

Prints for each relation the largest difference of a mean or an end of an interval, in posterior
standard deviations, and how many verdicts differ.
"""

import argparse
import dataclasses
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from gensim.models import KeyedVectors

import bayesbias as bb
from bayesbias.errors import BayesBiasError
from bayesbias.pairs.conditions import paired
from bayesbias.pairs.word_lists import AttributeSet, ProtectedGroup, WordList
from bayesbias.support.progress import tracked

LEVELS = {"connection": [], "group": ["group"], "word": ["protected_word"]}
NUMBERS = ["mean", "low", "high"]
DIMENSIONS = (25, 50, 100, 300)
ASSOCIATION = "associated − different"
FRACTION = 0.25  # records of vectors are of 16 bits, and a power of 2 leaves these what they are


@dataclass(frozen=True)
class Relation:
    """A frame whose answers follow from those of another: new names, another sign, another unit.

    `make`: makes the frame, once it is wanted.
    """

    name: str
    make: Callable[[], pd.DataFrame]
    old_names: dict[str, str] = dataclasses.field(default_factory=dict)
    is_swapped: bool = False
    unit: float = 1.0


def some_list(rng: np.random.Generator) -> WordList:
    """Draw a list's shape: its words are called by their place."""
    n_groups = int(rng.choice([1, 2, 2, 2, 3, 4]))
    is_crossed = n_groups == 4 and rng.random() < 0.5
    names = ["ac", "ad", "bc", "bd"] if is_crossed else [f"group {i}" for i in range(n_groups)]
    own = {name: f"list {i % 2 if is_crossed else i}" for i, name in enumerate(names)}
    groups = tuple(
        ProtectedGroup(name, _words(name, rng.integers(1 + (rng.random() < 0.8), 7)), (own[name],))
        for name in names
    )
    lists = [
        AttributeSet(name, "stereotype", _words(name, rng.integers(2, 8)))
        for name in dict.fromkeys(own.values())
    ]
    for kind in ("human", "neutral"):
        if rng.random() < 0.75:
            lists.append(AttributeSet(kind, kind, _words(kind, rng.integers(1, 12))))
    reference = _words("reference", rng.choice([0, 0, 3, 5]))
    factors: dict[str, dict[str, tuple[str, ...]]] = {}
    if is_crossed:
        factors = {
            "first": {"a": ("ac", "ad"), "b": ("bc", "bd")},
            "second": {"c": ("ac", "bc"), "d": ("ad", "bd")},
        }
    return WordList("some", "", "", groups, tuple(lists), reference=reference, factors=factors)


def _words(name: str, n: int) -> tuple[str, ...]:
    return tuple(f"{name} {i}" for i in range(int(n)))


def some_vectors(
    words: tuple[str, ...], dimension: int | None, rng: np.random.Generator
) -> tuple[list[str], np.ndarray]:
    """Draw vectors of words and of others; returns the vocabulary, and a row for each.

    Of single precision, as files have them: rounding to it changes nothing.
    """
    shipped = bb.example_embedding()
    others = [word for word in shipped.index_to_key if word not in words]
    if dimension is None and rng.random() < 0.4:
        rows = shipped.vectors[rng.choice(len(shipped), len(words), replace=False)]
        return [*words, *others], np.vstack([rows, shipped[others]]).astype(float)
    d = int(rng.choice(DIMENSIONS)) if dimension is None else dimension
    vocabulary = [*words, *others[: int(rng.choice([0, 250, 500]))]]
    topics = rng.choice([0.0, 1.0]) * rng.standard_normal((6, d))
    of_word = rng.integers(6, size=len(vocabulary))
    found = rng.standard_normal((len(vocabulary), d)) + topics[of_word]
    found += rng.choice([0.0, 0.3, 1.0]) * rng.standard_normal(d)
    found *= np.exp(0.3 * rng.standard_normal((len(found), 1)))
    return vocabulary, found.astype(np.float32).astype(float)


def keyed(words: list[str], vectors: np.ndarray, kind: type = np.float64) -> KeyedVectors:
    """Return vectors by word, in double precision unless another kind is asked for."""
    found = KeyedVectors(vectors.shape[1])
    found.add_vectors(list(words), vectors.astype(np.float32))
    found.vectors = vectors.astype(kind)
    return found


def nearer(vectors: np.ndarray) -> np.ndarray:
    """Return unit vectors with a constant coordinate: cosine distances are a fraction of these."""
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    return np.c_[unit, np.full(len(unit), (1.0 / FRACTION - 1.0) ** 0.5)]


def in_other_order(words: WordList) -> WordList:
    """Return a list with its groups, lists and words from the last to the first."""

    def reversed_words(parts: tuple[Any, ...]) -> tuple[Any, ...]:
        return tuple(dataclasses.replace(p, words=p.words[::-1]) for p in parts[::-1])

    return dataclasses.replace(
        words,
        groups=reversed_words(words.groups),
        attribute_sets=reversed_words(words.attribute_sets),
        reference=words.reference[::-1],
    )


def renamed(words: WordList, new: dict[str, str]) -> WordList:
    """Return a list whose words and groups are called by other names."""

    def called(names: tuple[str, ...]) -> tuple[str, ...]:
        return tuple(new[name] for name in names)

    return dataclasses.replace(
        words,
        groups=tuple(
            dataclasses.replace(g, name=new[g.name], words=called(g.words)) for g in words.groups
        ),
        attribute_sets=tuple(
            dataclasses.replace(s, words=called(s.words)) for s in words.attribute_sets
        ),
        reference=called(words.reference),
        factors={
            factor: {level: called(names) for level, names in levels.items()}
            for factor, levels in words.factors.items()
        },
    )


def in_row_order(frame: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
    """Return a frame with its rows in another order, those of reference words last."""
    is_reference = (frame["connection"] == "reference").to_numpy()
    order = rng.permutation(len(frame))
    found = frame.iloc[order[np.argsort(is_reference[order], kind="stable")]]
    found = found.reset_index(drop=True)
    found.attrs = dict(frame.attrs)
    return found


def relations(
    words: WordList, vocabulary: list[str], vectors: np.ndarray, rng: np.random.Generator
) -> Iterator[Relation]:
    """Yield the frame of a case, and those that must give the same answers."""
    n, d = vectors.shape
    plain = bb.distances(keyed(vocabulary, vectors), words)
    rotation = np.linalg.qr(rng.standard_normal((d, d)))[0]
    order = rng.permutation(n)
    others = rng.standard_normal((30, d))
    names = [*words.words, *(group.name for group in words.groups)]
    new = {name: f"Ω{i * 7919 % len(names):04d} {name}" for i, name in enumerate(names)}
    yield Relation("itself", lambda: plain)
    yield Relation("rows in another order", partial(in_row_order, plain, rng))

    def of(keys: list[str], changed: np.ndarray, listed: WordList = words, kind: type = np.float64):
        return lambda: bb.distances(keyed(keys, changed, kind), listed)

    more = [*vocabulary, *(f"no one's {i}" for i in range(30))]
    factor, factors = rng.choice([1e-12, 3e-3, 7.0, 1e10]), rng.uniform(0.1, 10, (n, 1))
    yield Relation("rotated", of(vocabulary, vectors @ rotation))
    yield Relation("scaled", of(vocabulary, vectors * factor))
    yield Relation("every word scaled", of(vocabulary, vectors * factors))
    yield Relation("empty dimensions", of(vocabulary, np.c_[vectors, np.zeros((n, 3))]))
    turned = [vocabulary[i] for i in order]
    yield Relation("vocabulary in another order", of(turned, vectors[order]))
    yield Relation("further words", of(more, np.r_[vectors, others]))
    yield Relation("single precision", of(vocabulary, vectors, kind=np.float32))
    called = [new.get(word, word) for word in vocabulary]
    back = {name: old for old, name in new.items()}
    yield Relation("other names", of(called, vectors, renamed(words, new)), back)
    yield Relation("list in another order", of(vocabulary, vectors, in_other_order(words)))
    yield Relation("nearer", of(vocabulary, nearer(vectors)), unit=FRACTION)
    if len(words.groups) == 2:
        one, two = words.groups
        groups = (
            dataclasses.replace(one, associated=two.associated),
            dataclasses.replace(two, associated=one.associated),
        )
        swapped = dataclasses.replace(words, groups=groups)
        yield Relation("lists change places", of(vocabulary, vectors, swapped), is_swapped=True)


def changes(
    words: WordList, vocabulary: list[str], vectors: np.ndarray, rng: np.random.Generator
) -> Iterator[Relation]:
    """Yield changes between vectors and those without a direction, that must give the same."""
    direction = rng.standard_normal(vectors.shape[1])
    direction /= np.linalg.norm(direction)
    unit = vectors / np.linalg.norm(vectors, axis=1, keepdims=True)
    after = unit - 0.7 * (unit @ direction)[:, None] * direction
    rotation = np.linalg.qr(rng.standard_normal((len(direction),) * 2))[0]

    def frame(one: np.ndarray, two: np.ndarray) -> pd.DataFrame:
        frames = [bb.distances(keyed(vocabulary, v), words) for v in (one, two)]
        return paired(*frames)[0]

    plain = frame(unit, after)
    yield Relation("itself", lambda: plain)
    yield Relation("rows in another order", partial(in_row_order, plain, rng))
    yield Relation("rotated", partial(frame, unit @ rotation, after @ rotation))
    yield Relation("nearer", partial(frame, nearer(unit), nearer(after)), unit=FRACTION)


def answers(frame: pd.DataFrame, model: str) -> dict[str, pd.DataFrame]:
    """Return the contrasts of a fit at every level, by their labels."""
    fit = bb.fit(frame, model, seed=1)
    columns = [*NUMBERS, "sd", "verdict", "on_edge"]
    return {
        by: fit.contrasts(by).table.set_index([*keys, "contrast"])[columns]
        for by, keys in LEVELS.items()
    }


def difference(
    first: dict[str, pd.DataFrame], second: dict[str, pd.DataFrame], relation: Relation
) -> tuple[float, int]:
    """Return the largest difference of what `NUMBERS` are, in sds, and of how many verdicts."""
    largest, flips = 0.0, 0
    for by, before in first.items():
        after = second[by].rename(index=relation.old_names)
        if relation.is_swapped:
            if by != "connection" or ASSOCIATION not in before.index:
                continue
            before, after = before.loc[[ASSOCIATION]], after.loc[[ASSOCIATION]]
            after = after.assign(mean=-after["mean"], low=-after["high"], high=-after["low"])
        after = after.reindex(before.index)
        off = (after[NUMBERS] / relation.unit - before[NUMBERS]).div(before["sd"], axis=0).abs()
        largest = max(largest, float(np.nan_to_num(off.to_numpy(), nan=np.inf).max(initial=0.0)))
        if not relation.is_swapped:
            clear = ~(before["on_edge"] | after["on_edge"])
            flips += int((clear & (before["verdict"] != after["verdict"])).sum())
    return largest, flips


def of_case(
    seed: int, model: str, dimension: int | None = None, only: Sequence[str] = ()
) -> pd.DataFrame:
    """Return a row for each relation of a case: how far its answers are from those of the case.

    `only`: the relations that are tried, all of them where it is empty.
    """
    rng = np.random.default_rng([seed, 38])
    words = some_list(rng)
    vocabulary, vectors = some_vectors(words.words, dimension, rng)
    is_change = bb.load_model(model).response == "change"
    found = (changes if is_change else relations)(words, vocabulary, vectors, rng)
    first, rows = None, []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for relation in found:
            if only and relation.name not in ("itself", *only):
                continue
            try:
                of_relation = answers(relation.make(), model)
            except BayesBiasError as error:
                rows.append((seed, relation.name, np.nan, 0, str(error)))
                continue
            first = first or of_relation
            rows.append((seed, relation.name, *difference(first, of_relation, relation), ""))
    return pd.DataFrame(rows, columns=["case", "relation", "difference", "verdicts", "refused"])


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=200)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--model", default="maximal")
    parser.add_argument("--dimensions", type=int, help="of normal vectors, no shipped ones then")
    given = parser.parse_args()
    cases = range(given.seed, given.seed + given.cases)
    parts = [
        of_case(case, given.model, given.dimensions) for case in tracked(list(cases), "Cases", None)
    ]
    table = pd.concat(parts, ignore_index=True)
    refused = table[table["refused"] != ""]
    print(f"{given.cases} cases, model {given.model}; {refused['case'].nunique()} with a refusal")
    for case, reason in refused.drop_duplicates("case")[["case", "refused"]].to_numpy():
        print(f"  case {case}: {reason}")
    of_relation = table.groupby("relation", sort=False)
    shown = of_relation["difference"].agg(["count", "median", "max"])
    shown["case"] = table["case"][of_relation["difference"].idxmax()].to_numpy()
    shown["verdicts"] = of_relation["verdicts"].sum()
    print(shown.to_string(float_format=lambda x: f"{x:.1e}"))


if __name__ == "__main__":
    main()
