"""Runs simulation-based calibration and writes its table and figure.

Run: python benchmarks/calibration.py [--model crossed] [--engine collapsed] [--simulations 1000]
                                      [--out DIR]
"""

import argparse
import time
from pathlib import Path

from bayesbias.inference.calibration import calibrate


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--model", default="paper")
    parser.add_argument("--engine", default="collapsed")
    parser.add_argument("--simulations", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--out", type=Path)
    arguments = parser.parse_args()
    start = time.perf_counter()
    found = calibrate(
        arguments.model,
        engine=arguments.engine,
        simulations=arguments.simulations,
        seed=arguments.seed,
    )
    seconds = time.perf_counter() - start
    table = found.summary()
    table["family"] = table["parameter"].str.partition("[")[0]
    families = table.groupby("family", sort=False).agg(
        parameters=("parameter", "size"),
        inside_50=("inside_0.5", "mean"),
        inside_89=("inside_0.89", "mean"),
        smallest_p=("p_uniform", "min"),
    )
    print(
        f"{arguments.model}, {arguments.engine}: {arguments.simulations} simulations, "
        f"{seconds:.0f} s"
    )
    print(families.round(4).to_string())
    print(
        f"{len(table)} parameters, smallest p {table['p_uniform'].min():.4f}, "
        f"{(table['p_uniform'] < 0.05).sum()} below .05"
    )
    if arguments.out:
        arguments.out.mkdir(parents=True, exist_ok=True)
        name = f"calibration-{arguments.model}-{arguments.engine}.png"
        found.plot().savefig(arguments.out / name, dpi=110)


if __name__ == "__main__":
    main()
