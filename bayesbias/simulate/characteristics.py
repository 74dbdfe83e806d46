"""How often each method says "bias" where the truth is known.

Worlds are made from stated means and standard deviations (`worlds.Assumptions`); every method sees
the same worlds and says whether there is an association.
"""

import dataclasses
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bayesbias.constants import CONNECTIONS, HDPI_PROB, ROPE
from bayesbias.errors import ArgumentError, suggest
from bayesbias.inference.collapsed import sample_collapsed
from bayesbias.inference.design import Design
from bayesbias.intervals import binomial_interval, check_rope, hpdi, verdicts
from bayesbias.measures.association import effect_size, permutation_test
from bayesbias.measures.ttests import paired_test
from bayesbias.processes import spawned_pool
from bayesbias.progress import tracked
from bayesbias.seeds import seed_as_integer
from bayesbias.spec import load_model
from bayesbias.tables import Blocks, Table, as_text
from bayesbias.worlds import Assumptions, draw_world, world_design

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Array = NDArray[np.float64]

_DRAWS: Final = 2000
_BATCH: Final = 25
_ALPHA: Final = 0.05
_LARGE_EFFECT: Final = 0.8
_BIAS: Final = "bias"
_EQUAL: Final = "practically equal"
_NOTHING: Final = "nothing"


class World:
    """One set of distances, and what the methods need of it, computed once.

    Parameters
    ----------
    design : Design
        With the world's distances, laid out by `worlds.world_design` for two groups.
    rope : float
    seed : int
    """

    def __init__(self, design: Design, rope: float, seed: int) -> None:
        self.design, self.rope, self.seed = design, rope, seed

    @cached_property
    def similarities(self) -> tuple[Array, int]:
        """Cosine similarities of words (X, then Y) to attributes (A, then B), and |X|, |A|."""
        n_words = len(self.design.protected_words)
        all_kinds = 1.0 - self.design.response.reshape(n_words, -1)
        matrix = all_kinds[:, self.design.kind == self.design.kinds.index("stereotype")]
        rows = np.r_[0:n_words:2, 1:n_words:2]
        return matrix[rows], len(range(0, n_words, 2))

    @cached_property
    def associations(self) -> tuple[Array, int]:
        """s(w, A, B) of X, then of Y, and |X|."""
        matrix, n_x = self.similarities
        return matrix[:, 0::2].mean(axis=1) - matrix[:, 1::2].mean(axis=1), n_x

    @cached_property
    def paper(self) -> Mapping[str, Array]:
        """Draws of the group means under `paper`."""
        return self._group_means("paper")

    @cached_property
    def crossed(self) -> Mapping[str, Array]:
        """Draws of the group means under `crossed`."""
        return self._group_means("crossed")

    def _group_means(self, model: str) -> Mapping[str, Array]:
        posterior, _, _ = sample_collapsed(
            self.design, load_model(model), draws=_DRAWS, chains=1, seed=self.seed
        )
        means = posterior["group_mean"].to_numpy()[0]
        return {c: means[:, i] for i, c in enumerate(self.design.connections)}


@dataclass(frozen=True)
class Method:
    """A way to decide whether there is an association.

    Parameters
    ----------
    rule : str
        When it says bias.
    question : str
        What it compares.
    nominal : float or None
        How often it should say bias where there is none, if it says so itself.
    decide : callable
        From a `World` to ``bias``, ``practically equal`` or ``nothing``.
    """

    rule: str
    question: str
    nominal: float | None
    decide: Callable[[World], str]


def _weat_p(world: World) -> str:
    s, n_x = world.associations
    return _said(permutation_test(s, n_x, seed=world.seed).p_value < _ALPHA)


def _weat_effect(world: World) -> str:
    s, n_x = world.associations
    return _said(abs(float(effect_size(s, n_x))) > _LARGE_EFFECT)


def _mac_t(world: World) -> str:
    """Test the mean distances of words to attribute sets, whose mean is MAC, against 1."""
    matrix, _ = world.similarities
    means = 1.0 - np.concatenate([matrix[:, 0::2].mean(axis=1), matrix[:, 1::2].mean(axis=1)])
    return _said(paired_test(means, np.ones_like(means)).p_value < _ALPHA)


def _apart(model: str, first: str, second: str) -> Callable[[World], str]:
    def decide(world: World) -> str:
        a, b = (hpdi(getattr(world, model)[c]) for c in (first, second))
        return _said(bool(a[1] < b[0] or b[1] < a[0]))

    return decide


def _verdict(model: str, first: str, second: str, *, with_rope: bool) -> Callable[[World], str]:
    def decide(world: World) -> str:
        means = getattr(world, model)
        low, high = hpdi(means[first] - means[second])
        verdict = str(verdicts(low, high, world.rope if with_rope else 0.0))
        return _EQUAL if verdict == _EQUAL else _said(verdict != "undecided")

    return decide


def _said(bias: bool) -> str:
    return _BIAS if bias else _NOTHING


def _model_methods(model: str) -> dict[str, Method]:
    """Return the ways to read a model's posterior."""
    found = {}
    for second in ("different", "neutral"):
        pair = ("associated", second)
        question = f"associated − {second}"
        if model == "paper":
            found[f"{model}-apart-{second}"] = Method(
                f"{model}: 89% HPDIs do not overlap", question, None, _apart(model, *pair)
            )
        found[f"{model}-zero-{second}"] = Method(
            f"{model}: 89% HPDI of the difference excludes 0", question, 1 - HDPI_PROB,
            _verdict(model, *pair, with_rope=False),
        )  # fmt: skip
        found[f"{model}-verdict-{second}"] = Method(
            f"{model}: verdict closer or farther", question, None,
            _verdict(model, *pair, with_rope=True),
        )  # fmt: skip
    return found


METHODS: Final[Mapping[str, Method]] = MappingProxyType(
    {
        "weat-p": Method("WEAT p < .05", "associated − different", _ALPHA, _weat_p),
        "weat-effect": Method(
            "WEAT |effect size| > .8", "associated − different", None, _weat_effect
        ),
        "mac-t": Method("MAC below 1, t-test p < .05", "MAC − 1", _ALPHA, _mac_t),
        **_model_methods("paper"),
        **_model_methods("crossed"),
    }
)
"""The methods by name."""


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
        from bayesbias.plots.characteristics import plot_characteristics

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
    low, high = binomial_interval(answers.count(_BIAS), n)
    has_verdicts = "verdict" in name
    return {
        "effect": effect,
        "attribute_effects": own,
        "method": name,
        "rule": method.rule,
        "question": method.question,
        "nominal": method.nominal if effect == 0 else None,
        "says_bias": answers.count(_BIAS) / n,
        "low": float(low),
        "high": float(high),
        "says_equal": answers.count(_EQUAL) / n if has_verdicts else None,
        "worlds": n,
    }
