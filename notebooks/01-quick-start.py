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
# **In these vectors each gender is closer to its own stereotyped occupations than the other is.**
# The vectors are a slice of GloVe 840B that comes with the package. For your own, begin with
# `vectors = bb.load_embedding("googlenews.bin")`.

# %%
import bayesbias as bb

vectors = bb.example_embedding()
fit = bb.analyze(vectors, "gender", seed=1)
fit.plot()

# %% [markdown]
# On the left, each attribute: how much closer it is to one group than to the other. On the right,
# the yardstick: groups of the same sizes, drawn from the frequent words of these vectors. If many
# random groups differ as much, the difference is real but ordinary.
#
# ## Read the screen

# %%
fit

# %% [markdown]
# Read it from above.
#
# - **The finding**: the mean difference over both groups, with its 89% HPDI (highest posterior
#   density interval).
# - **The yardstick**: the share of random groups that differ as much.
# - **The table**: `observed` is the plain mean of the listed pairs, `mean` the posterior mean for
#   words like these, `in sd` the same in standard deviations of a neutral pair's distance.
# - **The verdict**: a direction is decided if the interval excludes 0. An asterisk marks a size
#   that may still be too small to matter.
#
# Hierarchical means of each connection, from the closest to the farthest:

# %%
fit.plot_means()

# %% [markdown]
# ## All contrasts
#
# Each row subtracts one mean distance from another. Rows by list compare the groups on one list;
# rows by group compare two lists within one group.

# %%
columns = ["level", "list", "contrast", "mean", "low", "high", "verdict", "random_groups"]
contrasts = fit.contrasts()
contrasts.loc[contrasts["level"] != "word", columns].round(3)

# %% [markdown]
# A single protected word is a row too. Every word for women is closer to the occupations of women
# than to those of men; for words for men the direction is undecided. Write that, and not the mean.

# %%
fit.plot_contrasts("word")

# %% [markdown]
# ## Check
#
# Do this before you report a number. A row that warns says what to do.

# %%
fit.check()

# %% [markdown]
# ## Before and after
#
# Hard debiasing makes the listed occupations equally close to both genders, so the list itself can
# no longer test anything. `compare` says so, and answers with words that the method did not use.

# %%
import warnings

with warnings.catch_warnings():
    warnings.simplefilter("ignore", bb.BayesBiasWarning)  # about words that the slice lacks
    debiased = bb.debias.hard(vectors, wordlist="gender")
change = bb.compare({"before": vectors, "after": debiased}, "gender", seed=1)
change.plot()

# %% [markdown]
# ## Report
#
# `report` writes one page of HTML with figures, checks and settings. `to_dict` has the same answers
# as plain data, and `methods_text` the paragraph for your paper.

# %%
from pathlib import Path
from tempfile import mkdtemp

page = Path(mkdtemp()) / "report.html"
fit.report(page, checks=False)  # they stand above
print(f"{page.name}: {page.stat().st_size / 1000:.0f} kB")
print(fit.methods_text())
