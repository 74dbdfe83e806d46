"""The embedding of `bayesbias demo`: trained on the text that gensim carries in its own wheel.

About 530,000 tokens of Wikipedia and news (the Lee corpus) make a Word2Vec of 50 dimensions in
some ten seconds. So little text gives noisy vectors and wide intervals, and that is the lesson.
The result is kept in the user's cache folder with a checksum.
"""

import json
import re
import warnings
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from typing import Final

from bayesbias.errors import BayesBiasError, EmbeddingError, OutputError
from bayesbias.support.bounded_files import CHUNK, ByteStream, file_checksum, read_json
from bayesbias.support.types import KeyedVectors
from bayesbias.support.whole_files import new_file
from bayesbias.vectors.loading import load_embedding

_WIKIPEDIA: Final = "enwiki-latest-pages-articles1.xml-p000000010p000030302-shortened.bz2"
_LEE: Final = ("lee_background.cor", "lee.cor")
_TRAINING: Final = {
    "vector_size": 50,
    "window": 5,
    "min_count": 2,
    "epochs": 10,
    "sg": 1,
    "seed": 1,
}


def demo_embedding() -> KeyedVectors:
    """Return the demo's vectors, some 20,000 words × 50, training them the first time."""
    cached = demo_embedding_path()
    seal = cached.with_suffix(".json")
    if _is_sealed(cached, seal):
        return load_embedding(cached)
    vectors = _train()
    with suppress(OSError, OutputError):  # without a cache the next run trains again
        cached.parent.mkdir(parents=True, exist_ok=True)
        with new_file(cached) as temporary:
            vectors.save_word2vec_format(str(temporary), binary=True)
        with new_file(seal) as temporary:
            record = {"sha256": file_checksum(cached), "training": _TRAINING}
            temporary.write_text(json.dumps(record, indent=1), encoding="utf-8")
    return vectors


def _is_sealed(cached: Path, seal: Path) -> bool:
    """Return whether the cached vectors are those that were written, with this training."""
    try:
        record = read_json(seal, EmbeddingError)
        return bool(record["training"] == _TRAINING and record["sha256"] == file_checksum(cached))
    except (BayesBiasError, KeyError, TypeError):
        return False


def demo_embedding_path() -> Path:
    """Return where the demo's vectors are kept: the user's cache folder."""
    from platformdirs import user_cache_path

    return user_cache_path("bayesbias") / "demo-word2vec-1.bin"


def _train() -> KeyedVectors:
    from gensim.models import Word2Vec

    # More than one worker would make the result depend on the threads' timing.
    return Word2Vec(list(demo_sentences()), workers=1, **_TRAINING).wv


def demo_sentences() -> Iterator[list[str]]:
    """Yield the sentences of the demo's corpus, each a list of words."""
    from gensim.corpora.wikicorpus import extract_pages, filter_wiki
    from gensim.utils import simple_preprocess

    with _shipped(_WIKIPEDIA) as pages, warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for _, markup, _ in extract_pages(pages, ("0",)):
            for line in re.split(r"[.\n]+", filter_wiki(markup)):
                words = simple_preprocess(line, min_len=1)
                if len(words) > 1:
                    yield words
    for name in _LEE:
        with _shipped(name) as text:
            for line in text.lines(CHUNK):
                yield simple_preprocess(line.decode("latin-1"), min_len=1)


def _shipped(name: str) -> ByteStream:
    """Open a file that gensim carries."""
    from gensim.test.utils import datapath

    return ByteStream(Path(datapath(name)), EmbeddingError)
