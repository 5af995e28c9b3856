from __future__ import annotations

from pathlib import Path
from typing import Any, Literal

import pytest

from valor_core.parameters.fitting import fitter, is_understood, kind, mentions_path
from valor_core.plugin import ParameterError


def test_the_member_of_a_union_that_fits_is_taken() -> None:
    assert fitter(bool | Path, dict)("rows.jsonl", "items") == Path("rows.jsonl")
    assert fitter(bool | Path, dict)(True, "items") is True


def test_a_union_that_nothing_fits_names_all_members() -> None:
    with pytest.raises(ParameterError, match=r"^items must be true or false or path, got 3$"):
        fitter(bool | Path, dict)(3, "items")


def test_a_choice_is_not_taken_for_another_that_compares_equal() -> None:
    with pytest.raises(ParameterError, match=r"^level must be one of 0, 1, got True$"):
        fitter(Literal[0, 1], dict)(True, "level")


@pytest.mark.parametrize(
    ("annotation", "words"),
    [
        (bool, "true or false"),
        (type(None), "null"),
        (Path, "path"),
        (Literal["a", "b"], "'a' or 'b'"),
        (tuple[tuple[int, ...], ...], "list of list of whole number"),
        (dict[str, str], "table of string"),
        (Any, "value"),
    ],
)
def test_every_annotation_has_words(annotation: Any, words: str) -> None:
    assert is_understood(annotation)
    assert kind(annotation) == words


def test_paths_are_found_however_deep() -> None:
    assert mentions_path(tuple[Path, ...] | None)
    assert not mentions_path(tuple[str, ...] | None)
