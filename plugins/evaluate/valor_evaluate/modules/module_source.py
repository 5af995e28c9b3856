"""Sources: which field of an item feeds a column of a module, told by the column's name."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from attrs import frozen

from valor_core.errors import ParameterError, SchemaError, did_you_mean, shown
from valor_evaluate.modules.stored_items import METADATA, TEXT_COLUMNS

UID = "uid"
GROUNDTRUTHS = "groundtruths"
PREDICTIONS = "predictions"

ANSWER_START = "answer_start"
"""Where in the first context each reference begins; -1 where it does not occur."""

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
_KNOWN = {
    "text": (*TEXT_COLUMNS, UID, ANSWER_START),
    "classification": (GROUNDTRUTHS, PREDICTIONS, UID),
}


@frozen
class Sources:
    """What feeds the columns of a module.

    Parameters
    ----------
    chosen : mapping of str to object
        Fields or numbers by the path of the column, where somebody chose them.

    Examples
    --------
    >>> sources = Sources({"predictions2": "metadata.other"})
    >>> [sources.of(path, "text") for path in ("references.id", "predictions2", "weight")]
    ['uid', 'metadata.other', 'metadata.weight']
    """

    chosen: Mapping[str, Any]

    def of(self, path: str, task: str) -> Any:
        """The field of an item, or the number, that feeds a column.

        Parameters
        ----------
        path : str
            Name of the column, those of the tables around it before it: ``"references.id"``.
        task : str
            The task of the items.

        Raises
        ------
        SchemaError
            If somebody chose a field that items of the task have not.
        """
        if path in self.chosen:
            return self._checked(path, task)
        names = _OF_TEXT if task == "text" else _OF_CLASSES
        top, _, leaf = path.rpartition(".")
        if leaf == "label" and top:
            leaf = top.partition(".")[0]
        return names.get(leaf, f"{METADATA}{leaf}")

    def _checked(self, path: str, task: str) -> Any:
        """What somebody chose, if the items of the task have it."""
        source = self.chosen[path]
        is_field = isinstance(source, str) and not source.startswith(METADATA)
        if is_field and source not in _KNOWN[task]:
            raise SchemaError(
                f"columns.{path}: expected a field of items of {task}, got {shown(source)}",
                f"It is one of: {', '.join(_KNOWN[task])}, {METADATA}NAME.",
            )
        return source

    def takes(self, path: str) -> bool:
        """Whether something is known to feed a column: by its name, or since somebody chose it."""
        return path in self.chosen or path in _OF_TEXT

    def fields(self, paths: Iterable[str]) -> set[str]:
        """The fields that have to be kept of an item, whatever its task is."""
        found: set[Any] = set()
        for path in paths:
            chosen = self.chosen.get(path)
            found |= {chosen} if path in self.chosen else {self.of(path, task) for task in _KNOWN}
        if ANSWER_START in found:
            found |= {"references", "contexts"}
        return {
            source
            for source in found
            if isinstance(source, str) and (source in TEXT_COLUMNS or source.startswith(METADATA))
        }

    def check(self, paths: Iterable[str]) -> None:
        """Refuse columns that a module has not, and fields that no item has.

        Raises
        ------
        ParameterError
            With those that there are.
        """
        paths = [*paths]
        known = [*dict.fromkeys(name for names in _KNOWN.values() for name in names)]
        for path, source in self.chosen.items():
            if path not in paths:
                raise ParameterError(
                    f"columns: expected a column of the module, got {path!r}",
                    did_you_mean(path, paths) or f"It has: {', '.join(paths)}.",
                )
            is_number = isinstance(source, (int, float))
            is_field = isinstance(source, str) and (
                source in known or (len(source) > len(METADATA) and source.startswith(METADATA))
            )
            if not (is_number or is_field):
                remedy = did_you_mean(source, known) if isinstance(source, str) else None
                raise ParameterError(
                    f"columns.{path}: expected a field of an item or a number, got {shown(source)}",
                    remedy or f"It is one of: {', '.join(known)}, {METADATA}NAME.",
                )
