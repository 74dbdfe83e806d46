"""Every model is asked every question: model × question × writer × command, on small frames."""

import pytest
from samples import in_copies, make_frame

import bayesbias as bb

SMALL = {"associated": 3, "different": 3, "human": 4, "neutral": 6}


@pytest.mark.usefixtures("undrawn")
@pytest.mark.parametrize(("column", "model"), [("run", "runs"), ("context", "contextual")])
def test_a_report_of_copies(column, model, tmp_path):
    frame = in_copies(make_frame(n_words=4, n_attributes=SMALL), [column], copies=2)
    bb.write_report(bb.fit(frame, model, seed=1, draws=100), tmp_path / "report.html")
    assert "these pairs have several" in (tmp_path / "report.html").read_text(encoding="utf-8")


@pytest.mark.filterwarnings("ignore::bayesbias.errors.ConvergenceWarning")
def test_chains_are_checked_wherever_they_answer():
    """Draws of the Gibbs sampler are chains, in a summary, a change and several embeddings."""
    frame = make_frame(n_words=4, n_attributes=SMALL)
    other = make_frame(n_words=4, n_attributes=SMALL, seed=1)
    few = {"draws": 50, "tune": 20, "chains": 2, "seed": 1}
    joint = bb.load_model("embeddings")
    degrees = bb.load_model("student-t").degrees_of_freedom
    joint = joint.replace(likelihood="student_t", degrees_of_freedom=degrees)
    both = bb.compare_embeddings(
        {"a": frame, "b": other}, joint_model=joint, model="student-t", **few
    )
    changes = bb.load_model("change").replace(likelihood="student_t", degrees_of_freedom=degrees)
    change = bb.compare_change(frame, other, model=changes, **few)
    alone = bb.fit(frame, "student-t", **few)
    for table in (both.table, both.together, both.differences, change.table, alone.summary().table):
        assert table["r_hat"].notna().all()
    plain = bb.fit(frame, "paper", seed=1)
    assert "r_hat" not in plain.summary().table
