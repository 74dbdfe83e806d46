"""The command ``analogy``: a query, a ranking of pairs, or a file of questions."""

import argparse
import shlex
from pathlib import Path
from typing import TYPE_CHECKING, Any

from bayesbias.analogies import accuracy, analogy, rank_pairs
from bayesbias.analogies.positions import SETTINGS
from bayesbias.analogies.questions import read_questions
from bayesbias.analogies.scoring import check_method, check_numbers
from bayesbias.cli.inputs import progress_of, say, show
from bayesbias.errors import ArgumentError
from bayesbias.report.folder_writing import write_manifest
from bayesbias.support.bounded_files import file_checksum
from bayesbias.support.compatibility import versions
from bayesbias.support.csv_files import write_csv
from bayesbias.support.whole_files import check_folder, new_folder
from bayesbias.vectors.loading import load_embedding
from bayesbias.vectors.lookup import spellings

if TYPE_CHECKING:
    from gensim.models import KeyedVectors


def run_analogy(arguments: argparse.Namespace, given: list[str]) -> None:
    """Ask what the words ask: three a query, two a ranking of pairs, none a file of questions."""
    check_method(arguments.method)
    check_numbers(top=arguments.top, delta=arguments.delta)
    spellings([], arguments.fallback)
    if arguments.out is not None:
        check_folder(arguments.out, overwrite=arguments.overwrite)
    n_words = len(arguments.words)
    if n_words not in ((0,) if arguments.questions else (2, 3)):
        raise ArgumentError(
            f"give three words a b c, two words a c to rank pairs, or --questions FILE and no "
            f"words; these are {n_words} words{' and a file' if arguments.questions else ''}"
        )
    questions = read_questions(arguments.questions) if arguments.questions else None
    vectors = load_embedding(
        arguments.embedding,
        limit=arguments.limit,
        trusted=arguments.trusted,
        progress=progress_of(arguments),
    )
    options: dict[str, Any] = {
        "delta": arguments.delta,
        "restrict_vocab": arguments.restrict_vocab,
        "fallbacks": tuple(arguments.fallback),
    }
    progress = progress_of(arguments)
    if questions is not None:
        scored = accuracy(
            vectors, questions, method=arguments.method, ignore_case=arguments.ignore_case,
            progress=progress, **options,
        )  # fmt: skip
        show(arguments, scored.blocks, scored.to_dict())
        tables = {"categories": scored.categories, "summary": scored.summary,
                  "answers": scored.answers, "skipped": scored.skipped}  # fmt: skip
        _write(arguments, given, vectors, tables, scored.to_dict(), scored.plot())
    elif n_words == 2:
        pairs = rank_pairs(
            vectors, *arguments.words, top=arguments.top, progress=progress, **options
        )
        show(arguments, pairs.blocks, pairs.to_dict())
        _write(arguments, given, vectors, {"pairs": pairs.to_frame()}, pairs.to_dict())
    else:
        found = analogy(
            vectors, *arguments.words, method=arguments.method, top=arguments.top,
            reported=arguments.reported, ignore_case=arguments.ignore_case, **options,
        )  # fmt: skip
        shown = SETTINGS if arguments.setting == "both" else (arguments.setting,)
        show(arguments, found.shown(shown), found.to_dict())
        tables = {"answers": found.to_frame(), "winners": found.winners}
        if arguments.reported is not None:
            tables["reported"] = found.reported
        _write(arguments, given, vectors, tables, found.to_dict())


def _write(
    arguments: argparse.Namespace,
    given: list[str],
    vectors: "KeyedVectors",
    tables: dict[str, Any],
    content: dict[str, Any],
    figure: Any = None,
) -> None:
    """Write tables, the figure if there is one, and a manifest into the folder asked for."""
    if arguments.out is None:
        return
    file = Path(arguments.embedding)
    with new_folder(arguments.out, overwrite=arguments.overwrite) as place:
        for name, table in tables.items():
            write_csv(table, place / f"{name}.csv")
        if figure is not None:
            figure.savefig(place / "accuracy.png", dpi=200)
        write_manifest(
            place,
            {
                "command": shlex.join(["bayesbias", *given]),
                "versions": versions(),
                "embedding": file.name,
                "embedding_sha256": file_checksum(file) if file.is_file() else None,
                "n_vectors": len(vectors.index_to_key),
                "parameters": content["parameters"],
            },
        )
    say(arguments, f"Tables are in {arguments.out}")
