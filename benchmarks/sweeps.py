"""A sweep against a plain loop, on a folder of distance files.

Run: python benchmarks/sweeps.py FOLDER_OF_CSV [--jobs 2] [--repeat 1]

Fits `paper` and `crossed` to every file: in a plain loop in this process (read, fit, means and
contrasts per connection), as a sweep in one process, and as a sweep over several, which have to
start first. Prints seconds by the clock and of processors, those of other processes included. What
all of them import is imported before; the first sweep imports what writes Parquet and figures.
"""

import argparse
import resource
import tempfile
import time
import warnings
from pathlib import Path

import bayesbias as bb
from bayesbias.errors import BayesBiasWarning
from bayesbias.studies.sweep_file import Source, Step, Sweep
from bayesbias.studies.sweep_run import run_sweep

MODELS = ("paper", "crossed")


class Watch:
    """Seconds by the clock and of processors since it was made."""

    def __init__(self) -> None:
        self.started, self.used = time.perf_counter(), processor_seconds()

    def __str__(self) -> str:
        used = processor_seconds() - self.used
        return f"{time.perf_counter() - self.started:.1f} s, {used:.1f} processor s"


def processor_seconds() -> float:
    """Return what this process and those that it has ended have used."""
    kinds = (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)
    used = [resource.getrusage(kind) for kind in kinds]
    return sum(one.ru_utime + one.ru_stime for one in used)


def loop(files: list[Path]) -> None:
    """Read, fit and summarise every file."""
    for file in files:
        frame = bb.read_distances(file)
        for model in MODELS:
            fit = bb.fit(frame, model=model, seed=1)
            fit.summary(by="connection")
            fit.contrasts(by="connection")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--repeat", type=int, default=1, help="take every file so many times")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore", BayesBiasWarning)
    files = sorted(arguments.folder.glob("*.csv"))
    loop(files[:1])
    files = files * arguments.repeat
    watch = Watch()
    loop(files)
    print(f"{len(files) * len(MODELS)} tasks; plain loop: {watch}", flush=True)
    sources = tuple(Source(f"{f.stem} {i}", str(f), "distances") for i, f in enumerate(files))
    models = {name: bb.load_model(name) for name in MODELS}
    sweep = Sweep(sources, (Step("none"),), {}, models)
    for jobs in (1, arguments.jobs):
        with tempfile.TemporaryDirectory() as folder:
            watch = Watch()
            run_sweep(sweep, folder, jobs=jobs, progress=False)
            print(f"sweep, {jobs} processes: {watch}", flush=True)
            watch = Watch()
            run_sweep(sweep, folder, jobs=jobs, progress=False)
            print(f"  the same again, nothing left: {watch}", flush=True)


if __name__ == "__main__":
    main()
