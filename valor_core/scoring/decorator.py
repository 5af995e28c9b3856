"""Decorator that makes a metric from a function, without a package."""

from __future__ import annotations

import inspect
import typing
from collections.abc import Callable, Mapping
from functools import partial
from pickle import PicklingError
from typing import Annotated, Any, get_args, get_origin

import attrs
from attrs import field, frozen

from valor_core.errors import ManifestError, ParameterError
from valor_core.parameters.declaration import parameter, parameters, parameters_from
from valor_core.scoring.spec import ItemMetricSpec
from valor_core.specs.names import folded_name, short_name
from valor_core.specs.registry import DECORATED
from valor_core.specs.spec import Range, Reference, import_object


@frozen(kw_only=True, repr=False)
class FunctionMetricSpec(ItemMetricSpec):
    """Spec of a metric made from a function; pickled by its import string.

    Calling it with an item and the arguments calls the function.

    Parameters
    ----------
    score : callable
        ``score(item, parameters, resources)``.
    """

    score: Callable[..., Any] = field(eq=False)

    def load(self, place: str | None = None) -> Any:
        """Return the function, or import another object of the spec."""
        return self.score if place is None else import_object(place)

    @property
    def parameters_hint(self) -> str:
        """Remedy that lists the parameters, since `valor show` does not find the metric."""
        names = ", ".join(one.name for one in attrs.fields(self.parameter_class))
        return f"{self.name} takes {names or 'no parameters'}."

    def __repr__(self) -> str:
        return f"<metric {self.name}>"

    def __call__(self, *items: Any, **arguments: Any) -> Any:
        """Check the arguments and call the function with an item.

        Raises
        ------
        ParameterError
            If there is not one item, or an argument is unknown, missing or invalid.
        """
        if len(items) != 1:
            name, chosen = self.implementation.partition(":")[2], {"name": self.name, **arguments}
            raise ParameterError(
                f"expected an item and parameters by name, got {len(items)} positional arguments",
                f"Choose it as a metric with {chosen}, or score an item with: {name}(item)",
                f"{self.name}: ",
            )
        passed: dict[str, Any] = {}
        for name in self.resources:
            argument = short_name(name)
            if argument not in arguments:
                sentence = f"{argument}: expected the resource, found none"
                raise ParameterError(sentence, place=f"{self.name}: ")
            passed[name] = arguments.pop(argument)
        parameters: Any = parameters_from(self.parameter_class, arguments, f"{self.name}: ")
        return self.score(*items, parameters, passed)

    def __reduce__(self) -> tuple[Any, ...]:
        try:
            found = import_object(self.implementation)
        except (ImportError, AttributeError):
            found = None
        if found is not self:
            raise PicklingError(
                f"{self.name}: expected the metric at {self.implementation}, from which "
                "other processes import it"
            )
        return import_object, (self.implementation,)


_KEYWORD = inspect.Parameter.KEYWORD_ONLY
_POSITIONAL = (inspect.Parameter.POSITIONAL_ONLY, inspect.Parameter.POSITIONAL_OR_KEYWORD)


def metric(
    name: str,
    *,
    task: str,
    higher_is_better: bool | None = True,
    range: Range | None = None,
    references: tuple[Reference, ...] = (),
    version: int = 1,
    resources: tuple[str, ...] = (),
    requires: tuple[str, ...] = (),
) -> Callable[[Callable[..., Any]], FunctionMetricSpec]:
    """Make a per-item metric from a function of one item, which may be an ``async def``.

    The keyword-only arguments become parameters with their annotations and defaults;
    ``Annotated[bool, "Ignore case."]`` sets the help text. The function returns the item's score,
    `Undefined`, `Failed` or an `ItemScore`. The decorated name is the spec: pass it wherever you
    choose a metric, or call it like the function.

    Parameters
    ----------
    name : str
        ``"namespace.Name"``.
    task : str
        Task of the items.
    higher_is_better : bool or None
        Direction of the score.
    range : Range, optional
        Range of the scores. Defaults to 0 to 1.
    references : tuple of Reference
        Definitions of the metric.
    version : int
        Incremented when the score changes for any input.
    resources : tuple of str
        Names of the resources. The function receives each as the keyword-only argument with its
        short name.
    requires : tuple of str
        Required fields; an item without one of them is `Undefined` and not scored.

    Raises
    ------
    ManifestError
        If the function has no name or no item argument, another argument is not keyword-only or
        has no supported annotation, or a resource has no argument.

    Examples
    --------
    >>> from valor_core import evaluate
    >>> from valor_core.schemas.text.batch import Text
    >>> @metric("mylab.ExactMatch", task="text")
    ... def exact_match(item, *, ignore_case: bool = False) -> float:
    ...     '''Return 1 if the response is one of the references.'''
    ...     fold = str.casefold if ignore_case else str
    ...     return float(fold(item.response) in map(fold, item.references))
    >>> exact_match(Text("q1", response="paris", references="Paris"))
    0.0
    >>> items = [Text("q1", response="paris", references="Paris")]
    >>> evaluate(items, [{"name": "mylab.ExactMatch", "ignore_case": True}])["ExactMatch"].value
    1.0
    """

    def make(function: Callable[..., Any]) -> FunctionMetricSpec:
        _check_named(name, function)
        scorer = _score_async if inspect.iscoroutinefunction(function) else _score
        summary = (inspect.getdoc(function) or name).partition("\n")[0]
        implementation = f"{function.__module__}:{function.__qualname__.rpartition('.')[2]}"
        spec = FunctionMetricSpec(
            name=name,
            task=task,
            summary=summary.rstrip("."),
            parameters=_parameters_of(name, function, implementation, resources),
            implementation=implementation,
            higher_is_better=higher_is_better,
            range=Range(0, 1) if range is None else range,
            references=references,
            version=version,
            resources=resources,
            requires=requires,
            score=partial(scorer, function, resources),
        )
        DECORATED[folded_name(name)] = spec
        return spec

    return make


def _check_named(name: str, function: Callable[..., Any]) -> None:
    """Raise an error unless other processes can import the metric by the function's name."""
    called = getattr(function, "__name__", type(function).__name__)
    if not called.isidentifier() or not hasattr(function, "__qualname__"):
        raise ManifestError(
            f"{name}: expected a function with a name, got {called}",
            "Write it as: def score(item) -> float",
        )


def _score(
    function: Callable[..., Any],
    requested: tuple[str, ...],
    item: Any,
    values: Any,
    resources: Mapping[str, Any],
) -> Any:
    passed = {short_name(name): resources[name] for name in requested}
    return function(item, **attrs.asdict(values, recurse=False), **passed)


async def _score_async(
    function: Callable[..., Any],
    requested: tuple[str, ...],
    item: Any,
    values: Any,
    resources: Mapping[str, Any],
) -> Any:
    return await _score(function, requested, item, values, resources)


def _remake(implementation: str, values: dict[str, Any]) -> Any:
    return import_object(implementation).parameters(**values)


def _parameters_of(
    name: str, function: Callable[..., Any], implementation: str, resources: tuple[str, ...]
) -> type:
    hints = typing.get_type_hints(function, include_extras=True)
    arguments = list(inspect.signature(function).parameters.values())
    if not arguments or arguments[0].kind not in _POSITIONAL:
        raise ManifestError(
            f"{name}: expected a function whose first argument is the item",
            f"Write it as: def {function.__name__}(item) -> float",
        )

    def reduce_by_metric(instance: Any) -> tuple[Any, ...]:
        # The class is in no module, so it is pickled by the import string of its metric.
        return _remake, (implementation, attrs.asdict(instance, recurse=False))

    namespace: dict[str, Any] = {
        "__annotations__": {},
        "__module__": function.__module__,
        "__reduce__": reduce_by_metric,
    }
    passed = set(map(short_name, resources))
    for argument in sorted(passed - {one.name for one in arguments if one.kind is _KEYWORD}):
        raise ManifestError(
            f"{name}: expected a keyword-only argument for the resource {argument!r}, found none",
            f"Write it as: def {function.__name__}(item, *, {argument})",
        )
    for keyword in arguments[1:]:
        if keyword.name in passed:
            continue
        if keyword.kind is not _KEYWORD or keyword.name not in hints:
            raise ManifestError(
                f"{name}: argument {keyword.name!r} must be keyword-only and annotated",
                f"Write it as: def {function.__name__}(item, *, {keyword.name}: float = …)",
            )
        hint, help = hints[keyword.name], f"Argument of {function.__name__}."
        if get_origin(hint) is Annotated:
            hint, help = get_args(hint)[0], str(get_args(hint)[1])
        default = attrs.NOTHING if keyword.default is keyword.empty else keyword.default
        namespace["__annotations__"][keyword.name] = hint
        namespace[keyword.name] = parameter(default=default, help=help)
    return parameters(type(f"{name.rpartition('.')[2]}Parameters", (), namespace))
