"""A gate for people who ship embeddings: whether these keep to rules, and whether one can tell.

A rule bounds a contrast, as a test of equivalence does. It passes if the posterior probability that
the contrast lies within the bounds is large enough, and fails if the probability of the contrary
is. Between the two the words say too little, which is an outcome of its own: a gate that took
"not shown to be bad" for "good" would be passed best by a list of two words. Every rule is asked
on its own; nothing is corrected for their number.
"""

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Final
from xml.etree import ElementTree

import numpy as np
import pandas as pd

from bayesbias.constants import ATTRIBUTE_SET, GROUP, PROTECTED_WORD
from bayesbias.errors import BayesBiasError, BayesBiasWarning
from bayesbias.fits.contrasts import (
    CHANCE_REASON,
    chance_of_lists,
    contrast_draws,
    summarise_contrasts,
)
from bayesbias.fits.fit_result import Fit
from bayesbias.fits.fitting import fit
from bayesbias.fits.quantities import Quantities
from bayesbias.fits.summaries import summarise
from bayesbias.pairs.distance_frame import distances
from bayesbias.pairs.provenance import missing_words
from bayesbias.studies.rules_file import Rule, Rules, load_rules
from bayesbias.studies.sweep_file import EMBEDDING_KEYS
from bayesbias.support.progress import tracked
from bayesbias.support.readers import in_key_terms
from bayesbias.support.result import Result
from bayesbias.support.text_tables import Blocks, counted, format_value, percent, printable
from bayesbias.support.types import KeyedVectors
from bayesbias.support.whole_files import new_file
from bayesbias.support.wording import Wording

PASS: Final = "pass"
FAIL: Final = "fail"
UNDECIDED: Final = "undecided"
ERROR: Final = "error"
OUTCOMES: Final = (PASS, FAIL, UNDECIDED, ERROR)
"""What can become of a rule; the worst of several is error, then fail, then undecided."""

tell: Final = Wording("bayesbias.studies", "rules.jinja")

_xml = partial(printable, lines=False)  # without the characters that XML cannot hold


@dataclass(frozen=True, repr=False)
class RuleResults(Result):
    """What became of every rule; made by `check_rules`.

    Parameters
    ----------
    table : DataFrame
        One row per rule: ``rule``; ``outcome``, pass, fail, undecided or error; ``vectors``,
        ``wordlist``, ``model``; ``contrast``, ``attribute_set`` (by list), ``group`` and ``word``;
        ``at_least``, ``at_most`` and ``unit``; ``probability``, that is asked for, and ``p_kept``,
        that of the rule being kept; ``chance_at_most``, that is asked for, and ``chance``, how
        often unrelated groups differ as much;
        ``mean``, ``low`` and ``high``, the contrast and its highest density interval of that
        probability, in the unit of the rule; ``n_missing``, listed words that the vectors lack;
        ``reason``, why a rule is undecided or could not be asked; ``notes``, what a reader must
        know beside the numbers, such as words that were looked up in lower case.
    """

    table: pd.DataFrame

    @property
    def outcome(self) -> str:
        """Pass if all rules do; else the worst: error, then fail, then undecided."""
        found = set(self.table["outcome"])
        return next(one for one in (ERROR, FAIL, UNDECIDED, PASS) if one in found)

    @property
    def lines(self) -> list[str]:
        """A line for every rule."""
        return [_line(row) for row in self.table.to_dict("records")]

    @property
    def blocks(self) -> Blocks:
        """A line for every rule, and how many have which outcome."""
        counts = self.table["outcome"].value_counts()
        shown = [(f"{counts[one]:,}", one) for one in OUTCOMES if one in counts]
        return [*self.lines, tell("summary", counted(len(self.table), "rule"), shown)]

    def to_dict(self) -> dict[str, Any]:
        """Return the table and the outcome of all rules as plain data."""
        return {**super().to_dict(), "outcome": self.outcome}

    def save_junit(self, path: str | Path) -> None:
        """Write JUnit XML, replacing a file that is there; an undecided rule is a failure in it.

        JUnit knows failures, errors and skipped tests; what is skipped lets most servers go on. The
        failure's type says ``undecided``.
        """
        counts = self.table["outcome"].value_counts()
        suite = ElementTree.Element(
            "testsuite",
            name="bayesbias check",
            tests=str(len(self.table)),
            failures=str(int(counts.get(FAIL, 0) + counts.get(UNDECIDED, 0))),
            errors=str(int(counts.get(ERROR, 0))),
            skipped="0",
        )
        for row, line in zip(self.table.to_dict("records"), self.lines, strict=True):
            place = f"{row['vectors']}.{row['wordlist']}"
            names = {"name": _xml(row["rule"]), "classname": _xml(place)}
            case = ElementTree.SubElement(suite, "testcase", names)
            if row["outcome"] != PASS:
                tag = "error" if row["outcome"] == ERROR else "failure"
                ElementTree.SubElement(case, tag, type=row["outcome"], message=_xml(line))
            else:
                ElementTree.SubElement(case, "system-out").text = _xml(line)
        tree = ElementTree.ElementTree(suite)
        ElementTree.indent(tree)
        with new_file(path) as temporary:
            tree.write(temporary, encoding="utf-8", xml_declaration=True)


def check_rules(rules: str | Path | Rules, *, progress: bool | None = None) -> RuleResults:
    """Ask whether embeddings keep to rules, each with a probability; undecided is not kept.

    A rule passes if its contrast lies within its bounds with at least its probability, fails if it
    lies outside with at least that, and is undecided if neither, or if the fit is not to be
    trusted. A rule with a chance fails, too, where unrelated groups differ as much more often.
    Rules on the same vectors, word list and model share one fit.

    Parameters
    ----------
    rules : str, Path or Rules
        A TOML file (its keys: docs/debiasing.md), or what `load_rules` made of it.
    progress : bool, optional
        Show a bar; by default in a terminal or a notebook.

    Raises
    ------
    ArgumentError
        If the file is malformed. What goes wrong with the vectors of a rule is the rule's outcome,
        an error, and does not keep the others from being asked.

    Examples
    --------
    >>> check_rules("rules.toml").outcome  # doctest: +SKIP
    'pass'
    """
    asked = rules if isinstance(rules, Rules) else load_rules(rules)
    fits = _Fits(asked)
    rows = [_row(rule, fits) for rule in tracked(asked.rules, "Rules", progress)]
    return RuleResults(pd.DataFrame(rows))


class _Fits:
    """The fits of rules, each made once; of the vectors, those open last."""

    def __init__(self, rules: Rules) -> None:
        self._rules = rules
        self._fits: dict[tuple[str, str, str], Fit | BayesBiasError] = {}
        self._open: dict[str, KeyedVectors] = {}

    def of(self, rule: Rule) -> Fit:
        """Return the fit that a rule is about, or raise why there is none."""
        key = (repr(rule.vectors), rule.wordlist.checksum(), rule.model.id)
        if key not in self._fits:
            try:
                self._fits[key] = self._made(rule)
            except BayesBiasError as error:
                self._fits[key] = error
            except MemoryError:
                self._fits[key] = BayesBiasError("not enough memory")
        found = self._fits[key]
        if isinstance(found, BayesBiasError):
            raise found
        return found

    def _made(self, rule: Rule) -> Fit:
        source = rule.vectors
        if repr(source) not in self._open:
            named = [r.wordlist.words for r in self._rules.rules if r.vectors == source]
            words = dict.fromkeys(word for some in named for word in some)
            self._open.clear()  # rules on the same vectors stand together, as a rule
            self._open[repr(source)] = source.vectors(list(words))
        frame = distances(self._open[repr(source)], rule.wordlist, fallbacks=source.fallbacks)
        # A doubtful fit is undecided; chains would take minutes of every run of a server.
        return fit(frame, rule.model, seed=self._rules.seed, engine="collapsed")


def _row(rule: Rule, fits: _Fits) -> dict[str, Any]:
    """Ask one rule."""
    row: dict[str, Any] = {
        "rule": rule.name,
        "outcome": ERROR,
        "vectors": rule.vectors.path,
        "wordlist": rule.wordlist.name,
        "model": rule.model.name,
        "contrast": rule.contrast,
        "attribute_set": rule.attribute_set,
        "group": rule.group,
        "word": rule.word,
        "at_least": np.nan if rule.at_least is None else rule.at_least,
        "at_most": np.nan if rule.at_most is None else rule.at_most,
        "unit": rule.unit,
        "probability": rule.probability,
        "chance_at_most": np.nan if rule.chance is None else rule.chance,
        **dict.fromkeys(("chance", "p_kept", "mean", "low", "high", "n_missing"), np.nan),
        "reason": "",
        "notes": "",
    }
    try:
        with warnings.catch_warnings():
            # Missing words are counted, and diagnostics are asked for, below.
            warnings.simplefilter("ignore", BayesBiasWarning)
            return row | _asked(rule, fits.of(rule))
    except BayesBiasError as error:
        return row | {"reason": " ".join(in_key_terms(error.typed, EMBEDDING_KEYS).split())}


def _asked(rule: Rule, result: Fit) -> dict[str, Any]:
    """Return the outcome of a rule, and the numbers behind it."""
    scale = _scale(result) if rule.unit == "sd" else 1.0
    every = contrast_draws(result.fitted, rule.by)
    place = _place(rule, every.labels)
    found, chance = every.at(place), _chance(rule, result, every, place)
    least = 0.0 if rule.at_least is None else found.below(rule.at_least * scale).item()
    most = 1.0 if rule.at_most is None else found.below(rule.at_most * scale).item()
    kept = max(most - least, 0.0)
    problems = result.diagnostics.problems
    if problems:
        outcome, reason = UNDECIDED, tell("not_trusted", problems)
    elif rule.chance is not None and chance > rule.chance:
        outcome, reason = FAIL, tell("too_often")
    elif kept >= rule.probability:
        outcome, reason = PASS, ""
    elif 1.0 - kept >= rule.probability:
        outcome, reason = FAIL, ""
    else:
        outcome, reason = UNDECIDED, ""
    (bounds,) = found.intervals((rule.probability,), "hpdi")
    (row,) = summarise(found, bounds, prob=rule.probability, interval="hpdi").to_dict("records")
    return {
        "outcome": outcome,
        "p_kept": kept,
        "chance": chance,
        **{name: row[name] / scale for name in ("mean", "low", "high")},
        "n_missing": len(missing_words(result.frame)),
        "reason": reason,
        "notes": " ".join(result.notes),
    }


def _chance(rule: Rule, result: Fit, every: Quantities, place: int) -> float:
    """Return how often unrelated groups differ as much; NaN if neither asked nor known."""
    if every.unrelated is None:
        if rule.chance is not None:
            raise BayesBiasError("chance is not known: the vectors come with too few words")
        return np.nan
    table = chance_of_lists(summarise_contrasts(every, result.rule()))
    row = table.iloc[place]
    if rule.chance is not None and np.isnan(row["chance"]):
        raise BayesBiasError(f"chance is not known: {row[CHANCE_REASON]}")
    return float(row["chance"])


def _scale(result: Fit) -> float:
    """Return the standard deviation of a neutral pair's distance; no other pair's stands in."""
    scale = result.rule().scale
    if not scale or "neutral" not in result.design.connections:
        raise BayesBiasError(
            'there are no neutral pairs that vary, so that sd is unknown; say unit = "cosine"'
        )
    return scale


def _place(rule: Rule, labels: pd.DataFrame) -> int:
    """Return which quantity a rule is about."""
    wanted = labels["contrast"] == rule.contrast
    asked = (ATTRIBUTE_SET, rule.attribute_set), (GROUP, rule.group), (PROTECTED_WORD, rule.word)
    for column, value in asked:
        if value:
            wanted &= labels[column] == value
    places = np.flatnonzero(wanted)
    if not len(places):
        raise BayesBiasError(f"the vectors have no {rule.what}: its words are missing")
    return int(places[0])


def _line(row: Mapping[str, Any]) -> str:
    """Say in a line what became of a rule."""
    unit = " sd" if row["unit"] == "sd" else ""
    ends = (("at least", row["at_least"]), ("at most", row["at_most"]))
    bounds = [(name, f"{end:g}") for name, end in ends if end == end]
    whose = row["word"] or row["group"]
    asked = tell("asked", row["contrast"], whose, row["attribute_set"], bounds, unit)
    start = f"{row['outcome']:<9}  {row['rule']}: {asked}"
    if row["p_kept"] != row["p_kept"]:
        return f"{start}: {row['reason']}"
    most = row["chance_at_most"]
    found = tell(
        "found",
        mean=format_value(row["mean"], "signed"),
        prob=percent(row["probability"]),
        interval=" to ".join(format_value(row[end], "signed") for end in ("low", "high")),
        unit=unit,
        kept=format_value(row["p_kept"], "probability"),
        needed=f"{row['probability']:g}",
        chance=format_value(row["chance"], "share"),
        most=percent(most) if most == most else "",
        missing=counted(int(row["n_missing"]), "word") if row["n_missing"] else "",
        reason=row["reason"],
    )
    return f"{start}: {found}"
