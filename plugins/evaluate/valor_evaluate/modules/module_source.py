"""Sources: the field of an item that feeds each column of a module."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from attrs import frozen

from valor_core.errors import ParameterError, SchemaError, did_you_mean, short_repr
from valor_evaluate.modules.stored_items import METADATA, TEXT_COLUMNS

UID = "uid"
GROUNDTRUTHS = "groundtruths"
PREDICTIONS = "predictions"

ANSWER_START = "answer_start"
"""Offset of each reference in the first context, -1 if it does not occur."""

_PREDICTED = (
    "predictions",
    "prediction",
    "prediction_text",
    "predictions1",
    "prediction_scores",
    "data",
    "X",
)
_TRUE = ("references", "reference", "answers", "text")

_OF_TEXT: Mapping[str, str] = {
    **dict.fromkeys(_PREDICTED, "response"),
    **dict.fromkeys(_TRUE, "references"),
    **dict.fromkeys(("sources", "source", "query"), "query"),
    "id": UID,
    "evidence": "contexts",
    "evidence_sets": "reference_contexts",
    ANSWER_START: ANSWER_START,
}
_OF_CLASSES: Mapping[str, str] = {
    **dict.fromkeys(_PREDICTED, PREDICTIONS),
    **dict.fromkeys(_TRUE, GROUNDTRUTHS),
    "data": GROUNDTRUTHS,
    "id": UID,
}
_FIELDS = {
    "text": (*TEXT_COLUMNS, UID, ANSWER_START),
    "classification": (GROUNDTRUTHS, PREDICTIONS, UID),
}


@frozen
class Sources:
    """Source of each column of a module.

    Parameters
    ----------
    chosen : mapping of str to object
        Fields or numbers that the user set, by path of the column.

    Examples
    --------
    >>> sources = Sources({"predictions2": "metadata.other"})
    >>> [sources.of(path, "text") for path in ("references.id", "predictions2", "weight")]
    ['uid', 'metadata.other', 'metadata.weight']
    """

    chosen: Mapping[str, Any]

    def of(self, path: str, task: str) -> Any:
        """Return the field of an item, or the number, that feeds a column.

        Parameters
        ----------
        path : str
            Name of the column, after the names of its tables: ``"references.id"``.
        task : str
            Task of the items.

        Raises
        ------
        SchemaError
            If the user set a field that items of the task do not have.
        """
        if path in self.chosen:
            return self._checked(path, task)
        names = _OF_TEXT if task == "text" else _OF_CLASSES
        top, _, leaf = path.rpartition(".")
        if leaf == "label" and top:
            leaf = top.partition(".")[0]
        return names.get(leaf, f"{METADATA}{leaf}")

    def _checked(self, path: str, task: str) -> Any:
        """Return the source that the user set, if items of the task have it."""
        source = self.chosen[path]
        is_field = isinstance(source, str) and not source.startswith(METADATA)
        if is_field and source not in _FIELDS[task]:
            raise SchemaError(
                f"columns.{path}: expected a field of items of {task}, got {short_repr(source)}",
                f"It is one of: {', '.join(_FIELDS[task])}, {METADATA}NAME.",
            )
        return source

    def takes(self, path: str) -> bool:
        """Return True if a column has a source: by its name, or set by the user."""
        return path in self.chosen or path in _OF_TEXT

    def fields(self, paths: Iterable[str]) -> set[str]:
        """Return the fields to store for each item, for any task."""
        found: set[Any] = set()
        for path in paths:
            chosen = self.chosen.get(path)
            found |= {chosen} if path in self.chosen else {self.of(path, task) for task in _FIELDS}
        if ANSWER_START in found:
            found |= {"references", "contexts"}
        return {
            source
            for source in found
            if isinstance(source, str) and (source in TEXT_COLUMNS or source.startswith(METADATA))
        }

    def check(self, paths: Iterable[str]) -> None:
        """Reject unknown columns and fields.

        Raises
        ------
        ParameterError
            With the valid names.
        """
        paths = [*paths]
        valid = [*dict.fromkeys(name for names in _FIELDS.values() for name in names)]
        for path, source in self.chosen.items():
            if path not in paths:
                raise ParameterError(
                    f"columns: expected a column of the module, got {path!r}",
                    did_you_mean(path, paths) or f"It has: {', '.join(paths)}.",
                )
            is_number = isinstance(source, (int, float))
            is_field = isinstance(source, str) and (
                source in valid or (len(source) > len(METADATA) and source.startswith(METADATA))
            )
            if not (is_number or is_field):
                remedy = did_you_mean(source, valid) if isinstance(source, str) else None
                raise ParameterError(
                    f"columns.{path}: expected a field of an item or a number, "
                    f"got {short_repr(source)}",
                    remedy or f"It is one of: {', '.join(valid)}, {METADATA}NAME.",
                )
