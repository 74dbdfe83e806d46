"""What debiasing gives back: new vectors, and a record of what was done to them."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any, Final

import pandas as pd

from bayesbias.debias.words import Dropped
from bayesbias.errors import OutputError
from bayesbias.support.arrays import Array
from bayesbias.support.bounded_files import file_checksum
from bayesbias.support.compatibility import versions
from bayesbias.support.result import Result
from bayesbias.support.text_tables import Blocks, counted
from bayesbias.support.types import KeyedVectors
from bayesbias.support.whole_files import new_file

_SHOWN: Final = 5


@dataclass(frozen=True, eq=False, repr=False)
class DebiasRecord(Result):
    """What a method did, to which words, with which subspace.

    Parameters
    ----------
    method : str
        A name of `METHODS`.
    defining_sets, equalised
        The sets that gave the subspace, and those made equal but for it.
    neutralised : tuple of str
        The words made neutral. Soft debiasing changes every word; these are its neutral words.
    dropped, notes
        Words given and not used, each with the reason, and other decisions.
    basis : ndarray, shape (k, dim)
        Orthonormal basis of the bias subspace, not to be changed.
    explained_variance : tuple of float
        Share of the defining sets' variance along each basis vector.
    parameters, diagnostics
        The arguments, defaults included, and what a method found on its way, such as the
        classifiers' accuracies (inlp).
    seed : int or None
        None where nothing was random.
    versions : mapping
        From package to version.
    """

    method: str
    defining_sets: tuple[tuple[str, ...], ...]
    neutralised: tuple[str, ...]
    equalised: tuple[tuple[str, ...], ...]
    dropped: tuple[Dropped, ...]
    notes: tuple[str, ...]
    basis: Array
    explained_variance: tuple[float, ...]
    parameters: Mapping[str, Any]
    diagnostics: Mapping[str, Any] = field(default_factory=dict)
    seed: int | None = None
    versions: Mapping[str, str] = field(
        default_factory=partial(versions, ("bayesbias", "numpy", "gensim"))
    )

    @property
    def n_neutralised(self) -> int:
        """How many words were made neutral."""
        return len(self.neutralised)

    def to_dict(self) -> dict[str, Any]:
        """Return the record as plain data, ready for JSON."""
        return {**super().to_dict(), "n_neutralised": self.n_neutralised}

    def to_frame(self) -> pd.DataFrame:
        """Return a row per word: ``word``, ``role``, ``used`` and, if not used, the ``reason``."""
        rows = [(word, "defining set", True, "") for one in self.defining_sets for word in one]
        rows += [(word, "neutralise", True, "") for word in self.neutralised]
        rows += [(word, "equalise", True, "") for one in self.equalised for word in one]
        rows += [(word, d.role, False, d.reason) for d in self.dropped for word in d.words]
        return pd.DataFrame(rows, columns=["word", "role", "used", "reason"])

    @property
    def blocks(self) -> Blocks:
        """The method, and how many words it used."""
        shares = ", ".join(f"{share:.3f}" for share in self.explained_variance[:_SHOWN])
        shares += ", …" if len(self.explained_variance) > _SHOWN else ""
        return [
            f"{self.method}: {counted(len(self.defining_sets), 'defining set')}; subspace of "
            f"{counted(len(self.basis), 'dimension')} (explained variance {shares}); "
            f"{counted(self.n_neutralised, 'word')} neutralised; "
            f"{counted(len(self.equalised), 'set')} equalised; {len(self.dropped)} dropped",
            *self.notes,
        ]


@dataclass(frozen=True, eq=False, repr=False)
class Debiased(Result):
    """New `vectors`, in the order of the old, which were not changed, and the `record` of them."""

    vectors: KeyedVectors
    record: DebiasRecord

    def save(self, path: str | Path) -> None:
        """Write the vectors as word2vec binary, and the record as JSON beside them.

        Both are complete before either gets its name, and replace existing files. The record's
        file is named like the vectors' with ``.json`` behind, and holds their SHA-256. An
        OutputError if a word has white space in it, which the format reads as the end of a word.
        """
        for word in self.vectors.index_to_key:
            if not word or " " in word or "\n" in word:
                raise OutputError(
                    f"{path}: word2vec format cannot hold the word {word!r}; leave it out"
                )
        goal = Path(path)
        with (
            new_file(goal.with_name(goal.name + ".json")) as beside,
            new_file(goal) as temporary,  # gets its name first: the record speaks of what is there
        ):
            self.vectors.save_word2vec_format(str(temporary), binary=True)
            content = {"sha256": file_checksum(temporary, OutputError), **self.record.to_dict()}
            beside.write_text(json.dumps(content, indent=1, ensure_ascii=False), encoding="utf-8")

    def to_dict(self) -> dict[str, Any]:
        """Return the record as plain data; `save` writes the vectors."""
        return self.record.to_dict()

    def to_frame(self) -> pd.DataFrame:
        """Return the record's words, a row each."""
        return self.record.to_frame()

    @property
    def blocks(self) -> Blocks:
        """The size of the vectors, and the record."""
        n, dim = self.vectors.vectors.shape
        return [f"{n:,} debiased vectors of {dim} dimensions.", *self.record.blocks]
