from __future__ import annotations

from typing import Any


class Judge:
    def __init__(self, parameters: Any) -> None:
        self.parameters = parameters


class Echo:
    def __init__(self, parameters: Any) -> None:
        self.parameters = parameters
