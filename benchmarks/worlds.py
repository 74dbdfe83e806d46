"""What benchmarks on made worlds share: options, effects of levels, and models fitted anew."""

import argparse
from collections.abc import Callable

import numpy as np
import pandas as pd

from bayesbias.inference.design import Design
from bayesbias.inference.identifiability import drop_unidentified_terms
from bayesbias.inference.questions import LinearCombinations
from bayesbias.inference.refits import Refit, Refits
from bayesbias.inference.specification import ModelSpec


def options(text: str, worlds: int, seed: int) -> argparse.ArgumentParser:
    """Return a parser that knows how many worlds to draw, from which seed, and what to save."""
    parser = argparse.ArgumentParser(description=text)
    parser.add_argument("--worlds", type=int, default=worlds)
    parser.add_argument("--seed", type=int, default=seed)
    parser.add_argument("--save", metavar="NAME")
    return parser


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
