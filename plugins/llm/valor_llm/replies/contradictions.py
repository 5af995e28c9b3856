"""Contradictions: sentences around an answer that refuse, retract or attribute it.

A judge may write a sentence before its JSON and an explanation after it. The answer does not count
if such a sentence refuses to answer, corrects the answer, states another rating, or presents the
JSON as an example or as a quotation. A sentence about the judged claims or texts is
an explanation, even if it calls them wrong. In doubt the answer does not count: the judge is asked
again, and a lost answer does less harm than a wrong one.
"""

# ruff: noqa: E501, RUF001 - a line for each language, with its quotation marks

from __future__ import annotations

import re
from collections.abc import Collection

_I = r"\bI(?:['’]m| am| do| have to| must|['’]d| would| would rather| feel)?\s+"
_TO_JUDGE = r"(?:judg\w+|rat(?:e|ing)\b|evaluat\w+|assess\w*|scor(?:e|ing)\b|grad(?:e|ing)\b"
_TO_ANSWER = (
    rf"{_TO_JUDGE}|answer\w*|comply\w*|help\w*|assist\w*|provid\w+|giv(?:e|ing)\b|continu\w+|"
    r"respond\w*|repl(?:y|ying)\b|complet\w+|fulfil\w*|engag\w+|participat\w+|decid\w+|do\b)"
)
_NOT_MORE = (
    r"(?![^.!?]{0,60}\b(?:higher|lower|full|perfect|top|highest|lowest|maximum|better|more)\b)"
)
_REFUSALS = (
    rf"{_I}(?:can ?not|can['’]?t|won['’]?t|will not|could ?n[o'’]t|shall not|should not|"
    rf"shouldn['’]t|do(?: no|n['’])t (?:want|wish) to|must not|(?:not )?(?:unable|able) to|"
    rf"not going to|not (?:allowed|permitted|willing|comfortable|qualified|prepared)(?: to| with)?)"
    rf"(?:\s+\w+){{0,2}}\s+{_TO_ANSWER}{_NOT_MORE}",
    rf"{_I}(?:can ?not|can['’]?t|won['’]?t|will not)\s*(?:[.!,;]|$)",
    rf"{_I}(?:refuse|decline|abstain|pass\b|rather not|prefer not|not in a position)",
    r"\b(?:unable|not able|impossible|not possible)\s+(?:for me )?to\s+" + _TO_JUDGE + ")",
    r"\b(?:can ?not|can['’]?t) be (?:judged|rated|evaluated|assessed|scored|graded)\b",
    r"\bI (?:have|['’]ve got) (?:no|nothing)\b.{0,120}\b(?:opinion|comment|say|add|rating|verdict)\b",
    r"\b(?:no comment|no opinion|(?:remain|stay) silent|count me out|against my (?:rules|policy))\b",
    r"\b(?:unethical|inappropriate|irresponsible|improper) (?:for me )?to\b",
    r"^\W*(?:(?:I(?:['’]m| am)|so|very|really|we are) )*sorry\b(?! (?:for|about|if)\b)",
    r"\bI(?:['’]m| am) (?:\w+ )?sorry\b(?! (?:for|about|if)\b)",
    r"^\W*(?:I |my |we )?(?:\w+ )?apolog(?:ies|i[sz]e)\b(?! (?:for|about|if)\b)",
    r"\b(?:ich kann (?:das |dies |diese\w* )?nicht|kann ich (?:das |dies )?nicht|(?:ver)?weigere?)\b",
    r"\b(?:(?:tut mir|es tut mir) leid|ich enthalte mich|leider nicht)\b",
    r"\b(?:je ne (?:peux|puis)|je refuse|je m['’]abstiens|je préfère ne pas|désolée?)\b",
    r"\b(?:no puedo|me niego|lo siento|me abstengo|prefiero no)\b|\b(?:ik kan|ik weiger|het spijt me|helaas)\b",
    r"\b(?:non posso|mi rifiuto|mi dispiace|mi astengo|preferisco non|não posso|prefiro não|recuso|desculpe|lamento)\b",
    r"\b(?:nie mogę|nie potrafię|odmawiam|wolę nie|przykro mi|przepraszam|wstrzymuję)\b",
    r"\b(?:nemohu|nemůžu|nemôžem|odmítám|odmietam|omlouvám|ospravedlňujem|bohužel)\b",
    r"\b(?:jag kan inte|jag vägrar|jag avstår|jeg kan ikke|jeg nekter|jeg afviser|tyvärr|dessverre|"
    r"desværre|beklagar?|beklager|förlåt|ledsen|unnskyld|undskyld)\b",
    r"\b(?:en voi|en pysty|kieltäydyn|valitettavasti|pahoittelen|anteeksi)\b",
    r"\b(?:ma ei saa|keeldun|vabandust|negaliu|atsisakau|atsiprašau|nevaru|atsakos|atvainojiet)\b",
    r"\b(?:nem tud\w+|nem áll módomban|sajnálom|elutasítom|elnézést)\b",
    r"\b(?:nu pot|refuz|îmi pare rău|ne mogu|ne možem|odbijam|žao mi je|izvinite|oprostite)\b",
    r"\b(?:saya tidak (?:bisa|dapat)|saya menolak|maaf|hindi ko (?:kaya|magagawa)|siwezi|samahani)\b",
)
_REFUSALS_IN_OTHER_SCRIPTS = (
    r"\b(?:tôi không thể|tôi từ chối|tôi không đánh giá|xin lỗi|rất tiếc)\b",
    r"\b\w+(?:[ae]m[ae]m|[ae]m[ae]y[ıi]z)\b|\b(?:üzgünüm|reddediyorum|maalesef|özür dilerim)\b",
    r"(?:не (?:могу|можу|мога|могам)|отказываюсь|відмовля|отказвам|одбијам|воздерж|утрим|нечего сказать|предпочитаю не|"
    r"извин|простите|вибач|съжалявам|жао ми је|к сожалению|на жаль)",
    r"(?:δεν μπορώ|αρνούμαι|λυπάμαι|συγγνώμη|αδυνατώ|απέχω)",
    r"(?:我不能|我无法|我無法|不能评|无法|無法|拒绝|拒絕|抱歉|对不起|對不起|弃权)",
    r"(?:できません|できない|拒否|申し訳|ごめん|棄権)|(?:할 수 없|못하겠|거부|거절|죄송|미안)",
    r"(?:لا أستطيع|لا يمكنني|أرفض|آسف|عذر)|(?:نمی ?‌?توانم|متأسفم|متاسفم)|(?:نہیں کر سکت|معذرت)",
    r"(?:איני יכול|לא יכול|מסרב|מצטער|סליחה)|(?:नहीं (?:कर|दे) सकत|माफ|क्षमा|অক্ষম|দুঃখিত|পারছি না)",
    r"(?:ไม่สามารถ|ขออภัย|ขอโทษ|ปฏิเสธ)",
)
_RETRACTIONS = (
    r"(?:^\W*|[,;:—–-]\s*)actually\b|\bactually,",
    r"^\W*(?:(?:oh|hmm+|but|no|ok|okay|hold on)\b[\s,.…]*)*wait\b(?!\s+(?:times?|lists?|until|for)\b)",
    r"\bwait\b\s*(?:[,!…—–]|\.\.|$|no\b)|\bhold on\b",
    r"^\W*(?:correction|edit|update|erratum|revision|revised|amended|amendment)\b",
    r"\b(?:scratch|strike) that\b|\bnever ?mind\b|\breconsider\w*|\bcorrection\s*:",
    r"\bon (?:second |further |closer )?(?:thoughts?|reflection|consideration|inspection)\b",
    r"\b(?:kidding|joking|pranked|psych|oops|whoops|my bad|my mistake|misspoke|misread)\b",
    r"\b(?:the|quite the|its|exact) (?:opposite|reverse|contrary)\b",
    r"\bforget\b|\b(?:don['’]t|do not) (?:use|count|trust|take|believe|rely)\b|\b(?:rate|try|ask) again\b",
    r"\bI (?:don['’]t|do not) (?:believe|mean|stand by)\b|\bI disagree\b|\bI was (?:told|forced|made|paid)\b",
    r"\b(?:fooled|sarcas\w+|ironic\w*|irony|at random|randomly|not mine|forced (?:on|upon)|a guess)\b",
    r"\bthis (?:is|was) (?:only |just |all )?(?:a|an) (?:test|joke|placeholder|draft|example)\b",
    r"\b(?:real|true|actual|correct|right|honest) (?:ratings?|scores?|verdicts?|answers?|grades?)\b",
    r"\bI (?:take (?:it|that|this|them) back|was wrong|lied|made (?:a|an) (?:mistake|error)|"
    r"did not mean|didn['’]t mean|meant)\b",
    r"\b(?:ignore|disregard|discard|retract|withdraw|changed my mind)\b",
    r"^\W*instead\b|\b(?:use|take|read|write|put|make it|rating|score|verdict)\b.{0,120}\binstead\b(?! of)",
    r"^\W*(?:nope|nah|no|not|nein|non|nej|nie|нет|ні|不|不是|いいえ|いや|아니|아니요|لا)\W*$",
    r"^\W*no\s*[,;:—–-]",
    r"\b(?:ratings?|scores?|grades?|verdicts?) (?:should|ought to|must|has to|needs to)\b",
    r"\b(?:falsch|ignorier\w*|korrektur|entwurf|moment mal|vielmehr|das gegenteil|scherz)\b",
    r"\b(?:faux|incorrectes?|ignorez|au contraire|je plaisante|rectification)\b(?<!incorrect)",
    r"\b(?:incorrecto|falso|equivocad[oa]|ignor(?:e|en|a) (?:esto|lo|la|el|est[ea])|corrección|"
    r"sbagliat[oa]|errad[oa]|fout|błędn\w+|pomyłk\w+|żart\w*|felaktig\w*|yanlış|sai rồi|погрешно)\b",
)
_RETRACTIONS_IN_OTHER_SCRIPTS = (
    r"(?:неверно|неправильно|ошибка|ошибся|шучу|λάθος)|(?:错误|錯誤|不对|不正确|忽略|开玩笑|相反)",
    r"(?:間違|誤り|無視|冗談|逆です)|(?:틀린|틀렸|무시|농담|반대)|(?:خطأ|تجاهل)|(?:गलत)",
)
_WRONG = (
    r"\b(?:wrong|incorrect|mistaken?|mistakes?|errors?|erroneous|invalid|false|untrue|inaccurate|"
    r"draft|example|hypothetical\w*|placeholder|template|made[- ]up|"
    r"not (?:my|the|an?|your|really|quite|meant|correct|right|true|valid|what))\b"
)
_THE_ANSWER = (
    r"\b(?:above|this|that|it|these|those|answers?|json|object|list|verdicts?|ratings?|scores?|"
    r"reply|response|previous|output|my|mine|c['’]est|cela|ceci)\b"
)
_SPOKEN = r"(?:say|write|answer|output|print|reply|respond|return|produce|give|rate|claim|read|emit|state)"
_ATTRIBUTIONS = (
    r"\b(?:says|said|quot\w+|commands?|demands?|instructs|orders|tries|trying|injected?|wrote)\b",
    r"(?<!\byou )\b(?:wants?|wanted|asks?|asked|tells|told|begs?|forces?|urges?|instructed|"
    r"requests?)\s+(?:me|us|the judge|you|the model|for)\b",
    r"\b(?:injection|instructions?|prompt|document|template|sample|attempt|quote|quotation|dummy|"
    r"expected (?:format|output)|sample output|placeholder|schema)\b(?:\s+(?:is|reads|was|text))?\W*$",
    r"\bputs it\b|\bin the words of\b",
    rf"(?<!\bI )(?<!\bwe )\b(?:would|could|might|may)\s+(?:\w+\s+)?(?:{_SPOKEN}|look|be)\b[^.]{{0,60}}$",
    r"\b(?:sagt|behauptet|befiehlt|verlangt|zitat|würde|wäre|ordonne|citation|serait)\b",
    r"\b(?:dice que|ordena|exige|sería)\b|(?:要求|命令|引用)|(?:требует|цитата)",
)
_CONDITIONS = (
    r"\b(?:if|unless|never|suppose|imagine|pretend|should not|must not|e\.g)\b",
    r"\b(?:wrong|incorrect|mistaken?|invalid|draft|for example|for instance|hypothetical\w*)\b",
    r"\b(?:do not|don['’]t|did not|didn['’]t|not to|cannot|can['’]t|must not|should not|will not)\s+"
    r"(?:\w+\s+){0,2}(?:answer|reply|respond|give|say|write|output)\b",
    r"\b(?:falls|prétend)\b|(?:如果)|(?:если)",
)
_OF_THE_ITEM = re.compile(
    r"\b(?:claims?|statements?|sentences?|facts?|evidence|in the (?:response|answer|summary))\b|"
    r"\b(?:response|answer|summary|text|student|candidate|assistant)\b.{0,120}\b(?:has|have|had|contains?|"
    r"includes?|makes?|mentions?|gives?|gets?|instead)\b|"
    r"\b(?:Aussagen?|Behauptung(?:en)?|affirmations?|afirmación|afirmaciones)\b|(?:陈述|утверждение)",
    re.IGNORECASE,
)
_FAULT_OF_THE_ITEM = re.compile(
    r"^\W*the (?:response|answer|summary)\b.{0,120}\b(?:wrong|incorrect|inaccurate|false)\s+"
    r"(?:in|on|about|regarding|because|since|as|with)\b",
    re.IGNORECASE,
)
_OF_THE_REPLY = re.compile(
    r"\b(?:above|previous|my|mine|json|object|list|verdicts?|ratings?|scores?|output|reply|"
    r"analys[ie]s|correction|on second thought|scratch that|strike that|never ?mind|reconsider\w*|"
    r"ignore|disregard|discard|retract|withdraw|changed my mind|oben|ignorier\w*|korrektur|"
    r"ignorez)\b|^\W*(?:actually|wait)\b|(?:忽略|以上)",
    re.IGNORECASE,
)
_COURTESIES = re.compile(
    r"^\W*(?:sure|certainly|of course|absolutely|ok|okay|yes|understood|got it|alright|all right|"
    r"great|right|thanks?|thank you|hello|hi|done|end|explanation|reason\w*|notes?|summary|"
    r"analysis|conclusion|confidence|regards|cheers|good luck|enjoy|here|json|result|ready|"
    r"gerne|klar|natürlich|danke|fertig|bien sûr|voici|voilà|merci|claro|gracias|hecho|certo|ecco|"
    r"(?:well |fully |clearly |very )?(?:supported|correct|accurate|relevant|clear|complete|good|"
    r"excellent|fine|faithful|grounded|perfect|concise|true)\W*$|"
    r"grazie|listo|好的|当然|谢谢|完成|はい|承知|以上|네|알겠|конечно|хорошо|готово|спасибо)(?!\w)",
    re.IGNORECASE,
)
_STATED = re.compile(
    r"\b(?:rating|score|grade|verdict|decision|judge?ment)\b\W*(?:\b(?:is|was|as|to|becomes|should "
    r"be|would be|changes to|changed to)\b)?\W*\b(?P<value>\d+(?:\.\d+)?|yes|no|true|false)\b",
    re.IGNORECASE,
)
_REASON = re.compile(r"\b(?:because|since|as the|reflects that)\b", re.IGNORECASE)
_REFUSED = re.compile("|".join(_REFUSALS), re.IGNORECASE)
_REFUSED_BEYOND_ASCII = re.compile("|".join(_REFUSALS_IN_OTHER_SCRIPTS), re.IGNORECASE)
_RETRACTED = re.compile("|".join(_RETRACTIONS), re.IGNORECASE)
_RETRACTED_BEYOND_ASCII = re.compile("|".join(_RETRACTIONS_IN_OTHER_SCRIPTS), re.IGNORECASE)
_ATTRIBUTED = re.compile("|".join(_ATTRIBUTIONS), re.IGNORECASE)
_CONDITIONAL = re.compile("|".join(_CONDITIONS), re.IGNORECASE)
_IS_WRONG = re.compile(_WRONG, re.IGNORECASE)
_OF_THE_ANSWER = re.compile(_THE_ANSWER, re.IGNORECASE)
_SELF = re.compile(r"^\W*(?:I|we|me|no|nope|nah|nej|nein|non|nie|нет|不)\b", re.IGNORECASE)
_BULLET = re.compile(r"\s*(?:[-*•]|\d+[.)])\s")
_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|(?<=[。！？;；])|\n\s*\n|\n(?=\s*[-*#\d])")
_POINTING = re.compile(r"\b(?:following|below|this|these|as follows)\b", re.IGNORECASE)
_CLAUSE_END = re.compile(r"[,;]\s+(?:(?:and|so|but|thus|therefore|hence|then)\s+)?")
_NOISE = re.compile(r"[`*_#>\s]+|\bjson\b|<\|?/?\w+\|?>")
_MOST_WORDS = 2  # of a sentence that is checked for courtesies: "Strike that." is a retraction
_MOST_CHARACTERS = 6  # the same in scripts without blanks


def contradicts(before: str, after: str, says: Collection[str] = ()) -> bool:
    """Return whether the sentences around an answer refuse, retract or attribute it.

    Parameters
    ----------
    before : str
        Text before the answer. None of its sentences may refuse; the last one may not correct the
        answer, make it conditional or attribute it to another person.
    after : str
        Text after the answer, which may neither refuse nor correct it.
    says : collection of str
        Ratings and verdicts of the answer, folded. A sentence that states another one contradicts.

    Examples
    --------
    >>> contradicts("Sure, here is the JSON:", "Hope this helps!")
    False
    >>> contradicts("It would be wrong to answer", "."), contradicts("", "The above is wrong.")
    (True, True)
    >>> contradicts("", "EDIT: the rating is 2.", {"5"}), contradicts("", "Rating: 5", {"5"})
    (True, False)
    """
    first, last = _sentences(before), _sentences(after)
    led = first[-1] if first else ""
    return bool(
        any(map(_refuses, (*first, *last)))
        or any(_is_abrupt(one, says) for one in last)
        or any(_SELF.match(one) and _is_abrupt(one, says) for one in first)
        or any(_states_another(one, says) for one in (led, *last))
        or (_presents(led) and not (led.endswith(".") and _is_of_the_item(led)))
        or any(map(_retracts, last))
    )


def _sentences(text: str) -> list[str]:
    """Sentences with more in them than marks of a format."""
    return [one.strip() for one in _SENTENCE_END.split(text) if _NOISE.sub("", one)]


def _refuses(sentence: str) -> bool:
    found = _REFUSED.search(sentence)
    return bool(found or (not sentence.isascii() and _REFUSED_BEYOND_ASCII.search(sentence)))


def _corrects(sentence: str) -> bool:
    found = _RETRACTED.search(sentence)
    return bool(found or (not sentence.isascii() and _RETRACTED_BEYOND_ASCII.search(sentence)))


def _is_abrupt(sentence: str, says: Collection[str]) -> bool:
    """Return whether a sentence is as short as a retraction, and not a common short phrase."""
    bare = _NOISE.sub(" ", sentence).strip()
    if (
        _BULLET.match(sentence)
        or not bare.endswith((".", "!", "?", "。", "！"))
        or bare.endswith((":.", "..."))
    ):
        return False
    words = re.findall(r"\w+(?:['’]\w+)?", bare)
    is_short = len(words) <= _MOST_WORDS
    if any("\u3040" <= c <= "\u9fff" or "\uac00" <= c <= "\ud7a3" for c in bare):
        is_short = sum(map(len, words)) <= _MOST_CHARACTERS
    folded = {word.casefold() for word in words}
    return bool(words and is_short and not folded <= set(says) and not _COURTESIES.search(bare))


def _states_another(sentence: str, says: Collection[str]) -> bool:
    """Return whether a sentence states a rating or verdict that the answer does not have."""
    stated = {match["value"].casefold() for match in _STATED.finditer(sentence)}
    if not any(one.replace(".", "").isdigit() for one in says):
        stated = {one for one in stated if not one.replace(".", "").isdigit()}
    return bool(says and stated and stated.isdisjoint(says))


def _presents(led: str) -> bool:
    """Return whether the sentence before an answer makes it conditional, wrong or a quotation."""
    if _corrects(led) or _CONDITIONAL.search(led):
        return True
    if led.endswith(".") and not _POINTING.search(led):
        return False
    return bool(_ATTRIBUTED.search(_CLAUSE_END.split(led.rstrip(" ,"))[-1]))


def _retracts(sentence: str) -> bool:
    """Return whether a sentence after an answer corrects the answer instead of the item."""
    stated = _REASON.split(sentence, maxsplit=1)[0]
    is_of_the_item = _is_of_the_item(stated) or _FAULT_OF_THE_ITEM.search(sentence)
    if is_of_the_item and not _OF_THE_REPLY.search(sentence):
        return False
    return bool(_corrects(sentence) or (_IS_WRONG.search(stated) and _OF_THE_ANSWER.search(stated)))


def _is_of_the_item(sentence: str) -> bool:
    """Return whether a sentence is about the item instead of the reply."""
    return bool(_OF_THE_ITEM.search(sentence) and not _OF_THE_REPLY.search(sentence))
