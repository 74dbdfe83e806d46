"""Analogies: formulas by hand in three dimensions, gensim's answers, the rules of both settings."""

import json
import tracemalloc
import warnings

import numpy as np
import pandas as pd
import pytest
from gensim_peer import compare_with_gensim

import bayesbias as bb
from bayesbias import analogies
from bayesbias.analogies import ranking
from bayesbias.analogies.ranking import best_candidates
from bayesbias.analogies.scoring import METHODS, Formula
from bayesbias.analogies.vocabulary import vocabulary
from bayesbias.errors import (
    ArgumentError,
    DataWarning,
    EmbeddingError,
    MissingWordsWarning,
    QuestionsError,
)
from bayesbias.support.result import Result

# Unit vectors with coordinates that make every cosine a number one can see.
HAND = {
    **{"man": [1, 0, 0], "woman": [0, 1, 0], "doctor": [0.6, 0, 0.8], "nurse": [0, 0.6, 0.8]},
    **{"patient": [0, 0, 1], "far": [0, 0, -1]},
}
QUERY = ("man", "doctor", "woman")


@pytest.fixture(scope="module")
def hand():
    return bb.load_embedding(HAND)


@pytest.fixture(scope="module")
def random_vectors():
    rng = np.random.default_rng(5)
    return bb.load_embedding(
        ([f"w{i}" for i in range(3000)], rng.standard_normal((3000, 40), dtype=np.float32))
    )


def ask(kv, *words, **options):
    return analogies.analogy(kv, *words, **options)


def listed(found, method, setting, direction="asked"):
    frame = found.to_frame()
    frame = frame[(frame.method == method) & (frame.setting == setting)]
    return frame[frame.direction == direction]


# man : doctor :: woman : d. Cosines of d with (man, doctor, woman):
#   man (1, .6, 0)  woman (0, 0, 1)  doctor (.6, 1, 0)  nurse (0, .64, .6)
#   patient (0, .8, 0)  far (0, −.8, 0)
COSINES = {
    **{"man": (1, 0.6, 0), "woman": (0, 0, 1), "doctor": (0.6, 1, 0), "nurse": (0, 0.64, 0.6)},
    **{"patient": (0, 0.8, 0), "far": (0, -0.8, 0)},
}


def test_3cosadd_by_hand(hand):
    found = ask(hand, *QUERY, method="3cosadd")
    free = listed(found, "3cosadd", "unconstrained")
    # nurse .6 − 0 + .64; woman 1; patient .8; doctor 0 − .6 + 1; man 0 − 1 + .6; far −.8
    assert free["word"].tolist() == ["nurse", "woman", "patient", "doctor", "man", "far"]
    assert free["score"].tolist() == pytest.approx([1.24, 1, 0.8, 0.4, -0.4, -0.8], abs=1e-6)
    assert free["input"].tolist() == ["", "c", "", "b", "a", ""]
    bound = listed(found, "3cosadd", "constrained")
    assert bound["word"].tolist() == ["nurse", "patient", "far"]
    assert bound["rank"].tolist() == [1, 2, 3]


def test_3cosmul_by_hand(hand):
    found = ask(hand, *QUERY, method="3cosmul")
    free = listed(found, "3cosmul", "unconstrained")
    expected = {
        word: (1 + b) / 2 * (1 + c) / 2 / ((1 + a) / 2 + 0.001)
        for word, (a, b, c) in COSINES.items()
    }
    by_hand = sorted(expected, key=expected.get, reverse=True)
    assert by_hand[0] == "nurse"
    assert expected["nurse"] == pytest.approx(0.82 * 0.8 / 0.501)
    assert free["word"].tolist() == by_hand
    assert free["score"].tolist() == pytest.approx([expected[w] for w in by_hand], abs=1e-6)


def test_bolukbasi_by_hand(hand):
    """Distances to doctor: nurse √.72, patient √.4, man √.8, woman √2, far √3.6."""
    found = ask(hand, *QUERY, method="bolukbasi")
    free = listed(found, "bolukbasi", "unconstrained")
    # a − c = (1, −1, 0); b − nurse = (.6, −.6, 0), parallel; b − patient = (.6, 0, −.2);
    # b − b = 0 scores 0; b − man = (−.4, 0, .8).
    assert free["word"].tolist() == ["nurse", "patient", "doctor", "man"]
    expected = [1, 0.6 / np.sqrt(2 * 0.4), 0, -0.4 / np.sqrt(2 * 0.8)]
    assert free["score"].tolist() == pytest.approx(expected, abs=1e-6)
    near = ask(hand, *QUERY, method="bolukbasi", delta=0.7)
    assert listed(near, "bolukbasi", "constrained")["word"].tolist() == ["patient"]
    nearer = ask(hand, *QUERY, method="bolukbasi", delta=0.5, reported="nurse")
    assert listed(nearer, "bolukbasi", "unconstrained")["word"].tolist() == ["doctor"]
    assert listed(nearer, "bolukbasi", "constrained").empty
    row = nearer.reported[nearer.reported.direction == "asked"].iloc[0]
    assert row["rank"] is pd.NA
    assert row["reason"] == "farther than δ from b"
    assert "unconstrained: its input 'doctor' (b) wins; there is no other" in repr(nearer)


def test_a_word_exactly_at_delta_is_within():
    kv = bb.load_embedding(
        {"a": [0, 1, 0], "b": [1, 0, 0], "c": [0, 0, 1], "d": [0.5, 0, 0.75**0.5]}
    )
    found = ask(kv, "a", "b", "c", method="bolukbasi", delta=1.0)
    assert "d" in listed(found, "bolukbasi", "constrained")["word"].tolist()


def test_the_reversed_query_swaps_a_and_c(hand):
    both = ask(hand, *QUERY)
    other = ask(hand, "woman", "doctor", "man")
    for method in METHODS:
        for setting in ("constrained", "unconstrained"):
            left = listed(both, method, setting, "reversed")
            right = listed(other, method, setting)
            assert left["word"].tolist() == right["word"].tolist()
            # Roles are named as the query was asked.
            assert left["input"].tolist() == [
                {"a": "c", "c": "a"}.get(role, role) for role in right["input"]
            ]


def test_who_won_and_where_the_reported_word_stands(hand):
    found = ask(hand, *QUERY, method="3cosadd", reported="patient")
    # reversed: doctor .6 + 1 wins, then man 1 + .6 − 0 ties: doctor 1.6, man 1.6, patient .8
    winners = found.winners.set_index("direction")[["winner", "input", "first_other", "rank"]]
    assert winners.loc["asked"].tolist() == ["nurse", "", "nurse", 1]
    assert winners.loc["reversed"].tolist() == ["man", "a", "patient", 3]
    ranks = found.reported.set_index(["direction", "setting"])["rank"]
    assert ranks.to_dict() == {
        ("asked", "unconstrained"): 3,
        ("asked", "constrained"): 2,
        ("reversed", "unconstrained"): 3,
        ("reversed", "constrained"): 1,
    }
    barred = ask(hand, *QUERY, method="3cosadd", reported="woman").reported
    assert barred["rank"].tolist()[0] == 2
    assert barred["reason"].tolist()[1] == "excluded as a word of the query"
    text = repr(found)
    for part in (
        *("nurse 1.240", "woman* 1.000", "reversed, constrained"),
        "reported 'patient': unconstrained rank 3 of 6, constrained rank 2 of 3",
        *("\nunconstrained: 'nurse' wins", "\nreversed, unconstrained: its input 'man' (a) wins"),
    ):
        assert part in text
    assert json.loads(json.dumps(found.to_dict()))["reported"][0]["rank"] == 3


def test_ties_go_to_the_word_that_stands_first():
    words = {"a": [1, 0, 0], "c": [0, 1, 0], "b": [0, 0, 1]}
    twins = {f"twin{i}": [0.1, 0.4, 0.9] for i in range(60)}
    kv = bb.load_embedding(words | twins)
    found = ask(kv, "a", "b", "c", top=60)
    queries = [("a", "b", "c")] * 3
    for method in METHODS:
        answers = listed(found, method, "constrained")["word"].tolist()
        assert answers == list(twins)
        many = analogies.solve(kv, queries, method=method, top=5, progress=False)
        assert many[many.setting == "constrained"]["word"].tolist() == answers[:5] * 3


def test_repeated_words(hand):
    with pytest.raises(ArgumentError, match="both 'man'"):
        ask(hand, "man", "doctor", "man")
    found = ask(hand, "man", "man", "woman", method="3cosadd")
    assert listed(found, "3cosadd", "unconstrained")["input"].tolist()[0] == "c"
    assert "man" not in listed(found, "3cosadd", "constrained")["word"].tolist()
    kv = bb.load_embedding(HAND | {"twin": [2, 0, 0]})
    assert len(ask(kv, "man", "doctor", "twin", method="3cosadd").answers)
    with pytest.raises(EmbeddingError, match="same direction"):
        ask(kv, "man", "doctor", "twin")


def test_zero_vectors_are_no_answers():
    kv = bb.load_embedding(HAND | {"nil": [0, 0, 0], "nan": [np.nan, 0, 0], "inf": [np.inf, 1, 0]})
    with pytest.warns(DataWarning, match="'nil', 'nan', 'inf' are zero or not finite"):
        found = ask(kv, *QUERY, top=20)
    assert np.isfinite(found.answers["score"]).all()
    with pytest.warns(DataWarning):
        many = analogies.solve(kv, [QUERY], method="all", top=20)
    for answers in (found.answers, many):
        assert not {"nil", "nan", "inf"} & set(answers["word"])
    with pytest.warns(DataWarning), pytest.raises(EmbeddingError, match="'nil' is the zero vector"):
        ask(kv, "man", "nil", "woman")


def test_extreme_lengths_do_not_matter(hand):
    lengths = dict(zip(HAND, (1e-25, 1e25, 1.0, 1e-30, 1e30, 3.0), strict=True))
    kv = bb.load_embedding({w: np.array(v) * lengths[w] for w, v in HAND.items()})
    words, expected = (
        analogies.solve(vectors, [QUERY], method="all", top=6)["word"].tolist()
        for vectors in (kv, hand)
    )
    assert words == expected


def test_restrict_vocab(hand):
    found = ask(hand, *QUERY, method="3cosadd", restrict_vocab=4)
    assert found.n_words == 4
    assert set(found.answers["word"]) == {"man", "woman", "doctor", "nurse"}
    with pytest.warns(DataWarning, match="'doctor' \\(word 3\\): beyond the first 2"):
        found = ask(hand, *QUERY, restrict_vocab=2, reported="nurse")
    assert set(found.reported["reason"]) == {"beyond the first 2 words"}
    with pytest.warns(DataWarning, match="only 6 words"):
        ask(hand, *QUERY, restrict_vocab=7)


def test_case(hand):
    kv = bb.load_embedding(HAND | {"Doctor": [0.5, 0.1, 0.8], "DOCTOR": [0.6, 0.1, 0.8]})
    exact, folded = (
        ask(kv, *QUERY, method="3cosadd", ignore_case=ignored) for ignored in (False, True)
    )
    assert {"Doctor", "DOCTOR"} <= set(listed(exact, "3cosadd", "constrained")["word"])
    row = listed(folded, "3cosadd", "unconstrained").set_index("word").loc["DOCTOR"]
    assert row["input"] == "b"
    many = analogies.solve(kv, [QUERY], top=3, ignore_case=True)
    many = many[many.setting == "constrained"]
    assert len(many) == 3
    for answers in (listed(folded, "3cosadd", "constrained"), many):
        assert not {"Doctor", "DOCTOR"} & set(answers["word"])


@pytest.mark.parametrize(
    ("b", "options", "complaint"),
    [
        ("Doctor", {}, "'Doctor' is not in the vectors; did you mean 'doctor'"),
        ("nurze", {}, "did you mean 'nurse'"),
        ("xyzzy", {}, "choose another word"),
        (3, {}, "3 is not a word"),
        ("doctor", {"reported": "nurs"}, "did you mean 'nurse'"),
        ("doctor", {"method": "3cosad"}, "did you mean '3cosadd'"),
        ("doctor", {"top": 0}, "top=0"),
        ("doctor", {"delta": 0}, "delta=0"),
        ("doctor", {"epsilon": -1}, "epsilon=-1"),
        ("doctor", {"restrict_vocab": 0}, "restrict_vocab=0"),
    ],
)
def test_errors_say_what_to_do(hand, b, options, complaint):
    with pytest.raises(ArgumentError, match=complaint):
        ask(hand, "man", b, "woman", **options)


def test_other_arguments_that_are_wrong(hand):
    with pytest.raises(ArgumentError, match="KeyedVectors, not dict"):
        ask(HAND, *QUERY)
    with pytest.raises(ArgumentError, match="number 1 is"):
        analogies.solve(hand, [QUERY, ("man", "doctor")])
    assert analogies.solve(hand, []).empty
    assert len(ask(hand, "Man", "doctor", "woman", fallbacks=["lower"]).answers)


# Batches


@pytest.mark.parametrize("method", METHODS)
def test_batches_answer_as_single_queries_do(random_vectors, method):
    rng = np.random.default_rng(1)
    words = random_vectors.index_to_key
    queries = [tuple(words[i] for i in rng.choice(3000, 3, replace=False)) for _ in range(40)]
    options = {"method": method, "delta": 1.3}
    many = analogies.solve(random_vectors, queries, top=7, progress=False, **options)
    for number in range(0, 40, 8):
        single = ask(random_vectors, *queries[number], top=7, **options)
        for setting in ("constrained", "unconstrained"):
            here = many[(many["query"] == number) & (many.setting == setting)]
            there = listed(single, method, setting)
            assert here["word"].tolist() == there["word"].tolist()
            np.testing.assert_allclose(here["score"], there["score"], atol=1e-11)
            assert here["input"].tolist() == there["input"].tolist()


@pytest.mark.parametrize("method", METHODS)
def test_answers_do_not_depend_on_memory_or_chunks(random_vectors, method, monkeypatch):
    rng = np.random.default_rng(2)
    queries = np.array([rng.choice(3000, 3, replace=False) for _ in range(60)])
    queries[30:, :] = queries[:30, ::-1]  # shared words, the other way to sum
    queries[30:, 1] = queries[0, 1]
    v = vocabulary(random_vectors)
    index, scores = best_candidates(v, queries, Formula(method, 1.3), 9)
    for rows, at_a_time in ((64, 7), (1000, 60), (3000, 1)):
        monkeypatch.setattr(ranking, "_ROWS", rows)
        monkeypatch.setattr(ranking, "_QUERIES", at_a_time)
        again, same = best_candidates(v, queries, Formula(method, 1.3), 9)
        np.testing.assert_array_equal(again, index)
        np.testing.assert_array_equal(same, scores)


@pytest.mark.parametrize("method", METHODS)
def test_near_ties_are_asked_again_until_they_are_sure(method):
    """400 words closer to each other than float32 products can tell, in no order."""
    rng = np.random.default_rng(3)
    base = np.array([0.1, 0.4, 0.9, 0.0])
    cloud = base + 1e-6 * rng.standard_normal((400, 4))
    matrix = np.vstack([np.eye(4)[:3], cloud])
    kv = bb.load_embedding(([f"w{i}" for i in range(403)], matrix))
    queries = np.array([[0, 2, 1]])
    v = vocabulary(kv)
    index, scores = best_candidates(v, queries, Formula(method), 20)
    everything, all_scores = best_candidates(v, queries, Formula(method), 403)
    np.testing.assert_array_equal(index[0], everything[0, :20])
    np.testing.assert_array_equal(scores[0], all_scores[0, :20])
    unit = v.units(np.arange(403))
    cosines = unit @ unit[[0, 2, 1]].T
    if method == "3cosadd":
        exact = cosines[:, 2] - cosines[:, 0] + cosines[:, 1]
        np.testing.assert_allclose(all_scores[0], np.sort(exact)[::-1], atol=1e-11)


@pytest.mark.slow
def test_memory_is_bounded(monkeypatch):
    rng = np.random.default_rng(4)
    kv = bb.load_embedding(
        ([f"w{i}" for i in range(20_000)], rng.standard_normal((20_000, 100), dtype=np.float32))
    )
    v = vocabulary(kv)
    queries = np.array([rng.choice(20_000, 3, replace=False) for _ in range(600)])
    for method in METHODS:
        for memory in (16, 32):  # the scores of all queries at once would take 48 MB
            monkeypatch.setattr("bayesbias.analogies.ranking._MEMORY", memory * 2**20)
            tracemalloc.start()
            best_candidates(v, queries, Formula(method), 10)
            peak = tracemalloc.get_traced_memory()[1]
            tracemalloc.stop()
            assert peak < memory * 2**20


@pytest.mark.filterwarnings("ignore:Call to deprecated:DeprecationWarning")  # within gensim
def test_gensims_answers_to_random_queries(random_vectors):
    """Constrained answers are those of most_similar and, with its ε, most_similar_cosmul."""
    rng = np.random.default_rng(11)
    words = random_vectors.index_to_key
    queries = [tuple(words[i] for i in rng.choice(3000, 3, replace=False)) for _ in range(120)]
    compare_with_gensim(random_vectors, queries)


# Pairs


def test_pairs_by_hand(hand):
    found = analogies.rank_pairs(hand, "man", "woman", delta=2.0, progress=False)
    rows = found.pairs.set_index(["b", "d"])["score"].to_dict()
    # (doctor, nurse) and (man, woman) are parallel to a − c; ties go to the first in the vectors.
    assert found.pairs["b"].tolist()[:2] == ["man", "doctor"]
    assert rows[("doctor", "nurse")] == pytest.approx(1)
    assert found.pairs["input"].tolist()[:2] == [True, False]
    near = analogies.rank_pairs(hand, "man", "woman", delta=0.86, once=False, progress=False)
    # Within .86: doctor–nurse .849, doctor–patient √.4, nurse–patient √.4; and nobody else.
    assert near.n_pairs == 3
    assert near.pairs["b"].tolist() == ["doctor", "doctor", "patient"]
    assert near.pairs["d"].tolist() == ["nurse", "patient", "nurse"]
    expected = [1, 0.6 / np.sqrt(2 * 0.4), 0.6 / np.sqrt(2 * 0.4)]
    assert near.pairs["score"].tolist() == pytest.approx(expected, abs=1e-6)
    assert "doctor" in repr(near)
    none = analogies.rank_pairs(hand, "man", "woman", delta=0.1, progress=False)
    assert "no pair scores above 0" in repr(none)


def test_pairs_are_those_of_all_pairs_in_float64(random_vectors, monkeypatch):
    monkeypatch.setattr("bayesbias.analogies.pairs._ROWS", 64)
    kv = bb.load_embedding((random_vectors.index_to_key[:300], random_vectors.vectors[:300]))
    unit = kv.vectors.astype(np.float64)
    unit /= np.linalg.norm(unit, axis=1, keepdims=True)
    direction = unit[0] - unit[1]
    offset = unit[:, None] - unit[None]
    distance = np.linalg.norm(offset, axis=2)
    score = offset @ direction / np.linalg.norm(direction) / np.where(distance > 0, distance, 1)
    score[(distance > 1.25) | (score <= 0)] = -1
    order = np.argsort(-score.ravel(), kind="stable")[:25]
    expected = [[f"w{i // 300}", f"w{i % 300}"] for i in order if score.ravel()[i] > 0]
    found = analogies.rank_pairs(kv, "w0", "w1", delta=1.25, top=25, once=False)
    assert found.pairs[["b", "d"]].to_numpy().tolist() == expected
    assert found.n_pairs == int((np.triu(distance <= 1.25, 1)).sum())
    once = analogies.rank_pairs(kv, "w0", "w1", delta=1.25, top=25)
    assert once.pairs["b"].is_unique
    assert once.pairs["d"].is_unique


def test_more_pairs_are_kept_where_few_are_left(random_vectors, monkeypatch):
    from bayesbias.analogies import pairs

    whole = analogies.rank_pairs(random_vectors, "w0", "w1", delta=1.3, top=30)
    monkeypatch.setattr(pairs, "_KEPT", 35)
    again = analogies.rank_pairs(random_vectors, "w0", "w1", delta=1.3, top=30)
    pd.testing.assert_frame_equal(whole.pairs, again.pairs)


# Tables


def test_mean_rank_by_hand(hand):
    """In the second embedding patient and nurse have changed places."""
    swapped = HAND | {"nurse": HAND["patient"], "patient": HAND["nurse"]}
    kvs = {"one": hand, "two": bb.load_embedding(swapped)}
    found = analogies.mean_rank(kvs, [(*QUERY, "patient")], top=3)
    # 3cosadd: nurse woman patient doctor man far, and patient woman nurse doctor man far.
    free, bound = found.queries.itertuples()
    assert (free.mean_rank, free.n_embeddings) == (2.0, 2)
    assert bound.mean_rank == 1.5
    assert set(free.answers) == {"nurse", "woman", "patient"}  # mean rank 2 each
    assert found.ranks["rank"].tolist() == [3, 2, 1, 1]
    assert "mean rank" in repr(found)


def test_mean_rank_counts_what_is_missing(hand):
    small = bb.load_embedding({w: v for w, v in HAND.items() if w != "patient"})
    queries = [(*QUERY, "patient"), (*QUERY, "nurse")]
    with pytest.warns(MissingWordsWarning, match="1 of 4 rankings"):
        found = analogies.mean_rank({"one": hand, "small": small}, queries)
    assert found.queries["n_embeddings"].tolist() == [1, 1, 2, 2]
    with pytest.warns(MissingWordsWarning):
        found = analogies.mean_rank({"small": small}, queries[:1])
    assert found.queries["mean_rank"].isna().all()
    assert (found.queries["reason"] != "").all()
    assert json.loads(json.dumps(found.to_dict()))["queries"][0]["mean_rank"] is None


@pytest.mark.parametrize(
    ("names", "queries", "options", "complaint"),
    [
        (["one"], [("man", "doctor", "woman")], {}, "number 0"),
        (["one"], [], {"method": "all"}, "one of"),
        ([], [], {}, "at least one"),
    ],
)
def test_mean_rank_refuses(hand, names, queries, options, complaint):
    with pytest.raises(ArgumentError, match=complaint):
        analogies.mean_rank(dict.fromkeys(names, hand), queries, **options)


def test_grid_by_hand(hand):
    sizes, deltas = [3, 4, None], [0.5, 0.7, 1.0]
    grid = analogies.vocabulary_grid(hand, *QUERY, vocabularies=sizes, deltas=deltas)
    bound, free = grid.table("constrained"), grid.table()
    assert bound.loc[4].tolist() == ["–", "–", "nurse"]  # at √.72
    assert bound.loc[6].tolist() == ["–", "patient", "nurse"]  # at √.4
    assert free.loc[3].tolist() == ["doctor*"] * 3
    cells = grid.cells.set_index(["n_words", "delta", "setting"])
    cell = cells.loc[(6, 1.0, "unconstrained")]
    assert (cell["n_within"], cell["input"]) == (4, "")
    assert cells.loc[(6, 0.5, "constrained"), "n_within"] == 0  # b alone is within δ
    assert "δ = 0.7" in repr(grid)
    assert "– no word may answer" in repr(grid)
    single = ask(hand, *QUERY, method="bolukbasi", restrict_vocab=4)
    assert listed(single, "bolukbasi", "constrained")["word"].tolist()[0] == "nurse"
    with pytest.raises(ArgumentError, match="6 words"):
        analogies.vocabulary_grid(hand, *QUERY, vocabularies=[7])


# Questions

QUESTIONS = """
: jobs
man doctor woman nurse
man doctor woman patient
man plumber woman nurse

: names
he Ann she Bob
"""


@pytest.fixture
def file(tmp_path):
    path = tmp_path / "questions.txt"
    path.write_text(QUESTIONS, encoding="utf-8")
    return path


def test_accuracy_by_hand(hand, file):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        found = analogies.accuracy(hand, file, method="all", progress=False)
    table = found.categories.set_index(["method", "setting", "category"])
    row, empty = (table.loc[("3cosadd", "constrained", name)] for name in ("jobs", "names"))
    assert row[["n_questions", "n_skipped", "n_correct", "accuracy"]].tolist() == [2, 1, 1, 0.5]
    assert (empty["n_questions"], empty["n_skipped"]) == (0, 1)
    assert np.isnan(empty["accuracy"])
    assert found.summary["macro"].tolist() == [0.5] * 6  # the empty category does not count
    assert found.summary["n_skipped"].tolist() == [2] * 6
    reasons = [f"'{word}' is not in the vectors" for word in ("plumber", "he")]
    assert found.skipped["reason"].tolist() == reasons
    for part in ("macro average", "jobs", "0.500", "–"):
        assert part in repr(found)
    assert len(found.plot().axes) == 3


def test_accuracy_counts_inputs_that_are_answered(hand):
    """Reversed, 3cosadd answers man, which is c of that question."""
    question = {"x": [("woman", "doctor", "man", "patient")]}
    found = analogies.accuracy(hand, question).categories.set_index("setting")
    assert found["answered_c"].tolist() == [1, 0]
    assert found["accuracy"].tolist() == [0, 1]
    near = analogies.accuracy(hand, question, method="bolukbasi", delta=0.1).categories
    assert near["no_answer"].tolist() == [0, 1]
    assert near["answered_b"].tolist() == [1, 0]


def test_questions_that_cannot_be_asked(hand):
    good, same = (*QUERY, "nurse"), ("man", "doctor", "man", "nurse")
    with pytest.warns(DataWarning, match="3 of 4 questions are skipped, .*a and c are the same"):
        found = analogies.accuracy(hand, {"x": [good, same, same, ("man", "x", "woman", "y")]})
    reasons = ["a and c are the same word", "'x' is not in the vectors"]
    assert found.skipped["reason"].tolist()[1:] == reasons
    assert "have a word that is no candidate, or a and c are the same" in repr(found)
    constrained = found.summary.set_index("setting").loc["constrained"]
    assert constrained[["micro", "n_questions", "n_skipped"]].tolist() == [1.0, 1, 3]
    with pytest.raises(QuestionsError, match="beyond") as beyond:
        analogies.accuracy(hand, {"x": [good]}, restrict_vocab=3)
    assert "fallbacks" not in str(beyond.value)
    message = r"questions \(1\) can be asked, the first since a and c are the same word$"
    with pytest.raises(QuestionsError, match=message):
        analogies.accuracy(hand, {"x": [same]})
    capital = {"x": [tuple(word.title() for word in good)]}
    with pytest.raises(QuestionsError, match="fallbacks"):
        analogies.accuracy(hand, capital)
    found = analogies.accuracy(hand, capital, fallbacks=["lower"])
    assert found.summary["macro"].tolist() == [1.0, 1.0]


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("man doctor woman nurse\n", "line 1: stands before any category"),
        (": x\nman doctor woman\n", "line 2: a question is four words"),
        (": x\n", "holds no questions"),
        (":\na b c d\n", "line 1: a category needs a name"),
    ],
)
def test_malformed_files(tmp_path, text, complaint):
    path = tmp_path / "q.txt"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(QuestionsError, match=complaint):
        analogies.read_questions(path)
    with pytest.raises(QuestionsError, match="cannot be read"):
        analogies.read_questions(tmp_path / "none.txt")
    with pytest.raises(QuestionsError, match="not four words"):
        analogies.accuracy(None, {"x": [("a", "b")]})


# Every result shows itself in each format and gives its numbers as plain data

WORDS = ["man", "woman", "king", "queen", "boy", "girl", "a<b", "x_y"]


@pytest.fixture(scope="module")
def shown_vectors():
    rng = np.random.default_rng(1)
    return bb.load_embedding({word: rng.normal(size=8) for word in WORDS})


RESULTS = {
    "analogy": lambda kv: analogies.analogy(kv, "man", "king", "woman", reported="queen"),
    "without an answer": lambda kv: analogies.analogy(
        kv, "man", "king", "woman", delta=1e-6, method="bolukbasi", reported="queen"
    ),
    "pairs": lambda kv: analogies.rank_pairs(kv, "man", "woman", delta=2.0, progress=False),
    "mean ranks": lambda kv: analogies.mean_rank({"one": kv}, [("man", "king", "woman", "queen")]),
    "grid": lambda kv: analogies.vocabulary_grid(
        kv, "man", "king", "woman", deltas=[1e-6, 1.5], vocabularies=[2, None]
    ),
    "accuracy": lambda kv: analogies.accuracy(
        kv,
        {"one": [("man", "king", "woman", "queen")], "none": [("man", "x", "woman", "y")]},
        progress=False,
    ),
}


@pytest.mark.parametrize("name", RESULTS)
def test_a_result_shows_itself(name, shown_vectors):
    found = RESULTS[name](shown_vectors)
    assert isinstance(found, Result)
    shown = repr(found), found._repr_html_(), found.to_markdown(), found.to_latex()
    assert all(text.strip() for text in shown)
    assert "<div" in shown[1]
    assert "a<b" not in shown[1]
    assert r"\begin{tabular}" in shown[3]
    assert len(found.to_frame())
    json.dumps(found.to_dict(), allow_nan=False)
