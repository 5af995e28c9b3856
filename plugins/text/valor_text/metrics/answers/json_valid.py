"""JSONValid: whether a response is JSON."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from valor_core import ItemScore
from valor_core.schemas.text import TextBatch
from valor_text.counting.json_text import JSONFields, NoJSON, unfenced
from valor_text.parameters.answers import JSONValidParameters


def score(
    batch: TextBatch, parameters: JSONValidParameters, resources: Mapping[str, Any]
) -> list[ItemScore]:
    """Whether the response of each item is JSON.

    Parameters
    ----------
    batch : TextBatch
        Items with a response.
    parameters : JSONValidParameters
        Where the JSON may be.
    resources : mapping
        None are used.

    Returns
    -------
    list of ItemScore
        1 or 0; the details of 0 say under ``response`` where reading stopped. As in JSONMatch,
        NaN, a key twice in an object and values more than 100 deep are no JSON.
    """
    return [_scored(text, fenced=parameters.fenced) for text in batch.responses.tolist()]


def _scored(text: str, *, fenced: bool) -> ItemScore:
    try:
        JSONFields.of(unfenced(text) if fenced else text)
    except NoJSON as error:
        return ItemScore(0.0, {"response": f"expected JSON, {error}"})
    return ItemScore(1.0)
