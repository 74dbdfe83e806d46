"""Lists as people have them: mappings, JSON of other tools, text files; templates and imports."""

import json
import tomllib

import numpy as np
import pandas as pd
import pytest

import bayesbias as bb
from bayesbias.cli import main
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
    yield "IAT by role", {"targets": groups, "attributes": attributes}
    yield (
        "IAT by category",
        {
            "category1": {"name": "flowers", "items": x},
            "category2": {"name": "insects", "media": [{"word": word} for word in y]},
            "attribute1": {"label": "nice", "items": a},
            "attribute2": {"label": "nasty", "stimuli": b},
        },
    )
    yield "iatgen", {"Awords": x, "Bwords": y, "poswords": a, "negwords": b}
    yield "letters", {"target_a": x, "target_b": y, "attribute_a": a, "attribute_b": b}
    yield "a name each", {p: {name: ws} for p, (name, ws) in zip("XYAB", SETS.items(), strict=True)}
    yield "one test in a file", {"weat1": {"X": x, "Y": y, "A": a, "B": b}, "made": "by hand"}


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


def in_python():
    x, y, a, b = SETS.values()
    yield (x, y, a, b)
    yield {name: np.array(words) for name, words in SETS.items()}
    yield {name: pd.Series(words) for name, words in SETS.items()}
    yield {"X": iter(x), "Y": iter(y), "A": iter(a), "B": iter(b)}
    longer = {name: [*words, None] for name, words in SETS.items()}
    yield pd.DataFrame(longer)


@pytest.mark.parametrize("content", list(in_python()), ids=range(5))
def test_sets_in_any_container_of_python(content):
    assert the_sets(bb.load_wordlist(content)) == [tuple(words) for words in SETS.values()]


def test_sets_without_an_order_are_sorted():
    found = bb.load_wordlist({name: set(words) for name, words in SETS.items()})
    assert the_sets(found) == [tuple(sorted(words)) for words in SETS.values()]


def tables():
    frame = pd.DataFrame(SETS)
    longer = frame.assign(flowers=["rose", "tulip"], nasty=["pain", "filth"])
    longer = pd.concat([longer, pd.DataFrame({"flowers": ["iris"]})])
    yield "columns.csv", frame.to_csv(index=False), SETS
    yield "ragged.csv", longer.to_csv(index=False), SETS | {"flowers": [*SETS["flowers"], "iris"]}
    yield "row numbers.csv", frame.to_csv(), SETS
    yield "semicolons.csv", frame.to_csv(index=False, sep=";"), SETS
    yield "columns.tsv", frame.to_csv(index=False, sep="\t"), SETS
    pairs = frame.melt(var_name="set", value_name="word")
    yield "words last.csv", pairs.to_csv(index=False), SETS
    yield "words first.csv", pairs[["word", "set"]].to_csv(index=False), SETS
    yield "bare.csv", pairs.to_csv(index=False, header=False), SETS
    yield "lines.txt", "\n".join(f"{k}: {', '.join(v)}" for k, v in SETS.items()), SETS
    yield "dashes.txt", "\n".join(f"{k} – {', '.join(v)}" for k, v in SETS.items()), SETS
    curly = "\n".join(f"{k}: " + ", ".join(f"“{w}”" for w in v) for k, v in SETS.items())
    yield "curly.txt", curly, SETS
    yield "empty column.csv", "\n".join(f"{x}," for x in frame.to_csv(index=False).split()), SETS
    yield "yaml.txt", "\n".join(f"{k}: [{', '.join(v)}]" for k, v in SETS.items()), SETS


@pytest.mark.parametrize(("name", "content", "sets"), [pytest.param(*t, id=t[0]) for t in tables()])
def test_tables_of_sets(name, content, sets, tmp_path, capsys):
    path, out = tmp_path / name, str(tmp_path / "out.toml")
    for encoding in ("utf-8", "utf-8-sig", "utf-16"):
        path.write_bytes(content.encode(encoding))
        assert the_sets(bb.load_wordlist(path)) == [tuple(words) for words in sets.values()]
    assert main(["wordlists", "import", str(path), "--out", out]) == 0
    n = len(sets["flowers"])
    assert f"flowers ({n} from 'rose' on) with nice (2 from 'joy' on)" in capsys.readouterr().out
    assert the_sets(bb.load_wordlist(out)) == [tuple(words) for words in sets.values()]


def test_tables_that_are_no_list_are_told_the_forms(tmp_path, capsys):
    (tmp_path / "v.csv").write_text("he,.1,.2,.3\nshe,.2,.3,.4\n")
    (tmp_path / "words.txt").write_text("rose\ntulip\n")
    for path in sorted(tmp_path.iterdir()):
        with pytest.raises(WordListError, match="is no word list; give four columns under"):
            bb.load_wordlist(path)
    (tmp_path / "l.xlsx").write_bytes(b"PK\x03\x04" + bytes(50))
    given = ["wordlists", "import", str(tmp_path / "l.xlsx"), "--out", str(tmp_path / "o.toml")]
    assert main(given) == 2
    assert "is a zip archive, but damaged or cut short; fetch it again" in capsys.readouterr().err


def test_comments_are_no_line_of_a_list(tmp_path):
    """With a comment above, the four lines were once read as a table of other groups."""
    path = tmp_path / "l.txt"
    path.write_text(
        "# mine\nmen: he, him,\nwomen: she, her\n  # things\ntools: hammer, saw # sharp\n"
        "home: oven, kitchen,\n"
    )
    found = bb.load_wordlist(path)
    groups = {one.name: one.words for one in found.groups}
    assert groups == {"men": ("he", "him"), "women": ("she", "her")}
    sets = [one.words for one in found.attribute_sets[:2]]
    assert sets == [("hammer", "saw"), ("oven", "kitchen")]


def test_a_file_of_several_lists_is_asked_for_one():
    one = dict(zip("XYAB", SETS.values(), strict=True))
    with pytest.raises(WordListError, match=r"has several word lists \(weat1, weat2\); give one"):
        bb.load_wordlist({"weat1": one, "weat2": one})


WRITTEN = {
    "lines": "rose\ntulip\n",
    "Windows": "\ufeffrose\r\ntulip\r\n",
    "old Macs": "rose\rtulip\r",
    "commas": "rose, tulip",
    "semicolons": "rose; tulip;",
    "tabs": "rose\ttulip",
    "blanks": "rose tulip\n",
    "blanks behind": "rose  \n\n tulip\t\n",
    "quotes": '"rose", "tulip"',
    "Python": "['rose', 'tulip']",
    "lines of Python": '[\n  "rose",\n  "tulip",\n]\n',
    "numbers": "1. rose\n2. tulip\n",
    "bullets": "- rose\n* tulip\n",
    "comments": "# flowers\nrose # red\ntulip\n",
    "counts": "rose\t120\ntulip\t77\n",
}


@pytest.mark.parametrize("written", list(WRITTEN))
def test_words_of_a_text_file_however_they_are_written(written, tmp_path):
    (tmp_path / "f.txt").write_bytes(WRITTEN[written].encode())
    sets = [tmp_path / "f.txt", ["wasp"], ["joy"], ["pain"]]
    assert bb.load_wordlist(sets).groups[0].words == ("rose", "tulip")


def test_phrases_of_a_text_file_stay_whole(tmp_path):
    (tmp_path / "f.txt").write_text("venus flytrap\nrose\n")
    sets = [tmp_path / "f.txt", ["wasp"], ["joy"], ["pain"]]
    assert bb.load_wordlist(sets).groups[0].words == ("venus flytrap", "rose")


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
    said = capsys.readouterr().out
    assert "flowers (2 from 'rose' on) with nice (2 from 'joy' on); insects (2 from" in said
    assert the_sets(bb.load_wordlist(out)) == [tuple(words) for words in SETS.values()]
    assert main(["wordlists", "import", *files, "--out", str(out)]) == 2
    assert "already exists; say --overwrite to replace it" in capsys.readouterr().err
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
    said = " ".join(capsys.readouterr().out.split())
    assert "no [titles] of men: sentences say 'words of \"men\"'; name the words in plain" in said
    assert 'such as men = "words for men"' in said
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


def test_a_set_that_is_there_twice_is_refused(tmp_path):
    """JSON readers keep the last alone."""
    path = tmp_path / "l.json"
    path.write_text('{"X": ["rose"], "X": ["tulip"], "Y": ["wasp"], "A": ["joy"], "B": ["pain"]}')
    with pytest.raises(WordListError, match="the key 'X' is there twice; delete one"):
        bb.load_wordlist(path)


def test_a_list_in_latin_1_is_told_to_be_saved_in_utf_8(tmp_path, capsys):
    for name, text in (("l.json", '{"title": "é"}'), ("l.csv", "men,women\né,she\n")):
        (tmp_path / name).write_bytes(text.encode("latin-1"))
        assert main(["wordlists", "check", str(tmp_path / name)]) == 2
        assert "is not UTF-8; save the file as text in UTF-8" in capsys.readouterr().err


def test_words_that_a_set_repeats_count_once_with_a_note(tmp_path, capsys):
    path = tmp_path / "rep.csv"
    path.write_text("men,women,work,home\nhe,she,doctor,nurse\nhe,woman,lawyer,maid\n")
    with pytest.warns(DataWarning, match=r"set 'men' lists 'he' more than once; each counts once"):
        found = bb.load_wordlist(path)
    assert found.groups[0].words == ("he",)
    assert main(["wordlists", "check", str(path)]) == 0
    assert "note: rep: set 'men' lists 'he' more than once" in capsys.readouterr().err
