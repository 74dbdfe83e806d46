"""Tells whether two versions of the package print and write the same numbers.

Run: BAYESBIAS_DATA=... python benchmarks/same_numbers.py OLD NEW, two checkouts of the repository.
Runs commands with both and compares what the terminal shows and the report's page as text, and the
cells of all tables to a relative 5e-7, which is finer than anything that is printed.
"""

import argparse
import csv
import os
import re
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path

DATA = Path(os.environ.get("BAYESBIAS_DATA", "../shared/data")).resolve() / "distances"
COMMANDS = (
    "analyze --distances gender_group_google_dataset.csv --words --report",
    "analyze --distances religion_group_reddit_dataset.csv --report",
    "analyze --distances weat_7_glove.csv --report --interval eti",
    "analyze --distances race_group_glove_dataset.csv --model paper --report",
    "compare religion_group_reddit_dataset.csv debiased_religion_reddit.csv --report",
)
CHANGING = re.compile(r"\d{4}-\d\d-\d\d(T[\d:+]+)?|fit_\w+|out-\w+|<svg.*?</svg>", re.DOTALL)


def results(checkout: Path, command: str, out: Path) -> dict[str, str]:
    """Return what a command prints and writes, by the file's name."""
    environment = {**os.environ, "PYTHONPATH": str(checkout.resolve())}
    run = subprocess.run(
        [sys.executable, "-m", "bayesbias", *command.split(), "--out", str(out)],
        cwd=DATA,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    texts = {p.name: p.read_text() for p in sorted(out.iterdir()) if p.suffix in (".csv", ".html")}
    return {"terminal": run.stdout, **texts}


def differences(name: str, old: str, new: str) -> Iterator[tuple[str, str]]:
    """Yield the lines or cells that differ."""
    if name.endswith(".csv"):
        rows = zip_longest(csv.reader(old.splitlines()), csv.reader(new.splitlines()), fillvalue=[])
        pairs = (pair for left, right in rows for pair in zip_longest(left, right, fillvalue=""))
    else:
        lines = (CHANGING.sub("", text).splitlines() for text in (old, new))
        pairs = zip_longest(*lines, fillvalue="")
    yield from ((a, b) for a, b in pairs if a != b and not _near(a, b))


def _near(a: str, b: str) -> bool:
    try:
        return abs(float(a) - float(b)) <= 5e-7 * max(1.0, abs(float(a)))
    except ValueError:
        return False


def main() -> None:
    """Print what differs, and how much was compared."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("old", type=Path)
    parser.add_argument("new", type=Path)
    checkouts = parser.parse_args()
    n_texts = n_characters = n_different = 0
    with tempfile.TemporaryDirectory() as folder:
        for number, command in enumerate(COMMANDS):
            old, new = (
                results(checkout, command, Path(folder) / f"{which}{number}" / "out-x")
                for which, checkout in (("old", checkouts.old), ("new", checkouts.new))
            )
            for name in {**old, **new}:
                texts = [
                    found.get(name, "").replace(f"{folder}/{which}{number}", "")
                    for which, found in (("old", old), ("new", new))
                ]
                different = list(differences(name, *texts))
                n_texts, n_characters = n_texts + 1, n_characters + len(texts[0])
                n_different += len(different)
                for a, b in different[:5]:
                    print(f"{command}: {name}: {a[:100]!r} is now {b[:100]!r}")
    print(f"{n_texts} texts of {n_characters:,} characters compared: {n_different} differences")


if __name__ == "__main__":
    main()
