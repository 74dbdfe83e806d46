"""Tables of whatever container: the words and the vectors are found by type, all else is named."""

import json
import warnings

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyarrow import feather, ipc, parquet

import bayesbias as bb
from bayesbias.errors import ArgumentError, DataWarning, EmbeddingError

WORDS = ["king", "queen", "naïve", "New York", "null"]
MATRIX = np.array([[0.5, 1, 2], [3, -4.25, 5], [6, 7, 8.5], [-1, 0, 1], [2, 2, 0]], np.float32)
LISTS = [row.tolist() for row in MATRIX]
WIDE = pd.DataFrame(MATRIX, columns=["d0", "d1", "d2"], index=WORDS)
LONG = pd.DataFrame({"term": WORDS, "embedding": LISTS})
RECORDS = [{"term": w, "embedding": v} for w, v in zip(WORDS, LISTS, strict=True)]

ARROW = pa.Table.from_pandas(LONG, preserve_index=False)
HALVES = pa.list_(pa.float16())


def loaded(source, **how):
    """Return the vectors of a source and what was noted."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        kv = bb.load_embedding(source, **how)
    return kv, " | ".join(str(one.message) for one in caught)


def assert_read(source, **how):
    kv, note = loaded(source, **how)
    assert kv.index_to_key == WORDS
    np.testing.assert_array_equal(kv.vectors, MATRIX)
    assert loaded(source, words=["queen", "absent"], **how)[0].index_to_key == ["queen"]
    assert len(loaded(source, limit=2, **how)[0]) == 2
    return note


def fixed(width=3):
    return pa.FixedSizeListArray.from_arrays(pa.array(MATRIX.ravel()), width)


FILES = {
    "wide.csv": lambda p: WIDE.to_csv(p, index_label="term"),
    "numbered.csv": lambda p: WIDE.set_axis(range(3), axis=1).to_csv(p),
    "bare.csv": lambda p: WIDE.to_csv(p, header=False),
    "r.csv": lambda p: p.write_text(WIDE.to_csv().replace(",d0", "d0", 1), encoding="utf-8"),
    "bom.csv": lambda p: WIDE.to_csv(p, encoding="utf-8-sig", lineterminator="\r\n"),
    "semicolons.csv": lambda p: WIDE.to_csv(p, sep=";", decimal=","),
    "wide.tsv": lambda p: WIDE.to_csv(p, sep="\t", index_label="term"),
    "brackets.csv": lambda p: LONG.to_csv(p, index=False),
    "semicolons and brackets.csv": lambda p: LONG.to_csv(p, index=False, sep=";"),
    "numpy.tsv": lambda p: LONG.assign(embedding=[str(v) for v in MATRIX]).to_csv(
        p, sep="\t", index=False
    ),
    "lists.parquet": lambda p: LONG.to_parquet(p),
    "wide.parquet": lambda p: WIDE.to_parquet(p),
    "fixed.parquet": lambda p: parquet.write_table(pa.table({"term": WORDS, "v": fixed()}), p),
    "half.parquet": lambda p: parquet.write_table(
        pa.table([pa.array(WORDS).dictionary_encode(), fixed().cast(HALVES)], ["t", "v"]), p
    ),
    "lists.feather": lambda p: feather.write_feather(LONG, p),
    "lists.arrow": lambda p: ipc.new_stream(p, ARROW.schema).write(ARROW),
    "records.json": lambda p: p.write_text(json.dumps(RECORDS)),
    "lines.jsonl": lambda p: p.write_text("\n".join(map(json.dumps, RECORDS))),
    "columns.json": lambda p: LONG.to_json(p),
    "arrays.json": lambda p: p.write_text(json.dumps({"terms": WORDS, "rows": LISTS})),
    "mapping.json": lambda p: p.write_text(json.dumps(dict(zip(WORDS, LISTS, strict=True)))),
    "answer.json": lambda p: p.write_text(json.dumps({"object": "list", "data": RECORDS})),
}


@pytest.mark.parametrize("name", FILES)
def test_every_container_gives_the_same_vectors(name, tmp_path):
    FILES[name](tmp_path / name)
    assert assert_read(tmp_path / name) == ""


class Polars:
    """Stands for a frame of polars, or any other that has Arrow's interface."""

    def __arrow_c_stream__(self, requested_schema=None):
        return ARROW.__arrow_c_stream__(requested_schema)


OBJECTS = {
    "wide frame": WIDE,
    "words in a column": WIDE.reset_index(),
    "words last": WIDE.reset_index(drop=True).assign(term=WORDS),
    "categories": WIDE.reset_index(drop=True).assign(term=pd.Categorical(WORDS)),
    "filtered": pd.concat([WIDE.reset_index().iloc[:1], WIDE.reset_index()]).iloc[1:],
    "nullable": WIDE.astype({"d0": "Float64"}),
    "lists": LONG,
    "arrays": LONG.assign(embedding=list(MATRIX)),
    "a column as gensim's attribute": LONG.rename(columns={"embedding": "wv"}),
    "series": pd.Series(list(MATRIX), index=WORDS),
    "arrow": ARROW,
    "polars": Polars(),
    "batch": pa.RecordBatch.from_pandas(LONG, preserve_index=False),
    "columns": {"term": WORDS, "embedding": LISTS},
    "columns with a matrix": {"term": np.array(WORDS), "embedding": MATRIX},
    "records": RECORDS,
    "mapping": dict(zip(WORDS, MATRIX, strict=True)),
    "pair": (WORDS, MATRIX.astype(np.float64)),
    "pair of lists": (np.array(WORDS), LISTS),
}


@pytest.mark.parametrize("name", OBJECTS)
def test_every_object_gives_the_same_vectors(name):
    assert assert_read(OBJECTS[name]) == ""


METADATA = {
    "a count": {"count": [900, 80, 7, 6, 5]},
    "a rank in front": {"id": range(5)},
    "shares with gaps": {"polarity": [0.1, None, 0.3, 0.2, 0.5]},
    "years": {"year2": [1990] * 5, "1990": [1, 2, 3, 4, 5]},
    "a model": {"model": ["small"] * 5, "usage.tokens": [1] * 5},
    "numbers as texts": {"id": ["7", "8", "9", "10", "11"]},
    "true and false": {"is_name": [True, False] * 2 + [True]},
}


@pytest.mark.parametrize("kind", METADATA)
@pytest.mark.parametrize("form", ["csv", "parquet", "jsonl", "frame"])
def test_a_column_that_is_no_dimension_is_passed_over_and_named(kind, form, tmp_path):
    """Read as a dimension, a column of counts makes all words equally close, silently."""
    extra = METADATA[kind]
    frame = WIDE.rename_axis("term").reset_index() if form in ("csv", "frame") else LONG
    for at in (0, len(frame.columns)):
        source = frame.copy()
        for name, cells in extra.items():
            source.insert(at, name, cells)
        if form != "frame":
            path = tmp_path / f"v.{form}"
            write = {"csv": "to_csv", "parquet": "to_parquet", "jsonl": "to_json"}[form]
            options = {"jsonl": {"orient": "records", "lines": True}, "csv": {"index": False}}
            getattr(source, write)(path, **options.get(form, {}))
            source = path
        note = assert_read(source)
        assert all(f"'{name}'" in note for name in extra)
        assert note.count("passed over") == 1


def test_records_of_services_and_data_bases(tmp_path):
    """Vectors deep in a record, and beside a nested one; what else is there is named."""
    pairs = list(zip(WORDS, LISTS, strict=True))
    bodies = ({"status": 200, "body": {"data": [{"embedding": v, "index": 0}]}} for v in LISTS)
    deep = [{"custom_id": w, "response": body} for w, body in zip(WORDS, bodies, strict=True)]
    beside = [{"id": w, "values": v, "metadata": {"lang": "en", "tags": []}} for w, v in pairs]
    for records in (deep, beside):
        (tmp_path / "v.jsonl").write_text("\n".join(map(json.dumps, records)))
        assert "passed over" in assert_read(tmp_path / "v.jsonl")
        assert "passed over" in assert_read(records)


def test_two_candidates_are_an_error_that_names_the_option(tmp_path):
    two = LONG.assign(pos=["n", "n", "adj", "n", "n"], old=LISTS[::-1])
    two.to_parquet(tmp_path / "v.parquet")
    for source in (two, tmp_path / "v.parquet"):
        for how, complaint in (
            ({}, "'embedding', 'old' can all be the vectors.*--vec"),
            ({"vector_column": "embedding"}, "'term', 'pos' can all be the words.*--word-column"),
        ):
            with pytest.raises(EmbeddingError, match=complaint):
                bb.load_embedding(source, **how)
        for wrong in ({"vector_column": "embeding"}, {"word_column": "tern"}):
            with pytest.raises(ArgumentError, match=r"no column.*did you mean '(embedding|term)'"):
                bb.load_embedding(source, **wrong)
        how = {"word_column": "term", "vector_column": "embedding"}
        assert "'pos', 'old'" in assert_read(source, **how)
    both = WIDE.assign(e0=1.0, e1=2.0).rename_axis("term").reset_index()
    with pytest.raises(EmbeddingError, match="'d0' to 'd2', 'e0' to 'e1' can all be the vectors"):
        bb.load_embedding(both)
    assert "'e0', 'e1'" in assert_read(both, vector_column="d")
    assert "'e0', 'e1'" in assert_read(both, vector_column=["d0", "d1", "d2"])
    with pytest.raises(EmbeddingError, match="'flag' has no numbers or lists of them: bool"):
        bb.load_embedding(both.assign(flag=True), vector_column=["d0", "flag"])
    with pytest.raises(EmbeddingError, match="can all be the vectors"):
        bb.load_embedding(both, vector_column=[])
    gap = WIDE.rename(columns={"d2": "d7"})
    assert loaded(gap)[0].vector_size == 2  # and the other is named
    assert "'d7'" in loaded(gap)[1]
    assert assert_read(gap, vector_column="d") == ""


@pytest.mark.parametrize(
    ("source", "complaint"),
    [
        (pd.DataFrame(), "no vectors"),
        (WIDE.reset_index(drop=True), "no column of words"),
        (WIDE.set_axis(["x", "y", "z"], axis=1), "names count, as d0, d1.*'x' .float.*transpose"),
        (LONG.assign(embedding=[[1.0, 2.0], *LISTS[1:]]), r"row 1 \('king'\) has a component"),
        (LONG.assign(embedding=[[np.nan] * 3, *LISTS[1:]]), r"row 1 \('king'\) has a component"),
        (WIDE.assign(d1=["1", "?", "3", "4", "5"]), r"row 2 \('queen'\) has a component"),
        (WIDE.assign(d1=[1e300, 2, 3, 4, 5]), r"row 1 \('king'\) has a component"),
        (LONG.assign(embedding="[0.1 ... 0.3]"), "cut by ..., as numpy prints.*tolist"),
        ({"king": [1.0, 2.0], "queen": [1.0]}, "not numbers, or not of one length"),
        ({"king": [10**400, 1]}, r"not numbers, .*too large"),
        ({1: [1.0]}, "1 is not a text"),
        (pd.concat([WIDE, WIDE[["d1"]]], axis=1), "column 'd1' is there twice; rename one"),
        ([{"term": "king"}], "no column of lists"),
        ({"a": [1.0], "b": ["x", "y"]}, "holds no vectors with words"),
        ((["a"], np.ones((2, 3))), r"need a matrix of shape \(1, dimension\)"),
        (3, "cannot read vectors from 'int'"),
        (len, "cannot read vectors from 'builtin_function_or_method'"),
    ],
)
def test_objects_that_are_no_vectors(source, complaint):
    with pytest.raises(EmbeddingError, match=complaint):
        bb.load_embedding(source)


BROKEN = {
    "cut.json": ('{"king": [1, 2', "is no sound JSON"),
    "deep.json": ("[" * 100_000, "is no sound JSON"),
    "huge.json": (json.dumps(RECORDS).replace("0.5", "9" * 4000), r"row 1 \('king'\) has a"),
    "huge.jsonl": (
        ('{"w": "a", "v": [1' + "0" * 5000 + "]}\n") * 2,
        "is no sound JSON .*4300 digits",
    ),
    "text.json": ('{"king": "x"}', "no vectors with words"),
    "ragged.csv": ("w,d0,d1\na,1,2\nb,3\n", "Expected 3 columns, got 2"),
    "gap.csv": ("w,d0,d1\na,1,2\nb,,3\n", r"row 2 \('b'\) has a component"),
    "bare.csv": ("0.5,1.5\n-0.1,2.5\n", "no column of words"),
    "cut.parquet": ("PAR1....PAR1", "damaged or cut short"),
    "cut.arrow": ("ARROW1\0\0....", "damaged or cut short"),
}


@pytest.mark.parametrize("name", BROKEN)
def test_tables_that_are_damaged(name, tmp_path):
    content, complaint = BROKEN[name]
    (tmp_path / name).write_text(content)
    with pytest.raises(EmbeddingError, match=complaint) as caught:
        bb.load_embedding(tmp_path / name)
    assert name in str(caught.value)
    assert len(str(caught.value)) < 600


def test_rows_without_a_word_and_repeats_are_noted(tmp_path):
    (tmp_path / "v.csv").write_bytes(b"w,d0,d1\na,1,2\nb,x,3\nfr\xfch,1,2\n,1,1\na,3,4\n")
    kv, note = loaded(tmp_path / "v.csv", words=["a"])
    assert kv["a"].tolist() == [1.0, 2.0]
    assert "2 left out, since the word is empty or not UTF-8" in note
    assert "1 left out, since an earlier vector has the same word: a" in note
    kv, _ = loaded(tmp_path / "v.csv", words=["früh"], encoding="latin-1")
    assert kv.index_to_key == ["früh"]
    (tmp_path / "v.csv").write_text("w,d0,d1\nfrüh,1,2\n", encoding="utf-16")
    assert loaded(tmp_path / "v.csv")[0].index_to_key == ["früh"]
    (tmp_path / "v.csv").write_text("of,.1,.2\n1999,.3,.4\nthe,.5,.6\n")
    assert loaded(tmp_path / "v.csv")[0].index_to_key == ["of", "1999", "the"]
    (tmp_path / "v.json").write_text('{"he": [1, 2], "she": [2, 3], "he": [3, 4]}')
    with pytest.raises(EmbeddingError, match="the key 'he' is there twice; delete one"):
        bb.load_embedding(tmp_path / "v.json")
    (tmp_path / "v.json").write_text('[{"w": "\\ud800", "v": [1, 2]}, {"w": "b", "v": [1, 2]}]')
    with pytest.raises(EmbeddingError, match="is damaged: is no sound JSON"):
        bb.load_embedding(tmp_path / "v.json")


def test_two_numbers_in_brackets_are_no_name_that_R_left_out(tmp_path):
    LONG.assign(embedding=[v[:2] for v in LISTS]).to_csv(tmp_path / "v.csv", index=False)
    np.testing.assert_array_equal(loaded(tmp_path / "v.csv")[0].vectors, MATRIX[:, :2])


def test_a_parquet_bomb_is_refused_from_its_record(tmp_path):
    same = pa.DictionaryArray.from_arrays(np.zeros(50_000_000, np.int8), pa.array([0.5]))
    parquet.write_table(pa.table({"d0": same, "d1": same}), tmp_path / "v.parquet")
    assert (tmp_path / "v.parquet").stat().st_size < 500_000
    with pytest.raises(EmbeddingError, match=r"unpacks to 8\d\d,\d\d\d,\d\d\d, as no honest table"):
        bb.load_embedding(tmp_path / "v.parquet")


def test_several_vectors_of_a_word_are_one_in_each_context(tmp_path):
    words, places = ["he", "she", "he", "she", "he"], ["news", "news", "law", "law", "news"]
    rows = pd.DataFrame({"word": words, "from": places, "vector": [[k, 1.0] for k in range(5)]})
    rows.to_parquet(tmp_path / "v.parquet")
    for source in (rows, tmp_path / "v.parquet"):
        with pytest.raises(EmbeddingError, match="'word', 'from' can all be the words"):
            bb.load_embedding(source)
        with pytest.warns(DataWarning, match="context 'news': 1 left out, since an earlier"):
            contexts = bb.vectors.load_contexts(source, context_column="from")
        found = {name: kv["he"].tolist() for name, kv in contexts.items()}
        assert found == {"news": [0.0, 1.0], "law": [2.0, 1.0]}
        samples = bb.vectors.load_contexts(rows[["word", "vector"]], words=["he"])
        assert [kv["he"][0] for kv in samples.values()] == [0.0, 2.0, 4.0]
        assert list(samples) == ["sample 1", "sample 2", "sample 3"]
    (tmp_path / "v.txt").write_text("he 1 2\nhe 2 3\n")
    with pytest.raises(EmbeddingError, match="is no table, as words with several vectors need"):
        bb.vectors.load_contexts(tmp_path / "v.txt")
    with pytest.warns(
        DataWarning, match="3 left out, since an earlier vector has the same word: he, she"
    ):
        assert bb.load_embedding(rows[["word", "vector"]])["he"].tolist() == [0.0, 1.0]
