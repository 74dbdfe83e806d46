import json
import re

import pytest

import bayesbias as bb
from bayesbias.errors import WordListError
from bayesbias.pairs.word_lists import connection_of, load_control
from bayesbias.support.shipped_data import data_folder

VALID = """
title = "A list"
source = "a test"

[protected]
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


@pytest.fixture
def write(tmp_path):
    def write_list(text):
        path = tmp_path / "mine.toml"
        path.write_text(text, encoding="utf-8")
        return path

    return write_list


def stereotypes_of(name):
    sets = bb.load_wordlist(name).attribute_sets
    return {word for s in sets if s.kind == "stereotype" for word in s.words}


def test_all_shipped_lists_load_and_name_their_source():
    names = bb.list_wordlists()
    weat = [*(f"weat{i}" for i in range(1, 8)), "weat7-de", "weat8", "weat9", "weat10"]
    assert names == ("gender", "names", "race", "religion", *weat, "winobias")
    for name in names:
        wl = bb.load_wordlist(name)
        assert wl.source
        assert wl.url.startswith("https://")
        assert wl.language == ("de" if name == "weat7-de" else "en")
        controls = set() if name == "weat7-de" else {"human", "neutral"}
        assert {s.kind for s in wl.attribute_sets} == {"stereotype"} | controls


def test_sizes():
    sizes = {"gender": (14, 25), "race": (10, 15), "religion": (15, 11), "weat1": (50, 50)}
    sizes |= {
        "winobias": (20, 39),
        "weat3": (64, 50),
        "weat7": (16, 16),
        "weat7-de": (16, 16),
        "weat9": (12, 14),
    }
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


def test_the_words_of_winobias_are_held_out_from_those_of_gender():
    first, second = (set(bb.load_wordlist(n).protected_words) for n in ("gender", "winobias"))
    assert not first & second


def test_known_slips_of_the_sources_are_not_shipped():
    right = {"religion": {"critical"}, "gender": {"tattered"}, "weat1": {"bluebell"}}
    right |= {"weat9": {"short-term"}, "weat10": {"Billy", "failure"}}
    slips = {"religion": {"judgmental", "judgemental"}}
    slips |= {"weat4": {"Jay", "Kristen", "Tremayne", "Latonya"}}
    for name, words in right.items():
        assert words <= set(bb.load_wordlist(name).words), name
    for name, words in slips.items():
        assert not words & set(bb.load_wordlist(name).words), name


@pytest.mark.parametrize("number", range(1, 11))
def test_weat_lists_are_those_that_reproduce_the_published_values(data, number):
    sets = json.loads((data / "oracles" / "cbn" / "expected.json").read_text())[f"WEAT{number}"]
    wl = bb.load_wordlist(f"weat{number}")
    x, y = wl.groups
    by_name = {s.name: s.words for s in wl.attribute_sets}
    assert list(x.words) == sets["sets"]["X"]
    assert list(y.words) == sets["sets"]["Y"]
    assert list(by_name[x.associated[0]]) == sets["sets"]["A"]
    assert list(by_name[y.associated[0]]) == sets["sets"]["B"]


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
    assert [connection_of(jew, s) for s in wl.attribute_sets] == [
        *("different", "associated", "different", "human", "neutral"),
    ]


def test_a_list_of_ones_own(write):
    wl = bb.load_wordlist(write(VALID))
    assert wl.name == "mine"
    assert wl.protected_words == ("he", "his", "she", "hers")
    assert [s.name for s in wl.attribute_sets] == ["tools", "home", "human", "neutral"]


def test_controls_are_the_papers_unless_told_otherwise(write):
    wl = bb.load_wordlist(write(VALID.split("[controls]")[0]))
    assert [len(s.words) for s in wl.attribute_sets[2:]] == [85, 226]


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ('title = "A list"', "", r"title: is required"),
        ('source = "a test"', "sauce = 'x'", r"sauce: unknown key; did you mean 'source'\?"),
        ("[protected]", "[protektion]", r"protektion: unknown key; did you mean 'protected'\?"),
        ('tools = ["hammer", "saw"]', "tools = []", r"attributes.tools: is empty"),
        ('["hammer", "saw"]', '["hammer", 3]', r"attributes.tools: must be a list of words"),
        ('["hammer", "saw"]', '["hammer", "hammer"]', r"lists 'hammer' more than once"),
        ('["hammer", "saw"]', '["hammer", " saw"]', r"' saw' is empty, spans lines or has space"),
        ('"saw"', '"he"', r"'he' is in protected words 'man' and in attribute words 'tools'"),
        ('["hammer", "saw"]', '["hammer", "oven"]', r"'oven' is in attribute words 'tools'"),
        ('["walk", "eat"]', '["walk", "ballpark"]', r"'ballpark' is in .*human.*neutral"),
        ('man = ["tools"]', 'man = ["toolz"]', r"no attribute set 'toolz'; did you mean 'tools'"),
        ('man = ["tools"]', "", r"group 'man' is missing"),
        ('man = ["tools"]', "man = []", "is empty; name the attribute sets"),
        ("woman", "reference", r"protected\.reference: is what the rows of"),
        ('man = ["tools"]', 'men = ["tools"]', r"associated.men: no such group; did you mean"),
        ('neutral = "neutral"', 'neutral = "nuetral"', r"no control list 'nuetral'; did you mean"),
        ('neutral = "neutral"', 'neutral = "human"', r"control list 'human' is 'human', not"),
        ("neutral = ", "nutral = ", r"controls.nutral: unknown key; did you mean 'neutral'"),
        ("[controls]", "[controls", r"not valid TOML"),
        ("[controls]", '[topics]\na = ["sax"]\n[controls]', r"'sax' is no .*; did you mean 'saw'"),
        ("[controls]", f"{TWICE}[controls]", r"topics\.b: 'saw' is in topic 'a' too; leave one"),
        ("[controls]", "[topics]\na = 3\n[controls]", r"topics\.a"),
        ("tools", "human", r"attributes.human: is the name of a control list too"),
        ("[protected]", 'defining_sets = [["he", "it"]]\n[protected]', r"'it' is not a prot"),
        ("[protected]", 'defining_sets = [["he"]]\n[protected]', r"row 1: needs at least two"),
    ],
)
def test_errors_name_the_file_the_key_and_the_mend(write, old, new, complaint):
    assert old in VALID
    with pytest.raises(WordListError, match=complaint) as caught:
        bb.load_wordlist(write(VALID.replace(old, new)))
    assert "mine.toml" in str(caught.value)


def test_a_byte_order_mark_does_no_harm(tmp_path):
    path = tmp_path / "bom.toml"
    path.write_text(VALID, encoding="utf-8-sig")
    assert bb.load_wordlist(path).title == "A list"


def test_what_is_no_list_is_refused():
    complaint = r"set is not a word list: give a name, or the path of a \.toml file"
    with pytest.raises(WordListError, match=complaint):
        bb.load_wordlist({"he", "she"})


def test_all_faults_of_a_list_are_named_at_once(write):
    text = VALID.replace('title = "A list"', 'titel = "A list"').replace('"his"', '" his", "he"')
    text = text.replace('man = ["tools"]', 'men = ["tools"]').replace('"oven"', '"saw"')
    text += '[titles]\nlamp = "lamps"\n[topics]\nheat = ["stove"]\n'
    with pytest.raises(WordListError) as caught:
        bb.load_wordlist(write(text))
    first, *lines = str(caught.value).splitlines()
    assert first.endswith("mine.toml: 8 faults:")
    assert [line.split(": ")[0].strip() for line in lines] == [
        *("(1) titel", "(2) protected.man", "(3) title", "(4) associated.men", "(5) associated"),
        *("(6) topics.heat", "(7) titles.lamp", "(8) home"),
    ]
    assert "lists 'he' more than once" in lines[1]
    assert "' his' is empty, spans lines or has space around it" in lines[1]


def lines_of(error):
    return [line.split(":")[0].strip() for line in str(error.value).splitlines()[1:]]


def test_keys_below_tables_and_factors_are_told_with_all_else(write):
    text = VALID.replace('source = "', 'sauce = "').replace('"oven"', '"saw"')
    text += 'source = "below"\ndefining_sets = [["he", "she"]]\n'
    text += '[factors]\nsex = { a = ["man"], b = ["womn"] }\nRace = { a = ["man", "woman"] }\n'
    with pytest.raises(WordListError) as caught:
        bb.load_wordlist(write(text))
    assert lines_of(caught) == [
        *("(1) sauce", "(2) controls.source", "(3) controls.defining_sets", "(4) factors.sex"),
        *("(5) factors.sex", "(6) factors.Race", "(7) factors.Race", "(8) home"),
    ]
    assert "move the line up" in str(caught.value)
    assert "did you mean 'woman'" in str(caught.value)


def test_lines_that_are_no_toml_are_told_at_once(write):
    text = VALID.replace('title = "A list"', 'title = "A list').replace('"hammer", ', '"hammer" ')
    text = text.replace("[associated]", 'girls = ["girl",\n"lass"\n[associated]\nboys = lad')
    text += 'said = [“so”]\nlong = ["a",\n  "b",\n]\n'
    with pytest.raises(WordListError) as caught:
        bb.load_wordlist(write(text))
    said = {
        'title = "A list': "close the text with the quotes that it begins with",
        "boys = lad": "put texts in quotes",
        'tools = ["hammer" "saw"]': "put commas between the words, and ] behind the last",
        "said = [“so”]": "write straight quotes, not curly ones",
    }
    assert lines_of(caught) == [
        f"({i}) line {text.splitlines().index(line) + 1} ({line!r}) is not valid TOML; {advice}"
        for i, (line, advice) in enumerate(said.items(), start=1)
    ]


def test_the_schema_marks_what_is_required(write):
    """A list of the marked keys alone is one, and without any of them it is none."""
    schema = (data_folder("wordlists") / "SCHEMA.md").read_text(encoding="utf-8")
    example = schema.partition("```toml\n")[2].partition("```")[0]
    marked = re.findall(r"^(\w+|\[\w+\])[^#\n]*# required", example, re.MULTILINE)
    assert marked == ["title", "source", "[protected]", "[associated]", "[attributes]"]
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


def test_a_list_shows_itself_shortly():
    shown = repr(bb.load_wordlist("gender"))
    first = " ".join(shown.splitlines()[2].split())
    assert first == "protected man with man_stereotype 7: he, his, son, father, male, boy, …"
    assert len(shown.splitlines()) == 10
    assert max(map(len, shown.splitlines())) < 140


def test_a_list_is_a_result():
    wordlist = bb.load_wordlist("gender")
    counts = wordlist.to_frame()["role"].value_counts().to_dict()
    assert counts == {"attribute": 336, "protected": 14, "reference": 9}
    assert wordlist.to_dict()["reference"] == list(wordlist.reference)
    for rendered in (wordlist._repr_html_(), wordlist.to_markdown(), wordlist.to_latex()):
        assert "stylist" not in rendered  # the first words of each list are enough
        assert "he, his, son" in rendered


def test_a_folder_is_no_word_list_and_no_model(tmp_path):
    for load in (bb.load_wordlist, bb.load_model):
        with pytest.raises(bb.BayesBiasError, match="is a folder; name the file in it"):
            load(tmp_path)
