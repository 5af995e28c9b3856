"""Hierarchy of labels in Open Images' JSON."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from attrs import field, frozen

from valor_core.errors import ReadError, short_repr
from valor_detection.readers.text_files import text_of


@frozen
class Hierarchy:
    """Labels that a label implies.

    An object of a label is also one of its ancestors. A label that is absent from an image excludes
    its descendants. The root, which has every label below it, is not a label.

    Parameters
    ----------
    ancestors : mapping of str to tuple of str
        Labels above each label, each once.
    source : str
        Name of the file, for messages.
    """

    ancestors: Mapping[str, tuple[str, ...]]
    source: str
    descendants: Mapping[str, tuple[str, ...]] = field(init=False)

    @descendants.default
    def _inverted(self) -> Mapping[str, tuple[str, ...]]:
        below: dict[str, list[str]] = {label: [] for label in self.ancestors}
        for label, above in self.ancestors.items():
            for ancestor in above:
                below[ancestor].append(label)
        return {label: tuple(labels) for label, labels in below.items()}

    @classmethod
    def read(cls, path: Path) -> Hierarchy:
        """Read nested objects with ``LabelName`` and a list ``Subcategory``.

        Raises
        ------
        ReadError
            If the file is not JSON of this form.
        """
        try:
            root = json.loads(text_of(path))
        except (ValueError, RecursionError) as error:
            raise ReadError(f"{path}: expected JSON, found: {error}") from error
        return cls.of(root, str(path))

    @classmethod
    def of(cls, root: Any, source: str) -> Hierarchy:
        """Create a hierarchy from the parsed JSON.

        Examples
        --------
        >>> cat = {"LabelName": "cat"}
        >>> animal = {"LabelName": "animal", "Subcategory": [cat]}
        >>> Hierarchy.of({"LabelName": "entity", "Subcategory": [animal]}, "h.json").ancestors
        {'animal': (), 'cat': ('animal',)}
        """
        above: dict[str, dict[str, None]] = {}
        waiting: list[tuple[Any, tuple[str, ...]]] = [
            (node, ()) for node in _children(root, source)
        ]
        while waiting:
            node, path = waiting.pop()
            label = node.get("LabelName") if isinstance(node, dict) else None
            if not isinstance(label, str) or not label:
                raise ReadError(
                    f"{source}: expected a node with a LabelName, found {short_repr(node)}"
                )
            above.setdefault(label, {}).update(dict.fromkeys(path))
            waiting += [(child, (label, *path)) for child in _children(node, source)]
        for label, ancestors in above.items():
            if label in ancestors:
                raise ReadError(f"{source}: expected no label below itself, found {label!r}")
        return cls({label: tuple(above[label]) for label in sorted(above)}, source)


def _children(node: Any, source: str) -> list[Any]:
    children = node.get("Subcategory", []) if isinstance(node, dict) else None
    if not isinstance(children, list):
        raise ReadError(
            f"{source}: expected nodes with a LabelName and a list Subcategory, found "
            f"{short_repr(node)}",
            "Use the hierarchy of the data set, such as challenge-2019-label500-hierarchy.json.",
        )
    return children
