"""A model's equations and priors in MathML, which browsers set without any script."""

from typing import Final

from bayesbias.constants import DISTANCE
from bayesbias.inference.priors import Prior
from bayesbias.inference.specification import ModelSpec

_SYMBOLS: Final = {
    "group_mean": ("β", "c"),
    "word_mean": ("μ", "w,c"),
    "word_sd": ("τ", "c"),
    "noise_sd": ("σ", "c"),
    "attribute_effect": ("α", "j"),
    "attribute_sd": ("ω", "k"),
    "degrees_of_freedom": ("\N{GREEK SMALL LETTER NU}", ""),
}
"""Symbol and index of every parameter."""

_MEANINGS: Final = {
    "group_mean": "mean of connection c",
    "word_mean": "mean of protected word w and connection c",
    "word_sd": "spread of word means around the mean of their connection",
    "noise_sd": "spread of single distances",
    "attribute_effect": "effect of attribute word j",
    "attribute_sd": "spread of the effects of a kind k of attribute list",
    "degrees_of_freedom": "degrees of freedom of the noise; the fewer, the heavier its tails",
}


def equations_of(spec: ModelSpec) -> tuple[tuple[str, str], ...]:
    """Return the lines of a model: MathML, and what the left side is.

    Examples
    --------
    >>> from bayesbias.spec import load_model
    >>> [meaning for _, meaning in equations_of(load_model("paper"))][:2]
    ['cosine distance of pair i', 'mean of protected word w and connection c']
    """
    shared = spec.noise == "shared"
    noise = _symbol("noise_sd", "" if shared else "c[i]")
    mean = _symbol("word_mean", "w[i],c[i]")
    if spec.attribute_effects == "crossed":
        mean += "<mo>+</mo>" + _symbol("attribute_effect", "j[i]")
    is_distance = spec.response == DISTANCE
    response = _indexed("d", "i") if is_distance else "<mi mathvariant='normal'>Δ</mi>" + \
        _indexed("d", "i")  # fmt: skip
    what = "cosine distance of pair i" if is_distance else \
        "change of the cosine distance of pair i, after minus before"  # fmt: skip
    if spec.is_gaussian:
        law = _law("Normal", mean, noise)
    else:
        law = _law("StudentT", _symbol("degrees_of_freedom"), mean, noise)
    lines = [(_line(response, law), what)]
    if spec.pooling == "partial":
        law = _law("Normal", _symbol("group_mean"), _symbol("word_sd"))
        lines.append((_line(_symbol("word_mean"), law), _MEANINGS["word_mean"]))
    if spec.attribute_effects == "crossed":
        law = _law("Normal", "<mn>0</mn>", _symbol("attribute_sd", "k[j]"))
        lines.append((_line(_symbol("attribute_effect"), law), _MEANINGS["attribute_effect"]))
    for name in spec.prior_names:
        index = "" if shared and name == "noise_sd" else None
        lines.append((_line(_symbol(name, index), _prior(spec.priors[name])),
                      f"prior: {_MEANINGS[name]}"))  # fmt: skip
    if spec.pooling == "complete":
        lines.append((_line(_symbol("word_mean"), _symbol("group_mean"), "="),
                      "protected words do not differ"))  # fmt: skip
    if spec.pooling == "none":
        over = f"<msub><mtext>mean</mtext><mi>w</mi></msub>{_symbol('word_mean')}"
        lines.append((_line(_symbol("group_mean"), over, "="), "plain mean of the word means"))
    return tuple(lines)


def _symbol(name: str, index: str | None = None) -> str:
    """Return a parameter with its index, or with another (none if empty)."""
    letter, usual = _SYMBOLS[name]
    return _indexed(letter, usual if index is None else index)


def _indexed(letter: str, index: str) -> str:
    if not index:
        return f"<mi>{letter}</mi>"
    parts = "".join(
        f"<mo>{c}</mo>" if c in "[]," else f"<mi>{c}</mi>" for c in index
    )  # fmt: skip
    return f"<msub><mi>{letter}</mi><mrow>{parts}</mrow></msub>"


def _law(name: str, *arguments: str) -> str:
    inside = "<mo>,</mo>".join(f"<mrow>{argument}</mrow>" for argument in arguments)
    return f"<mi>{name}</mi><mo stretchy='false'>(</mo>{inside}<mo stretchy='false'>)</mo>"


def _prior(prior: Prior) -> str:
    """Return a prior, its parameters in the order of `Prior.parameters`."""
    name = {"half_normal": "HalfNormal"}.get(prior.distribution, prior.distribution.capitalize())
    return _law(name, *(f"<mn>{value:g}</mn>".replace("-", "−")
                        for value in prior.parameters.values()))  # fmt: skip


def _line(left: str, right: str, relation: str = "~") -> str:
    sign = "\N{TILDE OPERATOR}" if relation == "~" else relation
    return f"<math><mrow>{left}<mo>{sign}</mo>{right}</mrow></math>"
