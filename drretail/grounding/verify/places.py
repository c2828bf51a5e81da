"""A typed value is a place in a text: the figure that stands there, read by the one number reader, beside the record of
its source.

One right figure of the kind at its place settles it. A record denies it only if exactly one figure stands there, and
the record has this very thing: a price is that of one offer, a measure that of the field so named. All else is open.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import date
from decimal import Decimal
from functools import lru_cache
from itertools import chain
from typing import NamedTuple

from drretail.grounding.text.amounts import (
    Amount,
    Notation,
    WrittenDate,
    find_amounts,
    find_dates,
    find_days,
    notation_of,
    other_notation,
)
from drretail.grounding.text.numerals import SIDES, SIZED, UNCOUNTED, Numeral, conversion, find_numerals, steps
from drretail.grounding.text.wording import format_money
from drretail.grounding.text.words import FEWEST_WORDS, RUN, content_stems
from drretail.grounding.verify.records import CENTS, Ledger, fits, leaves, on_record, with_state
from drretail.records.reading import CART, CLOSED, ReadValue, ValueKind
from drretail.records.shop import LIST_PRICE, STOCK, Offer, Product, has_been, may_share_a_sign

_BEFORE, _BEHIND = 24, 12
"""How many characters around a place say of its figure that it is about so much, or at least."""
_HIGHEST_RATING = 5
_GROUPED = re.compile(r"\d[.,'’\s]\d{3}(?!\d)")
"""A figure that two notations read as different numbers."""
_NO_DIGITS = bytes.maketrans(b"123456789", b"000000000")
MONEY: tuple[ValueKind, ...] = ("price", "list_price", "total")
_OF_WORDS: tuple[ValueKind, ...] = ("option", "order_status", "product")
_COUNTS: tuple[ValueKind, ...] = ("rating_count", "stock")


class Answer(NamedTuple):
    """What a record says of a place."""

    is_true: bool | None
    """None where it leaves that open."""
    record: str = ""


OPEN = Answer(None)


def amounts_at(kind: ValueKind, text: str, start: int, end: int, notation: Notation | None = None) -> list[Amount]:
    """The amounts of a kind that stand within ``text[start:end]``, by default in the notation of the whole text; if
    none do, and it is too short to tell its language by, in the other one.
    """
    if notation is None:
        return next(filter(None, (amounts_at(kind, text, start, end, one) for one in _notations(text))), [])
    first = max(0, start - _BEFORE)
    window = find_amounts(text[first : end + _BEHIND], notation)
    amounts = [replace(one, start=one.start + first, end=one.end + first) for one in window]
    amounts = [one for one in amounts if start <= one.start and one.end <= end and one.kind != "percent"]
    if kind in MONEY or kind == "policy":  # shipping costs money, and takes days
        return [one for one in amounts if one.kind == "money"] or amounts
    amounts = [one for one in amounts if one.kind == "number"]
    if kind == "rating":
        return [one for one in amounts if 0 < one.low <= _HIGHEST_RATING and not one.is_range]
    return [one for one in amounts if not one.places] if kind in _COUNTS else amounts


def _notations(text: str) -> Iterator[Notation]:
    """That of the text's language, and of a text too short to tell it the other one as well, which takes long to load.
    Its words tell it, so that a report with another digit is the same text.
    """
    # As bytes, since each figure asks for it, and a text is translated a hundred times more slowly.
    own, is_told = _notation_of_words(text.encode(errors="surrogatepass").translate(_NO_DIGITS))
    yield own
    if not is_told:
        yield other_notation()


@lru_cache(maxsize=64)
def _notation_of_words(encoded: bytes) -> tuple[Notation, bool]:
    text = encoded.decode(errors="surrogatepass")
    own = notation_of(text)
    return own, not own.is_english or len(RUN.findall(text)) >= FEWEST_WORDS


def days_at(text: str, start: int, end: int) -> list[WrittenDate]:
    """The dates within ``text[start:end]``, those without a year too."""
    words = text[start:end]
    dates: list[WrittenDate] = []
    for notation in _notations(text):
        dates = [*find_dates(words, notation), *find_days(words, notation)] or dates
        if any(one.is_day or one.iso.startswith("--") for one in dates):  # of "12. März 2026" English reads the year
            break
    return [WrittenDate(one.iso, one.start + start, one.end + start) for one in dates]


def measures_at(text: str, start: int, end: int) -> list[Numeral]:
    """The figures within ``text[start:end]``, each with its unit; of several sides the last one has it."""
    numerals = [one for one in find_numerals(text[start : end + _BEHIND]) if one.number is not None]
    numerals = [one for one in numerals if one.end <= end - start]
    unit = numerals[-1].unit if numerals else ""
    return [
        replace(one, start=one.start + start, end=one.end + start, unit=unit if one.unit in SIDES else one.unit)
        for one in numerals
    ]


def figures_at(kind: ValueKind, text: str, start: int, end: int) -> Sequence[Amount | WrittenDate | Numeral]:
    """What of a kind stands within ``text[start:end]``."""
    if kind == "order_date":
        return days_at(text, start, end)
    return measures_at(text, start, end) if kind == "measure" else amounts_at(kind, text, start, end)


def place_of(kind: ValueKind, text: str, start: int, end: int, of: str = "", field: str = "") -> ReadValue:
    """The value that stands within ``text[start:end]``, at its own place if only one does; not compared yet."""
    figures = () if kind in _OF_WORDS else figures_at(kind, text, start, end)
    words = " ".join(text[start:end].split())
    if len(figures) == 1:
        (figure,) = figures
        start, end = figure.start, figure.end
        if isinstance(figure, WrittenDate):
            words = figure.iso
        else:
            words = f"{figure.low:f}" if isinstance(figure, Amount) else f"{figure.number} {figure.unit}".strip()
    return ReadValue(kind=kind, amount=words, field=field, of=of, start=start, end=end)


def compared(value: ReadValue, text: str, ledger: Ledger) -> ReadValue:
    """The value with its state: verified, contradicted or underivable, and with the record's line."""
    is_true, record = _COMPARE.get(value.kind, lambda *_: OPEN)(value, text, ledger)
    state = "underivable" if is_true is None else "verified" if is_true else "contradicted"
    return with_state(value, state, record)


def would_be_caught(value: ReadValue, text: str, ledger: Ledger) -> ReadValue:
    """A verified figure with whether it is found once another digit stands in its place; other values as they are."""
    if value.state != "verified" or value.kind in CLOSED:
        return value
    wrong = compared(value, altered(text, value), ledger)
    return value.model_copy(update={"is_caught": wrong.state == "contradicted"})


def altered(text: str, value: ReadValue) -> str:
    """The text with another digit in the value's figure: what code should then find (METRICS 0, power)."""
    digits = [at for at in range(value.start, value.end) if text[at].isdigit()]
    if not digits:
        return text
    # The middle digit: of a price its cents or dollars, of a rating what stands behind the point.
    at = digits[len(digits) // 2] if value.kind != "order_date" else digits[-1]
    other = str((int(text[at]) + 3) % 9 + 1)
    return f"{text[:at]}{other}{text[at + 1 :]}"


def _numbers(value: ReadValue, text: str, numbers: Sequence[Decimal], record: str, currency: str = "") -> Answer:
    """Whether one of the amounts at a place is one of a record's numbers."""
    # "1.240" is read both ways in an answer that is too short to tell its language by.
    readings = (amounts_at(value.kind, text, value.start, value.end, one) for one in _notations(text))
    amounts = next(filter(None, readings), [])
    own = [one for one in amounts if not (currency and one.currency and not may_share_a_sign(one.currency, currency))]
    others = readings if _GROUPED.search(text, value.start, value.end) else ()
    if own and any(_is_one_of(reading, numbers) for reading in chain([amounts], others)):
        return Answer(True, record)
    if len(amounts) != 1 or len(own) != 1 or own[0].is_range or own[0].compound:
        return OPEN
    is_near = any(own[0].agreement(number) is not None for number in numbers)
    return OPEN if is_near else Answer(False, record)


def _is_one_of(amounts: Iterable[Amount], numbers: Iterable[Decimal]) -> bool:
    return any(fits(amount, number) for amount in amounts if not amount.is_range for number in numbers)


def _of_offers(value: ReadValue, text: str, ledger: Ledger, of_offer: Callable[[Offer], Decimal | None]) -> Answer:
    """A price of the one offer that is meant, or that all that may be meant have."""
    item, numbers = ledger.product(value.of), {of_offer(offer) for offer in ledger.offers(value.of)}
    if item is None or len(numbers) != 1 or (number := numbers.pop()) is None:
        return OPEN
    return _numbers(value, text, [number], format_money(number, item.currency), item.currency)


def _price(value: ReadValue, text: str, ledger: Ledger) -> Answer:
    if value.of[:2] == "O:":
        paid = ledger.records.get(value.of, {}).get("price")
        known = isinstance(paid, int | float)
        return _numbers(value, text, [Decimal(str(paid))], f"the order's price is {paid}") if known else OPEN
    return _of_offers(value, text, ledger, lambda offer: offer.price)


def _list_price(value: ReadValue, text: str, ledger: Ledger) -> Answer:
    """A price from before a sale; a shop that has none for this offer has no such sale."""
    offers = ledger.offers(value.of)
    if ledger.policy is not None and offers and all(offer.list_price is None for offer in offers):
        return Answer(False, "it has no list price")
    return _of_offers(value, text, ledger, lambda offer: offer.list_price)


def _rating(value: ReadValue, text: str, ledger: Ledger) -> Answer:
    item = ledger.product(value.of)
    number = None if item is None else on_record(value.kind, item)
    if number is None:
        return OPEN
    return _numbers(value, text, [number], f"{number.normalize():f}{' ratings' * (value.kind == 'rating_count')}")


def _order_date(value: ReadValue, text: str, ledger: Ledger) -> Answer:
    lines, days = ledger.lines_of(value.of), days_at(text, value.start, value.end)
    if not lines:
        return _missing(value, text, ledger)
    recorded = {ledger.order_dates[line] for line in lines}
    line = f"order date: {', '.join(map(date.isoformat, sorted(recorded)))}"
    if any(day.fits(one) for day in days for one in recorded):
        return Answer(True, line)
    return Answer(False, line) if len(days) == 1 and len(recorded) == 1 else OPEN


def _order_status(value: ReadValue, text: str, ledger: Ledger) -> Answer:
    lines = ledger.lines_of(value.of)
    if not lines:
        return _missing(value, text, ledger)
    recorded = {f"{ledger.records[line].get('order_status') or ''}" for line in lines} - {""}
    line = f"order status: {', '.join(sorted(recorded))}"
    if len(recorded) != 1:
        return OPEN
    status = recorded.pop()
    # What came back was delivered once, and is not on its way: which of them is said, a word does not tell.
    has_passed = status != value.field and has_been(value.field.casefold(), status.casefold()) is not False
    return OPEN if has_passed else Answer(status == value.field, line)


def _total(value: ReadValue, text: str, ledger: Ledger) -> Answer:
    if value.of == CART:
        total = ledger.total
        return OPEN if total is None else _numbers(value, text, [total], _picks_cost(total, ledger))
    calculation = ledger.calculations.get(value.of)
    if calculation is None:
        return OPEN
    line = f"{calculation.expression} = {calculation.result.normalize():f}"
    # "97.98 for both", of 120-2*48.99 = 22.02: a term of the calculation, told by its cents.
    amounts = amounts_at(value.kind, text, value.start, value.end)
    terms = steps(calculation.expression)
    if any(one.places >= CENTS and one.low in terms for one in amounts):
        return Answer(True, line)
    return _numbers(value, text, [abs(calculation.result)], line)


def _picks_cost(total: Decimal, ledger: Ledger) -> str:
    return f"the picks cost {format_money(total, ledger.currency)} together"


def _measure(value: ReadValue, text: str, ledger: Ledger) -> Answer:
    item = ledger.product(value.of)
    numerals = measures_at(text, value.start, value.end)
    readings: dict[int, list[Amount]] = defaultdict(list)
    for notation in _notations(text):  # "1.240 g" is read both ways, as a price is
        for amount in amounts_at(value.kind, text, value.start, value.end, notation):
            readings[amount.start].append(amount)
    if item is None or not numerals or not {one.start for one in numerals} <= readings.keys():
        return OPEN
    lines: list[str] = []
    for numeral in numerals:
        known = [*_in_unit(numeral.unit, item)]
        named = [(number, line) for number, line in known if names_field(value.field, line)]
        said = readings[numeral.start]
        line = next((line for number, line in named or known if any(_is_measure(one, number) for one in said)), None)
        if line is None:
            distinct = {line for _, line in named}
            is_denied = len(numerals) == 1 and len(named) == len(distinct) == 1
            return Answer(False, distinct.pop()) if is_denied else OPEN
        lines.append(line)
    return Answer(True, "; ".join(dict.fromkeys(lines)))


def _stock(value: ReadValue, text: str, ledger: Ledger) -> Answer:
    """Whether all offers that may be meant can be had, or how many pieces there are."""
    offers = ledger.offers(value.of)
    there = {offer.is_available for offer in offers}
    if not offers:
        return _missing(value, text, ledger)
    if len(there) != 1 or (is_there := there.pop()) is None:
        return OPEN
    counts = [Decimal(offer.stock) for offer in offers if offer.stock is not None]
    line = f"{sum(counts)} in stock" if counts else "in stock" if is_there else "sold out"
    if not amounts_at(value.kind, text, value.start, value.end):
        return Answer(is_there == (value.field != "sold out"), line) if value.field else OPEN
    known = len(counts) == len(offers)
    return _numbers(value, text, [*counts, sum(counts, Decimal(0))], line) if known else OPEN


def _option(value: ReadValue, _: str, ledger: Ledger) -> Answer:
    """A size, a color: the values of an option are all that there are (CAPABILITIES 2)."""
    names = {name for offer in ledger.offers(value.of) for name in offer.options}
    same = [name for name in names if name.casefold() == value.field.casefold()]
    if len(same) != 1:
        return OPEN
    values = dict.fromkeys(offer.options[same[0]] for offer in ledger.offers(value.of) if same[0] in offer.options)
    said = "".join(filter(str.isalnum, value.amount.casefold()))
    is_there = said in ("".join(filter(str.isalnum, one.casefold())) for one in values)
    return Answer(is_there, f"{same[0]}: {', '.join(values)}")


def _policy(value: ReadValue, text: str, ledger: Ledger) -> Answer:
    known = {} if ledger.policy is None else ledger.policy.model_dump()
    recorded = known.get(value.field)
    amounts = amounts_at(value.kind, text, value.start, value.end)
    if recorded is None or not amounts:
        return OPEN
    numbers = [Decimal(str(one)) for one in (recorded if isinstance(recorded, tuple) else (recorded,))]
    line = f"{value.field.replace('_', ' ')}: {' to '.join(f'{one.normalize():f}' for one in numbers)}"
    said = {end for amount in amounts for end in (amount.low, amount.high)}
    if said <= {*numbers} or (len(numbers) > 1 and all(numbers[0] <= one <= numbers[-1] for one in said)):
        return Answer(True, line)
    return Answer(False, line) if len(amounts) == 1 else OPEN


def _missing(value: ReadValue, _: str, ledger: Ledger) -> Answer:
    """A thing or an order that the shop does not have, though it is spoken of as if."""
    why = ledger.missing.get(value.of)
    return OPEN if why is None or value.field == "sold out" else Answer(False, why)


_COMPARE: Mapping[ValueKind, Callable[[ReadValue, str, Ledger], Answer]] = {
    "price": _price,
    "list_price": _list_price,
    "rating": _rating,
    "rating_count": _rating,
    "order_date": _order_date,
    "order_status": _order_status,
    "total": _total,
    "measure": _measure,
    "stock": _stock,
    "option": _option,
    "policy": _policy,
    "product": _missing,
}
_OF_ALL = frozenset(content_stems("item product number count"))
"""What names of fields say of every product and every count."""
_CONVERTED = Decimal("0.03")
"""How far a figure may be from the record's: sellers round when they convert."""
_GLUED = re.compile(r"(?<=[\d\"”'])\s?[xX×*]\s?(?=\d)")


def names_field(field: str, line: str) -> bool:
    """True if a record's line is that of a field with the words of this name: "Item Weight" is named by "weight"."""
    name, is_field, _ = line.partition(":")
    own, said = (({*content_stems(one)} - _OF_ALL) or {*content_stems(one)} for one in (name, field))
    return bool(is_field and own) and own == said


def _is_measure(amount: Amount, number: Decimal) -> bool:
    return fits(amount, number) or abs(number - amount.low) <= number * _CONVERTED


def _in_unit(unit: str, item: Product) -> Iterator[tuple[Decimal, str]]:
    """The numbers of a record that can be told in a unit, with their line. A count has the same unit, or none."""
    for number, written, line in _measures(item):
        is_same = written == unit or ("" in (written, unit) and not {written, unit} & UNCOUNTED)
        factor = conversion(written, unit) if {written, unit} <= SIZED else Decimal(1) if is_same else None
        if factor is not None:
            yield number * factor, line


@lru_cache(maxsize=512)
def _measures(item: Product) -> tuple[tuple[Decimal, str, str], ...]:
    """The numbers of a record with unit and line, fields first; in "10 x 15 x 6 inches" all three are in inches."""
    own = (STOCK, LIST_PRICE)
    fields = [f"{path.strip()}: {value}" for path, value in leaves(item.details) if path.strip() not in own]
    measures: list[tuple[Decimal, str, str]] = []
    for line in (*fields, item.title, *item.features, *item.description):
        unit = ""
        for numeral in reversed(list(find_numerals(_GLUED.sub(" x ", line)))):
            unit = unit if numeral.unit in SIDES and unit else numeral.unit
            if numeral.number is not None:
                measures.append((numeral.number, unit, line))
    return tuple(measures)
