"""Folders of results, read back."""

import numpy as np
from samples import make_frame

import bayesbias as bb
from bayesbias.report.folder_reading import load_results
from bayesbias.report.folder_writing import write_change


def test_words_like_formulas_come_back_from_the_folder_of_a_change(tmp_path):
    """The folder was refused, since the apostrophes before formulas stayed in the words."""
    names = {"word0": "=f(1)", "word1": "@user", "word2": "\t=g()", "word3": "nan"}
    before = make_frame()
    before["protected_word"] = before["protected_word"].replace(names)
    after = before.copy()
    after["cosine_distance"] += np.random.default_rng(1).normal(0.02, 0.01, len(after))
    write_change(bb.compare_change(before, after, seed=1), tmp_path / "out")
    change, _ = load_results(tmp_path / "out")
    assert set(names.values()) <= set(change.pairs["protected_word"])
