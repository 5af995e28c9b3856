"""Metrics that await a slow judge in a separate process."""

from __future__ import annotations

import asyncio
import json
import re
import time
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from judges import Judge

import valor_core
from valor_core import Evaluator, NotRun, evaluate
from valor_core.errors import (
    ConfigError,
    ForeignStateError,
    ManifestError,
    MissingPluginError,
    ResourceError,
    StateError,
    UnknownNameError,
    ValorWarning,
)
from valor_core.resources.journal import Journal, journal_path
from valor_core.results import Failed, Undefined
from valor_core.schemas.text.batch import Text
from valor_core.specs.extensions import claims
from valor_core.specs.registry import Registry

ITEMS = [Text(f"q{i:02}", response=f"answer {i}", metadata={"noise": i % 2}) for i in range(24)]


def graded(
    judge: Judge, metrics: Any = "courtroom.Grade", data: Any = ITEMS, **options: Any
) -> Any:
    section = judge.section(**options.pop("section", {}))
    return evaluate(data, metrics, resources={"judge": section}, items=True, **options)


class TestConcurrency:
    def test_judge_width_limits_concurrent_items(self, judge: Judge) -> None:
        started = time.monotonic()

        report = graded(judge, ["courtroom.Grade", "courtroom.Both"], section={"width": 8})

        alone = len(ITEMS) * 2 * 2 * 0.02
        assert time.monotonic() - started < alone
        assert sum(judge.asked.values()) == len(ITEMS) * 4
        assert report["Grade"].value == report.items[0].rows.columns()[""].present.mean()
        grade = evaluate([ITEMS[0]], "courtroom.Grade", resources={"judge": judge.section()})
        assert grade.facts == {"judge": {"calls": 2, "model": "m1"}}
        peak = asyncio.run(_peak(judge.port))
        assert 4 < peak <= 8

    def test_evaluation_works_inside_running_loop(self, judge: Judge) -> None:
        async def notebook() -> Any:
            return graded(judge, data=ITEMS[:3])

        assert asyncio.run(notebook()) == graded(judge, data=ITEMS[:3])

    def test_item_may_have_several_named_numbers(self, judge: Judge) -> None:
        report = graded(judge, "courtroom.Both", data=ITEMS[:2])

        # the vowels of "q00 answer 0 first" (15 letters there are none of digits): a e i of 12
        assert report["Both"].value == {"first": 3 / 12, "second": 4 / 13}
        assert report.items[0].rows[0].value == {"first": 3 / 12, "second": 4 / 13}

    def test_batched_metric_scores_many_items_per_call(self, judge: Judge) -> None:
        report = graded(judge, "courtroom.Many", data=ITEMS[:4])

        assert report["Many"].value == 2 / 7  # a and e of "qanswer"
        assert len(judge.asked) == 4

    def test_slices_score_each_item_once(self, judge: Judge) -> None:
        report = graded(judge, slices=["noise"])

        assert set(judge.asked.values()) == {1}
        assert [dict(part[0].slice) for part in report.slices] == [{"noise": 0}, {"noise": 1}]

    def test_threads_share_width(self, judge: Judge) -> None:
        data = [[item] for item in ITEMS]
        batches = [valor_core.TextBatch.of(one) for one in data]

        graded(judge, data=batches, section={"width": 3}, engine={"mode": "threads", "workers": 12})

        assert asyncio.run(_peak(judge.port)) <= 3


async def _peak(port: int) -> int:
    """Return the largest number of concurrent requests at the judge."""
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(b'{"text": ""}\n')
    answer = json.loads(await reader.readline())
    writer.close()
    return int(answer["peak"])


class TestFailingItems:
    @pytest.mark.parametrize("metric", ["courtroom.Odd", "courtroom.OddLater"])
    @pytest.mark.usefixtures("courtroom")
    def test_failing_item_has_reason(self, metric: str) -> None:
        odd = {
            "exit": Failed("metrics.py, line 44: SystemExit: 3"),
            "huge": Failed(f"expected a number from {metric}, got 10000"),
            "raise": Failed("metrics.py, line 46: ZeroDivisionError: division by zero"),
            "fine": 0.5,
            "object": Failed(f"expected a number from {metric}, got <object object>"),
            "timeout": Failed("TimeoutError: no answer", retry=True),
            "failed": Failed("no reply"),
            "nothing": Failed(f"expected a number from {metric}, got {{}}"),
            "unnamed": Failed(f"expected a number from {metric}, got {{'': 1.0}}"),
            "silent": Failed("TimeoutError", retry=True),
            "cause": Failed("no reply"),
            "text": Failed("details: expected a table, got 'a sentence'"),
            "details": Failed(
                "details['reply'] must be numbers, strings, lists and mappings, got <object object>"
            ),
        }
        items = [Text(name, response=name) for name in odd]

        report = evaluate(items, metric, items=True)

        found = {row.uid: row.value for row in report.items[0].rows}
        assert str(found.pop("huge")).startswith(str(odd.pop("huge"))[:50])
        assert found == odd
        assert report.counts["failed"] == 12

    @pytest.mark.usefixtures("courtroom")
    def test_missing_named_number_is_excluded_from_mean(self) -> None:
        items = [Text(1, response="names"), Text(2, response="failed")]

        (result,) = evaluate(items, "courtroom.Odd")

        assert result.value == {"a": 1.0, "b": None}
        assert result.left_out == {
            "a: failed: no reply": 1,
            "b: failed: no reply": 1,
            "b: undefined: no b": 1,
        }


class TestBrokenMetrics:
    @pytest.mark.parametrize("mode", ["serial", "processes"])
    @pytest.mark.usefixtures("courtroom")
    def test_broken_metric_does_not_affect_others(self, mode: str) -> None:
        items = [Text(1, response="fine"), Text(2, response="fine")]
        names = ["Odd", "BadConstructor", "BadNeeds", "BadUpdate"]

        report = evaluate(
            [valor_core.TextBatch.of([item]) for item in items],
            [f"courtroom.{name}" for name in names],
            engine={"mode": mode, "workers": 2},
        )

        assert {result.type: result.error or result.value for result in report} == {
            "Odd": 0.5,
            "BadConstructor": "constructor: metrics.py, line 89: RuntimeError: constructed badly",
            "BadNeeds": "needs: expected StateRequests of classes of State, got 's'",
            "BadUpdate": "update: metrics.py, line 106: RuntimeError: counted badly",
        }
        assert not report.ok

    @pytest.mark.usefixtures("courtroom")
    def test_next_run_computes_broken_state_again(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        import courtroom.metrics

        state = tmp_path / "state.npz"
        assert evaluate(ITEMS, "courtroom.BadUpdate", state=state)[0].error is not None
        monkeypatch.setattr(courtroom.metrics.BadState, "update", lambda self, batch: None)

        assert evaluate(ITEMS, "courtroom.BadUpdate", state=state)[0].value == 1.0


class TestResources:
    def test_resource_with_two_names_is_opened_once(self, judge: Judge, tmp_path: Path) -> None:
        opened = tmp_path / "opened"

        graded(judge, ["courtroom.Grade", "courtroom.Both"], section={"opened": str(opened)})

        assert opened.read_text().splitlines() == ["open", "close"]

    def test_two_judges_yield_two_results(self, judge: Judge) -> None:
        several = {"a": judge.section(model="m1"), "b": judge.section(model="m2")}
        metrics = [{"name": "courtroom.Grade", "judge": name} for name in several]

        report = evaluate(ITEMS[:2], metrics, resources={"judge": several}, items=True)

        assert [result.parameters["judge"] for result in report] == ["a", "b"]
        assert report.facts == {
            "judge:a": {"calls": 4, "model": "m1"},
            "judge:b": {"calls": 4, "model": "m2"},
        }
        assert report.config["judge"]["b"]["model"] == "m2"

    def test_metric_selects_instance(self, judge: Judge) -> None:
        several = {"a": judge.section(), "b": judge.section()}

        with pytest.raises(
            ResourceError,
            match=r"courtroom\.Grade: expected judge to be one of a, b, got none",
        ):
            evaluate(ITEMS, "courtroom.Grade", resources={"judge": several})
        with pytest.raises(
            ResourceError, match=r"courtroom\.Grade: expected judge to be one of a, b, got 'c'"
        ):
            evaluate(ITEMS, {"name": "courtroom.Grade", "judge": "c"}, resources={"judge": several})
        with pytest.raises(ConfigError, match=r"courtroom\.Grade: judge must be a name, got 3"):
            evaluate(ITEMS, {"name": "courtroom.Grade", "judge": 3}, resources={"judge": several})

    def test_kind_is_found_by_name(self, judge: Judge) -> None:
        with pytest.raises(
            UnknownNameError,
            match=r"judge\.client: resource kind 'line': unknown to courtroom\.judge",
        ):
            evaluate(
                ITEMS,
                "courtroom.Grade",
                resources={"judge": {"client": {"name": "line", "port": judge.port}}},
            )
        with pytest.raises(
            ResourceError, match=r"judge\.client: expected a name or a table with a name, got none"
        ):
            evaluate(ITEMS, "courtroom.Grade", resources={"judge": {}})

    def test_workers_sum_facts_and_share_budget(self, judge: Judge) -> None:
        batches = [valor_core.TextBatch.of(ITEMS[i : i + 6]) for i in range(0, 24, 6)]

        report = graded(
            judge,
            data=batches,
            section={"budget": 21, "width": 2},
            engine={"mode": "processes", "workers": 2},
        )

        assert report.facts["judge"]["calls"] == sum(judge.asked.values()) <= 21
        assert report.counts["not_run"] >= 24 - 21 // 2
        assert report.stopped in {"budget of 11 calls is spent", "budget of 10 calls is spent"}

    def test_resource_warning_appears_once_in_report(
        self, judge: Judge, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        import courtroom.judge

        told = {"model": "m1", "warnings": ["m1 is a draft"]}
        warning = _changed(courtroom.judge.Judge, "facts", lambda self: told)
        monkeypatch.setattr(courtroom.judge, "Judge", warning)

        report = graded(judge, data=ITEMS[:2])

        assert report.warnings == ("judge: m1 is a draft",)
        assert report.facts == {"judge": {"model": "m1"}}

    @pytest.mark.parametrize(
        ("name", "value", "message"),
        [
            (
                "facts",
                lambda self: {"warnings": "a"},
                "judge: warnings must be a list of texts, got 'a'",
            ),
            ("facts", lambda self: 1 / 0, "judge: cannot read facts, test_scoring.py, line "),
            (
                "facts",
                lambda self: ["x"],
                "judge: facts must be a table of numbers and texts, got ['x']",
            ),
            ("width", "many", "judge: width must be a whole number of at least 1, got 'many'"),
            ("width", 0, "judge: width must be a whole number of at least 1, got 0"),
        ],
    )
    def test_invalid_resource_attribute_is_rejected(
        self, judge: Judge, monkeypatch: pytest.MonkeyPatch, name: str, value: Any, message: str
    ) -> None:
        import courtroom.judge

        monkeypatch.setattr(courtroom.judge, "Judge", _changed(courtroom.judge.Judge, name, value))

        with pytest.raises(ResourceError, match=re.escape(message)):
            graded(judge, data=ITEMS[:2])

    def test_failing_close_is_a_warning(
        self, judge: Judge, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        import courtroom.judge

        broken = _changed(courtroom.judge.Judge, "close", lambda self: 1 / 0)
        monkeypatch.setattr(courtroom.judge, "Judge", broken)

        with pytest.warns(ValorWarning, match="Judge could not be closed, test_scoring.py, line "):
            report = graded(judge, data=ITEMS[:2])

        assert report.ok


def _changed(cls: type, name: str, value: Any) -> type:
    """Return a subclass that overrides an attribute."""
    kept = property(lambda self: value, lambda self, given: None) if name == "width" else value
    return type(cls.__name__, (cls,), {name: kept})


class TestBudget:
    @pytest.mark.parametrize("width", [1, 4])
    def test_spent_budget_leaves_items_that_all_metrics_scored(
        self, judge: Judge, width: int
    ) -> None:
        section = {"budget": 24, "width": width}

        report = graded(judge, ["courtroom.Grade", "courtroom.Both"], section=section)

        scored = [
            {row.uid for row in table.rows if not isinstance(row.value, NotRun)}
            for table in report.items
        ]
        complete = {f"q{number:02}" for number in range(6)}
        if width == 1:
            assert scored == [complete, complete]  # two calls each
        assert set.union(*scored) <= {f"q{number:02}" for number in range(6 + width)}

    def test_functions_score_each_item_by_all_metrics(self, judge: Judge) -> None:
        order: list[str] = []

        @valor_core.metric("mylab.A", task="text", resources=("courtroom.judge",))
        def a(item: Text, *, judge: Any) -> float:
            order.append(f"{item.uid} A")
            return 1.0

        @valor_core.metric("mylab.B", task="text", resources=("courtroom.judge",))
        def b(item: Text, *, judge: Any) -> float:
            order.append(f"{item.uid} B")
            return 0.5

        report = graded(judge, [a, b], ITEMS[:2])

        assert order == ["q00 A", "q00 B", "q01 A", "q01 B"]
        assert [one.value for one in report] == [1.0, 0.5]


class TestResume:
    def test_larger_budget_resumes_stopped_run(self, judge: Judge, tmp_path: Path) -> None:
        state = tmp_path / "state.npz"

        first = graded(judge, section={"budget": 21, "width": 1}, state=state)
        second = graded(judge, section={"budget": 100, "width": 1}, state=state)

        assert first.stopped == "budget of 21 calls is spent"
        # the 21st call was the first one of an item, which cannot be finished
        assert first.counts == {"read": 24, "skipped": 0, "failed": 0, "not_run": 14}
        assert first.items[0].rows[23].value == NotRun("budget of 21 calls is spent")
        assert not first.ok
        assert second.ok
        assert second.counts == {"read": 24, "skipped": 0, "failed": 0}
        assert second.facts["judge"]["calls"] == 21 + 28
        assert sum(judge.asked.values()) == 49
        assert second.results == graded(judge).results

    def test_transient_failures_are_retried(self, judge: Judge, tmp_path: Path) -> None:
        items = [*ITEMS[:3], Text("q99", response="busy")]
        options: dict[str, Any] = {"data": items, "state": tmp_path / "state.npz"}
        metric = {"name": "courtroom.Grade", "calls": 1}

        first = graded(judge, metric, **options)
        second = graded(judge, metric, **options)
        third = graded(judge, metric, **options)

        assert first.items[0].rows[3].value == Failed(
            "ConnectionError: the judge is busy", retry=True
        )
        assert second.ok
        assert second.results == third.results
        assert judge.asked == Counter({"q99 busy 0": 2}) + Counter(
            f"{item.uid} {item.response} 0" for item in ITEMS[:3]
        )

    def test_merged_report_marks_unfinished_run(self, judge: Judge, tmp_path: Path) -> None:
        halves = [[valor_core.TextBatch.of(ITEMS[i : i + 6])] for i in range(0, 24, 6)]
        paths = [tmp_path / "first.npz", tmp_path / "second.npz"]
        data = [[*halves[0], *halves[1]], [*halves[2], *halves[3]]]
        graded(judge, data=data[0], state=paths[0])
        graded(judge, data=data[1], state=paths[1], section={"budget": 13, "width": 1})

        early = Evaluator.load(paths[0])
        early.resume(paths[1])
        report = early.compute()
        graded(judge, data=data[1], state=paths[1], section={"budget": 99})
        late = Evaluator.load(paths[0])
        late.resume(paths[1])

        assert report.counts["read"] == 18
        assert report.stopped == ("1 partition of the saved runs not counted yet")
        assert not report.ok
        assert late.compute().ok
        assert late.compute().results == graded(judge).results

    def test_journaled_rows_are_reported_after_budget_is_spent(
        self, judge: Judge, tmp_path: Path
    ) -> None:
        state = tmp_path / "state.npz"
        graded(judge, data=ITEMS[-3:], state=state)
        state.unlink()

        report = graded(judge, section={"budget": 1, "width": 1}, state=state)

        assert report.counts["not_run"] == 21
        assert len(report.items[0].rows.columns()[""].present) == 3

    def test_changed_item_reuses_no_row(self, judge: Judge, tmp_path: Path) -> None:
        state = tmp_path / "state.npz"
        graded(judge, state=state)
        state.unlink()
        changed = [*ITEMS[:-1], Text("q23", response="another", metadata={"noise": 1})]

        report = graded(judge, data=changed, state=state)

        assert sum(judge.asked.values()) == 48 + 2
        assert report.results == graded(judge, data=changed).results

    def test_rows_are_reused_for_other_width_but_not_other_model(
        self, judge: Judge, tmp_path: Path
    ) -> None:
        state = tmp_path / "state.npz"
        graded(judge, state=state)

        graded(judge, section={"width": 2}, state=state)
        assert sum(judge.asked.values()) == 48
        with pytest.raises(
            ForeignStateError,
            match=r"made by another request, judge\.model is 'm1' there and 'm2' here",
        ):
            graded(judge, section={"model": "m2"}, state=state)
        state.unlink()
        graded(judge, section={"model": "m2"}, state=state)
        assert sum(judge.asked.values()) == 96

    def test_journal_write_error_stops_run_and_keeps_rows(
        self, judge: Judge, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        state = tmp_path / "state.npz"

        def full(*arguments: Any) -> None:
            raise StateError(f"{journal_path(state)}: cannot be written, No space left on device")

        monkeypatch.setattr(Journal, "add", full)

        report = graded(judge, section={"width": 1}, state=state)

        assert report.stopped is not None
        assert "state.npz.rows.jsonl: cannot be written, No space left" in report.stopped
        assert report.counts["not_run"] == 23
        assert report.items[0].rows[0].value == report["Grade"].value

    def test_evaluator_state_is_not_a_run_state(self, judge: Judge, tmp_path: Path) -> None:
        state = tmp_path / "state.npz"
        section = {"judge": judge.section()}
        with Evaluator("courtroom.Grade", resources=section) as evaluator:
            evaluator.update(ITEMS[:1])
            evaluator.save(state)

        with pytest.raises(
            valor_core.ValorError,
            match=r"made with Evaluator.update, not from these",
        ):
            graded(judge, state=state)


class TestMetricsOverRows:
    def test_metric_reads_rows_with_metadata(self, judge: Judge) -> None:
        report = graded(judge, "courtroom.GradeByNoise", data=ITEMS[:4])

        # "q00 answer 0 0": a and e of 7 letters
        assert report["GradeByNoise"].value == [[0, 2 / 7], [1, 2 / 7]]
        assert [table.metric for table in report.items] == ["courtroom.Grade@1"]
        assert "valor-courtroom" in report.versions

    def test_shared_metric_is_scored_once(self, judge: Judge) -> None:
        chosen = [{"name": "courtroom.Grade", "calls": 1}, "courtroom.GradeByNoise"]

        report = graded(judge, chosen, data=ITEMS[:4], slices=["noise"])

        assert set(judge.asked.values()) == {1}
        assert report["Grade"].value == 2 / 7

    def test_metric_fails_if_no_item_has_the_metadata_field_it_reads(self, judge: Judge) -> None:
        items = [Text("q1", response="a", metadata={"noize": 1})]
        chosen = ["courtroom.GradeByNoise", {"name": "courtroom.Grade", "calls": 1}]

        report = graded(judge, chosen, data=items, slices=["noize"])

        reason = "data: no item has the metadata field 'noise'; did you mean 'noize'?"
        assert report["GradeByNoise"].only.error == reason
        assert report.slice(noize=1)["GradeByNoise"].only.error == reason
        assert report["Grade"].value is not None
        assert not report.ok

    def test_metadata_field_of_one_item_suffices(self, judge: Judge) -> None:
        items = [Text("q1", response="a", metadata={"noise": 1}), Text("q2", response="b")]

        report = graded(judge, ["courtroom.GradeByNoise"], data=items)

        assert "no item has" not in str(report["GradeByNoise"].only.error)

    def test_metric_over_rows_of_two_judges_yields_two_results(self, judge: Judge) -> None:
        judges = {name: judge.section(model=name) for name in ("strict", "mild")}
        curve = "courtroom.GradeByNoise"

        report = evaluate(
            ITEMS[:2],
            [{"name": curve, "judge": name} for name in judges],
            resources={"judge": judges},
        )

        assert [dict(result.parameters) for result in report] == [
            {"judge": "strict"},
            {"judge": "mild"},
        ]
        assert sum(judge.asked.values()) == 4
        with pytest.raises(
            ResourceError, match="expected judge to be one of strict, mild, got none"
        ):
            evaluate(ITEMS, curve, resources={"judge": judges})

    @pytest.mark.usefixtures("courtroom")
    def test_metric_over_rows_lists_required_judge(self) -> None:
        with pytest.raises(
            ManifestError,
            match=r"expected the resource judge, which courtroom\.Grade requires",
        ):
            evaluate(ITEMS, "courtroom.Unpaid")

    @pytest.mark.usefixtures("courtroom")
    def test_missing_plugin_error_names_dependent_metric(self) -> None:
        with pytest.raises(
            UnknownNameError,
            match=r"courtroom\.Elsewhere: metric 'segmentation_that_is_not_there\.Grade': no",
        ):
            evaluate(ITEMS, "courtroom.Elsewhere")

    @pytest.mark.usefixtures("courtroom")
    def test_missing_family_suggests_install_command(self, monkeypatch: pytest.MonkeyPatch) -> None:
        import courtroom.metrics

        from valor_core.states import RowsOf

        monkeypatch.setattr(
            courtroom.metrics.Elsewhere, "needs", lambda self: (RowsOf("segmentation.X"),)
        )
        registry = Registry()
        found = [one for one in claims() if one.namespace != "segmentation"]
        monkeypatch.setattr("valor_core.specs.registry.claims", lambda: found)

        with pytest.raises(
            MissingPluginError,
            match=r"metric 'segmentation\.X': the plugin 'segmentation' is not installed",
        ):
            evaluate(ITEMS, "courtroom.Elsewhere", registry=registry)


def test_progress_is_reported_per_item(judge: Judge) -> None:
    told: list[tuple[int, int, int]] = []

    graded(judge, section={"width": 1}, progress=lambda *how_far: told.append(how_far))

    counts = [items for _, _, items in told]
    assert counts == sorted(counts)
    assert len(set(counts)) > 3
    assert told[-1] == (1, 1, 24)


class Scored:
    """Callback that records the numbers of scored items, read items and calls."""

    def __init__(self) -> None:
        self.seen: list[tuple[int, int, int]] = []

    def on_scored(self, scored: int, read: int, usage: Any) -> None:
        self.seen.append((scored, read, usage["judge"]["calls"]))

    def __call__(self, finished: int, partitions: int, read: int) -> None:
        pass


def test_progress_of_a_resumed_run_counts_items_of_the_earlier_one(
    judge: Judge, tmp_path: Path
) -> None:
    first, second = Scored(), Scored()
    state = tmp_path / "state.npz"

    graded(judge, section={"budget": 20, "width": 1}, state=state, progress=first)
    graded(judge, section={"width": 1}, state=state, progress=second)

    assert all(read == 24 for _, read, _ in (*first.seen, *second.seen))
    assert first.seen[-1][0] <= 10
    assert second.seen[-1][0] > 10
    assert all(scored >= 10 for scored, _, calls in second.seen if calls)


def test_undefined_item_is_not_sent_to_judge(judge: Judge) -> None:
    report = graded(judge, data=[Text("q1")])

    assert report.items[0].rows[0].value == Undefined("no response")
    assert report.facts["judge"]["calls"] == 0
