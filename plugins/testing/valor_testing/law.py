"""Laws: checks whose failures name the component and the law."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import wraps
from typing import Any, Concatenate, ParamSpec, Protocol, TypeVar

from valor_testing.difference import difference
from valor_testing.subject import Refusal


class ConformanceError(AssertionError):
    """Broken law of a metric, reader, resource or manifest.

    Parameters
    ----------
    of : str
        Name of the component, or the plugin's namespace.
    law : str
        Name of the law.
    finding : str
        Difference between the expected and the actual value, with its path.
    others : sequence of ConformanceError, optional
        Further broken laws.

    Examples
    --------
    >>> print(ConformanceError("mylab.Mean", "any split", "[0].value is 1.0 here and 2.0 there"))
    mylab.Mean breaks the law 'any split': [0].value is 1.0 here and 2.0 there
    """

    def __init__(
        self, of: str, law: str, finding: str, others: Sequence[ConformanceError] = ()
    ) -> None:
        super().__init__(of, law, finding, others)
        self.of, self.law, self.finding, self.others = of, law, finding, others

    def __str__(self) -> str:
        first = f"{self.of} breaks the law {self.law!r}: {self.finding}"
        return "\n".join([first, *map(str, self.others)])


class Breach(Exception):
    """Finding of a law, which the decorator `law` converts to a `ConformanceError`."""


class _Named(Protocol):
    @property
    def name(self) -> str: ...


_N = TypeVar("_N", bound=_Named)
_P = ParamSpec("_P")


def name_of(law: Callable[..., None]) -> str:
    """Return the name of a law in words.

    Examples
    --------
    >>> def any_split(subject): ...
    >>> name_of(any_split)
    'any split'
    """
    return law.__name__.replace("_", " ")


def law(check: Callable[Concatenate[_N, _P], None]) -> Callable[Concatenate[_N, _P], None]:
    """Decorate a check: its findings and its unexpected errors become `ConformanceError`."""

    @wraps(check)
    def checked(subject: _N, /, *args: _P.args, **kwargs: _P.kwargs) -> None:
        try:
            check(subject, *args, **kwargs)
        except Breach as breach:
            raise ConformanceError(subject.name, name_of(check), str(breach)) from breach.__cause__
        except Refusal:
            raise
        except Exception as error:
            finding = f"{type(error).__name__}: {error}"
            raise ConformanceError(subject.name, name_of(check), finding) from error

    return checked


def run_all(checks: Iterable[Callable[[], None]]) -> None:
    """Run all checks and raise one `ConformanceError` that lists every broken law.

    Examples
    --------
    >>> def check():
    ...     raise ConformanceError("mylab.Mean", "any split", "it is 1.0 here and 2.0 there")
    >>> run_all([check])
    Traceback (most recent call last):
    ...
    valor_testing.law.ConformanceError: mylab.Mean breaks the law 'any split': ...
    """
    broken: list[ConformanceError] = []
    for check in checks:
        try:
            check()
        except ConformanceError as error:
            if str(error) not in map(str, broken):
                broken.append(error)
    if broken:
        first, *others = broken
        raise ConformanceError(first.of, first.law, first.finding, others) from first.__cause__


def agree(one: Any, other: Any, is_one: str, is_other: str) -> None:
    """Raise a `Breach` unless two values are identical; `is_one` and `is_other` name them."""
    found = difference(one, other)
    if found is not None:
        raise Breach(found.described(is_one, is_other))
