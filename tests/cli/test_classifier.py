"""The command ``classifier``."""

import gzip
import json
import re

import pandas as pd
import pytest

from bayesbias.support.bounded_files import file_checksum

COLUMNS = "people.csv.gz --true y --pred p --group sex"
COSTS = "people.csv.gz --group sex --cost cost"


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """Forty persons: class 1 is predicted for 15 of 20 of group 0 and 5 of 20 of group 1."""
    place = tmp_path_factory.mktemp("predictions")
    rows = [(1, 0, 1)] * 10 + [(0, 0, 1)] * 5 + [(0, 0, 0)] * 5
    rows += [(1, 1, 1)] * 5 + [(1, 1, 0)] * 5 + [(0, 1, 0)] * 10
    frame = pd.DataFrame(rows, columns=["y", "sex", "p"])
    frame["cost"] = (frame["y"] != frame["p"]) * 0.5
    with gzip.open(place / "people.csv.gz", "wt") as stream:
        frame.to_csv(stream, index=False)
    (place / "names.csv").write_text("label,name\n0,other\n1,nurse\n")
    return place


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (
            "plan --disparity 0.05",
            "^11,903 annotated persons can distinguish an estimated .* from 0 [(]95% confidence, ",
        ),
        ("plan --disparity 0.05 --confidence 0.999", "[(]99.9% confidence, "),
        ("plan --n 3160", "can distinguish estimated disparities above 0.0974 from 0"),
        (f"plan {COSTS} --max-cost 0.5 --disparity 0.1", "γ = 0.5000(.|\n)*C = 0.5"),
        (
            f"plan {COSTS} --group-names 0=male,1=female --max-cost 0.5 --disparity 0.1",
            "annotated persons",
        ),
        (
            f"bounds {COSTS} --group-names 0=male,1=female --protected female",
            "Disparity female − male",
        ),
        (f"gaps {COLUMNS} --reference 0 --method point", "1 − 0"),
        (f"gaps {COLUMNS} --reference 0 --method bootstrap", "1 − 0"),
    ],
)
def test_what_is_printed(printed, command, said):
    assert re.search(said, printed(f"classifier {command}"))


def test_bounds_are_both_and_compared_with_themselves(printed):
    measure = "--positive 1 --measure equal-opportunity --protected 1 --compare"
    said = printed(f"classifier bounds {COLUMNS} {measure}")
    for part in (
        "equal-opportunity of class 1: difference of false negative rates",
        "Disparity 1 − 0 = +0.5000 (mean costs 0.5000 of 10 and 0.0000 of 10)",
        *("95% Bernstein interval", "95% Hoeffding interval", "Beta-Binomial, uniform"),
    ):
        assert part in said
    options = "--positive 1 --gamma 0.2 --max-cost 2 --compare --protected 1"
    said = printed(f"classifier bounds {COLUMNS} {options}")
    for own, compared in (
        (r"Bernstein interval (\S+ to \S+) .*γ = 0\.200; C = 2\)", r"Bernstein, sample σ²"),
        (r"Hoeffding interval (\S+ to \S+) ", "Hoeffding"),
    ):
        (interval,) = re.findall(own, said)
        assert re.search(rf"^{compared}\s+{re.escape(interval)} ", said, re.MULTILINE)
    assert "with γ = 0.200 and C = 2\n" in said


def test_gaps_writes_what_it_prints(files, out, printed):
    options = "--group-names 0=male,1=female --rope 0.01 --prob 0.5 --class-names names.csv"
    said = printed(f"classifier gaps {COLUMNS} {options} --out OUT --figures")
    assert "50% HPDI" in said
    assert "\nMetrics whose observed gaps have opposite signs:\n- nurse, female" in said
    assert (
        "- nurse, female − male: GP against PP, TPR against PP (verdicts lower and higher" in said
    )
    table = pd.read_csv(out / "gaps.csv", keep_default_na=False).set_index(["metric", "class"])
    assert float(table.loc[("TPR", "nurse"), "gap"]) == -0.5
    assert set(table["rope"]) == {0.01}
    written = "disagreements.csv gaps.csv gaps.png manifest.json rates.csv ratios.csv undefined.csv"
    assert sorted(p.name for p in out.iterdir()) == written.split()
    manifest = json.loads((out / "manifest.json").read_text(encoding="utf-8"))
    checksum = file_checksum(files / "people.csv.gz")
    assert manifest["source"] == {"file": "people.csv.gz", "sha256": checksum}
    assert (manifest["method"], manifest["seed"]) == ("beta", 1)
