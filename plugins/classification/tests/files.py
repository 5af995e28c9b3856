"""Files of lines, and reports and errors of reading them, for tests of readers."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from valor_core import evaluate
from valor_core.errors import ReadError
from valor_core.results import Report

from .support import REGISTRY

METRICS = ("Accuracy", "Counts", "ROCAUC", "Examples")


def written(folder: Path, name: str, *lines: str) -> Path:
    """A file of the lines given; its name says the format."""
    path = folder / name
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")
    return path


def read(reader: str, *metrics: Any, options: Any = None, **parameters: Any) -> Report:
    """The report of what a reader reads."""
    return evaluate(
        {"reader": reader} | parameters,
        metrics or METRICS,
        task="classification",
        registry=REGISTRY,
        **(options or {}),
    )


def error(reader: str, **parameters: Any) -> str:
    """The message of the error that a reader raises."""
    with pytest.raises(ReadError) as caught:
        read(reader, **parameters)
    return str(caught.value)
