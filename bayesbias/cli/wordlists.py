"""The commands ``wordlists list``, ``show`` and ``check``."""

from dataclasses import asdict
from typing import Annotated, Any

import typer
from typer import Argument, Option

import bayesbias as bb
from bayesbias.cli import options as shared
from bayesbias.cli import output
from bayesbias.cli.app import Command, app

lists = typer.Typer(help="List, show and check word lists.", no_args_is_help=True)
app.add_typer(lists, name="wordlists")

ListName = Annotated[str, Argument(metavar="LIST", help="A shipped list, or a TOML or JSON file.")]


@lists.command("list", cls=Command)
def list_lists(as_json: shared.Json = False) -> None:
    """List the shipped word lists."""
    import pandas as pd

    rows = []
    for name in bb.list_wordlists():
        wordlist = bb.load_wordlist(name)
        stereotypes = [s for s in wordlist.attribute_sets if s.kind == "stereotype"]
        n_attributes = sum(len(s.words) for s in stereotypes)
        rows.append((name, wordlist.title, len(wordlist.protected_words), n_attributes))
    table = pd.DataFrame(rows, columns=["list", "title", "protected words", "attributes"])
    output.show(table.to_string(index=False), {"wordlists": table}, as_json=as_json)


@lists.command("show", cls=Command)
def show_list(wordlist: ListName, as_json: shared.Json = False) -> None:
    """Print a word list with its source."""
    words = bb.load_wordlist(wordlist)
    lines = [f"{words.name}: {words.title}", f"source: {words.source} {words.url}".rstrip()]
    lines += [f"notes: {' '.join(words.notes.split())}"] if words.notes else []
    for group in words.groups:
        own = f", associated with {', '.join(group.associated)}" if group.associated else ""
        lines.append(f"\ngroup {group.name}{own}\n  {', '.join(group.words)}")
    for attribute_set in words.attribute_sets:
        lines.append(
            f"\n{attribute_set.kind} attributes {attribute_set.name}\n"
            f"  {', '.join(attribute_set.words)}"
        )
    content = {**asdict(words), "sha256": words.checksum()}
    output.show("\n".join(lines), content, as_json=as_json)


@lists.command("check", cls=Command)
@shared.with_groups
def check_list(
    *,
    wordlist: ListName,
    vectors: Annotated[
        str | None, Option(metavar="VECTORS", help="Say which words these vectors have.")
    ] = None,
    as_json: shared.Json = False,
    reading: shared.Reading,
) -> int:
    """Check a word list and, with vectors, which of its words are there.

    Exit 1 if none of a list's words is there, 2 if the list itself is at fault.
    """
    words = bb.load_wordlist(wordlist)
    n_words, n_attributes = len(words.protected_words), len(words.attributes)
    content: dict[str, Any] = {
        **{"name": words.name, "protected_words": n_words, "attributes": n_attributes},
        "sha256": words.checksum(),
    }
    faults, details = [], ""
    if vectors is not None:
        coverage = bb.vocabulary_coverage(reading.load(vectors, words.words), words)
        rows, details = coverage.lists, f"\n\n{coverage!r}"
        absent = rows.loc[rows["found"] == 0, "list"]
        faults = [f"none of the words of {name} is in the vectors" for name in absent]
        content |= {"coverage": rows, "faults": faults}
    text = (
        f"{words.name}: {n_words} protected words, {n_attributes} attributes; "
        f"{'; '.join(faults) or 'no faults'}{details}"
    )
    output.show(text, content, as_json=as_json)
    return 1 if faults else 0
