"""Batches of text from two lists, references and responses.

Lists printed into one string, such as ``"['a', 'b']"``, are kept as one text with a warning.
"""

from __future__ import annotations

import json
import re
from ast import literal_eval
from collections.abc import Mapping, Sequence
from typing import Any

from valor_core.errors import SchemaError, shown
from valor_core.schemas.datum import Datums
from valor_core.schemas.text.batch import TextBatch


def text_pair(references: Any, responses: Any) -> TextBatch | None:
    """References, a text or a list of texts for each item, and responses; None for what is neither.

    Examples
    --------
    >>> next(text_pair([["Paris", "in Paris"]], ["Paris"]).items()).references
    ('Paris', 'in Paris')
    """
    sides = [_cells_of(side) for side in (references, responses)]
    _check_texts(sides)
    if None in sides or not all(isinstance(cell, str) for cell in sides[1] or ()):
        return None
    true, seen = sides[0] or [], sides[1] or []
    if not all(are_texts(cell) for cell in true):
        return None
    if len(true) != len(seen):
        raise SchemaError(
            f"references and responses: expected as many, got {len(true):,} and {len(seen):,}"
        )
    nothing: list[Any] = [None] * len(seen)
    lists: list[Any] = [()] * len(seen)
    places = printed_lists("references", true, seen)
    noted = noted_lists({"references": [("references", place) for place in places]})
    datums = Datums.numbers(len(seen))
    return TextBatch(datums, nothing, seen, text_tuples(true), lists, lists, **noted)


def _check_texts(sides: Sequence[list[Any] | None]) -> None:
    """Raise a `SchemaError` for a cell that is no text in a side that has texts."""
    if None in sides or len({len(side or ()) for side in sides}) > 1:
        return
    if not all(any(isinstance(cell, str) for cell in side or ()) for side in sides):
        return
    for name, side in zip(("references", "responses"), sides, strict=True):
        for place, cell in enumerate(side or ()):
            if isinstance(cell, str) or (name == "references" and are_texts(cell)):
                continue
            raise SchemaError(
                f"{name}[{place}]: expected a string, got {shown(cell)}",
                _text_of(name, place, cell),
            )


def _text_of(name: str, place: int, cell: Any) -> str:
    """The remedy for a cell that is not text."""
    if cell is None or (isinstance(cell, float) and cell != cell):
        return "Leave the item out on both sides, or write an empty string for an empty text."
    if isinstance(cell, bytes):
        return f"Decode it: {name}[{place}].decode()"
    if isinstance(cell, (int, float)):
        return f"Convert it: str({name}[{place}])"
    return "Pass a string for each response, and a string or a list of strings for each reference."


def _cells_of(side: Any) -> list[Any] | None:
    """The cells of a list or of an array of objects or text."""
    if isinstance(side, (list, tuple)):
        return list(side)
    # an array of numbers is no text, and may have millions of them
    are_numbers = getattr(getattr(side, "dtype", None), "kind", "") in tuple("iufcb")
    listed = side.tolist() if not are_numbers and hasattr(side, "tolist") else None
    return listed if isinstance(listed, list) else None


def are_texts(cell: Any) -> bool:
    """Whether a cell is one string or a list of strings."""
    is_list = isinstance(cell, (list, tuple)) and all(isinstance(one, str) for one in cell)
    return is_list or isinstance(cell, str)


_LIST = re.compile(
    r"\s*(?:array\()?(\[(?:\s*|\s*['\"].*['\"]\s*,?\s*)\])(?:,\s*dtype=\w+)?\)?\s*", re.DOTALL
)


def printed_lists(name: str, cells: Sequence[Any], responses: Any) -> list[int]:
    """Positions of texts that are a printed list of texts.

    References that are lists like their responses are not among them: both are JSON or code.
    """
    found = []
    for place, cell in enumerate(cells):
        if isinstance(cell, str) and cell.lstrip()[:1] in ("[", "a") and _is_list(cell):
            response = responses[place] if name == "references" else None
            if not (isinstance(response, str) and response.lstrip()[:1] == "["):
                found.append(place)
    return found


def _is_list(text: str) -> bool:
    r"""Whether a text is a list of texts as Python, NumPy or JSON write it.

    Examples
    --------
    >>> [_is_list(text) for text in ("['a', 'b']", '["a"]', "['a'\n 'b']", "[1, 2]", "['a'] [b]")]
    [True, True, True, False, False]
    """
    match = _LIST.fullmatch(text)
    if match is None:
        return False
    try:
        value = json.loads(match[1])
    except (ValueError, RecursionError):
        try:
            value = literal_eval(match[1])
        except (ValueError, SyntaxError, MemoryError, RecursionError):
            return False
    return isinstance(value, list) and all(isinstance(one, str) for one in value)


def noted_lists(places: Mapping[str, Sequence[tuple[str, int]]]) -> dict[str, Any]:
    """The warnings of a batch about texts that are printed lists."""
    told = {
        f"cells of {name!r} used as one text although printed as a list; write the data as JSON "
        "Lines or Parquet to keep lists": found
        for name, found in places.items()
        if found
    }
    return {
        "left_out": {what: len(found) for what, found in told.items()},
        "first_left_out": {what: found[0] for what, found in told.items()},
    }


def text_tuples(cells: list[Any]) -> list[tuple[str, ...]]:
    """Lists of texts; one text is a list of one, nothing an empty list."""
    kinds = set(map(type, cells))
    if kinds <= {str}:
        return list(zip(cells, strict=True))
    if kinds <= {list, tuple}:
        return list(map(tuple, cells))
    return [
        () if cell is None else tuple(cell) if isinstance(cell, (list, tuple)) else (cell,)
        for cell in cells
    ]
