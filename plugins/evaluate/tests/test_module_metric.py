"""Results of `hf.Module` for modules with columns of all types, computed by hand."""

from __future__ import annotations

import random
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from valor_core import Classification, Report, Text, Undefined, evaluate
from valor_core.errors import ParameterError

MODULES = Path(__file__).parent / "evaluate_modules"


def computed(items: list[Any], module: str, **parameters: Any) -> Report:
    choice = {"name": "hf.Module", "module": MODULES / module, "allow_code": True} | parameters
    return evaluate(items, [choice])


def by_output(report: Report) -> dict[str, Any]:
    return {result.parameters.get("output", ""): result.value for result in report}


def error_of(items: list[Any], module: str, **parameters: Any) -> str:
    (result,) = computed(items, module, **parameters)
    assert result.error is not None, result
    return result.error


SAID = [
    Text("b", response="no, thanks", references="no"),
    Text("a", response="yes", references="aye"),
]

SPAM = [
    Classification("m1", "spam", {"spam": 0.9, "ham": 0.1}),
    Classification("m2", "spam", {"spam": 0.2, "ham": 0.8}),
    Classification("m3", "ham", {"spam": 0.6, "ham": 0.4}),
    Classification("m4", "ham", {"spam": 0.3, "ham": 0.7}),
]


class TestShapesOfResults:
    def test_number_is_one_result(self) -> None:
        (result,) = computed(SAID, "length_ratio")

        assert result.value == 13 / 5  # "no, thanks" and "yes" have 13 letters; "no" and "aye" 5
        assert result.parameters["module"] == "length_ratio"
        assert len(result.parameters["script"]) == 12

    def test_table_is_one_result_per_key_with_dots_for_nested_tables(self) -> None:
        report = computed([Text("a", response="B-X O O", references="B-X O I-X")], "tagged")

        # Of the true tags, B-X and O are found and I-X is not: 2 of 3 words.
        assert by_output(report) == {
            "B-X.accuracy": 1.0,
            "B-X.number": 1,
            "I-X.accuracy": 0.0,
            "I-X.number": 1,
            "O.accuracy": 1.0,
            "O.number": 1,
            "accuracy": 2 / 3,
        }
        assert report.find("Module", output="accuracy").value == 2 / 3

    def test_arrays_become_lists_with_class_names(self) -> None:
        items = [Classification("a", "x", {"y": 1.0}), Classification("b", "y", {"y": 1.0})]

        recall, matrix = computed(items, "hits", options={"average": "none"})

        # Codes are x 0 and y 1. The x is not found, the y is; one row per true class.
        assert recall.value == [0.0, 1.0]
        assert matrix.value == [[0, 1], [0, 1]]
        assert recall.parameters["labels"] == ["x", "y"]

    def test_not_finite_number_is_undefined_or_null_in_list(self) -> None:
        never_true = [Classification("a", "x", {"y": 1.0})]

        recall, _ = computed(never_true, "hits", options={"average": "none"})
        (ratio,) = computed([Text("a", response="yes", references="")], "length_ratio")

        assert recall.value == [0.0, None]  # no y: 0/0
        assert ratio.undefined == "the module computes nan"

    def test_none_is_undefined(self) -> None:
        report = computed(SPAM, "hits", options={"pos_label": 7})

        assert by_output(report)["recall"] == Undefined("the module computes none")
        assert by_output(report)["size"] == 0

    def test_output_of_unsupported_type_is_an_error(self) -> None:
        error = error_of(SAID, "failing", options={"how": "object"})

        assert error.startswith("expected numbers, texts, lists or tables of a module, found")


class TestColumnsOfText:
    def test_first_matching_feature_table_is_used(self) -> None:
        items = [
            Text("a", response="the cat", references=["a cat", "the dog"]),
            Text("b", response="one more", references="once more"),
        ]

        shares = by_output(computed(items, "shared_words"))

        assert shares["mean"] == 0.75  # both words of a, one of two of b

    def test_several_references_are_rejected_by_column_of_one(self) -> None:
        error = error_of([Text("a", response="x", references=["y", "z"])], "length_ratio")

        assert error == "item 'a', references: expected a text, found 2 texts"

    def test_items_without_required_field_are_excluded_and_counted(self) -> None:
        items = [*SAID, Text("c", response="so"), Text("d", references="so"), Text("e")]

        (result,) = computed(items, "length_ratio")

        assert result.value == 13 / 5
        assert result.left_out == {"no references": 1, "no response": 2}

    def test_no_complete_item_is_undefined(self) -> None:
        (result,) = computed([Text("a", response="x"), Text("b")], "length_ratio")

        assert result.undefined == "no items with all required fields"

    def test_numbers_are_read_from_texts(self) -> None:
        items = [Text("a", response="1.5", references="1"), Text("b", response="2", references="1")]

        report = computed(items, "distance")

        assert by_output(report) == {"distance": ((0.5**2 + 1**2) / 2) ** 0.5}

    def test_numbers_are_rounded_as_evaluate_does_only_on_request(self) -> None:
        items = [Text("a", response="0.1", references="0")]

        whole = by_output(computed(items, "distance"))
        single = by_output(computed(items, "distance", single_precision=True))

        assert whole == {"distance": 0.1}
        assert single == {"distance": float(np.float32(0.1))}

    def test_invalid_number_is_reported(self) -> None:
        error = error_of([Text("a", response="1,5", references="1")], "distance")

        assert error == "item 'a', predictions: expected a number, found '1,5'"

    def test_tables_with_ids_are_made_of_uids_texts_and_metadata(self) -> None:
        items = [
            Text(
                "q2",
                response="Rome",
                references=["Rome", "Roma"],
                contexts=["Once Rome, now Roma."],
                metadata={"doubt": 0.5},
            ),
            Text("q10", response="Bonn", references="Berlin", contexts=[], metadata={"doubt": 0}),
        ]

        every = by_output(computed(items, "answered"))
        sure = by_output(computed(items, "answered", options={"most_doubt": 0.25}))

        # One of two answers is correct. As text, q10 precedes q2. "Berlin" is in no context, "Rome"
        # begins at offset 5, "Roma" at 15.
        assert every == {"exact": 50.0, "begin": [-1, 5, 15]}
        assert sure["exact"] == 0.0

    def test_number_replaces_missing_field(self) -> None:
        chosen = {"predictions.doubt": 0}

        assert by_output(computed(SAID, "answered", columns=chosen))["exact"] == 0.0

    def test_undeclared_argument_is_fed_by_name(self) -> None:
        items = [Text("a", query="the old cat", response="the cat", references="a cat")]

        (result,) = computed(items, "simplified")

        assert result.value == 1 - 2 / 3  # "old" of three words is missing

    def test_columns_can_be_fed_by_other_fields(self) -> None:
        items = [
            Text("a", response="the cat", references="a cat", metadata={"source": "a cat the"})
        ]
        chosen = {"sources": "metadata.source"}

        assert computed(items, "simplified", columns=chosen)["Module"].value == 1 - 2 / 3

    def test_images_are_read_from_rows_in_json(self) -> None:
        items = [Text("a", response="[[1, 2], [3, 4]]", references="[[1, 2], [3, 5]]")]

        assert computed(items, "pictures")["Module"].value == 0.75

    @pytest.mark.parametrize(
        ("response", "found"),
        [
            ("[[1, 2], [3]]", "[[1, 2], [3]]"),
            ("[[0.5]]", "[[0.5]]"),
            ("[1, 2]", "[1, 2]"),
            ('{"a": 1}', "{'a': 1}"),
        ],
    )
    def test_invalid_image_is_reported(self, response: str, found: str) -> None:
        error = error_of([Text("a", response=response, references="[[1]]")], "pictures")

        expected = "expected an image, as rows of whole numbers"
        assert error == f"item 'a', predictions: {expected}, found {found}"

    @pytest.mark.parametrize(
        ("lists", "response", "accuracy"),
        [(None, "A B", 1.0), ("words", "A  B", 1.0), ("json", '["A", "B"]', 1.0)],
    )
    def test_text_is_list_of_words_or_json_list(
        self, lists: str | None, response: str, accuracy: float
    ) -> None:
        references = '["A", "B"]' if lists == "json" else "A B"

        report = computed(
            [Text("a", response=response, references=references)], "tagged", lists=lists
        )

        assert by_output(report)["accuracy"] == accuracy

    def test_invalid_json_is_reported(self) -> None:
        error = error_of([Text("a", response="A B", references="A B")], "tagged", lists="json")

        assert error == "item 'a', predictions: expected JSON, found 'A B'"

    def test_texts_that_are_classes_are_numbered_in_sorted_order(self) -> None:
        items = [
            Text("a", response="spam", references="spam"),
            Text("b", response="ham", references="spam"),
        ]

        report = computed(items, "hits")

        assert by_output(report) == {"recall": 0.5, "size": 2}  # spam is 1, the positive one

    def test_integers_are_their_codes(self) -> None:
        items = [
            Text("a", response="3", references="3"),
            Text("b", response="1", references="1"),
            Text("c", response="3", references="1"),
        ]

        assert by_output(computed(items, "hits")) == {"recall": 0.5, "size": 2}  # both 1

    def test_text_is_not_a_class_if_module_accepts_text(self) -> None:
        items = [Text("a", response="so"), Text("b", response="no"), Text("c", response="so")]

        assert by_output(computed(items, "repeated")) == {
            "counts.no": 1,
            "counts.so": 2,
            "of": "<class 'str'>",
        }


class TestColumnsOfClasses:
    def test_best_label_is_predicted_and_numbered(self) -> None:
        # spam is 1: of m1 and m2, which are spam, m1 is predicted as spam.
        report = computed(SPAM, "hits")

        assert by_output(report) == {"recall": 0.5, "size": 2}
        assert all(result.parameters["label_key"] == "class" for result in report)

    def test_first_of_equal_scores_is_best(self) -> None:
        items = [
            Classification("a", "x", [("y", 0.5), ("x", 0.5)]),
            Classification("b", "y", [("y", 0.5), ("x", 0.5)]),
        ]

        recall, _ = computed(items, "hits", options={"average": "none"})

        assert recall.value == [0.0, 1.0]  # y is predicted twice

    def test_labels_set_order_of_codes(self) -> None:
        items = [*SPAM, Classification("m5", "ham", {"ham": 1.0})]

        report = computed(items, "hits", labels=["spam", "ham"])

        assert by_output(report) == {"recall": 2 / 3, "size": 3}  # now ham is 1

    def test_options_name_classes_by_their_names(self) -> None:
        report = computed(SPAM[:3], "hits", options={"pos_label": "ham"})

        assert by_output(report) == {"recall": 0.0, "size": 1}

    def test_class_missing_in_labels_is_reported(self) -> None:
        error = error_of(SPAM, "hits", labels=["spam", "eggs"])

        assert error == ("labels: expected one of spam, eggs, found 'ham'; add it to labels: [...]")

    def test_single_class_cannot_be_identified_as_positive(self) -> None:
        items = [Classification("m1", "spam", {"spam": 0.9})]

        error = error_of(items, "hits")
        told = computed(items, "hits", labels=["ham", "spam"])

        assert error == (
            "labels: expected two or more classes to identify the positive one, found 1 (spam); "
            "name all in the order of their codes: labels: [NEGATIVE, POSITIVE]"
        )
        assert by_output(told) == {"recall": 1.0, "size": 1}

    def test_column_of_numbers_has_scores_of_positive_label(self) -> None:
        # Pairs of spam and ham: 0.9 is above 0.6 and 0.3, 0.2 above none; 2 of 4.
        assert computed(SPAM, "ranked")["Module"].value == 0.5

    def test_positive_label_requires_two_classes(self) -> None:
        items = [*SPAM, Classification("m5", "eggs", {"eggs": 1.0})]

        assert error_of(items, "ranked") == (
            "labels: expected two classes, of which one is positive, found 3 (eggs, ham, spam); "
            "name both, the positive one last: labels: [NEGATIVE, POSITIVE]"
        )

    def test_label_without_score_is_reported(self) -> None:
        items = [*SPAM, Classification("m5", "ham", {"ham": 1.0})]

        assert error_of(items, "ranked") == (
            "item 'm5', prediction_scores: expected a score of 'spam', found none"
        )

    def test_lists_of_numbers_have_all_labels_in_the_order_of_their_codes(self) -> None:
        items = [
            Classification("a", ["x", "z"], {"x": 0.1, "y": 0.2, "z": 0.7}),
            Classification("b", ["x"], {"z": 0.5, "y": 0.4, "x": 0.1}),
        ]

        # The best label z of a is true, that of b is not.
        assert computed(items, "ranked", config_name="several")["Module"].value == 0.5

    def test_several_ground_truths_are_rejected_by_column_of_one(self) -> None:
        items = [*SPAM, Classification("m5", ["ham", "spam"], {"ham": 1.0})]

        assert error_of(items, "hits") == (
            "item 'm5', references: expected one ground truth, found 2"
        )

    def test_label_keys_are_computed_separately(self) -> None:
        both = [("animal", "dog"), ("color", "red")]
        items = [
            Classification("a", both, [(("animal", "dog"), 1.0), (("color", "blue"), 1.0)]),
            Classification("b", [("animal", "cat")], [(("animal", "cat"), 1.0)]),
        ]

        report = computed(items, "hits", options={"average": "none"})

        assert [
            (one.parameters["label_key"], one.parameters["labels"], one.value)
            for one in report
            if one.parameters["output"] == "recall"
        ] == [("animal", ["cat", "dog"], [1.0, 1.0]), ("color", ["blue", "red"], [None, 0.0])]

    def test_second_prediction_comes_from_metadata(self) -> None:
        other = ["spam", "ham", "ham", "ham"]
        items = [
            Classification(one.uid, one.groundtruths, one.predictions, {"other": name})
            for one, name in zip(SPAM, other, strict=True)
        ]

        report = computed(items, "paired", columns={"predictions2": "metadata.other"})

        assert by_output(report) == {"agree": 0.75}  # all but m3, predicted spam by scores

    def test_items_without_ground_truth_or_prediction_are_excluded(self) -> None:
        items = [*SPAM, Classification("m5", "ham"), Classification("m6", (), {"ham": 1.0})]

        result = computed(items, "hits").find("Module", output="recall").only

        assert result.value == 0.5
        assert result.left_out == {"no predictions": 1, "no groundtruths": 1}


class TestRandomNumbers:
    def test_random_numbers_depend_on_seed_only(self) -> None:
        random.seed(3)
        np.random.seed(3)
        expected = (random.random(), np.random.random())
        random.seed(3)
        np.random.seed(3)

        first = by_output(computed(SAID, "shared_words"))
        found = (random.random(), np.random.random())
        again = by_output(computed(SAID[::-1], "shared_words"))
        other = by_output(computed(SAID, "shared_words", seed=1))

        assert found == expected
        assert first == again
        assert first["bootstrap.luck"] == random.Random(0).random()
        assert other["bootstrap.luck"] == random.Random(1).random()


class TestOptionsAndErrors:
    def test_options_reach_the_module(self) -> None:
        report = computed(SPAM, "hits", options={"average": "none"})

        assert set(by_output(report)) == {"recall", "matrix"}
        assert report.results[0].parameters["options"] == {"average": "none"}

    @pytest.mark.parametrize(
        ("parameters", "message"),
        [
            (
                {"options": {"averag": "none"}},
                "hf.Module: options: expected options of hits, got 'averag'",
            ),
            (
                {"columns": {"prediction": "response"}},
                "hf.Module: columns: expected a column of the module, got 'prediction'",
            ),
            (
                {"columns": {"predictions": "respons"}},
                "hf.Module: columns.predictions: expected a field of an item or a",
            ),
        ],
    )
    def test_unknown_options_are_rejected_before_reading(
        self, parameters: dict[str, Any], message: str
    ) -> None:
        with pytest.raises(ParameterError, match=re.escape(message)):
            computed(SPAM, "hits", **parameters)

    def test_field_missing_in_task_is_reported(self) -> None:
        error = error_of(SPAM, "hits", columns={"predictions": "response"})

        assert error == (
            "columns.predictions: expected a field of items of classification, got 'response'; "
            "it is one of: groundtruths, predictions, uid, metadata.NAME."
        )

    def test_failing_module_reports_its_message(self) -> None:
        error = error_of(SAID, "failing", columns={"data": "response"})

        assert error.startswith("failing failed, ZeroDivisionError: ")

    def test_module_cannot_exit_the_program(self) -> None:
        assert error_of(SAID, "failing", options={"how": "exit"}) == "failing failed, SystemExit: 3"

    def test_missing_nltk_data_have_download_command(self) -> None:
        error = error_of(SAID, "failing", options={"how": "data"})

        assert error == (
            "failing failed, LookupError: Resource 'punkt' not found.; download it with: "
            "python -m nltk.downloader punkt"
        )

    def test_prints_of_modules_go_to_stderr(self, capsys: pytest.CaptureFixture[str]) -> None:
        computed([Text("a", response="the cat said")], "folded")

        printed = capsys.readouterr()
        assert (printed.out, printed.err) == ("", "a module may print\n")

    def test_no_items_are_undefined(self) -> None:
        choice = {"name": "hf.Module", "module": MODULES / "hits", "allow_code": True}

        (result,) = evaluate([], [choice], task="text")

        assert result.undefined == "no items"
