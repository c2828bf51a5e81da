"""Sources as passages that can be quoted, and the figures that texts name."""

import calendar
import re
from collections.abc import Collection, Iterator
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
_ISO_MONTH = re.compile(r"\b\d{4}-(0[1-9]|1[0-2])-\d{2}")
# What people call the fields of the shop's records: a record's own words are its keys.
_SPOKEN = {
    "price": "cost",
    "average_rating": "stars rated",
    "rating_number": "ratings reviews",
    "order_date": "bought ordered purchased",
}
# Behind an "x" a number is the other side of a size: 47x47.
_NUMBER = re.compile(r"(?:[$€£]\s?)?(?<![^\W_x])(?<!\d\.)(?P<digits>\d[\d,]*(?:\.\d+)?)")
_THOUSANDS = re.compile(r",(?=\d{3}(?!\d))")


@dataclass(frozen=True, slots=True)
class Passage:
    """A stretch of a source, and the stems of its words."""

    raw: str
    stems: frozenset[str]


@dataclass(frozen=True, slots=True)
class Source:
    """A source's passages, and the numbers it names."""

    passages: tuple[Passage, ...]
    is_record: bool
    numbers: frozenset[Decimal]

    @property
    def together(self) -> tuple[frozenset[str], ...]:
        """Words that belong together: those of a sentence, and all of a record, which is about one thing."""
        each = tuple(passage.stems for passage in self.passages)
        return (frozenset[str]().union(*each),) if self.is_record else each

    @property
    def has_words(self) -> bool:
        """False for a bare calculation, such as "40.99+85.99 = 126.98"."""
        return any(passage.stems for passage in self.passages)


@lru_cache(maxsize=64)
def read_source(text: str) -> Source:
    """The passages of a source: the fields of what parses as JSON, else sentences and lines."""
    is_record = isinstance(json_or_none(text), dict | list)
    sentences = (raw for match in _SENTENCE.finditer(text) if (raw := match[0].strip()))
    passages = _fields(text) if is_record else (_passage(raw, raw) for raw in sentences)
    return Source(tuple(passages), is_record, frozenset(numbers_in(text).values()))


def numbers_in(text: str) -> dict[str, Decimal]:
    """The numbers that a text names in figures, those of dates too, by how they are written, with a sign before them.

    A comma before three digits parts thousands ("1,234.5"), another one is a decimal comma ("19,95").
    """
    digits = {match[0].rstrip(","): match["digits"].rstrip(",") for match in _NUMBER.finditer(text)}
    plain = {written: _THOUSANDS.sub("", number).replace(",", ".", 1) for written, number in digits.items()}
    return {written: Decimal(number.replace(",", "")) for written, number in plain.items()}


def is_known(number: Decimal, known: Collection[Decimal]) -> bool:
    """True where a known number gives this one, rounded to the decimals with which it is written."""
    half = Decimal(1).scaleb(int(number.as_tuple().exponent)) / 2
    return any(abs(one - number) <= half for one in known)


def _fields(text: str) -> Iterator[Passage]:
    """Each field with its key."""
    for match in _FIELD.finditer(text):
        key = (match["key"] or "").strip('"')
        value = match["value"] or match["item"]
        yield _passage(match[0], f"{key.replace('_', ' ')} {_SPOKEN.get(key, '')} {value}")


def _passage(raw: str, plain: str) -> Passage:
    plain = _ESCAPE.sub(" ", plain)
    months = " ".join(calendar.month_name[int(month)] for month in set(_ISO_MONTH.findall(plain)))
    return Passage(raw, frozenset(content_stems(f"{plain} {months}")))
