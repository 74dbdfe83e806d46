"""An option that is given twice is refused, or counts twice; the last alone never stands."""

import argparse

import pytest

from bayesbias.cli.parser import build_parser


def commands(parser, path=()):
    """Yield every command with its parser."""
    if not parser.subparsers:
        yield path, parser
    for name, below in parser.subparsers.items():
        yield from commands(below, (*path, name))


EVERY = [
    (path, action.option_strings[0])
    for path, parser in commands(build_parser())
    for action in parser._actions
    if action.option_strings and "--help" not in action.option_strings
]


def action_of(path, option):
    parser = build_parser()
    for name in path:
        parser = parser.subparsers[name]
    (found,) = (a for a in parser._actions if option in a.option_strings)
    return found


def values_of(action):
    """Return two values that the option takes."""
    if action.choices:
        return (list(action.choices) * 2)[:2]
    return ["1", "2"]


def test_there_are_commands_and_options():
    assert len({path for path, _ in EVERY}) > 15
    assert len(EVERY) > 150


@pytest.mark.parametrize(("path", "option"), EVERY, ids=lambda part: " ".join(part) or None)
def test_no_option_is_given_twice_without_a_word(path, option, capsys):
    action = action_of(path, option)
    if isinstance(action, argparse._AppendAction):
        namespace = argparse.Namespace(**{action.dest: None})
        for value in ("a", "b"):
            action(build_parser(), namespace, value, option)
        assert getattr(namespace, action.dest) == ["a", "b"]
        return
    if action.nargs == 0:  # a flag says the same twice
        assert isinstance(action, argparse._StoreConstAction)
        return
    first, second = values_of(action)
    with pytest.raises(SystemExit) as stop:
        build_parser().parse_args([*path, option, first, option, second])
    assert stop.value.code == 2
    error = capsys.readouterr().err
    assert f"{option} is given twice" in error
    assert error.count("\n") == 1


def test_a_value_is_kept_and_parsers_do_not_remember():
    given = ["analyze", "a", "--model", "paper"]
    parser = build_parser()
    for _ in range(2):
        assert parser.parse_args(given).model == "paper"
    assert build_parser().parse_args(["analyze", "a", "--limit=5"]).limit == 5
