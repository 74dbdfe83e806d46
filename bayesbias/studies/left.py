"""How much of an association is left: before and after in one model of both sides.

Every effect of the model (of a word, an attribute, a group with an attribute …) and the noise is a
pair of numbers, before and after, normal with mean 0 and a 2 × 2 covariance of its own, of which
nothing is assumed; attributes are as much alike on either side (K, the mean over both). So whatever
a change takes away, the scatter of an association with its mean or the mean alone, is found and not
given. Any weighted sum of a pair's two distances then follows the model of one side, each effect
with a variance of its own, and a joint normal distribution is known by its sums (Cramér and Wold
1936). Before, after, their difference and after − r · before are such margins, and each is
integrated in closed form as a fit of its own would be.

A share r of an association is left where after − r · before has none. So its interval holds every r
for which the interval of that margin holds 0 (Fieller 1954): 0 where that of after holds 0, 1 where
that of the change does. It has ends where the interval of before leaves out 0. No draws of a ratio
are taken, of which a denominator near 0 would make a heavy tail.
"""

import dataclasses
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial
from typing import Any, Final, Unpack

import numpy as np
import pandas as pd

from bayesbias.constants import (
    AFTER,
    ATTRIBUTE_SET,
    BEFORE,
    CHANGE,
    CONNECTION,
    GROUP,
    STEREOTYPE_CONNECTIONS,
)
from bayesbias.errors import DistancesError
from bayesbias.fits.between_groups import (
    BETWEEN,
    OTHER_GROUPS,
    ZERO,
    contrasts_of_lists,
    has_lists,
    lists_of,
    zero_by_construction,
)
from bayesbias.fits.contrasts import contrast_name
from bayesbias.fits.fit_result import Fit
from bayesbias.fits.quantities import contrast_weights
from bayesbias.fits.refitted import ALL_GROUPS
from bayesbias.fits.sentences import Names
from bayesbias.inference.adapting import adapt_model_to_data
from bayesbias.inference.block import blocks_of
from bayesbias.inference.decision import DecisionRule
from bayesbias.inference.design import Design
from bayesbias.inference.model_files import list_models, load_model
from bayesbias.inference.questions import between_weights, stacked
from bayesbias.inference.refits import Refits
from bayesbias.inference.specification import ModelSpec
from bayesbias.pairs.provenance import SIDES
from bayesbias.pairs.reference import reference_rows
from bayesbias.support.arrays import Array
from bayesbias.support.figure_style import Place
from bayesbias.support.forests import Forest, Mark, Row, plot_forests, span_of
from bayesbias.support.text_tables import Column, Table, label_of, typeset
from bayesbias.support.types import Figure

_NUMBERS: Final = tuple(
    f"{name}{end}" for name in ("before", "after", CHANGE, "left") for end in ("", "_low", "_high")
)
COLUMNS: Final = (GROUP, "contrast", *_NUMBERS, "reason", "interval", "prob", "pareto_k")
_LIST_KEYS: Final = (ATTRIBUTE_SET, GROUP, OTHER_GROUPS, "contrast", ZERO)
LIST_COLUMNS: Final = (*_LIST_KEYS, *_NUMBERS, "reason", "interval", "prob", "pareto_k")

_NONE_BEFORE: Final = "before may be none"
_BARELY_BEFORE: Final = "before is barely more than none"
_TOO_WIDE: Final = "its interval is wider than 100 points"
_CONSTANT: Final = "the distances of one side do not vary"

Margin = Callable[[float, float], Array]
"""From the weights of after and before to the mean and both ends of the interval of their sum."""

WIDEST: Final = 1.0
"""Interval of a share, at most: a wider one tells less than before and after do by themselves."""

_NEAR: Final = 0.02
"""Of half an interval's width: how near to 0 the end of a margin is that ends a share."""

_MOST: Final = 8  # margins that are fitted to find an end of a share, at most
_FARTHEST: Final = 4.0  # times as far from the ratio as the last margin the next may be


LEFT_SAID: Final = (
    "All four come from one model of both sides, in which what words, attributes and groups have "
    "before may go together in any way with what they have after. A share is possible if after "
    "less that share of before may be 0: the interval of shares holds 0% where that of after holds "
    "0, and 100% where that of the change does."
)


class Margins:
    """Weighted sums of both sides' distances, each fitted by itself in closed form.

    What is asked is the difference of two connections, over all groups and in each of `groups`;
    then, if these are of stereotypes, that between groups on each of `lists`.
    """

    def __init__(
        self,
        pairs: pd.DataFrame,
        spec: ModelSpec,
        pair: tuple[str, str],
        refits: Refits | None = None,
    ) -> None:
        # What a margin explains is centred, as a change is: cosines, with the sign of distances.
        self._before, self._after = (pairs[side].to_numpy() - 1.0 for side in (BEFORE, AFTER))
        frame = pairs.assign(**{CHANGE: self._before})
        spec, _ = adapt_model_to_data(spec, frame)
        self.design = Design.from_frame(frame, spec)
        levels, self.groups = ["connection"], [ALL_GROUPS]
        if self.design.has_groups:
            levels.append("group")
            self.groups += [self.design.groups[g] for g in self.design.protected_groups]
        asked = [contrast_weights(self.design, by, [pair]) for by in levels]
        self.lists = pd.DataFrame(columns=list(_LIST_KEYS))
        if pair == STEREOTYPE_CONNECTIONS and has_lists(self.design):
            found = lists_of(self.design)
            labels, _ = contrasts_of_lists(self.design)
            zero = zero_by_construction(self.design, found, self._after)
            self.lists = labels.loc[labels["contrast"] == BETWEEN, list(_LIST_KEYS)]
            self.lists[ZERO] = [zero[place] for place in found.compared]
            asked.append(between_weights(self.design, found))
        self._weights = stacked(asked)
        self._refits = refits or Refits(spec)
        self._known: dict[tuple[float, float], tuple[Any, ...]] = {}
        self.pareto_k = -np.inf

    def of(self, row: int, rule: DecisionRule, after: float, before: float) -> Array:
        """Return mean, low and high for a row of `groups`, then `lists`; NaN if nothing varies."""
        key = after, before
        if key not in self._known:
            # A sum of both sides follows the model of one side, with sds of its own: the same
            # engine fits it as if it were the distances.
            response = after * self._after + before * self._before
            seen = dataclasses.replace(self.design, response=response)
            try:
                found = self._refits.answers(seen, self._weights)
            except DistancesError:  # the sum does not scatter
                return np.full(3, np.nan)
            self._known[key] = found.answers
            self.pareto_k = max(self.pareto_k, found.pareto_k)
        answer = self._known[key][row]
        return np.array([answer.mean, *answer.interval(rule.prob, rule.interval)])

    @property
    def shares(self) -> list[float]:
        """The shares r whose margin after − r · before is known, for every row."""
        return [-before for after, before in self._known if after == 1.0]


def retained_share(
    fit: Fit, pairs: pd.DataFrame, asked: tuple[str, str], rule: DecisionRule
) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return before, after, change and the share left of a contrast and of differences by list.

    The contrast over all groups and in each; then, between groups, list by list. `fit`: of changes,
    with normal noise. `pairs`: all of protected words on both sides.
    """
    margins = _margins(fit, pairs, asked)
    groups = pd.DataFrame({GROUP: margins.groups, "contrast": contrast_name(*asked)})
    rows = [
        row_of(partial(margins.of, number, rule), lambda: margins.shares)
        for number in range(len(groups) + len(margins.lists))
    ]
    tables, known = [], {"interval": rule.interval, "prob": rule.prob, "pareto_k": margins.pareto_k}
    for labels, start in ((groups, 0), (margins.lists, len(groups))):
        numbers = pd.DataFrame(rows[start : start + len(labels)], columns=[*_NUMBERS, "reason"])
        table = pd.concat([labels.reset_index(drop=True), numbers], axis=1)
        tables.append(table.assign(**known))
    return tables[0], tables[1]


def _margins(fit: Fit, pairs: pd.DataFrame, asked: tuple[str, str]) -> Margins:
    """Return the margins of the connections that are asked for and those fitted with them."""
    moved, spec = fit.design.connections, fit.spec
    if not set(asked) <= set(moved) and spec.name in list_models():
        spec = load_model(spec.name)  # the fit's own has lost what it could not tell without them
    blocks = [{moved[i] for i in block} for block in blocks_of(fit.design)]
    wanted = set(asked).union(*(block for block in blocks if block & set(asked)))
    frame = pd.concat([pairs, reference_rows(fit.frame)], ignore_index=True)
    frame = frame[frame[CONNECTION].isin(wanted)].reset_index(drop=True)
    frame.attrs = dict(fit.frame.attrs)
    return Margins(frame, spec, asked)


def row_of(
    margin: Margin,
    shares: Callable[[], Sequence[float]] = lambda: (),
    *,
    widest: float = WIDEST,
) -> dict[str, Any]:
    """Return before, after, change and the share of one quantity.

    `shares`: those whose margin after − r · before is known, so that it costs nothing. A share
    with an interval wider than `widest` is not given.
    """
    sides = before, after, _ = margin(0.0, 1.0), margin(1.0, 0.0), margin(1.0, -1.0)
    left, reason = np.full(3, np.nan), ""
    room = _NEAR * (before[2] - before[1])  # an end so near to 0 would be a share without bounds
    if before[1] - room <= 0.0 <= before[2] + room:
        reason = _NONE_BEFORE if before[1] <= 0.0 <= before[2] else _BARELY_BEFORE
    elif np.isnan([before, after]).any():
        reason = _CONSTANT
    else:
        ends = (_end(margin, side, {0.0, 1.0, *shares()}) for side in (-1, 1))
        left = np.array([after[0] / before[0], *ends])
        if left[2] - left[1] > widest:
            left, reason = np.full(3, np.nan), _TOO_WIDE
    return dict(zip(_NUMBERS, np.concatenate([*sides, left]), strict=True)) | {"reason": reason}


def _end(margin: Margin, side: int, shares: Iterable[float]) -> float:
    """Return the largest (side 1) or smallest (−1) share r for which the margin's interval holds 0.

    Secants, at first through the two of `shares` whose end is nearest to 0; they are straight
    where the interval's width does not change.
    """
    before = margin(0.0, 1.0)[0]
    ratio = margin(1.0, 0.0)[0] / before
    sign = -np.sign(before)  # of what grows with r: sign · (after − r · before)
    # 0 leaves the interval at its low end where what grows passes it upwards, else at its high end.
    end = 1 if sign * side > 0 else 2

    def beyond(share: float) -> tuple[float, float, float]:
        """Return the share, how far the end is beyond 0, and half the interval's width."""
        found = margin(1.0, -share)
        return share, sign * side * found[end], (found[2] - found[1]) / 2

    known = [point for point in map(beyond, shares) if np.isfinite(point[1])]
    known = sorted(known or [beyond(ratio)], key=lambda point: abs(point[1]))
    (share, here, width), (at, last, _) = known[0], known[-1 if len(known) < 2 else 1]
    for fits in range(_MOST + 1):
        slope = (here - last) / (share - at) if share != at else 0.0
        # Where the width stays the same, an end moves as the mean does: by |before| per share.
        steep = slope if slope * side > 0 else side * abs(before)
        off, half = side * (share - ratio), width / abs(before)
        # Kept to a few times the distance that this width would give: secants of a curve may
        # overshoot.
        reach = half / _FARTHEST, _FARTHEST * max(off, half)
        wanted = ratio + side * float(np.clip(side * (share - here / steep - ratio), *reach))
        if abs(here) < _NEAR * width or fits == _MOST:
            break
        at, last = share, here
        share, here, width = beyond(wanted)
        if not np.isfinite(here):  # nothing scatters there: the share is known
            return share
    return wanted


def left_table(
    left: pd.DataFrame, names: Names | None = None, caption: str = "", **options: Any
) -> Table:
    """Return before, after, change and what is left as a table; `names`: what to call its rows."""
    by_list = ATTRIBUTE_SET in left
    keys = [
        *([Column(ATTRIBUTE_SET, "towards")] if by_list else []),
        Column(GROUP, drop_priority=2 * by_list),
        *([Column(OTHER_GROUPS, "compared with", drop_priority=3)] if by_list else []),
        *([] if by_list else [Column("contrast", drop_priority=3)]),
    ]
    columns = [
        *keys,
        *(
            Column((name, f"{name}_low", f"{name}_high"), form="signed", drop_priority=priority)
            for name, priority in (("before", 0), ("after", 0), (CHANGE, 1))
        ),
        Column(("left", "left_low", "left_high"), form="percent", missing="not known"),
    ]
    if any(left["reason"]):
        columns.append(Column("reason", "why not known", "long", drop_priority=2))
    shown = left if names is None else with_titles(left, names)
    return Table(shown, columns, caption, **options)


def with_titles(left: pd.DataFrame, names: Names) -> pd.DataFrame:
    """Return a table of what is left with titles in place of names."""
    left = left.copy()
    for column, titles in ((ATTRIBUTE_SET, names.set_title), (GROUP, names.title)):
        if column in left:
            left[column] = [_title(text, titles) for text in left[column]]
    if OTHER_GROUPS in left:
        left[OTHER_GROUPS] = [_title(text, names.title) for text in left[OTHER_GROUPS]]
    return left


def _title(text: str, titles: Mapping[str, str]) -> str:
    """Return the titles of names with commas between them."""
    return titles.get(text) or ", ".join(titles.get(part, part) for part in text.split(", "))


def plot_left(left: pd.DataFrame, rule: DecisionRule, **place: Unpack[Place]) -> Figure:
    """Draw before and after with their intervals, a row over all groups and one for each."""
    note = " (dashed: 0; grey: ROPE)"
    return plot_forests([[left_forest(left, rule)]], width=7.0, note=note, **place)


def left_forest(left: pd.DataFrame, rule: DecisionRule, names: Names | None = None) -> Forest:
    """Return the forest of `Change.left` or `left_by_list`; rows say how much is left.

    `names`: what to call lists and groups.
    """
    left = left if names is None else with_titles(left, names)
    rows, by_list = [], ATTRIBUTE_SET in left
    for number, row in enumerate(left.itertuples()):
        name = row.attribute_set if by_list else row.group
        shares = [typeset(value, "percent") for value in (row.left, row.left_low, row.left_high)]
        share = "share not known" if row.reason else "{} left ({} to {})".format(*shares)
        marks = tuple(_mark(row, side) for side in SIDES)
        strong = not number and not by_list  # that over all groups
        rows.append(Row(f"{name}: {share}", marks, strong=strong))
    told = "; ".join(f"{row.label}, {', '.join(mark.text for mark in row.marks)}" for row in rows)
    ends = [*left[[f"{side}_{end}" for side in SIDES for end in ("low", "high")]].to_numpy().flat]
    region = (-rule.width, rule.width) if rule.width else None
    title, axis = left["contrast"].iloc[0], f"difference of mean distance, {label_of(left)}"
    return Forest(title, f"{title}: {told}", axis, tuple(rows), span_of(ends, 0.0), (0.0,), region)


def _mark(row: Any, side: str) -> Mark:
    mean, low, high = (getattr(row, f"{side}{end}") for end in ("", "_low", "_high"))
    numbers = [typeset(value, "signed") for value in (mean, low, high)]
    return Mark(side, mean, low, high, "{} {} ({} to {})".format(side, *numbers))
