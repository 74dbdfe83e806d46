"""After each method of debiasing: headline, table, rule and JSON say one thing, by list."""

import json

import numpy as np
import pytest

import bayesbias as bb
from bayesbias.debias import METHODS, find_method
from bayesbias.fits.between_groups import BETWEEN, ZERO
from bayesbias.studies.change_sentences import outcome_of

pytestmark = pytest.mark.filterwarnings("ignore::bayesbias.errors.BayesBiasWarning")

EQUALISING = {"hard", "multiclass", "double_hard"}


@pytest.fixture(scope="module")
def before():
    return bb.example_embedding()


@pytest.fixture(scope="module", params=list(METHODS))
def step(request, before):
    """A method, the vectors after it, and the change of distances."""
    words = bb.load_wordlist("gender")
    after = find_method(request.param)(before, words).vectors
    frames = [bb.distances(v, words) for v in (before, after)]
    return request.param, after, bb.compare_change(*frames, seed=1), bb.fit(frames[1], seed=1)


PHRASES = {
    "weaker": "still differ, but less",
    "not seen": "less or no longer",
    "gone": "practically no longer differ",
    "stronger": "now differ more",
    "turned": "the other way",
    "appeared": "now clearly differ",
    "unchanged": "practically nothing changed",
}


def assert_the_table_says_what_the_headline_says(change):
    """Less is less than before, in a share and in the interval of the change; and so on."""
    for row in change.left_by_list.itertuples():
        outcome, known = outcome_of(row, change.rule), not row.reason
        if outcome in ("weaker", "not seen", "gone"):
            assert row.change_low > 0 if row.before < 0 else row.change_high < 0
            assert not known or row.left < 1
        if outcome == "stronger":
            assert not known or row.left > 1
        if outcome == "unchanged":
            assert max(-row.change_low, row.change_high) <= change.rule.width
        assert (row.before_low > 0 or row.before_high < 0) or not known
        assert not known or row.left_high - row.left_low <= 1
    for line, row in zip(change.lines, change.left_by_list.itertuples(), strict=True):
        zero = getattr(row, ZERO)
        assert ("0 by construction" in line) == zero
        assert ("% of the difference remains" in line) == (not row.reason)


def test_one_consistent_thing_is_said(step):
    method, _, change, _ = step
    left = change.left_by_list
    zero = left[ZERO].all()
    assert zero == (method in EQUALISING)
    head = change.headline
    outcomes = {outcome_of(row, change.rule) for row in left.itertuples()}
    assert ("no longer differ in how close they are to either attribute list" in head) == zero
    removed = zero or outcomes == {"gone"}
    start = "Removed for this word list", "Words for men and words for women are now"
    assert head.startswith(start) == removed
    assert_the_table_says_what_the_headline_says(change)
    assert change.answers[0] == change.to_dict()["answers"][0] == head
    assert change.answers[0] == repr(change).splitlines()[0]
    said = " ".join(change.answers)
    assert "Against what debiasing is for" not in said
    outcomes.add(outcome_of(next(change.left.itertuples()), change.rule))  # of the average
    for key, phrase in PHRASES.items():
        assert (phrase in head) <= (key in outcomes)
    if zero:
        assert said.count("after, the difference is 0 by construction") == len(left)
        np.testing.assert_allclose(left["after"], 0.0, atol=1e-6)
        assert "that is no difference between the groups" in said
    rows = json.loads(json.dumps(change.to_dict(), allow_nan=False))["left_by_list"]
    np.testing.assert_allclose([row["after"] for row in rows], left["after"], rtol=1e-12)


def test_headline_table_and_json_of_the_fit_agree(step):
    _, _, _, fit = step
    table = fit.contrasts("list").table
    plain = table[table["contrast"] == BETWEEN]
    head = fit.finding()
    if plain[ZERO].all():
        assert head.startswith("The listed words for men and words for women are equally close")
    elif not plain["verdict"].str.startswith(("closer", "farther")).any():
        assert head.endswith("alone we cannot tell.") or head.startswith("For neither ")
    else:
        assert "are closer than" in head or "are farther than" in head
    rows = json.loads(json.dumps(fit.to_dict(), allow_nan=False))["contrasts"]["list"]["table"]
    assert [row["verdict"] for row in rows] == table["verdict"].tolist()
    np.testing.assert_allclose([row["mean"] for row in rows], table["mean"], rtol=1e-12)


def test_the_rule_agrees_and_passes_after_equalisation(step, tmp_path):
    method, after, _, fit = step
    after.save_word2vec_format(str(tmp_path / "after.bin"), binary=True)
    text = 'vectors = "after.bin"\nwordlist = "gender"\n[rules.lists]\nby = "list"\n'
    (tmp_path / "rules.toml").write_text(text + "at_least = -0.06\nat_most = 0.06\n")
    found = bb.check_rules(tmp_path / "rules.toml", progress=False).table
    table = fit.contrasts("list").table
    plain = table[table["contrast"] == BETWEEN].set_index("attribute_set")
    for row in found.itertuples():
        assert row.mean == pytest.approx(plain.loc[row.attribute_set, "mean"], abs=1e-5)
    if method in EQUALISING:
        assert found["outcome"].tolist() == ["pass", "pass"]
