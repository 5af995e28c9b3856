"""ChoiceMatch: comparison of the letter that a response chooses with that of a reference."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

from valor_core import ItemScore, Undefined
from valor_core.schemas.text import TextBatch
from valor_text.counting.latex import boxed
from valor_text.parameters.answers import ChoiceMatchParameters

_NO_CHOICE = Undefined("no choice in a reference")
_MARKS = str.maketrans("", "", "*_`$\"'\u201c\u201d\u2018\u2019")
_SAID = r"\b(?:answer|choice|option|solution|choose|chose|pick|select)s?\b"
_BETWEEN = r"(?:\s+(?:is|was|be|would|should|must|will|the|option|choice|letter|answer))*\s*:?\s*"
_NO_ARTICLE = r"(?!\s+(?!because|since|as|so|and|but|which|for|due|given)[a-z])"


def score(
    batch: TextBatch, parameters: ChoiceMatchParameters, resources: Mapping[str, Any]
) -> list[ItemScore]:
    """Score 1 if the response of an item chooses the letter of a reference, otherwise 0.

    The first rule that finds a letter applies: it is in a LaTeX box; a statement names it, such as
    *the answer is (B)*; a line begins with it, as ``B``, ``B.``, ``B)`` or ``B: Paris``, or it is
    in brackets anywhere. Bold type and quotes are ignored. If a rule finds several letters, the
    response makes no choice.

    Parameters
    ----------
    batch : TextBatch
        Items with a response and references.
    parameters : ChoiceMatchParameters
        Letters.
    resources : mapping
        Unused.

    Returns
    -------
    list of ItemScore
        1 or 0; 0 for a response that chooses no letter or several. Undefined if no reference has
        a letter. The details are the letters ``read`` and ``expected``, and several letters under
        ``ambiguous``.
    """
    rules = _Rules(tuple(parameters.choices))
    items = zip(batch.responses.tolist(), batch.references.tolist(), strict=True)
    return [_scored(rules.letters(said), wanted, rules) for said, wanted in items]


def _scored(said: Sequence[str], references: Sequence[str], rules: _Rules) -> ItemScore:
    wanted = [letters[0] for one in references if len(letters := rules.letters(one)) == 1]
    if not wanted:
        return ItemScore(_NO_CHOICE)
    if len(said) != 1:
        several = {"ambiguous": list(said)} if said else {}
        return ItemScore(0.0, {"read": None, "expected": wanted[0], **several})
    is_right = said[0] in wanted
    return ItemScore(
        float(is_right), {"read": said[0], "expected": said[0] if is_right else wanted[0]}
    )


class _Rules:
    """Rules that read letters.

    Parameters
    ----------
    choices : tuple of str
        Letters.
    """

    def __init__(self, choices: tuple[str, ...]) -> None:
        self.choices = choices
        self.patterns = _patterns(choices)

    def letters(self, text: str) -> list[str]:
        """Return the letters that the first matching rule finds in a text, in order.

        Examples
        --------
        >>> rules = _Rules(("A", "B", "C"))
        >>> [rules.letters(text) for text in ("**B**", "The answer is (b).", "A cat", "(A) or (C)")]
        [['B'], ['B'], [], ['A', 'C']]
        """
        for content in boxed(text)[-1:]:
            found = self._unique(self.patterns[1].findall(_bare(content)))
            if found:
                return found
        bare = _bare(text)
        for pattern in self.patterns:
            if found := self._unique(pattern.findall(bare)):
                return found
        return []

    def _unique(self, matches: Sequence[tuple[str, ...]]) -> list[str]:
        found = {letter.upper() for match in matches for letter in match if letter}
        return [choice for choice in self.choices if choice in found]


def _bare(text: str) -> str:
    return re.sub(r"\\(?:text|mathrm|mathbf|textbf)\s*\{([^{}]*)\}", r"\1", text).translate(_MARKS)


@cache
def _patterns(choices: tuple[str, ...]) -> tuple[re.Pattern[str], ...]:
    upper = "".join(choices)
    both = f"[{upper}{upper.lower()}]"
    bracketed = rf"[(\[]\s*({both})\s*[)\]]"
    # A lowercase letter may be a word: it counts in brackets, before a mark, or at the end.
    plain = rf"([{upper}])(?!\w){_NO_ARTICLE}|({both})(?=\s*(?:[.,;:!)\]]|$))"
    return (
        re.compile(rf"(?i:{_SAID}{_BETWEEN})(?:{bracketed}|{plain})", re.MULTILINE),
        re.compile(
            rf"^[ \t]*(?:(?i:option|choice)[ \t]+)?({both})[ \t]*(?:[.):](?!\w)|$)"
            rf"|(?<!\w){bracketed}(?!\w)",
            re.MULTILINE,
        ),
    )
