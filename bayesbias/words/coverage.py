"""Which words of a list vectors have: how many are left, and which are in other spellings."""

import difflib
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import pandas as pd

from bayesbias.constants import (
    ATTRIBUTE,
    ATTRIBUTE_SET,
    CONNECTION,
    CONTROL_CONNECTIONS,
    GROUP,
    PROTECTED_WORD,
)
from bayesbias.errors import DataWarning, MissingWordsWarning, counted
from bayesbias.show.narrator import joined
from bayesbias.show.result import Blocks, Result, Table
from bayesbias.support.arguments import KeyedVectors
from bayesbias.vectors.lookup import ZERO_VECTOR, capitals_of, find_words, known_of, spellings
from bayesbias.words.list_files import load_wordlist
from bayesbias.words.provenance import missing_of, source_of
from bayesbias.words.word_lists import WordList

KINDS: Final = ("protected words", "attributes", "controls")
_COLUMNS: Final = ["word", "role", "list", "found_as", "reason"]
_NOT_IN_VECTORS: Final = "not in the vectors"
_FEW: Final = 3
_MOST_NAMED: Final = 8
_LOOKED_AT: Final = 10_000
ENOUGH_WORDS: Final = 10
"""With so many words left a list has not collapsed, however many are missing."""


@dataclass(frozen=True, repr=False)
class VocabularyCoverage(Result):
    """Which words of a list vectors have; made by `bayesbias.vocabulary_coverage`.

    Parameters
    ----------
    table : DataFrame
        A row per word: ``word``, ``role``, ``list``, ``found_as`` (empty where missing) and
        ``reason`` (empty where found).
    """

    table: pd.DataFrame

    @property
    def lists(self) -> pd.DataFrame:
        """One row per list: ``role``, ``list``, ``found`` and ``words`` (counts), ``missing``."""
        table = self.table.assign(missing=self.table["word"].where(self.table["found_as"] == ""))
        lists = table.groupby(["role", "list"], sort=False)["missing"].agg(
            found=lambda words: int(words.isna().sum()),
            words="size",
            missing=lambda words: words.dropna().tolist(),
        )
        return lists.reset_index()

    @property
    def blocks(self) -> Blocks:
        """Counts by list, the words that are missing, and those found in another spelling."""
        lists = self.lists
        missing = [
            f"missing of {row.list}: {', '.join(row.missing)}"
            for row in lists.itertuples()
            if row.missing
        ]
        spelt = [
            f"{row.word} as {row.found_as}"
            for row in self.table.itertuples()
            if row.found_as not in ("", row.word)
        ]
        notes = missing + ([f"found in another spelling: {', '.join(spelt)}"] if spelt else [])
        return [Table(lists.drop(columns="missing")), *([""] if notes else []), *notes]


def vocabulary_coverage(
    vectors: KeyedVectors, wordlist: WordList | str | Path
) -> VocabularyCoverage:
    """Look up every word of a list in the vectors.

    Parameters
    ----------
    vectors, wordlist
        As in `distances`.

    Notes
    -----
    A word is looked up as it is; in lower case where the vectors have no capital letters (fewer
    than one word in 1,000 has one); then with underscores for its blanks. Composed and decomposed
    forms (Unicode's NFC, NFD) are always tried.

    Examples
    --------
    >>> import bayesbias as bb
    >>> table = bb.vocabulary_coverage(bb.example_embedding(), "weat7").table
    >>> table.loc[(table.found_as == "") & (table.list == "math"), "word"].tolist()
    ['algebra', 'calculus', 'equations', 'computation', 'numbers']
    """
    wordlist = load_wordlist(wordlist)
    roles = list(wordlist.roles())
    key_of = find_words(vectors, [word for word, _, _ in roles])
    # A word in its own spelling has the first claim to its vector.
    taken = {word: word for word, key in key_of.items() if word == key}
    rows = []
    for word, role, name in roles:
        key, reason = key_of[word], ""
        if key is None:
            reason = _NOT_IN_VECTORS
        elif not np.any(vectors[key]):
            reason = ZERO_VECTOR
        elif taken.setdefault(key, word) != word:
            reason = f"{key!r} is already used for {taken[key]!r}"
        rows.append((word, role, name, "" if reason else key, reason))
    return VocabularyCoverage(pd.DataFrame(rows, columns=_COLUMNS))


def suggested(vectors: KeyedVectors, missing: Sequence[str]) -> str:
    """Name words of the source that are like the first missing ones; "" where there are none."""
    sample = known_of(vectors, "sample")  # of all words, where few of them were loaded
    among = vectors.index_to_key[:_LOOKED_AT] if sample is None else sample.words
    close = [difflib.get_close_matches(word, among, n=1, cutoff=0.8) for word in missing[:_FEW]]
    words = [repr(word) for matches in close for word in matches]
    return f"; did you mean {joined(words)}?" if words else ""


def words_of(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the words of a frame's list as `VocabularyCoverage` has them, and what they are.

    `kind`: protected words, attributes or controls.
    """
    rows, spelled = [], source_of(frame).get("found_as", {})
    for role, key, column in (
        ("protected", GROUP, PROTECTED_WORD),
        ("attribute", ATTRIBUTE_SET, ATTRIBUTE),
    ):
        pairs = frame[[column, key]].drop_duplicates().itertuples(index=False)
        rows += [(word, role, name, str(spelled.get(word, word)), "") for word, name in pairs]
    for lost in missing_of(frame) or ():
        rows.append((lost["word"], lost["role"], lost["list"], "", lost["reason"]))
    words = pd.DataFrame(rows, columns=_COLUMNS)
    is_control = frame[CONNECTION].isin(CONTROL_CONNECTIONS)
    # Of a control list without a word in the frame nothing but its name tells.
    controls = {*CONTROL_CONNECTIONS} - {*frame[ATTRIBUTE_SET]} | {
        *frame[ATTRIBUTE_SET][is_control]
    }
    kind = words["role"].map({"protected": "protected words", "attribute": "attributes"}).fillna("")
    of_controls = (kind == "attributes") & words["list"].isin(controls)
    return words.assign(kind=kind.mask(of_controls, "controls"))


def coverage_warnings(counts: pd.DataFrame) -> list[str]:
    """Return a sentence for each list of which fewer than half the words, and few, are left."""
    few = counts[(2 * counts["found"] < counts["words"]) & (counts["found"] < ENOUGH_WORDS)]
    return [
        f"of the {row.role} words {row.list!r} "
        + (f"only {row.found}" if row.found else "none")
        + f" of {row.words} {'are' if row.found > 1 else 'is'} in the vectors"
        for row in few.itertuples()
    ]


def warn_of_missing(text: str, where: str, counts: pd.DataFrame, stacklevel: int = 3) -> None:
    """Warn of missing words, and of the lists of which few are left."""
    warnings.warn(f"{text}; missing_words(frame) lists them", MissingWordsWarning, stacklevel)
    if sentences := coverage_warnings(counts):
        what = f"{where}: {'; '.join(sentences)}; the answer rests on these few"
        warnings.warn(what, DataWarning, stacklevel)


def lower_case_record(vectors: KeyedVectors, keys: Mapping[str, str]) -> dict[str, Any]:
    """Return which words were found in lower case, and how many words of the vectors have capitals.

    `keys`: of the words in the vectors.
    """
    words = [word for word, key in keys.items() if spellings(word).get(key)]
    capitals = "{:,} of {:,} words".format(*capitals_of(vectors)) if words else ""
    return {"lower_case": words, "capitals": capitals} if words else {}


def case_sentence(source: Mapping[str, Any]) -> str:
    """Say which words of pairs were looked up in lower case, and why; "" if none was."""
    words, capitals = source.get("lower_case", ()), str(source.get("capitals", ""))
    if not words:
        return ""
    few = "no" if capitals.startswith("0 ") else "next to no"
    shown = ", ".join(words[:_MOST_NAMED]) + (", ..." if len(words) > _MOST_NAMED else "")
    return (
        f"The vectors have {few} capital letters ({capitals}): {counted(len(words), 'word')} "
        f"{'was' if len(words) == 1 else 'were'} looked up in lower case ({shown}). A name that is "
        f"also a word, such as Will, has the vector of both."
    )
