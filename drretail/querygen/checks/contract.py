"""Further demands on the writers of queries: length, tools and rationale of models, evidence of rules.

Questions by people, and files from elsewhere, need not keep to them.
"""

import re
from collections.abc import Iterator

from drretail.grounding.constraints import decided_by_field
from drretail.querygen.checks.case import Code, QueryCase, finding
from drretail.records.evidence import Finding
from drretail.records.query import Query

LEAST_WORDS, MOST_WORDS, LEAST_OF_A_RATIONALE = 20, 180, 8
USER_TOOLS = frozenset({"get_user_profile", "get_user_orders", "get_user_statistics", "get_order_details"})
_TOOLS = {
    "the user's record": USER_TOOLS,
    "the catalog": {"product_catalog_search", "get_product_details"},
    "the web": {"web_search"},
}
CODES = {
    "too_short": Code(f"fewer than {LEAST_WORDS} words", "say more of the need"),
    "too_long": Code(f"more than {MOST_WORDS} words", "say less"),
    "tools_missing": Code(
        "no expected tool reads the user's record, the catalog, or the web",
        "name under `expected_tools` what a good answer will hardly do without",
    ),
    "rationale_missing": Code("no rationale says why the question is asked", "write one"),
    "demand_decides_nothing": Code("nearly all or hardly any offers keep a demand", "demand what tells them apart"),
    "value_not_said": Code(
        "a demand's words don't say its value, and the record of no named order has it",
        "say the value, or name in the wish the order whose product has it",
    ),
}
_BY_MODEL = re.compile(r"(?!offline:)[a-z][a-z0-9_]*:\S+")
# The share of a kind's priced offers that may keep a demand, and the least offers for which a share says something.
LEAST_SHARE, MOST_SHARE, LEAST_OFFERS = 0.1, 0.6, 4


def binds(query: Query) -> bool:
    """True if a model wrote the query with all its fields, by its source; False if it only typed the wish."""
    return query.typed_by is None and bool(query.rationale and _BY_MODEL.fullmatch(query.source))


def check(case: QueryCase) -> Iterator[Finding]:
    """Violations of the demands on models."""
    query, words = case.query, len(case.query.text.split())
    if not LEAST_WORDS <= words <= MOST_WORDS:
        yield finding("too_short" if words < LEAST_WORDS else "too_long", query.text[:80], f"{words} words")
    missing = [what for what, tools in _TOOLS.items() if tools.isdisjoint(query.expected_tools)]
    if missing := [what for what in missing if query.user_id is not None or what != "the user's record"]:
        yield finding("tools_missing", ", ".join(query.expected_tools) or "no tool", f"none reads {', '.join(missing)}")
    if len(query.rationale.split()) < LEAST_OF_A_RATIONALE:
        yield finding("rationale_missing", query.rationale or "none", f"fewer than {LEAST_OF_A_RATIONALE} words")
    yield from _wanted(case)
    yield from check_demands(case)


def _wanted(case: QueryCase) -> Iterator[Finding]:
    """Values of demands that only a record shows, of which the text names none."""
    wish, shopper = case.query.wish, case.shopper
    if wish is None or case.query.infeasible:
        return
    ordered = [] if shopper is None else [*shopper.products.values()]
    ids = {order.product_id for order in (shopper.orders if shopper else ()) if order.order_id in wish.orders}
    purchases = [listing for listing in ordered if listing.product.product_id in ids]
    for demand in (demand for want in wish.wants for demand in want.must if wish.orders and demand.rests_on_record):
        rulings = [decided_by_field(demand, listing) for listing in purchases]
        if all(ruling.state != "met" for ruling in rulings):
            shown = ", ".join(ruling.quote for ruling in rulings if ruling.quote) or f"they have no {demand.field}"
            yield finding("value_not_said", str(demand), f"the records of these orders: {shown}")


def check_demands(case: QueryCase) -> Iterator[Finding]:
    """Violations of the demands on rules: fields that nearly all or hardly any of the priced offers keep."""
    for want, candidates in case.offered:
        priced = candidates.priced
        for demand in want.must if len(priced) >= LEAST_OFFERS else ():
            met = sum(times for ruling, times in priced.rulings(demand).items() if ruling.state == "met")
            if demand.field is not None and not LEAST_SHARE <= met / len(priced) <= MOST_SHARE:
                yield finding("demand_decides_nothing", str(demand), f"{met} of {len(priced)} {want.name} keep it")
