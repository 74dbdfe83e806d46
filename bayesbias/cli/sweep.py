"""The command ``sweep``."""

import argparse
import sys

import bayesbias as bb
from bayesbias.cli.command import Command
from bayesbias.cli.options import JOBS, SPEECH
from bayesbias.cli.output import call_with_options, kept_if_interrupted, say, show
from bayesbias.fits.next_step import next_step


def run(arguments: argparse.Namespace) -> int:
    """Run or resume a sweep and say what it found; return 1 if a task failed."""
    from bayesbias.studies.several_narrator import tasks_sentences, what_sds_are

    sweep = bb.sweep.load_sweep(arguments.sweep)
    say(arguments, sweep.told)
    with kept_if_interrupted("tasks", arguments):
        result = call_with_options(bb.sweep.run_sweep, arguments, sweep, arguments.out)
    answers = tasks_sentences(result.table, result.failures)
    sds = what_sds_are(result.table["scale"].dropna(), "tasks") if result.has_contrasts else ""
    n_lists = result.table["wordlist"].nunique() if result.has_contrasts else 0
    notes = " ".join(filter(None, (*answers[n_lists:], sds)))
    blocks = [
        *answers[:n_lists],
        *filter(None, [notes]),
        next_step("sweep", arguments.out),
        "",
        *repr(result).splitlines(),
    ]
    show(arguments, blocks, {"answers": answers, **result.to_dict()})
    made = "Results, summary and heat map" if result.n_results else "No results; the reasons"
    say(arguments, f"{made} are in {arguments.out}")
    if not len(result.failures):
        return 0
    n_failed, n_all = len(result.failures), len(result.failures) + result.n_results
    print(
        f"bayesbias: {n_failed:,} of {n_all:,} tasks failed; failures.csv gives the reasons, and "
        f"--retry tries them again",
        file=sys.stderr,
    )
    return 1


COMMAND = Command(
    "sweep",
    "fit embeddings × debiasing steps × word lists × models; goes on where it was stopped",
    "bayesbias sweep sweep.toml --out out/sweep --jobs 2",
    f"""
sweep SWEEP  a .toml file; see docs/sweeps.md
--out DIR!  folder for the results
{JOBS}
--scheduler ADDRESS  a Dask scheduler, such as tcp://host:8786, instead
--retry  try again what failed before
{SPEECH}
""",
    run,
)
