"""The study of all methods on real vectors leaves no method out."""

import pytest
from samples import load_benchmark

from bayesbias import debias


@pytest.fixture(scope="module")
def study():
    return load_benchmark("debias_effects")


def test_every_method_is_in_the_study(study):
    assert {method for method, _ in study.RUNS.values()} == set(debias.METHODS)
