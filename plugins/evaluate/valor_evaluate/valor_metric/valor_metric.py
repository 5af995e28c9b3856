"""Script for ``evaluate.load``: the configuration name is the full name of a metric of Valor.

evaluate copies this file to its cache and loads the first module class in it.
"""

from valor_evaluate.exported.exported_metric import ExportedMetric

__all__ = ["ExportedMetric"]
