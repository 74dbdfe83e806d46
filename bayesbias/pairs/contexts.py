"""Distances in contexts: one row per pair and sentence, nothing averaged."""

import hashlib
import warnings
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from bayesbias.constants import CONTEXT, LAYER
from bayesbias.errors import ArgumentError, EmbeddingError, MissingWordsWarning
from bayesbias.pairs.distance_frame import distances
from bayesbias.pairs.provenance import missing_of, source_of, with_provenance
from bayesbias.pairs.reference import reference_last
from bayesbias.pairs.word_lists import WordList, load_wordlist
from bayesbias.support.progress import tracked
from bayesbias.vectors.encoders import (
    SENTENCES,
    TRANSFORMERS,
    kind_of,
    refuse_unusable,
    sentence_encoder,
    transformer_encoder,
)
from bayesbias.vectors.templates import (
    BATCH,
    SEAT_TEMPLATES,
    Contexts,
    Text,
    finite_vectors,
    texts_by_context,
)

_Encoder = Callable[[Sequence[Text]], NDArray[np.floating]]
_WHOLE_TEXT = "text"  # the layer of encoders that give one vector for a whole text


def contextual_distances(
    model: Any,
    wordlist: WordList | str | Path,
    *,
    templates: Contexts = SEAT_TEMPLATES,
    layer: int | Literal["static"] = -1,
    pooling: Literal["mean", "first", "last"] = "mean",
    tokenizer: Any = None,
) -> pd.DataFrame:
    """Compute the cosine distance of every pair in every context.

    In each context the protected word's vector and the attribute's come from the same template.

    Parameters
    ----------
    model : str, Path, model or callable
        A model of transformers, or its name or folder, as for `load_embedding`: the
        vector is that of the word's own tokens. A SentenceTransformer, or a folder of one, or a
        name that begins with ``sentence-transformers/``: the vector is that of the whole text. Or
        any function that takes a list of texts and returns an array with one row for each.
    wordlist : WordList, str or Path
        A word list, or what `load_wordlist` takes.
    templates : sequence of str, or mapping of str to sequence of str
        Contexts, each with exactly one ``{}`` where the word goes. A mapping gives each word
        contexts of its own, as `contexts_from` draws them: then the k-th contexts of all words
        together are the context "sample k", and words with fewer than the others are left out.
    layer, pooling, tokenizer
        For models of transformers, as for `load_embedding`.

    Returns
    -------
    DataFrame
        One row per pair and context: the columns of `distances`, then ``context`` and ``layer``
        (``"text"`` where there is no layer to choose), for the model ``contextual``. The rows of
        reference words follow those of all contexts.

    Raises
    ------
    EmbeddingError, WordListError
        As `load_embedding` and `distances` do.

    Warns
    -----
    MissingWordsWarning
        If words of the list have too few contexts.

    Notes
    -----
    Cost: one pass of the model per word and context, in batches. Nothing is random.

    Examples
    --------
    >>> import bayesbias as bb
    >>> def letters(texts):  # stands for a model: the numbers of a few letters
    ...     return [[text.count(letter) + 1.0 for letter in "aehnost"] for text in texts]
    >>> contexts = ["This is {}.", "{} is here."]
    >>> frame = bb.pairs.contextual_distances(letters, "weat7", templates=contexts)
    >>> frame.groupby("context").size().tolist()
    [5360, 5360]
    """
    refuse_unusable(layer, pooling)
    wordlist = load_wordlist(wordlist)
    words = list(dict.fromkeys(wordlist.words))
    by_context, too_few = texts_by_context(words, _as_for_the_list(templates, wordlist))
    encode, named_layer = _encoder(model, tokenizer, layer, pooling)
    frames: list[pd.DataFrame] = []
    checksum = hashlib.sha256()
    for name, texts in tracked(by_context, "contexts", None):
        vectors = finite_vectors([text.word for text in texts], encode(texts))
        with warnings.catch_warnings():
            if frames:  # the same words are missing in every context
                warnings.simplefilter("ignore", MissingWordsWarning)
            frame = distances(vectors, wordlist)
        checksum.update(source_of(frame)["vectors_sha256"].encode())
        frames.append(frame.assign(**{CONTEXT: name, LAYER: named_layer}))
    named = getattr(model, "name_or_path", "") or type(model).__name__
    source = {
        **source_of(frames[0]),
        "vectors_sha256": checksum.hexdigest(),
        "model": str(model if isinstance(model, str | Path) else named),
        "contexts": len(frames),
        "layer": named_layer,
        "pooling": pooling,
    }
    missing = [{**row, "reason": too_few[row["word"]]} for row in missing_of(frames[0]) or ()]
    for frame in frames:
        frame.attrs = {}
    return with_provenance(reference_last(pd.concat(frames)), source=source, missing=missing)


def _as_for_the_list(templates: Contexts, wordlist: WordList) -> Contexts:
    """Return the contexts, of reference words no more than the list's other words have."""
    if not isinstance(templates, Mapping):
        return templates
    own = (*wordlist.protected_words, *wordlist.attributes)
    most = max((len(templates.get(word, ())) for word in own), default=0)
    return {**templates, **{w: templates.get(w, ())[:most] for w in wordlist.reference}}


def _encoder(
    model: Any, tokenizer: Any, layer: int | Literal["static"], pooling: str
) -> tuple[_Encoder, str]:
    """Return what makes vectors of texts, and what the frame calls its layer."""
    kind, model = kind_of(model)
    if isinstance(model, str | Path) and kind != SENTENCES:
        is_named = str(model).startswith("sentence-transformers/")
        kind = SENTENCES if is_named or (Path(model) / "modules.json").is_file() else TRANSFORMERS
    if kind == SENTENCES:
        return sentence_encoder(model), _WHOLE_TEXT
    if kind == TRANSFORMERS:
        made = transformer_encoder(model, tokenizer=tokenizer, layer=layer, pooling=pooling)
        return made, str(layer)
    if not callable(model):
        raise ArgumentError(
            f"model is a {type(model).__name__}; give a model of transformers or of "
            f"sentence-transformers, its name or folder, or a function of texts"
        )
    return _from_function(model), _WHOLE_TEXT


def _from_function(function: Callable[[list[str]], Any]) -> _Encoder:
    def encode(texts: Sequence[Text]) -> NDArray[np.floating]:
        rows = []
        for start in range(0, len(texts), BATCH):
            batch = [text.filled for text in texts[start : start + BATCH]]
            found = np.asarray(function(batch), dtype=np.float64)
            if found.ndim != 2 or len(found) != len(batch):
                raise EmbeddingError(
                    f"the function made an array of shape {found.shape} of {len(batch)} texts; it "
                    f"must return one row for each"
                )
            rows.append(found)
        return np.concatenate(rows)

    return encode
