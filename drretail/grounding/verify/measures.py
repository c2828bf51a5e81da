"""Figures with a unit that a product's record contradicts by a field of that name and unit.

"Holds 30 litres" against a record with "Capacity: 20 L".
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal

from drretail.grounding.text.words import content_stems, is_negation, words
from drretail.grounding.verify.records import all_words_of
from drretail.records.shop import LIST_PRICE, STOCK, VARIANTS, Product

_UNITS = {
    **{name: name for name in "l g kg ml mm cm m in oz lb ft h min s w v mah".split()},  # noqa: SIM905
    **dict.fromkeys(("litre", "liter", "litres", "liters"), "l"),
    **dict.fromkeys(("gram", "grams"), "g"),
    **dict.fromkeys(("kilo", "kilos", "kilogram", "kilograms"), "kg"),
    **dict.fromkeys(("millilitre", "millilitres", "milliliter", "milliliters"), "ml"),
    **dict.fromkeys(("inch", "inches"), "in"),
    **dict.fromkeys(("ounce", "ounces"), "oz"),
    **dict.fromkeys(("lbs", "pound", "pounds"), "lb"),
    **dict.fromkeys(("foot", "feet"), "ft"),
    **dict.fromkeys(("hour", "hours", "hrs", "hr"), "h"),
    **dict.fromkeys(("minute", "minutes", "mins"), "min"),
    **dict.fromkeys(("watt", "watts"), "w"),
    **dict.fromkeys(("lumens", "lumen", "lm"), "lumen"),
}
_MEASURE = re.compile(r"(?<![\w$€£.,/-])(?P<number>\d[\d,]*(?:\.\d+)?)[ \u00a0-]?(?P<unit>[A-Za-z]{1,14})\b")
_LIMIT = re.compile(
    r"\b(?:under|over|than|least|most|between|if|or|per|need|want|your?|\d+ ?(?:to|-|–))(?: an?| the)?\W{0,2}$", re.I
)
_RELATIVE = re.compile(
    r" ?(?:more|less|heavier|lighter|longer|shorter|wider|taller|bigger|smaller|extra|to \d|[$€£])|-\d", re.IGNORECASE
)
_NOT_NOW = re.compile(r"\b(?:ordered|bought|purchased|took delivery|(?:19|20)\d\d|if|unless)\b", re.IGNORECASE)
"""Words of orders, days and conditions, whose figures are not about the product today."""
_SIDE = re.compile(r"\A\s?[x×](?!\w)|[x×]\s?\Z")
"""One side of several ("6.5 x 4 in"), of which one field has many."""
# Fields and verbs that name the same thing: "Capacity: 20 L" and "holds 30 litres".
_NAMES = {
    **dict.fromkeys(("capac", "volum", "hold"), "capac"),
    **dict.fromkeys(("weight", "weigh"), "weight"),
    **dict.fromkeys(("length", "long"), "length"),
    **dict.fromkeys(("width", "wide"), "width"),
    **dict.fromkeys(("height", "tall", "high"), "height"),
    **dict.fromkeys(("diamet", "across"), "diamet"),
    **dict.fromkeys(("warranti", "guarante"), "warranti"),
}
_OF_ANY = frozenset(content_stems("item product package total maximum"))
"""Words of a field's name that do not tell what it measures."""
_NO_FIELD = (STOCK, LIST_PRICE, VARIANTS)
_AROUND = 40
_BESIDE = re.compile(r"[,;:|(\[–—]|\s-\s|\s(?:with|for|w/|of|in)\s", re.IGNORECASE)
"""After it, a title names what comes with the product, or what it is for."""


@dataclass(frozen=True, slots=True)
class _Measure:
    """``names`` are the stems of the surrounding words, ``subject`` the words before it."""

    number: Decimal
    unit: str
    written: str
    names: frozenset[str]
    subject: str


def measure_faults(text: str, item: Product) -> Iterator[str]:
    """A line for each figure of a sentence for which a field of its name and unit has another number."""
    known = list(_measures(all_words_of(item)))
    for measure in () if _NOT_NOW.search(text) else _measures(text):
        rounded = Decimal(1).scaleb(int(measure.number.as_tuple().exponent))
        of_unit = [one.number for one in known if one.unit == measure.unit]
        if measure.number in (*of_unit, *(number.quantize(rounded) for number in of_unit)):
            continue
        for name, value in item.details.items():
            is_named = measure.names & _named(name) - _OF_ANY and name not in _NO_FIELD
            is_of_unit = any(one.unit == measure.unit for one in _measures(str(value)))
            if is_named and is_of_unit and _speaks_of(item, measure.subject):
                yield f"{measure.written}: the record says {name}: {value}"


def _speaks_of(item: Product, subject: str) -> bool:
    """True if a subject is the whole product, or a pronoun, and not one of its parts."""
    stems = [each for each in content_stems(subject) if each not in _NAMES]
    title = content_stems(_BESIDE.split(item.title)[0])
    heads = {*title[-1:], *content_stems(item.leaf_category)[-1:]}
    own = {*heads, *content_stems(f"{item.title} {item.store} {' '.join(item.categories)}")}
    is_whole = not stems or stems[-1] in heads or re.match(r"\s*(?:this|these|our)\b", subject, re.IGNORECASE)
    return stems == title[: len(stems)] or (bool(is_whole) and own.issuperset(stems))


def _measures(text: str) -> Iterator[_Measure]:
    for match in _MEASURE.finditer(text):
        unit = _UNITS.get(match["unit"].casefold())
        before, behind = text[max(0, match.start() - _AROUND) : match.start()], text[match.end() :][:_AROUND]
        subject = re.split(r"[;:,.()]", before)[-1]
        is_no_statement = _LIMIT.search(before) or _RELATIVE.match(behind) or any(map(is_negation, words(subject)))
        if unit is None or is_no_statement or _SIDE.match(behind) or _SIDE.search(before[-3:]):
            continue
        near = re.split(r"[;.()]", before)[-1] + " " + re.split(r"[;.()]", behind)[0]
        yield _Measure(Decimal(match["number"].replace(",", "")), unit, match[0], _named(near), subject)


def _named(words_of: str) -> frozenset[str]:
    return frozenset(_NAMES.get(each, each) for each in content_stems(words_of))
