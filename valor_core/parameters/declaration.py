"""Parameters declared once: names, types, defaults, ranges and help in one frozen class.

A metric's parameter class is all there is to know about its parameters. Values are checked when
an instance is made; the config, ``valor show``, the docs, the JSON Schema and the record in a
report are read from the same declaration.
"""

from __future__ import annotations

import types
import typing
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from pathlib import Path, PurePath
from typing import Annotated, Any, Literal, TypeVar, dataclass_transform

import attrs
from attrs import frozen

from valor_core.errors import ManifestError, ParameterError, ValorError, did_you_mean, shown
from valor_core.parameters.environment import FromEnvironment
from valor_core.parameters.kinds import (
    SCALARS,
    ChoiceKind,
    JsonSchema,
    Kind,
    ListKind,
    PathKind,
    TableKind,
    UnionKind,
    Within,
)

_T = TypeVar("_T")
Json = dict[str, Any]


@frozen
class Parameter:
    """What a parameter class says about one of its fields.

    `parameter` makes it; the class adds the field's name and the kind of its annotation.
    """

    default: Any
    help: str
    check: Within | None
    non_empty: bool
    distinct: bool
    aliases: tuple[str, ...]
    instead: Mapping[str, str] = attrs.field(factory=dict)
    name: str = ""
    kind: Kind = Kind()

    @cached_property
    def required(self) -> bool:
        """Whether a value has to be given."""
        return self.default is attrs.NOTHING

    @property
    def what_to_write(self) -> str | None:
        """The remedy where it is missing or empty: what it means, written as in a config.

        Examples
        --------
        >>> [parameter.what_to_write for parameter in declared(_Example)]
        ['Write thresholds: thresholds', 'Leave mode out, or give it a value.']
        """
        if not self.required:
            return f"Leave {self.name} out, or give it a value."
        sentence = self.help.partition(". ")[0].rstrip(".")
        word = sentence.partition(" ")[0]
        means = (word.lower() if word == word.capitalize() else word) + sentence[len(word) :]
        return f"Write {self.name}: {means}" if means else None

    @property
    def range(self) -> str:
        """Its range in words, empty where any value of the type will do."""
        bounds = self.check.expectation if self.check else ""
        parts = [bounds.removeprefix("lie ").removeprefix("be "), "not empty" * self.non_empty]
        return ", ".join(part for part in parts if part)

    def converter(self, owner: str) -> Callable[[Any], Any]:
        """Function that converts a value to the annotated type and rejects one that doesn't fit."""
        is_limited = self.non_empty or self.distinct or self.check is not None

        def convert(value: Any) -> Any:
            try:
                fitted = self.kind.fit(value, self.name)
                if is_limited and fitted is not None:
                    self._examine(fitted)
            except ParameterError as error:
                words = value if isinstance(value, (list, tuple)) else [value]
                named = [self.instead[word] for word in self.instead if word in words]
                remedy = next(iter(named), error.remedy)
                raise ParameterError(error.message, remedy, f"{owner}: ") from None
            except ValorError as error:
                raise error.at(f"{owner}: ") from error.__cause__
            return fitted

        return convert

    def _examine(self, value: Any) -> None:
        if isinstance(value, Path):  # of a list that the reader reads from a file
            return
        if self.non_empty and len(value) == 0:
            raise ParameterError(f"{self.name} must not be empty", self.what_to_write)
        if self.distinct and len(set(value)) < len(value):
            raise ParameterError(f"{self.name} must not name a value twice, got {shown([*value])}")
        if self.check is None:
            return
        for number in _numbers(value):
            if not self.check(number):
                raise ParameterError(f"{self.name} must {self.check.expectation}, got {number!r}")


def parameter(
    *,
    default: Any = attrs.NOTHING,
    help: str,
    check: Within | None = None,
    non_empty: bool = False,
    distinct: bool = False,
    aliases: Sequence[str] = (),
    instead: Mapping[str, str] | None = None,
) -> Any:
    """Declare one parameter of a class made with `parameters`.

    Parameters
    ----------
    default : optional
        Value if none is given; a parameter without one is required.
    help : str
        What it means, in the words that the docs and ``valor show`` print.
    check : Within, optional
        Range of the number, or of every number where the parameter is a list.
    non_empty : bool
        Whether an empty list or string is refused.
    distinct : bool
        Whether a list that names a value twice is refused.
    aliases : sequence of str
        Other names accepted for it in configs and documented-style calls.
    instead : mapping of str to str, optional
        Remedies for values and keys of other programs.
    """
    made = Parameter(default, help, check, non_empty, distinct, tuple(aliases), instead or {})
    return attrs.field(default=default, metadata={"valor": made})


@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(parameter,))
def parameters(cls: type[_T]) -> type[_T]:
    """Make a frozen, keyword-only class whose fields are checked against their annotations.

    Understood annotations: ``bool``, ``int``, ``float``, ``str``, ``Literal``, ``X | None``,
    ``tuple[X, ...]`` (a bare value stands for a list of one), ``Mapping[str, X]``, ``Any``,
    ``pathlib.Path``, other parameter classes, and ``Annotated[X, kind]`` with a `Kind` of its own.

    Raises
    ------
    ManifestError
        If a field is not declared with `parameter`, or its annotation is none of these.
    ParameterError
        When an instance is made with a wrong type or a value out of range.

    Examples
    --------
    >>> @parameters
    ... class Smoothing:
    ...     width: int = parameter(default=3, help="Points in the window.", check=Within(1))
    >>> Smoothing(width=5)
    Smoothing(width=5)
    >>> Smoothing(width=0)
    Traceback (most recent call last):
        ...
    valor_core.errors.ParameterError: Smoothing: width must be at least 1, got 0
    """
    return attrs.frozen(cls, kw_only=True, field_transformer=_checked)


@lru_cache
def declared(cls: type) -> tuple[Parameter, ...]:
    """The parameters of a class made with `parameters`, in the order of declaration.

    Examples
    --------
    >>> [parameter.kind.words for parameter in declared(_Example)]
    ['list of number', "'a' or 'b'"]
    """
    return tuple([field.metadata["valor"] for field in attrs.fields(cls)])


def kind_of(annotation: Any) -> Kind:
    """The kind of an annotation.

    Raises
    ------
    TypeError
        If configs cannot fill it.

    Examples
    --------
    >>> kind_of(float | None).fit(1, "width"), kind_of(tuple[str, ...]).fit("a", "names")
    (1.0, ('a',))
    >>> kind_of(tuple[int, ...]).words
    'list of whole number'
    """
    origin, arguments = typing.get_origin(annotation), typing.get_args(annotation)
    if annotation is Any:
        return Kind()
    if origin is Annotated and isinstance(arguments[-1], Kind):
        return arguments[-1]
    if annotation is Path:
        return PathKind()
    if annotation in SCALARS:
        return SCALARS[annotation]
    if origin is Literal:
        return ChoiceKind.of(arguments)
    if origin in (typing.Union, types.UnionType):
        return UnionKind.of(tuple(map(kind_of, arguments)))
    if origin is tuple and len(arguments) == 2 and arguments[1] is ...:
        return ListKind.of(kind_of(arguments[0]))
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return TableKind.of(kind_of(arguments[1]))
    if isinstance(annotation, type) and origin is None and attrs.has(annotation):
        has_paths = any(entry.kind.has_paths for entry in declared(annotation))
        return _ClassKind("table", has_paths, annotation)
    raise TypeError(f"no kind of parameter: {shown(annotation)}")


@frozen
class _ClassKind(Kind):
    made: type = object

    def fit(self, value: Any, name: str) -> Any:
        if isinstance(value, self.made):
            return value
        if not isinstance(value, Mapping):
            raise self.refused(value, name)
        try:
            return build(self.made, value, f"{name}.")
        except ParameterError as error:
            raise ParameterError(error.message, error.remedy) from None

    def schema(self, check: Within | None = None) -> JsonSchema:
        return json_schema(self.made)


def json_schema(cls: type) -> JsonSchema:
    """JSON Schema of a class made with `parameters`, for editors that complete config files.

    Examples
    --------
    >>> json_schema(_Example)["properties"]["mode"]
    {'enum': ['a', 'b'], 'description': 'Mode.', 'default': 'a'}
    """
    properties: JsonSchema = {}
    required: list[str] = []
    choices: list[JsonSchema] = []
    for parameter in declared(cls):
        entry = parameter.kind.schema(parameter.check) | {"description": parameter.help}
        if not parameter.required:
            entry["default"] = plain_value(parameter.default)
        names = (parameter.name, *parameter.aliases)
        properties |= dict.fromkeys(names, entry)
        if parameter.required and parameter.aliases:
            choices.append({"anyOf": [{"required": [name]} for name in names]})
        elif parameter.required:
            required.append(parameter.name)
    schema = {"type": "object", "properties": properties, "additionalProperties": False}
    needed: JsonSchema = {"required": required} if required else {}
    return schema | needed | ({"allOf": choices} if choices else {})


@lru_cache
def _names(cls: type) -> Mapping[str, str]:
    """Name of a parameter by all names that it has."""
    return {name: entry.name for entry in declared(cls) for name in (entry.name, *entry.aliases)}


def build(cls: type[_T], values: Mapping[str, Any], place: str) -> _T:
    """Make an instance from plain values, as they stand in a config.

    Parameters
    ----------
    cls : type
        A class made with `parameters`.
    values : mapping of str to plain value
        Names or aliases of parameters, with their values.
    place : str
        Where the values stand, put before the name of a parameter in an error message, for
        instance ``"detection.AP: "`` or ``"config.yaml: metrics[2]."``.

    Raises
    ------
    ParameterError
        If a name is unknown, missing or given twice, or a value does not fit.

    Examples
    --------
    >>> build(_Example, {"thresholds": [0.5, 1]}, "")
    _Example(thresholds=(0.5, 1.0), mode='a')
    >>> build(_Example, {"tresholds": [0.5]}, "metrics[0].")
    Traceback (most recent call last):
        ...
    valor_core.errors.ParameterError: metrics[0].tresholds: unknown key
    Did you mean 'thresholds'?
    """
    try:
        return cls(**_given(cls, values))
    except ParameterError as error:
        raise error.at(place) from None


def _given(cls: type, values: Mapping[str, Any]) -> dict[str, Any]:
    """The values by the names of their parameters."""
    names = _names(cls)
    given: dict[str, Any] = {}
    for name, value in values.items():
        if name not in names:
            instead = [one.instead[name] for one in declared(cls) if name in one.instead]
            keys = f"Known keys: {', '.join(names)}." if names else "It takes no parameters."
            remedy = next(iter(instead), None) or did_you_mean(str(name), names) or keys
            raise ParameterError(f"{name}: unknown key", remedy)
        target = names[name]
        if target in given:
            raise ParameterError(f"{name}: given twice, also by another of its names")
        given[target] = value
    for parameter in declared(cls):
        if parameter.name not in given and parameter.required:
            raise ParameterError(
                f"{parameter.name}: expected a {parameter.kind.words}, found none",
                parameter.what_to_write,
            )
    return given


def parameter_values(instance: Any) -> Json:
    """The values of a parameter instance as JSON types, the way a report records them.

    Examples
    --------
    >>> parameter_values(_Example(thresholds=(0.5,)))
    {'thresholds': [0.5], 'mode': 'a'}
    """
    return {
        field.name: plain_value(getattr(instance, field.name))
        for field in attrs.fields(type(instance))
    }


def changed_parameters(instance: Any, *spread: str) -> Json:
    """The values that are not at their defaults, the way that a metric's results record them.

    Parameters
    ----------
    instance : object
        A metric's parameters.
    *spread : str
        Parameters with one result for each of several values: a result names its own value.

    Examples
    --------
    >>> changed_parameters(_Example(thresholds=(0.5,), mode="b"), "thresholds")
    {'mode': 'b'}
    """
    cls: type = type(instance)
    return {
        own.name: plain_value(value)
        for own in declared(cls)
        if own.name not in spread and (value := getattr(instance, own.name)) != own.default
    }


def relocate(instance: _T, place: Callable[[Path], Path]) -> _T:
    """The same parameters with every path put through a function.

    Examples
    --------
    >>> @parameters
    ... class Input:
    ...     path: Path = parameter(help="File to read.")
    >>> relocate(Input(path="a.csv"), lambda path: Path("data") / path).path.as_posix()
    'data/a.csv'
    """
    cls: type = type(instance)
    names = [parameter.name for parameter in declared(cls) if parameter.kind.has_paths]
    if not names:
        return instance
    moved = {name: _relocated(getattr(instance, name), place) for name in names}
    return attrs.evolve(instance, **moved)  # type: ignore[misc]


def _relocated(value: Any, place: Callable[[Path], Path]) -> Any:
    if isinstance(value, Path):
        return place(value)
    if isinstance(value, tuple):
        return tuple(_relocated(item, place) for item in value)
    if isinstance(value, Mapping):
        return {key: _relocated(item, place) for key, item in value.items()}
    return relocate(value, place) if _are_parameters(type(value)) else value


def _are_parameters(cls: type) -> bool:
    """Whether a class is made with `parameters`."""
    return attrs.has(cls) and all("valor" in field.metadata for field in attrs.fields(cls))


def _checked(cls: type, fields: list[attrs.Attribute[Any]]) -> list[attrs.Attribute[Any]]:
    """Give every field a converter that enforces its annotation and its check."""
    hints = typing.get_type_hints(cls, include_extras=True)
    checked = []
    for field in fields:
        if "valor" not in field.metadata:
            raise ManifestError(
                f"{cls.__name__}: {field.name} must be declared with parameter(…)",
                f'Write it as: {field.name}: … = parameter(default=…, help="…")',
            )
        annotation = hints[field.name]
        try:
            kind = kind_of(annotation)
        except TypeError:
            raise ManifestError(
                f"{cls.__name__}: {field.name} has an annotation that configs cannot fill, "
                f"{shown(annotation)}",
                "Use bool, int, float, str, Literal, Path, tuple[X, ...], Mapping[str, X] or "
                "X | None.",
            ) from None
        made = attrs.evolve(field.metadata["valor"], name=field.name, kind=kind)
        converter = made.converter(cls.__name__)
        checked.append(field.evolve(converter=converter, metadata={"valor": made}))
    return checked


def _numbers(value: Any) -> Iterator[float]:
    """The numbers in a value, however deep in lists and tables."""
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        yield value
    elif isinstance(value, (tuple, Mapping)):
        for item in value.values() if isinstance(value, Mapping) else value:
            yield from _numbers(item)


_PLAIN = frozenset({str, int, float, bool, type(None)})


def plain_value(value: Any) -> Any:
    """The value of one parameter as JSON types."""
    if type(value) in _PLAIN:
        return value
    if isinstance(value, FromEnvironment):
        return value.reference
    if attrs.has(type(value)):
        return parameter_values(value) if _are_parameters(type(value)) else str(value)
    if isinstance(value, Mapping):
        return {key: plain_value(item) for key, item in value.items()}
    if isinstance(value, tuple):
        return [plain_value(item) for item in value]
    return value.as_posix() if isinstance(value, PurePath) else value


@parameters
class _Example:
    thresholds: tuple[float, ...] = parameter(help="Thresholds.", check=Within(0, 1))
    mode: Literal["a", "b"] = parameter(default="a", help="Mode.")


@parameters
class NoParameters:
    """Parameters of a metric that has none."""
