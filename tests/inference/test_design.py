"""A model's terms as found in a frame: levels, standard deviations, and what does not fit."""

import numpy as np
import pytest
from samples import make_frame

import bayesbias as bb
from bayesbias.errors import ModelError
from bayesbias.inference.design import Design
from bayesbias.inference.priors import Prior
from bayesbias.inference.terms import NoiseSpec, TermSpec

SD = Prior("exponential", rate=10.0)


def with_terms(*terms, **changes):
    return bb.load_model("crossed").replace(terms=terms, **changes)


def frame_with(**columns):
    """A frame of 2 × 12 pairs with columns of the user's own."""
    sizes = {"associated": 3, "different": 3, "human": 2, "neutral": 4}
    frame = make_frame(n_words=2, n_attributes=sizes)
    return frame.assign(**columns)


def test_maximal_has_the_levels_of_its_columns():
    frame = make_frame()
    design = Design.from_frame(frame, bb.load_model("maximal"))
    word, cell, attribute, both = design.terms
    controls = frame.connection.isin(["human", "neutral"]).to_numpy()
    assert (word.level[controls] == -1).all()
    assert np.array_equal(word.level[~controls], design.word[~controls])
    assert np.array_equal(cell.level, design.cell)
    assert cell.labels[:2] == ("word0 × associated", "word0 × different")
    assert cell.columns["connection"][:2] == ("associated", "different")
    assert (word.sd_labels, cell.sd_dim, attribute.sd_dim) == (
        ("",),
        "connection",
        "attribute_kind",
    )
    assert np.array_equal(attribute.level, design.attribute)
    assert attribute.labels == design.attributes
    assert np.array_equal(attribute.sd, design.kind)
    assert both.n_levels == 2 * attribute.n_levels
    for row in (0, 17, 200):
        values = [both.columns[c][both.level[row]] for c in ("group", "attribute")]
        assert values == frame.loc[row, ["group", "attribute"]].tolist()
    assert np.array_equal(design.noise, design.connection)
    assert [design.groups[g] for g in design.group] == ["group0", "group1"] * 3


def test_a_column_of_the_users_own_is_a_term():
    frame = frame_with(context=np.resize(["news", "fiction"], 24), run=np.resize([10, 9, 10], 24))
    terms = [
        TermSpec("context", ["context"], SD),
        TermSpec("word_run", ["protected_word", "run"], SD, sd_by="run"),
    ]
    design = Design.from_frame(frame, with_terms(*terms, noise=NoiseSpec(SD, "context")))
    context, word_run = design.terms
    assert [context.labels[i] for i in context.level] == frame["context"].tolist()
    assert word_run.labels[0] == "word0 × 10"
    assert word_run.sd_labels == ("10", "9")
    assert word_run.sd_dim == "word_run_sd_run"
    assert [word_run.sd_labels[s] for s in word_run.sd] == list(word_run.columns["run"])
    assert (design.noise_labels, design.noise_dim) == (("news", "fiction"), "noise_sd_context")


def test_a_word_in_lists_of_two_kinds_is_two_attributes():
    frame = frame_with()
    frame.loc[frame.attribute == "human0", "attribute"] = "neutral0"
    design = Design.from_frame(frame, bb.load_model("crossed"))
    attribute = design.terms[1]
    assert {"neutral0 (human)", "neutral0 (neutral)"} < set(attribute.labels)
    assert attribute.labels == design.attributes


def test_a_standard_deviation_may_go_by_what_follows_from_the_levels():
    frame = frame_with()
    design = Design.from_frame(
        frame, with_terms(TermSpec("word", ["protected_word"], SD, sd_by="group"))
    )
    assert design.terms[0].sd.tolist() == [0, 1]
    assert design.terms[0].sd_dim == "group"
    controls = TermSpec(
        "attribute", ["attribute"], SD, connections=["human", "neutral"], sd_by="connection"
    )
    (term,) = Design.from_frame(frame, with_terms(controls)).terms
    assert (term.sd_labels, term.sd_dim) == (("human", "neutral"), "attribute_sd_connection")


@pytest.mark.parametrize(
    ("term", "complaint"),
    [
        ({"by": ["contxt"]}, "no column 'contxt'; add it to the frame; did you mean 'context'"),
        ({"by": ["cosine_distance"]}, "'cosine_distance' holds numbers with fractions"),
        ({"by": ["holes"]}, "column 'holes' is empty in row 3; fill it"),
        ({"sd_by": "runn"}, "term 'x': sd_by: the frame has no column 'runn'"),
        ({"sd_by": "connection"}, "both 'associated' and 'neutral'.*add 'connection' to by"),
        (
            {"by": ["protected_word", "attribute"]},
            "'x': no two pairs have the same protected_word "
            "and attribute, so that its 24 levels are single pairs",
        ),
        ({"by": ["connection"]}, "'x': its levels are the connections"),
        ({"by": ["connection", "attribute_kind"]}, "'x': its levels are the connections"),
        (
            {"by": ["attribute", "attribute_set"]},
            "same levels as term 'attribute': pairs that "
            "share attribute and attribute_set share attribute too",
        ),
    ],
)
def test_a_term_that_does_not_fit_is_named(term, complaint):
    frame = frame_with(context=np.resize(["a", "b"], 24), holes=np.resize(["a", "b", None], 24))
    spec = with_terms(
        TermSpec("attribute", ["attribute"], SD),
        TermSpec(**({"name": "x", "by": ["protected_word"], "prior": SD} | term)),
    )
    with pytest.raises(ModelError, match=f"model 'crossed': .*{complaint}"):
        Design.from_frame(frame, spec)


def test_a_term_that_acts_nowhere_is_refused():
    frame = make_frame(n_attributes={"human": 3, "neutral": 3})
    with pytest.raises(ModelError, match="term 'word': no pair is associated or different"):
        Design.from_frame(frame, bb.load_model("maximal"))


def test_the_same_levels_with_other_standard_deviations_are_another_term():
    cells = ["protected_word", "connection"]
    twice = [TermSpec("a", cells, SD), TermSpec("b", cells, SD, sd_by="connection")]
    assert len(Design.from_frame(frame_with(), with_terms(*twice)).terms) == 2


def test_connections_can_be_a_term_where_their_means_are_fixed():
    term = TermSpec("connection_shift", ["connection"], SD)
    assert len(Design.from_frame(frame_with(), with_terms(term, connection_mean=1.0)).terms) == 1


def test_a_derived_column_of_the_users_own_must_agree():
    spec = bb.load_model("crossed")
    with pytest.raises(ModelError, match="column 'attribute_kind' of its own"):
        Design.from_frame(frame_with(attribute_kind="human"), spec)
    kinds = make_frame().connection.replace({"associated": "stereotype", "different": "stereotype"})
    Design.from_frame(make_frame().assign(attribute_kind=kinds), spec)


def test_cells_are_counted_and_averaged():
    design = Design.from_frame(make_frame(), bb.load_model("paper"))
    assert design.protected_words == tuple(f"word{i}" for i in range(6))
    assert design.connections == ("associated", "different", "human", "neutral")
    assert design.cell_counts.tolist() == [[5, 6, 15, 20]] * 6
    expected = make_frame().groupby(["protected_word", "connection"])["cosine_distance"].mean()
    np.testing.assert_allclose(design.cell_means[2, 3], expected["word2", "neutral"])
