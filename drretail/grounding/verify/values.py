"""Values against records: verified, contradicted or underivable, with the words of the derivation."""

from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace
from datetime import date
from decimal import Decimal, InvalidOperation
from functools import lru_cache, partial
from itertools import combinations

from drretail.grounding.text.amounts import Amount, SaidDate, find_amounts
from drretail.grounding.text.wording import format_money
from drretail.grounding.verify.records import Calculation, Ledger
from drretail.grounding.verify.superlatives import verify_superlative
from drretail.records.reading import ReadValue, ValueKind
from drretail.records.shop import Product

_NO_MONEY = ("rating", "rating_count", "quantity")
_FITTING = ("equal", "rounded", "bounded")
_FACTORS = (7, 12, 16, 24, 30, 52, 60, 100, 365, 1000)
_MOST_OF_ONE = 12
"""Up to so many times a price is tried without anybody having named the number."""


def verify(values: Iterable[ReadValue], ledger: Ledger) -> tuple[ReadValue, ...]:
    """The values with their state and derivation, whoever read them; what the records do not hold is underivable.

    Contradicted is only what is said exactly, or with "about", of one source that has such a value on record, and
    what no derivation explains.
    """
    return tuple(_verified(value, ledger) for value in values)


def amount_of(value: ReadValue) -> Amount | None:
    """The amount that a value names, as numbers; None for words and dates."""
    low, high = (value.amount, value.amount) if isinstance(value.amount, str) else value.amount
    try:
        numbers = Decimal(low), Decimal(high)
    except InvalidOperation:
        return None
    places = max(0, -int(numbers[0].as_tuple().exponent))
    return Amount(
        "number" if value.kind in _NO_MONEY else "money",
        *numbers,
        value.start,
        value.end,
        value.currency,
        value.relation,
        places,
    )


def on_record(kind: ValueKind, item: Product) -> Decimal | None:
    """What the record of a product has of a kind of value."""
    number = {"price": item.price, "rating": item.average_rating, "rating_count": item.rating_number}.get(kind)
    return None if number is None else Decimal(str(number))


def fits(amount: Amount, record: Decimal | None) -> bool:
    """True when an amount says a record's number, as exactly as it is said."""
    return record is not None and amount.agreement(record) in _FITTING


def result_shown(amounts: Iterable[Amount], calculation: Calculation) -> Amount | None:
    """The amount that is a calculation's result: its size, in per cent, or in cents."""
    for amount in amounts:
        result = abs(calculation.result) * (100 if amount.kind == "percent" and abs(calculation.result) < 1 else 1)
        how = amount.agreement(result)
        # "up to $25 a person" is no result of 6.05, "over $50" is one of 50.90.
        if how is not None and (how != "bounded" or abs(amount.low - result) * 10 <= result):
            return amount
    return None


def conversions(number: Decimal) -> list[Decimal]:
    """A number in other units of time, weight, length and as a percentage."""
    return [it for factor in _FACTORS for it in (number * factor, number / factor)]


def title_numbers(near: Iterable[str], ledger: Ledger) -> set[Decimal]:
    """The whole numbers in the titles of products, by which a price may be divided: "6 Pack"."""
    titles = " ".join(item.title for it in near if (item := ledger.products.get(it)) is not None)
    return {it.low for it in _amounts_in(titles) if it.kind == "number" and not it.places}


@lru_cache(maxsize=512)
def _amounts_in(text: str) -> tuple[Amount, ...]:
    """Those of a record, which a report that names many wrong figures asks for at each of them."""
    return tuple(find_amounts(text))


def derivation(
    amount: Amount,
    ledger: Ledger,
    near: Collection[str],
    counts: Collection[Decimal] = (),
    *,
    is_left: bool = False,
) -> str | None:
    """How an amount of money follows from records, in words; None where nothing explains it.

    ``near`` are the products cited around it; ``counts`` the numbers that are said with it. What several of one thing
    leave of the budget explains only what is said to be left: by chance it would explain too much.
    """
    if ledger.names(amount.low):
        return "named by the query"
    for key, calculation in ledger.calculations.items():
        if replace(amount, relation="is").agreement(abs(calculation.result)) in ("equal", "rounded"):
            return f"{key}: {calculation.expression}"
    for words, number in _derived(ledger, near, counts, is_left=is_left):
        if amount.agreement(number) in (_FITTING if amount.places < 2 else ("equal", "rounded")):
            return words
    texts = [record_text(ledger.products[it]) for it in near if it in ledger.products]
    if any(said.kind == "money" and fits(amount, said.low) for text in texts for said in _amounts_in(text)):
        return "stands in the record"
    return None


def _derived(
    ledger: Ledger, near: Collection[str], counts: Collection[Decimal], *, is_left: bool
) -> Iterator[tuple[str, Decimal]]:
    """What can be made of the prices at hand, with its words."""
    prices = {it: price for it in near if (price := ledger.price(it)) is not None}
    limit, total, told = ledger.limit, ledger.total, partial(format_money, currency=ledger.currency)
    if total is not None:
        yield "the picks together", total
        if limit is not None:
            yield "the budget and the picks together", abs(limit - total)
    for price in prices.values():
        for number in sorted({*map(Decimal, range(2, _MOST_OF_ONE + 1)), *counts}):
            yield f"{number} x {told(price)}", number * price
            if limit is not None and is_left:
                yield f"the budget and {number} x {told(price)}", abs(limit - number * price)
        for number in counts:
            if number > 1:
                yield f"{told(price)} / {number}", price / number
        for said in ledger.asked:
            if said.kind == "money" and said.low != price:
                yield f"{told(said.low)} and {told(price)}", abs(said.low - price)
    for one, other in combinations(prices.values(), 2):
        yield f"{told(one)} + {told(other)}", one + other
        yield f"{told(max(one, other))} - {told(min(one, other))}", abs(one - other)


def _verified(value: ReadValue, ledger: Ledger) -> ReadValue:
    match value.kind:
        case "price" | "rating" | "rating_count":
            return _of_products(value, ledger)
        case "date":
            return _of_orders(value, ledger)
        case "total" | "difference" | "left_over" | "per_unit":
            return _derivable(value, ledger)
        case "brand":
            return _of_brand(value, ledger)
        case "lowest_price" | "highest_rating" | "most_ratings" | "only_one":
            return verify_superlative(value, ledger)
        case "quantity" | "place":
            return value


def _of_products(value: ReadValue, ledger: Ledger) -> ReadValue:
    amount = amount_of(value)
    ids = [ledger.ordered.get(it, it.removeprefix("P:")) for it in value.of]
    items = [ledger.products[it] for it in ids if it in ledger.products]
    records = [number for item in items if (number := on_record(value.kind, item)) is not None]
    if amount is None or not records or len(records) < len(value.of):
        return value
    if all(fits(amount, record) for record in records):
        return with_state(value, "verified", "")
    found = derivation(amount, ledger, ids) if value.kind == "price" else _named(amount, ledger)
    if found is not None:
        return with_state(value, "underivable", found)
    loose = amount.agreement(records[0]) is not None or value.currency not in (None, items[0].currency)
    from_price = value.kind == "price" and items[0].price_from and amount.low > records[0]
    is_blunt = loose or (value.kind == "rating" and not amount.places)
    if len(records) > 1 or is_blunt or from_price or value.relation not in ("is", "about"):
        return value
    return with_state(value, "contradicted", f"the record says {_said(value.kind, items[0], records[0])}")


def _of_orders(value: ReadValue, ledger: Ledger) -> ReadValue:
    days = [ledger.order_dates[it] for it in value.of if it in ledger.order_dates]
    if not days or not isinstance(value.amount, str) or len(days) < len(value.of):
        return value
    said = SaidDate(value.amount, value.start, value.end)
    if any(said.fits(day) for day in days):
        return with_state(value, "verified", "")
    is_exact = len(days) == 1 and value.relation == "is" and _is_date(value.amount)
    return with_state(value, "contradicted", f"the order is of {days[0].isoformat()}") if is_exact else value


def _derivable(value: ReadValue, ledger: Ledger) -> ReadValue:
    amount = amount_of(value)
    if amount is None:
        return value
    calculations = [ledger.calculations[it] for it in value.of if it in ledger.calculations]
    for calculation in calculations:
        if result_shown([amount], calculation) is not None:
            return with_state(value, "verified", calculation.expression)
    near = [it.removeprefix("P:") for it in value.of if it.startswith("P:")]
    found = derivation(amount, ledger, near, title_numbers(near, ledger), is_left=value.kind == "left_over")
    if found is not None:
        return with_state(value, "verified", found)
    if len(calculations) == 1 == len(value.of) and value.relation in ("is", "about"):
        one = calculations[0]
        return with_state(value, "contradicted", f"{one.expression} = {one.result.normalize():f}")
    return value


def _of_brand(value: ReadValue, ledger: Ledger) -> ReadValue:
    items = [item for it in value.of if (item := ledger.products.get(it.removeprefix("P:"))) is not None]
    if len(items) != 1 or not items[0].brand or not isinstance(value.amount, str):
        return value
    own = plain(f"{items[0].brand} {items[0].store} {items[0].title}")
    if plain(value.amount) in own:
        return with_state(value, "verified", "")
    # Part of a maker's name is no other maker: "Tansy & Thorne" of Tansy & Thorne Lane.
    is_other = not any(f" {word} " in own for word in plain(value.amount).split())
    return with_state(value, "contradicted", f"the brand is {items[0].brand}") if is_other else value


def with_state(value: ReadValue, state: str, words: str) -> ReadValue:
    """The value with its state and the words of its derivation."""
    return value.model_copy(update={"state": state, "derivation": words or None})


def plain(name: str) -> str:
    """A name in lower case, its words with single spaces around them."""
    return f" {' '.join(''.join(it if it.isalnum() else ' ' for it in name.casefold()).split())} "


def _named(amount: Amount, ledger: Ledger) -> str | None:
    return "named by the query" if ledger.names(amount.low) or ledger.names(amount.high) else None


def _said(kind: ValueKind, item: Product, number: Decimal) -> str:
    if kind == "price":
        return format_money(number, item.currency)
    return f"{number.normalize():f}" + (" ratings" if kind == "rating_count" else "")


def _is_date(text: str) -> bool:
    try:
        date.fromisoformat(f"{text}-01" if len(text) == 7 else text)
    except ValueError:
        return False
    return len(text) >= 7


def record_text(item: Product) -> str:
    """All that a product's record says, in lines."""
    details = (f"{key} {value}" for key, value in item.details.items())
    return "\n".join([item.title, *item.features, *item.description, *details])
