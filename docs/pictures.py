"""Pictures of the docs, made of the examples by ``python docs/pictures.py``.

It needs Chromium or Chrome on the path, to photograph pages, and all plugins. The pictures are
committed, since who builds the docs need not have a browser.
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
"""Of a page without photographs, which has few: it is a quarter of the size and looks the same."""


@frozen
class Shot:
    """A picture of a page of an example.

    Parameters
    ----------
    name : str
        Of the picture's file, which is a JPEG where there are photographs in it.
    example : str
        Folder of the example.
    page : str
        What is photographed: ``report.html``, or the gallery's page.
    size : (int, int)
        Width and height of the window, in pixels.
    dark : bool
        Whether the screen is dark.
    """

    name: str
    example: str
    page: str
    size: tuple[int, int]
    dark: bool = False


SHOTS = (
    Shot("report.png", "digits", "report.html", (1000, 1180)),
    Shot("report-dark.png", "detection", "report.html", (1000, 900), dark=True),
    Shot("gallery-detection.jpg", "detection", "gallery/index.html", (1000, 700)),
    Shot("gallery-segmentation.jpg", "segmentation", "gallery/index.html", (1000, 800)),
)


def main() -> int:
    """Make all pictures."""
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
    """A copy of an example, run where it stands, so that its page shows no path of this machine."""
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
