"""Coverage and width of classifier intervals on real predictions, and the protocol.

Run: python benchmarks/classifiers.py [--runs 2000] [--predictions FILE --names FILE]
         [--figures DIR]

--predictions is a file of Bias in Bios predictions with columns y_true, gender and y_pred_lr,
--names one of occupations with columns label and occupation; samples of it are drawn with
replacement, so that its rates are the truth.
"""

import argparse
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from interval_coverage import gap_intervals
from scipy.stats import binomtest
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

from bayesbias import classifiers
from bayesbias.classifiers.counts import METRICS, rate_counts, rates_of
from bayesbias.classifiers.estimates import beta_draws, dirichlet_draws
from bayesbias.engine.intervals import interval_of

COLUMNS = {"true": "y_true", "predicted": "y_pred_lr", "group": "gender", "reference": 0}


def real(people: pd.DataFrame, runs: int) -> None:
    """Gaps of all occupations from small samples of real predictions.

    "bootstrap" resamples each rate with its denominator fixed, as in the simulations; "bootstrap of
    persons" resamples persons within groups, and leaves out resamples without a gap.
    """
    table = classifiers.count_predictions(people, **COLUMNS).counts
    successes, trials = rate_counts(table)
    rate = successes / trials
    true_gap = rate[:, 1] - rate[:, 0]
    rng, rng_of_persons = np.random.default_rng(1), np.random.default_rng(2)
    print(f"\nBias in Bios, all occupations, {runs:,} samples each, 95% intervals")
    print(f"{'n':>5}  {'metric':6}  {'undefined':>9}  {'method':24}  coverage  width")
    for n in (200, 500, 1000, 5000):
        drawn = rng.multinomial(n, table.ravel() / table.sum(), size=runs)
        drawn = drawn.reshape(runs, *table.shape)
        of_persons = np.array([persons(counts, rng_of_persons) for counts in drawn])
        s, t = rate_counts(drawn)
        for m, metric in enumerate(METRICS):
            both = np.stack([s[:, m, 1], s[:, m, 0]], -1), np.stack([t[:, m, 1], t[:, m, 0]], -1)
            defined = (both[1] > 0).all(axis=-1)
            gaps = np.broadcast_to(true_gap[m], defined.shape)[defined]
            intervals = gap_intervals(
                both[0][defined], both[1][defined], prob=0.95, draws=500, rng=rng
            )
            intervals["bootstrap of persons"] = of_persons[:, m][defined]
            for method, ends in intervals.items():
                held = int(((ends[:, 0] <= gaps) & (gaps <= ends[:, 1])).sum())
                low, high = binomtest(held, len(ends)).proportion_ci(0.95, "wilson")
                print(
                    f"{n:>5}  {metric:6}  {1 - defined.mean():>9.1%}  {method:24}  "
                    f"{held / len(ends):7.1%} ({low:.1%} to {high:.1%})  "
                    f"{np.ptp(ends, axis=1).mean():.3f}",
                    flush=True,
                )


def persons(counts: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """Return 95% percentile intervals of gaps, persons resampled; shape (3, n_classes, 2)."""
    sizes = counts.sum(axis=(1, 2))
    resampled = [
        rng.multinomial(n, table.ravel() / n, size=500).reshape(500, *table.shape)
        for n, table in zip(sizes, counts, strict=True)
    ]
    rates = rates_of(*rate_counts(np.stack(resampled, axis=1)))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # all resamples without a gap
        return np.moveaxis(
            np.nanquantile(rates[:, :, 1] - rates[:, :, 0], (0.025, 0.975), axis=0), 0, -1
        )


def shares(people: pd.DataFrame, runs: int) -> None:
    """GP over 28 classes: separate Beta and joint Dirichlet posteriors."""
    table = classifiers.count_predictions(people, **COLUMNS).counts
    predicted = table.sum(axis=1) / table.sum(axis=(1, 2))[:, None]
    true = predicted[1] - predicted[0]
    rng = np.random.default_rng(1)
    print(f"\nGP of 28 occupations, {runs} samples each")
    for n in (50, 100, 200, 500, 1000):
        drawn = rng.multinomial(n, table.ravel() / table.sum(), size=runs)
        counts = drawn.reshape(runs, *table.shape).sum(axis=2)
        trials = np.broadcast_to(counts.sum(axis=-1, keepdims=True), counts.shape)
        found = {"Beta(1, 1)": beta_draws(counts, trials, prior=(1, 1), draws=500, rng=rng)}
        for prior in (1.0, 0.5, 1 / 28):
            drawn = dirichlet_draws(counts, prior=prior, draws=500, rng=rng)
            found[f"Dirichlet({prior:.2g})"] = drawn
        for name, draws in found.items():
            gap = draws[:, :, 1] - draws[:, :, 0]
            error = np.sqrt(((gap.mean(axis=0) - true) ** 2).mean())
            for prob in (0.89, 0.95):
                ends = interval_of(gap, prob, "hdi")
                covered = (ends[..., 0] <= true) & (true <= ends[..., 1])
                largest = covered[:, np.abs(true).argmax()].mean()
                width = np.ptp(ends, axis=-1).mean()
                print(
                    f"{n:>5}  {name:15}  {prob:.0%}  {covered.mean():.1%} (largest gap "
                    f"{largest:.0%})  width {width:.3f}  error {error:.3f}",
                    flush=True,
                )


def occupations(people: pd.DataFrame, folder: Path | None) -> None:
    for column in ("y_pred_lr", "y_pred_bert"):
        columns = {"true": "named", "predicted": f"named_{column}", "group": "sex"}
        found = classifiers.gaps(people, **columns, seed=1)
        table = found.disagreements()
        print(f"\n{column}: metrics whose observed gaps have opposite signs")
        print(table[table["opposite"] != ""].round(4).to_string(index=False))
        print(found.table.groupby("metric")["verdict"].value_counts().to_string())
        if folder is not None and column == "y_pred_lr":
            found.plot().savefig(folder / "classifier-gaps.png")


def protocol(folder: Path | None) -> None:
    people = classifiers.example_biographies(4000, seed=1)
    model = make_pipeline(TfidfVectorizer(), LogisticRegression())
    columns = people["occupation"], people["gender"]
    options = {"sizes": [200, 500, 1000, 2000], "n_samples": 50, "seed": 1}
    raw = classifiers.resampling_protocol(people["text"], *columns, model, **options)
    scrubbed = classifiers.example_biographies(4000, scrubbed=True, seed=1)
    clean = classifiers.resampling_protocol(scrubbed["text"], *columns, model, **options)
    print("\nMade-up biographies, logistic regression on tf-idf, 50 subsamples per size")
    print(raw)
    print("\nscrubbed − raw, 2,000 rows")
    print(raw.changes(clean).query("size == 2000").round(4).to_string(index=False))
    if folder is not None:
        raw.plot(classes=["nurse", "surgeon"]).savefig(folder / "protocol-gaps.png")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--runs", type=int, default=2000)
    parser.add_argument("--predictions", type=Path)
    parser.add_argument("--names", type=Path)
    parser.add_argument("--figures", type=Path, metavar="DIR")
    arguments = parser.parse_args()
    protocol(arguments.figures)
    if arguments.predictions is None:
        return
    people = pd.read_csv(arguments.predictions)
    real(people, min(arguments.runs, 200))
    shares(people, min(arguments.runs, 300))
    if arguments.names is not None:
        names = pd.read_csv(arguments.names).set_index("label")["occupation"]
        people["sex"] = people["gender"].map({0: "male", 1: "female"})
        people["named"] = people["y_true"].map(names)
        for column in [c for c in people if c.startswith("y_pred")]:
            people[f"named_{column}"] = people[column].map(names)
        occupations(people, arguments.figures)


if __name__ == "__main__":
    main()
