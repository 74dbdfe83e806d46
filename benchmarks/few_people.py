"""How often equal rates are called different with few persons a group: exact, by enumeration.

    python benchmarks/few_people.py [--save few-people]    # some seconds

Every outcome of both groups is counted with its binomial probability, for common rates from .1% to
99.9%; the table has the worst rate in percent, by the sizes of the groups. 89% intervals; a verdict
by an equal-tailed interval is one on the posterior probability of the sign. `verdicts` is what
`classifiers.gaps` says: the interval of the uniform prior and Fisher's test, groups of two or more.
"""

import argparse
from itertools import product

import numpy as np
import pandas as pd
from saved_results import save
from scipy.stats import beta, binom

from bayesbias.classifiers.estimates import FEWEST, fisher_tails

TAIL = 0.055
SIZES = ((1, 1), (2, 2), (3, 3), (5, 5), (10, 10), (20, 20), (1, 20), (3, 20), (1, 200), (5, 200))
RATES = np.r_[0.001, 0.005, 0.01, 0.02, np.arange(0.05, 1, 0.05), 0.98, 0.99, 0.995, 0.999]
_EDGES = (1 - np.cos(np.pi * np.linspace(0, 1, 2001))) / 2
_GRID = 1000


def sides(n: int, m: int, prior: float) -> np.ndarray:
    """Return −1, 0 or 1 for every outcome (n + 1, m + 1), by the equal-tailed interval."""
    first, second = (
        np.array([np.diff(beta.cdf(_EDGES, prior + s, prior + k - s)) for s in range(k + 1)])
        for k in (n, m)
    )
    higher = first @ (np.cumsum(second, axis=1) - second / 2).T
    return (higher > 1 - TAIL).astype(int) - (higher < TAIL).astype(int)


def narrowest(n: int, m: int, prior: float) -> np.ndarray:
    """Return likewise which side of 0 the highest density interval is on."""
    edges = np.linspace(0, 1, _GRID + 1)
    first, second = (
        np.array([np.diff(beta.cdf(edges, prior + s, prior + k - s)) for s in range(k + 1)])
        for k in (n, m)
    )
    found = np.zeros((n + 1, m + 1), dtype=int)
    for s, t in product(range(n + 1), range(m + 1)):
        total = np.r_[0.0, np.cumsum(np.convolve(first[s], second[t][::-1]))]
        last = np.searchsorted(total, total + 1 - 2 * TAIL)
        widths = np.where(last < len(total), last - np.arange(len(total)), len(total))
        start = int(widths.argmin())
        found[s, t] = int(start >= _GRID) - int(last[start] <= _GRID - 1)
    return found


def fisher(n: int, m: int) -> np.ndarray:
    """Return likewise which side Fisher's test is on."""
    s, t = np.meshgrid(np.arange(n + 1), np.arange(m + 1), indexing="ij")
    lower, higher = np.moveaxis(fisher_tails(s, n, t, m) <= TAIL, -1, 0)
    return higher.astype(int) - lower.astype(int)


def worst(said: np.ndarray, n: int, m: int) -> float:
    """Return the largest rate at which a side is said, over common rates."""
    first = binom.pmf(np.arange(n + 1), n, RATES[:, None])
    second = binom.pmf(np.arange(m + 1), m, RATES[:, None])
    return float(np.einsum("rs,st,rt->r", first, said != 0, second).max())


def main() -> None:
    """Print the table, and save it if asked to."""
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--save", metavar="NAME")
    given = parser.parse_args()
    rows = []
    for n, m in SIZES:
        interval, test = narrowest(n, m, 1.0), fisher(n, m)
        kept = np.where((interval == test) & (min(n, m) >= FEWEST), test, 0)
        said = {
            "HPDI, uniform prior": interval,
            "equal-tailed, uniform": sides(n, m, 1.0),
            "equal-tailed, Jeffreys": sides(n, m, 0.5),
            "Fisher's test": test,
            "verdicts": kept,
        }
        shown = {name: 100 * worst(one, n, m) for name, one in said.items()}
        rows.append({"persons": f"{n} and {m}", **shown})
    table = pd.DataFrame(rows)
    print(table.round(1).to_string(index=False))
    if given.save:
        print(save(table, given.save, {"rates": "0.1 to 99.9%", "intervals": "89%"}))


if __name__ == "__main__":
    main()
