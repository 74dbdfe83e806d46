"""What holds for every command: the registry is the list of all."""

import argparse
import importlib
import inspect
import pkgutil
import re

import pytest

import bayesbias as bb
import bayesbias.cli
from bayesbias.cli import main
from bayesbias.cli.command import Command, Group, words
from bayesbias.cli.parser import COMMANDS, build_parser

PARSER = build_parser()


def leaves():
    """Yield every command with what is typed before its options."""
    for entry in COMMANDS:
        if isinstance(entry, Group):
            yield from (((entry.name, action.name), action) for action in entry.actions)
        else:
            yield (entry.name,), entry


ALL = [pytest.param(*leaf, id=" ".join(leaf[0])) for leaf in leaves()]


def parser_of(path):
    parser = PARSER
    for name in path:
        parser = parser.subparsers[name]
    return parser


def test_every_command_of_a_file_is_listed():
    """A new file whose `COMMAND` is not in the registry is forgotten."""
    listed = {id(command) for _, command in leaves()} | {id(entry) for entry in COMMANDS}
    modules = [
        importlib.import_module(f"bayesbias.cli.{module.name}")
        for module in pkgutil.iter_modules(bayesbias.cli.__path__)
    ]
    found = [module.COMMAND for module in modules if hasattr(module, "COMMAND")]
    assert len(found) >= len(COMMANDS) - 1
    assert all(id(command) in listed for command in found)


@pytest.mark.parametrize(("path", "command"), ALL)
def test_a_command_has_a_summary_an_example_and_help(path, command, capsys):
    assert isinstance(command, Command)
    assert not command.summary.endswith(".")
    assert command.example.startswith("bayesbias " + " ".join(path))
    words = command.example.split()[1:]
    PARSER.check_spelling(words)
    arguments = PARSER.parse_args(words)
    assert arguments.run is command.run
    with pytest.raises(SystemExit) as caught:
        main([*path, "--help"])
    assert caught.value.code == 0
    assert f"example: {command.example.split()[0]}" in capsys.readouterr().out
    for action in parser_of(path)._actions:
        assert action.help, action.dest


@pytest.mark.parametrize(("path", "command"), ALL)
def test_no_option_takes_what_is_not_a_number_for_one(path, command):
    """argparse alone would say "invalid number value"."""
    numeric = [a for a in parser_of(path)._actions if a.type not in (None, str, words)]
    for action in numeric:
        for value in ("one", "nan", "inf"):
            with pytest.raises(argparse.ArgumentTypeError, match=value):
                action.type(value)


@pytest.mark.parametrize(("path", "command"), ALL)
def test_an_option_with_a_value_is_given_once_or_counts_twice(path, command, capsys):
    """argparse alone would keep the last value."""
    for action in parser_of(path)._actions:
        if not action.option_strings or action.nargs == 0:
            continue
        option, (first, second) = action.option_strings[0], (list(action.choices or "12") * 2)[:2]
        with pytest.raises(SystemExit) as caught:  # if for what is missing
            parser_of(path).parse_args([option, first, option, second, "--no-option"])
        assert caught.value.code == 2
        is_twice = f"{option} is given twice" in capsys.readouterr().err
        assert is_twice != isinstance(action, argparse._AppendAction)


@pytest.mark.parametrize(("path", "command"), ALL)
def test_a_mistyped_option_is_named_before_what_is_missing(path, command, capsys):
    option = next(
        a.option_strings[-1]
        for a in parser_of(path)._actions
        if a.dest != "help" and a.option_strings
    )
    with pytest.raises(SystemExit) as caught:
        main([*path, option + "q"])
    error = capsys.readouterr().err
    assert caught.value.code == 2
    assert f"no option {option}q; did you mean {option}?" in error
    assert error.count("\n") == 1


@pytest.mark.parametrize(
    ("command", "complaint"),
    [
        ("analyse", "did you mean 'analyze'?"),
        ("wordlists", "required: ACTION"),
        ("wordlists shw", "did you mean 'show'?"),
        ("demo --seed one", "--seed: 'one' is not a whole number"),
        ("plan --words 6;12", "give whole numbers with commas between them"),
        ("analyze a --wordlist religion --reference a,,b", "give words with commas between them"),
        ("plan --quiet --json", "not allowed with"),
        ("measures v.bin", "required: --wordlist"),
        ("--print-completion fsh", "not one of bash, zsh, tcsh"),
    ],
)
def test_what_cannot_be_typed_is_one_line_and_code_2(command, complaint, capsys):
    with pytest.raises(SystemExit) as caught:
        main(command.split())
    assert caught.value.code == 2
    error = capsys.readouterr().err
    assert error.startswith("bayesbias: error: ")
    assert complaint in error
    assert error.count("\n") == 1


def test_values_are_not_taken_for_commands_or_options():
    PARSER.check_spelling(["analyze", "--rope=-1", "--out", "analyse", "--", "--not-an-option"])
    PARSER.check_spelling(["--print-completion", "fish"])


def help_of(*path):
    return " ".join(parser_of(path).format_help().split())


def test_the_demo_offers_what_it_does_not_do_anyway():
    """It writes the report, into a folder of its own, whatever is said."""
    told = help_of("demo")
    assert "--out DIR folder for the results; default: bayesbias-demo, replaced by" in told
    assert "there (only needed with --out)" in told
    assert "--report" not in told
    told = help_of("analyze")
    assert "folder for the results; default: none" in told
    assert "--report" in told


def test_measures_says_that_its_intervals_are_the_posteriors():
    told = help_of("measures")
    assert "probability of the posterior's intervals (default 0.89)" in told
    assert "kind of the posterior's intervals: hpdi (default)" in told


@pytest.mark.parametrize(
    ("command", "function"),
    [
        ("analyze", bb.fit),
        ("plan", bb.plan_wordlist),
        ("runs", bb.vectors.training_runs),
        ("simulate", bb.simulate.operating_characteristics),
    ],
)
def test_help_tells_the_defaults_that_are_left_to_the_library(command, function):
    tried, library = 0, inspect.signature(function).parameters
    for action in parser_of([command])._actions:
        told = re.search(r"\(default (\S+?)\)", action.help)
        default = library[action.dest].default if action.dest in library else None
        if told and action.default is None and default is not None:
            numbers = default if isinstance(default, tuple) else (default,)
            assert told[1] == ",".join(map(str, numbers)), action.dest
            tried += 1
    assert tried


def test_bayesbias_alone_prints_help(capsys):
    assert main([]) == 0
    said = capsys.readouterr().out
    assert "analyze" in said
    assert "fish" in said  # of completion
