"""Gallery of responses and references side by side, with marked differences."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from difflib import SequenceMatcher
from itertools import groupby

import numpy as np
from attrs import frozen
from numpy.typing import NDArray
from valor_report import MarkedPiece, MarkedTexts

from valor_core import Registry, evaluate
from valor_core.errors import ParameterError, did_you_mean, short_repr
from valor_core.results import ItemRows, Numbers
from valor_core.results.item_rows import SINGLE
from valor_core.schemas.text import TextBatch
from valor_core.scoring import ItemMetricSpec
from valor_core.specs import ResourceSpec
from valor_text.parameters.gallery import GalleryParameters

_PARTS = re.compile(r"\s+|\w+|[^\w\s]")


@frozen
class Differences:
    """Two texts as pieces that are common, in the same order, or in one text only.

    Parameters
    ----------
    left, right : tuple of Piece
        Pieces of each text; joined they are the text.
    """

    left: tuple[MarkedPiece, ...]
    right: tuple[MarkedPiece, ...]

    @classmethod
    def of(
        cls, left: str, right: str, meanings: tuple[str, str], *, ignore_case: bool = False
    ) -> Differences:
        """Compare two texts word by word, ignoring white space.

        Parameters
        ----------
        left, right : str
            Texts.
        meanings : tuple of str
            Meanings of pieces in the left text only, and in the right text only.
        ignore_case : bool
            Whether words that differ only in case are equal.

        Examples
        --------
        >>> found = Differences.of("a b c", "a c", ("extra", "missing"))
        >>> [(piece.text, piece.meaning) for piece in found.left]
        [('a ', None), ('b', 'extra'), (' c', None)]
        """
        texts = [_PARTS.findall(text) for text in (left, right)]
        words = [
            [(at, part) for at, part in enumerate(each) if not part.isspace()] for each in texts
        ]
        said, wanted = (
            [word.casefold() if ignore_case else word for _, word in each] for each in words
        )
        blocks = SequenceMatcher(None, said, wanted, autojunk=False).get_matching_blocks()
        sides = []
        for side, meaning in enumerate(meanings):
            common = {
                words[side][(block.a, block.b)[side] + step][0]
                for block in blocks
                for step in range(block.size)
            }
            sides.append(tuple(_pieces(texts[side], common, meaning)))
        return cls(sides[0], sides[1])

    @property
    def counts(self) -> tuple[int, int]:
        """Number of words in the left text only, and in the right text only."""
        marked = [[one for one in each if one.meaning] for each in (self.left, self.right)]
        left, right = (sum(len(one.text.split()) for one in each) for each in marked)
        return left, right


def _pieces(parts: Sequence[str], common: set[int], meaning: str) -> Iterator[MarkedPiece]:
    """Merge adjacent parts with equal marks; white space between marked parts is marked."""
    marks: list[str | None] = [None if at in common else meaning for at in range(len(parts))]
    for at, part in enumerate(parts):
        if part.isspace():
            around = (marks[at - 1] if at else None, marks[at + 1] if at + 1 < len(parts) else None)
            marks[at] = meaning if None not in around else None
    pairs = zip(marks, parts, strict=True)
    for mark, each in groupby(pairs, key=lambda pair: pair[0]):
        yield MarkedPiece("".join(part for _, part in each), mark)


EXTRA, MISSING = "only in the response", "only in the reference"


class TextGallery:
    """Gallery that shows the query, the response and its most similar reference.

    The worst items are farthest from the best value of the metric.

    Parameters
    ----------
    parameters : GalleryParameters
        Metric, comparison and truncation of texts.

    Examples
    --------
    >>> from valor_core import Text
    >>> batch = TextBatch.of([Text("q1", response="the red car", references="a red bus")])
    >>> gallery = TextGallery(GalleryParameters())
    >>> gallery.errors(batch).tolist(), gallery.draw(batch).counts
    ([0.5], {'only in the response': 2, 'only in the reference': 2})
    """

    legend: Mapping[str, str] = {EXTRA: "#ffa8a8", MISSING: "#ffe066"}

    def __init__(self, parameters: GalleryParameters) -> None:
        self.parameters = parameters
        registry = Registry()
        self._spec = registry.metric(parameters.by, "text")
        home = self._spec.namespace
        if not all(registry.find(ResourceSpec, one, home).free for one in self._spec.resources):
            raise ParameterError(
                f"gallery.by: expected a metric without a judge, got {self._spec.name}",
                "Name a gallery that shows what a judge said: gallery.name=llm.Verdicts",
            )
        if self._spec.best_value is None or not isinstance(self._spec, ItemMetricSpec):
            raise ParameterError(
                f"gallery.by: expected a metric of items with a best value, got {self._spec.name}",
                "Name one such as TokenF1 or MeanWER.",
            )
        self._numbers(TextBatch.of([]))  # validate settings before any work

    def errors(self, batch: TextBatch) -> NDArray[np.float64]:
        """Return the distance of each item from the best value; 0 without a value."""
        numbers, best = self._numbers(batch), self._spec.best_value or 0.0
        return np.where(numbers.codes == 0, np.abs(numbers.values - best), 0.0)

    def draw(self, batch: TextBatch) -> MarkedTexts:
        """Return the texts of the only item of a batch."""
        (item,) = batch.items()
        said = [self._cut(item.response or "")]
        wanted = [self._cut(text) for text in item.references] or [""]
        found = [
            Differences.of(said[0], text, (EXTRA, MISSING), ignore_case=self.parameters.ignore_case)
            for text in wanted
        ]
        best = min(range(len(found)), key=lambda number: sum(found[number].counts))
        texts = {} if item.query is None else {"query": [MarkedPiece(self._cut(item.query))]}
        texts |= {"response": list(found[best].left), "reference": list(found[best].right)}
        extra, missing = found[best].counts
        notes = [self._summary(batch)]
        if len(wanted) > 1:
            notes.append(f"reference {best + 1} of {len(wanted)}")
        return MarkedTexts(texts, {EXTRA: extra, MISSING: missing}, notes)

    def _cut(self, text: str) -> str:
        most = self.parameters.characters
        return text if len(text) <= most else f"{text[:most]}…"

    def _summary(self, batch: TextBatch) -> str:
        named = f" {self.parameters.number}" if self.parameters.number else ""
        value = self._numbers(batch).at(0)
        text = f"{value:.4f}" if isinstance(value, float) else value.reason
        return f"{self._spec.short_name}{named} {text}"

    def _numbers(self, batch: TextBatch) -> Numbers:
        """Return the number of each item, in the order of the batch."""
        choice = {"name": self._spec.name, **self.parameters.settings}
        # By index, since rows are sorted by uid.
        report = evaluate(batch.renumber(0), [choice], items=True)
        rows: ItemRows = report.items[0].rows
        columns = rows.columns()
        wanted = self.parameters.number
        if columns.keys() == {SINGLE} and (wanted is None or not len(columns[SINGLE].present)):
            return columns[SINGLE]
        if wanted not in columns:
            names = [name for name in columns if name]
            expected = f"one of {', '.join(names)}" if names else "no number"
            raise ParameterError(
                f"gallery.number: expected {expected}, "
                f"got {'none' if wanted is None else short_repr(wanted)}",
                did_you_mean(str(wanted), names)
                or (f"Write it as: number: {names[0]}" if names else "Omit it."),
            )
        return columns[wanted]
