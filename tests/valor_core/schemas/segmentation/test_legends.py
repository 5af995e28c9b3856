from __future__ import annotations

import re

import numpy as np
import pytest

from valor_core.errors import SchemaError
from valor_core.schemas.label import Label, Vocabulary
from valor_core.schemas.segmentation.label_images import BACKGROUND, IGNORED
from valor_core.schemas.segmentation.legends import (
    ignored_values,
    label_image,
    label_key_of,
    legend_of,
    pixel_labels,
)

CAT, DOG = Label("class", "cat"), Label("class", "dog")


@pytest.mark.parametrize(
    "labels", [["cat", "dog"], ("cat", "dog"), iter(["cat", "dog"]), np.array(["cat", "dog"])]
)
def test_listed_labels_belong_to_values_from_1(labels):
    assert pixel_labels(labels) == (CAT, DOG)


def test_keys_of_dict_are_ordered_labels():
    assert pixel_labels({"cat": 1.5, "dog": 2.5}.keys()) == (CAT, DOG)


@pytest.mark.parametrize("label", ["cat", CAT, {"key": "class", "value": "cat"}])
def test_bare_string_is_one_label(label):
    assert pixel_labels(label) == (CAT,)


@pytest.mark.parametrize(
    "labels", [{2: "dog", 1: "cat"}, {np.int64(2): "dog", np.uint8(1): CAT}, {"2": DOG, "1": "cat"}]
)
def test_labels_by_value_are_accepted_in_any_order(labels):
    assert pixel_labels(labels) == {1: CAT, 2: DOG}


NO_LABELS = [
    ({"cat", "dog"}, "order of their values, got a set of 2"),
    (frozenset(["cat"]), "order of their values, got a set of 1"),
    ({"cat": "dog"}, "expected labels by values of pixels, got 'cat'"),
    ({1.0: "cat"}, "expected labels by values of pixels, got 1.0"),
    ({True: "cat"}, "expected labels by values of pixels, got True"),
    ({None: "cat"}, "expected labels by values of pixels, got None"),
    ([0, 1], "expected the name of the value 1"),
    ([1, 2, 7], "expected the name of the value 3"),
    (np.arange(3), "expected the name of the value 1"),
]


@pytest.mark.parametrize(("labels", "message"), NO_LABELS)
def test_shifted_or_unordered_labels_are_rejected(labels, message):
    with pytest.raises(SchemaError, match=re.escape(message)):
        pixel_labels(labels)


def test_mapping_from_label_to_value_suggests_swapping():
    with pytest.raises(SchemaError, match="labels: expected labels by values of pixels, got 'cat'"):
        pixel_labels({"cat": 1})


@pytest.mark.parametrize(
    ("labels", "message"),
    [
        ({1: "cat", "01": "dog"}, "labels: expected each value once, got 1 twice"),
        ({2**70: "cat"}, "labels: expected a whole number of 64 bits, got 1180591620717411303424"),
        ({7: 0.5}, "expected a string, a (key, value) pair or a Label, got 0.5"),
        (["cat", 0.5], "expected a string, a (key, value) pair or a Label, got 0.5"),
    ],
)
def test_invalid_label_is_named_by_value(labels, message: str):
    with pytest.raises(SchemaError, match=re.escape(message)):
        pixel_labels(labels)


def test_numbers_equal_to_their_values_are_labels():
    assert pixel_labels([1, np.int64(2)]) == (Label("class", "1"), Label("class", "2"))


def meaning(labels, ignored=()):
    vocabulary = Vocabulary()
    legend = legend_of(pixel_labels(labels), ignored, vocabulary)
    names = {BACKGROUND: None, IGNORED: "ignored"}
    names |= {code: label.value for code, label in enumerate(vocabulary.labels)}
    return {value: names[code] for value, code in legend.meaning.items()}


@pytest.mark.parametrize(
    ("labels", "ignored", "expected"),
    [
        (["cat", "dog"], [], {0: None, 1: "cat", 2: "dog"}),
        ({2: "dog", 1: "cat"}, [], {0: None, 1: "cat", 2: "dog"}),
        ({0: "background", 1: "cat"}, [], {0: "background", 1: "cat"}),
        ({0: None, 7: "cat", 9: None}, [], {0: None, 7: "cat", 9: None}),
        ({0: "road", 18: "car"}, [255, -1], {-1: "ignored", 0: "road", 18: "car", 255: "ignored"}),
        ({7: "car", 11: "car", 255: None}, [255], {0: None, 7: "car", 11: "car", 255: "ignored"}),
        ({3: "car"}, [0], {0: "ignored", 3: "car"}),
    ],
)
def test_zero_is_background_unless_it_is_named(labels, ignored, expected):
    assert meaning(labels, ignored) == expected


def test_order_of_mapping_does_not_change_codes():
    first, second = Vocabulary(), Vocabulary()

    one = legend_of(pixel_labels({2: "dog", 1: "cat"}), (), first)
    assert legend_of(pixel_labels({1: "cat", 2: "dog"}), (), second) == one
    assert first.labels == second.labels


@pytest.mark.parametrize(
    ("labels", "ignored", "message"),
    [
        ([], (), "labels: expected a label for an image of whole numbers, got none"),
        ({0: None}, (), "labels: expected a label for an image of whole numbers, got none"),
        (["cat", "cat"], (), "labels: expected each label once, got 'cat' twice"),
        (
            {1: ("x", "cat"), 2: ("y", "dog")},
            (),
            "expected labels of one key for an image of whole numbers, got ['x', 'y']",
        ),
        (
            {0: "road"},
            [255, 0],
            "ignore: expected a value without a label, got 0, which is 'road'",
        ),
    ],
)
def test_invalid_labels_of_image_are_rejected(labels, ignored, message: str):
    with pytest.raises(SchemaError, match=re.escape(message)):
        legend_of(pixel_labels(labels), ignored, Vocabulary())


def test_label_key_is_read_from_labels_by_value():
    assert label_key_of(pixel_labels({0: None, 1: ("kind", "cat")})) == "kind"


@pytest.mark.parametrize(
    ("ignore", "expected"),
    [
        (255, (255,)),
        (np.uint8(255), (255,)),
        (np.array(255), (255,)),
        ([254, 255], (254, 255)),
        (np.array([254, 255], np.uint8), (254, 255)),
        ({255}, (255,)),
        ([], ()),
        (None, ()),
    ],
)
def test_ignore_accepts_one_or_several_values(ignore, expected):
    assert ignored_values(ignore) == expected


@pytest.mark.parametrize(
    ("ignore", "message"),
    [
        (True, "ignore: expected a whole number, or several, got True"),
        (2.5, "ignore: expected a whole number, or several, got 2.5"),
        ("255", "ignore: expected a whole number, or several, got '255'"),
        ({255: None}, "ignore: expected a whole number, or several, got {255: None}"),
        ([255, 1.5], "ignore: expected a whole number, or several, got 1.5"),
        ([[True]], "ignore: expected a whole number, or several, got [True]"),
        (2**70, "ignore: expected a whole number of 64 bits, got 1180591620717411303424"),
    ],
)
def test_invalid_ignored_value_is_rejected(ignore, message: str):
    with pytest.raises(SchemaError, match=re.escape(message)):
        ignored_values(ignore)


def test_mask_of_ignored_pixels_is_rejected_for_all_items():
    with pytest.raises(
        SchemaError, match=r"expected a whole number, or several, got array of bool, shape \(2, 2\)"
    ):
        ignored_values(np.zeros((1, 2, 2), bool))


@pytest.mark.parametrize("labels", [["cat"], {0: "road", 1: "car"}, {1: "cat", 255: None}])
def test_booleans_are_0_and_1_for_one_label(labels):
    legend = legend_of(pixel_labels(labels), (), Vocabulary())

    assert label_image([[True, False]], legend).pixels.array.tolist() == [[1, 0]]


def test_boolean_image_is_rejected_for_two_labels():
    legend = legend_of(pixel_labels(["cat", "dog"]), (), Vocabulary())

    with pytest.raises(
        SchemaError, match="pixels: expected whole numbers up to 2 as in labels, got array of"
    ):
        label_image(np.array([[True, False]]), legend)


@pytest.mark.parametrize(
    ("name", "message"),
    [
        ("background", "labels[0]: expected the label of the value 1, since 0 is background,"),
        ("Background", "labels[0]: expected the label of the value 1, since 0 is background,"),
        ("_background_", "labels[0]: expected the label of the value 1, since 0 is background,"),
        ("BG", "expected the label of the value 1, since 0 is background, got 'BG'"),
        ("void", "expected the label of the value 1, since 0 is background, got 'void'"),
        ("unlabeled", "labels[0]: expected the label of the value 1, since 0 is background,"),
        ("Un-labelled", "labels[0]: expected the label of the value 1, since 0 is background,"),
    ],
)
def test_list_beginning_with_background_is_rejected(name: str, message: str) -> None:
    with pytest.raises(SchemaError, match=re.escape(message)):
        pixel_labels([name, "sky", "water"])


def test_background_may_be_a_label() -> None:
    labels = {0: "background", 1: "sky"}

    assert [str(label) for label in pixel_labels(labels).values()] == ["background", "sky"]
    assert len(pixel_labels(["sky", "background"])) == 2
