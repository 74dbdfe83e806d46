"""The command ``check``: embeddings against rules."""

import argparse
from typing import Final

import bayesbias as bb
from bayesbias.cli import options as shared
from bayesbias.cli.command import Command
from bayesbias.cli.output import call_with_options, show

EXIT_CODES: Final = {"pass": 0, "fail": 1, "error": 2, "undecided": 3}


def run(arguments: argparse.Namespace) -> int:
    """Ask all rules, say a line of each, and return the exit code of the worst outcome."""
    from bayesbias.studies.rules_file import load_rules
    from bayesbias.support.whole_files import check_file

    rules = load_rules(arguments.rules)
    if arguments.junit is not None:
        check_file(arguments.junit, overwrite=True)
    result = call_with_options(bb.check_rules, arguments, rules)
    show(arguments, result.blocks, result.to_dict())
    if arguments.junit is not None:
        result.save_junit(arguments.junit)
    return EXIT_CODES[result.outcome]


COMMAND = Command(
    "check",
    "say whether embeddings keep to rules, for those who ship them: pass, fail or undecided",
    "bayesbias check rules.toml --junit rules.xml",
    f"""
rules RULES  a .toml file; see docs/debiasing.md. Exit codes: 0 all rules pass, 1 one fails, 2 one
    could not be asked, or the file is wrong, 3 none fails and one is undecided
--junit FILE  also write JUnit XML there, replacing it
{shared.SPEECH}
""",
    run,
)
