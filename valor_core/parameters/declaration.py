"""Parameter classes: names, types, defaults, ranges and help, declared once.

Creating an instance validates the values. Configs, ``valor show``, the docs, the JSON Schema and
the parameters in a report all use the same declaration.
"""

from __future__ import annotations

import inspect
import types
import typing
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from pathlib import Path, PurePath
from typing import Annotated, Any, Literal, TypeVar, dataclass_transform

import attrs
from attrs import frozen

from valor_core.errors import ManifestError, ParameterError, ValorError, did_you_mean, short_repr
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
    built_in,
)

_T = TypeVar("_T")
Json = dict[str, Any]


@frozen
class Parameter:
    """Declaration of one field of a parameter class.

    Created by `parameter`; `parameters` adds the name and the kind of the annotation.
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
        """True if the parameter has no default."""
        return self.default is attrs.NOTHING

    @property
    def what_to_write(self) -> str | None:
        """Remedy for a missing or empty value: the meaning of the parameter.

        Examples
        --------
        >>> [parameter.what_to_write for parameter in parameters_of(_Example)]
        ['Write thresholds: thresholds', 'Omit mode, or set a value.']
        """
        if not self.required:
            return f"Omit {self.name}, or set a value."
        sentence = self.help.partition(". ")[0].rstrip(".")
        word = sentence.partition(" ")[0]
        means = (word.lower() if word == word.capitalize() else word) + sentence[len(word) :]
        return f"Write {self.name}: {means}" if means else None

    @property
    def range(self) -> str:
        """Range in words, empty if any value of the type is valid."""
        bounds = self.check.expectation if self.check else ""
        parts = [bounds.removeprefix("lie ").removeprefix("be "), "not empty" * self.non_empty]
        return ", ".join(part for part in parts if part)

    def converter(self, owner: str) -> Callable[[Any], Any]:
        """Return a function that converts a value to the annotated type and validates it."""
        is_limited = self.non_empty or self.distinct or self.check is not None
        valid_default: list[Any] = []  # the converted default, after its first use

        def convert(value: Any) -> Any:
            if valid_default and value is self.default:
                return valid_default[0]
            try:
                converted = self.kind.fit(built_in(value, self.name), self.name)
                if is_limited and converted is not None:
                    self._examine(converted)
            except ParameterError as error:
                names = value if isinstance(value, (list, tuple)) else [value]
                named = [self.instead[word] for word in self.instead if word in names]
                remedy = next(iter(named), error.remedy)
                raise ParameterError(error.message, remedy, f"{owner}: ") from None
            except ValorError as error:
                raise error.at(f"{owner}: ") from error.__cause__
            # A dictionary could be changed by the owner of one instance.
            if value is self.default and not isinstance(converted, dict):
                valid_default.append(converted)
            return converted

        convert.__signature__ = _CONVERTER  # type: ignore[attr-defined]  # attrs need not inspect it
        return convert

    def _examine(self, value: Any) -> None:
        if isinstance(value, Path):  # the reader reads the list from this file
            return
        if self.non_empty and len(value) == 0:
            raise ParameterError(f"{self.name} must not be empty", self.what_to_write)
        if self.distinct and len(set(value)) < len(value):
            raise ParameterError(f"{self.name} must not repeat a value, got {short_repr([*value])}")
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
    """Declare one parameter of a class decorated with `parameters`.

    Parameters
    ----------
    default : optional
        Default value. A parameter without a default is required.
    help : str
        Meaning, as printed by the docs and ``valor show``.
    check : Within, optional
        Range of the number, or of every number in a list.
    non_empty : bool
        Whether to reject an empty list or string.
    distinct : bool
        Whether to reject a list with duplicates.
    aliases : sequence of str
        Other names accepted in configs and documented-style calls.
    instead : mapping of str to str, optional
        Remedies for values and keys used by other programs.
    """
    entry = Parameter(default, help, check, non_empty, distinct, tuple(aliases), instead or {})
    return attrs.field(default=default, metadata={"valor": entry})


@dataclass_transform(frozen_default=True, kw_only_default=True, field_specifiers=(parameter,))
def parameters(cls: type[_T]) -> type[_T]:
    """Decorate a class as frozen and keyword-only, with fields validated by their annotations.

    Supported annotations: ``bool``, ``int``, ``float``, ``str``, ``Literal``, ``X | None``,
    ``tuple[X, ...]`` (a bare value becomes a list of one), ``Mapping[str, X]``, ``Any``,
    ``pathlib.Path``, other parameter classes, and ``Annotated[X, kind]`` with a custom `Kind`.

    Raises
    ------
    ManifestError
        If a field is not declared with `parameter`, or its annotation is not supported.
    ParameterError
        When an instance is created with a wrong type or a value out of range.

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
    for method in (_Methods.__eq__, _Methods.__hash__, _Methods.__repr__):
        if method.__name__ not in vars(cls):
            setattr(cls, method.__name__, method)
    return attrs.frozen(cls, kw_only=True, eq=False, repr=False, field_transformer=_checked)


class _Methods:
    """Methods of all parameter classes. attrs would compile them for each, in 0.5 ms."""

    def __eq__(self, other: object) -> Any:
        cls: Any = self.__class__
        fields = attrs.fields(cls)
        if other.__class__ is not self.__class__:
            return NotImplemented
        return all(getattr(self, field.name) == getattr(other, field.name) for field in fields)

    def __hash__(self) -> int:
        cls: Any = self.__class__
        return hash((cls, *[getattr(self, field.name) for field in attrs.fields(cls)]))

    def __repr__(self) -> str:
        cls: Any = self.__class__
        values = [f"{field.name}={getattr(self, field.name)!r}" for field in attrs.fields(cls)]
        return f"{cls.__qualname__.rpartition('>.')[2]}({', '.join(values)})"


@lru_cache
def parameters_of(cls: type) -> tuple[Parameter, ...]:
    """Return the parameters of a class in the order of declaration.

    Examples
    --------
    >>> [parameter.kind.words for parameter in parameters_of(_Example)]
    ['list of number', "'a' or 'b'"]
    """
    return tuple([field.metadata["valor"] for field in attrs.fields(cls)])


def kind_of(annotation: Any) -> Kind:
    """Return the kind of an annotation.

    Raises
    ------
    TypeError
        If the annotation is not supported.

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
        has_paths = any(entry.kind.has_paths for entry in parameters_of(annotation))
        return _ClassKind("table", has_paths, annotation)
    raise TypeError(f"no kind of parameter: {short_repr(annotation)}")


@frozen
class _ClassKind(Kind):
    made: type = object

    def fit(self, value: Any, name: str) -> Any:
        if isinstance(value, self.made):
            return value
        if not isinstance(value, Mapping):
            raise self.refused(value, name)
        try:
            return parameters_from(self.made, value, f"{name}.")
        except ParameterError as error:
            raise ParameterError(error.message, error.remedy) from None

    def schema(self, check: Within | None = None) -> JsonSchema:
        return json_schema(self.made)


def json_schema(cls: type) -> JsonSchema:
    """Return the JSON Schema of a parameter class, used by editors to complete config files.

    Examples
    --------
    >>> json_schema(_Example)["properties"]["mode"]
    {'enum': ['a', 'b'], 'description': 'Mode.', 'default': 'a'}
    """
    properties: JsonSchema = {}
    required: list[str] = []
    choices: list[JsonSchema] = []
    for parameter in parameters_of(cls):
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
    """Return the name of each parameter by name and alias."""
    return {
        name: entry.name for entry in parameters_of(cls) for name in (entry.name, *entry.aliases)
    }


def parameters_from(cls: type[_T], values: Mapping[str, Any], place: str) -> _T:
    """Create an instance from the values of a config.

    Parameters
    ----------
    cls : type
        Class decorated with `parameters`.
    values : mapping of str to plain value
        Values by name or alias of the parameter.
    place : str
        Location of the values, which precedes the parameter's name in error messages, for example
        ``"detection.AP: "`` or ``"config.yaml: metrics[2]."``.

    Raises
    ------
    ParameterError
        If a name is unknown, missing or duplicated, or a value is invalid.

    Examples
    --------
    >>> parameters_from(_Example, {"thresholds": [0.5, 1]}, "")
    _Example(thresholds=(0.5, 1.0), mode='a')
    >>> parameters_from(_Example, {"tresholds": [0.5]}, "metrics[0].")
    Traceback (most recent call last):
        ...
    valor_core.errors.ParameterError: metrics[0].tresholds: unknown key
    Did you mean 'thresholds'?
    """
    try:
        return cls(**_by_name(cls, values))
    except ParameterError as error:
        raise error.at(place) from None


def _by_name(cls: type, values: Mapping[str, Any]) -> dict[str, Any]:
    """Return the values by parameter name, after resolving aliases."""
    names = _names(cls)
    chosen: dict[str, Any] = {}
    for name, value in values.items():
        if name not in names:
            instead = [one.instead[name] for one in parameters_of(cls) if name in one.instead]
            keys = f"Known keys: {', '.join(names)}." if names else "It has no parameters."
            remedy = next(iter(instead), None) or did_you_mean(str(name), names) or keys
            raise ParameterError(f"{name}: unknown key", remedy)
        target = names[name]
        if target in chosen:
            raise ParameterError(f"{name}: expected one value, found another under an alias")
        chosen[target] = value
    for parameter in parameters_of(cls):
        if parameter.name not in chosen and parameter.required:
            raise ParameterError(
                f"{parameter.name}: expected a {parameter.kind.words}, found none",
                parameter.what_to_write,
            )
    return chosen


def parameter_values(instance: Any) -> Json:
    """Return the values of a parameter instance as JSON values for a report.

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
    """Return the values that differ from the defaults, as recorded with a metric's results.

    Parameters
    ----------
    instance : object
        Parameters of a metric.
    *spread : str
        Parameters with one result per value, which record their own value.

    Examples
    --------
    >>> changed_parameters(_Example(thresholds=(0.5,), mode="b"), "thresholds")
    {'mode': 'b'}
    """
    cls: type = type(instance)
    return {
        entry.name: plain_value(value)
        for entry in parameters_of(cls)
        if entry.name not in spread and (value := getattr(instance, entry.name)) != entry.default
    }


def relocate(instance: _T, place: Callable[[Path], Path]) -> _T:
    """Return the parameters with a function applied to every path.

    Examples
    --------
    >>> @parameters
    ... class Input:
    ...     path: Path = parameter(help="File to read.")
    >>> relocate(Input(path="a.csv"), lambda path: Path("data") / path).path.as_posix()
    'data/a.csv'
    """
    cls: type = type(instance)
    names = [parameter.name for parameter in parameters_of(cls) if parameter.kind.has_paths]
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
    """Return whether a class is decorated with `parameters`."""
    return attrs.has(cls) and all("valor" in field.metadata for field in attrs.fields(cls))


def _checked(cls: type, fields: list[attrs.Attribute[Any]]) -> list[attrs.Attribute[Any]]:
    """Add a converter to every field that enforces its annotation and its check."""
    checked = []
    for field in fields:
        if "valor" not in field.metadata:
            raise ManifestError(
                f"{cls.__name__}: {field.name} must be declared with parameter(…)",
                f'Write it as: {field.name}: … = parameter(default=…, help="…")',
            )
        declaration = field.metadata["valor"]
        if not field.inherited:  # type: ignore[attr-defined]  # missing in attrs' stubs
            kind = _kind_of_field(cls, field.name, field.type)
            declaration = attrs.evolve(declaration, name=field.name, kind=kind)
        converter = declaration.converter(cls.__name__)
        checked.append(field.evolve(converter=converter, metadata={"valor": declaration}))
    return checked


def _kind_of_field(cls: type, name: str, annotation: Any) -> Kind:
    if isinstance(annotation, str):
        # Names of a notebook can change their meaning, so its annotations are not cached.
        evaluate = _evaluated.__wrapped__ if cls.__module__ == "__main__" else _evaluated
        annotation = evaluate(cls.__module__, annotation)
    try:
        return kind_of(annotation)
    except TypeError:
        raise ManifestError(
            f"{cls.__name__}: {name} has an unsupported annotation, {short_repr(annotation)}",
            "Use bool, int, float, str, Literal, Path, tuple[X, ...], Mapping[str, X] or X | None.",
        ) from None


@lru_cache
def _evaluated(module: str, annotation: str) -> Any:
    """Evaluate an annotation once per module: fields of many classes have the same one."""
    holder = type("", (), {"__module__": module, "__annotations__": {"field": annotation}})
    return typing.get_type_hints(holder, include_extras=True)["field"]


def _numbers(value: Any) -> Iterator[float]:
    """Yield the numbers in a value, including nested lists and tables."""
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        yield value
    elif isinstance(value, (tuple, Mapping)):
        for item in value.values() if isinstance(value, Mapping) else value:
            yield from _numbers(item)


_CONVERTER = inspect.Signature()
_SCALAR_TYPES = frozenset({str, int, float, bool, type(None)})


def plain_value(value: Any) -> Any:
    """Return the value of one parameter as JSON values."""
    if type(value) in _SCALAR_TYPES:
        return value
    if isinstance(value, FromEnvironment):
        return value.reference
    if attrs.has(type(value)):
        return parameter_values(value) if _are_parameters(type(value)) else str(value)
    if isinstance(value, Mapping):
        return {key: plain_value(item) for key, item in value.items()}
    if isinstance(value, tuple):
        return [item if type(item) in _SCALAR_TYPES else plain_value(item) for item in value]
    return value.as_posix() if isinstance(value, PurePath) else value


@parameters
class _Example:
    thresholds: tuple[float, ...] = parameter(help="Thresholds.", check=Within(0, 1))
    mode: Literal["a", "b"] = parameter(default="a", help="Mode.")


@parameters
class NoParameters:
    """Parameter class without parameters."""
