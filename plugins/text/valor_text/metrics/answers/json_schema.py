"""JSONSchema: whether a response is JSON that keeps to a schema."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from jsonschema import SchemaError as InvalidSchema
from jsonschema.validators import Draft202012Validator, validator_for
from referencing import Registry

from valor_core import ItemScore
from valor_core.errors import ParameterError
from valor_core.schemas.text import TextBatch
from valor_text.counting.json_text import JSONFields, NoJSON, unfenced
from valor_text.parameters.answers import JSONSchemaParameters

_MOST_ERRORS = 20


def score(
    batch: TextBatch, parameters: JSONSchemaParameters, resources: Mapping[str, Any]
) -> list[ItemScore]:
    """Whether the response of each item is JSON that a schema allows.

    Parameters
    ----------
    batch : TextBatch
        Items with a response.
    parameters : JSONSchemaParameters
        The schema, and where the JSON may be.
    resources : mapping
        None are used.

    Returns
    -------
    list of ItemScore
        1 or 0. The details of 0 are what the ``response`` is instead of JSON, or the ``errors``,
        at most 20, each with its path.

    Raises
    ------
    ParameterError
        If the schema is none.
    """
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
    return [_scored(text, validator, fenced=parameters.fenced) for text in batch.responses.tolist()]


def _scored(text: str, validator: Any, *, fenced: bool) -> ItemScore:
    try:
        read = unfenced(text) if fenced else text
        JSONFields.of(read)
    except NoJSON as error:
        return ItemScore(0.0, {"response": f"expected JSON, {error}"})
    errors = sorted(validator.iter_errors(json.loads(read)), key=lambda one: one.json_path)
    told = [f"{one.json_path}: {one.message}" for one in errors[:_MOST_ERRORS]]
    return ItemScore(0.0, {"errors": told}) if told else ItemScore(1.0)
