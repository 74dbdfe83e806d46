"""Who speaks of protected words says the same with rows of reference words and without."""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from samples import quick_embeddings, read_table

import bayesbias as bb
from bayesbias.constants import CHANGE
from bayesbias.errors import FitError, ModelError
from bayesbias.fits.fitting import _prepared
from bayesbias.inference.design import Design
from bayesbias.measures import all_measures
from bayesbias.pairs.averages import mean_average_distance, shares_within
from bayesbias.pairs.coverage import coverage_of_lists
from bayesbias.pairs.reference import reference_rows, without_reference
from bayesbias.pairs.word_lists import AttributeSet, ProtectedGroup, WordList
from bayesbias.report.folder_reading import load_results
from bayesbias.report.folder_writing import write_change, write_results
from bayesbias.simulate import planted_embedding

pytestmark = pytest.mark.filterwarnings("ignore::bayesbias.errors.BayesBiasWarning")

REFERENCE = ("person", "people", "someone", "adult")
WL = WordList(
    name="small",
    title="Small",
    source="",
    groups=(
        ProtectedGroup("man", ("he", "his", "boy", "uncle"), ("tools",)),
        ProtectedGroup("woman", ("she", "hers", "girl", "aunt"), ("home",)),
    ),
    attribute_sets=(
        AttributeSet("tools", "stereotype", ("saw", "nail", "drill", "screw")),
        AttributeSet("home", "stereotype", ("oven", "sink", "sofa", "vase")),
        AttributeSet("human", "human", ("walk", "eat", "sleep", "talk")),
        AttributeSet("neutral", "neutral", tuple(f"n{i}" for i in range(10))),
    ),
    reference=REFERENCE,
)


def vectors(seed=1):
    return planted_embedding(WL, similarity=0.2, dim=40, seed=seed).vectors


@pytest.fixture(scope="module")
def frame():
    return bb.distances(vectors(), WL)


@pytest.fixture(scope="module")
def alone():
    return bb.distances(vectors(), WL.with_reference(()))


def drawn(figure):
    """Return what a figure shows: its texts, and the numbers of its lines."""
    found = []
    for axes in figure.axes:
        found += [text.get_text() for text in axes.texts]
        found += [axes.get_title(loc=where) for where in ("left", "center")]
        found += [axes.get_xlim(), axes.get_ylim()]
        found += [line.get_xydata().tolist() for line in axes.lines]
    return found


_FITTED = {}


def fitted(frame, model="crossed"):
    """Fit a frame, each once; the frame is kept, so that no other gets its number."""
    key = (id(frame), model)
    if key not in _FITTED:
        _FITTED[key] = (frame, bb.fit(frame, model, seed=1))
    return _FITTED[key][1]


def without_controls(frame):
    return frame[~frame["connection"].isin(["human", "neutral"])]


def answers(fit):
    """Return what a fit says but for the contrasts against reference words."""
    single = [fit.summary(by).table for by in ("connection", "group", "word", "attribute", "term")]
    several = [fit.contrasts(by).table for by in ("connection", "word")]
    return [fit.id, str(fit), fit.caution, fit.frame, len(fit.design.response), *single, *several]


CONSUMERS = {
    "mac": mean_average_distance,
    "shares": lambda f: shares_within(f, 0.9),
    "vocabulary": coverage_of_lists,
    "checksum of what is fitted": lambda f: fitted(f, "paper").record["pairs_sha256"],
    "missing words": bb.missing_words,
    "plot_distances": lambda f: drawn(bb.pairs.plot_distances(f, ["he", "she"])),
    "plot_empirical": lambda f: drawn(bb.pairs.plot_empirical(f)),
    "measures": lambda f: [str(r) for r in all_measures(f, seed=1)],
    "simplify": lambda f: bb.models.drop_unidentified_terms(bb.load_model("crossed"), f),
    "design": lambda f: Design.from_frame(f, bb.load_model("crossed")).response,
    "answers": lambda f: answers(fitted(f)),
    "predictions": lambda f: fitted(f).predictions(),
    "coverage": lambda f: fitted(f).coverage().table,
    "criticism": lambda f: fitted(f).criticism().table,
    "placebo": lambda f: fitted(f).placebo(1, progress=False).lists,
    "redeal": lambda f: fitted(f).placebo(1, kind="redeal", progress=False).lists,
    "resampling": lambda f: fitted(f, "crossed").resampled_words(2, progress=False).lists,
    "sensitivity": lambda f: str(
        bb.fit(without_controls(f), "paper", seed=1).sensitivity(progress=False)
    ),
    "planning": lambda f: (
        bb.plan_wordlist(
            fitted(f, "paper"), n_words=[6], n_attributes=[6], simulations=2, seed=1
        ).table
    ),
    "models": lambda f: str(bb.compare_models(f, ["paper", "crossed"], seed=1)),
    "word lists": lambda f: (
        bb.compare_wordlists(
            {"all": f, "fewer": f[f["attribute"] != "saw"]}, model="crossed", seed=1
        ).table
    ),
}


@pytest.mark.parametrize("name", CONSUMERS)
def test_it_says_the_same(frame, alone, name):
    consumer = CONSUMERS[name]
    given, alone = consumer(frame), consumer(alone)
    if not isinstance(given, list | tuple):
        given, alone = [given], [alone]
    assert len(given) == len(alone)
    for one, other in zip(given, alone, strict=True):
        np.testing.assert_equal(
            *(x.to_dict() if isinstance(x, pd.DataFrame) else x for x in (one, other))
        )


def test_reference_words_are_no_protected_words_of_a_figure_or_a_measure(frame):
    with pytest.raises(bb.BayesBiasError, match="no protected word 'person'"):
        bb.pairs.plot_distances(frame, ["person"])
    with pytest.raises(bb.BayesBiasError, match="none of its words is in the frame"):
        bb.measures.wefat(frame, ["person"], ["saw", "nail"], ["oven", "sink"])


def test_they_are_no_protected_words_where_a_model_explains_them(frame):
    fit = fitted(frame, "maximal")
    assert fit.excluded_rows.empty
    for by in ("group", "word"):
        assert "reference" not in set(fit.summary(by).table["group"])
    assert "reference" not in set(fit.summary().table["connection"])
    assert "4 reference words of no group" in str(fit.contrasts("group"))


def test_embeddings_compared_say_the_same(tmp_path):
    model = quick_embeddings(tmp_path)
    frames = {name: bb.distances(vectors(seed), WL) for name, seed in (("a", 1), ("b", 2))}
    frames["b"] = frames["b"][frames["b"]["protected_word"] != "adult"]
    alone = {name: without_reference(frame) for name, frame in frames.items()}
    found = [str(bb.compare_embeddings(given, model=model, seed=1)) for given in (frames, alone)]
    assert found[0] == found[1]


def test_changes_say_the_same(frame, tmp_path):
    after = bb.distances(vectors(2), WL)
    change = bb.compare_change(frame, after, model="change", seed=1)
    alone = bb.compare_change(
        without_reference(frame), without_reference(after), model="change", seed=1
    )
    assert str(change) == str(alone)
    assert change.answers == alone.answers
    pd.testing.assert_frame_equal(change.pairs, alone.pairs)
    assert len(reference_rows(change.fit.input_frame)) == 4 * 8
    write_change(change, tmp_path / "with")
    write_change(alone, tmp_path / "alone")
    back, _ = load_results(tmp_path / "with")
    pd.testing.assert_frame_equal(back.pairs, change.pairs)
    assert str(back) == str(change)
    kept = read_table(tmp_path / "with" / "pairs.csv")
    np.testing.assert_array_equal(
        reference_rows(kept)[CHANGE], reference_rows(change.fit.input_frame)[CHANGE]
    )
    same_files(tmp_path / "with", tmp_path / "alone", but=("fit.nc", "pairs.csv", "manifest.json"))


def same_files(one: Path, other: Path, but: tuple[str, ...]) -> None:
    """Check that two folders have the same tables."""
    names = sorted(path.name for path in one.glob("*"))
    assert names == sorted(path.name for path in other.glob("*"))
    for name in names:
        if name not in but and (one / name).is_file():
            assert (one / name).read_bytes() == (other / name).read_bytes(), name


def test_a_result_folder_keeps_them_and_is_otherwise_the_same(frame, alone, tmp_path, undrawn):
    fit = fitted(frame)
    write_results(fit, tmp_path / "with")
    write_results(fitted(alone), tmp_path / "alone")
    but = ("fit.nc", "pairs.csv", "manifest.json", "contrasts_by_group.csv")
    same_files(tmp_path / "with", tmp_path / "alone", but=but)
    back = bb.read_distances(tmp_path / "with" / "pairs.csv")
    pd.testing.assert_frame_equal(back, frame)
    again = fitted(back)
    pd.testing.assert_frame_equal(again.contrasts("group").table, fit.contrasts("group").table)
    _, manifest = load_results(tmp_path / "with")
    assert manifest["reference_words"] == list(REFERENCE)
    assert load_results(tmp_path / "alone")[1]["reference_words"] == []


def test_a_saved_fit_keeps_them(frame, tmp_path):
    fit = fitted(frame)
    fit.save(tmp_path / "fit.nc")
    back = bb.load_fit(tmp_path / "fit.nc")
    assert back.id == fit.id
    pd.testing.assert_frame_equal(back.frame, without_reference(frame))
    pd.testing.assert_frame_equal(back.input_frame, frame)
    pd.testing.assert_frame_equal(fit.input_frame, frame)
    pd.testing.assert_frame_equal(back.contrasts("group").table, fit.contrasts("group").table)
    assert not hasattr(back.idata, "reference_data")
    assert "reference" not in back.record


def test_a_model_may_explain_them(frame):
    spec = bb.load_model("crossed").replace(name="mine", reference_words=True)
    kept, _, left_out, excluded_rows = _prepared(frame, spec)
    pd.testing.assert_frame_equal(kept, frame)
    assert left_out == ()
    assert excluded_rows.empty
    assert spec.id != bb.load_model("crossed").id
    assert bb.models.ModelSpec.from_json(spec.to_json()) == spec
    with pytest.raises(ModelError, match="reference_words = 'yes': must be true or false"):
        spec.replace(reference_words="yes")


def is_stereotype(frame):
    return frame["connection"].isin(["associated", "different"])


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda f: f[~f["protected_word"].isin(REFERENCE[:2])], "has 2 of them, .* at least 3"),
        (
            lambda f: f.assign(
                cosine_distance=f["cosine_distance"].where(f["group"] != "reference", 0.9)
            ),
            "their distances do not vary",
        ),
        (lambda f: f[~is_stereotype(f)], "the frame has no stereotype attributes"),
    ],
)
def test_what_a_model_cannot_use_is_left_out_and_said(frame, change, reason):
    spec = bb.load_model("crossed").replace(name="mine", reference_words=True, terms=())
    given = change(frame)
    fit = bb.fit(given, spec, seed=1)
    (sentence,) = fit.left_out
    assert sentence.startswith("Reference words are not used: ")
    assert pd.Series([sentence]).str.contains(reason).all()
    pd.testing.assert_frame_equal(fit.frame, without_reference(given).reset_index(drop=True))
    assert len(fit.excluded_rows) == len(reference_rows(given))
    plain = bb.fit(given, "paper", seed=1)
    assert not any("Reference" in sentence for sentence in plain.left_out)


def test_a_file_may_ask_for_them(tmp_path):
    path = tmp_path / "mine.toml"
    text = (
        'title = "t"\nreference_words = {}\n'
        '[connection_mean]\nprior = {{ distribution = "normal", mean = 1.0, sd = 0.3 }}\n'
        '[noise]\nprior = {{ distribution = "exponential", rate = 2.0 }}\n'
    )
    path.write_text(text.format("true"))
    assert bb.load_model(path).reference_words
    path.write_text(text.format("1"))
    with pytest.raises(ModelError, match="reference_words: must be true or false"):
        bb.load_model(path)
    for name in bb.list_models():
        spec = bb.load_model(name)
        assert ("reference_words" in spec.to_dict()) == spec.reference_words


@pytest.mark.parametrize("name", [int, str])
def test_a_column_may_be_of_protected_words_alone(frame, tmp_path, name):
    places = {word: name(i // 2) for i, word in enumerate(WL.protected_words)}
    prior = bb.models.Prior("exponential", rate=10.0)
    spec = bb.load_model("crossed").replace(
        name="mine", terms=(bb.models.TermSpec("place", ("place",), prior=prior),)
    )
    fits = [
        bb.fit(f.assign(place=f["protected_word"].map(places)), spec, seed=1)
        for f in (frame, without_reference(frame))
    ]
    pd.testing.assert_frame_equal(fits[0].frame, fits[1].frame)
    fits[0].save(tmp_path / "fit.nc")
    back = bb.load_fit(tmp_path / "fit.nc")
    assert back.id == fits[1].id
    assert back.design.terms[0].labels == fits[1].design.terms[0].labels == ("0", "1", "2", "3")


def test_reference_words_alone_are_not_a_frame(frame):
    with pytest.raises(bb.BayesBiasError, match="rows of reference words only"):
        fitted(reference_rows(frame))
    with pytest.raises(FitError, match="only the connections associated"):
        fitted(frame[frame["connection"].isin(["associated", "reference"])]).contrasts()
