"""The package's errors and warnings.

Every error that a user can cause is a `BayesBiasError` and says three things: what is
wrong, where (file, line, key or word), and what to do about it, with Python's names.
"""

import difflib
from collections.abc import Iterable
from typing import Final


class BayesBiasError(Exception):
    """Base of all errors that this package raises on purpose."""


class EmbeddingError(BayesBiasError):
    """An embedding cannot be read, or its vectors cannot be used."""


class UntrustedFileError(EmbeddingError):
    """The file is a pickle, which runs code when opened, and was not declared trusted."""


class WordListError(BayesBiasError):
    """A word list is malformed, contradicts itself, or does not exist."""


class DistancesError(BayesBiasError):
    """A frame of distances is malformed or too small to analyse."""


class ModelError(BayesBiasError):
    """A model specification is malformed, unknown, or does not fit the data."""


class FitError(BayesBiasError):
    """A saved fit cannot be read or contradicts its own record."""


class QuestionsError(BayesBiasError):
    """Analogy questions are malformed, or none of them can be asked."""


class PredictionsError(BayesBiasError):
    """A table of predictions is malformed, or lacks a group or class that it needs."""


class OutputError(BayesBiasError):
    """A result cannot be written where it was asked to go."""


class ArgumentError(BayesBiasError, ValueError):
    """An argument is outside its range."""


def one_of(value: object, name: str, valid: Iterable[str]) -> None:
    """Refuse a value of an argument that is none of those it may have."""
    names = tuple(valid)
    if value not in names:
        raise ArgumentError(f"{name}={value!r}{suggest(value, names)}")


class BayesBiasWarning(UserWarning):
    """Base of all warnings that this package gives."""


class ConvergenceWarning(BayesBiasWarning):
    """The sampler's draws should not be trusted without a closer look."""


class DataWarning(BayesBiasWarning):
    """The input was usable only after something was left out or counted once."""


class MissingWordsWarning(DataWarning):
    """Words of the list are missing; `bayesbias.missing_words` tells which."""


_MOST_NAMES: Final = 100
_MOST_COMPARED: Final = 2000
_LONGEST_NAME: Final = 100
"""Of names that a message lists or compares: they may come from a file, and be many and long."""


_LONGEST_QUOTE: Final = 80
"""Letters of what a message quotes: what stands in a file may be a line of any length."""


def short(value: object) -> str:
    """Return a word, cell or argument as Python writes it, cut where it is very long."""
    text = repr(value)
    cut = len(text) > _LONGEST_QUOTE
    end = text[0] if isinstance(value, str) else ""
    return f"{text[:_LONGEST_QUOTE]}…{end}" if cut else text


def suggest(word: object, valid: Iterable[str]) -> str:
    """Return the end of a message about an unknown name: the nearest valid one, and the others."""
    names = list(valid)
    near = [name for name in names[:_MOST_COMPARED] if len(name) <= _LONGEST_NAME]
    typed = str(word)[:_LONGEST_NAME]
    close = [
        *difflib.get_close_matches(typed, near, n=1),
        *difflib.get_close_matches(typed.lower(), near, n=1),
    ]
    hint = f"did you mean {close[0]!r}? " if close else ""
    listed = [name[:_LONGEST_NAME] for name in names[:_MOST_NAMES]]
    more = len(names) - len(listed)
    return f"; {hint}Valid: {', '.join(listed) or 'none'}{f' and {more:,} more' if more else ''}"


def counted(n: int, noun: str, plural: str = "") -> str:
    """Return a number with its noun, in the plural unless it is one."""
    return f"{n:,} {noun if n == 1 else plural or noun + 's'}"
