"""The notebooks run, and what is saved of them belongs to their sources."""

import json
import os
import re

import pytest
from samples import ROOT

FOLDER = ROOT / "notebooks"
SOURCES = sorted(FOLDER.glob("*.py"))
PUBLISHED = ("02", "05", "07", "08")  # these read the reference data
SMALL = {
    "02": {"n_simulations": 2000, "draws": 500},
    "05": {"n_samples": 3, "n_people": 600},
    "06": {"draws": 50},
}  # by the names in the cell that is tagged "parameters"

jupytext = pytest.importorskip("jupytext", reason="jupytext is not installed")


def code_of(cells) -> list[str]:
    return ["".join(c["source"]).strip() for c in cells if c["cell_type"] == "code"]


@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.stem)
def test_links_work_wherever_a_notebook_is_copied_to(source):
    texts = [cell.source for cell in jupytext.read(source).cells if cell.cell_type == "markdown"]
    links = re.findall(r"\]\(([^)\s]+)\)", "\n".join(texts))
    assert not [link for link in links if not re.match(r"https?://|#", link)]


def test_there_are_notebooks():
    assert [path.name[:2] for path in SOURCES] == [f"0{number}" for number in range(1, 9)]


@pytest.mark.slow
@pytest.mark.notebooks
@pytest.mark.parametrize("source", SOURCES, ids=lambda path: path.stem)
def test_runs_on_small_settings(source, request, tmp_path, monkeypatch):
    nbclient = pytest.importorskip("nbclient", reason="nbclient is not installed")
    pytest.importorskip("ipykernel", reason="ipykernel is not installed")
    number = source.name[:2]
    if number == "05":
        pytest.importorskip("sklearn", reason="scikit-learn is not installed")
    if number in PUBLISHED:
        monkeypatch.setenv("BAYESBIAS_DATA", str(request.getfixturevalue("data")))
    elder = os.environ.get("PYTHONPATH")
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join([str(ROOT), *([elder] if elder else [])]))
    notebook = jupytext.read(source)
    if number in SMALL:
        (cell,) = (c for c in notebook.cells if "parameters" in c.metadata.get("tags", []))
        assert all(f"{name} = " in cell.source for name in SMALL[number])
        cell.source += "".join(f"\n{name} = {value}" for name, value in SMALL[number].items())
    client = nbclient.NotebookClient(
        notebook, timeout=300, resources={"metadata": {"path": str(tmp_path)}}
    )
    client.execute()  # raises what a cell raises
    outputs = [o for c in notebook.cells if c.cell_type == "code" for o in c.outputs]
    messages = [o["text"] for o in outputs if o.get("name") == "stderr"]
    assert not [
        text for text in messages if "blas" not in text.lower()
    ]  # PyTensor's on the machine
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
    # Numbers of a picture, as letters, may spell a path by chance.
    text = re.sub(r'"image/png": "[^"]*"', "", path.read_text("utf-8"))
    assert not re.findall(r"/(?:root|home|usr|tmp|Users|work)/[^\s\"']*", text)
