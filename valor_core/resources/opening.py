"""Open resources: opened once per process, closed at the end of a run."""

from __future__ import annotations

import os
import threading
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from itertools import count
from typing import TYPE_CHECKING, Any, TypeVar

from attrs import define, field, frozen

from valor_core.errors import ResourceError, ValorError, ValorWarning, short_repr
from valor_core.parameters.declaration import parameter_values, parameters_from
from valor_core.parameters.environment import fill_in
from valor_core.resources.bound import (
    BoundKind,
    BoundResource,
    Facts,
    ProvidedClient,
    located,
    read_usage,
)
from valor_core.specs.extensions import reason_of
from valor_core.specs.spec import ResourceKindSpec, ResourceSpec

if TYPE_CHECKING:
    import asyncio

    from valor_core.cancellation import Control
    from valor_core.resources.journal import Journal

_Number = TypeVar("_Number", int, float)


@frozen
class Share:
    """Share of a worker in the budgets of a run.

    Parameters
    ----------
    number : int
        Index of the worker. An index of `of` or more is the replacement of a lost worker, whose
        part counts as spent.
    of : int
        Number of workers.

    Examples
    --------
    >>> [Share(number, 3).part(50) for number in range(4)]
    [17, 17, 16, 0]
    >>> [Share(number, 2).part(0.5) for number in range(3)]
    [0.25, 0.25, 0.0]
    """

    number: int = 0
    of: int = 1

    def part(self, whole: _Number) -> _Number:
        """Return the worker's part of a number; parts of an integer are integers."""
        if self.number >= self.of:
            return 0 * whole
        if isinstance(whole, int):
            return whole // self.of + (self.number < whole % self.of)
        return whole / self.of


SINGLE_WORKER = Share()


@frozen(eq=False, repr=False)
class OpenResource:
    """Open resource: the only code that reads optional attributes of the object.

    Parameters
    ----------
    name : str
        Name in reports and errors.
    made : object
        Object of the resource.
    identity : callable
        Returns the parameters that can change a number.
    """

    name: str
    made: Any
    identity: Callable[[], Any]

    @property
    def width(self) -> int | None:
        """Limit of concurrent items, if any."""
        width = getattr(self.made, "width", None)
        if width is not None and (not isinstance(width, int) or width < 1):
            expected = f"{self.name}: width must be a whole number of at least 1"
            raise ResourceError(f"{expected}, got {short_repr(width)}")
        return width

    @property
    def stop(self) -> object:
        """Reason why the resource has stopped, such as a spent budget; falsy while it works."""
        return getattr(self.made, "stop", None)

    def facts(self) -> Mapping[str, Any] | None:
        """Return numbers and texts for the report, if any."""
        facts = getattr(self.made, "facts", None)
        return None if facts is None else read_usage(self.name, facts)


@define(eq=False, repr=False)
class OpenResources(Mapping[str, Any]):
    """Open resources by the names that metrics use."""

    _open: Mapping[str, OpenResource] = field(alias="open")
    control: Control | None = None
    """Control of the run; metrics check it for a stop."""
    journal: Journal | None = None
    """Journal of finished rows of this run and earlier ones."""
    _limits: dict[int, asyncio.Semaphore] | None = field(default=None, init=False)
    _opening: str = field(factory=lambda: os.urandom(16).hex(), init=False)
    _reads: Iterator[int] = field(factory=count, init=False)
    _facts_lock: threading.Lock = field(factory=threading.Lock, init=False)

    @classmethod
    def of(cls, resources: Mapping[str, Any]) -> OpenResources:
        """Wrap resources that the caller made, such as the fakes of a test."""
        if isinstance(resources, OpenResources):
            return resources
        return cls(
            {name: OpenResource(name, made, partial(str, name)) for name, made in resources.items()}
        )

    def __getitem__(self, name: str) -> Any:
        return self._open[name].made

    def __iter__(self) -> Iterator[str]:
        return iter(self._open)

    def __len__(self) -> int:
        return len(self._open)

    def limits(self, names: Iterable[str]) -> Sequence[asyncio.Semaphore]:
        """Return a semaphore per resource with a width, in a fixed order that avoids deadlocks.

        All threads of the process share the semaphores.
        """
        # Called only on the event loop, so no two threads make them.
        if self._limits is None:
            self._limits = self._new_limits()
        used = {id(self[name]) for name in names}
        return [limit for key, limit in self._limits.items() if key in used]

    def _new_limits(self) -> dict[int, asyncio.Semaphore]:
        from asyncio import Semaphore

        # Keyed by the object, which may be open under several names.
        widths = {id(one.made): one.width for one in self._open.values()}
        return {key: Semaphore(width) for key, width in widths.items() if width is not None}

    def stop(self, names: Iterable[str]) -> str | None:
        """Return the reason why one of the resources has stopped, or None."""
        reasons = (self._open[name].stop for name in names)
        return next((str(reason) for reason in reasons if reason), None)

    def identity(self, name: str) -> Any:
        """Return the parameters of a resource that can change a number."""
        return self._open[name].identity()

    def usage(self) -> Facts:
        """Return the facts so far by resource; empty if a resource has none."""
        try:
            return next((facts for _, facts in self.facts().values()), {})
        except ResourceError:  # raised again at the end of the run
            return {}

    def facts(self) -> dict[str, tuple[int, Facts]]:
        """Return the facts so far, numbered, by the id of this opening."""
        # Facts are cumulative: an evaluation state keeps the latest of each opening.
        with self._facts_lock:
            read = {one.name: one.facts() for one in self._open.values()}
            present = {name: facts for name, facts in read.items() if facts is not None}
            return {self._opening: (next(self._reads), present)} if present else {}


@contextmanager
def opened(
    resources: Iterable[BoundResource], share: Share = SINGLE_WORKER
) -> Iterator[OpenResources]:
    """Open resources for the duration of a block.

    Parameters
    ----------
    resources : iterable of BoundResource
        Resources to open.
    share : Share
        Share of this worker in the budgets.

    Raises
    ------
    ResourceError
        If one cannot be opened; resources that are already open are closed.
    """
    with ExitStack() as stack:
        found: dict[str, OpenResource] = {}
        for resource in resources:
            made = _open(resource, share, stack)
            opened = OpenResource(resource.name, made, resource.identity)
            found |= dict.fromkeys(resource.names, opened)
        yield OpenResources(found)


def _open(resource: BoundResource, share: Share, stack: ExitStack) -> Any:
    spec = resource.spec
    try:
        made: dict[str, Any] = {}
        if resource.kinds and spec.kinds is not None:
            kinds = tuple(_open_kind(kind, resource, stack) for kind in resource.kinds)
            made[spec.kinds] = kinds if spec.several_kinds else kinds[0]
        parameters = _with_environment(resource.parameters, spec, resource.name, share)
        instance = spec.load()(located(parameters, resource.folder), **made)
        stack.callback(_close, instance)
        divided = getattr(instance, "divided", None)
        if divided is not None and share != SINGLE_WORKER:
            divided(_wholes(resource), share.of)
        return instance
    except ValorError:
        raise
    except Exception as error:
        raise ResourceError(f"{spec.name}: cannot be opened, {reason_of(error)}") from error


def _open_kind(kind: BoundKind | ProvidedClient, resource: BoundResource, stack: ExitStack) -> Any:
    if isinstance(kind, ProvidedClient):
        return kind.made
    values = _with_environment(kind.parameters, kind.spec, f"{resource.name}.{resource.spec.kinds}")
    made = kind.spec.load()(located(values, resource.folder))
    stack.callback(_close, made)
    return made


def _with_environment(
    parameters: Any, spec: ResourceSpec | ResourceKindSpec, name: str, share: Share = SINGLE_WORKER
) -> Any:
    """Return parameters with values from the environment and the worker's part of budgets."""
    # Saved states contain names of environment variables; each process reads their values.
    values = fill_in(parameter_values(parameters), name)
    filled: Any = parameters_from(spec.parameter_class, values, f"{name}.")
    for divided in spec.divided if isinstance(spec, ResourceSpec) else ():
        whole = getattr(filled, divided)
        if whole is not None and share != SINGLE_WORKER:
            # Bypasses the checks: a part may be 0 even if the parameter must be positive.
            object.__setattr__(filled, divided, share.part(whole))
    return filled


def _wholes(resource: BoundResource) -> dict[str, Any]:
    """Return the undivided budgets of a resource."""
    filled = _with_environment(resource.parameters, resource.spec, resource.name)
    return {name: getattr(filled, name) for name in resource.spec.divided}


def _close(made: Any) -> None:
    close = getattr(made, "close", None)
    try:
        if close is not None:
            close()
    except Exception as error:  # a failing close must not lose the results
        message = f"{type(made).__name__} could not be closed, {reason_of(error)}"
        warnings.warn(message, ValorWarning, stacklevel=2)
