"""The command ``analogy``: a query, a ranking of pairs, or a file of questions."""

import argparse
from pathlib import Path
from typing import Any

import bayesbias as bb
from bayesbias.cli import options as shared
from bayesbias.cli.command import Command
from bayesbias.cli.output import call_with_options, check_out, show, write_to_out
from bayesbias.errors import ArgumentError
from bayesbias.support.threads import on_all_threads


@on_all_threads
def run(arguments: argparse.Namespace) -> None:
    """Ask what the words ask: three a query, two a ranking of pairs, none a file of questions."""
    from bayesbias.analogies.positions import SETTINGS
    from bayesbias.support.bounded_files import file_checksum

    _check_before_work(arguments)
    questions = bb.analogies.read_questions(arguments.questions) if arguments.questions else None
    where = arguments.embedding
    vectors = call_with_options(bb.load_embedding, arguments, where, words=None, fallbacks=())
    figures = {}
    found: Any
    if questions is not None:
        found = call_with_options(bb.analogies.accuracy, arguments, vectors, questions)
        names = ("categories", "summary", "answers", "skipped")
        tables = {name: getattr(found, name) for name in names}
        blocks, figures = found.blocks, {"accuracy": found.plot}
    elif len(arguments.words) == 2:
        found = call_with_options(bb.analogies.rank_pairs, arguments, vectors, *arguments.words)
        blocks, tables = found.blocks, {"pairs": found.to_frame()}
    else:
        found = call_with_options(bb.analogies.analogy, arguments, vectors, *arguments.words)
        shown = SETTINGS if arguments.setting in (None, "both") else (arguments.setting,)
        blocks = found.shown(shown)
        tables = {"answers": found.to_frame(), "winners": found.winners}
        if arguments.reported is not None:
            tables["reported"] = found.reported
    content, file = found.to_dict(), Path(where)
    show(arguments, blocks, content)
    manifest = {
        "embedding": file.name,
        "embedding_sha256": file_checksum(file) if file.is_file() and arguments.out else None,
        "n_vectors": len(vectors.index_to_key),
        "parameters": content["parameters"],
    }
    write_to_out(arguments, tables, figures, manifest)


COMMAND = Command(
    "analogy",
    "ask a : b :: c : ? with and without the query's own words as answers",
    "bayesbias analogy googlenews.bin man doctor woman --method all --both --reported nurse",
    f"""
embedding EMBEDDING  file of vectors, or gensim:NAME
words WORD*  a b c; or two words a c, to rank pairs b : d by Bolukbasi's formula
--questions FILE  ask a file like questions-words.txt instead
--method METHOD = all  all (default), 3cosadd, 3cosmul or bolukbasi
--both -> setting='both'  show both settings side by side (default)
| --constrained -> setting='constrained'  show only answers that are no word of the query
| --unconstrained -> setting='unconstrained'  show only answers that may be a word of the query
--top N = 10  answers (default 10)
--delta D = 1.0  Bolukbasi's limit on the distance of b and d (default 1)
--restrict-vocab N  only the first N words can be answers
--reported WORD  rank this word, reported by somebody
--ignore-case  bar other spellings of the query's words in case too
{shared.LOOKING_UP}
{shared.OUTPUT}
""",
    run,
)


def _check_before_work(arguments: argparse.Namespace) -> None:
    from bayesbias.analogies.scoring import check_method, check_numbers
    from bayesbias.vectors.lookup import spellings

    check_method(arguments.method)
    check_numbers(top=arguments.top, delta=arguments.delta)
    spellings([], arguments.fallbacks or ())
    check_out(arguments)
    n_words = len(arguments.words)
    if n_words not in ((0,) if arguments.questions else (2, 3)):
        raise ArgumentError(
            f"give three words a b c, two words a c to rank pairs, or --questions FILE and no "
            f"words; there are {n_words}{' and a file' if arguments.questions else ''}"
        )
