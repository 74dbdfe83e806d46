"""The long frame of several training runs: one row per pair and run."""

import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path

import pandas as pd

from bayesbias.constants import ATTRIBUTE, MISSING_COLUMNS, PROTECTED_WORD, REFERENCE, RUN
from bayesbias.errors import ArgumentError, DistancesError, MissingWordsWarning
from bayesbias.pairs.distance_frame import distances
from bayesbias.pairs.profiles import averaged
from bayesbias.pairs.provenance import missing_of, source_of, with_provenance
from bayesbias.pairs.reference import reference_last, without_reference
from bayesbias.pairs.word_lists import WordList, load_wordlist
from bayesbias.support.types import KeyedVectors
from bayesbias.vectors.loading import load_embedding


def distances_of_runs(
    runs: "Mapping[str, KeyedVectors | str | Path]",
    wordlist: WordList | str | Path,
    *,
    fallbacks: Sequence[str] | None = None,
) -> pd.DataFrame:
    """Compute the cosine distances of a word list in several training runs of one embedding.

    Parameters
    ----------
    runs : mapping of str to KeyedVectors, str or Path
        From a name for the run to its vectors, as from `training_runs`; at least two.
    wordlist, fallbacks
        As in `distances`.

    Returns
    -------
    DataFrame
        As from `distances`, with a row per pair and run and the column ``run``; the rows of
        reference words follow those of all runs. Words that not every run has are left out and
        listed by `missing_words`.

    Raises
    ------
    DistancesError
        If the runs have no pair in common.

    Warns
    -----
    MissingWordsWarning
        If words of the list are missing.

    Examples
    --------
    >>> import bayesbias as bb
    >>> from bayesbias.simulate import planted_embedding
    >>> wl = bb.load_wordlist("weat7")
    >>> runs = {f"seed {i}": planted_embedding(wl, similarity=0.2, seed=i).vectors for i in (1, 2)}
    >>> bb.pairs.distances_of_runs(runs, wl)["run"].unique().tolist()
    ['seed 1', 'seed 2']
    """
    if len(runs) < 2:
        raise ArgumentError("give at least two training runs; for one take distances(...)")
    words = load_wordlist(wordlist)
    frames: dict[str, pd.DataFrame] = {}
    missing: dict[str, Mapping[str, str]] = {}
    for name, source in runs.items():
        if isinstance(source, str | Path):
            source = load_embedding(source, words=words.words, fallbacks=fallbacks, progress=False)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", MissingWordsWarning)  # said once, for all runs
            frames[name] = distances(source, words, fallbacks=fallbacks)
        for row in missing_of(frames[name]) or ():
            missing.setdefault(row["word"], row)
    stacked = pd.concat([frame.assign(**{RUN: name}) for name, frame in frames.items()])
    for column in (PROTECTED_WORD, ATTRIBUTE):
        stacked = stacked[~stacked[column].isin(missing)]
    stacked = reference_last(stacked)
    if without_reference(stacked).empty:
        raise DistancesError("the runs have no pair in common; are they of one corpus?")
    source = source_of(frames[next(iter(runs))])
    vectors = {name: source_of(frame)["vectors_sha256"] for name, frame in frames.items()}
    stacked.attrs = {}
    with_provenance(
        stacked,
        source={key: value for key, value in source.items() if key != "vectors_sha256"}
        | {"runs": vectors},
        missing=[{key: row[key] for key in MISSING_COLUMNS} for row in missing.values()],
        profiles=averaged(frames.values()),
    )
    lost = [word for word, row in missing.items() if row["role"] != REFERENCE]
    if lost:
        warnings.warn(
            f"{len(lost)} words of list {words.name!r} are missing from the vectors of some or all "
            f"runs; missing_words(frame) lists them",
            MissingWordsWarning,
            stacklevel=2,
        )
    return stacked
