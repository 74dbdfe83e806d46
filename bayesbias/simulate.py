"""Made-up worlds whose truth is known: vectors with a planted association."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from bayesbias.embeddings import load_embedding
from bayesbias.errors import ArgumentError
from bayesbias.wordlists import WordList

if TYPE_CHECKING:
    from gensim.models import KeyedVectors


@dataclass(frozen=True)
class Planted:
    """Vectors made with a known association.

    Parameters
    ----------
    vectors : gensim.models.KeyedVectors
        A vector for every word of the list.
    expected_distance : dict
        From connection to the mean cosine distance that was planted.
    seed : int or Generator
        What they were made from.
    """

    vectors: "KeyedVectors"
    expected_distance: dict[str, float]
    seed: int | np.random.Generator


def planted_embedding(
    wordlist: WordList,
    *,
    similarity: float,
    dim: int = 100,
    seed: int | np.random.Generator,
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
        Length of the vectors; more than the number of stereotype sets.
    seed : int or Generator

    Returns
    -------
    Planted

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
    basis, _ = np.linalg.qr(rng.standard_normal((dim, len(stereotypes))))
    direction = {s.name: basis[:, i] for i, s in enumerate(stereotypes)}

    words: list[str] = []
    vectors: list[NDArray[np.float64]] = []
    for group in wordlist.groups:
        # A group with several associated sets shares its similarity among them.
        shared = np.sum([direction[name] for name in group.associated], axis=0)
        for word in group.words:
            words.append(word)
            vectors.append(_mixed(shared / np.sqrt(len(group.associated)), similarity, basis, rng))
    for attribute_set in wordlist.attribute_sets:
        own = direction.get(attribute_set.name)
        for word in attribute_set.words:
            words.append(word)
            vectors.append(_mixed(own, similarity, basis, rng))
    expected = {"associated": 1 - similarity, "different": 1.0, "human": 1.0, "neutral": 1.0}
    return Planted(load_embedding((words, np.array(vectors))), expected, seed)


def _mixed(
    direction: NDArray[np.float64] | None,
    similarity: float,
    basis: NDArray[np.float64],
    rng: np.random.Generator,
) -> NDArray[np.float64]:
    """Return a unit vector of noise outside the planted directions, mixed with one of them."""
    noise = rng.standard_normal(len(basis))
    noise -= basis @ (basis.T @ noise)
    noise /= np.linalg.norm(noise)
    if direction is None:
        return noise
    return np.sqrt(similarity) * direction + np.sqrt(1 - similarity) * noise
