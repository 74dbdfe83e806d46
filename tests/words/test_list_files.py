"""Lists as people have them: mappings, four lists, text files, JSON of wefe."""

import json

import pytest

import bayesbias as bb
from bayesbias.errors import DataWarning, WordListError

SETS = {
    "flowers": ["rose", "tulip"],
    "insects": ["wasp", "moth"],
    "nice": ["joy", "love"],
    "nasty": ["pain", "filth"],
}
NAMES = list(SETS)


def forms():
    x, y, a, b = SETS.values()
    yield "IAT", {"X": x, "Y": y, "A": a, "B": b}
    yield "four sets", SETS
    wefe = {"target_sets": [x, y], "attribute_sets": [a, b]}
    yield "WEFE", wefe
    names = {"target_sets_names": NAMES[:2], "attribute_sets_names": NAMES[2:]}
    yield "WEFE with names", wefe | names


def the_sets(wordlist):
    return [*(g.words for g in wordlist.groups), *(s.words for s in wordlist.attribute_sets[:2])]


@pytest.mark.parametrize(("name", "content"), [pytest.param(n, c, id=n) for n, c in forms()])
def test_every_form_is_the_same_list(write, name, content):
    path = write(json.dumps(content), "mine.json")
    for source in (content, path, str(path)):
        found = bb.load_wordlist(source)
        assert the_sets(found) == [tuple(words) for words in SETS.values()]
        sets = [one.name for one in found.attribute_sets[:2]]
        assert [g.associated for g in found.groups] == [(sets[0],), (sets[1],)]
        named = [*(g.name for g in found.groups), *sets]
        assert named == (["X", "Y", "A", "B"] if name in ("IAT", "WEFE") else NAMES)
    assert bb.load_wordlist(path).name == "mine"


def text_files(folder):
    ends = ("\n", "\r\n", ", ", "\n\n")
    for (name, words), end in zip(SETS.items(), ends, strict=True):
        (folder / f"{name}.txt").write_bytes((end.join(words) + end).encode())
    return [folder / f"{name}.txt" for name in SETS]


def test_four_text_files_and_four_lists(tmp_path):
    for sets in (text_files(tmp_path), [list(words) for words in SETS.values()]):
        assert the_sets(bb.load_wordlist(sets)) == [tuple(words) for words in SETS.values()]
    assert [g.name for g in bb.load_wordlist(text_files(tmp_path)).groups] == NAMES[:2]
    with pytest.raises(WordListError, match="3 sets of words are no word list: give four"):
        bb.load_wordlist([["a"], ["b"], ["c"]])


def test_a_mapping_with_the_keys_of_a_file():
    content = {
        "groups": {"m": ("he",), "f": ["she"]},
        "associated": {"m": ["x"], "f": ["y"]},
        "attributes": {"x": ["doctor"], "y": ["nurse"]},
        "controls": {},
    }
    found = bb.load_wordlist(content)
    assert found.words == ("he", "she", "doctor", "nurse")
    with pytest.raises(WordListError, match=r"the word list: associated\.f: no attribute set 'z'"):
        bb.load_wordlist(content | {"associated": {"m": ["x"], "f": ["z"]}})


def test_words_of_the_list_are_taken_off_the_shipped_controls():
    control = bb.load_wordlist("gender").attribute_sets[-1].words[0]
    found = bb.load_wordlist([["rose"], ["wasp"], [control], ["pain"]])
    neutral = found.attribute_sets[-1]
    assert neutral.kind == "neutral"
    assert control not in neutral.words
    assert len(neutral.words) == len(bb.load_wordlist("gender").attribute_sets[-1].words) - 1


@pytest.mark.parametrize(
    "content", [{}, {"a": 1}, {"targ1": ["a"]}, {"X": 1, "Y": 2, "A": 3, "B": 4}]
)
def test_what_is_no_list_is_told_the_forms(content):
    with pytest.raises(WordListError, match=r"a list of words|four sets: X"):
        bb.load_wordlist(content)


def test_a_set_that_is_there_twice_is_refused(write):
    """JSON readers keep the last alone."""
    text = '{"X": ["rose"], "X": ["tulip"], "Y": ["wasp"], "A": ["joy"], "B": ["pain"]}'
    with pytest.raises(WordListError, match="the key 'X' is there twice; delete one"):
        bb.load_wordlist(write(text, "l.json"))


def test_words_that_a_set_repeats_count_once_with_a_note():
    sets = {**SETS, "flowers": ["rose", "rose"]}
    with pytest.warns(DataWarning, match="lists 'rose' more than once; each counts once"):
        found = bb.load_wordlist(sets)
    assert found.groups[0].words == ("rose",)
