"""Categories of COCO's JSON, as labels."""

from __future__ import annotations

from collections import Counter
from typing import Any

import numpy as np
from attrs import field, frozen

from valor_core.errors import ReadError, and_more, shown
from valor_core.schemas import BY_CONTENT, Codes, Label
from valor_detection.coco_json.reference_scanner import DECODER, integer64


@frozen(repr=False)
class Categories:
    """Categories of a data set in the order of their ids.

    Parameters
    ----------
    ids : ndarray of int64, shape (n,)
        Their ids, ascending.
    labels : tuple of Label
        Label of each category.
    """

    ids: Codes = field(eq=BY_CONTENT)
    labels: tuple[Label, ...]

    @classmethod
    def of(cls, text: bytes, source: str, key: str) -> Categories:
        """Parse a JSON list of categories.

        Raises
        ------
        ReadError
            If the text is not a list of categories, or an id or a name is repeated.

        Examples
        --------
        >>> Categories.of(b'[{"id": 3, "name": "dog"}]', "instances.json", "class").labels
        (Label(key='class', value='dog'),)
        """
        found = DECODER.decode(text.decode()) if text else None
        if not isinstance(found, list):
            raise ReadError(
                f"{source}, categories: expected a list, found {shown(found)}",
                'Write it as "categories": [{"id": 1, "name": "dog"}, ...].',
            )
        names = [_named(one, f"{source}, categories[{i}]") for i, one in enumerate(found)]
        _check_once([number for number, _ in names], f"{source}, categories", "id")
        names.sort()
        by_name: dict[str, list[int]] = {}
        for number, name in names:
            by_name.setdefault(name, []).append(number)
        shared = [name for name, ids in by_name.items() if len(ids) > 1]
        if shared:
            numbers = " and ".join(map(str, by_name[shared[0]]))
            raise ReadError(
                f"{source}, categories: expected every name once, found {shared[0]!r} as name "
                f"of ids {numbers}{and_more(len(shared) - 1)}",
                "Give each category a unique name; label_map can merge them afterwards.",
            )
        ids = np.array([number for number, _ in names], np.int64)
        return cls(ids, tuple(Label(key, name) for _, name in names))


def _named(value: Any, where: str) -> tuple[int, str]:
    if not isinstance(value, dict):
        raise ReadError(f"{where}: expected a table of fields, found {shown(value)}")
    name = value.get("name")
    if not isinstance(name, str) or not name:
        raise ReadError(f"{where}, name: expected a name, found {shown(name)}")
    return integer64(value.get("id"), f"{where}, id"), name


def _check_once(values: list[int], where: str, what: str) -> None:
    twice = [value for value, count in Counter(values).items() if count > 1]
    if twice:
        first = values.index(twice[0])
        raise ReadError(
            f"{where}[{values.index(twice[0], first + 1)}]: expected every {what} once, found "
            f"{what} {twice[0]} as in [{first}]{and_more(len(twice) - 1)}"
        )
