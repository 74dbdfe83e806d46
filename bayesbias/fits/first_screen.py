"""What is seen first of a fit: the finding, a line a list or group, what it means, how sure it is.

Terminal, `repr` and page show the same; ``first_screen.jinja`` has the texts. No line needs the
manual: what a column is called is explained below it.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, Final

import numpy as np
import pandas as pd

from bayesbias.constants import (
    ATTRIBUTE,
    ATTRIBUTE_SET,
    CONNECTION,
    GROUP,
    PROTECTED_WORD,
    STEREOTYPE_CONNECTIONS,
)
from bayesbias.fits.narrator import Answers, sides
from bayesbias.fits.sentences import (
    DIRECTIONS,
    SAME,
    UNDECIDED,
    edge_clause,
    groups_of,
    interval,
    number,
    share,
    towards,
)
from bayesbias.inference.decision import DecisionRule, scale_in_words
from bayesbias.inference.diagnostics import Diagnostics
from bayesbias.pairs.coverage import coverage_of_lists, few_words, missing_sentence
from bayesbias.pairs.provenance import source_of
from bayesbias.pairs.reference import without_reference
from bayesbias.support.text_tables import (
    MEANING,
    Blocks,
    Column,
    Columns,
    Table,
    bullets,
    counted,
    percent,
)
from bayesbias.support.wording import Wording

tell: Final = Wording("bayesbias.fits", "first_screen.jinja")

_NAMED: Final = 2
"""Words of a group that are named."""

_KINDS: Final = {"hpdi": "", "eti": "equal-tailed"}


@dataclass(frozen=True)
class FirstScreen:
    """The finding of a fit, its lines, what they are of, and what they mean, bullet by bullet.

    `caution`: what the finding must not be read without; "" where that is nothing. `state`: clear,
    weak (with a caution), common (the one caution: unrelated groups often differ as much), or
    undecided. `few`: lists of which few words are in the vectors, with how many.
    """

    headline: str
    caution: str
    heading: str
    lines: Table
    meaning: tuple[str, ...]
    state: str
    few: tuple[str, ...]

    def blocks(self, then: str) -> Blocks:
        """Return all of it, to be shown; `then`: what to do next, a sentence of ``next.jinja``."""
        head = filter(None, (self.headline, self.caution, then))
        said = bullets([tell("difference", self.heading), *self.meaning])
        return [*head, "", self.lines, "", MEANING, *said, ""]


@dataclass(frozen=True)
class _Line:
    """A line: who, to what, and the row of the table with the difference."""

    who: str
    what: str
    state: str
    row: Any

    @property
    def chance(self) -> float:
        """How often unrelated groups differ as much; NaN where that is not known."""
        return float(getattr(self.row, "chance", np.nan))


def first_screen(answers: Answers, frame: pd.DataFrame, rule: DecisionRule) -> FirstScreen:
    """Return what is seen first; `rule` on the scale of the fit."""
    heading, what, lines = _lines(answers)
    meaning = tuple(_meaning(answers, lines, frame, rule))
    told = _told(answers, lines)
    cautions = [*_caution(told, rule), *_few(answers, frame)]
    # More words make an interval narrower, and leave as it is how often unrelated groups differ.
    settled = len(cautions) == 1 and _often(told, rule) and not _small(told)
    table = _table(lines, what, rule)
    known = any(line.state != UNDECIDED for line in lines)
    state = "undecided" if not known else "common" if settled else "weak" if cautions else "clear"
    titles = {"protected": answers.names.title, "attribute": answers.names.set_title}
    few = tuple(
        tell("few_words", row.found, row.found + row.missing, titles[row.role][row.list])
        for row in few_words(coverage_of_lists(frame)).itertuples()
    )
    return FirstScreen(answers.headline, " ".join(cautions), heading, table, meaning, state, few)


def _told(answers: Answers, lines: list[_Line]) -> list[_Line]:
    """Return the lines with a direction; where none has one, the average over groups if it has."""
    if decided := [line for line in lines if line.state in DIRECTIONS]:
        return decided
    row = next(answers.whole.table.itertuples())
    average = [_Line("", "", _state(row), row)] if len(answers.of_lists) > 1 else []
    return [line for line in average if line.state in DIRECTIONS]


def _caution(told: list[_Line], rule: DecisionRule) -> Iterator[str]:
    """Say where unrelated groups often differ as much, and where a size is not clear."""
    often, small = _often(told, rule), _small(told)
    if often or small:
        yield tell("caution", often, f"{rule.width:.2g}" if small else "", percent(rule.prob))


def _often(told: list[_Line], rule: DecisionRule) -> list[str]:
    """Return the chances of the lines as far from zero as unrelated groups often are."""
    return [share(line.chance) for line in told if line.chance > 1.0 - rule.prob]


def _small(told: list[_Line]) -> bool:
    """Tell whether the size of a decided line is not clear."""
    return any(line.row.verdict.endswith("size undecided") for line in told)


def _few(answers: Answers, frame: pd.DataFrame) -> Iterator[str]:
    """Say which lists have a single attribute, which stands for no others."""
    pairs = without_reference(frame)
    stereotypes = pairs[pairs[CONNECTION].isin(STEREOTYPE_CONNECTIONS)]
    counts = stereotypes.groupby(ATTRIBUTE_SET, sort=False)[ATTRIBUTE].nunique()
    if single := [answers.names.set_title[name] for name in counts.index[counts == 1]]:
        yield tell("few", single)


def _lines(answers: Answers) -> tuple[str, str, list[_Line]]:
    """Return a line for every list, else for every group, else for every contrast.

    Before them a heading, and what the column says that has their lists.
    """
    names = answers.names
    if found := answers.of_lists:
        lines = [
            _Line(names.together(one.own), names.set_title[one.name], one.state, one.row)
            for one in found
        ]
        return tell("of_lists", len(groups_of(found, names))), "to", lines
    if (groups := answers.of_groups) is not None:
        lines = [
            _Line(names.title[row.group], names.sets(names.own[row.group]), _state(row), row)
            for row in groups.itertuples()
        ]
        return tell("of_groups"), "to its own", lines
    lines = []
    for row in answers.whole.table.itertuples():
        first, second = sides(row.contrast)
        lines.append(_Line(f"{first} words", f"{second} words", _state(row), row))
    return tell("of_connections"), "than", lines


def _state(row: Any) -> str:
    return str(row.verdict).partition(", ")[0]


def _ends(row: Any, state: str) -> str:
    """Write an interval; of a difference with a direction without naming it again."""
    if state in DIRECTIONS and row.verdict != state:  # the size is not clear: one end is near 0
        near, far = sorted((abs(row.low), abs(row.high)))
        return tell("ends", f"{near:.3f}" if near >= 0.0005 else "", number(far))
    ends = interval(row.low, row.high)
    return ends.removesuffix(f" {state}") if state in DIRECTIONS else ends


def _table(lines: list[_Line], what: str, rule: DecisionRule) -> Table:
    """Return the lines as a table; a difference with a direction names it once."""
    rows = []
    for line in lines:
        ends = _ends(line.row, line.state)
        size = tell("size", line.state, towards(line.row.mean))
        known = line.state in DIRECTIONS and not np.isnan(line.chance)  # of a size that is named
        chance = tell("unrelated", share(line.chance)) if known else ""
        rows.append((line.who, size, line.what, ends, chance))
    frame = pd.DataFrame(rows, columns=["who", "size", "what", "interval", "chance"])
    columns: Columns = [
        Column("who", "words"),
        Column("size", "in cosine distance"),
        Column("what", what),
        Column("interval", f"{percent(rule.prob)} interval"),
        *([Column("chance", "unrelated groups of words")] if (frame["chance"] != "").any() else []),
    ]
    return Table(frame, columns)


def _meaning(
    answers: Answers, lines: list[_Line], frame: pd.DataFrame, rule: DecisionRule
) -> Iterator[str]:
    """Say who was compared, what the columns are, and what a difference is not."""
    yield _compared(frame, only_listed=answers.whole.only_listed)
    if not answers.of_lists and answers.of_groups is None:
        yield tell("connections")
    elif not answers.of_lists and not answers.whole.groups.n_reference:
        yield tell("no_reference")
    yield tell("closer")
    decided = [line for line in lines if line.state in DIRECTIONS]
    yield from _sizes(decided, rule)
    if any(line.state == SAME for line in lines):
        yield tell("same")
    yield tell("interval", percent(rule.prob), _KINDS[rule.interval])
    if any(not np.isnan(line.chance) for line in decided) or _often(_told(answers, lines), rule):
        yield tell("chance", bool(answers.of_lists and decided))
    for line in lines:
        if line.state != SAME and line.row.on_edge:
            which = f"{line.who[0].upper()}{line.who[1:]}, {line.what}"
            yield tell("on_edge", which, edge_clause(line.row))
    if len(lines) > 1 and (answers.of_lists or answers.of_groups is not None):
        row = next(answers.whole.table.itertuples())
        ends = f"{percent(rule.prob)} interval {_ends(row, _state(row))}"
        yield tell("together", _state(row), towards(row.mean), ends)
    yield tell("not_harm")


def _sizes(decided: list[_Line], rule: DecisionRule) -> Iterator[str]:
    """Say how large the first difference with a direction is, and what is too small to matter."""
    for line in decided[:1]:
        if not np.isnan(sds := abs(line.row.standardised)):
            rope = f"{rule.width:.2g}" if rule.width else ""
            yield tell("sds", number(line.row.mean), f"{sds:.1f}", scale_in_words(rule.scale), rope)


def _compared(frame: pd.DataFrame, *, only_listed: bool) -> str:
    """Say how many words are compared with how many attributes, which for example, and where."""
    pairs = without_reference(frame)
    stereotypes = pairs[pairs[CONNECTION].isin(STEREOTYPE_CONNECTIONS)]
    words, named = _some(pairs, GROUP, PROTECTED_WORD, "word")
    attributes, which = _some(stereotypes, ATTRIBUTE_SET, ATTRIBUTE, "attribute")
    where = source_of(frame).get("embedding", "")
    return tell("compared", words, named, attributes, which, where, only_listed)


def _some(pairs: pd.DataFrame, key: str, column: str, noun: str) -> tuple[str, str]:
    """Count the words of a column, and name the first ones of each list."""
    words = pairs[[key, column]].drop_duplicates(column)
    some = words.groupby(key, sort=False)[column].head(_NAMED)[: 3 * _NAMED]
    more = "" if len(some) == len(words) else ", …"
    return counted(len(words), noun), f"{', '.join(map(str, some))}{more}"


def data_and_checks(
    frame: pd.DataFrame, coverage: pd.DataFrame, diagnostics: Diagnostics
) -> tuple[str, str]:
    """Say how many pairs there are and what is missing, and whether to rely on the draws."""
    pairs = without_reference(frame)
    shares = [
        (f"{row.inside:.1%}", percent(row.prob))
        for row in coverage[coverage[CONNECTION] == "all"].itertuples()
    ]
    data = tell("data", counted(len(pairs), "pair"), missing_sentence(frame))
    return data, tell("checks", diagnostics.sentence, shares)
