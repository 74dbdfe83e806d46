"""Every check of a fit in one table: what each says is what its own answer says."""

import json

import numpy as np
import pytest
from samples import make_frame

import bayesbias as bb
from bayesbias.fits.checklist import Checks, of_draws
from bayesbias.fits.criticism import left_out_coverage
from bayesbias.inference.diagnostics import FIT_REMEDY, ChainDiagnostics
from bayesbias.pairs.provenance import with_provenance

pytestmark = pytest.mark.filterwarnings("ignore:183 of 350 words")


def checks_of(fit):
    return fit.check().table.set_index("check")


def gender():
    return bb.distances(bb.example_embedding(), "gender")


@pytest.fixture(scope="module")
def sound():
    """Pairs that come with reference words and with how alike attributes are."""
    return bb.fit(gender(), seed=1)


def test_a_check_has_passed_or_says_what_to_do(sound):
    found = sound.check()
    assert repr(found).startswith(f"Of {len(found.table)} checks ")
    assert set(found.table["verdict"]) <= {"pass", "warn"}
    assert ((found.table["verdict"] == "warn") == (found.table["next"] != "")).all()
    assert max(map(len, repr(found).splitlines()[:-1])) <= 100
    assert "fit.placebo()" in repr(found)
    assert "<table" in found._repr_html_()
    json.dumps(found.to_dict(), allow_nan=False)
    verdict = found.table.set_index("check")["verdict"]
    for name in ("draws", "similarity", "reference words", "missing words", "groups"):
        assert verdict[name] == "pass", name
    table = found.table.assign(verdict="pass", next="")
    assert repr(Checks(table)).startswith(f"Of {len(table)} checks none warns.")


def test_shares_left_out_and_in_sample_are_told_apart(sound):
    said, coverage = checks_of(sound).loc["coverage", "found"], sound.coverage()
    left_out = left_out_coverage(sound.loo, sound.design, 0.89)["inside"].iloc[0]
    in_sample = coverage.table["inside"].iloc[0]
    assert f"each predicted from all others: {left_out:.1%} in 89%" in said
    assert f"in-sample: {in_sample:.1%} in 89%" in said
    assert left_out != in_sample
    assert "in-sample" in repr(coverage)
    assert f"{in_sample:.1%}" in repr(coverage)
    assert coverage.to_frame().equals(coverage.table)


def test_what_lacks_is_named_with_what_to_do():
    """No vectors, no reference words, a loud word, one list collapsed."""
    frame = make_frame(n_words=8, seed=2)
    loud = frame["protected_word"] == "word3"
    frame["cosine_distance"] += np.where(loud, np.resize([0.2, -0.2], len(frame)), 0.0)
    lost = [
        {"word": f"w{i}", "role": "attribute", "list": "associated", "reason": "not there"}
        for i in range(9)
    ]
    fit = bb.fit(with_provenance(frame, missing=lost), seed=1)
    found = checks_of(fit)
    next_ = found.loc[found["verdict"] == "warn", "next"]
    assert "reference=[…]" in next_["reference words"]
    assert "bb.distances(vectors, wordlist)" in next_["similarity"]
    assert "fit.sensitivity()" in next_["noise"]
    assert fit.criticism().said_of_noise == found.loc["noise", "found"]
    assert "'associated' only 5 of 14 are in the vectors" in found.loc["missing words", "found"]
    assert "fallbacks=" in next_["missing words"]
    assert fit.left_out[0] in found.loc["terms", "found"]


def test_a_model_without_terms_that_the_data_ask_for_warns():
    fit = bb.fit(gender(), "paper", seed=1)
    found = checks_of(fit)
    assert fit.caution
    assert found.loc["model", "found"] == fit.caution.removeprefix("Caution: ")
    assert found.loc["similarity", "verdict"] == "warn"
    assert "as 'maximal'" in found.loc["reference words", "next"]


def test_problems_of_the_draws_are_told_with_their_remedies():
    bad = ChainDiagnostics(3, 1.2, 500.0, 500.0, "word_sd", 4000, 4)
    found = of_draws(bad)
    assert found.next == f"{FIT_REMEDY}; use more tune and draws"
    both = zip(found.found.split("; "), found.next.split("; "), strict=True)
    assert [f"{what}; {remedy}" for what, remedy in both] == [*bad.problems]


def test_of_one_group_nothing_is_asked_that_takes_several():
    frame = make_frame()
    one = frame[frame["group"] == "group0"].reset_index(drop=True)
    found = checks_of(bb.fit(one, "paper", seed=1))
    assert not {"groups", "reference words"} & set(found.index)


def test_slow_answers_are_given_once(sound, monkeypatch):
    sound.check()
    slow = "fit_result.leave_one_out", "criticism.replicated_groups", "caution.missing_term_warning"
    for name in slow:
        monkeypatch.setattr(f"bayesbias.fits.{name}", None)
    sound.check(prob=0.5)
