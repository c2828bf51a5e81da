"""Whether dates and prices in a text fit the shop's today and the user's orders."""

import re
from collections.abc import Iterator
from datetime import UTC, date, datetime

from drretail.grounding.constraints.quantities import read_deadline
from drretail.grounding.report.mentions import find_mentions
from drretail.grounding.text.amounts import find_money
from drretail.grounding.text.wording import format_money
from drretail.querygen.checks.case import Case, found
from drretail.querygen.checks.shopper import Shopper
from drretail.records.evidence import Finding
from drretail.records.shop import Order

CODES = {
    "date_in_future": "something is said to have happened after the shop's today",
    "deadline_passed": "the deadline lies before the shop's today",
    "purchase_not_then": "the user bought no such thing at the time that the text names",
    "currency_foreign": "the budget is in a currency in which the shop sells nothing that is wanted",
    "price_outdated": "the text gives an owned product a price far from the shop's",
}

_MONTHS = (
    "january",
    "february",
    "march",
    "april",
    "may",
    "june",
    "july",
    "august",
    "september",
    "october",
    "november",
    "december",
)
_MONTH = rf"(?P<month>{'|'.join(_MONTHS)})"
_SINCE = re.compile(
    rf"\b(?:in|since|back in|from|during)\s+(?:{_MONTH}\s*)?(?P<year>(?:19|20)\d\d|last year)?\b", re.IGNORECASE
)
_YEAR = re.compile(
    r"(?<![\d$€£,.])(?:19|20)\d\d(?![\d,]|\.\d|\s*(?:lumens?|ml|mah|watts?|pieces?|count))", re.IGNORECASE
)
_ABBREVIATED = rf"(?P<month>{'|'.join(month[:3] for month in _MONTHS)})[a-z]*\.?"
_DAY = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?"
_OF_YEAR = r"(?:,?\s+(?P<year>\d{4}))?"
_DEADLINES = tuple(
    re.compile(pattern, re.IGNORECASE)
    for pattern in (
        r"(?P<year>\d{4})-(?P<number>\d{2})-(?P<day>\d{2})",
        rf"\b{_ABBREVIATED}\s+{_DAY}{_OF_YEAR}\b",
        rf"\b{_DAY}\s+(?:of\s+)?{_ABBREVIATED}{_OF_YEAR}",
        r"\b(?P<number>\d{1,2})/(?P<day>\d{1,2})/(?P<year>\d{4})\b",
    )
)
_SAID_TO_BE_BOUGHT = re.compile(
    r"\b(?:bought|ordered|purchased|got|gotten|have|had|own|owned|using|used)\b|\b(?:from you|been mine)\b",
    re.IGNORECASE,
)
_SENTENCE = re.compile(r"[^.!?\n]+")
# What was paid may differ from today's price; half as much again is another product.
_FAR = 0.5
# Characters between a product's name and its price.
_NEAR = 40


def check(case: Case) -> Iterator[Finding]:
    yield from _years(case)
    yield from _deadline(case)
    yield from _currency(case)
    if case.shopper is not None:
        yield from _purchases(case, case.shopper)
        yield from _prices(case, case.shopper)


def _years(case: Case) -> Iterator[Finding]:
    for match in _YEAR.finditer(case.query.text):
        said = case.query.constraints.deadline or ""
        if int(match[0]) > case.now.year and match[0] not in said:
            yield found("date_in_future", match[0], f"today is {case.now.date()}", span=match.span())


def _deadline(case: Case) -> Iterator[Finding]:
    """The typed deadline; where none is typed, the one in the text."""
    deadline = case.query.constraints.deadline or read_deadline(case.query.text)
    day = None if deadline is None else _day(deadline, case.now.date())
    if deadline is not None and day is not None and day < case.now.date():
        yield found("deadline_passed", deadline, f"today is {case.now.date()}")


def _day(deadline: str, today: date) -> date | None:
    """The day that a deadline names; without a year, the next such day."""
    match = next((match for pattern in _DEADLINES if (match := pattern.search(deadline))), None)
    if match is None:
        return None
    named = match.groupdict()
    month = int(named["number"]) if "number" in named else _month(named["month"])
    try:
        if named["year"]:
            return date(int(named["year"]), month, int(named["day"]))
        this_year = date(today.year, month, int(named["day"]))
        return this_year if this_year >= today else date(today.year + 1, month, int(named["day"]))
    except ValueError:  # the 31st of a month with 30 days
        return None


def _month(name: str) -> int:
    return next(number for number, month in enumerate(_MONTHS, start=1) if month.startswith(name.casefold()[:3]))


def _currency(case: Case) -> Iterator[Finding]:
    budget = case.query.constraints.budget
    offered = {it.product.currency for slot in case.slots for it in slot.offers}
    if budget is not None and offered and budget.currency not in offered:
        yield found("currency_foreign", budget.currency, f"the offers are in {', '.join(sorted(offered))}")


def _purchases(case: Case, shopper: Shopper) -> Iterator[Finding]:
    """A sentence that names one thing, that it was bought, and when; the record must hold such an order."""
    named = [it for it in case.named if it.role == "had"]
    for sentence in _SENTENCE.finditer(case.query.text):
        when = _time_named(sentence[0])
        had = [it.thing for it in named if sentence.start() <= it.start < sentence.end()]
        if when is None or len({thing.name for thing in had}) != 1 or not _SAID_TO_BE_BOUGHT.search(sentence[0]):
            continue
        orders = shopper.orders_of(had[0])
        may_be = shopper.orders_that_may_be(had[0])
        if orders and not any(_is_then(order, when, case.now.date()) for order in may_be):
            days = ", ".join(order.order_date[:10] for order in orders[:3])
            yield found("purchase_not_then", sentence[0].strip()[:100], f"{had[0].name} was ordered on {days}")


def _time_named(sentence: str) -> re.Match[str] | None:
    times = [match for match in _SINCE.finditer(sentence) if match["month"] or match["year"]]
    return times[0] if len(times) == 1 else None


def _is_then(order: Order, when: re.Match[str], today: date) -> bool:
    """True when an order is of the month and year that were named; a month without a year is the last such one."""
    day = datetime.fromtimestamp(order.timestamp / 1000, UTC).date()
    month = _MONTHS.index(when["month"].casefold()) + 1 if when["month"] else None
    year = when["year"] or ""
    if year.casefold() == "last year":
        expected = {today.year - 1}
    elif year:
        expected = {int(year)}
    else:
        expected = {today.year, today.year - 1}
    return day.year in expected and month in (None, day.month)


def _prices(case: Case, shopper: Shopper) -> Iterator[Finding]:
    """Amounts beside the name of a product that the user ordered, against its price today."""
    text, budget = case.query.text, case.query.constraints.budget
    amounts = [it for it in find_money(text) if budget is None or it.high != budget.value]
    if not amounts:
        return
    products = {key: listing.product for key, listing in shopper.products.items()}
    for mention in find_mentions(text, products.values()):
        price = products[mention.product_id].price
        for amount in amounts:
            gap = max(amount.start - mention.end, mention.start - amount.end)
            if price is not None and gap <= _NEAR and abs(float(amount.high) - price) > _FAR * price:
                said = f"{mention.said} at {text[amount.start : amount.end]}"
                today = f"it costs {format_money(price, products[mention.product_id].currency)}"
                yield found("price_outdated", said, today, evidence_id=f"P:{mention.product_id}")
