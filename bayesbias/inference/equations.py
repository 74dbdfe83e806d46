"""A model as lines of mathematics: one structure, written as text here and as MathML in reports."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

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
class Law:
    """A distribution; each argument has a keyword, or none (``""``)."""

    name: str
    arguments: tuple[tuple[str, "Symbol | Number"], ...]


@dataclass(frozen=True)
class Product:
    """Symbols that are multiplied."""

    factors: tuple[Symbol, ...]


Expression = Symbol | Number | MeanOver | Law | Product


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

NEARNESS: Final = Symbol("N", "N", ("j",))
"""How near everybody is to attributes; a distribution with both has covariance sd² K + N Nᵀ."""


def model_lines(
    response: str,
    connection_mean: Prior | float,
    terms: Sequence[TermSpec],
    noise: NoiseSpec,
    degrees_of_freedom: Prior | None,
) -> tuple[Line, ...]:
    """Write a model as lines; `ModelSpec.mathematics` hands it its parts."""
    noise_sd = Symbol("noise_sd", "σ", _index([noise.sd_by]))
    freedom = Symbol("degrees_of_freedom", "\N{GREEK SMALL LETTER NU}")
    pair_mean = Symbol("mean", "μ", ("i",))
    if degrees_of_freedom is None:
        law = Law("Normal", (("", pair_mean), ("", noise_sd)))
    else:
        law = Law("StudentT", (("", freedom), ("", pair_mean), ("", noise_sd)))
    is_distance = response == DISTANCE
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
    lines += [Line(_effect(t), "~", _effect_law(t), _said_of_effects(t)) for t in terms]
    if noise.similar:
        law = Law("Normal", (("", Number(0.0)), ("", _noise_similar_sd(noise)), ("", SIMILARITY)))
        lines.append(Line(share, "~", law, "normal, with covariance sd² K over attributes"))
    mean = Symbol("connection_mean", "β", ("c",))
    if isinstance(connection_mean, Prior):
        lines.append(_prior_line(mean, connection_mean, "mean of connection c"))
    lines += [
        _prior_line(_sd(t), t.prior, f"standard deviation of the effects of {t.name}")
        for t in terms
        if t.prior is not None
    ]
    said = f"standard deviation of single {'distances' if is_distance else 'changes'}"
    lines.append(_prior_line(noise_sd, noise.prior, said))
    if noise.similar_prior is not None:
        said = "standard deviation of the part of a word's noise that similar attributes share"
        lines.append(_prior_line(_noise_similar_sd(noise), noise.similar_prior, said))
    if degrees_of_freedom is not None:
        said = "degrees of freedom of the noise; the fewer, the heavier its tails"
        lines.append(_prior_line(freedom, degrees_of_freedom, said))
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
        summand = Product((_effect(term), *_numbers(term))) if term.of else _effect(term)
        lines.append(Line(None, "+", summand, said, term.connections))
    return lines


def _effect(term: TermSpec) -> Symbol:
    return Symbol(term.effect_name, "α", _index(term.by), term.name)


def _numbers(term: TermSpec) -> list[Symbol]:
    """Return the numbers of pair i that a slope is multiplied by."""
    return [Symbol(column, "x", ("i",), column) for column in term.of]


def _sd(term: TermSpec) -> Symbol:
    return Symbol(term.sd_name, "τ", _index([term.sd_by]), term.name)


def _effect_law(term: TermSpec) -> Law:
    sd: Symbol | Number = _sd(term) if term.sd is None else Number(term.sd)
    arguments: tuple[tuple[str, Symbol | Number], ...] = (("", Number(0.0)), ("", sd))
    if not term.similar:
        return Law("Normal", arguments)
    near = (("", NEARNESS),) if term.is_of_everybody else ()
    return Law("Normal", (*arguments, ("", SIMILARITY), *near))


def _said_of_effects(term: TermSpec) -> str:
    said = f"effects of the term {term.name}"
    if not term.similar:
        return said
    near = " + N Nᵀ, N how near all words are to attribute j" if term.is_of_everybody else ""
    return f"{said}: covariance sd² K{near}"


def _noise_similar_sd(noise: NoiseSpec) -> Symbol:
    return Symbol("noise_similar_sd", "τ", _index([noise.sd_by]))


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


def as_text(lines: Sequence[Line]) -> str:
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
    arguments = [f"{k}={_text(v)}" if k else _text(v) for k, v in part.arguments]
    return f"{part.name}({', '.join(arguments)})"
