"""Sweeps: every task once, whatever runs it, whatever kills it."""

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
from samples import make_frame

import bayesbias as bb
from bayesbias.cli import main
from bayesbias.errors import ArgumentError
from bayesbias.simulate import planted_embedding
from bayesbias.studies import sweep_tasks as work_module
from bayesbias.studies.sweep_file import Step, load_sweep
from bayesbias.studies.sweep_run import run_sweep

NUMBERS = ["mean", "sd", "low", "high", "p_below_zero"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Two embeddings, two files of distances, one broken file, and sweeps over them."""
    place = tmp_path_factory.mktemp("sweep")
    lists = [bb.load_wordlist(name) for name in ("gender", "weat7")]
    for number, similarity in enumerate((0.1, 0.4)):
        words, rows = [], []
        for wl in lists:
            kv = planted_embedding(wl, similarity=similarity, dim=50, seed=number).vectors
            new = [w for w in kv.index_to_key if w not in words]
            words += new
            rows.append(kv[new])
        kv = bb.load_embedding((words, np.concatenate(rows)))
        kv.save_word2vec_format(str(place / f"e{number}.bin"), binary=True)
    for number in range(2):
        bb.write_distances(make_frame(seed=number), place / f"d{number}.csv")
    (place / "broken.bin").write_bytes(b"3 4\nnothing")
    (place / "sweep.toml").write_text(
        """
seed = 5
models = ["paper", "crossed"]
wordlists = ["gender", "weat7"]
[embeddings]
first = "e0.bin"
second = { path = "e1.bin", limit = 100000 }
broken = "broken.bin"
[distances]
made = "d0.csv"
[debias]
hard = { method = "hard" }
"""
    )
    (place / "small.toml").write_text(
        'models = ["paper", "crossed"]\n[distances]\na = "d0.csv"\nb = "d1.csv"\n'
    )
    return place


@pytest.fixture(scope="module")
def done(folder, tmp_path_factory):
    """A whole run in this process."""
    out = tmp_path_factory.mktemp("out")
    return out, run_sweep(folder / "sweep.toml", out, progress=False)


def finished(out):
    """Results under their final names; a killed run may leave a hidden, half-written file."""
    return [p for p in (out / "results").glob("*.parquet") if not p.name.startswith(".")]


def by_task(table):
    keys = ["source", "step", "wordlist", "model", "table", "what"]
    return table.sort_values(keys, ignore_index=True)[[*keys, *NUMBERS, "seed", "fit"]]


def test_every_task_is_done_or_says_why_not(done):
    _, result = done
    # (2 embeddings × 2 steps × 2 lists + 1 file) × 2 models, less hard on weat7 without pairs.
    assert len(result.table.drop_duplicates(["source", "step", "wordlist", "model"])) == 14
    assert result.n_done == 3 * 2 * 2 * 2 + 2
    reasons = result.failures.groupby("source")["reason"].agg(["size", "first"])
    assert reasons.loc["broken", "size"] == 8
    assert "broken.bin" in reasons.loc["broken", "first"]
    assert "no defining sets" in reasons.loc["first", "first"]
    assert "broken.bin" in repr(result)


def test_a_task_is_what_its_fit_would_be(done, folder):
    _, result = done
    frame = bb.distances(bb.load_embedding(folder / "e1.bin"), "gender")
    rows = result.table.query("source == 'second' and step == 'none' and wordlist == 'gender' and "
                              "model == 'crossed'")  # fmt: skip
    fit = bb.fit(frame, model="crossed", seed=int(rows["seed"].iloc[0]))
    groups = fit.summary().table
    np.testing.assert_array_equal(rows.query("table == 'group'")["mean"], groups["mean"])
    contrasts = rows.query("table == 'contrast'")
    np.testing.assert_array_equal(contrasts["low"], fit.contrasts().table["low"])
    assert contrasts["verdict"].tolist() == fit.contrasts().table["verdict"].tolist()
    assert rows["trusted"].all()
    assert (rows["n_missing"] == 0).all()


def test_debiasing_steps_are_applied(done):
    _, result = done
    rows = result.table.query("model == 'crossed' and wordlist == 'gender'")
    rows = rows[rows["what"] == "associated − different"]
    means = rows.set_index(["source", "step"])["mean"]
    assert means["second", "none"] < -0.2
    assert abs(means["second", "hard"]) < 0.1


def test_the_folder_is_one_data_set_with_a_summary(done):
    out, result = done
    table = pd.read_parquet(out / "results")
    assert len(table) == len(result.table)
    summary = pd.read_csv(out / "summary.csv", keep_default_na=False)
    assert "associated − different (crossed)" in summary.columns
    assert len(summary) == 2 + 4 + 1
    assert (out / "heatmap.png").stat().st_size > 10_000
    assert len(pd.read_csv(out / "failures.csv")) == len(result.failures)
    json.dumps(result.to_dict())


def test_a_second_run_repeats_nothing(done, folder, monkeypatch):
    out, first = done
    monkeypatch.setattr("bayesbias.studies.sweep_run.do_task", lambda *_: pytest.fail("done again"))
    again = run_sweep(folder / "sweep.toml", out, progress=False)
    assert again.n_done == 0
    pd.testing.assert_frame_equal(again.table, first.table)


def test_retry_tries_failures_again(folder, tmp_path):
    path = tmp_path / "s.toml"
    path.write_text('models = ["paper"]\n[distances]\na = "a.csv"\n')
    first = run_sweep(path, tmp_path / "out", progress=False)
    assert len(first.failures) == 1
    bb.write_distances(make_frame(), tmp_path / "a.csv")
    assert run_sweep(path, tmp_path / "out", progress=False).n_done == 0
    assert run_sweep(path, tmp_path / "out", retry=True, progress=False).failures.empty


def test_changed_inputs_are_new_tasks(folder, tmp_path):
    sweep = load_sweep(folder / "small.toml")
    run_sweep(sweep, tmp_path, progress=False)
    assert run_sweep(replace(sweep, rope=0.1), tmp_path, progress=False).n_done == 4
    assert run_sweep(replace(sweep, seed=2), tmp_path, progress=False).n_done == 4
    assert run_sweep(sweep, tmp_path, progress=False).n_done == 0


def test_order_and_company_do_not_matter(folder, tmp_path):
    sweep = load_sweep(folder / "sweep.toml")
    alone = replace(sweep, sources=sweep.sources[1:2], steps=(Step("none"),))
    whole = {(*t.names.values(),): sweep.task_id(t) for t in sweep.tasks()}
    for task in alone.tasks():
        assert alone.task_id(task) == whole[(*task.names.values(),)]


def test_processes_give_the_same_numbers(done, folder, tmp_path):
    _, first = done
    again = run_sweep(folder / "sweep.toml", tmp_path, jobs=2, progress=False)
    pd.testing.assert_frame_equal(by_task(again.table), by_task(first.table))
    pd.testing.assert_frame_equal(again.failures, first.failures)


def test_an_embedding_is_opened_once(folder, tmp_path, monkeypatch):
    opened = []
    load = work_module.load_embedding

    def counted(path, **options):
        opened.append(path)
        return load(path, **options)

    monkeypatch.setattr(work_module, "load_embedding", counted)
    work_module._open.clear()
    work_module._frames.clear()
    sweep = load_sweep(folder / "sweep.toml")
    run_sweep(replace(sweep, sources=sweep.sources[:2], seed=77), tmp_path, progress=False)
    assert [os.path.basename(path) for path in opened] == ["e0.bin", "e1.bin"]


def test_a_killed_sweep_goes_on_where_it_was(folder, tmp_path):
    """SIGKILL to the whole process, twice."""
    text = ['models = ["paper", "crossed"]', "[distances]"]
    for number in range(12):
        bb.write_distances(make_frame(n_words=20, seed=number), tmp_path / f"d{number}.csv")
        text.append(f'd{number} = "d{number}.csv"')
    (tmp_path / "s.toml").write_text("\n".join(text))
    out = tmp_path / "out"
    command = [sys.executable, "-m", "bayesbias", "sweep", str(tmp_path / "s.toml"), "--out",
               str(out), "--jobs", "1", "--quiet"]  # fmt: skip
    for least in (3, 8):
        process = subprocess.Popen(command)
        while len(finished(out)) < least and process.poll() is None:
            time.sleep(0.01)
        process.send_signal(signal.SIGKILL)
        process.wait()
    there = {p.name: p.stat().st_mtime_ns for p in finished(out)}
    assert len(there) >= 8
    result = run_sweep(tmp_path / "s.toml", out, progress=False)
    assert result.n_done == 24 - len(there)
    assert result.failures.empty
    now = {p.name: p.stat().st_mtime_ns for p in finished(out)}
    assert {name: now[name] for name in there} == there
    fresh = run_sweep(tmp_path / "s.toml", tmp_path / "fresh", progress=False)
    pd.testing.assert_frame_equal(by_task(result.table), by_task(fresh.table))


def test_a_process_that_dies_costs_its_own_tasks_at_most(folder, tmp_path):
    """A task that kills its process fails alone; the others have their results."""
    code = (
        "import os, signal\n"
        "import bayesbias.studies.sweep_tasks as work\n"
        "import bayesbias.studies.sweep_run as running\n"
        "def deadly(sweep, task):\n"
        "    if task.source.name == 'a' and task.model == 'paper':\n"
        "        os.kill(os.getpid(), signal.SIGKILL)\n"
        "    return work.do_task(sweep, task)\n"
        "running.do_task = deadly\n"
        "if __name__ == '__main__':\n"
        f"    result = running.run_sweep({str(folder / 'small.toml')!r}, "
        f"{str(tmp_path / 'out')!r}, jobs=2, progress=False)\n"
        "    print(result)\n"
    )
    (tmp_path / "run.py").write_text(code)
    done = subprocess.run([sys.executable, str(tmp_path / "run.py")], capture_output=True,
                          text=True, check=True)  # fmt: skip
    assert "Sweep: 3 tasks with results" in done.stdout
    assert "a, none, paper: the process that worked on it died" in done.stdout


@pytest.fixture(scope="module")
def cluster():
    distributed = pytest.importorskip("distributed", reason="Dask is not installed")
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0"
    ) as made:
        yield made


@pytest.mark.sampling
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning")
def test_a_dask_cluster_gives_the_same_numbers(done, folder, tmp_path, cluster):
    _, first = done
    address = cluster.scheduler_address
    again = run_sweep(folder / "sweep.toml", tmp_path, scheduler=address, progress=False)
    pd.testing.assert_frame_equal(by_task(again.table), by_task(first.table))
    assert len(again.failures) == len(first.failures)


@pytest.mark.sampling
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning")
def test_a_killed_dask_worker_loses_nothing(folder, tmp_path, cluster):
    """Kill one of the two workers while it works; its tasks are done again elsewhere."""
    text = ['models = ["paper", "crossed"]', "[distances]"]
    for number in range(15):
        bb.write_distances(make_frame(n_words=20, seed=number), tmp_path / f"d{number}.csv")
        text.append(f'd{number} = "d{number}.csv"')
    (tmp_path / "s.toml").write_text("\n".join(text))
    out = tmp_path / "out"
    address = cluster.scheduler_address
    command = [sys.executable, "-m", "bayesbias", "sweep", str(tmp_path / "s.toml"), "--out",
               str(out), "--scheduler", address, "--quiet"]  # fmt: skip
    process = subprocess.Popen(command)
    while len(finished(out)) < 3 and process.poll() is None:
        time.sleep(0.01)
    os.kill(cluster.workers[0].pid, signal.SIGKILL)
    assert process.wait(timeout=120) == 0
    result = run_sweep(tmp_path / "s.toml", out, progress=False)
    assert result.n_done == 0
    assert result.failures.empty
    fresh = run_sweep(tmp_path / "s.toml", tmp_path / "fresh", progress=False)
    pd.testing.assert_frame_equal(by_task(result.table), by_task(fresh.table))


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("modles = ['paper']", "modles: unknown key; did you mean 'models'"),
        ("models = ['paper']", "name at least one embedding"),
        ("models = ['papr']\n[distances]\na = 'a.csv'", "did you mean 'paper'"),
        ("[distances]\na = 'a.csv'", "models: name at least one"),
        ("models = ['paper']\n[embeddings]\na = 'a.bin'", "wordlists: name at least one"),
        ("models = ['paper']\n[distances]\na = 1", "distances.a: must be the path"),
        ("models = ['change']\n[distances]\na = 'a'", "explains changes"),
        ("models = ['student-t']\n[distances]\na = 'a'", "needs NUTS"),
        ("models = ['paper', 'paper']\n[distances]\na = 'a'", "two of the name 'paper'"),
        ("seed = -1\nmodels = ['paper']\n[distances]\na = 'a'", "seed: -1"),
        ("rope = -1\nmodels = ['paper']\n[distances]\na = 'a'", "rope=-1"),
        ("prob = 'x'\nmodels = ['paper']\n[distances]\na = 'a'", "prob, interval, rope"),
        ("models = ['paper']\nwordlists = ['gender']\n[embeddings]\na = {pth = 'x'}",
         "embeddings.a: must be a path"),
        ("models = ['paper']\nwordlists = ['gender']\n[embeddings]\na = {path = 'x', lim = 1}",
         "did you mean 'limit'"),
        ("models = ['paper']\n[distances]\na = 'a'\n[debias]\nh = {method = 'hrd'}",
         "did you mean 'hard'"),
        ("models = ['paper']\n[distances]\na = 'a'\n[debias]\nh = {method = 'hard', lam = 1}",
         "debias.h.lam: unknown option"),
        ("models = ['paper']\n[distances]\na = 'a'\n[debias]\nnone = {method = 'hard'}",
         "choose another name"),
    ],
)  # fmt: skip
def test_wrong_files_are_refused_before_any_work(tmp_path, text, complaint):
    path = tmp_path / "s.toml"
    path.write_text(text)
    with pytest.raises(ArgumentError, match=complaint) as caught:
        load_sweep(path)
    assert str(path) in str(caught.value)


def test_the_command_prints_and_writes(folder, tmp_path, capsys):
    arguments = ["sweep", str(folder / "small.toml"), "--out", str(tmp_path / "out"), "--jobs", "1"]
    assert main(arguments) == 0
    printed = capsys.readouterr().out
    assert "4 tasks: 2 sources, 1 debiasing steps, 0 word lists, 2 models" in printed
    assert "Sweep: 4 tasks with results (4 done now), 0 failed" in printed
    assert main([*arguments[:-1], "0"]) == 0  # 0 means one per core
    assert main(["sweep", "nowhere.toml", "--out", str(tmp_path / "o")]) == 2
    assert "nowhere.toml: cannot be read" in capsys.readouterr().err


def test_an_interrupt_does_not_deny_what_is_kept(folder, tmp_path, capsys, monkeypatch):
    def stopped(sweep, out, **options):
        run_sweep(sweep, out, **{**options, "jobs": 1})
        raise KeyboardInterrupt

    monkeypatch.setattr("bayesbias.cli.sweep.run_sweep", stopped)
    out = tmp_path / "out"
    assert main(["sweep", str(folder / "small.toml"), "--out", str(out), "--quiet"]) == 1
    assert list((out / "results").iterdir())
    error = capsys.readouterr().err
    assert f"finished tasks are kept in {out}" in error
    assert "nothing was written" not in error


def test_no_answer_from_a_scheduler_is_said(folder, tmp_path):
    pytest.importorskip("distributed", reason="Dask is not installed")
    with pytest.raises(ArgumentError, match="scheduler 'nonsense'"):
        run_sweep(folder / "small.toml", tmp_path, scheduler="nonsense", progress=False)
