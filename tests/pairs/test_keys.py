"""One pair key: with runs, contexts, layers, embeddings every copy of a pair counts, and once."""

import numpy as np
import pandas as pd
import pytest
from samples import FEW, in_copies, make_frame

import bayesbias as bb
from bayesbias.errors import DistancesError
from bayesbias.fits.placebo import _redealer
from bayesbias.measures import mac, mean_average_distance
from bayesbias.pairs.conditions import paired
from bayesbias.pairs.distance_figures import plot_distances
from bayesbias.pairs.keys import drop_repeats, repeated_columns

COLUMNS = ["run", "context", "layer", "embedding"]


@pytest.fixture(params=COLUMNS)
def copies(request):
    """The same pairs in three values of a column, all of them twice."""
    frame = in_copies(make_frame(n_words=4), [request.param])
    return pd.concat([frame, frame], ignore_index=True)


@pytest.fixture(params=COLUMNS[:3])
def single(request):
    return in_copies(make_frame(n_words=4, n_attributes=FEW), [request.param])


def test_every_copy_is_kept_and_once(copies):
    half = len(copies) // 2
    pd.testing.assert_frame_equal(drop_repeats(copies), copies.iloc[:half])
    one = copies[copies[repeated_columns(copies)[0]] == copies[repeated_columns(copies)[0]].iloc[0]]
    assert len(drop_repeats(one)) == half // 3


def test_mac_is_the_mean_over_copies(copies):
    [column] = repeated_columns(copies)
    parts = [mean_average_distance(part) for _, part in copies.groupby(column)]
    assert np.ptp(parts) > 1e-4
    assert mean_average_distance(copies) == pytest.approx(np.mean(parts), rel=1e-12)


def test_mac_refuses_copies_that_no_known_column_tells_apart():
    """It took the first of them without a word."""
    copies = in_copies(make_frame(n_words=4, n_attributes=FEW), ["voice"])
    with pytest.raises(DistancesError, match="has different distances in different rows"):
        mac(copies)


def test_the_measure_mac_agrees(single):
    assert mac(single).value == pytest.approx(mean_average_distance(single), rel=1e-12)


def test_a_figure_has_a_line_per_attribute_and_a_mark_per_copy(copies):
    axis = plot_distances(copies, ["word0"]).axes[0]
    labels = [label.get_text() for label in axis.get_yticklabels()]
    assert sum("associated" in label for label in labels) == 5
    assert labels[-2:] == ["human (15 words)", "neutral (20 words)"]
    marks = sum(len(line.get_xdata()) for line in axis.lines if line.get_marker() != "None")
    assert marks == 3 * (5 + 6 + 15 + 20)


@pytest.mark.parametrize("column", ["run", "language"])
def test_redealt_lists_keep_every_copy(column):
    """A column of the user's own is one if the model says so."""
    frame = in_copies(make_frame(n_words=4, n_attributes=FEW), [column])
    deal, _ = _redealer(frame, [column])
    dealt = deal(np.random.default_rng(1))
    by = [column, "connection"]
    assert dealt.groupby(by).size().to_dict() == frame.groupby(by).size().to_dict()
    key = ["protected_word", "attribute", column]
    both = frame.merge(dealt, on=key, suffixes=("", "_dealt"))
    assert len(both) == len(frame)
    assert (both["cosine_distance"] == both["cosine_distance_dealt"]).all()


def of_runs(name):
    """A shipped model with runs in the place of its terms; `runs` takes ten times as long."""
    term = bb.models.TermSpec("run", ("run",), prior=bb.models.Prior("exponential", rate=10.0))
    return bb.load_model(name).replace(name="mine", terms=(term,))


def test_a_placebo_of_runs_has_runs():
    frame = in_copies(make_frame(n_words=4, n_attributes=FEW), ["run"])
    found = bb.fit(frame, of_runs("paper"), seed=1).placebo(n=2, kind="redeal", seed=1)
    sd = found.lists.groupby("group", sort=False)["sd"].agg(["mean", "size"])
    assert found.table["posterior_sd"].to_numpy() == pytest.approx(sd["mean"].to_numpy())
    assert (sd["size"] == 2).all()


def test_pairs_are_matched_copy_by_copy(single):
    after = single.assign(cosine_distance=single["cosine_distance"] + 0.1)
    pairs, unpaired = paired(single, after.sample(frac=1, random_state=1))
    assert unpaired.empty
    assert len(pairs) == len(single)
    assert pairs["change"].to_numpy() == pytest.approx(0.1)
    with pytest.raises(DistancesError, match="and the frame after has not"):
        paired(single, make_frame(n_words=4, n_attributes=FEW))


def test_one_layer_on_each_side_is_no_key():
    before, after = (
        make_frame(n_words=4, n_attributes=FEW, seed=i).assign(layer=str(i)) for i in range(2)
    )
    pairs, unpaired = paired(before, after)
    assert (len(pairs), len(unpaired)) == (len(before), 0)


@pytest.mark.parametrize("suffix", ["csv", "parquet"])
def test_files_keep_every_copy(single, tmp_path, suffix):
    bb.write_distances(single, tmp_path / f"pairs.{suffix}")
    back = bb.read_distances(tmp_path / f"pairs.{suffix}")
    pd.testing.assert_frame_equal(back, single, check_dtype=False)


def test_a_folder_of_changed_runs_is_read_with_its_runs(tmp_path, undrawn):
    from bayesbias.report.folder_reading import load_results
    from bayesbias.report.folder_writing import write_change

    before = in_copies(make_frame(n_words=4, n_attributes=FEW), ["run"])
    moved = np.random.default_rng(2).normal(0.05, 0.02, len(before))
    after = before.assign(cosine_distance=before["cosine_distance"] + moved)
    change = bb.compare_change(before, after, model=of_runs("change"), seed=1)
    write_change(change, tmp_path / "out")
    read, _ = load_results(tmp_path / "out")
    assert read.pairs["run"].tolist() == change.pairs["run"].tolist()
    pd.testing.assert_frame_equal(read.shares, change.shares)
