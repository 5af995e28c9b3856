"""Panoptic quality: recognition and segmentation quality of segments in one number."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from attrs import frozen
from valor_labels import label_parameters

from valor_core.errors import did_you_mean
from valor_core.parameters import changed_parameters
from valor_core.results import NumberOrReason, Result, Undefined, macro_mean, ratio
from valor_core.states import StateRequest
from valor_segmentation.counting import panoptic_counts
from valor_segmentation.counting.panoptic_counts import MATCHED, MISSED, PanopticCounts
from valor_segmentation.parameters.panoptic import (
    PanopticQualityParameters,
    RecognitionQualityParameters,
    SegmentationQualityParameters,
)

Parameters = (
    PanopticQualityParameters | RecognitionQualityParameters | SegmentationQualityParameters
)

NOTHING = "neither ground truths nor predictions that count"


@frozen
class _SegmentQuotient:
    """Metric of a quotient of the segments of each label, and its means."""

    parameters: Parameters

    def needs(self) -> tuple[StateRequest, ...]:
        """Request matched, false and missed segments."""
        return (panoptic_counts.request(background_is_void=self.parameters.background_is_void),)

    def value(self, ious: float, matched: int, false: int, missed: int) -> NumberOrReason:
        """Return the quotient."""
        raise NotImplementedError

    def compute(self, state: PanopticCounts) -> Iterator[Result]:
        """Yield one result for each label, then their means for each key."""
        chosen, labels, sums = self.parameters, state.vocabulary.labels, state.ious.values.tolist()
        settings = changed_parameters(chosen)
        rows = zip(sums, state.table.tolist(), strict=True)
        values = [self.value(ious, *row) for ious, row in rows]
        truths = state.table[:, MATCHED] + state.table[:, MISSED]
        for key, key_codes in state.codes_by_key():
            for code in key_codes:
                parameters = label_parameters(labels[code])
                yield Result(parameters=parameters | settings, value=values[code])
            for name, codes in _groups(state, chosen, key_codes):
                average, left_out = macro_mean(
                    [values[code] for code in codes],
                    truths[codes],
                    chosen.include_prediction_only_labels,
                )
                if name == "stuff":
                    left_out |= _unknown_names(chosen.stuff or (), [one.value for one in labels])
                parameters = {"label_key": key, "average": name}
                yield Result(parameters=parameters | settings, value=average, left_out=left_out)


@frozen
class PanopticQuality(_SegmentQuotient):
    """IoUs of matched segments over all segments (PQ), of each label and on average.

    A predicted and a true segment of one label match if their IoU is above 0.5, so each has at most
    one match. The value is the sum of the IoUs of matches, divided by the number of matches plus
    half the number of unmatched segments, predicted and true: `SegmentationQuality` times
    `RecognitionQuality`, in [0, 1]. It is undefined for a label without segments that count.

    Parameters
    ----------
    parameters : PanopticQualityParameters
        Labels that are stuff, and what counts.

    Notes
    -----
    Void pixels are true pixels that do not count: ignored pixels (with the reader of COCO's
    panoptic files, pixels without a segment) and, with ``background_is_void``, background. They are
    removed from predictions before the IoU. An unmatched prediction is ignored instead of false if
    more than half of it is void or in crowds of its label. Crowds are never matched and never
    missed. A true segment that a panoptic file lists without pixels is missed, as in COCO's
    panoptic API; a predicted one is an error. Results with an ``average`` are plain means over
    labels with ground truths: of ``all``, and of ``things`` and ``stuff`` if the data or a
    parameter distinguish them.

    COCO's panoptic API uses only the last crowd of a label in an image; here all crowds count.

    References
    ----------
    .. [1] Kirillov et al., "Panoptic Segmentation", CVPR 2019, section 4, equations 1 and 2.

    Examples
    --------
    >>> from valor_core import evaluate
    >>> from valor_core.schemas.segmentation import Segmentation
    >>> item = Segmentation("a", [[1, 1, 1, 1]], [[1, 1, 1, 0]], labels=["cat"])
    >>> report = evaluate([item], ["PanopticQuality"], "segmentation")
    >>> report["PanopticQuality"].find(label="cat").value
    0.75
    """

    parameters: PanopticQualityParameters

    def value(self, ious: float, matched: int, false: int, missed: int) -> NumberOrReason:
        """Return the quotient."""
        return ratio(2 * ious, 2 * matched + false + missed, None, NOTHING)


@frozen
class SegmentationQuality(_SegmentQuotient):
    """Mean IoU of matched segments (SQ), of each label and on average.

    Matches and means are those of `PanopticQuality`. In (0.5, 1] if there is a match, else the
    value of 0/0; undefined for a label without segments that count.

    Parameters
    ----------
    parameters : SegmentationQualityParameters
        Labels that are stuff, what counts, and the value of 0/0.

    References
    ----------
    .. [1] Kirillov et al., "Panoptic Segmentation", CVPR 2019, section 4, equation 2.

    Examples
    --------
    >>> from valor_core import evaluate
    >>> from valor_core.schemas.segmentation import Segmentation
    >>> item = Segmentation("a", [[1, 1, 1, 1]], [[1, 1, 1, 0]], labels=["cat"])
    >>> report = evaluate([item], ["SegmentationQuality"], "segmentation")
    >>> report["SegmentationQuality"].find(label="cat").value
    0.75
    """

    parameters: SegmentationQualityParameters

    def value(self, ious: float, matched: int, false: int, missed: int) -> NumberOrReason:
        """Return the quotient."""
        if not matched + false + missed:
            return Undefined(NOTHING)
        return ratio(ious, matched, self.parameters.zero_division, "no matched segments")


@frozen
class RecognitionQuality(_SegmentQuotient):
    """F1 of segments (RQ), of each label and on average.

    Matches and means are those of `PanopticQuality`. The number of matches, divided by the number
    of matches plus half the number of unmatched segments, in [0, 1]; undefined for a label without
    segments that count.

    Parameters
    ----------
    parameters : RecognitionQualityParameters
        Labels that are stuff, and what counts.

    References
    ----------
    .. [1] Kirillov et al., "Panoptic Segmentation", CVPR 2019, section 4, equation 2.

    Examples
    --------
    >>> from valor_core import evaluate
    >>> from valor_core.schemas.segmentation import Segmentation
    >>> item = Segmentation("a", [[1, 1, 1, 1]], [[1, 1, 1, 0]], labels=["cat"])
    >>> report = evaluate([item], ["RecognitionQuality"], "segmentation")
    >>> report["RecognitionQuality"].find(label="cat").value
    1.0
    """

    parameters: RecognitionQualityParameters

    def value(self, ious: float, matched: int, false: int, missed: int) -> NumberOrReason:
        """Return the quotient."""
        return ratio(2 * matched, 2 * matched + false + missed, None, NOTHING)


def _unknown_names(stuff: Sequence[str], names: Sequence[str]) -> dict[str, int]:
    """Labels of stuff that are none of the data's."""
    found = {}
    for name in sorted(set(stuff) - set(names)):
        guess = (did_you_mean(name, names) or "").replace("D", "d", 1)
        found[f"{name!r} is no label of the data" + (f", {guess}" if guess else "")] = 1
    return found


def _groups(
    state: PanopticCounts, chosen: Parameters, codes: list[int]
) -> Iterator[tuple[str, list[int]]]:
    """Labels to average, of those that have any segment."""
    present = [code for code in codes if state.table[code].any()]
    yield "all", present
    labels, stuff = state.vocabulary.labels, state.stuff
    if chosen.stuff is not None:
        stuff = {label for label in labels if label.value in chosen.stuff}
    if stuff or chosen.stuff:
        yield "things", [code for code in present if labels[code] not in stuff]
        yield "stuff", [code for code in present if labels[code] in stuff]
