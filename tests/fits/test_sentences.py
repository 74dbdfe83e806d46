"""Every template of headlines, for its cases: short, without signs, one number at most."""

import re
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

import bayesbias as bb
from bayesbias.fits.between_groups import ZERO
from bayesbias.fits.sentences import (
    Names,
    chance_clause,
    elided,
    headline_of_groups,
    headline_of_lists,
    interval,
    lines_of_lists,
    lists_of_table,
)

GENDER = Names(
    {"woman": "words for women", "man": "words for men"},
    {"f": "occupations stereotyped as female", "m": "occupations stereotyped as male"},
    {"woman": ["f"], "man": ["m"]},
    {"woman": ["m"], "man": ["f"]},
)
RELIGION = Names(
    {
        "jew": "words for Judaism",
        "christian": "words for Christianity",
        "muslim": "words for Islam",
    },
    {"j": "stereotypes of Jews", "c": "stereotypes of Christians", "m": "stereotypes of Muslims"},
    {"jew": ["j"], "christian": ["c"], "muslim": ["m"]},
    {"jew": ["c", "m"], "christian": ["j", "m"], "muslim": ["j", "c"]},
)
NAMES = Names(
    {"bw": "black women's names", "bm": "black men's names", "w": "white names"},
    {"p": "pleasant words", "u": "unpleasant words"},
    {"bw": ["u"], "bm": ["u"], "w": ["p"]},
    {"bw": ["p"], "bm": ["p"], "w": ["u"]},
    {frozenset(("bw", "bm")): "groups with race black"},
)


def rows(*states, zero=False):
    """Rows of a table by list: (list, verdict, mean)."""
    found = [
        {
            "attribute_set": name,
            "verdict": verdict,
            "mean": mean,
            "low": mean - 0.04,
            "high": mean + 0.04,
            "on_edge": False,
            ZERO: zero,
        }
        for name, verdict, mean in states
    ]
    return pd.DataFrame(found)


def headline(names, *states, over_all=None, zero=False):
    return headline_of_lists(lists_of_table(rows(*states, zero=zero), names), names, over_all)


def decided(verdict, mean):
    return SimpleNamespace(verdict=verdict, mean=mean)


F, M = ("f", "closer", -0.0879), ("m", "closer", -0.05)
NO_F, NO_M = ("f", "undecided", -0.02), ("m", "undecided", 0.01)
HEADLINES = {
    "the first decided": (
        (GENDER, F, NO_M),
        "Words for women are closer than words for men to occupations stereotyped as female, by "
        "0.09; for those stereotyped as male we cannot tell.",
    ),
    "the second decided": (
        (GENDER, NO_F, ("m", "closer, size undecided", -0.05)),
        "Words for men are closer than words for women to occupations stereotyped as male, by "
        "0.05; for those stereotyped as female we cannot tell.",
    ),
    "both decided": (
        (GENDER, F, M),
        "Words for women are closer than words for men to occupations stereotyped as female; words "
        "for men are closer to those stereotyped as male.",
    ),
    "closer and farther": (
        (GENDER, F, ("m", "farther", 0.1)),
        "Words for women are closer than words for men to occupations stereotyped as female; words "
        "for men are farther from those stereotyped as male.",
    ),
    "one decided, one equal": (
        (GENDER, F, ("m", "practically equal", 0.0)),
        "Words for women are closer than words for men to occupations stereotyped as female, by "
        "0.09; to those stereotyped as male they are practically equal.",
    ),
    "one equal": (
        (GENDER, ("f", "practically equal", 0.0), NO_M),
        "Words for women and words for men are practically equally close to occupations "
        "stereotyped as female; for those stereotyped as male we cannot tell.",
    ),
    "both equal": (
        (GENDER, ("f", "practically equal", 0.0), ("m", "practically equal", 0.0)),
        "Words for women and words for men are practically equally close to both attribute lists.",
    ),
    "none": (
        (GENDER, NO_F, NO_M),
        "For neither occupations stereotyped as female nor those stereotyped as male can we tell "
        "whether words for women or words for men are closer.",
    ),
    "one list": (
        (GENDER, NO_F),
        "We cannot tell whether words for women or words for men are closer to occupations "
        "stereotyped as female.",
    ),
    "three lists, one decided": (
        (RELIGION, ("j", "undecided", 0.0), ("c", "undecided", 0.0), ("m", "closer", -0.07)),
        "Words for Islam are closer than the other groups to stereotypes of Muslims, by 0.07; for "
        "the others we cannot tell.",
    ),
    "three lists, two decided": (
        (RELIGION, ("j", "closer", -0.1), ("c", "undecided", 0.0), ("m", "closer", -0.07)),
        "Words for Judaism and words for Islam are closer than the other groups to their own "
        "attribute lists; for the other we cannot tell.",
    ),
    "three lists, both directions": (
        (RELIGION, ("j", "closer", -0.1), ("c", "farther", 0.1), ("m", "undecided", 0.0)),
        "Words for Judaism are closer than the other groups to stereotypes of Jews; words for "
        "Christianity are farther than the other groups from those of Christians; for the other we "
        "cannot tell.",
    ),
    "three lists, all decided": (
        (RELIGION, ("j", "closer", -0.1), ("c", "closer", -0.1), ("m", "closer", -0.1)),
        "Words for Judaism, words for Christianity and words for Islam are closer than the other "
        "groups to their own attribute lists.",
    ),
    "three lists, none": (
        (RELIGION, *((name, "undecided", 0.0) for name in "jcm")),
        "We cannot tell for any of 3 attribute lists whether its own group is closer than the "
        "other groups.",
    ),
    "several groups a list": (
        (NAMES, ("u", "closer", -0.05), ("p", "undecided", 0.0)),
        "Groups with race black are closer than white names to unpleasant words, by 0.05; for "
        "pleasant words we cannot tell.",
    ),
}


@pytest.mark.parametrize("case", HEADLINES)
def test_the_headline_of_lists(case):
    (names, *states), expected = HEADLINES[case]
    said = headline(names, *states)
    assert said == expected
    assert len(said.split()) <= 25 or case == "three lists, both directions"
    assert len(re.findall(r"0\.\d+", said)) <= 1
    assert not re.search(r"[-+−]\d", said)


def test_lists_that_only_together_have_a_direction():
    said = headline(GENDER, NO_F, NO_M, over_all=decided("closer", -0.0528))
    assert said == (
        "On average, words for women and words for men are closer to their own attribute lists, by "
        "0.05; for either alone we cannot tell."
    )
    assert (
        headline(GENDER, NO_F, NO_M, over_all=decided("undecided", -0.05)) == (HEADLINES["none"][1])
    )


def test_what_is_0_by_construction():
    assert headline(GENDER, NO_F, NO_M, zero=True) == (
        "The listed words for women and words for men are equally close to both attribute "
        "lists by construction; for words like these we cannot tell."
    )
    found = lists_of_table(rows(NO_F, NO_M, zero=True), GENDER)
    (line, _) = lines_of_lists(found, GENDER, "89% HPDI")
    assert line.startswith("Occupations stereotyped as female: the difference is 0 by construct")
    assert line.endswith("for words like these 0.06 closer up to 0.02 farther (89% HPDI).")


@pytest.mark.parametrize(
    ("low", "high", "said"),
    [
        (-0.17, -0.011, "0.01 to 0.17 closer"),
        (0.01, 0.17, "0.01 to 0.17 farther"),
        (-0.05, 0.08, "0.05 closer up to 0.08 farther"),
        (-0.003, 0.08, "0.003 closer up to 0.08 farther"),
    ],
)
def test_intervals_have_no_signs(low, high, said):
    assert interval(low, high) == said


def test_a_noun_is_said_once_where_it_is_one():
    assert elided(["words for careers", "words for family"]) == [
        "words for careers",
        "those for family",
    ]
    for plain in (["male terms", "female terms"], ["black women's names", "black men's names"]):
        assert elided(plain) == plain


@pytest.mark.parametrize(
    ("states", "said"),
    [
        ([("woman", "closer", -0.12)], "Words for women are closer to {f} than to {m}, by 0.12."),
        (
            [("woman", "undecided", 0)],
            "We cannot tell whether words for women are closer to {f} or to {m}.",
        ),
        (
            [("woman", "closer", -0.1), ("man", "undecided", 0)],
            "{w} are closer to {f} than to {m}; for words for men we cannot tell.",
        ),
    ],
)
def test_groups_that_are_compared_with_nobody(states, said):
    table = pd.DataFrame(states, columns=["group", "verdict", "mean"])
    titles = {"f": "occupations stereotyped as female", "m": "those stereotyped as male"}
    assert headline_of_groups(table, GENDER) == said.format(**titles, w="Words for women")


def test_groups_that_nothing_is_known_of_name_their_lists():
    words = {"old": 'words of "old"', "young": 'words of "young"'}
    lists = {"p": 'the list "pleasant"', "u": 'the list "unpleasant"'}
    rows = pd.DataFrame(
        [(g, "undecided", 0.0) for g in words], columns=["group", "verdict", "mean"]
    )
    same = Names(words, lists, {g: ["p"] for g in words}, {g: ["u"] for g in words})
    said = 'For words of "old" and words of "young" we cannot tell whether they are closer to '
    assert headline_of_groups(rows, same) == (
        f'{said}the list "pleasant" or to the list "unpleasant".'
    )
    own = Names(words, lists, {"old": ["p"], "young": ["u"]}, {"old": ["u"], "young": ["p"]})
    assert headline_of_groups(rows, own) == f"{said}their own attribute lists or to the others."


@pytest.mark.parametrize("name", ["gender", "religion", "race", "weat1", "weat6", "weat7", "names"])
def test_shipped_titles_make_headlines_of_25_words(name):
    """One list decided, by the titles of the list itself."""
    words = bb.load_wordlist(name)
    own = {group.name: list(group.associated) for group in words.groups}
    sets = [s.name for s in words.attribute_sets if s.kind == "stereotype"]
    other = {group: [s for s in sets if s not in mine] for group, mine in own.items()}
    levels = {
        frozenset(groups): f"groups with {factor} {level}"
        for factor, of in words.factors.items()
        for level, groups in of.items()
    }
    names = Names(words.titles, words.titles, own, other, levels)
    states = [(s, "undecided" if place else "closer", -0.09) for place, s in enumerate(sets)]
    assert len(headline(names, *states).split()) <= 25


@pytest.mark.parametrize(
    ("verdict", "chance", "said"),
    [
        ("closer", 0.21, ", but no more than unrelated groups of words often are: 21% of"),
        (
            "farther, size undecided",
            0.12,
            ", but no more than unrelated groups of words often are: 12%",
        ),
        ("closer", 0.1, "; only 10% of unrelated groups of words differ as much"),
        ("undecided", 0.41, "; 41% of unrelated groups of words differ as much"),
        ("practically equal", 0.8, "; 80% of unrelated groups of words differ as much"),
        ("closer", 0.004, "; fewer than 1% of unrelated groups of words differ as much"),
        ("closer", np.nan, ""),
    ],
)
def test_a_verdict_names_its_second_answer(verdict, chance, said):
    row = SimpleNamespace(verdict=verdict, chance=chance, prob=0.89)
    clause = chance_clause(row)
    assert clause.startswith(said)
    assert bool(clause) is bool(said)
    assert clause.count("%") == bool(said)  # one number
    (line,) = lines_of_lists(
        lists_of_table(rows(("f", verdict, -0.07)).assign(chance=chance, prob=0.89), GENDER),
        GENDER,
        "89% HPDI",
    )
    assert f"; {verdict}{clause})." in line


def test_what_is_not_asked_is_not_said():
    assert chance_clause(SimpleNamespace(verdict="closer", prob=0.89)) == ""
