"""What the shopper's record says that bears on the choice; nothing where it says nothing."""

from decimal import Decimal

from drretail.grounding.wording import format_money, short_title
from drretail.llm.offline.shopper.customer import PastOrder
from drretail.llm.offline.shopper.needs import Need, kind_of, names_thing
from drretail.llm.offline.shopper.report.naming import Names, cite, counted, day_text
from drretail.llm.offline.shopper.study import Study
from drretail.llm.offline.shopper.words import joined

_TITLE_LENGTH = 55
MOST_RELATED = 2
# Themes whose things are used together; a lamp says little about a hose.
_CLOSE_THEMES = frozenset({"birds", "dogs", "cats", "baby"})


def person_section(study: Study, names: Names) -> list[str]:
    """A heading and one paragraph, or nothing for a shopper who is not known."""
    sentences = [*_place(study), *_same_things(study), *_related_things(study), *_brands(study), *_price_level(study)]
    del names
    if not sentences and study.customer.orders and any(study.basket.picks):
        customer = study.customer
        evidence = cite(
            customer.orders[0].evidence if customer.statistics_evidence is None else customer.statistics_evidence
        )
        number = counted(customer.orders_total or len(customer.orders), "order")
        sentences = [f"Nothing in your {number} bears on this, so the choice rests on the products alone {evidence}."]
    return ["## What your record adds", " ".join(sentences)] if sentences else []


def _place(study: Study) -> list[str]:
    customer = study.customer
    if customer.state is None or not any(customer.state in search.query for search in study.web):
        return []
    where = joined([part for part in (customer.city, customer.state) if part], last=",").replace(" ,", ",")
    return [f"You live in {where} {cite(customer.profile_evidence)}, so I also looked up what suits that place."]


def _same_things(study: Study) -> list[str]:
    """Earlier orders of the very things that are wanted now."""
    sentences: list[str] = []
    picks = {pick.product.product_id for pick in study.basket.picks if pick}
    for need in study.needs:
        kept = [order for order in study.customer.orders if not order.void]
        same = [order for order in kept if order.product_id in picks and names_thing(need, order.title)]
        order = next(iter(same or [order for order in kept if names_thing(need, order.title)]), None)
        if order is not None:
            sentences.append(_same_thing(need, order, order.product_id in picks))
    return sentences


def _same_thing(need: Need, order: PastOrder, is_pick: bool) -> str:
    bought = (
        f"On {day_text(order.date)} you bought the {short_title(order.title, _TITLE_LENGTH)} {cite(order.evidence)}"
    )
    if is_pick:
        return f"{bought}; what I suggest is a reorder of it."
    if need.consumable:
        return f"{bought}, so you can judge the new one against it."
    return f"{bought}: take the new one as its successor, or leave it if the old one still serves."


def _related_things(study: Study) -> list[str]:
    """Orders of the same theme: they show what the shopper has to go with it."""
    chosen = zip(study.needs, study.basket.picks, strict=True)
    themes = {need.theme for need, pick in chosen if need.theme in _CLOSE_THEMES and pick}
    related: dict[str, PastOrder] = {}
    for order in study.customer.orders:
        kind = kind_of(order.title)
        wanted = kind is not None and any(need.name == kind.name for need in study.needs)
        spoken_of = kind is not None and kind.name in study.wanted.owned
        if kind is not None and (kind.theme in themes or spoken_of) and not wanted and not order.void:
            related.setdefault(kind.name, order)
    shown = list(related.values())[:MOST_RELATED]
    if not shown:
        return []
    items = [
        f"the {short_title(o.title, _TITLE_LENGTH)} (ordered {day_text(o.date)}) {cite(o.evidence)}" for o in shown
    ]
    return [f"You already have {joined(items)}, so I looked for what goes with {'it' if len(shown) == 1 else 'them'}."]


def _brands(study: Study) -> list[str]:
    liked = {brand.casefold() for brand in study.customer.favourite_brands}
    brands = [pick.product.brand for pick in study.basket.picks if pick and pick.product.brand]
    known = list(dict.fromkeys(brand for brand in brands if brand.casefold() in liked))
    if not known:
        return []
    one = "pick is" if len(brands) == 1 else "picks include something"
    often = f"You have ordered {joined(known)} more than once {cite(study.customer.statistics_evidence)}"
    return [f"{often}, and the {one} from there."]


def _price_level(study: Study) -> list[str]:
    usual = study.customer.mean_order
    prices = [pick.product.price for pick in study.basket.picks if pick and pick.product.price is not None]
    if not usual or not prices:
        return []
    start = f"Your orders come to {format_money(usual)} on average {cite(study.customer.statistics_evidence)}"
    dearest = max(prices)
    if dearest > usual * Decimal("1.5"):
        which = "this one is dearer than you are used to" if len(prices) == 1 else "the dearest pick is well above that"
        cheaper = any((o := study.runner_up(i)) and o.product.price and p and o.product.price < (p.product.price or 0)
                      for i, p in enumerate(study.basket.picks))  # fmt: skip
        return [f"{start}; {which}{', so look at the cheaper runner-up below too' if cheaper else ''}."]
    if max(prices) <= usual:
        return [f"{start}; {'the pick stays' if len(prices) == 1 else 'each of the picks stays'} below that."]
    return [f"{start}, which is about the level of {'this pick' if len(prices) == 1 else 'these picks'}."]
