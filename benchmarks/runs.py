"""Whether the model `runs` knows what retraining changes: worlds whose truth is known.

    python benchmarks/runs.py [--worlds 200] [--save runs]

Two kinds of worlds, each of several training runs of 12 protected words and 24 stereotype
attributes. *Planted*: all terms of `runs` are drawn from given standard deviations, and the
contrast associated − different is known. *Only the run varies*: nothing differs between before and
after but what retraining shifts, for all pairs of a connection alike, and noise. An interval of 89%
that leaves out the truth is an error; at the nominal rate there are 11%.

Compared: the model with terms by run, also with other priors of what a run shifts; the runs
averaged first, then the model of one embedding; one run alone (of each side).
"""

from dataclasses import replace

import numpy as np
import pandas as pd
from worlds import Namespace, Records, misses, run

from bayesbias.inference.adapting import adapt_model_to_data
from bayesbias.inference.design import Design
from bayesbias.inference.identifiability import drop_unidentified_terms
from bayesbias.inference.model_files import load_model
from bayesbias.inference.questions import connection_weights
from bayesbias.inference.refits import Refits
from bayesbias.inference.specification import ModelSpec
from bayesbias.simulate.assumptions import Assumptions, draw_responses, world_frame
from bayesbias.support.progress import tracked

PAIR = ["protected_word", "group", "attribute", "attribute_set", "connection"]
CONTRAST = np.array([[1.0, -1.0]])
TRUTH = -0.024
PRIORS = {"": 1.0, ", prior 2.5 times as wide": 2.5, ", prior half as wide": 0.5}
"""By how much the mean of the prior of what a run shifts (`run`, `run_connection`) is wider."""

RETRAINING = {
    "run_sd": {"": 0.01},
    "run_connection_sd": {"stereotype": 0.012},
    "run_word_sd": {"": 0.01},
    "run_word_connection_sd": {"stereotype": 0.006},
    "run_attribute_sd": {"stereotype": 0.015},
    "run_group_attribute_sd": {"stereotype": 0.005},
}
"""Standard deviations of what retraining changes: in single words and attributes as in the runs of
the demo's corpus, and several times as much in all pairs of a connection."""


def pairs_of_runs(n_runs: int) -> pd.DataFrame:
    """Return the pairs of a world in every run."""
    one = world_frame(12, 24, n_groups=2, n_human=0, n_neutral=0)
    return pd.concat([one.assign(run=f"run {r + 1}") for r in range(n_runs)], ignore_index=True)


def planted_world(n_runs: int, rng: np.random.Generator) -> pd.DataFrame:
    """Draw distances from the model `runs`; associated − different is `TRUTH`."""
    frame = pairs_of_runs(n_runs)
    assumed = Assumptions()
    parameters = {
        **assumed.parameters,
        "pair_sd": assumed.noise_sd,
        "noise_sd": dict.fromkeys(assumed.noise_sd, 0.03),
        **RETRAINING,
    }
    parameters["connection_mean"] = {"associated": 0.9 + TRUTH, "different": 0.9}
    model = load_model("runs").in_unit(0.1, 1.0).without_similarity()
    design = Design.from_frame(frame, drop_unidentified_terms(model, frame)[0])
    return frame.assign(cosine_distance=draw_responses(design, parameters, rng))


def only_the_run(n_runs: int, rng: np.random.Generator) -> pd.DataFrame:
    """Draw changes that are retraining's alone: a shift per run and connection, and noise."""
    frame = pairs_of_runs(n_runs)
    run = pd.factorize(frame["run"])[0]
    different = (frame["connection"] == "different").to_numpy(dtype=int)
    shift = 0.01 * rng.standard_normal((n_runs, 2, 2)) @ np.array([1.0, -1.0])
    noise = 0.03 * rng.standard_normal((len(frame), 2)) @ np.array([1.0, -1.0])
    return frame.assign(change=shift[run, different] + noise)


def averaged(frame: pd.DataFrame, response: str) -> pd.DataFrame:
    """Average every pair over the runs."""
    return frame.groupby(PAIR, sort=False)[response].mean().reset_index()


def one_run(frame: pd.DataFrame, response: str) -> pd.DataFrame:
    """Take the first run of every pair."""
    return frame[frame["run"] == "run 1"].reset_index(drop=True)


def with_prior(spec: ModelSpec, factor: float) -> ModelSpec:
    """Return a model whose prior of what a run shifts has a mean that many times as large."""
    priors = {
        f"{term.name}_sd": replace(term.prior, rate=term.prior.rate / factor)
        for term in spec.terms
        if term.name in ("run", "run_connection")
    }
    return spec.replace(priors=priors)


def records(given: Namespace) -> Records:
    """Yield for every world and way whether the interval leaves out the truth, and its width."""
    for kind, response, truth, prefix, draw in (
        ("only retraining differs", "change", 0.0, "change-", only_the_run),
        ("planted", "cosine_distance", TRUTH, "", planted_world),
    ):
        runs, whole = load_model(f"{prefix}runs"), load_model(f"{prefix}maximal")
        ways = {
            **{f"`{runs.name}`{name}": (None, with_prior(runs, f)) for name, f in PRIORS.items()},
            f"runs averaged first, `{whole.name}`": (averaged, whole),
            f"one run, `{whole.name}`": (one_run, whole),
        }
        fitters: dict[str, Refits] = {}
        for number in tracked(range(given.worlds), kind, None):
            frame = draw(given.runs, np.random.default_rng([given.seed, number]))
            for way, (reduce, model) in ways.items():
                pairs = reduce(frame, response) if reduce else frame
                if way not in fitters:
                    fitters[way] = Refits(adapt_model_to_data(model, pairs)[0])
                design = Design.from_frame(pairs, fitters[way].spec)
                contrast = connection_weights(design).combined(CONTRAST)
                answer = fitters[way].answers(design, contrast).answers[0]
                yield {"data": kind, "method": way, **misses(answer, truth)}


if __name__ == "__main__":
    run(records, __doc__, worlds=200, seed=1, runs=5)
