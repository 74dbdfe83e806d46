# ---
# jupyter:
#   jupytext:
#     formats: ipynb,py:percent
#     text_representation:
#       extension: .py
#       format_name: percent
#   kernelspec:
#     display_name: Python 3
#     language: python
#     name: python3
# ---

# %% [markdown]
# # Classifiers: how sure is a gap?
#
# **In samples of 10,000 people the TPR gap of surgeons has a standard deviation of .12, and even
# its sign changes.** Before you report a gap, ask how much another sample would move it.
#
# The predictions are those of a BERT for the test part of Bias in Bios (De-Arteaga et al. 2019),
# 99,069 people. They are read from the folder that `BAYESBIAS_DATA` names. Without that folder,
# the notebook takes made-up biographies and a constant share of errors, and numbers differ.

# %%
import os
import re
from pathlib import Path

import numpy as np
import pandas as pd

from bayesbias import classifiers

# %% tags=["parameters"]
n_samples = 50
n_people = 2000

# %%
folder = os.environ.get("BAYESBIAS_DATA")
if folder:
    table = pd.read_csv(Path(folder) / "fairness" / "biasbios_test_predictions.csv.gz")
    names = pd.read_csv(Path(folder) / "fairness" / "biasbios_occupations.csv", index_col="label")
    people = table[["y_true", "y_pred_bert"]].replace(names["occupation"].to_dict())
    people.columns = ["true", "predicted"]
    people["gender"] = np.where(table["gender"] == 1, "female", "male")
    shown, sizes = ["surgeon", "physician"], [5000, 10_000, 20_000, 50_000]
else:
    print("BAYESBIAS_DATA names no folder: made-up people and errors.")
    people = classifiers.example_biographies(20_000, seed=1).drop(columns="text")
    people.columns = ["true", "gender"]
    wrong = np.random.default_rng(1).random(len(people)) < 0.2
    people["predicted"] = people["true"].where(~wrong, people["true"].sample(frac=1).to_numpy())
    shown, sizes = ["surgeon", "nurse"], [500, 1000, 2000]

# %% [markdown]
# ## Small samples
#
# Draw 50 samples of each size, as in *Are fairness metric scores enough?* (2023), and test each.
# As there, 30% of a sample are tested. The classifier stays the same, so all that varies is who is
# tested.
#
# - **GP**, group parity: who is *assigned* an occupation;
# - **TPR**, true positive rate: who of an occupation is *recognised*;
# - **PP**, predictive parity: who of those assigned it *is* of it.


# %%
def published(X_train, y_train, X_test):
    """Return the predictions that are there; nothing is trained."""
    return list(X_test)


options = {"n_samples": n_samples, "seed": 1, "progress": False}
columns = people["true"], people["gender"]
scores = classifiers.resampling_protocol(
    people["predicted"], *columns, published, sizes=sizes, **options
)
scores.plot(classes=shown)

# %% [markdown]
# GP varies least: it counts everybody, and the others only those of an occupation. The paper
# reports the same order, with a DistilBERT trained on each sample.

# %%
gaps = scores.table[scores.table["contrast"] != ""]
gaps[gaps["class"].isin(shown)].pivot_table("sd", ["class", "metric"], "size").round(3)

# %% [markdown]
# Does the mean gap depend on the sample size? The paper says so of classifiers trained on each
# sample. Of one classifier 9% of t-tests between sizes have p < .05, little more than by chance:
# samples of a size overlap, which makes p-values too small.

# %%
between = scores.between_sizes().dropna(subset="p_value")
between = between[between["contrast"] != ""]
(between["p_value"] < 0.05).groupby(between["metric"]).agg(["sum", "size"])

# %% [markdown]
# ## All people: which gaps are decided?
#
# Each rate has a posterior. A verdict needs an 89% interval on one side of 0, and Fisher's exact
# test to agree.

# %%
whole = classifiers.gaps(people, true="true", predicted="predicted", group="gender", seed=1)
rows = whole.table[whole.table["class"].isin(shown)]
rows[["class", "metric", "gap", "low", "high", "n", "n_reference", "verdict"]].round(3)

# %% [markdown]
# Metrics may contradict each other. In these occupations two observed gaps have opposite
# signs; `opposite_surely` names those whose intervals do too.

# %%
opposite = whole.disagreements().query("opposite != ''")
opposite[["class", "GP", "TPR", "PP", "opposite_surely"]].round(3)

# %% [markdown]
# ## Scrubbing
#
# The paper gives all people female pronouns and the first name Camille. Published predictions have
# no texts, so this runs on made-up biographies, whose words say who is a woman.

# %%
from sklearn.feature_extraction.text import TfidfVectorizer
from sklearn.linear_model import LogisticRegression
from sklearn.pipeline import make_pipeline

INDICATORS = {"he": "she", "him": "her", "his": "her", "himself": "herself", "mr": "ms"}
FIRST_NAMES = "Mary Anna Julia Sarah Emma Laura James Peter David Thomas Paul Henry".split()


def scrub(text):
    """Give a text female indicators and one first name."""
    text = re.sub(rf"\b({'|'.join(FIRST_NAMES)})\b", "Camille", text)
    words = re.compile(rf"\b({'|'.join(INDICATORS)})\b", re.IGNORECASE)
    return words.sub(lambda match: INDICATORS[match[0].lower()], text)


made = classifiers.example_biographies(n_people, seed=1)
model = make_pipeline(TfidfVectorizer(), LogisticRegression())
few = {"sizes": [n_people // 2], "n_samples": 10, "seed": 1, "progress": False}
labels = made["occupation"], made["gender"]
plain = classifiers.resampling_protocol(made["text"], *labels, model, **few)
clean = classifiers.resampling_protocol(made["text"].map(scrub), *labels, model, **few)
changes = plain.changes(clean).query("`class` in ['nurse', 'surgeon'] and contrast != ''")
changes[["metric", "class", "mean", "sd"]].round(2)

# %% [markdown]
# Scrubbing closes the TPR gap and opens the PP gap, as in the paper: report both.
#
# ## How many must be annotated?
#
# Ethayarajh (2020) bounds a disparity by Bernstein's inequality. His example has an estimate of
# .05, half of the people in the protected group, and variance 4.

# %%
needed = classifiers.required_n(disparity=0.05, variance=4.0)
least = classifiers.detectable_disparity(n=3160, variance=4.0)
print(f"{needed:,} annotated examples, {needed / 3160:.1f} times WinoBias (3,160)")
print(f"WinoBias distinguishes estimates of {least:.4f} and more from 0")
