"""What several embeddings or times say, in sentences, which the terminal, JSON and the page quote.

``several.jinja`` has the templates. Sizes are in standard deviations of a neutral pair's distance,
which compare across embeddings.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import compress
from typing import Any, Final

import pandas as pd

from bayesbias.constants import ATTRIBUTE_SET, EMBEDDING
from bayesbias.fits import sentences
from bayesbias.fits.between_groups import ZERO
from bayesbias.fits.contrasts import STANDARDISED
from bayesbias.fits.narrator import sides
from bayesbias.fits.sentences import (
    DIRECTIONS,
    EQUAL,
    Names,
    headline_of_lists,
    interval,
    is_common,
    lists_of_table,
    number,
    sentence,
    towards,
)
from bayesbias.inference.decision import scale_in_words
from bayesbias.support.text_tables import counted, join_words, label_of, probability, quoted
from bayesbias.support.wording import Wording

tell: Final = Wording("bayesbias.studies", "several.jinja")

OF_FILES: Final = "files of distances"
"""What stands for the word list of tasks that have none."""

_MOST_TASKS: Final = 2
"""Tasks that a sentence names."""

_MOST_LEADS: Final = 2
"""Embeddings of which a sentence says how much weaker an association is."""

_MOST_COMMON: Final = 2
"""Rows that a sentence names, of those that are no more than chance."""

_MOST_SIZES: Final = 3
"""Numbers in a sentence, at most."""


def rank_sentence(
    ranks: pd.DataFrame, contrast: str, differences: pd.DataFrame | None, whose: str
) -> str:
    """Say where the contrast of `whose` words is lowest, how probably, and by how much.

    `ranks` and `differences` are tables of an `EmbeddingComparison`; without the latter the
    sentence ends with the rank.
    """
    rows = ranks[ranks["contrast"] == contrast]
    best = rows.loc[rows["rank_1"].idxmax()]
    known: dict[str, Any] = {"differs": None, "equals": None, "unknown": None}
    if differences is not None:
        leads = _leads(differences[differences["what"] == contrast], best[EMBEDDING])
        for kind, part in leads.groupby("kind"):
            known[str(kind)] = _said_of_leads(part, len(rows), label_of(differences))
    chance = probability(best["rank_1"])
    return sentence(tell("rank", whose, *sides(contrast), quoted(best[EMBEDDING]), chance, **known))


def _leads(differences: pd.DataFrame, best: str) -> pd.DataFrame:
    """Return how much closer words are in the best embedding than in each other one.

    Columns ``other``, ``kind``, ``unit``, ``mean``, ``low`` and ``high``: below 0 the best leads.
    """
    kinds = {EQUAL: "equals"} | dict.fromkeys(DIRECTIONS, "differs")
    found = []
    for row in differences.to_dict("records"):
        if best in (row["from"], row["to"]):
            sd = row["unit"] == "sd"
            mean, *ends = (row[c] for c in (STANDARDISED if sd else ("mean", "low", "high")))
            sign = 1.0 if best == row["to"] else -1.0  # rows are second minus first
            low, high = sorted(sign * end for end in ends)
            other = row["from"] if best == row["to"] else row["to"]
            kind = kinds.get(row["verdict"].partition(", ")[0], "unknown")
            found.append((other, kind, " sd" if sd else "", sign * mean, low, high))
    return pd.DataFrame(found, columns=["other", "kind", "unit", "mean", "low", "high"])


def _said_of_leads(leads: pd.DataFrame, n: int, label: str) -> dict[str, Any]:
    """Return the words for leads of one kind over some of n embeddings, and for the smallest."""
    nearest = leads.loc[leads["mean"].idxmax()]
    low, high = nearest["low"], nearest["high"]
    ends = f"{number(high)} to {number(low)}"
    if low < 0.0 < high:
        ends = f"{number(high)} stronger up to {number(low)} weaker"
    everywhere = 1 < len(leads) == n - 1
    each = [
        (
            quoted(row.other),
            f"{number(row.mean)}{row.unit}",
            f"{number(row.high)} to {number(row.low)}",
        )
        for row in leads.itertuples()
    ]
    return {
        "names": "the others" if everywhere else join_words([*map(quoted, leads["other"])]),
        "n": len(leads),
        "each": each if len(leads) <= _MOST_LEADS else [],
        "nearest": quoted(nearest["other"]),
        "by": f"{number(nearest['mean'])}{nearest['unit']}",
        "label": label,
        "ends": ends,
    }


def sizes_sentence(table: pd.DataFrame, contrast: str, where: str) -> str:
    """Say how large a contrast is in each embedding or at each time; `where` names the column."""
    rows = table[table["contrast"] == contrast]
    state = rows["verdict"].str.partition(", ")[0]
    parts = []
    for direction in DIRECTIONS:
        found = rows[state == direction]
        sizes = [number(value) for value in found["standardised"]]
        if len(found) > _MOST_SIZES:
            least, *_, most = sorted(sizes, key=float)
            sizes = [least, most]
        if len(found):
            parts.append((direction, sizes, [*map(quoted, found[where])]))
    equal, unknown = ([*map(quoted, rows.loc[state == s, where])] for s in (EQUAL, "undecided"))
    said = sentence(tell("sizes", *sides(contrast), parts, equal, unknown))
    return f"{said} {no_more(rows, [*map(quoted, rows[where])])}".strip()


def no_more(
    rows: pd.DataFrame, names: Sequence[str] = (), at: str = "in", *, changes: bool = False
) -> str:
    """Say of which rows with a direction unrelated groups often differ as much; "" of none.

    `names` has what each row is called; without it, and of many, rows are counted.
    """
    common = [is_common(row) for row in rows.itertuples()]
    n = sum(common)
    if not n:
        return ""
    n_known = int(rows["verdict"].str.startswith(DIRECTIONS).sum())
    named = [*compress(names, common)] if n <= _MOST_COMMON else []
    said = sentences.no_more(rows["chance"][common], changes=changes)
    return tell("no_more", n, n_known, at, named, said)


def lists_sentences(lists: pd.DataFrame, names: Names, column: str = EMBEDDING) -> list[str]:
    """Say of each embedding, or what else a column names, who is closer to which list."""
    lists = lists.assign(mean=lists.get("standardised"), unit=" sd")
    said = []
    for name, rows in lists.groupby(column, sort=False):
        headline = headline_of_lists(lists_of_table(rows, names), names)
        modelled = rows[~rows[ZERO].astype(bool)]  # what is 0 by construction is said to be equal
        titles = [names.set_title[one] for one in modelled[ATTRIBUTE_SET]]
        said.append(
            f"{column.capitalize()} {quoted(name)}: {headline} {no_more(modelled, titles, 'for')}"
        )
    return [one.strip() for one in said]


def tasks_sentences(table: pd.DataFrame, failures: pd.DataFrame) -> list[str]:
    """Say of a sweep, list by list, in how many tasks the first contrast has which direction."""
    said = []
    failed = [tell("failed", counted(len(failures), "task"))] if len(failures) else []
    if table.empty:
        return failed
    rows = standardised(table[table["table"] == "contrast"])
    lists = table[table["table"] == "list"]
    for name, part in rows.groupby("wordlist", sort=False):
        of_first = part[part["what"] == part["what"].iloc[0]]
        state, n = of_first["verdict"].str.partition(", ")[0], len(of_first)
        parts = []
        for direction in DIRECTIONS:
            found = of_first.loc[state == direction, "standardised"].dropna()
            if len(found):
                sizes = sorted(map(number, found), key=float)
                parts.append((direction, len(found), list(dict.fromkeys((sizes[0], sizes[-1])))))
        lowest = of_first.dropna(subset="standardised").nsmallest(1, "standardised")
        known = {"lowest": "", "by": "", "label": "", "ends": ""}
        for row in lowest.to_dict("records"):
            mean, low, high = (row[column] for column in STANDARDISED)
            size, direction = towards(mean).split(" ", 1)
            ends = interval(low, high)
            if n > 1 and not low < 0 < high:  # the size has said the direction
                ends = ends.removesuffix(f" {direction}")
            known = {
                "lowest": task_name(row) if n > 1 else "",
                "by": f"{size} sd {direction}",
                "label": label_of(lowest),
                "ends": ends.removesuffix(f" {direction}")
                if n > 1 and not low < 0 < high
                else ends,
            }
        values = {
            "tasks": counted(n, "task"),
            "parts": parts,
            "no_more": no_more(of_first),
            "equal": _counted_tasks(of_first[state == EQUAL]),
            "undecided": int((state == "undecided").sum()),
            **known,
        }
        where = f"Word list {quoted(name)}" if name else OF_FILES.capitalize()
        whose = _whose(lists.loc[lists["wordlist"] == name, "what"])
        said.append(tell("tasks", where, *whose, *sides(part["what"].iloc[0]), **values))
    if not set(rows["step"]) <= {"", "none"}:
        said.append(tell("no_test"))
    said += failed
    keys = [table[column] for column in ("source", "step", "wordlist", "model")]
    if doubtful := int((~table["trusted"].astype(bool)).groupby(keys).any().sum()):
        said.append(tell("doubtful", counted(doubtful, "task")))
    return said


def _counted_tasks(rows: pd.DataFrame) -> str:
    """Count tasks, and name a few; "" of none."""
    names = "; ".join(map(task_name, rows.to_dict("records")))
    few = f" ({names})" if len(rows) <= _MOST_TASKS else ""
    return f"{len(rows)}{few}" if len(rows) else ""


def _whose(rows: Iterable[str]) -> tuple[str, str]:
    """Say whose words rows such as "career: men − women" are about, and which lists are theirs."""
    own: dict[str, list[str]] = {}
    for name, _, of_groups in (what.rpartition(": ") for what in dict.fromkeys(rows)):
        own.setdefault(quoted(of_groups.partition(" − ")[0]), []).append(quoted(name))
    if not own:
        return "protected words", ""
    named = [(f"words of {group}", join_words(names)) for group, names in own.items()]
    return f"words of {join_words([*own])}", sentences.tell("own_lists", named, 0)


def what_sds_are(scales: Iterable[float], noun: str) -> str:
    """Say what an sd is, and how large, where what `noun` names is compared; "" without scales."""
    known = sorted(scale for scale in scales if scale > 0)
    sizes = list(dict.fromkeys(number(scale) for scale in known[:1] + known[-1:]))
    return tell("in_sds", noun, scale_in_words(known[0]), sizes) if known else ""


def standardised(tasks: pd.DataFrame) -> pd.DataFrame:
    """Return rows of a sweep with what they are in standard deviations of a neutral pair."""
    columns, scale = zip(STANDARDISED, ("mean", "low", "high"), strict=True), tasks["scale"]
    return tasks.assign(**{name: tasks[of] / scale.where(scale > 0) for name, of in columns})


def task_name(row: Mapping[Any, Any]) -> str:
    """Name a task by what tells it from others of its list."""
    named = (("", row["source"]), ("step ", row["step"]), ("model ", row["model"]))
    said = (f"{what}{quoted(name)}" for what, name in named if name)
    return ", ".join(said).replace('step "none"', "not debiased")


def line_sentence(
    row: Mapping[Any, Any], whose: str, times: Sequence[str], label: str, *, too_few: bool = False
) -> str:
    """Say how far a contrast of `whose` words went along its line; `row`: of `OverTime.trend`.

    `too_few`: whether to say that so few times tell no trend.
    """
    state, _, size = row["verdict"].partition(", ")
    ends = interval(row["standardised_low"], row["standardised_high"])
    ends = ends.removesuffix(f" {state}") if state in DIRECTIONS else ends
    words = {"state": state, "by": number(row["standardised"]), "size": size}
    words["too_few"] = too_few
    pair = sides(row["contrast"])
    said = tell("trend", whose, times[0], times[-1], *pair, **words, label=label, ends=ends)
    return f"{sentence(said)} {no_more(pd.DataFrame([row]), changes=True)}".strip()


def steps_sentence(steps: pd.DataFrame, contrast: str) -> str:
    """Say which steps of a contrast have a direction."""
    rows = steps[steps["contrast"] == contrast]
    state = rows["verdict"].str.partition(", ")[0]
    parts = [
        (direction, [f"{row[0]} to {row[1]}" for row in found])
        for direction in DIRECTIONS
        if (found := rows.loc[state == direction, ["from", "to"]].to_numpy().tolist())
    ]
    said = sentence(tell("steps", counted(len(rows), "step"), parts))
    names = [f"{row['from']} to {row['to']}" for row in rows.to_dict("records")]
    return f"{said} {no_more(rows, names, changes=True)}".strip()
