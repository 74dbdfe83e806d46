"""The commands ``compare``, ``plan`` and ``simulate``, and the contrasts of ``analyze``."""

import json
import re

import numpy as np
import pandas as pd
import pytest
from samples import FEW, make_frame, small_list

import bayesbias as bb
from bayesbias.cli import main
from bayesbias.simulate import planted_embedding
from bayesbias.support.bounded_files import file_checksum


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Distances before and after; `associated` has moved by .2, one pair is only before."""
    folder = tmp_path_factory.mktemp("distances")
    before = make_frame(n_words=4, n_attributes=FEW)
    after = before.copy()
    after["cosine_distance"] += np.random.default_rng(1).normal(0, 0.01, len(after))
    after.loc[after.connection == "associated", "cosine_distance"] += 0.2
    bb.write_distances(before, folder / "before.csv")
    bb.write_distances(after.iloc[1:], folder / "after.csv")
    return folder


@pytest.mark.usefixtures("undrawn")
def test_compare_writes_what_it_prints(out, printed):
    said = printed("compare before.csv after.csv --rope 0.1 --prob 0.8 --figures --out OUT")
    assert "71 pairs of 4 protected words; 1 pair on one side only, left out." in said
    moved = r"associated words moved farther away \(\+0\.\d+, \+0\.\d+ to \+0\.\d+\)"
    assert "80% HPDI" in said
    names = sorted(p.relative_to(out).as_posix() for p in out.rglob("*") if p.is_file())
    assert " ".join(names) == (
        "changes_by_connection.csv changes_by_word.csv contrasts_by_connection.csv "
        "contrasts_by_word.csv figures/changes.png figures/contrasts.png figures/left.png "
        "figures/predictive.png fit.nc left.csv manifest.json pairs.csv shares.csv unmoved.csv "
        "unpaired.csv"
    )
    table = pd.read_csv(out / "changes_by_connection.csv", keep_default_na=False)
    row = table[table.connection == "associated"].iloc[0]
    assert row["low"] < 0.2 < row["high"]
    assert row["verdict"] == "farther"
    assert row["rope"] == 0.1
    assert len(pd.read_csv(out / "unpaired.csv")) == 1
    manifest = json.loads((out / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["model"]["name"] == "change-maximal"
    assert manifest["intervals"].items() >= {"prob": 0.8, "interval": "hpdi", "rope": 0.1}.items()
    assert any(re.search(moved, answer) for answer in manifest["answers"])
    assert manifest["files"]["fit.nc"] == file_checksum(out / "fit.nc")
    assert bb.load_fit(out / "fit.nc").spec.name == "change-maximal"


def test_compare_reads_embeddings(tmp_path, printed):
    """The same list planted at two strengths: associated pairs move away."""
    listed, paths = small_list(tmp_path, "weat7"), [tmp_path / "a.bin", tmp_path / "b.bin"]
    for path, similarity in zip(paths, (0.5, 0.1), strict=True):
        kv = planted_embedding(listed, similarity=similarity, dim=60, seed=1).vectors
        words = [w for w in kv.index_to_key if w != "algebra"]
        bb.load_embedding((words, kv[words])).save_word2vec_format(str(path), binary=True)
    given = f"{paths[0]} {paths[1]} --wordlist {tmp_path}/weat7.toml"
    said = printed(f"compare {given} --model change")
    title = f"{paths[0]} and {paths[1]}:\nmissing protected words of math (1): algebra"
    assert title in said
    assert said.index("What this means") < said.index(title) < said.index("\nThen\n")
    assert said.count("missing protected words of math") == 1  # both sides lack the same
    steps = (
        "  1. See each word and every table: add --out DIR --report.\n  2. Ask what it cost: add "
    )
    assert f"\n\nThen\n{steps}" in said
    assert "associated − different" in said


@pytest.mark.usefixtures("undrawn")
def test_one_chain_and_few_draws_make_no_noise(typed, capfd):
    """Warnings of libraries are errors here, and what is printed is a note of ours."""
    for few in ("--chains 1", "--draws 2", "--draws 5"):
        typed(f"analyze --distances before.csv --model crossed {few} --overwrite --out OUT")
        said, noise = capfd.readouterr()
        assert all(line.startswith("bayesbias: note: ") for line in noise.splitlines())
        assert "nan" not in said
        assert "Mean cosine distance" in said


def test_letters_without_a_font_are_told_once(tmp_path, typed, capsys):
    frame = make_frame(n_attributes=FEW)
    for old, new in zip(frame["attribute"].unique()[:2], "釘鎚", strict=True):
        frame["attribute"] = frame["attribute"].replace(old, new)
    bb.write_distances(frame, tmp_path / "d.csv")
    typed(f"analyze --distances {tmp_path}/d.csv --model paper --figures --out OUT")
    notes = capsys.readouterr().err.splitlines()
    assert len(notes) == len(set(notes)) <= 2  # a figure may show one of the two words only
    assert all(note.startswith("bayesbias: note: figures show a box for ") for note in notes)


def test_too_little_memory_is_one_line(files, capsys, monkeypatch):
    def full(*_, **__):
        raise MemoryError("Unable to allocate 29.1 TiB for an array with shape (2, 2000000000000)")

    monkeypatch.setattr("bayesbias.fit", full)
    assert main(["analyze", "--distances", str(files / "before.csv")]) == 2
    assert capsys.readouterr().err == (
        "bayesbias: error: not enough memory for 29.1 TiB; ask for fewer draws, words or vectors\n"
    )


def test_analyze_prints_and_writes_contrasts(out, printed):
    said = printed("analyze --distances before.csv --model paper --rope 0.02 --out OUT")
    assert not (out / "figures").exists()
    assert "associated − neutral" in said
    assert "(ROPE) is ±0.02" in said
    table = pd.read_csv(out / "contrasts_by_connection.csv", keep_default_na=False)
    assert set(table["rope"]) == {0.02}
    assert (
        json.loads((out / "manifest.json").read_text(encoding="utf-8"))["intervals"]["rope"] == 0.02
    )


def test_the_terminal_has_the_groups_that_its_headline_is_about(tmp_path, printed):
    listed = small_list(tmp_path, "gender")
    planted = planted_embedding(listed, similarity=0.5, dim=60, seed=1).vectors
    bb.write_distances(bb.distances(planted, listed), tmp_path / "d.csv")
    said = printed(f"analyze {tmp_path}/d.csv --model crossed").partition("\n\n")[2]
    headline, _, rest = said.partition("\n\n")
    rows = rest.partition("Who is closer to each list")[2].split("\n\n")[0].splitlines()[2:]
    for group in ("man", "woman"):
        assert group in headline
        assert any(group in row.split() and "closer" in row for row in rows)


@pytest.mark.usefixtures("undrawn")
def test_controls_alone_can_be_analysed(tmp_path, out, typed):
    frame = make_frame()
    bb.write_distances(frame[frame.connection == "human"], tmp_path / "d.csv")
    typed(f"analyze --distances {tmp_path}/d.csv --model paper --quiet --out OUT")
    assert not list(out.glob("contrasts*"))


@pytest.mark.usefixtures("undrawn")
def test_plan_from_a_folder(tmp_path, out, printed):
    fit = bb.fit(make_frame(n_attributes=FEW), model="paper", seed=1)
    fit.save(tmp_path / "fit.nc")
    options = "--words 6,12 --attributes 8 --simulations 2 --width 0.2 --figures png"
    said = printed(f"plan {tmp_path} {options} --out OUT")
    assert f"made from fit {fit.id}" in " ".join(said.split())
    assert said.startswith(
        "Enough for an 89% interval of mean width 0.2 or less: 6 protected words with 8 "
        "attributes, in all; no smaller size tried is."
    )
    table = pd.read_csv(out / "plan.csv")
    assert table["n_words"].unique().tolist() == [6, 12]
    names = sorted(path.name for path in out.iterdir())
    assert names == ["manifest.json", "needed.csv", "plan.csv", "plan.png"]
    assert (
        json.loads((out / "manifest.json").read_text(encoding="utf-8"))["basis"] == f"fit {fit.id}"
    )


def test_simulate_counts(out, printed):
    said = printed(
        "simulate --method weat-p --method mac-t --worlds 4 --effect 0.4 --jobs 1 --out OUT"
    )
    assert "Associated closer by 0.4 (hits)" in said
    table = pd.read_csv(out / "characteristics.csv")
    assert table["method"].unique().tolist() == ["weat-p", "mac-t"]
    assert (table["says_bias"] == 1).all()
    manifest = json.loads((out / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["assumptions"]["n_groups"] == 2
    assert manifest["seed"] == 1


@pytest.mark.usefixtures("undrawn")
def test_placebo_lists_are_printed_and_written(tmp_path, out, printed):
    bb.write_distances(make_frame(n_attributes=FEW | {"neutral": 10}), tmp_path / "d.csv")
    command = f"analyze --distances {tmp_path}/d.csv --placebo 3 --model paper"
    said = printed(f"{command} --report --figures --out OUT")
    assert "neutral words drawn at random" in said
    table = pd.read_csv(out / "placebo.csv")
    assert table["group"].tolist() == ["all", "all", "group0", "group1"]
    assert table["n"].tolist() == [3, 3, 3, 3]
    assert len(pd.read_csv(out / "placebo_lists.csv")) == 12
    assert (out / "figures" / "placebo.png").exists()
    assert "neutral words drawn at random" in (out / "report.html").read_text(encoding="utf-8")
    content = json.loads(printed(f"{command} --json --prob 0.95"))
    assert len(content["placebo"]["lists"]) == 12
    assert {row["prob"] for row in content["coverage"]} == {0.95, 0.5}
