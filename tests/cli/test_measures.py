"""The commands ``measures`` and ``debias``."""

import json

import numpy as np
import pytest
from samples import small_list

import bayesbias as bb
from bayesbias.cli import main
from bayesbias.measures import MEASURES
from bayesbias.simulate import planted_embedding
from bayesbias.support.bounded_files import file_checksum


@pytest.fixture(scope="module")
def vectors(tmp_path_factory):
    """A file of a short gender list's vectors, planted, with one attribute missing."""
    path = tmp_path_factory.mktemp("vectors") / "gender.bin"
    listed = small_list(path.parent, "gender")
    kv = planted_embedding(listed, similarity=0.3, dim=60, seed=1).vectors
    words = [w for w in kv.index_to_key if w != "nurse"]
    bb.load_embedding((words, kv[words])).save_word2vec_format(str(path), binary=True)
    return path


def listed(vectors):
    return str(vectors.with_name("gender.toml"))


def test_measures_stand_beside_the_posterior(vectors, capsys):
    assert main(["measures", str(vectors), "--wordlist", listed(vectors), "--rope", "0.1"]) == 0
    printed = capsys.readouterr().out
    kv = bb.load_embedding(vectors)
    wl = bb.load_wordlist(listed(vectors))
    with pytest.warns(UserWarning, match="nurse"):
        results = bb.measures.all_measures(kv, wl, seed=1)
    assert {r.measure for r in results} == set(MEASURES)
    for result in results:
        said = f"{result.value:+.4f}" if not result.skipped else f"{result.measure}: skipped"
        assert said in printed
    assert "missing attribute words of woman_stereotype (1): nurse" in printed
    assert "p of WEAT: exact: all 3,432 partitions" in printed
    assert "Posterior of model 'maximal'" in printed
    assert "associated − different" in printed
    assert "(ROPE) of ±0.1" in printed
    for sentence in ("not how large", "nothing about what lies off it", "not by how much"):
        assert sentence in " ".join(printed.split())


def test_measures_say_what_a_list_does_not_allow(tmp_path, capsys):
    religion = small_list(tmp_path, "religion")
    kv = planted_embedding(religion, similarity=0.2, dim=60, seed=1).vectors
    path = tmp_path / "religion.bin"
    kv.save_word2vec_format(str(path), binary=True)
    assert main(["measures", str(path), "--wordlist", str(tmp_path / "religion.toml")]) == 0
    printed = " ".join(capsys.readouterr().out.split())
    assert "WEAT: skipped, needs two groups" in printed
    assert "MAC" in printed


@pytest.mark.parametrize("method", ["hard", "multiclass", "soft", "subspace"])
def test_debias_writes_vectors_and_a_record(vectors, tmp_path, capsys, method):
    out = tmp_path / "out.bin"
    before = file_checksum(vectors)
    assert main(["debias", method, str(vectors), str(out), "--wordlist", "gender"]) == 0
    printed = capsys.readouterr().out
    assert f"{method}: 7 defining sets" in printed
    assert "24 words neutralised" in printed
    assert "bayesbias compare" in printed
    assert file_checksum(vectors) == before
    record = json.loads((tmp_path / "out.bin.json").read_text())
    assert record["method"] == method
    assert record["sha256"] == file_checksum(out)
    old, new = bb.load_embedding(vectors), bb.load_embedding(out)
    assert new.index_to_key == old.index_to_key
    assert not np.allclose(new["manager"], old["manager"])
    if method in ("hard", "multiclass"):
        direct = bb.measures.direct_bias(
            new, ["manager"], [bb.pairs.WordPair(*pair) for pair in record["defining_sets"]]
        )
        assert direct.value < 1e-4


def test_debias_then_compare(vectors, tmp_path, capsys):
    out = tmp_path / "out.bin"
    arguments = ["debias", "hard", str(vectors), str(out), "--wordlist", "gender", "--all-words"]
    (kept, *_) = bb.load_wordlist(listed(vectors)).attribute_sets[-1].words
    assert main([*arguments, "--keep", kept]) == 0
    assert kept not in json.loads((tmp_path / "out.bin.json").read_text())["neutralised"]
    capsys.readouterr()
    compare = [
        "compare",
        str(vectors),
        str(out),
        "--wordlist",
        listed(vectors),
        "--model",
        "change",
    ]
    assert main(compare) == 0
    assert "associated − different" in capsys.readouterr().out
