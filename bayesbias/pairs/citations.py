"""BibTeX for the package, the papers that its method is from, and the sources of word lists.

``wordlists/sources.bib`` has the sources; the keywords of an entry are the lists that it is of. A
key is the first author's name and the year.
"""

import re
from functools import cache
from pathlib import Path
from typing import Final

from bayesbias import __version__
from bayesbias.errors import WordListError
from bayesbias.pairs.word_lists import WordList, list_wordlists, load_wordlist
from bayesbias.support.bounded_files import read_text
from bayesbias.support.rendering import as_latex
from bayesbias.support.shipped_data import data_folder

_METHOD: Final = "method"
_AUTHOR: Final = "{The bayesbias developers}"
_YEAR: Final = "2026"  # of this version


def cite(wordlist: WordList | str | Path | None = None) -> str:
    """Return what to cite, as BibTeX: the package, papers of its method, the list's sources.

    Keys are those of ``fit.report("latex")``.

    Parameters
    ----------
    wordlist : WordList, str or Path, optional
        A word list, or what `load_wordlist` takes.

    Examples
    --------
    >>> import bayesbias as bb
    >>> [line for line in bb.cite("weat1").splitlines() if line.startswith("@")][::6]
    ['@software{bayesbias,', '@article{antoniak2018,']
    """
    names, own = {_METHOD}, []
    if wordlist is not None:
        found = load_wordlist(wordlist)
        is_shipped = found.name in list_wordlists()
        if is_shipped and load_wordlist(found.name).source == found.source:
            names.add(found.name)
        else:
            own.append(_entry_of(found))
    fields = {"author": _AUTHOR, "title": "bayesbias", "version": __version__, "year": _YEAR}
    package = _written("software", "bayesbias", **fields, note="Python package")
    sources = [_with_url(entry) for entry in _entries().values() if names & _keywords(entry)]
    return "\n\n".join([package, *sources, *own])


@cache
def _entries() -> dict[str, str]:
    """Return the entries of the file of sources by their keys."""
    sources = read_text(data_folder("wordlists") / "sources.bib", WordListError)
    entries = [entry.strip() for entry in sources.split("\n\n")]
    return {entry[entry.index("{") + 1 : entry.index(",")]: entry for entry in entries}


def _with_url(entry: str) -> str:
    """Return an entry with the address that its DOI or number of arXiv gives."""
    for field, place in (("doi", "https://doi.org/"), ("eprint", "https://arxiv.org/abs/")):
        found = re.search(rf"^  {field} = \{{(.*)\}},$", entry, re.MULTILINE)
        if found and "\n  url = " not in entry:
            entry = entry.replace(found[0], f"{found[0]}\n  url = {{{place}{found[1]}}},")
    return entry


def cited_in(text: str) -> list[str]:
    """Return the keys of works that a text names by their first author and year."""
    found = re.findall(r"(\w+)(?:,| and| et al\.)?[^();]*?\((\d{4})\)", text)
    return [key for author, year in found if (key := f"{author.lower()}{year}") in _entries()]


def keys_of_list(name: str, source: str) -> list[str]:
    """Return the keys under which `cite` has the source of a word list."""
    if name in list_wordlists() and load_wordlist(name).source == source:
        return [key for key, entry in _entries().items() if name in _keywords(entry)]
    return [_own_key(name)]


def named(key: str) -> str:
    """Return a work's authors and year, as texts name it."""
    if key == "bayesbias":
        return f"{_AUTHOR.strip('{}')}, {_YEAR}"
    entry = _entries().get(key)
    if entry is None:
        return key
    text = {
        name: re.sub(r"\\.\s?|[{}]", "", value)
        for name, value in re.findall(r"^  (author|year) = \{(.*)\},$", entry, re.MULTILINE)
    }
    names = [one.partition(",")[0] for one in text["author"].split(" and ")]
    who = f"{names[0]} et al." if len(names) > 2 else " and ".join(names)
    return f"{who}, {text['year']}"


def _keywords(entry: str) -> set[str]:
    found = re.search(r"^  keywords = \{(.*)\},$", entry, re.MULTILINE)
    return set(found[1].split(", ")) if found else set()


def _entry_of(wordlist: WordList) -> str:
    """Return the entry of a list of the user's own, whose source is free text."""
    fields = {"title": wordlist.title, "note": f"Word list. {wordlist.source}", "url": wordlist.url}
    # Braces count in BibTeX whatever stands before them.
    plain = {name: re.sub(r"[{}]", "", " ".join(text.split())) for name, text in fields.items()}
    escaped = {n: text if n == "url" else as_latex([text]) for n, text in plain.items() if text}
    return _written("misc", _own_key(wordlist.name), **escaped)


def _own_key(name: str) -> str:
    return re.sub(r"[\W_]+", "-", name)


def _written(kind: str, key: str, **fields: str) -> str:
    lines = [f"  {name} = {{{value}}}," for name, value in fields.items()]
    return "\n".join([f"@{kind}{{{key},", *lines, "}"])
