"""Every file that a command reads, replaced by what is no file, or no such file."""

import contextlib
import ctypes
import json
import os
import resource
import shutil
import signal
import socket
import sys
import time
import traceback
import warnings
from pathlib import Path

import numpy as np
import pytest
from samples import FEW, ROOT, SELDOM, make_frame, small_list, undrawn_figures, write_inputs

import bayesbias as bb
from bayesbias.cli import main
from bayesbias.errors import BayesBiasError

pytestmark = [
    pytest.mark.skipif(not sys.platform.startswith("linux"), reason="needs Linux's kinds of files"),
    pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning"),
]

SECONDS = 15
"""Of work; a command that waits is given longer, since the machine may be busy."""
SOUND = ("done", "refused")
MEMORY = 3 << 30

STORE = ("manifest.json", "words.txt", "vectors.npy")


def _protocol(place):
    from bayesbias import classifiers

    people = classifiers.example_biographies(80, seed=1)
    columns = people["text"], people["occupation"], people["gender"]
    classifiers.resampling_protocol(
        *columns,
        lambda X_train, y_train, X_test: [next(iter(y_train))] * len(X_test),
        sizes=[60],
        n_samples=2,
        folder=place / "protocol",
        seed=1,
        progress=False,
    )


def _runs(place):
    bb.vectors.training_runs(
        place / "corpus.txt", place / "runs", seeds=1, vector_size=4, min_count=1
    )


CALLS = {
    "analyze store": "analyze s.bbv --wordlist list.toml --model paper",
    "analyze vectors": "analyze e.txt --wordlist list.toml --model model.toml",
    "analyze distances": "analyze --distances d0.csv --model paper",
    "analyze Parquet": "analyze --distances d0.parquet --model paper",
    "analyze again": "analyze --distances d0.csv --model paper --out results --overwrite",
    "measures": "measures e.txt --wordlist list.toml",
    "convert": "convert e.bin made.bbv",
    "convert store": "convert s.bbv made.bbv",
    "convert pickle": "convert kv made.bbv --trusted",
    "debias": "debias hard e.bin made.bin --wordlist list.toml --overwrite",
    "compare": "compare d0.csv d1.csv --model change",
    "report": "report results --out page.html --overwrite",
    "report of a change": "report change --out page.html --overwrite",
    "plan": "plan results --words 6 --attributes 10 --simulations 2",
    "analogy": "analogy e.bin --questions questions.txt",
    "gaps": "classifier gaps people.csv.gz --true y --pred p --group sex --draws 100 "
    "--class-names names.csv",
    "bounds": "classifier bounds people.csv.gz --true y --pred p --group sex --positive 1",
    "sweep": "sweep sweep.toml --out swept --jobs 1",
    "facts": "facts jobs.csv e.bin --wordlist list.toml --column share --model paper",
    "check": "check rules.toml --junit rules.xml",
    "debias and its cost": "debias hard e.bin cost.bin --wordlist list.toml --utility judged.txt "
    "--utility questions.txt",
    "compare several": "compare d0.csv d1.csv --embeddings",
    "analogy by file": "analogy e.bin --questions questions.txt --out answered --overwrite",
    "runs": _runs,
    "protocol": _protocol,
}

READ = {
    **{f"s.bbv/{name}": ("analyze store", "convert store") for name in STORE},
    "e.txt": ("analyze vectors", "measures"),
    "list.toml": ("analyze vectors", "measures", "debias", "sweep", "facts", "check"),
    "model.toml": ("analyze vectors",),
    "d0.csv": ("analyze distances", "compare", "sweep", "compare several"),
    "d0.parquet": ("analyze Parquet",),
    "results/manifest.json": ("report", "analyze again"),
    "results/fit.nc": ("report", "plan"),
    "e.bin": ("convert", "debias", "sweep", "analogy", "facts", "check"),
    "jobs.csv": ("facts",),
    "rules.toml": ("check",),
    "rules.xml": ("check",),
    "judged.txt": ("debias and its cost",),
    "kv": ("convert pickle",),
    "kv.vectors.npy": ("convert pickle",),
    **{f"change/{n}": ("report of a change",) for n in ("manifest.json", "fit.nc", "pairs.csv")},
    **{f"change/{n}.csv": ("report of a change",) for n in ("unpaired", "unmoved")},
    "questions.txt": ("analogy", "debias and its cost"),
    "answered/manifest.json": ("analogy by file",),
    "people.csv.gz": ("gaps", "bounds"),
    "names.csv": ("gaps",),
    "sweep.toml": ("sweep",),
    "swept/results/*.parquet": ("sweep",),
    "swept/failures/*.txt": ("sweep",),
    "corpus.txt": ("runs",),
    "runs/runs.json": ("runs",),
    "runs/seed-1.bin": ("runs",),
    "protocol/*-60-0.json": ("protocol",),
}
"""From file to the commands that read it."""


def _socket(path):
    with contextlib.chdir(path.parent), socket.socket(socket.AF_UNIX) as one:
        one.bind(path.name)  # a socket's path may have 100 bytes


def _sparse(path):
    path.touch()
    os.truncate(path, 1 << 40)


def _unreadable(path):
    path.write_bytes(b"{}")
    path.chmod(0)


KINDS = {
    "pipe": os.mkfifo,
    "socket": _socket,
    "device": lambda path: path.symlink_to("/dev/zero"),
    "terminal": lambda path: path.symlink_to("/dev/tty"),
    "link to nothing": lambda path: path.symlink_to("nowhere"),
    "loop": lambda path: path.symlink_to(path.name),
    "folder": lambda path: path.mkdir(),
    "link": lambda path: path.symlink_to(path.with_name(f".{path.name}.real")),
    "another file": lambda path: path.write_text("1 2 3\n[a]\nb = 1\n"),
    "unreadable": _unreadable,
    "empty": lambda path: path.touch(),
    "zeros": lambda path: path.write_bytes(bytes(70_000)),
    "noise": lambda path: path.write_bytes(np.random.default_rng(1).bytes(5_000)),
    "a terabyte": _sparse,
}

FAST = [("pipe", "results/manifest.json"), ("device", "protocol/*-60-0.json")]
FAST += [("a terabyte", "swept/failures/*.txt"), ("a terabyte", "s.bbv/words.txt")]
"""What hung, but for pipes, which every reader of a record is given in ``tests/support``."""


@pytest.fixture(scope="module")
def place(tmp_path_factory):
    place = tmp_path_factory.mktemp("odd")
    write_inputs(place)
    bb.write_distances(make_frame(n_attributes=FEW), place / "d0.parquet")
    small_list(place, "gender")
    (place / "gender.toml").rename(place / "list.toml")
    kv = bb.load_embedding(place / "e.bin")
    kv.save_word2vec_format(str(place / "e.txt"), binary=False)
    kv.save(str(place / "kv"), sep_limit=0)
    bb.vectors.convert_embedding(kv, place / "s.bbv")
    shutil.copy(ROOT / "models" / "paper.toml", place / "model.toml")
    (place / "questions.txt").write_text(
        ": family\nhe she son daughter\nhe she father mother\nhe she boy girl\n"
    )
    (place / "names.csv").write_text("label,name\n0,no\n1,yes\n")
    (place / "corpus.txt").write_text("a b c d\n" * 50)
    (place / "judged.txt").write_text("he she 9\nson daughter 8\nmale female 7\nboy girl 6\n")
    (place / "rules.xml").write_text("<testsuites/>")
    (place / "rules.toml").write_text(
        'vectors = "e.bin"\nwordlist = "list.toml"\nmodel = "paper"\n'
        '[rules.a]\ncontrast = "associated - different"\nat_most = 2\n'
    )
    (place / "broken.csv").write_text("no,table,of\npairs,at,all\n")  # of a task that fails
    (place / "sweep.toml").write_text(
        'models = ["paper"]\nwordlists = ["list.toml"]\n'
        '[embeddings]\ne = "e.bin"\n[distances]\nd = "d0.csv"\nbroken = "broken.csv"\n'
    )
    with contextlib.chdir(place), undrawn_figures():
        for call in (
            "analyze --distances d0.csv --model paper --out results",
            f"{CALLS['compare']} --out change",
            CALLS["analogy by file"],
        ):
            assert main([*call.split(), "--quiet"]) == 0
        main([*CALLS["sweep"].split(), "--quiet"])
    _protocol(place)
    _runs(place)
    return place


def _without_privileges():
    """Let root, too, not read what nobody may read."""
    header, none = (ctypes.c_uint32 * 2)(0x20080522, 0), (ctypes.c_uint32 * 6)()
    ctypes.CDLL(None).capset(header, none)


def outcome_of(call, place, work):
    """Run a call in a fork with bounds of time and memory: what came of it, and what it said."""
    said = work / "said"
    child = os.fork()
    if child == 0:
        code = 99
        try:
            handle = os.open(said, os.O_CREAT | os.O_WRONLY | os.O_TRUNC)
            os.dup2(handle, 1)
            os.dup2(handle, 2)
            sys.stdout = os.fdopen(1, "w", closefd=False)
            sys.stderr = os.fdopen(2, "w", closefd=False)
            os.chdir(place)
            limit = MEMORY + int(Path("/proc/self/statm").read_text().split()[0]) * 4096
            resource.setrlimit(resource.RLIMIT_AS, (limit, limit))
            used = int(time.process_time()) + SECONDS
            resource.setrlimit(resource.RLIMIT_CPU, (used, used))
            _without_privileges()
            warnings.simplefilter("always")
            if callable(call):
                try:
                    call(place)
                    code = 0
                except BayesBiasError as error:
                    print(error)
                    code = 2
            else:
                code = main([*call.split(), "--quiet"])
        except SystemExit as stop:
            code = stop.code
        except BaseException:
            traceback.print_exc()
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(code)
    end = time.monotonic() + 6 * SECONDS
    while not (waited := os.waitpid(child, os.WNOHANG))[0]:
        if time.monotonic() > end:
            os.kill(child, signal.SIGKILL)
            os.waitpid(child, 0)
            return "hang", said.read_text(errors="replace")
        time.sleep(0.01)
    text = said.read_text(errors="replace")
    for report in (place / "swept").glob("failures.csv"):
        text += report.read_text()
    if "Traceback" in text or "ResourceWarning" in text:
        return "traceback", text
    if "not enough memory" in text:
        return "memory", text
    code = os.waitstatus_to_exitcode(waited[1])
    if code == -signal.SIGXCPU or code == -signal.SIGKILL:
        return "hang", text
    return {0: "done", 1: "done", 2: "refused"}.get(code, f"ended with {code}"), text


def attempt(kind, file, name, place, work):
    """Put something odd in a file's place, run a command that reads it, and tidy up."""
    kept = work / "kept"
    shutil.copytree(place, kept, symlinks=True)
    target = next(iter(sorted(kept.glob(file))))
    if kind == "link":
        shutil.copy(target, target.with_name(f".{target.name}.real"))
    target.unlink()
    KINDS[kind](target)
    try:
        with undrawn_figures():
            return outcome_of(CALLS[name], kept, work)
    finally:
        if kind == "unreadable":
            target.chmod(0o600)
        shutil.rmtree(kept)


@pytest.mark.parametrize(("kind", "file"), FAST)
def test_what_hung_is_refused_or_done_again(kind, file, place, tmp_path):
    outcome, said = attempt(kind, file, READ[file][0], place, tmp_path)
    assert outcome in SOUND, said


OFTEN = ("pipe", "device", "loop", "unreadable", "empty", "noise")


@pytest.mark.slow
@pytest.mark.parametrize(
    "kind", [k if k in OFTEN else pytest.param(k, marks=SELDOM) for k in KINDS]
)
def test_no_odd_file_hangs_or_breaks_a_command(kind, place, tmp_path):
    found = {
        (file, name): attempt(kind, file, name, place, tmp_path)
        for file, names in READ.items()
        for name in names
        # A corpus may be large: it is read in pieces.
        if (kind, file) != ("a terabyte", "corpus.txt")
    }
    if log := os.environ.get("ODD_FILES_LOG"):
        with open(log, "a") as stream:
            for (file, name), (outcome, said) in found.items():
                stream.write(json.dumps([kind, file, name, outcome, said[-600:]]) + "\n")
    bad = {key: said for key, (outcome, said) in found.items() if outcome not in SOUND}
    assert bad == {}


TRIED = {READ[file][0] for _, file in FAST}
"""Calls of the quick test; the others are run where they are tried."""


@pytest.mark.parametrize(
    "name", [n if n in TRIED else pytest.param(n, marks=pytest.mark.slow) for n in CALLS]
)
def test_every_call_runs_where_nothing_is_odd(name, place, tmp_path):
    shutil.copytree(place, tmp_path / "kept")
    with undrawn_figures():
        outcome, said = outcome_of(CALLS[name], tmp_path / "kept", tmp_path)
    assert outcome == "done", said
