"""Mutations: small changes of bytes, of JSON and of arrays, as damage or malice makes them."""

from __future__ import annotations

import re
import struct
from collections.abc import Callable, Iterator, Sequence
from copy import deepcopy
from random import Random
from typing import Any

import numpy as np
from numpy.typing import NDArray

NUMBERS = (
    *b"0 -0 -0.0 00 01 - +1 .5 5. 1e 1e+ 1E5 1e+5 42.5 4.2e1 1_0 0x10 1,5 -1".split(),
    *b"1e400 -1e400 1e-400 1e308 4.9e-324 2.2250738585072011e-308 1e18 1e19 1e23".split(),
    *b"4294967295 4294967296 9007199254740993 9007199254740993.0".split(),
    *b"9223372036854775807 9223372036854775808 -9223372036854775809 18446744073709551616".split(),
    *b"0.1000000000000000055511151231257827 179769313486231580793e289".split(),
    *b"NaN nan inf -inf Infinity -Infinity null true false".split(),
    *(b"1" * 25, b"1" * 400, b"1" * 5000, b"0." + b"0" * 30 + b"1", b"1" + b"0" * 320),
)
"""Numbers at the edges, and what is nearly one."""

MARKS = (
    *(bytes([letter]) for letter in b"\"'\\{}[],;:<>&# \t\n\r\x00\x0b\x1b\x7f\xff\xc3"),
    *(b"\r\n", b"},{", b"{}", b"[]", b"[[]]", b"[" * 70, b"[" * 70 + b"]" * 70, b"\xed\xa0\x80"),
    *(b"\\u0000", b"\\ud800", b"\\u00e9", b"\\x", b"\xef\xbb\xbf", b"\xe2\x80\xae", b"\xd9\xa1"),
)
"""Marks that texts are made of, control characters, and no UTF-8."""

SIZES = tuple(
    struct.pack(order + "I", size)
    for order in "<>"
    for size in (0, 1, 10**6, 65535, 65536, 2**31 - 1, 2**31, 2**32 - 1)
)
"""Sizes as binary files have them."""

VALUES: tuple[Any, ...] = (
    *(None, True, False, -1, 0, 1, 3, 10**9, 2**31, 2**63, 2**64, -(2**63), 10**400),
    *(0.5, -0.0, 1e308, 5e-324, float("nan"), float("inf"), float("-inf")),
    *("", "x", "class", "\x00", "\x1b[31m", "\u202e", "\ud800", "1", "nan", "x" * 300, "a\nb"),
    *([], [[]], {}, [None], ["x"] * 3, [1, 2, 3], {"x": 1}, {"": None}, {"name": "x"}),
)
"""Values that are seldom what was expected."""

_A_NUMBER = re.compile(rb"-?\d[\d.eE+-]*")
_A_TEXT = re.compile(rb'"[^"]*"')


def mutated(draw: Random, data: bytes, words: Sequence[bytes]) -> bytes:
    """Bytes with a few changes, some of which put a word in.

    Parameters
    ----------
    draw : Random
        Random numbers.
    data : bytes
        The bytes.
    words : sequence of bytes
        What may be put in.
    """
    changed = bytearray(data)
    for _ in range(draw.choice((1, 1, 1, 2, 3, 6))):
        if changed:
            draw.choice(_OF_BYTES)(draw, changed, words)
    return bytes(changed)


def _one_byte(draw: Random, data: bytearray, words: Sequence[bytes]) -> None:
    data[draw.randrange(len(data))] = draw.randrange(256)


def _one_bit(draw: Random, data: bytearray, words: Sequence[bytes]) -> None:
    data[draw.randrange(len(data))] ^= 1 << draw.randrange(8)


def _without_some(draw: Random, data: bytearray, words: Sequence[bytes]) -> None:
    start = draw.randrange(len(data))
    del data[start : start + draw.choice((1, 1, 2, 5, 20, 100))]


def _word_between(draw: Random, data: bytearray, words: Sequence[bytes]) -> None:
    at = draw.randrange(len(data))
    data[at:at] = draw.choice(words)


def _word_instead(draw: Random, data: bytearray, words: Sequence[bytes]) -> None:
    at, word = draw.randrange(len(data)), draw.choice(words)
    data[at : at + len(word)] = word


def _some_again(draw: Random, data: bytearray, words: Sequence[bytes]) -> None:
    at, start = draw.randrange(len(data)), draw.randrange(len(data))
    data[at:at] = data[start : start + draw.choice((1, 5, 20, 60))]


def _cut_off(draw: Random, data: bytearray, words: Sequence[bytes]) -> None:
    del data[draw.randrange(len(data)) :]


def _other_number(draw: Random, data: bytearray, words: Sequence[bytes]) -> None:
    """Another number where there is one."""
    if found := list(_A_NUMBER.finditer(data)):
        at = draw.choice(found)
        made = (
            repr(draw.uniform(-1e6, 1e6)),
            str(draw.randrange(10 ** draw.randrange(1, 22))),
            f"{draw.randrange(10 ** draw.randrange(1, 20))}e{draw.randrange(-345, 310)}",
        )
        number = draw.choice((*NUMBERS, *(text.encode() for text in made)))
        data[at.start() : at.end()] = number


def _other_text(draw: Random, data: bytearray, words: Sequence[bytes]) -> None:
    """Another text of the same file where there is one in quotes."""
    if found := list(_A_TEXT.finditer(data)):
        at, other = draw.choice(found), draw.choice(found)
        data[at.start() : at.end()] = other[0]


_OF_BYTES: tuple[Callable[[Random, bytearray, Sequence[bytes]], None], ...] = (
    *(_one_byte, _one_bit, _without_some, _word_between, _word_instead, _some_again, _cut_off),
    *(_other_number, _other_text),
)


def mutated_tree(draw: Random, tree: Any, values: Sequence[Any] = VALUES) -> Any:
    """A copy of tables and lists with a few values replaced, left out, doubled or swapped."""
    root = [deepcopy(tree)]
    for _ in range(draw.choice((1, 1, 1, 2, 3))):
        places = list(_places(root))
        within, key = draw.choice(places)
        other, other_key = draw.choice(places)
        how = draw.randrange(8)
        if how == 0 and within is not root:
            del within[key]
        elif how == 1:
            within[key] = deepcopy(other[other_key])
        elif how == 2 and isinstance(within, list) and within is not root:
            within.insert(key, deepcopy(within[key]))
        elif how == 3 and isinstance(within, dict):
            within[draw.choice([value for value in values if isinstance(value, str)])] = 1
        else:
            within[key] = deepcopy(draw.choice(values))
    return root[0]


def _places(tree: Any) -> Iterator[tuple[Any, Any]]:
    """Every table or list in a tree with each of its keys or positions."""
    keys = list(tree) if isinstance(tree, dict) else range(len(tree))
    for key in keys:
        yield tree, key
        if isinstance(tree[key], (dict, list)):
            yield from _places(tree[key])


def mutated_array(draw: Random, array: NDArray[Any]) -> NDArray[Any]:
    """An array of other values, length, shape or type."""
    return draw.choice(_OF_ARRAYS)(draw, array)


def _one_value(draw: Random, array: NDArray[Any]) -> NDArray[Any]:
    if not array.size or array.dtype.kind not in "iufb":
        return array.reshape(-1)[:0]
    changed = array.copy()
    changed.flat[draw.randrange(array.size)] = _edge(draw, array.dtype)
    return changed


def _all_values(draw: Random, array: NDArray[Any]) -> NDArray[Any]:
    if array.dtype.kind not in "iufb":
        text = array.dtype.kind in "US"
        return np.full(array.shape, "", array.dtype) if text else array.reshape(-1)[:0]
    return np.full(array.shape, _edge(draw, array.dtype), array.dtype)


def _edge(draw: Random, dtype: np.dtype[Any]) -> Any:
    if dtype.kind == "b":
        return draw.random() < 0.5
    if dtype.kind == "f":
        return draw.choice((0.0, -1.0, 1e7, np.nan, np.inf, -np.inf, 5e-324, np.finfo(dtype).max))
    limits = np.iinfo(dtype)
    near = [value for value in (0, 1, -1, 2, 100, 10**7, 2**32) if limits.min <= value]
    return draw.choice([value for value in near if value <= limits.max] + [limits.min, limits.max])


def _other_length(draw: Random, array: NDArray[Any]) -> NDArray[Any]:
    if not array.ndim:
        return array.reshape(1)
    return draw.choice((array[:-1], array[1:], array[:0], array[:1], np.concatenate([array] * 2)))


def _other_order(draw: Random, array: NDArray[Any]) -> NDArray[Any]:
    if not array.ndim:
        return array.reshape(1, 1)
    return draw.choice((array[::-1], np.sort(array, axis=0), array.T, array.reshape(-1)))


def _other_shape(draw: Random, array: NDArray[Any]) -> NDArray[Any]:
    return np.zeros(draw.choice(((), (0,), (0, 3), (1, 1), (3, 3, 3))), array.dtype)


def _other_type(draw: Random, array: NDArray[Any]) -> NDArray[Any]:
    if array.dtype.kind not in "iufb":
        return np.arange(array.size).reshape(array.shape)
    dtype = draw.choice(("f4", "f8", "i1", "i4", "i8", "u8", ">i8", ">f8", "?", "U3", "c16"))
    with np.errstate(all="ignore"):
        return array.astype(dtype)


_OF_ARRAYS: tuple[Callable[[Random, NDArray[Any]], NDArray[Any]], ...] = (
    *(_one_value, _one_value, _all_values, _other_length, _other_length),
    *(_other_order, _other_shape, _other_type),
)
