"""Evaluation: what is evaluated and how, which is all that a worker needs to know."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from operator import itemgetter
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
from attrs import field, frozen

from valor_core.errors import (
    ConfigError,
    ForeignStateError,
    SchemaError,
    ValorError,
    did_you_mean,
    error_at,
    shown,
)
from valor_core.evaluation.bound_metric import bind_metrics, task_of
from valor_core.evaluation.options import EvaluationOptions, check_sections
from valor_core.evaluation.plan import Plan
from valor_core.evaluation.slices import Slices
from valor_core.evaluation.state import EvaluationState
from valor_core.resources.bound import (
    BoundResource,
    bind_resources,
    with_later_defaults,
)
from valor_core.results.result import Result
from valor_core.schemas import Batch, Label
from valor_core.schemas import label_map as read_label_map
from valor_core.schemas.batch import first_places
from valor_core.schemas.datum import compact
from valor_core.schemas.pairing import BOTH
from valor_core.specs.registry import Registry
from valor_core.specs.spec import TaskSpec
from valor_core.states.state import Resources

if TYPE_CHECKING:
    from valor_core.filters import Filter


@frozen(repr=False)
class Evaluation:
    """What is evaluated and how; a value that pickles, for workers on other processes.

    Parameters
    ----------
    task : str
        Task of the batches.
    plan : Plan
        Metrics and states.
    slices : Slices
        Slices to report.
    filter : Filter, optional
        Which datums take part.
    label_map : mapping of Label to Label
        Renames applied to both sides first.
    resources : tuple of BoundResource
        What metrics need besides data.
    place : str
        Where all this was chosen, for errors: ``"config.yaml: "``.
    """

    task: str
    plan: Plan
    slices: Slices = field(factory=Slices)
    filter: Filter | None = None
    label_map: Mapping[Label, Label] = field(factory=dict)
    resources: tuple[BoundResource, ...] = ()
    place: str = field(default="", eq=False)

    @classmethod
    def of(
        cls,
        options: EvaluationOptions,
        task: str | None,
        resources: Mapping[str, Any] | None,
        registry: Registry,
        folder: Path | None = None,
        place: str = "",
    ) -> Evaluation:
        """Resolve the names in checked options and parse their filter and label map."""
        filter = options.filter
        with error_at(place):
            _check_task(task, registry)
        bound = bind_metrics(options.metrics, registry, task, place, folder)
        plan = Plan.of(bound, registry)
        asking = [(metric.spec, dict(metric.resources)) for metric in plan.taking_part]
        sections = check_sections(resources, registry, place)
        asked_for = bind_resources(asking, sections, registry, folder, place)
        with error_at(place):
            return cls(
                task_of(bound, task),
                plan,
                Slices(options.slices, place=place),
                None if filter is None else _parsed_filter(filter),
                read_label_map(options.label_map),
                asked_for,
                place,
            )

    def update(
        self,
        state: EvaluationState,
        batch: Batch,
        resources: Resources,
        start: int | None = None,
    ) -> None:
        """Count a batch.

        Parameters
        ----------
        state : EvaluationState
            Where it is counted.
        batch : Batch
            What was read.
        resources : mapping of str to object
            Opened resources.
        start : int, optional
            How many datums stand before it, where they are counted in other states.

        Raises
        ------
        SchemaError, ExpressionError
            As `taking_part`, and if a state refuses the batch.
        ConfigError
            If there are too many slices.
        """
        start = state.read + state.skipped if start is None else start
        kept = self.taking_part(batch, start)
        count = len(kept)
        state.fields.update(batch.datums.metadata)
        state.left_out.update(batch.left_out)
        state.first_left_out = first_places([state.first_left_out, batch.first_left_out])
        if self.label_map:
            state.labels.update(batch.labels)
        if BOTH not in state.sides:
            state.sides |= kept.sides
        if not state.label_sides.covers(kept.labels):
            state.label_sides.join(kept.label_sides)
        state.skipped += len(batch) - count
        for piece in kept.pieces():
            self.plan.count(state.states, piece, self.slices.split(piece), resources)
            self.slices.check(state.states)
        state.read += count
        if not kept.datums.numbered:
            state.uids.append(compact(kept.datums.uids))

    def taking_part(self, batch: Batch, start: int) -> Batch:
        """The datums of a batch that the filter keeps, under the label map.

        Parameters
        ----------
        batch : Batch
            What was read.
        start : int
            How many datums stand before it; datums without names are numbered from there.

        Raises
        ------
        SchemaError
            If it is a batch of another task, or one whose labels cannot be renamed.
        ExpressionError
            If the filter compares a field with what its values cannot be compared with.
        """
        if batch.task != self.task:
            raise SchemaError(f"data: expected a batch of {self.task}, got one of {batch.task}")
        if batch.datums.numbered and start:
            batch = batch.renumber(start)
        kept = self._kept(batch)
        return kept.relabel(self.label_map) if self.label_map else kept

    def _kept(self, batch: Batch) -> Batch:
        if self.filter is None:
            return batch
        datums = batch.datums
        missing = np.full(len(datums), None, dtype=object)
        columns = {name: datums.metadata.get(name, missing) for name in self.filter.fields}
        with error_at(self.place):
            mask = self.filter.mask(columns, datums.uids, len(datums))
        return batch if mask.all() else batch.select(np.flatnonzero(mask))

    def compute(
        self, states: Sequence[Any], where: Mapping[str, Any] | None = None
    ) -> list[Result]:
        """Results of all metrics over what some states have counted, of a slice where one is."""
        results = self.plan.compute(states, self.resources, where)
        metrics = self.plan.metrics
        # only what was chosen more than once repeats itself
        is_simple = len({metric.spec.name for metric in metrics}) == len(metrics)
        return results if is_simple else _without_repeats(results)

    def check_filter(self, state: EvaluationState) -> None:
        """Raise a `ConfigError` if the filter asks for a field that no datum has.

        It takes all of the data to tell: in a part of them, a field may be missing everywhere.
        """
        fields = () if self.filter is None else self.filter.metadata_fields
        for error in self._strange("filter", fields, state):
            raise error.at(self.place)

    def strange_slices(self, state: EvaluationState) -> list[str]:
        """Fields to slice by that no datum has; the rest of a long run still counts."""
        return [one.one_line for one in self._strange("slices", self.slices.fields, state)]

    def idle_renames(self, state: EvaluationState) -> list[str]:
        """Warnings of entries of the label map whose label no item has."""
        if not state.read:
            return []
        known = sorted(map(str, state.labels))
        return [
            ConfigError(
                f"label_map: no item has the label {str(label)!r}", did_you_mean(str(label), known)
            ).one_line
            for label in sorted(set(self.label_map) - state.labels)
        ]

    def _strange(
        self, key: str, names: Iterable[str], state: EvaluationState
    ) -> Iterator[ValorError]:
        if not state.read + state.skipped:
            return
        known = sorted(state.fields)
        for name in names:
            if name not in state.fields:
                listed = f"Fields there are: {', '.join(known) or 'none'}."
                yield ConfigError(
                    f"{key}: no item has the metadata field {name!r}",
                    did_you_mean(name, known) or listed,
                )

    def describe(self) -> dict[str, Any]:
        """The evaluation as plain values: the request that a saved state is checked against."""
        described: dict[str, Any] = {
            "task": self.task,
            "metrics": [metric.describe() for metric in self.plan.metrics],
        }
        if self.slices.wanted:
            described["slices"] = [list(names) for names in self.slices.wanted]
        if self.filter is not None:
            described["filter"] = self.filter.text
        if self.label_map:
            described["label_map"] = [
                [[label.key, label.value] for label in pair]
                for pair in sorted(self.label_map.items())
            ]
        for resource in self.resources:
            told = resource.describe()
            if resource.instance:
                told = described.get(resource.spec.short_name, {}) | {resource.instance: told}
            described[resource.spec.short_name] = told
        return described

    def identity(self) -> dict[str, Any]:
        """What can change a number: a saved state goes on with an equal one only.

        Budgets, widths and paths of resources may differ. What the environment filled in may not,
        and is told by a digest.
        """
        described = self.describe()
        described["metrics"] = [metric.identity() for metric in self.plan.metrics]
        for resource in self.resources:
            described.pop(resource.spec.short_name, None)
        for resource in self.resources:
            described[resource.name] = resource.identity()
        return described

    def check_same(self, other: Mapping[str, Any], source: str) -> None:
        """Raise a `ForeignStateError` unless `other` is the `identity` of this evaluation."""
        mine = self.identity()
        other = self._completed(other)
        for key in {**mine, **other}:
            if mine.get(key) != other.get(key):
                found = _apart(key, other.get(key), mine.get(key))
                raise ForeignStateError(
                    f"{source}: made by another request, {found}",
                    "Merge states of one config only.",
                )

    def _completed(self, saved: Mapping[str, Any]) -> dict[str, Any]:
        """A saved identity with the parameters that were declared since, at their defaults."""
        filled = dict(saved)
        there = saved.get("metrics")
        if isinstance(there, list) and len(there) == len(self.plan.metrics):
            filled["metrics"] = [
                with_later_defaults(one, metric.identity(), metric.parameters)
                for one, metric in zip(there, self.plan.metrics, strict=True)
            ]
        for resource in self.resources:
            if isinstance(one := saved.get(resource.name), Mapping):
                filled[resource.name] = resource.completed(one)
        return filled


_CHOICES = ("task", "metrics", "slices", "filter", "label_map")


def choices_of(described: Mapping[str, Any]) -> dict[str, Any]:
    """The arguments with which `Evaluator` makes an evaluation of which `describe` told this.

    Examples
    --------
    >>> choices_of({"task": "text", "metrics": ["ROUGE"], "judge": {"model": "m1"}})
    {'task': 'text', 'metrics': ['ROUGE'], 'resources': {'judge': {'model': 'm1'}}}
    """
    own = {key: value for key, value in described.items() if key in _CHOICES}
    return own | {"resources": {key: described[key] for key in described if key not in own}}


def _parsed_filter(text: str) -> Filter:
    from valor_core.filters import Filter  # most evaluations have none

    return Filter.parse(text)


def _check_task(task: str | None, registry: Registry) -> None:
    """A misspelt task is named as such; a plugin may have one that nobody declares."""
    if task is None or registry.knows_task(task) or task in registry.namespaces:
        return
    tasks = [spec.short_name for spec in registry.all(TaskSpec)]
    remedy = did_you_mean(task, tasks)
    if remedy is not None:
        raise ConfigError(f"task: expected one of {', '.join(tasks)}, got {task!r}", remedy)


def _apart(key: str, there: Any, here: Any) -> str:
    """What two entries of requests differ in."""
    if isinstance(there, Mapping) and isinstance(here, Mapping):
        name, there, here = _entry_apart(there, here)
        return _apart(f"{key}.{name}", there, here)
    if key == "metrics":
        names = [[str(metric.get("name")) for metric in metrics] for metrics in (there, here)]
        if names[0] != names[1]:
            return f"metrics: {_apart_by_name(*names)}"
        pairs = enumerate(zip(there, here, strict=True))
        place, (one, other) = next((i, pair) for i, pair in pairs if pair[0] != pair[1])
        name, there, here = _entry_apart(one, other)
        key = f"metrics[{place}].{name} of {one['name']}"
    return f"{key} is {shown(there)} there and {shown(here)} here"


class _Missing:
    """What a request says of a name that it does not have: not the same as none."""

    def __repr__(self) -> str:
        return "missing"


_MISSING = _Missing()


def _entry_apart(there: Mapping[str, Any], here: Mapping[str, Any]) -> tuple[str, Any, Any]:
    """The first name of two tables that differ which is not the same in both."""
    entries = (
        (name, there.get(name, _MISSING), here.get(name, _MISSING)) for name in {**there, **here}
    )
    return next(entry for entry in entries if entry[1] != entry[2])


def _apart_by_name(there: Sequence[str], here: Sequence[str]) -> str:
    only = (
        (", ".join(name for name in own if name not in others), where)
        for own, others, where in ((there, here, "there"), (here, there, "here"))
    )
    return " and ".join(f"{names} only {where}" for names, where in only if names) or (
        "in another order"
    )


def _without_repeats(results: Iterable[Result]) -> list[Result]:
    """Results without those that are equal to an earlier one.

    ``mAP`` and ``mAP50`` both have the mean at 0.5, which is one number of a report.
    """
    said: dict[str, list[Result]] = {}
    kept = []
    for one in results:
        told = sorted(one.parameters.items(), key=itemgetter(0))
        alike = said.setdefault(f"{one.metric} {told}", [])
        if one not in alike:
            kept.append(one)
            alike.append(one)
    return kept
