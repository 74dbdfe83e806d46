"""The lowest versions that pyproject.toml allows, as CI installs them."""

import tomllib

import pytest
from samples import ROOT, load_script, run_python

SCRIPT = ROOT / ".ci" / "floors.py"
pytestmark = pytest.mark.skipif(not SCRIPT.is_file(), reason="CI is in checkouts only")


@pytest.fixture
def floors():
    return load_script(".ci", "floors").floors


PROJECT = {
    "dependencies": ["numpy>=2.1", "xarray>=2025.9.1"],
    "optional-dependencies": {"test": ["pytest>=8.4", "numpy>=2.1"], "other": ["torch>=2.8"]},
}


def test_floors_are_pins_of_the_dependencies_and_the_extras_named(floors):
    assert floors(PROJECT, []) == ["numpy==2.1", "xarray==2025.9.1"]
    assert floors(PROJECT, ["test"]) == ["numpy==2.1", "pytest==8.4", "xarray==2025.9.1"]


@pytest.mark.parametrize(
    ("dependency", "complaint"),
    [
        ("numpy", "'numpy' has no floor"),
        ("numpy>=2.1,<3", "has no floor"),
        ("numpy~=2.1", "has no floor"),
        ("numpy>=2.2", r"numpy has two floors, 2\.1 and 2\.2"),
    ],
)
def test_a_dependency_without_one_floor_is_refused(floors, dependency, complaint):
    project = {**PROJECT, "optional-dependencies": {"test": [dependency]}}
    with pytest.raises(ValueError, match=complaint):
        floors(project, ["test"])
    with pytest.raises(ValueError, match="no extra 'tests'; there are test"):
        floors(project, ["tests"])


def test_the_script_prints_a_floor_for_every_dependency_of_this_project():
    done = run_python(SCRIPT, "test")
    lines = done.stdout.split()
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    wanted = {*project["dependencies"], *project["optional-dependencies"]["test"]}
    assert set(lines) == {line.replace(">=", "==") for line in wanted}
    assert "numpy==2.1" in lines
