"""The model as PyMC sees it: its log-density is scipy's, in both forms. Nothing is sampled."""

import numpy as np
import pytest
from samples import make_frame
from scipy import stats

import bayesbias as bb
from bayesbias.inference.design import Design
from bayesbias.inference.pymc_model import centred_connections, model_of_design


@pytest.fixture(scope="module")
def design():
    return Design.from_frame(make_frame(n_words=3))


def test_log_density_is_scipys_with_mixed_parametrisations(design):
    centred = np.array([True, False, True, False])
    model = model_of_design(design, bb.load_model("paper"), centred)
    rng = np.random.default_rng(0)
    group_mean, offsets = rng.normal(0.9, 0.1, 4), rng.standard_normal((3, 4))
    word_sd, noise_sd = rng.uniform(0.02, 0.3, 4), rng.uniform(0.05, 0.2, 4)
    word_mean = group_mean + word_sd * offsets
    raw = np.where(centred, word_mean, offsets)
    value = model.compile_logp(jacobian=False)(
        {
            "group_mean": group_mean,
            "word_sd_log__": np.log(word_sd),
            "noise_sd_log__": np.log(noise_sd),
            "word_raw": raw,
        }
    )
    offsets_density = stats.norm.logpdf(offsets)
    expected = (
        stats.norm(1.0, 0.3).logpdf(group_mean).sum()
        + stats.expon(scale=0.5).logpdf([word_sd, noise_sd]).sum()
        # A centred word mean has density N(m, t), which is N(0, 1) of the offset divided by t.
        + np.where(centred, offsets_density - np.log(word_sd), offsets_density).sum()
        + stats.norm(
            word_mean[design.word, design.connection], noise_sd[design.connection]
        ).logpdf(design.response).sum()
    )  # fmt: skip
    assert value == pytest.approx(expected, rel=1e-10)


def test_coordinates_are_words(design):
    model = bb.build_model(make_frame(n_words=3))
    assert list(model.coords["protected_word"]) == ["word0", "word1", "word2"]
    assert list(model.coords["connection"]) == ["associated", "different", "human", "neutral"]
    assert len(model.coords["pair"]) == len(design.response)


def test_many_informative_pairs_are_written_centred():
    rich = make_frame(n_words=20, n_attributes={"human": 100, "neutral": 100}, word_sd=0.1)
    poor = make_frame(n_words=20, n_attributes={"human": 100, "neutral": 100}, word_sd=0.001)
    assert centred_connections(Design.from_frame(rich)).tolist() == [True, True]
    assert centred_connections(Design.from_frame(poor)).tolist() == [False, False]
    assert centred_connections(Design.from_frame(poor), "centred").all()


def test_cells_with_one_pair_do_not_break_the_choice():
    frame = make_frame(n_words=4, n_attributes={"associated": 1, "neutral": 5})
    assert centred_connections(Design.from_frame(frame)).tolist()[0] is False
    frame["cosine_distance"] = 0.7
    assert not centred_connections(Design.from_frame(frame)).any()
