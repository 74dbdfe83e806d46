"""The tables of what pages use as examples: the demo, shipped lists, published files."""

from collections.abc import Callable
from typing import Final

import pandas as pd
from page_tables import Rows, interval, share, signed, verdict


def demo(table: pd.DataFrame) -> Rows:
    """Show what the demo finds, by list and over all, as the terminal does."""
    own = _of_example(table, "GloVe (shipped)", "gender")
    heads = ["listed", "mean", "89% interval", "in sd", "P(< 0)", "in ROPE", "chance", "verdict"]
    rows = [["difference", *heads]]
    between = own[(own["level"] == "list") & (own["contrast"] == "between groups")]
    for row in [*between.itertuples(), *own[own["level"] == "connection"].itertuples()]:
        name = f"between groups: {row.title}" if row.level == "list" else row.contrast
        cells = [f"{number:+.3f}" for number in (row.listed, row.mean)]
        cells += [interval(row), f"{row.standardised:+.2f}", f"{row.p_below_zero:.3f}"]
        cells += [f"{share:.1%}" for share in (row.inside_rope, row.chance)]
        rows.append([name, *map(signed, cells), verdict(row)])
    return rows


def two_questions(table: pd.DataFrame) -> Rows:
    """Show both answers over all groups, list by list, with how many topics there are."""
    rows = [["list", "vectors", "attributes in topics", "how large", "chance", "verdict"]]
    whole = table[(table["level"] == "connection") & (table["model"] == "maximal")]
    whole = whole[whole["contrast"] == "associated − different"]
    for row in whole.sort_values("list", kind="stable").itertuples():
        size = f"{signed(f'{row.mean:+.3f}')} ({interval(row)})"
        counts = f"{row.attributes} in {row.topics}"
        rows.append([row.list, row.vectors, counts, size, share(row.chance), verdict(row)])
    return rows


def similarity(table: pd.DataFrame) -> Rows:
    """Show associated − different with and without the similarity of attributes."""
    heads = ["attributes in topics", "unrelated", "with K", "chance", "ln evidence for K"]
    rows = [["vectors, list", *heads]]
    own = table[table["contrast"] == "associated − different"]
    keys = ["vectors", "list", "level", "of"]
    for names, both in own.fillna({"of": ""}).groupby(keys, sort=False):
        one, plain = (both[both["model"] == m].iloc[0] for m in ("maximal", "unrelated"))
        whole = one["level"] == "connection"
        if not whole and one["list"] != "gender":
            continue
        cells = [signed(f"{row['mean']:+.3f} ± {row['sd']:.3f}") for row in (plain, one)]
        gain = f"{one['log_evidence'] - plain['log_evidence']:,.0f}" if whole else ""
        counts = f"{one['attributes']} in {one['topics']}" if whole else ""
        name = f"{names[0]}, {names[1]}" if whole else f"… {one['title']}"
        rows.append([name, counts, *cells, share(one["chance"]), gain])
    return rows


def placebo(table: pd.DataFrame) -> Rows:
    """Show how often placebo lists show something, and the place of the real list."""
    heads = ["intervals that exclude 0", "sd of placebo lists", "real", "its place, p"]
    rows = [["placebo lists", "group", "contrast", *heads]]
    for row in table.itertuples():
        cells = [f"{row.share:.1%}", f"{row.placebo_sd:.3f}", signed(f"{row.mean:+.3f}")]
        rows.append([row.kind, row.group, row.contrast, *cells, f"{row.p:.3f}"])
    return rows


def names(table: pd.DataFrame) -> Rows:
    """Show the contrasts of crossed groups by factor."""
    rows = [["factor", "comparison", table["contrast"].iloc[0], "89% interval", "verdict"]]
    for row in table.itertuples():
        cells = [row.factor, row.comparison, signed(f"{row.mean:+.3f}")]
        rows.append([*cells, interval(row), verdict(row)])
    return rows


def three_models(table: pd.DataFrame) -> Rows:
    """Show associated − different of the published files under three models."""
    models = ("paper", "crossed", "maximal")
    heads = [f"`{name}`" for name in models]
    rows = [["data", *heads, "in sd", "ROPE", "verdict of `maximal`"]]
    own = table[table["contrast"] == "associated − different"]
    for data, part in own.groupby("data", sort=False):
        one = part.set_index("model")
        cells = [f"{one.loc[m, 'mean']:+.3f} [{interval(one.loc[m])}]" for m in models]
        last = one.loc["maximal"]
        scale = f"{last['standardised']:+.2f}"
        rows.append([data, *map(signed, cells), signed(scale), f"±{last['rope']:.3f}"])
        rows[-1].append(verdict(last))
    return rows


def every_contrast(table: pd.DataFrame) -> Rows:
    """Show all contrasts of the published files under `maximal`, marked by their verdicts."""
    own = table[table["model"] == "maximal"]
    contrasts = list(dict.fromkeys(own["contrast"]))
    rows = [["data", *contrasts]]
    for data, part in own.groupby("data", sort=False):
        cells = [data]
        for row in part.set_index("contrast").loc[contrasts].itertuples():
            mark = {"closer": "**", "farther": "**", "undecided": ""}.get(row.verdict, "*")
            cells.append(f"{mark}{signed(f'{row.mean:+.3f}')} [{interval(row)}]{mark}")
        rows.append(cells)
    return rows


def evidence(table: pd.DataFrame) -> Rows:
    """Show logarithms of Bayes factors of `maximal` to `crossed` and `paper`."""
    own = table.pivot_table("log_evidence", "data", "model", aggfunc="first", sort=False)
    own = own.loc[list(dict.fromkeys(table["data"]))]
    rows = [["data", "ln BF to `crossed`", "ln BF to `paper`"]]
    for data, row in own.iterrows():
        gains = (row["maximal"] - row["crossed"], row["maximal"] - row["paper"])
        rows.append([str(data), *(signed(f"{gain:+,.1f}") for gain in gains)])
    return rows


def _of_example(table: pd.DataFrame, vectors: str, wordlist: str) -> pd.DataFrame:
    own = (table["vectors"] == vectors) & (table["list"] == wordlist)
    return table[own & (table["model"] == "maximal")]


TABLES: Final[dict[str, tuple[tuple[str, ...], Callable[..., Rows]]]] = {
    "demo": (("examples",), demo),
    "two-questions": (("examples",), two_questions),
    "similarity": (("examples",), similarity),
    "placebo": (("placebo",), placebo),
    "names": (("names",), names),
    "three-models": (("published",), three_models),
    "every-contrast": (("published",), every_contrast),
    "evidence": (("published",), evidence),
}
"""The tables by name, each with the result that it shows."""
