"""What layouts of pages' tables share: rows of text, numbers as pages write them."""

import re
from typing import Any

import pandas as pd

Rows = list[list[str]]


def as_saved(table: pd.DataFrame, only: str = "", **forms: str) -> Rows:
    """Show a result as it is, without what repeats the row above or the head to the left.

    `only`: what names of columns with numbers begin with; rows without such numbers are left out.
    `forms`: of numbers in columns whose names contain a word; the others have one digit.
    """
    numbers = [name for name in table.select_dtypes("number") if re.match(only, name)]
    table = table.dropna(subset=numbers, how="all") if numbers else table
    texts = table.select_dtypes(exclude="number").dropna(axis=1, how="all").fillna("")
    cells = texts.mask((texts == texts.shift()).cummin(axis=1), "").replace(
        r"\|", r"\|", regex=True
    )
    for name in numbers:
        form = next((form for word, form in forms.items() if word in name), "{:.1f}")
        cells[name] = [signed(form.format(x)) if x == x else "" for x in table[name]]
    heads, left = [], ""
    for name in cells:
        start = name.rpartition(": ")[0]
        heads.append(name.removeprefix(f"{start}: ") if start == left else name)
        left = start
    return [heads, *cells.to_numpy().tolist()]


def number(row: Any, form: str) -> str:
    """Return a value, with its interval if it has one."""
    value, low, high = (short(f"{row[name]:{form}}") for name in ("value", "low", "high"))
    return value if pd.isna(row["low"]) else f"{value} [{low}, {high}]"


def short(text: str) -> str:
    """Write numbers without 0 before the point, nor in an exponent."""
    return re.sub(r"(?<!\d)0\.", ".", signed(re.sub(r"(?<=e-)0", "", text)))


def signed(text: str) -> str:
    """Write minus signs as such, and no sign before 0."""
    return re.sub(r"[-+](0\.0+(?!\d))", r"\1", text).replace("-", "−")
