"""SemBias: which of four word pairs is most like he and she.

A question of Zhao et al. (2018) has a pair that differs by definition, one that differs by
stereotype, and two that differ in neither. The answer is the pair whose difference has the largest
cosine with he − she. Questions share their pairs, so that the bootstrap draws pairs, not questions.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from bayesbias.errors import ArgumentError, EmbeddingError, QuestionsError
from bayesbias.measures.arrangements import not_from_a_list
from bayesbias.measures.declaration import Measure, Value, measured
from bayesbias.measures.measure_result import DroppedWord, MeasureResult
from bayesbias.measures.wordsets import RoleWords, need_vectors, pairs_as_in
from bayesbias.pairs.word_lists import WordPair
from bayesbias.support.arrays import Array, Index
from bayesbias.support.bounded_files import read_text
from bayesbias.support.types import KeyedVectors
from bayesbias.vectors.lookup import vectors_of

KINDS: Final = ("definition", "none", "none", "stereotype")
"""What the four pairs of a question are, in order."""

Question = tuple[WordPair, ...]


def read_sembias(path: str | Path) -> list[Question]:
    """Read the questions of SemBias, one a line: four pairs ``first:second`` with space between.

    The first pair differs by definition (waiter:waitress), the second and third in neither way
    (dog:cat), the fourth by stereotype (doctor:nurse). The published file has 440 lines: every one
    of 22 definitional pairs meets every one of 20 stereotypical ones. A QuestionsError if the file
    cannot be read or a line has not this form.
    """
    questions = []
    for number, line in enumerate(read_text(path, QuestionsError).splitlines(), start=1):
        cells = [cell.split(":") for cell in line.split()]
        if not cells:
            continue
        if len(cells) != 4 or any(len(c) != 2 or not all(c) or c[0] == c[1] for c in cells):
            raise QuestionsError(
                f"{path}, line {number}: must be four pairs first:second, not {line[:60]!r}"
            )
        questions.append(tuple(WordPair(*cell) for cell in cells))
    if not questions:
        raise QuestionsError(f"{path}: has no questions")
    return questions


def sembias(
    vectors: KeyedVectors,
    questions: str | Path | Sequence[Question],
    *,
    pair: WordPair = WordPair("he", "she"),  # noqa: B008  (it is frozen)
    draws: int = 1000,
    prob: float = 0.95,
    seed: int | np.random.Generator | None = None,
) -> MeasureResult:
    """Share of SemBias questions whose answer is the pair that differs by definition.

    The answer to a question is the pair (a, b) of its four with the greatest cosine of a − b with
    he − she (Zhao et al. 2018).

    Parameters
    ----------
    vectors : KeyedVectors
        Not scaled: differences are between vectors of their own lengths.
    questions : str, Path or sequence
        The file, or what `read_sembias` makes of it.
    pair : WordPair
        The pair that answers are compared with.
    draws, prob, seed
        Of the bootstrap over definitional and stereotypical pairs, not over questions, which share
        them.

    Returns
    -------
    MeasureResult
        ``details`` has the shares ``definition`` (the value), ``stereotype`` and ``none``, and the
        same of the last 40 questions under ``subset`` if there are more than 40: the published file
        ends with two definitional pairs that are rare in training data. ``by_word`` has the value
        for each definitional pair.

    Raises
    ------
    ArgumentError, EmbeddingError
        As every measure of the package, and if the vectors lack a word of `pair` or of every
        question, or the words of a pair have the same vector.
    QuestionsError
        If the questions cannot be read.

    Examples
    --------
    >>> import bayesbias as bb
    >>> kv = bb.load_embedding({"he": [1.0, 0.0], "she": [0.0, 1.0], "host": [2.0, 0.1],
    ...                         "hostess": [0.0, 2.0], "dog": [1.0, 1.0], "cat": [1.2, 1.3],
    ...                         "doctor": [1.0, 1.0], "nurse": [1.1, 2.0]})
    >>> pairs = [bb.pairs.WordPair(*w.split(":"))
    ...          for w in ("host:hostess", "dog:cat", "cat:dog", "doctor:nurse")]
    >>> sembias(kv, [pairs], seed=1).value
    1.0
    """
    need_vectors(vectors, "SemBias")
    if isinstance(questions, str | Path):
        questions = read_sembias(questions)
    [pair] = pairs_as_in(vectors, [pair])
    for word in pair:
        if word not in vectors.key_to_index:
            raise ArgumentError(f"pair: {word!r} is not in the vectors; give another pair")
    asked, place, dropped = _askable(vectors, questions)
    scores = _cosines(vectors, [p for question in asked for p in question], pair)
    answers = scores.reshape(-1, 4).argmax(axis=1)
    right = (answers == 0).astype(np.float64)
    definitions, rows = np.unique([str(q[0]) for q in asked], return_inverse=True)
    stereotypes, columns = np.unique([str(q[3]) for q in asked], return_inverse=True)

    details: dict[str, object] = {**_shares(answers), "n_questions": len(asked)}
    late = place >= len(questions) - 40
    if len(questions) > 40 and late.any():
        details["subset"] = {**_shares(answers[late]), "n_questions": int(late.sum())}
    by_definition = [float(right[rows == i].mean()) for i in range(len(definitions))]

    def formula(definition: Index, stereotype: Index) -> Value:
        # A question counts as often as its definitional pair was drawn times its stereotypical one
        # (the pigeonhole bootstrap: Owen 2007).
        weight = np.bincount(definition, minlength=len(definitions))[rows].astype(np.float64)
        weight *= np.bincount(stereotype, minlength=len(stereotypes))[columns]
        total = weight.sum()
        return Value(weight @ right / total if total else np.nan, by_definition, details)

    pairs = {
        "definitional pairs": tuple(definitions.tolist()),
        "stereotypical pairs": tuple(stereotypes.tolist()),
    }
    text = (
        f"share of {len(asked)} questions in which the definitional pair has the greatest "
        f"cos(a − b, {pair.first} − {pair.second}), unscaled vectors"
    )
    arrays = {role: np.arange(len(named)) for role, named in pairs.items()}
    drawn: dict[str, Any] = {"draws": draws, "prob": prob, "seed": seed}
    found, by = RoleWords(pairs, dropped), pairs["definitional pairs"]
    return measured("SemBias", found, formula, text, arrays, by=by, **drawn)


def _askable(
    vectors: KeyedVectors, questions: Sequence[Question]
) -> tuple[list[list[WordPair]], Index, tuple[DroppedWord, ...]]:
    """Return the questions whose words are all there, their places, and the missing words."""
    asked, place = [], []
    absent: dict[str, int] = {}
    for number, question in enumerate(questions):
        if len(question) != 4:
            raise QuestionsError(f"question {number + 1} has {len(question)} pairs, not four")
        spelt = pairs_as_in(vectors, question)
        words = {word for p in spelt for word in p}
        lacking = sorted(word for word in words if word not in vectors.key_to_index)
        for word in lacking:
            absent[word] = absent.get(word, 0) + 1
        if not lacking:
            asked.append(spelt)
            place.append(number)
    if not asked:
        raise ArgumentError("no question has all of its words in the vectors")
    dropped = tuple(
        DroppedWord(word, f"{n} questions", "not in the vectors") for word, n in absent.items()
    )
    return asked, np.array(place), dropped


def _cosines(vectors: KeyedVectors, pairs: Sequence[WordPair], against: WordPair) -> Array:
    """Return the cosine of each pair's difference with that of the pair compared with."""
    everything = [against, *pairs]
    first = vectors_of(vectors, [p.first for p in everything])
    difference = first - vectors_of(vectors, [p.second for p in everything])
    length = np.linalg.norm(difference, axis=1)
    if not length.all():
        alike = everything[int(np.flatnonzero(length == 0)[0])]
        raise EmbeddingError(f"{alike.first!r} and {alike.second!r} have the same vector")
    unit = difference / length[:, None]
    cosines: Array = unit[1:] @ unit[0]
    return cosines


def _shares(answers: Index) -> dict[str, float]:
    kinds = np.array(KINDS)[answers]
    return {kind: float((kinds == kind).mean()) for kind in dict.fromkeys(KINDS)}


MEASURES: Final = (
    Measure(
        name="SemBias",
        function=sembias,
        source="Zhao, Zhou, Li, Wang and Chang (2018), Learning Gender-Neutral Word Embeddings, "
        "EMNLP",
        reading="says how often a definitional pair is more like he : she than a stereotypical "
        "pair and two unrelated ones; not how much of the stereotype is left, since it "
        "need only not come first",
        calls=not_from_a_list("the questions of SemBias"),
    ),
)
