"""Whether "how much is left" holds the truth: worlds with a known association on both sides.

    python benchmarks/share_left.py --worlds 200

12 protected words of two groups meet 24 stereotype attributes; words, attributes, groups'
attributes and pairs scatter as in published files (`simulate.assumptions`). Before, associated
pairs are nearer by .08; after, the association is multiplied by the true share 0, .5 or 1: *with
its scatter*, as a projection does to all that a group or a word has with single lists and
attributes, or its *mean alone*. Everything else stays but for a little that is new after. With
share 1 nothing changed but that. An interval of 89% that leaves out the truth is an error; nominal
are 11%.
"""

import argparse
from functools import partial

import numpy as np
import pandas as pd

from bayesbias.constants import AFTER, BEFORE, CONNECTION, STEREOTYPE_CONNECTIONS
from bayesbias.inference.decision import DecisionRule
from bayesbias.inference.diagnostics import PARETO_K_LIMIT
from bayesbias.inference.identifiability import drop_unidentified_terms
from bayesbias.inference.model_files import load_model
from bayesbias.inference.refits import Refits
from bayesbias.inference.suited import suited
from bayesbias.simulate.assumptions import Assumptions, world_frame
from bayesbias.studies.left import Margins, row_of
from bayesbias.support.progress import tracked

TRUTH = -0.08
SHARES = (0.0, 0.5, 1.0)
RULE = DecisionRule(0.01)
REMOVED = {"with its scatter": True, "mean alone": False}
NEW = 0.3
"""What is new after, as a share of what scatters before."""

Array = np.ndarray


def world(share: float, rng: np.random.Generator, *, with_scatter: bool) -> pd.DataFrame:
    """Draw the pairs of a world on both sides."""
    frame = world_frame(12, 24, n_groups=2, n_human=0, n_neutral=0)
    codes = {name: pd.factorize(frame[name])[0] for name in frame if name != "cosine_distance"}
    word, attribute = codes["protected_word"], codes["attribute"]
    group, of_set = codes["group"], codes["attribute_set"]
    sds = Assumptions()

    def drawn(sd: float, *by: Array) -> Array:
        _, level = np.unique(np.stack(by), axis=1, return_inverse=True)
        return sd * rng.standard_normal(level.max() + 1)[level.ravel()]

    def scatter(size: float) -> Array:
        return drawn(size * sds.group_attribute_sd["stereotype"], group, attribute) + drawn(
            size * sds.word_list_sd["stereotype"], word, of_set
        )

    def rest(size: float) -> Array:
        return (
            drawn(size * sds.word_sd, word)
            + drawn(size * sds.attribute_sd["stereotype"], attribute)
            + drawn(size * sds.noise_sd["stereotype"], word, attribute)
        )

    mean = TRUTH * (frame[CONNECTION] == "associated").to_numpy()
    around, kept = scatter(1.0), 0.9 + rest(1.0)
    before = kept + mean + around
    after = kept + share * mean + (share if with_scatter else 1.0) * around
    return frame.assign(**{BEFORE: before, AFTER: after + scatter(NEW) + rest(NEW)})


def answers(share: float, n_worlds: int, seed: int, *, with_scatter: bool) -> pd.DataFrame:
    """Return before, after, change and share of every world of a kind."""
    spec, refits, found = load_model("change-maximal"), None, []
    for number in tracked(range(n_worlds), f"share {share:g}", None):
        rng = np.random.default_rng([seed, number, int(10 * share), with_scatter])
        frame = world(share, rng, with_scatter=with_scatter)
        refits = refits or Refits(
            suited(drop_unidentified_terms(spec, frame.assign(change=0.0))[0], frame)[0]
        )
        margins = Margins(frame, spec, STEREOTYPE_CONNECTIONS, refits)
        found.append(row_of(partial(margins.of, 0, RULE)) | {"pareto_k": margins.pareto_k})
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
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--worlds", type=int, default=200)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--removed", choices=list(REMOVED), help="default: both")
    arguments = parser.parse_args()
    for removed in [arguments.removed] if arguments.removed else REMOVED:
        for share in SHARES:
            found = answers(share, arguments.worlds, arguments.seed, with_scatter=REMOVED[removed])
            row = summary(found, share)
            numbers = ", ".join(f"{name} {value:.3g}" for name, value in row.items())
            print(f"{removed}, true share {share:g}, {len(found)} worlds: {numbers}", flush=True)


if __name__ == "__main__":
    main()
