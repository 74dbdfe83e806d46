"""What is said of several embeddings and times: templates have cases of their own for the words."""

import numpy as np
import pandas as pd
import pytest

from bayesbias.fits.between_groups import ZERO
from bayesbias.fits.sentences import Names, sentence
from bayesbias.studies.across_wordlists import WordlistComparison
from bayesbias.studies.several_narrator import (
    line_sentence,
    lists_sentences,
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


SIZES = {"closer": (0.21, 0.05, 0.37), "undecided": (0.1, -0.06, 0.26)}
"""How much farther a second embedding is than a first, in sd, and its interval."""


def differences(unit="sd", **verdicts):
    """Rows of pairs such as AB, `closer` being what the first is; sizes grow with each row."""
    columns = ["from", "to", "what", "verdict", "mean", "low", "high"]
    in_sds = ["standardised", "standardised_low", "standardised_high"]
    rows = []
    for place, (pair, verdict) in enumerate(verdicts.items()):
        size = SIZES.get(verdict.partition(",")[0], (0.02, -0.03, 0.07))
        size = [value + place / 100 for value in size]
        rows.append((*pair, CONTRAST, verdict, *(value / 10 for value in size), *size))
    table = pd.DataFrame(rows, columns=[*columns, *in_sds])
    return table.assign(unit=unit, prob=0.89, interval="hpdi")


@pytest.mark.parametrize(
    ("verdicts", "said"),
    [
        (
            {"AB": "closer", "AC": "undecided"},
            'It is weaker in "B", by 0.21 sd (89% HPDI 0.05 to 0.37). In "C" it is weaker than '
            'in "A", by 0.11 sd, but the 89% HPDI includes 0 (0.05 stronger up to 0.27 weaker).',
        ),
        (
            {"AB": "practically equal", "AC": "closer, size undecided"},
            'It is weaker in "C", by 0.22 sd (89% HPDI 0.06 to 0.38). It is practically as strong '
            'in "B" (89% HPDI 0.03 stronger up to 0.07 weaker).',
        ),
        (
            {"AB": "closer", "AC": "closer"},
            'It is weaker in "B", by 0.21 sd (89% HPDI 0.05 to 0.37), and in "C", by 0.22 sd '
            "(0.06 to 0.38).",
        ),
    ],
)
def test_the_first_rank_and_what_is_known_of_its_differences(verdicts, said):
    verdicts |= {"BC": "closer"}  # says nothing of A
    found = rank_sentence(ranks(0.89, 0.08, 0.03), CONTRAST, differences(**verdicts), MEN)
    assert found == f"{FIRST.format('A', '0.89')} {said}"


MEN = "words for men"
LISTS = "the association of words for men with their own attribute lists is"
FIRST = f'On average, {LISTS} strongest in the embedding "{{}}" (probability {{}}).'
UNKNOWN = f"We cannot tell in which embedding {LISTS} strongest on average."


@pytest.mark.parametrize(
    ("verdicts", "said"),
    [
        (
            {"AB": "undecided", "AC": "undecided"},
            f'{UNKNOWN} The most probable is "A" (probability 0.38). We cannot tell whether it is '
            'weaker in the others ("B": by 0.10 sd, 89% HPDI 0.06 stronger up to 0.26 weaker).',
        ),
        (
            {"AB": "practically equal", "AC": "undecided"},
            f'{UNKNOWN} In "C" it is weaker than in "A", by '
            "0.11 sd, but the 89% HPDI includes 0 (0.05 stronger up to 0.27 weaker). It is "
            'practically as strong in "B" (89% HPDI 0.03 stronger up to 0.07 weaker).',
        ),
        (
            {"AB": "practically equal", "AC": "practically equal"},
            f'On average, {LISTS} practically as strong in every embedding. "A" leads (probability '
            '0.38): in "B" it is weaker by 0.02 sd (89% HPDI 0.03 stronger up to 0.07 weaker).',
        ),
    ],
)
def test_a_first_rank_that_differs_from_none_is_no_finding(verdicts, said):
    assert rank_sentence(ranks(0.38, 0.32, 0.3), CONTRAST, differences(**verdicts), MEN) == said


def test_a_rank_that_is_nearly_sure_and_one_alone():
    """The leader may be the second of a pair; with a ROPE in distances sizes are of distances."""
    of_pair = differences(AB="closer")
    of_pair = of_pair.assign(**{"from": "B", "to": "A"}) * [1, 1, 1, 1, *[-1] * 6, 1, 1, 1]
    of_pair[["low", "high"]] = of_pair[["high", "low"]].to_numpy()
    ends = ["standardised_low", "standardised_high"]
    of_pair[ends] = of_pair[ends[::-1]].to_numpy()
    first = FIRST.format("A", "above 0.99")
    by = 'It is weaker in "B", by'
    said = rank_sentence(ranks(0.999, 0.001), CONTRAST, of_pair, MEN)
    assert said == f"{first} {by} 0.21 sd (89% HPDI 0.05 to 0.37)."
    said = rank_sentence(ranks(0.999, 0.001), CONTRAST, of_pair.assign(unit="distance"), MEN)
    assert said == f"{first} {by} 0.02 (89% HPDI 0.01 to 0.04)."
    assert rank_sentence(ranks(0.4, 0.6), CONTRAST, None, MEN) == FIRST.format("B", "0.60")
    other = ranks(0.4, 0.6).assign(contrast="human − neutral")
    assert rank_sentence(other, "human − neutral", None, MEN) == (
        "The association of human words with words for men, relative to neutral words, is "
        'strongest in "B" (probability 0.60).'
    )


def test_sizes_are_grouped_by_what_is_known():
    rows = [("A", -0.524, "closer"), ("B", -0.3, "closer, size undecided"), ("C", 0.0, "undecided")]
    table = pd.DataFrame(rows, columns=["embedding", "standardised", "verdict"])
    said = sizes_sentence(table.assign(contrast=CONTRAST), CONTRAST, "embedding")
    assert said == (
        'Relative to different words, associated words are closer by 0.52 sd in "A" and 0.30 sd in '
        '"B"; we cannot tell whether associated words are closer in "C".'
    )
    many = pd.concat(
        [table.iloc[:1].assign(standardised=-i / 10, embedding=str(i)) for i in (2, 3, 1, 4)]
    )
    said = sizes_sentence(many.assign(contrast=CONTRAST), CONTRAST, "embedding")
    assert 'closer by 0.10 to 0.40 sd in "2", "3", "1" and "4".' in said


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
    expected = tell("trend", MEN, "1900", "1920", *SIDES, state, "0.40", size=size, **told)
    times = ["1900", "1910", "1920"]
    assert line_sentence(row, MEN, times, "89%", too_few=too_few) == sentence(expected)


def test_steps_with_a_direction_are_named():
    rows = [("1", "2", "closer"), ("2", "3", "undecided"), ("3", "4", "farther, size undecided")]
    steps = pd.DataFrame(rows, columns=["from", "to", "verdict"]).assign(contrast=CONTRAST)
    assert steps_sentence(steps, CONTRAST) == (
        "Of 3 steps, words came closer in 1 (1 to 2); words moved away in 1 (3 to 4)."
    )
    assert steps_sentence(steps.iloc[1:2], CONTRAST) == "Of 1 step, none has a direction."


def chances(*rows, **more):
    """Rows of a table: what each is called, its verdict, and how often unrelated groups differ."""
    table = pd.DataFrame(rows, columns=["embedding", "verdict", "chance"])
    return table.assign(prob=0.89, standardised=-0.4, contrast=CONTRAST, **more)


NO_MORE = "this is no more than unrelated groups of words often are"


@pytest.mark.parametrize(
    ("rows", "said"),
    [
        ([("A", "closer", 0.1), ("B", "undecided", 0.5), ("C", "closer", np.nan)], ""),
        ([("A", "closer", 0.468), ("B", "undecided", 0.5)], f"But {NO_MORE}: 47% of them"),
        ([("A", "farther, size undecided", 0.3), ("B", "closer", 0.1)], f'But in "A" {NO_MORE}:'),
        (
            [("A", "closer", 0.3), ("B", "closer", 0.2), ("C", "closer", 0.1)],
            f'But in "A" and "B" {NO_MORE}. Of such groups, 20% and 30% differ as much.',
        ),
        ([("A", "closer", 0.3), ("B", "closer", 0.2)], f"But in both {NO_MORE}."),
        (
            [("A", "closer", 0.3), ("B", "closer", 0.2), ("C", "closer", 0.4)],
            f"But in all of them {NO_MORE}. Of such groups, 20% to 40% differ as much.",
        ),
        (
            [(name, "closer", 0.3) for name in "ABC"] + [("D", "closer", 0.01)],
            f"But in 3 of them {NO_MORE}. Of such groups, 30% differ as much.",
        ),
    ],
)
def test_what_unrelated_groups_often_have_is_said_to_be_no_more(rows, said):
    sizes = sizes_sentence(chances(*rows), CONTRAST, "embedding")
    assert said in sizes
    assert ("unrelated" in sizes) is bool(said)


def test_lists_times_and_steps_say_so_too():
    one = {"attribute_set": "pleasant", ZERO: False, "group": "a", "other_groups": "b"}
    names = Names(
        {"a": "flowers", "b": "insects"},
        {"pleasant": "pleasant words", "unpleasant": "unpleasant words"},
        {"a": ["pleasant"], "b": ["unpleasant"]},
        {"a": ["unpleasant"], "b": ["pleasant"]},
    )
    lists = chances(("A", "closer", 0.05), ("A", "closer", 0.25)).assign(**one)
    lists["attribute_set"] = ["pleasant", "unpleasant"]
    (said,) = lists_sentences(lists, names)
    assert said.endswith(f"But for unpleasant words {NO_MORE}: 25% of them differ as much.")
    ends = {"standardised_low": -0.7, "standardised_high": -0.1}
    (row,) = chances(("A", "closer", 0.3), **ends).to_dict("records")
    change = f"{NO_MORE.replace('often are', 'often change')}: 30% of them change as much."
    assert line_sentence(row, MEN, ["1", "2"], "89%").endswith(f" But {change}")
    steps = chances(("A", "closer", 0.3), ("B", "farther", 0.1)).assign(**{"from": [1, 2]})
    steps["to"] = [2, 3]
    assert steps_sentence(steps, CONTRAST).endswith(f"(2 to 3). But in 1 to 2 {change}")


def test_word_lists_say_so_too():
    lists = chances(("long", "closer", 0.3), ("short", "closer", 0.1), mean=-0.2, low=-0.3)
    lists = lists.rename(columns={"embedding": "wordlist"}).assign(high=-0.1, interval="hpdi")
    row = {"contrast": CONTRAST, "n_lists": 2, "smallest": -0.2, "largest": -0.2}
    table = pd.DataFrame([row | {"low": -0.3, "high": -0.1, "verdicts": "closer (2)"}])
    found = WordlistComparison(table, lists)
    assert f'But in "long" {NO_MORE}: 30% of them differ as much.' in found.headline
    assert "Chance: how often groups that are unrelated" in repr(found)
    plain = WordlistComparison(table, lists.drop(columns="chance"))
    assert "unrelated" not in repr(plain)
