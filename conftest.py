"""What the examples in docstrings need; the tests' own fixtures are in tests/conftest.py."""

import os
import random

# As many processes run the tests as there are cores: more threads in each would wait for others.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import pytest

# With `python -O` other asserts than those that pytest rewrites are left out.
pytest.register_assert_rewrite("samples")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let examples run on the shipped vectors, which lack many control words.

    With BAYESBIAS_SEED files come in a random order, and the tests of each.
    """
    for item in items:
        if isinstance(item, pytest.DoctestItem):
            for warning in (
                "ignore::bayesbias.errors.MissingWordsWarning",
                "ignore:the home folder cannot be written:bayesbias.errors.BayesBiasWarning",
            ):
                item.add_marker(pytest.mark.filterwarnings(warning))
    if seed := os.environ.get("BAYESBIAS_SEED"):
        chance = random.Random(seed)  # the same in every process
        place = {path: chance.random() for path in dict.fromkeys(item.path for item in items)}
        items.sort(key=lambda item: (place[item.path], chance.random()))


def pytest_report_header() -> str | None:
    """Say what makes the run again."""
    seed = os.environ.get("BAYESBIAS_SEED")
    return f"BAYESBIAS_SEED={seed}: in an order of its own, and with other draws" if seed else None
