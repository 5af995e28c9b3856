"""Engines: where the partitions of a source are counted.

An engine is found through the entry-point group ``valor.engines``; what it is called with is a
`Work`, which pickles, and the partitions. It yields one tally per partition, in any order.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Protocol, cast

from attrs import frozen

from valor_core.errors import (
    EngineError,
    PartitionError,
    ReadError,
    SchemaError,
    ValorError,
    did_you_mean,
)
from valor_core.evaluation import Evaluation
from valor_core.installed import entry_points
from valor_core.installer import install
from valor_core.parameters import build
from valor_core.reading import Partition, Reader, identity
from valor_core.state import Resources
from valor_core.tally import Tally

GROUP = "valor.engines"


@frozen
class Work:
    """Counts one partition: what an engine sends to its workers.

    Parameters
    ----------
    evaluation : Evaluation
        What to count.
    reader : Reader
        What reads the partition.
    """

    evaluation: Evaluation
    reader: Reader

    def __call__(self, partition: Partition, resources: Resources) -> Tally:
        """The tally of one partition.

        Raises
        ------
        PartitionError
            If anything but the data is at fault; names the partition and chains the cause.
        """
        tally = Tally()
        try:
            for batch in self.reader.read(partition):
                self.evaluation.update(tally, batch, resources)
        except SchemaError as error:
            raise ReadError(f"{partition.name}: {error.message}", error.remedy) from error
        except ValorError:
            raise
        except Exception as error:
            raise PartitionError(f"{partition.name}: {type(error).__name__}: {error}") from error
        tally.done.append(identity(partition))
        return tally


class Engine(Protocol):
    """Carries out work on partitions; made from an instance of its parameter class.

    The class has the attribute ``parameters_class``, its parameter class.
    """

    def map(self, work: Work, partitions: Sequence[Partition]) -> Iterator[Tally]:
        """One tally for each partition, as they are finished."""


def engine(section: str | Mapping[str, Any] | None, place: str = "") -> Engine:
    """The engine that a config section describes; the local one, serially, where there is none.

    Parameters
    ----------
    section : str or mapping, optional
        The engine's name, or a table of ``name`` and its parameters.
    place : str
        Where the section stands, for errors.

    Raises
    ------
    EngineError, ParameterError
        If there is no such engine or a parameter does not fit.

    Examples
    --------
    >>> engine({"name": "local", "workers": 2}).parameters.workers
    2
    """
    if section is None:
        return _serial()
    values = {"name": section} if isinstance(section, str) else dict(section)
    name = values.pop("name", "local")
    engine_class = _engine_class(str(name), place)
    parameters = build(engine_class.parameters_class, values, f"{place}engine.")
    return cast("Engine", engine_class(parameters))


def _serial() -> Engine:
    from valor_core.engines.local import LocalEngine, LocalParameters

    return LocalEngine(LocalParameters())


def _engine_class(name: str, place: str) -> Any:
    known = entry_points(GROUP)
    if not any(entry.name == name for entry in known):
        known = entry_points(GROUP, anew=True)
    claims = [entry for entry in known if entry.name == name]
    if not claims:
        names = sorted({entry.name for entry in known})
        raise EngineError(
            f"{place}engine.name: expected one of {', '.join(names)}, got {name!r}",
            did_you_mean(name, names),
        )
    owners = sorted({entry.distribution for entry in claims})
    if len(owners) > 1:
        raise EngineError(
            f"{place}engine.name: expected one engine {name!r}, {' and '.join(owners)} claim it",
            "Uninstall one of them.",
        )
    try:
        return claims[0].load()
    except Exception as error:
        raise EngineError(
            f"{place}engine.name: the engine {name!r} of {owners[0]} cannot be imported, "
            f"{type(error).__name__}: {error}",
            f"Install what it needs with: {install(f'{owners[0]}[{name}]')}",
        ) from error
