from valor_core.specs.decorator import FunctionMetricSpec, metric
from valor_core.specs.hooks import hookimpl
from valor_core.specs.manifest import Manifest
from valor_core.specs.meaning import has_all, meaning_of, only_task
from valor_core.specs.names import ParameterAlias, averaged, fold, in_config
from valor_core.specs.registry import Registry, implementation, install_metrics
from valor_core.specs.spec import (
    KINDS,
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
    Spec,
    TaskSpec,
    import_object,
)
from valor_core.specs.wanted import NameQuery

__all__ = [
    "KINDS",
    "ArraysSpec",
    "CommandSpec",
    "EngineSpec",
    "FunctionMetricSpec",
    "GallerySpec",
    "Manifest",
    "MetricSpec",
    "NameQuery",
    "ParameterAlias",
    "Range",
    "ReaderSpec",
    "Reference",
    "Registry",
    "ResourceKindSpec",
    "ResourceSpec",
    "Spec",
    "TaskSpec",
    "averaged",
    "fold",
    "has_all",
    "hookimpl",
    "implementation",
    "import_object",
    "in_config",
    "install_metrics",
    "meaning_of",
    "metric",
    "only_task",
]
