"""Detection of tables of labels by the names of their columns."""

from __future__ import annotations

from collections.abc import Sequence

from valor_files import (
    Detected,
    Table,
    TableSource,
    as_number,
    changed_columns,
    column_called,
    first_rows,
    named_source,
)

from valor_classification.counting.score_checks import SCORE_NAMES
from valor_core.errors import ConfigError
from valor_core.schemas.label import label_value

_TRUTH = (
    *("label", "y_true", "true_label", "ground_truth", "groundtruths", "truth", "target"),
    *("gt", "actual", "true", "class"),
)
_PREDICTION = ("prediction", "y_pred", "predicted", "predicted_label", "pred", "y_hat")
_LISTS = ("predictions", "y_pred", "prediction", "predicted")
_UID = ("uid", "id", "item_id", "image_id", "filename", "image", "file")
_PREFIXES = ("score_", "prob_", "proba_", "probability_", "p_")
_NO_AND_YES = ({"0", "1"}, {"false", "true"})

_SCORED = ("Accuracy", "F1", "ROCAUC")
_UNSCORED = ("Accuracy", "Precision", "Recall", "F1")


def wide(files: Sequence[TableSource]) -> Detected | None:
    """A true label, and a score column for each label or for the second of two."""
    table = _alike(files)
    truth = None if table is None else column_called(table, _TRUTH)
    if table is not None and truth is None:
        _check_not_one_hot(table)
    if table is None or truth is None:
        return None
    data = _path(files) | changed_columns({"uid": column_called(table, _UID), "label": truth})
    for prefix in _PREFIXES:
        if any(name.startswith(prefix) for name in table.names):
            return Detected(
                data=data | changed_columns({"prefix": prefix}, own=("score_",)), metrics=_SCORED
            )
    cells = [cell for cell in table.values(truth).tolist() if cell is not None]
    values = {label_value(cell) or str(cell) for cell in cells}
    named = [name for name in table.names if name in values]
    if len(named) > 1:
        return Detected(data=data | {"scores": named}, metrics=_SCORED)
    score, prediction = column_called(table, SCORE_NAMES), column_called(table, _PREDICTION)
    if prediction is not None:
        if not _are_probabilities(table, prediction):
            return None
        score = prediction
    labels = _two_labels(values)
    if score is None or labels is None:
        return None
    may_be_predicted = column_called(table, ("label", "class")) == truth
    if may_be_predicted and {label.casefold() for label in labels} not in _NO_AND_YES:
        return None
    return Detected(data=data | {"scores": [score], "labels": labels}, metrics=_SCORED)


def _is_score(name: str) -> bool:
    return name.startswith(_PREFIXES)


def _two_labels(values: set[str]) -> list[str] | None:
    """Two labels of a column of probabilities, the scored one last; None if it has other labels.

    Two texts are sorted, as scikit-learn does.
    """
    binary = next((both for both in _NO_AND_YES if {v.casefold() for v in values} <= both), None)
    if binary is not None:
        labels = sorted(values | binary if values <= binary else values)
        return labels if len(labels) == 2 else None
    is_text = not any(as_number(value) is not None for value in values)
    return sorted(values) if len(values) == 2 and is_text else None


def _are_probabilities(table: Table, name: str) -> bool:
    """Return whether a column begins with numbers in [0, 1], at least one with a fraction."""
    cells = [cell for cell in table.values(name).tolist() if cell is not None]
    numbers = [number for cell in cells if (number := as_number(cell)) is not None]
    if len(numbers) < len(cells) or not all(0 <= number <= 1 for number in numbers):
        return False
    return any(number % 1 for number in numbers)


def _check_not_one_hot(table: Table) -> None:
    """Raise a `ConfigError` if ground truths are columns of 0 and 1 next to columns of scores."""
    for prefix in _PREFIXES:
        labels = [name.removeprefix(prefix) for name in table.names if name.startswith(prefix)]
        if len(labels) < 2 or not all(map(table.has, labels)):
            continue
        cells = {as_number(cell) for name in labels for cell in table.values(name).tolist()}
        if cells <= {0, 1}:
            scores = [f"{prefix}{label}" for label in labels]
            raise ConfigError(
                f"{table.source}: expected a column of true labels, found a column of 0 and 1 for "
                f"each label: {', '.join(map(repr, labels))}",
                "Read it with pandas, and pass both sides: valor_classification.from_arrays("
                f"df[{labels}].to_numpy(), df[{scores}].to_numpy(), labels={labels})",
            )


def predicted(files: Sequence[TableSource]) -> Detected | None:
    """A true and a predicted label, and no scores; in one table, or in two with a common uid."""
    joined = _joined(files)
    if joined is not None:
        return joined
    table = _alike(files)
    if table is None or wide(files) is not None:
        return None
    truth, prediction = column_called(table, _TRUTH), column_called(table, _PREDICTION)
    if truth is None or prediction is None or _holds_lists(table, prediction):
        return None
    uid = column_called(table, _UID)
    chosen = changed_columns({"uid": uid, "label": truth, "prediction": prediction})
    return Detected(data=_path(files) | chosen, metrics=_UNSCORED)


def _joined(files: Sequence[TableSource]) -> Detected | None:
    """A table of true labels and one of predicted labels, with a common column of uids."""
    tables = [first_rows(file) for file in files]
    if len(tables) != 2 or None in tables:
        return None
    pairs = [(file, table) for file, table in zip(files, tables, strict=True) if table is not None]
    if any(
        column_called(table, SCORE_NAMES) is not None or any(map(_is_score, table.names))
        for _, table in pairs
    ):
        return None
    found = [
        (column_called(table, _TRUTH), column_called(table, _PREDICTION)) for _, table in pairs
    ]
    match found:
        case [(str() as label, None), (None, str() as prediction)]:
            pass
        case [(None, str() as prediction), (str() as label, None)]:
            pairs.reverse()
        case [(str() as label, None), (str() as prediction, None)] if label == prediction:
            pass
        case _:
            return None
    (truths, true), (predictions, predicted) = pairs
    common = [name for name in true.names if name != label and predicted.has(name)]
    uid = column_called(true, _UID)
    if uid is None or not predicted.has(uid):
        uid = common[0] if len(common) == 1 else None
    if uid is None or _holds_lists(predicted, prediction):
        return None
    places = {"path": named_source(truths), "predictions": named_source(predictions)}
    chosen = changed_columns({"uid": uid, "label": label, "prediction": prediction})
    return Detected(data=places | chosen, metrics=_UNSCORED)


def lists(files: Sequence[TableSource]) -> Detected | None:
    """A true label, and predictions as a list or a table of label and score."""
    table = _alike(files)
    if table is None:
        return None
    truth, predictions = column_called(table, _TRUTH), column_called(table, _LISTS)
    if truth is None or predictions is None or not _holds_lists(table, predictions):
        return None
    uid = column_called(table, _UID)
    chosen = changed_columns({"uid": uid, "groundtruths": truth, "predictions": predictions})
    return Detected(data=_path(files) | chosen, metrics=("Accuracy", "ROCAUC"))


def long(files: Sequence[TableSource]) -> Detected | None:
    """Two tables with a uid and a label in each row, one of them with scores."""
    tables = [first_rows(file) for file in files]
    if len(tables) != 2 or None in tables:
        return None
    found = [(one, column_called(one, SCORE_NAMES)) for one in tables if one is not None]
    scored = [score is not None for _, score in found]
    if sorted(scored) != [False, True]:
        return None
    (truths, _), (scores, score) = found if scored[1] else found[::-1]
    uid, label = column_called(truths, _UID), column_called(truths, _TRUTH)
    if uid is None or label is None or not (scores.has(uid) and scores.has(label)):
        return None
    names = map(named_source, files if scored[1] else reversed(files))
    places = dict(zip(("groundtruths", "predictions"), names, strict=True))
    chosen = changed_columns({"uid": uid, "label": label, "score": score})
    return Detected(data=places | chosen, metrics=_SCORED)


def _alike(files: Sequence[TableSource]) -> Table | None:
    """First rows of files with the same columns."""
    tables = [first_rows(file) for file in files]
    names = {None if table is None else table.names for table in tables}
    return tables[0] if len(names) == 1 else None


def _path(files: Sequence[TableSource]) -> dict[str, object]:
    paths = [named_source(file) for file in files]
    return {"path": paths[0] if len(paths) == 1 else paths}


def _holds_lists(table: Table, name: str) -> bool:
    """Return whether the first cells of a column are lists or tables, also as JSON."""
    cells = table.values(name).tolist()[:20]
    return any(
        isinstance(cell, (list, dict)) or (isinstance(cell, str) and cell[:1] in ("[", "{"))
        for cell in cells
    )
