"""Tests of the definitions in ``valor show``."""

from __future__ import annotations

from valor_cli.commands.definition import definition

from valor_core.specs import MetricSpec, Range, Registry


def test_definition_has_paragraphs_and_notes() -> None:
    text = definition(Registry().metric("classification.ROCAUC"))

    assert text.startswith("Chance that a random item of the label scores higher")
    assert "Equal to scikit-learn's ``roc_auc_score``" in text
    assert ">>>" not in text
    assert "Parameters" not in text


def test_code_with_import_error_has_no_definition() -> None:
    spec = MetricSpec(
        name="mylab.Gone",
        task="text",
        summary="Gone",
        implementation="no_such_module:gone",
        higher_is_better=None,
        range=Range(),
    )

    assert definition(spec) == ""
