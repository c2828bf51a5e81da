"""Whether a rationale says why a question is asked, and not what the answer is."""

import re
from collections.abc import Iterator

from drretail.grounding.constraints.listing import folded
from drretail.grounding.text.amounts import find_money
from drretail.querygen.checks.case import Case, found
from drretail.records.evidence import Finding

CODES = {
    "rationale_missing": "no rationale says why the question is asked",
    "rationale_tells_answer": "the rationale names a product, a brand or a price that the answer is to find",
    "rationale_order_unknown": "the rationale names an order that the user does not have",
}

_LEAST_WORDS = 8
_PRODUCT_ID = re.compile(r"\bB0[0-9A-Z]{8}\b")
_ORDER_ID = re.compile(r"\b\d{10}\b")
_CAPITALISED = re.compile(r"\b[A-Z][\w'-]{3,}(?:\s[A-Z][\w'-]+)?\b")
# The first words of a title tell a product from others; fewer are a brand or a kind.
_FRONT = 3


def check(case: Case) -> Iterator[Finding]:
    rationale = case.query.rationale
    if len(rationale.split()) < _LEAST_WORDS:
        yield found("rationale_missing", rationale or "no rationale", f"fewer than {_LEAST_WORDS} words")
        return
    known = set[str]() if case.shopper is None else {order.order_id for order in case.shopper.orders}
    for order_id in dict.fromkeys(_ORDER_ID.findall(rationale)):
        if order_id not in known:
            yield found("rationale_order_unknown", order_id, "no order of the user has this id")
    yield from _products(case, rationale)
    yield from _brands(case, rationale)
    yield from _prices(case, rationale)


def _products(case: Case, rationale: str) -> Iterator[Finding]:
    """Ids of products that the user never ordered, and the beginnings of the titles of what is offered."""
    ordered = set[str]() if case.shopper is None else set(case.shopper.products)
    for product_id in dict.fromkeys(_PRODUCT_ID.findall(rationale)):
        if product_id not in ordered:
            yield found("rationale_tells_answer", product_id, "a product that the user has not ordered")
    words, asked = f" {folded(rationale)} ", f" {folded(case.query.text)} "
    for listing in (it for slot in case.slots for it in slot.offers):
        # The folded text begins with the title.
        front = " ".join(listing.text.split(maxsplit=_FRONT)[:_FRONT])
        named = front.count(" ") == _FRONT - 1 and f" {front} " in words and f" {front} " not in asked
        if named and listing.product.product_id not in ordered:
            yield found("rationale_tells_answer", front, f"the title of {listing.product.product_id}")
            return


def _brands(case: Case, rationale: str) -> Iterator[Finding]:
    """Brands on offer that neither the text nor the user's record holds."""
    offered = {name for slot in case.slots for it in slot.offers for name in it.makers}
    own = set[str]() if case.shopper is None else {name for it in case.shopper.listings for name in it.makers}
    text = f" {folded(case.query.text)} "
    for match in _CAPITALISED.finditer(rationale):
        brand = folded(match[0])
        if brand in offered and brand not in own and f" {brand} " not in text:
            yield found("rationale_tells_answer", match[0], "a brand on offer that the text does not name")


def _prices(case: Case, rationale: str) -> Iterator[Finding]:
    budget = case.query.constraints.budget
    said = {amount.high for amount in find_money(case.query.text)} | ({budget.value} if budget else set())
    for amount in find_money(rationale):
        if amount.high not in said:
            shown = rationale[amount.start : amount.end]
            yield found("rationale_tells_answer", shown, "an amount that the text does not name")
