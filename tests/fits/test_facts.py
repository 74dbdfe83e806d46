"""Associations of words against numbers of them: by hand, in made worlds, on real vectors."""

import functools
import json
import warnings

import numpy as np
import pandas as pd
import pytest
from alike import dense_covariance, list_frame, with_profiles
from matplotlib.figure import Figure
from samples import in_copies, make_frame

import bayesbias as bb
from bayesbias.errors import ArgumentError, FitError
from bayesbias.fits.unpooled import unshrunken_associations
from bayesbias.inference.predictive import thinned

GROUPS = ("group1", "group0")


def facts_of(frame, by="attribute", seed=3):
    """A number for every stereotype attribute, or protected word."""
    column = {"attribute": "attribute", "word": "protected_word"}[by]
    words = frame.loc[frame.connection.isin(["associated", "different"]), column].unique()
    share = np.random.default_rng(seed).uniform(0.1, 0.9, len(words))
    return pd.DataFrame({"word": words, "share": share, "error": 0.05})


def planted(slope=0.3, noise=0.02, *, n_words=(6, 6), sizes=(8, 8)):
    """A frame in which attributes with a larger share are closer to group1."""
    frame = list_frame(n_words=n_words, sizes=sizes, n_reference=3)
    table = facts_of(frame)
    share = frame["attribute"].map(table.set_index("word")["share"]).fillna(0.5)
    rng = np.random.default_rng(1)
    frame["cosine_distance"] = 0.9 + noise * rng.standard_normal(len(frame))
    frame["cosine_distance"] -= slope * (share - 0.5) * (frame["group"] == "group1")
    return frame, table


@pytest.fixture(scope="module")
def fit():
    return bb.fit(planted()[0], "crossed", seed=1)


@pytest.fixture(scope="module")
def found(fit):
    return bb.facts(fit, planted()[1], "share", groups=GROUPS, seed=1)


def test_a_planted_line_is_found(found):
    row = found.table.iloc[0]
    assert (row["verdict"], row["n_words"]) == ("rises", 16)
    assert row["slope_low"] < 0.3 < row["slope_high"]
    assert row["slope"] == pytest.approx(0.3, abs=0.03)
    assert row["mean"] == pytest.approx(row["slope"] * found.words["fact"].std(), rel=0.15)
    assert row["correlation"] > row["raw_correlation"] > 0.9
    assert found.sides == GROUPS
    assert found.headline == (
        'Words with a larger "share" tend to be closer to words of "group1", relative '
        f'to words of "group0", by {row["mean"]:.2f} per standard deviation of "share".'
    )
    assert repr(found).startswith(found.headline)
    json.dumps(found.to_dict(), allow_nan=False)


def test_sides_may_be_swapped(fit, found):
    table = planted()[1]
    other = bb.facts(fit, table, "share", groups=GROUPS[::-1], seed=1)
    np.testing.assert_allclose(other.words["association"], -found.words["association"], atol=1e-6)
    assert other.table["verdict"].item() == "falls"
    assert bb.facts(fit, table, "share", seed=1).sides == GROUPS[::-1]
    assert 'tend to be closer to words of "group1", relative to words of "group0"' in other.sentence


MODELS = {
    "maximal": (lambda: list_frame(n_reference=3), "maximal"),
    "alike": (lambda: with_profiles(list_frame(n_reference=3)), "maximal"),
    "crossed": (list_frame, "crossed"),
    "paper": (list_frame, "paper"),
    "no pooling": (list_frame, "no-pooling"),
    "runs": (lambda: in_copies(list_frame(), ["run"]), "runs"),
    "equal frequency": (
        lambda: list_frame().assign(word_rarity=WORD_RARITY, attribute_rarity=ATTRIBUTE_RARITY),
        "maximal",
    ),
}
_LAID = list_frame()
WORD_RARITY = _LAID["protected_word"].str[-1].astype(float)
ATTRIBUTE_RARITY = _LAID["attribute"].map(len) + 0.1 * _LAID["attribute"].map(lambda w: ord(w[-1]))


@pytest.mark.parametrize(
    "name", [pytest.param(n, marks=pytest.mark.slow) if n == "runs" else n for n in MODELS]
)
def test_associations_are_not_pooled_whatever_the_model(name):
    """Where every word meets every attribute they are the plain differences."""
    make, model = MODELS[name]
    fit = bb.fit(make(), model, seed=1, frequency=name == "equal frequency", draws=250)
    for by, column, key in (
        ("attribute", "attribute", "group"),
        ("word", "protected_word", "connection"),
    ):
        leans = unshrunken_associations(fit, by)
        if name != "equal frequency":  # there at equal rarity, which is not the same number
            np.testing.assert_allclose(leans.mean, leans.listed, atol=1e-5)
        assert np.linalg.eigvalsh(leans.covariance).min() > 0
        rows = fit.frame[fit.frame[column] == leans.words[0]]
        means = rows.groupby(key)["cosine_distance"].mean()
        assert leans.listed[0] == pytest.approx(means[leans.sides[1]] - means[leans.sides[0]])


@pytest.mark.parametrize("name", ["maximal", "alike"])
def test_errors_are_those_of_dense_algebra(name):
    """The covariance of differences of means under what the model leaves besides the leans."""
    make, model = MODELS[name]
    fit = bb.fit(make(), model, seed=1)
    leans = unshrunken_associations(fit, among=["s00"])
    frame = fit.frame
    two = frame[frame.connection.isin(["associated", "different"])].reset_index(drop=True)
    two.attrs = dict(frame.attrs)
    errors = fit.spec.without([t.name for t in fit.spec.terms if "protected_word" not in t.by])
    sizes = two.groupby(["group", "attribute"])["group"].transform("size")
    signs = np.where(two.group == "group0", -1.0, 1.0) / sizes
    weights = np.stack([np.where(two.attribute == word, signs, 0.0) for word in leans.words])
    of_draws = [
        weights @ dense_covariance(two, errors, sds, mean_sd=0.0) @ weights.T
        for sds in _draws_of_sds(fit)
    ]
    np.testing.assert_allclose(leans.covariance, np.mean(of_draws, axis=0), atol=2e-6)


def _draws_of_sds(fit):
    """The sds of the draws that `unshrunken_associations` takes, as `dense_covariance` asks."""
    few = thinned(fit.posterior, 24).stack(sample=("chain", "draw"))
    for i in range(few.sizes["sample"]):
        draw, one = few.isel(sample=i), {}
        for term in ("word", "word_list", "noise", "noise_similar"):
            if (name := f"{term}_sd") in draw:
                values = draw[name]
                labels = list(values[values.dims[0]].to_numpy()) if values.dims else [""]
                one[term] = dict(zip(labels, np.atleast_1d(values.to_numpy()), strict=True))
        yield one


def test_numbers_with_errors_have_steeper_lines_than_exact_ones():
    """The larger the error, the more a slope was attenuated by it."""
    frame, table = planted(noise=0.04)
    rng = np.random.default_rng(2)
    table["share"] += 0.1 * rng.standard_normal(len(table))
    fit = bb.fit(frame, "crossed", seed=1)
    exact = bb.facts(fit, table, "share", groups=GROUPS, seed=1).table.iloc[0]
    known = bb.facts(fit, table.assign(error=0.1), "share", error="error", groups=GROUPS, seed=1)
    assert known.table["slope"].item() > exact["slope"]
    assert known.table["correlation"].item() > exact["correlation"]
    assert known.table["raw_correlation"].item() == exact["raw_correlation"]
    assert (known.words["fact_sd"] == 0.1).all()


def test_numbers_of_protected_words():
    frame = list_frame(n_words=(5, 5))
    table = facts_of(frame, "word")
    share = frame["protected_word"].map(table.set_index("word")["share"])
    frame["cosine_distance"] -= 0.5 * (share - 0.5) * (frame.connection == "associated")
    found = bb.facts(bb.fit(frame, "crossed", seed=1), table, "share", by="word", seed=1)
    assert found.sides == ("associated", "different")
    assert "tend to be closer to associated words, relative to different words" in found.sentence
    row = found.table.iloc[0]
    assert (row["verdict"], row["n_words"]) == ("rises", 10)
    assert row["slope_low"] < 0.5 < row["slope_high"]


def test_words_that_are_left_out_are_told():
    """Those without a number, numbers without a word, and words that one group alone meets."""
    frame, table = planted()
    frame = frame[(frame.attribute != "s03") | (frame.group == "group0")].reset_index(drop=True)
    table.loc[0, "share"] = np.nan
    more = pd.concat([table, pd.DataFrame({"word": ["unicorn"], "share": 0.5, "error": 0.1})])
    found = bb.facts(bb.fit(frame, "crossed", seed=1), more, "share", groups=GROUPS, seed=1)
    assert dict(found.left_out.to_numpy()) == {
        "s00": "the table has no number of it",
        "s03": "the fit has no such attribute",
        "unicorn": "the fit has no such attribute",
    }
    assert "Left out: s00, s03, unicorn" in repr(found)


@pytest.mark.parametrize(
    ("change", "options", "complaint"),
    [
        ({}, {"column": "shar"}, "column='shar': the table has no such .* mean 'share'"),
        ({}, {"column": "word"}, "holds no numbers"),
        ({}, {"error": "nothing"}, "error='nothing': the table has no such column"),
        ({}, {"by": "group"}, "by='group'"),
        ({}, {"by": ["word"]}, r"by=\['word'\]"),
        ({}, {"groups": ("group0", "men")}, "no group 'men'"),
        ({}, {"groups": ("group0",)}, "give two groups of group0, group1"),
        ({}, {"by": "word", "groups": GROUPS}, "not between groups; leave groups= out"),
        ({}, {"prob": 2}, "prob=2"),
        ({}, {"draws": 3}, "draws=3"),
        ({"word": "s00"}, {}, "'s00' has two rows"),
        ({"error": -1.0}, {"error": "error"}, "not below 0"),
        ({"share": 0.5}, {}, "are equal"),
    ],
)
def test_bad_facts(fit, change, options, complaint):
    table, chosen = planted()[1].assign(**change), {"column": "share", "seed": 1} | options
    with pytest.raises(ArgumentError, match=complaint):
        bb.facts(fit, table, **chosen)


def test_too_few_words_are_named(fit):
    table = planted()[1]
    table["word"] = ["s00", *(f"x{i}" for i in range(len(table) - 1))]
    with pytest.raises(ArgumentError, match=r"1 of its 16 words .* at least 5\. Not in .*x0, x1"):
        bb.facts(fit, table, "share")
    with pytest.raises(ArgumentError, match="needs a column 'word'"):
        bb.facts(fit, table.rename(columns={"word": "job"}), "share")


@pytest.mark.filterwarnings("ignore::bayesbias.errors.ConvergenceWarning")
def test_fits_without_such_associations_are_refused():
    frame = make_frame()
    table = pd.DataFrame({"word": [f"associated{i}" for i in range(5)], "share": range(5)})
    few = {"seed": 1, "draws": 30, "tune": 20, "chains": 1}
    for chosen, model, by, complaint in (
        (frame.group == "group0", "paper", "attribute", "this fit has one, 'group0'"),
        (frame.connection != "different", "paper", "word", "need associated and different"),
        (frame.index >= 0, "student-t", "attribute", "a normal likelihood"),
    ):
        fit = bb.fit(frame[chosen], model, **few)
        with pytest.raises(FitError, match=complaint):
            bb.facts(fit, table, "share", by=by)


def test_three_groups_are_asked_two_at_a_time():
    frame = list_frame(n_words=(3, 3, 3), sizes=(4, 3, 3))
    fit, table = bb.fit(frame, "crossed", seed=1), facts_of(frame)
    with pytest.raises(ArgumentError, match="name two of group0, group1, group2"):
        bb.facts(fit, table, "share")
    found = bb.facts(fit, table, "share", groups=("group2", "group0"), seed=1)
    assert found.table["n_words"].item() == 10


def test_the_figure_names_words_and_draws_on_axes(found):
    axis = Figure().subplots()
    assert found.plot(ax=axis) is axis.get_figure()
    assert axis.get_ylabel() == 'closer to words of "group1" than to words of "group0"'
    names = {text.get_text() for text in axis.texts}
    assert 3 < len(names) <= 16
    assert names <= set(found.words["word"])
    assert len(found.plot(labels=2).axes[0].texts) == 2


@pytest.mark.parametrize("seed", [1, np.random.default_rng(2)])
def test_the_seed_is_recorded(fit, seed):
    first = bb.facts(fit, planted()[1], "share", seed=seed)
    again = bb.facts(fit, planted()[1], "share", seed=first.seed)
    pd.testing.assert_frame_equal(first.table, again.table)


CORRELATIONS = {
    ("googlenews-16k-300d.bin", "census"): 0.69,
    ("googlenews-16k-300d.bin", "labour"): 0.72,
    ("glove-840b-10k-300d-int8.bin.gz", "census"): 0.67,
    ("glove-840b-10k-300d-int8.bin.gz", "labour"): 0.71,
    ("glove-6b-13k-50d.txt.gz", "census"): 0.40,
    ("glove-6b-13k-50d.txt.gz", "labour"): 0.34,
}
"""Of lean and share of women: the census of 2015 as in Garg et al. (2018), and the BLS's."""


@functools.lru_cache(maxsize=1)
def vectors_of(path):
    """An embedding, read once for both tables."""
    return bb.load_embedding(path, progress=False)


@pytest.mark.parametrize(("file", "source"), CORRELATIONS)
def test_published_shares_of_women(data, file, source):
    lists = data / "wordlists"
    if source == "census":
        table = pd.read_csv(lists / "garg/occupation_percentages_gender_occ1950.csv")
        table = table[table["Census year"] == 2015]
        table = table.rename(columns={"Occupation": "word", "Female": "share"})
    else:
        known = json.loads((lists / "occupations/occupational_female_percentage.json").read_text())
        table = pd.DataFrame({"word": known.keys(), "share": [v / 100 for v in known.values()]})
    wordlist = bb.load_wordlist("gender").with_attributes(table["word"].tolist(), "occupations")
    kv = vectors_of(data / "embeddings" / file)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", bb.BayesBiasWarning)
        fit = bb.fit(bb.distances(kv, wordlist), seed=1)
    found = bb.facts(fit, table, "share", groups=("woman", "man"), seed=1)
    row = found.table.iloc[0]
    assert row["raw_correlation"] == pytest.approx(CORRELATIONS[file, source], abs=0.01)
    assert row["verdict"] == "rises"
    assert row["correlation_high"] > row["raw_correlation"]
