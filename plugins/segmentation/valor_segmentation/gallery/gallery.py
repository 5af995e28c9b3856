"""Gallery: image, ground truth, prediction and wrong pixels, side by side."""

from __future__ import annotations

import os
import zlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from attrs import frozen
from numpy.typing import NDArray
from PIL import Image
from valor_files import file_below
from valor_report import (
    Panel,
    Picture,
    check_photo_folder,
    image_bytes,
    panel_sheet,
    panel_size,
    photo,
    thumbnail,
)

from valor_core.schemas import Codes, Label
from valor_core.schemas.segmentation import (
    BACKGROUND,
    IGNORED,
    LabelImage,
    Layer,
    SegmentationBatch,
)
from valor_segmentation.counting.strips import row_blocks, with_blank_side
from valor_segmentation.counting.value_map import LabelCodes, label_codes
from valor_segmentation.metrics.examples import Examples, badness
from valor_segmentation.parameters.gallery import ExamplesParameters, GalleryParameters

RIGHT, WRONG, FALSE, MISSED = "right", "wrong label", "false", "missed"

COLORS: Mapping[str, str] = {
    RIGHT: "#2b8a3e",
    WRONG: "#f08c00",
    FALSE: "#e03131",
    MISSED: "#ffd43b",
    "ignored": "#adb5bd",
    "background": "#212529",
}
"""Color of each kind of pixel."""

_KINDS = tuple(COLORS)
_IGNORED, _BACKGROUND = _KINDS.index("ignored"), _KINDS.index("background")
_BLOCK = 1 << 20  # pixels that are processed together
_LONGEST = 640  # longer side of the pixels that are kept for a panel
_THUMBNAIL = (1280, 640)

_ENDINGS = ("", ".png", ".jpg", ".jpeg", ".tif", ".tiff", ".webp")

_PALETTE = (  # nothing that looks like a color of errors
    "#4363d8",
    "#911eb4",
    "#46f0f0",
    "#f032e6",
    "#bcf60c",
    "#fabebe",
    "#008080",
    "#e6beff",
    "#9a6324",
    "#fffac8",
    "#800000",
    "#aaffc3",
    "#808000",
    "#ffd8b1",
    "#1864ab",
    "#ff8fab",
    "#5c7cfa",
    "#b5838d",
    "#22b8cf",
    "#7048e8",
)


class SegmentationGallery:
    """Gallery of images with their label images and wrong pixels.

    A row of panels for each label key: the image, the ground truth, the prediction and the
    errors. Colors of the errors: green for the right label, orange for a wrong one, red for a label
    on background, yellow for background on a label, gray for ignored pixels. The badness of an
    image is that of `Examples`, added up over label keys. A label has the same color in all
    pictures, unless another label of the data uses it.

    Parameters
    ----------
    parameters : GalleryParameters
        Folder of the images, and their order.

    Examples
    --------
    >>> from valor_core.schemas.segmentation import Segmentation
    >>> item = Segmentation("a", [[1, 1, 0, 0]], [[1, 2, 2, 0]], labels=["cat", "dog"])
    >>> batch = SegmentationBatch.of([item])
    >>> gallery = SegmentationGallery(GalleryParameters())
    >>> gallery.errors(batch), gallery.draw(batch).counts["wrong label"]
    (array([2.]), 1)
    """

    def __init__(self, parameters: GalleryParameters) -> None:
        self.parameters = parameters
        check_photo_folder(parameters.images, "segmentation.Gallery")
        self._examples = Examples(
            ExamplesParameters(
                order=parameters.order,
                settings=parameters.settings,
                label=parameters.label,
                limit=None,
            )
        )
        self._examples.needs()  # wrong settings are found before any work is done

    @property
    def legend(self) -> Mapping[str, str]:
        """Outcomes of pixels with their colors."""
        return {
            "right label": COLORS[RIGHT],
            "wrong label": COLORS[WRONG],
            "label where there is none": COLORS[FALSE],
            "no label where there is one": COLORS[MISSED],
            "does not count": COLORS["ignored"],
        }

    def errors(self, batch: SegmentationBatch) -> Any:
        """Return the badness of each image under the order of the parameters."""
        errors = np.zeros(len(batch))
        rows = {uid: row for row, uid in enumerate(batch.datums.uids.tolist())}
        for image in self._listed(batch):
            errors[rows[image["datum_id"]]] += badness(image, self.parameters.order)
        return errors

    def _listed(self, batch: SegmentationBatch) -> list[dict[str, Any]]:
        """Return the entries of `Examples` for all label keys."""
        states = [needed.open() for needed in self._examples.needs()]
        for state in states:
            state.update(batch)
        return [image for result in self._examples.compute(*states) for image in result.value]

    def _values(self, batch: SegmentationBatch) -> list[str]:
        """Return the results of the ranking metric for the only image of a batch."""
        order = self.parameters.order
        if order == "errors":
            return []
        values = [image[order] for image in self._listed(batch)]
        return [f"{order} {value:.4g}" for value in values if value is not None]

    def draw(self, batch: SegmentationBatch) -> Picture:
        """Draw the only image of a batch."""
        image, notes = self._image(batch)
        paints = colors_of(batch.labels)
        views = [_View.of(layer, batch.datums.name(0)) for layer in batch.layers]
        shape = max((view.shape for view in views), default=(1, 1))
        rows = [view.panels(image, paints) for view in views] or [[Panel("image", _plain(image))]]
        kinds = sum((view.kinds for view in views), np.zeros(len(_KINDS), np.int64)).tolist()
        counts = {kind: kinds[_KINDS.index(kind)] for kind in (RIGHT, WRONG, FALSE, MISSED)}
        there = sorted(set().union(*(view.labels for view in views)))
        colors = {str(batch.labels[code]): paints[code] for code in there}
        counted = [(f"{kind} {count:,}", COLORS[kind]) for kind, count in counts.items()]
        size = panel_size(*shape)
        drawn = panel_sheet(rows, size, [*colors.items(), *counted])
        return Picture(
            image_bytes(drawn, "PNG"),
            thumbnail(panel_sheet(rows, size, ()), _THUMBNAIL),  # the page has the legend as text
            counts,
            [*notes, *self._values(batch)],
            colors,
            wide=True,
        )

    def _image(self, batch: SegmentationBatch) -> tuple[Image.Image | None, list[str]]:
        """Return the image, or the reason why it is missing."""
        folder, datum = self.parameters.images, batch.datums.at(0)
        if folder is None:
            return None, []
        name = datum.metadata.get(self.parameters.image_field)
        wanted = _name(folder, str(datum.uid)) if name is None else str(name)
        image, reason = photo(folder, wanted, file_below(folder, wanted))
        return image, [reason] if reason else [str(name)] if name else []


def _name(folder: Path, uid: str) -> str:
    """Name of the image file that is named like a uid, with or without an ending."""
    # Not Path.is_file, which raises where a name is too long.
    names = (f"{uid}{ending}" for ending in _ENDINGS)
    return next((name for name in names if os.path.isfile(folder / name)), uid)


@frozen(eq=False)
class _View:
    """One layer of an image, reduced to what a panel shows.

    Parameters
    ----------
    shape : (int, int)
        Height and width of the image.
    true, predicted : ndarray of int
        Label codes of the pixels that are shown.
    kinds : ndarray of int64
        How many pixels of the whole image are of each kind.
    """

    shape: tuple[int, int]
    true: LabelCodes
    predicted: LabelCodes
    kinds: Codes

    @classmethod
    def of(cls, layer: Layer, where: str) -> _View:
        """Make the view of the only image of a layer."""
        shape = _shape(layer, 0)
        step = max(1, max(shape) // _LONGEST)
        kinds, first = np.zeros(len(_KINDS), np.int64), 0
        shown: list[tuple[LabelCodes, LabelCodes]] = []
        for true_rows, predicted_rows in _rows(layer, 0, where):
            kinds += np.bincount(_kinds(true_rows, predicted_rows).ravel(), minlength=len(_KINDS))
            chosen = np.s_[-first % step :: step, ::step]
            shown.append((true_rows[chosen], predicted_rows[chosen]))
            first += len(true_rows)
        if not shown:
            nothing = np.full((1, 1), BACKGROUND, np.int8)
            shown = [(nothing, nothing)]
        true, predicted = (np.concatenate(side) for side in zip(*shown, strict=True))
        return cls(shape, true, predicted, kinds)

    @property
    def labels(self) -> set[int]:
        """Codes of the labels that are shown."""
        found = np.union1d(np.unique(self.true), np.unique(self.predicted)).tolist()
        return {code for code in found if code >= 0}

    def panels(self, image: Image.Image | None, paints: Sequence[str]) -> list[Panel]:
        """Image, ground truth, prediction and errors."""
        # Codes begin at IGNORED, which indexes the last but one color.
        table = _rgb([*paints, COLORS["ignored"], COLORS["background"]])
        errors = _rgb(list(COLORS.values()))[_kinds(self.true, self.predicted)]
        panels = [
            Panel("ground truth", table[self.true]),
            Panel("prediction", table[self.predicted]),
            Panel("errors", errors),
        ]
        return panels if image is None else [Panel("image", image), *panels]


def colors_of(labels: Sequence[Label]) -> list[str]:
    """A color for each label, chosen by its name.

    Examples
    --------
    >>> cat, dog = Label("class", "cat"), Label("class", "dog")
    >>> colors_of([cat, dog]) == colors_of([dog, cat])[::-1]
    True
    """
    chosen: dict[Label, str] = {}
    used: set[int] = set()
    for label in sorted(labels):
        color = zlib.crc32(str(label).encode()) % len(_PALETTE)
        while color in used and len(used) < len(_PALETTE):
            color = (color + 1) % len(_PALETTE)
        used.add(color)
        chosen[label] = _PALETTE[color]
    return [chosen[label] for label in labels]


def _kinds(true: LabelCodes, predicted: LabelCodes) -> NDArray[np.int64]:
    """Return the kind of every pixel as an index into `COLORS`."""
    is_true, is_predicted = true >= 0, predicted >= 0
    cases = [
        true == IGNORED,
        is_true & (true == predicted),
        is_true & is_predicted,
        is_predicted,
        is_true,
    ]
    kinds = [_IGNORED, *(_KINDS.index(kind) for kind in (RIGHT, WRONG, FALSE, MISSED))]
    return np.select(cases, kinds, _BACKGROUND)


def _rows(layer: Layer, position: int, where: str) -> Iterator[tuple[LabelCodes, LabelCodes]]:
    """Label codes of both sides of an image, some rows at a time."""
    pair = with_blank_side(layer.groundtruths[position], layer.predictions[position])
    if pair is None:
        return
    for image, other in row_blocks(*pair, where, most=_BLOCK):
        yield (
            label_codes(pair[0], image, f"{where}, groundtruth"),
            label_codes(pair[1], other, f"{where}, prediction"),
        )


def _shape(layer: Layer, position: int) -> tuple[int, int]:
    one: LabelImage | None = layer.groundtruths[position] or layer.predictions[position]
    return (0, 0) if one is None else one.pixels.shape


def _rgb(names: Sequence[str]) -> NDArray[np.uint8]:
    colors = [[int(name[i : i + 2], 16) for i in (1, 3, 5)] for name in names]
    return np.array(colors, np.uint8)


def _plain(image: Image.Image | None) -> Image.Image:
    return Image.new("RGB", (1, 1), COLORS["background"]) if image is None else image
