"""Tests of pages in headless Chromium, run by ``.ci/pages``.

Requires Chromium, its driver and the dependency group ``pages``.
"""

from __future__ import annotations

import base64
import os
import random
import re
import subprocess
import sys
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
from browsing import PHONE, WIDE, axe, opened, requests, text_after_clicks
from PIL import Image

from valor_core import evaluate
from valor_core.results import Report, Result, Undefined

if TYPE_CHECKING:
    from selenium.webdriver import Chrome

ROOT = Path(__file__).parents[2]
EXAMPLES = ("detection", "digits", "llm", "rgb", "segmentation", "text")
HOSTILE = "<script>alert('x')</script><img src=x onerror=alert(1)>"
CSS = "css selector"


def classified(items: int, labels: int, path: Path, name: str = "label {}") -> None:
    """Write the page of a classifier that has 8 of 10 items right."""
    chance = random.Random(7)
    true = [chance.randrange(labels) for _ in range(items)]
    found = [one if chance.random() < 0.8 else chance.randrange(labels) for one in true]
    named = [name.format(number) for number in range(labels)]
    table = {
        "y_true": [named[one] for one in true],
        "y_pred": [named[one] for one in found],
        "light": [("day", "dusk")[one % 2] for one in range(items)],
    }
    metrics = ["Accuracy", "F1", "Precision", "ConfusionMatrix"]
    evaluate(table, metrics, slices=["light"], items=True).save(path)


ANIMALS = ("cat", "cow", "dog")


def photographed(folder: Path) -> Path:
    """Run a classifier of photos with items and a gallery, and return its page."""
    photos = folder / "photos"
    photos.mkdir()
    lines = ["image,label,light," + ",".join(f"score_{name}" for name in ANIMALS)]
    for at in range(120):
        true = at % 3
        found = (true + 1 + at % 2) % 3 if at % 7 == 0 else true
        scores = [0.125, 0.125, 0.125]
        scores[found] = 0.5 + at / 512
        Image.new("RGB", (48, 32), ("orange", "white", "brown")[true]).save(photos / f"{at}.png")
        light = ("day", "night")[at % 5 == 0]
        lines.append(f"{at}.png,{ANIMALS[true]},{light}," + ",".join(map(str, scores)))
    (folder / "animals.csv").write_text("\n".join(lines))
    page = folder / "animals.html"
    metrics = ["--metrics", "Accuracy,F1,ConfusionMatrix,CalibrationError"]
    settings = ["--items", "--slices", "light", "--set", f"gallery.images={photos}"]
    files = ["--gallery", str(folder / "worst"), "--output", str(page)]
    run([str(folder / "animals.csv"), *metrics, *settings, *files])
    return page


def run(arguments: list[str]) -> None:
    """Call ``valor run`` in the clone."""
    command = [sys.executable, "-m", "valor_cli", "run", *arguments]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)


@pytest.fixture(scope="session")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Pages of all examples, and of reports at their limits, by name."""
    folder = tmp_path_factory.mktemp("pages")
    found = {}
    for name in EXAMPLES:
        found[name] = folder / f"{name}.html"
        report = ["--set", "confidence=0.95", "--output", str(found[name])]
        run([f"examples/{name}/config.yaml", *report])
        gallery = ROOT / "examples" / name / "gallery" / "index.html"
        if gallery.exists():
            found[f"{name} gallery"] = gallery
    found["animals"] = photographed(folder)
    for name in ("llm", "text", "detection"):
        found[f"{name} items"] = folder / f"{name}-items.html"
        report = ["--set", "items=true", "--output", str(found[f"{name} items"])]
        run([f"examples/{name}/config.yaml", *report])
    limits = {
        "1 label": partial(classified, 50, 1),
        "1,000 labels": partial(classified, 20_000, 1000),
        "200,000 items": partial(classified, 200_000, 10),
        "hostile labels": partial(classified, 100, 3, name=f"{{}}{HOSTILE}"),
    }
    for name, write in limits.items():
        found[name] = folder / f"{name}.html"
        write(found[name])
    found["0 items"] = folder / "empty.html"
    Report(results=[Result(type="Accuracy", value=Undefined("no items"))]).save(found["0 items"])
    return found


NAMES = (
    *EXAMPLES,
    *("detection gallery", "segmentation gallery", "text gallery"),
    *("animals", "llm items", "text items", "detection items"),
    *("1 label", "1,000 labels", "200,000 items", "hostile labels", "0 items"),
)


@pytest.mark.parametrize("name", NAMES)
def test_page_is_offline_and_accessible(name: str, pages: dict[str, Path], browser: Chrome) -> None:
    opened(browser, pages[name], WIDE)

    assert axe(browser) == []
    assert [one["message"] for one in browser.get_log("browser")] == []
    assert requests(browser) == []


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("size", [WIDE, PHONE], ids=["1440", "390"])
def test_page_is_not_wider_than_screen(
    name: str, size: tuple[int, int], pages: dict[str, Path], browser: Chrome
) -> None:
    opened(browser, pages[name], size)

    assert browser.execute_script("return document.documentElement.scrollWidth") <= size[0]


@pytest.mark.parametrize("name", NAMES)
def test_dark_page_has_enough_contrast(name: str, pages: dict[str, Path], browser: Chrome) -> None:
    opened(browser, pages[name], WIDE, dark=True)

    assert axe(browser) == []


# Question, page, selectors of at most three clicks, and the text that answers it.
QUESTIONS = {
    "which label is worst": (
        "digits",
        ["a[href='#results-by-label']"],
        "#results-by-label tbody th",
        "1",
    ),
    "which slice is worst": (
        "digits",
        ["a[href='#results-by-ink']"],
        "#results-by-ink tbody th",
        "light",
    ),
    "which labels are confused": (
        "digits",
        ["a[href='#confusionmatrix']"],
        "#confusionmatrix figure",
        "prediction",
    ),
    "did it pass": ("digits", [], "header .pill", "1 of 1 requirement met"),
    "is a lower log loss better": ("digits", [], ".card:has(dd.about)", "higher is better"),
    "how sure is the number": ("digits", [], ".card .half", "± 0.0183"),
    "is the model too sure": (
        "digits",
        [],
        ".findings",
        "Confidence is 0.1872 lower than accuracy",
    ),
    "what does the metric measure": ("digits", ["#settings summary"], "#settings", "Harmonic mean"),
    "which version was it": ("digits", ["#settings summary"], "#settings", "valor-core"),
    "show me a cat predicted as dog": (
        "animals",
        [
            "#confusionmatrix svg a[href='#items?truth=cat&prediction=dog']",
            "#items .open",
        ],
        "#items .panel",
        "predicted dog",
    ),
    "what is the surest error": (
        "animals",
        ["#look a[href^='#items?item=']", "#items .open"],
        "#items .panel",
        "true",
    ),
    "which dogs are predicted as cow": (
        "animals",
        [
            "#confusionmatrix summary",
            "#confusionmatrix td a[href='#items?truth=dog&prediction=cow']",
        ],
        "#items .found",
        "of 120",
    ),
    "show me the items of the worst slice": (
        "animals",
        ["#results-by-light tbody th a"],
        "#items .found",
        "of 120",
    ),
    "which items have an unsure prediction": (
        "animals",
        ["#calibrationerror svg a[href='#items?score=0.466667..0.533333']"],
        "#items .found",
        "of 120",
    ),
    "which items have a label": (
        "animals",
        ["#results-by-label a[href='#items?label=cow']"],
        "#items .found",
        "of 120",
    ),
    "why does the judge say no": (
        "llm items",
        ["#items .open"],
        "#items .panel",
        "No sentence has 60% of its words",
    ),
    "where does the response differ": (
        "text items",
        ["#items .open"],
        "#items .panel mark",
        "",
    ),
    "which label has the best recall": (
        "digits",
        ["#results-by-label th:nth-child(3)"],
        "#results-by-label tbody th",
        "7",
    ),
}


@pytest.mark.parametrize("question", QUESTIONS)
def test_question_is_answered_in_three_clicks(
    question: str, pages: dict[str, Path], browser: Chrome
) -> None:
    name, clicks, selector, answer = QUESTIONS[question]
    opened(browser, pages[name], WIDE)

    assert answer in text_after_clicks(browser, clicks, selector)
    assert len(clicks) <= 3


def test_filter_of_a_table_stays_in_the_address(pages: dict[str, Path], browser: Chrome) -> None:
    shown = (
        "return [...document.querySelectorAll('#results tbody tr')].filter(r => !r.hidden).length"
    )
    opened(browser, pages["detection"], WIDE)
    browser.find_element(CSS, "#results .filter").send_keys("AP50")

    address = browser.current_url
    browser.get("about:blank")
    browser.get(address)

    assert address.endswith("#results?AP50")
    assert browser.execute_script(shown) == 1


SHOWN = "return [...document.querySelectorAll('#items tbody th')].map(cell => cell.textContent)"


def test_chips_of_filters_are_removed_by_keyboard(pages: dict[str, Path], browser: Chrome) -> None:
    opened(browser, f"{pages['animals'].as_uri()}#items?truth=cat&prediction=dog", WIDE)
    few = browser.execute_script(SHOWN)

    for _ in range(2):
        browser.find_element(CSS, "#items .chip").send_keys("\n")

    assert 0 < len(few) < 30
    assert len(browser.execute_script(SHOWN)) == 100  # a button shows the others
    assert browser.current_url.endswith("#items")


@pytest.mark.parametrize(
    ("section", "filter"),
    [("confusionmatrix", "truth=cat&prediction=dog"), ("calibrationerror", "score=")],
)
def test_clicked_cell_and_bar_filter_items(
    pages: dict[str, Path], browser: Chrome, section: str, filter: str
) -> None:
    opened(browser, pages["animals"].as_uri(), WIDE)
    link = browser.find_element(CSS, f"#{section} svg a[href^='#items?{filter}'] > *")
    hint = link.find_element(CSS, "title").get_property("textContent")

    link.click()

    # a cell: "cat → dog: 9 (22.5%)"; a dot: "0.6 to 0.7: 18 items, confidence …"
    count = int(re.search(r"(?:: |of )(\d+) [(rwi]", hint)[1])
    assert len(browser.execute_script(SHOWN)) == count > 0


@pytest.mark.parametrize("name", ["animals", "detection items", "text items"])
def test_phone_shows_every_value_of_an_item_without_scrolling_sideways(
    name: str, pages: dict[str, Path], browser: Chrome
) -> None:
    opened(browser, pages[name], PHONE)
    browser.find_element(CSS, "#items .open").send_keys("\n")

    cut = browser.execute_script(
        "return [...document.querySelectorAll('#items tbody tr > *')].filter(one => {"
        "const box = one.getBoundingClientRect();"
        "return one.textContent && (box.right > innerWidth || !box.width); })"
        ".map(one => one.textContent)"
    )
    assert cut == []
    cell = browser.find_element(CSS, "#items tbody td[data-name]")
    assert cell.get_attribute("data-name") in browser.find_element(CSS, "#items thead").text


def test_table_fills_the_left_column_beside_a_tall_matrix(
    pages: dict[str, Path], browser: Chrome
) -> None:
    opened(browser, pages["1,000 labels"], WIDE)

    boxes = browser.execute_script(
        "return ['#look', '.beside', '#confusionmatrix'].map(one => {"
        "const box = document.querySelector(one).getBoundingClientRect();"
        "return [box.left, box.right, box.top, box.bottom]; })"
    )
    look, beside, matrix = boxes
    assert beside[0] == look[0]
    assert beside[1] < matrix[0]
    assert look[3] < beside[2] < matrix[3]


def test_range_of_scores_filters_items(pages: dict[str, Path], browser: Chrome) -> None:
    opened(browser, f"{pages['animals'].as_uri()}#items?score=0.5..0.51", WIDE)

    assert sorted(browser.execute_script(SHOWN)) == [
        "0.png",
        "1.png",
        "2.png",
        "3.png",
        "4.png",
        "5.png",
    ]


def test_item_opens_and_closes_by_keyboard(pages: dict[str, Path], browser: Chrome) -> None:
    opened(browser, pages["animals"], WIDE)
    button = browser.find_element(CSS, "#items .open")

    button.send_keys("\n")
    picture = browser.find_element(CSS, "#items .panel img")
    width = browser.execute_script("return arguments[0].naturalWidth", picture)
    button.send_keys("\n")

    assert width == 48
    assert browser.find_elements(CSS, "#items .panel") == []


def test_more_items_are_shown_on_request_and_sorted(
    pages: dict[str, Path], browser: Chrome
) -> None:
    opened(browser, pages["200,000 items"], WIDE)

    browser.find_element(CSS, "#items .more").click()
    browser.find_element(CSS, "#items th.sorts").click()

    shown = browser.execute_script(SHOWN)
    assert len(shown) == 200
    assert [int(uid) for uid in shown] == sorted(int(uid) for uid in shown)
    assert "of them on this page; show all with: valor view report.json" in (
        browser.find_element(CSS, "#items .caption").text
    )
    assert pages["200,000 items"].stat().st_size <= 5_000_000


def test_first_items_are_shown_without_script(pages: dict[str, Path], browser: Chrome) -> None:
    browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": True})
    try:
        opened(browser, pages["animals"], WIDE)
        rows = browser.find_elements(CSS, "#items tbody tr")
    finally:
        browser.execute_cdp_cmd("Emulation.setScriptExecutionDisabled", {"value": False})

    assert len(rows) == 100


def test_first_paint(
    pages: dict[str, Path], browser: Chrome, capsys: pytest.CaptureFixture[str]
) -> None:
    from selenium.webdriver.support.wait import WebDriverWait

    script = "return performance.getEntriesByName('first-contentful-paint').map(e => e.startTime)"
    painted = {}
    for name in NAMES:
        opened(browser, pages[name], WIDE)
        wait = WebDriverWait(browser, 20)
        painted[name] = wait.until(lambda page: page.execute_script(script))[0]

    with capsys.disabled():
        print(f"\n{'page':<22}{'bytes':>12}{'first paint':>14}")
        for name, time in painted.items():
            print(f"{name:<22}{pages[name].stat().st_size:>12,}{time:>11.0f} ms")


@pytest.mark.parametrize("name", ["detection", "digits", "text"])
def test_report_prints_on_few_pages(
    name: str, pages: dict[str, Path], browser: Chrome, tmp_path: Path
) -> None:
    opened(browser, pages[name], WIDE)

    printed = base64.b64decode(browser.print_page())

    assert len(re.findall(rb"/Type\s*/Page\b", printed)) <= 2


def test_page_of_a_dark_screen_prints_in_the_colors_of_a_light_one(
    pages: dict[str, Path], browser: Chrome
) -> None:
    colors = {}
    for scheme in ("light", "dark"):
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        emulated = {"media": "print", "features": features}
        browser.execute_cdp_cmd("Emulation.setEmulatedMedia", emulated)
        browser.get(pages["digits"].as_uri())
        script = "return [...document.querySelectorAll('*')].map(e => getComputedStyle(e).color)"
        colors[scheme] = browser.execute_script(script)
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"media": ""})

    assert colors["dark"] == colors["light"]


@pytest.mark.skipif("VALOR_SCREENSHOTS" not in os.environ, reason="no folder is given")
@pytest.mark.parametrize("name", NAMES)
def test_screenshots(name: str, pages: dict[str, Path], browser: Chrome) -> None:
    folder = Path(os.environ["VALOR_SCREENSHOTS"])
    folder.mkdir(parents=True, exist_ok=True)
    for word, size, dark in (("1440", WIDE, False), ("390", PHONE, False), ("dark", WIDE, True)):
        opened(browser, pages[name], size, dark=dark)
        assert browser.save_screenshot(f"{folder}/{name}-{word}.png")
    (folder / f"{name}.pdf").write_bytes(base64.b64decode(browser.print_page()))
