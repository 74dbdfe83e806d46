"""Whether "how much is left" holds the truth: worlds with a known association on both sides.

    python benchmarks/share_left.py --worlds 200

12 protected words of two groups meet 24 stereotype attributes; words, attributes, groups'
attributes and pairs scatter as in published files (`simulate.assumptions`). Before, associated
pairs are nearer by .08; after, the association is multiplied by the true share 0, .5 or 1: *with
its scatter*, as a projection does to all that a group or a word has with single lists and
attributes, or its *mean alone*. Everything else stays but for a little that is new after. With
share 1 nothing changed but that. In the third kind *all* is multiplied by the share, and the
standard deviations of what is new are drawn from the model's priors. An interval of 89% that leaves
out the truth is an error; nominal are 11%.
"""

from functools import partial
from itertools import product

import numpy as np
import pandas as pd
from worlds import options

from bayesbias.constants import AFTER, BEFORE, CONNECTION, STEREOTYPE_CONNECTIONS
from bayesbias.inference.adapting import without_unknown_similarity
from bayesbias.inference.decision import DecisionRule
from bayesbias.inference.diagnostics import PARETO_K_LIMIT
from bayesbias.inference.identifiability import drop_unidentified_terms
from bayesbias.inference.model_files import load_model
from bayesbias.inference.refits import Refits
from bayesbias.simulate.assumptions import Assumptions, world_frame
from bayesbias.studies.left import Margins, row_of
from bayesbias.support.progress import tracked

TRUTH = -0.08
SHARES = (0.0, 0.5, 1.0)
RULE = DecisionRule(0.01)
REMOVED = ("with its scatter", "mean alone", "all")
NEW = 0.3
"""What is new after, as a share of what scatters before."""

PRIOR = {"group_attribute": 20, "word_list": 40, "word": 10, "attribute": 10, "noise": 10}
"""Rates of the exponential priors of `change-maximal`."""

Array = np.ndarray


def world(share: float, rng: np.random.Generator, removed: str) -> pd.DataFrame:
    """Draw the pairs of a world on both sides."""
    frame = world_frame(12, 24, n_groups=2, n_human=0, n_neutral=0)
    codes = {name: pd.factorize(frame[name])[0] for name in frame if name != "cosine_distance"}
    word, attribute = codes["protected_word"], codes["attribute"]
    group, of_set = codes["group"], codes["attribute_set"]
    assumed = Assumptions()
    published = {
        name: assumed.word_sd if name == "word" else getattr(assumed, f"{name}_sd")["stereotype"]
        for name in PRIOR
    }

    def drawn(sd: float, *by: Array) -> Array:
        _, level = np.unique(np.stack(by), axis=1, return_inverse=True)
        return sd * rng.standard_normal(level.max() + 1)[level.ravel()]

    def scatter(sds: dict[str, float]) -> Array:
        return drawn(sds["group_attribute"], group, attribute) + drawn(
            sds["word_list"], word, of_set
        )

    def rest(sds: dict[str, float]) -> Array:
        return (
            drawn(sds["word"], word)
            + drawn(sds["attribute"], attribute)
            + drawn(sds["noise"], word, attribute)
        )

    mean = TRUTH * (frame[CONNECTION] == "associated").to_numpy()
    around, kept = scatter(published), rest(published)
    if removed == "all":
        new = {name: rng.exponential(1 / rate) for name, rate in PRIOR.items()}
        left = share * (mean + around + kept)
    else:
        new = {name: NEW * sd for name, sd in published.items()}
        left = share * mean + (share if removed == REMOVED[0] else 1.0) * around + kept
    after = 0.9 + left + scatter(new) + rest(new)
    return frame.assign(**{BEFORE: 0.9 + mean + around + kept, AFTER: after})


def answers(share: float, n_worlds: int, seed: int, removed: str) -> pd.DataFrame:
    """Return before, after, change and share of every world of a kind."""
    spec, refits, found = load_model("change-maximal").in_unit(0.1, 0.0), None, []
    for number in tracked(range(n_worlds), f"share {share:g}", None):
        kind = (1, 0, 2)[REMOVED.index(removed)]
        rng = np.random.default_rng([seed, number, int(10 * share), kind])
        frame = world(share, rng, removed)
        if refits is None:
            identified, _ = drop_unidentified_terms(spec, frame.assign(change=0.0))
            refits = Refits(without_unknown_similarity(identified, frame)[0])
        margins = Margins(frame, spec, STEREOTYPE_CONNECTIONS, refits)
        row = row_of(partial(margins.of, 0, RULE), widest=np.inf)
        found.append(row | {"pareto_k": margins.pareto_k})
    return pd.DataFrame(found)


def summary(found: pd.DataFrame, share: float) -> dict[str, float]:
    """Return how often each interval leaves out the truth; of the share where there is one."""
    truths = {"before": TRUTH, "after": TRUTH * share, "change": TRUTH * (share - 1), "left": share}
    missed = {
        name: ((found[f"{name}_low"] > truth) | (found[f"{name}_high"] < truth))
        for name, truth in truths.items()
    }
    given = found["left"].notna()
    return {
        **{name: float(missed[name].mean()) for name in ("before", "after", "change")},
        "left": float(missed["left"][given].mean()),
        "no share": int((~given).sum()),
        "width": float((found["left_high"] - found["left_low"]).median()),
        "bad k": int((found["pareto_k"] > PARETO_K_LIMIT).sum()),
    }


def main() -> None:
    """Print a row per kind of world."""
    arguments = options(__doc__.splitlines()[0], worlds=200, seed=1).parse_args()
    for removed, share in product(REMOVED, SHARES):
        found = answers(share, arguments.worlds, arguments.seed, removed)
        row = summary(found, share)
        numbers = ", ".join(f"{name} {value:.3g}" for name, value in row.items())
        print(f"{removed}, true share {share:g}, {len(found)} worlds: {numbers}", flush=True)


if __name__ == "__main__":
    main()
