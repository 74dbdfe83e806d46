"""What is public, and what travels in a wheel."""

import inspect
import pkgutil
import re
import subprocess
import sys
import tarfile
import zipfile

import pytest
from samples import ROOT

import bayesbias as bb
from bayesbias.errors import BayesBiasError, suggest
from bayesbias.support.shipped_data import data_folder

TOP = """
    analogies classifiers debias measures models pairs results simulate sweep vectors
    BayesBiasError BayesBiasWarning DecisionRule WordList check_rules cite compare_change
    compare_embeddings compare_held_out compare_models compare_wordlists distances
    example_embedding facts fit list_models list_wordlists load_embedding load_fit load_model
    load_wordlist missing_words over_time plan_wordlist read_distances vocabulary_coverage
    write_distances write_report
"""


def test_the_public_names_are_these():
    assert sorted(bb.__all__) == sorted(TOP.split())


@pytest.mark.parametrize("folder", ["", "docs", "models", "wordlists", "benchmarks", "notebooks"])
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
        (bb.fit, ["frame", "model"]),
        (bb.load_fit, ["path"]),
        *((method.function, ["vectors", "wordlist"]) for method in bb.debias.METHODS.values()),
        (bb.debias.choose_words, ["vectors"]),
        (bb.debias.corpus_genderedness, ["corpus", "vectors"]),
    ],
)
def test_options_are_keyword_only(function, positional):
    parameters = inspect.signature(function).parameters.values()
    assert [p.name for p in parameters if p.kind is p.POSITIONAL_OR_KEYWORD] == positional


def test_errors_are_one_family_and_suggest():
    import bayesbias.errors as errors

    kinds = [
        c
        for name, c in inspect.getmembers(errors, inspect.isclass)
        if issubclass(c, Exception) and not name.startswith("_")
    ]
    ours = [c for c in kinds if not issubclass(c, Warning)]
    assert all(issubclass(c, BayesBiasError) for c in ours)
    assert suggest("xyz", ["abc"]) == "; Valid: abc"


@pytest.fixture(scope="module")
def built(tmp_path_factory):
    """Wheel and sdist, built without a network by the build backend installed here."""
    folder = tmp_path_factory.mktemp("dist")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-d", str(folder)],
        cwd=ROOT,
        check=True,
        capture_output=True,
    )
    return folder


@pytest.mark.slow
def test_the_wheel_carries_the_data_and_runs(built, tmp_path):
    (wheel,) = built.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(tmp_path)
        names = archive.namelist()
    assert set(names) >= {
        *("bayesbias/py.typed", "bayesbias/_data/models/classifiers/gaps.toml"),
        *("bayesbias/_data/wordlists/sources.bib", "bayesbias/vectors/shipped_vectors/README.md"),
        *(f"bayesbias/report/templates/{n}" for n in ("report.html.j2", "style.css", "report.js")),
    }
    assert not [n for n in names if n.startswith(("tests", "models/", "wordlists/"))]
    code = (
        "import bayesbias, bayesbias.support.shipped_data as r; "
        "print(bayesbias.__file__, r.data_folder('models'), *bayesbias.list_wordlists()); "
        "import bayesbias.report.render as p; "
        "print(p._environment().get_template('report.html.j2').filename); "
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
    assert done.stdout.splitlines()[1].startswith(str(tmp_path))
    assert done.stdout.splitlines()[2] == "1311"
    shipped = "bayesbias/vectors/shipped_vectors/glove-840b-list-words.bin.gz"
    with zipfile.ZipFile(wheel) as archive:
        assert archive.getinfo(shipped).file_size < 500_000


def test_the_sdist_carries_the_data_and_the_tests(built):
    (sdist,) = built.glob("*.tar.gz")
    with tarfile.open(sdist) as archive:
        names = {name.partition("/")[2] for name in archive.getnames()}
    assert names >= {
        *("wordlists/religion.toml", "models/paper.toml", "models/classifiers/gaps.toml"),
        *("tests/conftest.py", "conftest.py", "LICENSE"),
        "bayesbias/vectors/shipped_vectors/glove-840b-list-words.bin.gz",
    }


def test_a_checkout_is_used_only_if_it_is_this_projects(tmp_path):
    from bayesbias.support.shipped_data import _checkout_folder

    (tmp_path / "pyproject.toml").write_text('[project]\nname = "other"\n')
    assert _checkout_folder(tmp_path, "models") is None
    assert data_folder("models").name == "models"
