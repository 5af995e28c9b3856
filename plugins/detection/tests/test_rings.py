"""Coordinates read in NumPy are those of Python, and what is unusual is left to a decoder."""

import json
from decimal import Decimal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from valor_detection.kernels.numeric import scanning
from valor_detection.kernels.numeric.rings import Rings, UnusualError

short = st.tuples(st.integers(1 - 10**8, 10**8 - 1), st.integers(0, 8)).map(
    lambda own: format(Decimal(own[0]).scaleb(-own[1]), "f")
)
fit = short.filter(lambda text: sum(map(str.isdigit, text)) <= 8 and text != "-0")
written = st.lists(st.lists(st.lists(fit, max_size=5), max_size=3), max_size=4)
spaces = st.sampled_from(["", " ", "\n\t ", "\r\n"])


def as_json(rows: list[list[list[str]]], space: str) -> list[bytes]:
    def listed(texts: list[str]) -> str:
        return f"[{space}{f'{space},{space}'.join(texts)}{space}]"

    return [listed([listed(ring) for ring in row]).encode() for row in rows]


@given(written, spaces)
@settings(max_examples=300, deadline=None)
def test_every_coordinate_has_the_bits_of_the_number_that_is_written(
    rows: list[list[list[str]]], space: str
) -> None:
    found = Rings.read(as_json(rows, space))
    rings = [ring for row in rows for ring in row]
    expected = np.array([float(text) for ring in rings for text in ring], np.float64)
    assert found.numbers.tobytes() == expected.tobytes()
    assert found.counts.tolist() == [len(row) for row in rows]
    assert found.lengths.tolist() == [len(ring) for ring in rings]


def test_all_numbers_of_four_digits_have_the_bits_that_python_gives_them() -> None:
    texts = [f"{sign}{n // 100}.{n % 100:02}" for sign in ("", "-") for n in range(1, 10_000)]
    found = Rings.read([f"[[{','.join(texts)}]]".encode()])
    assert found.numbers.tobytes() == np.array([float(text) for text in texts]).tobytes()


@pytest.mark.parametrize(
    "text",
    [
        *("[[1e2]]", "[[1E-2]]", "[[2.5e+3]]", "[[-0]]", "[[-0.0]]", "[[1, -0.000]]"),
        *("[[123456789]]", "[[0.000000001]]", "[[1234.56789]]", "[[0.1,0.30000000000000004]]"),
        *("[1]", "[[1],2]", "[1,[2]]", "[[[1]]]", "[[[]]]", "[[1],[null]]", '[["1"]]', "[{}]"),
    ],
)
def test_what_is_unusual_is_left_to_a_decoder(text: str) -> None:
    with pytest.raises(UnusualError):
        Rings.read([b"[[1.5,2]]", text.encode(), b"[]"])


@given(st.lists(st.lists(st.floats(-1e300, 1e300) | st.floats(-9, 9).map(lambda x: round(x, 3)))))
@settings(max_examples=60, deadline=None)
def test_unusual_coordinates_have_the_bits_of_python_too(rings: list[list[float]]) -> None:
    document = [{"segmentation": [[1.5, 2]]}, {"segmentation": rings}, {"segmentation": None}]
    raws = scanning._ANNOTATIONS.decode(json.dumps(document))
    found = scanning._segmentations([row.segmentation for row in raws])
    expected = [1.5, 2.0, *(number for ring in rings for number in ring)]
    assert found.numbers.tobytes() == np.array(expected, np.float64).tobytes()
    assert found.row_ends[:, 0].tolist() == [1, 1 + len(rings), 1 + len(rings)]


def test_a_sign_of_zero_is_kept_where_a_decoder_keeps_it() -> None:
    rows = scanning._ANNOTATIONS.decode(b'[{"segmentation": [[-0.0, 0.0, -1.5]]}]')
    numbers = scanning._segmentations([row.segmentation for row in rows]).numbers
    assert np.signbit(numbers).tolist() == [True, False, True]
