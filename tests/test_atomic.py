import os

import pytest

from bayesbias.atomic import check_folder, new_file, new_folder
from bayesbias.errors import OutputError


def test_a_file_appears_whole(tmp_path):
    with new_file(tmp_path / "a.txt") as temporary:
        temporary.write_text("whole")
        assert not (tmp_path / "a.txt").exists()
    assert [p.name for p in tmp_path.iterdir()] == ["a.txt"]
    assert (tmp_path / "a.txt").read_text() == "whole"


def test_a_failure_leaves_the_old_file_and_nothing_else(tmp_path):
    (tmp_path / "a.txt").write_text("old")

    def interrupted() -> None:
        with new_file(tmp_path / "a.txt") as temporary:
            temporary.write_text("half")
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert [p.name for p in tmp_path.iterdir()] == ["a.txt"]
    assert (tmp_path / "a.txt").read_text() == "old"


def test_a_folder_appears_whole(tmp_path):
    with new_folder(tmp_path / "deep" / "out") as place:
        (place / "a").write_text("1")
        assert not (tmp_path / "deep" / "out").exists()
    assert [p.name for p in (tmp_path / "deep").iterdir()] == ["out"]


def test_overwriting_replaces_the_whole_folder(tmp_path):
    out = tmp_path / "out"
    out.mkdir()
    (out / "old").write_text("1")
    with pytest.raises(OutputError, match=r"is not empty; .* --overwrite"), new_folder(out):
        pass
    with pytest.raises(ZeroDivisionError), new_folder(out, overwrite=True):
        raise ZeroDivisionError
    assert (out / "old").exists()
    with new_folder(out, overwrite=True) as place:
        (place / "new").write_text("2")
    assert [p.name for p in out.iterdir()] == ["new"]
    assert [p.name for p in tmp_path.iterdir()] == ["out"]


def test_an_empty_folder_may_be_filled(tmp_path):
    (tmp_path / "out").mkdir()
    with new_folder(tmp_path / "out") as place:
        (place / "a").write_text("1")
    assert (tmp_path / "out" / "a").exists()


def test_the_folder_one_stands_in_is_filled(tmp_path, monkeypatch):
    out = tmp_path / "out"
    out.mkdir()
    monkeypatch.chdir(out)
    with new_folder(".") as place:
        (place / "figures").mkdir()
        (place / "figures" / "a").write_text("1")
    assert [p.name for p in out.iterdir()] == ["figures"]
    assert [p.name for p in tmp_path.iterdir()] == ["out"]


def test_a_link_to_a_folder_stays_a_link(tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "old").write_text("1")
    (tmp_path / "link").symlink_to("real")
    with new_folder(tmp_path / "link", overwrite=True) as place:
        (place / "new").write_text("2")
    assert (tmp_path / "link").is_symlink()
    assert [p.name for p in (tmp_path / "real").iterdir()] == ["new"]


def test_places_that_cannot_be_written(tmp_path):
    (tmp_path / "file").write_text("")
    with pytest.raises(OutputError, match="is a file"):
        check_folder(tmp_path / "file", overwrite=True)
    with pytest.raises(OutputError, match="cannot be written"):
        check_folder(tmp_path / "file" / "out", overwrite=False)
    with pytest.raises(OutputError, match=r"cannot be written \(No such file"):
        new_file(tmp_path / "nowhere" / "a.txt").__enter__()


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_read_only_folder(tmp_path):
    tmp_path.chmod(0o500)
    with pytest.raises(OutputError, match="cannot be written"):
        check_folder(tmp_path / "out", overwrite=False)
    tmp_path.chmod(0o700)


def test_a_full_disk_is_said_plainly(tmp_path):
    def full() -> None:
        raise OSError(28, "No space left on device")

    with pytest.raises(OutputError, match="No space left on device"), new_file(tmp_path / "a"):
        full()
    assert list(tmp_path.iterdir()) == []
