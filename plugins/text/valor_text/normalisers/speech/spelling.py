"""American spellings of British words, and full forms of abbreviations.

Our selection. Word families are products of stems and endings; some products are not words, which
does no harm.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

_OUR = """arb ard arm behavi cand clam col demean endeav enam fav ferv flav harb hon hum lab
neighb od parl ranc rig rum sav savi splend succ tum val vap vig"""
_OUR_ENDINGS = """our ours oured ouring ourer ourers ourable ourably ourite ourites ourful ourfully
ourless ourly ourhood ourhoods oural ourally oury ouries"""

_RE = """calib cent centimet fib goit kilomet lit lust meag met millilit millimet och reconnoit sab
salpet scept sepulch somb spect theat"""

_ISE = """agon amort antagon apolog author brutal canon capital categor central character civil
colon commercial computer critic crystall custom decentral democrat demonet demoral deputi digit
econom emphas energ equal euthan fantas fertil final formal fossil fratern galvan general
global harmon hospital hypothes ideal idol immortal immun individual industrial initial
international ital item jeopard legal legitim liberal local lion material maxim mechan memor mesmer
minim mobil modern monopol moral motor national neutral normal optim organ ostrac oxid pasteur
patron penal personal plagiar polar popular pressur priorit privat public pulver random rational
real recogn reorgan revital revolution romantic sanit satir scrutin sensit social special stabil
standard steril stigmat subsid summar symbol sympath synchron tantal terror theor token traumat
trivial urban util vandal verbal victim visual vocal weapon western"""
_ISE_ENDINGS = """ise ises ised ising iser isers isation isations isational isable"""

_DOUBLED = """bevel cancel channel chisel counsel dial duel equal fuel funnel grovel jewel label
level libel marshal marvel model panel parcel pedal pencil quarrel rival shovel shrivel signal
snivel spiral stencil swivel total towel travel tunnel unravel"""
_DOUBLED_ENDINGS = "ed ing er ers or ors"

_SINGLE = "appal distil enrol enthral fulfil instil"

_ENCE = "defence licence offence pretence"

_DIGRAPHS = """anaemia anaemic anaesthesia anaesthetic anaesthetist caesarean diarrhoea
encyclopaedia foetal foetus gynaecologist gynaecology haemoglobin haemophilia haemorrhage leukaemia
mediaeval oesophagus oestrogen orthopaedic orthopaedics paediatric paediatrician
paediatrics"""

_OTHERS = {
    "acknowledgement": "acknowledgment",
    "aeroplane": "airplane",
    "ageing": "aging",
    "aluminium": "aluminum",
    "analogue": "analog",
    "artefact": "artifact",
    "catalogue": "catalog",
    "catalogued": "cataloged",
    "cheque": "check",
    "chilli": "chili",
    "cosy": "cozy",
    "disc": "disk",
    "doughnut": "donut",
    "draught": "draft",
    "draughty": "drafty",
    "enrolment": "enrollment",
    "fulfilment": "fulfillment",
    "gaol": "jail",
    "grey": "gray",
    "greyed": "grayed",
    "greyish": "grayish",
    "instalment": "installment",
    "jewellery": "jewelry",
    "judgement": "judgment",
    "kerb": "curb",
    "manoeuvre": "maneuver",
    "manoeuvred": "maneuvered",
    "manoeuvring": "maneuvering",
    "marvellous": "marvelous",
    "marvellously": "marvelously",
    "mould": "mold",
    "moulded": "molded",
    "moulding": "molding",
    "mouldy": "moldy",
    "moustache": "mustache",
    "omelette": "omelet",
    "plough": "plow",
    "ploughed": "plowed",
    "ploughing": "plowing",
    "practise": "practice",
    "practised": "practiced",
    "practising": "practicing",
    "programme": "program",
    "pyjamas": "pajamas",
    "sceptic": "skeptic",
    "sceptical": "skeptical",
    "scepticism": "skepticism",
    "skilful": "skillful",
    "skilfully": "skillfully",
    "smoulder": "smolder",
    "storey": "story",
    "storeys": "stories",
    "sulphur": "sulfur",
    "tyre": "tire",
    "wilful": "willful",
    "woollen": "woolen",
    "yoghurt": "yogurt",
}
_SHORT = {
    "alright": "all right",
    "cannot": "can not",
    "dr": "doctor",
    "dunno": "do not know",
    "etc": "et cetera",
    "gimme": "give me",
    "gonna": "going to",
    "gotta": "got to",
    "jr": "junior",
    "kinda": "kind of",
    "lemme": "let me",
    "mr": "mister",
    "mrs": "missus",
    "ok": "okay",
    "prof": "professor",
    "sorta": "sort of",
    "sr": "senior",
    "vs": "versus",
    "wanna": "want to",
}


def _pairs() -> Iterator[tuple[str, str]]:
    for stem in _OUR.split():
        for ending in _OUR_ENDINGS.split():
            yield stem + ending, stem + ending.replace("our", "or", 1)
    for stem in _RE.split():
        for british, american in (("re", "er"), ("res", "ers"), ("red", "ered"), ("ring", "ering")):
            yield stem + british, stem + american
    for stem in _ISE.split():
        for ending in _ISE_ENDINGS.split():
            yield stem + ending, stem + ending.replace("is", "iz", 1)
    for stem in ("analy", "cataly", "paraly"):
        # "analyses" and "paralyses" are also plurals of "analysis" and "paralysis".
        for ending in ("se", "sed", "sing", "ser", "sers"):
            yield stem + ending, stem + ending.replace("s", "z", 1)
    for stem in _DOUBLED.split():
        for ending in _DOUBLED_ENDINGS.split():
            yield f"{stem}{stem[-1]}{ending}", stem + ending
    for word in _SINGLE.split():
        yield word, word + "l"
        yield word + "s", word + "ls"
    for word in _ENCE.split():
        yield word, word.removesuffix("ce") + "se"
        yield word + "s", word.removesuffix("ce") + "ses"
    for word in _DIGRAPHS.split():
        yield word, word.replace("ae", "e").replace("oe", "e")
        yield word + "s", word.replace("ae", "e").replace("oe", "e") + "s"
    for british, american in _OTHERS.items():
        yield british, american
        yield british + "s", american + "s"
    yield from _SHORT.items()


SPELLINGS: Mapping[str, str] = dict(_pairs())
"""American spelling or full form by word; some full forms have several words."""
