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
# # What else could explain it?
#
# **Ask this before you write "bias".** Words for women are closer to some occupations than to
# others in the shipped vectors. Is that their frequency? Does it go with who works there? Is it
# about occupations at all?

# %%
import warnings

import pandas as pd

import bayesbias as bb

warnings.simplefilter("ignore", bb.BayesBiasWarning)  # about words that the shipped vectors lack
vectors = bb.example_embedding()
frame = bb.distances(vectors, "gender")
print(bb.fit(frame, seed=1).contrasts())

# %% [markdown]
# ## Frequency
#
# Rare words are farther from others, and closer to rare ones. A model with slopes on the rarity of
# both words compares words at equal frequency.

# %%
equal = bb.fit(frame, frequency=True, seed=1)
equal.summary("slope")

# %%
effect = equal.slope_effect()
effect

# %%
effect.plot()

# %% [markdown]
# Associated − different does not move, because main effects of words and attributes cancel in it.
# Placebo lists of words as frequent as the occupations are another check.

# %%
equal.placebo(20, kind="frequency", progress=False)

# %% [markdown]
# ## Facts
#
# These are percentages of women in an occupation, from the U.S. Bureau of Labor Statistics (2015
# and 2016), as collected by Rudinger et al. (2018), rounded.

# %%
shares = {
    "mechanic": 2, "painter": 6, "engineer": 11, "architect": 21, "officer": 30, "janitor": 34,
    "lawyer": 35, "advisor": 38, "doctor": 38, "manager": 39, "supervisor": 39, "specialist": 41,
    "scientist": 42, "examiner": 62, "instructor": 62, "clerk": 70, "teacher": 71, "therapist": 77,
    "librarian": 83, "nurse": 90, "hairdresser": 94, "secretary": 95,
}  # fmt: skip
table = pd.DataFrame({"word": list(shares), "share": [s / 100 for s in shares.values()]})
occupations = bb.load_wordlist("gender").with_attributes(table["word"].tolist(), "occupations")
fit = bb.fit(bb.distances(vectors, occupations), seed=1)
facts = bb.facts(fit, table, "share", groups=("woman", "man"), seed=1)
facts

# %%
facts.plot()

# %% [markdown]
# ## Other attributes
#
# Compare the same groups on attributes that are about something else: flowers and insects. If
# words for women are closer to flowers, "closer to occupations stereotyped as female" is part of
# something larger.

# %%
import tempfile
from pathlib import Path

LIST = """
title = "Gender with flowers and insects"
source = "groups: the list gender; attributes: the words of WEAT 1"
reference = ["person", "people", "someone", "somebody", "anybody", "everybody", "individual"]

[protected]
man = ["he", "his", "son", "father", "male", "boy", "uncle"]
woman = ["she", "hers", "daughter", "mother", "female", "girl", "aunt"]

[associated]
man = ["insects"]
woman = ["flowers"]

[attributes]
flowers = [
  "aster", "clover", "hyacinth", "marigold", "poppy", "azalea", "crocus", "iris", "orchid",
  "rose", "bluebell", "daffodil", "lilac", "pansy", "tulip", "buttercup", "daisy", "lily",
  "peony", "violet", "carnation", "gladiola", "magnolia", "petunia", "zinnia",
]
insects = [
  "ant", "caterpillar", "flea", "locust", "spider", "bedbug", "centipede", "fly", "maggot",
  "tarantula", "bee", "cockroach", "gnat", "mosquito", "termite", "beetle", "cricket",
  "hornet", "moth", "wasp", "blackfly", "dragonfly", "horsefly", "roach", "weevil",
]

[controls]
human = "human"
neutral = "neutral"

[titles]
man = "words for men"
woman = "words for women"
flowers = "flowers"
insects = "insects"
"""
with tempfile.TemporaryDirectory() as folder:
    path = Path(folder) / "flowers.toml"
    path.write_text(LIST, encoding="utf-8")
    other = bb.fit(bb.distances(vectors, path), seed=1)
print(other.finding())
other.contrasts("group")

# %% [markdown]
# Between the groups neither list is decided. Compared with words of no group, words for women are
# closer to flowers than to insects, but unrelated groups often differ as much. Several flowers are
# first names. So part of what makes these words closer may not be about occupations: read the
# answer above with this one beside it.
