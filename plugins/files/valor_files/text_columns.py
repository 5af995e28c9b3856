"""Detection of tables of texts by the column names of other programs.

The reader accepts the column names of the schema, Ragas and DeepEval without configuration. Other
common names, such as ``answer``, are ambiguous, so detection maps them in the config, where users
can change them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Final

from valor_files.detect import Detected, column_called, first_rows, named_source
from valor_files.tables import Table, TableSource
from valor_files.text_rows import answer_texts, fields_of

_CLEAR: Final[Mapping[str, Sequence[str]]] = {
    "references": ("ground_truth", "ground_truths", "expected", "expected_answer", "gold_answer"),
    "query": ("question",),
    "contexts": ("context",),
    "uid": ("id", "item_id", "question_id", "doc_id"),
}
"""Names that are unambiguous if the table has a column of responses."""

_GUESSED: Final[Mapping[str, Sequence[str]]] = {
    "response": (
        *("prediction", "predictions", "answer", "output", "response.output", "filtered_resps"),
        *("generated_text", "generation", "completion", "model_output", "hypothesis"),
    ),
    "query": ("question", "prompt", "vars.question", "vars.input", "doc.question", "doc.query"),
    "references": (
        *_CLEAR["references"],
        *("target", "targets", "gold", "correct_answer", "answers", "answer", "label"),
    ),
    "contexts": (*_CLEAR["contexts"], "documents", "passages", "vars.context"),
    "uid": _CLEAR["uid"],
}
"""Common names of the fields, in order of preference."""

_COMPARED = ("ExactMatch", "TokenF1", "ROUGE")
"""Metrics to suggest for responses with references."""
_ONE_TEXT = ("query", "response")
_ONLY_WITH_QUERY = ("label",)


def detected(files: Sequence[TableSource]) -> Detected | None:
    """Detect a table of responses, or of queries with contexts."""
    if len(files) == 2:
        return _joined(files)
    table = first_rows(files[0]) if len(files) == 1 else None
    if table is None:
        return None
    standard = fields_of(table)
    has_response = "response" in standard
    has_texts = has_response and _holds_texts(table, standard["response"], "response")
    # Other invalid cells are a guess: if no other reader matches, this one reports the cell.
    if has_response and not has_texts and _holds_records(table, standard["response"]):
        return None
    has_query = {"query", "contexts"} <= set(standard)
    found = dict(standard) | _mapped(table, standard, _CLEAR if has_response else _GUESSED)
    is_guess = not (has_texts or has_query)
    if not has_response and not _are_enough(found):
        # cells that are numbers: the reader reports the first if no other reader matches
        is_guess, found = True, dict(standard) | _mapped(table, standard, _GUESSED, numbers=True)
    if not (has_response or has_query or _are_enough(found)):
        return None
    columns = {field: name for field, name in found.items() if field not in standard}
    data: dict[str, Any] = {"path": named_source(files[0])}
    if columns:
        data["columns"] = columns
    metrics = _COMPARED if {"response", "references"} <= set(found) else ()
    return Detected(data=data, task="text", is_guess=is_guess, metrics=metrics)


def _joined(files: Sequence[TableSource]) -> Detected | None:
    """Detect a table of references and one of responses, which share a column of uids."""
    tables = [(file, first_rows(file)) for file in files]
    for (file, truths), (other, predictions) in (tables, tables[::-1]):
        if truths is None or predictions is None:
            return None
        uid = column_called(truths, ("uid", *_CLEAR["uid"]))
        shared = [name for name in truths.names if predictions.has(name)]
        if uid not in shared:
            uid = shared[0] if len(shared) == 1 else None
        response = _field("response", predictions, uid)
        references = _field("references", truths, uid)
        if uid is None or response is None or references is None:
            continue
        if truths.has(response) and response != references:  # tables of both sides
            continue
        found = {"references": references, "query": _field("query", truths, uid)}
        sides = [fields_of(side) for side in (truths, predictions)]
        standard = {(field, name) for side in sides for field, name in side.items()}
        chosen = {"uid": uid, "response": response, **found}
        columns = {
            field: name
            for field, name in chosen.items()
            if name is not None and (field, name) not in standard
        }
        data: dict[str, Any] = {"path": named_source(file), "predictions": named_source(other)}
        data |= {"columns": columns} if columns else {}
        return Detected(data=data, task="text", metrics=_COMPARED, is_guess=True)
    return None


def _field(field: str, table: Table, uid: str | None) -> str | None:
    """Column of a field, by its standard name or another one."""
    standard = fields_of(table)
    names = [standard[field]] if field in standard else list(_GUESSED[field])
    if field == "references":
        names = [name for name in names if name not in _ONLY_WITH_QUERY]
    columns = (column_called(table, [name]) for name in names)
    return next(
        (one for one in columns if one not in (None, uid) and _holds_texts(table, one, field)), None
    )


def _are_enough(found: Mapping[str, str]) -> bool:
    """Return True for a response and another field, or for a query with contexts."""
    others = {"query", "references", "contexts"} & set(found)
    return ("response" in found and bool(others)) or {"query", "contexts"} <= others


def _mapped(
    table: Table,
    standard: Mapping[str, str],
    names: Mapping[str, Sequence[str]],
    *,
    numbers: bool = False,
) -> dict[str, str]:
    """Column of each field without a standard name; with `numbers`, also a response of numbers."""
    found: dict[str, str] = {}
    for field, written in names.items():
        if field in standard:
            continue
        for one in written:
            column = column_called(table, [one])
            has_query = "query" in standard or "query" in found
            if column is None or column in (*standard.values(), *found.values()):
                continue
            if one in _ONLY_WITH_QUERY and not has_query:
                continue
            are_numbers = numbers and field == "response" and _holds_numbers(table, column)
            if are_numbers or _holds_texts(table, column, field):
                found[field] = column
                break
    return found


def _holds_records(table: Table, column: str) -> bool:
    """Return True if a cell is an object, or a list with an item that is not a string."""
    cells = table.values(column).tolist()
    lists = [one for cell in cells if isinstance(cell, (list, tuple)) for one in cell]
    return any(isinstance(cell, Mapping) for cell in cells) or not all(
        isinstance(one, str) for one in lists
    )


def _holds_numbers(table: Table, column: str) -> bool:
    cells = table.values(column).tolist()
    return all(cell is None or isinstance(cell, (str, int, float)) for cell in cells)


def _holds_texts(table: Table, column: str, field: str) -> bool:
    """Return True if the cells fit the field: strings, lists of strings, or unique uids."""
    cells = table.values(column).tolist()
    if field == "uid":
        are_names = all(isinstance(cell, (str, int)) for cell in cells)
        return are_names and len({*map(str, cells)}) == len(cells)
    filled = [cell for cell in cells if cell is not None]
    if field == "references":
        filled = list(map(answer_texts, filled))
    lists = [cell for cell in filled if isinstance(cell, (list, tuple))]
    longest = 1 if field in _ONE_TEXT else None
    if any(longest is not None and len(cell) > longest for cell in lists):
        return False
    texts = [one for cell in lists for one in cell]
    texts += [cell for cell in filled if not isinstance(cell, (list, tuple))]
    return all(isinstance(text, str) for text in texts)
