"""A kill before every file operation of every command that writes."""

import argparse
import os
import sys

import numpy as np
import pytest
from file_operations import restore, run_and_kill, state_of, states_of_kills, without_leftovers
from stopped import COMMANDS, make_inputs

from bayesbias.cli import main
from bayesbias.cli.parser import build_parser
from bayesbias.studies.sweep_run import run_sweep
from bayesbias.support.whole_files import check_file, check_folder, new_file, new_folder

pytestmark = [
    pytest.mark.skipif(sys.platform == "win32", reason="signals and forks are POSIX's"),
    pytest.mark.usefixtures("undrawn"),  # a figure is one file more, whatever it shows
]

FOLDERS = {
    "analyze": "analyze --distances d0.csv --model paper --out OUT",
    "simulate": "simulate --method weat-p --worlds 2 --words 4 --attributes 4 --jobs 1 "
    "--figures --out OUT",
    **{n: COMMANDS[n] for n in ("compare", "plan", "analogy", "classifier gaps", "convert")},
}
"""Commands that make a folder: it is there whole, or as it was."""

FILES = ("debias", "report")
"""Commands that write a file, or two."""

SLOW = ("compare", "plan")
"""Those of which the fast tests need no proof: others use the same writer."""

SAME_WRITER = {
    "facts": "plan",
    "demo": "analyze",
    "sweep": "its own test below",
    "runs": "a file a run",
}


@pytest.fixture(scope="module")
def inputs(tmp_path_factory):
    place = tmp_path_factory.mktemp("inputs")
    make_inputs(place)
    return place


@pytest.fixture
def command(inputs, monkeypatch):
    """A call of the command line, in which every further run replaces what is there."""
    monkeypatch.chdir(inputs)

    def of(arguments, out):
        def run():
            taken = out.is_file() or (out.is_dir() and any(out.iterdir()))
            given = arguments.replace("OUT", str(out)).split()
            assert main([*given, *(["--overwrite"] if taken else []), "--quiet"]) == 0

        return run

    return of


def next_run_of_a_folder(place):
    """Check that nothing of a killed run is in the way of the next."""
    out, full = place / "out", bool(without_leftovers(state_of(place / "out")))
    check_folder(out, overwrite=full)
    with new_folder(out, overwrite=full) as temporary:
        (temporary / "next").write_text("")
    assert set(without_leftovers(state_of(out))) == {"next"}


def next_run_of_a_file(place):
    check_file(place / "out", overwrite=True)
    with new_file(place / "out") as temporary:
        temporary.write_text("next")
    assert (place / "out").read_text() == "next"


@pytest.mark.parametrize(
    ("name", "before"),
    [
        *((name, before) for name in ("simulate", "convert") for before in ("absent", "empty")),
        *(
            pytest.param(name, "full", marks=[pytest.mark.slow] if name in SLOW else [])
            for name in FOLDERS
        ),
    ],
)
def test_a_folder_is_whole_or_as_it_was(name, before, command, tmp_path):
    work = tmp_path / "work"
    work.mkdir()
    if before == "empty":
        (work / "out").mkdir()
    run = command(FOLDERS[name], work / "out")
    if before == "full":
        run()
    states = states_of_kills(work, run)
    old, new = without_leftovers(states[0]), states[-1]
    assert without_leftovers(new) == new  # a run that was not killed leaves nothing
    assert len(states) > 5
    # An empty folder is filled, and whole once the last file is there.
    whole = [s for s in states if before != "empty" or "out/manifest.json" in s]
    assert all(without_leftovers(state) in (old, new) for state in whole)
    for number, state in enumerate(states):
        next_run_of_a_folder(restore(state, tmp_path / f"k{number}"))


@pytest.mark.parametrize("name", FILES)
def test_a_file_is_whole_or_as_it_was(name, command, tmp_path):
    work = tmp_path / "work"
    work.mkdir()
    run = command(COMMANDS[name], work / "out")
    run()
    for path in work.iterdir():
        path.write_text("older")
    states = states_of_kills(work, run)
    old, new = without_leftovers(states[0]), states[-1]
    assert without_leftovers(new) == new
    for number, state in enumerate(states):
        shown = without_leftovers(state)
        assert set(shown) == set(new)
        assert all(content in (old[path], new[path]) for path, content in shown.items())
        # A record never speaks of vectors that are not there yet.
        assert shown.get("out.json") in (None, old.get("out.json")) or shown == new
        next_run_of_a_file(restore(state, tmp_path / f"k{number}"))


def test_a_sweep_killed_at_any_moment_goes_on(inputs, tmp_path):
    text = 'models = ["paper"]\n[distances]\n' + "".join(
        f'{name} = "{inputs}/{name}.csv"\n' for name in ("d0", "d1", "missing")
    )
    (tmp_path / "s.toml").write_text(text)
    work = tmp_path / "work"
    work.mkdir()

    def run(place=work):
        return run_sweep(tmp_path / "s.toml", place / "out", progress=False)

    states = states_of_kills(work, run)
    finished = {n: c for n, c in states[-1].items() if n.startswith("out/results/")}
    assert len(finished) == 2
    for state in states:
        done = {n: c for n, c in without_leftovers(state).items() if n.startswith("out/results/")}
        assert all(content == finished[name] for name, content in done.items())
    whole = run()
    for number in (1, len(states) // 2, len(states) - 2):
        place = restore(states[number], tmp_path / f"k{number}")
        again = run(place)
        kept = [n for n in without_leftovers(states[number]) if n.endswith(".parquet")]
        assert again.n_done <= 3 - len([n for n in kept if n.startswith("out/results/")])
        np.testing.assert_array_equal(again.table["mean"], whole.table["mean"])
        assert len(again.failures) == 1


def test_no_command_that_writes_is_forgotten():
    found = set()

    def walk(parser, name):
        options = {action.dest for action in parser._actions}
        if options & {"out", "output"}:
            found.add(name)
        for action in parser._actions:
            if isinstance(action, argparse._SubParsersAction):
                for child, below in action.choices.items():
                    walk(below, f"{name} {child}".strip())

    walk(build_parser(), "")
    assert found == {*FOLDERS, *FILES, *SAME_WRITER}


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
@pytest.mark.parametrize(
    ("name", "before"),
    # One writer writes all folders, and what is there before the kill is its matter alone.
    [*((name, "full") for name in FOLDERS), ("analyze", "absent"), ("analyze", "empty")],
)
def test_commands_killed_in_earnest(name, before, command, tmp_path):
    """SIGKILL before an operation, at wider and wider steps, until the command comes to its end.

    Every single operation has its turn in the tests above, which copy the files instead.
    """
    (tmp_path / "old").mkdir()
    command(FOLDERS[name], tmp_path / "old" / "out")()  # also imports what the forks need
    old = state_of(tmp_path / "old")
    operation, killed = 0, True
    while killed:
        work = restore(old if before == "full" else {}, tmp_path / f"w{operation}")
        if before == "empty":
            (work / "out").mkdir()
        killed = run_and_kill(operation, command(FOLDERS[name], work / "out"))
        shown = without_leftovers(state_of(work))
        if killed and before == "full" and os.uname().sysname == "Linux":
            assert set(old) <= set(shown)
        if not killed:
            assert {n for n in shown if not n.endswith(".png")} == {
                n for n in old if not n.endswith(".png")
            }
        next_run_of_a_folder(work)
        operation += 1 + operation // 2
    assert operation > 5
