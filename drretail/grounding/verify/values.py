"""Values against records: verified, contradicted or underivable, with the words of the derivation."""

from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from datetime import date
from decimal import Decimal, InvalidOperation
from functools import lru_cache, partial
from itertools import combinations
from unicodedata import combining, normalize

from drretail.grounding.text.amounts import Agreement, Amount, WrittenDate, find_amounts
from drretail.grounding.text.wording import format_money
from drretail.grounding.verify.arithmetic import numbers_of, small_numbers
from drretail.grounding.verify.records import Calculation, Ledger
from drretail.grounding.verify.superlatives import verify_superlative
from drretail.records.reading import ReadValue, ValueKind
from drretail.records.shop import Product

_NO_MONEY = ("rating", "rating_count", "quantity")
_FITTING = ("equal", "rounded", "bounded")
_CENTS = 2
_SLACK = Decimal("0.1")
"""How far a record is beyond a limit or a range before it denies it: "under $20" may be said of $20.50."""
_CLOSE = 4
"""A limit that is said to be close is at most a fourth of the record away from it: "just under $6" of $5.99."""
_WORDS_BEFORE = 30
_MOST_OF_ONE = 12
"""Up to so many times a price is tried without anybody having named the number."""


def verify(values: Iterable[ReadValue], ledger: Ledger, report: str = "") -> tuple[ReadValue, ...]:
    """The values with their state and derivation, whoever read them; what the records do not hold is underivable.

    Contradicted is only what no reading of it explains: no record of what it is said of, nothing that follows from
    these, and nothing that they make with the other figures in its paragraph of the report.
    """
    return tuple(_verified(value, ledger, report) for value in values)


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
        if how is not None and (how != "bounded" or _is_near(amount, result)):
            return amount
    return None


def _explains(amount: Amount, number: Decimal) -> bool:
    """True for what an amount says exactly or rounded; without cents it may also be a limit or range around it."""
    how = amount.agreement(number)
    return how in ("equal", "rounded") or (how == "bounded" and amount.places < _CENTS and _is_near(amount, number))


def _is_near(amount: Amount, number: Decimal) -> bool:
    """True where a number meets a limit or a range closely: "over $50" is said of 50.90, "up to $25" not of 6.05."""
    return min(abs(end - number) for end in (amount.low, amount.high)) * 10 <= number


def title_numbers(near: Iterable[str], ledger: Ledger) -> set[Decimal]:
    """The whole numbers in the titles of products, by which a price may be divided: "6 Pack"."""
    titles = " ".join(item.title for key in near if (item := ledger.products.get(key)) is not None)
    return {amount.low for amount in _amounts_in(titles) if amount.kind == "number" and not amount.places}


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
    most_of_one: int = _MOST_OF_ONE,
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
    for words, number in _derived(ledger, near, counts, is_left=is_left, most_of_one=most_of_one):
        if _explains(amount, number):
            return words
    texts = [all_words_of(ledger.products[one]) for one in near if one in ledger.products]
    if any(other.kind == "money" and fits(amount, other.low) for text in texts for other in _amounts_in(text)):
        return "stands in the record"
    return None


def _derived(
    ledger: Ledger, near: Collection[str], counts: Collection[Decimal], *, is_left: bool, most_of_one: int
) -> Iterator[tuple[str, Decimal]]:
    """What can be made of the prices at hand, with its words."""
    prices = {key: price for key in near if (price := ledger.price(key)) is not None}
    limit, total, money = ledger.limit, ledger.total, partial(format_money, currency=ledger.currency)
    if total is not None:
        yield "the picks together", total
        if limit is not None:
            yield "the budget and the picks together", abs(limit - total)
    for price in prices.values():
        for number in sorted({*map(Decimal, range(2, most_of_one + 1)), *counts}):
            yield f"{number} x {money(price)}", number * price
            if limit is not None and is_left:
                yield f"the budget and {number} x {money(price)}", abs(limit - number * price)
        for number in counts:
            if number > 1:
                yield f"{money(price)} / {number}", price / number
        for named in ledger.asked:
            if named.kind == "money" and named.low != price:
                yield f"{money(named.low)} and {money(price)}", abs(named.low - price)
    for one, other in combinations(prices.values(), 2):
        yield f"{money(one)} + {money(other)}", one + other
        yield f"{money(max(one, other))} - {money(min(one, other))}", abs(one - other)


def _verified(value: ReadValue, ledger: Ledger, report: str) -> ReadValue:
    match value.kind:
        case "price" | "rating" | "rating_count":
            return _of_products(value, ledger, report)
        case "date":
            return _of_orders(value, ledger, report)
        case "total" | "difference" | "left_over" | "per_unit":
            return _derivable(value, ledger, report)
        case "brand":
            return _of_brand(value, ledger)
        case "lowest_price" | "highest_rating" | "most_ratings" | "only_one":
            return verify_superlative(value, ledger)
        case "quantity" | "place":
            return value


def _of_products(value: ReadValue, ledger: Ledger, report: str) -> ReadValue:
    amount = amount_of(value)
    ids = [ledger.ordered.get(source, source.removeprefix("P:")) for source in value.of]
    items = [ledger.products[key] for key in ids if key in ledger.products]
    records = [number for item in items if (number := on_record(value.kind, item)) is not None]
    if amount is None or not records or len(records) < len(value.of):
        return value
    recorded = (_recorded(value.kind, item, number) for item, number in zip(items, records, strict=True))
    words = f"the record says {', '.join(recorded)}"
    is_far = _is_far(value, amount, records, report)
    if all(fits(amount, record) for record in records) and not is_far:
        if _has_wrong_end(value, amount, records, ledger):
            return with_state(value, "contradicted", words)
        return with_state(value, "verified", "")
    if value.kind == "price":
        # Some multiple of a price is always near an amount that is not said exactly: it has to be named.
        counts = {Decimal(one) for one in small_numbers(_paragraph(value, report))} if is_far else ()
        found = derivation(amount, ledger, ids, counts, most_of_one=1 if is_far else _MOST_OF_ONE)
    else:
        is_named = ledger.names(amount.low) or ledger.names(amount.high)
        found = "named by the query" if is_named else None
    if found is not None:
        return with_state(value, "underivable", found)
    is_foreign = value.currency not in (None, items[0].currency)
    from_price = value.kind == "price" and items[0].price_from and amount.low > records[0]
    if is_foreign or from_price or not (is_far or _fits_none(value, amount, records)):
        return value
    return with_state(value, "contradicted", words)


def _is_far(value: ReadValue, amount: Amount, records: Sequence[Decimal], report: str) -> bool:
    """True for a limit whose words say that it is close, and that is close to none of the records."""
    if value.relation not in ("at_most", "at_least"):
        return False
    begin = max(0, value.start - _WORDS_BEFORE)
    written = (one for one in find_amounts(report[begin : value.end]) if one.end + begin > value.start)
    is_close = any(one.relation == "about" and one.low == amount.low for one in written)
    return is_close and all(abs(amount.low - record) * _CLOSE > record for record in records)


def _fits_none(value: ReadValue, amount: Amount, records: Sequence[Decimal]) -> bool:
    """True where an amount is none of the records in any reading of it: cut off, loosely rounded, a limit."""
    if any(amount.agreement(record) is not None for record in records):
        return False
    if value.relation in ("is", "about"):
        return value.kind != "rating" or amount.places > 0
    return all(record < amount.low * (1 - _SLACK) or record > amount.high * (1 + _SLACK) for record in records)


def _has_wrong_end(value: ReadValue, amount: Amount, records: Sequence[Decimal], ledger: Ledger) -> bool:
    """True where one end of a range is the least or the greatest record, and the other one's number nobody has.

    "Scores between 3.4 and 4.2" of products that have 3.9 to 4.2, where no product that was shown has 3.4.
    """
    ends = (amount.low == min(records), amount.high == max(records))
    if not amount.is_range or len(records) < 2 or ends[0] == ends[1]:
        return False
    other = amount.high if ends[0] else amount.low
    shown = (on_record(value.kind, item) for item in ledger.products.values())
    return other != other.to_integral_value() and other not in shown


def _of_orders(value: ReadValue, ledger: Ledger, report: str) -> ReadValue:
    days = [ledger.order_dates[source] for source in value.of if source in ledger.order_dates]
    if not days or not isinstance(value.amount, str) or len(days) < len(value.of):
        return value
    written = WrittenDate(value.amount, value.start, value.end)
    if any(written.fits(day) for day in days):
        return with_state(value, "verified", "")
    is_exact = len(days) == 1 and value.relation == "is" and _is_date(value.amount)
    day, words = days[0].isoformat(), report[value.start : value.end]
    if words and value.amount[:4] not in words:  # "April 28": the year is its reader's guess
        is_exact = is_exact and not day[4:].startswith(value.amount[4:])
    return with_state(value, "contradicted", f"the order is of {day}") if is_exact else value


def _derivable(value: ReadValue, ledger: Ledger, report: str) -> ReadValue:
    amount = amount_of(value)
    if amount is None:
        return value
    calculations = [ledger.calculations[source] for source in value.of if source in ledger.calculations]
    for calculation in calculations:
        if result_shown([amount], calculation) is not None:
            return with_state(value, "verified", calculation.expression)
    near = [source.removeprefix("P:") for source in value.of if source.startswith("P:")]
    found = derivation(amount, ledger, near, title_numbers(near, ledger), is_left=value.kind == "left_over")
    if found is not None:
        return with_state(value, "verified", found)
    agreements = _agreements(value, amount, ledger, report)
    if agreements and agreements.intersection(("equal", "rounded")):
        return with_state(value, "verified", "a term, a product or a sum of what it is said of")
    if agreements != {None} or value.relation not in ("is", "about"):
        return value
    if calculations:
        words = "; ".join(f"{one.expression} = {one.result.normalize():f}" for one in calculations)
        return with_state(value, "contradicted", words)
    # One product may be compared with any other thing, and a price be divided by any number that a report has found.
    is_whole = value.kind in ("total", "left_over") or (value.kind == "difference" and len(near) > 1)
    if not near or not is_whole or value.currency is None or (value.kind == "left_over" and ledger.limit is None):
        return value
    prices = " + ".join(format_money(ledger.price(key) or 0, ledger.currency) for key in near)
    return with_state(value, "contradicted", f"no sum or multiple of {prices} comes to it")


def _agreements(value: ReadValue, amount: Amount, ledger: Ledger, report: str) -> set[Agreement | None] | None:
    """How a value fits all that it may come to; None where something that it is said of is not known.

    By what it is said of, "about $38.66" may be $39.95; the many sums with the picks explain only its very cents, or
    they would explain anything. In a total or a rest goes what else its paragraph names and nothing explains: "with
    $5.99 for shipping $66.93".
    """
    paragraph, picks = _paragraph(value, report), (f"P:{pick.product}" for pick in ledger.picks or ())
    own = numbers_of(value.of, replace(ledger, picks=None))
    numbers = numbers_of(dict.fromkeys([*value.of, *picks]), ledger, sorted(small_numbers(paragraph)))
    if own is None or numbers is None:
        return None
    if value.kind in ("total", "left_over"):
        money = {one.low for one in find_amounts(paragraph) if one.kind == "money" and one.low != amount.low}
        beside = money - numbers
        numbers |= {one for more in beside for number in numbers for one in (number + more, abs(number - more))}
    exactly = replace(amount, relation="is") if amount.places >= _CENTS else amount
    return {*map(amount.agreement, own), *map(exactly.agreement, numbers)}


def _paragraph(value: ReadValue, report: str) -> str:
    """The paragraph of a report in which a value stands."""
    end = report.find("\n\n", value.end)
    return report[report.rfind("\n\n", 0, value.start) + 1 : end if end >= 0 else len(report)]


def _of_brand(value: ReadValue, ledger: Ledger) -> ReadValue:
    items = [item for source in value.of if (item := ledger.products.get(source.removeprefix("P:"))) is not None]
    if len(items) != 1 or not isinstance(value.amount, str):
        return value
    item, name = items[0], plain(value.amount)
    maker = plain(item.brand or "")
    own = plain(f"{item.brand or ''} {item.store or ''} {item.title}")
    short = {_initials(maker), _initials(name)} - {""}
    if name in own or _joined(name) in _joined(own) or short & {_joined(name), _joined(maker)}:
        return with_state(value, "verified", "")
    # Part of a maker's name is no other maker: "Tansy & Thorne" of Tansy & Thorne Lane. Of a record without a maker
    # any mention counts.
    own = own if item.brand else plain(f"{own} {all_words_of(item)}")
    if any(f" {word} " in own for word in name.split()):
        return value
    words = f"the brand is {item.brand}" if item.brand else f"“{item.title}” names no {value.amount}"
    return with_state(value, "contradicted", words)


def with_state(value: ReadValue, state: str, words: str) -> ReadValue:
    """The value with its state and the words of its derivation."""
    return value.model_copy(update={"state": state, "derivation": words or None})


def plain(name: str) -> str:
    """A name in lower case without accents, its words with single spaces around them."""
    letters = (letter for letter in normalize("NFKD", name.casefold()) if not combining(letter))
    return f" {' '.join(''.join(letter if letter.isalnum() else ' ' for letter in letters).split())} "


def _joined(name: str) -> str:
    """A plain name as one word: "Kitchen Aid" is KitchenAid."""
    return name.replace(" ", "")


def _initials(name: str) -> str:
    """The first letters of a name of several words: "hp" of Hewlett-Packard."""
    words = plain(name).split()
    return "".join(word[0] for word in words) if len(words) > 1 else ""


def _recorded(kind: ValueKind, item: Product, number: Decimal) -> str:
    if kind == "price":
        return format_money(number, item.currency)
    return f"{number.normalize():f}" + (" ratings" if kind == "rating_count" else "")


def _is_date(text: str) -> bool:
    try:
        date.fromisoformat(f"{text}-01" if len(text) == 7 else text)
    except ValueError:
        return False
    return len(text) >= 7


def all_words_of(item: Product) -> str:
    """All that a product's record says, in lines."""
    details = (f"{key} {value}" for key, value in item.details.items())
    return "\n".join([item.title, *item.features, *item.description, *details])
