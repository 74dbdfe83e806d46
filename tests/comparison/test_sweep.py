"""Grids: the same digits, picked up, and nothing lost."""

import json
import os
import signal
import subprocess
import sys
import time

import numpy as np
import pandas as pd
import pytest
from samples import ROOT

import bayesbias as bb
from bayesbias.errors import ArgumentError, OutputError
from bayesbias.vectors.lookup import keyed_vectors

GRID = """
seed = 1
models = ["paper"]
wordlists = ["lists/*.json"]
[vectors]
all = "vectors/*.bin"
"""
WORDS = [f"word{i}" for i in range(14)]
LIST = {
    "groups": {"first": WORDS[:3], "second": WORDS[3:6]},
    "attributes": {"here": WORDS[6:8], "there": WORDS[8:11]},
    "associated": {"first": ["here"], "second": ["there"]},
    "controls": {"neutral": WORDS[11:]},
}


@pytest.fixture
def place(tmp_path):
    """Two files of vectors, a list that is in both, and one that is in neither."""
    for folder in ("vectors", "lists"):
        (tmp_path / folder).mkdir()
    for number, name in enumerate(("a", "b")):
        matrix = np.random.default_rng(number).normal(size=(len(WORDS), 20)).astype("f4")
        kv = keyed_vectors(WORDS, matrix)
        kv.save_word2vec_format(str(tmp_path / "vectors" / f"{name}.bin"), binary=True)
    lost = {**LIST, "attributes": {"here": ["x", "y"], "there": WORDS[8:11]}}
    for name, content in {"good": LIST, "lost": lost}.items():
        (tmp_path / "lists" / f"{name}.json").write_text(json.dumps(content), encoding="utf-8")
    (tmp_path / "sweep.toml").write_text(GRID, encoding="utf-8")
    return tmp_path


def test_a_grid_has_the_digits_of_analyze(place):
    found = bb.run_sweep(place / "sweep.toml", place / "out", progress=False)
    assert found.tasks[["vectors", "wordlist", "status"]].to_numpy().tolist() == [
        ["a", "good", "done"],
        ["a", "lost", "not applicable"],
        ["b", "good", "done"],
        ["b", "lost", "not applicable"],
    ]
    assert (found.tasks["status"] == "failed").sum() == 0
    for name in ("a", "b"):
        kv = bb.load_embedding(place / "vectors" / f"{name}.bin")
        alone = bb.analyze(kv, place / "lists" / "good.json", "paper", seed=1).contrasts()
        own = found.table[found.table["vectors"] == name][alone.columns].reset_index(drop=True)
        pd.testing.assert_frame_equal(own, alone, check_exact=True, check_dtype=False)
    written = pd.read_csv(place / "out" / "contrasts.csv")
    assert list(written.columns) == list(found.rows().columns)
    numbers = found.rows().select_dtypes("number")
    written_numbers = written[numbers.columns].astype(numbers.dtypes)
    pd.testing.assert_frame_equal(written_numbers, numbers, rtol=1e-12)
    assert (written["contrast"] != found.table["contrast"]).any()  # a minus that keyboards have


def test_a_folder_of_other_results_is_refused(place):
    (place / "out").mkdir()
    (place / "out" / "contrasts.csv").write_text("x", encoding="utf-8")
    with pytest.raises(OutputError, match="no folder of a sweep"):
        bb.run_sweep(place / "sweep.toml", place / "out", progress=False)
    assert (place / "out" / "contrasts.csv").read_text(encoding="utf-8") == "x"


def test_what_is_done_is_not_done_again(place, monkeypatch):
    bb.run_sweep(place / "sweep.toml", place / "out", progress=False)
    before = (place / "out" / "contrasts.csv").read_bytes()
    tasks = sorted((place / "out" / "tasks").iterdir())
    stamps = {path.name: path.stat().st_mtime_ns for path in tasks}
    done = [path for path in tasks if json.loads(path.read_text())["status"] == "done"]
    done[0].write_text("{", encoding="utf-8")  # as a crash of the disk leaves it
    bb.run_sweep(place / "sweep.toml", place / "out", progress=False)
    again = {p.name for p in tasks if p.stat().st_mtime_ns != stamps[p.name]}
    assert again == {done[0].name}
    assert (place / "out" / "contrasts.csv").read_bytes() == before


def test_a_file_that_changed_is_done_again_and_one_that_is_broken_fails_alone(place):
    bb.run_sweep(place / "sweep.toml", place / "out", progress=False)
    (place / "vectors" / "a.bin").write_bytes(b"no vectors")
    found = bb.run_sweep(place / "sweep.toml", place / "out", progress=False)
    assert found.tasks["status"].tolist() == ["failed", "failed", "done", "not applicable"]
    assert "a.bin" in found.tasks.set_index("status").loc[["failed"], "reason"].iloc[0]
    assert "a, good" in repr(found)


def test_all_faults_of_a_file_are_named(place):
    text = 'seed = -1\nmodel = "paper"\nwordlists = ["nothing"]\nci_prob = 2\n'
    text += '[vectors]\na = "no.bin"\n'
    (place / "bad.toml").write_text(text, encoding="utf-8")
    with pytest.raises(ArgumentError) as caught:
        bb.run_sweep(place / "bad.toml", place / "out")
    for part in ("5 faults", "seed=-1", "model: unknown key", "'nothing'", "prob=2", "no.bin"):
        assert part in str(caught.value)


def test_an_atlas_has_a_cell_for_every_task(place):
    found = bb.run_sweep(place / "sweep.toml", place / "out", progress=False)
    (axes,) = found.plot().axes
    texts = [text.get_text() for text in axes.texts]
    assert len(texts) == 4
    assert texts.count("–") == 2


SCRIPT = """
import sys
import bayesbias as bb
if __name__ == "__main__":
    scheduler = sys.argv[4] if len(sys.argv) > 4 else None
    bb.run_sweep(sys.argv[1], sys.argv[2], jobs=int(sys.argv[3]), scheduler=scheduler)
"""


def fill(place, lists, model):
    """Make a larger grid, of four files."""
    text = GRID.replace('"lists/*.json"', lists).replace("paper", model)
    (place / "sweep.toml").write_text(text, encoding="utf-8")
    for name in ("a", "b", "c", "d"):
        path = str(place / "vectors" / f"{name}.bin")
        bb.example_embedding().save_word2vec_format(path, binary=True)


def wait_for_a_task(out):
    deadline = time.monotonic() + 120
    while not list((out / "tasks").glob("*.json")) and time.monotonic() < deadline:
        time.sleep(0.05)


def start(place, out, *more):
    script = place / "run.py"
    script.write_text(SCRIPT, encoding="utf-8")
    command = [sys.executable, script, place / "sweep.toml", out, *map(str, more)]
    return subprocess.Popen(command, cwd=ROOT, stderr=subprocess.DEVNULL)


@pytest.mark.slow
def test_several_processes_leave_the_same_bytes(place):
    bb.run_sweep(place / "sweep.toml", place / "one", progress=False)
    assert start(place, place / "two", 2).wait(timeout=300) == 0
    files = [place / name / "contrasts.csv" for name in ("one", "two")]
    assert files[0].read_bytes() == files[1].read_bytes()


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_on_dask_a_killed_worker_changes_no_byte(place):
    distributed = pytest.importorskip("distributed")
    fill(place, '"gender", "weat1", "weat6", "weat7"', "paper")
    bb.run_sweep(place / "sweep.toml", place / "one", jobs=2, progress=False)
    options = {"n_workers": 2, "threads_per_worker": 1, "dashboard_address": None}
    with distributed.LocalCluster(processes=True, **options) as on:
        running = start(place, place / "two", 1, on.scheduler_address)
        wait_for_a_task(place / "two")
        with distributed.Client(on, set_as_default=False) as client:
            pids = list(client.run(os.getpid).values())
        assert os.getpid() not in pids
        os.kill(pids[0], signal.SIGKILL)
        assert running.wait(timeout=300) == 0
    files = [place / name / "contrasts.csv" for name in ("one", "two")]
    assert files[0].read_bytes() == files[1].read_bytes()


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="signals")
def test_sigterm_ends_all_processes_within_five_seconds(place):
    psutil = pytest.importorskip("psutil")
    fill(place, '"gender", "weat7"', "maximal")
    running = start(place, place / "out", 2)
    wait_for_a_task(place / "out")
    workers = psutil.Process(running.pid).children(recursive=True)
    assert len(workers) >= 2
    running.send_signal(signal.SIGTERM)
    assert running.wait(timeout=5) == -signal.SIGINT  # as a program that Ctrl-C ends
    _, alive = psutil.wait_procs(workers, timeout=5)
    assert not alive
