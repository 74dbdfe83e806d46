"""Times whole commands against importing PyMC: processor seconds, each in a process of its own.

As a user runs them: all threads that libraries start count, and no variable limits them.

Run: BAYESBIAS_DATA=... python benchmarks/commands.py [--repeats 5]
Commands and imports take turns, so that a machine that slows down slows both; the ratio is that of
medians. Without the reference data only the commands on the shipped vectors run.
"""

import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile
from pathlib import Path

REFERENCE = Path(os.environ.get("BAYESBIAS_DATA", "../shared/data"))
DATA, VECTORS = REFERENCE / "distances", REFERENCE / "embeddings" / "googlenews-16k-300d.bin"
GENDER, WEAT_1 = DATA / "gender_group_google_dataset.csv", DATA / "weat_1_google.csv"
BEFORE, AFTER = DATA / "religion_group_reddit_dataset.csv", DATA / "debiased_religion_reddit.csv"
THREADS = ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS")
COMMANDS = {
    "--help": ["--help"],
    "demo": ["demo", "--out", "OUT"],
    "analyze, gender": ["analyze", "--distances", str(GENDER)],
    "analyze --report, vectors": [
        *("analyze", str(VECTORS), "--wordlist", "gender", "--report", "--out", "OUT")
    ],
    "analyze --report, gender": ["analyze", "--distances", str(GENDER), "--report", "--out", "OUT"],
    "analyze --report, WEAT 1": ["analyze", "--distances", str(WEAT_1), "--report", "--out", "OUT"],
    "compare, religion": ["compare", str(BEFORE), str(AFTER)],
    "measures, gender": ["measures", str(VECTORS), "--wordlist", "gender"],
}


def seconds(command: list[str]) -> float:
    """Return the processor seconds of a process that must succeed."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    own = ("PYTHONDONTWRITEBYTECODE", *THREADS)  # what is installed is compiled once
    environment = {name: value for name, value in os.environ.items() if name not in own}
    subprocess.run(command, check=True, stdout=subprocess.DEVNULL, env=environment)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeats", type=int, default=5)
    repeats = parser.parse_args().repeats
    here = REFERENCE.is_dir()
    shown = {n: c for n, c in COMMANDS.items() if here or str(REFERENCE) not in " ".join(c)}
    print(f"{os.cpu_count()} cores; processor seconds, median of {repeats}")
    print(f"{'command':<28}{'command':>9}{'PyMC':>7}{'ratio':>7}")
    with tempfile.TemporaryDirectory() as folder:
        for name, command in shown.items():
            found: list[tuple[float, float]] = []
            for number in range(repeats):
                out = [x if x != "OUT" else f"{folder}/{name}-{number}" for x in command]
                ours = seconds([sys.executable, "-m", "bayesbias", *out])
                found.append((ours, seconds([sys.executable, "-c", "import pymc"])))
            ours, pymc = (statistics.median(column) for column in zip(*found, strict=True))
            print(f"{name:<28}{ours:>9.2f}{pymc:>7.2f}{ours / pymc:>7.2f}", flush=True)


if __name__ == "__main__":
    main()
