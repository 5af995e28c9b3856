from __future__ import annotations

import pytest

from valor_core.errors import RegistryError


@pytest.mark.parametrize("module", ["valor_core", "valor_text"])
def test_evaluation_parameters_show_the_arguments_to_pass(module: str) -> None:
    with pytest.raises(RegistryError, match="Pass its values"):
        exec(f"from {module} import EvaluationParameters")
