"""The demo: the package's own main job, with nothing to fetch and no file to find."""

import json

import numpy as np
import pytest

import bayesbias as bb
from bayesbias.cli import main
from bayesbias.vectors.demo_corpus import demo_embedding, demo_embedding_path

FAST = ["--draws", "500"]


@pytest.mark.sampling
def test_demo_runs_and_says_what_it_is(tmp_path, capsys):
    assert main(["demo", "--out", str(tmp_path / "demo"), *FAST]) == 0
    printed = capsys.readouterr().out
    assert "missing protected words of woman (1): hers" in printed
    assert "wide intervals; that is the lesson" in printed
    fit = bb.load_fit(tmp_path / "demo" / "fit.nc")
    assert len(set(fit.pairs["protected_word"])) == 13

    # The vectors are kept, under a checksum; damage is noticed and mended.
    cached = demo_embedding_path()
    seal = json.loads(cached.with_suffix(".json").read_text())
    first = demo_embedding()
    cached.write_bytes(cached.read_bytes()[:-10] + b"0123456789")
    again = demo_embedding()
    cached.with_suffix(".json").write_text("")
    np.testing.assert_array_equal(demo_embedding().vectors, first.vectors)
    np.testing.assert_array_equal(first.vectors, again.vectors)
    assert json.loads(cached.with_suffix(".json").read_text()) == seal


@pytest.mark.sampling
def test_planted_association_is_recovered(capsys):
    assert main(["demo", "--planted", "--prob", "0.99", *FAST]) == 0
    printed = capsys.readouterr().out
    recovered = printed[printed.index("Planted and recovered (99% HPDI):") :]
    assert recovered.count(": inside") == 4
