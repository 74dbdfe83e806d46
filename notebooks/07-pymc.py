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
# `fit.idata.posterior`, whichever engine drew them. So PyMC's own functions take these draws. Where
# similar attributes share a part of the noise, as here, pairs of a word are not independent, and
# the model has one multivariate variable for each kind of pair.

# %%
model = fit.pymc_model()
[variable.name for variable in model.free_RVs]

# %%
posterior = fit.idata.posterior.to_dataset().isel(draw=slice(None, None, 10))
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
# (he and she, uncle and aunt), and the members of a pair may have something in common with each
# kind of list. In a file this would be one more `[[terms]]` ([extend the
# model](../docs/extend.md)). Reference words are by themselves.

# %%
kin = {word: "–".join(p) for p in bb.load_wordlist("gender").defining_sets for word in p}
words = frame["protected_word"]
pairs = frame.assign(kin=words.map(kin).fillna(words))
maximal = bb.load_model("maximal")
term = bb.TermSpec(
    "kin",
    by=("kin", "attribute_kind"),
    sd_by="attribute_kind",
    connections=("associated", "different", "human", "neutral"),
    prior=bb.Prior("exponential", rate=10.0),
)
mine = maximal.replace(name="with-kin", terms=(*maximal.terms, term))
compared = bb.compare_models(pairs, [maximal, mine], seed=1)
compared

# %%
compared.fits["with-kin"].summary("term").table.query("parameter == 'kin_sd'").round(3)

# %% [markdown]
# The Bayes factor supports the term by 4 log units; cross-validation cannot tell. It makes the
# interval of *human − neutral* wider and leaves *associated − different* as it is, from which such
# effects cancel. (`by = ["kin"]` would be one effect for all lists. It ties the lists together,
# and reference words, which meet the stereotypes alone, do not fit in; the model then loses the
# similarity of attributes.)

# %% [markdown]
# ## A new quantity, from the draws that are there
#
# How much would the contrast be for a *new* word for women? A variable is added to the model;
# nothing needs to be sampled again. The contrast is the difference of two connection means and of
# what the group has with the two lists; the word has something of its own with each.

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
# Mean and interval are nearly those of the group's contrast: beyond what a group has with a list,
# one word differs little from another.

# %% [markdown]
# ## A new parameter, sampled with the rest
#
# Are frequent words nearer to everything? The vectors stand in the order of frequency, so that
# their rank can be a covariate. A potential replaces the likelihood by one whose mean has a slope
# on the logarithm of the rank. The stereotype pairs alone are enough here, and NUTS takes a minute
# or so for them. The model is the one without similar attributes, in which pairs have a noise of
# their own; without reference words, `protected_attribute` has nothing to say.

# %% tags=["parameters"]
n_draws = 1000

# %%
stereotypes = frame[frame["connection"].isin(["associated", "different"])]
plain = maximal.without(["protected_attribute"]).without_similarity()
small = bb.fit(stereotypes, plain, seed=1)
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
# Per standard deviation of the logarithm of the rank, rarer occupations are nearer by about .03,
# and the interval holds 0: with 18 occupations the data cannot tell. The connection means stay
# where they were.
