"""How a fairness metric varies when the classifier is trained again on subsamples.

The protocol of "Are fairness metric scores enough to assess discrimination biases in machine
learning?" (2023): for every size many subsamples that keep the shares of group × class, each split
70 to 30, a classifier trained and tested on each; then means, standard deviations and Student's
t-tests of accuracy, F1 and gaps.

Of m subsamples of a size, with mean x̄ and standard deviation s of a score, Student's t against 0 is
x̄ / (s / √m); between two sizes it is (x̄₁ − x̄₂) / √(s₁²/m₁ + s₂²/m₂), with Welch's degrees of
freedom (of equally many subsamples that is the t of equal variances). Small samples vary more, so
variances are not equal. Subsamples of one data set overlap: all p-values are too small.
"""

import copy
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Any, Final

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bayesbias.classifiers.counts import (
    METRICS,
    Predictions,
    as_labels,
    count_predictions,
    rate_counts,
    rates_of,
    tabulated,
)
from bayesbias.errors import ArgumentError, PredictionsError, suggest
from bayesbias.show.result import Blocks, Column, Columns, Result, Table, plain
from bayesbias.support.arguments import Figure, Index, refuse_other, seed_as_integer, whole_number
from bayesbias.support.machine import parallel_map, tracked

if TYPE_CHECKING:
    from bayesbias.show.style import Size

_SCORE: Final = ["metric", "class", "contrast"]  # what tells a score from others
_KEYS: Final = ["size", *_SCORE]
_MOST_ROWS: Final = 60
_MOST_CLASSES: Final = 8
_COLUMNS: Final[Columns] = [
    *_KEYS,
    Column("mean", form="signed", missing="undefined"),
    Column("sd", form="distance", missing="undefined", drop_priority=1),
    Column("t", form="+z.1f", missing="undefined", drop_priority=2),
    Column("p_value", "p", "p", missing="undefined"),
    Column("share_above_zero", "share > 0", "percent", missing="undefined"),
    Column("n_undefined", "undefined in", "count", drop_priority=3),
]


@dataclass(frozen=True, repr=False, eq=False)
class ProtocolScores(Result):
    """Scores of a classifier on many subsamples; made by `resampling_protocol`.

    Parameters
    ----------
    scores : DataFrame
        One row per ``size``, ``sample``, ``metric``, ``class`` and ``contrast``: ``value``, the
        gap of GP, TPR or PP, missing where a denominator was empty; the F1 of a class (no
        contrast), missing where nobody is of the class or was predicted it; the accuracy on the
        test part (neither class nor contrast).
    seed, test_share
        As in `resampling_protocol`.
    """

    scores: pd.DataFrame
    seed: int
    test_share: float

    @property
    def table(self) -> pd.DataFrame:
        """The spread of scores, and Student's t-test of their mean against 0.

        One row per ``size``, ``metric``, ``class`` and ``contrast``: ``n``, the subsamples in which
        the score was defined, ``n_undefined``; ``mean``, ``sd`` (ddof=1), ``t`` and ``p_value``
        (two-sided), missing where n < 2 or no two values differ; ``share_above_zero``. Subsamples
        overlap, so p-values are too small; see `resampling_protocol`.
        """
        table = _students(self.scores, "value")
        by = self.scores.groupby(_KEYS, sort=False)["value"]
        table.insert(len(_KEYS) + 1, "n_undefined", (by.size() - by.count()).to_numpy())
        above = by.agg(lambda values: (values > 0).sum()).to_numpy()
        table["share_above_zero"] = above / table["n"].where(table["n"] > 0)
        return table

    def between_sizes(self) -> pd.DataFrame:
        """Compare the mean score of every two sizes of subsamples by Welch's t-test.

        One row per ``metric``, ``class``, ``contrast`` and pair of sizes: ``size`` and
        ``other_size``, the larger, ``difference`` (the mean of the larger minus that of the
        smaller), ``t``, ``df`` and ``p_value`` (two-sided), missing where a score is defined in
        fewer than two subsamples of a size, or does not vary.
        """
        from scipy.stats import t as student

        spread = self.table
        both = spread.merge(spread, on=_SCORE, suffixes=("", "_other"))
        both = both[both["size"] < both["size_other"]]
        both = both.sort_values(["size", "size_other"], kind="stable", ignore_index=True)
        sds, ns = both[["sd", "sd_other"]], both[["n", "n_other"]]
        errors = sds.to_numpy() ** 2 / ns.where(ns > 1).to_numpy()
        error = pd.Series(errors.sum(axis=1)).where(lambda total: total > 0)
        difference = both["mean_other"] - both["mean"]
        t = difference / np.sqrt(error)
        df = error**2 / (errors**2 / (ns - 1)).sum(axis=1, skipna=False)
        p_value = 2 * student.sf(t.abs(), df)
        answers = {"difference": difference, "t": t, "df": df, "p_value": p_value}
        sizes = both[["size", "size_other"]].rename(columns={"size_other": "other_size"})
        return both[_SCORE].join(sizes).assign(**answers)

    def changes(self, other: "ProtocolScores") -> pd.DataFrame:
        """Compare with a run on the same subsamples, such as of scrubbed texts: other − this.

        One row per ``size``, ``metric``, ``class`` and ``contrast``: ``n`` subsamples in which both
        scores are defined, ``mean`` and ``sd`` of the change, paired ``t`` and ``p_value`` (missing
        where n < 2 or no two changes differ).
        """
        if (self.seed, self.test_share) != (other.seed, other.test_share):
            raise ArgumentError("other: has another seed or test share, so nothing is paired")
        both = self.scores.merge(other.scores, on=["sample", *_KEYS], suffixes=("", "_other"))
        if both.empty:
            raise ArgumentError("other: has no subsample, class and contrast in common with this")
        return _students(both.assign(change=both["value_other"] - both["value"]), "change")

    @property
    def headline(self) -> str:
        """The size of the spread, and how it depends on the size of the subsamples."""
        table = self.table
        sds = table[table["contrast"] != ""].groupby("size")["sd"].median()
        accuracy = table[table["metric"] == "accuracy"].set_index("size")["mean"]
        sizes = sorted({sds.index.min(), sds.index.max()})
        parts = [f"{sds[n]:.2f} with {n:,} rows (accuracy {accuracy[n]:.2f})" for n in sizes]
        return f"The median standard deviation of a gap is {' and '.join(parts)}."

    def to_dict(self) -> dict[str, Any]:
        """Return the spread and the settings as plain data; single scores stay in `scores`."""
        content = {"headline": self.headline, "table": plain(self.table)}
        return {**content, "seed": self.seed, "test_share": self.test_share}

    def plot(
        self,
        metrics: Sequence[str] = METRICS,
        *,
        classes: Sequence[Any] | None = None,
        figsize: "Size" = None,
    ) -> Figure:
        """Draw box plots of scores per size, a row per class and a column per metric.

        The paper's Figs. 3 and 4 have gaps, Fig. 2 ``["F1"]`` and Fig. 1 ``["accuracy"]``.
        `classes` are by default all, at most eight.
        """
        from bayesbias.show import style as look

        part = self.scores
        chosen = part["class"].unique() if classes is None else ["", *map(str, classes)]
        for column, wanted in (("metric", metrics), ("class", chosen)):
            valid = self.scores[column].unique()
            if unknown := [value for value in wanted if value not in valid]:
                raise ArgumentError(f"no {column} {unknown[0]!r}{suggest(unknown[0], valid)}")
            part = part[part[column].isin(wanted)]
        if part["class"].nunique() > _MOST_CLASSES:
            raise ArgumentError(f"{len(chosen)} classes are too many to draw; name at most eight")
        lines = part[["class", "contrast"]].drop_duplicates().to_numpy().tolist()
        line = {"color": "#6B6B6B"}
        boxes: dict[str, Any] = {"boxprops": line, "whiskerprops": line, "capprops": line}
        boxes |= {"widths": 0.55, "medianprops": {"color": look.INK}}
        boxes |= {"flierprops": {"markersize": 3, "markeredgecolor": line["color"]}}
        width = look.width_of(figsize)
        with look.style(width):
            height = look.title_height(self.headline, width) + 0.5 + 1.6 * len(lines)
            shape = len(lines), len(metrics)
            figure, axes = look.new_figure(*shape, figsize, height, sharey="row", sharex=True)
            cells = product(lines, metrics)
            for axis, ((label, contrast), metric) in zip(axes, cells, strict=True):
                keys = part[["class", "contrast", "metric"]] == [label, contrast, metric]
                by_size = dict(list(part[keys.all(axis=1)].groupby("size")["value"]))
                values = [own.dropna().to_numpy() for own in by_size.values()]
                axis.boxplot(values, positions=range(len(values)), **boxes)
                axis.set_xticks(range(len(by_size)), [f"{n:,}" for n in by_size])
                axis.grid(axis="y")
                axis.set_title(f"{label}: {metric}" if label else metric)
                if contrast:
                    axis.axhline(0, color=look.INK, linewidth=0.8, linestyle=(0, (4, 3)))
                if metric == metrics[0]:
                    axis.set_ylabel(f"gap {contrast}" if contrast else "score")
            figure.supxlabel("rows per subsample, training and test together", fontsize=8)
            look.set_title(figure, self.headline)
        return figure

    @property
    def blocks(self) -> Blocks:
        """The headline and the spread of gaps."""
        table = self.table.query("contrast != ''")
        more = len(table) - _MOST_ROWS
        rest = [f"and {more:,} more rows, in .table"] if more > 0 else []
        return [self.headline, "", Table(table.head(_MOST_ROWS), _COLUMNS), *rest]


def scores_of(
    keys: Sequence[tuple[int, int]], counts: NDArray[np.int64], whole: Predictions
) -> pd.DataFrame:
    """Return the scores of tables of counts, shape (n, n_groups, n_classes, n_classes)."""
    samples = pd.DataFrame(list(keys), columns=["size", "sample"])
    everybody = counts.sum(axis=1)
    right = np.diagonal(everybody, axis1=1, axis2=2)
    either = everybody.sum(axis=1) + everybody.sum(axis=2)
    rates = rates_of(*rate_counts(counts))
    cells = samples.merge(pd.DataFrame({"class": whole.classes}), how="cross")
    accuracy = right.sum(axis=1) / everybody.sum(axis=(1, 2))
    parts = [
        samples.assign(metric="accuracy", **{"class": ""}, contrast="", value=accuracy),
        cells.assign(metric="F1", contrast="", value=rates_of(2 * right, either).ravel()),
    ]
    for m, metric in enumerate(METRICS):
        for i, j in whole.pairs:
            gap = (rates[:, m, i] - rates[:, m, j]).ravel()
            contrast = f"{whole.groups[i]} − {whole.groups[j]}"
            parts.append(cells.assign(metric=metric, contrast=contrast, value=gap))
    order = ["size", "sample", "metric", "class", "contrast", "value"]
    return pd.concat(parts, ignore_index=True)[order]


def _students(table: pd.DataFrame, column: str) -> pd.DataFrame:
    """Return mean, sd and Student's t-test against 0 of a column, by size and score."""
    from scipy.stats import t as student

    spread = table.groupby(_KEYS, sort=False)[column].agg(["count", "mean", "std"])
    spread = spread.reset_index().rename(columns={"count": "n", "std": "sd"})
    spread["t"] = spread["mean"] / (spread["sd"].where(spread["sd"] > 0) / np.sqrt(spread["n"]))
    spread["p_value"] = 2 * student.sf(spread["t"].abs(), spread["n"] - 1)
    return spread


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
    ArgumentError, PredictionsError
        As every function of the package, and if a size is too small for the groups and classes, a
        group has one person of a class, a prediction is not one of the classes, or scikit-learn is
        absent.

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
    refuse_other(sizes, Iterable, "sizes", "a list of numbers of people")
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

    results = parallel_map(trained, keys, jobs)
    counts = np.stack(list(tracked(results, "Training", progress, len(keys))))
    return ProtocolScores(scores_of(keys, counts, whole), seed, test_share)


def _rows(X: Any, index: Index) -> Any:
    """Return rows of whatever holds rows."""
    if hasattr(X, "iloc"):
        return X.iloc[index]
    return X[index] if hasattr(X, "shape") else [X[i] for i in index]


def stratified_split(
    strata: pd.Series, size: int, test_share: float, state: int
) -> tuple[Index, Index]:
    """Draw rows without replacement, shares of strata kept; return training and test rows."""
    try:
        from sklearn.model_selection import StratifiedShuffleSplit
    except ImportError as error:
        raise ArgumentError(
            "subsamples need scikit-learn: pip install 'bayesbias[classifiers]'"
        ) from error
    n_test, sizes = round(size * test_share), strata.value_counts()
    n_train = size - n_test
    if size > len(strata) or min(n_test, n_train) < len(sizes):
        raise ArgumentError(
            f"sizes: {size:,} rows, {n_test:,} of them to test on, cannot be drawn; there are "
            f"{len(strata):,} rows, and both parts need one for each of the {len(sizes)} "
            f"combinations of group and class that occur"
        )
    drawn = StratifiedShuffleSplit(1, test_size=n_test, train_size=n_train, random_state=state)
    return next(drawn.split(strata, strata))


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
_FEMALE: Final = {"he": "she", "his": "her", "mr": "Ms."}
_MALE: Final = {"he": "he", "his": "his", "mr": "Mr."}
_PHRASES: Final = (
    "{mr} {name} {surname} is known for work with {a} and {b}.",
    "{name} has spent ten years on {a}; {he} also cares about {b}.",
    "In {his} free time {name} writes about {a}.",
    "{he} lives in {town} with {his} family.",
    "{his} colleagues praise {his} patience with {a}.",
)
_TOWNS: Final = ("Leeds", "Bristol", "Cardiff", "Glasgow", "Norwich")
_SURNAMES: Final = ("Hall", "Wood", "Clarke", "Turner", "Hill", "Cooper")


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
        fixed = dict(_FEMALE if scrubbed or gender == "female" else _MALE)
        name = str(rng.choice(_NAMES[gender]))
        fixed["name"] = "Camille" if scrubbed else name
        fixed |= {"surname": str(rng.choice(_SURNAMES)), "town": str(rng.choice(_TOWNS))}
        sentences = []
        for i in sorted(rng.choice(len(_PHRASES), size=int(rng.integers(2, 4)), replace=False)):
            a, b = (str(rng.choice(every_word if rng.random() < 0.25 else words)) for _ in "ab")
            sentence = _PHRASES[i].format(a=a, b=b, **fixed)
            sentences.append(sentence[0].upper() + sentence[1:])
        rows.append((" ".join(sentences), job, gender))
    return pd.DataFrame(rows, columns=["text", "occupation", "gender"])
