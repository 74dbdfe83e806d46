"""Fits a model to a frame of distances."""

import warnings
from inspect import signature
from math import prod
from pathlib import Path
from typing import Any, Final

import numpy as np
import pandas as pd
import xarray as xr

from bayesbias.constants import (
    ATTRIBUTE,
    CHANGE,
    CONNECTION,
    GROUP,
    PROTECTED_WORD,
    STEREOTYPE_CONNECTIONS,
)
from bayesbias.errors import (
    ArgumentError,
    BayesBiasWarning,
    ConvergenceWarning,
    DistancesError,
    ModelError,
    SamplingInterrupted,
    one_of,
    suggest,
)
from bayesbias.fits.captions import tell
from bayesbias.fits.fit_result import Fit
from bayesbias.inference.adapting import adapt_model_to_data
from bayesbias.inference.collapsed import sample_collapsed
from bayesbias.inference.design import Design
from bayesbias.inference.diagnostics import ESS_LIMIT
from bayesbias.inference.model_files import load_model
from bayesbias.inference.nuts import NutsSettings, sample_nuts
from bayesbias.inference.parameters import drawn_shapes
from bayesbias.inference.specification import ModelSpec
from bayesbias.pairs.checks import refuse_repeated_pairs, validate_distances
from bayesbias.pairs.frequency import with_rarity
from bayesbias.pairs.reference import FEWEST_REFERENCE_WORDS, reference_rows, without_reference
from bayesbias.support.memory import beyond_memory
from bayesbias.support.progress import shows_progress
from bayesbias.support.seeds import seed_as_integer

ENGINES: Final = ("auto", "collapsed", "nuts")
_DRAWS: Final = {"collapsed": 1000, "nuts": 2000}  # of each chain
_TUNE: Final = 1000

ROUNDING: Final = 1e-7
"""What rounding adds to the cosine of two vectors of 32-bit numbers: less is no variation."""


def fit(
    frame: pd.DataFrame,
    model: str | Path | ModelSpec = "maximal",
    *,
    seed: int | np.random.Generator | None = None,
    frequency: bool = False,
    engine: str = "auto",
    draws: int | None = None,
    chains: int = 4,
    tune: int | None = None,
    cores: int | None = None,
    sampler: str = "auto",
    parametrisation: str = "auto",
    target_accept: float = 0.97,
    progress: bool | None = None,
    **sampler_options: Any,
) -> Fit:
    """Fit a model to a frame of distances.

    Parameters
    ----------
    frame : DataFrame
        From `distances` or `read_distances`. Rows of reference words are fitted by models that
        explain them (``reference_words``), and kept beside the fit by others.
    model : str, Path or ModelSpec
        A shipped model's name, the path of a specification, or one made in code. Terms that these
        data cannot estimate are left out of a model that ``adapts``, as all shipped ones do, and
        the fit says which and why; in another they are an error.
    seed : int or Generator, optional
        The same seed gives the same draws with the same versions; it is recorded in the result.
        None draws one.
    frequency : bool
        Whether words are compared at equal frequency: the model gets slopes on how rare the word,
        the attribute and both are (``fit.summary("slope")``).
    engine : {"auto", "collapsed", "nuts"}
        "collapsed" integrates everything but the standard deviations in closed form and takes
        fractions of a second; it needs a normal likelihood. "nuts" samples any model with PyMC,
        in minutes. "auto" is collapsed for a normal likelihood, else NUTS.
    draws, chains : int
        Draws per chain, by default 1,000 for the collapsed engine and 2,000 for NUTS, and number
        of chains (for the collapsed engine only a label).
    tune : int, optional
        Warm-up of each chain of NUTS, by default 1,000.
    cores, sampler, parametrisation, target_accept
        For NUTS: see `inference.nuts.NutsSettings`.
    progress : bool, optional
        Whether to show a bar, by default in a terminal or a notebook.
    **sampler_options
        For ``engine="nuts"``: passed on to ``pymc.sample``, such as ``init`` or
        ``max_treedepth``. With other engines they are an error.

    Raises
    ------
    DistancesError
        If the frame cannot be analysed.
    ModelError
        If there is no such model, or the engine cannot fit it.
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
    >>> frame = bb.distances(bb.example_embedding(), bb.load_wordlist("gender"))
    >>> bb.fit(frame, "crossed", seed=1).spec.name
    'crossed'
    """
    spec = load_model(model)
    if frequency:
        frame, spec = with_rarity(frame), spec.with_frequency()
    if engine != "nuts" and sampler_options:
        raise _unknown(next(iter(sampler_options)))
    chosen = _chosen_engine(engine, spec)
    settings = NutsSettings(
        _DRAWS["nuts"] if draws is None else draws,
        _TUNE if tune is None else tune,
        chains,
        cores,
        sampler,
        parametrisation,
        target_accept,
        sampler_options,
    )
    frame, spec, left_out, excluded_rows = _prepared(frame, spec)
    design = Design.from_frame(frame, spec)
    number = seed_as_integer(seed)
    n = _DRAWS[chosen] if draws is None else draws
    _refuse_too_many(design, spec, n * chains)

    def made(posterior: xr.Dataset, sample_stats: xr.Dataset, record: dict[str, Any]) -> Fit:
        return Fit(
            spec=spec,
            frame=frame,
            design=design,
            posterior=posterior,
            sample_stats=sample_stats,
            settings=record,
            seed=number,
            left_out=left_out,
            excluded_rows=excluded_rows,
        )

    if chosen == "collapsed":
        _say_what_grows(design, frame)
        result = made(*sample_collapsed(design, spec, draws=n, chains=chains, seed=number))
        few = n * chains < ESS_LIMIT  # as few as were asked for, by whatever engine
        if engine == "auto" and not few and result.diagnostics.problems:
            chosen = "nuts"
            warnings.warn(
                f"{result.diagnostics.sentence} Falling back to NUTS on the whole model, which "
                f"takes minutes.",
                ConvergenceWarning,
                stacklevel=2,
            )
    if chosen == "nuts":
        shown = shows_progress() if progress is None else progress
        try:
            result = made(*sample_nuts(design, spec, settings, seed=number, progress=shown))
        except SamplingInterrupted as stop:
            if stop.partial is None:
                raise
            raise SamplingInterrupted(made(*stop.partial)) from None
    if result.diagnostics.problems:
        warnings.warn(result.diagnostics.sentence, ConvergenceWarning, stacklevel=2)
    return result


_BYTES_OF_A_DRAW: Final = 24
"""Of memory while one number is drawn and stored."""


def _refuse_too_many(design: Design, spec: ModelSpec, draws: int) -> None:
    """Refuse a posterior that the machine's memory does not hold, before it is made."""
    n = sum(prod(shape) for shape in drawn_shapes(design, spec).values())
    if too_much := beyond_memory(n * draws * _BYTES_OF_A_DRAW):
        raise DistancesError(
            f"model {spec.name!r} has {n:,} means and effects here, of which {draws:,} draws take "
            f"{too_much}; take fewer draws, fewer words, or a model without effects of attributes, "
            f"such as 'paper'"
        )


_MANY_GROUPS: Final = 12
"""Groups from which effects of each of them on each attribute take half a minute or more."""


def _say_what_grows(design: Design, frame: pd.DataFrame) -> None:
    """Say before the work that groups are many: it grows faster than their number."""
    n = without_reference(frame)[GROUP].nunique()
    if n >= _MANY_GROUPS and any({GROUP, ATTRIBUTE} <= set(t.columns) for t in design.terms):
        warnings.warn(
            f"{n} groups: effects of each group on each attribute take more than the third power "
            f"of the number of groups (eight take 5 seconds, twelve 30); fit a few groups at a "
            f"time, or model='paper'",
            BayesBiasWarning,
            stacklevel=3,
        )


def _prepared(
    frame: pd.DataFrame, spec: ModelSpec
) -> tuple[pd.DataFrame, ModelSpec, tuple[str, ...], pd.DataFrame]:
    """Return what is fitted, the model, what is left out in words, and reference rows left over."""
    if spec.response == CHANGE and isinstance(frame, pd.DataFrame) and CHANGE not in frame.columns:
        raise DistancesError(
            f"the frame lacks the column {CHANGE!r}, which model {spec.name!r} explains; take "
            f"a model of distances, such as 'maximal', or compare two embeddings (compare_change, "
            f"bayesbias compare)"
        )
    validate_distances(frame, response=spec.response, within=spec.repeating)
    frame = frame.reset_index(drop=True)
    frame, excluded_rows, left_out = _explained(frame, spec)
    for name, values in frame.groupby(CONNECTION, sort=False)[spec.response]:
        if np.ptp(values.to_numpy()) <= ROUNDING:  # the noise would have no lower bound
            raise DistancesError(
                f"the distances of connection {name!r} do not vary beyond rounding, so that their "
                f"noise cannot be estimated; check whether they were computed, or leave the "
                f"connection out"
            )
    # A column that is absent is told with the term that needs it, further down.
    known = [column for column in spec.repeating if column in frame]
    refuse_repeated_pairs(frame, spec.response, also=known)
    spec, reasons = adapt_model_to_data(spec, frame)
    return frame, spec, (*left_out, *reasons), excluded_rows


def _explained(
    frame: pd.DataFrame, spec: ModelSpec
) -> tuple[pd.DataFrame, pd.DataFrame, tuple[str, ...]]:
    """Return the rows that a model explains, those of reference words otherwise, and why."""
    reference = reference_rows(frame)
    if reference.empty:
        return frame, reference, ()
    pairs = without_reference(frame).reset_index(drop=True)
    for column in set(spec.own_columns) & set(pairs.columns):
        # It was of whole numbers until it had no value for reference words.
        values = pairs[column]
        is_new = pd.api.types.is_float_dtype(values) and reference[column].isna().all()
        if is_new and np.isfinite(values).all() and (values == np.floor(values)).all():
            pairs[column] = values.astype(np.int64)
    if not spec.reference_words:
        return pairs, reference, ()
    n = reference[PROTECTED_WORD].nunique()
    if n < FEWEST_REFERENCE_WORDS:
        why = tell("few_reference_words", n, FEWEST_REFERENCE_WORDS)
    elif not frame[CONNECTION].isin(STEREOTYPE_CONNECTIONS).any():
        why = tell("no_stereotypes")
    elif np.ptp(reference[spec.response].to_numpy()) <= ROUNDING:
        why = tell("reference_does_not_vary")
    else:
        return frame, reference.iloc[:0], ()
    return pairs, reference, (tell("no_reference", why),)


_OF_ANSWERS: Final = ("rope", "prob", "interval", "rule")
"""What verdicts and intervals depend on, and fits do not."""


def _unknown(option: str) -> ArgumentError:
    if option in _OF_ANSWERS:
        return ArgumentError(
            f"{option}=: no argument of fit, which does not depend on it; give it where the answer "
            f"is asked for, such as fit.contrasts({option}=...)"
        )
    known = [n for n, p in signature(fit).parameters.items() if p.kind is p.KEYWORD_ONLY]
    return ArgumentError(
        f"{option}=: no argument of fit{suggest(option, known)}. Options of pymc.sample need "
        f"engine='nuts'"
    )


def _chosen_engine(engine: str, spec: ModelSpec) -> str:
    if engine == "gibbs":
        raise ArgumentError(
            "engine='gibbs': there is no Gibbs sampler any more; use engine='nuts', or 'auto', "
            "which is NUTS for Student-t noise"
        )
    one_of(engine, "engine", ENGINES)
    if engine == "collapsed" and not spec.is_gaussian:
        raise ModelError(
            f"model {spec.name!r} has a {spec.likelihood} likelihood, and the collapsed engine "
            f"needs a normal one; use engine='nuts'"
        )
    if engine == "auto":
        return "collapsed" if spec.is_gaussian else "nuts"
    return engine
