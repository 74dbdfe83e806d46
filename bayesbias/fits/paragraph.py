"""What a paper says of a fit, in a paragraph with keys that `cite` defines."""

import re
from collections.abc import Callable, Mapping, Sequence
from typing import Any, Final

import pandas as pd

from bayesbias.constants import ATTRIBUTE, ATTRIBUTE_KINDS, PROTECTED_WORD, REPEATING, TOPIC
from bayesbias.fits.contrasts import can_compare
from bayesbias.fits.criticism import left_out_coverage
from bayesbias.fits.narrator import answer_of_means, off_target
from bayesbias.inference.decision import DecisionRule
from bayesbias.pairs.citations import cited_in, keys_of_list, named
from bayesbias.pairs.coverage import missing_sentence
from bayesbias.pairs.provenance import source_of, title_of
from bayesbias.pairs.reference import reference_rows, without_reference
from bayesbias.pairs.topics import topics_of
from bayesbias.support.rendering import as_latex, as_markdown
from bayesbias.support.text_tables import Blocks, as_text, counted, percent, typeset
from bayesbias.support.wording import Wording

_METHOD: Final = "bayesbias", "dobrzeniecka2023"
_ROPE: Final = ("kruschke2018",)
_START, _END = "⟦", "⟧"
"""Marks around keys, which no form escapes."""


def _marked(keys: Sequence[str]) -> str:
    return f" {_START}{','.join(keys)}{_END}" if keys else ""


tell: Final = Wording("bayesbias.fits", "paragraph.jinja", {"cited": _marked})

FORMS: Final[Mapping[str, tuple[Callable[[Blocks], str], Callable[[list[str]], str]]]] = {
    "text": (as_text, lambda keys: f"({'; '.join(map(named, keys))})"),
    "markdown": (as_markdown, lambda keys: f"[{'; '.join(f'@{key}' for key in keys)}]"),
    "latex": (as_latex, lambda keys: rf"\cite{{{','.join(keys)}}}"),
}
"""How each form writes sentences and citations."""


def paragraph(fit: Any, rule: DecisionRule, form: str, placebo: Any = None) -> str:
    """Return what a paper says of a `Fit`; see `Fit.report`."""
    write, cite = FORMS[form]
    text = write([" ".join(_sentences(fit, rule, placebo))])
    return re.sub(f"{_START}(.*?){_END}", lambda found: cite(found[1].split(",")), text)


def _sentences(fit: Any, rule: DecisionRule, placebo: Any) -> list[str]:
    if can_compare(fit.design):
        answers = fit.answers(rule)
        found = [answers.headline, *answers.lines] if answers.of_lists else answers.findings
        unit = f" ({rule.width / rule.scale:.2f} {rule.unit})" if rule.scale else ""
        found = [*found, tell("verdicts", rule.label, f"{rule.width:.2g}", unit, _ROPE)]
    else:
        found = [*answer_of_means(fit.summary(rule=rule))]
    return [
        _data(fit),
        missing_sentence(fit.frame),
        *_topics(fit),
        *found,
        *([placebo.sentence] if placebo is not None else []),
        _checks(fit, rule),
        *fit.notes,
        _made(fit),
    ]


def _data(fit: Any) -> str:
    """Say which model was fitted to what."""
    frame, spec, source = fit.frame, fit.spec, source_of(fit.frame)
    parts = [
        _pairs(rows, kind)
        for kind, rows in (
            ("protected", without_reference(frame)),
            ("reference", reference_rows(frame)),
        )
        if len(rows)
    ]
    text = source.get("wordlist_source", "")
    return tell(
        "data",
        title=title_of(source),
        wordlist=source.get("wordlist", ""),
        list_keys=keys_of_list(source.get("wordlist", ""), text) if text else (),
        pairs=parts,
        model=repr(spec.name),
        model_keys=cited_in(spec.source),
        source=spec.source.rstrip(". "),
    )


def _pairs(rows: pd.DataFrame, kind: str) -> str:
    copies = [counted(rows[c].nunique(), c) for c in REPEATING if c in rows]
    words = counted(rows[PROTECTED_WORD].nunique(), f"{kind} word")
    attributes = counted(rows[ATTRIBUTE].nunique(), "attribute")
    return tell("pairs", words, attributes, counted(len(rows), "pair"), copies)


def _topics(fit: Any) -> list[str]:
    """Say that attributes are a sample of topics, and of how many, where the model counts these."""
    found = topics_of(fit.frame)
    if found is None or not any(term.similar for term in fit.spec.terms):
        return []
    own = found[found["kind"] == ATTRIBUTE_KINDS[0]]
    return [tell("topics", len(own), own[TOPIC].nunique())] if len(own) else []


def _checks(fit: Any, rule: DecisionRule) -> str:
    coverage = left_out_coverage(fit.loo, fit.design, rule.prob)
    row = coverage[(coverage["connection"] == "all") & (coverage["prob"] == rule.prob)].iloc[0]
    problems = fit.diagnostics.problems
    draws = fit.diagnostics.sentence.rstrip(".") if problems else "The draws passed their checks"
    off = off_target(coverage, rule.prob)
    return tell("checks", draws, typeset(float(row["inside"]), "share"), percent(rule.prob), off)


def _made(fit: Any) -> str:
    """Say how a posterior was drawn, with what, and from which seed."""
    record = fit.record
    version = record["versions"].get("bayesbias", "(version unknown)")
    draws = f"{record['chains']} × {record['draws']:,}"
    return tell("made", version, _METHOD, record["engine"], draws, record["seed"], fit.id)
