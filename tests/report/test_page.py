"""The report without a browser: what it says, that it is whole, and that nothing in it runs."""

import html
import json
import re
import subprocess
import sys
from collections import Counter
from functools import cache
from html.parser import HTMLParser
from xml.etree import ElementTree

import numpy as np
import pandas as pd
import pytest
from samples import BREAKING, EVIL, FEW, evil_frame, make_frame, undrawn_figures

import bayesbias as bb
from bayesbias.cli import main
from bayesbias.fits.contrasts import Contrasts
from bayesbias.fits.narrator import Answers, answer_of_checks
from bayesbias.fits.quantities import Groups
from bayesbias.fits.sentences import Names, interval
from bayesbias.inference.decision import DecisionRule
from bayesbias.inference.diagnostics import CollapsedDiagnostics
from bayesbias.report import load_results, write_report
from bayesbias.report.folder_writing import write_change, write_results
from bayesbias.report.method import equations_of
from bayesbias.report.numbers import measures_of
from bayesbias.report.render import LOOKS, _pieces, _template
from bayesbias.support.bounded_files import file_checksum
from bayesbias.support.forests import nice_ticks
from bayesbias.support.text_tables import verdict_shown

COMMAND = "bayesbias analyze --distances d.csv"
VOID = {"meta", "link", "input", "path", "line", "rect", "use", "image", "br", "wbr"}


class Page(HTMLParser):
    """A page's elements, the texts of its tables, and its text outside scripts and styles."""

    def __init__(self, text: str):
        super().__init__()
        self.source, self.elements, self.tables, self.stack = text, [], {}, []
        self.text, self._caption, self._rows = [], None, []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        attrs = dict(attrs)
        self.elements.append((tag, attrs))
        if tag not in VOID:
            self.stack.append(tag)
        if tag == "table":
            self._caption, self._rows = "", []
        elif tag == "tr":
            self._rows.append([])
        elif tag in ("td", "th"):
            self._rows[-1].append([attrs.get("data-value"), ""])

    def handle_endtag(self, tag):
        while tag not in VOID and self.stack and self.stack.pop() != tag:
            pass
        if tag == "table":
            self.tables[self._caption.strip()] = self._rows

    def handle_data(self, data):
        if "script" in self.stack or "style" in self.stack:
            return
        self.text.append(data)
        if "caption" in self.stack:
            self._caption += data
        elif "table" in self.stack and self._rows and self._rows[-1]:
            self._rows[-1][-1][1] += data

    def frame(self, caption: str) -> pd.DataFrame:
        """Return a table: full numbers where there are any, else texts."""
        (found,) = [rows for name, rows in self.tables.items() if name.startswith(caption)]
        head = [text.strip() for _, text in found[0]]
        rows = [
            [text.strip() if v is None else float(v or "nan") for v, text in r] for r in found[1:]
        ]
        return pd.DataFrame(rows, columns=head)

    def labels(self, role: str) -> list[str]:
        return [
            a["aria-label"] for _, a in self.elements if a.get("role") == role and "aria-label" in a
        ]

    @property
    def answers(self) -> list[str]:
        found = re.findall(r'<(?:p class="answer"|li class="said")>(.*?)</', self.source, re.DOTALL)
        return [re.sub(r"&[^;]+;", "?", text) for text in found]


@pytest.fixture(scope="module")
def evil(tmp_path_factory) -> Page:
    fit = bb.fit(evil_frame(), model="crossed", seed=1, draws=500)
    path = tmp_path_factory.mktemp("evil") / "report.html"
    write_report(fit, path, command=f"bayesbias {EVIL}")
    return Page(path.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def analysis(tmp_path_factory):
    """The folder of an analysis with a report, made with unusual settings."""
    folder = tmp_path_factory.mktemp("analysis")
    bb.write_distances(make_frame(n_attributes=FEW), folder / "d.csv")
    fit = bb.fit(bb.read_distances(folder / "d.csv"), seed=1, draws=600)
    chosen = {"prob": 0.8, "rope": 0.02}
    with undrawn_figures():
        write_results(
            fit,
            folder / "out",
            command=COMMAND,
            also=lambda place: write_report(fit, place / "report.html", command=COMMAND, **chosen),
            **chosen,
        )
    return folder / "out"


@pytest.fixture(scope="module")
def comparison(tmp_path_factory):
    """The folder of a comparison with a report; one pair is only before, neutral is unmoved."""
    folder = tmp_path_factory.mktemp("comparison")
    before = make_frame(n_attributes=FEW)
    after = before.copy()
    moved = after["connection"] != "neutral"
    noise = np.random.default_rng(1).normal(0, 0.01, moved.sum())
    after.loc[moved, "cosine_distance"] += noise
    after.loc[after["connection"] == "associated", "cosine_distance"] += 0.2
    change = bb.compare_change(before, after.iloc[1:], model="change", seed=1, draws=600)
    with undrawn_figures():
        write_change(
            change,
            folder,
            command=COMMAND,
            also=lambda place: write_report(change, place / "report.html", command=COMMAND),
        )
    return folder


@cache
def page_of(folder) -> Page:
    return Page((folder / "report.html").read_text(encoding="utf-8"))


def test_what_users_supply_stays_text(evil):
    scripts = [a for tag, a in evil.elements if tag == "script"]
    assert scripts == [{}]
    assert not [1 for tag, _ in evil.elements if tag == "img"]
    assert not [a for _, a in evil.elements if any(name.startswith("on") for name in a)]
    text = "".join(evil.text)
    assert EVIL in text
    assert BREAKING in text
    assert "$\\frac$" in text
    assert f"bayesbias {EVIL}" in text
    words = evil.frame("Mean cosine distance per protected word")
    assert EVIL in words["word"].tolist()
    assert BREAKING in words["group"].tolist()
    missing = evil.frame("Missing words").iloc[0].tolist()
    assert missing == [BREAKING, "protected", EVIL, 1, BREAKING]
    (policy,) = [
        a["content"] for _, a in evil.elements if a.get("http-equiv") == "Content-Security-Policy"
    ]
    assert "default-src 'none'" in policy
    assert "script-src 'sha256-" in policy


@pytest.mark.parametrize("kind", ["analysis", "comparison"])
def test_nothing_is_loaded_and_ids_are_unique(kind, request):
    page = page_of(request.getfixturevalue(kind))
    for tag, attrs in page.elements:
        assert "src" not in attrs, tag
        for name in ("href", "xlink:href"):
            assert attrs.get(name, "#").startswith(("#", "data:")), attrs
        assert not any("http" in (v or "") for k, v in attrs.items() if not k.startswith("xmlns"))
    assert "@import" not in page.source
    assert not re.findall(r"url\((?!#)", page.source)
    ids = Counter(a["id"] for _, a in page.elements if "id" in a)
    assert not [name for name, n in ids.items() if n > 1]
    anchors = {a["href"][1:] for tag, a in page.elements if tag == "a"}
    assert anchors <= set(ids)


def as_in_csv(values):
    """Return numbers with the six significant digits that tables of results have."""
    return np.vectorize(lambda value: float(f"{value:.6g}"))(values.to_numpy(dtype=float))


def test_the_report_agrees_with_the_tables(analysis):
    page = page_of(analysis)
    words = pd.read_csv(analysis / "summary_by_word.csv")
    shown = page.frame("Mean cosine distance per protected word, 80% HPDI")
    assert shown["word"].tolist() == words["protected_word"].tolist()
    for column in ("mean", "sd", "low", "high"):
        np.testing.assert_array_equal(as_in_csv(shown[column]), words[column])
    for level, caption in (
        ("connection", "Mean cosine distance per connection"),
        ("group", "Means by group"),
        ("term", "Standard deviations of the terms"),
        ("attribute", "Effects of attribute words"),
    ):
        table, shown = pd.read_csv(analysis / f"summary_by_{level}.csv"), page.frame(caption)
        np.testing.assert_array_equal(as_in_csv(shown[["mean", "low"]]), table[["mean", "low"]])
    for level, caption in (
        ("connection", "Contrasts of connections"),
        ("group", "Each group's own list with the others"),
        ("word", "Contrasts of every protected word"),
    ):
        table, shown = pd.read_csv(analysis / f"contrasts_by_{level}.csv"), page.frame(caption)
        assert shown["verdict"].tolist() == [*map(verdict_shown, table.itertuples())]
        columns = ["listed", "in sd", "P(< 0)"]
        expected = table[["listed", "standardised", "p_below_zero"]]
        np.testing.assert_array_equal(as_in_csv(shown[columns]), expected)
    coverage = pd.read_csv(analysis / "coverage.csv")
    shown = page.frame("Share of pairs inside")
    np.testing.assert_array_equal(as_in_csv(shown["inside"]), coverage["inside"])
    assert (page.frame("Word lists")["used"] > 0).all()


def test_settings_reach_every_number(analysis):
    page = page_of(analysis)
    text = "".join(page.text) + " ".join(page.labels("group") + page.labels("img"))
    assert "80% HPDI" in text
    assert "89% HPDI" not in text
    assert "of the pairs lie in their 80% and 50% predictive intervals" in text
    assert "±0.02" in text
    assert "±0.05" not in page.source


def test_alternative_texts_hold_the_numbers(analysis):
    page = page_of(analysis)
    groups = pd.read_csv(analysis / "summary_by_connection.csv")
    (label,) = [t for t in page.labels("group") if t.startswith("Mean cosine distance, 80% HPDI")]
    for row in groups.itertuples():
        assert f"{row.connection} {row.mean:.3f} ({row.low:.3f} to {row.high:.3f})" in label
    contrasts = pd.read_csv(analysis / "contrasts_by_connection.csv")
    (label,) = [t for t in page.labels("group") if t.startswith("Contrasts: ")]
    for row in contrasts.itertuples():
        assert f"{row.contrast}: {row.mean:+.3f}".replace("-", "−") in label
        assert row.verdict in label
    coverage = pd.read_csv(analysis / "coverage.csv")
    (label,) = [t for t in page.labels("img") if t.startswith("Observed cosine distance")]
    assert f"all {coverage['inside'].iloc[0]:.1%}" in label
    marks = [a["aria-label"] for tag, a in page.elements if a.get("class") == "mark"]
    words = pd.read_csv(analysis / "summary_by_word.csv")
    for row in words.itertuples():
        start = f"{row.protected_word}, {row.connection}: {row.mean:.3f}, 80% HPDI {row.low:.3f}"
        assert any(mark.startswith(start) for mark in marks)


def test_headings_go_down_one_by_one(analysis):
    page = page_of(analysis)
    levels = [int(tag[1]) for tag, _ in page.elements if re.fullmatch("h[1-6]", tag)]
    assert levels[0] == 1
    assert set(levels[1:]) == {2}
    sections = [a["id"] for tag, a in page.elements if tag == "section"]
    assert " ".join(sections) == (
        "answer data contrasts groups words attributes means placebo predictive criticism "
        "diagnostics measures method cite reproduce"
    )


def test_the_manifest_lists_the_report_and_the_command_repeats_it(analysis, comparison, tmp_path):
    """The report of the saved folder is, byte for byte, the one that was made with it."""
    for folder in (analysis, comparison):
        manifest = json.loads((folder / "manifest.json").read_text(encoding="utf-8"))
        assert manifest["files"]["report.html"] == file_checksum(folder / "report.html")
        again = tmp_path / f"{folder.parent.name}.html"
        assert main(["report", str(folder), "--out", str(again), "--quiet"]) == 0
        assert again.read_bytes() == (folder / "report.html").read_bytes()
        assert manifest["command"] in "".join(page_of(folder).text)


def test_a_change_shows_both_sides(comparison):
    page = page_of(comparison)
    pairs = pd.read_csv(comparison / "pairs.csv")
    sides = page.frame("Mean cosine distance before and after").set_index("connection")
    plain = pairs.groupby("connection")[["distance_before", "distance_after"]].mean()
    for name, column in (("before", "distance_before"), ("after", "distance_after")):
        np.testing.assert_allclose(sides[name], plain[column].loc[sides.index], rtol=1e-12)
    assert sides.loc["neutral", "verdict"] == "unmoved"
    assert np.isnan(sides.loc["neutral", "mean"])
    changes = pd.read_csv(comparison / "changes_by_connection.csv").set_index("connection")
    assert as_in_csv(sides["mean"])[0] == changes["mean"].loc[sides.index[0]]
    contrasts = pd.read_csv(comparison / "contrasts_by_connection.csv")
    shown = page.frame("Contrasts before and after, and their change")
    assert shown.columns[2:6].tolist() == ["before", "after", "mean", "low"]
    columns = ["before", "after", "mean"]
    np.testing.assert_array_equal(as_in_csv(shown[columns]), contrasts[columns])
    words = pd.read_csv(comparison / "changes_by_word.csv")
    shown = page.frame("Change per protected word and connection")
    np.testing.assert_array_equal(as_in_csv(shown["mean"]), words["mean"])
    measures = page.frame("One-number measures").set_index("measure")
    expected = bb.measures.mac(pairs.assign(cosine_distance=pairs["distance_after"])).value
    assert measures.loc["MAC", "after"] == expected
    assert page.answers[0].startswith(
        "The association has turned round: over all groups, protected words were "
    )
    (first,) = [said for said in page.answers if said.startswith("Associated − different went ")]
    assert "associated words moved away relative to different words" in first
    left = pd.read_csv(comparison / "left.csv")
    shown = page.frame("What is left of associated − different")
    columns = ["before", "after", "change", "left"]
    assert shown["group"].tolist() == left["group"].tolist()
    assert set(columns) <= set(shown.columns)
    (moves,) = [said for said in page.answers if said.startswith("By connection")]
    assert moves.startswith("By connection: associated words moved farther away (+0.")
    assert "neutral words did not move" in moves
    assert page.frame("Pairs on one side only").iloc[0]["present in"] == "before"


def test_a_change_needs_its_folder(comparison, tmp_path, capsys):
    fit = bb.load_fit(comparison / "fit.nc")
    with pytest.raises(bb.BayesBiasError, match="give the Change, or the folder"):
        write_report(fit, tmp_path / "r.html")
    fit.save(tmp_path / "fit.nc")
    assert main(["report", str(tmp_path / "fit.nc")]) == 2
    error = capsys.readouterr().err
    assert "needs the whole folder" in error
    assert error.count("\n") == 1
    for name in ("pairs", "unpaired", "unmoved"):
        text = (comparison / f"{name}.csv").read_text(encoding="utf-8").replace("word0,", "other,")
        (tmp_path / f"{name}.csv").write_text(text)
    with pytest.raises(
        bb.BayesBiasError, match=r"pairs\.csv: its pairs are not those that were fitted"
    ):
        load_results(tmp_path)


def test_reports_refuse(analysis, comparison, tmp_path, capsys):
    assert main(["report", str(analysis)]) == 2
    assert "already exists" in capsys.readouterr().err
    fit, _ = load_results(analysis)
    change, _ = load_results(comparison)
    path = tmp_path / "r.html"
    for source, options, complaint in (
        (fit, {"prob": 7}, "prob=7"),
        (make_frame(), {}, "not DataFrame"),
        (change, {"rope": 0.1}, "give them, or a rule, to compare_change"),
    ):
        with pytest.raises(bb.BayesBiasError, match=complaint):
            write_report(source, path, **options)
    assert not path.exists()


def decided(contrast: str, low: float, high: float, verdict: str, below: float, **more) -> dict:
    return {
        "contrast": contrast,
        "mean": (low + high) / 2,
        "listed": low,
        "low": low,
        "high": high,
        "standardised": (low + high) / 0.14,
        "p_below_zero": below,
        "p_direction": max(below, 1 - below),
        "verdict": verdict,
        "on_edge": False,
        "rope": 0.05,
        **more,
    }


NAMES = Names(
    {"woman": "words for women", "man": "man"},
    {"h": "household words", "t": "tools"},
    {"woman": ["h"], "man": ["t"]},
    {"woman": ["t"], "man": ["h"]},
)


@pytest.mark.parametrize(
    ("low", "high", "verdict", "below", "said"),
    [
        (-0.3, -0.1, "closer", 1.0, "are closer to the protected words than different words, by"),
        (0.1, 0.3, "farther", 0.0, "are farther from the protected words than different words, by"),
        (-0.04, 0.02, "practically equal", 0.7, "are practically equally far from"),
        (*(-0.04, -0.02, "closer, practically equal", 1.0), ", which is too little to matter."),
        (*(-0.2, -0.02, "closer, size undecided", 0.98), ", perhaps too little to matter."),
        (-0.2, 0.2, "undecided", 0.5, "we cannot tell whether associated or different words"),
    ],
)
def test_the_first_sentences_say_the_verdict(low, high, verdict, below, said):
    name, rule = "associated − different", DecisionRule(0.05, scale=0.07)
    table = pd.DataFrame([decided(name, low, high, verdict, below)])
    she = decided(name, -0.3, -0.2, "closer", 0.75, protected_word="she", group="x")
    he = decided(name, -0.3, 0.2, "undecided", 0.6, protected_word="he", group="x")
    by_word = Contrasts(pd.DataFrame([she, he]), "word", rule)
    woman = decided(name, -0.18, -0.08, "closer", 1.0, group="woman")
    man = decided(name, -0.02, 0.06, "undecided", 0.2, group="man")
    groups = pd.DataFrame([woman, man])
    has_means = Groups(has_means=True)
    of_groups = Contrasts(groups, "group", rule, groups=has_means)
    over_all = Contrasts(table, "connection", rule, groups=has_means)
    answers = Answers(over_all, of_groups, None, NAMES)
    first, single = answers.beyond_lines(by_word)
    assert answers.headline == (
        "Words for women are closer to household words than to tools; for man we cannot tell."
    )
    assert first.startswith("Over all groups, ")
    assert said in first
    assert "numerical error" not in first
    mean = (low + high) / 2
    sds = f"{abs(mean) / 0.07:.2f} sd of a neutral pair's distance"
    size = f"{abs(mean):.2f} {'farther' if mean >= 0 else 'closer'}"
    assert f"The mean is {size} ({sds}), the 89% HPDI {interval(low, high)}" in first
    assert not re.search(r"[-+−]\d", first)
    direction, likelier = ("closer", below) if below >= 0.5 else ("farther", 1 - below)
    number = "above 0.99" if likelier == 1.0 else f"{likelier:.2f}"
    assert f"They are {direction} with probability {number}." in first
    assert "closer for 1 (she) and undecided for 1 of 2 protected words" in single
    assert single.endswith("Expected to have the wrong direction: 0.2 of the 1 word called closer.")
    table["on_edge"] = True
    without, whole = (
        Contrasts(t, by, rule) for t, by in ((groups, "group"), (table, "connection"))
    )
    (first,) = Answers(whole, without, None, NAMES).findings
    end, near = min(
        ((end, near) for end in (low, high) for near in (-0.05, 0, 0.05)),
        key=lambda pair: abs(pair[0] - pair[1]),
    )
    near = f"{abs(near):.4f}" if near else "0"
    assert f"; the interval ends at {abs(end):.4f}, so near {near}" in first


def test_the_controls_have_the_probability_of_their_own_direction():
    rule, none = DecisionRule(0.05, scale=0.07), pd.DataFrame(columns=["contrast", "verdict"])
    table = pd.DataFrame(
        [
            decided("associated − different", -0.3, -0.1, "closer", 1.0),
            decided("associated − human", 0.1, 0.3, "farther", 0.0),
            decided("associated − neutral", -0.2, 0.1, "undecided", 0.7),
        ]
    )
    words = pd.DataFrame([{**table.iloc[0], "protected_word": "she", "group": "x"}])
    by_word, groups = Contrasts(words, "word", rule), Contrasts(none, "group", rule)
    over_all = Contrasts(table, "connection", rule)
    _, against, _ = Answers(over_all, groups, None, NAMES).beyond_lines(by_word)
    assert "farther than human words (0.20 farther, probability above 0.99)" in against
    assert "neutral words (0.05 closer, probability 0.70)" in against


def test_the_third_sentence_says_what_is_off():
    good = CollapsedDiagnostics(8000, 0.1, 5000.0, "all")
    bad = CollapsedDiagnostics(8000, 0.9, 5000.0, "human")
    columns = ["connection", "prob", "inside"]
    fits = pd.DataFrame(
        [("all", 0.89, 0.9), ("human", 0.89, 0.93), ("all", 0.5, 0.51)], columns=columns
    )
    said = answer_of_checks(good, fits, 0.89)
    assert said == (
        "The draws passed their checks. Left-out coverage: 90.0% and 51.0% of the pairs lie in "
        "their 89% and 50% predictive intervals, each predicted from all others, as they should if "
        "the model fits."
    )
    off = fits.assign(inside=[0.9, 0.97, 0.6])
    said = answer_of_checks(bad, off, 0.89)
    assert said.startswith("Do not rely on this fit yet: importance sampling missed part")
    assert "off target for human pairs at 89% (97.0%), at 50%" in said


@pytest.mark.slow
@pytest.mark.usefixtures("undrawn")
def test_page_and_terminal_caution_about_the_same(tmp_path, capsys):
    frame = make_frame(n_attributes=FEW)
    words = frame["attribute"].unique()
    effects = np.random.default_rng(1).normal(0, 0.15, len(words))
    frame["cosine_distance"] += frame["attribute"].map(dict(zip(words, effects, strict=True)))
    bb.write_distances(frame, tmp_path / "d.csv")
    arguments = ["analyze", "--distances", str(tmp_path / "d.csv")]
    for model in ("paper", "maximal"):
        out = str(tmp_path / model)
        assert main([*arguments, "--model", model, "--out", out]) == 0
        printed = capsys.readouterr().out
        assert main(["report", out, "--quiet"]) == 0
        fit = bb.load_fit(tmp_path / model / "fit.nc")
        source = html.unescape(page_of(tmp_path / model).source)
        assert bool(fit.caution) == (model == "paper")
        for note in fit.notes:
            assert note in printed
            kind = "note" if note in fit.left_out else "caution"
            assert f'<p class="{kind}">{note}</p>' in source
        assert source.count('<p class="caution">') == (model == "paper")


def test_the_answer_never_calls_names(analysis, comparison, evil):
    for page in (page_of(analysis), page_of(comparison), evil):
        assert len(page.answers) >= 4
        assert not any("biased" in sentence.lower() for sentence in page.answers)
        assert all(sentence.endswith(".") for sentence in page.answers)


@pytest.mark.parametrize("name", bb.list_models())
def test_every_model_is_written_as_mathematics(name):
    spec = bb.load_model(name)
    lines = equations_of(spec)
    assert len(lines) == len(spec.equations().splitlines())
    for mathml, meaning in lines:
        assert ElementTree.fromstring(mathml).tag == "math"
        assert meaning
    written = "".join(mathml for mathml, _ in lines)
    assert written.count("<mi>Exponential</mi>") == spec.equations().count("Exponential(")


def test_measures_are_those_of_the_pairs():
    columns = ["protected_word", "group", "attribute", "attribute_set", "connection"]
    rng = np.random.default_rng(3)
    rows = [
        (f"{g}{i}", g, f"{s}{j}", s, "associated" if own else "different", rng.uniform(0.5, 1))
        for g in ("x", "y")
        for i in range(3)
        for s, own in (("b", g == "y"), ("a", g == "x"))
        for j in range(3)
    ]
    frame = pd.DataFrame(rows, columns=[*columns, "cosine_distance"])
    mac, weat = measures_of(frame, seed=1)
    assert mac.value == bb.measures.mac(frame).value
    sets = [[f"{name}{i}" for i in range(3)] for name in "xyab"]
    assert weat.value == bb.measures.weat(frame, *sets).value
    assert weat.details["names"] == {"X": "x", "Y": "y", "A": "a", "B": "b"}
    third = pd.concat([frame, frame[frame.group == "x"].assign(group="z")])
    _, skipped = measures_of(third, seed=1)
    assert "3 groups and 2 sets" in skipped.skipped


def test_controls_alone_make_a_report(tmp_path):
    frame = make_frame()
    fit = bb.fit(frame[frame.connection == "human"], model="paper", seed=1, draws=300)
    write_report(fit, tmp_path / "r.html", title="Controls")
    page = Page((tmp_path / "r.html").read_text(encoding="utf-8"))
    assert "nothing can be said about an association" in page.answers[1]
    assert "MAC is left out" in "".join(page.text)
    with pytest.raises(bb.BayesBiasError, match="already exists"):
        write_report(fit, tmp_path / "r.html")


def test_colours_can_be_read():
    """On light and dark paper text has a contrast of at least 4.5, marks at least 3 (WCAG 2.2)."""

    def brightness(colour: str) -> float:
        parts = np.array([int(colour[i : i + 2], 16) for i in (1, 3, 5)]) / 255
        linear = np.where(parts <= 0.04045, parts / 12.92, ((parts + 0.055) / 1.055) ** 2.4)
        return linear @ [0.2126, 0.7152, 0.0722] + 0.05

    def contrast(one: str, other: str) -> float:
        low, high = sorted([brightness(one), brightness(other)])
        return high / low

    before, _, after = _template("style.css").partition("prefers-color-scheme: dark")
    styles = [dict(re.findall(r"--(\w+): (#\w{6})", part)) for part in (before, after)]
    marks = {colour.removeprefix("--") for _, colour, _ in LOOKS.values()}
    for style in styles:
        for ground in (style["paper"], style["soft"]):
            texts = [style[name] for name in ("ink", "quiet", "accent")]
            assert min(contrast(colour, ground) for colour in texts) >= 4.5
        found = {name: contrast(style[name], style["paper"]) for name in (*marks, "edge")}
        assert min(found.values()) >= 3, found
    assert {name: style.lower() for name, style in styles[0].items() if name in marks} == {
        name: f"#{name.lower()}" for name in marks
    }


@pytest.mark.parametrize("span", [(0.0, 1.0), (-0.31, 0.02), (0.931, 0.977), (-2.0, 2.0)])
def test_ticks_are_round_and_inside(span):
    ticks = nice_ticks(*span)
    assert 3 <= len(ticks) <= 8
    assert span[0] <= ticks[0]
    assert ticks[-1] <= span[1]
    steps = np.diff(ticks)
    np.testing.assert_allclose(steps, steps[0])


@pytest.mark.slow
def test_the_report_of_a_usual_list_stays_small(tmp_path):
    """Fifty words and 330 attributes, as the longest lists have."""
    frame = make_frame(
        n_words=50, n_attributes={"associated": 12, "different": 13, "human": 85, "neutral": 226}
    )
    fit = bb.fit(frame, model="crossed", seed=1, draws=500)
    write_report(fit, tmp_path / "r.html")
    assert (tmp_path / "r.html").stat().st_size < 1_500_000


@pytest.mark.parametrize(
    "text", ["she", "christian_stereotype", "w" * 60, " a  b-c/__d ", EVIL, "−"]
)
def test_breaking_a_word_loses_nothing(text):
    assert "".join(_pieces(text)) == text
    assert max(len(piece.strip()) for piece in _pieces(text)) <= 13


def test_a_page_needs_no_library_of_figures(tmp_path):
    """Importing matplotlib or all of scipy.stats takes longer than to write the page."""
    bb.write_distances(make_frame(n_words=4, n_attributes=FEW), tmp_path / "d.csv")
    code = (
        "import sys; from bayesbias.cli import main; done = main(sys.argv[1:]); "
        "print([m for m in ('matplotlib', 'scipy.stats', 'arviz', 'pymc') if m in sys.modules])"
    )
    command = ["analyze", "--distances", "d.csv", "--model", "paper", "--quiet", "--report"]
    done = subprocess.run(
        [sys.executable, "-c", code, *command, "--out", "out"],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout.strip() == "[]"
    assert (tmp_path / "out/report.html").exists()
