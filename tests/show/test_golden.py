"""Screens are those of the golden files, but for the last digit of numbers."""

import golden
import pytest
from samples import parts


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
