"""How often each method calls words and attributes that were drawn at random "biased".

    python benchmarks/random_lists.py VECTORS [--lists 500] [--seed 99]

Of the first 8,000 lower-case words of a file of vectors, two groups of eight protected words, two
sets of eight attributes and 60 neutral words are drawn. Attributes are dealt to their sets by
chance, so that nothing is associated with anything by design. The groups are either a random word
and its seven nearest neighbours each, so that the words of a group are alike as those of real lists
are, or words drawn one by one. Prints the share of lists in which each method says bias, with its
89% interval.
"""

import argparse
from collections.abc import Callable

import numpy as np

import bayesbias as bb
from bayesbias.inference.decision import DecisionRule
from bayesbias.inference.design import Design
from bayesbias.inference.intervals import binomial_interval
from bayesbias.inference.model_files import load_model
from bayesbias.inference.refits import Refits
from bayesbias.simulate.assumptions import world_frame
from bayesbias.simulate.deciders import BIAS, METHODS, World

MODELS = ("paper", "crossed", "maximal")
NAMES = (
    "weat-p",
    *(f"{model}-zero-{second}" for second in ("different", "neutral") for model in MODELS),
)
N_WORDS, N_GROUP, N_ATTRIBUTES, N_NEUTRAL = 8000, 8, 16, 60

Groups = Callable[[np.ndarray, np.random.Generator], tuple[np.ndarray, np.ndarray]]


def neighbours(vectors: np.ndarray, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Draw two words, and return each with its nearest neighbours; no word is in both groups."""
    while True:
        first, second = (
            np.argsort(-(vectors @ vectors[word]))[:N_GROUP]
            for word in rng.choice(len(vectors), 2, replace=False)
        )
        if not set(first) & set(second):
            return first, second


def drawn(vectors: np.ndarray, rng: np.random.Generator) -> tuple[np.ndarray, np.ndarray]:
    """Draw the words of both groups one by one."""
    words = rng.choice(len(vectors), 2 * N_GROUP, replace=False)
    return words[:N_GROUP], words[N_GROUP:]


def alarms(vectors: np.ndarray, groups: Groups, n_lists: int, seed: int) -> np.ndarray:
    """Return whether each method says bias of each list, shape (n_lists, n_methods)."""
    frame = world_frame(2 * N_GROUP, N_ATTRIBUTES, n_groups=2, n_human=0, n_neutral=N_NEUTRAL)
    models = {}
    for name in MODELS:
        spec = load_model(name)
        models[name] = Design.from_frame(frame, spec), Refits(spec, draws=500)
    said = []
    for number in range(n_lists):
        rng = np.random.default_rng([seed, number])
        protected = np.empty(2 * N_GROUP, dtype=np.int64)
        protected[0::2], protected[1::2] = groups(vectors, rng)  # worlds deal words in turn
        others = np.setdiff1d(np.arange(len(vectors)), protected)
        attributes = rng.choice(others, N_ATTRIBUTES + N_NEUTRAL, replace=False)
        distances = 1.0 - vectors[protected] @ vectors[attributes].T
        world = World(models, distances.ravel(), DecisionRule(0.01), number)
        said.append([METHODS[name].decide(world) == BIAS for name in NAMES])
    return np.array(said)


def main() -> None:
    """Print a line per method."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("vectors")
    parser.add_argument("--lists", type=int, default=500)
    parser.add_argument("--seed", type=int, default=99)
    arguments = parser.parse_args()
    kv = bb.load_embedding(arguments.vectors)
    words = [w for w in kv.index_to_key if w.isalpha() and w.islower() and len(w) > 2][:N_WORDS]
    vectors = np.array([kv[word] for word in words], dtype=np.float64)
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
    for groups in (neighbours, drawn):
        said = alarms(vectors, groups, arguments.lists, arguments.seed)
        print(f"groups of {groups.__name__}, {arguments.lists} lists, says bias in percent:")
        for name, count in zip(NAMES, said.sum(axis=0), strict=True):
            low, high = binomial_interval(int(count), arguments.lists)
            method = METHODS[name]
            print(
                f"  {method.rule:46s} {method.question:24s} nominal {100 * method.nominal:2.0f}: "
                f"{100 * count / arguments.lists:5.1f} [{100 * low:.1f}, {100 * high:.1f}]"
            )


if __name__ == "__main__":
    main()
