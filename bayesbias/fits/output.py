"""A fit for readers and programs elsewhere: plain data, the page, a folder, a paragraph."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

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
from bayesbias.fits.decision import ROPE_SDS, DecisionRule
from bayesbias.fits.figures import finding_figure
from bayesbias.fits.screen import findings
from bayesbias.models.specification import list_models
from bayesbias.show import answers
from bayesbias.show import page as show
from bayesbias.show.answer_table import answer_table, first_rows, row_label
from bayesbias.show.result import plain
from bayesbias.support.compatibility import versions
from bayesbias.support.whole_files import check_folder
from bayesbias.words.coverage import words_of
from bayesbias.words.files import write_distances
from bayesbias.words.list_files import list_wordlists
from bayesbias.words.provenance import names_of, source_of, title_of

if TYPE_CHECKING:
    from bayesbias.fits.fit_result import Fit

PAPER: Final = (
    "Dobrzeniecka, A. and Urbaniak, R. (2023). Taking uncertainty in word embedding bias "
    "estimation seriously: a Bayesian approach."
)
"""Whose method the package builds on."""

_QUICK: Final = (
    "Leave-one-out, priors and single words are not checked on this page: fit.check() does it, and "
    "--report without --quick."
)

_ROWS: Final = 30  # attributes of the first screen's figure, at most; the second screen has all


def means_of(fits: Mapping[str, "Fit"], rule: DecisionRule) -> pd.DataFrame:
    """Return mean distances of every level of fits, by their conditions, in one frame."""
    options: Any = {"ci_prob": rule.ci_prob, "ci_kind": rule.ci_kind}
    tables = [
        fit.summary(by, **options).assign(level=by, condition=name)
        for name, fit in fits.items()
        for by in ("connection", "list", "group", "word")
    ]
    table = pd.concat(tables, ignore_index=True).rename(columns={PROTECTED_WORD: "word"})
    return answers.with_columns(table, "means")


def inputs_of(fits: Mapping[str, "Fit"]) -> list[dict[str, str | None]]:
    """Return the names and checksums of what was read."""
    rows = []
    for condition, fit in fits.items():
        source, of = source_of(fit.frame), f" of {condition}" if condition else ""
        parts = [
            ("vectors", source.get("embedding"), source.get("vectors_sha256")),
            ("wordlist", source.get("wordlist"), source.get("wordlist_sha256")),
            ("distances", source.get("file"), None),
            ("pairs", None, fit.pairs_sha256),
        ]
        rows += [{"role": f"{role}{of}", "name": n, "sha256": s} for role, n, s in parts if n or s]
    return rows


def document(
    fits: Mapping[str, "Fit"],
    rule: DecisionRule,
    command: str | None,
    sentences: Sequence[str],
    contrasts: pd.DataFrame,
    checks: pd.DataFrame | None = None,
    in_sample: pd.DataFrame | None = None,
    left: pd.DataFrame | None = None,
) -> dict[str, Any]:
    """Return all answers of fits, by their conditions, as plain data; see `Fit.to_dict`.

    `in_sample`: contrasts of the asked list, where all else is of words that a method of debiasing
    did not use. `left`: how much of every contrast is. A fit of its own has no condition, "", and
    is told with its engine and draws.
    """
    first = next(iter(fits.values()))
    model: Any = {key: getattr(first.spec, key) for key in ("name", "id", "formula")}
    if len(fits) == 1:
        settings = ("engine", "sampler", "draws", "chains", "log_marginal_likelihood")
        model |= {key: first.settings.get(key) for key in settings}

    of_rule = {"ci_prob": rule.ci_prob, "ci_kind": rule.ci_kind, "rope": rule.width}
    words = pd.concat([words_of(fit.frame) for fit in fits.values()]).drop_duplicates()
    return {
        "schema": answers.SCHEMA,
        "bayesbias": versions().get("bayesbias", "0+unknown"),
        "command": command,
        "inputs": inputs_of(fits),
        "seed": first.seed,
        "model": plain(model),
        "rule": plain({**of_rule, "scale": rule.scale, "scale_of": first.scale[1]}),
        "answers": list(sentences),
        "contrasts": answers.rows(answers.contrast_rows(contrasts), "contrasts"),
        "in_sample": None if in_sample is None else answers.rows(in_sample, "contrasts"),
        "left": None if left is None else answers.rows(left, "left"),
        "means": answers.rows(means_of(fits, rule), "means"),
        "words": answers.rows(words, "words"),
        "checks": None if checks is None else answers.rows(checks, "checks"),
        "notes": list(dict.fromkeys(note for fit in fits.values() for note in fit.notes)),
    }


def to_dict(
    fit: "Fit",
    *,
    rule: DecisionRule | None = None,
    command: str | None = None,
    checks: bool = False,
) -> dict[str, Any]:
    """Return everything that the fit says as plain data, ready for JSON.

    Parameters
    ----------
    rule : DecisionRule, optional
        As in `Fit.contrasts`.
    command : str, optional
        What was typed.
    checks : bool
        With the rows of `Fit.check`, which take seconds.

    Returns
    -------
    dict
        ``schema``, ``bayesbias``, ``command``, ``inputs``, ``seed``, ``model``, ``rule``,
        ``answers`` (sentences), ``contrasts``, ``in_sample`` and ``left`` (of comparisons),
        ``means``, ``words``, ``checks`` (rows) and ``notes``, in the form of the JSON Schema
        ``bayesbias/show/answers.schema.json``. NaN is None.

    Examples
    --------
    >>> import bayesbias as bb
    >>> content = bb.analyze(bb.example_embedding(), "gender", seed=1).to_dict()
    >>> content["schema"], content["contrasts"][0]["contrast"]
    ('bayesbias-answers-1', 'associated - different')
    """
    rule, rows = fit.rule(rule), fit.check(rule=rule).table if checks else None
    table = fit.contrasts(rule=rule)
    return document({"": fit}, rule, command, findings(fit, rule), table, rows)


def report(
    fit: "Fit",
    path: str | Path,
    *,
    rule: DecisionRule | None = None,
    command: str | None = None,
    checks: bool = True,
) -> None:
    """Write the page of the fit: one HTML file that needs nothing else.

    Parameters
    ----------
    path : str or Path
    rule, command, checks
        As in `Fit.to_dict`.
    """
    rows = fit.check(rule=rule).table if checks else None
    show.write_page(page_of(fit, fit.rule(rule), command, rows), path)


def write(
    fit: "Fit",
    folder: str | Path,
    *,
    report: bool = True,
    rule: DecisionRule | None = None,
    command: str | None = None,
    checks: bool = True,
    overwrite: bool = False,
) -> None:
    """Write a folder of results, whole or not at all: CSV tables, answers.json, fit.nc, the page.

    Parameters
    ----------
    folder : str or Path
    report : bool
        With the page, report.html.
    rule, command, checks
        As in `Fit.to_dict`.
    overwrite : bool
        Replace a folder of results that is there.
    """
    check_folder(folder, overwrite=overwrite)  # before any long work
    rule, rows = fit.rule(rule), fit.check(rule=rule).table if checks else None
    table = fit.contrasts(rule=rule)
    own = {"rope": rule.rope, "ci_prob": rule.ci_prob, "ci_kind": rule.ci_kind}
    files: dict[str, Any] = {  # a fit that is read again answers by the rule of its folder
        "fit.nc": replace(fit, settings={**fit.settings, "rule": own}).save,
        "pairs.csv": partial(write_distances, fit.frame),
    }
    if report:
        files["report.html"] = partial(show.write_page, page_of(fit, rule, command, rows))
    frames = {
        "contrasts": answers.contrast_rows(table),
        "means": means_of({"": fit}, rule),
        "words": answers.with_columns(words_of(fit.frame), "words"),
    }
    if rows is not None:
        frames["checks"] = rows
    content = document({"": fit}, rule, command, findings(fit, rule), table, rows)
    answers.write_results(folder, content, frames, files, overwrite=overwrite)


def page_of(
    fit: "Fit", rule: DecisionRule, command: str | None, checks: pd.DataFrame | None
) -> show.Page:
    """Return a fit as a page."""
    table, names = fit.contrasts(rule=rule), names_of(fit.frame)
    words = answers.with_columns(words_of(fit.frame), "words")
    first, sentences = first_rows(table), findings(fit, rule)
    of_words = table[(table["level"] == "word") & (table["withheld"] == "")]
    stereotypes = fit.frame[fit.frame[CONNECTION].isin(STEREOTYPE_CONNECTIONS)]
    draw = partial(finding_figure, fit, rule=rule, most=_ROWS, titled=False)
    seed = {"seed": fit.seed, "pairs sha256": fit.pairs_sha256, **fit.versions}
    return show.Page(
        subject=title_of(source_of(fit.frame)),
        sentences=[*sentences, *fit.notes],
        figure=show.in_both_widths(draw, sentences[0], stereotypes[ATTRIBUTE].unique()),
        answers=answer_table(first, [row_label(r) for r in first.itertuples()], rule.label),
        charts=[
            show.attribute_chart(stereotypes, names, fit.spec.response),
            *([show.word_chart(of_words, names, rule.label)] if len(of_words) else []),
        ],
        checks=fit.check(quick=True, rule=rule).table if checks is None else checks,
        checks_note=_QUICK if checks is None else "",
        method=[fit.methods_text(rule), verdict_sentence(rule)],
        reproduce={
            "Command": command,
            "Python": python_code(fit, rule),
            "Model": fit.spec.formula,
            "Versions and checksums": "\n".join(f"{k}: {v}" for k, v in seed.items()),
        },
        details=[
            show.full_table("contrasts", "All answers", table),
            show.full_table("means", "Mean distances", means_of({"": fit}, rule)),
            show.full_table("words", "Words, used and missing", words),
        ],
        **page_of_any(fit),
    )


def page_of_any(fit: "Fit") -> dict[str, Any]:
    """Return what the pages of a fit, and of a comparison that has it, have in common."""
    stereotypes = fit.frame[fit.frame[CONNECTION].isin(STEREOTYPE_CONNECTIONS)]
    lists, names = stereotypes[ATTRIBUTE_SET].unique(), names_of(fit.frame)
    return {
        "choices": {
            "list": [(name, names.list(name)) for name in lists],
            "group": [(name, names.group(name)) for name in names.groups],
        },
        "cite": citations(fit),
        "foot": f"Made by bayesbias {fit.versions.get('bayesbias', '')} on {fit.created[:10]}.",
    }


def methods_text(fit: "Fit", rule: DecisionRule | None = None) -> str:
    """Return a paragraph for a paper's methods section; `rule`: as in `Fit.contrasts`."""
    return methods_of({"": fit}, fit.rule(rule))


def methods_of(fits: Mapping[str, "Fit"], rule: DecisionRule) -> str:
    """Return the paragraph on fits with one model, by their conditions."""
    fit = next(iter(fits.values()))
    sentences = [
        *(_pairs_sentence(of, name) for name, of in fits.items()),
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
        largest = max(float(of.sample_stats["pareto_k"].max()) for of in fits.values())
        sentences.append(
            f"Given its standard deviations the posterior is normal; these were integrated over by "
            f"importance sampling ({fit.settings['draws'] * fit.settings['chains']:,} draws, seed "
            f"{fit.seed}; largest Pareto k {largest:.2f})."
        )
    else:
        sizes, sampler = fit.draws.sizes, str(fit.settings["sampler"])
        release = fit.versions.get(sampler, "")
        sentences.append(
            f"The posterior was sampled with NUTS ({sizes['chain']} chains of {sizes['draw']:,} "
            f"draws, seed {fit.seed}; {sampler} {release})."
        )
    interval = "highest posterior density" if rule.ci_kind == "hdi" else "equal-tailed"
    scales = {name: of.scale[0] for name, of in fits.items()}
    listed = ", ".join(f"{scale:.3f}{f' in {n!r}' if n else ''}" for n, scale in scales.items())
    equal = f"; those whose interval is within ±{rope_of(rule)} count as practically equal to 0 "
    equal = f"{equal}(Kruschke 2018)" if rule.rope != 0 else ""
    sentences.append(
        f"We report posterior means with {100 * rule.ci_prob:g}% {interval} intervals"
        f"{' (HPDI)' * (rule.ci_kind == 'hdi')}. Differences are standardised by the sd of a "
        f"{fit.scale[1]} pair's distance ({listed}){equal}."
    )
    if fit.random is not None:
        sentences.append(
            f"As a yardstick, the same contrasts were computed for {len(fit.random.means):,} draws "
            f"of random groups: frequent words of the vectors, each with its nearest ones."
        )
    return " ".join(sentences)


def _pairs_sentence(fit: "Fit", condition: str) -> str:
    """Say what was analysed."""
    frame, source = fit.frame, source_of(fit.frame)
    n_words, n_all = frame[PROTECTED_WORD].nunique(), frame[ATTRIBUTE].nunique()
    n_own = frame[ATTRIBUTE][frame[CONNECTION].isin(STEREOTYPE_CONNECTIONS)].nunique()
    controls = f" and {n_all - n_own} control words" if n_all > n_own else ""
    where = f" in {source['embedding']}" if "embedding" in source else ""
    where = f" in {condition!r}" if condition else where
    of_list = source.get("wordlist_title") or source.get("wordlist", "")
    words = f" (word list: {of_list})" if of_list else ""
    what = "changes of cosine distance" if fit.spec.response == "change" else "cosine distances"
    return (
        f"We analysed the {what} of {n_words} protected words in {frame[GROUP].nunique()} groups "
        f"to {n_own} attributes{controls}{where}{words}."
    )


def verdict_sentence(rule: DecisionRule) -> str:
    """Say what a verdict means."""
    return (
        f"Verdicts: closer or farther if the {rule.label} excludes 0, their size undecided if it "
        f"meets ±{rope_of(rule)}; practically equal within ±{rope_of(rule)}; else undecided."
    )


def rope_of(rule: DecisionRule) -> str:
    """Write the half-width of the ROPE, in sd where several scales have their own."""
    is_of_several = rule.rope is None and rule.scale is None
    return f"{ROPE_SDS:g} sd" if is_of_several else f"{rule.width:.2g}"


def citations(fit: "Fit | None" = None) -> list[str]:
    """Return what to cite: the package, its method, and the word list of a fit."""
    release = (versions() if fit is None else fit.versions).get("bayesbias", "")
    source = None if fit is None else source_of(fit.frame).get("wordlist_source")
    own = [f"Word list: {str(source).rstrip('.')}."] if source else []
    return [f"The bayesbias developers. bayesbias {release} (software).", PAPER, *own]


def python_code(fit: "Fit", rule: DecisionRule) -> str:
    """Return the lines of Python that make a fit and its answers anew."""
    source, spec, end = source_of(fit.frame), fit.spec, "\nfit.contrasts()"
    model, own = repr(spec.name), ""
    if spec.name not in list_models():
        model, own = "model", f"model = ...  # your model {model}\n"
    options = f"{model}, seed={fit.seed}"
    if not fit.is_exact:
        sizes = fit.draws.sizes
        options += f", engine='nuts', draws={sizes['draw']}, chains={sizes['chain']}"
    if spec.numbers:
        options += ", covariates=numbers"
        own += f"numbers = ...  # {', '.join(spec.numbers)} by word\n"
    if replace(rule, scale=None) != DecisionRule():
        of_rule = f"rope={rule.rope}, ci_prob={rule.ci_prob}, ci_kind={rule.ci_kind!r}"
        end = end.replace("contrasts()", f"contrasts(rule=bb.DecisionRule({of_rule}))")
    if "wordlist" not in source:
        file = source.get("file", "distances.csv")
        if fit.random is not None:
            own, options = f"{own}vectors = ...  # of these pairs\n", f"{options}, vectors=vectors"
        call = f"fit = bb.fit(bb.read_distances({file!r}), {options})"
        return f"import bayesbias as bb\n{own}{call}{end}"
    vectors = f"bb.load_embedding({source.get('embedding', 'vectors.bin')!r})"
    if str(source.get("embedding", "")).startswith("glove-840b-list-words"):
        vectors = "bb.example_embedding()"
    name = repr(source["wordlist"])
    if source["wordlist"] not in list_wordlists():
        name, own = "wordlist", f"{own}wordlist = ...  # your list {name}\n"
    call = f"bb.analyze({vectors}, {name}, {options})"
    if fit.random is None:
        call = f"bb.fit(bb.distances({vectors}, {name}), {options})"
    return f"import bayesbias as bb\n{own}fit = {call}{end}"
