"""Screens are those of the golden files, but for the last digit of numbers."""

import re

import golden
import pytest

NUMBER = re.compile(r"[-+−]?\d+(?:[.,]\d+)*")


def parts(text):
    """The text without its numbers and blanks, and the numbers."""
    numbers = [float(found.replace("−", "-").replace(",", "")) for found in NUMBER.findall(text)]
    return NUMBER.sub("#", text).split(), numbers


@pytest.mark.parametrize("name", golden.SCREENS)
def test_a_screen_is_as_it_was(name):
    today = golden.SCREENS[name]()
    before = (golden.FOLDER / f"{name}.txt").read_text(encoding="utf-8")
    words, numbers = parts(today)
    old_words, old_numbers = parts(before)
    assert words == old_words
    assert numbers == pytest.approx(old_numbers, abs=0.0015, rel=0.03)


@pytest.mark.parametrize("name", [name for name in golden.SCREENS if not name.endswith("-full")])
def test_a_first_screen_has_at_most_twenty_four_lines_of_eighty_letters(name):
    lines = (golden.FOLDER / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    assert len(lines) <= 24
    assert max(map(len, lines)) <= 80
