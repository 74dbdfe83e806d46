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
# ## A difference with its interval
#
# The same words in a model of all pairs. The effect size has no unit that two files share; the
# difference in cosine distance has one, and in standard deviations of a neutral pair's distance it
# can be compared between files.

# %%
fits = {name: bb.fit(bb.distances(kv, flowers), seed=1) for name, kv in vectors.items()}
rows = {name: fit.contrasts().table.iloc[0] for name, fit in fits.items()}
shown = ["mean", "low", "high", "standardised", "verdict"]
shown += [column for column in ("chance",) if column in next(iter(rows.values()))]
pd.DataFrame(rows).T[shown]

# %% [markdown]
# In words, for the first file:

# %%
name, fit = next(iter(fits.items()))
print(name)
print(fit.finding())

# %%
fit.contrasts(fit.contrast_levels[0]).plot()

# %% [markdown]
# ## Which words carry it?
#
# Attributes by how close they are to everything. Words of one topic stand together, and the model
# does not count them as so many facts.

# %%
attributes = fit.summary("attribute").table
attributes[attributes["attribute"].isin(flowers.attributes[:50])].head(8)

# %% [markdown]
# ## Towards whom?
#
# Every group on its own, compared with reference words: living things that are neither.

# %%
fit.contrasts("group")

# %% [markdown]
# ## Names in lower-case vectors
#
# Capitalised names are found in vectors of lower-case text. The fit says so.

# %%
names = "weat6" if folder.is_dir() else "gender"
last = list(vectors)[-1]
career = bb.fit(bb.distances(vectors[last], names), seed=1)
print(career.finding())
for note in career.notes:
    print("-", note)
