"""The commands ``measures`` and ``debias``."""

import json

import numpy as np
import pytest
from samples import small_list

import bayesbias as bb
from bayesbias.errors import MissingWordsWarning
from bayesbias.measures import MEASURES
from bayesbias.simulate import planted_embedding
from bayesbias.support.bounded_files import file_checksum
from bayesbias.support.readers import PYTHON


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """A short gender list and its vectors, planted, with one attribute missing; and religion's."""
    place = tmp_path_factory.mktemp("vectors")
    for name, similarity in (("gender", 0.3), ("religion", 0.2)):
        listed = small_list(place, name)
        kv = planted_embedding(listed, similarity=similarity, dim=60, seed=1).vectors
        words = [w for w in kv.index_to_key if w != "nurse"]
        kv = bb.load_embedding((words, kv[words]))
        kv.save_word2vec_format(str(place / f"{name}.bin"), binary=True)
    return place


def test_measures_stand_beside_the_posterior(files, printed):
    said = printed("measures gender.bin --wordlist gender.toml --rope 0.1")
    kv = bb.load_embedding(files / "gender.bin")
    with pytest.warns(UserWarning, match="nurse"):
        results = bb.measures.all_measures(kv, bb.load_wordlist(files / "gender.toml"), seed=1)
    assert {r.measure for r in results} == set(MEASURES)
    for part in (
        *(f"{r.measure}: skipped" if r.skipped else f"{r.value:+.4f}" for r in results),
        "missing attribute words of woman_stereotype (1): nurse",
        "p of WEAT: exact: all 3,432 partitions",
        *("Posterior of model 'maximal'", "associated − different", "(ROPE) is ±0.1"),
    ):
        assert part in said
    assert said.startswith(("Words for women are closer than", "Words for men are closer than"))
    assert "cluster bias: skipped, looks at the whole vocabulary, which --all-words reads" in said
    assert not PYTHON.search(said.replace("fits.", ""))
    for sentence in ("not how large", "nothing about what lies off it", "not by how much"):
        assert sentence in " ".join(said.split())


def test_vectors_before_tell_the_bias_that_neighbours_still_have(files, printed):
    """After ``hard`` its own direction tells nothing: without the vectors before this is noise."""
    before, words = bb.example_embedding(), bb.load_wordlist("gender")
    before.save_word2vec_format(str(files / "before.bin"), binary=True)
    bb.debias.hard(before, words).save(files / "after.bin")
    after = bb.load_embedding(files / "after.bin")
    pairs = [bb.pairs.WordPair(*pair) for pair in words.defining_sets]
    jobs = [w for one in words.attribute_sets if one.kind == "stereotype" for w in one.words]
    with pytest.warns(MissingWordsWarning):
        found = bb.measures.neighbour_bias(after, jobs, pairs, before=before, seed=1)
    assert found.interval[0] > 0.4
    said = printed("measures after.bin --wordlist gender --model paper --before before.bin")
    (row,) = (line for line in said.splitlines() if line.startswith("neighbour bias  "))
    assert f"{found.value:+.4f}" in row
    assert "--all-words" not in said


def test_measures_of_all_words_skip_none_for_want_of_words(files, printed):
    said = printed("measures gender.bin --wordlist gender.toml --all-words")
    assert "--all-words" not in said
    skipped = [line for line in said.splitlines() if "skipped" in line]
    assert not any("whole vocabulary" in line for line in skipped)
    kv = bb.load_embedding(files / "gender.bin")
    with pytest.warns(UserWarning, match="nurse"):
        found = bb.measures.all_measures(kv, bb.load_wordlist(files / "gender.toml"), seed=1)
    (cluster,) = (one for one in found if one.measure == "cluster bias")
    assert repr(cluster) in said


def test_measures_say_what_a_list_does_not_allow(printed):
    said = " ".join(printed("measures religion.bin --wordlist religion.toml").split())
    assert "WEAT: skipped, needs two groups" in said
    assert "MAC" in said


@pytest.mark.parametrize("method", ["hard", "multiclass", "soft", "subspace"])
def test_debias_writes_vectors_and_a_record(files, out, printed, method):
    before = file_checksum(files / "gender.bin")
    said = printed(f"debias {method} gender.bin OUT --wordlist gender")
    old = bb.load_embedding(files / "gender.bin")
    n_neutral = len(old) - 14
    equalised = "equalised 14 and " if method in ("hard", "multiclass") else ""
    moved = "moved all words and " if method == "soft" else equalised
    assert said.startswith(
        f'The method "{method}" {moved}neutralised {n_neutral} of {len(old)} words. Of the part '
    )
    assert " remains.\n" in said
    test = "\nNext: test it on words that it did not use, which compare finds itself: bayesbias "
    for part in ("What this means", "of what the words of 7 defining sets differ in", test):
        assert part in said
    assert file_checksum(files / "gender.bin") == before
    record = json.loads(out.with_name("out.json").read_text(encoding="utf-8"))
    assert record["method"] == method
    assert record["sha256"] == file_checksum(out)
    new = bb.load_embedding(out)
    assert new.index_to_key == old.index_to_key
    assert not np.allclose(new["manager"], old["manager"])
    if method in ("hard", "multiclass"):
        direct = bb.measures.direct_bias(
            new, ["manager"], [bb.pairs.WordPair(*pair) for pair in record["defining_sets"]]
        )
        assert direct.value < 1e-4


def test_the_words_to_neutralise_can_be_chosen(files, out, printed):
    (files / "words.txt").write_text("doctor\n\nmaid\ndoctor\n")
    for which, n, also in (
        ("listed", 24, "those that the list gender tests"),
        ("words.txt", 2, ""),
    ):
        said = printed(f"debias hard gender.bin OUT --wordlist gender --overwrite --words {which}")
        assert said.startswith(
            f'The method "hard" equalised 14 and neutralised {n} of 63 words. Of the part of these '
        )
        assert (
            "- 14 words of sets to equalise still differ, but along the bias direction alone:"
            in said
        )
        assert also in said


def test_debias_then_compare(files, out, printed):
    (kept, *_) = bb.load_wordlist(files / "gender.toml").attribute_sets[-1].words
    printed(f"debias hard gender.bin OUT --wordlist gender --all-words --keep {kept}")
    record = json.loads(out.with_name("out.json").read_text(encoding="utf-8"))
    assert kept in record["all_but"]
    said = printed("compare gender.bin OUT --wordlist gender.toml --model change")
    assert "associated − different" in said
