"""Several embeddings side by side: the same questions, and what differs between them."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray
from scipy.sparse import csr_array

from bayesbias.constants import (
    ATTRIBUTE,
    CHANGE,
    CONNECTION,
    DISTANCE,
    EMBEDDING,
    HDPI_PROB,
    PROTECTED_WORD,
    RUN,
)
from bayesbias.errors import ArgumentError, DistancesError, ModelError
from bayesbias.fits.contrasts import (
    compared_pairs,
    contrast_name,
    decisions,
    decisions_table,
)
from bayesbias.fits.fit_result import Fit
from bayesbias.fits.fitting import fit
from bayesbias.fits.quantities import Quantities, answer
from bayesbias.fits.summaries import means_table
from bayesbias.inference.conditional import NormalMixture
from bayesbias.inference.decision import DecisionRule, distance_scale
from bayesbias.inference.model_files import load_model
from bayesbias.inference.questions import Weights, connection_weights, stacked
from bayesbias.inference.specification import ModelSpec
from bayesbias.pairs.checks import validate_distances
from bayesbias.pairs.keys import once
from bayesbias.pairs.profiles import averaged
from bayesbias.pairs.provenance import with_provenance
from bayesbias.pairs.reference import without_reference
from bayesbias.studies.retraining import averaged_over_runs, check_runs, retraining_error
from bayesbias.support.figure_style import Size
from bayesbias.support.result import Result, plain
from bayesbias.support.text_tables import Blocks, counted

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


@dataclass(frozen=True, repr=False, eq=False)
class EmbeddingComparison(Result):
    """The same word list in several embeddings.

    Made by `compare_embeddings`.

    Parameters
    ----------
    fits : mapping of str to Fit
        One per embedding, of all the pairs that it has.
    joint : Fit
        One fit of all embeddings, of the pairs that all have in common, with distances in units of
        each embedding's scale; of training runs, of each pair's mean over its embedding's runs.
    scales : mapping of str to float
        What a distance of the joint fit is multiplied by, from 1, to be one of the embedding.
    unshared : DataFrame
        Words that not every embedding has: ``word``, ``role``, ``present_in``, ``missing_from``.
    rule : DecisionRule
        As it was asked for; a default ROPE follows the scale of each embedding's distances.
    """

    fits: Mapping[str, Fit]
    joint: Fit
    scales: Mapping[str, float]
    unshared: pd.DataFrame
    rule: DecisionRule

    @cached_property
    def table(self) -> pd.DataFrame:
        """The mean distance per embedding and connection; columns of `Fit.summary`."""
        return self._summaries("connection")

    @cached_property
    def words(self) -> pd.DataFrame:
        """The mean distance per embedding, protected word and connection."""
        return self._summaries("word")

    def _summaries(self, by: str) -> pd.DataFrame:
        chosen: dict[str, Any] = {"prob": self.rule.prob, "interval": self.rule.interval}
        return self._stacked({name: f.summary(by, **chosen).table for name, f in self.fits.items()})

    @cached_property
    def contrasts(self) -> pd.DataFrame:
        """The contrasts within every embedding; columns of `Fit.contrasts`."""
        rule = self.rule
        chosen: dict[str, Any] = {"rope": rule.rope, "prob": rule.prob, "interval": rule.interval}
        return self._stacked({name: f.contrasts(**chosen).table for name, f in self.fits.items()})

    @cached_property
    def together(self) -> pd.DataFrame:
        """The contrasts within every embedding, from the joint fit.

        Columns of `contrasts`. An embedding's are drawn towards what all have in common. Of
        training runs, they are of training over and over, with the error of so few runs.
        """
        rows = [(name, None, pair) for name in self.fits for pair in self._pairs]
        return (
            self._from_joint(rows)
            .drop(columns="to")
            .rename(columns={"from": EMBEDDING, "what": "contrast"})
        )

    @cached_property
    def differences(self) -> pd.DataFrame:
        """Contrasts between embeddings, from the joint fit, on the pairs that all share.

        Columns ``from``, ``to``, ``what`` (a connection, or a contrast of two), then those of
        `Fit.contrasts`; positive where the distance is larger in ``to``.
        """
        what = [*((name,) for name in self.joint.design.connections), *self._pairs]
        return self._from_joint(
            [(one, two, pair) for one, two in combinations(self.fits, 2) for pair in what]
        )

    @property
    def _pairs(self) -> list[tuple[str, ...]]:
        return [tuple(pair) for pair in compared_pairs(self.joint.design)]

    def _from_joint(self, rows: Sequence[tuple[str, str | None, tuple[str, ...]]]) -> pd.DataFrame:
        """Return decisions on contrasts of one embedding, or of two, the first subtracted."""
        fit, sides = self.joint, []
        for one, two, pair in rows:
            signs = [(one, 1.0)] if two is None else [(two, 1.0), (one, -1.0)]
            parts = [
                (e, c, a * b) for e, a in signs for c, b in zip(pair, (1.0, -1.0), strict=False)
            ]
            sides.append(parts)
        cells, frame = _cells(fit), fit.frame
        listed = frame.groupby([EMBEDDING, CONNECTION])[DISTANCE].mean()
        counts = frame.groupby([EMBEDDING, CONNECTION]).size()
        sizes = {f"{term.name}_effect": term.n_levels for term in fit.design.terms}
        sizes["connection_mean"] = len(fit.design.connections)
        weights = {name: np.zeros((len(rows), sizes[name])) for name in cells}
        constant, plain_means, n_pairs = np.zeros(len(rows)), [], []
        for i, parts in enumerate(sides):
            for embedding, connection, sign in parts:
                scale = sign * self.scales[embedding]
                constant[i] += sign - scale  # distances are scaled around 1
                for name, labels in cells.items():
                    if (level := labels.get((embedding, connection))) is not None:
                        weights[name][i, level] += scale
            plain_means.append(
                sum(k * (1 + self.scales[e] * (listed[e, c] - 1)) for e, c, k in parts)
            )
            n_pairs.append(min(counts[e, c] for e, c, _ in parts))
        mean = weights.pop("connection_mean")
        effects = {n.removesuffix("_effect"): csr_array(w) for n, w in weights.items()}
        none = dict.fromkeys(effects, np.zeros(0, np.int64))
        over = connection_weights(fit.design).combined(mean[:, fit.design.listed])
        shift = Weights(np.zeros_like(mean), effects, none)
        both = stacked([over, shift]).combined(np.hstack([np.eye(len(rows))] * 2))
        answered = answer(fit.fitted, pd.DataFrame(), both)
        draws, exact = answered.draws + constant, answered.mixtures
        error, rng = self._retraining_error(sides), np.random.default_rng(0)  # one answer for all
        if error is not None:
            draws = draws + _of_size(error, len(draws)) * rng.standard_normal(draws.shape)
        if exact:
            centre, spread = (
                np.stack([getattr(m, k) for m in exact]) for k in ("centre", "spread")
            )
            if error is not None:
                spread = np.hypot(spread, _of_size(error, spread.shape[1]).T)
            exact = tuple(
                NormalMixture(c + shift, s)
                for c, s, shift in zip(centre, spread, constant, strict=True)
            )
        labels = pd.DataFrame(
            [(one, two, contrast_name(*p) if len(p) == 2 else p[0]) for one, two, p in rows],
            columns=["from", "to", "what"],
        )
        labels["n_pairs"], labels["listed"] = n_pairs, plain_means
        tables = []
        for name, part in labels.groupby("from", sort=False):
            at = part.index.to_numpy()
            found = Quantities(
                part.reset_index(drop=True),
                draws[:, at],
                fit.posterior.sizes["chain"],
                tuple(exact[i] for i in at) if exact else (),
            )
            tables.append(decisions(found, self._rules[str(name)], markov=fit.fitted.markov))
        return pd.concat(tables, ignore_index=True)

    def _retraining_error(
        self, sides: Sequence[Sequence[tuple[str, str, float]]]
    ) -> NDArray[np.float64] | None:
        """Return the error that retraining leaves in rows of signed connections of embeddings.

        Shape (n_draws, n_rows); None for embeddings without training runs.
        """
        if not self._has_runs:
            return None
        errors = [
            retraining_error(fitted, [{c: k for e, c, k in parts if e == name} for parts in sides])
            for name, fitted in self.fits.items()
        ]
        return np.sqrt(np.sum(np.square(errors), axis=0))

    @property
    def _has_runs(self) -> bool:
        return all(RUN in fitted.frame for fitted in self.fits.values())

    def _stacked(self, tables: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
        parts = [table.assign(**{EMBEDDING: name}) for name, table in tables.items()]
        stacked = pd.concat(parts, ignore_index=True)
        return stacked[[EMBEDDING, *(c for c in stacked.columns if c != EMBEDDING)]]

    def to_dict(self) -> dict[str, Any]:
        """Return all tables and the rule as plain data."""
        names = ("table", "words", "contrasts", "together", "differences", "unshared")
        content: dict[str, Any] = plain({name: getattr(self, name) for name in names})
        notes = {name: fitted.notes for name, fitted in self.fits.items()}
        return {**content, "rule": plain(self.rule), "notes": notes}

    def plot(self, *, ax: "Axes | None" = None, figsize: Size | None = None) -> "Figure":
        """Draw means and contrasts of all embeddings as small multiples."""
        from bayesbias.studies.embeddings_figure import plot_embeddings

        return plot_embeddings(self.table, self.contrasts, ax=ax, figsize=figsize)

    @property
    def blocks(self) -> Blocks:
        """One line per embedding and connection, then what differs between embeddings."""
        return [
            "Mean cosine distance:",
            "",
            means_table(self.table.drop(columns="listed"), [EMBEDDING, CONNECTION]),
            "",
            "Contrasts within each embedding:",
            "",
            decisions_table(self.contrasts, [EMBEDDING, "contrast"]),
            "",
            f"In one model of all embeddings, on the {self._n_shared:,} pairs that all share "
            f"({counted(len(self.unshared), 'word')} not in all of them){self._of_runs}:",
            "",
            decisions_table(self.together, [EMBEDDING, "contrast"]),
            "",
            "Between embeddings, from the same model:",
            "",
            decisions_table(self.differences, ["from", "to", "what"]),
            "",
            *self._captions,
        ]

    @property
    def _n_shared(self) -> int:
        return len(self.joint.frame) // len(self.fits)

    @property
    def _of_runs(self) -> str:
        if not self._has_runs:
            return ""
        numbers = (f"{f.frame[RUN].nunique()} of {name}" for name, f in self.fits.items())
        return f", averaged over training runs ({', '.join(numbers)}), with retraining's error"

    @property
    def _rules(self) -> dict[str, DecisionRule]:
        """The rule in the units of every embedding's distances."""
        rule = self.rule
        chosen: dict[str, Any] = {"rope": rule.rope, "prob": rule.prob, "interval": rule.interval}
        return {name: fitted.rule(**chosen) for name, fitted in self.fits.items()}

    @property
    def _captions(self) -> list[str]:
        """The rule in words, with the ROPE of every embedding where they differ."""
        if self.rule.rope is not None:
            return [self.rule.caption]
        (first, rule), *others = self._rules.items()
        listed = ", ".join(f"{name} ±{other.width:.2g}" for name, other in others)
        return [
            rule.caption,
            f"That is the ROPE of {first}; others: {listed}. A difference uses that of the "
            f"embedding in the column 'from'.",
        ]


def compare_embeddings(
    frames: Mapping[str, pd.DataFrame],
    *,
    model: str | Path | ModelSpec | None = None,
    joint_model: str | Path | ModelSpec = "embeddings",
    rope: float | None = None,
    prob: float = HDPI_PROB,
    interval: str = "hpdi",
    seed: int | np.random.Generator | None = None,
    **options: Any,
) -> EmbeddingComparison:
    """Fit the same word list in several embeddings and compare them.

    Parameters
    ----------
    frames : mapping of str to DataFrame
        From a name for the embedding to its distances; at least two. All with several training
        runs, from `distances_of_runs`, or none.
    model : str, Path or ModelSpec, optional
        Fitted to every embedding's own distances; by default ``maximal``, of training runs
        ``runs``.
    joint_model : str, Path or ModelSpec
        Fitted to all embeddings at once, with terms by ``embedding`` and ``connection``.
    rope, prob, interval
        As for `Fit.contrasts`.
    seed : int or Generator, optional
    **options
        Passed on to `fit`.

    Returns
    -------
    EmbeddingComparison

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
    What a run shifts alike for all pairs of a connection is still in that mean, and would pass for
    a difference between embeddings. Its variance is τ² / R, with τ from the embedding's own fit,
    and is added to that of each embedding's answers. Runs of different embeddings share nothing,
    whatever their names.

    Examples
    --------
    >>> import bayesbias as bb
    >>> bb.compare_embeddings({"google": google, "glove": glove}, seed=1)  # doctest: +SKIP
    """
    if not isinstance(frames, Mapping) or len(frames) < 2:
        raise ArgumentError("compare at least two embeddings: {'google': google, 'glove': glove}")
    for name, frame in frames.items():
        validate_distances(frame, where=f"the frame of {name!r}")
    runs = check_runs(frames)
    spec = load_model(model or ("runs" if runs else "maximal"))
    joint_spec = load_model(joint_model)
    if spec.response == CHANGE or joint_spec.response == CHANGE:
        raise ModelError(
            f"model {spec.name!r} and joint_model {joint_spec.name!r} must explain distances"
        )
    if not any(set(term.by) == {EMBEDDING, CONNECTION} for term in joint_spec.terms):
        raise ModelError(
            f"joint_model {joint_spec.name!r} has no term by embedding and connection, so that "
            f"it has nothing to say of their contrasts; take 'embeddings'"
        )
    rule = DecisionRule(rope, prob, interval)
    rng = np.random.default_rng(seed)
    shared = _shared(frames)
    if runs:  # refuses before the first fit what it cannot average
        shared = {name: averaged_over_runs(frame, name) for name, frame in shared.items()}
    fits = {name: fit(frame, spec, seed=rng, **options) for name, frame in frames.items()}
    stacked, scales = _stacked_on_one_scale(shared)
    # How alike attributes are, on the scale of the joint model's distances.
    profiles = averaged(frames.values(), scales.values())
    stacked.attrs = {}
    with_provenance(stacked, profiles=profiles)
    joint = fit(stacked, joint_spec, seed=rng, **options)
    return EmbeddingComparison(fits, joint, scales, _unshared(frames), rule)


def _of_size(draws: NDArray[np.float64], n: int) -> NDArray[np.float64]:
    """Take `n` rows, evenly."""
    return draws[np.arange(n) * len(draws) // n]


def _stacked_on_one_scale(
    frames: Mapping[str, pd.DataFrame],
) -> tuple[pd.DataFrame, dict[str, float]]:
    """Stack frames, the distances of each shrunk around 1 to the smallest scale of all."""
    spread = {name: distance_scale(frame, DISTANCE) for name, frame in frames.items()}
    least = min(spread.values())
    scales = {name: s / least if least > 0 else 1.0 for name, s in spread.items()}
    parts = [
        once(frame).assign(
            **{EMBEDDING: name, DISTANCE: 1.0 + (frame[DISTANCE] - 1.0) / scales[name]}
        )
        for name, frame in frames.items()
    ]
    return pd.concat(parts, ignore_index=True), scales


def _cells(fit: Fit) -> dict[str, dict[tuple[str, str], int]]:
    """Return, by parameter, the index that each embedding and connection has in it."""
    design = fit.design
    rows = fit.frame.drop_duplicates([EMBEDDING, CONNECTION])
    keys = list(zip(rows[EMBEDDING], rows[CONNECTION], strict=True))
    cells = {"connection_mean": {key: design.connections.index(key[1]) for key in keys}}
    for term in design.terms:
        if EMBEDDING in term.columns and set(term.columns) <= {EMBEDDING, CONNECTION}:
            level = term.level[rows.index]
            cells[f"{term.name}_effect"] = {
                key: int(at) for key, at in zip(keys, level, strict=True) if at >= 0
            }
    return cells


def _shared(frames: Mapping[str, pd.DataFrame]) -> dict[str, pd.DataFrame]:
    """Keep the pairs whose words are in every frame."""
    kept = {}
    for column in (PROTECTED_WORD, ATTRIBUTE):
        kept[column] = set.intersection(*(set(frame[column]) for frame in frames.values()))
        if not kept[column] & set(without_reference(next(iter(frames.values())))[column]):
            raise DistancesError(
                f"the embeddings share no {column.replace('_', ' ')}; compute their distances with "
                f"one word list"
            )
    return {
        name: frame[
            frame[PROTECTED_WORD].isin(kept[PROTECTED_WORD])
            & frame[ATTRIBUTE].isin(kept[ATTRIBUTE])
        ]
        for name, frame in frames.items()
    }


def _unshared(frames: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """List the words that some frames lack."""
    frames = {name: without_reference(frame) for name, frame in frames.items()}
    rows = []
    for column, role in ((PROTECTED_WORD, "protected"), (ATTRIBUTE, "attribute")):
        words = {name: set(frame[column]) for name, frame in frames.items()}
        for word in dict.fromkeys(w for frame in frames.values() for w in frame[column]):
            having = [name for name in frames if word in words[name]]
            if len(having) < len(frames):
                lacking = [name for name in frames if word not in words[name]]
                rows.append((word, role, ", ".join(having), ", ".join(lacking)))
    return pd.DataFrame(rows, columns=["word", "role", "present_in", "missing_from"])
