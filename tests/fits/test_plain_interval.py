"""The t-interval of plain means: numbers by hand, and a published formula where it has to agree."""

import dataclasses
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from scipy.stats import t, ttest_ind

import bayesbias as bb
from bayesbias.fits.checks import ONE_TOPIC, plain_t_interval
from bayesbias.models.design import Design


def frame_of(tables, topics=None):
    """Return the frame of distances by group, {group: (n_words, 4)}: lists a and b, two each."""
    rows = []
    for group, table in tables.items():
        for i, row in enumerate(table):
            for j, distance in enumerate(row):
                own = "ab"[j // 2]
                connection = "associated" if own == group[-1] else "different"
                word = f"{group}{i}", group, f"{own}{j}", own, connection, distance
                rows.append((*word, f"t{j}" if topics is None else topics[j]))
    names = ["protected_word", "group", "attribute", "attribute_set", "connection"]
    return pd.DataFrame(rows, columns=[*names, "cosine_distance", "topic"])


OF_A = np.array([[0.8, 0.9, 1.0, 1.2], [0.7, 0.8, 1.1, 1.1]])
OF_B = np.array([[1.0, 1.1, 0.9, 0.8], [1.2, 1.1, 0.6, 0.9]])


def interval_of(tables, topics=None):
    frame = frame_of(tables, topics)
    design = Design(frame, dataclasses.replace(bb.load_model("paper"), terms=()))
    table = plain_t_interval(SimpleNamespace(frame=frame, design=design))  # all that it reads
    return table.set_index(["level", "list", "group"])


def test_two_lists_of_two_groups_by_hand():
    row = interval_of({"of_a": OF_A, "of_b": OF_B}).loc["over all", "", ""]
    # Mean of a's words on a less b's on a, and b's on b less a's on b: (−.3 − .3) / 2.
    assert row["observed"] == pytest.approx(-0.3)
    # Weights ±½, so that every group and every list has the size 1: scores are halved differences.
    of_words = np.array([[-0.125, -0.175], [-0.1, -0.2]])  # own − other list, halved
    of_topics = np.array([[-0.175, -0.125], [-0.15, -0.15]])  # own − other group, halved
    v_words = ((of_words - of_words.mean(1, keepdims=True)) ** 2).sum() / 2
    v_topics = ((of_topics - of_topics.mean(1, keepdims=True)) ** 2).sum() / 2
    assert v_words == pytest.approx(0.003125)
    assert v_topics == pytest.approx(0.000625)
    variance = v_words, v_topics  # times Σ a² / n = ½ + ½, and Σ b² Σ p² = ½ + ½
    assert row["sd"] == pytest.approx(np.sqrt(sum(variance)))
    degrees = sum(variance) ** 2 / (variance[0] ** 2 / 2 + variance[1] ** 2 / 2)
    assert row["degrees"] == pytest.approx(degrees)
    reach = t.ppf(0.945, degrees) * row["sd"]
    assert (row["low"], row["high"]) == pytest.approx((-0.3 - reach, -0.3 + reach))


def test_where_topics_do_not_vary_it_is_students_interval_of_words():
    words = np.array([0.8, 0.7, 0.95]), np.array([1.0, 1.2, 1.05, 0.9])
    tables = [own[:, None] * np.array([1.0, 1.0, 1.1, 1.1]) for own in words]
    rows = interval_of({"of_a": tables[0], "of_b": tables[1]})
    result = ttest_ind(*words).confidence_interval(0.89)
    row = rows.loc["list", "a", "of_a"]
    assert (row["low"], row["high"]) == pytest.approx(tuple(result), abs=1e-12)
    assert row["degrees"] == pytest.approx(5)


def test_what_cannot_be_told_is_withheld_with_its_reason():
    rows = interval_of({"of_a": OF_A, "of_b": OF_B}, topics="xxyy")
    assert (rows["withheld"] == ONE_TOPIC).all()
    assert rows[["low", "high"]].isna().all(axis=None)
    alone = interval_of({"of_a": OF_A[:1], "of_b": OF_B})
    others = alone.loc["group", "", "of_b"]
    assert others["withheld"] == ""
    assert np.isfinite(others["low"])
    alone = alone.drop(("group", "", "of_b"))
    assert alone["withheld"].str.startswith("one word of 'of_a'").all()
    assert alone[["low", "high"]].isna().all(axis=None)
