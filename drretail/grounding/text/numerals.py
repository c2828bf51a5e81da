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
_SIDE = re.compile(r"\s?[LWHD](?=\s?(?i:in|inch|inches|cm|mm|feet|ft)\b)")
"""The side that a figure is of, between it and its unit: "41.5 L x 23 H inches"."""
_SIGN = re.compile(r"[$€£¥₹]\s?\Z")
_SCALE = re.compile(r"(?:/|\bof)\s?\Z", re.IGNORECASE)
_SIZES = {
    "volume": "ml 1 cl 10 dl 100 l 1000 floz 29.5735 qt 946.353 gal 3785.41",
    "mass": "mg .001 g 1 kg 1000 oz 28.3495 lb 453.592",
    "length": "mm 1 cm 10 m 1000 in 25.4 ft 304.8 yd 914.4",
}
"""How large each unit is among those of its dimension. Times are left out: how long a pack lasts is worked out."""
_OF_SIZE = {
    name: (dimension, Decimal(size))
    for dimension, sizes in _SIZES.items()
    for name, size in zip(sizes.split()[::2], sizes.split()[1::2], strict=True)
}
SIZED = frozenset(_OF_SIZE)
"""The units that have a dimension, so that they can be converted."""
UNCOUNTED = SIZED | {"%", "s", "min", "h", "d", "week", "month", "y"}
"""Units that say nothing of what a figure counts."""
SIDES = frozenset({"x", "×", "by", "l", "w", "h", "d"})
"""What stands for a unit behind a side of several: "10 x 15 x 6 inches"."""
# In English, German, French and Spanish. French pounds and years are left out: "livre" is a book, "an" an article.
_UNITS = {
    name: names.split(",")[0]
    for names in r"""
    ml,millilitre,milliliter,mililitro cl,centilitre dl,deciliter l,litre,liter,litro floz,fluidounce qt,quart
    gal,gallon,gallone,galon mg,milligram,milligramm,milligramme g,gram,gramm,gramme,gramo kg,kilo,kilogram,kilogramm
    oz,ounce,unze,once,onza lb,pound,pfund,libra mm,millimeter,millimetre cm,centimeter,centimetre,zentimeter,centimètre
    m,meter,metre,mètre,metro in,inch,inche,zoll,pouce,pulgada,",″,”,'',’’ ft,foot,feet,fuß,pied,pie,',′ yd,yard
    s,sec,second,sekunde,seconde,segundo min,minute,minuto h,hr,hour,stunde,heure,hora d,day,tag,jour,día
    week,woche,semaine,semana month,monat,mois,mes y,yr,year,jahr,année,año
    w,watt v,volt lumen,lm gb tb mah %,percent db,decibel hz,hertz pc,piece
    """.split()  # noqa: SIM905 - a list of words is read more easily so
    for name in names.split(",")
}
"""Units by their names in the singular, without spaces and dots."""


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
    side = _SIDE.match(text, digits.end())
    behind = _UNIT.match(text, side.end() if side else digits.end())
    unit = sign[0].strip() if sign else _canonical_unit(behind["unit"]) if behind else ""
    stop = behind.end() if behind and not sign else digits.end()
    with suppress(InvalidOperation):  # "1,2,34" is a list
        return Numeral(*digits.span(), number_of(digits[0]), unit, stop)
    return Numeral(*digits.span(), None, unit, stop)


def _canonical_unit(name: str) -> str:
    """A unit in one spelling; the stem of a word that is none."""
    name = re.sub(r"[\s.]", "", name.casefold())
    plurals = ("s", "n", "e", "es") if len(name) > 3 else ("s",)
    return next((_UNITS[one] for one in (name, *map(name.removesuffix, plurals)) if one in _UNITS), stem(name))


def conversion(unit: str, other: str) -> Decimal | None:
    """By what a number in one unit is multiplied to be in another; None if they don't measure the same.

    An ounce may be a fluid one.
    """
    for one in (unit, "floz") if unit == "oz" else (unit,):
        for another in (other, "floz") if other == "oz" else (other,):
            if one in _OF_SIZE and another in _OF_SIZE and _OF_SIZE[one][0] == _OF_SIZE[another][0]:
                return _OF_SIZE[one][1] / _OF_SIZE[another][1]
    return None


def _is_id(run: str) -> bool:
    """True for digits of an id's length, and for letters and digits that alternate, but for dimensions ("47x47")."""
    kinds = re.sub(r"[^\W\d_]+", "a", re.sub(r"\d+(?:[.,'’]\d+)*", "0", re.sub(r"(?<=\d)[xX×](?=\d)", " ", run)))
    return (len(run) >= _ID_LENGTH and kinds in ("0", "0a") and run.isalnum()) or "0a0" in kinds
