"""A folder with vectors and a word list, and what runs a command in it."""

import json

import pytest

import bayesbias as bb
from bayesbias.cli import main

WORDS = {
    "title": "Kin and occupations",
    "groups": {
        "men": ["he", "son", "father", "boy"],
        "women": ["she", "daughter", "mother", "girl"],
    },
    "associated": {"men": ["trades"], "women": ["care"]},
    "attributes": {
        "trades": ["manager", "lawyer", "soldier", "officer"],
        "care": ["nurse", "secretary", "dancer", "singer"],
    },
    "matched": [["he", "she"], ["son", "daughter"], ["father", "mother"], ["boy", "girl"]],
    "controls": {},
}


@pytest.fixture(scope="session")
def vectors():
    """The shipped vectors of the list's words and of six hundred frequent ones."""
    kv = bb.example_embedding()
    lists = (WORDS["groups"], WORDS["attributes"])
    words = [w for table in lists for one in table.values() for w in one]
    words = [w for w in dict.fromkeys([*words, *kv.index_to_key[:600]]) if w in kv]
    return bb.load_embedding({word: kv[word] for word in words})


@pytest.fixture
def place(tmp_path, monkeypatch, vectors):
    """A folder with vectors.txt and list.json, which is the working folder."""
    lines = [f"{word} {' '.join(map(str, vectors[word]))}\n" for word in vectors.index_to_key]
    (tmp_path / "vectors.txt").write_text("".join(lines), encoding="utf-8")
    (tmp_path / "list.json").write_text(json.dumps(WORDS), encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.fixture
def run(capsys):
    """Return what runs a command: its exit code, what it printed, and its notes."""

    def ran(*words):
        code = main([str(word) for word in words])
        printed = capsys.readouterr()
        return code, printed.out, printed.err

    return ran
