"""Groups of labels with separate means, such as LVIS's rare, common and frequent ones."""

from __future__ import annotations

from collections.abc import Mapping

from attrs import evolve, frozen

from valor_core.schemas import Label, Vocabulary
from valor_core.schemas.detection import DetectionBatch

_SEVERAL = ""


@frozen(repr=False)
class GroupedBatch(DetectionBatch):
    """Images with objects, whose labels belong to groups.

    Parameters
    ----------
    label_groups : tuple of str
        Group of each label; empty for a label of several groups, which counts in none.

    Examples
    --------
    >>> batch = GroupedBatch.of([])
    >>> batch.label_groups
    ()
    """

    label_groups: tuple[str, ...] = ()

    def relabel(self, renames: Mapping[Label, Label]) -> GroupedBatch:
        """Rename labels. Labels of several groups that become equal count in none."""
        vocabulary = Vocabulary()
        codes = vocabulary.join(renames.get(label, label) for label in self.labels).tolist()
        groups: dict[int, str] = {}
        for code, group in zip(codes, self.label_groups, strict=True):
            groups[code] = merged(groups.get(code), group)
        renamed = super().relabel(renames)
        assert isinstance(renamed, GroupedBatch)
        return evolve(renamed, label_groups=tuple(groups.values()))


def merged(group: str | None, other: str) -> str:
    """Return the group of a label with two groups, of which one may be unknown.

    Examples
    --------
    >>> merged(None, "r"), merged("r", "r"), merged("r", "f")
    ('r', 'r', '')
    """
    return other if group in (None, other) else _SEVERAL
