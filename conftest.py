"""What the examples in docstrings need; the tests' own fixtures are in tests/conftest.py."""

import os

# As many processes run the tests as there are cores: more threads in each would wait for others.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import pytest

# With `python -O` other asserts than those that pytest rewrites are left out.
pytest.register_assert_rewrite("samples", "stopped", "gensim_peer")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Let examples run on the shipped vectors, which lack many control words."""
    for item in items:
        if isinstance(item, pytest.DoctestItem):
            warning = "ignore::bayesbias.errors.MissingWordsWarning"
            item.add_marker(pytest.mark.filterwarnings(warning))
