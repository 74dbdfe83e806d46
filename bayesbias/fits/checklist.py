"""Every check of a fit in one table: what passed, what did not, and what to do about it.

Nothing is judged here: what is a problem is decided where it is found, and told as it is there.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Final

import pandas as pd

from bayesbias.constants import CONNECTION, INNER_PROB, TOPIC
from bayesbias.fits.check_sentences import tell
from bayesbias.fits.contrasts import Contrasts, can_compare
from bayesbias.fits.criticism import Criticism, left_out_coverage
from bayesbias.fits.narrator import off_target
from bayesbias.fits.quantities import Groups, groups_of
from bayesbias.fits.sensitivity import asked_for, cluster_gain
from bayesbias.inference.decision import DecisionRule
from bayesbias.inference.diagnostics import Diagnostics
from bayesbias.inference.specification import ModelSpec
from bayesbias.pairs.coverage import coverage_of_lists, coverage_warnings, missing_sentence
from bayesbias.pairs.provenance import missing_of
from bayesbias.pairs.topics import topics_sentence
from bayesbias.support.result import Result
from bayesbias.support.text_tables import (
    Blocks,
    Column,
    Columns,
    Table,
    counted,
    percent,
    typeset,
    with_blank_lines,
)

_WIDTH: Final = 100
_OF_SIMILARITY: Final = "Attributes "
"""How sentences of `inference.adapting` on similarity begin."""
_NOT_ASKED: Final = (
    "Not asked here, since they fit the model many times: fit.placebo(), fit.sensitivity(), "
    "fit.resampled_words()."
)
_TAKE_VECTORS: Final = "begin with the vectors: bb.distances(vectors, wordlist)"


@dataclass(frozen=True)
class Check:
    """One check; `next` is what to do, and without it the check has passed."""

    about: str
    found: str
    next: str = ""


@dataclass(frozen=True, repr=False)
class Checks(Result):
    """Every check of a fit; made by `Fit.check`.

    Parameters
    ----------
    table : DataFrame
        One row per check that applies to the fit: ``check``; ``verdict``, pass or warn; ``found``;
        and ``next``, what to do, empty where it passed.
    """

    table: pd.DataFrame

    @property
    def blocks(self) -> Blocks:
        """How many warn, the table, and what was not asked."""
        warn = self.table.loc[self.table["verdict"] == "warn", "check"].tolist()
        columns: Columns = [
            "check",
            Column("verdict", form="verdict"),
            Column("found", form="long"),
            Column("next", "what to do next", "long"),
        ]
        summed = tell("summary", counted(len(self.table), "check"), warn)
        return with_blank_lines(summed, Table(self.table, columns, width=_WIDTH), _NOT_ASKED)


def checks_of(found: Sequence[Check]) -> Checks:
    """Return checks as a table."""
    rows = [(c.about, "warn" if c.next else "pass", c.found, c.next) for c in found]
    return Checks(pd.DataFrame(rows, columns=["check", "verdict", "found", "next"]))


def of_draws(found: Diagnostics) -> Check:
    """Say whether the draws can be relied on."""
    said = [problem.partition("; ") for problem in found.problems]
    remedies = "; ".join(dict.fromkeys(remedy for _, _, remedy in said))
    return Check("draws", "; ".join(what for what, _, _ in said) or found.all_clear, remedies)


def of_verdicts(found: Contrasts) -> Check:
    """Say whether numerical error could change a verdict."""
    edge = found.table.loc[found.table["on_edge"], "contrast"].tolist()
    next_ = (
        "read them as undecided between the two verdicts; if you sampled chains, take more draws"
    )
    return Check("verdicts", tell("edge", edge), next_ if edge else "")


def of_pareto_k(found: Criticism) -> Check:
    """Say whether leave-one-out predictions can be relied on."""
    bad, n = (int(found.table[name].iloc[0]) for name in ("n_bad_k", "n_pairs"))
    said = tell("pareto_k", f"{bad:,}", counted(n, "pair"))
    next_ = "rely on the other pairs only; leave out whole words with fit.sensitivity()"
    return Check("leave-one-out", said, next_ if bad else "")


def of_coverage(in_sample: pd.DataFrame, left_out: pd.DataFrame, prob: float) -> Check:
    """Say whether predictive intervals hold their share of the pairs."""
    shares = [
        [
            (typeset(float(row.inside), "share"), percent(row.prob))
            for row in table[table[CONNECTION] == "all"].itertuples()
        ]
        for table in (left_out, in_sample)
    ]
    off = off_target(left_out, prob)
    return Check(
        "coverage",
        tell("coverage", *shares, off),
        "see fit.criticism(); if tails are heavy, compare with a Student-t model" if off else "",
    )


def of_noise(found: Criticism) -> Check:
    """Say whether words have the same noise."""
    said = found.said_of_noise
    if not said:
        return Check("noise", "no word's noise is out of line with the others'")
    return Check("noise", said, "see how the answer changes without these words: fit.sensitivity()")


def of_groups(found: Criticism) -> Iterator[Check]:
    """Say whether groups differ as the model expects; nothing for one group."""
    if found.groups is not None:
        yield Check("groups", found.said_of_groups, found.remedy_of_groups.partition(": ")[2])


def of_model(caution: str, clusters: str) -> Check:
    """Say whether the data ask for terms that the model lacks.

    `clusters`: what `Fit.sensitivity` says where they ask for effects that alike words share.
    """
    if not caution and not clusters:
        return Check("model", "the model lacks no term that would clearly fit the data better")
    if not caution:
        return Check("model", clusters, "see clusters of fit.sensitivity(leave_out=False)")
    said = " ".join([caution.removeprefix("Caution: "), *([f"{clusters}."] if clusters else [])])
    return Check("model", said, "report the answer of that model, or both: bb.compare_models")


def of_terms(left_out: Sequence[str]) -> Check:
    """Say which terms the data cannot tell; that of similar attributes has a check of its own."""
    gone = [said for said in left_out if not said.startswith(_OF_SIMILARITY)]
    if not gone:
        return Check("terms", "the data can estimate every term of the model")
    return Check(
        "terms", " ".join(gone), "say so in your report: the answer comes from a simpler model"
    )


def of_similarity(spec: ModelSpec, frame: pd.DataFrame, left_out: Sequence[str]) -> Check:
    """Say whether the model knows which attributes are alike."""
    said = " ".join(reason for reason in left_out if reason.startswith(_OF_SIMILARITY))
    if spec.is_similar:
        return Check("similarity", topics_sentence(frame) or "similar attributes share effects")
    if any(TOPIC in term.by for term in spec.terms):
        return Check("similarity", said or topics_sentence(frame))
    return Check(
        "similarity",
        said or tell("unrelated", spec.name),
        f"{_TAKE_VECTORS}, or give the frame a column topic" if said else "fit 'maximal'",
    )


def of_words(frame: pd.DataFrame) -> Check:
    """Say whether words enough are left of every list."""
    said = missing_sentence(frame)
    if missing_of(frame) is None:
        return Check("missing words", said, _TAKE_VECTORS)
    few = "; ".join(coverage_warnings(coverage_of_lists(frame)))
    next_ = "take vectors that have the words, or try fallbacks=['lower', 'title']"
    return Check("missing words", f"{said} {few}".strip(), next_ if few else "")


def of_reference(groups: Groups, n_groups: int) -> Iterator[Check]:
    """Say whether reference words tell a group from its lists; nothing for one group."""
    if n_groups > 1:
        next_ = "name three or more before the fit: bb.distances(…, reference=[…])"
        if not groups.has_means:
            next_ = "fit a model of groups, as 'maximal', with reference words"
        has = groups.has_means and groups.n_reference
        yield Check("reference words", groups.note, "" if has else next_)


def checks_of_fit(fit: Any, rule: DecisionRule) -> Checks:
    """Ask every check of a `Fit` at once; see `Fit.check`."""
    criticism = fit.criticism()
    probs = tuple(dict.fromkeys((rule.prob, INNER_PROB)))
    in_sample = fit.coverage(probs=probs, interval=rule.interval).table
    left_out = left_out_coverage(fit.loo, fit.design, rule.prob)
    contrasts = [fit.contrasts(rule=rule)] if can_compare(fit.design) else []
    clusters = ""
    if fit.spec.is_gaussian:
        clusters = asked_for(*cluster_gain(fit.frame, fit.spec, rule))
    return checks_of(
        [
            of_draws(fit.diagnostics),
            *map(of_verdicts, contrasts),
            of_pareto_k(criticism),
            of_coverage(in_sample, left_out, rule.prob),
            of_noise(criticism),
            *of_groups(criticism),
            of_model(fit.caution, clusters),
            of_terms(fit.left_out),
            of_similarity(fit.spec, fit.frame, fit.left_out),
            of_words(fit.frame),
            *of_reference(groups_of(fit.design), len(fit.design.protected_groups)),
        ]
    )
