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
# # The classics, read again
#
# Flowers and insects, pleasant and unpleasant: what one number says, what a model says, and what
# you can say. The page `docs/classics.md` has all lists in four files of vectors; here is how its
# rows are made.
#
# The vectors are parts of published files. They are read from the folder that `BAYESBIAS_DATA`
# names, which is not part of the package. Without it they are skipped, and the shipped vectors,
# which have half of the flowers and insects, stand in.

# %%
import os
import warnings
from pathlib import Path

import pandas as pd

import bayesbias as bb
from bayesbias.pairs.topics import topics_of

warnings.simplefilter("ignore", bb.BayesBiasWarning)  # about control words that these parts lack
folder = Path(os.environ.get("BAYESBIAS_DATA", "../../shared/data")) / "embeddings"
files = {
    "GoogleNews": "googlenews-16k-300d.bin",
    "GloVe 6B": "glove-6b-13k-50d.txt.gz",
    "GloVe Twitter": "glove-twitter-12k-25d.txt.gz",
}
if folder.is_dir():
    vectors = {name: bb.load_embedding(folder / file) for name, file in files.items()}
else:
    print("Skipped: GoogleNews, GloVe 6B and Twitter; set BAYESBIAS_DATA to their folder.")
    vectors = {"GloVe 840B (shipped)": bb.example_embedding()}

# %% [markdown]
# ## One number
#
# WEAT's effect size and its p: large, and small.

# %%
flowers = bb.load_wordlist("weat1")
found = {
    name: bb.measures.all_measures(kv, flowers, names=["WEAT"], seed=1).table.iloc[0]
    for name, kv in vectors.items()
}
pd.DataFrame(found).T[["value", "p_value", "n_words", "n_dropped"]]

# %% [markdown]
# ## Two answers
#
# The same words in a model of all pairs. It answers two questions.
#
# 1. How large is the difference, for words and attributes like these? The interval says it. In
#    standard deviations of a neutral pair's distance (`standardised`) files can be compared.
# 2. How often do unrelated groups differ as much between these lists? `chance` says it.

# %%
fits = {name: bb.fit(bb.distances(kv, flowers), seed=1) for name, kv in vectors.items()}
rows = {name: fit.contrasts().table.iloc[0] for name, fit in fits.items()}
pd.DataFrame(rows).T[["mean", "low", "high", "standardised", "chance", "verdict"]]

# %% [markdown]
# Every interval lies on one side of 0, so flowers and insects would differ in this direction with
# other such words too. But in the parts of published files more than 11% of unrelated groups differ
# as much between these lists. The difference is there, and its size is common.
#
# ## Towards whom?
#
# The first file in words. The finding goes list by list: which group is closer to it?

# %%
name, fit = next(iter(fits.items()))
print(name)
print(fit.finding())

# %%
fit.contrasts("list").plot()

# %% [markdown]
# ## Which attributes are close to everything?
#
# This cancels between groups. The model counts similar attributes as one topic.

# %%
attributes = fit.summary("attribute").table
attributes.loc[attributes["kind"] == "stereotype", ["attribute", "mean", "low", "high"]].head(8)

# %%
topics = topics_of(fit.frame)
topics.groupby(["kind", "attribute_set"])["topic"].agg(attributes="size", topics="nunique")

# %% [markdown]
# ## Every group on its own
#
# Is a group closer to its own list than to the other one? Reference words show how close each list
# is to everything: living things that are neither flowers nor insects.

# %%
fit.contrasts("group")

# %% [markdown]
# ## Names in lower-case vectors
#
# Capitalised names are found in vectors of lower-case text. The fit says so.

# %%
if "GloVe Twitter" in vectors:
    career = bb.fit(bb.distances(vectors["GloVe Twitter"], "weat6"), seed=1)
    print(career.finding(), *career.notes, sep="\n- ")
else:
    print("Skipped: the shipped vectors have capital letters.")
