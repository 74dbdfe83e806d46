"""Plain averages of a frame of distances, before any model: MAC and the bounds it is read by."""

import pandas as pd

from bayesbias.constants import (
    ATTRIBUTE_SET,
    CONNECTION,
    CONNECTIONS,
    DISTANCE,
    PROTECTED_WORD,
    STEREOTYPE_CONNECTIONS,
)
from bayesbias.errors import DistancesError
from bayesbias.pairs.checks import repeated_pairs
from bayesbias.pairs.keys import distance_key, drop_repeats, repeated_columns


def mean_average_distance(frame: pd.DataFrame) -> float:
    """Return MAC, the mean average cosine distance.

    The mean, over protected words and attribute sets, of a word's mean distance to the words of a
    set. Control words do not count. A pair that is in the frame twice counts once; in every
    training run and context it has a distance of its own.

    Parameters
    ----------
    frame : DataFrame
        From `distances` or `read_distances`, with stereotype attributes.

    Examples
    --------
    >>> rows = [("he", "x", "m", "associated", 0.2), ("he", "y", "m", "associated", 0.4),
    ...         ("he", "z", "w", "different", 0.9)]
    >>> columns = ["protected_word", "attribute", "attribute_set", "connection", "cosine_distance"]
    >>> round(mean_average_distance(pd.DataFrame(rows, columns=columns)), 6)
    0.6
    """
    pairs = pairs_of_sets(frame)
    return float(pairs.groupby([PROTECTED_WORD, ATTRIBUTE_SET])[DISTANCE].mean().mean())


def pairs_of_sets(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the pairs that MAC averages: of stereotypes, once for each set of the attribute."""
    stereotypes = frame[frame[CONNECTION].isin(STEREOTYPE_CONNECTIONS)]
    if stereotypes.empty:
        raise DistancesError("MAC needs stereotype attributes; the frame has only control words")
    repeated_pairs(stereotypes, within=repeated_columns(frame))  # refuses those with two distances
    return drop_repeats(stereotypes, [*distance_key(repeated_columns(frame)), ATTRIBUTE_SET])


def shares_within(frame: pd.DataFrame, mac: float) -> pd.DataFrame:
    """Return, per connection, the share of pairs whose |similarity| is at most 1 − MAC.

    The share of control words outside these bounds shows what a MAC below 1, read as bias, is worth
    (Bayesian paper, Fig. 3).

    Parameters
    ----------
    frame : DataFrame
        From `distances` or `read_distances`.
    mac : float
        The MAC that sets the bounds, such as `mean_average_distance` of the frame.

    Returns
    -------
    DataFrame
        Columns ``connection``, ``n_pairs``, ``bound``, ``inside``.

    Examples
    --------
    >>> table = pd.DataFrame({"connection": ["human", "human"], "cosine_distance": [0.95, 0.5]})
    >>> shares_within(table, mac=0.9).inside.tolist()
    [0.5]
    """
    bound = abs(1.0 - mac)
    inside = (1.0 - frame[DISTANCE]).abs() <= bound
    rows = [
        (c, int(mask.sum()), bound, float(inside[mask].mean()))
        for c in CONNECTIONS
        if (mask := frame[CONNECTION] == c).any()
    ]
    return pd.DataFrame(rows, columns=[CONNECTION, "n_pairs", "bound", "inside"])
