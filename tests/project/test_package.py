"""What is public, and what travels in a wheel."""

import ast
import inspect
import pkgutil
import re
import subprocess
import sys
import tarfile
import zipfile
from types import ModuleType

import pytest
from samples import ROOT, run_python

import bayesbias as bb
from bayesbias import errors

ROOMS = [name for name in bb.__all__ if isinstance(getattr(bb, name), ModuleType)]
LAZY = [f"bayesbias.{room}" for room in ROOMS if hasattr(getattr(bb, room), "_MODULES")]


@pytest.mark.parametrize("package", ["bayesbias", *LAZY])
def test_type_checkers_read_the_names_that_are_loaded(package):
    """The imports under TYPE_CHECKING are those of the mapping, name by name."""
    module = pkgutil.resolve_name(package)
    (block,) = [n for n in ast.parse(inspect.getsource(module)).body if isinstance(n, ast.If)]
    imports = [node for node in block.body if isinstance(node, ast.ImportFrom)]
    homes = {name.asname: node.module for node in imports for name in node.names}
    loaded = {n: f"{package}.{m}".rstrip(".") for n, m in module._MODULES.items()}
    assert homes == loaded


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


def test_public_names_resolve_and_are_documented():
    for name in bb.__all__:
        assert inspect.getdoc(getattr(bb, name)), name
    assert set(bb.__all__) <= set(dir(bb))
    with pytest.raises(AttributeError, match="nonesuch"):
        _ = bb.nonesuch


@pytest.mark.parametrize(
    ("function", "positional"),
    [
        (bb.load_embedding, ["source"]),
        (bb.load_wordlist, ["name"]),
        (bb.distances, ["vectors", "wordlist"]),
        (bb.read_distances, ["path"]),
        (bb.analyze, ["vectors", "wordlist", "model"]),
        (bb.fit, ["frame", "model"]),
        (bb.compare, ["conditions", "wordlist"]),
        (bb.load_fit, ["path"]),
        *((method, ["vectors", "wordlist"]) for method in bb.debias.METHODS.values()),
        (bb.debias.choose_words, ["vectors"]),
        (bb.debias.corpus_genderedness, ["corpus", "vectors"]),
    ],
)
def test_options_are_keyword_only(function, positional):
    parameters = inspect.signature(function).parameters.values()
    assert [p.name for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD] == positional


def test_errors_are_one_family_and_suggest():
    classes = (c for name, c in inspect.getmembers(errors, inspect.isclass) if name[0] != "_")
    ours = [c for c in classes if issubclass(c, Exception) and not issubclass(c, Warning)]
    assert all(issubclass(c, errors.BayesBiasError) for c in ours)
    assert errors.suggest("xyz", ["abc"]) == "; Valid: abc"


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
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path)
        names = archive.namelist()
    assert set(names) >= {
        "bayesbias/py.typed",
        *("bayesbias/_data/wordlists/sources.bib", "bayesbias/vectors/shipped_vectors/README.md"),
        *(f"bayesbias/show/{n}" for n in ("page.html.jinja", "page.js", "answers.schema.json")),
    }
    assert not [n for n in names if n.startswith(("tests", "models/", "wordlists/"))]
    code = (
        "import bayesbias, bayesbias.support.toml_files as r; "
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
    shipped = "bayesbias/vectors/shipped_vectors/glove-840b-list-words.bin.gz"
    with zipfile.ZipFile(wheel) as archive:
        assert archive.getinfo(shipped).file_size < 500_000


def test_the_sdist_carries_the_data_and_the_tests(built):
    (sdist,) = built.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert names >= {
        *("wordlists/religion.toml", "models/paper.toml"),
        *("tests/conftest.py", "conftest.py", "LICENSE"),
        "bayesbias/vectors/shipped_vectors/glove-840b-list-words.bin.gz",
    }
