"""The command ``sweep``."""

import argparse
import os

from bayesbias.cli.inputs import progress_of, say, show
from bayesbias.studies.sweep_file import load_sweep
from bayesbias.studies.sweep_run import run_sweep


def run_sweep_command(arguments: argparse.Namespace, given: list[str]) -> None:
    """Run or resume a sweep and say what it found."""
    sweep = load_sweep(arguments.sweep)
    n_tasks = sum(1 for _ in sweep.tasks())
    say(arguments, f"{n_tasks:,} tasks: {len(sweep.sources)} sources, {len(sweep.steps)} debiasing "
        f"steps, {len(sweep.wordlists)} word lists, {len(sweep.models)} models")  # fmt: skip
    try:
        result = run_sweep(
            sweep, arguments.out, jobs=arguments.jobs or os.cpu_count() or 1,
            scheduler=arguments.scheduler, retry=arguments.retry,
            progress=progress_of(arguments),
        )  # fmt: skip
    except KeyboardInterrupt:
        raise KeyboardInterrupt(
            f"interrupted; finished tasks are kept in {arguments.out}, and the same command goes "
            f"on from there"
        ) from None
    show(arguments, repr(result).splitlines(), result.to_dict())
    say(arguments, f"Results, summary and heat map are in {arguments.out}")
