"""The first five lines of every command: who, what, how much, how sure, and what to do next."""

import pytest

from bayesbias.cli import main
from bayesbias.vectors.shipped import example_embedding

LINES = 5

COMMANDS = {
    "analyze": "analyze v.bin --wordlist gender --model paper",
    "measures": "measures v.bin --wordlist gender --model paper",
    "facts": "facts jobs.csv v.bin --wordlist gender --column share --groups woman,man "
    "--model paper",
    "plan": "plan --words 6 --attributes 10 --simulations 2",
    "debias": "debias hard v.bin d.bin --wordlist gender",
    "compare": "compare v.bin other.bin --wordlist gender --model change",
    "several": "compare v.bin other.bin --embeddings --wordlist gender",
}


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    folder = tmp_path_factory.mktemp("first")
    vectors = example_embedding()
    vectors.save_word2vec_format(str(folder / "v.bin"), binary=True)
    vectors.vectors = vectors.vectors + 0.01
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


def test_json_has_answers_alone(place, monkeypatch, capsys):
    """A program is told what was found, not what to type."""
    monkeypatch.chdir(place)
    for name in ("facts", "plan"):
        assert main([*COMMANDS[name].split(), "--seed", "1", "--json"]) == 0
        assert "Next: " not in capsys.readouterr().out


def test_more_words_are_no_advice_where_only_the_chance_is_large(place, monkeypatch, capsys):
    """They narrow an interval, and do not change how often unrelated groups differ as much."""
    monkeypatch.chdir(place)
    assert main(["analyze", "v.bin", "--wordlist", "weat1", "--seed", "1"]) == 0
    said = capsys.readouterr().out
    assert "of unrelated groups differ as much." in said.splitlines()[1]
    assert "add --placebo 200" in said.splitlines()[2]
    assert said.count("add --placebo 200") == 1
    assert "bayesbias plan" not in said
