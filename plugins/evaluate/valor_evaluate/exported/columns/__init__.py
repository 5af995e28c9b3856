"""Columns that evaluate passes to a module, read as batches of a task.

Each task has a class whose fields are settings of the columns, passed as ``data`` to
`valor_evaluate.module`.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from datasets import Features

from valor_core import Registry
from valor_core.errors import ParameterError, short_repr
from valor_core.packages import import_extra
from valor_core.parameters import parameters_from
from valor_core.schemas import Batch
from valor_core.specs import MetricSpec, TaskSpec
from valor_core.specs.spec import import_object
from valor_evaluate.exported.columns.rows import RowColumns

__all__ = ["Columns", "columns_of"]

_BY_TASK: Mapping[str, str] = {
    "classification": f"{__name__}.classification:ClassificationColumns",
    "detection": f"{__name__}.detection:DetectionColumns",
    "segmentation": f"{__name__}.segmentation:SegmentationColumns",
}
"""Column classes by task. Each is imported on use, since it needs the package of its family."""


class Columns(Protocol):
    """Reader of the columns of a task."""

    @property
    def names(self) -> tuple[str, ...]:
        """Accepted columns, including ``uid``."""

    @property
    def required(self) -> tuple[str, ...]:
        """Required columns."""

    @property
    def features(self) -> list[Features]:
        """Types of the columns, for evaluate; one of them must match."""

    def batch(self, columns: Mapping[str, Any], start: int) -> Batch:
        """Make a batch of columns with equal lengths.

        Items without a ``uid`` are numbered from `start`.

        Raises
        ------
        SchemaError
            If a value of a column is invalid; names the item.
        """


def columns_of(spec: MetricSpec, options: Mapping[str, Any], registry: Registry) -> Columns:
    """Return the reader for the columns of a metric's task.

    Parameters
    ----------
    spec : MetricSpec
        Metric.
    options : mapping
        Settings of the columns.
    registry : Registry
        Registry used to resolve the task.

    Raises
    ------
    ParameterError
        If an option is unknown or invalid, or the task does not support columns.
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
            f"data must be a table of options, got {short_repr(options)}", place=f"{spec.name}: "
        )
    if spec.task in _BY_TASK:
        extra = f"valor-evaluate[{spec.task}]"
        import_extra(f"valor_{spec.task}", f"{spec.name}: exporting it", extra)
        columns: Columns = parameters_from(
            import_object(_BY_TASK[spec.task]), options, f"{spec.name}: data."
        )
        return columns
    return RowColumns.of(spec, registry.find(TaskSpec, spec.task), options)
