"""Scanners of COCO's JSON equal the standard library and never crash."""

import json
import random
import re
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from attrs import fields
from cases import for_each
from hypothesis import given, settings
from hypothesis import strategies as st
from valor_detection.coco_json import reference_scanner
from valor_detection.coco_json import text as texts_of_files
from valor_detection.coco_json.records import Annotations, Document, Images
from valor_detection.coco_json.text import Text
from valor_detection.kernels import KERNELS
from valor_detection.kernels.segmentations import Segmentations

from valor_core.errors import ReadError

if KERNELS.library is None:
    pytest.skip("the kernels are not compiled", allow_module_level=True)

from valor_detection.coco_json import compiled_scanner as compiled

SCANNERS = [
    pytest.param(compiled.scan, id="compiled"),
    pytest.param(reference_scanner.scan, id="standard library"),
]

numbers = st.one_of(
    st.integers(-(10**6), 10**6),
    st.floats(allow_nan=False, allow_infinity=False),
    st.floats(0, 1000).map(lambda x: round(x, 2)),
    st.decimals(-(10**6), 10**6, allow_nan=False, places=3).map(float),
)
ids = st.one_of(st.integers(-(2**63), 2**63 - 1), st.integers(0, 10).map(float))
boxes = st.one_of(st.just([]), st.none(), st.lists(numbers, min_size=4, max_size=4))
whole_counts = st.lists(st.integers(0, 2**32 - 1), max_size=4)
texts = st.text(st.characters(min_codepoint=32, max_codepoint=126), max_size=8)
segmentations = st.one_of(
    st.none(),
    st.lists(st.lists(numbers, max_size=6), max_size=3),
    st.fixed_dictionaries(
        {"size": st.tuples(st.integers(0, 99), st.integers(0, 99)).map(list)},
        optional={"unknown": st.text()},
    ).flatmap(
        lambda rle: st.one_of(whole_counts, texts).map(lambda counts: {**rle, "counts": counts})
    ),
)
anything = st.recursive(
    st.one_of(st.none(), st.booleans(), numbers, st.text()),
    lambda inner: st.one_of(st.lists(inner), st.dictionaries(st.text(), inner)),
    max_leaves=8,
)
annotations = st.fixed_dictionaries(
    {},
    optional={
        "id": st.one_of(ids, st.none()),
        "image_id": ids,
        "category_id": ids,
        "bbox": boxes,
        "area": st.one_of(numbers, st.none()),
        "iscrowd": st.one_of(st.integers(0, 2), st.booleans(), st.floats(0, 1), st.none()),
        "ignore": st.one_of(st.integers(0, 2), st.booleans(), st.floats(0, 1), anything),
        "score": numbers,
        "segmentation": segmentations,
        "keypoints": st.one_of(st.none(), st.lists(numbers, max_size=9)),
        "num_keypoints": st.one_of(ids, st.none()),
        "attributes": anything,
        'größe \\ "1"': anything,
    },
)
images = st.fixed_dictionaries(
    {"id": ids},
    optional={
        "height": st.integers(0, 9999),
        "width": st.none(),
        "file_name": st.text(),
        "neg_category_ids": st.one_of(st.none(), st.lists(ids, max_size=4)),
        "not_exhaustive_category_ids": st.one_of(st.lists(ids, max_size=2), anything),
        "x": anything,
    },
).flatmap(lambda image: st.permutations(list(image.items())).map(dict))
data_sets = st.fixed_dictionaries(
    {},
    optional={
        "info": anything,
        "images": st.lists(images, max_size=4),
        "annotations": st.lists(annotations, max_size=6),
        "categories": st.just([{"id": 1, "name": "dog"}]),
    },
)
documents = st.one_of(st.lists(annotations, max_size=6), data_sets)


def assert_same(one: Any, other: Any, ignored: tuple[str, ...] = ()) -> None:
    for attribute in fields(type(one)):
        a, b = getattr(one, attribute.name), getattr(other, attribute.name)
        if isinstance(a, (Annotations, Segmentations, Images)):
            assert_same(a, b)
        elif isinstance(a, np.ndarray):
            assert a.dtype == b.dtype, attribute.name
            assert a.shape == b.shape, attribute.name
            assert a.tobytes() == b.tobytes(), attribute.name
        elif attribute.name.endswith("_text"):
            assert json.loads(a or "0") == json.loads(b or "0")
        elif attribute.name not in ignored:
            assert a == b, attribute.name


def written(document: Any, style: int) -> bytes:
    if style == 0:
        return json.dumps(document).encode()
    if style == 1:
        return json.dumps(document, indent=3, ensure_ascii=False).encode()
    return b" \t\r\n" + json.dumps(document, separators=(",", ":")).encode() + b"\n"


def outcome(scan: Any, content: bytes, masks: bool) -> Document | str:
    try:
        return scan(Text.of(content, "file.json"), masks=masks, keypoints=masks)
    except ReadError as error:
        return str(error)


@given(document=documents, style=st.integers(0, 2), masks=st.booleans())
def test_compiled_scanner_equals_standard_library(document: Any, style: int, masks: bool) -> None:
    content = written(document, style)
    expected = outcome(reference_scanner.scan, content, masks)
    found = outcome(compiled.scan, content, masks)
    if isinstance(expected, str):
        assert found == expected
    else:
        assert_same(found, expected)


@given(
    st.one_of(
        st.floats(allow_nan=False, allow_infinity=False).map(repr),
        st.from_regex(
            r"-?(0|[1-9][0-9]{0,25})(\.[0-9]{1,25})?([eE][-+]?[0-9]{1,3})?", fullmatch=True
        ),
        st.tuples(st.integers(1, 10**19), st.integers(-340, 300)).map(lambda x: f"{x[0]}e{x[1]}"),
    )
)
@settings(max_examples=5 * settings.default.max_examples)
def test_numbers_are_rounded_as_python_rounds_them(text: str) -> None:
    content = f'[{{"score": {text}}}]'.encode()
    if abs(float(text)) == float("inf"):
        with pytest.raises(ReadError, match=r"results\[0\], score: expected a finite number"):
            compiled.scan(Text.of(content))
    else:
        found = compiled._Scan(Text.of(content), False, False).document()
        assert found.annotations.scores.tolist() == [float(text)]
        assert np.signbit(found.annotations.scores[0]) == np.signbit(float(json.loads(text)))


@for_each(
    "text",
    [
        "9007199254740993",
        "9007199254740992.5",
        "1e23",
        "8.5e22",
        "5e-324",
        "2.2250738585072011e-308",
        "1.7976931348623157e308",
        "0.1",
        "123456789012345678",
        "4.35",
        "1e-23",
        "0.000001e6",
        "9007199254740993e-5",
        "7.2057594037927933e16",
        "10000000000000000000",
        "2.5e-65",
    ],
)
def test_hard_numbers_are_rounded_as_python_rounds_them(text: str) -> None:
    found = compiled._Scan(Text.of(f'[{{"area": {text}}}]'.encode()), False, False).document()
    assert found.annotations.areas.tolist() == [float(text)]


def test_many_random_doubles_are_read_to_the_last_bit() -> None:
    generator = np.random.default_rng(7)
    bits = generator.integers(0, 2**63, 40_000).astype(np.uint64)
    values = bits.view(np.float64)
    values = np.concatenate([values[np.isfinite(values)], generator.random(40_000)])
    content = json.dumps([{"score": value} for value in values.tolist()]).encode()
    found = compiled.scan(Text.of(content)).annotations.scores
    assert found.tobytes() == values.tobytes()


def data_set(count: int) -> dict[str, Any]:
    generator = random.Random(count)
    return {
        "info": {"year": 2017, "tags": ["a", "}, {", '\\"]']},
        "images": [{"id": i, "height": 10, "width": 20, "file_name": f"{i}.jpg"} for i in range(9)],
        "annotations": [
            {
                "id": i,
                "image_id": i % 9,
                "category_id": 1,
                "bbox": [generator.random() * 9 for _ in range(4)],
                "segmentation": [[1.5, 2, 3, 4, 5, 6.25]]
                if i % 3
                else {"size": [10, 20], "counts": "52203" if i % 2 else [100, 100]},
                "note": "}, {" * (i % 4),
                "parts": [{"a": 1}, {"b": [2]}] if i % 5 == 0 else [],
                "iscrowd": i % 2,
                "keypoints": [generator.random() * 9 for _ in range(i % 3 * 3)],
                "num_keypoints": i % 3,
            }
            for i in range(count)
        ],
        "categories": [{"id": 1, "name": "dog"}],
    }


@pytest.mark.parametrize("masks", [False, True])
def test_spans_split_in_strings_and_lists_are_rescanned(
    monkeypatch: pytest.MonkeyPatch, masks: bool
) -> None:
    content = Text.of(json.dumps(data_set(200)).encode())
    expected = reference_scanner.scan(content, masks=masks, keypoints=masks)
    monkeypatch.setattr(compiled, "_LEAST_SPAN", 100)
    monkeypatch.setattr(compiled, "_MOST_SPAN", 100)
    found = compiled._Scan(content, masks, masks).document()
    assert_same(found, expected)


def points_of_rows(found: Annotations) -> list[list[float]]:
    rows = zip(found.point_starts.tolist(), found.point_counts.tolist(), strict=True)
    return [found.points[start : start + count].tolist() for start, count in rows]


@pytest.mark.parametrize("page", [16, 1 << 18])
@pytest.mark.parametrize("least", [100, 1000, 5000])
@pytest.mark.parametrize("pose", [[0, 0, 0], [1.25, 22.5, 1] * 17, [10, 20, 2] * 5])
@pytest.mark.parametrize("separators", [(",", ":"), (", ", ": ")])
def test_points_of_spans_are_those_of_whole_file(
    monkeypatch: pytest.MonkeyPatch,
    page: int,
    least: int,
    pose: list[float],
    separators: tuple[str, str],
) -> None:
    records = [{"image_id": i, "keypoints": [i, *pose[1:]] * (i % 40 < 30)} for i in range(300)]
    content = Text.of(json.dumps(records, separators=separators).encode())
    monkeypatch.setattr(compiled, "_LARGE_PAGE", page)
    monkeypatch.setattr(compiled, "_LEAST_SPAN", least)
    monkeypatch.setattr(compiled, "_MOST_SPAN", least)
    found = compiled.scan(content, keypoints=True).annotations
    assert points_of_rows(found) == [record["keypoints"] for record in records]
    if least == 5000 and len(pose) > 3:
        assert len(found.points) == 3 * (content.size // 9)  # shared by the spans, without a copy


def test_slots_equal_those_of_compiled_scanner() -> None:
    source = Path(compiled.__file__).parents[1] / "kernels" / "scanning.c"
    names = re.search(r"enum \{\s+(POSITION,[^}]*\w)\s+\};", source.read_text())
    assert names is not None
    assert re.split(r",\s+", names[1]) == [slot.name for slot in compiled.Slot]
    assert list(compiled.Slot) == list(range(len(compiled.Slot)))


def test_columns_grow_where_annotations_are_short() -> None:
    content = Text.of(b"[" + b"{}," * 5000 + b"{}]")
    assert len(compiled._Scan(content, True, True).document().annotations) == 5001


@pytest.mark.parametrize("scan", SCANNERS)
def test_truncated_files_are_rejected(scan: Any) -> None:
    content = json.dumps(data_set(4), indent=1).encode()
    for length in range(1, len(content)):
        found = outcome(scan, content[:length], True)
        assert isinstance(found, str), length
        assert found.startswith("file.json"), length


@pytest.mark.parametrize("scan", SCANNERS)
@pytest.mark.parametrize("masks", [False, True])
def test_no_changed_byte_crashes_a_scanner(scan: Any, masks: bool) -> None:
    content = json.dumps(data_set(3)).encode()
    generator = random.Random(3)
    for _ in range(500):
        changed = bytearray(content)
        for _ in range(generator.randint(1, 3)):
            at = generator.randrange(len(changed))
            action = generator.randrange(3)
            if action == 0:
                changed[at] = generator.choice(b'[]{}",:\\0123456789.eE-+tfn \x00\xff')
            elif action == 1:
                del changed[at : at + generator.randint(1, 9)]
            else:
                changed[at:at] = generator.choice([b"[", b"]", b'"', b"\\u00", b"1e999", b"null"])
        expected = outcome(reference_scanner.scan, bytes(changed), masks)
        found = outcome(scan, bytes(changed), masks)
        if isinstance(expected, Document):
            assert_same(found, expected)
        else:
            assert found == expected


PIECES = [
    *(b"null", b"true", b"[", b"]", b"{", b"}", b",", b":", b'"', b"\\", b" ", b"\t", b"\x00"),
    *(b"\xff", b"\xc3\xa9", b"\xed\xa0\x80", b"\\ud800", b"\xef\xbb\xbf", b"\\u0041"),
    *(
        b"-0",
        b"01",
        b"1.",
        b".5",
        b"1e",
        b"1e309",
        b"1e-400",
        b"NaN",
        b"-Infinity",
        b"1E5",
        b"1.2.3",
    ),
    *(b"9223372036854775808", b"12345678901234567890123", b"4294967296", b"-1", b"-0.0"),
    *(
        b'"id":1,',
        b'"id":null,',
        b'"\\u0069d":3,',
        b'"bbox":null,',
        b'"score":"0.5",',
        b'"images":[],',
    ),
    *(b"[[]]", b"{}", b"[1,,2]", b"[1 2]", b"[1,]", b'{"a" 1}', b'{"a":1,}', b"[truth]"),
]


@given(
    data=st.sampled_from([data_set(2), data_set(4)["annotations"], {"info": data_set(3)}]),
    style=st.integers(0, 2),
    changes=st.lists(
        st.tuples(st.floats(0, 1), st.integers(0, 9), st.sampled_from(PIECES)),
        min_size=1,
        max_size=3,
    ),
    masks=st.booleans(),
)
@settings(max_examples=3 * settings.default.max_examples)
def test_scanners_reject_the_same_corrupt_files(
    data: Any, style: int, changes: list[tuple[float, int, bytes]], masks: bool
) -> None:
    content = written(data, style)
    for place, length, piece in changes:
        at = int(place * len(content))
        content = content[:at] + piece + content[at + length :]
    expected = outcome(reference_scanner.scan, content, masks)
    found = outcome(compiled.scan, content, masks)
    if isinstance(expected, str):
        assert found == expected
    else:
        assert_same(found, expected)


@for_each("scan", SCANNERS)
@for_each(
    "value",
    [
        *("[1,,2]", "[1 2]", "[1,]", "[,1]", "[01,2]", "[1.,2]", "[.5,2]", "[1.2.3,4]", "[1:2]"),
        *(
            '{"a" 1}',
            '{"a":1,}',
            '{"a"}',
            "{1:2}",
            '{"a":1 "b":2}',
            "[truth]",
            "[1}",
            "[-,1]",
            "1 2",
        ),
        "[" + "1.5,2," * 20 + "03,1]",
        "[" + "1.5, 2, " * 20 + ", 1]",
        "[" + "123.25," * 20 + "1.2.3,7]",
        "[" + "123.25," * 20 + "1. 3,7]",
    ],
)
def test_skipped_values_must_be_valid_json(scan: Any, value: str) -> None:
    for field in ("note", "segmentation"):
        content = f'[{{"image_id": 1, "{field}": {value}}}]'
        with pytest.raises(json.JSONDecodeError):
            json.loads(content)
        found = outcome(scan, content.encode(), False)
        assert found == outcome(reference_scanner.scan, content.encode(), False)
        assert isinstance(found, str)


@pytest.mark.parametrize("scan", SCANNERS)
@pytest.mark.parametrize("length", [0, 1, 2, 3])
def test_entire_file_must_be_utf8(scan: Any, length: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(texts_of_files, "_BLOCK", 8)
    for letters, is_utf8 in (("ö€😀".encode(), True), (b"\xe2\x82 ", False), (b"\xff", False)):
        content = b'[{"note": "' + b"." * length + letters + b'"}]'
        found = outcome(scan, content, False)
        assert isinstance(found, Document) == is_utf8
    assert not Text.of(b"[]\xe2\x82").is_utf8


@pytest.mark.parametrize("scan", SCANNERS)
def test_negative_zero_keeps_its_sign(scan: Any) -> None:
    scores = scan(
        Text.of(b'[{"score": -0.0}, {"score": -0}, {"score": -0e0}, {}]')
    ).annotations.scores
    # -0 is an integer in Python, without a sign.
    assert np.signbit(scores).tolist() == [True, False, True, False]


MESSAGES = [
    (b'[{"image_id": 1,', "the file ends in the middle"),
    (b'[{"image_id": "a"}]', "results[0], image_id: expected a whole number, found 'a'"),
    (b'{"annotations": [{"bbox": [1, 2, 3]}]}', "annotations[0], bbox: expected [x, y"),
    (b'[{"score": NaN}]', "expected a finite number, found nan"),
    (b'[{"score": true}]', "expected a number, found True"),
    (b'[\n{"score": 1}\n{"score": 2}]', "line 3, column 1: expected ',' or ']'"),
    (b"3", "expected a COCO data set or a list of results, found '3'"),
    (b'{"images": {"id": 1}}', "images: expected a list, found {'id': 1}"),
    (b'{"images": [{"id": "2299"}]}', "images[0], id: expected a whole number, found '2299'"),
    (b'{"images": [{"width": "9"}]}', "images[0], width: expected a whole number, found '9'"),
    (b"[1]", "expected a table of fields, found 1"),
    (b'[{"iscrowd": "no"}]', "expected 0 or 1, found 'no'"),
    (b"[] []", "column 4: expected the end of the file, found '[]'"),
    (b'["\xff"]', "line 1: expected UTF-8, found the byte 0xff"),
    (b'[{"segmentation": "x"}]', "expected polygons or run lengths, found 'x'"),
    (b'[{"segmentation": [1, 2]}]', "expected a polygon as a list of numbers, found 1"),
    (b'[{"segmentation": {"counts": [1]}}]', "size: expected [height, width], found None"),
    (
        b'[{"segmentation": {"size": [1, 2], "counts": [-1]}}]',
        "counts: expected non-negative run lengths, found -1",
    ),
    (b'[{"keypoints": "x"}]', "results[0], keypoints: expected a list of numbers, found 'x'"),
    (b'[{"keypoints": [[1, 2, 2]]}]', "keypoints[0]: expected a number, found [1, 2, 2]"),
    (b'[{"keypoints": [1, "2", 2]}]', "keypoints[1]: expected a number, found '2'"),
    (b'[{"num_keypoints": 1.5}]', "num_keypoints: expected a whole number, found 1.5"),
]


@pytest.mark.parametrize("scan", SCANNERS)
@pytest.mark.parametrize(("content", "message"), MESSAGES)
def test_error_names_location_finding_and_remedy(scan: Any, content: bytes, message: str) -> None:
    with pytest.raises(ReadError, match=re.escape(message)):
        scan(Text.of(content, "file.json"), masks=True, keypoints=True)


@pytest.mark.parametrize("scan", SCANNERS)
def test_byte_order_mark_is_skipped(scan: Any) -> None:
    assert len(scan(Text.of(b"\xef\xbb\xbf[{}]")).annotations) == 1


@pytest.mark.parametrize("scan", SCANNERS)
def test_mismatched_brackets_are_rejected(scan: Any) -> None:
    assert "expected" in outcome(scan, b'[{"image_id": 1, "x": [1}}]', False)
    deep = b"[" * 70 + b"]" * 70
    assert isinstance(outcome(scan, b'[{"image_id": 1, "x": %b}]' % deep, False), Document)


@pytest.mark.parametrize("scan", SCANNERS)
def test_invalid_utf_8_is_named_with_its_line(scan: Any) -> None:
    assert outcome(scan, b'{"images":\n[{"id": 1, "x": "\xff"}]}', False) == (
        "file.json, line 2: expected UTF-8, found the byte 0xff\nSave the file as UTF-8."
    )


@pytest.mark.parametrize("scan", SCANNERS)
@pytest.mark.parametrize("letter", ["\n", "\t", "\x00", "\x1f"])
def test_line_break_in_key_is_rejected_by_both_scanners(scan: Any, letter: str) -> None:
    """Otherwise, one scanner would evaluate without annotations a file that the other rejects."""
    content = f'{{"annota{letter}tions": [], "images": []}}'.encode()
    found = outcome(scan, content, False)
    assert found == outcome(reference_scanner.scan, content, False)
    assert str(found).startswith("file.json, line 1, column ")


@for_each("scan", SCANNERS)
@for_each(
    ("number", "crowd"),
    [("1e-400", 0), ("-1e-400", 0), ("0e5", 0), ("5e-324", 1), ("0.1e-322", 1), ("9" * 30, 1)],
)
def test_iscrowd_has_the_truth_value_of_python(scan: Any, number: str, crowd: int) -> None:
    found = scan(Text.of(f'[{{"iscrowd": {number}}}]'.encode())).annotations.crowd
    assert found.tolist() == [crowd]


LONG = "9" * 5000
LONG_NUMBERS = {
    '"image_id": %s': ", image_id: expected a whole number, found inf",
    '"image_id": -%s': ", image_id: expected a whole number, found -inf",
    '"score": %s': ", score: expected a finite number, found inf",
    '"bbox": [1, 2, 3, %s]': ", bbox[3]: expected a finite number, found inf",
    '"segmentation": [[1, %s]]': ", segmentation[0][1]: expected a finite number, found inf",
    '"segmentation": {"size": [1, 1], "counts": [%s]}': ", segmentation, counts: expected a whole "
    "number, found inf",
}


@for_each("scan", SCANNERS)
@for_each("field", LONG_NUMBERS)
def test_error_names_annotation_with_integer_of_5000_digits(scan: Any, field: str) -> None:
    content = '[{"id": 1}, {%s}]' % (field % LONG)
    assert outcome(scan, content.encode(), True) == f"file.json, results[1]{LONG_NUMBERS[field]}"


@pytest.mark.parametrize("scan", SCANNERS)
def test_long_integer_in_unused_field_is_skipped(scan: Any) -> None:
    content = f'{{"info": {LONG}, "annotations": [{{"id": 1, "note": {LONG}}}]}}'.encode()
    assert scan(Text.of(content)).annotations.ids.tolist() == [1]
