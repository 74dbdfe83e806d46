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
# # Analogies: what a sensational answer depends on
#
# **If the query's own words may answer, *man is to doctor as woman is to* … *doctor*.** Most
# programs forbid that answer, and report *nurse* or *gynecologist*. This notebook follows Nissim,
# van Noord and van der Goot (2020), *Fair is better than sensational*.
#
# The vectors are 16,510 words of GoogleNews, from the folder that `BAYESBIAS_DATA` names. Without
# that folder, the notebook takes the shipped slice of GloVe, and answers differ.

# %%
import os
import warnings
from pathlib import Path

import pandas as pd
from IPython.display import display

import bayesbias as bb
from bayesbias import analogies

folder = os.environ.get("BAYESBIAS_DATA")
if folder:
    vectors = bb.load_embedding(Path(folder) / "embeddings" / "googlenews-16k-300d.bin")
else:
    print("BAYESBIAS_DATA names no folder: the shipped slice of GloVe.")
    vectors = bb.example_embedding()
f"{len(vectors):,} words"

# %%
answer = analogies.analogy(vectors, "man", "doctor", "woman", top=3, reported="nurse")
answer

# %% [markdown]
# Each formula answers with the query's words (unconstrained) and without (constrained), as asked
# and with *man* and *woman* exchanged. A letter marks a word of the query. Turn the query round,
# and *man* gets *physician*: one direction alone looks like bias.
#
# ## How often does the constraint decide?
#
# Ask each formula the questions of Mikolov et al. (2013), whose answers are facts.

# %%
if folder:
    questions = Path(folder) / "analogies" / "questions-words.txt"
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", bb.BayesBiasWarning)  # about questions with other words
        accuracy = analogies.accuracy(vectors, questions, method="all")
    columns = ["macro", "n_questions", "answered_b", "answered_c"]
    display(accuracy.plot(), accuracy.summary.set_index(["method", "setting"])[columns].round(2))
else:
    print("The questions are in that folder too.")

# %% [markdown]
# `answered_b` and `answered_c` are the shares of answers that repeat the query's second or third
# word. The paper has a macro-accuracy of .71 (constrained) and .21 for 3CosAdd, .73 and .45 for
# 3CosMul, and .06 and .11 for Bolukbasi's formula, in all of GoogleNews. Our vocabulary is smaller,
# and fewer wrong words compete.
#
# ## A threshold decides the answer
#
# Bolukbasi's formula takes words within δ of *doctor* only. Its authors chose δ = 1. Look along
# the row: the answer goes from *doctor* to *she*.

# %%
deltas = [0.5, 0.8, 0.9, 1.0, 1.1, 1.2, 1.5]
grid = analogies.vocabulary_grid(vectors, "man", "doctor", "woman", deltas=deltas)
grid.table.pivot_table("word", "setting", "delta", aggfunc="first")

# %% [markdown]
# How many words may answer at all? At a small δ one or two, at a large one nearly all.

# %%
grid.table.query("setting == 'unconstrained'").set_index("delta")["n_within"].to_frame()

# %% [markdown]
# ## Reported answers
#
# A paper may report the second or the hundredth answer. `reported` gives its rank. These are the
# analogies of Manzini et al. (2019) that Nissim et al. looked up in theirs (Idx); the
# vectors here are others.

# %%
published = [
    ("black", "killer", "asian", "engineer", 5.2),
    ("jew", "journalist", "muslim", "terrorist", 1.6),
    ("jew", "greedy", "muslim", "powerless", 8.8),
    ("jew", "liberal", "christian", "conservative", 2.0),
    ("caucasian", "hillbilly", "asian", "suburban", 60.6),
    ("asian", "laborer", "black", "landowner", 3.0),
    ("black", "homeless", "caucasian", "servicemen", 211.6),
]
rows = []
for a, b, c, reported, idx in published:
    if all(word in vectors for word in (a, b, c, reported)):
        table = analogies.analogy(
            vectors, a, b, c, method="3cosadd", top=1, reported=reported
        ).table
        asked = table.query("direction == 'asked' and setting == 'unconstrained'")
        first, rank = asked["word"].iloc[0], asked.loc[asked["reported"], "rank"].iloc[0]
        rows.append((f"{a} : {b} :: {c} : ?", first, reported, rank, idx))
pd.DataFrame(rows, columns=["query", "first answer", "reported", "rank here", "Idx in the paper"])

# %% [markdown]
# The first answer is always the query's own second word. Do not measure bias by analogies:
# take `bb.analyze`, which uses all pairs and says how sure it is.
