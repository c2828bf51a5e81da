"""The ceiling: the best basket that keeps to a query, with each product looked up and the total computed.

No other agent is given the reference. This one does no research, so it reports nothing of the web or of the user.
Beside queries that hide limits of their wish there are two more: the best basket for what the text states, and for what
the shopper tells as well.
"""

import asyncio
from collections.abc import Mapping, Sequence
from typing import Any

from drretail.agents.base import Agent
from drretail.env.offers import Offers
from drretail.env.session import Session
from drretail.errors import ModelError
from drretail.grounding.constraints.demands import stance
from drretail.grounding.constraints.listing import is_of_brand, listing_of
from drretail.grounding.report.evidence_ids import product_evidence_id
from drretail.grounding.text.wording import format_amount, format_money, short_title
from drretail.llm.models import Models
from drretail.records.money import Money
from drretail.records.query import BasketItem, FoundBasket, Lack, Proof, Reference, Task
from drretail.records.reading import Outcome
from drretail.records.run import ASK_SHOPPER, Answer, Limits
from drretail.records.shop import Product
from drretail.records.wish import TOPICS, Want, Wish
from drretail.tools.toolkit import Call, Toolkit

LONGEST_TITLE = 80


def listed(card: Mapping[str, Any], remark: str = "", pieces: int = 1, *, beside: Sequence[str] = ()) -> str:
    """The line for a product's card or record: name, price and rating as far as they are known, and the citation.

    ``remark`` stands behind the name, before the figures; several ``pieces`` are told with the price of one, and
    evidence ``beside`` the product's is cited for their number, which no record holds.
    """
    price = _price(card)
    facts = [remark, f"{pieces} × {price}" if pieces > 1 and price else price, _rating(card)]
    described = ", ".join(fact for fact in facts if fact)
    cited = "".join(f"[{each}]" for each in (product_evidence_id(card["product_id"]), *beside))
    return f"- **{short_title(card['title'], LONGEST_TITLE)}**{f': {described}' if described else ''} {cited}."


def _price(card: Mapping[str, Any]) -> str:
    if card.get("price") is None:
        return ""
    price = format_money(card["price"], card["currency"])
    return f"from {price}" if card.get("price_from") else price


def _rating(card: Mapping[str, Any]) -> str:
    stars, count = card.get("average_rating"), card.get("rating_number")
    if stars is None:
        return ""
    return f"{stars:g} stars" + ("" if not count else f" from {count:,} {'rating' if count == 1 else 'ratings'}")


LACKS: Mapping[Lack, str] = {
    "not_typed": "nobody has typed what it wants",
    "no_things": "nothing is to be bought",
    "nothing_offered": "the shop has nothing of a kind that is wanted",
    "no_price": "the shop names no price of what would do, or none in the currency of the budget",
    "too_dear": "the cheapest products that keep to the rest cost more than the budget",
    "no_such_brand": "the shop has nothing of the wanted brand that keeps to the rest",
    "demands": "no product that keeps to the rest is said to be what is demanded",
    "owned": "the user has already all that keeps to the rest",
    "no_basket": "several of its limits are in the way, and none alone",
}


NO_SUCH_ORDER = "the shopper never made the order that it speaks of"


def report_without(reference: Reference) -> str:
    """One sentence that says why there is nothing to buy."""
    proof = reference.proof
    if proof is not None and proof.lack == "no_such_order":
        return f"No basket of this shop answers the request: {NO_SUCH_ORDER}."
    return f"No basket of this shop answers the request: {LACKS[reference.lack or 'no_basket']}."


def report_of(
    basket: FoundBasket,
    records: Sequence[Mapping[str, Any]],
    wish: Wish,
    total: tuple[str, str] | None,
    left: tuple[str, str] | None,
) -> str:
    """The report in markdown with evidence ids; every figure stands beside the record or the calculation it is from.

    ``records`` are those of the products in the basket's order; ``total`` is the calculation of what they cost, with
    its evidence, None where a single piece is bought; ``left`` that of what remains of the budget.
    """
    wants = {want.name: want for want in wish.wants}
    lines = ["## What to buy", ""]
    for item, record in zip(basket.items, records, strict=True):
        counted = () if total is None or item.quantity == 1 else (total[1],)
        lines.append(listed(record, _remark(wants[item.thing], record), item.quantity, beside=counted))
    if total is not None:
        lines += ["", f"Together: {total[0]} = {format_amount(basket.total)} [{total[1]}]."]
    if left is not None and wish.budget is not None:
        rest = Money.of(wish.budget.value - basket.total.value, wish.budget.currency)
        lines += ["", f"Left of the budget: {left[0]} = {format_amount(rest)} [{left[1]}]."]
    return "\n".join(lines)


def _remark(want: Want, record: Mapping[str, Any]) -> str:
    """What the product is for, and what of the demands its record says: "the planner, undated"."""
    known = {name: record[name] for name in Product.model_fields if record.get(name) is not None}
    listing = listing_of(Product.model_validate(known))
    kept = [demand for demand in want.must if stance(listing.words, demand) == "kept"]
    brands = [brand for brand in want.brands_wanted if is_of_brand(listing, brand)]
    return ", ".join([f"the {want.name}", *kept, *brands])


async def answer(task: Task, session: Session, models: Models, limits: Limits) -> Answer:
    """The best basket as a report; where there is none, why. Raises ModelError without a reference."""
    del models, limits
    reference = task.reference
    if reference is None:
        raise ModelError("agent", "the oracle answers queries of an experiment whose baskets were found when it opened")
    proof = reference.proof
    if task.wish is not None and proof is not None and proof.state == "proved":
        with Toolkit(session) as toolkit:
            await toolkit.acall_all(_searches(task.wish))
        return Answer(report=report_without(reference), picks=(), outcome=_refusal(proof))
    if task.wish is None or reference.best is None or not reference.best.items:
        return Answer(report=report_without(reference), picks=())
    with Toolkit(session) as toolkit:
        report = await _report(toolkit, reference.best, task.wish)
    return Answer(report=report, picks=reference.best.picks)


def _searches(wish: Wish) -> list[Call]:
    """What shows that a wish can't be met: each kind by price ascending, and the orders that are named."""
    kinds = dict.fromkeys(kind for want in wish.wants for kind in want.kinds)
    orders: list[Call] = [("get_order_details", {"order_id": order_id}) for order_id in wish.orders]
    return [*orders, *(("product_catalog_search", {"query": kind, "sort_by": "price", "limit": 50}) for kind in kinds)]


def _refusal(proof: Proof) -> Outcome:
    """The reason that is proved, with what comes nearest."""
    nearest = None if proof.lack is None else proof.cheapest_without.get(proof.lack)
    return Outcome(
        decision="none",
        because=() if proof.lack is None else (proof.lack,),
        nearest=tuple(item.product_id for item in nearest.items) if nearest else (),
    )


async def _report(toolkit: Toolkit, basket: FoundBasket, wish: Wish) -> str:
    ids = [item.product_id for item in basket.items]
    records = await _values(toolkit, [("get_product_details", {"product_id": product_id}) for product_id in ids])
    total, left = None, None
    if len(ids) > 1 or basket.items[0].quantity > 1:
        total = await _calculated(toolkit, " + ".join(map(_term, basket.items)))
    if wish.budget is not None:
        left = await _calculated(toolkit, f"{wish.budget.amount} - {basket.total.amount}")
    return report_of(basket, records, wish, total, left)


def _term(item: BasketItem) -> str:
    return item.price if item.quantity == 1 else f"{item.quantity} * {item.price}"


async def _calculated(toolkit: Toolkit, expression: str) -> tuple[str, str]:
    """A calculation with its evidence."""
    (done,) = await _values(toolkit, [("calculator", {"expression": expression})])
    return expression, done["evidence"]


async def _values(toolkit: Toolkit, calls: Sequence[Call]) -> list[dict[str, Any]]:
    replies = await toolkit.acall_all(calls)
    for reply in replies:
        if reply.error is not None:
            raise ModelError("tool", f"what the basket holds can't be looked up: {reply.text}")
    return [reply.value for reply in replies]


async def mute_oracle(task: Task, session: Session, models: Models, limits: Limits) -> Answer:
    """The best basket for what the query states."""
    return await answer(await asyncio.to_thread(_as_known, task, session), session, models, limits)


async def ask_all(task: Task, session: Session, models: Models, limits: Limits) -> Answer:
    """The best basket for what the query states and the shopper tells, asked once on each topic."""
    if session.shopper is not None:
        with Toolkit(session) as toolkit:
            await toolkit.acall_all(
                [(ASK_SHOPPER, {"topic": topic, "question": f"What matters to you: {topic}?"}) for topic in TOPICS]
            )
    return await mute_oracle(task, session, models, limits)


def _as_known(task: Task, session: Session) -> Task:
    """The task with the wish as far as it is known by now, and what the shop could sell for that."""
    if session.shopper is None or session.shopper.query.wish is None:
        return task
    query = session.shopper.query
    released = {fact.key for answered, _ in session.shopper.answers for fact in answered.new}
    wish = session.shopper.query.wish.without([fact for fact in query.hidden if fact.key not in released])
    known = query.model_copy(update={"wish": wish, "hidden": ()})
    return task.model_copy(update={"wish": wish, "reference": Offers(session.world).reference(known)})


ORACLE = Agent(answer, roles=(), heeds=frozenset(), is_baseline=True, sees_reference=True)
MUTE_ORACLE = Agent(mute_oracle, roles=(), heeds=frozenset(), is_baseline=True, sees_reference=True)
ASK_ALL = Agent(ask_all, roles=(), heeds=frozenset(), is_baseline=True, sees_reference=True)
