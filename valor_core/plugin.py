"""What a plugin is made of: the one module that plugins import of core, beside three others.

A plugin needs four modules: this one, `valor_core` for what its users call, `valor_core.schemas`
for what data look like, and `valor_testing` in its tests. Names of these stay as they are
within one `api` of the manifest; every other module of core may change with any release.

Nothing is imported before it is asked for, so a manifest costs what its specs cost.

Examples
--------
>>> from valor_core.plugin import MetricSpec, hookimpl, parameter, parameters
"""

# ruff: noqa: F401
# mypy: implicit-reexport

from collections.abc import Mapping
from typing import TYPE_CHECKING

from valor_core.plugins.publishing import published_later

if TYPE_CHECKING:
    from valor_core.errors import (
        ConfigError,
        EngineError,
        MissingExtraError,
        ParameterError,
        PartitionError,
        ReadError,
        ReportError,
        ResourceError,
        ResourceStopped,
        SchemaError,
        StateError,
        ValorError,
        and_more,
        did_you_mean,
        found_at,
        shown,
    )
    from valor_core.evaluation.bound_metric import BoundMetric, MetricChoice, short_name
    from valor_core.evaluation.engines.control import BY_THE_USER
    from valor_core.evaluation.engines.engine import Work
    from valor_core.evaluation.engines.interrupts import uninterrupted
    from valor_core.evaluation.engines.local import count_read_ahead
    from valor_core.evaluation.engines.worker import (
        GUARD,
        Worker,
        check_guarded,
        check_versions,
        count_partition,
        start_worker,
    )
    from valor_core.evaluation.items.event_loop import carried
    from valor_core.evaluation.job import Evaluation
    from valor_core.evaluation.resources.bound_resource import (
        BoundResource,
        GivenKind,
        bind_resources,
        open_as,
    )
    from valor_core.evaluation.resources.facts import WARNINGS, added_up
    from valor_core.evaluation.resources.open_resources import Share, opened
    from valor_core.evaluation.tally import Tally
    from valor_core.kernels.compiled import array, kernels
    from valor_core.kernels.threads import Span, in_threads, over, shares, thread_count
    from valor_core.metrics.averages import (
        NumberOrReason,
        exact_mean,
        label_coordinates,
        macro,
        mean,
        ratio,
        ratios,
        weighted,
    )
    from valor_core.metrics.confusion_table import ConfusionTable
    from valor_core.metrics.derived_state import DerivedState, counted
    from valor_core.metrics.detail_columns import DetailColumns
    from valor_core.metrics.item_rows import ONLY, ItemRow, ItemRows, Numbers
    from valor_core.metrics.json_values import as_json
    from valor_core.metrics.result import (
        Deferred,
        Failed,
        Gap,
        ItemScore,
        NotRun,
        Result,
        Undefined,
        first_line,
        is_number,
    )
    from valor_core.metrics.result_details import Told
    from valor_core.metrics.saved_columns import (
        check_same_length,
        saved_column,
        saved_labels,
        saved_number,
        saved_offsets,
        saved_positions,
        saved_uids,
    )
    from valor_core.metrics.state import Content, Metric, RowsOf, State, StateRequest
    from valor_core.metrics.sums import ExactSum, ExactSums, saved_sums
    from valor_core.packages import import_extra, install, version_of
    from valor_core.parameters.declaration import (
        NoParameters,
        build,
        declared,
        nondefault,
        parameter,
        parameter_values,
        parameters,
        plain_value,
    )
    from valor_core.parameters.environment import FromEnvironment
    from valor_core.parameters.kinds import Within
    from valor_core.plugins.hooks import hookimpl
    from valor_core.plugins.names import KnownAs, averaged, fold
    from valor_core.plugins.publishing import published_later
    from valor_core.plugins.spec import (
        ArraysSpec,
        CommandSpec,
        EngineSpec,
        GallerySpec,
        MetricSpec,
        Range,
        ReaderSpec,
        Reference,
        ResourceKindSpec,
        ResourceSpec,
        TaskSpec,
        by_reference,
    )
    from valor_core.readers.fingerprint import fingerprint
    from valor_core.readers.given import reader_of
    from valor_core.readers.partition import Partition
    from valor_core.report.report import ItemTable, Report

SECTIONS: Mapping[str, Mapping[str, str]] = {
    "What a manifest says": {
        "plugins.hooks": "hookimpl",
        "plugins.names": "KnownAs averaged fold",
        "plugins.publishing": "published_later",
        "plugins.spec": (
            "ArraysSpec CommandSpec EngineSpec GallerySpec MetricSpec Range ReaderSpec Reference "
            "ResourceKindSpec ResourceSpec TaskSpec by_reference"
        ),
    },
    "Parameters": {
        "parameters.declaration": (
            "NoParameters build declared nondefault parameter parameter_values "
            "parameters plain_value"
        ),
        "parameters.environment": "FromEnvironment",
        "parameters.kinds": "Within",
    },
    "What is refused, and how": {
        "errors": (
            "ConfigError EngineError MissingExtraError ParameterError PartitionError "
            "ReadError ReportError ResourceError ResourceStopped SchemaError StateError "
            "ValorError and_more did_you_mean found_at shown"
        ),
        "packages": "import_extra install version_of",
    },
    "States": {
        "metrics.state": "Content Metric RowsOf State StateRequest",
        "metrics.derived_state": "DerivedState counted",
        "metrics.saved_columns": (
            "check_same_length saved_column saved_labels saved_number saved_offsets "
            "saved_positions saved_uids"
        ),
        "metrics.sums": "ExactSum ExactSums saved_sums",
    },
    "Results": {
        "metrics.averages": (
            "NumberOrReason exact_mean label_coordinates macro mean ratio ratios weighted"
        ),
        "metrics.confusion_table": "ConfusionTable",
        "metrics.detail_columns": "DetailColumns",
        "metrics.item_rows": "ItemRow ItemRows Numbers ONLY",
        "metrics.json_values": "as_json",
        "metrics.result": (
            "Deferred Failed Gap ItemScore NotRun Result Undefined first_line is_number"
        ),
        "metrics.result_details": "Told",
    },
    "Readers": {
        "readers.fingerprint": "fingerprint",
        "readers.given": "reader_of",
        "readers.partition": "Partition",
    },
    "Kernels": {
        "kernels.compiled": "array kernels",
        "kernels.threads": "Span in_threads over shares thread_count",
    },
    "Engines, resources, commands and calls of a family": {
        "evaluation.bound_metric": "BoundMetric MetricChoice short_name",
        "evaluation.job": "Evaluation",
        "evaluation.engines.control": "BY_THE_USER",
        "evaluation.engines.engine": "Work",
        "evaluation.engines.interrupts": "uninterrupted",
        "evaluation.engines.local": "count_read_ahead",
        "evaluation.engines.worker": (
            "GUARD Worker check_guarded check_versions count_partition start_worker"
        ),
        "evaluation.items.event_loop": "carried",
        "evaluation.resources.bound_resource": "BoundResource GivenKind bind_resources open_as",
        "evaluation.resources.facts": "WARNINGS added_up",
        "evaluation.resources.open_resources": "Share opened",
        "evaluation.tally": "Tally",
        "report.report": "ItemTable Report",
    },
}
"""What this module publishes, by subject and by where it stands."""

_LATER = {home: names.split() for homes in SECTIONS.values() for home, names in homes.items()}

__all__ = sorted(name for names in _LATER.values() for name in names)

if not TYPE_CHECKING:  # which would take any name for one of this module
    __getattr__, __dir__ = published_later(__name__, _LATER)
