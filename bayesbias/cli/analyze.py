"""The commands ``demo`` and ``analyze``."""

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

from typer import Argument, Option

import bayesbias as bb
from bayesbias.cli import options as shared
from bayesbias.cli import output
from bayesbias.cli.app import Command, app
from bayesbias.errors import ArgumentError

if TYPE_CHECKING:
    import pandas as pd

    from bayesbias.fits.fit_result import Fit

_DEMO = Path("bayesbias-demo")


@app.command(cls=Command)
def demo(
    out: shared.Out = _DEMO,
    seed: shared.Seed = 1,
    as_json: shared.Json = False,
    full: shared.Full = False,
) -> None:
    """Analyze the vectors that the package ships, and write a page."""
    fit = bb.analyze(bb.example_embedding(), "gender", seed=seed)
    place, command = out or _DEMO, output.command_line()
    fit.write(place, overwrite=place == _DEMO, report=True, command=command, checks=False)
    _print(fit, bb.DecisionRule(), full=full, as_json=as_json)
    if not as_json:
        output.say(
            f"Words, figures: open {place / 'report.html'}\n"
            'Your vectors: bayesbias analyze FILE -w gender, or bb.analyze(vectors, "gender")'
        )


@app.command(cls=Command)
@shared.with_groups
def analyze(
    *,
    vectors: Annotated[
        str | None, Argument(metavar="VECTORS", help="File of word vectors.")
    ] = None,
    wordlist: shared.OptionalWordList = None,
    distances: Annotated[
        Path | None, Option(metavar="FILE", help="A file of distances in place of vectors.")
    ] = None,
    covariates: Annotated[
        Path | None, Option(metavar="FILE", help="CSV of numbers by word, each a covariate.")
    ] = None,
    engine: Annotated[str, Option(help="auto, collapsed or nuts.")] = "auto",
    full: shared.Full = False,
    as_json: shared.Json = False,
    quick: Annotated[bool, Option("--quick", help="Leave the checks out of the page.")] = False,
    log: shared.Log = None,
    fitting: shared.Fitting,
    results: shared.Results,
    reading: shared.Reading,
) -> None:
    """Say how close groups are to attribute lists, and how sure."""
    rule = fitting.rule
    numbers = () if covariates is None else _covariates(covariates)
    spec = bb.load_model(fitting.model)
    if (distances is None) == (vectors is None):
        raise ArgumentError("give a file of VECTORS with --wordlist, or --distances FILE")
    if distances is not None:
        if wordlist is not None:
            raise ArgumentError("--wordlist goes with VECTORS; a file of distances has its words")
        loaded, frame = None, bb.read_distances(distances)
    else:
        if wordlist is None:
            shipped = ", ".join(bb.list_wordlists())
            raise ArgumentError(f"--wordlist: is needed; a file, or one of: {shipped}")
        words = bb.load_wordlist(wordlist)
        loaded = reading.load(str(vectors), words.words)
        frame = bb.distances(loaded, words)
    fit = bb.fit(frame, spec, vectors=loaded, covariates=numbers, seed=fitting.seed, engine=engine)
    output.log(f"{len(frame):,} distances are fitted")
    results.write(fit, rule=rule, checks=not quick)
    _print(fit, rule, full=full, as_json=as_json)


def _print(fit: "Fit", rule: "bb.DecisionRule", *, full: bool, as_json: bool) -> None:
    from bayesbias.fits.screen import screen

    if as_json:
        output.show("", fit.to_dict(rule=rule, command=output.command_line()), as_json=True)
    else:
        output.say(screen(fit, rule, full=full))


def _covariates(path: Path) -> "pd.DataFrame":
    """Read covariates by word: a CSV file whose first column is the word."""
    import pandas as pd

    from bayesbias.show.csv_files import read_csv_texts

    table = read_csv_texts(path, ArgumentError)
    numbers = table.iloc[:, 1:].apply(pd.to_numeric, errors="coerce")
    lacking = numbers.isna().stack()
    if lacking.any():
        line, column = lacking.idxmax()
        raise ArgumentError(
            f"{path}: line {line}, column {column!r}: is no number; fill it, or leave the word out"
        )
    return numbers.set_axis(table.iloc[:, 0], axis=0)
