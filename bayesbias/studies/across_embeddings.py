"""Several embeddings side by side: the same questions, and what differs between them.

Embeddings share the words of a list, so that a word which is unusual in one is so in others. One
model of all (`embeddings`) has effects of words and attributes in common and deviations of each
embedding: it pools partially. A difference between two embeddings is a linear function of its
effects, in which what both have in common cancels. Distances spread differently in each, so all is
counted in standard deviations of its neutral pairs.
"""

import warnings
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import combinations
from pathlib import Path
from typing import Any, ClassVar, Final, Unpack

import numpy as np
import pandas as pd

from bayesbias.constants import (
    ATTRIBUTE_SET,
    CONNECTION,
    EMBEDDING,
    HDPI_PROB,
    RUN,
)
from bayesbias.errors import ArgumentError, BayesBiasWarning, ModelError
from bayesbias.fits.between_groups import BETWEEN, LIST, has_lists
from bayesbias.fits.contrasts import (
    LIST_COLUMNS,
    STANDARDISED,
    about_chance,
    about_edge,
    asked_contrasts,
    chance_columns,
    chance_of_lists,
    compared_pairs,
    contrast_name,
    summarise_contrasts,
    with_verdict_labels,
)
from bayesbias.fits.fit_result import Fit
from bayesbias.fits.fitting import fit
from bayesbias.fits.narrator import sides
from bayesbias.fits.quantities import (
    FitContext,
    Quantities,
    asked_means,
    contrast_matrix,
    posterior_of,
)
from bayesbias.fits.sentences import who
from bayesbias.fits.shown_rows import sort_by_names
from bayesbias.fits.summaries import summarise
from bayesbias.inference.conditional import NormalMixture
from bayesbias.inference.decision import ROPE_SDS, DecisionRule
from bayesbias.inference.model_files import load_model
from bayesbias.inference.questions import connection_weights, stacked
from bayesbias.inference.specification import ModelSpec
from bayesbias.studies.comparison import (
    BELOW,
    VERDICT,
    Comparison,
    columns_in_sds,
    on_scales,
    retraining_error,
    under_each,
    with_error,
)
from bayesbias.studies.several_narrator import lists_sentences, rank_sentence, sizes_sentence, tell
from bayesbias.support.arrays import Array
from bayesbias.support.figure_style import Place
from bayesbias.support.forests import Forest
from bayesbias.support.text_tables import (
    Blocks,
    Column,
    Columns,
    Table,
    counted,
    label_of,
    quoted,
    with_blank_lines,
)
from bayesbias.support.types import Figure


@dataclass(frozen=True, repr=False, eq=False)
class EmbeddingComparison(Comparison):
    """The same word list in several embeddings, of one fit; made by `compare_embeddings`.

    Parameters
    ----------
    joint : Fit
        Of the pairs that all embeddings have, with distances in units of each embedding's scale; of
        training runs, of each pair's mean over its embedding's runs.
    scales : mapping of str to float
        Standard deviation of a neutral pair's distance in each embedding.
    unshared : DataFrame
        Words that not every embedding has: ``word``, ``role``, ``present_in``, ``missing_from``.
    rule : DecisionRule
        As it was asked for. A default ROPE is 0.1 standard deviations of a neutral pair's distance.
    runs : mapping of str to Fit
        Of embeddings with training runs, of all runs of each; else empty.
    """

    _main: ClassVar[str] = "contrasts"
    noun: ClassVar[str] = "embedding"
    tables: ClassVar[tuple[str, ...]] = (
        *("lists", "table", "words", "contrasts", "ranks", "differences", "unshared"),
    )

    joint: Fit
    scales: Mapping[str, float]
    unshared: pd.DataFrame
    rule: DecisionRule
    runs: Mapping[str, Fit] = field(default_factory=dict)

    @cached_property
    def table(self) -> pd.DataFrame:
        """The mean distance per embedding and connection; columns of `Fit.summary`."""
        return self._means("connection")

    @cached_property
    def words(self) -> pd.DataFrame:
        """The mean distance per embedding, protected word and connection."""
        return self._means("word")

    @cached_property
    def lists(self) -> pd.DataFrame:
        """Who is closer to each list, between groups, in every embedding.

        Columns ``embedding``, then those of `Fit.contrasts` by list. Empty where groups are not
        compared on lists. In the model `embeddings` what a group has with a list is the same in
        all, in standard deviations; what differs is the mean over lists.
        """
        if not has_lists(self.joint.design):
            return pd.DataFrame(columns=[EMBEDDING, ATTRIBUTE_SET, "contrast"])
        table = self._contrasts_by(LIST)
        return table[table["contrast"] == BETWEEN].reset_index(drop=True)

    @cached_property
    def contrasts(self) -> pd.DataFrame:
        """The contrasts within every embedding.

        Columns ``embedding``, then those of `Fit.contrasts`. ``standardised`` and ``chance``
        compare across embeddings. An embedding's contrasts are drawn towards what all have in
        common. Of training runs, they are of training over and over, with the error of so few runs.
        """
        return self._contrasts_by("connection")

    @cached_property
    def differences(self) -> pd.DataFrame:
        """Contrasts between embeddings; positive where the distance is larger in ``to``.

        Columns ``from``, ``to``, ``what`` (a contrast, or a connection), then those of
        `Fit.contrasts`: ``standardised`` and its interval are the difference of both sides, each in
        standard deviations of its own neutral pair's distance; ``mean``, ``low`` and ``high`` are
        that of cosine distances, which have another meaning in other vectors. Verdict, ``rope`` and
        probabilities are in the unit that ``unit`` names: ``sd``, or ``distance`` where a ROPE in
        cosine distance was asked for. The time grows with the third power of the number of
        embeddings, which a BayesBiasWarning says of many.
        """
        if len(self.scales) >= _MANY:
            warnings.warn(
                f"{len(self.scales)} embeddings make {n_pairs(self.scales):,} pairs, and the time "
                f"of their differences grows with the third power of the number: 20 seconds for "
                f"20, five minutes for 50; `ranks` does not need them",
                BayesBiasWarning,
                stacklevel=3,  # past functools
            )
        rows, names = list(combinations(self.scales, 2)), list(self.scales)
        connections = self.joint.design.protected_connection_names
        every = np.vstack([self._contrast_matrix, np.eye(len(connections))])
        what = [*self._contrast_names, *connections]
        keys = [(one, two, name) for one, two in rows for name in what]
        of_pair = [[float(n == two) - float(n == one) for n in names] for one, two in rows]
        raw = np.einsum("pe,wc->pwec", of_pair, every).reshape(len(keys), len(names), -1)
        # A distance less 1, in its own unit, is what both sides of a difference are counted in.
        in_sds = raw / np.array(list(self.scales.values()))[:, None]
        shape = len(names), len(connections)
        counts, means = (self.table[c].to_numpy().reshape(shape) for c in ("n_pairs", "listed"))
        labels = pd.DataFrame(keys, columns=["from", "to", "what"])
        labels["n_pairs"] = [counts[row != 0].min() for row in raw]

        def decided(signs: Array, rule: DecisionRule) -> pd.DataFrame:
            listed = (signs * (means - 1.0)).sum(axis=(1, 2))
            return summarise_contrasts(self._between(labels.assign(listed=listed), signs), rule)

        is_raw, rule = self.rule.rope is not None, self.rule.on_scale(1.0)
        of_raw, of_sds = decided(raw, rule), decided(in_sds, replace(rule, rope=None))
        table = of_raw if is_raw else of_sds
        of_both = {name: of_raw[name] for name in ("listed", "mean", "sd", "low", "high")}
        of_both |= {
            name: of_sds[source]
            for name, source in zip(STANDARDISED, ("mean", "low", "high"), strict=True)
        }
        return table.assign(**of_both, unit="distance" if is_raw else "sd")

    @cached_property
    def ranks(self) -> pd.DataFrame:
        """How probable each place of an embedding is, by each contrast in standard deviations.

        Columns ``contrast``, ``embedding``, ``rank_1`` (the most associated: the lowest contrast)
        to the last, and ``mean_rank``. Rows and columns of a contrast sum to 1.
        """
        names, parts = list(self.scales), []
        n, pairs = len(names), len(self._contrast_names)
        in_sds = np.diag(1.0 / np.array(list(self.scales.values())))
        signs = np.einsum("ij,kc->ikjc", in_sds, self._contrast_matrix).reshape(n * pairs, n, -1)
        draws = self._between(pd.DataFrame(index=range(n * pairs)), signs).draws
        for i, contrast in enumerate(self._contrast_names):
            # The inverse of a sorting permutation: the place of every embedding, from 0.
            places = draws[:, i::pairs].argsort(axis=1).argsort(axis=1)
            shares = np.stack([(places == place).mean(axis=0) for place in range(n)], axis=1)
            part = pd.DataFrame(shares, columns=[f"rank_{place + 1}" for place in range(n)])
            part.insert(0, "contrast", contrast)
            part.insert(1, EMBEDDING, names)
            parts.append(part.assign(mean_rank=1.0 + places.mean(axis=0)))
        return pd.concat(parts, ignore_index=True)

    @cached_property
    def _fitted(self) -> dict[str, FitContext]:
        """The joint fit with the pairs of each embedding, which are asked as those of any fit."""
        fitted, of_pair = self.joint.fitted, self.joint.frame[EMBEDDING].to_numpy()
        designs = {name: fitted.design.of_pairs(of_pair == name) for name in self.scales}
        return {name: replace(fitted, design=design) for name, design in designs.items()}

    @property
    def _ratio(self) -> dict[str, float]:
        """How many times as large an embedding's distances are as those of the joint fit."""
        return {name: scale / min(self.scales.values()) for name, scale in self.scales.items()}

    def _contrasts_by(self, by: str) -> pd.DataFrame:
        """Return the contrasts of a level within every embedding."""
        first, joint, parts = compared_pairs(self.joint.design)[0], self.joint.fitted, {}
        for name, fitted in self._fitted.items():
            labels, weights = asked_contrasts(fitted.design, by)
            found = posterior_of(joint, labels, weights, chance=True)
            # What retraining shifts between groups on a list is associated − different.
            pairs = [first if by == LIST else sides(contrast) for contrast in labels["contrast"]]
            signs = [{one: 1.0, other: -1.0} for one, other in pairs]
            found = self._in_own_distances(name, found, signs, about=0.0)
            rule = self.rule.on_scale(self.scales[name])
            parts[name] = chance_of_lists(summarise_contrasts(found, rule))
        return under_each(parts, EMBEDDING)

    def _means(self, by: str) -> pd.DataFrame:
        """Summarise the mean distances of every embedding, for all words or each."""
        chosen: dict[str, Any] = {"prob": self.rule.prob, "interval": self.rule.interval}
        parts = {}
        for name, fitted in self._fitted.items():
            labels, weights = asked_means(fitted, by)
            signs = [{connection: 1.0} for connection in labels[CONNECTION]]  # a word's as well
            found = posterior_of(self.joint.fitted, labels, weights)
            found = self._in_own_distances(name, found, signs, about=1.0)
            (bounds,) = found.intervals((self.rule.prob,), self.rule.interval)
            parts[name] = summarise(found, bounds, **chosen)
        return under_each(parts, EMBEDDING)

    def _in_own_distances(
        self, name: str, found: Quantities, signs: Sequence[Mapping[str, float]], *, about: float
    ) -> Quantities:
        """Return answers of the joint fit, `about` 0 or 1, in the distances of an embedding."""
        ratio, labels = self._ratio[name], found.labels
        # The joint model has x = 1 + (d − 1) / ratio. So a mean d is ratio · x + 1 − ratio, and a
        # contrast, in which the constant cancels, ratio · x.
        shift = np.full(len(labels), about * (1.0 - ratio))
        labels = labels.assign(listed=labels["listed"] * ratio + shift)
        found = _mapped(replace(found, labels=labels), ratio, shift)
        return self._with_retraining(found, {name: signs})

    @property
    def _contrast_names(self) -> list[str]:
        return [contrast_name(*pair) for pair in compared_pairs(self.joint.design)]

    @property
    def _contrast_matrix(self) -> Array:
        design = self.joint.design
        return contrast_matrix(design, compared_pairs(design))

    def _between(self, labels: pd.DataFrame, signs: Array) -> Quantities:
        """Return sums over embeddings of connections' means less 1, in their own distances.

        `signs` (n_rows, n_embeddings, n_connections).
        """
        means = stacked([connection_weights(f.design) for f in self._fitted.values()])
        scaled = signs * np.array(list(self._ratio.values()))[:, None]
        weights = means.combined(scaled.reshape(len(signs), -1))
        found = posterior_of(self.joint.fitted, labels, weights)
        # Σ w (m − 1) = Σ w m − Σ w.
        found = _mapped(found, 1.0, -scaled.sum(axis=(1, 2)))
        connections = self.joint.design.protected_connection_names
        of_each = {
            name: [dict(zip(connections, row, strict=True)) for row in signs[:, place]]
            for place, name in enumerate(self.scales)
        }
        return self._with_retraining(found, of_each)

    def _with_retraining(
        self, found: Quantities, signs: Mapping[str, Sequence[Mapping[str, float]]]
    ) -> Quantities:
        """Add the error that retraining leaves in sums of connections of embeddings, by name."""
        if not self.runs:
            return found
        errors = [retraining_error(self.runs[name], rows) for name, rows in signs.items()]
        return with_error(found, np.sqrt(np.sum(np.square(errors), axis=0)))

    @property
    def main_fit(self) -> Fit:
        """The joint fit."""
        return self.joint

    @property
    def answers(self) -> list[str]:
        """Where the association is strongest, and what each embedding says, in sentences."""
        first, names = self._contrast_names[0], self.names
        differences = None if self._is_many else self.differences
        return [
            rank_sentence(self.ranks, first, differences, who(names)),
            *lists_sentences(self.lists, names),
            sizes_sentence(self.contrasts, first, EMBEDDING),
        ]

    def plot(self, **place: Unpack[Place]) -> Figure:
        """Draw means and contrasts of all embeddings as small multiples."""
        from bayesbias.studies.several_figure import plot_embeddings

        return plot_embeddings(self.table, self.contrasts, **place)

    @property
    def of_each(self) -> pd.DataFrame:
        """The contrasts within every embedding."""
        return self.contrasts.assign(under=self.contrasts[EMBEDDING])

    @property
    def forests(self) -> list[Forest]:
        """The contrasts of every embedding, a forest each."""
        from bayesbias.studies.several_figure import forests_in_sds

        return forests_in_sds(self.contrasts, EMBEDDING, "contrast")

    @property
    def details(self) -> Blocks:
        """The contrasts of every embedding, their ranks, and what differs between embeddings."""
        label = label_of(self.contrasts)
        in_sds = columns_in_sds(label)
        raw = Column(
            ("mean", "low", "high"), f"cosine distance ({label})", "signed", drop_priority=2
        )
        decided: Columns = [
            BELOW,
            Column("inside_rope", "in ROPE", "share", drop_priority=3),
            VERDICT,
        ]
        within_each: Columns = [*decided[:2], *chance_columns(self.contrasts), VERDICT]
        within = sort_by_names(
            with_verdict_labels(self.contrasts), "contrast", self._contrast_names
        )
        contrast, first = Column("contrast"), self._contrast_names[0]
        ranks = self.ranks[self.ranks["contrast"] == first]
        places = [c for c in ranks.columns if c.startswith("rank_")]
        shown = [places[0], places[-1]] if self._is_many else places
        by_rank = [Column(c, c.removeprefix("rank_"), "percent") for c in shown]
        n_shared = len(self.joint.frame) // len(self.scales)
        counts = counted(n_shared, "pair"), counted(len(self.unshared), "word")
        runs = [f"{of.frame[RUN].nunique()} of {quoted(name)}" for name, of in self.runs.items()]
        of_lists: list[str | Table] = []
        if len(self.lists):
            columns = [*LIST_COLUMNS[:2], Column(EMBEDDING), *in_sds, raw, *within_each]
            of_lists = [
                tell("lists_heading", "in each embedding"),
                Table(with_verdict_labels(self.lists), columns),
            ]
        tables = with_blank_lines(
            tell("embeddings", len(self.scales), *counts, runs),
            *of_lists,
            tell("contrasts_heading"),
            Table(within, [contrast, Column(EMBEDDING), *in_sds, raw, *within_each]),
            tell("ranks_heading", first),
            Table(ranks, [Column(EMBEDDING), *by_rank, Column("mean_rank", "mean rank", ".1f")]),
        )
        if self._is_many:
            return [*tables, "", tell("many_pairs", f"{n_pairs(self.scales):,}")]
        between = with_verdict_labels(self.differences)
        between = between[between["what"].isin(self._contrast_names)]
        columns = [Column("from"), Column("to"), Column("what"), *in_sds, raw, *decided]
        return [*tables, "", tell("differences_heading"), Table(between, columns)]

    @property
    def about_chance(self) -> list[str]:
        """What the column of chance is."""
        return about_chance(self.contrasts, of_lists=len(self.lists) > 0)

    @property
    def _is_many(self) -> bool:
        """Whether embeddings are too many for their pairs to be shown."""
        return len(self.scales) > _MOST_SHOWN

    @property
    def captions(self) -> list[str]:
        """What chance is; the rule in words, and in the distances of each embedding."""
        shown = self.lists, self.contrasts, *([] if self._is_many else [self.differences])
        more = [*self.about_chance, *about_edge(*shown)]
        if self.rule.rope is not None:
            return [*more, self.rule.caption]
        (first, scale), *others = self.scales.items()
        ropes = [(quoted(name), f"{ROPE_SDS * other:.2g}") for name, other in others]
        whose = tell("ropes", quoted(first), [] if self._is_many else ropes)
        return [*more, self.rule.on_scale(scale).caption, whose]


_MOST_SHOWN: Final = 6
"""Embeddings whose pairs and ranks are all shown; of more, the first rank and the last."""

_MANY: Final = 15
"""Embeddings from which all differences take longer than the fit: a minute or more."""


def n_pairs(names: Collection[str]) -> int:
    """Return how many pairs embeddings make."""
    return len(names) * (len(names) - 1) // 2


def _mapped(found: Quantities, ratio: float, shift: Array) -> Quantities:
    """Multiply quantities, then add a constant to each, (n_quantities,)."""
    exact = tuple(
        NormalMixture(one.centre * ratio + by, one.spread * ratio)
        for one, by in zip(found.exact, shift, strict=bool(found.exact))
    )
    unrelated = None if found.unrelated is None else found.unrelated * ratio
    draws = found.draws * ratio + shift
    return replace(found, draws=draws, exact=exact, unrelated=unrelated)


def compare_embeddings(
    frames: Mapping[str, pd.DataFrame],
    *,
    model: str | Path | ModelSpec = "embeddings",
    rope: float | None = None,
    prob: float = HDPI_PROB,
    interval: str = "hpdi",
    rule: DecisionRule | None = None,
    seed: int | np.random.Generator | None = None,
    **options: Any,
) -> EmbeddingComparison:
    """Fit one model to the same word list in several embeddings, and compare them.

    Parameters
    ----------
    frames : mapping of str to DataFrame
        From a name for the embedding to its distances; at least two. All with several training
        runs, from `distances_of_runs`, or none.
    model : str, Path or ModelSpec
        Fitted to all embeddings at once, with a term by ``embedding`` and ``connection``.
    rope : float, optional
        In cosine distance; by default 0.1 standard deviations of a neutral pair's distance, in
        which embeddings compare.
    prob, interval, rule
        As for `Fit.contrasts`.
    seed : int or Generator, optional
    **options
        Passed on to `fit`.

    Raises
    ------
    ArgumentError
        If there are fewer than two embeddings.
    DistancesError
        If a frame cannot be analysed, the frames share no pair, or only some have training runs.
    ModelError
        If a model does not explain what it is asked to.

    Notes
    -----
    Distances spread differently in different embeddings (in the published files by a factor of
    three). The joint model has one noise for all: it explains 1 + (d − 1) s_min / s, where s is the
    standard deviation of an embedding's neutral pairs, taken as known from thousands of pairs, and
    its answers are multiplied back.

    Of training runs, the joint model explains each pair's mean over the R runs of its embedding.
    What a run shifts alike for all pairs of a connection is still in that mean: its variance is
    τ² / R, with τ from the embedding's own fit, and is added to that of the embedding's answers.
    Runs of different embeddings share nothing, whatever their names.

    Examples
    --------
    >>> import bayesbias as bb
    >>> bb.compare_embeddings({"google": google, "glove": glove}, seed=1)  # doctest: +SKIP
    """
    if not isinstance(frames, Mapping) or len(frames) < 2:
        raise ArgumentError("compare at least two embeddings: {'google': google, 'glove': glove}")
    spec = load_model(model)
    if not any(set(term.by) == {EMBEDDING, CONNECTION} for term in spec.terms):
        raise ModelError(
            f"model {spec.name!r} has no term by embedding and connection, so that it has nothing "
            f"to say of their contrasts; take 'embeddings'"
        )
    rule = DecisionRule.of(rule, rope, prob, interval)
    rng = np.random.default_rng(seed)
    conditions, scales = on_scales(frames)
    together = conditions.stacked(EMBEDDING, scales)
    # What retraining changes is asked of all runs of each embedding.
    runs = {n: fit(f, "runs", seed=rng, **options) for n, f in frames.items() if RUN in f.columns}
    joint = fit(together, spec, seed=rng, **options)
    return EmbeddingComparison(joint, scales, conditions.unshared, rule, runs)
