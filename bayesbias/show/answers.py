"""Answers as plain data: one form for every command, which ``answers.schema.json`` states.

Names of contrasts are ASCII (``associated - different``), with what readers see beside them as
``label``. A number that is not known is null; counts are whole numbers.
"""

import json
from collections.abc import Callable, Mapping
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, Final

import numpy as np
import pandas as pd

from bayesbias.show.csv_files import write_csv
from bayesbias.show.result import plain
from bayesbias.support.bounded_files import file_checksum
from bayesbias.support.whole_files import MANIFEST, new_folder

SCHEMA: Final = "bayesbias-answers-1"
"""Name and version of the form; a change that breaks a reader gets the next number."""


def ascii_name(contrast: str) -> str:
    """Return a contrast with signs that a keyboard has."""
    return contrast.replace("−", "-").replace("→", "->")


@cache
def schema() -> dict[str, Any]:
    """Return the JSON Schema of the answers."""
    source = files("bayesbias.show").joinpath("answers.schema.json").read_text(encoding="utf-8")
    content: dict[str, Any] = json.loads(source)
    return content


def columns_of(table: str) -> dict[str, str]:
    """Return the columns of contrasts, means, words or checks, and the type of each."""
    forms = schema()["properties"][table]["items"]["properties"].items()
    types = {name: form.get("type", "string") for name, form in forms}  # choices are texts
    return {name: of if isinstance(of, str) else of[0] for name, of in types.items()}


def with_columns(frame: pd.DataFrame, table: str) -> pd.DataFrame:
    """Return a frame with the columns of a table alone, empty where it has none of a kind."""
    columns = columns_of(table)
    empty = {"string": "", "number": np.nan, "integer": 0, "boolean": False}
    whole = frame.assign(**{n: empty[kind] for n, kind in columns.items() if n not in frame})
    texts = {name: whole[name].fillna("") for name, kind in columns.items() if kind == "string"}
    kinds = {name: np.int64 for name, kind in columns.items() if kind == "integer"}
    return whole.assign(**texts).astype(kinds)[list(columns)]


def contrast_rows(table: pd.DataFrame) -> pd.DataFrame:
    """Return contrasts with the columns that every command gives them."""
    names = table["contrast"]
    return with_columns(table.assign(label=names, contrast=names.map(ascii_name)), "contrasts")


def rows(frame: pd.DataFrame, table: str) -> list[dict[str, Any]]:
    """Return a frame as rows of plain values, with the columns of a table."""
    records: list[dict[str, Any]] = plain(with_columns(frame, table).to_dict("records"))
    return records


def write_results(
    folder: str | Path,
    content: Mapping[str, Any],
    frames: Mapping[str, pd.DataFrame],
    files: Mapping[str, Callable[[Path], None]],
    *,
    overwrite: bool,
) -> None:
    """Write a folder of results, whole or not at all; a manifest lists its files and checksums.

    `content`: of ``answers.json``. `frames`: tables by name, written as CSV. `files`: what
    writes any other file, by its name.
    """
    with new_folder(folder, overwrite=overwrite) as place:
        for name, write in files.items():
            write(place / name)
        for name, frame in frames.items():
            write_csv(frame, place / f"{name}.csv")
        _write_json(content, place / "answers.json")
        sums = {file.name: file_checksum(file) for file in sorted(place.iterdir())}
        _write_json({"schema": SCHEMA, "files": sums}, place / MANIFEST)


def _write_json(content: Mapping[str, Any], path: Path) -> None:
    path.write_text(json.dumps(content, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
