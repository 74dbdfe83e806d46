"""Vectors with a planted association, for tests that need to know the truth."""

import numpy as np

import bayesbias as bb


def planted_embedding(wordlist, *, similarity, dim=100, seed):
    """Make vectors of a list in which words of a group are close to its own attributes only.

    Every stereotype set has a direction of its own, at right angles to the others. The words of
    the set, and the protected words associated with it, are that direction plus noise, mixed so
    that the cosine similarity of an associated pair is `similarity` on average; all other pairs
    have similarity 0 on average, with standard deviation about 1/√dim.
    """
    stereotypes = [s.name for s in wordlist.attribute_sets if s.kind == "stereotype"]
    rng = np.random.default_rng(seed)
    # Orthonormal columns that point anywhere.
    basis, _ = np.linalg.qr(rng.standard_normal((dim, len(stereotypes))))
    direction = dict(zip(stereotypes, basis.T, strict=True))

    def mixed(directions):
        """Return a unit vector with cosine √similarity to each direction, else noise."""
        noise = rng.standard_normal(dim)
        # At right angles to all directions: so two words of one direction have √s · √s along it,
        # and their noise, which has cosine 0 on average.
        noise -= basis @ (basis.T @ noise)
        noise /= np.linalg.norm(noise)
        planted = np.sqrt(similarity) * np.sum(directions, axis=0) if directions else 0.0
        return planted + np.sqrt(1 - len(directions) * similarity) * noise

    owners = [(g.words, [direction[name] for name in g.associated]) for g in wordlist.groups]
    for s in wordlist.attribute_sets:
        owners.append((s.words, [direction[s.name]] if s.name in direction else []))
    vectors = {word: mixed(own) for listed, own in owners for word in listed}
    return bb.load_embedding(vectors)
