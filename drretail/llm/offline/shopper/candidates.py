"""The products seen so far, from cards and records alike."""

import json
from dataclasses import dataclass, field
from decimal import Decimal
from functools import cached_property
from typing import Any

from drretail.grounding.affirmation import RecordWords, record_words
from drretail.llm.offline.shopper.situation import DETAILS, SEARCH, Situation
from drretail.llm.offline.shopper.words import stems_of


@dataclass(frozen=True)
class Candidate:
    """One product. ``record`` is its whole record once it was opened, empty before."""

    product_id: str
    evidence: str
    title: str
    price: Decimal | None
    price_from: bool
    currency: str
    rating: float | None
    ratings: int
    brand: str | None
    category: str
    record: dict[str, Any] = field(default_factory=dict, compare=False, hash=False)

    @property
    def opened(self) -> bool:
        return bool(self.record)

    @cached_property
    def title_stems(self) -> list[str]:
        return stems_of(self.title)

    @cached_property
    def text(self) -> str:
        """Everything that is known of it, as text: title, features, description, details, categories."""
        record = self.record
        lines = [self.title, *record.get("features", []), *record.get("description", [])]
        lines += [f"{name}: {value}" for name, value in (record.get("details") or {}).items() if isinstance(value, str)]
        return "\n".join(str(line) for line in [*lines, *record.get("categories", [])])

    @cached_property
    def words(self) -> RecordWords:
        """What the record says, by how much it counts; of a card the title alone."""
        record = self.record
        prose = (*record.get("features", []), *record.get("description", []))
        return record_words(self.title, prose, record.get("details") or {})

    @cached_property
    def stems(self) -> list[str]:
        return stems_of(self.text)

    @cached_property
    def strength(self) -> float:
        """The average rating drawn down to 4.0 as if by twenty ratings, so that few ratings count little.

        A rating below 4.0 is not drawn up: of equal ratings the one of more voices is never the weaker.
        """
        rating = 4.0 if self.rating is None else self.rating
        return round((20 * min(4.0, rating) + self.ratings * rating) / (20 + self.ratings), 9)


def read_candidates(situation: Situation) -> list[Candidate]:
    """Every product seen, in the order in which the searches brought it; a record replaces its card."""
    seen: dict[str, Candidate] = {}
    for lookup in situation.found(SEARCH):
        for card in lookup.value.get("hits", []):
            if card.get("evidence") and card.get("product_id"):
                seen.setdefault(card["product_id"], _candidate(card, opened=False))
    for lookup in situation.found(DETAILS):
        if lookup.value.get("evidence") and lookup.value.get("product_id"):
            seen[lookup.value["product_id"]] = _candidate(lookup.value, opened=True)
    return list(seen.values())


def _candidate(value: dict[str, Any], *, opened: bool) -> Candidate:
    price = value.get("price")
    details = value.get("details")
    if isinstance(details, str):  # original rows hold their details as JSON text
        details = _decoded(details)
    brand = (details or {}).get("Brand") or value.get("store")
    return Candidate(
        product_id=value["product_id"],
        evidence=value["evidence"],
        title=" ".join(str(value.get("title") or value["product_id"]).split()),
        price=None if price is None else Decimal(str(price)),
        price_from=bool(value.get("price_from")),
        currency=value.get("currency") or "USD",
        rating=value.get("average_rating"),
        ratings=int(value.get("rating_number") or 0),
        brand=brand if isinstance(brand, str) else None,
        category=str(value.get("category") or ""),
        record={**value, "details": details or {}} if opened else {},
    )


def _decoded(text: str) -> dict[str, Any]:
    try:
        value = json.loads(text)
    except json.JSONDecodeError:
        return {}
    return value if isinstance(value, dict) else {}
