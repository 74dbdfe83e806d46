"""The long frame of cosine distances: vectors × word list, in one context or in several.

One row per (protected word, attribute), with the columns of `constants.PAIR_COLUMNS`; of several
contexts one per pair and context, nothing averaged. The frame carries the record of missing words
and of where the distances came from (`provenance`); both go with it into a fit.
"""

import hashlib
import warnings
from collections.abc import Mapping, Sequence
from itertools import product
from pathlib import Path
from typing import Any, Final

import numpy as np
import pandas as pd

from bayesbias.constants import (
    ATTRIBUTE,
    ATTRIBUTE_SET,
    CONNECTION,
    CONTEXT,
    DISTANCE,
    GROUP,
    MATCH,
    MISSING_COLUMNS,
    PROTECTED_WORD,
    TEXT_COLUMNS,
    TOPIC,
)
from bayesbias.errors import DistancesError, MissingWordsWarning, WordListError
from bayesbias.support.arguments import Array, KeyedVectors
from bayesbias.support.machine import beyond_memory
from bayesbias.vectors.lookup import (
    find_words,
    origin_of,
    refuse_no_vectors,
    vectors_of,
    within_limit,
)
from bayesbias.vectors.models import SEAT_TEMPLATES, encode, refuse_unusable_templates
from bayesbias.words.coverage import (
    KINDS,
    lower_case_record,
    suggested,
    vocabulary_coverage,
    warn_of_missing,
    words_of,
)
from bayesbias.words.list_files import load_wordlist
from bayesbias.words.provenance import missing_of, source_of, with_provenance
from bayesbias.words.word_lists import WordList

_BYTES_OF_A_PAIR: Final = 240  # of memory while the frame is made


def cosine_distances(left: Array, right: Array) -> Array:
    """Return 1 − cos of rows (n, dim) and (m, dim), clipped to [0, 2] against rounding; (n, m)."""
    return np.clip(1.0 - _unit_rows(left) @ _unit_rows(right).T, 0.0, 2.0)


def _unit_rows(matrix: Array) -> Array:
    # Squares of very large or small numbers overflow or vanish; powers of two scale exactly.
    _, exponent = np.frexp(np.abs(matrix).max(axis=1, keepdims=True, initial=0.0))
    scaled = np.ldexp(matrix, -exponent)
    unit: Array = scaled / np.linalg.norm(scaled, axis=1, keepdims=True)
    return unit


def distances(
    vectors: KeyedVectors,
    wordlist: WordList | str | Path | Mapping[str, Any],
) -> pd.DataFrame:
    """Compute the cosine distance of every protected word to every attribute.

    Parameters
    ----------
    vectors : gensim.models.KeyedVectors
        From `load_embedding`.
    wordlist : WordList, str or Path
        A word list, or what `load_wordlist` takes.

    Returns
    -------
    DataFrame
        One row per pair: ``protected_word``, ``group``, ``attribute``, ``attribute_set``,
        ``connection`` and ``cosine_distance`` (0 to 2). A list with topics adds the column
        ``topic``, one with matched sets the column ``match``. `missing_words` lists what was left
        out.

    Raises
    ------
    EmbeddingError
        If a word's vector is not finite. One that is zero is missing, with that reason.
    WordListError
        If no protected word of a group, or none of its associated attributes, is in the vectors.
    DistancesError
        If there are more pairs than the machine's memory holds.

    Warns
    -----
    MissingWordsWarning
        If words of the list are not in the vectors.
    DataWarning
        If so many words of one list are missing that little of it is left.

    Examples
    --------
    >>> import bayesbias as bb
    >>> frame = bb.distances(bb.example_embedding(), "gender")
    >>> frame[frame.attribute == "nurse"].groupby("group").cosine_distance.mean().round(2).to_dict()
    {'man': 0.72, 'woman': 0.55}
    """
    wordlist = load_wordlist(wordlist)
    refuse_no_vectors(vectors)
    coverage = vocabulary_coverage(vectors, wordlist)
    table = coverage.table
    key_of = {row.word: row.found_as for row in table.itertuples() if row.found_as}
    missing = table.loc[table["found_as"] == "", list(MISSING_COLUMNS)]
    _refuse_unusable(wordlist, key_of, vectors)
    frame = _frame(vectors, table, wordlist)
    if wordlist.matched:
        frame[MATCH] = frame[PROTECTED_WORD].map(wordlist.matches(frame[PROTECTED_WORD].unique()))
    if wordlist.topics:
        of_word = {word: name for name, words in wordlist.topics.items() for word in words}
        frame[TOPIC] = [of_word.get(word, word) for word in frame[ATTRIBUTE]]
    source: dict[str, Any] = {
        "wordlist": wordlist.name,
        "wordlist_title": wordlist.title,
        "wordlist_source": wordlist.source,
        "wordlist_sha256": wordlist.checksum(),
        **({"titles": dict(wordlist.titles)} if wordlist.titles else {}),
        **origin_of(vectors),
        "vectors_sha256": _vectors_checksum(vectors, list(key_of.values())),
        "found_as": {word: key for word, key in key_of.items() if word != key},
        **lower_case_record(vectors, key_of),
    }
    with_provenance(frame, source=source, missing=missing.to_dict("records"))
    if len(missing):
        kinds = words_of(frame).query("reason != ''")["kind"].value_counts()
        what = ", ".join(f"{kinds.get(kind, 0)} {kind}" for kind in KINDS)
        warn_of_missing(
            f"{len(missing)} of {len(table)} words of list {wordlist.name!r} are missing from the "
            f"vectors ({what})",
            f"word list {wordlist.name!r}",
            coverage.lists,
        )
    return frame


def _refuse_unusable(wordlist: WordList, key_of: dict[str, str], vectors: KeyedVectors) -> None:
    """Refuse a list of which a group, or what a group is compared with, is not in the vectors."""
    attributes = {s.name: s.words for s in wordlist.attribute_sets}
    own = [w for s in wordlist.attribute_sets if s.kind == "stereotype" for w in s.words]
    needs: list[tuple[Sequence[str], str, str]] = [
        (wordlist.words, "none of its words is", "choose other vectors"),
        (own, "none of its attributes is", "choose others"),
    ]
    for group in wordlist.groups:
        advice = "choose other vectors, or leave the group out of a copy of the list"
        what = f"group {group.name!r} has none of its"
        associated = [word for name in group.associated for word in attributes[name]]
        needs.append((group.words, f"{what} protected words", advice))
        needs.append((associated, f"{what} associated attributes", advice))
    for words, what, advice in needs:
        if words and not any(word in key_of for word in words):
            hint = within_limit(vectors) or suggested(vectors, words)
            raise WordListError(
                f"word list {wordlist.name!r}: {what} in the vectors ({', '.join(words[:5])}){hint}"
                f"; {advice}"
            )


def _frame(vectors: KeyedVectors, table: pd.DataFrame, wordlist: WordList) -> pd.DataFrame:
    """Return the pairs of the words, and of the attributes, that the vectors have."""
    there = table[table["found_as"] != ""]
    words, others = (there[there["role"] == role] for role in ("protected", "attribute"))
    n_pairs = len(words) * len(others)
    if too_much := beyond_memory(n_pairs * _BYTES_OF_A_PAIR):
        raise DistancesError(
            f"word list {wordlist.name!r}: its {len(words):,} protected words and {len(others):,} "
            f"attributes have {n_pairs:,} pairs, which take {too_much}; split the list"
        )
    matrix = cosine_distances(
        *(vectors_of(vectors, part["found_as"].tolist()) for part in (words, others))
    )
    connections = {
        (group.name, s.name): wordlist.connection(group, s)
        for group in wordlist.groups
        for s in wordlist.attribute_sets
    }
    pairs = product(words["list"], others["list"])
    return pd.DataFrame(
        {
            PROTECTED_WORD: np.repeat(words["word"].to_numpy(), len(others)),
            GROUP: np.repeat(words["list"].to_numpy(), len(others)),
            ATTRIBUTE: np.tile(others["word"].to_numpy(), len(words)),
            ATTRIBUTE_SET: np.tile(others["list"].to_numpy(), len(words)),
            CONNECTION: [connections[pair] for pair in pairs],
            DISTANCE: matrix.ravel(),
        }
    )


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
        One row per pair and context: the columns of `distances`, then ``context``. `fit` averages
        over contexts.

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
    contexts: Mapping[str, KeyedVectors] = source if isinstance(source, Mapping) else {}
    if not isinstance(source, Mapping):
        refuse_unusable_templates(templates)
        words = list(dict.fromkeys(wordlist.words))
        contexts = {template: encode(words, source, templates=[template]) for template in templates}
    for name, vectors in contexts.items():
        with warnings.catch_warnings():
            if frames:  # the same words are missing in every context
                warnings.simplefilter("ignore", MissingWordsWarning)
            frame = distances(vectors, wordlist)
        checksum.update(source_of(frame)["vectors_sha256"].encode())
        frames.append(frame.assign(**{CONTEXT: name}))
    named = getattr(source, "name_or_path", "") or type(source).__name__
    record = {
        **source_of(frames[0]),
        "vectors_sha256": checksum.hexdigest(),
        "model": str(source if isinstance(source, str | Path) else named),
        "contexts": len(frames),
    }
    missing = missing_of(frames[0]) or ()
    for frame in frames:
        frame.attrs = {}
    return with_provenance(pd.concat(frames, ignore_index=True), source=record, missing=missing)


def keys_of_words(frame: pd.DataFrame, vectors: KeyedVectors, column: str) -> dict[str, str]:
    """Return the key in the vectors of every word of a frame's column."""
    words = [str(word) for word in frame[column].unique()]
    spelled = source_of(frame).get("found_as", {})
    keys = {word: spelled.get(word, word) for word in words}
    unknown = [word for word, key in keys.items() if key not in vectors.key_to_index]
    keys |= {word: key for word, key in find_words(vectors, unknown).items() if key is not None}
    if lacking := [word for word, key in keys.items() if key not in vectors.key_to_index]:
        raise DistancesError(
            f"vectors: {len(lacking)} words of the frame are not among them "
            f"({', '.join(lacking[:5])}); give the vectors that the distances come from"
        )
    return keys


def _vectors_checksum(vectors: KeyedVectors, keys: list[str]) -> str:
    """Return the SHA-256 of the vectors used, with their words, in a stable order."""
    digest = hashlib.sha256()
    for key in sorted(keys):
        digest.update(key.encode())
        digest.update(np.ascontiguousarray(vectors[key], dtype="<f4").tobytes())
    return digest.hexdigest()


def pairs_checksum(frame: pd.DataFrame, response: str = DISTANCE) -> str:
    """Return the SHA-256 of a frame's pairs: words, connections and distances, in order."""
    digest = hashlib.sha256()
    for column in TEXT_COLUMNS:
        digest.update("\0".join(frame[column].tolist()).encode())
    digest.update(np.ascontiguousarray(frame[response], dtype="<f8").tobytes())
    return digest.hexdigest()
