"""What to cite, as BibTeX: every list has a source, and CITATION.cff says the same."""

import re

import pytest
from samples import ROOT

import bayesbias as bb
from bayesbias.cli import main
from bayesbias.pairs.citations import cite, cited_in, named


def keys(text):
    return re.findall(r"^@\w+\{([^,]+),$", text, re.MULTILINE)


def test_the_package_and_its_method_come_first():
    method = keys(bb.cite())
    assert method[:3] == ["bayesbias", "dobrzeniecka2023", "barr2013"]
    assert keys(bb.cite("gender")) == [*method, "manzini2019"]
    found = keys(bb.cite(bb.load_wordlist("weat7-de")))
    assert found == [*method, "caliskan2017", "lauscher2019"]


@pytest.mark.parametrize("name", ["", *bb.list_wordlists()])
def test_every_work_has_its_year_where_it_appeared_and_an_address(name):
    for entry in bb.cite(name or None).split("\n\n"):
        assert re.search(r"^  year = \{\d{4}\},$", entry, re.MULTILINE), entry
        if entry.startswith("@software"):
            continue
        assert re.search(r"^  (journal|booktitle|publisher|howpublished) = ", entry, re.M), entry
        assert len(re.findall(r"^  url = \{https?://.+\},$", entry, re.MULTILINE)) == 1, entry


@pytest.mark.parametrize("name", bb.list_models())
def test_the_works_that_models_name_are_defined(name):
    source = bb.load_model(name).source
    assert len(cited_in(source)) == len(re.findall(r"\(\d{4}\)", source))
    assert set(cited_in(source)) <= set(keys(bb.cite()))


def test_works_are_named_by_authors_and_year():
    assert named("barr2013") == "Barr et al., 2013"
    assert named("lauscher2019") == "Lauscher and Glavas, 2019"
    assert named("kruschke2018") == "Kruschke, 2018"
    assert named("my-list") == "my-list"


@pytest.mark.parametrize("name", bb.list_wordlists())
def test_every_shipped_list_has_its_sources(name):
    """Everybody whom the list's file names, with the year."""
    text = bb.cite(name)
    source = bb.load_wordlist(name).source
    named = re.findall(r"(\w+)(?:,| and| et al\.)[^()]*?\((\d{4})\)", source)
    assert named
    for author, year in named:
        entries = [e for e in text.split("\n\n") if f"year = {{{year}}}" in e]
        assert any(author[:5] in e for e in entries), (author, year)


def test_the_entries_are_bibtex():
    for name in bb.list_wordlists():
        for entry in bb.cite(name).split("\n\n"):
            first, *fields, last = entry.splitlines()
            assert re.fullmatch(r"@\w+\{[\w-]+,", first)
            assert last == "}"
            assert all(re.fullmatch(r"  \w+ = \{.+\},", field) for field in fields)
            assert entry.count("{") == entry.count("}")


def test_the_citation_file_says_the_same():
    given = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    package, method, *_ = bb.cite().replace("{Bayesian}", "Bayesian").split("\n\n")
    own = dict(re.findall(r"^(\w+): (.+)$", given, re.MULTILINE))
    assert f"title = {{{own['title']}}}" in package
    assert f"version = {{{own['version']}}}" in package
    (author,) = re.findall(r"^  - name: (.+)$", given, re.MULTILINE)
    assert f"author = {{{{{author}}}}}" in package
    (title,) = re.findall(r'title: "(.+)"', given)
    assert f"title = {{{title}}}" in method
    assert f"year = {{{re.search(r'    year: (.+)', given)[1]}}}" in method
    for name in re.findall(r"family-names: (.+)", given):
        assert name in method


def test_a_list_of_ones_own_is_cited_by_what_it_says(tmp_path):
    text = (ROOT / "wordlists" / "gender.toml").read_text(encoding="utf-8")
    source = 'source = "A {thesis}, 100% mine"'
    own = tmp_path / "gender.toml"  # the name of a shipped list makes it none
    own.write_text(re.sub(r"^source = .*$", source, text, flags=re.MULTILINE), encoding="utf-8")
    entry = cite(own).split("\n\n")[-1]
    assert entry.startswith("@misc{gender,")
    assert r"note = {Word list. A thesis, 100\% mine}" in entry
    assert "manzini" not in cite(own)


def test_the_command_prints_what_the_function_returns(capsys):
    assert main(["cite", "weat7"]) == 0
    assert capsys.readouterr().out == bb.cite("weat7") + "\n"
    assert main(["cite", "--json"]) == 0
    assert '"bibtex": "@software{bayesbias,' in capsys.readouterr().out
