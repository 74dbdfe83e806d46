"""Distances in contexts: one row per pair and context, nothing averaged."""

import hashlib
import warnings
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd

from bayesbias.constants import CONTEXT, LAYER
from bayesbias.errors import MissingWordsWarning
from bayesbias.support.arguments import KeyedVectors
from bayesbias.vectors.encoders import SEAT_TEMPLATES, encode, refuse_unusable_templates
from bayesbias.words.distance_frame import distances
from bayesbias.words.list_files import load_wordlist
from bayesbias.words.provenance import missing_of, source_of, with_provenance
from bayesbias.words.word_lists import WordList

_WHOLE_TEXT = "text"  # the layer of encoders that give one vector for a whole text


def contextual_distances(
    source: Any,
    wordlist: WordList | str | Path,
    *,
    templates: Sequence[str] = SEAT_TEMPLATES,
) -> pd.DataFrame:
    """Compute the cosine distance of every pair in every context.

    In each context the protected word's vector and the attribute's come from the same template.

    Parameters
    ----------
    source : model, its name, callable, or mapping of str to KeyedVectors
        A model of sentences as `bayesbias.vectors.encode` takes it, or the vectors of each context,
        as `bayesbias.vectors.load_contexts` reads them from a table.
    wordlist : WordList, str or Path
        A word list, or what `load_wordlist` takes.
    templates : sequence of str
        Of a model: contexts, each with exactly one ``{}`` where the word goes.

    Returns
    -------
    DataFrame
        One row per pair and context: the columns of `distances`, then ``context`` and ``layer``
        (``"text"``). `fit` averages over contexts.

    Raises
    ------
    EmbeddingError, WordListError
        As `encode` and `distances` do.

    Notes
    -----
    Cost: one pass of the model per word and context, in batches. Nothing is random.

    Examples
    --------
    >>> import bayesbias as bb
    >>> def letters(texts):  # stands for a model: the numbers of a few letters
    ...     return [[text.count(letter) + 1.0 for letter in "aehnost"] for text in texts]
    >>> contexts = ["This is {}.", "{} is here."]
    >>> frame = bb.words.contextual_distances(letters, "weat7", templates=contexts)
    >>> frame.groupby("context").size().tolist()
    [5232, 5232]
    """
    wordlist = load_wordlist(wordlist)
    frames: list[pd.DataFrame] = []
    checksum = hashlib.sha256()
    for name, vectors in _by_context(source, wordlist, templates).items():
        with warnings.catch_warnings():
            if frames:  # the same words are missing in every context
                warnings.simplefilter("ignore", MissingWordsWarning)
            frame = distances(vectors, wordlist)
        checksum.update(source_of(frame)["vectors_sha256"].encode())
        frames.append(frame.assign(**{CONTEXT: name, LAYER: _WHOLE_TEXT}))
    named = getattr(source, "name_or_path", "") or type(source).__name__
    record = {
        **source_of(frames[0]),
        "vectors_sha256": checksum.hexdigest(),
        "model": str(source if isinstance(source, str | Path) else named),
        "contexts": len(frames),
        "layer": _WHOLE_TEXT,
    }
    missing = missing_of(frames[0]) or ()
    for frame in frames:
        frame.attrs = {}
    return with_provenance(pd.concat(frames, ignore_index=True), source=record, missing=missing)


def _by_context(
    source: Any, wordlist: WordList, templates: Sequence[str]
) -> Mapping[str, KeyedVectors]:
    """Return the vectors of the list's words in each context."""
    if isinstance(source, Mapping):
        return source
    refuse_unusable_templates(templates)
    words = list(dict.fromkeys(wordlist.words))
    return {template: encode(words, source, templates=[template]) for template in templates}
