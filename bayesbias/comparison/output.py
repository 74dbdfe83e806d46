"""What a comparison says: the finding first, a screen of at most 24 lines, and a figure.

What became of a contrast follows from three intervals: of before, of after and of their change.
Figures have conditions from above to below, and closer to the left. Before and after are joined, as
are times, since a line between conditions says that one becomes the other; of several embeddings,
lists or models the intervals alone are drawn.
"""

from typing import TYPE_CHECKING, Any, Final

import pandas as pd

from bayesbias.comparison.changes import BY_CONSTRUCTION, KEYS
from bayesbias.comparison.conditions import TREND, times_of
from bayesbias.comparison.used import unused_pairs
from bayesbias.constants import ATTRIBUTE
from bayesbias.errors import ArgumentError
from bayesbias.fits.contrasts import OWN
from bayesbias.fits.output import rope_of
from bayesbias.show import answer_table as shown
from bayesbias.show.narrator import (
    DIRECTIONS,
    interval,
    joined,
    leading_row,
    number,
    percent,
    signed,
)
from bayesbias.support.arguments import Axes, Figure
from bayesbias.words.provenance import names_of

if TYPE_CHECKING:
    from bayesbias.comparison.comparing import Comparison
    from bayesbias.show.style import Size

EQUAL: Final = "practically equal"
_FITTED: Final = (
    "→ rows are estimated from the {:,} pairs that all conditions share{}, lists drawn towards "
    "each other. Report them as the change; they need not be the difference of two rows."
)
_MOVED: Final = "In → rows: closer or farther than in the condition before →."
_MOST_ROWS: Final = 9
_MOST_LISTS: Final = 4
_MOST_SERIES: Final = 6


def leads_of(table: pd.DataFrame, columns: list[str]) -> pd.DataFrame:
    """Return the contrast that leads in every part of a table, by columns."""
    leads = [leading_row(part) for _, part in table.groupby(columns, sort=False)]
    return pd.DataFrame([row for row in leads if row is not None], columns=table.columns)


def leading(comparison: "Comparison") -> pd.DataFrame:
    """Return the contrast that leads, under every condition and difference that has it."""
    table = comparison.contrasts
    if comparison.pairs is None:  # lists, each with its own; models
        return leads_of(table, ["condition"])
    first = leading_row(table[~table["is_difference"]])  # by list the largest of any condition
    if first is None:
        return table[:0]
    return table[(table[KEYS] == first[KEYS]).all(axis=1) & (table["withheld"] == "")]


def _by_list(table: pd.DataFrame) -> list[tuple[Any, pd.DataFrame]]:
    """Return answers by list, by what names them."""
    lists = table[(table["level"] == "list") & (table["withheld"] == "")]
    return list(lists.groupby(KEYS, sort=False))


def sentences_of(comparison: "Comparison") -> tuple[str, ...]:
    """Return the finding, how much is left, and what must be read with them."""
    rows, agreement = leading(comparison), comparison.agreement
    if rows.empty:
        return ("Every contrast is withheld; give at least two words a group and list.",)
    levels = rows[~rows["is_difference"]]
    if comparison.is_one_training and comparison.is_change and len(rows) == 3:
        sentences = _before_and_after(comparison, rows)
    else:
        ways = levels["direction"].mask(levels["verdict"] == EQUAL, EQUAL)
        where = levels.groupby(ways, sort=False)["condition"].agg(list)
        parts = [f"{way} in {joined([*map(repr, names)])}" for way, names in where.items()]
        sentences = [_trend(comparison, rows), _strongest(comparison, rows)]
        who, _ = _subject(comparison, rows)
        sentences += [f"{who} {'; '.join(parts)}.", _against(comparison, rows)]
    if agreement is not None and not comparison.is_one_training:
        sentences.append(
            f"These vectors are of different trainings (coordinates correlate by {agreement:.2f})"
            f"{f', so that sizes are in {_sd_of(comparison)}.' if comparison.compares_sds else '.'}"
        )
    if comparison.in_sample is not None:
        of = f" (list {comparison.tested})" if comparison.tested else ""
        first, *rest = filter(None, sentences)
        head = f"On words that the method did not use{of}: {first[:1].lower()}{first[1:]}"
        sentences = [head, *rest, _of_used(comparison.in_sample)]
    elif comparison.used:
        sentences.append(_of_used(comparison, " Give test=LIST, a list of other words."))
    elif comparison.is_one_training:
        sentences.append("After debiasing, name the words it used (used=): those test nothing.")
    shares = levels.set_index("condition")["random_groups"].dropna()
    texts = [f"{percent(share)} in {name!r}" for name, share in shares.items()]
    if texts:
        sentences.append(f"Random word groups that differ as much: {joined(texts)}.")
    return tuple(filter(None, sentences))


def _sd_of(comparison: "Comparison") -> str:
    """Say whose pairs have the standard deviation that sizes are in."""
    names = {fit.scale[1] for fit in comparison.levels.values()}
    return f"sd of {' or '.join(sorted(names))} pairs"


def _subject(comparison: "Comparison", rows: pd.DataFrame) -> tuple[str, str]:
    """Say of whom it is told how close they are, and what may change."""
    names, row = names_of(next(iter(comparison.levels.values())).frame), rows.iloc[0]
    if row["level"] != "list":
        is_own = row["contrast"] == OWN
        return "To their own lists groups are" if is_own else shown.row_label(row), "association"
    first, second, of = (
        names.group(row["group"]),
        names.group(row["other"]),
        names.list(row["list"]),
    )
    return f"To {of} {first} are, beside {second},", f"difference of {first} and {second} on {of}"


def _against(comparison: "Comparison", rows: pd.DataFrame) -> str:
    """Say what became of the contrast against one condition; "" where others are compared too."""
    pairs = [name.split(" → ") for name in comparison.weights if " → " in name]
    firsts, by_outcome = {first for first, _ in pairs}, dict[str, list[str]]()
    if len(firsts) != 1 or not comparison.is_one_training:
        return ""
    of = rows.set_index("condition", drop=False)
    for first, second in pairs:
        three = [first, second, f"{first} → {second}"]
        if {*three} <= {*of.index}:
            by_outcome.setdefault(_outcome(of.loc[three]), []).append(repr(second))
    parts = [f"{own} in {joined(names)}" for own, names in by_outcome.items()]
    noun = _subject(comparison, rows)[1].partition(" ")[0]
    return f"Against {firsts.pop()!r} the {noun} {'; '.join(parts)}." if parts else ""


def _before_and_after(comparison: "Comparison", rows: pd.DataFrame) -> list[str]:
    """Say what became of the association, of which lists otherwise, and how much is left."""
    before, after = comparison.levels
    whole, by_outcome = _outcome(rows), dict[str, list[str]]()
    if rows["level"].iloc[0] == "over all":
        titles = names_of(comparison.levels[before].frame)
        for (_, name, *_), part in _by_list(comparison.contrasts):
            own = _outcome(part) if len(part) == 3 else whole
            by_outcome.setdefault(own, []).append(titles.list(name))
    others = {own: of for own, of in by_outcome.items() if own != whole}
    _, what = _subject(comparison, rows)
    noun = what.partition(" ")[0]
    parts = [f"{'On average the' if others else 'The'} {what} {whole} in {after!r}"]
    for own, of in others.items():
        where = "on each list alone" if len(by_outcome) == 1 else f"for {joined(of)}"
        parts.append(f"{where} it {own.rstrip(',')}")
    left = comparison.left.set_index(KEYS).loc[tuple(rows[KEYS].iloc[0])]
    share, low, high = (
        f"{x:.0%}".replace("-", "−") for x in left[["left", "left_low", "left_high"]]
    )
    below = "; below 0 it is reversed" if left["left_low"] < 0 else ""
    rest = f"{share} of the {noun} is left"
    rest = f"The {noun} is {share} of what it was" if left["left"] > 1 else rest
    rest += f" ({100 * comparison.rule.ci_prob:g}% interval {low} to {high}{below})."
    if left["reason"] == BY_CONSTRUCTION:
        rest = "No listed attribute tells the groups apart any more."
    elif left["reason"]:
        rest = f"How much is left cannot be told: {left['reason'].removeprefix('cannot tell: ')}."
    return [f"{'; '.join(parts)}.", rest]


def _outcome(rows: pd.DataFrame) -> str:
    """Say what became of a contrast, from its rows of before, of after and of their change."""
    before, after, change = rows.itertuples()
    if after.mark == BY_CONSTRUCTION:
        return f"is {BY_CONSTRUCTION}"
    if EQUAL in change.verdict:
        return "is unchanged"
    if change.direction not in DIRECTIONS:
        return "may or may not have changed"
    if before.direction not in DIRECTIONS:
        if after.direction not in DIRECTIONS:
            return "cannot be seen on either side"
        return "has appeared" if EQUAL in before.verdict else "is stronger"
    if change.direction == before.direction:
        return "is stronger"
    if EQUAL in after.verdict:
        return "is gone"
    if after.direction not in DIRECTIONS:
        return "is weaker, and may be gone,"
    return "is weaker" if after.direction == before.direction else "has turned round"


def _trend(comparison: "Comparison", rows: pd.DataFrame) -> str:
    """Say how far the association went along the line; "" without a trend."""
    (first, *_, last), own = comparison.levels, rows[rows["condition"] == TREND]
    if own.empty:
        return ""
    row = (shown.in_sds(own) if comparison.compares_sds else own).iloc[0]
    unit = " sd" if comparison.compares_sds else ""
    size, low, high = (f"{signed(row[name], 2)}{unit}" for name in ("mean", "low", "high"))
    way, label = row["direction"], comparison.rule.label
    if way not in DIRECTIONS:
        what = f"{size}, above 0 is weaker" if _is_of_own(row) else shown.row_label(row)
        how = f"cannot be told: {what} ({label} {low} to {high})."
        return f"Whether the association changed from {first} to {last} {how}"
    if not _is_of_own(row):
        what = f"{shown.row_label(row)} changed by {size} ({label} {low} to {high})"
        return f"From {first} to {last} {what}."
    way = "stronger" if way == "closer" else "weaker"
    what = f"{number(row['mean'])}{unit} ({interval(row, label)}{unit})"
    return f"From {first} to {last} the association became {way}, by {what}."


def _is_of_own(row: Any) -> bool:
    """Tell whether below 0 is closer to a group's own lists; else a sign is that of the groups."""
    return row["level"] != "list" and "−" in row["contrast"]


def _strongest(comparison: "Comparison", rows: pd.DataFrame) -> str:
    """Say where the contrast that leads is largest; "" where not every pair was compared."""
    try:
        ranks = comparison.ranks
    except ArgumentError:
        return ""
    if ranks.empty or not _is_of_own(rows.iloc[0]):
        return ""
    names = ["level", "list", "contrast"]
    own = ranks[(ranks[names] == rows[names].iloc[0]).all(axis=1)].set_index("condition")["rank_1"]
    if not own.max() >= comparison.rule.ci_prob:
        return "Where the association is strongest cannot be told."
    share = percent(own.max()) if own.max() < 0.995 else "over 99%"
    return f"The association is strongest in {own.idxmax()!r} (probability {share})."


def _of_used(comparison: "Comparison", advice: str = "") -> str:
    """Say what the asked list itself can tell."""
    rows, pairs = leading(comparison), comparison.pairs
    if rows.empty:
        return "Every contrast of your list is withheld."
    if pairs is None or len(unused_pairs(pairs.frame, comparison.used)) == len(pairs.frame):
        return "No pair has a word that the method used."
    sentences = {
        BY_CONSTRUCTION: f"On your list it is {BY_CONSTRUCTION}, which tests nothing.",
        "used": "Your list tests nothing: each of its pairs has a word that the method used.",
        "": "Some pairs of your list have a word that the method used.",
    }
    return sentences[rows.loc[~rows["is_difference"], "mark"].iloc[-1]] + advice


def notes_of(comparison: "Comparison", rows: pd.DataFrame) -> tuple[str, str]:
    """Say what a row of a difference means, and how it comes about; "" where there are none."""
    steps = rows[rows["is_difference"] & rows["condition"].str.contains(" → ", regex=False)]
    moved = _MOVED if steps["direction"].isin(DIRECTIONS).any() else ""
    if comparison.pairs is None or not comparison.weights:
        return moved, ""
    shared = comparison.pairs.frame[ATTRIBUTE].nunique()
    of = [fit.frame[ATTRIBUTE].nunique() for fit in comparison.levels.values()]
    words = f" ({shared} of {joined([*map(str, of)])} attributes and controls)"
    words = "" if {*of} == {shared} else words
    return moved, _FITTED.format(len(comparison.pairs.frame), words)


def screen(comparison: "Comparison") -> str:
    """Return the finding, the leading contrast under every condition, and what lists say."""
    rows, in_sd = leading(comparison), comparison.compares_sds
    moved, fitted = notes_of(comparison, rows)
    title = (shown.short_label(rows.iloc[0]) if len(rows) else "") + ", in sd" * in_sd
    top, rule = rows[:_MOST_ROWS], comparison.rule
    labels, region = map(_short, top["condition"]), rope_of(rule)
    table = shown.answer_lines(top, labels, rule.label, region, title, compares_sds=in_sd)
    lines = [line for sentence in comparison.sentences for line in shown.folded(sentence)]
    lines += ["", *table, *filter(None, [moved])]
    lines += _means_by_list(comparison)
    lines += shown.folded(fitted) if fitted else []
    n, rest = len(comparison.contrasts) - len(rows), "; comparison.in_sample has your list"
    more = f"{n} more rows: comparison.contrasts, or --out DIR{rest * bool(comparison.in_sample)}."
    return "\n".join([*lines, "", *shown.folded(more)])


def _means_by_list(comparison: "Comparison") -> list[str]:
    """Return the means of lists under few conditions, of many lists the largest, as a table."""
    names, in_sd = [*comparison.levels, *comparison.weights], comparison.compares_sds
    if comparison.pairs is None or len(names) > 4:
        return []
    lists, title = _by_list(comparison.contrasts), f"{'in sd' if in_sd else 'mean'}, by list"
    if len(lists) > _MOST_LISTS:
        title = f"{title} ({_MOST_LISTS} of {len(lists)})"
        lists.sort(key=lambda part: -part[1]["standardised"].abs().max())
    content = [(title, *map(_short, names))]
    for (_, of, *_, contrast), part in lists[:_MOST_LISTS]:
        means = part.set_index("condition")["standardised" if in_sd else "mean"]
        cells = (signed(means[name]) if name in means else "" for name in names)
        content.append((f"{of}: {contrast}".replace("_", " ")[:32], *cells))
    table = shown.screen_table(content)
    return ["", *table] if len(content) > 1 and len(table[0]) <= shown.WIDTH else []


def _short(name: str) -> str:
    """Return the name of a condition or difference in at most 24 letters."""
    sides = ("trend, first to last" if name == TREND else name).split(" → ")
    most = 24 if len(sides) == 1 else 10
    return " → ".join(side if len(side) <= most else f"{side[: most - 1]}…" for side in sides)


def plot(
    comparison: "Comparison",
    *,
    figsize: "Size" = None,
    ax: "Axes | None" = None,
    title: str | None = None,
) -> Figure:
    """Draw the leading contrasts: before and after joined, several side by side."""
    from bayesbias.show import drawing

    title = comparison.sentences[0] if title is None else title
    names, is_paired = list(comparison.levels), comparison.pairs is not None
    times = times_of(names) if is_paired and len(names) > 2 else None
    at = dict(zip(names, range(len(names)) if times is None else times, strict=True))
    lead, in_sd = leading(comparison), comparison.compares_sds
    series = {str(lead["contrast"].iloc[0]) if len(lead) else "": lead[~lead["is_difference"]]}
    if is_paired and len(lead) and lead["level"].iloc[0] == "over all":
        levels = comparison.contrasts[~comparison.contrasts["is_difference"]]
        lists = [part for _, part in _by_list(levels)[: _MOST_SERIES - 1]]
        series |= {shown.row_label(next(part.itertuples())): part for part in lists}
    if in_sd:
        series = {label: shown.in_sds(part) for label, part in series.items()}
    joins = times is not None or (comparison.is_one_training and len(names) == 2)
    unit = _sd_of(comparison) if in_sd else "mean cosine distance"
    what = f"difference in {unit}, {comparison.rule.label}"
    return drawing.conditions_figure(series, at, title, what, figsize, ax, joined=joins)
