"""Pages can be reached, their code runs and prints what they show; generated ones are of today."""

import re
import tomllib

import pytest
import yaml
from samples import ROOT, load_benchmark, load_script, parts

import bayesbias as bb

DOCS = ROOT / "docs"
PAGES = [ROOT / "README.md", *sorted(DOCS.rglob("*.md"))]
MADE = DOCS / "catalogue.md"
QUICK = ("README.md", "index.md", "word-lists.md")
WITH_CODE = [
    pytest.param(page, id=page.name, marks=() if page.name in QUICK else pytest.mark.slow)
    for page in PAGES
    if re.search(r"(?m)^```(?:python|bash)$", page.read_text(encoding="utf-8"))
]


def is_near(shown, printed):
    """Tell whether two numbers are one but for the last digits; several points are a version."""
    if shown.count(".") > 1:
        return True
    return float(shown) == pytest.approx(float(printed), rel=0.05, abs=0.006)


@pytest.mark.filterwarnings("ignore::bayesbias.BayesBiasWarning")
@pytest.mark.parametrize("path", WITH_CODE)
def test_the_code_of_a_page_runs_and_prints_what_it_shows(path, tmp_path, monkeypatch):
    """python .ci/pages.py --print PAGE writes what it prints."""
    monkeypatch.chdir(tmp_path)
    pages = load_script(".ci", "pages")
    pages.prepare(tmp_path)
    for shown, printed in pages.texts(path.read_text(encoding="utf-8")):
        (words, numbers), (words_now, numbers_now) = parts(shown), parts(printed)
        assert words == words_now
        off = [n for n in zip(numbers, numbers_now, strict=True) if not is_near(*n)]
        assert not off


def test_the_catalogue_is_that_of_the_word_lists():
    """python .ci/pages.py makes it again."""
    page = MADE.read_text(encoding="utf-8")
    assert page == load_script(".ci", "pages").catalogue()
    assert all(f"\n## {name}\n" in page for name in bb.list_wordlists())


def test_pages_and_words_are_few():
    """Fifteen pages of 16,000 words and five of evidence; 40 pictures."""
    main = [p for p in DOCS.glob("*.md") if p != MADE]
    words = sum(len(page.read_text(encoding="utf-8").split()) for page in main)
    assert len(main) <= 15
    assert words <= 16_000
    assert len(list((DOCS / "evidence").glob("*.md"))) <= 5
    assert len(list((DOCS / "images").glob("*.png"))) <= 40
    assert len((ROOT / "README.md").read_text(encoding="utf-8").splitlines()) <= 90


def test_habits_of_language_are_kept(capsys):
    code = load_script(".ci", "habits").main()
    assert code == 0, capsys.readouterr().out


def test_every_page_is_in_the_navigation():
    text = (ROOT / "mkdocs.yml").read_text(encoding="utf-8")

    def leaves(part):
        if isinstance(part, str):
            return {part}
        parts = part.values() if isinstance(part, dict) else part
        return set().union(*map(leaves, parts))

    listed = leaves(yaml.safe_load(text)["nav"])
    assert {p.relative_to(DOCS).as_posix() for p in DOCS.rglob("*.md")} <= listed


def test_links_of_the_built_site_are_followed_to_their_anchors(tmp_path):
    pytest.importorskip("mkdocs", reason="mkdocs is not installed")
    (tmp_path / "other").mkdir()
    (tmp_path / "other" / "index.html").write_text('<h1 id="here">A</h1><a href="../#top">up</a>')
    links = ("other/#here", "other/", "#top", "https://x.org", "other/#there", "nowhere.html")
    page = "".join(f'<a href="{link}">a</a>' for link in links)
    (tmp_path / "index.html").write_text(f'<p id="top">{page}')
    dead = list(load_script(".ci", "site").dead_links(tmp_path))
    assert dead == ["index.html: other/#there", "index.html: nowhere.html"]


def test_every_public_name_has_a_place_in_the_reference():
    pytest.importorskip("mkdocs", reason="mkdocs is not installed")
    tasks = load_script(".ci", "site").TASKS
    placed = " ".join(tasks.values()).split()
    assert len(placed) == len(set(placed))
    assert set(bb.__all__) - {"__version__"} <= set(placed)


def test_every_extra_is_explained():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    part = (DOCS / "get-started.md").read_text(encoding="utf-8").split("| extra |")[1]
    rows = re.findall(r"^\| (`.+`) \|", part.partition("\n\n")[0], re.MULTILINE)
    names = re.findall(r"`([\w-]+)`", " ".join(rows))
    assert sorted(names) == sorted(project["optional-dependencies"])


def test_every_image_is_shown_there_and_drawn_by_the_script():
    shown = {
        (page.parent / link).resolve()
        for page in PAGES
        for link in re.findall(r"!\[[^]]*\]\(([^)]+)\)", page.read_text(encoding="utf-8"))
    }
    images = set((DOCS / "images").glob("*.png"))
    assert shown == {image.resolve() for image in images}
    assert {image.stem for image in images} == set(load_benchmark("pictures").PICTURES)


def test_tables_of_pages_are_those_of_saved_results():
    """python .ci/pages.py writes them."""
    pages = load_script(".ci", "pages")
    assert not pages.differing()
    marked = {m[1] for path in pages.PAGES for m in pages.MARKED.findall(path.read_text("utf-8"))}
    tables = set(load_script("benchmarks", "shown_results").TABLES)
    assert marked - tables == set()


def test_the_priors_of_the_page_are_those_of_the_model():
    page = (DOCS / "models.md").read_text(encoding="utf-8")
    rates = {float(rate) for rate in re.findall(r"Exponential\(([\d.]+)\)", page)}
    priors = bb.load_model("maximal").priors.values()
    assert rates == {p.rate for p in priors if p.distribution == "exponential"}


def test_the_answers_that_pages_give_in_words_are_those_of_today(google):
    """The hero's: GoogleNews, list gender."""
    row = bb.analyze(google, "gender", seed=1).contrasts().iloc[0]
    saved = load_script("benchmarks", "saved_results").read("pictures")[0].set_index("picture")
    for name in ("mean", "low", "high", "random_groups"):
        assert saved.loc["hero", name] == pytest.approx(row[name], abs=5e-4), name
