"""The commands ``plan`` and ``simulate``."""

import argparse
import os
import shlex
from collections.abc import Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pandas as pd

from bayesbias.cli.inputs import progress_of, say, show
from bayesbias.fits.loading import load_fit
from bayesbias.report.folder_writing import write_manifest
from bayesbias.simulate import METHODS, operating_characteristics
from bayesbias.studies.planning import plan
from bayesbias.support.compatibility import versions
from bayesbias.support.csv_files import write_csv
from bayesbias.support.whole_files import check_folder, new_folder

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def run_plan(arguments: argparse.Namespace, given: list[str]) -> None:
    """Simulate lists of different lengths, print and write what they would tell."""
    if arguments.out is not None:
        check_folder(arguments.out, overwrite=arguments.overwrite)
    basis = None
    if arguments.fit is not None:
        path = Path(arguments.fit)
        basis = load_fit(path / "fit.nc" if path.is_dir() else path)
    found = plan(
        basis, width=arguments.width, n_words=arguments.words, n_attributes=arguments.attributes,
        simulations=arguments.simulations, rope=arguments.rope, prob=arguments.prob,
        interval=arguments.interval, seed=arguments.seed,
        progress=progress_of(arguments),
    )  # fmt: skip
    show(arguments, found.blocks, found.to_dict())
    tables = {"plan": found.table, "needed": found.needed}
    _write(arguments, given, tables, {"plan": found.plot()}, {"basis": found.basis})


def run_simulate(arguments: argparse.Namespace, given: list[str]) -> None:
    """Count false alarms and hits, print and write them."""
    if arguments.out is not None:
        check_folder(arguments.out, overwrite=arguments.overwrite)
    asked = arguments.method or ["all"]
    methods = list(METHODS) if "all" in asked else list(dict.fromkeys(asked))
    options = {} if arguments.effect is None else {"effects": arguments.effect}
    found = operating_characteristics(
        methods, worlds=arguments.worlds, n_words=arguments.words,
        n_attributes=arguments.attributes, rope=arguments.rope, seed=arguments.seed,
        jobs=arguments.jobs or os.cpu_count() or 1,
        progress=progress_of(arguments), **options,
    )  # fmt: skip
    show(arguments, found.blocks, found.to_dict())
    content = {k: v for k, v in found.to_dict().items() if k != "table"}
    figures = {"characteristics": found.plot()}
    _write(arguments, given, {"characteristics": found.table}, figures, content)


def _write(
    arguments: argparse.Namespace,
    given: list[str],
    tables: Mapping[str, pd.DataFrame],
    figures: "Mapping[str, Figure]",
    content: dict[str, Any],
) -> None:
    """Write tables, figures and a manifest into the folder asked for, if any."""
    if arguments.out is None:
        return
    with new_folder(arguments.out, overwrite=arguments.overwrite) as place:
        for name, table in tables.items():
            write_csv(table, place / f"{name}.csv")
        for name, figure in figures.items():
            figure.savefig(place / f"{name}.png", dpi=200)
        write_manifest(
            place,
            {
                "command": shlex.join(["bayesbias", *given]),
                "seed": arguments.seed,
                "versions": versions(),
                **content,
            },
        )
    say(arguments, f"Tables and figures are in {arguments.out}")
