from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from valor_intervals.slices.number_ranges import quantile_edges, range_text

from valor_core import Evaluator, Report, Text, TextBatch, evaluate, metric
from valor_core.errors import ConfigError, StateError
from valor_core.specs import MetricSpec, Range


@metric("mylab.Right", task="text", range=Range(0, 1), higher_is_better=True)
def right(item: Any) -> float:
    return float(item.response == "yes")


RIGHT: list[MetricSpec] = [right]


def text(uid: str, is_right: bool, **metadata: Any) -> Text:
    return Text(uid, response="yes" if is_right else "no", metadata=metadata)


def texts(count: int, seed: int = 0) -> list[Text]:
    draw = random.Random(seed)
    return [
        text(
            f"q{i}",
            draw.random() < (0.6 if i % 3 == 0 else 0.9),
            lang="de" if i % 3 == 0 else "en",
            size=draw.randint(1, 200),
        )
        for i in range(count)
    ]


def listed(report: Report) -> list[tuple[dict[str, Any], int | None]]:
    return [(dict(part[0].slice), part.items) for part in report.slices]


def test_numbers_are_divided_at_edges() -> None:
    items = [text(f"q{size}", True, size=size) for size in (0, 31.5, 32, 95, 96, 1000)]
    items.append(text("unknown", True, size=None))

    report = evaluate(items, RIGHT, slices=[{"edges": [96, 32], "of": "size"}])

    assert listed(report) == [
        ({"size": "below 32"}, 2),
        ({"size": "32 to below 96"}, 2),
        ({"size": "96 or more"}, 2),
        ({"size": None}, 1),
    ]


def test_range_is_crossed_with_field() -> None:
    items = [text(f"q{i}", True, size=i, lang="de" if i % 2 else "en") for i in range(5)]

    report = evaluate(items, RIGHT, slices=["lang", ["lang", {"edges": [3], "of": "size"}]])

    assert listed(report)[2:] == [
        ({"lang": "de", "size": "below 3"}, 1),
        ({"lang": "de", "size": "3 or more"}, 1),
        ({"lang": "en", "size": "below 3"}, 2),
        ({"lang": "en", "size": "3 or more"}, 1),
    ]
    assert report.slice(size="below 3", lang="en").items == 2


def test_quantiles_have_equally_many_items_for_any_order_and_split() -> None:
    items = texts(1000)
    choice = [{"quantiles": 4, "of": "size"}]

    report = evaluate(items, RIGHT, slices=choice)

    assert all(230 <= (size or 0) <= 270 for _, size in listed(report))
    shuffled = random.Random(1).sample(items, len(items))
    halves = [TextBatch.of(shuffled[:300]), TextBatch.of(shuffled[300:])]
    for data in (shuffled, halves):
        assert evaluate(data, RIGHT, slices=choice) == report
    threads = {"name": "local", "workers": 2, "mode": "threads"}
    assert evaluate(halves, RIGHT, slices=choice, engine=threads) == report


def test_quantiles_are_those_of_the_filtered_items() -> None:
    items = [text(f"q{i}", True, size=i) for i in range(10)]

    report = evaluate(items, RIGHT, slices=[{"quantiles": 2, "of": "size"}], filter="size >= 6")

    assert listed(report) == [({"size": "below 8"}, 2), ({"size": "8 or more"}, 2)]


def test_report_records_boundaries_of_quantiles() -> None:
    report = evaluate(texts(100), RIGHT, slices=[{"quantiles": 2, "of": "size"}])

    (((ranges,),),) = (report.config["slices"]["by"],)
    assert (ranges["of"], len(ranges["edges"])) == ("size", 1)
    again = evaluate(texts(30), RIGHT, slices=report.config["slices"])
    assert [where for where, _ in listed(again)] == [where for where, _ in listed(report)]


def test_streaming_needs_boundaries_instead_of_quantiles() -> None:
    evaluator = Evaluator(RIGHT, slices=[{"quantiles": 2, "of": "size"}])
    with pytest.raises(ConfigError, match="quantiles of 'size' need all items") as caught:
        evaluator.update(TextBatch.of(texts(20_000)))
    assert "boundaries: {'edges': [32, 96], 'of': 'size'}" in str(caught.value)

    halves = []
    for half in (texts(100)[:50], texts(100)[50:]):
        evaluator = Evaluator(RIGHT, slices=[{"edges": [50], "of": "size"}])
        evaluator.update(half)
        halves.append(evaluator)
    halves[0].merge(halves[1])
    whole = evaluate(texts(100), RIGHT, slices=[{"edges": [50], "of": "size"}])
    assert halves[0].compute().slices == whole.slices


def test_state_of_ranges_is_loaded_with_the_same_ranges_only() -> None:
    choice = {"by": [{"edges": [50], "of": "size"}], "min_items": 20, "differences": True}
    one = Evaluator(RIGHT, slices=choice)
    one.update(texts(60))

    two = Evaluator(RIGHT, slices=one.evaluation.describe()["slices"])
    two.resume(one.dumps())
    assert two.compute() == one.compute()
    other = Evaluator(RIGHT, slices=[{"edges": [60], "of": "size"}])
    with pytest.raises(StateError, match=r"made by another request, slices"):
        other.resume(one.dumps())


@pytest.mark.parametrize(
    ("slices", "message"),
    [
        ([{"edges": [1], "off": "size"}], r"c.yaml: slices\[0\].off: unknown key"),
        ([{"edges": ["a"], "of": "size"}], r"c.yaml: slices\[0\].*edges\[0\] must be a number"),
        ([{"quantiles": 1, "of": "size"}], "quantiles must lie in"),
        ({"by": ["lang"], "min_item": 3}, "c.yaml: slices.min_item: unknown key"),
        (
            [{"edges": [1], "of": "size"}, {"edges": [2], "of": "size"}],
            "c.yaml: slices: expected one set of ranges of 'size', found two",
        ),
    ],
)
def test_wrong_table_of_slices_is_rejected(slices: Any, message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        Evaluator(RIGHT, slices=slices, place="c.yaml: ")


def test_text_of_numbers_is_divided_as_numbers() -> None:
    items = [text(f"q{size}", True, size=size) for size in ("9.50", "100.0", 20, "inf", None)]

    report = evaluate(items, RIGHT, slices=[{"edges": [10, 50], "of": "size"}])

    assert listed(report) == [
        ({"size": "below 10"}, 1),
        ({"size": "10 to below 50"}, 1),
        ({"size": "50 or more"}, 2),
        ({"size": None}, 1),
    ]
    halves = evaluate(items, RIGHT, slices=[{"quantiles": 2, "of": "size"}])
    assert [size for _, size in listed(halves)] == [2, 2, 1]


@pytest.mark.parametrize("value", ["big", "nan", True])
def test_range_of_text_is_rejected(value: Any) -> None:
    with pytest.raises(ConfigError, match=f"expected numbers in .*'size', found {value!r}"):
        evaluate([text("q1", True, size=value)], RIGHT, slices=[{"edges": [1], "of": "size"}])


def test_slices_with_few_items_are_counted_in_a_warning() -> None:
    items = [text(f"q{i}", True, lang=lang) for i, lang in enumerate("aaabbc")]

    report = evaluate(items, RIGHT, slices={"by": ["lang"], "min_items": 2})
    assert listed(report) == [({"lang": "a"}, 3), ({"lang": "b"}, 2)]
    assert report.warnings == ("1 slice with fewer than 2 items is not reported",)

    report = evaluate(items, RIGHT, slices={"by": "lang", "min_items": 3})
    assert report.warnings == ("2 slices with fewer than 3 items are not reported",)
    assert evaluate(items, RIGHT, slices={"by": "lang"}).warnings == ()


def test_rest_is_all_other_items() -> None:
    items = [text(f"q{i}", i in (0, 4, 5, 6), lang="aabbbbc"[i]) for i in range(7)]

    report = evaluate(items, RIGHT, slices={"by": ["lang"], "worst": 3})

    # Right are 1 of 2 items of a, 2 of 4 of b and 1 of 1 of c.
    rests = [part[0].details["rest"] for part in report.slices]
    assert [rest["value"] for rest in rests] == [3 / 5, 2 / 3, 3 / 6]
    assert [rest["difference"] for rest in rests] == [1 / 2 - 3 / 5, 2 / 4 - 2 / 3, 1 - 3 / 6]
    assert all("interval" not in rest for rest in rests)


def test_rest_of_slice_with_all_items_is_not_compared() -> None:
    report = evaluate([text("q1", True, lang="a")], RIGHT, slices={"by": "lang", "worst": 3})

    assert report.slices[0][0].details == {}


def test_differences_of_slices_are_results_with_intervals() -> None:
    choice = {"by": ["lang"], "worst": 3, "differences": True}
    report = evaluate(texts(600), RIGHT, slices=choice, confidence=0.95)

    german, english = (report.slice(lang=lang).only for lang in ("de", "en"))
    found = report.slice(lang="de minus en")
    assert found.items == 600
    assert found.value == german.value - english.value
    low, high = found.only.details["confidence"]["interval"]
    assert low < found.value < high < 0
    # Two independent shares: the standard errors add as squares.
    errors = [one.details["confidence"]["error"] for one in (german, english)]
    assert (high - low) / 2 == pytest.approx(1.98 * np.hypot(*errors), rel=0.15)
    assert found.only.details["difference"]["p"] < 0.001
    rest = german.details["rest"]
    assert rest["difference"] == found.value
    assert rest["interval"] == pytest.approx([low, high])


def test_items_of_one_cluster_in_two_slices_are_paired() -> None:
    # The items of a cluster are all right or all wrong, and each slice has one of them.
    draw = random.Random(0)
    items = []
    for cluster in range(200):
        is_right = draw.random() < 0.5
        for side in "ab":
            also = is_right or (side == "b" and draw.random() < 0.05)
            items.append(text(f"{cluster}{side}", also, side=side, cluster=cluster))
    choice = {"by": ["side"], "differences": True}

    widths = []
    for confidence in ({"level": 0.95}, {"level": 0.95, "cluster_by": "cluster"}):
        report = evaluate(items, RIGHT, slices=choice, confidence=confidence)
        low, high = report.slice(side="a minus b").only.details["confidence"]["interval"]
        widths.append(high - low)
    assert widths[1] < widths[0] / 2


def test_only_pairs_that_differ_in_one_field_are_compared() -> None:
    items = [text(f"q{i}", True, a="xy"[i % 2], b="uv"[i // 2]) for i in range(4)]

    report = evaluate(items, RIGHT, slices={"by": [["a", "b"]], "differences": True})

    assert [where for where, _ in listed(report)[4:]] == [
        {"a": "x", "b": "u minus v"},
        {"a": "x minus y", "b": "u"},
        {"a": "x minus y", "b": "v"},
        {"a": "y", "b": "u minus v"},
    ]


def test_differences_of_many_slices_are_rejected() -> None:
    items = [text(f"q{i}", True, n=i) for i in range(21)]

    with pytest.raises(ConfigError, match="at most 20 slices by n, found 21"):
        evaluate(items, RIGHT, slices={"by": ["n"], "differences": True})


@given(
    st.lists(st.floats(-1e6, 1e6) | st.integers(-5, 5).map(float), min_size=1),
    st.integers(2, 9),
)
def test_quantiles_ascend_and_leave_no_range_empty(numbers: list[float], count: int) -> None:
    edges = quantile_edges(np.array(numbers), count)

    sizes = np.bincount(np.searchsorted(edges, numbers, side="right"), minlength=len(edges) + 1)
    assert list(edges) == sorted(set(edges))
    assert len(edges) < count
    assert (sizes > 0).all() or not edges
    assert edges or len(set(numbers)) == 1
    if len(set(numbers)) == len(numbers) >= count:
        assert sizes.max() - sizes.min() <= 1
    assert edges == quantile_edges(np.array(numbers[::-1]), count)


def test_names_of_ranges_have_short_numbers() -> None:
    assert [range_text((-0.5, 1e20), i) for i in range(3)] == [
        "below -0.5",
        "-0.5 to below 1e+20",
        "1e+20 or more",
    ]
