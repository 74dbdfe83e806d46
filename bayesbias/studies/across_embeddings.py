"""Several embeddings side by side: the same questions, and what differs between them."""

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from bayesbias.constants import (
    ATTRIBUTE,
    CHANGE,
    CONNECTION,
    EMBEDDING,
    HDPI_PROB,
    PROTECTED_WORD,
)
from bayesbias.errors import ArgumentError, DistancesError, ModelError
from bayesbias.fits.contrasts import decision_table
from bayesbias.fits.fit_result import Fit
from bayesbias.fits.fitting import fit
from bayesbias.inference.decision import DecisionRule
from bayesbias.inference.model_files import load_model
from bayesbias.inference.specification import ModelSpec
from bayesbias.pairs.checks import validate_distances
from bayesbias.studies.change import Change, compare_change
from bayesbias.support.result import Result, plain
from bayesbias.support.text_tables import Blocks, Table, counted

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True, repr=False, eq=False)
class EmbeddingComparison(Result):
    """The same word list in several embeddings.

    Made by `compare_embeddings`.

    Parameters
    ----------
    fits : mapping of str to Fit
        One per embedding, of all the pairs that it has.
    changes : mapping of (str, str) to Change
        From one embedding to another, of the pairs that all have in common.
    unshared : DataFrame
        Words that not every embedding has: ``word``, ``role``, ``present_in``, ``missing_from``.
    rule : DecisionRule
        As it was asked for; a default ROPE follows the scale of each embedding's distances.
    """

    fits: Mapping[str, Fit]
    changes: Mapping[tuple[str, str], Change]
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
    def differences(self) -> pd.DataFrame:
        """Contrasts between embeddings on the pairs that all share.

        Columns ``from``, ``to``, ``what`` (a connection, or a contrast of two), then those of
        `Fit.contrasts`; positive where the distance is larger in ``to``.
        """
        tables = []
        for (first, second), change in self.changes.items():
            parts = [change.table.rename(columns={CONNECTION: "what"})]
            if len(change.contrasts):
                parts.append(change.contrasts.rename(columns={"contrast": "what"}))
            table = pd.concat(parts, ignore_index=True)
            table.insert(0, "from", first)
            table.insert(1, "to", second)
            tables.append(table)
        return pd.concat(tables, ignore_index=True)

    def _stacked(self, tables: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
        parts = [table.assign(**{EMBEDDING: name}) for name, table in tables.items()]
        stacked = pd.concat(parts, ignore_index=True)
        return stacked[[EMBEDDING, *(c for c in stacked.columns if c != EMBEDDING)]]

    def to_dict(self) -> dict[str, Any]:
        """Return all tables and the rule as plain data."""
        names = ("table", "words", "contrasts", "differences", "unshared")
        content: dict[str, Any] = plain({name: getattr(self, name) for name in names})
        notes = {name: fitted.notes for name, fitted in self.fits.items()}
        return {**content, "rule": plain(self.rule), "notes": notes}

    def plot(self) -> "Figure":
        """Draw means and contrasts of all embeddings as small multiples."""
        from bayesbias.studies.embeddings_figure import plot_embeddings

        return plot_embeddings(self.table, self.contrasts)

    @property
    def blocks(self) -> Blocks:
        """One line per embedding and connection, then what differs between embeddings."""
        table = self.table
        shown = table[[EMBEDDING, CONNECTION]].assign(
            pairs=table["n_pairs"].map("{:,}".format),
            mean=table["mean"].map("{:.3f}".format),
        )
        shown[self.rule.label] = [f"{r.low:.3f} to {r.high:.3f}" for r in table.itertuples()]
        change = next(iter(self.changes.values()))
        rule = self._rules[next(iter(self.fits))]
        return [
            "Mean cosine distance:",
            "",
            Table(shown, left=2),
            "",
            "Contrasts within each embedding:",
            "",
            decision_table(self.contrasts, [EMBEDDING, "contrast"], rule),
            "",
            f"Between embeddings, on the {len(change.pairs):,} pairs that all share "
            f"({counted(len(self.unshared), 'word')} not in all of them):",
            "",
            decision_table(self.differences, ["from", "to", "what"], change.rule),
            "",
            *self._captions,
        ]

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
    model: str | Path | ModelSpec = "maximal",
    change_model: str | Path | ModelSpec = "change-maximal",
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
        From a name for the embedding to its distances; at least two.
    model : str, Path or ModelSpec
        Fitted to every embedding's own distances.
    change_model : str, Path or ModelSpec
        Fitted to the differences between two embeddings, pair by pair; see `compare_change`.
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
        If a frame cannot be analysed, or the frames share no pair.
    ModelError
        If a model does not explain what it is asked to.

    Examples
    --------
    >>> import bayesbias as bb
    >>> bb.compare_embeddings({"google": google, "glove": glove}, seed=1)  # doctest: +SKIP
    """
    if not isinstance(frames, Mapping) or len(frames) < 2:
        raise ArgumentError("compare at least two embeddings: {'google': google, 'glove': glove}")
    spec, change_spec = load_model(model), load_model(change_model)
    if spec.response == CHANGE or change_spec.response != CHANGE:
        raise ModelError(
            f"model {spec.name!r} must explain distances, and change_model {change_spec.name!r} "
            f"their change"
        )
    rule = DecisionRule(rope, prob, interval)
    rng = np.random.default_rng(seed)
    for name, frame in frames.items():
        validate_distances(frame, where=f"the frame of {name!r}")
    shared = _shared(frames)
    fits = {name: fit(frame, spec, seed=rng, **options) for name, frame in frames.items()}
    changes = {
        (first, second): compare_change(
            shared[first],
            shared[second],
            model=change_spec,
            rope=rope,
            prob=prob,
            interval=interval,
            seed=rng,
            **options,
        )
        for first, second in combinations(frames, 2)
    }
    return EmbeddingComparison(fits, changes, _unshared(frames), rule)


def _shared(frames: Mapping[str, pd.DataFrame]) -> dict[str, pd.DataFrame]:
    """Keep the pairs whose words are in every frame."""
    kept = {}
    for column in (PROTECTED_WORD, ATTRIBUTE):
        kept[column] = set.intersection(*(set(frame[column]) for frame in frames.values()))
        if not kept[column]:
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
    rows = []
    for column, role in ((PROTECTED_WORD, "protected"), (ATTRIBUTE, "attribute")):
        words = {name: set(frame[column]) for name, frame in frames.items()}
        for word in dict.fromkeys(w for frame in frames.values() for w in frame[column]):
            having = [name for name in frames if word in words[name]]
            if len(having) < len(frames):
                lacking = [name for name in frames if word not in words[name]]
                rows.append((word, role, ", ".join(having), ", ".join(lacking)))
    return pd.DataFrame(rows, columns=["word", "role", "present_in", "missing_from"])
