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
# A fit is a posterior like any other: this notebook takes it back to PyMC, checks it with ArviZ's
# own plots, and extends the model.

# %%
import logging
import warnings

import arviz as az
import pymc as pm

import bayesbias as bb

warnings.simplefilter("ignore", bb.BayesBiasWarning)  # words that the shipped vectors lack
logging.getLogger("pymc").setLevel(logging.ERROR)
frame = bb.distances(bb.example_embedding(), "gender")
fit = bb.fit(frame, seed=1)
fit.idata

# %% [markdown]
# ## ArviZ

# %%
az.summary(fit.idata, var_names=["connection_mean", "word_sd", "attribute_sd", "noise_sd"])

# %% [markdown]
# The draws come from the collapsed engine. They are not a Markov chain, so R-hat and the effective
# sample sizes of this table say little; `fit.diagnostics` has what matters, Pareto k and the
# effective number of proposals.

# %%
fit.diagnostics.sentence

# %%
loo = az.loo(fit.idata, pointwise=True)
loo

# %% [markdown]
# ## Round trip
#
# `fit.pymc_model()` is the PyMC model whose free variables are the parameters in
# `fit.idata.posterior`, whichever engine drew them. So PyMC's own functions take these draws.

# %%
model = fit.pymc_model()
[variable.name for variable in model.free_RVs]

# %%
thinned = fit.idata.posterior.to_dataset().isel(draw=slice(None, None, 10))
with model:
    predicted = pm.sample_posterior_predictive(thinned, random_seed=1, progressbar=False)
found = predicted.posterior_predictive["cosine_distance"]
observed = fit.pairs["cosine_distance"]
f"observed mean {observed.mean():.3f}, sd {observed.std():.3f}; predicted mean {float(found.mean()):.3f}, sd {float(found.std()):.3f}"
