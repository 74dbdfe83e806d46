"""The command ``facts``."""

import json

import numpy as np
import pandas as pd
import pytest
from alike import list_frame

import bayesbias as bb
from bayesbias.cli import main

JOBS = {
    "nurse": 0.9,
    "librarian": 0.8,
    "secretary": 0.93,
    "lawyer": 0.4,
    "soldier": 0.15,
    "doctor": 0.4,
    "maid": 0.9,
    "janitor": 0.3,
    "officer": 0.2,
    "dancer": 0.8,
}


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """The shipped vectors, and a table with a word that they lack and a word without a number."""
    place = tmp_path_factory.mktemp("facts")
    bb.example_embedding().save_word2vec_format(str(place / "v.bin"), binary=True)
    rows = [f"{word},{share},0.02" for word, share in JOBS.items()]
    (place / "jobs.csv").write_text("\n".join(["word,share,se", *rows, "unicorn,0.5,", "clerk,,"]))
    bb.write_distances(list_frame(n_words=(4, 4), sizes=(5, 5)), place / "d.csv")
    words = [f"s{i}{j}" for i in range(2) for j in range(5)]
    (place / "t.csv").write_text("\n".join(["word,n", *(f"{w},{k}" for k, w in enumerate(words))]))
    return place


def test_facts_of_vectors_are_printed_and_written(files, tmp_path, capsys, monkeypatch):
    monkeypatch.chdir(files)
    options = [
        *("--wordlist", "gender", "--column", "share", "--error", "se", "--groups", "woman,man"),
        *("--seed", "3"),
    ]
    written = ["--out", str(tmp_path / "o"), "--figures"]
    assert main(["facts", "jobs.csv", "v.bin", *options, *written]) == 0
    printed = capsys.readouterr().out
    assert "missing attribute words of share (1): unicorn" in printed
    said = "Words with a larger share are nearer to words for women than to words for men"
    assert said in " ".join(printed.split())
    assert "Left out: unicorn, clerk" in " ".join(printed.split())
    names = sorted(path.name for path in (tmp_path / "o").iterdir())
    assert names == ["facts.png", "left_out.csv", "line.csv", "manifest.json", "words.csv"]
    row = pd.read_csv(tmp_path / "o" / "line.csv").iloc[0]
    assert (row["n_words"], row["verdict"]) == (10, "rises")
    vectors = bb.load_embedding(files / "v.bin", progress=False)
    listed = bb.load_wordlist("gender").with_attributes([*JOBS, "clerk"], "share")
    table = pd.DataFrame({"word": JOBS.keys(), "share": JOBS.values(), "se": 0.02})
    fit = bb.fit(bb.distances(vectors, listed), seed=3)
    same = bb.facts(fit, table, "share", error="se", groups=("woman", "man"), seed=3)
    assert row["slope"] == pytest.approx(same.table["slope"].item(), rel=1e-5)  # six digits


def test_facts_of_distances_as_json(files, capsys, monkeypatch):
    monkeypatch.chdir(files)
    command = ["facts", "t.csv", "--distances", "d.csv", "--column", "n", "--json"]
    assert main(command) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["table"][0]["n_words"] == 10
    assert np.isfinite(found["table"][0]["slope"])
