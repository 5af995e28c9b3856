"""Parameters of the reader of NumPy's files."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from valor_files import LabelList

from valor_core.parameters import parameter, parameters
from valor_segmentation.parameters.readers import fields


@parameters
class NpyParameters:
    """Parameters of the reader of NumPy's files."""

    groundtruths: Path = parameter(
        help="Folder of true label images in .npy or .npz, or one such file."
    )
    predictions: Path | None = parameter(
        default=None,
        help="Folder of predicted label images with the same names, or one such file. Without it "
        "each .npz of groundtruths holds both.",
    )
    labels: LabelList = fields.labels()
    values: Mapping[str, str | None] = fields.values()
    ignore: tuple[int, ...] = fields.ignore()
    label_key: str = fields.label_key()
    groundtruth_array: str = parameter(
        default="groundtruth", help="Name of the true array in an .npz that holds several."
    )
    prediction_array: str = parameter(
        default="prediction", help="Name of the predicted array in an .npz that holds several."
    )
    missing: fields.Missing = fields.missing()
    metadata: Path | None = fields.metadata()
    uid: str = fields.uid()
    partition_images: int = fields.partition_images()
