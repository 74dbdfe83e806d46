"""Scrubbing: punctuation, case, possessives, and words that merely contain an indicator."""

import re

import pytest

from bayesbias.classifiers.scrub import FIRST_NAMES, TARGETS, scrub_gender
from bayesbias.errors import ArgumentError

SENTENCES = """
He left. | She left. | He left. | They left. |
SHE left, he stayed. | SHE left, she stayed. | HE left, he stayed. | THEY left, they stayed. |
(he), “she”; he's, she'll | (she), “she”; she's, she'll |
    (he), “he”; he's, he'll | (they), “they”; they're, they'll |
I saw her yesterday. | I saw her yesterday. | I saw him yesterday. | I saw them yesterday. |
Her work, and her. | Her work, and her. | His work, and him. | Their work, and them. |
His work is his. | Her work is hers. | His work is his. | Their work is theirs. |
It was hers, not his | It was hers, not hers | It was his, not his | It was theirs, not theirs |
He knows himself; she, herself. | She knows herself; she, herself. |
    He knows himself; he, himself. | They knows themself; they, themself. |
Mr. Lee met Mrs. Hall and Miss Wood. | Ms. Lee met Mrs. Hall and Miss Wood. |
    Mr. Lee met Mr. Hall and Mr Wood. | Mx. Lee met Mx. Hall and Mx Wood. |
MISS HALL, MR LEE, mr lee | MISS HALL, MS LEE, ms lee |
    MR HALL, MR LEE, mr lee | MX HALL, MX LEE, mx lee |
Mary's cat, James' dog, SARAH | Camille's cat, Camille's dog, CAMILLE |
    Camille's cat, Camille's dog, CAMILLE | Camille's cat, Camille's dog, CAMILLE
"""
"""A sentence, and what it becomes of women, of men and of neither."""
CELLS = re.split(r"\s*\|\s*", SENTENCES.strip())


@pytest.mark.parametrize("place", range(0, len(CELLS), 4))
def test_indicators_become_those_of_one_gender(place):
    text, *expected = CELLS[place : place + 4]
    assert [scrub_gender(text, to=to) for to in ("female", "male", "neutral")] == expected


@pytest.mark.parametrize("to", TARGETS)
@pytest.mark.parametrize(
    "text",
    [
        "The shepherd, the hero and the shelter: this is there, then other history.",
        "HER2 is a gene; a he-man; she_wolf; a would-be-she; O'her",
        "I miss the train, and they miss it. 5 ms, an MS in biology, Ms of weight",
        *("Marygold, Jamestown, Annapolis, Adamant, paulownia", "mary had a lamb"),
        *("Usher, ushers, chisel, himalaya, hishis", ""),
    ],
)
def test_words_that_merely_contain_an_indicator_stay(text, to):
    assert scrub_gender(text, to=to) == text


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Dr Hall said she loves her work.", "Dr Hall said loves work."),
        ("She left, and he's gone.", "left, and gone."),
        ("Mrs. Mary Hall's son", "Hall's son"),
        ("We met him. Then we left her!", "We met. Then we left!"),
        ("line one\nHe wrote it\n", "line one\nwrote it\n"),
        ("Mary's book", "book"),
        ("she", ""),
    ],
)
def test_indicators_are_removed_with_one_space(text, expected):
    assert scrub_gender(text) == expected


def test_own_names_and_replacement():
    assert scrub_gender("Xiu met Mary.", to="male", name="Kim") == "Xiu met Kim."
    own = {"to": "male", "first_names": ["xiu", "Jean-Luc"], "name": "Kim"}
    assert scrub_gender("Xiu met Jean-Luc; XIU's", **own) == "Kim met Kim; KIM's"
    assert scrub_gender("xiu", **own) == "xiu"


@pytest.mark.parametrize("to", TARGETS)
def test_scrubbing_twice_changes_nothing(to):
    text = "Mrs. Mary Hall says that her book is hers; he told James himself."
    once = scrub_gender(text, to=to)
    assert scrub_gender(once, to=to) == once


def test_names_are_no_common_words():
    assert len(set(FIRST_NAMES)) == len(FIRST_NAMES)
    assert not {"Mark", "Will", "Grace", "Rose", "Frank", "Jack", "May", "June"} & set(FIRST_NAMES)


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"to": "femal"}, "did you mean 'female'"),
        ({"first_names": "Xiu"}, "give a list of names"),
        ({"first_names": ["Anna Maria"]}, "not a single word"),
        ({"first_names": [""]}, "not a single word"),
    ],
)
def test_bad_arguments(options, complaint):
    with pytest.raises(ArgumentError, match=complaint):
        scrub_gender("text", **options)
