"""Parameters of the summary of keypoints."""

from __future__ import annotations

from valor_core.parameters import parameters
from valor_detection.parameters import fields


@parameters
class KeypointSummaryParameters:
    """Parameters of KeypointSummary."""

    sigmas: fields.Sigmas | None = fields.SIGMAS
