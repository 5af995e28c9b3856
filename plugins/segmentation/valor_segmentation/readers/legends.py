"""Labels of pixel values and colors."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path

import numpy as np
from attrs import field, frozen
from valor_files import listed_labels

from valor_core.errors import ReadError, SchemaError, short_repr
from valor_core.schemas import Codes, Label, Vocabulary
from valor_core.schemas.columns import BY_CONTENT, codes
from valor_core.schemas.segmentation import BACKGROUND, IGNORED, Legend
from valor_core.schemas.segmentation.legends import is_name_of_zero

_VOID = 255
_LEAST_GRAY = 50
"""Lowest level of gray that represents a label in images made for viewing."""
_NAME_LABELS = "Name the labels of the values:"
_MOST_NAMED = 20
_LARGEST = np.iinfo(np.int64).max
_HEX = re.compile(r"#?([0-9a-fA-F]{6})")
_THREE = re.compile(r"[\[(]?\s*(\d{1,3})\s*,\s*(\d{1,3})\s*,\s*(\d{1,3})\s*[\])]?")


@frozen
class ValueLabels:
    """Labels of the pixel values on both sides.

    Parameters
    ----------
    labels : tuple of Label
        The vocabulary.
    groundtruth, prediction : Legend
        Codes of the values; only the ground truth has ignored values.
    """

    labels: tuple[Label, ...]
    groundtruth: Legend
    prediction: Legend

    @classmethod
    def of_labels(cls, labels: Sequence[str], ignore: Sequence[int], key: str) -> ValueLabels:
        """Make legends in which 0 is background and i the i-th label.

        Raises
        ------
        ReadError
            If the list begins with background.

        Examples
        --------
        >>> ValueLabels.of_labels(["cat", "dog"], [255], "class").groundtruth.values
        array([  0,   1,   2, 255])
        """
        if labels and labels[0] == "__ignore__":  # labelme's first line, whose value is -1
            raise ReadError(
                "data.labels: expected the label of the value 1 first, found '__ignore__'",
                "Remove it from the labels, and set data.ignore to 255 if pixels have that value.",
            )
        if labels and is_name_of_zero(labels[0]):
            named = ", ".join(f"{i}: {name}" for i, name in enumerate(labels[:2]))
            raise ReadError(
                "data.labels: expected the label of the value 1 first, since 0 is background, "
                f"found {labels[0]!r}",
                "Omit it, or set data.values instead of data.labels to count it like a "
                f"label: values: {{{named}, …}}.",
            )
        return cls.of_values({str(i): name for i, name in enumerate(labels, 1)}, ignore, key)

    @classmethod
    def of_values(
        cls, values: Mapping[str, str | None], ignore: Sequence[int], key: str
    ) -> ValueLabels:
        """Return the legend in which each value has its own label; 0 is background by default.

        Examples
        --------
        >>> ValueLabels.of_values({"7": "road", "11": "road"}, [], "class").groundtruth.codes
        array([-1,  0,  0])
        """
        numbers: dict[int, str | None] = {}
        for text, label in values.items():
            number = _number(text)
            if number in numbers:
                raise ReadError(f"data.values: expected each value once, found {number} twice")
            numbers[number] = label
        return cls._of(numbers, ignore, key)

    @classmethod
    def _of(cls, values: Mapping[int, str | None], ignore: Sequence[int], key: str) -> ValueLabels:
        vocabulary = Vocabulary()
        meaning = {0: BACKGROUND}
        for value, name in values.items():
            is_label = name is not None
            meaning[value] = vocabulary.code(_label(key, name)) if is_label else BACKGROUND
        for value in ignore:
            if meaning.get(value, BACKGROUND) != BACKGROUND:
                raise ReadError(
                    f"data.ignore: expected values that are no label, found {value}, which is "
                    f"{values[value]!r}"
                )
        ignored = dict.fromkeys(ignore, IGNORED)
        return cls(tuple(vocabulary.labels), Legend.of(meaning | ignored), Legend.of(meaning))

    def ignoring(self, value: int, where: str) -> Legend:
        """Return the legend of ground truths with one more ignored value.

        Raises
        ------
        ReadError
            If the value has a label.
        """
        meaning = _codes_by_value(self.groundtruth)
        if meaning.get(value, BACKGROUND) >= 0:
            raise ReadError(
                f"{where}: expected a nodata value that is no label, found {value}, which is "
                f"'{self.labels[meaning[value]]}'",
                "Leave it out of data.labels or data.values, or set another nodata value.",
            )
        return Legend.of(meaning | {value: IGNORED})


def with_background(legend: Legend, value: int) -> Legend:
    """Add a value to a legend as background, unless the legend has it already.

    Examples
    --------
    >>> with_background(Legend.of_labels(1), 255).codes
    array([-1,  0, -1])
    """
    return Legend.of({value: BACKGROUND} | _codes_by_value(legend))


def _codes_by_value(legend: Legend) -> dict[int, int]:
    return dict(zip(legend.values.tolist(), legend.codes.tolist(), strict=True))


def _label(key: str, name: str | None) -> Label:
    try:
        return Label(key, name or "")
    except SchemaError as error:
        raise ReadError("data: expected names of labels, found ''") from error


def _number(text: str) -> int:
    try:
        number = int(text)
    except ValueError as error:
        raise ReadError(
            f"data.values: expected whole numbers with their labels, found {short_repr(text)}"
        ) from error
    if abs(number) > _LARGEST:
        raise ReadError(f"data.values: expected numbers of 64 bits, found {short_repr(text)}")
    return number


def value_labels(
    labels: Sequence[str] | Path,
    values: Mapping[str, str | None],
    ignore: Sequence[int],
    key: str,
    found: Callable[[], Iterable[int]] = tuple,
) -> ValueLabels:
    """Return the labels of values from a list or a mapping.

    Parameters
    ----------
    labels : sequence of str or Path
        Labels of the values 1, 2 and so on.
    values : mapping of str to str or None
        Labels by value.
    ignore : sequence of int
        Ignored values.
    key : str
        Key of the labels.
    found : callable, optional
        Sampled values of the images, for the remedy.

    Raises
    ------
    ReadError
        If neither or both are given.
    """
    check_one({"labels": labels, "values": values}, found)
    if labels:
        return ValueLabels.of_labels(listed_labels(labels), ignore, key)
    return ValueLabels.of_values(values, ignore, key)


def check_one(choices: Mapping[str, object], found: Callable[[], Iterable[int]] = tuple) -> None:
    """Raise a `ReadError` unless exactly one of several parameters is given.

    Parameters
    ----------
    choices : mapping of str to object
        The parameters.
    found : callable, optional
        Sampled values of the images, for the remedy.

    Examples
    --------
    >>> check_one({"labels": (), "values": {}}, lambda: [0, 255])
    Traceback (most recent call last):
        ...
    valor_core.errors.ReadError: data: expected one of labels and values, found none of them
    Name the labels of the values: --set 'data.values={"255": "foreground"}'
    """
    given = [name for name, value in choices.items() if value]
    if len(given) != 1:
        *most, last = choices
        raise ReadError(
            f"data: expected one of {', '.join(most)} and {last}, found "
            f"{' and '.join(given) or 'none of them'}",
            f"Remove data.{given[-1]}." if given else _labels_to_set(sorted({*found()} - {0})),
        )


def _labels_to_set(values: Sequence[int]) -> str:
    r"""Return a remedy that names a label for each value, and ignores 255 among small values.

    Examples
    --------
    >>> _labels_to_set([1, 255]).partition(": ")[2]
    '--set \'data.values={"1": "label_1", "255": null}\' --set \'data.ignore=[255]\''
    """
    if not 0 < len(values) <= _MOST_NAMED:
        return "Set data.labels to the names of the labels 1, 2, ..."
    labels: dict[str, str | None] = {str(value): f"label_{value}" for value in values}
    void = ""
    if values == [_VOID]:
        labels = {str(_VOID): "foreground"}
    elif values[-1] == _VOID and values[0] < _LEAST_GRAY:
        labels[str(_VOID)] = None
        void = f" --set 'data.ignore=[{_VOID}]'"
    return f"{_NAME_LABELS} --set 'data.values={json.dumps(labels)}'{void}"


@frozen(eq=False)
class Palette:
    """Colors as values: the i-th color is i.

    Parameters
    ----------
    colors : ndarray of int64, shape (n,)
        The colors as numbers, red in the lowest byte.
    meaning : ResolvedName
        Labels of the values.
    """

    colors: Codes = field(eq=BY_CONTENT)
    meaning: ValueLabels

    @classmethod
    def of(
        cls, palette: Mapping[str, str | None], ignore: Sequence[int | str], key: str
    ) -> Palette:
        """Make a palette of the colors of labels, ignored colors, and black.

        Raises
        ------
        ReadError
            If a color cannot be read, or occurs twice.

        Examples
        --------
        >>> palette = Palette.of({"#ff0000": "road", "[0, 0, 255]": "sky"}, [], "class")
        >>> palette.colors.tolist(), palette.meaning.groundtruth.codes.tolist()
        ([0, 255, 16711680], [-1, 0, 1])
        """
        named: dict[int, str | None] = {}
        for text, label in palette.items():
            color = _color(text, "data.palette")
            if color in named:
                raise ReadError(
                    f"data.palette: expected each color once, found {hex_color(color)} twice"
                )
            named[color] = label
        left_out = [_color(text, "data.ignore") for text in ignore]
        for color in left_out:
            if named.get(color) is not None:
                raise ReadError(
                    f"data.ignore: expected colors that are no label, found {hex_color(color)}, "
                    f"which is {named[color]!r}"
                )
        colors = list(dict.fromkeys([0, *named, *left_out]))
        values = {colors.index(color): label for color, label in named.items()}
        meaning = ValueLabels._of(values, [colors.index(color) for color in left_out], key)
        return cls(codes(colors, "colors"), meaning)

    def numbers(self, legend: Legend) -> Codes:
        """Value of every 24-bit color; unknown colors get one more than the greatest value."""
        none = len(self.colors)
        table = np.full(1 << 24, none, np.min_scalar_type(none))
        table[self.colors[legend.values]] = legend.values
        return table


def hex_color(color: int) -> str:
    """Color as a hexadecimal code, as on the web.

    Examples
    --------
    >>> hex_color(255)
    '#ff0000'
    """
    return f"#{color.to_bytes(3, 'little').hex()}"


def _color(text: int | str, where: str) -> int:
    """A color as a number."""
    written = str(text).strip()
    if match := _HEX.fullmatch(written):
        return int.from_bytes(bytes.fromhex(match[1]), "little")
    match = _THREE.fullmatch(written)
    parts = [int(part) for part in match.groups()] if match else [256]
    if max(parts) > 255:
        raise ReadError(
            f"{where}: expected a color such as '#ff0000' or '[255, 0, 0]', "
            f"found {short_repr(text)}"
        )
    red, green, blue = parts
    return red | green << 8 | blue << 16
