"""Whether what a query names in types is in the shop and in the record, and who asks it."""

import re
from collections.abc import Iterator

from drretail.querygen.checks.case import Case, found
from drretail.records.evidence import Finding
from drretail.tools.registry import TOOLS

CODES = {
    "user_missing": "a profile-aware query names no user",
    "user_unknown": "the world does not hold the user",
    "user_without_orders": "the user has no order that was kept",
    "wish_missing": "nobody has typed what the query wants",
    "kind_unknown": "the shop has nothing of the kinds of a want",
    "product_unknown": "a product that the wish names as owned is not in the shop",
    "owned_not_ordered": "a product that is said to be owned was not ordered, or not kept",
    "brand_unknown": "a brand of the wish is not in the shop",
    "tool_unknown": "an expected tool is none of the nine",
    "order_not_in_text": "an order that the wish names is not in the text",
    "rationale_order_unknown": "the rationale names an order that the user does not have",
}


_ORDER_ID = re.compile(r"\b\d{10}\b")


def check(case: Case) -> Iterator[Finding]:
    yield from _user(case)
    yield from _wish(case)
    for name in dict.fromkeys(case.query.expected_tools):
        if name not in TOOLS:
            yield found("tool_unknown", name, f"the tools are {', '.join(sorted(TOOLS))}")
    for order_id in () if case.query.wish is None else case.query.wish.orders:
        if order_id not in case.query.text:
            yield found("order_not_in_text", order_id, "the text does not speak of it")
    known = set[str]() if case.shopper is None else {order.order_id for order in case.shopper.orders}
    for order_id in dict.fromkeys(_ORDER_ID.findall(case.query.rationale)):
        if order_id not in known:
            yield found("rationale_order_unknown", order_id, "no order of the user has this id")


def _user(case: Case) -> Iterator[Finding]:
    query = case.query
    if query.user_id is None:
        if query.mode == "profile_aware":
            yield found("user_missing", query.query_id, "a profile-aware query is asked by a user")
    elif case.shopper is None:
        yield found("user_unknown", query.user_id, "this world holds no such user")
    elif query.mode == "profile_aware" and not case.shopper.kept:
        void = len(case.shopper.orders)
        yield found("user_without_orders", query.user_id, f"{void} orders, all cancelled or returned")


def _wish(case: Case) -> Iterator[Finding]:
    wish = case.query.wish
    if wish is None:
        yield found("wish_missing", case.query.query_id, "what rests on it is not checked", severity="warning")
        return
    for want, listings in case.offered:
        if not listings:
            yield found("kind_unknown", want.name, f"nothing is of the kind {' or '.join(want.kinds)}")
    brands = (brand for want in wish.wants for brand in (*want.brands_wanted, *want.brands_unwanted))
    for brand in dict.fromkeys(brands):
        if not case.stock.has_brand(brand):
            yield found("brand_unknown", brand, "no product is of this brand")
    for product_id in wish.owned:
        if not case.stock.offers.listings([product_id]):
            yield found("product_unknown", product_id, "the wish names it as owned")
        elif case.shopper is not None and product_id not in case.shopper.bought:
            yield found("owned_not_ordered", product_id, "no kept order of the user", evidence_id=f"P:{product_id}")
