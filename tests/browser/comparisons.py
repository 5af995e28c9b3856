"""Tests of pages of comparisons in headless Chromium, run by ``.ci/pages``.

Requires Chromium, its driver and the dependency group ``pages``.
"""

from __future__ import annotations

import base64
import csv
import json
import os
import random
import re
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from browsing import PHONE, WIDE, axe, opened, requests, text_after_clicks

from valor_core import evaluate

if TYPE_CHECKING:
    from selenium.webdriver import Chrome

ROOT = Path(__file__).parents[2]
HOSTILE = "<script>alert('x')</script><img src=x onerror=alert(1)>"
CSS = "css selector"
NAMES = ("digits", "detection", "text", "hostile", "three", "ten")


def valor(*arguments: str) -> None:
    command = [sys.executable, "-m", "valor_cli", *arguments]
    subprocess.run(command, cwd=ROOT, check=True, capture_output=True)


def run(name: str, report: Path, *settings: str) -> Path:
    """Evaluate an example with intervals and rows of items."""
    options = [part for one in ("items=true", "require={}", *settings) for part in ("--set", one)]
    config = f"examples/{name}/config.yaml"
    valor("run", config, "-q", "--confidence", "0.95", *options, "-o", str(report))
    return report


def noisy_digits(noise: float, path: Path) -> Path:
    """Write the scores of the example with noise."""
    with (ROOT / "examples/digits/predictions.csv").open(newline="") as file:
        rows = list(csv.DictReader(file))
    chance = random.Random(1)
    for row in rows:
        scores = [name for name in row if name.startswith("score_")]
        found = {name: max(float(row[name]) + chance.gauss(0, noise), 1e-4) for name in scores}
        total = sum(found.values())
        row |= {name: f"{score / total:.6f}" for name, score in found.items()}
    with path.open("w", newline="") as file:
        writer = csv.DictWriter(file, rows[0])
        writer.writeheader()
        writer.writerows(rows)
    return path


def compared(reports: Sequence[Path], page: Path) -> Path:
    valor("compare", *map(str, reports), "-o", str(page))
    return page


def changed_json(source: str, path: Path, change: Any) -> Path:
    records = json.loads((ROOT / source).read_text(encoding="utf-8"))
    path.write_text(json.dumps(change(records)), encoding="utf-8")
    return path


@pytest.fixture(scope="session")
def pages(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Path]:
    """Pages of comparisons by name."""
    folder = tmp_path_factory.mktemp("comparisons")
    noises = (0, 0.01, 0.02, 0.03, 0.05, 0.08, 0.1, 0.15, 0.2, 0.3)
    digits = [
        run("digits", folder / f"model-{noise}.json", f"data.path={data}")
        for noise in noises
        for data in [noisy_digits(noise, folder / f"digits-{noise}.csv")]
    ]
    last_week, this_week = folder / "last-week.json", folder / "this-week.json"
    last_week.write_bytes(digits[0].read_bytes())
    this_week.write_bytes(digits[5].read_bytes())
    sure = changed_json(
        "examples/detection/detections.json",
        folder / "sure.json",
        lambda boxes: [box for box in boxes if box["score"] >= 0.7],
    )
    detection = [
        run("detection", folder / "all-boxes.json"),
        run("detection", folder / "sure-boxes.json", f"data.predictions={sure}"),
    ]
    lines = (ROOT / "examples/text/summaries.jsonl").read_text(encoding="utf-8").splitlines()
    items = [json.loads(line) for line in lines]
    for item in items[::2]:
        item["response"] = item["response"].replace("the", "a").rpartition(". ")[0] + "."
    short = folder / "short.jsonl"
    short.write_text("\n".join(map(json.dumps, items)), encoding="utf-8")
    text = [
        run("text", folder / "long.json", "gallery=null"),
        run("text", folder / "short.json", f"data.path={short}", "gallery=null"),
    ]
    return {
        "digits": compared([last_week, this_week], folder / "digits.html"),
        "detection": compared(detection, folder / "detection.html"),
        "text": compared(text, folder / "text.html"),
        "hostile": compared(hostile(folder), folder / "hostile.html"),
        "three": compared(digits[:6:2], folder / "three.html"),
        "ten": compared(digits, folder / "ten.html"),
    }


def hostile(folder: Path) -> list[Path]:
    """Write two reports whose files, labels, slices and uids have markup in their names."""
    labels = [f"{HOSTILE}{letter}" for letter in "abc"]
    chance = random.Random(5)
    true = [chance.choice(labels) for _ in range(60)]
    reports = []
    for share in (0.9, 0.4):
        found = [one if chance.random() < share else chance.choice(labels) for one in true]
        table = {
            "y_true": true,
            "y_pred": found,
            "uid": [f"{HOSTILE}{at}" for at in range(60)],
            HOSTILE: ["@team #1", "www.x.example"] * 30,
        }
        report = evaluate(table, ["Accuracy", "F1"], slices=[HOSTILE], items=True, confidence=0.95)
        reports.append(folder / f"<img src=x onerror=alert(1)> & {share}.json")
        report.save(reports[-1])
    return reports


@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_page_is_offline_and_accessible(
    name: str, dark: bool, pages: dict[str, Path], browser: Chrome
) -> None:
    opened(browser, pages[name], WIDE, dark=dark)

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


@pytest.mark.parametrize("name", ["digits", "detection", "text"])
def test_no_value_is_outside_of_a_phone(name: str, pages: dict[str, Path], browser: Chrome) -> None:
    opened(browser, pages[name], PHONE)

    outside = browser.execute_script(
        "return [...document.querySelectorAll('.stacks td, .stacks th')]"
        ".filter(cell => cell.getBoundingClientRect().right > innerWidth).length"
    )
    assert outside == 0


# Question, page, selectors of at most three clicks, and the text that answers it.
QUESTIONS = {
    "did it get worse than last week, or is that luck": (
        "digits",
        [],
        ".answer",
        "this-week is worse than last-week in 4 of 12 main numbers beyond chance",
    ),
    "may the loss of accuracy be luck": ("digits", [], "#main tbody tr", "unclear"),
    "show what b broke": ("digits", [".jumps .bad"], "#items tbody tr", "broken"),
    "which slice got worse": ("digits", [".jumps a[href='#slices']"], "#slices tbody tr", "worse"),
    "which of ten models is best": ("ten", [], ".answer", "is best in"),
    "which items do three models disagree on": (
        "three",
        [".jumps a[href='#items']"],
        "#items tbody tr",
        "wrong in 2 of 3",
    ),
    "is the best of three clearly best": ("three", [], ".board .verdict", "may be best"),
}


@pytest.mark.parametrize("question", QUESTIONS)
def test_question_is_answered_in_three_clicks(
    question: str, pages: dict[str, Path], browser: Chrome
) -> None:
    name, clicks, selector, answer = QUESTIONS[question]
    opened(browser, pages[name], WIDE)

    assert answer in text_after_clicks(browser, clicks, selector)
    assert len(clicks) <= 3


def test_link_to_broken_items_hides_the_others(pages: dict[str, Path], browser: Chrome) -> None:
    opened(browser, pages["digits"], WIDE)
    count = int(browser.find_element(CSS, ".jumps .bad").text.split()[0])

    browser.find_element(CSS, ".jumps .bad").click()

    rows = browser.find_elements(CSS, "#items tbody tr")
    shown = [row.text for row in rows if row.is_displayed()]
    assert len(shown) == count > 0
    assert all("broken" in text for text in shown)


@pytest.mark.parametrize("name", ["digits", "text", "three"])
def test_comparison_prints_on_few_pages(name: str, pages: dict[str, Path], browser: Chrome) -> None:
    opened(browser, pages[name], WIDE)

    printed = base64.b64decode(browser.print_page())

    assert len(re.findall(rb"/Type\s*/Page\b", printed)) <= 6


@pytest.mark.skipif("VALOR_SCREENSHOTS" not in os.environ, reason="no folder is given")
@pytest.mark.parametrize("name", NAMES)
def test_screenshots(name: str, pages: dict[str, Path], browser: Chrome) -> None:
    folder = Path(os.environ["VALOR_SCREENSHOTS"])
    folder.mkdir(parents=True, exist_ok=True)
    for word, size, dark in (("1440", WIDE, False), ("390", PHONE, False), ("dark", WIDE, True)):
        opened(browser, pages[name], size, dark=dark)
        assert browser.save_screenshot(f"{folder}/compared-{name}-{word}.png")
    (folder / f"compared-{name}.pdf").write_bytes(base64.b64decode(browser.print_page()))
