"""The oracle's report: what to buy, which demands each product meets, what it costs together, and what is left."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from drretail.agents.listed import listed
from drretail.grounding.evidence_ids import product_evidence_id
from drretail.grounding.facts import product_of
from drretail.grounding.listing import folded, fulfils, is_of_ratings, listing_of
from drretail.grounding.products import compact_json
from drretail.grounding.wording import format_money
from drretail.records.basket import BasketItem, FoundBasket, Lack, Reference
from drretail.records.money import Money
from drretail.records.query import Constraints

LACKS: Mapping[Lack, str] = {
    "no_things": "no thing that the shop could sell can be read from the request",
    "nothing_offered": "the shop does not offer everything that is asked for",
    "no_price": "the shop names no price of what would do, or none in the currency of the budget",
    "too_dear": "the cheapest products that keep to the rest cost more than the budget",
    "no_such_brand": "the shop has nothing of the wanted brand that keeps to the rest",
    "demands": "no product that keeps to the rest is said to be what is demanded",
    "owned": "the user has already all that keeps to the rest",
    "no_basket": "several of its constraints stand in the way, and none alone",
}


def report_without(reference: Reference) -> str:
    """One sentence that says why there is nothing to buy."""
    why = "no_basket" if reference.lack is None else reference.lack
    return f"No basket of this shop answers the request: {LACKS[why]}."


def report_of(
    basket: FoundBasket,
    records: Sequence[Mapping[str, Any]],
    constraints: Constraints,
    total_id: str | None,
    left: tuple[Money, str] | None,
) -> str:
    """The report in markdown with evidence ids.

    ``records`` are those of the products in the basket's order; ``total_id`` is the evidence of their total, None where
    a single piece is bought; ``left`` is what remains of a budget for the whole, with its evidence.
    """
    lines = ["## What to buy", ""]
    for item, record in zip(basket.items, records, strict=True):
        counted = () if total_id is None or item.quantity == 1 else (total_id,)
        lines.append(listed(record, _remark(item, record, constraints), item.quantity, beside=counted))
    source = product_evidence_id(basket.items[0].product_id) if total_id is None else total_id
    lines += ["", f"Total: {_written(basket.total)} [{source}]."]
    if left is not None and constraints.budget is not None:
        lines += ["", f"Of {_written(constraints.budget)}, {_written(left[0])} is left [{left[1]}]."]
    return "\n".join(lines)


def _remark(item: BasketItem, record: Mapping[str, Any], constraints: Constraints) -> str:
    """What the product is for, and what of the demands its own words meet: "the planner, undated"."""
    return ", ".join([f"the {item.thing}", *_met(record, constraints)])


def _met(record: Mapping[str, Any], constraints: Constraints) -> Iterator[str]:
    product = product_of(compact_json(record))
    assert product is not None, "the shop's own record of a product reads as one"
    listing = listing_of(product)
    for demand in constraints.must:
        # What the ratings must be shows in the figures that follow.
        if fulfils(listing, demand) and not is_of_ratings(demand):
            yield demand
    for brand in constraints.brands_wanted:
        if folded(brand) in listing.makers:
            yield brand


def _written(money: Money) -> str:
    return format_money(money.value, money.currency)
