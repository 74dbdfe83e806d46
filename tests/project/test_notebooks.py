"""The notebooks run, and what is saved of them belongs to their sources."""

import json
import os
import re

import pytest
from samples import ROOT

FOLDER = ROOT / "notebooks"
SOURCES = sorted(FOLDER.glob("*.py"))
PUBLISHED = ("02", "04")  # these need the published distances
SMALL = {
    "02": {"n_worlds": 2000, "draws": 500},
    "05": {"n_samples": 3},
}  # by the names in the cell that is tagged "parameters"
FEWER = {"01": {"placebo(100, ": "placebo(2, ", "sensitivity(": "sensitivity(leave_out=False, "}}
"""Parts of cells, and what stands for them: a reader is shown no settings for these."""

NEEDS = {"05": ("bayesbias.classifiers", "sklearn")}

jupytext = pytest.importorskip("jupytext", reason="jupytext is not installed")


def code_of(cells) -> list[str]:
    return ["".join(c["source"]).strip() for c in cells if c["cell_type"] == "code"]


def make_small(notebook, settings: dict[str, int]) -> None:
    """Set the parameters after the cell that gives them, as a reader would."""
    (cell,) = (c for c in notebook.cells if "parameters" in c.metadata.get("tags", []))
    assert all(f"{name} = " in cell.source for name in settings)
    cell.source += "".join(f"\n{name} = {value}" for name, value in settings.items())


def ask_for_less(notebook, changes: dict[str, str]) -> None:
    """Change the only cell that has each of these."""
    for old, new in changes.items():
        (cell,) = (c for c in notebook.cells if c.cell_type == "code" and old in c.source)
        cell.source = cell.source.replace(old, new)


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.stem)
def test_links_work_wherever_a_notebook_is_copied_to(source):
    texts = [cell.source for cell in jupytext.read(source).cells if cell.cell_type == "markdown"]
    links = re.findall(r"\]\(([^)\s]+)\)", "\n".join(texts))
    assert not [link for link in links if not re.match(r"https?://|#", link)]


def test_there_are_notebooks():
    assert len(SOURCES) >= 5


@pytest.mark.slow
@pytest.mark.notebooks
@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.stem)
def test_runs_on_small_settings(source, request, tmp_path, monkeypatch):
    nbclient = pytest.importorskip("nbclient", reason="nbclient is not installed")
    pytest.importorskip("ipykernel", reason="ipykernel is not installed")
    number = source.name[:2]
    for module in NEEDS.get(number, ()):
        pytest.importorskip(module, reason=f"{module} is not installed")
    if number in PUBLISHED:
        monkeypatch.setenv("BAYESBIAS_DATA", str(request.getfixturevalue("data")))
    elder = os.environ.get("PYTHONPATH")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(ROOT), *([elder] if elder else [])]))
    notebook = jupytext.read(source)
    if number in SMALL:
        make_small(notebook, SMALL[number])
    ask_for_less(notebook, FEWER.get(number, {}))
    client = nbclient.NotebookClient(
        notebook, timeout=120, resources={"metadata": {"path": str(tmp_path)}}
    )
    client.execute()  # raises what a cell raises
    outputs = [o for c in notebook.cells if c.cell_type == "code" for o in c.outputs]
    said = [o["text"] for o in outputs if o.get("name") == "stderr"]
    assert not [text for text in said if "blas" not in text.lower()]  # PyTensor's on the machine
    assert any("image/png" in o.get("data", {}) for o in outputs)


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.stem)
def test_the_saved_notebook_is_that_of_the_source(source):
    """python .ci/notebooks.py makes them again."""
    path = source.with_suffix(".ipynb")
    saved = json.loads(path.read_text(encoding="utf-8"))
    assert code_of(saved["cells"]) == code_of(jupytext.read(source).cells)
    texts = [[c["source"] for c in jupytext.read(p).cells] for p in (source, path)]
    assert texts[0] == texts[1]
    assert path.stat().st_size <= 400_000
    outputs = [o for c in saved["cells"] for o in c.get("outputs", [])]
    assert outputs
    assert not [o for o in outputs if o["output_type"] == "error" or o.get("name") == "stderr"]
    assert not re.findall(r"/(?:root|home|usr|tmp|Users|work)/[^\s\"']*", path.read_text("utf-8"))
