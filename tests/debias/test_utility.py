"""What debiasing costs: files of questions, paired errors, and the result that says it."""

import json

import numpy as np
import pandas as pd
import pytest
from samples import remember
from scipy.stats import spearmanr

import bayesbias as bb
from bayesbias import debias
from bayesbias.cli import main
from bayesbias.debias.cost import error_of
from bayesbias.debias.judgements import read_judgements
from bayesbias.errors import ArgumentError, QuestionsError
from bayesbias.studies import change


@pytest.mark.parametrize(
    "text",
    [
        "# The collection\n# Word 1\tWord 2\tHuman (mean)\nold\tnew\t1.58\nsun shine\tday\t9\n",
        "Word 1,Word 2,Human (mean)\nold,new,1.58\n\nsun shine,day,9.0\n",
        "word1\tword2\tPOS\tSimLex999\tconc(w1)\nold\tnew\tA\t1.58\t2\nsun shine\tday\tN\t9\t1\n",
    ],
)
def test_similarity_files_as_they_are_published(tmp_path, text):
    path = tmp_path / "pairs.txt"
    path.write_text(text, encoding="utf-8")
    assert read_judgements(path) == [("old", "new", 1.58), ("sun shine", "day", 9.0)]
    path.write_text("sun day 49.000000\ncat dog 3\n", encoding="utf-8")
    assert read_judgements(path) == [("sun", "day", 49.0), ("cat", "dog", 3.0)]


@pytest.mark.parametrize(
    ("text", "match"),
    [
        ("", "holds no pairs"),
        ("a b\n", "holds no pairs"),
        ("a b c\nd e f\n", "line 2: is not two words and a number: 'd e f'"),
        ("a\tb\t1\nc\td\tx\n", "line 2: is not two words and a number in column 3"),
        ("a\tb\t1\nc\td\n", "line 2"),
        ("a\tb\tnan\nc\td\tinf\n", "line 2"),
        ("a\tb\t1\n\td\t2\n", "line 2"),
    ],
)
def test_files_that_hold_no_judgements(tmp_path, text, match):
    (tmp_path / "pairs.txt").write_text(text, encoding="utf-8")
    with pytest.raises(QuestionsError, match=match):
        read_judgements(tmp_path / "pairs.txt")


def test_an_error_by_hand():
    """Influences 1, 2, −3; the first two share a word: own 14, products 2 · 1 · 2, times 3/2."""
    influence = np.array([1.0, 2.0, -3.0])
    assert error_of(influence, np.array([[0, 1], [1, 2], [3, 4]])) == pytest.approx(27**0.5)
    # A product below 0 does not make the error smaller than that of independent items.
    assert error_of(influence, np.array([[0, 1], [3, 4], [4, 1]])) == pytest.approx(21**0.5)
    # Both units of the first item are one word: its square counts once.
    assert error_of(influence, np.array([[0, 0], [1, 2], [3, 4]])) == pytest.approx(21**0.5)
    # A question and its reverse have both units in common: as one item of both influences.
    both = np.array([[0, 1], [1, 0], [3, 4]])
    own = (influence[0] + influence[1]) ** 2 + influence[2] ** 2
    assert error_of(influence, both) == pytest.approx((1.5 * own) ** 0.5)


@pytest.mark.parametrize("words_share", [0.0, 0.5])
def test_errors_are_those_of_worlds_of_words(words_share):
    """The sd of a mean over worlds, where half of an item's variance is its two words', or none."""
    rng = np.random.default_rng(1)
    units = np.array([rng.choice(80, 2, replace=False) for _ in range(200)])
    worlds = rng.normal(size=(1000, 80)) * (words_share / 2) ** 0.5
    values = worlds[:, units].sum(axis=2) + rng.normal(size=(1000, 200)) * (1 - words_share) ** 0.5
    true = values.mean(axis=1).std()
    errors = np.array([error_of((v - v.mean()) / len(v), units) for v in values])
    assert 0.93 < np.sqrt((errors**2).mean()) / true < 1.12
    alone = np.sqrt((values.var(axis=1, ddof=1) / 200).mean()) / true
    assert (alone < 0.75) == (words_share > 0)


@pytest.fixture
def files(tmp_path):
    pairs = ["cat dog 9", "cat car 1", "dog car 2", "cat king 3", "dog ghost 3"]
    questions = [
        *(": family", "he she king queen", "she he queen king", "he she he ghost"),
        *("king queen he she", "cat dog cat dog"),
    ]
    for name, lines in (("similar.tsv", pairs), ("analogies.txt", questions)):
        (tmp_path / name).write_text("\n".join(lines), encoding="utf-8")
    return [tmp_path / "similar.tsv", tmp_path / "analogies.txt"]


@pytest.fixture
def judged(files):
    """The example's vectors and a file that judges thirty pairs of its words."""
    kv = bb.example_embedding()
    words = [w for w in kv.index_to_key if w.isalpha()][:60]
    lines = [f"{a} {b} {len(a)}" for a, b in zip(words[::2], words[1::2], strict=True)]
    files[0].write_text("\n".join(lines), encoding="utf-8")
    return kv, str(files[0])


@pytest.fixture
def sides():
    words = ["he", "she", "king", "queen", "cat", "dog", "car"]
    matrix = [[1, 0, 0, 0.1], [0, 1, 0, 0.1], [1, 0, 1, 0], [0, 1, 1, 0]]
    matrix += [[0.1, 0, 0, 1], [0, 0.1, 0.1, 1], [0.5, 0.5, -1, 0]]
    return [bb.load_embedding((words, np.array(matrix) * [1, 1, 1, last])) for last in (1, 0.2)]


def test_utility_by_hand(sides, files):
    """Both sides are asked the same items; values are scipy's and those of counting."""
    result = debias.utility(*sides, *files)
    table = result.table.set_index("file")
    judged = [9, 1, 2, 3]
    pairs = [("cat", "dog"), ("cat", "car"), ("dog", "car"), ("cat", "king")]
    for name, vectors in zip(("before", "after"), sides, strict=True):
        known = spearmanr(judged, [vectors.similarity(*pair) for pair in pairs]).statistic
        assert table.loc["similar.tsv", name] == pytest.approx(known)
        assert table.loc["analogies.txt", name] == 1.0
    assert table["n_items"].tolist() == [4, 3]
    assert table["n_skipped"].tolist() == [1, 2]
    assert table["task"].tolist() == ["similarity", "analogies"]
    assert table.loc["analogies.txt", "verdict"] == "unchanged"
    assert result.skipped.values.tolist() == [
        ["similar.tsv", "dog, ghost", "'ghost' is not in the vectors"],
        ["analogies.txt", "he she he ghost", "'ghost' is not in the vectors"],
        ["analogies.txt", "cat dog cat dog", "a and c are the same word"],
    ]
    change = table["after"] - table["before"]
    pd.testing.assert_series_equal(table["change"], change, check_names=False)
    assert ((table["low"] <= change) & (change <= table["high"])).all()
    assert "analogies.txt: unchanged, accuracy 1.000 before, 1.000 after" in repr(result)
    assert "<table" in result._repr_html_()
    assert json.loads(json.dumps(result.to_dict(), allow_nan=False))["table"][0]["n_items"] == 4


def test_nothing_changed_costs_nothing(sides, files):
    table = debias.utility(sides[0], sides[0], *files).table
    assert table["verdict"].tolist() == ["unchanged"] * 2
    assert (table[["change", "low", "high"]] == 0).all(axis=None)


def test_noise_costs(tmp_path):
    """Cosines are the judgements before, and mostly noise after."""
    rng, words, path = np.random.default_rng(2), [f"w{i}" for i in range(100)], tmp_path / "p.txt"
    matrix = rng.normal(size=(100, 10))
    before = bb.load_embedding((words, matrix))
    after = bb.load_embedding((words, matrix + rng.normal(size=matrix.shape)))
    pairs = [rng.choice(words, 2, replace=False) for _ in range(300)]
    path.write_text("\n".join(f"{a} {b} {before.similarity(a, b):.6f}" for a, b in pairs))
    result = debias.utility(before, after, path)
    row = result.table.iloc[0]
    assert row["verdict"] == "worse"
    assert row["high"] < 0
    assert result.answers[0].startswith(f"p.txt: worse by {-row['change']:.3f} [")
    assert debias.utility(after, before, path).table.iloc[0]["verdict"] == "better"
    narrow = debias.utility(before, after, path, prob=0.5).table.iloc[0]
    assert row["low"] < narrow["low"] < narrow["high"] < row["high"]


def test_utility_refuses(sides, files, tmp_path):
    few = tmp_path / "few.txt"
    for text, asked, options, error, match in (
        ("", [], {}, ArgumentError, "at least one file"),
        ("", files, {"prob": 2}, ArgumentError, "prob=2"),
        ("", [files[0], tmp_path / "none.txt"], {}, QuestionsError, "cannot be read"),
        ("cat dog 3\ncat ghost 2\n", [few], {}, QuestionsError, r"1 item of 2 .*'ghost' is not in"),
        (": x\nghost a b c\n", [few], {}, QuestionsError, "0 items of 1 can be asked"),
    ):
        few.write_text(text, encoding="utf-8")
        with pytest.raises(error, match=match):
            debias.utility(*sides, *asked, **options)


def test_the_command_says_what_it_cost(tmp_path, judged, capsys):
    kv, file = judged
    kv.save_word2vec_format(str(tmp_path / "in.bin"), binary=True)
    command = ["debias", "two_means", str(tmp_path / "in.bin")]
    base = [*command, str(tmp_path / "out.bin"), "--wordlist", "gender", "--utility"]
    assert main([*base, file]) == 0
    said = capsys.readouterr().out
    assert "What it cost:" in said
    assert "similar.tsv: " in said
    assert main([*base, file, "--overwrite", "--json"]) == 0
    (row,) = json.loads(capsys.readouterr().out)["utility"]["table"]
    assert row["n_items"] == 30
    assert row["measure"] == "Spearman"
    assert main([*command, str(tmp_path / "new.bin"), *base[4:], "nowhere.txt"]) == 2
    assert "nowhere.txt: cannot be read" in capsys.readouterr().err
    assert not (tmp_path / "new.bin").exists()


@pytest.mark.filterwarnings("ignore::bayesbias.errors.MissingWordsWarning")
def test_a_comparison_says_what_it_cost_too(tmp_path, judged, capsys, monkeypatch):
    remember(monkeypatch, change, "compare_change")
    kv, file = judged
    sides = [str(tmp_path / name) for name in ("before.bin", "after.bin")]
    kv.save_word2vec_format(sides[0], binary=True)
    debias.hard(kv, "gender").vectors.save_word2vec_format(sides[1], binary=True)
    base = ["compare", *sides, "--wordlist", "gender", "--model", "change"]
    assert main(base) == 0
    said = capsys.readouterr().out
    assert "2. Ask what it cost: add --utility FILE" in said
    assert said.count("missing attribute words of neutral") == 1  # both sides lack the same
    assert main([*base, "--utility", file]) == 0
    said = capsys.readouterr().out
    assert said.index("How sure is it?") < said.index("What it cost:") < said.index("similar.tsv: ")
    assert main([*base, "--json", "--utility", file]) == 0
    content = json.loads(capsys.readouterr().out)
    assert content["utility"]["table"][0]["n_items"] == 30
    assert content["answers"]
    assert main([*base, "--utility", "nowhere.txt"]) == 2
    assert "nowhere.txt: cannot be read" in capsys.readouterr().err
    assert main(["compare", *sides, "--utility", file]) == 2
    assert "--utility asks two files of word vectors" in capsys.readouterr().err
