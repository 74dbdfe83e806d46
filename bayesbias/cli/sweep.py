"""The command ``sweep``."""

import argparse
import os
import sys

from bayesbias.cli.inputs import progress_of, say, show
from bayesbias.studies.sweep_file import load_sweep
from bayesbias.studies.sweep_run import run_sweep


def run_sweep_command(arguments: argparse.Namespace, given: list[str]) -> int:
    """Run or resume a sweep and say what it found; return 1 if a task failed."""
    sweep = load_sweep(arguments.sweep)
    n_tasks = sum(1 for _ in sweep.tasks())
    say(
        arguments,
        f"{n_tasks:,} tasks: {len(sweep.sources)} sources, {len(sweep.steps)} debiasing "
        f"steps, {len(sweep.wordlists)} word lists, {len(sweep.models)} models",
    )
    try:
        result = run_sweep(
            sweep,
            arguments.out,
            jobs=arguments.jobs or os.cpu_count() or 1,
            scheduler=arguments.scheduler,
            retry=arguments.retry,
            progress=progress_of(arguments),
        )
    except KeyboardInterrupt:
        raise KeyboardInterrupt(
            f"interrupted; finished tasks are kept in {arguments.out}, and the same command goes "
            f"on from there"
        ) from None
    show(arguments, repr(result).splitlines(), result.to_dict())
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
