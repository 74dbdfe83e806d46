"""BibTeX for the package, the paper that its method is from, and the sources of word lists.

``wordlists/sources.bib`` has the sources; the keywords of an entry are the lists that it is of.
"""

import re
from pathlib import Path
from typing import Final

from bayesbias import __version__
from bayesbias.errors import WordListError
from bayesbias.pairs.word_lists import WordList, list_wordlists, load_wordlist
from bayesbias.support.bounded_files import read_text
from bayesbias.support.rendering import as_latex
from bayesbias.support.shipped_data import data_folder

_METHOD: Final = "method"


def cite(wordlist: WordList | str | Path | None = None) -> str:
    """Return what to cite, as BibTeX: the package, the paper of its method, the list's sources.

    Parameters
    ----------
    wordlist : WordList, str or Path, optional
        A word list, or what `load_wordlist` takes.

    Examples
    --------
    >>> import bayesbias as bb
    >>> [line for line in bb.cite("weat1").splitlines() if line.startswith("@")]
    ['@software{bayesbias,', '@article{dobrzeniecka2023,', '@article{caliskan2017,']
    """
    names, own = {_METHOD}, []
    if wordlist is not None:
        found = load_wordlist(wordlist)
        if _is_shipped(found):
            names.add(found.name)
        else:
            own.append(_entry_of(found))
    sources = read_text(data_folder("wordlists") / "sources.bib", WordListError)
    entries = [entry.strip() for entry in sources.split("\n\n")]
    author = "{The bayesbias developers}"
    package = _written(
        "software", "bayesbias", author=author, title="bayesbias", version=__version__
    )
    return "\n\n".join([package, *(e for e in entries if names & _keywords(e)), *own])


def _is_shipped(wordlist: WordList) -> bool:
    name = wordlist.name
    return name in list_wordlists() and load_wordlist(name).source == wordlist.source


def _keywords(entry: str) -> set[str]:
    found = re.search(r"^  keywords = \{(.*)\},$", entry, re.MULTILINE)
    return set(found[1].split(", ")) if found else set()


def _entry_of(wordlist: WordList) -> str:
    """Return the entry of a list of the user's own, whose source is free text."""
    fields = {"title": wordlist.title, "note": f"Word list. {wordlist.source}", "url": wordlist.url}
    # Braces count in BibTeX whatever stands before them.
    plain = {name: re.sub(r"[{}]", "", " ".join(text.split())) for name, text in fields.items()}
    key = re.sub(r"\W+", "-", wordlist.name)
    escaped = {n: text if n == "url" else as_latex([text]) for n, text in plain.items() if text}
    return _written("misc", key, **escaped)


def _written(kind: str, key: str, **fields: str) -> str:
    lines = [f"  {name} = {{{value}}}," for name, value in fields.items()]
    return "\n".join([f"@{kind}{{{key},", *lines, "}"])
