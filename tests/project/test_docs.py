"""The documentation says what the code does, and its generated page is up to date."""

import re
import sys
import tomllib

import numpy as np
import pandas as pd
import pytest
from samples import ROOT, load_benchmark, load_script

import bayesbias as bb

DOCS = ROOT / "docs"


def test_the_catalogue_is_that_of_the_word_lists():
    """python .ci/catalogue.py makes it again."""
    page = (DOCS / "wordlists.md").read_text(encoding="utf-8")
    assert page == load_script(".ci", "catalogue").catalogue()
    assert all(f"\n## {name}\n" in page for name in bb.list_wordlists())


def number(word):
    return re.fullmatch(r"-?\d+\.\d+", word)


def test_the_tutorial_runs_and_prints_what_it_says(tmp_path, monkeypatch):
    """python .ci/tutorial.py writes what it prints."""
    monkeypatch.chdir(tmp_path)
    tutorial = load_script(".ci", "tutorial")
    found = list(tutorial.texts(tutorial.PAGE.read_text(encoding="utf-8")))
    assert len(found) == 2
    for says, does in ((says.split(), does.split()) for says, does in found):
        assert [w for w in says if not number(w)] == [w for w in does if not number(w)]
        # Another release of NumPy or SciPy may round the last digit the other way.
        unit = [10.0 ** -len(w.partition(".")[2]) for w in says if number(w)]
        far = np.subtract(*[[float(w) for w in t if number(w)] for t in (says, does)])
        assert (np.abs(far) < 1.01 * np.array(unit)).all(), far
    assert (tmp_path / "fit.nc").exists()


def test_every_page_can_be_reached_from_the_index():
    index = (DOCS / "README.md").read_text(encoding="utf-8")
    linked = set(re.findall(r"\]\(([^)#]+)\)", index))
    pages = {str(p.relative_to(DOCS)) for p in DOCS.rglob("*.md")} - {"README.md"}
    notebooks = {f"../notebooks/{p.name}" for p in (ROOT / "notebooks").glob("*.ipynb")}
    assert pages | notebooks <= linked
    assert all((DOCS / link).exists() for link in linked)


def test_the_priors_of_the_page_are_those_of_the_model():
    page = (DOCS / "models.md").read_text(encoding="utf-8")
    said = re.findall(r"^\| `?(\w+)`? \|.*\| Exponential\(([\d.]+)\)", page, re.MULTILINE)
    priors = bb.load_model("maximal").priors
    rates = {
        name.removesuffix("_sd").removesuffix("_total"): prior.rate
        for name, prior in priors.items()
        if prior.distribution == "exponential"
    }
    assert {name: float(rate) for name, rate in said} == rates


def test_the_published_contrasts_beside_lme4_are_those_of_the_saved_result():
    page = (DOCS / "models.md").read_text(encoding="utf-8")
    saved = pd.read_csv(ROOT / "benchmarks" / "results" / "published.csv", comment="#")
    own = saved[saved["contrast"].eq("associated − different") & saved["model"].eq("maximal")]
    known = own.set_index("data")
    part = page.partition("| associated − different | `maximal` | lme4 |")[2].partition("\n\n")[0]
    rows = re.findall(r"\| (.+?) \| −(\.\d+) ± (\.\d+) \|", part)
    assert len(rows) == 6
    for name, mean, sd in rows:
        assert round(-known.loc[name, "mean"], 4) == float(mean)
        assert round(known.loc[name, "sd"], 4) == float(sd)


def test_every_extra_is_told_of():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    text = (DOCS / "how-to.md").read_text(encoding="utf-8")
    part = text.partition("## Install what I need")[2].partition("\n## ")[0]
    rows = re.findall(r"^\| (`.+`) \|", part, re.MULTILINE)
    told = re.findall(r"`([\w-]+)`", " ".join(rows))
    assert sorted(told) == sorted(project["optional-dependencies"])


def code_of(page, fence="python"):
    """Return the blocks of code of a page."""
    text = page.read_text(encoding="utf-8")
    return re.findall(rf"^```{fence}\n(.*?)^```", text, re.DOTALL | re.MULTILINE)


def test_every_image_is_shown_and_every_shown_image_is_there():
    pages = [ROOT / "README.md", *DOCS.rglob("*.md")]
    shown = {
        (page.parent / link).resolve()
        for page in pages
        for link in re.findall(r"!\[[^]]*\]\(([^)]+)\)", page.read_text(encoding="utf-8"))
    }
    assert shown == {image.resolve() for image in (DOCS / "images").glob("*.png")}


@pytest.mark.filterwarnings("ignore::bayesbias.BayesBiasWarning")
def test_the_code_of_the_readme_runs_and_finds_what_it_says(capsys):
    (block,) = code_of(ROOT / "README.md")
    names = {}
    exec(compile(block, "README.md", "exec"), names)
    assert "closer" in capsys.readouterr().out
    fit = names["fit"]
    whole = fit.contrasts().table.set_index("contrast").loc["associated − different"]
    lists = fit.contrasts("list").table
    own = lists[lists["contrast"] == "between groups"].set_index("attribute_set")
    mean, low, high = (-whole[end] for end in ("mean", "high", "low"))
    said = [
        f"to occupations stereotyped as female, by {-own.loc['woman_stereotype', 'mean']:.2f} in",
        f"closer by {mean:.2f} (89% interval {low:.2f} to {high:.2f}),",
        f"often differ as much (chance {own.loc['woman_stereotype', 'chance']:.0%})",
        f"unrelated groups of words differ as much in {whole['chance']:.0%}.",
    ]
    page = " ".join((ROOT / "README.md").read_text(encoding="utf-8").split())
    assert [part for part in said if part not in page] == []
    assert round(whole["standardised"], 1) == -0.5  # half a standard deviation
    assert own["verdict"].tolist() == ["undecided", "closer, size undecided"]


def test_the_picture_of_the_readme_is_drawn_from_the_shipped_vectors(tmp_path, monkeypatch, capsys):
    """python .ci/readme_picture.py draws it."""
    picture = load_script(".ci", "readme_picture")
    shown = pd.DataFrame(
        [("man", 0.8), ("man", 0.6), ("woman", 0.5), ("woman", 0.3)],
        columns=["group", "cosine_distance"],
    ).assign(attribute_set="woman_stereotype", attribute="nurse")
    assert picture.leanings(shown).to_numpy() == pytest.approx([0.3])  # closer to words for women
    monkeypatch.setattr(picture, "GOAL", tmp_path / "picture.png")
    picture.main()
    assert picture.GOAL.read_bytes().startswith(b"\x89PNG")
    assert "nurse          0.18" in capsys.readouterr().out


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::bayesbias.errors.MissingWordsWarning")
def test_the_tour_of_the_how_to_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    lists = [bb.load_wordlist(name) for name in ("religion", "gender", "weat7")]
    controls = lists[0].to_frame().query("list in ['human', 'neutral']")["word"]
    many = set(controls) - set(controls[::8])  # an eighth is enough
    words = list(dict.fromkeys(w for one in lists for w in one.words if w not in many))
    rng = np.random.default_rng(1)
    # Like real words, these have a direction in common, some more than others.
    numbers = rng.normal(size=(len(words), 20)) + 2 * rng.uniform(size=(len(words), 1))
    vectors = bb.load_embedding((words, numbers.astype(np.float32)))
    vectors.save_word2vec_format("googlenews.bin", binary=True)
    frame = bb.distances(vectors, "religion")
    moved = (frame["cosine_distance"] + rng.normal(0, 0.01, len(frame))).clip(0, 2)
    other = frame.assign(cosine_distance=moved)
    block = code_of(DOCS / "how-to.md")[0]
    for small, few in (("width=0.05", ", simulations=2"), ("placebo(20", ""), ("sensitivity(", "")):
        assert small in block
        block = block.replace(small, small.replace("20", "2") + few)
    block = block.replace("sensitivity(", "sensitivity(leave_out=False, ")
    exec(compile(block, "how-to.md", "exec"), {"df_debiased": other, "df_glove": other})
    assert (tmp_path / "fit.nc").exists()


def test_what_pairs_share_is_as_the_page_on_models_says(data):
    frame = bb.read_distances(data / "distances" / "gender_group_google_dataset.csv")

    def table(pairs, index, columns):
        return pairs.pivot_table(index=index, columns=columns, values="cosine_distance")

    neutral = table(frame[frame["connection"] == "neutral"], "attribute", "protected_word")
    left = neutral - neutral.mean()
    alone, found = left.to_numpy().std() / np.sqrt(left.shape[1]), left.mean(axis=1).std()
    stereotypes = frame[frame["connection"].isin(["associated", "different"])]
    words = table(stereotypes, ["group", "protected_word"], "connection")
    words -= words.groupby("group").transform("mean")
    pairs = table(stereotypes, ["attribute_set", "attribute"], ["group", "protected_word"])
    pairs = pairs.sub(pairs.mean(axis=1), axis=0)
    pairs -= pairs.groupby("attribute_set").transform("mean")
    group = pairs.columns.get_level_values("group")
    same, correlation = np.equal.outer(group, group), pairs.corr().to_numpy()
    of_one, of_two = correlation[same & ~np.eye(len(group), dtype=bool)], correlation[~same]
    said = [
        f"protected words would scatter by {alone:.3f}; it scatters by {found:.3f}.",
        f"near the different ones too (correlation {words.corr().iloc[0, 1]:.2f}).",
        f"go together ({of_one.mean():+.2f}) and those of two apart ({of_two.mean():+.2f})",
    ]
    page = " ".join((DOCS / "models.md").read_text(encoding="utf-8").split())
    said = [part.replace("0.", ".").replace("-", "−") for part in said]
    assert [part for part in said if part not in page] == []


def test_tables_of_pages_are_those_of_saved_results():
    """python .ci/page_numbers.py writes them."""
    numbers = load_script(".ci", "page_numbers")
    assert numbers.differing() == []
    pages = [ROOT / "README.md", *DOCS.rglob("*.md")]
    marked = {found[2] for p in pages for found in numbers.MARKED.finditer(p.read_text("utf-8"))}
    assert marked == set(numbers.TABLES)


def test_a_table_is_written_between_its_markers_alone(monkeypatch):
    numbers = load_script(".ci", "page_numbers")
    saved = pd.DataFrame({"share": [0.25]}), {"made": "2026-01-02", "seed": "7"}
    monkeypatch.setattr(numbers, "read", lambda name: saved)

    def rows(table):
        return [["what", "share"], ["all", f"{table['share'].item():.2f}"]]

    monkeypatch.setitem(numbers.TABLES, "mine", (("random-lists",), rows))
    page = "Before.\n<!-- numbers: mine -->\nold\n<!-- /numbers -->\nAfter.\n"
    assert numbers.written(page) == (
        "Before.\n<!-- numbers: mine -->\n| what | share |\n|---|---:|\n| all | 0.25 |\n\n"
        "*`benchmarks/random_lists.py` (2026-01-02): seed 7.*\n<!-- /numbers -->\nAfter.\n"
    )
    with pytest.raises(SystemExit, match="yours"):
        numbers.written("<!-- numbers: yours -->\n<!-- /numbers -->")


def test_a_result_is_shown_as_it_was_saved():
    """Without what repeats the row above or the head to the left, and rows without a number."""
    table = pd.DataFrame(
        {
            "data": ["made", "made", "found", "found"],
            "method": ["a|b", "c", "c", "d"],
            "rate: first": [10.0, 2.25, np.nan, np.nan],
            "rate: second": [np.nan, 3.0, 4.0, np.nan],
            "mean width": [0.01, -0.02, -0.0, 0.5],
        }
    )
    numbers = load_script(".ci", "page_numbers")
    assert numbers.as_saved(table, only="rate|mean", width="{:+.2f}") == [
        ["data", "method", "rate: first", "second", "mean width"],
        ["made", "a\\|b", "10.0", "", "+0.01"],
        ["", "c", "2.2", "3.0", "−0.02"],
        ["found", "c", "", "4.0", "0.00"],
        ["", "d", "", "", "+0.50"],
    ]
    assert len(numbers.as_saved(table, only="rate")) == 4


def test_worlds_are_told_in_percent_and_saved(tmp_path, monkeypatch, capsys):
    """Means by what is text; true and false count in percent, and nothing where there is none."""
    worlds = load_benchmark("worlds")
    results = sys.modules[worlds.save.__module__]
    monkeypatch.setattr(results, "FOLDER", tmp_path)
    given = worlds.options("", worlds=4, seed=3).parse_args(["--save", "mine"])
    records = [
        {"method": "a", "wrong": True, "width": 1.0},
        {"method": "b", "wrong": False, "width": 3.0},
        {"method": "a", "wrong": np.bool_(False), "width": 2.0},
        {"method": "b", "width": 4.0},
    ]
    worlds.tell(records, given, runs=5)
    table, head = results.read("mine")
    expected = pd.DataFrame({"method": ["a", "b"], "wrong": [50, 0], "width": [1.5, 3.5]})
    pd.testing.assert_frame_equal(table, expected)
    assert [head[name] for name in ("seed", "worlds", "runs")] == ["3", "4", "5"]
    assert head["standard error at 11%"] == "15.6 points"


def test_a_saved_result_says_what_made_it(tmp_path, monkeypatch):
    results = load_script("benchmarks", "saved_results")
    monkeypatch.setattr(results, "FOLDER", tmp_path / "results")
    table = pd.DataFrame({"method": ["MAC", "a, b"], "share": [0.125, np.nan]})
    path = results.save(table, "mine", {"seed": 3})
    assert path.read_text("utf-8").startswith("# made: ")
    again, head = results.read("mine")
    pd.testing.assert_frame_equal(again, table)
    assert head["seed"] == "3"
    assert f"bayesbias {bb.__version__}" in head["versions"]


def test_quotes_of_pages_are_those_that_the_script_makes():
    """python .ci/page_output.py writes them."""
    output = load_script(".ci", "page_output")
    found = [one for p in output.pages() for one in output.MARKED.findall(p.read_text("utf-8"))]
    assert sorted(name for _, name, _ in found) == sorted(output.QUOTES)


def test_a_quote_is_written_between_its_markers_alone():
    output = load_script(".ci", "page_output")
    page = "Before.\n<!-- output: mine -->\nold\n<!-- /output -->\nAfter.\n"
    said = output.quoted(["One. " * 30, "Two."])
    assert output.written(page, {"mine": said}) == page.replace("old\n", said)
    assert output.written(page, {"yours": said}) == page
    first, *_, last = said.splitlines()
    assert len(first) <= 120
    assert (first[:6], last) == ("> One.", "> Two.")
    with pytest.raises(SystemExit, match="yours"):
        output.main(["yours"])


def without_numbers(text):
    return re.sub(r"[-+−]?\d+(\.\d+)?", "0", " ".join(text.replace("\n>", "\n").split()))


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::bayesbias.BayesBiasWarning")
@pytest.mark.parametrize("name", ["removed", "held-out", "rules"])
def test_a_quote_says_what_is_printed(name, data):
    """Its words: numbers of another release of a library may differ in the last digit."""
    output = load_script(".ci", "page_output")
    page = (DOCS / "debiasing.md").read_text(encoding="utf-8")
    assert without_numbers(output.QUOTES[name]()) in without_numbers(page)
