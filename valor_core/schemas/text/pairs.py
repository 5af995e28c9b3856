"""Convert a list of references and a list of responses to a batch.

Lists printed into one string, such as ``"['a', 'b']"``, are kept as one text with a warning.
"""

from __future__ import annotations

import json
import re
from ast import literal_eval
from collections.abc import Mapping, Sequence
from typing import Any

from valor_core.errors import SchemaError, short_repr
from valor_core.schemas.datum import Datums
from valor_core.schemas.text.batch import TextBatch


def text_pair(references: Any, responses: Any) -> TextBatch | None:
    """Return the batch of references and responses, or None if they are not texts.

    Examples
    --------
    >>> next(text_pair([["Paris", "in Paris"]], ["Paris"]).items()).references
    ('Paris', 'in Paris')
    """
    sides = [_cells_of(side) for side in (references, responses)]
    _check_texts(sides)
    if None in sides or not all(isinstance(cell, str) for cell in sides[1] or ()):
        return None
    true, texts = sides[0] or [], sides[1] or []
    if not all(are_texts(cell) for cell in true):
        return None
    if len(true) != len(texts):
        raise SchemaError(
            f"references and responses: expected one length, got {len(true):,} and {len(texts):,}"
        )
    no_queries: list[Any] = [None] * len(texts)
    no_texts: list[Any] = [()] * len(texts)
    positions = printed_lists("references", true, texts)
    warnings = noted_lists({"references": [("references", position) for position in positions]})
    datums = Datums.numbers(len(texts))
    return TextBatch(datums, no_queries, texts, text_tuples(true), no_texts, no_texts, **warnings)


def _check_texts(sides: Sequence[list[Any] | None]) -> None:
    """Raise a `SchemaError` for a cell without text if its side contains texts."""
    if None in sides or len({len(side or ()) for side in sides}) > 1:
        return
    if not all(any(isinstance(cell, str) for cell in side or ()) for side in sides):
        return
    for name, side in zip(("references", "responses"), sides, strict=True):
        for position, cell in enumerate(side or ()):
            if isinstance(cell, str) or (name == "references" and are_texts(cell)):
                continue
            raise SchemaError(
                f"{name}[{position}]: expected a string, got {short_repr(cell)}",
                _text_of(name, position, cell),
            )


def _text_of(name: str, position: int, cell: Any) -> str:
    """Return the remedy for a cell that is not text."""
    if cell is None or (isinstance(cell, float) and cell != cell):
        return "Omit the item on both sides, or write an empty string for an empty text."
    if isinstance(cell, bytes):
        return f"Decode it: {name}[{position}].decode()"
    if isinstance(cell, (int, float)):
        return f"Convert it: str({name}[{position}])"
    return "Pass a string for each response, and a string or a list of strings for each reference."


def _cells_of(side: Any) -> list[Any] | None:
    """Return the cells of a list or of an array of objects or text, else None."""
    if isinstance(side, (list, tuple)):
        return list(side)
    # An array of numbers is not text, and may have millions of cells.
    are_numbers = getattr(getattr(side, "dtype", None), "kind", "") in tuple("iufcb")
    listed = side.tolist() if not are_numbers and hasattr(side, "tolist") else None
    return listed if isinstance(listed, list) else None


def are_texts(cell: Any) -> bool:
    """Return whether a cell is a string or a list of strings."""
    is_list = isinstance(cell, (list, tuple)) and all(isinstance(one, str) for one in cell)
    return is_list or isinstance(cell, str)


_LIST = re.compile(
    r"\s*(?:array\()?(\[(?:\s*|\s*['\"].*['\"]\s*,?\s*)\])(?:,\s*dtype=\w+)?\)?\s*", re.DOTALL
)


def printed_lists(name: str, cells: Sequence[Any], responses: Any) -> list[int]:
    """Return the positions of texts that look like a printed list of texts.

    A reference is excluded if its response looks like a list too: both are JSON or code.
    """
    found = []
    for position, cell in enumerate(cells):
        if isinstance(cell, str) and cell.lstrip()[:1] in ("[", "a") and _is_list(cell):
            response = responses[position] if name == "references" else None
            if not (isinstance(response, str) and response.lstrip()[:1] == "["):
                found.append(position)
    return found


def _is_list(text: str) -> bool:
    r"""Return whether a text is a list of texts as Python, NumPy or JSON write it.

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


def noted_lists(positions: Mapping[str, Sequence[tuple[str, int]]]) -> dict[str, Any]:
    """Return the fields of a batch that warn of texts that are printed lists."""
    descriptions = {
        f"cells of {name!r} used as one text although printed as a list; write the data as JSON "
        "Lines or Parquet to keep lists": found
        for name, found in positions.items()
        if found
    }
    return {
        "left_out": {what: len(found) for what, found in descriptions.items()},
        "first_left_out": {what: found[0] for what, found in descriptions.items()},
    }


def text_tuples(cells: list[Any]) -> list[tuple[str, ...]]:
    """Convert cells to tuples of texts; one text becomes a tuple of one, None an empty tuple."""
    kinds = set(map(type, cells))
    if kinds <= {str}:
        return list(zip(cells, strict=True))
    if kinds <= {list, tuple}:
        return list(map(tuple, cells))
    return [
        () if cell is None else tuple(cell) if isinstance(cell, (list, tuple)) else (cell,)
        for cell in cells
    ]
