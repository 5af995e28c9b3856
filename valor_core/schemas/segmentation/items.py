"""Segmentation items: label images of both sides, and the meaning of their values."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, ClassVar, Literal, get_args

from attrs import field, frozen

from valor_core.errors import SchemaError, did_you_mean, short_repr
from valor_core.schemas.columns import BY_CONTENT
from valor_core.schemas.datum import Uid, metadata_field, uid_field
from valor_core.schemas.label import Label, as_labels
from valor_core.schemas.segmentation.legends import PixelLabels, ignored_of, pixel_labels
from valor_core.schemas.segmentation.pixels import Flags

Overlap = Literal["error", "first", "last"]

Side = Any
"""One side of an item: an image of integers, one image per label, or segments."""


@frozen
class Segmentation:
    """One image with the labels of its pixels.

    Parameters
    ----------
    uid : str or int
        Unique name in the data set.
    groundtruth, prediction : array-like, mapping of label to array-like, or Segments, optional
        An image of integers with the meaning given by `labels`, a boolean image per label, or
        segments with a label each. None means background only.
    labels : sequence of labels, or mapping of int to label or None
        Labels of the values 1, 2, …, or the label of each value, None for background. 0 is
        background unless the mapping contains it. Required for images of integers only.
    ignore : int, iterable of int, or array-like of bool, optional
        Ground-truth values of ignored pixels, or a mask of them.
    overlap : {"error", "first", "last"}
        Label of a pixel shared by the images of several labels of one key.
    stuff : sequence of labels
        Labels of regions without instances, such as sky, which panoptic metrics average separately.
    metadata : mapping of str to value, optional
        Fields for slices and filters.

    Raises
    ------
    SchemaError
        If `labels`, `overlap` or `ignore` is invalid.

    Examples
    --------
    >>> item = Segmentation("img_7", [[0, 1]], {"cat": [[True, True]]}, labels=["cat"])
    >>> item.labels
    (Label(key='class', value='cat'),)
    """

    task: ClassVar[str] = "segmentation"

    uid: Uid = uid_field()
    groundtruth: Side = None
    prediction: Side = None
    labels: PixelLabels = field(default=(), converter=pixel_labels)
    ignore: int | tuple[int, ...] | Flags | None = field(default=None, eq=BY_CONTENT)
    overlap: Overlap = "error"
    stuff: tuple[Label, ...] = field(default=(), converter=as_labels)
    metadata: Mapping[str, Any] = metadata_field()

    def __attrs_post_init__(self) -> None:
        try:
            if self.overlap not in get_args(Overlap):
                raise SchemaError(
                    f"overlap: expected 'error', 'first' or 'last', got {short_repr(self.overlap)}",
                    did_you_mean(str(self.overlap), get_args(Overlap)),
                )
            object.__setattr__(self, "ignore", ignored_of(self.ignore))
        except SchemaError as error:
            raise error.at(f"item {self.uid!r}, ") from None
