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
    ROPE,
)
from bayesbias.errors import ArgumentError, DistancesError, ModelError
from bayesbias.fits.contrasts import decision_table, verdict_caption
from bayesbias.fits.fit_result import Fit
from bayesbias.fits.fitting import fit
from bayesbias.inference.intervals import check_rope, interval_of
from bayesbias.inference.model_files import load_model
from bayesbias.inference.specification import ModelSpec
from bayesbias.studies.change import Change, compare_change
from bayesbias.support.text_tables import Blocks, Table, as_text, interval_label

if TYPE_CHECKING:
    from matplotlib.figure import Figure


@dataclass(frozen=True, repr=False)
class EmbeddingComparison:
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
    rope : float
        Half-width of the region of practical equivalence.
    prob, interval
        Probability and kind of the intervals.
    """

    fits: Mapping[str, Fit]
    changes: Mapping[tuple[str, str], Change]
    unshared: pd.DataFrame
    rope: float
    prob: float
    interval: str

    @cached_property
    def groups(self) -> pd.DataFrame:
        """The mean distance per embedding and connection; columns of `Fit.group_summary`."""
        chosen: dict[str, Any] = {"prob": self.prob, "interval": self.interval}
        return self._stacked({name: f.group_summary(**chosen) for name, f in self.fits.items()})

    @cached_property
    def words(self) -> pd.DataFrame:
        """The mean distance per embedding, protected word and connection."""
        chosen: dict[str, Any] = {"prob": self.prob, "interval": self.interval}
        return self._stacked({name: f.word_summary(**chosen) for name, f in self.fits.items()})

    @cached_property
    def contrasts(self) -> pd.DataFrame:
        """The contrasts within every embedding; columns of `Fit.contrasts`."""
        chosen: dict[str, Any] = {"rope": self.rope, "prob": self.prob, "interval": self.interval}
        return self._stacked({name: f.contrasts(**chosen).groups for name, f in self.fits.items()})

    @cached_property
    def differences(self) -> pd.DataFrame:
        """Contrasts between embeddings on the pairs that all share.

        Columns ``from``, ``to``, ``what`` (a connection, or a contrast of two), then those of
        `Fit.contrasts`; positive where the distance is larger in ``to``.
        """
        tables = []
        for (first, second), change in self.changes.items():
            parts = [change.groups.rename(columns={CONNECTION: "what"})]
            if change.contrasts is not None:
                parts.append(change.contrasts.groups.rename(columns={"contrast": "what"}))
            table = pd.concat(parts, ignore_index=True)
            table.insert(0, "from", first)
            table.insert(1, "to", second)
            tables.append(table)
        return pd.concat(tables, ignore_index=True)

    def _stacked(self, tables: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
        parts = [table.assign(**{EMBEDDING: name}) for name, table in tables.items()]
        stacked = pd.concat(parts, ignore_index=True)
        return stacked[[EMBEDDING, *(c for c in stacked.columns if c != EMBEDDING)]]

    @property
    def caption(self) -> str:
        """The rule behind the verdicts, in words."""
        return verdict_caption(self.rope, self.prob, self.interval)

    def to_frame(self) -> pd.DataFrame:
        """Return the mean distance per embedding and connection."""
        return self.groups.copy()

    def to_dict(self) -> dict[str, Any]:
        """Return all tables and the rule as plain data."""
        names = ("groups", "words", "contrasts", "differences", "unshared")
        return {
            "rope": self.rope,
            "prob": self.prob,
            "interval": self.interval,
            "caption": self.caption,
            **{name: getattr(self, name).to_dict("records") for name in names},
        }

    def plot(self) -> "Figure":
        """Draw means and contrasts of all embeddings as small multiples."""
        from bayesbias.studies.embeddings_figure import plot_embeddings

        return plot_embeddings(self.groups, self.contrasts)

    @property
    def blocks(self) -> Blocks:
        """One line per embedding and connection, then what differs between embeddings."""
        label = interval_label(self.prob, self.interval)
        shown = self.groups[[EMBEDDING, CONNECTION]].assign(
            pairs=self.groups["n_pairs"].map("{:,}".format),
            mean=self.groups["mean"].map("{:.3f}".format),
        )
        shown[label] = [f"{r.low:.3f} to {r.high:.3f}" for r in self.groups.itertuples()]
        n_shared = len(next(iter(self.changes.values())).fit.frame)
        return [
            "Mean cosine distance:",
            "",
            Table(shown, left=2),
            "",
            f"Between embeddings, on the {n_shared:,} pairs that all share "
            f"({len(self.unshared)} words are not in all):",
            "",
            decision_table(self.differences, ["from", "to", "what"]),
            "",
            self.caption,
        ]

    def __repr__(self) -> str:
        """Show one line per embedding and connection, then what differs between embeddings."""
        return as_text(self.blocks)


def compare_embeddings(
    frames: Mapping[str, pd.DataFrame],
    *,
    model: str | Path | ModelSpec = "crossed",
    change_model: str | Path | ModelSpec = "change-crossed",
    rope: float = ROPE,
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
    if len(frames) < 2:
        raise ArgumentError("compare at least two embeddings")
    spec, change_spec = load_model(model), load_model(change_model)
    if spec.response == CHANGE or change_spec.response != CHANGE:
        raise ModelError(
            f"model {spec.name!r} must explain distances, and change_model {change_spec.name!r} "
            f"their change"
        )
    check_rope(rope)
    interval_of([0.0, 1.0], prob, interval)
    rng = np.random.default_rng(seed)
    shared = _shared(frames)
    fits = {name: fit(frame, model=spec, seed=rng, **options) for name, frame in frames.items()}
    changes = {
        (first, second): compare_change(
            shared[first], shared[second], model=change_spec, rope=rope, prob=prob,
            interval=interval, seed=rng, **options,
        )
        for first, second in combinations(frames, 2)
    }  # fmt: skip
    return EmbeddingComparison(fits, changes, _unshared(frames), rope, prob, interval)


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
