from __future__ import annotations

import re
from collections.abc import Mapping

import pytest
import yaml

from valor_core.errors import ParameterError
from valor_core.parameters.declaration import kind_of


@pytest.mark.parametrize(
    ("word", "message"),
    [
        ("yes", "grades must have strings for keys, got True"),
        ("no", "grades must have strings for keys, got False"),
        ("on", "grades must have strings for keys, got True"),
        ("true", "grades must have strings for keys, got True"),
    ],
)
def test_a_word_that_yaml_takes_for_a_boolean_is_no_key(word: str, message: str) -> None:
    fit = kind_of(Mapping[str, float]).fit
    with pytest.raises(ParameterError, match=re.escape(message)) as caught:
        fit(yaml.safe_load(f"{{{word}: 1}}"), "grades")
    assert caught.value.remedy is not None
    assert fit(yaml.safe_load(f"{{'{word}': 1, 2: 0}}"), "grades") == {word: 1.0, "2": 0.0}
