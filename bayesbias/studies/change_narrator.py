"""What changed, in sentences, which the terminal, JSON and the page quote."""

from typing import Any

import pandas as pd

from bayesbias.constants import CONNECTION, CONTROL_CONNECTIONS
from bayesbias.fits.narrator import DIRECTIONS, SIZES, counted_words, edge, in_sds, sides, within
from bayesbias.inference.decision import DecisionRule
from bayesbias.support.text_tables import bounds, listed, shown, verdict_shown


def answers_of(
    contrasts: pd.DataFrame,
    table: pd.DataFrame,
    words: pd.DataFrame,
    unmoved: pd.DataFrame,
    rule: DecisionRule,
) -> list[str]:
    """Return how the contrasts changed, then how connections and single words moved."""
    rows = list(contrasts.itertuples())
    others = [_changed_briefly(row) for row in rows[1:]]
    moves = [_moved(row) for row in table.itertuples()]
    moves += [
        f"{row.connection} words did not move (no pair by more than {row.largest_change:.1g})"
        for row in unmoved.itertuples()
    ]
    controls = [
        row.connection
        for row in table.itertuples()
        if row.connection in CONTROL_CONNECTIONS and row.verdict in DIRECTIONS
    ]
    warning = f" Controls should stay, and {listed(controls)} words did not." if controls else ""
    by_word = [
        f"the change to {name} words is {counted_words(part)}"
        for number, (name, part) in enumerate(words.groupby(CONNECTION, sort=False))
        if not number or part["verdict"].str.startswith(DIRECTIONS).any()
    ]
    return [
        *(_changed(row, rule) for row in rows[:1]),
        *([f"Other contrasts: {'; '.join(others)}."] if others else []),
        f"By connection: {'; '.join(moves)}.{warning}",
        f"Word by word, {'; '.join(by_word)}.",
    ]


def _changed(row: Any, rule: DecisionRule) -> str:
    """Say how a contrast was before and after, and what its modelled change is."""
    first, second = sides(row.contrast)
    direction, _, size = row.verdict.partition(", ")
    what = {
        "closer": f"{first} words came closer relative to {second} words",
        "farther": f"{first} words moved away relative to {second} words",
        "practically equal": f"practically no change (within {within(rule)})",
        "undecided": "whether it changed is undecided",
    }[direction]
    return (
        f"{row.contrast.capitalize()} went from {_plain(row.before)} before to "
        f"{_plain(row.after)} after (plain means of the listed pairs). The modelled change is "
        f"{shown(row.mean, 'signed')} ({rule.label} {bounds(row, 'signed')}{in_sds(row)}): "
        f"{what}{SIZES.get(size, '')}{edge(row)}."
    )


def _changed_briefly(row: Any) -> str:
    return (
        f"{row.contrast} from {_plain(row.before)} to {_plain(row.after)} (change "
        f"{shown(row.mean, 'signed')}, {bounds(row, 'signed')}: {verdict_shown(row)})"
    )


def _plain(difference: float) -> str:
    """Write a difference; one that rounds to 0 without a sign."""
    text = shown(difference, "signed")
    return text[1:] if float(text[1:]) == 0 else text


def _moved(row: Any) -> str:
    direction, _, size = row.verdict.partition(", ")
    name = f"{row.connection} words"
    what = {
        "closer": f"{name} moved closer to the protected words",
        "farther": f"{name} moved farther away",
        "practically equal": f"{name} practically stayed",
        "undecided": f"whether {name} moved is undecided",
    }[direction]
    numbers = f"{shown(row.mean, 'signed')}, {bounds(row, 'signed')}"
    return f"{what}{SIZES.get(size, '')}{edge(row)} ({numbers})"
