"""By list: who is closer to each list, between groups; with hand computations of every case."""

import dataclasses
import json
import re

import numpy as np
import pandas as pd
import pytest

import bayesbias as bb
from bayesbias.errors import ArgumentError, FitError
from bayesbias.fits.between_groups import BETWEEN, ZERO
from bayesbias.fits.first_screen import first_screen
from bayesbias.pairs.provenance import with_provenance
from bayesbias.pairs.reference import reference_rows
from bayesbias.support.text_tables import as_text

STEREOTYPES = ["associated", "different"]


def listed_frame(
    associated, *, n_words=4, n_attributes=4, lean=None, controls=True, noise=0.02, seed=1
):
    """Groups and lists: `associated` has each group's own; `lean` what a group has with a list."""
    rng = np.random.default_rng(seed)
    lists = sorted({name for own in associated.values() for name in own} | {"other"})
    lists = [name for name in lists if name != "other" or (lean or {}).get("other")]
    rows = []
    for group, own in associated.items():
        for w in range(n_words):
            for name in lists:
                shift = (lean or {}).get((group, name), 0.0)
                connection = "associated" if name in own else "different"
                rows += [
                    (f"{group}{w}", group, f"{name}{a}", name, connection, 0.8 + shift)
                    for a in range(n_attributes)
                ]
            if controls:
                rows += [
                    (f"{group}{w}", group, f"{kind}{a}", kind, kind, 0.95)
                    for kind in ("human", "neutral")
                    for a in range(5)
                ]
    columns = ["protected_word", "group", "attribute", "attribute_set", "connection"]
    frame = pd.DataFrame(rows, columns=[*columns, "cosine_distance"])
    frame["cosine_distance"] += rng.normal(0, noise, len(frame))
    return with_provenance(frame, source={"made": "by a test"}, missing=[])


def by_hand(frame, name, own, others, control=None):
    """The difference of plain means: of groups, then of sides."""
    means = frame[frame["attribute_set"] == name].groupby("group")["cosine_distance"].mean()
    found = means[own].mean() - means[others].mean()
    if control is None:
        return found
    of_control = frame[frame["connection"] == control].groupby("group")["cosine_distance"].mean()
    return found - (of_control[own].mean() - of_control[others].mean())


TWO = {"a": ["la"], "b": ["lb"]}
LEAN = {("a", "la"): -0.15, ("b", "lb"): 0.02}
CLEAR = {"n_words": 8, "n_attributes": 12, "noise": 0.1}
"""Effects of the size of a pair's scatter, from many pairs: no prior matters."""


@pytest.fixture(scope="module")
def two():
    return bb.fit(listed_frame(TWO, lean=LEAN), seed=1)


def test_two_groups_and_two_lists():
    two = bb.fit(listed_frame(TWO, lean=LEAN, **CLEAR), seed=1)
    table = two.contrasts("list").table
    assert table["contrast"].tolist() == [BETWEEN] * 2 + ["compared with neutral words"] * 2
    assert table["attribute_set"].tolist() == ["la", "lb"] * 2
    assert table["group"].tolist() == ["a", "b"] * 2
    assert table["other_groups"].tolist() == ["b", "a"] * 2
    for row in table.itertuples():
        control = None if row.contrast == BETWEEN else "neutral"
        sides = ([row.group], [row.other_groups])
        expected = by_hand(two.frame, row.attribute_set, *sides, control=control)
        assert row.listed == pytest.approx(expected, abs=1e-12)
        assert row.n_pairs == 96
        assert row.low < row.listed < row.high
    assert table["verdict"].iloc[0].startswith("closer")
    assert table["mean"].iloc[1] > 0


@pytest.mark.parametrize("model", ["maximal", "paper", "crossed"])
def test_the_mean_over_lists_is_the_contrast_of_all_groups(model):
    fit = bb.fit(listed_frame(TWO, lean=LEAN), model, seed=1)
    lists = fit.contrasts("list").table.query("contrast == 'between groups'")
    whole = fit.contrasts().table.iloc[0]
    assert lists["listed"].mean() == pytest.approx(whole["listed"], abs=1e-12)
    if model == "maximal":  # others have the groups' listed words alone
        assert lists["mean"].mean() == pytest.approx(whole["mean"], abs=1e-10)
    groups = fit.contrasts("group").table.query("contrast == 'associated − different'")
    assert lists["mean"].mean() == pytest.approx(groups["mean"].mean(), abs=2e-3)


def test_a_model_without_group_means_averages_the_listed_words():
    """Under `paper` with two lists, a word's mean for a list is its mean for a connection."""
    fit = bb.fit(listed_frame(TWO, lean=LEAN), "paper", seed=1)
    words = fit.summary("word").table.set_index(["group", "connection"])["mean"]
    table = fit.contrasts("list").table
    expected = words["a", "associated"].mean() - words["b", "different"].mean()
    assert table["mean"].iloc[0] == pytest.approx(expected, abs=1e-3)
    assert "the group's listed words" in str(fit.contrasts("list"))


def test_means_and_contrasts_agree(two):
    """To the last digit: both are weights on the same parameters."""
    means = two.summary("list").table.set_index(["attribute_set", "group"])
    assert means["connection"].tolist() == ["associated", "different", "different", "associated"]
    table = two.contrasts("list").table
    for row in table[table["contrast"] == BETWEEN].itertuples():
        own, other = (means.loc[(row.attribute_set, g)] for g in (row.group, row.other_groups))
        assert row.mean == pytest.approx(own["mean"] - other["mean"], abs=1e-10)
        assert row.listed == pytest.approx(own["listed"] - other["listed"], abs=1e-12)
    neutral = two.summary("group").table.query("connection == 'neutral'").set_index("group")
    plain, compared = (table[table["contrast"] == c] for c in table["contrast"].unique())
    gap = neutral.loc["a", "mean"] - neutral.loc["b", "mean"]
    np.testing.assert_allclose(
        plain["mean"].to_numpy() - compared["mean"].to_numpy(), [gap, -gap], atol=2e-3
    )


def test_no_reference_word_and_no_list_effect_enters(two):
    """Every distance to a list moved by the same leaves the answers by list, not by group."""
    frame = two.frame.copy()
    moved = frame["cosine_distance"] + 0.1 * (frame["attribute_set"] == "la")
    other = bb.fit(with_provenance(frame.assign(cosine_distance=moved), missing=[]), seed=1)
    before, after = (f.contrasts("list").table for f in (two, other))
    np.testing.assert_allclose(before["listed"], after["listed"], atol=1e-12)
    np.testing.assert_allclose(before["mean"], after["mean"], atol=0.01)
    groups = [f.contrasts("group").table.iloc[0]["mean"] for f in (two, other)]
    assert abs(groups[0] - groups[1]) > 0.02


THREE = {"a": ["la"], "b": ["lb"], "c": ["lc"]}


def test_three_groups_each_against_the_mean_of_the_others():
    fit = bb.fit(listed_frame(THREE, lean={("a", "la"): -0.15}, **CLEAR), seed=1)
    table = fit.contrasts("list").table.query("contrast == 'between groups'")
    assert table["other_groups"].tolist() == ["b, c", "a, c", "a, b"]
    for row in table.itertuples():
        others = row.other_groups.split(", ")
        expected = by_hand(fit.frame, row.attribute_set, [row.group], others)
        assert row.listed == pytest.approx(expected, abs=1e-12)
        assert row.mean == pytest.approx(expected, abs=0.02)
    by = f"{-table['mean'].iloc[0]:.2f}"
    said = f'Words of "a" are closer than the other groups to the attribute list "la", by {by}'
    assert fit.finding() == f"{said}; for the others we cannot tell."


def test_a_list_of_several_groups_compares_their_mean():
    fit = bb.fit(
        listed_frame({"a": ["l"], "b": ["l"], "c": ["m"]}, lean={("a", "l"): -0.1}), seed=1
    )
    table = fit.contrasts("list").table.set_index(["contrast", "attribute_set"])
    row = table.loc[(BETWEEN, "l")]
    assert (row["group"], row["other_groups"]) == ("a, b", "c")
    assert row["listed"] == pytest.approx(by_hand(fit.frame, "l", ["a", "b"], ["c"]), abs=1e-12)
    assert row["n_pairs"] == 16  # of c, which has fewer
    assert table.loc[(BETWEEN, "m"), "other_groups"] == "a, b"


def test_a_list_of_all_compares_nobody_and_one_of_no_group_the_first_with_the_others():
    frame = listed_frame({"a": ["la", "every"], "b": ["lb", "every"]})
    other = frame[(frame["attribute_set"] == "la")].assign(attribute_set="nobody")
    other["attribute"], other["connection"] = "n" + other["attribute"], "different"
    both = pd.concat([frame, other], ignore_index=True)
    fit = bb.fit(with_provenance(both, missing=[]), seed=1)
    table = fit.contrasts("list").table.set_index(["contrast", "attribute_set"])
    assert set(table.index.get_level_values(1)) == {"la", "lb", "nobody"}
    row = table.loc[(BETWEEN, "nobody")]
    assert (row["group"], row["other_groups"]) == ("a", "b")
    assert row["listed"] == pytest.approx(by_hand(fit.frame, "nobody", ["a"], ["b"]), abs=1e-12)
    assert "nobody" not in fit.finding()
    assert any('The attribute list "nobody": ' in line for line in fit.answers(fit.rule()).lines)
    assert {"every", "nobody"} <= set(fit.summary("list").table["attribute_set"])


def test_groups_are_compared_on_any_two_sets():
    frame = listed_frame({"a": ["la"], "b": ["lb"]})
    fit = bb.fit(frame, seed=1)
    table = fit.contrasts("group", sets=("la", "lb")).table.set_index("group")
    assert table["contrast"].unique().tolist() == ["la − lb"]
    means = frame.groupby(["group", "attribute_set"])["cosine_distance"].mean()
    own = fit.contrasts("group").table.query("contrast == 'associated − different'")
    for group, sign in (("a", 1), ("b", -1)):
        assert table.loc[group, "listed"] == pytest.approx(means[group, "la"] - means[group, "lb"])
        of_group = own.set_index("group").loc[group]
        assert table.loc[group, "mean"] == pytest.approx(sign * of_group["mean"], abs=1e-3)
    with pytest.raises(ArgumentError, match="sets='lc'"):
        fit.contrasts("group", sets=("la", "lc"))
    for by, sets in (("word", ("la", "lb")), ("group", ("la", "la"))):
        with pytest.raises(ArgumentError, match="name two attribute sets"):
            fit.contrasts(by, sets=sets)


def test_a_group_without_pairs_with_a_list_is_on_neither_side():
    frame = listed_frame(THREE)
    frame = frame[~((frame["group"] == "c") & (frame["attribute_set"] == "la"))]
    fit = bb.fit(with_provenance(frame.reset_index(drop=True), missing=[]), seed=1)
    row = fit.contrasts("list").table.iloc[0]
    assert (row["attribute_set"], row["other_groups"]) == ("la", "b")


@pytest.mark.parametrize(
    ("associated", "said"),
    [
        ({"a": ["la"]}, r"has one, 'a'; ask fit.contrasts\('group'\)"),
        ({"a": ["la"], "b": ["la"]}, "the same for a and b; ask"),
    ],
)
def test_nobody_to_compare_with_is_refused_and_says_what_to_ask(associated, said):
    frame = listed_frame({**associated, **({"z": ["lz"]} if len(associated) == 1 else {})})
    frame = with_provenance(frame[frame["group"] != "z"].reset_index(drop=True), missing=[])
    fit = bb.fit(frame, seed=1)
    for ask in (fit.contrasts, fit.summary):
        with pytest.raises(FitError, match=said):
            ask("list")
    assert "list" not in fit.contrast_levels
    assert "list" not in fit.to_dict()["contrasts"]
    if len(associated) == 1:  # the headline is the group's own answer
        starts = (
            'Words of "a" are closer to the attribute list "la"',
            'We cannot tell whether words of "a" are',
        )
        assert fit.finding().startswith(starts)


def test_controls_alone_are_refused():
    frame = listed_frame(TWO)
    frame = frame[frame["connection"].isin(["human", "neutral"])].reset_index(drop=True)
    fit = bb.fit(with_provenance(frame, missing=[]), seed=1)
    with pytest.raises(FitError, match="has no such list; ask"):
        fit.contrasts("list")


def test_human_words_stand_in_for_neutral_ones_and_nothing_for_none():
    frame = listed_frame(TWO, lean=LEAN)
    human = with_provenance(frame[frame["connection"] != "neutral"].copy(), missing=[])
    fit = bb.fit(human.reset_index(drop=True), seed=1)
    assert fit.contrasts("list").table["contrast"].unique().tolist()[1] == (
        "compared with human words"
    )
    bare = bb.fit(listed_frame(TWO, lean=LEAN, controls=False), seed=1)
    assert set(bare.contrasts("list").table["contrast"]) == {BETWEEN}


def test_a_word_in_two_groups_counts_in_both():
    """Groups are of rows: a word that stands in two is in the mean of each."""
    frame = listed_frame(TWO, lean=LEAN)
    again = frame[frame["protected_word"] == "a0"].assign(group="b")
    own = again["connection"].map({"associated": "different", "different": "associated"})
    again["connection"] = own.fillna(again["connection"])
    both = pd.concat([frame, again], ignore_index=True)
    with pytest.warns(bb.errors.DataWarning, match="repeat a pair"):
        fit = bb.fit(with_provenance(both, missing=[]), "paper", seed=1)
    for row in fit.contrasts("list").table.iloc[:2].itertuples():
        expected = by_hand(both, row.attribute_set, [row.group], [row.other_groups])
        assert row.listed == pytest.approx(expected, abs=1e-12)
        assert row.mean == pytest.approx(expected, abs=0.02)


def test_intervals_that_hold_jointly_are_wider(two):
    alone, jointly = (two.contrasts("list", simultaneous=s).table for s in (False, True))
    assert ((jointly["high"] - jointly["low"]) > 0.99 * (alone["high"] - alone["low"])).all()
    assert set(jointly["interval"]) == {"joint"}


def test_what_is_0_by_construction_is_said(two):
    """Every word of one group as far from each attribute as its fellow of the other group."""
    frame = two.frame.copy()
    of_stereotypes = frame["connection"].isin(STEREOTYPES)
    fellow = frame["protected_word"].str[1]
    first = frame.groupby([fellow, "attribute"])["cosine_distance"].transform("first")
    frame["cosine_distance"] = frame["cosine_distance"].where(~of_stereotypes, first)
    fit = bb.fit(with_provenance(frame, missing=[]), seed=1)
    found = fit.contrasts("list")
    plain = found.table[found.table["contrast"] == BETWEEN]
    assert plain[ZERO].all()
    assert not two.contrasts("list").table[ZERO].any()
    np.testing.assert_allclose(plain["mean"], 0.0, atol=1e-8)
    assert fit.finding() == (
        'The listed words of "a" and words of "b" are equally close to both attribute lists by '
        "construction; "
        "for words like these we cannot tell."
    )
    assert str(found).count("listed 0 by construction, else") == 2
    assert "the difference is 0 by construction, since every listed attribute" in fit.report()


def test_page_latex_notebook_and_json_have_the_same_numbers(two, tmp_path):
    found = two.contrasts("list")
    content = json.loads(json.dumps(two.to_dict(), allow_nan=False))
    assert next(iter(content["contrasts"])) == "list"  # it leads
    rows = content["contrasts"]["list"]["table"]
    np.testing.assert_allclose([row["mean"] for row in rows], found.table["mean"], rtol=1e-12)
    first = f"{found.table['mean'].iloc[0]:+.3f}"
    for text in (str(found), found._repr_html_(), found.to_latex().replace("$-$", "-"), repr(two)):
        assert first in text.replace("−", "-")
    assert len(found.plot().axes[0].get_yticklabels()) == 2
    bb.write_report(two, tmp_path / "r.html")
    page = (tmp_path / "r.html").read_text(encoding="utf-8")
    assert page.index("Between groups, list by list") < page.index("Each group&#39;s own list")


def test_reference_words_change_a_group_and_not_a_list():
    """The group's answer is relative to them; between groups they say nothing but of scatter."""
    gender = bb.load_wordlist("gender")
    with pytest.warns(bb.errors.MissingWordsWarning):
        frame = bb.distances(bb.example_embedding(), gender)
    assert len(reference_rows(frame))
    alone = frame[frame["connection"] != "reference"].reset_index(drop=True)
    alone.attrs = frame.attrs
    fits = [bb.fit(f, seed=1) for f in (frame, alone)]
    lists = [f.contrasts("list").table for f in fits]
    np.testing.assert_allclose(lists[0]["mean"], lists[1]["mean"], atol=0.01)
    said = str(fits[0])
    assert "compared with words of no group" in said
    assert "compared with words of no group" not in str(fits[1])
    women = lists[0].set_index(["contrast", "attribute_set"]).loc[(BETWEEN, "woman_stereotype")]
    assert women["listed"] == pytest.approx(-0.0854, abs=5e-5)  # women .672, men .757


def test_crossed_groups_are_compared_level_by_level():
    """A list of one level of a factor: the mean of its groups against the other level's."""
    own = {"bw": ["u"], "bm": ["u"], "ww": ["p"], "wm": ["p"]}
    lean = {("bw", "u"): -0.15, ("bm", "u"): -0.13}
    frame = listed_frame(own, lean=lean, **CLEAR)
    levels = {"black": ["bw", "bm"], "white": ["ww", "wm"]}
    genders = {"women": ["bw", "ww"], "men": ["bm", "wm"]}
    frame["race"] = frame["group"].str[0].map({"b": "black", "w": "white"})
    frame["gender"] = frame["group"].str[1].map({"w": "women", "m": "men"})
    factors = {"race": levels, "gender": genders}
    fit = bb.fit(with_provenance(frame, source={"factors": factors}, missing=[]), seed=1)
    assert fit.contrast_levels == ("list", "connection", "group", "word", "factor")
    table = fit.contrasts("list").table.set_index(["contrast", "attribute_set"])
    row = table.loc[(BETWEEN, "u")]
    assert (row["group"], row["other_groups"]) == ("bw, bm", "ww, wm")
    assert row["listed"] == pytest.approx(
        by_hand(frame, "u", ["bw", "bm"], ["ww", "wm"]), abs=1e-12
    )
    by_factor = fit.contrasts("factor").table.set_index("comparison").loc["black − white"]
    other = table.loc[(BETWEEN, "p")]  # u − p between races is minus both lists' sum
    assert by_factor["listed"] == pytest.approx(row["listed"] + other["listed"], abs=1e-12)
    assert by_factor["mean"] == pytest.approx(row["mean"] + other["mean"], abs=2e-3)
    said = (
        "Groups with race black are closer than groups with race white to the attribute list "
        '"u", by 0.12'
    )
    assert fit.finding().startswith(said)


NOBODY_ELSE = {"a": ["la"], "z": ["lz"]}
SCREENS = {
    "two groups": (TWO, LEAN, "than the other group,"),
    "three groups": (THREE, {("a", "la"): -0.15}, "than the other groups,"),
    "two of one list": ({"a": ["la"], "b": ["la"], "c": ["lc"]}, LEAN, "than the other groups,"),
    "one group": (NOBODY_ELSE, {("a", "la"): -0.15}, "to its own attribute lists than"),
}


@pytest.mark.parametrize("case", SCREENS)
def test_what_is_seen_first_needs_no_manual(case):
    """The finding, a line a list or group without signs, what it means; each explained."""
    own, lean, heading = SCREENS[case]
    frame = listed_frame(own, lean=lean)
    if case == "one group":
        frame = frame[frame["group"] != "z"].reset_index(drop=True)
    fit = bb.fit(with_provenance(frame, missing=[]), seed=1)
    screen = fit.first_screen(fit.rule())
    assert repr(fit).splitlines()[1:3][-1 if screen.caution else 0].startswith("Next: ")
    assert screen.headline == fit.finding()
    assert heading in screen.heading
    text = as_text(screen.blocks("Next: see."))
    assert re.search(r'^words of "a".*  (0[.][0-9]+ closer|cannot tell) ', text, re.MULTILINE)
    assert not re.search(r"[−+-]\d", text)
    rows = fit.answers(fit.rule()).of_lists if case != "one group" else [1]
    assert len(screen.lines.frame) == len(rows)
    for word in ("Closer:", "Interval:", "not yet harm"):
        assert any(word in said for said in screen.meaning)
    alone = any("counts as the group's own" in said for said in screen.meaning)
    assert alone is (case == "one group")
    for said in screen.meaning:
        assert all(len(one.split()) <= 25 for one in re.split(r"[.:] ", said))
    for head in ("HPDI", "ROPE", "sd "):
        assert head not in text


def test_a_line_whose_verdict_could_change_says_why(two):
    found = two.contrasts("list").table.assign(on_edge=True, rope=0.01)
    answers = two.answers(two.rule())
    edgy = dataclasses.replace(answers, lists=dataclasses.replace(answers.lists, table=found))
    said = first_screen(edgy, two.frame, two.rule()).meaning
    assert sum("a borderline case, since the interval ends at" in one for one in said) == 2
    assert not any("borderline" in one for one in two.first_screen(two.rule()).meaning)


@pytest.mark.parametrize("chance", [0.3, 0.05])
def test_an_average_is_not_told_without_how_often_unrelated_groups_differ_as_much(two, chance):
    """Where no list has a direction, and their average has."""
    answers = two.answers(two.rule())
    of_lists = answers.lists.table.assign(verdict="undecided", low=-0.1, high=0.1)
    whole = answers.whole.table.assign(verdict="closer", chance=chance)
    average = dataclasses.replace(
        answers,
        lists=dataclasses.replace(answers.lists, table=of_lists),
        whole=dataclasses.replace(answers.whole, table=whole),
    )
    screen = first_screen(average, two.frame, two.rule())
    assert screen.headline.startswith("On average, ")
    assert ("about 30% of pairs of unrelated groups" in screen.caution) == (chance == 0.3)
    assert any("Unrelated groups" in one for one in screen.meaning) == (chance == 0.3)
    assert screen.state == "undecided"


def test_a_list_of_one_word_is_pointed_out():
    """It has no other words that it is a sample of."""
    lean = {("men", "a"): -0.2, ("women", "b"): -0.2}
    for n_attributes, expected in ((1, True), (2, False)):
        frame = listed_frame({"men": ["a"], "women": ["b"]}, n_attributes=n_attributes, lean=lean)
        fit = bb.fit(frame, seed=1)
        said = fit.first_screen(fit.rule()).caution
        single = 'But a single word is all of the attribute list "a" and the attribute list "b"'
        assert (single in said) == expected
