"""The library's messages in the terms of the command line: ``--prob 2`` for ``prob=2``."""

import argparse
import ast
import re
import shlex
from typing import Final

_VALUE: Final = r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|\[[^\]]*\]|\([^)]*\)|[^\s,;:()'"`]+"""
_ARGUMENT: Final = re.compile(rf"(?<![\w.-])([a-z]\w*)(?:=({_VALUE})?|\b)")

PYTHON: Final = re.compile(
    r"(?<![\w./-])[a-z]\w*=(?:['\"\[({]|\d|True|False|None|\s|$)"  # an argument
    r"|\b[a-z]\w*(?:\(\)|[._]\w+\()"  # a call: missing_words(frame), fit.placebo(), repr()
    r"|\.[a-z_]+ of the result|Ellipsis|`"
)
"""What somebody who types commands can do nothing with."""


def in_option_terms(message: str, parser: argparse.ArgumentParser) -> str:
    """Return a message of the library with options in place of arguments, as ``name=value``.

    A name alone is replaced if it is no plain word, or begins the message ("limit must be ..."). A
    clause of advice that still asks for Python is left out: this command has no such option.
    """

    def option(found: re.Match[str]) -> str:
        name, value = found.groups()
        begins = message.startswith(f"{name} must ") and found.start() == 0
        if not ("=" in found[0] or "_" in name or begins):
            return found[0]
        for action in parser._actions:
            if action.dest == name and (action.nargs != 0 or value in (None, repr(action.const))):
                return _typed(action, value)
        return found[0]

    text = _ARGUMENT.sub(option, message)
    # Advice for both: overwrite=True (--overwrite).
    text = re.sub(r"(--[\w-]+) \(\1\)", r"\1", text)
    what, *advice = text.split("; ")
    return "; ".join([what, *(clause for clause in advice if not PYTHON.search(clause))])


def _typed(action: argparse.Action, value: str | None) -> str:
    """Return an option or a positional argument with a value, as one would type it."""
    name = action.option_strings[0] if action.option_strings else str(action.metavar or action.dest)
    if value is None or action.nargs == 0:
        return name
    try:
        read = ast.literal_eval(value)
    except (ValueError, SyntaxError):
        return f"{name} {value}"
    if isinstance(read, list | tuple) and isinstance(action, argparse._AppendAction):
        return " ".join(f"{name} {shlex.quote(str(one))}" for one in read)
    if isinstance(read, list | tuple):
        return f"{name} {','.join(map(str, read))}"
    return f"{name} {shlex.quote(read) if isinstance(read, str) else value}"
