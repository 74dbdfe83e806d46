"""The script of the classic lists says what it computes, and draws it within the figure."""

from itertools import combinations

import pytest
from samples import load_benchmark

import bayesbias as bb

SCRIPT = load_benchmark("classics")
TABLES = load_benchmark("classics_tables")
RESULTS, _ = load_benchmark("saved_results").read("classics")


def row(**given):
    return {"verdict": "undecided", "low": -0.1, "mean": -0.05, "high": 0.01, **given}


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (row(), "undecided (0.10 closer up to 0.01 farther)"),
        (row(verdict="closer", high=-0.02), "**closer** by 0.05 (0.02 to 0.10)"),
        (
            row(verdict="farther", low=0.01, mean=0.05, high=0.1),
            "**farther** by 0.05 (0.01 to 0.10)",
        ),
        (row(verdict=float("nan"), reason="1 of 8 words of x"), "– (1 of 8 words of x)"),
    ],
)
def test_an_answer_is_said_in_its_direction(given, said):
    assert TABLES.answer(given) == said


@pytest.mark.filterwarnings("ignore::bayesbias.errors.BayesBiasWarning")
def test_rows_of_a_list():
    vectors = bb.example_embedding()
    over_all, *parts = SCRIPT.rows_of(vectors, bb.load_wordlist("gender"))
    frame = bb.distances(vectors, "gender")
    fit = bb.fit(frame, seed=1)
    first = fit.contrasts().table.iloc[0]
    assert (over_all["mean"], over_all["verdict"]) == (first["mean"], first["verdict"])
    assert over_all["weat_d"] == pytest.approx(1.75, abs=0.01)
    assert (over_all["found"], over_all["words"]) == (32, 39)
    by = fit.contrasts("list").table
    own = by[by["contrast"] == "between groups"]
    assert [part["mean"] for part in parts] == own["mean"].tolist()
    sizes = frame.drop_duplicates(["attribute_set", "attribute"])["attribute_set"].value_counts()
    assert [part["attributes"] for part in parts] == sizes[own["attribute_set"]].tolist()
    assert [part["topics"] < part["attributes"] for part in parts] == [True, True]
    (few,) = SCRIPT.rows_of(vectors, bb.load_wordlist("weat6"))
    assert few["reason"] == "0 of 8 words of female names"


@pytest.mark.parametrize(
    ("share", "said"),
    [(0.004, "<1%"), (0.1049, "10%"), (0.1051, "10.5%"), (0.1109, "11.1%"), (0.116, "12%")],
)
def test_a_chance_that_rounds_to_the_limit_shows_its_side(share, said):
    assert TABLES.chance({"chance": share}) == said


def test_every_cell_is_said_in_the_rows_own_order():
    """A shuffled result makes the same tables of a row per list."""
    shuffled = RESULTS.sample(frac=1, random_state=1)
    for say in (TABLES.answer, TABLES.chance, TABLES.in_sd):
        assert TABLES.over_all(say)(shuffled) == TABLES.over_all(say)(RESULTS)
    heads, *rows = TABLES.over_all(TABLES.words)(RESULTS)
    assert heads[1:] == list(TABLES.VECTORS)
    assert [row[0] for row in rows] == list(TABLES.LISTS.values())


@pytest.mark.parametrize("width", [3.5, 7.0])
def test_all_of_the_figure_is_within_its_width_and_no_text_covers_another(width):
    figure = SCRIPT.figure(RESULTS, width)
    figure.draw_without_rendering()  # lays it out
    box = figure.get_tightbbox()
    assert box.x0 >= 0
    assert box.x1 <= width
    (axis,) = figure.axes
    (legend,) = figure.legends
    assert len(axis.get_yticklabels()) == len(SCRIPT.LISTS)
    ticks = [*axis.get_yticklabels(), *axis.get_xticklabels()]
    boxes = [text.get_window_extent() for text in (*ticks, *legend.get_texts(), axis.xaxis.label)]
    assert not [pair for pair in combinations(boxes, 2) if pair[0].overlaps(pair[1])]
    assert not legend.get_window_extent().overlaps(axis.get_window_extent())
