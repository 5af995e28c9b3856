"""Any metric of Valor for ``evaluate.load``: the configuration is the metric's full name.

evaluate copies this file into its cache and takes the first module class that it finds in it.
"""

from valor_evaluate.exported.exported_metric import ExportedMetric

__all__ = ["ExportedMetric"]
