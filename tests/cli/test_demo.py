"""The demo: the package's own main job, with nothing to fetch and no file to find."""

import pytest

import bayesbias as bb
from bayesbias.cli import main

FAST = ["--draws", "500"]


def without_page(monkeypatch):
    """Write no page, which takes longer than the rest."""
    monkeypatch.setattr("bayesbias.report.write_report", lambda *_, **__: None)


@pytest.mark.usefixtures("undrawn")
def test_the_demo_finds_something_and_says_where_to_go_next(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["demo", *FAST]) == 0
    printed = capsys.readouterr().out
    row = next(line for line in printed.splitlines() if line.startswith("associated − different"))
    assert row.split()[-1] == "closer"
    assert printed.startswith("Words for women are closer than words for men to occupations")
    assert printed.index("missing attribute words of neutral (") < printed.index("\nThen\n")
    _, then = printed.split("\nThen\n")
    assert printed.splitlines()[2].startswith("Next: open bayesbias-demo/report.html")
    assert "GloVe" in then
    folder = tmp_path / "bayesbias-demo"
    assert (folder / "report.html").stat().st_size > 10_000
    assert len(bb.load_fit(folder).design.protected) == 14
    without_page(monkeypatch)
    assert main(["demo", "--quiet", "--model", "paper", *FAST]) == 0  # again, over the first
    assert capsys.readouterr().out == ""


@pytest.mark.usefixtures("undrawn")
def test_planted_association_is_recovered(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    without_page(monkeypatch)
    assert main(["demo", "--planted", "--prob", "0.99", "--model", "paper", *FAST]) == 0
    printed = capsys.readouterr().out
    recovered = printed[printed.index("Planted and recovered (99% HPDI):") :]
    assert recovered.count(": inside") == 4
