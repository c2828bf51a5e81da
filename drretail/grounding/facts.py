"""Claims settled against records without a model: prices, ratings, rating counts, dates, ids and sums.

Only what cannot be otherwise is settled. A claim is right (1) when every value that it names stands in the record and
it says nothing besides the product's name and these values; it is wrong (0) when one of its values contradicts the
record. Everything else is left to a judge.
"""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from typing import Any, Literal

from drretail.grounding.mentions import find_mentions
from drretail.grounding.price_words import role_of
from drretail.grounding.values import Kind, Value, compare, find_values
from drretail.grounding.vocabulary import NEUTRAL_OF_ORDERS, NEUTRAL_OF_PRODUCTS, NEUTRAL_OF_SUMS
from drretail.records.evidence import EvidenceText
from drretail.records.shop import Product

_FIELDS: Mapping[Kind, str] = {"money": "price", "rating": "average_rating", "count": "rating_number"}
_NAMES = {"price": "the price", "average_rating": "the rating", "rating_number": "the number of ratings"}
_MARK = re.compile(r"[\[【][POUWCF]:[^\]】]*[\]】]|https?://\S+|\[\d+\]")
_WORD = re.compile(r"[^\W_]+(?:['’.][^\W_]+)*")
# A claim that denies or compares names values that belong to something else, or to nothing.
_TURNED = re.compile(
    r"\b(?:not|no|never|n['’]t|without|unlike|than|versus|vs|against|compared|if|would|could|may|might|was|were|formerly"
    r"|previously|originally|instead|rather|while|whereas|but|other|another|alternative|similar|most|some|range|between"
    r"|average of)\b|n['’]t\b",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class Settled:
    """What a record says of a claim. ``quote`` stands in ``source``."""

    value: Literal[0, 1]
    reason: str
    quote: str
    source: EvidenceText


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
        return _settle_sum(text, _distinct(sources))
    if not records:
        return None
    products = [(source, record) for source, record in records if "average_rating" in record]
    if len(products) == len(records):
        chosen = _chosen(text, products)
        return None if chosen is None else _settled(text, *chosen, _product_facts, NEUTRAL_OF_PRODUCTS)
    if len(records) == 1 and "order_id" in records[0][1]:
        return _settled(text, *records[0], _order_facts, NEUTRAL_OF_ORDERS)
    return None


def product_of(text: str) -> Product | None:
    """The product whose record, as a tool gives it, ``text`` is; None for anything else."""
    record = parsed_record(text)
    if record is None or "product_id" not in record or "average_rating" not in record:
        return None
    known = {name: record[name] for name in Product.model_fields if record.get(name) is not None}
    return Product.model_validate(known)


def exact(number: float) -> Decimal:
    """A record's number, as it is written."""
    return Decimal(str(number))


def _distinct(sources: Sequence[EvidenceText]) -> list[EvidenceText]:
    """One text for each record: the same product may have been looked at more than once."""
    return list({source.sha256: source for source in sources}.values())


def parsed_record(text: str) -> dict[str, Any] | None:
    """The record that a text of the ledger is; None where it is none."""
    try:
        value = json.loads(text)
    except ValueError:
        return None
    return value if isinstance(value, dict) else None


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
    values = find_values(text)
    facts: list[_Fact | None] = list(facts_of(text, values, source, record))
    known = [fact for fact in facts if fact is not None]
    wrong = next((fact for fact in known if fact.match in ("differs", "absent")), None)
    if wrong is not None and not _TURNED.search(text):
        return Settled(0, f"{wrong.field} is {wrong.found}, not {wrong.said}", wrong.quote, source)
    if not known or len(known) < len(facts) or any(fact.match != "equal" for fact in known):
        return None
    if _besides(text, values, neutral | _title_words(record)):
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


def _number_fact(said: str, value: Value, record: dict[str, Any], source: EvidenceText, field: str) -> _Fact | None:
    quote = _quote(source.text, field)
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
    quote = _quote(source.text, field)
    return None if quote is None else _Fact(said, name, "equal" if right else "differs", found, quote)


def _quote(text: str, field: str) -> str | None:
    found = re.search(rf'"{field}"\s*:\s*(?:"[^"]*"|[^,"}}\]]+)', text)
    return None if found is None else found[0]


def _title_words(record: dict[str, Any]) -> frozenset[str]:
    title = str(record.get("title") or record.get("product_title") or "")
    return frozenset(_words(f"{title} {record.get('store') or ''}"))


def _words(text: str) -> list[str]:
    return [word[0].casefold().replace("’", "'").removesuffix("'s") for word in _WORD.finditer(text)]


def _besides(text: str, values: Sequence[Value], known: frozenset[str]) -> list[str]:
    """The words of a claim that are neither values nor known."""
    rest = text
    for value in values:
        rest = rest[: value.start] + " " * (value.end - value.start) + rest[value.end :]
    return [word for word in _words(rest) if word not in known]


def _settle_sum(text: str, sources: Sequence[EvidenceText]) -> Settled | None:
    """A claim that names the result of one calculation, and nothing else."""
    amounts = [value for value in find_values(text) if value.kind == "money"]
    if len(sources) != 1 or len(amounts) != 1 or amounts[0].low is not None or amounts[0].bound != "exact":
        return None
    calculation = _calculation(sources[0].text)
    if calculation is None or amounts[0].number in calculation[0] or _TURNED.search(text):
        return None
    result, named = _cents(calculation[1]), amounts[0].number
    match = compare(amounts[0], result)
    if match == "differs":
        return Settled(0, f"the result is {result}, not {named}", sources[0].text, sources[0])
    if match == "rounded" or _besides(text, amounts, NEUTRAL_OF_SUMS):
        return None
    return Settled(1, f"the result is {result}", sources[0].text, sources[0])


def _calculation(text: str) -> tuple[set[Decimal], Decimal] | None:
    """The terms and the result of "2 * 12.50 = 25.0"; None for anything else."""
    expression, equals, result = text.rpartition(" = ")
    if not equals or "\n" in text or not re.fullmatch(r"-?\d+(?:\.\d+)?", result):
        return None
    return {Decimal(term) for term in re.findall(r"\d+(?:\.\d+)?", expression.replace(",", ""))}, Decimal(result)


def _cents(number: Decimal) -> Decimal:
    return number.quantize(Decimal("0.01"))
