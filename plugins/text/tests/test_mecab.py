"""The tokenisers ja-mecab and ko-mecab, compared with sacrebleu."""

from __future__ import annotations

import sys

import pytest
from valor_text.normalisers import tokenise

from valor_core import evaluate
from valor_core.errors import MissingExtraError

JAPANESE = [
    "\u4eca\u65e5\u306f\u5929\u6c17\u304c\u3044\u3044\u3067\u3059\u3002",
    " \u732b\u304c\u7720\u308b\u3002 Python 3.11 \u3092\u4f7f\u3046 ",
    "",
]
KOREAN = [
    "\uace0\uc591\uc774\uac00 \uc794\ub2e4.",
    "\uc624\ub298\uc740 \ub0a0\uc528\uac00 \uc88b\uc2b5\ub2c8\ub2e4",
    "",
]


@pytest.mark.parametrize(
    ("name", "module", "cls", "texts"),
    [
        ("ja-mecab", "MeCab", "TokenizerJaMecab", JAPANESE),
        ("ko-mecab", "mecab_ko", "TokenizerKoMecab", KOREAN),
    ],
)
def test_equal_to_sacrebleu(name: str, module: str, cls: str, texts: list[str]) -> None:
    pytest.importorskip(module)
    program = pytest.importorskip(f"sacrebleu.tokenizers.tokenizer_{name.replace('-', '_')}")
    tokens = tokenise(texts, name)

    expected = [getattr(program, cls)()(text).split() for text in texts]
    assert [tokens.of(number) for number in range(len(texts))] == expected
    assert len(expected[0]) > 2


def test_missing_mecab_has_install_command(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setitem(sys.modules, "MeCab", None)

    with pytest.raises(
        MissingExtraError, match="tokeniser ja-mecab: needs MeCab, which is not installed"
    ):
        evaluate(["\u732b"], ["\u732b"], [{"name": "WER", "tokeniser": "ja-mecab"}], task="text")
