"""The long frame of cosine distances: vectors × word list.

One row per (protected word, attribute), with the columns of `constants.PAIR_COLUMNS`. The frame
carries the record of missing words and of where the distances came from (`provenance`); both go
with it into a fit.
"""

import hashlib
import warnings
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, Final

import numpy as np
import pandas as pd

from bayesbias.constants import (
    ATTRIBUTE,
    ATTRIBUTE_SET,
    CONNECTION,
    DISTANCE,
    GROUP,
    MISSING_COLUMNS,
    PROTECTED_WORD,
    REFERENCE,
    TEXT_COLUMNS,
    TOPIC,
)
from bayesbias.errors import DataWarning, DistancesError, MissingWordsWarning, WordListError, one_of
from bayesbias.pairs.case import NEAR, hint_on_case, lower_case_record
from bayesbias.pairs.coverage import VocabularyCoverage, coverage_warnings, words_per_list
from bayesbias.pairs.frequency import Counts, rarity_of
from bayesbias.pairs.profiles import TOO_FEW, profiles_record
from bayesbias.pairs.provenance import with_provenance
from bayesbias.pairs.word_lists import (
    AttributeSet,
    ProtectedGroup,
    WordList,
    connection_of,
    levels_of,
    load_wordlist,
)
from bayesbias.support.arrays import Array
from bayesbias.support.memory import beyond_memory
from bayesbias.support.result import plain
from bayesbias.support.types import KeyedVectors
from bayesbias.vectors.lookup import ZERO_VECTOR, find_words, vectors_of, without_direction
from bayesbias.vectors.near_spellings import advice_on, near_spellings
from bayesbias.vectors.phrases import extended, with_means
from bayesbias.vectors.samples import FEWEST, sample_of
from bayesbias.vectors.sources import origin_of, ranks_of

_NOT_IN_VECTORS: Final = "not in the vectors"
_BYTES_OF_A_PAIR: Final = 240  # of memory while the frame is made
_SAMPLED: Final = "sampled"
_N_SAMPLED: Final = 200
_SEED_OF_CONTROLS: Final = 2  # not that of the sample


def cosine_distances(left: Array, right: Array) -> Array:
    """Return 1 − cos of rows (n, dim) and (m, dim), clipped to [0, 2] against rounding; (n, m)."""
    return np.clip(1.0 - _unit_rows(left) @ _unit_rows(right).T, 0.0, 2.0)


def _unit_rows(matrix: Array) -> Array:
    # Squares of very large or small numbers overflow or vanish; powers of two scale exactly.
    _, exponent = np.frexp(np.abs(matrix).max(axis=1, keepdims=True, initial=0.0))
    scaled = np.ldexp(matrix, -exponent)
    unit: Array = scaled / np.linalg.norm(scaled, axis=1, keepdims=True)
    return unit


def vocabulary_coverage(
    vectors: KeyedVectors,
    wordlist: WordList | str | Path,
    *,
    fallbacks: Sequence[str] | None = None,
) -> VocabularyCoverage:
    """Look up every word of a list in the vectors.

    Parameters
    ----------
    vectors, wordlist
        As in `distances`.
    fallbacks : sequence of {"lower", "title", "upper", "underscore", "mean", "none"}, optional
        Spellings to try, in this order, where the exact word is absent; ``"mean"`` is a phrase's
        joined form (``ice_cream``), or else the mean of its words. After them, and by default,
        a word with capitals is looked up in lower case if the vectors have no capital letters
        (fewer than one word in 1,000 has one); ``"none"``, or an empty list, tries no other
        spelling. Composed and decomposed forms (Unicode's NFC, NFD) are always tried.

    Examples
    --------
    >>> import bayesbias as bb
    >>> table = bb.vocabulary_coverage(bb.example_embedding(), "weat7").table
    >>> table.loc[(table.found_as == "") & (table.list == "math"), "word"].tolist()
    ['algebra', 'calculus', 'equations', 'computation', 'numbers']
    """
    wordlist = load_wordlist(wordlist)
    roles = list(wordlist.roles())
    vectors, _ = with_means(vectors, wordlist.words, fallbacks)
    found = find_words(vectors, [word for word, _, _ in roles], fallbacks=fallbacks)
    for word, others in wordlist.aliases.items():
        if found[word] is None:
            keys = find_words(vectors, others, fallbacks=fallbacks).values()
            found[word] = next((key for key in keys if key is not None), None)
    # A word found in its own spelling has the first claim to its vector.
    taken = {word: word for word, key in found.items() if word == key}
    empty = without_direction(vectors, [key for key in found.values() if key is not None])
    lacking = [word for word, key in found.items() if key is None]
    near = near_spellings(vectors, lacking, n_found=len(found) - len(lacking))
    rows = []
    for word, role, name in roles:
        key = found[word]
        if key is None:
            there = f", which have {near[word]!r}" if word in near else ""
            rows.append((word, role, name, "", f"{_NOT_IN_VECTORS}{there}"))
        elif key in empty:
            rows.append((word, role, name, "", ZERO_VECTOR))
        elif taken.get(key, word) != word:
            rows.append((word, role, name, "", f"{key!r} is already used for {taken[key]!r}"))
        else:
            taken[key] = word
            rows.append((word, role, name, key, ""))
    columns = ["word", "role", "list", "found_as", "reason"]
    return VocabularyCoverage(pd.DataFrame(rows, columns=columns), near)


def distances(
    vectors: KeyedVectors,
    wordlist: WordList | str | Path,
    *,
    fallbacks: Sequence[str] | None = None,
    reference: Sequence[str] | None = None,
    controls: str | None = None,
    counts: Counts | None = None,
) -> pd.DataFrame:
    """Compute the cosine distance of every protected word to every attribute.

    Parameters
    ----------
    vectors : gensim.models.KeyedVectors
        From `load_embedding`.
    wordlist : WordList, str or Path
        A word list, or what `load_wordlist` takes.
    fallbacks : sequence of {"lower", "title", "upper", "underscore", "none"}, optional
        As in `vocabulary_coverage`.
    reference : sequence of str, optional
        Words of no protected group, such as ``["person", "people"]``; by default those that the
        list names.
    controls : "sampled", optional
        Take neutral words from the vectors' own words, in any language, in place of the list's
        controls: 200 with a fixed seed. Placebo lists are then of these.
    counts : mapping of str to number, path, or "sorted", optional
        How frequent words are, for `fit` at equal frequency: counts, a file with a word and its
        count a line, or that the vectors are sorted by frequency. By default counts that the
        vectors have, or their order if the most frequent English words come first.

    Returns
    -------
    DataFrame
        One row per pair: ``protected_word``, ``group``, ``attribute``, ``attribute_set``,
        ``connection`` and ``cosine_distance`` (0 to 2). The last rows are those of reference words
        with the stereotype attributes; group and connection are ``reference``. A list with topics
        adds the column ``topic``, one with factors a column for each, such as ``race``.
        `missing_words` lists what was left out.

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
    {'man': 0.72, 'reference': 0.73, 'woman': 0.55}
    """
    wordlist = load_wordlist(wordlist)
    if reference is not None:
        wordlist = wordlist.with_reference(reference)
    if not hasattr(vectors, "key_to_index"):
        held = ("wv", "vectors")  # of a gensim model, of what a debiasing step returns
        own = [name for name in held if hasattr(getattr(vectors, name, None), "key_to_index")]
        hint = f"pass its .{own[0]}" if own else "make them with load_embedding(...)"
        raise DistancesError(
            f"distances needs gensim KeyedVectors, not {type(vectors).__name__}; {hint}"
        )
    vectors, means = with_means(vectors, wordlist.words, fallbacks)
    if controls is not None:
        one_of(controls, "controls", (_SAMPLED,))
        vectors, wordlist = _with_sampled_controls(vectors, wordlist, fallbacks)
    coverage = vocabulary_coverage(vectors, wordlist, fallbacks=fallbacks)
    table, near = coverage.table, coverage.near
    found = {row.word: row.found_as for row in table.itertuples() if row.found_as}
    missing = table.loc[table["found_as"] == "", list(MISSING_COLUMNS)]
    _refuse_unusable(wordlist, found, near, partial(hint_on_case, vectors, fallbacks=fallbacks))
    _refuse_too_large(wordlist, found)
    frame = _frame(vectors, found, wordlist.groups, wordlist.attribute_sets)
    if any(word in found for word in wordlist.reference):
        others = ProtectedGroup(REFERENCE, wordlist.reference, ())
        stereotypes = [s for s in wordlist.attribute_sets if s.kind == "stereotype"]
        of_none = [replace(s, kind=REFERENCE) for s in stereotypes]
        last = _frame(vectors, found, [others], of_none)
        frame = pd.concat([frame, last], ignore_index=True)
    for place, factor in enumerate(wordlist.factors):
        level = {g.name: levels_of(wordlist.factors, g.name)[place] for g in wordlist.groups}
        frame[factor] = frame[GROUP].map({**level, REFERENCE: REFERENCE})
    if wordlist.topics:
        of_word = {word: name for name, words in wordlist.topics.items() for word in words}
        frame[TOPIC] = [of_word.get(word, word) for word in frame[ATTRIBUTE]]
    source: dict[str, Any] = {
        "wordlist": wordlist.name,
        "wordlist_title": wordlist.title,
        "wordlist_source": wordlist.source,
        "wordlist_sha256": wordlist.checksum(),
        **({"titles": dict(wordlist.titles)} if wordlist.titles else {}),
        **({"factors": plain(wordlist.factors)} if wordlist.factors else {}),
        **origin_of(vectors),
        "vectors_sha256": _vectors_checksum(vectors, list(found.values())),
        "found_as": {word: key for word, key in found.items() if word != key},
        **({} if fallbacks is None else {"fallbacks": list(fallbacks)}),
        **lower_case_record(vectors, found, fallbacks),
        **({NEAR: near} if near else {}),
        **({"means_of_words": means} if means else {}),
        **({"controls": "sampled from the vectors"} if controls else {}),
        "frequency": rarity_of(vectors, found, counts),
    }
    attributes = [word for word in dict.fromkeys(wordlist.attributes) if word in found]
    listed = {word: found[word] for word in dict.fromkeys([*attributes, *found])}
    profiles = profiles_record(vectors, listed, len(attributes))
    if profiles is None:
        source["no_similarity"] = TOO_FEW
    with_provenance(frame, source=source, missing=missing.to_dict("records"), profiles=profiles)
    if (missing["role"] != REFERENCE).any():
        hint = hint_on_case(vectors, missing["word"], fallbacks)
        _warn_of_missing(wordlist, table, near, hint)
    return frame


def _warn_of_missing(
    wordlist: WordList, table: pd.DataFrame, near: Mapping[str, str], hint: str
) -> None:
    advice = f"; {advice_on(near)}" if near and not hint else ""
    table = table[table["role"] != REFERENCE]  # which no model has to have
    roles = table["role"][table["found_as"] == ""]
    n_protected = int((roles == "protected").sum())
    what = f"{n_protected} protected words, {len(roles) - n_protected} attributes"
    warnings.warn(
        f"{len(roles)} of {len(table)} words of list {wordlist.name!r} are missing from the "
        f"vectors ({what}); missing_words(frame) lists them{hint}{advice}",
        MissingWordsWarning,
        stacklevel=3,
    )
    if sentences := coverage_warnings(words_per_list(table)):
        warnings.warn(
            f"word list {wordlist.name!r}: {'; '.join(sentences)}; the answer rests on "
            f"these few{advice}",
            DataWarning,
            stacklevel=3,
        )


def _refuse_unusable(
    wordlist: WordList,
    found: dict[str, str],
    near: Mapping[str, str],
    on_case: Callable[[Sequence[str]], str],
) -> None:
    def advice(words: Sequence[str], *, otherwise: str = "") -> str:
        # What takes most words of the list need not take those that the error is about.
        if there := advice_on({word: near[word] for word in words if word in near}):
            return there
        none = "the vectors have them in no other spelling; choose other vectors"
        return f"{none}{on_case(words)}{otherwise}"

    if not found:
        raise WordListError(
            f"word list {wordlist.name!r}: none of its words is in the vectors; "
            f"{advice(wordlist.words)}"
        )
    attributes = {s.name: s.words for s in wordlist.attribute_sets}
    for group in wordlist.groups:
        associated = [word for name in group.associated for word in attributes[name]]
        needs = ((group.words, "protected words"), (associated, "associated attributes"))
        for words, what in needs:
            if not any(word in found for word in words):
                leave = ", or leave the group out of a copy of the list"
                raise WordListError(
                    f"word list {wordlist.name!r}: group {group.name!r} has none of its {what} in "
                    f"the vectors ({', '.join(words)}); {advice(words, otherwise=leave)}"
                )


def _refuse_too_large(wordlist: WordList, found: dict[str, str]) -> None:
    """Refuse pairs that are more than the machine's memory holds, before they are made."""
    n_protected = sum(word in found for word in wordlist.protected_words)
    n_attributes = sum(word in found for word in wordlist.attributes)
    if too_much := beyond_memory(n_protected * n_attributes * _BYTES_OF_A_PAIR):
        raise DistancesError(
            f"word list {wordlist.name!r}: its {n_protected:,} protected words and "
            f"{n_attributes:,} attributes have {n_protected * n_attributes:,} pairs, which take "
            f"{too_much}; split the list"
        )


def _frame(
    vectors: KeyedVectors,
    found: dict[str, str],
    groups: Sequence[ProtectedGroup],
    sets: Sequence[AttributeSet],
) -> pd.DataFrame:
    """Return the pairs of the words, and of the attributes, that the vectors have."""
    words, of_group = zip(*((w, g) for g in groups for w in g.words if w in found), strict=True)
    others, of_set = zip(*((w, s) for s in sets for w in s.words if w in found), strict=True)
    matrix = cosine_distances(
        vectors_of(vectors, [found[word] for word in words]),
        vectors_of(vectors, [found[word] for word in others]),
    )
    connections = {(g.name, s.name): connection_of(g, s) for g in groups for s in sets}
    names = [s.name for s in of_set]
    return pd.DataFrame(
        {
            PROTECTED_WORD: np.repeat(words, len(others)),
            GROUP: np.repeat([group.name for group in of_group], len(others)),
            ATTRIBUTE: np.tile(others, len(words)),
            ATTRIBUTE_SET: np.tile(names, len(words)),
            CONNECTION: [connections[group.name, name] for group in of_group for name in names],
            DISTANCE: matrix.ravel(),
        }
    )


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


def _with_sampled_controls(
    vectors: KeyedVectors, wordlist: WordList, fallbacks: Sequence[str] | None
) -> tuple[KeyedVectors, WordList]:
    """Return vectors and list with neutral words from the source's sample as the only control."""
    found = find_words(vectors, wordlist.words, fallbacks=fallbacks)
    own = {key.casefold() for key in found.values() if key is not None}
    own |= {word.casefold() for word in wordlist.words}
    sample = sample_of(vectors)
    free = [i for i, word in enumerate(sample.drawn) if word.casefold() not in own]
    if sample.vectors is None or len(free) < FEWEST:
        raise WordListError(
            f"controls={_SAMPLED!r}: the vectors come with {len(free):,} words beside the list's, "
            f"and {FEWEST} are needed; take vectors of more words, or write your own under "
            f"[controls]"
        )
    chosen = np.sort(
        np.random.default_rng(_SEED_OF_CONTROLS).choice(free, _N_SAMPLED, replace=False)
    )
    words = tuple(sample.drawn[i] for i in chosen)
    ranks = ranks_of(vectors).rows
    vectors = extended(
        vectors,
        [key for key in found.values() if key is not None],
        {sample.words[i]: np.asarray(sample.vectors[i], dtype=np.float64) for i in chosen},
        {word: ranks[word] for word in words if word in ranks},
        found,
    )
    stereotypes = [one for one in wordlist.attribute_sets if one.kind == "stereotype"]
    name = "sampled" if any(one.name == "neutral" for one in stereotypes) else "neutral"
    sets = (*stereotypes, AttributeSet(name, "neutral", words))
    topics = {  # of the controls that are left out
        topic: kept
        for topic, of in wordlist.topics.items()
        if (kept := tuple(word for word in of if any(word in one.words for one in stereotypes)))
    }
    return vectors, replace(wordlist, attribute_sets=sets, topics=topics)
