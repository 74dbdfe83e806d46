"""What is shown: nothing hidden, and one word in the singular."""

import unicodedata
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from bayesbias.support.rendering import as_html
from bayesbias.support.text_tables import (
    BULLET,
    Column,
    Table,
    as_text,
    cells,
    counted,
    format_value,
    interval_column,
    percent,
    plain_table,
    printable,
    typeset,
    verdict_shown,
)


def test_every_control_and_format_character_is_written_out():
    letters = [chr(i) for i in range(0x110000)]
    hidden = [c for c in letters if unicodedata.category(c) in ("Cc", "Cf", "Cs", "Zl", "Zp")]
    assert len(hidden) > 2_000
    shown = [c for c in hidden if printable(c, lines=False) == c]
    # Signs of Arabic, Indic and Egyptian scripts and of shorthand and music that are seen.
    assert all(unicodedata.category(c) == "Cf" for c in shown)
    assert not [c for c in shown if unicodedata.bidirectional(c) not in ("AN", "L", "AL", "BN")]
    names = " ".join(unicodedata.name(c) for c in shown)
    assert "ZERO WIDTH" not in names
    assert "DIRECTION" not in names


@pytest.mark.parametrize(
    "text",
    [
        *("naïve – ±0.05 × 2", "釘 鎚", "أهل", "e\u0301", "👩\u200d🔬"),
        *("\u0645\u06cc\u200c\u0634\u0648\u062f", "a\u00a0b"),
    ],
)
def test_what_can_be_seen_stays(text):
    assert printable(text) == text


def test_layout_stays_outside_words_only():
    assert printable("a\n\tb") == "a\n\tb"
    assert printable("a\n\tb", lines=False) == r"a\n\tb"
    assert printable("he\u200c, s\u200dhe") == r"he\u200c, s\u200dhe"
    assert printable("\ud800") == r"\ud800"
    table = Table(pd.DataFrame({"wo\nrd": ["two\nlines", "x\u202ey"], "n": [1, 2]}))
    assert plain_table(table).splitlines() == [r"wo\nrd      n", r"two\nlines  1", r"x\u202ey    2"]


def test_probabilities_keep_their_decimals():
    usual = [0.5, 0.8, 0.89, 0.9, 0.95, 0.99, 1 - 0.89, 1 - 0.95, 1 - 0.9]
    assert [percent(p) for p in usual] == [f"{p:.0%}" for p in usual]
    assert [percent(p) for p in (0.975, 0.999, 1 - 0.999)] == ["97.5%", "99.9%", "0.1%"]


def test_one_is_singular():
    assert [counted(n, "word") for n in (0, 1, 2, 1500)] == [
        "0 words",
        "1 word",
        "2 words",
        "1,500 words",
    ]


def test_a_verdict_on_the_edge_has_its_numbers():
    row = {"verdict": "closer", "low": -0.2, "high": -0.0109, "rope": 0.0102, "on_edge": True}
    numbers = "ends at −0.0109, near −0.0102"
    assert verdict_shown(SimpleNamespace(**row)) == f"closer (on the edge: {numbers})"
    zero = {**row, "high": 0.0001}
    assert verdict_shown(SimpleNamespace(**zero)).endswith("ends at 0.0001, near 0)")
    assert verdict_shown(SimpleNamespace(**{**row, "on_edge": False})) == "closer"


def test_between_embeddings_the_ends_are_in_sds():
    row = {"verdict": "closer", "low": -0.2, "high": -0.01, "rope": 0.1, "on_edge": True}
    in_sds = {"unit": "sd", "standardised_low": -2.0, "standardised_high": -0.1001}
    told = verdict_shown(SimpleNamespace(**row, **in_sds))
    assert told == "closer (on the edge: ends at −0.1001, near −0.1000)"


def test_what_rounds_to_nothing_has_no_sign():
    values = (0.05, -0.0501, 0.0004, -0.0004, 0.0, -0.0, np.inf, -np.inf)
    said = ["+0.050", "−0.050", "0.000", "0.000", "0.000", "0.000", "+inf", "−inf"]
    assert [typeset(value, "signed") for value in values] == said
    of_forms = {"sds": "0.00", "+.4f": "0.0000", "+.1f": "0.0", "percent": "0%", "fine": "0.0000"}
    assert {form: typeset(-0.00002, form) for form in of_forms} == of_forms


def decided() -> Table:
    frame = pd.DataFrame(
        {
            "contrast": ["associated − different", "human − neutral"],
            "listed": [-0.05, None],
            "mean": [-0.0522, -0.00001],
            "low": [-0.1, None],
            "high": [0.02, None],
            "share": [0.004, 1.0],
            "ess": [4000, 12],
            "verdict": ["closer, size undecided (on the edge)", "undecided"],
        }
    )
    columns = [
        "contrast",
        Column("listed", form="signed", drop_priority=1),
        Column("mean", form="signed"),
        interval_column("89% HPDI"),
        Column("share", "in ROPE", "share", drop_priority=2),
        Column("ess", form="count", detail=True),
        Column("verdict", form="verdict"),
    ]
    return Table(frame, columns)


def test_a_column_carries_its_form():
    assert plain_table(decided()).splitlines() == [
        "contrast                listed    mean          89% HPDI  in ROPE  verdict",
        "associated − different  -0.050  -0.052  -0.100 to +0.020     0.4%  closer, size undecided "
        "(on the edge)",
        "human − neutral              –   0.000                 –   100.0%  undecided",
    ]


def test_a_narrow_table_gives_up_columns_in_their_order_and_says_so():
    gone = {width: plain_table(decided(), width=width).splitlines()[-1] for width in (103, 102, 90)}
    assert gone[103].startswith("human")
    assert gone[102] == "(too narrow for: in ROPE)"
    assert gone[90] == "(too narrow for: listed, in ROPE)"


def test_words_wrap_where_giving_up_columns_is_not_enough():
    assert plain_table(decided(), width=60, rule="─").splitlines() == [
        "contrast            mean          89% HPDI  verdict",
        "────────────────  ──────  ────────────────  ────────────────",
        "associated −      -0.052  -0.100 to +0.020  closer, size",
        " different                                   undecided (on",
        "                                             the edge)",
        "human − neutral    0.000                 –  undecided",
        "(too narrow for: listed, in ROPE)",
    ]


def test_a_very_narrow_table_has_two_lines_a_row():
    assert plain_table(decided(), width=30).splitlines() == [
        *("associated − different", "  mean -0.052; 89% HPDI -0.100"),
        *("  to +0.020; verdict closer,", "  size undecided (on the edge)", "human − neutral"),
        *("  mean 0.000; 89% HPDI –;", "  verdict undecided", "(too narrow for: listed, in"),
        "ROPE)",
    ]


def test_names_numbers_intervals_and_verdicts_are_there_at_every_width():
    for width in range(24, 140):
        text = plain_table(decided(), width=width)
        assert max(map(cells, text.splitlines())) <= width
        for part in ("different", "-0.052", "-0.100", "+0.020", "undecided", "neutral", "edge)"):
            assert part in text


def test_wide_letters_keep_columns_in_line():
    table = Table(pd.DataFrame({"word": ["釘", "nail", "e\u0301"], "n": [1, 2, 3]}))
    assert {cells(line) for line in plain_table(table).splitlines()} == {7}


def test_the_ends_of_an_interval_stand_apart_on_a_page():
    columns = decided().page_columns
    assert [c.head for c in columns][3:7] == ["low", "high", "in ROPE", "ess"]
    assert [c.text_of(decided().rows[0]) for c in columns][3:5] == ["-0.100", "+0.020"]


def test_items_are_a_list_in_notebooks_and_lines_in_text():
    blocks = ["What", f"{BULLET}one & two", f"{BULLET}{'word ' * 30}", "then"]
    body = as_html(blocks)
    assert body.count("<ul>") == body.count("</ul>") == 1
    assert "<ul><li>one &amp; two</li><li>word word" in body
    assert body.index("</ul>") < body.index("<p>then</p>")
    lines = as_text(blocks).splitlines()
    assert lines[1] == "  - one & two"
    assert lines[2].startswith("  - word")
    assert lines[3].startswith("    word")
    assert max(map(len, lines)) <= 96


@pytest.mark.parametrize(
    ("value", "form", "said"),
    [
        (1.0, "probability", ">0.999"),
        (0.0, "probability", "<0.001"),
        (0.9994, "probability", "0.999"),
        (0.0006, "probability", "<0.001"),
        (0.9997, "probability", ">0.999"),
        (0.5, "probability", "0.500"),
        (0.0, "likely", "<0.1%"),
        (1.0, "likely", ">99.9%"),
        (0.024, "likely", "2.4%"),
        (np.nan, "likely", ""),
    ],
)
def test_what_draws_estimate_is_never_certain(value, form, said):
    assert format_value(value, form) == said
