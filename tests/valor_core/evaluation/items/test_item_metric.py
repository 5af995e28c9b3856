from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from attrs import evolve

import valor_core
from valor_core.errors import ManifestError
from valor_core.parameters import NoParameters
from valor_core.results import (
    DetailColumns,
    Failed,
    ItemRow,
    ItemRows,
    ItemScore,
    Numbers,
    Undefined,
)
from valor_core.schemas.text.batch import Text, TextBatch
from valor_core.scoring.decorator import FunctionMetricSpec
from valor_core.scoring.item_metric import MOST_REASONS
from valor_core.scoring.scoring import ItemScorer, check_scorer
from valor_core.scoring.scoring import score as score_items
from valor_core.specs import MetricSpec, Range

ITEMS = [
    Text("q1", response="Paris", references=("Paris", "paris"), metadata={"city": "Paris"}),
    Text("q2", response="rome", references="Rome", metadata={"city": "Rome"}),
    Text("q3", response="unreadable", references="Rome", metadata={"city": "Rome"}),
    Text("q4", response="Oslo", metadata={"city": "Rome"}),
    Text("q5", references="Paris", metadata={"city": "Paris"}),
    Text("q6", response="Paris", references="Paris"),
]
LINE = "exact_match.py, line 11"
EXACT_MATCH_ROWS = [
    {"uid": "q1", "value": 1.0, "details": {"found": ["Paris"]}},
    {"uid": "q2", "value": 0.0, "details": {"found": []}},
    {"uid": "q3", "value": None, "error": f"{LINE}: ValueError: the reply cannot be read"},
    {"uid": "q4", "value": None, "undefined": "no references"},
    {"uid": "q5", "value": None, "error": "no reply"},
    {"uid": "q6", "value": 1.0, "details": {"found": ["Paris"]}},
]


def records_of(rows: Any) -> list[dict[str, Any]]:
    """Return rows as JSON values, without the excerpts that every text has."""
    records = [row.to_dict() for row in rows]
    for record in records:
        details = record.pop("details", {})
        kept = {k: v for k, v in details.items() if k not in ("truth", "prediction", "slices")}
        record |= {"details": kept} if kept else {}
    return records


def test_failing_item_does_not_stop_others(mylab: Path) -> None:
    report = valor_core.evaluate(ITEMS, ["mylab.ExactMatch"], items=True)

    (table,) = report.items
    assert records_of(table.rows) == EXACT_MATCH_ROWS
    assert (table.metric, dict(table.parameters)) == ("mylab.ExactMatch@1", {"ignore_case": False})


def test_mean_reports_excluded_items_and_reasons(mylab: Path) -> None:
    report = valor_core.evaluate(ITEMS, ["mylab.ExactMatch"])

    assert [result.to_dict() for result in report] == [
        {
            "type": "ExactMatch",
            "metric": "mylab.ExactMatch@1",
            "parameters": {"ignore_case": False},
            "value": 2 / 3,  # 1, 0 and 1
            "left_out": {
                f"failed: {LINE}: ValueError: the reply cannot be read": 1,
                "failed: no reply": 1,
                "undefined: no references": 1,
            },
        }
    ]
    assert report.counts == {"read": 6, "skipped": 0, "failed": 2}
    assert report.items == ()


def test_mean_is_finite_if_sum_overflows() -> None:
    def far(item: Text) -> float:
        return 1.5e308

    items = [Text("a"), Text("b"), Text("c")]
    spec = valor_core.metric("mylab.Far", task="text", higher_is_better=None)(far)
    report = valor_core.evaluate(items, [spec], "text")
    assert report["mylab.Far"].value == 1.5e308


def test_rows_are_kept_per_parameters(mylab: Path) -> None:
    choices = ["mylab.em", {"name": "mylab.ExactMatch", "ignore_case": True}]

    report = valor_core.evaluate(ITEMS, choices, items=True)

    assert [result.value for result in report] == [2 / 3, 1.0]
    assert [table.rows[0].details["found"] for table in report.items] == [
        ["Paris"],
        ["Paris", "paris"],
    ]


def test_item_failing_in_two_metrics_counts_once(mylab: Path) -> None:
    choices = ["mylab.em", {"name": "mylab.ExactMatch", "ignore_case": True}]

    assert valor_core.evaluate(ITEMS, choices).counts["failed"] == 2


def test_slice_result_is_mean_of_its_rows(mylab: Path) -> None:
    report = valor_core.evaluate(ITEMS, ["mylab.ExactMatch"], slices=["city"], items=True)

    found = {part[0].slice["city"]: part["ExactMatch"].only for part in report.slices}
    assert {city: result.value for city, result in found.items()} == {
        "Paris": 1.0,
        "Rome": 0.0,
        None: 1.0,
    }
    assert found["Paris"].left_out == {"failed: no reply": 1}
    assert report["ExactMatch"].value == 2 / 3
    assert records_of(report.items[0].rows) == EXACT_MATCH_ROWS
    cities = {item.uid: {"city": item.metadata.get("city")} for item in ITEMS}
    assert {row.uid: row.details["slices"] for row in report.items[0].rows} == cities


@pytest.mark.parametrize("mode", ["serial", "threads", "processes"])
def test_all_engines_return_same_report(mode: str, mylab: Path) -> None:
    batches = [TextBatch.of(ITEMS[start : start + 2]) for start in range(0, 6, 2)]
    metrics = ["mylab.ExactMatch", "mylab.KnownWords"]

    report = valor_core.evaluate(
        batches,
        metrics,
        engine={"name": "local", "mode": mode, "workers": 2},
        slices=["city"],
        items=True,
    )

    alone = valor_core.evaluate(ITEMS, metrics, slices=["city"], items=True)
    assert report.to_dict() == alone.to_dict()


def test_item_scores_round_trip(mylab: Path, tmp_path: Path) -> None:
    first = valor_core.Evaluator(["mylab.ExactMatch"], items=True)
    first.update(ITEMS[3:])
    first.save(tmp_path / "state.npz")

    second = valor_core.Evaluator(["mylab.ExactMatch"], items=True)
    second.resume(tmp_path / "state.npz")
    second.update(ITEMS[:3])

    (table,) = second.compute().items
    assert records_of(table.rows) == EXACT_MATCH_ROWS


def test_mean_fails_if_all_items_fail(mylab: Path) -> None:
    result = valor_core.evaluate(ITEMS[2:3], ["mylab.ExactMatch"])["ExactMatch"].only

    assert result.error == "all 1 items failed"


@pytest.mark.parametrize("items", [[], ITEMS[3:4], ITEMS[2:4]])
def test_mean_without_scores_is_undefined(items: list[Text], mylab: Path) -> None:
    report = valor_core.evaluate(items, ["mylab.ExactMatch"], task="text")

    assert report["ExactMatch"].only.undefined == "no items with a score"


def scored(answer: Any) -> ItemRow:
    """The row of one item that is scored with this answer."""

    def score(item: Any, parameters: Any, resources: Mapping[str, Any]) -> Any:
        return answer

    rows = score_items([ItemScorer(spec_of(score), NoParameters())], TextBatch.of([Text("q1")]), {})
    return rows[0][0]


def spec_of(score: Any) -> FunctionMetricSpec:
    return FunctionMetricSpec(
        name="mylab.Answer",
        task="text",
        summary="An answer",
        implementation="mylab.answer:score",
        higher_is_better=None,
        range=Range(),
        score=score,
    )


@pytest.mark.parametrize(
    ("answer", "value"),
    [
        (1, 1.0),
        (True, 1.0),
        (ItemScore(0.5, {"why": "half"}), 0.5),
        (Undefined("nothing there"), Undefined("nothing there")),
        (ItemScore(Failed("no reply")), Failed("no reply")),
        (float("nan"), Failed("expected a finite number from mylab.Answer, got nan")),
        (float("inf"), Failed("expected a finite number from mylab.Answer, got inf")),
        ("high", Failed("expected a number from mylab.Answer, got 'high'")),
        ("0.5", Failed("expected a number from mylab.Answer, got '0.5'")),
        (np.str_("0.5"), Failed("expected a number from mylab.Answer, got np.str_('0.5')")),
        (b"0.5", Failed("expected a number from mylab.Answer, got b'0.5'")),
        (np.float32(0.5), 0.5),
        (None, Failed("expected a number from mylab.Answer, got None")),
    ],
)
def test_return_value_becomes_number_or_reason(answer: Any, value: Any) -> None:
    row = scored(answer)

    assert row.value == value
    assert type(row.value) is type(value)


@pytest.mark.parametrize("value", [0.5, Undefined("nothing there"), Failed("no reply")])
def test_row_round_trip(value: Any) -> None:
    row = ItemRow("q1", value, {"why": "because"})

    assert ItemRow.from_dict(row.to_dict()) == row


def test_less_frequent_reasons_are_summed() -> None:
    @valor_core.metric("mylab.Reasons", task="text")
    def reasons(item: Text) -> Undefined:
        return Undefined(f"reason {len(item.response or '')}")

    items = [
        Text(10 * i + k, response="x" * i) for i in range(1, 1 + MOST_REASONS + 2) for k in range(2)
    ]
    left_out = valor_core.evaluate([*items, Text(0, response="x")], [reasons])[0].left_out

    assert len(left_out) == MOST_REASONS + 1
    assert left_out["undefined: reason 1"] == 3
    assert left_out["other reasons"] == 4


def test_mean_shows_first_line_of_reason() -> None:
    @valor_core.metric("mylab.Fails", task="text")
    def fails(item: Any) -> float:
        if item.uid == 2:
            raise ValueError(f"no {item.response}\nin line 3")
        return 1.0

    report = valor_core.evaluate(
        [Text(1, response="a"), Text(2, response="b")], [fails], items=True
    )

    reason = report.items[0].rows[1].value.reason
    assert reason.endswith(": ValueError: no b\nin line 3")
    assert report.results[0].left_out == {f"failed: {reason.splitlines()[0]}": 1}


READS = [
    Text("q1", response="a", references="a"),
    Text("q2", references="a"),
    Text("q3", response="b"),
    Text("q4", response="", references=""),
    Text("q5"),
]
READ_ROWS = [1.0, Undefined("no response"), Undefined("no references"), 1.0]
READ_ROWS += [Undefined("no response")]


def _said(item: Text) -> float:
    assert item.response is not None
    return float(item.response in item.references)


def _score(item: Text, parameters: Any, resources: Any) -> float:
    return _said(item)


async def _later(item: Text, parameters: Any, resources: Any) -> float:
    return _said(item)


def _array(batch: TextBatch, parameters: Any, resources: Any) -> Any:
    return np.array([_said(item) for item in batch.items()])


def _several(batch: TextBatch, parameters: Any, resources: Any) -> Any:
    found = _array(batch, parameters, resources)
    return {"a": found, "b": 1 - found}


def _columns(batch: TextBatch, parameters: Any, resources: Any) -> Any:
    found = Numbers(_array(batch, parameters, resources), np.zeros(len(batch), np.uint8))
    details = DetailColumns({"place": np.arange(len(batch))}, np.arange(len(batch)))
    return ItemRows(batch.datums.uids, {"": found}, details)


@pytest.mark.parametrize("score", [_score, _later, _array, _columns])
def test_item_without_required_field_is_undefined(score: Any) -> None:
    spec = evolve(spec_of(score), requires=("response", "references"), batched=score in MANY)

    (table,) = valor_core.evaluate(READS, [spec], items=True).items

    assert [row.value for row in table.rows] == READ_ROWS
    assert [row.uid for row in table.rows] == ["q1", "q2", "q3", "q4", "q5"]
    told = [record.get("details", {}) for record in records_of(table.rows)]
    assert told == ([{"place": 0}, {}, {}, {"place": 1}, {}] if score is _columns else [{}] * 5)


MANY = [_array, _columns, _several]


def test_missing_field_makes_all_named_numbers_undefined() -> None:
    spec = evolve(spec_of(_several), requires=("response", "references"), batched=True)

    report = valor_core.evaluate(READS, [spec], items=True)

    rows = [row.value for row in report.items[0].rows]
    assert rows == [{"a": 1.0, "b": 0.0} if one == 1.0 else one for one in READ_ROWS]
    assert report["Answer"].value == {"a": 1.0, "b": 0.0}
    assert report["Answer"].only.left_out == {
        "a: undefined: no response": 2,
        "a: undefined: no references": 1,
        "b: undefined: no response": 2,
        "b: undefined: no references": 1,
    }


def test_metric_is_not_called_if_all_items_lack_field() -> None:
    spec = evolve(spec_of(lambda *_: 1 / 0), requires=("reference_contexts",), batched=True)

    (table,) = valor_core.evaluate(READS, [spec], items=True).items

    assert [row.value for row in table.rows] == [Undefined("no reference contexts")] * 5


@pytest.mark.parametrize(
    "requires",
    [
        ("answer",),
        ("response", "reference"),
    ],
)
def test_unknown_required_field_is_rejected(requires: Any) -> None:
    with pytest.raises(
        ManifestError, match=r"mylab\.Answer: requires must be among query, response, references,"
    ):
        valor_core.evaluate(READS, [evolve(spec_of(_score), requires=requires)])


def test_required_fields_need_a_task_that_reports_missing_ones() -> None:
    spec = evolve(spec_of(_score), task="classification", requires=("predictions",))

    with pytest.raises(
        ManifestError,
        match=r"mylab\.Answer: expected no requires, got 'predictions'",
    ):
        valor_core.evaluate([], [spec], task="classification")


@pytest.mark.parametrize(
    ("requires", "message"),
    [
        ("response", "requires must be a tuple of names of fields, got 'response'"),
        (["response"], "requires must be a tuple of names of fields, got ['response']"),
        ((1,), "requires must be a tuple of names of fields, got (1,)"),
    ],
)
def test_requires_must_be_tuple_of_names(requires: Any, message: str) -> None:
    with pytest.raises(ManifestError, match=re.escape(message)):
        evolve(spec_of(_score), requires=requires)


def test_scorer_with_wrong_signature_is_rejected() -> None:
    def score(item: Any) -> float:
        return 0.0

    spec: MetricSpec = spec_of(score)

    with pytest.raises(
        ManifestError,
        match=r"mylab\.Answer: expected mylab\.answer:score to take \(item, parameters,",
    ):
        check_scorer(spec, score)
