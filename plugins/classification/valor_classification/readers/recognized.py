"""Recognized: which reader is for some tables of labels, told from the names of their columns."""

from __future__ import annotations

from collections.abc import Sequence

from valor_core.plugin import (
    Recognized,
    Table,
    TableSource,
    column_called,
    first_rows,
    named_source,
    renamed,
)

_TRUTH = (
    *("label", "y_true", "true_label", "ground_truth", "groundtruths", "truth", "target"),
    *("gt", "actual", "true", "class"),
)
_PREDICTION = ("prediction", "y_pred", "predicted", "predicted_label", "pred", "y_hat")
_LISTS = ("predictions", "y_pred", "prediction", "predicted")
_UID = ("uid", "id", "item_id", "image_id", "filename", "image", "file")
_SCORE = ("score", "y_score", "y_prob", "probability", "prob", "proba", "confidence")
_PREFIXES = ("score_", "prob_", "proba_", "probability_", "p_")
_NO_AND_YES = ({"0", "1"}, {"false", "true"})

_SCORED = ("Accuracy", "F1", "ROCAUC")
_UNSCORED = ("Accuracy", "Precision", "Recall", "F1")


def wide(files: Sequence[TableSource]) -> Recognized | None:
    """A true label, and a score column for each label or for the second of two."""
    table = _alike(files)
    truth = None if table is None else column_called(table, _TRUTH)
    if table is None or truth is None:
        return None
    data = _path(files) | renamed({"uid": column_called(table, _UID), "label": truth})
    for prefix in _PREFIXES:
        if any(name.startswith(prefix) for name in table.names):
            return Recognized(
                data=data | renamed({"prefix": prefix}, own=("score_",)), metrics=_SCORED
            )
    values = {str(value) for value in table.values(truth).tolist()}
    named = [name for name in table.names if name in values]
    if len(named) > 1:
        return Recognized(data=data | {"scores": named}, metrics=_SCORED)
    score = column_called(table, _SCORE)
    binary = next((both for both in _NO_AND_YES if {v.casefold() for v in values} <= both), None)
    if score is None or binary is None or column_called(table, _PREDICTION) is not None:
        return None
    labels = sorted(values | binary if values <= binary else values)
    if len(labels) != 2:
        return None
    return Recognized(data=data | {"scores": [score], "labels": labels}, metrics=_SCORED)


def predicted(files: Sequence[TableSource]) -> Recognized | None:
    """A true and a predicted label, and no scores."""
    table = _alike(files)
    if table is None or wide(files) is not None:
        return None
    truth, prediction = column_called(table, _TRUTH), column_called(table, _PREDICTION)
    if truth is None or prediction is None or _holds_lists(table, prediction):
        return None
    uid = column_called(table, _UID)
    chosen = renamed({"uid": uid, "label": truth, "prediction": prediction})
    return Recognized(data=_path(files) | chosen, metrics=_UNSCORED)


def lists(files: Sequence[TableSource]) -> Recognized | None:
    """A true label, and predictions as a list or a table of label and score."""
    table = _alike(files)
    if table is None:
        return None
    truth, predictions = column_called(table, _TRUTH), column_called(table, _LISTS)
    if truth is None or predictions is None or not _holds_lists(table, predictions):
        return None
    uid = column_called(table, _UID)
    chosen = renamed({"uid": uid, "groundtruths": truth, "predictions": predictions})
    return Recognized(data=_path(files) | chosen, metrics=("Accuracy", "ROCAUC"))


def long(files: Sequence[TableSource]) -> Recognized | None:
    """Two tables with a uid and a label in each row, one of them with scores."""
    tables = [first_rows(file) for file in files]
    if len(tables) != 2 or None in tables:
        return None
    found = [(one, column_called(one, _SCORE)) for one in tables if one is not None]
    scored = [score is not None for _, score in found]
    if sorted(scored) != [False, True]:
        return None
    (truths, _), (scores, score) = found if scored[1] else found[::-1]
    uid, label = column_called(truths, _UID), column_called(truths, _TRUTH)
    if uid is None or label is None or not (scores.has(uid) and scores.has(label)):
        return None
    names = map(named_source, files if scored[1] else reversed(files))
    places = dict(zip(("groundtruths", "predictions"), names, strict=True))
    chosen = renamed({"uid": uid, "label": label, "score": score})
    return Recognized(data=places | chosen, metrics=_SCORED)


def _alike(files: Sequence[TableSource]) -> Table | None:
    """The first rows of files with the same columns."""
    tables = [first_rows(file) for file in files]
    names = {None if table is None else table.names for table in tables}
    return tables[0] if len(names) == 1 else None


def _path(files: Sequence[TableSource]) -> dict[str, object]:
    paths = [named_source(file) for file in files]
    return {"path": paths[0] if len(paths) == 1 else paths}


def _holds_lists(table: Table, name: str) -> bool:
    """Whether the first cells of a column are lists or tables, or look like one in JSON."""
    cells = table.values(name).tolist()[:20]
    return any(
        isinstance(cell, (list, dict)) or (isinstance(cell, str) and cell[:1] in ("[", "{"))
        for cell in cells
    )
