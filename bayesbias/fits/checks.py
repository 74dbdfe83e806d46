"""Whether a fit can be relied on, in one table: each check passes or warns, with what to do.

Computation (Pareto k or convergence), prediction (leave-one-out and the predictive check, by
ArviZ), and what the answer depends on: its priors, and single words. The last two come from the
draws that there are (`engine.collapsed`), and from another fit where these cannot tell.

The weights w[g,s] of contrasts on cell means, put on plain means, give a t-interval that needs no
model: words i of a group g and topics t of a list s (p_t of its attributes) are both samples, and

    S_i = Σ_s w[g,s] x̄[i,s] / a_g,  a_g = Σ_s |w[g,s]|;  T_t = Σ_g w[g,s] x̄[g,t] / b_s, b_s alike;
    variance = v_S Σ_g a_g² / n_g + Σ_kinds v_T Σ_s b_s² Σ_t p_t²,

v_S pooled within groups, v_T within lists of a kind; degrees of freedom are Satterthwaite's.
"""

import dataclasses
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Final, TypeAlias

import numpy as np
import pandas as pd
from scipy.special import stdtrit

from bayesbias.constants import GROUP, HDPI_PROB, INNER_PROB, PROTECTED_WORD, TOPIC
from bayesbias.engine.block import every_block
from bayesbias.engine.collapsed import log_joints, posterior_of_changed
from bayesbias.engine.diagnostics import PARETO_K_LIMIT
from bayesbias.engine.predictive import draw_predictive, laws_given_others, log_likelihood, thinned
from bayesbias.fits.contrasts import contrasts_asked
from bayesbias.fits.decision import DecisionRule
from bayesbias.models.design import Design
from bayesbias.models.parameters import Cells, sds_of
from bayesbias.models.specification import ModelSpec
from bayesbias.show.answer_table import row_label
from bayesbias.show.narrator import leading_row, percent, signed
from bayesbias.show.result import Blocks, Result
from bayesbias.support.compatibility import Loo, leave_one_out
from bayesbias.words.coverage import VocabularyCoverage, words_of
from bayesbias.words.provenance import missing_of

if TYPE_CHECKING:
    from bayesbias.fits.fit_result import Fit

NEAR: Final = 0.05
"""A share of pairs this near to an interval's probability is on target."""

_MANY_PAIRS: Final = 0.1
"""Share of pairs with a large Pareto k from which leave-one-out predictions are in doubt."""

_DRAWS: Final = 500  # draws that answers under other priors and without a word are made from

_LOO_DRAWS: Final = 1000

_MOST_WORDS: Final = 60  # protected words that are left out one by one

ONE_TOPIC: Final = "no list has two topics, so that nothing tells how far topics differ"

COLUMNS: Final = ("check", "verdict", "found", "advice")


Check: TypeAlias = tuple[str, str, str]
"""A check, what it found, and what to do; without advice it has passed."""

Changes: TypeAlias = Mapping[str, tuple[pd.DataFrame, ModelSpec]]
"""Other pairs or priors, by name."""


@dataclasses.dataclass(frozen=True, repr=False)
class Checks(Result):
    """Whether a fit can be relied on: of `table` a row, and a line of text, is a check."""

    table: pd.DataFrame

    @property
    def blocks(self) -> Blocks:
        """What each check found, and what to do where it warns."""
        rows = self.table.itertuples()
        return [f"{r.verdict}  {r.check}: {'; '.join(filter(None, r[3:]))}" for r in rows]


def check_table(
    fit: "Fit", *, quick: bool = False, nuts: bool = False, rule: DecisionRule | None = None
) -> Checks:
    """Ask whether the fit can be relied on.

    Parameters
    ----------
    quick : bool
        Leave out what takes seconds: predictions, and what the leading answer depends on.
    nuts : bool
        Also sample the same model with NUTS, which takes minutes, and compare.
    rule : DecisionRule, optional
        As in `Fit.contrasts`: that by which the leading answer was judged.

    Returns
    -------
    Checks
        Its ``table`` has a row a check: ``check``; ``verdict``, pass or warn; ``found``; and
        ``advice``, what to do, empty where it passed. Checks of computation, of predictions
        (leave-one-out and predictive check), of missing words and similar attributes, and of what
        the leading answer becomes with other priors, without single words, and without a model.

    Examples
    --------
    >>> import bayesbias as bb
    >>> checks = bb.analyze(bb.example_embedding(), "gender", "paper", seed=1).check()
    >>> checks.table.set_index("check").loc["similar attributes", "verdict"]
    'warn'
    """
    checks = [_of_draws(fit), *([] if quick else _of_predictions(fit))]
    checks += [_of_similarity(fit), _of_missing_words(fit)]
    rule = fit.rule(rule)
    row = None if quick else leading_row(fit.contrasts(rule=rule))
    if row is not None:
        of = fit, row, rule
        checks += [*_of_priors(*of), *_of_words_left_out(*of)] if fit.is_exact else []
        checks += [] if fit.spec.numbers else [_of_plain_means(*of)]  # which it does not adjust
        checks += [_of_nuts(fit, row)] if nuts else []
    return Checks(checked(checks))


def checked(checks: Iterable[Check]) -> pd.DataFrame:
    """Return checks as a frame; those without advice pass."""
    rows = [(name, "warn" if advice else "pass", text, advice) for name, text, advice in checks]
    return pd.DataFrame(rows, columns=list(COLUMNS))


def _of_draws(fit: "Fit") -> Check:
    diagnostics = fit.diagnostics
    advice = "; ".join(problem.rpartition("; ")[2] for problem in diagnostics.problems)
    return "computation", diagnostics.sentence, advice


def loo_of(fit: "Fit") -> Loo:
    """Return leave-one-out predictions of every pair, by ArviZ."""
    few = thinned(fit.draws, _LOO_DRAWS)
    laws, response = laws_given_others(few, fit.design, fit.spec), fit.design.response
    predicted = draw_predictive(few, laws, rng=np.random.default_rng([fit.seed, 3]))
    return leave_one_out(log_likelihood(few, laws, response), predicted, response)


def _of_predictions(fit: "Fit") -> Iterator[Check]:
    loo = loo_of(fit)
    bad, n = int((loo.pareto_k > PARETO_K_LIMIT).sum()), len(loo.pareto_k)
    yield (
        "leave-one-out",
        f"elpd {loo.elpd.sum():,.0f}; Pareto k above {PARETO_K_LIMIT} for {bad:,} of {n:,} pairs",
        "compare models by elpd without these pairs" if bad > _MANY_PAIRS * n else "",
    )
    shares = {p: float((np.abs(loo.pit - 0.5) <= p / 2).mean()) for p in (HDPI_PROB, INNER_PROB)}
    texts = [f"{percent(share)} in the central {prob:.0%}" for prob, share in shares.items()]
    inside = percent(fit.predictions()["inside"].mean())
    off = any(abs(share - prob) > NEAR for prob, share in shares.items())
    yield (
        "predictive check",
        f"{inside} of pairs in the 89% interval that the others predict; LOO-PIT "
        f"{', '.join(texts)}",
        "fit.predictions() has the pairs that the model misses" if off else "",
    )


def _of_similarity(fit: "Fit") -> Check:
    notes = " ".join(note for note in fit.notes if note.startswith("Attributes"))
    if fit.spec.is_similar:
        return "similar attributes", "effects of similar attributes correlate (from vectors)", ""
    if any(TOPIC in term.by for term in fit.spec.terms):
        return "similar attributes", notes or "attributes of one topic share effects", ""
    advice = "give vectors=, or a column topic" if notes else "compare with model='maximal'"
    if "meets every attribute" in notes:
        advice = "leave out words or attributes that lack pairs"
    text = notes or f"model {fit.spec.name} takes attributes as independent"
    return "similar attributes", text, advice


def _of_missing_words(fit: "Fit") -> Check:
    if missing_of(fit.frame) is None:
        return "missing words", "not recorded: the pairs came without that list", ""
    words = words_of(fit.frame)
    is_lost, own = words["reason"] != "", words["kind"] != "controls"
    lists = VocabularyCoverage(words[own]).lists.itertuples()
    few = [f"{of.found} of {of.list}" for of in lists if of.found < of.words / 2]
    advice = f"only {', '.join(few)} remain: add words or take other vectors" if few else ""
    lost, controls = (int((is_lost & kind).sum()) for kind in (own, ~own))
    text = f"{lost} of {own.sum()} words are not in the vectors, and {controls} of {(~own).sum()}"
    return "missing words", f"{text} controls", advice


@dataclasses.dataclass(frozen=True)
class Answer:
    """The leading contrast under a change, and whether a model was fitted for it."""

    mean: float
    low: float
    high: float
    fitted: bool = False

    @property
    def direction(self) -> str:
        """Closer, farther, or undecided."""
        return "closer" if self.high < 0 else "farther" if self.low > 0 else "undecided"

    @property
    def text(self) -> str:
        """Mean and interval."""
        return f"{signed(self.mean)} [{signed(self.low)}, {signed(self.high)}]"

    def advice(self, row: pd.Series, what: str) -> str:
        """Return advice where the direction is not that of the fit; "" where it is."""
        return "" if self.direction == row["direction"] else what.format(self.direction)


def changed_answers(
    fit: "Fit", row: pd.Series, rule: DecisionRule, changes: Changes
) -> dict[str, Answer]:
    """Return the leading answer with other pairs or priors, where it would not be withheld."""
    of_fit = fit.design
    few, keys = thinned(fit.draws, _DRAWS), ["level", "list", "group", "contrast"]
    before, answers = log_joints(every_block(of_fit, fit.spec), sds_of(few, of_fit)), {}
    for name, (frame, spec) in changes.items():
        design = Design(frame, spec, of_fit.alike)
        labels, weights, *_ = contrasts_asked(design, words=False)
        same = (labels[keys] == row[keys].to_numpy()).all(axis=1) & (labels["withheld"] == "")
        if same.any():
            of_leading = weights[np.flatnonzero(same)[:1]]
            mixture, fitted = posterior_of_changed(few, of_fit, before, (design, spec), of_leading)
            ends = mixture.interval(rule.ci_prob, rule.ci_kind)
            answers[name] = Answer(mixture.mean, *ends, fitted)
    return answers


def under_priors(fit: "Fit", factors: Mapping[str, float]) -> Changes:
    """Return the pairs and models where priors expect their standard deviations times factors."""
    specs = {}
    for name, factor in factors.items():
        noise = dataclasses.replace(fit.spec.noise, prior=fit.spec.noise.prior.scaled(factor))
        terms = tuple(term.scaled(factor) for term in fit.spec.terms)
        specs[name] = fit.frame, dataclasses.replace(fit.spec, terms=terms, noise=noise)
    return specs


def without_words(fit: "Fit") -> Changes:
    """Return the pairs, and the model, without each protected word in turn."""
    words = fit.frame[PROTECTED_WORD]
    frames = {word: fit.frame[words != word].reset_index(drop=True) for word in words.unique()}
    return {word: (frame, fit.spec) for word, frame in frames.items()}


def _of_priors(fit: "Fit", row: pd.Series, rule: DecisionRule) -> Iterator[Check]:
    changes = under_priors(fit, {"½": 0.5, "2": 2.0})
    for name, answer in changed_answers(fit, row, rule, changes).items():
        advice = answer.advice(row, "the direction depends on the priors ({}): report it")
        yield f"priors × {name}", f"{row_label(row)} {answer.text}, {rule.label}", advice


def _of_words_left_out(fit: "Fit", row: pd.Series, rule: DecisionRule) -> Iterator[Check]:
    """Say which protected word changes the leading answer most, left out, and which carry it."""
    n_words = fit.frame[PROTECTED_WORD].nunique()
    changes = without_words(fit) if n_words <= _MOST_WORDS else {}
    answers = changed_answers(fit, row, rule, changes)
    order = sorted(answers, key=lambda word: -abs(answers[word].mean - row["mean"]))
    ways = {"withheld": [word for word in changes if word not in answers]}
    for word in order:
        ways.setdefault(answers[word].direction, []).append(word)
    parts = ["no word can be left out"]
    if order:
        new, old = signed(answers[order[0]].mean), signed(row["mean"])
        parts = [f"most without {order[0]}: {new} in place of {old}"]
    if n_fitted := sum(answer.fitted for answer in answers.values()):
        parts.append(f"a new fit for {n_fitted} of {n_words}")
    others = {way: words for way, words in ways.items() if words and way != row["direction"]}
    carried = [f"{way} without {' or '.join(words)}" for way, words in others.items()]
    if changes:
        advice = f"the answer becomes {'; '.join(carried)}: add words" if carried else ""
        yield "leave one word out", "; ".join(parts), advice


def _of_plain_means(fit: "Fit", row: pd.Series, rule: DecisionRule) -> Check:
    """Compare with a t-interval of plain means of words and topics, which needs no model."""
    table = plain_t_interval(fit, rule.ci_prob)
    keys = ["level", "list", GROUP, "other", "contrast"]
    plain = table[(table[keys] == row[keys].to_numpy()).all(axis=1)].iloc[0]
    if plain["withheld"]:
        return "plain t-interval", plain["withheld"], ""
    answer = Answer(plain["observed"], plain["low"], plain["high"])
    text = f"{row_label(row)} {answer.text} of topic means, {100 * rule.ci_prob:g}%"
    advice = answer.advice(row, "without the model the verdict is {}: report both")
    return "plain t-interval", text, advice


def plain_t_interval(fit: "Fit", prob: float = HDPI_PROB) -> pd.DataFrame:
    """Return the contrasts of `Fit.contrasts`, but for words, as t-intervals of plain means.

    Columns ``level, list, group, other, contrast, observed, withheld, sd, degrees, low, high``.
    """
    design, cells = fit.design, Cells.of(fit.design)
    labels, _, weights = contrasts_asked(design, words=False)
    topic = pd.factorize(fit.frame[TOPIC])[0] if TOPIC in fit.frame else design.attribute
    topic = topic if design.alike is None else design.alike.topic[design.attribute]
    kind = np.zeros(len(design.attribute_sets), np.int64)
    kind[design.attribute_set] = design.kind[design.attribute]
    columns = {"word": design.word, "attribute": design.attribute, "topic": topic}
    cell, pair = cells.of_pairs()
    rows = pd.DataFrame(columns | {"y": design.response}).iloc[pair].assign(cell=cell)
    total, of_degrees = np.zeros((2, len(weights)))
    for unit, member, of_cell, pool in (
        ("word", "word", cells.group, np.zeros(len(design.groups))),
        ("topic", "attribute", cells.list, kind),
    ):
        key = [of_cell[rows["cell"]], unit]
        means = rows.pivot_table("y", key, "cell", fill_value=0.0)
        count = rows.groupby(key)[member].nunique()
        of = means.index.get_level_values(0).to_numpy()
        share = count.to_numpy() / np.bincount(of, count)[of]
        size = (np.abs(weights) @ np.eye(len(pool))[of_cell])[:, of].T  # a_g, or b_s, of every unit
        scores = pd.DataFrame(means.to_numpy() @ weights.T).where(size > 0) / size
        squares = (scores - scores.groupby(of).transform("mean")) ** 2
        for p in np.unique(pool):
            at = pool[of] == p
            degrees = scores[at].notna().sum() - scores[at].groupby(of[at]).count().gt(0).sum()
            variance = squares[at].sum() / degrees * ((share[:, None] * size)[at] ** 2).sum(axis=0)
            is_used = (size[at] > 0).any(axis=0)
            total += np.where(is_used, variance, 0.0)
            of_degrees += np.where(is_used, variance**2 / degrees, 0.0)
    table = labels[["level", "list", GROUP, "other", "contrast", "observed", "withheld"]]
    table = table.assign(sd=total**0.5, degrees=total**2 / of_degrees)
    is_open = table["withheld"] == ""
    table["withheld"] = table["withheld"].mask(is_open & table["sd"].isna(), ONE_TOPIC)
    reach = table["sd"].where(is_open) * stdtrit(table["degrees"], (1 + prob) / 2)
    return table.assign(low=table["observed"] - reach, high=table["observed"] + reach)


def _of_nuts(fit: "Fit", row: pd.Series) -> Check:
    """Sample the same model with NUTS and compare the leading answers."""
    from bayesbias.engine.nuts import NutsSettings, sample_nuts

    settings = NutsSettings(draws=1000)
    posterior, stats, record = sample_nuts(
        fit.design, fit.spec, settings, seed=fit.seed, progress=False
    )
    sampled = dataclasses.replace(fit, draws=posterior, sample_stats=stats, settings=record)
    other = leading_row(sampled.contrasts())
    assert other is not None
    apart = abs(other["mean"] - row["mean"]) / row["sd"]
    return (
        "NUTS",
        f"{row_label(row)} {signed(other['mean'])} by NUTS, {signed(row['mean'])} in closed form",
        "the two engines disagree; sample longer and report this" if apart > 0.15 else "",
    )
