from __future__ import annotations

from typing import Any, ClassVar

from valor_report import Picture

from valor_core.errors import SchemaError


class Wall:
    legend: ClassVar = {"long": "crimson"}

    def __init__(self, parameters: Any) -> None:
        self.parameters = parameters
        paint = parameters.paint
        self.paint = "" if paint is None else paint.read_text(encoding="utf-8")

    def errors(self, batch: Any) -> list[int]:
        return [max(len(response) - 2, 0) for response in batch.responses]

    def draw(self, batch: Any) -> Picture:
        (response,) = batch.responses
        if response == self.parameters.refused:
            raise SchemaError(f"{response!r} cannot be drawn")
        image = f"{batch.datums.uids[0]} {response} {self.paint}".encode()
        return Picture(image, b"\xff\xd8", {"letters": len(response)}, ["<on paper>"])
