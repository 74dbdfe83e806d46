"""Questions as weights, on frames whose answers can be written by hand."""

import numpy as np
import pytest
from alike import designed, list_frame
from samples import in_copies, make_frame
from scipy import stats

import bayesbias as bb
from bayesbias.inference.design import Design
from bayesbias.inference.identifiability import drop_unidentified_terms
from bayesbias.inference.parameters import (
    coordinates,
    derived,
    dimensions,
    draws_of,
    labelled,
    samples,
)
from bayesbias.inference.priors import Prior
from bayesbias.inference.questions import connection_weights, group_weights, stacked, word_weights
from bayesbias.inference.terms import TermSpec

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
    return draws_of(design, weights, values, np.random.default_rng(1))


def effect(design, values, name, *label):
    """The effect of a term at the level of this label."""
    (term,) = (term for term in design.terms if term.name == name)
    return values[f"{name}_effect"][:, term.labels.index(" × ".join(label))]


def mean_of(design, values, connection):
    return values["connection_mean"][:, design.connections.index(connection)]


def lists_of(frame, group, connection):
    rows = frame[(frame.group == group) & (frame.connection == connection)]
    return rows.attribute_set.unique()


FRAMES = {
    "two groups": list_frame(),
    "two groups, reference words": list_frame(n_reference=2),
    "three groups": list_frame(n_words=(2, 3, 2), sizes=(2, 5, 3)),
    "three groups, reference words": list_frame(n_words=(2, 3, 2), sizes=(2, 5, 3), n_reference=3),
    "reference words first": list_frame(n_reference=2).iloc[::-1].reset_index(drop=True),
}


@pytest.fixture(params=FRAMES, scope="module")
def case(request):
    frame = FRAMES[request.param]
    design, _ = designed(frame, "maximal")
    return frame, design, values_of(design)


def group_means(frame, design, values):
    """The mean of every protected group and connection: the plain mean over its lists."""
    found = []
    for group in (design.groups[g] for g in design.protected_groups):
        for connection in LISTED:
            own = [
                effect(design, values, "group_list", group, name)
                for name in lists_of(frame, group, connection)
            ]
            found.append(mean_of(design, values, connection) + np.mean(own, axis=0))
    return np.stack(found, axis=1)


def test_a_groups_mean_is_the_connections_and_its_effect_on_the_lists(case):
    frame, design, values = case
    assert design.has_groups
    found = answers(design, group_weights(design), values)
    np.testing.assert_allclose(found, group_means(frame, design, values))


def test_the_mean_of_a_connection_is_that_of_its_groups(case):
    frame, design, values = case
    found = answers(design, connection_weights(design), values)
    of_groups = group_means(frame, design, values).reshape(3, -1, 4)
    np.testing.assert_allclose(found, of_groups.mean(axis=1))


def test_a_words_mean_adds_what_is_of_the_word_alone(case):
    frame, design, values = case
    found = answers(design, word_weights(design), values)
    means = derived(values, design, np.random.default_rng(0))["word_mean"]
    np.testing.assert_array_equal(means.reshape(3, -1), found)
    words = [design.protected_words[w] for w in design.protected]
    assert words == [w for w in design.protected_words if w.startswith("word")]
    assert found.shape == (3, 4 * len(words))
    of_groups = group_means(frame, design, values).reshape(3, -1, 4)
    groups = [design.groups[g] for g in design.protected_groups]
    for w, word in enumerate(words):
        group = design.groups[design.group[design.protected[w]]]
        for c, connection in enumerate(LISTED):
            own = [
                effect(design, values, "word_list", word, name)
                for name in lists_of(frame, group, connection)
            ]
            expected = of_groups[:, groups.index(group), c] + np.mean(own, axis=0)
            if c < 2:
                expected = expected + effect(design, values, "word", word)
            np.testing.assert_allclose(found[:, 4 * w + c], expected)


def test_reference_words_weigh_nothing(case):
    _, design, _ = case
    if "reference" not in design.connections:
        pytest.skip("none in the frame")
    at = design.connections.index("reference")
    for weights in (word_weights(design), group_weights(design), connection_weights(design)):
        assert (weights.mean[:, at] == 0).all()
        for term in design.terms:
            own = [i for i, label in enumerate(term.labels) if label.startswith(("person", "ref"))]
            if term.name in weights.effects:
                assert not weights.effects[term.name][:, own].toarray().any()


def test_differences_are_combinations(case):
    _, design, values = case
    weights, matrix = group_weights(design), np.random.default_rng(2).normal(size=(3, 1))
    matrix = np.kron(matrix, np.random.default_rng(3).normal(size=(1, len(weights.mean))))
    found = answers(design, weights.combined(matrix), values)
    np.testing.assert_allclose(found, answers(design, weights, values) @ matrix.T)
    rows = np.array([5, 1])
    np.testing.assert_allclose(
        answers(design, weights.rows(rows), values), answers(design, weights, values)[:, rows]
    )
    assert len(weights.rows(slice(1, 4)).mean) == 3


def test_questions_of_several_kinds_are_stacked(case):
    _, design, values = case
    parts = [connection_weights(design), word_weights(design), group_weights(design)]
    found = answers(design, stacked(parts), values)
    expected = [answers(design, part, values) for part in parts]
    np.testing.assert_allclose(found, np.hstack(expected))


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
    found = derived(values, design, np.random.default_rng(0))["connection_mean"]
    np.testing.assert_array_equal(found, answers(design, connection_weights(design), values))
    np.testing.assert_allclose(found[:, [0, 2, 3]], words.mean(axis=1)[:, [0, 2, 3]])
    np.testing.assert_allclose(found[:, 1], words[:, [0, 2], 1].mean(axis=1))


def test_a_new_level_is_shared_and_has_a_standard_deviation_of_its_kind():
    """Both words of a group without pairs of a list have one effect of the group's."""
    frame = list_frame(n_words=(2, 2))
    frame = frame[(frame.group != "group1") | (frame.connection != "human")]
    design, _ = designed(frame, "maximal")
    weights = word_weights(design)
    human = [w * 4 + 2 for w in range(4)]
    assert [len(weights.new_sd[name]) for name in ("group_list", "word_list")] == [1, 2]
    (word_list,) = (term for term in design.terms if term.name == "word_list")
    assert [word_list.sd_labels[i] for i in weights.new_sd["word_list"]] == ["human"] * 2
    of_groups = weights.effects["group_list"].toarray()[human]
    np.testing.assert_array_equal(of_groups[:, -1], [0, 0, 1, 1])
    of_words = weights.effects["word_list"].toarray()[human]
    np.testing.assert_array_equal(of_words[:, -2:], [[0, 0], [0, 0], [1, 0], [0, 1]])
    np.testing.assert_array_equal(of_words.sum(axis=1), 1)
    # A connection that one group has is the mean of that group.
    values = values_of(design)
    found = answers(design, connection_weights(design), values)[:, 2]
    np.testing.assert_allclose(found, answers(design, group_weights(design), values)[:, 2])


def test_an_unbalanced_cell_weighs_lists_alike():
    """A missing pair changes no weight: a list counts once, however many pairs it has."""
    frame = list_frame(n_words=(2, 2, 2), sizes=(2, 5, 3))
    fewer = frame.drop(index=[2, 3, 20]).reset_index(drop=True)
    for ask in (word_weights, group_weights, connection_weights):
        one, other = (ask(designed(f, "maximal")[0]) for f in (frame, fewer))
        np.testing.assert_allclose(one.mean, other.mean)
        for name, found in one.effects.items():
            np.testing.assert_allclose(found.toarray(), other.effects[name].toarray())


def test_reference_words_have_no_means_of_words():
    frame = list_frame(n_reference=2)
    spec = bb.load_model("maximal")
    for rows, dim in (
        (frame[frame.group != "reference"], "connection"),
        (frame, "protected_connection"),
    ):
        design, _ = designed(rows, "maximal")
        assert dimensions(design, spec)["word_mean"] == ("protected_word", dim)
        assert coordinates(design)[dim] == LISTED
        words = [f"word0{i}" for i in range(3)] + ["word10", "word11"]
        assert coordinates(design)["protected_word"] == words


def test_cells_without_pairs_have_new_draws():
    """Of a word on a list, and of a group, whose standard deviation the model fixes."""
    frame = make_frame(n_words=4)
    frame = frame[
        ((frame.protected_word != "word1") | (frame.connection != "different"))
        & ((frame.group != "group1") | (frame.connection != "human"))
    ]
    spec = bb.load_model("maximal").without(["protected_attribute"])
    for left_out in ([], ["word_list"]):
        design = Design.from_frame(frame, spec.without(left_out))
        values = values_of(design, 4000)
        mean = derived(values, design, np.random.default_rng(0))["word_mean"]
        if left_out:
            np.testing.assert_array_equal(mean[:, 1, 2], mean[:, 3, 2])
            rest = (mean[:, 1, 2] - values["connection_mean"][:, 2]) / 0.5
        else:
            rest = mean[:, 1, 1] - values["connection_mean"][:, 1] - values["word_effect"][:, 1]
            rest -= effect(design, values, "group_list", "group1", "different")
            rest /= values["word_list_sd"][:, 0]
        assert stats.kstest(rest, "norm").pvalue > 1e-3


def test_effects_of_other_columns_are_not_the_words():
    frame = make_frame().assign(run=np.resize(["a", "b"], len(make_frame())))
    prior = Prior("exponential", rate=10.0)
    terms = [
        TermSpec("word_run", ["protected_word", "run"], prior),
        TermSpec("run", ["run"], prior),
    ]
    design = Design.from_frame(frame, bb.load_model("paper").replace(terms=terms))
    values = values_of(design)
    found = answers(design, word_weights(design), values).reshape(3, 6, 4)
    np.testing.assert_array_equal(found, np.repeat(values["connection_mean"][:, None], 6, axis=1))


@pytest.mark.parametrize("name", [n for n in bb.list_models() if "change" not in n])
def test_a_posterior_is_labelled(name):
    spec = bb.load_model(name)
    copied = list(spec.repeating)
    frame = in_copies(make_frame(), copied)
    spec, _ = drop_unidentified_terms(spec, frame)
    design = Design.from_frame(frame, spec)
    values = values_of(design, 6)
    values |= derived(values, design, np.random.default_rng(0))
    values["degrees_of_freedom"] = np.ones(6)
    posterior = labelled(values, design, spec, draws=3, chains=2)
    assert list(posterior.data_vars) == list(dimensions(design, spec))
    assert posterior.sizes["chain"] == 2
    assert set(coordinates(design)) <= set(posterior.coords)
    for parameter in posterior.data_vars:
        np.testing.assert_array_equal(samples(posterior, parameter), values[parameter])
    if name == "maximal":
        he = posterior["group_attribute_level_group"] == "group1"
        assert int(he.sum()) == 46
        assert posterior["word_list_sd"].sel(pair_kind="human").shape == (2, 3)
