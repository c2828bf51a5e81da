"""How many of a product a report says it prices: "2 × the kit ($87.98)", "the kit (2 units, $87.98)"."""

import re
from collections.abc import Sequence

MOST = 24
"""Larger numbers beside a name are sizes and packs more often than quantities."""
_WORDS = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_NUMBERS = {word: number for number, word in enumerate(_WORDS, start=2)} | {"pair": 2, "both": 2}
_NUMBER = rf"(?<![\w.,$€£#/-])(?P<number>\d{{1,2}}|{'|'.join(_NUMBERS)})"
_UNITS = r"(?:units?|pieces?|pcs|copies|items|of\s+(?:them|these|those|it))"
_BEFORE_A_NAME = re.compile(
    rf"{_NUMBER}\s*(?:[×x*]\s*)?(?:{_UNITS}\s+)?(?:of\s+)?(?:(?:the|these|those|your|our)\s+)?[\s*_\"“(\[]*$",
    re.IGNORECASE,
)
_ALONE = re.compile(
    rf"{_NUMBER}\s*(?:[×x](?=\W|$)|{_UNITS}\b)"
    r"|(?<![\w.])(?<!\d\s)[×x]\s?(?P<after>\d{1,2})(?![\w.,]|\s*(?:inch|in\b|cm|mm|ft|feet|\"|lb|oz))"
    r"|\b(?:qty|quantity)\.?\s*[:=]?\s*(?P<labelled>\d{1,2})\b",
    re.IGNORECASE,
)


def stated_quantities(text: str, names: Sequence[tuple[int, int]], start: int, end: int) -> tuple[int, ...]:
    """The small quantities, above one, that stand before or behind a name in ``text[start:end]``; anywhere in it
    where there is no name.
    """
    found: list[str] = []
    for first, last in names:
        if before := _BEFORE_A_NAME.search(text, max(start, first - 40), first):
            found.append(before["number"])
        found += _alone(text[last:end])
    if not names:
        found += _alone(text[start:end])
    numbers = (_NUMBERS.get(word.casefold()) or int(word) for word in found)
    return tuple(dict.fromkeys(number for number in numbers if 1 < number <= MOST))


def _alone(text: str) -> list[str]:
    return [match["number"] or match["after"] or match["labelled"] for match in _ALONE.finditer(text)]
