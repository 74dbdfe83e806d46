"""Contexts for words: the sentence templates of SEAT, and sentences drawn from a text."""

import re
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Final

import numpy as np

from bayesbias.errors import ArgumentError, EmbeddingError
from bayesbias.support.bounded_files import ByteStream
from bayesbias.vectors.templates import (
    SLOT,
    Text,
    distinct_words,
    filled_texts,
    refuse_unusable_templates,
)

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
