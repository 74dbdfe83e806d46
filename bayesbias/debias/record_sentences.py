"""What a debiasing did, in sentences: which template of ``record.jinja`` a record takes."""

from collections.abc import Sequence
from typing import Final

from bayesbias.support.text_tables import counted, join_words
from bayesbias.support.wording import Wording

tell: Final = Wording("bayesbias.debias", "record.jinja")

_SHOWN: Final = 5

MUCH: Final = 0.5
"""A share that is left from which on a method is said to remove little."""


def share_shown(share: float) -> str:
    """Write a share; what is neither nothing nor all is not rounded to it."""
    if share < 1e-6:
        return "nothing"
    if share < 0.005:
        return "less than 1%"
    return "more than 99%" if 0.995 < share < 1.0 - 1e-9 else f"{share:.0%}"


def done(
    method: str,
    n: int,
    n_words: int,
    left: float | None,
    sets: Sequence[Sequence[str]],
    *,
    k: int,
    all_move: bool,
    equalised: int,
) -> str:
    """Say how many words were neutralised, and how much they keep along the bias subspace."""
    share = "" if left is None else share_shown(left)
    words, some = counted(n_words, "word"), _named(sets, 1)
    equal = f"{equalised:,}" if equalised else ""
    return tell("done", method, k, f"{n:,}", words, share, all_move, some, equal)


def little(method: str, value: float | None) -> str:
    """Say what to do where a method leaves much; `value`: of its weight or penalty."""
    return tell("little", method, "" if value is None else f"{value:g}")


def equalised_sets(method: str, sets: Sequence[Sequence[str]], k: int) -> str:
    """Say which words differ in the bias alone."""
    n = counted(len({word for one in sets for word in one}), "word")
    return tell("equalised", method, k, n, _named(sets))


def rest(kind: str, n: int, some: Sequence[str] = (), rule: str = "") -> str:
    """Say what became of all other words: left, moved with the rest, or not named."""
    return tell("rest", kind, counted(n, "word"), ", ".join(some[:_SHOWN]), rule)


def tested(name: str) -> str:
    """Say that the words of a list alone were neutralised."""
    return tell("tested", name)


def of_subspace(method: str, sets: Sequence[Sequence[str]], k: int, share: float) -> str:
    """Say what the bias subspace is."""
    return tell(
        "subspace", method, k, f"{share:.0%}", counted(len(sets), "defining set"), _named(sets)
    )


def no_test(left: float | None) -> str:
    """Say that the share left is no evidence; by construction only where nothing is left."""
    return tell("no_test", left is None or share_shown(left) == "nothing")


def _named(sets: Sequence[Sequence[str]], most: int = _SHOWN) -> str:
    """Name the first sets."""
    more = "; …" if len(sets) > most else ""
    return "; ".join(join_words(list(one)) for one in sets[:most]) + more
