"""How many words it takes: interval widths and decided verdicts before any data are collected."""

import dataclasses
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pandas as pd
import xarray as xr
from numpy.typing import NDArray

from bayesbias.constants import (
    ATTRIBUTE_KINDS,
    CHANGE,
    CONNECTIONS,
    GROUP,
    HDPI_PROB,
    ROPE,
)
from bayesbias.errors import ArgumentError, ModelError
from bayesbias.fits.contrasts import compared_pairs, contrast_name, verdict_caption
from bayesbias.fits.fit_result import Fit
from bayesbias.inference.collapsed import sample_collapsed
from bayesbias.inference.intervals import binomial_interval, check_rope, eti, interval_of, verdicts
from bayesbias.inference.model_files import load_model
from bayesbias.inference.specification import ModelSpec
from bayesbias.simulate.assumptions import Assumptions, draw_world, world_design
from bayesbias.support.progress import tracked
from bayesbias.support.seeds import seed_as_integer
from bayesbias.support.text_tables import Blocks, Table, as_text, interval_label

if TYPE_CHECKING:
    from matplotlib.figure import Figure

_DRAWS: Final = 2000
_UNDECIDED: Final = "undecided"


@dataclass(frozen=True, repr=False)
class Plan:
    """What to expect of lists of different lengths.

    Made by `plan`.

    Parameters
    ----------
    table : DataFrame
        One row per ``n_words`` (protected words in all), ``n_attributes`` (stereotype attributes in
        all) and ``contrast``: ``width``, the expected width of the interval, and ``width_low`` and
        ``width_high``, between which it falls with probability `prob`; ``decided``, the share of
        worlds in which the verdict is not ``undecided``, with its interval ``decided_low`` and
        ``decided_high``; ``simulations``.
    width : float
        The width wished for.
    rope, prob, interval
        As in `Fit.contrasts`.
    basis : str
        Where the means and standard deviations come from.
    seed : int
    """

    table: pd.DataFrame
    width: float
    rope: float
    prob: float
    interval: str
    basis: str
    seed: int

    @property
    def needed(self) -> pd.DataFrame:
        """The fewest protected words that reach the width, per contrast and number of attributes.

        Columns ``contrast``, ``n_attributes``, ``n_words``, ``width`` and ``reached``; where no
        number tried reaches it, the largest one, with its width.
        """
        rows = []
        for (contrast, n_attributes), part in self.table.groupby(
            ["contrast", "n_attributes"], sort=False
        ):
            enough = part[part["width"] <= self.width]
            best = enough.iloc[0] if len(enough) else part.iloc[-1]
            rows.append((contrast, n_attributes, best["n_words"], best["width"], len(enough) > 0))
        columns = ["contrast", "n_attributes", "n_words", "width", "reached"]
        return pd.DataFrame(rows, columns=columns)

    @property
    def caption(self) -> str:
        """The rule behind the verdicts, in words."""
        return verdict_caption(self.rope, self.prob, self.interval)

    def to_frame(self) -> pd.DataFrame:
        """Return a copy of the table."""
        return self.table.copy()

    def to_dict(self) -> dict[str, Any]:
        """Return the table and what it rests on as plain data."""
        content = {f.name: getattr(self, f.name) for f in dataclasses.fields(self)}
        return {
            **content,
            "table": self.table.to_dict("records"),
            "needed": self.needed.to_dict("records"),
        }

    def plot(self) -> "Figure":
        """Draw widths and shares of decided verdicts against the number of protected words."""
        from bayesbias.studies.plan_figure import plot_plan

        return plot_plan(self.table, self.width)

    @property
    def blocks(self) -> Blocks:
        """Widths and shares of decided verdicts, and what reaches the width, to be shown."""
        label = interval_label(self.prob, self.interval)
        shown = self.table[["contrast"]].copy()
        shown["words"] = self.table["n_words"]
        shown["attributes"] = self.table["n_attributes"]
        shown["width"] = self.table["width"].map("{:.3f}".format)
        shown["from"] = self.table["width_low"].map("{:.3f}".format)
        shown["to"] = self.table["width_high"].map("{:.3f}".format)
        shown["decided"] = [
            f"{r.decided:.0%} ({r.decided_low:.0%} to {r.decided_high:.0%})"
            for r in self.table.itertuples()
        ]
        lines: list[str | Table] = [
            f"Expected width of the {label}, from {self.basis}:", "", Table(shown), "",
        ]  # fmt: skip
        for contrast, part in self.needed.groupby("contrast", sort=False):
            lines.append(f"{contrast}: {_sentence(part, self.width)}")
        return [*lines, self.caption]

    def __repr__(self) -> str:
        """Show widths and shares of decided verdicts, and what reaches the width."""
        return as_text(self.blocks)


def _sentence(part: pd.DataFrame, width: float) -> str:
    reached = part[part["reached"]]
    if reached.empty:
        best = part.loc[part["width"].idxmin()]
        return (
            f"width {width:g} is out of reach; {best['n_words']} words and "
            f"{best['n_attributes']} attributes give {best['width']:.3f}"
        )
    options = [f"{r.n_words} words with {r.n_attributes} attributes" for r in reached.itertuples()]
    return f"width {width:g} is reached by {', or '.join(options)}"


def plan(
    fit_or_assumptions: Fit | Assumptions | None = None,
    *,
    width: float = 0.05,
    n_words: Sequence[int] = (6, 14, 25, 50, 100),
    n_attributes: Sequence[int] = (10, 25, 50),
    simulations: int = 40,
    rope: float = ROPE,
    prob: float = HDPI_PROB,
    interval: str = "hpdi",
    seed: int | np.random.Generator = 1,
    progress: bool | None = None,
) -> Plan:
    """Simulate what lists of different lengths would tell.

    For every number of words, worlds are drawn with new protected words and new attributes, and
    the model is fitted to each: from a fit, every world takes its means and standard deviations
    from another posterior draw; from assumptions, they are fixed. Control lists keep their sizes.

    Parameters
    ----------
    fit_or_assumptions : Fit or Assumptions, optional
        By default `Assumptions`: medians of the published files, fitted by ``crossed``.
    width : float
        Width of the interval that would do, in cosine distance.
    n_words, n_attributes : sequence of int
        Protected words and stereotype attributes to try, in all groups together.
    simulations : int
        Worlds per combination; each takes 10 to 100 ms.
    rope, prob, interval
        As in `Fit.contrasts`.
    seed : int or Generator
    progress : bool, optional
        Show a bar; by default in a terminal or a notebook.

    Returns
    -------
    Plan

    Raises
    ------
    ArgumentError
        If an argument is outside its range.
    ModelError
        If the fit is of a model that the collapsed engine cannot fit, or of changes.

    Examples
    --------
    >>> small = Assumptions(n_human=10, n_neutral=10)
    >>> found = plan(small, n_words=[6, 30], n_attributes=[10], simulations=5)
    >>> widths = found.table.query("contrast == 'associated − different'")["width"].tolist()
    >>> widths[0] > widths[1]
    True
    """
    check_rope(rope)
    interval_of([0.0, 1.0], prob, interval)
    sizes = [sorted({int(n) for n in values}) for values in (n_words, n_attributes)]
    if not width > 0 or simulations < 2 or not all(sizes):
        raise ArgumentError(
            f"width={width} must be above 0, simulations={simulations} at least 2, and n_words and "
            f"n_attributes name at least one number each"
        )
    seed = seed_as_integer(seed)
    spec, basis, worlds = _basis(fit_or_assumptions, simulations, seed)
    rows = []
    combinations = list(product(*sizes))
    world_design(worlds[0], sizes[0][0], sizes[1][0])  # refuses too few words before any work
    for words, attributes in tracked(combinations, "Simulating", progress):
        found = [
            _outcome(world, spec, words, attributes, [seed, words, attributes, i], prob, interval)
            for i, world in enumerate(worlds)
        ]
        for contrast in found[0]:
            bounds = np.array([outcome[contrast] for outcome in found])
            rows.append((words, attributes, contrast, *_row(bounds, rope, prob)))
    columns = ["n_words", "n_attributes", "contrast", "width", "width_low", "width_high",
               "decided", "decided_low", "decided_high", "simulations"]  # fmt: skip
    table = pd.DataFrame(rows, columns=columns)
    table["contrast"] = pd.Categorical(table["contrast"], dict.fromkeys(table["contrast"]))
    table = table.sort_values(["contrast", "n_attributes", "n_words"], ignore_index=True)
    table["contrast"] = table["contrast"].astype(object)
    return Plan(table, width, rope, prob, interval, basis, seed)


def _basis(
    given: Fit | Assumptions | None, simulations: int, seed: int
) -> tuple[ModelSpec, str, list[Assumptions]]:
    """Return the model to fit, what the worlds rest on, and one set of assumptions per world."""
    if given is None or isinstance(given, Assumptions):
        basis = "medians of the published files" if given is None else "the assumptions given"
        return load_model("crossed"), basis, [given or Assumptions()] * simulations
    if not given.spec.is_gaussian or given.spec.response == CHANGE:
        raise ModelError(
            f"a plan refits the model many times, which needs a normal likelihood and distances; "
            f"this is a fit of {given.spec.name!r}"
        )
    if given.spec.pooling != "partial":
        raise ModelError(f"a plan needs partial pooling, and {given.spec.name!r} has none")
    rng = np.random.default_rng([seed, 0])
    return given.spec, f"fit {given.id}", list(_draws_of(given, simulations, rng))


def _draws_of(fit: Fit, n: int, rng: np.random.Generator) -> Iterator[Assumptions]:
    """Turn posterior draws into assumptions; connections that the fit lacks stay out."""
    flat = fit.posterior.stack(sample=("chain", "draw"))
    chosen = rng.choice(flat.sizes["sample"], n, replace=flat.sizes["sample"] < n)
    sizes = dict.fromkeys(ATTRIBUTE_KINDS, 0)
    for k in fit.design.kind:
        sizes[fit.design.kinds[k]] += 1
    if set(CONNECTIONS[:2]) - set(fit.design.connections):
        raise ModelError("a plan needs a fit with associated and different attributes")
    for i in chosen:
        draw = flat.isel(sample=int(i))
        yield Assumptions(
            group_mean=_of(draw, "group_mean", fit.design.connections, CONNECTIONS, 1.0),
            word_sd=_of(draw, "word_sd", fit.design.connections, CONNECTIONS, 0.0),
            noise_sd=_of(draw, "noise_sd", fit.design.connections, CONNECTIONS, 1.0),
            attribute_sd=_of(draw, "attribute_sd", fit.design.kinds, ATTRIBUTE_KINDS, 0.0),
            word_correlation=0.0,  # as the model has it
            n_groups=max(2, fit.frame[GROUP].nunique()),
            n_human=sizes["human"],
            n_neutral=sizes["neutral"],
        )


def _of(
    draw: xr.Dataset, name: str, present: Sequence[str], names: Sequence[str], otherwise: float
) -> dict[str, float]:
    """Return a parameter by name; `otherwise` fills what the fit lacks and no world will use."""
    if name not in draw:
        return dict.fromkeys(names, otherwise)
    values = np.broadcast_to(draw[name].to_numpy(), len(present))
    return dict.fromkeys(names, otherwise) | dict(zip(present, values.tolist(), strict=True))


def _outcome(
    world: Assumptions,
    spec: ModelSpec,
    n_words: int,
    n_attributes: int,
    seed: list[int],
    prob: float,
    interval: str,
) -> dict[str, NDArray[np.float64]]:
    """Draw a world, fit it, and return the interval of every contrast."""
    rng = np.random.default_rng(seed)
    design = world_design(world, n_words, n_attributes)
    design = dataclasses.replace(design, response=draw_world(design, world, rng))
    posterior, _, _ = sample_collapsed(
        design, spec, draws=_DRAWS, chains=1, seed=int(rng.integers(2**31))
    )
    means = posterior["group_mean"].to_numpy()[0]
    names = design.connections
    return {
        contrast_name(a, b): interval_of(
            means[:, names.index(a)] - means[:, names.index(b)], prob, interval
        )
        for a, b in compared_pairs(design)
    }


def _row(bounds: NDArray[np.float64], rope: float, prob: float) -> tuple[float, ...]:
    """Summarise the intervals of one contrast over worlds."""
    widths = bounds[:, 1] - bounds[:, 0]
    low, high = eti(widths, prob)
    decided = int((verdicts(bounds[:, 0], bounds[:, 1], rope) != _UNDECIDED).sum())
    share = binomial_interval(decided, len(bounds), prob)
    return (float(widths.mean()), float(low), float(high), decided / len(bounds),
            float(share[0]), float(share[1]), len(bounds))  # fmt: skip
