"""Text comparison metrics for Valor.

The metrics are chosen by name through `valor_core`; `evaluate_text_generation` is the one-call
function in the style of the metrics documentation.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from valor_core.plugin import published_later

if TYPE_CHECKING:
    from valor_text.evaluate_text import evaluate_text_generation

__all__ = ["evaluate_text_generation"]

if not TYPE_CHECKING:  # which would take any name for one of this module
    __getattr__, __dir__ = published_later(
        __name__,
        {"evaluate_text": ["evaluate_text_generation"]},
        {
            "EvaluationParameters": "Pass its values as arguments: "
            'evaluate_text_generation(predictions, ["BLEU"], groundtruths, bleu_weights=[1])'
        },
    )
