"""Comparisons of two cited figures ("costs more than", "2 ounces lighter", "half of your $35") beside records."""

from collections.abc import Collection
from decimal import Decimal
from itertools import product

from drretail.grounding.text.amounts import exact_amount
from drretail.grounding.text.numerals import Numeral, conversion, find_numerals
from drretail.grounding.verify.derivation import fits, small_numbers, title_numbers
from drretail.grounding.verify.fields import measures_named
from drretail.grounding.verify.records import Ledger, on_record, with_state
from drretail.records.reading import ReadValue, ValueKind, ValueState
from drretail.records.shop import is_priced_whole, sold_for

_OF_PRODUCTS: dict[str, ValueKind] = {"price": "price", "rating": "rating", "rating_count": "rating_count"}
_EXACT, _LOOSE = Decimal("0.03"), Decimal("0.1")
"""Up to what share of a figure another is the same, and from what share on it certainly is not."""
Figure = tuple[Decimal, str]
"""A number and its unit, a currency for money; an empty one is whatever is beside it."""


def verify_comparison(value: ReadValue, ledger: Ledger, line: str) -> ReadValue:
    """The value with its state.

    It is contradicted if all figures that the field of one source may be deny it, beside all that the field of another
    may be. By how much may also be meant of several or of a pack; ``line`` has the counts for these.
    """
    owns = [_figures(value, source, ledger) for source in value.of if source[:2] != "C:"]
    others = [_figures(value, source, ledger) for source in value.than]
    said = next(find_numerals(f"{value.amount}"), None)
    ids = [source.removeprefix("P:") for source in (*value.of, *value.than)]
    times = {Decimal(1), *title_numbers(ids, ledger), *map(Decimal, small_numbers(line))}
    state: ValueState = "verified" if owns and others else "underivable"
    for own, other in product(owns, others):
        holds = {_holds(value, said, one, another, times) for one, another in product(own, other)}
        if holds == {False}:
            words = " and ".join(f"{number.normalize():f} {unit}".strip() for number, unit in (own[0], other[0]))
            return with_state(value, "contradicted", f"the record says {words}")
        if holds != {True} and not (value.kind == "share" and True in holds):
            state = "underivable"
    return with_state(value, state, "")


def _holds(
    value: ReadValue, said: Numeral | None, one: Figure, another: Figure, times: Collection[Decimal]
) -> bool | None:
    """Whether the comparison is true of two figures; None where it may be. ``said`` is by how much, or what share."""
    (own, unit), (other, its_unit) = one, another
    factor = conversion(its_unit, unit) or (1 if its_unit == unit or "" in (unit, its_unit) else None)
    if factor is None or not other:
        return None
    other *= factor
    apart = other - own if value.kind == "less" else own - other
    if value.kind == "same":
        may_be = abs(apart) <= other * (_LOOSE if value.relation == "about" else _EXACT)
        return apart == 0 or (None if may_be else False)
    if value.kind != "share" and (apart <= 0 or said is None):
        return apart > 0 or (None if apart == 0 else False)
    if said is None or said.number is None:
        return None
    if value.kind == "share":
        apart = 100 * own / other if said.number > 1 else Decimal(0)  # "0.5" may be a half
    elif said.unit == "%":
        apart = 100 * apart / other
    elif unit and said.unit and not value.currency:
        scale = conversion(unit, said.unit) or Decimal(unit == said.unit)
        own, other, apart = own * scale, other * scale, apart * scale
    amount = exact_amount(said.number, value.relation)
    if not apart or fits(amount, apart):
        return True if apart else None
    several = (abs(own * count - other * another_count) for count, another_count in product(times, times))
    is_near = abs(said.number - apart) <= _LOOSE * said.number
    return None if is_near or any(fits(amount, one) for one in several) else False


def _figures(value: ReadValue, source: str, ledger: Ledger) -> list[Figure]:
    """What the field of a source may be: of variants each, of a share also in the quantity that is picked.

    A share may be of an amount, which is its only figure.
    """
    if ":" not in source:
        return [(numeral.number, "") for numeral in find_numerals(source) if numeral.number is not None]
    items = ledger.items(source)
    if (kind := _OF_PRODUCTS.get(f"{value.field}".casefold().replace(" ", "_"))) is None:
        return [figure for item in items for figure in measures_named(value.field or "", item)]
    known = ((item, number) for item in items if (number := on_record(kind, item)) is not None)
    item, number = next(known, (None, Decimal(0)))
    if item is None or (kind == "price" and not is_priced_whole(item)):
        return []
    if kind != "price":
        return [(number, "")]
    prices = sold_for(item) or [number]
    if value.kind == "share":
        picked = [pick.quantity for pick in ledger.picks or () if pick.product == item.product_id]
        total = [ledger.total] if picked and ledger.total is not None else []
        prices = [*(price * count for price in prices for count in (1, *picked)), *total]
    return [(price, item.currency) for price in prices]
