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
# # PyMC and ArviZ
#
# **A fit is a posterior like any other: check it with ArviZ, and extend it in PyMC in ten lines.**
# This notebook asks whether a long word is farther from all others, with a slope that no shipped
# model has. The slope is near 0.

# %%
import logging
import warnings

import arviz as az
import numpy as np
import pymc as pm

import bayesbias as bb

warnings.simplefilter("ignore")  # words that the shipped vectors lack; few draws of NUTS below
logging.getLogger("pymc").setLevel(logging.ERROR)
vectors = bb.example_embedding()
fit = bb.analyze(vectors, "gender", seed=1)
fit.plot_predictive()

# %% tags=["parameters"]
draws = 500

# %% [markdown]
# ArviZ draws the posterior predictive check. Give `fit.idata` to any of its functions: an
# `InferenceData` before ArviZ 1.0, later a `DataTree`.

# %%
az.summary(fit.idata, var_names=["word_sd", "attribute_sd", "match_attribute_sd", "noise_sd"])

# %% [markdown]
# These draws come from the closed form, not from a Markov chain, so R-hat says nothing about them.
# Look at `fit.diagnostics`, and at leave-one-out cross-validation:

# %%
print(fit.diagnostics.sentence)
az.loo(fit.idata)

# %% [markdown]
# ## A model of your own
#
# A model is a list of terms. This one has random effects of words and of attributes; those of
# similar attributes correlate, with a covariance from the vectors. It takes the stereotype pairs
# alone, to be quick to sample.

# %%
crossed, maximal = bb.load_model("crossed"), bb.load_model("maximal")
word = next(term for term in crossed.terms if term.name == "word")
attribute = next(term for term in maximal.terms if term.name == "attribute")
noise = bb.NoiseSpec(prior=crossed.noise.prior)
alike = crossed.replace(name="alike", terms=(word, attribute), noise=noise)
frame = bb.distances(vectors, "gender").query("connection in ['associated', 'different']")
small = bb.fit(frame, alike, vectors=vectors, seed=1)
print(small.spec.formula)

# %% [markdown]
# ## Extend it in ten lines
#
# `pymc_model()` has the covariance inside. A potential moves the prior mean of the attribute
# effects from 0 to slope × length:

# %%
length = np.array([len(word) for word in small.design.attributes], dtype=float)
length = (length - length.mean()) / length.std()
with small.pymc_model() as extended:
    effect = extended["attribute_effect"]
    mean, covariance = effect.owner.op.dist_params(effect.owner)
    slope = pm.Normal("slope", 0.0, 0.1)
    moved = pm.MvNormal.dist(slope * length, covariance)
    centred = pm.MvNormal.dist(np.zeros(len(length)), covariance)
    pm.Potential("moved", pm.logp(moved, effect) - pm.logp(centred, effect))
    nuts = pm.sample(
        draws, tune=500, chains=2, cores=1, target_accept=0.9, random_seed=1, progressbar=False
    )
az.summary(nuts, var_names=["slope", "connection_mean", "word_sd", "attribute_sd", "noise_sd"])

# %% [markdown]
# NUTS sampled the whole model. The closed form gives the same numbers for what both have:

# %%
small.summary("term").round(3)

# %% [markdown]
# ## The same without PyMC
#
# A slope of any number of words or pairs is also `covariates=`, in closed form. Sample in PyMC what
# terms and covariates cannot say.

# %%
longer = frame.assign(letters=frame["attribute"].str.len())
sloped = bb.fit(longer, alike, vectors=vectors, covariates=["letters"], seed=1)
sloped.summary("covariate").round(4)

# %% [markdown]
# ## Does the slope help?
#
# Compare by leave-one-out. In a closed-form fit the log-likelihood of a pair is given all other
# pairs, with the effects integrated out. PyMC's `compute_log_likelihood` is given the effects, which
# have seen the pair: do not compare one with the other.

# %%
az.compare({"with slope": sloped.idata, "without": small.idata})

# %% [markdown]
# A difference of less than its standard error decides nothing: leave the slope out.
