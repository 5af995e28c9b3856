"""Words as jiwer has them by default: what stands between blanks."""

from __future__ import annotations

import re
from collections.abc import Sequence

from valor_text.kernels.kinds import BETWEEN, WORD, CharacterKinds
from valor_text.normalisers.tokens import Tokens

_SEVERAL = re.compile(r"\s\s+")
_BLANKS = CharacterKinds(lambda character: BETWEEN if character == " " else WORD)


def tokens(texts: Sequence[str]) -> Tokens:
    r"""What stands between blanks, where two or more of any white space are one blank.

    A single tab or line feed within a text is part of a word.

    Examples
    --------
    >>> tokens(["the\tcat  sat \n"]).of(0)
    ['the\tcat', 'sat']
    """
    return Tokens.found([_SEVERAL.sub(" ", text.strip()) for text in texts], _BLANKS)
