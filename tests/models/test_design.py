"""A model's terms as found in a frame: levels, standard deviations, and what does not fit."""

import numpy as np
import pytest
from alike import lacking, list_frame, profiles_for, with_kinds
from samples import make_frame

import bayesbias as bb
from bayesbias.errors import ModelError
from bayesbias.models.design import Design
from bayesbias.models.parameters import axes
from bayesbias.models.terms import NoiseSpec, Prior, TermSpec

SD = Prior("exponential", rate=10.0)


def with_terms(*terms, **changes):
    return bb.load_model("crossed").replace(terms=terms, **changes)


def frame_with(**columns):
    """A frame of 2 × 12 pairs with columns of the user's own."""
    sizes = {"associated": 3, "different": 3, "human": 2, "neutral": 4}
    frame = make_frame(n_words=2, n_attributes=sizes)
    return frame.assign(**columns)


def test_maximal_has_the_levels_of_its_columns():
    """`test_block` adds up what pairs share by the columns of the frame."""
    frame = list_frame(n_words=(3, 2), matched=True)
    design = Design(frame, bb.load_model("maximal"))
    of = {term.name: term for term in design.terms}
    controls = frame.connection.isin(["human", "neutral"]).to_numpy()
    assert np.array_equal(of["word"].level, np.where(controls, -1, design.word))
    assert (of["word"].sd_labels, of["word"].sd_dims) == (("",), ())
    assert of["word_list"].labels[:2] == (
        "word00 × stereotype × list0",
        "word00 × stereotype × list1",
    )
    assert of["word_list"].columns["attribute_set"][:3] == ("list0", "list1", "human")
    assert (of["word_list"].sd_dims, of["attribute"].sd_dims) == (("attribute_kind",),) * 2
    assert of["word_list"].sd_labels == ("stereotype", "human", "neutral")
    assert (of["kind"].labels, of["kind"].prior) == (("stereotype", "human", "neutral"), None)
    sizes = {name: len(term.labels) for name, term in of.items()}
    assert [sizes[n] for n in ("group_kind", "list", "group_list", "word_list")] == [6, 4, 8, 20]
    assert [sizes[n] for n in ("match", "match_list", "match_attribute")] == [3, 12, 42]
    assert of["match"].columns["match"] == ("set0", "set1", "set2")
    assert of["attribute"].labels == design.attributes
    assert np.array_equal(of["attribute"].sd, design.kind)
    both = of["group_attribute"]
    values = [both.columns[column][both.level[45]] for column in ("group", "attribute")]
    assert values == frame.loc[45, ["group", "attribute"]].tolist()
    kinds = with_kinds(frame).attribute_kind.tolist()
    assert [design.noise_labels[i] for i in design.noise] == kinds
    assert [design.groups[g] for g in design.group] == ["group0"] * 3 + ["group1"] * 2
    assert design.has_groups


def test_profiles_tell_what_is_alike():
    frame = list_frame(matched=True)
    spec = bb.load_model("maximal")
    plain = Design(frame, spec)
    assert plain.similarity is None
    assert not plain.noise_similar.any()
    design = Design(frame, spec, profiles_for(frame))
    similar = [term.name for term in design.terms if term.similar]
    assert similar == ["attribute", "group_attribute", "match_attribute"]
    assert design.similarity.shape == (len(design.attributes),) * 2
    assert design.noise_similar.tolist() == [True] * 3
    assert axes(design)["noise_similar_sd"] == {"attribute_kind": design.noise_labels}
    crossed = Design(frame, bb.load_model("crossed"), profiles_for(frame))
    assert crossed.similarity is None


def test_a_column_of_the_users_own_is_a_term():
    frame = frame_with(context=np.resize(["news", "fiction"], 24), run=np.resize([10, 9, 10], 24))
    terms = [
        TermSpec("context", ["context"], SD),
        TermSpec("word_run", ["protected_word", "run"], SD, sd_by="run"),
    ]
    design = Design(frame, with_terms(*terms, noise=NoiseSpec(SD, "context")))
    context, word_run = design.terms
    assert [context.labels[i] for i in context.level] == frame["context"].tolist()
    assert word_run.labels[0] == "word0 × 10"
    assert word_run.sd_labels == ("10", "9")
    assert word_run.sd_dims == ("word_run_sd_run",)
    assert [word_run.sd_labels[s] for s in word_run.sd] == list(word_run.columns["run"])
    assert (design.noise_labels, design.noise_dims) == (("news", "fiction"), ("noise_sd_context",))


def test_a_word_in_lists_of_two_kinds_is_two_attributes():
    frame = frame_with()
    frame.loc[frame.attribute == "human0", "attribute"] = "neutral0"
    design = Design(frame, bb.load_model("crossed"))
    attribute = design.terms[1]
    assert {"neutral0 (human)", "neutral0 (neutral)"} < set(attribute.labels)
    assert attribute.labels == design.attributes


def test_a_standard_deviation_may_go_by_what_follows_from_the_levels():
    frame = frame_with()
    design = Design(frame, with_terms(TermSpec("word", ["protected_word"], SD, sd_by="group")))
    assert design.terms[0].sd.tolist() == [0, 1]
    assert design.terms[0].sd_dims == ("group",)
    controls = TermSpec(
        "attribute", ["attribute"], SD, connections=["human", "neutral"], sd_by="connection"
    )
    (term,) = Design(frame, with_terms(controls)).terms
    assert (term.sd_labels, term.sd_dims) == (("human", "neutral"), ("attribute_sd_connection",))


@pytest.mark.parametrize(
    ("term", "complaint"),
    [
        ({"by": ["contxt"]}, "no column 'contxt'; add it to the frame; did you mean 'context'"),
        ({"by": ["cosine_distance"]}, "'cosine_distance' holds numbers with fractions"),
        ({"by": ["holes"]}, "column 'holes' is empty in row 3; fill it"),
        ({"sd_by": "runn"}, "term 'x': sd_by: the frame has no column 'runn'"),
        ({"sd_by": "connection"}, "both 'associated' and 'neutral'.*add 'connection' to by"),
    ],
)
def test_a_term_that_does_not_fit_is_named(term, complaint):
    frame = frame_with(context=np.resize(["a", "b"], 24), holes=np.resize(["a", "b", None], 24))
    spec = with_terms(
        TermSpec("attribute", ["attribute"], SD),
        TermSpec(**({"name": "x", "by": ["protected_word"], "prior": SD} | term)),
    )
    with pytest.raises(ModelError, match=f"model 'crossed, changed': .*{complaint}"):
        Design(frame, spec)


def test_a_term_that_acts_nowhere_is_refused():
    frame = make_frame(n_attributes={"human": 3, "neutral": 3})
    spec = bb.load_model("maximal")
    with pytest.raises(ModelError, match="'word': no pair is associated or different or una"):
        Design(frame, lacking(spec, ["match", "match_list", "match_attribute"]))


def test_a_term_that_the_data_alone_cannot_tell_is_kept():
    """Its prior can: with one list of a kind, list and kind are one column of the design."""
    frame = frame_with()
    same = TermSpec("twin", ["attribute", "attribute_set"], SD)
    terms = TermSpec("attribute", ["attribute"], SD), same
    both = Design(frame, with_terms(*terms)).terms
    assert np.array_equal(both[0].level, both[1].level)
    single = TermSpec("pair", ["protected_word", "attribute"], SD)
    assert len(Design(frame, with_terms(single)).terms[0].labels) == len(frame)


def test_a_derived_column_of_the_users_own_must_agree():
    spec = bb.load_model("crossed")
    with pytest.raises(ModelError, match="column 'attribute_kind' of its own"):
        Design(frame_with(attribute_kind="human"), spec)
    kinds = make_frame().connection.replace({"associated": "stereotype", "different": "stereotype"})
    Design(make_frame().assign(attribute_kind=kinds), spec)
