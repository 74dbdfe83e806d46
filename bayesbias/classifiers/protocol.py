"""How a fairness metric varies when the classifier is trained again on subsamples.

The protocol of "Are fairness metric scores enough to assess discrimination biases in machine
learning?" (2023): for every size many subsamples that keep the shares of group × class, each split
70 to 30, a classifier trained and tested on each; then means, standard deviations and Student's
t-tests of accuracy, F1 and gaps (`scores`).
"""

import copy
from collections.abc import Sequence
from typing import Any, Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bayesbias.classifiers.counts import as_labels, count_predictions, tabulated
from bayesbias.classifiers.scores import ProtocolScores, scores_of
from bayesbias.errors import ArgumentError, PredictionsError
from bayesbias.support.arguments import seed_as_integer, whole_number
from bayesbias.support.machine import parallel_map, tracked

_JOBS: Final = {
    "nurse": (0.8, ("wards", "patients", "shifts", "medication", "recovery", "clinic")),
    "surgeon": (0.2, ("operations", "patients", "theatre", "clinic", "transplants", "recovery")),
    "teacher": (0.6, ("pupils", "lessons", "school", "reading", "exams", "homework")),
    "programmer": (0.25, ("code", "servers", "databases", "lessons", "compilers", "exams")),
}
_NAMES: Final = {
    "female": ("Mary", "Anna", "Julia", "Sarah", "Emma", "Laura"),
    "male": ("James", "Peter", "David", "Thomas", "Paul", "Henry"),
}
_WORDS: Final = {
    "female": {"he": "she", "his": "her", "mr": "Ms."},
    "male": {"he": "he", "his": "his", "mr": "Mr."},
}
_PHRASES: Final = (
    "{mr} {name} {surname} is known for work with {a} and {b}.",
    "{name} has spent ten years on {a}; {he} also cares about {b}.",
    "In {his} free time {name} writes about {a}.",
    "{he_} lives in {town} with {his} family.",
    "{his_} colleagues praise {his} patience with {a}.",
)
_TOWNS: Final = ("Leeds", "Bristol", "Cardiff", "Glasgow", "Norwich")
_SURNAMES: Final = ("Hall", "Wood", "Clarke", "Turner", "Hill", "Cooper")


def resampling_protocol(
    X: Any,
    y: Any,
    group: Any,
    fit_predict: Any,
    *,
    sizes: Sequence[int],
    n_samples: int = 50,
    test_share: float = 0.3,
    reference: Any = None,
    jobs: int = 1,
    seed: int | np.random.Generator | None = None,
    progress: bool | None = None,
) -> ProtocolScores:
    """Train and test a classifier on many stratified subsamples of each size.

    Subsamples are those of scikit-learn's `StratifiedShuffleSplit` (``pip install
    'bayesbias[classifiers]'``). Those of one size overlap, the more the nearer the size is to n:
    their spread understates that of fresh data. If training takes long, keep what is trained with
    ``joblib.Memory("runs").cache(fit_predict)``: with the same seed subsamples are the same.

    Parameters
    ----------
    X : sequence, array, sparse matrix or DataFrame, of n rows
        What the classifier sees, such as a list of texts.
    y, group : array_like, shape (n,)
        Classes and groups.
    fit_predict : callable or estimator
        Called as ``fit_predict(X_train, y_train, X_test)``, returns a prediction per row of
        ``X_test``; or an object with ``fit`` and ``predict``, copied for each subsample.
    sizes : sequence of int
        Rows per subsample, training and test part together.
    n_samples : int
        Subsamples per size.
    test_share : float
        Share of a subsample that is tested on.
    reference : label, optional
        As in `gaps`.
    jobs : int
        Subsamples trained at a time, each in a process of its own.
    seed : int or Generator, optional
    progress : bool, optional
        Show a bar; by default in a terminal or a notebook.

    Returns
    -------
    ProtocolScores
        ``scores`` of all subsamples, their spread as ``table``, ``between_sizes()`` and
        ``changes(other)``.

    Raises
    ------
    ArgumentError
        If an argument is outside its range, a size is too small for the groups and classes, or
        scikit-learn is absent.
    PredictionsError
        If labels are missing, there is one group only, a group has one person of a class, or a
        prediction is not one of the classes.

    Examples
    --------
    >>> from bayesbias.classifiers import example_biographies
    >>> people = example_biographies(200, seed=1)
    >>> def commonest(X_train, y_train, X_test):
    ...     return [max(set(y_train), key=list(y_train).count)] * len(X_test)
    >>> run = resampling_protocol(people.text, people.occupation, people.gender, commonest,
    ...                           sizes=[100], n_samples=3, seed=1)
    >>> run.scores.query("metric == 'accuracy'")["value"].between(0, 1).all().item()
    True
    """
    if len(sizes) == 0 or len(set(sizes)) < len(sizes):
        raise ArgumentError(f"sizes={list(sizes)}: name at least one size, each once")
    whole_number(n_samples, "n_samples", "subsamples", least=2)
    whole_number(jobs, "jobs", "processes", least=1)
    if not 0 < test_share < 1:
        raise ArgumentError(f"test_share={test_share}: must be between 0 and 1")
    frame = pd.DataFrame({"y": np.asarray(y), "group": np.asarray(group)})
    n = len(frame)
    if (n_rows := X.shape[0] if hasattr(X, "shape") else len(X)) != n:
        raise ArgumentError(f"X has {n_rows:,} rows and y {n:,}; give one of each per person")
    whole = count_predictions(frame, true="y", predicted="y", group="group", reference=reference)
    strata = frame.groupby(["group", "y"]).ngroup()
    if (single := frame[~strata.duplicated(keep=False)]).size:
        group_of, label = single[["group", "y"]].iloc[0]
        raise PredictionsError(
            f"group {group_of!r} has one person of class {label!r}, who cannot be in both parts; "
            f"leave out the class, or the group"
        )
    seed = seed_as_integer(seed)
    keys = [(int(size), i) for size in sizes for i in range(n_samples)]
    for size in sizes:
        stratified_split(strata, int(size), test_share, 0)  # or complains
    labels, groups = frame["y"].to_numpy(), as_labels(frame["group"], "group")

    def trained(key: tuple[int, int]) -> NDArray[np.int64]:
        state = np.random.SeedSequence([seed, *key]).generate_state(1)
        train, test = stratified_split(strata, key[0], test_share, int(state[0]))
        if hasattr(fit_predict, "fit") and hasattr(fit_predict, "predict"):
            fresh = copy.deepcopy(fit_predict)
            fresh.fit(_rows(X, train), labels[train])
            predicted = fresh.predict(_rows(X, test))
        else:
            predicted = fit_predict(_rows(X, train), labels[train], _rows(X, test))
        if np.shape(predicted) != test.shape:
            raise PredictionsError(
                f"fit_predict returned predictions of shape {np.shape(predicted)} for "
                f"{len(test):,} rows; it must return one per row"
            )
        truth, guess = as_labels(labels[test], "true"), as_labels(predicted, "predicted")
        of_test = groups.iloc[test].reset_index(drop=True)
        return tabulated(truth, guess, of_test, whole.classes, whole.groups)

    results = parallel_map(trained, keys, jobs if len(keys) > 1 else 1)
    counts = np.stack(list(tracked(results, "Training", progress, len(keys))))
    return ProtocolScores(scores_of(keys, counts, whole), seed, test_share)


def _rows(X: Any, index: NDArray[np.int64]) -> Any:
    """Return rows of whatever holds rows."""
    if hasattr(X, "iloc"):
        return X.iloc[index]
    return X[index] if hasattr(X, "shape") else [X[i] for i in index]


def stratified_split(
    strata: pd.Series, size: int, test_share: float, state: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Draw rows without replacement, shares of strata kept; return training and test rows."""
    try:
        from sklearn.model_selection import StratifiedShuffleSplit
    except ImportError as error:
        raise ArgumentError(
            "subsamples need scikit-learn: pip install 'bayesbias[classifiers]'"
        ) from error
    n_test, sizes = round(size * test_share), strata.value_counts()
    if size > len(strata) or min(n_test, size - n_test) < len(sizes):
        raise ArgumentError(
            f"sizes: {size:,} rows, {n_test:,} of them to test on, cannot be drawn; there are "
            f"{len(strata):,} rows, and both parts need one for each of the {len(sizes)} "
            f"combinations of group and class that occur"
        )
    drawn = StratifiedShuffleSplit(
        1, test_size=n_test, train_size=size - n_test, random_state=state
    )
    return next(drawn.split(strata, strata))


def example_biographies(
    n: int = 600, *, scrubbed: bool = False, seed: int | np.random.Generator | None = None
) -> pd.DataFrame:
    """Make `n` short English biographies with a known gender and occupation.

    Phrases and words are chosen at random: occupations share some of their words, pronouns, titles
    and first names reveal the gender, and genders are unequally spread over occupations. They
    exercise the protocol and say nothing about real classifiers. With `scrubbed` the same people
    have female pronouns and titles and the first name Camille, all of them, as in the Bios
    experiments. Columns are ``text``, ``occupation`` (nurse, surgeon, teacher, programmer) and
    ``gender`` (female, male).

    Examples
    --------
    >>> example_biographies(4, seed=1).columns.tolist()
    ['text', 'occupation', 'gender']
    """
    whole_number(n, "n", "biographies", least=1)
    rng = np.random.default_rng(seed_as_integer(seed))
    every_word = sorted({word for _, own in _JOBS.values() for word in own})
    rows = []
    for _ in range(n):
        job = str(rng.choice(list(_JOBS)))
        share, words = _JOBS[job]
        gender = "female" if rng.random() < share else "male"
        forms = _WORDS["female" if scrubbed else gender]
        fixed = {**forms, **{f"{key}_": value.capitalize() for key, value in forms.items()}}
        name = str(rng.choice(_NAMES[gender]))
        fixed["name"] = "Camille" if scrubbed else name
        fixed |= {"surname": str(rng.choice(_SURNAMES)), "town": str(rng.choice(_TOWNS))}
        sentences = []
        for i in sorted(rng.choice(len(_PHRASES), size=int(rng.integers(2, 4)), replace=False)):
            a, b = (str(rng.choice(every_word if rng.random() < 0.25 else words)) for _ in "ab")
            sentences.append(_PHRASES[i].format(a=a, b=b, **fixed))
        rows.append((" ".join(sentences), job, gender))
    return pd.DataFrame(rows, columns=["text", "occupation", "gender"])
