"""Reads back what `analyze` and `compare` wrote: a fit or a change, and how it was made."""

import json
from pathlib import Path
from typing import Any, Final

import pandas as pd

from bayesbias.constants import (
    AFTER,
    ATTRIBUTE,
    ATTRIBUTE_SET,
    BEFORE,
    CHANGE,
    CONNECTION,
    DISTANCE,
    GROUP,
    HDPI_PROB,
    PROTECTED_WORD,
    ROPE,
)
from bayesbias.errors import FitError
from bayesbias.fits.fit_result import Fit
from bayesbias.fits.loading import load_fit
from bayesbias.pairs.distance_frame import pairs_checksum
from bayesbias.pairs.provenance import KEY
from bayesbias.studies.change import Change
from bayesbias.support.csv_files import read_csv_texts, without_apostrophes
from bayesbias.support.whole_files import MANIFEST

_TEXTS: Final = (PROTECTED_WORD, GROUP, ATTRIBUTE, ATTRIBUTE_SET, CONNECTION, "present_in")
_NEEDED: Final = {
    "pairs": (PROTECTED_WORD, GROUP, ATTRIBUTE, ATTRIBUTE_SET, CONNECTION, BEFORE, AFTER, CHANGE),
    "unpaired": (PROTECTED_WORD, ATTRIBUTE, CONNECTION, "present_in"),
    "unmoved": (CONNECTION,),
}
"""Columns that the tables of a change must have."""


def load_results(path: str | Path) -> tuple[Fit | Change, dict[str, Any]]:
    """Read a folder that `bayesbias analyze` or `compare` wrote, or a saved fit alone.

    Parameters
    ----------
    path : str or Path
        The folder, or a ``fit.nc``.

    Returns
    -------
    source : Fit or Change
    manifest : dict
        What the folder's manifest says; of a fit alone only ``intervals``, at their defaults, and
        an empty ``command``.

    Raises
    ------
    FitError
        If there is no saved fit, or its files do not belong together.

    Examples
    --------
    >>> source, manifest = load_results("out/religion")  # doctest: +SKIP
    """
    place = Path(path)
    file = place / "fit.nc" if place.is_dir() else place
    fit = load_fit(file)
    folder = file.parent
    manifest = _manifest(folder / MANIFEST, fit)
    if fit.spec.response == DISTANCE:
        return fit, manifest
    return _change(fit, folder, manifest["intervals"]), manifest


def _manifest(path: Path, fit: Fit) -> dict[str, Any]:
    """Return the manifest beside a fit; a plain one where there is none or it is another's."""
    plain = {"command": "", "intervals": {"prob": HDPI_PROB, "interval": "hpdi", "rope": ROPE}}
    if not path.is_file():
        return plain
    try:
        manifest: dict[str, Any] = json.loads(path.read_text(encoding="utf-8"))
        named, chosen = manifest["fit"], manifest["intervals"]
        complete = {"prob", "interval", "rope"} <= set(chosen)
    except (ValueError, KeyError, TypeError) as error:
        raise FitError(f"{path}: cannot be read ({error}); write the folder again") from error
    if named != fit.id or not complete:
        raise FitError(
            f"{path}: is not the manifest of the fit beside it ({fit.id}); write the folder again, "
            f"or move the fit to a folder of its own"
        )
    return manifest


def _table(path: Path) -> pd.DataFrame:
    """Read a table of a change: words as they are, and numbers to the last bit."""
    table = read_csv_texts(path, FitError).reset_index(drop=True).apply(without_apostrophes)
    if table.isna().any(axis=None):
        raise FitError(f"{path}: is damaged, it has a row with too few cells; write the folder again")
    kinds = {c: int if c == "n_pairs" else float for c in table.columns if c not in _TEXTS}
    try:
        # Python's own float: pandas before 3 reads numbers to a rounding only.
        numbers = {
            column: pd.Series([kind(v) for v in table[column]], index=table.index, dtype=kind)
            for column, kind in kinds.items()
        }
    except (ValueError, TypeError) as error:
        raise FitError(
            f"{path}: is damaged, it holds what is no number ({error}); write the folder again"
        ) from error
    return table.assign(**numbers)


def _change(fit: Fit, folder: Path, chosen: dict[str, Any]) -> Change:
    """Return the change whose model a fit is, with the pairs of both sides."""
    tables = {}
    for name in ("pairs", "unpaired", "unmoved"):
        path = folder / f"{name}.csv"
        if not path.is_file():
            raise FitError(
                f"{path}: no such file; the report of a change needs the whole folder that "
                f"'bayesbias compare --out' wrote"
            )
        tables[name] = _table(path)
    pairs = tables["pairs"]
    for name, columns in _NEEDED.items():
        if lacks := [column for column in columns if column not in tables[name].columns]:
            raise FitError(
                f"{folder / name}.csv: is damaged, it lacks the column {lacks[0]!r}; write the "
                f"folder again"
            )
    moved = pairs[~pairs[CONNECTION].isin(tables["unmoved"][CONNECTION])]
    if pairs_checksum(moved, CHANGE) != fit.record["pairs_sha256"]:
        raise FitError(
            f"{folder}: pairs.csv does not hold the pairs that were fitted; it was changed"
        )
    pairs.attrs[KEY] = fit.frame.attrs[KEY]
    return Change(fit, pairs, tables["unpaired"], tables["unmoved"], **chosen)
