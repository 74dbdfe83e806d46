"""Makes KeyedVectors from what is no file of vectors: a frame, spaCy, transformers, sentences.

A contextual model has no vector of a word as such. Here a word stands alone or in templates, and
what the model makes of it is averaged. Layer, pooling and templates change the distances: report
them.
"""

from bayesbias.encoders.contextual import vectors_from_transformer
from bayesbias.encoders.sentences import vectors_from_sentences
from bayesbias.encoders.stored import vectors_from_frame, vectors_from_spacy

__all__ = [
    "vectors_from_frame",
    "vectors_from_sentences",
    "vectors_from_spacy",
    "vectors_from_transformer",
]
