"""Amounts that the words or the table around them call a total, or what is left, and what they may be made of."""

import re
from collections.abc import Collection, Iterable, Sequence
from decimal import Decimal
from itertools import combinations

from drretail.grounding.text.amounts import Amount
from drretail.grounding.verify.records import Ledger
from drretail.records.reading import ValueKind

_MOST_SUMMED = 12
_TOTAL_BEFORE = re.compile(
    r"\b(?:totals?|sum|altogether|in all|all told|together|com(?:es?|ing) to|adds? up to)\b[^.;|\n$€£]{0,25}$", re.I
)
# Not past the end of a sentence: "the candle at $16.99. Together they cost".
_TOTAL_BEHIND = re.compile(r"[^\w|\n.!?]*\b(?:in all|in total|altogether|all told|together|total)\b", re.IGNORECASE)
_LEFT_BEFORE = re.compile(r"\b(?:leav\w+|left over|remain\w*|unspent)\b[^.;|\n\d]{0,20}$", re.IGNORECASE)
_LEFT_BEHIND = re.compile(
    r"[^\w|\n.!?]*\b(?:(?:is|are|stays?) )?(?:left|remain\w*|unspent|to spare"
    r"|(?:under|below) (?:the |your |my |our |a )?(?:\w+ )?(?:budget|limit|cap|ceiling))\b",
    re.IGNORECASE,
)
_OF_BUDGET = re.compile(r"[^\w.!?]*(?:(?P<of>(?:out )?of)|under|below)\W+(?:\w+\W+){0,2}", re.IGNORECASE)
_TOTAL_LABELS = frozenset({"total", "sum", "subtotal", "altogether"})
_LEFT_LABELS = frozenset({"left", "remaining", "unspent"})
# Sums that are not of this purchase: "your orders come to $35.35 on average".
_OF_OTHERS = re.compile(
    r"\b(?:spent|paid|orders?|history|average|last|ago|previous\w*|an?|per|each) ?(?:year|month|week|day)?\b", re.I
)


def total_kind(text: str, amount: Amount, labels: Collection[str]) -> ValueKind | None:
    """What an amount is called, by the words around it or by the labels of its cell; None if neither or both."""
    before = text[max(0, amount.start - 40) : amount.start]
    is_total = _TOTAL_BEFORE.search(before) or _TOTAL_BEHIND.match(text, amount.end) or _TOTAL_LABELS & set(labels)
    is_left = _LEFT_BEFORE.search(before) or _LEFT_BEHIND.match(text, amount.end) or _LEFT_LABELS & set(labels)
    return None if bool(is_total) == bool(is_left) else "total" if is_total else "left_over"


def share_kind(text: str, amount: Amount, budget: Amount) -> ValueKind | None:
    """What an amount is that is said of the budget behind it.

    "$24.06 of your $70", "$6.51 under your $20", "$8.43 of your $30 are left".
    """
    joint = _OF_BUDGET.fullmatch(text, amount.end, budget.start) if amount.kind == "money" else None
    if joint is None:
        return None
    return "left_over" if not joint["of"] or _LEFT_BEHIND.match(text, budget.end) else "total"


def may_be_wrong(amount: Amount, sentence: str) -> bool:
    """True for an exact amount, to the cent, in a sentence about this purchase."""
    is_exact = amount.places == 2 and amount.relation == "is" and not amount.is_range and amount.kind != "percent"
    return is_exact and not _OF_OTHERS.search(sentence)


def sums_of(ledger: Ledger, spoken_of: Iterable[str]) -> set[Decimal]:
    """All that declared picks and other prices which a report speaks of add up to; empty where that is not known."""
    prices = [price for it in spoken_of if (price := ledger.price(it)) is not None]
    prices += [(ledger.price(it.product) or 0) * Decimal(it.quantity - 1) for it in ledger.picks or ()]
    if ledger.total is None or len(prices) > _MOST_SUMMED:
        return set()
    sums = {Decimal(0), *(abs(it.result) for it in ledger.calculations.values())}
    for price in prices:
        sums |= {it + price for it in sums}
    return sums


def is_made_of(number: Decimal, sums: Collection[Decimal], beside: Sequence[Decimal], ledger: Ledger) -> bool:
    """True for one of the sums, what it leaves of an amount of the query, or what two figures beside it make."""
    ends = [it.low for it in ledger.asked if it.kind == "money"] + [ledger.limit or Decimal(0)]
    pairs = (it for one, other in combinations(beside, 2) for it in (one + other, abs(one - other), one * other))
    return number in sums or any(abs(it - number) in sums for it in ends) or number in pairs
