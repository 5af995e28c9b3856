"""Parameters of COCO's summary."""

from __future__ import annotations

from valor_core.parameters import parameters
from valor_detection.parameters import fields


@parameters
class COCOSummaryParameters:
    """Parameters of COCOSummary."""

    convert_to: fields.ConvertTo | None = fields.convert_to()
