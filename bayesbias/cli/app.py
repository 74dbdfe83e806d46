"""The application: all commands, and what becomes of their errors.

typer, since argparse made a language of its own necessary (500 lines). It takes .07 s to import,
cyclopts .09, click alone .04, argparse .02 (one machine); it completes words in four shells.
"""

import warnings
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from errno import ENOSPC
from typing import Annotated, Any

import typer
from typer.core import TyperCommand, TyperGroup

from bayesbias import __version__
from bayesbias.cli import INTERRUPTED, output
from bayesbias.errors import BayesBiasError, BayesBiasWarning, MissingWordsWarning

_Misuse: Any = typer.BadParameter.__mro__[2]
"""What is raised of what was typed: click's ClickException, which newer typer has as its own."""


class _Commands(TyperGroup):
    """The commands; typer would take away what is said of a Ctrl-C."""

    def invoke(self, ctx: Any) -> Any:
        """Run a command."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt as stop:
            output.note(str(stop) or INTERRUPTED)
            return 130


class Command(TyperCommand):
    """A command that takes an option once, and whose help shows its groups of options apart."""

    def parse_args(self, ctx: Any, args: list[str]) -> list[str]:
        """Refuse an option that is there twice, of which the last would count silently."""
        *_, order = self.make_parser(ctx).parse_args(args=list(args))
        for option in order:
            is_one = option.param_type_name == "option" and not option.multiple
            if is_one and order.count(option) > 1 and not ctx.resilient_parsing:
                ctx.fail(f"{max(option.opts, key=len)} is given twice")
        return super().parse_args(ctx, args)

    def format_options(self, ctx: Any, formatter: Any) -> None:
        """Write the options in the sections of their groups."""
        sections: dict[str, list[tuple[str, str]]] = {}
        for parameter in self.get_params(ctx):
            if (line := parameter.get_help_record(ctx)) is not None:
                usual = "Arguments" if parameter.param_type_name == "argument" else "Options"
                title = getattr(parameter, "rich_help_panel", None) or usual
                sections.setdefault(title, []).append(line)
        for title, lines in sections.items():
            with formatter.section(title):
                formatter.write_dl(lines)


app = typer.Typer(
    name="bayesbias",
    cls=_Commands,
    help="Hierarchical Bayesian models of word-embedding bias. Start with: bayesbias demo",
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"]},
)


def _version(wanted: bool) -> None:
    if wanted:
        output.say(f"bayesbias {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """Hold the options that stand before a command."""


def run(words: list[str]) -> int:
    """Run a command and return its exit code."""
    from bayesbias.cli import analysis, tools  # noqa: F401  (their commands join the application)

    command = typer.main.get_command(app)
    options: Any = {"args": words or ["--help"], "prog_name": "bayesbias"}
    with ExitStack() as log, _notes():
        try:
            return int(command.main(**options, standalone_mode=False, obj=log) or 0)
        except typer.Abort:  # a Ctrl-C before the command begins
            raise KeyboardInterrupt from None
        except _Misuse as error:
            if type(error).__name__ == "NoArgsIsHelpError":  # a group of commands by itself
                output.say(error.format_message())
                return 0
            context = getattr(error, "ctx", None)
            where = f"; see '{context.command_path} --help'" if context else ""
            output.note(f"error: {error.format_message()}{where}")
        except BayesBiasError as error:
            output.note(f"error: {error}")
        except OSError as error:
            if error.errno != ENOSPC:
                raise
            output.note("error: no space is left where this writes; free some, and run it again")
        except MemoryError as error:
            output.note(
                f"error: not enough memory ({error}); ask for fewer draws, words or vectors"
            )
    return 2  # an error


@contextmanager
def _notes() -> Iterator[None]:
    """Print the package's warnings as notes, each once."""
    with warnings.catch_warnings():
        warnings.simplefilter("always", BayesBiasWarning)
        warnings.simplefilter("ignore", MissingWordsWarning)  # screens count the words themselves
        show = warnings.showwarning
        notes: set[str] = set()

        def note(message: Any, category: type[Warning], *rest: Any, **options: Any) -> None:
            if not issubclass(category, BayesBiasWarning):
                show(message, category, *rest, **options)
            elif str(message) not in notes:
                notes.add(str(message))
                output.note(f"note: {message}")

        warnings.showwarning = note
        yield
