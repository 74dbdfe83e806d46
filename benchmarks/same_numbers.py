"""Tells whether two versions of the package print and write the same.

Run: BAYESBIAS_DATA=... python benchmarks/same_numbers.py OLD NEW [--only WORD], two checkouts.
Runs every command with both, the published files among them, and compares what the terminal shows,
JSON, tables, and pages with their drawings: texts as they are, numbers within 1e-12.
"""

import argparse
import difflib
import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

DATA = Path(os.environ.get("BAYESBIAS_DATA", "../shared/data")).resolve()
GENDER, RELIGION = "gender_group_google_dataset.csv", "religion_group_reddit_dataset.csv"
GOOGLE, TWITTER = "embeddings/googlenews-16k-300d.bin", "embeddings/glove-twitter-12k-25d.txt.gz"
SMALL = "embeddings/glove-6b-13k-50d.txt.gz"
PREDICTIONS = "fairness/biasbios_test_predictions.csv.gz"
COLUMNS = "--true y_true --pred y_pred_lr --group gender --group-names 0=male,1=female"
COMMANDS = (
    "demo --planted --out OUT --placebo 5",
    "analyze --distances distances/weat_7_glove.csv --report --interval eti --out OUT",
    "analyze --distances distances/race_group_glove_dataset.csv --model paper --report --out OUT",
    f"analyze {GOOGLE} --wordlist gender --words --report --out OUT",
    f"analyze {TWITTER} --wordlist weat7 --frequency --placebo 5 --json",
    f"analyze {GOOGLE} --wordlist names --json",
    f"compare distances/{RELIGION} distances/debiased_religion_reddit.csv --report --out OUT",
    f"compare {GOOGLE} {TWITTER} --embeddings --wordlist weat7 --json",
    f"compare {GOOGLE} {TWITTER} {SMALL} --order 1,2,3 --wordlist weat7",
    f"measures {GOOGLE} --wordlist gender",
    f"measures {GOOGLE} --wordlist weat1 --json",
    f"debias hard {GOOGLE} OUT/hard.bin --wordlist gender --words listed --json",
    f"convert {TWITTER} OUT/store.bbv",
    "plan --words 8,16 --attributes 8,16 --simulations 5 --json",
    "simulate --worlds 4 --method all --jobs 1 --json",
    f"analogy {GOOGLE} man king woman --both",
    f"analogy {TWITTER} --questions analogies/questions-words.txt --restrict-vocab 2000 --json",
    f"classifier gaps {PREDICTIONS} {COLUMNS} --draws 100 --out OUT",
    "classifier plan --help",
    "wordlists list",
    "wordlists show gender",
    "wordlists check gender",
    "models list",
    "models show maximal",
    "cite gender",
)
TEXTS = (".csv", ".html", ".json", ".svg", ".tex", ".txt", ".md")
CHANGING = re.compile(r"\d{4}-\d\d-\d\d(T[\d:.+]+)?|fit_\w+|\b[0-9a-f]{12,64}\b")
_MARKS = ("--", "++", "@@")
NUMBER = re.compile(r"-?\d+\.?\d*(?:e[-+]?\d+)?")


def commands() -> list[str]:
    """Return the table above, and the answers of every published file."""
    published = sorted((DATA / "distances").glob("*.csv"))
    names = [str(path.relative_to(DATA)) for path in published]
    return [*COMMANDS, *(f"analyze --distances {name} --words --json" for name in names)]


def results(checkout: Path, command: str, out: Path) -> dict[str, str]:
    """Return what a command prints and writes, by the file's name."""
    out.mkdir(parents=True)
    words = [word.replace("OUT", str(out / "x")) for word in command.split()]
    if "OUT/" in command:
        (out / "x").mkdir()
    run = subprocess.run(
        [sys.executable, "-m", "bayesbias", *words],
        cwd=DATA,
        env={**os.environ, "PYTHONPATH": str(checkout.resolve()), "COLUMNS": "120"},
        capture_output=True,
        text=True,
    )
    texts = {"exit": str(run.returncode), "terminal": run.stdout, "notes": run.stderr}
    for path in sorted((out / "x").rglob("*")):
        if path.suffix in TEXTS:
            texts[str(path.relative_to(out / "x"))] = path.read_text()
    return {name: CHANGING.sub("", text).replace(str(out), "") for name, text in texts.items()}


def differences(old: str, new: str) -> list[tuple[str, str]]:
    """Return the lines that differ in more than the rounding of numbers."""
    before, after = old.splitlines(), new.splitlines()
    if len(before) != len(after):
        lines = (line for line in difflib.unified_diff(before, after, n=0, lineterm="") if line[2:])
        return [(x[1:], "") if x[0] == "-" else ("", x[1:]) for x in lines if x[:2] not in _MARKS]
    pairs = zip(before, after, strict=True)
    return [(a, b) for a, b in pairs if a != b and not _near(a, b)]


def _near(a: str, b: str) -> bool:
    if NUMBER.sub("", a) != NUMBER.sub("", b):
        return False
    numbers = [[float(x) for x in NUMBER.findall(text)] for text in (a, b)]
    return all(abs(x - y) <= 1e-12 * max(1.0, abs(x)) for x, y in zip(*numbers, strict=True))


def main() -> None:
    """Print what differs, and how much was compared."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("old", type=Path)
    parser.add_argument("new", type=Path)
    parser.add_argument("--only", default="", help="commands that have this in them")
    arguments = parser.parse_args()
    n_texts = n_characters = n_different = 0
    with tempfile.TemporaryDirectory() as folder:
        for number, command in enumerate(c for c in commands() if arguments.only in c):
            old, new = (
                results(checkout, command, Path(folder) / f"{number}" / which)
                for which, checkout in (("old", arguments.old), ("new", arguments.new))
            )
            if old["exit"] != "0":
                print(f"{command}: exit {old['exit']}: {old['notes'][-300:]}")
            for name in {**old, **new}:
                different = differences(old.get(name, ""), new.get(name, ""))
                n_texts, n_characters = n_texts + 1, n_characters + len(old.get(name, ""))
                n_different += len(different)
                for a, b in different[:5]:
                    print(f"{command}: {name}: {a[:200]!r} is now {b[:200]!r}", flush=True)
    print(f"{n_texts} texts of {n_characters:,} characters compared: {n_different} differences")


if __name__ == "__main__":
    main()
