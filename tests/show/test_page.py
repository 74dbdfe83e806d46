"""The page in a real browser: it stands alone, fits, is short, accessible, and words are words.

Skipped where there is no Chromium, no chromedriver or no selenium; axe-core is asked where
``BAYESBIAS_AXE`` names its file.
"""

import json
import os
import re
import shutil
from pathlib import Path

import numpy as np
import pytest
from samples import EVIL, evil_frame

import bayesbias as bb
from bayesbias.show import page as show
from bayesbias.show import style

SEEN = """
const walk = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT), seen = [];
while (walk.nextNode()) {
  const parent = walk.currentNode.parentElement;
  if (["SCRIPT", "STYLE", "OPTION"].includes(parent.tagName) || !parent.checkVisibility()) continue;
  seen.push(...(walk.currentNode.textContent.match(/\\S+/g) || []));
}
return seen;"""

GRID = """
wordlists = ["gender", "weat1", "weat7"]
models = ["paper"]
[vectors]
one = "slice.bin"
two = "slice.bin"
"""
RULES = """
[rules.overall]
at_least = -0.05
[rules.lists]
level = "list"
unit = "sd"
at_least = -1
at_most = 1
[rules.nowhere]
list = "nowhere"
at_most = 0
"""


def test_axes_have_round_ticks_and_room():
    axis = show.axis_of([-0.18, 0.09, float("nan")], zero=True)
    assert [text for _, text in axis["ticks"]] == ["−0.1", "0.0", "0.1"]
    assert show.place(axis, axis["low"]) == 0
    assert show.place(axis, axis["high"]) == 100
    assert axis["zero"] == show.place(axis, 0.0)
    assert axis["low"] == pytest.approx(-0.18 - 0.06 * 0.27)


@pytest.mark.parametrize("word", ["nurse", "a b", 'x"y', "Ärztin", "100%"])
def test_anchors_are_words_that_html_and_addresses_take(word):
    assert re.fullmatch(r"row-[\w.~-]+", show.row_id(word))
    assert show.row_id(word) != show.row_id(word + "'")


def test_figures_take_the_pages_colours_and_link_words():
    fit = bb.analyze(bb.example_embedding(), "gender", "paper", seed=1)
    svg = show.inline_svg(fit.plot(), 'a "title"', ["nurse"])
    assert svg.startswith("<svg")
    assert 'aria-label="a &quot;title&quot;"' in svg
    assert not any(colour.lower() in svg for colour in (*style.CATEGORIES[:2], style.INK))
    assert svg.count('<a href="#row-nurse">') == 1
    ids = re.findall(r' id="([^"]*)"', svg)
    narrow = show.inline_svg(fit.plot(figsize=3.5), "")
    assert set(ids).isdisjoint(re.findall(r' id="([^"]*)"', narrow))


def test_tables_keep_whole_numbers():
    table = bb.fit(evil_frame(), "paper", seed=1).summary()
    full = show.full_table("means", "Means", table)
    at = [key for key, _, _ in full["columns"]].index("mean")
    assert [float(row[at][1]) for row in full["rows"]] == table["mean"].tolist()


@pytest.fixture(scope="module")
def browser():
    pytest.importorskip("selenium", reason="selenium is not installed")
    from selenium import webdriver
    from selenium.common.exceptions import WebDriverException
    from selenium.webdriver.chrome.options import Options
    from selenium.webdriver.chrome.service import Service

    names = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
    binary = next((found for name in names if (found := shutil.which(name))), None)
    driver = shutil.which("chromedriver")
    if binary is None or driver is None:
        pytest.skip("no Chromium with chromedriver here: install chromium and chromium-driver")
    options = Options()
    options.binary_location = binary
    for argument in (
        *("--headless=new", "--no-sandbox", "--disable-dev-shm-usage"),
        *("--disable-background-networking", "--window-size=1280,900"),
        "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE localhost",
    ):
        options.add_argument(argument)
    options.set_capability("goog:loggingPrefs", {"browser": "ALL", "performance": "ALL"})
    try:
        started = webdriver.Chrome(options=options, service=Service(driver))
    except WebDriverException as error:
        pytest.skip(f"Chromium does not start here: {error.msg}")
    yield started
    started.quit()


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    """An analysis, a comparison, and words that try to run."""
    folder = tmp_path_factory.mktemp("pages")
    fit = bb.analyze(bb.example_embedding(), "gender", seed=1)
    fit.report(folder / "analysis.html", command="bayesbias demo", checks=False)
    noise = np.random.default_rng(1).normal(0.02, 0.01, len(fit.frame))
    after = fit.frame.assign(cosine_distance=fit.frame["cosine_distance"] + noise)
    changed = bb.compare({"before": fit.frame, "after": after}, model="crossed", seed=1)
    changed.report(folder / "comparison.html")
    evil = bb.fit(evil_frame(), "crossed", seed=1, draws=500)
    evil.report(folder / "evil.html", command=f"bayesbias {EVIL}", checks=False)
    bb.example_embedding().save_word2vec_format(folder / "slice.bin", binary=True)
    (folder / "grid.toml").write_text(GRID, encoding="utf-8")
    swept = bb.run_sweep(folder / "grid.toml", folder / "out", progress=False)
    swept.report(folder / "sweep.html")
    (folder / "rules.toml").write_text(RULES, encoding="utf-8")
    bb.check_rules(folder / "rules.toml", swept).report(folder / "rules.html")
    return folder


def asked(browser, expression):
    return browser.execute_script(f"return {expression}")


def opened(browser, path, width=1280, dark=False):
    browser.get_log("browser")
    browser.get_log("performance")
    browser.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride",
        {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500},
    )
    scheme = {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [scheme]})
    browser.get(path.as_uri())
    return path.as_uri()


NAMES = ("analysis", "comparison", "evil", "sweep", "rules")


@pytest.mark.parametrize("width", [1280, 400])
@pytest.mark.parametrize("name", NAMES)
def test_it_stands_alone_and_fits(browser, pages, name, width):
    address = opened(browser, pages / f"{name}.html", width)
    assert browser.get_log("browser") == []
    events = [json.loads(entry["message"])["message"] for entry in browser.get_log("performance")]
    urls = [
        event["params"]["request"]["url"]
        for event in events
        if event["method"] == "Network.requestWillBeSent"
    ]
    assert [url for url in urls if url != address and not url.startswith("data:")] == []
    wide, inner = asked(browser, "[document.documentElement.scrollWidth, innerWidth]")
    assert wide <= inner == width
    hanging = asked(
        browser,
        """[...document.querySelectorAll('main *, header *')].filter(e => e.checkVisibility()
        && !e.closest('.scroll, .tall, svg, .skip') && e.getBoundingClientRect().right
        > innerWidth + 1).map(e => e.outerHTML.slice(0, 120))""",
    )
    assert hanging == []
    ids = asked(browser, "[...document.querySelectorAll('[id]')].map(e => e.id)")
    assert len(ids) == len(set(ids))


@pytest.mark.parametrize("name", [*NAMES[:2], "sweep"])
def test_it_is_four_short_screens(browser, pages, name):
    opened(browser, pages / f"{name}.html")
    assert asked(browser, "document.documentElement.scrollHeight") <= 5 * 900
    assert len(browser.execute_script(SEEN)) <= 1500
    heads = asked(browser, "[...document.querySelectorAll('main > section')].map(s => s.id)")
    assert heads == ["", "groups", "trust", "method"]
    assert asked(browser, "document.title === document.querySelector('h1').innerText")
    svg = "[...document.querySelectorAll('figure svg')].filter(s => s.getClientRects().length)"
    assert len(asked(browser, svg)) == 1


def test_it_is_read_without_a_script(browser, pages):
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        opened(browser, pages / "analysis.html")
    finally:
        browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})
    assert asked(browser, "document.documentElement.className") == ""
    seen = " ".join(browser.execute_script(SEEN))
    assert "nurse" in seen
    assert "in one file" not in seen
    assert not any(button.is_displayed() for button in browser.find_elements("tag name", "button"))


def rows(browser):
    shown = (
        "[...document.querySelectorAll('.chart tbody tr')].filter(r => r.getClientRects().length)"
    )
    return asked(browser, f"{shown}.map(r => [r.dataset.word, r.dataset.list, r.dataset.group])")


def test_list_and_group_are_chosen(browser, pages):
    opened(browser, pages / "analysis.html")
    assert len(rows(browser)) == 18 + 14
    choose = """const select = document.getElementById(arguments[0]);
        select.value = arguments[1]; select.dispatchEvent(new Event('change'));"""
    browser.execute_script(choose, "choice-list", "woman_stereotype")
    assert {name for _, name, group in rows(browser) if not group} == {"woman_stereotype"}
    browser.execute_script(choose, "choice-group", "man")
    assert {group for _, name, group in rows(browser) if not name} == {"man"}
    dim = asked(browser, "[...document.querySelectorAll('.mark.dim')].map(m => m.dataset.group)")
    assert set(dim) == {"woman"}
    status = asked(browser, "document.getElementById('status').textContent")
    assert status == f"{len(rows(browser))} of 32 rows"


def test_a_word_of_the_figure_leads_to_its_row(browser, pages):
    opened(browser, pages / "analysis.html")
    browser.execute_script(
        """document.querySelector('.wide a[href="#row-nurse"]').dispatchEvent(
            new MouseEvent('click', {bubbles: true, cancelable: true}))"""
    )
    chosen = browser.find_elements("css selector", "tr.chosen")
    assert [row.get_attribute("data-word") for row in chosen] == ["nurse"]
    assert "words for women 0." in chosen[0].get_attribute("title")


def saved(browser, selector):
    """What a button would write to a file: its name and text."""
    return browser.execute_async_script(
        """const done = arguments[1], make = URL.createObjectURL;
        let blob = null;
        URL.createObjectURL = given => { blob = given; return 'about:blank#'; };
        HTMLAnchorElement.prototype.click = function () {
          blob.text().then(text => done([this.download, text]));
        };
        document.querySelector(arguments[0]).click();
        URL.createObjectURL = make;""",
        selector,
    )


def test_tables_and_figures_are_saved(browser, pages):
    opened(browser, pages / "analysis.html")
    name, text = saved(browser, "[data-csv=contrasts]")
    lines = text.split("\r\n")
    table = bb.analyze(bb.example_embedding(), "gender", seed=1).contrasts()
    assert name == "contrasts.csv"
    assert lines[0] == ",".join(table.columns)
    assert len(lines) == len(table) + 2
    at = list(table.columns).index("mean")
    assert float(lines[1].split(",")[at]) == table["mean"].iloc[0]
    opened(browser, pages / "analysis.html")
    name, text = saved(browser, "[data-figure]")
    assert name == "figure.svg"
    assert text.startswith("<svg")
    assert "var(" not in text
    opened(browser, pages / "analysis.html")
    name, text = saved(browser, "[data-svg=protected]")
    assert name == "protected.svg"
    assert text.count("<rect") == 14
    assert ">aunt</text>" in text


def test_words_of_users_are_text(browser, pages):
    from selenium.common.exceptions import NoAlertPresentException

    opened(browser, pages / "evil.html")
    with pytest.raises(NoAlertPresentException):
        _ = browser.switch_to.alert
    assert asked(browser, "[document.scripts.length, document.images.length]") == [1, 0]
    assert EVIL in " ".join(browser.execute_script(SEEN))
    browser.execute_script(
        "const s = document.createElement('script'); s.textContent = 'window.ran = 1';"
        "document.body.append(s);"
    )
    assert asked(browser, "window.ran") is None


@pytest.mark.parametrize(("width", "dark"), [(1280, False), (1280, True), (400, False)])
@pytest.mark.parametrize("name", NAMES[:2])
def test_axe_finds_nothing(browser, pages, name, width, dark):
    source = Path(os.environ.get("BAYESBIAS_AXE", ""))
    if not source.is_file():
        pytest.skip("no axe-core: set BAYESBIAS_AXE to axe.min.js")
    opened(browser, pages / f"{name}.html", width, dark)
    browser.set_script_timeout(180)
    browser.execute_cdp_cmd("Page.setBypassCSP", {"enabled": True})
    browser.execute_script(source.read_text(encoding="utf-8"))
    found = browser.execute_async_script(
        """const done = arguments[0]; axe.run().then(result => done(result.violations.map(
            v => [v.id, v.impact, v.nodes[0].html.slice(0, 120)])), e => done([String(e)]))"""
    )
    assert found == []
