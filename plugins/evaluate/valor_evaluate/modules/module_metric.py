"""Metric that runs a module of Hugging Face `evaluate`."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

from attrs import field, frozen

from valor_core.errors import ParameterError, ReportError, ValorError, short_repr
from valor_core.parameters import changed_parameters
from valor_core.results import Failed, Result, Undefined
from valor_core.results.json_values import as_json
from valor_core.results.result import is_number
from valor_core.states import StateRequest
from valor_evaluate.modules.loaded_module import LoadedModule, find, load
from valor_evaluate.modules.module_inputs import all_columns, inputs
from valor_evaluate.modules.module_source import Sources
from valor_evaluate.modules.record_fields import LabelFields, RecordFields, TextFields, label_keys
from valor_evaluate.modules.script import Script
from valor_evaluate.modules.stored_items import Items, StoredItems, TextItems
from valor_evaluate.parameters import ModuleParameters

_NOT_IN_RESULTS = ("module", "allow_code", "revision")
"""Parameters that are part of results in another form, or do not affect them."""


@frozen
class ModuleMetric:
    """Module of Hugging Face `evaluate`, computed from Valor's items.

    Fields of the items become columns of the module, in the order of the uids, so that results do
    not depend on the order or partition of the data. If the module expects integers, classes are
    numbered. The code of the module runs with a fixed seed.

    Every output of the module is a result; for classified items, one for each label key. Items
    without a required field are excluded and counted.
    """

    parameters: ModuleParameters
    script: Script = field(init=False)

    def __attrs_post_init__(self) -> None:
        chosen = self.parameters
        if not chosen.allow_code:
            raise ParameterError(
                f"allow_code: expected true to execute the code of the module "
                f"{chosen.module.as_posix()}, got false",
                "If you trust it, write: allow_code: true",
                "hf.Module: ",
            )
        try:
            object.__setattr__(self, "script", find(chosen.module, chosen.revision))
            module = self._module
            columns = all_columns(module, chosen)
            Sources(chosen.columns).check((*columns, *module.options))
            module.check_options(chosen.options, columns)
        except ParameterError as error:
            raise error.at("hf.Module: ") from error.__cause__

    @property
    def _module(self) -> LoadedModule:
        return load(self.script, self.parameters.config_name)

    def needs(self) -> tuple[StateRequest, ...]:
        """Request the fields of the items that the module reads."""
        paths = all_columns(self._module, self.parameters)
        fields = Sources(self.parameters.columns).fields(paths)
        return (StateRequest(StoredItems, union={"fields": fields}),)

    def compute(self, state: StoredItems) -> Iterator[Result]:
        """Yield a result for each output of the module, and each label key of classified items."""
        items = state.items
        if items is None:
            yield Result(parameters=self._identifying(), value=Undefined("no items"))
            return
        for coordinates, fields in _groups(items):
            yield from self._computed(coordinates | self._identifying(), fields)

    def _identifying(self) -> dict[str, Any]:
        """Return the parameters and the code version that identify a result."""
        named = {"module": self.script.name, "script": self.script.digest}
        return named | changed_parameters(self.parameters, *_NOT_IN_RESULTS)

    def _computed(self, parameters: dict[str, Any], fields: RecordFields) -> list[Result]:
        module, chosen = self._module, self.parameters
        try:
            read = inputs(module, fields, chosen)
            if not read.columns:
                reason = Undefined("no items with all required fields")
                return [Result(parameters=parameters, value=reason, left_out=read.left_out)]
            options = dict(chosen.options)
            if read.codes is not None:
                options = read.codes.in_options(options)
            output = module.compute(chosen.seed, read.columns, options)
        except ValorError as error:
            return [Result(parameters=parameters, value=Failed(error.one_line))]
        found = results(output, parameters, read.left_out)
        if read.codes is None or not read.codes.names:
            return found
        return [_with_labels(one, read.codes.names) if is_table(one) else one for one in found]


def _groups(items: Items) -> Iterator[tuple[dict[str, Any], RecordFields]]:
    """Yield the groups of items that the module computes from: all texts, or one per label key."""
    if isinstance(items, TextItems):
        yield {}, TextFields(items)
        return
    for key in label_keys(items):
        yield {"label_key": key}, LabelFields(items, key)


def _with_labels(result: Result, names: tuple[str, ...]) -> Result:
    """Add the class names to a result whose list has one entry per class."""
    parameters = dict(result.parameters) | {"labels": list(names)}
    return Result(parameters=parameters, value=result.value, left_out=result.left_out)


OUTPUT = "output"
"""Parameter of a result that names one of several outputs."""


def results(
    output: Any, parameters: Mapping[str, Any], left_out: Mapping[str, int]
) -> list[Result]:
    """Return a result for each output of a module.

    A table gives a result for each key; keys of nested tables follow after a dot. Numbers that are
    not finite are undefined, or null in lists.

    Parameters
    ----------
    output : object
        Output: a number, string, array, list, or a table of these.
    parameters : mapping
        Parameters of every result.
    left_out : mapping of str to int
        Number of excluded items by missing field.

    Examples
    --------
    >>> found = results({"PER": {"f1": 0.5}, "accuracy": float("nan")}, {}, {})
    >>> [(one.parameters["output"], one.value) for one in found]
    [('PER.f1', 0.5), ('accuracy', Undefined(reason='the module computes nan'))]
    """
    found = []
    for path, value in _flat(output):
        named = dict(parameters) | ({OUTPUT: path} if path else {})
        found.append(Result(parameters=named, value=_value(value), left_out=left_out))
    return found


def is_table(result: Result) -> bool:
    """Return True if the value of a result is a list or table."""
    return isinstance(result.value, (list, dict))


def _flat(output: Any, above: str = "") -> Iterator[tuple[str, Any]]:
    if isinstance(output, Mapping) and output:
        for key, value in output.items():
            yield from _flat(value, f"{above}.{key}" if above else str(key))
    elif _holds_tables(output):
        for index, value in enumerate(output):
            yield from _flat(value, f"{above}.{index}" if above else str(index))
    else:
        yield above, output


def _holds_tables(output: Any) -> bool:
    return isinstance(output, (list, tuple)) and any(isinstance(part, Mapping) for part in output)


def _value(value: Any) -> Any:
    if hasattr(value, "item") and getattr(value, "shape", None) == ():
        value = value.item()
    if value is None:
        return Undefined("the module computes none")
    if isinstance(value, float) and not math.isfinite(value):
        return Undefined(f"the module computes {value}")
    if isinstance(value, bool) or is_number(value):
        return value
    try:
        return as_json(_with_nulls(value), "value")
    except ReportError:
        return Failed(
            f"expected numbers, texts, lists or tables of a module, found {short_repr(value)}"
        )


def _with_nulls(value: Any) -> Any:
    """Replace numbers that are not finite by None."""
    if hasattr(value, "tolist"):  # an array of NumPy, PyTorch or pandas
        value = value.tolist()
    if isinstance(value, Mapping):
        return {str(key): _with_nulls(each) for key, each in value.items()}
    if isinstance(value, (list, tuple)):
        return [_with_nulls(each) for each in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
