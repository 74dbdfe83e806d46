"""Differences between connections, and what can be said of them.

A contrast is a difference of two means, such as associated − different, for words and attributes
like the listed ones. Interval and ROPE (Kruschke 2018) give its verdict. `chance` is another
question: how often groups that are unrelated to these lists would differ as much. Numerical error
of the ends of an interval is known, so that a verdict it could change is marked.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property, partial
from types import MappingProxyType
from typing import Any, Final, Unpack

import numpy as np
import pandas as pd

from bayesbias.constants import ATTRIBUTE_SET, CONTRASTS, GROUP, PROTECTED_WORD
from bayesbias.errors import ArgumentError, FitError, one_of
from bayesbias.fits import captions
from bayesbias.fits.between_groups import (
    BETWEEN,
    LIST,
    OTHER_GROUPS,
    ZERO,
    contrasts_of_lists,
    contrasts_of_sets,
)
from bayesbias.fits.crossed_groups import Factors, factor_weights
from bayesbias.fits.quantities import (
    MEAN_LEVELS,
    POINTS,
    FitContext,
    Groups,
    Quantities,
    chance_of,
    contrast_weights,
    crossed_labels,
    estimand,
    groups_of,
    listed_pairs,
    posterior_of,
)
from bayesbias.fits.sentences import tell
from bayesbias.fits.shown_rows import Shown, Titled, chosen_rows, titled
from bayesbias.fits.summaries import summarise
from bayesbias.inference.decision import DecisionRule
from bayesbias.inference.design import Design
from bayesbias.inference.intervals import JOINT, simultaneous_intervals, verdicts
from bayesbias.inference.questions import LinearCombinations
from bayesbias.support.arrays import Array, Index, Mask
from bayesbias.support.text_tables import (
    Blocks,
    Column,
    Table,
    counted,
    interval_column,
    label_of,
    verdict_shown,
)
from bayesbias.support.types import Figure

_BATCHES: Final = 10
_ERRORS: Final = 2.0  # Monte Carlo standard errors within which an end counts as on an edge
EXACT_ERROR: Final = 0.03
"""Error of an interval's ends, in posterior sds, where the engine integrates by a fixed rule."""

STANDARDISED: Final = ("standardised", "standardised_low", "standardised_high")
"""A difference and its interval in standard deviations of a neutral pair's distance."""

_ZERO: Final = "listed 0 by construction, else "

PAIRS: Final = Column("n_pairs", "pairs", "count", detail=True)

CHANCE_REASON: Final = "chance_reason"
"""The column that says why a chance is not known; there where one is not."""

_STEREOTYPES: Final = "associated − different"

CONTRAST_LEVELS: Final = (LIST, *MEAN_LEVELS, "factor")
"""All levels of contrasts, that which leads first."""

LIST_COLUMNS: Final = (
    Column(ATTRIBUTE_SET, "list"),
    Column(GROUP, "group"),
    Column(OTHER_GROUPS, drop_priority=5),
)
"""The columns that say who is compared on which list."""

_KEYS: Final[dict[str, list[str | Column]]] = {
    LIST: [*LIST_COLUMNS],
    "connection": [],
    "group": [GROUP],
    "word": [PROTECTED_WORD, GROUP],
    "factor": ["factor", "comparison"],
}


@dataclass(frozen=True, repr=False)
class Contrasts(Titled):
    """Differences between connections, from joint draws, each with a verdict.

    Made by `Fit.contrasts`.

    Parameters
    ----------
    table : DataFrame
        One row per contrast, or per group or word and contrast: the level's own columns;
        ``contrast``, such as ``associated − different``, negative where the first is closer;
        ``n_pairs`` of the connection that has fewer; ``listed``, the difference of the plain means
        of the listed pairs; and the columns of `summarise_contrasts`.
    by : {"list", "connection", "group", "word", "factor"}
        The level. By list the columns are ``attribute_set``; ``group``, those that a stereotype
        links to it; ``other_groups``; ``contrast``, ``between groups`` or the same ``compared with
        neutral words``; and ``zero_by_construction``, where no listed attribute tells the groups
        apart. By factor of crossed groups they are ``factor``, ``comparison`` (such as
        ``black − white``) and ``contrast``, of lists; with single groups, main effects and
        interactions.
    rule : DecisionRule
        The region of practical equivalence, and probability and kind of the interval.
    simultaneous : bool
        Whether the intervals of a contrast hold jointly for all rows. Then they are joint
        intervals whatever kind the rule has, and ``interval`` in the table says so.
    only_listed, groups, titles
        As of a `Summary`.
    """

    table: pd.DataFrame
    by: str
    rule: DecisionRule
    simultaneous: bool = False
    only_listed: bool = False
    groups: Groups = field(default_factory=Groups)
    factors: Mapping[str, Mapping[str, tuple[str, ...]]] = field(default_factory=dict)
    titles: Mapping[str, Mapping[str, str]] = field(default_factory=dict)

    @property
    def caption(self) -> str:
        """What the numbers are about, and the rule behind the verdicts."""
        said = [self.rule.caption_of(label_of(self.table))]
        joint = [captions.tell("joint")] if self.simultaneous else []
        said += [*filter(None, [self.about_chance]), *joint, *about_edge(self.table)]
        return " ".join(said)

    @property
    def about_chance(self) -> str:
        """What the column ``chance`` is, or why it is not known; "" without one."""
        if "chance" not in self.table:
            return ""
        if self.table["chance"].notna().any():
            return captions.tell("chance", of_lists=self.by == LIST)
        return captions.tell("chance", why=self.table[CHANCE_REASON].iloc[0])

    @cached_property
    def expected_false(self) -> pd.DataFrame:
        """How many of the rows with a direction are expected to have the other one.

        Columns ``contrast``, ``direction`` (closer or farther), ``n``, ``expected_false``: the sum
        over these rows of the posterior probability of the other sign (the posterior expected
        number of false discoveries; Müller, Parmigiani, Robert and Rousseau 2004).
        """
        rows = []
        for name, part in self.table.groupby("contrast", sort=False):
            for direction in ("closer", "farther"):
                found = part[part["verdict"].str.startswith(direction)]
                wrong = float((1.0 - found["p_direction"]).sum())
                rows.append((name, direction, len(found), wrong))
        return pd.DataFrame(rows, columns=["contrast", "direction", "n", "expected_false"])

    def to_dict(self) -> dict[str, Any]:
        """Return the table and the rule as plain data."""
        return {**super().to_dict(), "caption": self.caption}

    def plot(self, **shown: Unpack[Shown]) -> Figure:
        """Draw every contrast: a row each of all words, a panel each of groups or words.

        Of crossed groups, the groups of two levels beside each other, and the contrasts by factor.

        Other Parameters
        ----------------
        contrasts, groups, words : str or sequence of str, optional
            Only these, in this order, as far as the level has them.
        ax, figsize, palette : Axes, float or pair, str or sequence, optional
            Your axes; width in inches, or width and height; colours: the docs' page on figures.
        """
        from bayesbias.fits.interval_figures import plot_contrasts

        table, place = chosen_rows(self.table, shown)
        if self.by == "factor":
            from bayesbias.fits.crossed_figure import plot_crossed

            return plot_crossed(table, self.factors, self.rule, **place)
        return plot_contrasts(titled(table, self.titles), self.rule, **place)

    @property
    def blocks(self) -> Blocks:
        """The table, for words one per group, and what it means."""
        keys = [*_KEYS[self.by], "contrast"]
        if self.by == "factor":
            return [decisions_table(self.table, keys), captions.tell("crossed"), self.caption]
        said = estimand(self.by, self.groups, only_listed=self.only_listed)
        after = [said, *self.notes, self.caption]
        if self.by != "word":
            return [decisions_table(self.table, keys), *after]
        blocks: list[str | Table] = []
        for group, part in self.table.groupby(GROUP, sort=False):
            blocks += [f"{group}:", decisions_table(part, [PROTECTED_WORD, "contrast"]), ""]
        false = [
            tell(
                "expected_wrong",
                row.contrast,
                counted(row.n, "word"),
                row.direction,
                f"{row.expected_false:.1f}",
            )
            for row in self.expected_false.itertuples()
            if row.n
        ]
        return [*blocks, *false, *after]

    @property
    def notes(self) -> list[str]:
        """What a group's or a word's own answer is relative to."""
        if self.by not in ("group", "word") or _STEREOTYPES not in set(self.table["contrast"]):
            return []
        return [self.groups.note]


def contrasts_of(
    fitted: FitContext,
    by: str,
    rule: DecisionRule,
    *,
    simultaneous: bool = False,
    sets: tuple[str, str] | None = None,
    factors: Factors = MappingProxyType({}),
) -> Contrasts:
    """Compare connections by joint draws of their means; see `Fit.contrasts`."""
    one_of(by, "by", CONTRAST_LEVELS)
    design = fitted.design
    if sets is not None:
        if by != "group" or len(sets) != 2 or sets[0] == sets[1]:
            raise ArgumentError(
                f"sets={sets!r}: name two attribute sets, which every group is compared on "
                f"(by='group')"
            )
        found = posterior_of(fitted, *contrasts_of_sets(design, (sets[0], sets[1])))
    elif by == "factor":
        found = posterior_of(fitted, *factor_weights(design, factors))
    else:
        found = contrast_draws(fitted, by)
    families = pd.factorize(found.labels["contrast"])[0]
    if by == "factor":
        families[:] = 0
    table = summarise_contrasts(found, rule, families if simultaneous else None)
    if by == LIST:
        table = chance_of_lists(table)
    if by == "factor":
        return Contrasts(table, by, rule, simultaneous, factors=factors)
    groups = groups_of(design) if sets is None else Groups()
    return Contrasts(table, by, rule, simultaneous, design.fixed_mean is not None, groups)


def chance_of_lists(table: pd.DataFrame) -> pd.DataFrame:
    """Give groups on one list the chance of their difference compared with neutral words.

    Unrelated groups differ in how close they are to all words, by more than sampled words tell. So
    the chance that they differ on a list is that of what remains beside neutral words; without
    these it is not known.
    """
    if "chance" not in table or ATTRIBUTE_SET not in table:
        return table
    between = table["contrast"] == BETWEEN
    beside = table[~between].drop_duplicates(ATTRIBUTE_SET, keep="last")
    known = beside.set_index(ATTRIBUTE_SET)["chance"]
    chance = table["chance"].where(~between, table[ATTRIBUTE_SET].map(known))
    return with_chance_reason(table.assign(chance=chance), captions.tell("no_controls"))


def with_chance_reason(table: pd.DataFrame, reason: str) -> pd.DataFrame:
    """Say of every row without a chance why; unchanged where all have one, or none is asked."""
    if "chance" not in table or table["chance"].notna().all():
        return table
    return table.assign(**{CHANCE_REASON: np.where(table["chance"].isna(), reason, "")})


def contrast_draws(fitted: FitContext, by: str) -> Quantities:
    """Return the differences that are asked of a level, of connections or by list, with labels."""
    asked = asked_contrasts(fitted.design, by)
    return posterior_of(fitted, *asked, points=POINTS[by], chance=by != "word")


def asked_contrasts(design: Design, by: str) -> tuple[pd.DataFrame, LinearCombinations]:
    """Return the labels of a level's contrasts, with plain differences, and the weights of each."""
    if by == LIST:
        return contrasts_of_lists(design)
    pairs = compared_pairs(design)
    if not pairs:
        valid = "; ".join(f"{a} and {b}" for a, b in CONTRASTS)
        raise FitError(
            f"this fit has only the connections {', '.join(design.connections)}; a contrast needs "
            f"both of: {valid}"
        )
    labels = crossed_labels(design, by, "contrast", [contrast_name(*pair) for pair in pairs])
    (counts, listed), at = listed_pairs(design, by), design.protected_connection_names.index
    sides = [(at(a), at(b)) for a, b in pairs]
    fewer = np.stack([np.minimum(counts[:, a], counts[:, b]) for a, b in sides], axis=-1)
    labels["n_pairs"] = fewer.ravel()
    labels["listed"] = np.stack([listed[:, a] - listed[:, b] for a, b in sides], axis=-1).ravel()
    return labels, contrast_weights(design, by, pairs)


def can_compare(design: Design) -> bool:
    """Tell whether a design has two connections that are compared."""
    return bool(compared_pairs(design))


def compared_pairs(design: Design) -> list[tuple[str, str]]:
    """Return the pairs of connections that are compared and present."""
    present = set(design.connections)
    return [(a, b) for a, b in CONTRASTS if a in present and b in present]


def contrast_name(first: str, second: str) -> str:
    """Name a contrast, such as 'associated − human'."""
    return f"{first} − {second}"


def summarise_contrasts(
    found: Quantities, rule: DecisionRule, families: Index | None = None
) -> pd.DataFrame:
    """Summarise differences, a row each, and say what can be said of them.

    `families`, (n_quantities,): those whose intervals are to hold jointly. The columns are those of
    `summaries.summarise`, then ``p_below_zero``, the probability of a difference below 0;
    ``p_direction``, that of the likelier sign; ``rope``; ``below_rope``, ``inside_rope``,
    ``above_rope``, shares of the posterior that sum to 1; ``standardised``, ``standardised_low``,
    ``standardised_high`` in standard deviations of a neutral pair's distance; ``verdict``;
    ``on_edge``, whether the error of the computation could change the verdict; and, where the frame
    knows how alike attributes are, ``chance``: how often groups that are unrelated to these lists
    differ at least as much between them. Where that is not known, ``chance_reason`` says why.
    """
    width, exact = rule.width, found.exact
    below, low, high = (found.below(x) for x in (0.0, -width, width))
    if not exact:
        high = (found.draws <= width).mean(axis=0)  # the region's ends belong to it
    if exact and families is None:
        bounds = np.array([one.interval(rule.prob, rule.interval) for one in exact])
        error = EXACT_ERROR * np.array([[one.sd] for one in exact])
    else:  # joint intervals come from the draws, whatever is known of each row
        bounds, error = _ends_of_draws(found.draws, rule, families)
    interval = rule.interval if families is None else JOINT
    table = summarise(found, bounds, prob=rule.prob, interval=interval)
    table["p_below_zero"] = below
    table["p_direction"] = np.maximum(below, 1.0 - below)
    table["rope"] = width
    table["below_rope"], table["above_rope"] = low, 1.0 - high
    table["inside_rope"] = np.maximum(high - low, 0.0)
    scale = rule.scale or np.nan
    for name, source in zip(STANDARDISED, ("mean", "low", "high"), strict=True):
        table[name] = table[source] / scale
    table["verdict"] = verdicts(bounds[:, 0], bounds[:, 1], width).astype(object)
    table["on_edge"] = near_edge(bounds, error, rule)
    if found.unrelated is not None:
        table["chance"] = chance_of(table["mean"].to_numpy(), found.unrelated)
    return table


def _ends_of_draws(draws: Array, rule: DecisionRule, families: Index | None) -> tuple[Array, Array]:
    """Return the ends of the intervals of `summarise_contrasts`, and their errors."""
    ends: Callable[[Array], Array] = rule.bounds
    if families is not None:
        ends = partial(simultaneous_intervals, prob=rule.prob, sets=families)
    # Two standard errors of the ends, from batches of draws.
    n = len(draws) // _BATCHES * _BATCHES
    if n < 2 * _BATCHES:
        return ends(draws), np.full((draws.shape[1], 2), np.inf)
    # Draws that follow each other, so that a chain's autocorrelation is within the batches.
    of_batches = np.stack([ends(batch) for batch in np.split(draws[:n], _BATCHES)])
    return ends(draws), _ERRORS * of_batches.std(axis=0, ddof=1) / np.sqrt(_BATCHES)


def near_edge(bounds: Array, error: Array, rule: DecisionRule) -> Mask:
    """Tell which intervals have an end within its error of 0 or of an end of the ROPE."""
    edges = np.array([-rule.width, 0.0, rule.width])
    near = np.abs(bounds[..., None] - edges) < np.broadcast_to(error, bounds.shape)[..., None]
    return np.asarray(near.any(axis=(1, 2)))


def decisions_table(
    frame: pd.DataFrame, keys: Sequence[str | Column], caption: str = "", **options: Any
) -> Table:
    """Return decisions as a table, `keys` first; columns that the frame lacks are left out."""
    columns = [
        *(key if isinstance(key, Column) else Column(key) for key in keys),
        PAIRS,
        Column("listed", form="signed", drop_priority=3),
        Column("before", form="signed", drop_priority=5),
        Column("after", form="signed", drop_priority=5),
        Column("mean", form="signed"),
        interval_column(label_of(frame)),
        Column("standardised", "in sd", "sds", drop_priority=4),
        Column("p_below_zero", "P(< 0)", "probability", drop_priority=1),
        Column("inside_rope", "in ROPE", "likely", drop_priority=2),
        *chance_columns(frame),
        Column(CHANCE_REASON, "why no chance", "long", detail=True),
        Column("verdict_label", "verdict", "verdict"),
    ]
    given = with_verdict_labels(frame)
    if ZERO in given:
        zero = given[ZERO].astype(bool)
        given["verdict_label"] = given["verdict_label"].where(~zero, _ZERO + given["verdict_label"])
    known = set(given.columns[given.notna().any()])
    present = [c for c in columns if set(c.keys) <= set(given) and set(c.keys) & known]
    return Table(given, list(dict.fromkeys(present)), caption, **options)


def chance_columns(table: pd.DataFrame) -> list[Column]:
    """Return the column of chance, the verdict's other half; none where no row has one."""
    known = "chance" in table and table["chance"].notna().any()
    return [Column("chance", form="share")] if known else []


def about_chance(*tables: pd.DataFrame, of_lists: bool = False, changes: bool = False) -> list[str]:
    """Say what the column of chance is, where a row of these tables has it."""
    known = any(map(chance_columns, tables))
    return [captions.tell("chance", of_lists=of_lists, changes=changes)] if known else []


def about_edge(*tables: pd.DataFrame) -> list[str]:
    """Say what the mark of verdicts on the edge is, where a row of these tables has it."""
    marked = any("on_edge" in table and table["on_edge"].any() for table in tables)
    return [tell("edge_of_table")] if marked else []


def with_verdict_labels(frame: pd.DataFrame) -> pd.DataFrame:
    """Return decisions with ``verdict_label``, marked where numerical error could change it."""
    return frame.assign(verdict_label=[verdict_shown(row) for row in frame.itertuples()])
