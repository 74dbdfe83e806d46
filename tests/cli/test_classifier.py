"""The command ``classifier``."""

import gzip
import json
import re

import pandas as pd
import pytest

from bayesbias.cli import main
from bayesbias.support.bounded_files import file_checksum


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    """Forty persons: class 1 is predicted for 15 of 20 of group 0 and 5 of 20 of group 1."""
    path = tmp_path_factory.mktemp("predictions") / "predictions.csv.gz"
    rows = [(1, 0, 1)] * 10 + [(0, 0, 1)] * 5 + [(0, 0, 0)] * 5
    rows += [(1, 1, 1)] * 5 + [(1, 1, 0)] * 5 + [(0, 1, 0)] * 10
    frame = pd.DataFrame(rows, columns=["y", "sex", "p"])
    frame["cost"] = (frame["y"] != frame["p"]) * 0.5
    with gzip.open(path, "wt") as stream:
        frame.to_csv(stream, index=False)
    return path


def test_plan_prints_the_papers_numbers(capsys):
    assert main(["classifier", "plan", "--disparity", "0.05"]) == 0
    printed = capsys.readouterr().out
    assert printed.startswith("11,903 annotated persons can distinguish an estimated disparity")
    assert "(95% confidence, " in printed
    assert main(["classifier", "plan", "--disparity", "0.05", "--confidence", "0.999"]) == 0
    assert "(99.9% confidence, " in capsys.readouterr().out
    assert main(["classifier", "plan", "--n", "3160"]) == 0
    assert "can distinguish estimated disparities above 0.0974 from 0" in capsys.readouterr().out


def test_plan_takes_variance_and_shares_from_a_file(file, capsys):
    options = ["--group", "sex", "--cost", "cost", "--max-cost", "0.5", "--disparity", "0.1"]
    assert main(["classifier", "plan", str(file), *options]) == 0
    printed = capsys.readouterr().out
    assert "γ = 0.5000" in printed
    assert "C = 0.5" in printed


def test_the_bounds_command_prints_both_bounds(file, capsys):
    options = ["--true", "y", "--pred", "p", "--group", "sex", "--positive", "1"]
    measure = ["--measure", "equal-opportunity", "--protected", "1", "--compare"]
    assert main(["classifier", "bounds", str(file), *options, *measure]) == 0
    printed = capsys.readouterr().out
    assert "equal-opportunity of class 1: difference of false negative rates" in printed
    assert "Disparity 1 − 0 = +0.5000 (mean costs 0.5000 of 10 and 0.0000 of 10)" in printed
    assert "95% Bernstein interval" in printed
    assert "95% Hoeffding interval" in printed
    assert "Beta-Binomial, uniform" in printed


def test_the_bounds_command_compares_with_the_bounds_that_it_prints(file, capsys):
    options = "--true y --pred p --group sex --positive 1 --gamma 0.2 --max-cost 2 --compare"
    assert main(["classifier", "bounds", str(file), *options.split(), "--protected", "1"]) == 0
    printed = capsys.readouterr().out
    (own,) = re.findall(r"Bernstein interval (\S+ to \S+) .*γ = 0\.200; C = 2\)", printed)
    assert re.search(rf"^Bernstein, sample σ²\s+{re.escape(own)} ", printed, re.MULTILINE)
    (own,) = re.findall(r"Hoeffding interval (\S+ to \S+) ", printed)
    assert re.search(rf"^Hoeffding\s+{re.escape(own)} ", printed, re.MULTILINE)
    assert "with γ = 0.200 and C = 2\n" in printed


def test_groups_can_be_named_everywhere(file, capsys):
    options = ["--group", "sex", "--cost", "cost", "--group-names", "0=male,1=female"]
    assert main(["classifier", "bounds", str(file), *options, "--protected", "female"]) == 0
    assert "Disparity female − male" in capsys.readouterr().out
    plan = ["classifier", "plan", str(file), *options, "--max-cost", "0.5", "--disparity", "0.1"]
    assert main(plan) == 0
    assert main([*plan, "--reference", "nobody"]) == 2


def test_gaps_writes_what_it_prints(file, tmp_path, capsys):
    names = tmp_path / "names.csv"
    names.write_text("label,name\n0,other\n1,nurse\n")
    out = tmp_path / "out"
    options = "--true y --pred p --group sex --group-names 0=male,1=female --rope 0.01 --prob 0.8"
    files = ["--class-names", str(names), "--out", str(out), "--figures"]
    assert main(["classifier", "gaps", str(file), *options.split(), *files]) == 0
    printed = capsys.readouterr().out
    assert "female − male" in printed
    assert "80% HPDI" in printed
    assert "\nMetrics whose observed gaps have opposite signs:\n- nurse, female" in printed
    assert "- nurse, female − male: GP against PP, TPR against PP (intervals on opposite" in printed
    table = pd.read_csv(out / "gaps.csv", keep_default_na=False).set_index(["metric", "class"])
    assert float(table.loc[("TPR", "nurse"), "gap"]) == -0.5
    assert set(table["rope"]) == {0.01}
    written = "disagreements.csv gaps.csv gaps.png manifest.json rates.csv undefined.csv"
    assert sorted(p.name for p in out.iterdir()) == written.split()
    manifest = json.loads((out / "manifest.json").read_text())
    assert manifest["source"] == {"file": file.name, "sha256": file_checksum(file)}
    assert (manifest["method"], manifest["seed"]) == ("beta", 1)


def test_gaps_point_and_bootstrap(file, capsys):
    for method in ("point", "bootstrap"):
        options = ["--true", "y", "--pred", "p", "--group", "sex", "--reference", "0"]
        assert main(["classifier", "gaps", str(file), *options, "--method", method]) == 0
        assert "1 − 0" in capsys.readouterr().out
