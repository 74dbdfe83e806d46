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
# # Associations: RIPA, direct bias, and what a corpus says
#
# **Debiasing only the chosen words keeps *king : queen*; debiasing all words loses it.** This
# notebook follows Ethayarajh, Duvenaud and Hirst (2019), *Understanding undesirable word embedding
# associations*: RIPA, the guarantee of subspace debiasing, and which words to debias.
#
# The vectors are GoogleNews, from the folder that `BAYESBIAS_DATA` names. Without that folder, the
# notebook takes the shipped slice of GloVe, and numbers differ. The paper's Wikipedia of 2017 is
# not to be had: the corpus below is made.

# %%
import os
import warnings
from pathlib import Path

import matplotlib.pyplot as plt
import numpy as np
import pandas as pd
from gensim.models import Word2Vec

import bayesbias as bb
from bayesbias import debias, measures

warnings.simplefilter("ignore", bb.BayesBiasWarning)  # about words that the vectors lack
folder = os.environ.get("BAYESBIAS_DATA")
if folder:
    vectors = bb.load_embedding(Path(folder) / "embeddings" / "googlenews-16k-300d.bin")
else:
    print("BAYESBIAS_DATA names no folder: the shipped slice of GloVe.")
    vectors = bb.example_embedding()

# %% [markdown]
# ## RIPA and direct bias
#
# RIPA is ⟨w, b⟩, with b the direction of the pairs; positive values are towards women. Direct bias
# takes cosines, so that the length of a vector does not count.

# %%
pairs = [("she", "he"), ("woman", "man"), ("daughter", "son"), ("mother", "father")]
classes = {
    "gendered by definition": ["queen", "king", "aunt", "uncle", "niece", "nephew", "sister"],
    "by stereotype": ["nurse", "doctor", "receptionist", "librarian", "carpenter", "engineer"],
    "neutral": ["door", "table", "water", "cloud", "window", "music"],
}
classes = {name: [w for w in words if w in vectors] for name, words in classes.items()}
figure, axes = plt.subplots(figsize=(6, 4), layout="constrained")
for name, words in classes.items():
    values = pd.Series(measures.ripa(vectors, words, pairs).by_word).sort_values()
    axes.barh(values.index, values, label=name)
    print(f"{name}: direct bias {measures.direct_bias(vectors, words, pairs).value:.2f}")
axes.set_xlabel("RIPA: ← men    women →")
axes.legend(frameon=False)
plt.show()

# %% [markdown]
# ## Which words to debias?
#
# `choose_words` takes those that lie more along a stereotype (doctor − midwife) than along gender
# (man − woman). The test is pairs of SemBias (Zhao et al. 2018): some differ in gender by
# definition (king, queen), some by stereotype (manager, secretary), and some do not. Pairs with a
# word that gave a direction are left out.

# %%
actual = [(second, first) for first, second in pairs]
stereotype = [("doctor", "midwife"), ("professor", "receptionist"), ("carpenter", "hairdresser"),
              ("boss", "housewife"), ("architect", "librarian")]  # fmt: skip
stereotype = [pair for pair in stereotype if all(word in vectors for word in pair)]
table = debias.choose_words(vectors, actual=actual, stereotype=stereotype)
ends = {word for pair in (*pairs, *stereotype) for word in pair}
chosen = [word for word in table.loc[table["chosen"], "word"] if word not in ends]
everything = [word for word in vectors.index_to_key if word not in ends]
after = {
    "before": vectors,
    "chosen words": debias.subspace(vectors, matched=pairs, neutralise=chosen).vectors,
    "all words": debias.subspace(vectors, matched=pairs, neutralise=everything).vectors,
}
print(f"{len(chosen) / len(vectors):.0%} of {len(vectors):,} words are chosen")

# %%
KINDS = ("by definition", "neither", "neither", "by stereotype")  # SemBias' columns
if folder:
    lines = (Path(folder) / "analogies" / "SemBias.txt").read_text().splitlines()
    listed = {
        (k, *p.split(":")) for line in lines for k, p in zip(KINDS, line.split(), strict=True)
    }
    listed.add((KINDS[0], "king", "queen"))
else:
    listed = {(KINDS[0], "uncle", "aunt"), (KINDS[3], "doctor", "nurse"), (KINDS[1], "door", "cup")}
rows = []
for kind, first, second in sorted(listed):
    if first in vectors and second in vectors and not ends & {first, second}:
        for name, kv in after.items():
            difference, gender = kv[first] - kv[second], kv["he"] - kv["she"]
            lengths = np.linalg.norm(difference) * np.linalg.norm(gender)
            rows.append((kind, name, f"{first}:{second}", difference @ gender / lengths))
cosines = pd.DataFrame(rows, columns=["kind", "vectors", "pair", "cosine"])
cosines.pivot_table("cosine", "kind", "vectors", ["size", "mean"], sort=False).round(2)

# %% [markdown]
# The cosine of a pair's difference with *he − she*. Debiasing all words takes gender from *king :
# queen* too. Debiasing the chosen words keeps pairs by definition as they are, and halves those by
# stereotype. It does not catch all of them:

# %%
looked = ["king:queen", "uncle:aunt", "manager:secretary", "programmer:homemaker"]
cosines[cosines["pair"].isin(looked)].pivot_table("cosine", ["kind", "pair"], "vectors").round(2)

# %% [markdown]
# ## The guarantee: debiasing is training on an unbiased corpus
#
# GloVe fits log X = ⟨w, c⟩ + b_w + b_c to counts X of co-occurrences. Make vectors and counts that
# fit exactly. Then project words off the span of the pairs, make the counts that the new vectors
# imply, and train on these counts: the vectors come back.

# %%
words = "he she man woman doctor nurse engineer teacher door table cloud music".split()
rng = np.random.default_rng(1)
rows, bias = rng.normal(0, 0.4, (12, 6)), rng.normal(0, 0.3, 12)
made = bb.load_embedding(dict(zip(words, rows, strict=True)))
matched = [("he", "she"), ("man", "woman")]
debiased = debias.subspace(made, matched=matched, neutralise=words[4:]).vectors
new = np.array([debiased[word] for word in words], dtype=float)
counts = [np.exp(w @ w.T + bias[:, None] + bias) for w in (rows, new)]
values, basis = np.linalg.eigh(np.log(counts[1]) - bias[:, None] - bias)  # training, exactly
trained = basis[:, -6:] * np.sqrt(values[-6:])
ratio = [np.log(x[4:, 0] / x[4:, 1]) - (bias[0] - bias[1]) for x in counts]
print(
    f"largest difference of inner products: {np.abs(trained @ trained.T - new @ new.T).max():.0e}"
)
pd.DataFrame(ratio, ["before", "after"], words[4:]).round(3).abs()

# %% [markdown]
# The table has |log p(w | he) / p(w | she)| in the counts. After, *nurse* occurs as often near *he*
# as near *she*. The subspace must be the span: hard debiasing removes one principal component, and
# leaves ⟨w, x − y⟩ of both pairs.

# %%
for method, more in ((debias.subspace, {}), (debias.hard, {"equalise": ()})):
    kv = method(made, matched=matched, neutralise=words[4:], normalise=False, **more).vectors
    rest = [abs(kv[w] @ (kv[x] - kv[y])) for w in words[4:] for x, y in matched]
    print(f"{method.__name__:9} largest |⟨w, x − y⟩| after: {max(rest):.2f}")

# %% [markdown]
# ## Did the embedding amplify its corpus?
#
# The paper's Table 2 compares the genderedness of words in the corpus with that in the vectors,
# class by class. This corpus is made: gendered words occur with *he* or *she* in 95% of sentences,
# stereotyped ones in 70%, neutral ones in half.

# %%
classes = {
    "by definition": "king queen uncle aunt actor actress nephew niece husband wife".split(),
    "by stereotype": "doctor nurse engineer maid boss dancer captain singer pilot clerk".split(),
    "neutral": "door table cloud music river window paper stone street bread".split(),
}
share = {"by definition": 0.95, "by stereotype": 0.7, "neutral": 0.5}
corpus = []
for _ in range(20_000):
    name = str(rng.choice(list(classes)))
    place = int(rng.integers(10))
    first = rng.random() < (share[name] if place % 2 == 0 else 1 - share[name])
    sentence = ["he" if first else "she", classes[name][place]]
    sentence += [f"word{number}" for number in rng.integers(0, 200, 4)]
    sentence += ["she" if first else "he"] if rng.random() < 0.1 else []
    corpus.append(rng.permutation(sentence).tolist())
settings = {"vector_size": 50, "min_count": 5, "sg": 1, "epochs": 5, "workers": 1, "seed": 1}
sgns = Word2Vec(corpus, **settings).wv
genderedness = debias.corpus_genderedness(corpus, sgns, pair=("he", "she"), words=classes)
debias.change_by_class(genderedness).drop(columns="reason").round(3)

# %% [markdown]
# `change` is |g| − |ĝ|: what the vectors add to the corpus, with a t-test over words. The paper
# finds +.29 (by definition), +.20 (by stereotype) and −.01 (neutral) for Wikipedia. In so small a
# corpus the vectors are short and gender shrinks: the form is the paper's, the numbers are not.
