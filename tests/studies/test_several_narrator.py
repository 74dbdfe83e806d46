"""What is said of several embeddings and times."""

import pandas as pd
import pytest

from bayesbias.studies.several_narrator import (
    line_sentence,
    rank_sentence,
    sizes_sentence,
    steps_sentence,
)

CONTRAST = "associated − different"


def ranks(*first):
    """Embeddings A, B, C … with these probabilities of the first rank."""
    rows = [(CONTRAST, chr(65 + i), p) for i, p in enumerate(first)]
    return pd.DataFrame(rows, columns=["contrast", "embedding", "rank_1"])


def differences(**verdicts):
    rows = [(*pair, CONTRAST, verdict) for pair, verdict in verdicts.items()]
    return pd.DataFrame(rows, columns=["from", "to", "what", "verdict"])


@pytest.mark.parametrize(
    ("verdicts", "said"),
    [
        (
            {"AB": "closer", "AC": "undecided"},
            "; they are clearly less close in B; we cannot tell whether they are less close in C.",
        ),
        (
            {"AB": "practically equal", "AC": "farther, size undecided"},
            "; they are clearly less close in C and practically as close in B.",
        ),
        ({"AB": "closer", "AC": "closer"}, "; they are clearly less close in the others."),
    ],
)
def test_the_first_rank_and_what_is_known_of_its_differences(verdicts, said):
    verdicts |= {"BC": "closer"}  # says nothing of A
    found = rank_sentence(ranks(0.89, 0.08, 0.03), CONTRAST, differences(**verdicts))
    where = "Words are closest to their own attribute lists, compared with the others, in A"
    assert found.startswith(f"{where} (probability 0.89); ")
    assert said in found


@pytest.mark.parametrize(
    ("verdicts", "said"),
    [
        (
            {"AB": "undecided", "AC": "undecided"},
            "We cannot tell where words are closest to their own attribute lists, compared with "
            "the others: A leads (probability 0.38). But a tie with the others "
            "is possible: the interval of the lead contains 0.",
        ),
        (
            {"AB": "practically equal", "AC": "undecided"},
            "We cannot tell where words are closest to their own attribute lists, compared with "
            "the others: A leads (probability 0.38). But a tie with C "
            "is possible: the interval of the lead contains 0. They are practically as close in B.",
        ),
        (
            {"AB": "practically equal", "AC": "practically equal"},
            "Words are practically as close to their own attribute lists, compared with the "
            "others, everywhere: A leads (probability 0.38).",
        ),
    ],
)
def test_a_first_rank_that_differs_from_none_is_no_finding(verdicts, said):
    assert rank_sentence(ranks(0.38, 0.32, 0.3), CONTRAST, differences(**verdicts)) == said


def test_a_rank_that_is_nearly_sure_and_one_alone():
    said = rank_sentence(ranks(0.001, 0.999), CONTRAST, differences(AB="farther"))
    where = "Words are closest to their own attribute lists, compared with the others, in B"
    assert said == f"{where} (probability above 0.99); they are clearly less close in A."
    assert rank_sentence(ranks(0.4, 0.6), CONTRAST, None).endswith("(probability 0.60).")
    other = ranks(0.4, 0.6).assign(contrast="human − neutral")
    assert rank_sentence(other, "human − neutral", None) == (
        "Human words are closest, compared with neutral words, in B (probability 0.60)."
    )


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
    ("verdict", "said"),
    [
        (
            "closer",
            "came closer to their own attribute lists, compared with the others, by 0.40 sd (89% "
            "interval 0.10 to 0.70)",
        ),
        ("closer, size undecided", "perhaps too little to matter."),
        ("practically equal", "practically stayed as close to their own attribute lists"),
        ("undecided", "we cannot tell whether words came closer to their own attribute lists"),
    ],
)
def test_a_line_is_said(verdict, said):
    row = {"contrast": CONTRAST, "verdict": verdict, "standardised": -0.4}
    row |= {"standardised_low": -0.7, "standardised_high": -0.1}
    found = line_sentence(row, ["1900", "1910", "1920"], "89% interval")
    assert found.startswith("From 1900 to 1920 ")
    assert said in found
    few = line_sentence(row, ["1900", "1910", "1920"], "89% interval", too_few=True)
    assert ("too few to tell" in few) == (verdict in ("undecided", "practically equal"))


def test_steps_with_a_direction_are_named():
    rows = [("1", "2", "closer"), ("2", "3", "undecided"), ("3", "4", "farther, size undecided")]
    steps = pd.DataFrame(rows, columns=["from", "to", "verdict"]).assign(contrast=CONTRAST)
    assert steps_sentence(steps, CONTRAST) == (
        "Of 3 steps, words came closer in 1 (1 to 2); words moved away in 1 (3 to 4)."
    )
    assert steps_sentence(steps.iloc[1:2], CONTRAST) == "Of 1 step, none has a direction."
