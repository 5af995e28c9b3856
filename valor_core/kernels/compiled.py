"""Compiled kernels: load the shared library of a family, or fall back to NumPy.

The inner loops of a family are C functions over flat arrays. The build compiles them into a library
in the package if a compiler is available; otherwise NumPy functions with the same names and
bit-identical results run. Calls release the GIL. The library uses nothing of Python, so one build
serves every Python.
"""

from __future__ import annotations

import ctypes
import os
import sys
import warnings
from collections.abc import Callable, Iterable, Sequence
from functools import cache
from importlib import import_module
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType
from typing import Any, ClassVar
from zlib import crc32

import numpy as np
from attrs import field, frozen

from valor_core.errors import ValorWarning, short_repr
from valor_core.packages import install

VARIABLE = "VALOR_KERNELS"
"""Environment variable; the value ``reference`` disables the compiled kernels."""

_SUFFIX = ".dll" if sys.platform == "win32" else ".so"


@frozen(repr=False)
class Kernels:
    """Implementation of a family's inner loops.

    Parameters
    ----------
    module : str
        Module name of the library, ``"valor_detection._kernels"``.
    library : ctypes.CDLL or None
        Library, or None to use NumPy.
    reason : str
        Why NumPy is used; empty for the library.
    """

    module: str
    library: ctypes.CDLL | None = field(eq=False, repr=False)
    reason: str = ""
    _layouts: dict[str, tuple[Any, dict[str, Any]]] = field(factory=dict, init=False, eq=False)

    @property
    def path(self) -> str:
        """``compiled`` or ``NumPy``."""
        return "NumPy" if self.library is None else "compiled"

    def chooser(self, package: str, *modules: str) -> Callable[[str], ModuleType]:
        """Return the ``__getattr__`` of a package that imports one of two implementations.

        A module is imported at its first use, from ``compiled`` or from ``reference``.

        Parameters
        ----------
        package : str
            Name of the package.
        *modules : str
            Modules that both of its subpackages have.
        """
        folder = "reference" if self.library is None else "compiled"

        def attribute(name: str) -> ModuleType:
            if name not in modules:
                raise AttributeError(f"module {package!r} has no attribute {name!r}")
            found = import_module(f"{package}.{folder}.{name}")
            setattr(sys.modules[package], name, found)
            return found

        return attribute

    def function(self, name: str, optional: Sequence[str] = ()) -> Callable[..., Any]:
        """Return a function of the library that validates its arguments.

        The types come from the prototype that the macro ``EXPORT`` of ``export.h`` stores in the
        library. Arrays must be contiguous and have exactly the type of the prototype; arrays of
        bool are valid for ``uint8_t``.

        Parameters
        ----------
        name : str
            Name in C.
        optional : sequence of str
            Arrays that may be None, as a null pointer.
        """
        result, _, text = self._text(f"{name}_prototype").partition("|")
        parameters = [] if text == "void" else [_declared(each) for each in text.split(",")]
        kinds = [_kind(declaration, name in optional) for name, declaration in parameters]
        function = getattr(self.library, name)
        function.restype = _NUMBERS[result.split()[-1]]
        function.argtypes = [ctypes_type for ctypes_type, _ in kinds]
        declared = [kind for _, kind in kinds]

        def call(*values: Any) -> Any:
            # `used` keeps copies of unaligned arrays alive until the function returns.
            used = list(values)
            return function(*addresses(declared, used))

        return call

    def struct(self, name: str, **values: Any) -> ctypes.Structure:
        """Return a struct for a parameter of a function; it keeps the arrays alive.

        Parameters
        ----------
        name : str
            Name in C, in the macro ``STRUCT`` of ``export.h``.
        **values : object
            Value of each member; arrays are validated like arguments, or None for a null pointer.
        """
        layout, kinds = self._layouts.get(name) or self._layout(name)
        if kinds.keys() != values.keys():
            expected, found = ", ".join(kinds), ", ".join(values)
            raise TypeError(f"{name}: expected members {expected}, got {found}")
        used = [values[member] for member in kinds]
        struct: ctypes.Structure = layout(*addresses(kinds.values(), used))
        struct._values = used
        return struct

    def constant(self, name: str) -> int:
        """Return a constant of the library, from the macro ``CONSTANT`` of ``export.h``."""
        return ctypes.c_int64.in_dll(self._loaded, name).value

    def _layout(self, name: str) -> tuple[Any, dict[str, Any]]:
        """Return the class of a struct, made from its members in C, and their types."""
        text = self._text(f"{name}_members").strip().rstrip(";")
        declared = [_declared(each) for each in text.split(";")]
        kinds = {member: _kind(declaration, True) for member, declaration in declared}
        fields = [(member, ctypes_type) for member, (ctypes_type, _) in kinds.items()]
        layout = type(name, (ctypes.Structure,), {"_fields_": fields})
        self._layouts[name] = layout, {member: kind for member, (_, kind) in kinds.items()}
        return self._layouts[name]

    def _text(self, name: str) -> str:
        first = ctypes.c_char.in_dll(self._loaded, name)
        return ctypes.string_at(ctypes.addressof(first)).decode()

    @property
    def _loaded(self) -> ctypes.CDLL:
        if self.library is None:
            raise ValueError(f"{self.module}: {self.reason}")
        return self.library


def load_kernels(module: str) -> Kernels:
    """Load the compiled kernels of a family.

    The library is a file in the package: ``_kernels.so``, or ``_kernels.dll`` on Windows. A library
    older than its sources is ignored with a warning: its function ``valor_kernels_sources`` returns
    their checksum at build time. Wheels have no sources, so the check is skipped.

    Parameters
    ----------
    module : str
        Package and name of the library. The sources are in the folder ``kernels`` next to it.

    Examples
    --------
    >>> load_kernels("valor_core._absent").path
    'NumPy'
    """
    choice = os.environ.get(VARIABLE, "").lower()
    if choice in ("numpy", "reference"):
        return Kernels(module, None, f"{VARIABLE}={choice} is set")
    package, _, name = module.rpartition(".")
    spec = find_spec(package)
    remedy = f"reinstall {package.replace('_', '-')} where a C compiler is found"
    path = Path(str(spec and spec.origin)).with_name(name + _SUFFIX)
    if not path.exists():
        return Kernels(module, None, f"not built: {remedy}")
    try:
        library = ctypes.CDLL(str(path))
    except OSError as error:
        return Kernels(module, None, f"cannot be loaded ({error}): {remedy}")
    sources = sorted((path.parent / "kernels").glob("*.[ch]"))
    built = _built_from(library)
    if sources and built != checksum(sources):
        return _stale(module, path.parents[1])
    if built is None:
        return Kernels(module, None, f"has no function valor_kernels_sources: {remedy}")
    return Kernels(module, library)


def checksum(sources: Sequence[Path]) -> int:
    """Return the checksum of C sources, as computed by the builds of the families.

    Parameters
    ----------
    sources : sequence of Path
        Files, sorted by name.
    """
    found = 0
    for path in sources:
        found = crc32(path.name.encode() + path.read_bytes(), found)
    return found


def _built_from(library: ctypes.CDLL) -> int | None:
    """Return the checksum of a library's sources at build time, or None if it has none."""
    try:
        function = library.valor_kernels_sources
    except AttributeError:
        return None
    function.restype = ctypes.c_uint32
    result: int = function()
    return result


def _stale(module: str, project: Path) -> Kernels:
    remedy = f"rebuild it with {install('-e', str(project))}"
    warnings.warn(
        f"{module}: the library is out of date with its C sources, so NumPy runs\n"
        f"{remedy[0].upper()}{remedy[1:]}",
        ValorWarning,
        stacklevel=3,
    )
    return Kernels(module, None, f"out of date with its C sources: {remedy}")


class _Interface(ctypes.Structure):
    """Struct of ``__array_struct__``, read in a third of the time of ``ctypes.data``."""

    _fields_: ClassVar = [
        ("two", ctypes.c_int),
        ("nd", ctypes.c_int),
        ("typekind", ctypes.c_char),
        ("itemsize", ctypes.c_int),
        ("flags", ctypes.c_int),
        ("shape", ctypes.c_void_p),
        ("strides", ctypes.c_void_p),
        ("data", ctypes.c_void_p),
    ]


_pointer = ctypes.pythonapi.PyCapsule_GetPointer
_pointer.restype, _pointer.argtypes = ctypes.c_void_p, [ctypes.py_object, ctypes.c_char_p]
_read_address = ctypes.c_void_p.from_address


def _dtype(given: Any) -> np.dtype[Any] | None:
    # `attrs.converters.optional` would parse the signature of np.dtype, which takes 5 ms.
    return None if given is None else np.dtype(given)


@frozen(repr=False)
class Array:
    """Type of an argument: a contiguous array of exactly one type.

    Parameters
    ----------
    dtype : dtype or None
        Type of the elements; None for any type.
    written : bool
        Whether the kernel writes to it.
    optional : bool
        Whether None is accepted, as a null pointer.
    """

    dtype: np.dtype[Any] | None = field(converter=_dtype)
    written: bool = False
    optional: bool = False


@frozen(repr=False)
class Struct:
    """Type of an argument: a struct.

    Parameters
    ----------
    name : str
        Name in C.
    """

    name: str


def addresses(kinds: Iterable[Array | Struct | None], values: list[Any]) -> list[Any]:
    """Replace arrays and structs by their addresses, and optional arrays by None.

    One loop validates all arguments: a Python call per array would take longer than the checks.
    Converters of `ctypes` would replace an interrupt by an error of their own.

    Parameters
    ----------
    kinds : iterable of Array, Struct or None
        Type of each value; None for a number, which is not changed.
    values : list
        The values. An unaligned array that the kernel only reads is replaced by an aligned copy,
        which the caller must keep alive.

    Raises
    ------
    TypeError
        If an array has another type, is not contiguous or not writable.

    Examples
    --------
    >>> addresses([Array(np.int64)], [np.zeros(3)])
    Traceback (most recent call last):
        ...
    TypeError: array must have data type int64, got float64
    """
    found: list[Any] = []
    for index, (kind, value) in enumerate(zip(kinds, values, strict=True)):
        if kind is None:
            found.append(value)
            continue
        if isinstance(kind, Struct):
            if not isinstance(value, ctypes.Structure) or type(value).__name__ != kind.name:
                raise TypeError(f"expected a struct {kind.name}, got {short_repr(value)}")
            found.append(ctypes.addressof(value))
            continue
        if value is None and kind.optional:
            found.append(None)
            continue
        dtype = None if value is None else value.dtype
        if dtype is None or not (
            dtype == kind.dtype
            or kind.dtype is None
            or (kind.dtype == np.uint8 and dtype == np.bool_)
        ):
            raise TypeError(f"array must have data type {kind.dtype}, got {dtype}")
        flags = value.flags
        if not flags.c_contiguous:
            raise TypeError("array must be contiguous")
        if kind.written and not flags.writeable:
            raise TypeError("array must be writable")
        if not flags.aligned:
            if kind.written:
                raise TypeError("array must be aligned")
            values[index] = value = np.require(value, requirements="A")
        capsule = value.__array_struct__  # frees the struct when it is deleted
        interface = _pointer(capsule, None)
        found.append(_read_address(interface + _Interface.data.offset).value)
    return found


_NUMBERS: dict[str, Any] = {
    "void": None,
    "int": ctypes.c_int,
    "int32_t": ctypes.c_int32,
    "int64_t": ctypes.c_int64,
    "uint8_t": ctypes.c_uint8,
    "uint16_t": ctypes.c_uint16,
    "uint32_t": ctypes.c_uint32,
    "uint64_t": ctypes.c_uint64,
    "float": ctypes.c_float,
    "double": ctypes.c_double,
}
"""Types of numbers by their names in C."""


def _declared(text: str) -> tuple[str, str]:
    """Return the name of a parameter or member in C, and its type."""
    *words, name = text.replace("*", " * ").split()
    return name, " ".join(words)


@cache
def _kind(declaration: str, is_optional: bool) -> tuple[Any, Array | Struct | None]:
    """Return the type of a parameter for `ctypes` and, for pointers, for `addresses`."""
    words = declaration.split()
    stars, is_const = words.count("*"), words[0] == "const"
    number = words[is_const]
    if not stars:
        return _NUMBERS[number], None
    if stars == 2:
        return ctypes.c_void_p, Array(np.uintp)
    if number in _NUMBERS:
        dtype = None if number == "void" else _NUMBERS[number]
        return ctypes.c_void_p, Array(dtype, not is_const, is_optional)
    return ctypes.c_void_p, Struct(number)
