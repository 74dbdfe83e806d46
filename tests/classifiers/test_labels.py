"""Tables of predictions: labels that look the same and are not, groups, and what is refused."""

import numpy as np
import pandas as pd
import pytest

from bayesbias import classifiers
from bayesbias.classifiers import count_predictions
from bayesbias.errors import DataWarning, PredictionsError

COLUMNS = {"true": "y", "predicted": "p", "group": "g"}


def people(y=(0, 1), p=(0, 1, 1, 0), g=("f", "m")):
    """Return forty persons, whose labels come in turn."""
    columns = {"y": y, "p": p, "g": g}
    return pd.DataFrame({name: [*x] * (40 // len(x)) for name, x in columns.items()})


def counts_of(*args, **columns):
    return count_predictions(people(*args, **columns), **COLUMNS)


@pytest.mark.parametrize(
    ("y", "p"),
    [
        (["nurse", "surgeon"], [0, 1]),
        (["1.0", "0.0"], ["1", "0"]),
    ],
)
def test_classes_without_a_common_label_are_refused(y, p):
    frame = people(y, p)
    with pytest.raises(PredictionsError, match=rf"{y[0]}.*{p[0]}.*write the same classes alike"):
        classifiers.gaps(frame, **COLUMNS, method="exact")
    with pytest.raises(PredictionsError):
        classifiers.costs_of("equalised-odds", frame["y"], frame["p"], positive=y[0])


@pytest.mark.parametrize("unlike", ["a ", "a\u200b", "\u00a0a"])
def test_labels_that_look_alike_are_refused(unlike):
    """Those of both columns, of groups, and classes that are named."""
    message = "differ only in capitals, spaces or invisible"
    with pytest.raises(PredictionsError, match=message):
        counts_of("ab", [unlike, "b"])
    with pytest.raises(PredictionsError, match=f"classes: .* {message}"):
        count_predictions(people("ab", "ab"), **COLUMNS, classes=["a", unlike, "b"])
    with pytest.raises(PredictionsError, match=f"column 'g': .* {message}"):
        counts_of("ab", "ab", [unlike, "a", "b", "b"])


@pytest.mark.parametrize("classes", [None, ["Nurse", "nurse", "b"]])
def test_classes_that_differ_only_in_capitals_are_refused(classes):
    frame = people(["nurse", "b"], ["Nurse", "b"])
    with pytest.raises(PredictionsError, match=r"'Nurse' and 'nurse' differ only in capitals"):
        count_predictions(frame, **COLUMNS, classes=classes)


def test_all_wrong_predictions_are_allowed_where_classes_are_named():
    result = classifiers.gaps(people("a", "b"), **COLUMNS, method="exact", classes=["a", "b"])
    assert result.table.set_index(["metric", "class"]).loc[("TPR", "a"), "gap"] == 0


def test_labels_are_texts_in_order():
    """Composed and decomposed letters are one, numbers keep their order and do not wrap."""
    composed = counts_of(["caf\u00e9", "b"], ["cafe\u0301", "b"])
    assert composed.classes == ("b", "caf\u00e9")
    assert np.trace(composed.counts.sum(axis=0)) == 40
    numbers = counts_of([2, 10], [2.0, 10.0], (0, 1))
    assert (numbers.classes, numbers.groups) == (("2", "10"), ("0", "1"))
    assert numbers.counts.sum() == 40
    large = counts_of([1e20, 2.0], [1e20, 2.5])
    assert large.classes == ("2", "2.5", "100000000000000000000")
    assert counts_of(p=[0, 1, 2, 0]).classes == ("0", "1", "2")  # a class may only be predicted


def test_costs_match_labels_by_what_is_written():
    costs, annotated = classifiers.costs_of("equal-opportunity", ["1", "0"], [1.0, 0], positive=1)
    assert (costs.tolist(), annotated.tolist()) == ([0.0, 1.0], [True, False])
    with pytest.raises(PredictionsError, match="row 1 is missing"):
        classifiers.costs_of("equal-opportunity", ["a", None], ["a", "a"], positive="a")


@pytest.mark.parametrize("mark", ["NA", "null", "?", "nan"])
@pytest.mark.parametrize(("column", "what"), [("g", "a group"), ("p", "a class"), ("y", "a class")])
def test_what_stands_for_a_missing_value_is_a_label_and_warned_of(column, what, mark):
    """A file's texts are read as they are; pandas would have read missing values."""
    labels = people().astype(str)[column].tolist()
    with pytest.warns(DataWarning, match=f"column '{column}': 3 rows of .* count as {what} of"):
        counts = counts_of(**{column: [mark, mark, mark, *labels[3:]]})
    assert mark in counts.classes + counts.groups


def test_columns_are_crossed():
    frame = people(g="ffmm").assign(r=["n", "s"] * 20)
    crossed = count_predictions(frame, **{**COLUMNS, "group": ["g", "r"]})
    assert crossed.groups == ("f, n", "f, s", "m, n", "m, s")
    assert crossed.counts.sum(axis=(1, 2)).tolist() == [10] * 4
    by_hand = count_predictions(frame.assign(g=frame["g"] + ", " + frame["r"]), **COLUMNS)
    assert (crossed.counts == by_hand.counts).all()


TABLES = {
    "no rows": (lambda f: f.head(0), {}),
    "true='yy': no such column; did you mean 'y'": (None, {"true": "yy"}),
    "predicted='p': several columns have this name": (lambda f: pd.concat([f, f["p"]], axis=1), {}),
    "column 'y': row 0 is missing .*40 in all": (lambda f: f.assign(y=None), {}),
    "'1' in row 1 .*is not one of the classes": (None, {"classes": [0]}),
    "each class once": (None, {"classes": [0, 0, 1]}),
    "has one group only, 'male'; a gap needs two": (lambda f: f.assign(g="male"), {}),
    "reference='ff': no such group .*did you mean 'f'": (None, {"reference": "ff"}),
    "name one column or several, each once": (None, {"group": ["g", "g"]}),
    "40 different numbers.*measurements, not groups": (lambda f: f.assign(g=range(40)), {}),
    "no label of 'y' .*make classes of probabilities, such as 1 from 0.5 on": (
        lambda f: f.assign(p=[0.1, 0.8, 0.7, 0.4] * 10),
        {},
    ),
}


@pytest.mark.parametrize("complaint", TABLES)
def test_bad_tables(complaint):
    change, options = TABLES[complaint]
    frame = people() if change is None else change(people())
    with pytest.raises(PredictionsError, match=complaint):
        classifiers.gaps(frame, **{**COLUMNS, **options})


@pytest.mark.parametrize(
    ("weights", "survey", "complaint"),
    [
        ([1, 0.5], False, "0.5 in row 1 .* is not a whole number .*survey=True"),
        ([1, -1], True, "-1 in row 1 .* is not a number, 0 or more"),
        ([1, None], True, "in row 1 .* is not a number"),
        ([0, 0], False, "all weights are 0"),
    ],
)
def test_bad_weights(weights, survey, complaint):
    frame = people().assign(w=weights * 20)
    with pytest.raises(PredictionsError, match=complaint):
        classifiers.gaps(frame, **COLUMNS, weights="w", survey=survey)
