"""Leaves out of a model what the data at hand cannot tell, and says what and why.

A default model must work for every list, and every list does not have everything: with one
protected group, a term by group and attribute has the levels of the term by attribute. Two terms
with the same incidence matrix have one sum of variances in the likelihood, and only the priors
would divide it; so one of them goes. Likewise a term whose levels are single pairs, which is noise,
and one whose levels are the connections, which have means.

All is decided from which pairs share a level, never from their distances: a choice that looks at
the response would make intervals too narrow. A term that has a variance component for each
connection is judged, and left out, connection by connection. The rules stand in
``models/README.md``.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

import numpy as np
import pandas as pd

from bayesbias.constants import CONNECTION, KIND_OF_CONNECTION, REFERENCE
from bayesbias.inference.design import why_no_slope
from bayesbias.inference.levels import Factor, FrameColumns, Term, follows, same_levels
from bayesbias.inference.sentences import tell
from bayesbias.inference.specification import ModelSpec, with_term
from bayesbias.inference.terms import ATTRIBUTE_KIND, DERIVED, PAIR_KIND, TermSpec
from bayesbias.pairs.reference import without_reference
from bayesbias.support.arrays import Index, Mask
from bayesbias.support.text_tables import join_words

_WORDS: Final = {
    "protected_word": "protected word",
    "attribute_set": "attribute list",
    ATTRIBUTE_KIND: "kind of attribute list",
    "pair_kind": "kind of pair",
}


@dataclass(frozen=True)
class _Part:
    """The levels of a term with one sd: on which connections, and on which pairs (n_pairs,)."""

    term: Term
    connections: tuple[str, ...]
    acts: Mask

    @property
    def is_whole(self) -> bool:
        """Whether the part is all that the data have of the term."""
        return np.array_equal(self.acts, self.term.acts)


def drop_unidentified_terms(
    spec: ModelSpec, frame: pd.DataFrame
) -> tuple[ModelSpec, tuple[str, ...]]:
    """Leave out of a model the terms that these data cannot tell.

    Parameters
    ----------
    spec : ModelSpec
    frame : DataFrame
        A validated frame of distances or of changes.

    Returns
    -------
    ModelSpec
        The same where nothing is left out.
    tuple of str
        A sentence for each term, or part of a term, that was left out.

    Examples
    --------
    >>> import bayesbias as bb
    >>> from bayesbias.simulate import planted_embedding
    >>> wl = bb.load_wordlist("weat7")
    >>> frame = bb.distances(planted_embedding(wl, similarity=0.2, seed=1).vectors, wl)
    >>> one_group = frame[frame.group == frame.group[0]]
    >>> simpler, reasons = drop_unidentified_terms(bb.load_model("maximal"), one_group)
    >>> [term.name for term in simpler.terms]
    ['word', 'word_list', 'attribute']
    >>> print(reasons[0])
    The term group_attribute is left out: pairs that share group and attribute are those that share
    attribute, so that it cannot be told from attribute.
    """
    frame = frame if spec.reference_words else without_reference(frame)
    columns = FrameColumns(frame, spec.name)
    present = columns.factor(CONNECTION, "the frame").labels
    left_out: dict[tuple[str, str], set[str]] = {}
    simpler = spec
    while found := _first_redundant(simpler, columns):
        part, why = found
        left_out.setdefault((part.term.name, why), set()).update(part.connections)
        simpler = _without(simpler, part, present)
    return simpler, tuple(
        _sentence(spec.term(name), [c for c in present if c in connections], present, why)
        for (name, why), connections in left_out.items()
    )


def _sentence(term: TermSpec, connections: Sequence[str], present: Sequence[str], why: str) -> str:
    """Say that a term was left out for some connections, and why."""
    acted_on = [c for c in present if term.acts_on(c)]
    return tell(
        "term_left_out", term.name, "" if list(connections) == acted_on else connections, why
    )


def _first_redundant(spec: ModelSpec, columns: FrameColumns) -> tuple[_Part, str] | None:
    """Return the first part of a term that the data cannot tell, from the last term on."""
    connection = columns.factor(CONNECTION, "the frame")
    terms = [columns.term(term) for term in spec.terms]
    for term_spec, term in reversed(list(zip(spec.terms, terms, strict=True))):
        if term.x is not None:
            if no_slope := why_no_slope(term, connection, spec):
                acted_on = np.unique(connection.code[term.acts])
                names = tuple(connection.labels[code] for code in acted_on)
                return _Part(term, names, term.acts), no_slope
            continue
        for part in _parts(term, connection):
            if not part.connections:
                return part, tell("nowhere", term_spec.connections)
            if why := _why_redundant(part, terms, connection.code, spec):
                return part, why
    return None


def _parts(term: Term, connection: Factor) -> list[_Part]:
    """Return the parts that can be left out by themselves: those that are whole connections."""
    labels: tuple[str, ...] = ("",)
    if term.sd_by in (CONNECTION, *DERIVED) and len(term.labels):
        labels = term.sd_labels
    acted_on = [connection.labels[code] for code in np.unique(connection.code[term.acts])]
    kinds = KIND_OF_CONNECTION | ({REFERENCE: REFERENCE} if term.sd_by == PAIR_KIND else {})
    found = []
    for label in labels:  # of a connection, of its kind, or of all
        names = tuple(name for name in acted_on if label in ("", name, kinds[name]))
        acts = np.isin(connection.code, [connection.labels.index(name) for name in names])
        found.append(_Part(term, names, acts))
    return found


def _why_redundant(
    part: _Part, terms: Sequence[Term], connection: Index, spec: ModelSpec
) -> str | None:
    """Say why a part cannot be told from the rest of the model; None where it can."""
    acts, level = part.acts, part.term.level[part.acts]
    by = _columns(part.term)
    if np.bincount(level).max(initial=0) <= 1:
        return tell("like_noise", by)
    if "connection_mean" in spec.priors and follows(connection[acts], level):
        return tell("like_mean", by)
    position, n = [term.name for term in terms].index(part.term.name), part.term.acts.sum()
    for i, other in enumerate(terms):
        n_other = other.acts.sum()
        if i == position or other.x is not None or not other.acts[acts].all():
            continue
        if n_other < n or (n_other == n and i > position):  # the other is not the one to stay
            continue
        # Effects of similar and of unrelated attributes have other covariances at the same levels.
        if other.columns.keys() == part.term.columns.keys() and other.similar != part.term.similar:
            continue
        levels = other.level[acts]
        # The other's levels must have no pairs elsewhere that tell them from the part's.
        elsewhere = other.level[~acts & other.acts]
        if not same_levels(level, levels) or np.isin(levels, elsewhere).any():
            continue
        if _columns(other) == by:
            return tell("same_pairs", other.name)
        return tell("same_levels", by, _columns(other), other.name)
    return None


def _without(spec: ModelSpec, part: _Part, present: Sequence[str]) -> ModelSpec:
    """Return a specification that lacks a part of a term."""
    name = part.term.name
    if part.is_whole:
        return spec.without([name])
    term = spec.term(name)
    kept = tuple(c for c in present if term.acts_on(c) and c not in part.connections)
    return with_term(spec, name, connections=kept)


def _columns(term: Term) -> str:
    return join_words([_WORDS.get(column, column) for column in term.columns])
