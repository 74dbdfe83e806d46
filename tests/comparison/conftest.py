"""Vectors before and after debiasing that is not this package's."""

import numpy as np
import pytest

import bayesbias as bb
from bayesbias.vectors.lookup import keyed_vectors

PAIRS = (("he", "she"), ("man", "woman"), ("his", "her"), ("boy", "girl"), ("father", "mother"))


def hard_debiased(kv, pairs):
    """Neutralise all but some pairs, and equalise these (Bolukbasi et al. 2016)."""
    unit = kv.vectors / np.linalg.norm(kv.vectors, axis=1, keepdims=True).astype(float)
    rows = [[kv.key_to_index[word] for word in pair] for pair in pairs]
    off = np.concatenate([unit[r] - unit[r].mean(axis=0) for r in rows])
    direction = np.linalg.svd(off, full_matrices=False)[2][0]
    after = unit - np.outer(unit @ direction, direction)
    after /= np.linalg.norm(after, axis=1, keepdims=True)
    for r in rows:
        mean = unit[r].mean(axis=0)
        rest = mean - (mean @ direction) * direction
        sign = np.sign((unit[r] - mean) @ direction)
        after[r] = rest + np.sqrt(max(1.0 - rest @ rest, 0.0)) * np.outer(sign, direction)
    return keyed_vectors(kv.index_to_key, after)


@pytest.fixture(scope="session")
def kv():
    """The shipped vectors."""
    return bb.example_embedding()


@pytest.fixture(scope="session")
def wordlist(kv):
    """Two groups in pairs, two lists that belong to them, few controls; all in the vectors."""
    gender = bb.load_wordlist("gender")
    groups = {"man": [m for m, _ in PAIRS], "woman": [w for _, w in PAIRS]}
    sets = {s.name: [w for w in s.words if w in kv] for s in gender.attribute_sets}
    return bb.load_wordlist(
        {
            "groups": groups,
            "attributes": {n: sets[n] for n in ("man_stereotype", "woman_stereotype")},
            "associated": {"man": ["man_stereotype"], "woman": ["woman_stereotype"]},
            "controls": {"neutral": sets["neutral"][:40], "human": sets["human"][:30]},
        }
    )


@pytest.fixture(scope="session")
def after(kv):
    """Vectors after hard debiasing of the same vectors."""
    return hard_debiased(kv, PAIRS)


@pytest.fixture(scope="session")
def rough(kv):
    """Vectors of the same training, moved at random."""
    rng = np.random.default_rng(3)
    sd = 0.3 * kv.vectors.std()
    return keyed_vectors(kv.index_to_key, kv.vectors + rng.normal(0.0, sd, kv.vectors.shape))


@pytest.fixture(scope="session")
def change(kv, rough, wordlist):
    """Before and after a random step."""
    return bb.compare({"before": kv, "after": rough}, wordlist, seed=1)


@pytest.fixture(scope="session")
def debiased(kv, after, wordlist):
    """Before and after hard debiasing."""
    return bb.compare({"before": kv, "after": after}, wordlist, seed=1)
