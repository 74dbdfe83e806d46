"""Model specifications from TOML files: the shipped ones, and those of a user's own.

A shipped variant has only the keys in which it differs from its base (`models/variants.toml`), so
that a change of `maximal` reaches all that follow it.
"""

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

from bayesbias.errors import ModelError
from bayesbias.models.specification import TEXTS, ModelSpec
from bayesbias.support.bounded_files import TomlFile, data_folder, shipped_or_own


def list_models() -> tuple[str, ...]:
    """Return the names of the shipped models.

    Examples
    --------
    >>> "paper" in list_models()
    True
    """
    files = {file.stem for file in data_folder("models").glob("*.toml")} - {"variants"}
    return tuple(sorted(files | _variants().keys()))


def load_model(model: "str | Path | ModelSpec") -> ModelSpec:
    """Load a model by its name or its file's path; a specification is returned as it is.

    Raises
    ------
    ModelError
        If there is no such model, or the file breaks a rule of ``models/SCHEMA.md``.

    Examples
    --------
    >>> print(load_model("paper").priors["connection_mean"])
    Normal(mean=1, sd=0.3)
    """
    if isinstance(model, ModelSpec):
        return model
    folder, variant = data_folder("models"), _variants().get(str(model))
    if variant is None:
        path = shipped_or_own(model, folder, list_models(), "model", ModelError)
    else:
        path = folder / f"{variant['base']}.toml"
    file = TomlFile(path, ModelError)
    content = file.data if variant is None else _varied(file.data, variant)
    try:
        spec = ModelSpec.from_dict(content, name=path.stem if variant is None else str(model))
    except ModelError as error:
        raise ModelError(f"{path}: {error}") from None
    file.text("title", required=True)
    return spec


@cache
def _variants() -> Mapping[str, Mapping[str, Any]]:
    """Return what shipped models have that are others in all else, by their names."""
    return TomlFile(data_folder("models") / "variants.toml", ModelError).data


def _varied(base: Mapping[str, Any], variant: Mapping[str, Any]) -> dict[str, Any]:
    """Return the keys of a model's file with those of a variant in their place."""
    changed = {key: value for key, value in base.items() if key not in TEXTS}
    own = {term["name"]: term for term in variant.get("terms", ())}
    absent = variant.get("without", ())
    terms = [own.get(t["name"], t) for t in base.get("terms", ()) if t["name"] not in absent]
    changed |= {key: value for key, value in variant.items() if key not in ("base", "without")}
    if variant.get("likelihood") == "student_t":  # which similar attributes do not go with
        changed["noise"] = _independent(changed["noise"])
        terms = [_independent(term) for term in terms]
    return changed | {"terms": terms}


def _independent(part: Mapping[str, Any]) -> dict[str, Any]:
    return {key: value for key, value in part.items() if not key.startswith("similar")}
