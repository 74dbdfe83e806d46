"""Reads back what `folder_writing` wrote: a fit or a change, and how it was made."""

import os
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import pandas as pd

from bayesbias.constants import (
    AFTER,
    BEFORE,
    CHANGE,
    CONNECTION,
    DISTANCE,
    HDPI_PROB,
    OPTIONAL_COLUMNS,
    TASK_COLUMNS,
    TEXT_COLUMNS,
)
from bayesbias.errors import ArgumentError, FitError
from bayesbias.fits.fit_result import Fit
from bayesbias.fits.saved_fits import load_fit
from bayesbias.inference.decision import DecisionRule, distance_scale
from bayesbias.pairs.distance_frame import pairs_checksum
from bayesbias.pairs.keys import pair_key
from bayesbias.pairs.provenance import KEY, kinds_of_words
from bayesbias.pairs.reference import without_reference
from bayesbias.report.folder_writing import CHANGE_TABLES
from bayesbias.studies.change import Change
from bayesbias.studies.held_out import HeldOut
from bayesbias.studies.sweep_result import SweepResult
from bayesbias.support.arguments import as_path
from bayesbias.support.bounded_files import open_regular, read_json
from bayesbias.support.csv_files import read_csv_texts, without_apostrophes
from bayesbias.support.whole_files import MANIFEST

_TEXTS: Final = (*TEXT_COLUMNS, "present_in")
_COLUMNS: Final = {
    "pairs": (*_TEXTS[:-1], BEFORE, AFTER, CHANGE),
    "unpaired": (*pair_key(), "present_in"),
    "unmoved": (CONNECTION, "n_pairs", "largest_change"),
}


def load_results(path: str | Path) -> tuple[Fit | Change | SweepResult, dict[str, Any]]:
    """Read a folder that `bayesbias analyze`, `compare` or `sweep` wrote, or a saved fit alone.

    Returns it and the folder's manifest; of a fit alone the manifest has only ``intervals``, at
    their defaults, and an empty ``command``. A FitError if there is no saved fit, or a file is
    damaged or does not belong to the others; the message names it.

    Examples
    --------
    >>> source, manifest = load_results("out/religion")  # doctest: +SKIP
    """
    place = as_path(path)
    if (place / SWEEP_TABLE).is_file():
        return _sweep(place), {"command": "", "intervals": {}}
    file = place / "fit.nc" if place.is_dir() else place
    fit = load_fit(file)
    folder = file.parent
    manifest = _manifest(folder / MANIFEST, fit)
    if fit.spec.response == DISTANCE:
        return fit, manifest
    return _change(fit, folder, _rule_of(manifest, folder / MANIFEST)), manifest


HELD_OUT: Final = "held_out"  # where a manifest has what held-out words show of a debiasing
SWEEP_TABLE: Final = "results.parquet"


def _sweep(folder: Path) -> SweepResult:
    """Return what a sweep found, from the tables of all its tasks."""
    with open_regular(folder / SWEEP_TABLE, FitError) as stream:
        try:
            table = pd.read_parquet(stream)
        except (OSError, ValueError) as error:
            raise FitError(f"{folder / SWEEP_TABLE}: is damaged; run the sweep again") from error
    if lacking := {*TASK_COLUMNS, "table", "what", "mean"} - set(table):
        raise FitError(f"{folder / SWEEP_TABLE}: lacks the column {min(lacking)!r}; {_AGAIN}")
    failures = folder / "failures.csv"
    failed = pd.DataFrame(columns=[*TASK_COLUMNS, "reason"])
    if failures.is_file():
        failed = read_csv_texts(failures, FitError).reset_index(drop=True)
    return SweepResult(table, failed, 0)


def _manifest(path: Path, fit: Fit) -> dict[str, Any]:
    """Return the manifest beside a fit; a plain one where there is none."""
    plain = {"command": "", "intervals": {"prob": HDPI_PROB, "interval": "hpdi", "rope": None}}
    if not os.path.lexists(path):
        return plain
    manifest = _json_of(path)
    if manifest.get("fit") != fit.id:
        raise FitError(
            f"{path}: is not the manifest of the fit beside it ({fit.id}); {_AGAIN}, or move the "
            f"fit to a folder of its own"
        )
    if not isinstance(manifest.get("command"), str):
        raise FitError(f"{path}: is damaged: it lacks the command; {_AGAIN}")
    rule = _rule_of(manifest, path)
    chosen = {"prob": rule.prob, "interval": rule.interval, "rope": rule.rope}
    return {**manifest, "intervals": chosen, HELD_OUT: _held_out(manifest, path)}


def _held_out(manifest: Mapping[str, Any], path: Path) -> HeldOut | None:
    """Return what held-out words showed of a debiasing, if a manifest has it."""
    content = manifest.get(HELD_OUT)
    try:
        return None if content is None else HeldOut.from_dict(content)
    except (KeyError, TypeError, ValueError) as error:
        raise FitError(f"{path}: is damaged: {HELD_OUT}; {_AGAIN}") from error


_AGAIN: Final = "write the folder again"


def _json_of(path: Path) -> dict[str, Any]:
    """Return the object that a file of JSON holds."""
    try:
        found = read_json(path, FitError)
    except FitError as error:
        raise FitError(f"{error}; {_AGAIN}") from error
    if not isinstance(found, dict):
        raise FitError(f"{path}: is damaged: holds no object; {_AGAIN}")
    return found


def _rule_of(manifest: Mapping[str, Any], path: Path) -> DecisionRule:
    """Return the rule that a manifest records."""
    try:
        chosen, scale = manifest["intervals"], manifest.get("scale")
        rule = DecisionRule(chosen["rope"], chosen["prob"], chosen["interval"])
        return rule if scale is None else rule.on_scale(scale)
    except (KeyError, TypeError, ValueError, ArgumentError) as error:
        raise FitError(f"{path}: is damaged: its intervals; {_AGAIN}") from error


def _change(fit: Fit, folder: Path, rule: DecisionRule) -> Change:
    """Return the change whose model a fit is, with the pairs of both sides."""
    kinds = kinds_of_words(fit.frame)
    tables = {name: _table(folder / f"{name}.csv", name, kinds) for name in CHANGE_TABLES}
    pairs = without_reference(tables["pairs"])
    moved = pairs[~pairs[CONNECTION].isin(tables["unmoved"][CONNECTION])]
    fitted = without_reference(fit.frame)
    same = pairs_checksum(moved, CHANGE) == pairs_checksum(fitted, CHANGE)
    if not (same and (moved[kinds].to_numpy() == fitted[kinds].to_numpy()).all()):
        raise FitError(
            f"{folder / 'pairs.csv'}: its pairs are not those that were fitted: it or unmoved.csv "
            f"was changed; {_AGAIN}"
        )
    pairs.attrs[KEY] = fit.frame.attrs[KEY]
    if rule.rope is None and rule.scale is None:  # there was no manifest
        rule = rule.on_scale(distance_scale(pairs, BEFORE))
    return Change(fit, pairs, tables["unpaired"], tables["unmoved"], rule)


def _table(path: Path, name: str, kinds: Sequence[str]) -> pd.DataFrame:
    """Read a table of a change, words as they are; pairs have the columns `kinds`."""
    if not path.is_file():
        raise FitError(
            f"{path}: no such file; the report of a change needs the whole folder that 'bayesbias "
            f"compare --out' wrote"
        )
    table = read_csv_texts(path, FitError).reset_index(drop=True)
    needed = (*_COLUMNS[name], *(kinds if name == "pairs" else ()))
    lacking = [column for column in needed if column not in table]
    if lacking:
        raise FitError(f"{path}: is damaged: lacks the column {lacking[0]!r}; {_AGAIN}")
    columns = {}
    copies = [column for column in OPTIONAL_COLUMNS if column in table]
    for column in (*needed, *copies):
        if column in (*_TEXTS, *kinds, *copies):
            columns[column] = without_apostrophes(table[column])
            continue
        kind = int if column == "n_pairs" else float
        try:
            # Python's own float: pandas before 3 reads numbers to a rounding only.
            columns[column] = pd.Series(map(kind, table[column]), index=table.index, dtype=kind)
        except ValueError as error:
            raise FitError(
                f"{path}: is damaged: column {column!r} has texts in place of numbers; {_AGAIN}"
            ) from error
    return pd.DataFrame(columns)
