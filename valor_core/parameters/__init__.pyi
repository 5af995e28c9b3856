from valor_core.parameters.declaration import (
    NoParameters,
    Parameter,
    build,
    changed_parameters,
    declared,
    json_schema,
    parameter,
    parameter_values,
    parameters,
    plain_value,
    relocate,
)
from valor_core.parameters.environment import FromEnvironment, fill_in
from valor_core.parameters.kinds import SCALARS, Kind, ListKind, PathKind, UnionKind, Within

__all__ = [
    "SCALARS",
    "FromEnvironment",
    "Kind",
    "ListKind",
    "NoParameters",
    "Parameter",
    "PathKind",
    "UnionKind",
    "Within",
    "build",
    "changed_parameters",
    "declared",
    "fill_in",
    "json_schema",
    "parameter",
    "parameter_values",
    "parameters",
    "plain_value",
    "relocate",
]
