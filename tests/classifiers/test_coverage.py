"""The experiments of ``benchmarks/interval_coverage.py``, small: is a known truth inside?"""

import numpy as np
import pytest
from samples import load_benchmark

from bayesbias.classifiers.comparison import INTERVAL_METHODS


@pytest.fixture(scope="module")
def study():
    return load_benchmark("interval_coverage")


def test_intervals_hold_the_truth_of_genres(study):
    """The paper: all of them, 20 runs per genre, from 100 examples on."""
    people = study.genre_population()
    means = people.groupby("genre")["cost"].mean()
    assert means.to_dict() == pytest.approx(study.GENRE_COSTS, abs=1e-9)
    found = study.of_population(people.cost, people.genre, sizes=[100, 500])
    table = study.coverage_table(found)
    assert table["intervals"].tolist() == [200, 200]
    assert (table["coverage"] > 0.95).all()
    assert table["width"].iloc[0] > 1.8 * table["width"].iloc[1]  # n grows fivefold
    government = found.query("group == 'government'")["true"].iloc[0]
    assert government == pytest.approx(0.029, abs=0.0012)  # Table 1
    assert len(study.plot_population(found, "government").axes) == 1


def test_a_plugged_in_variance_can_fail(study):
    """Rare costs: most samples see none, and the interval forgets them; the largest σ² does not."""
    costs = np.repeat([1.0, 0.0], [600, 19_400])
    groups = np.repeat(["a", "b"], 10_000)
    options = {"sizes": [20], "gammas": [0.5], "runs": 100, "confidence": 0.05}
    plugged, strict = (
        study.coverage_table(study.of_population(costs, groups, variance=variance, **options))
        for variance in ("sample", "maximal")
    )
    assert strict["coverage"].iloc[0] == 1 > plugged["coverage"].iloc[0]


def test_coverage_of_rates_in_simulation(study):
    """At small n the bootstrap fails for rare events; bounds are safe and wide; HPDIs hold."""
    found = study.of_rates(
        [(0.3, 0.2), (0.05, 0.02)], sizes=[50], shares=[0.5, 0.1], runs=400, draws=400
    )
    table = found.set_index(["rate_protected", "share", "method"]).sort_index()
    for rate in (0.3, 0.05):
        for share in (0.5, 0.1):
            rows = table.loc[(rate, share)]
            for name in INTERVAL_METHODS[:3]:
                assert rows.loc[name, "coverage_high"] >= 0.95
            assert rows.loc["Beta-Binomial, uniform", "coverage_high"] > 0.93
            narrow = rows.loc["Beta-Binomial, uniform", "width"]
            assert rows.loc["Bernstein, sample σ²", "width"] > 1.3 * narrow
    assert table.loc[(0.05, 0.1, "bootstrap"), "coverage_high"] < 0.5
    assert len(study.plot_rates(found).axes) == 8


def test_coverage_is_counted_by_hand(study):
    ends = np.array([[0.0, 1.0], [0.2, 0.3], [-1.0, 0.1], [-1.0, -0.5]])
    covered, low, high, width, sure = study.coverage_of(ends, 0.25)
    assert (covered, sure) == (0.5, 0.5)
    assert low < 0.5 < high
    assert width == pytest.approx((1 + 0.1 + 1.1 + 0.5) / 4)


def test_the_figure_of_needed_examples_marks_winobias(study):
    axis = study.plot_required_n().axes[0]
    x, y = axis.lines[0].get_data()
    assert y[np.argmin(np.abs(x - 0.05))] == 11903
    assert axis.texts[0].get_text() == "WinoBias, n = 3,160: at least 0.0974"
