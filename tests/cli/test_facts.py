"""The command ``facts``."""

import json

import numpy as np
import pandas as pd
import pytest
from alike import list_frame

import bayesbias as bb

WORDS = ["nurse", "librarian", "secretary", "lawyer", "soldier"]
WORDS += ["doctor", "maid", "janitor", "officer", "dancer"]
SHARES = (0.9, 0.8, 0.93, 0.4, 0.15, 0.4, 0.9, 0.3, 0.2, 0.8)
JOBS = dict(zip(WORDS, SHARES, strict=True))


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


def test_facts_of_vectors_are_printed_and_written(files, out, printed):
    options = "--wordlist gender --column share --error se --groups woman,man --seed 3"
    found = printed(f"facts jobs.csv v.bin {options} --out OUT --figures")
    assert "missing attribute words of share (1): unicorn" in found
    found = " ".join(found.split())
    said = 'Words with a larger "share" tend to be closer to words for women, relative to words for'
    assert said in found
    assert "Left out: unicorn, clerk" in found
    names = sorted(path.name for path in out.iterdir())
    assert names == ["facts.png", "left_out.csv", "line.csv", "manifest.json", "words.csv"]
    row = pd.read_csv(out / "line.csv").iloc[0]
    assert (row["n_words"], row["verdict"]) == (10, "rises")
    vectors = bb.load_embedding(files / "v.bin", progress=False)
    listed = bb.load_wordlist("gender").with_attributes([*JOBS, "clerk"], "share")
    table = pd.DataFrame({"word": JOBS.keys(), "share": JOBS.values(), "se": 0.02})
    fit = bb.fit(bb.distances(vectors, listed), seed=3)
    same = bb.facts(fit, table, "share", error="se", groups=("woman", "man"), seed=3)
    assert row["slope"] == pytest.approx(same.table["slope"].item(), rel=1e-5)  # six digits


def test_facts_of_distances_as_json(printed):
    (row,) = json.loads(printed("facts t.csv --distances d.csv --column n --json"))["table"]
    assert row["n_words"] == 10
    assert np.isfinite(row["slope"])
