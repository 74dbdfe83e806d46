"""Faults, made for real: full disks, folders that cannot be written, signals, two runs at once."""

import re
import signal
import subprocess
import sys
from functools import partial

import numpy as np
import pytest
from samples import FEW, ROOT, SELDOM, hear_signals, make_frame, run_python

import bayesbias as bb
from bayesbias.errors import OutputError
from bayesbias.support.whole_files import new_folder

pytestmark = [
    pytest.mark.skipif(sys.platform == "win32", reason="signals and mounts are POSIX's"),
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


def start(code, *arguments):
    return subprocess.Popen(
        [sys.executable, "-c", code, *map(str, arguments)],
        cwd=ROOT,
        preexec_fn=hear_signals,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def results_written(disk, fit, **options):
    from bayesbias.report.folder_writing import write_results

    write_results(fit, disk / "out", **options)


def distances_written(name):
    return lambda disk, fit: bb.write_distances(make_frame(n_words=1500), disk / name)


def debiased_saved(disk, fit):
    words = ["he", "she", *(f"w{i}" for i in range(2000))]
    kv = bb.load_embedding((words, np.eye(2002, 100, dtype=np.float32) + 0.1))
    bb.debias.subspace(kv, defining_sets=[["he", "she"]], neutralise=["w9"]).save(disk / "v.bin")


@pytest.mark.parametrize(
    ("before", "write"),
    [
        ({"fit.nc": "older"}, lambda disk, fit: fit.save(disk / "fit.nc")),
        ({}, results_written),
        ({"out/manifest.json": '{"files": {}}'}, partial(results_written, overwrite=True)),
        ({}, debiased_saved),
        ({}, distances_written("d.csv")),
        ({}, distances_written("d.parquet")),
    ],
    ids=["fit", "results", "results again", "vectors", "csv", "parquet"],
)
def test_a_full_disk_while_something_is_written(small_disk, fit, before, write):
    """What was there stays, and nothing else does."""
    for name, content in before.items():
        (small_disk / name).parent.mkdir(exist_ok=True)
        (small_disk / name).write_text(content)
    with pytest.raises(OutputError, match=r"cannot be written"):
        write(small_disk, fit)
    left = [path for path in small_disk.rglob("*") if path.is_file()]
    assert {p.relative_to(small_disk).as_posix(): p.read_text() for p in left} == before
    assert len(list(small_disk.iterdir())) == len(before)


def test_a_read_only_disk(small_disk, fit, tmp_path):
    """Root may write to a folder without the permission, and not to a disk mounted read-only."""
    subprocess.run(["mount", "-o", "remount,ro", str(small_disk)], check=True)
    with pytest.raises(OutputError, match="Read-only file system"):
        fit.save(small_disk / "fit.nc")
    with pytest.raises(OutputError, match=r"cannot be written"), new_folder(small_disk / "out"):
        pass


STOPPED = """
import os, signal, sys, threading
import nutpie
from bayesbias.cli import main
real = nutpie.sample
def sample(*arguments, **options):
    threading.Timer(2, os.kill, (os.getpid(), signal.SIGINT)).start()
    return real(*arguments, **options)
nutpie.sample = sample
sys.exit(main(sys.argv[1:]))
"""


@pytest.mark.sampling
@pytest.mark.slow
def test_ctrl_c_while_sampling_keeps_the_draws(tmp_path):
    pytest.importorskip("nutpie")
    bb.write_distances(make_frame(), tmp_path / "d.csv")
    out = tmp_path / "out"
    process = start(
        STOPPED,
        "analyze",
        "--distances",
        tmp_path / "d.csv",
        "--out",
        out,
        *("--model", "paper", "--engine", "nuts", "--draws", 300_000, "--tune", 200, "--chains", 2),
    )
    try:
        _, said = process.communicate(timeout=300)
    finally:
        process.kill()
    assert process.returncode == 130, said
    assert not out.exists()
    assert "interrupted after" in said
    partial = tmp_path / "out.partial"
    assert str(partial) in said
    assert sorted(p.name for p in partial.iterdir()) == ["INTERRUPTED.txt", "fit.nc", "pairs.csv"]
    fit = bb.load_fit(partial / "fit.nc")
    assert 0 < fit.posterior.sizes["draw"] < 300_000
    assert fit.settings["draws"] == fit.posterior.sizes["draw"]
    assert "of 300,000 draws" in fit.settings["interrupted"]
    assert np.isfinite(fit.summary().table["mean"]).all()


STOPPED_PYMC = """
import os, signal, sys
import pandas as pd, pymc
import bayesbias as bb
real = pymc.sample
def sample(*arguments, callback=None, **options):
    def both(trace, draw):
        if draw.chain == 0 and draw.draw_idx == 250:
            os.kill(os.getpid(), signal.SIGINT)
        if callback:
            callback(trace, draw)
    return real(*arguments, callback=both, **options)
pymc.sample = sample
if __name__ == "__main__":
    frame = bb.read_distances(sys.argv[1])
    try:
        bb.fit(frame, "paper", engine="nuts", sampler="pymc", draws=50_000, tune=100,
               chains=3, cores=int(sys.argv[2]), seed=1, progress=False)
    except bb.errors.SamplingInterrupted as stop:
        print(stop.partial.settings["interrupted"])
"""


@pytest.mark.sampling
@pytest.mark.slow
@pytest.mark.parametrize("cores", [1, pytest.param(2, marks=SELDOM)])
def test_ctrl_c_stops_every_chain_of_pymc(tmp_path, cores):
    """50,000 draws take minutes; on one core PyMC would go on with the next chain."""
    bb.write_distances(make_frame(), tmp_path / "d.csv")
    (tmp_path / "script.py").write_text(STOPPED_PYMC)
    done = run_python(tmp_path / "script.py", tmp_path / "d.csv", cores)
    made = re.fullmatch(r"after ([0-9,]+) of 50,000 draws in [12] of 3 chains", done.stdout.strip())
    assert made, done.stdout + done.stderr
    assert 0 < int(made[1].replace(",", "")) < 5_000


def test_ctrl_c_after_the_draws_keeps_them_too(tmp_path, monkeypatch, capsys):
    import bayesbias.report.folder_writing as folder_writing
    from bayesbias.cli import main

    def interrupted(*arguments, **options):
        raise KeyboardInterrupt

    monkeypatch.setattr(folder_writing, "write_results", interrupted)
    frame = make_frame(n_attributes=FEW)
    bb.write_distances(frame, tmp_path / "d.csv")
    (tmp_path / "out.partial").mkdir()  # an earlier run's: never written over
    out = tmp_path / "out"
    given = ["--distances", str(tmp_path / "d.csv"), "--model", "paper"]
    assert main(["analyze", *given, "--out", str(out)]) == 130
    assert "interrupted after all draws were made" in capsys.readouterr().err
    assert not out.exists()
    assert list((tmp_path / "out.partial").iterdir()) == []
    assert len(bb.load_fit(tmp_path / "out.partial-2" / "fit.nc").frame) == len(frame)


def test_ctrl_c_before_sampling_writes_nothing(tmp_path):
    bb.write_distances(make_frame(), tmp_path / "d.csv")
    code = (
        "import sys; sys.stderr.isatty = lambda: True; "  # who waits at a terminal is told
        "from bayesbias.cli import main; sys.exit(main(sys.argv[1:]))"
    )
    given = ["analyze", "--distances", tmp_path / "d.csv", "--out", tmp_path / "out"]
    process = start(code, *given, "--engine", "nuts")
    assert "Fitting" in process.stderr.readline()
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 130
    assert "interrupted" in said
    assert [p.name for p in tmp_path.iterdir()] == ["d.csv"]


def chains_of(lengths, draws):
    import xarray as xr

    values = np.arange(len(lengths) * draws, dtype=float).reshape(len(lengths), draws, 1)
    for chain, length in enumerate(lengths):
        values[chain, length:] = np.nan
    return xr.Dataset({"connection_mean": (("chain", "draw", "connection"), values)})


@pytest.mark.parametrize(
    ("lengths", "chains", "n"),
    [([9, 7], [0, 1], 7), ([9, 1], [0], 9), ([0, 4, 3], [1, 2], 3), ([0, 0], None, 0)],
)
def test_the_largest_block_of_draws_without_gaps_is_kept(lengths, chains, n):
    from bayesbias.inference.nuts import NutsSettings, _partial, chain_lengths

    posterior = chains_of(lengths, 10)
    assert chain_lengths(posterior) == lengths
    settings = NutsSettings(draws=10, chains=len(lengths))
    found = _partial(posterior, posterior, {"draws": 10}, lengths, settings)
    if chains is None:
        assert found is None
        return
    kept, _, record = found
    expected = posterior["connection_mean"].to_numpy()[chains, :n]
    np.testing.assert_array_equal(kept["connection_mean"].to_numpy(), expected)
    assert record["draws"] == n
    assert (
        record["interrupted"] == f"after {n} of 10 draws in {len(chains)} of {len(lengths)} chains"
    )
