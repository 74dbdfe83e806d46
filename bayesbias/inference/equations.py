"""A model as lines of mathematics: one structure, written as text here and as MathML in reports.

`model_lines` goes through a specification once and writes what it says: the density of a pair, its
mean as a sum of effects, the law of every effect and the prior of every standard deviation. A line
has a left side, a relation, a right side and what it means in words. The right side is an
expression of few kinds (a symbol, a number, a product, a distribution, a root), so that each way to
show it, text or MathML, is one function over the kinds and knows nothing of models.

What is printed is thus what is fitted: both come from the specification.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, Final

from bayesbias.constants import (
    ATTRIBUTE,
    ATTRIBUTE_SET,
    CONNECTION,
    DISTANCE,
    EMBEDDING,
    GROUP,
    PROTECTED_WORD,
)
from bayesbias.inference.priors import Prior
from bayesbias.inference.terms import ATTRIBUTE_KIND, CELL_COLUMNS, NoiseSpec, TermSpec

_LETTERS: Final = {
    PROTECTED_WORD: "w",
    GROUP: "g",
    ATTRIBUTE: "j",
    ATTRIBUTE_SET: "l",
    CONNECTION: "c",
    ATTRIBUTE_KIND: "k",
    EMBEDDING: "e",
}


@dataclass(frozen=True)
class Symbol:
    """A parameter or response: its name in fits, its letter in formulas, the term that has it."""

    name: str
    letter: str
    index: tuple[str, ...] = ()
    of: str = ""


@dataclass(frozen=True)
class Number:
    """A number."""

    value: float


@dataclass(frozen=True)
class MeanOver:
    """The plain mean of a symbol over one of its indices."""

    symbol: Symbol
    index: str


@dataclass(frozen=True)
class Product:
    """Symbols and numbers that are multiplied."""

    factors: tuple[Symbol | Number, ...]


@dataclass(frozen=True)
class Law:
    """A distribution, times a symbol; each argument has a keyword, or none (``""``)."""

    name: str
    arguments: tuple[tuple[str, Symbol | Number | Product], ...]
    times: Symbol | None = None


@dataclass(frozen=True)
class Root:
    """A standard deviation times the root of a share, or of what is left of it."""

    factor: Symbol
    share: Symbol
    is_rest: bool = False


@dataclass(frozen=True)
class TextPart:
    """What a symbol is, in words."""

    text: str


Expression = Symbol | Number | MeanOver | Law | Product | Root | TextPart


@dataclass(frozen=True)
class Line:
    """A line of a model.

    `left`: None where the line goes on with the sum of the line before. `relation`: ~, = or +.
    `meaning`: what the line says, in words. `connections`: where a summand acts; empty for
    everywhere.
    """

    left: Symbol | None
    relation: str
    right: Expression
    meaning: str
    connections: tuple[str, ...] = ()


SIMILARITY: Final = Symbol("K", "K", ("j", "j'"))
"""The similarity of attributes; a distribution with it has covariance sd² K."""

SUM_OVER: Final = "Σ over "
"""How the keyword of what effects sum to over an index begins."""

UNIT: Final = Symbol("unit", "u")
CENTRE: Final = Symbol("centre", "m")


@dataclass(frozen=True)
class Unit:
    """The unit of a model's priors, and what means count from; None while no frame is known."""

    scale: float | None
    centre: float | None

    @property
    def lines(self) -> list["Line"]:
        """What unit and centre are."""
        what = [
            (UNIT, self.scale, "sd of a neutral pair's distance"),
            (CENTRE, self.centre, "mean of all pairs"),
        ]
        known = {symbol: "" if value is None else f"{value:.3g}, " for symbol, value, _ in what}
        return [Line(s, "=", TextPart(f"{known[s]}the {said}"), said) for s, _, said in what]

    def prior_line(self, symbol: Symbol, prior: Prior, meaning: str) -> "Line":
        """Write the prior of a standard deviation."""
        line = _prior_line(symbol, self.relative(prior), meaning)
        assert isinstance(line.right, Law)
        return replace(line, right=replace(line.right, times=UNIT))

    def mean_line(self, symbol: Symbol, prior: Prior, meaning: str, is_distance: bool) -> "Line":
        """Write the prior of the means of connections."""
        if self.centre is not None and prior.mean != self.centre:  # one of the user's own
            return _prior_line(symbol, prior, meaning)
        centre = CENTRE if is_distance else Number(0.0)
        law = Law("Normal", (("mean", centre), ("sd", self.product(prior.parameters["sd"]))))
        return Line(symbol, "~", law, f"prior: {meaning}")

    def relative(self, prior: Prior) -> Prior:
        """Return a prior in this unit."""
        return prior.scaled(1.0 / (self.scale or 1.0))

    def product(self, sd: float) -> Product:
        """Write a standard deviation in this unit."""
        return Product((Number(sd / (self.scale or 1.0)), UNIT))


NEARNESS: Final = Symbol("N", "N", ("j",))
"""How near everybody is to attributes; a distribution with both has covariance sd² K + N Nᵀ."""


def model_lines(spec: Any) -> tuple[Line, ...]:
    """Write a `ModelSpec` as lines; see its `mathematics`."""
    connection_mean: Prior | float = spec.connection_mean
    terms: Sequence[TermSpec] = spec.terms
    noise: NoiseSpec = spec.noise
    degrees_of_freedom: Prior | None = spec.degrees_of_freedom
    unit = Unit(spec.scale, spec.centre) if spec.prior_unit else None
    of_sd = _prior_line if unit is None else unit.prior_line
    noise_sd = Symbol("noise_sd", "σ", _index([noise.sd_by]))
    freedom = Symbol("degrees_of_freedom", "\N{GREEK SMALL LETTER NU}")
    pair_mean = Symbol("mean", "μ", ("i",))
    if degrees_of_freedom is None:
        law = Law("Normal", (("", pair_mean), ("", noise_sd)))
    else:
        law = Law("StudentT", (("", freedom), ("", pair_mean), ("", noise_sd)))
    is_distance = spec.response == DISTANCE
    explained = Symbol("distance", "d", ("i",)) if is_distance else Symbol("change", "Δd", ("i",))
    what = (
        "cosine distance of pair i"
        if is_distance
        else ("change of the cosine distance of pair i, after minus before")
    )
    lines = [Line(explained, "~", law, what)]
    lines += _sum(pair_mean, connection_mean, terms, "mean of pair i: the mean of its connection")
    if noise.similar:
        share = Symbol("noise_similar", "ε", ("w", "j"))
        said = "and the part of the word's noise that similar attributes share"
        lines.append(Line(None, "+", share, said, noise.similar_connections))
    lines += [Line(_effect(t), "~", _effect_law(t, unit), _said_of_effects(t)) for t in terms]
    if noise.similar:
        law = Law("Normal", (("", Number(0.0)), ("", _noise_similar_sd(noise)), ("", SIMILARITY)))
        lines.append(Line(share, "~", law, "normal, with covariance sd² K over attributes"))
    mean = Symbol("connection_mean", "β", ("c",))
    if isinstance(connection_mean, Prior):
        of_mean = partial(unit.mean_line, is_distance=is_distance) if unit else _prior_line
        lines.append(of_mean(mean, connection_mean, "mean of connection c"))
    lines += [
        of_sd(_sd(t), t.prior, f"standard deviation of the effects of {t.name}")
        for t in terms
        if t.prior is not None
    ]
    said = f"standard deviation of single {'distances' if is_distance else 'changes'}"
    if noise.similar_share is None:
        lines.append(of_sd(noise_sd, noise.prior, said))
    else:
        lines += _noise_lines(noise, noise_sd, said, of_sd)
    if degrees_of_freedom is not None:
        said = "degrees of freedom of the noise; the fewer, the heavier its tails"
        lines.append(_prior_line(freedom, degrees_of_freedom, said))
    if noise.similar or any(term.similar for term in terms):
        of_means = "sampled by topic" if is_distance else "as for unrelated groups"
        said = f"within lists from vectors; their means {of_means}"
        lines.append(Line(SIMILARITY, "=", TextPart(said), f"similarity of attributes: {said}"))
    if any(term.similar and term.has_common_factor for term in terms):
        said = "how near all words are to attribute j, in the same two parts"
        lines.append(Line(NEARNESS, "=", TextPart(said), said))
    if unit is not None:
        lines += [line for line in unit.lines if is_distance or line.left != CENTRE]
    word_mean = Symbol("word_mean", "μ", ("w", "c"))
    of_words = [term for term in terms if not term.of and set(term.by) <= set(CELL_COLUMNS)]
    lines += _sum(word_mean, connection_mean, of_words, "mean of protected word w, connection c")
    if not isinstance(connection_mean, Prior):
        lines.append(Line(mean, "=", MeanOver(word_mean, "w"), "plain mean of the word means"))
    return tuple(lines)


def _sum(
    left: Symbol, connection_mean: Prior | float, terms: Sequence[TermSpec], meaning: str
) -> list[Line]:
    """Write a mean as a sum, one summand a line."""
    first: Symbol | Number = Symbol("connection_mean", "β", ("c",))
    if not isinstance(connection_mean, Prior):
        first = Number(connection_mean)
    lines = [Line(left, "=", first, meaning)]
    for term in terms:
        where = f", where c is {' or '.join(term.connections)}" if term.connections else ""
        said = f"and the effect of {term.name}{where}"
        if term.of:
            said += f", times {' times '.join(term.of)} in standard deviations from the mean"
        numbers = [Symbol(column, "x", ("i",), column) for column in term.of]  # of pair i
        summand = Product((_effect(term), *numbers)) if term.of else _effect(term)
        lines.append(Line(None, "+", summand, said, term.connections))
    return lines


def _effect(term: TermSpec) -> Symbol:
    return Symbol(f"{term.name}_effect", "α", _index(term.by), term.name)


def _sd(term: TermSpec) -> Symbol:
    return Symbol(f"{term.name}_sd", "τ", _index([term.sd_by]), term.name)


def _effect_law(term: TermSpec, unit: Unit | None) -> Law:
    sd: Symbol | Number | Product = _sd(term)
    if term.sd is not None:
        sd = Number(term.sd) if unit is None else unit.product(term.sd)
    arguments: tuple[tuple[str, Symbol | Number | Product], ...] = (("", Number(0.0)), ("", sd))
    if term.similar:
        near = (("", NEARNESS),) if term.has_common_factor else ()
        arguments = (*arguments, ("", SIMILARITY), *near)
    if term.sum_to_zero:
        over = "×".join(_index(term.sum_to_zero))
        arguments = (*arguments, (f"{SUM_OVER}{over}", Number(0.0)))
    return Law("Normal", arguments)


def _said_of_effects(term: TermSpec) -> str:
    said = f"effects of the term {term.name}"
    if term.sum_to_zero:
        said += f", of variance sd² each, that sum to 0 over {' and '.join(term.sum_to_zero)}"
    if not term.similar:
        return said
    near = " + N Nᵀ, N how near all words are to attribute j" if term.has_common_factor else ""
    return f"{said}: covariance sd² K{near}"


def _noise_similar_sd(noise: NoiseSpec) -> Symbol:
    return Symbol("noise_similar_sd", "τ", _index([noise.sd_by]))


def _noise_lines(
    noise: NoiseSpec, own: Symbol, said: str, of_sd: Callable[[Symbol, Prior, str], Line]
) -> list[Line]:
    """Write the two parts of the noise, and the priors that they follow from."""
    assert noise.similar_share is not None
    index = _index([noise.sd_by])
    total = Symbol("noise_total_sd", "s", index)
    share = Symbol("noise_similar_share", "ρ", index)
    of_pair = "standard deviation of a pair's own part of the noise"
    similar = "standard deviation of the part of a word's noise that similar attributes share"
    return [
        Line(own, "=", Root(total, share, is_rest=True), of_pair),
        Line(_noise_similar_sd(noise), "=", Root(total, share), similar),
        of_sd(total, noise.prior, f"{said}, both parts"),
        _prior_line(share, noise.similar_share, "share of the variance that the similar part has"),
    ]


def _prior_line(symbol: Symbol, prior: Prior, meaning: str) -> Line:
    arguments = tuple((name, Number(value)) for name, value in prior.parameters.items())
    return Line(symbol, "~", Law(prior.title, arguments), f"prior: {meaning}")


def _index(columns: Sequence[str | None]) -> tuple[str, ...]:
    return tuple(_LETTERS.get(column, column) for column in columns if column is not None)


def as_rows(lines: Sequence[Line]) -> list[tuple[str, str, str]]:
    """Write lines as plain text: left side, relation, and right side."""
    rows = []
    for line in lines:
        where = f"  ({', '.join(line.connections)})" if line.connections else ""
        left = "" if line.left is None else _text(line.left)
        rows.append((left, line.relation, _text(line.right) + where))
    return rows


def equations_as_text(lines: Sequence[Line]) -> str:
    """Write lines as plain text, aligned."""
    rows = as_rows(lines)
    width = max(len(left) for left, _, _ in rows)
    return "\n".join(f"{left:<{width}} {relation} {right}" for left, relation, right in rows)


def _text(part: Expression) -> str:
    if isinstance(part, Symbol):
        return f"{part.name}[{', '.join(part.index)}]" if part.index else part.name
    if isinstance(part, Number):
        return f"{part.value:g}"
    if isinstance(part, Product):
        return " × ".join(_text(factor) for factor in part.factors)
    if isinstance(part, MeanOver):
        return f"mean of {_text(part.symbol)} over {part.index}"
    if isinstance(part, TextPart):
        return part.text
    if isinstance(part, Root):
        share = _text(part.share)
        return f"{_text(part.factor)} × √{f'(1 − {share})' if part.is_rest else share}"
    arguments = [f"{k}={_text(v)}" if k else _text(v) for k, v in part.arguments]
    times = f" × {_text(part.times)}" if part.times else ""
    return f"{part.name}({', '.join(arguments)}){times}"
