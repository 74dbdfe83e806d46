"""Scrubbing of explicit gender indicators and first names from English text.

The indicators are those of the Bios experiments: he, she, her, his, him, hers, himself, herself,
mr, mrs, ms, miss, and first names. Words that merely contain one (the, shed, HER2, he-man) are not
changed.
"""

import re
from collections.abc import Iterable, Mapping
from functools import lru_cache
from types import MappingProxyType
from typing import Final

from bayesbias.errors import ArgumentError, one_of

TARGETS: Final = ("remove", "neutral", "female", "male")
"""What indicators can be turned into."""

_COMMON_NAMES: Final = """
    Adam Alice Amanda Amy Andrew Angela Anna Anne Anthony Barbara Benjamin Betty Brian Carol
    Caroline Catherine Charles Christine Christopher Daniel David Deborah Diana Donald
    Dorothy Edward Elizabeth Emily Emma Eric Fiona Gary George Hannah Helen Henry Jacob
    James Jane Janet Jason Jennifer Jeremy Jessica Joan John Jonathan Joseph Joshua Judith
    Julia Julie Karen Kate Katherine Kathleen Keith Kenneth Kevin Kimberly Laura Linda Lisa
    Louise Lucy Margaret Maria Martin Mary Matthew Melissa Michael Michelle Nancy Nicholas
    Nicole Olivia Pamela Patricia Paul Peter Philip Rachel Rebecca Richard Robert Ruth
    Sandra Sarah Scott Sharon Simon Sophia Stephanie Stephen Steven Susan Teresa Thomas
    Timothy Victoria Virginia Walter William
"""
FIRST_NAMES: Final = tuple(_COMMON_NAMES.split())
"""Common English first names, chosen for this package. Names that are common words as well (Mark,
Will, Grace, Rose, Frank, Jack) are left out; give them as `first_names` where they are people."""

_PRONOUNS: Final[Mapping[str, Mapping[str, str]]] = MappingProxyType(
    {
        "female": {"he": "she", "him": "her", "himself": "herself"},
        "male": {"she": "he", "hers": "his", "herself": "himself"},
        "neutral": {
            "he": "they",
            "she": "they",
            "him": "them",
            "himself": "themself",
            "herself": "themself",
            "hers": "theirs",
        },
    }
)
_DETERMINER: Final = MappingProxyType({"female": "her", "male": "his", "neutral": "their"})
_OBJECT: Final = MappingProxyType({"female": "her", "male": "him", "neutral": "them"})
_POSSESSIVE: Final = MappingProxyType({"female": "hers", "male": "his", "neutral": "theirs"})
_TITLES: Final = MappingProxyType({"female": "Ms", "male": "Mr", "neutral": "Mx"})
_FEMALE_TITLES: Final = ("mrs", "ms", "miss")

# After "her" and "his" a word that begins no noun phrase shows that the pronoun is used alone.
_NO_NOUNS: Final = """
    a about after again all also although always an and are as at away back because before
    but by can could did do does down during every for from had has have here how if in into
    is it just may might must never next not now of off often on or out over she he since so
    some soon than that the their them then there they this through to today tomorrow too
    under until up was were what when where which while who why will with without would
    yesterday yet
"""
_FUNCTION_WORDS: Final = frozenset(_NO_NOUNS.split())

# No letter, digit or underscore around, nor a hyphen or an apostrophe that joins to one in front.
_START: Final = r"(?<!\w)(?<!\w[-'’])"
_END: Final = r"(?!\w)(?!-\w)"
_CONTRACTION: Final = r"(?P<tail>['’](?:s|d|ll|re|ve)\b)?"
_PRONOUN: Final = re.compile(
    rf"{_START}(?P<word>herself|himself|hers|her|his|him|she|he){_END}{_CONTRACTION}", re.IGNORECASE
)
_TITLE: Final = re.compile(
    rf"{_START}(?:(?P<word>(?i:mrs|mr)){_END}"
    rf"|(?P<capital>Ms|Miss){_END}(?=\.?\s+[A-Z])|(?P<capitals>MS|MISS){_END}(?=\.?\s+[A-Z]{{2}}))"
    r"(?P<dot>\.?)"
)
_NEXT_WORD: Final = re.compile(r"[ \t\n]+([^\W\d_][\w'’-]*)")


def scrub_gender(
    text: str, *, to: str = "remove", first_names: Iterable[str] = (), name: str = "Camille"
) -> str:
    """Replace explicit indicators of gender in an English text.

    Capitals are kept. "Miss" and "Ms" count only where capitalised before a capitalised word, and
    names joined by a hyphen (John-Paul) only if given so. "Her" becomes his or him, and "his" her
    or hers, by the word that follows; verbs are not made to agree with they ("they is"), but the
    contraction he's becomes they're. Other gendered words (actress, wife) stay.

    Parameters
    ----------
    to : {"remove", "neutral", "female", "male"}
        Delete pronouns, titles and first names; or turn pronouns and titles into they, their, Mx,
        or those of the other gender into those of this one. First names all become `name` then.
    first_names : iterable of str
        Names besides `FIRST_NAMES`. They count as names only where capitalised.
    name : str
        What every first name becomes, unless removed (the Bios experiments' choice by default).

    Examples
    --------
    >>> scrub_gender("Mrs. Mary Hall said that she loves her work.", to="male")
    'Mr. Camille Hall said that he loves his work.'
    >>> scrub_gender("The shepherd lost HIS sheep; then he's gone.", to="neutral")
    "The shepherd lost THEIR sheep; then they're gone."
    >>> scrub_gender("Then he told James about it.")
    'Then told about it.'
    """
    one_of(to, "to", TARGETS)
    if isinstance(first_names, str):
        raise ArgumentError(f"first_names={first_names!r}: give a list of names, not one text")
    names = _names(tuple(first_names))
    if to == "remove":
        for pattern in (names, _TITLE, _PRONOUN):
            text = pattern.sub("\0", text)
        return _without_marks(text)
    text = names.sub(lambda found: _like(found["word"], name) + _possession(found, name), text)
    text = _TITLE.sub(lambda found: _title(found, to), text)
    return _PRONOUN.sub(lambda found: _pronoun(found, to), text)


@lru_cache(maxsize=16)
def _names(own: tuple[str, ...]) -> re.Pattern[str]:
    """Return the pattern of first names, as given or in capitals."""
    for word in own:
        if not re.fullmatch(r"[^\W\d_]+(?:[-'’][^\W\d_]+)*", word):
            raise ArgumentError(f"first_names: {word!r} is not a single word")
    every = sorted({*FIRST_NAMES, *(w[0].upper() + w[1:] for w in own)}, key=len, reverse=True)
    options = "|".join(re.escape(form) for word in every for form in (word, word.upper()))
    return re.compile(
        rf"{_START}(?P<word>{options}){_END}(?P<tail>['’][sS]\b|(?<=[sS])['’](?=\s+\w))?"
    )


def _possession(found: re.Match[str], name: str) -> str:
    """Return the genitive of the new name, where the old one had one: James' is Camille's."""
    tail = found["tail"] or ""
    return tail + "s" if len(tail) == 1 and not name.endswith("s") else tail


def _pronoun(found: re.Match[str], to: str) -> str:
    """Return the replacement of a pronoun, with its contraction."""
    whole, word = found["word"], found["word"].lower()
    tail = found["tail"] or ""
    if word == "her" and to != "female":
        new = _DETERMINER[to] if _has_noun(found) else _OBJECT[to]
    elif word == "his" and to != "male":
        new = _DETERMINER[to] if _has_noun(found) else _POSSESSIVE[to]
    else:
        new = _PRONOUNS[to].get(word, word)
    if new == word:
        return whole + tail
    if new == "they" and tail[1:].lower() == "s":
        tail = tail[0] + ("RE" if tail[1:].isupper() and whole.isupper() else "re")
    return _like(whole, new) + tail


def _has_noun(found: re.Match[str]) -> bool:
    """Tell whether the next word may belong to the pronoun."""
    following = _NEXT_WORD.match(found.string, found.end())
    return following is not None and following[1].lower() not in _FUNCTION_WORDS


def _title(found: re.Match[str], to: str) -> str:
    whole = found["word"] or found["capital"] or found["capitals"]
    is_female = whole.lower() in _FEMALE_TITLES
    if (to == "female" and is_female) or (to == "male" and not is_female):
        return found[0]
    return _like(whole, _TITLES[to]) + found["dot"]


def _like(old: str, new: str) -> str:
    """Write a word with the capitals of another."""
    if len(old) > 1 and old.isupper():
        return new.upper()
    if old[0].isupper():
        return new[0].upper() + new[1:]
    return new.lower() if old.islower() else new


def _without_marks(text: str) -> str:
    """Take out what was marked for removal, with one of the spaces around it."""
    text = re.sub(r"(?<=[ \t])\0[ \t]+|^\0[ \t]+|[ \t]*\0", "", text, flags=re.MULTILINE)
    return text.replace("\0", "")
