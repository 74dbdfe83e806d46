"""The study of all methods under the model of changes leaves no method out."""

import pytest
from samples import load_benchmark

from bayesbias import debias


@pytest.fixture(scope="module")
def study():
    return load_benchmark("four_ways")


def test_every_method_is_in_the_study(study):
    assert {method for method, _ in study.RUNS.values()} == set(debias.METHODS)
