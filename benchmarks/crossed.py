"""How often crossed groups are said to interact, where they do not and where they do.

    python benchmarks/crossed.py [--worlds 200] [--seed 9] [--save crossed]
    BAYESBIAS_DATA=... python benchmarks/crossed.py --example --seed 1 [--save names]

Worlds have four groups of eight names, two races by two genders, and two lists of eight attributes.
Black names are nearer to one list than white ones, by .05, and women's than men's, by .03. A race,
a gender and a group each like single attributes more than others do; words, attributes and pairs
have effects and noise as in published files. In the first worlds these main effects add up, in the
second black women have .05 beyond them. Prints the share of 89% intervals that miss the truth, by
factor and for the interaction, how often the interaction's excludes 0, and the rate that
`bb.plan_wordlist` announces, from as many worlds of its own.
"""

from functools import partial
from itertools import product

import numpy as np
import pandas as pd
from saved_results import DATA
from worlds import PROB, Fitters, Namespace, Records, effects, outside, run

import bayesbias as bb
from bayesbias.fits.crossed_groups import factor_weights

SIZE = 8
WORD, WORD_LIST, ATTRIBUTE, NOISE = 0.046, 0.02, 0.078, 0.062
RACE_ATTRIBUTE, GENDER_ATTRIBUTE, GROUP_ATTRIBUTE = 0.018, 0.018, 0.018
RACE, GENDER, BEYOND = -0.05, -0.03, -0.05
FACTORS = {
    "race": {"black": ("bw", "bm"), "white": ("ww", "wm")},
    "gender": {"women": ("bw", "ww"), "men": ("bm", "wm")},
}


def layout() -> pd.DataFrame:
    """Return the pairs; the first list is associated with black names, the second with white."""
    rows = [
        (f"{group}{word}", group, f"{one}{attribute}", one, connection, 0.0, group[0], group[1])
        for group in ("bw", "bm", "ww", "wm")
        for word in range(SIZE)
        for one in ("first", "second")
        for attribute in range(SIZE)
        for connection in ["associated" if (group[0] == "b") == (one == "first") else "different"]
    ]
    names = ["protected_word", "group", "attribute", "attribute_set", "connection"]
    return pd.DataFrame(rows, columns=[*names, "cosine_distance", "race", "gender"])


def world(beyond: float, rng: np.random.Generator) -> pd.DataFrame:
    """Draw the distances of a world in which black women have `beyond` besides."""
    frame = layout()
    drawn = partial(effects, frame, rng=rng)
    black, women = (frame[c].to_numpy() == v for c, v in (("race", "b"), ("gender", "w")))
    lean = RACE * black + GENDER * women + beyond * (black & women)
    distance = (
        0.9
        + lean * (frame["attribute_set"] == "first")
        + drawn("protected_word", sd=WORD)
        + drawn("protected_word", "attribute_set", sd=WORD_LIST)
        + drawn("attribute", sd=ATTRIBUTE)
        + drawn("race", "attribute", sd=RACE_ATTRIBUTE)
        + drawn("gender", "attribute", sd=GENDER_ATTRIBUTE)
        + drawn("group", "attribute", sd=GROUP_ATTRIBUTE)
        + NOISE * rng.standard_normal(len(frame))
    )
    return frame.assign(cosine_distance=distance)


def announced(beyond: float, simulations: int, seed: int) -> float:
    """Return how often a plan with the worlds' sds expects the interval to exclude 0."""
    assumed = bb.simulate.Assumptions(n_human=0, n_neutral=0).replace(
        word_sd=WORD,
        word_list_sd={"stereotype": WORD_LIST},
        attribute_sd={"stereotype": ATTRIBUTE},
        group_attribute_sd={"stereotype": GROUP_ATTRIBUTE},
        noise_sd={"stereotype": NOISE},
    )
    sizes = {"n_words": [4 * SIZE], "n_attributes": [2 * SIZE], "simulations": simulations}
    table = bb.plan_wordlist(assumed, interaction=beyond, prob=PROB, seed=seed, **sizes).table
    return float(table.set_index("contrast").loc["interaction", "direction"])


def records(given: Namespace) -> Records:
    """Yield for every world and model whether intervals miss, and whether the last excludes 0."""
    plain = bb.load_model("maximal").in_unit(0.1, 1.0).without_similarity()
    models = {
        "terms by group alone": plain,
        "terms by group and factor (the default)": plain.with_factors(list(FACTORS)),
    }
    for beyond in (0.0, BEYOND):
        expected = 100 * announced(beyond, given.worlds, given.seed)
        # Differences of the second list less the first; a level has half of what is beyond.
        truth = {
            "race": -RACE - beyond / 2,
            "gender": -GENDER - beyond / 2,
            "race × gender": -beyond,
        }
        fitters = Fitters()
        for number, (name, spec) in product(range(given.worlds), models.items()):
            frame = world(beyond, np.random.default_rng([given.seed, number, beyond != 0]))
            design = fitters.design(name, spec, frame)
            labels, weights = factor_weights(design, FACTORS)
            answers = fitters[name].answers(design, weights).answers
            found = dict(zip(labels["factor"], answers, strict=True))
            yield {
                "interaction": f"{abs(beyond):g}" if beyond else "none",
                "model": name,
                **{factor: outside(found[factor], true) for factor, true in truth.items()},
                "interaction found": outside(found["race × gender"], 0.0),
                "announced by a plan": np.nan if spec is plain else expected,
            }


def names(seed: int) -> pd.DataFrame:
    """Return the contrasts of the list `names` in GoogleNews, by factor."""
    vectors = bb.load_embedding(DATA / "embeddings" / "googlenews-16k-300d.bin")
    return bb.fit(bb.distances(vectors, "names"), seed=seed).contrasts("factor").table


if __name__ == "__main__":
    run(records, __doc__, worlds=200, seed=9, example=names)
