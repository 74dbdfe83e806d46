"""What users brought that failed: each kind from the file to the sentence that they read.

The parts are tested where they are; here is the way that a user goes, in the command or in Python.
"""

import json
import pickle
import re
import warnings

import arviz as az
import numpy as np
import pandas as pd
import pytest
from gensim.models import FastText, Word2Vec
from gensim.models.fasttext import save_facebook_model

import bayesbias as bb
from bayesbias.cli import main
from bayesbias.errors import DataWarning, DistancesError, EmbeddingError, MissingWordsWarning

LIST = {
    "title": "Trades",
    "source": "made",
    "language": "xx",
    "protected": {"men": ["kona", "kira", "kulo"], "women": ["tuma", "tela", "tiro"]},
    "associated": {"men": ["trades"], "women": ["home"]},
    "attributes": {
        "trades": ["sola", "sima", "sura", "selo"],
        "home": ["mita", "mela", "muno", "mori"],
    },
    "controls": {},
}
WORDS = [w for table in ("protected", "attributes") for ws in LIST[table].values() for w in ws]
OTHERS = [a + b + c for a in ("ba", "de", "fo", "gu") for b in ("la", "re", "no") for c in "xyzvwq"]
DIM = 8


@pytest.fixture(scope="module")
def rows():
    """Vectors of the list's words and of 300 others, in which men are nearer to trades."""
    rng = np.random.default_rng(5)
    others = [f"{word}{end}" for word in OTHERS for end in ("an", "en", "in", "on", "un")][:300]
    found = {w: rng.standard_normal(DIM) + 0.3 for w in [*others[:40], *WORDS, *others[40:]]}
    axis = rng.standard_normal(DIM)
    for word in WORDS:
        found[word] += axis if word[0] in "ks" else -axis
    return {word: np.round(vector, 3).astype("<f4") for word, vector in found.items()}


@pytest.fixture
def place(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "l.json").write_text(json.dumps(LIST))
    return tmp_path


def text(rows, *, n=None):
    lines = [f"{word} {' '.join(map(str, vector.tolist()))}" for word, vector in rows.items()]
    return "\n".join([f"{len(rows) if n is None else n} {DIM}", *lines, ""]).encode()


def said(capsys, *typed, code=0):
    """Run a command; return what it prints, as one line, and what it notes."""
    capsys.readouterr()
    try:
        found = main([str(word) for word in typed])
    except SystemExit as stop:
        found = stop.code
    output = capsys.readouterr()
    assert found == code, output.err
    return " ".join(output.out.split()), " ".join(output.err.split())


def answers(capsys, file, *options):
    """Return the sentences of an analysis and the numbers of its contrasts."""
    out, _ = said(capsys, "analyze", file, "--wordlist", "l.json", "--json", *options)
    content = json.loads(out)
    rows = content["contrasts"]["connection"]["table"]
    return content["answers"], [row["mean"] for row in rows]


@pytest.fixture(scope="module")
def expected(rows):
    fit = bb.fit(bb.distances(bb.load_embedding(rows), LIST), seed=1)
    return fit.contrasts().table["mean"].tolist()


def test_one_answer_for_a_file_and_for_python(rows, expected, place, capsys):
    (place / "v.txt").write_bytes(text(rows))
    sentences, means = answers(capsys, "v.txt")
    assert sentences
    assert means == pytest.approx(expected)
    assert answers(capsys, "v.txt", "--limit", "120")[1] == pytest.approx(expected)
    said(capsys, "convert", "v.txt", "store")
    assert answers(capsys, "store")[1] == pytest.approx(expected)


def test_where_no_words_tell_how_alike_attributes_are_fit_terminal_and_page_say_so(
    rows, place, capsys
):
    alone = {word: rows[word] for word in WORDS}
    note = "Attributes count as unrelated: the vectors come with fewer than 200 words beside"
    fit = bb.fit(bb.distances(bb.load_embedding(alone), LIST), seed=1)
    assert any(one.startswith(note) for one in fit.notes)
    bb.write_report(fit, place / "page.html")
    assert note in " ".join((place / "page.html").read_text(encoding="utf-8").split())
    (place / "v.txt").write_bytes(text(alone))
    out, _ = said(capsys, "analyze", "v.txt", "--wordlist", "l.json", "--out", "o", "--report")
    assert note in out
    assert note in " ".join((place / "o" / "report.html").read_text(encoding="utf-8").split())
    whole = bb.fit(bb.distances(bb.load_embedding(rows), LIST), seed=1)
    bb.write_report(whole, place / "whole.html")
    assert "count as unrelated" not in (place / "whole.html").read_text(encoding="utf-8")


def test_a_header_of_one_row_too_many(rows, expected, place, capsys):
    (place / "v.vec").write_bytes(text(rows, n=len(rows) + 1))
    note = f"the header promises {len(rows) + 1} vectors and the file has {len(rows)}, all whole"
    assert note in said(capsys, "wordlists", "check", "l.json", "--embedding", "v.vec")[1]
    assert note in said(capsys, "convert", "v.vec", "store")[1]
    assert answers(capsys, "v.vec")[1] == pytest.approx(expected)
    with pytest.warns(DataWarning, match=note):
        assert len(bb.load_embedding("v.vec", limit=len(rows))) == len(rows)


def test_zero_vectors_are_missing_words(rows, place, capsys):
    zero = rows | {word: np.zeros(DIM, dtype="<f4") for word in ("kira", "mela")}
    (place / "v.txt").write_bytes(text(zero))
    out, _ = said(capsys, "analyze", "v.txt", "--wordlist", "l.json", "--model", "paper")
    assert "missing protected words of men (1): kira" in out
    assert "missing attribute words of home (1): mela" in out
    pairs = {"defining_sets": [["kona", "tuma"], ["kira", "tela"], ["kulo", "tiro"]]}
    (place / "pairs.json").write_text(json.dumps(LIST | pairs))
    out, _ = said(
        capsys, "debias", "hard", "v.txt", "o.bin", "--wordlist", "pairs.json", "--all-words"
    )
    assert "left out: kira, tela (kira: its vector is zero, as those of absent words are" in out
    assert "zero vectors, which stay zero: 'kira', 'mela'" in out


def test_bytes_that_are_no_text_stop_no_command(rows, place, capsys):
    (place / "v.txt").write_bytes(text(rows).replace(b"balaxan", b"b\xe2\x80"))
    for typed in (("analogy", "v.txt", "kona", "sola", "tuma"), ("convert", "v.txt", "store")):
        _, notes = said(capsys, *typed)
        assert "1 word is not UTF-8 and left out (the first is vector 1," in notes
        assert "such as --encoding latin-1" in notes
        assert "words=" not in notes
        assert "Ellipsis" not in notes


def test_words_with_a_language_before_them(rows, expected, place, capsys):
    (place / "v.txt").write_bytes(text({f"/c/xx/{word}": v for word, v in rows.items()}))
    _, error = said(capsys, "analyze", "v.txt", "--wordlist", "l.json", code=2)
    assert "the vectors have 'kona' as '/c/xx/kona', 'kira' as '/c/xx/kira'" in error
    assert "; --strip /c/xx/ takes them" in error
    assert answers(capsys, "v.txt", "--strip", "/c/xx/")[1] == pytest.approx(expected)


@pytest.fixture
def people(place):
    rng = np.random.default_rng(2)
    frame = pd.DataFrame(
        {
            "sex": rng.choice(["women", "men"], 200),
            "region": rng.choice(["North", "South", "West"], 200),
            "y": rng.integers(0, 2, 200),
            "p": rng.integers(0, 2, 200),
        }
    )
    frame.to_csv(place / "p.csv", index=False)
    return ("classifier", "gaps", "p.csv", "--true", "y", "--pred", "p")


def test_two_columns_of_groups_are_crossed_and_no_option_is_lost(people, capsys):
    out, _ = said(capsys, *people, "--group", "sex", "--group", "region")
    assert re.search(r"women, North − (wo)?men, \w+ \d+ \d+", out)
    _, error = said(capsys, *people, "--group", "sex", "--true", "p", code=2)
    assert "--true is given twice, as y and as p" in error


def test_one_woman_and_one_man_are_undecided(place, capsys):
    (place / "two.csv").write_text("g,y,p\nwomen,1,1\nmen,1,0\n")
    typed = ("classifier", "gaps", "two.csv", "--true", "y", "--pred", "p", "--group", "g")
    out, _ = said(capsys, *typed, "--json")
    content = json.loads(out)
    assert {row["verdict"] for row in content["gaps"]} == {"undecided", "undefined"}
    assert {row["n"] for row in content["gaps"] if row["verdict"] == "undecided"} == {1}
    assert "n n ref." in said(capsys, *typed)[0]


def test_every_pair_of_groups_and_ratios(people, capsys):
    out, _ = said(capsys, *people, "--group", "region")
    assert "Largest gap of any two groups" in out
    assert "Ratios of GP: metric class ratio n n ref. lower / higher 89% interval" in out
    assert "Four fifths rule:" in out


def test_a_model_of_gensim_is_asked_for_its_vectors():
    model = Word2Vec([WORDS] * 5, vector_size=4, min_count=1, workers=1, seed=1)
    with pytest.raises(DistancesError, match=r"not Word2Vec; pass its \.wv"):
        bb.distances(model, LIST)
    assert len(bb.distances(bb.load_embedding(model), LIST)) == 48


def test_a_table_of_parts_of_words(place, capsys):
    (place / "v.floret").write_text("9 3 2 5 2 2166136261 < >\n0 .1 .2 .3\n1 .2 .3 .4\n")
    _, error = said(capsys, "analyze", "v.floret", "--wordlist", "l.json", code=2)
    assert "is a floret table" in error
    assert "spacy init vectors --mode floret" in error


@pytest.mark.parametrize("kind", ["csv", "tsv", "json", "npz"])
def test_tables_of_vectors(kind, rows, expected, place, capsys):
    frame = pd.DataFrame(list(rows.values()), index=list(rows))
    file = f"v.{kind}"
    if kind == "npz":
        np.savez(file, words=np.array(list(rows)), vectors=frame.to_numpy())
    elif kind == "json":
        (place / file).write_text(json.dumps({w: v.tolist() for w, v in rows.items()}))
    else:
        frame.to_csv(file, sep="," if kind == "csv" else "\t")
    assert answers(capsys, file)[1] == pytest.approx(expected)


def test_numbers_without_words(place, capsys):
    (place / "vecs.tsv").write_text("0.5\t1.5\t2.5\n0.1\t0.2\t0.3\n")
    _, error = said(capsys, "analyze", "vecs.tsv", "--wordlist", "l.json", code=2)
    assert "the rows have no words" in error


def test_lists_as_json_text_files_and_python(rows, place, capsys):
    sets = [*LIST["protected"].values(), *LIST["attributes"].values()]
    four = dict(zip(("targ1", "targ2", "attr1", "attr2"), sets, strict=True))
    (place / "four.json").write_text(json.dumps(four | {"language": "xx"}))
    (place / "v.txt").write_bytes(text(rows))
    out, _ = said(capsys, "analyze", "v.txt", "--wordlist", "four.json", "--model", "paper")
    assert "associated − different" in out
    files = []
    for name, words in zip("XYAB", sets, strict=True):
        (place / f"{name}.txt").write_text("\n".join(words))
        files.append(f"{name}.txt")
    out, _ = said(capsys, "wordlists", "import", *files, "--out", "four.toml")
    assert "X (3 from 'kona' on) with A (4 from 'sola' on)" in out
    assert bb.load_wordlist("four.toml").words[:6] == bb.load_wordlist(sets).words[:6]


def test_a_set_that_is_nobodys_and_other_names_of_a_word(rows, place, capsys):
    attributes = LIST["attributes"] | {"nobody": ["baraxan", "CEO", *list(rows)[:3]]}
    third = LIST | {"attributes": attributes, "aliases": {"CEO": ["absent", list(rows)[5]]}}
    (place / "third.json").write_text(json.dumps(third))
    (place / "v.txt").write_bytes(text(rows))
    out, _ = said(capsys, "analyze", "v.txt", "--wordlist", "third.json")
    assert "missing attribute words of nobody (1): baraxan" in out
    assert re.search(r"nobody men women between groups [-+]0\.\d+", out)
    out, _ = said(capsys, "measures", "v.txt", "--wordlist", "third.json")
    assert "MAC" in out
    with pytest.warns(MissingWordsWarning):
        frame = bb.distances(bb.load_embedding(rows), third)
    fit = bb.fit(frame, seed=1)
    table = fit.contrasts("group", sets=("trades", "nobody")).table
    assert set(table["group"]) == {"men", "women"}


def test_arviz_compares_two_models(rows):
    frame = bb.distances(bb.load_embedding(rows), LIST)
    found = bb.compare_models(frame, ["maximal", "paper"], seed=1)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # ArviZ's, of few pairs and of pandas
        assert set(az.compare(found.idata).index) == {"maximal", "paper"}
    assert "compare_models" in type(found.fits["paper"]).idata.__doc__


def test_a_pickle_of_another_package(rows, place, capsys):
    (place / "m.pkl").write_bytes(pickle.dumps(rows))
    typed = ("analyze", "m.pkl", "--wordlist", "l.json")
    _, error = said(capsys, *typed, code=2)
    assert "is a pickle that gensim did not write" in error
    assert "--trusted" not in error  # it would not help
    _, error = said(capsys, *typed, "--trusted", code=2)
    assert "another package wrote it" in error
    assert "mapping" not in error
    with pytest.raises(EmbeddingError, match=r"pass bb\.load_embedding a mapping") as caught:
        bb.load_embedding("m.pkl", trusted=True)
    assert "UnpicklingError" not in str(caught.value)


def test_phrases_are_hinted_at_and_joined(rows, place, capsys):
    phrases = dict(LIST, attributes=LIST["attributes"] | {"home": ["mita", "mela", "de la casa"]})
    (place / "phrases.json").write_text(json.dumps(phrases))
    (place / "v.txt").write_bytes(text(rows | {"de_la_casa": rows["muno"]}))
    typed = ("wordlists", "check", "phrases.json", "--embedding", "v.txt")
    out, _ = said(capsys, *typed)
    assert "the vectors have 'de la casa' as 'de_la_casa'; --fallback underscore takes them" in out
    assert "de la casa as de_la_casa" in said(capsys, *typed, "--fallback", "underscore")[0]
    parts = rows | dict.fromkeys(("de", "la", "casa"), rows["muno"])
    (place / "v.txt").write_bytes(text(parts))
    assert "missing" not in said(capsys, *typed, "--fallback", "mean")[0]


def test_a_model_of_fasttext(place, capsys):
    trained = {"vector_size": 6, "min_count": 1, "bucket": 50, "epochs": 1, "workers": 1}
    model = FastText([WORDS] * 9, seed=1, **trained)
    save_facebook_model(model, "ft.bin")
    more = dict(LIST, attributes=LIST["attributes"] | {"home": ["mita", "mela", "mitamela"]})
    (place / "more.json").write_text(json.dumps(more))
    typed = ("analyze", "ft.bin", "--wordlist", "more.json", "--model", "paper")
    assert "missing attribute words of home (1): mitamela" in said(capsys, *typed)[0]
    assert "mitamela" not in said(capsys, *typed, "--subwords")[0]
