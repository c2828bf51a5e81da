"""Claims settled against records without a model: prices, ratings, rating counts, dates, ids and sums.

Only what cannot be otherwise is settled. A claim is right (1) when every value that it names stands in the record and
it says nothing besides the product's name and these values; it is wrong (0) when one of its values contradicts the
record. Everything else is left to a judge.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from drretail.grounding.calculated_facts import settle_average, settle_sum
from drretail.grounding.mentions import find_mentions
from drretail.grounding.price_words import role_of
from drretail.grounding.settled import TURNED, Settled, exact, parsed_record, quote_of, words_besides, words_of
from drretail.grounding.several_facts import attached_values
from drretail.grounding.values import Kind, Value, compare, find_values
from drretail.grounding.vocabulary import NEUTRAL_OF_ORDERS, NEUTRAL_OF_PRODUCTS
from drretail.records.evidence import EvidenceText
from drretail.records.shop import Product

_FIELDS: Mapping[Kind, str] = {"money": "price", "rating": "average_rating", "count": "rating_number"}
_NAMES = {"price": "the price", "average_rating": "the rating", "rating_number": "the number of ratings"}
_MARK = re.compile(r"[\[【][POUWCF]:[^\]】]*[\]】]|https?://\S+|\[\d+\]")
_UNPRICED = re.compile(
    r"(?:prices?: )?the shop lists (?:none|no price) for (?P<name>[^:;$]+)",
    re.IGNORECASE,
)
_NO_PRICE = re.compile(r"\bno (?:listed price|price (?:is )?listed)\b", re.IGNORECASE)
_IN_HAND = re.compile(r"\bhave\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Fact:
    """A value of the claim beside the record's, and where the record has it."""

    said: str
    field: str
    match: Literal["equal", "rounded", "differs", "absent"]
    found: str
    quote: str


def settle(claim: str, sources: Sequence[EvidenceText]) -> Settled | None:
    """What the records among ``sources`` say of one claim; None where words have to be judged.

    With several products the claim must name one of them; the sources of one claim are of one type.
    """
    text = _MARK.sub(lambda mark: " " * len(mark[0]), claim)
    records = [(source, record) for source in _distinct(sources) if (record := _record(source)) is not None]
    if len(records) < len(_distinct(sources)):
        if (average := settle_average(text, _distinct(sources))) is not None:
            return average
        return settle_sum(text, _distinct(sources))
    if not records:
        return None
    products = [(source, record) for source, record in records if "average_rating" in record]
    if len(products) == len(records):
        if (unpriced := _settle_unpriced(text, products)) is not None:
            return unpriced
        chosen = _chosen(text, products)
        if len({source.sha256 for source, _ in products}) > 1 and (settled := _settle_several(text, products)):
            return settled
        return None if chosen is None else _settled(text, *chosen, _product_facts, NEUTRAL_OF_PRODUCTS)
    if len(records) == 1 and "order_id" in records[0][1]:
        if _IN_HAND.search(text) and records[0][1].get("order_status") != "Delivered":
            return None
        return _settled(text, *records[0], _order_facts, NEUTRAL_OF_ORDERS)
    return None


def product_of(text: str) -> Product | None:
    """The product whose record, as a tool gives it, ``text`` is; None for anything else."""
    record = parsed_record(text)
    if record is None or "product_id" not in record or "average_rating" not in record:
        return None
    known = {name: record[name] for name in Product.model_fields if record.get(name) is not None}
    return Product.model_validate(known)


def _distinct(sources: Sequence[EvidenceText]) -> list[EvidenceText]:
    """One text for each record: the same product may have been looked at more than once."""
    return list({source.sha256: source for source in sources}.values())


def _record(source: EvidenceText) -> dict[str, Any] | None:
    record = parsed_record(source.text)
    return record if record is not None and ({"average_rating", "order_id"} & set(record)) else None


def _chosen(
    text: str, records: list[tuple[EvidenceText, dict[str, Any]]]
) -> tuple[EvidenceText, dict[str, Any]] | None:
    """The record of the one product that the claim is about."""
    by_id = {str(record["product_id"]): (source, record) for source, record in records}
    if len(by_id) == 1:
        return next(iter(by_id.values()))
    products = [product for source, _ in records if (product := product_of(source.text)) is not None]
    named = {mention.product_id for mention in find_mentions(text, products)}
    return by_id[named.pop()] if len(named) == 1 else None


def _settled(
    text: str, source: EvidenceText, record: dict[str, Any], facts_of: Any, neutral: frozenset[str]
) -> Settled | None:
    unpriced = _NO_PRICE.search(text)
    if unpriced is not None and "price" in record and "average_rating" in record:
        text = text[: unpriced.start()] + " " * len(unpriced[0]) + text[unpriced.end() :]
    else:
        unpriced = None
    values = find_values(text)
    facts: list[_Fact | None] = list(facts_of(text, values, source, record))
    if unpriced is not None:
        facts.append(_absent_price(unpriced[0], source, record))
    known = [fact for fact in facts if fact is not None]
    wrong = next((fact for fact in known if fact.match in ("differs", "absent")), None)
    if wrong is not None and not TURNED.search(text):
        return Settled(0, f"{wrong.field} is {wrong.found}, not {wrong.said}", wrong.quote, source)
    if not known or len(known) < len(facts) or any(fact.match != "equal" for fact in known):
        return None
    if words_besides(text, values, neutral | _title_words(record)):
        return None
    return Settled(1, "; ".join(f"{fact.field} is {fact.found}" for fact in known), known[0].quote, source)


def _product_facts(
    text: str, values: Sequence[Value], source: EvidenceText, record: dict[str, Any]
) -> Iterator[_Fact | None]:
    """For each value what the record says of it; None where it says nothing."""
    for value in values:
        said = text[value.start : value.end]
        if value.kind == "id":
            yield _fact(
                said, "the id", value.text == record["product_id"], str(record["product_id"]), source, "product_id"
            )
        elif value.kind in _FIELDS and (value.kind != "money" or role_of(text, value) == "price"):
            yield _number_fact(said, value, record, source, _FIELDS[value.kind])
        else:
            yield None


def _absent_price(said: str, source: EvidenceText, record: dict[str, Any]) -> _Fact | None:
    """ "No price listed" beside the record's price."""
    quote, price = quote_of(source.text, "price"), record["price"]
    if quote is None:
        return None
    found = "not known" if price is None else str(price)
    return _Fact(said, _NAMES["price"], "equal" if price is None else "differs", found, quote)


def _number_fact(said: str, value: Value, record: dict[str, Any], source: EvidenceText, field: str) -> _Fact | None:
    quote = quote_of(source.text, field)
    truth = record.get(field)
    if quote is None or (value.kind == "money" and value.currency != record.get("currency", "USD")):
        return None
    if truth is None:
        return _Fact(said, _NAMES[field], "absent", "not known", quote)
    if record.get("price_from") and field == "price":
        return None  # the lowest of several prices: another one may be meant
    return _Fact(said, _NAMES[field], compare(value, exact(truth)), str(truth), quote)


def _order_facts(
    text: str, values: Sequence[Value], source: EvidenceText, record: dict[str, Any]
) -> Iterator[_Fact | None]:
    for value in values:
        said = text[value.start : value.end]
        if value.kind == "date":
            day = str(record["order_date"])[:10]
            yield _fact(said, "the order's date", value.text == day, day, source, "order_date")
        elif value.kind == "id" and value.text in (record["order_id"], record["product_id"]):
            field = "order_id" if value.text == record["order_id"] else "product_id"
            yield _fact(said, "the id", True, value.text, source, field)
        else:
            yield None


def _fact(said: str, name: str, right: bool, found: str, source: EvidenceText, field: str) -> _Fact | None:
    quote = quote_of(source.text, field)
    return None if quote is None else _Fact(said, name, "equal" if right else "differs", found, quote)


def _title_words(record: dict[str, Any]) -> frozenset[str]:
    title = str(record.get("title") or record.get("product_title") or "")
    return frozenset(words_of(f"{title} {record.get('store') or ''}"))


def _settle_several(text: str, products: list[tuple[EvidenceText, dict[str, Any]]]) -> Settled | None:
    """A claim of nothing but values that are attached to several products."""
    by_id = {str(record["product_id"]): (source, record) for source, record in products}
    known = [product for source, _ in products if (product := product_of(source.text)) is not None]
    if len(by_id) < len(products) or len(known) < len(products):
        return None
    facts = attached_values(text, {it: record for it, (_, record) in by_id.items()}, find_mentions(text, known))
    if facts is None:
        return None
    decisive = next((fact for fact in facts if not fact.is_right), facts[0])
    source = by_id[decisive.product_id][0]
    quote = quote_of(source.text, decisive.field) or ""
    if not decisive.is_right:
        return Settled(0, f"{_NAMES[decisive.field]} is {decisive.found}, not {decisive.said}", quote, source)
    return Settled(1, f"all {len(facts)} values are those of the records", quote, source)


def _settle_unpriced(text: str, products: list[tuple[EvidenceText, dict[str, Any]]]) -> Settled | None:
    """A claim that the shop lists no price for products, and nothing else."""
    found = _UNPRICED.fullmatch(text.strip())
    if found is None:
        return None
    known = [product for source, _ in products if (product := product_of(source.text)) is not None]
    named = {mention.product_id for mention in find_mentions(text, known)}
    if any("price" not in record or str(record["product_id"]) not in named for _, record in products):
        return None
    rest = words_of(found["name"])
    titles = frozenset[str]().union(*(_title_words(record) for _, record in products))
    if any(word not in titles | {"the", "and", "or"} for word in rest):
        return None
    priced = next(((source, record) for source, record in products if record["price"] is not None), None)
    source = priced[0] if priced else products[0][0]
    quote = quote_of(source.text, "price") or ""
    if priced:
        return Settled(0, f"the price is {priced[1]['price']}", quote, source)
    return Settled(1, "the record has no price", quote, source)
