"""Function metric: the spec of a per-item metric that the decorator makes from a function."""

from __future__ import annotations

from collections.abc import Callable
from pickle import PicklingError
from typing import Any
from weakref import WeakValueDictionary

from attrs import field, frozen

from valor_core.errors import ParameterError
from valor_core.parameters.declaration import build
from valor_core.specs.spec import MetricSpec, by_reference


def argument_of(resource: str) -> str:
    """What the argument of a function is called that takes a resource.

    Examples
    --------
    >>> argument_of("llm.judge"), argument_of("judge")
    ('judge', 'judge')
    """
    return resource.rpartition(".")[2]


@frozen(kw_only=True)
class FunctionMetricSpec(MetricSpec):
    """A per-item metric that the decorator made from a function; pickled by its place.

    Called with an item and the function's arguments, it answers as the function does.

    Parameters
    ----------
    score : callable
        ``score(item, parameters, resources)``.
    """

    score: Callable[..., Any] = field(repr=False, eq=False)

    def __call__(self, item: Any, **arguments: Any) -> Any:
        """What the function says of an item; unlike it, it checks the arguments.

        Raises
        ------
        ParameterError
            If an argument is unknown or missing, or its value does not fit.
        """
        handed: dict[str, Any] = {}
        for name in self.resources:
            argument = argument_of(name)
            if argument not in arguments:
                sentence = f"{argument}: expected the resource, found none"
                raise ParameterError(sentence, place=f"{self.name}: ")
            handed[name] = arguments.pop(argument)
        parameters: Any = build(self.parameter_class, arguments, f"{self.name}: ")
        return self.score(item, parameters, handed)

    def __reduce__(self) -> tuple[Any, ...]:
        try:
            found = by_reference(self.implementation)
        except (ImportError, AttributeError):
            found = None
        if found is not self:
            raise PicklingError(
                f"{self.name}: expected the metric at {self.implementation}, where other "
                "processes look for it"
            )
        return by_reference, (self.implementation,)


DECORATED: WeakValueDictionary[str, FunctionMetricSpec] = WeakValueDictionary()
"""The metrics that the decorator has made in this process, by folded name.

So a metric is found by its name where it was decorated. One that nobody holds any more is gone,
and of two with one name, as a notebook makes them, the later one counts.
"""
