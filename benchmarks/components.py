"""WEAT's test beside `maximal` where worlds differ as published files do.

    BAYESBIAS_DATA=... python benchmarks/components.py [--worlds 100] [--seed 17] [--save NAME]

The worlds of `bayesbias simulate` all have the median components of the published files. Here each
of the 15 files that were not debiased has worlds with its own, so that no single threshold suits
all of them. Prints how often WEAT's two-sided p < .05 and the 89% interval of `maximal` say bias
where there is no association, and where associated pairs are closer by .03 and by .05; and what
each finds if its threshold is set so that both raise equally many false alarms: of worlds of the
medians, and of all files' own.
"""

import warnings
from pathlib import Path

import numpy as np
from saved_results import DATA
from worlds import Records, options, tell

import bayesbias as bb
from bayesbias.constants import CONNECTIONS
from bayesbias.inference.decision import DecisionRule
from bayesbias.inference.design import Design
from bayesbias.inference.identifiability import drop_unidentified_terms
from bayesbias.inference.model_files import load_model
from bayesbias.inference.refits import Refits
from bayesbias.measures.association import permutation_test
from bayesbias.simulate.assumptions import Assumptions, draw_responses, world_frame
from bayesbias.simulate.deciders import World

EFFECTS = (0.0, 0.03, 0.05)
FALSE_ALARMS = (0.02, 0.05, 0.10)
MEDIANS = 1000


def components_of(path: Path) -> Assumptions:
    """Return a file's posterior means under `maximal`, with few controls: they do not matter."""
    fit = bb.fit(bb.read_distances(path), seed=1)
    base = Assumptions(n_human=0, n_neutral=4)
    found = {}
    for name, labels in base.parameters.items():
        means = np.atleast_1d(fit.posterior[name].mean(("chain", "draw")))
        found[name] = dict(zip(labels, map(float, means), strict=True))
    return base.replace(**{**found, "word_sd": next(iter(found["word_sd"].values()))})


def said(assumed: Assumptions, n_worlds: int, seed: int) -> np.ndarray:
    """Return p-values of WEAT and of `maximal`, and whether its interval excludes 0.

    Shape (n_effects, n_worlds, 3); the p-value of `maximal` is twice the smaller tail beside 0.
    """
    frame = world_frame(16, 16, n_groups=2, n_human=assumed.n_human, n_neutral=assumed.n_neutral)
    spec, _ = drop_unidentified_terms(load_model("maximal").in_unit(0.1, 1.0), frame)
    design, refits = Design.from_frame(frame, spec), Refits(spec, draws=500)
    found = np.empty((len(EFFECTS), n_worlds, 3))
    for number, effect in enumerate(EFFECTS):
        means = dict.fromkeys(CONNECTIONS, 1.0) | {"associated": 1.0 - effect}
        planted = assumed.replace(connection_mean=means)
        for i in range(n_worlds):
            response = draw_responses(design, planted.parameters, np.random.default_rng([seed, i]))
            world = World({"maximal": (design, refits)}, response, DecisionRule(0.01), i)
            s, n_x = world.associations
            weat = permutation_test(s, n_x, alternative="two-sided").p_value
            posterior = world.posterior("maximal")["associated − different"]
            low, high = posterior.interval(0.89)
            below = posterior.below(0.0)
            found[number, i] = weat, 2 * min(below, 1 - below), low > 0 or high < 0
    return found


def records(name: str, found: np.ndarray) -> Records:
    """Yield the percentages of both, with their own thresholds and at equal false positives."""
    own = 100 * np.stack([found[..., 0] < 0.05, found[..., 2]]).mean(axis=2)
    yield {"data sets": name, "decided by": "p < .05 and 89% interval", **percentages(own)}
    for share in FALSE_ALARMS:
        thresholds = np.quantile(found[0, :, :2], share, axis=0)
        hits = 100 * (found[..., :2] <= thresholds).mean(axis=1).T
        yield {
            "data sets": name,
            "decided by": f"equal false positives, {share:.0%}",
            **percentages(hits),
        }


def percentages(shares: np.ndarray) -> dict[str, float]:
    """Name the percentages of WEAT and `maximal`, (2, n_effects)."""
    what = ("false positives", *(f"power at {effect:.2g}" for effect in EFFECTS[1:]))
    return {
        f"{title}: {method}": shares[row, column]
        for column, title in enumerate(what)
        for row, method in enumerate(("WEAT", "`maximal`"))
    }


def main() -> None:
    """Print the percentages of worlds of the medians, and of all files' own."""
    given = options(__doc__, worlds=100, seed=17).parse_args()
    warnings.simplefilter("ignore")
    medians = said(Assumptions(n_human=0, n_neutral=4), MEDIANS, given.seed)
    files = [path for path in sorted(DATA.glob("distances/*.csv")) if "debiased" not in path.name]
    own = [
        said(components_of(path), given.worlds, given.seed + 1 + number)
        for number, path in enumerate(files)
    ]
    rows = [*records("medians", medians), *records("files' own", np.concatenate(own, axis=1))]
    tell(rows, given, **{"worlds of the medians": MEDIANS, "standard error at 11%": "1 point"})


if __name__ == "__main__":
    main()
