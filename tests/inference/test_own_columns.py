"""A column that a user adds to the frame is a term in their own file, with no code."""

import numpy as np
import pandas as pd
import pytest
from samples import make_frame

import bayesbias as bb
from bayesbias.inference.collapsed import sample_collapsed
from bayesbias.inference.design import Design
from bayesbias.inference.parameters import dimensions
from bayesbias.inference.predictive import log_likelihood, predictive_intervals
from bayesbias.support.shipped_data import data_folder

SHIFTS = {"news": -0.06, "fiction": 0.0, "law": 0.06}


def repeated_frame(column, labels):
    """The same pairs once for each label, each shifted by a known effect."""
    parts = []
    for seed, (label, shift) in enumerate(zip(labels, SHIFTS.values(), strict=True)):
        part = make_frame(n_words=4, word_sd=0.01, noise_sd=0.03, seed=seed)
        part["cosine_distance"] += shift
        parts.append(part.assign(**{column: label}))
    return pd.concat(parts, ignore_index=True)


@pytest.mark.parametrize(
    ("column", "labels"), [("context", ("news", "fiction", "law")), ("run", (3, 1, 2))]
)
def test_a_term_of_the_users_own_is_estimated(tmp_path, column, labels):
    text = (data_folder("models") / "README.md").read_text(encoding="utf-8")
    path = tmp_path / "mine.toml"
    file = text.split("```toml\n")[1].split("```")[0]
    path.write_text(file.replace('"context"', f'"{column}"'), encoding="utf-8")
    frame, spec = repeated_frame(column, labels), bb.load_model(path)
    design = Design.from_frame(frame, spec)
    posterior, _, _ = sample_collapsed(design, spec, draws=1000, chains=2, seed=1)
    assert list(posterior.data_vars) == list(dimensions(design, spec))
    effects = posterior[f"{column}_effect"].sel({f"{column}_level": [str(x) for x in labels]})
    difference = (effects - effects[..., 1]).mean(("chain", "draw")).to_numpy()
    np.testing.assert_allclose(difference, list(SHIFTS.values()), atol=0.01)
    # The effect is part of what is predicted, and of the density of the pairs.
    predicted, _ = predictive_intervals(posterior, design, probs=(0.89,), interval="hpdi")
    means = [predicted[frame[column] == label].mean() for label in labels]
    np.testing.assert_allclose(np.array(means) - means[1], list(SHIFTS.values()), atol=0.01)
    without = spec.without([column])
    less = sample_collapsed(Design.from_frame(frame, without), without, draws=500, chains=1, seed=1)
    gain = log_likelihood(posterior, design).mean(("chain", "draw")).sum()
    loss = log_likelihood(less[0], Design.from_frame(frame, without)).mean(("chain", "draw")).sum()
    assert float(gain - loss) > 100
