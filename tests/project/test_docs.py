"""The documentation says what the code does, and its generated page is up to date."""

import contextlib
import importlib.util
import io
import re

import numpy as np
import pandas as pd
from samples import ROOT

import bayesbias as bb

DOCS = ROOT / "docs"


def script(name):
    """Import a script of .ci/ as a module."""
    spec = importlib.util.spec_from_file_location(name, ROOT / ".ci" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_catalogue_is_that_of_the_word_lists():
    """python .ci/catalogue.py makes it again."""
    page = (DOCS / "wordlists.md").read_text(encoding="utf-8")
    assert page == script("catalogue").catalogue()
    assert all(f"\n## {name}\n" in page for name in bb.list_wordlists())


def test_the_tutorial_runs_and_prints_what_it_says(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = (DOCS / "tutorial.md").read_text(encoding="utf-8")
    blocks = re.findall(r"^```(python|text)\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    assert [kind for kind, _ in blocks].count("text") == 2
    names, printed = {}, io.StringIO()
    for kind, block in blocks:
        if kind == "text":
            assert block.strip() == printed.getvalue().strip()
            continue
        printed = io.StringIO()
        with contextlib.redirect_stdout(printed), pd.option_context("display.width", 100):
            exec(compile(block, "tutorial.md", "exec"), names)
    assert (tmp_path / "fit.nc").exists()


def test_every_page_can_be_reached_from_the_index():
    index = (DOCS / "README.md").read_text(encoding="utf-8")
    linked = set(re.findall(r"\]\(([^)#]+)\)", index))
    pages = {str(p.relative_to(DOCS)) for p in DOCS.rglob("*.md")} - {"README.md"}
    notebooks = {f"../notebooks/{p.name}" for p in (ROOT / "notebooks").glob("*.ipynb")}
    assert pages | notebooks <= linked
    assert all((DOCS / link).exists() for link in linked)


def test_the_code_of_the_readme_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lists = [bb.load_wordlist(name) for name in ("religion", "gender", "weat7")]
    words = list(dict.fromkeys(word for one in lists for word in one.words))
    rng = np.random.default_rng(1)
    vectors = bb.load_embedding((words, rng.normal(size=(len(words), 20)).astype(np.float32)))
    vectors.save_word2vec_format("googlenews.bin", binary=True)
    frame = bb.distances(vectors, "religion")
    moved = (frame["cosine_distance"] + rng.normal(0, 0.01, len(frame))).clip(0, 2)
    other = frame.assign(cosine_distance=moved)
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    (block,) = re.findall(r"^```python\n(.*?)^```", text, re.DOTALL | re.MULTILINE)
    names = {"df_debiased": other, "df_glove": other}
    exec(
        compile(block.replace("width=0.05", "width=0.05, simulations=2"), "README.md", "exec"),
        names,
    )
    assert (tmp_path / "fit.nc").exists()
