"""The commands ``analyze`` and ``demo``."""

import argparse
import shlex
import sys
from pathlib import Path
from typing import Any

import pandas as pd

from bayesbias.atomic import check_folder
from bayesbias.cli.text import summary_text
from bayesbias.constants import ATTRIBUTE, PROTECTED_WORD
from bayesbias.embeddings import load_embedding
from bayesbias.errors import ArgumentError
from bayesbias.fits import Fit
from bayesbias.fitting import fit
from bayesbias.framefiles import file_checksum, read_distances
from bayesbias.frames import distances, missing_words
from bayesbias.inference.nuts import NutsSettings
from bayesbias.intervals import check_rope, interval_of
from bayesbias.results import write_results
from bayesbias.simulate import planted_embedding
from bayesbias.spec import load_model
from bayesbias.tables import interval_label
from bayesbias.wordlists import load_wordlist

_PLANTED_SIMILARITY = 0.2


def run_analyze(arguments: argparse.Namespace, given: list[str]) -> None:
    """Fit, print and write what the arguments ask for."""
    _check_before_work(arguments)
    frame = _frame_of(arguments)
    _print_missing(frame, arguments.quiet)
    _fit_and_write(frame, arguments, given)


def run_demo(arguments: argparse.Namespace, given: list[str]) -> None:
    """Analyse the demo's own vectors."""
    _check_before_work(arguments)
    wordlist = load_wordlist("gender")
    if arguments.planted:
        _say(arguments, "Made-up vectors: associated pairs have cosine distance "
             f"{1 - _PLANTED_SIMILARITY:.2f} on average, all others 1.00.\n")  # fmt: skip
        planted = planted_embedding(wordlist, similarity=_PLANTED_SIMILARITY, seed=arguments.seed)
        frame = distances(planted.vectors, wordlist)
        result = _fit_and_write(frame, arguments, given)
        _say(arguments, _recovery(result, planted.expected_distance, arguments))
        return
    from bayesbias.demo import demo_embedding

    _say(arguments, "Training Word2Vec on the 530,000 words of text in gensim's wheel (once; about "
         "15 seconds) ...")  # fmt: skip
    frame = distances(demo_embedding(), wordlist)
    _print_missing(frame, arguments.quiet)
    _fit_and_write(frame, arguments, given)
    _say(
        arguments,
        "So little text gives noisy vectors and wide intervals; that is the lesson. For a real\n"
        "answer take pre-trained vectors: bayesbias analyze VECTORS --wordlist gender --out DIR",
    )


def _check_before_work(arguments: argparse.Namespace) -> None:
    """Find every mistake in the arguments before the first expensive step."""
    interval_of([0.0, 1.0], arguments.prob, arguments.interval)
    check_rope(arguments.rope)
    load_model(arguments.model)
    NutsSettings(**_sampling(arguments))
    if arguments.out is not None:
        check_folder(arguments.out, overwrite=arguments.overwrite)


def _frame_of(arguments: argparse.Namespace) -> pd.DataFrame:
    if (arguments.embedding is None) == (arguments.distances is None):
        raise ArgumentError("give either a file of word vectors or --distances FILE")
    if arguments.distances is not None:
        if arguments.wordlist is not None:
            raise ArgumentError("--wordlist goes with word vectors; --distances has its own words")
        return read_distances(arguments.distances, duplicates=arguments.duplicates)
    if arguments.wordlist is None:
        raise ArgumentError("word vectors need --wordlist; 'bayesbias wordlists list' shows some")
    wordlist = load_wordlist(arguments.wordlist)
    vectors = load_embedding(
        arguments.embedding,
        words=wordlist.words,
        fallbacks=arguments.fallback,
        limit=arguments.limit,
        trusted=arguments.trusted,
    )
    frame = distances(vectors, wordlist, fallbacks=arguments.fallback)
    path = Path(arguments.embedding)
    frame.attrs["source"]["embedding"] = path.name
    if path.is_file():
        frame.attrs["source"]["embedding_sha256"] = file_checksum(path)
    return frame


def _print_missing(frame: pd.DataFrame, quiet: bool) -> None:
    if quiet or not frame.attrs.get("missing"):
        return
    missing = missing_words(frame)
    for (role, name), part in missing.groupby(["role", "list"], sort=False):
        words = ", ".join(part["word"])
        where = f" of {name}" if name else ""
        print(f"missing {role} words{where} ({len(part)}): {_shortened(words)}")
    print()


def _shortened(text: str, width: int = 160) -> str:
    return text if len(text) <= width else text[:width].rsplit(",", 1)[0] + ", ..."


def _fit_and_write(frame: pd.DataFrame, arguments: argparse.Namespace, given: list[str]) -> Fit:
    n_words, n_attributes = frame[PROTECTED_WORD].nunique(), frame[ATTRIBUTE].nunique()
    _say(
        arguments,
        f"{len(frame):,} pairs: {n_words} protected words, {n_attributes} attributes. "
        f"Fitting model {load_model(arguments.model).name!r} ...",
    )
    result = fit(
        frame,
        model=arguments.model,
        seed=arguments.seed,
        engine=arguments.engine,
        **_sampling(arguments),
        progress=False if arguments.quiet else None,
    )
    _say(arguments, "\n" + summary_text(result, arguments.prob, arguments.interval, arguments.rope))
    if arguments.out is not None:
        write_results(
            result,
            arguments.out,
            prob=arguments.prob,
            interval=arguments.interval,
            rope=arguments.rope,
            command=shlex.join(["bayesbias", *given]),
            overwrite=arguments.overwrite,
        )
        _say(arguments, f"Tables, figures and the posterior are in {arguments.out}")
    return result


def _sampling(arguments: argparse.Namespace) -> dict[str, Any]:
    names = ("draws", "tune", "chains", "cores", "sampler", "target_accept", "parametrisation")
    return {name: getattr(arguments, name) for name in names}


def _recovery(result: Fit, planted: dict[str, float], arguments: argparse.Namespace) -> str:
    table = result.group_summary(prob=arguments.prob, interval=arguments.interval)
    lines = [f"Planted and recovered ({interval_label(arguments.prob, arguments.interval)}):"]
    for row in table.itertuples():
        truth = planted[row.connection]
        found = "inside" if row.low <= truth <= row.high else "outside"
        lines.append(
            f"  {row.connection:<10}  planted {truth:.2f}, recovered {row.mean:.3f} "
            f"[{row.low:.3f}, {row.high:.3f}]: {found}"
        )
    return "\n".join(lines)


def _say(arguments: argparse.Namespace, text: str) -> None:
    if not arguments.quiet:
        print(text)
        sys.stdout.flush()
