"""Execute the notebooks' sources and save them, with small outputs, as .ipynb beside them.

    python .ci/notebooks.py            # all
    python .ci/notebooks.py 01 03      # those whose names begin so

Figures are saved with few colours, so that a notebook stays below 400 kB.
"""

import base64
import io
import os
import sys
from pathlib import Path
from typing import Any

import jupytext
import nbformat
from nbclient import NotebookClient
from PIL import Image

FOLDER = Path(__file__).parents[1] / "notebooks"


def execute(source: Path) -> None:
    """Execute a notebook and save it without what changes from run to run: times, ids, stderr."""
    notebook = jupytext.read(source)
    NotebookClient(notebook, timeout=600, resources={"metadata": {"path": str(FOLDER)}}).execute()
    notebook.metadata = {name: notebook.metadata[name] for name in ("kernelspec", "jupytext")}
    for number, cell in enumerate(notebook.cells):
        cell["id"] = f"cell-{number}"
        cell.metadata.pop("execution", None)
        if "outputs" in cell:
            cell["outputs"] = [o for o in cell["outputs"] if o.get("name") != "stderr"]
        for data in (output.get("data", {}) for output in cell.get("outputs", [])):
            if "image/png" in data:
                data["image/png"] = small(data["image/png"])
                data.pop("text/plain", None)
    source.with_suffix(".ipynb").write_text(nbformat.writes(notebook) + "\n", encoding="utf-8")


def small(png: Any) -> str:
    """Return a figure with at most 960 pixels across and 128 colours."""
    image = Image.open(io.BytesIO(base64.b64decode(png))).convert("RGB")
    image.thumbnail((960, image.height), Image.Resampling.LANCZOS)
    stream = io.BytesIO()
    image.quantize(128, dither=Image.Dither.NONE).save(stream, "png", optimize=True)
    return base64.b64encode(stream.getvalue()).decode() + "\n"


if __name__ == "__main__":
    os.environ["PYTHONPATH"] = str(FOLDER.parent)  # this checkout, whatever is installed
    for path in sorted(FOLDER.glob("*.py")):
        if path.name.startswith(tuple(sys.argv[1:] or [""])):
            execute(path)
