"""Feeds a fit to the page of `show`."""

from typing import TYPE_CHECKING, Any, Final

import pandas as pd

from bayesbias.constants import (
    ATTRIBUTE,
    ATTRIBUTE_SET,
    CONNECTION,
    GROUP,
    STEREOTYPE_CONNECTIONS,
)
from bayesbias.fits.checks import COLUMNS
from bayesbias.fits.decision import DecisionRule
from bayesbias.fits.figures import finding_figure
from bayesbias.fits.output import means_of, words_of
from bayesbias.fits.screen import findings, first_rows
from bayesbias.show import page as show
from bayesbias.show.figures import row_label
from bayesbias.show.narrator import Names
from bayesbias.words.list_files import list_wordlists
from bayesbias.words.provenance import names_of, source_of, title_of

if TYPE_CHECKING:
    from bayesbias.fits.fit_result import Fit

PAPER: Final = (
    "Dobrzeniecka, A. and Urbaniak, R. (2023). Taking uncertainty in word embedding bias "
    "estimation seriously: a Bayesian approach."
)
"""Whose method the package builds on."""

_ROWS: Final = 30
"""Attributes of the first screen's figure, at most; the second screen has all."""


def page_of(
    fit: "Fit", rule: DecisionRule, command: str | None, checks: pd.DataFrame | None
) -> show.Page:
    """Return a fit as a page."""
    table, names = fit.contrasts(rule=rule), names_of(fit.frame)
    first = first_rows(table)
    sentences = findings(fit, table, names, rule)
    subject = title_of(source_of(fit.frame))
    of_words = table[(table["level"] == "word") & (table["withheld"] == "")]
    charts = [attribute_chart(fit.frame, names, fit.spec.response)]
    charts += [word_chart(of_words, names, rule)] if len(of_words) else []
    stereotypes = fit.frame[fit.frame[CONNECTION].isin(STEREOTYPE_CONNECTIONS)]
    present = set(stereotypes[ATTRIBUTE_SET])
    seed = {"seed": fit.seed, "id": fit.id, "pairs sha256": fit.pairs_sha256, **fit.versions}
    details = [
        show.full_table("contrasts", "All answers", table),
        show.full_table("means", "Mean distances", means_of({"": fit}, rule)),
        show.full_table("words", "Words, used and missing", words_of(fit)),
    ]
    return show.Page(
        subject=subject,
        sentences=[*sentences, *fit.notes],
        figure={
            name: show.inline_svg(
                finding_figure(fit, None, width, most=_ROWS, titled=False),
                sentences[0],
                stereotypes[ATTRIBUTE].unique(),
            )
            for name, width in (("wide", 7.2), ("narrow", 3.5))
        }
        | {"text": sentences[0]},
        answers=show.answer_table(first, [row_label(r) for r in first.itertuples()], rule.label),
        charts=charts,
        choices={
            "list": [(name, names.list(name)) for name in names.lists if name in present],
            "group": [(name, names.group(name)) for name in names.groups],
        },
        checks=pd.DataFrame(columns=list(COLUMNS)) if checks is None else checks,
        method=[fit.methods_text(), verdict_sentence(rule)],
        cite=citations(fit),
        reproduce=[
            *([("Command", command)] if command else []),
            ("Python", python_code(fit)),
            ("Model", fit.spec.formula),
            ("Versions and checksums", "\n".join(f"{k}: {v}" for k, v in seed.items())),
        ],
        details=details,
        foot=f"Made by bayesbias {fit.versions.get('bayesbias', '')} on {fit.created[:10]}.",
    )


def attribute_chart(frame: pd.DataFrame, names: Names, response: str) -> dict[str, Any]:
    """Return the attributes of stereotype lists, with a mark for each group's mean distance."""
    pairs = frame[frame[CONNECTION].isin(STEREOTYPE_CONNECTIONS)]
    means = pairs.pivot_table(response, [ATTRIBUTE_SET, ATTRIBUTE], GROUP, sort=False)
    groups = [name for name in names.groups if name in means]
    axis = show.axis_of(means.to_numpy().ravel())
    looks = {name: (f"c{i % 8}", show.CATEGORY_GLYPHS[i % 8]) for i, name in enumerate(groups)}
    rows = []
    for (of_list, word), values in means.sort_values(groups[0], kind="stable").iterrows():
        there = values[groups].dropna()
        texts = [f"{names.group(g)} {value:.2f}" for g, value in there.items()]
        marks = [
            {"at": show.place(axis, value), "look": looks[g][0], "glyph": looks[g][1], "group": g}
            for g, value in there.items()
        ]
        text = str(there.idxmin()) if len(there) > 1 else f"{there.iloc[0]:.2f}"
        tip = f"{word} ({names.list(of_list)}): {', '.join(texts)}"
        row = {"word": word, "list": of_list, "group": "", "marks": marks, "text": text}
        rows.append({**row, "tip": tip, "look": ""})
    legend = [(*looks[name], names.group(name)) for name in groups]
    title = "Attributes: mean distance to each group"
    heads = ("word", "closest to" if len(groups) > 1 else "distance")
    return show.chart("attributes", title, axis, rows, legend=legend, heads=heads)


def word_chart(table: pd.DataFrame, names: Names, rule: DecisionRule) -> dict[str, Any]:
    """Return the contrast of every protected word, with its interval."""
    axis = show.axis_of(table[["low", "high"]].to_numpy().ravel(), zero=True)
    rows = []
    for row in table.itertuples():
        look, glyph = show.verdict_class(row.verdict), show.verdict_glyph(row.verdict)
        tip = f"{row.word} ({names.group(row.group)}): {show.contrast_text(row)}, {row.verdict}"
        content = {"word": row.word, "list": "", "group": row.group, "tip": tip, "look": look}
        rows.append({**content, "marks": [show.mark(axis, row, look, glyph)], "text": look})
    contrasts = ", ".join(dict.fromkeys(table["contrast"]))
    title = f"Protected words: {contrasts}"
    note = (
        f"Lines: {rule.label}. How close a list is to every group is part of these, so that words "
        "of one group can lie left of those of the other."
    )
    return show.chart("protected", title, axis, rows, note=note)


def verdict_sentence(rule: DecisionRule) -> str:
    """Say what a verdict means."""
    return (
        f"Verdicts: closer or farther if the {rule.label} excludes 0, their size undecided if it "
        f"meets ±{rule.width:.2g}; practically equal within ±{rule.width:.2g}; else undecided."
    )


def citations(fit: "Fit") -> list[str]:
    """Return what to cite: the package, its method, and the word list."""
    release = fit.versions.get("bayesbias", "")
    source = source_of(fit.frame).get("wordlist_source")
    own = [f"Word list: {str(source).rstrip('.')}."] if source else []
    return [f"The bayesbias developers. bayesbias {release} (software).", PAPER, *own]


def python_code(fit: "Fit") -> str:
    """Return the lines of Python that make a fit anew."""
    source = source_of(fit.frame)
    options = f"{fit.spec.name!r}, seed={fit.seed}"
    if "wordlist" not in source:
        file = source.get("file", "distances.csv")
        return f"import bayesbias as bb\nfit = bb.fit(bb.read_distances({file!r}), {options})"
    vectors = f"bb.load_embedding({source.get('embedding', 'vectors.bin')!r})"
    if str(source.get("embedding", "")).startswith("glove-840b-list-words"):
        vectors = "bb.example_embedding()"
    name, own = repr(source["wordlist"]), ""
    if source["wordlist"] not in list_wordlists():
        name, own = "wordlist", f"wordlist = ...  # your list {name}\n"
    return f"import bayesbias as bb\n{own}fit = bb.analyze({vectors}, {name}, {options})"
