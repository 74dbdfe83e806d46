"""What is seen first of a change: the finding, before and after, what it means, how sure it is.

As `fits.first_screen` has it of a fit: no line needs the manual. `change` is a `Change`.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

import pandas as pd

from bayesbias.constants import CONNECTION, PROTECTED_WORD, RUN
from bayesbias.fits import first_screen
from bayesbias.fits.contrasts import decisions_table
from bayesbias.fits.sentences import Names, interval, sentence, towards
from bayesbias.inference.decision import DecisionRule
from bayesbias.inference.diagnostics import PARETO_K_LIMIT
from bayesbias.pairs.provenance import source_of
from bayesbias.studies import change_sentences
from bayesbias.studies.change_sentences import ChangeOfList, tell
from bayesbias.studies.left import left_table
from bayesbias.support.text_tables import (
    HOW_SURE,
    MEANING,
    Blocks,
    Column,
    Table,
    bullets,
    counted,
    percent,
    with_true_minus,
)


def finding(change: Any, then: str = "") -> Blocks:
    """Return the headline and what to do next, before and after in lines, and what they mean."""
    head: list[str | Table] = [one for one in (change.headline, sides(change), then) if one]
    said = [*head, ""] if head else []
    if (lines := lines_table(change)) is not None:
        said += [replace(lines, caption=""), ""]
    elif change.lines:
        said += [*bullets(change.lines), ""]
    about = [] if lines is None else [first_screen.tell("difference", lines.caption)]
    return [*said, MEANING, *bullets([*about, *meanings(change)])]


def sides(change: Any) -> str:
    """Say which file is which; "" where that is not known, or nothing is said first."""
    names = side_names(source_of(change.pairs))
    return tell("sides", *names) if names and change.headline else ""


def side_names(source: Mapping[str, Any]) -> list[str]:
    """Return what both sides are called, by their embeddings or files; [] if one is not known."""
    both = [source.get(side, {}) for side in ("before", "after")]
    names = [side.get("embedding") or side.get("file") or "" for side in both]
    return names if all(names) else []


def screen(change: Any, found: Blocks) -> Blocks:
    """Return all that is shown of a change, after its `finding` or what stands for it."""
    return [*found, "", *details(change), "", *how_sure(change)]


def lines_table(change: Any) -> Table | None:
    """Return before and after on every list, with what they are of; None where no list is asked."""
    if not (found := change.of_lists):
        return None
    n_groups = max(sum(map(len, change.names.sides(one.name))) for one in found)
    lines = lines_of(found, change.names, change.rule, next(change.left.itertuples()))
    return replace(lines, caption=first_screen.tell("of_lists", n_groups))


def meanings(change: Any) -> list[str]:
    """Return what the finding means, and what closer is."""
    return [*change.meanings, tell("closer", f"{change.rule.width:.2g}")]


def lines_of(
    found: Sequence[ChangeOfList], names: Names, rule: DecisionRule, average: Any = None
) -> Table:
    """Return the lines of each list: the difference before and after, and what is left of it.

    `average`: the row of `Change.left` over all groups, which two lists and more end with.
    """
    rows = [
        (names.together(names.sides(one.name)[0]), names.set_title[one.name], one.row, one.zero)
        for one in found
    ]
    if average is not None and len(found) > 1:
        zero = all(one.zero for one in found)
        rows.append(("on average", "their own attribute lists", average, zero))
    return table_of_lines(Column("who", "words"), rows, rule.prob)


def table_of_lines(first: Column, rows: Iterable[tuple[str, str, Any, bool]], prob: float) -> Table:
    """Return two lines of each difference, before and after, with what is left of it.

    `rows`: what stands in the `first` column, to which list, a row of `Change.left`, and whether it
    is 0 by construction after; `prob`: of the intervals.
    """
    lines = []
    for name, what, row, zero in rows:
        left = "not known"
        if not row.reason:
            left = with_true_minus(f"{row.left:z.0%} ({row.left_low:z.0%} to {row.left_high:z.0%})")
        after = ("0 by construction", "") if zero else _ends(row, "after")
        lines += [(name, what, "before", *_ends(row, "before"), "")]
        lines += [("", "", "after", *after, left)]
    heads = ("to", " ", "in cosine distance", f"{percent(prob)} interval", "remains")
    columns = [first, *map(Column, _LINE_KEYS, heads)]
    return Table(pd.DataFrame(lines, columns=[*first.keys, *_LINE_KEYS]), columns)


_LINE_KEYS: Final = ("what", "when", "size", "interval", "left")


def _ends(row: object, side: str) -> tuple[str, str]:
    """Return a difference and its interval; one without a direction is not known."""
    mean, low, high = (getattr(row, f"{side}{end}") for end in ("", "_low", "_high"))
    ends = interval(low, high)
    if low < 0.0 < high:
        return "cannot tell", ends
    return towards(mean), ends.rpartition(" ")[0]


def how_sure(change: Any) -> Blocks:
    """Say how often changes are found by chance, whether both sides go together, the checks."""
    rate = change_sentences.known_rate(change.fit.spec.name, change.rule.prob)
    checks = [change.fit.diagnostics.sentence, *change.fit.notes]
    said = [rate, *filter(None, [change.origin]), *checks, *change.captions]
    return [HOW_SURE, *bullets(said)]


def details(change: Any) -> Blocks:
    """Return what is left of each group, and the verdicts on the changes."""
    pairs = change.pairs
    data = {
        "pairs": counted(len(pairs), "pair"),
        "words": counted(pairs[PROTECTED_WORD].nunique(), "protected word"),
        "runs": counted(pairs[RUN].nunique(), "training run") if RUN in pairs else "",
        "unpaired": counted(len(change.unpaired), "pair"),
    }
    blocks: list[str | Table] = [tell("data", **data), ""]
    if len(change.left):
        heading = f"{change.left_heading}, {change.rule.label}:"
        blocks += [heading, "", left_table(change.left, change.names), ""]
        if (k := change.left["pareto_k"].iloc[0]) > PARETO_K_LIMIT:
            blocks += [tell("bad_left", f"{k:.2f}"), ""]
    if len(change.contrasts):
        table = decisions_table(change.contrasts.drop(columns="listed"), ["contrast"])
        blocks += ["Contrasts before, after, and their modelled change:", "", table, ""]
    if change.by_factor is not None:
        blocks += ["Changes by factor of crossed groups:", "", *change.by_factor.blocks[:-1], ""]
    return [
        *blocks,
        "Change per connection, after minus before:",
        "",
        decisions_table(change.table, [CONNECTION]),
        *(sentence(change_sentences.unmoved_one(row)) for row in change.unmoved.itertuples()),
    ]
