"""Files of words that people judged by their similarity: WordSim-353, SimLex-999, MEN and the like.

A line holds two words and, as the first number behind them, the judgement.
"""

import math
from pathlib import Path

from bayesbias.errors import QuestionsError
from bayesbias.support.bounded_files import read_text


def holds_questions(path: str | Path) -> bool:
    """Tell a file of analogy questions, which begins with ``: category``, from one of pairs."""
    lines = (line.strip() for line in read_text(path, QuestionsError).splitlines())
    return next((line for line in lines if line), "").startswith(":")


def read_judgements(path: str | Path) -> list[tuple[str, str, float]]:
    """Return word, word and judgement of every line, in the order of the file.

    Columns are apart by tabs, by commas, or by white space; the judgement is the first number
    behind the words of the first line that has one. Before it one heading may stand; lines that
    begin with ``#`` are passed over.
    """
    found: list[tuple[str, str, float]] = []
    column, headings = 0, 0
    for number, line in enumerate(read_text(path, QuestionsError).splitlines(), start=1):
        if not line.strip() or line.startswith("#"):
            continue
        parts = [part.strip() for part in line.split(next((c for c in "\t," if c in line), None))]
        numbers = [i for i, part in enumerate(parts) if i > 1 and _number(part) is not None]
        if not column:
            column = numbers[0] if numbers else 0
            headings += not numbers
        if column in numbers and parts[0] and parts[1]:
            found.append((parts[0], parts[1], float(parts[column])))
        elif column or headings > 1:
            raise QuestionsError(
                f"{path}, line {number}: is not two words and a number"
                f"{f' in column {column + 1}' if column else ''}: {line.strip()[:60]!r}"
            )
    if not found:
        raise QuestionsError(f"{path}: holds no pairs of words with a number")
    return found


def _number(text: str) -> float | None:
    """Return a finite number that is written with digits; the part of speech N is none."""
    try:
        value = float(text)
    except ValueError:
        return None
    return value if math.isfinite(value) else None
