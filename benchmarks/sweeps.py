"""A sweep against a plain loop, on a folder of distance files.

Run: python benchmarks/sweeps.py FOLDER_OF_CSV [--jobs 2] [--repeat 1]

Fits `paper` and `crossed` to every file: in a plain loop in this process (read, fit, summarise), as
a sweep in one process, and as a sweep over several, which have to start first. The loop calls
`Fit.contrasts`, which compares words too; a sweep keeps group-level rows alone.
"""

import argparse
import tempfile
import time
import warnings
from pathlib import Path

import bayesbias as bb
from bayesbias.errors import BayesBiasWarning
from bayesbias.studies.sweep_file import Source, Step, Sweep
from bayesbias.studies.sweep_run import run_sweep

MODELS = ("paper", "crossed")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    parser.add_argument("--jobs", type=int, default=2)
    parser.add_argument("--repeat", type=int, default=1, help="take every file so many times")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore", BayesBiasWarning)
    files = sorted(arguments.folder.glob("*.csv"))
    files = files * arguments.repeat
    n_tasks = len(files) * len(MODELS)
    started = time.perf_counter()
    for file in files:
        frame = bb.read_distances(file)
        for model in MODELS:
            fit = bb.fit(frame, model=model, seed=1)
            fit.summary()
            fit.contrasts()
    loop = time.perf_counter() - started
    print(f"{n_tasks} tasks; plain loop {loop:.1f} s, {n_tasks / loop:.1f} tasks a second")
    sources = tuple(Source(f"{f.stem} {i}", str(f), "distances") for i, f in enumerate(files))
    models = {name: bb.load_model(name) for name in MODELS}
    sweep = Sweep(sources, (Step("none"),), {}, models)
    for jobs in (1, arguments.jobs):
        with tempfile.TemporaryDirectory() as folder:
            started = time.perf_counter()
            run_sweep(sweep, folder, jobs=jobs, progress=False)
            seconds = time.perf_counter() - started
            started = time.perf_counter()
            run_sweep(sweep, folder, jobs=jobs, progress=False)
            again = time.perf_counter() - started
        print(
            f"sweep, {jobs} processes: {seconds:.1f} s, {n_tasks / seconds:.1f} tasks a second, "
            f"{loop / seconds:.2f} x the loop; nothing left: {again:.1f} s"
        )


if __name__ == "__main__":
    main()
