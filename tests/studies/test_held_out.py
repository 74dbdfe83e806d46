"""Debiased vectors are tested on words that the method was not given."""

import json

import pandas as pd
import pytest

import bayesbias as bb
from bayesbias import debias
from bayesbias.cli import main
from bayesbias.constants import ATTRIBUTE, PROTECTED_WORD
from bayesbias.debias.record import Treatment
from bayesbias.errors import ArgumentError
from bayesbias.simulate import planted_embedding
from bayesbias.studies.change_sentences import ChangeOfList, outcome_together
from bayesbias.studies.held_out import HeldOut, held_out, words_to_look_up

pytestmark = pytest.mark.filterwarnings("ignore::bayesbias.errors.BayesBiasWarning")


@pytest.fixture(scope="module")
def before():
    return bb.example_embedding()


def compared(before, result, name):
    treatment = Treatment.of(result.record)
    return held_out(before, result.vectors, treatment, bb.load_wordlist(name), seed=1)


@pytest.fixture(scope="module")
def after_all(before):
    return compared(before, debias.hard(before, "gender"), "gender")


def test_the_list_that_gave_the_direction_is_no_evidence(before, after_all):
    assert after_all.answers[-1] == (
        'The word list gender is no test of "hard", which used all 14 protected '
        "words and neutralised all 18 attributes."
    )
    assert list(after_all.found) == list(after_all.changes) == ["winobias", "weat7"]
    used = Treatment.of(debias.hard(before, "gender").record).used
    assert after_all.answers[0] == (
        'In words unused by the method "hard", groups differ less or no longer on the word list '
        "winobias; on weat7 we cannot tell."
    )
    for place, (name, change) in enumerate(after_all.changes.items(), start=1):
        words = {*change.pairs[PROTECTED_WORD], *change.pairs[ATTRIBUTE]}
        assert not {word.lower() for word in words} & used
        assert words <= set(bb.load_wordlist(name).words)
        assert after_all.answers[place] == f"{name}: {change.average or change.headline}"
        rows = after_all.table.query(f"word_list == {name!r}")
        assert rows["towards"].iloc[0] == "on average"
        assert rows["before"].iloc[0] == change.left["before"].iloc[0]
        assert rows["before"].iloc[-1] == change.left_by_list["before"].iloc[-1]
    averages = [change.average for change in after_all.changes.values()]
    assert averages[0].startswith(
        "Before, words for men and words for women were on average 0.05 closer"
    )
    assert averages[0].count(" is reversed (89% HPDI; estimate ") == 1
    assert averages[1] == ""  # undecided
    assert after_all.answers[0] in repr(after_all)
    assert json.loads(json.dumps(after_all.to_dict(), allow_nan=False))["answers"]


def test_what_a_method_left_has_not_changed(before):
    found = compared(before, debias.hard(before, "gender", neutralise="listed"), "gender")
    assert found.answers == [
        'In words unused by the method "hard", practically nothing changed between groups on the '
        "word lists winobias and weat7.",
        'winobias: Nothing changed: the method "hard" left these words as they were.',
        'weat7: Nothing changed: the method "hard" left these words as they were.',
        'The word list gender is no test of "hard", which used all 14 protected '
        "words and used all 18 attributes.",
    ]
    assert found.table.empty
    assert repr(found)


def test_what_moved_by_next_to_nothing_is_not_said_to_have_been_left(before):
    """Soft moves all words: that it "left these words" was read as a fault."""
    found = compared(before, debias.soft(before, "gender", lam=1e-6), "gender")
    for name in ("winobias", "weat7"):
        assert found.found[name] == "Nothing changed: no distance moved by more than 0.0001."


def test_words_of_the_list_itself_that_were_not_used_test_it(before):
    found = compared(before, debias.hard(before, "gender"), "weat7")
    assert found.answers[-1] == (
        'Of the word list weat7 itself the method "hard" neutralised all 11 protected words '
        "and used 10 of 16 attributes. Only the others test it."
    )
    attributes = set(found.changes["weat7"].pairs.query("connection == 'associated'")[ATTRIBUTE])
    assert attributes == {"man", "brother", "him", "woman", "sister", "her"}


def test_a_list_without_a_used_word_needs_no_other(before):
    found = compared(before, debias.hard(before, "gender"), "winobias")
    assert found.answers == [
        'The method "hard" used no word of winobias, so that this comparison tests it.'
    ]
    assert not found.found


def test_without_another_list_that_is_said():
    vectors = planted_embedding(bb.load_wordlist("religion"), similarity=0.3, seed=1).vectors
    found = compared(vectors, debias.multiclass(vectors, "religion", neutralise="all"), "religion")
    assert "No shipped word list asks about these groups in other words" in found.answers[-1]
    assert not found.found


def test_compare_begins_with_held_out_words(before, tmp_path, capsys):
    words = words_to_look_up(bb.load_wordlist("gender"))
    kv = bb.load_embedding(
        ([w for w in words if w in before], before[[w for w in words if w in before]])
    )
    paths = [str(tmp_path / name) for name in ("before.bin", "after.bin")]
    kv.save_word2vec_format(paths[0], binary=True)
    assert main(["debias", "hard", *paths, "--wordlist", "gender", "--quiet"]) == 0
    capsys.readouterr()
    out = tmp_path / "out"
    command = ["compare", *paths, "--wordlist", "gender", "--out", str(out), "--report"]
    assert main(command) == 0
    said = capsys.readouterr().out
    places = [
        said.index(part)
        for part in (
            'In words unused by the method "hard", groups differ less or no longer on',
            "\nwinobias: Before, words for men and words for women were on average 0.05 closer to ",
            "\nweat7: We cannot tell whether words for mathematics and words for the arts differ",
            'The word list gender is no test of "hard", which used all 14 protected',
            f"bayesbias measures {paths[1]} --wordlist gender --before {paths[0]}.",
            "How much closer to an attribute list its own group is than the other:\nword list",
            "all, on average       before  0.05 closer ",
            "On the word list gender itself:\nRemoved for this word list",
            "What this means\n  - Difference: how much closer than the other group",
            "How sure is it?\n  - Of lists that a step does not change, this model calls 7 to 13%",
            "\nThen\n  1. Open",
        )
    ]
    assert places == sorted(places)
    assert "Other words were not tested" not in said
    assert main([*command[:3], "--embeddings", "--wordlist", "gender"]) == 0
    assert 'The word list gender is no test of "hard", which used' in capsys.readouterr().out
    page = (out / "report.html").read_text(encoding="utf-8")
    for part in (
        "Words that the method did not use",
        "Next: see whether neighbours, which no method sets, still reveal the bias",
        "no test of &#34;hard&#34;",
        "calls 7 to 13% changed",
    ):
        assert part in page
    again = tmp_path / "again.html"
    assert main(["report", str(out), "--out", str(again), "--quiet"]) == 0
    assert again.read_text(encoding="utf-8") == page  # with what held-out words show
    assert "Other words were not tested" not in page
    assert main([*command[:5], "--json"]) == 0
    content = json.loads(capsys.readouterr().out)
    assert content["held_out"]["method"] == "hard"
    answers = json.loads((out / "manifest.json").read_text(encoding="utf-8"))["answers"]
    assert content["answers"] == answers
    assert answers[:4] == content["held_out"]["answers"]
    assert len(pd.read_csv(out / "held_out.csv")) == 6


def test_python_has_the_same_in_one_call(before, after_all, tmp_path):
    result = debias.hard(before, "gender")
    found = bb.compare_held_out(before, result, "gender", seed=1)
    assert found.answers == after_all.answers
    result.save(tmp_path / "after.bin")
    assert bb.compare_held_out(before, tmp_path / "after.bin", "gender", seed=1).answers == (
        after_all.answers
    )
    (tmp_path / "after.bin.json").unlink()
    for after, complaint in (
        (tmp_path / "after.bin", "has no record beside it of which words a debiasing used; give"),
        (
            result.vectors,
            "after is a KeyedVectors; give what a method of bayesbias.debias returned",
        ),
    ):
        with pytest.raises(ArgumentError, match=complaint):
            bb.compare_held_out(before, after, "gender")


def test_it_is_read_back_as_it_was(after_all):
    read = HeldOut.from_dict(json.loads(json.dumps(after_all.to_dict(), allow_nan=False)))
    assert read.answers == after_all.answers
    assert repr(read) == repr(after_all)


def of_list(outcome, zero=False):
    return ChangeOfList("", outcome, zero, None)


@pytest.mark.parametrize(
    ("lists", "average", "expected"),
    [
        (["weaker", "weaker"], "weaker", "weaker"),
        (["undecided", "none"], "not seen", "not seen"),
        (["undecided", "undecided"], "", "undecided"),
        (["none", "none"], "none", "none"),
        (["none", "undecided"], "none", "undecided"),
        (["none", "none"], "weaker", "weaker"),
        (["unchanged", "undecided"], "undecided", "undecided"),
        (["weaker", "undecided"], "weaker", "weaker"),
        (["weaker", "undecided"], "not seen", "mixed"),
        (["weaker", "stronger"], "weaker", "mixed"),
        ([], "gone", "gone"),
        ([], "", "undecided"),
    ],
)
def test_what_became_of_a_word_list_is_what_its_attribute_lists_agree_on(lists, average, expected):
    assert outcome_together([of_list(one) for one in lists], average) == expected


def test_what_is_0_by_construction_is_told_from_what_became_none():
    assert outcome_together([of_list("none", zero=True)] * 2, "none") == "zero"
