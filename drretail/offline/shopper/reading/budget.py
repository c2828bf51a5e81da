"""The budget that a query names: an upper bound on its spending, never a price that was merely mentioned.

A soft amount ("around $60", "$50-$70") gives its named or upper amount, without any tolerance, and yields to a
hard one ("no more than $80") in the same text. Where several amounts disagree and none is called the total, they
bound different things: then there is no budget, because a wrong one is worse than none.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from drretail.grounding.text.amounts import Amount, find_money, number_of
from drretail.records.money import USD, Money

Scope = Literal["total", "per_item"]

_SENTENCE_END = re.compile(r"(?<=[.!?])\s+|[\n;]")
_ITEM = r"(?:items?|piece|products?|units?|one|thing|gift|toy|pick)"
_NOT = r"(?:no|not|nothing|none|never|without|cannot|\w+n't)"
# Characters before and after an amount that can speak about it.
_REACH = 100
# No budget: more digits than an exact amount can hold are no error of the query.
_UNREAL = 10**9
_WRITTEN = r"(?:\d{1,3}(?:,\d{3}){1,3}|\d{2,7})(?:\.\d{1,2})?"


def _pattern(*alternatives: str, after: str = "") -> re.Pattern[str]:
    return re.compile(rf"(?:{'|'.join(alternatives)}){after}".replace(" ", r"\s+"))


# What stands directly before an amount that bounds the spending …
_HARD_BEFORE = _pattern(
    r"\b(?:under|below|beneath|(?:less|lower|cheaper) than|at most|up to|sub|within|max(?:imum)?\.?)(?: a)?(?: total)?"
    r"(?: of)?",
    rf"\b{_NOT}(?: [\w']+){{0,4}}? (?:over|above|more(?: (?:expensive|costly))? than|higher than|exceed\w*|beyond)",
    r"\b(?:cap|capped|limit|limited|ceiling|maximum|max)(?: (?:it|is|of|at|to|myself|us|me))+",
    r"\b(?:keep|keeping|stay|staying)(?: [\w']+){0,4}? (?:to|at)",
    r"\b(?:can|could|to|would|only|'d|'ll) (?:spend|afford)(?: (?:a|total|of|only))*",
    r"\b(?:willing|able|happy|ready) to pay",
    r"\bbudget(?:'s)?(?: [\w']+){0,4}?(?: (?:is|of|at|to))?\s*[:=]?",
    r"[<≤]=?",
    after=r"\s*-?\s*$",
)
_SOFT_BEFORE = _pattern(r"\b(?:around|about|roughly|approximately|approx\.?|near|close to|circa)", "~", after=r"\s*$")
_HAVE = _pattern(r"\b(?:have|'ve got)(?: (?:only|just|about|around|up to|a|total|of))*", after=r"\s*$")
# … and directly behind it.
_HARD_AFTER = _pattern(
    r"(?:a ?piece |apiece |each )?"
    r"(?:or (?:less|under|below|cheaper|lower)|(?:max|maximum|tops|cap|limit|ceiling)\b|at (?:the )?most)",
    r"-?\s?(?:(?:total|overall|maximum|max) )?budget\b",
)
_TO_SPEND = _pattern(r"(?:in total )?(?:to (?:spend|work with)|set aside|left\b|for (?:all|everything)\b)")

# Amounts that bound no spending of this query: prices of the past, other money, recurring budgets.
_PAST = _pattern(
    r"\b(?:paid|bought|purchased|spent|ordered|sold|cost me|rose|dropped|fell|went|jumped|was|were|usually|normally"
    r"|typically|originally|retails?|retailed|listed)\b"
)
_STATED = _pattern(r"\b(?:is|are|it's|that's)(?: (?:around|about|roughly|approximately|near))?", after=r"\s*$")
_OTHER_BEFORE = _pattern(
    r"\b(?:sav\w+|shipping|delivery|discounts?|coupons?|rebates?|fees?|tax(?:es)?|tips?|gift cards?|orders?|earn|worth"
    r"|income|salary|subscription)\b"
)
_OTHER_AFTER = _pattern(
    r"(?:off|discount|gift card|coupon|monthly|weekly|annually|yearly)\b",
    r"in savings",
    r"(?:(?:for|of|in) )?(?:shipping|delivery|tax)\b",
    r"/(?!\s?(?:piece|item|unit|ea))",
    r"(?:per|a|an|every) (?!(?:piece|item|product|unit|gift|toy)\b)\w+",
)
_REQUEST = _pattern(
    r"\b(?:need|want|looking|find|recommend|suggest|buy|search|prefer|now|budget|spend|keep|should|must)\w*"
)

_EACH_AFTER = _pattern(rf"(?:[\w'-]+ ){{0,4}}?(?:each|apiece|a ?piece|(?:per|/) ?{_ITEM})\b")
_EACH_BEFORE = _pattern(rf"\b(?:each|every|per {_ITEM}|nothing|none|no (?:single )?{_ITEM})\b", after=r"[^.;!?]{0,40}$")
_TOTAL_AFTER = _pattern(
    r"[^$€£;]{0,30}?\b(?:total|overall|altogether|combined|in all|all in|for (?:both|everything|all))\b"
)
_TOTAL_BEFORE = _pattern(
    r"\b(?:total|overall|altogether|combined|everything|all together|spending)\b", after=r"[^$€£;]{0,40}$"
)
# "budget of 300": the one place where a number needs no currency.
_BARE = _pattern(
    r"\bbudget(?:'s)?(?: (?:is|of|limit|cap|max|maximum|around|about|roughly|at|to|up|under|below|set|limited))*",
    after=rf"\s*[:=]?\s+(?P<number>{_WRITTEN})"
    r"(?=\s*(?:[.,;!?)]?\s*$|[.,;!?)]\s|(?:for|in total|max|or less|and)\b))",
)


@dataclass(frozen=True, slots=True)
class _Bound:
    money: Money
    scope: Scope
    hard: bool
    total: bool


def read_budget(text: str) -> tuple[Money, Scope] | None:
    """The upper bound on spending and what it bounds; None where there is none, or several that disagree."""
    plain = text.casefold().replace("’", "'")
    bounds = [bound for sentence in _SENTENCE_END.split(plain) for bound in _bounds(sentence)]
    bounds = [bound for bound in bounds if bound.hard] or bounds
    if len(set(bounds)) > 1:
        bounds = [bound for bound in bounds if bound.total] or bounds
    distinct: set[tuple[Money, Scope]] = {(bound.money, bound.scope) for bound in bounds}
    return distinct.pop() if len(distinct) == 1 else None


def _bounds(sentence: str) -> Iterator[_Bound]:
    for amount in (it for it in find_money(sentence) if it.high < _UNREAL):
        before = sentence[max(0, amount.start - _REACH) : amount.start]
        bound = _bound(amount, before, sentence[amount.end : amount.end + _REACH].lstrip())
        if bound is not None:
            yield bound
    for match in _BARE.finditer(sentence):
        yield _Bound(Money.of(number_of(match["number"])), "total", hard=True, total=True)


def _bound(amount: Amount, before: str, after: str) -> _Bound | None:
    hard = bool(
        _HARD_BEFORE.search(before) or _HARD_AFTER.match(after) or (_TO_SPEND.match(after) and _HAVE.search(before))
    )
    soft = amount.is_range or _SOFT_BEFORE.search(before)
    if not (hard or soft) or _is_other_money(before, after):
        return None
    if not hard and _STATED.search(before) and "budget" not in before:
        return None
    each = bool(_EACH_AFTER.match(after) or _EACH_BEFORE.search(before))
    total = bool(
        _TOTAL_AFTER.match(after) or _TOTAL_BEFORE.search(before) or "budget" in before or _HARD_AFTER.match(after)
    )
    money = Money.of(amount.high, amount.currency or USD)
    return _Bound(money, "per_item" if each else "total", hard, total and not each)


def _is_other_money(before: str, after: str) -> bool:
    words = before.split()
    near = " ".join(words[-6:])
    if _PAST.search(near) and not _REQUEST.search(near):
        return True
    return bool(_OTHER_AFTER.match(after) or _OTHER_BEFORE.search(" ".join(words[-5:])))
