"""The study of all methods under the model of changes leaves no method out."""

import pytest
from samples import ROOT, load_benchmark

from bayesbias import debias


@pytest.fixture(scope="module")
def study():
    return load_benchmark("four_ways")


def test_every_method_is_in_the_study(study):
    assert {method for method, _ in study.RUNS.values()} == set(debias.METHODS)


def test_every_row_of_the_study_is_in_both_tables_of_the_page(study):
    page = (ROOT / "docs" / "debiasing.md").read_text(encoding="utf-8")
    section = page[page.index("## Before and after") : page.index("## Corpus or embedding?")]
    for name, (method, _) in study.RUNS.items():
        row = f"| `{method}`{name.removeprefix(method)} |"
        assert section.count(row) == 2, row
