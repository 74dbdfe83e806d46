"""A model's terms as found in a frame: levels, standard deviations, and what does not fit."""

import numpy as np
import pytest
from alike import list_frame, with_kinds, with_profiles
from samples import make_frame

import bayesbias as bb
from bayesbias.errors import ModelError
from bayesbias.inference.design import Design
from bayesbias.inference.priors import Prior
from bayesbias.inference.terms import NoiseSpec, TermSpec

SD = Prior("exponential", rate=10.0)
SHARE = Prior("beta", alpha=0.5, beta=0.5)


def with_terms(*terms, **changes):
    return bb.load_model("crossed").replace(terms=terms, **changes)


def frame_with(**columns):
    """A frame of 2 × 12 pairs with columns of the user's own."""
    sizes = {"associated": 3, "different": 3, "human": 2, "neutral": 4}
    frame = make_frame(n_words=2, n_attributes=sizes)
    return frame.assign(**columns)


def test_maximal_has_the_levels_of_its_columns():
    """`test_block` adds up what pairs share by the columns of the frame."""
    frame = list_frame(n_words=(3, 2), n_reference=2)
    design = Design.from_frame(frame, bb.load_model("maximal"))
    word, cell, of_group, attribute, protected, both = design.terms
    controls = frame.connection.isin(["human", "neutral"]).to_numpy()
    assert np.array_equal(word.level, np.where(controls, -1, design.word))
    assert (word.sd_labels, word.sd_dims) == (("stereotype", "reference"), ("word_sd_pair_kind",))
    assert word.sd.tolist() == [0] * 5 + [1] * 2
    assert cell.labels[:2] == ("word00 × list0", "word00 × list1")
    assert cell.columns["attribute_set"][:3] == ("list0", "list1", "human")
    assert (cell.sd_dims, attribute.sd_dims) == (("pair_kind",), ("attribute_kind",))
    assert protected.sd_dims == ()
    assert cell.sd_labels == ("stereotype", "human", "neutral", "reference")
    assert (len(of_group.labels), of_group.fixed_sd, of_group.prior) == (8, 0.5, None)
    assert attribute.labels == design.attributes
    assert np.array_equal(attribute.sd, design.kind)
    values = [both.columns[column][both.level[75]] for column in ("group", "attribute")]
    assert values == frame.loc[75, ["group", "attribute"]].tolist()
    assert [design.noise_labels[i] for i in design.noise] == with_kinds(frame).pair_kind.tolist()
    assert [design.groups[g] for g in design.group] == (
        ["group0"] * 3 + ["group1"] * 2 + ["reference"] * 2
    )


def test_reference_words_are_none_of_the_protected_words():
    frame = list_frame(n_words=(3, 2), n_reference=2)
    for rows in (frame, frame.iloc[::-1].reset_index(drop=True)):
        design = Design.from_frame(rows, bb.load_model("maximal"))
        words = [design.protected_words[i] for i in design.protected]
        assert words == [w for w in design.protected_words if w.startswith("word")]
        assert {design.groups[g] for g in design.protected_groups} == {"group0", "group1"}
        assert design.connections == (*design.protected_connection_names, "reference")
        assert design.protected_connections.tolist() == [0, 1, 2, 3]
        assert [design.attribute_sets[i] for i in design.attribute_set] == (
            rows.attribute_set.tolist()
        )


def test_reference_rows_are_left_out_for_models_without_them():
    frame = list_frame(n_reference=2)
    design = Design.from_frame(frame, bb.load_model("crossed"))
    assert "reference" not in (*design.groups, *design.connections)
    assert len(design.response) == (frame.group != "reference").sum()


def test_what_is_alike_is_told_by_the_frame():
    frame = list_frame(n_reference=2)
    spec = bb.load_model("maximal")
    plain = Design.from_frame(frame, spec)
    assert plain.similarity is None
    assert not plain.noise_similar.any()
    assert plain.noise_tables == {}
    design = Design.from_frame(with_profiles(frame), spec)
    assert [term.similar for term in design.terms] == [False] * 3 + [True] * 3
    assert design.similarity.shape == (len(design.attributes),) * 2
    assert design.noise_similar.tolist() == [True] * 4
    assert design.noise_similar_labels == design.noise_labels
    assert design.noise_similar_dims == ("pair_kind",)
    crossed = Design.from_frame(with_profiles(frame), bb.load_model("crossed"))
    assert crossed.similarity is None


def test_a_part_of_the_noise_may_be_alike_for_some_connections():
    frame = with_profiles(list_frame())
    noise = NoiseSpec(SD, "pair_kind", ["attribute"], SHARE, ["associated", "different", "human"])
    design = Design.from_frame(frame, bb.load_model("crossed").replace(noise=noise))
    assert design.noise_similar.tolist() == [True, True, False]
    assert design.noise_similar_labels == ("stereotype", "human")
    assert design.noise_similar_dims == ("noise_similar_sd_pair_kind",)
    for level, table in design.noise_tables.items():
        assert (design.noise[table] == level).all()
        np.testing.assert_array_equal(design.word[table], design.word[table][:, :1] + 0 * table)
        np.testing.assert_array_equal(
            design.attribute[table], design.attribute[table][:1] + 0 * table
        )
    assert [table.shape for table in design.noise_tables.values()] == [(5, 7), (5, 4)]
    missing = Design.from_frame(
        frame.drop(index=0).reset_index(drop=True), bb.load_model("crossed").replace(noise=noise)
    )
    with pytest.raises(ValueError, match="not every word meets every attribute once"):
        _ = missing.noise_tables


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
    assert word_run.sd_dims == ("word_run_sd_run",)
    assert [word_run.sd_labels[s] for s in word_run.sd] == list(word_run.columns["run"])
    assert (design.noise_labels, design.noise_dims) == (("news", "fiction"), ("noise_sd_context",))


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
    assert design.terms[0].sd_dims == ("group",)
    controls = TermSpec(
        "attribute", ["attribute"], SD, connections=["human", "neutral"], sd_by="connection"
    )
    (term,) = Design.from_frame(frame, with_terms(controls)).terms
    assert (term.sd_labels, term.sd_dims) == (("human", "neutral"), ("attribute_sd_connection",))


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
    with pytest.raises(ModelError, match="'word': no pair is associated or different or ref"):
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


def test_cells_are_counted():
    design = Design.from_frame(make_frame(), bb.load_model("paper"))
    assert design.protected_words == tuple(f"word{i}" for i in range(6))
    assert design.connections == ("associated", "different", "human", "neutral")
    assert design.cell_counts.tolist() == [[5, 6, 15, 20]] * 6
