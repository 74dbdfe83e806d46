"""What a comparison says: the finding first, then a screen of at most 24 lines.

What became of a contrast follows from three intervals: of before, of after and of their change.
"""

from itertools import combinations
from typing import TYPE_CHECKING, Any, Final

import pandas as pd

from bayesbias.comparison.changes import BY_CONSTRUCTION, KEYS
from bayesbias.comparison.conditions import TREND, TWO_TRAININGS
from bayesbias.fits.screen import aligned, folded
from bayesbias.show.narrator import DIRECTIONS, joined, leading_row, percent, signed
from bayesbias.words.provenance import names_of

if TYPE_CHECKING:
    from bayesbias.comparison.comparing import Comparison

_FITTED: Final = "A change has a fit of its own, and is not exactly after minus before."
_MOVED: Final = "Closer and farther in a row with →: than in the condition to its left."
_MOST_ROWS: Final = 9
_MOST_LISTS: Final = 4


def _outcome(before: Any, after: Any, change: Any) -> str:
    """Say what became of a contrast, from rows of its three intervals."""
    if after.mark == BY_CONSTRUCTION:
        return f"is {BY_CONSTRUCTION}"
    if "practically equal" in change.verdict:
        return "is unchanged"
    if change.direction not in DIRECTIONS:
        return "may have changed or not"
    if before.direction not in DIRECTIONS:
        return "has appeared" if after.direction in DIRECTIONS else "cannot be seen on either side"
    if change.direction == before.direction:
        return "is stronger"
    if "practically equal" in after.verdict:
        return "is gone"
    if after.direction not in DIRECTIONS:
        return "is weaker, and may be none,"
    return "is weaker" if after.direction == before.direction else "has turned round"


def leading(comparison: "Comparison") -> pd.DataFrame:
    """Return the contrast that leads, under every condition and difference that has it."""
    table = comparison.contrasts
    leads = [leading_row(table[table["condition"] == name]) for name in comparison.levels]
    if comparison.pairs is None:  # lists, each with its own; models
        return pd.DataFrame([row for row in leads if row is not None])
    if leads[0] is None:
        return table[:0]
    return table[(table[KEYS] == leads[0][KEYS]).all(axis=1) & (table["withheld"] == "")]


def by_list(table: pd.DataFrame) -> Any:
    """Group answers by list by their names."""
    lists = table[(table["level"] == "list") & (table["withheld"] == "")]
    return lists.groupby(KEYS, sort=False)


def sentences_of(comparison: "Comparison") -> tuple[str, ...]:
    """Return the finding, how much is left, and what must be read with them."""
    rows, agreement = leading(comparison), comparison.agreement
    if rows.empty:
        return ("Every contrast is withheld; give at least two words a group and list.",)
    if comparison.held_out is not None:
        first, *rest = comparison.held_out.sentences
        of = f" (list {comparison.tested})" if comparison.tested else ""
        first = f"On words that the method did not use{of}: {first[:1].lower()}{first[1:]}"
        return (first, *rest, _of_used(rows))
    if comparison.is_one_training and len(comparison.levels) == 2 and len(rows) == 3:
        sentences = _before_and_after(comparison, rows)
    else:
        sentences = [_trend(comparison, rows), _strongest(comparison, rows), _directions(rows)]
    if agreement is not None and agreement < TWO_TRAININGS:
        sentences.append(
            f"These vectors are of different trainings (coordinates correlate by {agreement:.2f}): "
            f"compare sizes in sd."
        )
    if comparison.used:
        sentences.append(f"{_of_used(rows)} Give test=LIST, a list of other words.")
    return tuple(filter(None, sentences))


def _before_and_after(comparison: "Comparison", rows: pd.DataFrame) -> list[str]:
    """Say what became of the association, of which lists otherwise, and how much is left."""
    before, after = comparison.levels
    whole, other = _outcome(*rows.itertuples()), dict[str, list[str]]()
    titles = names_of(comparison.levels[before].frame)
    if rows["level"].iloc[0] == "over all":
        for (_, name, *_), part in by_list(comparison.contrasts):
            own = _outcome(*part.itertuples()) if len(part) == 3 else whole
            if own != whole:
                other.setdefault(own, []).append(titles.list(name))
    head = f"{'On average the' if other else 'The'} association {whole} in {after!r}"
    parts = [f"for {joined(names)} it {own.rstrip(',')}" for own, names in other.items()]
    row = comparison.left.set_index(KEYS).loc[tuple(rows[KEYS].iloc[0])]
    shares = [f"{row[c]:.0%}".replace("-", "−") for c in ("left", "left_low", "left_high")]
    rest = "{} of it is left ({} {} to {}).".format(shares[0], comparison.rule.label, *shares[1:])
    if row["reason"] == BY_CONSTRUCTION:
        rest = (
            "No listed attribute tells the groups apart, so that these words test nothing: say "
            "used= what debiasing used, and the answer is of other words."
        )
    elif row["reason"]:
        rest = f"How much is left {row['reason'].replace('cannot tell', 'cannot be told')}."
    return [f"{'; '.join([head, *parts])}.", rest]


def _trend(comparison: "Comparison", rows: pd.DataFrame) -> str:
    """Say how far the association went along the line; "" without a trend."""
    (first, *_, last), own = comparison.levels, rows[rows["condition"] == TREND]
    if own.empty:
        return ""
    row = own.iloc[0]
    way = {"closer": "stronger", "farther": "weaker"}.get(row["direction"])
    if way is None:
        ends = f"{comparison.rule.label} {signed(row['low'], 2)} to {signed(row['high'], 2)}"
        return f"Whether the association changed from {first} to {last} cannot be told ({ends})."
    size = f"{abs(row['standardised']):.2f} sd"
    return f"From {first} to {last} the association became {way}, by {size}."


def _strongest(comparison: "Comparison", rows: pd.DataFrame) -> str:
    """Say where the contrast that leads is largest; "" where not every pair was compared."""
    pairs = {f"{a} → {b}" for a, b in combinations(comparison.levels, 2)}
    if comparison.pairs is None or not pairs <= set(comparison.weights) or comparison.ranks.empty:
        return ""
    names, ranks = ["level", "list", "contrast"], comparison.ranks
    own = ranks[(ranks[names] == rows[names].iloc[0]).all(axis=1)]
    best = own.loc[own["rank_1"].idxmax()] if len(own) else {"rank_1": 0.0}
    if best["rank_1"] < comparison.rule.ci_prob:
        return "Where the association is strongest cannot be told."
    share = percent(best["rank_1"])
    return f"The association is strongest in {best['condition']!r} (probability {share})."


def _directions(rows: pd.DataFrame) -> str:
    """Say under which conditions the contrast that leads has which direction."""
    levels = rows[~rows["is_difference"]]
    where = levels.groupby("direction", sort=False)["condition"].agg(list)
    parts = [f"{way} in {joined([*map(repr, names)])}" for way, names in where.items()]
    return f"{levels['contrast'].iloc[0]}: {'; '.join(parts)}."


def _of_used(rows: pd.DataFrame) -> str:
    """Say what the asked list itself can tell."""
    sentences = {
        BY_CONSTRUCTION: f"On the asked list it is {BY_CONSTRUCTION}, which tests nothing.",
        "used": "Every pair of the asked list has a word that the method used: it tests nothing.",
    }
    mark = rows.loc[~rows["is_difference"], "mark"].iloc[-1]
    return sentences.get(mark, "Some pairs of the asked list have a word that the method used.")


def screen(comparison: "Comparison") -> str:
    """Return the finding, the leading contrast under every condition, and what lists say."""
    shown = comparison.held_out or comparison
    rows, label = leading(shown), comparison.rule.label
    lines = [line for sentence in comparison.sentences for line in folded(sentence)]
    title = rows["contrast"].iloc[0] if len(rows) else ""
    content: list[tuple[str, ...]] = [(title, "observed", "mean", label, "in sd", "verdict")]
    for row in rows[:_MOST_ROWS].itertuples():
        numbers = signed(row.observed), signed(row.mean), f"{signed(row.low)} to {signed(row.high)}"
        verdict = row.verdict.replace(", size undecided", "*")
        content.append((str(row.condition), *numbers, signed(row.standardised, 2), verdict))
    lines += ["", *aligned(content)]
    if any(cells[-1].endswith("*") for cells in content):
        lines.append("* size undecided: the interval meets the ROPE")
    changes = rows[rows["is_difference"] & rows["condition"].astype(str).str.contains(" → ")]
    if changes["direction"].isin(DIRECTIONS).any():
        lines.append(_MOVED)
    names = [*shown.levels, *shown.weights]
    if shown.pairs is not None and len(names) <= 4:
        content = [("mean, by list", *names)]
        for (_, of, *_, contrast), part in list(by_list(shown.contrasts))[:_MOST_LISTS]:
            means = dict(zip(part["condition"], part["mean"], strict=True))
            cells = (signed(means[n]) if n in means else "" for n in names)
            content.append((f"{of}: {contrast}".replace("_", " ")[:32], *cells))
        if len(content) > 1:
            lines += ["", *aligned(content)]
            if shown.weights:
                lines.append(_FITTED)
    n = len(comparison.contrasts) - len(rows)
    return "\n".join([*lines, "", f"{n} more rows: comparison.contrasts; comparison.plot() draws."])
