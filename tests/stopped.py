"""Commands stopped by a signal and run again, for a slow test and for ``benchmarks/kills.py``."""

import json
import os
import random
import re
import resource
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pandas as pd
from file_operations import state_of, without_leftovers
from samples import ROOT, hear_signals, make_frame, write_inputs

import bayesbias as bb

SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGKILL)

COMMANDS = {
    "analyze": "analyze e.bin --wordlist gender --model paper --out OUT",
    "analyze distances": "analyze --distances d0.csv --model paper --report --out OUT",
    "compare": "compare d0.csv d1.csv --model change --out OUT",
    "compare several": "compare d0.csv d1.csv --embeddings --out OUT",
    "report": "report fit.nc --out OUT",
    "measures": "measures e.bin --wordlist gender",
    "debias": "debias hard e.bin OUT --wordlist gender",
    "convert": "convert e.bin OUT",
    "plan": "plan --words 6 --attributes 10 --simulations 2 --out OUT",
    "simulate": "simulate --method weat-p --worlds 40 --words 6 --attributes 6 --jobs 2 --out OUT",
    "sweep": "sweep sweep.toml --jobs 2 --out OUT",
    "check": "check rules.toml --junit OUT",
    "runs": "runs corpus.txt --seeds 3 --min-count 1 --vector-size 20 --jobs 2 --out OUT",
    "analogy": "analogy e.bin he his she --out OUT",
    "facts": "facts jobs.csv e.bin --wordlist gender --column share --out OUT",
    "classifier gaps": "classifier gaps people.csv.gz --true y --pred p --group sex --draws 100 "
    "--out OUT",
    "classifier bounds": "classifier bounds people.csv.gz --true y --pred p --group sex "
    "--positive 1",
    "classifier plan": "classifier plan --disparity 0.05",
    "wordlists": "wordlists show gender",
    "models": "models list",
    "cite": "cite gender",
    "demo": "demo --out OUT",
}

GOES_ON = ("sweep", "runs", "check")
"""Commands that go on in their folder, or replace their file, and need no --overwrite."""

MAY_DIFFER = ("created", "files", "command", "seconds")
"""Fields that may differ: times, checksums of files with a time, and --overwrite."""

LONGEST = 300
"""Seconds after which a command counts as hanging."""


def make_inputs(place: Path) -> None:
    """Write what the commands read."""
    write_inputs(place)
    (place / "corpus.txt").write_text(" ".join(f"w{i * i % 97}" for i in range(60_000)))
    (place / "sweep.toml").write_text(
        'models = ["paper", "crossed"]\nwordlists = ["gender"]\n'
        '[embeddings]\ne = "e.bin"\n[distances]\na = "d0.csv"\nb = "d1.csv"\n'
    )
    (place / "rules.toml").write_text(
        'vectors = "e.bin"\nwordlist = "gender"\nmodel = "paper"\n'
        '[rules.a]\ncontrast = "associated - different"\nat_most = 2\n'
    )
    fit = bb.fit(make_frame(), model="paper", engine="collapsed", draws=200, seed=1)
    fit.save(place / "fit.nc")


def started(name: str, inputs: Path, out: Path, *more: str) -> "subprocess.Popen[str]":
    """Start a command, in a session of its own."""
    given = [a.replace("OUT", str(out)) for a in COMMANDS[name].split()]
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    return subprocess.Popen(
        [sys.executable, "-m", "bayesbias", *given, *more],
        cwd=inputs,
        env={**environment, "PYTHONPATH": str(ROOT), "COLUMNS": "100"},
        preexec_fn=hear_signals,
        start_new_session=True,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    )


def shown(out: Path) -> dict[str, Any]:
    """Return what is under a name, without the fields that may differ."""
    if out.is_dir():
        state: dict[str, Any] = dict(without_leftovers(state_of(out)))
    else:
        state = {p.name: p.read_bytes() for p in out.parent.glob(f"{out.name}*")}
    for name, content in list(state.items()):
        if name.endswith("manifest.json"):
            state[name] = {k: v for k, v in json.loads(content).items() if k not in MAY_DIFFER}
        elif name.endswith("fit.nc"):
            state[name] = bb.load_fit(out / name).id
        elif name.endswith(".parquet"):
            table = pd.read_parquet(out / name)
            state[name] = table[[c for c in table if c not in MAY_DIFFER]].to_csv()
        elif name.endswith(".html"):
            text = re.sub(rb"20\d\d-\d\d-\d\d[ T]?[\d:.+Z]*| --overwrite", b"", content)
            state[name] = text.replace(str(out).encode(), b"")
    return state


def _worked(session: int) -> float:
    """Return the processor seconds of a session's processes that live."""
    ticks = 0
    for process in Path("/proc").glob("[0-9]*"):
        try:
            fields = (process / "stat").read_text().rpartition(")")[2].split()
        except OSError:  # it has just ended
            continue
        if int(fields[3]) == session:
            ticks += int(fields[11]) + int(fields[12])
    return ticks / os.sysconf("SC_CLK_TCK")


def _seconds_of_children() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _whole(name: str, inputs: Path, out: Path) -> tuple[dict[str, Any], float]:
    """Return what an undisturbed run leaves, and its processor seconds."""
    before = _seconds_of_children()
    with started(name, inputs, out) as process:
        _, complaint = process.communicate(timeout=LONGEST)
    assert process.returncode == 0, complaint
    return shown(out), _seconds_of_children() - before


def _stop(process: "subprocess.Popen[str]", number: int, moment: float) -> tuple[int, str]:
    """Send a signal after so many processor seconds; return the exit code, and what was said."""
    while process.poll() is None and _worked(process.pid) < moment:
        time.sleep(0.01)
    # Ctrl-C reaches all processes of a terminal.
    if process.poll() is None:
        (os.killpg if number == signal.SIGINT else os.kill)(process.pid, number)
    _, complaint = process.communicate(timeout=LONGEST)
    return process.returncode, complaint


def stops(
    name: str, inputs: Path, work: Path, signals: tuple[int, ...], moments: int, seed: int
) -> Iterator[dict[str, Any]]:
    """Stop a command at random moments and run it again; yield a row for each, `wrong` if it is.

    Moments are in processor seconds of an undisturbed run, from when Python has started. Where
    nothing was left there is nothing to run again over.
    """
    last = "w.html" if name == "report" else "whole"
    whole, seconds = _whole(name, inputs, work / last)
    before = _seconds_of_children()
    subprocess.run([sys.executable, "-c", "import bayesbias"], cwd=ROOT, check=True)
    earliest = _seconds_of_children() - before
    random_moments = random.Random(f"{seed} {name}")
    for _ in range(moments):
        for number in signals:
            moment = random_moments.uniform(earliest, max(seconds, earliest))
            place = work / "stopped"
            place.mkdir()
            code, complaint = _stop(started(name, inputs, place / last), number, moment)
            wrong = []
            if number == signal.SIGINT:
                one_line = re.fullmatch("bayesbias: .*\n", complaint) and code == 130
                # What the package itself imports comes before any line that could hear a signal.
                early = re.search(r'/bayesbias/__init__\.py", line \d+, in <module>', complaint)
                ended = bool(code == 0 or one_line or early)
            else:
                ended = code in (0, -number)
            wrong += [] if ended else [f"ended with {code}: {complaint[-2000:]}"]
            left = code != 0 and any(place.iterdir())
            if left:
                taken = any(place.glob("w*")) and name not in GOES_ON
                more = ["--overwrite"] if taken else []
                with started(name, inputs, place / last, *more) as again:
                    _, complaint = again.communicate(timeout=LONGEST)
                wrong += [f"again: {again.returncode} {complaint}"] if again.returncode else []
            if left or code == 0:
                after = shown(place / last)
                wrong += [f"{k} differs" for k in after | whole if after.get(k) != whole.get(k)]
            shutil.rmtree(place)
            yield {
                "command": name,
                "signal": signal.Signals(number).name,
                "moment": moment / seconds,
                "finished": code == 0,
                "left": left,
                "wrong": wrong,
            }
