"""Every model is asked every question: model × question × writer × command, on small frames.

A case is a shipped model and a frame. Every question either answers or refuses, and which refuse is
written down here: an answer that breaks, or one that goes, is found.
"""

import json

import numpy as np
import pandas as pd
import pytest
from samples import SELDOM, in_copies, make_frame, quick_embeddings

import bayesbias as bb
from bayesbias.cli import main
from bayesbias.constants import REPEATING, STEREOTYPE_CONNECTIONS
from bayesbias.errors import FitError
from bayesbias.fits.between_groups import LIST
from bayesbias.fits.quantities import LEVELS, MEAN_LEVELS
from bayesbias.inference.model_files import list_models, load_model
from bayesbias.report.folder_reading import load_results
from bayesbias.report.folder_writing import write_change, write_results

pytestmark = pytest.mark.filterwarnings("ignore::bayesbias.errors.BayesBiasWarning")

FEW = {"draws": 200, "chains": 2, "seed": 1}
CHAINS = {"draws": 40, "tune": 20, "chains": 2, "seed": 1}


def plain():
    """Four words in two groups; what is associated with one group is different for the other."""
    sizes = {"associated": 3, "different": 3, "human": 4, "neutral": 8}
    frame = make_frame(n_words=4, n_attributes=sizes)
    is_stereotype = frame["connection"].isin(STEREOTYPE_CONNECTIONS)
    group = frame["group"].str[-1].astype(int)
    own = group.where(frame["connection"] == "associated", 1 - group).astype(str)
    number = frame["attribute"].str[-1]
    frame["attribute"] = frame["attribute"].where(~is_stereotype, "s" + own + "." + number)
    frame["attribute_set"] = frame["attribute_set"].where(~is_stereotype, "set" + own)
    return frame


def with_reference():
    """The same, and three reference words."""
    frame = plain()
    listed = frame[frame["connection"].isin(STEREOTYPE_CONNECTIONS)]
    pairs = listed[["attribute", "attribute_set"]].drop_duplicates()
    rng = np.random.default_rng(4)
    rows = pairs.merge(
        pd.Series(["person", "people", "human being"], name="protected_word"), "cross"
    )
    distance = rng.normal(0.9, 0.05, len(rows))
    rows = rows.assign(group="reference", connection="reference", cosine_distance=distance)
    return pd.concat([frame, rows], ignore_index=True)


FRAMES = {
    "plain": plain,
    "one group": lambda: plain().query("group == 'group0'"),
    "one word a group": lambda: plain().query("protected_word in ['word0', 'word1']"),
    "no controls": lambda: plain().query("connection in ['associated', 'different']"),
    "reference words": with_reference,
}
DISTANCES = [m for m in list_models() if load_model(m).response == "cosine_distance"]
OF_FILES = [m for m in DISTANCES if m != "embeddings"]  # a file has one embedding
CHANGES = [m for m in list_models() if m not in DISTANCES]
ONCE = ("paper", "crossed", "no-pooling", "complete-pooling", "change-maximal")
QUICK = dict.fromkeys(ONCE, ("plain",)) | {"maximal": ("one group", "reference words")}
HARDEST = ("reference words", "one word a group")


def _marks(model, frame):
    if model in QUICK and frame in QUICK[model]:
        return []
    return [pytest.mark.slow] if frame in HARDEST else [pytest.mark.slow, SELDOM]


CASES = [
    pytest.param(model, frame, id=f"{model}, {frame}", marks=_marks(model, frame))
    for model in DISTANCES
    for frame in FRAMES
]


def frame_of(model, name):
    """A frame of a kind, with the copies of its pairs that the model needs."""
    return in_copies(FRAMES[name](), list(load_model(model).repeating), copies=2)


def fit_of(model, frame):
    gaussian = load_model(model).is_gaussian
    return bb.fit(frame, model, **({**FEW, "engine": "collapsed"} if gaussian else CHAINS))


def refused(model, name):
    """Questions that a model cannot answer of a frame."""
    spec = load_model(model)
    columns = [set(term.columns if hasattr(term, "columns") else term.by) for term in spec.terms]
    found = {f"summary {c}" for c in REPEATING} - {f"summary {c}" for c in spec.repeating}
    found |= set() if spec.slopes else {"summary slope"}
    if {"attribute"} not in columns:
        found.add("summary attribute")
    if not spec.is_gaussian or name == "one group":
        found.add("facts")
    if name == "one group":
        found |= {"summary list", "contrasts list"}
    if not spec.is_gaussian:
        found |= {"placebo neutral", "placebo redeal"}
    elif name == "no controls":
        found.add("placebo neutral")
    return found


def numbers_of(fit):
    """A number of every attribute."""
    words = fit.frame["attribute"].unique()
    return pd.DataFrame({"word": words, "number": np.arange(len(words)) % 7})


QUESTIONS = {
    **{f"summary {by}": lambda fit, by=by: fit.summary(by) for by in LEVELS},
    **{f"contrasts {by}": lambda fit, by=by: fit.contrasts(by) for by in (LIST, *MEAN_LEVELS)},
    **{
        f"placebo {kind}": lambda fit, kind=kind: fit.placebo(1, kind=kind, seed=1)
        for kind in ("neutral", "redeal")
    },
    "facts": lambda fit: bb.facts(fit, numbers_of(fit), "number", seed=1),
    "criticism": lambda fit: fit.criticism(),
    "check": lambda fit: fit.check(),
    "fit": lambda fit: fit,
}


@pytest.mark.parametrize(("model", "name"), CASES)
def test_every_question_is_answered_or_refused(model, name, tmp_path):
    fit = fit_of(model, frame_of(model, name))
    answers, refusals = {}, set()
    for question, ask in QUESTIONS.items():
        try:
            answers[question] = ask(fit)
        except FitError:
            refusals.add(question)
    assert refusals == refused(model, name)
    for question, answer in answers.items():
        assert len(answer.to_frame()), question
        assert str(answer), question
        json.dumps(answer.to_dict(), allow_nan=False)
    assert fit.report().count(fit.finding()) == 1
    means, contrasts = answers["summary connection"].table, answers["contrasts connection"].table
    apart = means.set_index("connection")["mean"]
    first = contrasts.iloc[0]
    if "contrasts list" in answers and fit.design.has_groups:  # what over all is the mean of
        by_list = answers["contrasts list"].table.query("contrast == 'between groups'")["mean"]
        assert by_list.mean() == pytest.approx(first["mean"], abs=1e-9)
    if name != "one group":  # groups of equal size: the mean over groups is that over words
        assert first["mean"] == pytest.approx(apart["associated"] - apart["different"], abs=1e-9)
    fit.save(tmp_path / "fit.nc")
    again = bb.load_fit(tmp_path / "fit.nc")
    pd.testing.assert_frame_equal(again.contrasts().table, contrasts)
    if "contrasts list" in answers:
        lists = answers["contrasts list"].table
        pd.testing.assert_frame_equal(again.contrasts(LIST).table, lists)
    assert again.id == fit.id


def most_slow(models, *kept):
    """All models, of which the default run has a few: a page takes seconds."""
    return [m if m in kept else pytest.param(m, marks=[pytest.mark.slow]) for m in models]


@pytest.mark.usefixtures("undrawn")
@pytest.mark.parametrize("model", most_slow(OF_FILES, "runs", "paper"))
def test_every_fit_is_written_read_and_reported(model, tmp_path):
    fit = fit_of(model, frame_of(model, "plain"))
    write_results(fit, tmp_path / "out", figures="png")
    read, _ = load_results(tmp_path / "out")
    assert read.id == fit.id
    bb.write_report(read, tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert fit.id in page


@pytest.mark.usefixtures("undrawn")
@pytest.mark.parametrize("model", most_slow(CHANGES, "change-maximal"))
def test_every_change_is_written_read_and_reported(model, tmp_path):
    before = frame_of(model, "plain")
    moved = np.random.default_rng(2).normal(0.05, 0.02, len(before))
    after = before.assign(cosine_distance=before["cosine_distance"] + moved)
    change = bb.compare_change(before, after, model=model, engine="collapsed", **FEW)
    for table in (change.table, change.words, change.contrasts, change.word_contrasts):
        assert np.isfinite(table["mean"]).all()
    json.dumps(change.to_dict(), allow_nan=False)
    write_change(change, tmp_path / "out", figures="png")
    read, _ = load_results(tmp_path / "out")
    pd.testing.assert_frame_equal(read.table, change.table)
    pd.testing.assert_frame_equal(read.left_by_list, change.left_by_list)
    assert set(change.list_contrasts["attribute_set"]) == {"set0", "set1"}
    bb.write_report(read, tmp_path / "report.html")
    assert (tmp_path / "report.html").exists()


@pytest.mark.parametrize("model", most_slow(OF_FILES, "paper"))
def test_the_command_fits_every_model(model, tmp_path, capsys):
    frame = frame_of(model, "plain")
    bb.write_distances(frame, tmp_path / "d.csv")
    options = [] if load_model(model).is_gaussian else ["--draws", "40", "--tune", "20"]
    command = ["analyze", "--distances", str(tmp_path / "d.csv"), "--model", model, "--json"]
    assert main([*command, "--seed", "1", *options]) == 0
    content = json.loads(capsys.readouterr().out)
    assert content["model"] == model
    assert len(content["contrasts"]["connection"]["table"]) == 4


@pytest.mark.sampling
@pytest.mark.slow
def test_chains_are_checked_wherever_they_answer(tmp_path):
    """Draws of NUTS are chains, in a summary, a change and several embeddings."""
    frame, other = plain(), plain()
    other["cosine_distance"] += np.random.default_rng(3).normal(0, 0.05, len(other))
    joint = bb.load_model(quick_embeddings(tmp_path))
    degrees = bb.load_model("student-t").degrees_of_freedom
    joint = joint.replace(likelihood="student_t", degrees_of_freedom=degrees)
    both = bb.compare_embeddings({"a": frame, "b": other}, model=joint, **CHAINS)
    changes = bb.load_model("change").replace(likelihood="student_t", degrees_of_freedom=degrees)
    change = bb.compare_change(frame, other, model=changes, **CHAINS)
    for table in (both.table, both.contrasts, both.differences, change.table):
        assert table["r_hat"].notna().all()
    assert "r_hat" not in bb.fit(frame, "paper", seed=1).summary().table
