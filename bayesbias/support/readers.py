"""Messages of the library in the terms of who reads them: options to type, or keys of a file."""

import ast
import json
import re
from collections.abc import Callable, Collection
from typing import Final

_VALUE: Final = r"""'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|\[[^\]]*\]|\([^)]*\)|[^\s,;:()'"`]+"""
_ARGUMENT: Final = re.compile(rf"(?<![\w.-])([a-z]\w*)(?:=({_VALUE})?|\b)")

PYTHON: Final = re.compile(
    r"(?<![\w./-])[a-z]\w*=(?:['\"\[({]|\d|True|False|None|\s|$)"  # an argument
    r"|\b[a-z]\w*(?:\(\)|[._]\w+\()"  # a call: missing_words(frame), fit.placebo(), repr()
    r"|\.[a-z_]+ of the result|Ellipsis|`"
)
"""What somebody who calls no Python can do nothing with."""


def in_terms(message: str, written: Callable[[re.Match[str]], str]) -> str:
    """Return a message with every argument, as ``name=value``, as `written` has it.

    The groups of a match are name and value, which may be None. A clause of advice that still asks
    for Python is left out: whoever reads this has no such option.
    """
    what, *advice = _ARGUMENT.sub(written, message).split("; ")
    return "; ".join([what, *(clause for clause in advice if not PYTHON.search(clause))])


def in_key_terms(message: str, keys: Collection[str]) -> str:
    """Return a message with those keys of a TOML file in place of arguments.

    Examples
    --------
    >>> in_key_terms("x is missing; fallbacks=['lower'] takes it", ["fallbacks"])
    'x is missing; fallbacks = ["lower"] takes it'
    """

    def key(found: re.Match[str]) -> str:
        name, value = found.groups()
        if name not in keys or value is None:
            return found[0]
        try:
            return f"{name} = {json.dumps(ast.literal_eval(value), ensure_ascii=False)}"
        except (ValueError, SyntaxError):
            return found[0]

    return in_terms(message, key)
