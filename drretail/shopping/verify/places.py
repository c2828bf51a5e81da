"""A typed value is a place in a text: the figure that stands there, read by the one number reader, beside the record of
its source.

One right figure of the kind at its place settles it. A record denies it only if exactly one figure stands there, and
the record has this very thing: a price is that of one offer, a measure that of the field so named. All else is open.
"""

import re
from collections import defaultdict
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from decimal import Decimal
from functools import lru_cache
from itertools import chain
from random import Random
from typing import NamedTuple

from drretail.records.reading import CART, CHANGES, ReadValue, ValueKind
from drretail.records.shop import LIST_PRICE, STOCK, Offer, Product, has_been, may_share_a_sign, product_of
from drretail.reports.text.amounts import (
    Amount,
    Notation,
    WrittenDate,
    find_amounts,
    find_dates,
    find_days,
    notation_of,
    other_notation,
)
from drretail.reports.text.numerals import UNCOUNTED, Numeral, conversion, find_numerals, with_units, work_out
from drretail.reports.text.wording import format_money
from drretail.reports.text.words import FEWEST_WORDS, RUN, content_stems, word_at
from drretail.shopping.verify.bounds import agrees, fitting, in_days, is_one_of, lasts, reduced_by, signed
from drretail.shopping.verify.records import CENTS, UNKNOWN, Ledger, leaves, on_record

_BEFORE, _BEHIND = 30, 30
"""How many characters around a place say of its figure that it is about so much, or at least."""
_REACH = 300
"""How many characters from a figure words may stand that say what it is: a line may have thousands of figures."""
_HIGHEST_RATING = 5
_FIGURE = re.compile(r"\d(?:[\d.,'’]*\d)?")
_GAP, _SIGNS = " \t*_~", "\n.!?()[]<>|\\,;:–—-·=+\"'“”（）「」、。，："
"""What may stand between a figure and the word beside it, and between the parts of a text."""
MONEY: tuple[ValueKind, ...] = ("price", "list_price", "total")
_OF_WORDS: tuple[ValueKind, ...] = ("option", "order_status", "product")
_COUNTS: tuple[ValueKind, ...] = ("rating_count", "stock")
_OF_THINGS: tuple[ValueKind, ...] = ("order_date", "order_status", "stock", "product")
"""What is said of a thing or an order as if the shop had it."""


@dataclass(frozen=True, slots=True)
class Passage:
    """``text[start:end]`` with what stands around it in the text of an answer or report."""

    text: str
    start: int
    end: int
    whole: str
    """By whose words the language is told, so that another digit changes no notation."""
    first: int
    """Where ``text`` begins in the whole."""

    @classmethod
    def of(cls, whole: str, start: int, end: int) -> "Passage":
        first = max(0, start - _BEFORE)
        return cls(whole[first : end + _BEHIND], start - first, end - first, whole, first)

    @property
    def words(self) -> str:
        return self.text[self.start : self.end]

    @property
    def notations(self) -> Iterator[Notation]:
        """That of the text's language, and of a text too short to tell it the other one as well, which takes long to
        load.
        """
        notation, is_told = own_notation(self.whole)
        yield notation
        if not is_told:
            yield other_notation()

    def reach(self, figure: Amount) -> int:
        """Where that begins which may say, before a figure, what it is."""
        return max(self.start, figure.start - _REACH)

    def beside(self, figure: Amount, labels: Mapping[str, Collection[str]]) -> Iterator[str | None]:
        """The words directly before and behind a figure: blank for the end of the text and for a sign between its
        parts, None for any other sign, such as a minus or "%". Without spaces, it is the longest label there, if any.
        """
        before = self.text[max(0, figure.start - _REACH) : figure.start].rstrip(_GAP)
        behind = self.text[figure.end : figure.end + _REACH].removeprefix("-").lstrip(_GAP)
        for text, edge in ((before, -1), (behind, 0)):
            if not text or text[edge] in _SIGNS:
                yield ""
            else:
                yield word_at(text, edge, chain(*labels.values())) if text[edge].isalpha() else None

    def altered(self, kind: ValueKind, start: int, end: int) -> Iterator["Passage"]:
        """The same, ``CHANGES`` times, with a false figure in ``text[start:end]``: another digit, another figure of the
        text, or ten times as much, drawn with the place as seed (METRICS 0, power). Of a day only digits change.
        """
        figure = _FIGURE.search(self.text, start, end)
        if figure is None:
            return
        written, draw = figure[0], Random(f"{self.first + start}: {figure[0]}")
        others = [other for other in _figures(self.whole) if other != written and _places(other) == _places(written)]
        for _ in range(CHANGES):
            how = "digit" if kind == "order_date" else draw.choice(("digit", "ten", "figure" if others else "digit"))
            at = draw.choice([at for at, sign in enumerate(written) if sign.isdigit()])
            digit = draw.choice([digit for digit in ("123456789" if at == 0 else "0123456789") if digit != written[at]])
            false = draw.choice(others) if how == "figure" else f"{written[:at]}{digit}{written[at + 1 :]}"
            false = _tenfold(written) if how == "ten" else false
            text = f"{self.text[: figure.start()]}{false}{self.text[figure.end() :]}"
            yield replace(self, text=text, end=self.end + len(false) - len(written))


@lru_cache(maxsize=64)
def _figures(whole: str) -> Sequence[str]:
    return [*dict.fromkeys(figure[0] for figure in _FIGURE.finditer(whole))]


def _places(figure: str) -> int:
    """The decimal places of a figure."""
    return len(re.findall(r"(?<=[.,])\d\d?$|$", figure)[0])


def _tenfold(figure: str) -> str:
    """ "42.95" → "429.50", "4.6" → "46", "1,843" → "18430"."""
    whole, *decimals = re.split(r"[.,](?=\d\d?$)", figure)
    (places,) = decimals or ("0",)
    whole = "".join(filter(str.isdigit, whole)) + places[0]
    return f"{whole}{figure[-3]}{places[1:]}0" if len(places) > 1 else whole


@lru_cache(maxsize=64)
def own_notation(whole: str) -> tuple[Notation, bool]:
    notation = notation_of(whole)
    return notation, not notation.is_english or len(RUN.findall(whole)) >= FEWEST_WORDS


class _Answer(NamedTuple):
    """What a record says of a place."""

    is_true: bool | None
    """None where it leaves that open."""
    record: str = ""


OPEN = _Answer(None)


def amounts_at(kind: ValueKind, place: Passage, notation: Notation | None = None) -> list[Amount]:
    """The amounts of a kind that stand at a place, by default in the notation of the whole text; if none do, and that
    is too short to tell its language by, in the other one.
    """
    if notation is None:
        return next(filter(None, (amounts_at(kind, place, notation) for notation in place.notations)), [])
    amounts = _amounts(place.text, notation, kind not in _COUNTS)
    amounts = [amount for amount in amounts if place.start <= amount.start and amount.end <= place.end]
    amounts = [amount for amount in amounts if amount.kind != "percent"]
    if kind in MONEY or kind == "policy":  # shipping costs money, and takes days
        return [amount for amount in amounts if amount.kind == "money"] or amounts
    amounts = [amount for amount in amounts if amount.kind == "number"]
    if kind == "rating":
        amounts = [amount for amount in amounts if amount.low > 0 and not amount.is_range]
        # Not the 1,843 of "4.6 (1,843)", but also what can't be: 9.3 of 5 stars.
        return [amount for amount in amounts if amount.low <= _HIGHEST_RATING or (amount.low < 10 and amount.places)]
    return [amount for amount in amounts if not amount.places] if kind in _COUNTS else amounts


@lru_cache(maxsize=1024)  # each kind asks for the same ones, and so does each comparison
def _amounts(text: str, notation: Notation, years: bool) -> Sequence[Amount]:
    return find_amounts(text, notation, years=years)


def days_at(place: Passage) -> list[WrittenDate]:
    """The dates at a place, those without a year too."""
    dates: list[WrittenDate] = []
    for notation in place.notations:
        dates = [*find_dates(place.words, notation), *find_days(place.words, notation)] or dates
        if any(date.is_day or date.iso.startswith("--") for date in dates):  # of "12. März 2026" English reads the year
            break
    return [WrittenDate(date.iso, date.start + place.start, date.end + place.start) for date in dates]


def _measures_at(place: Passage) -> list[Numeral]:
    """The figures at a place, each with its unit."""
    numerals = signed(find_numerals(place.text), place.text)
    return with_units([figure for figure in numerals if place.start <= figure.start and figure.end <= place.end])


def figures_at(kind: ValueKind, place: Passage) -> Sequence[Amount | WrittenDate | Numeral]:
    """What of a kind stands at a place."""
    if kind == "order_date":
        return days_at(place)
    return _measures_at(place) if kind == "measure" else amounts_at(kind, place)


def value_at(kind: ValueKind, text: str, start: int, end: int, of: str = "", field: str = "") -> ReadValue:
    """The value that stands within ``text[start:end]``, at its own place if only one does; not compared yet."""
    place = Passage.of(text, start, end)
    figures = () if kind in _OF_WORDS else figures_at(kind, place)
    if len(figures) == 1:
        return figure_value(kind, figures[0], place.first, of, field)
    return ReadValue(kind=kind, amount=" ".join(place.words.split()), field=field, of=of, start=start, end=end)


def figure_value(
    kind: ValueKind, figure: Amount | WrittenDate | Numeral, first: int, of: str = "", field: str = ""
) -> ReadValue:
    """The value of one figure of a text that begins at ``first``; not compared yet."""
    if isinstance(figure, WrittenDate):
        amount = figure.iso
    else:
        amount = f"{figure.low:f}" if isinstance(figure, Amount) else f"{figure.number} {figure.unit}".strip()
    return ReadValue(kind=kind, amount=amount, field=field, of=of, start=figure.start + first, end=figure.end + first)


def compare_value(value: ReadValue, text: str, ledger: Ledger) -> ReadValue:
    """The value with its state: verified, contradicted or underivable, and with the record's line."""
    return compared_at(value, Passage.of(text, value.start, value.end), ledger)


def compared_at(value: ReadValue, place: Passage, ledger: Ledger) -> ReadValue:
    if value.kind in _OF_THINGS and value.field != "sold out" and value.of in ledger.missing:
        is_true, record = False, ledger.missing[value.of]
    elif value.kind == "product" and not value.of and ledger.policy is not None:
        is_true, record = None, UNKNOWN
    else:
        is_true, record = _COMPARE.get(value.kind, lambda *_: OPEN)(value, place, ledger)
    state = "underivable" if is_true is None else "verified" if is_true else "contradicted"
    is_contested = is_true is None and bool(record)
    return value.model_copy(update={"state": state, "derivation": record or None, "is_contested": is_contested})


def compared_figure(
    kind: ValueKind, figure: Amount | WrittenDate, of: str, place: Passage, ledger: Ledger
) -> ReadValue:
    """The value of one figure at a place, compared with the record of its source."""
    at_figure = replace(place, start=figure.start, end=figure.end)
    return compared_at(figure_value(kind, figure, place.first, of), at_figure, ledger)


def would_be_caught(value: ReadValue, text: str, ledger: Ledger) -> ReadValue:
    """A verified figure with how often it is found once it is changed; other values as they are."""
    place = Passage.of(text, value.start, value.end)
    if value.state != "verified" or value.kind in _OF_WORDS or not figures_at(value.kind, place):
        return value
    wrong = (compared_at(value, false, ledger) for false in place.altered(value.kind, place.start, place.end))
    return value.model_copy(update={"caught": sum(each.state == "contradicted" for each in wrong)})


def _numbers(value: ReadValue, place: Passage, numbers: Sequence[Decimal], record: str, currency: str = "") -> _Answer:
    """Whether one of the amounts at a place is one of a record's numbers."""
    # "1.240" is read both ways in an answer that is too short to tell its language by.
    readings = (amounts_at(value.kind, place, notation) for notation in place.notations)
    amounts = next(filter(None, readings), [])
    in_currency = [
        amount
        for amount in amounts
        if not (currency and amount.currency and not may_share_a_sign(amount.currency, currency))
    ]
    if in_currency and any(is_one_of(reading, numbers, value.bound) for reading in chain([amounts], readings)):
        return _Answer(True, record)
    if len(amounts) != 1 or len(in_currency) != 1 or in_currency[0].is_range:
        return OPEN
    if in_currency[0].compound and value.kind != "rating":  # "16-inch", but "4.6-star"
        return OPEN
    is_near = any(agrees(in_currency[0], number, value.bound) is not False for number in numbers)
    return OPEN if is_near else _Answer(False, record)


def _of_offers(
    value: ReadValue, place: Passage, ledger: Ledger, of_offer: Callable[[Offer], Decimal | None]
) -> _Answer:
    """A price of the offers that may be meant: of several prices "from" says the lowest; no bound leaves it open."""
    item, found = ledger.product(value.of), {of_offer(offer) for offer in ledger.offers(value.of)}
    numbers = sorted(number for number in found if number is not None)
    if item is None or not found or len(numbers) < len(found) or (len(numbers) > 1 and value.bound is None):
        return OPEN
    line = " to ".join(format_money(number, item.currency) for number in dict.fromkeys((numbers[0], numbers[-1])))
    meant = {"at_least": numbers[:1], "at_most": numbers[-1:]}.get(value.bound or "is", numbers)
    answer = _numbers(value, place, meant, line, item.currency)
    return _Answer(None, line) if answer.is_true and len(meant) > 1 else answer


def _price(value: ReadValue, place: Passage, ledger: Ledger) -> _Answer:
    if value.of[:2] == "O:":
        paid = ledger.records.get(value.of, {}).get("price")
        is_number = isinstance(paid, int | float)
        return _numbers(value, place, [Decimal(str(paid))], f"the order's price is {paid}") if is_number else OPEN
    return _of_offers(value, place, ledger, lambda offer: offer.price)


def _list_price(value: ReadValue, place: Passage, ledger: Ledger) -> _Answer:
    """A price from before a sale, or a sale without a figure: an offer is reduced if its list price is above its
    price. A shop that has no list price for it has no such sale.
    """
    offers, has_figure = ledger.offers(value.of), bool(amounts_at(value.kind, place))
    reduced = {(offer.list_price or 0) > (offer.price or 0) for offer in offers}
    has_none = all(offer.list_price is None for offer in offers)
    if ledger.policy is not None and reduced == {False} and (has_none or not has_figure):
        return _Answer(False, "it has no list price" if has_none else "its list price is not above its price")
    if has_figure:
        return _of_offers(value, place, ledger, lambda offer: offer.list_price)
    share, cut = [each for each in _measures_at(place) if each.unit == "%"], reduced_by(offers)
    if value.bound and len(share) == len(cut) == 1 and (percent := cut.pop()) is not None:
        return _Answer(abs(share[0].number - percent) < 1, f"it is reduced by {percent:.1f} %")
    is_reduced = reduced == {True} and not any(map(str.isdigit, place.words))  # "15 % off" says more
    return _Answer(True, "its list price is above its price") if is_reduced else OPEN


def _rating(value: ReadValue, place: Passage, ledger: Ledger) -> _Answer:
    item = ledger.product(value.of)
    number = None if item is None else on_record(value.kind, item)
    if number is None:
        return OPEN
    return _numbers(value, place, [number], f"{number.normalize():f}{' ratings' * (value.kind == 'rating_count')}")


def _order_date(value: ReadValue, place: Passage, ledger: Ledger) -> _Answer:
    recorded, days = {ledger.order_dates[line] for line in ledger.lines_of(value.of)}, days_at(place)
    line = f"order date: {', '.join(map(date.isoformat, sorted(recorded)))}"
    if any(day.fits(day_recorded) for day in days for day_recorded in recorded):
        return _Answer(True, line)
    return _Answer(False, line) if len(days) == 1 and len(recorded) == 1 else OPEN


def _order_status(value: ReadValue, place: Passage, ledger: Ledger) -> _Answer:
    statuses = (ledger.records[line].get("order_status") for line in ledger.lines_of(value.of))
    recorded = {f"{status}" for status in statuses if status}
    line = f"order status: {', '.join(sorted(recorded))}"
    if len(recorded) != 1:
        return OPEN
    status = recorded.pop()
    # What came back was delivered once, and is not on its way: which of them is said, a word does not tell.
    has_passed = status != value.field and has_been(value.field.casefold(), status.casefold()) is not False
    return OPEN if has_passed else _Answer(status == value.field, line)


def _total(value: ReadValue, place: Passage, ledger: Ledger) -> _Answer:
    if value.of == CART:
        total = ledger.total
        if total is None:
            return OPEN
        return _numbers(value, place, [total], f"the picks cost {format_money(total, ledger.currency)} together")
    calculation = ledger.calculations.get(value.of)
    if calculation is None:
        return OPEN
    line = f"{calculation.expression} = {calculation.result.normalize():f}"
    # "97.98 for both", of 120-2*48.99 = 22.02: a term of the calculation, told by its cents.
    terms = work_out(calculation.expression)
    if any(amount.places >= CENTS and amount.low in terms for amount in amounts_at(value.kind, place)):
        return _Answer(True, line)
    return _numbers(value, place, [abs(calculation.result)], line)


def _measure(value: ReadValue, place: Passage, ledger: Ledger) -> _Answer:
    item, numerals = ledger.product(value.of), _measures_at(place)
    readings: dict[int, list[Amount]] = defaultdict(list)
    for notation in place.notations:  # "1.240 g" is read both ways, as a price is
        for amount in amounts_at(value.kind, place, notation):
            readings[amount.start].append(amount)
    if item is None or not numerals or not {reading.start for reading in numerals} <= readings.keys():
        return OPEN
    lines: list[str] = []
    for numeral in numerals:
        known = [*_in_unit(numeral.unit, item)]
        of_field = [(number, line) for number, line in known if names_field(value.field, line)]
        right, is_rounded = fitting(readings[numeral.start], of_field or known, value.bound, numeral.number < 0)
        if not right:
            # Of a field with as many figures as are said, "193 × 51" of "183 × 51", all have to be there.
            is_denied = len({line for _, line in of_field}) == 1 and len(of_field) == len(numerals)
            is_denied = is_denied and (len(numerals) == 1 or value.bound is not None)
            return _Answer(None if is_rounded else False, of_field[0][1]) if is_denied else OPEN
        lines.append(right[0])
    return _Answer(True, "; ".join(dict.fromkeys(lines)))


def _stock(value: ReadValue, place: Passage, ledger: Ledger) -> _Answer:
    """Whether all offers that may be meant can be had, or how many pieces there are. Beside words such as "sold out"
    another number may be a size.
    """
    offers = ledger.offers(value.of)
    states = {offer.is_available for offer in offers}
    if len(states) != 1 or (is_there := states.pop()) is None:
        return OPEN
    counts = [Decimal(offer.stock) for offer in offers if offer.stock is not None]
    line = f"{sum(counts)} in stock" if counts else "in stock" if is_there else "sold out"
    numbers = [*counts, sum(counts, Decimal(0))] if len(counts) == len(offers) else []
    if not value.field:
        has_count = numbers and amounts_at(value.kind, place)
        return _numbers(value, place, numbers, line) if has_count else OPEN
    if is_there != (value.field != "sold out"):
        return _Answer(False, line)
    is_right = is_one_of(amounts_at(value.kind, place), numbers)
    return _Answer(True, line) if is_right or not any(map(str.isdigit, place.words)) else OPEN


def _option(value: ReadValue, _: Passage, ledger: Ledger) -> _Answer:
    """A size, a color: the values of an option are all that there are (CAPABILITIES 2). Of a variant, those of the
    variants that share another option with it: rust may come in other sizes than gray.
    """
    offers = ledger.offers(product_of(value.of))
    names = {name for offer in offers for name in offer.options if name.casefold() == value.field.casefold()}
    if len(names) != 1:
        return OPEN
    name = names.pop()
    meant = {pair for offer in ledger.offers(value.of) for pair in offer.options.items() if pair[0] != name}
    meant = meant if "/" in value.of else set[tuple[str, str]]()
    matching = [offer for offer in offers if name in offer.options and (not meant or meant & {*offer.options.items()})]
    values = dict.fromkeys(offer.options[name] for offer in matching)
    text = "".join(filter(str.isalnum, value.amount.casefold()))
    is_there = text in ("".join(filter(str.isalnum, option.casefold())) for option in values)
    of = f" ({', '.join(sorted(option for _, option in meant))})" * bool(meant)
    return _Answer(is_there, f"{name}{of}: {', '.join(values)}")


def _policy(value: ReadValue, place: Passage, ledger: Ledger) -> _Answer:
    """What holds for every order. Of a product it is what shipping costs of an order of one piece of it."""
    amounts = amounts_at(value.kind, place)
    if value.field in ("shipping", "free") and (value.of or value.field == "free"):
        cost = _shipping(ledger, value.of)
        if cost is None or not (amounts or value.field == "free"):
            return OPEN
        line = f"shipping costs {cost.normalize():f}"
        return _Answer(not cost, line) if value.field == "free" else _numbers(value, place, [cost], line)
    policy = {} if ledger.policy is None else ledger.policy.model_dump()
    recorded = policy.get(value.field)
    if recorded is None or not amounts:
        return OPEN
    numbers = [Decimal(str(figure)) for figure in (recorded if isinstance(recorded, tuple) else (recorded,))]
    line = f"{value.field.replace('_', ' ')}: {' to '.join(f'{number.normalize():f}' for number in numbers)}"
    if value.field in ("shipping", "free_from"):
        return _numbers(value, place, numbers, line)
    days = in_days(_measures_at(place))
    is_right = bool(days) and lasts(days, numbers, value.bound)
    return _Answer(is_right, line) if is_right or (days and len(amounts) == 1) else OPEN


def _shipping(ledger: Ledger, of: str) -> Decimal | None:
    """What shipping costs of one piece of a product; None where the policy, or its price, leaves that open."""
    policy = ledger.policy
    if policy is None or policy.shipping is None:
        return None
    if not policy.shipping or policy.free_from is None:
        return Decimal(str(policy.shipping))
    prices = [offer.price for offer in ledger.offers(of)]
    are_free = {price is not None and price >= Decimal(str(policy.free_from)) for price in prices}
    if None in prices or len(are_free) != 1:
        return None
    return Decimal(0) if are_free.pop() else Decimal(str(policy.shipping))


_COMPARE: Mapping[ValueKind, Callable[[ReadValue, Passage, Ledger], _Answer]] = {
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
}
_OF_ALL = frozenset(("item", "product", "number", "count"))
"""What names of fields say of every product and every count."""
_GLUED = re.compile(r"(?<=[\d\"”'])\s?[xX×*]\s?(?=\d)")


def names_field(field: str, line: str) -> bool:
    """True if a record's line is that of a field with the words of this name: "Item Weight" is named by "weight"."""
    name, is_field, _ = line.partition(":")
    words, field_words = (({*content_stems(text)} - _OF_ALL) or {*content_stems(text)} for text in (name, field))
    return bool(is_field and words) and words == field_words


def _in_unit(unit: str, item: Product) -> Iterator[tuple[Decimal, str]]:
    """The numbers of a record that can be told in a unit, with their line. A count has the same unit, or none."""
    for number, written, line in _measures(item):
        is_count = "" in (written, unit) and not {written, unit} & UNCOUNTED
        factor = Decimal(1) if is_count else conversion(written, unit)
        if factor is not None:
            yield number * factor, line


@lru_cache(maxsize=512)
def _measures(item: Product) -> tuple[tuple[Decimal, str, str], ...]:
    """The numbers of a record with unit and line, fields first."""
    left_out = (STOCK, LIST_PRICE)
    fields = [f"{path.strip()}: {value}" for path, value in leaves(item.details) if path.strip() not in left_out]
    measures: list[tuple[Decimal, str, str]] = []
    for line in (*fields, item.title, *item.features, *item.description):
        spaced = _GLUED.sub(" x ", line)
        of_line = with_units([*signed(find_numerals(spaced), spaced)])
        measures += ((measure.number, measure.unit, line) for measure in reversed(of_line))
    return tuple(measures)
