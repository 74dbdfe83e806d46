"""The command ``analogies``: a query, a ranking of pairs, or a file of questions."""

from pathlib import Path
from typing import Annotated, Any

from typer import Argument, Option

import bayesbias as bb
from bayesbias.cli import options as shared
from bayesbias.cli import output
from bayesbias.cli.app import Command, app
from bayesbias.errors import ArgumentError


@app.command(cls=Command)
@shared.with_groups
def analogies(
    *,
    vectors: shared.Vectors,
    words: Annotated[
        list[str] | None,
        Argument(metavar="A B C", help="a : b :: c : ?; or two words a c, to rank pairs b : d."),
    ] = None,
    questions: Annotated[
        Path | None, Option(metavar="FILE", help="A file like questions-words.txt.")
    ] = None,
    method: Annotated[
        str | None, Option(metavar="METHOD", help="all, 3cosadd, 3cosmul or bolukbasi.")
    ] = None,
    top: Annotated[int, Option(metavar="N", help="Answers.")] = 10,
    delta: Annotated[
        float, Option(metavar="D", help="Bolukbasi's limit on the distance of b and d.")
    ] = 1.0,
    reported: Annotated[
        str | None, Option(metavar="WORD", help="Rank this word, reported by somebody.")
    ] = None,
    ignore_case: Annotated[
        bool, Option("--ignore-case", help="Exclude other spellings of the query's words too.")
    ] = False,
    as_json: shared.Json = False,
    reading: shared.Reading,
) -> None:
    """Ask a : b :: c : ? with and without the query's own words."""
    queries = words or []
    if len(queries) not in ((0,) if questions else (2, 3)):
        raise ArgumentError(
            f"give three words a b c, two words a c to rank pairs, or --questions FILE and no "
            f"words; there are {len(queries)}"
        )
    loaded = reading.load(vectors, None)
    formula: Any = {"ignore_case": ignore_case} | ({"method": method} if method else {})
    result: Any
    if questions is not None:
        result = bb.analogies.accuracy(loaded, questions, delta=delta, **formula)
    elif len(queries) == 2:
        result = bb.analogies.rank_pairs(loaded, *queries, top=top, delta=delta)
    else:
        options = {"top": top, "reported": reported, "delta": delta, **formula}
        result = bb.analogies.analogy(loaded, *queries, **options)
    output.show(repr(result), result.to_dict(), as_json=as_json)
