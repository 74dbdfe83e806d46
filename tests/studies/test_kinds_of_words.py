"""Topics of attributes and levels of crossed groups go with pairs wherever these are compared."""

import numpy as np
import pytest
from samples import in_copies, make_frame

import bayesbias as bb
from bayesbias.fits.sentences import Names
from bayesbias.inference.adapting import adapt_model_to_data
from bayesbias.inference.model_files import load_model
from bayesbias.pairs.provenance import with_provenance
from bayesbias.report.folder_reading import load_results
from bayesbias.report.folder_writing import write_change
from bayesbias.studies import across_embeddings, over_time
from bayesbias.studies import change as change_study

LEVELS = {
    "race": {"black": ["black_women", "black_men"], "white": ["white_women", "white_men"]},
    "gender": {"women": ["black_women", "white_women"], "men": ["black_men", "white_men"]},
}
GROUPS = [*LEVELS["race"]["black"], *LEVELS["race"]["white"]]
KNOWN = {"attribute_topic", "race_attribute", "gender_attribute"}


def moved(frame, seed):
    noise = np.random.default_rng(seed).normal(0.02, 0.03, len(frame))
    found = frame.assign(cosine_distance=frame["cosine_distance"] + noise)
    found.attrs = dict(frame.attrs)
    return found


@pytest.fixture(scope="module")
def frame():
    """Crossed groups and attributes in topics of two."""
    frame = make_frame(n_words=4, n_attributes={"associated": 4, "different": 4})
    number = frame["attribute"].str[-1].astype(int)
    frame["topic"] = frame["attribute"].str[:-1] + (number // 2).astype(str)
    word = frame["protected_word"].astype("category").cat.codes
    frame["group"] = np.array(GROUPS)[word % 4]
    for factor, levels in LEVELS.items():
        of = {group: level for level, groups in levels.items() for group in groups}
        frame[factor] = frame["group"].map(of)
    titles = {group: group.replace("_", " ").capitalize() for group in GROUPS}
    return with_provenance(frame, source={"factors": LEVELS, "titles": titles})


class Asked(Exception):
    """What a study asked to be fitted."""


def refuse(frame, spec, **options):
    """Stand for the fit; of an embedding's own runs, which are fitted first, there is none."""
    if load_model(spec).name != "runs":
        raise Asked(frame, spec)


def known(frame, spec):
    """Which of the terms of topics and factors a model has as it is fitted to a frame."""
    return {term.name for term in adapt_model_to_data(load_model(spec), frame)[0].terms} & KNOWN


def plain(frame):
    """Return a frame that does not say what its words are."""
    found = frame.drop(columns=["topic", *LEVELS])
    found.attrs = {}
    return found


def in_runs(frame, seed):
    runs = in_copies(frame, ["run"])
    runs.attrs = dict(frame.attrs)
    return moved(runs, seed)


@pytest.fixture(scope="module")
def change(frame):
    """Of sides of which one says what its words are; the other's columns are not needed."""
    return bb.compare_change(plain(moved(frame, 1)), moved(frame, 2), seed=1, draws=250)


COMPARED = {
    change_study: lambda sides: bb.compare_change(*sides[:2], seed=1),
    across_embeddings: lambda sides: bb.compare_embeddings(dict(enumerate(sides)), seed=1),
    over_time: lambda sides: bb.over_time(dict(enumerate(sides)), seed=1),
}
"""Every comparison of the same pairs, by the module that has it fitted."""


@pytest.mark.parametrize("runs", [False, True], ids=["once", "runs"])
@pytest.mark.parametrize("module", COMPARED, ids=lambda module: module.__name__.rpartition(".")[2])
def test_comparisons_know_topics_factors_and_titles(frame, module, runs, monkeypatch):
    """Also if a single side knows them, whichever it is."""
    for knows in (0, 1):
        sides = [moved(frame, seed) for seed in (1, 2, 3)]
        sides = [side if number == knows else plain(side) for number, side in enumerate(sides)]
        if runs:
            sides = [in_runs(side, seed) for seed, side in enumerate(sides)]
        monkeypatch.setattr(module, "fit", refuse)
        with pytest.raises(Asked) as found:
            COMPARED[module](sides)
        pairs, spec = found.value.args
        assert known(pairs, spec) == KNOWN
        assert Names.of_frame(pairs).title["black_women"] == "Black women"


@pytest.mark.slow
def test_a_change_is_written_read_and_reported(change, tmp_path, undrawn):
    write_change(change, tmp_path / "out")
    read, _ = load_results(tmp_path / "out")
    assert read.fit.contrast_levels == change.fit.contrast_levels
    for column in ("topic", *LEVELS):
        assert read.pairs[column].tolist() == change.pairs[column].tolist()
    bb.write_report(read, tmp_path / "page.html")
    page = (tmp_path / "page.html").read_text(encoding="utf-8")
    assert "Contrasts by factor" in page
    assert "black women beyond both" in page
    assert "black: black_women, black_men; white: white_women, white_men" in page
    assert "black women beyond both" in str(read)
    assert (tmp_path / "out" / "contrasts_by_factor.csv").is_file()
    pairs = tmp_path / "out" / "pairs.csv"
    pairs.write_text(pairs.read_text("utf-8").replace("associated0,", "associated1,", 1), "utf-8")
    with pytest.raises(bb.errors.FitError, match="are not those that were fitted"):
        load_results(tmp_path / "out")
