"""The tables of ``docs/error-rates.md`` on real lists and random words of real vectors."""

from collections.abc import Callable, Iterator, Sequence
from typing import Final

import pandas as pd
from page_tables import Rows, signed

METHODS: Final = {
    "maximal": "**`maximal`**",
    "unrelated": "`maximal`, attributes unrelated",
    "topics": "`maximal`, topics as a term",
    "crossed": "`crossed`",
    "paper": "`paper`",
    "bootstrap": "bootstrap of words and attributes",
    "words": "spread over words (WEAT)",
}


VECTORS: Final = {
    "googlenews-16k-300d": "GoogleNews, 300 dimensions",
    "glove-840b-10k-300d-int8": "GloVe 840B, 300 dimensions",
    "glove-6b-13k-50d": "GloVe 6B, 50 dimensions",
    "glove-twitter-12k-25d": "GloVe Twitter, 25 dimensions",
}


ASKED: Final = ("over all", "by list", "by group", "against neutral", "every contrast")


def real_lists(halves: pd.DataFrame, drawn: pd.DataFrame) -> Rows:
    """Show how honest answers over all groups are on real lists, and how often they decide."""
    by_split, by_design = (
        table[table["asked"] == "over all"].set_index(["model", by])
        for table, by in ((halves, "split"), (drawn, "design"))
    )
    heads = ["split lists, rms z: halves", "topics apart"]
    heads += ["drawn lists, truth in 89%: one by one", "topics"]
    rows = [["method", *heads, "drawn lists, decided rightly, %: one by one", "topics"]]
    designs = ("one by one", "topics")
    for name in (name for name in METHODS if name in by_split.index.unique(0)):
        cells = [f"{by_split.loc[(name, split), 'rms z']:.2f}" for split in ("halves", "topics")]
        cells += [
            f"{by_design.loc[(name, design), column]:.0f}"
            for column in ("89%", "right")
            for design in designs
        ]
        rows.append([METHODS[name], *cells])
    return rows


def populations(table: pd.DataFrame) -> Rows:
    """Show coverage, root mean square z and decisions by question and method."""
    columns = {"89%": "{:.0f}", "rms z": "{:.2f}", "right": "{:.0f}", "wrong": "{:.0f}"}
    heads = ["in 89%", "rms z", "right", "wrong"]
    return _by_question(table, "design", ("one by one", "topics"), columns, heads)


def populations_of(table: pd.DataFrame) -> Rows:
    """Show of every population in every file of vectors its contrast, and how often it is found."""
    columns = {"89%": "{:.0f}", "rms z": "{:.2f}", "right": "{:.0f}"}
    designs = ("one by one", "topics")
    heads = ["in 89%", "rms z", "right"]
    starts = [[f"{design}: {heads[0]}", *heads[1:]] for design in designs]
    rows = [
        ["population", "vectors", "its contrast", *(head for start in starts for head in start)]
    ]
    for name, of_name in table.groupby("population", sort=False):
        files = of_name.set_index(["vectors", "design"])
        for place, file in enumerate(file for file in VECTORS if file in files.index.unique(0)):
            both = [files.loc[(file, design)] for design in designs]
            cells = [form.format(one[column]) for one in both for column, form in columns.items()]
            truth = signed(f"{both[0]['truth']:+.3f}")
            rows.append(["" if place else str(name), VECTORS[file], truth, *cells])
    wholes = [table[table["design"] == design] for design in designs]
    squares = [(one["rms z"] ** 2).mean() ** 0.5 for one in wholes]
    means = [
        one.assign(**{"rms z": z})[list(columns)].mean()
        for one, z in zip(wholes, squares, strict=True)
    ]
    cells = [form.format(one[column]) for one in means for column, form in columns.items()]
    return [*rows, ["all", "", "", *cells]]


def split_half(table: pd.DataFrame) -> Rows:
    """Show root mean square z and coverage by question and method."""
    columns = {"rms z": "{:.2f}", "89%": "{:.0f}"}
    kinds = ("halves", "topics", "finer topics")
    return _by_question(table, "split", kinds, columns, ["rms z", "in 89%"])


def _by_question(
    table: pd.DataFrame, by: str, kinds: Sequence[str], columns: dict[str, str], heads: list[str]
) -> Rows:
    """Return a row for each question and method, and the columns for each kind in turn."""
    starts = [[f"{kind}: {heads[0]}", *heads[1:]] for kind in kinds]
    rows = [["question", "method", *(head for start in starts for head in start)]]
    for asked in ASKED:
        of_question = table[table["asked"] == asked].set_index(["model", by])
        methods = [name for name in METHODS if name in of_question.index.unique(0)]
        for place, method in enumerate(methods):
            cells = [
                form.format(of_question.loc[(method, kind), name])
                for kind in kinds
                for name, form in columns.items()
            ]
            rows.append(["" if place else asked, METHODS[method], *cells])
    return rows


def power(table: pd.DataFrame) -> Rows:
    """Show areas under the curve of both sizes, and power at 5% false alarms of the larger one."""
    methods = {"WEAT": "WEAT's effect size", "bootstrap": METHODS["bootstrap"], "MAC": "1 − MAC"}
    methods |= {name: METHODS[name] for name in ("paper", "crossed", "maximal")}
    small, large = sorted(set(table["size"]))
    heads = [f"area at {small:g}", f"area at {large:g}", f"power at {large:g}, 5% false alarms"]
    designs = list(dict.fromkeys(table["design"]))
    starts = [[f"{design}: {heads[0]}", *heads[1:]] for design in designs]
    rows = [["planted", "method", *(head for start in starts for head in start)]]
    for planted in ("towards own", "and away from other"):
        own = table[table["planted"] == planted].set_index(["method", "design", "size"])
        known = [name for name in methods if name in own.index.unique(0)]
        for place, name in enumerate(known):
            row = ["" if place else planted, methods[name]]
            for design in designs:
                of_sizes = [own.loc[(name, design, size)] for size in (small, large)]
                row += [f"{one['area']:.2f}" for one in of_sizes]
                row.append(f"{of_sizes[1]['power at 5%']:.0f}")
            rows.append(row)
    return rows


def false_alarms(table: pd.DataFrame) -> Rows:
    """Show how often methods say bias of associated − different where nothing is associated."""
    methods = {
        "WEAT p < .05, two-sided": "WEAT p < .05",
        "paper": "`paper`",
        "crossed": "`crossed`",
        "maximal, attributes unrelated": "`maximal`, attributes unrelated",
        "maximal": "`maximal`",
    }
    told = "small_chance" in table
    rows = [["attributes", "vectors", *methods.values(), *(["chance below 11%"] if told else [])]]
    for name, own in _by_design(table, "associated − different"):
        chance = [f"{100 * own.loc['maximal', 'small_chance']:.1f}"] if told else []
        rows.append([*name, *(_percent(own, method) for method in methods), *chance])
    return rows


def false_alarms_of_controls(table: pd.DataFrame) -> Rows:
    """Show the same of associated − neutral, and mean sds of associated − different."""
    methods = {
        "paper": "`paper`",
        "crossed": "`crossed`",
        "maximal, attributes unrelated": METHODS["unrelated"],
        "maximal": "`maximal`",
    }
    of_sd = list(methods)[2:]
    rows = [["attributes", "vectors", *methods.values(), *(f"sd: {methods[m]}" for m in of_sd)]]
    sds = dict(_by_design(table, "associated − different"))
    for name, own in _by_design(table, "associated − neutral"):
        sd = [f"{sds[name].loc[m, 'sd']:.3f}".removeprefix("0") for m in of_sd]
        rows.append([*name, *(_percent(own, method) for method in methods), *sd])
    return rows


def false_changes(table: pd.DataFrame) -> Rows:
    """Show how often a step on random lists is called a change."""
    rows = [["attributes", "vectors", "`change-maximal`"]]
    for name, own in _by_design(table, "associated − different"):
        rows.append([*name, f"{100 * own['share'].item():.1f}"])
    return rows


def _by_design(
    table: pd.DataFrame, contrast: str
) -> Iterator[tuple[tuple[str, str], pd.DataFrame]]:
    """Yield design and vectors as a row names them, and the methods' numbers."""
    own = table[table["contrast"] == contrast]
    for design in ("topics", "single words"):
        for place, (file, shown) in enumerate(VECTORS.items()):
            part = own[(own["attributes"] == design) & (own["vectors"] == file)]
            if design == "single words":
                shown = shown.partition(",")[0]
            yield ("" if place else design, shown), part.set_index("model")


def _percent(rows: pd.DataFrame, method: str) -> str:
    share = f"{100 * rows.loc[method, 'share']:.1f}"
    return f"**{share}**" if method == "maximal" else share


def prior_rates(table: pd.DataFrame) -> Rows:
    """Show how much less likely lists are under other rates, in each file of vectors."""
    factors = [name for name in table if name not in ("vectors", "lists")]
    rows = [["vectors", "lists", *(f"rates × {float(name):.2g}" for name in factors)]]
    for row in table.to_dict("records"):
        gains = [signed(f"{row[name]:+.0f}") if round(row[name]) else "0" for name in factors]
        rows.append([VECTORS[row["vectors"]], str(row["lists"]), *gains])
    return rows


TABLES: Final[dict[str, tuple[tuple[str, ...], Callable[..., Rows]]]] = {
    "real-lists": (("split-half", "populations"), real_lists),
    "split-half": (("split-half",), split_half),
    "populations": (("populations",), populations),
    "populations-cells": (("populations-cells",), populations_of),
    "power": (("power",), power),
    "random-lists": (("random-lists",), false_alarms),
    "random-lists-controls": (("random-lists",), false_alarms_of_controls),
    "random-steps": (("random-steps",), false_changes),
    "prior-rates": (("prior-rates",), prior_rates),
}
"""The tables by name, each with the results that it shows."""
