"""What benchmarks on made worlds share: options, effects of levels, models fitted anew, results."""

import argparse
import warnings
from argparse import Namespace
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Any, Final

import numpy as np
import pandas as pd
from saved_results import IMAGES, save

from bayesbias.errors import BayesBiasWarning
from bayesbias.inference.conditional import NormalMixture
from bayesbias.inference.design import Design
from bayesbias.inference.identifiability import drop_unidentified_terms
from bayesbias.inference.questions import LinearCombinations
from bayesbias.inference.refits import Refit, Refits
from bayesbias.inference.specification import ModelSpec
from bayesbias.support.result import Result

PROB: Final = 0.89

Records = Iterator[dict[str, Any]]
"""One for every world and method: texts that say of what, and numbers, or what is true or false."""


def options(text: str, worlds: int, seed: int) -> argparse.ArgumentParser:
    """Return a parser that knows how many worlds to draw, from which seed, and what to save."""
    parser = argparse.ArgumentParser(description=text)
    parser.add_argument("--worlds", type=int, default=worlds)
    parser.add_argument("--seed", type=int, default=seed)
    parser.add_argument("--save", metavar="NAME")
    return parser


def run(
    records: Callable[[Namespace], Records],
    text: str,
    *,
    worlds: int,
    seed: int,
    example: Callable[[int], pd.DataFrame | Result] | None = None,
    **sizes: int,
) -> None:
    """Tell the records that options ask for, or what a page has from `example`, of a seed.

    `sizes`: options of this benchmark's own. An example is saved as a table, or as its figure.
    """
    parser = options(text, worlds, seed)
    for name, default in sizes.items():
        parser.add_argument(f"--{name}", type=int, default=default)
    if example:
        parser.add_argument("--example", action="store_true", help="make a page's example instead")
    given = parser.parse_args()
    warnings.simplefilter("ignore", BayesBiasWarning)
    if example is None or not given.example:
        tell(records(given), given, **{name: getattr(given, name) for name in sizes})
        return
    print(found := example(given.seed))
    if given.save and isinstance(found, pd.DataFrame):
        print(save(found, given.save, {"seed": given.seed}))
    elif given.save:
        found.plot().savefig(IMAGES / f"{given.save}.png", dpi=100)


def tell(records: Iterable[Mapping[str, Any]], given: Namespace, **settings: Any) -> None:
    """Print the means of records by what is text in them, and save them if asked to.

    What is true or false counts in percent. `settings` go beside seed, worlds and the standard
    error of the percentages that should be nominal.
    """
    table = pd.DataFrame(
        {name: 100.0 * v if isinstance(v, bool | np.bool_) else v for name, v in record.items()}
        for record in records
    )
    by = [name for name in table if isinstance(table[name].iloc[0], str)]
    table = table.groupby(by, sort=False).mean().reset_index()
    print(table.round(4).to_string(index=False))
    if given.save:
        error = f"{100 * np.sqrt(PROB * (1 - PROB) / given.worlds):.1f} points"
        said = {"seed": given.seed, "worlds": given.worlds, "standard error at 11%": error}
        print(save(table, given.save, said | settings))


def outside(answer: NormalMixture, value: float) -> bool:
    """Return whether the 89% interval of an answer leaves a value out."""
    low, high = answer.interval(PROB)
    return not low <= value <= high


def misses(answer: NormalMixture, truth: float) -> dict[str, float]:
    """Return whether the interval of an answer misses the truth, and how wide it is."""
    low, high = answer.interval(PROB)
    return {"misses": outside(answer, truth), "mean width": high - low}


def effects(frame: pd.DataFrame, *columns: str, sd: float, rng: np.random.Generator) -> np.ndarray:
    """Draw an effect for each level of some columns; return that of every row."""
    code = frame.groupby(list(columns), sort=False).ngroup().to_numpy()
    return (sd * rng.standard_normal(code.max() + 1))[code]


class Fitters(dict[str, Refits]):
    """Models by name, each with the terms that the first frame it saw identifies."""

    def design(self, name: str, model: ModelSpec, frame: pd.DataFrame) -> Design:
        """Return the design of a frame for a model."""
        if name not in self:
            self[name] = Refits(drop_unidentified_terms(model, frame)[0])
        return Design.from_frame(frame, self[name].spec)

    def fit(
        self,
        name: str,
        model: ModelSpec,
        frame: pd.DataFrame,
        question: Callable[[Design], LinearCombinations],
    ) -> Refit:
        """Fit a model to a frame, and ask it a question."""
        design = self.design(name, model, frame)
        return self[name].answers(design, question(design))
