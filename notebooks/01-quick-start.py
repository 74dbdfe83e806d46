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
# # Quick start
#
# **Follow this notebook once with the shipped vectors, then with your own.** Is there an
# association between gender and occupations in GloVe vectors? How large is it, how sure is that,
# and which group is it about?
#
# The vectors are a slice of GloVe 840B that comes with the package. For your own begin with
# `vectors = bb.load_embedding("googlenews.bin")`.

# %%
import warnings

import bayesbias as bb

vectors = bb.example_embedding()
with warnings.catch_warnings():
    warnings.simplefilter("ignore", bb.BayesBiasWarning)  # the next cell says it in full
    frame = bb.distances(vectors, "gender")
frame.sample(5, random_state=1)

# %% [markdown]
# You get one row per pair of a *protected word* and an *attribute*. Its `connection` is
# *associated* (she, nurse), *different* (she, doctor), *human* (words about people) or *neutral*.
# Cosine distance is 1 − cosine similarity: 0 for the same direction, 1 for unrelated words.
#
# What these vectors lack is never dropped silently:

# %%
bb.missing_words(frame).groupby(["list", "role"]).size().rename("missing").to_frame()

# %% [markdown]
# ## Look first

# %%
bb.pairs.plot_distances(frame, ["she", "boy"])

# %% [markdown]
# ## Fit
#
# The default model, `maximal`, is a mixed model with crossed random effects of protected words and
# attributes, and each group has its own mean for each list. It takes from the vectors which
# attributes are similar, and is fitted in closed form.

# %%
fit = bb.fit(frame, seed=1)
fit

# %% [markdown]
# **Start with the lists.** Words for women are closer than words for men to the occupations
# stereotyped as female. Every row answers two questions.
#
# - **How large, for words like these?** The 89% interval (HPDI) excludes 0. The size is undecided,
#   because the interval reaches into the region of practical equivalence (ROPE), ±.01 here.
# - **Is it more than unrelated words show?** `chance`: a quarter of unrelated groups differ as
#   much on this list. So the difference is there, and its size is common.
#
# The last table is over both groups. *Associated* occupations are closer than *different* ones by
# half a standard deviation of a neutral pair's distance, and few unrelated groups differ as much.

# %%
fit.plot_contrasts()

# %% [markdown]
# Colour marks a direction, a filled marker also a size beyond the ROPE. All seven words for women
# are closer by more than the ROPE. For all seven words for men the direction is undecided.
#
# ## Every group on its own
#
# Is a group closer to its own list than to the other one? One list may simply be closer to words
# about people. *Reference words* of no gender (*person*, *people*, …) show this:

# %%
groups = fit.contrasts("group")
columns = ["group", "contrast", "listed", "mean", "low", "high", "verdict"]
groups.table.loc[groups.table["contrast"].str.startswith("associated − different"), columns].round(
    3
)

# %% [markdown]
# `listed` is the plain mean difference of the listed pairs. Words for women are closer to the
# occupations stereotyped as female than to the others, by .11. For words for men we cannot tell:
# the estimate is near 0. The mean over the two groups hides that difference.
#
# ## How often does the model find something where there is nothing?
#
# A placebo list puts random neutral words in place of the occupations.

# %%
placebo = fit.placebo(100, progress=False)
placebo

# %%
placebo.plot()

# %% [markdown]
# Look at `p`, the place of the real contrast among random lists. Over both groups, and for words
# for women, no placebo list has a contrast as large; for words for men nearly all have. `chance`
# says much the same without refits
# (the documentation's page How often methods err).
#
# ## What does the answer hang on?

# %%
fit.sensitivity(progress=False)

# %% [markdown]
# ## What the verdict does not say
#
# It is about these words in these vectors. Whether a difference of .05 matters depends on what the
# vectors are used for. Another author's list of occupations may give another answer.
#
# ## Keep
#
# Keep draws, model, data, seed and versions with `fit.save("fit.nc")`. The command `bayesbias
# analyze` does all of this and writes tables, figures and a report into a folder.
