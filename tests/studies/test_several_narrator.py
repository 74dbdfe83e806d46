"""What is said of several embeddings and times: templates have cases of their own for the words."""

import pandas as pd
import pytest

from bayesbias.fits.sentences import sentence
from bayesbias.studies.several_narrator import (
    line_sentence,
    rank_sentence,
    sizes_sentence,
    steps_sentence,
    tell,
)

SIDES = "associated", "different"
CONTRAST = "associated − different"


def ranks(*first):
    """Embeddings A, B, C … with these probabilities of the first rank."""
    rows = [(CONTRAST, chr(65 + i), p) for i, p in enumerate(first)]
    return pd.DataFrame(rows, columns=["contrast", "embedding", "rank_1"])


def differences(**verdicts):
    rows = [(*pair, CONTRAST, verdict) for pair, verdict in verdicts.items()]
    return pd.DataFrame(rows, columns=["from", "to", "what", "verdict"])


@pytest.mark.parametrize(
    ("verdicts", "differs", "equals", "unknown"),
    [
        ({"AB": "closer", "AC": "undecided"}, "B", "", "C"),
        ({"AB": "practically equal", "AC": "farther, size undecided"}, "C", "B", ""),
        ({"AB": "closer", "AC": "closer"}, "the others", "", ""),
        ({"AB": "undecided", "AC": "undecided"}, "", "", "the others"),
        ({"AB": "practically equal", "AC": "undecided"}, "", "B", "C"),
        ({"AB": "practically equal", "AC": "practically equal"}, "", "the others", ""),
    ],
)
def test_the_first_rank_and_what_is_known_of_its_differences(verdicts, differs, equals, unknown):
    verdicts |= {"BC": "closer"}  # says nothing of A
    found = rank_sentence(ranks(0.89, 0.08, 0.03), CONTRAST, differences(**verdicts))
    expected = tell("rank", *SIDES, "A", "0.89", differs=differs, equals=equals, unknown=unknown)
    assert found == sentence(expected)


def test_a_rank_that_is_nearly_sure_and_one_alone():
    said = rank_sentence(ranks(0.001, 0.999), CONTRAST, differences(AB="farther"))
    assert "in B (probability above 0.99); they are clearly less close in A." in said
    assert rank_sentence(ranks(0.4, 0.6), CONTRAST, None).endswith("(probability 0.60).")


def test_sizes_are_grouped_by_what_is_known():
    rows = [("A", -0.524, "closer"), ("B", -0.3, "closer, size undecided"), ("C", 0.0, "undecided")]
    table = pd.DataFrame(rows, columns=["embedding", "standardised", "verdict"])
    said = sizes_sentence(table.assign(contrast=CONTRAST), CONTRAST, "embedding")
    assert said == (
        "Relative to different words, associated words are closer by 0.52 sd in A and 0.30 sd in "
        "B; we cannot tell whether associated words are closer in C."
    )
    many = pd.concat(
        [table.iloc[:1].assign(standardised=-i / 10, embedding=str(i)) for i in (2, 3, 1, 4)]
    )
    said = sizes_sentence(many.assign(contrast=CONTRAST), CONTRAST, "embedding")
    assert "closer by 0.10 to 0.40 sd in 2, 3, 1 and 4." in said


@pytest.mark.parametrize(
    ("verdict", "ends"),
    [
        ("closer", "0.10 to 0.70"),
        ("closer, size undecided", "0.10 to 0.70"),
        ("practically equal", "0.10 to 0.70 closer"),
        ("undecided", "0.10 to 0.70 closer"),
    ],
)
@pytest.mark.parametrize("too_few", [False, True])
def test_a_line_is_said(verdict, ends, too_few):
    row = {"contrast": CONTRAST, "verdict": verdict, "standardised": -0.4}
    row |= {"standardised_low": -0.7, "standardised_high": -0.1}
    state, _, size = verdict.partition(", ")
    told = {"label": "89%", "ends": ends, "too_few": too_few}
    expected = tell("trend", "1900", "1920", *SIDES, state, "0.40", size=size, **told)
    times = ["1900", "1910", "1920"]
    assert line_sentence(row, times, "89%", too_few=too_few) == sentence(expected)


def test_steps_with_a_direction_are_named():
    rows = [("1", "2", "closer"), ("2", "3", "undecided"), ("3", "4", "farther, size undecided")]
    steps = pd.DataFrame(rows, columns=["from", "to", "verdict"]).assign(contrast=CONTRAST)
    assert steps_sentence(steps, CONTRAST) == (
        "Of 3 steps, words came closer in 1 (1 to 2); words moved away in 1 (3 to 4)."
    )
    assert steps_sentence(steps.iloc[1:2], CONTRAST) == "Of 1 step, none has a direction."
