from valor_core.schemas.text.batch import TEXT_FIELDS, Text, TextBatch, as_text
from valor_core.schemas.text.pairs import are_texts, noted_lists, printed_lists, text_tuples

__all__ = [
    "TEXT_FIELDS",
    "Text",
    "TextBatch",
    "are_texts",
    "as_text",
    "noted_lists",
    "printed_lists",
    "text_tuples",
]
