"""Finds the data folders `wordlists` and `models`, in a wheel or in a checkout.

A wheel carries them in ``bayesbias/_data``. An editable install sees the checkout, where
they lie beside the package; that place is used only if the ``pyproject.toml`` lying there
names this project, so that no stranger's ``models`` folder is ever picked up.
"""

import tomllib
from functools import cache
from importlib.resources import files
from pathlib import Path

from bayesbias.errors import BayesBiasError


@cache
def data_folder(name: str) -> Path:
    """Return the folder of shipped data files called `name`.

    Parameters
    ----------
    name : {"wordlists", "models"}
        The folder.

    Raises
    ------
    BayesBiasError
        If the installation lacks its data files.

    Examples
    --------
    >>> data_folder("wordlists").name
    'wordlists'
    """
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
    project = tomllib.loads(pyproject.read_text(encoding="utf-8")).get("project", {})
    return root / name if project.get("name") == "bayesbias" else None
