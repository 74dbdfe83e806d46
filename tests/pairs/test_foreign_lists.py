"""Lists as people have them: mappings, JSON of other tools, text files; templates and imports."""

import json
import tomllib

import pytest

import bayesbias as bb
from bayesbias.cli import main
from bayesbias.errors import WordListError

SETS = {
    "flowers": ["rose", "tulip"],
    "insects": ["wasp", "moth"],
    "nice": ["joy", "love"],
    "nasty": ["pain", "filth"],
}
NAMES = list(SETS)


def forms():
    x, y, a, b = SETS.values()
    named = [{"category": name, "examples": words} for name, words in SETS.items()]
    keys = ("targ1", "targ2", "attr1", "attr2")
    yield "sent-bias", dict(zip(keys, named, strict=True))
    yield "sent-bias, other order", dict(reversed(list(zip(keys, named, strict=True))))
    yield "plain", {"target_1": x, "target_2": y, "attribute_1": a, "attribute_2": b}
    yield "IAT", {"X": x, "Y": y, "A": a, "B": b}
    yield "IAT with names", dict(zip("XYAB", named, strict=True))
    yield (
        "WEFE",
        {
            "target_sets": [x, y],
            "attribute_sets": [a, b],
            "target_sets_names": NAMES[:2],
            "attribute_sets_names": NAMES[2:],
        },
    )
    groups, attributes = dict(list(SETS.items())[:2]), dict(list(SETS.items())[2:])
    yield "by role", {"targets": groups, "attributes": None, "attribute_sets": attributes}
    yield "four sets", SETS


def the_sets(wordlist):
    return [*(g.words for g in wordlist.groups), *(s.words for s in wordlist.attribute_sets[:2])]


@pytest.mark.parametrize(("name", "content"), [pytest.param(n, c, id=n) for n, c in forms()])
def test_every_form_is_the_same_list(tmp_path, name, content):
    if name == "by role":
        content = {k: v for k, v in content.items() if v is not None}
    path = tmp_path / "mine.json"
    path.write_text(json.dumps(content))
    for source in (content, path, str(path)):
        found = bb.load_wordlist(source)
        assert the_sets(found) == [tuple(words) for words in SETS.values()]
        assert [g.associated for g in found.groups] == [
            (found.attribute_sets[0].name,),
            (found.attribute_sets[1].name,),
        ]
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
        "protected": {"m": ("he",), "f": ["she"]},
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
    with pytest.raises(WordListError, match=r"a list of words|four sets: targ1"):
        bb.load_wordlist(content)


def test_the_command_imports_and_the_list_is_the_same(tmp_path, capsys):
    out = tmp_path / "it.toml"
    files = list(map(str, text_files(tmp_path)))
    assert main(["wordlists", "import", *files, "--out", str(out)]) == 0
    assert "flowers with nice; insects with nasty" in capsys.readouterr().out
    assert the_sets(bb.load_wordlist(out)) == [tuple(words) for words in SETS.values()]
    assert main(["wordlists", "import", *files, "--out", str(out)]) == 2
    assert "is there already; --overwrite replaces it" in capsys.readouterr().err
    (tmp_path / "weat.json").write_text(json.dumps(next(forms())[1]))
    given = ["wordlists", "import", str(tmp_path / "weat.json"), "--out", str(out), "--overwrite"]
    assert main(given) == 0
    assert the_sets(bb.load_wordlist(out)) == [tuple(words) for words in SETS.values()]


def test_an_imported_list_is_analysed(tmp_path, capsys):
    path = tmp_path / "mine.json"
    path.write_text(json.dumps([["he", "man"], ["she", "woman"], ["math"], ["art", "dance"]]))
    vectors = tmp_path / "v.bin"
    bb.example_embedding().save_word2vec_format(str(vectors), binary=True)
    assert main(["analyze", str(vectors), "--wordlist", str(path), "--model", "paper"]) == 0
    assert "associated − different" in capsys.readouterr().out


def test_the_template_is_a_sound_list(tmp_path, capsys):
    assert main(["wordlists", "new", str(tmp_path / "mine")]) == 0
    path = tmp_path / "mine.toml"
    assert "is a template" in capsys.readouterr().out
    content = tomllib.loads(path.read_text())
    assert {"titles", "controls", "reference", "protected"} <= set(content)
    assert main(["wordlists", "check", str(path)]) == 0
    assert "titles" not in capsys.readouterr().out
    path.write_text(path.read_text().replace('men = "words for men"\n', ""))
    assert main(["wordlists", "check", str(path)]) == 0
    assert "no [titles] of men: sentences say 'men are closer'" in capsys.readouterr().out
    assert main(["wordlists", "new", str(path)]) == 2


@pytest.mark.parametrize("table", ["controls", "titles", "associated"])
def test_a_key_below_a_table_is_told_to_move_up(tmp_path, table):
    assert main(["wordlists", "new", str(tmp_path / "mine"), "--quiet"]) == 0
    path = tmp_path / "mine.toml"
    text = path.read_text()
    line = next(line for line in text.splitlines() if line.startswith("reference"))
    path.write_text(text.replace(line, "").replace(f"[{table}]", f"[{table}]\n{line}"))
    with pytest.raises(WordListError, match=rf"{table}\.reference: stands below \[{table}\].*move"):
        bb.load_wordlist(path)
