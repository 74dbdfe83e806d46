"""Capitalised words of a list in vectors of lower-case text: what is recorded, and what is said."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Final

import pandas as pd

from bayesbias.pairs.provenance import SIDES, source_of
from bayesbias.support.text_tables import counted, join_words, quoted
from bayesbias.support.types import KeyedVectors
from bayesbias.vectors.lookup import lowered, lowered_by_default, spellings
from bayesbias.vectors.sources import capitals_of

LOWER_CASE: Final = "lower_case"
"""The key, in the source of pairs, of words that were found in lower case without being asked."""

NEAR: Final = "near_spellings"  # the key of missing words that the vectors have in another spelling
CASE: Final = "looked_up_in_lower_case"
"""The key of the sentence on these words where pairs are of several conditions."""

CAPITALS: Final = "capitals"  # the key of how many words of the vectors have capital letters
_MOST_NAMED: Final = 8


def lower_case_record(
    vectors: KeyedVectors, found: Mapping[str, str], fallbacks: Sequence[str] | None
) -> dict[str, Any]:
    """Return which words were found in lower case by default, and the fact that this rests on."""
    words = [
        word
        for word, key in found.items()
        if key in lowered_by_default(word, fallbacks)
        and key not in spellings([word], fallbacks or ())
    ]
    if not words:
        return {}
    return {LOWER_CASE: words, CAPITALS: str(capitals_of(vectors))}


def in_lower_case(frame: pd.DataFrame) -> list[str]:
    """Return the words of a frame that were found in lower case without being asked."""
    return list(source_of(frame).get(LOWER_CASE, ()))


def case_sentence(frame: pd.DataFrame) -> str:
    """Say which words of a frame were looked up in lower case, and why; nothing if none was."""
    source = source_of(frame)
    sides = {side: source[side] for side in SIDES if side in source}
    return str(source.get(CASE) or case_of_all(sides or {"": source}))


def case_of_all(sources: Mapping[str, Mapping[str, Any]]) -> str:
    """Say so of the sources of conditions by name; of those with the same words once."""
    alike: dict[tuple[str, ...], list[str]] = {}
    for name, source in sources.items():
        if words := tuple(source.get(LOWER_CASE, ())):
            alike.setdefault(words, []).append(name)
    if not alike:
        return ""
    said = [
        _said_of_case(words, names, [str(sources[name].get(CAPITALS, "")) for name in names])
        for words, names in alike.items()
    ]
    return f"{' '.join(said)} A name that is also a word, such as Will, has the vector of both."


def _said_of_case(words: Sequence[str], names: Sequence[str], capitals: Sequence[str]) -> str:
    none = all(one.startswith("0 ") for one in capitals)
    shown = ", ".join(words[:_MOST_NAMED]) + (", ..." if len(words) > _MOST_NAMED else "")
    where = join_words([name if name in SIDES else f"in {quoted(name)}" for name in names])
    said = (
        f"{f'{where}, the' if any(names) else 'the'} vectors have "
        f"{'no' if none else 'next to no'} capital letters "
        f"({join_words([*dict.fromkeys(capitals)])}): {counted(len(words), 'word')} "
        f"{'was' if len(words) == 1 else 'were'} looked up in lower case ({shown})."
    )
    return f"{said[0].upper()}{said[1:]}"


def hint_on_case(
    vectors: KeyedVectors, missing: Iterable[str], fallbacks: Sequence[str] | None
) -> str:
    """Return what to do about missing words with capitals, where the default did not find them."""
    words = [word for word in missing if lowered_by_default(word, fallbacks)]
    if "lower" in (fallbacks or ()) or not words:
        return ""
    capitals = capitals_of(vectors)
    if not capitals.n_words:
        return (
            "; whether these vectors have capital letters cannot be known: if they have none, load "
            "and look up words with fallbacks=['lower']"
        )
    there = [word for word in words if any(form in vectors.key_to_index for form in lowered(word))]
    if not there or any(capitals.lack(word) for word in there):
        return ""
    return (
        f"; the vectors have capital letters ({capitals}), so {counted(len(there), 'word')} found "
        f"only in lower case ({', '.join(there[:_MOST_NAMED])}) "
        f"{'is' if len(there) == 1 else 'are'} missing: fallbacks=['lower'] takes them"
    )
