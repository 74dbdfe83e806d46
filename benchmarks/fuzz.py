"""Gives ten thousand hostile files to every reader.

Run: python benchmarks/fuzz.py [--examples 10000] [--reader NAME]
Every reader runs in a process of its own, whose memory is limited, so that neither a crash nor an
allocation out of all proportion passes unseen. A file is a defect if its reader raises anything but
a `BayesBiasError`, gives a warning that is not the package's, crashes or takes more than 5 seconds
twice; it is kept under the folder that is printed.
"""

import argparse
import faulthandler
import json
import resource
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

_HANG = 5.0
_LOST = 120  # seconds after which a reader is taken not to return
_ROOM = 1 << 30
_KEPT = 10


def peak() -> int:
    """Return this process's peak memory in kilobytes."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss


def fuzz(reader: str, examples: int, folder: Path) -> dict[str, object]:
    """Run one reader in this process; return what happened."""
    from hostile import attempt, files, sound
    from hypothesis import HealthCheck, given, settings

    faulthandler.enable()
    for content in sound(reader):
        assert attempt(reader, content, folder) == "read"
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + _ROOM, used + _ROOM))
    outcomes: Counter[str] = Counter()
    slowest, largest, grown = 0.0, 0, 0

    @settings(
        max_examples=examples,
        derandomize=True,
        deadline=None,
        database=None,
        suppress_health_check=list(HealthCheck),
    )
    @given(files(reader))
    def run(content: bytes) -> None:
        nonlocal slowest, largest, grown
        before, start = peak(), time.process_time()
        faulthandler.dump_traceback_later(_LOST, exit=True)
        try:
            outcome = attempt(reader, content, folder)
        except Exception as error:
            outcome = f"defect: {type(error).__name__}: {str(error)[:80]}"
        seconds = time.process_time() - start
        if seconds > _HANG and not outcome.startswith("defect"):  # or did the machine stop?
            start = time.process_time()
            attempt(reader, content, folder)
            seconds = time.process_time() - start
        if seconds > _HANG:
            outcome = f"defect: {seconds:.0f} s"
        outcomes[outcome] += 1
        faulthandler.cancel_dump_traceback_later()
        if outcome.startswith("defect") and len(list(folder.glob("defect-*"))) < _KEPT:
            (folder / f"defect-{sum(outcomes.values())}").write_bytes(content)
        slowest, largest = max(slowest, seconds), max(largest, len(content))
        grown = max(grown, peak() - before)

    run()
    return {
        "outcomes": dict(outcomes),
        "slowest": slowest,
        "largest": largest,
        "grown": grown / 1024,
    }


def main() -> None:
    from hostile import READERS

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--examples", type=int, default=10_000)
    parser.add_argument("--reader", action="append", choices=list(READERS))
    parser.add_argument("--inside", help=argparse.SUPPRESS)
    arguments = parser.parse_args()
    if arguments.inside:
        print(json.dumps(fuzz(arguments.reader[0], arguments.examples, Path(arguments.inside))))
        return
    print(
        f"{'reader':<10} {'files':>7} {'read':>6} {'refused':>8} {'defects':>8} {'slowest':>9} "
        f"{'largest':>9} {'memory':>8}"
    )
    for reader in arguments.reader or READERS:
        folder = tempfile.mkdtemp(prefix=f"fuzz-{reader}-")
        done = subprocess.run(
            [
                sys.executable,
                __file__,
                "--examples",
                str(arguments.examples),
                "--reader",
                reader,
                "--inside",
                folder,
            ],
            capture_output=True,
            text=True,
            check=False,
        )
        if done.returncode:
            print(f"{reader:<10} died with code {done.returncode}; its last file is in {folder}")
            print(done.stderr[-2000:])
            continue
        found = json.loads(done.stdout)
        outcomes = found["outcomes"]
        defects = {name: n for name, n in outcomes.items() if name.startswith("defect")}
        print(
            f"{reader:<10} {sum(outcomes.values()):7,} {outcomes.get('read', 0):6,} "
            f"{outcomes.get('refused', 0):8,} {sum(defects.values()):8,} "
            f"{found['slowest']:7.2f} s {found['largest']:7,} B {found['grown']:5.0f} MB",
            flush=True,
        )
        for name, n in defects.items():
            print(f"  {n:,} × {name} (in {folder})")


if __name__ == "__main__":
    main()
