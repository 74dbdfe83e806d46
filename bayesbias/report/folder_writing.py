"""Writes a fit or a change as a folder of tables, figures and a manifest, whole or not at all."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd

from bayesbias.constants import (
    CONNECTION,
    HDPI_PROB,
    INNER_PROB,
    MISSING_COLUMNS,
    PROTECTED_WORD,
    ROPE,
)
from bayesbias.fits.contrasts import Contrasts, can_compare
from bayesbias.fits.fit_result import Fit
from bayesbias.pairs.figures import plot_distances, plot_empirical
from bayesbias.pairs.files import write_distances
from bayesbias.pairs.provenance import missing_of
from bayesbias.studies.change import Change
from bayesbias.support.bounded_files import file_checksum
from bayesbias.support.csv_files import write_csv
from bayesbias.support.whole_files import MANIFEST, new_folder

_MOST_PANELS = 3


def write_results(
    fit: Fit,
    folder: str | Path,
    *,
    prob: float = HDPI_PROB,
    interval: str = "hpdi",
    rope: float = ROPE,
    command: str = "",
    overwrite: bool = False,
    figure_format: str = "png",
    also: Callable[[Path], None] | None = None,
) -> None:
    """Write everything about a fit into a folder.

    Parameters
    ----------
    fit : Fit
    folder : str or Path
        Gets ``pairs.csv``, ``group_summary.csv``, ``word_summary.csv``, ``spread_summary.csv``,
        ``contrasts.csv``, ``coverage.csv``, ``missing_words.csv``, ``fit.nc``,
        ``figures/*`` and ``manifest.json``.
    prob, interval, rope
        As for `Fit.contrasts`.
    command : str
        The command line to record.
    overwrite : bool
        Replace the folder if it is there and not empty.
    figure_format : {"png", "pdf", "svg"}
        Of the figures.
    also : callable, optional
        Called with the folder's temporary path before the manifest is written, so as to add files
        that the manifest lists too.

    Raises
    ------
    OutputError
        If the folder is taken or cannot be written; nothing half-written is left behind.

    Examples
    --------
    >>> write_results(fit, "out/religion")  # doctest: +SKIP
    """
    chosen: dict[str, Any] = {"prob": prob, "interval": interval}
    words = fit.word_summary(**chosen)
    contrasts = fit.contrasts(rope=rope, **chosen) if can_compare(fit.design) else None
    with new_folder(folder, overwrite=overwrite) as place:
        write_distances(fit.pairs, place / "pairs.csv")
        for name, table in (
            ("group_summary", fit.group_summary(**chosen)),
            ("word_summary", words),
            ("spread_summary", fit.spread_summary(**chosen)),
            ("coverage", fit.coverage(probs=tuple({prob: 0, INNER_PROB: 0}), interval=interval)),
            ("missing_words", _missing(fit)),
        ):
            write_csv(table, place / f"{name}.csv")
        if contrasts is not None:
            write_csv(contrasts.to_frame(), place / "contrasts.csv")
        fit.save(place / "fit.nc")
        _write_figures(fit, place / "figures", words, contrasts, chosen, figure_format)
        if also is not None:
            also(place)
        write_manifest(place, manifest_of(fit, command, {**chosen, "rope": rope}))


def write_change(
    change: Change,
    folder: str | Path,
    *,
    command: str = "",
    overwrite: bool = False,
    figure_format: str = "png",
    also: Callable[[Path], None] | None = None,
) -> None:
    """Write everything about a change into a folder.

    Parameters
    ----------
    change : Change
    folder : str or Path
        Gets ``pairs.csv``, ``changes.csv``, ``contrasts.csv``, ``shares.csv``, ``unpaired.csv``,
        ``unmoved.csv``, ``fit.nc``, ``figures/*`` and ``manifest.json``.
    command, overwrite, figure_format, also
        As for `write_results`.

    Raises
    ------
    OutputError
        If the folder is taken or cannot be written; nothing half-written is left behind.

    Examples
    --------
    >>> write_change(bb.compare_change(before, after), "out/change")  # doctest: +SKIP
    """
    chosen: dict[str, Any] = {"prob": change.prob, "interval": change.interval}
    tables = {
        "pairs": change.pairs,
        "changes": change.to_frame(),
        "shares": change.shares,
        "unpaired": change.unpaired,
        "unmoved": change.unmoved,
    }
    figures = {"changes": change.plot(), "predictive": change.fit.plot_predictive(**chosen)}
    if change.contrasts is not None:
        tables["contrasts"] = change.contrasts.to_frame()
        figures["contrasts"] = change.contrasts.plot()
    manifest = manifest_of(change.fit, command, {**chosen, "rope": change.rope})
    with new_folder(folder, overwrite=overwrite) as place:
        for name, table in tables.items():
            write_csv(table, place / f"{name}.csv")
        (place / "figures").mkdir()
        for name, figure in figures.items():
            figure.savefig(place / "figures" / f"{name}.{figure_format}", dpi=200)
        change.fit.save(place / "fit.nc")
        if also is not None:
            also(place)
        write_manifest(place, {**manifest, "answers": change.answers})


def write_manifest(place: Path, manifest: dict[str, Any]) -> None:
    """Write a manifest, with the checksums of the files that are there, into a folder."""
    files = sorted(p for p in place.rglob("*") if p.is_file())
    manifest["files"] = {p.relative_to(place).as_posix(): file_checksum(p) for p in files}
    text = json.dumps(manifest, indent=2, ensure_ascii=False)
    (place / MANIFEST).write_text(text + "\n", encoding="utf-8")


def _missing(fit: Fit) -> pd.DataFrame:
    """Return the report of missing words, empty where the pairs came without one."""
    if missing_of(fit.frame) is None:
        return pd.DataFrame(columns=list(MISSING_COLUMNS))
    return fit.missing_words


def _write_figures(
    fit: Fit,
    place: Path,
    words: pd.DataFrame,
    contrasts: Contrasts | None,
    chosen: dict[str, Any],
    figure_format: str,
) -> None:
    place.mkdir()
    pairs = fit.pairs
    figures = {
        "groups": fit.plot_groups(**chosen),
        "words": fit.plot_words(**chosen),
        "predictive": fit.plot_predictive(**chosen),
        "distances": plot_distances(pairs, _nearest_words(pairs, words)),
    }
    if (pairs[CONNECTION] == "associated").any():
        figures["empirical"] = plot_empirical(pairs)
    if contrasts is not None:
        figures["contrasts"] = contrasts.plot()
    for name, figure in figures.items():
        figure.savefig(place / f"{name}.{figure_format}", dpi=200)


def _nearest_words(pairs: pd.DataFrame, words: pd.DataFrame) -> list[str]:
    """Choose from each group the word nearest to its associated attributes."""
    first = words[CONNECTION].iloc[0]
    means = words[words[CONNECTION] == first].set_index(PROTECTED_WORD)["mean"]
    groups = pairs.drop_duplicates(PROTECTED_WORD).groupby("group", sort=False)[PROTECTED_WORD]
    nearest = [str(means.loc[list(names)].idxmin()) for _, names in groups]
    return nearest[:_MOST_PANELS]


def manifest_of(fit: Fit, command: str, chosen: dict[str, Any]) -> dict[str, Any]:
    """Return how a fit came about, as plain data; `chosen` says how it was summarised."""
    record = fit.record
    return {
        "fit": fit.id,
        "created": fit.created,
        "command": command,
        "model": {
            "name": fit.spec.name,
            "id": fit.spec.id,
            "equations": fit.spec.equations().splitlines(),
        },
        "seed": fit.seed,
        "sampling": fit.settings,
        "intervals": chosen,
        "diagnostics": fit.diagnostics.to_dict(),
        "source": record["source"],
        "missing_words": "not recorded" if missing_of(fit.frame) is None else "listed",
        "pairs_sha256": record["pairs_sha256"],
        "versions": fit.versions,
    }
