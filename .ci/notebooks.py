"""Execute the notebooks' sources and save them, with small outputs, as .ipynb beside them.

    python .ci/notebooks.py            # all
    python .ci/notebooks.py 01 03      # those whose names begin so

Figures are saved with few colours, so that a notebook stays below 400 kB.
"""

import base64
import copy
import io
import os
import sys
import time
from pathlib import Path
from typing import Any

import jupytext
import nbformat
import numpy as np
from nbclient import NotebookClient
from PIL import Image

FOLDER = Path(__file__).parents[1] / "notebooks"
LARGEST = 400_000  # bytes
LEVELS = ((960, 128), (840, 48), (840, 32), (840, 24), (840, 20), (760, 20), (680, 20), (500, 24))
"""Pixels across and colours of a figure: the first with which the notebook is small enough."""


def main(chosen: list[str]) -> int:
    """Execute and save; return 1 if a notebook is too large."""
    os.environ["PYTHONPATH"] = str(FOLDER.parent)  # this checkout, whatever is installed
    failed = 0
    for source in sorted(FOLDER.glob("*.py")):
        if chosen and not source.name.startswith(tuple(chosen)):
            continue
        started = time.monotonic()
        notebook = jupytext.read(source)
        NotebookClient(
            notebook, timeout=600, resources={"metadata": {"path": str(FOLDER)}}
        ).execute()
        tidy(notebook)
        goal = source.with_suffix(".ipynb")
        for level in LEVELS:
            text = nbformat.writes(shrunk(notebook, *level))
            if len(text.encode()) <= LARGEST:
                break
        else:
            print(f"{goal.name}: larger than {LARGEST / 1000:.0f} kB; draw less")
            failed = 1
        goal.write_text(text + "\n", encoding="utf-8")
        size, seconds = goal.stat().st_size / 1000, time.monotonic() - started
        print(f"{goal.name}: {size:.0f} kB at {level}, {seconds:.0f} s")
    return failed


def tidy(notebook: Any) -> None:
    """Leave out what changes from run to run, and the text that stands for a figure.

    What libraries say on stderr is of the machine, its paths among it.
    """
    metadata = notebook.metadata
    notebook.metadata = {"kernelspec": metadata["kernelspec"], "jupytext": metadata["jupytext"]}
    for number, cell in enumerate(notebook.cells):
        cell["id"] = f"cell-{number}"
        cell.metadata.pop("execution", None)
        if "outputs" in cell:
            cell["outputs"] = [o for o in cell["outputs"] if o.get("name") != "stderr"]
        for output in cell.get("outputs", []):
            if "image/png" in output.get("data", {}):
                output["data"].pop("text/plain", None)


def shrunk(notebook: Any, widest: int, colours: int) -> Any:
    """Return a copy whose figures have at most so many pixels across and colours."""
    small = copy.deepcopy(notebook)
    for cell in small.cells:
        for output in cell.get("outputs", []):
            data = output.get("data", {})
            if "image/png" in data:
                data["image/png"] = shrunk_figure(data["image/png"], widest, colours)
    return small


def shrunk_figure(png: str, widest: int, colours: int) -> str:
    """Return a smaller PNG, in base64."""
    image = Image.open(io.BytesIO(base64.b64decode(png))).convert("RGB")
    if image.width > widest:
        size = (widest, round(image.height * widest / image.width))
        image = image.resize(size, Image.Resampling.LANCZOS)
    image = image.quantize(palette=palette(image, colours), dither=Image.Dither.NONE)
    stream = io.BytesIO()
    image.save(stream, "png", optimize=True)
    return base64.b64encode(stream.getvalue()).decode() + "\n"


def palette(image: Image.Image, colours: int) -> Image.Image:
    """Return a palette of colours of the image, each far from the others or common.

    Ready-made ways take white and a pale band for one, or lose the colours of a few markers.
    """
    counts, found = zip(*image.getcolors(image.width * image.height), strict=True)
    known, weight = np.array(found, dtype=float), np.sqrt(counts)
    chosen = [int(np.argmax(weight))]
    distance = np.full(len(known), np.inf)
    for _ in range(min(colours, len(known)) - 1):
        distance = np.minimum(distance, ((known - known[chosen[-1]]) ** 2).sum(axis=1))
        chosen.append(int(np.argmax(weight * distance)))
    result = Image.new("P", (1, 1))
    result.putpalette([level for i in chosen for level in found[i]])
    return result


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
