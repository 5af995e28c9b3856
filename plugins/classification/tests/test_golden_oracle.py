"""The naive oracle against the recorded results of earlier implementations."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import pytest
from cases import for_each

from . import naive
from .golden_cases import (
    CURVE_THRESHOLDS,
    GoldenCase,
    Row,
    data_sets,
    divergences,
    golden_cases,
    reasons,
)

CASES = golden_cases()
MISSING = "not among the results"

RECORDED = (
    *(f"core_clf_{n:02}" for n in range(1, 18)),
    *(f"edge_core_clf_{n:02}" for n in range(1, 15)),
    *(f"lite_clf_{n:03}" for n in range(1, 55)),
    *(f"edge_lite_clf_{n:02}" for n in range(1, 21)),
)


# What the oracle answers, under the paths of a golden case


def oracle_results(case: GoldenCase) -> dict[str, Any]:
    """Answer a case with the oracle; an error of the input is a result too."""
    answer = {
        "core": core,
        "lite_counts": lite_counts,
        "lite_rocauc": lite_rocauc,
        "lite_confusion": lite_confusion,
        "lite_confusion_examples": lite_confusion_examples,
        "lite_examples": lite_examples,
    }[case.api]
    try:
        naive.check(case.rows)
        return dict(answer(case))
    except (TypeError, ValueError) as error:
        return {"raises": type(error).__name__}


Pairs = Iterator[tuple[str, Any]]


def core(case: GoldenCase) -> Pairs:
    wanted = case.parameters.get("metrics", ("Precision", "Recall", "F1", "Accuracy", "ROCAUC"))
    rows = list(case.rows)
    if "label_map" in case.parameters:
        pairs = case.parameters["label_map"]
        rows = naive.relabel(rows, dict(pairs) if isinstance(pairs, tuple) else pairs)
    for key in naive.keys_of(rows):
        for label, c in naive.counts(rows, key).items():
            for name in ("Precision", "Recall", "F1"):
                if name in wanted:
                    yield f"{name.lower()}/{key}/{label}", getattr(naive, name.lower())(c)
        if "Accuracy" in wanted:
            yield f"accuracy/{key}", naive.accuracy(rows, key)
        if "ROCAUC" in wanted:
            yield f"rocauc/{key}", naive.mean_roc_auc(rows, key)
        if "PrecisionRecallCurve" in wanted:
            yield from core_curve(rows, key)
        if "DetailedPrecisionRecallCurve" in wanted:
            yield from core_detailed_curve(rows, key)
        yield from core_confusion(rows, key)
    for name, count in naive.size(rows).items():
        yield f"size/{name}", count


def core_confusion(rows: list[Row], key: str) -> Pairs:
    try:
        matrix = naive.confusion_matrix(rows, key).matrix
    except ValueError:
        return
    for (truth, predicted), members in matrix.items():
        yield f"confusion/{key}/{truth}/{predicted}", len(members)


def core_curve(rows: list[Row], key: str) -> Pairs:
    for label, points in naive.pr_curve(rows, key, CURVE_THRESHOLDS).items():
        for threshold, c in points.items():
            path = f"pr_curve/{key}/{label}/{threshold!r}"
            for name in ("tp", "fp", "fn", "tn"):
                yield f"{path}/{name}", getattr(c, name)
            yield f"{path}/accuracy", naive.binary_accuracy(c)
            for name in ("precision", "recall", "f1"):
                yield f"{path}/{name}", getattr(naive, name)(c)


def core_detailed_curve(rows: list[Row], key: str) -> Pairs:
    for label, points in naive.detailed_curve(rows, key, CURVE_THRESHOLDS).items():
        for threshold, categories in points.items():
            for category, uids in categories.items():
                if uids:
                    path = f"detailed/{key}/{label}/{threshold!r}/{category}"
                    yield path, len(uids)
                    yield f"{path}/examples", tuple(uids)


def lite_rows(case: GoldenCase, *, hardmax: bool) -> list[Row]:
    return naive.select(
        case.rows,
        datums=case.filters.datums,
        groundtruths=case.filters.groundtruths,
        predictions=case.filters.predictions,
        hardmax=hardmax,
    )


def lite_steps(case: GoldenCase) -> Iterator[tuple[list[Row], float, bool]]:
    hardmax = case.parameters["hardmax"]
    for threshold in case.parameters["score_thresholds"]:
        yield lite_rows(case, hardmax=hardmax), threshold, hardmax


def lite_counts(case: GoldenCase) -> Pairs:
    for rows, t, hardmax in lite_steps(case):
        if naive.taking_part(rows, case.label_key):
            yield f"accuracy/{t!r}", naive.accuracy(rows, case.label_key, t, hardmax=hardmax)
        counted = naive.counts(rows, case.label_key, t, hardmax=hardmax)
        for label, c in counted.items():
            for name in ("tp", "fp", "fn", "tn"):
                yield f"counts/{t!r}/{label}/{name}", getattr(c, name)
            for name in ("precision", "recall", "f1"):
                yield f"{name}/{t!r}/{label}", getattr(naive, name)(c)


def lite_rocauc(case: GoldenCase) -> Pairs:
    rows = lite_rows(case, hardmax=False)
    for label in naive.labels_of(rows, case.label_key):
        yield f"rocauc/{label}", naive.roc_auc(rows, case.label_key, label)
    yield "mrocauc", naive.mean_roc_auc(rows, case.label_key)


def lite_matrix(case: GoldenCase) -> Pairs:
    for rows, t, hardmax in lite_steps(case):
        labels = naive.labels_of(rows, case.label_key)
        confusion = naive.confusion_matrix(rows, case.label_key, t, hardmax=hardmax)
        assert not confusion.unmatched_predictions
        for truth in labels:
            lost = confusion.unmatched_groundtruths.get(truth, [])
            yield f"unmatched/{t!r}/{truth}", tuple(lost)
            for predicted in labels:
                members = confusion.matrix.get((truth, predicted), [])
                yield f"matrix/{t!r}/{truth}/{predicted}", tuple(members)


def lite_confusion(case: GoldenCase) -> Pairs:
    for path, members in lite_matrix(case):
        yield path, len(members)


def lite_confusion_examples(case: GoldenCase) -> Pairs:
    yield from lite_matrix(case)


def lite_examples(case: GoldenCase) -> Pairs:
    start = case.parameters.get("offset", 0)
    stop = start + case.parameters["limit"] if "limit" in case.parameters else None
    for rows, t, hardmax in lite_steps(case):
        found = naive.examples(rows, case.label_key, t, hardmax=hardmax)
        for uid in list(found)[start:stop]:
            yield f"examples/{t!r}/{uid}", found[uid]


# Where the two differ


def disagreements(case: GoldenCase) -> dict[str, tuple[Any, Any]]:
    """Map each path where the recorded and the oracle's results differ to both of them."""
    recorded, ours = case.results, oracle_results(case)
    if recorded.keys() & {"raises"} or ours.keys() & {"raises"}:
        pair = recorded.get("raises"), ours.get("raises")
        return {} if pair[0] == pair[1] else {"raises": pair}
    pairs = {
        path: (recorded.get(path, MISSING), ours.get(path, MISSING))
        for path in sorted(recorded.keys() | ours.keys())
    }
    limit = case.parameters.get("max_examples", 0)
    return {path: pair for path, pair in pairs.items() if not agree(path, *pair, limit)}


def agree(path: str, recorded: Any, ours: Any, max_examples: int) -> bool:
    """Compare two results: sets of examples by membership, floats to 1e-12, all else exactly."""
    if path.endswith("/examples") and MISSING not in (recorded, ours):
        are_expected = set(recorded) <= set(ours) and len(set(recorded)) == len(recorded)
        return are_expected and len(recorded) == min(len(ours), max_examples)
    if recorded in (None, MISSING) or ours in (None, MISSING):
        return recorded == ours
    if isinstance(recorded, float):
        return float(ours) == pytest.approx(recorded, rel=1e-12, abs=0.0)
    return bool(recorded == ours)


# Tests


def test_every_recorded_case_is_carried_exactly_once() -> None:
    assert sorted(case.id for case in CASES) == sorted(RECORDED)
    assert len(RECORDED) == 17 + 14 + 54 + 20


def test_every_data_set_is_used() -> None:
    assert {case.data for case in CASES} == data_sets().keys()


def test_cases_out_of_test_suites_have_no_kind_and_all_have_a_note() -> None:
    for case in CASES:
        assert case.kind in (("convention", "bug") if case.id.startswith("edge") else (None,))
        assert case.note


@for_each("case", CASES, ids=lambda case: case.id)
def test_the_oracle_agrees_with_a_case_but_for_the_listed_divergences(case: GoldenCase) -> None:
    listed = divergences(case.id)
    unlisted = {
        path: pair
        for path, pair in disagreements(case).items()
        if not any(each.covers(path) for each in listed)
    }
    assert unlisted == {}


@for_each("case", CASES, ids=lambda case: case.id)
def test_each_listed_divergence_does_differ(case: GoldenCase) -> None:
    different = disagreements(case)
    for each in divergences(case.id):
        for pattern in each.results:
            alone = type(each)(case=case.id, reason="", results=(pattern,), ours={}, note="")
            assert any(alone.covers(path) for path in different), pattern


@for_each("case", CASES, ids=lambda case: case.id)
def test_oracle_agrees_with_values_calculated_by_hand(case: GoldenCase) -> None:
    found = oracle_results(case)
    for each in divergences(case.id):
        for path, value in each.ours.items():
            assert agree(path, value, found.get(path, MISSING), 10**6), (path, found.get(path))


@for_each("case", CASES, ids=lambda case: case.id)
def test_no_result_differs_for_two_reasons_at_once(case: GoldenCase) -> None:
    for path in disagreements(case):
        assert sum(each.covers(path) for each in divergences(case.id)) <= 1, path


def test_only_an_undefined_ratio_differs_by_zero_division() -> None:
    for case in CASES:
        for each in divergences(case.id):
            if each.reason == "zero_division":
                pairs = [p for path, p in disagreements(case).items() if each.covers(path)]
                assert set(pairs) == {(-1.0, 0.0)}


def test_divergences_name_known_cases_and_reasons_and_every_reason_is_needed() -> None:
    assert {each.case for each in divergences()} <= {case.id for case in CASES}
    assert {each.reason for each in divergences()} == reasons().keys()


def test_every_recorded_bug_is_a_divergence() -> None:
    bugs = {case.id for case in CASES if case.kind == "bug"}
    assert bugs <= {each.case for each in divergences()}


# What no recorded case covers, by hand


def test_average_precision_sums_precision_over_the_gains_in_recall_at_distinct_scores() -> None:
    rows = [
        Row("a", (("k", "dog"),), (("k", "dog", 0.9),)),
        Row("b", (("k", "cat"),), (("k", "dog", 0.5),)),
        Row("c", (("k", "dog"),), (("k", "dog", 0.5),)),
        Row("d", (("k", "dog"),), (("k", "cat", 0.4),)),
    ]
    # dog: a third of recall each at precision 1/1, 2/3 and, where d does not list it, 3/4
    dog = Fraction(1, 3) * (1 + Fraction(2, 3) + Fraction(3, 4))
    assert naive.average_precision(rows, "k", "dog") == dog
    # cat is listed once, where it is not true; the one that is true is the last of four
    assert naive.average_precision(rows, "k", "cat") == Fraction(1, 4)
    # all pairs: at 0.9 1/1, at 0.5 2/3, unlisted 4/8, and four pairs are true
    pairs = Fraction(1, 4) * (1 + Fraction(2, 3) + 2 * Fraction(4, 8))
    assert naive.average_precision(rows, "k") == pairs
    assert naive.mean_average_precision(rows, "k") == (dog + Fraction(1, 4)) / 2
    assert naive.average_precision(rows, "k", "ant") is None


def test_a_prediction_without_ground_truth_is_a_hallucination_and_unmatched() -> None:
    rows = [
        Row("a", (("k", "dog"),), (("k", "dog", 0.9),)),
        Row("b", (("other", "red"),), (("k", "dog", 0.8),)),
    ]
    categories = naive.detailed_curve(rows, "k", [0.5])["dog"][0.5]
    assert {name: uids for name, uids in categories.items() if uids} == {
        "tp": ["a"],
        "fp.hallucinations": ["b"],
    }
    assert naive.confusion_matrix(rows, "k").unmatched_predictions == {"dog": [("b", 0.8)]}


def test_labels_made_equal_by_a_label_map_keep_the_first_place_and_the_best_score() -> None:
    row = Row(
        "a",
        (("k", "cat"), ("k", "dog")),
        (("k", "dog", 0.2), ("k", "bird", 0.4), ("k", "cat", 0.4)),
    )
    to_mammal = {("k", "cat"): ("k", "mammal"), ("k", "dog"): ("k", "mammal")}
    (renamed,) = naive.relabel([row], to_mammal)
    assert renamed.groundtruths == (("k", "mammal"),)
    assert renamed.predictions == (("k", "mammal", 0.4), ("k", "bird", 0.4))
    assert naive.best_label(renamed, "k") == "mammal"


def test_all_pairs_of_a_key_make_one_ranking() -> None:
    rows = [
        Row("a", (("k", "dog"),), (("k", "dog", 0.9), ("k", "cat", 0.3))),
        Row("b", (("k", "cat"),), (("k", "dog", 0.5),)),
    ]
    # true pairs 0.9 and unlisted, false pairs 0.3 and 0.5
    assert naive.roc_auc(rows, "k") == Fraction(2, 4)
