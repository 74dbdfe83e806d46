"""A list of one's own, from its template to its answer: what is missing is asked for."""

import numpy as np
import pytest
from samples import make_frame

import bayesbias as bb
from bayesbias.cli import main
from bayesbias.errors import ArgumentError, DistancesError, WordListError


@pytest.fixture
def template(tmp_path, capsys):
    path = tmp_path / "mine.toml"
    assert main(["wordlists", "new", str(path)]) == 0
    assert "is a template: edit it" in capsys.readouterr().out
    return path


def checked(path, capsys):
    status = main(["wordlists", "check", str(path)])
    said = capsys.readouterr()
    return status, " ".join(f"{said.out} {said.err}".split())


def test_a_template_has_every_part_and_no_fault(template, capsys):
    text = template.read_text(encoding="utf-8")
    tables = ("protected", "associated", "attributes", "controls", "titles", "topics")
    assert [part for part in tables if f"[{part}]" not in text] == []
    assert "\nreference = [" in text.partition("[protected]")[0]
    status, said = checked(template, capsys)
    assert (status, "no faults found" in said, "no [titles]" in said) == (0, True, False)


def test_titles_are_asked_for(template, capsys):
    text = template.read_text(encoding="utf-8")
    start, _, after = text.partition("[titles]")
    rest = after[after.index("\n[") :] if "\n[" in after else ""
    template.write_text(start + rest, encoding="utf-8")
    status, said = checked(template, capsys)
    assert status == 0
    assert "no [titles] of men, women, tools, household" in said
    assert 'such as men = "words for men"' in said


def test_a_key_below_a_table_is_to_move_up(template, capsys):
    text = template.read_text(encoding="utf-8")
    line = next(one for one in text.splitlines() if one.startswith("reference = "))
    template.write_text(text.replace(line, "") + f"\n{line}\n", encoding="utf-8")
    with pytest.raises(WordListError, match="move the line up, above the first line in square"):
        bb.load_wordlist(template)
    status, said = checked(template, capsys)
    assert status != 0
    assert "reference" in said


def test_a_cell_without_a_number_is_to_be_deleted(tmp_path):
    frame = make_frame()
    frame.loc[3, "cosine_distance"] = np.nan
    frame.to_csv(tmp_path / "pairs.csv", index=False)
    with pytest.raises(DistancesError, match=r"line 5: cosine_distance is missing .* delete"):
        bb.read_distances(tmp_path / "pairs.csv")


def test_distances_in_the_place_of_vectors_are_read_as_such(tmp_path, printed):
    bb.write_distances(make_frame(), tmp_path / "pairs.csv")
    named, placed = (
        printed(f"analyze {how}{tmp_path / 'pairs.csv'} --model paper --seed 1")
        for how in ("--distances ", "")
    )
    assert "closer" in named
    assert placed == named


def test_a_fit_sends_the_rope_to_where_answers_are_asked():
    with pytest.raises(ArgumentError, match=r"fit\.contrasts\(rope=\.\.\.\)"):
        bb.fit(make_frame(), "paper", rope=0.1)
