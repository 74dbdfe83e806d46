"""What a debiasing did, in sentences: their templates, and which of them a record takes."""

from collections.abc import Sequence
from typing import Final

from bayesbias.debias.words import ALL, EVERY, SPECIFIC
from bayesbias.support.text_tables import counted, listed

_SHOWN: Final = 5

_DONE: Final = "The method {method} neutralised {n:,} of {words}{moved}: {left}"
_MOVED: Final = " and moved all"
_LEFT: Final = "{share} of their part along {what} is left"
_NONE_BEFORE: Final = "they had no part along {what} before"
_ERASED: Final = "the words that it learned from now have one mean in all classes"
_ONE: Final = "the bias direction"
_SEVERAL: Final = "the {k} bias directions"
_OF_WORDS: Final = "the words of its sets"
_LITTLE: Final = {
    "soft": "this removes little: give a larger weight than lam={value:g}",
    "half_sibling": "this removes little: give a smaller penalty than alpha={value:g}",
    "": "this removes little: choose another method, or other defining sets",
}
MUCH: Final = 0.5
"""A share that is left from which on a method is said to remove little."""

_EQUALISED: Final = "{words} of its sets differ along {what} alone: {sets}"
_REST: Final = {
    "left": "left as they were: {words}, such as {some} ({why})",
    "moved": "moved with the rest, not neutralised: {words}, such as {some} ({why})",
    "named": "the other {words} were not treated: their bias remains",
}
_WHY: Final = {
    SPECIFIC: "specific to a group, or kept",
    ALL: "of the defining sets, or kept",
    EVERY: "kept",
}
"""Why words were left, by the rule that chose the others."""

_TESTED: Final = (
    "the neutralised words are those that the list {name} tests: on this list alone, a comparison "
    "is no evidence"
)
_SUBSPACE: Final = "{what} {holds} {share:.0%} of what the words of {sets} differ in ({first})"
_NO_TEST: Final = (
    "that is so by construction: only a comparison tells whether the bias is gone from other words"
)


def _as_sentence(text: str) -> str:
    return f"{text[0].upper()}{text[1:]}."


def _what(method: str, k: int) -> str:
    if method == "half_sibling":
        return _OF_WORDS
    return _ONE if k == 1 else _SEVERAL.format(k=k)


def share_shown(share: float) -> str:
    """Write a share; what is neither nothing nor all is not rounded to it."""
    if share < 1e-6:
        return "nothing"
    if share < 0.005:
        return "less than 1%"
    return "more than 99%" if 0.995 < share < 1.0 - 1e-9 else f"{share:.0%}"


def done(method: str, n: int, n_words: int, k: int, left: float | None, *, all_move: bool) -> str:
    """Say how many words were neutralised, and how much they keep along the bias subspace."""
    words = {"method": method, "n": n, "words": counted(n_words, "word"), "what": _what(method, k)}
    words["moved"] = _MOVED if all_move else ""
    if method == "leace":
        said = _ERASED
    elif left is None:
        said = _NONE_BEFORE.format(**words)
    else:
        said = _LEFT.format(**words, share=share_shown(left))
    return f"{_DONE.format(**words, left=said)}."


def little(method: str, value: float | None) -> str:
    """Say what to do where a method leaves much; `value`: of its weight or penalty."""
    return _as_sentence(_LITTLE.get(method, _LITTLE[""]).format(value=value))


def equalised(method: str, sets: Sequence[Sequence[str]], k: int) -> str:
    """Say which words differ in the bias alone."""
    n = counted(len({word for one in sets for word in one}), "word")
    text = _EQUALISED.format(words=n, what=_what(method, k), sets=_named(sets))
    return _as_sentence(text)


def rest(kind: str, n: int, some: Sequence[str] = (), rule: str = "") -> str:
    """Say what became of all other words; `kind`: a key of `_REST`."""
    words = {"words": counted(n, "word"), "some": ", ".join(some[:_SHOWN]), "why": _WHY.get(rule)}
    return _as_sentence(_REST[kind].format(**words))


def tested(name: str) -> str:
    """Say that the words of a list alone were neutralised."""
    return _as_sentence(_TESTED.format(name=name))


def subspace(method: str, sets: Sequence[Sequence[str]], k: int, share: float) -> str:
    """Say what the bias subspace is."""
    words = {"what": _what(method, k), "holds": "holds" if k == 1 else "hold"}
    words |= {"sets": counted(len(sets), "defining set"), "first": _named(sets)}
    return _as_sentence(_SUBSPACE.format(**words, share=share))


def no_test() -> str:
    """Say that what a method sets is no evidence."""
    return _as_sentence(_NO_TEST)


def _named(sets: Sequence[Sequence[str]]) -> str:
    """Name the first sets."""
    more = "; …" if len(sets) > _SHOWN else ""
    return "; ".join(listed(list(one)) for one in sets[:_SHOWN]) + more
