"""The layout of the package: its rooms, the direction of its imports, its names."""

import ast
import pkgutil
import re
from graphlib import TopologicalSorter
from types import ModuleType

import grimp
import pytest
from samples import ROOT

import bayesbias as bb

PACKAGE = ROOT / "bayesbias"
PUBLIC = [name for name in bb.__all__ if isinstance(getattr(bb, name), ModuleType)]


@pytest.fixture(scope="module")
def graph():
    """Every import of the package, those inside functions and for types included."""
    return grimp.build_graph("bayesbias", cache_dir=None)


def test_no_two_modules_import_each_other_round_a_circle(graph):
    imports = {m: graph.find_modules_directly_imported_by(m) for m in graph.modules}
    order = list(TopologicalSorter(imports).static_order())  # raises CycleError on a circle
    assert len(order) == len(graph.modules)


def test_rooms_are_few_and_the_top_level_is_thin():
    assert {p.name for p in PACKAGE.glob("*.py")} == {
        *("__init__.py", "__main__.py", "constants.py", "errors.py", "models.py", "results.py"),
        "sweep.py",
    }
    rooms = [p for p in PACKAGE.iterdir() if p.is_dir() and p.name not in ("__pycache__", "_data")]
    assert len(rooms) == 13
    nested = [p for room in rooms for p in room.rglob("*.py") if p.parent != room]
    assert nested == []


@pytest.mark.parametrize("package", ["bayesbias", *(f"bayesbias.{name}" for name in PUBLIC)])
def test_no_module_bears_the_name_of_a_public_object(package):
    """An imported submodule would replace the object on its package."""
    module = pkgutil.resolve_name(package)
    inside = {m.name for m in pkgutil.iter_modules(getattr(module, "__path__", []))}
    assert inside & set(module.__all__) == (set(PUBLIC) if package == "bayesbias" else set())


@pytest.mark.parametrize("package", [*PUBLIC, "report"])
def test_a_public_package_shows_its_public_names_and_no_others(package):
    """Neither submodules that something imported, nor what the package itself imports."""
    module = pkgutil.resolve_name(f"bayesbias.{package}")
    assert sorted(dir(module)) == sorted(module.__all__)
    assert all(hasattr(module, name) for name in module.__all__)
    constants = {name for name in module.__all__ if name.isupper()}
    assert constants <= {"MEASURES", "METHODS", "SEAT_TEMPLATES"}


@pytest.mark.parametrize("room", ["report", "cli", "fits", "inference", "pairs", "studies"])
def test_modules_that_the_docstring_of_a_room_names_exist(room):
    package = pkgutil.resolve_name(f"bayesbias.{room}")
    inside = {m.name for m in pkgutil.iter_modules(package.__path__)}
    assert set(re.findall(r"(?<!`)`(\w+)`(?!`)", package.__doc__)) <= inside | set(dir(package))


def keys_by_hand(source):
    """Return the lines that put the two words of a pair side by side, but for loops over words."""
    nodes = list(ast.walk(ast.parse(source)))
    loops = (ast.For, ast.comprehension)
    looped = {id(n.iter) for n in nodes if isinstance(n, loops)}
    words = {"PROTECTED_WORD", "protected_word"}, {"ATTRIBUTE", "attribute"}
    lines = []
    for node in nodes:
        if isinstance(node, ast.List | ast.Tuple | ast.Set) and id(node) not in looped:
            named = {getattr(e, "id", getattr(e, "value", None)) for e in node.elts}
            if all(named & word for word in words):
                lines.append(node.lineno)
    return lines


def test_nobody_spells_a_pair_key_by_hand():
    """`pairs/keys.py` says what makes a row a pair of its own: a run, a context, a layer count."""
    assert keys_by_hand("frame.drop_duplicates([PROTECTED_WORD, ATTRIBUTE])") == [1]
    assert keys_by_hand("key = ('protected_word', 'attribute', *more)") == [1]
    spelled = {
        path.relative_to(PACKAGE).as_posix()
        for path in PACKAGE.rglob("*.py")
        if keys_by_hand(path.read_text(encoding="utf-8"))
    }
    assert spelled == {"constants.py", "pairs/keys.py"}


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
    rooms = {p.name for p in PACKAGE.iterdir() if (p / "__init__.py").exists()}
    table = RECIPES.split("## The rooms")[1].split("## Recipes")[0]
    assert set(re.findall(r"`(\w+)`", table.split("|---|---|")[1].split("\n\n")[0])) >= rooms
