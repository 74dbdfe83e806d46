"""The command ``compare`` with several embeddings side by side, and over time."""

import json

import numpy as np
import pandas as pd
import pytest
from samples import common_words, make_frame, quick_embeddings

import bayesbias as bb
from bayesbias.cli import main
from bayesbias.errors import ArgumentError
from bayesbias.simulate import planted_embedding
from bayesbias.studies import across_embeddings

SIZES = {"associated": 4, "different": 4, "human": 2, "neutral": 3}


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Three files of distances; associated pairs come nearer from each to the next."""
    place = tmp_path_factory.mktemp("files")
    rng = np.random.default_rng(1)
    for number in range(3):
        frame = make_frame(n_attributes=SIZES, seed=3)
        frame["cosine_distance"] += rng.normal(0, 0.005, len(frame))
        frame.loc[frame.connection == "associated", "cosine_distance"] -= 0.1 * number
        bb.write_distances(frame, place / f"v{number}.csv")
    return place


@pytest.fixture
def quick(tmp_path, monkeypatch):
    """The default model of embeddings with two of its terms."""
    named = {"embeddings": quick_embeddings(tmp_path), "runs": "runs"}
    load = across_embeddings.load_model
    monkeypatch.setattr(across_embeddings, "load_model", lambda name: load(named[name]))


def test_a_model_of_changes_is_not_replaced_in_silence(files, monkeypatch, capsys):
    """Several files took their own model in place of the one that was typed."""
    monkeypatch.chdir(files)
    assert main(["compare", "v0.csv", "v1.csv", "v2.csv", "--model", "change-maximal"]) == 2
    assert "model 'change-maximal' has no term by embedding" in capsys.readouterr().err


@pytest.mark.usefixtures("undrawn", "quick")
def test_three_files_are_several_embeddings(out, printed):
    said = printed("compare v0.csv v1.csv v2.csv --seed 1 --out OUT --figures")
    assert "One model of 3 embeddings" in said
    assert "Probability of each rank by associated − different" in said
    names = {"lists", "table", "words", "contrasts", "ranks", "differences", "unshared"}
    names |= {"missing_words"}
    assert {path.stem for path in out.glob("*.csv")} == names
    assert (out / "embeddings.png").exists()
    manifest = json.loads((out / "manifest.json").read_text(encoding="utf-8"))
    assert manifest["embeddings"] == {f"v{i}": f"v{i}.csv" for i in range(3)}
    assert manifest["model"] == "embeddings"
    ranks = pd.read_csv(out / "ranks.csv").set_index(["contrast", "embedding"])
    assert ranks.loc[("associated − different", "v2"), "rank_1"] > 0.99


@pytest.mark.slow
def test_two_files_are_several_embeddings_if_one_says_so(printed):
    found = json.loads(printed("compare v0.csv v1.csv --embeddings --names a,b --json"))
    assert {row["embedding"] for row in found["contrasts"]} == {"a", "b"}
    assert "answers" in json.loads(printed("compare v0.csv v1.csv --json"))


@pytest.mark.usefixtures("quick")
def test_several_have_one_page(out, printed):
    """It was refused; answers in standard deviations come first, and what is missing is folded."""
    said = printed("compare v0.csv v1.csv v2.csv --seed 1 --report --out OUT")
    page = (out / "report.html").read_text(encoding="utf-8")
    first = said.splitlines()[0]
    assert first.startswith(
        'On average, the association of words of "group0" and words of "group1" with their own '
    )
    assert (
        page.index(first.replace('"', "&#34;"))
        < page.index("<figure")
        < page.index("Contrasts in each embedding")
    )
    assert "Every word is in all of the embeddings." in page
    assert "bayesbias compare v0.csv v1.csv v2.csv --seed 1 --report" in page
    assert "report.html" in json.loads((out / "manifest.json").read_text(encoding="utf-8"))["files"]


def test_the_page_folds_words_that_some_lack(files, tmp_path):
    frames = {year: bb.read_distances(files / f"v{i}.csv") for i, year in enumerate("123")}
    frames["2"] = frames["2"][frames["2"]["attribute"] != "neutral1"]
    found = bb.over_time(frames, model="change", level_model="paper", seed=1)
    bb.write_report(found, tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert found.answers[0].replace('"', "&#34;") in page
    assert "<summary>1 word not in all of the times, and left out</summary>" in page
    with pytest.raises(ArgumentError, match="has its own rope"):
        bb.write_report(found, tmp_path / "other.html", rope=0.1)


@pytest.mark.usefixtures("undrawn")
def test_files_in_order_are_times(out, printed):
    """Named by their times in any order; the answer is in the order of time."""
    order = "--order 1920,1900,1910 --model change"
    said = printed(f"compare v2.csv v0.csv v1.csv {order} --seed 1 --out OUT --figures")
    assert "3 times, 1900 to 1920" in said
    trend = pd.read_csv(out / "trend.csv").set_index(["group", "contrast"])
    row = trend.loc[("all groups", "associated − different")]
    assert row["listed"] == pytest.approx(-0.2, abs=0.01)
    steps = pd.read_csv(out / "steps.csv")[["from", "to"]].drop_duplicates()
    assert steps.to_numpy().tolist() == [[1900, 1910], [1910, 1920]]
    assert (out / "over_time.png").exists()


@pytest.mark.slow
def test_names_in_order_are_times_one_apart(printed):
    order = "--order early,middle,late --seed 1"
    found = json.loads(printed(f"compare v0.csv v1.csv v2.csv {order} --json"))
    assert found["times"] == {"early": 0.0, "middle": 1.0, "late": 2.0}


@pytest.fixture(scope="module")
def unrelated(tmp_path_factory):
    """Two planted embeddings of one list, of unequal dimensions, and a step on the first."""
    place = tmp_path_factory.mktemp("unrelated")
    wordlist = bb.load_wordlist("weat7")
    for name, dim, lacking in (("first", 40, 3), ("second", 30, 0)):
        made = planted_embedding(wordlist, similarity=0.2, dim=dim, seed=dim).vectors
        words = [w for w in common_words()[lacking:] if w not in made.key_to_index]
        others = np.random.default_rng(dim).standard_normal((len(words), dim))
        kept = {word: made[word] for word in made.index_to_key}
        kept |= dict(zip(words, others, strict=True))
        if lacking:
            del kept["poetry"]
        bb.load_embedding(kept).save_word2vec_format(place / f"{name}.bin", binary=True)
    return place


@pytest.mark.usefixtures("quick")
def test_two_embeddings_of_two_trainings_have_no_before_and_after(unrelated, monkeypatch, capsys):
    """They were told a story of debiasing: "112% of it is left"."""
    monkeypatch.chdir(unrelated)
    told = ["compare", "first.bin", "second.bin", "--wordlist", "weat7"]
    assert main(told) == 0
    said = capsys.readouterr().out
    assert said.count("are not of one training") == 1
    assert "correlate at" in said
    assert "they are compared as two embeddings." in said
    for word in ("before", "after", "is left", "should stay", "debias"):
        assert word not in said
    counted, _, first, _, second = said.splitlines()[:5]
    assert counted == 'Missing words: 1 in "first", 0 in "second"; --out lists them.'
    assert first.startswith("The two files are not of one training")
    assert second.startswith("We cannot tell in which embedding the association of words for ")
    for option, names in (("--utility pairs.tsv", "--utility"), ("--model change", "--model")):
        (unrelated / "pairs.tsv").write_text("science\tpoetry\t1\n" * 3, encoding="utf-8")
        assert main([*told, *option.split()]) == 2
        assert f"for which {names} is not meant" in capsys.readouterr().err
    assert main([*told, "--change", "--model", "change", "--json"]) == 0
    assert "are not of one training" in json.loads(capsys.readouterr().out)["answers"][-1]


@pytest.mark.usefixtures("quick")
def test_json_says_first_that_they_are_two_embeddings(unrelated, monkeypatch, capsys):
    monkeypatch.chdir(unrelated)
    assert main(["compare", "first.bin", "second.bin", "--wordlist", "weat7", "--json"]) == 0
    first, ranks, *_ = json.loads(capsys.readouterr().out)["answers"]
    assert first.startswith("The two files are not of one training")
    assert ranks.startswith("We cannot tell in which embedding the association of words for ")
