"""How rare words are, so that distances can be compared at equal frequency.

Rare words are farther from others in most vectors, and nearer to rare ones, so that a difference
between words may be one of their frequency (Valentini et al. 2022, The undesirable dependence on
frequency of gender bias metrics; van Loon et al. 2022, Negative associations in word embeddings
predict anti-black bias). Rarity is ln(rank) in vectors that are sorted by frequency, or −ln(count)
where the file has counts.
"""

import json
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final

import numpy as np
import pandas as pd

from bayesbias.constants import ATTRIBUTE, PROTECTED_WORD
from bayesbias.errors import DistancesError
from bayesbias.pairs.provenance import source_of
from bayesbias.support.bounded_files import read_text
from bayesbias.support.types import KeyedVectors
from bayesbias.vectors.sources import FREQUENT, Ranks, ranks_of

RARITY: Final = {PROTECTED_WORD: "word_rarity", ATTRIBUTE: "attribute_rarity"}
"""The columns of how rare the words of a pair are."""

_TOP: Final = 0.05
_FEWEST: Final = 10


Counts = Mapping[str, float] | str | Path
"""Counts of words, a file of them, or ``"sorted"``: the vectors are sorted by frequency."""

SORTED: Final = "sorted"


def rarity_of(
    vectors: KeyedVectors, words: Mapping[str, str], counts: Counts | None = None
) -> dict[str, Any]:
    """Return how rare words (with their keys) are as plain data, or why that is not known."""
    if counts is not None and counts != SORTED:
        return _of_counts(counts, words)
    known = getattr(vectors, "expandos", {}).get("count")  # a store has none
    if counts is None and known is not None and not _are_ranks(np.asarray(known)):
        values = {w: -float(np.log(vectors.get_vecattr(key, "count"))) for w, key in words.items()}
        return {"of": "−ln count", "values": _rounded(values)}
    ranks = ranks_of(vectors)
    if counts is None and (reason := _why_unsorted(ranks)):
        return {"unknown": reason}
    if lacking := [word for word, key in words.items() if key not in ranks.rows]:
        return {"unknown": f"where {len(lacking):,} words stand in the source ({lacking[0]})"}
    # Rows count from 0: ln(1 + row) is ln(rank).
    values = {word: float(np.log1p(ranks.rows[key])) for word, key in words.items()}
    return {"of": f"ln rank among {ranks.n_words:,} words", "values": _rounded(values)}


def _of_counts(
    source: Mapping[str, float] | str | Path, words: Mapping[str, str]
) -> dict[str, Any]:
    """Return the rarity of words by counts, looked up by the word, then by its key."""
    counts = source if isinstance(source, Mapping) else read_counts(Path(source))
    found = {word: counts.get(word, counts.get(key, 0)) for word, key in words.items()}
    lacking = [word for word, count in found.items() if not count > 0]
    if lacking:
        shown = ", ".join(lacking[:5]) + (", …" if len(lacking) > 5 else "")
        return {"unknown": f"{len(lacking):,} words have no count ({shown})"}
    values = {word: -float(np.log(count)) for word, count in found.items()}
    return {"of": "−ln count", "values": _rounded(values)}


def read_counts(path: Path) -> dict[str, float]:
    """Read words and their counts: a table of a column of each, or a mapping in JSON.

    Of several columns of numbers the one that is named so has the counts, else the last.
    """
    text = read_text(path, DistancesError)
    if text.lstrip().startswith("{"):
        return _of_json(path, text)
    lines = [(n, line) for n, line in enumerate(text.splitlines(), start=1) if line.strip()]
    rows = [(number, _cells(line)) for number, line in lines]
    if not rows:
        raise DistancesError(f"{path}: has no counts")
    names = [cell.lower() for cell in rows[0][1]]
    if not any(_count(cell) is not None for cell in names):  # names of columns
        rows = rows[1:]
    of_words, of_counts = _columns_of(names, [cells for _, cells in rows])
    counts: dict[str, float] = {}
    for number, cells in rows:
        value = _count(cells[of_counts]) if of_counts < len(cells) == len(rows[0][1]) else None
        if value is None:
            raise DistancesError(
                f"{path}: line {number:,}: {' '.join(cells)[:40]!r} is not a word and its count"
            )
        counts.setdefault(cells[of_words], value)
    return counts


def _columns_of(names: list[str], rows: list[list[str]]) -> tuple[int, int]:
    """Return the columns of words and of counts: words may be numbers, counts may not be texts."""
    width = len(names)
    texts = [
        sum(_count(row[place]) is None for row in rows if len(row) == width)
        for place in range(width)
    ]
    of_words = int(np.argmax(texts))
    others = [place for place in range(width) if place != of_words]
    named = [place for place in others if _NAMES_COUNTS.search(names[place])]
    return of_words, (named or others[-1:] or [width])[0]


_NAMES_COUNTS: Final = re.compile(r"count|freq|occur|anzahl|^n$")
_THOUSANDS: Final = re.compile(r"[1-9]\d{0,2}(?:,\d{3})+")


def _cells(line: str) -> list[str]:
    """Return the cells of a line; of blanks between them the last is that before the count."""
    line = line.strip()
    for between in ("\t", ";"):
        if between in line:
            return [cell.strip().strip('"') for cell in line.split(between)]
    before, _, last = line.rpartition(" ")
    if before and (_count(last) is not None or "," not in line):
        first, _, rest = line.partition(" ")
        if _count(last) is None and _count(first) is not None:
            return [first, rest.strip().strip('"')]
        return [before.strip().strip('"'), last]
    return [cell.strip().strip('"') for cell in line.split(",")]


def _count(text: str) -> float | None:
    if _THOUSANDS.fullmatch(text):
        text = re.sub(r"\D", "", text)
    try:
        return float(text)
    except ValueError:
        return None


def _of_json(path: Path, text: str) -> dict[str, float]:
    try:
        content = json.loads(text)
        return {str(word): float(count) for word, count in content.items()}
    except (ValueError, TypeError, RecursionError) as error:
        raise DistancesError(
            f'{path}: is no mapping of words to counts in JSON, such as {{"he": 1200}}'
        ) from error


def _rounded(values: Mapping[str, float]) -> dict[str, float]:
    return {word: round(float(value), 6) for word, value in values.items()}


def _are_ranks(counts: "np.ndarray[Any, Any]") -> bool:
    """Tell whether counts are gensim's stand-ins for a file without any, or of no use."""
    # gensim numbers words n, n − 1, … 1 where a file has no counts.
    stand_ins = np.arange(len(counts), 0, -1)
    return bool((counts <= 0).any() or np.array_equal(counts, stand_ins))


def _why_unsorted(ranks: Ranks) -> str:
    """Say why the order of vectors does not tell how frequent words are; "" where it does."""
    ask = "; if they are sorted by frequency say counts='sorted', else give a file of counts"
    at = list(ranks.frequent.values())
    if len(at) < _FEWEST:
        return (
            f"the vectors have {len(at)} of the {len(FREQUENT)} most frequent English words, "
            f"whose places would tell whether the file is sorted by frequency{ask}"
        )
    # In a small vocabulary a twentieth would have no room for all frequent words.
    first = max(round(_TOP * ranks.n_words), 2 * len(at))
    share = np.mean(np.array(at) < first)
    if share < 0.9:
        return (
            f"the vectors are not sorted by frequency: {share:.0%} of the most frequent English "
            f"words are among the first {first:,} of {ranks.n_words:,}, and they have no "
            f"counts{ask}"
        )
    return ""


def with_rarity(frame: pd.DataFrame) -> pd.DataFrame:
    """Add ``word_rarity`` and ``attribute_rarity`` to a frame from `distances`, if not there."""
    if set(RARITY.values()) <= set(frame.columns):
        return frame
    known = source_of(frame).get("frequency", {})
    values = known.get("values")
    if values is None:
        of_your_own = f"numeric columns {' and '.join(RARITY.values())}, larger for rarer words"
        if why := known.get("unknown"):
            raise DistancesError(
                f"how frequent the words are is not known: {why}",
                advice=f"or give the frame {of_your_own}",
                typed=f"or give a file of distances with {of_your_own}",
            )
        raise DistancesError(
            "how frequent the words are is not known: the distances do not say",
            advice=f"take the frame that distances() returned, or give it {of_your_own}",
            typed=f"give word vectors and --wordlist, or a file of distances with {of_your_own}",
        )
    rarity = {column: frame[of].map(values) for of, column in RARITY.items()}
    return frame.assign(**rarity)
