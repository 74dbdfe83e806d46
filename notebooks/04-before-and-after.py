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
# # Before and after debiasing
#
# **On occupations that hard debiasing did not use, most of the association is gone.** Words that a
# method used test nothing, because it set their distances. `compare` finds out which words those
# are, and answers with others.

# %%
import warnings

import numpy as np

import bayesbias as bb

warnings.simplefilter("ignore", bb.BayesBiasWarning)  # about words that the shipped vectors lack
vectors = bb.example_embedding()
hard = bb.debias.hard(vectors, wordlist="gender")
change = bb.compare({"before": vectors, "after": hard}, "gender", seed=1)
change.plot()

# %% [markdown]
# The method used the list `gender`, so the figure shows the list `winobias`, without the words that
# the method used. The screen says so first:

# %%
change

# %% [markdown]
# ## The asked list tests nothing
#
# Hard debiasing makes each neutral word equally far from *he* and *she*. The difference is then 0
# by construction, whatever the vectors know of gender.

# %%
columns = ["condition", "observed", "mean", "mark"]
change.in_sample.contrasts.query("level == 'over all'")[columns].round(3)

# %% [markdown]
# ## What is left
#
# `left` is the ratio of after to before, with Fieller's interval. Where *before* may be 0 there is
# no ratio, and `reason` says so.

# %%
left = change.left
left.loc[left["level"] != "word", ["list", "contrast", "left", "left_low", "left_high", "reason"]]

# %% [markdown]
# ## What else changed
#
# A debiasing step should leave other contrasts alone. Look at the controls: did all words about
# people move?

# %%
controls = change.contrasts.query("level == 'controls'")
controls[["condition", "contrast", "mean", "low", "high", "verdict"]].round(3)

# %% [markdown]
# ## A method of your own
#
# Any vectors will do. Four lines remove the mean difference of the pairs from every word, the pairs
# themselves included. `used` names the words that the lines used.

# %%
pairs = bb.load_wordlist("gender").matched
units = dict(zip(vectors.index_to_key, vectors.get_normed_vectors(), strict=True))
direction = np.mean([units[first] - units[second] for first, second in pairs], axis=0)
direction /= np.linalg.norm(direction)
own = bb.load_embedding({word: row - row @ direction * direction for word, row in units.items()})
used = [word for pair in pairs for word in pair]
bb.compare({"before": vectors, "after": own}, "gender", used=used, seed=1)

# %% [markdown]
# ## Methods beside each other
#
# Give several conditions and a baseline. Differences are of the pairs that all conditions have.

# %%
conditions = {
    "before": vectors,
    "hard": hard,
    "own": own,
    "leace": bb.debias.leace(vectors, wordlist="gender"),
}
methods = bb.compare(conditions, "winobias", baseline="before", seed=1)
methods.plot()

# %% [markdown]
# ## Neighbours still know
#
# Is a word's gender still readable from its neighbours (Gonen and Goldberg 2019)? `neighbour_bias`
# correlates two things over occupations: how far each lay towards *he* or *she* before, and the
# share of its neighbours that lay there too.

# %%
jobs = [s.words for s in bb.load_wordlist("winobias").attribute_sets if s.kind == "stereotype"]
jobs = [word for words in jobs for word in words if word in vectors]
for name, condition in conditions.items():
    kv = condition.vectors if hasattr(condition, "record") else condition
    result = bb.measures.neighbour_bias(kv, jobs, pairs, before=vectors, k=50, seed=1)
    low, high = result.interval
    print(f"{name:8} correlation {result.value:+.2f} (95% {low:+.2f} to {high:+.2f})")

# %% [markdown]
# Report both numbers: the difference on words that the method did not use, and the correlation. A
# method can set the first to 0 and leave the second.
