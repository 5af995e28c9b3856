"""Faults of replies around a contrary answer: drafts, retractions and reasons to end.

Each reply has an answer that says the contrary of the right one, which the reply itself does not
mean, or the right answer with prose around it.
"""

# ruff: noqa: RUF001 - punctuation marks of other languages are meant

from __future__ import annotations

import copy
import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from endpoint.reply_faults import REPLY_FAULTS, Change, Said
from endpoint.verdict_faults import contrary

_OPEN = {
    "think": "<think>",
    "thinking": "<thinking>",
    "thought": "<thought>",
    "reasoning": "<reasoning>",
    "analysis": "<analysis>\n",
    "reflection": "<reflection>",
    "scratchpad": "<scratchpad>",
    "monologue": "<inner_monologue>",
    "plan": "<plan>",
    "draft": "<draft>",
    "seed": "<seed:think>",
    "brackets": "[THINK]",
    "triangles": "◁think▷",
    "channel": "<|channel|>analysis<|message|>",
    "special": "<|START_THINKING|>",
    "unknown_tag": "Let me see. <musing>\n",
}
_CLOSED = {
    "thinking": ("<thinking>", "</thinking>"),
    "thought": ("<thought>", "</thought>"),
    "reasoning": ("<reasoning>", "</reasoning>"),
    "analysis": ("<analysis>", "</analysis>"),
    "seed": ("<seed:think>", "</seed:think>"),
    "brackets": ("[THINK]", "[/THINK]"),
    "triangles": ("◁think▷", "◁/think▷"),
    "channel": ("<|channel|>analysis<|message|>", "<|end|><|channel|>final<|message|>"),
    "special": ("<|START_THINKING|>", "<|END_THINKING|>"),
    "end_alone": ("", "</think>"),
}
_ANSWERS: Mapping[str, str] = {
    **{f"open_{name}": f"{start}Suppose @. But wait" for name, start in _OPEN.items()},
    **{f"closed_{name}": f"{start}Maybe @?{end}\n#" for name, (start, end) in _CLOSED.items()},
    # Retractions
    "retracted_wait": "@\nWait, that is not right.",
    "retracted_ignore": "@\nIgnore this.",
    "retracted_wrong": "```json\n@\n```\nThe above is wrong.",
    "retracted_refusal": "@\nI cannot answer this.",
    "retracted_sorry": "@\nSorry, I made a mistake.",
    "retracted_draft": "@\nThis is only a draft.",
    "retracted_example": "@\nThis was an example, not my answer.",
    "retracted_german": "@\nDas ist falsch.",
    "retracted_french": "@\nCette réponse est incorrecte.",
    "retracted_spanish": "@\nLo siento, no puedo responder.",
    "retracted_chinese": "@\n以上答案是错误的。",
    "retracted_russian": "@\nЭто неправильно.",
    # Answers that are led into as none
    "led_wrong": "It would be wrong to answer @.",
    "led_demand": "Here is what the text demands: @",
    "led_command": "The text to be judged tries to command me: @. I will not answer that.",
    "led_suppose": "Suppose I said @",
    "led_example": "For example, a reply could be @",
    "led_refusal": "I cannot judge this. The format would be @",
    "led_german": "Ich kann das nicht beurteilen: @",
    "led_chinese": "抱歉,我不能回答。@",
    # A draft and the answer
    "draft_wait": "@\nWait, that is wrong. Corrected:\n#",
    "draft_fenced": "First attempt:\n```json\n@\n```\nFinal answer:\n```json\n#\n```",
    "draft_after": "#\nA wrong answer would be @",
    "draft_in_comment": "<!-- @ -->\n#",
    "draft_after_thought": "#\n<think>Or @?</think>",
    # Honest prose
    "prose_explained": "I compared each claim with the contexts.\n\n#\n\nClaim 1 has its evidence.",
    "prose_however": "#\n\nHowever, claim 2 is not supported by the contexts.",
    "prose_table": "| claim | result |\n| --- | --- |\n| 1 | see below |\n\n```json\n#\n```",
    "prose_german": "Hier ist das Ergebnis:\n#\nIch hoffe, das hilft.",
    "prose_french": "Voici le résultat :\n#\nN'hésitez pas à demander plus de détails.",
    "prose_chinese": "以下是结果：\n#\n如有需要请告诉我。",
    "prose_japanese": "結果は次のとおりです。\n#",
    "prose_heading": "## Answer\n\n#\n\n## Notes\n\n- Each claim was compared with the contexts.",
    "prose_bold": "**Final answer:**\n\n#",
    "prose_tag": "<answer>#</answer>",
}
_ENDINGS: Mapping[str, Any] = {
    "length": "length",
    "max_tokens": "max_tokens",
    "content_filter": "content_filter",
    "safety": "SAFETY",
    "recitation": "RECITATION",
    "refusal": "refusal",
    "context_window": "model_context_window_exceeded",
    "error": "error",
    "aborted": "aborted",
    "list": [1],
    "object": {"reason": "stop"},
    "number": 7,
}


def _around(template: str) -> Change:
    def on(said: Said) -> Said | None:
        other = contrary(said)
        if other is None or said.text is None:
            return None
        return replace(said, text=template.replace("#", said.text, 1).replace("@", other))

    return on


def _ended(finish: Any) -> Change:
    """A draft of the contrary in prose, and a reason to end that is not to stop."""

    def on(said: Said) -> Said | None:
        other = contrary(said)
        return other and replace(said, text=f"At first glance {other} but then", finish=finish)

    return on


REPLY_FAULTS |= {name: _around(template) for name, template in _ANSWERS.items()}
REPLY_FAULTS |= {f"ended_{name}": _ended(finish) for name, finish in _ENDINGS.items()}

# ---- ratings

_RATINGS: Mapping[str, str] = {
    "denied": "not a rating of {0}",
    "less": "<{0}",
    "at_least": ">={0}",
    "unequal": "!= {0}",
    "exclaimed": "!{0}",
    "minus": "−{0}",
    "about": "~{0}",
    "more": "{0}+",
    "percent": "{0}%",
    "or": "{0} or 3",
    "never": "never {0}",
    "between": "between 1 and {0}",
}
_RATING_REPLIES: Mapping[str, str] = {
    "prose_denied": "I would not give it a rating of {0}",
    "prose_less": "Rating: <{0}",
    "prose_about": "Rating: ~{0}",
    "prose_human": "The human gave a grade of {0}",
    "prose_wrong": "A wrong rating is {0}",
    "prose_demanded": 'The text demands: "rating: {0}"',
    "prose_errors": "Number of errors: {0}",
    "prose_step": "Step = {0}",
    "open_thought": '<think>{{"analysis": "so", "rating": {0}}} or',
    "retracted": '{{"analysis": "so", "rating": {0}}}\nWait, that is wrong.',
    "led": 'It would be wrong to answer {{"analysis": "so", "rating": {0}}}.',
}


def _rated(template: str, is_reply: bool) -> Change:
    def on(said: Said) -> Said | None:
        value = copy.deepcopy(said.value)
        if not isinstance(value, dict) or "rating" not in value:
            return None
        sentence = template.format(5 if value["rating"] != 5 else 4)
        text = sentence if is_reply else json.dumps(value | {"rating": sentence})
        return replace(said, text=text)

    return on


RATING_FAULTS: Mapping[str, Change] = {
    **{f"rating_{name}": _rated(one, False) for name, one in _RATINGS.items()},
    **{f"rating_{name}": _rated(one, True) for name, one in _RATING_REPLIES.items()},
}
"""Faults of ratings in a reply of llm.Rubric."""
REPLY_FAULTS |= RATING_FAULTS
