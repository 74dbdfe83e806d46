"""Every template of sentences about a change, for its cases."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from samples import ROOT

from bayesbias.fits.sentences import Names
from bayesbias.inference.decision import DecisionRule
from bayesbias.studies import change_sentences
from bayesbias.studies.change_screen import lines_of
from bayesbias.studies.change_sentences import (
    CHANGES,
    ChangeOfList,
    compared_with_people,
    headline_of_change,
    headline_over_all,
    known_rate,
    lines_of_change,
    of_each_group,
    outcome_of,
    same_training,
    sizes_over_all,
)

GENDER = Names(
    {"woman": "words for women", "man": "words for men"},
    {"f": "occupations stereotyped as female", "m": "occupations stereotyped as male"},
    {"woman": ["f"], "man": ["m"]},
    {"woman": ["m"], "man": ["f"]},
)
LABEL = "89% HPDI"


def change_row(before, after, share=None, reason="before may be none"):
    half = 0.02
    found = {"reason": "" if share is not None else reason}
    for name, value in (("before", before), ("after", after)):
        found |= {name: value, f"{name}_low": value - half, f"{name}_high": value + half}
    low, high = (np.nan, np.nan) if share is None else (share - 0.2, share + 0.2)
    left = np.nan if share is None else share
    return SimpleNamespace(**found, left=left, left_low=low, left_high=high)


SURE, UNSURE = change_row(-0.1, 0.0, 0.02), change_row(-0.01, 0.0)


def changed(*found, over_all=None):
    lists = [
        ChangeOfList(name, outcome, zero, row or change_row(-0.1, -0.05, 0.5))
        for name, outcome, zero, row in found
    ]
    return headline_of_change(lists, GENDER, over_all)


def test_an_equalising_step_is_told_in_one_way():
    removed = (
        "Removed for this word list: words for women and words for men no longer differ in "
        "how close they are to "
    )
    end = " Other words were not tested."
    of_one = (
        "For other words like these, up to 22% of the difference towards occupations "
        "stereotyped as "
        "female may be left."
    )
    assert changed(("f", "gone", True, SURE), ("m", "none", True, UNSURE)) == (
        f"{removed}either attribute list. {of_one}{end}"
    )
    average = ChangeOfList("", "gone", False, SURE)
    assert (
        changed(("f", "none", True, UNSURE), ("m", "undecided", True, UNSURE), over_all=average)
        == f"{removed}either attribute list. For other words like these, on average up to 22% of "
        f"the difference may be left.{end}"
    )
    assert changed(("f", "gone", False, SURE), ("m", "gone", False, SURE)) == (
        f"{removed.replace('no longer', 'practically no longer')}either attribute list. For other "
        f"words like these, up to 22% of the difference towards any attribute list may be "
        f"left.{end}"
    )
    no_share = ChangeOfList("", "gone", False, change_row(-0.1, 0.0))
    assert (
        changed(("f", "none", True, UNSURE), over_all=no_share)
        == f"{removed}occupations stereotyped as female.{end}"
    )
    assert changed(("f", "none", True, UNSURE), ("m", "none", True, UNSURE)) == (
        "Words for women and words for men no longer differ in how close they are to "
        "either attribute list; before, no difference was sure."
    )


@pytest.mark.parametrize("first", CHANGES)
@pytest.mark.parametrize("second", CHANGES)
def test_two_lists_that_became_different_things(first, second):
    states = [(name, key, key == "zero", None) for name, key in (("f", first), ("m", second))]
    said = changed(*states)
    assert len(said.split(". ")[0].split()) <= 25
    assert said.startswith(
        ("Words for women and words for men ", "We cannot", "Removed ", "Practically nothing ")
    )
    if first != second and not {first, second} <= {"gone", "zero"}:
        assert "occupations stereotyped as " in said
        assert " those stereotyped as " in said
    else:
        assert "both attribute lists" in said or "either attribute list" in said


def test_lists_whose_change_only_the_average_shows():
    average = ChangeOfList("", "weaker", False, change_row(-0.1, -0.05, 0.5))
    assert changed(
        ("f", "undecided", False, None), ("m", "none", False, None), over_all=average
    ) == (
        "Words for women and words for men still differ, but less, towards both attribute "
        "lists on average; for either list alone we cannot tell."
    )
    assert changed(("f", "undecided", False, None), over_all=average).endswith(
        "on average; for this attribute list alone we cannot tell."
    )


@pytest.mark.parametrize(
    ("zero", "row", "end"),
    [
        (
            True,
            SURE,
            "the difference is 0 by construction; of the difference, up to 22% remains, or up "
            "to 18% is reversed (estimate 2%).",
        ),
        (True, UNSURE, "the difference is 0 by construction."),
        (
            False,
            change_row(-0.1, -0.05, 0.5),
            "they are 0.05 closer (0.03 to 0.07 closer); of the difference, 50% remains (30% to "
            "70%).",
        ),
        (
            False,
            change_row(-0.1, 0.0),
            "they are as close (0.02 closer up to 0.02 farther); how much of the difference "
            "remains is not known: before may be none.",
        ),
    ],
)
def test_the_line_of_a_changed_list(zero, row, end):
    (line,) = lines_of_change([ChangeOfList("f", "gone", zero, row)], GENDER, LABEL)
    start = "Occupations stereotyped as female: before, words for women were "
    assert line.startswith(start)
    assert line.endswith(f"; after, {end}")


def test_what_groups_share_after_is_no_difference():
    columns = ["group", "after", "after_low", "after_high"]
    groups = pd.DataFrame(
        [("woman", -0.06, -0.11, -0.01), ("man", 0.06, 0.01, 0.11)], columns=columns
    )
    zero = [ChangeOfList(name, "gone", True, SURE) for name in ("f", "m")]
    assert compared_with_people(groups, zero, GENDER, LABEL) == (
        "Compared with words of no group, all these words are now closer to occupations "
        "stereotyped as female than to those stereotyped as male, by 0.06 (89% HPDI 0.01 to 0.11): "
        "that is no difference between the groups."
    )
    other = [ChangeOfList(name, "weaker", False, SURE) for name in ("f", "m")]
    assert compared_with_people(groups, other, GENDER, LABEL).startswith(
        "Compared with words of no group, afterwards words for women are closer to occupations "
        "stereotyped as female than to those stereotyped as male, by 0.06 (89% HPDI 0.01 to 0.11) "
        "and "
    )
    assert not compared_with_people(groups.assign(after_low=-1.0, after_high=1.0), zero, GENDER, "")


@pytest.mark.parametrize("outcome", CHANGES[1:])
def test_what_became_of_all_groups_together(outcome):
    """Where groups are not compared list by list: one group, or nobody's lists."""
    pair = ("associated", "different")
    said = headline_over_all(outcome, change_row(-0.1, 0.0), GENDER, pair)
    lists = "(occupations stereotyped as female; occupations stereotyped as male) "
    where = f"0.10 closer to their own attributes {lists}than to the others'"
    became = change_sentences.tell("association", outcome)
    told = f"{became}: over all groups, protected words were {where} before, and are as "
    assert said == f"{told[0].upper()}{told[1:]}close after."
    one = Names({"woman": "words for women"}, {}, {"woman": ["woman"]}, {})
    controls = headline_over_all(outcome, SURE, one, ("human", "neutral"))
    assert "words for women were 0.10 closer to human words than to neutral words" in controls


def test_sizes_over_all_and_of_opposite_groups():
    assert sizes_over_all(change_row(-0.1, 0.05, -0.5), LABEL) == (
        "Before they were 0.10 closer (89% HPDI 0.08 to 0.12 closer), after they are 0.05 farther "
        "(0.03 to 0.07 farther); of the difference, 30% to 70% is reversed "
        "(estimate 50%)."
    )
    columns = ["group", "before", "before_low", "before_high", "after", "after_low", "after_high"]
    groups = pd.DataFrame(
        [
            ("all", -0.06, -0.08, -0.04, 0.0, -0.01, 0.01),
            ("man", 0.01, -0.01, 0.03, 0.06, 0.01, 0.11),
            ("woman", -0.12, -0.2, -0.1, -0.06, -0.11, -0.01),
        ],
        columns=columns,
    ).assign(reason="before may be none")
    assert of_each_group(groups, GENDER) == (
        "After, of each group by itself, compared with the other attribute lists: words for men "
        "0.06 farther (0.01 to 0.11 farther) and words for women 0.06 closer (0.01 to 0.11 closer)."
    )
    assert not of_each_group(groups[:1], GENDER)
    alone = Names({"woman": "words for women"}, {}, {"woman": ["f"]}, {})
    assert not of_each_group(groups[2:], alone)


@pytest.mark.parametrize("edge", [False, True])
@pytest.mark.parametrize(
    ("verdict", "said"),
    [
        ("closer", "associated words came closer relative to different words"),
        ("closer, size undecided", "relative to different words, size undecided"),
        ("farther, practically equal", "relative to different words, practically negligibly"),
        ("practically equal", "practically no change (within ±0.01)"),
        ("undecided", "whether it changed is undecided"),
    ],
)
def test_contrasts_and_connections(verdict, said, edge):
    numbers = {"before": -0.1, "after": 0.0, "mean": 0.1, "low": 0.05, "high": 0.15}
    more = {"standardised": 1.5, "verdict": verdict, "on_edge": edge, "rope": 0.0502}
    row = SimpleNamespace(contrast="associated − different", connection="human", **numbers, **more)
    rule = DecisionRule(0.01).on_scale(0.1)
    told = change_sentences.of_contrast(row, rule)
    assert told.startswith("Associated − different went from −0.100 before to 0.000 after (plain")
    assert said in told
    why = "on the edge: the interval ends at 0.0500, so near 0.0502, the most that is too small to "
    assert (why in told) == edge
    assert "{" not in told
    assert (why in change_sentences.moved(row)) == edge


@pytest.mark.parametrize(("agreement", "kind"), [(0.7, "one"), (0.39, "two"), (0.4, "unclear")])
def test_whether_both_are_of_one_training(agreement, kind):
    moved = pd.DataFrame({"connection": []})
    expected = change_sentences.tell("origin", kind, f"{agreement:.2f}", "")
    assert same_training(agreement, moved) == expected


OUTCOMES = [
    ((-0.12, -0.08), (-0.119, -0.081), (0.0005, 0.002), "unchanged"),  # surely, and by nothing
    ((-0.12, -0.08), (-0.12, -0.05), (-0.02, 0.05), "undecided"),
    ((-0.02, 0.01), (-0.1, -0.05), (-0.1, -0.03), "appeared"),
    ((-0.02, 0.01), (-0.03, 0.01), (-0.1, -0.03), "none"),
    ((-0.12, -0.08), (-0.2, -0.15), (-0.1, -0.03), "stronger"),
    ((-0.12, -0.08), (-0.008, 0.009), (0.05, 0.12), "gone"),
    ((-0.12, -0.08), (-0.07, -0.02), (0.02, 0.06), "weaker"),
    ((-0.12, -0.08), (0.02, 0.06), (0.1, 0.2), "turned"),
    ((-0.12, -0.08), (-0.02, 0.05), (0.05, 0.12), "not seen"),
]


@pytest.mark.parametrize(("before", "after", "change", "outcome"), OUTCOMES)
def test_outcomes_by_hand(before, after, change, outcome):
    """A change within the region of practical equivalence is none, on whichever side of 0."""
    ends = {}
    for name, (low, high) in (("before", before), ("after", after), ("change", change)):
        ends |= {name: (low + high) / 2, f"{name}_low": low, f"{name}_high": high}
    assert outcome_of(SimpleNamespace(**ends), DecisionRule(0.01)) == outcome


def test_the_known_rates_are_those_that_were_measured():
    saved = pd.read_csv(ROOT / "benchmarks" / "results" / "random-steps.csv", comment="#")
    own = saved["contrast"].eq("associated − different")
    own &= saved["model"].eq("attributes as on both sides")
    rates = 100 * saved.loc[own, "share"]
    said = known_rate("change-maximal", 0.89)
    lowest, highest = int(rates.min()), int(np.ceil(rates.max()))
    assert f"calls {lowest} to {highest}% changed, where 11% should be." in said
    runs = pd.read_csv(ROOT / "benchmarks" / "results" / "runs.csv", comment="#")
    runs = runs.set_index(["data", "method"])["misses"]
    rate = runs["only retraining differs", "`change-runs`"]
    assert f"calls {rate:g}% changed with five runs a side" in known_rate("change-runs", 0.89)
    for other in (known_rate("change", 0.89), known_rate("change-maximal", 0.5)):
        assert other.startswith("How often this model finds a change where there is none was not")


def test_before_and_after_are_two_lines_a_list():
    """With a direction a size, else that we cannot tell; 0 by construction has no interval."""
    found = [
        ChangeOfList("f", "weaker", False, change_row(-0.1, -0.05, 0.5)),
        ChangeOfList("m", "none", True, UNSURE),
    ]
    shown = lines_of(found, GENDER, DecisionRule(0.01))
    rows = ["|".join(row.values()) for row in shown.rows]
    assert rows == [
        "words for women|occupations stereotyped as female|before|0.10 closer|0.08 to 0.12|",
        "||after|0.05 closer|0.03 to 0.07|50% (30% to 70%)",
        "words for men|occupations stereotyped as male|before|cannot tell|"
        "0.03 closer up to 0.01 farther|",
        "||after|0 by construction||not known",
    ]
    assert shown.all_columns[4].head == "89% interval"
    with_average = lines_of(found, GENDER, DecisionRule(0.01), SURE).rows
    assert ["|".join(row.values()) for row in with_average[4:]] == [
        "on average|their own attribute lists|before|0.10 closer|0.08 to 0.12|",
        "||after|cannot tell|0.02 closer up to 0.02 farther|2% (−18% to 22%)",
    ]
    assert len(lines_of(found[:1], GENDER, DecisionRule(0.01), SURE).rows) == 2
