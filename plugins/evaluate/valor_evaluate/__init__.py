"""The bridge to Hugging Face `evaluate`, both ways.

`plugin` is the manifest of the namespace ``hf``: evaluate's modules as metrics of Valor. `module`
goes the other way and makes a module of evaluate out of any metric of Valor.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from valor_core.specs import MetricSpec
    from valor_evaluate.exported.exported_metric import ExportedMetric

__all__ = ["FOLDER", "module"]

FOLDER = str(Path(__file__).with_name("valor_metric"))
"""A folder that ``evaluate.load`` takes: ``evaluate.load(FOLDER, "text.ROUGE")``."""


def module(metric: str | MetricSpec, **options: Any) -> ExportedMetric:
    """A metric of Valor as a module of evaluate.

    Parameters
    ----------
    metric : str or MetricSpec
        Full name of a metric of any installed plugin, or what the decorator made of a function.
    **options
        Parameters of the metric, and what `exported.ExportedMetric` takes besides: ``data`` says
        how columns are read.

    Returns
    -------
    ExportedMetric
        A module that takes predictions and references as evaluate's own do. Its numbers are those
        of ``valor run``, to the last bit.

    Raises
    ------
    MissingExtraError
        If evaluate is not installed.
    RegistryError
        If no installed plugin has the metric.
    ParameterError
        If the metric, or the way in which columns are read, refuses an option.

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
