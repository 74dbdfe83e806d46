"""The rules by which methods say "bias" of a world.

A rule is what people do with a method's number: p < .05 of WEAT's permutation test, an effect size
above .8, a MAC below 1, an interval that excludes 0, or two that do not overlap. All see the same
world, in which each number is computed once.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import cached_property, partial
from types import MappingProxyType
from typing import Final

import numpy as np

from bayesbias.constants import HDPI_PROB
from bayesbias.fits.contrasts import contrast_name
from bayesbias.inference.conditional import NormalMixture
from bayesbias.inference.decision import DecisionRule
from bayesbias.inference.design import Design
from bayesbias.inference.questions import connection_weights
from bayesbias.inference.refits import Refits
from bayesbias.measures.association import effect_size, permutation_test
from bayesbias.measures.ttests import paired_test
from bayesbias.support.arrays import Array

BIAS: Final = "bias"
EQUAL: Final = "practically equal"
NOTHING: Final = "nothing"
"""What a method can say."""

_ALPHA: Final = 0.05
_LARGE_EFFECT: Final = 0.8


class World:
    """One set of distances (n_pairs,), and what the methods need of it, computed once.

    `models` has the design of a frame laid out by `assumptions.world_frame` for two groups, and the
    fits of worlds before.
    """

    def __init__(
        self,
        models: Mapping[str, tuple[Design, Refits]],
        response: Array,
        rule: DecisionRule,
        seed: int,
    ) -> None:
        self.models, self.response, self.rule, self.seed = models, response, rule, seed
        self._found: dict[str, Mapping[str, NormalMixture]] = {}

    @cached_property
    def similarities(self) -> tuple[Array, int]:
        """Cosine similarities of words (X, then Y) to attributes (A, then B), and |X|, |A|."""
        design, _ = next(iter(self.models.values()))
        n_words = len(design.protected_words)
        all_kinds = 1.0 - self.response.reshape(n_words, -1)
        matrix = all_kinds[:, design.kind == design.kinds.index("stereotype")]
        # Worlds deal words, and attributes, to the two groups in turn.
        rows = np.r_[0:n_words:2, 1:n_words:2]
        return matrix[rows], len(range(0, n_words, 2))

    @cached_property
    def associations(self) -> tuple[Array, int]:
        """s(w, A, B) of X, then of Y, and |X|."""
        matrix, n_x = self.similarities
        return matrix[:, 0::2].mean(axis=1) - matrix[:, 1::2].mean(axis=1), n_x

    def posterior(self, model: str) -> Mapping[str, NormalMixture]:
        """Posteriors under a model: of connection means, and of contrasts with associated."""
        if model not in self._found:
            design, refits = self.models[model]
            names = design.protected_connection_names
            matrix = np.eye(len(names))
            matrix = np.vstack([matrix, matrix[0] - matrix[1:]])
            labels = [*names, *(contrast_name(names[0], name) for name in names[1:])]
            weights = connection_weights(design).combined(matrix)
            found = refits.answers(replace(design, response=self.response), weights)
            self._found[model] = dict(zip(labels, found.answers, strict=True))
        return self._found[model]


@dataclass(frozen=True)
class Method:
    """A way to decide whether there is an association.

    `rule` says when it says bias, `question` what it compares, `nominal` how often it should say
    bias where there is none, if it says so itself; `decide` returns ``bias``, ``practically equal``
    or ``nothing``; `model` is the one whose posterior it reads, empty for none.
    """

    rule: str
    question: str
    nominal: float | None
    decide: Callable[[World], str]
    model: str = ""


def _weat_p(world: World) -> str:
    # Two-sided, as an interval that excludes 0 is; the p-value of WEAT's authors is one-sided.
    s, n_x = world.associations
    test = permutation_test(s, n_x, alternative="two-sided", seed=world.seed)
    return _said(test.p_value < _ALPHA)


def _weat_effect(world: World) -> str:
    s, n_x = world.associations
    return _said(abs(float(effect_size(s, n_x))) > _LARGE_EFFECT)


def _mac_t(world: World) -> str:
    """Test whether MAC, the mean of the words' mean distances to attribute sets, is below 1."""
    matrix, _ = world.similarities
    means = 1.0 - np.concatenate([matrix[:, 0::2].mean(axis=1), matrix[:, 1::2].mean(axis=1)])
    test = paired_test(means, np.ones_like(means))
    return _said(test.p_value < _ALPHA and test.difference < 0)


def _apart(world: World, model: str, second: str) -> str:
    a, b = (world.posterior(model)[c].interval(HDPI_PROB) for c in ("associated", second))
    return _said(a[1] < b[0] or b[1] < a[0])


def _zero(world: World, model: str, second: str) -> str:
    low, high = _difference(world, model, second)
    return _said(high < 0 or low > 0)


def _verdict(world: World, model: str, second: str) -> str:
    verdict = str(world.rule.verdicts(*_difference(world, model, second)))
    return EQUAL if verdict.endswith(EQUAL) else _said(verdict in ("closer", "farther"))


def _difference(world: World, model: str, second: str) -> tuple[float, float]:
    return world.posterior(model)[contrast_name("associated", second)].interval(HDPI_PROB)


def _said(bias: bool) -> str:
    return BIAS if bias else NOTHING


def _model_methods(model: str) -> dict[str, Method]:
    """Return the ways to read a model's posterior."""
    ways: dict[str, tuple[str, float | None, Callable[..., str]]] = {
        "zero": ("89% HPDI of the difference excludes 0", 1 - HDPI_PROB, _zero),
        "verdict": ("whole 89% HPDI beyond the ROPE", None, _verdict),
    }
    if model == "paper":
        ways = {"apart": ("89% HPDIs do not overlap", None, _apart), **ways}
    return {
        f"{model}-{way}-{second}": Method(
            f"{model}: {rule}",
            f"associated − {second}",
            nominal,
            partial(decide, model=model, second=second),
            model,
        )
        for second in ("different", "neutral")
        for way, (rule, nominal, decide) in ways.items()
    }


METHODS: Final[Mapping[str, Method]] = MappingProxyType(
    {
        "weat-p": Method("WEAT p < .05, two-sided", "associated − different", _ALPHA, _weat_p),
        "weat-effect": Method(
            "WEAT |effect size| > .8", "associated − different", None, _weat_effect
        ),
        # Nothing is nominal: that all mean distances are 1 is not what "no association" means here.
        "mac-t": Method("MAC below 1, t-test p < .05", "MAC − 1", None, _mac_t),
        **_model_methods("paper"),
        **_model_methods("crossed"),
        **_model_methods("maximal"),
    }
)
"""The methods by name."""
