"""Every numeral of a text, whatever it counts, with the unit that is written with it.

The number of a list item or a heading ("2. Kettle", "#3"), a scale ("4.6 of 5"), an id ("0704175490", "756mbmmg") and a
number within a word ("B12", "USB3") are no numerals. A date is one.
"""

import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass
from decimal import Decimal, InvalidOperation

from drretail.grounding.text.amounts import WrittenDate, number_of
from drretail.grounding.text.words import stem

_RUN = re.compile(r"(?<![^\W_])\d[^\W_]*(?:(?<=\d)[.,'’]\d+)*[^\W_]*")
_DIGITS = re.compile(r"\d+(?:[.,'’]\d+)*")
_ID_LENGTH = 8
"""Digits, or digits with letters, that only an id has: an order's, a barcode's."""
_OF_LIST = re.compile(r"[.):](?=[\s*]|\Z)")
_UNIT = re.compile(r"\s?[-\u2011]?(?P<unit>fl\.?\s?oz|fluid ounces?|['’]{2}|[^\W\d_]{1,20}|[%°\"″”'′])", re.IGNORECASE)
_SIGN = re.compile(r"[$€£¥₹]\s?\Z")
_SCALE = re.compile(r"(?:/|\bof)\s?\Z", re.IGNORECASE)
_UNITS = {
    name: names.split(",")[0]
    for names in r"""
    l,litre,liter ml,millilitre,milliliter g,gram kg,kilo,kilogram mg,milligram floz,fluidounce oz,ounce lb,pound
    qt,quart gal,gallon in,inch,inche,",″,”,'',’’ ft,foot,feet,',′ yd,yard m,meter,metre mm,millimeter,millimetre
    cm,centimeter,centimetre h,hr,hour min,minute s,sec,second d,day week month y,yr,year w,watt v,volt lumen,lm
    gb tb mah %,percent db,decibel hz,hertz pc,piece
    """.split()  # noqa: SIM905 - a list of words is read more easily so
    for name in names.split(",")
}
"""Units by their names without a plural s, spaces and dots."""


@dataclass(frozen=True, slots=True)
class Numeral:
    """``text[start:end]`` are the digits of a numeral, or a whole date."""

    start: int
    end: int
    number: Decimal | None
    """None for a date, and for digits that write no number ("1,2,34")."""
    unit: str = ""
    """Its unit in one spelling ("in" for inches), the stem of the word behind it, or the sign of a currency."""
    stop: int = 0
    """The end of the unit."""


def find_numerals(
    text: str, dates: Sequence[WrittenDate] = (), starts: frozenset[int] = frozenset()
) -> Iterator[Numeral]:
    """The numerals in text order; at one of ``starts``, where a line begins, the number of a list is none."""
    days = {date.start: date.end for date in dates}
    position = 0
    for run in _RUN.finditer(text):
        day = next((end for start, end in days.items() if start <= run.start() < end), None)
        if run.start() < position:
            continue
        if day is not None:
            position = day
            yield Numeral(run.start(), day, None, stop=day)
            continue
        if _is_id(run[0]):
            continue
        for digits in _DIGITS.finditer(text, run.start(), run.end()):
            is_of_list = digits.start() in starts and _OF_LIST.match(text, digits.end())
            before = text[max(0, digits.start() - 4) : digits.start()]
            is_scale = digits[0] in ("5", "10") and _SCALE.search(before)
            if not (is_of_list or is_scale or before.endswith("#")):
                yield _numeral(text, digits)


def _numeral(text: str, digits: re.Match[str]) -> Numeral:
    sign = _SIGN.search(text, max(0, digits.start() - 2), digits.start())
    behind = _UNIT.match(text, digits.end())
    unit = sign[0].strip() if sign else canonical_unit(behind["unit"]) if behind else ""
    stop = behind.end() if behind and not sign else digits.end()
    with suppress(InvalidOperation):  # "1,2,34" is a list
        return Numeral(*digits.span(), number_of(digits[0]), unit, stop)
    return Numeral(*digits.span(), None, unit, stop)


def canonical_unit(name: str) -> str:
    """A unit in one spelling; the stem of a word that is none."""
    name = re.sub(r"[\s.]", "", name.casefold())
    return _UNITS.get(name) or _UNITS.get(name.removesuffix("s")) or stem(name)


def _is_id(run: str) -> bool:
    """True for digits of an id's length, and for letters and digits that alternate, but for dimensions ("47x47")."""
    kinds = re.sub(r"[^\W\d_]+", "a", re.sub(r"\d+(?:[.,'’]\d+)*", "0", re.sub(r"(?<=\d)[xX×](?=\d)", " ", run)))
    return (len(run) >= _ID_LENGTH and kinds in ("0", "0a") and run.isalnum()) or "0a0" in kinds
