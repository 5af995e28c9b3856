"""Scalar keys: the numbers of a report under keys that all metric stores accept."""

from __future__ import annotations

import json
import re
from collections import Counter
from hashlib import blake2b

from valor_core.results.results import Results

_NEGATIVE = re.compile(r"(?<![^:/ ])-(?=[0-9])")
_OTHER = re.compile(r"[^A-Za-z0-9_]")
_UNDERSCORES = re.compile("_{2,}")
_MOST = 250
"""Longest key that MLflow accepts."""


def scalars(found: Results, prefix: str = "") -> dict[str, float]:
    """Return all defined numbers under keys that DVC, MLflow, W&B and TensorBoard accept.

    A key has the parts of the short key of `Report.flat`, joined by two underscores. It consists of
    ASCII letters, digits and underscores: a space, period, colon or hyphen becomes an underscore,
    and another character its code, as in XML names. Keys that would be equal, also without regard
    to case, and keys of more than 250 characters end with a hash of the short key.

    Parameters
    ----------
    found : Report or Results
        Results to list.
    prefix : str
        Beginning of every key, unchanged, such as ``"val/"``.

    Examples
    --------
    >>> from valor_core import Result
    >>> at = {"label": "hot dog", "iou_threshold": 0.5}
    >>> results = [Result(type="AP", parameters=at | {"iou_threshold": t}, value=t)
    ...     for t in (0.5, 0.75)]
    >>> scalars(Results(results), "val/")
    {'val/AP__hot_dog__iou_threshold_0_5': 0.5, 'val/AP__hot_dog__iou_threshold_0_75': 0.75}
    """
    numbers = found.flat(short=True)
    keys = {short: _spelled(short) for short in numbers}
    # File systems that ignore case would write "cat" and "Cat" to one file.
    counts = Counter(key.casefold() for key in keys.values())
    most = _MOST - len(prefix)
    return {
        prefix + _fitted(keys[short], short, counts[keys[short].casefold()] > 1, most): number
        for short, number in numbers.items()
    }


def scalars_json(found: Results) -> str:
    r"""Format the scalars as a JSON object with a number per line.

    Examples
    --------
    >>> from valor_core import Result
    >>> scalars_json(Results([Result(type="F1", parameters={"average": "macro"}, value=0.5)]))
    '{\n "F1__macro": 0.5\n}\n'
    """
    return json.dumps(scalars(found), indent=1, allow_nan=False) + "\n"


def _spelled(short: str) -> str:
    metric, slash, parts = short.partition("/")
    # A space separates the metric from its slice.
    words = _NEGATIVE.sub("minus_", metric.replace(" ", "/", 1) + slash + parts).split("/")
    return "__".join(_UNDERSCORES.sub("_", _OTHER.sub(_code, word)).strip("_") for word in words)


def _code(found: re.Match[str]) -> str:
    return "_" if found[0].isascii() else f"_x{ord(found[0]):04X}_"


def _fitted(key: str, short: str, is_shared: bool, most: int) -> str:
    if not is_shared and len(key) <= most:
        return key
    ending = f"__{blake2b(short.encode(), digest_size=4).hexdigest()}"
    return key[: max(1, most - len(ending))] + ending
