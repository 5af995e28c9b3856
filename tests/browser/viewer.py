"""Tests of the viewer in headless Chromium, run by ``.ci/pages``."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from contextlib import ExitStack
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from browsing import PHONE, WIDE, axe, opened, requests
from valor_cli.commands.view import pages_of
from valor_cli.config.config_file import Request
from valor_cli.run import run_config
from viewers import serving

if TYPE_CHECKING:
    from selenium.webdriver import Chrome

ROOT = Path(__file__).parents[2]
EXAMPLES = ("detection", "digits", "llm", "rgb", "segmentation", "text")
CSS = "css selector"

PAGES = {
    "report": "",
    "items": "items",
    "item": "",
    "thresholds": "thresholds",
    "numbers": "thresholds?score_threshold=0.3",
    "missing": "items?nothing=1",
}


@pytest.fixture(scope="session")
def viewers(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, str]]:
    """Addresses of viewers of the examples."""
    folder = tmp_path_factory.mktemp("viewed")
    with ExitStack() as servers:
        found = {}
        for name in EXAMPLES:
            config, report = ROOT / "examples" / name / "config.yaml", folder / f"{name}.json"
            settings = [f"output={json.dumps([str(report)])}", "items=true"]
            if "gallery:" in config.read_text(encoding="utf-8"):
                settings.append(f"gallery.folder={json.dumps(str(folder / name))}")
            run_config(Request.from_file(config, settings))
            get = servers.enter_context(serving(pages_of(report)))
            found[name] = get.address  # type: ignore[attr-defined]
        yield found


def shown(browser: Chrome, viewers: dict[str, str], page: str, example: str, **how: Any) -> None:
    """Open a page of a viewer; the first item through the list of items."""
    if page == "item":
        opened(browser, f"{viewers[example]}items", how.pop("size", WIDE), **how)
        browser.find_element(CSS, "#items tbody a").click()
        return
    opened(browser, f"{viewers[example]}{PAGES[page]}", how.pop("size", WIDE), **how)


@pytest.mark.parametrize("example", EXAMPLES)
@pytest.mark.parametrize("page", PAGES)
def test_page_is_accessible_without_errors_and_foreign_requests(
    page: str, example: str, viewers: dict[str, str], browser: Chrome
) -> None:
    browser.get_log("browser")  # type: ignore[no-untyped-call]
    requests(browser)
    shown(browser, viewers, page, example)

    assert axe(browser) == []
    # Chromium reports the status of a page that explains an error.
    messages = [one["message"] for one in browser.get_log("browser")]  # type: ignore[no-untyped-call]
    assert [
        one for one in messages if " the server responded with a status of 400" not in one
    ] == []
    sent = [one for one in requests(browser) if not one.startswith(viewers[example])]
    assert sent == []


@pytest.mark.parametrize("example", EXAMPLES)
@pytest.mark.parametrize("page", PAGES)
def test_page_is_not_wider_than_a_phone_and_has_contrast_in_the_dark(
    page: str, example: str, viewers: dict[str, str], browser: Chrome
) -> None:
    shown(browser, viewers, page, example, size=PHONE, dark=True)

    assert browser.execute_script("return document.documentElement.scrollWidth") <= PHONE[0]
    assert axe(browser) == []


def test_moved_slider_evaluates_and_keeps_the_address(
    viewers: dict[str, str], browser: Chrome
) -> None:
    from selenium.webdriver.support.wait import WebDriverWait

    shown(browser, viewers, "thresholds", "detection")
    assert len(browser.find_elements(CSS, "#numbers table, #numbers svg")) > 1
    assert browser.find_elements(CSS, "#numbers circle") == []
    browser.execute_script(
        "const slider = document.querySelector('[name=score_threshold] + input');"
        "slider.value = 0.3; slider.dispatchEvent(new Event('input'))"
    )
    wait = WebDriverWait(browser, 20)
    wait.until(lambda page: page.current_url.endswith("thresholds?score_threshold=0.3"))
    rows = browser.find_elements(CSS, "#numbers tbody tr")

    texts = [row.text for row in rows]
    assert any(text.startswith("F1, macro average") and "+" in text for text in texts)
    assert len(browser.find_elements(CSS, "#numbers svg circle")) == 3


def test_cell_of_the_matrix_leads_to_pictures_in_two_clicks(
    viewers: dict[str, str], browser: Chrome
) -> None:
    shown(browser, viewers, "report", "digits")
    (cell, *_) = browser.find_elements(CSS, "a[href^='items?truth=']")
    browser.execute_script("arguments[0].click()", cell)
    browser.find_element(CSS, "#items tbody a").click()

    assert "item?truth=" in browser.current_url
    assert "prediction" in browser.find_element(CSS, ".item").text


@pytest.mark.parametrize("example", EXAMPLES)
def test_phone_shows_every_value_of_an_item_without_scrolling_sideways(
    example: str, viewers: dict[str, str], browser: Chrome
) -> None:
    shown(browser, viewers, "items", example, size=PHONE)

    cut = browser.execute_script(
        "return [...document.querySelectorAll('#items tbody td, #items tbody th')].filter(one => {"
        "const box = one.getBoundingClientRect();"
        "return one.textContent && (box.right > innerWidth || !box.width"
        " || one.scrollWidth > one.clientWidth + 1); }).map(one => one.textContent)"
    )
    assert cut == []
    (cell, *_) = browser.find_elements(CSS, "#items tbody td")
    assert cell.get_attribute("data-name")  # type: ignore[no-untyped-call]


def test_arrow_keys_lead_to_the_next_item_and_back(
    viewers: dict[str, str], browser: Chrome
) -> None:
    from selenium.webdriver.common.keys import Keys

    shown(browser, viewers, "item", "segmentation")
    first = browser.find_element(CSS, "h1").text
    browser.find_element(CSS, "body").send_keys(Keys.ARROW_RIGHT)
    second = browser.find_element(CSS, "h1").text
    browser.find_element(CSS, "body").send_keys(Keys.ARROW_LEFT)

    assert second != first
    assert browser.find_element(CSS, "h1").text == first


@pytest.mark.skipif("VALOR_SCREENSHOTS" not in os.environ, reason="no folder is given")
@pytest.mark.parametrize("example", EXAMPLES)
def test_screenshots(example: str, viewers: dict[str, str], browser: Chrome) -> None:
    folder = Path(os.environ["VALOR_SCREENSHOTS"])
    folder.mkdir(parents=True, exist_ok=True)
    for page in PAGES:
        for word, size, dark in (
            ("1440", WIDE, False),
            ("390", PHONE, False),
            ("dark", WIDE, True),
        ):
            shown(browser, viewers, page, example, size=size, dark=dark)
            assert browser.save_screenshot(f"{folder}/view-{example}-{page}-{word}.png")
