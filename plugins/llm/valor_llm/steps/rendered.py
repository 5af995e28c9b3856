"""Rendered data: what a judge is asked about, as a prompt shows it."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any


def rendered(data: Mapping[str, Any]) -> str:
    """Data as JSON in one line, in which nothing is a mark of a chat template.

    Parameters
    ----------
    data : mapping of str to str or sequence of str
        The data by field; the texts of a sequence are numbered from 1.

    Examples
    --------
    >>> rendered({"response": "It rains.", "claims": ["It rains."]})
    '{"response": "It rains.", "claims": [{"id": 1, "text": "It rains."}]}'
    """
    told = {name: _numbered(value) for name, value in data.items()}
    text = json.dumps(told, ensure_ascii=False)
    return _MARKS.sub(lambda match: f"\\u{ord(match[0]):04x}", text)


_MARKS = re.compile(
    "[\x7f-\x9f\u2028\u2029\ufeff\ud800-\udfff]"  # ends of lines, and halves of characters
    r"|<(?=[|\uff5c]|/?s>|(?:start|end)_of_turn>)|\[(?=/?INST\])"
)
"""What is escaped besides what JSON escapes: servers may read these as the end of a message."""


def _numbered(value: Any) -> Any:
    if isinstance(value, str):
        return value
    return [{"id": number, "text": text} for number, text in enumerate(value, 1)]
