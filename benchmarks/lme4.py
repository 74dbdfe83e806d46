"""A full posterior of `maximal` against lme4's one point estimate of the same terms.

    python benchmarks/lme4.py FOLDER [NAME ...]

FOLDER has files of distances as the Bayesian paper's authors published them. Needs ``Rscript`` and
R's lme4 (Debian: r-base-core, r-cran-lme4). Printed per file: associated less different from the
stereotype pairs alone, with both its standard deviations, and the ratio of processor seconds for
the whole file, where the evidence and all contrasts with their intervals are ours.
"""

import csv
import io
import subprocess
import sys
import tempfile
import time
import warnings
from pathlib import Path

import pandas as pd

import bayesbias as bb


def ours(frame: pd.DataFrame) -> tuple[float, float, float]:
    """Return mean and sd of the contrast from stereotypes alone, and seconds for the whole file."""
    stereotype = frame[frame["connection"].isin(["associated", "different"])]
    contrast = bb.fit(stereotype.reset_index(drop=True), seed=1).contrasts().iloc[0]
    seconds = []
    for seed in range(3):
        start = time.process_time()
        bb.fit(frame, seed=seed).contrasts()
        seconds.append(time.process_time() - start)
    return contrast["mean"], contrast["sd"], min(seconds)


def main(folder: str, *names: str) -> None:
    """Print the table."""
    script = Path(__file__).with_suffix(".R")
    row = "{:<30} {:>8} {:>7} {:>8} {:>7} {:>8} {:>8} {:>6}"
    print(row.format("file", "ours", "sd", "lme4", "se", "ours s", "lme4 s", "ratio"))
    for path in sorted(Path(folder).glob("*.csv")):
        if names and path.stem not in names:
            continue
        with warnings.catch_warnings(), tempfile.TemporaryDirectory() as temporary:
            warnings.simplefilter("ignore")  # missing words and repeated pairs
            frame = bb.read_distances(path)
            written = Path(temporary) / path.name
            frame.to_csv(written, index=False)
            command = ["Rscript", str(script), str(written)]
            text = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        peer = next(csv.DictReader(io.StringIO(text)))
        mean, sd, seconds = ours(frame)
        theirs = float(peer["seconds_all"])
        numbers = [mean, sd, float(peer["estimate"]), float(peer["se"])]
        times = [seconds, theirs, seconds / theirs]
        cells = [f"{x:.4f}" for x in numbers] + [f"{x:.2f}" for x in times]
        print(row.format(path.stem, *cells), flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
