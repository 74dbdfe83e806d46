"""Training runs: a seed gives the same vectors, and a run that is there is not trained again."""

import json
from collections import Counter
from itertools import chain

import numpy as np
import pytest
from samples import ROOT, small_list

import bayesbias as bb
from bayesbias.cli import main
from bayesbias.errors import ArgumentError, DistancesError, OutputError
from bayesbias.vectors.seeded_runs import Shuffled, runs_in

SMALL = {"vector_size": 8, "epochs": 1, "min_count": 1}
TERM = """
[[terms]]
name = "run"
by = ["run"]
prior = { distribution = "exponential", rate = 10.0 }
"""


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
    return bb.vectors.training_runs(corpus, folder, seeds=2, progress=False, **SMALL)


def test_a_seed_gives_the_same_vectors(corpus, runs, tmp_path):
    again = bb.vectors.training_runs(corpus, tmp_path, seeds=2, progress=False, **SMALL)
    contents = [[path.read_bytes() for path in found.values()] for found in (runs, again)]
    assert contents[0] == contents[1]
    assert contents[0][0] != contents[0][1]


def test_a_run_that_is_there_is_not_trained_again(corpus, runs):
    times = [path.stat().st_mtime_ns for path in runs.values()]
    folder = next(iter(runs.values())).parent
    more = bb.vectors.training_runs(corpus, folder, seeds=3, progress=False, **SMALL)
    assert [path.stat().st_mtime_ns for path in more.values()][:2] == times
    assert {p.name for p in folder.iterdir()} == {"runs.json", *(p.name for p in more.values())}
    assert json.loads((folder / "runs.json").read_text())["settings"]["vector_size"] == 8


def test_shuffled_text_has_the_same_words_in_sentences_of_the_same_lengths():
    sentences = [["a", "b", "b"], ["c"], [], ["d", "a"]] * 50
    dealt = list(Shuffled(sentences, seed=1))
    assert [len(sentence) for sentence in dealt] == [len(sentence) for sentence in sentences]
    assert Counter(chain(*dealt)) == Counter(chain(*sentences))
    assert dealt == list(Shuffled(sentences, seed=1))
    assert sum(a == b for a, b in zip(dealt, sentences, strict=True) if len(a) == 3) < 10
    assert dealt != list(Shuffled(sentences, seed=2))


def test_an_association_of_the_text_is_gone_once_its_words_are_shuffled(tmp_path):
    """In each sentence a word of one list is beside its own, and every list is as frequent."""
    rng = np.random.default_rng(1)
    lists = [[f"{name}{i}" for i in range(5)] for name in "abcd"]
    lines = []
    for _ in range(3000):
        one, other = ((0, 1), (2, 3))[rng.integers(2)]
        lines.append(" ".join(rng.choice(lists[one] + lists[other], 8)))
    path = tmp_path / "corpus.txt"
    path.write_text("\n".join(lines), encoding="utf-8")
    found = {}
    for shuffled in (False, True):
        place, settings = tmp_path / f"{shuffled}", {**SMALL, "epochs": 10}
        runs = bb.vectors.training_runs(
            path, place, seeds=2, shuffled=shuffled, progress=False, **settings
        )
        vectors = [bb.load_embedding(run) for run in runs.values()]
        assert [set(v.key_to_index) for v in vectors] == [set(chain(*lists))] * 2
        own = [v.n_similarity(lists[0], lists[1]) for v in vectors]
        other = [v.n_similarity(lists[0], lists[3]) for v in vectors]
        found[shuffled] = np.subtract(own, other)
    assert (found[False] > 0.5).all()
    assert (abs(found[True]) < 0.1).all()
    assert found[True][0] != found[True][1]


def test_runs_of_other_settings_are_not_mixed(corpus, runs, tmp_path):
    def train(folder, **other):
        bb.vectors.training_runs(corpus, folder, progress=False, **{**SMALL, "seeds": 1, **other})

    folder = next(iter(runs.values())).parent
    train(tmp_path, shuffled=True)
    for place, other in (
        (folder, {"vector_size": 9}),
        (folder, {"shuffled": True}),
        (tmp_path, {}),
    ):
        with pytest.raises(OutputError, match="another settings"):
            train(place, **other)
    with pytest.raises(ArgumentError, match="shuffled='no': must be True or False"):
        train(tmp_path, shuffled="no")


def test_the_command_shuffles(corpus, tmp_path, capsys):
    sizes = ["--vector-size", "8", "--epochs", "1", "--min-count", "1", "--jobs", "1"]
    main(["runs", str(corpus), "--shuffled", "--seeds", "2", "--out", str(tmp_path / "o"), *sizes])
    assert "2 training runs of shuffled text in" in capsys.readouterr().out
    record = json.loads((tmp_path / "o" / "runs.json").read_text())
    assert record["settings"]["shuffled"] is True


def test_what_cannot_be_trained_is_refused(corpus, tmp_path):
    with pytest.raises(ArgumentError, match="no such file"):
        bb.vectors.training_runs(tmp_path / "absent.txt", tmp_path)
    with pytest.raises(ArgumentError, match="vector_size"):
        bb.vectors.training_runs(corpus, tmp_path, vector_sise=5)
    (tmp_path / "short.txt").write_text("one two three\n")
    with pytest.raises(ArgumentError, match="min_count"):
        bb.vectors.training_runs(tmp_path / "short.txt", tmp_path / "out", seeds=1, progress=False)


@pytest.mark.filterwarnings("ignore::bayesbias.errors.MissingWordsWarning")
def test_distances_of_runs_become_changes_and_files(runs, tmp_path):
    frame = bb.pairs.distances_of_runs(runs, "weat7")
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
        bb.pairs.distances_of_runs({"seed 1": runs["seed 1"]}, "weat7")


@pytest.mark.usefixtures("undrawn")
@pytest.mark.filterwarnings("ignore::bayesbias.errors.MissingWordsWarning")
def test_a_command_takes_the_folder_of_runs(runs, tmp_path, capsys):
    """With the vectors, which a file of distances does not have."""
    folder = next(iter(runs.values())).parent
    listed = small_list(tmp_path, "weat7")
    model = tmp_path / "mine.toml"
    paper = (ROOT / "models" / "paper.toml").read_text(encoding="utf-8")
    model.write_text(paper + TERM, encoding="utf-8")
    command = ["analyze", str(folder), "--wordlist", str(tmp_path / "weat7.toml")]
    assert main([*command, "--model", str(model), "--out", str(tmp_path / "out"), "--quiet"]) == 0
    found = bb.load_fit(tmp_path / "out" / "fit.nc").input_frame
    given = bb.pairs.distances_of_runs(runs_in(folder), listed)
    assert found["run"].nunique() == len(runs_in(folder)) >= 2
    pairs = ["run", "protected_word", "attribute", "cosine_distance"]
    assert found[pairs].to_numpy().tolist() == given[pairs].to_numpy().tolist()
    assert main([*command, "--limit", "5"]) == 2
    assert "--limit goes with one file of vectors" in capsys.readouterr().err
