from __future__ import annotations

import copy
import pickle
import re
import signal
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from io import BytesIO, StringIO
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from valor_core import Evaluator, Failed, Label, Registry, Undefined, metric
from valor_core.errors import (
    ConfigError,
    SchemaError,
    StateError,
    UnknownNameError,
    ValorError,
)
from valor_core.evaluation import EvaluationState
from valor_core.schemas.classification import Classification, ClassificationBatch
from valor_core.schemas.datum import Datums
from valor_core.schemas.text.batch import Text, TextBatch
from valor_core.specs.registry import DECORATED
from valor_core.specs.spec import MetricSpec

PLUGINS = Path(__file__).parents[2] / "plugins"
METRICS: list[Any] = [
    {"name": "lab.LongShare", "threshold": 4},
    {"name": "lab.LongShares", "thresholds": [1, 3]},
]


@pytest.fixture
def lab(install: Callable[..., Path]) -> None:
    install("valor-lab", "lab", PLUGINS / "lab")


OPTIONS: dict[str, Any] = {"slices": ["weather", ["weather", "city"]]}


def item(uid: Any, response: str = "Paris", **metadata: Any) -> Text:
    return Text(uid, response=response, metadata=metadata)


ITEMS = [
    item("q1", "Paris", weather="sun", city="A"),
    item("q2", "no", weather="rain", city="A"),
    item("q3", "Rom", weather="rain", city="B"),
    item("q4", "Stockholm", city="B"),
]


def evaluated(data: list[Text], metrics: Any = None, **options: Any) -> Evaluator:
    evaluator = Evaluator(METRICS if metrics is None else metrics, **options)
    evaluator.update(data)
    return evaluator


@metric("mylab.Score", task="text")
def score(item: Any, *, weight: float = 1) -> Any:
    if item.response == "no":
        return Undefined("not an answer")
    if item.response == "bad":
        raise ValueError("cannot read it")
    return len(item.response) * weight / 10


@pytest.mark.usefixtures("lab")
class TestStreaming:
    def test_result_is_independent_of_batches(self) -> None:
        evaluator = Evaluator(METRICS)

        for one in ITEMS:
            evaluator.update([one])

        assert evaluator.compute() == evaluated(ITEMS).compute()

    def test_counting_continues_after_compute(self) -> None:
        evaluator = Evaluator(METRICS)

        first = evaluator.compute()
        evaluator.update(ITEMS[:2])
        second = evaluator.compute()
        evaluator.update(ITEMS[2:])
        third = evaluator.compute()

        assert first["LongShare"].only.undefined == "no responses"
        assert second["LongShare"].value == 0.5
        assert third == evaluated(ITEMS).compute()
        assert evaluator.compute() == third

    @settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
    @given(st.permutations(range(4)), st.integers(0, 4), st.integers(0, 4))
    def test_report_is_independent_of_split_and_order(
        self, order: list[int], cut: int, other: int
    ) -> None:
        options: dict[str, Any] = {"slices": ["weather"]}
        items = [ITEMS[place] for place in order]
        low, high = sorted((cut, other))

        merged = evaluated(items[:low], **options)
        for part in (items[low:high], items[high:]):
            merged.merge(evaluated(part, **options))

        assert merged.compute() == evaluated(ITEMS, **options).compute()

    def test_rejected_batch_is_not_counted(self) -> None:
        evaluator = Evaluator(["lab.LongShare", "lab.Refusing"])
        evaluator.update([item("q1")])

        with pytest.raises(SchemaError, match="response: expected anything but 'no'"):
            evaluator.update([item("q2"), item("q3", "no")])

        report = evaluator.compute()
        assert report.counts["read"] == 1
        assert report["LongShare"].value == 1.0
        assert report["Refusing"].value == 1

    def test_batch_of_another_task_is_rejected(self) -> None:
        batch = ClassificationBatch.of([Classification("a", "dog", {"dog": 1})])

        with pytest.raises(
            SchemaError, match="data: expected a batch of text, got one of classification"
        ):
            Evaluator(METRICS).update(batch)

    def test_arrays_suggest_batch_constructor(self) -> None:
        with pytest.raises(SchemaError, match="data: expected items or a batch, got ndarray"):
            Evaluator(METRICS).update(np.array(["Paris", "Rom"]))

    def test_batch_is_not_modified(self) -> None:
        batch = TextBatch.of(ITEMS)

        evaluator = Evaluator(METRICS, slices=["city"])
        evaluator.update(batch)

        assert batch == TextBatch.of(ITEMS)


@pytest.mark.usefixtures("lab")
class TestUids:
    def test_item_in_two_batches_is_rejected(self) -> None:
        evaluator = evaluated(ITEMS[:2])
        evaluator.update([item("q2"), item("q5")])

        with pytest.raises(
            SchemaError, match="item 'q2': expected each uid once, found it 2 times"
        ):
            evaluator.compute()

    def test_item_in_two_merged_evaluators_is_rejected(self) -> None:
        evaluator = evaluated(ITEMS[:2])
        evaluator.merge(evaluated(ITEMS[1:]))

        with pytest.raises(
            SchemaError, match="item 'q2': expected each uid once, found it 2 times"
        ):
            evaluator.compute()

    def test_string_and_integer_uids_cannot_be_mixed(self) -> None:
        evaluator = evaluated([item("q1")])
        evaluator.update([item(1)])

        with pytest.raises(
            SchemaError, match="uids: expected all strings or all whole numbers, found both"
        ):
            evaluator.compute()

    def test_empty_batches_are_accepted(self) -> None:
        evaluator = Evaluator(METRICS)
        for items in ([], [item("q1")], []):
            evaluator.update(items)

        assert evaluator.compute().counts["read"] == 1

    def test_selected_items_without_uid_are_numbered(self) -> None:
        evaluator = Evaluator([score], items=True)
        batch = TextBatch(Datums.numbers(3), [None] * 3, ["a", "ab", "abcd"], *[[()] * 3] * 3)

        for _ in range(2):
            evaluator.update(batch.select(np.array([0, 2])))

        assert [row.uid for row in evaluator.compute().items[0].rows] == [0, 1, 2, 3]

    def test_items_without_uid_are_numbered_across_batches(self) -> None:
        evaluator = Evaluator([score], items=True)
        batch = TextBatch(Datums.numbers(2), [None] * 2, ["ab", "abcd"], *[[()] * 2] * 3)

        evaluator.update(batch)
        evaluator.update(batch)

        report = evaluator.compute()
        assert [row.uid for row in report.items[0].rows] == [0, 1, 2, 3]
        assert report.counts["read"] == 4


@pytest.mark.usefixtures("lab")
class TestMerging:
    def test_evaluator_with_other_metrics_is_not_merged(self) -> None:
        with pytest.raises(
            StateError,
            match=r"merge: made by another request, metrics: lab\.LongShares@1 only here",
        ):
            evaluated(ITEMS).merge(evaluated([], ["lab.LongShare"]))

    def test_merge_rejects_other_objects(self) -> None:
        with pytest.raises(StateError, match="merge: expected another evaluator, got None"):
            evaluated(ITEMS).merge(None)  # type: ignore[arg-type]

    def test_evaluator_with_other_parameters_is_not_merged(self) -> None:
        other = Evaluator([{"name": "lab.LongShare", "threshold": 5}])

        with pytest.raises(
            StateError,
            match=r"merge: made by another request, metrics\[0\]\.threshold of lab\.LongShare@2",
        ):
            Evaluator([{"name": "lab.LongShare", "threshold": 4}]).merge(other)

    def test_evaluator_with_other_slices_is_not_merged(self) -> None:
        with pytest.raises(
            StateError,
            match=r"made by another request, slices is \[\['weather'\]\] there and None here",
        ):
            Evaluator(METRICS).merge(Evaluator(METRICS, slices=["weather"]))

    def test_merge_keeps_other_evaluator_unchanged(self) -> None:
        one, other = evaluated(ITEMS[:2]), evaluated(ITEMS[2:])
        before = other.compute()

        one.merge(other)
        one.update([item("q9")])

        assert other.compute() == before


@pytest.mark.usefixtures("lab")
class TestSlices:
    def test_slices_computed_in_parallel_share_no_state(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        together: list[list[tuple[Any, ...]]] = []

        def in_turn(tasks: list[Any]) -> list[Any]:
            together.append([key for task in tasks for key in task.args[-1]])
            return [task() for task in tasks]

        monkeypatch.setattr("valor_core.evaluation.build_report.in_threads", in_turn)
        report = evaluated(ITEMS, slices=["weather", ["weather", "city"]]).compute()

        assert [len(keys) for keys in together] == [4, 4]
        assert all(len(set(keys)) == len(keys) for keys in together)
        assert len(report.slices) == 7

    def test_slice_equals_evaluation_of_its_items(self) -> None:
        report = evaluated(ITEMS, slices=["weather", ["weather", "city"]]).compute()

        for where in ({"weather": "rain"}, {"weather": "rain", "city": "B"}):
            items = [one for one in ITEMS if where.items() <= one.metadata.items()]
            assert [*report.slice(**where)] == [*evaluated(items).compute()]
            assert report.slice(**where).items == len(items)

    def test_missing_values_form_a_slice(self) -> None:
        report = evaluated(ITEMS, slices=["weather"]).compute()

        assert [part[0].slice for part in report.slices] == [
            {"weather": "rain"},
            {"weather": "sun"},
            {"weather": None},
        ]
        assert [*report.slice(weather=None)] == [*evaluated(ITEMS[3:]).compute()]

    def test_overall_results_are_independent_of_slices(self) -> None:
        sliced = evaluated(ITEMS, slices=["weather", "city"]).compute()

        assert sliced.results == evaluated(ITEMS).compute().results

    def test_too_many_combinations_are_not_counted(self) -> None:
        evaluator = Evaluator(METRICS, slices=["n"])
        evaluator.update([item(f"a{n}", n=n) for n in range(1000)])

        with pytest.raises(
            ConfigError,
            match="slices: expected at most 1,000 combinations of n, found 1,001 so far",
        ):
            evaluator.update([item("b", n=-1)])

        assert evaluator.compute().counts["read"] == 1000

    def test_too_many_combinations_are_not_merged(self, tmp_path: Path) -> None:
        one, other = (
            evaluated([item(f"{side}{n}", n=n + 600 * side) for n in range(600)], slices=["n"])
            for side in (0, 1)
        )
        other.save(tmp_path / "state.npz")
        before = one.compute()

        for merged in (lambda: one.merge(other), lambda: one.resume(tmp_path / "state.npz")):
            with pytest.raises(
                ConfigError,
                match="slices: expected at most 1,000 combinations of n, found 1,200 so far",
            ):
                merged()

        assert one.compute() == before

    def test_error_of_option_has_its_position(self) -> None:
        place = "c.yaml: "
        by_place: list[tuple[dict[str, Any], str]] = [
            ({"slices": ["n"]}, "slices: expected at most 1,000 combinations of n, found 1,001"),
        ]
        for options, message in by_place:
            with pytest.raises(ValorError) as caught:
                evaluated([item(n, n=n) for n in range(1001)], place=place, **options).compute()
            assert str(caught.value).startswith(place + message)

    def test_unknown_slice_field_is_a_warning(
        self,
    ) -> None:
        report = evaluated(ITEMS, slices=["wether"]).compute()

        assert report.not_found == (
            "slices: no item has the metadata field 'wether'; did you mean 'weather'?",
        )
        assert len(report.results) > 0
        assert not report.ok

    def test_report_without_items_fails_requirements(self) -> None:
        assert not evaluated([]).compute().ok

    def test_uid_is_not_a_slice_field(self) -> None:
        (warning,) = evaluated(ITEMS, slices=["uid"]).compute().not_found

        assert warning.startswith("slices: no item has the metadata field 'uid'")


@pytest.mark.usefixtures("lab")
class TestLabelMap:
    def test_labels_are_renamed_before_counting(self) -> None:
        items = [Classification("a", "tabby"), Classification("b", "cat"), Classification("c", "x")]
        evaluator = Evaluator(["lab.TruthCount"], label_map={"tabby": "cat"})

        evaluator.update(items)

        assert evaluator.compute()["TruthCount", "cat"].value == 2

    def test_order_of_label_map_is_irrelevant(self) -> None:
        one = Evaluator(["lab.TruthCount"], label_map={"a": "b", "c": "d"})
        other = Evaluator(["lab.TruthCount"], label_map={"c": "d", "a": "b"})

        one.merge(other)

        assert one.evaluation.describe() == other.evaluation.describe()

    def test_label_map_is_rejected_for_text(self) -> None:
        with pytest.raises(
            SchemaError, match="label_map: expected none, items of text have no labels"
        ):
            evaluated(ITEMS, label_map={"a": "b"})


@pytest.mark.usefixtures("lab")
class TestReports:
    def test_report_records_request_and_versions(self) -> None:
        report = evaluated(ITEMS).compute()

        assert list(report.versions) == ["valor-core", "valor-lab", "numpy"]
        assert report.versions["valor-lab"] == "1.0"
        assert report.config["metrics"][0]["name"] == "lab.LongShare@2"
        assert report.warnings == ()

    def test_report_without_data_has_warning(self) -> None:
        assert Evaluator(METRICS).compute().warnings == ("no datums were counted",)

    def test_failed_items_are_counted_once(self) -> None:
        items = [item("q1", "bad"), item("q2", "no"), item("q3", "Paris")]

        report = evaluated(items, [score, {"name": score, "weight": 2}]).compute()

        assert report.counts["failed"] == 1
        assert not report.ok
        failed, undefined = report.find("Score", weight=1.0).only.left_out
        assert re.fullmatch(
            r"failed: test_evaluator\.py, line \d+: ValueError: cannot read it", failed
        )
        assert undefined == "undefined: not an answer"
        assert report.find("Score", weight=1.0).value == 0.5

    def test_report_includes_item_rows_on_request(self) -> None:
        items = [item("q3"), item("q1", "bad"), item("q2", "no")]
        metrics = [score, {"name": score, "weight": 2}, "lab.LongShare"]

        report = evaluated(items, metrics, items=True).compute()

        assert [table.parameters for table in report.items] == [{"weight": 1.0}, {"weight": 2.0}]
        assert [row.uid for row in report.items[1].rows] == ["q1", "q2", "q3"]
        assert isinstance(report.items[0].rows[0].value, Failed)
        assert evaluated(items, metrics).compute().items == ()


@pytest.mark.usefixtures("lab")
class TestSavedStates:
    def test_loaded_evaluator_continues_with_same_report(self, tmp_path: Path) -> None:
        metrics = [*METRICS, {"name": score, "weight": 2}]
        registry = Registry()
        registry.add(score)
        evaluator = evaluated(ITEMS[:3], metrics, registry=registry, **OPTIONS)
        evaluator.save(tmp_path / "state.npz")

        loaded = Evaluator.load(tmp_path / "state.npz", registry)

        assert loaded.compute() == evaluator.compute()
        loaded.update(ITEMS[3:])
        whole = evaluated(ITEMS, metrics, registry=registry, **OPTIONS).compute()
        assert loaded.compute() == whole

    def test_evaluator_is_saved_in_memory(self) -> None:
        evaluator = evaluated(ITEMS, ["lab.LongShare"], **OPTIONS)

        loaded = Evaluator.loads(evaluator.dumps())

        assert loaded.compute() == evaluator.compute()

    def test_evaluator_is_saved_to_an_open_file(self, tmp_path: Path) -> None:
        evaluator, memory = evaluated(ITEMS, ["lab.LongShare"], **OPTIONS), BytesIO()

        evaluator.save(memory)
        with (tmp_path / "state.npz").open("wb") as file:
            evaluator.save(file)

        assert Evaluator.load(memory).compute() == evaluator.compute()
        with (tmp_path / "state.npz").open("rb") as file:
            assert Evaluator.load(file).compute() == evaluator.compute()

    @pytest.mark.parametrize("file", [StringIO(), 3, None])
    def test_object_that_is_no_file_is_rejected(self, file: Any) -> None:
        evaluator = evaluated(ITEMS, ["lab.LongShare"])

        with pytest.raises(StateError, match="save: expected a path or an open binary file, got"):
            evaluator.save(file)
        with pytest.raises(StateError, match=r"expected a (saved state|path, an open binary file)"):
            Evaluator.load(file)

    def test_file_open_for_reading_is_rejected(self, tmp_path: Path) -> None:
        (tmp_path / "state.npz").touch()
        with (
            (tmp_path / "state.npz").open("rb") as file,
            pytest.raises(StateError, match=r"got <_io.BufferedReader name=.*, write"),
        ):
            evaluated(ITEMS, ["lab.LongShare"]).save(file)

    def test_damaged_bytes_are_rejected(self) -> None:
        with pytest.raises(StateError, match="state of 3 bytes: expected a saved state, found"):
            Evaluator.loads(b"abc")

    def test_synced_evaluators_have_report_of_all_data(self) -> None:
        ranks = [Evaluator(["lab.LongShare", score], items=True, **OPTIONS) for _ in range(3)]
        for position, one in enumerate(ITEMS):
            ranks[position % 2].update([one])  # the last has no data
        contents = [rank.dumps() for rank in ranks]

        synced = [rank.sync(lambda content: contents) for rank in ranks]

        whole = evaluated(ITEMS, ["lab.LongShare", score], items=True, **OPTIONS).compute()
        assert [one.compute() for one in synced] == [whole] * 3
        assert [rank.counted_so_far for rank in ranks] == [rank.state.read for rank in ranks]
        assert ranks[2].state.read == 0

    def test_items_option_is_not_saved(self, tmp_path: Path) -> None:
        evaluator = Evaluator([score])
        evaluator.update([item("q1")])
        evaluator.save(tmp_path / "state.npz")
        registry = Registry()
        registry.add(score)

        report = Evaluator.load(tmp_path / "state.npz", registry, items=True).compute()

        assert [row.value for row in report.items[0].rows] == [0.5]

    def test_decorated_metric_of_this_process_is_loaded(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        # tests of other files decorate functions of the same name
        monkeypatch.setitem(DECORATED, "mylab.score", score)
        evaluated(ITEMS, [score]).save(tmp_path / "state.npz")

        again = Evaluator.load(tmp_path / "state.npz").compute()

        assert again["Score"] == evaluated(ITEMS, [score]).compute()["Score"]

    def test_unregistered_metric_needs_registry(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        evaluated(ITEMS, [score]).save(tmp_path / "state.npz")
        monkeypatch.delitem(DECORATED, "mylab.score")

        with pytest.raises(
            UnknownNameError,
            match=r"metrics\[0\]: metric 'mylab\.Score@1': no installed plugin claims the",
        ):
            Evaluator.load(tmp_path / "state.npz")

    @pytest.mark.usefixtures("interruptible")
    @pytest.mark.parametrize("how", ["merge", "resume"])
    def test_interrupt_is_deferred_while_counts_are_added(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, how: str
    ) -> None:
        one, other = evaluated(ITEMS[:1]), evaluated(ITEMS[1:])
        other.save(tmp_path / "state.npz")
        take = EvaluationState.absorb

        def interrupted(self: EvaluationState, added: EvaluationState) -> None:
            signal.raise_signal(signal.SIGINT)
            take(self, added)

        with monkeypatch.context() as patch:
            patch.setattr(EvaluationState, "absorb", interrupted)
            with pytest.raises(KeyboardInterrupt):
                one.merge(other) if how == "merge" else one.resume(tmp_path / "state.npz")

        assert one.compute() == evaluated(ITEMS).compute()

    def test_labels_are_saved_and_loaded(self, tmp_path: Path) -> None:
        label_map = {"tabby": ("animal", "cat")}
        evaluator = Evaluator(["lab.TruthCount"], label_map=label_map)
        evaluator.update([Classification("a", "tabby"), Classification("b", [("x", "y")])])
        evaluator.save(tmp_path / "state.npz")

        loaded = Evaluator.load(tmp_path / "state.npz")

        assert loaded.compute() == evaluator.compute()
        assert loaded.evaluation.label_map == {Label("class", "tabby"): Label("animal", "cat")}

    def test_shards_merge_from_files(self, tmp_path: Path) -> None:
        for number, items in enumerate([ITEMS[:1], ITEMS[1:]]):
            evaluated(items).save(tmp_path / f"{number}.npz")

        evaluator = Evaluator(METRICS)
        for number in (1, 0):
            evaluator.resume(tmp_path / f"{number}.npz")

        assert evaluator.compute() == evaluated(ITEMS).compute()

    @pytest.mark.parametrize(
        ("kind", "message"),
        [
            (str, "item '2': expected each uid once, found it 2 times"),
            (int, "item 2: expected each uid once, found it 2 times"),
        ],
    )
    def test_item_in_two_shards_is_rejected(self, tmp_path: Path, kind: type, message: str) -> None:
        evaluated([item(kind(1)), item(kind(2))]).save(tmp_path / "state.npz")
        evaluator = evaluated([item(kind(2)), item(kind(3))])

        evaluator.resume(tmp_path / "state.npz")

        with pytest.raises(SchemaError, match=re.escape(message)):
            evaluator.compute()

    @pytest.mark.parametrize(
        ("metrics", "options", "message"),
        [
            (
                ["lab.LongShare"],
                {},
                "made by another request, metrics: lab.LongShares@1 only there",
            ),
            (
                [{**METRICS[0], "threshold": 5}, METRICS[1]],
                {},
                "made by another request, metrics[0].threshold of lab.LongShare@2 is 4.0",
            ),
            (
                METRICS,
                {"slices": ["city"]},
                "made by another request, slices is None there and [['city']] here",
            ),
        ],
    )
    def test_state_of_another_request_is_rejected(
        self, tmp_path: Path, metrics: Any, options: dict[str, Any], message: str
    ) -> None:
        path = tmp_path / "state.npz"
        evaluated(ITEMS).save(path)

        with pytest.raises(StateError, match=re.escape(message)):
            Evaluator(metrics, **options).resume(path)

    def test_state_loads_with_another_package_version(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        path = tmp_path / "state.npz"
        evaluated(ITEMS).save(path)
        monkeypatch.setattr(Evaluator, "versions", {"valor-lab": "2.0"})

        evaluator = Evaluator(METRICS)
        evaluator.resume(path)

        assert evaluator.compute().results == evaluated(ITEMS).compute().results

    def test_state_of_another_metric_version_is_rejected(
        self, tmp_path: Path, install: Callable[..., Path]
    ) -> None:
        path = tmp_path / "state.npz"
        evaluated(ITEMS).save(path)
        evaluator = Evaluator(METRICS)
        request = evaluator.evaluation.describe()
        request["metrics"][0]["name"] = "lab.LongShare@3"

        with pytest.raises(
            StateError,
            match=r"there: made by another request, metrics: lab\.LongShare@3 only there and",
        ):
            evaluator.evaluation.check_same(request, "there")

    def test_missing_file_is_reported(self, tmp_path: Path) -> None:
        with pytest.raises(StateError, match="no such file"):
            Evaluator.load(tmp_path / "state.npz")

    def test_failed_save_leaves_no_file(self, tmp_path: Path) -> None:
        path = tmp_path / "missing" / "state.npz"

        with pytest.raises(StateError, match="cannot be written, No such file or directory"):
            evaluated(ITEMS).save(path)

    def test_save_replaces_existing_file(self, tmp_path: Path) -> None:
        evaluator = evaluated(ITEMS[:1])
        evaluator.save(tmp_path / "state.npz")
        evaluator.update(ITEMS[1:])
        evaluator.save(tmp_path / "state.npz")

        assert [path.name for path in tmp_path.iterdir() if path.is_file()] == ["state.npz"]
        assert Evaluator.load(tmp_path / "state.npz").compute() == evaluator.compute()


@pytest.fixture
def log(tmp_path: Path, mylab: Path) -> Path:
    """File in which the dictionary of `mylab.KnownWords` notes what happens to it."""
    return tmp_path / "log"


def of_known_words(log: Path) -> Evaluator:
    return Evaluator(["mylab.KnownWords"], resources={"dictionary": {"log": str(log)}})


def noted(log: Path) -> list[str]:
    events = [line.split()[0] for line in log.read_text().splitlines()]
    return [event for event in events if event != "has"]


def test_evaluator_closes_resources_after_error(log: Path) -> None:
    def work() -> None:
        with of_known_words(log) as evaluator:
            evaluator.update([item("q1")])
            assert noted(log) == ["open"]
            raise RuntimeError

    with pytest.raises(RuntimeError):
        work()

    assert noted(log) == ["open", "close"]


def test_closed_evaluator_reopens_resources(log: Path) -> None:
    evaluator = of_known_words(log)
    for uid in ("q1", "q2"):
        evaluator.update([item(uid)])
        evaluator.close()
    evaluator.close()

    assert noted(log) == ["open", "close"] * 2
    assert evaluator.compute().counts["read"] == 2


@pytest.mark.usefixtures("lab")
def test_copies_made_during_update_are_consistent() -> None:
    evaluator = Evaluator(METRICS)
    batches = [[item(f"q{i}_{k}", "word" * k, city=str(i)) for k in range(20)] for i in range(200)]

    def count() -> None:
        for batch in batches:
            evaluator.update(batch)

    with ThreadPoolExecutor(1) as threads:
        counting = threads.submit(count)
        copies = []
        while not counting.done():
            copies += [copy.deepcopy(evaluator), pickle.loads(pickle.dumps(evaluator))]
        counting.result()

    serial, rest = Evaluator(METRICS), iter(batches)
    for one in copies:  # in the order in which they were made, each of no less than the last
        report = one.compute()
        assert report.counts["read"] % 20 == 0
        for batch in islice(rest, (report.counts["read"] - serial.state.read) // 20):
            serial.update(batch)
        assert report == serial.compute()


def test_copy_opens_separate_resources(log: Path) -> None:
    with of_known_words(log) as evaluator:
        evaluator.update([item("q1")])
        with pickle.loads(pickle.dumps(evaluator)) as copied:
            copied.update([item("q2")])
        assert noted(log) == ["open", "open", "close"]
        evaluator.update([item("q3")])

    assert noted(log) == ["open", "open", "close", "close"]
    assert (copied.state.read, evaluator.state.read) == (2, 2)


def test_default_registry_is_created() -> None:
    assert isinstance(Evaluator([score]).registry, Registry)


@pytest.mark.usefixtures("lab")
def test_merge_with_itself_is_rejected() -> None:
    evaluator = evaluated(ITEMS)

    with pytest.raises(StateError, match="merge: expected another evaluator, got the same one"):
        evaluator.merge(evaluator)


@pytest.mark.usefixtures("lab")
@pytest.mark.parametrize(
    ("arguments", "error"),
    [
        ({"metrics": None}, "metrics must not be empty"),
        ({"metrics": []}, "metrics must not be empty"),
        ({"require": ["LongShare"]}, "require must be a table, got ['LongShare']"),
        ({"slices": [1]}, "slices[0] must be a string or table or list of string or table, got 1"),
        ({"slices": [[]]}, "slices[0]: expected at least one field, found none"),
        ({"task": 3}, "task must be a string, got 3"),
        ({"task": "txet"}, "task: expected one of classification, detection, segmentation, text"),
        ({"filter": 3}, "filter must be a string, got 3"),
        ({"items": 3}, "items must be true or false or path, got 3"),
        ({"items": "rows.jsonl"}, "items must be true or false, got 'rows.jsonl'"),
        ({"resources": 3}, "resources must be a table, got 3"),
        ({"resources": {"judge": 3}}, "judge must be a table, got 3"),
        ({"label_map": 3}, "label_map: expected a table of labels, got 3"),
        ({"label_map": {"": "cat"}}, "label_map: Label: value must be a non-empty string"),
    ],
)
def test_arguments_are_checked_like_config_keys(arguments: dict[str, Any], error: str) -> None:
    for place in ("", "c.yaml: "):
        with pytest.raises(ValorError) as caught:
            Evaluator(**({"metrics": ["lab.LongShare"], "task": "text"} | arguments), place=place)

        text = str(caught.value).replace("metrics[0]:", "metrics:")
        assert text.startswith(f"{place}{error}")


class TestUnusedRenames:
    ITEMS = (
        Classification("a", "cat", {"cat": 1.0}),
        Classification("b", "dog", {"dog": 1.0}),
    )
    WARNINGS = ("label_map: no item has the label 'dgo'; did you mean 'dog'?",)

    def evaluator(self, *items: Classification) -> Evaluator:
        renames = {"dgo": "dog", "cat": "animal"}
        evaluator = Evaluator(["lab.TruthCount"], "classification", label_map=renames)
        for one in items:
            evaluator.update([one])
        return evaluator

    @pytest.mark.usefixtures("lab")
    def test_unknown_label_in_label_map_is_a_warning(self) -> None:
        assert self.evaluator(*self.ITEMS).compute().warnings == self.WARNINGS

    @pytest.mark.usefixtures("lab")
    def test_labels_for_warnings_are_merged_and_saved(self, tmp_path: Path) -> None:
        one, two = self.evaluator(self.ITEMS[0]), self.evaluator(self.ITEMS[1])
        one.save(tmp_path / "one.npz")

        two.merge(Evaluator.load(tmp_path / "one.npz"))

        assert two.compute().warnings == self.WARNINGS


class TestReset:
    @pytest.fixture
    def length(self) -> MetricSpec:
        @metric("mylab.Length", task="text")
        def length(item: Any) -> float:
            return float(len(item.response))

        return length

    def test_reset_discards_counts(self, length: MetricSpec) -> None:
        evaluator = Evaluator([length])
        evaluator.update([Text("q1", response="Paris")])
        evaluator.reset()

        assert evaluator.compute().counts["read"] == 0
        evaluator.update([Text("q1", response="Rom")])
        assert evaluator.compute()["Length"].value == 3.0

    def test_repr_lists_metrics_and_count(self, length: MetricSpec) -> None:
        evaluator = Evaluator([length])
        evaluator.update([Text(i, response="a") for i in range(1200)])

        assert repr(evaluator) == "<Evaluator of 1 metric of text: Length; 1,200 items counted>"
