"""Names and numbers that the whole package shares, each stated once."""

from typing import Final

HDPI_PROB: Final = 0.89
"""Probability of the interval reported unless another is asked for (the Bayesian paper's)."""

INNER_PROB: Final = 0.50
"""Probability of the second, narrower interval of figures and predictive checks."""

GAP_ROPE: Final = 0.02
"""The same for gaps between groups, as a difference of rates."""

CONFIDENCE: Final = 0.95
"""Confidence of Bernstein's bounds unless another is asked for (their paper's)."""

VERDICTS: Final = (
    "closer",
    "farther",
    "closer, practically equal",
    "farther, practically equal",
    "practically equal",
    "closer, size undecided",
    "farther, size undecided",
    "undecided",
)
"""What a difference of distances can be said to be; `engine.intervals.verdicts` has the rule."""

MATCH: Final = "match"
"""Column of the matched set of a protected word, where a list names such sets."""

TOPIC: Final = "topic"
"""Column of the topic of an attribute, where a list names topics."""

UNASSIGNED: Final = "unassigned"
"""Connection of a stereotype list that belongs to no group with a group that has no list."""

CONNECTIONS: Final = ("associated", "different", UNASSIGNED, "human", "neutral")
"""How an attribute word relates to a protected word, in the order of all tables and figures."""

STEREOTYPE_CONNECTIONS: Final = ("associated", "different", UNASSIGNED)
"""Connections of attribute words from a stereotype list."""

CONTROL_CONNECTIONS: Final = ("human", "neutral")
"""Connections of attribute words from a control list."""

ATTRIBUTE_KINDS: Final = ("stereotype", "human", "neutral")
"""Kinds of list that an attribute word comes from."""


KIND_OF_CONNECTION: Final = {
    "associated": "stereotype",
    "different": "stereotype",
    UNASSIGNED: "stereotype",
    "human": "human",
    "neutral": "neutral",
}
"""The kind of list behind a connection: all that are of stereotypes share their words."""

# Columns of the long frame of distances, one row per (protected word, attribute).
PROTECTED_WORD: Final = "protected_word"
GROUP: Final = "group"
ATTRIBUTE: Final = "attribute"
ATTRIBUTE_SET: Final = "attribute_set"
CONNECTION: Final = "connection"
DISTANCE: Final = "cosine_distance"
EMBEDDING: Final = "embedding"
CONTEXT: Final = "context"
LAYER: Final = "layer"
CHANGE: Final = "change"
BEFORE: Final = "distance_before"
AFTER: Final = "distance_after"

TEXT_COLUMNS: Final = (PROTECTED_WORD, GROUP, ATTRIBUTE, ATTRIBUTE_SET, CONNECTION)
"""Columns of a frame of distances that hold texts."""

PAIR_COLUMNS: Final = (*TEXT_COLUMNS, DISTANCE)
"""Columns of a frame of distances, in this order; others may follow."""


OPTIONAL_COLUMNS: Final = (EMBEDDING, CONTEXT, LAYER)
"""Further columns that files of distances keep."""

MISSING_COLUMNS: Final = ("word", "role", "list", "reason")
"""Columns of the report of words that could not be used."""

DISTANCE_TOLERANCE: Final = 1e-6
"""Rounding allowed in distances: outside [0, 2], and between rows that repeat a pair."""
