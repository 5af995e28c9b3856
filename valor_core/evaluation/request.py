"""Evaluation: resolved metrics and options, sent to workers."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import chain
from operator import itemgetter
from pathlib import Path
from typing import Any, Protocol, cast

import numpy as np
from attrs import evolve, field, frozen
from numpy.typing import NDArray

from valor_core.errors import (
    ConfigError,
    ForeignStateError,
    SchemaError,
    ValorError,
    did_you_mean,
    error_at,
    short_repr,
)
from valor_core.evaluation.bound_metric import BoundMetric, bind_metrics, task_of
from valor_core.evaluation.options import EvaluationOptions, check_sections
from valor_core.evaluation.plan import Plan
from valor_core.evaluation.slices import Grouping, Slices
from valor_core.evaluation.state import EvaluationState
from valor_core.packages import OWNERS, SHARED_READERS, STATISTICS
from valor_core.parameters.declaration import changed_parameters
from valor_core.resources.bound import (
    BoundResource,
    bind_resources,
    with_later_defaults,
)
from valor_core.results.result import Result
from valor_core.schemas import Batch, Label
from valor_core.schemas import label_map as read_label_map
from valor_core.schemas.batch import first_places
from valor_core.schemas.columns import Floats
from valor_core.schemas.datum import compact
from valor_core.schemas.pairing import BOTH
from valor_core.schemas.slice_values import python_values
from valor_core.specs.extensions import FILTERS, INTERVALS, required
from valor_core.specs.registry import Registry
from valor_core.specs.spec import TaskSpec
from valor_core.states.state import Resources


class Filter(Protocol):
    """Parsed expression over metadata that selects datums. Picklable."""

    @property
    def text(self) -> str:
        """Text of the expression."""

    @property
    def fields(self) -> tuple[str, ...]:
        """Fields that it reads, including ``uid``."""

    @property
    def metadata_fields(self) -> tuple[str, ...]:
        """Fields that it reads from the metadata."""

    def mask(
        self, columns: Mapping[str, NDArray[Any]], uids: NDArray[Any], count: int
    ) -> NDArray[np.bool_]:
        """Return whether each of `count` datums passes."""


@frozen(repr=False)
class Evaluation:
    """Resolved metrics and options of an evaluation. Picklable.

    Parameters
    ----------
    task : str
        Task of the batches.
    plan : Plan
        Metrics and states.
    slices : Slices
        Slices to report.
    filter : Filter, optional
        Filter of the datums.
    label_map : mapping of Label to Label
        New names of labels, applied to both sides before counting.
    resources : tuple of BoundResource
        Resources of the metrics.
    weights : str, optional
        Metadata field with the weight of each item.
    place : str
        Prefix of errors, such as ``"config.yaml: "``.
    """

    task: str
    plan: Plan
    slices: Slices = field(factory=Slices)
    filter: Filter | None = None
    label_map: Mapping[Label, Label] = field(factory=dict)
    resources: tuple[BoundResource, ...] = ()
    weights: str | None = None
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
            check_task(task, registry)
        bound = bind_metrics(options.metrics, registry, task, place, folder)
        plan = Plan.of(bound, registry, rows=bool(options.items))
        users = [(metric.spec, dict(metric.resources)) for metric in plan.taking_part]
        sections = check_sections(resources, registry, place)
        bound_resources = bind_resources(users, sections, registry, folder, place)
        if options.weights is not None and plan.weightless:
            raise ConfigError(
                f"{place}weights: expected metrics that count weights of items, got "
                f"{', '.join(plan.weightless)}",
                "Evaluate them without weights in another report.",
            )
        source = "the data" if options.task is None else "the config" if place else "task"
        with error_at(place):
            return cls(
                task_of(bound, task, source),
                plan,
                _slices(options, place),
                None if filter is None else _parsed_filter(filter),
                read_label_map(options.label_map),
                bound_resources,
                options.weights,
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
            State to update.
        batch : Batch
            Batch to count.
        resources : mapping of str to object
            Opened resources.
        start : int, optional
            Number of preceding datums, if they are counted in another state.

        Raises
        ------
        SchemaError, ExpressionError
            As `taking_part`, and if a state rejects the batch.
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
        state.read += count
        for piece in kept.pieces():
            weights = (
                () if self.weights is None else (self._weights_of(piece, self.weights, state),)
            )
            state.is_weighted |= any(map(np.any, weights))
            parts = list(self.slices.split(piece))
            state.sizes.update({key: len(positions) for key, positions in parts})
            if self.plan.lists_items and self.slices.fields:
                uids = compact(piece.datums.uids)
                for key, positions in parts:
                    values = key[: len(self.slices.fields)]
                    state.sliced_uids.setdefault(values, []).append(uids[positions])
            self.plan.count(state.states, piece, parts, resources, *weights)
            self.slices.check(state.states)
        if not kept.datums.numbered:
            state.uids.append(compact(kept.datums.uids))

    def taking_part(self, batch: Batch, start: int) -> Batch:
        """Apply the filter and label map to a batch.

        Parameters
        ----------
        batch : Batch
            Batch to select from.
        start : int
            Number of preceding datums. Datums without uid are numbered from there.

        Raises
        ------
        SchemaError
            If the batch has another task, or its labels cannot be renamed.
        ExpressionError
            If the filter compares a field with a value of another type.
        """
        if batch.task != self.task:
            raise SchemaError(f"data: expected a batch of {self.task}, got one of {batch.task}")
        if batch.datums.numbered and start:
            batch = batch.renumber(start)
        kept = self._filtered(batch)
        return kept.relabel(self.label_map) if self.label_map else kept

    def _filtered(self, batch: Batch) -> Batch:
        if self.filter is None:
            return batch
        datums = batch.datums
        missing = np.full(len(datums), None, dtype=object)
        columns = {name: datums.metadata.get(name, missing) for name in self.filter.fields}
        with error_at(self.place):
            mask = self.filter.mask(columns, datums.uids, len(datums))
        return batch if mask.all() else batch.select(np.flatnonzero(mask))

    def _weights_of(self, batch: Batch, name: str, state: EvaluationState) -> Floats:
        for error in self._unknown_fields("weights", [name], state):
            raise error.at(self.place)
        missing = np.full(len(batch), None, dtype=object)
        values = python_values(batch.datums.metadata.get(name, missing))
        valid = (isinstance(one, _NUMBERS) and 0 <= one <= _GREATEST for one in values)
        pairs = zip(values, valid, strict=True)
        weights = np.array([float(one) if is_valid else -1.0 for one, is_valid in pairs])
        for position in np.flatnonzero(weights < 0)[:1].tolist():
            raise SchemaError(
                f"{batch.datums.name(position)}: expected a finite weight of 0 or more in the "
                f"metadata field {name!r}, found {short_repr(values[position])}",
                "Give each item a number, 0 to exclude it, or name another field.",
            )
        return weights

    def compute(
        self, states: Sequence[Any], where: Mapping[str, Any] | None = None
    ) -> list[Result]:
        """Compute the results of all metrics from states, optionally those of a slice."""
        results = self.plan.compute_each(states, self.resources, where)
        metrics = self.plan.metrics
        # Only a metric that is chosen twice can repeat results.
        is_simple = len({metric.spec.name for metric in metrics}) == len(metrics)
        flat = chain.from_iterable(results if is_simple else _distinct(metrics, results))
        return list(flat) if is_simple else _without_repeats(flat)

    def check_fields(self, state: EvaluationState) -> None:
        """Raise a `ConfigError` if the filter uses a field that no datum has, or all weights are 0.

        Requires the state of all data: a field may be missing in one part only.
        """
        fields = () if self.filter is None else self.filter.metadata_fields
        for error in self._unknown_fields("filter", fields, state):
            raise error.at(self.place)
        if self.weights is not None and state.read and not state.is_weighted:
            raise ConfigError(
                f"{self.place}weights: expected an item with a weight above 0 in the metadata "
                f"field {self.weights!r}, found 0 for all {state.read:,}",
                "Name another field, or remove weights to count each item once.",
            )

    def unknown_slices(self, state: EvaluationState) -> list[str]:
        """Return warnings about slices by fields that no datum has."""
        return [one.one_line for one in self._unknown_fields("slices", self.slices.fields, state)]

    def unknown_metadata(self, state: EvaluationState) -> dict[str, str]:
        """Return the reason why a metric over item rows fails, if no datum has a field it reads."""
        return {
            metric: one.one_line
            for metric, fields in self.plan.metadata
            for one in self._unknown_fields("data", fields, state)
        }

    def unused_renames(self, state: EvaluationState) -> list[str]:
        """Return warnings about labels of the label map that no item has."""
        if not state.read:
            return []
        labels = sorted(map(str, state.labels))
        return [
            ConfigError(
                f"label_map: no item has the label {str(label)!r}", did_you_mean(str(label), labels)
            ).one_line
            for label in sorted(set(self.label_map) - state.labels)
        ]

    def _unknown_fields(
        self, key: str, names: Iterable[str], state: EvaluationState
    ) -> Iterator[ValorError]:
        if not state.read + state.skipped:
            return
        fields = sorted(state.fields)
        for name in names:
            if name not in state.fields:
                available = f"Available fields: {', '.join(fields) or 'none'}."
                yield ConfigError(
                    f"{key}: no item has the metadata field {name!r}",
                    did_you_mean(name, fields) or available,
                )

    def describe(self) -> dict[str, Any]:
        """Describe the request with built-in types, for reports and saved states."""
        described: dict[str, Any] = {
            "task": self.task,
            "metrics": [metric.describe() for metric in self.plan.metrics],
        }
        if self.slices.wanted:
            described["slices"] = self.slices.describe()
        if self.slices.grouping is not None:
            described["confidence"] = self.slices.grouping.describe()
        if self.weights is not None:
            described["weights"] = self.weights
        if self.filter is not None:
            described["filter"] = self.filter.text
        if self.label_map:
            described["label_map"] = [
                [[label.key, label.value] for label in pair]
                for pair in sorted(self.label_map.items())
            ]
        for resource in self.resources:
            section = resource.describe()
            if resource.instance:
                section = described.get(resource.spec.short_name, {}) | {resource.instance: section}
            described[resource.spec.short_name] = section
        return described

    def identity(self) -> dict[str, Any]:
        """Describe everything that can change a result. Merged states must have equal identities.

        Excludes limits and paths of resources. Values from environment variables are compared by
        hash.
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
        own = self.identity()
        other = self._completed(other)
        for key in {**own, **other}:
            if own.get(key) != other.get(key):
                found = _difference(key, other.get(key), own.get(key))
                raise ForeignStateError(
                    f"{source}: made by another request, {found}",
                    "Merge states of one config only.",
                )

    def _completed(self, saved: Mapping[str, Any]) -> dict[str, Any]:
        """Add the defaults of parameters that are newer than a saved identity."""
        filled = dict(saved)
        metrics = saved.get("metrics")
        if isinstance(metrics, list) and len(metrics) == len(self.plan.metrics):
            filled["metrics"] = [
                with_later_defaults(one, metric.identity(), metric.parameters)
                for one, metric in zip(metrics, self.plan.metrics, strict=True)
            ]
        for resource in self.resources:
            if isinstance(one := saved.get(resource.name), Mapping):
                filled[resource.name] = resource.completed(one)
        return filled


_CHOICES = ("task", "metrics", "slices", "weights", "confidence", "filter", "label_map")
_GREATEST = sys.float_info.max
_NUMBERS = (int, float, np.integer, np.floating)


def choices_of(described: Mapping[str, Any]) -> dict[str, Any]:
    """Convert the output of `Evaluation.describe` to arguments of `Evaluator`.

    Examples
    --------
    >>> choices_of({"task": "text", "metrics": ["ROUGE"], "judge": {"model": "m1"}})
    {'task': 'text', 'metrics': ['ROUGE'], 'resources': {'judge': {'model': 'm1'}}}
    """
    choices = {key: value for key, value in described.items() if key in _CHOICES}
    return choices | {"resources": {key: described[key] for key in described if key not in choices}}


def _grouping(confidence: float | Mapping[str, Any] | None) -> Grouping | None:
    if confidence is None:
        return None
    groups = required(INTERVALS, "groups", "confidence: an interval", STATISTICS)
    return cast(Grouping, groups(confidence))


def _slices(options: EvaluationOptions, place: str) -> Slices:
    grouping = _grouping(options.confidence)
    choice: tuple[Any, ...] = options.slices
    if not any(isinstance(one, Mapping) for one in chain(choice, *choice)):
        return Slices(choice, grouping, place=place)
    make = required(INTERVALS, "slices", f"{place}slices: a table", STATISTICS)
    return cast(Slices, make(choice, grouping, place))


def _parsed_filter(text: str) -> Filter:
    parse = required(FILTERS, "parse", "filter: an expression", OWNERS[SHARED_READERS])
    return cast(Filter, parse(text))


def check_task(task: str | None, registry: Registry) -> None:
    """Raise a `ConfigError` for a misspelt task; a plugin may use a task without declaring it."""
    if task is None or task in registry.namespaces or registry.knows_task(task):
        return
    tasks = [spec.short_name for spec in registry.all(TaskSpec)]  # imports all manifests
    remedy = did_you_mean(task, tasks)
    if remedy is not None:
        raise ConfigError(f"task: expected one of {', '.join(tasks)}, got {task!r}", remedy)


def _difference(key: str, there: Any, here: Any) -> str:
    """Describe the first difference between two values of requests."""
    if isinstance(there, Mapping) and isinstance(here, Mapping):
        name, there, here = _different_entry(there, here)
        return _difference(f"{key}.{name}", there, here)
    if key == "metrics":
        names = [[str(metric.get("name")) for metric in metrics] for metrics in (there, here)]
        if names[0] != names[1]:
            return f"metrics: {_different_names(*names)}"
        pairs = enumerate(zip(there, here, strict=True))
        position, (one, other) = next((i, pair) for i, pair in pairs if pair[0] != pair[1])
        name, there, here = _different_entry(one, other)
        key = f"metrics[{position}].{name} of {one['name']}"
    return f"{key} is {short_repr(there)} there and {short_repr(here)} here"


class _Missing:
    """Marker of an absent key, as opposed to None."""

    def __repr__(self) -> str:
        return "missing"


_MISSING = _Missing()


def _different_entry(there: Mapping[str, Any], here: Mapping[str, Any]) -> tuple[str, Any, Any]:
    """Return the first key with different values, and both values."""
    entries = (
        (name, there.get(name, _MISSING), here.get(name, _MISSING)) for name in {**there, **here}
    )
    return next(entry for entry in entries if entry[1] != entry[2])


def _different_names(there: Sequence[str], here: Sequence[str]) -> str:
    only = (
        (", ".join(name for name in names if name not in others), where)
        for names, others, where in ((there, here, "there"), (here, there, "here"))
    )
    return " and ".join(f"{names} only {where}" for names, where in only if names) or (
        "in another order"
    )


def _distinct(
    metrics: Sequence[BoundMetric], results: Sequence[Sequence[Result]]
) -> Iterator[Iterable[Result]]:
    """Add the changed parameters to results of settings that state the same parameters.

    Otherwise, settings with equal values would become one result, and others could not be selected.
    """
    settings: dict[str, set[str]] = {}
    stated = []
    for metric, found in zip(metrics, results, strict=True):
        parameters = sorted(str(sorted(one.parameters.items(), key=itemgetter(0))) for one in found)
        stated.append(f"{metric.spec.name} {parameters}")
        settings.setdefault(stated[-1], set()).add(_unordered(metric.result_parameters))
    for metric, found, names in zip(metrics, results, stated, strict=True):
        changed = changed_parameters(metric.parameters) if len(settings[names]) > 1 else {}
        yield [
            # The coordinates of a result come first, and their values take precedence.
            evolve(one, parameters={**one.parameters, **changed, **one.parameters})
            if changed
            else one
            for one in found
        ]


def _unordered(parameters: Mapping[str, Any]) -> str:
    """Return parameters as text that is equal for lists in another order."""
    values = {
        name: sorted(map(str, value)) if isinstance(value, list) else value
        for name, value in parameters.items()
    }
    return str(sorted(values.items(), key=itemgetter(0)))


def _without_repeats(results: Iterable[Result]) -> list[Result]:
    """Remove results that are equal to an earlier one.

    For example, ``mAP`` and ``mAP50`` both give the mean at IoU 0.5.
    """
    seen: dict[str, list[int]] = {}
    kept: list[Result] = []
    for one in results:
        parameters = sorted(one.parameters.items(), key=itemgetter(0))
        same = seen.setdefault(f"{one.metric} {parameters}", [])
        first = next((index for index in same if kept[index] == one), None)
        if first is None:
            same.append(len(kept))
            kept.append(one)
        elif kept[first].asked is None:
            kept[first] = one
    return kept
