"""Words in templates: the texts, the tokens in them that are the word's, one vector per word."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bayesbias.errors import ArgumentError, EmbeddingError
from bayesbias.support.arrays import Index
from bayesbias.support.types import KeyedVectors
from bayesbias.vectors.lookup import keyed_vectors

BATCH: Final = 64
"""How many texts go through a model together."""

SLOT: Final = "{}"
"""Where the word goes in a template."""


@dataclass(frozen=True)
class Text:
    """A word in a template, from character `start` to before `stop`."""

    word: str
    filled: str
    start: int

    @property
    def stop(self) -> int:
        """Where the word has ended."""
        return self.start + len(self.word)


def distinct_words(words: Iterable[str]) -> list[str]:
    """Return words without repeats; refuse what is not a list of words."""
    if isinstance(words, str):
        raise ArgumentError(f"words={words!r}: give a list of words, such as [{words!r}]")
    listed = list(dict.fromkeys(words))
    for word in listed:
        if not isinstance(word, str) or not word.strip():
            raise ArgumentError(f"words: {word!r} must be a text that is not empty")
    if not listed:
        raise ArgumentError("words: is empty; give at least one")
    return listed


def filled_texts(words: Sequence[str], templates: Sequence[str] | None) -> list[Text]:
    """Return every word in every template, word by word."""
    if templates is None:
        templates = [SLOT]
    refuse_unusable_templates(templates)
    return [
        Text(word, template.replace(SLOT, word), template.index(SLOT))
        for word in words
        for template in templates
    ]


def refuse_unusable_templates(templates: Sequence[str]) -> None:
    """Refuse what is no list of texts with one place for the word."""
    if isinstance(templates, str) or not len(templates):
        raise ArgumentError(f'templates={templates!r}: give a list, such as ["This is a {{}}."]')
    for template in templates:
        if not isinstance(template, str) or template.count(SLOT) != 1:
            raise ArgumentError(
                f"templates: {template!r} must have exactly one {{}}, where the word goes"
            )


def own_tokens(
    tokenizer: Any, texts: Sequence[Text], longest: int | None, *, apart: bool
) -> tuple[Any, list[Index]]:
    """Tokenize the texts, and return with the tokens where those of each word are.

    With `apart`, refuse a token that is partly the word's and partly the template's.
    """
    encoded = tokenizer([text.filled for text in texts], return_offsets_mapping=True)
    limit = min(tokenizer.model_max_length, longest or tokenizer.model_max_length)
    own, lost, unknown = [], [], []
    for text, ids, offsets in zip(
        texts, encoded["input_ids"], encoded["offset_mapping"], strict=True
    ):
        if len(ids) > limit:
            raise EmbeddingError(
                f"{text.filled[:60]!r} has {len(ids)} tokens where the model takes {limit}; "
                f"shorten the template or the word"
            )
        spans = np.asarray(offsets).reshape(-1, 2)
        places = np.flatnonzero((spans[:, 0] < text.stop) & (spans[:, 1] > text.start))
        if apart:
            _refuse_shared(text, spans[places])
        if not len(places):
            lost.append(text.word)
        elif any(ids[place] == tokenizer.unk_token_id for place in places):
            unknown.append(text.word)
        own.append(places)
    for words, what in ((lost, "no token"), (unknown, "the unknown token")):
        if words:
            named = ", ".join(repr(word) for word in dict.fromkeys(words))
            raise EmbeddingError(f"{named}: the tokenizer makes {what} of it; leave it out")
    return encoded, own


def _refuse_shared(text: Text, spans: NDArray[np.int64]) -> None:
    for start, stop in spans:
        beside = text.filled[start : max(start, text.start)] + text.filled[text.stop : stop]
        if beside.strip():
            raise EmbeddingError(
                f"in {text.filled!r} the token {text.filled[start:stop]!r} is more than the word "
                f"{text.word!r}; put spaces around the {{}} of the template"
            )


def averaged(words: list[str], rows: NDArray[np.floating]) -> KeyedVectors:
    """Return the mean of each word's rows, one per template."""
    if len(rows) % len(words):
        raise EmbeddingError(f"the model made {len(rows)} vectors for {len(words)} words")
    by_word = rows.astype(np.float64).reshape(len(words), -1, rows.shape[-1])
    return finite_vectors(words, by_word.mean(axis=1))


def finite_vectors(words: list[str], matrix: NDArray[np.floating]) -> KeyedVectors:
    """Return KeyedVectors; refuse NaN and infinite components."""
    with np.errstate(over="ignore"):  # what is too large becomes infinite, and is refused
        single = matrix.astype(np.float32)
    bad = ~np.isfinite(single).all(axis=1)
    if bad.any():
        word = words[int(np.flatnonzero(bad)[0])]
        raise EmbeddingError(f"the vector of {word!r} has NaN or infinite components")
    return keyed_vectors(words, single)


def needed(module: str, extra: str) -> Any:
    """Import a module of an extra; say how to install it where it is absent."""
    try:
        return import_module(module)
    except ImportError as error:
        raise ArgumentError(
            f"this needs {module}, which cannot be imported ({error}): pip install "
            f"'bayesbias[{extra}]'"
        ) from error


def fetched(load: Callable[[str], Any], name: str | Path) -> Any:
    """Load by name or folder, and say what went wrong in one line."""
    try:
        return load(str(name))
    except (OSError, ValueError) as error:
        raise EmbeddingError(
            f"{name}: cannot be loaded ({' '.join(str(error).split())}); check the name or path, "
            f"and the network unless it is a folder"
        ) from error


@contextmanager
def evaluated(model: Any) -> Iterator[None]:
    """Switch dropout off and gradients too; leave the model as it was found."""
    torch = needed("torch", "transformers")
    modes = [(module, module.training) for module in model.modules()]
    model.eval()
    try:
        with torch.inference_mode():
            yield
    finally:
        for module, training in modes:
            module.training = training
