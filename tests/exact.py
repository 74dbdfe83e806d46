"""The exact posterior of the paper's model, by quadrature, independent of the package.

Given the two standard deviations t (words) and s (noise) of one connection, everything is normal:
word j has n_j pairs with mean y_j, and y_j ~ Normal(m, t² + s²/n_j) with m ~ Normal(1, .3²). A grid
over (t, s) integrates them out; the sum of squares within words informs s besides.
"""

import numpy as np
import pandas as pd


def exact_moments(frame: pd.DataFrame, connection: str, *, size: int = 250) -> dict[str, object]:
    """Return mean and sd of the parameters of one connection, and the word means."""
    part = frame[frame.connection == connection]
    cells = part.groupby("protected_word", sort=False).cosine_distance
    n, y = cells.size().to_numpy(float), cells.mean().to_numpy()
    squares = float(((part.cosine_distance - cells.transform("mean")) ** 2).sum())

    scale = part.cosine_distance.std()
    t = np.exp(np.linspace(np.log(scale * 1e-4), np.log(scale * 30), size))[:, None, None]
    s = np.exp(np.linspace(np.log(scale * 0.3), np.log(scale * 3), size))[None, :, None]
    v = t**2 + s**2 / n
    precision = 1 / 0.3**2 + (1 / v).sum(-1)
    m = (1 / 0.3**2 + (y / v).sum(-1)) / precision
    log_density = (
        -0.5 * (np.log(v).sum(-1) + np.log(precision) + (y**2 / v).sum(-1) - m**2 * precision)
        - (n.sum() - len(n)) * np.log(s[..., 0])
        - 0.5 * squares / s[..., 0] ** 2
        - 2 * (t + s)[..., 0]  # Exponential(2) priors
        + np.log(t * s)[..., 0]  # the grid is even in the logarithms
    )
    weight = np.exp(log_density - log_density.max())
    weight /= weight.sum()

    def moments(mean: np.ndarray, variance: np.ndarray | float) -> tuple[float, float]:
        first = float((weight * mean).sum())
        second = float((weight * (variance + mean**2)).sum())
        return first, float(np.sqrt(second - first**2))

    shrink = t**2 / v  # share of the word's own data in its mean
    word_mean = shrink * y + (1 - shrink) * m[..., None]
    word_variance = t**2 * (1 - shrink) + (1 - shrink) ** 2 / precision[..., None]
    ones = np.ones((size, size))
    return {
        "connection_mean": moments(m, 1 / precision),
        "word_sd": moments(t[..., 0] * ones, 0.0),
        "noise_sd": moments(s[..., 0] * ones, 0.0),
        "word_mean": {
            word: moments(word_mean[..., j], word_variance[..., j])
            for j, word in enumerate(cells.size().index)
        },
    }
