"""How products, prices, ratings, dates and citations are written in a report."""

import re
from collections.abc import Iterable
from datetime import date
from decimal import Decimal

from drretail.grounding.wording import format_money, short_title
from drretail.llm.offline.shopper.candidates import Candidate
from drretail.llm.offline.shopper.words import word_set

_LENGTHS = (55, 80, 120)
_SHORTEST_NAME = 12
FEW_RATINGS = 25
_BREAK = re.compile(r"\s*[,;:|•·–—()\[\]/.]|\s-\s")
_OPENS_PHRASE = re.compile(r"[,;:|–—]\s|\s-\s|\s(?:with|for|of|in|to|by|from|w|on|without|that|as)\s", re.IGNORECASE)
# First words of promises that are names wherever they stand.
_NAMES = word_set(
    """American Amish Arabica Bluetooth British Canadian Celsius Chinese Danish Dutch Egyptian English European
    Fahrenheit Finnish French German Himalayan Irish Italian Japanese Kevlar Korean Lycra Mediterranean Norwegian
    Phillips Portuguese Scottish Spanish Swedish Swiss Teflon Torx Tritan Turkish Velcro"""
)


class Names:
    """Short names, told apart: two products never share one."""

    def __init__(self, products: Iterable[Candidate]) -> None:
        self._names: dict[str, str] = {}
        for product in products:
            if product.product_id not in self._names:
                self._names[product.product_id] = self._free_name(product)

    def of(self, product: Candidate) -> str:
        return self._names.get(product.product_id) or self._free_name(product)

    def _free_name(self, product: Candidate) -> str:
        # Brackets would read as markdown, and a bold name may not hold an asterisk.
        title = product.title.replace("*", "").replace("[", "(").replace("]", ")")
        taken = set(self._names.values())
        names = [cut_title(title, length) for length in _LENGTHS]
        return next((name for name in names if name not in taken), f"{names[-1]} ({product.product_id})")


def cut_title(title: str, limit: int) -> str:
    """``short_title``; where that ends within a phrase ("for Dogs" of "for Dogs and Cats"), without the phrase."""
    whole, short = " ".join(title.split()), short_title(title, limit)
    if short == whole or not whole.startswith(short) or _BREAK.match(whole, len(short)):
        return short
    openings = [match.start() for match in _OPENS_PHRASE.finditer(short) if match.start() >= _SHORTEST_NAME]
    return short[: openings[-1]].rstrip(" ,;:–—-|&+/") if openings else short


def cite(*evidence: str | None) -> str:
    """``[P:a][P:b]``, each id once."""
    return "".join(f"[{one}]" for one in dict.fromkeys(evidence) if one)


def price_text(product: Candidate) -> str:
    """ "$19.99", "from $19.99", "no price listed"."""
    if product.price is None:
        return "no price listed"
    return f"{'from ' if product.price_from else ''}{format_money(product.price, product.currency)}"


def amount_text(value: Decimal) -> str:
    """``$60`` for whole dollars, else with cents: a shopper's own limits are seldom in cents."""
    return format_money(value).removesuffix(".00")


def stars(rating: float) -> str:
    """ "4.0": ratings always have one decimal, so that they compare at a glance."""
    return f"{rating:.1f}"


def rating_text(product: Candidate) -> str:
    """ "4.6 out of 5 from 2,067 ratings"."""
    if product.rating is None:
        return "no rating yet"
    if not product.ratings:
        return f"{stars(product.rating)} out of 5"
    return f"{stars(product.rating)} out of 5 from {counted(product.ratings, 'rating')}"


def counted(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"


def in_sentence(phrase: str, names: Iterable[str | None]) -> str:
    """A phrase for the middle of a sentence: its first letter small, unless a name or an abbreviation begins it.

    ``names`` are the makers whose words keep their capitals.
    """
    first = re.split(r"[\s,;:.'’-]", phrase, maxsplit=1)[0]
    own = {word.casefold() for name in names for word in (name or "").split()}
    is_name = first.casefold() in own or first in _NAMES or first == "I"
    plain = first[1:].islower() or len(first) == 1
    return phrase if is_name or not plain else phrase[0].lower() + phrase[1:]


def day_text(iso: str) -> str:
    """ "5 March 2022" of an ISO date; other texts as they are."""
    try:
        day = date.fromisoformat(iso[:10])
    except ValueError:
        return iso
    return f"{day.day} {day:%B %Y}"
