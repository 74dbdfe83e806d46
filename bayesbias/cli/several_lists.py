"""A command that takes several word lists: a folder for each, and one answer and page of all."""

import argparse
from collections.abc import Callable
from pathlib import Path
from typing import Any

import bayesbias as bb
from bayesbias.cli.fit_output import rule_of
from bayesbias.cli.output import check_out, say, show
from bayesbias.cli.report import REPORT_NAME, check_report
from bayesbias.errors import ArgumentError
from bayesbias.fits.next_step import next_step

WORDLISTS = """
--wordlist LIST[,LIST...]*  a shipped list's name or a .toml file; several with commas between them,
    or repeated
"""


def for_each_list(run: Callable[[argparse.Namespace], Any]) -> Callable[[argparse.Namespace], None]:
    """Return what runs a command for each of the word lists that are asked for.

    `run` returns its result: a fit, a change or a comparison.
    """

    def run_all(arguments: argparse.Namespace) -> None:
        names = _names(arguments.wordlist or [])
        if len(names) < 2:
            arguments.wordlist = next(iter(names.values()), None)
            run(arguments)
            return
        from bayesbias.report.several import sentences_of

        for name in names.values():
            bb.load_wordlist(name)
        check_report(arguments)
        check_out(arguments)
        found: dict[str, Any] = {}
        contents: dict[str, dict[str, Any]] = {}
        for label, name in names.items():
            own = {"wordlist": name, "report": False, "collected": contents.setdefault(label, {})}
            own["out"] = None if arguments.out is None else str(Path(arguments.out) / label)
            say(arguments, f"Word list {label}:\n")
            found[label] = run(argparse.Namespace(**{**vars(arguments), **own}))
            say(arguments, "")
        said = {label: sentences_of(one, rule_of(arguments)) for label, one in found.items()}
        answers = [f"{label}: {own[0]}" for label, own in said.items() if own]
        page = "" if arguments.out is None else str(Path(arguments.out) / REPORT_NAME)
        then = next_step("several", page, arguments.report)
        shown = ["All word lists:", *answers, then]
        show(arguments, shown, {"answers": answers, "wordlists": contents})
        if arguments.report:
            command = {"command": arguments.command_line, "overwrite": arguments.overwrite}
            bb.write_report(found, page, rule=rule_of(arguments), **command)
            say(arguments, f"The page of all word lists is {page}")

    return run_all


def _names(given: list[str]) -> dict[str, str]:
    """Return the lists by what their folders are called; a file's name may have commas."""
    texts = [
        part.strip()
        for text in given
        for part in ([text] if Path(text).exists() else text.split(","))
    ]
    names: dict[str, str] = {}
    for text in texts:
        label = Path(text).stem if text.endswith(".toml") else text
        if label in names:
            raise ArgumentError(f"--wordlist: two lists are called {label!r}; give each once")
        names[label] = text
    return names
