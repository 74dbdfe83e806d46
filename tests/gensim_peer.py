"""Analogies as gensim answers them."""

import numpy as np

from bayesbias.analogies import analogy


def compare_with_gensim(kv, queries):
    """Constrained answers are those of most_similar and, with its ε, most_similar_cosmul."""
    for a, b, c in queries:
        table = analogy(kv, a, b, c, epsilon=1e-6).table
        table = table[(table["direction"] == "asked") & (table["setting"] == "constrained")]
        for method, ask_gensim in (
            ("3cosadd", kv.most_similar),
            ("3cosmul", kv.most_similar_cosmul),
        ):
            ours = table[table["method"] == method]
            theirs = ask_gensim(positive=[b, c], negative=[a], topn=10)
            assert ours["word"].tolist() == [word for word, _ in theirs]
            scores = np.array([value for _, value in theirs])
            if method == "3cosadd":  # gensim divides by the length of b + c − a
                scores = scores * ours["score"].iloc[0] / scores[0]
            np.testing.assert_allclose(ours["score"], scores, rtol=2e-5, atol=2e-6)
