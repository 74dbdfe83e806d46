"""A gate for people who ship embeddings: whether contrasts keep within bounds, and if one can tell.

A rule bounds contrasts, as a test of equivalence does. It passes where the interval lies within the
bounds, fails where it lies outside, and is undecided where it meets a bound: the words then say too
little. A gate that took "not shown to be bad" for "good" would be passed best by a list of two
words, so that what is undecided does not pass. Every contrast is asked on its own; nothing is
corrected for their number.
"""

import re
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, TypeAlias
from xml.etree import ElementTree

import numpy as np
import pandas as pd

from bayesbias.comparison.changes import BY_CONSTRUCTION
from bayesbias.comparison.comparing import Comparison
from bayesbias.comparison.pages import bounds_text, rules_page
from bayesbias.comparison.sweep import SweepResult
from bayesbias.errors import ArgumentError, DataWarning, counted, suggest
from bayesbias.fits.contrasts import LABELS, LEVELS
from bayesbias.fits.decision import DecisionRule
from bayesbias.fits.fit_result import Fit
from bayesbias.fits.fitting import analyze
from bayesbias.show import page
from bayesbias.show.answers import ascii_name
from bayesbias.show.narrator import signed
from bayesbias.show.result import printable
from bayesbias.support.arguments import as_path, refuse_other
from bayesbias.support.bounded_files import TomlFile
from bayesbias.support.whole_files import new_file
from bayesbias.vectors.loading import load_embedding
from bayesbias.words.list_files import load_wordlist
from bayesbias.words.provenance import source_of

_EXIT_CODES: Final = {"pass": 0, "undecided": 1, "fail": 1, "error": 2}  # outcomes, the worst last

_ROW: Final[dict[str, Any]] = {
    **{"rule": "", "outcome": "error", "of": "", "contrast": "", "at_least": np.nan},
    **{"at_most": np.nan, "unit": "", "mean": np.nan, "low": np.nan, "high": np.nan, "reason": ""},
}
"""A row of outcomes, of a rule that could not be asked."""

_TESTS_NOTHING: Final = {
    BY_CONSTRUCTION: f"is {BY_CONSTRUCTION}, which tests nothing; ask about words that no method "
    f"of debiasing used",
    "used": "rests on words that the method used, and tests nothing",
}

_PLACES: Final = ("condition", "vectors", "wordlist", "model")
_ANALYSIS: Final = ("vectors", "wordlist", "model", "seed", "ci_prob", "ci_kind")

_UNMOVED: Final = 1e-6  # largest contrast that is 0 but for rounding of vectors, in cosine distance


Row: TypeAlias = dict[str, Any]
Rule: TypeAlias = tuple[dict[str, str], Row]
"""Which contrasts a rule is about, by their columns; its row of outcomes, an error yet."""


def read_rules(path: Path) -> tuple[list[Rule], dict[str, Any]]:
    """Read the rules of a TOML file, and what it says to analyse; all faults of it are named."""
    file = TomlFile(path, ArgumentError)
    file.attempt(file.refuse_unknown, ("rules", *_ANALYSIS), otherwise=None)
    table = file.attempt(file.table, "rules", otherwise={})
    rules = [file.attempt(_rule, file, *entry, otherwise=None) for entry in table.items()]
    file.refuse_faults()
    analysis: dict[str, Any] = {key: file.data[key] for key in _ANALYSIS if key in file.data}
    return list(filter(None, rules)), analysis


def _rule(file: TomlFile, name: str, entry: Any) -> Rule:
    where = f"rules.{name}"
    if not isinstance(entry, dict):
        raise file.fail(where, f"must be a table, written [{where}]")
    choices = (*_PLACES, *LABELS)
    file.refuse_unknown((*choices, "at_least", "at_most", "unit"), table=where, of=entry)
    chosen = {key: entry[key] for key in choices if key in entry}
    if not set(LABELS) & set(chosen):
        chosen["level"] = LEVELS[0]
    unit = entry.get("unit", "cosine")
    for key, value in {**chosen, "unit": unit}.items():
        valid = {"level": LEVELS, "unit": ("cosine", "sd")}.get(key, (value,))
        if not isinstance(value, str):
            raise file.fail(f"{where}.{key}", "must be a text in quotes")
        if value not in valid:
            raise file.fail(f"{where}.{key}", f"{value!r}{suggest(value, valid)}")
    low, high = bounds = entry.get("at_least", -np.inf), entry.get("at_most", np.inf)
    if not all(type(bound) in (int, float) for bound in bounds):
        raise file.fail(where, "at_least and at_most must be numbers, without quotes")
    if not low < high or np.isinf(bounds).all():
        raise file.fail(where, "needs at_least, at_most, or both, with at_least below at_most")
    own = {"rule": name, "at_least": float(low), "at_most": float(high), "unit": unit}
    return chosen, {**_ROW, **own}


@dataclass(frozen=True, repr=False)
class RuleResults:
    """What became of every rule; made by `check_rules`.

    Parameters
    ----------
    table : DataFrame
        A row for every rule and contrast: ``rule``; ``outcome`` (pass, fail, undecided, error);
        ``of``, condition, vectors and word list; ``contrast``, with its list, group or word;
        ``at_least``, ``at_most``, ``unit``; ``mean``, ``low``, ``high`` in that unit; ``reason``,
        why it is undecided or could not be asked.
    """

    table: pd.DataFrame

    @classmethod
    def of_error(cls, rules: str | Path, error: Exception) -> "RuleResults":
        """Return the outcome of rules that could not be asked at all."""
        return cls(pd.DataFrame([{**_ROW, "rule": str(rules), "reason": str(error)}]))

    @property
    def outcome(self) -> str:
        """Pass if all rules do; else the worst: error, then fail, then undecided."""
        return max(self.table["outcome"], key=list(_EXIT_CODES).index)

    @property
    def exit_code(self) -> int:
        """0 if all rules pass, 1 if one fails or is undecided, 2 if one could not be asked."""
        return _EXIT_CODES[self.outcome]

    @property
    def sentences(self) -> tuple[str, ...]:
        """How many rules and contrasts have which outcome, then a line for each."""
        counts = self.table["outcome"].value_counts()
        order = [o for o in ("pass", "fail", "undecided", "error") if o in counts]
        shown = ", ".join(f"{counts[o]:,} {o}" for o in order)
        heading = f"Rules, asked of {counted(len(self.table), 'contrast')}: {shown}."
        return (heading, *map(_line, self.table.itertuples()))

    def __repr__(self) -> str:
        return "\n".join(self.sentences)

    def report(self, path: str | Path, *, command: str | None = None) -> None:
        """Write the page of the rules: one HTML file that needs nothing else."""
        page.write_page(rules_page(self, command), path)

    def save_junit(self, path: str | Path) -> None:
        """Write JUnit XML, replacing a file that is there; an undecided rule is a failure in it."""
        outcomes = self.table["outcome"]
        suite = ElementTree.Element("testsuite", name="bayesbias", tests=str(len(outcomes)))
        suite.set("failures", str(outcomes.isin(("fail", "undecided")).sum()))
        suite.set("errors", str((outcomes == "error").sum()))
        for row in self.table.itertuples():
            name, line = f"{row.rule}: {row.contrast}".rstrip(": "), printable(_line(row))
            names = {"name": printable(name), "classname": printable(row.of)}
            case = ElementTree.SubElement(suite, "testcase", names)
            if row.outcome == "pass":
                ElementTree.SubElement(case, "system-out").text = line
            else:
                tag = "error" if row.outcome == "error" else "failure"
                ElementTree.SubElement(case, tag, type=row.outcome, message=line)
        ElementTree.indent(suite)
        with new_file(path) as temporary:
            ElementTree.ElementTree(suite).write(temporary, "utf-8", xml_declaration=True)


def check_rules(
    rules: str | Path, result: "Fit | Comparison | SweepResult | pd.DataFrame | None" = None
) -> RuleResults:
    """Ask whether contrasts keep to rules: pass, fail, or undecided, which does not pass.

    Parameters
    ----------
    rules : str or Path
        A TOML file with a table ``[rules.NAME]`` for each rule: ``at_least``, ``at_most`` or both;
        ``unit``, "cosine" or "sd"; and which contrasts it is about, by ``level`` (over all, if it
        names nothing else), ``list``, ``group``, ``other``, ``word``, ``contrast``, and of
        comparisons and sweeps ``condition``, ``vectors``, ``wordlist``, ``model``. Differences
        between conditions are asked only by their name as ``condition``. Above the tables
        ``vectors`` and ``wordlist``, with ``model``, ``seed``, ``ci_prob`` and ``ci_kind`` if you
        like, say what to analyse where no result is given; paths are relative to the file.
    result : Fit, Comparison, SweepResult or DataFrame, optional
        What is asked about, or its frame of contrasts, so that nothing is fitted twice. Without it
        the rules' own vectors and word list are analysed.

    Returns
    -------
    RuleResults
        Its ``exit_code`` is 0, 1 or 2.

    Raises
    ------
    ArgumentError
        If keys or values of the file are wrong; all of them are named. What goes wrong with a
        single rule is its outcome, an error. Otherwise as `analyze`.
    """
    path = as_path(rules)
    every, analysis = read_rules(path)
    if result is None and not {"vectors", "wordlist"} <= set(analysis):
        raise ArgumentError(
            "rules: give a result, or name vectors and wordlist above the rules to analyse them"
        )
    folder, words = path.parent, None
    if "wordlist" in analysis and (result is None or isinstance(result, Fit)):
        name = str(analysis["wordlist"])
        words = load_wordlist(folder / name if name.endswith((".toml", ".json")) else name)
    if isinstance(result, Fit) and words is not None:
        own, of = source_of(result.frame).get("wordlist"), words.name
        if own not in (None, of):
            raise ArgumentError(f"result: is of word list {own!r}, and the rules are of {of!r}")
    elif result is not None and "vectors" in analysis:
        text = "the result is asked about; vectors and wordlist of the rules are not analysed"
        warnings.warn(text, DataWarning, stacklevel=2)
    if result is None and words is not None:
        place = folder / str(analysis["vectors"])
        kv = load_embedding(place, words=list(words.words))
        fitted = analyze(kv, words, analysis.get("model", "maximal"), seed=analysis.get("seed", 1))
        options = {key: analysis[key] for key in ("ci_prob", "ci_kind") if key in analysis}
        table = _contrasts_of(fitted, DecisionRule(**options))
        table = table.assign(vectors=place.name, wordlist=words.name)
    else:
        table = _contrasts_of(result)
    return RuleResults(pd.DataFrame([row for rule in every for row in _rows(*rule, table)]))


def _contrasts_of(result: Any, rule: DecisionRule | None = None) -> pd.DataFrame:
    """Return the frame of contrasts of a result."""
    if isinstance(result, Fit):
        return result.contrasts(rule=rule).assign(trusted=not result.diagnostics.problems)
    if isinstance(result, Comparison):
        return result.contrasts
    table: pd.DataFrame = result.table if isinstance(result, SweepResult) else result
    refuse_other(table, pd.DataFrame, "result", "a fit, a comparison, a sweep, or a frame")
    if lacking := sorted({*LABELS, "mean", "low", "high", "withheld"} - {*table}):
        raise ArgumentError(
            f"result: is no frame of contrasts: it has no column {lacking[0]!r}; give "
            f"contrasts.csv, fit.nc, or what contrasts() returns"
        )
    numbers = table[["mean", "low", "high"]].select_dtypes("number")
    if numbers.shape[1] < 3 or (table["low"] > table["high"]).any():
        raise ArgumentError("result: low and high are no intervals: numbers, low below high")
    return table


def _rows(wanted: Mapping[str, str], row: Row, table: pd.DataFrame) -> list[Row]:
    """Return what became of a rule on every contrast that it is about; an error without any."""
    if lacking := [key for key in wanted if key not in table]:
        reason = f"the contrasts have no column {lacking[0]!r}; leave it out of the rule"
        return [{**row, "reason": reason}]
    named = table[[*wanted]].astype(str).map(ascii_name)  # as files have contrasts
    chosen = named.eq(pd.Series(wanted).map(ascii_name)).all(axis=1)
    if "condition" not in wanted and "is_difference" in table:  # a change is no level
        chosen &= ~table["is_difference"].astype(bool)
    if chosen.any():
        return [{**row, **_outcome(row, of)} for of in table[chosen].to_dict("records")]
    for key, value in wanted.items():
        if not named[key].eq(ascii_name(value)).any():
            reason = f"no contrast has {key} = {value!r}{suggest(value, named[key].unique())}"
            return [{**row, "reason": reason}]
    criteria = ", ".join(f"{key} = {value!r}" for key, value in wanted.items())
    reason = f"no contrast has {criteria}; correct the rule, or ask about other words"
    return [{**row, "reason": reason}]


def _outcome(rule: Row, row: Mapping[str, Any]) -> Row:
    """Return what became of a rule on one contrast."""
    # A condition or file may be named by its path, of which the last part is shown.
    places = [re.split(r"[\\/]", str(row[key]))[-1] for key in _PLACES[:3] if row.get(key)]
    whose = row["group"] if row["level"] == "group" else row["list"] or row["word"]
    contrast = f"{whose}: {ascii_name(row['contrast'])}".lstrip(": ")
    content = {"of": ".".join(places), "contrast": contrast}
    is_zero = max(abs(row["mean"]), abs(row.get("observed", row["mean"]))) < _UNMOVED
    mark = BY_CONSTRUCTION if is_zero else row.get("mark", "")
    if reason := row["withheld"] or _TESTS_NOTHING.get(mark):
        return {**content, "reason": reason}
    mean, low, high = (row[name] for name in ("mean", "low", "high"))
    if rule["unit"] == "sd" and mean:
        mean, low, high = (x * row["standardised"] / mean for x in (mean, low, high))
    content |= {"mean": mean, "low": low, "high": high}
    if not np.isfinite([mean, low, high]).all():
        return {**content, "reason": "the sd of neutral pairs is not known; say unit = 'cosine'"}
    if not row.get("trusted", True):
        return {**content, "outcome": "undecided", "reason": "its draws are not to be trusted"}
    inside = rule["at_least"] <= low and high <= rule["at_most"]
    outside = high < rule["at_least"] or low > rule["at_most"]
    return {**content, "outcome": "pass" if inside else "fail" if outside else "undecided"}


def _line(row: Any) -> str:
    """Say in a line what became of a rule."""
    start = " ".join(filter(None, (f"{row.outcome:<9} {row.rule}:", row.of, row.contrast)))
    if row.reason:
        return f"{start}: {row.reason}".replace("::", ":")
    ends = f"{signed(row.low)} to {signed(row.high)}"
    unit = " sd" if row.unit == "sd" else ""
    return f"{start} is {signed(row.mean)} ({ends}){unit}; {bounds_text(row)}"
