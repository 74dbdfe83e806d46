"""The study of all methods under the model of changes leaves no method out."""

import importlib.util
from pathlib import Path

import pytest

from bayesbias import debias

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def study():
    specification = importlib.util.spec_from_file_location(
        "four_ways", ROOT / "benchmarks" / "four_ways.py"
    )
    module = importlib.util.module_from_spec(specification)
    specification.loader.exec_module(module)
    return module


def test_every_method_is_in_the_study(study):
    assert {method for method, _ in study.RUNS.values()} == set(debias.METHODS)


def test_every_row_of_the_study_is_in_both_tables_of_the_page(study):
    page = (ROOT / "docs" / "debiasing.md").read_text(encoding="utf-8")
    section = page[page.index("## Before and after") : page.index("## Corpus or embedding?")]
    for name, (method, _) in study.RUNS.items():
        row = f"| `{method}`{name.removeprefix(method)} |"
        assert section.count(row) == 2, row
