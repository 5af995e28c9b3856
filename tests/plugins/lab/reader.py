from __future__ import annotations

import json
import os
import time
from collections.abc import Iterator
from typing import Any

from attrs import frozen

from valor_core.errors import SchemaError
from valor_core.readers import Partition
from valor_core.schemas.text import Text, TextBatch


@frozen
class Part(Partition):
    number: int

    @property
    def name(self) -> str:
        return f"part {self.number}"


@frozen
class Parts:
    parameters: Any
    task: str

    def _parts(self) -> list[Any]:
        parts: list[Any] = json.loads(self.parameters.path.read_text(encoding="utf-8"))
        return parts

    def partitions(self) -> tuple[Part, ...]:
        return tuple(map(Part, range(len(self._parts()))))

    def read(self, partition: Part) -> Iterator[TextBatch]:
        if self.parameters.log is not None:
            (self.parameters.log / str(partition.number)).touch()
        records = self._parts()[partition.number]
        yield TextBatch.of(Text(**record) for record in records)
        if partition.number == self.parameters.at:
            self._misbehave()

    def _misbehave(self) -> None:
        trouble = self.parameters.trouble
        if trouble == "raise":
            raise RuntimeError("disk on fire")
        if trouble == "schema":
            raise SchemaError("item 'q1': expected a response", "Give it one.")
        if trouble == "exit":
            os._exit(3)
        while trouble == "wait" and not (self.parameters.log / "go").exists():
            time.sleep(0.01)
