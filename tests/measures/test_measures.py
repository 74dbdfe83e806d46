import pandas as pd
import pytest

from bayesbias.errors import DistancesError
from bayesbias.measures import mean_average_distance, shares_within

COLUMNS = ["protected_word", "attribute", "attribute_set", "connection", "cosine_distance"]
ROWS = [
    ("he", "saw", "tools", "associated", 0.2),
    ("he", "axe", "tools", "associated", 0.4),
    ("he", "oven", "home", "different", 1.2),
    ("she", "saw", "tools", "different", 0.8),
    ("she", "axe", "tools", "different", 1.0),
    ("she", "oven", "home", "associated", 0.1),
    ("she", "walk", "human", "human", 2.0),
]


def test_mac_by_hand():
    frame = pd.DataFrame(ROWS, columns=COLUMNS)
    # Means per word and set: .3, 1.2, .9, .1; sets count alike whatever their size.
    assert mean_average_distance(frame) == pytest.approx(2.5 / 4)
    assert mean_average_distance(pd.concat([frame, frame])) == pytest.approx(2.5 / 4)


def test_mac_needs_stereotypes():
    with pytest.raises(DistancesError, match="only control words"):
        mean_average_distance(pd.DataFrame(ROWS[-1:], columns=COLUMNS))


def test_shares_by_hand():
    table = shares_within(pd.DataFrame(ROWS, columns=COLUMNS), mac=0.75)
    assert table["connection"].tolist() == ["associated", "different", "human"]
    assert table["n_pairs"].tolist() == [3, 3, 1]
    # |similarity| at most .25: associated .8 .6 .9; different −.2 .2 0; human −1.
    assert table["inside"].tolist() == [0.0, 1.0, 0.0]
    assert table["bound"].iloc[0] == pytest.approx(0.25)
