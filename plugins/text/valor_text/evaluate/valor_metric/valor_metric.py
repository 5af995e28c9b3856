"""Former location of the folder for ``evaluate.load``; `valor_evaluate.FOLDER` replaced it."""

from valor_evaluate.exported.exported_metric import ExportedMetric

__all__ = ["ExportedMetric"]
