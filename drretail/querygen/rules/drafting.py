"""A query's text and its other fields, from what it is about and what it demands."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from drretail.querygen.rules.choosing import Case, Chosen, choose
from drretail.querygen.rules.demands import Demanded, demands_of
from drretail.querygen.rules.history import Purchase
from drretail.querygen.rules.needs import KINDS, Need, sayings
from drretail.querygen.rules.phrases import listed
from drretail.querygen.rules.sentences import Said, how_long, season, text_of, when
from drretail.records.query import NeedKind
from drretail.records.wish import Wish

LEAST_WORDS, MOST_WORDS = 40, 110
# The text never names the place: an agent has to look it up, as for "my state" in the paper's Figure 9.
_PLACES = ("my state", "my area", "my region", "my part of the country")
# T what happened, W what is wanted, A what to find out, D demands and budget, N how many and until when, R the record.
_LAYOUTS = ("TWDNAR", "TWADNR", "TRWDAN", "TWNDAR", "TWDNRA", "TWRADN", "TAWDNR", "TAWRDN")
# What is asked for has to be named before it is asked about, or bounded.
_NAMED_FIRST = tuple(layout for layout in _LAYOUTS if layout.index("W") < layout.index("A"))
# How often a text speaks of the record, and asks two questions.
_OF_RECORD, _TWO = 0.5, 0.45


@dataclass(frozen=True, slots=True)
class Draft:
    """A query before it has an id; ``about`` names the things at its centre, and ``mine`` the one it starts from."""

    need: str
    kind: NeedKind
    about: frozenset[str]
    mine: str
    text: str
    rationale: str
    expected_tools: tuple[str, ...]
    wish: Wish
    words: frozenset[str] = frozenset()
    """All of its sentences and questions, as in sayings.toml."""


def draft(case: Case, need: Need) -> Draft | None:
    """A query of this need; None where the record or the shop does not support it."""
    chosen = choose(case, need)
    demanded = demands_of(case, chosen) if chosen is not None else None
    if chosen is None or demanded is None:
        return None
    text = _text(case, chosen, demanded)
    return Draft(
        need=need.name,
        kind=KINDS[need.shape],
        about=chosen.about,
        mine=chosen.purchase.thing.name,
        text=text,
        rationale=f"The record shows {_with_orders(chosen.purchase)}. {need.why}",
        expected_tools=_tools(need, demanded),
        wish=demanded.wish(case, chosen),
        words=frozenset(case.words),
    )


def _with_orders(purchase: Purchase) -> str:
    """ "a bird feeder (order 0123456789)", "hair clips (orders …)"."""
    ids = purchase.order_ids
    shown = ", ".join(ids[:3]) + (f" and {len(ids) - 3} more" if len(ids) > 3 else "")
    return f"{purchase.thing.phrase.some} (order{'s' if len(ids) > 1 else ''} {shown})"


def _tools(need: Need, demanded: Demanded) -> tuple[str, ...]:
    adds_up = demanded.scope == "total" or need.calculator
    return (
        *(("get_user_profile",) if need.outdoors else ()),
        *(() if demanded.names_an_amount and need.level <= 0 else ("get_user_statistics",)),
        *("get_user_orders", "get_product_details", "product_catalog_search", "web_search"),
        *(("calculator",) if adds_up else ()),
    )


def _text(case: Case, chosen: Chosen, demanded: Demanded) -> str:
    rng, need = case.rng, chosen.need
    own = need.shape in ("replace", "again")
    layout = rng.choice(_LAYOUTS if own else _NAMED_FIRST)
    slots = _slots(case, chosen)
    parts = {
        "T": case.say(need.tell).format_map(slots),
        "W": case.say(sayings().want[chosen.asked_as]).format_map(slots),
        "A": _question(case, chosen, slots, early=layout.index("A") < layout.index("W")),
        "D": _demanded(chosen, demanded, slots),
        "N": text_of(*demanded.sentences),
        "R": _of_record(case, slots) if rng.random() < _OF_RECORD else "",
    }
    for spared in ("", "R"):
        parts[spared] = ""
        text = text_of(*(parts[part] for part in layout))
        if len(text.split()) <= MOST_WORDS:
            break
    return text


def _demanded(chosen: Chosen, demanded: Demanded, slots: Mapping[str, object]) -> str:
    """One sentence of what is asked for, as far as anything is."""
    if not demanded.clauses:
        return ""
    subject = sayings().demand.subject[chosen.asked_as].format_map(slots)
    return f"{subject} should {listed(demanded.clauses)}."


def _of_record(case: Case, slots: Mapping[str, object]) -> str:
    """That the orders are to be looked at, in words that so many orders bear out."""
    known = [texts for least, texts in sayings().record.items() if case.history.orders >= least]
    return case.say([text for texts in known for text in texts]).format_map(slots) if known else ""


def _question(case: Case, chosen: Chosen, slots: Mapping[str, object], *, early: bool) -> str:
    """What only the web knows of the things: one question, or two where they come behind what is wanted."""
    used_up = case.assortment.are_used_up(chosen.things[0])
    about: Literal["outdoors", "either", "several", "used_up", "lasting"] = "used_up" if used_up else "lasting"
    if chosen.need.outdoors:
        about = "outdoors"
    elif len(chosen.things) > 1:
        about = "several" if chosen.need.shape == "together" else "either"
    asks, web = sayings().ask[about], sayings().web
    first = case.say(asks)
    if early or case.rng.random() > _TWO:
        return case.say(web.early if early else web.one).format(ask=first.format_map(slots))
    second = case.say([ask for ask in asks if ask != first])
    return case.say(web.two).format(ask=first.format_map(slots), ask2=second.format_map(slots))


def _slots(case: Case, chosen: Chosen) -> dict[str, object]:
    today, country = case.history.today, case.history.country
    points = sayings().points["used_up" if case.assortment.are_used_up(chosen.things[0]) else "lasting"]
    if not any(case.assortment.are_priced(thing) for thing in chosen.things):
        points = [point for point in points if point not in sayings().of_prices]
    named = [thing.phrase.some for thing in chosen.things]
    return {
        "place": case.rng.choice(_PLACES),
        "season": season(today, country),
        "next": season(today, country, later=1),
        "have": _having(case, chosen.purchase),
        "my": _mine(case, chosen.purchase),
        "mine": Said(chosen.purchase.thing.phrase),
        "brand": chosen.purchase.brand or "",
        "thing": Said(chosen.things[0].phrase),
        "things": listed(named),
        "either": listed(named, "or"),
        "points": listed(case.rng.sample(points, 2)),
    }


def _having(case: Case, purchase: Purchase) -> str:
    """That the user has a thing: "I've had my bird feeder since 2021"."""
    name, today = purchase.thing.name, case.history.today
    bought = f"I bought my {name} {when(purchase.day, today)}"
    if purchase.uses_up:
        return case.rng.choice((bought, f"I ordered my {name} {when(purchase.day, today)}"))
    return case.rng.choice((bought, f"I've had my {name} {how_long(purchase.day, today)}"))


def _mine(case: Case, purchase: Purchase) -> str:
    """The thing that the user has, with when it was bought: "the bird feeder I bought in March"."""
    name, bought = purchase.thing.name, when(purchase.day, case.history.today)
    verb = case.rng.choice(("bought", "ordered", "got from you"))
    return f"the {name} I {verb} {bought}"
