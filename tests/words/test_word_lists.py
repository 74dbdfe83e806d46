import json
import re

import pytest
from samples import ROOT

import bayesbias as bb
from bayesbias.errors import WordListError
from bayesbias.support.bounded_files import data_folder
from bayesbias.words.list_files import load_control

VALID = """
title = "A list"
source = "a test"

[groups]
man = ["he", "his"]
woman = ["she", "hers"]

[associated]
man = ["tools"]
woman = ["home"]

[attributes]
tools = ["hammer", "saw"]
home = ["kitchen", "oven"]

[controls]
human = ["walk", "eat"]
neutral = "neutral"
"""


TWICE = '[topics]\na = ["saw"]\nb = ["saw"]\n'


ENTRIES = (ROOT / "wordlists" / "sources.bib").read_text(encoding="utf-8").strip().split("\n\n")


def assert_sources(text, keyword, some=True):
    """Check that the bibliography has who is named with a year, under the keyword."""
    named = re.findall(r"(\w+)(?:,| and| et al\.|(?= \())[^();]*?\((\d{4})\)", text)
    assert named or not some
    has_keyword = re.compile(rf"keywords = \{{.*\b{keyword}\b.*\}}")
    for author, year in named:
        entries = [entry for entry in ENTRIES if f"year = {{{year}}}" in entry]
        assert any(author[:5] in entry for entry in entries if has_keyword.search(entry)), author


def stereotypes_of(name):
    sets = bb.load_wordlist(name).attribute_sets
    return {word for s in sets if s.kind == "stereotype" for word in s.words}


def test_all_shipped_lists_load_and_name_their_source():
    """And everybody whom the source names, with the year, is in ``wordlists/sources.bib``."""
    names = bb.list_wordlists()
    weat = [*(f"weat{i}" for i in range(1, 8)), "weat7-de", "weat8", "weat9", "weat10"]
    assert names == ("gender", "names", "race", "religion", *weat, "winobias")
    for name in names:
        wl = bb.load_wordlist(name)
        assert_sources(wl.source, name)
        assert wl.url.startswith("https://")
        assert wl.language == ("de" if name == "weat7-de" else "en")
        controls = set() if name == "weat7-de" else {"human", "neutral"}
        assert {s.kind for s in wl.attribute_sets} == {"stereotype"} | controls


def test_sizes():
    sizes = {"gender": (14, 25), "race": (10, 15), "religion": (15, 11), "weat1": (50, 50)}
    sizes |= {"winobias": (20, 39), "weat3": (64, 50), "weat7": (16, 16), "weat9": (12, 14)}
    for name, expected in sizes.items():
        found = len(bb.load_wordlist(name).protected_words), len(stereotypes_of(name))
        assert found == expected, name
    controls = [len(load_control(name, name).words) for name in ("neutral", "human")]
    assert controls == [226, 85]


def test_specific_words_are_those_of_a_shipped_list_or_of_ones_own(write):
    assert len(bb.load_wordlist("gender").specific) == 218
    for specific, found in (('["king"]', ("king",)), ('"gender"', None)):
        wl = bb.load_wordlist(write(f"specific = {specific}\n{VALID}"))
        assert wl.specific == (found or bb.load_wordlist("gender").specific)
    assert bb.load_wordlist(write(VALID)).specific == ()
    with pytest.raises(WordListError, match=r"specific: no list of specific words 'gendr'; did"):
        bb.load_wordlist(write(f'specific = "gendr"\n{VALID}'))
    with pytest.raises(WordListError, match="specific: is empty"):
        bb.load_wordlist(write(f"specific = []\n{VALID}"))


@pytest.mark.parametrize("number", range(1, 11))
def test_weat_lists_are_those_that_reproduce_the_published_values(data, number):
    sets = json.loads((data / "oracles" / "cbn" / "expected.json").read_text())[f"WEAT{number}"]
    wl = bb.load_wordlist(f"weat{number}")
    x, y = wl.groups
    by_name = {s.name: s.words for s in wl.attribute_sets}
    found = (x.words, y.words, by_name[x.associated[0]], by_name[y.associated[0]])
    assert [list(words) for words in found] == [sets["sets"][role] for role in "XYAB"]


GERMAN = """
math Mathematik, algebra Algebra, geometry Geometrie, calculus Infinitesimalrechnung,
equations Gleichungen, computation Berechnung, numbers Zahlen, addition Zusatz,
poetry Poesie, art Kunst, dance tanzen, literature Literatur, novel Roman,
symphony Symphonie, drama Theater, sculpture Skulptur, male männlich, man Mann, boy Junge,
brother Bruder, he er, him ihm, his seine, son Sohn, female weiblich, woman Frau,
girl Mädchen, sister Schwester, she sie, her ihr, hers ihres, daughter Tochter
"""
"""The English words of WEAT 7 and the German ones."""


def test_the_german_words_are_those_published():
    """Word by word the German of WEAT 7 in Lauscher and Glavaš's vocabulary."""
    published = dict(pair.split() for pair in GERMAN.split(","))
    english, german = (bb.load_wordlist(name) for name in ("weat7", "weat7-de"))
    stereotypes = [w for s in english.attribute_sets[:2] for w in s.words]
    words = (*german.protected_words, *german.attributes)
    assert words == tuple(published[w] for w in (*english.protected_words, *stereotypes))


@pytest.mark.parametrize("name", ["gender", "race", "religion"])
def test_paper_lists_are_those_of_the_published_data(data, name):
    published = json.loads((data / "wordlists" / "paper" / "paper_wordlists.json").read_text())
    wl = bb.load_wordlist(name)
    sets = {s.name: list(s.words) for s in wl.attribute_sets}
    assert sets.pop("neutral") == published["neutral"]
    assert sets.pop("human") == published["human"]
    assert sets == published[name]["attributes"]
    associated = {w: list(g.associated) for g in wl.groups for w in g.words}
    assert associated == published[name]["associated_class_of"]


def test_connections():
    wl = bb.load_wordlist("religion")
    jew = wl.groups[0]
    assert [wl.connection(jew, s) for s in wl.attribute_sets] == [
        *("different", "associated", "different", "human", "neutral"),
    ]


def test_a_list_of_nobody_is_unassigned(write):
    """For a group without lists of its own; without [associated] all are."""
    wl = bb.load_wordlist(write(VALID.replace('woman = ["home"]', "")))
    man, woman = wl.groups
    tools, home, human, _ = wl.attribute_sets
    assert (man.associated, woman.associated) == (("tools",), ())
    assert [wl.connection(g, tools) for g in wl.groups] == ["associated", "different"]
    assert [wl.connection(g, home) for g in wl.groups] == ["different", "unassigned"]
    assert wl.connection(man, human) == "human"
    bare = re.sub(r"\[associated\](.|\n)*?\n\n", "", VALID)
    wl = bb.load_wordlist(write(bare))
    assert {wl.connection(g, s) for g in wl.groups for s in wl.attribute_sets[:2]} == {"unassigned"}


def test_matches_are_sets_of_the_words_that_vectors_have(write):
    """A word that is absent leaves its set, and one without others has its own."""
    rows = 'matched = [["he", "she"], ["his", "hers"]]\n'
    wl = bb.load_wordlist(write(rows + VALID))
    everybody = wl.matches(wl.protected_words)
    assert everybody["he"] == everybody["she"] != everybody["his"] == everybody["hers"]
    few = wl.matches(["he", "she", "his"])
    assert few["he"] == few["she"]
    assert few["his"] == "his"
    assert bb.load_wordlist(write(VALID)).matches(["he", "she"]) == {"he": "he", "she": "she"}


def test_sets_that_share_a_word_are_one():
    race = bb.load_wordlist("race")
    words = race.protected_words
    sets = race.matches(words)
    shared = [w for w in words if sum(w in row for row in race.matched) > 1]
    assert shared
    for word in shared:
        rows = [row for row in race.matched if word in row]
        assert len({sets[other] for row in rows for other in row}) == 1


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ('title = "A list"', "title = 3", r"title: must be"),
        ('source = "a test"', "sauce = 'x'", r"sauce: unknown key; did you mean 'source'\?"),
        ('tools = ["hammer", "saw"]', "tools = []", r"attributes.tools: is empty"),
        ('["hammer", "saw"]', '["hammer", 3]', r"attributes.tools: must be a list of words"),
        ('"saw"', '"he"', r"'he' is in protected words 'man' and in attribute words 'tools'"),
        ('["walk", "eat"]', '["walk", "ballpark"]', r"'ballpark' is in .*human.*neutral"),
        ('man = ["tools"]', 'man = ["toolz"]', r"no attribute set 'toolz'; did you mean 'tools'"),
        ('man = ["tools"]', "man = []", "is empty; name the attribute sets"),
        ('neutral = "neutral"', 'neutral = "nuetral"', r"no control list 'nuetral'; did you mean"),
        ('neutral = "neutral"', 'neutral = "human"', r"control list 'human' is 'human', not"),
        ("[controls]", '[topics]\na = ["sax"]\n[controls]', r"'sax' is no .*; did you mean 'saw'"),
        ("[controls]", f"{TWICE}[controls]", r"topics\.b: 'saw' is in topic 'a' too; leave one"),
        ("neutral = ", "nutral = ", r"controls.nutral: unknown key; did you mean 'neutral'"),
        ("tools", "human", r"attributes.human: is the name of a control list too"),
        ("[groups]", 'matched = [["he"]]\n[groups]', r"row 1: needs at least two"),
        ("[groups]", 'matched = [["he", "it"]]\n[groups]', r"'it' is not a prot"),
        ("[groups]", 'matched = [["he", "his"]]\n[groups]', r"two words of group 'man'; leave one"),
    ],
)
def test_errors_name_the_file_the_key_and_the_mend(write, old, new, complaint):
    assert old in VALID
    with pytest.raises(WordListError, match=complaint) as caught:
        bb.load_wordlist(write(VALID.replace(old, new)))
    assert "mine.toml" in str(caught.value)


def test_all_faults_of_a_list_are_named_at_once(write):
    """Keys below tables, whose lines are to move up, with all else."""
    text = VALID.replace('title = "A list"', 'titel = "A list"').replace('"his"', '" his", "he"')
    text = text.replace('man = ["tools"]', 'men = ["tools"]').replace('"oven"', '"saw"')
    text += 'source = "below"\n[titles]\nlamp = "lamps"\n[topics]\nheat = ["stove"]\n'
    with pytest.raises(WordListError, match="move the line up") as caught:
        bb.load_wordlist(write(text))
    first, *lines = str(caught.value).splitlines()
    assert first.endswith("mine.toml: 7 faults:")
    assert [line.split(": ")[0].strip() for line in lines] == [
        *("(1) titel", "(2) controls.source", "(3) groups.man"),
        *("(4) associated.men", "(5) topics.heat", "(6) titles.lamp", "(7) home"),
    ]
    assert "lists 'he' more than once" in lines[2]
    assert "' his' is empty, spans lines or has space around it" in lines[2]


@pytest.mark.parametrize(
    ("old", "new", "line"),
    [
        ('title = "A list"', 'title = "A list', r'title = "A list'),
        ('"hammer", ', '"hammer" ', r'tools = \["hammer" "saw"\]'),
        ('["he", "his"]', "[“he”]", r"man = \[“he”\]"),
    ],
)
def test_a_line_that_is_no_toml_is_told_with_how_lines_are_written(write, old, new, line):
    with pytest.raises(WordListError, match=rf"line \d+ \('{line}'\) is not valid TOML .*; write"):
        bb.load_wordlist(write(VALID.replace(old, new)))


def test_the_schema_marks_what_is_required(write):
    """A list of the marked keys alone is one, and without any of them it is none."""
    schema = (data_folder("wordlists") / "SCHEMA.md").read_text(encoding="utf-8")
    example = schema.partition("```toml\n")[2].partition("```")[0]
    marked = re.findall(r"^(\w+|\[\w+\])[^#\n]*# required", example, re.MULTILINE)
    assert marked == ["title", "source", "[groups]", "[attributes]"]
    bb.load_wordlist(write(VALID[: VALID.index("[controls]")]))
    for key in marked:
        with pytest.raises(WordListError):
            bb.load_wordlist(write(VALID.replace(key, key.replace(key.strip("[]"), "other"), 1)))


def test_unknown_names_suggest_the_nearest():
    with pytest.raises(WordListError, match=r"did you mean 'religion'\? Valid: gender, names"):
        bb.load_wordlist("religon")
    with pytest.raises(WordListError, match="cannot be read"):
        bb.load_wordlist("nowhere.toml")


def test_a_file_that_is_not_utf8(tmp_path):
    path = tmp_path / "latin.toml"
    path.write_bytes(VALID.replace("A list", "caf\xe9").encode("latin-1"))
    with pytest.raises(WordListError, match="is not UTF-8"):
        bb.load_wordlist(path)


def test_the_checksum_is_of_the_words_not_the_prose(write):
    first = bb.load_wordlist(write(VALID)).checksum()
    assert bb.load_wordlist(write(VALID.replace("A list", "Another"))).checksum() == first
    assert bb.load_wordlist(write(VALID.replace("saw", "axe"))).checksum() != first


@pytest.mark.parametrize("name", bb.list_models())
def test_the_works_that_models_name_are_there(name):
    assert_sources(bb.load_model(name).source, "method", some=False)


@pytest.mark.parametrize("entry", ENTRIES)
def test_the_entries_are_bibtex_with_a_year_and_a_place(entry):
    first, *fields, last = entry.splitlines()
    assert re.fullmatch(r"@\w+\{[\w-]+,", first)
    assert last == "}"
    assert all(re.fullmatch(r"  \w+ = \{.+\},", field) for field in fields)
    assert entry.count("{") == entry.count("}")
    assert re.search(r"^  year = \{\d{4}\},$", entry, re.MULTILINE)
    assert re.search(r"^  (journal|booktitle|publisher|howpublished) = ", entry, re.MULTILINE)


def test_the_citation_file_names_the_method():
    given = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    method = next(entry for entry in ENTRIES if "{dobrzeniecka2023," in entry)
    assert re.search(r"^version: (.+)$", given, re.MULTILINE)[1] == bb.__version__
    (title,) = re.findall(r'title: "(.+)"', given)
    assert f"title = {{{title}}}" in method.replace("{Bayesian}", "Bayesian")
    for name in re.findall(r"family-names: (.+)", given):
        assert name in method
