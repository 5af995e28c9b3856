"""The metrics against the recorded results of earlier implementations, path by path.

What Valor answers otherwise on purpose is in ``golden/divergences.json``; there the result is the
one worked out by hand, and everywhere the one of the naive oracle.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from cases import for_each

from valor_core.errors import SchemaError
from valor_core.results import Result
from valor_core.results.results import Results
from valor_core.schemas.classification import ClassificationBatch

from . import naive
from .golden_cases import GoldenCase, divergences, golden_cases
from .support import batch_of, items_of, results_of
from .test_golden_oracle import MISSING, agree, oracle_results

CASES = golden_cases()
DEFAULTS = ("Precision", "Recall", "F1", "Accuracy", "ROCAUC")

Pairs = Iterator[tuple[str, Any]]


def real_results(case: GoldenCase) -> dict[str, Any]:
    """Answer a case with the metrics; an error of the input is a result too."""
    answer = {
        "core": core,
        "lite_counts": lite_counts,
        "lite_rocauc": lite_rocauc,
        "lite_confusion": lite_confusion,
        "lite_confusion_examples": lite_confusion,
        "lite_examples": lite_examples,
    }[case.api]
    try:
        return dict(answer(case))
    except SchemaError:
        return {"raises": "SchemaError"}


def oracle_numbers(case: GoldenCase) -> dict[str, Any]:
    """The oracle's results with its exact fractions rounded once."""
    return {
        path: float(value) if isinstance(value, Fraction) else value
        for path, value in oracle_results(case).items()
    }


def answered(results: Results) -> list[Result]:
    """The results there are; without data, a metric has one that says so and no label key."""
    return [result for result in results if "label_key" in result.parameters]


def numbers(results: Results, name: str, *coordinates: str) -> Pairs:
    for result in answered(results):
        path = "/".join([name, *(str(result.parameters[one]) for one in coordinates)])
        yield path, result.to_dict()["value"]


# The calls of 2024


def core(case: GoldenCase) -> Pairs:
    wanted = case.parameters.get("metrics", DEFAULTS)
    batch = batch_of(case.rows)
    mapped = label_map(case)
    names = [name for name in wanted if name in ("Precision", "Recall", "F1")]
    choices: list[Any] = [{"name": name, "average": ["none"]} for name in names]
    choices += ["Accuracy"] if "Accuracy" in wanted else []
    choices += ["mROCAUC"] if "ROCAUC" in wanted else []
    choices += [name for name in wanted if name.endswith("PrecisionRecallCurve")]
    choices = [
        {"name": name, "max_examples": 10**6} if name == "DetailedPrecisionRecallCurve" else name
        for name in choices
    ]
    results = results_of(batch, *choices, "ConfusionMatrix", label_map=mapped)
    for name in names:
        yield from numbers(results[name], name.lower(), "label_key", "label")
    if "Accuracy" in wanted:
        yield from numbers(results["Accuracy"], "accuracy", "label_key")
    if "ROCAUC" in wanted:
        yield from numbers(results["mROCAUC"], "rocauc", "label_key")
    if "PrecisionRecallCurve" in wanted:
        yield from core_curve(results)
    if "DetailedPrecisionRecallCurve" in wanted:
        yield from core_detailed_curve(results)
    yield from core_confusion(results)
    renamed = naive.relabel(case.rows, dict(mapped))
    for name, count in naive.size(renamed).items():
        yield f"size/{name}", count


def label_map(case: GoldenCase) -> list[Any]:
    pairs = case.parameters.get("label_map", ())
    if not isinstance(pairs, tuple):
        raise SchemaError("label_map: expected pairs")
    return list(pairs)


def core_curve(results: Results) -> Pairs:
    for result in results["PrecisionRecallCurve"]:
        for label, points in result.value.items():
            for threshold, point in points.items():
                for column, value in point.items():
                    path = f"pr_curve/{result.parameters['label_key']}/{label}/{threshold}"
                    yield f"{path}/{'f1' if column == 'f1_score' else column}", value


def core_detailed_curve(results: Results) -> Pairs:
    for result in results["DetailedPrecisionRecallCurve"]:
        for label, points in result.value.items():
            for threshold, point in points.items():
                for kind, observed in point.items():
                    path = f"detailed/{result.parameters['label_key']}/{label}/{threshold}/{kind}"
                    total = sum(each["count"] for each in observed["observations"].values())
                    assert observed["total"] == total
                    for category, each in observed["observations"].items():
                        if each["count"]:
                            prefix = path if category == "all" else f"{path}.{category}"
                            yield prefix, each["count"]
                            yield f"{prefix}/examples", tuple(each["examples"])


def core_confusion(results: Results) -> Pairs:
    for result in results["ConfusionMatrix"]:
        if result.error is None:
            for truth, row in result.value["confusion_matrix"].items():
                for predicted, count in row.items():
                    if count:
                        path = f"confusion/{result.parameters['label_key']}/{truth}/{predicted}"
                        yield path, count


# The calls of the light evaluator


def left_over(case: GoldenCase) -> tuple[ClassificationBatch, dict[str, Any]]:
    """Data of a case, and the options that apply its filter.

    Valor filters items by their uid or metadata; filters of labels are applied beforehand.
    """
    rows = naive.select(
        case.rows,
        groundtruths=case.filters.groundtruths,
        predictions=case.filters.predictions,
        hardmax=case.parameters.get("hardmax", False),
    )
    kept = case.filters.datums
    if kept is None:
        return batch_of(rows), {}
    wanted = ", ".join(repr(uid) for uid in (*kept, "nobody"))
    return batch_of(rows), {"filter": f"uid in [{wanted}]"}


def chosen(case: GoldenCase, *names: str, **more: Any) -> Results:
    shared = {name: case.parameters[name] for name in ("score_thresholds", "hardmax")}
    batch, options = left_over(case)
    return results_of(batch, *({"name": name} | shared | more for name in names), **options)


def lite_counts(case: GoldenCase) -> Pairs:
    batch, options = left_over(case)
    shared = {name: case.parameters[name] for name in ("score_thresholds", "hardmax")}
    ratios = [
        {"name": name, "average": ["none"]} | shared for name in ("Precision", "Recall", "F1")
    ]
    results = results_of(
        batch, {"name": "Accuracy"} | shared, {"name": "Counts"} | shared, *ratios, **options
    )
    for result in answered(results):
        threshold = result.parameters["score_threshold"]
        if result.type == "Accuracy":
            yield f"accuracy/{threshold!r}", result.to_dict()["value"]
        elif result.type == "Counts":
            for column, count in result.value.items():
                yield f"counts/{threshold!r}/{result.parameters['label']}/{column}", count
        else:
            path = f"{result.type.lower()}/{threshold!r}/{result.parameters['label']}"
            yield path, result.value


def lite_rocauc(case: GoldenCase) -> Pairs:
    batch, options = left_over(case)
    results = results_of(batch, "ROCAUC", "mROCAUC", **options)
    yield from numbers(results["ROCAUC"], "rocauc", "label")
    yield from numbers(results["mROCAUC"], "mrocauc")


def lite_confusion(case: GoldenCase) -> Pairs:
    with_items = case.api == "lite_confusion_examples"
    results = chosen(case, "ConfusionMatrix", max_examples=10**6 if with_items else 0)
    for result in answered(results):
        threshold = result.parameters["score_threshold"]
        assert not any(map(count_of, result.value["unmatched_predictions"].values()))
        for truth, row in result.value["confusion_matrix"].items():
            for predicted, cell in row.items():
                path = f"matrix/{threshold!r}/{truth}/{predicted}"
                yield path, pairs_of(cell) if with_items else cell
        for truth, cell in result.value["unmatched_ground_truths"].items():
            yield f"unmatched/{threshold!r}/{truth}", uids_of(cell) if with_items else cell


def count_of(cell: Any) -> int:
    count: int = cell["count"] if isinstance(cell, dict) else cell
    return count


def pairs_of(cell: dict[str, Any]) -> tuple[tuple[str, float], ...]:
    assert cell["count"] == len(cell["examples"])
    return tuple((each["datum_id"], each["score"]) for each in cell["examples"])


def uids_of(cell: dict[str, Any]) -> tuple[str, ...]:
    assert cell["count"] == len(cell["examples"])
    return tuple(each["datum_id"] for each in cell["examples"])


def lite_examples(case: GoldenCase) -> Pairs:
    paging = {name: case.parameters.get(name) for name in ("limit", "offset")}
    paging = {name: value for name, value in paging.items() if value is not None}
    for result in answered(chosen(case, "Examples", **paging)):
        for item in result.value:
            sides = ("true_positives", "false_positives", "false_negatives")
            path = f"examples/{result.parameters['score_threshold']!r}/{item['datum_id']}"
            yield path, tuple(tuple(item[side]) for side in sides)


# Tests


def is_listed(case: GoldenCase, path: str) -> bool:
    return any(each.covers(path) for each in divergences(case.id))


@for_each("case", CASES, ids=lambda case: case.id)
def test_the_metrics_give_every_recorded_result_but_the_listed_divergences(
    case: GoldenCase,
) -> None:
    found = real_results(case)
    oracle = oracle_numbers(case)
    ours = {path: value for each in divergences(case.id) for path, value in each.ours.items()}
    limit = case.parameters.get("max_examples", 0)
    different = {}
    if "raises" in oracle:
        assert found.keys() == oracle.keys()
        return
    for path in sorted(case.results.keys() - {"raises"} | found.keys() | oracle.keys()):
        mine = found.get(path, MISSING)
        if "raises" in case.results or is_listed(case, path):
            wanted = ours.get(path, oracle.get(path, MISSING))
            same = agree(path, wanted, mine, 10**6)
        else:
            wanted = case.results.get(path, MISSING)
            same = agree(path, wanted, mine, limit)
        if not same:
            different[path] = (wanted, mine)
    assert different == {}


@for_each("case", CASES, ids=lambda case: case.id)
def test_the_metrics_give_every_result_of_the_oracle(case: GoldenCase) -> None:
    found = real_results(case)
    oracle = oracle_numbers(case)
    if "raises" in oracle:
        assert found.keys() == {"raises"}
        return
    different = {
        path: (oracle.get(path, MISSING), found.get(path, MISSING))
        for path in oracle.keys() | found.keys()
        if not agree(path, oracle.get(path, MISSING), found.get(path, MISSING), 10**6)
    }
    assert different == {}


def test_rows_survive_the_way_into_columns_and_back() -> None:
    for case in CASES:
        if "raises" not in case.results and "raises" not in oracle_results(case):
            assert list(batch_of(case.rows).items()) == items_of(case.rows)
