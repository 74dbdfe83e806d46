"""Words in texts: in templates, or in sentences drawn from a text; and one vector per word."""

import re
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

import numpy as np
from numpy.typing import NDArray

from bayesbias.errors import ArgumentError, EmbeddingError
from bayesbias.support.bounded_files import ByteStream
from bayesbias.support.types import KeyedVectors
from bayesbias.vectors.lookup import keyed_vectors

BATCH: Final = 64  # how many texts go through a model together
SLOT: Final = "{}"  # where the word goes in a template


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


def filled_texts(words: Sequence[str], templates: Sequence[str]) -> list[Text]:
    """Return every word in every template, word by word."""
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


def mean_vectors(words: list[str], rows: NDArray[np.floating]) -> KeyedVectors:
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


SEAT_TEMPLATES: Final = (
    "This is {}.",
    "That is {}.",
    "There is {}.",
    "Here is {}.",
    "{} is here.",
    "{} is there.",
)
"""Sentences that say next to nothing of the word ("semantically bleached"), of the kind that SEAT
puts words in: May, Wang, Bordia, Bowman and Rudinger (2019), On Measuring Social Biases in Sentence
Encoders. Their files write them out word by word, with articles where nouns need one."""

Contexts = Sequence[str] | Mapping[str, Sequence[str]]
"""Templates for all words, or each word's own, of which the k-th make "sample k"."""

_SENTENCE_END: Final = re.compile(r"(?<=[.!?])\s+")
_LONGEST: Final = 400
"""Characters of a sentence that is drawn; models take a limited number of tokens."""

_CHUNK: Final = 1 << 20


def contexts_from(
    path: str | Path, words: Iterable[str], *, n: int = 10, seed: int = 1
) -> dict[str, tuple[str, ...]]:
    r"""Draw sentences in which words occur from a text, evenly and in one pass.

    As for CEAT (Guo and Caliskan 2021), every word gets sentences of its own.

    Parameters
    ----------
    path : str or Path
        A text in UTF-8, plain or compressed by gzip or bzip2. A sentence ends at a full stop,
        question mark or exclamation mark before a space, or with the line.
    words : iterable of str
        Whole words, in this spelling.
    n : int
        Sentences per word; fewer where the text has fewer.
    seed : int
        What is drawn for a word depends on the seed and on the text, not on the other words.

    Returns
    -------
    dict of str to tuple of str
        The sentences of each word, with ``{}`` in its place where it first occurs: `templates` of
        `contextual_distances`.

    Raises
    ------
    EmbeddingError
        If the file cannot be read or is not UTF-8.

    Notes
    -----
    Each of the k sentences of a word stays with probability n / k (reservoir sampling: Vitter 1985,
    algorithm R). Sentences of more than 400 characters, and those with ``{}`` in them, are passed
    over.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "text.txt"
    ...     _ = path.write_text("A nurse came. He left!\nThe nurse left.")
    ...     contexts_from(path, ["nurse", "he"], n=5)
    {'nurse': ('A {} came.', 'The {} left.'), 'he': ()}
    """
    listed = distinct_words(words)
    if isinstance(n, bool) or not isinstance(n, int | np.integer) or n < 1:
        raise ArgumentError(f"n={n!r}: must be a whole number of 1 or more")
    longest_first = sorted(listed, key=len, reverse=True)
    pattern = re.compile(rf"(?<!\w)(?:{'|'.join(map(re.escape, longest_first))})(?!\w)")
    streams = {word: np.random.default_rng([seed, zlib.crc32(word.encode())]) for word in listed}
    seen = dict.fromkeys(listed, 0)
    kept: dict[str, list[str]] = {word: [] for word in listed}
    for sentence in _sentences(Path(path)):
        first: dict[str, re.Match[str]] = {}
        for match in pattern.finditer(sentence):
            first.setdefault(match[0], match)
        for word, match in first.items():
            seen[word] += 1
            place = seen[word] - 1 if seen[word] <= n else int(streams[word].integers(seen[word]))
            if place < n:
                template = sentence[: match.start()] + SLOT + sentence[match.end() :]
                kept[word][place : place + 1] = [template]
    return {word: tuple(found) for word, found in kept.items()}


def _sentences(path: Path) -> Iterator[str]:
    """Yield the sentences of a text, line by line; what is too long for one is passed over."""
    with ByteStream(path, EmbeddingError) as stream:
        rest = b""
        while block := stream.read(_CHUNK):
            *lines, rest = (rest + block).split(b"\n")
            for line in lines:
                yield from _sentences_of(line, path)
            if len(rest) > _CHUNK:  # a text without lines: cut at its last space
                line, _, rest = rest.rpartition(b" ")
                yield from _sentences_of(line, path)
                rest = rest[-_LONGEST:]
        yield from _sentences_of(rest, path)


def _sentences_of(line: bytes, path: Path) -> Iterator[str]:
    try:
        text = line.decode("utf-8")
    except UnicodeDecodeError as error:
        raise EmbeddingError(f"{path}: is not UTF-8; save it as text in UTF-8") from error
    for sentence in _SENTENCE_END.split(text.strip()):
        if sentence and len(sentence) <= _LONGEST and SLOT not in sentence:
            yield sentence


def texts_by_context(
    words: Sequence[str], contexts: Contexts
) -> tuple[list[tuple[str, list[Text]]], dict[str, str]]:
    """Put the words into their contexts, by name; also say why words with too few are left out."""
    if not isinstance(contexts, Mapping):
        refuse_unusable_templates(contexts)
        named = list(dict.fromkeys(contexts))
        return [(name, filled_texts(words, [name])) for name in named], {}
    counts = {word: len(contexts.get(word, ())) for word in words}
    n = max(counts.values(), default=0)
    if not n:
        raise ArgumentError("templates: none of the list's words has a context")
    why = {
        word: f"{k} of {n} contexts" if k else "no context" for word, k in counts.items() if k < n
    }
    filled = [filled_texts([word], list(contexts[word])) for word in words if word not in why]
    return [(f"sample {i + 1}", [texts[i] for texts in filled]) for i in range(n)], why
