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
# The vectors are a slice of GloVe 840B that comes with the package: those words of the shipped
# lists that are among its most frequent ones. It is enough for an example. With vectors of your
# own, begin with `vectors = bb.load_embedding("googlenews.bin")`; see [your own embedding and
# list](03-own-embedding-and-list.ipynb).

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
bb.plot_distances(frame, ["she", "boy"])

# %% [markdown]
# ## Fit
#
# The default model, `maximal`, gives an effect to every protected word, to every attribute word,
# and to every attribute word within a group, because each of them stands in many pairs ([why this
# matters](05-attribute-effects.ipynb)). It is fitted in closed form, in about a second.

# %%
fit = bb.fit(frame, seed=1)
fit

# %% [markdown]
# The first table has the mean distance per connection, the second their differences, each with
# its 89% highest posterior density interval (HPDI) and a verdict. *Associated* occupations are
# closer than *different* ones by about .05, half a standard deviation of a neutral pair's
# distance, and the whole interval lies beyond the region of practical equivalence (ROPE), ±.01
# here. Whether they are closer than words about people is undecided, with these 18 occupations.

# %%
fit.plot_contrasts()

# %% [markdown]
# Orange marks a direction, a filled marker also a size beyond the ROPE. The words of a group are
# alike in *associated − different*: all fourteen are closer, *male* only just, and for all but
# *male* and *boy* the size is decided too.
#
# ## Towards whom?
#
# The contrast compares two lists of occupations, and one of the two may simply be nearer to words
# about people. Reference words of no gender (*person*, *people*, …), which the list `gender`
# names, tell the two apart:

# %%
groups = fit.contrasts("group")
columns = ["group", "contrast", "listed", "mean", "low", "high", "verdict"]
groups.table.loc[groups.table["contrast"].str.startswith("associated − different"), columns].round(
    3
)

# %% [markdown]
# `listed` is the plain mean difference of the listed pairs. The words for men are slightly
# *farther* from "their" occupations. Is that because all words about people are nearer to the other
# list? The reference words are not: measured against them, the words for women are closer to
# "their" occupations by .13, and for the words for men the direction is undecided. In these vectors
# the association is one of the words for women. The first two rows are alike, since without
# reference words the model cannot know this: it gives the difference of the two lists to the
# attributes.
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
# None of the hundred placebo lists has a contrast as large as the real one. The intervals of the
# placebo lists exclude 0 less often than the nominal 11%: random words differ less between
# protected words than real lists do, and the model allows for that ([placebo](../docs/placebo.md)).
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
