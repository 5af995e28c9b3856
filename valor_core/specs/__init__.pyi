from valor_core.specs.extensions import extension_errors
from valor_core.specs.family import MetricFamily
from valor_core.specs.hooks import hookimpl
from valor_core.specs.lookup import has_all, meaning_of, only_task
from valor_core.specs.manifest import Manifest
from valor_core.specs.names import ParameterAlias, averaged, fold, in_config, short_name
from valor_core.specs.query import NameQuery
from valor_core.specs.registry import Registry, install_metrics
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

__all__ = [
    "KINDS",
    "ArraysSpec",
    "CommandSpec",
    "EngineSpec",
    "GallerySpec",
    "Manifest",
    "MetricFamily",
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
    "extension_errors",
    "fold",
    "has_all",
    "hookimpl",
    "import_object",
    "in_config",
    "install_metrics",
    "meaning_of",
    "only_task",
    "short_name",
]
