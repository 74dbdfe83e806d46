"""Results that pages show: small tables with what made them; `.ci/pages.py` reads them."""

import datetime
import os
import platform
from collections.abc import Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

import pandas as pd

import bayesbias as bb

FOLDER = Path(__file__).parent / "results"
IMAGES = Path(__file__).parents[1] / "docs" / "images"
DATA = Path(os.environ.get("BAYESBIAS_DATA", Path(__file__).parents[2] / "shared" / "data"))


def save(
    table: pd.DataFrame, name: str, settings: Mapping[str, Any], methods: str | None = None
) -> Path:
    """Write a table as results/NAME.csv; lines that begin with # say what made it.

    `methods`: a column. Rows of methods that were not run again stay, if their settings are these.
    """
    if methods is not None and (FOLDER / f"{name}.csv").exists():
        earlier, made = read(name)
        if all(made.get(key) == str(value) for key, value in settings.items()):
            table = pd.concat([earlier[~earlier[methods].isin(table[methods])], table])
    versions = {"python": platform.python_version(), "bayesbias": bb.__version__}
    versions |= {library: version(library) for library in ("numpy", "scipy")}
    head = {
        "made": datetime.date.today().isoformat(),
        "versions": ", ".join(f"{key} {value}" for key, value in versions.items()),
        **settings,
    }
    path = FOLDER / f"{name}.csv"
    path.parent.mkdir(exist_ok=True)
    lines = "".join(f"# {key}: {value}\n" for key, value in head.items())
    path.write_text(lines + table.to_csv(index=False, float_format="%.6g"), encoding="utf-8")
    return path


def read(name: str) -> tuple[pd.DataFrame, dict[str, str]]:
    """Return a saved table and what made it."""
    path = FOLDER / f"{name}.csv"
    head = [
        line.removeprefix("# ").partition(": ")[::2]
        for line in path.read_text(encoding="utf-8").splitlines()
        if line.startswith("# ")
    ]
    return pd.read_csv(path, comment="#", keep_default_na=False, na_values=[""]), dict(head)
