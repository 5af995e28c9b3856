from __future__ import annotations

import pickle
from collections.abc import Callable

import pytest
from attrs import frozen
from valor_testing.law import Breach, ConformanceError, agree, law, name_of
from valor_testing.subject import Refusal


@frozen
class Named:
    name: str = "mylab.Mean"


@law
def numbers_agree(subject: Named, one: float, other: float) -> None:
    """Law that two numbers are equal."""
    agree(one, other, "here", "there")


@law
def fails(subject: Named, error: Callable[[], Exception]) -> None:
    """Law that raises the given error."""
    raise error()


def test_law_is_named_after_its_function() -> None:
    assert name_of(numbers_agree) == "numbers agree"
    assert numbers_agree.__doc__ == "Law that two numbers are equal."


def test_kept_law_raises_nothing() -> None:
    numbers_agree(Named(), 1.0, other=1.0)


def test_error_names_component_law_and_difference() -> None:
    with pytest.raises(ConformanceError) as caught:
        numbers_agree(Named(), 1.0, other=2.0)

    error = caught.value
    assert (error.of, error.law) == ("mylab.Mean", "numbers agree")
    assert str(error) == "mylab.Mean breaks the law 'numbers agree': it is 1.0 here and 2.0 there"
    assert str(pickle.loads(pickle.dumps(error))) == str(error)


def test_unexpected_error_breaks_law() -> None:
    with pytest.raises(ConformanceError, match="KeyError: 'missing'") as caught:
        fails(Named(), lambda: KeyError("missing"))

    assert isinstance(caught.value.__cause__, KeyError)


def test_breach_keeps_its_message() -> None:
    with pytest.raises(ConformanceError, match=r"mylab\.Mean breaks the law 'fails'"):
        fails(Named(), lambda: Breach("it is late"))


def test_rejected_data_break_no_law() -> None:
    with pytest.raises(Refusal):
        fails(Named(), lambda: Refusal("items: expected others"))
