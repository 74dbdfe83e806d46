"""Worlds whose truth is known: distances made from stated means and standard deviations."""

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bayesbias.constants import ATTRIBUTE_KINDS, CONNECTIONS
from bayesbias.errors import ArgumentError, suggest
from bayesbias.inference.design import Design


@dataclass(frozen=True)
class Assumptions:
    """What cosine distances are made of: means, and how much words, attributes and pairs scatter.

    The defaults are medians over the 15 published files of embeddings that were not debiased
    (Dobrzeniecka and Urbaniak 2023), of posterior means under the model ``crossed``.

    Parameters
    ----------
    group_mean, word_sd, noise_sd : mapping of str to float
        Per connection: mean distance, standard deviation of protected words around it, and of
        pairs around what words and attributes explain.
    attribute_sd : mapping of str to float
        Per kind of attribute list (stereotype, human, neutral); 0 for no effect.
    word_correlation : float
        Correlation of a protected word's effects on associated and on different attributes.
    n_groups : int
        Groups of protected words, with as many stereotype sets.
    n_human, n_neutral : int
        Sizes of the control lists; 0 leaves one out.

    Raises
    ------
    ArgumentError
        If a name is unknown or lacking, or a number is outside its range.

    Examples
    --------
    >>> Assumptions().replace(group_mean={"associated": 0.8}).group_mean["associated"]
    0.8
    """

    group_mean: Mapping[str, float] = field(
        default_factory=lambda: _by_connection(0.882, 0.906, 0.919, 0.954)
    )
    word_sd: Mapping[str, float] = field(
        default_factory=lambda: _by_connection(0.067, 0.052, 0.044, 0.014)
    )
    noise_sd: Mapping[str, float] = field(
        default_factory=lambda: _by_connection(0.067, 0.064, 0.058, 0.065)
    )
    attribute_sd: Mapping[str, float] = field(
        default_factory=lambda: dict(zip(ATTRIBUTE_KINDS, (0.080, 0.052, 0.072), strict=True))
    )
    word_correlation: float = 0.66
    n_groups: int = 2
    n_human: int = 85
    n_neutral: int = 226

    def __post_init__(self) -> None:
        for name in ("group_mean", "word_sd", "noise_sd", "attribute_sd"):
            given = getattr(self, name)
            valid: tuple[str, ...] = ATTRIBUTE_KINDS if name == "attribute_sd" else CONNECTIONS
            for key in given:
                if key not in valid:
                    raise ArgumentError(f"{name}: unknown {key!r}{suggest(key, valid)}")
            for key in valid:
                if key not in given:
                    raise ArgumentError(f"{name}: lacks {key!r}; needed: {', '.join(valid)}")
                lowest = -2.0 if name == "group_mean" else 0.0
                if not lowest <= given[key] <= 2.0:
                    raise ArgumentError(
                        f"{name}: {key} = {given[key]} must be from {lowest:g} to 2"
                    )
        if min(self.noise_sd.values()) == 0:
            raise ArgumentError("noise_sd: must be above 0")
        if not -1 <= self.word_correlation <= 1:
            raise ArgumentError(f"word_correlation={self.word_correlation}: must be from −1 to 1")
        if self.n_groups < 2 or min(self.n_human, self.n_neutral) < 0:
            raise ArgumentError("there must be two groups or more, and no negative numbers")

    def replace(self, **changes: Any) -> "Assumptions":
        """Return a changed copy; given mappings are merged with the present ones."""
        merged: dict[str, Any] = {
            name: {**getattr(self, name), **value}
            if isinstance(value, Mapping) else value
            for name, value in changes.items()
        }  # fmt: skip
        return dataclasses.replace(self, **merged)

    def to_dict(self) -> dict[str, Any]:
        """Return the assumptions as plain data."""
        content = {f.name: getattr(self, f.name) for f in dataclasses.fields(self)}
        return {k: dict(v) if isinstance(v, Mapping) else v for k, v in content.items()}


def _by_connection(*values: float) -> Mapping[str, float]:
    return dict(zip(CONNECTIONS, values, strict=True))


def world_design(assumptions: Assumptions, n_words: int, n_attributes: int) -> Design:
    """Lay out a world: every protected word meets every attribute.

    Protected words and stereotype attributes are dealt out evenly to the groups and their sets;
    each group is associated with its own set.

    Parameters
    ----------
    assumptions : Assumptions
    n_words : int
        Protected words in all, at least one per group and two.
    n_attributes : int
        Stereotype attributes in all, at least one per set.

    Returns
    -------
    Design
        Its responses are zeros.

    Raises
    ------
    ArgumentError
        If there are too few words.
    """
    groups = assumptions.n_groups
    if min(n_words, n_attributes) < groups:
        raise ArgumentError(
            f"{n_words} protected words and {n_attributes} attributes are too few for {groups} "
            f"groups; each needs one"
        )
    sizes = (n_attributes, assumptions.n_human, assumptions.n_neutral)
    kind = np.repeat(np.arange(3), sizes)
    word = np.repeat(np.arange(n_words), len(kind))
    attribute = np.tile(np.arange(len(kind)), n_words)
    own = word % groups == attribute % groups
    connection = np.where(kind[attribute] == 0, np.where(own, 0, 1), kind[attribute] + 1)
    present, connection = np.unique(connection, return_inverse=True)
    kinds, kind = np.unique(kind, return_inverse=True)
    return Design(
        protected_words=tuple(f"word {i + 1}" for i in range(n_words)),
        connections=tuple(CONNECTIONS[i] for i in present),
        attributes=tuple(f"attribute {i + 1}" for i in range(len(kind))),
        kinds=tuple(ATTRIBUTE_KINDS[i] for i in kinds),
        word=word,
        connection=connection,
        attribute=attribute,
        kind=kind,
        response=np.zeros(len(word)),
    )


def draw_world(
    design: Design, assumptions: Assumptions, rng: np.random.Generator
) -> NDArray[np.float64]:
    """Draw the responses of a design from what is assumed, shape (n_pairs,).

    Nothing keeps them between 0 and 2, as nothing does in the models.
    """
    n_words = len(design.protected_words)
    word = rng.standard_normal((n_words, len(design.connections)))
    names = list(design.connections)
    if "associated" in names and "different" in names:
        first, second = names.index("associated"), names.index("different")
        rho = assumptions.word_correlation
        word[:, second] = rho * word[:, first] + np.sqrt(1 - rho**2) * word[:, second]
    word *= [assumptions.word_sd[c] for c in names]
    word += [assumptions.group_mean[c] for c in names]
    spread = np.array([assumptions.attribute_sd[k] for k in design.kinds])[design.kind]
    attribute = spread * rng.standard_normal(len(design.attributes))
    noise = np.array([assumptions.noise_sd[c] for c in names])[design.connection]
    return np.asarray(
        word[design.word, design.connection]
        + attribute[design.attribute]
        + noise * rng.standard_normal(len(design.word))
    )
