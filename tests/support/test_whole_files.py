import json
import os
import stat
import sys
from pathlib import Path

import pytest

from bayesbias.errors import OutputError
from bayesbias.support import whole_files
from bayesbias.support.whole_files import check_file, check_folder, new_file, new_folder


def earlier_results(folder, *names):
    """Make a folder as a run leaves it, with a manifest of its files."""
    folder.mkdir()
    for name in names:
        (folder / name).write_text("1")
    (folder / "manifest.json").write_text(json.dumps({"files": dict.fromkeys(names, "…")}))
    return folder


@pytest.mark.parametrize("before", [None, "old"])
def test_a_file_appears_whole_or_stays_as_it_was(tmp_path, before):
    path = tmp_path / "a.txt"
    if before is not None:
        path.write_text(before)

    def stopped(reason):
        with new_file(path) as temporary:
            temporary.write_text("half")
            raise reason

    full = OSError(28, "No space left on device")
    for reason, error in ((KeyboardInterrupt("stop"), KeyboardInterrupt), (full, OutputError)):
        with pytest.raises(error, match=reason.args[-1]):
            stopped(reason)
        left = {p.name: p.read_text() for p in tmp_path.iterdir()}
        assert left == ({} if before is None else {"a.txt": before})
    with new_file(path) as temporary:
        temporary.write_text("whole")
        assert path.exists() is (before is not None)
    assert {p.name: p.read_text() for p in tmp_path.iterdir()} == {"a.txt": "whole"}


def test_a_folder_appears_whole(tmp_path):
    with new_folder(tmp_path / "deep" / "out") as place:
        (place / "a").write_text("1")
        assert not (tmp_path / "deep" / "out").exists()
    assert [p.name for p in (tmp_path / "deep").iterdir()] == ["out"]


def test_overwriting_replaces_the_whole_folder(tmp_path):
    out = earlier_results(tmp_path / "out", "old")
    with pytest.raises(OutputError, match=r"is not empty; .* \(--overwrite\)"), new_folder(out):
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
    with pytest.raises(OutputError, match=f"out: holds '{name}', which is not from an earlier run"):
        check_folder(out, overwrite=True)
    with pytest.raises(OutputError, match="would delete it"), new_folder(out, overwrite=True):
        pass
    assert (out / name).exists()


@pytest.mark.parametrize("manifest", [None, "", "[]", '{"files": ["a"]}', "[" * 100_000])
def test_a_folder_without_a_sound_manifest_is_not_replaced(tmp_path, manifest):
    (tmp_path / "a").write_text("1")
    if manifest is not None:
        (tmp_path / "manifest.json").write_text(manifest)
    with pytest.raises(OutputError, match="which is not from an earlier run"):
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
    (out / ".bayesbias-12345678").mkdir()
    (out / ".bayesbias-12345678" / "half").write_text("")
    check_folder(out, overwrite=True)


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
    (tmp_path / "loop").symlink_to("loop")
    with pytest.raises(OutputError, match="cannot be written"):
        check_folder(tmp_path / "loop", overwrite=True)
    with pytest.raises(OutputError, match="cannot be written"), new_folder(tmp_path / "loop"):
        pass
    with pytest.raises(OutputError, match=r"the folder .* does not exist; make it first"):
        new_file(tmp_path / "nowhere" / "a.txt").__enter__()


@pytest.mark.skipif(os.geteuid() == 0, reason="root may write anywhere")
def test_a_read_only_folder(tmp_path):
    tmp_path.chmod(0o500)
    with pytest.raises(OutputError, match="cannot be written"):
        check_folder(tmp_path / "out", overwrite=False)
    tmp_path.chmod(0o700)


def mode_of(path):
    return stat.S_IMODE(path.stat().st_mode)


@pytest.mark.parametrize("mode", [0o600, 0o640, 0o444])
def test_a_replaced_file_keeps_its_permissions(tmp_path, mode):
    path = tmp_path / "a.txt"
    path.write_text("old")
    path.chmod(mode)
    with new_file(path) as temporary:
        assert not mode_of(temporary) & 0o077 & ~mode
        temporary.write_text("new")
    assert path.read_text() == "new"
    assert mode_of(path) == mode


def test_a_replaced_folder_keeps_its_permissions(tmp_path):
    out = earlier_results(tmp_path / "out", "a")
    out.chmod(0o700)
    with new_folder(out, overwrite=True) as place:
        (place / "a").write_text("new")
    assert mode_of(out) == 0o700


def test_the_umask_is_obeyed_and_never_changed(tmp_path, monkeypatch):
    before = os.umask(0o027)
    try:
        monkeypatch.setattr(os, "umask", lambda mask: pytest.fail("changed for all threads"))
        with new_file(tmp_path / "a") as temporary:
            temporary.write_text("")
        with new_folder(tmp_path / "b"):
            pass
    finally:
        monkeypatch.undo()
        os.umask(before)
    assert [mode_of(tmp_path / name) for name in "ab"] == [0o640, 0o750]


def test_a_link_to_a_file_stays_a_link(tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "real" / "a").write_text("old")
    for name in ("a", "new"):  # the second points to what is not there yet
        link = tmp_path / f"link-{name}.png"
        link.symlink_to(f"real/{name}")
        with new_file(link) as temporary:
            assert temporary.suffix == ".png"  # writers look at the ending that was asked for
            temporary.write_text("new")
        assert link.is_symlink()
        assert (tmp_path / "real" / name).read_text() == "new"
    assert sorted(p.name for p in (tmp_path / "real").iterdir()) == ["a", "new"]


def test_what_is_no_plain_file_is_not_replaced(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to("pipe")
    (tmp_path / "loop").symlink_to("loop")
    for name, why in (
        ("pipe", "is a device or a pipe"),
        ("link", "is a device or a pipe"),
        ("loop", "cannot be written"),
    ):
        with pytest.raises(OutputError, match=why):
            check_file(tmp_path / name, overwrite=True)
        with pytest.raises(OutputError, match=why), new_file(tmp_path / name):
            pass
    assert stat.S_ISFIFO((tmp_path / "pipe").stat().st_mode)


@pytest.mark.parametrize("name", ["x" * 255, "é" * 127, "x" * 251 + ".csv", "a." + "x" * 253])
def test_the_longest_names_can_be_written(tmp_path, name):
    if not (name.isascii() or sys.getfilesystemencoding() == "utf-8"):
        pytest.skip("names of files are ASCII in this locale")
    with new_file(tmp_path / name) as temporary:
        temporary.write_text("whole")
    assert (tmp_path / name).read_text() == "whole"
    with new_folder(tmp_path / "deep" / name) as place:
        (place / "a").write_text("")
    assert [p.name for p in (tmp_path / "deep").iterdir()] == [name]


def test_all_is_flushed_before_it_gets_its_name(tmp_path, monkeypatch):
    """A power cut after the rename finds the content on the disk."""
    done = []
    monkeypatch.setattr(whole_files, "_flush", lambda path: done.append((path.name, path.exists())))
    with new_file(tmp_path / "a") as temporary:
        pass
    assert done == [(temporary.name, True)]
    done.clear()
    with new_folder(tmp_path / "out") as place:
        (place / "inner").mkdir()
        (place / "inner" / "b").write_text("")
        (place / "a").write_text("")
    assert sorted(done) == [("a", True), ("b", True)]


def test_old_results_are_back_where_new_ones_cannot_take_their_place(tmp_path, monkeypatch):
    out = earlier_results(tmp_path / "out", "old")
    rename = Path.rename

    def failing(self, target):
        if target == out and (self / "new").exists():
            raise OSError(28, "No space left on device")
        return rename(self, target)

    monkeypatch.setattr(Path, "rename", failing)
    with (
        pytest.raises(OutputError, match="No space left"),
        new_folder(out, overwrite=True) as place,
    ):
        (place / "new").write_text("")
    assert sorted(p.name for p in out.iterdir()) == ["manifest.json", "old"]
    assert [p.name for p in tmp_path.iterdir()] == ["out"]


def test_the_half_of_a_killed_run_does_not_block_the_next(tmp_path):
    out = tmp_path / "out"
    (out / ".bayesbias-12345678").mkdir(parents=True)
    check_folder(out, overwrite=False)
    with new_folder(out) as place:
        (place / "c").write_text("whole")
    assert sorted(p.name for p in out.iterdir()) == [".bayesbias-12345678", "c"]
    with pytest.raises(OutputError, match="is not empty"):
        check_folder(out, overwrite=False)


def test_a_name_that_the_locale_has_not_is_refused(tmp_path):
    """Half of a letter, like any in an ASCII locale, was a UnicodeEncodeError."""
    with pytest.raises(OutputError, match=r"cannot be written \(.*letter that names cannot have"):
        new_file(tmp_path / "\ud800").__enter__()


@pytest.mark.parametrize("before", ["absent", "empty"])
def test_two_runs_into_one_new_folder_do_not_take_each_others_place(tmp_path, before):
    """The run that ended last replaced the results of the other without --overwrite."""
    out = tmp_path / "out"
    if before == "empty":
        out.mkdir()
    late = new_folder(out)
    (late.__enter__() / "a").write_text("second", encoding="utf-8")
    with new_folder(out) as early:
        (early / "a").write_text("first", encoding="utf-8")
    with pytest.raises(OutputError, match="another run has filled it meanwhile"):
        late.__exit__(None, None, None)
    assert (out / "a").read_text(encoding="utf-8") == "first"
    assert [path.name for path in tmp_path.iterdir()] == ["out"]
