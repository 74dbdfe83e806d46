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
# Is there an association between gender and occupations in GloVe vectors, how large is it, how
# sure is it, and towards whom?
#
# The vectors are a slice of GloVe 840B that comes with the package: 1,311 words, those of the
# shipped lists that are among its most frequent ones, and common words. It is enough for an
# example. With vectors of your own, begin with `vectors = bb.load_embedding("googlenews.bin")`;
# see [your own embedding and list](03-own-embedding-and-list.ipynb).

# %%
import warnings

import bayesbias as bb

vectors = bb.example_embedding()
with warnings.catch_warnings():
    warnings.simplefilter("ignore", bb.BayesBiasWarning)  # the next cell says it in full
    frame = bb.distances(vectors, "gender")
frame.sample(5, random_state=1)

# %% [markdown]
# One row per pair of a *protected word* and an *attribute word*. Its `connection` says what the
# stereotype makes of the pair: *associated* (she, nurse), *different* (she, doctor), or one of two
# control lists, words about people (*human*) and *neutral* words. Cosine distance is 1 − cosine
# similarity: 0 for the same direction, 1 for unrelated words.
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
# The default model, `maximal`, gives an effect to every protected word, to every group for each
# list, to every attribute word, and to every attribute word within a group, because each of them
# stands in many pairs ([why](../docs/models.md#the-default-model)). It knows from the vectors
# how alike attributes are; "Attributes and their topics" below counts the topics. It is fitted in
# closed form, in a few seconds.

# %%
fit = bb.fit(frame, seed=1)
fit

# %% [markdown]
# The answer goes list by list: words for women are closer than words for men to the occupations
# stereotyped as female. Every row has two answers.
#
# - **How large, for words like these?** The 89% highest posterior density interval (HPDI) excludes
#   0. Its size is undecided, because the interval reaches into the region of practical equivalence
#   (ROPE), ±.01 here.
# - **Is it more than unrelated words show?** `chance`: a quarter of unrelated groups differ as much
#   on this list. So the difference is there, and its size is common.
#
# The last table is over both groups. *Associated* occupations are closer than *different* ones by
# half a standard deviation of a neutral pair's distance, and few unrelated groups differ as much.
# Whether they are closer than words about people is undecided, with these 18 occupations.

# %%
fit.plot_contrasts()

# %% [markdown]
# Colour marks a direction, a filled marker also a size beyond the ROPE. The words of a group are
# alike in *associated − different*: all seven words for women are closer, by more than the ROPE,
# and for all seven words for men the direction is undecided.
#
# ## Every group on its own
#
# A group can also be compared with itself: is it closer to its own list than to the other one? One
# of the two lists may simply be closer to words about people. Reference words of no gender
# (*person*, *people*, …), which the list `gender` names, show it; they are fitted with the others:

# %%
groups = fit.contrasts("group")
columns = ["group", "contrast", "listed", "mean", "low", "high", "verdict"]
groups.table.loc[groups.table["contrast"].str.startswith("associated − different"), columns].round(
    3
)

# %% [markdown]
# `listed` is the plain mean difference of the listed pairs. Words for women are closer to the
# occupations stereotyped as female than to the others, by .11. For words for men we cannot tell:
# the estimate is near 0, well inside its interval. In these vectors the association is one of the
# words for women, which the mean over the two groups hides.
#
# ## How often does the model find something where there is nothing?
#
# A placebo list puts random neutral words in the place of the occupations.

# %%
placebo = fit.placebo(100, progress=False)
placebo

# %%
placebo.plot()

# %% [markdown]
# Over both groups, and for words for women, none of the hundred placebo lists has a contrast as
# large as the real one: `p`, its place among random lists, is .010. For words for men nearly all
# have. `chance` says much the same without refits. In *associated − different* the intervals of
# placebo lists exclude 0 less often than the nominal 11%: random words differ less between
# protected words than real lists do, and the model allows for that
# ([placebo](../docs/error-rates.md#in-your-vectors-placebo-lists)).
#
# ## What does the answer hang on?

# %%
fit.sensitivity(progress=False)

# %% [markdown]
# ## What the verdict does not say
#
# It speaks of these words in these vectors. Whether a difference of .05 matters to a task that uses
# the vectors is another question, and so is whether another author's list of occupations would
# give the same answer.
#
# ## Keep
#
# `fit.save("fit.nc")` keeps draws, model, data, seed and versions. `bayesbias analyze` does all of
# this from the command line and writes tables, figures and a report into a folder.
