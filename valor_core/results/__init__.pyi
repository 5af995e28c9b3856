from valor_core.results.averages import (
    NumberOrReason,
    exact_mean,
    macro_mean,
    mean_of_defined,
    ratio,
    ratios,
    weighted_mean,
)
from valor_core.results.confusion_table import ConfusionTable
from valor_core.results.detail_columns import DetailColumns
from valor_core.results.item_rows import ItemRow, ItemRows, Numbers
from valor_core.results.report import Report, Slice
from valor_core.results.result import (
    Failed,
    ItemScore,
    LazyValue,
    Metric,
    MetricDetails,
    NoScore,
    NotRun,
    Result,
    Undefined,
)
from valor_core.specs.extensions import report_format

__all__ = [
    "ConfusionTable",
    "DetailColumns",
    "Failed",
    "ItemRow",
    "ItemRows",
    "ItemScore",
    "LazyValue",
    "Metric",
    "MetricDetails",
    "NoScore",
    "NotRun",
    "NumberOrReason",
    "Numbers",
    "Report",
    "Result",
    "Slice",
    "Undefined",
    "exact_mean",
    "macro_mean",
    "mean_of_defined",
    "ratio",
    "ratios",
    "report_format",
    "weighted_mean",
]
