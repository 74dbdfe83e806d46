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
# Is there an association between gender and occupations in the GoogleNews vectors, how large is
# it, how sure is it, and which words carry it?
#
# The distances are those published with the Bayesian paper (Dobrzeniecka and Urbaniak 2023). They
# are downloaded once (`pip install 'bayesbias[data]'`), or read from the folder that
# `BAYESBIAS_DATA` names. With vectors of your own, begin with `frame =
# bb.distances(bb.load_embedding("googlenews.bin"), "gender")`; see [your own embedding and
# list](03-own-embedding-and-list.ipynb).

# %%
import bayesbias as bb

frame = bb.published_distances("gender", "google")
frame.sample(5, random_state=1)

# %% [markdown]
# One row per pair of a *protected word* and an *attribute word*. Its `connection` says what
# stereotype makes of the pair: *associated* (she, nurse), *different* (she, doctor), or one of
# two control groups, words about people (*human*) and *neutral* words. Cosine distance is 1 −
# cosine similarity: 0 for the same direction, 1 for unrelated words.

# %% [markdown]
# ## Look first

# %%
bb.plot_distances(frame, ["she", "boy"])

# %% [markdown]
# ## Fit
#
# `crossed` is a hierarchical model in which every protected word and every attribute word has an
# effect of its own ([why the attributes need one](05-attribute-effects.ipynb)). It is fitted in
# closed form, in a second.

# %%
fit = bb.fit(frame, model="crossed", seed=1)
fit

# %%
fit.plot_words()

# %% [markdown]
# Each row is a protected word, each mark the mean distance to one kind of attribute, with its 89%
# highest posterior density interval (HPDI). *Associated* (orange) closer than *different* (pink)
# is what a stereotype looks like.

# %% [markdown]
# ## Decide
#
# Differences of connections, from the same draws, each with a verdict: *closer* if the whole HPDI
# is below −.05. Choose that number, the region of practical equivalence, before you look.

# %%
contrasts = fit.contrasts(rope=0.05)
contrasts

# %%
columns = ["protected_word", "mean", "low", "high", "verdict"]
words = contrasts.words.query("contrast == 'associated − different'")
words[columns].sort_values("mean").round(3)

# %% [markdown]
# For the group the verdict against *different* occupations is open: −.06, give or take .04. Word
# by word it is the female words that carry the association: all seven intervals are below 0,
# those of *she* and *hers* beyond −.05 as well. Of the male words only *he* and *uncle* have one
# below 0, and that of *male* lies mostly above. One number would have hidden that.
#
# ## What the verdict does not say
#
# It speaks of these words in these vectors. Whether a difference of .06 matters to a task that
# uses them is another question; so is whether other words would have said the same. Of the second
# a part can be asked: what hangs on the priors, and on any single word.

# %%
fit.sensitivity(rope=0.05, progress=False)

# %% [markdown]
# ## Keep
#
# `fit.save("fit.nc")` keeps draws, model, data, seed and versions; `bayesbias analyze` does all
# of this from the command line, with tables and figures in a folder.
