"""How often each method says "bias" where the truth is known.

Worlds are made from stated means and standard deviations (`worlds.Assumptions`); every method sees
the same worlds and says whether there is an association.
"""

import dataclasses
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pandas as pd

from bayesbias.constants import CONNECTIONS, ROPE
from bayesbias.errors import ArgumentError, suggest
from bayesbias.inference.intervals import binomial_interval, check_rope
from bayesbias.simulate.assumptions import Assumptions, draw_world, world_design
from bayesbias.simulate.deciders import BIAS, EQUAL, METHODS, World
from bayesbias.support.processes import spawned_pool
from bayesbias.support.progress import tracked
from bayesbias.support.seeds import seed_as_integer
from bayesbias.support.text_tables import Blocks, Table, as_text

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_BATCH: Final = 25


@dataclass(frozen=True, repr=False)
class Characteristics:
    """How often methods say bias in worlds whose truth is known.

    Made by `operating_characteristics`.

    Parameters
    ----------
    table : DataFrame
        One row per world and ``method``: ``effect``, by how much associated pairs are closer than
        all others; ``attribute_effects``, whether attribute words have effects of their own;
        ``rule`` and ``question``; ``nominal``; ``says_bias``, the share of worlds in which the
        method says bias, with the 89% interval ``low`` to ``high``; ``says_equal``, the share of
        the verdict ``practically equal``; ``worlds``.
    assumptions : Assumptions
        What the worlds were made from, before effects.
    n_words, n_attributes : int
        Protected words and stereotype attributes per world.
    rope : float
    seed : int
    """

    table: pd.DataFrame
    assumptions: Assumptions
    n_words: int
    n_attributes: int
    rope: float
    seed: int

    def to_frame(self) -> pd.DataFrame:
        """Return a copy of the table."""
        return self.table.copy()

    def to_dict(self) -> dict[str, Any]:
        """Return the table and what it rests on as plain data."""
        return {
            "table": self.table.to_dict("records"),
            "assumptions": self.assumptions.to_dict(),
            "n_words": self.n_words,
            "n_attributes": self.n_attributes,
            "rope": self.rope,
            "seed": self.seed,
        }

    def plot(self) -> "Figure":
        """Draw the shares per method, false alarms beside hits."""
        from bayesbias.simulate.characteristics_figure import plot_characteristics

        return plot_characteristics(self.table)

    @property
    def blocks(self) -> Blocks:
        """False alarms and hits, a line per method, to be shown."""
        lines: list[str | Table] = []
        for (effect, attributes), part in self.table.groupby(
            ["effect", "attribute_effects"], sort=False
        ):
            what = "No association (false alarms)" if effect == 0 else (
                f"Associated closer by {effect:g} (hits)"
            )  # fmt: skip
            own = "with" if attributes else "without"
            lines += [f"{what}, {own} attribute effects:", "", _shown(part), ""]
        return [
            *lines,
            f"Each row: {self.table['worlds'].iloc[0]:,} worlds of {self.n_words} protected "
            f"words and {self.n_attributes} stereotype attributes in two groups; ROPE "
            f"±{self.rope:g}; from, to: 89% interval of the share.",
        ]

    def __repr__(self) -> str:
        """Show false alarms and hits, a line per method."""
        return as_text(self.blocks)


def _shown(part: pd.DataFrame) -> Table:
    shown = part[["rule", "question"]].copy()
    shown["nominal"] = ["" if pd.isna(n) else f"{n:.0%}" for n in part["nominal"]]
    for name, column in (("says bias", "says_bias"), ("from", "low"), ("to", "high")):
        shown[name] = part[column].map("{:.1%}".format)
    shown["says equal"] = ["" if pd.isna(e) else f"{e:.1%}" for e in part["says_equal"]]
    return Table(shown, left=2)


def operating_characteristics(
    methods: Sequence[str] = tuple(METHODS),
    *,
    worlds: int = 1000,
    effects: Sequence[float] = (0.0, 0.05, 0.1),
    n_words: int = 16,
    n_attributes: int = 16,
    assumptions: Assumptions | None = None,
    rope: float = ROPE,
    seed: int | np.random.Generator = 1,
    jobs: int = 1,
    progress: bool | None = None,
) -> Characteristics:
    """Count how often methods say bias where there is none, and where there is some.

    In every world all connections have the same mean distance, that of neutral words, but for
    associated pairs, which are closer by the effect. Worlds come with attribute effects, as the
    assumptions have them, and without.

    Parameters
    ----------
    methods : sequence of str
        Names in `METHODS`; by default all.
    worlds : int
        Per effect, with and without attribute effects; all methods at once take about 40 ms each.
    effects : sequence of float
        By how much associated pairs are closer (cosine distance); 0 counts false alarms.
    n_words, n_attributes : int
        Even numbers: half of each belong to the first group.
    assumptions : Assumptions, optional
        Standard deviations, sizes of control lists and mean distance of neutral words; by default
        those of the published files.
    rope : float
        Half-width of the region of practical equivalence for the verdicts.
    seed : int or Generator
    jobs : int
        Processes; the result does not depend on it. With more than one, a script needs the guard
        ``if __name__ == "__main__":``.
    progress : bool, optional
        Show a bar; by default in a terminal or a notebook.

    Returns
    -------
    Characteristics

    Raises
    ------
    ArgumentError
        If a method is unknown or a number is outside its range.

    Examples
    --------
    >>> found = operating_characteristics(["weat-p"], worlds=20, effects=[0.3])
    >>> found.table["says_bias"].tolist()
    [1.0, 1.0]
    """
    for name in methods:
        if name not in METHODS:
            raise ArgumentError(f"unknown method {name!r}{suggest(name, METHODS)}")
    check_rope(rope)
    if min(worlds, jobs) < 1 or min(n_words, n_attributes) < 4 or n_words % 2 or n_attributes % 2:
        raise ArgumentError(
            f"worlds={worlds}, jobs={jobs}, n_words={n_words}, n_attributes={n_attributes}: needed "
            f"are at least one world and one job, and even numbers of words, four or more"
        )
    assumed, seed = assumptions or Assumptions(), seed_as_integer(seed)
    if assumed.n_groups != 2 or not assumed.n_neutral:
        raise ArgumentError("the worlds need two groups and neutral words")
    scenarios = [(effect, own) for own in (False, True) for effect in effects]
    batches = [
        (
            tuple(methods), _planted(assumed, *scenario), (n_words, n_attributes), rope,
            [[seed, number, world] for world in range(start, min(start + _BATCH, worlds))],
        )
        for number, scenario in enumerate(scenarios)
        for start in range(0, worlds, _BATCH)
    ]  # fmt: skip
    said: dict[tuple[float, bool], list[list[str]]] = {scenario: [] for scenario in scenarios}
    owners = [scenario for scenario in scenarios for _ in range(0, worlds, _BATCH)]
    with _mapper(jobs) as mapped:
        answers = tracked(mapped(_answers, batches), "Simulating worlds", progress, len(batches))
        for scenario, answer in zip(owners, answers, strict=True):
            said[scenario] += answer
    rows = [
        _row(effect, own, name, [one[i] for one in said[effect, own]])
        for effect, own in sorted(said, key=lambda s: (s[0], s[1]))
        for i, name in enumerate(methods)
    ]
    return Characteristics(pd.DataFrame(rows), assumed, n_words, n_attributes, rope, seed)


@contextmanager
def _mapper(jobs: int) -> Iterator[Callable[..., Iterable[Any]]]:
    """Yield a function like map, over several processes if asked for."""
    if jobs == 1:
        yield map
        return
    with spawned_pool(jobs) as pool:
        yield pool.map


def _answers(
    batch: tuple[tuple[str, ...], Assumptions, tuple[int, int], float, list[list[int]]],
) -> list[list[str]]:
    """Draw worlds and return what every method says of each."""
    methods, assumptions, sizes, rope, seeds = batch
    design = world_design(assumptions, *sizes)
    answers = []
    for entropy in seeds:
        rng = np.random.default_rng(entropy)
        drawn = dataclasses.replace(design, response=draw_world(design, assumptions, rng))
        world = World(drawn, rope, int(rng.integers(2**31)))
        answers.append([METHODS[name].decide(world) for name in methods])
    return answers


def _planted(assumed: Assumptions, effect: float, attribute_effects: bool) -> Assumptions:
    """Give all connections one mean but for the effect, and take attribute effects away or not."""
    means = dict.fromkeys(CONNECTIONS, assumed.group_mean["neutral"])
    means["associated"] -= effect
    spread = dict(assumed.attribute_sd) if attribute_effects else dict.fromkeys(
        assumed.attribute_sd, 0.0
    )  # fmt: skip
    return assumed.replace(group_mean=means, attribute_sd=spread)


def _row(effect: float, own: bool, name: str, answers: list[str]) -> dict[str, Any]:
    method, n = METHODS[name], len(answers)
    low, high = binomial_interval(answers.count(BIAS), n)
    has_verdicts = "verdict" in name
    return {
        "effect": effect,
        "attribute_effects": own,
        "method": name,
        "rule": method.rule,
        "question": method.question,
        "nominal": method.nominal if effect == 0 else None,
        "says_bias": answers.count(BIAS) / n,
        "low": float(low),
        "high": float(high),
        "says_equal": answers.count(EQUAL) / n if has_verdicts else None,
        "worlds": n,
    }
