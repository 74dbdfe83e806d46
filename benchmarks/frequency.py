"""How often frequency passes for an association, plain and at equal frequency.

    python benchmarks/frequency.py [--worlds 200] [--seed 5]

Worlds are those of `maximal`: two groups of eight words, eight attributes a list, 40 neutral words.
One group and its list are of rare words, the other group and list of frequent ones: their rarities
have the means ±1 and standard deviation 1. Rare words are farther from all others, and nearer to
rare ones, by .03, .03 and −.02 for a standard deviation. In the first worlds nothing else is
associated, in the second associated pairs are closer by .05 besides. Prints the share of 89%
intervals that miss that truth.
"""

from functools import partial

import numpy as np
from worlds import Fitters, options

import bayesbias as bb
from bayesbias.constants import CONNECTIONS
from bayesbias.fits.quantities import contrast_weights
from bayesbias.inference.design import Design
from bayesbias.pairs.frequency import RARITY
from bayesbias.simulate.assumptions import Assumptions, draw_responses, world_frame

SIZE, N_NEUTRAL, PROB = 8, 40, 0.89
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


def main() -> None:
    """Print a line per kind of world, contrast and model."""
    arguments = options(__doc__, worlds=200, seed=5).parse_args()
    plain = bb.load_model("maximal").in_unit(0.1, 1.0).without_similarity()
    plain = plain.without(["protected_attribute"])
    models = {"plain": plain, "at equal frequency": plain.with_frequency()}
    word, attribute = RARITY.values()
    question = partial(contrast_weights, by="connection", pairs=CONTRASTS)
    assumed = Assumptions(connection_mean=dict.fromkeys(CONNECTIONS, 0.9), n_human=0)
    print(f"{arguments.worlds} worlds each; percent of 89% intervals that miss:")
    for planted in (0.0, -0.05):
        fitters = Fitters()
        missed = {name: np.zeros(len(CONTRASTS)) for name in models}
        for number in range(arguments.worlds):
            rng = np.random.default_rng([arguments.seed, number, planted != 0])
            frame = rarities(rng)
            given = Design.from_frame(frame, plain)
            response = draw_responses(given, assumed.parameters, rng)
            own = (frame["connection"] == "associated").to_numpy()
            z_word, z_attribute = (frame[column].to_numpy() for column in (word, attribute))
            response += planted * own + OF_WORD * z_word + OF_ATTRIBUTE * z_attribute
            response += OF_BOTH * z_word * z_attribute
            frame = frame.assign(cosine_distance=response)
            for name, spec in models.items():
                answers = fitters.fit(name, spec, frame, question).answers
                ends = [answer.interval(PROB) for answer in answers]
                missed[name] += [not low <= planted <= high for low, high in ends]
        what = "only frequency differs" if planted == 0 else f"and an association of {planted:g}"
        for name, counts in missed.items():
            shares = [
                f"{' − '.join(c)} {100 * n / arguments.worlds:.1f}"
                for c, n in zip(CONTRASTS, counts, strict=True)
            ]
            print(f"  {what:26s} {name:20s} {', '.join(shares)}", flush=True)


if __name__ == "__main__":
    main()
