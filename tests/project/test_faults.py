"""Faults, made for real: full disks, folders that cannot be written, signals, killed programs."""

import os
import signal
import subprocess
import sys
import time
from functools import partial

import numpy as np
import pytest
from samples import ROOT, hear_signals, make_frame, run_python

import bayesbias as bb
from bayesbias.cli import main
from bayesbias.errors import OutputError
from bayesbias.support import whole_files
from bayesbias.support.whole_files import new_file, new_folder

pytestmark = [
    pytest.mark.skipif(sys.platform == "win32", reason="signals, forks and mounts are POSIX's"),
    pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning"),
    # A writer that a full disk has stopped complains once more when Python 3.13 collects it.
    pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning"),
]


@pytest.fixture
def small_disk(tmp_path):
    """A disk of 256 kB."""
    place = tmp_path / "disk"
    place.mkdir()
    mounted = subprocess.run(
        ["mount", "-t", "tmpfs", "-o", "size=256k", "tmpfs", str(place)],
        capture_output=True,
        check=False,
    )
    if mounted.returncode:
        pytest.skip("a small disk needs the right to mount one")
    yield place
    subprocess.run(["umount", str(place)], check=True)


@pytest.fixture(scope="module")
def fit():
    return bb.fit(make_frame(), "paper", draws=2000, chains=4, seed=1)


def start(*arguments, cwd=ROOT):
    """Start Python in a process, and with those that it starts, in a group of its own."""
    return subprocess.Popen(
        [sys.executable, *map(str, arguments)],
        cwd=cwd,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        preexec_fn=hear_signals,
        start_new_session=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def results_written(disk, fit, **options):
    fit.write(disk / "out", checks=False, report=False, **options)


def distances_written(name):
    return lambda disk, fit: bb.write_distances(make_frame(n_words=1500), disk / name)


def debiased_saved(disk, fit):
    words = ["he", "she", *(f"w{i}" for i in range(2000))]
    kv = bb.load_embedding((words, np.eye(2002, 100, dtype=np.float32) + 0.1))
    bb.debias.subspace(kv, matched=[["he", "she"]], neutralise=["w9"]).save(disk / "v.bin")


@pytest.mark.parametrize(
    ("before", "write"),
    [
        ({"fit.nc": "older"}, lambda disk, fit: fit.save(disk / "fit.nc")),
        ({"out/manifest.json": '{"files": {}}'}, partial(results_written, overwrite=True)),
        ({}, debiased_saved),
        ({}, distances_written("d.csv")),
        ({}, distances_written("d.parquet")),
    ],
    ids=["fit", "results", "vectors", "csv", "parquet"],
)
def test_a_full_disk_while_something_is_written(small_disk, fit, before, write):
    """What was there stays, and nothing else does."""
    for name, content in before.items():
        (small_disk / name).parent.mkdir(exist_ok=True)
        (small_disk / name).write_text(content)
    with pytest.raises(OutputError, match=r"cannot be written"):
        write(small_disk, fit)
    files = [path for path in small_disk.rglob("*") if path.is_file()]
    assert {p.relative_to(small_disk).as_posix(): p.read_text() for p in files} == before
    assert len(list(small_disk.iterdir())) == len(before)


def test_a_read_only_disk(small_disk, fit, tmp_path):
    """Root may write to a folder without the permission, and not to a disk mounted read-only."""
    subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=True)
    with pytest.raises(OutputError, match="Read-only file system"):
        fit.save(small_disk / "fit.nc")
    with pytest.raises(OutputError, match=r"cannot be written"), new_folder(small_disk / "out"):
        pass


STOPPED = """
import os, signal, sys, threading, time
import bayesbias as bb
from bayesbias.engine import nuts
name = sys.argv[2]
sampler = __import__(name)
real = sampler.sample
if name == "pymc":
    nuts.find_spec = lambda name: None
def sample(*arguments, **options):
    options |= {"cores": 1}
    threading.Timer(4, os.kill, (os.getpid(), signal.SIGINT)).start()
    return real(*arguments, **options)
sampler.sample = sample
if __name__ == "__main__":
    frame, started = bb.read_distances(sys.argv[1]), time.monotonic()
    try:
        bb.fit(frame, "paper", engine="nuts", draws=300_000, tune=200,
               chains=3, seed=1, progress=False)
    except KeyboardInterrupt:
        print("stopped")
    os._exit(0)
"""


@pytest.mark.sampling
@pytest.mark.slow
@pytest.mark.parametrize("sampler", ["nutpie", "pymc"])
def test_ctrl_c_ends_every_chain(tmp_path, sampler):
    """300,000 draws take minutes; on one core PyMC would go on with the next chain."""
    pytest.importorskip(sampler)
    bb.write_distances(make_frame(), tmp_path / "d.csv")
    (tmp_path / "script.py").write_text(STOPPED)
    done = run_python(tmp_path / "script.py", tmp_path / "d.csv", sampler)
    assert done.stdout.split() == ["stopped"], done.stdout + done.stderr


def written(place, what):
    """Write a file or a folder of two."""
    if what == "file":
        with new_file(place / "out") as temporary:
            temporary.write_text("new")
        return
    with new_folder(place / "out", overwrite=what == "full") as temporary:
        (temporary / "a").write_text("new")
        (temporary / "manifest.json").write_text('{"files": {"a": ""}}')


def shown(place):
    """Return what is under names that are not hidden."""
    files = {p.relative_to(place).as_posix(): p for p in place.rglob("[!.]*") if p.is_file()}
    return {name: path.read_text() for name, path in files.items() if "/." not in f"/{name}"}


@pytest.mark.parametrize("what", ["file", "absent", "empty", "full"])
def test_a_killed_writer_leaves_what_was_there(what, tmp_path, monkeypatch):
    if what == "file":
        (tmp_path / "out").write_text("old")
    elif what != "absent":
        (tmp_path / "out").mkdir()
    if what == "full":
        (tmp_path / "out" / "a").write_text("old")
        (tmp_path / "out" / "manifest.json").write_text('{"files": {"a": ""}}')
    before = shown(tmp_path)
    child = os.fork()
    if child == 0:
        whole_files._flush = lambda path: os.kill(os.getpid(), signal.SIGKILL)
        written(tmp_path, what)
        os._exit(0)
    _, status = os.waitpid(child, 0)
    assert os.WTERMSIG(status) == signal.SIGKILL
    assert shown(tmp_path) == before
    assert any(path.name.startswith(".bayesbias-") for path in tmp_path.rglob("*"))
    written(tmp_path, what)
    assert set(shown(tmp_path).values()) >= {"new"}
    assert "old" not in shown(tmp_path).values()


def test_ctrl_c_while_commands_are_loaded_and_run(monkeypatch, capsys):
    from bayesbias.cli import app

    def interrupted(*message):
        raise KeyboardInterrupt(*message)

    monkeypatch.setattr(bb, "list_wordlists", lambda: interrupted("draws are kept"))
    assert main(["wordlists", "list"]) == 130
    assert capsys.readouterr().err == "bayesbias: draws are kept\n"
    monkeypatch.setattr(app, "run", lambda words: interrupted())
    assert main(["wordlists", "list"]) == 130
    assert capsys.readouterr().err == "bayesbias: interrupted; nothing was written\n"


GRID = """
seed = 1
models = ["maximal", "crossed"]
wordlists = ["gender", "weat1", "weat6", "weat7"]
[vectors]
a = "a.bin"
b = "b.bin"
"""


@pytest.mark.slow
@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGKILL])
def test_a_sweep_that_is_stopped_finishes_with_the_same_bytes(jobs, number, tmp_path):
    kv = bb.example_embedding()
    for name in ("a", "b"):
        kv.save_word2vec_format(str(tmp_path / f"{name}.bin"), binary=True)
    (tmp_path / "s.toml").write_text(GRID)

    def command(out):
        options = ["--jobs", jobs, "--json", "--out", out]
        return start("-m", "bayesbias", "sweep", "s.toml", *options, cwd=tmp_path)

    process = command("stopped")
    while not list((tmp_path / "stopped" / "tasks").glob("[!.]*")) and process.poll() is None:
        time.sleep(0.01)
    os.killpg(process.pid, number)  # Ctrl-C reaches all processes of a terminal
    _, messages = process.communicate(timeout=60)
    if number == signal.SIGINT:
        assert process.returncode == 130
        assert "are kept in stopped" in messages
        assert "Traceback" not in messages
    assert 0 < len(list((tmp_path / "stopped" / "tasks").glob("[!.]*"))) < 16
    for out in ("stopped", "whole"):
        process = command(out)
        assert "error" not in process.communicate(timeout=300)[1]
        assert process.returncode == 0
    stopped, whole = (
        {p.name: p.read_bytes() for p in (tmp_path / out).rglob("[!.]*") if p.is_file()}
        for out in ("stopped", "whole")
    )
    assert stopped == whole
