"""Until when what a question asks for has to arrive."""

import re

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
