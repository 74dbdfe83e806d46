import numpy as np
import pytest
from scipy import stats

from bayesbias.inference.priors import Prior


@pytest.mark.parametrize(
    ("prior", "law"),
    [
        (Prior("normal", mean=1.0, sd=0.3), stats.norm(1.0, 0.3)),
        (Prior("half_normal", sd=0.5), stats.halfnorm(scale=0.5)),
        (Prior("exponential", rate=2.0), stats.expon(scale=0.5)),
        (Prior("gamma", shape=2.0, rate=0.1), stats.gamma(2.0, scale=10.0)),
    ],
)
def test_priors_are_scipys(prior, law):
    x = np.array([0.01, 0.4, 3.0])
    np.testing.assert_allclose(prior.log_density(x), law.logpdf(x))
    draws = prior.draw(np.random.default_rng(0), (4000,))
    assert stats.kstest(draws, law.cdf).pvalue > 1e-4
    assert Prior(**prior.to_dict()) == prior
