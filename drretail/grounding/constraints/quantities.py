"""How many of what a query wants: "two dog beds" is {"dog bed": 2}; one of a thing is not a quantity."""

import re

from drretail.grounding.constraints.demand_words import CONTAINERS, NOT_BOUGHT, SINGULAR_IN_S
from drretail.grounding.text.words import NUMBERS

_NUMBERS = NUMBERS | {str(n): n for n in range(2, 100)}
# Words that end the name of a thing before it has come to its plural.
_STOP = (
    r"(?:with|for|that|and|or|to|in|on|of|at|under|from|by|the|my|our|which|who|is|are|as|per|than|more|other"
    r"|different)"
)
_NO_PLURAL = rf"(?:[a-z-]*ss|{'|'.join(sorted(SINGULAR_IN_S))})"
_ITEM = re.compile(
    rf"(?<![\w.,$€£-])(?P<number>\d{{1,2}}|{'|'.join(NUMBERS)})\s+"
    rf"(?P<name>(?:(?!{_STOP}\b)[a-z0-9][a-z0-9-]*\s+){{0,4}}?(?!{_STOP}\b)(?!{_NO_PLURAL}\b)[a-z][a-z-]*s)\b(?!['’-])(?!\s+of\b)",
    re.IGNORECASE | re.MULTILINE,
)
_REQUEST = re.compile(
    r"(?:needs?|wants?|buy|buying|order|ordering|get|getting|find|purchase|purchasing|recommend|suggest|pick|choose|me|us|require|replace)$",
    re.IGNORECASE,
)
_REQUEST_FOR = re.compile(r"\b(?:looking|shopping|searching|search|shop)\s+for\s+$", re.IGNORECASE)
_LIST = re.compile(r"(?:and|plus|,|;|&)$", re.IGNORECASE)
_POSSESSED = re.compile(r"\b(?:have|has|own|owns|my|our|got|with|for)\b[^.!?\n]*$", re.IGNORECASE)


def read_quantities(text: str) -> dict[str, int]:
    """Names in the singular with their numbers, in text order; only what the text plainly asks to get."""
    wanted: dict[str, int] = {}
    for sentence in re.split(r"(?<=[.!?])\s+|\n", text):
        counted = False
        for match in _ITEM.finditer(sentence):
            counted = _is_asked_for(sentence[: match.start("number")], continued=counted)
            name = " ".join(match["name"].casefold().split())
            if counted and _is_bought(name):
                wanted.setdefault(_singular(name), _NUMBERS[match["number"].casefold()])
    return wanted


def _is_asked_for(before: str, *, continued: bool) -> bool:
    words = before.rstrip()
    if not words or _REQUEST.search(words) or _REQUEST_FOR.search(before):
        return True
    return continued and bool(_LIST.search(words)) and not _POSSESSED.search(words)


def _is_bought(name: str) -> bool:
    words = name.split()
    return words[-1] not in NOT_BOUGHT and (len(words) > 1 or words[-1] not in CONTAINERS)


def _singular(name: str) -> str:
    for plural, singular in (("ies", "y"), ("sses", "ss"), ("shes", "sh"), ("ches", "ch"), ("xes", "x"), ("ves", "fe")):
        if name.endswith(plural):
            return name.removesuffix(plural) + singular
    return name.removesuffix("s")


_MONTH = (
    r"(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?|sept?(?:ember)?|oct(?:ober)?"
    r"|nov(?:ember)?|dec(?:ember)?)\b\.?"
)
_DAY = r"\d{1,2}(?:st|nd|rd|th)?\b(?![\d:])"
_DATE = "|".join(
    (
        rf"(?:the\s+)?{_DAY}\s+(?:of\s+)?{_MONTH}(?:,?\s+\d{{4}}\b)?",
        rf"{_MONTH}(?:\s+{_DAY})?(?:,?\s+\d{{4}}\b)?",
        r"\d{4}-\d{2}-\d{2}",
        r"\d{1,2}/\d{1,2}(?:/\d{2,4})?",
        r"tomorrow|tonight",
        r"(?:(?:this|next)\s+)?(?:mon|tues|wednes|thurs|fri|satur|sun)day",
        r"(?:the\s+)?end\s+of\s+(?:the|this|next)\s+(?:week|month|year)|(?:this|next)\s+(?:week|weekend|month)|the\s+weekend",
        r"christmas(?:\s+eve)?|xmas|easter|halloween|thanksgiving|hanukkah|diwali|new\s+year(?:'s)?(?:\s+eve)?",
        r"(?:valentine|mother|father)'s(?:\s+day)?",
    )
)
_COUNT = r"(?:\d{1,2}|an?|one|two|three|four|five|six|seven|eight|nine|ten|twelve)"
_DEADLINE = re.compile(
    rf"\b(?:(?:by|before|no\s+later\s+than)\s+(?:{_DATE})(?!\w)"
    rf"|within\s+(?:the\s+next\s+)?{_COUNT}\s+(?:business\s+)?(?:hour|day|week)s?\b)",
    re.IGNORECASE,
)
# What happened, or may happen, to products is no wish about their arrival: "broke within two weeks".
_EVENT = re.compile(
    r"\b(?:broke|fell|died|was|were|been|had|got|wore|returns?|returned|refunds?|refunded|replaced?|lasts?|used?|stopped"
    r"|failed|ordered|bought|cracked|faded|leaked|born|made|released|expired?|wilted|moved|ready)\s+(?:[\w']+\s+){0,2}$",
    re.IGNORECASE,
)
# Nor is what they do: "it creases within two hours", "the blades go dull within two weeks".
_WEARS = re.compile(
    r"\b(?:(?:creas|wrinkl|fad|leak|crack|melt|peel|drain|shrink|spoil|clog|sag|tangl|rust|wilt|warp|chip|overheat|dull|mold"
    r"|unravel|rot|stain|deflat|dissolv|evaporat|smell)(?:e?s|e|es|ed|ing)?|(?:dri|di|spli|ri|tear|fail|break|stop|start|fall|lose|wear"
    r"|go|goe|give|quit|burn)e?s|(?:go|get|turn|fall)(?:es|s)?\s+(?:dull|flat|bad|soft|stale|limp|sour|off|moldy|dark|cold|out|apart))"
    r"\s+(?:[a-z]+\s+){0,2}$",
    re.IGNORECASE,
)
_DOES = re.compile(
    r"\b(?:it|which)\s+(?:\w+ly\s+|always\s+|often\s+|even\s+|already\s+)?(?!(?:arrives|comes|gets|ships|reaches|is|has|needs"
    r"|wants|does|was|as|lands)\b)[a-z]+s\s+(?:[a-z]+\s+)?$",
    re.IGNORECASE,
)


def read_deadline(text: str) -> str | None:
    """The first deadline with its preposition, such as "by December 24"; None where there is none."""
    plain = text.replace("’", "'")
    for match in _DEADLINE.finditer(plain):
        before = re.split(r"[.!?;\n]", plain[max(0, match.start() - 60) : match.start()])[-1]
        if not any(pattern.search(before) for pattern in (_EVENT, _WEARS, _DOES)):
            return " ".join(text[match.start() : match.end()].split())
    return None
