"""Planning: widths against what theory says, and worlds that are what they should be."""

import dataclasses
import json

import numpy as np
import pandas as pd
import pytest
from alike import designed, list_frame, with_profiles
from samples import make_frame, with_pareto_k
from scipy import stats

import bayesbias as bb
from bayesbias.constants import ATTRIBUTE_KINDS, CONNECTIONS, KIND_OF_CONNECTION
from bayesbias.errors import ArgumentError, ModelError
from bayesbias.inference.decision import DecisionRule
from bayesbias.inference.design import Design
from bayesbias.inference.model_files import load_model
from bayesbias.pairs.profile_records import packed
from bayesbias.pairs.provenance import with_provenance
from bayesbias.simulate.assumptions import Assumptions, draw_responses, world_frame
from bayesbias.studies.planning import _row, attributes_per_topic
from bayesbias.support.text_tables import Table

FLAT = Assumptions(
    connection_mean=dict.fromkeys(CONNECTIONS, 1.0),
    word_sd=0.0,
    word_list_sd=dict.fromkeys(ATTRIBUTE_KINDS, 0.1),
    attribute_sd=dict.fromkeys(ATTRIBUTE_KINDS, 0.0),
    group_attribute_sd=dict.fromkeys(ATTRIBUTE_KINDS, 0.0),
    noise_sd=dict.fromkeys(ATTRIBUTE_KINDS, 0.05),
    n_human=5,
    n_neutral=5,
)
"""Words, and noise, and nothing else."""


def test_a_world_has_the_means_and_covariances_it_was_given():
    """Every covariance of two pairs, by hand from what they share, against many worlds."""
    assumed = Assumptions(
        connection_mean={"associated": 0.8, "different": 0.9, "human": 1.0, "neutral": 1.1},
        word_sd=0.20,
        word_list_sd={"stereotype": 0.11, "human": 0.14, "neutral": 0.16},
        attribute_sd={"stereotype": 0.15, "human": 0.17, "neutral": 0.19},
        group_attribute_sd={"stereotype": 0.11, "human": 0.13, "neutral": 0.18},
        noise_sd={"stereotype": 0.06, "human": 0.07, "neutral": 0.08},
    )
    frame = world_frame(4, 3, n_groups=2, n_human=1, n_neutral=2)
    word, group, attribute, connection = (
        frame[name].to_numpy() for name in ("protected_word", "group", "attribute", "connection")
    )
    kind = np.array([KIND_OF_CONNECTION[name] for name in connection])
    stereotype, lists = kind == "stereotype", frame["attribute_set"].to_numpy()

    def same(values):
        return values[:, None] == values[None, :]

    def variance(sds, labels):
        return np.array([sds[label] for label in labels]) ** 2

    expected = (
        assumed.word_sd**2 * (same(word) & stereotype[:, None] & stereotype[None, :])
        + variance(assumed.word_list_sd, kind) * (same(word) & same(lists))
        + variance(assumed.attribute_sd, kind) * same(attribute)
        + variance(assumed.group_attribute_sd, kind) * (same(attribute) & same(group))
        + np.diag(variance(assumed.noise_sd, kind))
    )
    spec = load_model("maximal").without(["protected_attribute"])  # there are no reference words
    design = Design.from_frame(frame, spec)
    rng, n = np.random.default_rng(0), 4000
    worlds = np.stack([draw_responses(design, assumed.parameters, rng) for _ in range(n)])
    means = [assumed.connection_mean[name] for name in connection]
    sd = np.sqrt(np.diag(expected))
    np.testing.assert_array_less(np.abs(worlds.mean(axis=0) - means), 4.5 * sd / np.sqrt(n))
    # A covariance of normal variables is known with sd √((s_ii s_jj + s_ij²) / n).
    error = np.sqrt((np.outer(sd, sd) ** 2 + expected**2) / n)
    np.testing.assert_array_less(np.abs(np.cov(worlds.T) - expected), 4.5 * error)


def test_a_world_is_laid_out_by_hand():
    frame = world_frame(3, 4, n_groups=2, n_human=1, n_neutral=0)
    own, other = ["associated", "different"], ["different", "associated"]
    laid = {name: frame[name].to_numpy().reshape(3, 5).tolist() for name in frame}
    assert laid["connection"] == [[*2 * lists, "human"] for lists in (own, other, own)]
    assert [row[0] for row in laid["group"]] == ["group 1", "group 2", "group 1"]
    assert laid["attribute_set"][0] == ["set 1", "set 2", "set 1", "set 2", "human"]
    with pytest.raises(ArgumentError, match="take at least 3 words and 2 attributes"):
        world_frame(2, 4, n_groups=2, n_human=1, n_neutral=0)


def test_widths_are_those_of_theory():
    """With hardly any noise, a mean is that of n words: its sd is about sd / √n."""
    n = 120
    quiet = FLAT.replace(noise_sd=dict.fromkeys(ATTRIBUTE_KINDS, 0.01))
    row = planned(quiet, n_words=[n], n_attributes=[20], simulations=6).loc[FIRST]
    expected = 2 * stats.norm.ppf(0.945) * 0.1 * np.sqrt(2 / n)
    assert row["width"] == pytest.approx(expected, rel=0.08)
    assert row["width_low"] < row["width"] < row["width_high"]


MANY = FLAT.replace(attribute_sd={"stereotype": 0.1})
FIRST = "associated − different"


@pytest.fixture(scope="module")
def several():
    """Few and many words and attributes."""
    return bb.plan_wordlist(MANY, n_words=[8, 40], n_attributes=[4, 20], simulations=5, seed=1)


def test_what_is_needed_is_read_off_the_table(several):
    plan = dataclasses.replace(several, width=0.09)
    needed = plan.needed.set_index(["contrast", "n_attributes"]).loc[(FIRST, 20)]
    table = plan.table.set_index(["contrast", "n_attributes", "n_words"])["width"]
    assert table[FIRST, 20, 8] > 0.09 > table[FIRST, 20, 40]
    assert needed["reached"]
    assert needed["n_words"] == 40
    assert repr(plan).startswith(
        "Enough for an 89% interval of mean width 0.09 or less: 40 protected words with 4 "
        "attributes, in all; no smaller size tried is."
    )
    assert "more simulations before you rely on it.\nNext: ask again with more" in repr(plan)
    assert plan.answers[0].startswith(f"{FIRST}: width 0.09 is reached by 40 protected words with ")
    nothing = dataclasses.replace(plan, width=1e-4)
    assert not nothing.needed["reached"].any()
    assert (nothing.needed["n_words"] == 40).all()
    assert repr(nothing).startswith(
        "No size that was tried gives an 89% interval of mean width 0.0001 or less. The narrowest, "
    )
    assert all("is out of reach; 40 words with 20" in said for said in nothing.answers)
    near = dataclasses.replace(plan, table=plan.table.assign(width=0.05003), width=0.05)
    assert all(said.endswith(" give 0.05003.") for said in near.answers)


@pytest.mark.parametrize(
    ("simulations", "width", "more"),
    [(5, 0.05, 100), (40, 0.05, 0), (40, 0.081, 160), (400, 0.079, 1600)],
)
def test_more_simulations_are_asked_for_where_they_may_change_the_headline(
    several, simulations, width, more
):
    """A list has the width .08, with a standard error of .001."""
    table = several.table.assign(width=0.08, width_error=0.001, simulations=simulations)
    assert dataclasses.replace(several, table=table, width=width).more_simulations == more


def test_the_answer_lists_no_option_that_asks_for_more(several):
    """Who is told of 40 words with 10 attributes need not hear of 40 with 40."""
    numbers = [(10, 40, 0.08), (25, 40, 0.07), (40, 20, 0.08), (50, 20, 0.06)]
    rows = [("a − b", *row, row[2], 0.001, 0.5, 0.5, -0.1) for row in numbers]
    columns = ["contrast", "n_attributes", "n_words", "width", "width_high"]
    columns += ["width_error", "direction", "decided", "assumed"]
    plan = dataclasses.replace(several, table=pd.DataFrame(rows, columns=columns), width=0.09)
    (said,) = plan.answers
    assert said.endswith(
        "by 40 protected words with 10 attributes or 20 with 40, each of a new topic."
    )
    assert plan.headline == (
        "Enough for an 89% interval of mean width 0.09 or less: 40 protected words "
        "with 10 attributes or 20 with 40, in all."
    )
    assert len(plan.needed) == 4


def test_the_terminal_has_a_line_for_each_need_and_the_monte_carlo_error(several):
    """Four contrasts and two numbers of attributes: eight lines; sixteen combinations in all."""
    _, table = (block for block in several.blocks if isinstance(block, Table))
    assert len(table.rows) == len(several.needed) == 8
    assert len(several.table) == 16
    assert "5 simulated data sets for each size" in repr(several)
    medians = MANY.connection_mean
    first = several.needed.query("contrast == 'associated − different'")["assumed"]
    assert first.to_numpy() == pytest.approx(medians["associated"] - medians["different"])
    again = bb.plan_wordlist(MANY, n_words=[8], n_attributes=[4], simulations=10, seed=2)
    both = several.table.merge(again.table, on=["contrast", "n_words", "n_attributes"])
    error = np.hypot(both["width_error_x"], both["width_error_y"])
    assert ((both["width_x"] - both["width_y"]).abs() < 5 * error + 1e-9).all()
    assert (again.table["width_error"] > 0).all()


def test_the_figure_shows_all_widths(several):
    """The columns share their axis: the first one must not cut the others."""
    axes = several.plot().axes
    assert len(axes) == 8
    for axis in axes[:4]:
        assert axis.get_ylim()[1] > several.table["width_high"].max()
    assert [axis.get_title() for axis in axes[:4]] == list(dict.fromkeys(several.table.contrast))


def planned(assumed, **options):
    """The rows of a plan for one size, by contrast."""
    return bb.plan_wordlist(assumed, seed=1, **options).table.set_index("contrast")


def test_the_share_decided_follows_the_difference():
    options = {"n_words": [10], "n_attributes": [6], "simulations": 8}
    apart = FLAT.replace(connection_mean={"associated": 0.5})
    found = planned(apart, **options).loc["associated − neutral"]
    assert found["decided"] == found["decided_high"] == found["direction"] == 1.0
    assert found["sign_error"] == 0.0
    assert found["exaggeration"] == pytest.approx(1.0, abs=0.06)
    # A difference as large as the ROPE: its direction is known at times, its size hardly ever.
    edge = FLAT.replace(connection_mean={"associated": 0.9})
    found = planned(edge, rope=0.1, **options)
    assert found.loc["associated − neutral", "decided"] < 0.5
    directions = found["direction"]
    assert directions["associated − neutral"] > directions["human − neutral"]


def test_practically_equal_is_decided_without_a_direction():
    """Every interval lies within a ROPE of ±0.5; the text below the table says what that counts."""
    plan = bb.plan_wordlist(FLAT, rope=0.5, n_words=[8], n_attributes=[10], simulations=4, seed=1)
    row = plan.table.set_index("contrast").loc["associated − neutral"]
    assert row["direction"] < row["decided"] == 1.0
    assert "direction and size are clear, or practically equal." in " ".join(repr(plan).split())


def fitted_worlds(centre, half):
    """What fits of worlds say whose intervals are centre ± half, for a ROPE of ± 0.05."""
    low, high = np.subtract(centre, half), np.add(centre, half)
    verdict = DecisionRule(rope=0.05).verdicts(low, high).astype(object)
    found = pd.DataFrame({"mean": centre, "low": low, "high": high, "verdict": verdict})
    return found.assign(pareto_k=0.3)


def test_shares_sign_errors_and_exaggeration_by_hand():
    """Five worlds of truth 0.1: right, wrong, equal, of unknown size, undecided."""
    worlds = fitted_worlds([0.2, -0.3, 0.0, 0.05, 0.045], [0.01, 0.01, 0.01, 0.01, 0.05])
    row = _row(worlds, np.full(5, 0.1), 0.89)
    assert row["width"] == pytest.approx(2 * 0.09 / 5)
    assert row["direction"] == row["decided"] == 3 / 5
    assert row["decided_low"] < 3 / 5 < row["decided_high"]
    assert row["sign_error"] == pytest.approx(1 / 3)
    assert row["exaggeration"] == pytest.approx((0.2 + 0.3 + 0.05) / 3 / 0.1)
    # Truths that differ from world to world count together, so that one near 0 does no harm.
    row = _row(worlds, np.array([0.1, 0.1, 0.1, 0.001, 0.1]), 0.89)
    assert row["exaggeration"] == pytest.approx((0.2 + 0.3 + 0.05) / (0.1 + 0.1 + 0.001))
    assert row["assumed"] == pytest.approx(0.401 / 5)
    # Without a direction or a truth there is no sign error.
    for rows, truth, shares in ((worlds[2::2], 0.1, (0.0, 0.5)), (worlds[:2], 0.0, (1.0, 1.0))):
        row = _row(rows, np.full(2, truth), 0.89)
        assert (row["direction"], row["decided"]) == shares
        assert np.isnan([row["sign_error"], row["exaggeration"]]).all()


def test_a_fit_plans_for_itself():
    fit = bb.fit(make_frame(n_words=8), model="crossed", seed=1, draws=500)
    options = {"n_words": [8], "n_attributes": [11], "simulations": 8, "seed": 1}
    plan = bb.plan_wordlist(fit, **options)
    assert plan.basis == f"fit {fit.id}"
    # Lists of the present lengths give about the present widths.
    now = fit.contrasts().table.set_index("contrast")
    then = plan.table.set_index("contrast")
    ratio = then["width"] / (now["high"] - now["low"])
    assert ratio.between(0.5, 2.0).all()
    assert bb.plan_wordlist(fit, **options).table.equals(plan.table)
    again = json.loads(json.dumps(plan.to_dict(), allow_nan=False))
    assert len(again["table"]) == len(again["needed"]) == 4


def test_worlds_whose_fit_failed_are_counted_where_they_are(monkeypatch):
    with_pareto_k(monkeypatch, iter([0.1, 0.9, 0.2, 0.3, 0.4, 0.1]))
    plan = bb.plan_wordlist(FLAT, n_words=[6, 8], n_attributes=[10], simulations=3, seed=1)
    assert plan.table.groupby("n_words")["n_bad_k"].unique().map(list).to_dict() == {6: [1], 8: [0]}
    said = "not be fitted well (Pareto k above 0.7): 1 of 3 with 6 words and 10 attributes."
    assert said in repr(plan)


def test_a_plan_says_what_its_worlds_lack():
    fit = bb.fit(with_profiles(list_frame(n_words=(4, 4), n_reference=4)), seed=1, draws=100)
    plan = bb.plan_wordlist(fit, n_words=[6], n_attributes=[6], simulations=2, seed=1)
    assert plan.basis == f"fit {fit.id} (without reference words, attributes unrelated)"


def test_crossed_groups_are_announced_by_the_size_of_their_interaction():
    """Words and noise alone: the width by theory; none, some and all are found as it says."""
    # Words scatter little beside a pair, whose sd is the unit of the prior of groups.
    quiet = {"word_list_sd": {"stereotype": 0.02}, "noise_sd": {"stereotype": 0.002}}
    n, assumed = 40, FLAT.replace(**quiet, n_human=0, n_neutral=0)
    error = 0.02 * np.sqrt(2 * 4 / (n / 4))  # two lists of four groups of n / 4 words
    options = {"n_words": [n], "n_attributes": [4], "simulations": 6}
    none, all_found = (
        planned(assumed, interaction=ratio * error, **options) for ratio in (0.0, -8.0)
    )
    assert none.index.tolist() == all_found.index.tolist() == [FIRST, "interaction"]
    none, all_found = none.loc["interaction"], all_found.loc["interaction"]
    assert none["width"] == pytest.approx(2 * stats.norm.ppf(0.945) * error, rel=0.15)
    assert none["direction"] < 0.5
    assert all_found["direction"] == 1.0
    assert all_found["sign_error"] == 0.0
    assert all_found["exaggeration"] == pytest.approx(1.0, abs=0.5)


def test_a_fit_plans_for_crossed_groups(small_fit):
    options = {"n_words": [8], "n_attributes": [6], "simulations": 2, "seed": 1}
    plan = bb.plan_wordlist(small_fit, interaction=0.05, **options)
    assert plan.table["contrast"].tolist()[-1] == "interaction"
    assert any(said.startswith("interaction: width 0.05") for said in plan.answers)


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"interaction": np.nan}, "interaction=nan"),
        ({"interaction": 0.05}, "too few for 2 × 2 groups"),
        ({"width": 0}, "width=0"),
        ({"simulations": 1}, "simulations=1"),
        ({"n_words": []}, "at least one number"),
        ({"n_words": [2]}, "too few for 2 groups"),
        ({"n_attributes": [1]}, "too few for 2 groups"),
        ({"rope": -1}, "rope=-1"),
        ({"prob": 1}, "prob=1"),
    ],
)
def test_plans_refuse_what_makes_no_sense(options, complaint):
    with pytest.raises(ArgumentError, match=complaint):
        bb.plan_wordlist(FLAT, **{"n_words": [6], "n_attributes": [4], "simulations": 2, **options})


def test_plans_refuse_fits_they_cannot_repeat(small_fit):
    def quick(model, frame):
        return bb.fit(frame, model, seed=1, draws=100)

    def with_spec(spec):
        return dataclasses.replace(small_fit, spec=spec)

    noise = dataclasses.replace(small_fit.spec.noise, sd_by="run")
    frame = make_frame()
    controls = frame[frame.connection.isin(["human", "neutral"])]
    for complaint, fit in {
        "normal likelihood": with_spec(bb.load_model("student-t")),
        "normal likelihood and distances": with_spec(bb.load_model("change")),
        "the columns run too": with_spec(small_fit.spec.replace(noise=noise)),
        "partial pooling": quick("no-pooling", frame),
        "associated and different": quick("paper", controls),
    }.items():
        with pytest.raises(ModelError, match=complaint):
            bb.plan_wordlist(fit)


@pytest.mark.parametrize(
    ("changes", "complaint"),
    [
        ({"connection_mean": {"asociated": 1.0}}, "did you mean 'associated'"),
        ({"word_sd": -0.1}, "word_sd=-0.1"),
        ({"word_list_sd": {"human": -0.1}}, "word_list_sd: human = -0.1"),
        ({"group_attribute_sd": {"human": 3.0}}, "group_attribute_sd: human = 3.0"),
        ({"attribute_sd": {"associated": 0.1}}, "attribute_sd: unknown 'associated'"),
        ({"noise_sd": {"human": 0.0}}, "noise_sd: must be above 0"),
        ({"n_groups": 1}, "two groups"),
        ({"n_human": -1}, "no negative numbers"),
    ],
)
def test_assumptions_are_checked(changes, complaint):
    with pytest.raises(ArgumentError, match=complaint):
        FLAT.replace(**changes)
    with pytest.raises(ArgumentError, match="connection_mean: lacks 'different'"):
        Assumptions(connection_mean={"associated": 1.0})


def test_the_sd_of_a_pair_by_hand():
    assumed = FLAT.replace(attribute_sd={"neutral": 0.2}, group_attribute_sd={"neutral": 0.3})
    assert assumed.sd_of_pair("neutral") == pytest.approx(
        np.sqrt(0.1**2 + 0.2**2 + 0.3**2 + 0.05**2)
    )


def in_topics(n_synonyms, n_topics=12):
    """A fit's design of two lists, of whose topics every one has as many words that are alike."""
    size = n_topics * n_synonyms
    frame = list_frame(n_words=(3, 3), sizes=(size, size), n_human=0, n_neutral=0)
    names = frame["attribute"].unique().tolist()
    rng = np.random.default_rng(2)
    topics = np.repeat(rng.standard_normal((400, 2 * n_topics)), n_synonyms, axis=1)
    record = packed(names, [f"common{i}" for i in range(400)], topics, mean=np.zeros(2 * size))
    frame = with_provenance(frame, source={"made": "by a test"}, profiles=record)
    return designed(frame, "maximal")[0]


def test_a_plan_counts_topics():
    """Synonyms of a topic tell as much as one of them; attributes without vectors are not known."""
    assert attributes_per_topic(in_topics(1)) == pytest.approx(1.0, rel=0.1)
    assert attributes_per_topic(in_topics(3)) == pytest.approx(3.0, rel=0.1)
    design = in_topics(3)
    assert attributes_per_topic(dataclasses.replace(design, similarity=None)) is None


def test_a_plan_says_that_attributes_are_of_new_topics(several):
    said = "\n".join(map(str, several.blocks))
    assert "those of all attribute lists together, each of a new topic" in said
    assert several.per_topic is None
    assert several.to_dict()["per_topic"] is None
    of_lists = dataclasses.replace(several, per_topic=2.93)
    assert "Of attributes such as this fit's lists have, 2.9 tell as much" in repr(of_lists)
