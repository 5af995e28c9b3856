"""Gallery of responses and references side by side, with marked differences."""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray
from valor_report import MarkedTexts, Piece

from valor_core import Registry, evaluate
from valor_core.errors import ParameterError, did_you_mean, shown
from valor_core.results import ONLY, ItemRows, Numbers
from valor_core.schemas.text import TextBatch
from valor_core.scoring import ItemMetricSpec
from valor_core.specs import ResourceSpec
from valor_text.gallery.differences import Differences
from valor_text.parameters.gallery import GalleryParameters

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
                f"gallery.by: expected a metric that asks nobody, got {self._spec.name}",
                "Name a gallery that shows what a judge said: gallery.name=llm.Verdicts",
            )
        if self._best is None or not isinstance(self._spec, ItemMetricSpec):
            raise ParameterError(
                f"gallery.by: expected a metric of items with a best value, got {self._spec.name}",
                "Name one such as TokenF1 or MeanWER.",
            )
        self._numbers(TextBatch.of([]))  # validate settings before any work

    def errors(self, batch: TextBatch) -> NDArray[np.float64]:
        """Return the distance of each item from the best value; 0 without a value."""
        numbers, best = self._numbers(batch), self._best or 0.0
        return np.where(numbers.codes == 0, np.abs(numbers.values - best), 0.0)

    @property
    def _best(self) -> float | None:
        """Best possible value."""
        better, range = self._spec.higher_is_better, self._spec.range
        return None if better is None else range.high if better else range.low

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
        texts = {} if item.query is None else {"query": [Piece(self._cut(item.query))]}
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
        if columns.keys() == {ONLY} and (wanted is None or not len(columns[ONLY].present)):
            return columns[ONLY]
        if wanted not in columns:
            known = [name for name in columns if name]
            expected = f"one of {', '.join(known)}" if known else "left out"
            raise ParameterError(
                f"gallery.number: expected {expected}, "
                f"got {'none' if wanted is None else shown(wanted)}",
                did_you_mean(str(wanted), known)
                or (f"Write it as: number: {known[0]}" if known else "Leave it out."),
            )
        return columns[wanted]
