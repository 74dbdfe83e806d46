"""Stops every command by signals at random moments, and runs it again.

Run: python benchmarks/kills.py [--moments 20] [--seed 1] [--command NAME] [--log FILE]
A Ctrl-C must end with code 130 and one line, or with 0 once the results are in their place; where
anything was left, the next run must leave what an undisturbed run does, byte for byte but for the
fields `MAY_DIFFER` of ``tests/stopped.py``. All commands have their turns;
Ctrl-C ends it and shows what there is. Needs Linux.
"""

import argparse
import contextlib
import json
import sys
import tempfile
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))


def main() -> None:
    from stopped import COMMANDS, SIGNALS, make_inputs, stops

    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--moments", type=int, default=20, help="of each signal")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--command", action="append", choices=list(COMMANDS))
    parser.add_argument("--log", type=Path, help="file of a JSON line a stop")
    given = parser.parse_args()
    inputs = Path(tempfile.mkdtemp(prefix="kills-"))
    make_inputs(inputs)
    names = given.command or list(COMMANDS)
    going = {
        name: stops(
            name,
            inputs,
            Path(tempfile.mkdtemp(prefix="kills-")),
            SIGNALS,
            given.moments,
            given.seed,
        )
        for name in names
    }
    rows = []
    with contextlib.suppress(KeyboardInterrupt):  # what there is is shown
        for _ in range(given.moments * len(SIGNALS)):
            for stopped in going.values():  # in turn, so that all have had as many
                rows.append(next(stopped))
                if given.log:
                    with given.log.open("a") as stream:
                        stream.write(json.dumps(rows[-1]) + "\n")
    print("| command | stopped | had finished | left something, run again | wrong |")
    print("|---|---:|---:|---:|---:|")
    for name in names:
        own = [row for row in rows if row["command"] == name]
        counts = [sum(bool(row[key]) for row in own) for key in ("finished", "left", "wrong")]
        print(f"| `{name}` | {len(own)} | {' | '.join(map(str, counts))} |")
    wrong = [row for row in rows if row["wrong"]]
    for row in wrong:
        print(f"{row['command']}, {row['signal']} at {row['moment']:.3f}: {row['wrong']}")
    sys.exit(bool(wrong))


if __name__ == "__main__":
    main()
