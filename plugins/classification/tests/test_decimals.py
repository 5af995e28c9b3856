"""Scores of all types and sources pass the thresholds that they print as."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from attrs import evolve
from numpy.typing import NDArray
from valor_classification.readers.arrays import from_arrays

from valor_core import evaluate
from valor_core.schemas.classification import ScoreList
from valor_core.schemas.columns import floats

THRESHOLDS = [number / 100 for number in range(1, 100)]
LABELS = ["ant", "bee", "cat", "dog"]
RNG = np.random.default_rng(1)
SCORES = RNG.integers(0, 101, (30, len(LABELS))) / 100
TRUTHS = RNG.integers(0, len(LABELS), len(SCORES))
UIDS = [f"{i:02}" for i in range(len(SCORES))]
NAMES = [LABELS[truth] for truth in TRUTHS]

AT = {"score_thresholds": THRESHOLDS}
METRICS: list[Mapping[str, Any]] = [
    *({"name": "Counts", "hardmax": hardmax} | AT for hardmax in (True, False)),
    *({"name": "ConfusionMatrix", "hardmax": hardmax} | AT for hardmax in (True, False)),
    *({"name": "Examples", "hardmax": hardmax} | AT for hardmax in (True, False)),
    *({"name": "Accuracy", "top_k": k} | AT for k in (1, 2)),
    {"name": "Accuracy", "hardmax": False, "multilabel": "jaccard"} | AT,
    {"name": "Accuracy", "balanced": True} | AT,
    {"name": "PrecisionRecallCurve"} | AT,
    {"name": "DetailedPrecisionRecallCurve"} | AT,
    {"name": "F1"} | AT,
    {"name": "MatthewsCorrelation"} | AT,
    {"name": "CohenKappa"} | AT,
    {"name": "ROCAUC"},
    *({"name": "ROCAUC", "bins": bins} for bins in (3, 10, 20, 100)),
    *({"name": "AveragePrecision", "bins": bins} for bins in (3, 10, 20, 100)),
    *({"name": "CalibrationError", "bins": bins} for bins in (3, 10, 20, 100)),
]


def _rounded(value: Any) -> Any:
    """The value without the rounding of a narrow type, which sums of scores keep."""
    if isinstance(value, dict):
        return {name: _rounded(item) for name, item in value.items()}
    if isinstance(value, list):
        return [_rounded(item) for item in value]
    return round(value, 5) if isinstance(value, float) else value


def _of_matrix(scores: NDArray[Any], folder: Path) -> Any:
    return from_arrays(TRUTHS, scores, labels=LABELS, uids=UIDS)


def _of_lists(scores: NDArray[Any], folder: Path) -> Any:
    rows = np.repeat(np.arange(len(scores)), len(LABELS))
    columns = np.tile(np.arange(len(LABELS)), len(scores))
    listed = ScoreList(rows, columns, scores.reshape(-1))
    return evolve(_of_matrix(scores, folder), scores=listed)


def _of_a_wide_table(scores: NDArray[Any], folder: Path) -> Any:
    columns = {f"score_{label}": scores[:, i] for i, label in enumerate(LABELS)}
    path = _parquet(folder, "wide", {"uid": UIDS, "label": NAMES} | columns)
    return {"reader": "classification.wide", "path": str(path)}


def _of_a_long_table(scores: NDArray[Any], folder: Path) -> Any:
    truths = _parquet(folder, "truths", {"uid": UIDS, "label": NAMES})
    rows = {"uid": np.repeat(UIDS, len(LABELS)), "label": LABELS * len(UIDS)}
    predictions = _parquet(folder, "predictions", rows | {"score": scores.reshape(-1)})
    return {
        "reader": "classification.long",
        "groundtruths": str(truths),
        "predictions": str(predictions),
    }


def _of_a_table_of_lists(scores: NDArray[Any], folder: Path) -> Any:
    predictions = [LABELS] * len(UIDS)
    columns = {"uid": UIDS, "groundtruths": NAMES, "predictions": predictions}
    path = _parquet(folder, "lists", columns | {"scores": list(scores)})
    return {"reader": "classification.lists", "path": str(path)}


def _parquet(folder: Path, name: str, columns: Mapping[str, Any]) -> Path:
    pyarrow = pytest.importorskip("pyarrow")
    path = folder / f"{name}.parquet"
    pytest.importorskip("pyarrow.parquet").write_table(pyarrow.table(dict(columns)), path)
    return path


FORMS: Mapping[str, Callable[[NDArray[Any], Path], Any]] = {
    "matrix": _of_matrix,
    "lists": _of_lists,
    "wide table": _of_a_wide_table,
    "long table": _of_a_long_table,
    "table of lists": _of_a_table_of_lists,
}


def _found(data: Any) -> list[Any]:
    results = evaluate(data, METRICS, "classification").results
    return [_rounded(result.to_dict()["value"]) for result in results]


# pyarrow widens a float16 in a list before the reader sees it
@pytest.mark.parametrize(
    ("dtype", "form"),
    [
        (dtype, form)
        for dtype in (np.float32, np.float16)
        for form in FORMS
        if (dtype, form) != (np.float16, "table of lists")
    ],
)
def test_score_of_any_type_passes_the_threshold_that_it_prints_as(
    dtype: Any, form: str, tmp_path: Path
) -> None:
    narrow = _found(FORMS[form](SCORES.astype(dtype), tmp_path))
    assert narrow == _found(_of_matrix(SCORES, tmp_path))


@pytest.mark.parametrize("dtypes", [("f4", "f8"), ("f8", "f4"), ("f2", "f4"), ("f2", "f4", "f8")])
def test_scores_of_a_wide_table_with_columns_of_several_types_pass_the_thresholds_they_print_as(
    dtypes: tuple[str, ...], tmp_path: Path
) -> None:
    typed = {
        f"score_{label}": SCORES[:, i].astype(dtypes[i % len(dtypes)])
        for i, label in enumerate(LABELS)
    }
    path = _parquet(tmp_path, "wide", {"uid": UIDS, "label": NAMES} | typed)
    mixed = _found({"reader": "classification.wide", "path": str(path)})
    assert mixed == _found(_of_matrix(SCORES, tmp_path))


def test_float16_scores_keep_their_order_and_none_become_equal() -> None:
    every = np.arange(1 << 16, dtype=np.uint16).view(np.float16)
    halves = np.sort(every[np.isfinite(every)])
    found = floats(halves, "scores")
    assert ((found[1:] > found[:-1]) == (halves[1:] > halves[:-1])).all()
    assert (found.astype(np.float16) == halves).all()
