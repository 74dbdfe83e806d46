"""The page on the classic lists is that of its results, and the script says what it computes."""

import pandas as pd
import pytest
from samples import ROOT, load_script

import bayesbias as bb

SCRIPT = load_script("benchmarks", "classics")
RESULTS = pd.read_csv(ROOT / "benchmarks" / "results" / "classics.csv")


def row(**given):
    return {"verdict": "undecided", "low": -0.1, "mean": -0.05, "high": 0.01, **given}


@pytest.mark.parametrize(
    ("given", "said"),
    [
        (row(), "undecided (0.10 closer to 0.01 farther)"),
        (row(verdict="closer", high=-0.02), "**closer** by 0.05 (0.02 to 0.10)"),
        (
            row(verdict="farther", low=0.01, mean=0.05, high=0.1),
            "**farther** by 0.05 (0.01 to 0.10)",
        ),
        (row(verdict=float("nan"), reason="1 of 8 words of x"), "– (1 of 8 words of x)"),
    ],
)
def test_an_answer_is_said_in_its_direction(given, said):
    assert SCRIPT.answer(given) == said


@pytest.mark.filterwarnings("ignore::bayesbias.errors.BayesBiasWarning")
def test_rows_of_a_list():
    vectors = bb.example_embedding()
    over_all, *parts = SCRIPT.rows_of(vectors, bb.load_wordlist("gender"))
    fit = bb.fit(bb.distances(vectors, "gender"), seed=1)
    first = fit.contrasts().table.iloc[0]
    assert (over_all["mean"], over_all["verdict"]) == (first["mean"], first["verdict"])
    assert over_all["weat_d"] == pytest.approx(1.75, abs=0.01)
    assert (over_all["found"], over_all["words"]) == (32, 39)
    assert len(parts) == 2
    (few,) = SCRIPT.rows_of(vectors, bb.load_wordlist("weat6"))
    assert few["reason"] == "0 of 8 words of female names"


def test_the_page_has_the_tables_of_its_results():
    """python benchmarks/classics.py --drawn writes both."""
    page = (ROOT / "docs" / "classics.md").read_text(encoding="utf-8")
    for name, table in SCRIPT.tables(RESULTS).items():
        saved = pd.read_csv(ROOT / "benchmarks" / "results" / f"{name}.csv", dtype=str)
        pd.testing.assert_frame_equal(saved, table.astype(saved.dtypes.to_dict()))
        part = page.partition(f"<!-- numbers: {name} -->\n")[2].partition("\n<!-- /numbers -->")[0]
        lines = [[cell.strip() for cell in line.strip("|").split("|")] for line in part.split("\n")]
        assert lines[0] == list(table.columns)
        assert lines[2:] == table.to_numpy().tolist()


@pytest.mark.parametrize("width", [3.5, 7.0])
def test_all_of_the_figure_is_within_its_width(width):
    figure = SCRIPT.figure(RESULTS, width)
    figure.draw_without_rendering()  # lays it out
    box = figure.get_tightbbox()
    assert box.x0 >= 0
    assert box.x1 <= width
    axis = figure.axes[0]
    assert len(axis.get_yticklabels()) == len(SCRIPT.LISTS)
