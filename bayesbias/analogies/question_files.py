"""Files of analogy questions, in the format of ``questions-words.txt``.

Lines ``: name`` begin a category; other lines hold a question's four words a b c d.
"""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Final

from bayesbias.errors import QuestionsError, short
from bayesbias.support.bounded_files import read_text

_LINE_END: Final = re.compile(r"\r\n|\r|\n")

Questions = Mapping[str, Sequence[Sequence[str]]]  # questions (a, b, c, d) by category


def read_questions(path: str | Path) -> dict[str, list[tuple[str, str, str, str]]]:
    """Read questions (a, b, c, d) by category, in the order of the file.

    The file is a text in UTF-8, plain or compressed. A QuestionsError if it cannot be read, has no
    questions, or a line is not four words in a category.
    """
    lines = _LINE_END.split(read_text(path, QuestionsError))
    questions: dict[str, list[tuple[str, str, str, str]]] = {}
    category: str | None = None
    for number, line in enumerate(lines, start=1):
        words = line.split()
        if not words:
            continue
        if words[0].startswith(":"):
            category = line.strip()[1:].strip()
            if not category:
                raise QuestionsError(f"{path}, line {number}: a category needs a name behind ':'")
            questions.setdefault(category, [])
        elif category is None:
            raise QuestionsError(
                f"{path}, line {number}: stands before any category; begin with a line ': name'"
            )
        elif len(words) != 4:
            raise QuestionsError(
                f"{path}, line {number}: a question is four words a b c d, and this is "
                f"{len(words)}: {line.strip()[:60]!r}"
            )
        else:
            a, b, c, d = words
            questions[category].append((a, b, c, d))
    return checked(questions, str(path))


def checked(questions: Questions, where: str) -> dict[str, list[tuple[str, str, str, str]]]:
    """Return questions as plain lists, after a look at their form."""
    found: dict[str, list[tuple[str, str, str, str]]] = {}
    for category, items in questions.items():
        found[category] = []
        for item in items:
            if isinstance(item, str) or len(item) != 4:
                raise QuestionsError(
                    f"{where}, {category}: {short(item)} is not four words a b c d"
                )
            a, b, c, d = item
            found[category].append((a, b, c, d))
    if not any(found.values()):
        raise QuestionsError(f"{where}: holds no questions")
    return found
