"""Whether "how much is left" holds the truth: worlds with a known association on both sides.

    python benchmarks/share_left.py --worlds 200 [--save share-left]    # some minutes

12 protected words of two groups meet 24 stereotype attributes; words, attributes, groups'
attributes and pairs scatter as in published files (`simulate.assumptions`). Before, associated
pairs are nearer by .08; after, the association is multiplied by the true share 0, .5 or 1: *with
its scatter*, as a projection does to all that a group or a word has with single lists and
attributes, or its *mean alone*. Everything else stays but for a little that is new after. With
share 1 nothing changed but that. In the third kind *all* is multiplied by the share, and what is
new is drawn from the model of changes and its priors, in the unit of published files. An interval
of 89% that leaves out the truth is an error; nominal are 11%.
"""

from collections.abc import Mapping
from functools import partial
from itertools import product

import numpy as np
import pandas as pd
from saved_results import save
from worlds import options

from bayesbias.constants import AFTER, BEFORE, CONNECTION, STEREOTYPE_CONNECTIONS
from bayesbias.inference.adapting import adapt_model_to_data
from bayesbias.inference.decision import DecisionRule
from bayesbias.inference.design import Design
from bayesbias.inference.diagnostics import PARETO_K_LIMIT
from bayesbias.inference.model_files import load_model
from bayesbias.inference.refits import Refits
from bayesbias.simulate.assumptions import Assumptions, draw_responses, world_frame
from bayesbias.studies.left import Margins, row_of
from bayesbias.support.progress import tracked

TRUTH = -0.08
SHARES = (0.0, 0.5, 1.0)
RULE = DecisionRule(0.01)
REMOVED = ("with its scatter", "mean alone", "all")
NEW = 0.3
"""What is new after, as a share of what scatters before."""

FRAME = world_frame(12, 24, n_groups=2, n_human=0, n_neutral=0).assign(change=0.0)
UNIT = Assumptions().sd_of_pair("neutral")
MODELS = {
    name: adapt_model_to_data(load_model(name).in_unit(UNIT, 0.0), FRAME)[0]
    for name in ("maximal", "change-maximal")
}
DESIGNS = {name: Design.from_frame(FRAME, model) for name, model in MODELS.items()}
WITH_LISTS = ("group_attribute_sd", "word_list_sd")
"""Of what a group or a word has with single lists and attributes."""

PUBLISHED = {
    name: sds["stereotype"]
    for name, sds in Assumptions().parameters.items()
    if name != "connection_mean"
}


def drawn(model: str, sds: Mapping[str, float], rng: np.random.Generator) -> np.ndarray:
    """Draw what a model's words, attributes and pairs add to every distance; no sd is 0."""
    design = DESIGNS[model]
    known = {name: {"stereotype": sds.get(name, 0.0)} for name in PUBLISHED}
    means = dict.fromkeys(design.connections, 0.0)
    return draw_responses(design, {"connection_mean": means, **known}, rng)


def world(share: float, rng: np.random.Generator, removed: str) -> pd.DataFrame:
    """Draw the pairs of a world on both sides."""
    mean = TRUTH * (FRAME[CONNECTION] == "associated").to_numpy()
    around = drawn("maximal", {name: PUBLISHED[name] for name in WITH_LISTS}, rng)
    kept = drawn("maximal", {n: sd for n, sd in PUBLISHED.items() if n not in WITH_LISTS}, rng)
    if removed == "all":
        priors = MODELS["change-maximal"].priors
        sds = {name: rng.exponential(1 / priors[name].parameters["rate"]) for name in PUBLISHED}
        left, new = share * (mean + around + kept), drawn("change-maximal", sds, rng)
    else:
        left = share * mean + (share if removed == REMOVED[0] else 1.0) * around + kept
        new = drawn("maximal", {name: NEW * sd for name, sd in PUBLISHED.items()}, rng)
    return FRAME.assign(**{BEFORE: 0.9 + mean + around + kept, AFTER: 0.9 + left + new})


def answers(share: float, n_worlds: int, seed: int, removed: str) -> pd.DataFrame:
    """Return before, after, change and share of every world of a kind."""
    spec, found = MODELS["change-maximal"], []
    refits = Refits(spec)
    for number in tracked(range(n_worlds), f"share {share:g}", None):
        rng = np.random.default_rng([seed, number, int(10 * share), REMOVED.index(removed)])
        margins = Margins(world(share, rng, removed), spec, STEREOTYPE_CONNECTIONS, refits)
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
    """Print a row per kind of world, and save them if asked to."""
    given, rows = options(__doc__.splitlines()[0], worlds=200, seed=1).parse_args(), []
    for removed, share in product(REMOVED, SHARES):
        found = answers(share, given.worlds, given.seed, removed)
        rows.append({"removed": removed, "share": share, **summary(found, share)})
    table = pd.DataFrame(rows)
    print(table.round(3).to_string(index=False))
    if given.save:
        print(save(table, given.save, {"seed": given.seed, "worlds": given.worlds}))


if __name__ == "__main__":
    main()
