"""What embeddings have to keep to before they are shipped: rules, from a TOML file."""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Final, Literal

from bayesbias.constants import CONTRASTS
from bayesbias.errors import ArgumentError, suggest
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
_OWN: Final = ("contrast", "group", "word", "at_least", "at_most")
_CONTRASTS: Final = {
    spelling: contrast_name(*pair)
    for pair in CONTRASTS
    for spelling in (contrast_name(*pair), " - ".join(pair))
}


@dataclass(frozen=True)
class Rule:
    """With `probability` a contrast must lie from `at_least` to `at_most`; "" is all words."""

    name: str
    vectors: Source
    wordlist: WordList
    model: ModelSpec
    contrast: str
    group: str
    word: str
    at_least: float | None
    at_most: float | None
    unit: Literal["cosine", "sd"]
    probability: float

    @property
    def by(self) -> str:
        """The level of the contrast."""
        return "word" if self.word else "group" if self.group else "connection"

    @property
    def what(self) -> str:
        """The contrast and whose it is."""
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
        file.attempt(_rule, file, name, entry, shared, Path(path).parent, otherwise=None)
        for name, entry in file.table("rules").items()
    ]
    file.refuse_faults()
    return Rules(tuple(rule for rule in found if rule is not None), seed)


def _rule(file: TomlFile, name: str, entry: Any, shared: Mapping[str, Any], folder: Path) -> Rule:
    where = f"rules.{name}"
    if not isinstance(entry, dict):
        raise file.fail(where, f"must be a table, written [{where}]")
    file.refuse_unknown((*_SHARED, *_OWN), table=where, of=entry)
    given = {"model": "maximal", "probability": 0.95, "unit": "cosine", **shared, **entry}
    for key in ("vectors", "wordlist", "contrast"):
        if key not in given:
            raise file.fail(f"{where}.{key}", "is required, here or for all rules")
    for key in ("contrast", "group", "word", "unit"):
        if not isinstance(given.get(key, ""), str):
            raise file.fail(f"{where}.{key}", "must be a text in quotes")
    if given["contrast"] not in _CONTRASTS:
        said = suggest(given["contrast"], dict.fromkeys(_CONTRASTS.values()))
        raise file.fail(f"{where}.contrast", f"{given['contrast']!r}{said}")
    if given["unit"] not in UNITS:
        raise file.fail(f"{where}.unit", f"{given['unit']!r}{suggest(given['unit'], UNITS)}")
    if given.get("group") and given.get("word"):
        raise file.fail(f"{where}.word", "stands beside group; give one of them")
    wordlist = loaded(file, f"{where}.wordlist", load_wordlist, given["wordlist"], folder)
    known = {"group": tuple(one.name for one in wordlist.groups), "word": wordlist.protected_words}
    for key, valid in known.items():
        if given.get(key) and given[key] not in valid:
            raise file.fail(f"{where}.{key}", f"{given[key]!r}{suggest(given[key], valid)}")
    model = loaded(file, f"{where}.model", load_model, given["model"], folder)
    if not model.is_gaussian or model.response == "change":
        raise file.fail(f"{where}.model", f"{model.name!r} needs chains or explains changes")
    least, most = (_number(file, where, key, given.get(key)) for key in ("at_least", "at_most"))
    if least is None and most is None:
        raise file.fail(where, "needs a bound: at_least, at_most or both")
    if least is not None and most is not None and least >= most:
        raise file.fail(where, f"at_least = {least:g} must be below at_most = {most:g}")
    probability = _number(file, where, "probability", given["probability"])
    if probability is None or not 0.5 < probability < 1:
        raise file.fail(f"{where}.probability", "must be above 0.5 and below 1")
    return Rule(
        name,
        embedding_source(file, f"{where}.vectors", "vectors", given["vectors"], folder),
        wordlist,
        model,
        _CONTRASTS[given["contrast"]],
        given.get("group", ""),
        given.get("word", ""),
        least,
        most,
        given["unit"],
        probability,
    )


def _number(file: TomlFile, where: str, key: str, value: Any) -> float | None:
    if value is None:
        return None
    if not isinstance(value, int | float) or isinstance(value, bool) or abs(value) == float("inf"):
        raise file.fail(f"{where}.{key}", f"{value!r} must be a number, without quotes")
    if value != value:
        raise file.fail(f"{where}.{key}", "must be a number, not nan")
    return float(value)
