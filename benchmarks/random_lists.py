"""How often each method calls words and attributes that were drawn at random "biased".

    python benchmarks/random_lists.py [VECTORS ...] [--lists 400] [--topics | --both] [--step]
        [--seed 99] [--models maximal ...] [--jobs 1] [--save random-lists]

Of the first 8,000 lower-case words of a file of vectors, two groups of eight protected words, two
sets of eight attributes and 60 neutral words are drawn. Attributes are dealt to their sets by
chance, so that nothing is associated with anything by design: one by one, or, with --topics, four
topics of four, a random word and its three nearest neighbours, dealt whole (--both: first one by
one, then so). The groups are a random word and its seven nearest neighbours each, so that the words
of a group are alike as those of real lists are. Prints the share of lists in which each method says
bias, with its 89% interval, the root mean square of mean over sd, and the mean sd; where a fit's
table has `chance` (how often unrelated groups differ as much between these lists), how often it is
below .11, as it should be in 11%. --save keeps the table for the pages.

With --step a step is asked about: every attribute loses the direction in which the groups differ,
and a tenth of its length is new and random. What that changes is chance too. Compared are models of
the change in which attributes are as alike as on both sides (with --models maximal this one alone),
as their changes, and not at all.
"""

import argparse
import time
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache, partial

import numpy as np
import pandas as pd
from real_lists import embeddings, named, over_processes, unit
from saved_results import save

import bayesbias as bb
from bayesbias.constants import ATTRIBUTE, CHANGE, DISTANCE
from bayesbias.fits.refitted import RefittedContrasts
from bayesbias.inference.adapting import adapt_model_to_data
from bayesbias.inference.decision import DecisionRule
from bayesbias.inference.intervals import binomial_interval
from bayesbias.measures.association import permutation_test
from bayesbias.pairs.profile_records import packed
from bayesbias.pairs.profiles import random_sd
from bayesbias.pairs.provenance import with_provenance
from bayesbias.simulate.assumptions import world_frame
from bayesbias.vectors.samples import sample_of

N_WORDS, N_GROUP, N_ATTRIBUTES, N_NEUTRAL, N_TOPIC = 8000, 8, 16, 60, 4
UNRELATED = ", attributes unrelated"
MODELS = ("paper", "crossed", f"maximal{UNRELATED}", "maximal")
CONTRASTS = ("associated − different", "associated − neutral")
WEAT = "WEAT p < .05, two-sided"

Array = np.ndarray


def drawn(vectors: Array, rng: np.random.Generator, *, topics: bool) -> tuple[Array, Array]:
    """Draw the words of two groups, in turn, and attributes: those of two sets in turn, neutral."""
    while True:
        heads = rng.choice(len(vectors), 2, replace=False)
        first, second = (np.argsort(-(vectors @ vectors[word]))[:N_GROUP] for word in heads)
        if not set(first) & set(second):
            break
    protected = np.stack([first, second], axis=1).ravel()  # worlds deal words in turn
    others = np.setdiff1d(np.arange(len(vectors)), protected)
    if not topics:
        return protected, rng.choice(others, N_ATTRIBUTES + N_NEUTRAL, replace=False)
    while True:
        heads = rng.choice(others, N_ATTRIBUTES // N_TOPIC, replace=False)
        parts = [np.argsort(-(vectors @ vectors[word]))[:N_TOPIC] for word in heads]
        if len(set(np.concatenate([*parts, protected]))) == N_ATTRIBUTES + len(protected):
            break
    half = len(parts) // 2
    sets = np.stack([np.concatenate(parts[:half]), np.concatenate(parts[half:])], axis=1).ravel()
    rest = np.setdiff1d(others, sets)
    return protected, np.concatenate([sets, rng.choice(rest, N_NEUTRAL, replace=False)])


@dataclass(frozen=True)
class Sampled:
    """Groups of like words, (n_groups, d), and the mean of the words that were drawn, (d,).

    `random_sd`: that of correlations among the drawn words' profiles.
    """

    groups: Array
    mean: Array
    random_sd: float | None

    def profiles(self, attributes: Array) -> Array:
        """Return the distances of groups to attributes, less their mean."""
        return -(self.groups - self.mean) @ (attributes - self.mean).T

    def record(self, names: list[str], attributes: Array) -> dict[str, object]:
        """Return the record of how alike attributes are."""
        mean = self.nearness(attributes)
        return packed(names, (), self.profiles(attributes), mean=mean, random_sd=self.random_sd)

    def nearness(self, attributes: Array) -> Array:
        """Return the mean distance of drawn words to attributes, less that to their mean."""
        return -(attributes - self.mean) @ self.mean


def list_frame(layout: pd.DataFrame, vectors: Array, chosen: tuple[Array, Array], sample: Sampled):
    """Return the frame of distances of a list, which knows how alike its attributes are."""
    protected, attributes = (vectors[at] for at in chosen)
    frame = layout.assign(**{DISTANCE: (1.0 - protected @ attributes.T).ravel()})
    names = layout[ATTRIBUTE].unique().tolist()
    return with_provenance(frame, profiles=sample.record(names, attributes))


def weat_p(frame: pd.DataFrame) -> float:
    """Return WEAT's two-sided p-value."""
    matrix = 1.0 - frame[DISTANCE].to_numpy().reshape(2 * N_GROUP, -1)[:, :N_ATTRIBUTES]
    rows = matrix[np.r_[0 : 2 * N_GROUP : 2, 1 : 2 * N_GROUP : 2]]
    s = rows[:, 0::2].mean(axis=1) - rows[:, 1::2].mean(axis=1)
    return float(permutation_test(s, N_GROUP, alternative="two-sided", seed=1).p_value)


def without(vectors: Array, direction: Array) -> Array:
    """Return vectors without a direction."""
    return vectors - (vectors @ direction)[..., None] * direction


def step_answers(
    vectors: Array,
    sample: Sampled,
    numbers: Iterable[int],
    seed: int,
    *,
    topics: bool,
    models: Sequence[str] = MODELS,
) -> pd.DataFrame:
    """Return the change of every list by every model; lists are numbered."""
    layout = world_frame(2 * N_GROUP, N_ATTRIBUTES, n_groups=2, n_human=0, n_neutral=0)
    spec, names = bb.load_model("change-maximal"), layout[ATTRIBUTE].unique().tolist()
    refitted: dict[str, RefittedContrasts] = {}
    found = []
    for number in numbers:
        rng = np.random.default_rng([seed, number])
        protected, chosen = drawn(vectors, rng, topics=topics)
        words, old = vectors[protected], vectors[chosen[:N_ATTRIBUTES]]
        direction = words[0::2].mean(axis=0) - words[1::2].mean(axis=0)
        direction /= np.linalg.norm(direction)
        new = unit(without(old, direction))
        new = new + 0.1 * rng.standard_normal(new.shape) / np.sqrt(new.shape[1])
        new = unit(new)
        parts = (without(sample.groups, direction), without(sample.mean, direction))
        changed = Sampled(*parts, sample.random_sd)
        before, after = sample.profiles(old), changed.profiles(new)
        moved = changed.nearness(new) - sample.nearness(old)
        both, sd = np.concatenate([before, after]), sample.random_sd
        of_both = packed(names, (), both, mean=moved, random_sd=sd)
        records = {
            "as on both sides": of_both,
            "as their changes": packed(names, (), after - before, mean=moved, random_sd=sd),
            "unrelated": None,
        }
        if tuple(models) == ("maximal",):
            records = {"as on both sides": records["as on both sides"]}
        for name, record in records.items():
            frame = layout.assign(**{CHANGE: (words @ (old - new).T).ravel()})
            with_provenance(frame, profiles=record)
            fitted, _ = adapt_model_to_data(spec, frame)
            if name not in refitted:
                refitted[name] = RefittedContrasts(fitted, DecisionRule(0.01))
            table, _ = refitted[name].of_frame(frame, fitted)
            found.append(table.assign(model=f"attributes {name}", number=number))
    return pd.concat(found, ignore_index=True)


def answers(
    vectors: Array,
    sample: Sampled,
    numbers: Iterable[int],
    seed: int,
    *,
    topics: bool,
    models: Sequence[str] = MODELS,
) -> tuple[Array, pd.DataFrame]:
    """Return WEAT's p of every list, and every model's contrasts; lists are numbered."""
    layout = world_frame(2 * N_GROUP, N_ATTRIBUTES, n_groups=2, n_human=0, n_neutral=N_NEUTRAL)
    specs = {name: bb.load_model(name.removesuffix(UNRELATED)) for name in models}
    refitted: dict[str, RefittedContrasts] = {}
    p, found = [], []
    for number in numbers:
        chosen = drawn(vectors, np.random.default_rng([seed, number]), topics=topics)
        frame = list_frame(layout, vectors, chosen, sample)
        p.append(weat_p(frame))
        for name, spec in specs.items():
            if name.endswith(UNRELATED):
                spec = spec.without_similarity()
            fitted, _ = adapt_model_to_data(spec, frame)
            if name not in refitted:
                refitted[name] = RefittedContrasts(fitted, DecisionRule(0.01), chance=True)
            table, _ = refitted[name].of_frame(frame, fitted)
            found.append(table.assign(model=name, number=number))
    return np.array(p), pd.concat(found, ignore_index=True)


@cache
def loaded(path: str) -> tuple[Array, Sampled]:
    """Return the unit vectors of a file's first words, and what the package samples of it."""
    kv = bb.load_embedding(path)
    words = [w for w in kv.index_to_key if w.isalpha() and w.islower() and len(w) > 2][:N_WORDS]
    sample = sample_of(kv)
    units, groups = unit(np.asarray(sample.vectors, dtype=np.float64)), sample.groups
    near, alone = units[groups].mean(axis=1), units[groups[:, 0]]
    drawn = Sampled(near, alone.mean(axis=0), random_sd(near, alone))
    return unit(np.array([kv[word] for word in words], dtype=np.float64)), drawn


def of_list_numbers(task: tuple[str, bool, range], arguments: argparse.Namespace) -> pd.DataFrame:
    """Return the answers about some lists in a file of vectors, WEAT's p among them."""
    path, topics, numbers = task
    chosen = *loaded(path), numbers, arguments.seed
    if arguments.step:
        found = step_answers(*chosen, topics=topics, models=arguments.models)
    else:
        p, found = answers(*chosen, topics=topics, models=arguments.models)
        weat = pd.DataFrame({"model": WEAT, "contrast": CONTRASTS[0], "number": numbers, "p": p})
        found = pd.concat([weat, found], ignore_index=True)
    design = "topics" if topics else "single words"
    return found.assign(attributes=design, vectors=named(path))


def summary(rows: pd.DataFrame) -> pd.Series:
    """Return how many lists a method calls biased, and how honest its intervals are."""
    said = (rows["low"] > 0) | (rows["high"] < 0) if rows["p"].isna().all() else rows["p"] < 0.05
    z = float(np.sqrt(np.mean((rows["mean"] / rows["sd"]) ** 2)))
    low, high = binomial_interval(int(said.sum()), len(rows))
    share = {"share": said.mean(), "share_low": low, "share_high": high}
    known = rows["chance"].dropna() if "chance" in rows else rows["mean"].iloc[:0]
    chance = {"small_chance": (known < 0.11).mean()}  # NaN where no row has one
    return pd.Series({"lists": len(rows), **share, "rms_z": z, "sd": rows["sd"].mean(), **chance})


def summarised(found: pd.DataFrame) -> pd.DataFrame:
    """Return a row for every design, file of vectors, contrast and method."""
    rows = found.assign(p=found.get("p", np.nan))
    rows = rows[rows["contrast"].isin(CONTRASTS)]
    keys = ["attributes", "vectors", "contrast", "model"]
    return rows.groupby(keys, sort=False)[rows.columns.tolist()].apply(summary).reset_index()


def tasks_of(arguments: argparse.Namespace) -> list[tuple[str, bool, range]]:
    """Return file, design and numbers of lists: as many parts of each as there are processes."""
    designs = (False, True) if arguments.both else (arguments.topics,)
    return [
        (path, topics, range(part, arguments.lists, arguments.jobs))
        for path in arguments.vectors
        for topics in designs
        for part in range(min(arguments.jobs, arguments.lists))
    ]


def main() -> None:
    """Print a line per method."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("vectors", nargs="*", default=embeddings())
    parser.add_argument("--lists", type=int, default=400)
    parser.add_argument("--topics", action="store_true")
    parser.add_argument("--both", action="store_true")
    parser.add_argument("--step", action="store_true")
    parser.add_argument("--seed", type=int, default=99)
    parser.add_argument("--models", nargs="+", choices=MODELS, default=MODELS)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--save", metavar="NAME")
    arguments, started = parser.parse_args(), time.perf_counter()
    of_task = partial(of_list_numbers, arguments=arguments)
    found = over_processes(of_task, tasks_of(arguments), arguments.jobs)
    table = summarised(found)
    if arguments.save:
        settings = {"seed": arguments.seed, "lists": arguments.lists}
        save(table, arguments.save, settings, methods="model")
    print(f"{arguments.lists} lists, says {'change' if arguments.step else 'bias'}:")
    percent = "{:.1%}".format
    form = dict.fromkeys(("share", "share_low", "share_high", "small_chance"), percent)
    form |= {"lists": "{:.0f}".format, "rms_z": "{:.2f}".format, "sd": "{:.4f}".format}
    print(table.to_string(index=False, formatters=form))
    print(f"{time.perf_counter() - started:.0f} s")


if __name__ == "__main__":
    main()
