"""Whether a value is verified, contradicted or underivable, with the words of the derivation, and what a figure
that a record seems to deny may be instead.

A report says more than one thing beside a mark, and who reads it may tie a figure to a wrong field, thing or day. So
before a value counts as wrong, all that its sentence cites is asked whether it has this figure.
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import replace
from datetime import date
from decimal import Decimal
from functools import partial
from itertools import combinations, product

from drretail.grounding.text.amounts import Agreement, Amount, WrittenDate, find_amounts, find_dates, find_money
from drretail.grounding.text.layout import find_sentences
from drretail.grounding.text.wording import format_money
from drretail.grounding.text.words import is_negation, words
from drretail.grounding.verify.comparisons import verify_comparison, verify_superlative
from drretail.grounding.verify.fields import decided_property, has_figures
from drretail.grounding.verify.records import (
    CENTS,
    Calculation,
    Ledger,
    all_words_of,
    amount_of,
    derivation,
    fits,
    numbers_of,
    on_record,
    plain,
    result_shown,
    small_numbers,
    title_numbers,
    with_state,
)
from drretail.records.reading import ReadValue
from drretail.records.shop import Product, has_been, is_priced_whole, list_prices, may_share_a_sign, sold_for


def other_reading(value: ReadValue, beside: Collection[str], ledger: Ledger, sentence: str) -> str | None:
    """What explains a value that is denied, in words; None if nothing does, and for ranges.

    ``beside`` is all that its sentence cites, ``sentence`` what that says besides the value: where it has the record's
    own figure, the value is another one.
    """
    sources = dict.fromkeys([*value.of, *beside])
    # Each field of a user's record counts something else, and has no title.
    items = [item for source in sources for item in ledger.items(source) if item.title]
    match value.kind:
        case "date":
            return _other_day(value, items, sentence)
        case "price" | "rating" | "rating_count" | "property":
            return _other_figure(value, items, ledger, sentence)
        case "order_status" if _is_status_told(value, sentence):
            return "its sentence tells the recorded status as well"
        case "brand" if any(plain(f"{value.amount}") in plain(all_words_of(item)) for item in items):
            return "a cited record has this name"
        case "total" | "difference" | "left_over" | "over_budget" | "per_unit":
            return _other_result(value, list(sources), ledger, sentence)
        case _:
            return None


def _is_status_told(value: ReadValue, sentence: str) -> bool:
    spoken = {*words(sentence)}
    return f"{value.derivation}".rpartition(": ")[2].casefold() in spoken and not any(map(is_negation, spoken))


def _other_figure(value: ReadValue, items: Collection[Product], ledger: Ledger, sentence: str) -> str | None:
    amount, recorded = amount_of(value), {figure.low for figure in find_amounts(value.derivation or "")}
    of_products = value.kind in ("rating", "rating_count")  # which no shopper asks for to the unit
    if amount is not None and not of_products and (ledger.names(amount.low) or ledger.names(amount.high)):
        return "named by the query"
    if not isinstance(value.amount, str) or (amount is not None and amount.low in recorded):  # in another currency
        return None
    if len(recorded) == 1 and any(figure.low in recorded for figure in find_amounts(sentence)):
        return "its sentence has the record's figure as well"
    if has_figures(items, value.amount, is_about=value.relation == "about"):
        return "a cited record has this figure"
    if value.kind != "price" or amount is None:
        return None
    near = [item.product_id for item in items]
    return derivation(amount, ledger, near, {*title_numbers(near, ledger), *map(Decimal, small_numbers(sentence))})


def _other_result(value: ReadValue, sources: Collection[str], ledger: Ledger, sentence: str) -> str | None:
    """What follows from all that is cited, and from an amount beside it: "at $49.99 a cent more than both [C:…]"."""
    amount, amounts = amount_of(value), find_amounts(sentence)
    results = [ledger.calculations[key] for key in value.of if key in ledger.calculations]
    if amount is None or any(result_shown(amounts, calculation) is not None for calculation in results):
        return "its sentence has the result as well"
    own = numbers_of(sources, replace(ledger, picks=None, budget=None, query_text=""))
    apart = {abs(one - other.low) for one in own for other in amounts if other.kind == "money"}
    counts = sorted(small_numbers(sentence))
    of_things = numbers_of((source for source in sources if source not in ledger.calculations), ledger, counts)
    left = {abs(calculation.result - number) for calculation in results for number in of_things}
    numbers = left | numbers_of(sources, ledger, counts)
    # "15 cents" may be read as 15.
    is_so = any(fits(amount, one) or fits(amount, 100 * one) for one in numbers) or any(map(amount.agreement, apart))
    return "it follows from what its sentence cites" if is_so else None


def _other_day(value: ReadValue, items: Iterable[Product], sentence: str) -> str | None:
    day = f"{value.amount}".lstrip("-")
    if any(date.is_day and date.iso in f"{value.derivation}" for date in find_dates(sentence)):
        return "its sentence has the order's day as well"
    days = (date.iso for item in items for date in find_dates(all_words_of(item)) if date.is_day)
    return next((f"a cited record has {iso}" for iso in days if iso.startswith(day) or iso.endswith(day)), None)


_OF_BUDGET = ("left_over", "over_budget")
CitedAt = Callable[[int], Collection[str]]
"""What the sentence at a place cites."""
_SLACK = Decimal("0.1")
"""How far a record must exceed a limit or a range to deny it: "under $20" may be $20.50."""


def verify(
    values: Iterable[ReadValue], ledger: Ledger, report: str = "", cited_at: CitedAt = lambda place: ()
) -> tuple[ReadValue, ...]:
    """The values with their state and derivation; what the records do not have is underivable.

    Only a record, an order, a calculation that the value cites, or what the declared cart costs contradicts it, and
    only if nothing explains it. That a search over prices found nothing leaves it underivable.
    """
    return tuple(acquitted(_verified(value, ledger, report), ledger, report, cited_at) for value in values)


def acquitted(value: ReadValue, ledger: Ledger, report: str, cited_at: CitedAt) -> ReadValue:
    """The value; a contradicted one is left open if another reading, or another source of its sentence, explains it."""
    if value.state != "contradicted":
        return value
    own = next((sentence for sentence in find_sentences(report) if sentence.start <= value.start < sentence.end), None)
    rest = "" if own is None else f"{report[own.start : value.start]}\0{report[value.end : own.end]}"
    rest = next((cell for cell in rest.split("|") if "\0" in cell), "")
    beside = [source for source in cited_at(value.start) if source not in (*value.of, *value.than)]
    explanation = other_reading(value, beside, ledger, rest.replace("\0", " "))
    sides = ("of", "than") if value.than else ("of",)
    swapped = (value.model_copy(update={side: (source,)}) for source in beside for side in sides)
    if explanation is None and any(_verified(other, ledger, report).state == "verified" for other in swapped):
        explanation = "it is so of another source beside it"
    return value if explanation is None else with_state(value, "underivable", explanation)


def _verified(value: ReadValue, ledger: Ledger, report: str) -> ReadValue:
    before, after = _around(value, report, "\n")
    line = f"{before} {after}"  # its own words count nothing
    match value.kind:
        case "price" | "rating" | "rating_count":
            return _of_products(value, ledger)
        case "date":
            return _of_orders(value, ledger, report)
        case "difference" if (compared := verify_comparison(value, ledger, line)).state != "underivable":
            return compared
        case "total" | "difference" | "left_over" | "over_budget" | "per_unit":
            return _derivable(value, ledger, report)
        case "brand":
            return _of_brand(value, ledger)
        case "lowest_price" | "highest_rating" | "most_ratings" | "only_one":
            return verify_superlative(value, ledger)
        case "property":
            return _of_fields(value, ledger)
        case "order_status":
            return _of_status(value, ledger)
        case "more" | "less" | "same" | "share":
            return verify_comparison(value, ledger, line)
        case "quantity" | "place" | "measure" | "stock" | "product" | "policy":
            return value  # as its reader decided it, if it did


def _of_products(value: ReadValue, ledger: Ledger) -> ReadValue:
    amount = amount_of(value)
    ids = [ledger.ordered.get(source, source.removeprefix("P:")) for source in value.of]
    items = [ledger.products[key] for key in ids if key in ledger.products]
    records = [number for item in items if (number := on_record(value.kind, item)) is not None]
    if amount is None or not records or len(records) < len(value.of):
        return value
    if value.kind == "price":
        priced = [sold_for(item) or [number] for item, number in zip(items, records, strict=True)]
        shown = zip(items, priced, strict=True)
        recorded = [" or ".join(format_money(price, item.currency) for price in prices) for item, prices in shown]
        if all(any(fits(amount, price) for price in prices[1:]) for prices in priced):  # of a dearer variant
            return with_state(value, "verified", "")
    else:
        unit = " ratings" if value.kind == "rating_count" else ""
        recorded = [f"{number.normalize():f}{unit}" for number in records]
    contradicted = with_state(value, "contradicted", f"the record says {', '.join(recorded)}")
    is_foreign = value.currency is not None and not may_share_a_sign(value.currency, items[0].currency)
    if all(fits(amount, record) for record in records):
        is_wrong = is_foreign or _has_wrong_end(amount, records)
        return contradicted if is_wrong else with_state(value, "verified", "")
    # "94 cents" for a thing of $7.48 is of a part of it.
    is_open = value.kind == "price" and any(
        amount.low in list_prices(item)
        or (amount.low > number and not is_priced_whole(item))
        or amount.high < 1 <= number
        for item, number in zip(items, records, strict=True)
    )
    return value if is_foreign or is_open or not _fits_none(value, amount, records) else contradicted


def _fits_none(value: ReadValue, amount: Amount, records: Sequence[Decimal]) -> bool:
    """True if an amount fits none of the records in any reading: cut off, loosely rounded, as a limit."""
    if any(amount.agreement(record) is not None for record in records):
        return False
    if value.relation in ("is", "about"):
        return value.kind != "rating" or amount.places > 0
    return all(record < amount.low * (1 - _SLACK) or record > amount.high * (1 + _SLACK) for record in records)


def _has_wrong_end(amount: Amount, records: Sequence[Decimal]) -> bool:
    """True where one end of a range is the least or the greatest record, and the other one, as exact, is far from it.

    "Scores between 3.4 and 4.2" of products that have 3.9 to 4.2; whole and half numbers may be mere limits.
    """
    pairs = ((amount.low, min(records)), (amount.high, max(records)))
    wrong = [(end, record) for end, record in pairs if end != record]
    if not amount.is_range or len(records) < 2 or len(wrong) != 1:
        return False
    end, record = wrong[0]
    return (2 * end) % 1 != 0 and abs(end - record) > record * _SLACK


def _of_orders(value: ReadValue, ledger: Ledger, report: str) -> ReadValue:
    days = [ledger.order_dates[source] for source in value.of if source in ledger.order_dates]
    if not days or not isinstance(value.amount, str) or len(days) < len(value.of):
        return value
    written = WrittenDate(value.amount, value.start, value.end)
    if any(written.fits(day) for day in days):
        return with_state(value, "verified", "")
    iso = f"2000{value.amount[1:]}" if value.amount[:2] == "--" else value.amount  # a leap year, for any day
    try:
        date.fromisoformat(f"{iso}-01" if len(iso) == 7 else iso)
    except ValueError:
        return value
    is_exact = len(days) == 1 and value.relation == "is"
    day, words = days[0].isoformat(), report[value.start : value.end]
    if words and value.amount[:4] not in words:  # "April 28": the year is its reader's guess
        is_exact = is_exact and not day[4:].startswith(value.amount[4:])
    return with_state(value, "contradicted", f"the order is of {day}") if is_exact else value


def _derivable(value: ReadValue, ledger: Ledger, report: str) -> ReadValue:
    amount = amount_of(value)
    if amount is None:
        return value
    calculations = [ledger.calculations[source] for source in value.of if source in ledger.calculations]
    shown = [calculation.expression for calculation in calculations if result_shown([amount], calculation) is not None]
    if shown:
        return with_state(value, "verified", shown[0])
    near = [source.removeprefix("P:") for source in value.of if source.startswith("P:")]
    explanation = derivation(amount, ledger, near, title_numbers(near, ledger), is_left=value.kind in _OF_BUDGET)
    if explanation is not None:
        return with_state(value, "verified", explanation)
    agreements = _agreements(value, amount, ledger, report)
    if agreements.intersection(("equal", "rounded")):
        return with_state(value, "verified", "follows from what it is said of")
    denied = None
    if agreements <= {None} and value.relation in ("is", "about"):
        denied = _of_calculations(value, calculations, ledger)
        denied = denied or _of_cart(value, amount, ledger, report)
    return value if denied is None else with_state(value, "contradicted", denied)


def _of_calculations(value: ReadValue, calculations: Sequence[Calculation], ledger: Ledger) -> str | None:
    """The cited calculations in words, if the value may be meant as their result; else None.

    It can't be if a source is not known, or for a difference in no currency ("two inches longer").
    """
    known = (key in ledger.calculations or ledger.price(key.removeprefix("P:")) is not None for key in value.of)
    if not calculations or not all(known) or (value.kind == "difference" and value.currency is None):
        return None
    return "; ".join(f"{calculation.expression} = {calculation.result.normalize():f}" for calculation in calculations)


def _of_cart(value: ReadValue, amount: Amount, ledger: Ledger, report: str) -> str | None:
    """What the declared cart costs or leaves, in words, if the value is said of that cart as a whole; else None.

    A rest that is said of nothing in particular is the cart's. What is apart by an amount that the report names may
    hold a further cost.
    """
    # The picks' cost is exact where each is one offer of known price and has no alternative.
    offers = [ledger.offer(pick) for pick in ledger.picks or ()]
    are_exact = all(offer is not None and offer.price is not None for offer in offers)
    has_alternatives = any(pick.alternatives for pick in ledger.picks or ())
    total = ledger.total if are_exact and not has_alternatives else None
    is_rest = value.kind in _OF_BUDGET and ledger.limit is not None
    is_whole = set(value.of) == {f"P:{pick.product}" for pick in ledger.picks or ()} or (is_rest and not value.of)
    is_foreign = value.currency is not None and not may_share_a_sign(value.currency, ledger.currency)
    if total is None or not is_whole or is_foreign or not (is_rest or value.kind == "total"):
        return None
    money, named = partial(format_money, currency=ledger.currency), {figure.low for figure in find_money(report)}
    right = total if ledger.limit is None or not is_rest else ledger.limit - total
    if abs(amount.low - abs(right)) in named:
        return None
    if not value.of:
        # Nor is it of this cart if one with one or two other products, whose price the report names, comes to it.
        picks = ledger.picks or ()
        own = (total - (ledger.price_of(pick) or 0) * pick.quantity for pick in picks)
        others = {price for key in ledger.products if (price := ledger.price(key)) is not None and price in named}
        pairs = {one + other for one, other in combinations(others, 2)}
        quantities = {1, 2, *(pick.quantity for pick in picks)}
        carts = product({Decimal(0), total, *own}, others | pairs, quantities)
        if amount.low in {abs(total + right - (rest + other * times)) for rest, other, times in carts}:
            return None
    left = f", which {'leaves' if right >= 0 else 'is over the budget by'} {money(abs(right))}" if is_rest else ""
    return f"the picks cost {money(total)} together{left}"


def _agreements(value: ReadValue, amount: Amount, ledger: Ledger, report: str) -> set[Agreement | None]:
    """How a value fits all that it may come to.

    By its sources "about $38.66" may be $39.95; the many sums with the picks explain only its very cents, or they
    would explain anything. So a unit price takes of the picks only what a piece of one costs, and what cites a
    calculation of the very cart takes none of them. A total or a rest includes what else its paragraph names and
    nothing explains: "with $5.99 for shipping $66.93".
    """
    before, after = _around(value, report, "\n\n")
    paragraph = f"{before}{report[value.start : value.end]}{after}"
    cited = (ledger.calculations[key].result for key in value.of if key in ledger.calculations)
    picks = () if any(result in ledger.of_cart for result in cited) else ledger.picks or ()
    own = numbers_of(value.of, replace(ledger, picks=None))
    counts = sorted(small_numbers(paragraph))
    if value.kind == "per_unit":
        in_titles = title_numbers([pick.product for pick in picks], ledger)
        pieces = {Decimal(1), *in_titles, *map(Decimal, counts)} - {Decimal(0)}
        prices = [price for pick in picks if (price := ledger.price_of(pick)) is not None]
        numbers = numbers_of(value.of, ledger, counts) | {price / piece for price in prices for piece in pieces}
    else:
        numbers = numbers_of(dict.fromkeys([*value.of, *(f"P:{pick.product}" for pick in picks)]), ledger, counts)
    if value.kind in ("total", *_OF_BUDGET):
        money = {figure.low for figure in find_money(paragraph) if figure.low != amount.low}
        beside = money - numbers
        numbers |= {one for more in beside for number in numbers for one in (number + more, abs(number - more))}
    exactly = replace(amount, relation="is") if amount.places >= CENTS else amount
    return {*map(amount.agreement, own), *map(exactly.agreement, numbers)}


def _around(value: ReadValue, report: str, breaks: str) -> tuple[str, str]:
    """What stands before and after a value in its line or its paragraph."""
    end = report.find(breaks, value.end)
    start = report.rfind(breaks, 0, value.start) + 1
    return report[start : value.start], report[value.end : end if end >= 0 else len(report)]


def _of_fields(value: ReadValue, ledger: Ledger) -> ReadValue:
    """A property of each source, by the first of its records that decides it."""
    if not isinstance(value.amount, str) or not value.of:
        return value
    name, amount, relation = value.field or "", value.amount, value.relation
    decided = [[decided_property(name, amount, relation, item) for item in ledger.items(source)] for source in value.of]
    decisions = [next(filter(None, of_source), None) for of_source in decided]
    states, lines = {one and one[0] for one in decisions}, "; ".join(one[1] for one in decisions if one is not None)
    if states == {"contradicted"}:
        return with_state(value, "contradicted", f"the record says {lines}")
    return with_state(value, "verified", lines) if states == {"confirmed"} else value


def _of_status(value: ReadValue, ledger: Ledger) -> ReadValue:
    status = f"{value.amount}".casefold()
    recorded = {f"{ledger.records.get(source, {}).get('order_status')}" for source in value.of}
    states = {None if has_been(status, own.casefold()) is None else status == own.casefold() for own in recorded}
    if states == {True} or states == {False}:
        return with_state(
            value, "verified" if True in states else "contradicted", f"order status: {', '.join(recorded)}"
        )
    return value


def _of_brand(value: ReadValue, ledger: Ledger) -> ReadValue:
    items = [item for source in value.of if (item := ledger.products.get(source.removeprefix("P:"))) is not None]
    if len(items) != 1 or not isinstance(value.amount, str):
        return value
    item, name = items[0], plain(value.amount)
    maker = plain(item.brand or "")
    own = plain(f"{item.brand or ''} {item.store or ''} {item.title}")
    # "Kitchen Aid" is KitchenAid, and "hp" is Hewlett-Packard.
    as_one_word, maker_as_one_word = name.replace(" ", ""), maker.replace(" ", "")
    short = {"".join(word[0] for word in one.split()) for one in (name, maker) if len(one.split()) > 1}
    if name in own or as_one_word in own.replace(" ", "") or short & {as_one_word, maker_as_one_word}:
        return with_state(value, "verified", "")
    # Part of a maker's name is no other maker: "Tansy & Thorne" of Tansy & Thorne Lane.
    if not item.brand or any(f" {word} " in own for word in name.split()):
        return value
    return with_state(value, "contradicted", f"the brand is {item.brand}")
