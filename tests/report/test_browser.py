"""The report in a real browser: Chromium without a window, steered by chromedriver.

Skipped where there is no Chromium, no chromedriver or no selenium.
"""

import base64
import json
import shutil
import time

import pandas as pd
import pytest
from samples import EVIL, evil_frame

import bayesbias as bb
from bayesbias.errors import MissingWordsWarning
from bayesbias.report import write_report

selenium = pytest.importorskip("selenium", reason="selenium is not installed")

WIDTHS = (1280, 400)


@pytest.fixture(scope="module")
def browser():
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
    """An analysis and a comparison of words that try to run, with the table of the first."""
    folder = tmp_path_factory.mktemp("pages")
    before = evil_frame()
    fit = bb.fit(before, model="crossed", seed=1, draws=500)
    write_report(fit, folder / "analysis.html", command=f"bayesbias {EVIL}")
    after = before.copy()
    after["cosine_distance"] = (after["cosine_distance"] * 1.05).clip(0, 2)
    change = bb.compare_change(before, after, model="change", seed=1, draws=500)
    write_report(change, folder / "comparison.html")
    fit.summary("word").table.to_csv(folder / "summary_by_word.csv", index=False)
    return folder


def open_page(browser, path, width=1280):
    browser.get_log("browser")
    browser.get_log("performance")
    browser.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride",
        {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": width < 500},
    )
    browser.get(path.as_uri())
    return path.as_uri()


@pytest.fixture
def page(browser, pages):
    """The analysis, freshly loaded."""
    open_page(browser, pages / "analysis.html")
    return browser


def all_of(browser, selector):
    return browser.find_elements("css selector", selector)


def shown_rows(browser):
    script = """return [...document.querySelectorAll('.explorer tbody tr')]
        .filter(r => r.getClientRects().length).map(r => [r.cells[0].textContent.trim(),
        r.cells[2].textContent.trim(), r.cells[5].dataset.value])"""
    return browser.execute_script(script)


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("name", ["analysis", "comparison"])
def test_it_loads_alone_without_errors_and_fits(browser, pages, name, width):
    address = open_page(browser, pages / f"{name}.html", width)
    time.sleep(0.2)
    assert browser.get_log("browser") == []
    events = [json.loads(entry["message"])["message"] for entry in browser.get_log("performance")]
    asked = [
        event["params"]["request"]["url"]
        for event in events
        if event["method"] == "Network.requestWillBeSent"
    ]
    assert address in asked
    assert [url for url in asked if url != address and not url.startswith("data:")] == []
    wide, inner = browser.execute_script(
        "return [document.documentElement.scrollWidth, innerWidth]"
    )
    assert wide <= inner == width
    hanging = browser.execute_script(
        """const isOut = e => e.getBoundingClientRect().right > innerWidth + 1;
        const mayScroll = e => e.closest('.scroll, dt, pre, svg, .skip');
        return [...document.querySelectorAll('main *, header *, nav *')].filter(
            e => !mayScroll(e) && isOut(e)).map(e => e.outerHTML.slice(0, 120))"""
    )
    assert hanging == []


@pytest.mark.parametrize("name", ["analysis", "comparison"])
def test_a_phone_shows_every_verdict(browser, pages, name):
    """Tables scroll sideways there; what they come to stays in sight."""
    open_page(browser, pages / f"{name}.html", 400)
    seen = browser.execute_script(
        """return [...document.querySelectorAll('td.say, th.say')].filter(
            e => e.offsetParent).map(e => {
                const box = e.getBoundingClientRect();
                return [box.left, box.right, innerWidth];
            })"""
    )
    assert len(seen) > 4
    assert all(0 <= left < right <= inner for left, right, inner in seen)


def test_no_line_breaks_within_an_option(browser, pages):
    open_page(browser, pages / "analysis.html", 400)
    heights = browser.execute_script(
        """return [...document.querySelectorAll('.typed')].map(
            e => [e.textContent, e.getClientRects().length, getComputedStyle(e).whiteSpace])"""
    )
    assert ["--placebo", 1, "nowrap"] in heights
    assert {lines for _, lines, _ in heights} == {1}


def test_words_of_users_are_text(page):
    from selenium.common.exceptions import NoAlertPresentException

    with pytest.raises(NoAlertPresentException):
        _ = page.switch_to.alert
    assert EVIL in [word for word, _, _ in shown_rows(page)]
    assert page.execute_script("return document.scripts.length") == 1
    assert page.execute_script("return document.images.length") == 0


def test_a_foreign_script_is_refused(page):
    page.execute_script(
        "const s = document.createElement('script'); s.textContent = 'window.ran = 1';"
        "document.body.append(s);"
    )
    assert page.execute_script("return window.ran") is None
    assert "Content Security Policy" in page.get_log("browser")[0]["message"]


def test_the_table_sorts(page):
    heads = all_of(page, ".explorer thead th")
    mean = next(h for h in heads if h.text.startswith("mean"))
    sorter = mean.find_element("css selector", ".sorter")
    page.execute_script("arguments[0].scrollIntoView({block: 'center'})", mean)
    first = [float(value) for _, _, value in shown_rows(page)]
    sorter.click()
    assert mean.get_attribute("aria-sort") == "ascending"
    assert [float(value) for _, _, value in shown_rows(page)] == sorted(first)
    assert first != sorted(first)
    sorter.click()
    assert mean.get_attribute("aria-sort") == "descending"
    assert [float(value) for _, _, value in shown_rows(page)] == sorted(first, reverse=True)
    from selenium.webdriver.common.keys import Keys

    connection = next(h for h in heads if h.text.startswith("connection"))
    connection.find_element("css selector", ".sorter").send_keys(Keys.ENTER)
    names = [name for _, name, _ in shown_rows(page)]
    assert names == sorted(names)
    assert mean.get_attribute("aria-sort") is None


def test_filters_govern_table_and_figure(page):
    page.execute_script("document.querySelector('.controls').scrollIntoView()")
    box = all_of(page, ".explorer .filter")[0]
    box.send_keys("word3, WORD4")
    assert {word for word, _, _ in shown_rows(page)} == {"word3", "word4"}
    assert len(shown_rows(page)) == 8
    names = [e.text for e in all_of(page, ".explorer .row[data-word] .name") if e.is_displayed()]
    assert names == ["word3", "word4"]
    assert all_of(page, ".explorer .status")[0].text == "8 of 24 rows shown"
    all_of(page, ".connection[value=human]")[0].click()
    assert {name for _, name, _ in shown_rows(page)} == {"associated", "different", "neutral"}
    marks = page.execute_script(
        """return [...document.querySelectorAll('.explorer .mark')]
        .filter(m => m.getClientRects().length).map(m => m.dataset.look)"""
    )
    assert sorted(set(marks)) == ["associated", "different", "neutral"]
    assert len(marks) == 6
    box.clear()
    box.send_keys("group1")
    assert len({word for word, _, _ in shown_rows(page)}) == 3
    box.clear()
    box.send_keys(" ")
    all_of(page, "details.words summary")[0].click()
    all_of(page, ".explorer button.none")[0].click()
    assert shown_rows(page) == []
    all_of(page, ".word[value=word5]")[0].click()
    assert {word for word, _, _ in shown_rows(page)} == {"word5"}
    all_of(page, ".explorer button.all")[0].click()
    assert len(shown_rows(page)) == 18


def test_pointing_shows_the_value_of_the_table(page, pages):
    from selenium.webdriver.common.action_chains import ActionChains

    table = pd.read_csv(pages / "summary_by_word.csv").set_index(["protected_word", "connection"])
    row = table.loc[("word3", "human")]
    (mark,) = all_of(page, ".explorer .row[data-word=word3] .mark[data-look=human]")
    page.execute_script("arguments[0].scrollIntoView({block: 'center', behavior: 'instant'})", mark)
    time.sleep(0.2)
    (tip,) = all_of(page, "#tip")
    assert not tip.is_displayed()
    ActionChains(page).move_to_element(mark.find_element("css selector", "path")).perform()
    assert tip.is_displayed()
    assert tip.text == (
        f"word3, human: {row['mean']:.3f}, 89% HPDI {row['low']:.3f} to {row['high']:.3f}, 4 pairs"
    )
    ActionChains(page).move_to_element(all_of(page, "#words h2")[0]).perform()
    assert not tip.is_displayed()


def test_marks_stand_where_their_values_are(page, pages):
    """The middle of a marker, read back through the axis, is the mean."""
    table = pd.read_csv(pages / "summary_by_word.csv").set_index(["protected_word", "connection"])
    found = page.execute_script(
        """const forest = document.querySelector('.explorer .forest');
        const middle = e => { const b = e.getBoundingClientRect(); return b.x + b.width / 2; };
        const ticks = [...forest.querySelectorAll('.axis text')].map(
            t => [+t.textContent, middle(t)]);
        const marks = [...forest.querySelectorAll('.row[data-word=word4] .mark')].map(
            m => [m.dataset.look, middle(m.querySelector('path'))]);
        return [ticks, marks];"""
    )
    (low, x_low), (high, x_high) = found[0][0], found[0][-1]
    scale = (high - low) / (x_high - x_low)
    assert len(found[1]) == 4
    for look, x in found[1]:
        value = low + (x - x_low) * scale
        assert value == pytest.approx(table.loc[("word4", look), "mean"], abs=1.5 * abs(scale))


def test_the_keyboard_reaches_every_mark(page):
    from selenium.webdriver.common.keys import Keys

    (first,) = all_of(page, ".explorer .mark[tabindex='0']")
    page.execute_script("arguments[0].focus()", first)
    (tip,) = all_of(page, "#tip")
    seen = []
    for _ in range(5):
        seen.append(tip.text)
        page.switch_to.active_element.send_keys(Keys.ARROW_DOWN)
    assert len(set(seen)) == 5
    page.switch_to.active_element.send_keys(Keys.ARROW_UP)
    assert tip.text == seen[4]
    page.switch_to.active_element.send_keys(Keys.ESCAPE)
    assert not tip.is_displayed()


def test_a_change_can_be_filtered_by_connection(browser, pages):
    open_page(browser, pages / "comparison.html")
    page = browser
    assert len([f for f in all_of(page, ".explorer .forest") if f.is_displayed()]) == 4
    box = all_of(page, ".connection[value=neutral]")[0]
    page.execute_script("arguments[0].scrollIntoView({block: 'center', behavior: 'instant'})", box)
    box.click()
    assert len([f for f in all_of(page, ".explorer .forest") if f.is_displayed()]) == 3
    assert {name for _, name, _ in shown_rows(page)} == {"associated", "different", "human"}


def printed_pages(browser):
    found = browser.execute_cdp_cmd("Page.printToPDF", {"preferCSSPageSize": True})
    pdf = base64.b64decode(found["data"])
    assert pdf.startswith(b"%PDF-")
    return pdf.count(b"/Type /Page\n") + pdf.count(b"/Type /Page ")


@pytest.mark.parametrize("name", ["analysis", "comparison"])
def test_paper_gets_eight_pages_at_most(browser, pages, name):
    """On paper no control is left, nothing scrolls, and what is cut says so."""
    open_page(browser, pages / f"{name}.html")
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    assert 3 <= printed_pages(browser) <= 8
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "print"})
    browser.execute_cdp_cmd(
        "Emulation.setDeviceMetricsOverride",
        {"width": 680, "height": 960, "deviceScaleFactor": 1, "mobile": False},
    )  # A4 less its margins at 96 pixels an inch
    hidden, cut = browser.execute_script(
        """const gone = e => !e.getClientRects().length;
        return [[...document.querySelectorAll('nav, .controls, footer')].every(gone),
        [...document.querySelectorAll('.scroll, .panels, pre, .equations dt')].filter(
            e => e.scrollWidth > e.clientWidth + 1 || e.getBoundingClientRect().right > 681
        ).map(e => e.outerHTML.slice(0, 150))]"""
    )
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})
    assert hidden
    assert cut == []


def test_the_page_is_dark_where_the_reader_is(browser, pages):
    """Ink and ground change places, and paper stays white."""
    open_page(browser, pages / "analysis.html")
    script = """const style = getComputedStyle(document.body);
        const mark = getComputedStyle(document.querySelector('.mark .bar')).stroke;
        return [style.backgroundColor, style.color, mark]"""
    found = {}
    for scheme, media in (("light", ""), ("dark", ""), ("dark", "print")):
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        browser.execute_cdp_cmd(
            "Emulation.setEmulatedMedia", {"media": media, "features": features}
        )
        found[scheme, media] = browser.execute_script(script)
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": "", "features": []})
    assert found["light", ""][0] == found["dark", "print"][0] == "rgb(255, 255, 255)"
    assert found["dark", ""][0] == "rgb(18, 22, 27)"
    assert all(a != b for a, b in zip(found["light", ""], found["dark", ""], strict=True))


@pytest.mark.slow
def test_the_demos_page_folds_missing_words_and_has_eight_sheets(browser, tmp_path):
    with pytest.warns(MissingWordsWarning):
        frame = bb.distances(bb.example_embedding(), "gender")
    write_report(bb.fit(frame, seed=1, draws=500), tmp_path / "a.html")
    open_page(browser, tmp_path / "a.html")
    browser.execute_cdp_cmd("Emulation.clearDeviceMetricsOverride", {})
    assert printed_pages(browser) <= 8
    (folded,) = [d for d in all_of(browser, "details") if "and why" in d.text]
    assert folded.text == "Missing words (183), and why"
    folded.find_element("css selector", "summary").click()
    assert "not in the vectors" in folded.text
