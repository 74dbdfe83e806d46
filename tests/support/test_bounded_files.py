"""One function opens all that is read: ordinary files, of bounded size, and nothing else."""

import ast
import os
import re
import sys
import threading

import pytest
from samples import ROOT

import bayesbias as bb
from bayesbias.comparison import sweep
from bayesbias.errors import BayesBiasError, OutputError
from bayesbias.support.bounded_files import (
    LARGEST_RECORD,
    open_regular,
    read_json,
    require_regular_file,
)
from bayesbias.support.whole_files import check_folder, new_folder

SOURCES = sorted((ROOT / "bayesbias").rglob("*.py"))

READING = re.findall(
    r"\w+",
    """open open_memmap fdopen FileIO read_text read_bytes read_csv read_table read_parquet
    read_json fromfile memmap genfromtxt loadtxt LineSentence load_word2vec_format BZ2File GzipFile
    ZipFile LZMAFile TarFile ParquetFile read_schema HDFStore open_datatree open_dataset
    from_netcdf""",
)
LOADING = {"json", "tomllib", "pickle", "np", "numpy", "SaveLoad", "KeyedVectors", "joblib", "h5py"}
"""Modules and classes whose `load` or `File` opens a path or reads a stream."""

SAFE = ("require_regular_file", "open_regular", "stream", "StringIO", "BytesIO", "py_buffer")
"""What may be given to a library: what is open or in memory, or was an ordinary file just now."""


def opens(call: ast.Call) -> bool:
    """Tell whether a call opens something to be read."""
    function = call.func
    name = getattr(function, "attr", getattr(function, "id", ""))
    owner = ast.unparse(function.value) if isinstance(function, ast.Attribute) else ""
    if owner == "archive" or owner.startswith("files('bayesbias"):  # in one that is open; our own
        return False
    if name in ("load", "File") and owner.rpartition(".")[2] in LOADING:
        return True
    if name not in READING or (
        name in ("read_json", "read_text", "read_table", "read_parquet") and not owner
    ):  # our own
        return False
    modes = {a.value for a in call.args if isinstance(a, ast.Constant)} & {"wb", "w", "a", "rb+"}
    return not (name in ("open", "fdopen") and modes)


def test_nothing_else_opens_a_file_to_be_read():
    found = []
    for source in SOURCES:
        where = source.relative_to(ROOT).as_posix()
        if where == "bayesbias/support/bounded_files.py":
            continue
        for node in ast.walk(ast.parse(source.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and opens(node):
                given = ", ".join(map(ast.unparse, [*node.args, *(k.value for k in node.keywords)]))
                if not re.search(rf"\b({'|'.join(SAFE)})\b", given):
                    found.append(f"{where}:{node.lineno}: {ast.unparse(node)}")
    # The descriptor of a lost output, which is no file; gensim's own files, each looked at before.
    expected = ["bayesbias/cli/output.py", "bayesbias/vectors/loading.py"]
    assert [one.split(":")[0] for one in found] == expected


def test_the_search_finds_what_opens():
    for text in (
        *("open(path)", "path.open('rb')", "path.read_text()", "np.load(path)"),
        *("h5py.File(path, 'r')", "parquet.ParquetFile(path)", "gzip.open(path)"),
    ):
        assert opens(ast.parse(text).body[0].value), text
    assert not opens(ast.parse("path.open('wb')").body[0].value)


def answer_of(function, *arguments):
    """Return what a function returns or raises, if it comes to an end."""
    found = []

    def call() -> None:
        try:
            found.append(function(*arguments))
        except BayesBiasError as error:
            found.append(error)

    worker = threading.Thread(target=call, daemon=True)
    worker.start()
    worker.join(60)  # a busy machine takes seconds
    assert found, "it waits for ever"
    return found[0]


@pytest.mark.skipif(sys.platform == "win32", reason="pipes with names are POSIX's")
def test_only_ordinary_files_are_opened(tmp_path):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "loop").symlink_to("loop")
    for path, complaint in (
        (tmp_path / "pipe", "is no ordinary file; save its content to one"),
        ("/dev/zero", "is no ordinary file"),
        (tmp_path, "is a folder; name the file in it"),
        (tmp_path / "loop", "cannot be read"),
        (tmp_path / "absent", "cannot be read (No such file or directory)"),
        ("a\0b", "cannot be read"),
    ):
        for function in (open_regular, require_regular_file, read_json):
            error = answer_of(function, path, OutputError)
            assert isinstance(error, OutputError)
            assert complaint in str(error)


def test_a_record_has_bounds(tmp_path):
    path = tmp_path / "record.json"
    path.touch()
    os.truncate(path, LARGEST_RECORD + 1)  # takes no room
    with pytest.raises(OutputError, match="has more than 67,108,864 bytes"):
        read_json(path, OutputError)
    for content in ("[" * 100_000, '{"a": ', '"\\ud800"', "9" * 5000):
        path.write_text(content)
        with pytest.raises(OutputError, match=r"record\.json: is damaged: is no sound JSON"):
            read_json(path, OutputError)
    path.write_text('"\\u00e9"')
    assert read_json(path, OutputError) == "é"


def task_in(folder):
    return sweep._read(folder, "key")["status"]


def filled(folder):
    check_folder(folder, overwrite=True)
    with new_folder(folder, overwrite=True):
        pass


def a_terabyte(path):
    path.touch()
    os.truncate(path, 1 << 40)  # takes no room


KINDS = {
    "pipe": os.mkfifo if os.name == "posix" else None,
    "device": lambda path: path.symlink_to("/dev/zero"),
    "folder": lambda path: path.mkdir(),
    "terabyte": a_terabyte,
    "noise": lambda path: path.write_bytes(b"\x89\0\xff" * 5000),
}


@pytest.mark.skipif(sys.platform == "win32", reason="pipes with names are POSIX's")
@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    ("file", "read"),
    [
        ("fit.nc", bb.load_fit),
        ("manifest.json", lambda place: filled(place)),
        ("tasks/key.json", task_in),
    ],
)
def test_records_are_read_from_ordinary_files_of_bounded_size(file, read, kind, tmp_path):
    place = tmp_path / "place"
    (place / file).parent.mkdir(parents=True, exist_ok=True)
    KINDS[kind](place / file)
    answer = answer_of(read, place)
    assert isinstance(answer, BayesBiasError) or not answer
