"""Whether the model `runs` knows what retraining changes: worlds whose truth is known.

    python benchmarks/runs.py --worlds 200

Two kinds of worlds, each of several training runs of 12 protected words and 24 stereotype
attributes. *Planted*: all terms of `runs` are drawn from given standard deviations, and the
contrast associated − different is known. *Only the run varies*: nothing differs between before and
after but what retraining shifts, for all pairs of a connection alike, and noise. An interval of 89%
that leaves out the truth is an error; at the nominal rate there are 11%.

Compared: the model with terms by run; the runs averaged first, then the model of one embedding; one
run alone (of each side).
"""

from collections.abc import Iterator

import numpy as np
import pandas as pd
from worlds import options

from bayesbias.inference.adapting import adapt_model_to_data
from bayesbias.inference.design import Design
from bayesbias.inference.identifiability import drop_unidentified_terms
from bayesbias.inference.model_files import load_model
from bayesbias.inference.questions import connection_weights
from bayesbias.inference.refits import Refits
from bayesbias.simulate.assumptions import Assumptions, draw_responses, world_frame
from bayesbias.support.progress import tracked

PAIR = ["protected_word", "group", "attribute", "attribute_set", "connection"]
CONTRAST = np.array([[1.0, -1.0]])
PROB = 0.89
TRUTH = -0.024

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


def errors(world: str, n_worlds: int, n_runs: int, seed: int) -> pd.DataFrame:
    """Return a row per world and way: the interval, whether it leaves out the truth, Pareto k."""
    planted = world == "planted"
    response, truth = ("cosine_distance", TRUTH) if planted else ("change", 0.0)
    prefix, draw = ("", planted_world) if planted else ("change-", only_the_run)
    ways = {
        "terms by run": (lambda frame, _: frame, f"{prefix}runs"),
        "runs averaged first": (averaged, f"{prefix}maximal"),
        "one run": (one_run, f"{prefix}maximal"),
    }
    fitters: dict[str, Refits] = {}

    def found() -> Iterator[tuple[str, float, float, bool, float]]:
        for number in tracked(range(n_worlds), world, None):
            frame = draw(n_runs, np.random.default_rng([seed, number]))
            for way, (reduce, model) in ways.items():
                given = reduce(frame, response)
                if way not in fitters:
                    fitters[way] = Refits(adapt_model_to_data(load_model(model), given)[0])
                design = Design.from_frame(given, fitters[way].spec)
                contrast = connection_weights(design).combined(CONTRAST)
                fitted = fitters[way].answers(design, contrast)
                low, high = fitted.answers[0].interval(PROB)
                yield way, low, high, not low <= truth <= high, fitted.pareto_k

    return pd.DataFrame(found(), columns=["way", "low", "high", "wrong", "pareto_k"])


def summary(table: pd.DataFrame) -> pd.DataFrame:
    """Return the share of wrong intervals, its Monte Carlo error, and their mean width."""
    width = (table["high"] - table["low"]).rename("width")
    grouped = table.assign(width=width).groupby("way", sort=False)
    shown = grouped.agg(
        worlds=("wrong", "size"),
        wrong=("wrong", "mean"),
        width=("width", "mean"),
        bad_k=("pareto_k", lambda k: int((k > 0.7).sum())),
    )
    shown.insert(2, "error", np.sqrt(shown["wrong"] * (1 - shown["wrong"]) / shown["worlds"]))
    return shown


def main() -> None:
    """Print a table for each kind of world."""
    parser = options(__doc__.splitlines()[0], worlds=200, seed=1)
    parser.add_argument("--runs", type=int, default=5)
    arguments = parser.parse_args()
    for world in ("only the run", "planted"):
        table = errors(world, arguments.worlds, arguments.runs, arguments.seed)
        print(f"{world}, {arguments.runs} runs:")
        print(summary(table).round(4).to_string(), flush=True)


if __name__ == "__main__":
    main()
