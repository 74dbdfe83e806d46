"""A model's lines of mathematics in MathML, which browsers set without any script."""

from html import escape

from bayesbias.inference.equations import (
    SUM_OVER,
    Expression,
    Law,
    MeanOver,
    Number,
    Product,
    Root,
    Symbol,
    TextPart,
)
from bayesbias.inference.specification import ModelSpec


def equations_of(spec: ModelSpec) -> tuple[tuple[str, str], ...]:
    """Return the lines of a model: MathML, and what the line says."""
    return tuple(
        (_line(line.left, line.relation, line.right), line.meaning) for line in spec.mathematics
    )


def _line(left: Symbol | None, relation: str, right: Expression) -> str:
    sign = "\N{TILDE OPERATOR}" if relation == "~" else relation
    begin = "<mspace width='2em'/>" if left is None else _mathml(left)
    return f"<math><mrow>{begin}<mo>{sign}</mo>{_mathml(right)}</mrow></math>"


def _mathml(part: Expression) -> str:
    if isinstance(part, Symbol):
        return _symbol(part)
    if isinstance(part, Number):
        return f"<mn>{part.value:g}</mn>".replace("-", "−")
    if isinstance(part, Product):
        return "<mo>&#x22C5;</mo>".join(_mathml(factor) for factor in part.factors)
    if isinstance(part, MeanOver):
        return (
            f"<msub><mtext>mean</mtext><mi>{escape(part.index)}</mi></msub>{_symbol(part.symbol)}"
        )
    if isinstance(part, TextPart):
        return f"<mtext>{escape(part.text)}</mtext>"
    if isinstance(part, Root):
        share = _symbol(part.share)
        inside = f"<mn>1</mn><mo>−</mo>{share}" if part.is_rest else share
        return f"{_symbol(part.factor)}<msqrt>{inside}</msqrt>"
    return _law(part)


def _symbol(symbol: Symbol) -> str:
    """Write a letter with its index below and the term that it belongs to above."""
    letter = f"<mi>{symbol.letter}</mi>"
    below = "<mo>,</mo>".join(f"<mi>{escape(index)}</mi>" for index in symbol.index)
    above = f"<mtext>{escape(symbol.of)}</mtext>"
    if symbol.of and below:
        return f"<msubsup>{letter}<mrow>{below}</mrow>{above}</msubsup>"
    if symbol.of:
        return f"<msup>{letter}{above}</msup>"
    return f"<msub>{letter}<mrow>{below}</mrow></msub>" if below else letter


def _sum_of(keyword: str) -> str:
    """Write over what the effects sum to the number that follows; other keywords are left out."""
    over = keyword.removeprefix(SUM_OVER)
    if over == keyword:
        return ""
    return f"<munder><mo>∑</mo><mi>{escape(over)}</mi></munder><mi>α</mi><mo>=</mo>"


def _law(law: Law) -> str:
    inside = "<mo>,</mo>".join(
        f"<mrow>{_sum_of(keyword)}{_mathml(argument)}</mrow>" for keyword, argument in law.arguments
    )
    times = f"<mo>&#x22C5;</mo>{_symbol(law.times)}" if law.times else ""
    return (
        f"<mi>{law.name}</mi><mo stretchy='false'>(</mo>{inside}<mo stretchy='false'>)</mo>{times}"
    )
