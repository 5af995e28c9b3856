"""Figure of the page on matching, drawn from the results of the protocols.

``python docs/matching_rules.py`` writes it.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

from attrs import frozen
from valor_detection.matching import candidate_pairs
from valor_detection.matching.matches import matching
from valor_detection.matching.protocols import PROTOCOLS

from valor_core.schemas.detection import Detection, DetectionBatch, PredictedObject, TrueObject
from valor_core.schemas.geometry import Box

PICTURE = Path(__file__).parent / "detection" / "matching-rules.svg"
NAMES = ("coco", "ranked", "valor")
THRESHOLDS = (0.5, 0.75)
TRUE = {"A": (2.5, 12.5), "B": (6.5, 16.5)}
PREDICTED = {"p": (0.0, 10.0, 0.9), "q": (3.5, 13.5, 0.8)}

_FOUND, _FALSE, _MISSED = "#2b8a3e", "#c92a2a", "#b08900"
_UNIT, _LEFT, _TOP, _WIDE, _HIGH = 11.0, 118.0, 44.0, 222.0, 186.0
_LANES = {"p": 24.0, "A": 62.0, "q": 100.0, "B": 138.0}


@frozen
class Outcome:
    """Matched ground truth and IoU of each prediction, for a protocol and a threshold."""

    found: dict[str, tuple[str, float]]


def outcome(name: str, threshold: float) -> Outcome:
    """Match the scene's predictions with its ground truths.

    Examples
    --------
    >>> outcome("valor", 0.5).found
    {'p': ('A', 0.6)}
    """
    true = [TrueObject("x", Box(left, 0, right, 4)) for left, right in TRUE.values()]
    predicted = [
        PredictedObject({"x": score}, Box(left, 0, right, 4))
        for left, right, score in PREDICTED.values()
    ]
    state = candidate_pairs.request(THRESHOLDS, PROTOCOLS[name]).open()
    state.update(DetectionBatch.of([Detection("scene", true, predicted)]))
    made = matching(state.table, PROTOCOLS[name])
    truths, ious = made.truths(threshold).tolist(), made.ious(threshold).tolist()
    names = list(TRUE)
    pairs = zip(PREDICTED, truths, ious, strict=True)
    return Outcome({name: (names[truth], iou) for name, truth, iou in pairs if truth >= 0})


def svg() -> str:
    """Draw the figure with a column per protocol and a row per threshold."""
    width = _LEFT + _WIDE * len(NAMES) + 4
    height = _TOP + _HIGH * len(THRESHOLDS) + 4
    parts = [
        f'<rect width="{width:g}" height="{height:g}" fill="#ffffff"/>',
        *(
            _text(_LEFT + _WIDE * (i + 0.5), 26, name, size=17, weight=600)
            for i, name in enumerate(NAMES)
        ),
    ]
    for row, threshold in enumerate(THRESHOLDS):
        y = _TOP + row * _HIGH
        parts.append(_text(54, y + _HIGH / 2 - 8, "IoU at least", color="#5f6770"))
        parts.append(_text(54, y + _HIGH / 2 + 14, f"{threshold:g}", size=17, weight=600))
        for column, name in enumerate(NAMES):
            x = _LEFT + column * _WIDE
            parts.append(
                f'<rect x="{x:g}" y="{y:g}" width="{_WIDE:g}" height="{_HIGH:g}" fill="none" '
                'stroke="#d5d9de"/>'
            )
            parts += _panel(x + (_WIDE - 16.5 * _UNIT) / 2, y, outcome(name, threshold))
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:g} {height:g}" '
        'font-family="DejaVu Sans, Arial, sans-serif">\n' + "\n".join(parts) + "\n</svg>\n"
    )


def _panel(x: float, y: float, made: Outcome) -> Iterator[str]:
    matched = {truth for truth, _ in made.found.values()}
    for name, (truth, iou) in made.found.items():
        above, below = sorted((name, truth), key=_LANES.__getitem__)
        start, end = (_middle(one) * _UNIT + x for one in (above, below))
        low, high = y + _LANES[above] + 9, y + _LANES[below] - 9
        yield (
            f'<path d="M{start:g} {low:g}L{end:g} {high:g}" stroke="{_FOUND}" stroke-width="2.5"/>'
        )
        middle = (start + end) / 2
        yield _text(middle + 26, (low + high) / 2 + 4.5, f"{iou:.2f}", color=_FOUND)
    for name, (left, right, score) in PREDICTED.items():
        color = _FOUND if name in made.found else _FALSE
        yield _bar(x, y, name, left, right, color, f"{name} {score}")
    for name, (left, right) in TRUE.items():
        color = _FOUND if name in matched else _MISSED
        yield _bar(x, y, name, left, right, color, name, dashed=True)
    true = len(made.found)
    false, missed = len(PREDICTED) - true, len(TRUE) - len(matched)
    counts = f"tp {true}   fp {false}   fn {missed}"
    yield _text(x + 8.25 * _UNIT, y + _HIGH - 12, counts, color="#5f6770")


def _middle(name: str) -> float:
    left, right = PREDICTED[name][:2] if name in PREDICTED else TRUE[name]
    return (left + right) / 2


def _bar(
    x: float,
    y: float,
    name: str,
    left: float,
    right: float,
    color: str,
    words: str,
    *,
    dashed: bool = False,
) -> str:
    style = ' stroke-dasharray="6 4" fill="#ffffff"' if dashed else f' fill="{color}"'
    start, wide = x + left * _UNIT, (right - left) * _UNIT
    return (
        f'<rect x="{start:g}" y="{y + _LANES[name] - 9:g}" width="{wide:g}" height="18" rx="3" '
        f'stroke="{color}" stroke-width="2"{style}/>'
        + _text(
            start + wide / 2,
            y + _LANES[name] + 4.5,
            words,
            color=color if dashed else "#ffffff",
            weight=600,
        )
    )


def _text(
    x: float, y: float, words: str, *, color: str = "#1c2024", size: int = 13, weight: int = 400
) -> str:
    return (
        f'<text x="{x:g}" y="{y:g}" font-size="{size}" font-weight="{weight}" fill="{color}" '
        f'text-anchor="middle" xml:space="preserve">{words}</text>'
    )


if __name__ == "__main__":
    PICTURE.write_text(svg(), encoding="utf-8", newline="\n")
