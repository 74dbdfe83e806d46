"""Before, after, and how much of an association is left; and whether both are of one training."""

import dataclasses
import json
import re
from functools import partial

import numpy as np
import pandas as pd
import pytest
from samples import FEW, load_benchmark, make_frame
from scipy.stats import ortho_group

import bayesbias as bb
from bayesbias import debias
from bayesbias.constants import STEREOTYPE_CONNECTIONS
from bayesbias.errors import DistancesError
from bayesbias.fits.sentences import Names
from bayesbias.inference.adapting import adapt_model_to_data
from bayesbias.inference.collapsed import log_marginal_likelihood
from bayesbias.inference.decision import DecisionRule
from bayesbias.inference.design import Design
from bayesbias.inference.model_files import load_model
from bayesbias.pairs.profiles import averaged
from bayesbias.pairs.provenance import provenance_of
from bayesbias.report.folder_reading import load_results
from bayesbias.report.folder_writing import write_change
from bayesbias.studies.change_sentences import grown_associations
from bayesbias.studies.left import COLUMNS, Margins, row_of
from bayesbias.vectors.loading import load_embedding

RULE = DecisionRule(0.01)
WITH_SCATTER = "with its scatter"

pytestmark = pytest.mark.filterwarnings("ignore::bayesbias.errors.MissingWordsWarning")
"""Of the shipped vectors, which are few."""


@pytest.fixture(scope="module")
def study():
    return load_benchmark("share_left")


@pytest.fixture(scope="module")
def vectors():
    return bb.example_embedding()


@pytest.fixture(scope="module")
def debiased(vectors):
    spec = bb.load_model("change-maximal").without({"group_attribute", "protected_attribute"})
    frames = [bb.distances(v, "gender") for v in (vectors, debiased_of(vectors))]
    return bb.compare_change(*frames, model=spec, seed=1)


def debiased_of(vectors):
    return debias.hard(vectors, "gender", neutralise="listed").vectors


def known(before, after, covariance):
    """Return margins of two numbers that are jointly normal, with 89% intervals."""
    mean, z = np.array([after, before]), 1.598193

    def margin(of_after, of_before):
        weights = np.array([of_after, of_before])
        half = z * np.sqrt(weights @ covariance @ weights)
        return np.array([weights @ mean, weights @ mean - half, weights @ mean + half])

    return margin


@pytest.mark.parametrize("sign", [1.0, -1.0])
@pytest.mark.parametrize("correlation", [-0.5, 0.0, 0.9])
def test_the_share_is_fiellers(sign, correlation):
    """Its ends are where (after − r · before)² is z² times the variance of that, by the roots."""
    before, after, sds = sign * 0.1, sign * 0.04, (0.03, 0.02)
    both = correlation * sds[0] * sds[1]
    covariance = np.array([[sds[0] ** 2, both], [both, sds[1] ** 2]])
    row = row_of(known(before, after, covariance), widest=np.inf)
    z2 = 1.598193**2
    quadratic = [
        before**2 - z2 * sds[1] ** 2,
        -2 * (after * before - z2 * both),
        after**2 - z2 * sds[0] ** 2,
    ]
    low, high = np.sort(np.roots(quadratic))
    assert row["left"] == pytest.approx(0.4)
    assert (row["left_low"], row["left_high"]) == pytest.approx((low, high), abs=0.005)
    assert row["reason"] == ""


@pytest.mark.parametrize(
    ("before", "sd_after", "reason"),
    [
        (-0.02, 0.01, "before may be none"),
        (-0.0322, 0.01, "before is barely more than none"),  # its interval excludes 0
        (-0.04, 0.02, "its interval is wider than 100 points"),
    ],
)
def test_a_share_that_is_not_known_has_a_reason(before, sd_after, reason):
    margin = known(before, -0.01, np.diag([sd_after, 0.02]) ** 2)
    row = row_of(margin)
    assert np.isnan([row["left"], row["left_low"], row["left_high"]]).all()
    assert row["reason"] == reason
    assert (row["before_high"] > 0) == (reason == "before may be none")
    wide = row_of(margin, widest=np.inf)
    if not wide["reason"]:
        assert wide["left_high"] - wide["left_low"] > 1.0
        assert row["before"] == wide["before"]


@pytest.mark.parametrize("share", [0.0, 0.5, 1.0])
def test_answers_cannot_contradict_each_other(study, share):
    """0 is a possible share where after may be 0, and 1 where the change may be 0."""
    for number in range(2):
        world = study.world(share, np.random.default_rng([3, number]), WITH_SCATTER)
        row = row_of(partial(margins_of(world).of, 0, RULE))
        assert not row["reason"]
        for name, at in (("after", 0.0), ("change", 1.0)):
            near = 0.03 * (row["left_high"] - row["left_low"])
            if row[f"{name}_low"] <= 0 <= row[f"{name}_high"]:
                assert row["left_low"] - near < at < row["left_high"] + near
            else:
                assert not row["left_low"] + near < at < row["left_high"] - near


def margins_of(frame):
    return Margins(frame, load_model("change-maximal"), STEREOTYPE_CONNECTIONS)


def test_each_side_is_what_a_fit_of_its_own_says(study):
    frame = study.world(0.5, np.random.default_rng(1), WITH_SCATTER)
    margins = margins_of(frame)
    for column, weights in (("distance_before", (0.0, 1.0)), ("distance_after", (1.0, 0.0))):
        own = bb.fit(frame.assign(cosine_distance=frame[column]), seed=1).contrasts().table.iloc[0]
        known = own["mean"], own["low"], own["high"]
        assert margins.of(0, RULE, *weights) == pytest.approx(known, abs=0.1 * own["sd"])


def test_scatter_that_goes_with_the_mean_makes_the_share_sharp(study):
    """Before and after scatter alike there, so that their ratio is known better than either."""
    margins = margins_of(study.world(0.5, np.random.default_rng(2), WITH_SCATTER))
    row = row_of(partial(margins.of, 0, RULE))
    unrelated = np.hypot(
        (row["after_high"] - row["after_low"]) / row["before"],
        row["left"] * (row["before_high"] - row["before_low"]) / row["before"],
    )
    assert row["left_high"] - row["left_low"] < 0.7 * unrelated


def test_a_worlds_truth_is_what_it_says(study):
    """Of many worlds, the plain differences are on average the planted ones."""
    found = []
    for number in range(100):
        frame = study.world(0.5, np.random.default_rng(number), study.REMOVED[number % 2])
        means = frame.groupby("connection")[["distance_before", "distance_after"]].mean()
        found.append(means.loc["associated"] - means.loc["different"])
    error = np.std(found, axis=0) / np.sqrt(len(found))
    assert (np.abs(np.mean(found, axis=0) - [study.TRUTH, study.TRUTH / 2]) < 4 * error).all()


def test_the_share_of_a_multiple_is_known(vectors):
    """It was a LinAlgError: what that share leaves unexplained varies by rounding alone."""
    before = bb.distances(vectors, "gender")
    spec, _ = adapt_model_to_data(bb.load_model("maximal"), before)
    design = Design.from_frame(before, spec)
    unexplained = -0.03 + 1e-5 * (design.response - 1.0)
    with pytest.raises(DistancesError, match="do not vary beyond what words and attributes"):
        log_marginal_likelihood(dataclasses.replace(design, response=unexplained), spec)


@pytest.mark.slow
def test_shares_hold_the_truth_at_the_nominal_rate(study):
    """48 worlds a share: more than 13 misses of 48 at a rate of 11% come once in a thousand."""
    for share in study.SHARES:
        row = study.summary(study.answers(share, 48, 5, WITH_SCATTER), share)
        assert max(row[name] for name in ("before", "after", "change", "left")) * 48 <= 13


@pytest.mark.slow
def test_what_is_left_is_shown_everywhere(debiased, tmp_path, undrawn):
    left = debiased.left
    assert tuple(left.columns) == COLUMNS
    assert left["group"].tolist() == ["all", "man", "woman"]
    row = left.iloc[0]
    assert row["left_low"] < 0 < row["left_high"] < 0.5
    assert row["change_low"] > 0 > row["before_high"]
    assert "Difference: how much closer than the other group, in cosine distance." in repr(debiased)
    assert "each group's compared with words of no group, 89% HPDI:" in repr(debiased)
    assert "What is left" in debiased._repr_html_()
    content = json.loads(json.dumps(debiased.to_dict(), allow_nan=False))
    assert content["left"][0]["left"] == pytest.approx(row["left"])
    assert content["left"][1]["left"] is None
    labels = [text.get_text() for text in debiased.plot_left().axes[0].get_yticklabels()]
    assert labels[0].startswith("all: 0% left (")
    assert labels[1] == "man: share not known"
    write_change(debiased, tmp_path / "out")
    assert (tmp_path / "out" / "left.csv").is_file()
    read, _ = load_results(tmp_path / "out")
    assert read.answers == debiased.answers
    bb.write_report(read, tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    assert "What is left" in page
    assert "all: 0% left (" in page


def test_the_first_sentence_says_whether_it_worked(debiased):
    first = debiased.answers[0]
    assert re.fullmatch(
        "Removed for this word list: words for men and words for women no longer differ in how "
        r"close they are to either attribute list\. For other words like these, (on average )?up "
        r"to \d+% of the difference (towards occupations stereotyped as (fe)?male )?may be left\. "
        r"Other words were not tested.",
        first,
    )
    assert (
        "Mean distances to neutral words stayed, as they should; whether human words moved "
        "cannot be told." in (debiased.answers)
    )


def test_what_grew_is_named():
    """A group whose difference went away from 0, and words that moved the way they were."""
    columns = ["group", "before", "after", "change_low", "change_high"]
    groups = [
        ("all", -0.06, 0.0, 0.04, 0.08),
        ("man", 0.01, 0.06, 0.02, 0.08),
        ("woman", -0.12, -0.06, 0.03, 0.1),
    ]
    left = pd.DataFrame(groups, columns=columns).assign(contrast="associated − different")
    ends = [("he", 0.01, 0.05), ("son", 0.01, 0.05), ("she", -0.02, 0.05), ("her", -0.05, -0.01)]
    words = pd.DataFrame(ends, columns=["protected_word", "low", "high"])
    words = words.assign(contrast="associated − different")
    before = pd.Series({"he": 0.02, "son": -0.02, "she": -0.1, "her": -0.1})
    said = grown_associations(left, words, before, Names({"man": "words for men"}, {}, {}, {}))
    assert said == (
        "The association grew for words for men (from 0.01 farther to 0.06 farther), he, her."
    )
    assert not grown_associations(left.iloc[:1], words.iloc[1:3], before, Names({}, {}, {}, {}))


def test_an_association_with_words_that_stayed_has_its_share():
    frame = make_frame()
    moved = frame.assign(cosine_distance=make_frame(seed=3)["cosine_distance"] + 0.2)
    still = frame["connection"] != "human"
    moved.loc[still, "cosine_distance"] = frame.loc[still, "cosine_distance"]
    change = bb.compare_change(frame, moved, model="change", seed=1)
    assert change.left["contrast"].tolist()[0] == "associated − human"
    assert change.left[["before", "after"]].notna().all(axis=None)
    assert "Both files come from one training" in change.origin


def test_the_order_of_groups_and_pairs_does_not_matter():
    frames = [make_frame(n_attributes=FEW, seed=seed) for seed in (1, 2)]
    shuffled = [f.sample(frac=1, random_state=4) for f in frames]
    numbers = ["before", "before_low", "after_high", "left_low", "left_high"]
    first, second = (
        bb.compare_change(*two, model="change", seed=1).left.set_index("group")[numbers]
        for two in (frames, shuffled)
    )
    np.testing.assert_allclose(second.loc[first.index], first, atol=0.03)


def test_a_step_is_told_from_a_training(vectors, debiased):
    assert debiased.origin.startswith(
        "Both files can come from one training, one made from the other"
    )
    after = debias.inlp(vectors, "gender", neutralise="every", keep=()).vectors
    turn = ortho_group.rvs(vectors.vector_size, random_state=1)  # as another training could
    rotated = load_embedding((list(after.index_to_key), after.vectors @ turn))
    before, *others = (bb.distances(v, "gender") for v in (vectors, after, rotated))
    step = bb.compare_change(before, others[0], model="change", seed=1)
    with pytest.raises(DistancesError, match=r"are not of one training .* compare_embeddings"):
        bb.compare_change(before, others[1], model="change", seed=1)
    training = bb.compare_change(before, others[1], model="change", seed=1, insist=True)
    assert "can come from one training" in step.origin
    said = training.origin
    assert said.startswith("The two files are not of one training (the coordinates of ")
    assert "one run a side cannot tell what was done from what training again does" in said
    assert training.answers[-1] == said


def test_without_vectors_nothing_tells_the_trainings_apart():
    origin = bb.compare_change(make_frame(), make_frame(seed=3), model="change", seed=1).origin
    assert origin.startswith("Whether both files come from one training cannot be told without")
    assert "(docs/sources.md)" in origin


def test_attributes_are_as_alike_as_on_both_sides_together(vectors, debiased):
    """Not as their changes: those of a projection are all alike, along the list's direction."""
    found = provenance_of(debiased.pairs)["profiles"]
    both = averaged([bb.distances(v, "gender") for v in (vectors, debiased_of(vectors))])
    assert (found["rows"], found["float16"]) == (both["rows"], both["float16"])


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::bayesbias.errors.DataWarning")  # so small a text lacks words
def test_two_trainings_of_one_text_are_told(tmp_path):
    from gensim.test.utils import datapath

    runs = bb.vectors.training_runs(
        datapath("lee_background.cor"), tmp_path, seeds=2, progress=False, min_count=2, epochs=2
    )
    frames = [
        bb.distances(load_embedding(path, progress=False), "gender") for path in runs.values()
    ]
    assert "are not of one training" in bb.compare_change(*frames, seed=1, insist=True).origin
