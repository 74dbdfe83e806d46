"""The commands ``wordlists list``, ``show``, ``check``, ``new`` and ``import``."""

import argparse
from dataclasses import asdict
from pathlib import Path
from typing import Any, Final

import bayesbias as bb
from bayesbias.cli.command import Command, Group
from bayesbias.cli.inputs import pairing
from bayesbias.cli.options import JSON, LOOKING_UP, NAMED_LIST, QUIET
from bayesbias.cli.output import call_with_options, in_option_terms, say, show, wrapped
from bayesbias.constants import REFERENCE
from bayesbias.errors import WordListError
from bayesbias.support.text_tables import Table, counted


def run_list(arguments: argparse.Namespace) -> None:
    """Print the shipped lists, one a line."""
    import pandas as pd

    rows = []
    for name in bb.list_wordlists():
        wordlist = bb.load_wordlist(name)
        stereotypes = [s for s in wordlist.attribute_sets if s.kind == "stereotype"]
        row = {
            "name": name,
            "title": wordlist.title,
            "protected words": len(wordlist.protected_words),
            "attributes": sum(len(s.words) for s in stereotypes),
        }
        rows.append(row)
    show(arguments, [Table(pd.DataFrame(rows))], {"wordlists": rows})


def run_show(arguments: argparse.Namespace) -> None:
    """Print a list's source, notes and words."""
    wordlist = bb.load_wordlist(arguments.wordlist)
    lines = [f"{wordlist.name}: {wordlist.title}"]
    lines.append(wrapped(f"source: {wordlist.source} {wordlist.url}".rstrip()))
    if wordlist.notes:
        lines.append(wrapped(f"notes: {' '.join(wordlist.notes.split())}"))
    for group in wordlist.groups:
        associated = ", ".join(group.associated)
        lines.append(f"\nprotected words {group.name!r}, associated with {associated}")
        lines.append(wrapped(", ".join(group.words), indent="  "))
    for attribute_set in wordlist.attribute_sets:
        lines.append(f"\n{attribute_set.kind} attributes {attribute_set.name!r}")
        lines.append(wrapped(", ".join(attribute_set.words), indent="  "))
    for name, levels in wordlist.factors.items():
        lines.append(f"\nfactor {name!r} of the groups")
        lines += [wrapped(f"{level}: {', '.join(of)}", indent="  ") for level, of in levels.items()]
    if wordlist.reference:
        lines.append("\nreference words, of no group")
        lines.append(wrapped(", ".join(wordlist.reference), indent="  "))
    show(arguments, lines, {**asdict(wordlist), "sha256": wordlist.checksum()})


def run_new(arguments: argparse.Namespace) -> None:
    """Write a template of a word list, with comments."""
    from bayesbias.support.bounded_files import read_text
    from bayesbias.support.shipped_data import data_folder

    path = Path(arguments.name if arguments.name.endswith(".toml") else f"{arguments.name}.toml")
    title = path.stem.replace('"', "'").replace("\\", "/")
    template = read_text(data_folder("wordlists") / "TEMPLATE.txt", WordListError)
    _write(arguments, path, template.replace("{title}", title))
    say(arguments, f"{path} is a template: edit it, then 'bayesbias wordlists check {path}'")


def run_import(arguments: argparse.Namespace) -> None:
    """Make a word list of four text files, or of a JSON file."""
    from bayesbias.pairs.foreign_lists import as_toml, file_data, four_sets, list_data
    from bayesbias.pairs.word_lists import checked_list, shipped_controls

    files = [Path(file) for file in arguments.files]
    sets = file_data(files[0]) if len(files) == 1 else four_sets(files)
    path = Path(arguments.out)
    data = {**list_data(sets, str(files[0]), shipped_controls())}
    if data["title"] == str(files[0]):
        data["title"] = path.stem
    wordlist = checked_list(files[0], data)
    _write(arguments, path, as_toml(data))
    say(arguments, f"{path}: {pairing(wordlist)}. Add its title and source, and reference words")


def _write(arguments: argparse.Namespace, path: Path, text: str) -> None:
    from bayesbias.support.whole_files import check_file, new_file

    check_file(path, overwrite=arguments.overwrite)
    with new_file(path) as temporary:
        Path(temporary).write_text(text, encoding="utf-8")


def run_check(arguments: argparse.Namespace) -> int:
    """Check a list and, with an embedding, which of its words are there; return 1 for a fault."""
    wordlist = bb.load_wordlist(arguments.wordlist)
    n_protected, n_attributes = len(wordlist.protected_words), len(wordlist.attributes)
    blocks: list[str | Table] = []
    faults: list[str] = []
    content: dict[str, Any] = {
        "name": wordlist.name,
        "protected_words": n_protected,
        "attributes": n_attributes,
        "factors": list(wordlist.factors),
        "sha256": wordlist.checksum(),
    }
    if arguments.embedding is not None:
        where = arguments.embedding
        vectors = call_with_options(bb.load_embedding, arguments, where, words=wordlist.words)
        found = bb.vocabulary_coverage(vectors, wordlist, fallbacks=arguments.fallbacks)
        rows = found.lists.to_dict("records")
        blocks.append("")
        blocks += [
            wrapped(in_option_terms(one, arguments.parser)) if isinstance(one, str) else one
            for one in found.blocks
        ]
        faults = [
            f"none of the words of {row['list']} is in the vectors"
            for row in rows
            if not row["found"] and row["role"] != REFERENCE
        ]
        content |= {"coverage": rows, "faults": faults}
    head = (
        f"{wordlist.name}: {counted(n_protected, 'protected word')} and "
        f"{counted(n_attributes, 'attribute')}"
        f"{', groups by ' + ' and '.join(wordlist.factors) if wordlist.factors else ''}, "
        f"{'; '.join(faults) or 'no faults found'}"
    )
    if said := _without_titles(wordlist):
        blocks += ["", wrapped(said)]
    show(arguments, [head, *blocks], content)
    return 1 if faults else 0


def _without_titles(wordlist: "bb.WordList") -> str:
    """Ask for the titles that groups and stereotypes lack; "" where all have one."""
    groups = [group.name for group in wordlist.groups if group.name not in wordlist.titles]
    sets = [s.name for s in wordlist.attribute_sets if s.kind == "stereotype"]
    lists = [name for name in sets if name not in wordlist.titles]
    if not groups and not lists:
        return ""
    say, give = f'the list "{next(iter(lists), "")}"', ' = "words for science"'
    if groups:
        say, give = f'words of "{groups[0]}"', f' = "words for {groups[0]}"'
    return (
        f"no [titles] of {', '.join([*groups, *lists])}: sentences say '{say}'; name the words in "
        f"plain plurals, such as {(groups or lists)[0]}{give}"
    )


_OVERWRITE: Final = "--overwrite  replace a file of this name"

COMMAND = Group(
    "wordlists",
    "list, show, check and make word lists",
    "bayesbias wordlists show religion",
    (
        Command("list", "list the shipped word lists", "bayesbias wordlists list", JSON, run_list),
        Command(
            "show",
            "print a word list",
            "bayesbias wordlists show religion",
            f"{NAMED_LIST}\n{JSON}",
            run_show,
        ),
        Command(
            "check",
            "check a word list, and which of its words an embedding has",
            "bayesbias wordlists check my-list.toml --embedding googlenews.bin",
            f"{NAMED_LIST}\n--embedding FILE  file of word vectors\n{LOOKING_UP}\n{JSON}",
            run_check,
        ),
        Command(
            "new",
            "write a template of a word list, with comments",
            "bayesbias wordlists new my-list",
            f"name NAME  of the file to write, such as my-list.toml\n{_OVERWRITE}\n{QUIET}",
            run_new,
        ),
        Command(
            "import",
            "make a word list of four text files (X Y A B; a word a line), or of JSON or CSV",
            "bayesbias wordlists import flowers.txt insects.txt pleasant.txt unpleasant.txt "
            "--out flowers.toml",
            f"files FILE*  four text files, X is associated with A and Y with B; a JSON file of "
            f"sent-bias, WEFE or IAT style; or a CSV file with a column for each\n"
            f"--out FILE!  the .toml file to write\n{_OVERWRITE}\n{QUIET}",
            run_import,
        ),
    ),
)
