"""Slopes against lme4's, on the same terms.

    BAYESBIAS_DATA=../shared/data python benchmarks/slopes.py [NAME ...]

Associated and different pairs of published files, with made numbers for words and attributes; the
model has effects of words and of attributes and slopes on both numbers and on their product. Needs
``Rscript`` and R's lme4. Prints estimates and standard errors of lme4 over ours: with lme4's
standard deviations taken for known, as its errors take them, and with our posterior of these.
"""

import dataclasses
import io
import os
import subprocess
import sys
import tempfile
import warnings
from pathlib import Path

import numpy as np
import pandas as pd

import bayesbias as bb

NUMBERS = {"word": ("z_word",), "attribute": ("z_attribute",), "both": ("z_word", "z_attribute")}
SCRIPT = """
suppressMessages(library(lme4))
frame <- read.csv(commandArgs(trailingOnly = TRUE), stringsAsFactors = TRUE)
fit <- lmer(cosine_distance ~ 0 + connection + z_word + z_attribute + z_word:z_attribute +
            (1 | protected_word) + (1 | attribute), frame)
found <- tail(summary(fit)$coefficients, 3)
sds <- as.data.frame(VarCorr(fit))
sds <- setNames(sds$sdcor, sds$grp)[c("protected_word", "attribute")]
write.csv(cbind(found[, 1:2], sd = c(sds, NA)), quote = FALSE)
"""


def with_numbers(path: Path) -> pd.DataFrame:
    """Return the stereotype pairs of a file, with a number of every word and attribute."""
    frame = bb.read_distances(path)
    frame = frame[frame["connection"].isin(["associated", "different"])].reset_index(drop=True)
    rng = np.random.default_rng(3)
    for column in ("protected_word", "attribute"):
        code, words = pd.factorize(frame[column])
        number = rng.standard_normal(len(words))[code]
        name = "z_word" if column == "protected_word" else "z_attribute"
        frame[name] = (number - number.mean()) / number.std()
    return frame


def ours(frame: pd.DataFrame, sds: list[float] | None) -> pd.DataFrame:
    """Return our slopes, with standard deviations of the terms that are known or not."""
    flat = bb.models.Prior("exponential", rate=0.01)
    terms = [
        bb.models.TermSpec(
            by, (by,), flat if sds is None else None, sd=None if sds is None else sds[i]
        )
        for i, by in enumerate(("protected_word", "attribute"))
    ]
    slopes = [bb.models.TermSpec(f"of_{name}", (), sd=10.0, of=of) for name, of in NUMBERS.items()]
    spec = bb.load_model("crossed").replace(name="slopes", terms=(*terms, *slopes))
    spec = dataclasses.replace(spec, noise=dataclasses.replace(spec.noise, sd_by="pair_kind"))
    return bb.fit(frame, spec, seed=1, draws=10_000).summary("slope").table


def main(*names: str) -> None:
    """Print a line per file and slope."""
    warnings.simplefilter("ignore")
    folder = Path(os.environ.get("BAYESBIAS_DATA", "../shared/data")) / "distances"
    row = "{:<26} {:<10} {:>9} {:>18} {:>18} {:>18}"
    print(
        row.format("file", "slope", "estimate", "ours over it", "error, sds known", "sds unknown")
    )
    for name in names or ("weat_1_google", "gender_group_glove_dataset"):
        frame = with_numbers(folder / f"{name}.csv")
        with tempfile.TemporaryDirectory() as temporary:
            path = Path(temporary) / "frame.csv"
            frame.to_csv(path, index=False)
            command = ["Rscript", "-e", SCRIPT, str(path)]
            said = subprocess.run(command, capture_output=True, text=True, check=True).stdout
        peer = pd.read_csv(io.StringIO(said), index_col=0)
        known, unknown = ours(frame, peer["sd"].iloc[:2].tolist()), ours(frame, None)
        for i, slope in enumerate(NUMBERS):
            estimate, error = peer.iloc[i]["Estimate"], peer.iloc[i]["Std. Error"]
            ratios = unknown["mean"][i] / estimate, known["sd"][i] / error, unknown["sd"][i] / error
            print(row.format(name, slope, f"{estimate:+.5f}", *(f"{r:.4f}" for r in ratios)))


if __name__ == "__main__":
    main(*sys.argv[1:])
