"""Debiased vectors, and the record beside them: what a method did, and which words it used."""

import json
import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias

import pandas as pd

from bayesbias.errors import DataWarning, EmbeddingError, OutputError, counted
from bayesbias.show.result import Blocks, Result, Table
from bayesbias.support.arguments import Array, KeyedVectors
from bayesbias.support.bounded_files import file_checksum, read_text
from bayesbias.support.compatibility import versions
from bayesbias.support.whole_files import new_file
from bayesbias.vectors.loading import check_ending, write_vectors

SetTuples: TypeAlias = tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Dropped:
    """Words or a set that a method was given, as its role says, and could not use."""

    words: tuple[str, ...]
    role: str
    reason: str


@dataclass(frozen=True, eq=False, repr=False)
class DebiasRecord(Result):
    """What a method did, to which words, with which subspace.

    Parameters
    ----------
    method, n_words
        A name of `METHODS`, and how many words the vectors have.
    matched, equalised
        The sets that gave the subspace, and those made equal but for it.
    neutralised, all_but
        The words made neutral; where a rule chose them, the other words of the vectors, else None.
    dropped, notes
        Words given and not used, each with the reason, and what else to know.
    remaining : float or None
        Of the squared cosines of the neutralised words with the bias subspace, the share that is
        there after; None where they had none before, and of leace, which makes means equal.
    basis : ndarray, shape (k, dim)
        Orthonormal basis of the bias subspace, not to be changed; ``explained_variance`` has the
        share of the matched sets' variance along each vector of it.
    parameters, diagnostics
        The arguments, defaults included, and what a method computed on its way, such as the
        classifiers' accuracies (inlp).
    seed, versions
        None where nothing was random; the versions of packages.
    """

    method: str
    n_words: int
    matched: SetTuples
    neutralised: tuple[str, ...]
    all_but: tuple[str, ...] | None
    equalised: SetTuples
    dropped: tuple[Dropped, ...]
    notes: tuple[str, ...]
    remaining: float | None
    basis: Array
    explained_variance: tuple[float, ...]
    parameters: Mapping[str, Any]
    diagnostics: Mapping[str, Any] = field(default_factory=dict)
    seed: int | None = None
    versions: Mapping[str, str] = field(
        default_factory=partial(versions, ("bayesbias", "numpy", "gensim"))
    )

    @property
    def headline(self) -> str:
        """How many words the method neutralised, and what remains of their bias."""
        n_equal = len({word for words in self.equalised for word in words})
        equal = f"equalised {n_equal:,} and " if n_equal else ""
        k = len(self.basis)
        where = "the bias direction" if k == 1 else f"the {k} bias directions"
        if self.method == "leace":
            what = "the classes that it learned from now have one mean"
        elif self.remaining is None:
            what = f"they had no part along {where} before"
        else:
            share = "nothing" if self.remaining < 1e-6 else f"{self.remaining:.1%}"
            what = f"{share} of their part along {where} remains"
        n = f"{len(self.neutralised):,} of {counted(self.n_words, 'word')}"
        return f'The method "{self.method}" {equal}neutralised {n}: {what}.'

    @property
    def table(self) -> pd.DataFrame:
        """A row per word: ``word``, ``role``, ``used`` and, if not used, the ``reason``."""
        rows = [(word, "matched set", True, "") for words in self.matched for word in words]
        rows += [(word, "neutralise", True, "") for word in self.neutralised]
        rows += [(word, "equalise", True, "") for words in self.equalised for word in words]
        rows += [(word, d.role, False, d.reason) for d in self.dropped for word in d.words]
        return pd.DataFrame(rows, columns=["word", "role", "used", "reason"])

    def to_dict(self) -> dict[str, Any]:
        """Return the record as plain data, ready for JSON.

        Where a rule chose the words, ``neutralised`` is None, and ``all_but`` says it shorter.
        """
        content = {**super().to_dict(), "headline": self.headline}
        content["n_neutralised"] = len(self.neutralised)
        return content if self.all_but is None else {**content, "neutralised": None}

    @property
    def blocks(self) -> Blocks:
        """The headline, a line for the words of every role, and notes."""
        words = self.table.groupby(["role", "reason"], sort=False)["word"]
        some = words.agg(lambda own: ", ".join(own[:5]) + ", …" * (len(own) > 5))
        rows = pd.DataFrame({"n": words.size(), "such as": some}).reset_index()
        rows = rows[["role", "n", "such as", "reason"]]
        share = sum(self.explained_variance)
        variance = f"The bias subspace has {share:.0%} of the variance within matched sets."
        return [self.headline, "", Table(rows), "", variance, *self.notes]


@dataclass(frozen=True, eq=False, repr=False)
class Debiased:
    """New `vectors`, in the order of the old, which were not changed, and the `record` of them."""

    vectors: KeyedVectors
    record: DebiasRecord

    def save(self, path: str | Path) -> None:
        """Write the vectors as the ending says, and the record as JSON beside them.

        ``.txt`` and ``.vec`` are word2vec's text, ``.bin`` its binary, ``.kv`` gensim's own format.
        Both files are complete before either gets its name, and replace existing ones. The record's
        is named like the vectors' with ``.json`` behind, and holds their SHA-256. An OutputError if
        the ending is another, or a word has white space in it, which only ``.kv`` can hold.
        """
        check_ending(path)
        goal = Path(path)
        with (
            new_file(goal.with_name(goal.name + ".json")) as beside,
            new_file(goal) as temporary,  # gets its name first: the record speaks of what is there
        ):
            write_vectors(self.vectors, temporary)
            content = {"sha256": file_checksum(temporary, OutputError), **self.record.to_dict()}
            beside.write_text(json.dumps(content, indent=1, ensure_ascii=False), encoding="utf-8")

    def __repr__(self) -> str:
        return repr(self.record)


def words_used(record: DebiasRecord | Mapping[str, Any]) -> frozenset[str]:
    """Return the words that a method used, of its record or this as plain data.

    Those of the sets that gave the direction or were equalised, and those that a list named as
    neutral; not the words that a rule such as *all but specific* reached. In lower case, as the
    same word in other capitals is no other evidence.
    """
    content = record.to_dict() if isinstance(record, DebiasRecord) else record
    sets = [*content["matched"], *content["equalised"], content["neutralised"] or ()]
    return frozenset(word.lower() for words in sets for word in words)


def words_used_of_file(path: str | Path) -> frozenset[str] | None:
    """Return the words that the record beside a file of vectors names; None if there is none.

    A record whose checksum is that of another file is passed over with a `DataWarning`.
    """
    beside = Path(path).with_name(Path(path).name + ".json")
    if not beside.is_file() or not Path(path).is_file():
        return None
    try:
        content = json.loads(read_text(beside, EmbeddingError))
        words, checksum = words_used(content), content["sha256"]
    except (ValueError, KeyError, TypeError, AttributeError):
        return None  # somebody else's file
    if checksum == file_checksum(path, EmbeddingError):
        return words
    warnings.warn(
        f"{beside.name}: is the record of other vectors than {path} now holds (SHA-256), and was "
        f"not read; debias again to know what was done",
        DataWarning,
        stacklevel=2,
    )
    return None
