"""The figures of a text by kind, so that a price is not borne out by a weight."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from decimal import Decimal
from itertools import combinations

from drretail.grounding.price_words import role_of
from drretail.grounding.values import Value, compare, find_values, parse_number
from drretail.llm.offline.judge.stems import content_stems

_PLAIN = re.compile(
    r"(?<![\w.,/-])(?P<number>\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)(?P<unit>\s?%|[\s-]?(?:"
    r"inch(?:es)?|in\b(?=\.|,|;|\)|\s?x|\s*$)|feet\b|foot\b|ft\b|cm\b|mm\b|m\b|yards?\b|"
    r"pounds?\b|lbs?\b|ounces?\b|oz\b|grams?\b|g\b|mg\b|kg\b|kilograms?\b|"
    r"gallons?\b|gal\b|quarts?\b|qt\b|liters?\b|litres?\b|l\b|ml\b|"
    r"hours?\b|hrs?\b|minutes?\b|min\b|days?\b|weeks?\b|months?\b|years?\b|"
    r"watts?\b|w\b|volts?\b|v\b|lumens?\b|packs?\b|pieces?\b|pcs?\b|count\b|ct\b|percent\b))?(?![\w])",
    re.IGNORECASE,
)
_UNIT = re.compile(_PLAIN.pattern[_PLAIN.pattern.index("(?P<unit>") :], re.IGNORECASE)
# "10 to 15 years", "80 x 87 inches": the first number has the unit of the second.
_TO_NEXT = re.compile(r"\s?(?:to|or|and|by|-|–|x|×)\s?(?=\d)", re.IGNORECASE)
_NOUN = re.compile(r"[\s-](?P<noun>[^\W\d_]{4,})")
_UNITS = {
    "inch": "in", "inches": "in", "feet": "ft", "foot": "ft", "pound": "lb", "ounce": "oz", "gram": "g",
    "kilogram": "kg",
    "gallon": "gal", "quart": "qt", "liter": "l", "litre": "l", "hour": "h", "hr": "h", "minute": "min",
    "watt": "w",
    "volt": "v", "piece": "pc", "count": "pc", "ct": "pc", "pack": "pc", "pcs": "pc",
    "percent": "%",
}  # fmt: skip
_COUNTED = {
    "two": 2, "three": 3, "four": 4, "five": 5, "six": 6, "seven": 7, "eight": 8, "nine": 9, "ten": 10, "eleven": 11,
    "twelve": 12,
}  # fmt: skip
_NUMBER_WORD = re.compile(rf"\b(?:{'|'.join(_COUNTED)})\b", re.IGNORECASE)
_FIELD = re.compile(r'"(?P<key>[^"\\]{1,60})"\s*:\s*"?(?P<number>-?\d+(?:\.\d+)?)(?![\d-])')
_MONEY_KEY = re.compile(
    r"price|amount|total|spen[dt]|cost|subtotal|value|revenue|mean_order|average_order", re.IGNORECASE
)
_DERIVED = re.compile(
    r"\b(?:more|less|cheaper|dearer|save[sd]?|saving|difference|left|remain(?:s|ing)?|under|over|together"
    r"|total|totals|sum|combined"
    r"|altogether|by the piece|apiece|each|both)\b|=",
    re.IGNORECASE,
)
_AVERAGED = re.compile(r"\b(?:average|averages|averaging|by the piece|apiece|each|per)\b", re.IGNORECASE)
_MOST_PRICES = 8
_MOST_PIECES = 500


@dataclass(frozen=True, slots=True)
class Figure:
    """A figure of a claim: one that is typed (money, rating, count, date, id), or a number with a unit or none."""

    said: str
    value: Value | None = None
    number: Decimal = Decimal(0)
    unit: str = ""
    noun: str = ""
    """The stem of what is counted, for a number without a unit: "400 threads"."""
    is_settling: bool = True
    """False for an amount that is said to be no price: a budget, a difference, a sum."""


@dataclass(frozen=True, slots=True)
class Known:
    """All figures of some sources."""

    text: str
    by_kind: dict[str, frozenset[Decimal]]
    dates: frozenset[str]
    plain: dict[Decimal, frozenset[str]]
    """Every number with the units it stands with, "" for none."""
    nouns: frozenset[str]
    """What is counted in the sources."""

    def bears_out(self, figure: Figure, claim: str) -> bool:
        """True when the sources name the figure, or when it is a sum or difference of their prices."""
        value = figure.value
        if value is None:
            units = self.plain.get(figure.number)
            return units is not None and (not figure.unit or figure.unit in units)
        if value.kind == "id":
            return value.text in self.text
        if value.kind == "date":
            return value.text in self.dates
        truths = self.by_kind.get(value.kind, frozenset())
        if any(compare(value, truth) != "differs" for truth in truths):
            return True
        if value.kind != "money":
            return False
        averaged = _AVERAGED.search(claim) and value.number in _quotients(truths, self.plain)
        return bool(averaged or (_DERIVED.search(claim) and value.number in _derived(truths)))

    def contradicts(self, figure: Figure) -> bool:
        """True when the sources have figures of this kind or unit, and none is the claim's."""
        value = figure.value
        if value is not None:
            return bool(self.dates if value.kind == "date" else self.by_kind.get(value.kind))
        if figure.unit:
            return any(figure.unit in units for units in self.plain.values())
        return figure.noun in self.nouns

    def rates(self, figure: Figure) -> bool:
        """True when a bare number can only be a rating or a rating count that differs: "at least 100: it has 128"."""
        return figure.value is None and not figure.unit and not figure.noun and bool(self.by_kind["count"])


def figures_of(claim: str) -> list[Figure]:
    """The figures that a claim names."""
    values = find_values(claim)
    typed = [
        Figure(
            claim[value.start : value.end],
            value,
            is_settling=value.kind in ("rating", "count", "date")
            or (value.kind == "money" and role_of(claim, value) == "price"),
        )
        for value in values
    ]
    # A sum or a share of what the sources count need not stand there.
    settling = not _DERIVED.search(claim)
    return [*typed, *(replace(figure, is_settling=settling) for figure in _plain(claim, values))]


def known_figures(texts: list[str]) -> Known:
    """The figures that sources name, in fields of records and in words."""
    kinds: dict[str, set[Decimal]] = {"money": set(), "rating": set(), "count": set()}
    plain: dict[Decimal, set[str]] = {}
    dates: set[str] = set()
    nouns: set[str] = set()
    for text in texts:
        for field in _FIELD.finditer(text):
            number = Decimal(field["number"])
            plain.setdefault(number, set()).update(["", *_units_in(field["key"])])
            kind = _kind_of_field(field["key"])
            if kind is not None:
                kinds[kind].add(number)
        values = find_values(text)
        for value in values:
            if value.kind in kinds:
                kinds[value.kind] |= {value.number, *([] if value.low is None else [value.low])}
                plain.setdefault(value.number, set()).add("")
        dates |= {value.text for value in values if value.kind == "date"}
        dates |= set(re.findall(r"\d{4}-\d{2}-\d{2}(?=T)", text))
        for figure in _plain(text, ()):
            plain.setdefault(figure.number, set()).add(figure.unit)
            nouns |= {figure.noun} - {""}
    for day in dates:
        plain.setdefault(Decimal(day[:4]), set()).add("")
    frozen = {kind: frozenset(numbers) for kind, numbers in kinds.items()}
    units = {number: frozenset(of_number) for number, of_number in plain.items()}
    return Known("\n".join(texts), frozen, frozenset(dates), units, frozenset(nouns))


def _plain(text: str, values: tuple[Value, ...]) -> Iterator[Figure]:
    """The numbers outside of ``values``, in figures and in words."""
    for match in _PLAIN.finditer(text):
        if any(value.start < match.end() and match.start() < value.end for value in values):
            continue
        unit = _unit(match["unit"] or "") or _unit_of_next(text, match.end())
        yield Figure(
            match[0], None, parse_number(match["number"]), unit, "" if unit else _noun_behind(text, match.end())
        )
    for word in _NUMBER_WORD.finditer(text):
        named = _UNIT.match(text, word.end())
        unit = _unit(named["unit"] or "") if named else ""
        said = word[0] if not unit or named is None else text[word.start() : named.end()]
        yield Figure(
            said, None, Decimal(_COUNTED[word[0].casefold()]), unit, "" if unit else _noun_behind(text, word.end())
        )


def _unit(written: str) -> str:
    unit = written.strip(" -").casefold()
    return _UNITS.get(unit, _UNITS.get(unit.removesuffix("s"), unit.removesuffix("s")))


def _unit_of_next(text: str, end: int) -> str:
    joined = _TO_NEXT.match(text, end)
    following = _PLAIN.match(text, joined.end()) if joined else None
    return "" if following is None else _unit(following["unit"] or "") or _unit_of_next(text, following.end())


def _noun_behind(text: str, end: int) -> str:
    noun = _NOUN.match(text, end)
    return next(iter(content_stems(noun["noun"])), "") if noun else ""


def _units_in(key: str) -> set[str]:
    """The units that a field's name gives: "capacity_gallons"."""
    return {_unit(word) for word in re.findall(r"[^\W_]+", key) if _unit(word) in _UNITS.values()}


def _kind_of_field(key: str) -> str | None:
    if key == "average_rating":
        return "rating"
    if key == "rating_number":
        return "count"
    return "money" if _MONEY_KEY.search(key) else None


def _derived(prices: frozenset[Decimal]) -> frozenset[Decimal]:
    """Differences of two prices and sums of several."""
    few = sorted(prices)[:_MOST_PRICES]
    sums = {sum(chosen, Decimal(0)) for size in range(2, len(few) + 1) for chosen in combinations(few, size)}
    return frozenset(sums | {abs(a - b) for a, b in combinations(few, 2)})


def _quotients(prices: frozenset[Decimal], numbers: Iterable[Decimal]) -> frozenset[Decimal]:
    """Prices by the piece, to the cent."""
    counts = [number for number in numbers if 1 < number <= _MOST_PIECES and number == number.to_integral_value()]
    return frozenset((price / count).quantize(Decimal("0.01")) for price in prices for count in counts)
