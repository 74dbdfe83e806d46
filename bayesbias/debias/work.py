"""What every debiasing method does first and last: words, a copy to work on, and a record.

A method takes a `Work`, which decides on the words before anything is computed, and copies the
vectors. It finds a bias subspace from the matched sets in the copy, changes rows of it in place,
and returns `Work.result`. Whatever a step leaves out is in the work's `dropped` and `notes`, from
which the record is made. A set with a missing member is dropped whole: half a pair has no
direction. What touches many words goes through them in chunks and works in float64; beside the
matrix itself it needs memory for one chunk.
"""

import warnings
from collections.abc import Callable, Container, Iterable, Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, Final, Literal, TypeAlias

import numpy as np
from numpy.typing import NDArray

from bayesbias.debias.record import Debiased, DebiasRecord, Dropped, SetTuples
from bayesbias.errors import (
    ArgumentError,
    DataWarning,
    EmbeddingError,
    MissingWordsWarning,
    WordListError,
)
from bayesbias.measures.subspaces import RANK_TOLERANCE, Subspace
from bayesbias.measures.words import MISSING, why_missing
from bayesbias.support.arguments import Array, Index, KeyedVectors, refuse_other
from bayesbias.vectors.lookup import (
    ZERO_VECTOR,
    keyed_vectors,
    refuse_no_vectors,
    same_source,
    spelt_as_in,
    vectors_of,
)
from bayesbias.words.list_files import load_wordlist
from bayesbias.words.word_lists import WordList

SetsOfWords: TypeAlias = Sequence[Sequence[str]]  # sets of words, or pairs
Neutralise: TypeAlias = Iterable[str] | Literal["all", "every", "listed"] | None

CHUNK: Final = 2048  # rows worked on at a time: 5 MB at 300 dimensions
NOTHING_LEFT: Final = 1e-6  # a vector shortened to this share of its length is zero in float32

_ALL: Final = "all"  # every word but the protected ones
EVERY: Final = "every"  # every word, the protected ones too
_LISTED: Final = "listed"  # the word list's stereotype attributes alone
_SPECIFIC: Final = "all but specific"  # what the default means of a list with specific words
_NAMED: Final = "named"  # the words that were given


class Work:
    """A method at work on a copy of the vectors; it fills `dropped`, `notes` and what was done.

    All members of `matched` and `equalise` are in the vectors. `repeated` equalises sets that
    repeat a word of an earlier one too, and neutralises words that are equalised.
    """

    def __init__(
        self,
        vectors: KeyedVectors,
        wordlist: WordList | str | Path | None,
        matched: SetsOfWords | None,
        neutralise: Neutralise,
        equalise: SetsOfWords | None,
        keep: Iterable[str],
        *,
        normalise: bool,
        repeated: bool = False,
    ) -> None:
        refuse_no_vectors(vectors)
        refuse_other(normalise, bool, "normalise", "True or False")
        self.vectors, self.normalise = vectors, normalise
        self.dropped, self.notes = list[Dropped](), list[str]()
        self.wordlist = None if wordlist is None else load_wordlist(wordlist)
        if matched is None:
            matched = _matched_sets(self.wordlist)
        defining = _set_tuples(matched, "matched set", vectors)
        same = partial(_identical, vectors)
        self.matched = _usable_sets(vectors, defining, "matched set", self.dropped, same)
        _refuse_none(self.matched, "matched sets", self.dropped, "matched set")
        to_equalise = defining if equalise is None else _set_tuples(equalise, "equalise", vectors)
        fault = None if repeated else partial(_repeated, set())
        self.equalise = _usable_sets(vectors, to_equalise, "equalise", self.dropped, fault)
        self.keep = spelt_as_in(vectors, checked_words(keep, "keep"))
        absent = [word for word in self.keep if word not in vectors.key_to_index]
        self.dropped += [Dropped((word,), "keep", MISSING) for word in absent]
        self.source, words = _chosen(neutralise, self.wordlist)
        if self.source in (_LISTED, _NAMED):
            named = spelt_as_in(vectors, words)
            if both := [word for word in dict.fromkeys(named) if word in self.keep]:
                raise ArgumentError(f"{', '.join(both)}: is in both `neutralise` and `keep`")
            equal = () if repeated else {word for own in self.equalise for word in own}
            self.neutralised = self.present(named, "neutralise", equal)
        else:
            self.neutralised = self._by_rule([*defining, *to_equalise])
        what = "words to neutralise"
        _refuse_none(self.neutralised, what, self.dropped, "neutralise", "all are protected")
        self.equalised: SetTuples = ()
        self.matrix, lengths = _copied(vectors.vectors[: len(vectors)], normalise=normalise)
        if (bad := np.flatnonzero(~np.isfinite(lengths))).size:
            raise EmbeddingError(
                f"{self._shown(bad)}: the vector has NaN, infinite or too large components; "
                f"leave the word out or repair the embedding"
            )
        if (zero := np.flatnonzero(lengths == 0)).size:
            self.notes.append(f"zero vectors, which stay zero: {self._shown(zero)}")

    def present(
        self, words: Iterable[str], role: str, equal: Container[str] = ()
    ) -> tuple[str, ...]:
        """Return the words that are there and are not equalised instead; record the others."""
        reasons = {
            word: why_missing(self.vectors, word) or "is equalised instead" * (word in equal)
            for word in words
        }
        self.dropped += [Dropped((word,), role, why) for word, why in reasons.items() if why]
        return tuple(word for word, why in reasons.items() if not why)

    def _by_rule(self, sets: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
        """Return the words of the vectors that a rule does not spare, in their order."""
        spared, specific = set(self.keep), set[str]()
        if self.source != EVERY:
            spared.update(word for words in sets for word in words)
        if self.source == _SPECIFIC and (listed := self.wordlist) is not None:
            # An attribute of the list is not specific, whatever a list of others says.
            own = {*listed.specific, *listed.protected_words} - set(listed.attributes)
            specific = {word.lower() for word in own}
        free = (word for word in self.vectors.index_to_key if word not in spared)
        return tuple(word for word in free if word.lower() not in specific)

    def _shown(self, index: Index) -> str:
        """Name some words by where they stand."""
        shown = ", ".join(repr(self.vectors.index_to_key[i]) for i in index[:5])
        return f"{shown} and {len(index) - 5:,} more" if len(index) > 5 else shown

    def index(self, words: Sequence[str]) -> Index:
        """Return where words stand."""
        return np.array([self.vectors.key_to_index[word] for word in words], dtype=np.intp)

    def rows(self, words: Sequence[str]) -> Array:
        """Return the vectors of words, from the copy, in float64."""
        return self.matrix[self.index(words)].astype(np.float64)

    def defining_vectors(self) -> list[Array]:
        """Return the vectors of each matched set, from the copy."""
        return [self.rows(words) for words in self.matched]

    def neutralise(self, bias: Subspace, **how: Any) -> None:
        """Project words out of a subspace, those of which something remains, as `project_out`."""
        inside = project_out(self.matrix, self.index(self.neutralised), bias.basis, **how)
        emptied = {self.vectors.index_to_key[row]: row for row in inside}
        for word, row in emptied.items():
            is_zero = not self.matrix[row].any()
            reason = ZERO_VECTOR if is_zero else "lies in the bias subspace; left as it is"
            self.dropped.append(Dropped((word,), "neutralise", reason))
        self.neutralised = tuple(word for word in self.neutralised if word not in emptied)

    def result(
        self,
        method: str,
        bias: Subspace,
        *,
        diagnostics: Mapping[str, Any] | None = None,
        seed: int | None = None,
        **parameters: Any,
    ) -> Debiased:
        """Put vectors and record together, and warn of what was left out."""
        warn_of(self.dropped)
        listed, by_rule = self.wordlist, self.source not in (_LISTED, _NAMED)
        words = list(self.vectors.index_to_key)
        done = set(self.neutralised)
        bias.basis.flags.writeable = False
        record = DebiasRecord(
            method=method,
            n_words=len(words),
            matched=self.matched,
            neutralised=self.neutralised,
            all_but=tuple(w for w in words if w not in done) if by_rule else None,
            equalised=self.equalised,
            dropped=tuple(self.dropped),
            notes=tuple(self.notes),
            remaining=None if method == "leace" else self._remaining(bias.basis),
            basis=bias.basis,
            explained_variance=tuple(bias.explained_variance[: len(bias.basis)].tolist()),
            parameters={
                **parameters,
                "neutralise": self.source,
                "keep": list(self.keep),
                "wordlist": listed and listed.name,
                "wordlist_sha256": listed and listed.checksum(),
            },
            diagnostics=diagnostics or {},
            seed=seed,
        )
        new = keyed_vectors(words, self.matrix)
        same_source(new, as_of=self.vectors)
        new.expandos = {name: values.copy() for name, values in self.vectors.expandos.items()}
        return Debiased(new, record)

    def _remaining(self, basis: Array) -> float | None:
        """Return what share of their squared cosines with a subspace the neutral words keep."""
        index = self.index(self.neutralised)
        before = _squared_cosines(self.vectors.vectors, index, basis)
        # Cosines that are rounding to begin with: a share of them would say nothing.
        if before <= NOTHING_LEFT**2 * len(index):
            return None
        return _squared_cosines(self.matrix, index, basis) / before


def _chosen(neutralise: Neutralise | str, listed: WordList | None) -> tuple[str, tuple[str, ...]]:
    """Return what chooses the words to neutralise, and the words, none where it is a rule."""
    if isinstance(neutralise, str):
        if neutralise not in (_ALL, EVERY, _LISTED):
            raise ArgumentError(
                f'neutralise={neutralise!r}: give a list of words, "{_ALL}", "{EVERY}" or '
                f'"{_LISTED}"'
            )
        if neutralise == _LISTED and listed is None:
            raise ArgumentError(f'neutralise="{_LISTED}": give the word list too')
        sets = listed.attribute_sets if neutralise == _LISTED and listed is not None else ()
        return neutralise, tuple(w for s in sets if s.kind == "stereotype" for w in s.words)
    if neutralise is not None:
        words = checked_words(neutralise, "neutralise")
        if not words:
            raise ArgumentError(
                'neutralise is empty: give words, or "all" for all but protected words'
            )
        return _NAMED, words
    if listed is None:
        raise ArgumentError('say which words to neutralise: a list of words, "all" or "every"')
    if not listed.specific:
        raise ArgumentError(
            f"the word list {listed.name!r} does not say which words are specific to its groups "
            f'(key specific); say which words to neutralise: "{_ALL}" (--all-words; but the '
            f'{len(listed.protected_words)} protected ones), "{_LISTED}" (the list\'s stereotype '
            f"attributes alone) or a list of words"
        )
    return _SPECIFIC, ()


def _matched_sets(listed: WordList | None) -> SetsOfWords:
    """Return the matched sets of a word list."""
    if listed is None:
        raise ArgumentError(
            'say what the bias is: wordlist="gender", or matched=[["he", "she"], ...]'
        )
    if not listed.matched:
        raise WordListError(
            f"word list {listed.name!r} has no matched sets; give matched=[[word, word], "
            f"...], sets of words that differ only in what is protected"
        )
    return listed.matched


def checked_words(words: Iterable[str], name: str) -> tuple[str, ...]:
    """Return words without repeats; refuse what is not a list of texts."""
    if isinstance(words, str):
        raise ArgumentError(f"{name}={words!r}: give a list of words, such as [{words!r}]")
    distinct = tuple(dict.fromkeys(words))
    for word in distinct:
        if not isinstance(word, str):
            raise ArgumentError(f"{name}: {word!r} is not a text")
    return distinct


def _set_tuples(sets: SetsOfWords, role: str, vectors: KeyedVectors) -> SetTuples:
    """Return sets as tuples, spelt as the vectors spell them; refuse what is no set of words."""
    if isinstance(sets, str):
        raise ArgumentError(f'{role}: {sets!r} is not a list of sets, such as [["he", "she"]]')
    tuples = []
    for members in sets:
        if isinstance(members, str):
            raise ArgumentError(f'{role}: {members!r} is not a set of words, such as ["he", "she"]')
        words = tuple(members)
        checked_words(words, f"{role} {list(words)}")
        words = spelt_as_in(vectors, words)
        if len(words) < 2:
            raise ArgumentError(f"{role} {list(words)}: needs at least two words")
        if len(set(words)) < len(words):
            raise ArgumentError(f"{role} {list(words)}: names a word twice")
        tuples.append(words)
    return tuple(tuples)


def _usable_sets(
    vectors: KeyedVectors,
    sets: SetTuples,
    role: str,
    dropped: list[Dropped],
    fault: Callable[[tuple[str, ...]], str] | None = None,
) -> SetTuples:
    """Return the sets whose members all have a vector and that have no fault; record the others."""
    used = []
    for words in sets:
        reason = _absence(vectors, words) or (fault(words) if fault else "")
        if reason:
            dropped.append(Dropped(words, role, reason))
        else:
            used.append(words)
    return tuple(used)


def usable_pairs(
    vectors: KeyedVectors, sets: SetsOfWords, role: str, dropped: list[Dropped]
) -> SetTuples:
    """Return sets of two words that the vectors have; refuse others, and none at all."""
    pairs = _set_tuples(sets, role, vectors)
    if odd := [pair for pair in pairs if len(pair) != 2]:
        raise ArgumentError(f"{role} {list(odd[0])}: must be a pair of words")
    used = _usable_sets(vectors, pairs, role, dropped)
    _refuse_none(used, f"{role} pairs", dropped, role)
    return used


def _absence(vectors: KeyedVectors, words: tuple[str, ...]) -> str:
    """Say which words are not in the vectors, or zero there."""
    reasons = {word: why_missing(vectors, word) for word in words}
    absent = [word for word, reason in reasons.items() if reason == MISSING]
    parts = [f"{MISSING}: {', '.join(absent)}"] if absent else []
    parts += [f"{word}: {why}" for word, why in reasons.items() if why and word not in absent]
    return "; ".join(parts)


def _identical(vectors: KeyedVectors, words: tuple[str, ...]) -> str:
    """Say whether a set has identical vectors, and so no direction."""
    rows = vectors_of(vectors, words)
    same = np.abs(rows - rows[0]).max() <= RANK_TOLERANCE * np.abs(rows).max()
    return "its members have identical vectors" if same else ""


def _repeated(earlier: set[str], words: tuple[str, ...]) -> str:
    """Say which words were equalised before; to equalise them again would undo that."""
    if again := [word for word in words if word in earlier]:
        return f"repeats a word of an earlier set: {', '.join(again)}"
    earlier.update(words)
    return ""


def _refuse_none(
    rest: Sequence[Any], what: str, dropped: list[Dropped], role: str, otherwise: str = "none given"
) -> None:
    """Refuse words or sets of which nothing is left, and say why."""
    if not rest:
        reasons = "; ".join(f"{', '.join(d.words)}: {d.reason}" for d in dropped if d.role == role)
        raise WordListError(f"no {what} are left ({reasons or otherwise}); give others")


def warn_of(dropped: Sequence[Dropped], *, stacklevel: int = 4) -> None:
    """Warn of words left out, but those to keep: once of missing ones, once of others."""
    of_kind: dict[type[Warning], list[Dropped]] = {MissingWordsWarning: [], DataWarning: []}
    for item in dropped:
        is_missing = MISSING in item.reason or ZERO_VECTOR in item.reason
        if item.role != "keep":
            of_kind[MissingWordsWarning if is_missing else DataWarning].append(item)
    for kind, some in of_kind.items():
        if some:
            shown = "; ".join(f"{d.role} {', '.join(d.words)}: {d.reason}" for d in some[:5])
            more = f"; and {len(some) - 5} more (record.dropped)" if len(some) > 5 else ""
            warnings.warn(f"left out: {shown}{more}", kind, stacklevel=stacklevel)


def _copied(matrix: NDArray[Any], *, normalise: bool) -> tuple[NDArray[Any], NDArray[Any]]:
    """Copy vectors, in float32 at least and at unit length if asked; return the old lengths.

    In the precision of the copy, as gensim's ``unit_normalize_all`` does, for the same bits.
    Lengths are not finite where a component is not, or too large to be squared.
    """
    out = np.array(matrix, np.promote_types(matrix.dtype, np.float32), order="C")
    lengths = np.empty(len(out), dtype=out.dtype)
    for start in range(0, len(out), CHUNK):
        rows = out[start : start + CHUNK]
        with np.errstate(over="ignore", invalid="ignore"):
            length = np.linalg.norm(rows, axis=1)
        lengths[start : start + CHUNK] = length
        if normalise and np.isfinite(length).all():
            length[length == 0] = 1
            rows /= length[:, None]
    return out, lengths


def chunks(matrix: NDArray[Any], index: Index | None = None) -> Iterator[tuple[Index, Array]]:
    """Yield rows of a matrix, by default all, some at a time: where they stand, and in float64."""
    index = np.arange(len(matrix)) if index is None else index
    for start in range(0, len(index), CHUNK):
        places = index[start : start + CHUNK]
        yield places, matrix[places].astype(np.float64)


def _squared_cosines(matrix: NDArray[Any], index: Index, basis: Array) -> float:
    """Return the sum, over rows, of the squared cosine with a subspace; basis (k, dim)."""
    total = 0.0
    for _, rows in chunks(matrix, index):
        lengths = np.sum(rows**2, axis=1)
        within = np.sum((rows @ basis.T) ** 2, axis=1)
        total += float(np.sum(within[lengths > 0] / lengths[lengths > 0]))
    return total


def project_out(
    matrix: NDArray[Any],
    index: Index,
    basis: Array,
    *,
    along: Array | None = None,
    centre: Array | float = 0.0,
    rescale: bool = False,
) -> Index:
    """Replace some rows w, in place, by w − Bᵀ A (w − c), with an orthonormal B, (k, dim).

    By default A, `along`, is B. Returns the rows of which nothing would be left, and zero rows:
    both stay as they are. With `rescale` the remainders get unit length.
    """
    along = basis if along is None else along
    inside = []
    for places, rows in chunks(matrix, index):
        before = lengths_of(rows)
        rows -= ((rows - centre) @ along.T) @ basis
        after = lengths_of(rows)
        is_inside = (after <= NOTHING_LEFT * before) | (before == 0)
        if rescale:
            rows /= np.where(is_inside, 1.0, after)[:, None]
        inside.append(places[is_inside])
        matrix[places[~is_inside]] = rows[~is_inside]
    return np.concatenate([np.empty(0, dtype=np.intp), *inside])


def lengths_of(rows: Array) -> Array:
    """Return the lengths of rows."""
    return np.sqrt(np.einsum("ij,ij->i", rows, rows))
