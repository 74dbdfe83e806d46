"""Debiasing by classes of words, given or found by the matched sets: INLP and LEACE.

Both want vectors from which a linear classifier cannot tell the classes. INLP learns a classifier,
projects its direction away, and goes on until the next one does no better than guessing (Ravfogel
et al. 2020, Null It Out, ACL). LEACE makes the means of the classes equal, which is necessary and
enough, by the map that moves the words least (Belrose et al. 2023, LEACE: Perfect Linear Concept
Erasure in Closed Form, NeurIPS).
"""

import warnings
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Final

import numpy as np

from bayesbias.debias.record import Debiased
from bayesbias.debias.work import EVERY, Neutralise, SetsOfWords, Work, checked_words, chunks
from bayesbias.errors import ArgumentError, ConvergenceWarning, WordListError, counted
from bayesbias.measures.subspaces import RANK_TOLERANCE, Subspace, logistic_regression
from bayesbias.support.arguments import Array, Index, KeyedVectors, seed_as_integer, whole_number
from bayesbias.words.word_lists import WordList

MOST_WORDS: Final = 7500  # words of each class to learn from, as Ravfogel et al. (2020) do
_FEWEST: Final = 4  # words of a class, so that words learned from and words held out have some
_HELD_OUT: Final = 0.3
_SAME_MEAN: Final = 1e-4  # sds, in whitened vectors, by which float32 keeps class means apart


def inlp(
    vectors: KeyedVectors,
    wordlist: WordList | str | Path | None = None,
    *,
    iterations: int = 35,
    classes: Mapping[str, Sequence[str]] | None = None,
    matched: SetsOfWords | None = None,
    neutralise: Neutralise = EVERY,
    keep: Iterable[str] = (),
    normalise: bool = True,
    seed: int | np.random.Generator | None = 1,
) -> Debiased:
    """Project words until no linear classifier finds their class (Ravfogel et al. 2020, INLP).

    A logistic regression learns which class a word belongs to; its direction is projected out of
    all words; the next one learns from the rest, and so on, until one is not better on held-out
    words than naming the largest class by more than two standard errors, or `iterations` are done.

    Parameters
    ----------
    vectors, wordlist, matched, keep
        As in `hard`; sets must have one size unless `classes` are given.
    iterations : int
        At most so many classifiers; the authors use 35.
    classes : mapping from name to words, optional
        Words to learn from, at least four to a class. By default one class for each place in the
        matched sets, of the words farthest along the mean, over the sets, of the member at that
        place minus the set's mean: at most 7,500, and a quarter of the vocabulary for all classes.
    neutralise : iterable of str, "every", "all" or "listed", optional
        ``"every"``, as the authors do, ``"all"`` for every word but those of the matched sets, or
        what `hard` takes.
    normalise : bool
        Scale all vectors to unit length first; words are not rescaled.
    seed : int or Generator, optional
        For the words held out, 30%.

    Returns
    -------
    Debiased
        ``record.diagnostics`` has the held-out accuracies of all classifiers, and the share of the
        largest class. The last classifier stopped the search and gives no direction, unless
        `iterations` ended it, which ``record.notes`` and a ConvergenceWarning say.

    Raises
    ------
    ArgumentError, WordListError, EmbeddingError
        As every method of the package, and if matched sets differ in size, a word is in two
        classes, a class has fewer than four words in the vectors, or no direction or all are found.

    Notes
    -----
    The authors alternate between support vector machines and stochastic gradients, and drop words
    at random; here every classifier is the minimum of one convex objective.

    Examples
    --------
    >>> from bayesbias import load_embedding
    >>> rng = np.random.default_rng(1)
    >>> matrix = rng.normal(size=(80, 4))
    >>> matrix[:2] = [[3.0, 0, 0, 1], [-3.0, 0, 0, 1]]
    >>> kv = load_embedding(([f"w{i}" for i in range(80)], matrix))
    >>> record = inlp(kv, matched=[["w0", "w1"]]).record
    >>> record.diagnostics["accuracy"][0] > record.diagnostics["accuracy"][-1]
    True
    """
    whole_number(iterations, "iterations", "classifiers", least=1)
    number = seed_as_integer(seed)
    work = Work(vectors, wordlist, matched, neutralise, (), keep, normalise=normalise)
    members = class_members(work, classes)
    rng, dim = np.random.default_rng(number), work.matrix.shape[1]
    basis, accuracy, largest_class, has_ended = _search(members, iterations, rng)
    if not len(basis):
        raise ArgumentError(
            "no linear classifier finds the classes, so there is nothing to project out; "
            "give classes= with more words, or other matched sets"
        )
    if len(basis) >= dim:
        raise ArgumentError(
            f"{len(basis)} directions span all {dim} dimensions, so that nothing would be left of "
            f"any word; lower iterations"
        )
    if not has_ended:
        ended = (
            f"stopped after {counted(iterations, 'classifier')}: the last still found the classes, "
            f"with {accuracy[-1]:.1%} right on held-out words (largest class "
            f"{largest_class:.1%})"
        )
        warnings.warn(f"inlp {ended}; raise iterations", ConvergenceWarning, stacklevel=2)
        work.notes.append(ended)
    bias = _explained_shares(work, basis)
    work.neutralise(bias)
    diagnostics = {"accuracy": accuracy, "largest_class": largest_class}
    diagnostics["n_learned"] = [len(rows) for rows in members]
    arguments: dict[str, Any] = {"iterations": iterations, "normalise": normalise}
    return work.result("inlp", bias, diagnostics=diagnostics, seed=number, **arguments)


def _explained_shares(work: Work, basis: Array) -> Subspace:
    """Return an orthonormal basis, (k, dim), with the matched sets' shares of variance along it."""
    rows = np.concatenate([rows - rows.mean(axis=0) for rows in work.defining_vectors()])
    return Subspace(basis, np.sum((rows @ basis.T) ** 2, axis=0) / np.sum(rows**2))


def _search(
    members: list[Array], iterations: int, rng: np.random.Generator
) -> tuple[Array, list[float], float, bool]:
    """Learn classifiers, each from what the last one left, until one is no better than guessing.

    Returns their directions (k, dim), the held-out accuracy of every classifier, the share of the
    largest class, and whether the last one was no better.
    """
    rows = np.concatenate(members)
    label = np.repeat(np.arange(len(members)), [len(m) for m in members])
    is_test = np.zeros(len(rows), dtype=bool)
    for place in range(len(members)):
        own = np.flatnonzero(label == place)
        is_test[rng.permutation(own)[: max(1, int(_HELD_OUT * len(own)))]] = True
    chance = float(np.bincount(label[is_test]).max() / is_test.sum())
    # Two binomial standard errors above naming the largest class.
    limit = chance + 2 * float(np.sqrt(chance * (1 - chance) / is_test.sum()))
    basis = np.zeros((0, rows.shape[1]))
    accuracy: list[float] = []
    two = len(members) == 2  # one classifier, else one against the rest for each
    for _ in range(iterations):
        learned = rows[~is_test]
        positive = (label[~is_test] == place for place in ([1] if two else range(len(members))))
        weights = np.array([logistic_regression(learned, is_class) for is_class in positive])
        score = rows[is_test] @ weights[:, :-1].T + weights[:, -1]
        guess = (score[:, 0] > 0).astype(int) if two else score.argmax(axis=1)
        accuracy.append(float((guess == label[is_test]).mean()))
        if accuracy[-1] <= limit:
            return basis, accuracy, chance, True
        # What was projected out is 0 in all rows: weights along it are rounding.
        new = weights[:, :-1] - (weights[:, :-1] @ basis.T) @ basis
        _, size, right = np.linalg.svd(new, full_matrices=False)
        basis = np.concatenate([basis, right[size > 1e-8 * np.abs(weights[:, :-1]).max()]])
        rows = rows - (rows @ basis.T) @ basis
        if len(basis) >= rows.shape[1]:
            break
    return basis, accuracy, chance, False


def leace(
    vectors: KeyedVectors,
    wordlist: WordList | str | Path | None = None,
    *,
    classes: Mapping[str, Sequence[str]] | None = None,
    matched: SetsOfWords | None = None,
    neutralise: Neutralise = EVERY,
    keep: Iterable[str] = (),
    normalise: bool = True,
) -> Debiased:
    """Give classes of words one mean, by the smallest change (Belrose et al. 2023, LEACE).

    r(w) = w − W⁺PW(w − μ), with μ and Σ the mean and covariance of the words learned from, W the
    pseudo-inverse of Σ^½, and P the orthogonal projection on the span of W times the differences of
    the class means. Afterwards no linear classifier of the words learned from is better, by any
    convex loss, than one that says the same of all of them; of all such maps this one moves them
    least in the mean square. Zero vectors, which it would move, are left out.

    Parameters
    ----------
    vectors, wordlist, classes, matched, neutralise, keep, normalise
        As in `inlp`. A word that was learned from and is not neutralised keeps classes apart.

    Returns
    -------
    Debiased
        ``record.basis`` spans the differences of the class means, one direction fewer than there
        are classes; ``record.diagnostics`` has how many words of each class were learned from.

    Raises
    ------
    ArgumentError, WordListError, EmbeddingError
        As every method of the package, and if a word is in two classes, a class has fewer than four
        words in the vectors, or the classes have the same mean, as they have after this.

    Examples
    --------
    >>> from bayesbias import load_embedding
    >>> kv = load_embedding({"a": [1, 1], "b": [1, -1], "c": [3, 1], "d": [3, -1],
    ...                      "e": [-1, 1], "f": [-1, -1], "g": [-3, 1], "h": [-3, -1]})
    >>> classes = {"one": list("abcd"), "two": list("efgh")}
    >>> result = leace(kv, classes=classes, matched=[["a", "e"]], normalise=False)
    >>> result.vectors["c"].round(6).tolist()
    [0.0, 1.0]
    """
    work = Work(vectors, wordlist, matched, neutralise, (), keep, normalise=normalise)
    members = class_members(work, classes)
    centre, along, span = erasure(members)
    if not len(span):
        raise ArgumentError(
            "the classes have the same mean, so that there is nothing to take away; give other "
            "classes="
        )
    bias = _explained_shares(work, span)
    work.neutralise(bias, along=along, centre=centre)
    diagnostics = {"n_learned": [len(rows) for rows in members]}
    return work.result("leace", bias, diagnostics=diagnostics, normalise=normalise)


def erasure(members: Sequence[Array]) -> tuple[Array, Array, Array]:
    """Return c, A and orthonormal B, (k, dim), of w − Bᵀ A (w − c); classes are (n_words, dim)."""
    rows = np.concatenate(members)
    centre = rows.mean(axis=0)
    spread = rows - centre
    values, axes = np.linalg.eigh(spread.T @ spread / len(rows))
    seen = values > values[-1] * RANK_TOLERANCE
    root, axes = np.sqrt(values[seen]), axes[:, seen]
    means = np.array([own.mean(axis=0) - centre for own in members])
    # Whitened by W = Σ^−½, in its eigenvectors: the span of the classes' means is what goes.
    _, apart, right = np.linalg.svd((means @ axes) / root, full_matrices=False)
    right = right[apart > _SAME_MEAN]
    # Columns of Σ^½ R and rows of R W; the first made orthonormal, the second turned along.
    basis, turned = np.linalg.qr(axes @ (root[:, None] * right.T))
    return centre, turned @ (right / root) @ axes.T, basis.T


def class_members(work: Work, classes: Mapping[str, Sequence[str]] | None) -> list[Array]:
    """Return the vectors of each class, (n_words, dim): given, or farthest along the sets."""
    if classes is None:
        return [work.matrix[own].astype(np.float64) for own in _farthest(work)]
    if len(classes) < 2:
        raise ArgumentError(f"classes: needs two or more, not {len(classes)}")
    class_of: dict[str, str] = {}
    members = []
    for name, own in classes.items():
        words = checked_words(own, f"classes[{name!r}]")
        if both := [word for word in words if word in class_of]:
            raise ArgumentError(f"{both[0]!r} is in classes {class_of[both[0]]!r} and {name!r}")
        class_of.update(dict.fromkeys(words, name))
        present = work.present(words, "classes")
        if len(present) < _FEWEST:
            raise WordListError(
                f"classes[{name!r}]: {len(present)} of its words are in the vectors, and a "
                f"classifier needs {_FEWEST}"
            )
        members.append(work.rows(present))
    return members


def _farthest(work: Work) -> list[Index]:
    """Return, per place in the matched sets, the rows farthest along it; no row is in two."""
    if odd := [words for words in work.matched if len(words) != len(work.matched[0])]:
        raise ArgumentError(
            f"matched set {', '.join(odd[0])} has another size than the first; give sets of one "
            f"size, or classes="
        )
    centred = np.array([rows - rows.mean(axis=0) for rows in work.defining_vectors()])
    directions = centred.mean(axis=0)
    along = np.concatenate([rows @ directions.T for _, rows in chunks(work.matrix)])
    best = along.argmax(axis=1)
    most = max(_FEWEST, min(MOST_WORDS, len(best) // (4 * len(directions))))
    index = []
    for place in range(len(directions)):
        own = np.flatnonzero(best == place)
        if len(own) < _FEWEST:
            raise WordListError(
                f"class {place + 1} has {len(own)} words, and a classifier needs {_FEWEST}; load "
                f"more vectors, or give classes="
            )
        index.append(own[np.argsort(-along[own, place], kind="stable")[:most]])
    return index
