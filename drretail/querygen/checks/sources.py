"""Whether the places that a limit names as its sources say what it says: the text, a record of the shopper, a page."""

from collections import Counter
from collections.abc import Iterator, Sequence
from math import isclose
from statistics import median

from drretail.querygen.checks.case import Code, QueryCase, Shopper, finding
from drretail.records.evidence import Finding
from drretail.records.shop import Order
from drretail.records.wish import Limit, Source, spoken
from drretail.reports.text.numerals import conversion, find_numerals, with_units
from drretail.shopping.listing import Listing, folded, folded_name

CODES = {
    "quote_not_in_text": Code("the text lacks the words that a limit rests on", "quote the text"),
    "quote_not_on_page": Code("a page of a limit is not in the web, or lacks the words", "quote a page of this web"),
    "value_not_in_record": Code("the orders of a limit don't say its value", "name orders, field and value"),
    "limit_not_typed": Code(
        "the text limits what will do, and no limit says so", "type it, or take it out of the text"
    ),
    "read_otherwise": Code("a second reader of the text types something else", "make the text plainer, or mend it"),
    "mention_unclear": Code("a purchase that the text mentions is not the wish's", "name its order in the wish"),
    "web_decides_nothing": Code("the web is asked what decides nothing", "ask what a limit rests on, or nothing"),
    "page_not_found": Code("the web search does not find the page of a limit", "search for what the page is about"),
    "reason_not_in_record": Code("the rationale says what the record does not", "say what the record says"),
    "source_not_needed": Code(
        "a source is not proved to be needed", "rest another limit on it, or one that fewer products keep"
    ),
    "limit_not_of_source": Code("a limit admits another value than its source has", "type the value of the record"),
}
NEAR = 0.01
"""How far a number may be off in another unit."""


def check(case: QueryCase) -> Iterator[Finding]:
    """Pages of an open web are not read: they change. A turn of a conversation may rest on words of an earlier one."""
    for limit in () if case.query.wish is None else case.query.wish.every_limit:
        for source in limit.sources:
            if source.kind == "text":
                if case.query.after is None and spoken(source.quote) not in spoken(case.query.text):
                    yield finding("quote_not_in_text", source.quote, f"for {limit.name}")
            elif source.kind == "page" and case.stock.web.corpus is not None:
                yield from _on_page(case, source)
            elif source.kind == "profile":
                yield from _in_record(case, source)
                if all(other.kind == "profile" for other in limit.sources) and not _admits(limit, source):
                    shown = " or ".join(limit.values)
                    yield finding("limit_not_of_source", limit.name, f"it says {shown}, the record {source.value}")


def _on_page(case: QueryCase, source: Source) -> Iterator[Finding]:
    text = case.stock.web.fetch(source.url).text
    if spoken(source.quote) not in spoken(text):
        yield finding("quote_not_on_page", source.url, source.quote if text else "the web has no such page")


def _in_record(case: QueryCase, source: Source) -> Iterator[Finding]:
    shopper = case.shopper
    orders = [] if shopper is None else orders_of(shopper, source)
    values = [] if shopper is None else [value_of(shopper, order, source.field) for order in orders]
    if len(orders) < len(source.evidence):
        yield finding("value_not_in_record", ", ".join(source.evidence), "the user never made such an order")
    elif folded(by_rule(values, source)) != folded(source.value):
        shown = ", ".join(value or "nothing" for value in values)
        yield finding("value_not_in_record", f"{source.field}: {source.value}", f"they have {shown}")
    elif source.date and source.date not in {order.order_date[:7] for order in orders}:
        yield finding("value_not_in_record", source.date, f"ordered {', '.join(each.order_date for each in orders)}")


def _admits(limit: Limit, source: Source) -> bool:
    """True if the value of a record is one of a limit; a measure may ask for more or less than the record has."""
    is_measure = limit.demand is not None and (limit.demand.is_measure or not limit.values)
    return is_measure or folded(source.value) in map(folded, limit.values)


def orders_of(shopper: Shopper, source: Source) -> list[Order]:
    """The kept orders that a source names."""
    return [order for order in shopper.kept if f"O:{order.order_id}" in source.evidence]


def value_of(shopper: Shopper, order: Order, field: str) -> str:
    """What is said of an ordered product in a field of its details, or of its price or brand; empty if nothing is."""
    listing = shopper.products.get(order.product_id)
    return "" if listing is None else said_in(listing, folded_name(field))


def said_in(listing: Listing, field: str) -> str:
    """The same of a product, by the field's folded name."""
    if field == "price":
        return "" if listing.price is None else f"{listing.price.normalize():f}"
    value = listing.fields.get(field) or (listing.product.brand if field == "brand" else None)
    return "" if value is None else str(value)


def by_rule(values: Sequence[str], source: Source) -> str:
    """What the orders say together, of numbers in the unit of the source's value; empty if nothing, or no one thing."""
    if source.rule == "same":
        return values[0] if len({*map(folded, values)}) == 1 else ""
    if source.rule == "most often":
        first = Counter(values).most_common(2)
        return first[0][0] if len(first) == 1 or first[0][1] > first[1][1] else ""
    wanted, *measures = (next(iter(with_units([*find_numerals(value)])), None) for value in (source.value, *values))
    factors = [each and wanted and conversion(each.unit, wanted.unit) for each in measures]
    numbers = [each.number * factor for each, factor in zip(measures, factors, strict=True) if each and factor]
    if wanted is None or len(numbers) < sum(each is not None for each in measures) or not numbers:
        return ""
    found = {"least": min, "most": max, "median": median}[source.rule](numbers)
    return source.value if isclose(found, wanted.number, rel_tol=NEAR) else f"{found.normalize():f} {wanted.unit}"
