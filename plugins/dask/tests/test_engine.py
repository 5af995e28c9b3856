"""The engine on clusters of real processes, which are killed for real."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cluster_readers import Deadly, length
from valor_classification.arrays import from_arrays
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
    """Batches of labels and scores, a few of them equal."""
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


def told(report: Report) -> Any:
    """All that a report says, but for which engine counted it."""
    record = report.to_dict()
    record["config"].pop("engine", None)
    return record


def test_an_engine_on_a_running_cluster_keeps_all_laws(steady: str) -> None:
    check_engine(Registry().find(EngineSpec, "dask"), {"scheduler": steady})


class TestSameBits:
    @pytest.mark.parametrize("parts", [1, 5, 33, 150])
    def test_a_cluster_counts_the_bits_of_one_machine(self, steady: str, parts: int) -> None:
        data = classified(parts, 8)

        report = evaluate(data, CLASSIFICATION, engine=on(steady))

        assert told(report) == told(evaluate(data, CLASSIFICATION))

    @pytest.mark.parametrize("config", sorted(ROOT.glob("examples/*/config.yaml")), ids=str)
    def test_every_example_has_the_report_of_one_machine(
        self, steady: str, config: Path, tmp_path: Path
    ) -> None:
        serial, there = (
            told(run_config(Request.from_file(config, [f"output={tmp_path}/{name}.json", *more])))
            for name, more in (
                ("here", ()),
                ("there", (f"engine={json.dumps(on(steady))}", *_split(config))),
            )
        )

        assert there["results"] == serial["results"]
        assert there["counts"] == serial["counts"]

    @pytest.mark.parametrize("task", ["detection", "segmentation", "text"])
    def test_every_task_has_the_results_of_one_machine(self, steady: str, task: str) -> None:
        metrics: dict[str, list[Any]] = {
            "detection": ["AP", "mAP", "AR", "Counts", "ConfusionMatrix", "Examples"],
            "segmentation": ["mIOU", "IOU", "PixelAccuracy", "ConfusionMatrix"],
            "text": [length],
        }
        for batches in examples.datasets(task).values():
            report = evaluate(list(batches), metrics[task], engine=on(steady), items=task == "text")

            here = evaluate(list(batches), metrics[task], items=task == "text")
            assert told(report) == told(here)

    def test_slices_filters_and_label_maps_are_those_of_one_machine(self, steady: str) -> None:
        items = [Text(i, response="x" * (i % 7), metadata={"m": i % 3}) for i in range(80)]
        data = [TextBatch.of(items[i : i + 2]) for i in range(0, 80, 2)]
        options: dict[str, Any] = {"slices": ["m"], "filter": "m != 1", "items": True}

        report = evaluate(data, length, engine=on(steady), **options)

        assert told(report) == told(evaluate(data, length, **options))


def _split(config: Path) -> tuple[str, ...]:
    has_images = config.parent.name in ("detection", "segmentation")
    return ("data.partition_images=2" if has_images else "data.partition_bytes=2000",)


class TestWorkersThatDie:
    def test_a_worker_that_is_killed_in_the_middle_costs_no_bit(
        self, cluster: Any, tmp_path: Path
    ) -> None:
        cluster.start_workers(3)
        data = classified(70)
        reader = Deadly(data, tmp_path, once=(45,))

        report = evaluate(reader, CLASSIFICATION, "classification", engine=on(cluster.scheduler))

        assert (tmp_path / "died-45").exists()
        assert sum(process.poll() == -9 for process in cluster.processes) == 1
        assert told(report) == told(evaluate(data, CLASSIFICATION))

    def test_a_killed_worker_of_a_cluster_here_is_started_again(self, tmp_path: Path) -> None:
        data = classified(40)
        reader = Deadly(data, tmp_path, once=(7, 23))

        report = evaluate(
            reader, CLASSIFICATION, "classification", engine={"name": "dask", "workers": 2}
        )

        assert {path.name for path in tmp_path.glob("died-?")} == {"died-7"}
        assert (tmp_path / "died-23").exists()
        assert told(report) == told(evaluate(data, CLASSIFICATION))

    def test_no_cluster_is_started_for_a_table_that_one_process_reads_with_all_cores(
        self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        lines = [f"item {row},cat,{'cat' if row % 3 else 'dog'}" for row in range(500)]
        path = tmp_path / "items.csv"
        path.write_text("\n".join(["uid,label,prediction", *lines]))
        data = {"reader": "predicted", "path": path, "partition_bytes": 1_000}
        monkeypatch.delattr(engine, "connected")

        report = evaluate(data, "Accuracy", "classification", engine={"name": "dask", "workers": 2})

        assert told(report) == told(evaluate(data, "Accuracy", "classification"))

    def test_a_partition_that_kills_every_worker_is_named_and_stops_the_run(
        self, tmp_path: Path
    ) -> None:
        reader = Deadly(classified(40), tmp_path, always=(11,))

        with pytest.raises(PartitionError, match="died while it counted it"):
            evaluate(
                reader,
                "Accuracy",
                "classification",
                engine={"name": "dask", "workers": 1, "retries": 0},
            )

    def test_a_partition_that_kills_every_worker_is_missing_where_that_is_reported(
        self, tmp_path: Path
    ) -> None:
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
    def test_the_error_is_that_of_one_machine(self, steady: str, tmp_path: Path) -> None:
        reader = Deadly(classified(40), tmp_path, broken=(17,))

        with pytest.raises(
            ReadError, match=r"part-17\.csv, row 3: expected a number, found 'x'"
        ) as there:
            evaluate(reader, "Accuracy", "classification", engine=on(steady))
        assert "in read" in str(there.value.__cause__)

    def test_they_are_named_in_the_report_where_that_was_asked_for(
        self, steady: str, tmp_path: Path
    ) -> None:
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

    def test_a_saved_state_lets_the_same_command_count_what_was_missing(
        self, steady: str, tmp_path: Path
    ) -> None:
        data, state = classified(70), tmp_path / "state.npz"
        reader = Deadly(data, tmp_path, broken=(17,))
        evaluate(
            reader, "Accuracy", "classification", engine=on(steady, missing="report"), state=state
        )

        mended = Deadly(data, tmp_path)
        again = evaluate(mended, "Accuracy", "classification", engine=on(steady), state=state)

        assert again.results == evaluate(data, "Accuracy").results


class TestClusters:
    def test_a_worker_of_another_version_is_refused_and_named(
        self, cluster: Any, tmp_path: Path
    ) -> None:
        info = tmp_path / "old" / "valor_core-0.0.1.dist-info"
        info.mkdir(parents=True)
        (info / "METADATA").write_text("Metadata-Version: 2.1\nName: valor-core\nVersion: 0.0.1\n")
        cluster.start_workers(1)
        cluster.start_workers(1, first=str(tmp_path / "old"))

        with pytest.raises(EngineError, match=r"engine: expected valor-core 0\.1\.0 on worker"):
            evaluate(classified(3), "Accuracy", engine=on(cluster.scheduler))

    def test_a_worker_without_valor_is_named(self, cluster: Any, tmp_path: Path) -> None:
        (tmp_path / "bare").mkdir()
        (tmp_path / "bare" / "valor_dask.py").write_text("raise ImportError('not here')\n")
        cluster.start_workers(1, first=str(tmp_path / "bare"))

        with pytest.raises(
            EngineError, match=r"to have valor-dask, Exception: ImportError\('not here"
        ):
            evaluate(classified(3), "Accuracy", engine=on(cluster.scheduler))

    def test_a_scheduler_that_dies_ends_the_run_with_one_line(
        self, cluster: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("valor_dask.cluster._PATIENCE", 3)
        cluster.start_workers(2)
        reader = Deadly(classified(100), tmp_path, victim=cluster.processes[0].pid)

        with pytest.raises(EngineError, match="engine: the scheduler at"):
            evaluate(reader, "Accuracy", "classification", engine=on(cluster.scheduler))

    def test_a_run_whose_workers_are_all_gone_ends_and_does_not_wait_for_ever(
        self, cluster: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("valor_dask.engine._PATIENCE", 1.0)
        cluster.start_workers(2)
        reader = Deadly(classified(3), tmp_path, always=(1,))

        with pytest.raises(
            EngineError, match=r"all are gone; in flight were .*batch 1.*\nStart on"
        ):
            evaluate(reader, "Accuracy", "classification", engine=on(cluster.scheduler))

    def test_tallies_that_are_lost_before_they_are_fetched_are_no_endless_wait(
        self, cluster: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("valor_dask.engine._PATIENCE", 1.0)
        cluster.start_workers(1)
        reader = Deadly(classified(2), tmp_path, always=(1,))

        def outcome(future: Any) -> Any:
            cluster.processes[-1].wait()
            return fetch(future)

        fetch = engine._outcome
        monkeypatch.setattr(engine, "_outcome", outcome)
        with pytest.raises(EngineError, match="all are gone; in flight were batch 0, batch 1"):
            evaluate(reader, "Accuracy", "classification", engine=on(cluster.scheduler))

    def test_a_scheduler_that_is_not_there_is_answered_with_how_to_start_one(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("valor_dask.cluster._PATIENCE", 1)
        for address in ("tcp://127.0.0.1:1", "no-such-protocol://here"):
            with pytest.raises(
                EngineError, match=r"engine\.scheduler: expected a Dask scheduler at"
            ):
                evaluate(classified(3), "Accuracy", engine=on(address))

    def test_a_scheduler_without_workers_is_answered_with_how_to_start_one(
        self, cluster: Any, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("valor_dask.cluster._PATIENCE", 2)

        with pytest.raises(EngineError, match=r"engine\.scheduler: expected workers at"):
            evaluate(classified(3), "Accuracy", engine=on(cluster.scheduler))

    @pytest.mark.parametrize(
        ("name", "message"),
        [
            ("workers", "engine.workers is of a cluster on this machine, got it with a scheduler"),
            ("retries", "engine.retries is of a cluster on this machine, got it with a scheduler"),
        ],
    )
    def test_a_running_scheduler_has_its_own_workers(self, name: str, message: str) -> None:
        with pytest.raises(ParameterError, match=re.escape(message)):
            evaluate(classified(3), "Accuracy", engine=on("tcp://127.0.0.1:1", **{name: 2}))

    def test_work_that_cannot_travel_says_so_before_anything_is_started(self) -> None:
        from valor_core import metric

        @metric("here.Zero", task="text")
        def zero(item: Any) -> float:
            return 0.0

        with pytest.raises(
            ValorError, match="engine: the work cannot be sent to other processes, PicklingError:"
        ):
            evaluate([Text("q")], [zero], engine=on("tcp://127.0.0.1:1"))
