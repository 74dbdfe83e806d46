"""Analogies as gensim answers them."""

import numpy as np

from bayesbias import analogies


def compare_with_gensim(kv, queries):
    for method, ask_gensim in (("3cosadd", kv.most_similar), ("3cosmul", kv.most_similar_cosmul)):
        found = analogies.solve(kv, queries, method=method, top=10, epsilon=1e-6, progress=False)
        ours = found[found.setting == "constrained"].groupby("query")
        for number, (a, b, c) in enumerate(queries):
            here = ours.get_group(number)
            theirs = ask_gensim(positive=[b, c], negative=[a], topn=10)
            assert here["word"].tolist() == [word for word, _ in theirs]
            scores = np.array([value for _, value in theirs])
            if method == "3cosadd":  # gensim divides by the length of b + c − a
                scores = scores * here["score"].iloc[0] / scores[0]
            np.testing.assert_allclose(here["score"], scores, rtol=2e-5, atol=2e-6)
