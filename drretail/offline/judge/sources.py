"""Sources as passages that can be quoted, and the figures that texts name."""

import calendar
import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from functools import lru_cache

from drretail.grounding.text.words import content_stems
from drretail.parsing import json_or_none

_SENTENCE = re.compile(r"[^\n]*?[.!?][\"')\]”’]*(?=\s)|[^\n]+")
_STRING = r'(?<!\\)"(?:[^"\\]|\\.)*+"'
_FIELD = re.compile(
    rf"(?P<key>{_STRING})\s*:\s*(?P<value>{_STRING}|-?\d[\d.eE+-]*|true|false|null)|(?P<item>{_STRING})"
)
_ESCAPE = re.compile(r"\\(?:[nrt]|u[0-9a-f]{4})", re.IGNORECASE)
_LONGEST_FIELD = 240
_ISO_MONTH = re.compile(r"\b\d{4}-(0[1-9]|1[0-2])-\d{2}")
# What people call the fields of the shop's records: a record's own words are its keys.
_SPOKEN = {
    "price": "cost",
    "average_rating": "stars rated",
    "rating_number": "ratings reviews",
    "order_date": "bought ordered purchased",
}
# Behind an "x" a number is the other side of a size: 47x47.
_NUMBER = re.compile(
    r"(?P<said>(?P<money>[$€£]\s?)?(?<![^\W_x])(?<!\d\.)(?P<number>\d[\d,]*(?:\.\d+)?))"
    r"(?=(?:[\s-](?P<counted>[^\W\d_]{2,}))?)"
)
_THOUSANDS = re.compile(r",(?=\d{3}(?!\d))")
_SCALE = re.compile(r"\s?/\s?5\b|\b(?:out )?of 5\b(?= stars?\b|[\s.,;)]*$)|(?<=\d )out of 5\b")
_NUMBER_WORDS = ("two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_NUMBER_WORD = re.compile(rf"\b(?:{'|'.join(_NUMBER_WORDS)})\b", re.IGNORECASE)
_RATING_KEYS = ("average_rating", "rating_number")


@dataclass(frozen=True, slots=True)
class Passage:
    """A stretch of a source as it stands there, and the stems of what it says."""

    raw: str
    stems: frozenset[str]


@dataclass(frozen=True, slots=True)
class Source:
    """A source's passages, and the numbers it names; ``prices`` are those that an amount of money can be."""

    passages: tuple[Passage, ...]
    is_record: bool
    numbers: frozenset[Decimal]
    prices: frozenset[Decimal]

    @property
    def together(self) -> tuple[frozenset[str], ...]:
        """What is said together: the words of a sentence, and all words of a record, which is about one thing."""
        each = tuple(passage.stems for passage in self.passages)
        return (frozenset[str]().union(*each),) if self.is_record else each

    @property
    def has_words(self) -> bool:
        """False for a bare calculation, such as "40.99+85.99 = 126.98"."""
        return any(passage.stems for passage in self.passages)


@dataclass(frozen=True, slots=True)
class Figure:
    """A number in figures as a text says it."""

    text: str
    number: Decimal
    is_money: bool
    counted: str
    """The word behind it in lower case, or ""."""

    def is_rounded(self, number: Decimal) -> bool:
        """True when ``number`` gives this figure, rounded to the decimals with which it is written."""
        last_digit = Decimal(1).scaleb(_exponent(self.number))
        return abs(number - self.number) * 2 <= last_digit


def figures_of(text: str) -> list[Figure]:
    """The numbers written in figures, without the 5 of a scale of stars."""
    return [
        Figure(match["said"], _decimal(match["number"]), bool(match["money"]), (match["counted"] or "").casefold())
        for match in _NUMBER.finditer(_SCALE.sub("", text))
    ]


@lru_cache(maxsize=64)
def read_source(text: str) -> Source:
    """The passages of a source: the fields of what parses as JSON, else sentences and lines."""
    is_record = _is_json(text)
    passages = tuple(_fields(text) if is_record else (_passage(raw) for raw in _sentences(text)))
    numbers = _numbers(text)
    if not is_record:
        return Source(passages, False, numbers, numbers)
    rated = [passage.raw for passage in passages if any(f'"{key}"' in passage.raw for key in _RATING_KEYS)]
    priced = [passage.raw for passage in passages if passage.raw not in rated]
    return Source(passages, True, numbers, frozenset().union(*map(_numbers, priced)))


def _is_json(text: str) -> bool:
    return isinstance(json_or_none(text), dict | list)


def _fields(text: str) -> Iterator[Passage]:
    """Each field with its key; long texts by their sentences."""
    for match in _FIELD.finditer(text):
        value = match["value"] or match["item"]
        if len(value) > _LONGEST_FIELD:
            yield from (_passage(raw) for raw in _sentences(value[1:-1]))
        else:
            key = (match["key"] or "").strip('"')
            yield _passage(match[0], f"{key.replace('_', ' ')} {_SPOKEN.get(key, '')} {value}")


def _sentences(text: str) -> Iterator[str]:
    return (raw for match in _SENTENCE.finditer(text) if (raw := match[0].strip()))


def _passage(raw: str, plain: str | None = None) -> Passage:
    plain = _ESCAPE.sub(" ", raw if plain is None else plain)
    months = " ".join(calendar.month_name[int(month)] for month in set(_ISO_MONTH.findall(plain)))
    return Passage(raw, frozenset(content_stems(f"{plain} {months}")))


def _numbers(text: str) -> frozenset[Decimal]:
    numbers = {_NUMBER_WORDS.index(word[0].casefold()) + 2 for word in _NUMBER_WORD.finditer(text)}
    return frozenset({figure.number for figure in figures_of(text)} | {Decimal(number) for number in numbers})


def _decimal(digits: str) -> Decimal:
    """1,234.5 and 19,95: a comma before three digits parts thousands, another one is a decimal comma."""
    return Decimal(_THOUSANDS.sub("", digits.rstrip(",")).replace(",", ".", 1).replace(",", ""))


def _exponent(number: Decimal) -> int:
    exponent = number.as_tuple().exponent
    return exponent if isinstance(exponent, int) else 0
