from valor_core.specs.family import MetricFamily
from valor_core.specs.hooks import hookimpl
from valor_core.specs.names import ParameterAlias
from valor_core.specs.registry import Registry
from valor_core.specs.spec import (
    ArraysSpec,
    CommandSpec,
    EngineSpec,
    GallerySpec,
    MetricSpec,
    ProtocolSpec,
    Range,
    ReaderSpec,
    Reference,
    ResourceKindSpec,
    ResourceSpec,
    Spec,
    TaskSpec,
)

__all__ = [
    "ArraysSpec",
    "CommandSpec",
    "EngineSpec",
    "GallerySpec",
    "MetricFamily",
    "MetricSpec",
    "ParameterAlias",
    "ProtocolSpec",
    "Range",
    "ReaderSpec",
    "Reference",
    "Registry",
    "ResourceKindSpec",
    "ResourceSpec",
    "Spec",
    "TaskSpec",
    "hookimpl",
]
