"""The command ``analogy``: a query, a ranking of pairs, or a file of questions."""

import argparse
from pathlib import Path
from typing import Any

from bayesbias.cli import options as shared
from bayesbias.cli.command import Command, Option
from bayesbias.cli.options import flag, number, option, whole_number
from bayesbias.cli.output import asked_of, check_out, show, write_tables
from bayesbias.errors import ArgumentError
from bayesbias.support.types import KeyedVectors

_SETTINGS = {
    "both": "show both settings side by side (default)",
    "constrained": "show only answers that are no word of the query",
    "unconstrained": "show only answers that may be a word of the query",
}


def run(arguments: argparse.Namespace) -> None:
    """Ask what the words ask: three a query, two a ranking of pairs, none a file of questions."""
    from bayesbias.analogies.questions import read_questions
    from bayesbias.vectors.loading import load_embedding

    _check_before_work(arguments)
    questions = read_questions(arguments.questions) if arguments.questions else None
    how = asked_of(load_embedding, arguments, words=None, fallbacks=())
    vectors = load_embedding(arguments.embedding, **how)
    if questions is not None:
        _ask_all(arguments, vectors, questions)
    elif len(arguments.words) == 2:
        _rank(arguments, vectors)
    else:
        _ask(arguments, vectors)


COMMAND = Command(
    "analogy",
    "ask a : b :: c : ? with and without the query's own words as answers",
    "bayesbias analogy googlenews.bin man doctor woman --method all --both --reported nurse",
    (
        option("embedding EMBEDDING", "file of vectors, or gensim:NAME"),
        option(
            "words WORD",
            "a b c; or two words a c, to rank pairs b : d by Bolukbasi's formula",
            nargs="*",
        ),
        option("--questions FILE", "ask a file like questions-words.txt instead"),
        option("--method", "all (default), 3cosadd, 3cosmul or bolukbasi", default="all"),
        tuple(
            Option(
                f"--{setting}",
                {
                    "dest": "setting",
                    "action": "store_const",
                    "const": setting,
                    "default": "both",
                    "help": text,
                },
            )
            for setting, text in _SETTINGS.items()
        ),
        option("--top N", "answers (default 10)", whole_number, 10),
        option(
            "--delta D", "Bolukbasi's limit on the distance of b and d (default 1)", number, 1.0
        ),
        option("--restrict-vocab N", "only the first N words can be answers", whole_number),
        option("--reported WORD", "rank this word, reported by somebody"),
        flag("--ignore-case", "bar other spellings of the query's words in case too"),
        *shared.LOOKING_UP,
        *shared.output(),
    ),
    run,
)


def _check_before_work(arguments: argparse.Namespace) -> None:
    from bayesbias.analogies.scoring import check_method, check_numbers
    from bayesbias.vectors.lookup import spellings

    check_method(arguments.method)
    check_numbers(top=arguments.top, delta=arguments.delta)
    spellings([], arguments.fallbacks)
    check_out(arguments)
    n_words = len(arguments.words)
    if n_words not in ((0,) if arguments.questions else (2, 3)):
        raise ArgumentError(
            f"give three words a b c, two words a c to rank pairs, or --questions FILE and no "
            f"words; there are {n_words}{' and a file' if arguments.questions else ''}"
        )


def _ask_all(arguments: argparse.Namespace, vectors: KeyedVectors, questions: Any) -> None:
    from bayesbias.analogies import accuracy

    scored = accuracy(vectors, questions, **asked_of(accuracy, arguments))
    show(arguments, scored.blocks, scored.to_dict())
    names = ("categories", "summary", "answers", "skipped")
    tables = {name: getattr(scored, name) for name in names}
    manifest = _manifest(arguments, vectors, scored.to_dict())
    write_tables(arguments, tables, {"accuracy": scored.plot}, manifest)


def _rank(arguments: argparse.Namespace, vectors: KeyedVectors) -> None:
    from bayesbias.analogies import rank_pairs

    pairs = rank_pairs(vectors, *arguments.words, **asked_of(rank_pairs, arguments))
    show(arguments, pairs.blocks, pairs.to_dict())
    manifest = _manifest(arguments, vectors, pairs.to_dict())
    write_tables(arguments, {"pairs": pairs.to_frame()}, {}, manifest)


def _ask(arguments: argparse.Namespace, vectors: KeyedVectors) -> None:
    from bayesbias.analogies import analogy
    from bayesbias.analogies.positions import SETTINGS

    found = analogy(vectors, *arguments.words, **asked_of(analogy, arguments))
    shown = SETTINGS if arguments.setting == "both" else (arguments.setting,)
    show(arguments, found.shown(shown), found.to_dict())
    tables = {"answers": found.to_frame(), "winners": found.winners}
    if arguments.reported is not None:
        tables["reported"] = found.reported
    write_tables(arguments, tables, {}, _manifest(arguments, vectors, found.to_dict()))


def _manifest(
    arguments: argparse.Namespace, vectors: KeyedVectors, content: dict[str, Any]
) -> dict[str, Any]:
    from bayesbias.support.bounded_files import file_checksum

    file = Path(arguments.embedding)
    return {
        "embedding": file.name,
        "embedding_sha256": file_checksum(file) if file.is_file() and arguments.out else None,
        "n_vectors": len(vectors.index_to_key),
        "parameters": content["parameters"],
    }
