"""Gallery of classified items with their images, texts or metadata."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from attrs import frozen
from valor_files import file_below
from valor_report import MarkedPiece, MarkedTexts, Picture

from valor_classification.counting.key_view import NONE, KeyView, views
from valor_classification.kernels.values import in_type
from valor_classification.parameters.gallery import GalleryParameters
from valor_core.packages import import_extra
from valor_core.schemas import Codes, Floats, Label
from valor_core.schemas.classification import Classification, ClassificationBatch, ScoreMatrix

RIGHT, WRONG = "right label", "wrong label"

COLORS: Mapping[str, str] = {RIGHT: "#8ce99a", WRONG: "#ffa8a8"}
"""Color of each kind of label."""

IMAGE_FIELDS = ("image", "image_path", "file_name", "filename", "file", "path", "photo")
"""Metadata fields that may have the path of an image."""

TEXT_FIELDS = ("text", "sentence", "content", "review", "query", "title")
"""Metadata fields that may have the classified text."""

_SUFFIXES = ("", ".png", ".jpg", ".jpeg", ".webp")
_LISTED = 5
_LONGEST = 2000
_SIDE = (500, 400)


class ClassificationGallery:
    """Show wrongly classified items: their image, their text, or their metadata.

    The surest errors are first: those with the greatest difference between the scores of the
    predicted and the true label. Items with several ground truths are ordered by their number of
    missed and false labels.

    Parameters
    ----------
    parameters : GalleryParameters
        Folder of the images, and names of metadata fields.

    Examples
    --------
    >>> from valor_core.schemas.classification import Classification, ClassificationBatch
    >>> item = Classification("a", "dog", {"dog": 0.25, "cat": 0.75}, {"text": "It purrs."})
    >>> batch = ClassificationBatch.of([item])
    >>> gallery = ClassificationGallery(GalleryParameters())
    >>> gallery.errors(batch), gallery.draw(batch).notes
    (array([1.5]), ['predicted cat (0.7500), true dog (0.2500)'])
    """

    def __init__(self, parameters: GalleryParameters) -> None:
        self.parameters = parameters
        self.legend: Mapping[str, str] = {}  # images have no colors
        if parameters.images is not None:  # texts and metadata need no Pillow
            import_extra("PIL.Image", "classification.Gallery", "valor-classification[plot]")
            from valor_report import check_photo_folder

            check_photo_folder(parameters.images, "classification.Gallery")

    def errors(self, batch: ClassificationBatch) -> Floats:
        """Return the errors of each item; 0 for items without a wrong prediction."""
        errors = np.zeros(len(batch))
        for view in views(batch):
            errors += self._errors(view)
        return errors

    def _errors(self, view: KeyView) -> Floats:
        if not view.is_single:
            return self._different(view)
        tops, truths = view.top_labels, view.truths
        is_wrong = (tops != truths) & (truths != NONE)
        scores = np.where(tops == NONE, 0.0, view.top_scores).astype(np.float64)
        gaps = np.where(is_wrong, scores - _scores_of(view, truths), 0.0)
        return np.where(is_wrong, 1 + np.maximum(gaps, 0.0), 0.0)

    def _different(self, view: KeyView) -> Floats:
        """Count the missed and the false labels of each item."""
        datums, labels = _at_least(view, self.parameters.score_threshold)
        width = max(len(view.labels), 1)
        true = view.truth_datums * width + view.truth_labels
        found = datums * width + labels
        return np.bincount(np.setxor1d(true, found) // width, minlength=view.count).astype(float)

    def draw(self, batch: ClassificationBatch) -> Picture | MarkedTexts:
        """Show the only item of a batch."""
        (item,) = batch.items()
        outcomes = list(self._outcomes(item))
        notes = [outcome.text for outcome in outcomes]
        wrong = sum(outcome.wrong for outcome in outcomes)
        count = {"wrong labels": wrong} if wrong > 1 else {}
        image, reason = self._image(item)
        notes += [reason] if reason else []
        if image is not None:
            from valor_report import image_bytes, thumbnail

            return Picture(image_bytes(image, "PNG"), thumbnail(image, _SIDE), count, notes)
        self.legend = COLORS
        texts = dict(self._texts(item))
        rest = {name: one for name, one in item.metadata.items() if name not in texts}
        tables = {"scores": [row for outcome in outcomes for row in outcome.rows]}
        if rest:
            tables["metadata"] = [{name: MarkedPiece(str(one)) for name, one in rest.items()}]
        shown = {name: [MarkedPiece(text)] for name, text in texts.items()}
        return MarkedTexts(shown, count, notes, tables)

    def _outcomes(self, item: Classification) -> Iterator[_Outcome]:
        keys = dict.fromkeys(
            label.key for label in (*item.groundtruths, *(one for one, _ in item.predictions))
        )
        for key in keys:
            true = [label for label in item.groundtruths if label.key == key]
            scores = {label: score for label, score in item.predictions if label.key == key}
            place = f"{key}: " if len(keys) > 1 else ""
            yield _Outcome.of(true, scores, self.parameters.score_threshold, place)

    def _texts(self, item: Classification) -> Iterator[tuple[str, str]]:
        """Yield the name and text of the field with the text, if the item has one."""
        field = self.parameters.text_field
        for name in TEXT_FIELDS if field is None else (field,):
            text = item.metadata.get(name)
            if isinstance(text, str):
                yield name, text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…"
                return

    def _image(self, item: Classification) -> tuple[Any, str]:
        """Return the image of an item, or None and the reason."""
        folder, field = self.parameters.images, self.parameters.image_field
        named = (item.metadata.get(name) for name in (IMAGE_FIELDS if field is None else (field,)))
        name = str(next((one for one in named if isinstance(one, str)), item.uid))
        if folder is None:
            is_image = name.casefold().endswith(_SUFFIXES[1:])
            return None, "no image: gallery.images is not set" if is_image else ""
        from valor_report import photo

        return photo(folder, name, _found(folder, name))


def _found(folder: Path, name: str) -> Path | None:
    """Return the path of an image, whose name may lack its suffix."""
    for suffix in _SUFFIXES:
        path = file_below(folder, f"{name}{suffix}")
        if path is not None and path.is_file():
            return path
    return file_below(folder, name)


@frozen
class _Outcome:
    """Labels of an item of one label key.

    Parameters
    ----------
    text : str
        Predicted and true labels with their scores.
    wrong : int
        Number of missed and false labels, or 1 for a wrong prediction.
    rows : list of mapping
        Greatest scores, as rows of a table.
    """

    text: str
    wrong: int
    rows: list[dict[str, MarkedPiece]]

    @classmethod
    def of(
        cls, true: Sequence[Label], scores: Mapping[Label, float], threshold: float, place: str
    ) -> _Outcome:
        ranked = sorted(scores, key=lambda label: -scores[label])
        predicted = ranked[:1]
        if len(true) > 1:
            predicted = [label for label in ranked if scores[label] >= threshold]
        different = {*true} ^ {*predicted}
        sides = {"predicted": predicted, "true": true}
        text = ", ".join(
            " ".join([word, _named(labels, scores)]) if labels else f"nothing {word}"
            for word, labels in sides.items()
        )
        listed = [*ranked[:_LISTED], *(label for label in true if label in ranked[_LISTED:])]
        rows = [
            {
                "label": MarkedPiece(
                    f"{place}{label.value}",
                    RIGHT if label in true else WRONG if label in predicted else None,
                ),
                "score": MarkedPiece(f"{scores[label]:.4f}"),
            }
            for label in listed
        ]
        return cls(
            f"{place}{text}", min(len(different), 1) if len(true) < 2 else len(different), rows
        )


def _named(labels: Sequence[Label], scores: Mapping[Label, float]) -> str:
    return ", ".join(
        f"{label.value} ({scores[label]:.4f})" if label in scores else label.value
        for label in labels
    )


def _scores_of(view: KeyView, truths: Codes) -> Floats:
    """Score of the true label of each item; 0 if it is not listed."""
    found = np.zeros(view.count)
    scores, rows = view.scores, np.flatnonzero(truths != NONE)
    if isinstance(scores, ScoreMatrix):
        columns = view.columns[truths[rows]]
        listed = columns != NONE
        found[rows[listed]] = scores.values[rows[listed], columns[listed]]
        return found
    is_true = scores.labels == truths[scores.datums]
    found[scores.datums[is_true]] = scores.values[is_true]
    return found


def _at_least(view: KeyView, threshold: float) -> tuple[Codes, Codes]:
    """Item and label of the predictions with at least a score."""
    scores = view.scores
    limit = in_type(np.array([threshold]), scores.values.dtype)[0]
    if isinstance(scores, ScoreMatrix):
        datums, columns = np.nonzero(scores.values >= limit)
        return datums, scores.labels[columns]
    kept = np.flatnonzero(scores.values >= limit)
    return scores.datums[kept], scores.labels[kept]
