"""Rules on contrasts: outcomes, exit codes, JUnit."""

from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest

import bayesbias as bb
from bayesbias.errors import ArgumentError

OWN = "associated − different"


def table(**columns):
    """A frame of contrasts: over all and a list, whose neutral pairs have the sd .1."""
    rows = pd.DataFrame(
        {
            "level": ["over all", "list"],
            "list": ["", "home"],
            "group": ["", "women"],
            "other": ["", "men"],
            "word": "",
            "contrast": [OWN, "women − men"],
            "mean": [-0.02, -0.06],
            "low": [-0.04, -0.09],
            "high": [0.0, -0.03],
            "standardised": [-0.2, -0.6],
            "withheld": "",
        }
    )
    return rows.assign(**columns)


def outcomes(tmp_path, text, result):
    path = tmp_path / "rules.toml"
    path.write_text(text, encoding="utf-8")
    return bb.check_rules(path, result)


@pytest.mark.parametrize(
    ("bounds", "outcome", "code"),
    [
        ("at_least = -0.05", "pass", 0),
        ("at_least = -0.04\nat_most = 0.0", "pass", 0),
        ("at_least = -0.03", "undecided", 1),
        ("at_least = 0.01", "fail", 1),
        ("at_most = -0.05", "fail", 1),
        ('at_least = -0.5\nunit = "sd"', "pass", 0),
        ('at_least = -0.39\nunit = "sd"', "undecided", 1),
        ('list = "home"\nat_least = -0.05', "undecided", 1),
        ('level = "list"\nat_most = -0.02', "pass", 0),
        ('list = "work"\nat_most = 1', "error", 2),
        ('condition = "after"\nat_most = 1', "error", 2),
    ],
)
def test_outcomes(tmp_path, bounds, outcome, code):
    found = outcomes(tmp_path, f"[rules.one]\n{bounds}\n", table())
    assert (found.outcome, found.exit_code) == (outcome, code)


@pytest.mark.parametrize(
    "columns",
    [{"mean": -1e-9, "low": -3e-8, "high": 2e-8}, {"mark": "used"}],
)
def test_what_a_debiasing_method_set_or_used_cannot_be_asked(tmp_path, columns):
    found = outcomes(tmp_path, "[rules.one]\nat_least = -0.5\n", table(**columns))
    assert (found.outcome, found.exit_code) == ("error", 2)
    assert "tests nothing" in found.table["reason"].iloc[0]


def test_sizes_in_sd_are_those_of_neutral_pairs(tmp_path):
    found = outcomes(tmp_path, '[rules.one]\nat_most = 1\nunit = "sd"\n', table()).table
    np.testing.assert_allclose(found[["mean", "low", "high"]], [[-0.2, -0.4, 0.0]])


def test_what_is_withheld_or_doubtful_does_not_pass(tmp_path):
    text = "[rules.one]\nat_most = 1\n"
    assert outcomes(tmp_path, text, table(withheld="one word says nothing")).exit_code == 2
    assert outcomes(tmp_path, text, table(trusted=False)).outcome == "undecided"


def test_a_rule_is_asked_of_every_row_that_it_chooses(tmp_path):
    both = pd.concat([table(condition="old"), table(condition="/home/me/new")])
    found = outcomes(tmp_path, "[rules.one]\nat_least = -0.05\n", both)
    assert found.table["of"].tolist() == ["old", "new"]
    one = outcomes(tmp_path, '[rules.one]\ncondition = "old"\nat_least = -0.05\n', both)
    assert len(one.table) == 1


def test_junit_has_no_paths(tmp_path):
    both = table(vectors="/data/x.bin", wordlist="gender")
    text = '[rules.a]\nat_least = -1\n[rules.b]\nlist = "home"\nat_least = 0\n'
    text += '[rules.c]\nword = "x"\nat_most = 0\n'
    found = outcomes(tmp_path, text, both)
    found.save_junit(tmp_path / "junit.xml")
    suite = ElementTree.parse(tmp_path / "junit.xml").getroot()
    assert [suite.get(n) for n in ("tests", "failures", "errors")] == ["3", "1", "1"]
    cases = suite.findall("testcase")
    assert [case.get("classname") for case in cases] == ["x.bin.gender", "x.bin.gender", ""]
    assert [case[0].tag for case in cases] == ["system-out", "failure", "error"]
    assert cases[1][0].get("type") == "fail"


def test_all_faults_of_a_file_are_named(tmp_path):
    path = tmp_path / "rules.toml"
    path.write_text(
        '[rules.a]\nat_most = true\n[rules.b]\nat_least = 2\nat_most = 1\n[rules.c]\nlevel = "no"\n'
        'at_most = 1\n[rules.d]\nlists = "no"\n',
        encoding="utf-8",
    )
    with pytest.raises(ArgumentError) as caught:
        bb.check_rules(path)
    for part in ("4 faults", "must be numbers", "below at_most", "rules.c.level", "rules.d.lists"):
        assert part in str(caught.value)


def test_rules_ask_a_fit_a_comparison_and_their_own_analysis(tmp_path, kv, wordlist, debiased):
    text = '[rules.one]\nat_least = -1\nunit = "sd"\n'
    fitted = debiased.levels["before"]
    of_fit = outcomes(tmp_path, text, fitted).table.iloc[0]
    lead = fitted.contrasts().iloc[0]
    assert of_fit["mean"] == pytest.approx(lead["standardised"])
    assert len(outcomes(tmp_path, text, debiased).table) == 2  # changes only by their name
    kv.save_word2vec_format(str(tmp_path / "v.bin"), binary=True)
    own = f'vectors = "v.bin"\nwordlist = "gender"\nmodel = "paper"\nseed = 1\n{text}'
    asked = outcomes(tmp_path, own, None).table.iloc[0]
    loaded = bb.load_embedding(tmp_path / "v.bin")
    alone = bb.analyze(loaded, "gender", "paper", seed=1).contrasts().iloc[0]
    assert asked["mean"] == pytest.approx(alone["standardised"])
    with pytest.raises(ArgumentError, match="give a result"):
        outcomes(tmp_path, text, None)
    with pytest.raises(ArgumentError, match="is of word list 'own', and the rules are of 'gender'"):
        outcomes(tmp_path, own, fitted)


@pytest.mark.parametrize("wrong", [3, table(low=1.0), table(low="x"), table().drop(columns="low")])
def test_what_is_no_result_of_intervals(tmp_path, wrong):
    with pytest.raises(ArgumentError, match=r"^result"):
        outcomes(tmp_path, "[rules.one]\nat_most = 1\n", wrong)
