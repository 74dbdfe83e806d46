"""The sections that reports of a fit and of a change share."""

from typing import Any, Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bayesbias import __version__
from bayesbias.constants import (
    ATTRIBUTE,
    ATTRIBUTE_SET,
    CONNECTION,
    DISTANCE,
    GROUP,
    MISSING_COLUMNS,
    PROTECTED_WORD,
)
from bayesbias.fits.fit_result import Fit
from bayesbias.fits.predictive_figures import plot_observed, plot_predicted_density
from bayesbias.inference.diagnostics import ESS_LIMIT, PARETO_K_LIMIT, R_HAT_LIMIT
from bayesbias.inference.equations import index_sentence
from bayesbias.inference.model_files import load_model
from bayesbias.pairs.provenance import missing_of, source_of
from bayesbias.report.answer import NEAR
from bayesbias.report.mathematics import equations_of
from bayesbias.report.parts import (
    Code,
    Column,
    Drawing,
    Equations,
    Facts,
    Items,
    Lists,
    Part,
    Section,
    Text,
    shown,
)
from bayesbias.report.svg import inline_svg
from bayesbias.report.tabling import table
from bayesbias.studies.across_models import ModelComparison, compare_models

_LIMITS: Final = {
    "divergences": "should be 0",
    "max_r_hat": f"should be at most {R_HAT_LIMIT}",
    "min_ess_bulk": f"should be at least {ESS_LIMIT:.0f}",
    "min_ess_tail": f"should be at least {ESS_LIMIT:.0f}",
    "max_pareto_k": f"should be at most {PARETO_K_LIMIT}",
    "min_importance_ess": f"should be at least {ESS_LIMIT:.0f}",
}
_NAMES: Final = {
    "divergences": "divergent draws",
    "max_r_hat": "largest R-hat",
    "min_ess_bulk": "least effective draws, bulk",
    "min_ess_tail": "least effective draws, tails",
    "max_pareto_k": "largest Pareto k of the importance weights",
    "min_importance_ess": "least effective number of proposals",
    "n_draws": "draws kept",
    "n_chains": "chains",
}
_SEAL: Final = "(SHA-256)"
_RIVALS: Final = {DISTANCE: ("crossed", "paper"), "change": ("change-crossed", "change")}


def data_section(pairs: pd.DataFrame, *extra: Part) -> Section:
    """Say which words and pairs there are, and what is missing."""
    n_words, n_attributes = pairs[PROTECTED_WORD].nunique(), pairs[ATTRIBUTE].nunique()
    parts: list[Part] = [
        Text(f"{len(pairs):,} pairs of {n_words} protected words and {n_attributes} attribute "
             f"words."),
        Facts(tuple(f for f in source_facts(source_of(pairs)) if _SEAL not in f[0])),
    ]  # fmt: skip
    rows, words = _lists(pairs)
    missing = missing_of(pairs)
    columns = [Column("list", "list"), Column("what", "what"), Column("used", "used", "count")]
    if missing is not None:
        columns += [Column("missing", "missing", "count"), Column("share", "coverage", "share")]
    parts += [table(pd.DataFrame(rows), "Word lists and their coverage", columns), Lists(words)]
    return Section("data", "Data", (*parts, *_missing(missing), *extra))


def source_facts(source: dict[str, Any], prefix: str = "") -> tuple[tuple[str, str], ...]:
    """Return where pairs came from, as terms and texts; nested records by their name."""
    facts: list[tuple[str, str]] = []
    for key, value in source.items():
        name = prefix + key.replace("_sha256", f" {_SEAL}").replace("_", " ")
        name = name.replace("wordlist", "word list").replace("duplicates", "repeated pairs")
        if isinstance(value, dict) and key in ("before", "after"):
            facts += source_facts(value, f"{key}: ")
        elif isinstance(value, dict):
            facts += [(name, ", ".join(f"{k} as {v}" for k, v in value.items()))] if value else []
        else:
            facts.append((name, str(value)))
    return tuple(facts)


def _lists(pairs: pd.DataFrame) -> tuple[list[dict[str, Any]], tuple[Any, ...]]:
    """Return a row per word list, and its words."""
    missing = pd.DataFrame(missing_of(pairs) or (), columns=list(MISSING_COLUMNS))
    rows, words = [], []
    for key, column, role in (
        (GROUP, PROTECTED_WORD, "protected"), (ATTRIBUTE_SET, ATTRIBUTE, "attribute"),
    ):  # fmt: skip
        for name, part in pairs.groupby(key, sort=False):
            used = tuple(dict.fromkeys(map(str, part[column])))
            connections = " or ".join(dict.fromkeys(part[CONNECTION]))
            what = "protected words" if role == "protected" else f"attributes, {connections}"
            absent = int(((missing["list"] == name) & (missing["role"] == role)).sum())
            rows.append({"list": str(name), "what": what, "used": len(used), "missing": absent,
                         "share": len(used) / (len(used) + absent)})  # fmt: skip
            words.append((str(name), what, used))
    return rows, tuple(words)


def _missing(missing: list[dict[str, Any]] | None) -> tuple[Part, ...]:
    if missing is None:
        return (Text("Missing words were not recorded: the pairs came without that list."),)
    if not missing:
        return (Text("No word of the lists is missing."),)
    frame = pd.DataFrame(missing, columns=list(MISSING_COLUMNS))
    rows = [
        {"list": name, "role": role, "reason": reason, "n": len(words), "words": ", ".join(words)}
        for (name, role, reason), words in frame.groupby(["list", "role", "reason"], sort=False)[
            "word"
        ]
    ]
    columns = [Column("list", "list"), Column("role", "role"), Column("reason", "reason"),
               Column("n", "words", "count"), Column("words", "which", "long")]  # fmt: skip
    return (table(pd.DataFrame(rows), f"Missing words ({len(frame)})", columns),)


def predictive_section(fit: Fit, coverage: pd.DataFrame, *, prob: float, interval: str) -> Section:
    """Show how the model's predictions compare with the pairs."""
    what = "cosine distance" if fit.spec.response == DISTANCE else "change of cosine distance"
    predicted = fit.predictions(prob=prob, interval=interval)
    draws = fit.idata["posterior_predictive"][fit.spec.response].to_numpy()
    draws = draws.reshape(-1, draws.shape[-1])
    observed = predicted["observed"]
    told = "; ".join(
        f"{r.connection} {shown(float(r.inside), 'share')}" for r in coverage.itertuples()
        if r.prob == prob
    )  # fmt: skip
    scatter = inline_svg(lambda: plot_observed(predicted, what=what), "observed")
    density = inline_svg(
        lambda: plot_predicted_density(observed.to_numpy(), draws, what=what), "density"
    )
    columns = [
        Column(CONNECTION, "connection"), Column("n_pairs", "pairs", "count"),
        Column("prob", "interval", "share"), Column("inside", "inside", "share"),
    ]  # fmt: skip
    return Section(
        "predictive",
        "Predictive checks",
        (
            Text(f"If the model fits, each predictive interval holds about its share of the pairs "
                 f"that it was fitted to. Shares more than {100 * NEAR:g} points away "
                 f"are off target."),
            table(coverage, "Share of pairs inside their predictive interval", columns),
            Drawing(f"Observed {what} against the predicted mean",
                    f"Observed {what} against the predicted mean of every pair. Share of pairs "
                    f"inside the {100 * prob:g}% predictive interval: {told}.", scatter),
            Drawing("Density of the observed and of predicted values",
                    f"Density of observed values ({_moments(observed.to_numpy())}) and of "
                    f"predicted ones ({_moments(draws)}).", density),
        ),
    )  # fmt: skip


def _moments(values: NDArray[np.floating]) -> str:
    mean, sd = shown(float(values.mean()), "distance"), shown(float(values.std()), "distance")
    return f"mean {mean}, sd {sd}"


def diagnostics_section(fit: Fit) -> Section:
    """Say whether the draws can be trusted, with the limits."""
    found = {k: v for k, v in fit.diagnostics.to_dict().items() if k != "sentence"}
    if found.get("max_pareto_k", 0.0) is None:  # a grid has neither weights nor a worst block
        found = {"n_draws": found["n_draws"]}
    worst = "where R-hat is largest" if "max_r_hat" in found else "where Pareto k is largest"
    names = {**_NAMES, "worst": worst}
    rows = tuple((names.get(k, k), _checked(k, v)) for k, v in found.items() if v not in (None, ""))
    return Section("diagnostics", "Diagnostics", (Text(fit.diagnostics.sentence), Facts(rows)))


def _checked(name: str, value: Any) -> str:
    if not isinstance(value, int | float):
        return str(value)
    form = "count" if isinstance(value, int) or "ess" in name else "distance"
    limit = f" ({_LIMITS[name]})" if name in _LIMITS else ""
    return shown(value, form) + limit


def compared(fit: Fit) -> ModelComparison | None:
    """Compare the fitted model with the two standard ones; None where that would need NUTS."""
    if not fit.spec.is_gaussian:
        return None
    rivals = [load_model(name) for name in _RIVALS[fit.spec.response]]
    rivals = [r for r in rivals if r.id != fit.spec.id and r.name != fit.spec.name]
    return compare_models(fit.pairs, [fit.spec, *rivals], seed=fit.seed, progress=False)


def comparison_section(fit: Fit, found: ModelComparison | None, *, asked: bool = True) -> Section:
    """Say which model explains the pairs best, by leave-one-out; `found` is from `compared`."""
    title = "Model comparison"
    if not asked:
        return Section("models", title, (Text("Left out on demand."),))
    if found is None:
        said = f"Left out: comparing {fit.spec.name!r} with other models would need NUTS for each."
        return Section("models", title, (Text(said),))
    best = str(found.table["model"].iloc[0])
    rest = [
        f"{r.model!r} by {shown(-r.elpd_diff, 'number')} (s.e. {shown(r.diff_se, 'number')})"
        for r in found.table.iloc[1:].itertuples()
    ]
    columns = [
        Column("model", "model"), Column("elpd_loo", "elpd", "number"),
        Column("se", "s.e.", "number"), Column("elpd_diff", "difference", "number"),
        Column("diff_se", "its s.e.", "number"), Column("p_loo", "effective parameters", "number"),
        Column("n_bad_k", "Pareto k > 0.7", "count"),
        Column("log_bayes_factor", "log Bayes factor", "number"),
    ]  # fmt: skip
    caption = "Expected log-density of a pair left out (elpd), summed; higher is better"
    verdict = "This report is of that model." if best == fit.spec.name else (
        f"This report is of {fit.spec.name!r}: where they differ, read its intervals with care."
    )  # fmt: skip
    parts: list[Part] = [
        Text(f"Leaving out one pair at a time, {best!r} predicts best, ahead of "
             f"{' and '.join(rest)}. {verdict}"),
        table(found.table, caption, columns),
    ]  # fmt: skip
    bad = int(found.table["n_bad_k"].max())
    if bad:
        said = (
            f"For {bad} pairs the Pareto k is above {PARETO_K_LIMIT}, and their share of the sum "
        )
        parts.append(Text(f"{said}is not to be trusted."))
    return Section("models", title, tuple(parts))


def method_section(fit: Fit, rule: str, interval: str) -> Section:
    """Write the model and its priors as mathematics, and the rule of the verdicts."""
    spec = fit.spec
    kind = {
        "hpdi": "Intervals are highest posterior density intervals (HPDI): the narrowest that hold "
        "their share of the posterior.",
        "eti": "Intervals are equal-tailed: as much of the posterior lies below as above.",
    }[interval]
    parts: list[Part] = [
        Text(f"Model {spec.name!r}: {spec.title.rstrip('.')}."),
        Equations(equations_of(spec)),
        Text(f"{index_sentence(spec.mathematics)} Normal and StudentT are given by mean and "
             "standard deviation (scale), Exponential by its rate, HalfNormal by its standard "
             "deviation, Gamma by shape and rate."),
        Text(" ".join(spec.notes.split())),
        Text("Cosine distance is 1 − cosine similarity: 0 for the same direction, 1 for unrelated, "
             "2 for opposite. An association shows as associated words closer than different ones; "
             "that both are closer than neutral words says only that words about people are near "
             "words about people, which is what the controls are for."),
        Text(f"{kind} {rule}".strip()),
    ]  # fmt: skip
    return Section("method", "Method and priors", tuple(p for p in parts if p != Text("")))


def citation_section(fit: Fit, *, measures: bool) -> Section:
    """Say what to cite."""
    version = fit.versions.get("bayesbias", __version__)
    items = [
        f"The software: The bayesbias developers ({fit.created[:4]}), bayesbias {version}.",
        f"The method: {load_model('paper').source}.",
        "The intervals: Chen and Shao (1999), Monte Carlo estimation of Bayesian credible and HPD "
        "intervals, Journal of Computational and Graphical Statistics 8.",
        "The rule of the verdicts: Kruschke (2018), Rejecting or accepting parameter values in "
        "Bayesian estimation, Advances in Methods and Practices in Psychological Science 1.",
        "The comparison of models: Vehtari, Gelman and Gabry (2017), Practical Bayesian model "
        "evaluation using leave-one-out cross-validation and WAIC, Statistics and Computing 27.",
    ]
    if fit.spec.source and fit.spec.source != load_model("paper").source:
        items.insert(2, f"The model: {fit.spec.source}.")
    if measures:
        items += [
            "WEAT: Caliskan, Bryson and Narayanan (2017), Semantics derived automatically from "
            "language corpora contain human-like biases, Science 356.",
            "MAC: Manzini, Lim, Tsvetkov and Black (2019), Black is to criminal as Caucasian is to "
            "police: detecting and removing multiclass bias in word embeddings, NAACL.",
        ]
    return Section("cite", "How to cite", (Items(tuple(items)),))


def reproduction_section(fit: Fit, command: str) -> Section:
    """Give the exact command, the seed, the versions and the checksums."""
    again = Code("The command that made it", command) if command else Text(
        "No command was recorded: the fit was made from Python."
    )  # fmt: skip
    record = fit.record
    settings = [(k.replace("_", " "), str(v)) for k, v in fit.settings.items() if v is not None]
    facts = [
        ("fit", fit.id), ("made (UTC)", fit.created), ("model", f"{fit.spec.name} ({fit.spec.id})"),
        ("seed", str(fit.seed)), ("pairs (SHA-256)", record["pairs_sha256"]),
        ("posterior (SHA-256)", record["posterior_sha256"]),
        *(f for f in source_facts(record["source"]) if _SEAL in f[0]), *settings,
    ]  # fmt: skip
    known = [(name, str(version)) for name, version in fit.versions.items()]
    if fit.versions.get("bayesbias") != __version__:
        known.append(("bayesbias of this report", __version__))
    load = 'import bayesbias as bb\n\nfit = bb.load_fit("fit.nc")\nfit.group_summary()'
    return Section(
        "reproduce",
        "How to get it again",
        (again, Facts(tuple(facts)), Text("Versions:"), Facts(tuple(known)),
         Code("To go on from the saved posterior, in Python", load)),
    )  # fmt: skip
