"""What a comparison says: the finding first, a screen of at most 24 lines, a figure and a page.

What became of a contrast follows from three intervals: of before, of after and of their change.
Figures have conditions from above to below, and closer to the left. Before and after are joined, as
are times, since a line between conditions says that one becomes the other; of several embeddings,
lists or models the intervals alone are drawn.
"""

from collections.abc import Iterator
from itertools import combinations
from typing import TYPE_CHECKING, Any, Final

import pandas as pd

from bayesbias.comparison.changes import BY_CONSTRUCTION, KEYS
from bayesbias.comparison.conditions import TREND, TWO_TRAININGS, times_of
from bayesbias.comparison.used import unused_pairs
from bayesbias.fits.checks import COLUMNS
from bayesbias.fits.contrasts import OWN
from bayesbias.fits.output import means_of, methods_of, page_of_any, rope_of, verdict_sentence
from bayesbias.show import page as show
from bayesbias.show.answer_table import (
    WIDTH,
    answer_lines,
    answer_table,
    folded,
    in_sds,
    row_label,
    screen_table,
)
from bayesbias.show.narrator import DIRECTIONS, joined, leading_row, percent, signed
from bayesbias.support.arguments import Axes, Figure
from bayesbias.words.keys import distance_key
from bayesbias.words.provenance import names_of, source_of, title_of

if TYPE_CHECKING:
    from bayesbias.comparison.comparing import Comparison
    from bayesbias.show.style import Size

_FITTED: Final = (
    "What has → is estimated from the {:,} pairs that all conditions share, lists drawn towards "
    "each other: report it for a change; it need not be the difference of two rows."
)
_MOVED: Final = "Closer and farther in a row with →: than in the condition to its left."
_MOST_ROWS: Final = 9
_MOST_LISTS: Final = 4
_MOST_SERIES: Final = 6


def _outcome(before: Any, after: Any, change: Any) -> str:
    """Say what became of a contrast, from rows of its three intervals."""
    if after.mark == BY_CONSTRUCTION:
        return f"is {BY_CONSTRUCTION}"
    if "practically equal" in change.verdict:
        return "is unchanged"
    if change.direction not in DIRECTIONS:
        return "may or may not have changed"
    if before.direction not in DIRECTIONS:
        return "has appeared" if after.direction in DIRECTIONS else "cannot be seen on either side"
    if change.direction == before.direction:
        return "is stronger"
    if "practically equal" in after.verdict:
        return "is gone"
    if after.direction not in DIRECTIONS:
        return "is weaker, and may be gone,"
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
    if comparison.is_one_training and comparison.is_change and len(rows) == 3:
        sentences = _before_and_after(comparison, rows)
    else:
        levels = rows[~rows["is_difference"]]
        where = levels.groupby("direction", sort=False)["condition"].agg(list)
        parts = [f"{way} in {joined([*map(repr, names)])}" for way, names in where.items()]
        sentences = [_trend(comparison, rows), _strongest(comparison, rows)]
        contrast = levels["contrast"].iloc[0]
        what = "Groups and their own lists" if contrast == OWN else row_label(levels.iloc[0])
        sentences.append(f"{what}: {'; '.join(parts)}.")
    if agreement is not None and agreement < TWO_TRAININGS:
        sentences.append(
            f"These vectors are of different trainings (coordinates correlate by {agreement:.2f})"
            f"{', so that sizes are in sd of a neutral pair.' if comparison.compares_sds else '.'}"
        )
    levels = rows[~rows["is_difference"]]
    if comparison.in_sample is not None:
        of = f" (list {comparison.tested})" if comparison.tested else ""
        first = next(filter(None, sentences))
        head = f"On words that the method did not use{of}: {first[:1].lower()}{first[1:]}"
        rest = sentences[sentences.index(first) + 1 :]
        sentences = [head, *rest, _of_used(leading(comparison.in_sample))]
    elif comparison.used and comparison.pairs is not None:
        frame = comparison.pairs.frame
        none = len(unused_pairs(frame, comparison.used)) == len(frame)
        of_used = f"{_of_used(rows)} Give test=LIST, a list of other words."
        sentences.append("No pair has a word that the method used." if none else of_used)
    sentences.append(_usual(levels))
    zero = [*map(repr, levels.loc[levels["mark"] == BY_CONSTRUCTION, "condition"])]
    if zero and not comparison.used and len(comparison.levels) > 2:
        sentences.append(
            f"In {joined(zero)} it is {BY_CONSTRUCTION}, so that these words test nothing: say "
            f"used= what debiasing used."
        )
    return tuple(filter(None, sentences))


def _before_and_after(comparison: "Comparison", rows: pd.DataFrame) -> list[str]:
    """Say what became of the association, of which lists otherwise, and how much is left."""
    before, after = comparison.levels
    whole, by_outcome = _outcome(*rows.itertuples()), dict[str, list[str]]()
    titles = names_of(comparison.levels[before].frame)
    if rows["level"].iloc[0] == "over all":
        for (_, name, *_), part in by_list(comparison.contrasts):
            own = _outcome(*part.itertuples()) if len(part) == 3 else whole
            by_outcome.setdefault(own, []).append(titles.list(name))
    is_one = len(by_outcome) == 1
    others = {own: of for own, of in by_outcome.items() if own != whole}
    head = f"{'On average the' if others else 'The'} association {whole} in {after!r}"
    parts = [
        f"{'on each list alone' if is_one else f'for {joined(of)}'} it {own.rstrip(',')}"
        for own, of in others.items()
    ]
    row = comparison.left.set_index(KEYS).loc[tuple(rows[KEYS].iloc[0])]
    shares = [f"{row[c]:.0%}".replace("-", "−") for c in ("left", "left_low", "left_high")]
    ends = "{} {} to {}".format(comparison.rule.label, *shares[1:])
    below = "; below 0 it is reversed" if row["left_low"] < 0 else ""
    rest = f"{shares[0]} of the association is left ({ends}{below})."
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
    row = (in_sds(own) if comparison.compares_sds else own).iloc[0]
    unit = " sd" if comparison.compares_sds else ""
    ends = f"{comparison.rule.label} {signed(row['low'], 2)} to {signed(row['high'], 2)}{unit}"
    way = {"closer": "stronger", "farther": "weaker"}.get(row["direction"])
    if way is None:
        size = f"{signed(row['mean'], 2)}{unit}, above 0 is weaker" * _is_of_own(row)
        return (
            f"Whether the association changed from {first} to {last} cannot be told: "
            f"{size or row_label(row)} ({ends})."
        )
    if not _is_of_own(row):
        size = f"{signed(row['mean'], 2)}{unit}"
        return f"From {first} to {last} {row_label(row)} changed by {size} ({ends})."
    size = f"{abs(row['mean']):.2f}{unit}"
    return f"From {first} to {last} the association became {way}, by {size} ({ends})."


def _is_of_own(row: Any) -> bool:
    """Tell whether below 0 is closer to a group's own lists; else a sign is that of the groups."""
    return row["level"] != "list" and "−" in row["contrast"]


def _strongest(comparison: "Comparison", rows: pd.DataFrame) -> str:
    """Say where the contrast that leads is largest; "" where not every pair was compared."""
    pairs = {f"{a} → {b}" for a, b in combinations(comparison.levels, 2)}
    if not pairs <= set(comparison.weights) or comparison.ranks.empty:
        return ""
    if rows.empty or not _is_of_own(rows.iloc[0]):
        return ""
    names, ranks = ["level", "list", "contrast"], comparison.ranks
    own = ranks[(ranks[names] == rows[names].iloc[0]).all(axis=1)]
    best = own.loc[own["rank_1"].idxmax()] if len(own) else {"rank_1": 0.0}
    if best["rank_1"] < comparison.rule.ci_prob:
        return "Where the association is strongest cannot be told."
    share = percent(best["rank_1"]) if best["rank_1"] < 0.995 else "over 99%"
    return f"The association is strongest in {best['condition']!r} (probability {share})."


def _usual(levels: pd.DataFrame) -> str:
    """Say how many random groups differ as much under every condition; "" without any."""
    shares = levels.set_index("condition")["random_groups"].dropna()
    texts = [f"{percent(share)} in {name!r}" for name, share in shares.items()]
    return f"Random word groups that differ as much: {joined(texts)}." if texts else ""


def _of_used(rows: pd.DataFrame) -> str:
    """Say what the asked list itself can tell."""
    sentences = {
        BY_CONSTRUCTION: f"On the asked list it is {BY_CONSTRUCTION}, which tests nothing.",
        "used": "Every pair of the asked list has a word that the method used: it tests nothing.",
    }
    if rows.empty:
        return "Every contrast of the asked list is withheld."
    mark = rows.loc[~rows["is_difference"], "mark"].iloc[-1]
    return sentences.get(mark, "Some pairs of the asked list have a word that the method used.")


def screen(comparison: "Comparison") -> str:
    """Return the finding, the leading contrast under every condition, and what lists say."""
    rows, label = leading(comparison), comparison.rule.label
    lines = [line for sentence in comparison.sentences for line in folded(sentence)]
    title = rows["contrast"].iloc[0] if len(rows) else ""
    title += ", in sd" if comparison.compares_sds else ""
    top = rows[:_MOST_ROWS]
    in_sd, region = comparison.compares_sds, rope_of(comparison.rule)
    labels = map(_short, top["condition"])
    lines += ["", *answer_lines(top, labels, label, region, title, compares_sds=in_sd)]
    if _has_moved(rows):
        lines.append(_MOVED)
    names = [*comparison.levels, *comparison.weights]
    if comparison.pairs is not None and len(names) <= 4:
        head = "in sd, by list" if in_sd else "mean, by list"
        content: list[tuple[str, ...]] = [(head, *map(_short, names))]
        for (_, of, *_, contrast), part in list(by_list(comparison.contrasts))[:_MOST_LISTS]:
            values = part["standardised" if in_sd else "mean"]
            means = dict(zip(part["condition"], values, strict=True))
            cells = (signed(means[n]) if n in means else "" for n in names)
            content.append((f"{of}: {contrast}".replace("_", " ")[:32], *cells))
        table = screen_table(content)
        if len(content) > 1 and len(table[0]) <= WIDTH:
            lines += ["", *table]
    lines += folded(_fitted(comparison))
    n, rest = len(comparison.contrasts) - len(rows), "; comparison.in_sample has the asked list"
    more = f"{n} more rows: comparison.contrasts, or --out DIR{rest * bool(comparison.in_sample)}."
    return "\n".join([*lines, "", *folded(more)])


def _fitted(comparison: "Comparison") -> str:
    """Say how differences come about; "" where there are none."""
    if comparison.pairs is None or not comparison.weights:
        return ""
    return _FITTED.format(len(comparison.pairs.frame))


def _short(name: str) -> str:
    """Return the name of a condition or difference in at most 24 letters."""
    sides = ("trend, first to last" if name == TREND else str(name)).split(" → ")
    most = 24 if len(sides) == 1 else 10
    return " → ".join(side if len(side) <= most else f"{side[: most - 1]}…" for side in sides)


def _list_title(comparison: "Comparison") -> str:
    """Return what pairs are of, without the embedding, of which there are several."""
    source = dict(source_of(next(iter(comparison.levels.values())).frame))
    source.pop("embedding", None)
    return title_of(source)


def _has_moved(rows: pd.DataFrame) -> bool:
    """Tell whether a difference between two conditions is closer or farther."""
    changes = rows[rows["is_difference"] & rows["condition"].astype(str).str.contains(" → ")]
    return bool(changes["direction"].isin(DIRECTIONS).any())


def plot(
    comparison: "Comparison",
    *,
    figsize: "Size" = None,
    ax: "Axes | None" = None,
    title: str | None = None,
) -> Figure:
    """Draw the leading contrasts: before and after joined, several side by side.

    `figsize`: width in inches, or width and height. `title`: by default the finding.
    """
    from bayesbias.show import drawing

    title = comparison.sentences[0] if title is None else title
    names = list(comparison.levels)
    times = times_of(names) if comparison.pairs is not None and len(names) > 2 else None
    at = dict(zip(names, range(len(names)) if times is None else times, strict=True))
    in_sd = comparison.compares_sds
    series = {label: in_sds(part) if in_sd else part for label, part in _series(comparison)}
    joins = times is not None or (comparison.is_one_training and len(names) == 2)
    unit_name = "sd of a neutral pair" if in_sd else "mean cosine distance"
    what = f"difference in {unit_name}, {comparison.rule.label}"
    return drawing.conditions_figure(series, at, title, what, figsize, ax, joined=joins)


def _series(comparison: "Comparison") -> Iterator[tuple[str, pd.DataFrame]]:
    """Yield the contrast that leads, then those by list: labels, and a row for each condition."""
    lead = leading(comparison)
    yield str(lead["contrast"].iloc[0]) if len(lead) else "", lead[~lead["is_difference"]]
    if comparison.pairs is not None and len(lead) and lead["level"].iloc[0] == "over all":
        table = comparison.contrasts
        for _, part in list(by_list(table[~table["is_difference"]]))[: _MOST_SERIES - 1]:
            yield row_label(next(part.itertuples())), part


def page_of(comparison: "Comparison", command: str | None) -> show.Page:
    """Return a comparison as a page."""
    first, lead = next(iter(comparison.levels.values())), leading(comparison)
    label, in_sd = comparison.rule.label, comparison.compares_sds
    moved = _MOVED * _has_moved(lead)
    rows = [f"{n}: seed {f.seed}, {f.pairs_sha256}" for n, f in comparison.levels.items()]
    tables = {"contrasts": ("All answers", comparison.contrasts)}
    if comparison.in_sample is not None:
        tables["in_sample"] = "Of the asked list", comparison.in_sample.contrasts
    tables["means"] = "Mean distances", means_of(comparison.levels, comparison.rule)
    return show.Page(
        subject=f"{_list_title(comparison)}: {joined([*comparison.levels])}",
        sentences=comparison.sentences,
        figure=show.in_both_widths(
            lambda width: plot(comparison, figsize=width, title=""), comparison.sentences[0]
        ),
        answers={
            **(table := answer_table(lead, lead["condition"], label, compares_sds=in_sd)),
            "note": " ".join(filter(None, [table["note"], moved, _fitted(comparison)])),
        },
        charts=[*_charts(comparison)],
        checks=checks_of(comparison),
        method=[
            methods_of(comparison.levels, comparison.rule),
            verdict_sentence(comparison.rule),
            "Levels are each condition's own analysis. For differences the weighted sum of "
            "distances is modelled as distances are.",
        ],
        reproduce={
            "Command": command,
            "Conditions": "\n".join(rows),
            "Versions": "\n".join(f"{name}: {number}" for name, number in first.versions.items()),
        },
        details=[show.full_table(name, *content) for name, content in tables.items()],
        **page_of_any(first),
    )


def checks_of(comparison: "Comparison") -> pd.DataFrame:
    """Return whether draws behind the finding can be trusted, and the vectors."""
    fits = {**comparison.levels, **comparison.differences}.items()
    rows = [
        (f"computation, {n}", f.diagnostics.sentence, "; ".join(f.diagnostics.problems))
        for n, f in fits
    ]
    if comparison.pairs is not None:
        frames, columns = [f.frame for f in comparison.levels.values()], distance_key()
        n_words = comparison.pairs.frame[columns].nunique(), pd.concat(frames)[columns].nunique()
        texts = (f"{n} of {of}" for n, of in zip(*n_words, strict=True))
        what = "{} protected words and {} attributes are in all conditions".format(*texts)
        rows.append(("same words", what, ""))
    if comparison.agreement is not None:
        is_one = comparison.agreement >= TWO_TRAININGS
        what = "one training" if is_one else "different trainings"
        what += f": coordinates of the vectors correlate by {comparison.agreement:.2f}"
        advice = "" if is_one or not comparison.used else "is this the file that was debiased?"
        rows.append(("training", what, advice))
    if comparison.used:
        n = len(comparison.used)
        what = f"the method used {n} words: for its direction, as equal ones, or by name"
        advice = "" if comparison.in_sample is not None else "give test=, a list of other words"
        rows.append(("words that debiasing used", what, advice))
    content = [(name, "warn" if advice else "pass", what, advice) for name, what, advice in rows]
    return pd.DataFrame(content, columns=list(COLUMNS))


def _charts(comparison: "Comparison") -> Iterator[show.Chart]:
    """Yield contrasts by list and by word, with a mark for each condition."""
    table, unit = comparison.contrasts, ", in sd" if comparison.compares_sds else ""
    table = in_sds(table) if unit else table
    for level, title in (("list", "Attribute lists"), ("word", "Protected words")):
        of_level = (table["level"] == level) & (table["withheld"] == "")
        rows = table[of_level & ~table["is_difference"]]
        if len(rows):
            labels = [row_label(row) for row in rows.itertuples()]
            group = rows["group"] if level == "word" else ""
            rows = rows.assign(label=labels, group=group)
            head = f"{title}: {OWN}{unit}" if level == "word" else f"{title}{unit}"
            note = f"Lines: {comparison.rule.label}. "
            note += show.OF_WORDS if level == "word" else ""
            yield show.condition_chart(f"by-{level}", head, rows, level, note)
