"""How a fairness metric varies when the classifier is trained again on subsamples.

The protocol of "Are fairness metric scores enough to assess discrimination biases in machine
learning?" (2023): for every size many subsamples that keep the shares of group × class, each split
70 to 30, a classifier trained and tested on each.
"""

import copy
import datetime
import hashlib
import json
import numbers
import os
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bayesbias.classifiers.predictions import Predictions, count_part, count_predictions
from bayesbias.classifiers.scores import ProtocolScores
from bayesbias.errors import ArgumentError, DataWarning, OutputError, PredictionsError
from bayesbias.support.bounded_files import read_json
from bayesbias.support.processes import mapped
from bayesbias.support.progress import tracked
from bayesbias.support.seeds import seed_as_integer
from bayesbias.support.whole_files import new_file

_RECORD: Final = "protocol.json"
_PLAIN: Final = (
    numbers.Number,
    datetime.date,
    datetime.time,
    datetime.timedelta,
    type(None),
    type(pd.NA),
)


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

    Subsamples of one size overlap, the more the nearer the size is to n: their spread understates
    that of fresh data. A DataWarning tells of a damaged result, which is computed again.

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
        Subsamples trained at a time, each in a process of its own. With more than one, a script
        needs the guard ``if __name__ == "__main__":``.
    folder : str or Path, optional
        Where each subsample's counts are kept. Called again with the same data and seed, only what
        is missing is computed; sizes and samples may be added. Choose another folder for another
        classifier: it is not checked.
    seed : int or Generator, optional
        Needed with `folder`, so that the subsamples are the same when resumed.

    Raises
    ------
    ArgumentError
        If an argument is outside its range or, with `folder`, rows of X are of a type that cannot
        be recognised in a later run.
    PredictionsError
        If labels are missing, there is one group only, or a prediction is not one of the classes.
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
    strata = frame.groupby(["group", "y"], sort=True).ngroup().to_numpy().astype(np.int64)
    seed = seed_as_integer(seed)
    wanted = [(int(size), i) for size in sizes for i in range(n_samples)]
    for size in sizes:
        stratified_split(strata, int(size), test_share, np.random.default_rng(0))  # or complains
    kept = None if folder is None else _open(folder, X, frame, whole, seed, test_share)
    done = {} if kept is None else kept.read(wanted, whole.counts.shape)
    missing = [key for key in wanted if key not in done]

    def one(key: tuple[int, int]) -> NDArray[np.int64]:
        train, test = stratified_split(
            strata, key[0], test_share, np.random.default_rng([seed, *key])
        )
        labels = frame["y"].to_numpy()
        predicted = _call(fit_predict, _rows(X, train), labels[train], _rows(X, test))
        counts = count_part(labels[test], predicted, frame["group"].to_numpy()[test], whole)
        if kept is not None:
            kept.write(key, counts)
        return counts

    results = mapped(one, missing, jobs if len(missing) > 1 else 1)
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


def _open(
    folder: str | Path,
    X: Any,
    frame: pd.DataFrame,
    whole: Predictions,
    seed: int,
    test_share: float,
) -> "_Kept":
    """Make the folder, or check that it holds results of the same data and settings."""
    place = Path(folder)
    checksum = data_checksum(X, frame["y"], frame["group"])
    record: dict[str, Any] = {"rows": len(frame), "data_sha256": checksum}
    record |= {"classes": list(whole.classes), "groups": list(whole.groups)}
    record |= {"seed": seed, "test_share": test_share}
    try:
        place.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise OutputError(f"{place}: cannot be made ({error.strerror})") from error
    path = place / _RECORD
    found = _record_of(place, path)
    if found is None:
        with new_file(path) as temporary:
            temporary.write_text(json.dumps(record, indent=1), encoding="utf-8")
        return _Kept(place, record)
    differing = [key for key in record if found.get(key) != record[key]]
    if differing:
        raise OutputError(
            f"{place}: holds results of another {', '.join(differing)}; choose another folder"
        )
    return _Kept(place, record)


def _record_of(place: Path, path: Path) -> Any:
    """Return what a folder says of its results; None if it has none, so that it may be used."""
    others = [p for p in place.iterdir() if p != path and not _is_left_over(p)]
    if not path.exists():
        if others:
            raise OutputError(f"{place}: is not empty and holds no protocol; choose another folder")
        return None
    try:
        found = read_json(path, OutputError)
        if isinstance(found, dict):
            return found
        reason = "it holds no record"
    except OutputError as error:
        reason = str(error)
    if not others:
        return None
    raise OutputError(
        f"{path}: cannot be read ({reason}), so it is unknown which data the results belong to; "
        f"delete the folder, or choose another"
    )


def _is_left_over(path: Path) -> bool:
    """Tell whether a file is what a killed run left of one that it was writing."""
    return path.name.startswith(".") and ".partial" in path.name


@dataclass(frozen=True)
class _Kept:
    """A folder's results, each with a checksum of its counts and of what they belong to."""

    place: Path
    record: Mapping[str, Any]

    def _file(self, key: tuple[int, int]) -> Path:
        return self.place / f"{key[0]}-{key[1]}.json"

    def _seal(self, key: tuple[int, int], counts: Any) -> str:
        return hashlib.sha256(json.dumps([self.record, key, counts]).encode()).hexdigest()

    def write(self, key: tuple[int, int], counts: NDArray[np.int64]) -> None:
        content = {"counts": counts.tolist(), "sha256": self._seal(key, counts.tolist())}
        with new_file(self._file(key)) as temporary:
            temporary.write_text(json.dumps(content), encoding="utf-8")

    def read(
        self, wanted: list[tuple[int, int]], shape: tuple[int, ...]
    ) -> dict[tuple[int, int], NDArray[np.int64]]:
        """Return the results that are there already; one that is damaged is not there."""
        found, damaged = {}, []
        for key in wanted:
            path = self._file(key)
            if not os.path.lexists(path):
                continue
            try:
                content = read_json(path, OutputError)
                if content["sha256"] != self._seal(key, content["counts"]):
                    raise ValueError
                found[key] = np.array(content["counts"], dtype=np.int64).reshape(shape)
            except (OutputError, ValueError, KeyError, TypeError, OverflowError):
                damaged.append(path.name)
        if damaged:
            warnings.warn(
                f"{self.place}: {', '.join(damaged[:5])}{', …' if len(damaged) > 5 else ''}: "
                f"damaged, and computed again",
                DataWarning,
                stacklevel=3,
            )
        return found


def allocate(counts: NDArray[np.int64], size: int) -> NDArray[np.int64]:
    """Share out `size` places in proportion to counts, by largest remainders."""
    quota = counts * (size / counts.sum())
    places = np.floor(quota).astype(np.int64)
    rest = size - int(places.sum())
    places[np.argsort(-(quota - places), kind="stable")[:rest]] += 1
    return places


def stratified_split(
    strata: NDArray[np.int64], size: int, test_share: float, rng: np.random.Generator
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Draw rows without replacement, shares of strata kept; return training and test rows."""
    if not 2 <= size <= len(strata):
        raise ArgumentError(
            f"sizes: a subsample of {size:,} out of {len(strata):,} rows cannot be drawn; sizes "
            f"are from 2 to the number of rows"
        )
    shuffled = rng.permutation(len(strata))
    ordered = shuffled[np.argsort(strata[shuffled], kind="stable")]
    counts = np.bincount(strata)
    starts = np.concatenate([[0], np.cumsum(counts)[:-1]])
    wanted = allocate(counts, size)
    n_test = round(size * test_share)
    if not 0 < n_test < size:
        raise ArgumentError(
            f"test_share={test_share}: of {size} rows it leaves none to train or to test on"
        )
    tested = allocate(wanted, n_test)
    test = [ordered[s : s + t] for s, t in zip(starts, tested, strict=True)]
    train = [ordered[s + t : s + w] for s, t, w in zip(starts, tested, wanted, strict=True)]
    return rng.permutation(np.concatenate(train)), rng.permutation(np.concatenate(test))


def data_checksum(*data: Any) -> str:
    """Return the SHA-256 of data with their types and shapes: ["ab"] is not ["a", "b"]."""
    digest = hashlib.sha256()
    for part in data:
        _add(digest, part)
    return digest.hexdigest()


def _add(digest: Any, value: Any) -> None:
    if isinstance(value, str | bytes):
        content = value.encode("utf-8", "surrogatepass") if isinstance(value, str) else value
        digest.update(f"{type(value).__name__} {len(content)}:".encode())
        digest.update(content)
    elif isinstance(value, list | tuple):
        digest.update(f"sequence {len(value)}:".encode())
        for item in value:
            _add(digest, item)
    elif isinstance(value, Mapping):
        digest.update(f"mapping {len(value)}:".encode())
        for key, item in value.items():
            _add(digest, key)
            _add(digest, item)
    elif hasattr(value, "tocsr"):
        matrix = value.tocsr()
        digest.update(f"sparse {matrix.shape}:".encode())
        for part in (matrix.data, matrix.indices, matrix.indptr):
            _add(digest, part)
    elif hasattr(value, "iloc") and hasattr(value, "columns"):
        digest.update(f"table {value.shape}:".encode())
        for position, name in enumerate(value.columns):
            _add(digest, str(name))
            _add(digest, value.iloc[:, position].to_numpy())
    elif isinstance(value, _PLAIN) and not isinstance(value, np.generic):
        digest.update(f"{type(value).__name__} {value!r};".encode())
    else:
        _add_array(digest, value)


def _add_array(digest: Any, value: Any) -> None:
    """Add an array, or what can be made one, such as a numpy number or a tensor."""
    array = np.asarray(value)
    if array.dtype == object and array.ndim == 0:
        raise ArgumentError(
            f"X: it cannot be checked whether a {type(value).__name__} is the same in a later run; "
            f"give texts, numbers or arrays, or do without a folder"
        )
    digest.update(f"array {array.dtype.str} {array.shape}:".encode())
    if array.dtype == object:
        for item in array.ravel():
            _add(digest, item)
    else:
        digest.update(np.ascontiguousarray(array).tobytes())
