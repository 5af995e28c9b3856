"""Any metric of Valor for ``evaluate.load``: the configuration is the metric's full name.

evaluate copies this file into its cache and takes the first module class that it finds in it.
"""

from valor_text.evaluate.exported import ExportedMetric

__all__ = ["ExportedMetric"]
