"""Write the tables of pages from the results that benchmarks have saved.

python .ci/page_numbers.py                    # writes the tables
python .ci/page_numbers.py --check            # says which tables are not those of their results
python .ci/page_numbers.py --make NAME ...    # runs what makes a result, then writes the tables

A table stands between `<!-- numbers: NAME -->` and `<!-- /numbers -->`. `TABLES` says which result
it shows, and how; `COMMANDS` what makes a result: a benchmark's `--save NAME` writes
benchmarks/results/NAME.csv, whose first lines have date, versions, seed and settings.
"""

import argparse
import re
import subprocess
import sys
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Final

import pandas as pd

ROOT: Final = Path(__file__).parents[1]
sys.path.append(str(ROOT / "benchmarks"))

import changes_tables  # noqa: E402
import classics_tables  # noqa: E402
import examples_tables  # noqa: E402
import real_lists_tables  # noqa: E402
from page_tables import Rows, as_saved  # noqa: E402
from saved_results import read  # noqa: E402

from bayesbias.constants import ATTRIBUTE_KINDS  # noqa: E402
from bayesbias.simulate import Assumptions  # noqa: E402

COMMANDS: Final = {
    "few-people": "few_people.py --save few-people",  # this one needs no data
    "classics": "classics.py --save classics",
    "populations": "populations.py --lists 30 --save populations",
    "populations-cells": "populations.py --lists 100 --seed 2028 --models maximal --cells"
    " --save populations-cells",
    "split-half": "split_half.py --splits 10 --save split-half",
    "split-changes": "split_half.py --change hard --models maximal --splits 5 --save split-changes",
    "split-facts": "split_half.py --facts --models maximal --splits 5 --save split-facts",
    "power": "power.py --lists 100 --both --save power",
    "random-lists": "random_lists.py --lists 800 --both --seed 2027 --save random-lists",
    "random-steps": "random_lists.py --lists 400 --both --step --models maximal --seed 31"
    " --save random-steps",
    "prior-rates": "prior_rates.py --save prior-rates",
    "examples": "examples.py --save examples",
    "published": "published.py --save published",
    "placebo": "placebo.py --lists 200 --save placebo",
    "placebo-published": "placebo.py --published --lists 200 --save placebo-published",
    "embeddings": "decisions.py embeddings --save embeddings",
    "occupations": "facts.py --example --seed 1 --save occupations",
    "names": "crossed.py --example --seed 1 --save names",
    "meta": "meta.py --save meta",
    "components": "components.py --save components",
    "changes": "changes.py --save changes",
    "debias-effects": "debias_effects.py --save debias-effects",
    "debias-listed": "debias_effects.py --neutralise list --save debias-listed",
    "sensitivity": "decisions.py sensitivity --save sensitivity",
    "plan": "decisions.py plan --save plan",  # these need no data either
    "simulated": "simulated.py --save simulated",
    "calibration": "calibration.py --save calibration",
    "agreement-nuts": "agreement.py --save agreement-nuts",
    "agreement": "agreement.py --similar --save agreement",
    "facts": "facts.py --save facts",
    "crossed": "crossed.py --save crossed",
    "over-time": "over_time.py --save over-time",
    "contexts": "contexts.py --save contexts",
    "runs": "runs.py --save runs",
    "shuffled": "shuffled.py --save shuffled",
    "frequency": "frequency.py --save frequency",
    "group-worlds": "group_worlds.py --save group-worlds",
    "share-left": "share_left.py --worlds 200 --save share-left",
}
"""What makes a result, by its name; what needs no data is said, the rest reads BAYESBIAS_DATA."""

MARKED: Final = re.compile(r"(<!-- numbers: (\S+) -->\n).*?(<!-- /numbers -->)", re.DOTALL)


UNSAID: Final = ("made", "versions")


def assumptions(_: pd.DataFrame) -> Rows:
    """Show the standard deviations that worlds are made from."""
    found = Assumptions()
    by_kind = {
        "a word, on one list": found.word_list_sd,
        "an attribute": found.attribute_sd,
        "a group, on a single attribute": found.group_attribute_sd,
        "a single pair (noise)": found.noise_sd,
    }
    rows = [
        [name, *(f"{sd[kind]:.3f}" for kind in ATTRIBUTE_KINDS)] for name, sd in by_kind.items()
    ]
    shared = ["a word, on all stereotype attributes", f"{found.word_sd:.3f}", "", ""]
    return [["standard deviation of effects of", *ATTRIBUTE_KINDS], shared, *rows]


SPLITS: Final = {"rms z": "{:.2f}", "%": "{:.0f}", "mean sd": "{:.4f}", "n": "{:.0f}"}
"""How numbers of halves are written."""

WORLDS: Final[dict[str, dict[str, str]]] = {
    "few-people": {},
    "occupations": {"words": "{:.0f}", "raw": "{:.2f}"},
    "facts": {},
    "crossed": {},
    "over-time": {"width": "{:.3f}"},
    "contexts": {},
    "runs": {"width": "{:.3f}"},
    "shuffled": {"mean": "{:+.3f}"},
    "meta": {"mean": "{:.2f}", "low": "{:.2f}", "high": "{:.2f}"},
    "frequency": {},
    "group-worlds": {},
    "split-changes": SPLITS,
    "split-facts": SPLITS,
    "calibration": {"parameters": "{:.0f}", "smallest": "{:.3f}", "below": "{:.0f}"},
    "agreement-nuts": {"R-hat": "{:.3f}", "in sd": "{:.2f}"},
    "agreement": {"R-hat": "{:.3f}", "in sd": "{:.2f}"},
    "components": {},
    "embeddings": {"neutral": "{:.3f}", "in sd": "{:+.2f}", "cosine": "{:+.3f}"},
    "sensitivity": {},
    "placebo-published": {},
    "plan": {"width": "{:.3f}", "words": "{:.0f}", "attributes": "{:.0f}", "%": "{:.0f}"},
}
"""Results, most of made worlds, that pages show as they are, with forms of numbers (`as_saved`)."""

TABLES: Final[dict[str, tuple[tuple[str, ...], Callable[..., Rows]]]] = {
    **real_lists_tables.TABLES,
    **examples_tables.TABLES,
    **changes_tables.TABLES,
    **classics_tables.TABLES,
    "simulated": (("simulated",), partial(as_saved, only="false|power")),
    "assumptions": (("simulated",), assumptions),
    "rope-edge": (("simulated",), partial(as_saved, only="at the edge")),
    **{name: ((name,), partial(as_saved, **forms)) for name, forms in WORLDS.items()},
}
"""Of every table its results, and the function that makes rows of them, first the head."""


def markdown(rows: Rows) -> str:
    """Return rows as a table; columns of numbers are to the right."""
    head, *rest = rows
    columns = zip(*rest, strict=True)
    numeric = [
        all(re.fullmatch(r"\**[−+<]?[\d.,]*(e−\d+)?%?\**", text) for text in one) for one in columns
    ]
    rule = "|" + "".join("---:|" if right else "---|" for right in numeric)
    lines = ["| " + " | ".join(row) + " |" for row in (head, *rest)]
    return "\n".join([lines[0], rule, *lines[1:]]).replace("|  ", "| ") + "\n"


def caption(results: Sequence[str], heads: Sequence[dict[str, str]]) -> str:
    """Say what made results, from their first lines; versions are there."""
    said = []
    for name, head in zip(results, heads, strict=True):
        settings = ", ".join(f"{key} {value}" for key, value in head.items() if key not in UNSAID)
        made = f"`benchmarks/{COMMANDS[name].split()[0]}` ({head['made']})"
        said.append(f"{made}: {settings}" if settings else made)
    return f"*{'; '.join(said)}.*\n"


def shown(name: str, said: set[str]) -> str:
    """Return what stands between the markers of a table; a caption that was `said` is left out."""
    if name not in TABLES:
        raise SystemExit(f"no table {name!r}; .ci/page_numbers.py knows {', '.join(TABLES)}")
    results, layout = TABLES[name]
    tables, heads = zip(*map(read, results), strict=True)
    rows, made = markdown(layout(*tables)), caption(results, heads)
    if made in said:
        return rows
    said.add(made)
    return f"{rows}\n{made}"


def written(page: str) -> str:
    """Return the text of a page with its tables made anew; it says once what made a result."""
    said: set[str] = set()
    return MARKED.sub(lambda found: f"{found[1]}{shown(found[2], said)}{found[3]}", page)


def differing(*, write: bool = False) -> list[str]:
    """Return the pages whose tables are not those of their results; write them if asked to."""
    names = []
    for path in (ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))):
        old = path.read_text(encoding="utf-8")
        new = written(old)
        if new != old:
            names.append(str(path.relative_to(ROOT)))
            if write:
                path.write_text(new, encoding="utf-8")
    return names


def main(arguments: list[str]) -> int:
    """Write, check or make."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--make", nargs="+", choices=COMMANDS, default=[])
    given = parser.parse_args(arguments)
    for name in given.make:
        script, *options = COMMANDS[name].split()
        subprocess.run([sys.executable, ROOT / "benchmarks" / script, *options], check=True)
    found = differing(write=not given.check)
    for name in found:
        print(
            f"{name}: " + ("differs; run python .ci/page_numbers.py" if given.check else "written")
        )
    return int(given.check and bool(found))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
