"""How many questions of a file are answered correctly, with and without the inputs as answers.

Every word of the questions meets a piece of the vocabulary in one product; blocks of questions pick
their cosines from it, and the best answer so far is kept. So memory does not depend on the number
of questions or words. Cost: n_distinct · n_words · dim operations, and a few passes over
n_questions · n_words scores for each formula.

Files have the format of ``questions-words.txt``: lines ``: name`` begin a category, others hold a
question's four words a b c d.
"""

import io
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pandas as pd

from bayesbias.analogies.candidates import (
    DELTA,
    EPSILON,
    ROLES,
    ROWS,
    SAME_DIRECTION,
    SETTINGS,
    Candidates,
    Formula,
    between,
    candidates_of,
    formulas,
)
from bayesbias.analogies.queries import AnalogyResult
from bayesbias.errors import DataWarning, QuestionsError, short
from bayesbias.show.result import Column, Columns, Table
from bayesbias.support.arguments import Figure, Index, KeyedVectors, refuse_other
from bayesbias.support.bounded_files import read_text
from bayesbias.support.machine import tracked
from bayesbias.vectors.lookup import find_words

if TYPE_CHECKING:
    from bayesbias.show.style import Size

Question = tuple[str, str, str, str]
Questions = Mapping[str, Sequence[Sequence[str]]]  # questions (a, b, c, d) by category

_MANY: Final = 0.5  # share of skipped questions that deserves a warning
_BLOCK: Final = 512  # questions at a time
_NUMBERS: Final = 1 << 24  # cosines of distinct words at a time: 128 MB
_KEYS: Final = ["method", "setting", "category"]
_ANSWERED: Final = {role: f"answered_{role}" for role in ROLES}
_SHOWN: Final[Columns] = [
    *("method", "category"),
    Column("n_questions", "asked", "count", drop_priority=2),
    Column("n_skipped", "skipped", "count", drop_priority=2),
    Column("constrained", form="distance"),
    Column("unconstrained", form="distance"),
    Column("answered_b", "= b", "distance", drop_priority=1),
    Column("answered_c", "= c", "distance", drop_priority=1),
]


def read_questions(path: str | Path) -> dict[str, list[Question]]:
    """Read questions (a, b, c, d) by category, in the order of the file.

    The file is a text in UTF-8, plain or compressed. A QuestionsError if it cannot be read, has no
    questions, or a line is not four words in a category.
    """
    questions: dict[str, list[Sequence[str]]] = {}
    category: str | None = None
    lines = io.StringIO(read_text(path, QuestionsError), newline=None)
    for number, line in enumerate(map(str.strip, lines), start=1):
        where, words = f"{path}, line {number}", line.split()
        if line.startswith(":"):
            category = line[1:].strip()
            if not category:
                raise QuestionsError(f"{where}: a category needs a name behind ':'")
            questions.setdefault(category, [])
        elif words and category is None:
            raise QuestionsError(f"{where}: stands before any category; begin with a line ': name'")
        elif words and len(words) != 4:
            raise QuestionsError(
                f"{where}: a question is four words a b c d, and this is {len(words)}: "
                f"{short(line)}"
            )
        elif words and category is not None:
            questions[category].append(words)
    return checked(questions, str(path))


def checked(questions: Questions, where: str) -> dict[str, list[Question]]:
    """Return questions as plain lists, after a look at their form."""
    refuse_other(questions, Mapping, "questions", "a mapping of categories to questions")
    for category, items in questions.items():
        for item in items:
            if isinstance(item, str) or len(item) != 4:
                raise QuestionsError(
                    f"{where}, {category}: {short(item)} is not four words a b c d"
                )
    if not any(questions.values()):
        raise QuestionsError(f"{where}: holds no questions")
    return {name: [(a, b, c, d) for a, b, c, d in items] for name, items in questions.items()}


@dataclass(frozen=True, eq=False, repr=False)
class Accuracy(AnalogyResult):
    """Accuracy on analogy questions; made by `accuracy`.

    Parameters
    ----------
    table : DataFrame
        One row per ``category``, ``method`` and ``setting``: ``n_questions`` asked, ``n_skipped``,
        ``n_correct``, ``accuracy`` (missing if none was asked), and ``answered_a``,
        ``answered_b``, ``answered_c``, ``no_answer``: how many answers were that input, or none.
    summary : DataFrame
        One row per ``method`` and ``setting``: ``macro`` (mean of the categories that could be
        asked), ``micro`` (share of all questions asked), ``n_categories``, ``n_questions``,
        ``n_skipped``, and ``answered_a``, ``answered_b``, ``answered_c`` as shares of the
        questions asked.
    questions : DataFrame
        One row per question, method and setting: ``category``, ``a``, ``b``, ``c``, ``expected``,
        ``reason`` (why it was not asked, else empty), ``answer``, ``input``, ``correct``.
    """

    summary: pd.DataFrame
    questions: pd.DataFrame

    def plot(self, *, figsize: "Size" = None) -> Figure:
        """Draw accuracy by category, a panel per method; a line joins the two settings."""
        from bayesbias.show import style as look

        width = look.width_of(figsize)
        marks = {"constrained": look.Look("s", look.INK)}
        marks["unconstrained"] = look.Look("o", look.INK, filled=False)
        rows = _with_average(self.table[self.table["n_questions"] > 0], self.summary)
        categories, n_methods = rows["category"].unique(), rows["method"].nunique()
        columns = max(1, min(n_methods, int(width / 1.7)))
        lines = -(-n_methods // columns)
        with look.style(width):
            height = lines * (0.4 + 0.19 * (len(categories) - 1))
            height += look.title_height(self.headline, width) + 0.7
            shape = lines, columns
            figure, axes = look.new_figure(*shape, figsize, height, sharey=True, sharex=True)
            for axis, (method, part) in zip(axes, rows.groupby("method", sort=False), strict=False):
                own = part.pivot_table("accuracy", "category", "setting").loc[categories]
                y = range(len(own))
                axis.hlines(y, own.min(axis=1), own.max(axis=1), color=look.FAINT, linewidth=2.2)
                for setting, mark in marks.items():
                    axis.plot(own[setting], y, linestyle="none", **mark.options)
                axis.set_yticks(y, own.index, parse_math=False)
                axis.set(xlim=(-0.03, 1.03), ylim=(len(own) - 0.3, -0.7), title=str(method))
                axis.axhline(len(own) - 1.5, color=look.INK, linewidth=0.6)
                axis.grid(axis="x")
            for axis in axes[n_methods:]:
                axis.remove()
            text = "share answered correctly (■ constrained, ○ unconstrained)"
            figure.supxlabel(look.folded(text, width, 8), fontsize=8)
            look.set_title(figure, self.headline)
        return figure


def accuracy(
    vectors: KeyedVectors,
    questions: str | Path | Questions,
    *,
    method: str = "3cosadd",
    delta: float = DELTA,
    epsilon: float = EPSILON,
    restrict_vocab: int | None = None,
) -> Accuracy:
    """Ask all questions of a file, and count correct answers by category under both settings.

    A question is skipped, with a reason, if one of its four words is not among the candidates: it
    could not be answered, or not without constraint. So is a question whose a and c are the same
    word or, for `bolukbasi`, have the same direction. Nissim, van Noord and van der Goot (2020,
    section 4.1) report the macro average with and without the constraint: .71 and .21 (3cosadd),
    .73 and .45 (3cosmul), for all 3 million GoogleNews words.

    Parameters
    ----------
    vectors : KeyedVectors
    questions : path, or mapping from category to questions (a, b, c, d)
        A file in the format of ``questions-words.txt``.
    method, delta, epsilon, restrict_vocab
        As in `analogy`.

    Returns
    -------
    Accuracy
        ``table`` by category, ``summary`` over them, and ``questions`` one by one.

    Raises
    ------
    QuestionsError
        If the questions are malformed, or none of them can be asked.
    ArgumentError
        If an argument is out of range.

    Examples
    --------
    >>> from bayesbias import load_embedding
    >>> kv = load_embedding({"he": [1, 0, 0], "she": [0, 1, 0], "king": [1, 0, 1],
    ...                      "queen": [0, 1, 1]})
    >>> questions = {"family": [("he", "king", "she", "queen"), ("he", "x", "she", "y")]}
    >>> accuracy(kv, questions).table[["setting", "n_questions", "n_skipped", "accuracy"]]
             setting  n_questions  n_skipped  accuracy
    0  unconstrained            1          1       1.0
    1    constrained            1          1       1.0
    """
    chosen = formulas(method, delta, epsilon)
    if isinstance(questions, str | Path):
        source, by_category = str(questions), read_questions(questions)
    else:
        source, by_category = "questions", checked(questions, "questions")
    candidates = candidates_of(vectors, restrict_vocab)
    table, index = _looked_up(candidates, by_category, "bolukbasi" in chosen)
    usable = (table["reason"] == "").to_numpy()
    if not usable.any():
        raise QuestionsError(
            f"{source}: none of its questions ({len(table):,}) can be asked, the first since "
            f"{table['reason'].iloc[0]}"
        )
    if 1 - usable.mean() > _MANY:
        warnings.warn(
            f"{source}: {(~usable).sum():,} of {len(table):,} questions are skipped, since the "
            f"candidates lack a word or a and c are the same; .questions of the result has reasons",
            DataWarning,
            stacklevel=2,
        )
    words = np.array(candidates.words, dtype=object)
    parts = []
    for name, formula in chosen.items():
        best = np.full((2, len(table)), -1)
        best[:, usable] = _best_answers(candidates, index[usable, :3].T, formula, name)
        for setting, answers in zip(SETTINGS, best, strict=True):
            some = answers >= 0
            role = np.where(some, candidates.roles(answers, index[:, :3].T), "")
            own = {"answer": np.where(some, words[answers], ""), "input": role.astype(object)}
            correct = some & (answers == index[:, 3])
            parts.append(table.assign(**own, correct=correct, method=name, setting=setting))
    every = pd.concat(parts, ignore_index=True)
    counted = _counts(every)
    summary = _summary(counted)
    parameters: dict[str, Any] = {
        **{"questions": source, "method": method, "delta": delta, "epsilon": epsilon},
        **{"restrict_vocab": restrict_vocab, "n_words": candidates.size},
    }
    name = next(iter(chosen))
    first = summary[summary["method"] == name].set_index("setting")["macro"]
    headline = (
        f"{name} answers {first['constrained']:.1%} of the questions correctly, and "
        f"{first['unconstrained']:.1%} where the query's own words may be answers (mean over "
        f"categories)."
    )
    shown = Table(_for_screen(counted, summary), _SHOWN)
    return Accuracy(headline, counted, parameters, shown, summary, every)


def _looked_up(
    candidates: Candidates, questions: dict[str, list[Question]], needs_direction: bool
) -> tuple[pd.DataFrame, Index]:
    """Return a row per question with the reason to skip it, and positions of words, (n, 4)."""
    rows = [(category, *item) for category, items in questions.items() for item in items]
    table = pd.DataFrame(rows, columns=["category", *ROLES, "expected"])
    place: dict[str, int] = {}
    reason: dict[str, str] = {}
    distinct = dict.fromkeys(word for row in rows for word in row[1:])
    for word, key in find_words(candidates.vectors, distinct).items():
        at = place[word] = -1 if key is None else candidates.vectors.key_to_index[key]
        if at < 0:
            reason[word] = f"{word!r} is not in the vectors"
        elif at >= candidates.size:
            reason[word] = f"{word!r} is beyond the first {candidates.size:,} words"
        elif not candidates.usable[at]:
            reason[word] = f"the vector of {word!r} is zero or not finite"
    index = np.array([[place[word] for word in row[1:]] for row in rows], dtype=np.intp)
    reasons = [next((reason[w] for w in row[1:] if w in reason), "") for row in rows]
    x, y = candidates.units(index[:, 0]), candidates.units(index[:, 2])
    is_one = index[:, 0] == index[:, 2]
    is_along = needs_direction & (np.linalg.norm(x - y, axis=1) < SAME_DIRECTION)
    for i in np.flatnonzero(is_one | is_along):
        what = "are the same word" if is_one[i] else "have the same direction"
        reasons[i] = reasons[i] or f"a and c {what}"
    return table.assign(reason=reasons), index


def _best_answers(candidates: Candidates, queries: Index, formula: Formula, name: str) -> Index:
    """Return the best candidate of every query (3, n) in both settings, (2, n); −1 for none.

    Of equal scores the word that stands first wins.
    """
    distinct, place = np.unique(queries, return_inverse=True)
    place = place.reshape(queries.shape)
    words = candidates.units(distinct)
    n = queries.shape[1]
    best, top = np.full((2, n), -1, dtype=np.intp), np.full((2, n), -np.inf)
    parts = list(candidates.parts(min(ROWS, max(64, _NUMBERS // len(distinct)))))
    blocks = [slice(start, start + _BLOCK) for start in range(0, n, _BLOCK)]
    near = [between(words[place[:, block]])[..., None] for block in blocks]
    for part in tracked(parts, f"Asking {name}", None):
        cosines = words @ candidates.units(part).T
        for block, of_query in zip(blocks, near, strict=True):
            scores = formula(cosines[place[:, block]], of_query)
            scores[:, ~candidates.usable[part]] = -np.inf
            for setting in (0, 1):
                for word in queries[:, block] if setting else ():
                    scores[word[:, None] == np.arange(part.start, part.stop)] = -np.inf
                first = scores.argmax(axis=1)
                value = np.take_along_axis(scores, first[:, None], axis=1)[:, 0]
                better = np.flatnonzero(value > top[setting, block]) + block.start
                best[setting, better] = first[better - block.start] + part.start
                top[setting, better] = value[better - block.start]
    return best


def _counts(every: pd.DataFrame) -> pd.DataFrame:
    """Count correct answers, answers that are inputs, and skipped questions, by category."""
    complete = every["reason"] == ""
    counts = every[_KEYS].assign(
        n_questions=complete, n_skipped=~complete, n_correct=every["correct"]
    )
    for role, name in _ANSWERED.items():
        counts[name] = every["input"] == role
    counts["no_answer"] = complete & (every["answer"] == "")
    table = counts.groupby(_KEYS, sort=False).sum().reset_index()
    table.insert(0, "category", table.pop("category"))
    share = table["n_correct"] / table["n_questions"].where(table["n_questions"] > 0)
    table.insert(table.columns.get_loc("n_correct") + 1, "accuracy", share)
    return table


def _summary(table: pd.DataFrame) -> pd.DataFrame:
    """Return macro and micro averages, and shares of answers that are inputs."""
    by = table.assign(n_categories=table["n_questions"] > 0).groupby(_KEYS[:2], sort=False)
    total = by[["n_categories", "n_questions", "n_skipped", "n_correct", *_ANSWERED.values()]].sum()
    total.insert(0, "macro", by["accuracy"].mean())
    total.insert(1, "micro", total.pop("n_correct") / total["n_questions"])
    for name in _ANSWERED.values():
        total[name] = total[name] / total["n_questions"]
    return total.reset_index()


def _with_average(table: pd.DataFrame, summary: pd.DataFrame) -> pd.DataFrame:
    """Return a table by category with the average over categories below each method's rows."""
    macro = summary.assign(category="macro average", accuracy=summary["macro"])
    by_method = pd.concat([table, macro]).groupby("method", sort=False)
    return pd.concat([part for _, part in by_method])


def _for_screen(table: pd.DataFrame, summary: pd.DataFrame) -> pd.DataFrame:
    """Return both settings side by side.

    Columns of b and c: the share of unconstrained answers that repeat it.
    """
    names, n = list(_ANSWERED.values()), table["n_questions"]
    rows = _with_average(table.assign(**table[names].div(n.where(n > 0), axis=0)), summary)
    free, bound = (rows[rows["setting"] == setting].reset_index(drop=True) for setting in SETTINGS)
    return free.assign(constrained=bound["accuracy"], unconstrained=free["accuracy"])
