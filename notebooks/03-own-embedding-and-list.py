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
# # Your own embedding and word list
#
# **Replace the two files of this notebook by yours: vectors and a word list.** You need no network
# and no data. The vectors are trained here, on text that comes with gensim, in about 20 seconds.

# %%
import re
import tempfile
import warnings
from pathlib import Path

from gensim.corpora.wikicorpus import extract_pages, filter_wiki
from gensim.models import Word2Vec
from gensim.test.utils import datapath
from gensim.utils import open as open_text
from gensim.utils import simple_preprocess

import bayesbias as bb

folder = Path(tempfile.mkdtemp())

# %% [markdown]
# ## The vectors
#
# `load_embedding` reads word2vec (text or binary), GloVe and fastText `.vec` files, plain, `.gz`
# or `.bz2`. It also takes gensim `KeyedVectors` or a dict of arrays. Here Word2Vec learns 50
# dimensions from half a million words of Wikipedia and news, and writes a file like yours.

# %%
wikipedia = "enwiki-latest-pages-articles1.xml-p000000010p000030302-shortened.bz2"
with open_text(datapath(wikipedia), "rb") as pages, warnings.catch_warnings():
    warnings.simplefilter("ignore")
    articles = [filter_wiki(markup) for _, markup, _ in extract_pages(pages, ("0",))]
lines = [line for article in articles for line in re.split(r"[.\n]+", article)]
sentences = [words for line in lines if len(words := simple_preprocess(line, min_len=1)) > 1]
for name in ("lee_background.cor", "lee.cor"):
    news = Path(datapath(name)).read_text(encoding="latin-1").splitlines()
    sentences += [simple_preprocess(line, min_len=1) for line in news]

settings = {"vector_size": 50, "min_count": 2, "epochs": 10, "sg": 1}
model = Word2Vec(sentences, **settings, workers=1, seed=1)  # one worker: the same every time
model.wv.save_word2vec_format(str(folder / "mine.bin"), binary=True)
vectors = bb.load_embedding(folder / "mine.bin")
f"{len(vectors):,} words in {vectors.vector_size} dimensions"

# %% [markdown]
# ## The list
#
# Write a TOML file. Protected words stand in groups. Each group names the attribute sets that the
# stereotype associates with it; the sets of the other groups are *different* for it. If the file
# names no control lists, the shipped ones are added.

# %%
(folder / "arms-and-arts.toml").write_text(
    """
title = "War and the arts"
source = "Made up for this notebook"
defining_sets = [["he", "she"], ["his", "her"], ["man", "woman"], ["king", "queen"],
                 ["father", "mother"], ["son", "daughter"]]

[protected]
male = ["he", "his", "man", "king", "father", "son"]
female = ["she", "her", "woman", "queen", "mother", "daughter"]

[associated]
male = ["war"]
female = ["arts"]

[attributes]
war = ["army", "battle", "general", "military", "soldiers", "weapons", "empire", "attack"]
arts = ["music", "novel", "film", "poetry", "song", "theatre", "dance", "opera"]
""",
    encoding="utf-8",
)
wordlist = bb.load_wordlist(folder / "arms-and-arts.toml")
{s.name: len(s.words) for s in (*wordlist.groups, *wordlist.attribute_sets)}

# %% [markdown]
# A mistake in the file is an error that says where it is and what to do:

# %%
text = (folder / "arms-and-arts.toml").read_text(encoding="utf-8")
(folder / "wrong.toml").write_text(text.replace('female = ["arts"]', 'female = ["art"]'))
try:
    bb.load_wordlist(folder / "wrong.toml")
except bb.BayesBiasError as error:
    print(str(error).replace(str(folder), "…"))

# %% [markdown]
# ## What the vectors lack
#
# Nothing is dropped silently: a warning counts the missing words, and `missing_words` names them.
# Try other spellings with `fallbacks=["title", "underscore"]`.

# %%
with warnings.catch_warnings():
    warnings.simplefilter("ignore", bb.BayesBiasWarning)  # the next cell says it in full
    frame = bb.distances(vectors, wordlist)
missing = bb.missing_words(frame)
missing.groupby(["list", "role"]).size().rename("missing").to_frame()

# %% [markdown]
# There is little text, and the vocabulary has only words that occur at least twice. More than half
# of the neutral control words are missing. That still leaves more controls than attributes.

# %% [markdown]
# ## The answer

# %%
fit = bb.fit(frame, seed=1)
fit.contrasts()

# %%
fit.summary("word").plot()

# %% [markdown]
# So little text gives noisy vectors, and the intervals say so. To see how many words would make an
# interval narrower than .05, use `bb.plan_wordlist(fit, width=0.05)`.
#
# ## Is the machinery right?
#
# Check it on vectors with a known truth. Here associated pairs have a similarity of .2 on average,
# and all others one of 0.

# %%
from bayesbias.simulate import planted_embedding

planted = planted_embedding(wordlist, similarity=0.2, seed=1)
again = bb.fit(bb.distances(planted.vectors, wordlist), seed=1)
found = again.summary().table[["connection", "mean", "low", "high"]].round(3)
found.assign(planted=found["connection"].map(planted.expected_distance))
