"""Which rows of a table a figure shows, in which order, and what it calls groups and lists."""

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final, TypedDict, cast

import pandas as pd

from bayesbias.constants import GROUP, PROTECTED_WORD
from bayesbias.errors import ArgumentError, suggest
from bayesbias.support.figure_style import Place
from bayesbias.support.result import Result
from bayesbias.support.text_tables import Blocks


class Chosen(TypedDict, total=False):
    """What a figure of contrasts or means shows: the names of some contrasts, groups, or words."""

    contrasts: "str | Sequence[str] | None"
    groups: "str | Sequence[str] | None"
    words: "str | Sequence[str] | None"


class Shown(Chosen, Place):
    """What a figure shows, and where."""


_CHOSEN: Final = {"contrasts": "contrast", "groups": GROUP, "words": PROTECTED_WORD}


def chosen_rows(table: pd.DataFrame, shown: Shown) -> tuple[pd.DataFrame, Place]:
    """Return the rows of a table that are to be shown, in the order asked for, and the place."""
    place = cast("Place", {name: v for name, v in shown.items() if name not in _CHOSEN})
    for option, column in _CHOSEN.items():
        asked = shown.get(option)
        if asked is None:
            continue
        names = [asked] if isinstance(asked, str) else list(cast("Sequence[str]", asked))
        known = list(dict.fromkeys(table[column])) if column in table else []
        for name in names:
            if name not in known:
                raise ArgumentError(f"{option}: this figure has no {name!r}{suggest(name, known)}")
        if not names:
            raise ArgumentError(f"{option}: name some of {', '.join(map(str, known))}")
        table = sort_by_names(table[table[column].isin(names)], column, names)
    return table, place


def sort_by_names(table: pd.DataFrame, column: str, names: Iterable[str]) -> pd.DataFrame:
    """Sort rows by a column of names, as these names stand; equal ones keep their order."""
    place = {name: i for i, name in enumerate(names)}
    return table.sort_values(column, key=lambda c: c.map(place), kind="stable")


def titled(table: pd.DataFrame, titles: Mapping[str, Mapping[str, str]]) -> pd.DataFrame:
    """Return a table with groups and attribute sets as sentences call them, by column."""
    columns = {}
    for column, names in titles.items():
        if column in table:
            parts = [str(value).split(", ") for value in table[column]]
            columns[column] = [", ".join(names.get(p, p) for p in part) for part in parts]
    return table.assign(**columns)


class Titled(Result):
    """A result whose `table` has groups and lists, and `titles` what sentences call these."""

    table: pd.DataFrame
    titles: Mapping[str, Mapping[str, str]]

    @property
    def paper_blocks(self) -> Blocks:
        """What LaTeX shows: groups and lists as sentences call them."""
        changed: Any = {"table": titled(self.table, self.titles)}
        return dataclasses.replace(self, **changed).blocks  # type: ignore[type-var]

    def to_dict(self) -> dict[str, Any]:
        """Return everything as plain data but the titles, which the record of the fit has."""
        content = super().to_dict()
        return {name: value for name, value in content.items() if name != "titles"}
