"""How much an answer hangs on the priors, on single words, and on words as independent draws.

Priors are tried in two ways. A prior that counts half or double needs no refit: draws get the
weights of that posterior (power scaling: Kallioinen, Paananen, Bürkner and Vehtari 2024). Scales at
half and at twice, and the fixed standard deviation of groups, are fitted anew. Every word is left
out in turn. Last, protected words that are alike in the vectors get effects in common, and the
marginal likelihood says whether the data ask for them: if so, there are fewer words than it seems.
"""

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, ClassVar, Final, Unpack

import numpy as np
import pandas as pd

from bayesbias.constants import (
    ATTRIBUTE,
    ATTRIBUTE_SET,
    CONNECTION,
    GROUP,
    PROTECTED_WORD,
    REFERENCE,
)
from bayesbias.errors import DistancesError
from bayesbias.fits import captions
from bayesbias.fits.between_groups import BETWEEN, LIST, contrasts_of_lists
from bayesbias.fits.caution import CLEAR_GAIN
from bayesbias.fits.check_sentences import tell
from bayesbias.fits.contrasts import compared_pairs, contrast_name
from bayesbias.fits.quantities import FitContext, contrast_weights, posterior_of
from bayesbias.fits.refitted import RefittedContrasts, said_of_failed
from bayesbias.inference.decision import DecisionRule
from bayesbias.inference.design import Design
from bayesbias.inference.diagnostics import PARETO_K_LIMIT
from bayesbias.inference.identifiability import drop_unidentified_terms
from bayesbias.inference.pareto import resample
from bayesbias.inference.power_scaling import log_prior, power_scaled, sensitivity_to
from bayesbias.inference.predictive import total_log_likelihood
from bayesbias.inference.priors import SHARES
from bayesbias.inference.questions import (
    LinearCombinations,
    ListPairs,
    between_weights,
    connection_weights,
    stacked,
)
from bayesbias.inference.refits import Refit
from bayesbias.inference.specification import ModelSpec, with_term
from bayesbias.inference.terms import TermSpec
from bayesbias.pairs.reference import FEWEST_REFERENCE_WORDS, reference_rows
from bayesbias.pairs.topics import correlations, joined_from, topics
from bayesbias.support.figure_style import Place
from bayesbias.support.progress import tracked
from bayesbias.support.result import Result
from bayesbias.support.text_tables import (
    Blocks,
    Column,
    Columns,
    Table,
    counted,
    format_value,
    interval_column,
)
from bayesbias.support.types import Figure, Generator

SENSITIVE: Final = 0.05
"""A power-scaling sensitivity from here on counts (Kallioinen et al. 2024)."""

_POWERS: Final = {"half": 0.5, "double": 2.0}

_OF_GROUPS: Final = (0.5, 10.0)
"""Times that a fixed standard deviation of groups is tried for lists, groups and words: such a
prior may hardly touch the contrast over all, which is their mean, and decide each of them."""

_COMPARED: Final = (
    *("contrast", "mean", "low", "high", "interval", "prob"),
    *("shift", "verdict", "clear", "verdict_all", "changed", "pareto_k"),
)
"""What a contrast of a refit has beside that of the fit."""

_KEYS: Final = {
    "scales": ("prior", "factor"),
    "groups": ("prior", "factor", "by"),
    "clusters": ("clusters", "gain"),
    "left_out": ("removed", "role", "list", "elpd"),
}
"""Tables of refits, and what tells one refit from another in each."""

CLUSTER: Final = "cluster"
"""The column that tells the clusters of protected words."""

_ASSOCIATION: Final = ("associated", "different")


@dataclass(frozen=True, repr=False)
class Sensitivity(Result):
    """How much a fit's answers hang on the priors and on single words.

    Made by `Fit.sensitivity`.

    Parameters
    ----------
    priors : DataFrame
        One row per connection mean, contrast, and group's associated − different (``quantity``;
        ``applies_to`` names the group): ``mean``; ``prior`` and
        ``likelihood``, how fast the posterior moves when one of them is raised to a power
        (sensitive from 0.05); ``diagnosis``; ``mean_half`` and ``mean_double``, the mean if the
        priors counted half or double; for contrasts the ``verdict`` and what it would be then;
        ``pareto_k``, the larger of these two reweightings' (below 0.7 they can be trusted).
    scales : DataFrame
        One row per prior, ``factor`` (0.5 or 2) and contrast, from a fit with the scale of that
        prior multiplied: ``prior``, the parameter's name, and the columns of `left_out` from
        ``contrast`` on.
    groups : DataFrame
        Of models whose groups have effects of a fixed standard deviation, such as ``group_list_sd``
        of ``maximal``: one row per such prior, ``factor`` (0.5 or 10), and list, group or word
        (``by``; ``applies_to``), with associated − different, of a list the difference between
        groups, in the columns of `left_out` from ``contrast`` on.
    clusters : DataFrame
        One row per contrast, from a fit in which words that are alike share effects: ``clusters``,
        what these are; ``gain``, the log evidence over the fit's; and the same columns. Empty where
        the frame does not know how alike words are.
    left_out : DataFrame
        One row per word and contrast: ``removed``, ``role`` (protected, reference or attribute),
        ``list``; ``elpd``, the log-density of the word's pairs given all others; ``contrast``,
        ``mean``, ``low`` and ``high`` without the word, ``shift`` of the mean,
        ``verdict``, ``clear`` (whether the verdict is not on the edge), ``verdict_all`` with all
        words, whether it ``changed``: both verdicts differ and are clear; and ``pareto_k`` of the
        refit, which cannot be relied on above 0.7.
    on_edge : tuple of str
        Contrasts whose verdict with all words is not clear: almost any word may tip them.
    skipped : DataFrame
        Words that could not be left out: ``removed``, ``role``, ``reason``.
    notes : tuple of str
        What was not tried, and why.
    rule : DecisionRule
        As in `Fit.contrasts`.
    seed : int
    """

    priors: pd.DataFrame
    scales: pd.DataFrame
    groups: pd.DataFrame
    clusters: pd.DataFrame
    left_out: pd.DataFrame
    on_edge: tuple[str, ...]
    skipped: pd.DataFrame
    notes: tuple[str, ...]
    rule: DecisionRule
    seed: int

    @property
    def changed(self) -> pd.DataFrame:
        """The rows of `left_out` whose verdict changed."""
        return self.left_out[self.left_out["changed"]].reset_index(drop=True)

    _main: ClassVar[str] = "left_out"

    def to_dict(self) -> dict[str, Any]:
        """Return the tables and the rule as plain data."""
        return {**super().to_dict(), "caption": self.rule.caption}

    def plot(self, **place: Unpack[Place]) -> Figure:
        """Draw the prior sensitivities, and the words that move each contrast most."""
        from bayesbias.fits.sensitivity_figure import plot_sensitivity

        return plot_sensitivity(self.priors, self.left_out, self.rule, **place)

    @property
    def blocks(self) -> Blocks:
        """The prior sensitivities and the words that change a verdict, to be shown."""
        priors = Table(
            self.priors,
            [
                "quantity",
                *(["applies_to"] if (self.priors["applies_to"] != "all").any() else []),
                Column("mean", form="distance"),
                Column("mean_half", "prior × ½", "distance", drop_priority=2),
                Column("mean_double", "prior × 2", "distance", drop_priority=2),
                Column("prior", form="distance", drop_priority=1),
                Column("likelihood", form="distance", drop_priority=1),
                "diagnosis",
            ],
        )
        lines: list[str | Table] = [captions.tell("power"), "", priors, ""]
        lines += [*self._of_scales(), *self._of_groups(), *self._of_clusters()]
        n_words = self.left_out[["removed", "role"]].drop_duplicates().shape[0]
        changed = self.changed
        lines.append(tell("left_out", n_words, len(changed)))
        if len(changed):
            keys: Columns = ["removed", Column("role", drop_priority=1)]
            lines += ["", _changed_table(changed, keys, "without")]
        lines += [tell("tipped", name) for name in self.on_edge]
        if len(self.skipped):
            lines.append(tell("skipped", counted(len(self.skipped), "word")))
        for name, of_rows in _KEYS.items():
            lines += said_of_failed(getattr(self, name), of_rows[:2], "refit", name)
        return [*lines, *self.notes, self.rule.caption]

    def _of_scales(self) -> Blocks:
        """Return the first contrast at half and twice each prior's scale, and what it changes."""
        if self.scales.empty:
            return []
        name = self.scales["contrast"].iloc[0]
        part = self.scales[self.scales["contrast"] == name]
        half, twice = (part[part["factor"] == factor] for factor in (0.5, 2.0))
        shown = half.merge(twice, on="prior", suffixes=("_half", "_twice"))
        columns: Columns = [
            "prior",
            Column(("low_half", "high_half"), "scale × ½", "signed"),
            Column(("low_twice", "high_twice"), "scale × 2", "signed"),
        ]
        changed = self.scales[self.scales["changed"]]
        after: list[str | Table] = [tell("scales", len(changed))]
        if len(changed):
            after += ["", _changed_table(changed, ["prior", Column("factor", form="g")], "")]
        what = captions.tell("one_prior", name, self.rule.label)
        return [what, "", Table(shown, columns), "", *after, ""]

    def _of_groups(self) -> Blocks:
        """Return groups at other scales of their prior, and how many words' verdicts change."""
        blocks: list[str | Table] = []
        for prior, rows in self.groups.groupby("prior", sort=False):
            parts = [rows[rows["factor"] == factor] for factor in _OF_GROUPS]
            keys = ["by", "applies_to", "contrast", "verdict_all"]
            shown = parts[0].merge(parts[1], on=keys, suffixes=("_half", "_ten"))
            shown["mean"] = shown["mean_half"] - shown["shift_half"]
            columns: Columns = [
                Column("mean", form="signed"),
                Column(("mean_half", "low_half", "high_half"), "scale × ½", "signed"),
                Column(("mean_ten", "low_ten", "high_ten"), "scale × 10", "signed"),
                Column("verdict_all", "verdict of the fit", drop_priority=1),
            ]
            changed, counts = rows[rows["changed"]], []
            for by, part in shown.groupby("by", sort=False):
                n = changed.loc[changed["by"] == by, "applies_to"].nunique()
                counts.append(f"{n} of {counted(len(part), str(by))}")
                if by != "word":
                    said = captions.tell("prior_of_groups", part["contrast"].iloc[0], by, prior)
                    blocks += [said, "", Table(part, [Column("applies_to", by), *columns]), ""]
            blocks += [tell("scales_of_groups", counts), ""]
        return blocks

    def _of_clusters(self) -> Blocks:
        """Return the contrasts with effects of clusters, beside those of the fit."""
        if self.clusters.empty:
            return []
        columns: Columns = [
            "contrast",
            Column("mean", form="signed"),
            interval_column(self.rule.label),
            "verdict",
            Column("verdict_all", "verdict of the fit"),
        ]
        first = self.clusters.iloc[0]
        said = asked_for(first["gain"], first["clusters"])
        return [
            tell("with_clusters", first["clusters"], format_value(first["gain"], "+.1f")),
            "",
            Table(self.clusters, columns),
            "",
            *([f"{said[0].upper()}{said[1:]}.", ""] if said else []),
        ]


def _changed_table(changed: pd.DataFrame, keys: Columns, without: str) -> Table:
    before = Column("verdict_all", "verdict with all" if without else "verdict of the fit")
    after = Column("verdict", f"verdict {without or 'then'}")
    return Table(changed, [*keys, "contrast", Column("shift", form="signed"), before, after])


def sensitivity_of(
    fitted: FitContext,
    frame: pd.DataFrame,
    spec: ModelSpec,
    rule: DecisionRule,
    *,
    leave_out: bool,
    seed: int,
    progress: bool | None,
) -> Sensitivity:
    """Measure what a fit's answers hang on; see `Fit.sensitivity`."""
    pairs = compared_pairs(fitted.design)
    priors = _prior_table(fitted, spec, pairs, rule, np.random.default_rng([seed, 1]))
    found: dict[str, Rows] = {name: [] for name in (*_KEYS, "skipped")}
    notes: tuple[str, ...] = () if spec.is_gaussian else (captions.tell("needs_refits"),)
    on_edge: tuple[str, ...] = ()
    if spec.is_gaussian and pairs:
        notes, on_edge = _refit(found, frame, spec, rule, leave_out=leave_out, progress=progress)
    scales, groups, clusters, left_out = (
        pd.DataFrame(
            found[name], columns=[*keys, *(["applies_to"] if name == "groups" else []), *_COMPARED]
        ).astype({"clear": bool, "changed": bool})
        for name, keys in _KEYS.items()
    )
    skipped = pd.DataFrame(found["skipped"], columns=["removed", "role", "reason"])
    tables = priors, scales, groups, clusters, left_out
    return Sensitivity(*tables, on_edge, skipped, notes, rule, seed)


Rows = list[dict[str, Any]]


def _prior_table(
    fit: FitContext,
    spec: ModelSpec,
    pairs: list[tuple[str, str]],
    rule: DecisionRule,
    rng: Generator,
) -> pd.DataFrame:
    asked = [connection_weights(fit.design), contrast_weights(fit.design, "connection", pairs)]
    names = [*fit.design.protected_connection_names, *(contrast_name(a, b) for a, b in pairs)]
    over_all, groups = len(names), []
    if _fixed_of_groups(spec) and pairs[:1] == [_ASSOCIATION]:
        asked.append(contrast_weights(fit.design, GROUP, pairs[:1]))
        groups = [fit.design.groups[g] for g in fit.design.protected_groups]
        names += [contrast_name(*_ASSOCIATION)] * len(groups)
    draws = posterior_of(fit, pd.DataFrame(), stacked(asked), points=1).draws
    prior = log_prior(fit.posterior, spec)
    of = ["all"] * over_all + groups
    table = pd.DataFrame({"quantity": names, "applies_to": of, "mean": draws.mean(axis=0)})
    table["prior"] = sensitivity_to(prior, draws)
    table["likelihood"] = sensitivity_to(total_log_likelihood(fit.posterior, fit.design), draws)
    weak = [table[name] < SENSITIVE for name in ("prior", "likelihood")]
    said = ["prior matters little", "strong prior or weak data"]
    table["diagnosis"] = np.select(weak, said, "prior and data may disagree").astype(object)
    is_contrast = np.arange(len(names)) >= len(fit.design.protected_connection_names)
    table["verdict"] = np.where(is_contrast, _verdicts(draws, rule), "")
    largest_k = -np.inf
    for label, power in _POWERS.items():
        weights, k = power_scaled(prior, power)
        # Intervals are of draws that count alike.
        moved = draws[resample(weights, len(draws), rng)]
        table[f"mean_{label}"] = weights @ draws
        table[f"verdict_{label}"] = np.where(is_contrast, _verdicts(moved, rule), "")
        largest_k = max(largest_k, k)
    table["pareto_k"] = largest_k
    if largest_k > PARETO_K_LIMIT:
        table["diagnosis"] += "; half and double are unreliable (Pareto k above 0.7)"
    return table


def _verdicts(draws: np.ndarray, rule: DecisionRule) -> np.ndarray:
    bounds = rule.bounds(draws)
    return rule.verdicts(bounds[:, 0], bounds[:, 1])


def _refit(
    found: dict[str, Rows],
    frame: pd.DataFrame,
    spec: ModelSpec,
    rule: DecisionRule,
    *,
    leave_out: bool,
    progress: bool | None,
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Add what refits with other scales, with clusters and without each word say to the tables.

    Returns the notes, and the contrasts that are on the edge.
    """
    refitted = RefittedContrasts(spec, rule)
    baseline, whole = refitted.of_frame(frame)
    before = baseline.set_index("contrast")

    def compared(labels: Mapping[str, Any], table: pd.DataFrame) -> Rows:
        return [
            {**labels, **compare_rows(before.loc[row["contrast"]], row)}
            for row in table.to_dict("records")
        ]

    for name in scale_names(spec):
        for factor in _POWERS.values():
            table, _ = refitted.of_frame(frame, with_scale(spec, name, factor))
            found["scales"] += compared({"prior": name, "factor": factor}, table)
    found["groups"] += _groups_at_other_scales(frame, spec, rule)
    clustered, wider, said = with_clusters(frame, spec)
    if wider is not None:
        table, fit = refitted.of_frame(clustered, wider)
        found["clusters"] += compared({"clusters": said, "gain": _gain(fit, whole)}, table)
    members = _members(frame) if leave_out else []
    for word, role, where, rows in tracked(members, "Leaving out each word", progress):
        rest = frame.iloc[np.delete(np.arange(len(frame)), rows)].reset_index(drop=True)
        reason = _too_little(frame, rest)
        if not reason:
            try:
                table, fit = refitted.of_frame(rest)
            except DistancesError as error:
                reason = str(error)
        if reason:
            found["skipped"].append({"removed": word, "role": role, "reason": reason})
            continue
        # log p(y) − log p(all but the word's pairs) is the log-density of these given the others.
        labels = {"removed": word, "role": role, "list": where, "elpd": _gain(whole, fit)}
        found["left_out"] += compared(labels, table)
    return (said,) if wider is None else (), tuple(before.index[before["on_edge"]])


def _fixed_of_groups(spec: ModelSpec) -> list[str]:
    """Return the fixed standard deviations of effects that groups have with lists."""
    return [f"{t.name}_sd" for t in spec.terms if t.sd is not None and GROUP in t.by and not t.of]


def _groups_at_other_scales(frame: pd.DataFrame, spec: ModelSpec, rule: DecisionRule) -> Rows:
    """Return the answers by list, group and word where a fixed sd of groups is another."""
    asked, found = dict.fromkeys((GROUP, "word"), (_ASSOCIATION,)), []
    refitted = RefittedContrasts(spec, rule, asked=asked, more=_between_groups)
    names = _fixed_of_groups(spec)
    connections = set(frame[CONNECTION])
    if not names or not set(_ASSOCIATION) <= connections:
        return []
    before = _named(refitted.of_frame(frame)[0])
    for name in names:
        for factor in _OF_GROUPS:
            after = _named(refitted.of_frame(frame, with_scale(spec, name, factor))[0])
            for key, row in after.iterrows():
                by, of = key
                compared = compare_rows(before.loc[key], row.to_dict())
                found.append(
                    {"prior": name, "factor": factor, "by": by, "applies_to": of} | compared
                )
    return found


def _named(table: pd.DataFrame) -> pd.DataFrame:
    """Index contrasts by whether they are of a list, a group or a word, and of which."""
    columns = {LIST: ATTRIBUTE_SET, "word": PROTECTED_WORD, GROUP: GROUP}
    parts = {
        by: table[table[column].notna()].set_index(column)
        for by, column in columns.items()
        if column in table
    }
    parts[GROUP] = parts[GROUP][parts[GROUP][PROTECTED_WORD].isna()]
    return pd.concat({by: parts[by] for by in (LIST, GROUP, "word") if by in parts})


def _between_groups(design: Design) -> tuple[pd.DataFrame, LinearCombinations]:
    """Return who is closer to each list, between groups, where groups can be so compared."""
    found = ListPairs.of(design)
    if not found.compared:
        return pd.DataFrame(columns=[ATTRIBUTE_SET]), between_weights(design, found, ())
    labels, _ = contrasts_of_lists(design)
    labels = labels.loc[labels["contrast"] == BETWEEN, [ATTRIBUTE_SET, "contrast"]]
    return labels, between_weights(design, found, ())


def cluster_gain(frame: pd.DataFrame, spec: ModelSpec, rule: DecisionRule) -> tuple[float, str]:
    """Return the log evidence for effects that alike words share, and which these are.

    0 where clusters are not known, or are those of the groups.
    """
    clustered, wider, said = with_clusters(frame, spec)
    if wider is None:
        return 0.0, said
    refitted = RefittedContrasts(spec, rule)
    whole, fit = (refitted.of_frame(*one)[1] for one in ((frame, None), (clustered, wider)))
    return _gain(fit, whole), said


def asked_for(gain: float, clusters: str) -> str:
    """Say that the data ask for what clusters of words share; empty where they do not clearly."""
    return tell("asked_for", f"{gain:.1f}", clusters) if gain > CLEAR_GAIN else ""


def _gain(fit: Refit, other: Refit) -> float:
    return fit.log_marginal_likelihood - other.log_marginal_likelihood


def compare_rows(whole: "pd.Series[Any]", row: dict[Any, Any]) -> dict[str, Any]:
    """Return a contrast of a refit beside that of the fit."""
    clear = not row["on_edge"]
    differs = row["verdict"] != whole["verdict"]
    kept = {k: v for k, v in row.items() if k in _COMPARED}
    return {
        **kept,
        "clear": clear,
        "shift": row["mean"] - whole["mean"],
        "verdict_all": whole["verdict"],
        "changed": bool(differs and clear and not whole["on_edge"]),
    }


def _members(frame: pd.DataFrame) -> list[tuple[str, str, str, np.ndarray]]:
    """List every word with its role, its list and the rows that it stands in."""
    found = []
    for (word, group), rows in frame.groupby([PROTECTED_WORD, GROUP], sort=False).indices.items():
        found.append((word, REFERENCE if group == REFERENCE else "protected", group, rows))
    by_attribute = frame.groupby([ATTRIBUTE, ATTRIBUTE_SET], sort=False).indices
    return [*found, *((w, "attribute", name, rows) for (w, name), rows in by_attribute.items())]


def _too_little(whole: pd.DataFrame, rest: pd.DataFrame) -> str:
    """Say why nothing could be estimated from the rest, or return an empty text."""
    gone = set(whole[CONNECTION]) - set(rest[CONNECTION])
    if gone:
        return f"it is all there is of connection {', '.join(sorted(gone))}"
    if rest[PROTECTED_WORD].nunique() < 2 or rest[ATTRIBUTE].nunique() < 2:
        return "fewer than two words would be left"
    if 0 < reference_rows(rest)[PROTECTED_WORD].nunique() < FEWEST_REFERENCE_WORDS:
        return f"fewer than {FEWEST_REFERENCE_WORDS} reference words would be left"
    return ""


def scale_names(spec: ModelSpec) -> list[str]:
    """Return the parameters whose prior has a scale: fixed sds too, and no shares."""
    priors = [name for name, prior in spec.priors.items() if prior.distribution not in SHARES]
    return [*priors, *(f"{term.name}_sd" for term in spec.terms if term.sd is not None)]


def with_scale(spec: ModelSpec, name: str, factor: float) -> ModelSpec:
    """Return the model with the scale of one prior multiplied."""
    if name in spec.priors:
        return spec.replace(priors={name: spec.priors[name].scaled(factor)})
    term = spec.term(name.removesuffix("_sd"))
    assert term.sd is not None
    return with_term(spec, term.name, sd=term.sd * factor)


def with_clusters(
    frame: pd.DataFrame, spec: ModelSpec
) -> tuple[pd.DataFrame, ModelSpec | None, str]:
    """Return pairs and model with clusters of protected words, and a sentence on them.

    What words have each by themselves, those of a cluster may share: every term by protected word
    gets another by cluster, and so does what a group has with single attributes. The model is None
    where clusters are not known, or are those of the groups.
    """
    words = frame[[PROTECTED_WORD, GROUP]].drop_duplicates(PROTECTED_WORD)
    names: dict[str, str] = {}
    for group, part in words.groupby(GROUP, sort=False)[PROTECTED_WORD]:
        similarity = correlations(frame, list(part))
        if similarity is None:
            return frame, None, tell("no_clusters", known=False)
        own = topics(similarity, joined_from(frame))
        names |= {w: f"{group} {k}" for w, k in zip(part, own, strict=True)}
    clustered = frame.assign(**{CLUSTER: frame[PROTECTED_WORD].map(names)})
    twins: tuple[TermSpec, ...] = ()
    for term in spec.terms:  # what words or groups have, clusters have too
        columns = set(term.by)
        if PROTECTED_WORD in columns or {GROUP, ATTRIBUTE} <= columns:
            column = PROTECTED_WORD if PROTECTED_WORD in columns else GROUP
            by = tuple(CLUSTER if name == column else name for name in term.by)
            # Clusters are part of a group: those of all groups need not sum to 0.
            name = f"{CLUSTER}_{term.name}"
            twins += (dataclasses.replace(term, name=name, by=by, sum_to_zero=()),)
    wider, _ = drop_unidentified_terms(spec.replace(terms=(*spec.terms, *twins)), clustered)
    if not {term.name for term in wider.terms} & {twin.name for twin in twins}:
        return frame, None, tell("no_clusters", known=True)
    counts = f"{len(words):,}", REFERENCE in set(words[GROUP]), f"{len(set(names.values())):,}"
    return clustered, wider, tell("clusters", *counts)
