"""Training runs: a seed gives the same vectors, and a run that is there is not trained again."""

import json

import numpy as np
import pytest

import bayesbias as bb
from bayesbias.errors import ArgumentError, DistancesError, OutputError

SMALL = {"vector_size": 8, "epochs": 1, "min_count": 1}


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    wordlist = bb.load_wordlist("weat7")
    rng = np.random.default_rng(1)
    path = tmp_path_factory.mktemp("corpus") / "corpus.txt"
    lines = [" ".join(rng.choice(list(wordlist.words), 12)) for _ in range(400)]
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def runs(corpus, tmp_path_factory):
    folder = tmp_path_factory.mktemp("runs") / "out"
    return bb.training_runs(corpus, folder, seeds=2, progress=False, **SMALL)


def test_a_seed_gives_the_same_vectors(corpus, runs, tmp_path):
    again = bb.training_runs(corpus, tmp_path, seeds=2, progress=False, **SMALL)
    contents = [[path.read_bytes() for path in found.values()] for found in (runs, again)]
    assert contents[0] == contents[1]
    assert contents[0][0] != contents[0][1]


def test_a_run_that_is_there_is_not_trained_again(corpus, runs):
    times = [path.stat().st_mtime_ns for path in runs.values()]
    folder = next(iter(runs.values())).parent
    more = bb.training_runs(corpus, folder, seeds=3, progress=False, **SMALL)
    assert [path.stat().st_mtime_ns for path in more.values()][:2] == times
    assert sorted(p.name for p in folder.iterdir()) == [
        "runs.json",
        "seed-1.bin",
        "seed-2.bin",
        "seed-3.bin",
    ]
    assert json.loads((folder / "runs.json").read_text())["settings"]["vector_size"] == 8


def test_runs_of_other_settings_are_not_mixed(corpus, runs):
    folder = next(iter(runs.values())).parent
    with pytest.raises(OutputError, match="another settings"):
        bb.training_runs(corpus, folder, seeds=2, progress=False, **{**SMALL, "vector_size": 9})


def test_what_cannot_be_trained_is_refused(tmp_path):
    with pytest.raises(ArgumentError, match="no such file"):
        bb.training_runs(tmp_path / "absent.txt", tmp_path)
    with pytest.raises(ArgumentError, match="vector_size"):
        bb.training_runs("demo", tmp_path, vector_sise=5)
    (tmp_path / "short.txt").write_text("one two three\n")
    with pytest.raises(ArgumentError, match="min_count"):
        bb.training_runs(tmp_path / "short.txt", tmp_path / "out", seeds=1, progress=False)


@pytest.mark.filterwarnings("ignore::bayesbias.errors.MissingWordsWarning")
def test_distances_of_runs_become_changes_and_files(runs, tmp_path):
    frame = bb.distances_of_runs(runs, "weat7")
    assert frame["run"].unique().tolist() == ["seed 1", "seed 2"]
    assert len(frame) == 2 * len(bb.distances(bb.load_embedding(runs["seed 1"]), "weat7"))
    bb.write_distances(frame, tmp_path / "pairs.csv")
    read = bb.read_distances(tmp_path / "pairs.csv")
    assert read["run"].tolist() == frame["run"].tolist()
    with pytest.raises(DistancesError, match="take the model 'runs'"):
        bb.fit(frame)
    one = frame[frame["run"] == "seed 1"].drop(columns="run")
    with pytest.raises(DistancesError, match="the frame after has not"):
        bb.compare_change(frame, one)
    with pytest.raises(DistancesError, match="no training run in common"):
        bb.compare_change(frame, frame.assign(run="x" + frame["run"]))
    with pytest.raises(ArgumentError, match="at least two training runs"):
        bb.distances_of_runs({"seed 1": runs["seed 1"]}, "weat7")
