"""JSONMatch: whether a response is the JSON value of a reference, and how many of its fields."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping
from decimal import Decimal
from functools import cache
from typing import Any

from attrs import frozen

from valor_core import Failed, ItemScore
from valor_core.results import NoScore
from valor_core.schemas.text import TextBatch
from valor_text.counting.json_text import JSONFields, NoJSON, Tolerance, unfenced
from valor_text.normalisers import normalise
from valor_text.parameters.answers import JSONMatchParameters

_MOST_TOLD = 20


def score(
    batch: TextBatch, parameters: JSONMatchParameters, resources: Mapping[str, Any]
) -> list[ItemScore]:
    """Whether the response of each item is the value of a reference, and F1 of their fields.

    A field is right if its path and its value are those of the reference. Numbers are compared by
    value, ``1`` and ``1.0`` are equal, within the tolerances; ``true`` is no number.

    Parameters
    ----------
    batch : TextBatch
        Items with a response and references.
    parameters : JSONMatchParameters
        What counts as equal.
    resources : mapping
        None are used.

    Returns
    -------
    list of ItemScore
        ``match`` is 1 or 0; ``precision``, ``recall`` and ``f1`` are of the fields, missing and
        extra ones counted, in [0, 1], of the reference with the best F1. All are 0 where the
        response is no JSON. Failed where a reference is none. The details have the paths of
        fields that are ``missing``, ``extra`` or ``wrong``, at most 20 of each, or what the
        ``response`` is.
    """
    reading = Reading(parameters)
    items = zip(batch.responses.tolist(), batch.references.tolist(), strict=True)
    return [_scored(reading.compared(said, wanted)) for said, wanted in items]


@frozen
class Compared:
    """A response beside the reference that is nearest to it.

    Parameters
    ----------
    response : JSONFields or str
        Its fields, or what it is instead of JSON.
    reference : JSONFields
        The fields of the reference.
    """

    response: JSONFields | str
    reference: JSONFields

    @property
    def right(self) -> Counter[str]:
        """How many fields are right, by path."""
        if isinstance(self.response, str):
            return Counter()
        common = JSONFields(self.response.leaves & self.reference.leaves, None)
        return common.paths

    @property
    def is_match(self) -> bool:
        """Whether the values are equal."""
        return not isinstance(self.response, str) and self.response.whole == self.reference.whole

    @property
    def f1(self) -> float:
        """F1 of the fields."""
        said = 0 if isinstance(self.response, str) else self.response.count
        return 2 * self.right.total() / (said + self.reference.count)


@frozen
class Reading:
    """How responses and references are read.

    Parameters
    ----------
    parameters : JSONMatchParameters
        What counts as equal.
    """

    parameters: JSONMatchParameters

    def compared(self, response: str, references: tuple[str, ...]) -> Compared | Failed:
        """A response beside its best reference, by match, then by F1; the first of equals."""
        said: JSONFields | str
        try:
            said = self._fields(unfenced(response) if self.parameters.fenced else response)
        except NoJSON as error:
            said = str(error)
        known = []
        for place, reference in enumerate(references):
            try:
                known.append(self._beside(said, self._fields(reference)))
            except NoJSON as error:
                return Failed(f"references[{place}]: expected JSON, {error}")
        return max(known, key=lambda one: (one.is_match, one.f1))

    def _beside(self, said: JSONFields | str, wanted: JSONFields) -> Compared:
        chosen = self.parameters
        if isinstance(said, str) or not (chosen.absolute or chosen.relative):
            return Compared(said, wanted)
        tolerance = Tolerance(*(Decimal(repr(one)) for one in (chosen.absolute, chosen.relative)))
        rename = _renaming(chosen.normaliser)
        return Compared(said.near(wanted, tolerance, ordered=chosen.ordered, rename=rename), wanted)

    def _fields(self, text: str) -> JSONFields:
        rename = _renaming(self.parameters.normaliser)
        return JSONFields.of(text, ordered=self.parameters.ordered, rename=rename)


@cache
def _renaming(normaliser: str) -> Callable[[str], str]:
    return lambda text: normalise([text], normaliser)[0]


def _scored(compared: Compared | Failed) -> ItemScore:
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
    """Paths of the reference alone, of the response alone, and of both with other values."""
    said, wanted = said - right, wanted - right
    found = {"missing": wanted - said, "extra": said - wanted, "wrong": said & wanted}
    return {name: sorted(paths)[:_MOST_TOLD] for name, paths in found.items() if paths}
