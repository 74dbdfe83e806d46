"""The first five lines of every command: who, what, how much, how sure, and what to do next."""

import numpy as np
import pandas as pd
import pytest
from templates import too_long

import bayesbias as bb
from bayesbias.cli import main
from bayesbias.simulate import Assumptions
from bayesbias.vectors.loading import example_embedding

LINES = 5

pytestmark = pytest.mark.filterwarnings("ignore::bayesbias.errors.BayesBiasWarning")

COMMANDS = {
    "analyze": "analyze v.bin --wordlist gender --model paper",
    "measures": "measures v.bin --wordlist gender --model paper",
    "facts": "facts jobs.csv v.bin --wordlist gender --column share --groups woman,man "
    "--model paper",
    "plan": "plan --words 6 --attributes 10 --simulations 2",
    "debias": "debias hard v.bin d.bin --wordlist gender",
    "compare": "compare v.bin other.bin --wordlist gender --model change",
    "several": "compare v.bin other.bin --embeddings --wordlist gender",
    "held out": "compare v.bin hard.bin --wordlist gender --model change",
}


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    folder = tmp_path_factory.mktemp("first")
    vectors = example_embedding()
    vectors.save_word2vec_format(str(folder / "v.bin"), binary=True)
    bb.debias.hard(vectors, "gender").save(folder / "hard.bin")
    noise = np.random.default_rng(1).standard_normal(vectors.vectors.shape)
    vectors.vectors = vectors.vectors + 0.1 * noise.astype(np.float32)
    vectors.save_word2vec_format(str(folder / "other.bin"), binary=True)
    shares = {"nurse": 9, "librarian": 8, "lawyer": 4, "soldier": 2, "maid": 9, "officer": 2}
    rows = "\n".join(f"{word},{share}" for word, share in shares.items())
    (folder / "jobs.csv").write_text(f"word,share\n{rows}\n", encoding="utf-8")
    return folder


@pytest.mark.parametrize("name", COMMANDS)
def test_what_to_do_next_is_in_the_first_lines_once(name, place, monkeypatch, capsys):
    monkeypatch.chdir(place)
    assert main([*COMMANDS[name].split(), *(["--seed", "1"] if name not in "debias" else [])]) == 0
    said = capsys.readouterr().out
    lines = [line for line in said.splitlines() if line]
    assert sum(line.startswith("Next: ") for line in lines[:LINES]) == 1
    assert said.count("Next") == 1
    assert any(character.isdigit() for character in "".join(lines[:LINES]))
    text = said.split("\n\n")[0].splitlines()
    assert not [long for line in text for long in too_long(line)]


def test_several_lists_end_with_what_all_say_and_what_to_do_next(place, monkeypatch, capsys):
    monkeypatch.chdir(place)
    command = "analyze v.bin --wordlist gender,weat7 --model paper --seed 1"
    assert main(command.split()) == 0
    lines = capsys.readouterr().out.split("All word lists:\n")[1].splitlines()
    assert [line.split(": ")[0] for line in lines] == ["gender", "weat7", "Next"]


@pytest.fixture(scope="module")
def printed(place):
    """What ``print`` shows of results that are no fit."""
    vectors = bb.example_embedding()
    frame, other = bb.distances(vectors, "gender"), bb.debias.soft(vectors, "gender").vectors
    after = bb.distances(other, "gender")
    fitted = bb.fit(frame, "paper", seed=1)
    shares = pd.read_csv(place / "jobs.csv", names=["word", "share"], header=0)
    small = Assumptions(n_human=10, n_neutral=10)
    sizes = {"n_words": [6], "n_attributes": [4], "simulations": 2}
    own = frame[frame["protected_word"].isin(["he", "she", "man", "woman"])]
    return {
        "change": bb.compare_change(frame, after, model="change", seed=1),
        "plan": bb.plan_wordlist(small, **sizes),
        "facts": bb.facts(fitted, shares, "share", seed=1),
        "embeddings": bb.compare_embeddings({"a": frame, "b": after}, seed=1),
        "lists": bb.compare_wordlists({"long": frame, "short": own}, model="paper", seed=1),
    }


@pytest.mark.parametrize("name", ["change", "plan", "facts", "embeddings", "lists"])
def test_python_is_told_what_to_do_next_in_python(name, printed):
    text = repr(printed[name])
    lines = [line for line in text.splitlines() if line][:LINES]
    (then,) = (line for line in lines if line.startswith("Next: "))
    assert "--" not in then
    assert "bayesbias " not in then
    assert text.count("Next: ") == 1
    assert not [long for line in lines[: lines.index(then) + 1] for long in too_long(line)]


def test_more_words_are_no_advice_where_only_the_chance_is_large(place, monkeypatch, capsys):
    """They narrow an interval, and do not change how often unrelated groups differ as much."""
    monkeypatch.chdir(place)
    assert main(["analyze", "v.bin", "--wordlist", "weat1", "--seed", "1"]) == 0
    said = capsys.readouterr().out
    assert (
        "of pairs of unrelated groups, like words for rivers and for trees" in said.splitlines()[1]
    )
    assert "add --placebo 200" in said.splitlines()[2]
    assert said.count("add --placebo 200") == 1
    assert "bayesbias plan" not in said
