"""The figures of a text by kind, so that a price is not borne out by a weight."""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from decimal import Decimal
from itertools import combinations

from drretail.grounding.values import Value, compare, find_values, parse_number

_PLAIN = re.compile(
    r"(?<![\w.,/-])(?P<number>\d{1,3}(?:,\d{3})+(?:\.\d+)?|\d+(?:\.\d+)?)(?P<unit>\s?%|[\s-]?(?:"
    r"inch(?:es)?|in\b(?=\.|,|;|\)|\s?x|\s*$)|feet\b|foot\b|ft\b|cm\b|mm\b|m\b|yards?\b|"
    r"pounds?\b|lbs?\b|ounces?\b|oz\b|grams?\b|g\b|mg\b|kg\b|kilograms?\b|"
    r"gallons?\b|gal\b|quarts?\b|qt\b|liters?\b|litres?\b|l\b|ml\b|"
    r"hours?\b|hrs?\b|minutes?\b|min\b|days?\b|weeks?\b|months?\b|years?\b|"
    r"watts?\b|w\b|volts?\b|v\b|lumens?\b|packs?\b|pieces?\b|pcs?\b|count\b|ct\b))?(?![\w])",
    re.IGNORECASE,
)
_UNITS = {
    "inch": "in", "inches": "in", "feet": "ft", "foot": "ft", "pound": "lb", "ounce": "oz", "gram": "g",
    "kilogram": "kg",
    "gallon": "gal", "quart": "qt", "liter": "l", "litre": "l", "hour": "h", "hr": "h", "minute": "min",
    "watt": "w",
    "volt": "v", "piece": "pc", "count": "pc", "ct": "pc", "pack": "pc", "pcs": "pc",
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

    @property
    def is_typed(self) -> bool:
        return self.value is not None


@dataclass(frozen=True, slots=True)
class Known:
    """All figures of some sources."""

    text: str
    by_kind: dict[str, frozenset[Decimal]]
    dates: frozenset[str]
    plain: dict[Decimal, frozenset[str]]
    """Every number with the units it stands with, "" for none."""

    def bears_out(self, figure: Figure, claim: str) -> bool:
        """True when the sources name the figure, or when it is a sum or difference of their prices."""
        value = figure.value
        if value is None:
            units = self.plain.get(figure.number)
            return units is not None and (not figure.unit or figure.unit in units or not any(units))
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
        """True when the sources have figures of this kind, and none is the claim's."""
        value = figure.value
        if value is None:
            return False
        return bool(self.dates if value.kind == "date" else self.by_kind.get(value.kind))


def figures_of(claim: str) -> list[Figure]:
    """The figures that a claim names."""
    values = find_values(claim)
    typed = [Figure(claim[value.start : value.end], value) for value in values]
    return [*typed, *(Figure(said, None, number, unit) for said, number, unit in _plain(claim, values))]


def known_figures(texts: list[str]) -> Known:
    """The figures that sources name, in fields of records and in words."""
    kinds: dict[str, set[Decimal]] = {"money": set(), "rating": set(), "count": set()}
    plain: dict[Decimal, set[str]] = {}
    dates: set[str] = set()
    for text in texts:
        for field in _FIELD.finditer(text):
            number = Decimal(field["number"])
            plain.setdefault(number, set()).add("")
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
        for _, number, unit in _plain(text, ()):
            plain.setdefault(number, set()).add(unit)
    for day in dates:
        plain.setdefault(Decimal(day[:4]), set()).add("")
    frozen = {kind: frozenset(numbers) for kind, numbers in kinds.items()}
    return Known("\n".join(texts), frozen, frozenset(dates), {number: frozenset(u) for number, u in plain.items()})


def _plain(text: str, values: tuple[Value, ...]) -> Iterator[tuple[str, Decimal, str]]:
    for match in _PLAIN.finditer(text):
        if any(value.start < match.end() and match.start() < value.end for value in values):
            continue
        unit = (match["unit"] or "").strip(" -").casefold()
        unit = _UNITS.get(unit, _UNITS.get(unit.removesuffix("s"), unit.removesuffix("s")))
        yield match[0], parse_number(match["number"]), unit
    for word in _NUMBER_WORD.finditer(text):
        yield word[0], Decimal(_COUNTED[word[0].casefold()]), ""


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
