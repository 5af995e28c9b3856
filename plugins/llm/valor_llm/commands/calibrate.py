"""``valor judge calibrate``: compare a judge with human labels."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import click
from attrs import evolve, frozen
from valor_cli.config.config_file import Request
from valor_cli.program import streams
from valor_cli.program.command import command as make_command
from valor_cli.program.command import set_option
from valor_cli.run import evaluator_of, registry_of
from valor_intervals import LEVEL
from valor_report import MISSING, TextColumn, TextTable, number_text

from valor_core import Registry
from valor_core.errors import ConfigError, ReportError
from valor_core.evaluation import BoundMetric, Evaluation
from valor_core.readers import reader_of
from valor_core.resources.bound import BoundResource
from valor_core.results import Undefined
from valor_core.scoring import ItemMetricSpec
from valor_llm.calibration.comparison import Comparison, compared
from valor_llm.calibration.labels import JudgedItem, Label, judged_items, paired, read_labels
from valor_llm.calibration.record import Calibration, Fingerprint, Record
from valor_llm.trust.panels import asked_models, model_warnings

JUDGE = "llm.judge"


@frozen
class Calibrated:
    """Calibration of one metric.

    Parameters
    ----------
    metric : str
        The metric.
    calibration : Calibration
        Labels and the judge's scores.
    unscored : int
        Number of labelled items without a score.
    warnings : tuple of str
        Warnings about the models that answered.
    """

    metric: str
    calibration: Calibration
    unscored: int
    warnings: tuple[str, ...] = ()


def calibrated(
    request: Request, labels: Sequence[Label], metric: str | None = None
) -> list[Calibrated]:
    """Compare the judge of a config with labels, for each metric that has labels.

    Only items with a label are scored.

    Parameters
    ----------
    request : Request
        The config.
    labels : sequence of Label
        The labels.
    metric : str, optional
        Metric of labels that name none; labels of other metrics are ignored.

    Raises
    ------
    ValorError
        If the labels fit no metric or no item, or are too few.
    """
    request = _with_rows_alone(request)
    checked = request.checked
    registry = registry_of(checked.run, request)
    with evaluator_of(checked, registry, request) as whole:
        assigned = _assigned(labels, whole.evaluation, metric, registry, request.place)
    chosen = [checked.run.metrics[i] for i in assigned]
    wanted = {label.uid for metric_labels in assigned.values() for label in metric_labels}
    further = {k: v for k, v in request.values.items() if k != "metrics_to_return"}
    request = evolve(request, values=further | {"metrics": chosen})
    with evaluator_of(request.checked, registry, request) as evaluator:
        task = evaluator.evaluation.task
        reader = reader_of(checked.run.data, task, registry, request.folder, request.place)
        items = [*_items(reader, evaluator.evaluation, wanted)]
        if items:
            evaluator.update(items)
        tables = {
            (table.metric, str(table.parameters)): table for table in evaluator.compute().items
        }
        found = []
        for bound, metric_labels in zip(
            evaluator.evaluation.plan.metrics, assigned.values(), strict=True
        ):
            table = tables[bound.spec.identity, str(bound.result_parameters)]
            rows = [*table.rows]
            judged: dict[str, JudgedItem | None] = dict.fromkeys(str(row.uid) for row in rows)
            judged |= {item.uid: item for item in judged_items(rows)}
            pairs = paired(metric_labels, judged, bound.spec.range)
            pairs.check_enough(bound.spec.name)
            judge = judge_of(bound, evaluator.evaluation)
            assert judge is not None
            scored = [row for row in rows if judged[str(row.uid)] is not None]
            fingerprint = Fingerprint.of(bound.spec, bound.parameters, judge, scored)
            calibration = Calibration(fingerprint, tuple(pairs.items), tuple(pairs.verdicts))
            warnings = model_warnings(asked_models(judge), (row.details for row in scored))
            found.append(Calibrated(bound.spec.name, calibration, pairs.unscored, warnings))
        return found


def judge_of(metric: BoundMetric, evaluation: Evaluation) -> BoundResource | None:
    """Return the judge that a metric of items asks, or None."""
    if not isinstance(metric.spec, ItemMetricSpec):
        return None
    made: Any = metric.make()
    asked = {opened for _, opened in made.scorer.chosen}
    for resource in evaluation.resources:
        if resource.spec.name == JUDGE and asked & {*resource.names}:
            return resource
    return None


def _with_rows_alone(request: Request) -> Request:
    """Reduce a request to rows of items, without thresholds, slices and files."""
    left_out = ("slices", "require", "output", "state", "gallery", "items")
    kept = {key: value for key, value in request.values.items() if key not in left_out}
    return evolve(request, values=kept | {"items": True})


def _items(reader: Any, evaluation: Evaluation, wanted: set[str]) -> Iterator[Any]:
    """Yield the labelled items that take part."""
    start = 0
    for partition in reader.partitions():
        for batch in reader.read(partition):
            kept = evaluation.taking_part(batch, start)
            start += len(batch)
            for item in kept.items():
                if str(item.uid) in wanted:
                    yield item


def _assigned(
    labels: Sequence[Label],
    evaluation: Evaluation,
    chosen: str | None,
    registry: Registry,
    section: str,
) -> Mapping[int, list[Label]]:
    """The labels by position of their metric in the config."""
    judged = {
        number: metric
        for number, metric in enumerate(evaluation.plan.metrics)
        if judge_of(metric, evaluation) is not None
    }
    names = [metric.spec.name for metric in judged.values()]

    def found(name: str, where: str) -> int:
        full = registry.metric(name, evaluation.task).name
        of_name = [number for number, metric in judged.items() if metric.spec.name == full]
        if len(of_name) == 1:
            return of_name[0]
        raise ConfigError(
            f"{where}expected a metric that the config has once and that asks a judge, got {name}",
            f"There are: {', '.join(names) or 'none'}.",
        )

    of_all = None if chosen is None else found(chosen, "--metric: ")
    assigned: dict[int, list[Label]] = {}
    for label in labels:
        if label.metric is not None:
            number = found(label.metric, f"{label.where}: metric: ")
            if of_all not in (None, number):
                continue
        elif of_all is not None:
            number = of_all
        elif len(judged) == 1:
            (number,) = judged
        else:
            raise ConfigError(
                f"{section}metrics: expected one that asks a judge, or labels that name theirs, "
                f"found {', '.join(names) or 'none'}",
                f"Name it: --metric {names[0]}"
                if names
                else "Choose one, such as llm.Faithfulness.",
            )
        assigned.setdefault(number, []).append(label)
    if not assigned:
        raise ConfigError(
            f"{section}metrics: expected labels of a metric, found none",
            "Fill in the column label for some items.",
        )
    return dict(sorted(assigned.items()))


_CALLED = {"ac1": "AC1", "base_rate": "base rate", "judge_minus_human": "judge minus human"}


@make_command("calibrate")
@click.argument("config", type=click.Path(path_type=Path))
@click.option(
    "--labels",
    type=click.Path(dir_okay=False, path_type=Path),
    required=True,
    help="File of labels in CSV or JSON Lines: uid, label, and if need be verdict and metric.",
)
@click.option("--metric", help="The metric that is labelled, where there are several.")
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False, path_type=Path),
    default=Path("judge-calibration.json"),
    show_default=True,
    help="File for the record of the calibration.",
)
@set_option("judge.max_calls=100")
def command(
    config: Path,
    labels: Path,
    metric: str | None,
    output: Path,
    settings: tuple[str, ...],
    as_json: bool,
) -> int:
    """Compare the judge of a config with human labels, and save the result.

    Only labelled items are scored; cached replies are free. Name the record as
    judge.calibration in the config: reports then have the mean that it corrects.
    """
    if output.resolve() in (config.resolve(), labels.resolve()):
        raise ReportError(f"-o: expected another file, {output} is an input")
    found = calibrated(Request.from_file(config, settings), read_labels(labels), metric)
    Record(tuple(one.calibration for one in found)).save(output)
    if as_json:
        streams.say_json({"record": str(output), "metrics": [_to_dict(one) for one in found]})
    else:
        streams.show(_table(one, of) for one in found for of in compared(one.calibration))
        for one in found:
            for warning in _warnings(one):
                streams.talk(f"valor: warning: {warning}")
        path = Path(os.path.relpath(output, config.parent)).as_posix()
        streams.talk(f"record written to {output}; use it with: judge: {{calibration: {path}}}")
    return 0


def _to_dict(one: Calibrated) -> dict[str, Any]:
    return {
        "metric": one.metric,
        "fingerprint": one.calibration.fingerprint.to_dict(),
        "compared": [of.to_dict() for of in compared(one.calibration)],
        "without_score": one.unscored,
        "warnings": _warnings(one),
    }


def _warnings(one: Calibrated) -> list[str]:
    found = [*one.warnings]
    if one.unscored:
        found.append(f"{one.metric}: {one.unscored:,} items with a label have no score")
    return found


def _table(one: Calibrated, of: Comparison) -> TextTable:
    about = "" if of.of != "verdicts" else f" of {of.items:,} items"
    rows: list[Any] = []
    for name, value in of.numbers.items():
        shown = _CALLED.get(name, name)
        if isinstance(value, Undefined):
            rows.append([shown, MISSING, value.reason])
            continue
        ends = value.interval
        interval = "none" if ends is None else f"{number_text(ends[0])} to {number_text(ends[1])}"
        rows.append([shown, number_text(value.value), interval])
    return TextTable(
        f"{one.metric}: {of.count:,} {of.of}{about}",
        ["judge and human", TextColumn("value", numeric=True), f"{LEVEL * 100:g} % interval"],
        rows,
    )
