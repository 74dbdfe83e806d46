"""How often unrelated groups differ as much, wherever a contrast is told; or why it is unknown."""

import json

import numpy as np
import pandas as pd
import pytest

import bayesbias as bb
from bayesbias.errors import ArgumentError, MissingWordsWarning
from bayesbias.fits.between_groups import BETWEEN
from bayesbias.fits.contrasts import CHANCE_REASON
from bayesbias.fits.refitted import RefittedContrasts
from bayesbias.fits.sentences import chance_clause
from bayesbias.report.folder_writing import write_results
from bayesbias.studies.rules_file import load_rules
from bayesbias.support.text_tables import plain_table

pytestmark = pytest.mark.filterwarnings("ignore:183 of 350 words")

LEVELS = ("list", "connection", "group")


@pytest.fixture(scope="module")
def frame():
    with pytest.warns(MissingWordsWarning):
        return bb.distances(bb.example_embedding(), "gender")


@pytest.fixture(scope="module")
def fit(frame):
    return bb.fit(frame, seed=1)


@pytest.fixture(scope="module")
def bare(frame):
    """Without neutral and human words."""
    kept = ~frame["connection"].isin(["neutral", "human"])
    found = frame[kept].reset_index(drop=True)
    found.attrs = frame.attrs
    return bb.fit(found, seed=1)


def share(row):
    return f"{row['chance']:.1%}"


@pytest.mark.parametrize("by", LEVELS)
def test_terminal_notebook_paper_and_json_have_it(fit, by):
    found = fit.contrasts(by)
    first = share(found.table.iloc[0])
    for text in (str(found), found._repr_html_(), found.to_latex().replace("\\%", "%")):
        assert first in text
        assert "chance" in text
    assert "Chance: how often groups that are unrelated to these lists" in found.caption
    assert CHANCE_REASON not in found.table
    rows = json.loads(json.dumps(fit.to_dict(), allow_nan=False))["contrasts"][by]["table"]
    np.testing.assert_allclose([r["chance"] for r in rows], found.table["chance"], rtol=1e-12)


@pytest.mark.parametrize("by", LEVELS)
@pytest.mark.parametrize("width", [60, 80, 100])
def test_no_terminal_is_too_narrow_for_chance_and_verdict(fit, by, width):
    found = fit.contrasts(by)
    text = plain_table(found.blocks[0], width=width)
    assert max(map(len, text.splitlines())) <= width
    shown, _, gone = text.partition("(too narrow for: ")
    assert "chance" not in gone
    assert share(found.table.iloc[0]) in shown
    assert "undecided" in shown
    if width >= 80:  # a row is a row
        assert {"chance", "verdict"} <= set(shown.splitlines()[0].split())


def test_between_groups_it_is_that_compared_with_neutral_words(fit):
    table = fit.contrasts("list").table.set_index(["contrast", "attribute_set"])
    between, beside = table.loc[BETWEEN], table.loc["compared with neutral words"]
    pd.testing.assert_series_equal(between["chance"], beside["chance"])


def test_refits_know_it_where_they_are_asked(fit):
    asked = RefittedContrasts(fit.spec, fit.rule(), chance=True)
    table, _ = asked.of_frame(fit.frame)
    # Both average over 200 draws or more of the standard deviations, which are not the same.
    np.testing.assert_allclose(
        table["chance"], fit.contrasts("connection").table["chance"], atol=0.02
    )
    plain, _ = RefittedContrasts(fit.spec, fit.rule()).of_frame(fit.frame)
    assert "chance" not in plain


def test_without_controls_it_is_not_known_and_the_row_says_why(bare, tmp_path):
    found = bare.contrasts("list")
    assert found.table["chance"].isna().all()
    assert (found.table[CHANCE_REASON] != "").all()
    reason = found.table[CHANCE_REASON].iloc[0]
    for text in (found.caption, repr(bare)):
        assert f"It is not known: {reason}." in text
    rows = json.loads(json.dumps(bare.to_dict(), allow_nan=False))["contrasts"]["list"]["table"]
    assert rows[0]["chance"] is None
    assert rows[0][CHANCE_REASON] == reason
    bb.write_report(bare, tmp_path / "r.html")
    assert reason in (tmp_path / "r.html").read_text(encoding="utf-8")
    assert bare.contrasts().table["chance"].notna().all()


def test_where_attributes_count_as_unrelated_nothing_is_said(frame):
    fit = bb.fit(frame, "paper", seed=1)
    for by in LEVELS:
        assert not {"chance", CHANCE_REASON} & set(fit.contrasts(by).table)
    assert "nrelated groups" not in repr(fit) + fit.report()


def test_page_folder_and_paragraph_have_it(fit, tmp_path):
    write_results(fit, tmp_path / "f")
    for by in LEVELS:
        saved = pd.read_csv(tmp_path / "f" / f"contrasts_by_{by}.csv")
        # a folder has six digits
        np.testing.assert_allclose(saved["chance"], fit.contrasts(by).table["chance"], rtol=5e-6)
    bb.write_report(fit, tmp_path / "r.html")
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    _, _, first = page.split("Between groups, list by list")  # the contents, then the section
    first = first.partition("</section>")[0]
    assert "Between groups it is that of the difference compared with neutral words" in first
    assert share(fit.contrasts("list").table.iloc[0]) in first
    assert "unrelated groups of words differ as much" in fit.report()
    row = fit.contrasts().table.iloc[0]  # the figure's text, with the mark of the row
    assert f"in ROPE, {row['verdict']}{chance_clause(row)}" in page


def test_placebo_lists_stand_beside_it(fit):
    found = fit.placebo(2, progress=False)
    known = fit.contrasts().table.set_index("contrast")["chance"]
    rows = found.table[found.table["group"] == "all"].set_index("contrast")
    assert rows.loc["associated − different", "chance"] == known["associated − different"]
    said = (
        f"is that {known['associated − different']:.1%} of unrelated groups of words differ as much"
    )
    assert said in found.sentence
    assert "Chance: the share of unrelated groups" in str(found)


@pytest.fixture(scope="module")
def debiased():
    with pytest.warns(MissingWordsWarning):
        after = bb.debias.hard(bb.example_embedding(), "gender", neutralise="listed")
    with pytest.warns(MissingWordsWarning):
        return bb.distances(after.vectors, "gender")


def test_a_change_has_it(frame, debiased):
    change = bb.compare_change(frame, debiased, seed=1)
    assert change.contrasts["chance"].between(0, 1).all()
    assert change.list_contrasts["chance"].between(0, 1).all()
    assert share(change.contrasts.iloc[0]) in str(change)
    assert "unrelated to these lists change at least as much" in change.to_dict()["caption"]


def test_several_embeddings_have_it(frame, debiased):
    """What debiasing leaves is shown by more of unrelated groups than what was there."""
    found = bb.compare_embeddings({"raw": frame, "debiased": debiased}, seed=1)
    contrasts = found.contrasts.pivot_table("chance", "contrast", "embedding")
    assert contrasts.loc["associated − different", "raw"] < 0.11
    assert contrasts.loc["associated − different", "debiased"] > 0.5
    lists = found.lists.pivot_table("chance", "attribute_set", "embedding")
    assert (lists["raw"] < lists["debiased"]).all()
    assert set(found.lists["contrast"]) == {BETWEEN}
    assert share(found.lists.iloc[0]) in str(found)
    assert "Chance: " in str(found)
    assert "chance" not in found.differences


def test_times_have_it(frame):
    rng, frames = np.random.default_rng(1), {}
    for time in range(3):
        moved = frame["cosine_distance"] + rng.normal(0, 0.02, len(frame))
        frames[time] = frame.assign(cosine_distance=moved)
        frames[time].attrs = dict(frame.attrs)
    found = bb.over_time(frames, seed=1)
    for table in (found.levels, found.trend, found.steps):
        assert table["chance"].between(0, 1).all()
        assert share(table.iloc[0]) in str(found)
    assert "Chance: how often groups" in str(found)


RULE = """
vectors = "vectors.bin"
wordlist = "gender"
[rules.a]
contrast = "associated - different"
at_most = 0.5
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("chance")
    bb.example_embedding().save_word2vec_format(str(place / "vectors.bin"), binary=True)
    return place


def rules(folder, text):
    path = folder / "rules.toml"
    path.write_text(RULE + text, encoding="utf-8")
    return path


def test_a_rule_may_ask_for_it(folder, fit):
    known = fit.contrasts().table["chance"].iloc[0]
    of_lists = fit.contrasts("list").table.set_index("contrast").loc[BETWEEN, "chance"]
    text = f'chance = {known + 0.01}\n[rules.b]\nby = "list"\nat_most = 0.5\nchance = 1e-6\n'
    text += '[rules.c]\ncontrast = "associated - human"\nat_most = 0.5\n'
    found = bb.check_rules(rules(folder, text), progress=False)
    table = found.table.set_index("rule")
    assert table["outcome"].tolist() == ["pass", "fail", "fail", "pass"]
    assert table.loc["a", "chance"] == pytest.approx(known)
    assert table["chance"].iloc[1:3].tolist() == pytest.approx(of_lists.tolist())
    assert table["chance_at_most"].isna().tolist() == [False, False, False, True]
    assert f"chance {known:.1%}, at most" in found.lines[0]
    assert "unrelated groups of words differ as much too often" in found.lines[1]
    assert "chance" not in found.lines[3]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("chance = 1.5", "must be above 0 and below 1"),
        ('chance = 0.1\nword = "she"', "leave out word"),
        ('chance = 0.1\nmodel = "paper"', "take 'maximal'"),
    ],
)
def test_a_chance_that_cannot_be_asked_is_refused(folder, text, said):
    with pytest.raises(ArgumentError, match=said):
        load_rules(rules(folder, text))


SWEEP = 'models = ["maximal", "paper"]\nwordlists = ["gender"]\n[embeddings]\na = "vectors.bin"\n'


def test_a_sweep_has_it(folder, fit, tmp_path):
    (folder / "sweep.toml").write_text(SWEEP, encoding="utf-8")
    found = bb.sweep.run_sweep(folder / "sweep.toml", tmp_path / "out", progress=False)
    assert found.failures.empty
    summary = found.summary.set_index(["model", "contrast"])["chance"]
    known = fit.contrasts().table.set_index("contrast")["chance"]
    for name, chance in known.items():
        assert summary["maximal", name] == pytest.approx(chance, abs=0.02)  # another seed
    lists = fit.contrasts("list").table.set_index("contrast").loc[BETWEEN, "chance"]
    of_lists = summary["maximal"].filter(like=":")
    np.testing.assert_allclose(of_lists, lists, atol=0.02)
    assert summary["paper"].isna().all()
    assert f"{of_lists.iloc[0]:.1%}" in str(found)
    assert "Chance: how often groups" in str(found)


BARE = """
title = "Without controls"
source = "made by a test"
[controls]
[protected]
man = ["he", "his", "son", "father", "male", "boy", "uncle"]
woman = ["she", "hers", "daughter", "mother", "female", "girl", "aunt"]
[associated]
man = ["his_work"]
woman = ["her_work"]
[attributes]
his_work = {his}
her_work = {hers}
"""


def test_a_rule_on_what_has_no_chance_is_an_error(folder, frame):
    """Groups on a list without neutral or human words."""
    of_list = frame.groupby("attribute_set")["attribute"].unique()
    lists = {"his": "man_stereotype", "hers": "woman_stereotype"}
    words = {key: json.dumps(of_list[name].tolist()) for key, name in lists.items()}
    (folder / "bare.toml").write_text(BARE.format(**words), encoding="utf-8")
    text = 'wordlist = "bare.toml"\n[rules.b]\nwordlist = "bare.toml"\nby = "list"\nat_most = 1\n'
    found = bb.check_rules(rules(folder, text + "chance = 0.1\n"), progress=False)
    assert found.table["outcome"].tolist() == ["pass", "error", "error"]
    assert "it needs neutral or human words, and there are none" in found.lines[1]
