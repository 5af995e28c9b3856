"""Screenshots for the docs, taken of the examples' pages by ``python docs/pictures.py``.

Requires Chromium or Chrome on the path, and all plugins. The images are committed, so that
building the docs needs no browser.
"""

from __future__ import annotations

import io
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from attrs import frozen
from PIL import Image

ROOT = Path(__file__).parent.parent
FOLDER = ROOT / "docs" / "pictures"
BROWSERS = ("chromium", "chromium-browser", "google-chrome", "chrome")
FLAGS = (
    *("--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--no-first-run"),
    *("--disable-background-networking", "--disable-sync", "--disable-component-update"),
)
_COLORS = 128
"""Palette size of PNG files, which makes them four times smaller without visible loss."""


@frozen
class Shot:
    """Screenshot of a page of an example.

    Parameters
    ----------
    name : str
        File name; use JPEG for pages with photographs.
    example : str
        Folder of the example.
    page : str
        Path of the page: ``report.html``, or the gallery's page.
    size : (int, int)
        Width and height of the window, in pixels.
    dark : bool
        Use dark mode.
    """

    name: str
    example: str
    page: str
    size: tuple[int, int]
    dark: bool = False


SHOTS = (
    Shot("report.png", "digits", "report.html", (1400, 1200)),
    Shot("detector.png", "detection", "report.html", (1400, 1000)),
    Shot("detector-dark.png", "detection", "report.html", (1400, 1000), dark=True),
    Shot("gallery-detection.jpg", "detection", "gallery/index.html", (1000, 700)),
    Shot("gallery-detection-dark.jpg", "detection", "gallery/index.html", (1000, 700), dark=True),
    Shot("gallery-segmentation.jpg", "segmentation", "gallery/index.html", (1000, 800)),
)


def main() -> int:
    """Take all screenshots."""
    browser = next(filter(None, map(shutil.which, BROWSERS)), None)
    if browser is None:
        print(f"expected a browser on the path, one of {', '.join(BROWSERS)}", file=sys.stderr)
        return 1
    FOLDER.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as name:
        made: dict[str, Path] = {}
        for shot in SHOTS:
            if shot.example not in made:
                made[shot.example] = _run(shot.example, Path(name) / shot.example)
            file = FOLDER / shot.name
            file.write_bytes(_photograph(browser, made[shot.example] / shot.page, shot))
            print(f"wrote {file.relative_to(ROOT)}, {file.stat().st_size:,} bytes")
    return 0


def _run(example: str, folder: Path) -> Path:
    """Run a copy of an example in its folder, so that its page shows no absolute path."""
    shutil.copytree(ROOT / "examples" / example, folder, ignore=shutil.ignore_patterns("gallery"))
    config, report = folder / "config.yaml", folder / "report.html"
    _call([sys.executable, "-m", "valor_cli", "run", str(config), "-q", "-o", str(report)])
    return folder


def _photograph(browser: str, page: Path, shot: Shot) -> bytes:
    with tempfile.TemporaryDirectory() as profile:
        file = Path(profile) / "shot.png"
        dark = ["--force-dark-mode", "--enable-features=WebContentsForceDark:inversion_method/none"]
        _call(
            [
                *(browser, *FLAGS, f"--user-data-dir={profile}", f"--screenshot={file}"),
                *(dark if shot.dark else []),
                f"--window-size={shot.size[0]},{shot.size[1]}",
                page.as_uri(),
            ]
        )
        with Image.open(file) as image:
            return _encoded(image.convert("RGB"), Path(shot.name).suffix)


def _encoded(image: Image.Image, suffix: str) -> bytes:
    stream = io.BytesIO()
    if suffix == ".jpg":
        image.save(stream, "JPEG", quality=80, optimize=True)
    else:
        image.quantize(_COLORS, dither=Image.Dither.NONE).save(stream, "PNG", optimize=True)
    return stream.getvalue()


def _call(command: Sequence[str]) -> None:
    subprocess.run(command, check=True, capture_output=True)


if __name__ == "__main__":
    raise SystemExit(main())
