"""Model specifications from TOML files: the shipped ones, and those of a user's own.

A file has a likelihood, priors and a list of terms; a term is a name, the columns that it is by,
and a prior. A shipped variant has only the keys in which it differs from its base
(`models/variants.toml`), so that a change of `maximal` reaches all that follow it. Everything is
checked here, with the file and key of every fault and all faults at once; what is loaded is a
`ModelSpec`, which knows no file.
"""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, Final

from bayesbias.errors import ModelError, suggest
from bayesbias.inference.priors import Prior, read_prior
from bayesbias.inference.specification import TEXTS, ModelSpec
from bayesbias.inference.terms import REPLACED, TERM_KEYS, NoiseSpec, TermSpec
from bayesbias.support.shipped_data import data_folder, shipped_or_own
from bayesbias.support.toml_files import TomlFile

_CHOICES: Final = ("response", "likelihood")
_SWITCHES: Final = ("reference_words", "adapts")
_PRIOR_UNIT: Final = "prior_unit"
_TABLES: Final = ("connection_mean", "noise", "degrees_of_freedom")
_NOISE: Final = ("prior", "sd_by", "similar", "similar_share", "similar_connections")
_VARIANTS: Final = "variants"
_EXAMPLE: Final = 'such as prior = { distribution = "exponential", rate = 10.0 }'


def list_models() -> tuple[str, ...]:
    """Return the names of the shipped models.

    Examples
    --------
    >>> "paper" in list_models()
    True
    """
    files = {file.stem for file in data_folder("models").glob("*.toml")} - {_VARIANTS}
    return tuple(sorted(files | _variants().keys()))


def load_model(model: "str | Path | ModelSpec") -> ModelSpec:
    """Load a model by its name or its file's path; a specification is returned as it is.

    Raises
    ------
    ModelError
        If there is no such model, or the file breaks a rule of ``models/README.md``.

    Examples
    --------
    >>> print(load_model("paper").priors["connection_mean"])
    Normal(mean=1, sd=0.3)
    """
    if isinstance(model, ModelSpec):
        return model
    folder = data_folder("models")
    if str(model) in _variants():
        variant = _variants()[str(model)]
        file = TomlFile(folder / f"{variant['base']}.toml", ModelError)
        file.data = _varied(file.data, variant)
        return _specification(file, str(model))
    path = shipped_or_own(model, folder, list_models(), "model", ModelError)
    return _specification(TomlFile(path, ModelError), path.stem)


@cache
def _variants() -> Mapping[str, Mapping[str, Any]]:
    """Return what shipped models have that are others in all else, by their names."""
    return TomlFile(data_folder("models") / f"{_VARIANTS}.toml", ModelError).data


def _varied(base: Mapping[str, Any], variant: Mapping[str, Any]) -> dict[str, Any]:
    """Return the keys of a model's file with those of a variant in their place."""
    found = {key: value for key, value in base.items() if key not in TEXTS}
    own = {term["name"]: term for term in variant.get("terms", ())}
    gone = variant.get("without", ())
    terms = [own.get(t["name"], t) for t in base.get("terms", ()) if t["name"] not in gone]
    found |= {key: value for key, value in variant.items() if key not in ("base", "without")}
    if found.get("likelihood") == "student_t":  # which attributes that are similar do not go with
        kept = {key: v for key, v in found["noise"].items() if not key.startswith("similar")}
        found["noise"] = kept
        terms = [{key: v for key, v in term.items() if key != "similar"} for term in terms]
    return found | {"terms": terms}


def _specification(file: TomlFile, name: str) -> ModelSpec:
    path = file.path
    keys = (*TEXTS, *_CHOICES, *_SWITCHES, _PRIOR_UNIT, *_TABLES, "terms", "slopes")
    file.refuse_unknown(keys)
    content: dict[str, Any] = {key: file.text(key, required=key == "title") for key in TEXTS}
    content |= {key: file.text(key) for key in (*_CHOICES, _PRIOR_UNIT) if key in file.data}
    for key in _SWITCHES:
        content[key] = file.data.get(key, False)
        if not isinstance(content[key], bool):
            raise file.fail(key, "must be true or false")
    file.refuse_unknown(("prior", "fixed"), table="connection_mean")
    mean = file.table("connection_mean")
    if len(mean) > 1:
        raise file.fail("connection_mean", "has a prior and is fixed; delete one of the two")
    if "fixed" in mean:
        content["connection_mean"] = _number(file, "connection_mean.fixed", mean["fixed"])
    else:
        content["connection_mean"] = _prior(file, "connection_mean", mean)
    if "similar_prior" in file.table("noise"):
        raise file.fail("noise.similar_prior", REPLACED)
    file.refuse_unknown(_NOISE, table="noise")
    noise = {**file.table("noise"), "prior": _prior(file, "noise", file.table("noise"))}
    if "degrees_of_freedom" in file.data:
        file.refuse_unknown(("prior",), table="degrees_of_freedom")
        table = file.table("degrees_of_freedom")
        content["degrees_of_freedom"] = _prior(file, "degrees_of_freedom", table)
    try:
        if "similar_share" in noise:
            share = read_prior(file, "noise.similar_share", noise["similar_share"])
            noise["similar_share"] = share
        content["noise"] = NoiseSpec(**noise)
        return ModelSpec(name=name, terms=_terms(file), **content)
    except ModelError as error:
        if str(error).startswith(str(path)):
            raise
        raise ModelError(f"{path}: {error}") from None


def _prior(file: TomlFile, where: str, table: Mapping[str, Any]) -> Prior:
    if "prior" not in table:
        raise file.fail(where, f"lacks its prior, {_EXAMPLE}")
    return read_prior(file, f"{where}.prior", table["prior"])


def _number(file: TomlFile, where: str, value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise file.fail(where, "must be a number")
    try:
        return float(value)
    except OverflowError as error:
        raise file.fail(where, "is too large") from error


def _terms(file: TomlFile) -> tuple[TermSpec, ...]:
    found = []
    for table, kind in (("terms", "term"), ("slopes", "slope")):
        entries = file.data.get(table, [])
        if not isinstance(entries, list) or not all(isinstance(entry, dict) for entry in entries):
            raise file.fail(table, f"must be a list of tables, each written [[{table}]]")
        found += [_term(file, kind, number, entry) for number, entry in enumerate(entries, 1)]
    return tuple(found)


def _term(file: TomlFile, kind: str, number: int, entry: Mapping[str, Any]) -> TermSpec:
    name = entry.get("name")
    # Until its name is known to be one, a term is called by its place.
    where = f"{kind} {name!r}" if isinstance(name, str) and name else f"{kind} number {number}"
    no_keys, needed = (("similar", "sum_to_zero"), "of") if kind == "slope" else (("of",), "by")
    keys = [key for key in TERM_KEYS if key not in no_keys]
    for key in entry:
        if key not in keys:
            raise file.fail(f"{where}: {key}", f"unknown key{suggest(key, keys)}")
    for key in ("name", needed):
        if key not in entry:
            raise file.fail(where, f"lacks {key!r}; it is required")
    content = {"by": [], **entry}
    if entry.get("connections") == []:
        raise file.fail(f"{where}: connections", "is empty; delete it for everywhere")
    if "prior" in entry:
        content["prior"] = read_prior(file, f"{where}: prior", entry["prior"])
    if "sd" in entry:
        content["sd"] = _number(file, f"{where}: sd", entry["sd"])
    return TermSpec(**content)
