"""How often each method says "bias" where the truth is known.

Worlds are made from stated means and standard deviations (`assumptions.Assumptions`); every method
sees the same worlds and says whether there is an association.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final, Unpack

import numpy as np
import pandas as pd

from bayesbias.constants import CONNECTIONS
from bayesbias.errors import ArgumentError, suggest
from bayesbias.inference.decision import DecisionRule
from bayesbias.inference.design import Design
from bayesbias.inference.identifiability import drop_unidentified_terms
from bayesbias.inference.intervals import binomial_interval
from bayesbias.inference.model_files import load_model
from bayesbias.inference.refits import Refits
from bayesbias.simulate.assumptions import Assumptions, draw_responses, world_frame
from bayesbias.simulate.deciders import BIAS, EQUAL, METHODS, World
from bayesbias.support.figure_style import INK, LOOKS, Look, Place
from bayesbias.support.forests import Forest, Mark, Row, plot_forests
from bayesbias.support.processes import parallel_map
from bayesbias.support.progress import tracked
from bayesbias.support.result import Result
from bayesbias.support.seeds import seed_as_integer
from bayesbias.support.text_tables import Blocks, Column, Columns, Table, interval_column
from bayesbias.support.types import Figure

_BATCH: Final = 25
_FACES: Final = ("w", "#AAAAAA", INK)
_POINTS: Final = 500  # of the standard deviations per fit

COMPONENTS: Final[Mapping[str, tuple[str, ...]]] = {
    "words": ("attribute_sd", "group_attribute_sd"),
    "words, attributes": ("group_attribute_sd",),
    "words, attributes, groups × attributes": (),
}
"""What has effects in a world, and which of the assumptions are 0 there."""


@dataclass(frozen=True, repr=False, eq=False)
class Characteristics(Result):
    """How often methods say bias where the truth is known; made by `operating_characteristics`.

    Parameters
    ----------
    table : DataFrame
        One row per world and ``method``: ``effect``, by how much associated pairs are closer than
        all others; ``components``, what has effects of its own (see `COMPONENTS`); ``rule`` and
        ``question``; ``nominal``; ``says_bias``, the share of worlds in which the method says bias,
        with the 89% interval ``low`` to ``high``; ``says_equal``, the share of verdicts that call
        the difference practically equal; ``worlds``.
    assumptions : Assumptions
        What the worlds were made from, before effects.
    n_words, n_attributes : int
        Protected words and stereotype attributes per world.
    rule, seed
    """

    table: pd.DataFrame
    assumptions: Assumptions
    n_words: int
    n_attributes: int
    rule: DecisionRule
    seed: int

    def plot(self, **place: Unpack[Place]) -> Figure:
        """Draw the shares per method, false alarms beside hits."""
        kinds = list(dict.fromkeys(self.table["components"]))
        looks = {f"effects of {k}": Look("o", INK, f) for k, f in zip(kinds, _FACES, strict=False)}
        looks["nominal"] = LOOKS["nominal"]
        effects = self.table.groupby("effect", sort=False)
        forests = [_forest(effect, part) for effect, part in effects]
        return plot_forests([forests], width=4.2 + 2.2 * len(forests), looks=looks, **place)

    @property
    def blocks(self) -> Blocks:
        """False alarms and hits, a line per method, to be shown."""
        lines: list[str | Table] = []
        for (effect, components), part in self.table.groupby(["effect", "components"], sort=False):
            what = "No association (false alarms)"
            if effect:
                what = f"Associated closer by {effect:g} (hits)"
            lines += [f"{what}; effects of {components}:", "", Table(part, _COLUMNS), ""]
        return [
            *lines,
            f"Each row: {self.table['worlds'].iloc[0]:,} worlds of {self.n_words} protected "
            f"words and {self.n_attributes} stereotype attributes in two groups; ROPE "
            f"±{self.rule.width:.2g}; the interval is that of the share.",
        ]


_COLUMNS: Final[Columns] = [
    "rule",
    "question",
    Column("nominal", form="prob", drop_priority=1),
    Column("says_bias", form="share"),
    interval_column("89% interval", "share"),
    Column("says_equal", form="share", drop_priority=2),
]


def operating_characteristics(
    methods: Sequence[str] = tuple(METHODS),
    *,
    worlds: int = 1000,
    effects: Sequence[float] = (0.0, 0.05, 0.1),
    n_words: int = 16,
    n_attributes: int = 16,
    assumptions: Assumptions | None = None,
    rope: float | None = None,
    seed: int | np.random.Generator = 1,
    jobs: int = 1,
    progress: bool | None = None,
) -> Characteristics:
    """Count how often methods say bias where there is none, and where there is some.

    In every world all connections have the same mean distance, that of neutral words, but for
    associated pairs, which are closer by the effect. Worlds come with effects of words alone, with
    those of attributes, and with those of groups on single attributes.

    Parameters
    ----------
    methods : sequence of str
        Names in `METHODS`; by default all.
    worlds : int
        Per effect and kind of world.
    effects : sequence of float
        By how much associated pairs are closer (cosine distance); 0 counts false alarms.
    n_words, n_attributes : int
        Even numbers: half of each belong to the first group.
    assumptions : Assumptions, optional
        Standard deviations, sizes of control lists and mean distance of neutral words; by default
        those of the published files.
    rope : float, optional
        Half-width of the region of practical equivalence for the verdicts; by default 0.1 standard
        deviations of a neutral pair's distance as assumed.
    seed : int or Generator
    jobs : int
        Processes; the result does not depend on it.
    progress : bool, optional
        Show a bar; by default in a terminal or a notebook.

    Raises
    ------
    ArgumentError
        If a method is unknown or a number is outside its range.

    Examples
    --------
    >>> found = operating_characteristics(["weat-p"], worlds=20, effects=[0.3])
    >>> found.table["says_bias"].tolist()
    [1.0, 1.0, 1.0]
    """
    for name in methods:
        if name not in METHODS:
            raise ArgumentError(f"unknown method {name!r}{suggest(name, METHODS)}")
    if min(worlds, jobs) < 1 or min(n_words, n_attributes) < 4 or n_words % 2 or n_attributes % 2:
        raise ArgumentError(
            f"worlds={worlds}, jobs={jobs}, n_words={n_words}, n_attributes={n_attributes}: needed "
            f"are at least one world and one job, and even numbers of words, four or more"
        )
    assumed, seed = assumptions or Assumptions(), seed_as_integer(seed)
    if assumed.n_groups != 2 or not assumed.n_neutral:
        raise ArgumentError("the worlds need two groups and neutral words")
    rule = DecisionRule(rope).on_scale(assumed.sd_of_pair("neutral"))
    scenarios = [(effect, components) for effect in effects for components in COMPONENTS]
    batches = [
        (
            tuple(methods),
            _planted(assumed, *scenario),
            (n_words, n_attributes),
            rule,
            [[seed, number, world] for world in range(start, min(start + _BATCH, worlds))],
        )
        for number, scenario in enumerate(scenarios)
        for start in range(0, worlds, _BATCH)
    ]
    said: dict[tuple[float, str], list[list[str]]] = {scenario: [] for scenario in scenarios}
    owners = [scenario for scenario in scenarios for _ in range(0, worlds, _BATCH)]
    found = parallel_map(_answers, batches, jobs)
    answers = tracked(found, "Simulating worlds", progress, len(batches))
    for scenario, answer in zip(owners, answers, strict=True):
        said[scenario] += answer
    rows = [
        _row(*scenario, name, [one[i] for one in answers])
        for scenario, answers in said.items()
        for i, name in enumerate(methods)
    ]
    return Characteristics(pd.DataFrame(rows), assumed, n_words, n_attributes, rule, seed)


def _answers(
    batch: tuple[tuple[str, ...], Assumptions, tuple[int, int], DecisionRule, list[list[int]]],
) -> list[list[str]]:
    """Draw worlds and return what every method says of each."""
    methods, assumed, (n_words, n_attributes), rule, seeds = batch
    layout = {n: getattr(assumed, n) for n in ("n_groups", "n_human", "n_neutral")}
    frame = world_frame(n_words, n_attributes, **layout)
    models = {"maximal", *(METHODS[name].model for name in methods)} - {""}
    fitted = {}
    for model in sorted(models):
        # Priors in the unit that was assumed, not in that of each world: fits of all worlds have
        # one model, and start from each other.
        unit = assumed.sd_of_pair("neutral"), assumed.connection_mean["neutral"]
        spec, _ = drop_unidentified_terms(load_model(model).in_unit(*unit), frame)
        fitted[model] = Design.from_frame(frame, spec), Refits(spec, draws=_POINTS)
    answers = []
    for entropy in seeds:
        rng = np.random.default_rng(entropy)
        # Worlds have all effects of `maximal`, whichever models are asked.
        response = draw_responses(fitted["maximal"][0], assumed.parameters, rng)
        world = World(fitted, response, rule, int(rng.integers(2**31)))
        answers.append([METHODS[name].decide(world) for name in methods])
    return answers


def _planted(assumed: Assumptions, effect: float, components: str) -> Assumptions:
    """Give all connections one mean but for the effect, and take some effects away."""
    means = dict.fromkeys(CONNECTIONS, assumed.connection_mean["neutral"])
    means["associated"] -= effect
    none = {name: dict.fromkeys(getattr(assumed, name), 0.0) for name in COMPONENTS[components]}
    return assumed.replace(connection_mean=means, **none)


def _row(effect: float, components: str, name: str, answers: list[str]) -> dict[str, Any]:
    method, n = METHODS[name], len(answers)
    low, high = binomial_interval(answers.count(BIAS), n)
    return {
        "effect": effect,
        "components": components,
        "method": name,
        "rule": method.rule,
        "question": method.question,
        "nominal": method.nominal if effect == 0 else None,
        "says_bias": answers.count(BIAS) / n,
        "low": float(low),
        "high": float(high),
        "says_equal": answers.count(EQUAL) / n if "verdict" in name else None,
        "worlds": n,
    }


def _forest(effect: float, table: pd.DataFrame) -> Forest:
    rows = []
    for _, part in table.groupby("method", sort=False):
        marks = [
            Mark(f"effects of {r.components}", r.says_bias, r.low, r.high)
            for r in part.itertuples()
        ]
        nominal = part["nominal"].astype(float).iloc[0]
        if nominal == nominal:
            marks.insert(len(marks) // 2 + 1, Mark("nominal", nominal, nominal, nominal))
        first = part.iloc[0]
        rows.append(Row(f"{first['rule']} ({first['question']})", tuple(marks)))
    title = "no association" if effect == 0 else f"associated closer by {effect:g}"
    axis = "share of worlds in which the method says bias"
    return Forest(title, "", axis, tuple(rows), (-0.03, 1.03))
