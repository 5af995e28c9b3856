from valor_core.schemas.text.batch import Text, TextBatch

__all__ = [
    "Text",
    "TextBatch",
]
