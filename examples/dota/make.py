"""Write the example: rotated objects in four aerial images, and predictions of them.

Run it in this folder. The numbers are random, with a fixed seed.
"""

from __future__ import annotations

import math
import random
from pathlib import Path

SIDES = {"ship": (60, 16), "plane": (48, 40), "harbor": (120, 30)}
NOISE = (3, 3, 4, 2, 0.08)
SOURCES = {"P0001": "GoogleEarth", "P0002": "GoogleEarth", "P0003": "JL-1", "P0004": "GF-2"}


def corners(x: float, y: float, width: float, height: float, angle: float) -> str:
    """Return the four corners of a rotated box."""
    along = (math.cos(angle) * width / 2, math.sin(angle) * width / 2)
    across = (-math.sin(angle) * height / 2, math.cos(angle) * height / 2)
    signs = ((-1, -1), (1, -1), (1, 1), (-1, 1))
    points = [
        (x + a * along[0] + b * across[0], y + a * along[1] + b * across[1]) for a, b in signs
    ]
    return " ".join(f"{number:.1f}" for point in points for number in point)


def main() -> None:
    """Write both folders."""
    chance = random.Random(33)
    for folder in ("labelTxt", "results"):
        Path(folder).mkdir(exist_ok=True)
    results: dict[str, list[str]] = {name: [] for name in SIDES}
    for image, source in SOURCES.items():
        lines = [f"imagesource:{source}", f"gsd:{chance.uniform(0.1, 0.6):.3f}"]
        for cell in range(12):
            name = chance.choice(list(SIDES))
            x, y = 100 + 150 * (cell % 4), 100 + 150 * (cell // 4)
            box = (x, y, *SIDES[name], chance.uniform(-1.5, 1.5))
            lines.append(f"{corners(*box)} {name} {int(chance.random() < 0.15)}")
            if chance.random() < 0.85:
                spread = zip(box, NOISE, strict=True)
                moved = [value + chance.gauss(0, noise) for value, noise in spread]
                given = name if chance.random() < 0.9 else chance.choice(list(SIDES))
                results[given].append(f"{image} {chance.uniform(0.3, 1):.3f} {corners(*moved)}")
            if chance.random() < 0.15:
                other = (x + 60, y + 60, *SIDES[name], chance.uniform(-1.5, 1.5))
                results[name].append(f"{image} {chance.uniform(0.05, 0.6):.3f} {corners(*other)}")
        Path("labelTxt", f"{image}.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")
    for name, found in results.items():
        Path("results", f"Task1_{name}.txt").write_text("\n".join(found) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
