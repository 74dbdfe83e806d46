"""The one-number measures that pairs alone allow, each with what it can and cannot say."""

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pandas as pd

from bayesbias.constants import (
    AFTER,
    ATTRIBUTE,
    ATTRIBUTE_SET,
    BEFORE,
    CONNECTION,
    DISTANCE,
    GROUP,
    PROTECTED_WORD,
    STEREOTYPE_CONNECTIONS,
)
from bayesbias.errors import BayesBiasError, MissingWordsWarning
from bayesbias.measures import MeasureResult, mac, weat
from bayesbias.measures.reading import READINGS
from bayesbias.measures.results import skipped_measure
from bayesbias.report.parts import Column, Items, Part, Section, Text
from bayesbias.report.tabling import table

_CAVEATS = (
    "These numbers average over words and do not measure uncertainty; the answer above "
    "rests on the posterior. They are here for comparison with other work."
)


@dataclass(frozen=True)
class WeatSets:
    """The sets of WEAT by role, and what the pairs call them."""

    words: dict[str, list[str]]
    names: str


def measures_of(pairs: pd.DataFrame, seed: int) -> list[MeasureResult]:
    """Return MAC and, for two groups with an attribute set each, WEAT.

    Parameters
    ----------
    pairs : DataFrame
        With cosine distances.
    seed : int
        For the partitions of WEAT, where there are too many to count.
    """
    sets = weat_sets(pairs)
    if isinstance(sets, str):
        second = skipped_measure("WEAT", sets)
    else:
        second = _try("WEAT", lambda: weat(pairs, *sets.words.values(), seed=seed))
    return [_try("MAC", lambda: mac(pairs)), second]


def weat_sets(pairs: pd.DataFrame) -> WeatSets | str:
    """Return X, Y, A and B, or the reason why there are none.

    X and Y are the two groups, A and B the attribute sets that they are associated with.
    """
    stereotypes = pairs[pairs[CONNECTION].isin(STEREOTYPE_CONNECTIONS)]
    groups = list(dict.fromkeys(stereotypes[GROUP]))
    sets = list(dict.fromkeys(stereotypes[ATTRIBUTE_SET]))
    associated = stereotypes[stereotypes[CONNECTION] == "associated"]
    own = associated.groupby(GROUP, sort=False)[ATTRIBUTE_SET].unique()
    single = [str(names[0]) for names in own if len(names) == 1]
    if not len(groups) == len(sets) == len(set(single)) == 2 or len(own) != 2:
        return (
            f"needs two groups, each associated with one of two attribute sets; these pairs have "
            f"{len(groups)} groups and {len(sets)} sets"
        )
    (x, y), (a, b) = [str(name) for name in own.index], single

    def words(column: str, key: str, name: str) -> list[str]:
        return list(dict.fromkeys(stereotypes.loc[stereotypes[key] == name, column].map(str)))

    return WeatSets(
        {
            "X": words(PROTECTED_WORD, GROUP, x),
            "Y": words(PROTECTED_WORD, GROUP, y),
            "A": words(ATTRIBUTE, ATTRIBUTE_SET, a),
            "B": words(ATTRIBUTE, ATTRIBUTE_SET, b),
        },
        f"X {x}, Y {y}, A {a}, B {b}",
    )


def measures_section(pairs: pd.DataFrame, seed: int) -> Section:
    """Show the measures of one embedding."""
    results = measures_of(pairs, seed)
    sets = _names(pairs)
    rows = [
        {"measure": r.measure, "applies_to": _applies_to(r, sets), "value": r.value, "p": r.p_value}
        for r in results
        if r.value is not None
    ]
    columns = [
        Column("measure", "measure"),
        Column("applies_to", "applies to", "long"),
        Column("value", "value", "distance"),
        Column("p", "p", "p"),
    ]
    return _section(rows, columns, results)


def measures_change_section(pairs: pd.DataFrame, seed: int) -> Section:
    """Show the measures of both embeddings side by side."""
    before, after = (
        measures_of(pairs.assign(**{DISTANCE: pairs[side]}), seed) for side in (BEFORE, AFTER)
    )
    sets = _names(pairs)
    rows = [
        {
            "measure": b.measure,
            "applies_to": _applies_to(b, sets),
            "before": b.value,
            "after": a.value,
            "change": a.value - b.value,
            "p_before": b.p_value,
            "p_after": a.p_value,
        }
        for b, a in zip(before, after, strict=True)
        if a.value is not None and b.value is not None
    ]
    columns = [
        Column("measure", "measure"),
        Column("applies_to", "applies to", "long"),
        Column("before", "before", "distance"),
        Column("after", "after", "distance"),
        Column("change", "change", "signed"),
        Column("p_before", "p before", "p"),
        Column("p_after", "p after", "p"),
    ]
    return _section(rows, columns, [*before, *after])


def _section(
    rows: list[dict[str, Any]], columns: list[Column], results: list[MeasureResult]
) -> Section:
    frame = pd.DataFrame(rows, columns=[c.key for c in columns])
    # Columns of p-values that nothing has would be empty.
    shown = [c for c in columns if not c.key.startswith("p") or frame[c.key].notna().any()]
    parts: list[Part] = [Text(_CAVEATS)]
    if rows:
        frame = frame.astype(object).where(frame.notna(), None)
        parts.append(table(frame, "One-number measures", shown))
    said = [
        f"{r.measure} {READINGS[r.measure]}. Computed as {r.formula}."
        for r in results
        if r.value is not None
    ]
    said += [f"The p of {r.measure}: {r.p_method}." for r in results if r.p_value is not None]
    said += [f"{r.measure} is left out: {r.skipped}." for r in results if r.skipped]
    return Section("measures", "One-number measures", (*parts, Items(tuple(dict.fromkeys(said)))))


def _try(name: str, compute: Callable[[], MeasureResult]) -> MeasureResult:
    """Return the measure, or the record of why there is none."""
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", MissingWordsWarning)
            return compute()
    except BayesBiasError as error:
        return skipped_measure(name, str(error).rstrip("."))


def _names(pairs: pd.DataFrame) -> str:
    sets = weat_sets(pairs)
    return "" if isinstance(sets, str) else sets.names


def _applies_to(result: MeasureResult, names: str) -> str:
    if result.measure == "WEAT":
        return names
    return ", ".join(f"{len(words)} {role}" for role, words in result.words.items())
