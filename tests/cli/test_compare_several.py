"""The command ``compare`` with several embeddings side by side, and over time."""

import json

import numpy as np
import pandas as pd
import pytest
from samples import make_frame, quick_embeddings

import bayesbias as bb
from bayesbias.cli import main
from bayesbias.studies import across_embeddings

SIZES = {"associated": 4, "different": 4, "human": 2, "neutral": 3}


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Three files of distances; associated pairs come nearer from each to the next."""
    place = tmp_path_factory.mktemp("files")
    rng = np.random.default_rng(1)
    found = []
    for number in range(3):
        frame = make_frame(n_attributes=SIZES, seed=3)
        frame["cosine_distance"] += rng.normal(0, 0.005, len(frame))
        frame.loc[frame.connection == "associated", "cosine_distance"] -= 0.1 * number
        found.append(str(place / f"v{number}.csv"))
        bb.write_distances(frame, found[-1])
    return found


@pytest.mark.usefixtures("undrawn")
def test_three_files_are_several_embeddings(files, tmp_path, capsys, monkeypatch):
    """By the default model, of which two terms are enough here."""
    quick = {"embeddings": quick_embeddings(tmp_path), "runs": "runs"}
    load = across_embeddings.load_model
    monkeypatch.setattr(across_embeddings, "load_model", lambda name: load(quick[name]))
    out = tmp_path / "out"
    assert main(["compare", *files, "--seed", "1", "--out", str(out), "--figures"]) == 0
    printed = capsys.readouterr().out
    assert "One model of 3 embeddings" in printed
    assert "Probability of each rank by associated − different" in printed
    assert {p.name for p in out.glob("*.csv")} == {
        f"{name}.csv"
        for name in ("table", "words", "contrasts", "ranks", "differences", "unshared")
    }
    assert (out / "embeddings.png").exists()
    manifest = json.loads((out / "manifest.json").read_text())
    assert manifest["embeddings"] == {f"v{i}": file for i, file in enumerate(files)}
    assert manifest["model"] == "embeddings"
    ranks = pd.read_csv(out / "ranks.csv").set_index(["contrast", "embedding"])
    assert ranks.loc[("associated − different", "v2"), "rank_1"] > 0.99


@pytest.mark.slow
def test_two_files_are_several_embeddings_if_one_says_so(files, capsys):
    assert main(["compare", *files[:2], "--embeddings", "--names", "a,b", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert {row["embedding"] for row in found["contrasts"]} == {"a", "b"}
    assert main(["compare", *files[:2], "--json"]) == 0
    assert "answers" in json.loads(capsys.readouterr().out)


def test_files_in_order_are_times(files, tmp_path, capsys, undrawn):
    """Named by their times in any order; the answer is in the order of time."""
    out = tmp_path / "out"
    shuffled = [files[2], files[0], files[1]]
    order = ["--order", "1920,1900,1910", "--model", "change"]
    assert main(["compare", *shuffled, *order, "--seed", "1", "--out", str(out), "--figures"]) == 0
    printed = capsys.readouterr().out
    assert "3 times, 1900 to 1920" in printed
    trend = pd.read_csv(out / "trend.csv").set_index(["group", "contrast"])
    row = trend.loc[("all groups", "associated − different")]
    assert row["listed"] == pytest.approx(-0.2, abs=0.01)
    steps = pd.read_csv(out / "steps.csv")
    assert steps[["from", "to"]].drop_duplicates().to_numpy().tolist() == [
        [1900, 1910],
        [1910, 1920],
    ]
    assert (out / "over_time.png").exists()


@pytest.mark.slow
def test_names_in_order_are_times_one_apart(files, capsys):
    assert main(["compare", *files, "--order", "early,middle,late", "--json", "--seed", "1"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["times"] == {"early": 0.0, "middle": 1.0, "late": 2.0}
