"""Plausible token counts of endpoints, estimates for missing ones, and detection of cut prompts."""

from __future__ import annotations

import re

from attrs import frozen

from valor_llm.clients.protocol import Request, Usage

_LEAST = 1024
"""Least tokens of a prompt that an endpoint may have cut: no context window is smaller."""

_COUNTED = 128
"""Minimum plausible count for a prompt of `_LEAST` tokens: some endpoints send a constant."""

_BEYOND = 200_000
"""Tokens that an endpoint may add to a prompt or a reply: templates, a gateway's system prompt,
thoughts. No context window in use has room for more in addition to the judge's texts."""

# Tokenizers split a text at blanks before they merge anything, so that each word has at least one
# token. Runs of blanks, of signs and of one letter may be one token, however long they are: they
# do not count. The factor leaves room for the few vocabularies with tokens of two words.
_WORD = re.compile(r"(?:^|\s)(?:[^\s\w]|_)*[^\W_]")
_TOKENS_OF_WORD = 2 / 3

# Scripts without blanks between words: Thai to Burmese, Khmer, Chinese and Japanese. Their
# longest tokens have about ten characters; in prose, a token has one or two.
_UNSPACED = re.compile(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3041-\u30ff\u3400-\u9fff\uf900-\ufaff"
    "\U00020000-\U0003ffff]"
)
_UNSPACED_OF_TOKEN = 8
_RUN = re.compile(r"(.)\1{3,}", re.DOTALL)


def text_of(request: Request) -> str:
    """All texts of a prompt."""
    return "\n".join(message.content for message in request.messages)


def fewest_tokens(text: str) -> int:
    """Return the minimum number of tokens of a text with any tokenizer.

    Examples
    --------
    >>> fewest_tokens("Another sentence of the page. " * 300)  # 1,500 words
    1000
    >>> fewest_tokens("=" * 10_000), fewest_tokens(" " * 10_000)
    (0, 0)
    """
    text = _RUN.sub(r"\1", text)
    words = len(_WORD.findall(text))
    unspaced = len(_UNSPACED.findall(text))
    return int(max(words * _TOKENS_OF_WORD, unspaced / _UNSPACED_OF_TOKEN))


def plausible(usage: Usage, request: Request, text: str) -> Usage:
    """Return the counts of an endpoint, with implausible ones replaced by 0.

    Parameters
    ----------
    usage : Usage
        Counts of the endpoint.
    request : Request
        The request.
    text : str
        The reply.

    Examples
    --------
    >>> request = Request(messages=(), schema={}, step="claims", max_tokens=100)
    >>> plausible(Usage(prompt=250, completion=10**9, cached=400), request, "{}")
    Usage(prompt=250, completion=0, cached=0, reasoning=0)
    """
    sent = sum(len(message.content.encode(errors="replace")) for message in request.messages)
    prompt = _count(usage.prompt, 4 * sent + _BEYOND)
    received = len(text.encode(errors="replace"))
    completion = _count(usage.completion, 4 * received + (request.max_tokens or 0) + _BEYOND)
    return Usage(
        prompt=prompt,
        completion=completion,
        cached=_count(usage.cached, prompt),
        reasoning=_count(usage.reasoning, completion),
    )


def _count(value: object, most: int) -> int:
    is_number = isinstance(value, (int, float)) and not isinstance(value, bool)
    return int(value) if is_number and 0 <= value <= most else 0  # type: ignore[operator,call-overload]


@frozen
class TokenCounts:
    """Tokens of one call, counted by the endpoint or else estimated.

    Parameters
    ----------
    usage : Usage
        The tokens.
    is_estimated : bool
        Whether the endpoint did not count all of them.
    """

    usage: Usage
    is_estimated: bool

    @classmethod
    def of(cls, usage: Usage, reply_length: int, reserved: Usage) -> TokenCounts:
        """Plausible counts, completed with the tokens that were reserved for the call.

        Parameters
        ----------
        usage : Usage
            Plausible counts; 0 if missing.
        reply_length : int
            Characters of the reply; no tokens are right for none.
        reserved : Usage
            Tokens that were reserved for the call.

        Examples
        --------
        >>> TokenCounts.of(Usage(prompt=90), 20, Usage(prompt=200, completion=100)).usage
        Usage(prompt=90, completion=100, cached=0, reasoning=0)
        """
        has_prompt = usage.prompt > 0 or not reserved.prompt
        has_completion = usage.completion > 0 or not reply_length
        if has_prompt and has_completion:
            return cls(usage, False)
        return cls(
            Usage(
                prompt=usage.prompt if has_prompt else reserved.prompt,
                completion=usage.completion if has_completion else reserved.completion,
                cached=usage.cached,
                reasoning=usage.reasoning,
            ),
            True,
        )


class SentPrompts:
    """The latest prompts of an endpoint, by which prompts that it has cut are detected.

    Some servers count only the tokens after a cached beginning (Ollama before
    0.4). A count that fits this rest is no sign of a cut.

    Examples
    --------
    >>> sent, long = SentPrompts(), "Another sentence of the page. " * 3000
    >>> sent.add(long + "Is it so?")
    >>> sent.is_cut(long + "Is it so?", 2050), sent.is_cut(long + "Is it so?", 17_000)
    (True, False)
    >>> sent.add(long + "Is it not? " + "a b " * 100)
    >>> sent.is_cut(long + "Is it not? " + "a b " * 100, 205)
    False
    """

    def __init__(self) -> None:
        self._texts: list[str] = []

    def add(self, text: str) -> None:
        """Note a prompt before it is sent."""
        if len(text) > _LEAST:
            self._texts.append(text)
            del self._texts[:-_KEPT]

    def is_cut(self, text: str, counted: int) -> bool:
        """Return whether an endpoint has read only a part of a prompt.

        Parameters
        ----------
        text : str
            The prompt, which was added before.
        counted : int
            Tokens counted by the endpoint, including cached ones.
        """
        # A word has at least two characters with its blank, so most prompts need no scan.
        most = len(text) / 2 * _TOKENS_OF_WORD + 1
        if most < _LEAST or counted >= most or counted < _COUNTED:
            return False
        fewest = fewest_tokens(text)
        if fewest < _LEAST or counted >= fewest:
            return False
        texts = list(self._texts)
        if text in texts:
            texts.remove(text)
        common = max((_common(text, other) for other in texts), default=0)
        # A token has at least one byte. Templates add a few tokens.
        return not common or counted > len(text[common:].encode(errors="replace")) + 64


_KEPT = 64


def _common(one: str, other: str) -> int:
    """Characters that two texts have in common at their beginnings."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if one.startswith(other[:middle]):
            low = middle
        else:
            high = middle - 1
    return low
