"""Laws of metrics and declarations: functions that raise a `ConformanceError`.

The arguments are a `Subject` and a data set for metrics, and a spec for declarations. The law
`any_split` is named "any split" in errors.
"""

from __future__ import annotations

import json
import math
import pickle
import tempfile
import zlib
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import attrs
import numpy as np

from valor_core.errors import ReportError, ValorError, short_repr
from valor_core.evaluation import Evaluation, EvaluationState, load_state, save_state
from valor_core.packages import OWNERS
from valor_core.parameters import parameter_values, parameters_from, parameters_of
from valor_core.parameters.declaration import json_schema
from valor_core.results import Failed, ItemScore, NotRun, Result, Undefined
from valor_core.results.json_values import as_json
from valor_core.schemas import Batch, Floats
from valor_core.scoring import ItemMetricSpec
from valor_core.scoring.decorator import FunctionMetricSpec
from valor_core.specs import MetricSpec, Spec
from valor_core.specs.names import folded_name
from valor_testing.data_set import Batches, DataSet
from valor_testing.difference import content, difference
from valor_testing.law import Breach, agree, law
from valor_testing.subject import REFUSED, Outcome, Refusal, Subject

# Laws of declarations


@law
def valid_declaration(spec: Spec) -> None:
    """The summary is one line, names are distinct, and range, version and references are valid."""
    if not spec.summary.strip() or "\n" in spec.summary:
        raise Breach(f"expected a summary in one line, found {short_repr(spec.summary)}")
    names = [spec.short_name, *spec.aliases]
    if len(set(map(folded_name, names))) < len(names):
        raise Breach(f"expected names that differ in letters, found {', '.join(names)}")
    if not isinstance(spec, MetricSpec):
        return
    low, high = spec.range.low, spec.range.high
    if low is not None and high is not None and low > high:
        raise Breach(f"expected a range from low to high, found {spec.range}")
    if spec.version < 1:
        raise Breach(f"expected a version of 1 or more, found {spec.version}")
    if spec.namespace in OWNERS and not spec.references:
        raise Breach("expected at least one reference, found none")


@law
def code_exists(spec: Spec) -> None:
    """The implementation can be imported and called."""
    if not callable(spec.load()):
        raise Breach(f"expected {spec.implementation} to be a class or a function")


@law
def parameters_are_declared(spec: Spec) -> None:
    """Every parameter has a help text and a type that configs support."""
    for parameter in parameters_of(spec.parameter_class):
        if not parameter.help.strip():
            raise Breach(f"expected a help text for {parameter.name!r}, found none")
    json.dumps(json_schema(spec.parameter_class))


@law
def parameters_round_trip(spec: Spec, instance: Any) -> None:
    """Parameters survive a round trip through a report or config."""
    record = json.loads(json.dumps(parameter_values(instance), allow_nan=False))
    again: Any = parameters_from(spec.parameter_class, record, f"{spec.name}: ")
    if again != instance:
        raise Breach(f"written as {short_repr(record)}, read back as {short_repr(again)}")


# Laws of metrics


@law
def batch_untouched(subject: Subject, batches: DataSet) -> None:
    """Counting does not modify a batch or objects in its metadata."""
    before = [content(batch) for batch in batches]
    subject.compute(subject.count(batches))
    agree(before, [content(batch) for batch in batches], "before counting", "after")


@law
def every_item_has_result(subject: Subject, batches: DataSet) -> None:
    """A per-item metric returns a number in its range or a reason for every item."""
    if not isinstance(subject.spec, ItemMetricSpec):
        return
    for batch in batches:
        for uid, answer in subject.answers(batch):
            details: Mapping[str, Any] = {}
            if isinstance(answer, ItemScore):
                details, answer = answer.details, answer.value
            if isinstance(answer, Exception) and not isinstance(answer, ValorError):
                raise Breach(
                    f"item {uid!r}: {type(answer).__name__}: {answer}; where there is nothing to "
                    "score, the answer is Undefined and the reason"
                ) from answer
            values = answer if isinstance(answer, Mapping) else {"": answer}
            for name, value in values.items():
                if not isinstance(value, (Undefined, Failed, NotRun, ValorError)):
                    place = f"item {uid!r}: {name}" if name else f"item {uid!r}"
                    _check_number(float(value), subject.spec, place)
            _check_details(details, f"item {uid!r}: details")


@law
def items_untouched(subject: Subject, batches: DataSet) -> None:
    """Scoring an item does not modify it or its metadata, which other metrics read."""
    if not isinstance(subject.spec, ItemMetricSpec) or subject.spec.batched:
        return
    for batch in batches:
        items = list(batch.items())
        before = content(items)
        for _ in subject.answers(batch, items):
            pass
        agree(before, content(items), "before scoring", "after")


@law
def errors_are_stated(subject: Subject, batches: DataSet) -> None:
    """Counting and computing raise no other errors than `ValorError`."""
    states = subject.count(batches)
    try:
        subject.results(states)
    except ValorError:
        return


@law
def numbers_in_range(subject: Subject, batches: DataSet) -> None:
    """All numbers are finite, and scalar results are in the declared range.

    `Result` rejects numbers that are not finite.
    """
    for result in _results(subject, subject.count(batches)):
        _check_result(subject, result)


@law
def results_are_plain(subject: Subject, batches: DataSet) -> None:
    """Results are JSON serializable, and reasons are not empty."""
    for result in _results(subject, subject.count(batches)):
        reason = result.undefined if result.undefined is not None else result.error
        if reason is not None and not reason.strip():
            raise Breach(f"expected a reason in {dict(result.parameters)}, found none")
        _check_plain(result.to_dict(), "result")


@law
def compute_is_pure(subject: Subject, batches: DataSet) -> None:
    """Computing twice gives the same results and does not modify the states."""
    states = subject.count(batches)
    before = _contents(states)
    first = subject.compute(states)
    agree(before, _contents(states), "before computing", "after")
    agree(first, subject.compute(states), "computed once", "computed twice")


@law
def repeated_runs_agree(subject: Subject, batches: DataSet) -> None:
    """Two runs over the same data give the same results."""
    first = subject.expected(batches)
    agree(first, subject.anew().outcome(batches), "in one run", "in another")


@law
def neutral_start(subject: Subject, batches: DataSet) -> None:
    """Merging with a new state, on either side, does not change the results."""
    expected = subject.expected(batches)
    after = subject.compute(subject.merge(subject.count(batches), subject.plan.new_states()))
    agree(expected, after, "alone", "after merging a new state")
    into = subject.compute(subject.merge(subject.plan.new_states(), subject.count(batches)))
    agree(expected, into, "alone", "merged into a new state")


@law
def any_split(subject: Subject, batches: DataSet) -> None:
    """Any split of the data and any order of its parts gives the same results."""
    expected = subject.expected(batches)
    for how, parts in batches.splits.items():
        agree(expected, subject.outcome(parts), "as given", how)
        agree(expected, subject.outcome_merged(parts), "as given", f"{how} and merged")


@law
def any_weights(subject: Subject, batches: DataSet) -> None:
    """Weights of 1 change nothing, and any split of weighted items gives the same results."""
    if subject.plan.weightless:
        return
    ones = subject.outcome(batches, lambda batch: np.ones(len(batch)))
    agree(subject.expected(batches), ones, "without weights", "with weights of 1")
    expected = subject.outcome(batches, _weights)
    for how, parts in batches.splits.items():
        agree(expected, subject.outcome_merged(parts, _weights), "as given", f"{how} and merged")


def _weights(batch: Batch) -> Floats:
    """Weights of items by their uids, some of them 0, whose sums are rounded."""
    hashes = [zlib.crc32(str(uid).encode()) for uid in batch.datums.uids.tolist()]
    return np.array([value % 7 / 3 for value in hashes])


@law
def any_slice(subject: Subject, batches: DataSet) -> None:
    """A slice of a batch gives the same results as its items counted alone."""
    all_items = subject.count(batches)
    for batch in batches:
        slices = [np.arange(start, len(batch), 2) for start in range(min(2, len(batch)))]
        for positions, states in zip(slices, subject.sliced(batch, slices), strict=True):
            expected = subject.outcome([batch.select(positions)])
            agree(expected, subject.compute(states), "alone", "as a slice")
            within = subject.plan.within(states, all_items)
            agree(expected, subject.compute(within), "alone", "as a slice beside the whole")


@law
def any_order(subject: Subject, batches: DataSet) -> None:
    """Any order of the items within a batch gives the same results."""
    expected = subject.outcome(batches.remade)
    for how, batch in batches.in_other_orders.items():
        agree(expected, subject.outcome([batch]), "in batches", how)


@law
def merge_commutes(subject: Subject, batches: DataSet) -> None:
    """Merging two states gives the same results in both directions."""
    one, two, _ = batches.thirds
    left = subject.compute(subject.merge(subject.count(one), subject.count(two)))
    right = subject.compute(subject.merge(subject.count(two), subject.count(one)))
    agree(left, right, "merged one way", "the other")


@law
def merge_associates(subject: Subject, batches: DataSet) -> None:
    """Merging three states gives the same results in both groupings."""
    one, two, three = map(subject.count, batches.thirds)
    left = subject.merge(subject.merge(one, two), three)
    one, two, three = map(subject.count, batches.thirds)
    right = subject.merge(one, subject.merge(two, three))
    agree(subject.compute(left), subject.compute(right), "from the left", "from the right")


@law
def other_untouched(subject: Subject, batches: DataSet) -> None:
    """Merging does not modify the other state, and the two share no memory afterwards."""
    one, two, three = batches.thirds
    other = subject.count(two)
    before, results = _contents(other), subject.compute(other)
    states = subject.merge(subject.plan.new_states(), other)
    subject.merge(states, subject.count(one))
    agree(before, _contents(other), "before merging", "after")
    subject.update(states, three)
    agree(before, _contents(other), "before", "after counting more in what it was merged into")
    agree(results, subject.compute(other), "before merging", "after")
    merged = subject.compute(states)
    subject.update(other, three)
    agree(merged, subject.compute(states), "merged", "after the other has counted more")


@law
def batches_released(subject: Subject, batches: DataSet) -> None:
    """Overwriting the arrays of batches does not affect detached states."""
    expected = subject.expected(batches)
    copies = pickle.loads(pickle.dumps(list(batches)))
    states = subject.count(copies)
    subject.plan.detach(states)
    for batch in copies:
        _overwrite(batch)
    found = subject.compute(states)
    agree(expected, found, "as counted", "when the batches were written over")


@law
def stable_results(subject: Subject, batches: DataSet) -> None:
    """Results that are read late do not depend on updates after they were computed."""
    alone = batches.singles
    half = len(alone) // 2
    states = subject.count(alone[:half])
    expected = subject.compute(states)
    results = subject.plan.compute(states)
    subject.update(states, alone[half:])
    subject.compute(states)
    read = [result.to_dict() for result in results]
    agree(expected, read, "read at once", "read when more was counted")


@law
def survives_pickling(subject: Subject, batches: DataSet) -> None:
    """States and the plan can be pickled, and unpickled states can be updated."""
    alone = batches.singles
    states = subject.count(alone[:-1])
    expected = subject.compute(states)
    again = pickle.loads(pickle.dumps(states))
    agree(expected, subject.compute(again), "as it was", "after pickling")
    if not isinstance(subject.spec, FunctionMetricSpec):
        plan = pickle.loads(pickle.dumps(subject.plan))
        pickled = [result.to_dict() for result in plan.compute(again)]
        agree(expected, pickled, "as it was", "with a pickled metric")
    _check_further_updates(subject, states, again, alone[-1:], "pickling")


@law
def survives_saving(subject: Subject, batches: DataSet) -> None:
    """States can be saved and loaded, and loaded states can be updated."""
    alone = batches.singles
    states = subject.count(alone[:-1])
    expected = subject.compute(states)
    evaluation = Evaluation(subject.spec.task, subject.plan)
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "state.npz"
        save_state(path, evaluation, EvaluationState({(): states}), {})
        again = load_state(path, evaluation).states[()]
    agree(expected, subject.compute(again), "as it was", "after saving")
    _check_further_updates(subject, states, again, alone[-1:], "saving")


@law
def empty_data_supported(subject: Subject, batches: DataSet) -> None:
    """Data without items give results or reasons, and empty stable batches results."""
    empties = batches.empties
    for data in ([], *([empty] for empty in empties)):
        for result in subject.results(subject.count(data)):
            if result.error is not None:
                raise Breach(f"expected an answer, found the error {result.error!r}")
            _check_result(subject, result)
    expected = subject.expected(batches)
    agree(expected, subject.outcome([*empties, *batches]), "alone", "after batches of no items")
    agree(expected, subject.outcome([*batches, *empties]), "alone", "before batches of no items")


@law
def rows_add_up(subject: Subject, batches: DataSet) -> None:
    """Sums of the rows of items give the number, if the metric has a method `of_sums`."""
    of_sums = getattr(subject.metrics[0].make(), "of_sums", None)
    if of_sums is None:
        return
    expected, with_rows = subject.expected(batches), attrs.evolve(subject, rows=True)
    states = with_rows.count(batches)
    found = with_rows.compute(states)
    agree(expected, found, "without rows", "with rows")
    rows = with_rows.plan.item_rows(0, states)
    if rows is None:
        raise Breach("expected rows of items for of_sums, found none")
    number = found[0]["value"] if len(found) == 1 else None
    if len(rows) and number is not None:
        sums = {name: np.array([one.values.sum()]) for name, one in rows.columns().items()}
        (value,) = of_sums(sums)
        if not math.isclose(value, number, rel_tol=1e-9, abs_tol=1e-12):
            raise Breach(f"expected {number} of the sums of all rows, found {value}")


@law
def rows_independent_of_split(subject: Subject, batches: DataSet) -> None:
    """Rows of items are the same for any split of the data and any order of its items."""
    with_rows = attrs.evolve(subject, rows=True)
    expected = with_rows.item_rows(batches)
    if not expected:
        return
    for how, parts in batches.splits.items():
        agree(expected, with_rows.item_rows(parts), "rows as given", f"rows {how} and merged")
    expected = with_rows.item_rows(batches.remade)
    for how, batch in batches.in_other_orders.items():
        agree(expected, with_rows.item_rows([batch]), "rows in batches", f"rows {how}")


METRIC_LAWS: Sequence[Callable[[Subject, DataSet], None]] = (
    batch_untouched,
    items_untouched,
    every_item_has_result,
    errors_are_stated,
    numbers_in_range,
    results_are_plain,
    compute_is_pure,
    repeated_runs_agree,
    neutral_start,
    any_split,
    any_slice,
    any_weights,
    any_order,
    merge_commutes,
    merge_associates,
    other_untouched,
    batches_released,
    stable_results,
    survives_pickling,
    survives_saving,
    empty_data_supported,
    rows_add_up,
    rows_independent_of_split,
)
"""Laws of a metric on one data set, the most informative first."""


# Laws over several data sets or metrics


@law
def some_data_have_results(subject: Subject, datasets: Mapping[str, DataSet]) -> None:
    """At least one data set gives a result that is no error."""
    reasons: list[str] = []
    for batches in datasets.values():
        try:
            results = subject.compute(subject.count(batches))
        except Refusal as refusal:
            reasons.append(str(refusal))
            continue
        if any("error" not in result for result in results):
            return
        reasons.append(results[0]["error"] if results else "no result at all")
    if reasons:
        raise Breach(f"expected an answer on some of the data, found none: {reasons[0]}")


@law
def independent_of_other_metrics(subject: Subject, batches: DataSet) -> None:
    """A metric gives the same results alone and with others that share its states."""
    alone: Outcome = []
    metrics = []
    for metric in subject.metrics:
        one = Subject((metric,), subject.resources, subject.registry)
        outcome = one.outcome(batches)
        if outcome != REFUSED:
            metrics.append(metric)
            alone.extend(outcome)
    together = Subject(tuple(metrics), subject.resources, subject.registry).outcome(batches)
    for one_result, joint_result in zip(alone, together, strict=False):
        found = difference(one_result, joint_result)
        if found is not None:
            raise Breach(f"{one_result['metric']}: {found.described('alone', 'together')}")
    agree(alone, together, "alone", "together")


def _results(subject: Subject, states: list[Any]) -> list[Result]:
    """Return the results, or none if the metric rejects the data with a `ValorError`."""
    try:
        return subject.results(states)
    except ReportError as error:  # `Result` rejects numbers that are not finite
        raise Breach(error.message) from error
    except ValorError:
        return []


def _check_result(subject: Subject, result: Result) -> None:
    if result.number is not None:
        place = ", ".join(f"{key}={value!r}" for key, value in result.parameters.items())
        _check_number(result.number, subject.spec, place or "value")
    if isinstance(subject.spec, ItemMetricSpec) and isinstance(result.value, Mapping):
        for name, number in result.value.items():
            if number is not None:
                _check_number(float(number), subject.spec, name)


def check_number_of(spec: MetricSpec, result: Mapping[str, Any]) -> None:
    """Raise a `Breach` unless the number of a result, as in a report, is in the range."""
    value = result["value"]
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        _check_number(float(value), spec, f"{result['parameters']}")


def _check_number(number: float, spec: MetricSpec, place: str) -> None:
    if not math.isfinite(number):
        raise Breach(f"{place}: expected a finite number, found {number}")
    if number not in spec.range:
        raise Breach(f"{place}: expected a number in the range {spec.range}, found {number!r}")


def _check_plain(value: Any, place: str) -> None:
    try:
        json.dumps(value, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise Breach(f"{place}: expected what JSON can hold, {error}") from error


def _check_details(details: Any, place: str) -> None:
    """Raise a `Breach` unless details are valid in a row of a report, arrays included."""
    try:
        as_json(details, place)
    except ReportError as error:
        raise Breach(error.message) from error


def _overwrite(value: Any) -> None:
    """Fill all arrays of a batch with zeros, which are valid in every kernel."""
    if isinstance(value, np.ndarray):
        with suppress(ValueError):  # an array over bytes cannot be made writeable
            value.flags.writeable = True
            value[...] = np.zeros((), value.dtype)
    elif attrs.has(type(value)):
        for entry in attrs.fields(type(value)):
            _overwrite(getattr(value, entry.name))
    elif isinstance(value, Mapping):
        for item in value.values():
            _overwrite(item)
    elif isinstance(value, (list, tuple)):
        for item in value:
            _overwrite(item)


def _contents(states: list[Any]) -> list[Any]:
    return [content(state.dump()) for state in states]


def _check_further_updates(
    subject: Subject, states: list[Any], again: list[Any], batches: Batches, after: str
) -> None:
    subject.update(states, batches)
    subject.update(again, batches)
    agree(
        subject.compute(states),
        subject.compute(again),
        "when counting goes on",
        f"when it goes on after {after}",
    )
