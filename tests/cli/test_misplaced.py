"""Word lists where vectors belong, and the reverse: the call that is meant is said."""

import json

import pytest

from bayesbias.cli import main

LIST = {"X": ["he"], "Y": ["she"], "A": ["nurse"], "B": ["doctor"]}
CALLS = [
    ("analyze gender v.txt", "bayesbias analyze v.txt --wordlist gender"),
    ("analyze v.txt gender", "bayesbias analyze v.txt --wordlist gender"),
    ("analyze gender", "bayesbias analyze FILE --wordlist gender"),
    ("analyze weat1 gender v.txt", "bayesbias analyze v.txt --wordlist weat1,gender"),
    ("analyze v.txt --wordlist gender weat1", "bayesbias analyze v.txt --wordlist gender,weat1"),
    ("analyze -w gender v.txt", "bayesbias analyze v.txt --wordlist gender"),
    ("analyze l.toml v.txt", "bayesbias analyze v.txt --wordlist l.toml"),
    ("analyze l.json v.txt", "bayesbias analyze v.txt --wordlist l.json"),
    ("measures gender v.txt", "bayesbias measures v.txt --wordlist gender"),
    ("compare gender v.txt w.txt", "bayesbias compare v.txt w.txt --wordlist gender"),
    ("compare v.txt w.txt gender", "bayesbias compare v.txt w.txt --wordlist gender"),
    ("debias hard gender v.txt o", "bayesbias debias hard v.txt o --wordlist gender"),
    ("facts gender v.txt --column n", "bayesbias facts v.txt --wordlist gender"),
    ("wordlists check gender v.txt", "bayesbias wordlists check gender --embedding v.txt"),
    (
        "wordlists check v.txt --embedding gender",
        "bayesbias wordlists check gender --embedding v.txt",
    ),
    ("analyze --embedding v.txt", "without it, first: bayesbias analyze VALUE"),
]


@pytest.fixture
def place(tmp_path, monkeypatch):
    for name in ("v.txt", "w.txt"):
        (tmp_path / name).write_text("he 1 2\nshe 2 1\nnurse 1 1\ndoctor 2 3\n")
    vectors = {"he": [1, 2, 2], "she": [2, 1, 1], "nurse": [1, 1, 0], "doctor": [2, 0, 1]}
    (tmp_path / "v.json").write_text(json.dumps(vectors))
    (tmp_path / "l.json").write_text(json.dumps(LIST))
    monkeypatch.chdir(tmp_path)


@pytest.mark.parametrize(("typed", "meant"), CALLS)
def test_the_call_that_is_meant_is_said(typed, meant, place, capsys):
    with pytest.raises(SystemExit) as caught:
        main(typed.split())
    assert caught.value.code == 2
    assert f"{meant};" in capsys.readouterr().err


def test_vectors_in_json_are_no_word_list(place, capsys):
    assert main(["measures", "v.json", "--wordlist", "l.json"]) == 0
    assert "WEAT" in capsys.readouterr().out
    assert main(["analyze", "l.json", "--wordlist", "v.txt"]) == 2
    assert "l.json: is a word list, and v.txt is not; swap them" in capsys.readouterr().err
