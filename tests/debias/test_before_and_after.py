"""The study of all methods on real vectors, and its tables on the page, leave no method out."""

import pytest
from samples import ROOT, load_benchmark

from bayesbias import debias


@pytest.fixture(scope="module")
def study():
    return load_benchmark("debias_effects")


def test_every_method_is_in_the_study(study):
    assert {method for method, _ in study.RUNS.values()} == set(debias.METHODS)


def test_every_row_of_the_study_is_in_all_tables_of_the_page(study):
    page = (ROOT / "docs" / "debiasing.md").read_text(encoding="utf-8")
    start = page.index("## All methods on real vectors")
    section = page[start : page.index("## Corpus or embedding?")]
    tables = section.split("| method |")[1:]
    whole = [table for table in tables if "| before |" in table]
    assert len(whole) == len(study.HEADS) * 2
    for name, (method, _) in study.RUNS.items():
        row = f"| `{method}`{name.removeprefix(method)} |"
        assert [table.count(row) for table in whole] == [1] * len(whole), row
