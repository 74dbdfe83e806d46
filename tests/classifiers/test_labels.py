"""Labels that are the same and look different, or look the same and are not."""

import numpy as np
import pandas as pd
import pytest

from bayesbias import classifiers
from bayesbias.errors import DataWarning, PredictionsError

COLUMNS = {"true": "y", "predicted": "p", "group": "g"}


def frame(true, predicted, group=("f", "m")):
    """Rows of true and predicted labels, and of groups in turn, five times."""
    columns = {"y": true * 5, "p": predicted * 5, "g": list(group) * (5 * len(true) // 2)}
    return pd.DataFrame({name: pd.Series(values) for name, values in columns.items()})


@pytest.mark.parametrize(
    ("true", "predicted"),
    [
        (["a ", "b "], ["a", "b"]),
        (["nurse", "surgeon"], [0, 1]),
        ([True, False], [1, 0]),
        (["1.0", "0.0"], ["1", "0"]),
    ],
)
def test_classes_without_a_common_label_are_refused(true, predicted):
    both = frame(true, predicted)
    with pytest.raises(PredictionsError, match="write the same classes alike") as error:
        classifiers.gaps(both, **COLUMNS, method="point")
    assert str(true[0]) in str(error.value)
    assert str(predicted[0]) in str(error.value)
    with pytest.raises(PredictionsError):
        classifiers.costs_of("equalised-odds", both["y"], both["p"], positive=true[0])


@pytest.mark.parametrize("unlike", ["a ", "a\u200b", "\ufeffa", "\u00a0a"])
def test_labels_that_look_alike_are_refused(unlike):
    """Those of both columns, of groups, and classes that are named."""
    message = "differ only in spaces, invisible"
    both = frame(["a", "b"], [unlike, "b"])
    with pytest.raises(PredictionsError, match=message):
        classifiers.gaps(both, **COLUMNS, method="point")
    with pytest.raises(PredictionsError, match=f"classes: .* {message}"):
        classifiers.count_predictions(both, **COLUMNS, classes=["a", unlike, "b"])
    groups = frame(["a", "b"], ["a", "b"], group=("a", "b"))
    groups.loc[0, "g"] = unlike
    with pytest.raises(PredictionsError, match=f"column 'g': .* {message}"):
        classifiers.gaps(groups, **COLUMNS, method="point")


@pytest.mark.parametrize("known", [None, ["Nurse", "nurse", "b"]])
def test_classes_that_differ_only_in_capitals_are_refused(known):
    both = frame(["nurse", "b"], ["Nurse", "b"])
    with pytest.raises(PredictionsError, match=r"'Nurse' and 'nurse' differ only in capitals"):
        classifiers.count_predictions(both, **COLUMNS, classes=known)


def test_all_wrong_predictions_are_allowed_where_classes_are_named():
    both = frame(["a", "a"], ["b", "b"])
    found = classifiers.gaps(both, **COLUMNS, method="point", classes=["a", "b"])
    assert found.table.set_index(["metric", "class"]).loc[("TPR", "a"), "gap"] == 0


def test_composed_and_decomposed_labels_are_one_and_numbers_keep_their_order():
    counted = classifiers.count_predictions(
        frame(["caf\u00e9", "b"], ["cafe\u0301", "b"]), **COLUMNS
    )
    assert counted.classes == ("b", "caf\u00e9")
    assert np.trace(counted.counts.sum(axis=0)) == 10
    counted = classifiers.count_predictions(frame([2, 10], [2.0, 10.0], group=(0, 1)), **COLUMNS)
    assert (counted.classes, counted.groups, counted.n) == (("2", "10"), ("0", "1"), 10)


def test_large_numbers_do_not_wrap_and_words_for_nothing_are_labels():
    with pytest.warns(DataWarning, match="classes of 'y' alone: '2'; of 'p' alone: '2.5'"):
        both = classifiers.count_predictions(frame([1e20, 2.0], [1e20, 2.5]), **COLUMNS)
    assert both.classes == ("2", "2.5", "100000000000000000000")
    with (
        pytest.warns(DataWarning, match="'NA' count as a class of that name"),
        pytest.warns(DataWarning, match="classes of 'y' alone: 'null'; of 'p' alone: 'None'"),
    ):
        words = classifiers.count_predictions(frame(["NA", "null"], ["NA", "None"]), **COLUMNS)
    assert words.classes == ("NA", "None", "null")


def test_costs_match_labels_by_what_is_written():
    costs, counted = classifiers.costs_of("equal-opportunity", ["1", "0"], [1.0, 0.0], positive=1)
    assert costs.tolist() == [0.0, 1.0]
    assert counted.tolist() == [True, False]
    with pytest.raises(PredictionsError, match="row 1 is missing"):
        classifiers.costs_of("equal-opportunity", ["a", None], ["a", "a"], positive="a")


def people(**columns):
    """Return a table of forty persons, with columns replaced."""
    y, p = [0, 1] * 20, [0, 1, 1, 0] * 10
    return pd.DataFrame({"y": y, "p": p, "g": ["f", "m"] * 20, **columns})


@pytest.mark.parametrize("mark", ["NA", "N/A", "null", "None", "?", "nan"])
@pytest.mark.parametrize(("column", "what"), [("g", "a group"), ("p", "a class"), ("y", "a class")])
def test_what_stands_for_a_missing_value_is_told(column, what, mark):
    """A file's texts are read as they are; pandas would have read missing values."""
    labels = people().astype(str)[column].tolist()
    with pytest.warns(DataWarning, match=f"column '{column}': 3 rows of .* count as {what} of"):
        classifiers.count_predictions(
            people(**{column: [mark, mark, mark, *labels[3:]]}), **COLUMNS
        )


@pytest.mark.filterwarnings("ignore:column 'g'.*count as a group:bayesbias.errors.DataWarning")
@pytest.mark.parametrize("odd", ["nan", "inf"])
def test_numbers_that_are_not_finite_make_no_measurements_of_codes(odd):
    """They have no fraction, and were rounded like the others."""
    counted = classifiers.count_predictions(people(g=[*"123456", odd, "7"] * 5), **COLUMNS)
    assert len(counted.groups) == 8


def test_a_class_that_is_only_predicted_is_no_slip():
    rare = classifiers.count_predictions(people(p=[0, 1, 2, 0] * 10), **COLUMNS)
    assert rare.classes == ("0", "1", "2")


@pytest.mark.parametrize(
    ("columns", "complaint"),
    [
        ({"g": ["Women", "women", "men", "men"] * 10}, "'Women' and 'women' differ only in capit"),
        ({"p": [0.1, 0.8, 0.7, 0.4] * 10}, "column 'p' has probabilities .*such as 1 from 0.5 on"),
    ],
)
def test_slips_in_labels_are_refused(columns, complaint):
    with pytest.raises(PredictionsError, match=complaint):
        classifiers.count_predictions(people(**columns), **COLUMNS)


def test_a_name_of_two_columns_is_refused():
    twice = pd.concat([people(), people()[["p"]]], axis=1)
    with pytest.raises(PredictionsError, match="predicted='p': several columns have this name"):
        classifiers.count_predictions(twice, **COLUMNS)
