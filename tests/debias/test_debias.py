"""Hard, multiclass and subspace debiasing by hand, guarantees, records of what was done."""

import dataclasses
import json
from functools import partial

import numpy as np
import pytest
from planted import planted_embedding

import bayesbias as bb
from bayesbias import debias
from bayesbias.debias.neutralising import equalised
from bayesbias.debias.record import words_used, words_used_of_file
from bayesbias.debias.work import CHUNK
from bayesbias.errors import (
    ArgumentError,
    DataWarning,
    EmbeddingError,
    MissingWordsWarning,
    OutputError,
    WordListError,
)

GENDER = [["he", "she"]]
WORDS = [f"w{i}" for i in range(5000)]
PAIRS = [["w0", "w1"], ["w2", "w3"], ["w4", "w5"]]


def embedding(text):
    """Vectors from "word numbers", apart by commas."""
    rows = [part.split() for part in text.split(",")]
    return bb.load_embedding({word: [float(x) for x in numbers] for word, *numbers in rows})


@pytest.fixture
def random_kv():
    """5,000 words, more than two chunks, of lengths from 1 to 9."""
    rng = np.random.default_rng(3)
    matrix = rng.standard_normal((5000, 20)) * rng.uniform(0.2, 2, (5000, 1))
    return bb.load_embedding((WORDS, matrix))


def test_neutralise_by_hand():
    """The direction is the first axis; 3/5 along it leaves the second axis alone."""
    kv = embedding("he 1 1, she -1 1, nurse -3 4, door 1 7")
    options = {"matched": GENDER, "neutralise": ["nurse"], "equalise": ()}
    result = debias.hard(kv, **options)
    np.testing.assert_allclose(result.record.basis, [[1, 0]], atol=1e-12)
    assert result.vectors["nurse"].tolist() == [0, 1]
    np.testing.assert_allclose(result.vectors["door"], np.array([1, 7]) / 50**0.5, rtol=1e-6)
    for method in (debias.hard, partial(debias.multiclass, k=1)):
        new = method(kv, normalise=False, **options).vectors
        assert new["nurse"].tolist() == [0, 4]
        assert (new[["he", "she", "door"]] == kv[["he", "she", "door"]]).all()


X, Y = 0.6 * 0.6 / 0.4**0.5, 0.6 * -0.2 / 0.4**0.5


@pytest.mark.parametrize(
    ("members", "k", "expected"),
    [
        # μ = (.3, .3, .8), μ_⊥ = (0, .3, .8): the rest is sqrt(1 − .73) to either side.
        ([[0.6, 0, 0.8], [0, 0.6, 0.8]], 1, [[0.27**0.5, 0.3, 0.8], [-(0.27**0.5), 0.3, 0.8]]),
        # Lengths 5 and 1, r² = 13; μ = (1.5, 2.5), so that the first is ±sqrt(13 − 6.25).
        ([[3.0, 4.0], [0.0, 1.0]], 1, [[6.75**0.5, 2.5], [-(6.75**0.5), 2.5]]),
        # μ = (0, .2, .8), rest .6; within the plane (.6, −.2), (−.6, −.2), (0, .4).
        (
            [[0.6, 0, 0.8], [-0.6, 0, 0.8], [0, 0.6, 0.8]],
            2,
            [[X, Y, 0.8], [-X, Y, 0.8], [0, 0.6, 0.8]],
        ),
    ],
)
def test_equalise_by_hand(members, k, expected):
    new = equalised(np.array(members), np.eye(k, len(members[0])))
    np.testing.assert_allclose(new, expected)


def test_multiclass_by_hand():
    """The axes' differences span a plane; (2, 1, 0) keeps its part along (1, 1, 1) only."""
    kv = embedding("jew 1 0 0, christian 0 1 0, muslim 0 0 1, greedy 2 1 0, door 0 0 5")
    sets = [["jew", "christian", "muslim"]]
    result = debias.multiclass(kv, k=2, matched=sets, neutralise=["greedy"])
    np.testing.assert_allclose(result.vectors["greedy"], [3**-0.5] * 3, rtol=1e-6)
    # Already at equal angles to the diagonal and to each other: equalising changes nothing.
    np.testing.assert_allclose(result.vectors[sets[0]], np.eye(3), atol=1e-7)
    np.testing.assert_allclose(result.record.explained_variance, [0.5, 0.5])
    assert result.vectors["door"].tolist() == [0, 0, 1]


def test_subspace_by_hand():
    """Differences (2, 0, 0) and (2, 2, 0) span the plane, which one component would not."""
    kv = embedding("man 2 0 1, woman 0 0 1, king 3 3 3, queen 1 1 3, nurse -1 2 3, door 4 4 4")
    sets = [("man", "woman"), ("king", "queen")]
    result = debias.subspace(kv, matched=sets, neutralise=["nurse"])
    np.testing.assert_allclose(result.vectors["nurse"], [0, 0, 3], atol=1e-6)
    assert len(result.record.basis) == 2
    others = ["man", "woman", "king", "queen", "door"]
    assert (result.vectors[others] == kv[others]).all()


def test_subspace_guarantee(random_kv):
    result = debias.subspace(random_kv, matched=PAIRS, neutralise="all", keep=["w9"])
    differences = np.array([random_kv[x].astype(float) - random_kv[y] for x, y in PAIRS])
    done = result.vectors[list(result.record.neutralised)].astype(float)
    assert len(result.record.neutralised) == 5000 - 7
    assert np.abs(done @ differences.T).max() < 1e-5
    assert np.abs(random_kv.vectors @ differences.T).max() > 1
    assert (result.vectors["w9"] == random_kv["w9"]).all()


@pytest.mark.parametrize("normalise", [True, False])
@pytest.mark.parametrize("method", [debias.hard, debias.multiclass])
def test_hard_guarantees(random_kv, method, normalise):
    """Neutral words are at right angles to the bias and equally near to equalised words.

    These get one length, the root of their mean squared length: 1 if scaled.
    """
    before = random_kv.vectors.copy()
    neutral = [f"w{i}" for i in range(40, 40 + 2 * CHUNK + 9)]
    result = method(random_kv, matched=PAIRS, neutralise=neutral, normalise=normalise)
    assert result.record.equalised == tuple(map(tuple, PAIRS))
    done = result.vectors[neutral].astype(float)
    longest = np.linalg.norm(done, axis=1).max()
    assert np.abs(done @ result.record.basis.T).max() < 1e-6 * longest
    if normalise:
        np.testing.assert_allclose(np.linalg.norm(done, axis=1), 1, rtol=1e-6)
    for pair in PAIRS:
        x, y = result.vectors[pair].astype(float)
        size = 1 if normalise else np.mean(np.sum(random_kv[pair].astype(float) ** 2, axis=1))
        np.testing.assert_allclose(done @ x, done @ y, atol=1e-6 if normalise else 1e-4)
        np.testing.assert_allclose([x @ x, y @ y], size, rtol=1e-6 if normalise else 1e-5)
        assert np.linalg.norm(x - y) > 0.05
    assert (random_kv.vectors == before).all()


@pytest.mark.parametrize("normalise", [True, False])
def test_untouched_words_keep_their_bits(random_kv, normalise):
    expected = bb.load_embedding((random_kv.index_to_key, random_kv.vectors.copy()))
    if normalise:
        expected.unit_normalize_all()
    options = {"neutralise": ["w10", "w3000"], "equalise": (), "normalise": normalise}
    result = debias.hard(random_kv, matched=PAIRS, **options)
    changed = (result.vectors.vectors != expected.vectors).any(axis=1)
    assert np.flatnonzero(changed).tolist() == [10, 3000]
    assert result.vectors.index_to_key == random_kv.index_to_key


def test_all_protects_defining_equalised_and_kept_words(random_kv):
    options = {"keep": ["w7", "absent"], "equalise": [["w8", "w9"], ["w10", "nonesuch"]]}
    with pytest.warns(MissingWordsWarning, match="not in the vectors: nonesuch"):
        result = debias.hard(random_kv, matched=PAIRS[:1], neutralise="all", **options)
    spared = set(random_kv.index_to_key) - set(result.record.neutralised)
    assert spared == {"w0", "w1", "w7", "w8", "w9", "w10"}
    assert ("absent",) in [d.words for d in result.record.dropped if d.role == "keep"]


def test_word_list_defaults():
    wl = bb.load_wordlist("religion")
    kv = planted_embedding(wl, similarity=0.3, seed=1)
    record = debias.multiclass(kv, wordlist="religion", neutralise="listed").record
    assert record.matched == wl.matched == record.equalised
    stereotypes = [w for s in wl.attribute_sets if s.kind == "stereotype" for w in s.words]
    assert list(record.neutralised) == stereotypes
    assert record.parameters["wordlist_sha256"] == wl.checksum()
    assert record.dropped == ()


def test_all_but_specific_words_are_neutralised_by_default():
    """In any capitals; but a stereotype of the list is no specific word, as *maid* is of theirs."""
    listed = bb.load_wordlist("gender")
    assert {"maid", "actress"} <= set(listed.specific)
    plain = ["he", "she", "maid", "nurse", "engineer", "Women", "ACTRESS", "door", "his"]
    kv = bb.load_embedding((plain, np.random.default_rng(1).normal(size=(9, 20))))
    with pytest.warns(MissingWordsWarning):
        record = debias.hard(kv, "gender").record
    assert record.neutralised == ("maid", "nurse", "engineer", "door")
    assert record.all_but == ("he", "she", "Women", "ACTRESS", "his")
    assert record.parameters["neutralise"] == "all but specific"
    assert "equalised 2 and neutralised 4 of 9 words" in record.headline
    content = record.to_dict()
    assert (content["neutralised"], content["all_but"]) == (None, list(record.all_but))


@pytest.mark.parametrize("name", ["race", "religion"])
def test_without_specific_words_there_is_no_silent_default(name):
    kv = planted_embedding(bb.load_wordlist(name), similarity=0.3, seed=1)
    with pytest.raises(ArgumentError, match=f'\'{name}\' does not say .*"all".*"listed"'):
        debias.subspace(kv, name)


def test_a_word_in_two_sets_is_equalised_once():
    """The race list repeats words: later sets would undo what earlier ones did."""
    kv = planted_embedding(bb.load_wordlist("race"), similarity=0.3, seed=1)
    with pytest.warns(DataWarning, match="repeats a word of an earlier set: caucasian, asian"):
        record = debias.multiclass(kv, wordlist="race", neutralise="listed").record
    assert record.equalised == (("black", "caucasian", "asian"), ("africa", "america", "asia"))
    assert len([d for d in record.dropped if d.role == "equalise"]) == 4
    assert len(record.matched) == 6


def test_dropped_words_are_recorded_and_warned_of():
    kv = embedding("he 1 1, she -1 1, nurse -3 4, b 2 0, he2 1 1")
    options = {"neutralise": ["nurse", "b", "he", "absent"], "equalise": GENDER}
    sets = [*GENDER, ["he", "he2"], ["king", "queen"]]
    with (
        pytest.warns(MissingWordsWarning, match=r"king, queen: not in the vectors: king, queen"),
        pytest.warns(DataWarning, match="identical vectors"),
    ):
        result = debias.hard(kv, matched=sets, **options)
    assert {(d.role, d.words): d.reason for d in result.record.dropped} == {
        ("matched set", ("king", "queen")): "not in the vectors: king, queen",
        ("matched set", ("he", "he2")): "its members have identical vectors",
        ("neutralise", ("he",)): "is equalised instead",
        ("neutralise", ("absent",)): "not in the vectors",
        ("neutralise", ("b",)): "lies in the bias subspace; left as it is",
    }
    assert result.record.neutralised == ("nurse",)
    assert result.vectors["b"].tolist() == [1, 0]


@pytest.mark.parametrize(
    ("text", "sets", "members", "equalised"),
    [
        # The pair does not differ along the bias.
        ("he 1 1, she -1 1, up 0.6 0.8, down 0.6 -0.8, d 1 2", GENDER, ["up", "down"], ()),
        # The sets span a plane, but within it the triple lies on a line: two on the same side.
        (
            "a 1 0 0, b -1 0 0, c -0.6 0 0.8, he 0 1 0, she 0 -1 0, d 1 1 1",
            [["a", "b"], *GENDER],
            ["a", "b", "c"],
            (("he", "she"),),
        ),
    ],
)
def test_members_that_would_become_one_vector_are_not_equalised(text, sets, members, equalised):
    kv = embedding(text)
    options = {"k": len(sets), "neutralise": ["d"], "equalise": [members, *map(list, equalised)]}
    with pytest.warns(DataWarning, match=f"{', '.join(members)}: within the bias subspace"):
        result = debias.multiclass(kv, matched=sets, **options)
    assert result.record.equalised == equalised
    np.testing.assert_allclose(result.vectors[members], kv[members], rtol=1e-6)


def test_zero_vectors_stay_zero_and_are_named():
    kv = embedding("he 1 1, she -1 1, nurse -3 4, pad 0 0")
    result = debias.hard(kv, matched=GENDER, neutralise=["nurse"])
    assert result.record.notes == ("zero vectors, which stay zero: 'pad'",)
    assert np.isfinite(result.vectors.vectors).all()
    for neutralise in ("all", ["nurse", "pad"]):
        with pytest.warns(MissingWordsWarning, match="pad: its vector is zero, as those of absent"):
            some = debias.hard(kv, matched=GENDER, neutralise=neutralise)
        assert some.record.neutralised == ("nurse",)
    with pytest.raises(WordListError, match=r"no words to neutralise are left \(pad: its vect"):
        debias.hard(kv, matched=GENDER, neutralise=["pad"])
    sets = [*GENDER, ["he", "pad"], ["pad", "none"]]
    with pytest.warns(MissingWordsWarning, match="none; pad: its vector is zero"):
        record = debias.hard(kv, matched=sets, neutralise=["nurse"]).record
    assert record.matched == record.equalised == (("he", "she"),)


def bad(error, message, **options):
    return pytest.param(error, message, options, id=message[:40])


@pytest.mark.parametrize(
    ("error", "message", "options"),
    [
        bad(ArgumentError, "say what the bias is", matched=None),
        bad(ArgumentError, "say which words to neutralise", neutralise=None),
        bad(ArgumentError, "neutralise is empty", neutralise=[]),
        bad(ArgumentError, "neutralise='nurse': give a list", neutralise="nurse"),
        bad(ArgumentError, "7 is not a text", neutralise=[7]),
        bad(ArgumentError, "names a word twice", matched=[["he", "he"]]),
        bad(ArgumentError, "nurse: is in both", keep=["nurse"]),
        bad(ArgumentError, r"\['he'\]: needs at least two words", matched=[["he"]]),
        bad(ArgumentError, "'heshe' is not a set of words", matched=["heshe"]),
        bad(WordListError, "no matched sets .*king: not", matched=[["he", "king"]]),
        bad(WordListError, "no words to neutralise are left .*absent", neutralise=["absent"]),
        bad(WordListError, "'weat1' has no matched sets", matched=None, wordlist="weat1"),
    ],
)
@pytest.mark.parametrize("method", list(debias.METHODS))
def test_bad_words(method, error, message, options):
    kv = embedding("he 1 1 0, she -1 1 0, nurse -3 4 1, door 0 1 3")
    options = {"matched": GENDER, "neutralise": ["nurse"], **options}
    with pytest.raises(error, match=message):
        debias.find_method(method)(kv, **options)


@pytest.mark.parametrize(
    ("method", "error", "message", "options"),
    [
        ("hard", ArgumentError, r"equalise \['w6'\]: needs at least two", {"equalise": [["w6"]]}),
        ("multiclass", ArgumentError, "k=4: the 3 sets differ in 3 dimensions only", {"k": 4}),
        ("hard", ArgumentError, "in one dimension only two", {"equalise": [["w6", "w7", "w8"]]}),
        ("subspace", ArgumentError, "span all 20 dimensions", {"matched": [WORDS[:21]]}),
    ],
)
def test_bad_sets_and_sizes(random_kv, method, error, message, options):
    options = {"matched": PAIRS, "neutralise": ["w900"], **options}
    with pytest.raises(error, match=message):
        debias.find_method(method)(random_kv, **options)
    with pytest.raises(ArgumentError, match="KeyedVectors"):
        debias.find_method(method)({"he": [1.0]}, **options)


def test_pairs_without_any_noise_have_an_exact_answer(google):
    """Hard debiasing makes matched words equally far from neutral ones, to rounding."""
    after = debias.hard(google, wordlist="gender").vectors
    with pytest.warns(MissingWordsWarning):
        frame = bb.distances(after, "gender")
    fit = bb.fit(frame, seed=1, engine="collapsed", vectors=after)
    assert float(fit.sample_stats["pareto_k"].max()) < 0.7
    assert abs(fit.contrasts()["mean"].iloc[0]) < 1e-5


@pytest.mark.parametrize("value", ["nan", "inf", "1e30"])
@pytest.mark.parametrize("method", list(debias.METHODS))
def test_vectors_without_a_length(method, value):
    kv = embedding("he 1 1 1, she -1 1 1, nurse -3 4 0, odd 1 0 1")
    kv.vectors[kv.key_to_index["odd"], 0] = float(value)
    with pytest.raises(EmbeddingError, match="'odd': the vector has NaN, infinite or too large"):
        debias.find_method(method)(kv, matched=GENDER, neutralise=["nurse"])


@pytest.mark.parametrize("method", list(debias.METHODS))
def test_the_record_is_plain_frozen_and_readable(random_kv, method):
    result = debias.find_method(method)(
        random_kv, matched=PAIRS, neutralise=["w8", "w9"], keep=["w7"]
    )
    content = result.record.to_dict()
    assert json.loads(json.dumps(content, allow_nan=False)) == content
    assert content["method"] == method
    assert content["n_neutralised"] == 2
    assert content["versions"]["numpy"] == np.__version__
    assert content["parameters"]["keep"] == ["w7"]
    assert repr(result).startswith(result.record.headline)
    assert result.record.table.query("used")["role"].value_counts()["neutralise"] == 2
    with pytest.raises(dataclasses.FrozenInstanceError):
        result.record.method = "other"
    with pytest.raises(ValueError, match="read-only"):
        result.record.basis[0, 0] = 2


def test_save_and_load(random_kv, tmp_path):
    random_kv.set_vecattr("w0", "count", 1)  # gensim writes the most frequent word first
    random_kv.set_vecattr("w4999", "count", 9)
    result = debias.hard(random_kv, matched=PAIRS, neutralise="all")
    result.save(tmp_path / "out.bin")
    assert sorted(p.name for p in tmp_path.iterdir()) == ["out.bin", "out.bin.json"]
    loaded = bb.load_embedding(tmp_path / "out.bin")
    assert loaded.index_to_key[0] == "w4999"
    words = random_kv.index_to_key
    assert (loaded[words] == result.vectors[words]).all()
    record = json.loads((tmp_path / "out.bin.json").read_text(encoding="utf-8"))
    assert record.pop("sha256")
    assert record == result.record.to_dict()


def test_save_leaves_nothing_half_written(tmp_path):
    kv = bb.load_embedding({"he": [1, 1], "she": [-1, 1], "nurse": [-3, 4], "New York": [1, 2]})
    result = debias.hard(kv, matched=GENDER, neutralise=["nurse"])
    with pytest.raises(OutputError, match="cannot hold the word 'New York'"):
        result.save(tmp_path / "out.bin")
    assert list(tmp_path.iterdir()) == []


@pytest.fixture
def six():
    words = ["he", "she", "Man", "nurse", "clerk", "door"]
    return bb.load_embedding((words, np.random.default_rng(1).normal(size=(6, 10))))


def hard(kv, neutralise, keep=()):
    return debias.hard(kv, matched=GENDER, neutralise=neutralise, keep=keep)


@pytest.mark.parametrize(
    ("neutralise", "used"),
    [
        ("all", {"he", "she"}),  # a rule that reaches all words names none of them
        (["nurse", "Man"], {"he", "she", "nurse", "man"}),
    ],
)
def test_used_are_the_words_that_a_method_was_given(six, neutralise, used):
    assert words_used(hard(six, neutralise, keep=["clerk"]).record) == used


def test_the_record_beside_a_file_is_read_and_that_of_another_passed_over(six, tmp_path):
    done = hard(six, "all")
    done.save(tmp_path / "out.bin")
    assert words_used_of_file(tmp_path / "out.bin") == words_used(done.record)
    bb.load_embedding(tmp_path / "out.bin").save_word2vec_format(str(tmp_path / "new.bin"))
    assert words_used_of_file(tmp_path / "new.bin") is None
    assert words_used_of_file(tmp_path / "nowhere.bin") is None
    for content in ("[1]", "{}", "no JSON", '{"method": "hard"}', "null"):
        (tmp_path / "new.bin.json").write_text(content)
        assert words_used_of_file(tmp_path / "new.bin") is None
    (tmp_path / "out.bin.json").rename(tmp_path / "new.bin.json")
    with pytest.warns(DataWarning, match=r"new.bin.json: is the record of other vectors than"):
        assert words_used_of_file(tmp_path / "new.bin") is None


@pytest.mark.filterwarnings("ignore::bayesbias.errors.BayesBiasWarning")
@pytest.mark.parametrize("method", ["hard", "multiclass", "subspace", "inlp", "double_hard"])
def test_methods_that_project_leave_nothing_along_their_directions(method):
    record = debias.METHODS[method](bb.example_embedding(), "gender").record
    assert record.remaining == pytest.approx(0, abs=1e-12)


def test_choose_words_by_hand():
    """b_actual = (1, 0); b_stereotype = (0, 1), as the differences (0, 3) and (0, 1) say."""
    pairs = "man 3 1, woman 1 1, doctor 1 2, midwife 1 -1, pilot 0 1, maid 0 0"
    kv = embedding(f"{pairs}, king 2 1, nurse -1 -2, tie 2 -2")
    actual, stereotype = [("man", "woman")], [("doctor", "midwife"), ("boss", "aide")]
    words = ["king", "nurse", "tie", "maid"]
    with pytest.warns(MissingWordsWarning, match="boss, aide"):
        table = debias.choose_words(kv, actual=actual, stereotype=stereotype, words=words)
    assert table["actual"].tolist() == [2, -1, 2, 0]
    assert table["stereotype"].tolist() == [1, -2, -2, 0]
    assert table["chosen"].tolist() == [False, True, False, False]
    with pytest.raises(WordListError, match=r"no stereotype pairs .*maid: its vector is zero"):
        debias.choose_words(kv, actual=[("man", "woman")], stereotype=[("pilot", "maid")])


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"actual": [("a", "b", "c")]}, ArgumentError, "must be a pair"),
        ({"actual": [("a", "z")]}, WordListError, "no actual pairs are left .*a, z"),
        ({"stereotype": []}, WordListError, "none given"),
        ({"stereotype": [("a", "d")]}, ArgumentError, "same vector"),
        ({"words": ["a", "z"]}, WordListError, "z: not in the vectors"),
        ({"words": ["odd"]}, EmbeddingError, "'odd' has NaN"),
        ({"words": "odd"}, ArgumentError, "give a list of words"),
    ],
)
def test_choose_words_bad_input(options, error, message):
    kv = embedding("a 1 0, b 0 1, c 1 1, d 1 0, odd 1 0")
    kv.vectors[kv.key_to_index["odd"], 0] = np.nan
    options = {"actual": [("a", "b")], "stereotype": [("b", "c")], **options}
    with pytest.raises(error, match=message):
        debias.choose_words(kv, **options)


def test_hard_debiasing_is_that_of_debiaswe(data):
    vectors = bb.load_embedding(data / "embeddings" / "googlenews-16k-300d.bin", limit=13013)
    lists = json.loads((data / "oracles" / "debiaswe_wordlists.json").read_text())
    expected = json.loads((data / "oracles" / "debiaswe_expected.json").read_text())
    cases = (str.lower, str.title, str.upper)
    pairs = list(dict.fromkeys((f(a), f(b)) for a, b in lists["equalize_pairs"] for f in cases))
    pairs = [(a, b) for a, b in pairs if a in vectors and b in vectors]
    assert len(pairs) == expected["n_equalize_candidates_found"]
    specific = set(lists["gender_specific"])
    neutral = [word for word in vectors.index_to_key if word not in specific]
    matched = lists["definitional_pairs"]
    result = debias.hard(vectors, matched=matched, neutralise=neutral, equalise=pairs)
    assert result.record.dropped == ()
    direction = result.record.basis[0]
    professions = [word for word in lists["professions"] if word in vectors]
    assert len(professions) == expected["n_profession_words"]
    for when, kv in (("before", vectors), ("after", result.vectors)):
        matrix = kv[professions].astype(float)
        direct_bias = np.abs(matrix @ direction / np.linalg.norm(matrix, axis=1)).mean()
        assert direct_bias == pytest.approx(expected[f"direct_bias_c1_{when}"], abs=1e-7)
    ten = debias.multiclass(vectors, k=10, matched=matched, neutralise=["nurse"], equalise=())
    shares = expected["pca_explained_variance_ratio"]
    np.testing.assert_allclose(ten.record.explained_variance, shares, atol=2e-6)
