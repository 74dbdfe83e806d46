"""Print the lowest versions that pyproject.toml allows, as a constraints file for pip.

``python .ci/floors.py EXTRA ...`` takes the dependencies and those of the extras named.
"""

import re
import sys
import tomllib
from pathlib import Path

_FLOOR = re.compile(r"([A-Za-z0-9][A-Za-z0-9._-]*)>=([0-9][0-9A-Za-z.]*)")


def floors(project: dict, extras: list[str]) -> list[str]:
    """Return a line ``name==lowest`` per dependency of a ``[project]`` table, each name once.

    Raises
    ------
    ValueError
        If an extra is unknown, or a dependency is not written ``name>=version`` or has two floors.
    """
    offered = project.get("optional-dependencies", {})
    for extra in extras:
        if extra not in offered:
            raise ValueError(f"no extra {extra!r}; there are {', '.join(offered) or 'none'}")
    found: dict[str, str] = {}
    tables = [project["dependencies"], *(offered[extra] for extra in extras)]
    for wanted in (line for table in tables for line in table):
        match = _FLOOR.fullmatch(wanted)
        if match is None:
            raise ValueError(f"{wanted!r} has no floor; write it name>=version")
        name, version = match.groups()
        if found.setdefault(name, version) != version:
            raise ValueError(f"{name} has two floors, {found[name]} and {version}")
    return [f"{name}=={version}" for name, version in sorted(found.items())]


if __name__ == "__main__":
    pyproject = Path(__file__).parents[1] / "pyproject.toml"
    table = tomllib.loads(pyproject.read_text(encoding="utf-8"))["project"]
    print("\n".join(floors(table, sys.argv[1:])))
