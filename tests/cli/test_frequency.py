"""Words compared at equal frequency from the command line."""

import pytest

import bayesbias as bb
from bayesbias.cli import main
from bayesbias.simulate import planted_embedding


def test_both_answers_are_shown(tmp_path, capsys):
    path = tmp_path / "vectors.bin"
    bb.example_embedding().save_word2vec_format(str(path), binary=True)
    asked = ["analyze", str(path), "--wordlist", "gender", "--model", "crossed", "--frequency"]
    assert main(asked) == 0
    out = capsys.readouterr().out
    slopes, compared = out.split("At equal frequency ", 1)
    assert "word_rarity" in slopes
    plain, equal = (line for line in compared.splitlines() if line.startswith("associated − diff"))
    assert " plain " in plain
    assert " at equal frequency " in equal
    assert plain.split()[-6:] != equal.split()[-6:]


@pytest.mark.filterwarnings("ignore::bayesbias.errors.BayesBiasWarning")
def test_vectors_in_no_order_are_refused_with_the_reason(tmp_path, capsys):
    path = tmp_path / "vectors.bin"
    made = planted_embedding(bb.load_wordlist("weat7"), similarity=0.2, seed=1).vectors
    made.save_word2vec_format(str(path), binary=True)
    assert main(["analyze", str(path), "--wordlist", "weat7", "--frequency"]) != 0
    assert "how frequent the words are is not known: the vectors have" in capsys.readouterr().err
