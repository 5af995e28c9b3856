"""JSONValid, JSONSchema, JSONMatch and JSONFields: responses that are JSON."""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from decimal import Decimal
from functools import cache
from typing import Any, ClassVar

from attrs import define, frozen

from valor_core import Failed, ItemScore, Result, Undefined
from valor_core.errors import ParameterError, StateError, short_repr
from valor_core.parameters import changed_parameters, parameter_values
from valor_core.results import NoScore
from valor_core.schemas.text import TextBatch
from valor_core.states import StateContent, StateRequest, counted
from valor_text.counting.corpus import CorpusSums
from valor_text.counting.json_text import JSONValue, NoJSON, Tolerance, unfenced
from valor_text.normalisers import normalise
from valor_text.parameters.answers import (
    JSONMatchParameters,
    JSONSchemaParameters,
    JSONValidParameters,
)

_MOST_LISTED = 20  # errors or paths in the details of an item
_INDEX = re.compile(r'(\["(?:[^"\\]|\\.)*"\])|\[\d+\]')
"""Index in a list; a key that looks like one is in quotes."""


def json_valid(
    batch: TextBatch, parameters: JSONValidParameters, resources: Mapping[str, Any]
) -> list[ItemScore]:
    """Score 1 if a response is JSON, otherwise 0.

    Parameters
    ----------
    batch : TextBatch
        Items with a response.
    parameters : JSONValidParameters
        Whether the JSON may be embedded.
    resources : mapping
        Unused.

    Returns
    -------
    list of ItemScore
        1 or 0; the details of 0 have the position of the error under ``response``. As in JSONMatch,
        NaN, duplicate keys of an object, and more than 100 levels are not JSON.
    """

    def scored(text: str) -> ItemScore:
        try:
            JSONValue.of(unfenced(text) if parameters.fenced else text)
        except NoJSON as error:
            return ItemScore(0.0, {"response": f"expected JSON, {error}"})
        return ItemScore(1.0)

    return [scored(text) for text in batch.responses.tolist()]


def json_schema(
    batch: TextBatch, parameters: JSONSchemaParameters, resources: Mapping[str, Any]
) -> list[ItemScore]:
    """Score 1 if a response is JSON that a schema allows, otherwise 0.

    Parameters
    ----------
    batch : TextBatch
        Items with a response.
    parameters : JSONSchemaParameters
        Schema, and whether the JSON may be embedded.
    resources : mapping
        Unused.

    Returns
    -------
    list of ItemScore
        1 or 0. The details of 0 are the position of the error in a ``response`` that is not JSON,
        or at most 20 ``errors``, each with its path.

    Raises
    ------
    ParameterError
        If the schema is invalid.
    """
    from jsonschema import SchemaError as InvalidSchema
    from jsonschema.validators import Draft202012Validator, validator_for
    from referencing import Registry

    schema = dict(parameters.schema)
    kind = validator_for(schema, Draft202012Validator)
    try:
        kind.check_schema(schema)
    except InvalidSchema as error:
        raise ParameterError(
            f"schema must be a JSON schema, got {error.json_path}: {error.message}",
            "See the keywords at: https://json-schema.org/understanding-json-schema/reference",
        ) from error
    validator = kind(schema, registry=Registry())  # with it, references fetch nothing

    def scored(text: str) -> ItemScore:
        try:
            read = unfenced(text) if parameters.fenced else text
            JSONValue.of(read)
        except NoJSON as error:
            return ItemScore(0.0, {"response": f"expected JSON, {error}"})
        errors = sorted(validator.iter_errors(json.loads(read)), key=lambda one: one.json_path)
        listed = [f"{one.json_path}: {one.message}" for one in errors[:_MOST_LISTED]]
        return ItemScore(0.0, {"errors": listed}) if listed else ItemScore(1.0)

    return [scored(text) for text in batch.responses.tolist()]


def json_match(
    batch: TextBatch, parameters: JSONMatchParameters, resources: Mapping[str, Any]
) -> list[ItemScore]:
    """Score the match of a response with a reference, and F1 of their fields.

    A field is correct if its path and value are those of the reference. Numbers are compared by
    value within the tolerances: ``1`` and ``1.0`` are equal, ``true`` is not a number.

    Parameters
    ----------
    batch : TextBatch
        Items with a response and references.
    parameters : JSONMatchParameters
        Definition of equality.
    resources : mapping
        Unused.

    Returns
    -------
    list of ItemScore
        ``match`` is 1 or 0; ``precision``, ``recall`` and ``f1`` of the fields, in [0, 1], are
        those of the reference with the best F1. All are 0 if the response is not JSON. Failed if a
        reference is not JSON. The details have the paths of ``missing``, ``extra`` and ``wrong``
        fields, at most 20 of each, or the error in the ``response``.
    """
    comparison = _Comparison(parameters)
    items = zip(batch.responses.tolist(), batch.references.tolist(), strict=True)
    return [_scored(comparison.compared(said, wanted)) for said, wanted in items]


@frozen
class _Compared:
    """Response and its nearest reference.

    Parameters
    ----------
    response : JSONValue or str
        Value of the response, or the error if it is not JSON.
    reference : JSONValue
        Value of the reference.
    """

    response: JSONValue | str
    reference: JSONValue

    @property
    def right(self) -> Counter[str]:
        """Number of correct fields by path."""
        if isinstance(self.response, str):
            return Counter()
        common = JSONValue(self.response.leaves & self.reference.leaves, None)
        return common.paths

    @property
    def is_match(self) -> bool:
        """True if the values are equal."""
        return not isinstance(self.response, str) and self.response.whole == self.reference.whole

    @property
    def f1(self) -> float:
        """F1 of the fields."""
        said = 0 if isinstance(self.response, str) else self.response.count
        return 2 * self.right.total() / (said + self.reference.count)


@frozen
class _Comparison:
    """Comparison of responses and references by the definition of equality of the parameters."""

    parameters: JSONMatchParameters

    def compared(self, response: str, references: tuple[str, ...]) -> _Compared | Failed:
        """Return a response with its first best reference, by match, then by F1."""
        said: JSONValue | str
        try:
            said = self._fields(unfenced(response) if self.parameters.fenced else response)
        except NoJSON as error:
            said = str(error)
        candidates = []
        for number, reference in enumerate(references):
            try:
                candidates.append(self._near(said, self._fields(reference)))
            except NoJSON as error:
                return Failed(f"references[{number}]: expected JSON, {error}")
        return max(candidates, key=lambda one: (one.is_match, one.f1))

    def _near(self, said: JSONValue | str, wanted: JSONValue) -> _Compared:
        chosen = self.parameters
        if isinstance(said, str) or not (chosen.absolute or chosen.relative):
            return _Compared(said, wanted)
        tolerance = Tolerance(*(Decimal(repr(one)) for one in (chosen.absolute, chosen.relative)))
        rename = _renaming(chosen.normaliser)
        return _Compared(
            said.near(wanted, tolerance, ordered=chosen.ordered, rename=rename), wanted
        )

    def _fields(self, text: str) -> JSONValue:
        rename = _renaming(self.parameters.normaliser)
        return JSONValue.of(text, ordered=self.parameters.ordered, rename=rename)


@cache
def _renaming(normaliser: str) -> Callable[[str], str]:
    return lambda text: normalise([text], normaliser)[0]


def _scored(compared: _Compared | Failed) -> ItemScore:
    if isinstance(compared, Failed):
        return ItemScore(compared)
    right = compared.right.total()
    values: dict[str, float | NoScore] = {
        "match": float(compared.is_match),
        "f1": compared.f1,
        "precision": 0.0,
        "recall": right / compared.reference.count,
    }
    if isinstance(compared.response, str):
        return ItemScore(values, {"response": f"expected JSON, {compared.response}"})
    values["precision"] = right / compared.response.count
    return ItemScore(
        values, _faults(compared.response.paths, compared.reference.paths, compared.right)
    )


def _faults(said: Counter[str], wanted: Counter[str], right: Counter[str]) -> dict[str, list[str]]:
    """Return paths of the reference only, of the response only, and of both with other values."""
    said, wanted = said - right, wanted - right
    found = {"missing": wanted - said, "extra": said - wanted, "wrong": said & wanted}
    return {name: sorted(paths)[:_MOST_LISTED] for name, paths in found.items() if paths}


@define(kw_only=True)
class FieldSums(CorpusSums):
    """State: number of fields by path, in responses, in references, and correct.

    Parameters
    ----------
    ordered, normaliser, fenced, absolute, relative
        As in `JSONMatchParameters`.
    """

    keeps_rows: ClassVar[bool] = False

    ordered: bool
    normaliser: str
    fenced: bool
    absolute: float = 0.0
    relative: float = 0.0
    said: Counter[str] = counted(Counter)
    wanted: Counter[str] = counted(Counter)
    right: Counter[str] = counted(Counter)

    def count(self, items: TextBatch) -> tuple[dict[str, Any], None]:
        """Count the fields of items with a response and references."""
        comparison = _Comparison(
            JSONMatchParameters(
                ordered=self.ordered,
                normaliser=self.normaliser,
                fenced=self.fenced,
                absolute=self.absolute,
                relative=self.relative,
            )
        )
        texts = zip(items.responses.tolist(), items.references.tolist(), strict=True)
        for response, references in texts:
            compared = comparison.compared(response, references)
            if isinstance(compared, Failed):
                self.left_out["failed: a reference is no JSON"] += 1
                continue
            self.wanted += _anywhere(compared.reference.paths)
            self.right += _anywhere(compared.right)
            if not isinstance(compared.response, str):
                self.said += _anywhere(compared.response.paths)
        return {}, None

    def restore(self, content: StateContent) -> None:
        """Set the counts that `dump` returned.

        Raises
        ------
        StateError
            If a field is correct more often than it is in responses or references.
        """
        super().restore(content)
        for path in {*self.wanted, *self.right}:
            most = min(self.wanted[path], self.said[path])
            if self.wanted[path] < 1 or self.right[path] > most:
                raise StateError(
                    f"right: expected a field of references, right at most {most:,} times, found "
                    f"{short_repr(path)} {self.right[path]:,} times"
                )


@frozen
class JSONFields:
    """F1 of each field of the references, over all items; all indices of a list are one field.

    The value is a table of F1 by path, ``$.tags[*]``: twice the number of correct fields, divided
    by the number in all responses and references. Responses that are not JSON have no fields.

    Parameters
    ----------
    parameters : JSONMatchParameters
        Definition of equality.

    Examples
    --------
    >>> from valor_core import Text, evaluate
    >>> items = [Text("q1", response='{"a": 1, "b": 2}', references='{"a": 1, "b": 3}')]
    >>> evaluate(items, ["JSONFields"])["JSONFields"].value
    {'$.a': 1.0, '$.b': 0.0}
    """

    parameters: JSONMatchParameters

    def needs(self) -> tuple[StateRequest, ...]:
        """Request the counts of the fields."""
        return (StateRequest(FieldSums, parameter_values(self.parameters)),)

    def compute(self, state: FieldSums) -> Iterator[Result]:
        """Yield one result, F1 by path."""
        shares = {
            path: 2 * state.right[path] / (state.said[path] + count)
            for path, count in sorted(state.wanted.items())
        }
        yield Result(
            parameters=changed_parameters(self.parameters),
            value=shares or Undefined("no items with JSON references"),
            left_out=dict(sorted(state.left_out.items())),
        )


def _anywhere(paths: Counter[str]) -> Counter[str]:
    """Return the counts with a star for each index of a list."""
    found: Counter[str] = Counter()
    for path, count in paths.items():
        found[_INDEX.sub(lambda step: step[1] or "[*]", path)] += count
    return found
