"""Tests of the engine on clusters of real processes, which some tests kill."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cluster_readers import Deadly, length
from distributed import Client
from valor_classification.readers.arrays import from_arrays
from valor_cli.config.config_file import Request
from valor_cli.run import run_config
from valor_dask import engine
from valor_testing import check_engine, examples

from valor_core import Report, evaluate
from valor_core.errors import EngineError, ParameterError, PartitionError, ReadError, ValorError
from valor_core.schemas.classification import ClassificationBatch
from valor_core.schemas.text import Text, TextBatch
from valor_core.specs import EngineSpec, Registry

ROOT = Path(__file__).parents[3]
CLASSIFICATION = ["Accuracy", "mROCAUC", "CalibrationError", "PrecisionRecallCurve", "Examples"]


def classified(parts: int, size: int = 20) -> tuple[ClassificationBatch, ...]:
    """Return batches of labels and scores, with ties."""
    random = np.random.default_rng(parts)
    return tuple(
        from_arrays(
            random.integers(0, 3, size),
            random.random((size, 3)).round(2),
            uids=np.arange(part * size, part * size + size),
        )
        for part in range(parts)
    )


def on(scheduler: str, **options: Any) -> dict[str, Any]:
    return {"name": "dask", "scheduler": scheduler, **options}


def body(report: Report) -> Any:
    """Return the content of a report without its engine."""
    record = report.to_dict()
    record["config"].pop("engine", None)
    return record


def close_before(monkeypatch: pytest.MonkeyPatch, method: str) -> None:
    """Close clients as they do without a scheduler, before they run a method."""
    called = getattr(Client, method)

    def close_and_call(client: Client, *arguments: Any, **options: Any) -> Any:
        client.sync(client._close)
        return called(client, *arguments, **options)

    monkeypatch.setattr(Client, method, close_and_call)


def test_engine_on_running_cluster_keeps_all_laws(steady: str) -> None:
    check_engine(Registry().find(EngineSpec, "dask"), {"scheduler": steady})


class TestSameBits:
    @pytest.mark.parametrize("parts", [1, 5, 33, 150])
    def test_classification_report_equals_serial_report(self, steady: str, parts: int) -> None:
        data = classified(parts, 8)

        report = evaluate(data, CLASSIFICATION, engine=on(steady))

        assert body(report) == body(evaluate(data, CLASSIFICATION))

    @pytest.mark.parametrize("config", sorted(ROOT.glob("examples/*/config.yaml")), ids=str)
    def test_reports_of_examples_equal_serial_reports(
        self, steady: str, config: Path, tmp_path: Path
    ) -> None:
        serial, there = (
            body(run_config(Request.from_file(config, [f"output={tmp_path}/{name}.json", *more])))
            for name, more in (
                ("here", ()),
                ("there", (f"engine={json.dumps(on(steady))}", *_split(config))),
            )
        )

        assert there["results"] == serial["results"]
        assert there["counts"] == serial["counts"]

    @pytest.mark.parametrize("task", ["detection", "segmentation", "text"])
    def test_results_of_every_task_equal_serial_results(self, steady: str, task: str) -> None:
        metrics: dict[str, list[Any]] = {
            "detection": ["AP", "mAP", "AR", "Counts", "ConfusionMatrix", "Examples"],
            "segmentation": ["mIOU", "IOU", "PixelAccuracy", "ConfusionMatrix"],
            "text": [length],
        }
        for batches in examples.datasets(task).values():
            report = evaluate(list(batches), metrics[task], engine=on(steady), items=task == "text")

            here = evaluate(list(batches), metrics[task], items=task == "text")
            assert body(report) == body(here)

    def test_slices_filters_and_label_maps_equal_serial_ones(self, steady: str) -> None:
        items = [Text(i, response="x" * (i % 7), metadata={"m": i % 3}) for i in range(80)]
        data = [TextBatch.of(items[i : i + 2]) for i in range(0, 80, 2)]
        options: dict[str, Any] = {"slices": ["m"], "filter": "m != 1", "items": True}

        report = evaluate(data, length, engine=on(steady), **options)

        assert body(report) == body(evaluate(data, length, **options))


def _split(config: Path) -> tuple[str, ...]:
    if config.parent.name == "dota":  # its reader has one partition
        return ()
    has_images = config.parent.name in ("detection", "segmentation")
    return ("data.partition_images=2" if has_images else "data.partition_bytes=2000",)


class TestWorkersThatDie:
    def test_killed_worker_does_not_change_report(self, cluster: Any, tmp_path: Path) -> None:
        cluster.start_workers(3)
        data = classified(70)
        reader = Deadly(data, tmp_path, once=(45,))

        report = evaluate(reader, CLASSIFICATION, "classification", engine=on(cluster.scheduler))

        assert (tmp_path / "died-45").exists()
        assert sum(process.poll() == -9 for process in cluster.processes) == 1
        assert body(report) == body(evaluate(data, CLASSIFICATION))

    def test_killed_worker_does_not_change_intervals(self, cluster: Any, tmp_path: Path) -> None:
        cluster.start_workers(3)
        data = classified(30)
        reader = Deadly(data, tmp_path, once=(17,))
        choices = {"metrics": ["Accuracy", "mROCAUC"], "confidence": {"resamples": 40}}

        report = evaluate(reader, task="classification", engine=on(cluster.scheduler), **choices)

        assert (tmp_path / "died-17").exists()
        assert body(report) == body(evaluate(data, **choices))

    def test_killed_worker_of_local_cluster_is_restarted(self, tmp_path: Path) -> None:
        data = classified(40)
        reader = Deadly(data, tmp_path, once=(7, 23))

        report = evaluate(
            reader, CLASSIFICATION, "classification", engine={"name": "dask", "workers": 2}
        )

        assert {path.name for path in tmp_path.glob("died-?")} == {"died-7"}
        assert (tmp_path / "died-23").exists()
        assert body(report) == body(evaluate(data, CLASSIFICATION))

    def test_small_table_is_read_without_cluster(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        lines = [f"item {row},cat,{'cat' if row % 3 else 'dog'}" for row in range(500)]
        path = tmp_path / "items.csv"
        path.write_text("\n".join(["uid,label,prediction", *lines]))
        data = {"reader": "predicted", "path": path, "partition_bytes": 1_000}
        monkeypatch.delattr(engine, "connected")

        report = evaluate(data, "Accuracy", "classification", engine={"name": "dask", "workers": 2})

        assert body(report) == body(evaluate(data, "Accuracy", "classification"))

    def test_partition_that_kills_workers_stops_run(self, tmp_path: Path) -> None:
        reader = Deadly(classified(40), tmp_path, always=(11,))

        with pytest.raises(PartitionError, match="died while it counted it"):
            evaluate(
                reader,
                "Accuracy",
                "classification",
                engine={"name": "dask", "workers": 1, "retries": 0},
            )

    def test_partition_that_kills_workers_is_reported_as_missing(self, tmp_path: Path) -> None:
        data = classified(70)
        reader = Deadly(data, tmp_path, always=(11,))
        chosen = {"name": "dask", "workers": 2, "retries": 1, "missing": "report"}

        report = evaluate(reader, CLASSIFICATION, "classification", engine=chosen)

        rest = evaluate([*data[:11], *data[12:]], CLASSIFICATION)
        assert report.results == rest.results
        assert report.counts == {**rest.counts, "missing_partitions": 1}
        (warning,) = report.warnings
        assert warning.startswith("batch 11 could not be counted, 2 workers died while they count")
        assert not report.ok


class TestPartitionsThatCannotBeCounted:
    def test_read_error_equals_serial_error(self, steady: str, tmp_path: Path) -> None:
        reader = Deadly(classified(40), tmp_path, broken=(17,))

        with pytest.raises(
            ReadError, match=r"part-17\.csv, row 3: expected a number, found 'x'"
        ) as there:
            evaluate(reader, "Accuracy", "classification", engine=on(steady))
        assert "in read" in str(there.value.__cause__)

    def test_failed_partitions_are_reported_as_missing(self, steady: str, tmp_path: Path) -> None:
        data = classified(70)
        reader = Deadly(data, tmp_path, broken=(17, 18, 60))

        report = evaluate(reader, "Accuracy", "classification", engine=on(steady, missing="report"))

        left = [one for i, one in enumerate(data) if i not in (17, 18, 60)]
        assert report["Accuracy"].value == evaluate(left, "Accuracy")["Accuracy"].value
        assert report.warnings == tuple(
            f"batch {i} could not be counted, part-{i}.csv, row 3: expected a number, found 'x'; "
            "mend it."
            for i in (17, 18, 60)
        )

    def test_missing_partitions_are_counted_on_resume(self, steady: str, tmp_path: Path) -> None:
        data, state = classified(70), tmp_path / "state.npz"
        reader = Deadly(data, tmp_path, broken=(17,))
        evaluate(
            reader, "Accuracy", "classification", engine=on(steady, missing="report"), state=state
        )

        mended = Deadly(data, tmp_path)
        again = evaluate(mended, "Accuracy", "classification", engine=on(steady), state=state)

        assert again.results == evaluate(data, "Accuracy").results


class TestClusters:
    def test_worker_with_other_version_is_rejected(self, cluster: Any, tmp_path: Path) -> None:
        info = tmp_path / "old" / "valor_core-0.0.1.dist-info"
        info.mkdir(parents=True)
        (info / "METADATA").write_text("Metadata-Version: 2.1\nName: valor-core\nVersion: 0.0.1\n")
        cluster.start_workers(1)
        cluster.start_workers(1, first=str(tmp_path / "old"))

        with pytest.raises(EngineError, match=r"engine: expected valor-core 0\.1\.0 on worker"):
            evaluate(classified(3), "Accuracy", engine=on(cluster.scheduler))

    def test_worker_without_valor_is_named(self, cluster: Any, tmp_path: Path) -> None:
        (tmp_path / "bare").mkdir()
        (tmp_path / "bare" / "valor_dask.py").write_text("raise ImportError('not here')\n")
        cluster.start_workers(1, first=str(tmp_path / "bare"))

        with pytest.raises(
            EngineError, match=r"to have valor-dask, Exception: ImportError\('not here"
        ):
            evaluate(classified(3), "Accuracy", engine=on(cluster.scheduler))

    def test_lost_scheduler_stops_run(
        self, cluster: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("valor_dask.cluster._TIMEOUT", 3)
        cluster.start_workers(2)
        reader = Deadly(classified(100), tmp_path, victim=cluster.processes[0].pid)

        with pytest.raises(EngineError, match="engine: the scheduler at"):
            evaluate(reader, "Accuracy", "classification", engine=on(cluster.scheduler))

    # A client closes itself when it cannot reach its scheduler again in time.
    def test_client_that_closes_itself_stops_run(
        self, steady: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        close_before(monkeypatch, "submit")

        with pytest.raises(EngineError, match="engine: the scheduler at"):
            evaluate(classified(3), "Accuracy", engine=on(steady))

    def test_client_that_closes_itself_after_last_partition_does_not_stop_run(
        self, steady: str, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        close_before(monkeypatch, "cancel")

        report = evaluate(classified(3), "Accuracy", engine=on(steady))

        assert body(report) == body(evaluate(classified(3), "Accuracy"))

    def test_run_without_workers_stops_after_timeout(
        self, cluster: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("valor_dask.engine._WORKER_TIMEOUT", 1.0)
        cluster.start_workers(2)
        reader = Deadly(classified(3), tmp_path, always=(1,))

        with pytest.raises(
            EngineError, match=r"all are gone; in flight were .*batch 1.*\nStart on"
        ):
            evaluate(reader, "Accuracy", "classification", engine=on(cluster.scheduler))

    def test_states_lost_before_fetch_stop_run_after_timeout(
        self, cluster: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("valor_dask.engine._WORKER_TIMEOUT", 1.0)
        cluster.start_workers(1)
        reader = Deadly(classified(2), tmp_path, always=(1,))

        def outcome(future: Any) -> Any:
            cluster.processes[-1].wait()
            return fetch(future)

        fetch = engine._outcome
        monkeypatch.setattr(engine, "_outcome", outcome)
        with pytest.raises(EngineError, match="all are gone; in flight were batch 0, batch 1"):
            evaluate(reader, "Accuracy", "classification", engine=on(cluster.scheduler))

    def test_unreachable_scheduler_suggests_start_command(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("valor_dask.cluster._TIMEOUT", 1)
        for address in ("tcp://127.0.0.1:1", "no-such-protocol://here"):
            with pytest.raises(
                EngineError, match=r"engine\.scheduler: expected a Dask scheduler at"
            ):
                evaluate(classified(3), "Accuracy", engine=on(address))

    def test_scheduler_without_workers_suggests_start_command(
        self, cluster: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("valor_dask.cluster._TIMEOUT", 2)

        with pytest.raises(EngineError, match=r"engine\.scheduler: expected workers at"):
            evaluate(classified(3), "Accuracy", engine=on(cluster.scheduler))

    @pytest.mark.parametrize(
        ("name", "message"),
        [
            ("workers", "engine.workers is of a cluster on this machine, got it with a scheduler"),
            ("retries", "engine.retries is of a cluster on this machine, got it with a scheduler"),
        ],
    )
    def test_workers_parameter_conflicts_with_scheduler(self, name: str, message: str) -> None:
        with pytest.raises(ParameterError, match=re.escape(message)):
            evaluate(classified(3), "Accuracy", engine=on("tcp://127.0.0.1:1", **{name: 2}))

    def test_unpicklable_work_is_rejected_before_cluster_starts(self) -> None:
        from valor_core import metric

        @metric("here.Zero", task="text")
        def zero(item: Any) -> float:
            return 0.0

        with pytest.raises(
            ValorError,
            match="evaluation cannot be sent to other processes, PicklingError:",
        ):
            evaluate([Text("q")], [zero], engine=on("tcp://127.0.0.1:1"))
