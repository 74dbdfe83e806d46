"""Fits a model to a frame of distances."""

import warnings
from pathlib import Path
from typing import Final

import numpy as np
import pandas as pd

from bayesbias.constants import (
    ATTRIBUTE,
    CHANGE,
    PROTECTED_WORD,
)
from bayesbias.errors import (
    ArgumentError,
    ConvergenceWarning,
    DataWarning,
    DistancesError,
    ModelError,
    SamplingInterrupted,
    suggest,
)
from bayesbias.fits.fit_result import Fit
from bayesbias.inference.collapsed import sample_collapsed
from bayesbias.inference.design import Design
from bayesbias.inference.model_files import load_model
from bayesbias.inference.nuts import NutsSettings, sample_nuts
from bayesbias.inference.specification import ModelSpec
from bayesbias.pairs.distance_frame import validate_distances
from bayesbias.support.progress import shows_progress
from bayesbias.support.seeds import seed_as_integer

ENGINES: Final = ("auto", "collapsed", "nuts")
_SAME_DISTANCE: Final = 1e-6


def fit(
    frame: pd.DataFrame,
    *,
    model: str | Path | ModelSpec = "paper",
    seed: int | np.random.Generator | None = None,
    engine: str = "auto",
    draws: int = 2000,
    chains: int = 4,
    tune: int = 1000,
    cores: int | None = None,
    sampler: str = "auto",
    parametrisation: str = "auto",
    target_accept: float = 0.97,
    progress: bool | None = None,
) -> Fit:
    """Fit a model to a frame of distances.

    Parameters
    ----------
    frame : DataFrame
        From `distances` or `read_distances`.
    model : str, Path or ModelSpec
        A shipped model's name, the path of a specification, or one made in code.
    seed : int or Generator, optional
        The same seed gives the same draws with the same versions; it is recorded in the result.
        None draws one.
    engine : {"auto", "collapsed", "nuts"}
        "collapsed" integrates everything but the standard deviations in closed form and takes
        fractions of a second; it needs a normal likelihood. "nuts" samples any model with PyMC.
        "auto" is collapsed where it is valid, else NUTS.
    draws, chains : int
        Draws per chain, and number of chains (for the collapsed engine only a label).
    tune, cores, sampler, parametrisation, target_accept, progress
        For NUTS: see `inference.nuts.NutsSettings`; `progress` shows a bar, by default in a
        terminal or a notebook.

    Returns
    -------
    Fit

    Raises
    ------
    DistancesError
        If the frame cannot be analysed.
    ModelError
        If there is no such model, or the engine cannot fit it.
    ArgumentError
        If an argument is outside its range.

    SamplingInterrupted
        On Ctrl-C while NUTS is sampling: a KeyboardInterrupt whose ``partial`` is a Fit of the
        draws made so far, or None.

    Warns
    -----
    ConvergenceWarning
        If the draws should not be trusted; the message says why and what to do.

    Examples
    --------
    >>> import bayesbias as bb
    >>> frame = bb.read_distances("religion_group_reddit_dataset.csv")  # doctest: +SKIP
    >>> bb.fit(frame, model="crossed", seed=1).group_summary()  # doctest: +SKIP
    """
    settings = NutsSettings(draws, tune, chains, cores, sampler, parametrisation, target_accept)
    spec = load_model(model)
    chosen = _chosen_engine(engine, spec)
    if spec.response == CHANGE and isinstance(frame, pd.DataFrame) and CHANGE not in frame.columns:
        raise DistancesError(
            f"the frame lacks the column {CHANGE!r}, which model {spec.name!r} explains; take "
            f"a model of distances, such as 'crossed', or compare two embeddings (compare_change, "
            f"bayesbias compare)"
        )
    validate_distances(frame, response=spec.response)
    frame = frame.reset_index(drop=True)
    design = Design.from_frame(frame, spec.response)
    _refuse_constant(design)
    _check_repeated(design, frame)
    number = seed_as_integer(seed)
    if chosen == "collapsed":
        result = Fit(
            spec, frame, design,
            *sample_collapsed(design, spec, draws=draws, chains=chains, seed=number),
            number,
        )  # fmt: skip
        if engine == "collapsed" or not result.diagnostics.problems:
            return _with_warning(result)
        warnings.warn(
            f"{result.diagnostics.sentence} Falling back to NUTS.", ConvergenceWarning, stacklevel=2
        )
    shown = shows_progress() if progress is None else progress
    try:
        sampled = sample_nuts(design, spec, settings, seed=number, progress=shown)
    except SamplingInterrupted as stop:
        if stop.partial is None:
            raise
        posterior, statistics, record = stop.partial
        made = Fit(spec, frame, design, posterior, statistics, record, number)
        raise SamplingInterrupted(made) from None
    return _with_warning(Fit(spec, frame, design, *sampled, number))


def _refuse_constant(design: Design) -> None:
    """Refuse distances that do not vary: the noise would have no lower bound."""
    for index, name in enumerate(design.connections):
        values = design.response[design.connection == index]
        if np.ptp(values) <= 1e-12:
            raise DistancesError(
                f"the distances of connection {name!r} do not vary, so that their noise cannot be "
                f"estimated; look whether they were computed, or leave the connection out"
            )


def _check_repeated(design: Design, frame: pd.DataFrame) -> None:
    """Refuse pairs that stand there with two distances; say so where one is counted again."""
    code = design.cell * len(design.attributes) + design.attribute
    order = np.argsort(code, kind="stable")
    again = np.flatnonzero(np.diff(code[order]) == 0)
    if not len(again):
        return
    first, second = order[again], order[again + 1]
    differs = np.abs(design.response[first] - design.response[second]) > _SAME_DISTANCE
    if differs.any():
        row = frame.iloc[int(second[differs][0])]
        raise DistancesError(
            f"the pair {row[PROTECTED_WORD]!r} – {row[ATTRIBUTE]!r} stands in the frame with "
            f"different distances; fit one embedding at a time, and one row per pair"
        )
    if frame.attrs.get("source", {}).get("duplicates") != "keep":
        warnings.warn(
            f"{len(again):,} rows repeat a pair, and each is one observation counted again; drop "
            f"them with frame.drop_duplicates()",
            DataWarning,
            stacklevel=3,
        )


def _chosen_engine(engine: str, spec: ModelSpec) -> str:
    if engine not in ENGINES:
        raise ArgumentError(f"engine={engine!r}{suggest(engine, ENGINES)}")
    if engine == "collapsed" and not spec.is_gaussian:
        raise ModelError(
            f"model {spec.name!r} has a {spec.likelihood} likelihood, and the collapsed engine "
            f"needs a normal one; use engine='nuts'"
        )
    if engine == "auto":
        return "collapsed" if spec.is_gaussian else "nuts"
    return engine


def _with_warning(result: Fit) -> Fit:
    if result.diagnostics.problems:
        warnings.warn(result.diagnostics.sentence, ConvergenceWarning, stacklevel=3)
    return result
