"""A fit as plain data, a page, a folder of files, and a paragraph: methods of `Fit`."""

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from bayesbias.constants import ATTRIBUTE, ATTRIBUTE_SET, GROUP, PROTECTED_WORD
from bayesbias.fits.decision import DecisionRule
from bayesbias.fits.screen import findings
from bayesbias.show import answers
from bayesbias.show.result import plain
from bayesbias.support.compatibility import versions
from bayesbias.words.files import write_distances
from bayesbias.words.provenance import missing_of, names_of, source_of

if TYPE_CHECKING:
    from bayesbias.fits.fit_result import Fit

_LEVELS = ("connection", "list", "group", "word")


def means_of(fits: Mapping[str, "Fit"], rule: DecisionRule) -> pd.DataFrame:
    """Return mean distances of every level of fits, by their conditions, in one frame."""
    options: Any = {"ci_prob": rule.ci_prob, "ci_kind": rule.ci_kind}
    tables = [
        fit.summary(by, **options).assign(level=by, condition=name)
        for name, fit in fits.items()
        for by in _LEVELS
    ]
    table = pd.concat(tables, ignore_index=True).rename(columns={PROTECTED_WORD: "word"})
    return answers.with_columns(table, "means")


def words_of(fit: "Fit") -> pd.DataFrame:
    """Return the words of the list: of which list they are, what they are called in the vectors.

    A word that could not be used has the reason.
    """
    rows, found_as = [], source_of(fit.frame).get("found_as", {})
    for role, key, column in (
        ("protected", GROUP, PROTECTED_WORD),
        ("attribute", ATTRIBUTE_SET, ATTRIBUTE),
    ):
        pairs = fit.frame[[column, key]].drop_duplicates().itertuples(index=False)
        rows += [(word, role, name, str(found_as.get(word, word)), "") for word, name in pairs]
    for lost in missing_of(fit.frame) or ():
        rows.append((lost["word"], lost["role"], lost["list"], "", lost["reason"]))
    return pd.DataFrame(rows, columns=list(answers.columns_of("words")))


def _inputs_of(fit: "Fit", condition: str) -> list[dict[str, str | None]]:
    """Return the names and checksums of what was read."""
    source, of = source_of(fit.frame), f" of {condition}" if condition else ""
    parts = [
        ("vectors", source.get("embedding"), source.get("vectors_sha256")),
        ("wordlist", source.get("wordlist"), source.get("wordlist_sha256")),
        ("distances", source.get("file"), None),
        ("pairs", None, fit.pairs_sha256),
    ]
    return [{"role": f"{role}{of}", "name": n, "sha256": s} for role, n, s in parts if n or s]


def document(
    fits: Mapping[str, "Fit"],
    rule: DecisionRule,
    command: str | None,
    sentences: Sequence[str],
    contrasts: pd.DataFrame,
    checks: pd.DataFrame | None = None,
    held_out: pd.DataFrame | None = None,
) -> dict[str, Any]:
    """Return all answers of fits, by their conditions, as plain data; see `Fit.to_dict`.

    `held_out`: contrasts of words that a method of debiasing did not use.

    A fit of its own has no condition, "", and is told with its engine and draws.
    """
    first = next(iter(fits.values()))
    model: Any = {key: getattr(first.spec, key) for key in ("name", "id", "formula")}
    if len(fits) == 1:
        settings = ("engine", "sampler", "draws", "chains", "log_marginal_likelihood")
        model |= {key: first.settings.get(key) for key in settings}

    def rows_of(table: pd.DataFrame) -> list[dict[str, Any]]:
        return answers.rows(answers.contrast_rows(table), "contrasts")

    of_rule = {"ci_prob": rule.ci_prob, "ci_kind": rule.ci_kind, "rope": rule.width}
    words = pd.concat(map(words_of, fits.values())).drop_duplicates()
    return {
        "schema": answers.SCHEMA,
        "bayesbias": versions().get("bayesbias", "0+unknown"),
        "command": command,
        "inputs": [row for name, fit in fits.items() for row in _inputs_of(fit, name)],
        "seed": first.seed,
        "model": plain(model),
        "rule": plain({**of_rule, "scale": rule.scale}),
        "answers": list(sentences),
        "contrasts": rows_of(contrasts),
        "held_out": None if held_out is None else rows_of(held_out),
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
        ``answers`` (sentences), ``contrasts``, ``held_out`` (of comparisons), ``means``, ``words``,
        ``checks`` (rows) and ``notes``, in the form of the JSON Schema
        ``bayesbias/show/answers.schema.json``. NaN is None.

    Examples
    --------
    >>> import bayesbias as bb
    >>> content = bb.analyze(bb.example_embedding(), "gender", seed=1).to_dict()
    >>> content["schema"], content["contrasts"][0]["contrast"]
    ('bayesbias-answers-1', 'associated - different')
    """
    return _document(fit, fit.rule(rule), command, fit.check() if checks else None)


def _document(
    fit: "Fit", rule: DecisionRule, command: str | None, checks: pd.DataFrame | None
) -> dict[str, Any]:
    table = fit.contrasts(rule=rule)
    sentences = findings(fit, table, names_of(fit.frame), rule)
    return document({"": fit}, rule, command, sentences, table, checks)


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
    from bayesbias.fits.page import page_of
    from bayesbias.show.page import write_page

    rows = fit.check() if checks else None
    write_page(page_of(fit, fit.rule(rule), command, rows), path)


def write(
    fit: "Fit",
    folder: str | Path,
    *,
    tables: str = "csv",
    report: bool = True,
    rule: DecisionRule | None = None,
    command: str | None = None,
    checks: bool = True,
    overwrite: bool = False,
) -> None:
    """Write a folder of results, whole or not at all.

    Parameters
    ----------
    folder : str or Path
    tables : {"csv", "parquet"}
        Format of contrasts, means, words, checks and pairs; answers.json and fit.nc come with them.
    report : bool
        With the page, report.html.
    rule, command, checks
        As in `Fit.to_dict`.
    overwrite : bool
        Replace a folder of results that is there.
    """
    from bayesbias.fits.page import page_of
    from bayesbias.show.page import write_page

    rule, rows = fit.rule(rule), fit.check() if checks else None
    files: dict[str, Any] = {
        "fit.nc": fit.save,
        f"pairs.{tables}": partial(write_distances, fit.frame),
    }
    if report:
        files["report.html"] = partial(write_page, page_of(fit, rule, command, rows))
    frames = {
        "contrasts": answers.contrast_rows(fit.contrasts(rule=rule)),
        "means": means_of({"": fit}, rule),
        "words": words_of(fit),
        **({} if rows is None else {"checks": rows}),
    }
    content = _document(fit, rule, command, rows)
    answers.write_results(folder, content, frames, files, tables=tables, overwrite=overwrite)
