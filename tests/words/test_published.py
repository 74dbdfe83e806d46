"""Published distances by name: registry, local folder, download."""

import hashlib
from pathlib import Path

import pytest

import bayesbias as bb
from bayesbias.errors import ArgumentError, DistancesError
from bayesbias.words import files as published

NAME = "religion_group_reddit_dataset.csv"
ROWS = """,protected_word,word_to_compare,word_class,cosine_distance,cosine_similarity,connection
0,rabbi,greedy,jew_stereotype,0.5,0.5,associated
1,rabbi,dirty,muslim_stereotype,0.9,0.1,different
2,imam,dirty,muslim_stereotype,0.4,0.6,associated
"""


@pytest.fixture
def small_file(tmp_path, monkeypatch) -> Path:
    """A small file in the place, and with the checksum, of a published one."""
    path = tmp_path / "distances" / NAME
    path.parent.mkdir()
    path.write_text(ROWS, encoding="utf-8")
    checksum = hashlib.sha256(ROWS.encode()).hexdigest()
    table = published.list_published()
    table.loc[table["file"] == NAME, "sha256"] = checksum
    monkeypatch.setattr(published, "list_published", lambda: table)
    return path


def test_there_are_eighteen_files_each_once():
    table = published.list_published()
    assert len(table) == table["file"].nunique() == table["sha256"].nunique() == 18
    pinned = r"https://raw\.githubusercontent\.com/[^/]+/[^/]+/[0-9a-f]{40}/"
    assert table["url"].str.match(pinned).all()
    assert table["sha256"].str.fullmatch("[0-9a-f]{64}").all()
    assert table.groupby("debiased").size().to_dict() == {False: 15, True: 3}


def test_the_checksums_are_those_of_the_published_files(data, monkeypatch):
    monkeypatch.setenv("BAYESBIAS_DATA", str(data))
    for row in published.list_published().itertuples():
        path = published.published_path(row.wordlist, row.embedding, debiased=row.debiased)
        assert path == data / "distances" / row.file


def test_a_folder_of_ones_own_is_read_and_checked(small_file, monkeypatch):
    monkeypatch.setenv("BAYESBIAS_DATA", str(small_file.parents[1]))
    frame = bb.words.published_distances("religion", "reddit")
    assert frame["cosine_distance"].tolist() == [0.5, 0.9, 0.4]
    small_file.write_text(ROWS.replace("0.9", "0.8"), encoding="utf-8")
    with pytest.raises(DistancesError, match="is not the published file"):
        bb.words.published_distances("religion", "reddit")
    with pytest.raises(DistancesError, match="unset BAYESBIAS_DATA to download"):
        bb.words.published_distances("gender", "google")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("religon", "reddit", False), "did you mean 'religion'"),
        (("religion", "twitter", False), "Valid: google, glove, reddit"),
        (("weat7", "reddit", True), "there are: gender reddit, race reddit, religion reddit"),
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
    for text in (None, ROWS.replace("0.9", "0.8")):  # no network; another checksum
        served[:] = [text] if text else []
        with pytest.raises(DistancesError, match=r"cannot be downloaded .*set BAYESBIAS_DATA"):
            published.published_path("religion", "reddit")
    served[:] = [ROWS]
    first = published.published_path("religion", "reddit")
    assert first.read_text(encoding="utf-8") == ROWS
    assert published.published_path("religion", "reddit") == first


def test_without_pooch_the_error_says_what_to_install(monkeypatch):
    monkeypatch.delenv("BAYESBIAS_DATA", raising=False)
    monkeypatch.setitem(__import__("sys").modules, "pooch", None)
    with pytest.raises(DistancesError, match=r"pip install 'bayesbias\[data\]'"):
        bb.words.published_distances("religion", "reddit")
