"""Claims that attach values to several cited products, settled against their records.

A claim is read only when nothing but names, values and connective words stands in it, and when every value belongs to
one product beyond doubt: to the one that is named before it, or, of two products, to the one that is not named, in
"against 4.4", "where the pick has 1,731" and "$25.00 less".
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from drretail.grounding.mentions import Mention
from drretail.grounding.price_words import role_of
from drretail.grounding.values import Value, compare, find_values, parse_number
from drretail.grounding.vocabulary import CONNECTIVES_OF_PRODUCTS

_FIELDS = {"money": "price", "rating": "average_rating", "count": "rating_number"}
_DIFFERENCE = re.compile(r"\s+(?P<way>less|cheaper|more|dearer)\b(?!\s+than)", re.IGNORECASE)
_OF_THE_OTHER = re.compile(r"\b(?:against|where the pick has)\s+$", re.IGNORECASE)
_COUNT_OF_THE_PICK = re.compile(
    r"(?:ratings|reviews) where the pick has (?P<number>\d{1,3}(?:,\d{3})+|\d+)(?=\s*(?:[;,]|\.?\s*$))", re.IGNORECASE
)
_WORD = re.compile(r"[^\W_]+(?:['’.-][^\W_]+)*")


@dataclass(frozen=True, slots=True)
class Attached:
    """A value beside what the records of the products give for it."""

    said: str
    field: str
    product_id: str
    is_right: bool
    found: str


def attached_values(
    text: str, records: Mapping[str, Mapping[str, Any]], mentions: Sequence[Mention]
) -> list[Attached] | None:
    """Every value of the claim with its product; None where one of them or a word leaves a doubt."""
    named = {mention.product_id for mention in mentions}
    unnamed = set(records) - named
    if not named or len(unnamed) > 1 or (unnamed and len(records) != 2):
        return None
    other = next(iter(unnamed), None)
    values = [*find_values(text), *_counts_of_the_pick(text)]
    found = [_attached(text, value, records, mentions, other) for value in values]
    facts = [fact for fact in found if fact is not None]
    attached_to = {fact.product_id for fact in facts}
    if not facts or len(facts) < len(found) or not named <= attached_to or _rest(text, values, mentions):
        return None
    return facts


def _attached(
    text: str, value: Value, records: Mapping[str, Mapping[str, Any]], mentions: Sequence[Mention], other: str | None
) -> Attached | None:
    before = [mention.product_id for mention in mentions if mention.end <= value.start]
    if value.kind not in _FIELDS or value.bound != "exact" or value.low is not None or not before:
        return None
    product_id = before[-1]
    said, field = text[value.start : value.end], _FIELDS[value.kind]
    if value.kind == "money" and (way := _DIFFERENCE.match(text, value.end)):
        return None if other is None else _difference(said, value, way["way"], records, product_id, other)
    if _OF_THE_OTHER.search(text[: value.start]):
        if other is None:
            return None
        product_id = other
    elif value.kind == "money" and role_of(text, value) != "price":
        return None
    truth = _number(records[product_id], field)
    if truth is None or (value.kind == "money" and not _is_priced_in(records[product_id], value.currency)):
        return None
    match = compare(value, truth)
    return None if match == "rounded" else Attached(said, field, product_id, match == "equal", str(truth))


def _difference(
    said: str, value: Value, way: str, records: Mapping[str, Mapping[str, Any]], product_id: str, other: str
) -> Attached | None:
    prices = [_number(records[it], "price") for it in (product_id, other)]
    if prices[0] is None or prices[1] is None:
        return None
    if not all(_is_priced_in(records[it], value.currency) for it in (product_id, other)):
        return None
    more = prices[0] - prices[1] if way.casefold() in ("more", "dearer") else prices[1] - prices[0]
    return Attached(said, "price", product_id, value.number == more, f"{more} {way} by the prices")


def _number(record: Mapping[str, Any], field: str) -> Decimal | None:
    return None if record.get(field) is None else Decimal(str(record[field]))


def _is_priced_in(record: Mapping[str, Any], currency: str) -> bool:
    """False also for the lowest of several prices: another one may be meant."""
    return record.get("currency", "USD") == currency and not record.get("price_from")


def _rest(text: str, values: Sequence[Value], mentions: Sequence[Mention]) -> list[str]:
    """The words that are neither names nor values nor connectives; what follows a name is none of it."""
    for start, end in [(it.start, it.end) for it in (*values, *mentions)]:
        text = text[:start] + " " * (end - start) + text[end:]
    return [word[0] for word in _WORD.finditer(text) if word[0].casefold() not in CONNECTIVES_OF_PRODUCTS]


def _counts_of_the_pick(text: str) -> list[Value]:
    """The bare number in "from 468 ratings where the pick has 1,731"."""
    return [
        Value("count", match.start("number"), match.end(), parse_number(match["number"]))
        for match in _COUNT_OF_THE_PICK.finditer(text)
    ]
