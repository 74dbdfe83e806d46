"""Which words to debias, and what an embedding made of a corpus (Ethayarajh et al. 2019).

    debias w if |⟨w, b_actual⟩| < |⟨w, b_stereotype⟩|

b_actual is the direction of pairs which differ by definition (man, woman), b_stereotype that of
pairs which differ by stereotype (doctor, midwife): a word that lies more along the second has its
gender from a stereotype.

The genderedness of a word w for a pair (x, y) is its inner product with the difference of x and y.
For an embedding that factorises a matrix of co-occurrences, the corpus alone says what it should
be; the change from corpus to embedding is |g| − |ĝ| with

    g = ⟨w, x − y⟩/‖x − y‖,   ĝ = (1/√λ)/√(−csPMI(x, y) + α) · log(p(w|x)/p(w|y))
    csPMI(x, y) = PMI(x, y) + log p(x, y)
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pandas as pd

from bayesbias.debias.record import Dropped
from bayesbias.debias.work import SetsOfWords, checked_words, chunks, usable_pairs, warn_of
from bayesbias.errors import ArgumentError, EmbeddingError, WordListError
from bayesbias.measures.subspaces import bias_subspace
from bayesbias.support.arguments import KeyedVectors
from bayesbias.vectors.lookup import spelt_as_in, vectors_of

if TYPE_CHECKING:
    from scipy.sparse import csr_array

_CHUNK: Final = 5000  # sentences counted at a time


@dataclass(frozen=True, eq=False)
class Cooccurrences:
    """How often words occur near each other in a corpus; made by `count_cooccurrences`.

    `index` gives each word's row of `counts`, (n_words, n_words), symmetric: how often the column's
    word occurs near the row's. Probabilities are shares of `counts`.
    """

    index: Mapping[str, int]
    counts: "csr_array"

    def count(self, first: str, second: str) -> int:
        """Return how often two words, both of the corpus, occur near each other."""
        for word in (first, second):
            if word not in self.index:
                raise ArgumentError(f"{word!r} is not in the corpus")
        return int(self.counts[self.index[first], self.index[second]])

    def cspmi(self, first: str, second: str) -> float:
        """Return log p(x, y)²/(p(x) p(y)), in which the number of all pairs cancels."""
        if not (both := self.count(first, second)):
            raise ArgumentError(
                f"{first!r} and {second!r} never occur near each other, so that their PMI does not "
                f"exist; choose another pair or a wider window"
            )
        marginals = [self.counts[[self.index[word]]].sum() for word in (first, second)]
        return float(2.0 * np.log(both) - np.log(marginals).sum())


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
    total = csr_array((0, 0), dtype=np.int64)
    sentences = iter(corpus)
    while some := list(islice(sentences, _CHUNK)):
        if texts := [sentence for sentence in some if isinstance(sentence, str)]:
            raise ArgumentError(
                f"the corpus has the text {texts[0][:30]!r} where a list of tokens is needed; "
                f"split sentences into tokens"
            )
        tokens = [index.setdefault(token, len(index)) for sentence in some for token in sentence]
        ids, place = np.array(tokens, dtype=np.intp), np.repeat(range(len(some)), [*map(len, some)])
        size = (len(index), len(index))
        total.resize(size)
        for offset in range(1, window + 1):
            # Tokens that are `offset` apart; chunks end with sentences, so that no window is cut.
            near = place[offset:] == place[:-offset]
            first, second = ids[:-offset][near], ids[offset:][near]
            ones = np.ones(len(first), dtype=np.int64)
            total = total + csr_array((ones, (first, second)), shape=size)
    counts = csr_array(total + total.T)
    if not counts.nnz:
        raise ArgumentError("the corpus is empty, or has sentences of one token only")
    return Cooccurrences(index, counts)


def corpus_genderedness(
    corpus: Iterable[Sequence[str]] | Cooccurrences,
    vectors: KeyedVectors,
    *,
    pair: Sequence[str],
    words: Iterable[str] | Mapping[str, Iterable[str]] | None = None,
    window: int = 5,
    lam: float = 1.0,
    alpha: float = -1.0,
) -> pd.DataFrame:
    """Compare how gendered words are in an embedding and in the corpus it was trained on.

    Parameters
    ----------
    corpus : iterable of sequences of str, or Cooccurrences
        Tokenised sentences, or their counts.
    vectors : gensim.models.KeyedVectors
        Not normalised.
    pair : two words
        (x, y), such as (he, she); values are positive toward x.
    words : iterable of str, or mapping from class to words, optional
        All words that vectors and corpus share, but x and y, if None.
    window : int
        As in `count_cooccurrences`; not used with counts.
    lam, alpha : float
        λ and α, which belong to the embedding model; 1 and −1 are the authors' values for skip-gram
        with negative sampling.

    Returns
    -------
    DataFrame
        Columns ``class``, where classes were given; ``word``; ``in_embedding``, g; ``in_corpus``,
        ĝ; ``change``, |g| − |ĝ|; ``n_first`` and ``n_second``, how often the word occurs near x and
        y; ``reason``, why a value does not exist (NaN), else empty. `change_by_class` sums it up.

    Raises
    ------
    ArgumentError, EmbeddingError
        If x and y are not two different words of corpus and vectors, with two vectors, or never
        occur together, or −csPMI + α or λ is not positive.

    Examples
    --------
    >>> from bayesbias import load_embedding
    >>> corpus = [["he", "king", "she"], ["king", "he"], ["she", "queen"], ["odd", "end"]] * 9
    >>> kv = load_embedding({"he": [2, 1], "she": [0, 1], "king": [0.5, 1], "queen": [-1, 0]})
    >>> table = corpus_genderedness(corpus, kv, pair=("he", "she"), window=2)
    >>> table[["word", "in_embedding", "in_corpus", "reason"]].round(3).values.tolist()
    [['king', 0.5, 0.633, ''], ['queen', -1.0, nan, "never near 'he'"]]
    """
    ends = (pair,) if isinstance(pair, str) else tuple(pair)
    if len(set(ends)) != 2 or len(ends) != 2:
        raise ArgumentError(f"pair={pair!r}: give two different words, such as ('he', 'she')")
    first, second = ends
    if absent := [word for word in ends if word not in vectors.key_to_index]:
        raise EmbeddingError(f"{absent[0]!r} is not in the vectors; choose another pair")
    x, y = vectors_of(vectors, ends)
    if (x == y).all():
        raise EmbeddingError(f"{first!r} and {second!r} have the same vector: no direction")
    direction = (x - y) / np.linalg.norm(x - y)
    if isinstance(corpus, Cooccurrences):
        near = corpus
    else:
        near = count_cooccurrences(corpus, window=window)
    cspmi = near.cspmi(first, second)
    if not (lam > 0 and alpha - cspmi > 0):
        raise ArgumentError(
            f"lam={lam}, alpha={alpha}: with csPMI({first}, {second}) = {cspmi:.3f}, λ and "
            f"−csPMI + α must be positive"
        )
    if words is None:
        words = [w for w in vectors.index_to_key if w in near.index and w not in ends]
    classes = words if isinstance(words, Mapping) else {"": words}
    counts = near.counts[[near.index[word] for word in ends]].toarray()

    def row(word: str) -> dict[str, Any]:
        is_here, is_there = word in vectors.key_to_index, word in near.index
        in_embedding = float(vectors[word].astype(np.float64) @ direction) if is_here else np.nan
        if is_here and not np.isfinite(in_embedding):
            raise EmbeddingError(f"the vector of {word!r} has NaN or infinite components")
        n = counts[:, near.index[word]].tolist() if is_there else [0, 0]
        never = " or ".join(repr(end) for end, k in zip(ends, n, strict=True) if not k)
        reasons = [] if is_here else ["not in the vectors"]
        if never:
            reasons.append(f"never near {never}" if is_there else "not in the corpus")
        numbers = {"in_embedding": in_embedding, "n_first": n[0], "n_second": n[1]}
        return {"word": word, **numbers, "reason": "; ".join(reasons)}

    distinct = {name: checked_words(own, name or "words") for name, own in classes.items()}
    rows = [{"class": name, **row(word)} for name, own in distinct.items() for word in own]
    table = pd.DataFrame(rows)
    totals = counts.sum(axis=1)
    with np.errstate(divide="ignore", invalid="ignore"):
        ratio = np.log(table["n_first"] / table["n_second"]) - np.log(totals[0] / totals[1])
    in_corpus = (ratio / np.sqrt(lam * (alpha - cspmi))).where(table["reason"] == "")
    table.insert(3, "in_corpus", in_corpus)
    table.insert(4, "change", table["in_embedding"].abs() - in_corpus.abs())
    return table if isinstance(words, Mapping) else table.drop(columns="class")


def change_by_class(table: pd.DataFrame, *, prob: float = 0.89) -> pd.DataFrame:
    """Test by class of words whether an embedding is more gendered than its corpus.

    As Table 2 of Ethayarajh et al. (2019), with classes such as gender-appropriate (*queen*),
    gender-biased (*nurse*) and gender-neutral words. Words that seldom occur near the pair have
    noise in |ĝ|, which makes it too large: leave those out first, by ``n_first`` and ``n_second``.

    Parameters
    ----------
    table : DataFrame
        From `corpus_genderedness` with classes; an ArgumentError if it has none.
    prob : float
        Probability of the intervals.

    Returns
    -------
    DataFrame
        By class: ``n_words`` with a value; ``in_corpus`` and ``in_embedding``, the means of |ĝ| and
        |g|; ``change``, the mean of |g| − |ĝ|, with its t-interval from ``low`` to ``high`` and the
        two-sided ``p_value`` of a t-test over words; ``reason``, why there is no test, else empty.

    Examples
    --------
    >>> columns = {"class": "neutral", "in_corpus": 0.0, "change": [0.1, 0.2, 0.3]}
    >>> table = pd.DataFrame({**columns, "in_embedding": [0.1, 0.2, 0.3]})
    >>> change_by_class(table)[["class", "n_words", "change", "p_value"]].round(3).values.tolist()
    [['neutral', 3, 0.2, 0.074]]
    """
    from scipy import stats

    if "class" not in table:
        raise ArgumentError("table: has no classes; give corpus_genderedness words={class: words}")
    rows = []
    for name, part in table.dropna(subset="change").groupby("class", sort=False):
        n, change = len(part), part["change"].mean()
        means = {key: part[key].abs().mean() for key in ("in_corpus", "in_embedding")}
        row = {"class": name, "n_words": n, **means, "change": change}
        if n > 1:
            test = stats.ttest_1samp(part["change"], 0)
            low, high = test.confidence_interval(prob)
            row |= {"low": low, "high": high, "p_value": test.pvalue, "reason": ""}
        else:
            row |= dict.fromkeys(("low", "high", "p_value"), np.nan)
            row["reason"] = "a test needs two words with a value"
        rows.append(row)
    return pd.DataFrame(rows)


def choose_words(
    vectors: KeyedVectors,
    *,
    actual: SetsOfWords,
    stereotype: SetsOfWords,
    words: Iterable[str] | None = None,
) -> pd.DataFrame:
    """Choose the words associated by stereotype, not by meaning (Ethayarajh et al. 2019).

    Each direction b is the unit first principal component of the ordered differences of its pairs
    (uncentred). No vector is normalised.

    Parameters
    ----------
    actual : sequence of pairs
        Pairs that differ by definition, such as (man, woman).
    stereotype : sequence of pairs
        Pairs that differ by stereotype, such as (doctor, midwife).
    words : iterable of str, optional
        The words to judge; all words of the vectors if None.

    Returns
    -------
    DataFrame
        Columns ``word``; ``actual`` and ``stereotype``, the inner products, positive toward the
        first members of the pairs; ``chosen``. The chosen words are what `subspace` takes as
        `neutralise`.

    Raises
    ------
    ArgumentError, WordListError, EmbeddingError
        As every method of the package, and if a pair has not two members, all pairs of a kind have
        identical vectors, or one of `words` is not in the vectors.

    Examples
    --------
    >>> from bayesbias import load_embedding
    >>> kv = load_embedding({"man": [2, 0], "woman": [0, 0.1], "doctor": [0, 3],
    ...                      "midwife": [0.1, 0], "king": [2, 1], "nurse": [-1, -2]})
    >>> table = choose_words(kv, actual=[["man", "woman"]], stereotype=[["doctor", "midwife"]])
    >>> table.loc[table.chosen, "word"].tolist()
    ['woman', 'doctor', 'nurse']
    """
    if words is None:
        judged = tuple(vectors.index_to_key)
    else:
        judged = spelt_as_in(vectors, checked_words(words, "words"))
        if absent := [word for word in judged if word not in vectors.key_to_index]:
            raise WordListError(f"{', '.join(absent)}: not in the vectors; leave out of `words`")
    dropped: list[Dropped] = []
    directions = np.empty((2, vectors.vectors.shape[1]))
    for place, (role, sets) in enumerate((("actual", actual), ("stereotype", stereotype))):
        ends = [vectors_of(vectors, pair) for pair in usable_pairs(vectors, sets, role, dropped)]
        differences = np.array([first - second for first, second in ends])
        directions[place] = bias_subspace([differences], 1, centre=False).basis[0]
    index = np.array([vectors.key_to_index[word] for word in judged], dtype=np.intp)
    rows_of = chunks(vectors.vectors, index)
    products = np.concatenate([rows @ directions.T for _, rows in rows_of])
    if len(bad := np.flatnonzero(~np.isfinite(products).all(axis=1))):
        word = judged[bad[0]]
        raise EmbeddingError(f"the vector of {word!r} has NaN or infinite components; repair it")
    warn_of(dropped, stacklevel=3)
    table = pd.DataFrame({"word": judged, "actual": products[:, 0], "stereotype": products[:, 1]})
    return table.assign(chosen=table["actual"].abs() < table["stereotype"].abs())
