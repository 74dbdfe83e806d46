"""Fits a model to a frame of distances, or to vectors and a word list.

A covariate z, a number of words or pairs, enters the mean of a pair as β (z − z̄) / sd(z), with β ~
Normal(0, ½ prior unit), a slope for each kind of list: one slope for all would make their
attributes one block, in which what is alike cannot be rotated to independent directions. Numbers of
protected words are centred within groups first: what they differ by between groups is the groups'
difference, which the cell means have.
"""

import dataclasses
import warnings
from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeAlias

import numpy as np
import pandas as pd

from bayesbias.constants import (
    ATTRIBUTE,
    ATTRIBUTE_SET,
    CHANGE,
    CONNECTION,
    GROUP,
    PROTECTED_WORD,
    TEXT_COLUMNS,
    UNASSIGNED,
)
from bayesbias.engine.adapting import Alike, adapt_model_to_data
from bayesbias.engine.collapsed import integrate_blocks
from bayesbias.engine.nuts import NutsSettings, sample_nuts
from bayesbias.errors import (
    ArgumentError,
    ConvergenceWarning,
    DataWarning,
    DistancesError,
    ModelError,
    one_of,
    suggest,
)
from bayesbias.fits.fit_result import Fit
from bayesbias.models.parameters import Cells
from bayesbias.models.specification import ModelSpec, load_model
from bayesbias.models.terms import ATTRIBUTE_KIND, TermSpec
from bayesbias.support.arguments import KeyedVectors, seed_as_integer
from bayesbias.support.machine import bar_console
from bayesbias.vectors.lookup import refuse_no_vectors
from bayesbias.vectors.samples import Sample, sample_of
from bayesbias.words import keys
from bayesbias.words.distance_frame import distances, keys_of_words
from bayesbias.words.profiles import TOO_FEW, profiles_of
from bayesbias.words.random_groups import RandomGroups, random_groups

if TYPE_CHECKING:
    from bayesbias.words.word_lists import WordList

ENGINES: Final = ("collapsed", "nuts")
_DRAWS: Final = {"collapsed": 1000, "nuts": 2000}  # of each chain

ROUNDING: Final = 1e-7
"""What rounding adds to the cosine of two vectors of 32-bit numbers: less is no variation."""

_SLOPE_SD: Final = 0.5
"""Sd of a slope's prior, in standard deviations of a neutral pair's distance for one of the
covariate."""

Covariates: TypeAlias = "Sequence[str] | pd.DataFrame"


def analyze(
    vectors: KeyedVectors,
    wordlist: "WordList | str | Path | Mapping[str, Any]",
    model: str | Path | ModelSpec = "maximal",
    *,
    covariates: Covariates = (),
    seed: int | np.random.Generator | None = None,
    **sampling: Any,
) -> Fit:
    """Say how close the words of each group are to each attribute list, and how sure that is.

    Parameters
    ----------
    vectors : gensim.models.KeyedVectors
        From `load_embedding`.
    wordlist : WordList, str, Path or mapping
        What `load_wordlist` takes: a shipped list's name, a file, or groups and attributes as
        ``{"groups": {...}, "attributes": {...}}``.
    model, covariates, seed
        As in `fit`, which takes ``engine``, ``draws``, ``chains``, ``tune``, ``target_accept`` and
        ``progress`` too.

    Returns
    -------
    Fit

    Examples
    --------
    >>> import bayesbias as bb
    >>> fit = bb.analyze(bb.example_embedding(), "gender", seed=1)
    >>> fit.contrasts().loc[0, "direction"]
    'closer'
    """
    with warnings.catch_warnings():  # the fit's screen counts the missing words
        warnings.simplefilter("ignore", DataWarning)
        frame = distances(vectors, wordlist)
    return fit(frame, model, vectors=vectors, covariates=covariates, seed=seed, **sampling)


def fit(
    frame: pd.DataFrame,
    model: str | Path | ModelSpec = "maximal",
    *,
    vectors: "KeyedVectors | None" = None,
    covariates: Covariates = (),
    seed: int | np.random.Generator | None = None,
    engine: str = "collapsed",
    draws: int | None = None,
    chains: int = 4,
    tune: int = 1000,
    target_accept: float = 0.97,
    progress: bool | None = None,
) -> Fit:
    """Fit a model to a frame of distances.

    Parameters
    ----------
    frame : DataFrame
        From `distances` or `read_distances`. Distances of a pair in several contexts (column
        ``context``) are averaged, and the fit's notes say so.
    model : str, Path or ModelSpec
        A shipped model's name, the path of a specification, or one made in code.
    vectors : gensim.models.KeyedVectors, optional
        The vectors of the frame, which tell how alike attributes are and how far random groups of
        words differ. Without them attributes are independent, or share effects by the column
        ``topic``, and a note says so.
    covariates : sequence of str, or DataFrame
        Numeric columns of the frame; or a frame of such columns by word, its index protected words
        or attributes. Each gets a slope for every kind of attribute list. Those of protected words
        are centred within groups.
    seed : int or Generator, optional
        The same seed gives the same draws with the same versions; it is recorded in the result.
        None draws one.
    engine : {"collapsed", "nuts"}
        "collapsed" integrates everything but the standard deviations in closed form and takes a
        second; "nuts" samples the same posterior with PyMC (nutpie where it is installed).
    draws, chains : int
        Draws per chain, by default 1,000 for the collapsed engine and 2,000 for NUTS, and number
        of chains (for the collapsed engine only a label).
    tune, target_accept
        Of NUTS: the warm-up of each chain; nearer to 1 means smaller steps.
    progress : bool, optional
        Whether to show a bar, by default in a terminal or a notebook.

    Returns
    -------
    Fit

    Raises
    ------
    DistancesError
        If the frame cannot be analysed.
    ModelError
        If there is no such model, or it does not go with the frame.

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
    one_of(engine, "engine", ENGINES)
    n_draws = _DRAWS[engine] if draws is None else draws
    sampling = NutsSettings(n_draws, tune, chains, target_accept)
    if engine != "nuts" and sampling != NutsSettings(n_draws, chains=chains):
        raise ArgumentError("tune and target_accept: are of engine='nuts'")
    number = seed_as_integer(seed)
    frame, spec = with_covariates(frame, spec, covariates)
    frame, notes = prepared(frame, spec)
    fitted = partial(
        fit_prepared, frame, spec, notes=notes, seed=number, engine=engine, sampling=sampling
    )
    if vectors is None:
        return fitted(None, progress=progress)
    refuse_no_vectors(vectors)
    sample = sample_of(vectors)
    attributes, words = (keys_of_words(frame, vectors, c) for c in (ATTRIBUTE, PROTECTED_WORD))
    profiles = profiles_of(vectors, attributes, sample, besides=words.values())
    result = fitted(profiles, why_not=TOO_FEW, progress=progress)
    return dataclasses.replace(result, random=_random_groups(result, vectors, sample))


def fit_prepared(
    frame: pd.DataFrame,
    spec: ModelSpec,
    alike: Alike,
    *,
    notes: tuple[str, ...],
    seed: int,
    why_not: str = "",
    engine: str = "collapsed",
    sampling: NutsSettings = NutsSettings(draws=1000),  # noqa: B008
    progress: bool | None = None,
) -> Fit:
    """Adapt a model to a prepared frame and fit it; see `fit` and `adapt_model_to_data`."""
    if alike is not None and spec.is_similar and not {*spec.own_columns} & {*frame.columns}:
        frame, lost = keys.whole_tables(frame)  # which similar attributes need
        names = ", ".join(dict.fromkeys(lost))
        notes = (*notes, f"Left out, since they lack pairs: {names}.") if lost else notes
    spec, design, reasons = adapt_model_to_data(spec, frame, alike, why_not)
    if engine == "nuts":
        has_bar = bar_console(progress) is not None
        made = sample_nuts(design, spec, sampling, seed=seed, progress=has_bar)
    else:
        made = integrate_blocks(design, spec, draws=sampling.draws, chains=sampling.chains)
    parts: Any = dict(zip(("draws", "sample_stats", "settings"), made, strict=True))
    notes = (*notes, *reasons)
    result = Fit(spec=spec, frame=frame, design=design, seed=seed, notes=notes, **parts)
    if result.diagnostics.problems:
        warnings.warn(result.diagnostics.sentence, ConvergenceWarning, stacklevel=3)
    return result


def with_covariates(
    frame: pd.DataFrame, spec: ModelSpec, covariates: Iterable[str] | pd.DataFrame
) -> tuple[pd.DataFrame, ModelSpec]:
    """Return a frame with the columns of covariates, and a model with a slope for each.

    `covariates`: names of numeric columns; or a frame of columns by word.
    """
    if isinstance(covariates, pd.DataFrame):
        frame, covariates = _joined(frame, covariates), list(covariates.columns)
    names = [covariates] if isinstance(covariates, str) else [*map(str, covariates or ())]
    if not names:
        return frame, spec
    frame, terms = frame.copy(), list(spec.terms)
    for name in names:
        if name not in frame:
            raise ArgumentError(
                f"covariates: the frame has no column {name!r}"
                f"{suggest(name, [str(c) for c in frame.columns])}"
            )
        if not pd.api.types.is_numeric_dtype(frame[name]):
            raise ArgumentError(f"covariates: column {name!r} holds no numbers; convert it")
        if frame.groupby(PROTECTED_WORD)[name].nunique().max() == 1:
            frame[name] = frame[name] - frame.groupby(GROUP)[name].transform("mean")
        sd = _SLOPE_SD if spec.is_relative else 0.05
        letters = "".join(c if c.isalnum() else "_" for c in name.lower()).strip("_")
        terms.append(TermSpec(f"slope_{letters}", (ATTRIBUTE_KIND,), sd=sd, of=name))
    return frame, dataclasses.replace(spec, terms=tuple(terms))


def _joined(frame: pd.DataFrame, numbers: pd.DataFrame) -> pd.DataFrame:
    """Return a frame with numbers by word beside the words that they are of."""
    if numbers.index.has_duplicates:
        word = numbers.index[numbers.index.duplicated()][0]
        raise ArgumentError(f"covariates: {word!r} has two rows of numbers; leave one out")
    for column in (ATTRIBUTE, PROTECTED_WORD):
        words = frame[column]
        has_numbers = words.isin(numbers.index)
        if not has_numbers.any():
            continue
        if missing := sorted(set(words[~has_numbers])):
            raise ArgumentError(
                f"covariates: no numbers for {len(missing)} of the {column.replace('_', ' ')}s "
                f"({', '.join(missing[:5])}…), controls too; add them, or leave these words out "
                f"of the frame ({has_numbers.sum():,} of {len(frame):,} pairs remain)"
            )
        return frame.assign(**{name: words.map(numbers[name]).to_numpy() for name in numbers})
    raise ArgumentError(
        "covariates: the index of the frame names no word of the pairs; index it by protected "
        "words or attributes"
    )


def prepared(frame: pd.DataFrame, spec: ModelSpec) -> tuple[pd.DataFrame, tuple[str, ...]]:
    """Return what is fitted of a frame, with a sentence on everything that was changed."""
    if spec.response == CHANGE and isinstance(frame, pd.DataFrame) and CHANGE not in frame.columns:
        raise DistancesError(
            f"the frame lacks the column {CHANGE!r}, which model {spec.name!r} explains; take "
            f"a model of distances, such as 'maximal', or compare two embeddings with compare()"
        )
    keys.validate_distances(frame, response=spec.response, within=spec.own_columns)
    frame, n_contexts = keys.averaged_over_contexts(frame, spec.response, spec.own_columns)
    notes = [f"Distances are averaged over {n_contexts} contexts."] if n_contexts else []
    categories = frame[list(TEXT_COLUMNS)].select_dtypes("category")  # they cannot be put together
    frame = frame.astype(dict.fromkeys(categories, object)).reset_index(drop=True)
    if (frame[CONNECTION] == UNASSIGNED).any() and any(
        CONNECTION in (*t.by, t.sd_by) for t in spec.terms
    ):
        raise ModelError(
            f"model {spec.name!r} is about lists that belong to groups, and these belong to none "
            f"(connection {UNASSIGNED!r}); use model='maximal'"
        )
    present = [column for column in spec.own_columns if column in frame]
    if spec.is_similar:  # a pair is one observation, however many rows it has
        again = keys.repeated_pairs(frame, response=spec.response, within=present)
        notes += [f"{again.sum():,} rows repeat a pair, and count once."] * bool(again.any())
        frame = frame[~again].reset_index(drop=True)
    else:
        keys.refuse_repeated_pairs(frame, spec.response, also=present)
    if spec.response != CHANGE:
        frame, same = _without_twins(frame, spec.response)
        notes += same
    n_owners = frame[frame[CONNECTION] == "associated"].groupby(ATTRIBUTE_SET)[GROUP].nunique()
    belongs_to_all = n_owners == frame[GROUP].nunique()
    if belongs_to_all.any() and not belongs_to_all.all():
        names = ", ".join(n_owners.index[belongs_to_all])
        notes.append(f"No groups are compared on {names}, which belongs to every group.")
    for name, values in frame.groupby(CONNECTION, sort=False)[spec.response]:
        if np.ptp(values.to_numpy()) <= ROUNDING:  # the noise would have no lower bound
            raise DistancesError(
                f"the distances of connection {name!r} do not vary beyond rounding, so that their "
                f"noise cannot be estimated; check whether the distances were computed, or leave "
                f"the connection out"
            )
    return frame, tuple(notes)


def _without_twins(frame: pd.DataFrame, response: str) -> tuple[pd.DataFrame, list[str]]:
    """Drop words of a group whose vectors are those of another: they are one word, not two."""
    twins: dict[str, str] = {}
    for own, other, within in (
        (PROTECTED_WORD, ATTRIBUTE, GROUP),
        (ATTRIBUTE, PROTECTED_WORD, ATTRIBUTE_SET),
    ):
        for _, part in frame.groupby(within, sort=False):
            if part.duplicated([own, other]).any():
                continue
            table = part.set_index([own, other])[response].unstack().round(7)  # noqa: PD010
            # Fewer than three distances may agree by chance.
            if table.shape[1] < 3 or table.isna().any(axis=None):
                continue
            table = table.loc[part[own].unique()]
            rows = [row.tobytes() for row in table.to_numpy() + 0.0]
            first = table.index.to_series().groupby(rows).transform("first")
            twins |= {str(word): str(of) for word, of in first.items() if word != of}
    if not twins:
        return frame, []
    is_twin = frame[PROTECTED_WORD].isin(twins) | frame[ATTRIBUTE].isin(twins)
    named = ", ".join(f"{word} (as {other})" for word, other in twins.items())
    frame = frame[~is_twin].reset_index(drop=True)
    return frame, [f"Words with the same vector count once: {named} left out."]


def _random_groups(fitted: Fit, vectors: KeyedVectors, sample: Sample) -> RandomGroups | None:
    """Draw random groups for the cells of a fit."""
    frame, cells, groups = fitted.frame, Cells.of(fitted.design), fitted.design.groups
    columns = PROTECTED_WORD, ATTRIBUTE
    spellings = [keys_of_words(frame, vectors, column) for column in columns]
    of_cells = []
    for group, pairs in zip(cells.group, cells.pairs, strict=True):
        words, attributes = (
            [of[word] for word in frame[column].iloc[pairs].unique()]
            for of, column in zip(spellings, columns, strict=True)
        )
        of_cells.append((groups[group], words, attributes))
    return random_groups(vectors, of_cells, sample, seed=fitted.seed)
