"""What to cite, as BibTeX: every list has a source, and CITATION.cff says the same."""

import re

import pytest
from samples import ROOT

import bayesbias as bb
from bayesbias.cli import main
from bayesbias.errors import WordListError
from bayesbias.pairs.citations import cite


def keys(text):
    return re.findall(r"^@\w+\{([^,]+),$", text, re.MULTILINE)


def test_the_package_and_its_method_come_first():
    assert keys(bb.cite()) == ["bayesbias", "dobrzeniecka2023"]
    assert keys(bb.cite("gender")) == ["bayesbias", "dobrzeniecka2023", "manzini2019"]
    assert keys(bb.cite(bb.load_wordlist("weat7-de")))[2:] == ["caliskan2017", "lauscher2019"]


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
    package, method = bb.cite().replace("{Bayesian}", "Bayesian").split("\n\n")
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


def test_an_unknown_list_gets_the_nearest(capsys):
    with pytest.raises(WordListError, match="did you mean 'gender'"):
        bb.cite("gendre")
    assert main(["cite", "gendre"]) == 2
    assert "did you mean 'gender'" in capsys.readouterr().err


def test_the_command_prints_what_the_function_returns(capsys):
    assert main(["cite", "weat7"]) == 0
    assert capsys.readouterr().out == bb.cite("weat7") + "\n"
    assert main(["cite", "--json"]) == 0
    assert '"bibtex": "@software{bayesbias,' in capsys.readouterr().out
