"""How gendered words are in a corpus, and what an embedding made of it (Ethayarajh et al. 2019).

A word's genderedness for a pair (x, y) is its inner product with the difference of x and y. For an
embedding that factorises a matrix of co-occurrences, the corpus alone says what it should be.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bayesbias.debias.words import checked_words
from bayesbias.errors import ArgumentError, EmbeddingError
from bayesbias.pairs.word_lists import WordPair
from bayesbias.support.arrays import Array
from bayesbias.support.types import KeyedVectors
from bayesbias.vectors.lookup import vectors_of

if TYPE_CHECKING:
    from scipy.sparse import csr_array

_CHUNK_TOKENS: Final = 100_000


@dataclass(frozen=True, eq=False, repr=False)
class Cooccurrences:
    """How often words occur near each other in a corpus; made by `count_cooccurrences`.

    Parameters
    ----------
    index : mapping of str to int
        From word to row of `counts`.
    counts : scipy.sparse.csr_array, shape (n_words, n_words)
        Symmetric: how often the column's word occurs within `window` tokens of the row's.
    """

    index: Mapping[str, int]
    counts: "csr_array"
    window: int
    n_tokens: int

    def count(self, first: str, second: str) -> int:
        """Return how often two words, both of the corpus, occur near each other."""
        for word in (first, second):
            if word not in self.index:
                raise ArgumentError(f"{word!r} is not in the corpus")
        return int(self.counts[self.index[first], self.index[second]])

    def pmi(self, first: str, second: str) -> float:
        """Return log p(x, y)/(p(x) p(y)), natural logarithm, p over co-occurrences.

        Examples
        --------
        >>> round(count_cooccurrences([["he", "is"], ["she", "was"]]).pmi("he", "is"), 4)
        1.3863
        """
        both = self._seen_together(first, second)
        rows = [self.index[first], self.index[second]]
        marginals = self.counts[rows].sum(axis=1)
        return float(np.log(both) + np.log(self.counts.sum()) - np.log(marginals).sum())

    def cspmi(self, first: str, second: str) -> float:
        """Return the co-occurrence shifted PMI, PMI(x, y) + log p(x, y)."""
        both = self._seen_together(first, second)
        return self.pmi(first, second) + float(np.log(both / self.counts.sum()))

    def _seen_together(self, first: str, second: str) -> int:
        both = self.count(first, second)
        if not both:
            raise ArgumentError(
                f"{first!r} and {second!r} never occur within {self.window} tokens of each other, "
                f"so that their PMI does not exist; choose another pair or a wider window"
            )
        return both

    def __repr__(self) -> str:
        return (
            f"Cooccurrences({len(self.index):,} words in {self.n_tokens:,} tokens, window "
            f"{self.window}; {self.counts.nnz:,} pairs)"
        )


def count_cooccurrences(corpus: Iterable[Sequence[str]], *, window: int = 5) -> Cooccurrences:
    """Count how often words occur within a window of each other, in the same sentence.

    `corpus` are tokenised sentences, which are read once; up to `window` tokens to either side
    count, all alike. An ArgumentError if `window` is below 1, a sentence is a text rather than
    tokens, or no two tokens occur together.

    Examples
    --------
    >>> count_cooccurrences([["he", "is", "he"]], window=1).count("he", "is")
    2
    """
    from scipy.sparse import csr_array

    if window < 1:
        raise ArgumentError(f"window={window}: must be at least 1")
    index: dict[str, int] = {}
    total, n_tokens = csr_array((0, 0), dtype=np.int64), 0
    for ids, sentence in _chunks(corpus, index):
        n_tokens += len(ids)
        size = (len(index), len(index))
        total.resize(size)
        for offset in range(1, window + 1):
            # Tokens that are `offset` apart; chunks end with sentences, so that no window is cut.
            near = sentence[offset:] == sentence[:-offset]
            left, right = ids[:-offset][near], ids[offset:][near]
            ones = np.ones(len(left), dtype=np.int64)
            total = total + csr_array((ones, (left, right)), shape=size)
    counts = csr_array(total + total.T)
    if not counts.nnz:
        raise ArgumentError("the corpus is empty, or has sentences of one token only")
    return Cooccurrences(index, counts, window, n_tokens)


def _chunks(
    corpus: Iterable[Sequence[str]], index: dict[str, int]
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.int64]]]:
    """Yield numbers of tokens and of their sentences; give new words a number."""
    ids: list[int] = []
    lengths: list[int] = []
    for sentence in corpus:
        if isinstance(sentence, str):
            raise ArgumentError(
                f"the corpus has the text {sentence[:30]!r} where a list of tokens is needed; "
                f"split sentences into tokens"
            )
        ids.extend(index.setdefault(token, len(index)) for token in sentence)
        lengths.append(len(sentence))
        if len(ids) >= _CHUNK_TOKENS:
            yield np.array(ids), np.repeat(np.arange(len(lengths)), lengths)
            ids, lengths = [], []
    if ids:
        yield np.array(ids), np.repeat(np.arange(len(lengths)), lengths)


def corpus_genderedness(
    corpus: Iterable[Sequence[str]] | Cooccurrences,
    vectors: KeyedVectors,
    *,
    pair: Sequence[str] | WordPair,
    words: Iterable[str] | None = None,
    window: int = 5,
    lam: float = 1.0,
    alpha: float = -1.0,
) -> pd.DataFrame:
    """Compare how gendered words are in an embedding and in the corpus it was trained on.

    In the embedding g = ⟨w, x − y⟩/‖x − y‖; in the corpus ĝ = (1/√λ)/√(−csPMI(x, y) + α) ·
    log(p(w|x)/p(w|y)); the change is |g| − |ĝ| (Ethayarajh et al. 2019, Table 2).

    Parameters
    ----------
    corpus : iterable of sequences of str, or Cooccurrences
        Tokenised sentences, or their counts.
    vectors : gensim.models.KeyedVectors
        Not normalised.
    pair : WordPair or two words
        (x, y), such as (he, she); values are positive toward x.
    words : iterable of str, optional
        All words that vectors and corpus share, but x and y, if None.
    window : int
        As in `count_cooccurrences`; not used with counts.
    lam, alpha : float
        λ and α, which belong to the embedding model; 1 and −1 are the authors' values for skip-gram
        with negative sampling.

    Returns
    -------
    DataFrame
        Columns ``word``; ``in_embedding``, g; ``in_corpus``, ĝ; ``change``; ``n_first`` and
        ``n_second``, how often the word occurs near x and y; ``reason``, why a value does not exist
        (NaN), else empty. ``attrs`` has the pair, its counts and all arguments.

    Raises
    ------
    ArgumentError
        If x and y are not two different words of the corpus, never occur together, or −csPMI + α or
        λ is not positive.
    EmbeddingError
        If x or y is not in the vectors, or both have the same vector.

    Examples
    --------
    >>> from bayesbias import load_embedding
    >>> corpus = [["he", "king", "she"], ["king", "he"], ["she", "queen"], ["odd", "end"]] * 9
    >>> kv = load_embedding({"he": [2, 1], "she": [0, 1], "king": [0.5, 1], "queen": [-1, 0]})
    >>> table = corpus_genderedness(corpus, kv, pair=("he", "she"), window=2)
    >>> table[["word", "in_embedding", "in_corpus", "reason"]].round(3).values.tolist()
    [['king', 0.5, 0.633, ''], ['queen', -1.0, nan, "never near 'he'"]]
    """
    first, second = _pair(pair)
    difference = _difference(vectors, first, second)
    counted = corpus if isinstance(corpus, Cooccurrences) else None
    if counted is None:
        counted = count_cooccurrences(corpus, window=window)  # type: ignore[arg-type]
    shifted = alpha - counted.cspmi(first, second)
    if not (lam > 0 and shifted > 0):
        raise ArgumentError(
            f"lam={lam}, alpha={alpha}: with csPMI({first}, {second}) = {alpha - shifted:.3f}, "
            f"λ and −csPMI + α must be positive"
        )
    if words is None:
        in_both = [word for word in vectors.index_to_key if word in counted.index]
        words = [word for word in in_both if word not in (first, second)]
    wanted = checked_words(words, "words")
    table = _table(counted, vectors, difference, (first, second), wanted)
    totals = [counted.counts[[counted.index[word]]].sum() for word in (first, second)]
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.log(table["n_first"] / table["n_second"]) - np.log(totals[0] / totals[1])
    in_corpus = (ratio / np.sqrt(lam * shifted)).where(table["reason"] == "")
    table.insert(2, "in_corpus", in_corpus)
    table.insert(3, "change", table["in_embedding"].abs() - in_corpus.abs())
    table.attrs = {"pair": [first, second], "window": counted.window, "lam": lam, "alpha": alpha}
    table.attrs |= {"n_tokens": counted.n_tokens, "pmi": counted.pmi(first, second)}
    table.attrs["cspmi"] = alpha - shifted
    return table


def _pair(pair: Sequence[str] | WordPair) -> tuple[str, str]:
    words = (pair,) if isinstance(pair, str) else tuple(pair)
    if len(words) != 2 or words[0] == words[1]:
        raise ArgumentError(f"pair={pair!r}: give two different words, such as ('he', 'she')")
    return words[0], words[1]


def _difference(vectors: KeyedVectors, first: str, second: str) -> Array:
    """Return (x − y)/‖x − y‖."""
    for word in (first, second):
        if word not in vectors.key_to_index:
            raise EmbeddingError(f"{word!r} is not in the vectors; choose another pair")
    x, y = vectors_of(vectors, [first, second])
    length = np.linalg.norm(x - y)
    if length == 0:
        raise EmbeddingError(f"{first!r} and {second!r} have the same vector: no direction")
    direction: Array = (x - y) / length
    return direction


def _table(
    counted: Cooccurrences,
    vectors: KeyedVectors,
    difference: Array,
    pair: tuple[str, str],
    words: Sequence[str],
) -> pd.DataFrame:
    """Return each word's value in the embedding, its counts, and what it lacks."""
    near = counted.counts[[counted.index[word] for word in pair]].toarray()
    rows: list[tuple[Any, ...]] = []
    for word in words:
        in_embedding, counts, reasons = np.nan, [0, 0], []
        if word in vectors.key_to_index:
            vector = vectors.vectors[vectors.key_to_index[word]].astype(np.float64)
            in_embedding = float(vector @ difference)
            if not np.isfinite(in_embedding):
                raise EmbeddingError(f"the vector of {word!r} has NaN or infinite components")
        else:
            reasons.append("not in the vectors")
        if word in counted.index:
            counts = near[:, counted.index[word]].tolist()
            never = [repr(x) for x, n in zip(pair, counts, strict=True) if not n]
            reasons += [f"never near {' or '.join(never)}"] * bool(never)
        else:
            reasons.append("not in the corpus")
        rows.append((word, in_embedding, *counts, "; ".join(reasons)))
    return pd.DataFrame(rows, columns=["word", "in_embedding", "n_first", "n_second", "reason"])
