"""The layout of the package: its rooms and names; `lint-imports` keeps the direction."""

import pkgutil
import re
import tomllib
from types import ModuleType

import pytest
from samples import ROOT

import bayesbias as bb

PACKAGE = ROOT / "bayesbias"
ROOMS = {
    *("support", "vectors", "words", "models", "engine", "show", "fits", "measures", "analogies"),
    *("classifiers", "debias", "comparison", "cli"),
}
PUBLIC = [name for name in bb.__all__ if isinstance(getattr(bb, name), ModuleType)]


def test_rooms_are_few_and_the_top_level_is_thin():
    assert {p.name for p in PACKAGE.glob("*.py")} == {
        *("__init__.py", "__main__.py", "constants.py", "errors.py"),
    }
    rooms = [p for p in PACKAGE.iterdir() if p.is_dir() and p.name not in ("__pycache__", "_data")]
    assert {room.name for room in rooms} == ROOMS
    nested = [p for room in rooms for p in room.rglob("*.py") if p.parent != room]
    assert nested == []


@pytest.mark.parametrize("package", ["bayesbias", *(f"bayesbias.{name}" for name in PUBLIC)])
def test_no_module_bears_the_name_of_a_public_object(package):
    """An imported submodule would replace the object on its package."""
    module = pkgutil.resolve_name(package)
    inside = {m.name for m in pkgutil.iter_modules(getattr(module, "__path__", []))}
    assert inside & set(module.__all__) == (set(PUBLIC) if package == "bayesbias" else set())


@pytest.mark.parametrize("package", PUBLIC)
def test_a_public_package_has_its_public_names(package):
    """A lazy one shows no others: neither submodules that something imported, nor its imports."""
    module = pkgutil.resolve_name(f"bayesbias.{package}")
    if hasattr(module, "_MODULES"):
        assert sorted(dir(module)) == sorted(module.__all__)
    assert all(hasattr(module, name) for name in module.__all__)
    constants = {name for name in module.__all__ if name.isupper()}
    assert constants <= {"MEASURES", "METHODS", "SEAT_TEMPLATES"}


def test_nobody_spells_a_pair_key_by_hand():
    """`words/keys.py` says what makes a row a pair of its own: a run, a context, a layer count."""
    key = re.compile(r"(?<! in )[\[(]\W*(?:PROTECTED_WORD|protected_word)\W+attribute\b", re.I)
    assert key.search("frame.drop_duplicates([PROTECTED_WORD, ATTRIBUTE])")
    assert key.search("key = ('protected_word', 'attribute', *more)")
    paths = {p for p in PACKAGE.rglob("*.py") if key.search(p.read_text(encoding="utf-8"))}
    allowed = {"keys.py", "used.py", "fitting.py"}  # the last two look at one word after the other
    assert {path.name for path in paths} <= allowed


RECIPES = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")


@pytest.mark.parametrize(
    "path", sorted(set(re.findall(r"`((?:[\w.-]+/)+[\w.-]+\.(?:py|pyi|md|toml))`", RECIPES)))
)
def test_the_files_that_recipes_name_exist(path):
    if "NAME" in path:
        assert (ROOT / path).parent.is_dir()
        return
    assert (ROOT / path).is_file() or (PACKAGE / path).is_file()


def test_every_room_is_on_the_map():
    table = RECIPES.split("## The rooms")[1].split("## Recipes")[0]
    assert set(re.findall(r"`(\w+)`", table.split("|---|---|")[1].split("\n\n")[0])) >= ROOMS


def test_every_dependency_has_a_reason_and_they_are_few():
    text = (ROOT / "pyproject.toml").read_text(encoding="utf-8")
    lines = tomllib.loads(text)["project"]["dependencies"]
    assert all(re.fullmatch(r"[\w-]+>=[\d.]+", line) for line in lines)  # `.ci/run` reads floors
    wanted = [line.partition(">=")[0] for line in lines]
    table = RECIPES.split("## Dependencies")[1].split("\n## ")[0].split("|---|---|")[1]
    reasons = re.findall(r"^\| ([^|]+) \|", table, re.MULTILINE)
    assert sorted(wanted) == sorted(", ".join(reasons).split(", "))
    assert len(wanted) <= 17
