"""Bounded reading of text files: the readers of predictions and of analogy questions."""

import gzip
import os
import threading

import pytest

from bayesbias.analogies import read_questions
from bayesbias.cli import main
from bayesbias.errors import PredictionsError, QuestionsError
from bayesbias.support.csv_files import read_csv_texts

GAPS = ["--true", "y", "--pred", "p", "--group", "g", "--method", "point"]
READERS = [
    (read_questions, QuestionsError),
    (lambda p: read_csv_texts(p, PredictionsError), PredictionsError),
]


@pytest.mark.parametrize(("read", "error"), READERS)
def test_what_is_no_ordinary_file_is_refused_at_once(read, error, tmp_path):
    fifo = tmp_path / "pipe.csv"
    os.mkfifo(fifo)
    for path, complaint in (
        (fifo, "is no ordinary file"),
        ("/dev/zero", "is no ordinary file"),
        (tmp_path, "is a folder"),
        (tmp_path / "absent", "cannot be read"),
        ("http://127.0.0.1:9/predictions.csv", "addresses are not opened"),
        ("ftp://127.0.0.1:9/predictions.csv", "addresses are not opened"),
    ):
        found = []
        worker = threading.Thread(target=_refusal, args=(read, path, found), daemon=True)
        worker.start()
        worker.join(5)
        assert found, f"{path} blocks"
        assert isinstance(found[0], error)
        assert complaint in str(found[0])


def _refusal(read, path, found):
    try:
        read(path)
    except Exception as error:
        found.append(error)


@pytest.mark.parametrize(("read", "error"), READERS)
def test_bombs_and_archives_are_refused(read, error, tmp_path):
    bomb = tmp_path / "bomb.csv.gz"
    with gzip.open(bomb, "wb") as stream:
        for _ in range(40):
            stream.write(b"1,2,3\n" * 200_000)
    with pytest.raises(error, match="unpacks to more than 100 times its size"):
        read(bomb)
    bomb.write_bytes(bomb.read_bytes()[:100])
    with pytest.raises(error, match="damaged or cut short"):
        read(bomb)
    archive = tmp_path / "archive.zip"
    archive.write_bytes(b"PK\x03\x04\x14\x00\xff\xfe")
    with pytest.raises(error, match="not UTF-8; save the file as text in UTF-8, unpacked"):
        read(archive)


def test_the_command_refuses_a_pipe(tmp_path, capsys):
    fifo = tmp_path / "pipe.csv"
    os.mkfifo(fifo)
    codes = []
    arguments = ["classifier", "gaps", str(fifo), *GAPS]
    worker = threading.Thread(target=lambda: codes.append(main(arguments)), daemon=True)
    worker.start()
    worker.join(20)
    assert codes == [2]
    assert "is no ordinary file" in capsys.readouterr().err


def test_texts_stay_as_they_are_written(tmp_path):
    path = tmp_path / "table.csv"
    for delimiter in ",;\t":
        rows = ["y|p|g", "NA|null|1.0", '"a, b;"|None|', "\u00e9|01|x"]
        path.write_text("\ufeff" + "\n".join(r.replace("|", delimiter) for r in rows))
        table = read_csv_texts(path, PredictionsError)
        assert list(table.columns) == ["y", "p", "g"]
        assert table["y"].tolist() == ["NA", "a, b;", "\u00e9"]
        assert table["p"].tolist() == ["null", "None", "01"]
        assert table["g"].tolist() == ["1.0", "", "x"]


@pytest.mark.parametrize(
    ("text", "complaint"),
    [
        ("", "is not a table"),
        ("a,b,a\n1,2,3\n", "column 'a' occurs twice"),
        ("a,b\n1,2,3\n1,2,3\n", "more cells than line 1 names columns"),
        ("a,b\n1,2\n1,2,3\n", "is not a table"),
        ("," * 2000 + "\n", "more than 1,000 columns"),
        ('a,b\n"1,2\n', "is not a table"),
    ],
)
def test_malformed_tables(tmp_path, text, complaint):
    path = tmp_path / "table.csv"
    path.write_text(text)
    with pytest.raises(PredictionsError, match=complaint):
        read_csv_texts(path, PredictionsError)


def test_questions_may_be_compressed_and_begin_with_a_byte_order_mark(tmp_path):
    path = tmp_path / "questions.txt"
    path.write_bytes(gzip.compress("\ufeff: family\r\nhe she king queen\r\n".encode()))
    assert read_questions(path) == {"family": [("he", "she", "king", "queen")]}
