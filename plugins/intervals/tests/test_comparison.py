import numpy as np
import pytest
from scipy.stats import binomtest, ttest_rel
from valor_intervals import compare, corrected

import valor_core
from valor_core import Report, Result, Text, evaluate, metric
from valor_core.errors import ConfigError
from valor_core.results import ItemRows, Numbers
from valor_core.results.item_tables import ItemTable


@metric("lab.Right", task="text", higher_is_better=True)
def right(item) -> float:
    return float(item.response == item.references[0])


@metric("lab.Near", task="text", higher_is_better=True)
def near(item) -> float:
    return 1 / (1 + abs(int(item.response) - int(item.references[0])))


def report(responses, metrics=(right,), first=0, **options) -> Report:
    texts = [
        Text(f"q{first + i}", response=str(response), references="0")
        for i, response in enumerate(responses)
    ]
    return evaluate(texts, list(metrics), **options)


def with_rows(responses, *metrics, **options) -> Report:
    return report(responses, metrics or (right,), items=True, **options)


def test_items_that_are_right_or_wrong_get_mcnemars_test() -> None:
    found = compare(
        with_rows([0] * 10 + [1] * 12), with_rows([0] * 8 + [1] * 2 + [0] * 9 + [1] * 3)
    )

    (number,) = found.numbers
    (flips,) = found.flips
    assert flips.better == tuple(sorted(f"q{i}" for i in range(10, 19)))
    assert flips.worse == ("q8", "q9")
    assert flips.wrong == ("q19", "q20", "q21")
    assert number.test.method == "McNemar"
    assert number.test.uncorrected == pytest.approx(binomtest(2, 11).pvalue)
    assert number.test.items == 22


def test_interval_of_a_mean_is_that_of_paired_differences() -> None:
    random = np.random.default_rng(0)
    first, second = random.integers(0, 9, 40), random.integers(0, 7, 40)

    (number,) = compare(with_rows(first, near), with_rows(second, near)).numbers

    expected = ttest_rel(1 / (1 + second), 1 / (1 + first))
    interval = expected.confidence_interval(0.95)
    assert number.test.method == "randomization"
    assert (number.test.low, number.test.high) == pytest.approx((interval.low, interval.high))
    assert number.test.p == pytest.approx(expected.pvalue, abs=0.02)
    assert number.test.smallest == pytest.approx(2.8016 * number.test.error, rel=1e-4)


def test_rows_in_another_order_are_paired_by_uid() -> None:
    first, second = with_rows([0, 1, 0, 1, 1, 0]), with_rows([0, 0, 0, 1, 0, 0])
    texts = [
        Text(f"q{i}", response=str(r), references="0") for i, r in enumerate([0, 0, 0, 1, 0, 0])
    ]
    shuffled = evaluate(texts[::-1], [right], items=True)

    assert compare(first, shuffled).to_dict() == compare(first, second).to_dict()


def test_intervals_come_before_rows_and_the_test_can_be_chosen() -> None:
    random = np.random.default_rng(3)
    first, second = (with_rows(random.integers(0, 3, 50), near, confidence=0.9) for _ in range(2))
    methods = {
        test: compare(first, second, test=test).numbers[0].test.method
        for test in ("auto", "jackknife", "randomization", "bootstrap")
    }

    assert methods == {
        "auto": "jackknife",
        "jackknife": "jackknife",
        "randomization": "randomization",
        "bootstrap": "bootstrap",
    }
    assert compare(first, second).level == 0.9


def test_reports_with_the_same_resamples_are_compared_by_them() -> None:
    random = np.random.default_rng(3)
    numbers = [random.integers(0, 3, 200), random.integers(0, 2, 200)]
    reports = [report(one, [near], confidence={"resamples": 200}) for one in numbers]
    other = report(numbers[1], [near], confidence={"resamples": 200, "seed": 1})

    (resamples,), (groups,) = (
        compare(*reports, test=test).numbers for test in ("auto", "jackknife")
    )
    assert (resamples.test.method, groups.test.method) == ("bootstrap, percentile", "jackknife")
    assert resamples.test.low == pytest.approx(groups.test.low, abs=0.02)
    assert resamples.test.high == pytest.approx(groups.test.high, abs=0.02)
    assert str(compare(*reports)).endswith("clear (bootstrap, percentile)")
    assert compare(reports[0], other).numbers[0].test is None


def test_corrections_of_several_numbers() -> None:
    random = np.random.default_rng(4)
    first = with_rows(random.integers(0, 3, 80), right, near)
    second = with_rows(random.integers(0, 2, 80), right, near)
    tests = {
        name: [one.test for one in compare(first, second, correction=name).numbers]
        for name in ("holm", "bh", "none")
    }

    low, high = sorted(one.uncorrected for one in tests["none"])
    assert sorted(one.p for one in tests["none"]) == [low, high]
    assert sorted(one.p for one in tests["bh"]) == [min(2 * low, high), high]
    assert sorted(one.p for one in tests["holm"]) == [min(1, 2 * low), max(min(1, 2 * low), high)]


def test_equal_models_have_no_test_and_no_difference() -> None:
    (number,) = compare(with_rows([0, 1, 0]), with_rows([0, 1, 0])).numbers

    assert number.test is None
    assert number.a == number.b


def test_undefined_items_are_excluded_in_pairs() -> None:
    @metric("lab.Some", task="text", higher_is_better=True)
    def some(item):
        number = int(item.response)
        return valor_core.Undefined("nine") if number == 9 else float(number == 0)

    a = with_rows([0, 1, 9, 1, 1, 0], some)
    b = with_rows([0, 0, 9, 0, 1, 1], some)

    (number,) = compare(a, b).numbers

    assert number.test.items == 5


@pytest.mark.parametrize(
    ("other", "reason"),
    [
        (lambda: with_rows([0, 1]), "data: 3 items, then 2"),
        (
            lambda: with_rows([0, 1, 1], first=1),
            "data: uids of rows: 1 only in the first, 1 only in the second, such as 'q0'",
        ),
        (
            lambda: with_rows([0, 1, 1], filter="uid != 'x'"),
            "data: filter none, then \"uid != 'x'\"",
        ),
    ],
    ids=["count", "uids", "filter"],
)
def test_other_data_are_not_comparable(other, reason) -> None:
    found = compare(with_rows([0, 1, 0]), other())

    assert found.incomparable == (reason,)
    assert found.numbers[0].test is None


def test_other_parameters_are_named() -> None:
    def of(**parameters) -> Report:
        texts = [Text("q1", response="a b", references="a c")]
        return evaluate(texts, [{"name": "text.WER", **parameters}])

    lower, words = of(normaliser="lower"), of(tokeniser="char")

    assert compare(of(), lower).incomparable == ("text.WER: normaliser: 'none@1', then 'lower@1'",)
    assert compare(of(), words).incomparable[0].startswith("text.WER: tokeniser: ")


def test_another_version_of_a_metric_is_not_tested() -> None:
    a, b = with_rows([0, 1, 0, 1]), with_rows([0, 0, 0, 1])
    record = b.to_dict()
    for one in (*record["results"], *record["items"]):
        one["metric"] = "lab.Right@2"
    b = Report.from_dict(record)

    found = compare(a, b)

    assert found.incomparable == ("definition of lab.Right: version 1, then 2",)
    assert found.numbers[0].test is None


def test_reports_without_rows_and_intervals_get_the_command_that_adds_them() -> None:
    first, second = report([0, 1, 0]), report([0, 0, 0])
    with_intervals = report([0, 1, 0], confidence=0.95)

    (both,) = compare(first, second, names=("a.json", "my b.json")).remarks
    (one,) = compare(with_intervals, second).remarks

    assert both == (
        "1 difference without a test; for intervals: valor rerun a.json --confidence 0.95 "
        "-o a.json and valor rerun 'my b.json' --confidence 0.95 -o 'my b.json'"
    )
    assert one.endswith("for intervals: valor rerun second.json --confidence 0.95 -o second.json")


def test_reports_that_keep_too_few_numbers_get_the_command_that_keeps_more() -> None:
    random = np.random.default_rng(6)
    numbers = random.integers(0, 3, 50), random.integers(0, 2, 50)
    few, all = (
        [report(one, confidence={"level": 0.95, "keep": keep}) for one in numbers]
        for keep in (0, 1)
    )

    assert compare(*few).remarks == (
        "1 difference without a test; to keep the values of more numbers: "
        "valor rerun first.json --set confidence.keep=10 -o first.json and "
        "valor rerun second.json --set confidence.keep=10 -o second.json",
    )
    assert compare(*all).numbers[0].test.method == "jackknife"


def test_other_settings_of_intervals_get_a_remark() -> None:
    first = report([0, 1, 0, 1], confidence=0.95)
    second = report([0, 0, 0, 1], confidence={"level": 0.95, "groups": 10})

    assert compare(first, second).remarks == (
        "1 difference without a test: the intervals of the reports have other settings",
    )


def test_corpus_metrics_are_tested_with_their_sums() -> None:
    random = np.random.default_rng(5)
    words = np.array(["the", "cat", "sat", "on", "a", "mat", "and", "ran", "away"])

    def texts(share: float) -> Report:
        pairs = []
        for i in range(60):
            reference = random.choice(words, 8)
            response = np.where(random.random(8) < share, random.choice(words, 8), reference)
            pairs.append(Text(i, response=" ".join(response), references=" ".join(reference)))
        return evaluate(pairs, ["text.WER", "text.CorpusChrF"], items=True)

    found = compare(texts(0.2), texts(0.6))

    assert [one.test.method for one in found.numbers] == ["randomization", "randomization"]
    assert all(one.test.is_clear for one in found.numbers)
    assert all(one.test.low < one.b - one.a < one.test.high for one in found.numbers)


def test_texts_with_more_or_fewer_errors_are_listed_by_change() -> None:
    # Of four words, 4, 1, 0 and 2 are wrong, then 1, 2, 0 and 1: the error rate of the first
    # text falls by 3/4, those of the others change by 1/4.
    def texts(*wrong: int) -> Report:
        responses = [" ".join(["x"] * count + ["a"] * (4 - count)) for count in wrong]
        pairs = [Text(i, response=one, references="a a a a") for i, one in enumerate(responses)]
        return evaluate(pairs, ["text.WER"], items=True)

    (flips,) = compare(texts(4, 1, 0, 2), texts(1, 2, 0, 1)).flips

    assert (flips.better, flips.worse, flips.wrong) == ((0, 3), (1,), None)


def test_metric_without_direction_lists_only_items_that_are_right_or_wrong() -> None:
    @metric("lab.Length", task="text", higher_is_better=None)
    def length(item) -> float:
        return float(len(item.response))

    @metric("lab.Empty", task="text", higher_is_better=None)
    def empty(item) -> float:
        return float(item.response == "0")

    first, second = ([3, 10, 100], [0, 100, 10])
    found = compare(with_rows(first, length, empty), with_rows(second, length, empty))

    assert [one.metric for one in found.flips] == ["lab.Empty"]


def test_core_compares_reports() -> None:
    a, b = with_rows([0, 1, 0, 1]), with_rows([0, 0, 0, 1])

    assert (
        valor_core.compare(a, b, correction="bh").to_dict()
        == compare(a, b, correction="bh").to_dict()
    )


def test_printed_comparison_lists_numbers_and_items() -> None:
    found = compare(with_rows([0, 1, 0, 1]), with_rows([0, 0, 0, 1]))

    assert str(found).splitlines()[1] == "lab.Right: 1 better, 0 worse, 1 wrong in both"
    assert repr(found).startswith("<Comparison of 1 numbers: 1 tested, 0 differ clearly")


@pytest.mark.parametrize(("name", "value"), [("test", "wilcoxon"), ("correction", "bonferroni")])
def test_unknown_choice_is_rejected(name: str, value: str) -> None:
    with pytest.raises(ConfigError, match=f"{name}: expected .* got '{value}'"):
        compare(with_rows([0, 1]), with_rows([1, 1]), **{name: value})


def test_ties_count_except_in_the_test_of_sacrebleu() -> None:
    # One word in each text: the errors are 0 or 1, so many swaps give the same difference.
    def texts(wrong: int) -> Report:
        pairs = [
            Text(i, response="no" if i < wrong else "yes", references="yes") for i in range(100)
        ]
        return evaluate(pairs, ["text.WER", "text.ExactMatch"], items=True)

    p = {
        test: compare(texts(30), texts(25), test=test, correction="none").numbers[0].test.p
        for test in ("randomization", "sacrebleu")
    }
    exact = compare(texts(30), texts(25), correction="none").numbers[1].test.p

    assert exact == 0.0625  # 2 of 32 swaps of five items
    assert p["randomization"] == pytest.approx(exact, abs=0.01)
    assert p["sacrebleu"] == 1 / 10_001


def test_many_items_get_students_test_with_the_same_p_value() -> None:
    random = np.random.default_rng(8)
    shared = random.random(10_001)
    reports = []
    for _ in range(2):
        scores = shared + random.normal(0, 0.1, 10_001)
        rows = ItemRows(np.arange(10_001), {"": Numbers(scores, np.zeros(10_001, np.uint8))})
        result = Result(type="Score", metric="lab.Score@1", value=float(scores.mean()))
        table = ItemTable("lab.Score@1", {}, rows)
        reports.append(Report(results=[result], items=(table,), counts={"read": 10_001}))

    (student,) = compare(*reports).numbers
    (swapped,) = compare(*reports, test="randomization").numbers

    assert (student.test.method, swapped.test.method) == ("Student", "randomization")
    assert student.test.p == pytest.approx(swapped.test.p, abs=0.015)


def test_p_values_of_main_numbers_labels_and_slices_are_corrected_separately() -> None:
    random = np.random.default_rng(7)
    truth = random.integers(0, 4, 300).astype(str)
    first, second = (
        np.where(random.random(300) < share, truth, random.integers(0, 4, 300).astype(str))
        for share in (0.7, 0.8)
    )
    reports = [
        evaluate(
            {"y_true": truth, "y_pred": found, "site": np.arange(300) % 3},
            ["F1"],
            slices=["site"],
            confidence=0.95,
        )
        for found in (first, second)
    ]

    numbers = [one for one in compare(*reports).numbers if one.test is not None]

    families = {
        "main": [n for n in numbers if not n.result.slice and "label" not in n.result.parameters],
        "labels": [n for n in numbers if not n.result.slice and "label" in n.result.parameters],
        "slices": [n for n in numbers if n.result.slice],
    }
    assert [len(family) for family in families.values()] == [3, 4, 21]
    for family in families.values():
        tests = [one.test for one in family]
        expected = corrected([test.uncorrected for test in tests])
        assert [test.p for test in tests] == pytest.approx(expected)
