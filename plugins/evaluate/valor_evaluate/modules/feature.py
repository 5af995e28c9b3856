"""Features: declared column types of a module."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from valor_core.errors import SchemaError, shown

Kind = str
"""``"text"``, ``"whole"``, ``"number"``, ``"truth"``, ``"list"``, ``"table"`` or ``"image"``."""

_KINDS = {"s": "text", "i": "whole", "u": "whole", "f": "number", "b": "truth", "d": "number"}
_LISTS = frozenset({"List", "LargeList", "Sequence"})


def kind_of(feature: Any) -> Kind:
    """Return the kind of column that a feature declares.

    Raises
    ------
    SchemaError
        If no item can have it, such as audio.

    Examples
    --------
    >>> kind_of({"id": None, "prediction_text": None})
    'table'
    """
    if isinstance(feature, Mapping):
        return "table"
    name = type(feature).__name__
    if name in _LISTS or isinstance(feature, list):
        return "list"
    if name == "ClassLabel":
        return "whole"
    if name == "Value":
        kind = _KINDS.get(feature.dtype.removeprefix("large_")[:1])
        if kind is not None and not feature.dtype.startswith(("date", "duration")):
            return kind
    if name == "Image":
        return "image"
    raise SchemaError(f"columns: expected text, numbers, labels, lists or tables, got {feature}")


def element_of(feature: Any) -> Any:
    """Return the feature of the elements of a list."""
    return feature[0] if isinstance(feature, list) else feature.feature


def leaves(
    table: Mapping[str, Any], whole: Collection[str] = (), above: str = ""
) -> Iterator[tuple[str, Any]]:
    """Yield path and feature of the columns of a table, including those of nested tables.

    Parameters
    ----------
    table : mapping of str to feature
        Table.
    whole : collection of str
        Paths of tables that are not split.

    Examples
    --------
    >>> dict(leaves({"references": {"id": 1, "answers": {"text": 2}}}))
    {'references.id': 1, 'references.answers.text': 2}
    """
    for name, feature in table.items():
        path = f"{above}{name}"
        if isinstance(feature, Mapping) and path not in whole:
            yield from leaves(feature, whole, f"{path}.")
        else:
            yield path, feature


def are_labels(feature: Any) -> bool:
    """Return True for a list of labels, such as a tag for each word."""
    return "label" in str(getattr(element_of(feature), "id", "") or "")


def narrowed(values: Any, feature: Any) -> Any:
    """Round numbers, also in nested lists, to the precision that a feature declares."""
    if isinstance(values, list):
        return [narrowed(each, feature) for each in values]
    if isinstance(values, dict):
        return {name: narrowed(each, feature[name]) for name, each in values.items()}
    while kind_of(feature) == "list":
        feature = element_of(feature)
    if isinstance(values, float) and feature.dtype in ("float32", "float16"):
        return float(np.dtype(feature.dtype).type(values))
    return values


def as_array(values: list[Any], feature: Any) -> NDArray[Any]:
    """Return a column as an array, with the dtype of its feature, if given."""
    dtype = getattr(feature, "dtype", None)
    is_declared = dtype is not None and kind_of(feature) in ("whole", "number")
    return np.array(values, dtype=dtype if is_declared else None)


def from_json(value: Any, feature: Any) -> Any:
    """Validate a value parsed from JSON against a feature.

    Raises
    ------
    SchemaError
        If the value has another type.

    Examples
    --------
    >>> from_json({"id": "q1"}, {"uid": "a feature"})
    Traceback (most recent call last):
        ...
    valor_core.errors.SchemaError: expected a table of uid, found {'id': 'q1'}
    """
    kind = kind_of(feature)
    if kind == "list" and isinstance(value, list):
        return [from_json(each, element_of(feature)) for each in value]
    if kind == "table" and isinstance(value, dict) and value.keys() == feature.keys():
        return {name: from_json(value[name], feature[name]) for name in feature}
    if kind == "image" and isinstance(value, list):
        return _image(value)
    is_bool = isinstance(value, bool)
    if kind == "text" and isinstance(value, str):
        return value
    if kind == "whole" and isinstance(value, int) and not is_bool:
        return value
    if kind == "number" and isinstance(value, (int, float)) and not is_bool:
        return float(value)
    if kind == "truth" and is_bool:
        return value
    raise SchemaError(f"expected {words(feature)}, found {shown(value)}")


def _image(rows: list[Any]) -> NDArray[Any]:
    try:
        image = np.array(rows)
    except ValueError:
        image = np.empty(0, object)
    if image.ndim < 2 or image.dtype.kind not in "iu":
        raise SchemaError(f"expected {words(None, 'image')}, found {shown(rows)}")
    return image


def words(feature: Any, kind: Kind = "") -> str:
    """Return a description of a feature that follows "expected"."""
    kind = kind or kind_of(feature)
    if kind == "list":
        return f"a list, each of it {words(element_of(feature))}"
    if kind == "table":
        return f"a table of {', '.join(feature)}"
    return {
        "text": "a text",
        "whole": "a whole number",
        "number": "a number",
        "truth": "true or false",
        "image": "an image, as rows of whole numbers",
    }[kind]
