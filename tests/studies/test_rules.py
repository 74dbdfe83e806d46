"""The gate: every outcome, the file's faults, shared fits, JUnit and exit codes."""

import json
from xml.etree import ElementTree

import pytest

import bayesbias as bb
from bayesbias.cli import main
from bayesbias.errors import ArgumentError, MissingWordsWarning
from bayesbias.studies import rules as gate
from bayesbias.studies import sweep_file
from bayesbias.studies.rules_file import load_rules

VECTORS = '"vectors.bin"'
HEAD = f'vectors = {VECTORS}\nwordlist = "gender"\nmodel = "paper"\n'
RULE = '[rules.a]\ncontrast = "associated − different"\n'


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The shipped vectors as a file, in a folder of its own."""
    place = tmp_path_factory.mktemp("rules")
    bb.example_embedding().save_word2vec_format(str(place / "vectors.bin"), binary=True)
    return place


@pytest.fixture(scope="module")
def fitted():
    """The fit that the rules ask."""
    with pytest.warns(MissingWordsWarning):
        frame = bb.distances(bb.example_embedding(), "gender")
    return bb.fit(frame, "paper", seed=1)


def write(folder, text, head=HEAD):
    path = folder / "rules.toml"
    path.write_text(head + text, encoding="utf-8")
    return path


def check(folder, text, head=HEAD):
    return bb.check_rules(write(folder, text, head), progress=False)


ALL = {
    "wide": '"associated - different"\nat_least = -0.5\nat_most = 0.5',
    "never": '"associated − different"\nat_least = 0.5',
    "coin": '"associated − neutral"\nat_most = {middle:.5f}',
    "nowhere": '"human − neutral"\nat_most = 1\nvectors = "none.bin"',
}


def all_rules(fitted):
    """A rule of every outcome."""
    middle = fitted.contrasts().table.set_index("contrast").loc["associated − neutral", "mean"]
    rules = (f"[rules.{name}]\ncontrast = {text}\n" for name, text in ALL.items())
    return "".join(rules).format(middle=middle)


def test_every_outcome(folder, fitted):
    result = check(folder, all_rules(fitted))
    table = result.table.set_index("rule")
    outcomes = ["pass", "fail", "undecided", "error"]
    assert table["outcome"].to_dict() == dict(zip(ALL, outcomes, strict=True))
    assert table.loc["wide", "p_kept"] > 0.999
    assert table.loc["never", "p_kept"] < 0.001
    assert 0.4 < table.loc["coin", "p_kept"] < 0.6
    known = fitted.contrasts(prob=0.95).table.set_index("contrast")
    assert table.loc["coin", "mean"] == pytest.approx(known.loc["associated − neutral", "mean"])
    assert table.loc["wide", "low"] == pytest.approx(known.loc["associated − different", "low"])
    assert "none.bin: no such file" in table.loc["nowhere", "reason"]
    assert result.outcome == result.to_dict()["outcome"] == "error"
    wide, never, *others = result.lines
    start = "pass       wide: associated − different at least -0.5 and at most 0.5: is "
    assert wide.startswith(start)
    assert "probability >0.999, 0.95 needed" in wide
    assert "probability <0.001, 0.95 needed" in never
    assert len(others) == 2
    assert repr(result).splitlines()[-1] == "4 rules: 1 pass, 1 fail, 1 undecided, 1 error"


def test_probabilities_are_those_of_the_contrasts(folder, fitted):
    """A bound of 0 asks for the sign, whose probability contrasts have."""
    whose = {"connection": "", "group": f'group = "{fitted.design.groups[0]}"'}
    whose["word"] = 'word = "she"'
    asked = [(by, bound) for by in whose for bound in ("at_least", "at_most")]
    rule = '[rules.{}]\ncontrast = "associated − different"\n{} = 0\n{}\n'
    text = "".join(rule.format(f"{by}-{bound}", bound, whose[by]) for by, bound in asked)
    rows = check(folder, text).table.to_dict("records")
    for (by, bound), row in zip(asked, rows, strict=True):
        known = fitted.contrasts(by).table
        known = known[known["contrast"] == "associated − different"]
        for column, value in (("group", row["group"]), ("protected_word", row["word"])):
            known = known[known[column] == value] if value else known
        below = known["p_below_zero"].iloc[0]
        kept = below if bound == "at_most" else 1 - below
        assert row["p_kept"] == pytest.approx(kept, abs=1e-6), (by, bound)


def test_standard_deviations_are_another_unit(folder, fitted):
    scale = fitted.rule().scale
    rule = '[rules.{}]\ncontrast = "associated − different"\nat_least = {}\nunit = "{}"\n'
    found = check(folder, rule.format("a", -0.01, "cosine") + rule.format("b", -0.01 / scale, "sd"))
    a, b = found.table.to_dict("records")
    assert a["p_kept"] == pytest.approx(b["p_kept"], abs=1e-9)
    assert a["mean"] == pytest.approx(b["mean"] * scale)
    assert "sd; probability" in found.lines[1]


def test_the_worst_outcome_counts(folder, fitted):
    """Undecided is no pass, and does not hide a failure."""
    middle = fitted.contrasts().table["mean"].iloc[0]
    wide = RULE + "at_most = 1\n"
    never = RULE.replace("rules.a", "rules.b") + "at_least = 1\n"
    coin = RULE.replace("rules.a", "rules.c") + f"at_most = {middle:.5f}\n"
    none = RULE.replace("rules.a", "rules.d") + 'at_most = 1\nvectors = "no.bin"\n'
    for code, text in (
        (0, wide),
        (1, wide + never),
        (3, wide + coin),
        (1, never + coin),
        (2, wide + never + coin + none),
    ):
        assert main(["check", str(write(folder, text)), "--quiet"]) == code


def test_rules_on_the_same_vectors_share_a_fit(folder, monkeypatch):
    made = []
    for place, name in ((gate, "fit"), (sweep_file, "load_embedding")):
        plain = getattr(place, name)
        monkeypatch.setattr(
            place, name, lambda *a, name=name, plain=plain, **o: made.append(name) or plain(*a, **o)
        )
    rule = '[rules.{}]\ncontrast = "{}"\nat_most = 1\nmodel = "{}"\n'
    names = [("a", "associated − different", "crossed"), ("b", "associated − human", "crossed")]
    names += [("c", "associated − human", "paper")]
    check(folder, "".join(rule.format(*one) for one in names))
    assert made == ["load_embedding", "fit", "fit"]


def test_a_fit_that_is_not_to_be_trusted_decides_nothing(folder, monkeypatch):
    class Doubtful:
        problems = ("the weights are far from even",)
        sentence = "Do not rely on this fit"

    monkeypatch.setattr(bb.results.Fit, "diagnostics", Doubtful())
    result = check(folder, '[rules.a]\ncontrast = "associated − different"\nat_most = 1\n')
    assert result.outcome == "undecided"
    assert "not to be trusted: the weights are far from even" in result.lines[0]


def test_missing_words_are_counted_and_a_missing_list_is_an_error(tmp_path):
    kv = bb.example_embedding()
    sets = bb.load_wordlist("gender").attribute_sets
    neutral = {word for one in sets if one.kind == "neutral" for word in one.words}
    kept = [w for w in kv.index_to_key if w not in {"maid", *neutral}]
    some = bb.load_embedding((kept, kv[kept]))
    some.save_word2vec_format(str(tmp_path / "vectors.bin"), binary=True)
    asked = ['different"', 'neutral"', 'different"\nunit = "sd"']
    rules = [f'[rules.{i}]\nat_most = 1\ncontrast = "associated − {a}' for i, a in enumerate(asked)]
    found = check(tmp_path, "\n".join(rules))
    assert found.table["outcome"].tolist() == ["pass", "error", "error"]
    assert found.table["n_missing"].iloc[0] > len(neutral)
    for line, said in zip(
        found.lines,
        ("words missing", "no associated − neutral", "no neutral pairs"),
        strict=True,
    ):
        assert said in line


def bad(key, message, text, head=HEAD):
    return pytest.param(key, message, text, head, id=f"{key} {message[:20]}")


@pytest.mark.parametrize(
    ("key", "message", "text", "head"),
    [
        bad("rules", "needs a table", ""),
        bad("ruels", "did you mean 'rules'", "[ruels.a]\n"),
        bad("rules.a", "must be a table", "[rules]\na = 3\n"),
        bad("rules.a.contrast", "is required", "[rules.a]\nat_most = 1\n"),
        bad("rules.a.contrast", "associated − different", '[rules.a]\ncontrast = "a − b"\n'),
        bad("rules.a.vectors", "is required", RULE + "at_most = 1\n", 'wordlist = "gender"\n'),
        bad(
            "rules.a.vectors", "must be a path", RULE + "at_most = 1\n", HEAD.replace(VECTORS, "3")
        ),
        bad("seed", "whole number", RULE + "at_most = 1\n", "seed = 1.5\n" + HEAD),
        *(
            bad(key, message, RULE + text)
            for key, message, text in (
                ("rules.a", "needs a bound", ""),
                ("rules.a", "must be below at_most", "at_most = 1\nat_least = 2\n"),
                ("rules.a.at_leats", "did you mean 'at_least'", "at_leats = 1\n"),
                ("rules.a.at_most", "must be a number", 'at_most = "1"\n'),
                ("rules.a.at_most", "must be a number", "at_most = inf\n"),
                ("rules.a.at_most", "not nan", "at_most = nan\n"),
                ("rules.a.probability", "above 0.5", "at_most = 1\nprobability = 0.5\n"),
                ("rules.a.unit", "did you mean 'cosine'", 'at_most = 1\nunit = "cosin"\n'),
                ("rules.a.group", "'mal'", 'at_most = 1\ngroup = "mal"\n'),
                ("rules.a.word", "'hee'", 'at_most = 1\nword = "hee"\n'),
                ("rules.a.word", "give one of them", 'group = "x"\nword = "he"\n'),
                ("rules.a.model", "needs chains", 'at_most = 1\nmodel = "student-t"\n'),
                ("rules.a.wordlist", "no word list", 'at_most = 1\nwordlist = "gendre"\n'),
            )
        ),
        *(
            bad(f"rules.a.{key}", message, f"[rules.a]\nat_most = 1\n{text}")
            for key, message, text in (
                ("by", "did you mean 'list'", 'by = "lists"'),
                ("by", "compares all groups", 'by = "list"\ngroup = "man"'),
                ("attribute_set", 'needs by = "list"', 'contrast = "a"\nattribute_set = "a"'),
                ("attribute_set", "'women'", 'by = "list"\nattribute_set = "women"'),
                ("contrast", "between groups", 'by = "list"\ncontrast = "associated − different"'),
            )
        ),
    ],
)
def test_faults_of_the_file_name_the_key(tmp_path, key, message, text, head, capsys):
    path = write(tmp_path, text, head)
    with pytest.raises(ArgumentError, match=f"{key}: ") as caught:
        load_rules(path)
    assert message in str(caught.value)
    assert main(["check", str(path)]) == 2
    assert "rules.toml" in capsys.readouterr().err


def test_all_faults_are_named_at_once(tmp_path):
    with pytest.raises(ArgumentError, match="2 faults"):
        load_rules(write(tmp_path, RULE + RULE.replace("rules.a", "rules.b")))


def test_junit_and_json(folder, fitted, capsys):
    rules, out = write(folder, all_rules(fitted)), folder / "junit.xml"
    for _ in range(2):  # a server writes it again and again
        assert main(["check", str(rules), "--junit", str(out), "--json"]) == 2
    assert json.loads(capsys.readouterr().out.split("\n}\n")[0] + "}")["outcome"] == "error"
    suite = ElementTree.parse(out).getroot()
    assert [suite.attrib[name] for name in ("tests", "failures", "errors")] == ["4", "2", "1"]
    kinds = {case.attrib["name"]: [(e.tag, e.attrib.get("type")) for e in case] for case in suite}
    assert kinds == {
        "wide": [("system-out", None)],
        "never": [("failure", "fail")],
        "coin": [("failure", "undecided")],
        "nowhere": [("error", "error")],
    }
    (message,) = [e.attrib["message"] for e in suite[1]]
    assert message.startswith("fail       never: associated − different at least 0.5: is ")
    assert main(["check", str(rules), "--junit", str(folder / "no" / "x.xml")]) == 2


BY_LIST = '[rules.lists]\nby = "list"\nat_least = -0.5\n'


def test_a_rule_by_list_is_one_for_every_list(folder, fitted):
    """And has the numbers of the contrasts by list; a list can be named."""
    named = BY_LIST.replace("lists", "one") + 'attribute_set = "woman_stereotype"\n'
    relative = named.replace("one", "two") + 'contrast = "compared with neutral words"\n'
    result = check(folder, BY_LIST + named + relative)
    table = result.table.set_index("rule")
    lists = ["lists.man_stereotype", "lists.woman_stereotype"]
    assert table.index.tolist() == [*lists, "one", "two"]
    known = fitted.contrasts("list", prob=0.95).table.set_index(["contrast", "attribute_set"])
    for row in table.itertuples():
        expected = known.loc[(row.contrast, row.attribute_set)]
        assert row.mean == pytest.approx(expected["mean"], abs=1e-12)
        assert row.low == pytest.approx(expected["low"], abs=1e-12)
    assert table.loc["one", "p_kept"] == table.loc[lists[1], "p_kept"]
    assert " one: between groups on woman_stereotype at least -0.5: is " in result.lines[2]
