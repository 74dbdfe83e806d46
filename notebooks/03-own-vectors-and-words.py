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
# # Your own vectors and words
#
# **Weapons are closer to unpleasant words than flowers are.** Any groups and lists will do: here
# five groups, and two lists that belong to no group. Write them as a dict.

# %%
import bayesbias as bb

words = {
    "groups": {
        "flowers": "rose lily tulip daisy orchid daffodil poppy lilac pansy".split(),
        "insects": "ant bee beetle cockroach flea mosquito moth maggot caterpillar".split(),
        "instruments": "guitar violin piano flute harp fiddle saxophone bagpipe".split(),
        "weapons": "gun sword rifle pistol dagger spear shotgun missile hatchet".split(),
        "animals": "horse deer rabbit bull fish bird".split(),
    },
    "attributes": {
        "pleasant": "love peace joy happy friend wonderful laughter heaven gentle pleasure".split(),
        "unpleasant": "death murder hate evil sickness agony poison stink abuse grief".split(),
    },
}
vectors = bb.example_embedding()
fit = bb.analyze(vectors, words, seed=1)
fit.plot()

# %% [markdown]
# The screen says how many of the twenty comparisons have a direction:

# %%
fit

# %% [markdown]
# Every pair of groups on every list. A share of .12 in `random_groups` means that 12% of random
# groups of words differ at least as much between the same lists.

# %%
pairs = fit.contrasts(pairs=True).query("level == 'list' and direction != 'undecided'")
pairs[["list", "contrast", "mean", "low", "high", "verdict", "random_groups"]].round(3)

# %% [markdown]
# Mean distances of each group to each list, for words like these:

# %%
fit.plot_means("list")

# %% [markdown]
# ## A list that belongs to a group
#
# With `associated` you say which list a group owns. The finding is then about own lists against
# those of the others, as in the Implicit Association Test.

# %%
iat = {
    "groups": {name: words["groups"][name] for name in ("flowers", "insects")},
    "attributes": words["attributes"],
    "associated": {"flowers": ["pleasant"], "insects": ["unpleasant"]},
}
bb.analyze(vectors, iat, seed=1)

# %% [markdown]
# A mistake is an error that says where it is and what to do:

# %%
try:
    bb.load_wordlist(iat | {"associated": {"flowers": ["plesant"]}})
except bb.BayesBiasError as error:
    print(error)

# %% [markdown]
# ## Files of vectors
#
# `load_embedding` recognises a file by its content. Here are three kinds of the same vectors. Give
# it also a mapping, a frame, a pair of words and a matrix, or a trained gensim model.

# %%
from pathlib import Path
from tempfile import mkdtemp

import numpy as np

folder = Path(mkdtemp())
vectors.save_word2vec_format(folder / "mine.bin", binary=True)
vectors.save_word2vec_format(folder / "mine.txt.gz")
np.savez(folder / "mine.npz", words=np.array(vectors.index_to_key), vectors=vectors.vectors)
for path in sorted(folder.iterdir()):
    loaded = bb.load_embedding(path)
    row = bb.analyze(loaded, iat, "paper", seed=1).contrasts().iloc[0]
    print(f"{path.name:12} {len(loaded):,} words: {row['contrast']} {row['mean']:+.4f}")

# %% [markdown]
# ## What the vectors lack
#
# No word is dropped silently. `missing_words` names every listed word that the vectors do not have.

# %%
missing = bb.missing_words(fit.frame)
missing.groupby(["list", "role"]).size().rename("missing").to_frame()

# %% [markdown]
# Keep the list as a TOML file beside your analysis; the documentation's page Word lists has its
# keys.
