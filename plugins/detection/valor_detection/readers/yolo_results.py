"""Results of Ultralytics in COCO's JSON for the images of a YOLO data set."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
from attrs import frozen

from valor_core.errors import ReadError
from valor_core.schemas import Codes
from valor_core.schemas.geometry import Shapes
from valor_detection.arrays.objects import Rows, checked_rows
from valor_detection.coco_json import scan
from valor_detection.coco_json.images import ImageNames, named_results, numbered_results
from valor_detection.coco_json.records import (
    BOX,
    CATEGORY,
    FIELD_NAMES,
    IMAGE,
    KEYPOINTS,
    SCORE,
    SEGMENTATION,
    Document,
)
from valor_detection.coco_json.text import Text
from valor_detection.geometry.validity import Policy
from valor_detection.readers.folders import ImageFiles
from valor_detection.readers.text_files import as_read_errors

_COCO_UNUSED = (12, 26, 29, 30, 45, 66, 68, 69, 71, 83)  # ids of COCO without a category
_COCO_IDS = np.setdiff1d(np.arange(1, 91), _COCO_UNUSED)
_COCO_ENDS = ("person", "toothbrush")
_TEXT_FILES = "Write text files with save_txt=True save_conf=True, and pass their folder."


@frozen
class ImagesAndResults(ImageFiles):
    """All images, with one file of results.

    Parameters
    ----------
    results : Path
        Results in JSON.
    """

    results: Path

    @property
    def paths(self) -> tuple[Path, ...]:
        """Files of both sides."""
        return (*super().paths, self.results)


def is_results(path: Path) -> bool:
    """Return whether predictions are a JSON file instead of a folder."""
    return path.suffix.lower() == ".json"


def read_results(
    partition: ImagesAndResults,
    sizes: Codes,
    names: Mapping[int, str],
    first_category: int | None,
    policy: Policy,
) -> tuple[Rows, dict[str, int]]:
    """Return the boxes of results, and counts of excluded or repaired ones.

    Images are matched by name, with or without suffix, or by number: 139 is ``000139.jpg``.

    Parameters
    ----------
    partition : ImagesAndResults
        Images and file of results.
    sizes : ndarray of int64, shape (n_images, 2)
        Height and width of every image.
    names : mapping of int to str
        Names of classes by number.
    first_category : int, optional
        ``category_id`` of class 0, inferred by default.
    policy : {"error", "repair", "skip", "accept"}
        Policy for invalid boxes.

    Raises
    ------
    ReadError
        If the file is not a list of results with boxes and scores, an image is not in the data set,
        ``category_id`` is ambiguous, or a box is rejected.
    """
    document = _scanned(partition.results, partition.uids)
    for bit in (IMAGE, CATEGORY, BOX, SCORE):
        lacking = document.annotations.lacking(bit)
        if len(lacking):
            raise ReadError(
                f"{document.where(int(lacking[0]))}: expected a field {FIELD_NAMES[bit]!r}, found "
                "none",
                _TEXT_FILES,
            )
    found = document.annotations
    unknown = np.flatnonzero(found.images >= 0)
    if len(unknown):
        raise ReadError(
            f"{document.where(int(unknown[0]))}: expected the name or number of one of the "
            f"{len(partition.uids):,} images as image_id, found another",
            "Check that the results are of the same split as data.groundtruths and data.images.",
        )
    ids = found.categories
    numbers = _class_numbers(ids, names, first_category, document.list_name)
    codes = np.searchsorted([*names], numbers)
    is_named = np.isin(numbers, [*names])
    kept = np.flatnonzero(is_named)
    counts = {
        f"predictions left out: category_id without a name among the {len(names):,} classes": int(
            len(ids) - len(kept)
        ),
        "predictions with a segmentation or keypoints in JSON, compared by their boxes": int(
            np.count_nonzero(found.found[kept] & np.uint16(SEGMENTATION | KEYPOINTS))
        ),
    }
    rows = Rows(
        images=-1 - found.images[kept],
        labels=codes[kept],
        shapes=Shapes(found.boxes[kept]),
        scores=found.scores[kept],
    )
    with as_read_errors():
        rows, changed = checked_rows(
            rows, sizes, policy, "predictions", lambda row: document.where(int(kept[row]))
        )
    return rows, {what: count for what, count in counts.items() if count} | changed


def _scanned(path: Path, uids: Sequence[str]) -> Document:
    """Scan results; the image id of the image at position i becomes -1 - i."""
    text = Text.read(path)
    ids = range(-1, -1 - len(uids), -1)
    # a suffix, since names may contain dots
    names = ImageNames.of(str(path), ids, [f"{uid}.jpg" for uid in uids])
    try:
        document, _ = numbered_results(scan(text), names)
    except ReadError:
        document, _ = named_results(text, names, skip=True, masks=False)
    return document


def _class_numbers(
    ids: Codes, names: Mapping[int, str], first_category: int | None, where: str
) -> Codes:
    """Convert category ids to class numbers; -1 for ids of no class.

    Ultralytics writes the class number, in newer versions the class number plus 1, and the ids of
    COCO for its data set.

    Examples
    --------
    >>> names = {0: "cat", 1: "dog", 2: "cow"}
    >>> [_class_numbers(np.array([1, id]), names, None, "r.json").tolist() for id in (0, 3)]
    [[1, 0], [0, 2]]
    """
    if first_category is not None or not len(ids):
        return ids - (first_category or 0)
    lowest, highest, last = int(ids.min()), int(ids.max()), max(names)
    if lowest <= 0:
        return ids
    if len(names) == len(_COCO_IDS) < highest and (names.get(0), names.get(79)) == _COCO_ENDS:
        numbers = np.searchsorted(_COCO_IDS, ids)
        is_used = _COCO_IDS[np.minimum(numbers, 79)] == ids
        return np.where(is_used, numbers, -1)
    if highest > last:
        return ids - 1
    raise ReadError(
        f"{where}: expected category ids with 0 or {last + 1}, which show whether they start at 0 "
        f"or 1, found {lowest} to {highest}",
        "Set data.first_category to 1 for results of current versions of Ultralytics, or to 0 for "
        f"earlier ones.\nOr: {_TEXT_FILES}",
    )
