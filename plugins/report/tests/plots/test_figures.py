"""Descriptions of figures of results."""

from __future__ import annotations

from typing import Any

import pytest
from valor_report.plots.charts import Chart, Figure
from valor_report.plots.figures import chosen_drawn, drawn, figures_of, numbers_drawn
from valor_report.plots.matrix_figure import MOST_LABELS_DRAWN, matrix_figure
from valor_report.tables.sections import structured
from valor_report.tables.structures import matrix

from valor_core import Result

MATRIX = {"cat": {"cat": 3, "dog": 1}, "dog": {"cat": 0, "dog": 2}}
CONFUSION = {
    "confusion_matrix": {"cat": {"cat": 3, "a b&c": 1}, "a b&c": {"cat": 0, "a b&c": 2}},
    "unmatched_ground_truths": {"cat": {"count": 4}},
    "unmatched_predictions": {"cat": {"count": 2}},
}
CURVE = {"cat": {"0.5": {"precision": 0.5, "recall": 1.0}, "0.9": {"precision": 1, "recall": 0.5}}}
BINS = {"bins": [{"confidence": 0.5, "accuracy": 0.25, "count": 4, "low": 0.0, "high": 1.0}]}


def rows(*counts: tuple[int, int, int]) -> dict[str, Any]:
    """Entries of a precision-recall curve at 0.25, 0.5, …, with true and false positives."""
    return {
        str((i + 1) / 4): {
            "tp": tp,
            "fp": fp,
            "fn": fn,
            "precision": tp / (tp + fp) if tp + fp else 0.0,
            "recall": tp / (tp + fn),
            "f1_score": 2 * tp / (2 * tp + fp + fn),
        }
        for i, (tp, fp, fn) in enumerate(counts)
    }


def best(label: str | None, threshold: float, **parameters: Any) -> Result:
    name = {"average": "micro"} if label is None else {"label": label}
    value = {"threshold": threshold, "precision": 0.75, "recall": 0.5, "f1": 0.6}
    value["specificity"] = 0.875
    return Result(type="BestThreshold", parameters={**name, **parameters}, value=value)


def figures(value: Any) -> list[Figure]:
    return [figure for _, figure in drawn([Result(type="M", value=value)])]


def chart_of(figure: Figure, drawing: int = 0) -> Chart:
    return figure.drawings[drawing].charts[0]


@pytest.mark.parametrize(
    ("value", "drawings", "name"),
    [
        (MATRIX, 1, "M: 2 rows by 2 columns"),
        (CURVE, 1, "M: precision by recall, 1 curve"),
        (BINS, 2, "M: accuracy by confidence, 1 bins"),
    ],
)
def test_each_structure_has_figure(value: Any, drawings: int, name: str) -> None:
    (result, figure), *_ = drawn([Result(type="M", value=value)])

    assert result.value == value
    assert len(figure.drawings) == drawings
    assert figure.drawings[0].name == name


@pytest.mark.parametrize("value", [0.5, {"strange": "words"}, [1, 2]])
def test_other_values_have_no_figure(value: Any) -> None:
    assert figures(value) == []


def test_matrix_of_too_many_labels_is_canvas() -> None:
    labels = [str(i) for i in range(MOST_LABELS_DRAWN + 1)]
    value = {row: dict.fromkeys(labels, 1) for row in labels}

    assert figures(value) == []
    ((held, found),) = [(one, found) for one, found in structured([Result(type="M", value=value)])]
    (figure,) = figures_of((held, found), "M", "")
    assert figure.canvas is not None
    assert figure.drawings == ()


@pytest.mark.parametrize(
    ("normalize", "expected"),
    [
        (None, ["3", "1", "4", "2", "2"]),
        ("true", ["38%", "12%", "50%", "100%", "100%"]),
        ("pred", ["60%", "33%", "100%", "67%", "40%"]),
        ("all", ["25%", "8%", "33%", "17%", "17%"]),
    ],
)
def test_matrix_is_normalized_by_row_column_or_all(normalize: Any, expected: list[str]) -> None:
    # Rows: cat 3 1 and 4 missed, "a b&c" 0 2, no ground truth 2.
    figure = matrix_figure(matrix(CONFUSION), "M", "", normalize)

    assert [cell.text for cell in chart_of(figure).cells] == expected


def test_tiny_share_is_not_written_as_zero() -> None:
    value = {"confusion_matrix": {"a": {"a": 199, "b": 1}, "b": {"a": 0, "b": 1}}}

    figure = matrix_figure(matrix(value), "M", "", "true")

    assert [cell.text for cell in chart_of(figure).cells] == [">99%", "<1%", "100%"]


def test_cells_have_counts_on_hover_and_filters_of_items() -> None:
    cells = chart_of(matrix_figure(matrix(CONFUSION), "M", "", "true")).cells

    assert cells[1].hint == "cat → a b&c: 1 (12.5%)"
    assert [cell.filter for cell in cells] == [
        "truth=cat&prediction=cat",
        "truth=cat&prediction=a%20b%26c",
        "truth=cat",
        "truth=a%20b%26c&prediction=a%20b%26c",
        "prediction=cat",
    ]
    assert [cell.is_hit for cell in cells] == [True, False, False, True, False]


def test_matrix_without_ground_truths_has_no_filters() -> None:
    assert {cell.filter for cell in chart_of(*figures(MATRIX)).cells} == {""}


def test_bars_have_whiskers_of_intervals_and_filters_of_labels() -> None:
    details = {"confidence": {"interval": [0.25, 2.0], "method": "Student"}}
    results = [
        Result(type="F1", parameters={"label": "cat"}, value=1.0, details=details),
        Result(type="F1", parameters={"label": "a dog"}, value=0.5),
    ]

    (figure,) = numbers_drawn(results)

    chart = chart_of(figure)
    (whisker,) = chart.whiskers
    assert (whisker.low, whisker.high) == ((0.25, 0.5), (2.0, 0.5))
    bars = chart.bars[0].bars
    assert [bar.x for bar in bars] == [(0, 1.0), (0, 0.5)]
    assert bars[0].text == "1.0000 ± 0.8750"
    assert [bar.filter for bar in bars] == ["label=cat", "label=a%20dog"]


@pytest.mark.parametrize(("higher", "which"), [(True, "lowest"), (False, "highest")])
def test_worst_of_many_numbers_are_drawn(higher: bool, which: str) -> None:
    results = [
        Result(type="F", parameters={"label": f"{i}", "higher_is_better": higher}, value=i / 100)
        for i in range(100)
    ]

    (figure,) = numbers_drawn(results)

    lengths = [bar.x[1] for bar in chart_of(figure).bars[0].bars]
    assert figure.caption.startswith(f"the 60 {which} of 100")
    assert lengths == [i / 100 for i in (range(60) if higher else range(99, 39, -1))]


def test_interval_columns_are_whiskers_and_not_bars() -> None:
    names = ("rate", "low", "high", "numerator", "denominator")
    value = {"rates": {"rejection": dict(zip(names, (0.5, 0.25, 0.75, 5, 10), strict=True))}}

    (figure,) = figures(value)

    (chart,) = figure.drawings[0].charts
    (dot,), (whisker,) = chart.dots, chart.whiskers
    assert (dot.at, dot.text) == ((0.5, 0.5), "0.5000 ± 0.2500, 5 of 10")
    assert (whisker.low, whisker.high) == ((0.25, 0.5), (0.75, 0.5))
    assert chart.bars == ()


def test_accuracy_by_noise_is_curve_with_whiskers() -> None:
    levels = {
        "0.4": {"accuracy": 0.5, "low": 0.25, "high": 0.75, "total": 4},
        "0.0": {"accuracy": 1.0, "low": 0.5, "high": 1.0, "total": 4},
    }

    (figure,) = figures({"noise_ratio": levels})

    chart = chart_of(figure)
    assert (chart.x.title, chart.y.title) == ("noise ratio", "accuracy")
    assert [tuple(line.points) for line in chart.lines] == [((0.0, 1.0), (0.4, 0.5))]
    assert [one.low for one in chart.whiskers] == [(0.0, 0.5), (0.4, 0.25)]


def test_scores_are_histogram_of_right_and_wrong_items() -> None:
    # Two bins: 1 of 4 right, and 3 of 3 right.
    value = {
        "bins": [
            {"lower": 0.0, "upper": 0.5, "count": 4, "accuracy": 0.25, "confidence": 0.375},
            {"lower": 0.5, "upper": 1.0, "count": 3, "accuracy": 1.0, "confidence": 0.75},
        ]
    }

    (figure,) = figures(value)

    right, wrong = chart_of(figure, 1).bars
    assert [(bar.x, bar.y) for bar in right.bars] == [((0.0, 0.5), (0, 1)), ((0.5, 1.0), (0, 3))]
    assert [(bar.x, bar.y) for bar in wrong.bars] == [((0.0, 0.5), (1, 4)), ((0.5, 1.0), (3, 3))]
    assert [bar.filter for bar in wrong.bars] == ["score=0..0.5", "score=0.5..1"]
    assert chart_of(figure).dots[0].hint == (
        "0 to 0.5: 4 items, confidence 0.3750, accuracy 0.2500"
    )


def test_scores_of_positive_label_are_histogram_of_positives() -> None:
    bin = {"lower": 0.0, "upper": 1.0, "count": 4, "frequency": 0.5, "confidence": 0.5}

    (figure,) = figures({"bins": [bin]})

    assert [bars.name for bars in chart_of(figure, 1).bars] == ["positive", "negative"]


def test_threshold_curves_are_sums_of_many_labels() -> None:
    # tp, fp, fn of all labels: 6, 6, 3 at 0.25 and 3, 0, 6 at 0.5.
    value = {label: rows((2, 2, 1), (1, 0, 2)) for label in ("ant", "bee", "cat")}

    _, figure = figures(value)

    assert figure.title == "M by score threshold"
    assert figure.caption == "all labels together"
    lines = {line.name: tuple(line.points) for line in chart_of(figure).lines}
    assert lines == {
        "precision": ((0.25, 0.5), (0.5, 1.0)),
        "recall": ((0.25, 6 / 9), (0.5, 3 / 9)),
        "F1": ((0.25, 12 / 21), (0.5, 6 / 12)),
    }


def test_two_labels_have_separate_threshold_curves() -> None:
    _, figure = figures({label: rows((2, 2, 1), (1, 0, 2)) for label in ("no", "yes")})

    assert [drawing.charts[0].y.title for drawing in figure.drawings] == ["label no", "label yes"]


def test_precision_without_predictions_is_no_point_of_threshold_curve() -> None:
    _, figure = figures({"cat": rows((2, 2, 1), (0, 0, 3))})

    lines = {line.name: tuple(line.points) for line in chart_of(figure).lines}
    assert lines["precision"] == ((0.25, 0.5),)
    assert lines["recall"] == ((0.25, 2 / 3), (0.5, 0.0))


def test_chosen_thresholds_are_marked_in_all_curves() -> None:
    by_label = {label: rows((2, 2, 1), (1, 0, 2)) for label in ("ant", "bee", "cat")}
    roc = {"ant": {"fpr": [0, 1], "tpr": [0, 1]}}
    results = [
        Result(type="PrecisionRecallCurve", value=by_label),
        Result(type="ROCCurve", value=roc),
        best("ant", 0.375),
        best(None, 0.25),
    ]

    curves, by_threshold, roc_curve = (figure for _, figure in drawn(results))

    assert [dot.at for dot in chart_of(curves).dots] == [(0.5, 0.75)]
    assert [dot.at for dot in chart_of(roc_curve).dots] == [(0.125, 0.5)]
    assert {dot.at for dot in chart_of(by_threshold).dots} == {
        (0.25, 0.75),
        (0.25, 0.5),
        (0.25, 0.6),
    }
    assert chart_of(by_threshold).lines[-1].points == ((0.25, 0.0), (0.25, 1.0))
    assert by_threshold.caption == "all labels together; dashed: chosen threshold"


def test_chosen_threshold_of_other_settings_is_not_marked() -> None:
    curve = {"cat": rows((2, 2, 1), (1, 0, 2))}
    results = [
        Result(type="Curve", parameters={"iou_threshold": 0.5}, value=curve),
        best("cat", 0.375, iou_threshold=0.75),
    ]

    assert [chart_of(figure).dots for _, figure in drawn(results)] == [(), ()]


def test_best_threshold_is_plotted_in_curve_of_its_label() -> None:
    curve = Result(type="Curve", value={label: rows((2, 2, 1), (1, 0, 2)) for label in "abc"})
    chosen = [best("b", 0.375), best("c", 0.25)]

    (figure,) = chosen_drawn(chosen[:1], [curve, *chosen])

    assert figure.title == "BestThreshold by score threshold"
    assert [line.name for line in chart_of(figure).lines][-1] == "threshold 0.3750"
    assert chart_of(figure).y.title == "label b"
    assert chosen_drawn(chosen, chosen) == ()
