"""Labels of pixel values and colors."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping, Sequence, Set
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
_FOREGROUND = "foreground"
MASKS = {"1": _FOREGROUND, "255": _FOREGROUND}
"""Labels of masks whose foreground is 1 on one side and 255 on the other."""
_WHITE = "#ffffff"
_MOST_NAMED = 20
_MOST_FOUND = 100
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


@frozen(repr=False)
class FoundLabels:
    """Labels called like the values that images have; 0 is background.

    Parameters
    ----------
    ignore : tuple of int
        Ignored values of ground truths, which are background in predictions.
    key : str
        Key of the labels.
    is_mask : bool
        Whether 255 is the only label, which is called foreground.
    """

    ignore: tuple[int, ...]
    key: str
    is_mask: bool = False

    @classmethod
    def of_sample(cls, sample: Iterable[int], ignore: Sequence[int], key: str) -> FoundLabels:
        """Name the labels by the values of some of the images.

        Raises
        ------
        ReadError
            If 255 may be an ignored value, or there are so many values that they may be levels of
            gray.

        Examples
        --------
        >>> FoundLabels.of_sample([0, 255], [], "class").is_mask
        True
        >>> FoundLabels.of_sample([0, 1, 2, 255], [], "class")
        Traceback (most recent call last):
            ...
        valor_core.errors.ReadError: data: expected labels of the values, found none, and 255 may be
        a value that does not count
        Exclude these pixels: --set 'data.ignore=[255]'
        In Python, add a key to the data: {'reader': ..., 'ignore': [255]}
        """
        values = sorted({*sample} - {0, *ignore})
        _check_few(values, "the images")
        _check_no_void(values, "data")
        return cls(tuple(ignore), key, values == [_VOID])

    def labels_of(self, values: Iterable[int], where: str) -> ValueLabels:
        """Return the labels of the values of one image on both sides."""
        found = sorted({*values} - {0, *self.ignore})
        _check_few(found, where)
        _check_no_void(found, where)
        names: dict[int, str | None] = {value: str(value) for value in found}
        if self.is_mask and _VOID in names:
            names[_VOID] = _FOREGROUND
        return ValueLabels._of(names | dict.fromkeys(self.ignore), self.ignore, self.key)


def is_void(values: Sequence[int]) -> bool:
    """Return whether 255 among sorted values is likely to mark pixels that do not count.

    Examples
    --------
    >>> is_void([1, 2, 255]), is_void([255]), is_void([100, 255])
    (True, False, False)
    """
    return len(values) > 1 and values[-1] == _VOID and values[0] < _LEAST_GRAY


def are_masks(groundtruths: Set[int] = frozenset(), predictions: Set[int] = frozenset()) -> bool:
    """Return whether the foreground is 1 on one side and 255 on the other.

    Examples
    --------
    >>> are_masks({255}, {1}), are_masks({1, 255}, {1})
    (True, False)
    """
    return sorted([*groundtruths, *predictions]) == [1, _VOID] and len(groundtruths) == 1


def _check_no_void(values: Sequence[int], where: str) -> None:
    """Raise a `ReadError` if 255 among sorted values may mark pixels that do not count."""
    if not is_void(values):
        return
    remedy = f"Exclude these pixels: --set 'data.ignore=[{_VOID}]'"
    if values == [1, _VOID]:
        remedy += f"\nOr count both values as one label: --set 'data.values={json.dumps(MASKS)}'"
    remedy += f"\nIn Python, add a key to the data: {{'reader': ..., 'ignore': [{_VOID}]}}"
    raise ReadError(
        f"{where}: expected labels of the values, found none, and 255 may be a value that does not "
        "count",
        remedy,
    )


def _check_few(values: Sequence[int], where: str) -> None:
    """Raise a `ReadError` if there are too many values for labels."""
    if len(values) > _MOST_FOUND:
        raise ReadError(
            f"{where}: expected values of labels, found {len(values)} values, as of photos or "
            "scores",
            "Set data.labels to the names of the labels 1, 2, ..., if they are labels.",
        )


def value_labels(
    labels: Sequence[str] | Path, values: Mapping[str, str | None], ignore: Sequence[int], key: str
) -> ValueLabels | None:
    """Return the labels of values from a list or a mapping; None without both.

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

    Raises
    ------
    ReadError
        If both are given.
    """
    check_not_several({"labels": labels, "values": values})
    if labels:
        return ValueLabels.of_labels(listed_labels(labels), ignore, key)
    return ValueLabels.of_values(values, ignore, key) if values else None


def check_not_several(choices: Mapping[str, object]) -> None:
    """Raise a `ReadError` if several of the parameters that name labels are given.

    Examples
    --------
    >>> check_not_several({"labels": ["cat"], "values": {"1": "cat"}})
    Traceback (most recent call last):
        ...
    valor_core.errors.ReadError: data: expected one of labels and values, found labels and values
    Remove data.values.
    """
    given = [name for name, value in choices.items() if value]
    if len(given) > 1:
        *most, last = choices
        raise ReadError(
            f"data: expected one of {', '.join(most)} and {last}, found {' and '.join(given)}",
            f"Remove data.{given[-1]}.",
        )


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

    @classmethod
    def of_sample(cls, sample: Iterable[int], ignore: Sequence[int | str], key: str) -> Palette:
        """Make the palette of images in black and white, where white is foreground.

        Raises
        ------
        ReadError
            If images have other colors; the remedy lists them.

        Examples
        --------
        >>> Palette.of_sample([0, 0xFFFFFF], [], "class").meaning.labels
        (Label(key='class', value='foreground'),)
        >>> Palette.of_sample([0, 255], [], "class")
        Traceback (most recent call last):
            ...
        valor_core.errors.ReadError: data: expected the labels of colors, found none
        Name them: --set 'data.palette={"#ff0000": "label_1"}'
        In Python, add a key to the data: {'reader': ..., 'palette': {'#ff0000': 'label_1'}}
        """
        colors = [hex_color(color) for color in sorted({*sample} - {0})]
        if colors == [_WHITE]:
            return cls.of({_WHITE: _FOREGROUND}, ignore, key)
        named = {color: f"label_{i}" for i, color in enumerate(colors, 1)}
        raise ReadError(
            "data: expected the labels of colors, found none",
            f"Name them: --set 'data.palette={json.dumps(named)}'\n"
            f"In Python, add a key to the data: {{'reader': ..., 'palette': {named}}}"
            if len(named) <= _MOST_NAMED
            else "Set data.palette to the label of each color, such as '#ff0000'.",
        )

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
