"""The tables of ``docs/classics.md``, from what ``classics.py`` has saved."""

import math
from collections.abc import Callable
from typing import Any, Final

import pandas as pd
from page_tables import Rows

VECTORS: Final = ("GoogleNews", "GloVe 840B", "GloVe 6B", "GloVe Twitter")

LISTS: Final = {
    "weat1": "WEAT 1: flowers, insects",
    "weat2": "WEAT 2: instruments, weapons",
    "weat3": "WEAT 3: names by race",
    "weat4": "WEAT 4: names by race",
    "weat5": "WEAT 5: names by race",
    "weat6": "WEAT 6: names, career",
    "weat7": "WEAT 7: math, arts",
    "weat8": "WEAT 8: science, arts",
    "weat9": "WEAT 9: diseases",
    "weat10": "WEAT 10: names by age",
    "gender": "gender, occupations",
    "race": "race, traits",
    "religion": "religion, traits",
}

OVER_ALL: Final = "over all"


def counts(results: pd.DataFrame) -> Rows:
    """Count of every file how many lists lean as expected, and what each reading says of them."""
    said = [
        "lists",
        "lean as expected",
        "WEAT's p < .05",
        "interval excludes 0",
        "random groups differ as much in < 11%",
    ]
    known = results[(results["row"] == OVER_ALL) & results["verdict"].notna()]
    rows = []
    for name in VECTORS:
        own = known[known["vectors"] == name]
        apart = (own["low"] > 0) | (own["high"] < 0)
        tested = f"{(own['weat_p'] < 0.05).sum()} of {own['weat_p'].notna().sum()}"
        beyond = (own["random_groups"] < 0.11).sum()
        numbers = (len(own), (own["mean"] < 0).sum(), tested, apart.sum(), beyond)
        rows.append([name, *map(str, numbers)])
    return [["vectors", *said], *rows]


def flowers(results: pd.DataFrame) -> Rows:
    """Show both readings of WEAT 1, a row for every file."""
    heads = ["WEAT's d", "difference", "closer by, in sd", "random groups differ as much in"]
    own = results[(results["list"] == "weat1") & (results["row"] == OVER_ALL)]
    cells = (weat, answer, in_sd, random_groups)
    rows = [[row["vectors"], *(say(row) for say in cells)] for row in own.to_dict("records")]
    return [["vectors", *heads], *rows]


def over_all(say: Callable[[dict[str, Any]], str]) -> Callable[[pd.DataFrame], Rows]:
    """Return what shows one thing of every list: a row for it, and a column for every file."""

    def rows(results: pd.DataFrame) -> Rows:
        own = results[results["row"] == OVER_ALL].set_index(["list", "vectors"], drop=False)
        heads = ["list", *VECTORS]
        return [heads] + [
            [title, *(say(dict(own.loc[(name, file)])) for file in VECTORS)]
            for name, title in LISTS.items()
        ]

    return rows


def by_list(say: Callable[[dict[str, Any]], str]) -> Callable[[pd.DataFrame], Rows]:
    """Return what shows one thing of the groups' difference towards every attribute list."""

    def rows(results: pd.DataFrame) -> Rows:
        rows = [["list", "who is closer", *VECTORS]]
        for name, title in LISTS.items():
            own = results[(results["list"] == name) & (results["row"] != OVER_ALL)]
            for place, (who, part) in enumerate(own.groupby("row", sort=False)):
                said = dict(zip(part["vectors"], map(say, part.to_dict("records")), strict=True))
                cells = [said.get(file, "–") for file in VECTORS]
                rows.append(["" if place else title, str(who), *cells])
        return rows

    return rows


def topics(results: pd.DataFrame) -> Rows:
    """Show how many topics each attribute list has, in the order of `by_list`."""
    rows = [["list", *VECTORS]]
    parts = results[results["row"] != OVER_ALL]
    for name, title in LISTS.items():
        cells = []
        for file in VECTORS:
            own = parts[(parts["list"] == name) & (parts["vectors"] == file)]
            pairs = zip(own["topics"], own["attributes"], strict=True)
            cells.append(", ".join(f"{a:.0f} of {b:.0f}" for a, b in pairs) or "–")
        rows.append([title, *cells])
    return rows


def answer(row: dict[str, Any]) -> str:
    """Say a difference with its interval, as the house style has it."""
    if not isinstance(row["verdict"], str):
        return f"– ({row['reason']})"
    low, mean, high = row["low"], row["mean"], row["high"]
    if low <= 0 <= high:
        return f"undecided ({-low:.2f} closer up to {high:.2f} farther)"
    word, sign = ("closer", -1) if mean < 0 else ("farther", 1)
    ends = sorted((sign * low, sign * high))
    return f"**{word}** by {sign * mean:.2f} ({ends[0]:.2f} to {ends[1]:.2f})"


def weat(row: dict[str, Any]) -> str:
    """Say WEAT's effect size and its p."""
    if math.isnan(row["weat_d"]):
        return "–"
    p = row["weat_p"]
    said = "< .001" if p < 0.001 else f"= {p:.3f}".replace("0.", ".", 1)
    return f"{row['weat_d']:.2f} (p {said})".replace("-", "−")


def random_groups(row: dict[str, Any]) -> str:
    """Say how often random groups of words differ as much."""
    if math.isnan(row["random_groups"]):
        return "–"
    return "<1%" if row["random_groups"] < 0.01 else f"{row['random_groups']:.0%}"


def in_sd(row: dict[str, Any]) -> str:
    """Say the difference in standard deviations of a neutral pair's distance."""
    if math.isnan(row["standardised"]):
        return "–"
    low, mean, high = (
        -row[name] for name in ("standardised_high", "standardised", "standardised_low")
    )
    return f"{mean:.2f} ({low:.2f} to {high:.2f})".replace("-", "−")


def words(row: dict[str, Any]) -> str:
    """Say how many words of the groups and stereotypes were found."""
    return f"{row['found']:.0f} of {row['words']:.0f}"


TABLES: Final[dict[str, tuple[tuple[str, ...], Callable[..., Rows]]]] = {
    f"classics-{name}": (("classics",), rows)
    for name, rows in {
        "counts": counts,
        "flowers": flowers,
        "answers": over_all(answer),
        "random": over_all(random_groups),
        "lists": by_list(answer),
        "lists-random": by_list(random_groups),
        "topics": topics,
        "sd": over_all(in_sd),
        "weat": over_all(weat),
        "words": over_all(words),
    }.items()
}
"""The tables by name, each with the result that it shows."""
