"""Training runs: word2vec on the same corpus with the same settings, once for each seed.

Another seed gives other vectors, and other distances (Antoniak and Mimno 2018): what one model says
of a corpus is one draw of what training could have said.
"""

import json
import os
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from itertools import chain
from pathlib import Path
from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

from bayesbias.errors import ArgumentError, OutputError, suggest
from bayesbias.support.bounded_files import file_checksum, read_json, require_regular_file
from bayesbias.support.compatibility import versions
from bayesbias.support.processes import parallel_map
from bayesbias.support.progress import tracked
from bayesbias.support.whole_files import new_file

SETTINGS: Final[Mapping[str, int]] = {
    "vector_size": 100,
    "window": 5,
    "min_count": 5,
    "epochs": 5,
    "negative": 5,
    "sg": 1,
}
"""Settings of word2vec, by gensim's names, with their defaults: skip-gram."""

_RECORD: Final = "runs.json"


def training_runs(
    corpus: str | Path,
    folder: str | Path,
    *,
    seeds: int = 10,
    shuffled: bool = False,
    jobs: int = 1,
    progress: bool | None = None,
    **settings: int,
) -> dict[str, Path]:
    """Train word2vec several times on one corpus, each time with another seed.

    Parameters
    ----------
    corpus : str or Path
        A text file, a sentence per line, its words separated by spaces; ``.gz`` and ``.bz2`` are
        read too.
    folder : str or Path
        Gets a file of vectors per run, ``seed-1.bin`` and so on, and ``runs.json`` with the
        settings. A run that is there is not trained again.
    seeds : int
        How many runs.
    shuffled : bool
        Train on the same words in sentences of the same lengths, dealt anew in every run. Nothing
        is associated in such a text, while its words are as frequent as they were: what is found in
        it is not what the text says (Valentini et al. 2022). The words of a corpus are held in
        memory, four bytes each.
    jobs : int
        Processes.
    progress : bool, optional
        Show a bar; by default in a terminal or a notebook.
    **settings
        Of gensim's Word2Vec: ``vector_size``, ``window``, ``min_count``, ``epochs``, ``negative``,
        ``sg``.

    Returns
    -------
    dict of str to Path
        From the run's name to its vectors, for `distances_of_runs`.

    Raises
    ------
    ArgumentError
        If a setting is unknown, the corpus is absent, or has too few words.
    OutputError
        If the folder cannot be written, or holds runs of another corpus or other settings.

    Notes
    -----
    A seed gives the same vectors with the same version of gensim: every run has one thread (with
    several the order of the updates is chance), and gensim 4 draws its first vectors from the seed
    alone.

    Examples
    --------
    >>> import bayesbias as bb
    >>> runs = bb.vectors.training_runs("corpus.txt", "out/runs", seeds=10)  # doctest: +SKIP
    >>> frame = bb.pairs.distances_of_runs(runs, "gender")  # doctest: +SKIP
    >>> bb.fit(frame, "runs", seed=1).contrasts()  # doctest: +SKIP
    """
    if seeds < 1 or jobs < 1:
        raise ArgumentError(f"seeds={seeds}, jobs={jobs}: both must be at least 1")
    if not isinstance(shuffled, bool):
        raise ArgumentError(f"shuffled={shuffled!r}: must be True or False")
    for name, value in settings.items():
        if name not in SETTINGS:
            raise ArgumentError(f"unknown setting {name!r}{suggest(name, SETTINGS)}")
        if isinstance(value, bool) or not isinstance(value, int) or value < (name != "sg"):
            raise ArgumentError(f"{name}={value!r}: must be a whole number above 0")
    chosen = {**SETTINGS, **settings}
    if not Path(corpus).is_file():
        raise ArgumentError(
            f"corpus {str(corpus)!r}: there is no such file; give a text file with a sentence per "
            f"line"
        )
    content = file_checksum(Path(corpus), ArgumentError)
    goal = Path(folder)
    recorded = {**chosen, "shuffled": True} if shuffled else chosen
    _prepare(goal, {"corpus_sha256": content, "settings": recorded, "gensim": versions()["gensim"]})
    places = {f"seed {seed}": (seed, goal / f"seed-{seed}.bin") for seed in range(1, seeds + 1)}
    left = [place for place in places.values() if not place[1].is_file()]

    def train(place: tuple[int, Path]) -> None:
        _train(str(corpus), *place, chosen, shuffled=shuffled)

    for _ in tracked(parallel_map(train, left, jobs), "Training", progress, len(left)):
        pass
    return {name: path for name, (_, path) in places.items()}


def runs_in(folder: str | Path) -> dict[str, Path]:
    """Return the vectors of the runs in a folder of `training_runs`, by the runs' names."""
    if not (Path(folder) / _RECORD).is_file():
        return {}
    names = (path.stem.removeprefix("seed-") for path in Path(folder).glob("seed-*.bin"))
    seeds = sorted(int(name) for name in names if name.isdecimal())
    return {f"seed {seed}": Path(folder) / f"seed-{seed}.bin" for seed in seeds}


def _prepare(folder: Path, record: Mapping[str, Any]) -> None:
    """Make the folder, or check that it holds runs like those that are wanted."""
    place = folder / _RECORD
    try:
        folder.mkdir(parents=True, exist_ok=True)
        if not place.exists() and any(folder.glob("seed-*.bin")):
            raise OutputError(f"{folder}: holds vectors but no {_RECORD}; choose another folder")
        if place.exists():
            known = read_json(place, OutputError)
        else:
            known = record
            with new_file(place) as temporary:
                temporary.write_text(json.dumps(record, indent=1) + "\n", encoding="utf-8")
    except (OSError, ValueError) as error:
        raise OutputError(f"{folder}: is of no use for the runs; choose another") from error
    different = [
        key for key in record if not isinstance(known, dict) or known.get(key) != record[key]
    ]
    if different:
        raise OutputError(
            f"{folder}: holds runs with another {' and '.join(different)}; choose another folder"
        )


class Shuffled:
    """The same words, dealt to sentences of the same lengths: a corpus without what it says."""

    def __init__(self, sentences: Iterable[list[str]], seed: int) -> None:
        number: defaultdict[str, int] = defaultdict()
        # A new word gets the next number.
        number.default_factory = number.__len__
        lengths: list[int] = []

        def counted(sentence: list[str]) -> list[str]:
            lengths.append(len(sentence))
            return sentence

        words = chain.from_iterable(map(counted, sentences))
        dealt: NDArray[np.int32] = np.fromiter((number[word] for word in words), np.int32)
        np.random.default_rng(seed).shuffle(dealt)
        self._dealt, self._ends, self._words = dealt, np.cumsum(lengths), list(number)

    def __iter__(self) -> Iterator[list[str]]:
        start = 0
        for end in self._ends.tolist():
            yield [self._words[i] for i in self._dealt[start:end]]
            start = end


def _train(
    corpus: str, seed: int, path: Path, settings: Mapping[str, int], *, shuffled: bool
) -> None:
    """Train one run and write its vectors, whole or not at all."""
    from gensim.models.word2vec import LineSentence, Word2Vec

    try:
        sentences: Any = LineSentence(str(require_regular_file(corpus, ArgumentError)))
        if shuffled:
            sentences = Shuffled(sentences, seed)
        model = Word2Vec(sentences, workers=1, seed=seed, **settings)
    except RuntimeError as error:  # no word is frequent enough
        raise ArgumentError(
            f"corpus {os.path.basename(corpus)!r}: cannot be trained on: no word is frequent "
            f"enough; lower min_count, or give more text"
        ) from error
    except UnicodeDecodeError as error:
        raise ArgumentError(f"corpus {os.path.basename(corpus)!r}: is not UTF-8 text") from error
    with new_file(path) as temporary:
        model.wv.save_word2vec_format(str(temporary), binary=True)
