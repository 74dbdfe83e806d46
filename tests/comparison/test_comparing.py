"""Levels, differences, how they go together; one number for a question, whoever asks it."""

import dataclasses
import itertools

import numpy as np
import pandas as pd
import pytest

import bayesbias as bb
from bayesbias.comparison.changes import BY_CONSTRUCTION, ONE_SIDE
from bayesbias.comparison.conditions import coordinates_agree
from bayesbias.comparison.pages import comparison_page as page_of
from bayesbias.errors import ArgumentError, DistancesError
from bayesbias.vectors.lookup import keyed_vectors


def rows(comparison, condition, **values):
    table = comparison.contrasts
    chosen = table["condition"] == condition
    for column, value in values.items():
        chosen &= table[column] == value
    return table[chosen].reset_index(drop=True)


def test_levels_are_the_answers_of_analyze(change, kv, rough, wordlist):
    for name, vectors in {"before": kv, "after": rough}.items():
        alone = bb.analyze(vectors, wordlist, seed=1).contrasts()
        pd.testing.assert_frame_equal(rows(change, name)[alone.columns], alone, check_exact=True)


def test_a_difference_is_that_of_the_frames(change, kv, rough, wordlist):
    frames = [bb.distances(vectors, wordlist) for vectors in (kv, rough)]
    moved = frames[1].cosine_distance - frames[0].cosine_distance
    own = frames[0].connection == "associated"
    means = moved.groupby([frames[0].group, frames[0].attribute_set]).mean()
    by_list = [
        means["man", "man_stereotype"] - means["woman", "man_stereotype"],
        means["woman", "woman_stereotype"] - means["man", "woman_stereotype"],
    ]
    assert own.any()
    table = rows(change, "before → after", level="list")
    np.testing.assert_allclose(table["observed"], by_list, atol=1e-12)
    whole = rows(change, "before → after", level="over all")
    np.testing.assert_allclose(whole["observed"], [np.mean(by_list)], atol=1e-12)


def test_what_is_0_by_construction_agrees_on_all_sides(debiased):
    before, after, change = (rows(debiased, name) for name in ("before", "after", "before → after"))
    zero = change["mark"] == ONE_SIDE
    assert change.loc[zero, "level"].tolist() == ["over all", "list", "list"]
    assert (after.loc[zero, "mark"] == BY_CONSTRUCTION).all()
    assert (before["mark"] == "").all()
    np.testing.assert_array_equal(change.loc[zero, "mean"], -before.loc[zero, "mean"])
    np.testing.assert_array_equal(change.loc[zero, "low"], -before.loc[zero, "high"])
    np.testing.assert_array_equal(change.loc[zero, "high"], -before.loc[zero, "low"])
    assert (debiased.left.loc[zero, "left_high"] == 0.0).all()


def test_the_order_of_conditions_turns_the_sign(kv, after, wordlist, debiased):
    turned = bb.compare({"after": after, "before": kv}, wordlist, seed=1)
    forth = rows(debiased, "before → after", level="over all")
    back = rows(turned, "after → before", level="over all")
    assert back.loc[0, "mean"] == -forth.loc[0, "mean"]
    assert "0 by construction" in turned.left.loc[0, "reason"]


def test_only_the_change_of_two_says_what_is_left(kv, rough, wordlist):
    weights = {"there and back": [1, -1]}
    found = bb.compare({"before": kv, "after": rough}, wordlist, differences=weights, seed=1)
    assert not any("association" in sentence for sentence in found.sentences)
    assert found.to_dict()["left"] is None
    with pytest.raises(ArgumentError, match="left: is what the second"):
        _ = found.left


def test_lists_of_nobody_have_no_strongest(kv, rough, wordlist):
    """The sign of their contrasts is the order of the groups."""
    groups = {group.name: list(group.words) for group in wordlist.groups}
    lists = {s.name: list(s.words) for s in wordlist.attribute_sets if s.kind == "stereotype"}
    conditions = {"a": kv, "b": rough, "c": rough}
    found = bb.compare(conditions, {"groups": groups, "attributes": lists}, seed=1)
    assert not any("strongest" in sentence for sentence in found.sentences)


def test_the_page_says_how_verdicts_are_reached_by_the_rule_that_was_given(debiased):
    rule = bb.DecisionRule(rope=0.02, ci_prob=0.8, ci_kind="eti")
    method = page_of(dataclasses.replace(debiased, rule=rule), None).method
    assert "80% equal-tailed interval excludes 0" in method[1]
    assert "±0.02" in method[1]


def turned(kv):
    rng = np.random.default_rng(5)
    return 3.0 * kv.vectors @ np.linalg.qr(rng.normal(size=(kv.vector_size, kv.vector_size)))[0]


def test_files_of_two_trainings_are_told_apart(kv, wordlist):
    other = keyed_vectors(kv.index_to_key, turned(kv))
    assert abs(coordinates_agree([kv, other])) < 0.1
    found = bb.compare({"one": kv, "two": other}, wordlist, seed=1)
    assert not found.is_one_training
    assert sum("different trainings" in sentence for sentence in found.sentences) == 1
    # The turned vectors have the same distances: nothing changed, and that is said of every row.
    assert (rows(found, "one → two")["mark"] == "unchanged").all()
    assert not rows(found, "one → two")[["mean", "low", "high"]].to_numpy().any()


def test_two_trainings_are_compared_in_sd(kv, wordlist):
    """A common part makes all words more alike; one word is missing."""
    words = [word for word in kv.index_to_key if word != "mother"]
    vectors = turned(kv)
    other = keyed_vectors(kv.index_to_key, vectors + vectors.std() * 2.0)
    other = keyed_vectors(words, other[words])
    found = bb.compare({"one": kv, "two": other}, wordlist, seed=1)
    one, two = (f.contrasts().iloc[0] for f in found.levels.values())
    assert abs(two["mean"]) < 0.7 * abs(one["mean"])
    page = page_of(found, None)
    assert page.answers["heads"][:2] == ["observed", "mean"]
    assert "in sd" not in page.answers["heads"]
    shown = [row["cells"][1] for row in page.answers["rows"][:2]]
    assert shown == [f"{row['standardised']:+.3f}".replace("-", "−") for row in (one, two)]
    sizes = ", ".join(f"{f.scale[0]:.3f} in {n!r}" for n, f in found.levels.items())
    assert sizes in page.method[0]
    assert "±0.1 sd" in page.method[1]
    (mother,) = (row for row in page.charts[-1].rows if row["word"] == "mother")
    assert (len(mother["marks"]), mother["text"]) == (1, "–")
    first = next(line for line in repr(found).splitlines() if line.startswith("one "))
    assert shown[0] in first


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda kv, f: bb.compare(kv, "gender"), "is a KeyedVectors; give a mapping of name to"),
        (lambda kv, f: bb.compare([kv, kv], "gender"), "conditions: is a list; give a mapping"),
        (lambda kv, f: bb.compare(f), "is a DataFrame; give a mapping .* with models="),
        (lambda kv, f: bb.compare({}, "gender"), "conditions: none: give at least two"),
        (lambda kv, f: bb.compare({"before": kv}, "gender"), "before: give at least two"),
        (lambda kv, f: bb.compare({1: f, "1": f}), "1, 1: .* each with its own name"),
        (lambda kv, f: bb.compare(f, models=["paper", "paper"]), "paper, paper: .* own name"),
        (lambda kv, f: bb.compare(f, models="paper"), "models='paper': give a list"),
        (lambda kv, f: bb.compare(f, models=3), "models=3: give a list"),
        (lambda kv, f: bb.compare({"a": "gender", "b": "weat1"}), "a: is a str; .* need vectors="),
        (lambda kv, f: bb.compare({"a": "gender", "b": "names"}, vectors=3), "vectors: is a int"),
        (lambda kv, f: bb.compare({"a": 3, "b": f}), "a: is a int; give vectors"),
        (lambda kv, f: bb.compare({"a": (f, 3), "b": f}), "a: has a int for vectors; give"),
        (lambda kv, f: bb.compare({"a": kv, "b": kv}), "a: vectors need a word list; give"),
        (lambda kv, f: bb.compare({"a": kv, "b": kv}, kv), "KeyedVectors is not a word list: give"),
        (lambda kv, f: bb.compare({"a": f, "b": f}, model=3), "int is not a model: give"),
    ],
)
def test_what_is_no_condition_is_refused(kv, wordlist, ask, message):
    with pytest.raises(bb.BayesBiasError, match=message):
        ask(kv, bb.distances(kv, wordlist))


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"differences": "pair"}, "differences='pair'; did you mean 'pairs'"),
        ({"differences": 3}, "differences=3; Valid: pairs"),
        ({"differences": "trend"}, "needs at least three conditions whose names are numbers"),
        ({"differences": {"n": [1]}}, "n: give a number for each of a, b"),
        ({"differences": {"n": "ab"}}, "n: give a number for each of a, b"),
        ({"differences": {"n": {"c": 1}}}, "n: give a number for each of a, b"),
        ({"baseline": "z"}, "baseline='z' is no condition; Valid: a, b"),
        ({"used": 3}, "used=3: give words"),
        ({"used": {"method": "hard"}}, "used={.*: give words"),
        ({"test": "weat7"}, "say used= as well"),
        ({"rule": 0.9}, "rule=0.9: is a float; give a bayesbias.DecisionRule"),
        ({"seed": "x"}, "seed='x': must be"),
    ],
)
def test_options_that_make_no_sense_are_refused(kv, wordlist, options, message):
    with pytest.raises(bb.BayesBiasError, match=message):
        bb.compare(dict.fromkeys("ab", bb.distances(kv, wordlist)), **options)


def test_frames_without_a_common_pair_are_refused(kv, wordlist):
    frame = bb.distances(kv, wordlist)
    frames = {"a": frame, "b": frame.assign(attribute="x_" + frame["attribute"])}
    with pytest.raises(DistancesError, match="no pair of words in common"):
        bb.compare(frames, seed=1, model="paper")


FILES = {
    "google": "googlenews-16k-300d.bin",
    "glove": "glove-840b-10k-300d-int8.bin.gz",
    "twitter": "glove-twitter-12k-25d.txt.gz",
}
LISTS = ("gender", "weat1", "weat7")
NUMBERS = ["observed", "mean", "low", "high", "sd", "standardised"]


@pytest.mark.slow
def test_analyze_compare_sweep_and_check_agree(data, tmp_path):
    paths = "\n".join(f'{n} = "{data / "embeddings" / f}"' for n, f in FILES.items())
    grid = tmp_path / "sweep.toml"
    grid.write_text(f"wordlists = {list(LISTS)}\n[vectors]\n{paths}\n", encoding="utf-8")
    rules = tmp_path / "rules.toml"
    rules.write_text("[rules.all]\nat_most = 9\n", encoding="utf-8")
    swept = bb.run_sweep(grid, tmp_path / "out", progress=False)
    asked = bb.check_rules(rules, swept).table.set_index("of")
    kvs = {n: bb.load_embedding(data / "embeddings" / f) for n, f in FILES.items()}
    for wordlist in LISTS:
        compared = bb.compare(kvs, wordlist, baseline="google", seed=1).contrasts
        for name, kv in kvs.items():
            alone = bb.analyze(kv, wordlist, seed=1).contrasts()
            of_sweep = swept.table.query("vectors == @name and wordlist == @wordlist")
            of_compare = compared[compared["condition"] == name]
            for one, other in itertools.combinations((alone, of_sweep, of_compare), 2):
                np.testing.assert_array_equal(one[NUMBERS].to_numpy(), other[NUMBERS].to_numpy())
                assert one["verdict"].tolist() == other["verdict"].tolist()
            lead = alone.iloc[0]
            of_rule = asked.loc[f"{name}.{wordlist}"]
            assert (
                of_rule[["mean", "low", "high"]].tolist() == lead[["mean", "low", "high"]].tolist()
            )


def test_what_leads_hangs_on_no_order_of_conditions(kv, rough):
    """Of lists that belong to nobody the largest difference of any condition, with its list."""
    own = {
        "groups": {"women": ["she", "her", "woman"], "men": ["he", "his", "man"]},
        "attributes": {"work": ["nurse", "maid", "secretary"], "war": ["war", "gun", "soldier"]},
    }
    found = [
        bb.compare(dict(pairs), own, seed=1)
        for pairs in itertools.permutations({"one": kv, "two": rough}.items())
    ]
    assert len({" ".join(of.sentences[0].split()[:7]) for of in found}) == 1
    assert (
        "difference of words of 'women' and words of 'men' on the list '" in found[0].sentences[0]
    )


def test_beside_a_baseline_it_is_said_what_became_of_the_association(kv, after):
    conditions = {"before": kv, "hard": after, "same": kv}
    said = " ".join(bb.compare(conditions, "gender", baseline="before", seed=1).sentences)
    what = "may or may not have changed in 'hard'; is unchanged in 'same'."
    assert f"Against 'before' the association {what}" in said
