"""The command ``analogy``."""

import json

import numpy as np
import pandas as pd
import pytest

import bayesbias as bb
from bayesbias.cli import main
from bayesbias.support.bounded_files import file_checksum

HAND = {
    "man": [1, 0, 0],
    "woman": [0, 1, 0],
    "doctor": [0.6, 0, 0.8],
    "nurse": [0, 0.6, 0.8],
    "patient": [0, 0, 1],
}


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    path = tmp_path_factory.mktemp("vectors") / "hand.bin"
    kv = bb.load_embedding((list(HAND), np.array(list(HAND.values()))))
    kv.save_word2vec_format(str(path), binary=True)
    return str(path)


def test_a_query_shows_both_settings_and_writes_them(file, tmp_path, capsys):
    out = tmp_path / "out"
    options = "man doctor woman --method all --both --reported patient --out"
    assert main(["analogy", file, *options.split(), str(out)]) == 0
    printed = capsys.readouterr().out
    for part in (
        *("man : doctor :: woman : ?", "3cosmul", "unconstrained  ", "reversed, constrained"),
        "reported 'patient': unconstrained rank 3 of 5, constrained rank 2 of 2",
    ):
        assert part in printed
    assert sorted(p.name for p in out.iterdir()) == [
        "answers.csv",
        "manifest.json",
        "reported.csv",
        "winners.csv",
    ]
    table = pd.read_csv(out / "answers.csv", keep_default_na=False)
    assert set(table["setting"]) == {"constrained", "unconstrained"}
    manifest = json.loads((out / "manifest.json").read_text())
    assert manifest["embedding_sha256"] == file_checksum(file)
    assert manifest["parameters"]["delta"] == 1.0


def test_one_setting_alone(file, capsys):
    options = "man doctor woman --method 3cosadd --constrained --top 1"
    assert main(["analogy", file, *options.split()]) == 0
    printed = capsys.readouterr().out
    assert "  unconstrained" not in printed
    assert "nurse 1.240" in printed
    assert "\nunconstrained: 'nurse' wins" in printed  # what no column of the table shows
    assert "\nreversed, unconstrained: its input 'man' (a) wins" in printed


def test_two_words_rank_pairs(file, capsys):
    assert main(["analogy", file, "man", "woman", "--delta", "0.86"]) == 0
    printed = capsys.readouterr().out
    assert "man : woman as b : d   5 words, 3 pairs within δ = 0.86" in printed
    assert "nurse" in printed


def test_a_file_of_questions(file, tmp_path, capsys):
    questions = tmp_path / "q.txt"
    questions.write_text(": jobs\nman doctor woman nurse\nman x woman y\n", encoding="utf-8")
    out = tmp_path / "out"
    assert (
        main(["analogy", file, "--questions", str(questions), "--out", str(out), "--figures"]) == 0
    )
    assert "macro average" in capsys.readouterr().out
    names = "accuracy.png answers.csv categories.csv manifest.json skipped.csv summary.csv"
    assert sorted(p.name for p in out.iterdir()) == names.split()
    assert pd.read_csv(out / "skipped.csv")["reason"].tolist() == ["'x' is not in the vectors"]
