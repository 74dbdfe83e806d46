"""What several embeddings or times say, in sentences, which the terminal, JSON and the page quote.

Sizes are in standard deviations of a neutral pair's distance, which compare across embeddings.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import pandas as pd

from bayesbias.constants import EMBEDDING
from bayesbias.fits.contrasts import STANDARDISED
from bayesbias.fits.narrator import DIRECTIONS, sides
from bayesbias.fits.sentences import (
    CLOSER,
    EQUAL,
    Names,
    headline_of_lists,
    interval,
    lists_of_table,
    number,
)
from bayesbias.support.text_tables import counted, listed, probability

OF_FILES: Final = "files of distances"
"""What stands for the word list of tasks that have none."""

_MOST_SIZES: Final = 3
"""Numbers in a sentence, at most."""


def rank_sentence(ranks: pd.DataFrame, contrast: str, differences: pd.DataFrame | None) -> str:
    """Say which embedding ranks first, how probably, and from which of the others it differs.

    `ranks` and `differences` are tables of an `EmbeddingComparison`; without the latter the
    sentence ends with the rank.
    """
    rows = ranks[ranks["contrast"] == contrast]
    best = rows.loc[rows["rank_1"].idxmax()]
    chance = probability(best["rank_1"])
    said = f"By {contrast}, {best[EMBEDDING]} ranks first (probability {chance})"
    if differences is None:
        return f"{said}."
    mine = differences[differences["what"] == contrast]
    found: dict[str, list[str]] = {"differs from": [], "practically equals": [], "": []}
    for one, other, verdict in mine[["from", "to", "verdict"]].to_numpy().tolist():
        if best[EMBEDDING] in (one, other):
            state = verdict.partition(", ")[0]
            kind = "practically equals" if state == EQUAL else ""
            kind = "differs from" if state in DIRECTIONS else kind
            found[kind].append(other if one == best[EMBEDDING] else one)
    undecided = found.pop("")
    parts = [f"{verb} {_others(which, rows)}" for verb, which in found.items() if which]
    parts = [f"it {listed(parts)}"] if parts else []
    if undecided:
        are = "difference {} is" if len(undecided) == 1 else "differences {} are"
        parts.append(f"its {are} undecided".format(f"from {_others(undecided, rows)}"))
    return f"{said}; {listed(parts)}."


def _others(names: Sequence[str], ranks: pd.DataFrame) -> str:
    """Return names, or that they are all of the others."""
    return "the others" if 1 < len(names) == len(ranks) - 1 else listed(names)


def sizes_sentence(table: pd.DataFrame, contrast: str, where: str) -> str:
    """Say how large a contrast is in each embedding or at each time; `where` names the column."""
    first, second = sides(contrast)
    rows = table[table["contrast"] == contrast]
    state = rows["verdict"].str.partition(", ")[0]
    parts = []
    for direction in DIRECTIONS:
        found = rows[state == direction]
        sizes = [number(value) for value in found["standardised"]]
        if found.empty:
            continue
        if len(found) > _MOST_SIZES:
            least, *_, most = sorted(sizes, key=float)
            by = f"{least} to {most} sd in {listed(found[where].tolist())}"
        else:
            by = listed([f"{s} sd in {name}" for s, name in zip(sizes, found[where], strict=True)])
        parts.append(f"{first} words are {direction} by {by}")
    for verdict, said in (
        (EQUAL, f"{first} words are practically as close"),
        ("undecided", f"we cannot tell whether {first} words are closer"),
    ):
        if len(names := rows.loc[state == verdict, where].tolist()):
            parts.append(f"{said} in {listed(names)}")
    return f"Relative to {second} words, {'; '.join(parts)}."


def lists_sentences(lists: pd.DataFrame, names: Names) -> list[str]:
    """Say of each embedding who is closer to which list."""
    lists = lists.assign(mean=lists.get("standardised"), unit=" sd")
    return [
        f"{name}: {headline_of_lists(lists_of_table(rows, names), names)}"
        for name, rows in lists.groupby(EMBEDDING, sort=False)
    ]


def tasks_sentences(table: pd.DataFrame, failures: pd.DataFrame) -> list[str]:
    """Say of a sweep, list by list, in how many tasks the first contrast has which direction."""
    said = []
    failed = [f"{counted(len(failures), 'task')} failed."] if len(failures) else []
    if table.empty:
        return failed
    rows = standardised(table[table["table"] == "contrast"])
    for name, part in rows.groupby("wordlist", sort=False):
        of_first = part[part["what"] == part["what"].iloc[0]]
        state, n = of_first["verdict"].str.partition(", ")[0], len(of_first)
        first, second = sides(part["what"].iloc[0])
        parts = []
        for direction in DIRECTIONS:
            found = of_first.loc[state == direction, "standardised"].dropna()
            if len(found):
                sizes = sorted(map(number, found), key=float)
                by = " to ".join(dict.fromkeys((sizes[0], sizes[-1])))
                parts.append(f"{direction} in {len(found)} of {counted(n, 'task')}, by {by} sd")
        if equal := int((state == EQUAL).sum()):
            parts.append(f"practically as close in {equal}")
        clauses = [f"{first} words are {'; '.join(parts)}"] if parts else []
        if undecided := int((state == "undecided").sum()):
            which = f"{undecided} of {counted(n, 'task')}"
            clauses.append(f"in {which} we cannot tell whether {first} words are closer")
        lowest = of_first.dropna(subset="standardised").nsmallest(1, "standardised")
        more = "".join(f" The lowest is {task_name(row)}." for row in lowest.to_dict("records"))
        what = f"relative to {second} words, {'; '.join(clauses)}.{more * (n > 1)}"
        said.append(f"{name or OF_FILES}: {what}")
    said += failed
    if doubtful := int((~table["trusted"].astype(bool)).groupby(_keys(table)).any().sum()):
        said.append(f"{counted(doubtful, 'task')} are not to be trusted: see pareto_k and notes.")
    return said


def standardised(tasks: pd.DataFrame) -> pd.DataFrame:
    """Return rows of a sweep with what they are in standard deviations of a neutral pair."""
    columns, scale = zip(STANDARDISED, ("mean", "low", "high"), strict=True), tasks["scale"]
    return tasks.assign(**{name: tasks[of] / scale.where(scale > 0) for name, of in columns})


def _keys(table: pd.DataFrame) -> list["pd.Series[str]"]:
    return [table[column] for column in ("source", "step", "wordlist", "model")]


def task_name(row: Mapping[Any, Any]) -> str:
    """Name a task by what tells it from others of its list."""
    named = (str(row[column]) for column in ("source", "step", "model"))
    return ", ".join(name for name in named if name not in ("", "none"))


def line_sentence(row: Mapping[Any, Any], times: Sequence[str], label: str) -> str:
    """Say how far a contrast went along its line; `row`: of `OverTime.trend`."""
    first, second = sides(row["contrast"])
    state, _, size = row["verdict"].partition(", ")
    during = f"From {times[0]} to {times[-1]}"
    ends = interval(row["standardised_low"], row["standardised_high"])
    if state in DIRECTIONS:
        went = "came closer" if state == CLOSER else "moved away"
        more = {
            "practically equal": ", so little that it counts as practically none",
            "size undecided": ", perhaps by too little to matter",
        }.get(size, "")
        by = f"by {number(row['standardised'])} sd ({label} {ends}){more}"
        return f"{during} {first} words {went} relative to {second} words, {by}."
    if state == EQUAL:
        return f"{during} {first} − {second} practically stayed ({label} {ends}, in sd)."
    return f"{during} we cannot tell whether {first} − {second} moved ({label} {ends}, in sd)."


def steps_sentence(steps: pd.DataFrame, contrast: str) -> str:
    """Say which steps of a contrast have a direction."""
    rows = steps[steps["contrast"] == contrast]
    state = rows["verdict"].str.partition(", ")[0]
    parts = [
        f"{direction} from {listed([f'{row[0]} to {row[1]}' for row in found])}"
        for direction in DIRECTIONS
        if (found := rows.loc[state == direction, ["from", "to"]].to_numpy().tolist())
    ]
    n = counted(len(rows), "step")
    return f"Of {n}, {'; '.join(parts)}." if parts else f"Of {n}, none has a direction."
