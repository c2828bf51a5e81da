"""Things as a reader sees them: money, titles and lists."""

import re
from collections.abc import Iterable
from decimal import ROUND_HALF_UP, Decimal

from drretail.records.shop import MOST_DIGITS, Money
from drretail.reports.text.words import UNSPACED

SYMBOLS = {"USD": "$", "EUR": "€", "GBP": "£", "JPY": "¥", "INR": "₹"}
_WITHOUT_CENTS = frozenset({"JPY"})
_SEPARATORS = re.compile(r"(?:(?<!\s)\s*)?(?:[|;•·–—]|\s-\s|,\s|:\s)\s*|(?<!\s)\s++(?=[(\[{])")
_LOOSE_END = " \t,;:.|/&+-–—•·([{'\"“‘"
_UNSPACED = re.compile(f"[{UNSPACED}]")
_BRACKETS = {")": "(", "]": "[", "}": "{"}
# A title must not end in one of these words.
_HANGING = frozenset(
    {"a", "an", "and", "as", "at", "by", "for", "from", "in", "of", "on", "or", "the", "to", "w", "with"}
)


def format_money(value: Decimal | float | int | str, currency: str = "USD") -> str:
    """``$1,234.56``, ``€12.00``, ``¥1,200``; other currencies as ``12.00 CHF``; very large ones as ``$1.00E+60``."""
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


def listed(parts: Iterable[str], last: str = "and") -> str:
    """ "a", "a and b", "a, b and c"."""
    *most, end = parts
    return f"{', '.join(most)} {last} {end}" if most else end


def short_title(title: str, limit: int = 60) -> str:
    """The beginning of a listing's title, at most ``limit`` characters long.

    It is cut at the last separator within the limit, else between words, without loose punctuation and open brackets.
    """
    words = " ".join(title.split())
    if len(words) <= limit:
        return words
    places = [match.start() for match in _SEPARATORS.finditer(words, 0, limit + 4) if match.start() <= limit]
    cuts = [place for place in places if len(_closed(words[:place])) == place]
    space = words.rfind(" ", 0, limit + 1)
    # A cut must leave at least a third of the limit.
    end = cuts[-1] if cuts and cuts[-1] >= limit // 3 else space if space > 0 else limit
    text, before = words[:end], None
    while text != before:
        before = text
        text = _closed(text).rstrip(_LOOSE_END)
        front, _, last = text.rpartition(" ")
        if front and last.casefold() in _HANGING:
            text = front
    return text or words[:limit].strip()


def _closed(text: str) -> str:
    """The text up to the first bracket that is never closed."""
    opened: list[int] = []
    for index, character in enumerate(text):
        if character in _BRACKETS.values():
            opened.append(index)
        elif character in _BRACKETS and opened and text[opened[-1]] == _BRACKETS[character]:
            opened.pop()
    return text[: opened[0]] if opened else text


def split_words(text: str) -> list[str]:
    """The words between white space; in scripts without spaces, each sign is one."""
    return _UNSPACED.sub(r" \g<0> ", text).split()
