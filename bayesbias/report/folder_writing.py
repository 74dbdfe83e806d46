"""Writes results as a folder of tables, figures and a manifest, whole or not at all."""

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Final

import pandas as pd

from bayesbias.constants import (
    CONNECTION,
    GROUP,
    HDPI_PROB,
    MISSING_COLUMNS,
    PROTECTED_WORD,
    STEREOTYPE_CONNECTIONS,
)
from bayesbias.errors import ArgumentError, suggest
from bayesbias.fits.between_groups import LIST
from bayesbias.fits.contrasts import Contrasts
from bayesbias.fits.fit_result import Fit
from bayesbias.fits.interval_figures import plot_changes, plot_contrasts, plot_words
from bayesbias.fits.placebo import Placebo
from bayesbias.inference.decision import DecisionRule
from bayesbias.pairs.distance_figures import plot_distances, plot_empirical
from bayesbias.pairs.files import write_distances
from bayesbias.pairs.provenance import missing_of, missing_words
from bayesbias.pairs.reference import reference_rows, without_reference
from bayesbias.report.check_sections import coverage_of
from bayesbias.report.shown_levels import (
    ShownWords,
    few_attributes,
    shown_contrasts,
    summaries_of,
    words_of_change,
    words_of_fit,
)
from bayesbias.studies.change import Change
from bayesbias.studies.held_out import HeldOut
from bayesbias.studies.left import plot_left
from bayesbias.support.bounded_files import file_checksum
from bayesbias.support.csv_files import write_csv
from bayesbias.support.types import Figure
from bayesbias.support.whole_files import MANIFEST, new_folder

FIGURE_FORMATS: Final = ("png", "pdf", "svg")

Figures = Mapping[str, "Callable[[], Figure]"]

_MOST_PANELS: Final = 3
_UNDATED: Final[dict[str, dict[str, None]]] = {
    "png": {},
    "pdf": {"CreationDate": None},
    "svg": {"Date": None},
}


def write_results(
    fit: Fit,
    folder: str | Path,
    *,
    prob: float = HDPI_PROB,
    interval: str = "hpdi",
    rope: float | None = None,
    placebo: Placebo | None = None,
    command: str = "",
    overwrite: bool = False,
    figures: str | None = None,
    also: Callable[[Path], None] | None = None,
) -> None:
    """Write a fit, its tables and, in a format, its figures; `also` adds to what is listed."""
    rule = fit.rule(rope=rope, prob=prob, interval=interval)
    check_figure_format(figures)
    with new_folder(folder, overwrite=overwrite) as place:
        fit.save(place / "fit.nc")  # first: whatever follows can be computed again from it
        write_distances(fit.input_frame, place / "pairs.csv")
        summaries, contrasts = summaries_of(fit, rule), shown_contrasts(fit, rule)
        tables = {
            **{f"summary_by_{by}": found.table for by, found in summaries.items()},
            **{f"contrasts_by_{by}": found.table for by, found in contrasts.items()},
            "coverage": coverage_of(fit, rule),
            "missing_words": _missing(fit),
        }
        shown = words_of_fit(summaries["word"], contrasts)
        drawn = _figures(fit, rule, contrasts, shown) if figures else {}
        if placebo is not None:
            tables |= {"placebo": placebo.table, "placebo_lists": placebo.lists}
            drawn["placebo"] = placebo.plot
        manifest = manifest_of(fit, command, {"prob": prob, "interval": interval, "rope": rope})
        _complete(place, tables, drawn, figures, also, manifest, shown)


def write_change(
    change: Change,
    folder: str | Path,
    *,
    command: str = "",
    overwrite: bool = False,
    figures: str | None = None,
    also: Callable[[Path], None] | None = None,
    held_out: HeldOut | None = None,
) -> None:
    """Write everything about a change into a folder, with options as of `write_results`.

    What held-out words show of a debiasing is said first, and a table of its own.
    """
    check_figure_format(figures)
    rule, fit = change.rule, change.fit
    with new_folder(folder, overwrite=overwrite) as place:
        fit.save(place / "fit.nc")
        # What the change is read from, beside the fit.
        read_from = {name: getattr(change, name) for name in CHANGE_TABLES}
        reference = reference_rows(fit.input_frame)
        if len(reference):
            rows = [change.pairs, reference[list(change.pairs.columns)]]
            read_from["pairs"] = pd.concat(rows, ignore_index=True)
        write_tables(place, read_from, digits=None)
        tables = {"changes_by_connection": change.table, "changes_by_word": change.words}
        tables["shares"] = change.shares
        shown = words_of_change(change)
        drawn: dict[str, Callable[[], Figure]] = {
            "changes": lambda: plot_changes(change.table, shown.of(change.words), rule),
            "predictive": lambda: fit.plot_predictive(prob=rule.prob, interval=rule.interval),
        }
        if len(change.left_by_list):
            tables |= {"left_by_list": change.left_by_list}
            drawn["left_by_list"] = lambda: plot_left(change.left_by_list, rule)
        if len(change.list_contrasts):
            tables["contrasts_by_list"] = change.list_contrasts
        if len(change.left):
            tables |= {"left": change.left}
            drawn["left"] = lambda: plot_left(change.left, rule)
        if len(change.contrasts):
            tables["contrasts_by_connection"] = change.contrasts
            tables["contrasts_by_word"] = change.word_contrasts
            drawn["contrasts"] = lambda: plot_contrasts(
                shown.of(change.word_contrasts), rule, whole=change.contrasts
            )
        if change.by_factor is not None:
            tables["contrasts_by_factor"] = change.by_factor.table
        chosen = {"prob": rule.prob, "interval": rule.interval, "rope": rule.rope}
        manifest = manifest_of(fit, command, chosen)
        manifest |= {"scale": rule.scale, "answers": change.answers}
        if held_out is not None:
            manifest["answers"] = held_out.before(change.answers)
            manifest["held_out"] = held_out.to_dict()
            tables |= {} if held_out.table.empty else {"held_out": held_out.table}
        _complete(place, tables, drawn, figures, also, manifest, shown)


def _complete(
    place: Path,
    tables: Mapping[str, pd.DataFrame],
    drawn: Figures,
    figures: str | None,
    also: Callable[[Path], None] | None,
    manifest: dict[str, Any],
    shown: ShownWords,
) -> None:
    """Write tables, figures, what is added, and last the manifest, which lists them all."""
    write_tables(place, tables)
    write_figures(place, drawn, figures)
    if also is not None:
        also(place)
    write_manifest(place, manifest | ({"figures": shown.note} if shown.note else {}))


CHANGE_TABLES: Final = ("pairs", "unpaired", "unmoved")
"""Tables that a change is read from, beside the saved fit."""


RESULT_DIGITS: Final = 6
"""Significant digits of numbers in tables of results; pairs, which are fitted again, have all."""


def check_figure_format(figures: str | None) -> None:
    """Refuse an unknown format of figures; None is for no figures."""
    if figures is not None and figures not in FIGURE_FORMATS:
        raise ArgumentError(f"figures={figures!r}{suggest(str(figures), FIGURE_FORMATS)}")


def write_tables(
    place: Path, tables: Mapping[str, pd.DataFrame], *, digits: int | None = RESULT_DIGITS
) -> None:
    """Write tables as CSV into a folder, by their names, to as many digits as results have."""
    for name, table in tables.items():
        write_csv(table, place / f"{name}.csv", digits=digits)


def write_figures(place: Path, drawn: Figures, figures: str | None) -> None:
    """Draw figures, one at a time, into the folder ``figures`` of a folder; None is for none."""
    if figures is None:
        return
    (place / "figures").mkdir()
    for name, draw in drawn.items():
        save_figure(draw(), place / "figures" / f"{name}.{figures}")


def save_figure(figure: Figure, path: Path) -> None:
    """Write a figure in the format that its name ends in, without a date."""
    from bayesbias.support.shown_figure import svg_settings

    # A third of a PNG's time goes to its compression, for a sixth of its size.
    png: dict[str, Any] = {"pil_kwargs": {"compress_level": 1}} if path.suffix == ".png" else {}
    with svg_settings():
        figure.savefig(path, dpi=200, metadata=_UNDATED[path.suffix[1:]], **png)


def write_manifest(place: Path, manifest: Mapping[str, Any]) -> None:
    """Write a manifest, with the checksums of the files that are there, into a folder."""
    files = sorted(p for p in place.rglob("*") if p.is_file())
    checksums = {p.relative_to(place).as_posix(): file_checksum(p) for p in files}
    text = json.dumps({**manifest, "files": checksums}, indent=2, ensure_ascii=False)
    (place / MANIFEST).write_text(text + "\n", encoding="utf-8")


def manifest_of(fit: Fit, command: str, chosen: Mapping[str, Any]) -> dict[str, Any]:
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
        "notes": fit.notes,
        "seed": fit.seed,
        "sampling": fit.settings,
        "intervals": dict(chosen),
        "diagnostics": fit.diagnostics.to_dict(),
        "source": record["source"],
        "missing_words": "not recorded" if missing_of(fit.frame) is None else "listed",
        "reference_words": reference_rows(fit.input_frame)[PROTECTED_WORD].unique().tolist(),
        "pairs_sha256": record["pairs_sha256"],
        "versions": fit.versions,
    }


def _missing(fit: Fit) -> pd.DataFrame:
    """Return the report of missing words, empty where the pairs came without one."""
    if missing_of(fit.frame) is None:
        return pd.DataFrame(columns=list(MISSING_COLUMNS))
    return missing_words(fit.frame)


def _figures(
    fit: Fit, rule: DecisionRule, contrasts: Mapping[str, Contrasts], shown: ShownWords
) -> "dict[str, Callable[[], Figure]]":
    """Return the figures of a fit, drawn when called."""
    pairs = without_reference(fit.frame)
    chosen: dict[str, Any] = {"prob": rule.prob, "interval": rule.interval}
    words = fit.summary("word", **chosen).table
    nearest = _nearest_words(words)
    figures: dict[str, Callable[[], Figure]] = {
        "connections": lambda: fit.summary(**chosen).plot(),
        "words": lambda: plot_words(shown.of(words)),
        "predictive": lambda: fit.plot_predictive(**chosen),
        "distances": lambda: plot_distances(few_attributes(pairs, nearest), nearest),
    }
    if pairs[CONNECTION].isin(STEREOTYPE_CONNECTIONS).any():
        figures["empirical"] = lambda: plot_empirical(pairs)
    if LIST in contrasts:
        figures["lists"] = contrasts[LIST].plot
    if contrasts:
        whole, single = contrasts["connection"].table, contrasts["word"].table
        figures["contrasts"] = lambda: plot_contrasts(shown.of(single), rule, whole=whole)
    if "factor" in contrasts:
        figures["factors"] = contrasts["factor"].plot
    return figures


def _nearest_words(words: pd.DataFrame) -> list[str]:
    """Choose from each group the word nearest to its associated attributes."""
    first = words[words[CONNECTION] == words[CONNECTION].iloc[0]]
    nearest = first.loc[first.groupby(GROUP, sort=False)["mean"].idxmin(), PROTECTED_WORD]
    return [str(word) for word in nearest.unique()][:_MOST_PANELS]
