"""Label the pixels of scikit-learn's two photographs, and let a small classifier do the same.

The files beside this script were made by it: ``python segment.py``. The photographs are cut into
tiles. The ground truth are outlines drawn by hand; the prediction of a tile is that of a random
forest that was trained on some pixels of the other tiles of its photograph.
"""

from pathlib import Path

import numpy as np
from PIL import Image, ImageDraw
from scipy.ndimage import uniform_filter
from sklearn.datasets import load_sample_images
from sklearn.ensemble import RandomForestClassifier

HERE = Path(__file__).parent
SKY, WATER, TREE, PAGODA, FLOWER = range(1, 6)
BACKGROUND, IGNORED = 0, 255
COLORS = {
    SKY: (135, 206, 235),
    WATER: (65, 105, 225),
    TREE: (34, 139, 34),
    PAGODA: (178, 34, 34),
    FLOWER: (218, 112, 214),
    IGNORED: (255, 255, 255),
}
TILE = 213

# fmt: off
PAGODA_OUTLINE = [
    197, 32, 213, 32, 218, 62, 250, 95, 320, 122, 318, 130, 297, 136, 296, 160, 328, 172, 326, 184,
    318, 190, 320, 228, 326, 240, 352, 256, 342, 270, 342, 312, 372, 336, 368, 345, 335, 370,
    320, 378, 312, 412, 255, 400, 140, 345, 75, 340, 80, 285, 63, 272, 66, 260, 95, 240, 98, 195,
    85, 182, 88, 170, 120, 158, 118, 135, 96, 128, 100, 110, 135, 100, 175, 75, 193, 55,
]
TREE_OUTLINES = [
    [545, 225, 575, 170, 600, 138, 640, 152, 640, 427, 300, 427, 335, 385, 370, 350, 400, 322,
     470, 295, 520, 275, 560, 290],
    [0, 140, 10, 180, 45, 195, 75, 230, 65, 250, 20, 265, 0, 282],
    [0, 290, 25, 310, 45, 345, 110, 333, 150, 335, 190, 352, 215, 385, 260, 388, 295, 405,
     300, 427, 0, 427],
]
# fmt: on


def pagoda_labels(width: int, height: int) -> np.ndarray:
    """What is to be seen in the photograph of the pagoda; the far shore does not count."""
    image = Image.new("L", (width, height), WATER)
    pen = ImageDraw.Draw(image)
    pen.rectangle((0, 0, width, 236), fill=IGNORED)
    pen.rectangle((0, 0, width, 203), fill=SKY)
    pen.polygon(PAGODA_OUTLINE, fill=PAGODA)
    for outline in TREE_OUTLINES:
        pen.polygon(outline, fill=TREE)
    return np.asarray(image)


def flower_labels(width: int, height: int) -> np.ndarray:
    """What is to be seen in the photograph of the flowers; a bud does not count."""
    image = Image.new("L", (width, height), BACKGROUND)
    pen = ImageDraw.Draw(image)
    pen.ellipse((169, 85, 446, 358), fill=FLOWER)
    pen.ellipse((288, 375, 466, 485), fill=FLOWER)
    pen.ellipse((560, 385, 640, 440), fill=IGNORED)
    return np.asarray(image)


def features(photograph: np.ndarray) -> np.ndarray:
    """The color of each pixel's neighborhood, and how much it varies there."""
    colors = photograph.astype(float)
    means = [uniform_filter(colors, (size, size, 0)) for size in (5, 11, 31)]
    squares = uniform_filter(colors**2, (11, 11, 0))
    return np.concatenate([*means, squares - means[1] ** 2], axis=2)


def predicted(
    facts: np.ndarray, labels: np.ndarray, tile: tuple[slice, slice], random: np.random.Generator
) -> np.ndarray:
    """The labels of a tile's pixels, by what other tiles look like."""
    is_known = labels != IGNORED
    is_known[tile] = False
    is_known &= random.random(labels.shape) < 0.05
    forest = RandomForestClassifier(50, min_samples_leaf=5, random_state=0)
    forest.fit(facts[is_known], labels[is_known])
    rows = facts[tile]
    return forest.predict(rows.reshape(-1, rows.shape[2])).reshape(rows.shape[:2])


def save(labels: np.ndarray, file: Path) -> None:
    """Write a label image with a palette, whose rows Pillow does not filter."""
    image = Image.fromarray(labels)
    image.putpalette([channel for value in range(256) for channel in COLORS.get(value, (0, 0, 0))])
    image.save(file, optimize=True)


def main() -> None:
    random = np.random.default_rng(0)
    china, flower = load_sample_images().images
    for folder in ("images", "groundtruths", "predictions"):
        (HERE / folder).mkdir(exist_ok=True)
    for name, photograph, draw in (
        ("china", china, pagoda_labels),
        ("flower", flower, flower_labels),
    ):
        height, width, _ = photograph.shape
        labels, facts = draw(width, height), features(photograph)
        for number in range(6):
            row, column = divmod(number, 3)
            tile = np.s_[row * TILE : (row + 1) * TILE, column * TILE : (column + 1) * TILE]
            file = f"{name}_{number}.png"
            seen = predicted(facts, labels, tile, random)
            save(labels[tile], HERE / "groundtruths" / file)
            save(seen.astype(np.uint8), HERE / "predictions" / file)
            small = Image.fromarray(photograph[tile]).quantize(32, dither=Image.Dither.NONE)
            small.save(HERE / "images" / file, optimize=True)


if __name__ == "__main__":
    main()
