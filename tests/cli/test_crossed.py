"""Crossed groups on the command line."""

import json

import pytest
from samples import small_list

from bayesbias.cli import main
from bayesbias.simulate import planted_embedding


@pytest.mark.slow
@pytest.mark.usefixtures("undrawn")
def test_contrasts_by_factor_are_printed_and_written(tmp_path, capsys):
    names = small_list(tmp_path, "names")
    vectors = planted_embedding(names, similarity=0.2, dim=50, seed=1).vectors
    vectors.save_word2vec_format(str(tmp_path / "v.bin"), binary=True)
    given = [str(tmp_path / "v.bin"), "--wordlist", str(tmp_path / "names.toml")]
    command = ["analyze", *given, "--model", "crossed"]
    assert main([*command, "--out", str(tmp_path / "out"), "--report", "--figures"]) == 0
    printed = capsys.readouterr().out
    assert "Crossed groups:" in printed
    assert "black women beyond both" in printed
    names = {path.name for path in (tmp_path / "out").rglob("*")}
    assert {"contrasts_by_factor.csv", "factors.png"} <= names
    page = (tmp_path / "out" / "report.html").read_text(encoding="utf-8")
    assert "Contrasts by factor" in page
    assert "black women beyond both" in page


def test_lists_tell_their_factors(capsys):
    assert main(["wordlists", "show", "names"]) == 0
    printed = capsys.readouterr().out
    assert "factor 'race' of the groups" in printed
    assert "women: black_women, white_women" in printed
    assert main(["wordlists", "check", "names"]) == 0
    assert "groups by race and gender, no faults found" in capsys.readouterr().out
    assert main(["wordlists", "check", "names", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["factors"] == ["race", "gender"]
    assert main(["wordlists", "show", "names", "--json"]) == 0
    assert list(json.loads(capsys.readouterr().out)["factors"]) == ["race", "gender"]
