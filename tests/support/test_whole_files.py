import json
import os

import pytest

from bayesbias.errors import OutputError
from bayesbias.support.whole_files import check_folder, new_file, new_folder
from bayesbias.vectors.store import FILES


def earlier_results(folder, *names):
    """Make a folder as a run leaves it, with a manifest of its files."""
    folder.mkdir()
    for name in names:
        (folder / name).write_text("1")
    (folder / "manifest.json").write_text(json.dumps({"files": dict.fromkeys(names, "…")}))
    return folder


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
    out = earlier_results(tmp_path / "out", "old")
    with pytest.raises(OutputError, match=r"is not empty; .* --overwrite"), new_folder(out):
        pass
    with pytest.raises(ZeroDivisionError), new_folder(out, overwrite=True):
        raise ZeroDivisionError
    assert (out / "old").exists()
    with new_folder(out, overwrite=True) as place:
        (place / "new").write_text("2")
    assert [p.name for p in out.iterdir()] == ["new"]
    assert [p.name for p in tmp_path.iterdir()] == ["out"]


@pytest.mark.parametrize("name", ["thesis.docx", "figures/mine.png", ".hidden", "empty-link"])
def test_overwriting_never_deletes_what_no_run_wrote(tmp_path, name):
    out = earlier_results(tmp_path / "out", "old")
    check_folder(out, overwrite=True)
    (out / name).parent.mkdir(exist_ok=True)
    if name == "empty-link":
        (out / name).symlink_to(tmp_path)
    else:
        (out / name).write_text("years of work")
    with pytest.raises(OutputError, match=f"out: holds '{name}', which is not of the results"):
        check_folder(out, overwrite=True)
    with pytest.raises(OutputError, match="would delete it"), new_folder(out, overwrite=True):
        pass
    assert (out / name).exists()


@pytest.mark.parametrize("manifest", [None, "", "[]", '{"files": ["a"]}', "[" * 100_000])
def test_a_folder_without_a_sound_manifest_is_not_replaced(tmp_path, manifest):
    (tmp_path / "a").write_text("1")
    if manifest is not None:
        (tmp_path / "manifest.json").write_text(manifest)
    with pytest.raises(OutputError, match="which is not of the results of an earlier run"):
        check_folder(tmp_path, overwrite=True)


def test_the_folder_one_stands_in_is_not_replaced(tmp_path, monkeypatch):
    out = earlier_results(tmp_path / "out", "old")
    (out / "figures").mkdir()
    for inside in (out, out / "figures"):
        monkeypatch.chdir(inside)
        with pytest.raises(OutputError, match="is the folder you are in"):
            check_folder(out, overwrite=True)


def test_a_report_of_later_and_the_halves_of_a_killed_run_may_be_replaced(tmp_path):
    out = earlier_results(tmp_path / "out", "old")
    (out / "report.html").write_text("")
    (out / ".out.x.partial").mkdir()
    (out / ".out.x.partial" / "half").write_text("")
    check_folder(out, overwrite=True)


def test_a_store_may_be_replaced_if_it_is_whole_and_alone(tmp_path):
    for name in FILES:
        (tmp_path / name).write_text("")
    check_folder(tmp_path, overwrite=True, files=FILES)
    with pytest.raises(OutputError, match="which is not of the results"):
        check_folder(tmp_path, overwrite=True)
    (tmp_path / "words.txt").rename(tmp_path / "mine.txt")
    with pytest.raises(OutputError, match="which is not of the results"):
        check_folder(tmp_path, overwrite=True, files=FILES)


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
    earlier_results(tmp_path / "real", "old")
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
    for name, why in (("", "has no name"), ("a\0b", "null"), ("x" * 300, "name too long")):
        with pytest.raises(OutputError, match=why):
            check_folder(name, overwrite=False)
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
