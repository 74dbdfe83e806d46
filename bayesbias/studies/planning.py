"""How many words it takes: interval widths and decided verdicts before any data are collected.

A power analysis by simulation. Data sets with new words and new attributes are drawn from means and
standard deviations that are assumed (those of a fit, a posterior draw for each data set, or medians
of published ones), and the model is fitted to each. Counted are the width of the intervals, how
often they exclude 0, and, of these, how often the sign is wrong and how much the size is
exaggerated (type S and type M errors: Gelman and Carlin 2014).
"""

import dataclasses
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, Final, Unpack

import numpy as np
import pandas as pd

from bayesbias.constants import ATTRIBUTE, CHANGE, CONNECTION, HDPI_PROB, REFERENCE
from bayesbias.errors import ArgumentError, ModelError
from bayesbias.fits.contrasts import compared_pairs, contrast_name
from bayesbias.fits.crossed_groups import factor_weights
from bayesbias.fits.fit_result import Fit
from bayesbias.fits.narrator import sides
from bayesbias.fits.next_step import next_step
from bayesbias.fits.quantities import quantities
from bayesbias.fits.refitted import RefittedContrasts, failed
from bayesbias.fits.sentences import Names, own_lists, who
from bayesbias.fits.shown_rows import sort_by_names
from bayesbias.inference.decision import DecisionRule
from bayesbias.inference.design import Design
from bayesbias.inference.identifiability import drop_unidentified_terms
from bayesbias.inference.intervals import binomial_interval, interval_of
from bayesbias.inference.model_files import load_model
from bayesbias.inference.questions import LinearCombinations
from bayesbias.inference.specification import ModelSpec
from bayesbias.simulate.assumptions import (
    CROSSED,
    Assumptions,
    crossed_frame,
    draw_responses,
    world_frame,
)
from bayesbias.support.arrays import Array
from bayesbias.support.figure_style import Place
from bayesbias.support.progress import tracked
from bayesbias.support.result import Result, plain
from bayesbias.support.seeds import seed_as_integer
from bayesbias.support.text_tables import (
    BULLET,
    MEANING,
    Blocks,
    Column,
    Columns,
    Table,
    counted,
    percent,
)
from bayesbias.support.types import Figure
from bayesbias.support.wording import Wording

tell: Final = Wording("bayesbias.studies", "plan.jinja")
_ENOUGH: Final = 20  # simulated data sets below which a width is not told from one a little larger
_MANY: Final = 100  # simulated data sets that are asked for at least where more are needed
INTERACTION: Final = "interaction"
"""What the row of crossed groups is called, and what a world calls its size."""


@dataclass(frozen=True, repr=False, eq=False)
class Plan(Result):
    """What to expect of lists of different lengths; made by `plan`.

    Parameters
    ----------
    table : DataFrame
        One row per ``n_words`` (protected words in all), ``n_attributes`` (stereotype attributes in
        all) and ``contrast``: ``assumed``, the mean of the true differences that were simulated;
        ``width``, the expected width of the interval, its Monte Carlo error
        ``width_error``, and ``width_low`` and ``width_high``, between which it falls with
        probability `prob`; ``direction``, the share of worlds in which the interval excludes 0;
        ``decided``, the share in which the verdict leaves nothing undecided, neither direction nor
        size, or is practically equal, with its interval ``decided_low`` and ``decided_high``; of
        the worlds whose interval excludes 0, ``sign_error``, the share in which it has the wrong
        sign, and ``exaggeration``, how many times too large the estimates are, mean absolute
        estimate over mean absolute truth (Gelman and Carlin 2014); missing where there is no such
        world, or the truth is 0; ``simulations``; and ``n_bad_k``, worlds whose fit has a Pareto k
        above 0.7.
    width : float
        The target width.
    rule : DecisionRule
        As in `Fit.contrasts`.
    basis : str
        Where the means and standard deviations come from.
    seed : int
    per_topic : float, optional
        How many attributes like those of the fit's lists tell as much as one attribute of a new
        topic, which is what ``n_attributes`` counts; missing where the fit does not know how alike
        its attributes are.
    about : tuple of str
        Of a fit: whose words it is about, and which attribute lists are whose own.
    """

    table: pd.DataFrame
    width: float
    rule: DecisionRule
    basis: str
    seed: int
    per_topic: float | None = None
    about: tuple[str, str] = ("", "")

    @property
    def needed(self) -> pd.DataFrame:
        """The fewest protected words that reach the width, per contrast and number of attributes.

        Columns ``contrast``, ``n_attributes``, ``n_words``, ``assumed``, ``width``, its Monte Carlo
        error ``width_error``, ``direction``, ``decided`` and ``reached``; where no number tried
        reaches it, the largest one, with its width.
        """
        rows = []
        for (contrast, n_attributes), part in self.table.groupby(
            ["contrast", "n_attributes"], sort=False
        ):
            enough = part[part["width"] <= self.width]
            best = enough.iloc[0] if len(enough) else part.iloc[-1]
            found = best[["n_words", "assumed", "width", "width_error", "direction", "decided"]]
            keys = {"contrast": contrast, "n_attributes": n_attributes}
            rows.append({**keys, **found, "reached": len(enough) > 0})
        return pd.DataFrame(rows)

    def to_dict(self) -> dict[str, Any]:
        """Return the table and what it rests on as plain data."""
        needed = {"needed": plain(self.needed), "caption": self.rule.caption}
        return {
            "answers": [self.headline, self._sureness, *self.answers],
            **super().to_dict(),
            **needed,
        }

    def plot(self, **place: Unpack[Place]) -> Figure:
        """Draw widths and shares of decided verdicts against the number of protected words."""
        from bayesbias.studies.plan_figure import plot_plan

        return plot_plan(self.table, self.width, **place)

    @property
    def headline(self) -> str:
        """How many words reach the width for the first contrast."""
        known = {"prob": percent(self.rule.prob)}
        return self._said("headline", "out_of_reach", self._first, f"{self.width:g}", **known)

    def _said(
        self, reached: str, not_reached: str, part: pd.DataFrame, *given: str, **known: str
    ) -> str:
        """Say what reaches the width, or what comes nearest to it, of the needs of a contrast."""
        if options := _options(part):
            return tell(reached, *given, options, **known)
        return tell(not_reached, *given, *_best(part, self.width), **known)

    @property
    def is_reached(self) -> bool:
        """Whether some list that was tried reaches the width for the first contrast."""
        return bool(self._first["reached"].any())

    @property
    def _first(self) -> pd.DataFrame:
        """The needs of the first contrast."""
        return self.needed[self.needed["contrast"] == self.needed["contrast"].iloc[0]]

    @property
    def _sureness(self) -> str:
        """How many worlds the headline rests on, and whether more could change it."""
        worlds, row = int(self.table["simulations"].iloc[0]), self._shown
        error = f"{row['width_error']:.3f}"
        counts = counted(worlds, "simulated data set"), f"{row['width']:.3f}", error
        return tell("sureness", *counts, not self.more_simulations)

    @property
    def _shown(self) -> pd.Series:
        """The size that the headline names."""
        part = self._first
        return (
            part[part["reached"]].iloc[0] if self.is_reached else part.loc[part["width"].idxmin()]
        )

    @property
    def more_simulations(self) -> int:
        """How many data sets to simulate where more may change the headline, else 0."""
        worlds = int(self.table["simulations"].iloc[0])
        far = abs(self._shown["width"] - self.width) > 2.0 * self._shown["width_error"]
        return 0 if worlds >= _ENOUGH and far else max(_MANY, 4 * worlds)  # 4 halve the error

    @property
    def answers(self) -> list[str]:
        """How many words reach the width, a sentence per contrast."""
        macros, width = ("answer", "answer_out_of_reach"), f"{self.width:g}"
        return [self._said(*macros, part, width, name) for name, part in self._of_each]

    @property
    def _of_each(self) -> Any:
        """The needs of every contrast."""
        return self.needed.groupby("contrast", sort=False)

    @property
    def _lines(self) -> Table:
        """What is enough, a row per contrast."""
        macros = "enough", "cell_out_of_reach"
        rows = [(name, self._said(*macros, part)) for name, part in self._of_each]
        return Table(pd.DataFrame(rows, columns=["difference", "enough"]))

    @property
    def blocks(self) -> Blocks:
        """What reaches the width, what that means, and a line for each number of attributes."""
        return self.screen(self.next_step(typed=False))

    def next_step(self, *, typed: bool) -> str:
        """Say what to do next; who types commands is told options."""
        larger = [int(2 * self.table[size].max()) for size in ("n_words", "n_attributes")]
        wider = f"{2 * self.width:g}"
        return next_step("plan", self.is_reached, self.more_simulations, *larger, wider, typed)

    def screen(self, then: str) -> Blocks:
        """Return all of it; `then`: what to do next."""
        columns: Columns = [
            "contrast",
            Column("n_attributes", "attributes", "count"),
            Column("n_words", "words", "count"),
            Column("assumed", form="signed", drop_priority=2),
            Column("width", form="distance"),
            Column("width_error", "±", "distance"),
            Column("direction", "found", "percent", drop_priority=3),
            Column("decided", form="percent"),
            Column("reached", drop_priority=1),
        ]
        bad = self.table[self.table["n_bad_k"] > 0].drop_duplicates(["n_words", "n_attributes"])
        counts = bad[["n_bad_k", "simulations", "n_words", "n_attributes"]].to_numpy().tolist()
        failures = [tell("failed", counts)] if counts else []
        needed = self.needed.assign(reached=np.where(self.needed["reached"], "yes", "no"))
        meaning = [f"{BULLET}{said}" for said in self._meaning]
        subject = tell("subject", *sides(self._first["contrast"].iloc[0]), *self.about)
        head = [said for said in (self.headline, subject, self._sureness, then) if said]
        blocks: list[str | Table] = [*head, "", self._lines, "", MEANING]
        return [
            *(*blocks, *meaning, ""),
            *(tell("heading"), "", Table(needed, columns), ""),
            *(tell("more", len(self.table)), *failures, self.rule.caption),
        ]

    @property
    def _meaning(self) -> list[str]:
        """What is counted, and where it comes from."""
        worlds = counted(int(self.table["simulations"].iloc[0]), "simulated data set")
        return [
            tell("associated"),
            tell("words", "" if self.per_topic is None else f"{self.per_topic:.1f}"),
            tell("width", self.rule.label),
            tell("found", percent(1 - self.rule.prob)),
            tell("basis", worlds, self.basis),
        ]


def _options(part: pd.DataFrame) -> list[list[int]]:
    """Return words and attributes that reach the width; [] where none do.

    An option that asks for more of one and no less of the other says nothing.
    """
    reached = part[part["reached"]].sort_values(["n_attributes", "n_words"])
    fewer = reached["n_words"].astype(float).cummin().shift(fill_value=np.inf)
    found = reached.loc[reached["n_words"] < fewer, ["n_words", "n_attributes"]]
    options: list[list[int]] = found.to_numpy().tolist()
    return options


def _best(part: pd.DataFrame, width: float) -> tuple[int, int, str]:
    """Return the words and attributes with the narrowest interval, and how wide that is.

    With so many decimals that it is seen to be wider than what was asked.
    """
    best = part.loc[part["width"].idxmin()]
    texts = (f"{best['width']:.{decimals}f}" for decimals in range(2, 16))
    shown = next((text for text in texts if float(text) > width), f"{best['width']}")
    return best["n_words"], best["n_attributes"], shown


@dataclass(frozen=True)
class _Basis:
    """What worlds are made from."""

    spec: ModelSpec
    text: str
    worlds: list[dict[str, dict[str, float]]]
    layout: dict[str, int]
    scale: float
    per_topic: float | None = None
    about: tuple[str, str] = ("", "")

    def crossed(self, interaction: float) -> "_Basis":
        """Return the same for four groups, of which one has `interaction` beyond its levels."""
        sds = {f"{factor}_attribute_sd": "group_attribute_sd" for factor in CROSSED}
        worlds = [
            {**world, INTERACTION: {"": interaction}}
            | {name: world[own] for name, own in sds.items() if own in world}
            for world in self.worlds
        ]
        layout = {name: n for name, n in self.layout.items() if name != "n_groups"}
        spec = self.spec.with_factors(CROSSED)
        return dataclasses.replace(self, spec=spec, worlds=worlds, layout=layout)

    def frame(self, n_words: int, n_attributes: int) -> pd.DataFrame:
        """Lay out a world."""
        made = world_frame if "n_groups" in self.layout else crossed_frame
        return made(n_words, n_attributes, **self.layout)


def plan_wordlist(
    fit_or_assumptions: Fit | Assumptions | None = None,
    *,
    width: float = 0.05,
    n_words: Sequence[int] = (6, 14, 25, 50, 100),
    n_attributes: Sequence[int] = (10, 25, 50),
    simulations: int = 40,
    interaction: float | None = None,
    rope: float | None = None,
    prob: float = HDPI_PROB,
    interval: str = "hpdi",
    rule: DecisionRule | None = None,
    seed: int | np.random.Generator = 1,
    progress: bool | None = None,
) -> Plan:
    """Simulate what lists of different lengths would show.

    For every number of words, worlds are drawn with new protected words and new attributes, each
    of a new topic, and the model is fitted to each: from a fit, every world takes its means and
    standard deviations from another posterior draw; from assumptions, they are fixed. Control lists
    keep their sizes.

    Parameters
    ----------
    fit_or_assumptions : Fit or Assumptions, optional
        By default `Assumptions`: medians of the published files, fitted by ``maximal``.
    width : float
        Target width of the interval, in cosine distance.
    n_words, n_attributes : sequence of int
        Protected words and stereotype attributes to try, in all groups together.
    simulations : int
        Worlds per combination.
    interaction : float, optional
        Of crossed groups, such as race by gender: the worlds then have four groups, two levels of
        one factor by two of another, and two lists. One group has so much beyond both its levels
        (cosine distance), and a row tells how often that is found.
    rope, prob, interval, rule
        As in `Fit.contrasts`.
    seed : int or Generator
    progress : bool, optional
        Show a bar; by default in a terminal or a notebook.

    Raises
    ------
    ArgumentError
        If an argument is outside its range.
    ModelError
        If the fit is of a model that the collapsed engine cannot fit, or of changes.

    Examples
    --------
    >>> small = Assumptions(n_human=10, n_neutral=10)
    >>> found = plan_wordlist(small, n_words=[6, 30], n_attributes=[4], simulations=2)
    >>> widths = found.table.query("contrast == 'associated − different'")["width"].tolist()
    >>> widths[0] > widths[1]
    True
    """
    rule = DecisionRule.of(rule, rope, prob, interval)
    sizes = [sorted({int(n) for n in values}) for values in (n_words, n_attributes)]
    if not width > 0 or simulations < 2 or not all(sizes):
        raise ArgumentError(
            f"width={width} must be above 0, simulations={simulations} at least 2, and n_words and "
            f"n_attributes name at least one number each"
        )
    seed = seed_as_integer(seed)
    basis = _basis(fit_or_assumptions, simulations, seed)
    if interaction is not None:
        if not np.isfinite(interaction):
            raise ArgumentError(f"interaction={interaction!r}: must be a number of cosine distance")
        basis = basis.crossed(float(interaction))
    rule = rule.on_scale(basis.scale)
    basis.frame(sizes[0][0], sizes[1][0])  # refuses too few words before any work
    rows = []
    for words, attributes in tracked(list(product(*sizes)), "Simulating", progress):
        frame = basis.frame(words, attributes)
        spec, _ = drop_unidentified_terms(basis.spec, frame)
        design = Design.from_frame(frame, spec)
        found = _worlds(design, spec, basis.worlds, rule, [seed, words, attributes])
        means = [world["connection_mean"] for world in basis.worlds]
        pairs = compared_pairs(design)
        truths = {contrast_name(a, b): [of[a] - of[b] for of in means] for a, b in pairs}
        if interaction is not None:
            truths[INTERACTION] = [interaction] * simulations
        for name, truth in truths.items():
            row = _row(found[found["contrast"] == name], np.array(truth), rule.prob)
            rows.append({"n_words": words, "n_attributes": attributes, "contrast": name, **row})
    table = pd.DataFrame(rows)
    by_size = table.sort_values(["n_attributes", "n_words"], kind="stable")
    table = sort_by_names(by_size, "contrast", table["contrast"].unique()).reset_index(drop=True)
    return Plan(table, width, rule, basis.text, seed, basis.per_topic, basis.about)


def _basis(given: Fit | Assumptions | None, simulations: int, seed: int) -> _Basis:
    """Return the model to fit, what the worlds rest on, and one set of parameters per world."""
    if given is None or isinstance(given, Assumptions):
        assumed = given or Assumptions()
        layout = {n: getattr(assumed, n) for n in ("n_groups", "n_human", "n_neutral")}
        text = "medians of the published files" if given is None else "the assumptions given"
        worlds = [{k: dict(v) for k, v in assumed.parameters.items()}] * simulations
        scale = assumed.sd_of_pair("neutral")
        spec = load_model("maximal").in_unit(scale, assumed.connection_mean["neutral"])
        return _Basis(spec, text, worlds, layout, scale)
    if not isinstance(given, Fit):
        raise ArgumentError(f"a plan needs a Fit or Assumptions, not a {type(given).__name__}")
    if not given.spec.is_gaussian or given.spec.response == CHANGE:
        raise ModelError(
            f"a plan refits the model many times, which needs a normal likelihood and distances; "
            f"this is a fit of {given.spec.name!r}"
        )
    if set(given.spec.own_columns) - set(given.factors):
        raise ModelError(
            f"a plan makes lists of words and attributes, and model {given.spec.name!r} needs the "
            f"columns {', '.join(given.spec.own_columns)} too"
        )
    if given.design.fixed_mean is not None:
        raise ModelError(
            f"a plan needs partial pooling, so that words of a world have something in common; "
            f"model {given.spec.name!r} fixes connection_mean"
        )
    if not {"associated", "different"} <= set(given.design.connections):
        raise ModelError("a plan needs a fit with associated and different attributes")
    by_factor = [term.name for term in given.spec.terms if set(term.by) & set(given.factors)]
    spec = given.spec.without(by_factor).without_similarity()  # worlds have no vectors
    counts = given.frame.groupby(CONNECTION)[ATTRIBUTE].nunique()
    layout = {
        "n_groups": max(2, len(given.design.protected_groups)),
        "n_human": int(counts.get("human", 0)),
        "n_neutral": int(counts.get("neutral", 0)),
    }
    rng = np.random.default_rng([seed, 0])
    worlds = list(_draws_of(given, simulations, rng))
    lacks = ["without reference words"] if REFERENCE in given.design.connections else []
    lacks += ["attributes unrelated"] if given.spec.is_similar else []
    text = f"fit {given.id}" + (f" ({', '.join(lacks)})" if lacks else "")
    scale = given.rule().scale or 0.0
    names = Names.of_frame(given.frame)
    about = who(names), own_lists(names)
    return _Basis(spec, text, worlds, layout, scale, attributes_per_topic(given.design), about)


def attributes_per_topic(design: Design) -> float | None:
    """Return how many stereotype attributes tell as much as one of a new topic; None without K.

    It is the mean square of the difference of two lists' means over attributes that are as alike as
    K says, over that of as many unrelated attributes; of a single list, of its mean.
    """
    if design.similarity is None or "stereotype" not in design.kinds:
        return None
    _, first = np.unique(design.attribute, return_index=True)
    at = np.flatnonzero(design.kind == design.kinds.index("stereotype"))
    of_list = design.attribute_set[first[at]]
    averaging = (of_list == np.unique(of_list)[:, None]).astype(float)
    averaging /= averaging.sum(axis=1, keepdims=True)
    if len(averaging) > 1:
        averaging -= averaging.mean(axis=0)
    similarity = design.similarity[np.ix_(at, at)]
    # A design effect (Kish 1965, "Survey Sampling"): variance with K over that without.
    alike = np.einsum("lj,jk,lk->", averaging, similarity, averaging)
    return float(alike / (averaging**2 @ similarity.diagonal()).sum())


def _draws_of(fit: Fit, n: int, rng: np.random.Generator) -> Iterator[dict[str, dict[str, float]]]:
    """Turn posterior draws into parameters of worlds, whose groups differ in nothing by design."""
    over_all = quantities(fit.fitted, "connection").draws
    flat = fit.posterior.stack(sample=("chain", "draw"))
    chosen = rng.choice(flat.sizes["sample"], n, replace=flat.sizes["sample"] < n)
    labels: dict[str, Sequence[str]] = {
        "noise_sd": fit.design.noise_labels,
        **{f"{t.name}_sd": t.sd_labels for t in fit.design.terms if t.fixed_sd is None},
    }
    for i in chosen:
        draw = flat.isel(sample=int(i))
        means = dict(zip(fit.design.protected_connection_names, over_all[i].tolist(), strict=True))
        yield {"connection_mean": means} | {
            name: dict(zip(names, np.atleast_1d(draw[name].to_numpy()).tolist(), strict=True))
            for name, names in labels.items()
        }


def _worlds(
    design: Design,
    spec: ModelSpec,
    worlds: Sequence[dict[str, dict[str, float]]],
    rule: DecisionRule,
    seed: list[int],
) -> pd.DataFrame:
    """Draw and fit all worlds; return the contrasts of each, one below the other."""
    crossed = INTERACTION in worlds[0]
    fitted = RefittedContrasts(spec, rule, more=_interaction if crossed else None)
    beyond = _beyond(design) if crossed else 0.0
    tables = []
    for number, world in enumerate(worlds):
        # A stream of its own for each data set, whatever others are simulated.
        response = draw_responses(design, world, np.random.default_rng([*seed, number]))
        if crossed:
            response = response + world[INTERACTION][""] * beyond
        table, _ = fitted.of_design(dataclasses.replace(design, response=response))
        tables.append(table)
    return pd.concat(tables, ignore_index=True)


def _interaction(design: Design) -> tuple[pd.DataFrame, LinearCombinations]:
    """Return what the interaction of a crossed world is, as a contrast."""
    labels, weights = factor_weights(design, CROSSED)
    at = np.flatnonzero(labels["factor"] == " × ".join(CROSSED))
    return pd.DataFrame({"contrast": [INTERACTION]}), weights.rows(at)


def _beyond(design: Design) -> Array:
    """Return 1 for pairs of the first group with the second list, of which an interaction is."""
    first = design.groups.index(CROSSED["first"]["1"][0])
    own = design.group[design.word] == first
    return np.asarray(own & (design.attribute_set == design.attribute_sets.index("set 2")), float)


def _row(worlds: pd.DataFrame, truth: Array, prob: float) -> dict[str, Any]:
    """Summarise one contrast over worlds, a row of `RefittedContrasts` each."""
    bounds, estimate = worlds[["low", "high"]].to_numpy(), worlds["mean"].to_numpy()
    widths = bounds[:, 1] - bounds[:, 0]
    low, high = interval_of(widths, prob, "eti")
    decided = int((~worlds["verdict"].str.contains("undecided")).sum())
    share = binomial_interval(decided, len(bounds), prob)
    found = (bounds[:, 0] > 0) | (bounds[:, 1] < 0)
    # Type S and type M errors, of the data sets in which something is found.
    sign_error = exaggeration = np.nan
    if (known := found & (truth != 0)).any():
        sign_error = float((estimate[known] * truth[known] < 0).mean())
        exaggeration = float(np.abs(estimate[known]).mean() / np.abs(truth[known]).mean())
    return {
        "assumed": float(truth.mean()),
        "width": float(widths.mean()),
        "width_error": float(widths.std(ddof=1) / np.sqrt(len(widths))),
        "width_low": float(low),
        "width_high": float(high),
        "direction": float(found.mean()),
        "decided": decided / len(bounds),
        "decided_low": float(share[0]),
        "decided_high": float(share[1]),
        "sign_error": sign_error,
        "exaggeration": exaggeration,
        "simulations": len(bounds),
        "n_bad_k": int(failed(worlds).sum()),
    }
