"""The word vectors that come with the package, for examples and the demo."""

from collections.abc import Callable
from importlib.resources import as_file, files

from bayesbias.support.types import KeyedVectors
from bayesbias.vectors.loading import load_embedding


def example_embedding() -> KeyedVectors:
    """Return real word vectors: the part of GloVe 840B that belongs to the shipped word lists.

    Returns
    -------
    gensim.models.KeyedVectors
        1,311 words in 300 dimensions, rounded to 8 bits a number. Of the gender list all 14
        protected words, 18 of 25 stereotypes, 59 of 85 human and 76 of 226 neutral words are in it.

    Notes
    -----
    From GloVe (Pennington, Socher and Manning 2014), trained on 840 billion tokens of Common Crawl;
    Public Domain Dedication and License. For examples, not for results:
    ``shipped_vectors/README.md`` says how the file was made and what it lacks.

    Examples
    --------
    >>> len(example_embedding())
    1311
    """
    return load_shipped(load_embedding)


def load_shipped(load: "Callable[[str], KeyedVectors]") -> KeyedVectors:
    """Load the file of these vectors with `load_embedding` or `load_words`."""
    place = files("bayesbias.vectors") / "shipped_vectors" / "glove-840b-list-words.bin.gz"
    with as_file(place) as path:
        return load(str(path))
