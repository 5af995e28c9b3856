"""Drawings of the items that changed, from the data of both reports."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from attrs import field, frozen

from valor_core.errors import ValorError
from valor_report.comparison.item_changes import Uid
from valor_report.viewer.pictures import Drawn, Pictures
from valor_report.viewer.source import ReportSource


@frozen
class Drawings:
    """Drawings of items by both models.

    Parameters
    ----------
    items : mapping of str or int to (Drawn, Drawn)
        Drawings by uid, of the first and of the second report.
    reason : str
        Reason why items are not drawn; empty without one.
    """

    items: Mapping[Uid, tuple[Drawn, Drawn]] = field(factory=dict)
    reason: str = ""

    @property
    def legend(self) -> dict[str, str]:
        """CSS color of each word of the legend."""
        return {
            word: color
            for pair in self.items.values()
            for drawn in pair
            for word, color in drawn.legend.items()
        }


def drawings_of(first: ReportSource, second: ReportSource, uids: Sequence[Uid]) -> Drawings:
    """Draw items with the gallery of their task, which reads the data of both reports.

    Parameters
    ----------
    first, second : ReportSource
        Both reports with their data.
    uids : sequence of str or int
        Items to draw.
    """
    pictures = [Pictures(source) for source in (first, second)]
    if not uids or not all(one.parameters() for one in pictures):  # the task has no gallery
        return Drawings()
    found: dict[Uid, tuple[Drawn, Drawn]] = {}
    try:
        for uid in uids:
            one, two = (each.of(each.source.item(str(uid)), {})[0] for each in pictures)
            if not (one.legend and two.legend):  # texts of the item, since nothing can draw it
                reasons = [*one.picture.notes, *two.picture.notes]
                return Drawings(found, reasons[0] if reasons else "")
            found[uid] = one, two
    except ValorError as error:
        return Drawings(found, error.one_line)
    return Drawings(found)
