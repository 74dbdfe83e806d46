"""What benchmarks on real lists share: vectors, questions, and the answers of every method.

An answer is about a contrast over all groups, of a list, or of a group. Each is a linear function
of cells, the mean distances of a group to a list: of the cells of a whole population it is the
truth, of those of resampled words and attributes a bootstrap's draw.
"""

import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Any, Final

import numpy as np
import pandas as pd
from scipy.special import ndtri

import bayesbias as bb
from bayesbias.constants import (
    ATTRIBUTE,
    ATTRIBUTE_SET,
    CHANGE,
    CONNECTION,
    CONTRASTS,
    DISTANCE,
    GROUP,
    PROTECTED_WORD,
    REFERENCE,
    TOPIC,
)
from bayesbias.errors import BayesBiasError
from bayesbias.fits.between_groups import BETWEEN, contrasts_of_lists
from bayesbias.fits.contrasts import contrast_name
from bayesbias.fits.refitted import ALL_GROUPS, RefittedContrasts
from bayesbias.inference.adapting import adapt_model_to_data
from bayesbias.inference.decision import DecisionRule
from bayesbias.inference.design import Design
from bayesbias.inference.questions import LinearCombinations
from bayesbias.inference.refits import Refit
from bayesbias.inference.specification import ModelSpec
from bayesbias.pairs.provenance import source_of, with_provenance
from bayesbias.pairs.topics import topics_of
from bayesbias.support.processes import parallel_map
from bayesbias.support.threads import on_one_thread

Array = np.ndarray

DATA = Path(os.environ.get("BAYESBIAS_DATA", Path(__file__).parents[2] / "shared" / "data"))

MODELS: Final = {
    "maximal": "maximal",
    "unrelated": "maximal, attributes unrelated",
    "topics": "maximal, topics as a term",
    "crossed": "crossed",
    "paper": "paper",
    "bootstrap": "bootstrap of words and attributes",
    "words": "spread over words (WEAT)",
}
"""Methods by the names that --models takes."""

OF_CHANGES: Final = {"maximal": "change-maximal", "crossed": "change-crossed", "paper": "change"}

KEYS: Final = ["level", "of", "contrast"]
"""What names a question: of all groups, of a list or of a group; which one; what is compared."""

OWN_OTHERS: Final = "own groups − other groups"

PROBS: Final = (0.89, 0.5)

_RULE: Final = DecisionRule(0.01)
_STEREOTYPES: Final = contrast_name("associated", "different")
_RESAMPLED: Final = 200


def shown_level(row: Any) -> str:
    """Return the line of a report in which a question counts; "" of one that has none."""
    lines = {
        ("all", _STEREOTYPES): "over all",
        ("list", OWN_OTHERS): "by list",
        ("group", _STEREOTYPES): "by group",
        ("all", contrast_name("associated", "neutral")): "against neutral",
    }
    return lines.get((row.level, row.contrast), "")


def embeddings() -> list[str]:
    """Return the files of vectors of the reference data."""
    return sorted(str(path) for path in (DATA / "embeddings").glob("*") if path.is_file())


@cache
def vectors_of(path: str) -> Any:
    """Load a file of vectors, once a process."""
    return bb.load_embedding(path)


def named(path: str) -> str:
    """Return the name of a file of vectors without its endings."""
    return Path(path).name.split(".")[0]


def unit(matrix: Array) -> Array:
    """Return rows of length 1."""
    return np.asarray(matrix / np.linalg.norm(matrix, axis=1, keepdims=True))


@dataclass(frozen=True)
class Pairs:
    """The distances of a frame as a matrix of words and attributes, NaN where there is no pair.

    `group` (n_words,), `lists` (n_attributes,): codes of `group_names` and `list_names`.
    `connection`: of every group and list that meet.
    """

    distance: Array
    group: Array
    lists: Array
    group_names: tuple[str, ...]
    list_names: tuple[str, ...]
    connection: Mapping[tuple[str, str], str]

    @classmethod
    def of_frame(cls, frame: pd.DataFrame, column: str = DISTANCE) -> "Pairs":
        """Spread the rows of a frame."""
        word, attribute = (
            frame.groupby(keys, sort=False).ngroup().to_numpy()
            for keys in ([GROUP, PROTECTED_WORD], [ATTRIBUTE_SET, ATTRIBUTE])
        )
        distance = np.full((word.max() + 1, attribute.max() + 1), np.nan)
        distance[word, attribute] = frame[column].to_numpy()
        group, group_names = pd.factorize(frame[GROUP].to_numpy()[_first(word)])
        lists, list_names = pd.factorize(frame[ATTRIBUTE_SET].to_numpy()[_first(attribute)])
        met = frame[[GROUP, ATTRIBUTE_SET, CONNECTION]].drop_duplicates()
        connection = {(g, s): c for g, s, c in met.itertuples(index=False)}
        return cls(distance, group, lists, tuple(group_names), tuple(list_names), connection)

    @property
    def protected(self) -> tuple[str, ...]:
        """The groups but for that of reference words."""
        return tuple(name for name in self.group_names if name != REFERENCE)

    @property
    def sizes(self) -> Array:
        """How many attributes each list has, (n_lists,)."""
        return np.bincount(self.lists, minlength=len(self.list_names))

    def cells(self, words: Array | None = None, attributes: Array | None = None) -> Array:
        """Return the mean distance of each group to each list, (n, n_groups, n_lists).

        `words` (n, n_words) and `attributes` (n, n_attributes): how often each counts, by default
        once. 0 where a group does not meet a list.
        """
        words = np.ones((1, len(self.group))) if words is None else words
        attributes = np.ones((len(words), len(self.lists))) if attributes is None else attributes
        known = ~np.isnan(self.distance)
        value = np.where(known, self.distance, 0.0)
        of_list = np.eye(len(self.list_names))[self.lists]
        found = np.zeros((len(words), len(self.group_names), len(self.list_names)))
        for code in range(len(self.group_names)):
            own = words * (self.group == code)
            total = (own @ value * attributes) @ of_list
            count = (own @ known * attributes) @ of_list
            np.divide(total, count, out=found[:, code], where=count > 0)
        return found

    def spread_over_words(self, weights: Array) -> Array:
        """Return the sd of linear functions of cells that words alone would have.

        `weights` (n, n_groups, n_lists). NaN where a group has a single word.
        """
        each = self.cells_of_words()
        variance = np.zeros(len(weights))
        for code in range(len(self.group_names)):
            asked = weights[:, code].any(axis=1)
            scores = each[self.group == code] @ weights[asked, code].T
            few = len(scores) < 2
            variance[asked] += np.nan if few else scores.var(axis=0, ddof=1) / len(scores)
        return np.sqrt(variance)

    def cells_of_words(self) -> Array:
        """Return the mean distance of each word to each list, (n_words, n_lists); 0 without any."""
        known = ~np.isnan(self.distance)
        of_list = np.eye(len(self.list_names))[self.lists]
        count = known @ of_list
        total = np.where(known, self.distance, 0.0) @ of_list
        return np.divide(total, count, out=np.zeros_like(total), where=count > 0)


def _first(codes: Array) -> Array:
    """Return where each code stands first; codes count up in the order of their rows."""
    return np.unique(codes, return_index=True)[1]


def questions(pairs: Pairs, *, reference: bool = True) -> tuple[pd.DataFrame, Array]:
    """Return labels of what is asked, and the weights of cells, (n, n_groups, n_lists).

    A group's lists count by their attributes. With reference words the lists' own difference, as
    these have it, is taken off what a group has with its own and with other lists.
    """
    labels: list[tuple[str, str, str]] = []
    weights: list[Array] = []
    groups, at = pairs.protected, pairs.group_names.index
    for first, second in CONTRASTS:
        own = [_share(pairs, g, first) - _share(pairs, g, second) for g in groups]
        if any(np.isnan(row).any() for row in own):
            continue
        found = np.zeros((len(groups), len(pairs.group_names), len(pairs.list_names)))
        for row, (group, share) in enumerate(zip(groups, own, strict=True)):
            found[row, at(group)] = share
        name = contrast_name(first, second)
        labels += [("all", "", name), *(("group", group, name) for group in groups)]
        weights.append(found.mean(axis=0))
        if reference and REFERENCE in pairs.group_names and name == _STEREOTYPES:
            found[:, at(REFERENCE)] = -np.array(own)
        weights += list(found)
    for place, name in enumerate(pairs.list_names):
        owns = np.array([pairs.connection.get((g, name)) == "associated" for g in groups])
        others = np.array([pairs.connection.get((g, name)) == "different" for g in groups])
        if owns.any() and others.any():
            found = np.zeros((len(pairs.group_names), len(pairs.list_names)))
            found[[at(g) for g in groups], place] = owns / owns.sum() - others / others.sum()
            labels.append(("list", name, OWN_OTHERS))
            weights.append(found)
    return pd.DataFrame(labels, columns=KEYS), np.array(weights)


def _share(pairs: Pairs, group: str, connection: str) -> Array:
    """Return the share of each list in a group's connection, (n_lists,); NaN without any."""
    there = np.array([pairs.connection.get((group, s)) == connection for s in pairs.list_names])
    counted = pairs.sizes * there
    return counted / counted.sum() if counted.any() else np.full(len(there), np.nan)


def plain_answers(pairs: Pairs, *, reference: bool = True) -> pd.DataFrame:
    """Return what is asked and its value in these very pairs: of a population, the truth."""
    labels, weights = questions(pairs, reference=reference)
    return labels.assign(mean=np.einsum("qgs,gs->q", weights, pairs.cells()[0]))


def by_list(design: Design) -> tuple[pd.DataFrame, LinearCombinations]:
    """Return, of every list, how much closer its own groups are than others: a refit's `more`."""
    labels, weights = contrasts_of_lists(design)
    rows = np.flatnonzero((labels["contrast"] == BETWEEN).to_numpy())
    asked = pd.DataFrame({"list": labels[ATTRIBUTE_SET].iloc[rows].to_numpy()})
    return asked.assign(contrast=OWN_OTHERS), weights.rows(rows)


@dataclass
class FittedAnew:
    """Fits a model to one frame after another, as `bb.fit` does; fits of one form share starts."""

    spec: ModelSpec
    asked: Mapping[str, Any] = field(default_factory=lambda: {"connection": CONTRASTS})
    more: Callable[[Design], tuple[pd.DataFrame, LinearCombinations]] | None = None
    _forms: dict[tuple[object, ...], RefittedContrasts] = field(default_factory=dict, repr=False)

    def of_frame(self, frame: pd.DataFrame) -> tuple[pd.DataFrame, Refit]:
        """Return the contrasts of a frame, and the fit."""
        spec, _ = adapt_model_to_data(self.spec, frame)
        # Fits with the same terms share starts, whatever the unit of the frame.
        names = tuple(term.name for term in spec.terms)
        key = names, spec.noise.similar, spec.noise.similar_connections, frame[GROUP].nunique()
        if key not in self._forms:
            self._forms[key] = RefittedContrasts(spec, _RULE, self.asked, self.more)
        return self._forms[key].of_frame(frame, spec)


@dataclass
class Answers:
    """Answers of several methods to one frame after another; refits of a model share starts."""

    models: Sequence[str]
    change: bool = False
    _fitted_anew: dict[str, FittedAnew] = field(default_factory=dict, repr=False)

    def of_frame(self, frame: pd.DataFrame, rng: np.random.Generator) -> pd.DataFrame:
        """Return a row for every method and question: `KEYS`, model, mean, sd, ends of intervals.

        A fit's table keeps its other columns. A method that refuses a frame has no rows.
        """
        found = []
        for name in self.models:
            if name in ("bootstrap", "words"):
                table = self._resampled(frame, name, rng)
            else:
                try:
                    table = self._fitted(frame, name)
                except BayesBiasError as error:
                    print(f"  {MODELS[name]}: {error}")
                    continue
            found.append(table.assign(model=name))
        if not found:
            return pd.DataFrame(columns=[*KEYS, "model", "mean", "sd"])
        return pd.concat(found, ignore_index=True)

    def has_reference(self, name: str) -> bool:
        """Tell whether a method tells what groups have by reference words."""
        return name in ("bootstrap", "words") or self._model(name).spec.reference_words

    def _model(self, name: str) -> FittedAnew:
        if name not in self._fitted_anew:
            plain = name if name in OF_CHANGES else "maximal"
            spec = bb.load_model(OF_CHANGES[plain] if self.change else plain)
            spec = spec.without_similarity() if name == "unrelated" else spec
            asked = {"connection": CONTRASTS, "group": CONTRASTS}
            self._fitted_anew[name] = FittedAnew(spec, asked, by_list)
        return self._fitted_anew[name]

    def _fitted(self, frame: pd.DataFrame, name: str) -> pd.DataFrame:
        given = with_topics(frame) if name == "topics" else frame
        table, refit = self._model(name).of_frame(given)
        ends = np.array([one.interval(PROBS[1], _RULE.interval) for one in refit.answers])
        return labelled(table).assign(low50=ends[:, 0], high50=ends[:, 1])

    def _resampled(self, frame: pd.DataFrame, name: str, rng: np.random.Generator) -> pd.DataFrame:
        pairs = Pairs.of_frame(frame, CHANGE if self.change else DISTANCE)
        labels, weights = questions(pairs)
        mean = np.einsum("qgs,gs->q", weights, pairs.cells()[0])
        if name == "words":
            sd = pairs.spread_over_words(weights)
        else:
            again = pairs.cells(resampled(pairs.group, rng), resampled(pairs.lists, rng))
            sd = np.einsum("qgs,ngs->nq", weights, again).std(axis=0, ddof=1)
        ends = {}
        for prob, end in zip(PROBS, ("", "50"), strict=True):
            reach = ndtri((1 + prob) / 2) * sd
            ends |= {f"low{end}": mean - reach, f"high{end}": mean + reach}
        return labels.assign(mean=mean, sd=sd, **ends).dropna(subset="sd")


def labelled(table: pd.DataFrame) -> pd.DataFrame:
    """Return a table of `RefittedContrasts` with `KEYS` in the place of group and list."""
    of_list = table["list"].notna() if "list" in table else pd.Series(False, index=table.index)
    over_all = table[GROUP].eq(ALL_GROUPS) & ~of_list
    level = np.where(of_list, "list", np.where(over_all, "all", "group"))
    of = table["list"].where(of_list, table[GROUP]) if of_list.any() else table[GROUP]
    rest = table.drop(columns=[GROUP, "list"], errors="ignore")
    return rest.assign(level=level, of=of.mask(over_all, ""))


def resampled(codes: Array, rng: np.random.Generator, n: int = _RESAMPLED) -> Array:
    """Return how often each member counts where every group is drawn anew, (n, n_members)."""
    counts = np.zeros((n, len(codes)))
    for code in np.unique(codes):
        own = np.flatnonzero(codes == code)
        counts[:, own] = rng.multinomial(len(own), np.full(len(own), 1 / len(own)), n)
    return counts


def with_topics(frame: pd.DataFrame) -> pd.DataFrame:
    """Return a frame without vectors whose topics, of one list each, are named."""
    found = topics_of(frame)
    if found is None:
        raise ValueError("no record of vectors")
    rows = found[[ATTRIBUTE_SET, ATTRIBUTE, TOPIC]].itertuples(index=False)
    name = {(one, word): f"{one}: {topic}" for one, word, topic in rows}
    both = zip(frame[ATTRIBUTE_SET], frame[ATTRIBUTE], strict=True)
    named_topics = frame.assign(**{TOPIC: [name[pair] for pair in both]})
    return with_provenance(named_topics, source=source_of(frame))


def part_of(frame: pd.DataFrame, rows: Array) -> pd.DataFrame:
    """Return some rows of a frame with its record."""
    part = frame[rows].reset_index(drop=True)
    part.attrs = dict(frame.attrs)
    return part


def root_mean_square(values: Iterable[float]) -> float:
    """Return the root of the mean square."""
    return float(np.sqrt(np.mean(np.square(np.asarray(list(values), float)))))


def over_processes(
    function: Callable[[Any], pd.DataFrame], tasks: Sequence[Any], jobs: int
) -> pd.DataFrame:
    """Return what a function makes of all tasks; products of matrices take one thread each.

    A worker's environment says so; a function that did would hold a lock and could not be sent.
    """
    started = parallel_map(on_one_thread(function) if jobs == 1 else function, tasks, jobs)
    return pd.concat(started, ignore_index=True)
