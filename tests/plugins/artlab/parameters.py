from __future__ import annotations

from pathlib import Path

from valor_core.parameters import parameter, parameters


@parameters
class WallParameters:
    paint: Path | None = parameter(default=None, help="File whose text is on every picture.")
    refused: str = parameter(default="", help="Response that cannot be drawn.")
