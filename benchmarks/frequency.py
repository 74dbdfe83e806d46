"""How often frequency passes for an association, plain and at equal frequency.

    python benchmarks/frequency.py [--worlds 400] [--seed 5] [--save frequency]

Worlds are those of `maximal`: two groups of eight words, eight attributes a list, 40 neutral words.
One group and its list are of rare words, the other group and list of frequent ones: their rarities
have the means ±1 and standard deviation 1. Rare words are farther from all others, and nearer to
rare ones, by .03, .03 and −.02 for a standard deviation. In the first worlds nothing else is
associated, in the second associated pairs are closer by .05 besides. Prints the share of 89%
intervals that miss that truth.
"""

from functools import partial

import numpy as np
from worlds import Fitters, Namespace, Records, outside, run

import bayesbias as bb
from bayesbias.constants import CONNECTIONS
from bayesbias.fits.quantities import contrast_weights
from bayesbias.inference.design import Design
from bayesbias.pairs.frequency import RARITY
from bayesbias.simulate.assumptions import Assumptions, draw_responses, world_frame

SIZE, N_NEUTRAL = 8, 40
OF_WORD, OF_ATTRIBUTE, OF_BOTH = 0.03, 0.03, -0.02
CONTRASTS = (("associated", "different"), ("associated", "neutral"))


def rarities(rng: np.random.Generator):
    """Return the pairs of a world with the rarity of their words; groups and lists differ."""
    frame = world_frame(2 * SIZE, 2 * SIZE, n_groups=2, n_human=0, n_neutral=N_NEUTRAL)
    numbers = {}
    for column, by in (("protected_word", "group"), ("attribute", "attribute_set")):
        first = frame.drop_duplicates(column)
        names = [name for name in first[by].unique() if name != "neutral"]
        mean = first[by].map(dict(zip(names, (1.0, -1.0), strict=True))).fillna(0.0)
        drawn = dict(zip(first[column], mean + rng.standard_normal(len(first)), strict=True))
        numbers[RARITY[column]] = frame[column].map(drawn)
    return frame.assign(**numbers)


def records(given: Namespace) -> Records:
    """Yield for every world and model whether the intervals of `CONTRASTS` miss."""
    plain = bb.load_model("maximal").in_unit(0.1, 1.0).without_similarity()
    plain = plain.without(["protected_attribute"])
    models = {"plain": plain, "at equal frequency": plain.with_frequency()}
    question = partial(contrast_weights, by="connection", pairs=CONTRASTS)
    assumed = Assumptions(connection_mean=dict.fromkeys(CONNECTIONS, 0.9), n_human=0)
    for what, planted in {"nothing": 0.0, "own list, by .05": -0.05}.items():
        fitters = Fitters()
        for number in range(given.worlds):
            rng = np.random.default_rng([given.seed, number, planted != 0])
            frame = rarities(rng)
            response = draw_responses(Design.from_frame(frame, plain), assumed.parameters, rng)
            z_word, z_attribute = (frame[column].to_numpy() for column in RARITY.values())
            response += planted * (frame["connection"] == "associated").to_numpy()
            response += OF_WORD * z_word + OF_ATTRIBUTE * z_attribute
            response += OF_BOTH * z_word * z_attribute
            frame = frame.assign(cosine_distance=response)
            for name, spec in models.items():
                answers = fitters.fit(name, spec, frame, question).answers
                missed = [outside(answer, planted) for answer in answers]
                names = [" − ".join(contrast) for contrast in CONTRASTS]
                yield {"closer": what, "model": name, **dict(zip(names, missed, strict=True))}


if __name__ == "__main__":
    run(records, __doc__, worlds=400, seed=5)
