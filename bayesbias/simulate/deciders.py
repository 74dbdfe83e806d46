"""The rules by which methods say "bias" of a world."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from types import MappingProxyType
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bayesbias.constants import HDPI_PROB
from bayesbias.inference.collapsed import sample_collapsed
from bayesbias.inference.design import Design
from bayesbias.inference.intervals import hpdi, verdicts
from bayesbias.inference.model_files import load_model
from bayesbias.measures.association import effect_size, permutation_test
from bayesbias.measures.ttests import paired_test

Array = NDArray[np.float64]

BIAS: Final = "bias"
EQUAL: Final = "practically equal"
NOTHING: Final = "nothing"
"""What a method can say."""

_DRAWS: Final = 2000
_ALPHA: Final = 0.05
_LARGE_EFFECT: Final = 0.8


class World:
    """One set of distances, and what the methods need of it, computed once.

    Parameters
    ----------
    design : Design
        With the world's distances, laid out by `assumptions.world_design` for two groups.
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
        return EQUAL if verdict == EQUAL else _said(verdict != "undecided")

    return decide


def _said(bias: bool) -> str:
    return BIAS if bias else NOTHING


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
