"""Several word lists at once, and the page of a sweep: one answer and one page of all."""

import json

import pandas as pd
import pytest
from samples import FEW, make_frame, small_list

import bayesbias as bb
from bayesbias.cli import main
from bayesbias.errors import ArgumentError, FitError
from bayesbias.inference.decision import DecisionRule
from bayesbias.report.folder_reading import load_results
from bayesbias.report.several import sentences_of
from bayesbias.simulate import planted_embedding
from bayesbias.studies.several_narrator import tasks_sentences

pytestmark = pytest.mark.filterwarnings("ignore::bayesbias.errors.BayesBiasWarning")


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    """Vectors of two small lists."""
    place = tmp_path_factory.mktemp("lists")
    lists = [small_list(place, name) for name in ("gender", "weat7")]
    words, seen = [], set()
    for one in lists:
        made = planted_embedding(one, similarity=0.3, dim=40, seed=1).vectors
        words += [(w, made[w]) for w in made.index_to_key if w not in seen]
        seen |= set(made.index_to_key)
    bb.load_embedding(dict(words)).save_word2vec_format(place / "v.bin", binary=True)
    return place


LISTS = ("--wordlist gender.toml,weat7.toml", "--wordlist gender.toml --wordlist weat7.toml")


@pytest.mark.parametrize("lists", LISTS, ids=["commas", "twice"])
def test_analyze_takes_several_lists(lists, place, tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(place)
    asked = f"analyze v.bin {lists} --model paper --report --out {tmp_path / 'out'}"
    assert main(asked.split()) == 0
    said = capsys.readouterr().out
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    finds = said.split("All word lists:\n")[1].splitlines()
    for line, name in zip(finds, ("gender", "weat7"), strict=False):
        assert line.startswith(f"{name}: ")
        assert line in page
        fit = bb.load_fit(tmp_path / "out" / name / "fit.nc")
        assert line == f"{name}: {fit.finding()}"
        assert not (tmp_path / "out" / name / "report.html").exists()
    assert page.count("<section") == 2 + 1 + 1  # an answer, the lists, how to reproduce it


def test_json_of_several_lists_is_one(place, monkeypatch, capsys):
    monkeypatch.chdir(place)
    assert main(f"analyze v.bin {LISTS[0]} --model paper --json".split()) == 0
    found = json.loads(capsys.readouterr().out)
    assert list(found["wordlists"]) == ["gender", "weat7"]
    for said, (name, own) in zip(found["answers"], found["wordlists"].items(), strict=True):
        assert said == f"{name}: {own['answers'][0]}"
        assert own["contrasts"]


def test_lists_are_checked_before_any_work(place, monkeypatch, capsys):
    monkeypatch.chdir(place)
    for lists, complaint in (
        ("gender.toml,nothing", "nothing"),
        ("gender.toml,gender.toml", "two lists are called 'gender'"),
    ):
        assert main(["analyze", "v.bin", "--wordlist", lists]) == 2
        streams = capsys.readouterr()
        assert complaint in streams.err
        assert not streams.out
    with pytest.raises(ArgumentError, match="at least one"):
        bb.write_report({}, "page.html")


@pytest.fixture(scope="module")
def sweep(tmp_path_factory):
    place = tmp_path_factory.mktemp("sweep")
    for number in range(2):
        bb.write_distances(make_frame(n_attributes=FEW, seed=number), place / f"d{number}.csv")
    (place / "broken.csv").write_text("nothing\n", encoding="utf-8")
    names = "".join(f'{name} = "{file}.csv"\n' for name, file in NAMES.items())
    (place / "sweep.toml").write_text(f'models = ["paper"]\n[distances]\n{names}')
    found = bb.sweep.run_sweep(
        bb.sweep.load_sweep(place / "sweep.toml"), place / "out", progress=False
    )
    return place / "out", found


NAMES = {"a": "d0", "b": "d1", "c": "broken"}


@pytest.mark.usefixtures("undrawn")
def test_a_sweep_has_a_page(sweep, capsys):
    folder, found = sweep
    assert main(["report", str(folder)]) == 0
    page = (folder / "report.html").read_text(encoding="utf-8")
    for said in tasks_sentences(found.table, found.failures):
        assert said in page.replace("&#34;", '"')
    assert "1 task failed, and why" in page
    read, _ = load_results(folder)
    pd.testing.assert_frame_equal(read.table, found.table)
    assert read.failures["source"].tolist() == ["c"]


def test_a_damaged_table_of_a_sweep_is_refused(sweep, tmp_path):
    (tmp_path / "results.parquet").write_bytes(b"PAR1 nothing")
    with pytest.raises(FitError, match="is damaged"):
        load_results(tmp_path)


def test_a_sweep_is_said_list_by_list():
    rows = [("a", -0.25, "closer"), ("b", -0.455, "closer"), ("c", 0.01, "undecided")]
    table = pd.DataFrame(rows, columns=["source", "mean", "verdict"]).assign(
        step="",
        wordlist="gender",
        model="maximal",
        table="contrast",
        trusted=True,
        scale=0.5,
        low=-0.6,
        high=-0.1,
        prob=0.89,
        interval="hpdi",
        what="associated − different",
    )
    failures = pd.DataFrame([("d", "", "gender", "maximal", "no words")])
    lists = [table[:1].assign(table="list", what=w) for w in ("his: he − she", "hers: she − he")]
    assert tasks_sentences(pd.concat([*lists, table]), failures) == [
        'Word list "gender": On average, words of "he" and "she" are closer to their own attribute '
        "lists in 2 of 3 tasks, by 0.50 to 0.91 sd. In 1 we cannot tell. They are closest in the "
        'task "b", model "maximal": 0.91 sd closer (89% HPDI 0.20 to 1.20). Own attribute lists '
        '(compared with the others): of words of "he", "his"; of words of "she", "hers".',
        "1 task failed.",
    ]
    (common,) = tasks_sentences(table.assign(chance=[0.3, 0.05, 0.4]), failures.iloc[:0])
    assert "by 0.50 to 0.91 sd. But in 1 of them this is no more than unrelated groups" in common
    alone = table.iloc[2:].assign(low=-0.1, high=0.12)
    assert tasks_sentences(alone, failures.iloc[:0]) == [
        'Word list "gender": in 1 of 1 task we cannot tell whether protected words are closer to '
        "their own attribute lists. The 89% HPDI is 0.20 closer up to 0.24 farther, in sd."
    ]
    unknown = table.assign(verdict="undecided", scale=0.0)
    assert tasks_sentences(unknown, failures.iloc[:0]) == [
        'Word list "gender": in 3 of 3 tasks we cannot tell whether protected words are closer '
        "to their own attribute lists."
    ]
    nothing = pd.DataFrame(columns=["source", "table", "what", "mean"])
    assert tasks_sentences(nothing, failures) == ["1 task failed."]


def test_the_answer_of_a_list_keeps_what_it_must_not_be_read_without():
    fit = bb.fit(bb.distances(bb.example_embedding(), "gender"), seed=1)
    first, *_ = sentences_of(fit, DecisionRule())
    assert first.startswith(fit.finding())
    assert "of pairs of unrelated groups, like words for rivers and for trees, differ " in first
