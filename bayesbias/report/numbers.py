"""The one-number measures that pairs alone allow, each with what it can and cannot say."""

import warnings
from collections.abc import Sequence

import pandas as pd

from bayesbias.constants import AFTER, BEFORE, DISTANCE
from bayesbias.errors import BayesBiasError, MissingWordsWarning
from bayesbias.measures import MEASURES, MeasureResult, all_measures, mac
from bayesbias.measures.measure_result import skipped_measure
from bayesbias.report.page_parts import Items, PagePart, Section
from bayesbias.support.text_tables import Column, Table

_CAVEATS = (
    "These numbers average over words and do not measure uncertainty; the answer above "
    "rests on the posterior. They are here for comparison with other work."
)


def measures_of(pairs: pd.DataFrame, seed: int) -> list[MeasureResult]:
    """Return MAC and, for two groups with an attribute set each, WEAT."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MissingWordsWarning)
        return [_mac(pairs), *all_measures(pairs, names=("WEAT",), seed=seed)]


def _mac(pairs: pd.DataFrame) -> MeasureResult:
    """Return MAC of the pairs that are there; `all_measures` needs every pair of two sets."""
    try:
        return mac(pairs)
    except BayesBiasError as error:
        return skipped_measure("MAC", str(error).rstrip("."))


def measures_section(pairs: pd.DataFrame, seed: int) -> Section:
    """Show the measures of one embedding."""
    results = measures_of(pairs, seed)
    columns = [Column("value", form="distance"), Column("p", form="p")]
    return _section([(result,) for result in results], columns, results)


def measures_change_section(pairs: pd.DataFrame, seed: int) -> Section:
    """Show the measures of both embeddings side by side."""
    before, after = (
        measures_of(pairs.assign(**{DISTANCE: pairs[side]}), seed) for side in (BEFORE, AFTER)
    )
    columns = [
        *(Column(side, form="distance") for side in ("before", "after")),
        Column("change", form="signed"),
        *(Column(side, form="p") for side in ("p_before", "p_after")),
    ]
    return _section([*zip(before, after, strict=True)], columns, [*before, *after])


def _section(
    found: Sequence[tuple[MeasureResult, ...]], columns: list[Column], results: list[MeasureResult]
) -> Section:
    """Show measures, each of one embedding or of two."""
    rows = []
    for sides in found:
        values = [side.value for side in sides if side.value is not None]
        if len(values) == len(sides):
            change = [values[1] - values[0]] if len(values) > 1 else []
            row = [sides[0].measure, _of(sides[0]), *values, *change, *(s.p_value for s in sides)]
            rows.append(row)
    columns = [Column("measure"), Column("applies_to", form="long"), *columns]
    frame = pd.DataFrame(rows, columns=[c.key for c in columns])
    # Columns of p-values that nothing has would be empty.
    shown = [c for c in columns if not c.keys[0].startswith("p") or frame[c.key].notna().any()]
    parts: list[PagePart] = [_CAVEATS]
    if rows:
        parts.append(Table(frame, shown, "One-number measures"))
    said = [
        f"{r.measure} {MEASURES[r.measure].reading}. Computed as {r.formula}."
        for r in results
        if r.value is not None
    ]
    said += [f"The p of {r.measure}: {r.p_method}." for r in results if r.p_value is not None]
    said += [f"{r.measure} is left out: {r.skipped}." for r in results if r.skipped]
    return Section("measures", "One-number measures", (*parts, Items(tuple(dict.fromkeys(said)))))


def _of(result: MeasureResult) -> str:
    names = result.details.get("names")
    if names:
        return ", ".join(f"{role} {name}" for role, name in names.items())
    return ", ".join(f"{len(words)} {role}" for role, words in result.words.items())
