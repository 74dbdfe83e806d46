"""Arguments of the wrong type: a `BayesBiasError` that names the argument, not a traceback."""

import pytest
from samples import FEW, make_frame

import bayesbias as bb
from bayesbias import classifiers

COLUMNS = {"true": "y", "predicted": "p", "group": "g"}
RULE = bb.DecisionRule(rope=0.5, ci_prob=0.8, ci_kind="eti", scale=99.0)


@pytest.fixture(scope="module")
def fit():
    return bb.fit(make_frame(n_attributes=FEW), "paper", engine="collapsed", draws=500, seed=1)


@pytest.mark.parametrize("method", ["save", "report"])
@pytest.mark.parametrize("path", [None, 3, ["a"]])
def test_what_is_no_path(fit, method, path):
    readers = (bb.read_distances, bb.load_fit, lambda p: bb.run_sweep(p, "out"), bb.check_rules)
    for call in (*readers, lambda p: bb.write_distances(make_frame(), p), getattr(fit, method)):
        with pytest.raises(bb.BayesBiasError, match=type(path).__name__):
            call(path)


def misuses():
    """Arguments of the wrong kind, and what the message must name."""
    kv, pair = bb.example_embedding(), [("she", "he")]
    measures, analogies = bb.measures, bb.analogies
    yield lambda: bb.fit(make_frame(), vectors={"a": [1, 2]}), "vectors: give .*, not dict"
    yield lambda: bb.analyze("file.bin", "gender"), "vectors: give .*, not str"
    yield lambda: measures.weat(kv, None, ["she"], ["a"], ["b"]), "X: give a list of words"
    yield lambda: measures.mac(kv, ["he"], [["a"], ["b"]]), "sets=.*: is a list"
    yield lambda: measures.direct_bias(kv, ["nurse"], pair, strictness="x"), "strictness='x'"
    yield lambda: analogies.accuracy(kv, [("a", "b", "c", "d")]), "questions=.*: is a list"
    yield lambda: analogies.vocabulary_grid(kv, "he", "man", "she", vocabularies=5), "vocabularies"
    yield lambda: bb.debias.multiclass(kv, wordlist="gender", k=1.5), "k=1.5"
    yield lambda: bb.debias.hard(kv, "gender", normalise="no"), "normalise='no'"
    yield lambda: bb.vectors.encode("she", len), "words='she'"
    yield lambda: classifiers.required_n(disparity=".05"), r"disparity='\.05'"
    yield lambda: bb.DecisionRule(scale=-1.0), r"scale=-1\.0"
    yield lambda: bb.load_fit("."), "is a folder"
    two_groups = make_frame().assign(group=lambda f: f["group"].where(f.index > 0, "other"))
    yield lambda: bb.fit(two_groups), "protected word .* is in the groups"


@pytest.mark.parametrize(("call", "message"), [*misuses()])
def test_what_is_of_another_kind(call, message):
    with pytest.raises(bb.BayesBiasError, match=message):
        call()


@pytest.mark.parametrize("options", [{"figsize": "x"}, {"figsize": -1}, {"ax": 3}])
def test_figures_are_of_inches_or_on_axes(fit, options):
    with pytest.raises(bb.BayesBiasError, match=f"{next(iter(options))}="):
        fit.plot_means(**options)


def test_categories_are_texts(fit):
    frame = make_frame(n_attributes=FEW)
    names = frame.select_dtypes(exclude="number").columns
    again = bb.fit(frame.astype(dict.fromkeys(names, "category")), "paper", draws=500, seed=1)
    assert again.contrasts().equals(fit.contrasts())


@pytest.mark.parametrize("value", [None, {}, "d.csv"])
def test_what_is_no_frame_and_no_condition(value):
    for call in (
        bb.fit,
        bb.missing_words,
        lambda frame: bb.write_distances(frame, "d.csv"),
        lambda frame: classifiers.gaps(frame, **COLUMNS),
        lambda frame: classifiers.count_predictions(frame, **COLUMNS),
    ):
        kind = type(value).__name__
        with pytest.raises(bb.BayesBiasError, match=f"{kind}, not a pandas DataFrame"):
            call(value)
    with pytest.raises(bb.BayesBiasError, match=f"before: is a {kind}; give vectors from"):
        bb.compare({"before": value, "after": value})


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"engine": ["nuts"]}, "engine="),
        ({"target_accept": "a"}, "target_accept="),
        ({"draws": True}, "draws="),
        ({"seed": "a"}, "seed="),
        ({"model": None}, "is not a model"),
    ],
)
def test_what_a_fit_cannot_take(options, complaint):
    with pytest.raises(bb.BayesBiasError, match=complaint):
        bb.fit(make_frame(), **options)


@pytest.mark.parametrize("method", ["summary", "contrasts"])
def test_what_answers_cannot_take(fit, method):
    for name, value in (("ci_prob", "a"), ("ci_prob", 2), ("ci_kind", 3)):
        with pytest.raises(bb.BayesBiasError, match=f"{name}="):
            getattr(fit, method)(**{name: value})
    for by in (None, ["a"], "words"):
        with pytest.raises(bb.BayesBiasError, match="by="):
            fit.summary(by)


@pytest.mark.parametrize(("limit", "words"), [("1", "he"), (1.5, 3), (True, [1]), (0, [1])])
def test_what_a_reader_cannot_take(limit, words):
    with pytest.raises(bb.BayesBiasError, match=r"limit=.*: give a whole number of vectors"):
        bb.load_embedding({"he": [1.0]}, limit=limit)
    with pytest.raises(bb.BayesBiasError, match=r"words=.*: give a list of words, such as \['he"):
        bb.load_embedding({"he": [1.0]}, words=words)


def test_a_rule_has_the_interval_of_its_parts_and_the_scale_of_these_vectors(fit):
    by_rule, by_parts, usual = (
        fit.contrasts(**options)
        for options in ({"rule": RULE}, {"ci_prob": 0.8, "ci_kind": "eti"}, {})
    )
    assert fit.rule(RULE).scale == fit.scale[0] != 99.0
    for end in ("low", "high"):
        assert (by_rule[end] == by_parts[end]).all()
        assert (by_rule[end] != usual[end]).all()
    assert set(by_rule["size"]) == {"practically equal"}
    assert set(by_parts["size"]) != {"practically equal"}
    assert fit.to_dict(rule=RULE)["rule"]["ci_prob"] == 0.8
    with pytest.raises(bb.BayesBiasError, match="give rule=, or ci_prob= and ci_kind=, not both"):
        fit.contrasts(rule=RULE, ci_prob=0.5)
    with pytest.raises(
        bb.BayesBiasError, match=r"rule=0.9: is a float; give a bayesbias.DecisionRule"
    ):
        fit.contrasts(rule=0.9)
