"""Columns: what evaluate hands to a module, read as the batches of a task.

Each task has a class whose fields are what people have to say about their columns, the ``data`` of
`valor_evaluate.module`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from datasets import Features

from valor_core import Registry
from valor_core.errors import ParameterError, shown
from valor_core.packages import import_extra
from valor_core.parameters import build
from valor_core.schemas import Batch
from valor_core.specs import MetricSpec, TaskSpec, import_object
from valor_evaluate.exported.columns.rows import RowColumns

__all__ = ["Columns", "columns_of"]

_BY_TASK: Mapping[str, str] = {
    "classification": f"{__name__}.classification:ClassificationColumns",
    "detection": f"{__name__}.detection:DetectionColumns",
    "segmentation": f"{__name__}.segmentation:SegmentationColumns",
}
"""Column classes by task. Each is imported on use, since it needs the package of its family."""


class Columns(Protocol):
    """How the columns of a task are read."""

    @property
    def names(self) -> tuple[str, ...]:
        """Columns that may be given; ``uid`` is one of them."""

    @property
    def required(self) -> tuple[str, ...]:
        """Columns that have to be given."""

    @property
    def features(self) -> list[Features]:
        """Columns that evaluate asks for, and the types that it may find in them."""

    def batch(self, columns: Mapping[str, Any], start: int) -> Batch:
        """The batch that some columns of one length are, the first item having the number `start`.

        Items without a ``uid`` are called by their numbers.

        Raises
        ------
        SchemaError
            If a value is not what its column holds; names the item.
        """


def columns_of(spec: MetricSpec, options: Mapping[str, Any], registry: Registry) -> Columns:
    """How the columns of a metric's task are read.

    Parameters
    ----------
    spec : MetricSpec
        The metric.
    options : mapping
        What is said about the columns.
    registry : Registry
        Where the metric's task is looked up.

    Raises
    ------
    ParameterError
        If an option is unknown or does not fit, or the task has no columns.
    MissingExtraError
        If the package of the task's family is not installed.

    Examples
    --------
    >>> registry = Registry()
    >>> spec = registry.find(MetricSpec, "segmentation.mIOU")
    >>> columns_of(spec, {"labels": ["car"]}, registry).names
    ('predictions', 'references', 'uid')
    """
    if not isinstance(options, Mapping):
        raise ParameterError(
            f"data must be a table of options, got {shown(options)}", place=f"{spec.name}: "
        )
    if spec.task in _BY_TASK:
        extra = f"valor-evaluate[{spec.task}]"
        import_extra(f"valor_{spec.task}", f"{spec.name}: exporting it", extra)
        columns: Columns = build(import_object(_BY_TASK[spec.task]), options, f"{spec.name}: data.")
        return columns
    return RowColumns.of(spec, registry.find(TaskSpec, spec.task), options)
