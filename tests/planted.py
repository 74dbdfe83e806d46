"""Vectors with a planted association, for tests that need to know the truth."""

from typing import NamedTuple

import numpy as np

import bayesbias as bb


class Planted(NamedTuple):
    """Vectors of every word of a list, and the mean distance that was planted by connection."""

    vectors: object
    expected_distance: dict[str, float]


def planted_embedding(wordlist, *, similarity, dim=100, seed) -> Planted:
    """Make vectors in which protected words are close to their associated attributes only.

    Every stereotype set has a direction of its own, at right angles to the others. The words of
    the set, and the protected words associated with it, are that direction plus noise, mixed so
    that the cosine similarity of an associated pair is `similarity` on average; all other pairs
    have similarity 0 on average, with standard deviation about 1/√dim.
    """
    stereotypes = [s for s in wordlist.attribute_sets if s.kind == "stereotype"]
    rng = np.random.default_rng(seed)
    # Orthonormal columns that point anywhere.
    basis, _ = np.linalg.qr(rng.standard_normal((dim, len(stereotypes))))
    direction = {s.name: basis[:, i] for i, s in enumerate(stereotypes)}
    owners = [(g.words, [direction[name] for name in g.associated]) for g in wordlist.groups]
    for one in wordlist.attribute_sets:
        owners.append((one.words, [direction[one.name]] if one.name in direction else []))
    words = [word for listed, _ in owners for word in listed]
    vectors = [_mixed(own, similarity, basis, rng) for listed, own in owners for _ in listed]
    expected = {"associated": 1 - similarity, "different": 1.0, "human": 1.0, "neutral": 1.0}
    return Planted(bb.load_embedding((words, np.array(vectors))), expected)


def _mixed(directions, similarity, basis, rng):
    """Return a unit vector with cosine √similarity to each direction, else noise."""
    noise = rng.standard_normal(len(basis))
    # At right angles to all directions: so two words of one direction have √s · √s along it, and
    # their noise, which has cosine 0 on average.
    noise -= basis @ (basis.T @ noise)
    noise /= np.linalg.norm(noise)
    planted = np.sqrt(similarity) * np.sum(directions, axis=0) if directions else 0.0
    return planted + np.sqrt(1 - len(directions) * similarity) * noise
