"""The sections on the method, what to cite, and how to reproduce the report.

A model's lines are in MathML, which browsers set without any script.
"""

from collections.abc import Mapping
from html import escape
from typing import Any, Final

from bayesbias import __version__
from bayesbias.fits.fit_result import Fit
from bayesbias.inference.decision import DecisionRule
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
from bayesbias.inference.model_files import load_model
from bayesbias.inference.specification import ModelSpec
from bayesbias.report.data import SEAL, source_facts
from bayesbias.report.page_parts import Code, DefinitionList, Equations, Items, PagePart, Section

_INTERVALS: Final = {
    "hpdi": "Intervals are highest posterior density intervals (HPDI): the narrowest that hold "
    "their share of the posterior.",
    "eti": "Intervals are equal-tailed: as much of the posterior lies below as above.",
}
_DISTANCES: Final = (
    "Cosine distance is 1 − cosine similarity: 0 for the same direction, 1 for unrelated, 2 for "
    "opposite. An association shows as associated words closer than different ones; that both are "
    "closer than neutral words says only that words about people are near words about people, "
    "which is what the controls are for."
)
_LAWS: Final = (
    "Indices are those of a pair i: w its protected word, g the word's group, c the connection, j "
    "the attribute word, k the kind of attribute list (stereotype, human, neutral); other columns "
    "have their own names. Normal and StudentT are given by mean and standard deviation (scale), "
    "Exponential by its rate, HalfNormal by its standard deviation, Gamma by shape and rate."
)


def method_section(fit: Fit, rule: DecisionRule) -> Section:
    """Write the model and its priors as mathematics, and the rule of the verdicts."""
    spec = fit.spec
    notes = " ".join(spec.notes.split())
    parts: list[PagePart] = [
        f"Model {spec.name!r}: {spec.title.rstrip('.')}.",
        *fit.left_out,
        Equations(equations_of(spec)),
        _LAWS,
        *([notes] if notes else []),
        _DISTANCES,
        f"{_INTERVALS[rule.interval]} {rule.caption}",
    ]
    return Section("method", "Method and priors", tuple(parts))


def citation_section(fit: Fit) -> Section:
    """Say what to cite."""
    items = [
        *_sources(fit.spec, fit.record),
        "The intervals: Chen and Shao (1999), Monte Carlo estimation of Bayesian credible and HPD "
        "intervals, Journal of Computational and Graphical Statistics 8.",
        "The rule of the verdicts: Kruschke (2018), Rejecting or accepting parameter values in "
        "Bayesian estimation, Advances in Methods and Practices in Psychological Science 1.",
        "Leave-one-out predictions: Vehtari, Gelman and Gabry (2017), Practical Bayesian model "
        "evaluation using leave-one-out cross-validation and WAIC, Statistics and Computing 27.",
        "The expected number of false discoveries: Müller, Parmigiani, Robert and Rousseau (2004), "
        "Optimal sample size for multiple testing, Journal of the American Statistical Association "
        "99.",
        "WEAT: Caliskan, Bryson and Narayanan (2017), Semantics derived automatically from "
        "language corpora contain human-like biases, Science 356.",
        "MAC: Manzini, Lim, Tsvetkov and Black (2019), Black is to criminal as Caucasian is to "
        "police: detecting and removing multiclass bias in word embeddings, NAACL.",
        "BibTeX of the software, the method and a word list: bayesbias cite LIST.",
    ]
    return Section("cite", "How to cite", (Items(tuple(items)),))


def _sources(spec: ModelSpec, record: Mapping[str, Any]) -> list[str]:
    """Return what to cite for software, method, model and word list; `record` is `Fit.record`."""
    paper = load_model("paper").source
    version = record["versions"].get("bayesbias", "")
    cited = {
        "software": f"The bayesbias developers ({record['created'][:4]}), bayesbias {version}",
        "method": paper,
        "model": "" if spec.source == paper else spec.source,
        "word list": record["source"].get("wordlist_source", ""),
    }
    return [f"The {what}: {source.rstrip('. ')}." for what, source in cited.items() if source]


def reproduction_section(fit: Fit, command: str) -> Section:
    """Give the exact command, the seed, the versions and the checksums."""
    again = (
        Code("The command that made it", command)
        if command
        else "No command was recorded: the fit was made from Python."
    )
    record = fit.record
    settings = [(k.replace("_", " "), str(v)) for k, v in fit.settings.items() if v is not None]
    facts = [
        ("fit", fit.id),
        ("made (UTC)", fit.created),
        ("model", f"{fit.spec.name} ({fit.spec.id})"),
        ("seed", str(fit.seed)),
        (f"pairs {SEAL}", record["pairs_sha256"]),
        (f"posterior {SEAL}", record["posterior_sha256"]),
        *(fact for fact in source_facts(record["source"]) if SEAL in fact[0]),
        *settings,
    ]
    known = [(name, str(version)) for name, version in fit.versions.items()]
    if fit.versions.get("bayesbias") != __version__:
        known.append(("bayesbias of this report", __version__))
    load = 'import bayesbias as bb\n\nfit = bb.load_fit("fit.nc")\nfit.contrasts(by="word")'
    versions = "Versions:", DefinitionList(tuple(known))
    code = Code("To continue from the saved posterior, in Python", load)
    parts = (again, DefinitionList(tuple(facts)), *versions, code)
    return Section("reproduce", "How to reproduce it", parts)


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
