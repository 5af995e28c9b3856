"""Contradictions: words around an answer that take it back, refuse it or attribute it to others.

A reply may say a sentence before its JSON and one after it. Where these say that the JSON is
wrong, an example, or somebody else's, it is not the answer. A sentence that calls a claim of the
item wrong does not concern the answer. The words are those of refusals and
corrections in ten languages; a reply that is rejected for one is asked for again.
"""

# ruff: noqa: RUF001 - quotation and punctuation marks of other languages are meant

from __future__ import annotations

import re

_REFUSALS = (
    r"\bI(?:['’]m| am| do| have to| must)?\s+(?:can ?not|can['’]?t|won['’]?t|will not)\b",
    r"\bI(?:['’]m| am| do| have to| must)?\s+(?:refuse|decline)\b",
    r"\bI(?:['’]m| am)\s+(?:unable|not able|sorry)\b|\b(?:sorry|apologi[sz]e|apologies)\b",
    r"\b(?:ich kann (?:das |dies )?nicht|kann ich (?:das |dies )?nicht|weigere|tut mir leid)\b",
    r"\b(?:je ne (?:peux|puis)|je refuse|désolée?)\b|\b(?:no puedo|me niego|lo siento)\b",
    r"\b(?:non posso|mi rifiuto|mi dispiace|não posso|recuso|desculpe|ik kan|ik weiger)\b",
    r"(?:не могу|отказываюсь|извините)|(?:我不能|无法|無法|拒绝|拒絕|抱歉|对不起)",
    r"(?:できません|拒否|申し訳)|(?:할 수 없|거부|죄송)",
    r"(?:لا أستطيع|لا يمكنني|أرفض|آسف)|(?:नहीं कर सकत|माफ)",
)
_CORRECTIONS = (
    r"(?:^\W*|[,;:—–-]\s*)actually\b|\bactually,",
    r"\b(?:wait|correction|on second thought|scratch that|never ?mind|reconsider\w*)\b",
    r"\b(?:ignore|disregard|discard|retract|withdraw|instead(?! of)|changed my mind)\b",
    r"\b(?:falsch|ignorier\w*|korrektur|entwurf|moment mal)\b|\b(?:faux|incorrecte?|ignorez)\b",
    r"\b(?:incorrecto|falso|equivocad[oa]|ignore[ns]?|sbagliat[oa]|errad[oa]|fout)\b",
    r"(?:неверно|неправильно|ошибка)|(?:错误|錯誤|不对|不正确|忽略)|(?:間違|誤り|無視)",
    r"(?:틀린|틀렸|무시)|(?:خطأ|تجاهل)|(?:गलत)",
)
_WRONG = (
    r"\b(?:wrong|incorrect|mistaken?|mistakes?|errors?|erroneous|invalid|false|untrue|inaccurate|"
    r"draft|example|hypothetical\w*|placeholder|template|made[- ]up|"
    r"not (?:my|the|an?|your|really|quite|meant|correct|right|true|valid|what))\b"
)
_THE_ANSWER = (
    r"\b(?:above|this|that|it|these|those|answers?|json|object|list|verdicts?|ratings?|scores?|"
    r"reply|response|previous|output|my|mine)\b"
)
_LEADS = (
    r"\b(?:says|said|quot\w+|commands?|demands?|instructs?|orders?|tries|trying|injected?)\b",
    r"\b(?:if|unless|never|suppose|imagine|pretend|would|could|might|should not|must not|e\.g)\b",
    r"\b(?:wrong|incorrect|mistaken?|invalid|draft|for example|for instance|hypothetical\w*)\b",
    r"\b(?:not|n['’]t|cannot)\s+(?:\w+\s+){0,2}(?:answer|reply|respond|give|say|write|output)\b",
    r"\b(?:sagt|behauptet|befiehlt|verlangt|zitat|würde|wäre|falls|prétend|ordonne|citation)\b",
    r"\b(?:serait|dice que|ordena|exige|sería)\b|(?:要求|命令|引用|如果)|(?:требует|цитата|если)",
)
_OF_THE_ITEM = re.compile(
    r"\b(?:claims?|statements?|sentences?|facts?|evidence|in the (?:response|answer|summary))\b|"
    r"\b(?:response|summary)\b.*\b(?:has|have|contains?|includes?|makes?)\b|"
    r"\b(?:Aussagen?|Behauptung(?:en)?|affirmations?|afirmación|afirmaciones)\b|(?:陈述|утверждение)",
    re.IGNORECASE,
)
_OF_THE_REPLY = re.compile(
    r"\b(?:above|previous|my|mine|json|object|list|verdicts?|ratings?|scores?|output|reply|"
    r"analys[ie]s|wait|correction|on second thought|scratch that|never ?mind|reconsider\w*|ignore|"
    r"disregard|discard|retract|withdraw|changed my mind|oben|ignorier\w*|korrektur|ignorez)\b|"
    r"^\W*actually\b|(?:忽略|以上)",
    re.IGNORECASE,
)
_REASON = re.compile(r"\b(?:because|since|as the|reflects that)\b", re.IGNORECASE)
_REFUSED = re.compile("|".join(_REFUSALS), re.IGNORECASE)
_CORRECTED = re.compile("|".join((*_REFUSALS, *_CORRECTIONS)), re.IGNORECASE)
_LED = re.compile("|".join((*_REFUSALS, *_CORRECTIONS, *_LEADS)), re.IGNORECASE)
_IS_WRONG = re.compile(_WRONG, re.IGNORECASE)
_OF_THE_ANSWER = re.compile(_THE_ANSWER, re.IGNORECASE)
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|(?<=[。！？;；])|\n\s*\n")
_NOISE = re.compile(r"[`*_#>\s]+|\bjson\b")


def contradicts(before: str, after: str) -> bool:
    """Whether the words around an answer say that it is none.

    Parameters
    ----------
    before : str
        Text before the answer. All of it may not refuse, and its last sentence may not correct
        the answer or attribute it to somebody else.
    after : str
        Text after the answer, which may neither refuse nor correct it.

    Examples
    --------
    >>> contradicts("Sure, here is the JSON:", "Hope this helps!")
    False
    >>> contradicts("It would be wrong to answer", "."), contradicts("", "The above is wrong.")
    (True, True)
    """
    sentences = [one for one in _SENTENCE_END.split(before) if _NOISE.sub("", one)]
    led = sentences[-1] if sentences else ""
    return bool(
        _REFUSED.search(before)
        or _REFUSED.search(after)
        or (_LED.search(led) and not (led.rstrip().endswith(".") and _is_of_the_item(led)))
        or any(map(_retracts, _SENTENCE_END.split(after)))
    )


def _retracts(sentence: str) -> bool:
    """Whether a sentence after an answer corrects the answer, and not a part of the item."""
    stated = _REASON.split(sentence, maxsplit=1)[0]
    if _is_of_the_item(stated) and not _OF_THE_REPLY.search(sentence):
        return False
    return bool(
        _CORRECTED.search(sentence) or (_IS_WRONG.search(stated) and _OF_THE_ANSWER.search(stated))
    )


def _is_of_the_item(sentence: str) -> bool:
    """Whether a sentence is about claims or texts of the item, and not about the reply."""
    return bool(_OF_THE_ITEM.search(sentence) and not _OF_THE_REPLY.search(sentence))
