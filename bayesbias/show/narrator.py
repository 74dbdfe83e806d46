"""The finding in sentences: one headline, its yardstick, and what a reader must know beside them.

Terminal, notebook, page and JSON quote the same sentences. They are made from a frame of contrasts
(`fits.contrasts`) and the titles of its word list, and claim no more than the frame does. A
headline names the groups or lists with a direction, and has one number with its interval.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import pandas as pd

from bayesbias.constants import CONTROL_CONNECTIONS, GROUP

DIRECTIONS: Final = ("closer", "farther")

NOT_TOLD: Final = "cannot be told"


@dataclass(frozen=True)
class Names:
    """What sentences call the groups and attribute lists of a word list.

    A name without a title is quoted, to be right English: "woman" need not be a plural. `owned`:
    the lists that belong to some group.
    """

    titles: Mapping[str, str]
    groups: tuple[str, ...]
    lists: tuple[str, ...]
    owned: tuple[str, ...] = ()

    def group(self, names: str) -> str:
        """Return the title of groups, named as in a frame of contrasts."""
        titles = [self.titles.get(name) or f"words of {name!r}" for name in names.split(", ")]
        return joined(titles)

    def list(self, name: str) -> str:
        """Return the title of an attribute list."""
        return self.titles.get(name) or f"the list {name!r}"

    def own(self, lists: Sequence[str]) -> str:
        """Return what several lists are of, if their titles begin alike: occupations, or such."""
        nouns = {self.titles.get(name, "").partition(" ")[0] for name in lists}
        noun = nouns.pop() if len(nouns) == 1 else ""
        return noun if noun and noun.islower() else "attributes"


def joined(parts: Sequence[str]) -> str:
    """Join texts as a sentence does."""
    if len(parts) < 2:
        return "".join(parts)
    return f"{', '.join(parts[:-1])} and {parts[-1]}"


def capitalised(text: str) -> str:
    """Return a text with a capital letter first."""
    return text[:1].upper() + text[1:]


def number(value: float) -> str:
    """Write a distance as sentences have it: two decimals, up to four where two would be 0."""
    texts = [f"{abs(value):.{digits}f}" for digits in (2, 3, 4)]
    return next(filter(float, texts), texts[0])


def signed(value: float, digits: int = 3) -> str:
    """Write a difference with its sign, a true minus."""
    return f"{value:+.{digits}f}".replace("-", "−")


def percent(share: float) -> str:
    """Write a share in percent, with a decimal below 10%."""
    return f"{100 * share:.1f}%" if share < 0.0995 else f"{100 * share:.0f}%"


def interval(row: Any, label: str, closer: str = "is closer") -> str:
    """Write an interval as how large a difference is in its direction; else with signs.

    `closer`: what a number below 0 says.
    """
    if row.direction in DIRECTIONS:
        near, far = sorted((abs(row.low), abs(row.high)))
        return f"{label} {number(near)} to {number(far)}"
    return f"{label} {signed(row.low, 2)} to {signed(row.high, 2)}, below 0 {closer}"


def _size(row: Any, label: str, closer: str = "is closer") -> str:
    """Write a difference with its interval: without signs where it has a direction."""
    text = number(row["mean"]) if row.direction in DIRECTIONS else signed(row["mean"], 2)
    equal = ", too small to matter" if row["size"] == "practically equal" else ""
    return f"{text} ({interval(row, label, closer)}){equal}"


def leading_row(table: pd.DataFrame) -> pd.Series | None:
    """Return the contrast that leads: the first that is not withheld, by the design's level.

    Over all where lists belong to groups; else by list, the largest first; else, where groups
    cannot be compared, by group, or against the controls, neutral ones first.
    """
    answered = table[table["withheld"] == ""]
    within = () if (table["level"] == "over all").any() else ("group", "controls")
    for level in ("over all", "list", *within):
        rows = answered[answered["level"] == level]
        if level == "controls":
            rows = rows[rows["contrast"].str.startswith("associated")][::-1]
        if len(rows):
            order = rows["standardised"].abs() if level == "list" else rows["level"]
            return rows.loc[order.idxmax() if level == "list" else rows.index[0]]
    return None


def headline(table: pd.DataFrame, names: Names, label: str) -> str:
    """Say the finding in one sentence; `label`: of the interval, such as 89% HPDI."""
    row = leading_row(table)
    if row is None:
        return _withheld(table)
    writers = {
        "over all": _over_all,
        "list": _of_list,
        "group": _of_group,
        "controls": _of_controls,
    }
    return writers[str(row.level)](row, table, names, label)


def _withheld(table: pd.DataFrame) -> str:
    """Say what was observed where nothing can be generalised."""
    if table.empty:
        return "There is nothing to compare: the pairs have one connection and one group."
    withheld = table[table["withheld"] != ""]
    if withheld.empty:
        return "Only controls can be compared; to compare lists of your own, name a second group."
    row = next(withheld.itertuples())
    return f"Observed: {row.contrast} {signed(row.observed)}. {capitalised(row.withheld)}."


def _of_owners(table: pd.DataFrame, names: Names) -> pd.DataFrame:
    """Return the rows that a contrast over all is the mean of."""
    return table[(table["level"] == "list") & table["list"].isin(names.owned)]


def _over_all(row: Any, table: pd.DataFrame, names: Names, label: str) -> str:
    rows = _of_owners(table, names)
    owners, own = rows[GROUP].unique(), names.own(rows["list"].unique())
    each, its, others = "On average a group is", "its", "the others are"
    if len(owners) == 1:
        each, its = f"{capitalised(names.group(owners[0]))} are", "their"
        others = f"{names.group(rows['other'].iloc[0])} are"
    elif len(names.groups) == 2:
        others = "the other is"
    if row.direction in DIRECTIONS:
        way = "closer to" if row.direction == "closer" else "farther from"
        return f"{each} {way} {its} own {own} than {others}, by {_size(row, label)}."
    if row["size"] == "practically equal":
        return f"Groups are practically equally close to their own {own} ({interval(row, label)})."
    return (
        f"Whether on average a group is closer to its own {own} than {others} {NOT_TOLD}: "
        f"{_size(row, label)}."
    )


def _of_list(row: Any, table: pd.DataFrame, names: Names, label: str) -> str:
    pairs = table[(table["level"] == "list") & (table["withheld"] == "")]
    first, second = names.group(row.group), names.group(row.other)
    size = _size(row, label, f"{first} are closer")
    n = int(pairs["direction"].isin(DIRECTIONS).sum())
    if row.direction == "undecided":
        return (
            f"Which groups are closer to which list {NOT_TOLD}. The largest difference, {first} "
            f"minus {second} on {names.list(row.list)}, is {size}."
        )
    if row.direction == "farther":
        first, second = second, first
    sentence = f"{capitalised(first)} are closer than {second} to {names.list(row.list)}, by {size}"
    what = "comparisons on a list" if len(set(pairs["list"])) > 1 else "pairs of groups"
    more = f"; {n} of {len(pairs)} {what} have a direction"
    more = f"; these groups differ on {n} of {len(pairs)} lists" if len(names.groups) == 2 else more
    return f"{sentence}{more if len(pairs) > 1 else ''}."


def _of_group(row: Any, table: pd.DataFrame, names: Names, label: str) -> str:
    who = capitalised(names.group(row.group))
    size = _size(row, label)
    if row.direction == "undecided":
        return f"Whether {names.group(row.group)} are closer to their own lists {NOT_TOLD}: {size}."
    to = "closer to their own lists than to" if row.direction == "closer" else "closer to"
    lists = "the others" if row.direction == "closer" else "the other lists than to their own"
    caveat = "which may be true of every group: add one to compare with"
    return f"{who} are {to} {lists}, by {size}, {caveat}."


def _of_controls(row: Any, table: pd.DataFrame, names: Names, label: str) -> str:
    _, _, second = row.contrast.partition(" − ")
    who = capitalised(joined([names.group(name) for name in names.groups]))
    size = _size(row, label)
    stereotypes = [name for name in names.lists if name not in CONTROL_CONNECTIONS]
    one_list = len(stereotypes) == 1 and len(names.groups) == 1
    own = names.list(stereotypes[0]) if one_list else "their own attributes"
    if row.direction == "undecided":
        return (
            f"Whether these groups are closer to {own} than to {second} words {NOT_TOLD}: {size}."
        )
    way = "closer to" if row.direction == "closer" else "farther from"
    than = "than to" if row.direction == "closer" else "than from"
    return f"{who} are {way} {own} {than} {second} words, by {size}."


def yardstick(table: pd.DataFrame, *, has_covariates: bool = False) -> str:
    """Say how many random groups of words differ as much; "" where none were drawn."""
    row = leading_row(table)
    if row is None or row.random_groups != row.random_groups:
        return ""
    n = int(((table["level"] == "list") & (table["withheld"] == "")).sum())
    chosen = f" as this, the largest of {n} differences" if row.level == "list" and n > 1 else ""
    before, share = "Without covariates, " * has_covariates, percent(row.random_groups)
    return f"{before}{share} of random word groups in these vectors differ as much{chosen}."


def by_list(table: pd.DataFrame, names: Names) -> str:
    """Say for which lists alone the finding over all can be told, where it is not for each."""
    row, rows = leading_row(table), _of_owners(table, names)
    if row is None or row.level != "over all" or row.direction not in DIRECTIONS or len(rows) < 2:
        return ""
    ways = row.direction, *(set(DIRECTIONS) - {row.direction}), "undecided"
    same, opposite, others = (
        joined([names.list(n) for n in dict.fromkeys(rows["list"][rows["direction"] == way])])
        for way in ways
    )
    if not same and not opposite:
        return "No list by itself tells a direction."
    parts = [f"for {same}"] * bool(same) + [f"the other way round for {opposite}"] * bool(opposite)
    parts += [f"not for {others}"] * bool(others)
    return f"List by list a direction can be told {', '.join(parts)}." if parts[1:] else ""


def closer_to_everything(table: pd.DataFrame, names: Names) -> str:
    """Say that a group is closer to every list, its own and others', where that is so."""
    rows = table[(table["level"] == "list") & (table["withheld"] == "")]
    if len(rows) < 2 or not rows["direction"].isin(DIRECTIONS).all():
        return ""
    owners = set(rows[GROUP].where(rows["list"].isin(names.owned), ""))
    if len(names.groups) != 2 or (len(owners) == 1 and "" not in owners):  # only its own lists
        return ""
    closer = {row.group if row.direction == "closer" else row.other for row in rows.itertuples()}
    if len(closer) > 1:
        return ""
    who = capitalised(names.group(closer.pop()))
    return (
        f"{who} are closer to every list, so that part of this may be no association (frequency, "
        f"kin): covariates= can tell."
    )


def tally(table: pd.DataFrame, names: Names, level: str) -> str:
    """Say how many contrasts of a level are closer or farther; of words, by group."""

    def of(rows: pd.DataFrame, what: str, closer: str = "") -> str:
        n = {way: int((rows["direction"] == way).sum()) for way in DIRECTIONS}
        more = f"{', ' if closer else ' ('}{n['farther']} farther{'' if closer else ')'}"
        return f"{n['closer']} of {len(rows)} {what}{closer}{more if n['farther'] else ''}"

    if level == "word":
        groups = table.groupby(GROUP, sort=False)
        parts = [of(part, names.group(str(group))) for group, part in groups]
        return f"Closer to their own lists than to others: {', '.join(parts[:4])}."
    what = {"list": "comparisons on a list", "group": "groups"}.get(level, "contrasts")
    return f"{of(table, what, ' are closer')}."
