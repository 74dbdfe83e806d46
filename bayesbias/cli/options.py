"""What commands take, alone or in groups of options, and what makes a command of a function."""

from collections.abc import Callable, Iterable
from copy import copy
from dataclasses import asdict, dataclass, fields, is_dataclass
from functools import wraps
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, Final

import typer

import bayesbias as bb
from bayesbias.cli import output
from bayesbias.cli.app import Command

if TYPE_CHECKING:
    from bayesbias.comparison.comparing import Comparison
    from bayesbias.fits.fit_result import Fit
    from bayesbias.support.arguments import KeyedVectors


def option(text: str, default: Any = None, *names: str, **how: Any) -> Any:
    """Declare an option by what is said of it, its default, and its names if they are others."""
    return typer.Option(default, *names, help=text, **how)


def argument(text: str, metavar: str, default: Any = ...) -> Any:
    """Declare an argument, which is needed unless it has a default."""
    return typer.Argument(default, metavar=metavar, help=text)


def flag(text: str, name: str) -> Any:
    """Declare an option that is or is not there."""
    return typer.Option(False, name, help=text)


def _log(context: typer.Context, path: Path | None) -> Path | None:
    """Write the log from here to the end of the command."""
    if path is not None and context.obj is not None:  # it is None where words are completed
        context.obj.enter_context(output.logged(path))
    return path


_Work = Callable[..., output.Answer]
PAGE = Path("report.html")

LIST: Final = "A shipped list, or a TOML or JSON file."
VECTORS: Final = argument("File of word vectors.", "VECTORS")
WORD_LIST: Final = option(LIST, ..., "--wordlist", "-w", metavar="LIST")
OPTIONAL_WORD_LIST: Final = option(LIST, None, "--wordlist", "-w", metavar="LIST")
SEED: Final = option("Seed of all random steps.", 1)
OUT: Final = option("Write all results here.", None, "--out", "-o", metavar="DIR")
OVERWRITE: Final = flag("Replace what is there.", "--overwrite")
REPORT: Final = flag("Write the page report.html.", "--report")
JSON: Final = flag("Print JSON and nothing else.", "--json")
FULL: Final = flag("Print every row.", "--full")
LOG: Final = option("Append what happens, with times, to this file.", metavar="FILE", callback=_log)


@dataclass(frozen=True)
class Fitting:
    """Which model is fitted, and what is said of its answers."""

    panel: ClassVar = "Fitting"
    model: str = option("Model: a shipped name or a TOML file.", "maximal", metavar="MODEL")
    seed: int = SEED
    rope: float | None = option(
        "Differences up to this distance do not matter (0.1 sd of a neutral pair).", metavar="D"
    )
    ci_prob: float = option("Probability of intervals.", 0.89, metavar="P")

    @property
    def rule(self) -> "bb.DecisionRule":
        """When an answer is sure."""
        return bb.DecisionRule(rope=self.rope, ci_prob=self.ci_prob)


@dataclass(frozen=True)
class Reading:
    """How a file of vectors is read."""

    panel: ClassVar = "Reading vectors"
    limit: int | None = option("Use the first N words of the file.", metavar="N")
    trusted: bool = flag("Open gensim's pickle, which runs code.", "--trusted")
    encoding: str | None = option("How words are written: utf-8, latin-1.", metavar="NAME")
    word_column: str | None = option("Of a table: the column of words.", metavar="NAME")
    vector_column: str | None = option("Of a table: the column of vectors.", metavar="NAME")

    def load(self, path: str, words: "Iterable[str] | None") -> "KeyedVectors":
        """Load the vectors of some words, or all where words is None."""
        loaded = bb.load_embedding(path, words=words, **asdict(self))
        output.log(f"{path}: {len(loaded):,} vectors are read")
        return loaded


@dataclass(frozen=True)
class Results:
    """Where results are written, and if with the page; checked before any long work."""

    panel: ClassVar = "Results"
    out: Path | None = OUT
    overwrite: bool = OVERWRITE
    report: bool = REPORT

    def __post_init__(self) -> None:
        from bayesbias.support.whole_files import check_file, check_folder

        if self.out is not None:
            check_folder(self.out, overwrite=self.overwrite)
        elif self.report:
            check_file(PAGE, overwrite=self.overwrite)

    def write(self, answer: "Fit | Comparison", **options: Any) -> None:
        """Write the folder of results, or the page alone."""
        options["command"] = output.command_line()
        if self.out is not None:
            answer.write(self.out, overwrite=self.overwrite, report=self.report, **options)
        elif self.report:
            answer.report(PAGE, **options)
        if place := self.out or (self.report and PAGE):
            output.note(f"written: {place}")


_EVERYWHERE: Final = {
    name: Parameter(name, Parameter.KEYWORD_ONLY, default=default, annotation=kind)
    for name, default, kind in (("as_json", JSON, bool), ("log", LOG, Path | None))
}


def command(where: typer.Typer, name: str | None = None) -> Callable[[_Work], _Work]:
    """Make a function a command, which prints the answer that it returns, and takes --json, --log.

    It may take other options in groups: dataclasses among its arguments, with their fields; and
    `as_json`, if what is said of the progress depends on it.
    """

    def register(function: _Work) -> _Work:
        own = signature(function).parameters
        groups: dict[str, Any] = {
            name: p.annotation for name, p in own.items() if is_dataclass(p.annotation)
        }
        options = [p for name, p in {**own, **_EVERYWHERE}.items() if name not in groups]
        for group in groups.values():
            for option in signature(group).parameters.values():
                titled = copy(option.default)  # commands may share it
                titled.rich_help_panel = group.panel
                options.append(option.replace(default=titled))

        @wraps(function)
        def run(*, as_json: bool, log: Path | None, **values: Any) -> int:
            for name, group in groups.items():
                values[name] = group(**{f.name: values.pop(f.name) for f in fields(group)})
            if "as_json" in own:
                values["as_json"] = as_json
            return output.show(function(**values), as_json=as_json)

        # typer reads these two.
        run.__annotations__ = {option.name: option.annotation for option in options}
        ordered = [option.replace(kind=Parameter.KEYWORD_ONLY) for option in options]
        vars(run)["__signature__"] = Signature(ordered)
        where.command(name, cls=Command)(run)
        return function

    return register
