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
# # For users of PyMC and ArviZ
#
# **A fit is a posterior like any other: check it with ArviZ, and extend it in PyMC.** This
# notebook adds a term, a quantity of your own and a slope.

# %%
import logging
import warnings

import arviz as az
import numpy as np
import pandas as pd
import pymc as pm

import bayesbias as bb

warnings.simplefilter("ignore", bb.BayesBiasWarning)  # about words that the shipped vectors lack
logging.getLogger("pymc").setLevel(logging.ERROR)
frame = bb.distances(bb.example_embedding(), "gender")
fit = bb.fit(frame, seed=1)
sorted(fit.idata.posterior.data_vars)

# %% [markdown]
# ## ArviZ
#
# Give `fit.idata` to ArviZ: it is an `InferenceData` before 1.0, later a `DataTree`.

# %%
idata = fit.idata
az.summary(idata, var_names=["connection_mean", "word_sd", "noise_sd"])

# %% [markdown]
# These draws come from the collapsed engine, not from a Markov chain, so R-hat says nothing about
# them. Look at `fit.diagnostics`:

# %%
fit.diagnostics.sentence

# %%
with warnings.catch_warnings():
    warnings.simplefilter("ignore", UserWarning)  # about pairs whose Pareto k is above .7, if any
    loo = az.loo(idata, pointwise=True)
loo

# %% [markdown]
# The standard error that ArviZ prints treats pairs as independent. That of `fit.criticism()` is
# clustered by attribute and by protected word, and more than three times as large:

# %%
fit.criticism()

# %% [markdown]
# ArviZ's own predictive check:

# %%
if hasattr(az, "plot_ppc"):
    shown = az.plot_ppc(idata, num_pp_samples=50, random_seed=1, figsize=(8, 3))
else:
    shown = az.plot_ppc_dist(idata, num_samples=50)

# %% [markdown]
# ## Round trip
#
# `fit.pymc_model()` is a PyMC model whose free variables are the parameters in
# `fit.idata.posterior`, whichever engine drew them. So PyMC's own functions take these draws. Here
# similar attributes share a part of the noise: the pairs of a word are not independent, and the
# model has one multivariate variable for each kind of pair.

# %%
model = fit.pymc_model()
[variable.name for variable in model.free_RVs]

# %%
posterior = fit.posterior.isel(draw=slice(None, None, 10))
with model:
    predicted = pm.sample_posterior_predictive(posterior, random_seed=1, progressbar=False)
for name, draws in predicted.posterior_predictive.items():
    observed = predicted.observed_data[name]
    print(f"{name}, observed:  mean {float(observed.mean()):.3f}, sd {float(observed.std()):.3f}")
    print(f"{name}, predicted: mean {float(draws.mean()):.3f}, sd {float(draws.std()):.3f}")

# %% [markdown]
# ## A term of your own
#
# Most extensions need no PyMC: a column of the frame becomes a term. Here the words come in pairs
# (he and she, uncle and aunt). We give each pair a random effect for each kind of list. In a file
# this would be one more `[[terms]]` (see Models in the documentation).
# Reference words are by themselves.

# %%
kin = {word: "–".join(p) for p in bb.load_wordlist("gender").defining_sets for word in p}
words = frame["protected_word"]
pairs = frame.assign(kin=words.map(kin).fillna(words))
maximal = bb.load_model("maximal")
term = bb.models.TermSpec(
    "kin",
    by=("kin", "attribute_kind"),
    sd_by="attribute_kind",
    connections=("associated", "different", "human", "neutral"),
    prior=bb.models.Prior("exponential", rate=10.0),
)
mine = maximal.replace(name="with-kin", terms=(*maximal.terms, term))
compared = bb.compare_models(pairs, [maximal, mine], seed=1)
compared

# %%
compared.fits["with-kin"].summary("term").table.query("parameter == 'kin_sd'").round(3)

# %% [markdown]
# The Bayes factor supports the term by about three log units, whatever the seed. Cross-validation
# does not decide: its small difference changes with the seed, a Monte Carlo error that its standard
# error leaves out. The term makes the interval of *human − neutral* slightly wider. In *associated
# − different* such effects cancel.

# %% [markdown]
# ## A new quantity, from the draws that are there
#
# How much would the contrast be for a *new* word for women? Add a variable to the model; nothing
# needs to be sampled again. The contrast is the difference of two connection means, plus the
# difference of the group's two list effects, plus two random effects of the new word.

# %%
with fit.pymc_model() as model:
    means, groups = model["connection_mean"], model["group_list_effect"]
    at = list(model.coords["group_list_level"]).index
    own, other = at("woman × woman_stereotype"), at("woman × man_stereotype")
    mean = means[0] - means[1] + groups[own] - groups[other]
    pm.Normal("new_word", mean, pm.math.sqrt(2) * model["word_list_sd"][0])
    new = pm.sample_posterior_predictive(
        posterior, var_names=["new_word"], random_seed=1, progressbar=False
    )
values = new.posterior_predictive["new_word"].to_numpy().ravel()
low, high = np.quantile(values, [0.055, 0.945])
print(f"{values.mean():+.3f} [{low:+.3f}, {high:+.3f}], P(< 0) = {(values < 0).mean():.2f}")

# %% [markdown]
# Mean and interval are nearly those of the group's contrast.

# %% [markdown]
# ## A slope
#
# Is a word close because it is frequent? A column of numbers enters the model as a slope, and
# contrasts are then at equal numbers. With `frequency=True` you add slopes on how rare the word,
# the attribute and both are (the logarithm of their rank here). Any other column of numbers works
# in the same way, in a model's file as `[[slopes]]`.

# %%
equal = bb.fit(frame, frequency=True, seed=1)
equal.summary("slope")

# %%
both = {"plain": fit, "at equal frequency": equal}
pd.concat({name: one.contrasts().table for name, one in both.items()}, names=["fit"]).reset_index(
    "fit"
)[["contrast", "fit", "mean", "low", "high"]].sort_values("contrast", kind="stable").round(3)

# %%
length = frame.assign(letters=frame["attribute"].str.len())
slope = bb.models.TermSpec("letters", by=("attribute_kind",), of=("letters",), sd=0.1)
longer = bb.fit(length, maximal.replace(name="letters", terms=(*maximal.terms, slope)), seed=1)
longer.summary("slope")

# %% [markdown]
# Rarer protected words are farther from the controls; for stereotypes the interval just contains
# 0. This cancels between associated and different. For the length of the attribute every interval
# contains 0.
#
# Sample in PyMC what neither terms nor slopes can say: `docs/models.md` has an example.
