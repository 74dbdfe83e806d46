"""The command ``analogy``."""

import json

import numpy as np
import pandas as pd
import pytest

import bayesbias as bb
from bayesbias.support.bounded_files import file_checksum

HAND = {
    "man": [1, 0, 0],
    "woman": [0, 1, 0],
    "doctor": [0.6, 0, 0.8],
    "nurse": [0, 0.6, 0.8],
    "patient": [0, 0, 1],
}


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    place = tmp_path_factory.mktemp("vectors")
    kv = bb.load_embedding((list(HAND), np.array(list(HAND.values()))))
    kv.save_word2vec_format(str(place / "hand.bin"), binary=True)
    questions = ": jobs\nman doctor woman nurse\nman x woman y\n"
    (place / "q.txt").write_text(questions, encoding="utf-8")
    return place


def test_a_query_shows_both_settings_and_writes_them(files, out, printed):
    options = "--method all --both --reported patient --out OUT"
    said = printed(f"analogy hand.bin man doctor woman {options}")
    for part in (
        *("man : doctor :: woman : ?", "3cosmul", "unconstrained  ", "reversed, constrained"),
        "reported 'patient': unconstrained rank 3 of 5, constrained rank 2 of 2",
    ):
        assert part in said
    names = "answers.csv manifest.json reported.csv winners.csv"
    assert sorted(p.name for p in out.iterdir()) == names.split()
    table = pd.read_csv(out / "answers.csv", keep_default_na=False)
    assert set(table["setting"]) == {"constrained", "unconstrained"}
    manifest = json.loads((out / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["embedding_sha256"] == file_checksum(files / "hand.bin")
    assert manifest["parameters"]["delta"] == 1.0


def test_one_setting_alone(printed):
    options = "--method 3cosadd --constrained --top 1"
    said = printed(f"analogy hand.bin man doctor woman {options}")
    assert "  unconstrained" not in said
    assert "nurse 1.240" in said
    assert "\nunconstrained: 'nurse' wins" in said  # what no column of the table shows
    assert "\nreversed, unconstrained: its input 'man' (a) wins" in said


def test_two_words_rank_pairs(printed):
    said = printed("analogy hand.bin man woman --delta 0.86")
    assert "man : woman as b : d   5 words, 3 pairs within δ = 0.86" in said
    assert "nurse" in said


def test_a_file_of_questions(out, printed):
    assert "macro average" in printed("analogy hand.bin --questions q.txt --out OUT --figures")
    names = "accuracy.png answers.csv categories.csv manifest.json skipped.csv summary.csv"
    assert sorted(p.name for p in out.iterdir()) == names.split()
    assert pd.read_csv(out / "skipped.csv")["reason"].tolist() == ["'x' is not in the vectors"]
