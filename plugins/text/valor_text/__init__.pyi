from valor_text.evaluate_text import evaluate_text_generation

__all__ = [
    "evaluate_text_generation",
]
