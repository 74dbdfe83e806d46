"""What embeddings have to keep to before they are shipped: rules, from a TOML file.

A rule names a contrast, bounds for it, and how probable it must be that the contrast is within
them. With an attribute list it is about groups on that list, with a chance about unrelated groups
of words too. A rule by list without a list stands for one rule a list, so that a data set can be
guarded without naming all that it has. What a rule comes to is decided in `rules`; here every
fault of a file is found at once, with its key.
"""

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Final, Literal

from bayesbias.constants import CONTRASTS, CONTROL_CONNECTIONS
from bayesbias.errors import ArgumentError, suggest
from bayesbias.fits.between_groups import BETWEEN, LIST, compared_with
from bayesbias.fits.contrasts import contrast_name
from bayesbias.inference.model_files import load_model
from bayesbias.inference.specification import ModelSpec
from bayesbias.pairs.word_lists import WordList, load_wordlist
from bayesbias.studies.sweep_file import Source, embedding_source, loaded, whole
from bayesbias.support.arguments import as_path
from bayesbias.support.toml_files import TomlFile

UNITS: Final = ("cosine", "sd")
"""Of bounds: cosine distance, or standard deviations of a neutral pair's distance."""

_SHARED: Final = ("vectors", "wordlist", "model", "probability", "unit")
_OWN: Final = ("by", "contrast", "attribute_set", "group", "word", "at_least", "at_most", "chance")
_CONTRASTS: Final = {
    spelling: contrast_name(*pair)
    for pair in CONTRASTS
    for spelling in (contrast_name(*pair), " - ".join(pair))
}
_BY_LIST: Final = {n: n for n in (BETWEEN, *map(compared_with, reversed(CONTROL_CONNECTIONS)))}


@dataclass(frozen=True, kw_only=True)
class Rule:
    """With `probability` a contrast must lie from `at_least` to `at_most`; "" is all words.

    With an `attribute_set` it is between groups on this list. With a `chance`, unrelated groups
    must differ as much in at most this share.
    """

    name: str
    vectors: Source
    wordlist: WordList
    model: ModelSpec
    contrast: str
    attribute_set: str
    group: str
    word: str
    at_least: float | None
    at_most: float | None
    chance: float | None
    unit: Literal["cosine", "sd"]
    probability: float

    @property
    def by(self) -> str:
        """The level of the contrast."""
        if self.attribute_set:
            return LIST
        return "word" if self.word else "group" if self.group else "connection"

    @property
    def what(self) -> str:
        """The contrast and whose it is."""
        if self.attribute_set:
            return f"{self.contrast} on {self.attribute_set}"
        whose = self.word or self.group
        return f"{self.contrast} of {whose}" if whose else self.contrast


@dataclass(frozen=True)
class Rules:
    """Checked rules, and the seed of all fits."""

    rules: tuple[Rule, ...]
    seed: int = 1


def load_rules(path: str | Path) -> Rules:
    """Read rules from a TOML file; paths in it are relative to the file."""
    file = TomlFile(as_path(path), ArgumentError)
    file.refuse_unknown(("seed", "rules", *_SHARED))
    shared = {key: file.data[key] for key in _SHARED if key in file.data}
    seed = whole(file, "seed", file.data.get("seed", 1), 0)
    found = [
        file.attempt(_rules, file, name, entry, shared, Path(path).parent, otherwise=None)
        for name, entry in file.table("rules").items()
    ]
    file.refuse_faults()
    return Rules(tuple(rule for some in found if some is not None for rule in some), seed)


def _rules(
    file: TomlFile, name: str, entry: Any, shared: Mapping[str, Any], folder: Path
) -> tuple[Rule, ...]:
    """Return what an entry asks: by list, without a list named, a rule for each of them."""
    where = f"rules.{name}"
    if not isinstance(entry, dict):
        raise file.fail(where, f"must be a table, written [{where}]")
    file.refuse_unknown((*_SHARED, *_OWN), table=where, of=entry)
    given = {"model": "maximal", "probability": 0.95, "unit": "cosine", **shared, **entry}
    by_list = _is_by_list(file, where, given)
    given = {**({"contrast": BETWEEN} if by_list else {}), **given}
    for key in ("vectors", "wordlist", "contrast"):
        if key not in given:
            raise file.fail(f"{where}.{key}", "is required, here or for all rules")
    for key in ("contrast", "attribute_set", "group", "word", "unit"):
        if not isinstance(given.get(key, ""), str):
            raise file.fail(f"{where}.{key}", "must be a text in quotes")
    known_contrasts = _BY_LIST if by_list else _CONTRASTS
    if given["contrast"] not in known_contrasts:
        said = suggest(given["contrast"], dict.fromkeys(known_contrasts.values()))
        raise file.fail(f"{where}.contrast", f"{given['contrast']!r}{said}")
    if given["unit"] not in UNITS:
        raise file.fail(f"{where}.unit", f"{given['unit']!r}{suggest(given['unit'], UNITS)}")
    if given.get("group") and given.get("word"):
        raise file.fail(f"{where}.word", "stands beside group; give one of them")
    wordlist = loaded(file, f"{where}.wordlist", load_wordlist, given["wordlist"], folder)
    lists = _lists_of(wordlist)
    if by_list and not lists:
        said = f"no list of the word list {wordlist.name!r} is of some groups and not of others"
        raise file.fail(f"{where}.by", said)
    groups = tuple(one.name for one in wordlist.groups)
    known = {"attribute_set": lists, "group": groups, "word": wordlist.protected_words}
    for key, valid in known.items():
        if given.get(key) and given[key] not in valid:
            raise file.fail(f"{where}.{key}", f"{given[key]!r}{suggest(given[key], valid)}")
    model = loaded(file, f"{where}.model", load_model, given["model"], folder)
    if not model.is_gaussian or model.response == "change":
        raise file.fail(f"{where}.model", f"{model.name!r} needs chains or explains changes")
    rule = Rule(
        name=name,
        **_bounds(file, where, given, model),
        vectors=embedding_source(file, f"{where}.vectors", "vectors", given["vectors"], folder),
        wordlist=wordlist,
        model=model,
        contrast=known_contrasts[given["contrast"]],
        unit=given["unit"],
        **{key: given.get(key, "") for key in known},
    )
    if not by_list or rule.attribute_set:
        return (rule,)
    return tuple(replace(rule, name=f"{name}.{one}", attribute_set=one) for one in lists)


def _bounds(
    file: TomlFile, where: str, given: Mapping[str, Any], model: ModelSpec
) -> dict[str, Any]:
    """Return the numbers of a rule: where a contrast must lie, how surely, and by what chance."""
    least, most, chance, probability = (
        _number(file, where, key, given.get(key))
        for key in ("at_least", "at_most", "chance", "probability")
    )
    if least is None and most is None:
        raise file.fail(where, "needs a bound: at_least, at_most or both")
    if least is not None and most is not None and least >= most:
        raise file.fail(where, f"at_least = {least:g} must be below at_most = {most:g}")
    if chance is not None and not 0 < chance < 1:
        raise file.fail(f"{where}.chance", "must be above 0 and below 1")
    if chance is not None and given.get("word"):
        raise file.fail(f"{where}.chance", "is of groups; leave out word, or chance")
    if chance is not None and not model.is_similar:
        said = f"is not known in {model.name!r}, to which attributes are unrelated; take 'maximal'"
        raise file.fail(f"{where}.chance", said)
    # With .5 or less a rule could be kept and broken at once.
    if probability is None or not 0.5 < probability < 1:
        raise file.fail(f"{where}.probability", "must be above 0.5 and below 1")
    return {"at_least": least, "at_most": most, "chance": chance, "probability": probability}


def _is_by_list(file: TomlFile, where: str, given: Mapping[str, Any]) -> bool:
    """Tell whether a rule is about groups on a list, and refuse what does not go with that."""
    by = given.get("by", "")
    if by not in ("", LIST):
        raise file.fail(f"{where}.by", f"{by!r}{suggest(str(by), [LIST])}")
    if by and (given.get("group") or given.get("word")):
        raise file.fail(f"{where}.by", "compares all groups; leave out group and word")
    if "attribute_set" in given and not by:
        raise file.fail(f"{where}.attribute_set", f'needs by = "{LIST}"')
    return bool(by)


def _lists_of(wordlist: WordList) -> tuple[str, ...]:
    """Return the lists that some groups of a word list have and others have not."""
    counts = Counter(name for group in wordlist.groups for name in group.associated)
    n_groups = len(wordlist.groups)
    return tuple(s.name for s in wordlist.attribute_sets if 0 < counts[s.name] < n_groups)


def _number(file: TomlFile, where: str, key: str, value: Any) -> float | None:
    if value is None:
        return None
    if not isinstance(value, int | float) or isinstance(value, bool) or abs(value) == float("inf"):
        raise file.fail(f"{where}.{key}", f"{value!r} must be a number, without quotes")
    if value != value:
        raise file.fail(f"{where}.{key}", "must be a number, not nan")
    return float(value)
