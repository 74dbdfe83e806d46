"""What users brought that failed: each kind from the file to the sentence that they read.

The parts are tested where they are; here is the way that a user goes, in the command or in Python.
"""

import json
import re

import numpy as np
import pytest

import bayesbias as bb
from bayesbias.cli import main
from bayesbias.errors import MissingWordsWarning

LIST = {
    "title": "Trades",
    "source": "made",
    "language": "xx",
    "protected": {"men": ["kona", "kira", "kulo"], "women": ["tuma", "tela", "tiro"]},
    "associated": {"men": ["trades"], "women": ["home"]},
    "attributes": {
        "trades": ["sola", "sima", "sura", "selo"],
        "home": ["mita", "mela", "muno", "mori"],
    },
    "controls": {},
}
WORDS = [w for table in ("protected", "attributes") for ws in LIST[table].values() for w in ws]
OTHERS = [a + b + c for a in ("ba", "de", "fo", "gu") for b in ("la", "re", "no") for c in "xyzvwq"]
DIM = 8


@pytest.fixture(scope="module")
def rows():
    """Vectors of the list's words and of 300 others, in which men are nearer to trades."""
    rng = np.random.default_rng(5)
    others = [f"{word}{end}" for word in OTHERS for end in ("an", "en", "in", "on", "un")][:300]
    found = {w: rng.standard_normal(DIM) + 0.3 for w in [*others[:40], *WORDS, *others[40:]]}
    axis = rng.standard_normal(DIM)
    for word in WORDS:
        found[word] += axis if word[0] in "ks" else -axis
    return {word: np.round(vector, 3).astype("<f4") for word, vector in found.items()}


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "l.json").write_text(json.dumps(LIST))
    return tmp_path


def text(rows, *, n=None):
    lines = [f"{word} {' '.join(map(str, vector.tolist()))}" for word, vector in rows.items()]
    return "\n".join([f"{len(rows) if n is None else n} {DIM}", *lines, ""]).encode()


def said(capsys, *typed, code=0):
    """Run a command; return what it prints, as one line, and what it notes."""
    capsys.readouterr()
    try:
        found = main([str(word) for word in typed])
    except SystemExit as stop:
        found = stop.code
    output = capsys.readouterr()
    assert found == code, output.err
    return " ".join(output.out.split()), " ".join(output.err.split())


def answers(capsys, file, *options):
    """Return the sentences of an analysis and the numbers of its contrasts."""
    out, _ = said(capsys, "analyze", file, "--wordlist", "l.json", "--json", *options)
    content = json.loads(out)
    rows = content["contrasts"]["connection"]["table"]
    return content["answers"], [row["mean"] for row in rows]


@pytest.fixture(scope="module")
def expected(rows):
    fit = bb.fit(bb.distances(bb.load_embedding(rows), LIST), seed=1)
    return fit.contrasts().table["mean"].tolist()


def test_one_answer_for_a_file_and_for_python(rows, expected, place, capsys):
    (place / "v.txt").write_bytes(text(rows))
    sentences, means = answers(capsys, "v.txt")
    assert sentences
    assert means == pytest.approx(expected)
    assert answers(capsys, "v.txt", "--limit", "120")[1] == pytest.approx(expected)
    said(capsys, "convert", "v.txt", "store")
    assert answers(capsys, "store")[1] == pytest.approx(expected)


def test_where_no_words_tell_how_alike_attributes_are_fit_terminal_and_page_say_so(
    rows, place, capsys
):
    alone = {word: rows[word] for word in WORDS}
    note = "Attributes count as unrelated: the vectors come with fewer than 200 words beside"
    fit = bb.fit(bb.distances(bb.load_embedding(alone), LIST), seed=1)
    assert any(one.startswith(note) for one in fit.notes)
    bb.write_report(fit, place / "page.html")
    assert note in " ".join((place / "page.html").read_text(encoding="utf-8").split())
    (place / "v.txt").write_bytes(text(alone))
    out, _ = said(capsys, "analyze", "v.txt", "--wordlist", "l.json", "--out", "o", "--report")
    assert note in out
    assert note in " ".join((place / "o" / "report.html").read_text(encoding="utf-8").split())
    whole = bb.fit(bb.distances(bb.load_embedding(rows), LIST), seed=1)
    bb.write_report(whole, place / "whole.html")
    assert "count as unrelated" not in (place / "whole.html").read_text(encoding="utf-8")


def test_lists_as_json_text_files_and_python(rows, place, capsys):
    sets = [*LIST["protected"].values(), *LIST["attributes"].values()]
    four = dict(zip(("targ1", "targ2", "attr1", "attr2"), sets, strict=True))
    (place / "four.json").write_text(json.dumps(four | {"language": "xx"}))
    (place / "v.txt").write_bytes(text(rows))
    out, _ = said(capsys, "analyze", "v.txt", "--wordlist", "four.json", "--model", "paper")
    assert "associated − different" in out
    files = []
    for name, words in zip("XYAB", sets, strict=True):
        (place / f"{name}.txt").write_text("\n".join(words))
        files.append(f"{name}.txt")
    out, _ = said(capsys, "wordlists", "import", *files, "--out", "four.toml")
    assert "X (3 from 'kona' on) with A (4 from 'sola' on)" in out
    assert bb.load_wordlist("four.toml").words[:6] == bb.load_wordlist(sets).words[:6]


def test_a_set_that_is_nobodys_and_other_names_of_a_word(rows, place, capsys):
    attributes = LIST["attributes"] | {"nobody": ["baraxan", "CEO", *list(rows)[:3]]}
    third = LIST | {"attributes": attributes, "aliases": {"CEO": ["absent", list(rows)[5]]}}
    (place / "third.json").write_text(json.dumps(third))
    (place / "v.txt").write_bytes(text(rows))
    out, _ = said(capsys, "analyze", "v.txt", "--wordlist", "third.json")
    assert "missing attribute words of nobody (1): baraxan" in out
    assert re.search(r"nobody men women between groups [-+]0\.\d+", out)
    out, _ = said(capsys, "measures", "v.txt", "--wordlist", "third.json")
    assert "MAC" in out
    with pytest.warns(MissingWordsWarning):
        frame = bb.distances(bb.load_embedding(rows), third)
    fit = bb.fit(frame, seed=1)
    table = fit.contrasts("group", sets=("trades", "nobody")).table
    assert set(table["group"]) == {"men", "women"}
