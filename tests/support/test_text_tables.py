"""What is shown: nothing hidden, and one word in the singular."""

import unicodedata

import pandas as pd
import pytest

from bayesbias.support.text_tables import counted, percent, plain_table, printable


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
        "naïve – ±0.05 × 2",
        "釘 鎚",
        "أهل",
        "e\u0301",
        "👩\u200d🔬",
        "\u0645\u06cc\u200c\u0634\u0648\u062f",
        "a\u00a0b",
    ],
)
def test_what_can_be_seen_stays(text):
    assert printable(text) == text


def test_layout_stays_outside_words_only():
    assert printable("a\n\tb") == "a\n\tb"
    assert printable("a\n\tb", lines=False) == r"a\n\tb"
    assert printable("he\u200c, s\u200dhe") == r"he\u200c, s\u200dhe"
    assert printable("\ud800") == r"\ud800"
    table = plain_table(pd.DataFrame({"wo\nrd": ["two\nlines", "x\u202ey"], "n": ["1", "2"]}))
    assert table.splitlines() == [r"wo\nrd      n", r"two\nlines  1", r"x\u202ey    2"]


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
