"""Bounded reading of texts and of tables."""

import gzip

import pytest

import bayesbias as bb
from bayesbias.analogies import read_questions
from bayesbias.errors import BayesBiasError, PredictionsError
from bayesbias.show.csv_files import read_csv_texts
from bayesbias.support.bounded_files import read_text


@pytest.mark.parametrize("scheme", ["http", "ftp"])
def test_addresses_are_not_opened(scheme):
    with pytest.raises(PredictionsError, match="addresses are not opened"):
        read_text(f"{scheme}://127.0.0.1:9/people.csv", PredictionsError)
    for read in (bb.load_embedding, bb.load_wordlist, bb.read_distances):
        with pytest.raises(BayesBiasError, match="addresses are not opened; download the file"):
            read(f"{scheme}://127.0.0.1:9/file.toml")


def test_bombs_and_archives_are_refused(tmp_path):
    path = tmp_path / "people.csv.gz"
    bomb = gzip.compress(b"1,2,3\n" * 8_000_000)
    for content, complaint in (
        (bomb, "unpacks to more than 100 times its size"),
        (bomb[:100], "damaged or cut short"),
        (
            b"PK\x03\x04\x14\x00\xff\xfe",
            "is an archive or an Excel file; unpack it, or save it as CSV",
        ),
    ):
        path.write_bytes(content)
        with pytest.raises(PredictionsError, match=complaint):
            read_text(path, PredictionsError)


def test_texts_stay_as_they_are_written(tmp_path):
    path = tmp_path / "table.csv"
    for delimiter in ",;\t":
        rows = ["y|p|g", "NA|null|1.0", '"a, b;"|None|', "\u00e9|01|x"]
        text = "\ufeff" + "\n".join(r.replace("|", delimiter) for r in rows)
        path.write_text(text, encoding="utf-8")
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


def test_json_is_no_table(tmp_path):
    path = tmp_path / "people.json"
    for text in ('[{"a": 1}, 2]', '\ufeff{"a": [1, 2]}', '{"a": 1}\n{"a": 2}'):
        path.write_text(text, encoding="utf-8")
        with pytest.raises(PredictionsError, match="is JSON; give a table"):
            read_csv_texts(path, PredictionsError)


def test_questions_may_be_compressed_and_begin_with_a_byte_order_mark(tmp_path):
    path = tmp_path / "questions.txt"
    path.write_bytes(gzip.compress("\ufeff: family\r\nhe she king queen\r\n".encode()))
    assert read_questions(path) == {"family": [("he", "she", "king", "queen")]}
