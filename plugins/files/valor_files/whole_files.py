"""Partition of ground truths and predictions that are read together."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Generic, TypeVar

from attrs import frozen

from valor_core.readers import Partition

if TYPE_CHECKING:
    from valor_files.tables.in_memory import TableInMemory

_Source = TypeVar("_Source", bound="Path | TableInMemory")


@frozen(repr=False)
class WholeFiles(Partition, Generic[_Source]):
    """Only partition of a reader whose items can have records anywhere in either source.

    Parameters
    ----------
    groundtruths, predictions : Path or TableInMemory
        Sources of the two sides.

    Examples
    --------
    >>> WholeFiles(Path("true.csv"), Path("seen.csv")).name
    'true.csv and seen.csv'
    """

    groundtruths: _Source
    predictions: _Source

    @property
    def name(self) -> str:
        """Names of both sources."""
        return f"{self.groundtruths} and {self.predictions}"

    @property
    def identity(self) -> str:
        """Absolute paths of both files."""
        return " and ".join(str(path.resolve()) for path in self.paths) or self.name

    @property
    def paths(self) -> tuple[Path, ...]:
        """Files among the sources."""
        sources = (self.groundtruths, self.predictions)
        return tuple(source for source in sources if isinstance(source, Path))
