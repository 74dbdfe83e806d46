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
# # Before and after debiasing
#
# **Ask of every debiasing step what it changed, what is left, and what it changed by accident.**
# First the published step, then one of our own with a known truth. The published distances are
# downloaded once (`pip install 'bayesbias[data]'`), or read from the folder that `BAYESBIAS_DATA`
# names.

# %%
import bayesbias as bb

before = bb.pairs.published_distances("religion", "reddit")
after = bb.pairs.published_distances("religion", "reddit", debiased=True)

# %% [markdown]
# ## Did it work, what is left, what else moved?
#
# Both files have the same pairs, so one model fits both sides. Two separate fits would waste the
# pairing.

# %%
change = bb.compare_change(before, after, seed=1)
print(change.answers[0])

# %%
change.plot_left()

# %% [markdown]
# The table behind it is `change.left`. These files name no reference words, so intervals of single
# groups are wide. The data cannot separate the group × list interaction from the main effect of
# the list.

# %%
change.left.drop(columns=["contrast", "reason", "interval", "prob", "pareto_k"]).round(3)

# %% [markdown]
# ## Pair by pair

# %%
change

# %%
change.plot()

# %% [markdown]
# Before, *associated* pairs were closer than *different* ones by .05. After, they are not, and the
# interval of the change lies beyond the region of practical equivalence. Associated pairs moved
# away by about .10. Whether *different* pairs moved at all is undecided. In words:

# %%
for answer in change.answers:
    print(answer)

# %% [markdown]
# ## What MAC sees of it
#
# MAC averages associated and different pairs together and has no controls. Its legacy t-test
# treats the 45 averages as independent.

# %%
from bayesbias import measures

mac_before, mac_after = measures.mac(before), measures.mac(after)
measures.mac_change(mac_before, mac_after)

# %% [markdown]
# "MAC rose by .07, p = 2 · 10⁻⁶." The model says more. The difference that a stereotype makes is
# gone, and what *different* pairs did is undecided. *Jew*, *torah* and five more words moved away
# from words about people, which debiasing should have left where they were.
#
# ## A step of our own
#
# Vectors in which associated pairs of the gender list have a similarity of .3 on average, and all
# other pairs one of 0. Hard debiasing (Bolukbasi et al. 2016) finds a direction from the defining
# pairs and removes it from every word but those of the pairs.

# %%
from bayesbias import debias
from bayesbias.simulate import planted_embedding

wordlist = bb.load_wordlist("gender")
planted = planted_embedding(wordlist, similarity=0.3, seed=1)
debiased = debias.hard(planted.vectors, wordlist="gender", neutralise="all")
debiased

# %%
own = bb.compare_change(
    bb.distances(planted.vectors, wordlist), bb.distances(debiased.vectors, wordlist), seed=1
)
for answer in own.answers:
    print(answer)

# %%
own.plot_left()

# %%
own

# %% [markdown]
# Associated pairs went from .70 to .84, and *different* pairs from 1.00 to the same .84. Their
# difference is gone, and both are now closer than the controls: the step left what the groups have
# in common. For what survives among neighbours see the documentation's page Debiasing.
#
# ## What it cost
#
# A step may harm what vectors are for. Measure it with `debias.utility`, on similarities that
# people judged (WordSim-353, SimLex-999, MEN) or analogies, from files of your own. Here we use a
# small file of family words.

# %%
import warnings
from itertools import permutations
from pathlib import Path
from tempfile import mkdtemp

folder = Path(mkdtemp())
family = ["man woman", "he she", "father mother", "son daughter", "brother sister", "boy girl"]
family += ["uncle aunt", "grandfather grandmother", "male female"]
questions = [" ".join(pair) for pair in permutations(family, 2)]
(folder / "family.txt").write_text(": family\n" + "\n".join(questions))

kv = bb.example_embedding()
with warnings.catch_warnings():
    warnings.simplefilter("ignore", bb.BayesBiasWarning)  # of words that the slice lacks
    step = debias.hard(kv, wordlist="gender")
    shipped = [bb.distances(vectors, wordlist) for vectors in (kv, step.vectors)]
debias.utility(kv, step.vectors, folder / "family.txt", progress=False)

# %%
for answer in bb.compare_change(*shipped, seed=1).answers:
    print(answer)

# %% [markdown]
# ## A rule before vectors are shipped
#
# A rule says what a contrast may be, and how sure you must be. *Undecided* does not pass. Run the
# same file on a server with `bayesbias check rules.toml`; its exit code says the outcome.

# %%
rules = """
wordlist = "gender"

[rules.before]
vectors = "before.bin"
contrast = "associated - different"
at_least = -0.03

[rules.after]
vectors = "after.bin"
contrast = "associated - different"
at_least = -0.03
at_most = 0.03
"""
kv.save_word2vec_format(folder / "before.bin", binary=True)
step.vectors.save_word2vec_format(folder / "after.bin", binary=True)
(folder / "rules.toml").write_text(rules)
bb.check_rules(folder / "rules.toml", progress=False)
