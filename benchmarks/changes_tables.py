"""The tables of what debiasing changed, and of how much is left."""

import re
from collections.abc import Callable
from functools import partial
from typing import Final

import pandas as pd
from page_tables import Rows, number, short, verdict

SIDES: Final = ("before", "after", "change", "left")


CONTROLS: Final = ("human", "neutral")


EFFECTS: Final = {
    "association": dict.fromkeys(("left", "its change", "associated", *CONTROLS), "+.3f")
    | {"MAC": ".4f"},
    "directions": {
        "direct bias": ".4f",
        "along the old direction": ".4f",
        "share": ".2f",
        "largest ⟨w, x − y⟩": ".2g",
        "of cosines": ".2g",
        "neighbours": ".2f",
        "clusters": ".3f",
    },
    "cost": {
        "drift": ".4f",
        "of it, a shift": "+.4f",
        **dict.fromkeys(("WordSim-353", "SimLex-999", "MEN", "analogies"), "+.3f"),
    },
}
"""Of each table on debiasing its measures, and how their numbers are written."""


def share_left(table: pd.DataFrame) -> Rows:
    """Show how often intervals before, after, of the change and of the share miss the truth."""
    rows = [["removed", "true share", "before", "after", "change", "left", "median width, points"]]
    kinds = table["removed"].mask(table["removed"].duplicated(), "")
    for row in table.assign(removed=kinds).to_dict("records"):
        missed = [f"{row[name]:.1%}" for name in ("before", "after", "change", "left")]
        rows.append([row["removed"], f"{row['share']:g}", *missed, f"{100 * row['width']:.0f}"])
    return rows


def left(table: pd.DataFrame) -> Rows:
    """Show before, after, change and share left of one's own debiasing, over all and by group."""
    own = table[table["data"].str.contains("slice") & table["of"].notna()]
    rows = [["vectors", "", *SIDES]]
    for (data, of), part in own.groupby(["data", "of"], sort=False):
        sides = _sides(part.set_index("measure"))
        rows.append([data if of == "all" else "", str(of), *sides])
    return rows


def published_left(table: pd.DataFrame) -> Rows:
    """Show the same of the published debiasing over all groups."""
    own = table[(table["of"] == "all") & ~table["data"].str.contains("slice")]
    parts = own.groupby("data", sort=False)
    return [["list", *SIDES], *([data, *_sides(one.set_index("measure"))] for data, one in parts)]


def published_change(table: pd.DataFrame) -> Rows:
    """Show how associated − different changed in the published files, by two models."""
    heads = ["before", "after", "`change-maximal`", "in sd", "verdict", "`change-crossed`"]
    rows = [["list", *heads, "ln evidence for `change-maximal`"]]
    for data, part in table[table["of"].isna()].groupby("data", sort=False):
        one = part.set_index("measure")
        plain = [f"{one.loc[f'plain {side}', 'value']:+.3f}" for side in SIDES[:2]]
        sd = f"{one.loc['change-maximal, in sd', 'value']:+.2f}"
        maximal, crossed = (number(one.loc[f"change-{m}"], "+.3f") for m in ("maximal", "crossed"))
        gain = f"{one.loc['ln evidence', 'value']:,.0f}"
        row = [data, *plain, maximal, sd, verdict(one.loc["change-maximal"]), crossed, gain]
        rows.append([short(cell) for cell in row])
    return rows


def published_moved(table: pd.DataFrame) -> Rows:
    """Show how far each connection moved in the published files."""
    own = table[table["measure"] == "moved"].set_index(["of", "data"])
    lists = list(own.index.unique(1))
    rows = [["", *lists]]
    for of in own.index.unique(0):
        cells = [own.loc[(of, data)] for data in lists]
        rows.append([of, *(f"{number(row, '+.3f')}, {verdict(row)}" for row in cells)])
    return rows


def _sides(rows: pd.DataFrame) -> list[str]:
    share = rows.loc["left"]
    known = number(share, ".0%") if pd.isna(share["verdict"]) else f"not known: {share['verdict']}"
    return [*(number(rows.loc[name], "+.3f") for name in SIDES[:3]), known]


def debias_effects(vectors: str, part: str, table: pd.DataFrame) -> Rows:
    """Show measures of every method in a file of vectors, marked by their verdicts."""
    own = table[table["vectors"] == vectors].set_index(["method", "measure"])
    rows = [["method", *EFFECTS[part]]]
    for method in own.index.unique(0):
        cells = [_effect(own, (method, name), form) for name, form in EFFECTS[part].items()]
        rows.append([_method(method), *cells])
    return rows


def debias_listed(table: pd.DataFrame) -> Rows:
    """Show what became of control words where the listed words alone are neutralised."""
    heads = [(vectors, name) for vectors in table["vectors"].unique() for name in CONTROLS]
    own = table[table["method"] != "before"].set_index(["vectors", "method", "measure"])
    rows = [["method", *(f"{name}, {vectors}" for vectors, name in heads)]]
    for method in own.index.unique(1):
        cells = [_effect(own, (vectors, method, name), "+.3f") for vectors, name in heads]
        rows.append([_method(method), *cells])
    return rows


def _method(name: str) -> str:
    return "before" if name == "before" else re.sub(r"^\w+", r"`\g<0>`", name)


def _effect(rows: pd.DataFrame, key: tuple[str, ...], form: str) -> str:
    """Return a measure's cell; bold and "equal" tell its verdict beyond what its interval does."""
    if key not in rows.index:
        return ""
    row = rows.loc[key]
    if pd.isna(row["value"]):
        return str(row["verdict"])
    counted = not pd.isna(row.get("n"))  # what it was before is no change
    text = number(row, form.lstrip("+") if counted else form)
    for column, shown in (("p", ".1g"), ("n", ",.0f")):
        text += "" if pd.isna(row.get(column)) else short(f" ({row[column]:{shown}})")
    verdict = str(row["verdict"])
    mark = "**" if verdict in ("closer", "farther", "better", "worse") else ""
    return f"{mark}{text}{mark}" + (", equal" if verdict.endswith("equal") else "")


TABLES: Final[dict[str, tuple[tuple[str, ...], Callable[..., Rows]]]] = {
    "share-left": (("share-left",), share_left),
    "left": (("changes",), left),
    "published-change": (("changes",), published_change),
    "published-moved": (("changes",), published_moved),
    "published-left": (("changes",), published_left),
    "debias-listed": (("debias-listed",), debias_listed),
    **{
        f"debias-{part}-{vectors.lower()}": (
            ("debias-effects",),
            partial(debias_effects, vectors, part),
        )
        for part in EFFECTS
        for vectors in ("GoogleNews", "GloVe")
    },
}
"""The tables by name, each with the result that it shows."""
