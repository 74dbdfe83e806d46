import copy
import json
import pickle

import pandas as pd
import pytest
from tiny_list import TINY as WL
from tiny_list import VECTORS

import bayesbias as bb
from bayesbias.support.bounded_files import file_checksum
from bayesbias.words.provenance import (
    KEY,
    missing_of,
    missing_words,
    provenance_of,
    source_of,
    with_provenance,
)

ROW = {"word": "w", "role": "attribute", "list": "human", "reason": "not in the vectors"}


def test_steps_of_pandas_copy_nothing(monkeypatch):
    frame = with_provenance(pd.DataFrame({"a": range(9)}), missing=[ROW] * 500)
    calls = []
    original = copy.deepcopy
    monkeypatch.setattr(copy, "deepcopy", lambda *a: calls.append(a) or original(*a))
    after = frame[frame["a"] > 2].copy().assign(b=1).rename(columns={"a": "c"}).head(3)
    assert after.attrs[KEY] is frame.attrs[KEY]
    assert len(calls) < 50  # 500 rows of a plain list would be thousands
    assert copy.deepcopy(frame.attrs)[KEY] is frame.attrs[KEY]


def test_the_record_travels():
    frame = with_provenance(pd.DataFrame(), source={"found_as": {"a": "A"}}, missing=[ROW])
    assert json.loads(json.dumps(frame.attrs))[KEY]["missing"] == [ROW]
    back = pickle.loads(pickle.dumps(frame))
    assert missing_of(back) == (ROW,)


@pytest.mark.parametrize(
    "own",
    [
        {"source": 3, "missing": object()},
        {KEY: {"source": ["x"]}},
        {KEY: {"source": {}, "missing": [{"word": 1}]}},
        {KEY: {"source": {"titles": {"man": 1}}}},
        {KEY: {"source": {"vectors_sha256": None}}},
    ],
)
def test_what_users_keep_in_attrs_is_never_read(frame, own):
    """Nor a source of another form: answers are made from its parts, which broke them."""
    frame.attrs = own
    assert dict(source_of(frame)) == {}
    assert missing_of(frame) is None
    with pytest.raises(TypeError, match="must have the forms described"):
        with_provenance(frame, source={"titles": {"man": 1}})


def test_parquet_takes_a_frame_with_attributes_of_its_users(frame, tmp_path):
    with_provenance(frame, missing=[ROW], source={"embedding": "v.bin"})
    frame.attrs["mine"] = object()
    bb.write_distances(frame, tmp_path / "d.parquet")
    back = bb.read_distances(tmp_path / "d.parquet")
    assert missing_words(back).to_dict("records") == [ROW]
    assert source_of(back)["embedding"] == "v.bin"
    del frame.attrs["mine"]
    frame.to_parquet(tmp_path / "pandas.parquet")  # pandas itself writes and reads the record
    assert missing_of(pd.read_parquet(tmp_path / "pandas.parquet")) == (ROW,)


def test_the_file_of_the_vectors_is_recorded(tmp_path):
    path = tmp_path / "v.txt"
    path.write_text("\n".join(f"{w} {v[0]} {v[1]}" for w, v in VECTORS.items()) + "\n")
    kv = bb.load_embedding(path, limit=5)
    source = source_of(bb.distances(kv, WL))
    assert source["embedding"] == "v.txt"
    assert source["embedding_sha256"] == file_checksum(path)
    assert source["limit"] == 5
    assert source["wordlist_sha256"] == WL.checksum()


def test_vectors_in_memory_are_known_by_their_content():
    kv = bb.load_embedding(VECTORS)
    source = source_of(bb.distances(kv, WL))
    assert not {"embedding", "embedding_sha256"} & set(source)
    other = bb.load_embedding(VECTORS | {"saw": [3.0, 0.1]})
    assert source_of(bb.distances(other, WL))["vectors_sha256"] != source["vectors_sha256"]
    assert "embedding" not in source_of(bb.distances(copy.deepcopy(kv), WL))


@pytest.mark.filterwarnings("ignore::bayesbias.errors.MissingWordsWarning")
def test_a_saved_fit_keeps_the_record(tmp_path):
    frame = bb.distances(bb.example_embedding(), "gender")
    bb.fit(frame, "paper", draws=100, seed=1).save(tmp_path / "fit.nc")
    back = bb.load_fit(tmp_path / "fit.nc").frame
    assert provenance_of(back) == provenance_of(frame)
