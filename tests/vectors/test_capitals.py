"""Names in vectors of lower-case text are found, whichever way the vectors come in."""

import gzip
import json
import warnings

import numpy as np
import pandas as pd
import pytest
from samples import quick_embeddings

import bayesbias as bb
from bayesbias.cli import main
from bayesbias.errors import BayesBiasWarning, WordListError
from bayesbias.pairs.case import case_sentence, in_lower_case
from bayesbias.pairs.conditions import paired
from bayesbias.pairs.distance_frame import vocabulary_coverage
from bayesbias.pairs.word_lists import AttributeSet, ProtectedGroup, WordList
from bayesbias.report import write_report
from bayesbias.support.readers import PYTHON
from bayesbias.vectors.loading import load_words
from bayesbias.vectors.lookup import find_words
from bayesbias.vectors.sources import capitals_of

NAMES = WordList(
    "names",
    "",
    "",
    (
        ProtectedGroup("first", ("Anna", "Émile", "Will"), ("home",)),
        ProtectedGroup("second", ("Omar", "Ivy"), ("work",)),
    ),
    (AttributeSet("home", "stereotype", ("oven",)), AttributeSet("work", "stereotype", ("saw",))),
)
TEXT = ["the", "anna", "émile", "will", "omar", "ivy", "oven", "saw", "of", "in", "as", "an"]
LOWER = [*TEXT, *(f"w{i}" for i in range(2000))]
CASED = [*LOWER[:500], "The", "Of", "In", "Monday", *LOWER[500:]]


def vectors_of(words):
    rng = np.random.default_rng(5)
    return dict(zip(words, rng.standard_normal((len(words), 4)).astype("float32"), strict=True))


def _text(words, place):
    rows = (f"{w} {' '.join(map(str, v))}" for w, v in vectors_of(words).items())
    path = place / "v.txt.gz"
    path.write_bytes(gzip.compress("\n".join(rows).encode()))
    return path


def _binary(words, place):
    path = place / "v.bin"
    bb.load_embedding(vectors_of(words)).save_word2vec_format(str(path), binary=True)
    return path


def _store(words, place):
    bb.vectors.convert_embedding(_text(words, place), place / "v.bbv")
    return place / "v.bbv"


def _frame(words, place):
    return pd.DataFrame.from_dict(vectors_of(words), orient="index")


class Vocabulary:
    """Stands for a vocabulary of spaCy."""

    vectors_length = 4

    def __init__(self, words):
        self.rows = vectors_of(words)
        self.strings = self.rows and {w: w for w in words}
        self.vectors = self.rows

    def has_vector(self, word):
        return word in self.rows

    def get_vector(self, word):
        return self.rows[word]


WAYS = {
    "text": _text,
    "binary": _binary,
    "store": _store,
    "frame": _frame,
    "mapping": lambda words, place: vectors_of(words),
    "arrays": lambda words, place: (words, np.array(list(vectors_of(words).values()))),
    "keyed vectors": lambda words, place: bb.load_embedding(vectors_of(words)),
    "spaCy": lambda words, place: Vocabulary(words),
}


def frames_of(source, way, **options):
    """Yield the frame of vectors that were loaded whole, and of those of the list's words."""
    for chosen in ({}, {"words": NAMES.words}):
        if chosen or way != "spaCy":
            yield bb.distances(bb.load_embedding(source, **chosen, **options), NAMES)


@pytest.mark.parametrize("way", WAYS)
def test_names_are_found_in_lower_case_where_there_are_no_capitals(way, tmp_path):
    for frame in frames_of(WAYS[way](LOWER, tmp_path), way):
        assert set(frame["protected_word"]) == {"Anna", "Émile", "Will", "Omar", "Ivy"}
        assert in_lower_case(frame) == ["Anna", "Émile", "Will", "Omar", "Ivy"]
        assert f"(0 of {len(LOWER):,} words)" in case_sentence(frame)


@pytest.mark.parametrize("way", WAYS)
def test_names_are_missing_where_there_are_capitals(way, tmp_path):
    source = WAYS[way](CASED, tmp_path)
    for chosen in ({}, {"words": NAMES.words}):
        if way == "spaCy" and not chosen:
            continue
        vectors = bb.load_embedding(source, **chosen)
        assert "anna" not in (vectors.key_to_index if chosen and way != "keyed vectors" else ())
        with pytest.raises(WordListError, match="'first' has none of its protected words"):
            bb.distances(vectors, NAMES)


def test_the_fact_is_that_of_the_words_within_the_limit(tmp_path):
    path = _text(CASED, tmp_path)
    frame = bb.distances(bb.load_embedding(path, words=NAMES.words, limit=400), NAMES)
    assert "(0 of 400 words)" in case_sentence(frame)
    with pytest.raises(WordListError):
        bb.distances(bb.load_embedding(path, words=NAMES.words, limit=600), NAMES)
    store = tmp_path / "v.bbv"
    bb.vectors.convert_embedding(path, store)
    frame = bb.distances(bb.load_embedding(store, words=NAMES.words, limit=400), NAMES)
    assert "(0 of 400 words)" in case_sentence(frame)


def test_marks_with_capitals_do_not_make_text_cased():
    """A lower-cased vocabulary may have ``<UNK>``; one word in a thousand is more than marks."""
    frame = bb.distances(bb.load_embedding(vectors_of([*LOWER, "<UNK>"])), NAMES)
    assert "next to no capital letters (1 of 2,013 words)" in case_sentence(frame)
    with pytest.raises(WordListError):
        bb.distances(bb.load_embedding(vectors_of([*LOWER, "<UNK>", "URL", "The"])), NAMES)


def test_text_lower_cased_from_a_to_z_alone():
    """Older tools leave Ä and Я as they are: names in A to Z are found, others are not."""
    words = [*LOWER, *(f"Ä{i}" for i in range(20)), *(f"Я{i}" for i in range(20))]
    found = find_words(bb.load_embedding(vectors_of(words)), ["Anna", "Émile"])
    assert found == {"Anna": "anna", "Émile": None}


def test_fallbacks_are_tried_besides_the_default(tmp_path):
    words = ["isveç", "\u0131rmak", "new_york", *LOWER]
    rows = vectors_of(words)
    path = tmp_path / "v.txt"
    lines = (f"{word} {' '.join(map(str, vector))}" for word, vector in rows.items())
    path.write_text("\n".join(lines), encoding="utf-8")
    asked = {"İsveç": "isveç", "Irmak": "\u0131rmak", "Anna": "anna", "New York": "new_york"}
    for fallbacks in (["underscore"], ["underscore", "lower"], ["title", "underscore"]):
        for source in (path, rows):
            vectors = bb.load_embedding(source, words=list(asked), fallbacks=fallbacks)
            assert find_words(vectors, asked, fallbacks=fallbacks) == asked
    cased = bb.load_embedding(vectors_of([*words, *(f"W{i}" for i in range(9))]))
    assert not any(find_words(cased, asked, fallbacks=["underscore"]).values())
    frame = bb.distances(bb.load_embedding(rows), NAMES, fallbacks=["underscore"])
    assert in_lower_case(frame) == ["Anna", "Émile", "Will", "Omar", "Ivy"]


def test_none_replaces_the_default():
    vectors = bb.load_embedding(vectors_of(LOWER))
    for fallbacks in ([], (), ["none"], ["none", "underscore"]):
        with pytest.raises(WordListError, match="'first' has none"):
            bb.distances(vectors, NAMES, fallbacks=fallbacks)
    asked = bb.distances(vectors, NAMES, fallbacks=["lower"])
    assert in_lower_case(asked) == []
    assert set(asked["protected_word"]) == {"Anna", "Émile", "Will", "Omar", "Ivy"}


def test_a_word_on_the_list_in_lower_case_has_its_vector_first():
    both = (ProtectedGroup("first", ("Will", "will", "Anna"), ("home",)), NAMES.groups[1])
    twice = WordList("twice", "", "", both, NAMES.attribute_sets)
    table = vocabulary_coverage(bb.load_embedding(vectors_of(LOWER)), twice).table.set_index("word")
    assert table.loc["will", "found_as"] == "will"
    assert table.loc["Will", "reason"] == "'will' is already used for 'will'"


def test_reading_stops_as_before_and_only_lists_with_capitals_go_on(tmp_path):
    path = _text(LOWER, tmp_path)
    early = bb.load_embedding(path, words=["anna", "the"])
    assert capitals_of(early).n_words == 2
    assert capitals_of(bb.load_embedding(path, words=["Anna"])).n_words == len(LOWER)
    quick = load_words(str(path), words=["Anna"])
    assert (quick.index_to_key, capitals_of(quick).n_words) == (["anna"], len(LOWER))


def test_debiased_vectors_come_from_the_same_vocabulary(tmp_path):
    """Of a list's words alone nobody could tell that the file has capitals."""
    path = _text([*CASED, "he", "she"], tmp_path)
    subset = bb.load_embedding(path, words=["he", "she", "will", "oven", "saw"])
    done = bb.debias.hard(subset, defining_sets=[("he", "she")], neutralise=["oven"]).vectors
    assert find_words(done, ["Will"]) == {"Will": None}
    assert capitals_of(done) == capitals_of(subset)


def test_where_it_cannot_be_known_the_error_says_what_to_give():
    class Parts(Vocabulary):
        """Makes vectors of parts of words, so that it lists none."""

        def __init__(self, words):
            super().__init__(words)
            self.vectors = {}

    vectors = bb.load_embedding(Parts(LOWER), words=NAMES.words)
    with pytest.raises(WordListError, match=r"cannot be known.*fallbacks=\['lower'\]"):
        bb.distances(vectors, NAMES)
    loaded = bb.load_embedding(Parts(LOWER), words=NAMES.words, fallbacks=["lower"])
    assert len(bb.distances(loaded, NAMES, fallbacks=["lower"])) == 10


def test_words_that_cased_vectors_have_in_lower_case_alone_are_named():
    vectors = bb.load_embedding(vectors_of([*CASED, "Émile", "Omar", "Anna"]))
    with pytest.warns(BayesBiasWarning, match=r"2 words found only in lower case \(Will, Ivy\)"):
        bb.distances(vectors, NAMES)


def test_measures_take_the_same_words():
    vectors = bb.load_embedding(vectors_of(LOWER))
    result = bb.measures.weat(vectors, ["Anna"], ["Omar"], ["oven"], ["saw"])
    assert not result.dropped
    assert result.value == bb.measures.weat(vectors, ["anna"], ["omar"], ["oven"], ["saw"]).value


def test_fit_and_page_say_so(tmp_path, undrawn):
    source = vectors_of(LOWER)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", BayesBiasWarning)
        fit = bb.fit(bb.distances(bb.load_embedding(source), NAMES), "paper", seed=1)
    said = "The vectors have no capital letters (0 of 2,012 words): 5 words were looked up"
    assert any(said in note for note in fit.notes)
    assert fit.record["source"]["lower_case"] == ("Anna", "Émile", "Will", "Omar", "Ivy")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", BayesBiasWarning)
        write_report(fit, tmp_path / "r.html")
    assert said in (tmp_path / "r.html").read_text(encoding="utf-8")
    fit.save(tmp_path / "f.nc")
    assert any(said in note for note in bb.load_fit(tmp_path / "f.nc").notes)


LIST = """title = "Names"
source = "none"

[protected]
first = ["Anna", "Will"]
second = ["Omar", "Ivy"]

[attributes]
home = ["oven"]
work = ["saw"]

[associated]
first = ["home"]
second = ["work"]

[controls]
"""


@pytest.fixture
def given(tmp_path):
    """What commands are given: the vectors of lower-case text, and a list of names."""
    (tmp_path / "names.toml").write_text(LIST, encoding="utf-8")
    return [str(_text(LOWER, tmp_path)), "--wordlist", str(tmp_path / "names.toml")]


def test_commands_say_so_and_name_their_own_option(given, capsys):
    path, _, wordlist = given
    given = [*given, "--model", "paper"]
    assert main(["analyze", *given]) == 0
    said = capsys.readouterr().out
    assert "looked up in lower case (4): Anna, Will, Omar, Ivy" in said
    assert "no capital letters (0 of 2,012 words): 4 words were looked up in lower case" in said
    assert main(["wordlists", "check", wordlist, "--embedding", path]) == 0
    assert "found in another spelling: Anna as anna" in capsys.readouterr().out
    assert main(["analyze", *given, "--fallback", "none"]) == 2
    error = capsys.readouterr().err
    assert "'Anna' as 'anna', " in error
    assert "--fallback lower takes them" in error
    assert "fallbacks=" not in error


IN_LOWER_CASE = "4 words were looked up in lower case (Anna, Will, Omar, Ivy)."


@pytest.mark.filterwarnings("ignore::bayesbias.errors.BayesBiasWarning")
def test_comparisons_say_of_which_vectors(given, tmp_path, capsys):
    rng = np.random.default_rng(1)
    rows = {word: row + 0.1 * rng.standard_normal(4) for word, row in vectors_of(LOWER).items()}
    rows |= {"Omar": rows.pop("omar")}
    bb.load_embedding(rows).save_word2vec_format(str(tmp_path / "other.bin"), binary=True)
    frames = [bb.distances(bb.load_embedding(given[0]), given[2])] * 2
    pairs, _ = paired(*frames)
    assert case_sentence(pairs).startswith(f"Before and after, {NONE}: {IN_LOWER_CASE} A name")
    model = str(quick_embeddings(tmp_path))
    asked = ["compare", given[0], str(tmp_path / "other.bin"), *given[1:], "--model", model]
    asked += ["--embeddings", "--names", "one,other"]
    assert main(asked) == 0
    said = capsys.readouterr().out
    assert f'In "one", {NONE}: {IN_LOWER_CASE} In "other", the vectors have next to no ' in said
    out = tmp_path / "out"
    assert main([*asked, "--out", str(out), "--report", "--json"]) == 0
    of_json = json.loads(capsys.readouterr().out)["notes"]
    assert of_json == json.loads((out / "manifest.json").read_text(encoding="utf-8"))["notes"]
    assert any(IN_LOWER_CASE in note for note in of_json)
    assert IN_LOWER_CASE in (out / "report.html").read_text(encoding="utf-8")


@pytest.mark.filterwarnings("ignore::bayesbias.errors.BayesBiasWarning")
def test_rules_sweeps_and_measures_say_so(given, tmp_path, capsys, undrawn):
    path, _, wordlist = given
    rule = '[rules.a]\ncontrast = "associated - different"\nat_most = 0.5\nmodel = "paper"\n'
    rules, sweep = tmp_path / "rules.toml", tmp_path / "sweep.toml"
    rules.write_text(f'vectors = "{path}"\nwordlist = "{wordlist}"\n{rule}', encoding="utf-8")
    main(["check", str(rules), "--json"])
    (row,) = json.loads(capsys.readouterr().out)["table"]
    text = f'models = ["paper"]\nwordlists = ["{wordlist}"]\n[embeddings]\na = "{path}"\n'
    sweep.write_text(text, encoding="utf-8")
    table = bb.sweep.run_sweep(sweep, tmp_path / "out", progress=False).table
    vectors = bb.load_embedding(path)
    measures = bb.measures.all_measures(vectors, wordlist, names=["MAC"], seed=1)
    of_frame = bb.measures.all_measures(bb.distances(vectors, wordlist), names=["MAC"], seed=1)
    told = row["notes"], *table["notes"], *measures.notes, *of_frame.notes, repr(measures)
    for said in told:
        assert f"{NONE.replace('the', 'The', 1)}: {IN_LOWER_CASE}" in said
    cased = bb.load_embedding(vectors_of([*CASED, "Anna", "Omar"]))
    assert bb.measures.all_measures(cased, wordlist, names=["MAC"], seed=1).notes == ()


NONE = "the vectors have no capital letters (0 of 2,012 words)"


@pytest.mark.filterwarnings("ignore::bayesbias.errors.BayesBiasWarning")
def test_advice_is_about_the_words_that_a_message_names(tmp_path, capsys, undrawn):
    """Names in lower case were to be found as titles, for the sake of more words of the controls.

    A sweep's notes and reasons have the keys of its file.
    """
    cities = [f"city{number}" for number in range(9)]
    vectors = tmp_path / "v.bin"
    rows = vectors_of(
        [*LOWER, "Pat", "Sam", *map(str.title, cities), *(f"W{n}" for n in range(99))]
    )
    bb.load_embedding(rows).save_word2vec_format(str(vectors), binary=True)
    names, others = tmp_path / "names.toml", tmp_path / "others.toml"
    controls = f"[controls]\nneutral = {cities}\n"
    names.write_text(LIST.replace("[controls]\n", controls), encoding="utf-8")
    text = names.read_text(encoding="utf-8").replace('"Anna", "Will"', '"Pat", "anna"')
    others.write_text(text.replace('"Omar", "Ivy"', '"Sam", "ivy"'), encoding="utf-8")
    assert main(["analyze", str(vectors), "--wordlist", str(names), "--model", "paper"]) == 2
    error = capsys.readouterr().err
    assert "the vectors have 'Anna' as 'anna', 'Will' as 'will'; --fallback lower takes" in error
    sweep = tmp_path / "sweep.toml"
    lists = f'wordlists = ["{names}", "{others}"]\n'
    sweep.write_text(f'models = ["paper"]\n{lists}[embeddings]\na = "{vectors}"\n')
    found = bb.sweep.run_sweep(sweep, tmp_path / "out", progress=False)
    (reason,) = found.failures["reason"]
    assert reason.endswith("""'Will' as 'will'; fallbacks = ["lower"] takes them""")
    note = found.table["notes"].iloc[0]
    assert """and 6 more; fallbacks = ["title"] takes them""" in note
    for said in (reason, note):
        assert not PYTHON.search(said)


@pytest.mark.parametrize("name", ["glove-6b-13k-50d.txt.gz", "glove-twitter-12k-25d.txt.gz"])
@pytest.mark.filterwarnings("ignore::bayesbias.errors.BayesBiasWarning")
@pytest.mark.parametrize("list_name", ["weat3", "weat4", "weat5", "weat6", "names"])
def test_shipped_names_in_real_lower_case_vectors(name, list_name, data):
    """No name is missing whose lower-case form is in the file."""
    wordlist = bb.load_wordlist(list_name)
    path = data / "embeddings" / name
    whole = bb.load_embedding(path)
    there = [word for word in wordlist.words if word.lower() in whole.key_to_index]
    found = vocabulary_coverage(bb.load_embedding(path, words=wordlist.words), wordlist).table
    assert set(found.loc[found["found_as"] != "", "word"]) == set(there)
    assert vocabulary_coverage(whole, wordlist).table.equals(found)
