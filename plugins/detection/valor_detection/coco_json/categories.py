"""Categories of COCO's JSON, as labels."""

from __future__ import annotations

from typing import Any

import numpy as np
from attrs import field, frozen

from valor_core.errors import ReadError, and_more, short_repr
from valor_core.schemas import Codes, Label
from valor_core.schemas.columns import BY_CONTENT
from valor_detection.coco_json.numbers import integer64
from valor_detection.coco_json.records import check_once


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
    def of(cls, found: Any, source: str, key: str) -> Categories:
        """Validate a list of categories.

        Raises
        ------
        ReadError
            If it is not a list of categories, or an id or a name is repeated.

        Examples
        --------
        >>> Categories.of([{"id": 3, "name": "dog"}], "instances.json", "class").labels
        (Label(key='class', value='dog'),)
        """
        if not isinstance(found, list):
            raise ReadError(
                f"{source}, categories: expected a list, found {short_repr(found)}",
                'Write it as "categories": [{"id": 1, "name": "dog"}, ...].',
            )
        names = [_named(one, f"{source}, categories[{i}]") for i, one in enumerate(found)]
        check_once(np.array([number for number, _ in names], np.int64), f"{source}, categories")
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
        raise ReadError(f"{where}: expected a table of fields, found {short_repr(value)}")
    name = value.get("name")
    if not isinstance(name, str) or not name:
        raise ReadError(f"{where}, name: expected a name, found {short_repr(name)}")
    return integer64(value.get("id"), f"{where}, id"), name
