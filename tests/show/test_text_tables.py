"""What is shown: screens as they were, nothing hidden, numbers as they are known."""

import unicodedata

import golden
import numpy as np
import pandas as pd
import pytest
from rich.cells import cell_len
from samples import parts

from bayesbias.errors import counted
from bayesbias.show import result
from bayesbias.show.narrator import Names, by_list
from bayesbias.show.result import Column, Table, as_text, format_value, printable


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
    lines = [r"wo\nrd      n", r"two\nlines  1", r"x\u202ey    2"]
    assert as_text([table]).splitlines() == lines


def test_probabilities_keep_their_decimals():
    usual = [0.5, 0.8, 0.89, 0.9, 0.95, 0.99, 1 - 0.89, 1 - 0.95, 1 - 0.9]
    assert [result.percent(p) for p in usual] == [f"{p:.0%}" for p in usual]
    assert [result.percent(p) for p in (0.975, 0.999, 1 - 0.999)] == ["97.5%", "99.9%", "0.1%"]


@pytest.mark.parametrize(
    ("directions", "sentence"),
    [
        (("closer", "closer"), ""),
        (("undecided", "undecided"), "No list by itself tells a direction."),
        (("undecided",) * 3, "No list by itself tells a direction."),
        (
            ("closer", "farther", "undecided"),
            "List by list a direction can be told for the list 'a', the other way round for the "
            "list 'b', not for the list 'c'.",
        ),
    ],
)
def test_lists_alone_are_told_beside_the_finding_over_all(directions, sentence):
    rows = [
        ("over all", "", "closer"),
        *(("list", n, d) for n, d in zip("abc", directions, strict=False)),
    ]
    table = pd.DataFrame(rows, columns=["level", "list", "direction"]).assign(withheld="")
    of_nobody = {"level": "list", "list": "d", "direction": "farther", "withheld": ""}
    table = pd.concat([table, pd.DataFrame([of_nobody])], ignore_index=True)
    assert by_list(table, Names({}, (), (), ("a", "b", "c"))) == sentence


def test_one_is_singular():
    numbers = [counted(n, "word") for n in (0, 1, 2, 1500)]
    assert numbers == ["0 words", "1 word", "2 words", "1,500 words"]


def test_what_rounds_to_nothing_has_no_sign():
    values = (0.05, -0.0501, 0.0004, -0.0004, 0.0, -0.0, np.inf, -np.inf)
    texts = ["+0.050", "-0.050", "0.000", "0.000", "0.000", "0.000", "+inf", "-inf"]
    assert [format_value(value, "signed") for value in values] == texts
    of_forms = {"+.4f": "0.0000", "+.1f": "0.0", "percent": "0%", "fine": "0.0000"}
    assert {form: format_value(-0.00002, form) for form in of_forms} == of_forms


def decided(name: str = "associated − different") -> Table:
    rows = [
        (name, -0.05, -0.0522, -0.1, 0.02, 0.004, "closer, size undecided"),
        ("human − neutral", None, -0.00001, None, None, 1.0, "undecided"),
    ]
    names = ["contrast", "observed", "mean", "low", "high", "share", "verdict"]
    frame = pd.DataFrame(rows, columns=names)
    columns = [
        "contrast",
        Column("observed", form="signed", drop_priority=1),
        Column("mean", form="signed"),
        result.interval_column("89% HPDI"),
        Column("share", "in ROPE", "share", drop_priority=2),
        "verdict",
    ]
    return Table(frame, columns)


def test_a_column_carries_its_form():
    assert as_text([decided()]).splitlines() == [
        "contrast                observed    mean          89% HPDI  in ROPE  verdict",
        "associated − different    -0.050  -0.052  -0.100 to +0.020     0.4%  closer, size "
        "undecided",
        "human − neutral                –   0.000                 –   100.0%  undecided",
    ]


def test_a_wide_table_gives_up_columns_in_their_order_and_says_so():
    lost = {n: as_text([decided("a" * n)]).splitlines()[-1] for n in (31, 32, 42)}
    assert lost[31].startswith("human")
    assert lost[32] == "(too narrow for: in ROPE)"
    assert lost[42] == "(too narrow for: observed, in ROPE)"


def test_wide_letters_keep_columns_in_line():
    table = Table(pd.DataFrame({"word": ["釘", "nail", "e\u0301"], "n": [1, 2, 3]}))
    assert {cell_len(line) for line in as_text([table]).splitlines()} == {7}


@pytest.mark.parametrize(
    ("value", "form", "said"),
    [
        (1.0, "probability", ">0.999"),
        (0.0, "probability", "<0.001"),
        (0.9994, "probability", "0.999"),
        (0.9997, "probability", ">0.999"),
        (0.024, "probability", "0.024"),
        (np.nan, "probability", ""),
    ],
)
def test_what_draws_estimate_is_never_certain(value, form, said):
    assert format_value(value, form) == said


@pytest.mark.parametrize("name", golden.SCREENS)
def test_a_screen_is_as_it_was_and_a_first_one_has_at_most_24_lines_of_80_letters(name):
    before = (golden.FOLDER / f"{name}.txt").read_text(encoding="utf-8")
    (words, numbers), (old_words, old_numbers) = map(parts, (golden.SCREENS[name](), before))
    assert words == old_words
    expected = pytest.approx([float(n) for n in old_numbers], abs=0.0015, rel=0.03)
    assert [float(n) for n in numbers] == expected
    if not name.endswith("-full"):
        lines = before.splitlines()
        assert len(lines) <= 24
        assert max(map(len, lines)) <= 80
