"""Feeds a fit to the page of `show`."""

from typing import TYPE_CHECKING, Final

import pandas as pd

from bayesbias.constants import (
    ATTRIBUTE,
    ATTRIBUTE_SET,
    CONNECTION,
    GROUP,
    PROTECTED_WORD,
    STEREOTYPE_CONNECTIONS,
    TOPIC,
)
from bayesbias.fits.checks import COLUMNS
from bayesbias.fits.decision import DecisionRule
from bayesbias.fits.figures import finding_figure
from bayesbias.fits.output import means_of, words_of
from bayesbias.fits.screen import findings, first_rows
from bayesbias.show import page as show
from bayesbias.show.narrator import Names, row_label
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
    first, sentences = first_rows(table), findings(fit, table, names, rule)
    of_words = table[(table["level"] == "word") & (table["withheld"] == "")]
    stereotypes = fit.frame[fit.frame[CONNECTION].isin(STEREOTYPE_CONNECTIONS)]
    attributes, present = stereotypes[ATTRIBUTE].unique(), set(stereotypes[ATTRIBUTE_SET])
    drawn = {
        name: show.inline_svg(
            finding_figure(fit, None, width, most=_ROWS, titled=False), sentences[0], attributes
        )
        for name, width in (("wide", 7.2), ("narrow", 3.5))
    }
    seed = {"seed": fit.seed, "id": fit.id, "pairs sha256": fit.pairs_sha256, **fit.versions}
    return show.Page(
        subject=title_of(source_of(fit.frame)),
        sentences=[*sentences, *fit.notes],
        figure={**drawn, "text": sentences[0]},
        answers=show.answer_table(first, [row_label(r) for r in first.itertuples()], rule.label),
        charts=[
            attribute_chart(stereotypes, names, fit.spec.response),
            *([word_chart(of_words, names, rule)] if len(of_words) else []),
        ],
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
        details=[
            show.full_table("contrasts", "All answers", table),
            show.full_table("means", "Mean distances", means_of({"": fit}, rule)),
            show.full_table("words", "Words, used and missing", words_of(fit)),
        ],
        foot=f"Made by bayesbias {fit.versions.get('bayesbias', '')} on {fit.created[:10]}.",
    )


def attribute_chart(pairs: pd.DataFrame, names: Names, response: str) -> show.Chart:
    """Return the attributes of stereotype lists, with a mark for each group's mean distance."""
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
        row = {"word": word, "list": of_list, "group": "", "marks": marks}
        rows.append({**row, "text": text, "tip": tip})
    legend = [(*looks[name], names.group(name)) for name in groups]
    title = "Attributes: mean distance to each group"
    heads = ("word", "closest to" if len(groups) > 1 else "distance")
    return show.Chart("attributes", title, axis, rows, legend, heads)


def word_chart(table: pd.DataFrame, names: Names, rule: DecisionRule) -> show.Chart:
    """Return the contrast of every protected word, with its interval."""
    axis = show.axis_of(table[["low", "high"]].to_numpy().ravel(), zero=True)
    rows = []
    for row in table.itertuples():
        look = show.verdict_class(row.verdict)
        mark = show.mark(axis, row, look, show.GLYPHS[look])
        tip = f"{row.word} ({names.group(row.group)}): {show.contrast_text(row)}, {row.verdict}"
        content = {"word": row.word, "list": "", "group": row.group, "marks": [mark]}
        rows.append({**content, "text": look, "tip": tip})
    title = f"Protected words: {', '.join(dict.fromkeys(table['contrast']))}"
    note = (
        f"Lines: {rule.label}. How close a list is to every group is part of these, so that words "
        "of one group can lie left of those of the other."
    )
    return show.Chart("protected", title, axis, rows, note=note)


def methods_text(fit: "Fit") -> str:
    """Return a paragraph for a paper's methods section."""
    frame, source = fit.frame, source_of(fit.frame)
    n_words, n_attributes = frame[PROTECTED_WORD].nunique(), frame[ATTRIBUTE].nunique()
    where = f" in {source['embedding']}" if "embedding" in source else ""
    of_list = source.get("wordlist_title") or source.get("wordlist", "")
    words = f" (word list: {of_list})" if of_list else ""
    what = "changes of cosine distance" if fit.spec.response == "change" else "cosine distances"
    sentences = [
        f"We analysed the {what} of {n_words} protected words in {frame[GROUP].nunique()} groups "
        f"to {n_attributes} attribute words{where}{words}.",
        f"A hierarchical Bayesian model ('{fit.spec.name}'; bayesbias {fit.versions['bayesbias']}) "
        f"has the terms {', '.join(term.name for term in fit.spec.terms)}.",
    ]
    if fit.spec.is_similar:
        sentences.append(
            "Effects of similar attributes correlate, with a covariance known up to its scale from "
            "the vectors; the attributes of a list are taken as a sample of topics."
        )
    elif any(TOPIC in term.by for term in fit.spec.terms):
        sentences.append("Attributes of one topic share effects.")
    if fit.is_exact:
        sentences.append(
            f"Given its standard deviations the posterior is normal; these were integrated over by "
            f"importance sampling ({fit.settings['draws'] * fit.settings['chains']:,} draws, seed "
            f"{fit.seed}; largest Pareto k {float(fit.sample_stats['pareto_k'].max()):.2f})."
        )
    else:
        sizes = fit.draws.sizes
        sentences.append(
            f"The posterior was sampled with NUTS ({sizes['chain']} chains of {sizes['draw']:,} "
            f"draws, seed {fit.seed}; PyMC {fit.versions.get('pymc', '')})."
        )
    sentences.append(
        f"We report posterior means with 89% highest posterior density intervals (HPDI). "
        f"Differences are standardised by the sd of a {fit.scale[1]} pair's distance "
        f"({fit.scale[0]:.3f}); those within ±0.1 of it count as practically equal (Kruschke 2018)."
    )
    if fit.random is not None:
        sentences.append(
            f"As a yardstick, the same contrasts were computed for {len(fit.random.means):,} draws "
            f"of random groups: frequent words of the vectors, each with its nearest ones."
        )
    return " ".join(sentences)


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
