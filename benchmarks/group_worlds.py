"""How often intervals of all words, of a list, a group and a word miss, where groups differ.

    python benchmarks/group_worlds.py [--worlds 400] [--seed 7] [--save group-worlds]

Worlds are made from the terms of `maximal`, with standard deviations like those of published files:
groups of eight words, eight attributes a list and 40 neutral ones, without and with eight reference
words. In turn all groups have an association of −.05; only the last has one, of −.10; all have one
of −.05, and the lists differ by .10 for everybody; of three groups one has none, one −.05 and one
−.10. Prints the share of 89% intervals of associated − different that miss the truth, over all
words, for groups and for words, that of the difference between groups, by list, and how often a
group without an association is called closer.
"""

from functools import partial
from itertools import product

import numpy as np
import pandas as pd
from worlds import PROB, Fitters, Namespace, Records, effects, outside, run

import bayesbias as bb
from bayesbias.fits.quantities import contrast_weights
from bayesbias.inference.design import Design
from bayesbias.inference.questions import LinearCombinations, ListPairs, between_weights
from bayesbias.simulate.assumptions import world_frame

SIZE, N_NEUTRAL = 8, 40
WORD, WORD_LIST, ATTRIBUTE, PROTECTED, GROUP, NOISE = 0.046, 0.02, 0.078, 0.045, 0.018, 0.062
LEVELS = {"connection": "all words", "list": "list", "group": "group", "word": "word"}

SCENARIOS = {
    "two groups, −.05 each": ((-0.05, -0.05), 0.0),
    "one group 0, the other −.10": ((0.0, -0.10), 0.0),
    "−.05 each, and one list closer to everybody by .10": ((-0.05, -0.05), 0.10),
    "three groups, 0, −.05 and −.10": ((0.0, -0.05, -0.10), 0.0),
}


def with_reference(frame: pd.DataFrame) -> pd.DataFrame:
    """Add eight words that meet the stereotype attributes and belong to no group."""
    stereotypes = frame[frame["connection"].isin(["associated", "different"])]
    lists = stereotypes.drop_duplicates("attribute")
    rows = [
        lists.assign(protected_word=f"person {i}", group="reference", connection="reference")
        for i in range(SIZE)
    ]
    return pd.concat([frame, *rows], ignore_index=True)


def world(associations, lists_differ, rng, *, reference):
    """Return a frame, and the true contrasts by level."""
    n_groups = len(associations)
    frame = world_frame(
        SIZE * n_groups, SIZE * n_groups, n_groups=n_groups, n_human=0, n_neutral=N_NEUTRAL
    )
    frame = with_reference(frame) if reference else frame
    group = frame.groupby("group", sort=False).ngroup().to_numpy()
    of_list = frame.groupby("attribute_set", sort=False).ngroup().to_numpy()
    stereotype = (frame["attribute_set"] != "neutral").to_numpy()
    protected = (frame["group"] != "reference").to_numpy()
    drawn = partial(effects, frame, rng=rng)
    of_word_list = drawn("protected_word", "attribute_set", sd=WORD_LIST)
    own = (frame["connection"] == "associated").to_numpy()
    distance = (
        0.9
        + np.append(associations, 0.0)[group] * own
        + lists_differ * (of_list == 0)
        + drawn("protected_word", sd=WORD) * stereotype
        + of_word_list
        + drawn("attribute", sd=ATTRIBUTE)
        + drawn("attribute", sd=PROTECTED if reference else 0.0) * (stereotype & protected)
        + drawn("group", "attribute", sd=GROUP)
        + NOISE * rng.standard_normal(len(frame))
    )
    single = frame.assign(v=of_word_list, own=own)[stereotype & protected]
    single = single.drop_duplicates(["protected_word", "attribute_set"])
    lists = single.pivot_table(index="protected_word", columns="own", values="v", sort=False)
    of_group = single.drop_duplicates("protected_word").set_index("protected_word")["group"]
    number = {name: i for i, name in enumerate(dict.fromkeys(of_group))}
    groups = np.array(associations)[of_group.map(number)]
    words = groups + (lists[True] - lists[False]).loc[of_group.index].to_numpy()
    # To a list its own group is closer than others by the group's association.
    truth = dict.fromkeys(("list", "group"), np.array(associations))
    truth["connection"] = np.array([np.mean(associations)])
    return frame.assign(cosine_distance=distance), {**truth, "word": words}


def asked(design: Design, level: str) -> LinearCombinations:
    """Return associated − different at a level, or between groups, by list."""
    if level != "list":
        return contrast_weights(design, level, [("associated", "different")])
    found = ListPairs.of(design)
    own = [side[0].tolist() for side in map(found.groups, found.compared)]
    assert own == [[group] for group in range(len(own))]  # in the order of the truth
    return between_weights(design, found)


def records(given: Namespace) -> Records:
    """Yield for every world how many intervals miss at each level, in percent."""
    spec = bb.load_model("maximal").in_unit(0.1, 1.0).without_similarity()
    for (name, (associations, differ)), eight in product(SCENARIOS.items(), (False, True)):
        fitters = Fitters()
        for number in range(given.worlds):
            rng = np.random.default_rng([given.seed, number])
            frame, truth = world(associations, differ, rng, reference=eight)
            design = fitters.design(name, spec, frame)
            row = {"data": name, "reference words": "eight" if eight else "none"}
            for level, title in LEVELS.items():
                weights = asked(design, level)
                answers = fitters[name].answers(design, weights).answers
                missed = list(map(outside, answers, truth[level]))
                row[title] = 100 * np.mean(missed)
                if level == "group" and associations[0] == 0.0:
                    called = answers[0].interval(PROB)[1] < 0
                    row["a group without association called closer"] = called
            yield row


if __name__ == "__main__":
    run(records, __doc__, worlds=400, seed=7)
