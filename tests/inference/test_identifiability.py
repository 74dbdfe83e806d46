"""What is left out of a default model, for which data, and with which words."""

import json

import numpy as np
import pandas as pd
import pytest
from samples import make_frame

import bayesbias as bb
from bayesbias.errors import ModelError
from bayesbias.inference.adapting import adapt_model_to_data
from bayesbias.inference.design import Design
from bayesbias.inference.identifiability import drop_unidentified_terms
from bayesbias.inference.priors import Prior
from bayesbias.inference.specification import ModelSpec
from bayesbias.inference.terms import TermSpec

SIZES = {"associated": 4, "different": 4, "human": 5, "neutral": 6}


LISTED = ("associated", "different", "human", "neutral")
TWICE = "The term protected_attribute is left out: it acts on no other pairs than attribute."


def weat_frame(n_words=6):
    """Two groups; what is associated with one is different for the other."""
    frame = make_frame(n_words=n_words, n_attributes=SIZES)
    stereotype = frame.connection.isin(["associated", "different"])
    flipped = (frame.group == "group1") ^ (frame.connection == "different")
    lists = np.where(flipped, "x", "y")
    frame["attribute"] = frame["attribute"].where(~stereotype, lists + frame.attribute.str[-1])
    frame["attribute_set"] = frame["attribute_set"].where(~stereotype, lists)
    return frame


def with_reference(frame, n_words=3):
    """The frame, and reference words that meet its stereotype attributes."""
    first = frame[(frame.protected_word == "word0") & frame.attribute_set.isin(["x", "y"])]
    first = first.assign(group="reference", connection="reference")
    more = [first.assign(protected_word=f"person{i}") for i in range(n_words)]
    return pd.concat([frame, *more], ignore_index=True)


def simplified(frame, model="maximal"):
    spec, reasons = drop_unidentified_terms(bb.load_model(model), frame)
    Design.from_frame(frame, spec)  # what remains fits the frame
    return {term.name: term.connections for term in spec.terms}, reasons


def test_complete_data_keep_everything():
    spec = bb.load_model("maximal")
    frame = with_reference(weat_frame())
    assert drop_unidentified_terms(spec, frame) == (spec, ())
    assert drop_unidentified_terms(spec, frame)[0] is spec


def test_without_reference_words_what_protected_words_share_is_the_attributes():
    terms, reasons = simplified(weat_frame())
    assert list(terms) == ["word", "word_list", "group_list", "attribute", "group_attribute"]
    assert reasons == (TWICE,)


def test_no_controls_are_fine():
    frame = with_reference(weat_frame())
    assert len(simplified(frame[~frame.connection.isin(["human", "neutral"])])[0]) == 6


def test_one_reference_word():
    terms, reasons = simplified(with_reference(weat_frame(), 1))
    assert terms["group_attribute"] == LISTED
    assert terms["word"] == ("associated", "different")
    assert terms["word_list"] == ()
    assert reasons == (
        "The term group_attribute is left out for reference: no two pairs share group and "
        "attribute, so that it cannot be told from the noise.",
        "The term word is left out for reference: all pairs of a connection share protected word, "
        "so that it cannot be told from the connection's mean.",
    )


def test_one_group():
    frame = weat_frame()
    terms, reasons = simplified(frame[frame.group == "group0"].reset_index(drop=True))
    assert list(terms) == ["word", "word_list", "attribute"]
    assert reasons == (
        "The term group_attribute is left out: pairs that share group and attribute are those that "
        "share attribute, so that it cannot be told from attribute.",
        TWICE,
        "The term group_list is left out: all pairs of a connection share group and attribute "
        "list, so that it cannot be told from the connection's mean.",
    )


@pytest.mark.parametrize("gone", ["associated", "different"])
def test_one_of_associated_and_different(gone):
    frame = weat_frame()
    terms, reasons = simplified(frame[frame.connection != gone])
    kept = {"associated", "different"} - {gone}
    assert "word" not in terms
    assert terms["word_list"] == ()
    assert terms["group_list"] == LISTED
    # Attributes of one group only: the group says nothing more of them.
    assert terms["group_attribute"] == ("human", "neutral")
    assert any("cannot be told from word_list" in reason for reason in reasons)
    assert any(f"left out for {kept.pop()}:" in reason for reason in reasons)


def test_controls_alone():
    frame = weat_frame()
    terms, reasons = simplified(frame[frame.connection.isin(["human", "neutral"])])
    assert list(terms) == ["word_list", "group_list", "attribute", "group_attribute"]
    assert reasons == (
        "The term protected_attribute is left out: no pair is associated or different, where it "
        "acts.",
        "The term word is left out: no pair is associated or different or reference, where it "
        "acts.",
    )


def test_every_group_has_one_word():
    terms, reasons = simplified(weat_frame(n_words=2))
    assert list(terms) == ["word", "word_list", "attribute"]
    assert "no two pairs share group and attribute" in reasons[0]
    assert "cannot be told from the noise" in reasons[0]
    assert "cannot be told from word_list" in reasons[2]


def test_attributes_of_one_list_that_meet_one_word():
    frame = make_frame(n_words=4, n_attributes=SIZES)
    own = frame["attribute"] + frame["protected_word"]
    frame["attribute"] = frame["attribute"].where(frame.connection != "human", own)
    terms, reasons = simplified(frame)
    everywhere_else = ("associated", "different", "neutral")
    assert terms["attribute"] == terms["group_attribute"] == everywhere_else
    said = [
        f"The term {name} is left out for human: no two pairs share {by}, so that it cannot be "
        f"told from the noise."
        for name, by in (("group_attribute", "group and attribute"), ("attribute", "attribute"))
    ]
    assert reasons == (said[0], TWICE, said[1])


def test_a_single_human_attribute():
    frame = make_frame(n_words=4, n_attributes=SIZES | {"human": 1})
    terms, reasons = simplified(frame)
    everywhere_else = ("associated", "different", "neutral")
    assert terms["attribute"] == terms["word_list"] == everywhere_else
    assert terms["group_attribute"] == everywhere_else
    assert terms["group_list"] == LISTED  # two groups, several words each
    assert reasons == (
        "The term group_attribute is left out for human: pairs that share group and attribute are "
        "those that share group and attribute list, so that it cannot be told from group_list.",
        TWICE,
        "The term attribute is left out for human: all pairs of a connection share attribute, so "
        "that it cannot be told from the connection's mean.",
        "The term word_list is left out for human: no two pairs share protected word and attribute "
        "list, so that it cannot be told from the noise.",
    )


def test_one_word_in_a_frame():
    assert simplified(weat_frame().query("protected_word == 'word0'"))[0] == {}


def test_attributes_that_meet_one_word():
    frame = make_frame(n_words=4, n_attributes=SIZES)
    frame["attribute"] = frame["attribute"] + frame["protected_word"]
    assert list(simplified(frame)[0]) == ["word", "word_list", "group_list"]
    assert list(simplified(frame, "crossed")[0]) == ["word"]
    assert list(simplified(frame, "paper")[0]) == ["word"]
    assert simplified(frame, "complete-pooling") == ({}, ())


def test_a_term_of_the_users_own():
    run = TermSpec("run", ["run"], Prior("exponential", rate=10.0))
    spec = bb.load_model("crossed")
    spec = spec.replace(terms=[*spec.terms, run])
    frame = weat_frame().assign(run=1)
    simpler, reasons = drop_unidentified_terms(spec, frame)
    assert simpler == bb.load_model("crossed")
    assert reasons == (
        "The term run is left out: all pairs of a connection share run, so that it cannot be told "
        "from the connection's mean.",
    )
    frame["run"] = np.resize([1, 2], len(frame))
    assert drop_unidentified_terms(spec, frame) == (spec, ())


def test_few_levels_are_no_reason():
    frame = make_frame(n_words=4, n_attributes={"associated": 2, "different": 2, "human": 2})
    assert len(simplified(frame)[0]) == 5


def one_group_of(frame):
    return frame[frame.group == frame.group[0]].reset_index(drop=True)


def test_a_changed_prior_leaves_a_model_as_able_to_adapt_as_it_was():
    """Which was told from the hash of the shipped models: then nothing was left out, silently."""
    spec = bb.load_model("maximal")
    changed = spec.replace(priors={"word_sd": Prior("exponential", rate=2.0)})
    fits = [bb.fit(one_group_of(weat_frame()), model, seed=1) for model in (spec, changed)]
    assert fits[0].left_out == fits[1].left_out
    assert any("group_attribute" in reason for reason in fits[1].left_out)


def test_a_model_that_does_not_adapt_is_fitted_as_it_is_written():
    spec = bb.load_model("maximal").replace(adapts=False)
    assert spec.id == bb.load_model("maximal").id  # adapted, they have the same posterior
    with pytest.raises(ModelError, match="term 'group_list': its levels are the connections"):
        bb.fit(one_group_of(weat_frame()), spec, seed=1)


def test_a_fit_adapts_again_to_other_pairs():
    """As placebo lists and words left out are: what these cannot tell goes too."""
    fit = bb.fit(weat_frame(), "maximal", seed=1)
    terms = [term.name for term in fit.spec.terms]
    assert "group_attribute" in terms
    again, _ = adapt_model_to_data(fit.spec, one_group_of(weat_frame()))
    assert [term.name for term in again.terms] == ["word", "word_list", "attribute"]
    assert ModelSpec.from_json(fit.spec.to_json()) == fit.spec
    older = {key: value for key, value in fit.spec.to_dict().items() if key != "adapts"}
    assert ModelSpec.from_json(json.dumps(older)) == fit.spec


def test_factors_of_crossed_groups_are_added_once():
    spec = bb.load_model("maximal").with_factors(["race"])
    assert "race_attribute" in [term.name for term in spec.terms]
    assert spec.with_factors(["race"]) == spec
