"""Worlds whose truth is known: distances made from stated means and standard deviations."""

import dataclasses
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Final

import numpy as np
import pandas as pd

from bayesbias.constants import (
    ATTRIBUTE,
    ATTRIBUTE_KINDS,
    ATTRIBUTE_SET,
    CONNECTION,
    CONNECTIONS,
    DISTANCE,
    GROUP,
    PROTECTED_WORD,
)
from bayesbias.errors import ArgumentError, suggest
from bayesbias.inference.design import Design
from bayesbias.support.arrays import Array

_BY_KIND: Final = ("word_list_sd", "attribute_sd", "group_attribute_sd", "noise_sd")


@dataclass(frozen=True)
class Assumptions:
    """What cosine distances are made of: means, and how much words, attributes and pairs scatter.

    These are the parameters of the model ``maximal`` without reference words; groups differ in
    nothing by design. The defaults are medians over the 15 published files of embeddings that were
    not debiased (Dobrzeniecka and Urbaniak 2023), of posterior means under that model.

    Parameters
    ----------
    connection_mean : mapping of str to float
        Per connection: mean distance.
    word_sd : float
        Standard deviation of what a protected word has in common with all stereotype attributes.
    word_list_sd, attribute_sd, group_attribute_sd, noise_sd : mapping of str to float
        Per kind of attribute list (stereotype, human, neutral): standard deviation of protected
        words on a single list; of what an attribute has in common with all protected words; with
        those of one group beyond that; and of pairs around what words and attributes explain. 0
        for no effect.
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
    >>> Assumptions().replace(connection_mean={"associated": 0.8}).connection_mean["associated"]
    0.8
    """

    connection_mean: Mapping[str, float] = field(
        default_factory=lambda: dict(zip(CONNECTIONS, (0.880, 0.904, 0.919, 0.954), strict=True))
    )
    word_sd: float = 0.045
    word_list_sd: Mapping[str, float] = field(default_factory=lambda: _by_kind(0.015, 0.042, 0.014))
    attribute_sd: Mapping[str, float] = field(default_factory=lambda: _by_kind(0.075, 0.051, 0.072))
    group_attribute_sd: Mapping[str, float] = field(
        default_factory=lambda: _by_kind(0.018, 0.008, 0.013)
    )
    noise_sd: Mapping[str, float] = field(default_factory=lambda: _by_kind(0.062, 0.057, 0.065))
    n_groups: int = 2
    n_human: int = 85
    n_neutral: int = 226

    def __post_init__(self) -> None:
        self._check_mapping("connection_mean", CONNECTIONS, -2.0)
        for name in _BY_KIND:
            self._check_mapping(name, ATTRIBUTE_KINDS, 0.0)
        if not 0 <= self.word_sd <= 2:
            raise ArgumentError(f"word_sd={self.word_sd}: must be from 0 to 2")
        if min(self.noise_sd.values()) == 0:
            raise ArgumentError("noise_sd: must be above 0")
        if self.n_groups < 2 or min(self.n_human, self.n_neutral) < 0:
            raise ArgumentError("there must be two groups or more, and no negative numbers")

    def _check_mapping(self, name: str, valid: tuple[str, ...], lowest: float) -> None:
        given = getattr(self, name)
        for key in given:
            if key not in valid:
                raise ArgumentError(f"{name}: unknown {key!r}{suggest(key, valid)}")
        for key in valid:
            if key not in given:
                raise ArgumentError(f"{name}: lacks {key!r}; needed: {', '.join(valid)}")
            if not lowest <= given[key] <= 2.0:
                raise ArgumentError(f"{name}: {key} = {given[key]} must be from {lowest:g} to 2")

    def replace(self, **changes: Any) -> "Assumptions":
        """Return a changed copy; given mappings are merged with the present ones."""
        merged: dict[str, Any] = {
            name: {**getattr(self, name), **value} if isinstance(value, Mapping) else value
            for name, value in changes.items()
        }
        return dataclasses.replace(self, **merged)

    @property
    def parameters(self) -> dict[str, Mapping[str, float]]:
        """The parameters of ``maximal`` by name, each by the labels that its values have."""
        of_words = {"word_sd": {"stereotype": self.word_sd}}
        by_kind = {name: getattr(self, name) for name in _BY_KIND}
        return {"connection_mean": self.connection_mean, **of_words, **by_kind}

    def sd_of_pair(self, connection: str) -> float:
        """Return the standard deviation of a pair's distance to attributes of a control list."""
        parts = [getattr(self, name)[connection] for name in _BY_KIND]
        return float(np.sqrt(np.square(parts).sum()))


def _by_kind(*values: float) -> Mapping[str, float]:
    return dict(zip(ATTRIBUTE_KINDS, values, strict=True))


def world_frame(
    n_words: int, n_attributes: int, *, n_groups: int, n_human: int, n_neutral: int
) -> pd.DataFrame:
    """Lay out a world: every protected word meets every attribute, at distance 1.

    Protected words and stereotype attributes are dealt evenly to the groups and their sets; each
    group is associated with its own set. An ArgumentError with one word a group: what a group
    shares could not be told from noise.
    """
    if n_words <= n_groups or n_attributes < n_groups:
        raise ArgumentError(
            f"{n_words} protected words and {n_attributes} stereotype attributes are too few for "
            f"{n_groups} groups; take at least {n_groups + 1} words and {n_groups} attributes"
        )
    kind = np.repeat(np.arange(3), (n_attributes, n_human, n_neutral))
    word = np.repeat(np.arange(n_words), len(kind))
    attribute = np.tile(np.arange(len(kind)), n_words)
    own = word % n_groups == attribute % n_groups
    # In the order of CONNECTIONS: associated, different, human, neutral.
    connection = np.where(kind[attribute] == 0, np.where(own, 0, 1), kind[attribute] + 1)
    sets = np.array([*(f"set {i + 1}" for i in range(n_groups)), "human", "neutral"], dtype=object)
    of_set = np.where(kind == 0, np.arange(len(kind)) % n_groups, n_groups - 1 + kind)
    return pd.DataFrame(
        {
            PROTECTED_WORD: np.array([f"word {i + 1}" for i in range(n_words)])[word],
            GROUP: np.array([f"group {i + 1}" for i in range(n_groups)])[word % n_groups],
            ATTRIBUTE: np.array([f"attribute {i + 1}" for i in range(len(kind))])[attribute],
            ATTRIBUTE_SET: sets[of_set[attribute]],
            CONNECTION: np.array(CONNECTIONS)[connection],
            DISTANCE: 1.0,
        }
    )


CROSSED: Final = {
    factor: {
        level: tuple(f"group {i}{j}" for i in "12" for j in "12" if (i, j)[at] == level)
        for level in "12"
    }
    for at, factor in enumerate(("first", "second"))
}
"""Two factors of two levels, whose combinations are the groups of `crossed_frame`."""


def crossed_frame(n_words: int, n_attributes: int, *, n_human: int, n_neutral: int) -> pd.DataFrame:
    """Lay out a world of four groups, crossed by two factors, and two lists.

    The levels of the first factor are associated with a list each; the columns ``first`` and
    ``second`` have the levels.
    """
    if n_words < 8:
        raise ArgumentError(f"{n_words} protected words are too few for 2 × 2 groups; take 8")
    frame = world_frame(n_words, n_attributes, n_groups=2, n_human=n_human, n_neutral=n_neutral)
    word = pd.factorize(frame[PROTECTED_WORD])[0]
    levels = (np.array(["1", "2"])[code] for code in (word % 2, word // 2 % 2))
    frame = frame.assign(**dict(zip(CROSSED, levels, strict=True)))
    frame[GROUP] = "group " + frame["first"] + frame["second"]
    return frame


def draw_responses(
    design: Design, parameters: Mapping[str, Mapping[str, float]], rng: np.random.Generator
) -> Array:
    """Draw the responses of a design from given means and standard deviations, shape (n_pairs,).

    Every level of every term gets a new effect. `parameters` has the values of each by label,
    ``""`` for the only one; a term whose standard deviation the model fixes has no effects unless
    it is among them. Nothing keeps the responses between 0 and 2, as nothing does in the models.
    """
    of = parameters["connection_mean"]
    response = np.array([of[name] for name in design.connections])[design.connection]
    for term in design.terms:
        if term.fixed_sd is not None and f"{term.name}_sd" not in parameters:
            continue
        sds = [parameters[f"{term.name}_sd"][label] for label in term.sd_labels]
        z = rng.standard_normal(len(term.labels))
        z = z if term.balance is None else term.balance.mixed(z)
        effect = np.array(sds)[term.sd] * z
        response[term.acts] += effect[term.level[term.acts]]
    noise = np.array([parameters["noise_sd"][label] for label in design.noise_labels])
    return np.asarray(response + noise[design.noise] * rng.standard_normal(len(response)))
