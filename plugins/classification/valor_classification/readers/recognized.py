"""Detection of tables of labels by the names of their columns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
from attrs import frozen
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
_INDICATED = ("", "true_", "y_true_", "label_", "target_", "truth_", "gt_", "is_")
_INDICATED_SCORES = (
    *_PREFIXES,
    "y_score_",
    "y_prob_",
    "pred_",
    "y_pred_",
    "prediction_",
    "predicted_",
)
_NO_AND_YES = ({"0", "1"}, {"false", "true"})

_CONFIDENCES = ("confidence", "conf", "pred_prob", "pred_score")
"""Names of columns whose scores may be those of the predicted label."""
_LEAST_OF_BEST = 0.5
"""Lowest score of the predicted one of two labels."""

_LEAST_EQUAL = 10
"""Rows from which equal true labels are no coincidence."""

_SCORED = ("Accuracy", "F1", "ROCAUC")
_UNSCORED = ("Accuracy", "Precision", "Recall", "F1")
_OF_BEST = (*_UNSCORED, "CalibrationError")


def wide(files: Sequence[TableSource]) -> Detected | None:
    """A true label, and a score column for each label or for the second of two.

    True labels may be columns of 0 and 1. They may be in a table of their own with the same uids.
    """
    table = _alike(files)
    if table is not None:
        found = _scored(table, table, _path(files))
        if found is not None:
            _check_not_two_models(files, table)
        if found is not None or len(files) == 1:
            return found
    for pair in _pairs(files):
        found = _scored(pair.truths, pair.predictions, pair.data)
        if found is not None:
            return found
    return None


@frozen(eq=False, repr=False)
class _Pair:
    """Two tables that share a column of uids, in the order ground truths, predictions."""

    truths: Table
    predictions: Table
    uid: str
    data: Mapping[str, object]


def _pairs(files: Sequence[TableSource]) -> Iterator[_Pair]:
    """Yield two tables that share a column of uids, in both orders."""
    tables = [first_rows(file) for file in files]
    first, second = tables if len(tables) == 2 else (None, None)
    if first is None or second is None or files[0] == files[1]:
        return
    uid = _shared_uid(first, second)
    if uid is None:
        return
    sides = [(first, files[0]), (second, files[1])]
    for (truths, file), (predictions, other) in (sides, sides[::-1]):
        data: dict[str, object] = {
            "path": named_source(file),
            "predictions": named_source(other),
            **changed_columns({"uid": uid}),
        }
        yield _Pair(truths, predictions, uid, data)


def _shared_uid(first: Table, second: Table) -> str | None:
    """Column of uids in both tables: by its name, or the only column that both have."""
    named = column_called(first, _UID)
    if named is not None and second.has(named):
        return named
    shared = [name for name in first.names if second.has(name)]
    if len(shared) == 1:
        return shared[0]
    ids = [name for name in shared if name.casefold().endswith("id")]
    return ids[0] if len(ids) == 1 else None


def _scored(truths: Table, scores: Table, path: Mapping[str, object]) -> Detected | None:
    """True labels in one table, and scores in another or the same."""
    truth = column_called(truths, _TRUTH)
    if truth is None or (truths is not scores and scores.has(truth)):
        return _indicated(truths, scores, path)
    uid = {} if "predictions" in path else {"uid": column_called(truths, _UID)}
    data = dict(path) | changed_columns(uid | {"label": truth})
    for prefix in _PREFIXES:
        if any(name.startswith(prefix) for name in scores.names):
            return Detected(
                data=data | changed_columns({"prefix": prefix}, own=("score_",)), metrics=_SCORED
            )
    cells = [cell for cell in truths.values(truth).tolist() if cell is not None]
    values = {label_value(cell) or str(cell) for cell in cells}
    named = [name for name in scores.names if name in values]
    if len(named) > 1:
        return Detected(data=data | {"scores": named}, metrics=_SCORED)
    score, prediction = column_called(scores, SCORE_NAMES), column_called(scores, _PREDICTION)
    if prediction is not None:
        if not _are_probabilities(scores, prediction):
            return None
        score = prediction
    labels = _two_labels(values)
    if score is None or labels is None:
        return None
    may_be_predicted = column_called(truths, ("label", "class")) == truth and truths is scores
    if may_be_predicted and {label.casefold() for label in labels} not in _NO_AND_YES:
        return None
    if _may_be_of_best(scores, score, labels):
        return None
    return Detected(data=data | {"scores": [score], "labels": labels}, metrics=_SCORED)


def _indicated(truths: Table, scores: Table, path: Mapping[str, object]) -> Detected | None:
    """True labels as columns of 0 and 1, and a column of scores for each of them."""
    found = _indicators(truths, scores)
    if found is None:
        return None
    labels, true_prefix, prefix = found
    columns = [f"{prefix}{label}" for label in labels]
    if not all(_are_numbers(scores, name) for name in columns):
        return None
    if not any(_are_probabilities(scores, name) for name in columns):
        return None
    uid = {} if "predictions" in path else {"uid": column_called(truths, _UID)}
    data = dict(path) | changed_columns(uid) | {"label_prefix": true_prefix}
    named = changed_columns({"prefix": prefix}, own=("score_",)) if prefix else {"scores": columns}
    return Detected(data=data | named, metrics=_SCORED)


def _indicators(truths: Table, predictions: Table) -> tuple[list[str], str, str] | None:
    """Labels with a column of 0 and 1 in one table, and one in the other; and both prefixes."""
    is_one = truths is predictions
    for prefix in _INDICATED_SCORES if is_one else (*_INDICATED_SCORES, ""):
        starting = [name for name in predictions.names if name.startswith(prefix)]
        labels = [name.removeprefix(prefix) for name in starting if name not in _UID]
        for true_prefix in _INDICATED:
            columns = [f"{true_prefix}{label}" for label in labels]
            may_be = len(labels) > 1 and all(map(truths.has, columns))
            if may_be and not (is_one and columns == starting) and _are_indicators(truths, columns):
                return labels, true_prefix, prefix
    return None


def _are_indicators(table: Table, names: Sequence[str]) -> bool:
    """Return whether columns hold only 0 and 1."""
    cells = {as_number(cell) for name in names for cell in table.values(name).tolist()}
    return bool(cells) and cells <= {0, 1}


def _are_numbers(table: Table, name: str) -> bool:
    return all(as_number(cell) is not None for cell in table.values(name).tolist())


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


def _may_be_of_best(table: Table, score: str, labels: Sequence[str]) -> bool:
    """Return whether confidences may be of the predicted label instead of the second label."""
    if score.casefold() not in _CONFIDENCES:
        return False
    if {label.casefold() for label in labels} not in _NO_AND_YES:
        return True
    found = map(as_number, table.values(score).tolist())
    return min((number for number in found if number is not None), default=0) >= _LEAST_OF_BEST


def _are_probabilities(table: Table, name: str) -> bool:
    """Return whether a column begins with numbers in [0, 1], at least one with a fraction."""
    cells = [cell for cell in table.values(name).tolist() if cell is not None]
    numbers = [number for cell in cells if (number := as_number(cell)) is not None]
    if len(numbers) < len(cells) or not all(0 <= number <= 1 for number in numbers):
        return False
    return any(number % 1 for number in numbers)


def predicted(files: Sequence[TableSource]) -> Detected | None:
    """A true and a predicted label, with its score or without; also in two tables.

    Labels may be columns of 0 and 1. Two tables have a common column of uids.
    """
    table = _alike(files)
    if table is not None and wide(files) is None:
        truth, prediction = column_called(table, _TRUTH), column_called(table, _PREDICTION)
        if truth is not None and prediction is not None and not _holds_lists(table, prediction):
            _check_not_two_models(files, table)
            uid = column_called(table, _UID)
            columns = changed_columns({"uid": uid, "label": truth, "prediction": prediction})
            return _predicted(_path(files) | columns, table)
        found = _indicated_labels(table, table)
        if found is not None:
            columns = changed_columns({"uid": column_called(table, _UID)})
            return Detected(data=_path(files) | columns | found, metrics=_UNSCORED)
    return _joined(files)


def _predicted(data: Mapping[str, object], table: Table) -> Detected:
    """Add the column of the predicted labels' scores in a table, if it has one."""
    score = column_called(table, SCORE_NAMES)
    if score is None or not _are_probabilities(table, score):
        return Detected(data=data, metrics=_UNSCORED)
    return Detected(data={**data, "score": score}, metrics=_OF_BEST)


def _indicated_labels(truths: Table, predictions: Table) -> dict[str, object] | None:
    """True and predicted labels as columns of 0 and 1, with one predicted label in each row."""
    found = _indicators(truths, predictions)
    if found is None:
        return None
    labels, true_prefix, prefix = found
    predicted = [f"{prefix}{label}" for label in labels]
    if not _are_indicators(predictions, predicted):
        return None
    ones = np.sum([predictions.floats(name) for name in predicted], axis=0)
    if (ones != 1).any():
        columns = [f"{true_prefix}{label}" for label in labels]
        raise ConfigError(
            f"{predictions.source}: expected one predicted label in each {predictions.unit}, found "
            f"{int(ones[ones != 1][0])} in columns of 0 and 1: {', '.join(map(repr, predicted))}",
            "Read it with pandas, and pass both sides with the metrics' parameters hardmax: false "
            "and score_thresholds: 0.5: valor_classification.from_arrays("
            f"df[{columns}].to_numpy(), df[{predicted}].to_numpy(), labels={labels})",
        )
    return {"label_prefix": true_prefix, "prediction_prefix": prefix}


def _joined(files: Sequence[TableSource]) -> Detected | None:
    """A table of true labels and one of predicted labels, with a common column of uids."""
    for pair in _pairs(files):
        truths, predictions = pair.truths, pair.predictions
        indicated = _indicated_labels(truths, predictions)
        if indicated is not None:
            return Detected(data={**pair.data, **indicated}, metrics=_UNSCORED)
        if any(map(_is_score, (*truths.names, *predictions.names))):
            return None
        label, prediction = column_called(truths, _TRUTH), column_called(predictions, _PREDICTION)
        if label is None and prediction is None and truths.names == predictions.names:
            label = prediction = _only_label(truths, predictions, pair.uid)
        elif prediction is None and predictions.has(label or ""):
            is_scored = column_called(predictions, SCORE_NAMES) is not None
            prediction = None if is_scored else label  # the reader long reads scored labels
        if label is None or prediction is None or _holds_lists(predictions, prediction):
            continue
        if truths.has(prediction) and prediction != label:  # a table of both sides
            continue
        columns = changed_columns({"label": label, "prediction": prediction})
        return _predicted({**pair.data, **columns}, predictions)
    return None


def _only_label(truths: Table, predictions: Table, uid: str) -> str | None:
    """The only column next to uids, if it repeats values that may be labels; else None."""
    names = [name for name in truths.names if name != uid]
    if len(names) != 1:
        return None
    cells = [cell for table in (truths, predictions) for cell in table.values(names[0]).tolist()]
    are_labels = all(cell is None or label_value(cell) for cell in cells)
    return names[0] if are_labels and len({*map(str, cells)}) <= len(cells) / 2 else None


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


def _check_not_two_models(files: Sequence[TableSource], table: Table) -> None:
    """Raise a `ConfigError` if tables without uids begin with the same true labels in one order.

    Such tables are not parts of one data set, and their items would count twice.
    """
    truth = column_called(table, _TRUTH)
    if len(files) != 2 or truth is None or column_called(table, _UID) is not None:
        return
    first, second = (
        [] if one is None else one.values(truth).tolist() for one in map(first_rows, files)
    )
    if len(first) >= _LEAST_EQUAL and first == second and len({*map(str, first)}) > 1:
        names = " and ".join(map(str, files))
        raise ConfigError(
            f"{names}: expected parts of one table, found the same true labels in both",
            "To compare two models, evaluate each with its own report (-o a.json, -o b.json), then "
            "run valor compare a.json b.json, or in Python: valor_core.compare(a, b)",
        )


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
