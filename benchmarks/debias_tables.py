"""The tables of what debiasing methods remove, leave and cost."""

import re
from collections.abc import Callable
from functools import partial
from typing import Final

import pandas as pd
from page_tables import Rows, number, short

CONTROLS: Final = ("human", "neutral")


EFFECTS: Final = {
    "association": dict.fromkeys(("left", "associated", *CONTROLS), "+.3f") | {"MAC": ".4f"},
    "directions": {
        "direct bias": ".4f",
        "along the old direction": ".4f",
        "share": ".2f",
        "largest ⟨w, x − y⟩": ".2g",
        "of cosines": ".2g",
        "neighbours": ".2f",
    },
    "cost": {
        "drift": ".4f",
        "of it, a shift": "+.4f",
    },
}
"""Of each table on debiasing its measures, and how their numbers are written."""


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
    text = number(row, form)
    text += "" if pd.isna(row.get("p")) else short(f" ({row['p']:.1g})")
    verdict = str(row["verdict"])
    mark = "**" if verdict in ("closer", "farther") else ""
    return f"{mark}{text}{mark}" + (", equal" if verdict.endswith("equal") else "")


TABLES: Final[dict[str, tuple[tuple[str, ...], Callable[..., Rows]]]] = {
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
