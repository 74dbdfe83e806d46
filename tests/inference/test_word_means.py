"""Word means from connection means and effects, and levels that the data do not have."""

import numpy as np
import pytest
from alike import list_frame
from samples import in_copies, make_frame
from scipy import stats

import bayesbias as bb
from bayesbias.inference.design import Design
from bayesbias.inference.identifiability import drop_unidentified_terms
from bayesbias.inference.parameters import coordinates, derived, dimensions, labelled, samples
from bayesbias.inference.priors import Prior
from bayesbias.inference.terms import TermSpec

SD = Prior("exponential", rate=10.0)


def draws_of(design, n=4000, seed=0):
    """Any draws of what word means follow from; the value of an effect says which it is."""
    rng = np.random.default_rng(seed)
    values = {"connection_mean": rng.normal(size=(n, len(design.connections)))}
    values["noise_sd"] = np.ones((n, len(design.noise_labels)))
    for term in design.terms:
        if term.prior is not None:
            sds = rng.uniform(0.5, 2.0, (n, len(term.sd_labels)))
            values[f"{term.name}_sd"] = sds if term.sd_dim else sds[:, 0]
        values[f"{term.name}_effect"] = rng.normal(size=(n, term.n_levels))
    return values


def designed(frame, name="maximal"):
    return Design.from_frame(frame, drop_unidentified_terms(bb.load_model(name), frame)[0])


def test_a_words_mean_adds_what_is_of_the_word_and_its_group():
    design = designed(make_frame())
    values = draws_of(design, n=3)
    mean = derived(values, design, np.random.default_rng(0))["word_mean"]
    cell = values["word_list_effect"].reshape(3, 6, 4)
    of_group = values["group_list_effect"].reshape(3, 2, 4)[:, [0, 1, 0, 1, 0, 1]]
    expected = values["connection_mean"][:, None, :] + cell + of_group
    expected[:, :, :2] += values["word_effect"][:, :, None]
    np.testing.assert_allclose(mean, expected)


def test_a_mean_over_several_lists_is_the_plain_mean_of_theirs():
    """Three groups and lists: two lists are different for a word, however long each is."""
    design = designed(list_frame(n_words=(2, 2, 2), sizes=(2, 5, 3)))
    values = draws_of(design, n=3)
    mean = derived(values, design, np.random.default_rng(0))["word_mean"]
    cell = values["word_list_effect"].reshape(3, 6, 5)
    of_group = values["group_list_effect"].reshape(3, 3, 5)
    for word in range(6):
        group = word // 2
        others = [i for i in range(3) if i != group]
        own = (
            cell[:, word] + of_group[:, group] + values["word_effect"][:, [word]] * [1, 1, 1, 0, 0]
        )
        expected = values["connection_mean"] + np.stack(
            [own[:, group], own[:, others].mean(axis=1), own[:, 3], own[:, 4]], axis=1
        )
        np.testing.assert_allclose(mean[:, word], expected)


def test_reference_words_have_no_means_of_words():
    frame = list_frame(n_reference=2)
    plain, design = designed(frame[frame.group != "reference"]), designed(frame)
    mean = derived(draws_of(design, n=2), design, np.random.default_rng(0))["word_mean"]
    assert mean.shape == (2, 5, 4)
    for found, dim in ((plain, "connection"), (design, "protected_connection")):
        spec = bb.load_model("maximal")
        assert dimensions(found, spec)["word_mean"] == ("protected_word", dim)
        assert coordinates(found)[dim] == ["associated", "different", "human", "neutral"]
        assert coordinates(found)["protected_word"] == [f"word0{i}" for i in range(3)] + [
            "word10",
            "word11",
        ]


def test_a_cell_without_pairs_has_the_words_effect_and_a_new_draw_of_its_own():
    frame = make_frame(n_words=4)
    frame = frame[(frame.protected_word != "word1") | (frame.connection != "different")]
    design = designed(frame)
    values = draws_of(design)
    mean = derived(values, design, np.random.default_rng(0))["word_mean"][:, 1, 1]
    at = design.terms[2].labels.index("group1 × different")
    known = values["word_effect"][:, 1] + values["group_list_effect"][:, at]
    rest = mean - values["connection_mean"][:, 1] - known
    assert stats.kstest(rest / values["word_list_sd"][:, 0], "norm").pvalue > 1e-3


def test_a_group_without_pairs_has_a_new_draw_of_its_lists():
    """With the standard deviation that the model fixes, and one for all words of the group."""
    frame = make_frame(n_words=4)
    frame = frame[(frame.group != "group1") | (frame.connection != "human")]
    spec = bb.load_model("maximal").without(["word_list", "protected_attribute"])
    design = Design.from_frame(frame, spec)
    values = draws_of(design)
    mean = derived(values, design, np.random.default_rng(0))["word_mean"][:, :, 2]
    np.testing.assert_array_equal(mean[:, 1], mean[:, 3])
    rest = mean[:, 1] - values["connection_mean"][:, 2]
    assert stats.kstest(rest / 0.1, "norm").pvalue > 1e-3


def test_words_that_share_a_new_level_share_its_draw():
    frame = make_frame(n_words=4)
    frame = frame[(frame.group != "group1") | (frame.connection != "human")]
    term = TermSpec("group_connection", ["group", "connection"], SD, sd_by="connection")
    design = Design.from_frame(frame, bb.load_model("paper").replace(terms=[term]))
    mean = derived(draws_of(design), design, np.random.default_rng(0))["word_mean"]
    human = mean[:, :, design.connections.index("human")]
    np.testing.assert_array_equal(human[:, 1], human[:, 3])
    assert np.ptp(human[:, 1] - human[:, 0]) > 0


def test_effects_of_other_columns_are_not_the_words():
    frame = make_frame().assign(run=np.resize(["a", "b"], len(make_frame())))
    terms = [TermSpec("word_run", ["protected_word", "run"], SD), TermSpec("run", ["run"], SD)]
    design = Design.from_frame(frame, bb.load_model("paper").replace(terms=terms))
    values = draws_of(design, n=2)
    mean = derived(values, design, np.random.default_rng(0))["word_mean"]
    np.testing.assert_array_equal(mean, np.repeat(values["connection_mean"][:, None], 6, axis=1))


def test_fixed_means_become_the_mean_of_the_words():
    frame = make_frame(n_words=3)
    frame = frame[(frame.protected_word != "word1") | (frame.connection != "different")]
    design = Design.from_frame(frame, bb.load_model("no-pooling"))
    values = draws_of(design, n=2)
    found = derived(values, design, np.random.default_rng(0))
    np.testing.assert_allclose(found["word_mean"][:, 0], 1 + values["word_effect"][:, :4])
    np.testing.assert_allclose(
        found["connection_mean"][:, 1], found["word_mean"][:, [0, 2], 1].mean(axis=1)
    )


@pytest.mark.parametrize("name", [n for n in bb.list_models() if "change" not in n])
def test_a_posterior_is_labelled(name):
    spec = bb.load_model(name)
    copied = [c for c in ("run", "context", "embedding") if any([c] == [*t.by] for t in spec.terms)]
    frame = in_copies(make_frame(), copied)
    spec, _ = drop_unidentified_terms(spec, frame)
    design = Design.from_frame(frame, spec)
    values = draws_of(design, n=6)
    values["noise_sd"] = values["noise_sd"] if design.noise_dim else values["noise_sd"][:, 0]
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
