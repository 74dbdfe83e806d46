"""Subsamples that keep the shares of strata, split into a training and a test part. numpy only."""

import numpy as np
from numpy.typing import NDArray

from bayesbias.errors import ArgumentError


def allocate(counts: NDArray[np.int64], size: int) -> NDArray[np.int64]:
    """Share out `size` places in proportion to counts, by largest remainders.

    Examples
    --------
    >>> allocate(np.array([50, 30, 20]), 7).tolist()
    [4, 2, 1]
    """
    quota = counts * (size / counts.sum())
    places = np.floor(quota).astype(np.int64)
    rest = size - int(places.sum())
    places[np.argsort(-(quota - places), kind="stable")[:rest]] += 1
    return places


def stratified_split(
    strata: NDArray[np.int64], size: int, test_share: float, rng: np.random.Generator
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Draw rows without replacement, shares of strata kept, and split them so too.

    Parameters
    ----------
    strata : ndarray of int, shape (n,)
        The stratum of each row, from 0.
    size : int
        Rows to draw, at most n.
    test_share : float
        Share of them for the test part.
    rng : Generator

    Returns
    -------
    train, test : ndarray of int
        Row numbers, in random order.

    Raises
    ------
    ArgumentError
        If there are fewer rows than `size`, or a part would be empty.
    """
    if not 2 <= size <= len(strata):
        raise ArgumentError(
            f"sizes: a subsample of {size:,} out of {len(strata):,} rows cannot be drawn; sizes "
            f"are from 2 to the number of rows"
        )
    shuffled = rng.permutation(len(strata))
    ordered = shuffled[np.argsort(strata[shuffled], kind="stable")]
    counts = np.bincount(strata)
    starts = np.concatenate([[0], np.cumsum(counts)[:-1]])
    wanted = allocate(counts, size)
    n_test = round(size * test_share)
    if not 0 < n_test < size:
        raise ArgumentError(
            f"test_share={test_share}: of {size} rows it leaves none to train or to test on"
        )
    tested = allocate(wanted, n_test)
    test = [ordered[s : s + t] for s, t in zip(starts, tested, strict=True)]
    train = [ordered[s + t : s + w] for s, t, w in zip(starts, tested, wanted, strict=True)]
    return rng.permutation(np.concatenate(train)), rng.permutation(np.concatenate(test))
