"""Before and after: pairing, the model of changes, and what it says of the published files."""

import dataclasses
import json

import numpy as np
import pandas as pd
import pytest
from alike import absolute, list_frame
from samples import SELDOM, in_copies, make_frame

import bayesbias as bb
from bayesbias.constants import ATTRIBUTE_KINDS, CONNECTIONS
from bayesbias.errors import ArgumentError, DistancesError, ModelError
from bayesbias.inference.design import Design
from bayesbias.inference.identifiability import drop_unidentified_terms
from bayesbias.inference.intervals import binomial_interval
from bayesbias.inference.questions import connection_weights
from bayesbias.inference.refits import Refits
from bayesbias.pairs.conditions import paired
from bayesbias.pairs.profile_records import packed
from bayesbias.pairs.provenance import with_provenance
from bayesbias.simulate.assumptions import Assumptions, draw_responses, world_frame
from bayesbias.support.text_tables import as_text


def moved(frame, shift):
    """Return a copy whose distances have changed by `shift`, per connection."""
    after = frame.copy()
    noise = np.random.default_rng(5).normal(0, 0.01, len(frame))
    after["cosine_distance"] += after["connection"].map(shift).astype(float) + noise
    after.attrs = dict(frame.attrs)
    return after


def told(change, start):
    """Return the sentence that begins so."""
    return next(sentence for sentence in change.answers if sentence.startswith(start))


SHIFT = {"associated": 0.2, "different": 0.0, "human": 0.0, "neutral": 0.0}


@pytest.fixture
def before():
    return make_frame()


@pytest.fixture
def after(before):
    return moved(before, SHIFT)


@pytest.fixture(scope="module")
def change():
    """Associated pairs moved farther away, everything else stays but for noise."""
    return bb.compare_change(make_frame(), moved(make_frame(), SHIFT), seed=1)


def half_still(connections):
    """Return a frame and one in which some connections differ by rounding alone."""
    before = make_frame()
    after = moved(before, SHIFT | {"human": 0.1})
    still = before.connection.isin(connections)
    after.loc[still, "cosine_distance"] = before.loc[still, "cosine_distance"] + 1e-8
    return before, after


def test_pairs_on_one_side_are_reported_by_hand(before, after):
    left = before[~((before.protected_word == "word0") & (before.attribute == "human3"))]
    pairs, unpaired = paired(left, after[after.attribute != "neutral7"])
    assert len(pairs) == len(before) - 1 - 6
    key = ["protected_word", "attribute", "connection"]
    only = {side: part[key].to_numpy().tolist() for side, part in unpaired.groupby("present_in")}
    assert only["after"] == [["word0", "human3", "human"]]
    assert only["before"] == [[f"word{i}", "neutral7", "neutral"] for i in range(6)]


def test_a_repeated_pair_counts_once(before, after):
    twice = pd.concat([before, before.iloc[:5]])
    pairs, _ = paired(twice, after)
    assert len(pairs) == len(before)
    twice.iloc[-1, twice.columns.get_loc("cosine_distance")] += 0.1
    with pytest.raises(DistancesError, match="frame before: the pair 'word0' – 'associated4'"):
        paired(twice, after)


def test_frames_that_do_not_go_together_are_refused(before, after):
    turned = after.replace({"connection": {"human": "neutral", "neutral": "human"}})
    others = {
        "no pair in common": after.assign(protected_word="someone" + after["protected_word"]),
        "'word0' – 'human0' has one connection before": turned,
        "the frame after: has no rows": after.iloc[:0],
        "there is no change to model": before,
    }
    for complaint, other in others.items():
        with pytest.raises(DistancesError, match=complaint):
            bb.compare_change(before, other)
    with pytest.raises(ModelError, match="'crossed' explains a distance, not its change"):
        bb.compare_change(before, after, model="crossed")
    with pytest.raises(ArgumentError, match="prob=2"):
        bb.compare_change(before, after, prob=2)


def test_a_planted_shift_is_found_and_the_controls_stay(change):
    assert change.fit.spec.name == "change-maximal"
    table = change.table.set_index("connection")
    assert table.loc["associated", "low"] < 0.2 < table.loc["associated", "high"]
    assert table["verdict"].tolist() == ["farther", *["practically equal"] * 3]
    contrasts = change.contrasts.set_index("contrast")
    assert contrasts.loc["associated − neutral", "verdict"] == "farther"
    assert contrasts.loc["human − neutral", "verdict"] == "practically equal"
    told(change, "By connection: associated words moved farther away (+0.198, +0.")
    words = told(change, "Word by word")
    assert "the change to associated words is farther for 6 (word0, word1, " in words
    assert not any("Controls should stay" in sentence for sentence in change.answers)


def test_contrasts_stand_beside_what_they_were(change):
    """Before and after are differences of the plain means, whose change the model estimates."""
    found = change.contrasts.set_index("contrast")
    means = change.pairs.groupby("connection")[["distance_before", "distance_after"]].mean()
    for name, row in found.iterrows():
        first, second = name.split(" − ")
        before, after = means.loc[first] - means.loc[second]
        assert (row["before"], row["after"]) == pytest.approx((before, after))
        assert row["listed"] == pytest.approx(after - before)
        assert row["low"] < after - before < row["high"]
    row = found.loc["associated − different"]
    before, after = (f"{row[side]:+.3f}".replace("-", "−") for side in ("before", "after"))
    told(change, f"Associated − different went from {before} before to {after} after")
    assert f"{row['before']:+.3f}  {row['after']:+.3f}  " in repr(change)


def test_controls_that_moved_are_pointed_out(before):
    shift = {"associated": 0.2, "different": 0.2, "human": 0.2, "neutral": 0.0}
    change = bb.compare_change(before, moved(before, shift), model="change", seed=1)
    assert "Controls should stay, and human words did not." in told(change, "By connection")
    assert (
        "Human words, which should stay, moved too; mean distances to neutral words stayed"
        in " ".join(change.meanings)
    )


@pytest.fixture(scope="module")
def controls_still():
    return bb.compare_change(*half_still(["human", "neutral"]), model="change", seed=1)


def test_connections_that_did_not_move_are_not_modelled(controls_still):
    change = controls_still
    assert change.unmoved["connection"].tolist() == ["human", "neutral"]
    assert change.unmoved["n_pairs"].tolist() == [90, 120]
    assert change.unmoved["largest_change"].max() == pytest.approx(1e-8, rel=1e-3)
    assert change.table["connection"].tolist() == ["associated", "different"]
    assert len(change.pairs) == len(make_frame())
    assert len(change.shares) == 4
    moves = told(change, "By connection")
    assert "human words did not move (no pair by more than 1e-08)" in moves
    assert "Neutral words did not move" in repr(change)


def test_a_contrast_with_what_did_not_move_is_the_change_of_the_other(controls_still):
    change = controls_still
    found = change.contrasts.set_index("contrast")
    names = ["associated − different", "associated − human", "associated − neutral"]
    assert list(found.index) == names
    own = change.table.set_index("connection").loc["associated"]
    shared = [c for c in own.index if c in found]
    for _, row in found.loc[names[1:]].iterrows():
        pd.testing.assert_series_equal(
            row[shared], own[shared], check_names=False, check_dtype=False
        )
        assert row["after"] - row["before"] == pytest.approx(own["listed"], abs=1e-7)
    words = change.word_contrasts
    assert len(words) == 6 * 3
    assert words["contrast"].tolist()[:3] == names
    assert words["protected_word"].tolist()[:4] == ["word0"] * 3 + ["word1"]


def test_a_contrast_from_what_did_not_move_has_the_other_sign(tmp_path):
    still = half_still(["associated", "different", "neutral"])
    change = bb.compare_change(*still, model="change", seed=1)
    bb.write_report(change, tmp_path / "page.html")  # asked the first connection for its interval
    assert ">unmoved<" in (tmp_path / "page.html").read_text(encoding="utf-8")
    found = change.contrasts.set_index("contrast")
    assert list(found.index) == ["associated − human", "human − neutral"]
    away, back = found.loc["human − neutral"], found.loc["associated − human"]
    assert (away["verdict"], back["verdict"]) == ("farther", "closer")
    assert away["mean"] == pytest.approx(0.1, abs=0.02)
    ends = ["standardised_low", "standardised_high"]
    numbers = ["mean", "listed", "standardised", "low", "high", *ends]
    turned = ["mean", "listed", "standardised", "high", "low", *ends[::-1]]
    assert back[numbers].tolist() == pytest.approx([-away[name] for name in turned])
    assert back["p_below_zero"] == pytest.approx(1 - away["p_below_zero"])
    assert back["p_direction"] == away["p_direction"]
    assert (back["below_rope"], back["above_rope"]) == (away["above_rope"], away["below_rope"])


def test_all_tables_have_one_scale(controls_still):
    """That of the neutral pairs before, though neutral pairs are not modelled."""
    change = controls_still
    neutral = make_frame().query("connection == 'neutral'")["cosine_distance"]
    assert change.rule.scale == pytest.approx(neutral.std())
    for table in (change.table, change.words, change.contrasts, change.word_contrasts):
        np.testing.assert_allclose(table["standardised"], table["mean"] / neutral.std())
        np.testing.assert_allclose(table["rope"], 0.1 * neutral.std())


def test_sides_swapped_change_the_sign(before, after, change):
    back = bb.compare_change(after, before, seed=1).table
    error = 4 * back["sd"] / np.sqrt(1000)
    assert (np.abs(change.table["mean"] + back["mean"]) < error).all()


def test_options_and_tables(before, after):
    options = {"rope": 0.3, "prob": 0.5, "interval": "eti", "seed": 1}
    change = bb.compare_change(before, after, model="change", **options)
    for table in (change.table, change.words, change.contrasts, change.word_contrasts):
        assert set(table["rope"]) == {0.3}
        assert set(table["prob"]) == {0.5}
        assert set(table["interval"]) == {"eti"}
    assert change.table["verdict"].str.endswith("practically equal").all()
    assert (len(change.to_frame()), len(change.words)) == (4, 24)
    again = json.loads(json.dumps(change.to_dict(), allow_nan=False))
    assert (len(again["table"]), len(again["words"]), len(again["contrasts"])) == (4, 24, 4)
    assert "after minus before" in repr(change)
    assert "\nNext: rest.\n" in as_text(change.screen("Next: rest."))
    assert change.main_rule == change.rule
    assert [axis.get_title() for axis in change.plot().axes] == list(change.table["connection"])


@pytest.mark.parametrize(
    ("column", "advice"),
    [
        ("run", "the model 'change-runs'"),
        ("context", "a model of your own with a term by 'context"),
    ],
)
def test_a_model_without_copies_names_one_that_has_them(column, advice):
    before = in_copies(make_frame(n_words=4), [column])
    moved = np.random.default_rng(1).normal(0.05, 0.02, len(before))
    after = before.assign(cosine_distance=before["cosine_distance"] + moved)
    with pytest.raises(DistancesError, match=f"different changes .* {column} take {advice}"):
        bb.compare_change(before, after, model="change-maximal", seed=1)


def test_missing_words_of_both_sides_are_kept(before, after):
    row = {"word": "x", "role": "attribute", "list": "human", "reason": "not in the vectors"}
    with_provenance(before, missing=[row])
    change = bb.compare_change(before, after, model="change", seed=1)
    missing = bb.missing_words(change.fit.frame)
    assert missing["reason"].tolist() == ["before: not in the vectors"]


def test_frames_without_stereotypes_have_no_shares(before, after):
    keep = before.connection.isin(["human", "neutral"])
    change = bb.compare_change(before[keep], after[keep], model="change", seed=1)
    assert change.shares.empty
    assert change.contrasts["contrast"].tolist() == ["human − neutral"]


def test_one_connection_has_no_contrasts_and_nothing_left(before, after):
    keep = before.connection == "associated"
    change = bb.compare_change(before[keep], after[keep], model="change", seed=1)
    assert change.contrasts.columns.tolist() == ["contrast", "before", "after"]
    assert change.contrasts.empty
    assert change.word_contrasts.empty
    assert change.left.empty
    assert "Contrasts" not in repr(change)
    assert "compared with people" not in repr(change)
    with pytest.raises(DistancesError, match="no share left to draw"):
        change.plot_left()


def test_shares_use_the_mac_of_before():
    columns = ["protected_word", "group", "attribute", "attribute_set", "connection"]
    kinds = ["associated"] * 2 + ["human"] * 2
    keys = [(w, "g", a, "s", c) for w in "xy" for a, c in zip("abcd", kinds, strict=True)]
    before = pd.DataFrame(keys, columns=columns)
    after = before.copy()
    before["cosine_distance"] = [0.8, 0.8, 0.9, 0.7, 0.8, 0.8, 0.85, 0.75]  # MAC .8: bound .2
    after["cosine_distance"] = [0.9, 0.7, 0.9, 0.5, 0.9, 0.7, 0.6, 0.5]
    change = bb.compare_change(before, after, model="change", seed=1)
    shares = change.shares.set_index("connection")
    assert shares["bound"].tolist() == pytest.approx([0.2, 0.2])
    assert shares.loc["human", ["before", "after"]].tolist() == [0.5, 0.25]
    assert shares.loc["associated", "after"] == 0.5


@pytest.mark.sampling
@pytest.mark.slow
@pytest.mark.parametrize("shared_by_groups", [pytest.param(0.0, marks=SELDOM), 0.03])
def test_a_shift_is_held_at_the_nominal_rate(shared_by_groups):
    """Coverage of the change of `associated`, and of its changes relative to two others."""
    assumed = Assumptions(
        connection_mean=dict.fromkeys(CONNECTIONS, 0.0) | {"associated": 0.08},
        word_sd=0.03,
        word_list_sd=dict.fromkeys(ATTRIBUTE_KINDS, 0.02),
        attribute_sd=dict.fromkeys(ATTRIBUTE_KINDS, 0.03),
        group_attribute_sd=dict.fromkeys(ATTRIBUTE_KINDS, shared_by_groups),
        noise_sd=dict.fromkeys(ATTRIBUTE_KINDS, 0.05),
    )
    frame = world_frame(12, 16, n_groups=2, n_human=0, n_neutral=16)
    frame = frame.rename(columns={"cosine_distance": "change"})
    spec, _ = drop_unidentified_terms(absolute("change-maximal"), frame)
    rng = np.random.default_rng(2)
    design = Design.from_frame(frame, spec)
    n, inside, refits = 60, np.zeros(3), Refits(spec)
    changes = np.array([[1.0, 0.0, 0.0], [1.0, -1.0, 0.0], [1.0, 0.0, -1.0]])
    wanted = connection_weights(design).combined(changes)
    for _ in range(n):
        response = draw_responses(design, assumed.parameters, rng)
        found = refits.answers(dataclasses.replace(design, response=response), wanted)
        low, high = np.array([answer.interval(0.89) for answer in found.answers]).T
        inside += (low <= 0.08) & (high >= 0.08)
    # 60 worlds know the rate to ± 12 points (three standard errors).
    low, high = binomial_interval(inside, n, 0.9973).T
    assert (low < 0.89).all()
    assert (high > 0.89).all()


@pytest.fixture(scope="module")
def published(data):
    """The changes from the published Reddit files to the debiased ones."""
    found = {}
    for name in ("religion", "gender", "race"):
        sides = [
            bb.read_distances(data / f"distances/{file}.csv", duplicates="keep")
            for file in (f"{name}_group_reddit_dataset", f"debiased_{name}_reddit")
        ]
        found[name] = (*sides, bb.compare_change(*sides, seed=1))
    return found


@pytest.mark.slow
def test_published_changes(published):
    """Group means are near the plain means of the pairs' changes, and what the docs say holds."""
    for _, _, change in published.values():
        assert change.unpaired.empty
        plain = change.fit.frame.groupby("connection")["change"].mean()
        table = change.table.set_index("connection")
        assert ((table["mean"] - plain).abs() < table["sd"]).all()
    gender = published["gender"][2].table.set_index("connection")["verdict"]
    assert (gender[["human", "neutral"]] == "practically equal").all()
    religion = published["religion"][2].contrasts.set_index("contrast")
    row = religion.loc["associated − different"]
    assert (row["verdict"], round(row["after"], 3)) == ("farther", 0.0)
    assert row["p_below_zero"] < 0.02
    evidence = {
        model: bb.compare_change(
            *published["religion"][:2], model=model, seed=1
        ).fit.log_marginal_likelihood
        for model in ("change", "change-crossed")
    }
    assert evidence["change-crossed"] - evidence["change"] > 800


def test_similar_attributes_that_explain_every_change_are_no_reason_to_refuse_it():
    """What a word has with three topics is all that changed, as after a projection.

    The shared part of the noise was dropped: the search for its mode ran into a bound.
    """
    frame, rng = (
        list_frame(n_words=(4, 4), sizes=(5, 5), n_human=0, n_neutral=0),
        np.random.default_rng(1),
    )
    names = frame["attribute"].unique().tolist()
    topics = rng.standard_normal((3, len(names)))
    profiles = rng.standard_normal((60, 3)) @ topics + 0.04 * rng.standard_normal((60, len(names)))
    of_words = 0.02 * rng.standard_normal((8, 3)) @ topics
    before = with_provenance(frame, profiles=packed(names, (), profiles))
    after = frame.assign(cosine_distance=frame["cosine_distance"] + of_words.ravel())
    after = with_provenance(after, profiles=packed(names, (), profiles))
    change = bb.compare_change(before, after, seed=1, draws=200)
    assert change.fit.spec.noise.similar
    assert not change.fit.diagnostics.problems
    share = change.fit.posterior["noise_similar_share"]
    assert 0.99 < float(share.min()) < float(share.max()) < 1.0
    (row,) = change.left[change.left["group"] == "all"].to_dict("records")
    assert np.isfinite([row["before"], row["after"], row["change"]]).all()
