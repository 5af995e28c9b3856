from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from cases import for_each
from valor_testing import ConformanceError, check_metric, check_plugin, examples, laws
from valor_testing.data_set import DataSet
from valor_testing.law import name_of
from valor_testing.subject import Subject

from valor_core.evaluation import BoundMetric
from valor_core.parameters import NoParameters, parameter, parameters
from valor_core.results import ItemScore
from valor_core.schemas.classification import Classification, ClassificationBatch
from valor_core.schemas.text import Text, TextBatch
from valor_core.scoring import ItemMetricSpec
from valor_core.specs import MetricSpec, Range, ReaderSpec, Reference, Registry, hookimpl

PLUGINS = Path(__file__).parents[3] / "tests" / "plugins"


@pytest.fixture(autouse=True)
def _offenders(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(PLUGINS)


def spec_of(
    code: str,
    task: str = "classification",
    cls: type[MetricSpec] = MetricSpec,
    **facts: Any,
) -> MetricSpec:
    values: dict[str, Any] = {
        "name": "offenders.Mean",
        "task": task,
        "summary": "Mean of something",
        "implementation": f"offenders:{code}",
        "higher_is_better": None,
        "range": Range(0),
    }
    return cls(**(values | facts))


def subject_of(code: str, task: str = "classification", **facts: Any) -> Subject:
    return Subject((BoundMetric(spec_of(code, task, **facts), NoParameters()),))


@pytest.mark.parametrize("task", examples.tasks())
def test_valid_metric_keeps_all_laws(task: str) -> None:
    check_metric(spec_of("Honest", task))


@for_each(
    ("code", "law", "finding"),
    [
        ("Scribbling", "batch untouched", "datums.metadata.tags.values[0].length is 2 before"),
        ("Overwriting", "batch untouched", "ValueError: assignment destination is read-only"),
        ("Crashing", "errors are stated", "KeyError: 'missing'"),
        ("NotANumber", "numbers in range", "value must be finite, got nan"),
        ("NestedNotANumber", "numbers in range", "value['curve'][1] must be finite, got nan"),
        ("OutOfRange", "numbers in range", "a number in the range 0 or more, found -1.5"),
        ("Opaque", "results are plain", "Object of type set is not JSON serializable"),
        ("Silent", "results are plain", "expected a reason"),
        ("Mutating", "compute is pure", "[0].count is 13 before computing and 14 after"),
        ("Chance", "compute is pure", "[0].value is 0."),
        ("Keeping", "batches released", "when the batches were written over"),
        ("Late", "stable results", "value.count is 6 read at once and 13 read when more"),
        ("Remembering", "repeated runs agree", "in one run"),
        ("Starting", "neutral start", "alone and 0.1"),
        ("Averaging", "neutral start", "after merging a new state"),
        ("Rounding", "any split", "as given and"),
        ("Uneven", "any weights", "as given and"),
        ("Doubling", "any weights", "13.0 without weights and 26.0 with weights of 1"),
        ("Last", "any split", "[0].value is 154.0 as given and 153.0 odd and even items apart"),
        ("OneSided", "any split", "merged"),
        ("Differing", "any split", "merged"),
        ("Choosy", "any split", "as given and 'refused' one by one"),
        ("Copied", "any slice", "alone and"),
        ("Taken", "any slice", "as a slice beside the whole"),
        ("Adopting", "other untouched", "before merging and"),
        ("Draining", "other untouched", "[0].count is"),
        ("Calling", "survives pickling", "CallingWeights.<lambda>"),
        ("Forgetting", "survives saving", "as it was"),
        ("Unfit", "survives saving", "TypeError"),
        ("CrashingOnEmpty", "empty data supported", "ZeroDivisionError"),
        ("RefusingEmpty", "empty data supported", "SchemaError: items: expected some"),
        ("Refusing", "some data have results", "found none: items: expected others"),
        ("Missing", "code exists", "cannot be imported"),
        ("NOT_CALLABLE", "code exists", "expected offenders:NOT_CALLABLE to be a class"),
    ],
)
def test_broken_law_is_reported(code: str, law: str, finding: str) -> None:
    with pytest.raises(ConformanceError) as refused:
        check_metric(spec_of(code))

    assert refused.value.law == law
    assert refused.value.of == "offenders.Mean"
    assert finding in str(refused.value)


def test_all_broken_laws_are_listed() -> None:
    with pytest.raises(ConformanceError) as caught:
        check_metric(spec_of("Averaging"))

    lines = str(caught.value).splitlines()
    broken = ("neutral start", "any split", "merge associates")
    starts = [f"offenders.Mean breaks the law {law!r}: " for law in broken]
    assert all(any(line.startswith(start) for line in lines) for start in starts)


@for_each("task", examples.tasks())
@for_each(
    ("code", "law"),
    [
        ("Averaging", laws.neutral_start),
        ("Averaging", laws.any_split),
        ("Averaging", laws.merge_associates),
        ("Keeping", laws.batches_released),
        ("Late", laws.stable_results),
        ("Copied", laws.any_slice),
        ("Taken", laws.any_slice),
        ("Last", laws.any_order),
        ("Last", laws.merge_commutes),
        ("OneSided", laws.merge_commutes),
        ("Differing", laws.merge_associates),
        ("Rounding", laws.any_order),
        ("Draining", laws.other_untouched),
        ("Forgetting", laws.survives_saving),
        ("Chance", laws.repeated_runs_agree),
    ],
)
def test_single_law_rejects_metric_that_breaks_it(
    code: str, law: Callable[[Subject, DataSet], None], task: str
) -> None:
    subject = subject_of(code, task)

    with pytest.raises(ConformanceError) as refused:
        hold(subject, law, task)

    assert refused.value.law == name_of(law)


@pytest.mark.parametrize(
    ("code", "law"),
    [
        ("Copying", laws.batches_released),
        ("Differing", laws.merge_commutes),
        ("Last", laws.merge_associates),
        ("Forgetting", laws.survives_pickling),
        ("Calling", laws.any_split),
        ("CrashingOnEmpty", laws.any_split),
    ],
)
def test_law_accepts_metric_that_breaks_another(
    code: str, law: Callable[[Subject, DataSet], None]
) -> None:
    hold(subject_of(code), law)


def hold(
    subject: Subject, law: Callable[[Subject, DataSet], None], task: str = "classification"
) -> None:
    for batches in examples.datasets(task).values():
        law(subject, DataSet(batches))


@pytest.mark.parametrize(
    ("code", "message"),
    [
        ("score_of_none", "item 'g1': AttributeError"),
        ("score_nan", "item 'p1': expected a finite number, found nan"),
        ("score_out_of_range", "item 'p1': expected a number in the range 0 to 1"),
    ],
)
def test_scorer_that_raises_for_item_is_rejected(code: str, message: str) -> None:
    spec = spec_of(code, "text", ItemMetricSpec, range=Range(0, 1))

    with pytest.raises(ConformanceError, match=re.escape(message)):
        check_metric(spec)


@pytest.mark.parametrize(
    ("facts", "message"),
    [
        ({"summary": "Two\nlines"}, "expected a summary in one line"),
        ({"summary": " "}, "expected a summary in one line, found ' '"),
        ({"aliases": ("me_an",)}, "expected names that differ in letters"),
        ({"range": Range(1, 0)}, "expected a range from low to high, found 1"),
        ({"version": 0}, "expected a version of 1 or more, found 0"),
        ({"name": "text.Mean"}, "expected at least one reference, found none"),
    ],
)
def test_invalid_declaration_is_rejected(facts: Mapping[str, Any], message: str) -> None:
    with pytest.raises(ConformanceError, match=re.escape(message)):
        check_metric(spec_of("Honest", **facts))


def test_metric_of_this_project_with_reference_is_accepted() -> None:
    laws.valid_declaration(spec_of("Honest", name="text.Mean", references=(Reference("A paper"),)))


def test_laws_of_declarations_apply_to_readers() -> None:
    spec = ReaderSpec(name="mylab.xml", summary="", implementation="offenders:Honest", task=None)

    with pytest.raises(ConformanceError, match="expected a summary in one line, found ''"):
        laws.valid_declaration(spec)


@parameters
class Silent:
    width: int = parameter(default=1, help=" ")


@parameters
class Lossy:
    table: Any = parameter(default={1: 2}, help="Read back with text as its key.")


@parameters
class Required:
    width: int = parameter(help="Must be given.")


def test_parameter_without_help_is_rejected() -> None:
    with pytest.raises(ConformanceError, match="expected a help text for 'width', found none"):
        check_metric(spec_of("Honest", parameters=Silent))


def test_parameters_without_round_trip_are_rejected() -> None:
    with pytest.raises(ConformanceError, match=r"read back as Lossy\(table=\{'1': 2\}\)"):
        check_metric(spec_of("Honest", parameters=Lossy))


def test_missing_required_parameters_are_named() -> None:
    with pytest.raises(ConformanceError, match="expected a whole number, found none"):
        check_metric(spec_of("Honest", parameters=Required))

    check_metric(spec_of("Honest", parameters=Required), parameters={"width": 2})
    check_metric(spec_of("Honest", parameters=Required), parameters=Required(width=2))


def test_metrics_that_affect_each_other_are_rejected() -> None:
    class Plugin:
        @staticmethod
        @hookimpl
        def valor_metrics() -> Iterator[MetricSpec]:
            yield spec_of("Sharing", name="offenders.Narrow")
            yield spec_of("SharingMore", name="offenders.Wide")

    registry = Registry()
    registry.register("offenders", Plugin)

    with pytest.raises(ConformanceError, match="breaks the law 'independent of other metrics'"):
        check_plugin("offenders", registry)


def test_data_rejected_only_in_part_are_reported(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(laws, "METRIC_LAWS", [laws.merge_commutes])

    with pytest.raises(ConformanceError, match=r"expected several, found one \(data set 'dense'\)"):
        check_metric(spec_of("Choosy"))


def test_rejected_data_sets_are_skipped() -> None:
    datasets = {**examples.datasets("classification"), "single": [one_item()]}

    check_metric(spec_of("Choosing"), datasets)


def one_item() -> ClassificationBatch:
    return ClassificationBatch.of([Classification("only", "cat")])


def test_number_out_of_range_is_named(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def score(item: Any, parameters: Any, resources: Any) -> Mapping[str, float]:
        return {"short": 0.5, "long": 1.5}

    spec = spec_of("rouge", "text", ItemMetricSpec, range=Range(0, 1))
    monkeypatch.setattr("offenders.rouge", score, raising=False)

    with pytest.raises(ConformanceError, match="item 'q1': long: expected a number"):
        check_metric(spec, {"one": [Text("q1")]})

    subject = Subject((BoundMetric(spec, NoParameters()),))
    with pytest.raises(
        ConformanceError, match=r"expected a number in the range 0 to 1, found 1\.5"
    ):
        laws.numbers_in_range(subject, [TextBatch.of([Text("q1")])])


def detailed(monkeypatch: pytest.MonkeyPatch, name: str, details: Mapping[str, Any]) -> MetricSpec:
    """Return a metric with the same score for every item."""
    answer = ItemScore(1.0, details)
    monkeypatch.setattr(f"offenders.{name}", lambda *_: answer, raising=False)
    return spec_of(name, "text", ItemMetricSpec)


def test_details_may_contain_arrays_and_sets(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    check_metric(detailed(monkeypatch, "with_array", {"n": np.arange(2), "words": {"b", "a"}}))


def test_details_that_json_cannot_hold_are_rejected(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    spec = detailed(monkeypatch, "with_object", {"reply": object()})

    with pytest.raises(ConformanceError, match=r"details\['reply'\] must be numbers, strings"):
        check_metric(spec)
