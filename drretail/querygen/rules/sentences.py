"""How dates, amounts and things are put into sentences, and sentences into a text."""

import re
from datetime import date

from drretail.querygen.rules.phrases import Phrase, article
from drretail.records.money import Money

# strftime("%B") would follow the machine's locale.
_MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)
_SEASONS = ("winter", "spring", "summer", "fall")
_SOUTHERN = frozenset({"AR", "AU", "BR", "CL", "NZ", "ZA"})
_SYMBOLS = {"USD": "$", "EUR": "€", "GBP": "£"}
_BEGINNING = re.compile(r"(?<=[.?!] )[a-z]")
_SINGULAR_VERBS = {"are": "is", "have": "has", "do": "does", "were": "was"}


def when(day: date, today: date) -> str:
    """When it was, seen from today: "a few weeks ago", "in March", "in March last year", "back in 2021"."""
    days = (today - day).days
    if days <= 45:
        return "a few days ago" if days <= 6 else "a few weeks ago"
    if day.year < today.year - 1:
        return f"back in {day.year}"
    return f"in {_MONTHS[day.month - 1]}{' last year' if day.year < today.year else ''}"


def how_long(day: date, today: date) -> str:
    """For how long one has had it: "for a few weeks", "since March", "since 2021"."""
    said = when(day, today)
    if said.endswith("ago"):
        return f"for {said.removesuffix(' ago')}"
    return f"since {said.removeprefix('back ').removeprefix('in ')}"


def day_named(day: date) -> str:
    """ "October 12"."""
    return f"{_MONTHS[day.month - 1]} {day.day}"


def season(today: date, country: str, later: int = 0) -> str:
    """The season of a day, or so many seasons later; half a year off south of the equator."""
    return _SEASONS[(today.month % 12 // 3 + (2 if country.upper() in _SOUTHERN else 0) + later) % 4]


def can_be_said(currency: str) -> bool:
    """True for currencies with a sign of their own: a bare code beside a number is easily misread."""
    return currency in _SYMBOLS


def amount(money: Money) -> str:
    """ "$60", "€60"."""
    return f"{_SYMBOLS[money.currency]}{money.amount}"


def text_of(*sentences: str) -> str:
    """A text of the sentences that say something, each with a capital."""
    text = " ".join(part[:1].upper() + part[1:] for part in sentences if part)
    return _BEGINNING.sub(lambda match: match[0].upper(), text)


class Said:
    """A noun phrase in a template: its name, ``:better`` "a better humidifier", ``.a`` "a humidifier".

    Any other attribute is a verb in the plural, given in the phrase's number: ``.are``, ``.have``, ``.look``.
    """

    def __init__(self, phrase: Phrase) -> None:
        self._phrase = phrase

    def __format__(self, adjective: str) -> str:
        if not adjective:
            return self._phrase.text
        if adjective == "another":
            return f"{'other' if self._phrase.plural else 'another'} {self._phrase.text}"
        return f"{adjective if self._phrase.plural else f'{article(adjective)} {adjective}'} {self._phrase.text}"

    def __getattr__(self, word: str) -> str:
        if word.startswith("_"):  # asked for by copy and pickle
            raise AttributeError(word)
        if word == "a":
            return self._phrase.some
        return word if self._phrase.plural else _SINGULAR_VERBS.get(word, f"{word}s")
