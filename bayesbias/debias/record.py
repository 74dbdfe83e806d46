"""The record beside debiased vectors, read back: which words the method used.

Words that a method uses are no evidence that it worked. Hard debiasing makes every neutral word
equally far from both members of a defining pair, whatever the vectors know of their bias: such
distances are set, not found. The words that say something are those that it did not use.
"""

import json
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from bayesbias.constants import ATTRIBUTE, PROTECTED_WORD
from bayesbias.debias.steps import DebiasRecord
from bayesbias.errors import DataWarning, EmbeddingError
from bayesbias.pairs.word_lists import WordList, list_wordlists, load_wordlist
from bayesbias.support.bounded_files import file_checksum, read_text


@dataclass(frozen=True)
class Treatment:
    """What was done to vectors: by which method, to how many words, and which it used.

    `used` are the words of the sets that gave the direction or were equalised, and those that a
    list named as neutral; not the words that a rule such as *all but specific* reached. In lower
    case, as the same word in other capitals is no other evidence. `left`: the words that the rule
    left; None where a list named the neutral words.
    """

    method: str
    reached: tuple[str, ...]  # sentences
    used: frozenset[str]
    left: frozenset[str] | None = None

    @classmethod
    def of(cls, record: DebiasRecord | Mapping[str, Any]) -> "Treatment":
        """Take what a record, or its plain data, says."""
        content = record.to_dict() if isinstance(record, DebiasRecord) else record
        sets = [*content["defining_sets"], *content["equalised"], content["neutralised"] or ()]
        words = (word.lower() for one in sets for word in one)
        left = content["all_but"]
        named = frozenset(words), None if left is None else frozenset(left)
        return cls(content["method"], tuple(content["reached"]), *named)

    def was_used(self, words: pd.Series) -> pd.Series:
        """Tell which words the method used."""
        return words.str.lower().isin(self.used)

    def was_reached(self, words: pd.Series) -> pd.Series:
        """Tell which words the method used, or neutralised by a rule."""
        used = self.was_used(words)
        return used if self.left is None else used | ~words.isin(self.left)

    def not_used(self, frame: pd.DataFrame) -> pd.DataFrame:
        """Return the pairs of a frame neither of whose words the method used."""
        return frame[~self.was_used(frame[PROTECTED_WORD]) & ~self.was_used(frame[ATTRIBUTE])]


def treatment_of_file(path: str | Path) -> Treatment | None:
    """Read what the record beside a file of vectors says of it; None if there is none.

    A record whose checksum is that of another file is passed over with a `DataWarning`.
    """
    beside = Path(path).with_name(Path(path).name + ".json")
    if not beside.is_file() or not Path(path).is_file():
        return None
    try:
        content = json.loads(read_text(beside, EmbeddingError))
        treatment, checksum = Treatment.of(content), content["sha256"]
    except (ValueError, KeyError, TypeError, AttributeError):
        return None  # somebody else's file
    if checksum == file_checksum(path, EmbeddingError):
        return treatment
    warnings.warn(
        f"{beside.name}: is the record of other vectors than {path} now holds (SHA-256), and was "
        f"not read; debias again to know what was done",
        DataWarning,
        stacklevel=2,
    )
    return None


def lists_on_the_same_groups(wordlist: WordList) -> list[WordList]:
    """Return shipped lists that ask about the same groups, those with the same groups first.

    Their groups have the same names, or they have, for two of the groups at least, a part that
    holds words of this group and of no other.
    """
    words = {group.name: {word.lower() for word in group.words} for group in wordlist.groups}
    same_names, same_words = [], []
    for other in map(load_wordlist, list_wordlists()):
        if other.language != wordlist.language or other.checksum() == wordlist.checksum():
            continue
        lists = [group.words for group in other.groups]
        lists += [one.words for one in other.attribute_sets if one.kind == "stereotype"]
        parts = [{word.lower() for word in one} for one in lists]
        met = [[name for name, own in words.items() if own & part] for part in parts]
        if {group.name for group in other.groups} == set(words):
            same_names.append(other)
        elif len({names[0] for names in met if len(names) == 1}) > 1:
            same_words.append(other)
    return [*same_names, *same_words]
