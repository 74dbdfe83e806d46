"""Where the pairs of a frame came from, carried along in ``frame.attrs["bayesbias"]``.

pandas deep-copies ``attrs`` at every step, so the record is one object that is its own copy. It is
a dict of plain data, so that pandas can write it into Parquet files and json into a fit's file.
Attributes that users keep in ``attrs`` are never read.
"""

from collections.abc import Iterable, Mapping
from typing import Any, Final

import pandas as pd

from bayesbias.constants import ATTRIBUTE_SET, CONNECTION, GROUP, MISSING_COLUMNS
from bayesbias.errors import DistancesError
from bayesbias.show.narrator import Names
from bayesbias.show.result import plain
from bayesbias.support.arguments import refuse_no_frame

KEY: Final = "bayesbias"  # the key in ``frame.attrs``
_TEXTS: Final = (
    *("wordlist", "wordlist_title", "wordlist_source"),
    *("embedding", "file", "vectors_sha256", "capitals"),
)


class _Record(dict[str, Any]):
    """A dict of plain data that is its own copy."""

    def __deepcopy__(self, memo: object) -> "_Record":
        return self


def with_provenance(
    frame: pd.DataFrame,
    *,
    source: Mapping[str, Any] | None = None,
    missing: Iterable[Mapping[str, str]] | None = None,
) -> pd.DataFrame:
    """Record on a frame where its pairs came from, as plain data; return the same frame."""
    content = plain(
        {"source": source or {}} | ({} if missing is None else {"missing": list(missing)})
    )
    if not is_sound(content):
        raise TypeError("source and missing must have the forms described")
    frame.attrs[KEY] = _Record(content)
    return frame


def provenance_of(frame: pd.DataFrame) -> Mapping[str, Any]:
    """Return the whole record of a frame, with the keys ``source`` and ``missing``, or neither."""
    refuse_no_frame(frame)
    record = frame.attrs.get(KEY)
    # pandas itself reads Parquet files with a plain dict, and a user may have written anything.
    is_record = isinstance(record, _Record) or (isinstance(record, dict) and is_sound(record))
    return record if is_record else {}


def is_sound(record: Any) -> bool:
    """Return whether a record, perhaps one read from a file, has the form that is written here.

    Of a source only the parts that answers, and not only the record, are made from.
    """
    try:
        source, missing = record.get("source", {}), record.get("missing", ())
        texts = [value for name, value in source.items() if name in _TEXTS]
        texts += [*source.get("titles", {}).values(), *source.get("lower_case", ())]
        texts += [value for row in missing for value in row.values()]
        return all(isinstance(text, str) for text in texts) and all(
            set(row) == set(MISSING_COLUMNS) for row in missing
        )
    except (AttributeError, TypeError):
        return False


def source_of(frame: pd.DataFrame) -> dict[str, Any]:
    """Return where the pairs of a frame came from; empty where that is not recorded."""
    source: dict[str, Any] = provenance_of(frame).get("source", {})
    return source


def names_of(frame: pd.DataFrame) -> Names:
    """Return what sentences call the groups and lists of a frame of distances."""
    groups, lists = (tuple(frame[column].unique()) for column in (GROUP, ATTRIBUTE_SET))
    owned = tuple(frame[ATTRIBUTE_SET][frame[CONNECTION] == "associated"].unique())
    return Names(source_of(frame).get("titles", {}), groups, lists, owned)


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
