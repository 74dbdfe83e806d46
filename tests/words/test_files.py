import hashlib
import warnings
from pathlib import Path

import pandas as pd
import pytest
from samples import in_copies, make_frame

import bayesbias as bb
from bayesbias.errors import ArgumentError, DistancesError, MissingWordsWarning
from bayesbias.words import files
from bayesbias.words.provenance import missing_of, source_of

HEADER = "protected_word,word_to_compare,word_class,cosine_distance,cosine_similarity,connection"
ROWS = """
0,he,saw,tools,0.5,0.5,associated
1,he,oven,home,0.9,0.1,different
2,he,nan,neutral,1.1,-0.1,none
3,she,saw,tools,0.8,0.2,different
4,she,oven,home,0.6,0.4,associated
5,she,nan,neutral,1.2,-0.2,none
"""
PUBLISHED = f",{HEADER}{ROWS}"


def test_the_published_dialect(write):
    frame = bb.read_distances(write(PUBLISHED, "d.csv"))
    assert list(frame.columns) == [
        *("protected_word", "group", "attribute", "attribute_set", "connection", "cosine_distance"),
    ]
    assert frame["connection"].tolist()[:3] == ["associated", "different", "neutral"]
    assert frame["group"].tolist() == ["tools"] * 3 + ["home"] * 3
    assert "nan" in set(frame["attribute"])  # a word like any other
    assert bb.missing_words(frame).empty


def test_marked_words_and_pairs_are_missing(write):
    text = PUBLISHED.replace("nan,neutral,1.1,-0.1", "nan,neutral,-100,-100")
    with pytest.warns(MissingWordsWarning, match="1 pair marked"):
        frame = bb.read_distances(write(text, "d.csv"))
    assert bb.missing_words(frame)["word"].tolist() == ["he – nan"]
    with pytest.warns(MissingWordsWarning, match="1 attribute marked as missing"):
        frame = bb.read_distances(write(text.replace("1.2,-0.2", "-100,-100"), "d.csv"))
    assert bb.missing_words(frame).to_dict("records") == [
        {"word": "nan", "role": "attribute", "list": "neutral", "reason": "marked −100 in the file"}
    ]
    assert len(frame) == 4


def test_repeated_rows(write):
    path = write(PUBLISHED + "6,he,saw,tools,0.5,0.5,associated\n", "d.csv")
    with pytest.warns(bb.BayesBiasWarning, match="1 rows repeat a pair and were dropped"):
        dropped = bb.read_distances(path)
    assert len(dropped) == 6
    kept = bb.read_distances(path, duplicates="keep")
    assert len(kept) == 7
    assert source_of(kept)["n_duplicates"] == 1
    with pytest.raises(ArgumentError, match="did you mean 'keep'"):
        bb.read_distances(path, duplicates="kep")


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
@pytest.mark.parametrize("columns", [[], ["context"], ["layer"]])
def test_own_files_come_back_the_same(tmp_path, columns, suffix):
    frame, path = in_copies(make_frame(), columns), tmp_path / f"pairs.{suffix}"
    bb.write_distances(frame, path)
    back = bb.read_distances(path)
    assert (missing_of(back) is not None) == (suffix == "parquet")
    pd.testing.assert_frame_equal(back, frame, check_dtype=False, check_exact=True)


@pytest.mark.parametrize(
    ("old", "new", "complaint"),
    [
        ("0.9,", "far,", "line 3: cosine_distance 'far' is not a number"),
        ("0.9,", "nan,", "line 3: cosine_distance is missing \\(1 row in all\\); delete such rows"),
        ("0.9,", "2.9,", "line 3 .*2.9.*a cosine distance must be a number from 0 to 2"),
        (",none", ",nothing", "line 4 .*nothing.*: unknown connection; valid: associated"),
        (
            "word_to_compare,word_class",
            "word,class",
            "line 1: lacks the columns 'attribute', 'attribute_set'; needed: .*; it has .*'word'",
        ),
        ("cosine_distance,", "distance,", "lacks the column 'cosine_distance'.*1 − similarity"),
        ("she,saw", ",saw", "column 'protected_word' is empty"),
        ("4,she,oven", "4,she,oven,more,and,more", "not a table of separated values"),
        ("cosine_similarity", "cosine_distance", "'cosine_distance' occurs twice"),
        ("cosine_similarity", "attribute", "both a column 'word_to_compare'"),
        ("1,he,oven", "1,he,ov\u200ben", r"line 3: .*invisible .*U\+200B"),
        ("2,he", "6,he,saw,tools,0.7,0.3,different\n2,he", "'he' – 'saw' has different"),
        ("1,he,oven,home,0.9", "\n\n1,he,oven,home,far", "line 5: .*far"),
        (
            "he,saw,tools,0.5,0.5,associated\n1,he,oven,home,0.9",
            '"h\ne",saw,tools,0.5,0.5,associated\n1,he,oven,home,far',
            "line 4: .*far",
        ),
    ],
)
def test_errors_name_the_file_and_the_line(write, old, new, complaint):
    assert old in PUBLISHED
    with pytest.raises(DistancesError, match=complaint) as caught:
        bb.read_distances(write(PUBLISHED.replace(old, new), "d.csv"))
    assert "d.csv" in str(caught.value)


def test_all_published_files_read(data):
    paths = sorted((data / "distances").glob("*.csv"))
    assert len(paths) == 18
    for path in paths:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", bb.BayesBiasWarning)
            frame = bb.read_distances(path)
        assert not frame.duplicated(["protected_word", "attribute"]).any(), path.name
        assert set(frame["connection"]) == {"associated", "different", "human", "neutral"}


@pytest.mark.parametrize(
    "change",
    [
        lambda t: "\ufeff" + t,
        lambda t: "\n\n" + t.replace("\n", "\n\n"),
        lambda t: t.replace("\n", "\r\n"),
        lambda t: t.replace(",", "\t"),
        lambda t: t.replace(",", ";").replace(".", ","),
    ],
)
def test_ways_to_write_the_same_table(write, change):
    expected = bb.read_distances(write(PUBLISHED, "d.csv"))
    pd.testing.assert_frame_equal(bb.read_distances(write(change(PUBLISHED), "e.csv")), expected)


def test_decomposed_words_are_composed(write):
    composed, decomposed = "M\u00e4dchen", "Ma\u0308dchen"
    text = PUBLISHED.replace("1,he,oven", f"1,he,{decomposed}")
    frame = bb.read_distances(write(text.replace("4,she,oven", f"4,she,{composed}"), "d.csv"))
    assert set(frame["attribute"]) == {"saw", composed, "nan"}


@pytest.mark.parametrize(
    ("column", "values", "complaint"),
    [
        ("cosine_distance", pd.Timestamp("2020-01-01"), "'cosine_distance' holds"),
        ("cosine_distance", {"a": 1.0}, "'cosine_distance' holds"),
        ("cosine_distance", True, "'cosine_distance' holds"),
        ("protected_word", 1, "'protected_word'"),
        ("attribute_set", ["x"], "'attribute_set' is empty or not a text"),
        ("connection", None, "connection"),
    ],
)
def test_parquet_columns_that_are_not_distances_or_texts(
    frame, tmp_path, column, values, complaint
):
    frame[column] = pd.Series([values] * len(frame))
    frame.to_parquet(tmp_path / "d.parquet")
    with pytest.raises(DistancesError, match=complaint):
        bb.read_distances(tmp_path / "d.parquet")


def test_a_changed_byte_of_a_parquet_file_is_found(frame, tmp_path):
    """Distances of another value looked like any others; every page has its checksum."""
    path = tmp_path / "d.parquet"
    bb.write_distances(frame, path)
    content = bytearray(path.read_bytes())
    numbers = frame["cosine_distance"].to_numpy()[:1].tobytes()
    assert numbers in content
    content[content.index(numbers)] ^= 1
    path.write_bytes(content)
    with pytest.raises(DistancesError, match="is damaged"):
        bb.read_distances(path)


# The published files by name: registry, local folder, download

NAME = "religion_group_reddit_dataset.csv"
SMALL = """,protected_word,word_to_compare,word_class,cosine_distance,cosine_similarity,connection
0,rabbi,greedy,jew_stereotype,0.5,0.5,associated
1,rabbi,dirty,muslim_stereotype,0.9,0.1,different
2,imam,dirty,muslim_stereotype,0.4,0.6,associated
"""


@pytest.fixture
def small_file(tmp_path, monkeypatch) -> Path:
    """A small file in the place, and with the checksum, of a published one."""
    path = tmp_path / "distances" / NAME
    path.parent.mkdir()
    path.write_text(SMALL, encoding="utf-8")
    checksum = hashlib.sha256(SMALL.encode()).hexdigest()
    table = files.list_published()
    table.loc[table["file"] == NAME, "sha256"] = checksum
    monkeypatch.setattr(files, "list_published", lambda: table)
    return path


def test_there_are_eighteen_files_each_once():
    table = files.list_published()
    assert len(table) == table["file"].nunique() == table["sha256"].nunique() == 18
    pinned = r"https://raw\.githubusercontent\.com/[^/]+/[^/]+/[0-9a-f]{40}/"
    assert table["url"].str.match(pinned).all()
    assert table["sha256"].str.fullmatch("[0-9a-f]{64}").all()
    assert table.groupby("debiased").size().to_dict() == {False: 15, True: 3}


def test_the_checksums_are_those_of_the_published_files(data, monkeypatch):
    monkeypatch.setenv("BAYESBIAS_DATA", str(data))
    for row in files.list_published().itertuples():
        path = files.published_path(row.wordlist, row.embedding, debiased=row.debiased)
        assert path == data / "distances" / row.file


def test_a_folder_of_ones_own_is_read_and_checked(small_file, monkeypatch):
    monkeypatch.setenv("BAYESBIAS_DATA", str(small_file.parents[1]))
    frame = bb.words.published_distances("religion", "reddit")
    assert frame["cosine_distance"].tolist() == [0.5, 0.9, 0.4]
    small_file.write_text(SMALL.replace("0.9", "0.8"), encoding="utf-8")
    with pytest.raises(DistancesError, match="is not the published file"):
        bb.words.published_distances("religion", "reddit")
    with pytest.raises(DistancesError, match="unset BAYESBIAS_DATA to download"):
        bb.words.published_distances("gender", "google")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (
            ("religon", "reddit", False),
            "'religon reddit' were published; did you mean 'religion reddit'",
        ),
        (("religion", "twitter", False), "no distances of .*Valid: gender google, "),
        (("weat7", "reddit", True), "no debiased .*: gender reddit, race reddit, religion reddit"),
    ],
)
def test_what_was_not_published_is_refused(arguments, message):
    wordlist, embedding, debiased = arguments
    with pytest.raises(ArgumentError, match=message):
        bb.words.published_distances(wordlist, embedding, debiased=debiased)


@pytest.fixture
def served(tmp_path, monkeypatch):
    """Texts that pooch downloads, one after the other; without one left there is no network."""
    pooch = pytest.importorskip("pooch", reason="pooch is not installed")
    monkeypatch.delenv("BAYESBIAS_DATA", raising=False)
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    texts = []

    def download(url, output_file, pooch, *, check_only=False):
        if not texts:
            raise ConnectionError("no network")
        Path(output_file).write_text(texts.pop(), encoding="utf-8")

    monkeypatch.setattr(pooch.core, "choose_downloader", lambda url, **_: download)
    return texts


def test_a_download_is_checked_and_kept(small_file, served):
    for text in (None, SMALL.replace("0.9", "0.8")):  # no network; another checksum
        served[:] = [text] if text else []
        with pytest.raises(DistancesError, match=r"cannot be downloaded .*set BAYESBIAS_DATA"):
            files.published_path("religion", "reddit")
    served[:] = [SMALL]
    first = files.published_path("religion", "reddit")
    assert first.read_text(encoding="utf-8") == SMALL
    assert files.published_path("religion", "reddit") == first


def test_without_pooch_the_error_says_what_to_install(monkeypatch):
    monkeypatch.delenv("BAYESBIAS_DATA", raising=False)
    monkeypatch.setitem(__import__("sys").modules, "pooch", None)
    with pytest.raises(DistancesError, match=r"pip install 'bayesbias\[data\]'"):
        bb.words.published_distances("religion", "reddit")
