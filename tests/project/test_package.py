"""What is public, how the package is laid out, and what travels in a wheel.

`lint-imports` keeps the direction of imports.
"""

import ast
import inspect
import pkgutil
import re
import subprocess
import sys
import tarfile
import tomllib
import zipfile
from types import ModuleType

import pytest
from samples import ROOT, run_python

import bayesbias as bb
from bayesbias import errors

PACKAGE = ROOT / "bayesbias"
ROOMS = {
    *("support", "vectors", "words", "models", "engine", "show", "fits", "measures", "analogies"),
    *("classifiers", "debias", "comparison", "cli"),
}
PUBLIC = [name for name in bb.__all__ if isinstance(getattr(bb, name), ModuleType)]


@pytest.mark.parametrize("package", ["bayesbias", *(f"bayesbias.{name}" for name in PUBLIC)])
def test_public_names_are_there_and_hidden_by_no_module(package):
    """An imported submodule would replace the object of its name on its package.

    Of a lazy one, type checkers read the imports under TYPE_CHECKING: those of the mapping.
    """
    module = pkgutil.resolve_name(package)
    assert all(hasattr(module, name) for name in module.__all__)
    inside = {m.name for m in pkgutil.iter_modules(getattr(module, "__path__", []))}
    assert inside & set(module.__all__) == set(PUBLIC if package == "bayesbias" else ())
    if hasattr(module, "_MODULES"):
        (block,) = [n for n in ast.parse(inspect.getsource(module)).body if isinstance(n, ast.If)]
        imports = [node for node in block.body if isinstance(node, ast.ImportFrom)]
        homes = {name.asname: node.module for node in imports for name in node.names}
        assert homes == {n: f"{package}.{m}".rstrip(".") for n, m in module._MODULES.items()}
        assert package == "bayesbias" or sorted(dir(module)) == sorted(module.__all__)


@pytest.mark.parametrize(
    "folder", ["", "docs", "docs/evidence", "models", "wordlists", "benchmarks", "notebooks"]
)
def test_pages_name_what_there_is(folder):
    """What a page calls `bb.NAME` or `bayesbias.NAME` can be asked for by that name."""
    for path in sorted((ROOT / folder).glob("*")):
        if path.suffix not in (".md", ".py"):
            continue
        text = path.read_text(encoding="utf-8")
        for name in re.findall(r"(?<![\w.])bb\.((?:[a-z]\w*\.)?[A-Za-z]\w*)", text):
            if not name.endswith(".NAME"):
                pkgutil.resolve_name(f"bayesbias:{name}")


def test_public_names_are_documented():
    for name in bb.__all__:
        assert inspect.getdoc(getattr(bb, name)), name
    assert set(bb.__all__) <= set(dir(bb))
    for room in (bb.analogies, bb.classifiers, bb.debias, bb.measures, bb.vectors, bb.words):
        assert sorted(room.__all__) == dir(room)
    with pytest.raises(AttributeError, match="nonesuch"):
        _ = bb.nonesuch


def test_options_are_keyword_only():
    """After what is analysed, the list and the model."""
    functions = [getattr(bb, name) for name in bb.__all__] + [
        getattr(bb.debias, name) for name in bb.debias.__all__
    ]
    for function in filter(inspect.isfunction, functions):
        parameters = inspect.signature(function).parameters.values()
        names = [p.name for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD]
        assert len(names) <= 2 or names[2:] == ["model"], function.__name__


def test_errors_are_one_family():
    classes = (c for name, c in inspect.getmembers(errors, inspect.isclass) if name[0] != "_")
    ours = [c for c in classes if issubclass(c, Exception) and not issubclass(c, Warning)]
    assert all(issubclass(c, errors.BayesBiasError) for c in ours)
    assert errors.suggest("xyz", ["abc"]) == "; Valid: abc"


def test_rooms_are_few_and_the_top_level_is_thin():
    assert {p.name for p in PACKAGE.glob("*.py")} == {
        *("__init__.py", "__main__.py", "constants.py", "errors.py"),
    }
    rooms = [p for p in PACKAGE.iterdir() if p.is_dir() and p.name not in ("__pycache__", "_data")]
    assert {room.name for room in rooms} == ROOMS
    assert [p for room in rooms for p in room.rglob("*.py") if p.parent != room] == []


def test_nobody_spells_a_pair_key_by_hand():
    """`words/keys.py` says what makes a row a pair of its own: a run, a context, a layer count."""
    key = re.compile(r"(?<! in )[\[(]\W*(?:PROTECTED_WORD|protected_word)\W+attribute\b", re.I)
    assert key.search("frame.drop_duplicates([PROTECTED_WORD, ATTRIBUTE])")
    assert key.search("key = ('protected_word', 'attribute', *more)")
    paths = {p for p in PACKAGE.rglob("*.py") if key.search(p.read_text(encoding="utf-8"))}
    allowed = {"keys.py", "used.py", "fitting.py"}  # the last two look at one word after the other
    assert {path.name for path in paths} <= allowed


RECIPES = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")


def test_the_files_that_recipes_name_exist():
    paths = set(re.findall(r"`((?:[\w.-]+/)+[\w.-]+\.(?:py|pyi|md|toml))`", RECIPES))
    made = {path for path in paths if "NAME" in path}
    assert all((ROOT / path).parent.is_dir() for path in made)
    missing = [p for p in paths - made if not ((ROOT / p).is_file() or (PACKAGE / p).is_file())]
    assert missing == []


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


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """Wheel and sdist, built without a network by the build backend installed here."""
    folder = tmp_path_factory.mktemp("dist")
    done = run_python("-m", "hatchling", "build", "-d", folder)
    assert done.returncode == 0, done.stderr
    return folder


@pytest.mark.slow
def test_the_wheel_carries_the_data_and_runs(built, tmp_path):
    (wheel,) = built.glob("*.whl")
    shipped = "bayesbias/vectors/shipped_vectors/glove-840b-list-words.bin.gz"
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path)
        names = archive.namelist()
        assert archive.getinfo(shipped).file_size < 500_000
    assert set(names) >= {
        "bayesbias/py.typed",
        *("bayesbias/_data/wordlists/sources.bib", "bayesbias/vectors/shipped_vectors/README.md"),
        *(f"bayesbias/show/{n}" for n in ("page.html.jinja", "page.js", "answers.schema.json")),
    }
    assert not [n for n in names if n.startswith(("tests", "models/", "wordlists/"))]
    code = (
        "import bayesbias, bayesbias.support.bounded_files as r; "
        "print(bayesbias.__file__, r.data_folder('models'), *bayesbias.list_wordlists()); "
        "print(len(bayesbias.example_embedding()))"
    )
    # -S would lose the dependencies; the unpacked wheel goes before the editable install.
    done = subprocess.run(
        [sys.executable, "-c", f"import sys; sys.path.insert(0, {str(tmp_path)!r}); {code}"],
        cwd=tmp_path,
        check=True,
        capture_output=True,
        text=True,
    )
    assert done.stdout.startswith(str(tmp_path))
    assert "_data" in done.stdout
    assert "weat10" in done.stdout
    assert done.stdout.splitlines()[1] == "1311"


def test_the_sdist_carries_the_data_and_the_tests(built):
    (sdist,) = built.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert names >= {
        *("wordlists/religion.toml", "models/paper.toml"),
        *("tests/conftest.py", "conftest.py", "LICENSE"),
        "bayesbias/vectors/shipped_vectors/glove-840b-list-words.bin.gz",
    }
