"""The commands ``sweep`` and ``check``."""

from pathlib import Path
from typing import Annotated, Any

from typer import Argument, Option

import bayesbias as bb
from bayesbias.cli import options as shared
from bayesbias.cli import output
from bayesbias.cli.app import app
from bayesbias.errors import ArgumentError


@app.command()
def sweep(
    grid: Annotated[Path, Argument(metavar="GRID", help="TOML file: vectors, wordlists, models.")],
    out: Annotated[
        Path, Option("--out", "-o", metavar="DIR", help="Folder of results; goes on in it.")
    ],
    jobs: Annotated[int, Option(metavar="N", help="Processes.")] = 1,
    scheduler: Annotated[
        str | None, Option(metavar="ADDRESS", help="A Dask scheduler, as tcp://host:8786.")
    ] = None,
    retry: Annotated[bool, Option("--retry", help="Try again what failed before.")] = False,
    as_json: shared.Json = False,
    log: shared.Log = None,
) -> int:
    """Analyze vectors × word lists × models; goes on where it was stopped."""
    options: Any = {"jobs": jobs, "scheduler": scheduler, "retry": retry}
    try:
        result = bb.run_sweep(grid, out, progress=False if as_json else None, **options)
    except KeyboardInterrupt:
        raise KeyboardInterrupt(
            f"interrupted; finished tasks are kept in {out}, and the same command goes on"
        ) from None
    failures = result.failures
    content = {"answers": result.sentences, "contrasts": result.table, "failures": failures}
    output.show(repr(result), content, as_json=as_json)
    return 1 if len(failures) else 0


@app.command()
def check(
    rules: Annotated[Path, Argument(metavar="RULES", help="TOML file of rules.")],
    result: Annotated[
        Path | None,
        Option(
            metavar="FILE",
            help="Contrasts of an analysis, comparison or sweep: .nc, .csv or .parquet.",
        ),
    ] = None,
    junit: Annotated[
        Path | None, Option(metavar="FILE", help="Write JUnit XML, replacing the file.")
    ] = None,
    as_json: shared.Json = False,
    log: shared.Log = None,
) -> int:
    """Ask whether contrasts keep to rules; exit 0 yes, 1 no or undecided, 2 cannot be asked."""
    from bayesbias.support.whole_files import check_file

    gate = bb.load_rules(rules)
    if junit is not None:
        check_file(junit, overwrite=True)
    outcome = bb.check_rules(gate, None if result is None else _result(result))
    if junit is not None:
        outcome.save_junit(junit)
    output.show(repr(outcome), {"rules": outcome.table}, as_json=as_json)
    return outcome.exit_code


def _result(path: Path) -> Any:
    """Read a saved fit, or a frame of contrasts."""
    import pandas as pd

    from bayesbias.support.bounded_files import require_regular_file

    if path.suffix == ".nc":
        return bb.load_fit(path)
    readers = {".csv": pd.read_csv, ".parquet": pd.read_parquet}
    if path.suffix not in readers:
        raise ArgumentError(f"{path}: give a .nc, .csv or .parquet file")
    require_regular_file(path, ArgumentError)
    try:
        table = readers[path.suffix](path)
    except (ValueError, OSError) as error:
        raise ArgumentError(f"{path}: is no frame of contrasts ({error})") from None
    numbers = table.dropna(axis="columns", how="all").select_dtypes(["number", "bool"])
    texts = table.drop(columns=numbers.columns)  # an empty column is of texts: CSV does not tell
    return table.assign(**texts.astype(object).fillna(""))
