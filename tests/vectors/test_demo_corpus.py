"""The demo: the package's own main job, with nothing to fetch and no file to find."""

import json

import numpy as np
import pytest

import bayesbias as bb
from bayesbias.cli import main
from bayesbias.vectors import demo_corpus
from bayesbias.vectors.demo_corpus import demo_embedding, demo_embedding_path

FAST = ["--draws", "500"]


def without_page(monkeypatch):
    """Write no page, for which other models are fitted."""
    monkeypatch.setattr("bayesbias.report.write_report", lambda *_, **__: None)


@pytest.mark.usefixtures("undrawn")
def test_the_demo_finds_something_and_says_where_to_go_next(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["demo", *FAST]) == 0
    printed = capsys.readouterr().out
    row = next(line for line in printed.splitlines() if line.startswith("associated − different"))
    assert row.split()[-1] == "closer"
    assert "missing attribute words of neutral (" in printed
    assert "Open bayesbias-demo/report.html" in printed
    assert "GloVe" in printed.split("Next,")[1]
    folder = tmp_path / "bayesbias-demo"
    assert (folder / "report.html").stat().st_size > 10_000
    assert len(bb.load_fit(folder).design.protected) == 14
    without_page(monkeypatch)
    assert main(["demo", "--quiet", "--model", "paper", *FAST]) == 0  # again, over the first
    assert capsys.readouterr().out == ""


@pytest.mark.slow
@pytest.mark.usefixtures("undrawn")
def test_the_demo_can_train_its_vectors(tmp_path, capsys):
    assert main(["demo", "--train", "--out", str(tmp_path / "demo"), *FAST]) == 0
    printed = capsys.readouterr().out
    assert "missing protected words of woman (1): hers" in printed
    assert "noisy vectors and wide intervals" in printed
    fit = bb.load_fit(tmp_path / "demo" / "fit.nc")
    assert len(fit.design.protected) == 13


@pytest.mark.slow
def test_trained_again_the_vectors_are_the_same(monkeypatch):
    """So that the demo says the same everywhere. One epoch is enough to see it."""
    monkeypatch.setitem(demo_corpus._TRAINING, "epochs", 1)
    once, again = demo_corpus._train(), demo_corpus._train()
    np.testing.assert_array_equal(once.vectors, again.vectors)


def test_trained_vectors_are_kept_under_a_checksum_and_damage_is_mended(tmp_path, monkeypatch):
    """With a few vectors in the place of training, which takes half a minute."""
    trained = []

    def train():
        trained.append(bb.load_embedding({"a": [1.0, 2.0], "b": [3.0, 4.0]}))
        return trained[-1]

    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    monkeypatch.setattr(demo_corpus, "_train", train)
    first = demo_embedding()
    cached = demo_embedding_path()
    assert cached.is_relative_to(tmp_path)
    seal = json.loads(cached.with_suffix(".json").read_text())
    np.testing.assert_array_equal(demo_embedding().vectors, first.vectors)
    assert len(trained) == 1
    cached.write_bytes(cached.read_bytes()[:-4] + b"0123")
    np.testing.assert_array_equal(demo_embedding().vectors, first.vectors)
    assert len(trained) == 2
    cached.with_suffix(".json").write_text("")
    np.testing.assert_array_equal(demo_embedding().vectors, first.vectors)
    assert len(trained) == 3
    assert json.loads(cached.with_suffix(".json").read_text()) == seal


@pytest.mark.usefixtures("undrawn")
def test_planted_association_is_recovered(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    without_page(monkeypatch)
    assert main(["demo", "--planted", "--prob", "0.99", "--model", "paper", *FAST]) == 0
    printed = capsys.readouterr().out
    recovered = printed[printed.index("Planted and recovered (99% HPDI):") :]
    assert recovered.count(": inside") == 4
