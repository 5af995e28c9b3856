"""Parameters that several readers have, each declared once."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Literal

from valor_files import LabelList

from valor_core.parameters import Within, parameter
from valor_core.schemas import DEFAULT_KEY

Missing = Literal["error", "background"]


def labels() -> LabelList:
    """What pixels mean, as a list."""
    labels: LabelList = parameter(
        default=(),
        help="What the values of pixels mean: 0 is background and i the i-th of these labels, "
        "so that the list has no background. A name that ends in .txt is a file with a label a "
        "line.",
        distinct=True,
    )
    return labels


def values() -> Mapping[str, str | None]:
    """What pixels mean, as a table."""
    values: Mapping[str, str | None] = parameter(
        default={},
        help="What the values of pixels mean, in place of labels: label of each value, null for "
        "background. 0 is background unless it stands there.",
    )
    return values


def ignore() -> tuple[int, ...]:
    """Which true pixels do not count."""
    ignore: tuple[int, ...] = parameter(
        default=(), help="Values of pixels of the ground truth that do not count."
    )
    return ignore


def label_key() -> str:
    """The key of all labels."""
    key: str = parameter(default=DEFAULT_KEY, help="Key of all labels.")
    return key


def metadata() -> Path | None:
    """The table of metadata."""
    table: Path | None = parameter(
        default=None,
        help="Table with one row for each image, such as a CSV file: its uid; other columns are "
        "metadata, to slice and filter by.",
    )
    return table


def uid() -> str:
    """The column of uids in it."""
    uid: str = parameter(default="uid", help="Column of the uid in the table of metadata.")
    return uid


def missing() -> Missing:
    """What becomes of images of one side."""
    missing: Missing = parameter(
        default="error",
        help="What becomes of an image that only one side has: error, or background, which takes "
        "the other side for one without labels.",
    )
    return missing


def partition_images(default: int = 100) -> int:
    """How many images a worker reads at a time."""
    count: int = parameter(
        default=default, help="Number of images in the parts that workers read.", check=Within(1)
    )
    return count


def ending(side: str, default: str) -> str:
    """How names of files end."""
    ending: str = parameter(
        default=default,
        help=f"How names of files of the {side} end; what stands before is the uid.",
        non_empty=True,
    )
    return ending
