"""How a fairness metric varies when the classifier is trained again on subsamples.

The protocol of "Are fairness metric scores enough to assess discrimination biases in machine
learning?" (2023): for every size many subsamples that keep the shares of group × class, each split
70 to 30, a classifier trained and tested on each.
"""

import copy
import json
import pickle
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bayesbias.classifiers.predictions import count_part, count_predictions
from bayesbias.classifiers.scores import ProtocolScores
from bayesbias.errors import ArgumentError, OutputError, PredictionsError
from bayesbias.support.bounded_files import read_json
from bayesbias.support.processes import parallel_map
from bayesbias.support.progress import tracked
from bayesbias.support.seeds import seed_as_integer
from bayesbias.support.whole_files import new_file


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
    folder: str | Path | None = None,
    seed: int | np.random.Generator | None = None,
    progress: bool | None = None,
) -> ProtocolScores:
    """Train and test a classifier on many stratified subsamples of each size.

    Subsamples are those of scikit-learn's `StratifiedShuffleSplit` (``pip install
    'bayesbias[classifiers]'``). Those of one size overlap, the more the nearer the size is to n:
    their spread understates that of fresh data.

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
    folder : str or Path, optional
        Where each subsample's counts are kept. Called again with the same data and seed, only what
        is missing is computed; sizes and samples may be added. Choose another folder for another
        classifier: it is not checked.
    seed : int or Generator, optional
        Needed with `folder`, so that the subsamples are the same when resumed.

    Raises
    ------
    ArgumentError
        If an argument is outside its range, a size is too small for the groups and classes,
        scikit-learn is absent or, with `folder`, rows of X cannot be recognised in a later run.
    PredictionsError
        If labels are missing, there is one group only, a group has one person of a class, or a
        prediction is not one of the classes.
    OutputError
        If the folder holds results of other data or settings, or cannot be read or written.

    Examples
    --------
    >>> from bayesbias.classifiers import example_biographies
    >>> people = example_biographies(200, seed=1)
    >>> def commonest(X_train, y_train, X_test):
    ...     return [max(set(y_train), key=list(y_train).count)] * len(X_test)
    >>> found = resampling_protocol(people.text, people.occupation, people.gender, commonest,
    ...                             sizes=[100], n_samples=3, seed=1)
    >>> found.runs["accuracy"].between(0, 1).all().item()
    True
    """
    _check(sizes, n_samples, test_share, jobs)
    if folder is not None and seed is None:
        raise ArgumentError("seed: is needed with a folder, so that a run can be resumed")
    frame = pd.DataFrame({"y": np.asarray(y), "group": np.asarray(group)})
    n = len(frame)
    if _length(X) != n:
        raise ArgumentError(f"X has {_length(X):,} rows and y {n:,}; give one of each per person")
    whole = count_predictions(frame, true="y", predicted="y", group="group", reference=reference)
    strata = frame.groupby(["group", "y"]).ngroup()
    if (single := frame[~strata.duplicated(keep=False)]).size:
        group_of, label = single[["group", "y"]].iloc[0]
        raise PredictionsError(
            f"group {group_of!r} has one person of class {label!r}, who cannot be in both parts; "
            f"leave out the class, or the group"
        )
    seed = seed_as_integer(seed)
    wanted = [(int(size), i) for size in sizes for i in range(n_samples)]
    for size in sizes:
        stratified_split(strata, int(size), test_share, 0)  # or complains
    kept = {}
    if folder is not None:
        begins = _beginning_of_names(folder, X, frame, whole.reference, seed, test_share)
        kept = {key: Path(f"{begins}-{key[0]}-{key[1]}.json") for key in wanted}
    done = {
        key: _read(path, key[0], test_share, whole.counts.shape)
        for key, path in kept.items()
        if path.exists()
    }
    missing = [key for key in wanted if key not in done]

    def one(key: tuple[int, int]) -> NDArray[np.int64]:
        state = np.random.SeedSequence([seed, *key]).generate_state(1)
        train, test = stratified_split(strata, key[0], test_share, int(state[0]))
        labels = frame["y"].to_numpy()
        predicted = _call(fit_predict, _rows(X, train), labels[train], _rows(X, test))
        counts = count_part(labels[test], predicted, frame["group"].to_numpy()[test], whole)
        if kept:
            with new_file(kept[key]) as temporary:
                temporary.write_text(json.dumps(counts.tolist()), encoding="utf-8")
        return counts

    results = parallel_map(one, missing, jobs if len(missing) > 1 else 1)
    counted = tracked(results, "Training", progress, len(missing))
    done.update(zip(missing, counted, strict=True))
    tables = np.stack([done[key] for key in wanted])
    return ProtocolScores.from_counts(wanted, tables, whole, seed=seed, test_share=test_share)


def _check(sizes: Sequence[int], n_samples: int, test_share: float, jobs: int) -> None:
    if len(sizes) == 0 or len(set(sizes)) < len(sizes):
        raise ArgumentError(f"sizes={list(sizes)}: name at least one size, each once")
    if n_samples < 2:
        raise ArgumentError(f"n_samples={n_samples}: at least 2, or there is no spread to see")
    if not 0 < test_share < 1:
        raise ArgumentError(f"test_share={test_share}: must be between 0 and 1")
    if jobs < 1:
        raise ArgumentError(f"jobs={jobs}: must be at least 1")


def _length(X: Any) -> int:
    return int(X.shape[0]) if hasattr(X, "shape") else len(X)


def _rows(X: Any, index: NDArray[np.int64]) -> Any:
    """Return rows of whatever holds rows."""
    if hasattr(X, "iloc"):
        return X.iloc[index]
    if hasattr(X, "shape"):
        return X[index]
    return [X[i] for i in index]


def _call(fit_predict: Any, X_train: Any, y_train: Any, X_test: Any) -> Any:
    if hasattr(fit_predict, "fit") and hasattr(fit_predict, "predict"):
        fresh = copy.deepcopy(fit_predict)
        fresh.fit(X_train, y_train)
        predicted = fresh.predict(X_test)
    else:
        predicted = fit_predict(X_train, y_train, X_test)
    if np.shape(predicted) != (_length(X_test),):
        raise PredictionsError(
            f"fit_predict returned predictions of shape {np.shape(predicted)} for "
            f"{_length(X_test):,} rows; it must return one per row"
        )
    return predicted


def _beginning_of_names(
    folder: str | Path, X: Any, frame: pd.DataFrame, reference: str, seed: int, test_share: float
) -> Path:
    """Make the folder; return how its files begin: with a hash of data and settings."""
    place = Path(folder)
    begin = data_hash(X, frame, reference, seed, float(test_share))
    try:
        place.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"{place}: cannot be made ({error.strerror})") from error
    for path in place.iterdir():
        if not path.name.startswith((begin, ".")):
            raise OutputError(
                f"{place}: holds {path.name}, which is of other data or settings (groups, classes, "
                f"seed, test_share); choose another folder"
            )
    return place / begin


def data_hash(*data: Any) -> str:
    """Return joblib's hash of data with their types and shapes: ["ab"] is not ["a", "b"]."""
    import joblib

    try:
        return str(joblib.hash([_bare(part) for part in data]))
    except (pickle.PicklingError, AttributeError, TypeError) as error:
        raise ArgumentError(
            "X: it cannot be checked whether such rows are the same in a later run; give texts, "
            "numbers or arrays, or do without a folder"
        ) from error


def _bare(data: Any) -> Any:
    """Return tables and sparse matrices as arrays, without what pandas and SciPy remember."""
    if hasattr(data, "tocsr"):
        matrix = data.tocsr()
        return matrix.shape, matrix.data, matrix.indices, matrix.indptr
    if isinstance(data, pd.DataFrame):
        return [(str(name), column.to_numpy()) for name, column in data.items()]
    return data.to_numpy() if isinstance(data, pd.Series) else data


def _read(path: Path, size: int, test_share: float, shape: tuple[int, ...]) -> NDArray[np.int64]:
    """Return the counts of a subsample that was computed before."""
    try:
        counts = np.array(read_json(path, OutputError), dtype=np.int64).reshape(shape)
        if counts.sum() == round(size * test_share):
            return counts
    except (ValueError, TypeError, OverflowError):
        pass
    raise OutputError(f"{path}: is no table of counts of this protocol; delete it and run again")


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
