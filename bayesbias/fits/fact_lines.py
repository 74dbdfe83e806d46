"""Whether the associations of words go with numbers of them, such as the share of women.

Caliskan et al. (2017) and Garg et al. (2018) correlate associations of occupations with the share
of women in them. Errors of either side make correlations too small, and those of the numbers
slopes. Here associations are estimated word by word, with the covariance of their errors
(`unpooled`), and the line is one between true values (`inference.errors_in_variables`).
"""

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final, Unpack

import numpy as np
import pandas as pd

from bayesbias.constants import HDPI_PROB
from bayesbias.errors import ArgumentError, one_of, suggest
from bayesbias.fits.next_step import next_step
from bayesbias.fits.sentences import Names, interval, number, towards
from bayesbias.fits.unpooled import LEVELS, unshrunken_associations
from bayesbias.inference.decision import DecisionRule
from bayesbias.inference.errors_in_variables import LineDraws, draw_lines
from bayesbias.inference.intervals import interval_of
from bayesbias.support.arguments import refuse_no_frame, whole_number
from bayesbias.support.arrays import Array
from bayesbias.support.figure_style import Place
from bayesbias.support.result import Result
from bayesbias.support.seeds import seed_as_integer
from bayesbias.support.text_tables import (
    BULLET,
    Blocks,
    Column,
    Table,
    counted,
    interval_label,
    percent,
    probability,
    with_blank_lines,
    with_true_minus,
)
from bayesbias.support.types import Figure, Generator
from bayesbias.support.wording import Wording

if TYPE_CHECKING:
    from collections.abc import Sequence

    from bayesbias.fits.fit_result import Fit


FEWEST: Final = 5
"""Words that a line needs."""

CORRELATION: Final = Column(
    ("correlation", "correlation_low", "correlation_high"), "r, true values", "sds", drop_priority=2
)
"""The column of the correlation, which every table of lines has."""

_BAND_POINTS: Final = 60
_NAMED: Final = 4
"""Words that are named as examples."""

tell: Final = Wording("bayesbias.fits", "facts.jinja")


@dataclass(frozen=True, repr=False, eq=False)
class Facts(Result):
    """How associations of words go with numbers of them; made by `facts`.

    Parameters
    ----------
    table : DataFrame
        One row: ``n_words``; ``slope`` with ``slope_low`` and ``slope_high``, the change of the
        association with one unit of the true numbers; ``mean``, ``sd``, ``low`` and ``high`` of its
        change with one standard deviation of them, and ``p_above_zero``; ``verdict`` (rises,
        falls or undecided); ``correlation`` of the true values with ``correlation_low`` and
        ``correlation_high``, which are equal-tailed; ``raw_correlation`` and ``least_squares``,
        without the errors, which make them too small.
    words : DataFrame
        One row per word: ``word``, ``fact`` and ``fact_sd``, ``association`` and
        ``association_sd`` (not pooled over words), ``listed`` and ``predicted``, the line's height.
    band : DataFrame
        The line: ``fact``, ``mean``, ``low``, ``high``.
    left_out : DataFrame
        The words that are not used: ``word`` and ``reason``.
    column : str
        What the numbers are called.
    sides : tuple of str
        The association is positive where a word is closer to the first.
    titles : tuple of str
        What sentences call them.
    by : {"attribute", "word"}
    prob : float
    interval : str
    seed : int
    """

    table: pd.DataFrame
    words: pd.DataFrame
    band: pd.DataFrame
    left_out: pd.DataFrame
    column: str
    sides: tuple[str, str]
    titles: tuple[str, str]
    by: str
    prob: float
    interval: str
    seed: int

    @property
    def headline(self) -> str:
        """Whether words with larger numbers are closer to the first side."""
        row = self.table.iloc[0]
        return tell("headline", row["verdict"], self.column, *self.titles, number(row["mean"]))

    @property
    def sentence(self) -> str:
        """What the line says, with how much and how sure."""
        row: Any = next(self.table.itertuples())
        details = tell(
            "details",
            column=self.column,
            by=_towards(row.mean),
            label=interval_label(self.prob, self.interval),
            interval=interval(-row.low, -row.high),
            direction=_towards(row.mean).split()[1],
            probability=probability(max(row.p_above_zero, 1 - row.p_above_zero)),
            words=counted(row.n_words, "word"),
            r=_correlation(row.correlation),
            r_label=interval_label(self.prob, "eti"),
            r_interval=_correlations(row),
            raw=_correlation(row.raw_correlation),
        )
        return f"{self.headline} {details}"

    @property
    def blocks(self) -> Blocks:
        """The answer, its lines, what they mean, and the slope."""
        return self.screen(folder="", typed=False)

    def screen(self, *, folder: str, typed: bool) -> Blocks:
        """Return all of it; next steps differ for who types commands, by the folder of results."""
        row = self.table.iloc[0]
        told = row["verdict"], counted(row["n_words"], "word"), self.column
        then = next_step("facts", *told, folder, typed=typed)
        label = interval_label(self.prob, self.interval)
        columns = [
            Column("n_words", "words", "count", drop_priority=3),
            Column(("slope", "slope_low", "slope_high"), f"slope ({label})", "signed"),
            Column(("mean", "low", "high"), "per sd", "signed", drop_priority=1),
            Column("p_above_zero", "P(> 0)", "probability", drop_priority=3),
            CORRELATION,
            Column("raw_correlation", "raw r", "sds", drop_priority=2),
            Column("verdict", form="verdict"),
        ]
        what = "attributes" if self.by == "attribute" else "words"
        table = tell("table", what, *self.titles, self.column)
        left_out = ", ".join(dict.fromkeys(self.left_out["word"]))
        return [
            *(self.headline, self._range, then, "", tell("heading", *self.titles), self._lines, ""),
            *("What this means", *(f"{BULLET}{said}" for said in self._meaning), ""),
            *with_blank_lines(table, Table(self.table, columns), tell("slope", self.column)),
            *([tell("left_out", left_out)] if left_out else []),
        ]

    @property
    def _range(self) -> str:
        """How sure the headline is, and which words it is about."""
        row = self.table.iloc[0]
        sd = f"{self.words['fact'].std():.2g}"
        sure = interval_label(self.prob, self.interval), interval(-row["low"], -row["high"]), sd
        by_size = self.words.sort_values("fact", kind="stable")
        words, facts = by_size["word"].tolist(), [*map(_plain, by_size["fact"])]
        ends = words[0], facts[0], words[-1], facts[-1]
        return tell("range", *sure, counted(len(words), "word"), self.column, *ends)

    @property
    def _lines(self) -> Table:
        """The change with one standard deviation, and the correlation, a row each."""
        row: Any = next(self.table.itertuples())
        likely = probability(max(row.p_above_zero, 1 - row.p_above_zero))
        size, ends = _towards(row.mean), interval(-row.low, -row.high)
        if row.verdict == "undecided":
            size = "cannot tell"
        else:
            ends = ends.removesuffix(f" {size.split()[1]}")
        rows = [
            (tell("one_sd", self.column), size, ends, likely),
            (tell("correlation"), _correlation(row.correlation), _correlations(row), ""),
        ]
        heads = ["with", "difference", f"{percent(self.prob)} interval", "probability"]
        return Table(pd.DataFrame(rows, columns=heads))

    @property
    def _meaning(self) -> list[str]:
        """What was compared, and what the lines say."""
        row: Any = next(self.table.itertuples())
        noun = "attribute" if self.by == "attribute" else "protected word"
        some = ", ".join(self.words["word"][:_NAMED]) + (", …" if row.n_words > _NAMED else "")
        both = bool((self.words["fact_sd"] > 0).any())
        return [
            tell("compared", counted(row.n_words, noun), some, self.column, *self.titles),
            tell("interval", percent(self.prob)),
            tell("errors", _correlation(row.raw_correlation), both),
            tell("no_cause"),
        ]

    def plot(self, *, labels: int = 16, **place: Unpack[Place]) -> Figure:
        """Draw associations against the numbers, with errors, names, the line and its interval.

        `labels` is how many words are named, those farthest out and farthest from the line first.
        """
        from bayesbias.fits.facts_figure import plot_facts

        return plot_facts(self, labels, **place)


def _towards(association: float) -> str:
    """Write an association in words: above 0 it is to the first side."""
    return towards(-association)


def _plain(fact: float) -> str:
    """Write a number of the table, in its own unit."""
    return with_true_minus(f"{fact:.3g}")


def _correlation(value: float) -> str:
    """Write a correlation, whose sign is its direction."""
    return with_true_minus(f"{value:z.2f}")


def _correlations(row: Any) -> str:
    """Write the interval of the correlation."""
    return f"{_correlation(row.correlation_low)} to {_correlation(row.correlation_high)}"


def facts(
    fit: "Fit",
    table: pd.DataFrame,
    column: str,
    *,
    error: str | None = None,
    by: str = "attribute",
    groups: "Sequence[str] | None" = None,
    prob: float = HDPI_PROB,
    interval: str = "hpdi",
    draws: int = 4000,
    seed: int | np.random.Generator | None = None,
) -> Facts:
    """Ask whether the associations of words go with numbers of them, with the errors of both.

    Parameters
    ----------
    fit : Fit
        Of distances, with a normal likelihood.
    table : DataFrame
        One row per word: ``word`` (or ``attribute``, ``protected_word``) and numbers.
    column : str
        The numbers, such as the share of women in an occupation, or a rating.
    error : str, optional
        The column of their standard errors; without it the numbers are exact.
    by : {"attribute", "word"}
        The numbers are of attributes, whose association is how much closer they are to the first
        of two groups than to the second; or of protected words: how much closer they are to their
        associated attributes than to the different ones.
    groups : pair of str, optional
        The two groups, the first being the one that positive associations are with, such as
        ``("woman", "man")``. By default a list's two groups, in its order.
    prob, interval
        Probability and kind of the intervals.
    draws : int
    seed : int or Generator, optional

    Raises
    ------
    ArgumentError
        If fewer than five words have both a number and an association.
    FitError
        If the fit has no associations of single words.

    Notes
    -----
    Associations are the joint model's, before words learn from each other, with the covariance of
    their errors (`fits.unpooled`). The line has errors on both sides
    (`inference.errors_in_variables`). Its residuals are alike for similar attributes as far as the
    data say so, so that five kinds of nurses are not five occupations. ``raw_correlation`` is
    Pearson's r of the listed values, which errors attenuate, and what Caliskan et al. (2017) and
    Garg et al. (2018) give.

    Examples
    --------
    >>> import bayesbias as bb
    >>> jobs = {"nurse": 0.9, "librarian": 0.8, "secretary": 0.9, "lawyer": 0.4, "soldier": 0.2,
    ...     "doctor": 0.4, "maid": 0.9, "janitor": 0.3, "officer": 0.2, "dancer": 0.8}
    >>> table = pd.DataFrame({"word": jobs.keys(), "share": jobs.values()})
    >>> fit = bb.fit(bb.distances(bb.example_embedding(), "gender"), "paper", seed=1)
    >>> bb.facts(fit, table, "share", groups=("woman", "man"), seed=1).table["verdict"].item()
    'rises'
    """
    DecisionRule(prob=prob, interval=interval)
    whole_number(draws, "draws", "draws", least=100)
    known, without = numbers_of(table, column, error, by)
    leans = unshrunken_associations(fit, by, sides=groups, among=known.index.tolist())
    what = "attribute" if by == "attribute" else "protected word"
    fitted = frozenset(leans.words)
    absent = [word for word in known.index if word not in fitted]
    missing = [(word, f"the fit has no such {what}") for word in absent]
    used = [word for word in leans.words if word in known.index]
    if len(used) < FEWEST:
        raise ArgumentError(
            f"table: {len(used)} of its {counted(len(known), 'word')} with a number are among the "
            f"{len(leans.words)} {what}s of the fit; a line needs at least {FEWEST}"
            + (f". Not in the fit: {', '.join(absent[:5])}" if absent else "")
        )
    leans, known = leans.of(used), known.loc[used]
    number = seed_as_integer(seed)
    line = line_through(
        known["fact"].to_numpy(),
        known["fact_sd"].to_numpy(),
        leans.mean,
        leans.covariance,
        alike=leans.alike,
        prob=prob,
        interval=interval,
        draws=draws,
        rng=np.random.default_rng(number),
    )
    raw = float(np.corrcoef(known["fact"], leans.listed)[0, 1])
    row = {"n_words": len(used), **line.row, "raw_correlation": raw}
    words = pd.DataFrame(
        {
            "word": used,
            "fact": known["fact"].to_numpy(),
            "fact_sd": known["fact_sd"].to_numpy(),
            "association": leans.mean,
            "association_sd": np.sqrt(leans.covariance.diagonal()),
            "listed": leans.listed,
            "predicted": line.predicted,
        }
    )
    left_out = pd.DataFrame([*without, *missing], columns=["word", "reason"])
    title, sides = Names.of_frame(fit.frame).title, leans.sides
    first, second = (f"{side} words" if by == "word" else title[side] for side in sides)
    table, band = pd.DataFrame([row]), line.band.rename(columns={"x": "fact"})
    asked = by, prob, interval, number
    return Facts(table, words, band, left_out, column, sides, (first, second), *asked)


def numbers_of(
    table: pd.DataFrame, column: str, error: str | None, by: str
) -> tuple[pd.DataFrame, list[tuple[str, str]]]:
    """Return ``fact`` and ``fact_sd`` by word, and the words without a number."""
    refuse_no_frame(table)
    one_of(by, "by", LEVELS)
    names = [str(name) for name in table.columns]
    key = next((name for name in ("word", LEVELS[by]) if name in names), None)
    if key is None:
        raise ArgumentError(
            f"table: needs a column 'word' (or {LEVELS[by]!r}), not {', '.join(map(repr, names))}"
        )
    found = pd.DataFrame({"fact_sd": 0.0}, index=table.index)
    for what, name, into in (("column", column, "fact"), ("error", error, "fact_sd")):
        if name is None:
            continue
        if name not in names:
            raise ArgumentError(
                f"{what}={name!r}: the table has no such column{suggest(str(name), names)}"
            )
        if not pd.api.types.is_numeric_dtype(table[name]) or table[name].dtype == bool:
            raise ArgumentError(f"table: column {name!r} holds no numbers; use pd.to_numeric")
        found[into] = table[name].astype(float)
    found.index = pd.Index(table[key].astype(str))
    if found.index.has_duplicates:
        word = found.index[found.index.duplicated()][0]
        raise ArgumentError(f"table: {word!r} has two rows; give one per word")
    if (found["fact_sd"] < 0).any():
        raise ArgumentError(f"table: column {error!r}: a standard error is not below 0")
    finite = np.isfinite(found[["fact", "fact_sd"]]).all(axis=1)
    return found[finite], [(w, "the table has no number of it") for w in found.index[~finite]]


@dataclass(frozen=True)
class FittedLine:
    """A line with errors on both sides: a table's row, its band, and its height at every word."""

    row: dict[str, Any]
    band: pd.DataFrame
    predicted: Array


def line_through(
    x: Array,
    x_error: Array,
    y: Array,
    y_error: Array,
    *,
    prob: float,
    interval: str,
    draws: int,
    rng: Generator,
    alike: Array | None = None,
) -> FittedLine:
    """Draw a line, as `inference.errors_in_variables.draw_lines` does, and summarise it."""
    lines = draw_lines(x, x_error, y, y_error, draws=draws, rng=rng, alike=alike)
    margin = 0.05 * np.ptp(x)
    grid = np.linspace(x.min() - margin, x.max() + margin, _BAND_POINTS)
    heights = lines.at(grid)
    low, high = interval_of(heights, prob, interval).T
    band = pd.DataFrame({"x": grid, "mean": heights.mean(axis=0), "low": low, "high": high})
    row = _row(lines, prob, interval) | {"least_squares": float(np.polyfit(x, y, 1)[0])}
    return FittedLine(row, band, lines.at(x).mean(axis=0))


def _row(lines: LineDraws, prob: float, interval: str) -> dict[str, Any]:
    """Summarise the change with one standard deviation of the true x, the slope and r."""
    # β τ: per standard deviation of the true numbers, not of those that have errors.
    change = lines.slope * lines.spread
    low, high = interval_of(change, prob, interval)
    row = {
        "mean": float(change.mean()),
        "sd": float(change.std(ddof=1)),
        "low": float(low),
        "high": float(high),
        "p_above_zero": float((change > 0).mean()),
        "verdict": "rises" if low > 0 else "falls" if high < 0 else "undecided",
    }
    # A narrowest interval would depend on the scale: a correlation's posterior leans near ±1.
    of_r = interval_of(lines.correlation, prob, "eti")
    for name, values, ends in (
        ("slope", lines.slope, interval_of(lines.slope, prob, interval)),
        ("correlation", lines.correlation, of_r),
    ):
        row |= {name: float(values.mean())}
        row |= {f"{name}_low": float(ends[0]), f"{name}_high": float(ends[1])}
    return row
