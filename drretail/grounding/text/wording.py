"""Money, counts, titles, articles and lists as a reader sees them, for texts of ours."""

import re
from collections.abc import Iterable, Sequence
from decimal import ROUND_HALF_UP, Decimal

from drretail.grounding.text.words import PAIRS, UNSPACED, singular
from drretail.records.evidence import Citation
from drretail.records.money import MOST_DIGITS, Money

SYMBOLS = {"USD": "$", "EUR": "€", "GBP": "£", "JPY": "¥", "INR": "₹"}
_WITHOUT_CENTS = frozenset({"JPY"})
_SEPARATORS = re.compile(r"(?:(?<!\s)\s*)?(?:[|;•·–—]|\s-\s|,\s|:\s)\s*|(?<!\s)\s++(?=[(\[{])")
_LOOSE_END = " \t,;:.|/&+-–—•·([{'\"“‘"
_UNSPACED = re.compile(f"[{UNSPACED}]")
_BRACKETS = {")": "(", "]": "[", "}": "{"}
# A cut in front of these words' objects would leave them hanging.
_HANGING = frozenset(
    {"a", "an", "and", "as", "at", "by", "for", "from", "in", "of", "on", "or", "the", "to", "w", "with"}
)

# Words that begin with a vowel letter and a consonant sound, and the other way round.
_CONSONANT_SOUND = re.compile(r"(?i:u[bns][eiu]|one|eu)|U[A-Z]")
_SPELLED_VOWEL = re.compile(r"(?:[AEFHILMNORSX](?:[A-Z]|\d)|hour|heir|honest)")


def format_money(value: Decimal | float | int | str, currency: str = "USD") -> str:
    """``$1,234.56``, ``€12.00``, ``¥1,200``; other currencies as ``12.00 CHF``; what no shop asks as ``$1.00E+60``."""
    unit = Decimal(1) if currency in _WITHOUT_CENTS else Decimal("0.01")
    amount = Decimal(str(value))
    sign = "-" if amount < 0 else ""
    if amount.adjusted() < MOST_DIGITS:
        digits = f"{abs(amount.quantize(unit, rounding=ROUND_HALF_UP)):,}"
    else:
        digits = f"{abs(amount):.2E}"
    symbol = SYMBOLS.get(currency)
    return f"{sign}{digits} {currency}" if symbol is None else f"{sign}{symbol}{digits}"


def format_amount(money: Money) -> str:
    return format_money(money.value, money.currency)


def on_try(number: int) -> str:
    """ "on the second try", "on try 4"; empty for the first."""
    names = {1: "", 2: "on the second try", 3: "on the third try"}
    return names.get(number, f"on try {number}")


def article(text: str) -> str:
    """ "a" or "an", by sound."""
    if _SPELLED_VOWEL.match(text):
        return "an"
    return "an" if text[:1].casefold() in "aeiou" and not _CONSONANT_SOUND.match(text) else "a"


def is_plural(word: str) -> bool:
    folded = word.casefold()
    return folded in PAIRS or singular(folded) != folded


def listed(parts: Sequence[str], last: str = "and") -> str:
    """ "a", "a and b", "a, b and c"."""
    return parts[0] if len(parts) == 1 else f"{', '.join(parts[:-1])} {last} {parts[-1]}"


def short_title(title: str, limit: int = 60) -> str:
    """The front part of a listing's title, at most ``limit`` characters long.

    Cut at the last separator that leaves it short enough, else between words, without loose punctuation and open
    brackets.
    """
    words = " ".join(title.split())
    if len(words) <= limit:
        return words
    places = [match.start() for match in _SEPARATORS.finditer(words, 0, limit + 4) if match.start() <= limit]
    cuts = [place for place in places if len(_closed(words[:place])) == place]
    space = words.rfind(" ", 0, limit + 1)
    # A third of the length is the least to go by.
    end = cuts[-1] if cuts and cuts[-1] >= limit // 3 else space if space > 0 else limit
    return _tidy(words[:end]) or words[:limit].strip()


def _tidy(text: str) -> str:
    before = None
    while text != before:
        before = text
        text = _closed(text).rstrip(_LOOSE_END)
        front, _, last = text.rpartition(" ")
        if front and last.casefold() in _HANGING:
            text = front
    return text


def _closed(text: str) -> str:
    """The text up to the first bracket that is never closed."""
    opened: list[int] = []
    for index, character in enumerate(text):
        if character in _BRACKETS.values():
            opened.append(index)
        elif character in _BRACKETS and opened and text[opened[-1]] == _BRACKETS[character]:
            opened.pop()
    return text[: opened[0]] if opened else text


def word_count(report: str, citations: Iterable[Citation]) -> int:
    """How many words a reader of the report meets; citations and bare signs are none."""
    kept, end = [], 0
    for citation in sorted(citations, key=lambda citation: citation.start):
        kept.append(report[end : citation.start])
        end = max(end, citation.end)
    text = " ".join([*kept, report[end:]])
    return sum(any(character.isalnum() for character in word) for word in split_words(text))


def split_words(text: str) -> list[str]:
    """The words between white space; of scripts without spaces each sign is one."""
    return _UNSPACED.sub(r" \g<0> ", text).split()
