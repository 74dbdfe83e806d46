"""Contrasts as weights on cell means, on designs whose rows can be written by hand."""

import dataclasses

import numpy as np
import pandas as pd
import pytest
from alike import designed
from samples import posterior_of

import bayesbias as bb
from bayesbias.errors import ArgumentError, ModelError
from bayesbias.fits.contrasts import COLUMNS, contrasts_asked
from bayesbias.models.design import Design
from bayesbias.words.provenance import with_provenance

OWN = "associated − different"


def frame_of(owners, lists=None, *, n_words=3, n_attributes=4, controls=True, lean=(), seed=1):
    """Groups and lists; `owners`: each group's own lists; `lean`: what a group has with a list.

    `n_words`: of every group, or of each; all other lists are `different`, or `unassigned` if they
    are nobody's.
    """
    rng = np.random.default_rng(seed)
    lists = lists or sorted({name for own in owners.values() for name in own})
    owned = {name for own in owners.values() for name in own}
    sizes = dict.fromkeys(owners, n_words) if isinstance(n_words, int) else n_words
    rows = []
    for group, own in owners.items():
        connections = {
            name: "associated" if name in own else "different" if name in owned else "unassigned"
            for name in lists
        }
        connections |= {"human": "human", "neutral": "neutral"} if controls else {}
        rows += [
            (f"{group}{w}", group, f"{name}{a}", name, connection, dict(lean).get((group, name), 0))
            for w in range(sizes[group])
            for name, connection in connections.items()
            for a in range(n_attributes if name in lists else 5)
        ]
    columns = ["protected_word", "group", "attribute", "attribute_set", "connection"]
    frame = pd.DataFrame(rows, columns=[*columns, "cosine_distance"])
    frame["cosine_distance"] += 0.9 + rng.normal(0, 0.05, len(frame))
    return with_provenance(frame, source={"made": "by a test"}, missing=[])


def cells(frame):
    return frame.groupby(["group", "attribute_set"])["cosine_distance"].mean()


def labelled(fit, **options):
    table = fit.contrasts(**options)
    return table.set_index(["level", "list", "group", "word", "contrast"])


TWO = {"a": ["la"], "b": ["lb"]}
LEAN = {("a", "la"): -0.15, ("b", "lb"): 0.02}


@pytest.fixture(scope="module")
def two():
    """Groups of unequal sizes with a list each."""
    return bb.fit(frame_of(TWO, n_words={"a": 4, "b": 3}, lean=LEAN), seed=1)


def test_groups_with_lists_of_their_own(two):
    table, m = two.contrasts(), cells(two.frame)
    assert list(table) == list(COLUMNS)
    assert table["level"].tolist() == ["over all", *["controls"] * 3, *["list"] * 2] + (
        ["group"] * 2 + ["word"] * 7
    )
    lists = table[table["level"] == "list"]
    for column in ("observed", "mean"):
        assert lists[column].mean() == pytest.approx(table[column][0], abs=1e-10)
    on_la, on_lb = m["a", "la"] - m["b", "la"], m["b", "lb"] - m["a", "lb"]
    human, neutral = ((m["a", name] + m["b", name]) / 2 for name in ("human", "neutral"))
    own = (m["a", "la"] + m["b", "lb"]) / 2
    expected = [
        *((on_la + on_lb) / 2, own - human, own - neutral, human - neutral, on_la, on_lb),
        *(m["a", "la"] - m["a", "lb"], m["b", "lb"] - m["b", "la"]),
    ]
    np.testing.assert_allclose(table["observed"][:8], expected, atol=1e-12)
    assert table["contrast"][:6].tolist() == [
        *(OWN, "associated − human", "associated − neutral", "human − neutral", "a − b", "b − a")
    ]
    assert table["list"][4:6].tolist() == ["la", "lb"]
    words = table[table["level"] == "word"].set_index("word")
    of_word = two.frame[two.frame["protected_word"] == "a2"]
    means = of_word.groupby("attribute_set")["cosine_distance"].mean()
    assert words.loc["a2", "observed"] == pytest.approx(means["la"] - means["lb"])
    assert table["n_words"][:8].tolist() == [7, 7, 7, 7, 7, 7, 4, 3]
    assert table["n_attributes"][:8].tolist() == [8, 13, 13, 10, 4, 4, 8, 8]
    assert (table["withheld"] == "").all()
    assert table["random_groups"].isna().all()  # there are no vectors


def test_a_planted_difference_is_estimated(two):
    """Of −.15 on one list and .02 on the other: its means are between 0 and the listed ones."""
    row = two.contrasts().query("level == 'list' and list == 'la'").iloc[0]
    assert row["direction"] == "closer"
    assert row["low"] < -0.15 < row["high"]
    assert row["observed"] < row["mean"] < 0
    assert row["standardised"] == pytest.approx(row["mean"] / two.scale[0])


def test_lists_of_nobody_compare_every_pair_of_groups():
    owners = {"a": [], "b": [], "c": []}
    frame = frame_of(owners, ["crime", "work"], lean={("b", "crime"): -0.1})
    fit = bb.fit(frame, seed=1)
    table, m = fit.contrasts(), cells(frame)
    assert table["level"].tolist() == ["controls", *["list"] * 6]
    assert table["contrast"].tolist() == ["human − neutral"] + ["a − b", "a − c", "b − c"] * 2
    rows = table[table["list"] == "crime"]
    expected = [m[g, "crime"] - m[h, "crime"] for g, h in ("ab", "ac", "bc")]
    np.testing.assert_allclose(rows["observed"], expected, atol=1e-12)
    assert rows[["group", "other"]].to_numpy().tolist() == [["a", "b"], ["a", "c"], ["b", "c"]]
    # What is compared thrice agrees: a − c is a − b and b − c.
    means = rows["mean"].to_numpy()
    assert means[1] == pytest.approx(means[0] + means[2], abs=1e-12)
    for model in ("paper", "crossed"):
        with pytest.raises(ModelError, match="use model='maximal'"):
            bb.fit(frame, model, seed=1)


def test_one_group_is_compared_on_its_own_and_other_lists():
    """Nobody else meets the lists: the row by group holds the lists' own difference."""
    frame = frame_of({"a": ["own"], "z": ["other"]})
    frame = frame[frame["group"] == "a"].reset_index(drop=True)
    table, m = bb.fit(frame, seed=1).contrasts(), cells(frame)
    assert table["level"].tolist() == ["controls"] * 3 + ["group"] + ["word"] * 3
    row = table[table["level"] == "group"].iloc[0]
    assert (row["group"], row["contrast"]) == ("a", OWN)
    assert row["observed"] == pytest.approx(m["a", "own"] - m["a", "other"])
    assert set(table["contrast"][4:]) == {OWN}


def test_one_group_and_one_list_are_compared_with_controls():
    frame = frame_of({"a": ["la"]})
    table, m = bb.fit(frame, seed=1).contrasts(), cells(frame)
    assert table["level"].tolist() == ["controls"] * 3 + ["word"] * 3
    assert table["observed"][1] == pytest.approx(m["a", "la"] - m["a", "neutral"])
    assert set(table["contrast"][3:]) == {"associated − neutral"}
    bare = bb.fit(frame_of({"a": ["la"]}, controls=False), seed=1)
    assert bare.contrasts().empty
    assert repr(bare).startswith("There is nothing to compare")
    assert bare.summary("list")["mean"].notna().all()


@pytest.mark.parametrize("what", ["word", "attribute"])
def test_one_of_a_kind_is_withheld_with_its_reason(what):
    sizes = {"n_words": {"a": 1, "b": 3}} if what == "word" else {"n_attributes": 1}
    frame = frame_of(TWO, **sizes)
    table, m = bb.fit(frame, seed=1).contrasts(), cells(frame)
    first = table.iloc[0]
    assert first["observed"] == pytest.approx(
        (m["a", "la"] - m["b", "la"] + m["b", "lb"] - m["a", "lb"]) / 2
    )
    named = "one word of 'a'" if what == "word" else "one attribute of 'la'"
    assert first["withheld"].startswith(named)
    withheld = table["withheld"] != ""
    numbers = ["mean", "sd", "low", "high", "standardised"]
    assert table.loc[withheld, numbers].isna().all(axis=None)
    assert table.loc[~withheld, numbers].notna().all(axis=None)
    assert (table.loc[withheld, ["direction", "size", "verdict"]] == "").all(axis=None)
    answered = set(table.loc[~withheld, "level"])
    if what == "word":  # a word's own row needs attributes alone, and b has words enough
        assert answered == {"group", "word"}
        assert table.loc[table["level"] == "word", "withheld"].eq("").all()
        assert table.loc[~withheld & (table["level"] == "group"), "group"].tolist() == ["b"]
    else:
        assert answered == {"controls"}
        assert table.loc[~withheld, "contrast"].tolist() == ["human − neutral"]


FIVE = {"a": ["l"], "b": ["l"], "c": ["l"], "d": ["m"], "e": ["m"]}
"""Five groups and two lists, three to two."""


@pytest.mark.parametrize("owners", [TWO, FIVE, {"a": ["l", "m"], "b": ["n"], "c": []}])
def test_what_all_have_with_a_list_is_in_no_row_of_it(owners):
    """Weights on the cells of a list sum to 0 in the rows over all and by list."""
    frame = frame_of(owners)
    labels, *_ = contrasts_asked(designed(frame, "maximal")[0], words=False)
    rows = labels["level"].isin(["over all", "list"]).to_numpy()
    assert rows[0]
    moved = frame["cosine_distance"] + 0.3 * (frame["attribute_set"] == frame["attribute_set"][0])
    changed = designed(frame.assign(cosine_distance=moved), "maximal")[0]
    after, *_ = contrasts_asked(changed, words=False)
    np.testing.assert_allclose(after["observed"][rows], labels["observed"][rows])
    assert not np.allclose(after["observed"][~rows], labels["observed"][~rows])


def moved_fit(fit, by):
    """The fit's model and standard deviations with other distances."""
    frame = fit.frame.assign(cosine_distance=fit.frame["cosine_distance"] + by)
    return dataclasses.replace(fit, frame=frame, design=Design(frame, fit.spec))


def test_a_constant_of_a_list_or_a_group_changes_no_answer_over_all():
    """Two groups of equal sizes: the posterior too, given the standard deviations."""
    fit = bb.fit(frame_of(TWO, lean=LEAN), seed=1)
    before = fit.contrasts()
    on_list = moved_fit(fit, 0.2 * (fit.frame["attribute_set"] == "la")).contrasts()
    assert on_list["mean"][0] == pytest.approx(before["mean"][0], abs=1e-9)
    lists = before["level"] == "list"
    np.testing.assert_allclose(on_list["mean"][lists], before["mean"][lists], atol=1e-9)
    groups = before["level"] == "group"
    assert (on_list["mean"] - before["mean"])[groups].abs().min() > 0.1
    on_group = moved_fit(fit, 0.2 * (fit.frame["group"] == "a")).contrasts()
    assert on_group["mean"][0] == pytest.approx(before["mean"][0], abs=1e-9)
    assert on_group["observed"][0] == pytest.approx(before["observed"][0], abs=1e-12)
    assert (on_group["mean"] - before["mean"])[lists].abs().min() > 0.1


def test_lists_of_the_same_owners_are_averaged_first():
    fit = bb.fit(frame_of({"a": ["l", "m"], "b": ["n"], "c": []}), seed=1)
    table = fit.contrasts()
    by_list = table[table["level"] == "list"].set_index("list")
    assert by_list["contrast"].tolist() == ["a − b, c", "a − b, c", "b − a, c"]
    for column in ("observed", "mean"):
        first, second, other = by_list.loc[["l", "m", "n"], column]
        over_all = ((first + second) / 2 + other) / 2
        assert table[column][0] == pytest.approx(over_all, abs=1e-10)
    m = cells(fit.frame)
    expected = m["a", "l"] - (m["b", "l"] + m["c", "l"]) / 2
    assert by_list.loc["l", "observed"] == pytest.approx(expected)
    every = fit.contrasts(pairs=True)
    pairs = every[(every["level"] == "list") & (every["list"] == "l")]
    assert pairs["contrast"].tolist() == ["a − b, c", "a − b", "a − c", "b − c"]
    means = pairs["mean"].to_numpy()
    assert means[0] == pytest.approx((means[1] + means[2]) / 2, abs=1e-10)
    pd.testing.assert_series_equal(every.iloc[0], table.iloc[0])


def test_a_list_that_all_own_or_that_a_group_lacks():
    frame = frame_of({"a": ["la", "every"], "b": ["lb", "every"], "c": ["lc", "every"]})
    frame = frame[~((frame["group"] == "c") & (frame["attribute_set"] == "la"))]
    table = bb.fit(frame.reset_index(drop=True), "paper", seed=1).contrasts()
    by_list = table[table["level"] == "list"].set_index("list")
    assert by_list["contrast"].to_dict() == {"la": "a − b", "lb": "b − a, c", "lc": "c − a, b"}


@pytest.mark.parametrize("model", ["maximal", "paper", "crossed"])
def test_means_of_lists_and_contrasts_agree(model):
    """To the last digit where all are weights on the same parameters."""
    fit = bb.fit(frame_of(TWO, n_words={"a": 4, "b": 3}, lean=LEAN), model, seed=1)
    means = fit.summary("list").set_index(["group", "list"])
    table = labelled(fit)
    for group, other, name in (("a", "b", "la"), ("b", "a", "lb")):
        row = table.loc[("list", name, group, "", f"{group} − {other}")]
        for column in ("mean", "observed"):
            of_cells = means.loc[(group, name), column] - means.loc[(other, name), column]
            assert row[column] == pytest.approx(of_cells, abs=1e-3 if column == "mean" else 1e-12)
    over_all = table.iloc[0]
    if model != "maximal":  # there it is the published contrast of connections' means
        of_connections = fit.summary().set_index("connection")["mean"]
        published = of_connections["associated"] - of_connections["different"]
        assert over_all["mean"] == pytest.approx(published, abs=1e-9)


def test_draws_and_closed_form_give_the_same_answers(two):
    """Within four standard errors of 4,000 independent draws."""
    drawn = dataclasses.replace(two, draws=posterior_of(two), settings={"engine": "nuts"})
    one, other = (fit.contrasts(ci_kind="eti") for fit in (two, drawn))
    assert ((one["mean"] - other["mean"]).abs() < 4 * one["sd"] / 4000**0.5).all()
    np.testing.assert_allclose(other["sd"], one["sd"], rtol=4 / 8000**0.5)
    for end in ("low", "high"):  # an end of a 5.5% tail has 2.1 standard errors of a mean
        assert ((one[end] - other[end]).abs() < 10 * one["sd"] / 4000**0.5).all()


def test_interval_and_rule_are_chosen(two):
    usual, wide = two.contrasts(), two.contrasts(ci_prob=0.95)
    assert ((wide["high"] - wide["low"]) > (usual["high"] - usual["low"])).all()
    tails = two.contrasts(ci_kind="eti")
    assert ((usual["high"] - usual["low"]) <= (tails["high"] - tails["low"]) + 1e-4).all()
    rope = bb.DecisionRule(rope=1.0)
    equal = two.contrasts(rule=rope)
    pd.testing.assert_frame_equal(equal[["mean", "low", "high"]], usual[["mean", "low", "high"]])
    assert set(equal["size"]) == {"practically equal"}
    with pytest.raises(ArgumentError, match="not both"):
        two.contrasts(rule=rope, ci_prob=0.5)
    with pytest.raises(ArgumentError, match="ci_kind='hpdi'"):
        two.contrasts(ci_kind="hpdi")
    usual["mean"] = 9.0  # a copy
    assert two.contrasts()["mean"][0] < 1.0
