"""A product as one cited line of a report that was not written by a model."""

from collections.abc import Mapping, Sequence
from typing import Any

from drretail.grounding.evidence_ids import product_evidence_id
from drretail.grounding.wording import format_money, short_title

LONGEST_TITLE = 80


def listed(card: Mapping[str, Any], remark: str = "", pieces: int = 1, *, beside: Sequence[str] = ()) -> str:
    """The line for a product's card or record: name, price and rating as far as they are known, and the citation.

    ``remark`` stands behind the name, before the figures; several ``pieces`` are told with the price of one, and
    evidence ``beside`` the product's is cited for their number, which no record holds.
    """
    price = _price(card)
    facts = [remark, f"{pieces} × {price}" if pieces > 1 and price else price, _rating(card)]
    told = ", ".join(fact for fact in facts if fact)
    cited = "".join(f"[{it}]" for it in (product_evidence_id(card["product_id"]), *beside))
    return f"- **{short_title(card['title'], LONGEST_TITLE)}**{f': {told}' if told else ''} {cited}."


def _price(card: Mapping[str, Any]) -> str:
    if card["price"] is None:
        return ""
    price = format_money(card["price"], card["currency"])
    return f"from {price}" if card.get("price_from") else price


def _rating(card: Mapping[str, Any]) -> str:
    stars, count = card["average_rating"], card["rating_number"]
    if stars is None:
        return ""
    return f"{stars:g} stars" + ("" if not count else f" from {count:,} {'rating' if count == 1 else 'ratings'}")
