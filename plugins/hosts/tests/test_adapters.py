"""Adapters with fake hosts; test_hosts_page.py runs them with the real ones."""

from __future__ import annotations

import asyncio
import pickle
import sys
from collections.abc import Callable, Iterator
from functools import partial
from types import ModuleType, SimpleNamespace
from typing import Any

import dask.dataframe
import datasets
import numpy as np
import pandas as pd
import polars
import pytest
from attrs import frozen
from valor_hosts import (
    compute_metrics,
    emit_evaluation_events,
    evaluate_partitions,
    evaluation_events,
    gather,
    inspect_scorer,
    lightning_callback,
    lm_eval_metric,
    log_to_mlflow,
    log_to_tensorboard,
    log_to_wandb,
    mlflow_scorer,
)

from valor_core import Evaluator, Report, Text, evaluate
from valor_core.errors import ConfigError, MissingExtraError, ReportError, SchemaError

F1 = {"name": "F1", "average": "macro"}
TRUTHS = ["cat", "dog", "dog", "cow", "cat", "cow"]
PREDICTIONS = ["cat", "dog", "cat", "cow", "cow", "cow"]
REPORT = evaluate(TRUTHS, PREDICTIONS, [F1], require={"F1": ">= 0.9"})
NUMBER = float(REPORT["F1"])


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Install fake modules of hosts."""

    def install(**modules: Any) -> None:
        for name, members in modules.items():
            module = ModuleType(name.replace("__", "."))
            vars(module).update(members)
            monkeypatch.setitem(sys.modules, module.__name__, module)

    return install


def test_missing_host_is_named_with_command_that_installs_it(fake: Callable[..., None]) -> None:
    with pytest.raises(MissingExtraError, match="log_to_wandb needs wandb") as error:
        log_to_wandb(REPORT)

    assert str(error.value.remedy).endswith(" wandb")


def test_gather_collects_counts_of_all_processes(fake: Callable[..., None]) -> None:
    ranks = [Evaluator([F1], task="classification") for _ in range(2)]
    for rank, evaluator in enumerate(ranks):
        evaluator.update(TRUTHS[rank::2], PREDICTIONS[rank::2])

    def all_gather_object(found: list[Any], content: bytes) -> None:
        found[:] = [content, ranks[1].dumps()]

    fake(
        torch={},
        torch__distributed={
            "is_available": lambda: True,
            "is_initialized": lambda: True,
            "get_world_size": lambda: 2,
            "all_gather_object": all_gather_object,
        },
    )

    assert (
        ranks[0].sync(gather).compute()
        == Evaluator.loads(
            ranks[1].sync(lambda content: [ranks[0].dumps(), content]).dumps()
        ).compute()
    )
    assert ranks[0].sync(gather).compute()["F1"].value == NUMBER


class Callback:
    """Base class of callbacks."""


def test_lightning_callback_logs_numbers_of_each_epoch(fake: Callable[..., None]) -> None:
    fake(lightning={}, lightning__pytorch={}, lightning__pytorch__callbacks={"Callback": Callback})
    callback = lightning_callback([F1], task="classification")
    callback = pickle.loads(pickle.dumps(callback))
    logged: list[dict[str, float]] = []
    module, trainer = SimpleNamespace(log_dict=logged.append), SimpleNamespace(sanity_checking=True)

    for trainer.sanity_checking in (True, False, False):
        callback.on_validation_epoch_start(trainer, module)
        for part in (slice(0, 4), slice(4, 6)):
            outputs = {"groundtruths": TRUTHS[part], "predictions": PREDICTIONS[part]}
            callback.on_validation_batch_end(trainer, module, outputs, None, 0)
        callback.on_validation_epoch_end(trainer, module)
    callback.on_test_epoch_start(trainer, module)
    callback.on_test_batch_end(
        trainer, module, {"groundtruths": TRUTHS, "predictions": PREDICTIONS}, None, 0
    )
    callback.on_test_epoch_end(trainer, module)

    assert isinstance(callback, Callback)
    assert logged == [{"val/F1__macro": NUMBER}] * 2 + [{"test/F1__macro": NUMBER}]
    assert callback.reports["validate"].counts["read"] == 6


LOGITS = np.array([[4.0, 0.0, 1.0], [0.0, 2.0, 1.0], [3.0, 1.0, 0.0], [0.0, 1.0, 5.0]])
CLASSES = np.array([0, 1, 1, 2])


def test_trainer_metrics_use_probabilities_of_logits() -> None:
    found = compute_metrics(["Accuracy", "LogLoss"], labels=["a", "b", "c"])((LOGITS, CLASSES))

    powers = np.exp(LOGITS)
    expected = -np.log((powers / powers.sum(1, keepdims=True))[np.arange(4), CLASSES]).mean()
    assert found == {"Accuracy": 0.75, "LogLoss": pytest.approx(expected)}


def test_trainer_metrics_count_batches() -> None:
    function = compute_metrics(["Accuracy"])

    assert function((LOGITS[:2], CLASSES[:2]), compute_result=False) == {}
    assert function((LOGITS[2:], CLASSES[2:]), compute_result=True) == {"Accuracy": 0.75}
    assert function(((LOGITS, "hidden states"), CLASSES)) == {"Accuracy": 0.75}


def test_trainer_metrics_exclude_ignored_tokens() -> None:
    tokens = np.array([[0, 1], [-100, 2]])

    assert compute_metrics(["Accuracy"])((LOGITS.reshape(2, 2, 3), tokens)) == {"Accuracy": 1.0}


def test_trainer_metrics_decode_generated_tokens() -> None:
    words = ["", "red", "blue"]

    def decode(ids: Any) -> list[str]:
        return [" ".join(words[i] for i in row).strip() for row in ids]

    ids = (np.array([[1, 2], [1, 1]]), np.array([[1, 2], [2, -100]]))
    assert compute_metrics(["ExactMatch"], decode=decode)(ids) == {"ExactMatch": 0.5}
    with pytest.raises(SchemaError, match=r"expected logits of shape \(n, classes\)"):
        compute_metrics(["Accuracy"])((np.array([1, 2]), np.array([1, 2])))


def test_trainer_metrics_of_multilabel_models_use_sigmoid() -> None:
    options = {"hardmax": False, "score_thresholds": 0.5, "average": "micro"}
    function = compute_metrics([{"name": "F1", **options}], activation="sigmoid")

    assert function((np.array([[5.0, -5.0], [2.0, 1.0]]), np.array([[1, 0], [1, 1]]))) == {
        "F1__micro": 1.0
    }


def test_mlflow_gets_numbers_page_and_json(fake: Callable[..., None]) -> None:
    numbers: dict[str, float] = {}
    files: dict[str, str] = {}
    fake(
        mlflow={
            "log_metrics": lambda found, step, run_id: numbers.update(found),
            "log_text": lambda text, name, run_id: files.update({name: text}),
        }
    )

    log_to_mlflow(REPORT, "val/")

    assert numbers == {"val/F1__macro": NUMBER}
    assert files["report.html"].startswith("<!doctype html>")
    assert files["report.json"] == REPORT.to_json()


def test_mlflow_scorer_scores_row(fake: Callable[..., None]) -> None:
    fake(
        mlflow={},
        mlflow__entities={"Feedback": lambda **found: found},
        mlflow__genai={},
        mlflow__genai__scorers={"scorer": lambda function, name: function},
    )
    score = mlflow_scorer("text.TokenF1")

    found = score(
        inputs={"question": "?"}, outputs="red dog", expectations={"expected_response": "red"}
    )
    missing = score(outputs="red dog")

    assert found == {"name": "TokenF1", "value": pytest.approx(2 / 3)}
    assert missing == {"name": "TokenF1", "value": None, "rationale": "undefined: no references"}


def test_wandb_gets_numbers_and_page(fake: Callable[..., None]) -> None:
    logged: list[Any] = []
    run = SimpleNamespace(log=lambda found, step: logged.append((found, step)))
    fake(wandb={"run": None, "Html": len})

    log_to_wandb(REPORT, "val/", run=run, step=3)

    ((found, step),) = logged
    assert (found["val/F1__macro"], step) == (NUMBER, 3)
    assert found["val/report"] > 1000
    with pytest.raises(ReportError, match="expected an active run"):
        log_to_wandb(REPORT)


def test_tensorboard_gets_scalars_and_tables() -> None:
    written: list[Any] = []
    writer = SimpleNamespace(
        add_scalar=lambda *found: written.append(found),
        add_text=lambda *found: written.append(found),
    )

    log_to_tensorboard(REPORT, writer, "val/", step=2)

    assert written == [("val/F1__macro", NUMBER, 2), ("val/report", REPORT.to_markdown(), 2)]


def test_events_have_labels_of_requirements_and_ids_of_responses() -> None:
    items = [Text("r1", response="red", references="red"), Text("r2", response="red")]
    report = evaluate(items, ["ExactMatch"], items=True, require={"ExactMatch": ">= 0.5"})

    assert list(evaluation_events(report)) == [
        {
            "gen_ai.evaluation.name": "ExactMatch",
            "gen_ai.evaluation.score.value": 1.0,
            "gen_ai.evaluation.score.label": "pass",
        },
        {
            "gen_ai.evaluation.name": "ExactMatch",
            "gen_ai.evaluation.score.value": 1.0,
            "gen_ai.response.id": "r1",
        },
        {
            "gen_ai.evaluation.name": "ExactMatch",
            "gen_ai.evaluation.explanation": "no references",
            "gen_ai.response.id": "r2",
        },
    ]


def test_events_are_emitted_to_global_logger(fake: Callable[..., None]) -> None:
    emitted: list[Any] = []
    logs = {
        "LogRecord": lambda **found: found,
        "get_logger": lambda name, version: SimpleNamespace(emit=emitted.append),
    }
    fake(opentelemetry={}, opentelemetry___logs=logs)

    assert emit_evaluation_events(REPORT) == 1
    (event,) = emitted
    assert event["event_name"] == "gen_ai.evaluation.result"
    assert event["attributes"]["gen_ai.evaluation.score.label"] == "fail"


def test_harness_metric_is_computed_from_all_documents() -> None:
    f1 = lm_eval_metric("classification.F1", average="macro")

    pairs = [f1(references=[a], predictions=[b]) for a, b in zip(TRUTHS, PREDICTIONS, strict=True)]

    assert f1(pairs) == NUMBER
    assert (f1.__name__, f1.higher_is_better) == ("F1", True)
    with pytest.raises(ConfigError, match=r"expected a pair of reference and response, got 1\.0"):
        f1([1.0])
    with pytest.raises(ConfigError, match="expected a metric with a direction"):
        lm_eval_metric("classification.ConfusionMatrix")


@frozen
class Score:
    """Score of a sample."""

    value: float
    answer: str
    explanation: str | None
    metadata: dict[str, Any]


def test_inspect_scorer_computes_metric_from_all_samples(fake: Callable[..., None]) -> None:
    made: dict[str, Any] = {}

    def scorer(metrics: Any, name: str) -> Any:
        made.update(metrics=metrics, name=name)
        return lambda function: function

    members = {"Score": Score, "metric": lambda name: lambda function: function, "scorer": scorer}
    fake(inspect_ai={}, inspect_ai__scorer=members)
    score = inspect_scorer("classification.F1", average="macro")

    async def scores() -> list[Score]:
        return [
            await score(
                SimpleNamespace(output=SimpleNamespace(completion=predicted), input_text="?"),
                SimpleNamespace(target=[truth]),
            )
            for truth, predicted in zip(TRUTHS, PREDICTIONS, strict=True)
        ]

    found = asyncio.run(scores())

    assert [one.value for one in found] == [1.0, 1.0, 0.0, 1.0, 0.0, 1.0]
    assert made["metrics"][0]([SimpleNamespace(score=one) for one in found]) == NUMBER
    assert made["name"] == "F1"


TABLE = pd.DataFrame({"label": TRUTHS, "prediction": PREDICTIONS, "side": list("aabbab")})


class RayDataset:
    """Data set of Ray in this process."""

    def __init__(self, parts: list[Any]) -> None:
        self.parts = parts

    def map_batches(self, function: Any, batch_size: None, batch_format: str) -> RayDataset:
        return RayDataset([function(part) for part in self.parts])

    def iter_rows(self) -> Iterator[dict[str, Any]]:
        for part in self.parts:
            yield from pd.DataFrame(part).to_dict("records")


class SparkFrame:
    """Data frame of Spark in this process, with one part in each partition."""

    def __init__(self, parts: list[Any]) -> None:
        self.parts = parts

    def mapInPandas(self, function: Any, schema: str) -> SparkFrame:  # noqa: N802
        return SparkFrame([found for part in self.parts for found in function(iter([part]))])

    def toLocalIterator(self) -> Iterator[Any]:  # noqa: N802
        for part in self.parts:
            yield from part.to_dict("records")


@frozen
class PandasOnSparkFrame:
    """Data frame of Spark with the methods of pandas."""

    frame: SparkFrame

    def to_spark(self) -> SparkFrame:
        return self.frame


RayDataset.__module__, SparkFrame.__module__ = "ray.data.dataset", "pyspark.sql.dataframe"
PandasOnSparkFrame.__module__ = "pyspark.pandas.frame"


def test_partitions_have_report_of_whole_table() -> None:
    parts = [TABLE[:2], TABLE[2:2], TABLE[2:5], TABLE[5:]]
    frames = [dask.dataframe.from_pandas(TABLE, npartitions=3), RayDataset(parts)]
    frames += [SparkFrame(parts), PandasOnSparkFrame(SparkFrame(parts)), iter(parts)]

    reports: list[Report] = [evaluate_partitions(one, [F1], slices=["side"]) for one in frames]

    whole = evaluate(TABLE, [F1], slices=["side"])
    for report in reports:
        assert report.to_json() == whole.to_json()


def test_partitions_are_read_with_reader() -> None:
    renamed = TABLE.rename(columns={"label": "y", "prediction": "p"})
    reader = {"reader": "classification.predicted", "label": "y", "prediction": "p"}

    report = evaluate_partitions([renamed[:3], renamed[3:]], [F1], reader=reader)

    assert report["F1"].value == NUMBER


def test_partitions_without_rows_are_reported() -> None:
    report = evaluate_partitions([TABLE[:0]], [F1], "classification")

    assert report.warnings == ("no datums were counted",)


def test_metric_of_a_task_without_data_in_the_host_is_rejected() -> None:
    with pytest.raises(ConfigError, match="compute_metrics: expected a metric of classification"):
        compute_metrics(["Accuracy", {"name": "text.ROUGE"}])
    with pytest.raises(ConfigError, match="expected a metric of text or classification, detection"):
        lm_eval_metric("detection.AP")


def test_one_table_is_one_partition() -> None:
    assert evaluate_partitions(TABLE, [F1]).to_json() == evaluate(TABLE, [F1]).to_json()


def test_lazy_table_suggests_call_that_gets_its_rows() -> None:
    with pytest.raises(SchemaError, match=r"Pass its rows: data.collect\(\)"):
        evaluate_partitions(polars.from_pandas(TABLE).lazy(), [F1])


def test_parts_of_streamed_data_set_have_report_of_whole_table() -> None:
    streamed = datasets.Dataset.from_pandas(TABLE).to_iterable_dataset()

    report = evaluate_partitions(streamed.iter(3), [F1])

    assert report["F1"].value == NUMBER


def test_tables_by_column_are_one_partition() -> None:
    columns = {"label": TRUTHS, "prediction": PREDICTIONS}

    assert evaluate_partitions(columns, [F1])["F1"].value == NUMBER


@pytest.mark.parametrize("frame", [None, "table.csv"])
def test_other_objects_than_tables_are_rejected(frame: Any) -> None:
    with pytest.raises(SchemaError, match="expected a data frame or tables, got"):
        evaluate_partitions(frame, [F1])


def test_no_partitions_ask_for_a_task() -> None:
    with pytest.raises(SchemaError, match="expected rows, found none"):
        evaluate_partitions([], [F1])


@pytest.mark.parametrize(
    "log",
    [emit_evaluation_events, log_to_mlflow, log_to_wandb, partial(log_to_tensorboard, writer=1)],
)
def test_path_instead_of_report_suggests_to_load_it(log: Callable[[Any], object]) -> None:
    with pytest.raises(SchemaError, match=r"expected a report, got 'report.json'\nPass the result"):
        log("report.json")


def test_objects_that_are_no_logger_or_writer_are_rejected() -> None:
    with pytest.raises(SchemaError, match="log_to_tensorboard: expected a SummaryWriter, got None"):
        log_to_tensorboard(REPORT, None)
    with pytest.raises(SchemaError, match="emit_evaluation_events: expected a logger, got 'x'"):
        emit_evaluation_events(REPORT, logger="x")


def test_logits_of_other_items_than_labels_are_rejected() -> None:
    with pytest.raises(SchemaError, match="expected as many labels as logits, got 3 and 2"):
        compute_metrics(["Accuracy"])(([[1.0, 0.0], [0.0, 1.0]], [0, 1, 1]))
