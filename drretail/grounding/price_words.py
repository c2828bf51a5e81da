"""What an amount in a sentence is said to be: a product's price, or an amount that no record holds."""

import re
from typing import Literal

from drretail.grounding.values import Value

Role = Literal["price", "other", "unclear"]
_REACH = 60


def _pattern(*alternatives: str, after: str = "") -> re.Pattern[str]:
    return re.compile(rf"(?:{'|'.join(alternatives)}){after}".replace(" ", r"\s+"), re.IGNORECASE)


# Directly behind the amount: differences, sums, bounds, what is left …
_OTHER_AFTER = _pattern(
    r"\**[\s(]*(?:more|less|cheaper|dearer|higher|lower|extra|off|saved|savings|left|remaining|remains|short|over"
    r"|under|below|above|beyond|apart|difference|discount|rebate|coupon|gift card|credit|budget|cap|limit|ceiling"
    r"|max(?:imum)?|total|in total|combined|altogether|threshold|minimum|range|tier|shipping|delivery|tax(?:es)?"
    r"|to spend"
    r"|to spare|on average|average|worth|headroom|cushion|buffer|allowance|upfront|monthly|yearly|annually|weekly)\b",
    r"\**[\s(]*for (?:both|all|the (?:two|three|four|five|pair|set of|whole|lot)|two|three|four|five|six|\d+)\b",
    # … per piece, per ounce, each: a listing may be a pack …
    r"\**\s?/\s?\w",
    r"\**\s?(?:per|each|apiece|a (?:piece|pack|bag|box|sheet|load|roll|capsule|tablet|pound|ounce|foot|serving|pen"
    r"|bulb|day|week|month|year))\b",
    # … or more arithmetic; two stars, and one before a word, are the end of an emphasis.
    r"\**\s*(?:[+=×−]|(?<!\*)\*(?!\*)\s?[\d$€£(]|x \d|-\s?[$€£])",
)
# Directly before it: old prices, what was paid, sums, budgets, arithmetic.
_OTHER_BEFORE = _pattern(
    r"\b(?:was|were|originally|formerly|previously|regular(?:ly)?|usual(?:ly)?|normal(?:ly)?|list(?: price)?|msrp"
    r"|rrp|retails?|retail(?: price)?|down from|used to cost|paid|spent|spend|spending|bought(?: it)?(?: for)?"
    r"|saves?|saving)",
    r"\b(?:difference(?: of| is)?|by|extra|additional|another|discount(?: of)?|budget(?: of| is)?|within|limit(?: of)?"
    r"|cap(?: of)?|total(?:s|ling|ing)?(?: of| is| cost| price)?|sum(?: of| is)?|subtotal|together|altogether|combined"
    r"|comes? to|adds? up to|leav(?:es|ing)|remaining|average(?: of| is)?|averag(?:es|ing)|mean(?: of)?"
    r"|median(?: of)?)",
    r"\b(?:per|your|the|orders? (?:of|over)|shipping(?: is| costs?)?|tax(?: of)?|coupon|worth|rose to|fell to"
    r"|dropped to|reduced to|sale|value(?: of|d at)?)",
    after=r"\s*[:(]?\s*(?:about |around |only |just |a )?\**\s*$",
)
_OPERATOR_BEFORE = re.compile(r"(?:[=+−×]|[\d)]\s?\*|\d\s?x|~~)\s*\(?$", re.IGNORECASE)
_LABEL_BEFORE = _pattern(r"\b(?:price|cost)\**\s*(?:[:|]|is|of|at)?\s*\**\s*$")
_OTHER_LABEL = _pattern(
    r"\b(?:total|original|list|regular|old|average|previous|unit|former|retail|sale|shipping|combined) (?:price"
    r"|cost)\b"
)
_PRICE_BEFORE = _pattern(
    r"\b(?:costs?|costing|prices?(?: is| of| at|:)?|priced(?: at)?|sells?(?: for| at)|selling(?: for| at)|goes for"
    r"|available (?:for|at)|listed(?: at| for)?|offered (?:at|for)|yours for|comes (?:at|in at)|is|at|for|currently"
    r"|now)",
    r"[(:,–—|-]",
    after=r"\s*(?:(?:only|just|currently|about|around|roughly|approximately|nearly|almost|under|over|less than"
    r"|more than) |~)?\**\s*$",
)
# Before it in the clause: a past purchase, other shops, a possibility.
_ELSEWHERE = _pattern(
    r"\b(?:you (?:bought|paid|ordered|purchased)|paid|elsewhere|other (?:shops|stores|retailers)|on the web|online for"
    r"|when it was|last time|in the past|if it (?:drops|falls|goes)|price drop|wait for|would cost|could cost|could be"
    r"|might|(?:counted )?by the \w+|per [a-z]+|for each \w+|a piece)\b"
)
# A price that a coupon, a discount or a sale makes: no record holds it.
_LOWERED = _pattern(
    r"\b(?:with|after|using|applying|minus|less|before|through|thanks to|if you (?:use|apply|clip))\b[^.;!?$€£]{0,30}?"
    r"\b(?:coupons?|discounts?|promo(?:tion)?s?|vouchers?|rebates?|sale|code)\b",
    r"\b(?:on sale|discounted|marked down|\d{1,2}\s?% off|clearance"
    r"|(?:sale|deal|promo(?:tional)?|coupon|discount)(?:ed)? price)\b",
)
_LOWERED_AFTER = re.compile(
    rf"\**[\s(,–—-]*(?:(?:now|currently|only|while|when|is)\s+)*(?:{_LOWERED.pattern})", re.IGNORECASE
)
# Characters before an amount in which a coupon can stand: a long title may come between.
_LONG_REACH = 300
_CLAUSE = re.compile(r"[.;!?](?=\s)|\n|\bbut\b|\bwhereas\b|\bwhile\b", re.IGNORECASE)


def role_of(text: str, value: Value) -> Role:
    """What the amount is said to be. "unclear" is a bare amount that nothing in its words calls a price."""
    before = text[max(0, value.start - _REACH) : value.start]
    after = text[value.end : value.end + _REACH]
    if _OTHER_AFTER.match(after):
        return "other"
    clause = _CLAUSE.split(text[max(0, value.start - _LONG_REACH) : value.start])[-1]
    if _LOWERED.search(clause) or _LOWERED_AFTER.match(after):
        return "other"
    if _LABEL_BEFORE.search(before):
        return "other" if _OTHER_LABEL.search(before) else "price"
    if _OTHER_BEFORE.search(before) or _OPERATOR_BEFORE.search(before):
        return "other"
    if _ELSEWHERE.search(_CLAUSE.split(before)[-1]):
        return "other"
    return "price" if _PRICE_BEFORE.search(before) else "unclear"


_BOUND_AFTER = _pattern(
    r"\**[\s(]*(?:budget|cap|limit|ceiling|max(?:imum)?|threshold|minimum|left|remaining|saved|savings|less|more"
    r"|off|under"
    r"|over|below|above|cheaper|discount|credit|to spend|to spare|on average|each|per|apiece|or (?:less|more|under))\b"
)


def is_a_bound(text: str, value: Value) -> bool:
    """True for a budget, a limit, a difference or a part: an amount that is no total although a total is spoken of."""
    return value.bound in ("at_least", "at_most") or bool(_BOUND_AFTER.match(text[value.end : value.end + _REACH]))
