"""Module: a module of Hugging Face `evaluate` as a metric."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from attrs import field, frozen

from valor_core.errors import ParameterError, ValorError
from valor_core.parameters import changed_parameters
from valor_core.results import Failed, Result, Undefined
from valor_core.states import StateRequest
from valor_evaluate.modules.loaded_module import LoadedModule, find, load
from valor_evaluate.modules.module_inputs import all_columns, inputs
from valor_evaluate.modules.module_source import Sources
from valor_evaluate.modules.outputs import is_table, results
from valor_evaluate.modules.record_fields import ItemFields, LabelFields, TextFields, label_keys
from valor_evaluate.modules.script import Script
from valor_evaluate.modules.stored_items import Items, KeptItems, TextItems
from valor_evaluate.parameters import ModuleParameters

_NOT_SHAPING = ("module", "allow_code", "revision")
"""Parameters that results have otherwise, or that change none."""


@frozen
class ModuleMetric:
    """A module of Hugging Face `evaluate`, computed from Valor's items.

    The items' fields feed the module's columns, in the order of the items' names: the same items
    give the same numbers in whatever order and parts they arrive. Where the module takes whole
    numbers, classes are numbered. The module's own code computes, called with a fixed seed.

    Every output of the module is a result. Those of classified items are told apart by label key.
    An item that lacks a field which the module needs is left out and counted.
    """

    parameters: ModuleParameters
    script: Script = field(init=False)

    def __attrs_post_init__(self) -> None:
        own = self.parameters
        if not own.allow_code:
            raise ParameterError(
                f"allow_code: expected true before the code of the module {own.module.as_posix()} "
                "is executed, got false",
                "If you trust it, write: allow_code: true",
                "hf.Module: ",
            )
        try:
            object.__setattr__(self, "script", find(own.module, own.revision))
            module = self._module
            columns = all_columns(module, own)
            Sources(own.columns).check((*columns, *module.options))
            module.check_options(own.options, columns)
        except ParameterError as error:
            raise error.at("hf.Module: ") from error.__cause__

    @property
    def _module(self) -> LoadedModule:
        return load(self.script, self.parameters.config_name)

    def needs(self) -> tuple[StateRequest, ...]:
        """The fields of the items that the module's columns are fed by."""
        paths = all_columns(self._module, self.parameters)
        fields = Sources(self.parameters.columns).fields(paths)
        return (StateRequest(KeptItems, union={"fields": fields}),)

    def compute(self, state: KeptItems) -> Iterator[Result]:
        """A result for each output of the module, and for each label key of classified items."""
        items = state.items
        if items is None:
            yield Result(parameters=self._shaped(), value=Undefined("no items"))
            return
        for coordinates, fields in _groups(items):
            yield from self._computed(coordinates | self._shaped(), fields)

    def _shaped(self) -> dict[str, Any]:
        """What tells the results from those of another choice, or of other code."""
        named = {"module": self.script.name, "script": self.script.digest}
        return named | changed_parameters(self.parameters, *_NOT_SHAPING)

    def _computed(self, parameters: dict[str, Any], fields: ItemFields) -> list[Result]:
        module, own = self._module, self.parameters
        try:
            read = inputs(module, fields, own)
            if not read.columns:
                reason = Undefined("no items with all that the module needs")
                return [Result(parameters=parameters, value=reason, left_out=read.left_out)]
            options = dict(own.options)
            if read.codes is not None:
                options = read.codes.in_options(options)
            output = module.compute(own.seed, read.columns, options)
        except ValorError as error:
            return [Result(parameters=parameters, value=Failed(error.one_line))]
        found = results(output, parameters, read.left_out)
        if read.codes is None or not read.codes.names:
            return found
        return [_with_labels(one, read.codes.names) if is_table(one) else one for one in found]


def _groups(items: Items) -> Iterator[tuple[dict[str, Any], ItemFields]]:
    """The items that a module computes from together: all of text, those of each label key."""
    if isinstance(items, TextItems):
        yield {}, TextFields(items)
        return
    for key in label_keys(items):
        yield {"label_key": key}, LabelFields(items, key)


def _with_labels(result: Result, names: tuple[str, ...]) -> Result:
    """A result that says which classes the numbers in a list may be of."""
    parameters = dict(result.parameters) | {"labels": list(names)}
    return Result(parameters=parameters, value=result.value, left_out=result.left_out)
