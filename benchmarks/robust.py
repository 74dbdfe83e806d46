"""Student-t noise: effective draws per CPU second of Gibbs and of NUTS, on published files.

Run: python benchmarks/robust.py [--data DIR] [--files NAME ...] [--model maximal-student-t]
CPU seconds include all threads and NUTS's compilation. ESS is the smallest of any standard
deviation, degrees of freedom, connection or word mean. Needs the published distance files, by
default where the tests look for them.
"""

import argparse
import os
import time
import warnings
from pathlib import Path

import bayesbias as bb
from bayesbias.support.compatibility import ess_and_rhat

FILES = ("religion_group_reddit_dataset.csv", "gender_group_google_dataset.csv")


def measured(frame, model: str, engine: str) -> tuple[bb.results.Fit, float, float]:
    """Return a fit, its smallest effective number of draws, and CPU seconds."""
    start = time.process_time()
    fit = bb.fit(frame, model, engine=engine, seed=1, progress=False)
    seconds = time.process_time() - start
    watched = [name for name in fit.posterior.data_vars if not str(name).endswith("_effect")]
    ess = min(float(ess_and_rhat(fit.posterior[name])["ess_bulk"].min()) for name in watched)
    return fit, ess, seconds


def main() -> None:
    """Print one line per file."""
    parser = argparse.ArgumentParser(description=__doc__)
    default = os.environ.get("BAYESBIAS_DATA", Path(__file__).parents[2] / "shared" / "data")
    parser.add_argument("--data", type=Path, default=Path(default))
    parser.add_argument("--files", nargs="*", default=FILES)
    parser.add_argument("--model", default="maximal-student-t")
    arguments = parser.parse_args()
    warnings.simplefilter("ignore")
    for name in arguments.files:
        path = arguments.data / "distances" / name
        frame = bb.read_distances(path, duplicates="keep")
        rates = []
        for engine in ("gibbs", "nuts"):
            fit, ess, seconds = measured(frame, arguments.model, engine)
            rates.append(ess / seconds)
            row = fit.contrasts().table.set_index("contrast").loc["associated − different"]
            print(
                f"{name} {engine}: {seconds:.0f} CPU s, ESS {ess:.0f}, associated − different "
                f"{row['mean']:+.4f} (sd {row['sd']:.4f}), {fit.diagnostics.sentence}",
                flush=True,
            )
        print(f"{name}: Gibbs has {rates[0] / rates[1]:.1f} times the effective draws a CPU second")


if __name__ == "__main__":
    main()
