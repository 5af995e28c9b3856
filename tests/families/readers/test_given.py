"""Data that new users pass to `evaluate`, with all families installed."""

from __future__ import annotations

import re
from datetime import date
from decimal import Decimal
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import valor_classification
from valor_classification.readers.arrays import from_arrays

from valor_core import Evaluator, evaluate
from valor_core.errors import (
    AmbiguousNameError,
    ConfigError,
    ParameterError,
    SchemaError,
    StateError,
    UnknownNameError,
)

LABELS = (["cat", "dog", "cat"], ["cat", "cat", "cat"])
BOXES = (
    [{"boxes": [[0, 0, 2, 1]], "labels": [1]}],
    [{"boxes": [[0, 0, 2, 1]], "labels": [1], "scores": [0.5]}],
)
IMAGES = (np.array([[[0, 1], [1, 1]]]), np.array([[[0, 1], [0, 1]]]))


@pytest.mark.parametrize(
    ("sides", "metric", "task"),
    [
        (LABELS, "F1", "classification"),
        (LABELS, "Accuracy", "classification"),
        (([0, 1, 1], [0.25, 0.75, 0.5]), "ROCAUC", "classification"),
        (([0, 1], [[0.75, 0.25], [0.5, 0.5]]), "Accuracy", "classification"),
        ((np.eye(2), np.eye(2) / 2), "ROCAUC", "classification"),
        (BOXES, "mAP50", "detection"),
        (BOXES, "F1", "detection"),
        (IMAGES, "IOU", "segmentation"),
        (IMAGES, "Accuracy", "segmentation"),
        ((["a cat"], ["the cat"]), "ROUGE", "text"),
        (([["a cat", "cat"]], ["the cat"]), "BLEU", "text"),
    ],
)
def test_task_is_inferred_from_sides_and_metric(sides: Any, metric: str, task: str) -> None:
    report = evaluate(*sides, [metric])

    assert report.config["task"] == task
    assert evaluate(*sides, metric, task).results == report.results
    evaluator = Evaluator([metric])
    evaluator.update(*sides)
    assert evaluator.compute().results == report.results


@pytest.mark.parametrize(
    ("rows", "metric", "task"),
    [
        ([{"y_true": "cat", "y_pred": "dog"}], "F1", "classification"),
        ([{"label": "a", "score_a": 0.75, "score_b": 0.25}], "ROCAUC", "classification"),
        ([{"response": "a cat", "references": ["the cat"]}], "ROUGE", "text"),
    ],
)
def test_task_is_inferred_from_table(rows: Any, metric: str, task: str) -> None:
    assert evaluate(rows, [metric]).config["task"] == task


@pytest.mark.parametrize("reader", ["predicted", "classification.predicted"])
def test_bare_metric_is_of_the_readers_task(tmp_path: Path, reader: str) -> None:
    (tmp_path / "a.csv").write_text("label,prediction\ncat,cat\ndog,cat\n")
    data = {"reader": reader, "path": tmp_path / "a.csv"}

    assert evaluate(data, ["Recall"]).config["task"] == "classification"
    evaluator = Evaluator(["Recall"])
    evaluator.update(data)
    assert evaluator.compute().config["task"] == "classification"


def test_metric_with_full_name_selects_the_task_of_bare_ones() -> None:
    report = evaluate(*LABELS, ["classification.F1", "Recall"])

    assert {result.metric.partition("@")[0] for result in report} == {
        "classification.F1",
        "classification.Recall",
    }


def test_two_lists_for_a_metric_of_a_plugins_task_ask_for_its_items(rankings: Any) -> None:
    with pytest.raises(SchemaError, match="data: expected two sides of retrieval") as error:
        evaluate([1.5, 2.5], [1.0, 2.0], ["ranklab.HitRate"])

    assert error.value.remedy == "Pass a list of items: evaluate([Ranking(…), …], metrics)"


def test_two_tables_of_boxes_are_detection() -> None:
    box = {"xmin": 0, "ymin": 0, "xmax": 2, "ymax": 1}
    true = [{"image_id": "a", "label": "cat", **box}]
    seen = [{"image_id": "a", "label": "cat", "score": 0.5, **box}]

    report = evaluate(true, seen, ["mAP50"])

    assert report["mAP"].value == pytest.approx(1)


def test_ambiguous_labels_require_task() -> None:
    with pytest.raises(ConfigError, match="evaluate: expected metrics, got none"):
        evaluate(["cat"], ["dog"], ["NoSuchMetric"])


@pytest.mark.parametrize(
    ("sides", "metric", "message"),
    [
        (
            ([0.25, 0.75], [0, 1]),
            "F1",
            "data: expected two sides of one task, got list of 2 (float) and list of",
        ),
        (
            ([[0.25, 0.75]], ["cat"]),
            "F1",
            "expected two sides of one task, got list of 1 (list) and list of 1 (str)",
        ),
        (
            (["the cat"], [["a cat", "cat"]]),
            "ROUGE",
            "expected two sides of one task, got list of 1 (str) and list of 1 (list)",
        ),
    ],
)
def test_swapped_sides_are_detected(sides: Any, metric: str, message: str) -> None:
    with pytest.raises(SchemaError, match=re.escape(message)):
        evaluate(*sides, [metric])


def test_misspelled_metric_suggests_closest_match() -> None:
    with pytest.raises(
        UnknownNameError, match="metric 'Acuracy': unknown in the task 'classification'"
    ):
        evaluate([0, 1], [0, 1], ["Acuracy"])


def test_evaluator_without_task_raises_error() -> None:
    evaluator = Evaluator(["F1", "Accuracy"])

    assert repr(evaluator) == "<Evaluator of 2 metrics: F1, Accuracy; 0 items counted>"
    with pytest.raises(AmbiguousNameError, match="metric 'F1': a bare name needs a task"):
        _ = evaluator.evaluation
    evaluator.update(*LABELS)
    assert "of classification: F1, Accuracy; 3 items" in repr(evaluator)


def test_integer_labels_match_scikit_learn() -> None:
    sklearn = pytest.importorskip("sklearn.metrics")
    rng = np.random.default_rng(7)
    true = rng.integers(0, 4, 500)
    seen = np.where(rng.random(500) < 0.7, true, rng.integers(0, 4, 500))

    report = evaluate(true, seen, ["F1", "Accuracy"])

    assert float(report["Accuracy"]) == sklearn.accuracy_score(true, seen)
    expected = sklearn.f1_score(true, seen, average="macro")
    assert report["F1", "macro"].value == pytest.approx(expected, abs=1e-12)


@pytest.mark.parametrize("task", ["classification", "detection", "rgb"])
def test_unrecognized_table_lists_readers(task: str) -> None:
    with pytest.raises(ConfigError, match="data: no reader recognizes these columns: 'foo', 'bar'"):
        evaluate([{"foo": 1, "bar": 2}], ["F1"], task=task)


def test_path_is_evaluated_as_on_command_line(tmp_path: Path) -> None:
    file = tmp_path / "preds.csv"
    file.write_text("y_true,y_pred\ncat,cat\ndog,cat\n")

    for data in (file, str(file)):
        assert evaluate(data, ["Accuracy"])["Accuracy"].value == 1 / 2
        evaluator = Evaluator(["Accuracy"])
        evaluator.update(data)
        assert evaluator.compute()["Accuracy"].value == 1 / 2
    with pytest.raises(ConfigError, match="data: no such file"):
        evaluate(tmp_path / "pred.csv", ["Accuracy"])
    (tmp_path / "notes.txt").write_text("hello")
    with pytest.raises(ConfigError, match=r"notes\.txt: not recognized by any reader"):
        evaluate(tmp_path / "notes.txt", ["Accuracy"], "classification")
    with pytest.raises(ConfigError, match=r"notes\.txt: not recognized by any reader"):
        evaluate(file, tmp_path / "notes.txt", ["Accuracy"], "classification")


@pytest.mark.parametrize(
    "sides",
    [
        ([1, 0], [0.9, 0.1]),
        (np.array([1, 0]), np.array([0.9, 0.1])),
        (["cat", "dog"], ["cat", "cat"]),
        (pd.Series([1, 0]), pd.Series([1, 1])),
        ([[1, 0]], [[0.5, 0.2]]),
        (pd.DataFrame({"y_true": [1], "y_pred": [1]}),),
    ],
)
def test_call_without_metrics_is_reported(sides: Any) -> None:
    with pytest.raises(ConfigError, match="evaluate: expected metrics, got none"):
        evaluate(*sides)


def test_misspelled_metric_is_not_mistaken_for_a_label() -> None:
    with pytest.raises(
        UnknownNameError, match="metric 'Acuracy': unknown in the task 'classification'"
    ):
        evaluate([{"y_true": "cat", "y_pred": "cat"}], ["Acuracy"])


def test_misspelled_metric_of_text_labels_suggests_its_name() -> None:
    with pytest.raises(UnknownNameError, match="Did you mean 'Accuracy'"):
        evaluate(["cat", "dog"], ["cat", "cat"], ["Acuracy"])


def test_sides_as_keywords_show_the_call() -> None:
    call: Any = evaluate
    with pytest.raises(ConfigError, match=r"got none\nWrite it as: evaluate\(y_true"):
        call(references=["a b"], predictions=["a b"], metrics=["ROUGE"])


@pytest.mark.parametrize(
    ("sides", "metrics", "argument", "message"),
    [
        (LABELS, ["Accuracy", "F1"], {"average": "macro"}, "is a parameter of F1, not of evaluate"),
        (
            LABELS,
            [{"name": "F1", "hardmax": True}],
            {"average": "macro"},
            "is a parameter of F1, not of evaluate",
        ),
        (LABELS, ["F1"], {"sample_weight": [1, 2, 3]}, "Did you mean 'weights'?"),
        (LABELS, ["F1"], {"weights": [1, 2, 3]}, "name it: weights='weight'"),
        (LABELS, ["F1"], {"slice": ["site"]}, "evaluate: unknown argument 'slice'"),
        (
            ([-1, 1], [0.25, 0.75]),
            ["ROCAUC"],
            {"labels": [-1, 1]},
            "evaluate: unknown argument 'labels'",
        ),
        (BOXES, ["mAP"], {"box_format": "xywh"}, "evaluate: unknown argument 'box_format'"),
    ],
)
def test_argument_of_other_library_suggests_syntax(
    sides: Any, metrics: Any, argument: Any, message: str
) -> None:
    with pytest.raises(ConfigError, match=re.escape(message)):
        evaluate(*sides, metrics, **argument)
    if "average" in argument:
        with pytest.raises(ConfigError, match="is a parameter of F1, not of Evaluator"):
            Evaluator(metrics, **argument)
        one = evaluate(*sides, [{"name": "F1", "average": "macro"}])
        assert [result.parameters.get("average") for result in one] == ["macro"]


@pytest.mark.parametrize("argument", [{"pos_label": 1}, {"average": "binary"}])
def test_positive_label_of_scikit_learn_names_the_number(argument: Any) -> None:
    sides = [0, 1, 1], [0.25, 0.75, 0.875]

    for call in (partial(evaluate, *sides), Evaluator):
        with pytest.raises(ConfigError) as caught:
            call(["F1"], **argument, task="classification")
        assert "such as report['F1', '1'] for the label 1" in str(caught.value)

    assert evaluate(*sides, ["F1"])["F1", "1"].value == 1.0


def test_labels_of_an_update_are_those_of_a_batch() -> None:
    evaluator = Evaluator(["ROCAUC"], "classification")

    with pytest.raises(ConfigError, match="update: unknown argument 'labels'"):
        evaluator.update([-1, 1], [0.25, 0.75], labels=[-1, 1])

    evaluator.update(from_arrays([-1, 1], [0.25, 0.75], labels=[-1, 1]))
    assert evaluator.compute()["ROCAUC", "1"].value == 1.0


def test_classes_that_are_not_column_indices_suggest_call() -> None:
    sides = [-1, 1, -1], [0.25, 0.75, 0.5]

    with pytest.raises(
        SchemaError,
        match=r"expected the number of a column of y_score, 0 to 1, got -1 \(and 1 more\)",
    ) as caught:
        evaluate(*sides, ["ROCAUC"])

    call = str(caught.value.remedy).partition(": ")[2]
    names = {"y_true": sides[0], "y_score": sides[1], "valor_classification": valor_classification}
    assert evaluate(eval(call, names), ["ROCAUC"])["ROCAUC", "1"].value == 1.0


@pytest.mark.parametrize(
    ("choice", "message"),
    [
        ({"pos_label": 1}, "classification.F1: pos_label: unknown key"),
        (
            {"average": "binary"},
            "classification.F1: average must be one of 'none', 'micro', 'macro',",
        ),
    ],
)
def test_pos_label_suggests_result_of_label(choice: Any, message: str) -> None:
    with pytest.raises(ParameterError, match=re.escape(message)) as caught:
        evaluate([1, 0], [1, 1], [{"name": "F1", **choice}])

    assert "report['F1', '1']" in str(caught.value.remedy)
    report = evaluate([1, 0], [1, 1], ["F1"], require={"F1/1": ">= 0.5"})
    assert (report["F1", "1"].value, report.ok) == (2 / 3, True)


def test_compute_without_data_raises_error() -> None:
    with pytest.raises(StateError, match="compute: expected data, got none yet"):
        Evaluator(["Accuracy"]).compute()


def test_items_of_a_metric_without_rows_are_a_warning() -> None:
    report = evaluate(*LABELS, ["MatthewsCorrelation"], items=True)

    assert report.items == ()
    assert report.warnings == ("items: classification.MatthewsCorrelation has no rows of items",)


def test_typo_in_slices_is_a_warning() -> None:
    rows = [{"y_true": "cat", "y_pred": "cat", "ink": "dark"}]

    report = evaluate(rows, ["Accuracy"], slices=["inc"])

    assert report.warnings == ("slices: no item has the metadata field 'inc'; did you mean 'ink'?",)


def test_files_of_two_models_suggest_compare(tmp_path: Path) -> None:
    for name in ("a.csv", "b.csv"):
        (tmp_path / name).write_text("uid,label,prediction\nimg0,cat,cat\n")
    data = {"reader": "predicted", "path": [tmp_path / "a.csv", tmp_path / "b.csv"]}

    with pytest.raises(SchemaError, match="item 'img0': expected each uid once, found it 2 times"):
        evaluate(data, ["Accuracy"], "classification")


@pytest.mark.parametrize(
    ("cell", "message"),
    [
        (Decimal(1), "y_true[0]: expected a class as text or number, got Decimal('1')"),
        (date(2026, 1, 2), "expected a class as text or number, got datetime.date(2026, 1, 2)"),
        (b"cat", "y_true[0]: expected a class as text or number, got b'cat'"),
        (1j, "y_true[0]: expected a class as text or number, got 1j"),
        (None, "y_true[0]: expected a class as text or number, got None"),
    ],
)
def test_invalid_classes_are_reported_with_position(cell: Any, message: str) -> None:
    with pytest.raises(SchemaError, match=re.escape(message)):
        evaluate([cell, cell], ["cat", "cat"], ["Accuracy"])


def test_two_strings_are_read_as_paths(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match=r"data\.groundtruths: no such file: 'a cat'"):
        evaluate("a cat", "the cat", ["ROUGE"])
    (tmp_path / "run.yaml").write_text("task: text\n")
    with pytest.raises(ConfigError, match=r"run\.yaml: no reader recognizes it"):
        evaluate(tmp_path / "run.yaml", ["ROUGE"])


def test_object_array_of_scores_is_accepted() -> None:
    scores = np.array([[0.75, 0.25], [1, 0]], object)

    assert evaluate([0, 1], scores, ["Accuracy"])["Accuracy"].value == 1 / 2


def test_task_in_capitals_suggests_its_name() -> None:
    with pytest.raises(ConfigError, match=r"got 'Classification'\nDid you mean 'classification'\?"):
        evaluate([0, 1], [0, 1], ["Accuracy"], task="Classification")


def test_misspelt_key_of_the_reader_is_named() -> None:
    with pytest.raises(ConfigError, match="Rename redaer to reader"):
        evaluate({"redaer": "wide", "path": "a.csv"}, ["classification.Accuracy"])


PYTHON_MESSAGES = {
    "odd.csv": (
        "one,two\ncat,dog\n",
        "odd.csv: no reader recognizes these columns: 'one', 'two'",
        "{'reader': 'predicted', 'path': 'odd.csv', 'label': COLUMN, 'prediction': COLUMN}",
    ),
    "preds.xlsx": (
        "PK",
        "preds.xlsx: expected a table such as CSV, found an Excel workbook",
        "Read it with pandas: evaluate(pandas.read_excel('preds.xlsx'), metrics)",
    ),
    "data.yaml": (
        "val: images\nnames: [cat]\n",
        "data.yaml: no reader recognizes it",
        "evaluate('data.yaml', 'runs/detect/val/labels', metrics)",
    ),
    "instances.json": (
        '{"images": [], "annotations": []}',
        "instances.json: not recognized by any reader",
        "pass the ground truths first: evaluate(…, 'instances.json', …)",
    ),
}


@pytest.mark.parametrize("name", PYTHON_MESSAGES)
def test_unrecognized_path_in_python_names_the_call_that_reads_it(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    content, message, remedy = PYTHON_MESSAGES[name]
    Path(name).write_text(content)

    with pytest.raises(ConfigError) as caught:
        evaluate(name, ["classification.Accuracy"])

    assert caught.value.message.startswith(message)
    assert remedy in (caught.value.remedy or "")
    assert "valor run" not in (caught.value.remedy or "") or name == "data.yaml"


def test_frames_of_two_models_are_not_joined() -> None:
    frame = pd.DataFrame({"y_true": ["cat", "dog"] * 10, "y_pred": ["cat", "cat"] * 10})

    with pytest.raises(ConfigError, match="found the same true labels in both") as caught:
        evaluate(frame, frame.copy(), ["Accuracy"])

    assert "valor_core.compare(a, b)" in (caught.value.remedy or "")


PAIR = {"truth.csv": "id,y_true\na,cat\nb,dog\n", "preds.csv": "id,y_pred\nb,cat\na,cat\n"}


@pytest.mark.parametrize("task", [None, "classification"])
def test_list_of_two_paths_is_read_as_on_the_command_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, task: str | None
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, content in PAIR.items():
        Path(name).write_text(content)

    for paths in (["truth.csv", "preds.csv"], (Path("truth.csv"), "preds.csv")):
        report = evaluate(paths, ["Accuracy"], task)
        assert report["Accuracy"].value == 0.5
    assert evaluate(["truth.csv", "preds.csv"], ["Accuracy", "F1"])["Accuracy"].value == 0.5
    with pytest.raises(ConfigError, match=r"data.predictions: no such file: 'pred.csv'\nDid you"):
        evaluate(["truth.csv", "pred.csv"], ["Accuracy"], task)


@pytest.mark.parametrize("task", [None, "classification"])
@pytest.mark.parametrize("suffix", ["csv", "jsonl"])
def test_reader_named_by_the_format_of_its_file_is_inferred(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, suffix: str, task: str | None
) -> None:
    monkeypatch.chdir(tmp_path)
    both = {"csv": "id,y_true,y_pred\na,cat,cat\nb,dog,cat\n"}
    both["jsonl"] = "".join(
        f'{{"id": "{uid}", "y_true": "{true}", "y_pred": "cat"}}\n'
        for uid, true in (("a", "cat"), ("b", "dog"))
    )
    Path(f"preds.{suffix}").write_text(both[suffix])
    section = {"reader": suffix, "path": f"preds.{suffix}"}

    assert evaluate(section, ["Accuracy"], task)["Accuracy"].value == 0.5
    with pytest.raises(ConfigError, match=f"no such file: 'pred.{suffix}'"):
        evaluate({**section, "path": f"pred.{suffix}"}, ["Accuracy"], task)


def test_format_of_two_files_reads_both(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for name, content in PAIR.items():
        Path(name).write_text(content)

    data = {"reader": "csv", "path": "truth.csv", "predictions": "preds.csv"}
    assert evaluate(data, ["Accuracy"])["Accuracy"].value == 0.5


def test_format_of_texts_keeps_its_reader(tmp_path: Path) -> None:
    path = tmp_path / "answers.csv"
    path.write_text("uid,response,references\na,Paris,Paris\nb,Rome,Oslo\n")

    data = {"reader": "csv", "path": str(path)}
    assert evaluate(data, ["text.ExactMatch"])["ExactMatch"].value == 0.5
