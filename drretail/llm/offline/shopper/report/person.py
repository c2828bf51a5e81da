"""What the shopper's record says that bears on the choice; nothing where it says nothing."""

import re
from decimal import Decimal

from drretail.grounding.wording import format_money
from drretail.llm.offline.shopper.choosing import Option
from drretail.llm.offline.shopper.customer import PastOrder
from drretail.llm.offline.shopper.everyday import ALL_KINDS
from drretail.llm.offline.shopper.kinds import Kind
from drretail.llm.offline.shopper.need import Need, kind_of, need_of
from drretail.llm.offline.shopper.relevance import is_sold_as
from drretail.llm.offline.shopper.report.advice import shown_sayings
from drretail.llm.offline.shopper.report.naming import cite, counted, cut_title, day_text
from drretail.llm.offline.shopper.study import Study
from drretail.llm.offline.shopper.words import joined, stems_of, word_set

_TITLE_LENGTH = 55
MOST_RELATED = 2
# Themes whose things are used together; a lamp says little about a hose.
_PRESENT = re.compile(r"\b(?:gifts?|presents?|birthday|anniversary|housewarming)\b", re.IGNORECASE)
# Of what somebody is through with nobody says that it may still serve.
_REPLACES = re.compile(
    r"\b(?:annoy\w*|fed up|tired of|replac\w+|step up|upgrad\w+|worn|broke\w*|switch\w*"
    r"|didn['’]t (?:solve|help|work|last)|instead|do better|no good|disappoint\w*|fell apart|wrong)\b",
    re.IGNORECASE,
)
_PACKING = word_set("set kit pack")
# Who or what a thing is made for; a successor serves the same.
_AUDIENCES = (
    word_set("kid child children girl boy toddler baby infant newborn"),
    word_set("dog puppy cat kitten pet"),
    word_set("men man mens"),
)
_CLOSE_THEMES = frozenset({"birds", "dogs", "cats", "baby"})


def person_section(study: Study) -> list[str]:
    """A heading and one paragraph, or nothing for a shopper who is not known."""
    sentences = [*_place(study), *_same_things(study), *_related_things(study), *_brands(study), *_price_level(study)]
    sentences = sentences or _nothing_bears_on_it(study)
    return ["## What your record adds", " ".join(sentences)] if sentences else []


def _nothing_bears_on_it(study: Study) -> list[str]:
    """One sentence; nothing where a title names what the query speaks of, whatever it may be worth."""
    customer = study.customer
    if not customer.orders or not any(study.basket.picks):
        return []
    owned = [need_of(kind) for kind in ALL_KINDS if kind.name in study.wanted.owned]
    spoken = [name for need in (*study.needs, *owned) for name in need.names]
    heads = {next((stem for stem in reversed(name) if stem not in _PACKING), name[-1]) for name in spoken}
    if any(heads & set(stems_of(order.title)) for order in customer.orders):
        return []
    evidence = cite(customer.statistics_evidence or customer.orders[0].evidence)
    read = counted(len(customer.orders), "order")
    newest = f"the newest {read} that I read" if customer.orders_total > len(customer.orders) else f"your {read}"
    return [f"I see nothing in {newest} that bears on this, so the choice rests on the products alone {evidence}."]


def _place(study: Study) -> list[str]:
    customer = study.customer
    # Only where what was found for the place is in the report.
    state = customer.state
    if state is None or not any(state in f"{saying.page} {saying.text}" for saying in shown_sayings(study)):
        return []
    where = joined([part for part in (customer.city, customer.state) if part], last=",").replace(" ,", ",")
    return [f"You live in {where} {cite(customer.profile_evidence)}, so I also looked up what suits that place."]


def _same_things(study: Study) -> list[str]:
    """Earlier orders of the very things that are wanted now."""
    sentences: list[str] = []
    for need, pick in zip(study.needs, study.basket.picks, strict=True):
        orders = [order for order in study.customer.orders if not order.void and is_sold_as(need, order.title)]
        again = [order for order in orders if pick is not None and order.product_id == pick.product.product_id]
        order = next(iter(again or orders), None)
        # A present succeeds nothing of the giver's.
        if order is not None and not need.guessed and not _PRESENT.search(study.situation.query):
            replaces = need.other or _REPLACES.search(study.situation.query) is not None
            sentences.append(_same_thing(need, order, pick, replaces=replaces))
    return [sentence for sentence in sentences if sentence]


def _same_thing(need: Need, order: PastOrder, pick: Option | None, *, replaces: bool) -> str:
    bought = f"On {day_text(order.date)} you bought the {cut_title(order.title, _TITLE_LENGTH)} {cite(order.evidence)}"
    if pick is None:
        return f"{bought}."
    if order.product_id == pick.product.product_id:
        return f"{bought}; what I suggest is a reorder of it."
    if audience(order.title) != audience(pick.product.title):
        return ""
    if need.consumable and not replaces:
        return f"{bought}, so you can judge the new one against it."
    if replaces:
        return f"{bought}: this one would take its place."
    return f"{bought}: take the new one as its successor, or leave it if the old one still serves."


def audience(title: str) -> frozenset[int]:
    """Which of the known audiences a title names."""
    stems = set(stems_of(title))
    return frozenset(place for place, words in enumerate(_AUDIENCES) if stems & words)


def _related_things(study: Study) -> list[str]:
    """Orders of the same theme: they show what the shopper has to go with it."""
    chosen = zip(study.needs, study.basket.picks, strict=True)
    themes = {need.theme for need, pick in chosen if need.theme in _CLOSE_THEMES and pick}
    related: dict[str, PastOrder] = {}
    for order in study.customer.orders:
        kind = _spoken_of(study, order) or kind_of(order.title)
        wanted = kind is not None and any(need.name == kind.name for need in study.needs)
        spoken_of = kind is not None and kind.name in study.wanted.owned
        if kind is not None and (kind.theme in themes or spoken_of) and not wanted and not order.void:
            related.setdefault(kind.name, order)
    shown = list(related.values())[:MOST_RELATED]
    if not shown:
        return []
    items = [f"the {cut_title(o.title, _TITLE_LENGTH)} (ordered {day_text(o.date)}) {cite(o.evidence)}" for o in shown]
    return [f"Your orders hold {joined(items)}; what I suggest does not repeat {'it' if len(shown) == 1 else 'them'}."]


def _spoken_of(study: Study, order: PastOrder) -> Kind | None:
    """The kind that the query speaks of owning, where the order's title sells one."""
    owned = (kind for kind in ALL_KINDS if kind.name in study.wanted.owned)
    return next((kind for kind in owned if is_sold_as(need_of(kind), order.title)), None)


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
    priced = [
        (pick.product.price, -index) for index, pick in enumerate(study.basket.picks) if pick and pick.product.price
    ]
    if not usual or not priced:
        return []
    prices = [price for price, _ in priced]
    start = f"Your orders come to {format_money(usual)} on average {cite(study.customer.statistics_evidence)}"
    dearest, place = max(priced)
    if dearest > usual * Decimal("1.5"):
        which = "this one is dearer than you are used to" if len(prices) == 1 else "the dearest pick is well above that"
        other = study.runner_up(-place)
        cheaper = other is not None and other.product.price is not None and other.product.price < dearest
        its = "the" if len(prices) == 1 else "its"
        return [f"{start}; {which}{f', so look at {its} cheaper runner-up below too' if cheaper else ''}."]
    if max(prices) <= usual:
        return [f"{start}; {'the pick stays' if len(prices) == 1 else 'each of the picks stays'} below that."]
    return [f"{start}, which is about the level of {'this pick' if len(prices) == 1 else 'these picks'}."]
