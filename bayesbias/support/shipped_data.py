"""Finds the data folders `wordlists` and `models`, in a wheel or in a checkout.

A wheel carries them in ``bayesbias/_data``. An editable install sees the checkout, where
they lie beside the package; that place is used only if the ``pyproject.toml`` lying there
names this project, so that no stranger's ``models`` folder is ever picked up.
"""

import os
import tomllib
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Final

from bayesbias.errors import BayesBiasError, suggest
from bayesbias.support.arguments import as_path
from bayesbias.support.bounded_files import open_regular


@cache
def data_folder(name: str) -> Path:
    """Return the folder of shipped data, ``wordlists`` or ``models``."""
    package = Path(str(files("bayesbias")))
    for folder in (package / "_data" / name, _checkout_folder(package.parent, name)):
        if folder is not None and folder.is_dir():
            return folder
    raise BayesBiasError(
        f"this installation of bayesbias lacks its {name!r} folder; reinstall the package"
    )


def _checkout_folder(root: Path, name: str) -> Path | None:
    pyproject = root / "pyproject.toml"
    if not pyproject.is_file():
        return None
    with open_regular(pyproject, BayesBiasError) as stream:
        project = tomllib.load(stream).get("project", {})
    return root / name if project.get("name") == "bayesbias" else None


_OTHERS: Final = {
    "model": (
        "wordlists",
        "a word list",
        "distances have the words of their list already: leave it out, or name a model such as "
        "maximal",
    ),
    "word list": ("models", "a model", "name a word list such as gender, and the model beside it"),
}
"""Where the names of the other kind are, what they are called, and what to do."""


def shipped_or_own(
    name: str | Path, folder: Path, shipped: Sequence[str], what: str, error: type[BayesBiasError]
) -> Path:
    """Return the TOML file that a shipped name, without its ending, or a path means."""
    if not isinstance(name, str | Path):
        raise error(
            f"{type(name).__name__} is not a {what}: give a name, or the path of a .toml file; "
            f"names: {', '.join(shipped)}"
        )
    if str(name) in shipped:
        return folder / f"{name}.toml"
    path = as_path(name)
    if not path.suffix and not (os.path.isfile(path) or os.path.isdir(name)):
        elsewhere, other, advice = _OTHERS.get(what, ("", "", ""))
        if elsewhere and os.path.isfile(data_folder(elsewhere) / f"{name}.toml"):
            raise error(f"{str(name)!r} is the name of {other}, not of a {what}; {advice}")
        raise error(
            f"no {what} called {str(name)!r}{suggest(str(name), shipped)}; give your own by "
            f"the path of its .toml file"
        )
    return path
