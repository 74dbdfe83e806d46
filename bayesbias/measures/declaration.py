"""What a measure says of itself, so that the table, the commands and the tests know it."""

from collections.abc import Callable
from dataclasses import dataclass

from bayesbias.measures.inputs import Call, Inputs
from bayesbias.measures.results import MeasureResult


@dataclass(frozen=True)
class Measure:
    """A measure, declared in the file that computes it and listed in `registry`.

    Parameters
    ----------
    name : str
        As results call it.
    function : callable
        Takes vectors, then what `calls` returns, then options by keyword; a random one takes
        `seed`.
    source : str
        Authors, year and title.
    reading : str
        What the number can and cannot say: a clause whose subject is the name.
    calls : callable
        How the measure is computed from a word list: an arrangement of `inputs`.
    """

    name: str
    function: Callable[..., MeasureResult]
    source: str
    reading: str
    calls: Callable[[Inputs], list[Call]]
