"""Cues: words that mark an opinion, a sweeping one about a group, or an insult, in English."""

from __future__ import annotations

from valor_llm.lexical.words import tokens

OPINION = frozenset(
    {
        *("absurd", "amazing", "awful", "awesome", "bad", "beautiful", "believe", "best"),
        *("better", "boring", "brilliant", "disappointing", "dislike", "dreadful", "excellent"),
        *("fantastic",),
        *(
            "feel",
            "glad",
            "good",
            "great",
            "hate",
            "hopefully",
            "horrible",
            "imo",
            "love",
            "lovely",
        ),
        *("must", "nice", "opinion", "ought", "overrated", "perfect", "pleasant", "poor"),
        *("prefer", "ridiculous", "sadly", "should", "stupid", "superb", "terrible", "think"),
        *("ugly", "underrated", "unfortunately", "wonderful", "worse", "worst", "worthless"),
        *("wrong",),
    }
)
"""Words by which an author judges."""

GROUP = frozenset(
    {
        *("boys", "girls", "men", "women", "males", "females", "blacks", "whites", "asians"),
        *("africans", "americans", "europeans", "foreigners", "immigrants", "migrants"),
        *("natives", "christians", "jews", "muslims", "hindus", "atheists", "conservatives"),
        *("liberals", "leftists", "democrats", "republicans", "socialists", "northerners"),
        *("southerners", "villagers", "easterners", "westerners"),
    }
)
"""Words for many people at once."""

SWEEPING = frozenset(
    {
        *("all", "always", "never", "naturally", "typical", "belong", "should", "cannot"),
        *("can't", "inferior", "superior", "lazy", "weak", "emotional", "dangerous", "criminal"),
        *("stupid", "better", "worse", "best", "worst", "bad", "simply", "every", "only"),
        *("nothing", "traitors", "ruin", "ruined", "destroy", "destroyed"),
    }
)
"""Words by which all of a group are judged at once."""

TOXIC = frozenset(
    {
        *("clown", "crap", "disgusting", "dumb", "dumbest", "fool", "fools", "garbage", "hate"),
        *("idiot", "idiotic", "idiots", "imbecile", "jerk", "kill", "loser", "losers", "moron"),
        *("morons", "pathetic", "scum", "shut", "stupid", "trash", "useless", "vermin"),
        *("worthless",),
    }
)
"""Words that insult or threaten."""

LINKING = frozenset(
    {
        *("also", "although", "and", "because", "besides", "but", "consequently", "finally"),
        *("first", "furthermore", "he", "hence", "her", "his", "however", "instead", "it"),
        *("its", "later", "meanwhile", "moreover", "next", "second", "she", "since", "so"),
        *("still", "such", "that", "their", "then", "there", "therefore", "these", "they"),
        *("this", "those", "thus", "yet"),
    }
)
"""Words that tie a sentence to the one before, where it begins with one of them."""


def found(text: str, cues: frozenset[str]) -> list[str]:
    """The cues that a text has, in their order.

    Examples
    --------
    >>> found("I think it is the best one.", OPINION)
    ['think', 'best']
    """
    return [word for word in tokens(text) if word in cues]
