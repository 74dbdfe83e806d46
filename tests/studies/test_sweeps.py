"""Sweeps: every task once, whatever runs it, whatever kills it."""

import json
import os
import re
import shutil
import signal
import subprocess
import sys
import time
from dataclasses import replace

import numpy as np
import pandas as pd
import pytest
import xarray as xr
from samples import FEW, make_frame, small_list

import bayesbias as bb
from bayesbias import debias
from bayesbias.cli import main
from bayesbias.errors import ArgumentError
from bayesbias.inference.decision import DecisionRule
from bayesbias.simulate import planted_embedding
from bayesbias.studies import sweep_file
from bayesbias.studies import sweep_tasks as work_module
from bayesbias.studies.pooling import error_correlations, pool
from bayesbias.studies.sweep_figure import plot_sweep
from bayesbias.studies.sweep_file import Step, load_sweep
from bayesbias.studies.sweep_result import SweepResult
from bayesbias.studies.sweep_run import run_sweep

pytestmark = pytest.mark.usefixtures("undrawn")  # the fixture `done` draws its heat map in earnest

ONE = "source == 'second' and step == 'none' and wordlist == 'gender'"
"""The tasks of one source and list, one a model."""
NUMBERS = ["mean", "sd", "low", "high", "p_below_zero"]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Two embeddings, two files of distances, one broken file, and sweeps over them."""
    place = tmp_path_factory.mktemp("sweep")
    lists = [small_list(place, name) for name in ("gender", "weat7")]
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
        bb.write_distances(make_frame(n_attributes=FEW, seed=number), place / f"d{number}.csv")
    (place / "broken.bin").write_bytes(b"3 4\nnothing")
    (place / "sweep.toml").write_text(
        """
seed = 5
models = ["paper", "crossed"]
wordlists = ["gender.toml", "weat7.toml"]
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
        'models = ["paper", "no-pooling"]\n[distances]\na = "d0.csv"\nb = "d1.csv"\n'
    )
    return place


@pytest.fixture(scope="module")
def done(folder, tmp_path_factory):
    """A whole run in this process."""
    out = tmp_path_factory.mktemp("out")
    result = run(folder / "sweep.toml", out)
    assert (out / "heatmap.png").stat().st_size > 10_000  # a second run draws no more
    return out, result


@pytest.fixture
def result(done):
    return done[1]


@pytest.fixture(scope="module")
def small(folder, tmp_path_factory):
    """A whole run of the small sweep, to be copied."""
    out = tmp_path_factory.mktemp("small")
    return out, run(folder / "small.toml", out)


@pytest.fixture
def out(small, tmp_path):
    """A folder with the results of the small sweep."""
    return shutil.copytree(small[0], tmp_path / "out")


def run(sweep, out, **options):
    return run_sweep(sweep, out, progress=False, **options)


def one_file(place, content=None):
    """Write a sweep of one file of distances, and, if there is one, the file."""
    (place / "s.toml").write_text('models = ["paper"]\n[distances]\na = "a.csv"\n')
    if content is not None:
        (place / "a.csv").write_bytes(content)
    return place / "s.toml"


def by_task(table):
    keys = ["source", "step", "wordlist", "model", "table", "what"]
    return table.sort_values(keys, ignore_index=True)[[*keys, *NUMBERS, "seed", "fit"]]


def test_every_task_is_done_or_says_why_not(result):
    # (2 embeddings × 2 steps × 2 lists + 1 file) × 2 models, less hard on weat7 without pairs.
    assert len(result.table.drop_duplicates(["source", "step", "wordlist", "model"])) == 14
    assert result.n_done == 3 * 2 * 2 * 2 + 2
    reasons = result.failures.groupby("source")["reason"].agg(["size", "first"])
    assert reasons.loc["broken", "size"] == 8
    assert "broken.bin" in reasons.loc["broken", "first"]
    assert "no defining sets" in reasons.loc["first", "first"]
    assert "broken.bin" in repr(result)


def test_a_task_is_what_its_fit_would_be(result, folder):
    frame = bb.distances(bb.load_embedding(folder / "e1.bin"), folder / "gender.toml")
    rows = result.table.query(f"{ONE} and model == 'crossed'")
    fit = bb.fit(frame, model="crossed", seed=int(rows["seed"].iloc[0]))
    means = fit.summary(by="connection").table
    np.testing.assert_array_equal(rows.query("table == 'mean'")["mean"], means["mean"])
    contrasts = rows.query("table == 'contrast'")
    expected = fit.contrasts(by="connection").table
    np.testing.assert_array_equal(contrasts["low"], expected["low"])
    assert contrasts["verdict"].tolist() == expected["verdict"].tolist()
    assert rows["trusted"].all()
    assert (rows["n_missing"] == 0).all()


def test_debiasing_steps_are_applied(result):
    rows = result.table.query("model == 'crossed' and wordlist == 'gender'")
    rows = rows[rows["what"] == "associated − different"]
    means = rows.set_index(["source", "step"])["mean"]
    assert means["second", "none"] < -0.2
    assert abs(means["second", "hard"]) < 0.1


def test_the_folder_is_one_data_set_with_a_summary(done):
    out, result = done
    assert len(pd.read_parquet(out / "results")) == len(result.table)
    pd.testing.assert_frame_equal(pd.read_parquet(out / "results.parquet"), result.table)
    row = result.table.query(f"{ONE} and model == 'crossed' and what == 'associated − different'")
    summary = pd.read_csv(out / "summary.csv", keep_default_na=False)
    written = summary.query(
        f"{ONE} and model == 'crossed' and contrast == 'associated − different'"
    )
    for column in ("interval", "prob", "verdict", "trusted"):
        assert written[column].tolist() == row[column].tolist()
    for column in ("mean", "low", "high", "rope"):  # six significant digits
        assert written[column].tolist() == [float(f"{value:.6g}") for value in row[column]]
    assert len(pd.read_csv(out / "failures.csv")) == len(result.failures)
    json.dumps(result.to_dict())


def test_a_second_run_repeats_nothing(done, folder, monkeypatch):
    out, first = done
    monkeypatch.setattr("bayesbias.studies.sweep_run.do_task", lambda *_: pytest.fail("done again"))
    again = run(folder / "sweep.toml", out)
    assert again.n_done == 0
    pd.testing.assert_frame_equal(again.table, first.table)


def test_retry_tries_failures_again(tmp_path):
    path, out = one_file(tmp_path, b"nonsense"), tmp_path / "out"
    assert len(run(path, out).failures) == 1
    assert run(path, out).n_done == 0
    assert run(path, out, retry=True).n_done == 1
    bb.write_distances(make_frame(), tmp_path / "a.csv")  # another input is another task
    again = run(path, out)
    assert (again.n_done, len(again.failures)) == (1, 0)


def test_changed_inputs_are_new_tasks(folder, out):
    sweep = load_sweep(folder / "small.toml")
    for changed in ({"rule": DecisionRule(rope=0.1)}, {"seed": 2}):
        one = replace(sweep, sources=sweep.sources[:1], **changed)
        assert run(one, out).n_done == 2
    assert run(sweep, out).n_done == 0


def test_an_overwritten_file_of_distances_is_a_new_task(folder, tmp_path):
    """Its name, size and time of change stay: only the content tells."""
    path, file = one_file(tmp_path, (folder / "d0.csv").read_bytes()), tmp_path / "a.csv"
    first, before = run(path, tmp_path / "out"), os.stat(file)
    file.write_text(file.read_text().replace(",0.", ",1."))
    os.utime(file, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert os.stat(file).st_size == before.st_size
    for out in ("out", "fresh"):
        again = run(path, tmp_path / out)
        assert again.n_done == 1
        assert again.table["mean"][0] - first.table["mean"][0] > 0.5
        assert len(again.table) == len(first.table)


def test_an_overwritten_embedding_is_a_new_task(folder, tmp_path):
    path, out = tmp_path / "s.toml", tmp_path / "out"
    path.write_text(
        f"models = ['paper']\nwordlists = ['{folder}/gender.toml']\n[embeddings]\ne = 'e.bin'\n"
    )
    found = []
    for name in ("e0.bin", "e1.bin"):
        (tmp_path / "e.bin").write_bytes((folder / name).read_bytes())
        found.append(run(path, out))
    assert found[1].n_done == 1
    assert found[1].table["mean"][0] < found[0].table["mean"][0] - 0.1


def test_a_moved_sweep_is_the_same_sweep(folder, tmp_path):
    for name in ("small.toml", "d0.csv", "d1.csv"):
        (tmp_path / name).write_bytes((folder / name).read_bytes())
    here, there = (load_sweep(place / "small.toml") for place in (folder, tmp_path))
    assert [here.task_id(t) for t in here.tasks()] == [there.task_id(t) for t in there.tasks()]


def test_a_file_changed_while_the_sweep_runs_gives_no_result(folder, tmp_path):
    sweep = load_sweep(one_file(tmp_path, (folder / "d0.csv").read_bytes()))
    (task,) = sweep.tasks()
    one_file(tmp_path, (folder / "d1.csv").read_bytes())
    work_module._frames.clear()
    assert "was changed while the sweep ran" in work_module.do_task(sweep, task)["reason"]


def test_what_is_too_large_to_hash_is_known_by_size_time_and_inode(tmp_path, monkeypatch):
    monkeypatch.setattr(sweep_file, "LARGE_FILE", 10)
    path, new = tmp_path / "large.bin", tmp_path / "new"
    path.write_bytes(b"x" * 11)
    new.write_bytes(b"x" * 12)
    found = {sweep_file.content_of(str(path))}
    for change in (
        lambda: os.utime(path, ns=(0, 1)),
        lambda: path.write_bytes(b"x" * 12),
        lambda: os.replace(new, path),
    ):
        change()
        found.add(sweep_file.content_of(str(path)))
    assert len(found) == 4


def test_all_files_of_a_store_and_of_gensims_format_count(tmp_path):
    (tmp_path / "v.bbv").mkdir()
    (tmp_path / "kv").write_text("pickle")
    for name in ("v.bbv/words.txt", "kv.vectors.npy"):
        whole = str(tmp_path / name.partition("/")[0].removesuffix(".vectors.npy"))
        (tmp_path / name).write_text("a")
        before = sweep_file.content_of(whole)
        (tmp_path / name).write_text("b")
        assert sweep_file.content_of(whole) != before
    os.mkfifo(tmp_path / "pipe")
    assert sweep_file.content_of(str(tmp_path / "pipe")) != sweep_file.ABSENT


def other_numbers(content, means):
    """Return a file of results with other means, which its checksums do not allow."""
    for mean in means:
        content = content.replace(np.float64(mean).tobytes(), np.float64(mean + 0.01).tobytes())
    return content


DAMAGES = [
    lambda content, means: b"",
    lambda content, means: b"PAR1",
    lambda content, means: content[: len(content) // 2],
    other_numbers,
]


@pytest.mark.parametrize("damage", DAMAGES)
def test_a_damaged_result_is_not_done(folder, small, out, damage):
    """Empty, cut anywhere or changed: done again, and nothing else is."""
    one = min((out / "results").iterdir())
    content = one.read_bytes()
    damaged = damage(content, small[1].summary["mean"])
    assert damaged != content
    one.write_bytes(damaged)
    again = run(folder / "small.toml", out)
    assert again.n_done == 1
    assert again.failures.empty
    pd.testing.assert_frame_equal(by_task(again.table), by_task(small[1].table))


@pytest.mark.parametrize("damage", [b"", b" \n", b"\xff\xfe"])
def test_a_damaged_record_of_a_failure_is_none(tmp_path, damage):
    path, out = one_file(tmp_path, b"nonsense"), tmp_path / "out"
    first = run(path, out)
    (record,) = (out / "failures").iterdir()
    record.write_bytes(damage)
    again = run(path, out)
    assert again.n_done == 1
    pd.testing.assert_frame_equal(again.failures, first.failures)


def test_old_pictures_do_not_outlive_what_they_show(folder, tmp_path):
    out = tmp_path / "out"
    run(one_file(tmp_path, (folder / "d0.csv").read_bytes()), out)
    assert (out / "heatmap.png").exists()
    run(one_file(tmp_path, b"nonsense"), out)
    assert sorted(p.name for p in out.glob("*.*")) == ["failures.csv", "results.parquet"]


def test_failures_are_an_exit_code_and_the_command_says_so(folder, tmp_path, capsys):
    path, out = one_file(tmp_path, b"nonsense"), tmp_path / "out"
    command = ["sweep", str(path), "--out", str(out), "--jobs", "1"]
    assert main(command) == 1
    said = capsys.readouterr()
    assert "1 of 1 tasks failed; failures.csv gives the reasons" in said.err
    assert "heat map" not in said.out
    assert not list(out.glob("heatmap*"))
    text = (folder / "small.toml").read_text().replace('"d0', f'"{folder}/d0')
    path.write_text(text.replace("d1.csv", "a.csv"))
    assert main(command) == 1
    assert "2 of 4 tasks failed" in capsys.readouterr().err


def test_a_step_may_be_for_some_lists_alone(folder, tmp_path):
    text = (folder / "sweep.toml").read_text()
    text = text.replace('{ method = "hard" }', '{ method = "hard", wordlists = ["gender"] }')
    (folder / "some.toml").write_text(text)
    sweep = load_sweep(folder / "some.toml")
    pairs = {(task.step.name, task.wordlist) for task in sweep.tasks() if task.wordlist}
    assert pairs == {("none", "gender"), ("none", "weat7"), ("hard", "gender")}


CHAIN = """
models = ["paper", "crossed"]
wordlists = ["gender.toml"]
measures = ["MAC", "WEAT", "direct bias"]
undebiased = false
[embeddings]
e = "e1.bin"
[distances]
d = "d0.csv"
[debias]
both = { steps = ["means", "hard"] }
means = { method = "two_means" }
hard = { method = "hard", equalise = [] }
"""


def test_a_chain_is_its_steps_in_turn_and_measures_are_of_what_they_leave(folder, tmp_path):
    (folder / "chain.toml").write_text(CHAIN)
    result = run(folder / "chain.toml", tmp_path)
    assert result.failures.empty
    assert result.n_results == 4 * 2
    kv = bb.load_embedding(folder / "e1.bin")
    listed = folder / "gender.toml"
    vectors = debias.two_means(kv, listed).vectors
    vectors = debias.hard(vectors, listed, equalise=()).vectors
    frame = bb.distances(vectors, listed)
    rows = result.table.query("step == 'both' and model == 'crossed'")
    known = bb.fit(frame, "crossed", seed=int(rows["seed"].iloc[0])).summary().table["mean"]
    np.testing.assert_allclose(rows.query("table == 'mean'")["mean"], known, atol=1e-9)
    measures = rows.query("table == 'measure'").set_index("what")
    expected = bb.measures.all_measures(
        vectors, listed, names=["MAC", "WEAT", "direct bias"], seed=1
    ).table
    np.testing.assert_array_equal(measures["mean"], expected["value"])
    np.testing.assert_array_equal(measures["p_value"], expected["p_value"])
    assert measures.loc[measures["mean"].isna(), "verdict"].str.len().gt(0).all()
    of_frame = result.table.query("source == 'd' and table == 'measure' and model == 'paper'")
    reason = of_frame.set_index("what").loc["direct bias", "verdict"]
    assert reason == "the frame has no defining sets"
    assert set(pd.read_csv(tmp_path / "summary.csv")["contrast"]) <= set(
        result.table.query("table in ('list', 'contrast')")["what"]
    )


def test_measures_and_chains_are_part_of_what_a_task_is(folder):
    """And leave the ids of sweeps without them as they were."""
    (folder / "chain.toml").write_text(CHAIN)
    sweep = load_sweep(folder / "chain.toml")
    (task,) = [t for t in sweep.tasks() if t.step.name == "both" and t.model == "paper"]
    first, second = task.step.chain
    turned = replace(task, step=replace(task.step, chain=(second, first)))
    ids = [sweep.task_id(task), sweep.task_id(turned)]
    ids += [replace(sweep, measures=()).task_id(one) for one in (task, turned)]
    assert len(set(ids)) == 4


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ('"means", "hard"', '"means", "hrad"', "both.steps: no step 'hrad'; did you mean"),
        ('"means", "hard"', '"means", "both"', "both.steps: no step 'both'"),
        ('"means", "hard"', '"means"', "both.steps: must be a list of two or more"),
        ('["means", "hard"]', '"means"', "both.steps: must be a list"),
        ('"hard"] }', '"hard"], lam = 2 }', "both.lam: unknown key"),
        ('"hard"] }', '"hard"], wordlists = ["x"] }', "both.wordlists: no list 'x'"),
        ('"MAC"', '"MACC"', "measures: no measure 'MACC'; did you mean 'MAC'"),
        ('["MAC", "WEAT", "direct bias"]', '"MAC"', "measures: must be a list of names"),
    ],
)
def test_names_of_chains_and_measures_are_checked(folder, old, new, complaint):
    assert old in CHAIN
    (folder / "wrong.toml").write_text(CHAIN.replace(old, new))
    with pytest.raises(ArgumentError, match=re.escape(complaint)):
        load_sweep(folder / "wrong.toml")


def texts_of(figure):
    figure.canvas.draw()
    return [t.get_text() for axis in figure.axes for t in axis.texts], figure.get_supxlabel()


def test_the_heat_map_says_what_failed_and_what_is_doubted(result):
    table = result.table.assign(trusted=result.table["source"] != "second")
    texts, notes = texts_of(plot_sweep(table, result.failures, "associated − different"))
    assert texts.count("failed") == len(result.failures)
    assert len(texts) == result.n_results + len(result.failures)
    assert any(text.endswith(" ?") for text in texts)
    assert f"failed: {len(result.failures)} of 26 tasks" in notes
    assert "diagnostics doubt it" in notes


def test_the_heat_map_tells_an_undecided_size_apart(result):
    found = {}
    for verdict in ("closer", "closer, size undecided", "farther, size undecided"):
        texts, notes = texts_of(plot_sweep(result.table.assign(verdict=verdict), result.failures))
        found[verdict] = {text.removesuffix(" ?")[-1] for text in texts if text[:1] in "+−"}
    assert list(found.values()) == [{"◀"}, {"◁"}, {"▷"}]
    assert "hollow: size undecided" in notes


def test_of_two_thousand_tasks_the_first_are_drawn(result):
    one = result.table.query(ONE)
    table = pd.concat(one.assign(source=f"source {i}") for i in range(1000))
    figure = plot_sweep(table, result.failures, "associated − different")
    assert (figure.get_size_inches() < 40).all()
    labels = [label.get_text() for label in figure.axes[0].get_yticklabels()]
    assert labels == [f"source {i}" for i in range(40)]
    drawn = 40 * one["model"].nunique()
    every = 1000 * one["model"].nunique() + len(result.failures)
    assert f"not drawn: {every - drawn:,} of {every:,} cells" in figure.get_supxlabel()


def test_the_heat_map_of_data_without_the_usual_contrast_takes_another(result):
    table = result.table[result.table["what"] != "associated − different"]
    figure = plot_sweep(table[table["table"] != "list"], result.failures)
    assert "associated − human, in sd" in [axis.get_ylabel() for axis in figure.axes]
    with pytest.raises(ArgumentError, match="contrast='associated − different'"):
        plot_sweep(table, result.failures, "associated − different")


def result_of(mean, sd, scale, interval):
    """A sweep's result of one contrast, a source each."""
    n = len(mean)
    columns = {"source": [f"e{i}" for i in range(n)], "step": "none", "wordlist": "gender"}
    columns |= {"model": "paper", "table": "contrast", "what": "associated − different"}
    columns |= {"mean": mean, "sd": sd, "scale": scale, "low": 0.0, "high": 0.0, "rope": 0.01}
    columns |= {"interval": interval, "prob": 0.89, "verdict": "undecided", "trusted": True}
    return SweepResult(pd.DataFrame(columns), pd.DataFrame(columns=["source"]), n)


@pytest.mark.parametrize("kind", ["hpdi", "eti"])
def test_contrasts_are_shrunken_in_units_of_their_vectors(kind):
    """Vectors that spread twice as much have the same answer twice as large."""
    mean, sd = np.array([-0.02, -0.03, -0.01, 0.1]), np.array([0.01, 0.012, 0.02, 0.03])
    names = ["shrunken", "shrunken_low", "shrunken_high"]
    times = np.array([1.0, 3.0, 0.5, 1.0])
    same, other = (result_of(mean * t, sd * t, 0.05 * t, kind).summary[names] for t in (1.0, times))
    np.testing.assert_allclose(other, same.mul(times, axis=0), rtol=1e-9)
    known = pool(mean / 0.05, sd / 0.05, interval=kind).table[["shrunken", "low", "high"]]
    np.testing.assert_allclose(same, known * 0.05, rtol=1e-9)


def test_a_sweep_that_is_shown_is_not_pooled(result, monkeypatch):
    """What is shown has no shrunken columns, which cost more than all else that is made of it."""
    monkeypatch.setattr("bayesbias.studies.sweep_result.pool", lambda *_, **__: pytest.fail("done"))
    assert "associated − different:" in repr(result)


def test_a_sweep_shrinks_what_it_fitted(result):
    """The scale is that of the fit: a standard deviation of a neutral pair's distance."""
    contrasts = result.table.query("table == 'contrast'")
    np.testing.assert_allclose(contrasts["rope"], 0.1 * contrasts["scale"])
    part = contrasts.query("step == 'none' and model == 'crossed' and what == 'human − neutral'")
    assert len(part) == 5
    together = error_correlations(part["words"].tolist(), part["influence"].tolist())
    known = pool(
        part["mean"] / part["scale"], part["sd"] / part["scale"], correlation=together
    ).table
    rows = result.summary.query(
        "step == 'none' and model == 'crossed' and contrast == 'human − neutral'"
    )
    expected = known["shrunken"].to_numpy() * part["scale"].to_numpy()
    np.testing.assert_allclose(rows["shrunken"], expected, rtol=1e-9)


@pytest.fixture(scope="module")
def vocabulary(tmp_path_factory):
    """Two lists' words, in which men's and women's differ along an axis, and 600 others."""
    place = tmp_path_factory.mktemp("vocabulary")
    rng = np.random.default_rng(4)
    lists = [small_list(place, "gender"), bb.load_wordlist("religion")]
    words = list(dict.fromkeys(word for wl in lists for word in wl.words))
    words += [f"other{i}" for i in range(600)]
    matrix = rng.normal(size=(len(words), 12))
    matrix[-600:, 0] = 2 * rng.choice([-1.0, 1.0], 600)
    side = {w: s for one in lists[0].defining_sets for w, s in zip(one, (2.0, -2.0), strict=True)}
    for row, word in enumerate(words):
        matrix[row, 0] = side.get(word, matrix[row, 0])
    kv = bb.load_embedding((words, matrix))
    kv.save_word2vec_format(str(place / "e.bin"), binary=True)
    return place


def sweep_of(place, debias, wordlists="['gender.toml']"):
    (place / "s.toml").write_text(
        f"models = ['paper']\nundebiased = false\nwordlists = {wordlists}\n"
        f"[embeddings]\ne = 'e.bin'\n[debias]\nstep = {debias}\n"
    )
    return load_sweep(place / "s.toml")


def fitted_means(rows):
    return pd.Series({(r["table"], r["what"]): r["mean"] for r in rows})


def assert_answers_of(vectors, *sweeps):
    """The first task of each sweep has the answers of vectors that were made without it."""
    fit = bb.fit(bb.distances(vectors, sweeps[0].wordlists["gender"]), model="paper", seed=1)
    means = fit.summary().table.set_index("connection")["mean"]  # whatever the seed
    contrasts = fit.contrasts().table.set_index("contrast")["mean"]
    for sweep in sweeps:
        found = fitted_means(work_module.do_task(sweep, next(sweep.tasks()))["rows"])
        np.testing.assert_allclose(found["mean"][means.index], means, atol=1e-6)
        np.testing.assert_allclose(found["contrast"][contrasts.index], contrasts, atol=1e-6)


@pytest.mark.parametrize("method", list(bb.debias.METHODS))
@pytest.mark.filterwarnings("ignore::bayesbias.errors.DataWarning")
def test_a_step_is_the_method_on_all_vectors(vocabulary, method):
    """Whatever words the sweep reads, and whichever other lists it has."""
    options = {"soft": {"lam": 50.0}}.get(method, {})
    entry = ", ".join(f"{k} = {v}" for k, v in {"method": f"'{method}'", **options}.items())
    kv, listed = bb.load_embedding(vocabulary / "e.bin"), vocabulary / "gender.toml"
    new = bb.debias.find_method(method)(kv, wordlist=listed, **options).vectors
    lists = ("['gender.toml']", "['gender.toml', 'religion']")
    assert_answers_of(new, *(sweep_of(vocabulary, f"{{ {entry} }}", one) for one in lists))


def test_the_words_that_a_step_names_are_read(vocabulary):
    """They need not be in a list: here the pair that gives the direction."""
    sets = [["other0", "other1"]]
    step = f"{{ method = 'hard', defining_sets = {sets}, neutralise = 'all' }}"
    kv = bb.load_embedding(vocabulary / "e.bin")
    new = bb.debias.hard(kv, defining_sets=sets, neutralise="all").vectors
    assert_answers_of(new, sweep_of(vocabulary, step))


def test_other_defining_sets_are_other_tasks_of_a_step_alone(vocabulary):
    sweep = sweep_of(vocabulary, "{ method = 'hard' }")
    wl = sweep.wordlists["gender"]
    changed = replace(wl, defining_sets=wl.defining_sets[:3])
    other = replace(sweep, wordlists={"gender": changed})
    one, two = (s.task_id(next(s.tasks())) for s in (sweep, other))
    assert one != two
    plain = [replace(s, steps=(Step("none"),)) for s in (sweep, other)]
    one, two = (s.task_id(next(s.tasks())) for s in plain)
    assert one == two
    means = [fitted_means(work_module.do_task(s, next(s.tasks()))["rows"]) for s in (sweep, other)]
    assert (means[0] - means[1]).abs().max() > 1e-3


def test_order_and_company_do_not_matter(folder, tmp_path):
    sweep = load_sweep(folder / "sweep.toml")
    alone = replace(sweep, sources=sweep.sources[1:2], steps=(Step("none"),))
    whole = {(*t.names.values(),): sweep.task_id(t) for t in sweep.tasks()}
    for task in alone.tasks():
        assert alone.task_id(task) == whole[(*task.names.values(),)]


@pytest.mark.slow
def test_processes_give_the_same_numbers(done, folder, tmp_path):
    again = run(folder / "sweep.toml", tmp_path, jobs=2)
    pd.testing.assert_frame_equal(by_task(again.table), by_task(done[1].table))
    pd.testing.assert_frame_equal(again.failures, done[1].failures)


def test_an_embedding_is_opened_once(folder, tmp_path, monkeypatch):
    opened, load = [], sweep_file.load_embedding

    def counted(path, **options):
        opened.append(os.path.basename(path))
        return load(path, **options)

    monkeypatch.setattr(sweep_file, "load_embedding", counted)
    work_module._open.clear()
    work_module._frames.clear()
    sweep = load_sweep(folder / "sweep.toml")
    few = {"sources": sweep.sources[:2], "models": {"paper": sweep.models["paper"]}}
    run(replace(sweep, **few, seed=77), tmp_path)
    assert opened == ["e0.bin", "e1.bin"]


@pytest.fixture(scope="module")
def cluster():
    distributed = pytest.importorskip("distributed", reason="Dask is not installed")
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=":0"
    ) as made:
        yield made


@pytest.mark.sampling
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning")
def test_a_dask_cluster_gives_the_same_numbers(done, folder, tmp_path, cluster):
    _, first = done
    address = cluster.scheduler_address
    again = run(folder / "sweep.toml", tmp_path, scheduler=address)
    pd.testing.assert_frame_equal(by_task(again.table), by_task(first.table))
    assert len(again.failures) == len(first.failures)


@pytest.mark.sampling
@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::DeprecationWarning", "ignore::ResourceWarning")
def test_a_killed_dask_worker_loses_nothing(tmp_path, cluster):
    """Kill one of the two workers while it works; its tasks are done again elsewhere."""
    path, out = tmp_path / "s.toml", tmp_path / "out"
    text = 'models = ["paper", "crossed"]\n[distances]\n'
    for number in range(15):
        bb.write_distances(make_frame(n_words=20, seed=number), tmp_path / f"d{number}.csv")
        text += f'd{number} = "d{number}.csv"\n'
    path.write_text(text)
    command = [sys.executable, "-m", "bayesbias", "sweep", str(path), "--out", str(out), "--quiet"]
    process = subprocess.Popen([*command, "--scheduler", cluster.scheduler_address])
    while len(list((out / "results").glob("[!.]*.parquet"))) < 3 and process.poll() is None:
        time.sleep(0.01)
    os.kill(cluster.workers[0].pid, signal.SIGKILL)
    assert process.wait(timeout=120) == 0
    result = run(path, out)
    assert result.n_done == 0
    assert result.failures.empty
    fresh = run(path, tmp_path / "fresh")
    pd.testing.assert_frame_equal(by_task(result.table), by_task(fresh.table))


PAPER, FILE = "models = ['paper']\n", "[distances]\na = 'a'\n"
VECTORS = f"{PAPER}wordlists = ['gender']\n[embeddings]\na = "


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("modles = ['paper']", "modles: unknown key; did you mean 'models'"),
        (PAPER, "name at least one embedding"),
        (f"models = ['papr']\n{FILE}", "did you mean 'paper'"),
        (FILE, "models: name at least one"),
        (f"{PAPER}[embeddings]\na = 'a.bin'", "wordlists: name at least one"),
        (f"{PAPER}[distances]\na = 1", "distances.a: must be the path"),
        (f"models = ['change']\n{FILE}", "explains changes"),
        (f"models = ['student-t']\n{FILE}", "needs chains"),
        (f"models = ['paper', 'paper']\n{FILE}", "two of the name 'paper'"),
        (f"{VECTORS}{{pth = 'x'}}", "embeddings.a: must be a path"),
        (f"{PAPER}{FILE}[debias]\nnone = {{method = 'hard'}}", "choose another name"),
        (f"undebiased = false\n{VECTORS}'x'", "nothing to do"),
        *(
            (f"{VECTORS}{{path = 'x', {entry}}}", complaint)
            for entry, complaint in (
                ("lim = 1", "did you mean 'limit'"),
                ("trusted = 'no'", "embeddings.a.trusted: 'no' must be true or false"),
                ("trusted = 'false'", "trusted: 'false' must be true or false"),
                ("trusted = 1", "trusted: 1 must be"),
                ("trusted = [0]", "trusted: .0. must be"),
                ("trusted = {a = 1}", "trusted: .* must be"),
                ("limit = 1e3", "embeddings.a.limit: 1000.0 must be a whole number"),
                ("limit = true", "limit: True must be"),
                ("limit = 0", "limit: 0 must be"),
                ("limit = 2024-01-01", "limit: .* must be"),
                ("fallbacks = ['lower', 'lower']", "fallbacks: names one more than once"),
                ("fallbacks = ['lowr']", "did you mean 'lower'"),
                ("fallbacks = [['lower']]", "fallbacks: unknown"),
                (f"fallbacks = {['lower'] * 40}", "names one more than once"),
            )
        ),
        *(
            (f"{entry}\n{PAPER}{FILE}", complaint)
            for entry, complaint in (
                ("undebiased = 'no'", "undebiased: 'no' must be true or false"),
                ("undebiased = 0", "undebiased: 0 must be"),
                ("seed = -1", "seed: -1"),
                ("seed = true", "seed: True must be"),
                ("seed = 2024-01-01", "seed: .* must be"),
                ("seed = 1.5", "seed: 1.5 must be"),
                ("prob = 'x'", "prob, interval, rope"),
                ("prob = true", "prob=True: must be a number"),
                ("prob = 2024-01-01", "must be a number"),
                ("rope = -1", "rope=-1"),
                ("rope = 'a'", "rope='a': must be a number"),
                ("rope = nan", "rope=nan"),
                ("interval = ['hpdi']", "interval: must be a text"),
            )
        ),
        *(
            (f"{PAPER}{FILE}[debias]\nh = {{method = {step}}}", complaint)
            for step, complaint in (
                ("'hrd'", "did you mean 'hard'"),
                ("'hard', lam = 1", "debias.h.lam: unknown option"),
                ("'multiclass', k = 'a'", "debias.h.k: 'a' is of the wrong type"),
                ("'multiclass', k = 1.5", "k: 1.5 is"),
                ("'multiclass', k = true", "k: True is"),
                ("'multiclass', k = 2024-01-01", "k: .* is of the wrong type"),
                ("'multiclass', normalise = 'no'", "normalise: 'no' is"),
                ("'multiclass', keep = [1]", "keep: .1. is"),
                ("'hard', wordlists = 'gender'", "debias.h.wordlists: must be a list"),
                ("'hard', wordlists = ['gendr']", "no list 'gendr' here"),
            )
        ),
    ],
)
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
    assert "4 tasks: 2 files of distances × 2 models" in printed
    assert "Of 4 tasks, 4 with results, 0 failed; 4 done now, 0 before." in printed
    assert main([*arguments[:-1], "0"]) == 0  # 0 means one per core
    assert main(["sweep", "nowhere.toml", "--out", str(tmp_path / "o")]) == 2
    assert "nowhere.toml: cannot be read" in capsys.readouterr().err


def test_an_interrupt_does_not_deny_what_is_kept(folder, tmp_path, capsys, monkeypatch):
    def stopped(sweep, out, **options):
        run_sweep(sweep, out, **{**options, "jobs": 1})
        raise KeyboardInterrupt

    monkeypatch.setattr("bayesbias.sweep.run_sweep", stopped)
    out = tmp_path / "out"
    assert main(["sweep", str(folder / "small.toml"), "--out", str(out), "--quiet"]) == 130
    assert list((out / "results").iterdir())
    error = capsys.readouterr().err
    assert f"finished tasks are kept in {out}" in error
    assert "nothing was written" not in error


@pytest.mark.slow
def test_no_answer_from_a_scheduler_is_said(folder, tmp_path):
    pytest.importorskip("distributed", reason="Dask is not installed")
    with pytest.raises(ArgumentError, match="scheduler 'nonsense'"):
        run(folder / "small.toml", tmp_path, scheduler="nonsense")
    xr.Dataset({"still": 1}).to_netcdf(tmp_path / "written.nc")  # Dask's lock would ask a scheduler


def contents(out):
    """Return what a sweep wrote."""
    return {path.relative_to(out): path.read_bytes() for path in out.rglob("*") if path.is_file()}


@pytest.mark.parametrize("lost", [0, 3])
def test_a_result_does_not_tell_which_task_came_first(tmp_path, lost):
    """Only the first task of a frame had the warnings of its making, so that reruns differed."""
    frame, path, out = make_frame(), tmp_path / "s.toml", tmp_path / "out"
    bb.write_distances(pd.concat([frame, frame.head(3)]), tmp_path / "d.csv")
    kv = planted_embedding(small_list(tmp_path, "gender"), similarity=0.2, dim=10, seed=1).vectors
    kv.save_word2vec_format(str(tmp_path / "e.txt"))
    _, first, *lines = (tmp_path / "e.txt").read_text().splitlines(keepends=True)
    (tmp_path / "e.txt").write_text("".join([f"{len(lines) + 2} 10\n", first, first, *lines]))
    path.write_text(
        'models = ["paper", "no-pooling"]\nwordlists = ["gender.toml"]\n'
        '[distances]\nd = "d.csv"\n[embeddings]\ne = "e.txt"\n'
    )
    assert run(path, out).summary["notes"].str.contains("repeat").all()
    before = contents(out)
    sorted((out / "results").iterdir())[lost].unlink()
    work_module._open.clear()  # as a new process begins
    work_module._frames.clear()
    assert run(path, out).n_done == 1
    assert contents(out) == before


def test_the_lists_lead_a_sweep(folder, tmp_path):
    """Who is closer to each list: a row a task and list, first in the summary and what is shown."""
    result = run(folder / "sweep.toml", tmp_path)
    lists = result.table.query("table == 'list'")
    assert {"man_stereotype: man − woman", "female_terms: arts − math"} <= set(lists["what"])
    whole = result.table.query("table == 'contrast' and what == 'associated − different'")
    keys = ["source", "step", "wordlist", "model"]
    mean = lists.groupby(keys)["mean"].mean()
    whole = whole.set_index(keys)["mean"].loc[mean.index]
    np.testing.assert_allclose(mean, whole, atol=0.02)  # of these models, nearly
    summary = result.summary
    assert summary["contrast"].iloc[0] in set(lists["what"])
    assert lists["words"].str.contains("protected ").all()
    assert "Who is closer to each list, between groups:" in str(result)


def test_the_heat_map_is_by_list_and_in_sd(result):
    """In cosine distance the darkest cell was not the largest association."""
    figure = plot_sweep(result.table, result.failures)
    assert "by list, between groups, in sd" in [axis.get_ylabel() for axis in figure.axes]
    lists = result.table.query("table == 'list' and model == 'paper'")
    labels = [label.get_text() for label in figure.axes[0].get_xticklabels()]
    assert set(labels) == {*lists["what"], "distances"}  # the file's groups have no list each
    shown = np.ma.filled(figure.axes[0].images[0].get_array().astype(float), np.nan)
    rows = [label.get_text() for label in figure.axes[0].get_yticklabels()]
    for one in lists.query("step == 'none'").itertuples():
        size = shown[rows.index(one.source), labels.index(one.what)]
        assert size == pytest.approx(one.mean / one.scale)


def test_sizes_are_in_cosine_distance_and_in_sd(done):
    out, result = done
    summary = result.summary
    scale = pd.concat([result.table[result.table["table"] == t] for t in ("list", "contrast")])
    for name in ("mean", "low", "high"):
        np.testing.assert_allclose(summary[f"{name}_sd"], summary[name] / scale["scale"].to_numpy())
    written = pd.read_csv(out / "summary.csv", keep_default_na=False)
    assert {"mean", "mean_sd", "low_sd", "high_sd"} <= set(written)
    table = str(result).partition("between groups")[2]
    assert "in sd" in table.splitlines()[1]


def test_the_tasks_that_are_told_add_up(folder):
    sweep = load_sweep(folder / "sweep.toml")
    assert sweep.told == (
        "26 tasks: 24 (3 embeddings × 2 steps × 2 word lists × 2 models) and 2 (1 file of "
        "distances × 2 models)"
    )
    first, *others = sweep.steps
    of_one = replace(others[-1], wordlists=(next(iter(sweep.wordlists)),))
    embeddings = tuple(source for source in sweep.sources if source.kind == "embedding")
    less = replace(sweep, sources=embeddings, steps=(first, of_one))
    assert less.told == (
        "18 tasks: 3 embeddings × 2 steps × 2 word lists × 2 models, except 6 combinations of a "
        "step with a word list that it is not for"
    )
    assert len(list(less.tasks())) == 18


def test_a_log_has_a_line_for_every_tenth(folder, tmp_path, capsys):
    run_sweep(folder / "small.toml", tmp_path)
    said = capsys.readouterr().err.splitlines()
    assert [line.partition(",")[0] for line in said] == [f"Sweeping: {n} of 4" for n in range(1, 5)]
    run_sweep(folder / "small.toml", tmp_path / "quiet", progress=False)
    assert capsys.readouterr().err == ""


def test_all_faults_of_a_file_are_told_at_once_and_files_are_looked_for(folder, tmp_path):
    """Before any work: a path was found wrong hours later, one fault at a time."""
    (tmp_path / "e.bin").write_bytes(b"")
    (tmp_path / "s.toml").write_text(
        "models = ['papr', 'paper']\nwordlists = ['gendr', 'gender']\nseed = -1\nmods = 1\n"
        "measures = ['MACC']\nrope = 'a'\n[embeddings]\na = 'gone.bin'\nb = 'e.bin'\n"
        "[distances]\nc = 'gone.csv'\n[debias]\nh = { method = 'hrd' }\n"
        "both = { steps = ['h', 'h'] }\n"
    )
    with pytest.raises(ArgumentError) as caught:
        load_sweep(tmp_path / "s.toml")
    said = str(caught.value)
    assert "9 faults:" in said
    for fault in ("mods", "embeddings.a", "gone.bin: no such file", "distances.c", "gone.csv"):
        assert fault in said
    for fault in ("'gendr'", "'papr'", "'MACC'", "seed: -1", "rope='a'", "'hrd'"):
        assert fault in said
    assert "steps" not in said  # that a chain has a faulty step is no fault of its own
