"""Bridge between Valor and Hugging Face `evaluate`.

`plugin` declares the namespace ``hf``, which runs modules of evaluate as metrics. `module` converts
a metric of Valor to a module of evaluate.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from valor_core.specs import MetricSpec
    from valor_evaluate.exported.exported_metric import ExportedMetric

__all__ = ["FOLDER", "module"]

FOLDER = str(Path(__file__).with_name("valor_metric"))
"""Folder for ``evaluate.load``: ``evaluate.load(FOLDER, "text.ROUGE")``."""


def module(metric: str | MetricSpec, **options: Any) -> ExportedMetric:
    """Convert a metric of Valor to a module of evaluate.

    Parameters
    ----------
    metric : str or MetricSpec
        Full name of a metric of any installed plugin, or a decorated function.
    **options
        Parameters of the metric, and of `exported.ExportedMetric`: ``data`` sets how columns are
        read.

    Returns
    -------
    ExportedMetric
        Module with the interface of evaluate. Its results are bit-identical to those of ``valor
        run``.

    Raises
    ------
    MissingExtraError
        If evaluate is not installed.
    RegistryError
        If no installed plugin has the metric.
    ParameterError
        If the metric, or the reading of columns, rejects an option.

    Examples
    --------
    >>> accuracy = module("classification.Accuracy")
    >>> accuracy.compute(predictions=["cat", "dog"], references=["cat", "cat"])
    {'Accuracy': 0.5}
    """
    from valor_core.packages import import_extra

    import_extra("evaluate", "valor_evaluate.module", "valor-evaluate")
    from valor_evaluate.exported.exported_metric import ExportedMetric

    return ExportedMetric(metric, **options)
