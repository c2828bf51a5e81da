"""Errors in figures, dates and makers: what a report says rightly, said otherwise by arithmetic on the records."""

import re
from collections.abc import Callable, Iterator
from datetime import date
from decimal import Decimal
from itertools import chain, islice

from drretail.grounding.verify.derivation import fits
from drretail.grounding.verify.records import amount_of, on_record
from drretail.lab.plant.good_report import Material, Planted
from drretail.records.reading import ReadValue, ValueKind

_NUMERAL = re.compile(r"\d(?:[\d.,]*\d)?")
FACTORS = (Decimal("0.78"), Decimal("0.88"), Decimal("1.13"), Decimal("1.27"))
OF_COUNTS = (Decimal("0.6"), Decimal("1.4"), Decimal("1.9"), Decimal("2.6"))
_OF_RATINGS = tuple(map(Decimal, ("-0.7", "-0.5", "-0.3", "0.3", "0.5", "0.7")))
_HIGHEST = 5
_TIMES = re.compile(r"\*| x ")
"""Between a number and a price, as derivations and expressions of the calculator have it."""
_YEAR = re.compile(r"(?:19|20)\d\d")
_SHORTEST_MAKER = 4


def scaled(
    material: Material,
    kind: ValueKind,
    factors: tuple[Decimal, ...],
    is_meant: Callable[[ReadValue], bool] = lambda value: True,
) -> Iterator[Planted]:
    """Each right value of the kind times one of the factors; ``is_meant`` chooses among the values."""
    for value, old in _right(material, kind):
        if is_meant(value):
            yield from _written(material, value, old, old * material.chance.choice(factors), f"right is {old}")


def is_product(value: ReadValue) -> bool:
    """True where a total is a number times a price."""
    return bool(_TIMES.search(value.derivation or ""))


def price_of_another_product(material: Material) -> Iterator[Planted]:
    for value, old in _right(material, "price"):
        own = value.of[0].removeprefix("P:")
        others = [
            (product_id, Decimal(str(other.price)))
            for product_id, other in material.shown.items()
            if product_id != own and other.price is not None and not other.price_from
        ]
        material.chance.shuffle(others)
        planted = (_written(material, value, old, price, f"the price of P:{product}") for product, price in others)
        yield from islice(chain.from_iterable(planted), 1)


def wrong_rating(material: Material) -> Iterator[Planted]:
    for value, old in _right(material, "rating"):
        new = [old + step for step in _OF_RATINGS if 1 <= old + step <= _HIGHEST]
        choice = material.chance.choice(new)
        yield from _written(material, value, old, choice, f"the rating is {old}", least_places=1)


def wrong_order_date(material: Material) -> Iterator[Planted]:
    known = set(material.ledger.order_dates.values())
    for value in material.reading.values:
        if value.kind != "date" or not _is_right(material, value) or not isinstance(value.amount, str):
            continue
        text = material.case.report[value.start : value.end]
        year = _YEAR.search(text)
        if year is None or year[0] != value.amount[:4] or len(value.amount) < len("2020-04"):
            continue
        other = str(int(year[0]) - material.chance.choice((1, 2)))
        if any(date.isoformat(day).startswith(f"{other}{value.amount[4:]}") for day in known):
            continue
        words = f"{text[: year.start()]}{other}{text[year.end() :]}"
        yield material.replaced(value.start, value.end, words, f"the order is of {value.amount}")


def wrong_brand(material: Material) -> Iterator[Planted]:
    """A maker's name, as its record writes it, in a sentence that cites that product alone."""
    makers = {product_id: product.brand or "" for product_id, product in material.shown.items()}
    for index, cited in material.case.layout.cited.items():
        own = makers.get(cited[0].removeprefix("P:"), "") if len(cited) == 1 else ""
        others = sorted(
            {
                maker
                for maker in makers.values()
                if maker and maker.casefold() not in own.casefold() and own not in maker
            }
        )
        if len(own) < _SHORTEST_MAKER or not others or index in material.wrong:
            continue
        sentence = material.case.layout.sentences[index]
        place = re.compile(rf"(?<!\w){re.escape(own)}(?!\w)").search(
            material.case.layout.text, sentence.start, sentence.end
        )
        if place is not None:
            other = material.chance.choice(others)
            yield material.replaced(place.start(), place.end(), other, f"{cited[0]} is made by {own}")


def guesses(material: Material) -> Iterator[Planted]:
    """Another figure in the place of every one that is right."""
    kinds: tuple[ValueKind, ...] = ("price", "total", "left_over", "per_unit")
    for kind in kinds:
        yield from scaled(material, kind, FACTORS)
    yield from scaled(material, "rating_count", OF_COUNTS)
    yield from wrong_rating(material)


def _right(material: Material, kind: ValueKind) -> Iterator[tuple[ReadValue, Decimal]]:
    """The values of a kind that are verified, each said as one number of one source."""
    for value in material.reading.values:
        amount = amount_of(value) if value.kind == kind and _is_right(material, value) else None
        if amount is not None and amount.low == amount.high:
            yield value, amount.low


def _is_right(material: Material, value: ReadValue) -> bool:
    is_single = len(value.of) == 1 or value.kind not in ("price", "rating", "rating_count", "date")
    is_plain = value.relation in ("is", "about") and value.state == "verified"
    return is_single and is_plain and material.index_at(value.start) is not None


def _written(
    material: Material, value: ReadValue, old: Decimal, new: Decimal, note: str, *, least_places: int = 0
) -> Iterator[Planted]:
    """The report with another number in the place of the old one, written alike; nothing where it were right still."""
    text = material.case.report[value.start : value.end]
    for numeral in _NUMERAL.finditer(text):
        for factor in (1, 100):  # "19 cents" is 0.19
            style = _style(numeral[0], old * factor)
            if style is None:
                continue
            places = max(style[0], least_places)
            rounded = round(new * factor, places)
            number = f"{rounded:,.{places}f}" if style[1] else f"{rounded:.{places}f}"
            number = number.translate(str.maketrans(",.", ".,")) if style[2] else number
            words = f"{text[: numeral.start()]}{number}{text[numeral.end() :]}"
            if rounded != round(old * factor, places) and not _still_fits(material, value, rounded / factor):
                yield material.replaced(value.start, value.end, words, note)
            return


def _style(numeral: str, number: Decimal) -> tuple[int, bool, bool] | None:
    """Decimal places, whether thousands are set apart, whether the comma is the decimal sign; None for another number.

    Both ways of writing are tried: which of them it is shows in what it is read as.
    """
    for swapped in (False, True):
        plain = numeral.translate(str.maketrans(",.", ".,")) if swapped else numeral
        bare = plain.replace(",", "")
        if bare.count(".") <= 1 and bare[-1:] != "." and Decimal(bare) == number:
            return len(bare.partition(".")[2]), "," in plain, swapped
    return None


def _still_fits(material: Material, value: ReadValue, new: Decimal) -> bool:
    """True where the record bears out the new number, too."""
    amount = amount_of(value.model_copy(update={"amount": (f"{new:f}", f"{new:f}")}))
    products = [material.ledger.products.get(source.removeprefix("P:")) for source in value.of]
    records = [on_record(value.kind, product) for product in products if product is not None]
    return amount is None or any(fits(amount, record) for record in records)
