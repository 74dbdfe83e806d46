"""Questions as weights, on frames whose answers can be written by hand."""

import numpy as np
import pytest
from alike import designed, list_frame
from samples import make_frame

import bayesbias as bb
from bayesbias.fits.screen import screen
from bayesbias.models.design import Design
from bayesbias.models.parameters import (
    Cells,
    axes,
    cell_weights,
    connection_weights,
    coordinates,
    derived,
    draws_of,
    group_weights,
    labelled,
    samples,
    word_cell_weights,
    word_weights,
)
from bayesbias.models.terms import Prior, TermSpec

LISTED = ["associated", "different", "human", "neutral"]


def values_of(design, n=3, seed=0):
    """Draws of means, effects and standard deviations, any numbers."""
    rng = np.random.default_rng(seed)
    values = {"noise_sd": np.ones((n, len(design.noise_labels)) if design.noise_dims else n)}
    if design.fixed_mean is None:
        values["connection_mean"] = rng.normal(size=(n, len(design.connections)))
    for term in design.terms:
        if term.prior is not None:
            sds = rng.uniform(0.5, 2.0, (n, len(term.sd_labels)))
            values[f"{term.name}_sd"] = sds if term.sd_dims else sds[:, 0]
        values[f"{term.name}_effect"] = rng.normal(size=(n, len(term.labels)))
    return values


def answers(design, weights, values):
    """Draws by question: (draws, F)."""
    return draws_of(design, weights, values)


def effect(design, values, name, *label):
    """The effect of a term at the level of this label."""
    (term,) = (term for term in design.terms if term.name == name)
    return values[f"{name}_effect"][:, term.labels.index(" × ".join(label))]


def lists_of(frame, group, connection):
    rows = frame[(frame.group == group) & (frame.connection == connection)]
    return rows.attribute_set.unique()


KINDS = dict(zip(LISTED, ("stereotype", "stereotype", "human", "neutral"), strict=True))
FRAMES = {
    "two groups": list_frame(),
    "matched words": list_frame(matched=True),
    "three groups": list_frame(n_words=(2, 3, 2), sizes=(2, 5, 3), matched=True),
    "last rows first": list_frame(matched=True).iloc[::-1].reset_index(drop=True),
}


@pytest.fixture(params=FRAMES, scope="module")
def case(request):
    frame = FRAMES[request.param]
    design, _ = designed(frame, "maximal")
    return frame, design, values_of(design)


def cell_mean(design, values, group, kind, name):
    """The mean of a group and a list: main effects and interaction, from the fixed mean."""
    of = [
        effect(design, values, "kind", kind),
        effect(design, values, "group_kind", group, kind),
        effect(design, values, "list", kind, name),
        effect(design, values, "group_list", group, kind, name),
    ]
    return design.fixed_mean + np.sum(of, axis=0)


def group_means(frame, design, values):
    """The mean of every protected group and connection: the plain mean over its lists."""
    columns = []
    for group in design.groups:
        for connection in LISTED:
            own = lists_of(frame, group, connection)
            cells = [cell_mean(design, values, group, KINDS[connection], name) for name in own]
            columns.append(np.mean(cells, axis=0))
    return np.stack(columns, axis=1)


def test_a_cell_is_main_effects_and_interaction(case):
    frame, design, values = case
    cells = Cells.of(design)
    means = answers(design, cell_weights(design, cells), values)
    assert means.shape[1] == frame.groupby(["group", "attribute_set"]).ngroups
    for i, (g, s, c) in enumerate(zip(cells.group, cells.list, cells.connection, strict=True)):
        group, name = design.groups[g], design.attribute_sets[s]
        connection = design.connections[c]
        rows = frame[(frame.group == group) & (frame.attribute_set == name)]
        assert set(rows.connection) == {connection}
        assert sorted(cells.pairs[i]) == rows.index.tolist()
        expected = cell_mean(design, values, group, KINDS[connection], name)
        np.testing.assert_allclose(means[:, i], expected)


def word_effects(frame, design, values, word, name):
    """What a word, and its matched set, have with a list beyond the group's."""
    rows = frame[(frame.protected_word == word) & (frame.attribute_set == name)]
    connection = rows.connection.iloc[0]
    kind = KINDS[connection]
    of = [effect(design, values, "word_list", word, kind, name)]
    of += [effect(design, values, "word", word)] * (kind == "stereotype")
    if "match" in frame:
        match = rows.match.iloc[0]
        of.append(effect(design, values, "match_list", match, kind, name))
        of += [effect(design, values, "match", match)] * (kind == "stereotype")
    return np.sum(of, axis=0)


def test_a_words_cell_adds_what_is_of_the_word_and_its_matched_set(case):
    frame, design, values = case
    cells = Cells.of(design)
    words, of_cell, weights = word_cell_weights(design, cells)
    means = answers(design, weights, values)
    of_cells = answers(design, cell_weights(design, cells), values)
    assert len(words) == frame.groupby(["protected_word", "attribute_set"]).ngroups
    for i, (w, c) in enumerate(zip(words, of_cell, strict=True)):
        name = design.attribute_sets[cells.list[c]]
        own = word_effects(frame, design, values, design.protected_words[w], name)
        np.testing.assert_allclose(means[:, i], of_cells[:, c] + own)


def test_means_of_groups_are_those_of_their_lists_and_of_connections_those_of_groups(case):
    frame, design, values = case
    assert design.has_groups
    expected = group_means(frame, design, values)
    np.testing.assert_allclose(answers(design, group_weights(design), values), expected)
    found = answers(design, connection_weights(design), values)
    np.testing.assert_allclose(found, expected.reshape(3, -1, 4).mean(axis=1))


def test_a_words_mean_adds_what_is_of_the_word_alone(case):
    frame, design, values = case
    found = answers(design, word_weights(design), values)
    means = derived(values, design)["word_mean"]
    np.testing.assert_array_equal(means.reshape(3, -1), found)
    assert found.shape == (3, 4 * len(design.protected_words))
    of_groups = group_means(frame, design, values).reshape(3, -1, 4)
    for w, word in enumerate(design.protected_words):
        group = design.groups[design.group[w]]
        for c, connection in enumerate(LISTED):
            lists = lists_of(frame, group, connection)
            own = [word_effects(frame, design, values, word, name) for name in lists]
            expected = of_groups[:, design.group[w], c] + np.mean(own, axis=0)
            np.testing.assert_allclose(found[:, 4 * w + c], expected)


def test_without_effects_of_groups_a_group_is_the_mean_of_its_words():
    """And the mean of a connection is the parameter of that name."""
    design, _ = designed(list_frame(n_words=(3, 2)), "crossed")
    values = values_of(design)
    assert not design.has_groups
    words = answers(design, word_weights(design), values).reshape(3, 5, 4)
    groups = answers(design, group_weights(design), values).reshape(3, 2, 4)
    np.testing.assert_allclose(groups[:, 0], words[:, :3].mean(axis=1))
    np.testing.assert_allclose(groups[:, 1], words[:, 3:].mean(axis=1))
    found = answers(design, connection_weights(design), values)
    np.testing.assert_array_equal(found, values["connection_mean"])


def test_fixed_means_are_those_of_the_words_with_pairs():
    frame = make_frame(n_words=3)
    frame = frame[(frame.protected_word != "word1") | (frame.connection != "different")]
    design, _ = designed(frame, "no-pooling")
    values = values_of(design)
    words = answers(design, word_weights(design), values).reshape(3, 3, 4)
    np.testing.assert_allclose(words[:, 0], 1 + values["word_effect"][:, :4])
    found = derived(values, design)["connection_mean"]
    np.testing.assert_array_equal(found, answers(design, connection_weights(design), values))
    np.testing.assert_allclose(found[:, [0, 2, 3]], words.mean(axis=1)[:, [0, 2, 3]])
    np.testing.assert_allclose(found[:, 1], words[:, [0, 2], 1].mean(axis=1))


def test_of_a_connection_without_pairs_nothing_is_said():
    """A connection that one group has is the mean of that group; the other has no row for it."""
    frame = list_frame(n_words=(2, 2))
    frame = frame[(frame.group != "group1") | (frame.connection != "human")]
    design, _ = designed(frame, "maximal")
    values = values_of(design)
    assert not word_weights(design)[[10, 14]].nnz
    means = derived(values, design)["word_mean"]
    np.testing.assert_array_equal(
        np.isnan(means[0]), [[False] * 4] * 2 + [[False, False, True, False]] * 2
    )
    of_groups, of_all = group_weights(design), connection_weights(design)
    assert not of_groups[[6]].nnz
    found = answers(design, of_all, values)[:, 2]
    np.testing.assert_allclose(found, answers(design, of_groups, values)[:, 2])
    fit = bb.fit(frame, "crossed", seed=1)
    assert fit.summary("group").groupby("group").size().tolist() == [4, 3]
    rest = fit.summary("word").query("connection == 'human'")
    assert rest["group"].tolist() == ["group0"] * 2
    assert "–" in screen(fit, full=True)


def test_a_group_is_that_of_all_its_words_where_the_first_has_no_pairs():
    frame = list_frame(n_words=(3, 2))
    fewer = frame[(frame.protected_word != "word00") | (frame.connection != "human")]
    for ask in (group_weights, connection_weights):
        one, other = (ask(designed(f, "maximal")[0]).toarray() for f in (frame, fewer))
        assert one[:, one.any(axis=0)].shape[1] == other[:, other.any(axis=0)].shape[1]
        np.testing.assert_allclose(one[:, one.any(axis=0)], other[:, other.any(axis=0)])


def test_an_unbalanced_cell_weighs_lists_alike():
    """A missing pair changes no weight: a list counts once, however many pairs it has."""
    frame = list_frame(n_words=(2, 2, 2), sizes=(2, 5, 3))
    fewer = frame.drop(index=[2, 3, 20]).reset_index(drop=True)
    for ask in (word_weights, group_weights, connection_weights):
        one, other = (ask(designed(f, "maximal")[0]).toarray() for f in (frame, fewer))
        np.testing.assert_allclose(one[:, one.any(axis=0)], other[:, other.any(axis=0)])


def test_effects_of_other_columns_are_not_the_words():
    frame = make_frame().assign(run=np.resize(["a", "b"], len(make_frame())))
    prior = Prior("exponential", rate=10.0)
    terms = [
        TermSpec("word_run", ["protected_word", "run"], prior),
        TermSpec("run", ["run"], prior),
    ]
    design = Design(frame, bb.load_model("paper").replace(terms=terms))
    values = values_of(design)
    found = answers(design, word_weights(design), values).reshape(3, 6, 4)
    np.testing.assert_array_equal(found, np.repeat(values["connection_mean"][:, None], 6, axis=1))


@pytest.mark.parametrize("name", [n for n in bb.list_models() if "change" not in n])
def test_a_posterior_is_labelled(name):
    design, _ = designed(make_frame(), name)
    values = values_of(design, 6)
    values |= derived(values, design)
    posterior = labelled(values, design, draws=3, chains=2)
    assert list(posterior.data_vars) == list(axes(design))
    assert posterior.sizes["chain"] == 2
    assert set(coordinates(design)) <= set(posterior.coords)
    for parameter in posterior.data_vars:
        np.testing.assert_array_equal(samples(posterior, parameter), values[parameter])
    if name == "maximal":
        assert posterior["word_list_sd"].sel(attribute_kind="human").shape == (2, 3)
