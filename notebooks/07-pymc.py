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
# A fit is a posterior like any other: this notebook checks it with ArviZ, takes it back to PyMC,
# and extends the model, first by a term and then in PyMC.

# %%
import logging
import warnings

import arviz as az
import numpy as np
import pymc as pm

import bayesbias as bb

warnings.simplefilter("ignore", bb.BayesBiasWarning)  # about words that the shipped vectors lack
logging.getLogger("pymc").setLevel(logging.ERROR)
frame = bb.distances(bb.example_embedding(), "gender")
fit = bb.fit(frame, seed=1)
list(fit.idata.children)

# %% [markdown]
# ## ArviZ
#
# ArviZ before 1.0 takes an `InferenceData`, later ones take the tree as it is:

# %%
idata = fit.to_inferencedata() if hasattr(fit, "to_inferencedata") else fit.idata
az.summary(idata, var_names=["connection_mean", "word_sd", "noise_sd"])

# %% [markdown]
# These draws come from the collapsed engine, not from a Markov chain, so that R-hat says nothing
# about them. `fit.diagnostics` says whether they can be trusted:

# %%
fit.diagnostics.sentence

# %%
with warnings.catch_warnings():
    warnings.simplefilter("ignore", UserWarning)  # about one pair whose Pareto k is above .7
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
# `fit.idata.posterior`, whichever engine drew them. So PyMC's own functions take these draws.

# %%
model = fit.pymc_model()
[variable.name for variable in model.free_RVs]

# %%
posterior = fit.idata.posterior.to_dataset().isel(draw=slice(None, None, 10))
with model:
    predicted = pm.sample_posterior_predictive(posterior, random_seed=1, progressbar=False)
draws, observed = predicted.posterior_predictive["cosine_distance"], fit.pairs["cosine_distance"]
print(f"observed:  mean {observed.mean():.3f}, sd {observed.std():.3f}")
print(f"predicted: mean {float(draws.mean()):.3f}, sd {float(draws.std()):.3f}")

# %% [markdown]
# ## A term of your own
#
# Most extensions need no PyMC: a column of the frame becomes a term. Here the words come in pairs
# (he and she, uncle and aunt), and the members of a pair may have something in common. In a file
# this would be one more `[[terms]]` ([extend the model](../docs/extend.md)).

# %%
kin = {word: "–".join(p) for p in bb.load_wordlist("gender").defining_sets for word in p}
pairs = frame.assign(kin=frame["protected_word"].map(kin))
maximal = bb.load_model("maximal")
rate = bb.Prior("exponential", rate=10.0)
mine = maximal.replace(
    name="with-kin", terms=(*maximal.terms, bb.TermSpec("kin", ("kin",), prior=rate))
)
compared = bb.compare_models(pairs, [maximal, mine], seed=1)
compared

# %%
compared.fits["with-kin"].summary("term").table.query("parameter == 'kin_sd'").round(3)

# %% [markdown]
# The Bayes factor supports the term by 10 log units: *son* and *daughter* are both rather far from
# most attributes, *he* and *she* both near to them. It makes the interval of *human − neutral*
# narrower and leaves *associated − different* as it is, from which such effects cancel. (This is an
# effect of the pair alone; `by = ["kin", "connection"]` would be one per connection.)

# %% [markdown]
# ## A new quantity, from the draws that are there
#
# How much would the contrast differ for a *new* protected word of this kind? A variable is added to
# the model; nothing needs to be sampled again.

# %%
with fit.pymc_model() as model:
    means, sds = model["connection_mean"], model["word_connection_sd"]
    pm.Normal("new_word", means[0] - means[1], pm.math.sqrt(sds[0] ** 2 + sds[1] ** 2))
    new = pm.sample_posterior_predictive(
        posterior, var_names=["new_word"], random_seed=1, progressbar=False
    )
values = new.posterior_predictive["new_word"].to_numpy().ravel()
low, high = np.quantile(values, [0.055, 0.945])
print(f"{values.mean():+.3f} [{low:+.3f}, {high:+.3f}], P(< 0) = {(values < 0).mean():.2f}")

# %% [markdown]
# The mean is that of the contrast, and the interval is wider, since words differ.

# %% [markdown]
# ## A new parameter, sampled with the rest
#
# Are frequent words nearer to everything? The vectors stand in the order of frequency, so that
# their rank can be a covariate. A potential replaces the likelihood by one whose mean has a slope
# on the logarithm of the rank. The stereotype pairs alone are enough here, and NUTS takes a minute
# or so for them.

# %% tags=["parameters"]
n_draws = 1000

# %%
stereotypes = frame[frame["connection"].isin(["associated", "different"])]
small = bb.fit(stereotypes, seed=1)
rank = np.log([bb.example_embedding().key_to_index[w] + 1 for w in small.pairs["attribute"]])
rank = (rank - rank.mean()) / rank.std()
with small.pymc_model() as model, warnings.catch_warnings():
    warnings.simplefilter("ignore")
    pair = model["cosine_distance"]
    mu, sigma = pair.owner.op.dist_params(pair.owner)
    y = small.pairs["cosine_distance"].to_numpy()
    slope = pm.Normal("slope", 0.0, 0.1)
    shifted = pm.logp(pm.Normal.dist(mu + slope * rank, sigma), y)
    pm.Potential("instead", (shifted - pm.logp(pm.Normal.dist(mu, sigma), y)).sum())
    extended = pm.sample(
        draws=n_draws,
        tune=1000,
        chains=2,
        target_accept=0.95,
        random_seed=1,
        progressbar=False,
        compute_convergence_checks=False,  # the table below has them
    )
az.summary(extended, var_names=["connection_mean", "slope"])

# %% [markdown]
# Per standard deviation of the logarithm of the rank, rarer occupations are nearer by about .04,
# and the interval holds 0: with 18 occupations the data cannot tell. The connection means stay
# where they were.
