"""Names and numbers that the whole package shares, each stated once."""

from typing import Final

HDPI_PROB: Final = 0.89
"""Probability of the interval reported unless another is asked for (the Bayesian paper's)."""

INNER_PROB: Final = 0.50
"""Probability of the second, narrower interval of figures and predictive checks."""

ROPE: Final = 0.05
"""Half-width, in cosine distance, of the region of practical equivalence around no difference."""

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
"""What a difference of distances can be said to be; `inference.intervals.verdicts` has the rule."""

TOPIC: Final = "topic"
"""Column of the topic of an attribute, where a list names topics."""

CONNECTIONS: Final = ("associated", "different", "human", "neutral")
"""How an attribute word relates to a protected word, in the order of all tables and figures."""

STEREOTYPE_CONNECTIONS: Final = ("associated", "different")
"""Connections of attribute words from a stereotype list."""

CONTROL_CONNECTIONS: Final = ("human", "neutral")
"""Connections of attribute words from a control list."""

ATTRIBUTE_KINDS: Final = ("stereotype", "human", "neutral")
"""Kinds of list that an attribute word comes from."""

REFERENCE: Final = "reference"
"""Group and connection of reference words, which belong to no protected group."""

ALL_CONNECTIONS: Final = (*CONNECTIONS, REFERENCE)
"""Connections that a frame may have; tables and contrasts speak of `CONNECTIONS` alone."""

CONTRASTS: Final = (
    ("associated", "different"),
    ("associated", "human"),
    ("associated", "neutral"),
    ("human", "neutral"),
)
"""Pairs of connections that are compared, the second subtracted from the first."""

KIND_OF_CONNECTION: Final = {
    "associated": "stereotype",
    "different": "stereotype",
    "human": "human",
    "neutral": "neutral",
    REFERENCE: "stereotype",
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
RUN: Final = "run"
CONTEXT: Final = "context"
LAYER: Final = "layer"
CHANGE: Final = "change"
BEFORE: Final = "distance_before"
AFTER: Final = "distance_after"

TEXT_COLUMNS: Final = (PROTECTED_WORD, GROUP, ATTRIBUTE, ATTRIBUTE_SET, CONNECTION)
"""Columns of a frame of distances that hold texts."""

PAIR_COLUMNS: Final = (*TEXT_COLUMNS, DISTANCE)
"""Columns of a frame of distances, in this order; others may follow."""

REPEATING: Final = {RUN: "runs", CONTEXT: "contextual"}
"""Columns in each of whose values a pair has a distance of its own, and the model for it."""

OPTIONAL_COLUMNS: Final = (EMBEDDING, *REPEATING, LAYER)
"""Further columns that files of distances keep."""

MISSING_COLUMNS: Final = ("word", "role", "list", "reason")
"""Columns of the report of words that could not be used."""

DISTANCE_TOLERANCE: Final = 1e-6
"""Rounding allowed in distances: outside [0, 2], and between rows that repeat a pair."""

TASK_COLUMNS: Final = ("source", "step", "wordlist", "model")
"""What tells a task of a sweep from others."""
