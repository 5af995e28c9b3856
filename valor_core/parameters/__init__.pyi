from valor_core.parameters.declaration import (
    NoParameters,
    Parameter,
    changed_parameters,
    parameter,
    parameter_values,
    parameters,
    parameters_from,
    parameters_of,
)
from valor_core.parameters.environment import FromEnvironment
from valor_core.parameters.kinds import Within

__all__ = [
    "FromEnvironment",
    "NoParameters",
    "Parameter",
    "Within",
    "changed_parameters",
    "parameter",
    "parameter_values",
    "parameters",
    "parameters_from",
    "parameters_of",
]
