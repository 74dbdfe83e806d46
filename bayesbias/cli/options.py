"""What several commands take: arguments and options, alone or in groups that belong together."""

from collections.abc import Callable, Iterable
from copy import copy
from dataclasses import asdict, dataclass, fields, is_dataclass
from functools import wraps
from inspect import Parameter, Signature, signature
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

import typer
from typer import Argument, Option

import bayesbias as bb
from bayesbias.cli import output

if TYPE_CHECKING:
    from bayesbias.comparison.comparing import Comparison
    from bayesbias.fits.fit_result import Fit
    from bayesbias.support.arguments import KeyedVectors

PAGE = Path("report.html")

Vectors = Annotated[str, Argument(metavar="VECTORS", help="File of word vectors.")]
_WORDLIST = Option(
    "--wordlist", "-w", metavar="LIST", help="A shipped list, or a TOML or JSON file."
)
WordListName = Annotated[str, _WORDLIST]
OptionalWordList = Annotated[str | None, _WORDLIST]
Seed = Annotated[int, Option(help="Seed of all random steps.")]
Out = Annotated[Path | None, Option("--out", "-o", metavar="DIR", help="Write all results here.")]
Overwrite = Annotated[bool, Option("--overwrite", help="Replace what is there.")]
Report = Annotated[bool, Option("--report", help="Write the page report.html.")]
Json = Annotated[bool, Option("--json", help="Print JSON and nothing else.")]
Full = Annotated[bool, Option("--full", help="Print every row.")]


def _log(context: typer.Context, path: Path | None) -> Path | None:
    """Write the log from here to the end of the command."""
    if path is not None and context.obj is not None:  # it is None where words are completed
        context.obj.enter_context(output.logged(path))
    return path


Log = Annotated[
    Path | None,
    Option(metavar="FILE", help="Append what happens, with times, to this file.", callback=_log),
]


@dataclass(frozen=True)
class Fitting:
    """Which model is fitted, and what is said of its answers."""

    panel: ClassVar = "Fitting"
    model: Annotated[str, Option(metavar="MODEL", help="Model: a shipped name or a TOML file.")] = (
        "maximal"
    )
    seed: Seed = 1
    rope: Annotated[
        float | None,
        Option(
            metavar="D",
            help="Differences up to this distance do not matter (0.1 sd of a neutral pair).",
        ),
    ] = None
    ci_prob: Annotated[float, Option(metavar="P", help="Probability of intervals.")] = 0.89

    @property
    def rule(self) -> "bb.DecisionRule":
        """When an answer is sure."""
        return bb.DecisionRule(rope=self.rope, ci_prob=self.ci_prob)


@dataclass(frozen=True)
class Reading:
    """How a file of vectors is read."""

    panel: ClassVar = "Reading vectors"
    limit: Annotated[int | None, Option(metavar="N", help="Use the first N words of the file.")] = (
        None
    )
    trusted: Annotated[bool, Option("--trusted", help="Open gensim's pickle, which runs code.")] = (
        False
    )
    encoding: Annotated[
        str | None, Option(metavar="NAME", help="How words are written: utf-8, latin-1.")
    ] = None
    word_column: Annotated[
        str | None, Option(metavar="NAME", help="Of a table: the column of words.")
    ] = None
    vector_column: Annotated[
        str | None, Option(metavar="NAME", help="Of a table: the column of vectors.")
    ] = None

    def load(self, path: str, words: "Iterable[str] | None") -> "KeyedVectors":
        """Load the vectors of some words, or all where words is None."""
        loaded = bb.load_embedding(path, words=words, **asdict(self))
        output.log(f"{path}: {len(loaded):,} vectors are read")
        return loaded


@dataclass(frozen=True)
class Results:
    """Where results are written, and if with the page; checked before any long work."""

    panel: ClassVar = "Results"
    out: Out = None
    overwrite: Overwrite = False
    report: Report = False

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


def with_groups(command: Callable[..., int | None]) -> Callable[..., int | None]:
    """Let a command take options in groups: dataclasses among its arguments, with their fields."""
    groups: dict[str, Any] = {}
    parameters: list[Parameter] = []
    for name, parameter in signature(command).parameters.items():
        own = [parameter]
        if is_dataclass(parameter.annotation):
            groups[name] = parameter.annotation
            own = []
            for option in signature(groups[name]).parameters.values():
                shown = copy(option.annotation.__metadata__[0])  # commands may share it
                shown.rich_help_panel = groups[name].panel
                titled: Any = Annotated[option.annotation.__origin__, shown]
                own.append(option.replace(annotation=titled))
        parameters += [option.replace(kind=Parameter.KEYWORD_ONLY) for option in own]

    @wraps(command)
    def grouped(**options: Any) -> int | None:
        for name, group in groups.items():
            options[name] = group(**{own.name: options.pop(own.name) for own in fields(group)})
        return command(**options)

    # typer reads these two.
    grouped.__annotations__ = {option.name: option.annotation for option in parameters}
    vars(grouped)["__signature__"] = Signature(parameters)
    return grouped
