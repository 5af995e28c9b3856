from __future__ import annotations

import random

from valor_report import MISSING
from valor_report.tables.pivot import ALIKE
from valor_report.tables.sections import tables_of

from valor_core.results import Failed, Report, Result, Undefined
from valor_core.results.report import Requirement
from valor_core.results.results import Results

SHARED = {"label_key": "class", "score_threshold": 0.0}


def of(type, value, left_out=(), namespace="lab", **parameters):
    return Result(
        type=type,
        metric=f"{namespace}.{type}@1",
        parameters=parameters,
        value=value,
        left_out=dict(left_out),
    )


def titled(found, title):
    (table,) = [table for table in found if table.title == title]
    return table


def texts(table):
    return [tuple(cell.text for cell in row) for row in table.rows]


def test_results_pivot_like_a_classification_report():
    results = [
        of("Precision", 0.5, label="cat", **SHARED),
        of("Precision", 0.25, label="dog", **SHARED),
        of("Precision", 0.375, average="macro", **SHARED),
        of("Recall", 1.0, label="cat", **SHARED),
        of("Recall", 0.5, average="macro", **SHARED),
        of("Accuracy", 0.75, **SHARED),
    ]

    overall, by_label = tables_of(results)

    assert overall.title == "Results"
    assert texts(overall) == [("Accuracy", "0.7500")]
    assert [column.title for column in by_label.columns] == ["label", "Precision", "Recall"]
    assert texts(by_label) == [
        ("cat", "0.5000", "1.0000"),
        ("dog", "0.2500", ""),
        ("macro average", "0.3750", "0.5000"),
    ]
    assert by_label.foot == 1
    assert by_label.settings == "score_threshold 0.0"


def test_results_with_equal_parameters_are_separate_rows():
    results = [
        of("F1", 0.5, label="cat"),
        of("F1", 0.25, label="cat"),
        of("Recall", 0.75, label="cat"),
        of("F1", 0.125, average="macro"),
        of("F1", 0.875, average="macro"),
    ]

    (table,) = tables_of(results)

    assert texts(table) == [
        ("cat", "0.5000", "0.7500"),
        ("cat", "0.2500", ""),
        ("macro average", "0.1250", ""),
        ("macro average", "0.8750", ""),
    ]
    assert table.foot == 2
    assert table.caption == ALIKE


def test_results_with_equal_parameters_are_separate_rows_of_slices():
    results = [of("F1", 0.5, average="macro"), of("F1", 0.25, average="macro")]
    sliced = [of("F1", 0.75, average="macro"), of("F1", 0.125, average="macro")]

    found = tables_of(Report(results=results, slices=(Results(sliced).in_slice({"ink": "light"}),)))

    table = titled(found, "Results by ink")
    assert [column.title for column in table.columns] == ["ink", "F1 (macro)"]
    assert texts(table) == [
        ("light", "0.7500"),
        ("light", "0.1250"),
        ("all", "0.5000"),
        ("all", "0.2500"),
    ]
    assert (table.caption, table.foot) == (ALIKE, 2)


def test_tables_contain_every_number_of_report():
    rng = random.Random(5)
    names = {"label": "abc", "average": "de", "width": (1, 2, None), "mode": "xy", "order": ([1],)}
    for _ in range(200):
        results = []
        for number in rng.sample(range(1000, 10_000), rng.randrange(1, 12)):
            parameters = {
                name: rng.choice(pool) for name, pool in names.items() if rng.random() < 0.4
            }
            value = number if rng.random() < 0.7 else {"tp": number, "fp": 1}
            results.append(of(rng.choice("AB"), value, namespace=rng.choice("lm"), **parameters))
        shown = {cell.number for table in tables_of(results) for row in table.rows for cell in row}

        for result in results:
            assert (result.number or result.value["tp"]) in shown, results


def test_text_and_boolean_values_are_shown():
    (table,) = tables_of([of("Verdict", "good", label="cat"), of("Verdict", True)])

    assert [row[:2] for row in texts(table)] == [("Verdict, cat", "good"), ("Verdict", "True")]


def test_settings_name_metrics_of_parameter():
    results = [
        of("Precision", 0.5, label="cat", hardmax=True),
        of("Recall", 0.5, label="cat", hardmax=True),
        of("ROCAUC", 0.5, label="cat", bins=None),
    ]

    (table,) = tables_of(results)

    assert table.settings == "hardmax true (not ROCAUC); bins null (ROCAUC)"


def test_few_settings_of_one_metric_become_columns():
    results = [
        of(
            "Hausdorff",
            1.0 * high if label == "cat" else 2.0 * high,
            label=label,
            high=high,
            of=of_,
        )
        for high in (1, 2)
        for of_ in ("mean", "worst")
        for label in ("cat", "dog")
    ]

    (table,) = tables_of([*results, of("Hausdorff", 5.0, average="macro", high=1, of="mean")])

    assert (table.title, table.caption) == ("Hausdorff by label", "columns: high, of")
    titles = [column.title for column in table.columns]
    assert titles == ["label", "1, mean", "1, worst", "2, mean", "2, worst"]
    assert texts(table) == [
        ("cat", "1.0000", "1.0000", "2.0000", "2.0000"),
        ("dog", "2.0000", "2.0000", "4.0000", "4.0000"),
        ("macro average", "5.0000", "", "", ""),
    ]
    assert table.foot == 1


def test_parameter_with_many_values_becomes_column():
    results = [
        of("AP", 0.5 if label == "cat" else 0.25, label=label, iou_threshold=threshold)
        for threshold in (0.5, 0.55, 0.6, 0.65, 0.7, 0.75, 0.8, 0.85, 0.9)
        for label in ("cat", "dog")
    ]

    (table,) = tables_of([*results, of("mAP", 1.0, iou_threshold=0.5), of("mAP", 0.5)])[1:]

    assert [column.title for column in table.columns] == ["label", "iou_threshold", "AP"]
    assert texts(table)[2] == ("cat", "0.55", "0.5000")


def test_parameter_of_some_results_becomes_column():
    results = [of("Accuracy", 0.5, hardmax=True), of("Accuracy", 0.75, top_k=2), of("Loss", 1.0)]

    (table,) = tables_of(results)

    assert texts(table) == [
        ("Accuracy", "true", "", "0.5000"),
        ("Accuracy", "", "2", "0.7500"),
        ("Loss", "", "", "1.0000"),
    ]


def test_metrics_with_different_varying_parameters_have_separate_tables():
    results = [
        of("F1", 0.5, label="cat", score_threshold=0.1),
        of("F1", 0.6, label="cat", score_threshold=0.2),
        of("ROCAUC", 0.7, label="cat"),
    ]

    by_threshold, by_label = tables_of(results)

    assert texts(by_threshold) == [("cat", "0.5000", "0.6000")]
    assert texts(by_label) == [("cat", "0.7000")]


def test_label_key_is_in_title_or_column():
    dog = of("F1", 0.5, label="dog", label_key="animal")
    red = of("F1", 0.5, label="red", label_key="color")

    (one,), (several,) = tables_of([dog]), tables_of([dog, red])

    assert one.title == "Results by label of 'animal'"
    assert [column.title for column in several.columns] == ["label", "label_key", "F1"]


def test_named_numbers_become_columns():
    (table,) = tables_of([of("Counts", {"tp": 3, "fp": None}, label="cat")])

    assert [column.title for column in table.columns] == ["label", "tp", "fp"]
    assert texts(table) == [("cat", "3", "–")]  # noqa: RUF001


def test_equal_named_numbers_of_two_metrics_have_metric_in_title():
    results = [of("A", {"n": 1}, label="cat"), of("B", {"n": 2}, label="cat")]

    (table,) = tables_of(results)

    assert [column.title for column in table.columns] == ["label", "A n", "B n"]


def test_metrics_with_same_short_name_have_full_names():
    results = [of("F1", 0.1, label="cat"), of("F1", 0.2, label="cat", namespace="yours")]

    (table,) = tables_of(results)

    assert [column.title for column in table.columns] == ["label", "lab.F1", "yours.F1"]


def test_equal_reasons_share_a_footnote():
    results = [
        of("Recall", Undefined("no ground truths of label 'cat'"), label="cat"),
        of("Recall", Undefined("no ground truths of label 'dog'"), label="dog"),
        of("Recall", 0.5, [("no ground truths", 2)], average="macro"),
        of("Judge", Failed("no reply"), label="cat"),
    ]

    (table,) = tables_of(results)

    assert texts(table) == [
        ("cat", "–¹", "failed²"),  # noqa: RUF001
        ("dog", "–¹", ""),  # noqa: RUF001
        ("macro average", "0.5000³", ""),
    ]
    assert table.notes == (
        "no ground truths of this label",
        "no reply",
        "left out of the mean: no ground truths (2)",
    )


def test_reasons_beyond_maximum_are_counted():
    results = [of("M", Undefined(f"reason {i}"), item=i) for i in range(20)]

    (table,) = tables_of(results)

    assert len(table.notes) == 13
    assert table.notes[-1] == "8 more reasons are in the JSON report"
    assert table.rows[-1][-1].text == "–"  # noqa: RUF001


def long_results():
    for i in range(50):
        yield of("Loss", i / 100, label=f"l{i}")
    yield of("Loss", 0.2, average="macro")


def test_long_table_shows_worst_rows_if_direction_is_known():
    (table,) = tables_of(long_results(), most_rows=20, directions={"lab.Loss": False})

    assert table.title == "Results by label: the 20 worst by Loss of 50"
    assert table.caption == "30 more rows in the JSON report"
    assert len(table.rows) == 21
    assert [row[0].text for row in table.rows[:2]] == ["l49", "l48"]
    assert table.rows[-1][0].text == "macro average"


def test_long_table_shows_first_rows_without_direction():
    (table,) = tables_of(long_results(), most_rows=20)

    assert table.title == "Results by label: the first 20 of 50"
    assert table.rows[0][0].text == "l0"


def test_undefined_values_are_not_worst_rows():
    results = [*long_results(), of("Loss", Undefined("none"), label="gap")]

    (table,) = tables_of(results, most_rows=20, directions={"lab.Loss": True})

    assert table.rows[0][0].text == "l0"


def test_large_confusion_matrix_shows_largest_errors():
    value = {"confusion_matrix": {"a": {"a": 5, "b": 2}, "b": {"a": 1}}}
    result = of("ConfusionMatrix", value, hardmax=True)

    (whole,) = tables_of([result])
    (largest,) = tables_of([result], most_matrix=1)

    assert texts(whole) == [("a", "5", "2"), ("b", "1", "0")]
    assert whole.caption == "a row per ground truth, a column per prediction; hardmax true"
    assert texts(largest) == [("a", "b", "2", "28.6%"), ("b", "a", "1", "100.0%")]
    assert largest.caption.startswith("2 labels, the largest numbers where the two differ")


def test_title_of_matrix_has_varying_parameter():
    value = {"x": {"y": 1}}
    results = [of("M", value, bins=1), of("M", value, bins=2)]

    assert [table.title for table in tables_of(results)] == ["M, bins 1", "M, bins 2"]


def test_large_matrix_lists_unmatched_objects_separately():
    names = [f"l{i}" for i in range(30)]
    value = {
        "confusion_matrix": {name: {name: 5} for name in names} | {"l3": {"l4": 2, "l3": 2}},
        "unmatched_ground_truths": dict.fromkeys(names, 100),
        "unmatched_predictions": {"l7": 8},
    }

    errors, unmatched = tables_of([of("ConfusionMatrix", value, iou_threshold=0.5)])

    assert texts(errors) == [("l3", "l4", "2", "1.9%")]
    assert errors.caption.startswith("30 labels, the largest numbers where the two differ")
    assert unmatched.title == "ConfusionMatrix: without a match"
    assert texts(unmatched)[0] == ("l0", "(no prediction)", "100", "95.2%")
    assert unmatched.caption.endswith("; 11 more in the JSON report")
    assert max(len(errors.rows), len(unmatched.rows)) == 20


def test_large_matrix_counts_omitted_errors():
    names = [f"l{i}" for i in range(30)]
    value = {"confusion_matrix": {name: dict.fromkeys(names, 1) for name in names}}

    (table,) = tables_of([of("ConfusionMatrix", value)])

    assert len(table.rows) == 20
    assert "850 more in the JSON report" in table.caption


def test_curves_are_one_row_each():
    curve = {"cat": {"fpr": [0, 1], "tpr": [0, 1]}}
    results = [of("ROCCurve", curve), of("Calibration", {"ece": 0.1, "bins": [1]}, bins=1)]

    overall, others = tables_of(results)

    assert texts(overall) == [("Calibration ece", "0.1000")]
    assert texts(others) == [
        ("ROCCurve", "curve, 1 label × 2 points", ""),  # noqa: RUF001
        ("Calibration", "1 bin", "bins 1"),
    ]


def test_mapping_of_many_numbers_does_not_become_columns():
    (table,) = tables_of([of("Histogram", {str(i): i for i in range(40)})])

    assert texts(table) == [("Histogram", "table of 40 entries", "")]


def test_metric_that_failed_before_labels_has_no_label():
    asked = {"average": ["none", "macro"], "label": ["cat"]}
    failed = [of(name, Failed("fell over"), **asked) for name in ("F1", "Recall")]
    report = Report(results=failed, slices=(Results(failed).in_slice({"a": 1}),))

    (table,) = tables_of(report)

    assert table.title == "Results"
    assert texts(table) == [("F1", "failed¹"), ("Recall", "failed¹")]


def sliced():
    def results(number):
        return [
            of("Accuracy", number, hardmax=True),
            of("F1", number, average="macro"),
            of("F1", number, average="micro"),
            of("F1", number, label="cat"),
        ]

    slices = (
        Results(results(0.25)).in_slice({"weather": "rain"}),
        Results(results(Undefined("nothing"))).in_slice({"weather": None}),
        Results(results(0.125)).in_slice({"weather": "rain", "night": True}),
    )
    return Report(results=results(0.5), slices=slices)


def test_slices_are_rows_above_row_of_all_items():
    found = tables_of(sliced())

    table = titled(found, "Results by weather")
    assert [column.title for column in table.columns] == ["weather", "Accuracy", "F1 (macro)"]
    assert texts(table) == [
        ("rain", "0.2500", "0.2500"),
        ("(missing)", "–¹", "–¹"),  # noqa: RUF001
        ("all", "0.5000", "0.5000"),
    ]
    assert table.foot == 1
    assert texts(titled(found, "Results by weather, night"))[0] == (
        "rain",
        "true",
        "0.1250",
        "0.1250",
    )


def test_slice_without_data_shows_reason():
    nothing = Undefined("no data to compute it from")
    full = [
        of("AP", 0.5, label_key="class", iou_threshold=0.5),
        of("AP", 0.25, label_key="class", iou_threshold=0.75),
        of("Summary", {"small": 0.5, "large": 0.75}, label_key="class"),
    ]
    bare = [of("AP", nothing, iou_thresholds=[0.5, 0.75]), of("Summary", nothing, areas=["s"])]
    slices = (Results(bare).in_slice({"part": "bare"}), Results(full).in_slice({"part": "full"}))

    table = titled(tables_of(Report(results=full, slices=slices)), "Results by part")

    assert texts(table)[0] == ("bare", *[f"{MISSING}¹"] * 4)
    assert table.notes == ("no data to compute it from",)


def test_reason_of_one_label_is_not_used_for_another():
    whole = [of("AP", 0.5, label="cat"), of("AP", 0.5, label="dog")]
    part = [of("AP", Undefined("no ground truths of 'dog'"), label="dog")]
    report = Report(results=whole, slices=(Results(part).in_slice({"a": 1}),))

    table = titled(tables_of(report), "Results by a")

    assert texts(table)[0] == ("1", "", f"{MISSING}¹")


def test_slice_table_counts_omitted_columns():
    results = [of("AP", 0.5, label=f"l{i}") for i in range(9)]
    report = Report(results=results, slices=(Results(results).in_slice({"a": 1}),))

    table = titled(tables_of(report), "Results by a")

    assert len(table.columns) == 9
    assert table.caption == "1 more column in the JSON report"


def test_multiline_reason_becomes_one_line_footnote():
    report = Report(results=[of("Judge", Failed("KeyError: no reply\n  in line 3"))])

    (table,) = tables_of(report)

    assert table.notes == ("KeyError: no reply",)


def test_requirement_table_shows_outcome():
    report = Report(
        results=(),
        requirements=(
            Requirement("F1", ">= 0.5", 0.6, True),
            Requirement("AP", ">= 0.5", reason="found 2", remedy="Write one of: AP/a, AP/b."),
            Requirement("mAP", ">= 0.5", 0.49999999999999994),
        ),
    )

    (table,) = tables_of(report)

    assert texts(table) == [
        ("F1", ">= 0.5", "0.6", "met"),
        ("AP", ">= 0.5", f"{MISSING}¹", "not met"),
        ("mAP", ">= 0.5", "0.49999999999999994", "not met"),
    ]
    assert [row[-1].tone for row in table.rows] == ["good", "bad", "bad"]
    assert table.notes == ("found 2. Write one of: AP/a, AP/b.",)


def test_long_parameter_lists_are_abbreviated():
    thresholds = [0.5, 0.55, 0.6, 0.65, 0.7, 0.75]

    (table,) = tables_of(
        [of("AR", 0.5, iou_thresholds=thresholds, areas=["s", "m"], more={"a": 1})]
    )

    assert table.settings == 'iou_thresholds 0.5 … 0.75 (6), areas [s, m], more {"a": 1}'


def test_breakdown_has_separate_table():
    value = {
        "ap": 0.5,
        "errors": {"made_up": {"count": 3, "loss": 0.5}, "c": {"count": 1, "loss": None}},
    }

    overall, by_kind = tables_of([of("Errors", value, iou_threshold=0.5)])

    assert texts(overall) == [("Errors ap", "0.5000")]
    assert (by_kind.title, by_kind.caption) == ("Errors", "iou_threshold 0.5")
    assert texts(by_kind) == [("made up", "3", "0.5000"), ("c", "1", MISSING)]
