"""Commands say what Python says: the same screen, the same numbers."""

import json

import numpy as np
import pandas as pd
import pytest

import bayesbias as bb


def rows(content):
    """Return the contrasts of printed JSON as a frame."""
    return pd.DataFrame(content["contrasts"])


@pytest.fixture
def fit(place):
    """What Python says of the folder's vectors and list."""
    return bb.analyze(bb.load_embedding(place / "vectors.txt"), place / "list.json", seed=1)


def test_analyze_prints_the_screen_of_the_fit(run, fit):
    code, out, _ = run("analyze", "vectors.txt", "-w", "list.json")
    assert code == 0
    assert out.rstrip("\n") == repr(fit)
    lines = out.splitlines()
    assert len(lines) <= 20
    assert max(map(len, lines)) <= 80


def test_json_has_the_numbers_of_the_fit(run, fit):
    code, out, _ = run("analyze", "vectors.txt", "-w", "list.json", "--json")
    content = json.loads(out)
    assert code == 0
    table = fit.contrasts()
    for column in ("observed", "mean", "low", "high"):
        printed = rows(content)[column].astype(float).to_numpy()
        np.testing.assert_allclose(printed, table[column].to_numpy(), rtol=0, atol=1e-12)
    assert content["seed"] == 1


def test_what_is_written_is_what_is_printed(run, fit, place):
    code, _, _ = run("analyze", "vectors.txt", "-w", "list.json", "-o", "out")
    assert code == 0
    written = pd.read_csv(place / "out" / "contrasts.csv")
    np.testing.assert_allclose(written["mean"], fit.contrasts()["mean"], rtol=0, atol=1e-9)
    assert bb.load_fit(place / "out" / "fit.nc").pairs_sha256 == fit.pairs_sha256
    code, _, err = run("analyze", "vectors.txt", "-w", "list.json", "-o", "out")
    assert code == 2
    assert "--overwrite" in err or "overwrite" in err


def test_distances_of_a_file_are_analyzed(run, fit, place):
    bb.write_distances(fit.frame, place / "pairs.csv")
    code, out, _ = run("analyze", "--distances", "pairs.csv", "--model", "paper")
    assert code == 0
    assert "Model paper" in out


def test_covariates_are_read_by_word(run, place):
    attributes = json.loads((place / "list.json").read_text(encoding="utf-8"))["attributes"]
    words = [w for one in attributes.values() for w in one]
    lines = ["word,rank", *(f"{word},{i % 3 + i / 10}" for i, word in enumerate(words))]
    (place / "ranks.csv").write_text("\n".join(lines), encoding="utf-8")
    code, _, err = run("analyze", "vectors.txt", "-w", "list.json", "--covariates", "ranks.csv")
    assert code == 0, err
    (place / "ranks.csv").write_text("\n".join([*lines[:3], "nurse,much"]), encoding="utf-8")
    code, _, err = run("analyze", "vectors.txt", "-w", "list.json", "--covariates", "ranks.csv")
    assert code == 2
    assert "line 4" in err


def test_compare_has_the_numbers_of_python(run, place):
    kv = bb.load_embedding(place / "vectors.txt")
    rounded = {word: kv[word].round(1) for word in kv.index_to_key}
    lines = [f"{word} {' '.join(map(str, vector))}\n" for word, vector in rounded.items()]
    (place / "rounded.txt").write_text("".join(lines), encoding="utf-8")
    code, out, err = run("compare", "vectors.txt", "rounded.txt", "-w", "list.json", "--json")
    assert code == 0, err
    after = bb.load_embedding(place / "rounded.txt")
    comparison = bb.compare({"before": kv, "after": after}, place / "list.json", seed=1)
    printed = rows(json.loads(out))["mean"].astype(float).to_numpy()
    np.testing.assert_allclose(printed, comparison.contrasts["mean"].to_numpy(), rtol=0, atol=1e-9)


def test_demo_writes_a_page_into_an_empty_folder(run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, out, _ = run("demo")
    assert code == 0
    assert (tmp_path / "bayesbias-demo" / "report.html").is_file()
    assert out.startswith("On average a group is closer to its own occupations")
    assert run("demo")[0] == 0  # its own folder is replaced


def test_word_lists_are_listed_shown_and_checked(run, place):
    listed = run("wordlists", "list")[1]
    assert "\nreligion  Religion and stereotype  " in listed
    assert "nurse" in run("wordlists", "show", "list.json")[1]
    code, out, _ = run("wordlists", "check", "list.json", "--vectors", "vectors.txt")
    assert code == 0
    assert "8 protected words" in out


def test_measures_are_those_of_python(run, place):
    code, out, err = run("measures", "vectors.txt", "-w", "list.json", "--json")
    assert code == 0, err
    printed = pd.DataFrame(json.loads(out)["measures"])
    vectors = bb.load_embedding(place / "vectors.txt")
    table = bb.measures.all_measures(vectors, bb.load_wordlist(place / "list.json"), seed=1)
    weat = table.loc[table["measure"] == "WEAT", "value"].to_numpy()
    np.testing.assert_allclose(printed.loc[printed["measure"] == "WEAT", "value"], weat)


def test_reading_options_reach_the_reader_of_every_file(run, place, monkeypatch):
    calls, load = [], bb.load_embedding
    monkeypatch.setattr(
        bb, "load_embedding", lambda path, words, **how: calls.append(how) or load(path)
    )
    how = ("--limit", "700", "--trusted", "--encoding", "latin-1")
    columns = ("--word-column", "word", "--vector-column", "v")
    files, wordlist = ("vectors.txt", "vectors.txt"), ("-w", "list.json")
    assert run("analyze", files[0], *wordlist, *how, *columns)[0] == 0
    assert run("compare", *files, *wordlist, *how, "--names", "a,b")[0] == 0
    assert run("measures", files[0], "--before", files[1], *wordlist, *how)[0] == 0
    assert run("wordlists", "check", "list.json", "--vectors", files[0])[0] == 0
    unset = {"limit": None, "trusted": False, "encoding": None}
    unset |= {"word_column": None, "vector_column": None}
    expected = unset | {"limit": 700, "trusted": True, "encoding": "latin-1"}
    of_table = {"word_column": "word", "vector_column": "v"}
    assert calls == [{**expected, **of_table}, *[expected] * 4, unset]


def test_debias_writes_vectors_that_compare_reads(run, place):
    step = ("debias", "hard", "vectors.txt", "hard.bin", "-w", "list.json", "--all-words")
    code, _, err = run(*step)
    assert code == 0, err
    assert (place / "hard.bin.json").is_file()
    code, out, err = run("compare", "vectors.txt", "hard.bin", "-w", "list.json")
    assert code == 0, err
    assert "0 by construction" in out
    assert run(*step)[0] == 2  # there is one already


def test_analogies_are_asked(run, place):
    code, out, err = run("analogies", "vectors.txt", "he", "son", "she", "--json")
    assert code == 0, err
    assert "daughter" in out


def test_classifier_plans_as_the_paper(run):
    code, out, err = run(
        "classifier", "plan", "--disparity", "0.05", "--gamma", "0.5", "--variance", "4"
    )
    assert code == 0, err
    assert "11,903" in out


def test_a_plan_says_what_a_number_of_persons_can_tell(run):
    content = json.loads(run("classifier", "plan", "--n", "3160", "--variance", "4", "--json")[1])
    assert content["disparity"] == pytest.approx(0.0974, abs=5e-5)  # Ethayarajh (2020)
    assert json.loads(run("classifier", "plan", "--n", "3160", "--json")[1])["variance"] == 4
    for words in ((), ("--n", "3160", "--disparity", "0.05")):
        assert "either --disparity or --n" in run("classifier", "plan", *words)[2]


@pytest.fixture
def predictions(place):
    """A file of predictions of two groups."""
    rng = np.random.default_rng(5)
    table = pd.DataFrame(
        {
            "y": rng.choice(["nurse", "pilot"], 400),
            "g": rng.choice(["f", "m"], 400),
        }
    )
    flip = rng.random(400) < np.where(table["g"] == "f", 0.1, 0.3)
    other = table["y"].map({"nurse": "pilot", "pilot": "nurse"})
    table["p"] = table["y"].where(~flip, other)
    table.to_csv(place / "predictions.csv", index=False)
    return table


def test_classifier_gaps_are_those_of_python(run, predictions):
    options = ("--label-column", "y", "--prediction-column", "p", "--group-column", "g")
    code, out, err = run("classifier", "gaps", "predictions.csv", *options, "--json")
    assert code == 0, err
    printed = json.loads(out)
    gaps = bb.classifiers.gaps(predictions, true="y", predicted="p", group="g", seed=1)
    assert len(printed["gaps"]) == len(gaps.table)


def test_a_sweep_and_rules_have_the_numbers_of_the_fit(run, fit, place):
    (place / "grid.toml").write_text(
        'wordlists = ["list.json"]\n[vectors]\nown = "vectors.txt"\n', encoding="utf-8"
    )
    code, _, err = run("sweep", "grid.toml", "-o", "grid", "--report")
    assert code == 0, err
    assert "<h1>In " in (place / "grid" / "report.html").read_text(encoding="utf-8")
    table = pd.read_csv(place / "grid" / "contrasts.csv")
    expected = fit.contrasts()
    assert table["mean"].to_numpy() == pytest.approx(expected["mean"].to_numpy(), abs=1e-9)
    bound = float(expected.loc[0, "low"]) - 0.01
    rule = f'[rules.gap]\nlevel = "over all"\nat_least = {bound}\n'
    (place / "rules.toml").write_text(rule, encoding="utf-8")
    command = ("check", "rules.toml", "--result", "grid/contrasts.csv", "--report")
    code, out, err = run(*command, "--json")
    assert code in (0, 1), out
    assert json.loads(out)["rules"]
    assert "<h1>Rules, asked of " in (place / "report.html").read_text(encoding="utf-8")
    assert run(*command)[0] == 2  # the page is there
    assert run(*command, "--overwrite")[0] == code
