"""Vectors with a planted association."""

from dataclasses import dataclass

import numpy as np

from bayesbias.errors import ArgumentError
from bayesbias.pairs.word_lists import WordList
from bayesbias.support.arrays import Array
from bayesbias.support.types import KeyedVectors
from bayesbias.vectors.loading import load_embedding


@dataclass(frozen=True)
class Planted:
    """Vectors made with a known association, one for every word of the list, from `seed`.

    `expected_distance` has the mean cosine distance that was planted, by connection.
    """

    vectors: KeyedVectors
    expected_distance: dict[str, float]
    seed: int | np.random.Generator


def planted_embedding(
    wordlist: WordList, *, similarity: float, dim: int = 100, seed: int | np.random.Generator
) -> Planted:
    """Make vectors in which protected words are close to their associated attributes only.

    Every stereotype set has a direction of its own, at right angles to the others. The words of
    the set, and the protected words associated with it, are that direction plus noise, mixed so
    that the cosine similarity of an associated pair is `similarity` on average; all other pairs
    have similarity 0 on average, with standard deviation about 1/√dim.

    Parameters
    ----------
    wordlist : WordList
    similarity : float
        Mean cosine similarity of associated pairs, from 0 to 1 (cosine distance 1 − similarity).
    dim : int
        Length of the vectors; more than twice the number of stereotype sets.
    seed : int or Generator

    Raises
    ------
    ArgumentError
        If `similarity` or `dim` is outside its range.

    Examples
    --------
    >>> from bayesbias import load_wordlist
    >>> planted_embedding(load_wordlist("weat7"), similarity=0.3, seed=1).expected_distance
    {'associated': 0.7, 'different': 1.0, 'human': 1.0, 'neutral': 1.0}
    """
    stereotypes = [s for s in wordlist.attribute_sets if s.kind == "stereotype"]
    if not 0 <= similarity <= 1:
        raise ArgumentError(f"similarity={similarity}: must be from 0 to 1")
    if dim <= 2 * len(stereotypes):
        raise ArgumentError(f"dim={dim}: must be more than {2 * len(stereotypes)} for this list")
    rng = np.random.default_rng(seed)
    # Orthonormal columns that point anywhere.
    basis, _ = np.linalg.qr(rng.standard_normal((dim, len(stereotypes))))
    direction = {s.name: basis[:, i] for i, s in enumerate(stereotypes)}

    owners = [(g.words, [direction[name] for name in g.associated]) for g in wordlist.groups]
    for group, (_, own) in zip(wordlist.groups, owners, strict=True):
        # Squared cosines with directions at right angles sum to 1 at most (Bessel's inequality).
        if len(own) * similarity > 1:
            raise ArgumentError(
                f"similarity={similarity}: group {group.name!r} has {len(own)} associated sets, "
                f"and no vector is so similar to so many unrelated directions"
            )
    for one in wordlist.attribute_sets:
        owners.append((one.words, [direction[one.name]] if one.name in direction else []))
    owners.append((wordlist.reference, []))
    words = [word for listed, _ in owners for word in listed]
    vectors = [_mixed(own, similarity, basis, rng) for listed, own in owners for _ in listed]
    expected = {"associated": 1 - similarity, "different": 1.0, "human": 1.0, "neutral": 1.0}
    return Planted(load_embedding((words, np.array(vectors))), expected, seed)


def _mixed(
    directions: list[Array], similarity: float, basis: Array, rng: np.random.Generator
) -> Array:
    """Return a unit vector with cosine √similarity to each direction, else noise."""
    noise = rng.standard_normal(len(basis))
    # At right angles to all directions: so two words of one direction have √s · √s along it, and
    # their noise, which has cosine 0 on average.
    noise -= basis @ (basis.T @ noise)
    noise /= np.linalg.norm(noise)
    planted = np.sqrt(similarity) * np.sum(directions, axis=0) if directions else 0.0
    return np.asarray(planted + np.sqrt(1 - len(directions) * similarity) * noise)
