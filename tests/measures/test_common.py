"""What every measure of the registry keeps to; a new measure is tested here by being listed."""

import copy
import inspect
import json
import pickle
import re

import numpy as np
import pytest
from planted import planted_embedding
from samples import ROOT

import bayesbias as bb
from bayesbias.errors import BayesBiasError, MissingWordsWarning
from bayesbias.measures import MEASURES
from bayesbias.measures.registry import READS, inputs_of

WORDLIST = bb.load_wordlist("gender")
SMALL = {"neighbour bias": {"k": 20}}


@pytest.fixture(scope="module")
def kv():
    """The words of the gender list, planted, among 1,500 others."""
    planted = planted_embedding(WORDLIST, similarity=0.3, dim=40, seed=1)
    rng = np.random.default_rng(2)
    other = rng.normal(size=(1500, 40)) * np.linalg.norm(planted.vectors, axis=1).mean() / 6
    words = [*planted.index_to_key, *(f"w{i}" for i in range(1500))]
    return bb.load_embedding((words, np.concatenate([planted.vectors, other])))


def calls_of(name):
    """Return what a measure is called with, beside the vectors."""
    return MEASURES[name].calls(inputs_of(None, WORDLIST))[0].arguments


def compute(name, kv, arguments=None, **options):
    """Compute a measure on the gender list, or on its own kind of input."""
    measure = MEASURES[name]
    taken = inspect.signature(measure.function).parameters
    options = {key: n for key, n in (("draws", 100), ("seed", 3)) if key in taken} | options
    arguments = calls_of(name) if arguments is None else arguments
    return measure.function(kv, *arguments, **SMALL.get(name, {}), **options)


def turned(arguments):
    """Return the arguments with the words of every set in the opposite order."""
    return tuple(
        {key: tuple(words)[::-1] for key, words in sets.items()}
        if isinstance(sets, dict)
        else tuple(sets)[::-1]
        for sets in arguments
    )


every_measure = pytest.mark.parametrize("name", list(MEASURES))


def test_every_measure_says_how_to_read_it():
    assert list(READS) == list(MEASURES)


@every_measure
def test_the_order_of_words_does_not_matter(kv, name):
    arguments = calls_of(name)
    first, second = compute(name, kv), compute(name, kv, turned(arguments))
    assert second.value == pytest.approx(first.value, abs=1e-9)
    assert dict(second.by_word) == pytest.approx(dict(first.by_word), abs=1e-9)


@every_measure
def test_turning_the_space_changes_nothing(kv, name):
    """Measures depend on lengths and angles only."""
    rotation = np.linalg.qr(np.random.default_rng(4).normal(size=(40, 40)))[0]
    rotated = bb.load_embedding((kv.index_to_key, kv.vectors.astype(float) @ rotation))
    first, second = compute(name, kv), compute(name, rotated)
    assert second.value == pytest.approx(first.value, abs=1e-5)
    if first.interval:
        assert second.interval == pytest.approx(first.interval, abs=1e-4)


@every_measure
def test_missing_words_are_recorded(kv, name):
    absent = {"uncle", "nurse", "w1"}
    words = [w for w in kv.index_to_key if w not in absent]
    few = bb.load_embedding((words, kv[words]))
    arguments = calls_of(name)
    with pytest.warns(MissingWordsWarning):
        result = compute(name, few, arguments)
    dropped = " ".join(f"{d.word} {d.reason}" for d in result.dropped)
    assert any(word in dropped for word in absent)
    assert "not in the vectors" in dropped
    used = " ".join(word for words in result.words.values() for word in words).split()
    assert not absent & set(used)


@every_measure
def test_results_are_plain_and_show_themselves(kv, name):
    result = compute(name, kv)
    assert (result.measure, bool(result.formula)) == (name, True)
    assert json.loads(json.dumps(result.to_dict(), allow_nan=False))["value"] == result.value
    assert result.to_latex()
    assert result._repr_html_().startswith("<div")
    row = result.to_frame().iloc[0]
    assert (row["measure"], row["value"]) == (name, result.value)
    assert repr(result).startswith(f"{name} = {result.value:.4f}")
    assert copy.deepcopy(result) == pickle.loads(pickle.dumps(result)) == result
    assert (result.p_value is None) == (result.p_method == "none")
    if result.interval is None:
        assert result.interval_method.startswith("none")
    else:
        low, high = result.interval
        assert low < high
        assert low <= result.value <= high or name == "RNSB"  # a divergence is biased upwards
        assert "95%" in result.interval_method


@every_measure
def test_the_same_seed_gives_the_same_result(kv, name):
    measure = MEASURES[name].function
    if "seed" not in inspect.signature(measure).parameters:
        assert compute(name, kv).to_dict() == compute(name, kv).to_dict()
        return
    first, second = compute(name, kv, seed=7), compute(name, kv, seed=7)
    assert first.to_dict() == second.to_dict()
    assert first.seed == 7
    chosen = compute(name, kv, seed=None)
    assert chosen.to_dict() == compute(name, kv, seed=chosen.seed).to_dict()
    with pytest.raises(BayesBiasError, match="seed=-1"):
        compute(name, kv, seed=-1)


@every_measure
def test_a_measure_names_its_source_and_has_a_row_of_the_page(name):
    measure = MEASURES[name]
    text = inspect.getdoc(measure.function) + inspect.getmodule(measure.function).__doc__
    assert all(part in text for part in re.findall(r"[A-Z]\w+|\d{4}", measure.source))
    page = (ROOT / "docs" / "measures.md").read_text(encoding="utf-8")
    assert f"| `{measure.function.__name__}` |" in page
