"""Tests of the documentation in headless Chromium, run by ``.ci/pages``.

Requires Chromium, its driver and the dependency group ``pages``.
"""

from __future__ import annotations

import subprocess
import sys
import threading
from collections.abc import Iterator
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from browsing import PHONE, WIDE, axe, opened, requests

if TYPE_CHECKING:
    from selenium.webdriver import Chrome

ROOT = Path(__file__).parents[2]
CSS = "css selector"
PAGES = (
    "index.html",
    "results.html",
    "choosing-a-threshold.html",
    "reading-the-page.html",
    "metrics/classification/F1.html",
    "reference/command-line.html",
    "reference/results.html",
    "llm/index.html",
)
THEME = ("landmark-unique", "scrollable-region-focusable")
"""Rules about the theme: names of menus, and focus of code, which it sets if there is a mouse."""


class _Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_: Any) -> None:
        pass


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Address of the documentation."""
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet"]
    subprocess.run([*command, "--site-dir", str(folder)], cwd=ROOT, check=True, capture_output=True)
    server = ThreadingHTTPServer(("127.0.0.1", 0), partial(_Quiet, directory=str(folder)))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/"
    server.shutdown()
    server.server_close()


@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
@pytest.mark.parametrize("size", [WIDE, PHONE], ids=["1440", "390"])
@pytest.mark.parametrize("page", PAGES)
def test_page_is_offline_accessible_and_fits(
    page: str, size: tuple[int, int], dark: bool, site: str, browser: Chrome
) -> None:
    opened(browser, site + page, size, dark=dark)

    assert axe(browser, without=THEME) == []
    assert [one["message"] for one in browser.get_log("browser")] == []
    assert [one for one in requests(browser) if not one.startswith(site)] == []
    assert browser.execute_script("return document.documentElement.scrollWidth") <= size[0]


def test_search_finds_a_metric_by_another_name(site: str, browser: Chrome) -> None:
    from selenium.webdriver.support.wait import WebDriverWait

    opened(browser, site + "index.html", WIDE)
    browser.find_element(CSS, ".md-search__input").send_keys("mAP50")

    found = ".md-search-result__link"
    WebDriverWait(browser, 20).until(lambda page: page.find_elements(CSS, found))

    assert "mAP50" in browser.find_element(CSS, ".md-search-result__list").text


def test_switch_of_schemes_shows_a_dark_page(site: str, browser: Chrome) -> None:
    opened(browser, site + "index.html", WIDE)
    colors = "return getComputedStyle(document.body).backgroundColor"
    before = browser.execute_script(colors)

    for _ in range(2):  # from the scheme of the system to light, then to dark
        browser.find_element(CSS, "form[data-md-component=palette] label:not([hidden])").click()

    assert browser.execute_script("return document.body.dataset.mdColorScheme") == "slate"
    assert browser.execute_script(colors) != before
    browser.execute_script("localStorage.clear()")
