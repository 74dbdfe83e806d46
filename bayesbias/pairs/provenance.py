"""Where the pairs of a frame came from, carried along in ``frame.attrs["bayesbias"]``.

pandas deep-copies ``attrs`` at every step, so the record is one object that is its own copy. It is
a dict of plain data, so that pandas can write it into Parquet files and json into a fit's file.
Attributes that users keep in ``attrs`` are never read.
"""

import sys
from collections.abc import Iterable, Mapping
from typing import Any, Final, NoReturn

import pandas as pd

from bayesbias.constants import MISSING_COLUMNS, TOPIC
from bayesbias.errors import DistancesError
from bayesbias.pairs.profile_records import are_profiles
from bayesbias.support.arguments import refuse_no_frame
from bayesbias.support.result import plain

KEY: Final = "bayesbias"  # the key in ``frame.attrs``
SIDES: Final[tuple[str, ...]] = ("before", "after")  # the two conditions of a change
RECORDED: Final = ("source", "missing")
"""The parts of the record that a fit's own record has; its file keeps profiles apart."""


class _Frozen(dict[str, Any]):
    """A dict of plain data that cannot be changed, and is therefore its own copy."""

    def _refuse(self, *args: object, **kwargs: object) -> NoReturn:
        raise TypeError(
            "the record of where pairs came from cannot be changed; use with_provenance"
        )

    __setitem__ = __delitem__ = __ior__ = _refuse
    clear = pop = popitem = setdefault = update = _refuse

    def __copy__(self) -> "_Frozen":
        return self

    def __deepcopy__(self, memo: object) -> "_Frozen":
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        return _Frozen, (dict(self),)


def with_provenance(
    frame: pd.DataFrame,
    *,
    source: Mapping[str, Any] | None = None,
    missing: Iterable[Mapping[str, str]] | None = None,
    profiles: Mapping[str, Any] | None = None,
) -> pd.DataFrame:
    """Record on a frame where its pairs came from, as plain data; return the same frame."""
    content: dict[str, Any] = {"source": source or {}}
    content |= {} if missing is None else {"missing": list(missing)}
    content |= {} if profiles is None else {"profiles": profiles}
    content = plain(content)
    if not is_sound(content):
        raise TypeError("source, missing and profiles must have the forms described")
    frame.attrs[KEY] = _frozen(content)
    return frame


def _frozen(value: Any) -> Any:
    if isinstance(value, Mapping):
        return _Frozen({key: _frozen(item) for key, item in value.items()})
    return tuple(map(_frozen, value)) if isinstance(value, list | tuple) else value


def provenance_of(frame: pd.DataFrame) -> Mapping[str, Any]:
    """Return the whole record of a frame, with some of the keys `RECORDED`; empty without one."""
    refuse_no_frame(frame)
    found = frame.attrs.get(KEY)
    if isinstance(found, _Frozen):
        return found
    # pandas itself reads Parquet files with a plain dict, and a user may have written anything.
    return found if isinstance(found, dict) and is_sound(found) else {}


def is_sound(record: Any) -> bool:
    """Return whether a record, perhaps one read from a file, has the form that is written here."""
    return (
        _fits(record, {"source": _SOURCE, "missing": [{str: str}]})
        and all(set(row) == set(MISSING_COLUMNS) for row in record.get("missing", ()))
        and are_profiles(record.get("profiles"))
    )


def _fits(value: Any, form: Any) -> bool:
    """Return whether plain data have a form: a type, a list of a form, or a dict of forms by key.

    The form of all keys without one of their own is that of the key `str`, or any.
    """
    if isinstance(form, list):
        return isinstance(value, list | tuple) and all(_fits(one, form[0]) for one in value)
    if isinstance(form, dict):
        return isinstance(value, dict) and all(
            isinstance(key, str) and _fits(one, form.get(key, form.get(str, object)))
            for key, one in value.items()
        )
    return isinstance(value, form) and (form is not _NUMBER or abs(value) <= sys.float_info.max)


_NUMBER: Final = int | float
_SOURCE: Final[dict[str, Any]] = {
    "factors": {str: {str: [str]}},
    "titles": {str: str},
    "frequency": {"of": str, "unknown": str, "values": {str: _NUMBER}},
    **dict.fromkeys(("wordlist", "wordlist_title", "wordlist_source"), str),
    **dict.fromkeys(("embedding", "file", "vectors_sha256", "capitals", "no_similarity"), str),
    "looked_up_in_lower_case": str,
    "lower_case": [str],
    "near_spellings": {str: str},
}
_SOURCE.update(before=_SOURCE, after=_SOURCE)
"""The form of those parts of a source that answers, and not only the record, are made from."""


def source_of(frame: pd.DataFrame) -> dict[str, Any]:
    """Return where the pairs of a frame came from; empty where that is not recorded."""
    source: dict[str, Any] = provenance_of(frame).get("source", {})
    return source


def kinds_of_words(frame: pd.DataFrame) -> list[str]:
    """Return the columns that say of which topic an attribute is, and a group of which levels."""
    named = (TOPIC, *source_part(frame, "factors"))
    return [column for column in named if column in frame.columns]


def source_part(frame: pd.DataFrame, part: str) -> dict[str, Any]:
    """Return a part of the source, or that of a change's sides.

    ``factors`` of crossed groups, or ``titles`` of groups and attribute sets.
    """
    source = source_of(frame)
    every = (source, source.get("before", {}), source.get("after", {}))
    return next((dict(one[part]) for one in every if one.get(part)), {})


def title_of(source: Mapping[str, Any]) -> str:
    """Return what pairs are of: the list's title and the embedding, or the file of distances."""
    if "wordlist" not in source:
        return str(source.get("file", "Associations in a word embedding"))
    where = f" in {source['embedding']}" if "embedding" in source else ""
    return f"{source.get('wordlist_title') or source['wordlist']}{where}"


def missing_of(frame: pd.DataFrame) -> tuple[Mapping[str, str], ...] | None:
    """Return the record of missing words, one mapping each; None where the frame has none."""
    missing = provenance_of(frame).get("missing")
    return None if missing is None else tuple(missing)


def missing_words(frame: pd.DataFrame) -> pd.DataFrame:
    """Return the words of the list that the frame could not use, with the reason.

    Parameters
    ----------
    frame : DataFrame
        From `distances` or `read_distances`.

    Returns
    -------
    DataFrame
        Columns ``word``, ``role`` (protected, attribute, reference or pair), ``list`` and
        ``reason``.

    Raises
    ------
    DistancesError
        If the frame has lost its record, as some pandas operations make it do.

    Examples
    --------
    >>> import bayesbias as bb
    >>> missing_words(bb.distances(bb.example_embedding(), "gender")).word.tolist()[:2]
    ['programmer', 'rancher']
    """
    missing = missing_of(frame)
    if missing is None:
        raise DistancesError(
            "this frame carries no record of missing words; take the frame that distances() or "
            "read_distances() returned, before it was merged or rebuilt"
        )
    return pd.DataFrame(missing, columns=list(MISSING_COLUMNS))
