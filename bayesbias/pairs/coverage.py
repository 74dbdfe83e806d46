"""Word lists of which the vectors have so few words that little can be concluded from them."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

import pandas as pd

from bayesbias.constants import ATTRIBUTE, ATTRIBUTE_SET, GROUP, PROTECTED_WORD, REFERENCE
from bayesbias.pairs.provenance import missing_of
from bayesbias.pairs.reference import without_reference
from bayesbias.support.result import Result
from bayesbias.support.text_tables import Blocks, Table, counted, join_words
from bayesbias.vectors.near_spellings import advice_on

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
    near : mapping of str to str
        Missing words that the vectors have in another spelling, which was not asked for.
    """

    table: pd.DataFrame
    near: Mapping[str, str] = field(default_factory=dict)

    @property
    def lists(self) -> pd.DataFrame:
        """One row per list: ``role``, ``list``, ``found`` and ``words`` (counts), ``missing``."""
        counts = words_per_list(self.table)
        absent = self.table[self.table["found_as"] == ""]
        words = [
            absent.loc[(absent["role"] == row.role) & (absent["list"] == row.list), "word"].tolist()
            for row in counts.itertuples()
        ]
        return counts.assign(words=counts["found"] + counts["missing"], missing=words)[
            ["role", "list", "found", "words", "missing"]
        ]

    @property
    def blocks(self) -> Blocks:
        """Counts by list, the words that are missing, and those found in another spelling."""
        lists = self.lists
        missing = [
            f"missing of {row.list}: {', '.join(row.missing)}"
            for row in lists.itertuples()
            if row.missing
        ]
        table = self.table
        other = table[(table["found_as"] != "") & (table["found_as"] != table["word"])]
        spelt = [
            f"{word} as {key}" for word, key in zip(other["word"], other["found_as"], strict=True)
        ]
        said = [*missing, *([f"found in another spelling: {', '.join(spelt)}"] if spelt else [])]
        said += [advice_on(self.near)] if self.near else []
        return [Table(lists.drop(columns="missing")), *([""] if said else []), *said]


def words_per_list(table: pd.DataFrame) -> pd.DataFrame:
    """Count the words of each list: ``role``, ``list``, ``found``, ``missing``."""
    there = (table["found_as"] != "").groupby([table["role"], table["list"]], sort=False)
    counts = there.agg(found="sum", missing="size").reset_index()
    return counts.assign(missing=counts["missing"] - counts["found"])


def coverage_of_lists(frame: pd.DataFrame) -> pd.DataFrame:
    """Count, likewise, the words that a frame uses or lacks, but for reference words."""
    missing = pd.DataFrame(missing_of(frame) or (), columns=["role", "list"])
    frame = without_reference(frame)
    rows = []
    for key, column, role in (
        (GROUP, PROTECTED_WORD, "protected"),
        (ATTRIBUTE_SET, ATTRIBUTE, "attribute"),
    ):
        for name, count in frame.groupby(key, sort=False)[column].nunique().items():
            absent = int(((missing["list"] == name) & (missing["role"] == role)).sum())
            rows.append((role, str(name), int(count), absent))
    return pd.DataFrame(rows, columns=["role", "list", "found", "missing"])


NOT_RECORDED: Final = "Missing words were not recorded: the pairs came without that list."


def missing_sentence(frame: pd.DataFrame) -> str:
    """Say how many words of the lists are missing; reference words and single pairs if any are."""
    missing = missing_of(frame)
    if missing is None:
        return NOT_RECORDED
    counts = coverage_of_lists(frame)
    absent = counts.groupby("role")["missing"].sum()
    total = int(counts["found"].sum() + absent.sum())
    said = (
        f"Missing words: {absent.sum():,} of the lists' {total:,} "
        f"({counted(absent['protected'], 'protected word')}, "
        f"{counted(absent['attribute'], 'attribute')})"
    )
    others = {
        "reference word": sum(row["role"] == REFERENCE for row in missing),
        "single pair": sum(row["role"] == "pair" for row in missing),
    }
    more = [counted(n, what) for what, n in others.items() if n]
    return f"{said}, and {join_words(more)} besides." if more else f"{said}."


def coverage_warnings(counts: pd.DataFrame) -> list[str]:
    """Return a sentence for each list of which fewer than half the words, and few, are left."""
    return [
        f"of the {row.role} words {row.list!r} "
        + (f"only {row.found}" if row.found else "none")
        + f" of {row.found + row.missing} {'are' if row.found > 1 else 'is'} in the vectors"
        for row in few_words(counts).itertuples()
    ]


def few_words(counts: pd.DataFrame) -> pd.DataFrame:
    """Return the lists of which fewer than half the words, and few, are left."""
    return counts[(counts["found"] < counts["missing"]) & (counts["found"] < ENOUGH_WORDS)]
