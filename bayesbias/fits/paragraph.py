"""What a paper says of a fit: the sentences that `Fit.report` puts around the narrator's."""

from collections.abc import Mapping, Sequence
from typing import Any, Final

import pandas as pd

from bayesbias.constants import ATTRIBUTE, PROTECTED_WORD, REPEATING
from bayesbias.errors import ArgumentError, suggest
from bayesbias.inference.model_files import load_model
from bayesbias.inference.specification import ModelSpec
from bayesbias.pairs.collapse import said_of_missing
from bayesbias.pairs.provenance import source_of, title_of
from bayesbias.pairs.reference import reference_rows, without_reference
from bayesbias.support.rendering import as_latex, as_markdown
from bayesbias.support.text_tables import as_text, counted

_FORMS: Final = {"text": as_text, "markdown": as_markdown, "latex": as_latex}

_VERSIONS: Final = ("python", "numpy", "scipy")


def check_form(form: str) -> None:
    """Refuse a form in which no paragraph is written."""
    if form not in _FORMS:
        raise ArgumentError(f"form={form!r}{suggest(str(form), _FORMS)}")


def as_paragraph(sentences: Sequence[str], form: str) -> str:
    """Return sentences as one paragraph in one of the forms."""
    return _FORMS[form]([" ".join(sentences)])


def data_sentences(frame: pd.DataFrame, spec: ModelSpec) -> tuple[str, str]:
    """Return which model was fitted to what, and what is missing."""
    pairs, reference = without_reference(frame), reference_rows(frame)
    counts = [
        f"{counted(part[PROTECTED_WORD].nunique(), f'{kind} word')} and "
        f"{counted(part[ATTRIBUTE].nunique(), 'attribute word')} ({counted(len(part), 'pair')})"
        for kind, part in (("protected", pairs), ("reference", reference))
        if len(part)
    ]
    copies = "".join(f", in {counted(frame[c].nunique(), c)}" for c in REPEATING if c in frame)
    said = (
        f"{title_of(source_of(frame))}: model {spec.name!r} ({spec.title.rstrip('.')}) was fitted "
        f"to the cosine distances between {', and between '.join(counts)}{copies}."
    )
    return said, said_of_missing(frame)


def made_with(fit: str, record: Mapping[str, Any]) -> str:
    """Say how a posterior was drawn, with what, and from which seed; `record` is `Fit.record`."""
    versions = record["versions"]
    names = [n for n in (*_VERSIONS, str(record.get("sampler"))) if n in versions]
    found = ", ".join(f"{name} {versions[name]}" for name in names)
    return (
        f"Computed with bayesbias {versions.get('bayesbias', '(version unknown)')} ({found}): "
        f"engine {record['engine']}, {record['chains']} × {record['draws']:,} draws, seed "
        f"{record['seed']}, fit {fit}."
    )


def to_cite(spec: ModelSpec, record: Mapping[str, Any]) -> list[str]:
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
