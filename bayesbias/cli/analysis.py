"""The commands of an analysis: demo, analyze, compare, sweep and check."""

from collections.abc import Iterable
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import bayesbias as bb
from bayesbias.cli import options as shared
from bayesbias.cli import output
from bayesbias.cli.app import app
from bayesbias.cli.options import argument, command, flag, option
from bayesbias.cli.output import Answer
from bayesbias.errors import ArgumentError, BayesBiasError, DistancesError

if TYPE_CHECKING:
    import pandas as pd

    from bayesbias.fits.fit_result import Fit

_DEMO = Path("bayesbias-demo")


@command(app)
def demo(
    out: Path = option("Write all results here.", _DEMO, "--out", "-o", metavar="DIR"),
    seed: int = shared.SEED,
    full: bool = shared.FULL,
) -> Answer:
    """Analyze the vectors that the package ships, and write a page."""
    fit = bb.analyze(bb.example_embedding(), "gender", seed=seed)
    line = output.command_line()
    fit.write(out, overwrite=out == _DEMO, report=True, command=line, checks=False)
    more = (
        f"\nWords, figures: open {out / 'report.html'}\n"
        'Your vectors: bayesbias analyze FILE -w gender, or bb.analyze(vectors, "gender")'
    )
    return _answer(fit, bb.DecisionRule(), full=full, more=more)


@command(app)
def analyze(
    fitting: shared.Fitting,
    results: shared.Results,
    reading: shared.Reading,
    vectors: str | None = argument("File of word vectors.", "VECTORS", None),
    wordlist: str | None = shared.OPTIONAL_WORD_LIST,
    distances: Path | None = option("A file of distances in place of vectors.", metavar="FILE"),
    covariates: Path | None = option("CSV of numbers by word, each a covariate.", metavar="FILE"),
    engine: str = option("collapsed or nuts.", "collapsed"),
    full: bool = shared.FULL,
    quick: bool = flag("Leave out checks that take seconds.", "--quick"),
) -> Answer:
    """Say how close groups are to attribute lists, and how sure."""
    if quick and not (results.report or results.out):
        raise ArgumentError("--quick goes with --report or --out, where checks are written")
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
    return _answer(fit, rule, full=full)


def _answer(fit: "Fit", rule: "bb.DecisionRule", *, full: bool, more: str = "") -> Answer:
    from bayesbias.fits.screen import screen

    return Answer(
        lambda: screen(fit, rule, full=full) + more,
        lambda: fit.to_dict(rule=rule, command=output.command_line()),
    )


def _covariates(path: Path) -> "pd.DataFrame":
    """Read covariates by word: a CSV file whose first column is the word."""
    import pandas as pd

    from bayesbias.show.csv_files import read_csv_texts

    table = read_csv_texts(path, ArgumentError)
    numbers = table.iloc[:, 1:].apply(pd.to_numeric, errors="coerce")
    if numbers.isna().all(axis=None):
        raise ArgumentError(
            f"{path}: has no column of numbers beside the words; separate columns by commas"
        )
    lacking = numbers.isna().stack()
    if lacking.any():
        line, column = lacking.idxmax()
        raise ArgumentError(
            f"{path}: line {line}, column {column!r}: is no number; fill it, or leave the word out"
        )
    return numbers.set_axis(table.iloc[:, 0], axis=0)


@command(app)
def compare(
    fitting: shared.Fitting,
    results: shared.Results,
    reading: shared.Reading,
    files: list[str] = argument(
        "Two or more files of vectors, or of distances without -w.", "FILES"
    ),
    wordlist: str | None = shared.OPTIONAL_WORD_LIST,
    names: str | None = option("Names of the files; numbers are times.", metavar="A,B,…"),
    baseline: str | None = option("Compare all others with this one.", metavar="NAME"),
    used: str | None = option(
        "Words that debiasing used: a list or a record (OUT.json).", metavar="LIST"
    ),
    test: str | None = option("A list of words that debiasing did not use.", metavar="LIST"),
) -> Answer:
    """Say what differs between embeddings, or before and after."""
    from bayesbias.debias.record import words_used_of_file

    if len(files) < 2:
        raise ArgumentError("give two files or more to compare")
    records = [words_used_of_file(path) if used is None else None for path in files]
    recorded = [*filter(None, records)]
    if names is None:  # what was debiased comes after
        both = sorted(zip(files, records, strict=True), key=lambda file: file[1] is not None)
        files = [path for path, _ in both]
    labels = _names(files, names, is_debiased=bool(used or test or recorded))
    bb.load_model(fitting.model)
    sources: Iterable[Any]
    if wordlist is None:
        sources = map(_distances, files)
    else:  # other lists may have the words that a method did not use
        lists = [wordlist, *bb.list_wordlists()]
        words = {word for name in lists for word in bb.load_wordlist(name).words}
        sources = (reading.load(path, words) for path in files)
    comparison = bb.compare(
        dict(zip(labels, sources, strict=True)),
        wordlist,
        baseline=baseline,
        model=fitting.model,
        used=sorted(frozenset().union(*recorded)) if recorded else used,
        test=test,
        rule=fitting.rule,
        seed=fitting.seed,
    )
    output.log(f"{len(comparison.levels)} conditions are compared")
    results.write(comparison)
    content = partial(comparison.to_dict, command=output.command_line())
    return Answer(partial(repr, comparison), content)


def _distances(path: str) -> "pd.DataFrame":
    """Read a file of distances, which a file of vectors without a word list is taken for."""
    try:
        return bb.read_distances(path)
    except DistancesError as error:
        raise DistancesError(f"{error} (for a file of vectors name --wordlist)") from None


def _names(files: list[str], names: str | None, *, is_debiased: bool) -> list[Any]:
    """Return what the files are called: names that were given, before and after, or file names."""
    if names is None:
        stems = [Path(path).name.partition(".")[0] for path in files]
        alike = len(set(stems)) < len(stems)
        is_change = is_debiased and len(files) == 2
        return ["before", "after"] if is_change else [*map(str, files)] if alike else stems
    labels: list[Any] = [name.strip() for name in names.split(",")]
    if len(labels) != len(files):
        raise ArgumentError(f"--names: {len(labels)} names of {len(files)} files")
    try:
        return [float(label) if "." in label else int(label) for label in labels]
    except ValueError:
        return labels


@command(app)
def sweep(
    grid: Path = argument("TOML file: vectors, wordlists, models.", "GRID"),
    out: Path = option("Folder of results; goes on in it.", ..., "--out", "-o", metavar="DIR"),
    jobs: int = option("Processes.", 1, metavar="N"),
    scheduler: str | None = option("A Dask scheduler, as tcp://host:8786.", metavar="ADDRESS"),
    report: bool = shared.REPORT,
    as_json: bool = shared.JSON,
) -> Answer:
    """Analyze vectors × word lists × models; it can be stopped."""
    try:
        shown = False if as_json else None
        result = bb.run_sweep(grid, out, jobs=jobs, scheduler=scheduler, progress=shown)
    except KeyboardInterrupt:
        raise KeyboardInterrupt(
            f"interrupted; finished tasks are kept in {out}, and the same command goes on"
        ) from None
    if report:
        result.report(out / shared.PAGE, command=output.command_line())
    content = result.to_dict(command=output.command_line())
    text = f"{result!r}\nAll answers: {out / 'contrasts.csv'}"
    return Answer(text, content, exit_code=int(result.tasks["status"].eq("failed").any()))


@command(app)
def check(
    rules: Path = argument("TOML file of rules.", "RULES"),
    result: Path | None = option(
        "Contrasts of an analysis, comparison or sweep: .nc or .csv.", metavar="FILE"
    ),
    junit: Path | None = option("Write JUnit XML, replacing the file.", metavar="FILE"),
    report: bool = shared.REPORT,
    overwrite: bool = shared.OVERWRITE,
) -> Answer:
    """Ask whether contrasts keep to rules; exit 0 is yes, 1 no.

    Undecided is 1 too; 2 is what cannot be asked.
    """
    from bayesbias.comparison.rules import RuleResults
    from bayesbias.support.whole_files import check_file

    if junit is not None:
        check_file(junit, overwrite=True)
    if report:
        check_file(shared.PAGE, overwrite=overwrite or junit is not None)
    try:
        outcome = bb.check_rules(rules, None if result is None else _result(result))
    except BayesBiasError as error:
        if junit is not None:  # the file of an earlier run would say that rules pass
            RuleResults.of_error(rules, error).save_junit(junit)
        raise
    if junit is not None:
        outcome.save_junit(junit)
    if report:
        outcome.report(shared.PAGE, command=output.command_line())
    return Answer(repr(outcome), {"rules": outcome.table}, outcome.exit_code)


def _result(path: Path) -> Any:
    """Read a saved fit, or a frame of contrasts."""
    import pandas as pd

    from bayesbias.support.bounded_files import require_regular_file

    if path.suffix == ".nc":
        return bb.load_fit(path)
    if path.suffix != ".csv":
        raise ArgumentError(f"{path}: give a .nc or .csv file")
    try:
        table = pd.read_csv(require_regular_file(path, ArgumentError))
    except (ValueError, OSError) as error:
        raise ArgumentError(f"{path}: is no frame of contrasts ({error})") from None
    numbers = table.dropna(axis="columns", how="all").select_dtypes(["number", "bool"])
    texts = table.drop(columns=numbers.columns)  # an empty column is of texts: CSV does not tell
    return table.assign(**texts.astype(object).fillna(""))
