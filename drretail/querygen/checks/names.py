"""Whether what a query names by id or by name is in the shop and in the user's record, and whether the user exists."""

from collections.abc import Iterator

from drretail.querygen.checks.case import Code, QueryCase, finding, names_of
from drretail.records.evidence import Finding
from drretail.records.wish import Wish
from drretail.reports.text.words import content_stems

_NAME_ANOTHER_USER = "name a user of this world who has orders, or make the query generic"
_NAME_WHAT_IS_SOLD = "take a name out of the shop's categories, titles and brands"
_NAME_WHAT_WAS_ORDERED = "name what the user ordered and kept"
CODES = {
    "user_missing": Code("a profile-aware query names no user", _NAME_ANOTHER_USER),
    "user_unknown": Code("the world does not hold the user", _NAME_ANOTHER_USER),
    "user_without_orders": Code("the user has no order that was kept", _NAME_ANOTHER_USER),
    "wish_missing": Code("nobody has typed what the query wants", "type it by hand, or name a --model that does"),
    "kind_unknown": Code("the shop has nothing of the kinds of a want", _NAME_WHAT_IS_SOLD),
    "kind_of_another_thing": Code("no product of a want's kinds has a word of its name", "type the kinds of the thing"),
    "brand_unknown": Code("a brand of the wish is not in the shop", _NAME_WHAT_IS_SOLD),
    "owned_not_ordered": Code("an owned product was not ordered, or not kept", _NAME_WHAT_WAS_ORDERED),
    "owned_by_nobody": Code("a query without a user names products as owned", "name the user, or drop the products"),
}


def check(case: QueryCase) -> Iterator[Finding]:
    query, shopper = case.query, case.shopper
    if query.user_id is None:
        if query.mode == "profile_aware":
            yield finding("user_missing", query.query_id, "a profile-aware query is asked by a user")
    elif shopper is None:
        yield finding("user_unknown", query.user_id, "this world holds no such user")
    elif query.mode == "profile_aware" and not shopper.kept:
        void = len(shopper.orders)
        yield finding("user_without_orders", query.user_id, f"{void} orders, all cancelled or returned")
    if query.wish is None:
        yield finding("wish_missing", query.query_id, "what rests on it is not checked", severity="warning")
    else:
        yield from _wanted(case, query.wish)
        yield from _recorded(case, query.wish)


def _wanted(case: QueryCase, wish: Wish) -> Iterator[Finding]:
    for want, listings in case.offered:
        kinds = " or ".join(want.kinds)
        if not listings and not case.query.infeasible:
            yield finding("kind_unknown", want.name, f"nothing is of the kind {kinds}")
        elif listings and not any(names_of(listing) & {*content_stems(want.name)} for listing in listings):
            yield finding("kind_of_another_thing", want.name, f"the kind is {kinds}")
    brands = (brand for want in wish.wants for brand in (*want.brands_wanted, *want.brands_unwanted))
    for brand in dict.fromkeys(brands):
        if not case.stock.has_brand(brand):
            yield finding("brand_unknown", brand, "no product is of this brand")


def _recorded(case: QueryCase, wish: Wish) -> Iterator[Finding]:
    shopper = case.shopper
    if wish.owned and case.query.user_id is None:
        yield finding("owned_by_nobody", ", ".join(wish.owned), "nobody asks it")
    for product_id in wish.owned:
        if shopper is not None and product_id not in shopper.bought:
            yield finding(
                "owned_not_ordered",
                product_id,
                "this user never ordered it, or gave it back",
                evidence_id=f"P:{product_id}",
            )
