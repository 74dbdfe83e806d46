"""Arguments of the wrong type: a `BayesBiasError` that names the argument, not a traceback."""

import pandas as pd
import pytest
from samples import FEW, make_frame

import bayesbias as bb
from bayesbias import classifiers
from bayesbias.classifiers import load_gap_model
from bayesbias.report import load_results

COLUMNS = {"true": "y", "predicted": "p", "group": "g"}


@pytest.fixture(scope="module")
def fit():
    return bb.fit(make_frame(n_attributes=FEW), "paper", engine="collapsed", draws=500, seed=1)


@pytest.mark.parametrize(
    "call",
    [
        bb.read_distances,
        bb.load_fit,
        bb.sweep.load_sweep,
        bb.check_rules,
        load_results,
        load_gap_model,
        lambda path: bb.sweep.run_sweep("sweep.toml", path),
        lambda path: bb.write_distances(make_frame(), path),
        lambda path: bb.vectors.convert_embedding({"he": [1.0]}, path),
        lambda path: bb.fit(make_frame(), "paper", seed=1).save(path),
        lambda path: bb.write_report(bb.fit(make_frame(), "paper", seed=1), path),
    ],
)
@pytest.mark.parametrize("path", [None, 3, ["a"]])
def test_what_is_no_path(call, path):
    with pytest.raises(bb.BayesBiasError, match=type(path).__name__):
        call(path)


@pytest.mark.parametrize(
    "call",
    [
        bb.fit,
        bb.missing_words,
        bb.pairs.reference_distances,
        bb.pairs.plot_empirical,
        lambda frame: bb.pairs.plot_distances(frame, ["he"]),
        lambda frame: bb.write_distances(frame, "d.csv"),
        lambda frame: bb.compare_change(frame, frame),
        lambda frame: classifiers.gaps(frame, **COLUMNS),
        lambda frame: classifiers.count_predictions(frame, **COLUMNS),
    ],
)
@pytest.mark.parametrize("frame", [None, {}, "d.csv"])
def test_what_is_no_frame(call, frame):
    with pytest.raises(bb.BayesBiasError, match=f"{type(frame).__name__}, not a pandas DataFrame"):
        call(frame)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *(("engine", None), ("engine", ["nuts"]), ("model", None), ("seed", "a"), ("draws", "1")),
        *(("draws", True), ("sampler", None), ("sampler", ["pymc"]), ("parametrisation", 3)),
        *(("target_accept", "a"), ("target_accept", None)),
    ],
)
def test_what_a_fit_cannot_take(name, value):
    with pytest.raises(bb.BayesBiasError, match=f"{name}=|is not a model"):
        bb.fit(make_frame(), **{name: value})


@pytest.mark.parametrize(
    "call",
    [
        bb.fit,
        lambda f, **o: bb.fit(f, "student-t", **o),
        lambda f, **o: bb.compare_models(f, ["paper", "crossed"], **o),
        lambda f, **o: bb.compare_embeddings({"one": f, "two": f}, **o),
        lambda f, **o: bb.compare_change(f, f.assign(cosine_distance=f.cosine_distance / 2), **o),
    ],
)
def test_an_unknown_argument_is_an_error(call):
    with pytest.raises(bb.BayesBiasError, match="sed=: no argument of fit; did you mean 'seed'"):
        call(make_frame(), sed=1)


@pytest.mark.parametrize("method", ["summary", "contrasts"])
def test_answers_take_no_unknown_argument(fit, method):
    """A reference that was removed is not passed over."""
    with pytest.raises(TypeError, match="reference"):
        getattr(fit, method)(reference=make_frame())


@pytest.mark.parametrize("method", ["summary", "contrasts"])
@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("prob", "a"),
        ("prob", None),
        ("interval", None),
        ("interval", 3),
        ("by", None),
        ("by", ["a"]),
    ],
)
def test_what_a_summary_cannot_take(fit, method, name, value):
    with pytest.raises(bb.BayesBiasError, match=f"{name}="):
        getattr(fit, method)(**{name: value})


@pytest.mark.parametrize("limit", ["1", 1.5, True, 0])
@pytest.mark.parametrize("words", ["he", 3, [1]])
def test_what_a_reader_cannot_take(limit, words):
    with pytest.raises(bb.BayesBiasError, match="limit must be"):
        bb.load_embedding({"he": [1.0]}, limit=limit)
    with pytest.raises(
        bb.BayesBiasError, match=r"words=.*: give a list of words, such as \['he'\]"
    ):
        bb.load_embedding({"he": [1.0]}, words=words)


def test_what_studies_cannot_take(fit):
    for models in ("paper", 3):
        with pytest.raises(bb.BayesBiasError, match=f"models={models!r}"):
            bb.compare_models(fit.frame, models)
    with pytest.raises(bb.BayesBiasError, match="at least two embeddings"):
        bb.compare_embeddings(None)
    with pytest.raises(bb.BayesBiasError, match="not a str"):
        bb.plan_wordlist("out/fit.nc")
    with pytest.raises(bb.BayesBiasError, match="reference: give a list"):
        bb.distances(bb.example_embedding(), "gender", reference=3)


RULE = {"rope": 0.5, "prob": 0.8, "interval": "eti"}


@pytest.mark.parametrize(
    "ask",
    [
        lambda fit, **o: fit.contrasts("group", **o).table,
        lambda fit, **o: fit.check(**o).table,
        lambda fit, **o: fit.finding(**o),
        lambda fit, **o: fit.report(**o),
        lambda fit, **o: fit.to_dict(**o),
        lambda fit, **o: fit.rule(**o),
        lambda fit, **o: fit.resampled_words(2, progress=False, **o).table,
        lambda fit, **o: (
            bb.compare_change(fit.frame, moved(fit), model="change", seed=1, **o).contrasts
        ),
        lambda fit, **o: (
            bb.compare_wordlists(
                {"a": fit.frame, "b": moved(fit)}, model="paper", seed=1, **o
            ).lists
        ),
    ],
)
def test_a_rule_says_at_once_what_its_parts_say(fit, ask):
    told, at_once, other = (
        str(found.to_dict()) if isinstance(found, pd.DataFrame) else str(found)
        for found in (ask(fit, **RULE), ask(fit, rule=bb.DecisionRule(**RULE)), ask(fit))
    )
    assert told == at_once != other


@pytest.mark.parametrize("ask", ["summary", "predictions"])
def test_a_rule_says_the_interval_of_a_mean(fit, ask):
    told = getattr(fit, ask)(prob=0.8, interval="eti")
    assert str(told) == str(getattr(fit, ask)(rule=bb.DecisionRule(**RULE)))


def moved(fit):
    return fit.frame.assign(cosine_distance=fit.frame["cosine_distance"] * 0.9 + 0.02)


def test_a_rule_of_other_vectors_gets_the_scale_of_these(fit):
    elsewhere = bb.DecisionRule(prob=0.5).on_scale(99.0)
    assert fit.rule(rule=elsewhere) == fit.rule(prob=0.5)


def test_a_rule_and_its_parts_are_not_given_together(fit):
    with pytest.raises(bb.BayesBiasError, match="give rule=, or rope=, prob= and interval="):
        fit.contrasts(rule=bb.DecisionRule(), prob=0.5)
    with pytest.raises(bb.BayesBiasError, match=r"rule=0.9: give a bayesbias.DecisionRule"):
        fit.summary(rule=0.9)


@pytest.mark.parametrize("name", ["rope", "prob", "interval", "rule"])
def test_what_answers_depend_on_is_no_argument_of_a_fit(name):
    with pytest.raises(bb.BayesBiasError, match=rf"such as fit\.contrasts\({name}=\.\.\.\)"):
        bb.fit(make_frame(), **{name: 0.1})


def test_a_missing_distance_is_told_of_with_what_to_do():
    frame = make_frame()
    frame.loc[3, "cosine_distance"] = float("nan")
    advice = r"row 4 .*: cosine_distance is missing; drop such rows, by frame\.dropna\(subset="
    with pytest.raises(bb.BayesBiasError, match=advice):
        bb.fit(frame)
