"""How many of what a query wants: "two dog beds" is {"dog bed": 2}; one of a thing is not a quantity."""

import re

from drretail.grounding.vocabulary import CONTAINERS, NOT_BOUGHT, SINGULAR_IN_S

_WORDS = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_NUMBERS = {word: number for number, word in enumerate(_WORDS, start=2)} | {str(n): n for n in range(2, 100)}
# Words that end the name of a thing before it has come to its plural.
_STOP = (
    r"(?:with|for|that|and|or|to|in|on|of|at|under|from|by|the|my|our|which|who|is|are|as|per|than|more|other"
    r"|different)"
)
_NO_PLURAL = rf"(?:[a-z-]*ss|{'|'.join(sorted(SINGULAR_IN_S))})"
_ITEM = re.compile(
    rf"(?<![\w.,$€£-])(?P<number>\d{{1,2}}|{'|'.join(_WORDS)})\s+"
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
