"""Numbers of a text besides its amounts: every numeral with its unit, the value of an expression, and the sums that a
text writes out.

A scale ("4.6 of 5"), an id ("0704175490") and a number within a word ("B12", "USB3") are no numerals.
"""

import ast
import re
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from decimal import Decimal, DecimalException, InvalidOperation
from functools import lru_cache
from itertools import zip_longest
from operator import add, mul, sub, truediv

from drretail.reports.text.amounts import Amount, number_of
from drretail.reports.text.words import stem

# Within a word ("B12", "47x47") and in an id ("756mbmmg") are no numerals: at most a short unit is glued to one.
_NUMERAL = re.compile(r"(?<![\w#])\d+(?:[.,'’]\d+)*(?=[^\W\d_]{0,4}(?![^\W_]))")
_ID_LENGTH = 8
"""Digits that only an id has: an order's, a barcode's."""
_UNIT = re.compile(r"\s?[-\u2011]?(?P<unit>fl\.?\s?oz|fluid ounces?|['’]{2}|[^\W\d_]{1,20}|[×%°\"″”'′])", re.IGNORECASE)
SCALE = re.compile(r"(?:/|\bof)\s?\Z", re.IGNORECASE)
"""What stands before the scale of a rating: "4.6 of 5"."""
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
UNCOUNTED = frozenset(_OF_SIZE) | {"%", "s", "min", "h", "d", "week", "month", "y"}
"""Units that say nothing of what a figure counts."""
_SIDES = frozenset({"x", "×", "by", "l", "w", "h", "d"})
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
    """``text[start:end]`` are the digits of a numeral."""

    start: int
    end: int
    number: Decimal
    unit: str = ""
    """Its unit in one spelling ("in" for inches), or the stem of the word behind it."""


def find_numerals(text: str) -> Iterator[Numeral]:
    """The numerals in text order, also those of dates."""
    for match in _NUMERAL.finditer(text):
        (start, end), digits = match.span(), match[0]
        is_scale = digits in ("5", "10") and SCALE.search(text, max(0, start - 4), start)
        if is_scale or (digits.isdigit() and len(digits) >= _ID_LENGTH):
            continue
        behind = _UNIT.match(text, end)
        with suppress(InvalidOperation):  # "1,2,34" is a list
            yield Numeral(start, end, number_of(digits), canonical_unit(behind["unit"]) if behind else "")


def with_units(numerals: Sequence[Numeral]) -> list[Numeral]:
    """The numerals of a text, whose sides have the unit of the last one: in "10 x 15 x 6 inches" all are in inches."""
    unit, measures = "", list[Numeral]()
    for numeral in reversed(numerals):
        unit = unit if numeral.unit in _SIDES and unit else numeral.unit
        measures.append(replace(numeral, unit=unit))
    return measures[::-1]


def canonical_unit(name: str) -> str:
    """A unit in one spelling; the stem of a word that is none, and of several the first."""
    first, *more = name.split()[:2] or [""]
    name = re.sub(r"[\s.]", "", name.casefold())
    plurals = ("s", "n", "e", "es") if len(name) > 3 else ("s",)
    spellings = (_UNITS[spelling] for spelling in (name, *map(name.removesuffix, plurals)) if spelling in _UNITS)
    return next(spellings, None) or (canonical_unit(first) if more else stem(name))


def conversion(unit: str, other: str) -> Decimal | None:
    """By what a number in one unit is multiplied to be in another; None if they don't measure the same.

    An ounce may be a fluid one.
    """
    if unit == other:
        return Decimal(1)
    for alias in (unit, "floz") if unit == "oz" else (unit,):
        for another in (other, "floz") if other == "oz" else (other,):
            if alias in _OF_SIZE and another in _OF_SIZE and _OF_SIZE[alias][0] == _OF_SIZE[another][0]:
                return _OF_SIZE[alias][1] / _OF_SIZE[another][1]
    return None


_JOINT = re.compile(r"[\s*_\\]{0,12}(?P<sign>[+×x*÷/−–=-])[\s*_\\]{0,12}")
_SIGNS = str.maketrans({"×": "*", "x": "*", "÷": "/", "−": "-", "–": "-"})
# A sign before or behind continues the expression by a term that is no figure; a list's bullet does not.
_OPEN_BEFORE = re.compile(r"[^\s*_][ *_]*(?:[+×x÷/−–=-][ *_]*|[+×÷=] ?(?:[^\W\d_][\w'’-]{0,40}\s?){0,3})$")
_OPEN_BEHIND = re.compile(r"[\s*_]{0,12}(?:[+×÷/−=]|[-–]\s)")
_REACH = 30
_CENTS = 2
_SUMS = {ast.Add: add, ast.Sub: sub, ast.Mult: mul, ast.Div: truediv}


@lru_cache(maxsize=1024)
def work_out(expression: str) -> Sequence[Decimal]:
    """The absolute values of the parts of an expression of numbers and + - * /, at the end its own value; none of any
    other expression, such as one with a function.
    """
    parts: list[Decimal] = []

    def value(node: ast.expr) -> Decimal:
        match node:
            case ast.Constant(value=number):
                parts.append(Decimal(str(number)))
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                parts.append(-value(operand))
            case ast.BinOp(left=left, op=ast.Add() | ast.Sub() | ast.Mult() | ast.Div() as sign, right=right):
                parts.append(_SUMS[type(sign)](value(left), value(right)))
            case _:
                raise ValueError
        return parts[-1]

    plain = expression.replace("$", "").replace(",", "").replace("{", "(").replace("}", ")")
    try:
        value(ast.parse(plain, mode="eval").body)
    except (SyntaxError, ValueError, RecursionError, DecimalException):
        return ()
    return (*map(abs, parts[:-1]), *parts[-1:])


@dataclass(frozen=True, slots=True)
class Equation:
    """Figures joined by signs: their value, and the result written beside them."""

    expression: str
    operands: tuple[Amount, ...]
    value: Decimal
    result: Amount

    @property
    def holds(self) -> bool:
        return self.result.agreement(self.value) is not None


def find_equations(text: str, amounts: Sequence[Amount]) -> Iterator[Equation]:
    """The equations about money in text order, of nothing but a text's amounts and signs."""
    for figures, signs in _chains(text, amounts):
        if signs.count("=") != 1:
            continue
        at = signs.index("=") + 1
        sides = [(figures[:at], signs[: at - 1]), (figures[at:], signs[at:])]
        (operands, joints), (results, _) = sides if len(figures) == at + 1 else sides[::-1]
        # "a 9 x 13 pan = $12.99" is not a product.
        is_of_money = any(operand.kind == "money" for operand in operands) or all(
            any(figure.places == _CENTS for figure in side) for side in (operands, results)
        )
        expression = f"{operands[0].low:f}" + "".join(
            f"{sign}{operand.low:f}" for sign, operand in zip(joints, operands[1:], strict=True)
        )
        parts = work_out(expression) if joints and len(results) == 1 and is_of_money else ()
        if parts:
            yield Equation(expression, tuple(operands), parts[-1], results[0])


def _chains(text: str, amounts: Sequence[Amount]) -> Iterator[tuple[list[Amount], str]]:
    """Each run of figures with the signs between them that no further term continues."""
    figures, signs = list[Amount](), ""
    for amount, following in zip_longest(amounts, amounts[1:]):
        if amount.is_range or amount.kind == "percent":
            figures, signs = [], ""
            continue
        figures = [*figures, amount]
        joint = None if following is None else _JOINT.fullmatch(text, amount.end, following.start)
        if joint is not None:
            signs += joint["sign"].translate(_SIGNS)
            continue
        before = text[max(0, figures[0].start - _REACH) : figures[0].start]
        if signs and not (_OPEN_BEFORE.search(before) or _OPEN_BEHIND.match(text, amount.end)):
            yield figures, signs
        figures, signs = [], ""
