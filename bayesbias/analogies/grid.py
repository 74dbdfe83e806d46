"""What an answer depends on: the size of the vocabulary and the threshold δ.

After Table 3 of Nissim, van Noord and van der Goot (2020), which asks man : doctor :: woman : ? by
Bolukbasi's formula in vocabularies from 10,000 words to 3 million, with δ from 0.8 to 1.2.
"""

from collections.abc import Sequence
from typing import Final

import numpy as np
import pandas as pd

from bayesbias.analogies.candidates import SETTINGS, candidates_of, check_query, ranked
from bayesbias.analogies.formulas import formulas
from bayesbias.analogies.result import AnalogyResult, marked
from bayesbias.errors import ArgumentError
from bayesbias.show.result import Table
from bayesbias.support.arguments import KeyedVectors

_COLUMNS: Final = ["n_words", "delta", "setting", "word", "score", "input", "n_within"]


def vocabulary_grid(
    vectors: KeyedVectors,
    a: str,
    b: str,
    c: str,
    *,
    vocabularies: Sequence[int | None] = (None,),
    deltas: Sequence[float] = (0.8, 0.9, 1.0, 1.1, 1.2),
) -> AnalogyResult:
    """Ask a : b :: c : ? by Bolukbasi's formula for several vocabularies and thresholds δ.

    The formula is cos(a − c, b − d) for words with ‖b − d‖ ≤ δ (Nissim et al. 2020, equation 4 and
    Table 3). Candidates are the first so many words, None for all. Cost: one product with the
    vocabulary, and a sort of its scores for each δ.

    Returns
    -------
    AnalogyResult
        ``table`` has a row per vocabulary, δ and setting: ``n_words``, ``delta``, ``setting``,
        ``word`` (empty if none may answer), ``score``, ``input`` (a, b or c if the word is one of
        them) and ``n_within``, the number of words that may answer: those within δ, in the
        constrained setting without the query's own. It is shown as Table 3: vocabularies down,
        thresholds across.

    Raises
    ------
    ArgumentError, EmbeddingError
        As `analogy`, and if a vocabulary is larger than the vectors'.

    Examples
    --------
    >>> from bayesbias import load_embedding
    >>> kv = load_embedding({"he": [1, 0, 0], "she": [0, 1, 0], "king": [1, 0, 2],
    ...                      "queen": [0, 1, 2]})
    >>> vocabulary_grid(kv, "he", "king", "she", deltas=[0.5, 1.0]).shown.frame
             setting words  δ = 0.5 δ = 1
    0  unconstrained     4  king (b) queen
    1    constrained     4        –  queen
    """
    candidates = candidates_of(vectors)
    sizes = sorted({candidates.size if n is None else int(n) for n in vocabularies})
    if not sizes or not len(deltas):
        raise ArgumentError("vocabularies and deltas need at least one value each")
    if sizes[0] < 1 or sizes[-1] > candidates.size:
        raise ArgumentError(
            f"vocabularies={list(vocabularies)}: the vectors have {candidates.size:,} words; give "
            f"numbers from 1 to that, or None for all"
        )
    chosen = [form for delta in sorted(set(deltas)) for form in formulas("bolukbasi", delta)]
    index = candidates.positions([a, b, c])
    check_query(candidates, index[0], index[2], directions=True)
    cosines = candidates.cosines(index)
    rows = []
    for formula in chosen:
        order, scores = ranked(candidates, index, formula, cosines)
        roles = candidates.roles(order, index)
        for size in sizes:
            for setting in SETTINGS:
                is_free = setting == "unconstrained"
                places = np.flatnonzero((order < size) & (is_free | (roles == "")))
                word, score, role = "", np.nan, ""
                if len(places):
                    k = places[0]
                    word, score, role = candidates.words[order[k]], float(scores[k]), str(roles[k])
                rows.append((size, formula.delta, setting, word, score, role, len(places)))
    table = pd.DataFrame(rows, columns=_COLUMNS)
    table = table.sort_values(["n_words", "delta"], kind="stable", ignore_index=True)
    query = [candidates.words[i] for i in index]
    answers = table.loc[table["setting"] == "unconstrained", "word"].nunique()
    headline = (
        f"{query[0]} : {query[1]} :: {query[2]} : ?   {answers} different unconstrained answers by "
        f"vocabulary and δ (bolukbasi)."
    )
    parameters = {"vocabularies": sizes, "deltas": sorted(set(deltas)), "n_words": candidates.size}
    return AnalogyResult(headline, table, parameters, _as_published(table))


def _as_published(table: pd.DataFrame) -> Table:
    """Return the answers with vocabularies down and thresholds across, a block per setting."""
    cells = [marked(w, r) or "–" for w, r in zip(table["word"], table["input"], strict=True)]
    keys = ["setting", "n_words"]
    wide = table.assign(cell=cells).pivot_table("cell", keys, "delta", aggfunc="first")
    wide.columns = pd.Index([f"δ = {delta:g}" for delta in wide.columns])
    wide = wide.loc[list(SETTINGS)].reset_index().rename(columns={"n_words": "words"})
    return Table(wide)
