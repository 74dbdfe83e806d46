"""What every room needs and that knows nothing of bias: files, arguments, the machine.

Public names are loaded when they are first used, so that importing a package is cheap
(`lazy_names`). A package gives a mapping of its public names to the modules that define them; type
checkers read the same names from imports under ``TYPE_CHECKING``, beside it.
"""

from collections.abc import Callable, Mapping
from importlib import import_module
from typing import Any


def lazy_names(
    package: str, modules: Mapping[str, str]
) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """Return ``__getattr__``, ``__dir__`` and ``__all__`` of a package.

    A name whose module is "" is a module of the package itself.
    """

    def load(name: str) -> Any:
        if name not in modules:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        module = import_module(f"{package}.{modules[name] or name}")
        return getattr(module, name) if modules[name] else module

    names = sorted(modules)
    return load, lambda: names, names
