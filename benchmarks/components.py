"""WEAT's test beside `maximal` where worlds differ as published files do.

    BAYESBIAS_DATA=../shared/data python benchmarks/components.py [--worlds 300] [--seed 17]

The worlds of `bayesbias simulate` all have the median components of the published files. Here each
of the 15 files that were not debiased has worlds with its own, so that no single threshold suits
all of them. Prints per file how often WEAT's two-sided p < .05 and the 89% interval of `maximal`
say bias where there is no association, and where associated pairs are closer by .03 and by .05;
then the same for all worlds together, and what each finds if its threshold is set so that both
raise equally many false alarms. The first line is of the medians.
"""

import warnings
from pathlib import Path

import numpy as np
from saved_results import DATA
from worlds import options

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


def line(name: str, found: np.ndarray) -> str:
    """Return the shares of a file."""
    weat, maximal = 100 * (found[..., 0] < 0.05).mean(axis=1), 100 * found[..., 2].mean(axis=1)
    shares = "   ".join(f"{w:5.1f} {m:5.1f}" for w, m in zip(weat, maximal, strict=True))
    return f"{name:30s} {shares}"


def main() -> None:
    """Print a line per file, and all together."""
    arguments = options(__doc__, worlds=300, seed=17).parse_args()
    warnings.simplefilter("ignore")
    print("WEAT and maximal say bias, in percent: no association, closer by .03, closer by .05")
    medians = said(Assumptions(n_human=0, n_neutral=4), 1000, arguments.seed)
    print(line("medians", medians), flush=True)
    everything = []
    for number, path in enumerate(sorted((DATA / "distances").glob("*.csv"))):
        if "debiased" in path.name:
            continue
        found = said(components_of(path), arguments.worlds, arguments.seed + 1 + number)
        everything.append(found)
        print(line(path.stem.removesuffix("_dataset"), found), flush=True)
    pooled = np.concatenate(everything, axis=1)
    print(line("all files", pooled))
    for name, found in (("medians", medians), ("all files", pooled)):
        for share in FALSE_ALARMS:
            hits = [
                100 * (found[1:, :, column] <= np.quantile(found[0, :, column], share)).mean(axis=1)
                for column in (0, 1)
            ]
            print(
                f"{name}, {share:.0%} false alarms each: of .03 WEAT finds {hits[0][0]:.1f}%, "
                f"maximal {hits[1][0]:.1f}%; of .05, {hits[0][1]:.1f}% and {hits[1][1]:.1f}%"
            )


if __name__ == "__main__":
    main()
