"""What is asked of a model that writes queries, beyond a sound query: length, tools, rationale, types in its own words.

People's questions and files from elsewhere need not keep to it.
"""

import re
from collections.abc import Iterator
from decimal import Decimal

from drretail.grounding.constraints.listing import folded
from drretail.grounding.text.amounts import find_amounts
from drretail.grounding.text.wording import format_money
from drretail.grounding.text.words import stem
from drretail.querygen.checks.case import Case, found
from drretail.records.evidence import Finding
from drretail.records.query import Query
from drretail.records.wish import Wish

CODES = {
    "too_short": "fewer than 20 words",
    "too_long": "more than 180 words",
    "too_few_tools": "fewer than three tools are expected",
    "profile_tool_missing": "no expected tool reads the user's record",
    "profile_tool_of_nobody": "a question of an unknown shopper expects a tool that reads a shopper's record",
    "shop_tool_missing": "no tool that searches or reads the catalog is expected",
    "web_tool_missing": "web_search is not among the expected tools: a part of the question should need the web",
    "rationale_missing": "no rationale says why the question is asked",
    "rationale_tells_answer": "the rationale names a product that the answer is to find",
    "words_not_in_text": "a typed amount, number, demand, brand, thing or deadline is not in the words of the text",
    "amount_not_typed": "the text names an amount of money that the wish lacks",
}

LEAST_WORDS, MOST_WORDS, LEAST_TOOLS, LEAST_OF_A_RATIONALE = 20, 180, 3, 8
USER_TOOLS = frozenset({"get_user_profile", "get_user_orders", "get_user_statistics", "get_order_details"})
SHOP_TOOLS = frozenset({"product_catalog_search", "get_product_details"})
_BY_MODEL = re.compile(r"(?!offline:)[a-z][a-z0-9_]*:\S+")
_PRODUCT_ID = re.compile(r"\bB0[0-9A-Z]{8}\b")
# The first words of a title tell a product from others; fewer are a brand or a kind.
_FRONT = 3


def binds(query: Query) -> bool:
    """True for what a model wrote with all that stands beside it, by its source; what it typed for others is not."""
    return query.typed_by is None and bool(query.rationale and _BY_MODEL.fullmatch(query.source))


def check(case: Case) -> Iterator[Finding]:
    words = len(case.query.text.split())
    if not LEAST_WORDS <= words <= MOST_WORDS:
        yield found("too_short" if words < LEAST_WORDS else "too_long", case.query.text[:80], f"{words} words")
    yield from _tools(case)
    yield from _rationale(case)
    yield from _wish(case)


def _tools(case: Case) -> Iterator[Finding]:
    query, expected = case.query, frozenset(case.query.expected_tools)
    said = ", ".join(query.expected_tools) or "no tool"
    if len(expected) < LEAST_TOOLS:
        yield found("too_few_tools", said, f"at least {LEAST_TOOLS} are asked for")
    if query.mode == "profile_aware" and not USER_TOOLS & expected:
        yield found("profile_tool_missing", said, f"one of {', '.join(sorted(USER_TOOLS))}")
    if query.mode == "generic" and USER_TOOLS & expected:
        yield found("profile_tool_of_nobody", ", ".join(sorted(USER_TOOLS & expected)))
    if not SHOP_TOOLS & expected:
        yield found("shop_tool_missing", said, f"one of {', '.join(sorted(SHOP_TOOLS))}")
    if "web_search" not in expected:
        yield found("web_tool_missing", said)


def _rationale(case: Case) -> Iterator[Finding]:
    """Ids of products that the user never ordered, and the beginnings of the titles of what is offered."""
    rationale = case.query.rationale
    if len(rationale.split()) < LEAST_OF_A_RATIONALE:
        yield found("rationale_missing", rationale or "no rationale", f"fewer than {LEAST_OF_A_RATIONALE} words")
    ordered = set[str]() if case.shopper is None else set(case.shopper.products)
    for product_id in dict.fromkeys(_PRODUCT_ID.findall(rationale)):
        if product_id not in ordered:
            yield found("rationale_tells_answer", product_id, "a product that the user has not ordered")
    words, asked = f" {folded(rationale)} ", f" {folded(case.query.text)} "
    for listing in (listing for _, listings in case.offered for listing in listings):
        # The folded text begins with the title.
        front = " ".join(listing.text.split(maxsplit=_FRONT)[:_FRONT])
        named = front.count(" ") == _FRONT - 1 and f" {front} " in words and f" {front} " not in asked
        if named and listing.product.product_id not in ordered:
            yield found("rationale_tells_answer", front, f"the title of {listing.product.product_id}")
            return


def _wish(case: Case) -> Iterator[Finding]:
    """That the wish is typed in the words and numbers of the text, and holds every amount of money of it."""
    wish, text = case.query.wish, case.query.text
    if wish is None:
        return
    words = set(map(stem, folded(text).split()))
    for phrase in dict.fromkeys(_phrases(wish)):
        if missing := [word for word in folded(phrase).split() if stem(word) not in words]:
            yield found("words_not_in_text", phrase, f"the text lacks {', '.join(missing)}")
    amounts, limits = find_amounts(text), wish.limits
    numbers = {amount.low for amount in amounts if amount.kind == "number"}
    for least in dict.fromkeys(least for want in wish.wants for least in (want.rating_min, want.ratings_min)):
        if numbers and least is not None and Decimal(str(least)) not in numbers:
            yield found("words_not_in_text", f"{least:g}", "the text has other numbers")
    money = [amount for amount in amounts if amount.kind == "money"]
    if limits and not money:
        yield found("words_not_in_text", format_money(limits[0].value, limits[0].currency), "write it in digits")
    # Where no amount is typed at all, the checks of the budget say so.
    typed = {limit.value for limit in limits}
    for amount in (amount for amount in money if limits and amount.high not in typed):
        span = amount.start, amount.end
        yield found("amount_not_typed", text[slice(*span)], "the wish lacks it", severity="warning", span=span)


def _phrases(wish: Wish) -> Iterator[str]:
    """What the wish has in the words of the text; kinds are in the shop's."""
    for want in wish.wants:
        yield from (want.name, *want.must, *want.must_not, *want.brands_wanted, *want.brands_unwanted)
    if wish.deadline is not None:
        yield wish.deadline
