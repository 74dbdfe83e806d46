"""Sentences from templates."""

import subprocess
import sys

import pytest
from jinja2 import UndefinedError

from bayesbias.support.wording import Wording

tell = Wording("bayesbias.fits", "sentences.jinja")


def test_a_break_of_the_template_is_a_space_and_words_keep_theirs():
    said = tell("undecided_groups", ["her\nself", "him"], "a", "b", alone=True)
    assert said == "for her\nself and him we cannot tell whether they are closer to a or to b"
    assert tell("between", "closer", "X", "Y", "A", "0.1") == "X are closer than Y to A, by 0.1"


def test_a_macro_refuses_what_it_lacks_and_what_it_does_not_know():
    with pytest.raises(UndefinedError, match="lists"):
        tell("between", "closer", "X", "Y")
    with pytest.raises(TypeError, match="colour"):
        tell("other_lists", 1, colour="red")


def test_jinja_is_imported_with_the_first_sentence():
    code = (
        "import sys, bayesbias.fits.first_screen as f; assert 'jinja2' not in sys.modules; "
        "f.tell('closer'); assert 'jinja2' in sys.modules"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
