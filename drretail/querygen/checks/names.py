"""Whether what a query names in types is in the shop and in the record, and who asks it."""

import re
from collections.abc import Iterator

from drretail.querygen.checks.case import Case, found
from drretail.querygen.checks.shopper import Shopper
from drretail.records.evidence import Finding
from drretail.tools.registry import TOOLS

CODES = {
    "user_missing": "a profile-aware query names no user",
    "user_unknown": "the world does not hold the user",
    "user_without_orders": "the user has no order that was kept",
    "product_unknown": "a product that the constraints name as owned is not in the shop",
    "owned_not_ordered": "a product that is said to be owned was not ordered, or not kept",
    "brand_unknown": "a brand of the constraints is not in the shop",
    "category_unknown": "a category of the constraints is not in the shop",
    "tool_unknown": "an expected tool is none of the nine",
    "rationale_order_unknown": "the rationale names an order that the user does not have",
    "purchase_unknown": "the user ordered no such thing as the text says was bought here",
}


_ORDER_ID = re.compile(r"\b\d{10}\b")
# What is only had may be from elsewhere; what was bought stands in the record.
_BOUGHT = re.compile(
    r"\b(?:bought|ordered|purchased)\b|\b(?:got|had|have|gotten|comes?|came)\b[^.!?\n]{0,25}\bfrom\s+you\b",
    re.IGNORECASE,
)
# Characters before and behind a thing that can say so.
_BEFORE, _BEHIND = 35, 25


def check(case: Case) -> Iterator[Finding]:
    yield from _user(case)
    constraints, stock = case.query.constraints, case.stock
    for brand in dict.fromkeys((*constraints.brands_wanted, *constraints.brands_unwanted)):
        if not stock.has_brand(brand):
            yield found("brand_unknown", brand, "no product is of this brand")
    for category in constraints.categories:
        if not stock.has_category(category):
            yield found("category_unknown", category, "no product is in it")
    for product_id in constraints.owned:
        if not stock.has_product(product_id):
            yield found("product_unknown", product_id, "the constraints name it as owned")
        elif case.shopper is not None and product_id not in case.shopper.bought:
            yield found("owned_not_ordered", product_id, "no kept order of the user", evidence_id=f"P:{product_id}")
    for name in dict.fromkeys(case.query.expected_tools):
        if name not in TOOLS:
            yield found("tool_unknown", name, f"the tools are {', '.join(sorted(TOOLS))}")
    known = set[str]() if case.shopper is None else {order.order_id for order in case.shopper.orders}
    for order_id in dict.fromkeys(_ORDER_ID.findall(case.query.rationale)):
        if order_id not in known:
            yield found("rationale_order_unknown", order_id, "no order of the user has this id")
    if case.shopper is not None:
        yield from _purchases(case, case.shopper)


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


def _purchases(case: Case, shopper: Shopper) -> Iterator[Finding]:
    """Things that the text says were bought here, where no order bears them out."""
    for named in (it for it in case.named if it.role == "had"):
        around = case.query.text[max(0, named.start - _BEFORE) : named.end + _BEHIND]
        if _BOUGHT.search(around) and not shopper.orders_that_may_be(named.thing):
            said, span = case.query.text[named.start : named.end], (named.start, named.end)
            yield found("purchase_unknown", said, "no order of the user is of it", span=span)
