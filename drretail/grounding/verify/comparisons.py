"""Comparisons in words: "costs more than" and "half of your $35" by the figures of both sides, "the cheapest" and
"the only one under $30" by all products of the kind that were shown.
"""

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import replace
from decimal import Decimal
from itertools import product
from typing import NamedTuple

from drretail.grounding.constraints import is_within
from drretail.grounding.listing import is_of_kind, listing_of
from drretail.grounding.report.evidence_ids import product_evidence_id
from drretail.grounding.text.amounts import Amount, find_amounts
from drretail.grounding.text.numerals import conversion, find_numerals
from drretail.grounding.text.wording import format_money
from drretail.grounding.verify.fields import measures_akin, measures_named
from drretail.grounding.verify.records import (
    CENTS,
    Ledger,
    amount_of,
    fits,
    on_record,
    small_numbers,
    title_numbers,
    with_state,
)
from drretail.records.reading import ReadValue, ValueKind, ValueState
from drretail.records.shop import Product, is_priced_whole, sold_for
from drretail.records.wish import Want

_OF_PRODUCTS: dict[str, ValueKind] = {"price": "price", "rating": "rating", "rating_count": "rating_count"}
_EXACT, _LOOSE = Decimal("0.03"), Decimal("0.1")
"""Up to what share of a figure another is the same, and from what share on it certainly is not."""
Answer = bool | None  # None where the comparison may be true


class Figure(NamedTuple):
    """A number and its unit, a currency for money; an empty one is whatever is beside it."""

    number: Decimal
    unit: str

    def in_unit(self, unit: str) -> Decimal | None:
        factor = conversion(self.unit, unit) or (1 if self.unit == unit or "" in (self.unit, unit) else None)
        return None if factor is None else self.number * factor


def verify_comparison(value: ReadValue, ledger: Ledger, line: str) -> ReadValue:
    """The value with its state.

    It is contradicted if all figures that the field of one source may be deny it, beside all that the field of another
    may be. By how much may also be meant of several or of a pack; ``line`` has the counts for these.
    """
    subjects = [source for source in value.of if source not in ledger.calculations] or value.of
    ids = [source.removeprefix("P:") for source in (*value.of, *value.than)]
    counts = {Decimal(1), *title_numbers(ids, ledger), *map(Decimal, small_numbers(line))}
    # "Half of the orders" is of one record, "cheaper" may be by the piece, and "A and B are $3 below C" of their sum in
    # any quantity.
    is_direction = value.field == "price" and value.kind in ("more", "less") and not value.amount
    is_sum = len(subjects) > 1 and bool(value.amount) and value.kind in ("more", "less", "difference")
    is_open = is_direction or is_sum or not {*value.of}.isdisjoint(value.than)
    cited = (ledger.calculations.get(source) for source in (*value.of, *value.than) if value.kind == "share")
    amount, _ = _amount(value)  # a cited result may be the share itself
    is_open |= amount is not None and any(
        fits(amount, scale * calculation.result) for calculation in cited if calculation for scale in (1, 100)
    )
    state: ValueState = "verified" if subjects and value.than else "underivable"
    is_of_all = value.kind == "share" and len(value.than) > 1
    for sides in product(subjects, value.than[:1] if is_of_all else value.than):
        own, other = (figures_of(value, source, ledger) for source in sides)
        if is_of_all:
            other = _together(value, own, ledger)
        if value.kind == "share":  # "both take a third of the total"
            firsts = [figures[0] for source in subjects if (figures := figures_of(value, source, ledger))]
            own += [Figure(sum((figure.number for figure in firsts), Decimal(0)), figure.unit) for figure in firsts[:1]]
        answers = {_holds(value, one, another, counts) for one, another in product(own, other)}
        named = "" if _kind(value.field or "") in ("rating", "rating_count") else value.field or ""  # the shop's own
        akin = product(*(map(Figure._make, measures_akin(named, ledger.items(side))) for side in sides))
        if answers == {False} and not is_open and not any(_holds(value, one, another, counts) for one, another in akin):
            words = " and ".join(f"{number.normalize():f} {unit}".strip() for number, unit in (own[0], other[0]))
            return with_state(value, "contradicted", f"the record says {words}")
        if answers != {True} and not (value.kind == "share" and True in answers):
            state = "underivable"
    return with_state(value, state, "")


def _together(value: ReadValue, own: Sequence[Figure], ledger: Ledger) -> list[Figure]:
    """What all that a share is of come to, without the thing itself and with it; none where one of them is unknown."""
    each = [figures_of(value, source, ledger)[:1] for source in value.than]
    if not all(each) or not own:
        return []
    total = sum((one.number for (one,) in each), Decimal(0))
    return [Figure(total, own[0].unit), Figure(total + own[0].number, own[0].unit)]


def _holds(value: ReadValue, own: Figure, other: Figure, counts: Collection[Decimal]) -> Answer:
    amount, written = _amount(value)
    unit = written.strip("%") or own.unit or other.unit
    number, beside = own.in_unit(unit), other.in_unit(unit)
    if number is None or not beside:
        return None
    if value.kind == "same":
        slack = beside * (_LOOSE if value.relation == "about" else _EXACT)
        return number == beside or (None if abs(number - beside) <= slack else False)
    if value.kind == "share":  # an amount of 3 may be three times as much
        share = number / beside
        return _comes_to(amount, 100 * share, (scale * share * count for scale in (1, 100) for count in counts))
    first, second = (beside, number) if value.kind == "less" else (number, beside)
    is_more = None if number == beside else first > second or value.kind == "difference"
    if not is_more or not value.amount:
        return is_more
    apart = abs(number - beside)
    # "20.8 ounces" of 1.3 pounds are as exact as these.
    is_converted = not {own.unit, other.unit} <= {unit, ""}
    if amount is not None and is_converted and abs(apart - amount.low) <= (number + beside) * _EXACT:
        return None
    of_several = (abs(number * count - beside * another) for count in counts for another in counts)
    return _comes_to(amount, apart * (100 / beside if written == "%" else 1), of_several)


def _comes_to(amount: Amount | None, number: Decimal, of_several: Iterable[Decimal]) -> Answer:
    if amount is None:
        return None
    if fits(amount, number):
        return True
    if amount.places >= CENTS:  # nobody rounds to the cent
        return None if any(fits(amount, figure) for figure in of_several) else False
    slack = 2 * _LOOSE if amount.relation == "about" else _LOOSE
    is_near = amount.low * (1 - slack) <= number <= amount.high * (1 + slack)
    return None if is_near or any(fits(replace(amount, relation="about"), figure) for figure in of_several) else False


def _amount(value: ReadValue) -> tuple[Amount | None, str]:
    """By how much, or what share, with its unit but for money; none for what has two figures ("1 lb 9 oz")."""
    ends = (value.amount,) if isinstance(value.amount, str) else value.amount
    amounts = [amount for end in ends for amount in find_amounts(end)]
    if len(amounts) != len(ends):
        return None, ""
    units = ["", *(numeral.unit for numeral in find_numerals(ends[-1]))]
    unit = {"percent": "%", "money": ""}.get(amounts[-1].kind, units[-1])
    return replace(amounts[0], high=amounts[-1].high, relation=value.relation), unit


def _kind(field: str) -> ValueKind | None:
    return _OF_PRODUCTS.get(field.casefold().replace(" ", "_"))


def figures_of(value: ReadValue, source: str, ledger: Ledger) -> list[Figure]:
    """What the field of a source may be: of variants each, of a share also in the quantity that is picked.

    Amounts and results of calculations are figures themselves. "Price per ounce" is a field of its own, which few
    records have.
    """
    if ":" not in source:
        return [Figure(numeral.number, "") for numeral in find_numerals(source) if numeral.number is not None]
    if source in ledger.calculations:
        return [Figure(abs(ledger.calculations[source].result), "")]
    is_of_money = value.currency or not ledger.calculations.keys().isdisjoint(value.than)
    items, field = ledger.items(source), value.field or ("price" if is_of_money else "")
    if (kind := _kind(field)) is None:
        measures = (measures_named(field, item) for item in items)
        is_of_one = value.kind == "same"  # which of several sides is as long, nobody says
        return [Figure(*figure) for figures in measures if not is_of_one or len(figures) == 1 for figure in figures]
    known = ((item, number) for item in items if (number := on_record(kind, item)) is not None)
    item, number = next(known, (None, Decimal(0)))
    if item is None or (kind == "price" and not is_priced_whole(item)):
        return []
    if kind != "price":
        return [Figure(number, "")]
    prices = sold_for(item) or [number]
    if value.kind == "share":
        picked = [pick.quantity for pick in ledger.picks or () if pick.product == item.product_id]
        total = [ledger.total] if picked and ledger.total is not None else []
        prices = [*(price * count for price in prices for count in (1, *picked)), *total]
    return [Figure(price, item.currency) for price in prices]


def verify_superlative(value: ReadValue, ledger: Ledger) -> ReadValue:
    """The value with its state: verified if no product of the kind does better.

    Contradicted only by a product that would suit the same typed want: "the cheapest" may mean among those that the
    shopper could use. If words in ``amount`` narrow it further, it is underivable.
    """
    product = ledger.products.get(value.of[0].removeprefix("P:")) if len(value.of) == 1 else None
    does_better = None if product is None else _rule(value, product)
    if product is None or does_better is None:
        return value
    if value.kind == "only_one" and not does_better(product):
        return with_state(value, "contradicted", f"the record says {_figures(product)}")
    others = rivals(product, ledger)
    better = [rival for rival in others if does_better(rival)]
    if not better:
        return with_state(value, "verified", "of all of its kind that were shown") if others else value
    able = [rival for rival in better if _would_do_as_well(rival, product, value.kind, ledger)]
    state: ValueState = "contradicted" if able else "underivable"
    rival = (able or better)[0]
    return with_state(value, state, f"{product_evidence_id(rival.product_id)} was shown, too: {_figures(rival)}")


def rivals(product: Product, ledger: Ledger) -> list[Product]:
    """All other products in the ledger of its leaf category, or of a kind that the same want names."""
    kinds = [kind for want in _wants_for(product, ledger) for kind in want.kinds]
    return [
        other
        for other in ledger.products.values()
        if other.product_id != product.product_id
        and (other.leaf_category == product.leaf_category or any(is_of_kind(other, kind) for kind in kinds))
    ]


def shown_of_kind(product: Product, ledger: Ledger) -> str:
    """The product and its rivals for a judge, a line each, by price: id, title, price, rating, number of ratings."""
    shown = [product, *rivals(product, ledger)]
    shown.sort(key=lambda one: (one.price is None, one.price or 0, one.product_id))
    return "\n".join(f"{product_evidence_id(one.product_id)} {one.title}: {_figures(one)}" for one in shown)


_RANKED: Mapping[ValueKind, tuple[ValueKind, int]] = {
    "lowest_price": ("price", -1),
    "highest_rating": ("rating", 1),
    "most_ratings": ("rating_count", 1),
}
"""What each is measured by, and whether more (1) or less (-1) of it is better."""


def _rule(value: ReadValue, product: Product) -> Callable[[Product], bool] | None:
    """A function that tells whether another product does better, or keeps the limit of an "only one"; None if records
    can't tell.

    The amount of an "only one" is a price if it has a currency, else stars.
    """
    is_limit = value.kind == "only_one"
    kind, sign = _RANKED[("lowest_price" if value.currency else "highest_rating") if is_limit else value.kind]
    own = on_record(kind, product)
    if own is None or (value.amount and not is_limit):
        return None
    if not is_limit:
        return lambda other: (number := on_record(kind, other)) is not None and sign * number > sign * own
    limit = amount_of(value)
    if limit is None or value.relation not in ("at_least", "at_most"):
        return None
    sign = 1 if value.relation == "at_least" else -1
    return lambda other: (number := on_record(kind, other)) is not None and sign * number >= sign * limit.low


def _would_do_as_well(rival: Product, product: Product, kind: ValueKind, ledger: Ledger) -> bool:
    """True if the rival certainly suits a want that the product is for, at an affordable price."""
    listing = listing_of(rival)
    owned = ledger.wish.owned if ledger.wish is not None else ()
    if (
        rival.product_id in owned
        or rival.product_id in ledger.decisions.excluded
        or listing.price is None
        or rival.price_from
    ):
        return False
    if kind != "lowest_price" and ledger.limit is not None and listing.price > ledger.limit:
        return False
    return any(
        is_within(want, listing)
        and ledger.decisions.is_of_kind(want, listing)
        and ledger.decisions.state(want, listing) == "met"
        for want in _wants_for(product, ledger)
    )


def _wants_for(product: Product, ledger: Ledger) -> list[Want]:
    wants = ledger.wish.wants if ledger.wish is not None else ()
    return [want for want in wants if ledger.decisions.is_of_kind(want, listing_of(product))]


def _figures(product: Product) -> str:
    price = "no known price" if product.price is None else format_money(product.price, product.currency)
    price = f"from {price}" if product.price is not None and product.price_from else price
    rating = "no rating" if product.average_rating is None else f"{product.average_rating:g} of 5"
    return f"{price}, {rating}" + ("" if product.rating_number is None else f" ({product.rating_number})")
