"""Labels that annotators verified in the images of LVIS, and how frequent each label is."""

from __future__ import annotations

from typing import Any

import numpy as np

from valor_core.errors import ReadError, and_more, short_repr
from valor_core.schemas import Codes, Floats
from valor_detection.coco_json.numbers import integer64
from valor_detection.coco_json.records import (
    NEGATIVE,
    AscendingIds,
    Document,
    Images,
)

FREQUENCIES = ("r", "c", "f")
"""Values of ``frequency``: rare, common and frequent, in at most 10, at most 100 and more images of
the training set."""


def are_federated(images: Images, source: str) -> bool:
    """Return whether images have the fields of LVIS.

    Raises
    ------
    ReadError
        If only a part of the images has ``neg_category_ids``.

    Examples
    --------
    >>> from valor_detection.coco_json import scan
    >>> from valor_detection.coco_json.text import Text
    >>> found = scan(Text.of(b'{"images": [{"id": 7, "neg_category_ids": [1, 2]}]}'))
    >>> found.images.listed.tolist(), are_federated(found.images, "lvis.json")
    ([[0, 1024, 1], [0, 1024, 2]], True)
    """
    lacking = np.flatnonzero(images.found & NEGATIVE == 0)
    if len(lacking) == len(images.found):
        return False
    if len(lacking):
        raise ReadError(
            f"{source}, images[{lacking[0]}]: expected a list neg_category_ids like other images, "
            f"found none{and_more(len(lacking) - 1)}",
            "Write an empty list for an image without verified negative labels.",
        )
    return True


def searched_labels(
    images: Images,
    images_by_id: AscendingIds,
    categories_by_id: AscendingIds,
    truths: tuple[Codes, Codes, Floats],
) -> Codes:
    """Return the labels that annotators searched for, and annotated exhaustively, in each image.

    These are the labels of ground truths and of ``neg_category_ids``, without those of
    ``not_exhaustive_category_ids``, whose unmatched predictions may be right.

    Parameters
    ----------
    images : Images
        Images with their lists.
    images_by_id, categories_by_id : AscendingIds
        Positions of images and labels. Listed ids of unknown categories have no effect, as in
        lvis-api.
    truths : tuple of ndarray, shapes (n,)
        Positions of the image and label, and the area of each ground truth. lvis-api excludes those
        without area.

    Returns
    -------
    ndarray of int64, shape (m, 2)
        Positions of an image and of a label, ascending.
    """
    count = categories_by_id.count
    assert images.listed is not None
    rows, bits, ids = images.listed.T
    labels = categories_by_id.positions(ids)
    cells = images_by_id.positions(images.ids)[rows] * count + labels
    is_known, is_negative = labels >= 0, bits == NEGATIVE
    datums, true_labels, areas = truths
    positive = (datums * count + true_labels)[areas > 0]
    verified = np.sort(np.concatenate([positive, cells[is_negative & is_known]]))
    is_kept = np.diff(verified, prepend=-1) > 0  # faster than np.unique, which hashes
    unverified = np.sort(cells[~is_negative & is_known])
    before, through = (np.searchsorted(unverified, verified, side) for side in ("left", "right"))
    is_kept &= before == through
    found: Codes = np.stack(np.divmod(verified[is_kept], max(count, 1)), axis=1)
    return found


def frequencies(document: Document, categories: Any, ids: Codes) -> tuple[str, ...] | None:
    """Return the frequency of each category, or None if no category has one.

    Parameters
    ----------
    document : Document
        The data set.
    categories : list of dict
        Its validated categories.
    ids : ndarray of int64
        Their ids, ascending.

    Raises
    ------
    ReadError
        If a category has another frequency than `FREQUENCIES`, or only a part has one.
    """
    if all(one.get("frequency") is None for one in categories):
        return None
    by_id: dict[int, str] = {}
    for row, one in enumerate(categories):
        where = f"{document.source}, categories[{row}]"
        found = one.get("frequency")
        if found not in FREQUENCIES:
            raise ReadError(
                f"{where}, frequency: expected r, c or f, found {short_repr(found)}",
                "r is rare, c is common, f is frequent. Remove the field of all categories to "
                "evaluate without them.",
            )
        by_id[integer64(one["id"], where)] = found
    return tuple(by_id[number] for number in ids.tolist())
