"""How well methods tell lists with a planted association from lists that are drawn at random.

    python benchmarks/power.py [--vectors FILE ...] [--lists 100] [--topics | --both]
        [--sizes .05 .1] [--methods maximal ...] [--seed 20251] [--jobs 1] [--out answers.csv]
        [--save NAME]

Lists are those of `random_lists.py`: two groups of like words, sixteen attributes dealt to two sets
by chance, one by one or, with --topics, in topics of four (--both: first one by one, then so). To
plant an association of a size, every attribute moves by it, in units of its length, towards the
mean of its own group; or towards it and away from that of the other group, so that the mean of all
distances hardly changes. The same lists without that are the false alarms. The direction is known,
as it is of a stereotype, so that scores are one-sided: WEAT's effect size; how much closer own
pairs are, over the standard deviation of a bootstrap of words and attributes or of a model; 1 −
MAC, as its authors read it.

Prints the area under the curve (the share of planted and random lists that are in the right order)
and, in percent, the power where 5% and 10% of random lists are false alarms, mean over files of
vectors. Ranks say nothing of thresholds; for these see `random_lists.py`.
"""

import argparse
import time
import warnings
from collections.abc import Callable
from functools import partial
from itertools import product
from pathlib import Path
from typing import Final

import numpy as np
import pandas as pd
from random_lists import N_ATTRIBUTES, N_GROUP, Array, drawn, loaded
from real_lists import (
    FittedAnew,
    Pairs,
    embeddings,
    named,
    over_processes,
    questions,
    resampled,
    unit,
)
from saved_results import save

import bayesbias as bb
from bayesbias.constants import ATTRIBUTE, DISTANCE
from bayesbias.errors import BayesBiasWarning
from bayesbias.pairs.provenance import with_provenance
from bayesbias.simulate.assumptions import world_frame

FALSE_ALARMS: Final = (0.05, 0.1)
UNRELATED: Final = ", unrelated"
PLANTED: Final = {"towards own": False, "and away from other": True}
DESIGNS: Final = {"single words": False, "topics": True}
Statistic = Callable[[pd.DataFrame, np.random.Generator], float]


def planted(words: Array, attributes: Array, size: float, *, away: bool) -> Array:
    """Return attributes, in turn of either set, moved towards the mean of their group's words."""
    own = unit(np.array([words[0::2].mean(axis=0), words[1::2].mean(axis=0)]))
    towards = own - own[::-1] if away else own
    return unit(attributes + size * towards[np.arange(len(attributes)) % 2])


def effect_size(frame: pd.DataFrame) -> float:
    """Return WEAT's effect size of a frame whose words and attributes are dealt in turn."""
    matrix = 1.0 - frame[DISTANCE].to_numpy().reshape(2 * N_GROUP, N_ATTRIBUTES)
    s = matrix[:, 0::2].mean(axis=1) - matrix[:, 1::2].mean(axis=1)
    return float((s[0::2].mean() - s[1::2].mean()) / s.std(ddof=1))


def resampled_t(frame: pd.DataFrame, rng: np.random.Generator) -> float:
    """Return how much closer own pairs are, over the sd by a bootstrap of words and attributes."""
    pairs = Pairs.of_frame(frame)
    _, weights = questions(pairs)
    again = pairs.cells(resampled(pairs.group, rng), resampled(pairs.lists, rng))
    draws = np.einsum("gs,ngs->n", weights[0], again)
    return float(-np.sum(weights[0] * pairs.cells()[0]) / draws.std(ddof=1))


def closeness(frame: pd.DataFrame) -> float:
    """Return 1 − MAC."""
    return float(1.0 - frame[DISTANCE].mean())


def of_model(name: str) -> Statistic:
    """Return how much closer own pairs are, over its sd by a model, whose fits share starts."""
    spec = bb.load_model(name.removesuffix(UNRELATED))
    fitted = FittedAnew(spec.without_similarity() if name.endswith(UNRELATED) else spec)

    def statistic(frame: pd.DataFrame, rng: np.random.Generator) -> float:
        row = fitted.of_frame(frame)[0].iloc[0]
        return float(-row["mean"] / row["sd"])

    return statistic


METHODS: Final[dict[str, Callable[[], Statistic]]] = {
    "WEAT": lambda: lambda frame, rng: effect_size(frame),
    "bootstrap": lambda: resampled_t,
    "MAC": lambda: lambda frame, rng: closeness(frame),
    **{
        name: partial(of_model, name)
        for name in ("paper", "crossed", f"maximal{UNRELATED}", "maximal")
    },
}


def statistics(
    path: str,
    design: str,
    n_lists: int,
    sizes: tuple[float, ...],
    methods: tuple[str, ...],
    seed: int,
) -> pd.DataFrame:
    """Return every method's statistic of every list, as it is and with each association planted."""
    vectors, sample = loaded(path)
    started = time.perf_counter()
    layout = world_frame(2 * N_GROUP, N_ATTRIBUTES, n_groups=2, n_human=0, n_neutral=0)
    names = layout[ATTRIBUTE].unique().tolist()
    chosen, rows = {name: METHODS[name]() for name in methods}, []
    for number in range(n_lists):
        rng = np.random.default_rng([seed, number])
        protected, others = drawn(vectors, rng, topics=DESIGNS[design])
        words = vectors[protected]
        for how, size in [("", 0.0), *product(PLANTED, sizes)]:
            random = vectors[others[:N_ATTRIBUTES]]
            attributes = planted(words, random, size, away=PLANTED[how]) if how else random
            frame = layout.assign(**{DISTANCE: (1.0 - words @ attributes.T).ravel()})
            with_provenance(frame, profiles=sample.record(names, attributes))
            for name, method in chosen.items():
                statistic = method(frame, np.random.default_rng([seed, number, 1]))
                rows.append((number, how, size, name, statistic))
    print(f"{named(path)}, {design}: {time.perf_counter() - started:.0f} s", flush=True)
    columns = ["number", "planted", "size", "method", "statistic"]
    return pd.DataFrame(rows, columns=columns).assign(design=design, vectors=named(path))


def area(random: Array, with_planted: Array) -> float:
    """Return how often a planted list has the larger score than a random one; ties count half."""
    apart = with_planted[:, None] - random[None, :]
    return float(((apart > 0) + 0.5 * (apart == 0)).mean())


def power(random: Array, with_planted: Array, false_alarms: float) -> float:
    """Return the share of planted lists above all but a share of random ones."""
    return float((with_planted > np.quantile(random, 1 - false_alarms)).mean())


def summarised(rows: pd.DataFrame) -> pd.DataFrame:
    """Return area and power of every method and planted association, means over vectors.

    A method has one threshold for each file of vectors and design.
    """
    shares = [f"power at {share:.0%}" for share in FALSE_ALARMS]
    found = []
    for (_, design, name), part in rows.groupby(["vectors", "design", "method"], sort=False):
        random = part.loc[part["planted"] == "", "statistic"].to_numpy()
        for (how, size), own in part[part["planted"] != ""].groupby(["planted", "size"]):
            scores = own["statistic"].to_numpy()
            powers = [100 * power(random, scores, share) for share in FALSE_ALARMS]
            found.append((design, how, size, name, len(scores), area(random, scores), *powers))
    keys = ["design", "planted", "size", "method"]
    table = pd.DataFrame(found, columns=[*keys, "lists", "area", *shares])
    both = {"lists": "sum", "area": "mean", **dict.fromkeys(shares, "mean")}
    return table.groupby(keys, sort=False).agg(both).reset_index()


def main() -> None:
    """Print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--vectors", nargs="+", default=embeddings())
    parser.add_argument("--lists", type=int, default=100)
    parser.add_argument("--topics", action="store_true")
    parser.add_argument("--both", action="store_true")
    parser.add_argument("--sizes", nargs="+", type=float, default=[0.05, 0.1])
    parser.add_argument("--methods", nargs="+", choices=METHODS, default=list(METHODS))
    parser.add_argument("--seed", type=int, default=20251)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--save", metavar="NAME")
    given, started = parser.parse_args(), time.perf_counter()
    how = given.lists, tuple(given.sizes), tuple(given.methods), given.seed

    designs = [name for name, topics in DESIGNS.items() if given.both or topics == given.topics]

    def of_task(task: tuple[str, str]) -> pd.DataFrame:
        warnings.simplefilter("ignore", BayesBiasWarning)
        return statistics(*task, *how)

    found = over_processes(of_task, list(product(given.vectors, designs)), given.jobs)
    if given.out:
        found.to_csv(given.out, index=False)
    table = summarised(found)
    if given.save:
        settings = {"seed": given.seed, "lists": given.lists}
        save(table, given.save, settings, methods="method")
    form = {"area": "{:.2f}".format}
    form |= {f"power at {share:.0%}": "{:.0f}".format for share in FALSE_ALARMS}
    print(table.to_string(index=False, formatters=form))
    print(f"{time.perf_counter() - started:.0f} s")


if __name__ == "__main__":
    main()
