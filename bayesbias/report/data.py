"""The section on the data: word lists, vocabulary coverage, missing words, and the source."""

from collections.abc import Iterable, Mapping
from itertools import starmap
from typing import Any, Final

import pandas as pd

from bayesbias.constants import (
    ATTRIBUTE,
    ATTRIBUTE_SET,
    CONNECTION,
    GROUP,
    MISSING_COLUMNS,
    PROTECTED_WORD,
)
from bayesbias.pairs.coverage import NOT_RECORDED
from bayesbias.pairs.provenance import missing_of, source_of
from bayesbias.report.page_parts import DefinitionList, Folded, Lists, PagePart, Section
from bayesbias.support.text_tables import Column, Columns, Table, counted

SEAL: Final = "(SHA-256)"  # marks facts that are checksums
_MOST_LISTED: Final = 500
_SIDES: Final = ("before", "after")


def data_section(pairs: pd.DataFrame, *extra: PagePart) -> Section:
    """Show which words and pairs there are, and what is missing; `extra` follows."""
    n_words, n_attributes = pairs[PROTECTED_WORD].nunique(), pairs[ATTRIBUTE].nunique()
    source = source_of(pairs)
    facts = tuple(fact for fact in source_facts(source) if SEAL not in fact[0])
    missing = _missing_by_side(missing_of(pairs), is_change=_SIDES[0] in source)
    rows, words = _lists(pairs, missing)
    columns: list[str | Column] = ["list", "what", "used"]
    for side in missing or {}:
        label = f" {side}" if side else ""
        columns += [
            Column(f"missing{side}", f"missing{label}", "count"),
            Column(f"share{side}", f"coverage{label}", "share"),
        ]
    said = f"{counted(len(pairs), 'pair')} of {counted(n_words, 'protected word')}"
    parts = (
        f"{said} and {counted(n_attributes, 'attribute word')}.",
        DefinitionList(facts),
        Table(pd.DataFrame(rows), columns, "Word lists and their vocabulary coverage"),
        Lists(words),
        *([NOT_RECORDED] if missing is None else starmap(_missing_table, missing.items())),
        *extra,
    )
    return Section("data", "Data", parts)


def source_facts(source: Mapping[str, Any], prefix: str = "") -> tuple[tuple[str, str], ...]:
    """Return where pairs came from, as terms and texts; nested records by their name."""
    facts: list[tuple[str, str]] = []
    for key, value in source.items():
        name = prefix + key.replace("_sha256", f" {SEAL}").replace("_", " ")
        name = name.replace("wordlist", "word list").replace("duplicates", "repeated pairs")
        if isinstance(value, Mapping) and key in _SIDES:
            facts += source_facts(value, f"{key}: ")
        elif key == "frequency":
            facts.append((name, value.get("of", f"not known: {value.get('unknown')}")))
        elif key == "factors":
            for factor, levels in value.items():
                said = (f"{level}: {', '.join(groups)}" for level, groups in levels.items())
                facts.append((f"{name}: {factor}", "; ".join(said)))
        elif isinstance(value, Mapping):
            facts += [(name, ", ".join(f"{k} as {v}" for k, v in value.items()))] if value else []
        elif isinstance(value, list | tuple):
            facts += [(name, ", ".join(map(str, value)))] if value else []
        else:
            facts.append((name, str(value)))
    return tuple(facts)


Missing = dict[str, list[Mapping[str, str]]]


def _missing_by_side(
    rows: Iterable[Mapping[str, str]] | None, *, is_change: bool
) -> Missing | None:
    """Return the missing words by side, that of a fit ""; None where sides are not known."""
    if rows is None:
        return None
    if not is_change:
        return {"": list(rows)}
    found: Missing = {side: [] for side in _SIDES}
    for row in rows:
        side, _, reason = row["reason"].partition(": ")
        if side not in found:
            return None
        found[side].append({**row, "reason": reason})
    return found


def _lists(
    pairs: pd.DataFrame, missing: Missing | None
) -> tuple[list[dict[str, Any]], tuple[Any, ...]]:
    """Return a row per word list, and its words."""
    absent = {
        side: pd.DataFrame(rows, columns=list(MISSING_COLUMNS)).groupby(["role", "list"]).size()
        for side, rows in (missing or {}).items()
    }
    rows, words = [], []
    for key, column, role in (
        (GROUP, PROTECTED_WORD, "protected"),
        (ATTRIBUTE_SET, ATTRIBUTE, "attribute"),
    ):
        for name, part in pairs.groupby(key, sort=False):
            used = [str(word) for word in part[column].unique()]
            connections = " or ".join(dict.fromkeys(part[CONNECTION]))
            what = "protected words" if role == "protected" else f"attributes, {connections}"
            row = {"list": str(name), "what": what, "used": len(used)}
            for side, counts in absent.items():
                n = int(counts.get((role, name), 0))
                row |= {f"missing{side}": n, f"share{side}": len(used) / (len(used) + n)}
            rows.append(row)
            words.append((str(name), what, len(used), _first(used)))
    return rows, tuple(words)


def _first(words: list[str]) -> str:
    """Return the words of a list, of a very long one the first."""
    more = len(words) - _MOST_LISTED
    return ", ".join(words[:_MOST_LISTED]) + (f" and {more:,} more" if more > 0 else "")


def _missing_table(side: str, missing: list[Mapping[str, str]]) -> PagePart:
    when = f" {side}" if side else ""
    if not missing:
        return f"No word of the lists is missing{when}."
    frame = pd.DataFrame(missing, columns=list(MISSING_COLUMNS))
    alike = frame.groupby(["list", "role", "reason"], sort=False)["word"]
    rows = [
        {"list": name, "role": role, "reason": reason, "n": len(words), "words": _first([*words])}
        for (name, role, reason), words in alike
    ]
    numbers = Column("n", "words", "count"), Column("words", "which", "long")
    columns: Columns = ["list", "role", "reason", *numbers]
    table = Table(pd.DataFrame(rows), columns, f"Missing words{when}")
    return Folded(f"Missing words{when} ({len(frame):,}), and why", table)
