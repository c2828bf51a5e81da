"""Agents that ask no model. Their scores show what a score is worth.

Null agents do no research. They report nothing, or the best hit for the query's keywords. The oracle is the ceiling:
the best basket that satisfies a query, with each product looked up and the total computed. No other agent is given the
reference. The oracle does no research either, so it reports nothing of the web or of the user.
"""

import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from drretail.agents.base import Agent
from drretail.env.session import Session
from drretail.errors import ModelError
from drretail.llm.models import Models
from drretail.records.query import FoundBasket, Reference, Task, lack_in_words
from drretail.records.reading import Outcome, Pick
from drretail.records.run import Answer, Limits
from drretail.records.shop import Money, Product
from drretail.records.wish import Wish
from drretail.reports.text.evidence_ids import product_evidence_id
from drretail.reports.text.serialisation import whole_items
from drretail.reports.text.wording import format_amount, format_money, short_title
from drretail.shopping.listing import is_of_brand, listing_of
from drretail.tools.toolkit import Call, Toolkit


def floor(answer: Callable[[Task, Toolkit], Awaitable[Answer]], *, sees_reference: bool = False) -> Agent:
    """The agent that answers so, with the tools of its run and without a model."""

    async def answered(task: Task, session: Session, models: Models, limits: Limits) -> Answer:
        del models, limits
        toolkit = Toolkit(session)
        return await answer(task, toolkit)

    return Agent(answered, roles=(), heeds=frozenset(), is_baseline=True, sees_reference=sees_reference)


async def _nothing(task: Task, toolkit: Toolkit) -> Answer:
    del task, toolkit
    return Answer(report="", picks=())


EMPTY = floor(_nothing)


_WORD = re.compile(r"[^\W\d_]+(?:[-'’][^\W\d_]+)*")
_SHORTEST = 3
_TELL_NOTHING = frozenset(Path(__file__).with_name("common_words.txt").read_text(encoding="utf-8").split())
"""Words that say nothing of what is wanted."""


def _keywords(text: str) -> tuple[str, ...]:
    """The distinct words of a text that are neither short nor common, in lower case and in their order."""
    words = (match[0].casefold().replace("’", "'") for match in _WORD.finditer(text))
    return tuple(dict.fromkeys(word for word in words if len(word) >= _SHORTEST and word not in _TELL_NOTHING))


RATED_HITS = 5
"""Hits for the keywords, of which the best rated is taken."""
_LONGEST_SEARCH = 500
"""Characters that the search accepts."""


async def _hits(toolkit: Toolkit, task: Task) -> list[dict[str, Any]]:
    arguments = {"query": " ".join(_keywords(task.text))[:_LONGEST_SEARCH], "limit": RATED_HITS}
    (reply,) = await toolkit.acall_all([("product_catalog_search", arguments)])
    if reply.error is not None:
        raise ModelError("tool", f"the shop can't be searched: {reply.text}")
    return whole_items(reply.value, "hits")


async def best_hit(task: Task, toolkit: Toolkit) -> Answer:
    """The best rated of the first hits: what a search finds without reading the question.

    It keeps to no budget and rules nothing out, since only the question says what is wanted. Raises ModelError if the
    shop can't be searched.
    """
    hits = await _hits(toolkit, task)
    if not hits:
        return Answer(report="Nothing in this shop has a word of the question.", picks=())
    best = max(hits, key=lambda card: (card.get("average_rating", 0), card.get("rating_number", 0)))
    return Answer(report=f"# Best hit\n\n{_listed(best)}", picks=(Pick(product=best["product_id"]),))


SEARCH = floor(best_hit)


LONGEST_TITLE = 80


def _listed(card: Mapping[str, Any], remark: str = "", pieces: int = 1) -> str:
    """A product's line in a report: name, price and rating as far as they are known, and the citation.

    ``card`` is a search hit or a record. ``remark`` follows the name, before the figures. For several ``pieces`` the
    line gives the price of one.
    """
    price = ""
    if card.get("price") is not None:
        price = ("from " if card.get("price_from") else "") + format_money(card["price"], card["currency"])
    stars, count, rating = card.get("average_rating"), card.get("rating_number"), ""
    if stars is not None:
        rating = f"{stars:g} stars" + ("" if not count else f" from {count:,} {'rating' if count == 1 else 'ratings'}")
    facts = [remark, f"{price} each" if pieces > 1 and price else price, rating]
    described = ", ".join(fact for fact in facts if fact)
    name = f"{f'{pieces} × ' if pieces > 1 else ''}**{short_title(card['title'], LONGEST_TITLE)}**"
    return f"- {name}{f': {described}' if described else ''} [{product_evidence_id(card['product_id'])}]."


def report_without(reference: Reference, wish: Wish | None) -> str:
    """Why there is nothing to buy, with the pages that say so."""
    pages = "".join(f" See {source.url}." for source in (wish.declined if wish else ()))
    return f"No basket of this shop answers the request: {lack_in_words(reference.lack or 'no_basket', wish)}.{pages}"


def report_of(
    basket: FoundBasket,
    records: Sequence[Mapping[str, Any]],
    wish: Wish,
    total: tuple[str, str] | None,
    left: tuple[str, str] | None,
) -> str:
    """The report in markdown with evidence ids. Every figure stands beside the record or the calculation it is from.

    ``records`` are those of the basket's products, in its order. ``total`` is the calculation of their cost with its
    evidence, None if a single piece is bought. ``left`` is that of what remains of the budget, None without one.
    """
    wants = {want.name: want for want in wish.wants}
    lines = ["## What to buy", ""]
    for item, record in zip(basket.items, records, strict=True):
        fields = {name: record[name] for name in Product.model_fields if record.get(name) is not None}
        listing, want = listing_of(Product.model_validate(fields)), wants[item.thing]
        brands = [brand for brand in want.brands_wanted if is_of_brand(listing, brand)]
        # What the product is for, and the demands that it keeps, as all of a basket's do: "the planner, undated".
        remark = ", ".join([f"the {want.name}", *map(str, want.must), *brands])
        offered = record
        if item.offer_id != item.product_id:  # of a variant the basket names the price and the options
            offered = {**record, "title": item.title, "price": item.price, "price_from": False}
        lines.append(_listed(offered, remark, item.quantity))
    if total is not None:
        lines += ["", f"Together: {total[0]} = {format_amount(basket.total)} [{total[1]}]."]
    if left is not None and wish.budget is not None:
        rest = Money.of(wish.budget.value - basket.total.value, wish.budget.currency)
        lines += ["", f"Left of the budget: {left[0]} = {format_amount(rest)} [{left[1]}]."]
    return "\n".join(lines)


async def best_basket(task: Task, toolkit: Toolkit) -> Answer:
    """The best basket as a report, or why there is none."""
    reference = task.reference
    assert reference is not None  # an agent that sees it is given it
    proof = reference.proof
    if task.wish is not None and proof is not None and (proof.state == "proved" or reference.lack == "not_said"):
        refusal = Outcome(
            decision="none",
            because=() if proof.lack is None else (proof.lack,),
            nearest=tuple(item.offer_id for item in proof.nearest.items) if proof.nearest else (),
        )
        return Answer(report=report_without(reference, task.wish), picks=(), outcome=refusal)
    if task.wish is None or reference.best is None or not reference.best.items:
        return Answer(report=report_without(reference, task.wish), picks=())
    report = await _report(toolkit, reference.best, task.wish)
    return Answer(report=report, picks=reference.best.picks)


async def _report(toolkit: Toolkit, basket: FoundBasket, wish: Wish) -> str:
    ids = [item.product_id for item in basket.items]
    records = await _values(toolkit, [("get_product_details", {"product_id": product_id}) for product_id in ids])
    total, left = None, None
    if len(ids) > 1 or basket.items[0].quantity > 1:
        terms = (item.price if item.quantity == 1 else f"{item.quantity} * {item.price}" for item in basket.items)
        total = await _calculated(toolkit, " + ".join(terms))
    if wish.budget is not None:
        left = await _calculated(toolkit, f"{wish.budget.amount} - {basket.total.amount}")
    return report_of(basket, records, wish, total, left)


async def _calculated(toolkit: Toolkit, expression: str) -> tuple[str, str]:
    (done,) = await _values(toolkit, [("calculator", {"expression": expression})])
    return expression, done["evidence"]


async def _values(toolkit: Toolkit, calls: Sequence[Call]) -> list[dict[str, Any]]:
    replies = await toolkit.acall_all(calls)
    for reply in replies:
        if reply.error is not None:
            raise ModelError("tool", f"what the basket holds can't be looked up: {reply.text}")
    return [reply.value for reply in replies]


ORACLE = floor(best_basket, sees_reference=True)

# Floors of conversations
FIRST, LAST = replace(ORACLE, told_of="first"), replace(ORACLE, told_of="last")
